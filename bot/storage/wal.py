"""SQLite's write-ahead log, kept short.

What is stored goes to the end of a log first and is carried over into the database's file later (a
checkpoint). The writer does so by itself only where the log has become long: it would keep a move waiting for
the disk. So it is done beside it, on a connection of its own, by a job (`SqlStore.checkpoint`).

The log begins anew, and is cut, only while nobody reads what it held: whoever reads for long lets it grow.
Readings of this process are ended where it has grown too far; of another process's a warning tells.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock

from sqlalchemy.exc import OperationalError

log = logging.getLogger(__name__)

MEGABYTE = 2**20
EVERY = 15.0  # seconds between two looks
WORTH_IT = MEGABYTE  # bytes from which on the log is carried over
LIMIT = 16 * MEGABYTE  # bytes: it is cut where it is longer, and left no longer when it begins anew
BY_ITSELF = 4096  # pages (16 MiB) after which the writer carries it over, should the job not have done so
TOO_LONG = 64 * MEGABYTE  # bytes from which on nobody of us may read for long
LONG = 30.0  # seconds of a reading that is ended then


class Readings:
    """What this process reads just now, each on a connection of its own; each can be ended."""

    def __init__(self) -> None:
        self._on: dict[sqlite3.Connection, float] = {}  # loop time at which it began
        self._lock = Lock()  # no connection is interrupted that is read by for somebody else already

    @contextmanager
    def one(self, connection: sqlite3.Connection, now: float) -> Iterator[None]:
        """In the thread that reads. Raises TimeoutError where it was ended."""
        with self._lock:
            self._on[connection] = now
        try:
            yield
        except OperationalError as error:
            if getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                raise TimeoutError from error
            raise
        finally:
            with self._lock:
                del self._on[connection]

    def end(self, older: float) -> int:
        """End those that have lasted longer than so many seconds; their number."""
        now = asyncio.get_running_loop().time()
        with self._lock:
            found = [connection for connection, began in self._on.items() if now - began >= older]
            for connection in found:
                connection.interrupt()
        return len(found)


class WriteAheadLog:
    """The log of one database file."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._file = database.with_name(f"{database.name}-wal")
        self._told = False

    def size(self) -> int:
        """In bytes; 0 where there is none."""
        try:
            return self._file.stat().st_size
        except FileNotFoundError:
            return 0

    async def keep_short(self, readings: Readings) -> None:
        """Carry it over where that is worth it, and cut it where it is too long. Raises sqlite3.Error,
        OSError."""
        size = await asyncio.to_thread(self._shorten)
        if size <= TOO_LONG:
            self._told = self._told and size > LIMIT
            return
        ended = readings.end(LONG)
        if ended:
            log.warning("%s long readings of the database were ended: they kept its log growing", ended)
        elif not self._told:
            self._told = True
            log.warning(
                "the database's log has grown to %s MB: another program has been reading the database for "
                "long. The log is cut once it is done",
                size // MEGABYTE,
            )

    def _shorten(self) -> int:
        """Its size afterwards. Waits for nobody: who reads or writes is not disturbed."""
        if self.size() < WORTH_IT:
            return self.size()
        with closing(sqlite3.connect(self._database, timeout=0, isolation_level=None)) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if self.size() > LIMIT:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return self.size()
