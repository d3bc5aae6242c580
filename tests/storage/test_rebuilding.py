"""Migrations that make a table anew: nothing is lost by them, or nothing is changed."""

from __future__ import annotations

import shutil
import sqlite3
import textwrap
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.locale import text
from bot.rules.game import AnyState
from bot.storage import SqlStore, migrating
from bot.tables.model import Table
from bot.tables.ports import StoreUnusable
from bot.tables.positions import restore
from tests.sweeps import swept
from tests.tables.support import ADA, BEN, FakeClock, Rig, open_rig

from .make_fixture import FOLDER

VERSIONS = sorted(path.stem for path in FOLDER.glob("*.sql"))
SCRIPTS = migrating.SCRIPTS
Inject = Callable[..., None]


@pytest.fixture
def inject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Inject]:
    """Adds a last revision, made of these lines."""

    def injected(body: str, changes: str = "set()") -> None:
        scripts = tmp_path / "migrations"
        shutil.copytree(migrating.SCRIPTS, scripts)
        newest = max(path.name[:4] for path in (scripts / "versions").glob("[0-9]*.py"))
        (scripts / "versions" / "9000_injected.py").write_text(
            "import sqlalchemy as sa\nfrom alembic import op\n"
            f"revision, down_revision, CHANGES = '9000', '{newest}', {changes}\n\n\n"
            f"def upgrade():\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
        )
        monkeypatch.setattr(migrating, "SCRIPTS", scripts)
        migrating.tables_at.cache_clear()

    yield injected
    migrating.tables_at.cache_clear()


@pytest.fixture(params=swept(VERSIONS, daily=VERSIONS[-1:]))
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A filled database of each schema, every day of the newest."""
    path = tmp_path / "data" / "parlour.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FOLDER / f"{request.param}.sql").read_text(encoding="utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    return path


def counts(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def whole(path: Path) -> bytes:
    return path.read_bytes()


def address(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path}"


def revision(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


REBUILD = """
with op.batch_alter_table("{0}", recreate="always") as batch:
    batch.add_column(sa.Column("colour", sa.Text(), nullable=True))
"""


@pytest.mark.parametrize("rebuilt", swept(["tables", "seats"]))
async def test_a_table_made_anew_keeps_every_row(
    stored: Path, inject: Inject, rebuilt: str, caplog: pytest.LogCaptureFixture
) -> None:
    before, old = counts(stored), revision(stored)
    inject(REBUILD.format(rebuilt))
    caplog.set_level("INFO", "bot.storage")
    async with open_rig(stored) as rig:
        with rig.store._database.engines[0].connect() as connection:  # type: ignore[attr-defined]
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        for table in await rig.tables.tables_at(900_000_000_000_000_001):
            loaded = await rig.tables.load(table.id)
            assert not loaded.table.damaged
    assert revision(stored) == "9000"
    after = counts(stored)
    assert {name: after[name] for name in before} == before
    copy = stored.with_name(f"parlour.db.revision-{old}")
    assert counts(copy) == before
    assert revision(copy) == old
    assert copy.stat().st_mode & 0o777 == 0o600
    assert str(copy) in caplog.text


async def test_a_copy_opens_in_place_of_the_database(stored: Path, inject: Inject) -> None:
    before, old = counts(stored), revision(stored)
    inject(REBUILD.format("tables"))
    await (await SqlStore.open(address(stored))).close()
    stored.with_name(f"parlour.db.revision-{old}").replace(stored)
    store = await SqlStore.open(address(stored))
    await store.close()
    assert store.migrated >= 1
    assert counts(stored)["events"] == before["events"]


HARM = {
    "rows are lost": ("op.execute('DELETE FROM events WHERE revision = 5')", "events"),
    "a child's rows are lost by a trigger of the parent": (
        "op.execute('DELETE FROM seats WHERE table_id = (SELECT min(id) FROM tables)')", "seats"),
    "a reference is broken": (
        "op.execute(\"UPDATE drafts SET table_id = 'NOBODY'\")", "lead nowhere"),
    "a table's row is damaged": (
        "op.execute(\"UPDATE tables SET options = '[' WHERE status = 'playing'\")", "cannot be loaded"),
    "a state is damaged past its events": (
        "op.execute(\"UPDATE tables SET state = NULL\")\n"
        "op.execute(\"UPDATE events SET payload = '{' WHERE revision = 5\")",
        "cannot be loaded"),
    "a state is another": (
        "op.execute(\"UPDATE tables SET state = replace(state, '\\\"totals\\\":[0,0,0]', "
        "'\\\"totals\\\":[1,0,0]') WHERE revision = 9\")",
        "another position"),
    "a state is another's": (
        "op.execute(\"UPDATE events SET void = 1 WHERE revision = (SELECT max(revision) FROM events AS e "
        "WHERE e.table_id = events.table_id) AND kind = 'move'\")\n"
        "op.execute(\"UPDATE tables SET state = NULL WHERE status = 'playing'\")",
        "cannot be loaded"),
    "it fails half-way": ("op.execute('DELETE FROM votes')\nraise RuntimeError('oh')", "RuntimeError"),
    "it does not run": ("op.execute('SELECT nothing FROM nowhere')", "OperationalError"),
}  # fmt: skip


@pytest.mark.parametrize("harm", HARM)
async def test_a_migration_that_does_harm_is_refused_and_the_file_is_as_it_was(
    stored: Path, inject: Inject, harm: str
) -> None:
    body, said = HARM[harm]
    inject(body)
    before = whole(stored)
    for _ in range(2):
        with pytest.raises(StoreUnusable) as refused:
            await SqlStore.open(address(stored))
        sentence = text("en", refused.value.key, **refused.value.data)
        assert "left as it is" in sentence
        assert said in sentence
        assert "\n" not in sentence
        text("de", refused.value.key, **refused.value.data)
        assert whole(stored) == before
        assert not stored.with_name("parlour.db-wal").exists()


async def test_what_a_migration_declares_it_may_do(stored: Path, inject: Inject) -> None:
    inject("op.execute('DELETE FROM drafts')", changes="{'drafts'}")
    await (await SqlStore.open(address(stored))).close()
    assert counts(stored)["drafts"] == 0


async def test_what_was_damaged_before_is_no_reason_to_refuse(stored: Path, inject: Inject) -> None:
    with closing(sqlite3.connect(stored)) as connection:
        playing = [row[0] for row in connection.execute("SELECT id FROM tables WHERE status = 'playing'")]
        connection.execute("UPDATE tables SET options = '[' WHERE id = ?", [playing[0]])
        connection.execute("UPDATE tables SET changed = 'soon' WHERE id = ?", [playing[1]])
        connection.execute("UPDATE tables SET state = NULL WHERE id = ?", [playing[2]])
        connection.execute("UPDATE events SET payload = '{' WHERE table_id = ?", [playing[2]])
        connection.execute("INSERT INTO votes SELECT 'NOBODY', 'end', -1, 1, 1, 1, 1, '[]', '[]', '[]'")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    inject(REBUILD.format("tables"))
    async with open_rig(stored) as rig:
        assert (await rig.tables.table(playing[0])).damaged
        assert (await rig.tables.load(playing[3])).state is not None
    assert revision(stored) == "9000"


async def test_a_position_that_was_made_from_events_is_made_from_them_again(
    stored: Path, inject: Inject
) -> None:
    with closing(sqlite3.connect(stored)) as connection:
        connection.execute("UPDATE tables SET state = NULL WHERE status = 'playing'")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    inject("op.execute(\"UPDATE events SET payload = '{' WHERE revision = 5\")")
    with pytest.raises(StoreUnusable) as refused:
        await SqlStore.open(address(stored))
    assert "cannot be loaded" in text("en", refused.value.key, **refused.value.data)


@pytest.mark.parametrize(
    ("body", "times"),
    [
        (REBUILD.format("tables"), 1),
        (REBUILD.format("seats"), 1),
        ("op.execute(\"UPDATE tables SET changed = changed + 1 WHERE status = 'playing'\")", 2),
    ],
)
async def test_an_open_table_is_loaded_again_only_where_a_migration_has_touched_it(
    tmp_path: Path, inject: Inject, monkeypatch: pytest.MonkeyPatch, body: str, times: int
) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        table = await rig.started(ADA, BEN)
    loaded: list[str] = []

    def counted(found: Table, cache: str | None) -> AnyState | None:
        loaded.append(found.id)
        return restore(found, cache)

    inject(body)
    monkeypatch.setattr(migrating, "restore", counted)
    await (await SqlStore.open(address(path))).close()
    assert loaded == [table.id] * times


@pytest.mark.parametrize("harm", ["rows are lost", "a table's row is damaged"])
async def test_harm_is_refused_on_every_database(
    open_store: Callable[..., Awaitable[SqlStore]], inject: Inject, harm: str
) -> None:
    store = await open_store()
    rig = Rig(store, FakeClock())
    table = await rig.started(ADA, BEN)
    for person in (ADA, BEN):
        await rig.play(table.id, person)
    await store.close()
    body, said = HARM[harm]
    inject(body)
    with pytest.raises(StoreUnusable) as refused:
        await open_store()
    assert said in text("en", refused.value.key, **refused.value.data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrating, "SCRIPTS", SCRIPTS)
        store = await open_store()
        rig = Rig(store, FakeClock())
        assert (await rig.tables.load(table.id)).state is not None
        assert len(await store.entries(table.id)) == table.revision + 2


async def test_a_migration_is_carried_out_on_every_database(
    open_store: Callable[..., Awaitable[SqlStore]], inject: Inject
) -> None:
    store = await open_store()
    table = await Rig(store, FakeClock()).started(ADA, BEN)
    await store.close()
    inject(
        REBUILD.format("tables")
        if store.file_based
        else "op.add_column('tables', sa.Column('colour', sa.Text()))"
    )
    store = await open_store()
    assert store.migrated == 1
    assert (await Rig(store, FakeClock()).tables.load(table.id)).state is not None
