"""Putting a backup back, and moving a database: everything is checked before anything is replaced, and what
was there is kept.

A backup is put into an empty database of the schema it was made by, read back and held against its own
figures, brought up to date by the migrations, and every open table is loaded. For SQLite that is a new file
beside the old one, which takes its name at the end, in one step. For PostgreSQL it is one transaction, in
which the old tables are dropped; what was in them is written to a backup first. Nobody else may have the
database open meanwhile: who does is found by the locks that stores hold, and who comes is refused or waits.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Integer,
    Table,
    and_,
    column,
    func,
    insert,
    inspect,
    or_,
    select,
    table,
    text,
    update,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from bot import private_files
from bot.tables.model import LOST, Post, SeatKind, Status
from bot.tables.ports import StoreUnusable

from . import files, probe, schema, writes
from .backup import Backup, BackupDamaged, BackupUnusable, Manifest, Row, give_name, look_through, write
from .engines import address_of, path_of
from .lock import FileLock
from .migrating import (
    MIGRATION_LOCK,
    VERSIONS,
    begin_at,
    pending,
    revision_of,
    tables_at,
    unloadable,
    upgrade,
)
from .neighbours import SHARD_LOCK
from .snapshot import Measure, Moment, StoreMissing, kept_at, key_of, postgresql, scratch_in, told
from .trouble import cause_of, sqlstate

log = logging.getLogger(__name__)

AT_ONCE = 500  # rows put in together
NAMED = 5  # tables, at most, where some cannot be loaded
STAMP = "%Y%m%dT%H%M%SZ"


class BackupUnfit(BackupUnusable):
    """A damaged SQLite file may hold what PostgreSQL cannot. data: column, row (its key)."""

    key = "cli.backup.unfit"


class BackupUnloadable(BackupUnusable):
    """Tables that are going on cannot be loaded from it. data: n, tables."""

    key = "cli.backup.unloadable"


class StoreNotEmpty(StoreUnusable):
    """What is to be moved into must be empty."""

    key = "tables.store_not_empty"


class StoreInUse(StoreUnusable):
    """A bot uses the database."""

    key = "tables.store_in_use"


class RestoreUnsure(StoreUnusable):
    """The connection ended with the last word: PostgreSQL may have carried out what was to be put in, into
    what was empty before."""

    key = "tables.restore_unsure"


class RestoreUnsureKept(RestoreUnsure):
    """The same where something was there before. data: kept."""

    key = "tables.restore_unsure.kept"


class StoreSame(StoreUnusable):
    """A database cannot be moved onto itself."""

    key = "tables.store_same"


@dataclass(frozen=True, slots=True)
class How:
    """damaged_too: also where tables cannot be loaded. shards: how many the bot will serve, whose clocks ran
    on since it was stopped. moved: it is what the bot left when it was stopped, so that what its messages
    show stands; and what it is put into must be empty."""

    damaged_too: bool = False
    shards: int = 1
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Restored:
    """kept: where what was there before lies now, None where nothing was. damaged: how many tables cannot be
    loaded."""

    manifest: Manifest
    kept: Path | None
    damaged: int


def check(file: Path, folder: Path) -> Manifest:
    """Everything that `restore` looks at, and nothing is replaced. folder: where its content is laid out
    meanwhile, which takes room. Raises BackupUnusable, StoreUnusable, OSError."""
    with probe.told(folder), look_through(file) as backup, private_files.folder_for(folder):
        with scratch_in(folder) as scratch, told():
            _built(scratch / "parlour.db", backup, How())
        return backup.manifest


def restore(file: Path, address: str, folder: Path, now: datetime, how: How) -> Restored:
    """Replace that database's content by a backup's. folder: where PostgreSQL's old content is kept. Raises
    BackupUnusable, StoreUnusable (StoreBusy or StoreInUse where somebody has it open), OSError; then nothing
    has changed; but for RestoreUnsure, after which it is not known."""
    return asyncio.run(_restore(file, address, folder, now, how))


def move(source: str, target: str, folder: Path, now: datetime, how: How) -> Restored:
    """Put one database's content into another, of either kind, which must be missing or empty. The old one
    stays as it is. folder: where a backup lies meanwhile. Raises as `restore` does."""

    async def run() -> Restored:
        with private_files.folder_for(folder), scratch_in(folder) as scratch:
            between = scratch / "moving.zip"
            with _end("from"):
                async with _unused(address_of(source), there=True):
                    await write(source, between, now)
                    with _end("to"):
                        return await _restore(between, target, folder, now, replace(how, moved=True))

    with probe.told(folder):
        with _end("from"):
            begin = address_of(source)
        with _end("to"):
            end = address_of(target)
        if begin == end:
            raise StoreSame("the same")
        return asyncio.run(run())


@contextmanager
def _end(which: Literal["from", "to"]) -> Iterator[None]:
    """Of a move, whatever is refused within is about that end."""
    try:
        with told():
            yield
    except StoreUnusable as error:
        error.end = error.end or which
        raise


async def _restore(file: Path, address: str, folder: Path, now: datetime, how: How) -> Restored:
    with look_through(file) as backup, told():
        url = address_of(address)
        if url.get_backend_name() == "sqlite":
            path = path_of(url)
            with probe.told(path.parent), told():
                return _into_file(backup, path, now, how)
        async with _unused(url) as connection:
            assert connection is not None
            before = await connection.run_sync(_content)
            await connection.commit()
            if before and how.moved:
                raise StoreNotEmpty("not empty")
            kept = _kept_as(folder, "", now, ".zip") if before else None
            if kept is not None:
                with probe.told(folder), private_files.folder_for(folder), scratch_in(folder) as scratch:
                    await write(address, scratch / kept.name, now)
                    give_name(scratch / kept.name, kept)
            damaged = None
            try:
                async with connection.begin():
                    damaged = await connection.run_sync(_replaced, backup, how)
            except Exception as error:
                if damaged is not None and not sqlstate(cause_of(error)):  # it may have been carried out
                    log.debug("the end of a restore is not known", exc_info=error)
                    if kept is None:
                        raise RestoreUnsure(type(error).__name__) from None
                    raise RestoreUnsureKept(type(error).__name__, kept=str(kept)) from None
                if kept is not None:  # all of it is still there
                    with suppress(OSError):
                        kept.unlink()
                raise
            return Restored(backup.manifest, kept, damaged)


def _kept_as(folder: Path, begins: str, now: datetime, ends: str = "") -> Path:
    """What was there before gets this name, or where another restore of the same second has it, the next that
    is free. (Who looks holds the database's lock.)"""
    name = f"{begins}before-restore-{now.astimezone(UTC):{STAMP}}"
    names = chain((name,), (f"{name}-{number}" for number in count(2)))
    return next(path for path in (folder / f"{one}{ends}" for one in names) if not path.exists())


# ------------------------------------------------------------------------- nobody else


@asynccontextmanager
async def _unused(url: URL, *, there: bool = False) -> AsyncIterator[AsyncConnection | None]:
    """That database, while nobody else has it open: a connection to PostgreSQL, None for a file. there: a
    file that is missing is refused, and nothing is made for its sake. Raises StoreBusy, StoreInUse,
    StoreMissing."""
    if url.get_backend_name() == "sqlite":
        path = path_of(url)
        with probe.told(path.parent):
            if there and not path.exists():
                raise StoreMissing("no such file", path=str(path))
            if there:  # before the lock, which would stay beside it
                files.of_sqlite(path)
        with _locked(path):
            yield None
        return
    async with postgresql(url) as connection:
        # Held by the session, until it ends: whoever opens the store meanwhile waits for it.
        got = await connection.scalar(select(func.pg_try_advisory_lock(MIGRATION_LOCK)))
        held = await connection.scalar(
            text(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = :ours "
                "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            ),
            {"ours": SHARD_LOCK},
        )
        await connection.commit()
        if not got or held:
            raise StoreInUse("in use")
        yield connection


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = FileLock(path)
    with probe.told(path.parent):  # also beside what is only read
        lock.take()
    try:
        yield
    finally:
        lock.release()


# ------------------------------------------------------------------------- SQLite


def _into_file(backup: Backup, path: Path, now: datetime, how: How) -> Restored:
    if path.is_dir() or (path.exists() and how.moved):  # before the lock, which would stay beside it
        files.of_sqlite(path)
    with _locked(path):
        path = path.resolve()  # a link to it stays one
        there = path.exists()
        if there and how.moved:
            files.check(path)
            with files.at_once(path) as connection:
                if _content(connection):
                    raise StoreNotEmpty("not empty")
        with scratch_in(path.parent) as scratch:
            fresh = scratch / path.name
            damaged = _built(fresh, backup, how)
            kept = _kept_as(path.parent, f"{path.name}.", now)
            if there:
                _keep(path, kept)
            fresh.replace(path)
            files.make_last(path.parent)
    return Restored(backup.manifest, kept if there else None, damaged)


def _built(fresh: Path, backup: Backup, how: How) -> int:
    """Make a whole database file of a backup; how many tables cannot be loaded from it."""
    private_files.create(fresh)
    with files.at_once(fresh) as connection:
        damaged = _filled(connection, backup, how)
    with fresh.open("rb+") as file:
        os.fsync(file.fileno())
    return damaged


def _keep(path: Path, kept: Path) -> None:
    """The file that is there gets a second name, so that for no moment there is none. Its log goes with it:
    the new file must not take it up. (There is one only where SQLite cannot put it into the file, since that
    is damaged.)"""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try:
        os.link(path, kept)
    except FileExistsError:
        raise
    except OSError:  # no links on this file system
        private_files.create(kept)
        try:
            shutil.copyfile(path, kept)
        except OSError:
            kept.unlink()
            raise
    for ending in ("-wal", "-journal"):
        left = path.with_name(f"{path.name}{ending}")
        if left.exists():
            left.replace(kept.with_name(f"{kept.name}{ending}"))
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)


# ------------------------------------------------------------------------- content


def _content(connection: Connection) -> int:
    """How many rows there are that last. Raises StoreTooNew; StoreNotEmpty where others have tables of such
    names there."""
    found = revision_of(connection)
    if found is None:
        there = set(inspect(connection).get_table_names())
        if there & set(schema.metadata.tables):
            raise StoreNotEmpty("tables of others")
        return 0
    pending(found)
    return sum(
        connection.scalar(select(func.count()).select_from(table(one.name))) or 0 for one in kept_at(found)
    )


def _replaced(connection: Connection, backup: Backup, how: How) -> int:
    """Fill a PostgreSQL database anew; how many tables cannot be loaded from it."""
    found = revision_of(connection)
    if found is not None:
        tables_at(found).drop_all(connection)
        connection.execute(text(f"DROP TABLE {VERSIONS}"))
    return _filled(connection, backup, how)


def _filled(connection: Connection, backup: Backup, how: How) -> int:
    """Put a backup into an empty database, and look at what came of it; how many tables cannot be loaded."""
    manifest, path = backup.manifest, backup.path
    begin_at(connection, manifest.revision)
    measure = Measure()
    for one in backup.tables:
        into = insert(table(one.name, *map(column, one.columns.keys())))
        rows = backup.rows(one, measure)
        try:
            while some := list(islice(rows, AT_ONCE)):
                if connection.dialect.name == "postgresql":
                    _look_whether_they_fit(path, one, some)
                connection.execute(into, some)
        except IntegrityError as error:
            raise BackupDamaged(path, why=one.name) from error
        except ValueError as error:
            raise BackupDamaged(path, why="changed meanwhile") from error
    if measure.figures() != manifest.figures or Moment(connection).figures() != manifest.figures:
        raise BackupDamaged(path, why="read back")
    upgrade(connection)
    stopped = manifest.served or manifest.made  # what has run on since then did so in an outage
    connection.execute(insert(schema.alive), [{"shard": one, "at": stopped} for one in range(how.shards)])
    if not how.moved:
        _look_at_messages(connection, manifest.made)
    damaged = unloadable(connection)
    if damaged and not how.damaged_too:
        raise BackupUnloadable(path, n=len(damaged), tables=", ".join(damaged[:NAMED]))
    return len(damaged)


def _look_at_messages(connection: Connection, made: datetime) -> None:
    """What was shown went on after the backup was made. Messages may show what came later, and of who ended
    later have no controls: they are painted anew, also where that was put off then. Others were sent later,
    and the bot will not know of them: they are looked for at every table that was going on, and at its
    people, as those of an intent that is lost, and go."""
    t = schema.tables.c
    going_on = t.status != Status.ENDED.value
    untold = or_(going_on, t.painted < t.revision)
    p = schema.posts.c
    there = {(row.table_id, row.purpose) for row in connection.execute(select(p.table_id, p.purpose))}
    rows = {(post.table, post.purpose): post for post in _sent_later(connection, untold, made)}
    new = [writes.post_values(rows[key]) for key in rows.keys() - there]  # it may be one of what was restored
    if new:
        connection.execute(insert(schema.posts), new)
    connection.execute(update(schema.tables).where(going_on).values(painted=0, parked=None))


def _sent_later(connection: Connection, which: ColumnElement[bool], made: datetime) -> Iterable[Post]:
    """What may have been sent of these tables since then: one of each place where it would be."""
    t, s, u = schema.tables.c, schema.seats.c, schema.users.c

    def lost(of: str, kind: str, user: int, channel: int) -> Post:
        return Post(of, f"{LOST}since a backup {kind} {channel} {user}", kind, user, channel, made, made)

    public = select(t.id, t.channel, t.thread, t.lobby_message, t.table_message)
    for row in connection.execute(public.where(which, t.code.is_(None)).order_by(t.id)):
        places = [row.channel, row.thread]
        if row.thread is None and row.table_message is None:
            places.append(row.lobby_message)  # the id of the thread that it may have got at the start
        for place in filter(None, places):
            yield lost(row.id, "table", 0, place)
    channel = func.coalesce(s.hand_channel, u.dm_channel)
    private = select(t.id, s.user_id, channel.label("channel")).select_from(schema.tables)
    private = private.join(schema.seats, s.table_id == t.id)
    private = private.outerjoin(schema.users, u.user_id == s.user_id)
    people = and_(s.kind == SeatKind.HUMAN.value, s.user_id.is_not(None))
    told: set[int] = set()
    private = private.where(which, people, channel.is_not(None)).order_by(t.id)
    for table_id, user, where in connection.execute(private):
        yield lost(table_id, "hand", user, where)
        if user not in told:  # every letter of theirs is found by one
            told.add(user)
            yield lost(table_id, "letter", user, where)


def _look_whether_they_fit(path: Path, of: Table, rows: Sequence[Row]) -> None:
    """SQLite keeps anything in any column, PostgreSQL does not. Raises BackupUnfit."""
    for row in rows:
        for one in of.columns:
            if not _fits(one, row[one.name]):
                key = " ".join(str(row[name.name]) for name in key_of(of))
                raise BackupUnfit(path, column=f"{of.name}.{one.name}", row=key)


def _fits(of: Column[Any], value: Any) -> bool:
    if value is None:
        return bool(of.nullable)
    if isinstance(of.type, Boolean):
        return isinstance(value, bool)
    if isinstance(of.type, Integer):  # of which BigInteger is a kind
        most = 2 ** (63 if isinstance(of.type, BigInteger) else 31)
        return type(value) is int and -most <= value < most
    return isinstance(value, str) and "\0" not in value
