"""A database as it is at one moment, to be read at leisure: also while a bot runs on it, whose lock is not
asked for.

SQLite's own backup copies the file, log and all, within one read transaction, into a private folder; from the
copy is read. From PostgreSQL is read within one transaction, by a cursor on the server.

Rows come as lines of JSON that are the same whatever kind of database they are in, so that a hash of them
tells whether two databases hold the same.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    Boolean,
    Connection,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    collate,
    column,
    func,
    select,
    table,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.pool import NullPool

from bot import private_files
from bot.tables.ports import StoreFull, StoreUnusable

from . import files, probe, schema
from .engines import address_of, connecting, driver_of, path_of, unopened
from .migrating import pending, revision_of, tables_at
from .trouble import cause_of, kind_of, sqlstate

log = logging.getLogger(__name__)

T = TypeVar("T")
AT_ONCE = 500  # rows that are fetched together
UNMADE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)  # told where it can make no file beside a database
LEFT_OVER = 86_400.0  # seconds after which such a folder is of a process that was killed


class StoreMissing(StoreUnusable):
    """There is no such database file. data: path."""

    key = "tables.store_missing"


class StoreNew(StoreUnusable):
    """The database holds nothing of ours yet."""

    key = "tables.store_new"


class Figures(NamedTuple):
    """What two databases with the same content have in common. counts: rows by table. hashes: SHA-256 over
    each table's lines, each with its line end. chain: of the events in order of table and revision; each link
    is the SHA-256 of the link before and the event's line, the first link before is empty."""

    counts: dict[str, int]
    hashes: dict[str, str]
    chain: str


class Measure:
    """Takes a database's lines, table by table, and tells their figures."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._hashes: dict[str, Any] = {}
        self._chain = b""

    def through(self, name: str, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The same lines of that table, each looked at as it passes."""
        count, whole = 0, sha256()
        for line in lines:
            count += 1
            whole.update(line)
            if name == "events":
                self._chain = sha256(self._chain + line).digest()
            yield line
        self._counts[name], self._hashes[name] = count, whole.hexdigest()

    def of(self, name: str, lines: Iterable[bytes]) -> None:
        for _ in self.through(name, lines):
            pass

    def figures(self) -> Figures:
        return Figures(self._counts, self._hashes, self._chain.hex())


class Moment:
    """What a database holds, within a transaction that sees one moment of it."""

    def __init__(self, connection: Connection) -> None:
        """Raises StoreNew, StoreTooNew."""
        found = revision_of(connection)
        if found is None:
            raise StoreNew("nothing there")
        pending(found)
        self.revision = found
        self.kind = connection.dialect.name
        self._connection = connection

    @property
    def tables(self) -> list[Table]:
        return kept_at(self.revision)

    @property
    def served(self) -> datetime | None:
        """Until when a bot served it for certain, where that is known."""
        alive = schema.alive
        if alive.name not in tables_at(self.revision).tables:
            return None
        newest = self._connection.scalar(select(func.max(alive.c.at)))
        return newest if isinstance(newest, datetime) else None

    def lines(self, of: Table) -> Iterator[bytes]:
        """Its rows in the order of their keys."""
        names, flags = columns_of(of)
        order: list[Any] = [column(key.name) for key in key_of(of)]
        if self.kind == "postgresql":  # else as the server's language sorts
            order = [
                collate(one, "C") if isinstance(key.type, String) else one
                for one, key in zip(order, key_of(of), strict=True)
            ]
        query: Any = select(*map(column, names)).select_from(table(of.name)).order_by(*order)
        for row in self._rows(query, of.name):
            yield line(names, flags, row)

    def _rows(self, query: Any, name: str) -> Iterator[Sequence[Any]]:
        if self.kind == "sqlite":
            yield from self._connection.execution_options(yield_per=AT_ONCE).execute(query)
            return
        # A cursor that is closed by its name: the driver's own stay open until the transaction ends, and hold
        # up migrations in it. One name for each table, since the driver remembers what comes from where.
        words = query.compile(dialect=self._connection.dialect)
        self._connection.exec_driver_sql(f"DECLARE all_{name} NO SCROLL CURSOR FOR {words}")
        while some := self._connection.exec_driver_sql(f"FETCH {AT_ONCE} FROM all_{name}").all():
            yield from some
        self._connection.exec_driver_sql(f"CLOSE all_{name}")

    def figures(self) -> Figures:
        measure = Measure()
        for one in self.tables:
            measure.of(one.name, self.lines(one))
        return measure.figures()


def kept_at(revision: str) -> list[Table]:
    """The tables of that revision whose rows last, those first that others refer to."""
    made: MetaData = tables_at(revision)
    return [one for one in made.sorted_tables if one.name not in schema.VOLATILE]


def columns_of(of: Table) -> tuple[list[str], list[bool]]:
    """Their names, and whether they are yes or no."""
    return of.columns.keys(), [isinstance(one.type, Boolean) for one in of.columns]


def key_of(of: Table) -> Sequence[Any]:
    """The columns that tell its rows apart."""
    if keys := list(of.primary_key.columns):
        return keys
    [unique] = [one for one in of.constraints if isinstance(one, UniqueConstraint)]
    return list(unique.columns)


def line(names: Sequence[str], flags: Sequence[bool], row: Sequence[Any]) -> bytes:
    """A row as JSON. What is yes or no is so on every kind of database; what a SQLite file holds of bytes,
    where none belong, stands as {"hex": …}."""
    values = [
        bool(value) if flag and type(value) is int and value in (0, 1) else value
        for flag, value in zip(flags, row, strict=True)
    ]
    whole = dict(zip(names, values, strict=True))
    return _ENCODER.encode(whole).encode() + b"\n"


def _hex(value: object) -> Mapping[str, str]:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    raise TypeError(type(value).__name__)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_hex)


# ------------------------------------------------------------------------- one moment


async def at_one_moment(address: str, scratch: Path, work: Callable[[Moment], T]) -> T:
    """What `work` comes to, at one moment of that database. scratch: a private folder, in which a SQLite
    database is copied. Raises StoreUnusable, and whatever `work` raises."""
    with told():
        url = address_of(address)
        if url.get_backend_name() == "sqlite":
            copy = _copied(path_of(url), scratch)
            files.check(copy, path_of(url))
            with files.at_once(copy) as connection:
                return work(Moment(connection))
        async with postgresql(url) as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            return await connection.run_sync(lambda sync: work(Moment(sync)))


@asynccontextmanager
async def postgresql(url: URL) -> AsyncIterator[AsyncConnection]:
    """A connection of its own, closed at the end. Raises StoreDriver, StoreUnopened, StoreNoRoom."""
    with driver_of(url):
        engine = connecting(url, poolclass=NullPool)
    try:
        connection = await engine.connect()
    except Exception as error:  # the driver has errors of its own, whose words may hold the address
        log.debug("the database cannot be reached", exc_info=error)
        raise unopened(error) from None
    try:
        yield connection
    finally:
        await connection.close()
        await engine.dispose()


@contextmanager
def told() -> Iterator[None]:
    """What databases raise becomes StoreUnopened or StoreNoRoom, without their own words: they may hold the
    address. Where there is no room left for a file it is the OSError that other files get."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        if kind_of(error) is StoreFull and not sqlstate(cause_of(error)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        log.debug("the database cannot be used", exc_info=error)
        raise unopened(error) from None


def _copied(path: Path, scratch: Path) -> Path:
    """All in one step: a copy made in several begins anew whenever somebody writes. Writers go on meanwhile.
    The file is opened by SQLite alone: where this process has it open too, closing it by other means would
    give up that one's locks."""
    if not path.exists():
        raise StoreMissing("no such file", path=str(path))
    probe.readable(path)
    if path.stat().st_size == 0:  # of which the copy would be a database
        raise files.StoreEmpty("an empty file", path=str(path))
    copy = scratch / path.name
    try:
        with closing(files.opened(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except sqlite3.DatabaseError as error:
        kind = error.sqlite_errorcode & 0xFF
        unmade = error.sqlite_errorcode == sqlite3.SQLITE_READONLY_DIRECTORY or kind in UNMADE
        if kind == sqlite3.SQLITE_NOTADB:
            raise files.StoreForeign("no database", path=str(path)) from None
        if kind in files.DAMAGED:
            raise files.StoreDamaged("damaged", path=str(path), why=str(error)) from None
        if not (unmade and _takes_nothing(path)):
            raise
        _copy_as_it_lies(path.resolve(), copy)
    return copy


def _takes_nothing(path: Path) -> bool:
    """Whether this account can make no file beside the database: so SQLite cannot read it. (Whoever else
    writes to it has made them, and then it can.)"""
    if not path.is_file():
        return False
    try:
        probe.folder(path.resolve().parent)
    except StoreUnusable:
        return True
    return False


def _copy_as_it_lies(path: Path, copy: Path) -> None:
    """The file with its log. path: no link, for its log lies beside the file itself."""
    log = path.with_name(f"{path.name}-wal")
    shutil.copyfile(path, copy)
    if log.exists():
        shutil.copyfile(log, copy.with_name(f"{copy.name}-wal"))


@contextmanager
def scratch_in(folder: Path) -> Iterator[Path]:
    """A private folder within that one, gone at the end. Those that processes left which were killed go
    too."""
    for left in folder.glob(f"{private_files.SCRATCH}*"):
        if left.is_dir() and time.time() - left.stat().st_mtime > LEFT_OVER:
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=private_files.SCRATCH, dir=folder) as made:
        private_files.give(Path(made))
        yield Path(made)
