from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from bot.storage import SqlStore
from tests.postgresql import drop_database, fresh_database
from tests.tables.support import FakeClock, Rig

Opener = Callable[..., Awaitable[SqlStore]]
Process = Callable[..., Awaitable[Rig]]


@pytest.fixture
def migrated() -> bool:
    """Whether a PostgreSQL database has its tables before it is opened first, which saves their making.
    Where that is the matter, the test's file says otherwise."""
    return True


@pytest.fixture(params=["sqlite", "postgresql"])
async def open_store(request: pytest.FixtureRequest, tmp_path: Path, migrated: bool) -> AsyncIterator[Opener]:
    """Opens stores on one fresh database; `shards` keeps several processes apart on PostgreSQL."""
    stores: list[SqlStore] = []
    server, name = "", _named_by(tmp_path)
    if request.param == "sqlite":
        url = f"sqlite+aiosqlite:///{tmp_path / 'parlour.db'}"
    else:
        server = request.getfixturevalue("postgresql")
        url = await fresh_database(server, name, migrated=migrated)

    async def opened(**options: object) -> SqlStore:
        store = await SqlStore.open(url, **options)  # type: ignore[arg-type]
        stores.append(store)
        return store

    opened.url = url  # type: ignore[attr-defined]
    yield opened
    for store in stores:
        await store.close()
    if server:
        await drop_database(server, name)


def _named_by(folder: Path) -> str:
    """Another one for each test, in whichever worker."""
    return hashlib.sha256(str(folder).encode()).hexdigest()[:16]


@pytest.fixture
async def process(postgresql: str, tmp_path: Path) -> AsyncIterator[Process]:
    """Begins processes that serve some of two shards, all with the same clock."""
    name = _named_by(tmp_path)
    url = await fresh_database(postgresql, name, migrated=True)
    rigs: list[Rig] = []
    clock = FakeClock()

    async def begun(*shards: int, count: int = 2) -> Rig:
        rig = Rig(await SqlStore.open(url, shards=shards, count=count), clock, f"seed {len(rigs)}")
        rigs.append(rig)
        rig.tables.keepers._on = True
        return rig

    yield begun
    for rig in rigs:
        await rig.background.close(0.0)
        await rig.tables.close()
        await rig.store.close()
    await drop_database(postgresql, name)
