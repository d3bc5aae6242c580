"""Work for SQLite is done as a whole in a thread of aiosqlite's, whoever asked being gone meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.engine import URL

from bot.storage.databases import Sqlite
from bot.storage.engines import READERS


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Sqlite]:
    opened = Sqlite(URL.create("sqlite+aiosqlite", database=str(tmp_path / "some.db")))
    await opened.write(lambda at: at.execute(text("CREATE TABLE said (word TEXT)")))
    yield opened
    await opened.close()


def say(connection: Connection, word: str) -> str:
    connection.execute(text("INSERT INTO said VALUES (:word)"), {"word": word})
    return threading.current_thread().name


def said(connection: Connection) -> list[str]:
    return list(connection.scalars(text("SELECT word FROM said")))


async def test_one_thread_writes_and_it_is_not_the_event_loops(database: Sqlite) -> None:
    writers = {await database.write(lambda at: say(at, "a")) for _ in range(5)}
    assert len(writers) == 1
    assert writers != {threading.current_thread().name}
    assert len(database._writing._free) == 1


async def test_what_fails_is_taken_back_and_the_connection_goes_on(database: Sqlite) -> None:
    def fails(connection: Connection) -> None:
        say(connection, "lost")
        raise LookupError

    with pytest.raises(LookupError):
        await database.write(fails)
    await database.write(lambda at: say(at, "kept"))
    assert await database.read(said) == ["kept"]


async def test_who_goes_leaves_what_is_under_way_to_finish_before_the_next(database: Sqlite) -> None:
    loop, begun, go_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        loop.call_soon_threadsafe(begun.set)
        go_on.wait()
        say(connection, "first")

    task = asyncio.create_task(database.write(slow))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    later = asyncio.create_task(database.write(lambda at: say(at, "second")))
    go_on.set()
    await later
    assert await database.read(said) == ["first", "second"]


async def test_who_goes_while_a_connection_is_opened_leaves_it_to_others(database: Sqlite) -> None:
    """However often it is told to go. The engine counts it, and would close another one that is in use."""
    loop, begun, go_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    opened: list[object] = []

    @event.listens_for(database.engines[1], "connect")
    def slow(connection: object, _record: object) -> None:
        opened.append(connection)
        loop.call_soon_threadsafe(begun.set)
        go_on.wait()

    gone = asyncio.create_task(database.read(said))
    await begun.wait()
    for _ in range(2):
        gone.cancel()
        await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await gone
    for _ in range(2):
        assert await asyncio.gather(*(database.read(said) for _ in range(READERS))) == [[]] * READERS
    assert len(opened) == len(database._reading._free) == READERS


async def test_who_goes_while_a_connection_cannot_be_opened_leaves_none(database: Sqlite) -> None:
    loop, begun, go_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    @event.listens_for(database.engines[1], "connect", insert=True)
    def fails(_connection: object, _record: object) -> None:
        loop.call_soon_threadsafe(begun.set)
        go_on.wait()
        raise LookupError

    gone = asyncio.create_task(database.read(said))
    await begun.wait()
    gone.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await gone
    assert database._reading._free == []


async def test_as_many_read_at_a_time_as_there_are_connections(database: Sqlite) -> None:
    """More wait until one is free; who comes after the end is refused."""
    together = threading.Barrier(READERS)

    def meet(connection: Connection) -> str:
        together.wait()  # so many must be there at a time
        said(connection)
        return threading.current_thread().name

    found = await asyncio.gather(*(database.read(meet) for _ in range(2 * READERS)))
    assert len(set(found)) == READERS
    await database.close()
    with pytest.raises(ValueError, match="closed"):
        await database.read(said)
