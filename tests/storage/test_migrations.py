"""The schema, from empty and from every version before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, text

from bot.locale import text as words
from bot.storage import SqlStore, StoreTooNew, migrate
from bot.storage.schema import metadata

Opener = Callable[..., Awaitable[SqlStore]]


class Settings:
    shards = (0,)
    shard_count = None
    parlour_take_over = False

    def __init__(self, path: Path) -> None:
        self.data_dir = path.parent
        self.database = f"sqlite+aiosqlite:///{path}"


@pytest.fixture
def migrated() -> bool:
    return False


async def test_migrations_make_exactly_the_schema_the_code_knows(open_store: Opener) -> None:
    store = await open_store()

    def differences(connection: Connection) -> list[object]:
        found: list[object] = compare_metadata(MigrationContext.configure(connection), metadata)
        return found

    assert await store._database.read(differences) == []
    assert store.migrated == 7


def test_migrate_says_how_many_it_applied(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "new" / "parlour.db")
    assert migrate(settings) == 7
    assert migrate(settings) == 0


async def test_a_database_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    url = Settings(tmp_path / "parlour.db").database
    store = await SqlStore.open(url)
    later = text("UPDATE alembic_version SET version_num = '9999'")
    await store._database.write(lambda connection: connection.execute(later))
    await store.close()
    with pytest.raises(StoreTooNew) as refused:
        await SqlStore.open(url)
    assert "9999" in words("en", refused.value.key, **refused.value.data)


async def test_sqlite_is_set_up_for_safety(tmp_path: Path) -> None:
    store = await SqlStore.open(Settings(tmp_path / "parlour.db").database)
    for engine in store._database.engines:
        with engine.connect() as connection:
            for pragma, value in (
                ("journal_mode", "wal"),
                ("synchronous", 2),
                ("foreign_keys", 1),
                ("busy_timeout", 5000),
            ):
                assert connection.scalar(text(f"PRAGMA {pragma}")) == value
    await store.close()
