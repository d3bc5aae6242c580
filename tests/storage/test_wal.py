"""The write-ahead log stays short, whoever writes and whoever reads."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from bot.storage import SqlStore, wal
from bot.storage.databases import Sqlite

TEXT = "x" * 4000  # bytes that a write adds at least


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """All measures by the hundredth part, so that little need be written."""
    for name in ("WORTH_IT", "LIMIT", "TOO_LONG"):
        monkeypatch.setattr(wal, name, getattr(wal, name) // 100)
    monkeypatch.setattr("bot.storage.engines.LIMIT", wal.LIMIT)
    monkeypatch.setattr("bot.storage.engines.BY_ITSELF", wal.BY_ITSELF // 100)


@pytest.fixture
async def store(tmp_path: Path, on_the_spot: None) -> AsyncIterator[SqlStore]:
    opened = await SqlStore.open(f"sqlite+aiosqlite:///{tmp_path / 'parlour.db'}")
    yield opened
    await opened.close()


async def write(store: SqlStore, times: int, first: int = 1) -> None:
    for number in range(first, first + times):
        await store.set_user(number, {"dismissed": (TEXT,)})


def length(store: SqlStore) -> int:
    assert isinstance(store._database, Sqlite)
    assert store._database.log is not None
    return store._database.log.size()


async def test_writes_alone_keep_it_short(store: SqlStore, tmp_path: Path) -> None:
    """Without the job too."""
    longest = 0
    for part in range(20):
        await write(store, 20, 1 + 20 * part)
        longest = max(longest, length(store))
    assert longest < 3 * wal.LIMIT
    assert (tmp_path / "parlour.db").stat().st_size > longest


async def test_a_long_reader_lets_it_grow_and_it_is_cut_once_that_is_done(
    store: SqlStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Another program's, which nobody of us may end. What is stored is carried over up to what it has seen,
    and it is told once."""
    await write(store, 10)
    with closing(sqlite3.connect(tmp_path / "parlour.db", isolation_level=None)) as other:
        other.execute("BEGIN")
        [(seen,)] = other.execute("SELECT count(*) FROM users").fetchall()
        for part in range(4):
            await write(store, 100, 100 + 100 * part)
            assert await store.checkpoint() == wal.EVERY
        assert length(store) > wal.TOO_LONG
        assert caplog.text.count("another program") == 1
        assert other.execute("SELECT count(*) FROM users").fetchall() == [(seen,)], "not disturbed"
        other.execute("COMMIT")
    await store.checkpoint()
    assert length(store) <= wal.LIMIT
    await write(store, 300, 1000)
    await store.checkpoint()
    assert length(store) <= wal.LIMIT
    assert (await store.user(1299)).dismissed == (TEXT,)


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT count(*) FROM n"


async def test_a_long_reading_of_ours_is_ended_where_it_lets_it_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = await SqlStore.open(f"sqlite+aiosqlite:///{tmp_path / 'parlour.db'}")
    loop, begun = asyncio.get_running_loop(), asyncio.Event()

    def read(connection: Connection) -> Any:
        connection.exec_driver_sql("SELECT count(*) FROM users")
        loop.call_soon_threadsafe(begun.set)
        return connection.exec_driver_sql(ENDLESS).scalar()

    reading = asyncio.create_task(store._read(read))
    await begun.wait()
    await write(store, 300)
    await store.checkpoint()
    assert length(store) > wal.TOO_LONG
    assert not reading.done(), "it has not lasted for long"
    monkeypatch.setattr(wal, "LONG", 0.0)
    await store.checkpoint()
    with pytest.raises(TimeoutError):
        await reading
    assert "1 long readings" in caplog.text
    await store.checkpoint()
    assert length(store) <= wal.LIMIT
    assert (await store.user(300)).dismissed == (TEXT,), "others read on"
    await store.close()


async def test_a_short_log_is_left_alone(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wal, "WORTH_IT", 10**9)
    await write(store, 2)
    before = length(store)
    await store.checkpoint()
    assert length(store) == before > 0


async def test_a_database_in_memory_has_none() -> None:
    store = await SqlStore.open("sqlite+aiosqlite://")
    assert await store.checkpoint() is None
    await store.close()
