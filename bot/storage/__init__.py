"""The store: SQLAlchemy Core, one repository, Alembic migrations."""

from __future__ import annotations

import asyncio
from typing import Protocol

from .migrating import StoreTooNew, upgrade
from .store import SqlStore

__all__ = ["SqlStore", "StoreTooNew", "migrate", "open_store", "upgrade"]


class Settings(Protocol):
    """What of `bot.settings.Settings` is asked here."""

    @property
    def database(self) -> str: ...


async def open_store(settings: Settings) -> SqlStore:
    """The store that the settings name, locked and up to date. Raises StoreBusy, StoreTooNew."""
    return await SqlStore.open(settings.database)


def migrate(settings: Settings) -> int:
    """Bring the database up to date and close it again; how many migrations were applied. Runs an event loop
    of its
    own: not to be called from within one. Raises StoreBusy, StoreTooNew."""

    async def run() -> int:
        store = await SqlStore.open(settings.database)
        try:
            return store.migrated
        finally:
            await store.close()

    return asyncio.run(run())
