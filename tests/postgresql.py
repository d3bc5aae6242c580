"""A real PostgreSQL for tests, and databases of their own on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
from sqlalchemy import NullPool, func, select
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from bot.bench import databases
from bot.storage import SqlStore
from bot.storage.migrating import MIGRATION_LOCK
from bot.storage.neighbours import SHARD_LOCK


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A server in this folder; its address."""
    with databases.postgresql(folder) as server:
        # What is killed here is a process of ours, never the server: nothing has to last on the disk.
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            server.psql(f"ALTER SYSTEM SET {setting} = off")
        server.psql("SELECT pg_reload_conf()")
        yield server.get_uri()


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


async def _migrated(server: str, connection: asyncpg.Connection) -> str:
    name = "migrated"
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
