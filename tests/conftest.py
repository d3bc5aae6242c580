"""A den to play in: the real client on simcord, with a database of its own."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio


@pytest_asyncio.fixture
async def make_den(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[Callable[..., Awaitable[object]]]:
    """Makes dens (one per test is usual). At the end each is closed, its requests are held against what
    Discord takes, and nothing may have been logged as an error."""
    from tests.cogs.den import Den

    caplog.set_level(logging.ERROR)
    dens: list[Den] = []

    async def make(**options: object) -> Den:
        den = await Den.open(tmp_path / f"den{len(dens)}", **options)
        dens.append(den)
        return den

    yield make
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
