"""A real PostgreSQL for tests, and databases of their own on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import asyncpg
from sqlalchemy import NullPool, func, select
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from bot.bench import databases
from bot.storage import SqlStore
from bot.storage.migrating import MIGRATION_LOCK
from bot.storage.neighbours import SHARD_LOCK

TEMPLATE = 0x54504C54  # advisory lock: one worker makes the database that all copy


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The server in this folder, which all processes that want one there at a time share; its address. The
    first starts it, the last ends it."""
    with ExitStack() as stack:
        with _alone(folder):
            server = stack.enter_context(databases.postgresql(folder))
            # What is killed here is a process of ours, never the server: nothing has to last on the disk.
            for setting in ("fsync", "full_page_writes", "synchronous_commit"):
                server.psql(f"ALTER SYSTEM SET {setting} = off")
            server.psql("SELECT pg_reload_conf()")
        yield server.get_uri()
        with _alone(folder):
            stack.close()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """So that nobody comes to a server that is just being ended."""
    import fcntl  # where there is none, no test with a server can be run

    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


async def fresh_database(server: str, name: str, *, migrated: bool = False) -> str:
    """A new database of this name on the server of that address; its address as the store takes it. migrated:
    a copy of one in which the store has made its tables, which is much faster than making them."""
    connection = await asyncpg.connect(server)
    try:
        template = await _migrated(server, connection) if migrated else "template1"
        await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    finally:
        await connection.close()
    return _address(server, name)


async def drop_database(server: str, name: str) -> None:
    """So that what a run needs of the disk, or of the memory, does not grow with its tests."""
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    finally:
        await connection.close()


async def _migrated(server: str, connection: asyncpg.Connection) -> str:
    name = "migrated"
    await connection.execute("SELECT pg_advisory_lock($1)", TEMPLATE)  # until it is closed
    if not await connection.fetchval("SELECT count(*) FROM pg_database WHERE datname = $1", name):
        await connection.execute(f'CREATE DATABASE "{name}"')
        store = await SqlStore.open(_address(server, name))
        await store.close()
    return name


def _address(server: str, name: str) -> str:
    url = make_url(server).set(drivername="postgresql+asyncpg", database=name)
    return url.render_as_string(hide_password=False)


async def locks_freed(url: str) -> None:
    """A server frees the locks of a process that was killed a moment later: when it has noticed."""
    if not url.startswith("postgresql"):
        return
    engine = create_async_engine(url, poolclass=NullPool)
    async with engine.connect() as connection:
        await connection.execute(select(func.pg_advisory_lock(SHARD_LOCK, 0)))
        await connection.execute(select(func.pg_advisory_lock(MIGRATION_LOCK)))
    await engine.dispose()
