"""Alembic on an open connection: the schema is brought up to date at every start, in one transaction.

What was there before is looked at again before the transaction ends: no row may be lost, no reference lead
nowhere, and every open table must still give the position it gave. A migration that means to change that says
so: its module names the tables in `CHANGES`, a set (`"positions"` for the positions of open tables).
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    BigInteger,
    Boolean,
    Connection,
    Integer,
    MetaData,
    Table,
    create_engine,
    func,
    inspect,
    select,
    table,
    text,
)
from sqlalchemy.pool import StaticPool

from bot.tables.model import Status
from bot.tables.ports import StoreUnusable
from bot.tables.positions import Unloadable, rebuild, restore

from . import reading, schema

MIGRATION_LOCK = 0x50414C4D  # PostgreSQL advisory lock: one process migrates at a time
SCRIPTS = Path(__file__).with_name("migrations")
VERSIONS = "alembic_version"
POSITIONS = "positions"
_OPEN = f"status <> '{Status.ENDED.value}'"
_ENTRIES = text("SELECT * FROM events WHERE table_id = :id ORDER BY revision")
_Row = dict[str, Any]


class StoreTooNew(StoreUnusable):
    """The database was made by a later version of Parlour. data: found."""

    key = "tables.store_too_new"

    def __init__(self, found: str) -> None:
        super().__init__(f"database revision {found} is not known here", found=found)


class StoreNotMigrated(StoreUnusable):
    """A migration failed, or would have damaged what is stored: nothing was changed. data: found, wanted (the
    revisions), why."""

    key = "tables.store_not_migrated"


def upgrade(connection: Connection) -> int:
    """How many migrations were applied, within the caller's transaction. Raises StoreTooNew and
    StoreNotMigrated: then the transaction must not be stored."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
    current = revision_of(connection)
    wanted = pending(current)
    if not wanted:
        return 0
    if current is None:
        command.upgrade(_config(connection), "head")
        return len(wanted)
    before = _survey(connection, {})
    try:
        command.upgrade(_config(connection), "head")
        why = _harm(before, _survey(connection, before.open), _declared(wanted))
    except Exception as error:  # a migration may raise anything
        raise StoreNotMigrated(
            f"migration failed: {error}", found=current, wanted=wanted[-1], why=type(error).__name__
        ) from error
    if why is not None:
        raise StoreNotMigrated("migration refused", found=current, wanted=wanted[-1], why=why)
    return len(wanted)


def revision_of(connection: Connection) -> str | None:
    """The database's revision, None for an empty one."""
    return MigrationContext.configure(connection).get_current_revision()


def pending(current: str | None) -> list[str]:
    """The revisions still to be applied, in order. Raises StoreTooNew."""
    order = [one.revision for one in ScriptDirectory.from_config(_config(None)).walk_revisions()][::-1]
    if current is not None and current not in order:
        raise StoreTooNew(current)
    return order if current is None else order[order.index(current) + 1 :]


@lru_cache
def tables_at(revision: str) -> MetaData:
    """Every table that a database of that revision has: made by the migrations themselves, in memory."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    found = MetaData()
    with engine.begin() as connection:
        with _untold():
            begin_at(connection, revision)
        found.reflect(connection)
    engine.dispose()
    found.remove(found.tables[VERSIONS])
    return found


@contextmanager
def _untold() -> Iterator[None]:
    """What is made in memory to compare by is no upgrade of the host's database: the log is silent of it."""
    told = logging.getLogger("alembic.runtime.migration")
    told.addFilter(_nothing)
    try:
        yield
    finally:
        told.removeFilter(_nothing)


def _nothing(_: logging.LogRecord) -> bool:
    return False


def begin_at(connection: Connection, revision: str) -> None:
    """Make the tables of that revision in an empty database."""
    command.upgrade(_config(connection), revision)


def unloadable(connection: Connection) -> list[str]:
    """The tables of a database that is up to date that are neither ended nor set aside and cannot be loaded,
    by their ids."""
    loaded = {name for name, _ in _load(connection, {})}
    rows = connection.execute(select(schema.tables.c.id, schema.tables.c.status))
    over = {Status.ENDED.value, Status.ASIDE.value}
    return sorted(str(name) for name, status in rows if status not in over and name not in loaded)


def _config(connection: Connection | None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _declared(revisions: list[str]) -> frozenset[str]:
    """What these migrations say that they change."""
    scripts = ScriptDirectory.from_config(_config(None))
    found = [scripts.get_revision(one) for one in revisions]
    return frozenset(name for one in found if one for name in getattr(one.module, "CHANGES", ()))


# ------------------------------------------------------------------------- what is there


@dataclass(slots=True)
class _Survey:
    """rows: how many each table has. astray: how many references lead nowhere, by both tables. open: every
    open table that can be loaded."""

    rows: dict[str, int] = field(default_factory=dict)
    astray: Counter[tuple[str, str]] = field(default_factory=Counter)
    open: dict[str, _Loaded] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """An open table. position: None before its start. of: a hash of all that it was made from; None where
    that was its events."""

    position: Any
    of: bytes | None


def _survey(connection: Connection, before: Mapping[str, _Loaded]) -> _Survey:
    """before: tables as they were, of which those need not be loaded again that are made from the same."""
    found = _Survey()
    for name in inspect(connection).get_table_names():
        if name != VERSIONS:
            found.rows[name] = connection.scalar(select(func.count()).select_from(table(name))) or 0
    if connection.dialect.name == "sqlite":  # PostgreSQL never lets one go astray
        for child, _, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
            found.astray[child, parent] += 1
    if "tables" in found.rows:
        found.open.update(_load(connection, before))
    return found


def _load(connection: Connection, before: Mapping[str, _Loaded]) -> Iterator[tuple[str, _Loaded]]:
    """Every open table that can be loaded, as the service would load it."""
    seats, votes = _by_table(connection, schema.seats), _by_table(connection, schema.votes)
    for row in connection.execute(text(f"SELECT * FROM tables WHERE {_OPEN} ORDER BY id")).mappings():
        name = row["id"]
        if not isinstance(name, str):
            continue
        parts = _whole(schema.tables, row), seats.get(name, []), votes.get(name, [])
        of = sha256(repr(parts).encode()).digest()
        same = before.get(name)
        loaded = same if same is not None and same.of == of else _loaded(connection, parts, of)
        if loaded is not None:
            yield name, loaded


def _loaded(connection: Connection, parts: tuple[_Row, list[_Row], list[_Row]], of: bytes) -> _Loaded | None:
    """None where it cannot be loaded."""
    found, faults = reading.table(*parts)
    if faults:
        return None
    if found.status is Status.LOBBY:
        return _Loaded(None, of)
    try:
        state = restore(found, parts[0]["state"])
        if state is not None:
            return _Loaded(state.to_json(), of)
        events = connection.execute(_ENTRIES, {"id": found.id}).mappings()
        state = rebuild(found, [reading.entry(_whole(schema.events, one)) for one in events])
    except Unloadable:
        return None
    return _Loaded(state.to_json(), None)


def _by_table(connection: Connection, of: Table) -> dict[str, list[_Row]]:
    found: defaultdict[str, list[_Row]] = defaultdict(list)
    theirs = f"table_id IN (SELECT id FROM tables WHERE {_OPEN})"
    rows = connection.execute(text(f"SELECT * FROM {of.name} WHERE {theirs} ORDER BY table_id, seat"))
    for row in rows.mappings():
        found[row["table_id"]].append(_whole(of, row))
    return found


def _whole(of: Table, row: Any) -> _Row:
    """A row of any revision with the columns of the newest: those that came later empty."""
    return {name: row.get(name, empty) for name, empty in _blank(of).items()}


@cache
def _blank(of: Table) -> _Row:
    blank: _Row = {}
    for column in of.columns:
        number = isinstance(column.type, Integer | BigInteger | Boolean | schema.Time | schema.Flag)
        blank[column.name] = None if column.nullable else 0 if number else ""
    return blank


def _harm(before: _Survey, after: _Survey, declared: frozenset[str]) -> str | None:
    """What a migration did that it must not, in a few words."""
    for name, count in before.rows.items():
        if name in after.rows and after.rows[name] != count and name not in declared:
            return f"{name}: {count} rows became {after.rows[name]}"
    for (child, parent), count in after.astray.items():
        if count > before.astray[child, parent]:
            return f"{child}: {count} rows lead nowhere in {parent}"
    for table_id, loaded in before.open.items():
        if table_id not in after.open:
            return f"table {table_id} cannot be loaded"
        if after.open[table_id].position != loaded.position and POSITIONS not in declared:
            return f"table {table_id} has another position"
    return None
