"""The SQLite file: looked at before it is used, made whole or not at all, copied before it is migrated, and
private. What cannot be used is refused and left as it is.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection

from bot import private_files
from bot.tables.ports import StoreUnusable

from . import probe
from .engines import BUSY_TIMEOUT, migrator
from .migrating import StoreTooNew, pending, tables_at, upgrade

log = logging.getLogger(__name__)

MAGIC = b"SQLite format 3\0"
LARGE = 64 * 2**20  # bytes from which on the check takes a while
CHANGES = slice(24, 28)  # bytes of the file's head where SQLite counts its changes
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
WHOLE = ".whole"  # ends the name of the note that a database was left closed and whole
# a database and what SQLite and we put beside it
BESIDE = ("", "-wal", "-shm", "-journal", ".lock", WHOLE)
MARKS = ("commands.sha256", "beat")  # of a life before, in the data folder


class StoreEmpty(StoreUnusable):
    """The database file is there and empty: never one of ours. data: path."""

    key = "tables.store_empty"


class StoreForeign(StoreUnusable):
    """A SQLite database of somebody else, or no database. data: path."""

    key = "tables.store_foreign"


class StoreDamaged(StoreUnusable):
    """A database of ours that is not whole. data: path, why."""

    key = "tables.store_damaged"


def writable(path: Path) -> None:
    """What is there of the database, and its folder, can be written. Before anybody has it open: closing a
    file takes away the locks that this process has on it. Raises StoreUnusable."""
    probe.folder(path.parent)
    for ending in BESIDE:
        probe.file(path.with_name(f"{path.name}{ending}"))


def marks(path: Path) -> list[str]:
    """Names of files that tell of a life before, beside a database that is missing."""
    if path.exists():
        return []
    beside = [f"{path.name}{ending}" for ending in BESIDE[1:]]
    return [name for name in (*beside, *MARKS) if path.with_name(name).exists()]


def ready(path: Path, before: Sequence[str]) -> int:
    """Make or check the database, make it private and bring it up to date; how many migrations were applied.
    before: what tells of a life before. To be called by who holds the lock; takes long for a large file.
    Raises StoreUnusable, OSError, sqlite3.Error."""
    private_files.tighten(ours(path))
    note = path.with_name(path.name + WHOLE)
    if path.exists():
        current = check(path, as_left=_is_as_left(path, note))
        note.unlink(missing_ok=True)  # from now on it is written to, and whoever writes may die
        if not pending(current):
            return 0
        log.info("the database was copied to %s before it is migrated", _copy(path, current))
        with at_once(path) as connection:
            return upgrade(connection)
    if before:
        log.warning(
            "there is no database %s, but %s beside it: it was there before. A new one is begun; if you did "
            "not mean that, stop now and put it back",
            path,
            ", ".join(before),
        )
    return _make(path)


def leave_whole(path: Path) -> None:
    """Note that the database is closed and whole: as long as nobody touches it, the next start need not read
    all of it, which takes long for a large file. To be called by who holds the lock, with no connection left;
    where that cannot be noted nothing is, and all is read again."""
    if _unfinished(path):
        return
    try:
        private_files.write(path.with_name(path.name + WHOLE), _seal(path) + "\n")
    except OSError as error:
        log.debug("how the database was left is not noted", exc_info=error)


def _is_as_left(path: Path, note: Path) -> bool:
    """Whether nobody has touched the database since `leave_whole`."""
    try:
        said = note.read_text(encoding="ascii").strip()
        return said == _seal(path) and not _unfinished(path)
    except (OSError, ValueError):
        return False


def _unfinished(path: Path) -> bool:
    """Whether SQLite has something beside the database that belongs into it."""
    beside = (path.with_name(path.name + ending) for ending in ("-wal", "-journal"))
    return any(one.exists() and one.stat().st_size for one in beside)


def _seal(path: Path) -> str:
    """Another one after every change of the file: its size, its time, and SQLite's count of changes."""
    with path.open("rb") as file:
        counted = file.read(CHANGES.stop)[CHANGES].hex()
    about = path.stat()
    return f"{about.st_size} {about.st_mtime_ns} {counted}"


def ours(path: Path) -> list[Path]:
    """The database, what belongs to it, and copies of it."""
    return [path.with_name(f"{path.name}{ending}") for ending in BESIDE] + sorted(
        found for found in path.parent.glob(f"{_literal(path.name)}.*") if found.is_file()
    )


def _literal(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


@contextmanager
def at_once(path: Path) -> Iterator[Connection]:
    """One transaction on a file that nobody else uses, without foreign keys: to migrate in."""
    engine = migrator(path)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def _make(path: Path) -> int:
    """A new database, under another name until it is whole: so no file of this name is ever half made."""
    fresh = path.with_name(f"{path.name}.new")
    for ending in BESIDE:
        fresh.with_name(f"{fresh.name}{ending}").unlink(missing_ok=True)
    private_files.create(fresh)
    with at_once(fresh) as connection:
        done = upgrade(connection)
    for ending in ("-wal", "-journal"):  # of the database that is gone: the new one must not take them up
        left = path.with_name(f"{path.name}{ending}")
        if left.exists():
            left.replace(path.with_name(f"{path.name}{ending}.left"))
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
    fresh.rename(path)
    make_last(path.parent)
    return done


def make_last(folder: Path) -> None:
    """The new name lasts, where the system lets a folder be written out."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _copy(path: Path, revision: str) -> Path:
    """A copy of the database beside it, named by its revision."""
    target = path.with_name(f"{path.name}.revision-{revision}")
    fresh = target.with_name(f"{target.name}.new")
    fresh.unlink(missing_ok=True)
    private_files.create(fresh)
    with closing(opened(path)) as source, closing(sqlite3.connect(fresh)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, whatever the database has beside it
    fresh.replace(target)
    return target


def opened(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing. (What a crash left in a rollback journal has to be taken back
    first.)"""
    journal = path.with_name(f"{path.name}-journal")
    mode = "rw" if journal.exists() and journal.stat().st_size else "ro"
    address = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT / 1000)


# ------------------------------------------------------------------------- the check


def of_sqlite(path: Path, named: Path | None = None) -> None:
    """Whether it begins as SQLite's files do. Raises StoreNoFolder for a folder, StoreEmpty, StoreForeign,
    OSError."""
    shown = str(named or path)
    if path.is_dir():
        raise probe.StoreNoFolder("a folder", path=shown)
    with path.open("rb") as file:
        begin = file.read(len(MAGIC))
    if not begin:
        raise StoreEmpty("an empty file", path=shown)
    if begin != MAGIC:
        raise StoreForeign("no database", path=shown)


def check(path: Path, named: Path | None = None, *, as_left: bool = False) -> str:
    """The revision of a database that is whole. named: what it is a copy of, to be named in its place.
    as_left: whether it is known to be as it was left, so that its pages need not be read. Raises StoreEmpty,
    StoreForeign, StoreDamaged, StoreTooNew."""
    shown = named or path
    of_sqlite(path, shown)
    size = path.stat().st_size
    if size >= LARGE and not as_left:
        log.info("the database is checked: %s MB, this may take a while", size // 2**20)
    beside = [path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-shm")]
    there = [one for one in beside if one.exists()]
    try:
        with closing(opened(path)) as connection:
            return _whole(connection, shown, as_left)
    except sqlite3.DatabaseError as error:
        if (error.sqlite_errorcode & 0xFF) in DAMAGED:
            raise StoreDamaged("damaged", path=str(shown), why=str(error)) from error
        raise
    finally:
        log_file = beside[0]
        if not log_file.exists() or log_file.stat().st_size == 0:  # nobody else writes meanwhile
            for one in beside:
                if one not in there:  # looking alone made them
                    one.unlink(missing_ok=True)


def read_all(connection: sqlite3.Connection, path: Path) -> None:
    """Whether each page fits the others. path: to be named. Raises StoreDamaged."""
    [(verdict,)] = connection.execute("PRAGMA quick_check(1)").fetchall()
    if verdict != "ok":
        raise StoreDamaged("damaged", path=str(path), why=" ".join(str(verdict).split())[:100])


def _whole(connection: sqlite3.Connection, path: Path, as_left: bool) -> str:
    def damaged(why: str) -> StoreDamaged:
        return StoreDamaged("damaged", path=str(path), why=why)

    if not as_left:
        read_all(connection, path)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    there = {
        name: {row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(name)})")} for name in names
    }
    found: list[tuple[object]] = []
    if there.get("alembic_version") == {"version_num"}:
        found = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    [revision] = [str(one) for (one,) in found] if len(found) == 1 else [""]
    try:
        pending(revision)
    except StoreTooNew:
        if {"tables", "seats", "events"} <= there.keys() and revision:
            raise
        if "alembic_version" in there and "tables" in there:
            raise damaged("alembic_version") from None
        raise StoreForeign("another's database", path=str(path)) from None
    for name, wanted in tables_at(revision).tables.items():
        if missing := set(wanted.columns.keys()) - there.get(name, set()):
            raise damaged(name if name not in there else f"{name}.{min(missing)}")
    [(tables, events)] = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM tables), EXISTS (SELECT 1 FROM events)"
    ).fetchall()
    if tables and not events:  # to be opened is a table's first event
        raise damaged("events")
    return revision


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
