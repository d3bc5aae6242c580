"""A connection to PostgreSQL that is lost while nobody uses it is nobody's trouble; nor is a transaction that
was taken back for another's sake."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import pytest
from sqlalchemy import Connection, text, update
from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_connection as Adapted

from bot.storage import SqlStore, engines, schema
from bot.storage.databases import Postgresql
from tests.postgresql import fresh_database
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


@pytest.mark.parametrize("unused", [True, False])
async def test_one_that_may_be_dead_without_a_word_is_asked_after_a_while(
    postgresql: str, monkeypatch: pytest.MonkeyPatch, unused: bool
) -> None:
    store = await SqlStore.open(await fresh_database(postgresql, f"silent{unused}"))
    await store.write(written(FULL))
    before = await drivers(store)
    asked: list[Adapted] = []

    def dead(connection: Adapted) -> None:
        asked.append(connection)
        raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr(Adapted, "ping", dead)
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


WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"
