"""A look at a database from outside: its revision and its log, without the lock, changing nothing.

So it can be told how a database fares while a bot has it, or before any bot is started.
"""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.engine import URL

from bot.tables.ports import StoreUnopened

from . import probe
from .engines import BUSY_TIMEOUT, StoreNoGrant, address_of, path_of
from .files import BESIDE, DAMAGED, LARGE, StoreDamaged, StoreEmpty, StoreForeign, read_all
from .migrating import pending, revision_of
from .snapshot import postgresql, told
from .wal import WriteAheadLog

MAY_MAKE_TABLES = text("SELECT has_schema_privilege(current_schema(), 'CREATE')")


@dataclass(frozen=True, slots=True)
class Look:
    """kind: `sqlite` or `postgresql`. there: whether there is a database at all, of any revision. missing:
    migrations still to be applied. file: of SQLite. size, log: bytes of the file, and of its write-ahead
    log."""

    kind: str
    there: bool
    missing: int
    file: Path | None = None
    size: int = 0
    log: int = 0


async def look(url: str) -> Look:
    """url: as `SqlStore.open` takes it. Raises StoreUnusable (of which StoreTooNew, StoreEmpty, StoreForeign,
    StoreDriver and StoreUnopened are kinds)."""
    address = address_of(url)
    if address.get_backend_name() == "sqlite":
        return await asyncio.to_thread(_file, path_of(address))
    return await _server(address)


def _file(path: Path) -> Look:
    """It is opened by SQLite alone: where this process has it open too, closing it by other means would give
    up that one's locks."""
    with probe.told(path):
        if not path.exists():
            return Look("sqlite", False, len(pending(None)), path)
        probe.readable(path)
        path = path.resolve()  # a link's log lies beside the file itself
        for ending in BESIDE:
            probe.usable(path.with_name(f"{path.name}{ending}"))
    log, before = path.with_name(f"{path.name}-wal"), path.stat()
    size, lonely = before.st_size, not log.exists()
    if size == 0:
        raise StoreEmpty("an empty file", path=str(path))
    try:
        found = _revision(path, lonely=lonely, whole=size >= LARGE)
    except (sqlite3.Error, OSError, StoreDamaged) as error:
        after = path.stat()
        if lonely and (log.exists() or (after.st_size, after.st_mtime_ns) != (size, before.st_mtime_ns)):
            return _file(path)  # somebody has begun to write meanwhile: what was read may not fit together
        if isinstance(error, StoreDamaged):
            raise
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_NOTADB:
            raise StoreForeign("no database", path=str(path)) from None
        if code in DAMAGED:
            raise StoreDamaged("damaged", path=str(path), why=str(error)) from None
        raise StoreUnopened("cannot be read", why=type(error).__name__) from error
    if found is None:
        raise StoreForeign("another's database", path=str(path))
    return Look("sqlite", True, len(pending(found)), path, size, WriteAheadLog(path).size())


def _revision(path: Path, *, lonely: bool, whole: bool) -> str | None:
    """None where it has none. lonely: there is no log beside it. Then SQLite must not look for one: it would
    make it, and leave it behind. whole: it is taken to be; else all of it is read. Raises StoreDamaged."""
    address = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if lonely else ''}"
    with closing(sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT / 1000)) as connection:
        known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
        if known is None:
            return None
        if not whole:
            read_all(connection, path)
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return None if row is None else str(row[0])


async def _server(address: URL) -> Look:
    with told():
        async with postgresql(address) as connection:
            found = await connection.run_sync(revision_of)
            if found is None and not await connection.scalar(MAY_MAKE_TABLES):
                raise StoreNoGrant("no grant", why="no right to create")
            return Look(address.get_backend_name(), found is not None, len(pending(found)))
