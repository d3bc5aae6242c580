"""A server to play on: the real client on simcord, with a database of its own."""

from __future__ import annotations

import gc
import logging
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings

from bot.logs import OURS
from tests.figures import figures, pytest_terminal_summary
from tests.on_the_spot import (
    cogs_read_once,
    commands_translated_once,
    quick_simcord,
    quick_store,
    working_here,
)
from tests.sketches import sketched

__all__ = ["figures", "pytest_terminal_summary"]  # of every test

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


# The tests' files are small and gone after each: in memory, where there is room, they cost no disk. The
# variable is pytest's own.
MEMORY, ROOM = Path("/dev/shm"), 512 * 2**20
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:  # a worker has none
        config.pluginmanager.register(AtOnce(terminal))


def pytest_collection_finish() -> None:
    """What is loaded by now stays to the end: the garbage collector need not look through it each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def levels_as_before() -> Iterator[None]:
    """What `run` sets of the log in one test says nothing about the next one in its process."""
    loggers = [logging.getLogger(name) for name in ("", *OURS)]
    levels = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real PostgreSQL server, started once a run, by the first worker that needs it."""
    from tests.postgresql import served  # few tests need it

    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each has a folder of its own in that of the run
        folder = folder.parent
    with served(folder / "postgresql") as address:
        yield address


@pytest.fixture
def on_the_spot() -> Iterator[None]:
    """Stores and commands that are not the matter."""
    with quick_store(), commands_translated_once(), cogs_read_once(), working_here(), quick_simcord():
        yield


@pytest.fixture
def sketches() -> Iterator[None]:
    """Pictures that are not the matter. (Tests whose matter they are open servers of their own.)"""
    with sketched():
        yield


@pytest.fixture
def came_long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever sits at a table has done so for a while, and gets a notice when one is due. (That who has just
    come gets none is the matter of `they_come`.)"""
    monkeypatch.setattr("cogs.delivery.timing.COMING", frozenset())


@pytest_asyncio.fixture
async def make_sim(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    on_the_spot: None,
    sketches: None,
    came_long_ago: None,
) -> AsyncIterator[Callable[..., Awaitable[object]]]:
    """Makes servers (one per test is usual). At the end each is closed, its requests are held against what
    Discord takes, and nothing may have been logged as an error."""
    from tests.cogs.sim import Sim

    caplog.set_level(logging.ERROR)
    sims: list[Sim] = []

    async def make(**options: Any) -> Sim:
        sim = await Sim.open(tmp_path / f"server{len(sims)}", **options)
        sims.append(sim)
        return sim

    yield make
    with pytest.MonkeyPatch.context() as patience:
        patience.setattr("bot.client.CLOSING", 60.0)  # a busy machine cuts no end short
        for sim in sims:
            await sim.close()
    for sim in sims:
        assert sim.malformed() == []
        if not sim.faults_expected:
            assert [
                record.getMessage()
                for record in caplog.get_records("call")
                if record.levelno >= logging.ERROR
            ] == []


@pytest_asyncio.fixture
async def sim(make_sim: Callable[..., Awaitable[object]]) -> object:
    return await make_sim()
