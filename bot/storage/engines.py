"""Engines for each kind of database, and what every connection of theirs is set to."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import aiosqlite
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool, StaticPool

from bot.tables.ports import StoreDriver, StoreUnopened

from .wal import BY_ITSELF, LIMIT

BUSY_TIMEOUT = 5000  # milliseconds that SQLite waits for another connection
READERS = 3


def address_of(url: str) -> URL:
    """Raises StoreUnopened where it is no address, without its words: they would hold a password."""
    try:
        return make_url(url)
    except Exception as error:  # a part that is no number is told by another error than a wrong whole
        raise StoreUnopened("no address", why=type(error).__name__) from None


@contextmanager
def driver_of(address: URL) -> Iterator[None]:
    """Raises StoreDriver where what is done within finds no driver for that address."""
    try:
        yield
    except (ImportError, NoSuchModuleError) as error:
        name = getattr(error, "name", None) or address.get_driver_name()
        raise StoreDriver("no driver", kind=address.get_backend_name(), name=name) from error


class _Cursor:
    """One statement on aiosqlite, in one go to its thread and back: the cursor is made there, its rows are
    fetched and it is closed. aiosqlite's own goes there for each of these."""

    description: Any = None
    rowcount = -1
    lastrowid: int | None = None
    arraysize = 1

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self._rows: list[Any] = []

    async def __aenter__(self) -> _Cursor:
        return self

    async def execute(self, sql: str, values: Any = ()) -> _Cursor:
        return await self._carried_out("execute", sql, values)

    async def executemany(self, sql: str, values: Any) -> _Cursor:
        return await self._carried_out("executemany", sql, values)

    async def _carried_out(self, how: str, sql: str, values: Any) -> _Cursor:
        def work() -> None:
            with closing(self._connection._conn.cursor()) as cursor:
                getattr(cursor, how)(sql, values)
                self._rows = cursor.fetchall() if cursor.description else []
                self.description = cursor.description
                self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid

        await self._connection._execute(work)  # type: ignore[no-untyped-call]
        return self

    async def fetchall(self) -> list[Any]:
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """It is."""


class _Connection(aiosqlite.Connection):
    """What SQLAlchemy's dialect asks of a connection, with quicker cursors."""

    def cursor(self) -> _Cursor:  # type: ignore[override]
        return _Cursor(self)

    async def commit(self) -> None:
        """What cannot be committed is taken back at once: nobody does so later (see `writer`)."""
        try:
            await super().commit()
        except sqlite3.Error:
            await self.rollback()
            raise


def _connect(*given: Any, **named: Any) -> _Connection:
    connection = _Connection(lambda: sqlite3.connect(*given, **named), 64)
    connection._thread.daemon = True  # as SQLAlchemy does it: a connection left open keeps no process alive
    return connection


QUICKLY = {"async_creator_fn": _connect}


def in_memory(address: URL) -> AsyncEngine:
    """A SQLite database that lives as long as its engine."""
    engine = create_async_engine(address, hide_parameters=True, connect_args=QUICKLY, poolclass=StaticPool)
    _prepare(engine.sync_engine, "BEGIN IMMEDIATE")
    return engine


def writer(address: URL) -> AsyncEngine:
    """The one writing connection to a SQLite file. Every transaction is ended by who began it, so that there
    is nothing to take back when the connection is laid down."""
    engine = create_async_engine(
        address,
        hide_parameters=True,
        connect_args=QUICKLY,
        pool_size=1,
        max_overflow=0,
        pool_reset_on_return=None,
    )
    _prepare(engine.sync_engine, "BEGIN IMMEDIATE")
    return engine


def reader(address: URL) -> AsyncEngine:
    """A few connections to a SQLite file, to read by."""
    engine = create_async_engine(
        address, hide_parameters=True, connect_args=QUICKLY, pool_size=READERS, max_overflow=0
    )
    _prepare(engine.sync_engine, "BEGIN")
    return engine


def migrator(path: Path) -> Engine:
    """A SQLite file for migrations, which are run in a thread. Foreign keys are not enforced: where a table
    is made anew, dropping the old one would delete all that refers to it. It must be so from the
    connection's start, for within a transaction the pragma does nothing."""
    engine = create_engine(URL.create("sqlite", database=str(path)), hide_parameters=True, poolclass=NullPool)
    _prepare(engine, "BEGIN IMMEDIATE", foreign_keys="OFF")
    return engine


def postgresql(address: URL) -> AsyncEngine:
    return create_async_engine(
        address, hide_parameters=True, pool_size=10, max_overflow=5, pool_pre_ping=True
    )


def as_of_one_moment(engine: AsyncEngine) -> AsyncEngine:
    """The same connections to PostgreSQL, for reading: what a transaction reads is of one moment, however
    many queries it takes. A table's row and its seats would not fit together otherwise."""
    return engine.execution_options(isolation_level="REPEATABLE READ")


def _prepare(engine: Engine, begin: str, foreign_keys: str = "ON") -> None:
    """Pragmas for each new connection, and transactions begun by us: the driver's own begin too late."""

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        # A text that is no UTF-8 would make the driver refuse every row that is read together with it.
        getattr(connection, "driver_connection", connection).text_factory = _text
        cursor = connection.cursor()
        for pragma in (
            f"busy_timeout = {BUSY_TIMEOUT}",
            "journal_mode = WAL",
            "synchronous = FULL",
            f"foreign_keys = {foreign_keys}",
            f"wal_autocheckpoint = {BY_ITSELF}",
            f"journal_size_limit = {LIMIT}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begun(connection: Any) -> None:
        connection.exec_driver_sql(begin)


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "replace")
