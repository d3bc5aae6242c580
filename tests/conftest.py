"""A den to play in: the real client on simcord, with a database of its own."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings

from tests.on_the_spot import commands_translated_once, quick_store
from tests.sketches import sketched

# How long an example takes is the computer's matter, and how busy it is.
settings.register_profile("parlour", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("parlour")


class AtOnce:
    """Tells a failure when it happens, and not only when all tests have run."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self.terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.terminal.ensure_newline()
            self.terminal.line(f"{report.nodeid} ({report.when}), {report.duration:.1f} s", red=True)
            self.terminal.line(report.longreprtext)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:  # a worker has none
        config.pluginmanager.register(AtOnce(terminal))


@pytest.fixture
def on_the_spot() -> Iterator[None]:
    """Stores and commands that are not the matter."""
    with quick_store(), commands_translated_once():
        yield


@pytest.fixture
def sketches() -> Iterator[None]:
    """Pictures that are not the matter. (Tests whose matter they are open dens of their own.)"""
    with sketched():
        yield


@pytest_asyncio.fixture
async def make_den(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, on_the_spot: None, sketches: None
) -> AsyncIterator[Callable[..., Awaitable[object]]]:
    """Makes dens (one per test is usual). At the end each is closed, its requests are held against what
    Discord takes, and nothing may have been logged as an error."""
    from tests.cogs.den import Den

    caplog.set_level(logging.ERROR)
    dens: list[Den] = []

    async def make(**options: Any) -> Den:
        den = await Den.open(tmp_path / f"den{len(dens)}", **options)
        dens.append(den)
        return den

    yield make
    with pytest.MonkeyPatch.context() as patience:
        patience.setattr("bot.client.CLOSING", 60.0)  # a busy machine cuts no end short
        for den in dens:
            await den.close()
    for den in dens:
        assert den.malformed() == []
        if not den.faults_expected:
            assert [
                record.getMessage()
                for record in caplog.get_records("call")
                if record.levelno >= logging.ERROR
            ] == []


@pytest_asyncio.fixture
async def den(make_den: Callable[..., Awaitable[object]]) -> object:
    return await make_den()
