"""Engines for each kind of database, and what every connection of theirs is set to."""

from __future__ import annotations

import errno
import math
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DisconnectionError, InvalidatePoolError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool, SingletonThreadPool, StaticPool

from bot.private_files import NO_ROOM
from bot.tables.ports import StoreDriver, StoreFull, StoreUnopened, StoreUnusable

from .probe import StoreNoRoom
from .trouble import cause_of, kind_of, sqlstate
from .wal import BY_ITSELF, LIMIT

BUSY_TIMEOUT = 5000  # milliseconds that SQLite waits for another connection
READERS = 3
ANYWHERE = {"check_same_thread": False}  # used by one thread, interrupted and closed by others
CONNECTED = 8.0  # seconds that PostgreSQL may take to let a connection in
UNUSED = 30.0  # seconds after which a connection to PostgreSQL is asked whether it still is one
ASKED = 5.0  # seconds that it may take to say so
# A machine that is gone says no goodbye: the server asks it, and frees its locks within a minute.
# (While it has said something that was not acknowledged it does not ask, and waits for that as long.)
KEEPALIVE = (
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;"
    " SET tcp_user_timeout = 60000"
)
KINDS = frozenset({"sqlite", "postgresql"})


class StoreNoAddress(StoreUnopened):
    """What should be a database's address is none."""

    key = "tables.store_no_address"


class StoreSlashes(StoreNoAddress):
    """After sqlite: come two slashes, which make a host of the path's beginning."""

    key = "tables.store_slashes"


class StoreNoFile(StoreUnopened):
    """A SQLite address without a file's name: what is kept in memory is lost when the process stops."""

    key = "tables.store_no_file"


class StoreNoKind(StoreUnusable):
    """A database of a kind that is not supported. data: kind."""

    key = "tables.store_no_kind"


class StoreNoDatabase(StoreUnopened):
    """The server has no database of that name."""

    key = "tables.store_no_database"


class StoreNoEntry(StoreUnopened):
    """The server does not take the user or the password."""

    key = "tables.store_no_entry"


class StoreNotAdmitted(StoreUnopened):
    """The server is there and lets nobody in who comes so: an unknown user, pg_hba.conf, with or without
    SSL."""

    key = "tables.store_not_admitted"


class StoreNoGrant(StoreUnopened):
    """The server takes the user, who may not make tables in that database, or not use those of another."""

    key = "tables.store_no_grant"


class StoreNoHost(StoreUnopened):
    """There is no such host. (What stands unescaped in a password may have become a part of its name.)"""

    key = "tables.store_no_host"


class StoreNoServer(StoreUnopened):
    """Nothing answers there. data: why."""

    key = "tables.store_no_server"


POSTGRESQL = {
    "3D000": StoreNoDatabase,
    "28P01": StoreNoEntry,
    "28000": StoreNotAdmitted,
    "42501": StoreNoGrant,
    "3F000": StoreNoGrant,
}
# The last two of a socket's folder that is not there.
UNREACHED = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENOENT, errno.ENOTDIR}


def changes(connection: Connection) -> int | None:
    """Rows that a connection to SQLite has ever changed; None where nobody counts them."""
    driver = connection.connection.driver_connection
    return driver.total_changes if isinstance(driver, sqlite3.Connection) else None


def address_of(url: str) -> URL:
    """Raises StoreNoAddress (of which StoreSlashes is a kind), without its words: they would hold a password;
    StoreNoKind."""
    try:
        address = make_url(url)
    except Exception as error:  # a part that is no number is told by another error than a wrong whole
        raise StoreNoAddress("no address", why=type(error).__name__) from None
    if (kind := address.get_backend_name()) not in KINDS:
        raise StoreNoKind("no such kind", kind=kind)
    if kind == "sqlite" and (address.host or address.username):
        raise StoreSlashes("a host", why="host")
    return address


def in_memory(address: URL) -> bool:
    """Whether a SQLite address is of a database that lives as long as its process."""
    return not address.database or address.database == ":memory:"


def path_of(address: URL) -> Path:
    """The file of a SQLite address. Raises StoreNoFile."""
    if in_memory(address) or not address.database or address.database.startswith("file:"):
        raise StoreNoFile("a file's name is wanted", why="no file")
    return Path(address.database)


def unopened(error: Exception, *, file: str | None = None) -> StoreUnopened | StoreNoRoom:
    """What a host is told of it. A driver's words may hold the address: of them only the error's name is
    kept. file: SQLite's, where no server was asked. (It may lie on a disk in the network.)"""
    cause = cause_of(error)
    while isinstance(cause, BaseExceptionGroup):  # one for each address that the host has
        cause = cause.exceptions[0]
    if kind_of(error) is StoreFull or getattr(cause, "errno", None) in NO_ROOM:
        return StoreNoRoom("no room", path="PostgreSQL" if file is None else file)
    kind = _unreached(cause) if file is None else None
    kind = kind or POSTGRESQL.get(sqlstate(cause), StoreUnopened)
    return kind("the database cannot be opened", why=type(cause).__name__)


def _unreached(cause: BaseException) -> type[StoreUnopened] | None:
    """What tells that there was no talking with a server."""
    if isinstance(cause, socket.gaierror):
        return StoreNoHost
    if type(cause) is ConnectionError and "SSL" in str(cause):  # asyncpg's own: it was not agreed on
        return StoreNotAdmitted
    several = type(cause) is OSError and cause.errno is None  # asyncio's, for several addresses of a host
    if several or isinstance(cause, ConnectionError | TimeoutError):
        return StoreNoServer
    return StoreNoServer if getattr(cause, "errno", None) in UNREACHED else None


@contextmanager
def driver_of(address: URL) -> Iterator[None]:
    """Raises StoreDriver where what is done within finds no driver for that address."""
    try:
        yield
    except (ImportError, NoSuchModuleError) as error:
        name = getattr(error, "name", None) or address.get_driver_name()
        raise StoreDriver("no driver", kind=address.get_backend_name(), name=name) from error


def passing() -> Engine:
    """A SQLite database that lives as long as its engine."""
    return _sqlite(URL.create("sqlite"), "BEGIN IMMEDIATE", poolclass=StaticPool)


def writer(address: URL) -> Engine:
    """The one writing connection to a SQLite file."""
    return _sqlite(address, "BEGIN IMMEDIATE", poolclass=StaticPool)


def reader(address: URL) -> Engine:
    """A few connections to a SQLite file, to read by: one for each thread that asks."""
    return _sqlite(address, "BEGIN", poolclass=SingletonThreadPool, pool_size=READERS)


def _sqlite(address: URL, begin: str, **pool: Any) -> Engine:
    engine = create_engine(
        address.set(drivername="sqlite"), hide_parameters=True, connect_args=ANYWHERE, **pool
    )
    _prepare(engine, begin)
    return engine


def migrator(path: Path) -> Engine:
    """A SQLite file for migrations, which are run in a thread. Foreign keys are not enforced: where a table
    is made anew, dropping the old one would delete all that refers to it. It must be so from the
    connection's start, for within a transaction the pragma does nothing."""
    engine = create_engine(URL.create("sqlite", database=str(path)), hide_parameters=True, poolclass=NullPool)
    _prepare(engine, "BEGIN IMMEDIATE", foreign_keys="OFF")
    return engine


def connecting(address: URL, **pool: Any) -> AsyncEngine:
    """To PostgreSQL. (The driver waits a minute for a server that takes the connection and says nothing.)"""
    engine = create_async_engine(address, hide_parameters=True, connect_args={"timeout": CONNECTED}, **pool)

    @event.listens_for(engine.sync_engine, "connect")
    def connected(connection: Any, _record: object) -> None:
        connection.run_async(lambda driver: driver.execute(KEEPALIVE))

    return engine


def postgresql(address: URL) -> AsyncEngine:
    engine = connecting(address, pool_size=10, max_overflow=5)
    _never_closed(engine.sync_engine)
    return engine


def _never_closed(engine: Engine) -> None:
    """A connection that the server has closed is not given out: the driver was told, so nothing is asked. One
    that nobody has used for a while may be dead without a word, so it is asked. (SQLAlchemy's `pool_pre_ping`
    asks each time, and that takes three ways to the server and back, as much as a small transaction.)"""

    @event.listens_for(engine, "checkin")
    def laid_down(_connection: Any, record: Any) -> None:
        record.info["laid_down"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def taken(connection: Any, record: Any, _proxy: object) -> None:
        if connection.driver_connection.is_closed():
            raise DisconnectionError
        if time.monotonic() - record.info.get("laid_down", math.inf) > UNUSED:
            try:
                connection.run_async(lambda driver: driver.execute("SELECT 1", timeout=ASKED))
            except TimeoutError as error:  # as dead as this one are those that have lain as long
                raise InvalidatePoolError from error
            except Exception as error:
                raise DisconnectionError from error


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
        connection.text_factory = _text
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
