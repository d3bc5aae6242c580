from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from bot.storage import SqlStore
from tests.postgresql import fresh_database
from tests.tables.support import FakeClock, Rig

Opener = Callable[..., Awaitable[SqlStore]]
Process = Callable[..., Awaitable[Rig]]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
async def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opener]:
    """Opens stores on one fresh database; `shards` keeps several processes apart on PostgreSQL."""
    stores: list[SqlStore] = []
    if request.param == "sqlite":
        url = f"sqlite+aiosqlite:///{tmp_path / 'parlour.db'}"
    else:
        url = await fresh_database(request.getfixturevalue("postgresql"), f"t{abs(hash(str(tmp_path)))}")

    async def opened(**options: object) -> SqlStore:
        store = await SqlStore.open(url, **options)  # type: ignore[arg-type]
        stores.append(store)
        return store

    opened.url = url  # type: ignore[attr-defined]
    yield opened
    for store in stores:
        await store.close()


@pytest.fixture
async def process(postgresql: str, tmp_path: Path) -> AsyncIterator[Process]:
    """Begins processes that serve some of two shards, all with the same clock."""
    url = await fresh_database(postgresql, f"k{abs(hash(str(tmp_path)))}")
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
