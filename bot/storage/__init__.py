"""The store: SQLAlchemy Core, one repository, Alembic migrations."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Protocol

from bot import private_files

from . import probe
from .engines import address_of, path_of
from .files import MARKS
from .looking import Look, look
from .migrating import StoreTooNew
from .store import SqlStore

log = logging.getLogger(__name__)

__all__ = ["Look", "SqlStore", "StoreTooNew", "look", "migrate", "open_store"]


class Settings(Protocol):
    """What of `bot.settings.Settings` is asked here."""

    @property
    def data_dir(self) -> Path: ...

    @property
    def database(self) -> str: ...

    @property
    def shards(self) -> tuple[int, ...]: ...

    @property
    def shard_count(self) -> int | None: ...

    @property
    def parlour_take_over(self) -> bool: ...


async def open_store(settings: Settings) -> SqlStore:
    """The store that the settings name, locked and up to date; the data folder is there and private. One in
    memory, which would not last, is refused. Raises StoreUnusable."""
    address = address_of(settings.database)
    if address.get_backend_name() == "sqlite":
        path_of(address)
        if settings.parlour_take_over:
            log.warning(
                "PARLOUR_TAKE_OVER does nothing with SQLite: who uses the database has to be stopped first"
            )
    folder = settings.data_dir
    await asyncio.to_thread(probe.folder, folder)
    private_files.tighten([folder, *(folder / name for name in MARKS)])
    return await SqlStore.open(
        settings.database,
        shards=settings.shards,
        count=settings.shard_count or 1,
        take_over=settings.parlour_take_over,
    )


def migrate(settings: Settings) -> int:
    """Bring the database up to date and close it again; how many migrations were applied. Runs an event loop
    of its own: not to be called from within one. Raises StoreUnusable."""

    async def run() -> int:
        store = await open_store(settings)
        try:
            return store.migrated
        finally:
            await store.close()

    return asyncio.run(run())
