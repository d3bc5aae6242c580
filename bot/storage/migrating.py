"""Alembic on an open connection: the schema is brought up to date at every start, in one transaction."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.tables.ports import StoreUnusable

MIGRATION_LOCK = 0x50414C4D  # PostgreSQL advisory lock: one process migrates at a time


class StoreTooNew(StoreUnusable):
    """The database was made by a later version of Parlour. data: found."""

    key = "tables.store_too_new"

    def __init__(self, found: str) -> None:
        super().__init__(f"database revision {found} is not known here", found=found)


async def upgrade(engine: AsyncEngine) -> int:
    """How many migrations were applied. Raises StoreTooNew."""
    async with engine.begin() as connection:
        return await connection.run_sync(upgrade_connection)


def upgrade_connection(connection: Connection) -> int:
    """The same on a plain connection within the caller's transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    script = ScriptDirectory.from_config(config)
    order = [one.revision for one in script.walk_revisions()][::-1]
    current = MigrationContext.configure(connection).get_current_revision()
    if current is not None and current not in order:
        raise StoreTooNew(current)
    done = 0 if current is None else order.index(current) + 1
    if done < len(order):
        command.upgrade(config, "head")
    return len(order) - done
