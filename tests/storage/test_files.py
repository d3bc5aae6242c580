"""The database's file: private, whole or refused, and begun anew only where nothing is there."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text as text_of

from bot import private_files
from bot.health import BEAT, leave_beat
from bot.locale import text
from bot.settings import Settings
from bot.storage import SqlStore, migrate, open_store
from bot.storage.migrating import tables_at
from bot.tables.ports import StoreTrouble, StoreUnusable
from tests.sweeps import swept
from tests.tables.support import ADA, BEN, open_rig

from .make_fixture import FOLDER

posix = pytest.mark.skipif(os.name != "posix", reason="this system has no such rights")


def settings(folder: Path, **more: object) -> Settings:
    return Settings(_env_file=None, data_dir=folder, **more)  # type: ignore[arg-type, call-arg]


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def everything(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.fixture(autouse=True)
def usual_mask() -> Iterator[None]:
    """What most systems give: everybody may read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


async def test_what_is_only_looked_at_is_not_told_as_a_migration(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A database without the note is looked through, and held against tables made in memory."""
    caplog.set_level(logging.INFO)
    url = f"sqlite+aiosqlite:///{tmp_path / 'parlour.db'}"
    store = await SqlStore.open(url)
    await store.close()
    assert "Running upgrade" in caplog.text
    caplog.clear()
    (tmp_path / "parlour.db.whole").unlink()
    tables_at.cache_clear()
    store = await SqlStore.open(url)
    await store.close()
    assert "Running upgrade" not in caplog.text


async def test_a_setting_that_needs_postgresql_is_told_where_there_is_none(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody is asked to stop there: the next is refused."""
    for wanted in (False, True):
        store = await open_store(settings(tmp_path, parlour_take_over=wanted))
        await store.close()
        warned = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
        assert [line.split()[0] for line in warned] == ["PARLOUR_TAKE_OVER"] * wanted


async def filled(path: Path) -> None:
    async with open_rig(path) as rig:
        await rig.started(ADA, BEN)


# private


@posix
async def test_the_data_folder_and_all_in_it_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "data"
    store = await open_store(settings(folder))
    await store.set_user(1, {"locale": "de"})
    leave_beat(folder, 1.0)
    private_files.write(folder / "commands.sha256", "0\n")
    try:
        assert rights(folder) == rights(folder.parent) == 0o700
        found = {path.name: rights(path) for path in folder.iterdir()}
        assert {"parlour.db", "parlour.db-wal", "parlour.db-shm", "parlour.db.lock"} <= found.keys()
        assert {BEAT, "commands.sha256"} <= found.keys()
        assert set(found.values()) == {0o600}
    finally:
        await store.close()


@posix
@pytest.mark.parametrize("through", ["start", "migrate"])
async def test_what_is_there_already_is_made_private(tmp_path: Path, through: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    await filled(folder / "parlour.db")
    with closing(sqlite3.connect(folder / "parlour.db")) as busy:
        busy.execute("UPDATE users SET dm_closed = 0")
        busy.commit()
        names = ("commands.sha256", BEAT, "parlour.db.revision-0000", "parlour.db.lock")
        for name in names:
            (folder / name).touch()
        for path in folder.iterdir():
            path.chmod(0o644)
        folder.chmod(0o755)
        if through == "start":
            await (await open_store(settings(folder))).close()
        else:
            await asyncio.to_thread(migrate, settings(folder))
        assert rights(folder) == 0o700
        assert {rights(path) for path in folder.iterdir()} == {0o600}


@posix
async def test_narrower_rights_are_never_widened(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    await (await open_store(settings(folder))).close()
    (folder / BEAT).touch()
    (folder / BEAT).chmod(0o400)
    folder.chmod(0o500 if os.geteuid() == 0 else 0o700)
    before = rights(folder)
    await (await open_store(settings(folder))).close()
    assert rights(folder) == before
    assert rights(folder / BEAT) == 0o400
    folder.chmod(0o700)


@posix
async def test_a_database_elsewhere_is_private_and_its_folder_is_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    (elsewhere / "letter").touch()
    address = f"sqlite:///{elsewhere / 'games.db'}"
    store = await open_store(settings(tmp_path / "data", database_url=address))
    assert rights(elsewhere) == 0o755
    assert rights(elsewhere / "letter") == 0o644
    assert {rights(path) for path in elsewhere.glob("games.db*")} == {0o600}
    await store.close()


@posix
async def test_a_file_of_ours_is_never_open_to_others_not_even_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing needs to be tightened in a folder that is new."""
    tightened: list[Path] = []
    monkeypatch.setattr(Path, "chmod", lambda path, mode: tightened.append(path))
    store = await open_store(settings(tmp_path / "data"))
    await store.set_user(1, {"locale": "de"})
    leave_beat(tmp_path / "data", 1.0)
    assert {rights(path) for path in (tmp_path / "data").iterdir()} == {0o600}
    await store.close()
    assert tightened == []


@posix
async def test_rights_that_cannot_be_changed_are_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "data"
    await filled(folder / "parlour.db")
    for path in folder.iterdir():
        path.chmod(0o644)

    def refused(path: Path, mode: int) -> None:
        raise PermissionError(1, "not permitted")

    monkeypatch.setattr(Path, "chmod", refused)
    await (await open_store(settings(folder))).close()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "parlour.db" in caplog.text


# refused


def overwritten(path: Path) -> None:
    """A third of it, past the first page."""
    data = bytearray(path.read_bytes())
    start = len(data) // 3 // 4096 * 4096
    data[start : start + len(data) // 3] = b"\xa5" * (len(data) // 3)
    path.write_bytes(bytes(data))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (id INTEGER)")
        connection.commit()


def without_tables(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")
        connection.commit()


def no_database(path: Path) -> None:
    path.write_bytes(b"a letter to nobody " * 500)


def statement(*statements: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            for one in statements:
                connection.execute(one)
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return damage


def one_page(table: str) -> Callable[[Path], None]:
    """The first page of a table, and nothing else of the file."""

    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            [(page,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
            [(size,)] = connection.execute("PRAGMA page_size")
        with path.open("r+b") as file:
            file.seek((page - 1) * size)
            file.write(b"\xa5" * size)

    return damage


DAMAGES = {
    "overwritten": (overwritten, "is damaged"),
    **{f"a page of {name}": (one_page(name), "is damaged") for name in ("seats", "drafts", "posts", "users")},
    "cut": (cut, "is damaged"),
    "emptied": (emptied, "is empty"),
    "foreign": (foreign, "is not a database of Parlour"),
    "without tables": (without_tables, "is not a database of Parlour"),
    "no database": (no_database, "is not a database of Parlour"),
    "another's revision": (
        statement("DROP TABLE seats", "DROP TABLE events", "DROP TABLE votes", "DROP TABLE drafts",
                  "DROP TABLE tables", "UPDATE alembic_version SET version_num = 'abc'"),
        "is not a database of Parlour",
    ),
    "no revision": (statement("DELETE FROM alembic_version"), "is damaged"),
    "a table is missing": (statement("DROP TABLE votes"), "is damaged (votes)"),
    "a column is missing": (
        statement("ALTER TABLE users DROP COLUMN notices"), "is damaged (users.notices)"
    ),
    "no events": (statement("DELETE FROM events"), "is damaged (events)"),
}  # fmt: skip


@pytest.mark.parametrize("damage", swept(DAMAGES, daily=list(DAMAGES)[::2]))
async def test_what_cannot_be_used_is_refused_in_a_sentence_and_left_as_it_is(
    tmp_path: Path, damage: str
) -> None:
    path = tmp_path / "parlour.db"
    await filled(path)
    act, said = DAMAGES[damage]
    act(path)
    before = everything(tmp_path)
    for _ in range(2):
        with pytest.raises(StoreUnusable) as refused:
            await SqlStore.open(f"sqlite+aiosqlite:///{path}")
        for language in ("en", "de"):
            sentence = text(language, refused.value.key, **refused.value.data)
            assert str(path) in sentence
            assert "\n" not in sentence
        assert said in text("en", refused.value.key, **refused.value.data)
        assert everything(tmp_path) == before


async def test_a_whole_database_is_not_changed_by_being_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    await filled(path)
    before = everything(tmp_path)
    await (await SqlStore.open(f"sqlite+aiosqlite:///{path}")).close()
    assert everything(tmp_path) == before


async def test_what_a_crash_left_unfinished_is_taken_up(tmp_path: Path) -> None:
    """What lies in the log beside the database is part of it, for the check too."""
    path, copy = tmp_path / "parlour.db", tmp_path / "copy" / "parlour.db"
    copy.parent.mkdir()
    async with open_rig(path) as rig:
        table = await rig.started(ADA, BEN)
        for name in ("parlour.db", "parlour.db-wal"):
            (copy.parent / name).write_bytes((tmp_path / name).read_bytes())
    async with open_rig(copy) as rig:
        assert (await rig.tables.table(table.id)).revision == table.revision


# begun anew


async def test_a_new_database_has_its_name_only_when_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "parlour.db"
    seen: list[bool] = []

    def stop(self: Path, target: Path) -> None:
        seen.append(path.exists())
        raise OSError(28, "killed here")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", stop)
        with pytest.raises(StoreUnusable):
            await SqlStore.open(f"sqlite+aiosqlite:///{path}")
    assert seen == [False]
    assert not path.exists()
    await filled(path)


@pytest.mark.parametrize("mark", swept(["parlour.db.lock", "commands.sha256", BEAT, "parlour.db-wal"]))
async def test_a_missing_database_is_told_where_it_was_there_before(
    tmp_path: Path, mark: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / mark).write_bytes(b"1" * 5000)
    await filled(tmp_path / "parlour.db")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert mark in caplog.text
    caplog.clear()
    await filled(tmp_path / "parlour.db")
    assert caplog.records == []


async def test_a_new_database_beside_nothing_is_no_news(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await filled(tmp_path / "parlour.db")
    assert caplog.records == []


async def test_a_log_without_its_database_is_not_taken_up_by_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        await rig.started(ADA, BEN)
        log = path.with_name("parlour.db-wal").read_bytes()
    path.unlink()
    path.with_name("parlour.db-wal").write_bytes(log)
    async with open_rig(path) as rig:
        assert await rig.tables.tables_of(ADA.id) == []
    assert path.with_name("parlour.db-wal.left").read_bytes() == log


async def test_every_stored_database_passes_the_check(tmp_path: Path) -> None:
    for number, dump in enumerate(sorted(FOLDER.glob("*.sql"))):
        path = tmp_path / str(number) / "parlour.db"
        path.parent.mkdir()
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(dump.read_text(encoding="utf-8"))
        await (await SqlStore.open(f"sqlite+aiosqlite:///{path}")).close()


# what was left whole is not read again


def ruined(path: Path) -> None:
    """A page of its middle is overwritten; size and time are as before."""
    about = path.stat()
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))


async def test_a_database_left_closed_is_not_read_whole_again(tmp_path: Path) -> None:
    """Its pages would be looked at one by one, which takes long for a large one."""
    path = tmp_path / "parlour.db"
    await filled(path)
    assert path.with_name("parlour.db.whole").exists()
    ruined(path)
    async with open_rig(path):  # not looked at: that it is ruined would have been found
        assert not path.with_name("parlour.db.whole").exists()


@pytest.mark.parametrize("how", ["killed", "touched", "another", "unreadable"])
async def test_a_database_that_may_have_changed_is_read_whole(tmp_path: Path, how: str) -> None:
    path = tmp_path / "parlour.db"
    await filled(path)
    note = path.with_name("parlour.db.whole")
    if how == "killed":
        note.unlink()
    if how == "another":
        note.write_text("1 2 00000000\n")
    if how == "unreadable":
        note.write_bytes(b"\xff")
    ruined(path)
    if how == "touched":
        os.utime(path, ns=(1, 1))
    with pytest.raises(StoreUnusable) as refused:
        await SqlStore.open(f"sqlite+aiosqlite:///{path}")
    assert refused.value.key == "tables.store_damaged"


async def test_what_was_found_damaged_is_not_said_to_be_whole(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    await filled(path)
    ruined(path)
    store = await SqlStore.open(f"sqlite+aiosqlite:///{path}")
    with pytest.raises(StoreTrouble):
        for table in ("tables", "seats", "events", "users", "posts"):
            await store._rows(text_of(f"SELECT * FROM {table} ORDER BY 1, 2"))
        await store._rows(text_of("PRAGMA integrity_check"))
    await store.close()
    assert not path.with_name("parlour.db.whole").exists()
