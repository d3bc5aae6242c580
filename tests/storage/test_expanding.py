"""Migrations expand first: while shards are handed over, the version before works on the new schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.pool import StaticPool

from bot.storage import migrating

ALONE = "0003"  # up to this one a database was served by one process alone

Columns = Mapping[str, Mapping[str, Any]]


def revisions() -> list[str]:
    script = ScriptDirectory.from_config(migrating._config(None))
    return [one.revision for one in script.walk_revisions()][::-1]


def contracts(revision: str) -> dict[str, str]:
    """What a migration says that it drops, by name, with the version of Parlour that uses it no more."""
    script = ScriptDirectory.from_config(migrating._config(None)).get_revision(revision)
    found: dict[str, str] = getattr(script.module, "CONTRACTS", {})
    return found


def columns(connection: Connection) -> Columns:
    look = inspect(connection)
    return {name: {one["name"]: one for one in look.get_columns(name)} for name in look.get_table_names()}


def breaks(before: Columns, after: Columns, declared: Mapping[str, str]) -> list[str]:
    """What the version before could not work with."""
    found: list[str] = []
    for table, known in before.items():
        if table not in after:
            found += [] if table in declared else [f"{table} is gone"]
            continue
        for name, column in known.items():
            now = after[table].get(name)
            if f"{table}.{name}" in declared:
                continue
            if now is None:
                found.append(f"{table}.{name} is gone")
            elif str(now["type"]) != str(column["type"]):
                found.append(f"{table}.{name} has another type")
            elif column["nullable"] and not now["nullable"]:
                found.append(f"{table}.{name} has to be filled")
        for name, column in after[table].items():
            if name not in known and not column["nullable"] and column["default"] is None:
                found.append(f"{table}.{name} is new and has to be filled")
    return found


@pytest.mark.parametrize("revision", [one for one in revisions() if one > ALONE])
def test_the_version_before_works_on_the_schema_after(revision: str) -> None:
    order = revisions()
    engine = create_engine("sqlite://", poolclass=StaticPool)
    with engine.begin() as connection:
        config = migrating._config(connection)
        command.upgrade(config, order[order.index(revision) - 1])
        before = columns(connection)
        command.upgrade(config, revision)
        assert breaks(before, columns(connection), contracts(revision)) == []
    engine.dispose()
    assert all(version for version in contracts(revision).values())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("DROP TABLE b", "b is gone"),
        ("ALTER TABLE a DROP COLUMN x", "a.x is gone"),
        ("ALTER TABLE a RENAME COLUMN x TO z", "a.x is gone"),
        ("ALTER TABLE a ADD COLUMN z TEXT NOT NULL DEFAULT ''", None),
        ("ALTER TABLE a ADD COLUMN z TEXT", None),
        ("CREATE TABLE c (z TEXT NOT NULL)", None),
    ],
)
def test_what_would_break_it_is_seen(change: str, told: str | None) -> None:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE a (x TEXT, y TEXT)"))
        connection.execute(text("CREATE TABLE b (y TEXT)"))
        before = columns(connection)
        connection.execute(text(change))
        found = breaks(before, columns(connection), {})
        assert found[:1] == ([told] if told else [])
        assert breaks(before, columns(connection), {"b": "1.1", "a.x": "1.1"}) == []
    engine.dispose()


def test_a_new_column_that_has_to_be_filled_is_seen() -> None:
    known = {"x": {"type": "TEXT", "nullable": True, "default": None}}
    must = {"type": "TEXT", "nullable": False, "default": None}
    assert breaks({"a": known}, {"a": known | {"z": must}}, {}) == ["a.z is new and has to be filled"]
    assert breaks({"a": known}, {"a": {"x": must}}, {}) == ["a.x has to be filled"]
    assert breaks({"a": known}, {"a": {"x": known["x"] | {"type": "INTEGER"}}}, {}) == [
        "a.x has another type"
    ]
