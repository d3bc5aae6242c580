"""A connection to PostgreSQL that is lost while nobody uses it is nobody's trouble; nor is a transaction that
was taken back for another's sake."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from sqlalchemy import Connection, text, update
from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_connection as Adapted
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from bot.storage import SqlStore, engines, schema
from bot.storage.databases import Postgresql, _reached
from bot.storage.trouble import Troubles, Unreached, kind_of
from bot.tables.ports import StoreAway, StoreBroken, StoreFull
from tests.postgresql import fresh_database
from tests.storage.known import differences
from tests.storage.test_store import FULL, written

pytestmark = pytest.mark.long


async def drivers(store: SqlStore) -> Any:
    """The driver's connection that is used next."""
    assert isinstance(store._database, Postgresql)
    async with store._database._writer.connect() as connection:
        return (await connection.get_raw_connection()).driver_connection


async def test_one_that_the_server_has_ended_is_not_given_out(postgresql: str) -> None:
    url = await fresh_database(postgresql, "ended")
    store = await SqlStore.open(url)
    await store.write(written(FULL))
    driver, gone = await drivers(store), asyncio.Event()
    driver.add_termination_listener(lambda _: gone.set())
    host = await asyncpg.connect(url.replace("+asyncpg", ""))
    await host.execute("SELECT pg_terminate_backend($1)", driver.get_server_pid())
    await host.close()
    await gone.wait()
    await store.mark_painted(FULL.id, 1)
    found = await store.load(FULL.id)
    assert found is not None
    assert found.table.painted == 1
    await store.close()


async def test_a_server_that_ends_a_connection_in_use_is_away_until_it_answers(
    postgresql: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = await SqlStore.open(await fresh_database(postgresql, "away"))
    await store.write(written(FULL))
    caplog.clear()
    for _ in range(2):
        with pytest.raises(StoreAway):
            await store._read(lambda it: it.execute(text("SELECT pg_terminate_backend(pg_backend_pid())")))
        with pytest.raises(StoreAway):
            await store._write(lambda it: it.execute(text("SELECT pg_terminate_backend(pg_backend_pid())")))
    [record] = caplog.records  # once
    assert "trouble" in record.getMessage()
    caplog.clear()
    assert await store.load(FULL.id) is not None
    assert [record.getMessage() for record in caplog.records] == [
        "the database can be read again: no more a server that does not answer"
    ]
    await store.close()


async def test_a_server_that_is_not_there_is_away() -> None:
    nowhere = Postgresql(make_url("postgresql+asyncpg://nobody@127.0.0.1:1/nothing"))
    troubles = Troubles()
    for ask in (nowhere.write, nowhere.read):
        with pytest.raises(StoreAway), troubles.watched(writing=False):
            await ask(lambda connection: None)
    await nowhere.close()


def test_whatever_ends_a_connection_is_the_server_away() -> None:
    for state in ("08000", "08003", "08006", "53300", "57P01", "57P02", "57P03"):
        cause = asyncpg.PostgresError("no")
        cause.sqlstate = state
        assert kind_of(cause) is StoreAway, state
    assert kind_of(asyncpg.UniqueViolationError("no")) is None
    assert kind_of(OSError("a file")) is None
    assert kind_of(RuntimeError("of ours")) is None


def test_what_the_server_said_at_the_end_of_a_connection_counts() -> None:
    for state, kind in (("53100", StoreFull), ("XX001", StoreBroken), ("", StoreAway)):
        cause = asyncpg.PostgresError("no")
        cause.sqlstate = state
        assert kind_of(DBAPIError("", {}, cause, connection_invalidated=True)) is kind
    closed = DBAPIError("", {}, sqlite3.ProgrammingError("closed"), connection_invalidated=True)
    assert kind_of(closed) is None


async def test_where_no_connection_comes_free_the_server_is_away() -> None:
    with pytest.raises(Unreached), _reached():
        raise PoolTimeout("QueuePool limit")


async def test_who_waits_behind_one_that_nobody_answers_does_not_find_out_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each for itself would take as long, one after another. Who comes later tries."""
    store = await SqlStore.open(f"sqlite+aiosqlite:///{tmp_path / 'parlour.db'}")
    begun, silent, tries = asyncio.Event(), asyncio.Event(), 0

    async def write(work: object) -> None:
        nonlocal tries
        tries += 1
        begun.set()
        await silent.wait()
        raise Unreached("TimeoutError")

    monkeypatch.setattr("bot.storage.store.SILENT", 0.0)
    monkeypatch.setattr(store._database, "write", write)
    several = [asyncio.create_task(store.mark_painted(FULL.id, 1)) for _ in range(5)]
    await begun.wait()
    silent.set()
    found = await asyncio.gather(*several, return_exceptions=True)
    assert [type(one) for one in found] == [StoreAway] * 5
    assert tries == 1
    with pytest.raises(StoreAway):
        await store.mark_painted(FULL.id, 1)
    assert tries == 2
    await store.close()


@pytest.mark.parametrize("gone", [False, True], ids=["somebody holds the row", "the server is gone"])
async def test_a_transaction_without_an_answer_is_given_up_and_the_next_goes_on(
    postgresql: str, monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    url = await fresh_database(postgresql, f"unanswered{gone}")
    store = await SqlStore.open(url, count=1)
    await store.write(written(FULL))
    host = await asyncpg.connect(url.replace("+asyncpg", ""))
    holding, process = host.transaction(), (await drivers(store)).get_server_pid()
    await holding.start()
    if gone:
        os.kill(process, signal.SIGSTOP)
    else:
        await host.execute("SELECT 1 FROM tables WHERE id = $1 FOR UPDATE", FULL.id)
    try:
        with monkeypatch.context() as patch:
            patch.setattr("bot.storage.store.ANSWER", 0.1)
            with pytest.raises(StoreAway):
                await store.mark_painted(FULL.id, 1)
        await store.set_user(7, {"language": "de"})
        assert (await store.user(7)).language == "de"
    finally:
        if gone:
            os.kill(process, signal.SIGCONT)
        await holding.rollback()
        await host.close()
    await store.mark_painted(FULL.id, 1)
    found = await store.load(FULL.id)
    assert found is not None
    assert found.table.painted == 1
    assert await differences(store) == []
    await store.close()


@pytest.mark.parametrize("next_one", [False, True], ids=["this process", "the next one"])
@pytest.mark.parametrize("settings", [False, True], ids=["a table", "settings"])
async def test_what_was_given_up_and_is_stored_late_is_known_then(
    postgresql: str, monkeypatch: pytest.MonkeyPatch, settings: bool, next_one: bool
) -> None:
    """The server's process has been told to store it, and stands still as on a disk that does."""
    url = await fresh_database(postgresql, f"late{settings}{next_one}")
    store = await SqlStore.open(url, count=1)
    await store.write(written(FULL))
    await store.set_user(7, {"language": "de"})
    stopped: list[int] = []
    limits: list[asyncio.Timeout] = []
    limited = asyncio.timeout

    def limit(delay: float | None) -> asyncio.Timeout:
        limits.append(limited(delay))
        return limits[-1]

    def work(connection: Connection) -> None:
        if settings:
            connection.execute(update(schema.users).values(language="fr"))
        else:
            connection.execute(update(schema.tables).values(painted=1))
        stopped.append(connection.scalar(text("SELECT pg_backend_pid()")) or 0)
        os.kill(stopped[0], signal.SIGSTOP)
        limits[0].reschedule(0.0)  # it runs out now

    async def known() -> tuple[int, str]:
        found = await store.load(FULL.id)
        assert found is not None
        return found.table.painted, (await store.user(7)).language or ""

    before = await known()
    try:
        with monkeypatch.context() as patch:
            patch.setattr("asyncio.timeout", limit)
            with pytest.raises(StoreAway):
                await (store._set(work, None) if settings else store._write(work))
        if next_one:
            await store.close()
            store = await SqlStore.open(url, count=1)
        assert await known() == before
        await store.set_guild(9, {"language": "de"})
        assert await known() == before
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)
    host = await asyncpg.connect(url.replace("+asyncpg", ""))
    while await host.fetchval("SELECT count(*) FROM pg_stat_activity WHERE pid = $1", stopped[0]):
        pass  # it asks until the server's process has ended
    await host.close()
    assert await known() == ((before[0], "fr") if settings else (1, before[1]))
    assert await differences(store) == []
    await known()
    assert store._known.known(FULL.id) is not None
    assert store._users.known(7) is not None
    await store.close()


async def test_one_that_is_dead_without_a_word_holds_nobody_up(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await SqlStore.open(await fresh_database(postgresql, "dumb"))
    await store.write(written(FULL))
    process = (await drivers(store)).get_server_pid()
    os.kill(process, signal.SIGSTOP)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(engines, "UNUSED", -1.0)
            patched.setattr(engines, "ASKED", 0.1)
            await store.mark_painted(FULL.id, 1)
    finally:
        os.kill(process, signal.SIGCONT)
    found = await store.load(FULL.id)
    assert found is not None
    assert found.table.painted == 1
    await store.close()


@pytest.mark.parametrize("unused", [True, False])
async def test_one_that_may_be_dead_without_a_word_is_asked_after_a_while(
    postgresql: str, monkeypatch: pytest.MonkeyPatch, unused: bool
) -> None:
    store = await SqlStore.open(await fresh_database(postgresql, f"silent{unused}"))
    await store.write(written(FULL))
    before = await drivers(store)
    asked: list[Adapted] = []
    run_async = Adapted.run_async

    def dead(connection: Adapted, question: Any) -> Any:
        if connection.driver_connection is not before:
            return run_async(connection, question)
        asked.append(connection)
        raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr(Adapted, "run_async", dead)
        patched.setattr(engines, "UNUSED", -1.0 if unused else 3600.0)
        await store.mark_painted(FULL.id, 1)
    assert [one.driver_connection for one in asked] == ([before] if unused else [])
    assert (await drivers(store) is before) != unused
    await store.close()


async def test_what_was_taken_back_for_anothers_sake_is_done_again(postgresql: str) -> None:
    """Each of two transactions waits for a row that the other has, as a move and a letter of its player
    may."""
    url = await fresh_database(postgresql, "deadlock")
    store = await SqlStore.open(url)
    await store.write(written(FULL))
    other = await asyncpg.connect(url.replace("+asyncpg", ""))
    await other.execute("SET deadlock_timeout = '1h'")  # so it is the store that finds it out
    begun: list[int] = []
    has_one = asyncio.Event()

    def move(connection: Connection) -> None:
        begun.append(len(begun))
        connection.execute(update(schema.tables).values(painted=7))
        has_one.set()
        while len(begun) == 1 and not connection.scalar(text(WAITING)):
            pass  # it asks until the other waits
        connection.execute(update(schema.seats).values(notified=7))

    async with other.transaction():
        await other.execute("UPDATE seats SET notified = 3")
        moving = asyncio.create_task(store._write(move))
        await has_one.wait()
        await other.execute("UPDATE tables SET painted = 3")
    await moving
    assert len(begun) == 2
    assert await other.fetchval("SELECT painted FROM tables") == 7
    assert await other.fetchval("SELECT min(notified) FROM seats") == 7
    await other.close()
    await store.close()


# In this database: other tests use the same server.
WAITING = """SELECT count(*) FROM pg_locks WHERE NOT granted
AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())"""
