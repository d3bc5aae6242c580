"""Backups: whole or refused, of one moment, and put back into either kind of database with nothing lost on
the way there or back."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select
from sqlalchemy.engine.base import RootTransaction
from sqlalchemy.exc import OperationalError

from bot.locale import text
from bot.storage import SqlStore, files, probe, restoring
from bot.storage.backup import (
    BackupDamaged,
    BackupForeign,
    BackupTooLong,
    BackupTooNew,
    BackupUnread,
    BackupUnusable,
    look_through,
)
from bot.storage.files import StoreDamaged, StoreEmpty
from bot.storage.migrating import StoreTooNew
from bot.storage.probe import StoreNoRoom
from bot.storage.restoring import BackupUnfit, BackupUnloadable, How, StoreInUse, StoreNotEmpty, StoreSame
from bot.storage.schema import alive
from bot.storage.snapshot import Figures, Measure, StoreMissing, StoreNew
from bot.tables.model import Status
from bot.tables.ports import StoreBusy, StoreUnopened, StoreUnusable
from tests.postgresql import fresh_database, locks_freed
from tests.sweeps import swept
from tests.tables.support import ADA, BEN, open_rig

from .backups import NOW, address, held, held_in, make, move, restore, rewritten, stored
from .make_fixture import FOLDER, backup_of
from .test_lock import holder
from .test_old_stores import VERSIONS

ROOT = Path(__file__).resolve().parents[2]
BACKUPS = sorted(FOLDER.glob("*.backup-*.zip"))  # none of them is ever written again


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def hidden(folder: Path) -> list[Path]:
    """What is in the making, or was left."""
    return list(folder.rglob(".*"))


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below, but for locks and what SQLite puts beside a file that was only read."""
    passing = (".lock", "-shm", "-wal")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(passing)
    }


async def up_to_date(path: Path) -> Figures:
    """What a stored file holds once the bot has opened it."""
    await (await SqlStore.open(address(path))).close()
    return await held(address(path), path.parent)


@pytest.fixture
async def small(tmp_path: Path) -> Path:
    """A small backup of a table that is going on."""
    source = tmp_path / "source" / "parlour.db"
    async with open_rig(source) as rig:
        table = await rig.started(ADA, BEN)
        await rig.set_up(table.id, ADA, BEN)
        await rig.tables.set_user(ADA.id, locale="de")
    await make(address(source), tmp_path / "small.zip")
    return tmp_path / "small.zip"


# ------------------------------------------------------------------------- there and back


def test_every_schema_has_its_backup() -> None:
    assert sorted({path.name[:4] for path in BACKUPS}) == VERSIONS


@pytest.mark.parametrize("backup", swept(BACKUPS, daily=BACKUPS[-1:]), ids=lambda path: path.stem)
async def test_a_backup_of_every_schema_and_format_comes_back(backup: Path, tmp_path: Path) -> None:
    version = backup.name[:4]
    path = tmp_path / "data" / "parlour.db"
    done = await restore(backup, address(path), tmp_path)
    assert (done.manifest.revision, done.kept, done.damaged) == (version, None, 0)
    expected = await up_to_date(stored(tmp_path / "old" / "parlour.db", version))
    assert await held(address(path), tmp_path) == expected
    assert expected.counts["tables"] == 24
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("version", swept(VERSIONS, daily=VERSIONS[-1:]))
async def test_a_database_of_every_schema_is_backed_up_as_it_is(version: str, tmp_path: Path) -> None:
    path = stored(tmp_path / "parlour.db", version)
    before = everything(tmp_path)
    manifest = await make(address(path), tmp_path / "here" / "new.zip")
    assert {name: held for name, held in everything(tmp_path).items() if "here" not in name} == before
    assert (manifest.revision, manifest.kind) == (version, "sqlite")
    with look_through(backup_of(version)) as once:
        assert once.manifest.figures == manifest.figures


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
async def test_round_trips_through_postgresql(version: str, tmp_path: Path, postgresql: str) -> None:
    """SQLite, backup, PostgreSQL, backup, SQLite; and the same by moving."""
    expected = await up_to_date(stored(tmp_path / "old.db", version))
    there = await fresh_database(postgresql, f"round{version}")
    await restore(backup_of(version), there, tmp_path)
    assert await held(there, tmp_path) == expected
    manifest = await make(there, tmp_path / "there.zip")
    assert manifest.kind == "postgresql"
    assert held_in(tmp_path / "there.zip") == expected
    await restore(tmp_path / "there.zip", address(tmp_path / "back.db"), tmp_path)
    assert await held(address(tmp_path / "back.db"), tmp_path) == expected

    moved = await fresh_database(postgresql, f"moved{version}")
    await move(address(stored(tmp_path / "again.db", version)), moved, tmp_path)
    assert await held(moved, tmp_path) == expected
    further = await fresh_database(postgresql, f"further{version}")
    await move(moved, further, tmp_path)
    await move(further, address(tmp_path / "home.db"), tmp_path)
    assert await held(address(tmp_path / "home.db"), tmp_path) == expected
    assert await held(moved, tmp_path) == expected, "what was moved stays"


async def test_what_was_there_is_kept_and_what_is_there_opens(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "data" / "parlour.db"
    async with open_rig(path) as rig:
        await rig.started(ADA, BEN)
    before = await held(address(path), tmp_path)
    with closing(sqlite3.connect(path)) as late:  # a change that is only in the log yet
        late.execute("UPDATE tables SET clock_seconds = 77")
        late.commit()
        done = await restore(small, address(path), tmp_path)
    assert done.kept is not None
    with closing(sqlite3.connect(done.kept)) as kept:
        assert kept.execute("SELECT clock_seconds FROM tables").fetchall() == [(77,)]
    assert (await held(address(path), tmp_path)).counts["tables"] == before.counts["tables"] == 1
    async with open_rig(path) as rig:
        assert (await rig.tables.user(ADA.id)).locale == "de"


async def test_two_restores_of_one_second_keep_what_was_there_apart(small: Path, tmp_path: Path) -> None:
    """The first may have been killed after it had kept it."""
    path = tmp_path / "data" / "parlour.db"
    kept = []
    for _ in range(3):
        async with open_rig(path) as rig:
            await rig.started(ADA, BEN)
        done = await restore(small, address(path), tmp_path)
        assert done.kept is not None
        kept.append(done.kept)
    assert len(set(kept)) == 3
    assert all(one.name.startswith("parlour.db.before-restore-") and one.exists() for one in kept)


@pytest.mark.parametrize(
    "broken",
    swept(
        [b"", b"SQLite format 3\0 and then nothing", b"no database at all"], daily=(b"no database at all",)
    ),
)
async def test_a_damaged_database_gives_way_to_a_backup_and_is_kept(
    broken: bytes, small: Path, tmp_path: Path
) -> None:
    path = tmp_path / "data" / "parlour.db"
    path.parent.mkdir()
    path.write_bytes(broken)
    (path.parent / "parlour.db-wal").write_bytes(b"a log that nobody can read")
    done = await restore(small, address(path), tmp_path)
    assert done.kept is not None
    assert done.kept.read_bytes() == broken
    async with open_rig(path) as rig:
        assert len(await rig.tables.tables_of(ADA.id)) == 1


@pytest.mark.long
async def test_what_postgresql_held_is_kept_in_a_backup(small: Path, tmp_path: Path, postgresql: str) -> None:
    there = await fresh_database(postgresql, "kept")
    done = await restore(backup_of("0001"), there, tmp_path / "kept")
    assert done.kept is None
    before = await held(there, tmp_path)
    done = await restore(small, there, tmp_path / "kept")
    assert done.kept is not None
    assert rights(done.kept) == 0o600
    assert (await held(there, tmp_path)).counts["tables"] == 1
    await restore(done.kept, there, tmp_path / "again")
    assert await held(there, tmp_path) == before


async def test_play_goes_on_from_old_buttons_after_a_restore(small: Path, tmp_path: Path) -> None:
    await _goes_on(tmp_path / "source" / "parlour.db", small, address(tmp_path / "other" / "parlour.db"))


@pytest.mark.long
async def test_play_goes_on_from_old_buttons_in_another_kind_of_database(
    small: Path, tmp_path: Path, postgresql: str
) -> None:
    there = await fresh_database(postgresql, "buttons")
    await _goes_on(tmp_path / "source" / "parlour.db", small, there)
    await make(there, tmp_path / "there.zip")
    await _goes_on(there, tmp_path / "there.zip", address(tmp_path / "back" / "parlour.db"))


async def _goes_on(source: Path | str, backup: Path, target: str) -> None:
    """The button under the old message names table and revision; both still stand for the same choice."""
    async with open_rig(source) as rig:
        [old] = await rig.tables.tables_of(ADA.id)
        actor, _ = await rig.whose_turn(old.id, ADA, BEN)
        move = await rig.first_legal(old.id, actor)
        entries = await rig.store.entries(old.id)
    await restore(backup, target, backup.parent)
    async with open_rig(target, seed="elsewhere") as rig:
        assert await rig.tables.table(old.id) == replace(old, painted=0)
        assert await rig.store.entries(old.id) == entries
        change = await rig.tables.move(old.id, actor, move, old.revision)
        assert change.table.revision == old.revision + 1


@pytest.mark.parametrize("stopped", [True, False])
async def test_the_time_since_the_backup_is_an_outage(stopped: bool, small: Path, tmp_path: Path) -> None:
    """Clocks do not run out because yesterday's backup is put back, nor while a database moves."""
    source = tmp_path / "source" / "parlour.db"
    served = NOW - timedelta(hours=3)
    if stopped:
        store = await SqlStore.open(address(source))
        row = insert(alive).values(shard=0, at=served)
        await store._database.write(lambda connection: connection.execute(row))
        await store.close()
    await make(address(source), tmp_path / "late.zip")
    path = tmp_path / "new.db"
    await restore(tmp_path / "late.zip", address(path), tmp_path, How(shards=2))
    store = await SqlStore.open(address(path))
    rows = await store._database.read(lambda at: at.execute(select(alive.c.shard, alive.c.at)).all())
    last = served if stopped else NOW
    assert rows == [(shard, last) for shard in (0, 1)]
    back = NOW + timedelta(days=1)
    moved = await store.serve((0, 1), 2, back, timedelta(minutes=5), timedelta(days=30))
    assert moved == {0: back - last, 1: back - last}
    await store.close()


async def test_whatever_the_messages_show_they_are_made_anew(small: Path, tmp_path: Path) -> None:
    """They may show moves that came after the backup, or an end; also where they were left alone then. Where
    a database moves they are right."""
    source, path, moved = (tmp_path / name / "parlour.db" for name in ("source", "other", "moved"))
    async with open_rig(source) as rig:
        [table] = await rig.tables.tables_of(ADA.id)
        await rig.shown.painted(table.id, table.revision)
        over = await rig.started(ADA, BEN)
        over = (await rig.tables.end(over.id, ADA)).table
        await rig.shown.painted(over.id, over.revision)
        parked = await rig.started(ADA, BEN)
        await rig.shown.parked(parked.id, NOW + timedelta(days=1))
        assert await rig.shown.unpainted() == []
    await make(address(source), tmp_path / "painted.zip")
    await restore(tmp_path / "painted.zip", address(path), tmp_path)
    async with open_rig(path) as rig:
        assert set(await rig.shown.unpainted()) == {table.id, parked.id}
    await move(address(source), address(moved), tmp_path)
    async with open_rig(moved) as rig:
        assert await rig.shown.unpainted() == []


async def test_what_was_sent_after_the_backup_is_looked_for(small: Path, tmp_path: Path) -> None:
    """The bot does not know of it: wherever a table that goes on may have been shown since, once a place.
    Of a backup of what was restored nothing is looked for twice; where a database moves, nothing at all."""
    source, path, again, moved = (tmp_path / name / "parlour.db" for name in ("source", "1", "2", "3"))
    async with open_rig(source) as rig:
        [lobby] = await rig.tables.tables_of(ADA.id)
        await rig.shown.placed(lobby.id, lobby_message=70)
        playing = await rig.started(ADA, BEN)
        await rig.shown.placed(playing.id, thread=80, table_message=81)
        await rig.shown.hand_placed(playing.id, ADA.id, 90, 91)
        await rig.tables.set_user(BEN.id, dm_channel=92)
        over = await rig.started(ADA, BEN)
        over = (await rig.tables.end(over.id, ADA)).table
        await rig.shown.painted(over.id, over.revision)
    await make(address(source), tmp_path / "one.zip")
    await restore(tmp_path / "one.zip", address(path), tmp_path)
    await make(address(path), tmp_path / "two.zip")
    await restore(tmp_path / "two.zip", address(again), tmp_path)
    for restored in (path, again):
        async with open_rig(restored) as rig:
            in_lobby = {(post.kind, post.channel) for post in await rig.shown.posts(lobby.id)}
            assert {("table", lobby.place.channel), ("table", 70)} <= in_lobby
            found = await rig.shown.posts(playing.id)
            assert all(post.lost and post.message is None and post.made == NOW for post in found)
            assert {(post.kind, post.user, post.channel) for post in found if post.kind != "letter"} == {
                ("table", 0, playing.place.channel),
                ("table", 0, 80),
                ("hand", ADA.id, 90),
                ("hand", BEN.id, 92),
            }
            assert await rig.shown.posts(over.id) == []
            letters = [
                (post.user, post.channel)
                for table in (lobby, playing)
                for post in await rig.shown.posts(table.id)
                if post.kind == "letter"
            ]
            assert sorted(letters) == [(ADA.id, 90), (BEN.id, 92)]
    await move(address(source), address(moved), tmp_path)
    async with open_rig(moved) as rig:
        assert await rig.shown.posts(playing.id) == []


# ------------------------------------------------------------------------- while it runs


async def test_a_backup_is_made_while_another_process_has_the_database(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "source" / "parlour.db"
    with holder(address(path)):
        manifest = await make(address(path), tmp_path / "second.zip")
        with pytest.raises(StoreBusy):
            await restore(small, address(path), tmp_path)
        with pytest.raises(StoreBusy):
            await move(address(path), address(tmp_path / "away.db"), tmp_path)
    with look_through(small) as first:
        assert manifest.figures == first.manifest.figures
    assert not (tmp_path / "away.db").exists()


@pytest.mark.long
async def test_who_uses_a_postgresql_database_is_not_disturbed(tmp_path: Path, postgresql: str) -> None:
    there = await fresh_database(postgresql, "used")
    await restore(backup_of("0004"), there, tmp_path)
    before = await held(there, tmp_path)
    store = await SqlStore.open(there, shards=(3,))
    try:
        await make(there, tmp_path / "used.zip")
        assert held_in(tmp_path / "used.zip") == before
        for refused in (
            restore(backup_of("0004"), there, tmp_path),
            move(there, address(tmp_path / "away.db"), tmp_path),
        ):
            with pytest.raises(StoreInUse):
                await refused
    finally:
        await store.close()
    assert await held(there, tmp_path) == before
    assert not (tmp_path / "away.db").exists()


async def _written_meanwhile(url: Path | str, folder: Path, backups: int) -> None:
    """Every backup is of one moment: each table's row fits its events, and its position both."""
    async with open_rig(url, seed="busy") as rig:
        stop, played = asyncio.Event(), asyncio.Event()

        async def play() -> None:
            while not stop.is_set():
                table = await rig.started(ADA, BEN)
                while table.is_open and not stop.is_set():
                    person = ADA if table.to_act[0].user == ADA.id else BEN
                    table = (await rig.play(table.id, person)).table
                    played.set()

        playing = asyncio.create_task(play())
        counted = []
        for number in range(backups):
            played.clear()
            moved = asyncio.create_task(played.wait())  # however slow it is beside the backup
            await asyncio.wait({moved, playing}, return_when=asyncio.FIRST_COMPLETED)
            assert not playing.done(), playing.exception()
            counted.append((await make(_address(url), folder / f"{number}.zip")).counts["events"])
        stop.set()
        await playing
    assert counted == sorted(counted)
    assert counted[0] < counted[-1]
    for number in range(backups):
        restored = folder / f"{number}.db"
        await restore(folder / f"{number}.zip", address(restored), folder)
        async with open_rig(restored) as rig:
            for table in await rig.tables.tables_of(ADA.id):
                entries = await rig.store.entries(table.id)
                assert [entry.revision for entry in entries] == list(range(1, table.revision + 1))
                assert (await rig.tables.load(table.id)).table.status is not Status.ASIDE


def _address(url: Path | str) -> str:
    return url if isinstance(url, str) else address(url)


async def test_a_backup_is_of_one_moment_while_somebody_plays(tmp_path: Path) -> None:
    await _written_meanwhile(tmp_path / "busy.db", tmp_path, 3)


@pytest.mark.long
async def test_a_backup_of_postgresql_is_of_one_moment_while_somebody_plays(
    tmp_path: Path, postgresql: str
) -> None:
    await _written_meanwhile(await fresh_database(postgresql, "busy"), tmp_path, 5)


# ------------------------------------------------------------------------- where it goes


async def test_a_backup_is_private_whole_and_never_written_over(small: Path, tmp_path: Path) -> None:
    source = address(tmp_path / "source" / "parlour.db")
    assert rights(small) == 0o600
    folder = tmp_path / "deep" / "backups"
    await make(source, folder / "one.zip")
    assert rights(folder) == 0o700
    before = everything(folder)
    with pytest.raises(FileExistsError):
        await make(source, folder / "one.zip")
    assert everything(folder) == before
    assert list(before) == ["one.zip"]
    assert hidden(tmp_path) == []


async def test_who_comes_later_to_the_same_name_is_refused(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two began at the same time; also where the file system knows no links."""
    source = address(tmp_path / "source" / "parlour.db")
    target = tmp_path / "one.zip"
    link = os.link

    def there_by_now(old: Path, new: Path) -> None:
        target.write_bytes(b"the other's")
        link(old, new)

    def no_links(old: Path, new: Path) -> None:
        target.write_bytes(b"the other's")
        raise OSError(1, "not permitted")

    for how in (there_by_now, no_links):
        target.unlink(missing_ok=True)
        monkeypatch.setattr(os, "link", how)
        with pytest.raises(FileExistsError):
            await make(source, target)
        assert target.read_bytes() == b"the other's"
    monkeypatch.setattr(os, "link", lambda old, new: (_ for _ in ()).throw(OSError(1, "not permitted")))
    await make(source, tmp_path / "two.zip")
    await restore(tmp_path / "two.zip", source, tmp_path)


@pytest.mark.parametrize(
    ("prepare", "error"),
    [
        (lambda path: None, StoreMissing),
        (lambda path: path.write_bytes(b""), StoreEmpty),
        (
            lambda path: path.write_bytes(b"no database, but long enough to be read as one" * 20),
            StoreUnusable,
        ),
        (
            lambda path: sqlite3.connect(path).execute("CREATE TABLE theirs (a)").connection.close(),
            StoreUnusable,
        ),
        (lambda path: path.mkdir(), StoreUnopened),
    ],
)
async def test_what_is_no_database_of_ours_is_not_backed_up(
    prepare: Callable[[Path], None], error: type[Exception], tmp_path: Path
) -> None:
    path = tmp_path / "parlour.db"
    prepare(path)
    with pytest.raises(error):
        await make(address(path), tmp_path / "backup.zip")
    assert not (tmp_path / "backup.zip").exists()
    assert hidden(tmp_path) == []


async def test_where_there_is_no_room_nothing_is_left_and_that_is_said(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = address(tmp_path / "source" / "parlour.db")
    before = everything(tmp_path)

    @contextmanager
    def full(path: Path) -> Iterator[None]:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error
        yield

    monkeypatch.setattr("bot.storage.files.at_once", full)
    for refused in (make(source, tmp_path / "new.zip"), restore(small, source, tmp_path)):
        with pytest.raises(StoreNoRoom):
            await refused
    assert everything(tmp_path) == before
    assert hidden(tmp_path) == []


@pytest.mark.parametrize(
    "code", swept([sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY_DIRECTORY, sqlite3.SQLITE_IOERR_SHMSIZE])
)
async def test_a_database_beside_which_nothing_can_be_made_is_backed_up(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a card that has turned read-only, or is full. What is still in the log is in the backup."""
    source, there = tmp_path / "source" / "parlour.db", tmp_path / "there"
    async with open_rig(source) as rig:
        await rig.started(ADA, BEN)
        there.mkdir()
        for one in source.parent.glob("parlour.db*"):
            if not one.name.endswith("-shm"):
                (there / one.name).write_bytes(one.read_bytes())
    assert (there / "parlour.db-wal").stat().st_size > 0
    before = everything(there)
    opened = files.opened

    def refused(path: Path) -> sqlite3.Connection:
        if path.parent != there:
            return opened(path)
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = code
        raise error

    def full(path: Path) -> None:
        if path == there:
            raise StoreNoRoom("no room", path=str(path))
        folder(path)

    folder = probe.folder
    monkeypatch.setattr(files, "opened", refused)
    with pytest.raises(StoreUnusable):  # where something can be made beside it, it is another's matter
        await make(address(there / "parlour.db"), tmp_path / "none.zip")
    monkeypatch.setattr(probe, "folder", full)
    (tmp_path / "link.db").symlink_to(there / "parlour.db")
    for number, path in enumerate((there / "parlour.db", tmp_path / "link.db")):
        monkeypatch.setattr(files, "opened", lambda one: refused(one.resolve()))
        manifest = await make(address(path), tmp_path / f"new{number}.zip")
        assert manifest.counts["tables"] == 1, "what is in the log too"
    assert everything(there) == before


async def test_a_link_to_the_database_stays_one(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "source" / "parlour.db"
    link = tmp_path / "link.db"
    link.symlink_to(path)
    done = await restore(small, address(link), tmp_path)
    assert done.kept is not None
    assert done.kept.parent == path.parent
    assert link.is_symlink()
    assert await held(address(path), tmp_path) == held_in(small)


# ------------------------------------------------------------------------- damage


def _manifest(**changes: object) -> Callable[[str, bytes], bytes]:
    def change(name: str, content: bytes) -> bytes:
        if name != "manifest.json":
            return content
        return json.dumps(json.loads(content) | changes).encode()

    return change


def _lines(table: str, change: Callable[[list[bytes]], list[bytes]]) -> Callable[[str, bytes], bytes]:
    def changed(name: str, content: bytes) -> bytes:
        if name != f"{table}.jsonl":
            return content
        return b"".join(change(content.splitlines(keepends=True)))

    return changed


DAMAGE: dict[str, tuple[Callable[[str, bytes], bytes | None], type[BackupUnusable]]] = {
    "another format": (_manifest(format="notes/1"), BackupForeign),
    "a later format": (_manifest(format="parlour-backup/2"), BackupTooNew),
    "a later schema": (_manifest(revision="9999"), BackupTooNew),
    "no manifest": (lambda name, held: None if name == "manifest.json" else held, BackupForeign),
    "no JSON": (lambda name, held: b"{" if name == "manifest.json" else held, BackupUnusable),
    "something more": (_manifest(more=1), BackupUnusable),
    "another chain": (_manifest(chain="0" * 64), BackupUnusable),
    "no chain": (_manifest(chain=""), BackupUnusable),
    "another count": (_manifest(counts={"tables": 2}), BackupUnusable),
    "no hash": (_manifest(hashes={}), BackupUnusable),
    "a time without a zone": (_manifest(made="2027-03-01T12:00:00"), BackupUnusable),
    "another schema": (_manifest(revision="0001"), BackupUnusable),
    "a member less": (lambda name, held: None if name == "votes.jsonl" else held, BackupUnusable),
    "a row less": (_lines("events", lambda rows: rows[:-1]), BackupUnusable),
    "a row twice": (_lines("seats", lambda rows: [*rows, rows[-1]]), BackupUnusable),
    "another order": (_lines("events", lambda rows: rows[::-1]), BackupUnusable),
    "another word": (_lines("users", lambda rows: [rows[0].replace(b'"de"', b'"en"')]), BackupUnusable),
    "more room": (_lines("users", lambda rows: [rows[0].replace(b":", b": ")]), BackupUnusable),
    "no object": (_lines("users", lambda rows: [b"[1, 2]\n"]), BackupUnusable),
    "a list in it": (_lines("users", lambda rows: [rows[0].replace(b'"de"', b"[]")]), BackupUnusable),
    "half a line": (_lines("tables", lambda rows: [rows[0][:50]]), BackupUnusable),
    "no UTF-8": (_lines("tables", lambda rows: [b"\xff\xfe\n"]), BackupUnusable),
}


@pytest.mark.parametrize("kind", swept(DAMAGE, daily=list(DAMAGE)[::2]))
async def test_every_kind_of_damage_is_refused_and_changes_nothing(
    kind: str, small: Path, tmp_path: Path
) -> None:
    change, error = DAMAGE[kind]
    bad = rewritten(small, tmp_path / "bad.zip", change)
    await _refused(bad, tmp_path, error)


def _memory_of_refusal(bad: Path, error: type[BackupUnusable]) -> tuple[BackupUnusable, int]:
    """How it is refused, and the most bytes of memory that this took."""
    tracemalloc.start()
    try:
        with pytest.raises(error) as refused, look_through(bad):
            pass
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return refused.value, most


@pytest.mark.parametrize("ends", swept([b"", b"\n"]))
def test_a_line_that_nobody_wrote_is_not_read_to_its_end(
    ends: bytes, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.storage.backup.MOST_LINE", 2**16)
    long = 2**25  # bytes, a few KB where it is packed
    bad = rewritten(small, tmp_path / "bad.zip", _lines("users", lambda rows: [b" " * long + ends]))
    refused, most = _memory_of_refusal(bad, BackupTooLong)
    assert most < long / 4
    assert "users" in text("en", refused.key, **refused.data)


@pytest.mark.parametrize("method", swept([zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]))
@pytest.mark.parametrize("member", ["manifest.json", "users.jsonl"])
def test_a_member_that_nobody_wrote_takes_no_memory(
    member: str, method: int, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What BZIP2 or LZMA has packed is unpacked as a whole, however little of it is asked for."""
    monkeypatch.setattr("bot.storage.backup.MOST_LINE", 2**16)
    large = 2**23  # bytes, a few KB where it is packed
    bad = tmp_path / "bad.zip"
    with zipfile.ZipFile(small) as good, zipfile.ZipFile(bad, "w", method) as made:
        for name in good.namelist():
            made.writestr(name, b" " * large if name == member else good.read(name))
    _, most = _memory_of_refusal(bad, BackupUnusable)
    assert most < large / 2


def test_a_line_of_many_parts_takes_little_memory(small: Path, tmp_path: Path) -> None:
    """Read as JSON, one of 4 MB took 100."""
    line = b"[" + b"{}," * (2**22 // 3) + b"1]\n"
    bad = rewritten(small, tmp_path / "bad.zip", _lines("users", lambda rows: [line]))
    _, most = _memory_of_refusal(bad, BackupUnusable)
    assert most < 2**24


@pytest.mark.parametrize("place", swept(["tables.jsonl", "manifest.json"]))
def test_of_a_damaged_archive_it_is_told_what_is_wrong(place: str, small: Path, tmp_path: Path) -> None:
    """Of the packer's error the name alone was told, which is `error`."""
    bad, content = tmp_path / "bad.zip", bytearray(small.read_bytes())
    with zipfile.ZipFile(small) as archive:
        header = archive.getinfo(place).header_offset
    extra = int.from_bytes(content[header + 28 : header + 30], "little")
    content[header + 30 + len(place) + extra] = 0xFF  # no such kind of block
    bad.write_bytes(content)
    with pytest.raises(BackupUnusable) as refused, look_through(bad):
        pass
    assert "decompressing" in str(refused.value.data["why"])


@pytest.mark.parametrize(
    ("content", "error"),
    [(b"", BackupForeign), (b"PK", BackupUnusable), (b"SQLite format 3\0" * 9, BackupForeign)],
)
async def test_what_is_no_backup_is_refused(
    content: bytes, error: type[BackupUnusable], small: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.zip"
    bad.write_bytes(content)
    await _refused(bad, tmp_path, error)
    await _refused(tmp_path / "missing.zip", tmp_path, BackupUnread)
    await _refused(tmp_path, tmp_path, BackupUnread)
    with zipfile.ZipFile(bad, "w") as other:
        other.writestr("manifest.json", "[]")
    await _refused(bad, tmp_path, BackupForeign)


async def _refused(bad: Path, folder: Path, error: type[BackupUnusable]) -> None:
    target = folder / "source" / "parlour.db"
    before = everything(folder)
    with pytest.raises(error) as refused:
        await restore(bad, address(target), folder)
    assert text("en", refused.value.key, **refused.value.data)
    assert everything(folder) == before


def _unharmed(path: Path, expected: Figures) -> bool:
    """Whether it can be read, and is then what was written: not every byte of an archive means something."""
    try:
        with look_through(path) as backup:
            assert backup.manifest.figures == expected
            measure = Measure()
            for table in backup.tables:
                for _ in backup.rows(table, measure):
                    pass
            assert measure.figures() == expected
    except BackupUnusable:
        return False
    return True


@pytest.mark.parametrize("step", swept([53, 1]))
def test_no_byte_is_changed_unnoticed(step: int, small: Path, tmp_path: Path) -> None:
    whole = small.read_bytes()
    with look_through(small) as backup:
        expected = backup.manifest.figures
    bad = tmp_path / "bad.zip"
    harmless = 0
    for place in range(0, len(whole), step):
        changed = bytearray(whole)
        changed[place] ^= 1 << (place % 8)
        bad.write_bytes(changed)
        harmless += _unharmed(bad, expected)
    assert harmless * step < len(whole) / 3, "times, versions and attributes of the members"


@pytest.mark.parametrize("step", swept([211, 7]))
def test_no_end_is_cut_off_unnoticed(step: int, small: Path, tmp_path: Path) -> None:
    whole = small.read_bytes()
    bad = tmp_path / "bad.zip"
    for length in (*range(0, len(whole), step), len(whole) - 1):
        bad.write_bytes(whole[:length])
        with pytest.raises(BackupUnusable), look_through(bad):
            pass


def _forged(source: Path, target: Path, table: str, change: Callable[[dict[str, object]], None]) -> Path:
    """A backup of a database in which this was so: its figures are right."""
    with zipfile.ZipFile(source) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    rows = [json.loads(one) for one in held[f"{table}.jsonl"].splitlines()]
    for row in rows:
        change(row)
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in rows]
    manifest = json.loads(held["manifest.json"])
    manifest["hashes"][table] = hashlib.sha256(b"".join(lines)).hexdigest()
    if table == "events":
        link = b""
        for one in lines:
            link = hashlib.sha256(link + one).digest()
        manifest["chain"] = link.hex()
    held |= {f"{table}.jsonl": b"".join(lines), "manifest.json": json.dumps(manifest).encode()}
    return rewritten(source, target, lambda name, _: held[name])


async def test_a_table_that_cannot_be_loaded_is_told_and_comes_only_where_that_is_wanted(
    small: Path, tmp_path: Path
) -> None:
    """It was so in the database already: the bot sets it aside, and nobody else is held up."""

    def spoil(row: dict[str, object]) -> None:
        row["payload"] = "{"

    bad = _forged(small, tmp_path / "bad.zip", "events", spoil)
    bad = _forged(bad, tmp_path / "worse.zip", "tables", lambda row: row.update(state=None))
    await _refused(bad, tmp_path, BackupUnloadable)
    path = tmp_path / "new" / "parlour.db"
    done = await restore(bad, address(path), tmp_path, How(damaged_too=True))
    assert done.damaged == 1
    async with open_rig(path) as rig:
        [table] = await rig.tables.tables_of(ADA.id)
        assert (await rig.tables.load(table.id)).table.status is Status.ASIDE


@pytest.mark.parametrize("number", swept([2**63, -(2**63) - 1, 2**70]))
async def test_a_number_that_no_database_takes_is_damage(number: int, small: Path, tmp_path: Path) -> None:
    bad = _forged(small, tmp_path / "bad.zip", "seats", lambda row: row.update(user_id=number))
    await _refused(bad, tmp_path, BackupDamaged)


async def test_a_database_that_is_cut_off_is_told_as_damaged(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "source" / "parlour.db"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(StoreDamaged):
        await make(address(path), tmp_path / "new.zip")


async def test_what_a_damaged_file_holds_comes_back_as_it_was(small: Path, tmp_path: Path) -> None:
    source = tmp_path / "source" / "parlour.db"
    with closing(sqlite3.connect(source)) as connection, connection:
        connection.execute(
            "UPDATE users SET digest_hour = 'noon', timezone = x'00ff', quick = 7, theme = 1.5"
        )
    before = await held(address(source), tmp_path)
    await make(address(source), tmp_path / "odd.zip")
    await restore(tmp_path / "odd.zip", address(tmp_path / "new.db"), tmp_path)
    assert await held(address(tmp_path / "new.db"), tmp_path) == before
    with closing(sqlite3.connect(tmp_path / "new.db")) as connection:
        [row] = connection.execute("SELECT digest_hour, timezone, quick FROM users").fetchall()
    assert row == ("noon", b"\x00\xff", 7)


@pytest.mark.long
@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("users", "digest_hour", "noon"),
        ("users", "digest_hour", 2**40),
        ("users", "quick", 7),
        ("users", "timezone", "a\0b"),
        ("users", "timezone", 5),
        ("users", "digest_hour", 2**60),
    ],
)
async def test_what_postgresql_cannot_keep_is_named_and_changes_nothing(
    table: str, column: str, value: object, small: Path, tmp_path: Path, postgresql: str
) -> None:
    there = await fresh_database(postgresql, f"unfit{abs(hash((column, value)))}")
    await restore(backup_of("0004"), there, tmp_path)
    before = await held(there, tmp_path)
    bad = _forged(small, tmp_path / "bad.zip", table, lambda row: row.update({column: value}))
    with pytest.raises(BackupUnfit) as refused:
        await restore(bad, there, tmp_path)
    assert refused.value.data["column"] == f"{table}.{column}"
    assert await held(there, tmp_path) == before
    assert not [name for name in everything(tmp_path) if "before-restore" in name], "it is still there"


@pytest.mark.parametrize("empty", [False, True])
async def test_where_the_end_of_a_restore_is_lost_what_was_there_is_kept(
    empty: bool, small: Path, tmp_path: Path, postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server may have carried it out."""
    there = await fresh_database(postgresql, f"endlost{empty:d}")
    if not empty:
        await restore(backup_of("0004"), there, tmp_path)
        before = await held(there, tmp_path)
    commit, fill, filled = RootTransaction._do_commit, restoring._replaced, []

    def noted(*given: Any) -> int:
        filled.append(True)
        return fill(*given)

    def lost(self: RootTransaction) -> None:
        commit(self)
        if filled:
            raise OperationalError("COMMIT", None, Exception("connection lost"))

    with monkeypatch.context() as losing:
        losing.setattr(restoring, "_replaced", noted)
        losing.setattr(RootTransaction, "_do_commit", lost)
        with pytest.raises(restoring.RestoreUnsure) as unsure:
            await restore(small, there, tmp_path)
    kept = [tmp_path / name for name in everything(tmp_path) if "before-restore" in name]
    assert [held_in(file) for file in kept] == ([] if empty else [before])
    for language in ("en", "de"):
        said = text(language, unsure.value.key, **unsure.value.data)
        assert all(str(file) in said for file in kept)
        assert "{" not in said


# ------------------------------------------------------------------------- moving


async def test_nothing_is_moved_onto_what_is_not_empty(small: Path, tmp_path: Path) -> None:
    source = tmp_path / "source" / "parlour.db"
    other = tmp_path / "other" / "parlour.db"
    async with open_rig(other) as rig:
        await rig.tables.set_user(BEN.id, locale="de")
    before = everything(tmp_path)
    with pytest.raises(StoreNotEmpty):
        await move(address(source), address(other), tmp_path)
    with pytest.raises(StoreSame):
        await move(address(source), address(source), tmp_path)
    with pytest.raises(StoreMissing):
        await move(address(tmp_path / "none.db"), address(tmp_path / "new.db"), tmp_path)
    assert everything(tmp_path) == before


async def test_a_database_moves_into_one_that_holds_nothing_yet(small: Path, tmp_path: Path) -> None:
    source = tmp_path / "source" / "parlour.db"
    other = tmp_path / "other" / "parlour.db"
    await (await SqlStore.open(address(other))).close()
    await move(address(source), address(other), tmp_path)
    assert await held(address(other), tmp_path) == await held(address(source), tmp_path)


@pytest.mark.long
async def test_postgresql_is_moved_into_only_where_nothing_of_ours_is(
    small: Path, tmp_path: Path, postgresql: str
) -> None:
    source = address(tmp_path / "source" / "parlour.db")
    new = await fresh_database(postgresql, "unopened")
    with pytest.raises(StoreNew):
        await make(new, tmp_path / "new.zip")
    opened = await fresh_database(postgresql, "opened")
    await (await SqlStore.open(opened)).close()
    await move(source, opened, tmp_path)
    before = await held(opened, tmp_path)
    with pytest.raises(StoreNotEmpty):
        await move(source, opened, tmp_path)
    assert await held(opened, tmp_path) == before == await held(source, tmp_path)
    store = await SqlStore.open(opened)
    later = "UPDATE alembic_version SET version_num = '9999'"
    await store._database.write(lambda connection: connection.exec_driver_sql(later))
    await store.close()
    with pytest.raises(StoreTooNew):
        await restore(small, opened, tmp_path)


# ------------------------------------------------------------------------- half-way


class Stop(Exception):
    """The process ends here."""


STEPS = ("os.link", "os.fsync", "pathlib.Path.replace", "bot.storage.files.make_last", "sqlite3.connect")


@pytest.mark.parametrize("step", swept(STEPS, daily=("bot.storage.files.make_last",)))
async def test_what_fails_half_way_leaves_what_was(
    step: str, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the new file has its name the old one is there, and after it the new one: nothing between."""
    path = tmp_path / "data" / "parlour.db"
    async with open_rig(path) as rig:
        await rig.started(ADA, BEN)
        await rig.started(ADA, BEN)
    before = await held(address(path), tmp_path)
    after = held_in(small)

    def fail(*_: object, **__: object) -> None:
        raise Stop(step)

    with monkeypatch.context() as failing:
        failing.setattr(step, fail)
        with pytest.raises((Stop, StoreUnusable)) if step != "sqlite3.connect" else pytest.raises(Stop):
            await restore(small, address(path), tmp_path)
    expected = after if step == "bot.storage.files.make_last" else before
    assert await held(address(path), tmp_path) == expected
    assert hidden(tmp_path) == []
    async with open_rig(path) as rig:
        assert await rig.tables.tables_of(ADA.id)


KILLED = """
import os, pathlib, signal, sqlite3, sys
from datetime import UTC, datetime
from sqlalchemy import Connection
from bot.storage import restoring

left = int(sys.argv[4])

def counted(real):
    def call(*arguments, **named):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **named)
    return call

at = {
    "files": ((os, "fsync"), (os, "link"), (pathlib.Path, "replace")),
    "statements": ((Connection, "execute"), (Connection, "exec_driver_sql")),
}
for owner, name in at[sys.argv[5]]:
    setattr(owner, name, counted(getattr(owner, name)))
file, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3])
restoring.restore(file, sys.argv[2], folder, datetime.now(UTC), restoring.How())
print(left)
"""


async def _killed_at_each_step(file: Path, target: str, folder: Path, at: str, every: int) -> None:
    """A real process dies at one step after another, until it comes through."""
    before = await held(target, folder)
    after = held_in(file)
    step = 0
    while True:
        arguments = [sys.executable, "-c", KILLED, str(file), target, str(folder), str(step), at]
        run = partial(subprocess.run, arguments, cwd=ROOT, capture_output=True)
        done = await asyncio.to_thread(run)
        found = await held(target, folder)
        if done.returncode == 0:
            assert found == after
            return
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert found in (before, after), step
        await locks_freed(target)
        step += every


@pytest.mark.long
async def test_a_restore_that_is_killed_leaves_what_was(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "data" / "parlour.db"
    async with open_rig(path) as rig:
        await rig.started(ADA, BEN)
        await rig.started(ADA, BEN)
    await _killed_at_each_step(small, address(path), tmp_path / "data", "files", 1)


@pytest.mark.long
async def test_a_restore_into_postgresql_that_is_killed_leaves_what_was(
    small: Path, tmp_path: Path, postgresql: str
) -> None:
    there = await fresh_database(postgresql, "killed")
    async with open_rig(there) as rig:
        await rig.started(ADA, BEN)
        await rig.started(ADA, BEN)
    await _killed_at_each_step(small, there, tmp_path, "statements", 37)
