"""What a database can suffer from while it is in use, told apart from faults of ours: once a time of
trouble in the log, and in words of its own to people."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy.exc import DBAPIError, StatementError

from bot.tables.ports import StoreAway, StoreBroken, StoreFailing, StoreFull, StoreReadOnly, StoreTrouble

log = logging.getLogger(__name__)

SQLITE = {
    sqlite3.SQLITE_FULL: StoreFull,
    sqlite3.SQLITE_IOERR_SHMSIZE: StoreFull,  # there is no room for the file beside the log
    sqlite3.SQLITE_READONLY: StoreReadOnly,
    sqlite3.SQLITE_IOERR: StoreFailing,
    sqlite3.SQLITE_CANTOPEN: StoreFailing,
    sqlite3.SQLITE_CORRUPT: StoreBroken,
    sqlite3.SQLITE_NOTADB: StoreBroken,
}
POSTGRESQL = {
    "08": StoreAway,  # all of this class: no connection
    "53100": StoreFull,
    "53300": StoreAway,  # it has too many connections
    "57P01": StoreAway,  # it stops, or has crashed, or starts
    "57P02": StoreAway,
    "57P03": StoreAway,
    "57P05": StoreAway,  # it has ended a connection that was idle
    "25P03": StoreAway,
    "25006": StoreReadOnly,
    "58030": StoreFailing,
    "XX001": StoreBroken,
    "XX002": StoreBroken,
}
TAKEN_BACK = frozenset({"40P01", "40001"})  # a deadlock; a row that changed meanwhile


class Unreached(Exception):
    """No connection to a server could be made."""


def cause_of(error: BaseException) -> BaseException:
    """A driver's error, as it is or as SQLAlchemy hands it on."""
    return error.orig if isinstance(error, StatementError) and error.orig is not None else error


def sqlstate(cause: BaseException) -> str:
    """By which PostgreSQL tells what is wrong; nothing where it is not PostgreSQL that told."""
    return str(getattr(cause, "sqlstate", None) or "")


def taken_back(error: DBAPIError) -> bool:
    """Whether PostgreSQL has undone a transaction for another's sake: carried out again it may go through."""
    return sqlstate(cause_of(error)) in TAKEN_BACK


def kind_of(error: Exception) -> type[StoreTrouble] | None:
    """What a driver's error tells; None for any other."""
    cause = cause_of(error)
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0)
        return SQLITE.get(code) or SQLITE.get(code & 0xFF)
    state = sqlstate(cause)
    if known := POSTGRESQL.get(state) or POSTGRESQL.get(state[:2]):
        return known
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    return StoreAway if lost or isinstance(error, Unreached) else None


@dataclass(slots=True)
class Attempt:
    """writing: whether something is written; set anew by who finds out that there was nothing to write, which
    goes through on a full disk too."""

    writing: bool


class Troubles:
    """Times of trouble. What shows when something is written is over once a write succeeds, and that a server
    does not answer once it does; what else shows when something is read, and damage, lasts as long as the
    process."""

    def __init__(self) -> None:
        self._on: dict[type[StoreTrouble], bool] = {}  # whether it ends

    @property
    def damage(self) -> bool:
        """Whether the database was found damaged."""
        return StoreBroken in self._on

    @contextmanager
    def watched(self, *, writing: bool) -> Iterator[Attempt]:
        """Raises StoreTrouble in place of the driver's error."""
        attempt = Attempt(writing)
        try:
            yield attempt
        except Exception as error:
            kind = kind_of(error)
            if kind is None:
                raise
            if kind not in self._on:
                self._on[kind] = kind is StoreAway or (writing and kind is not StoreBroken)
                log.error("the database is in trouble: %s (%s)", kind.said, cause_of(error))
            raise kind(kind.said) from error
        wrote = attempt.writing
        for kind in [kind for kind, ends in self._on.items() if ends and (wrote or kind is StoreAway)]:
            del self._on[kind]
            log.warning("the database can be %s again: no more %s", "written" if wrote else "read", kind.said)
