"""Many stored tables, quickly: rows of some that were really played, written again under other names.

What a copy holds is what its original held at that moment, so every copy can be loaded, shown and played on.
Nothing is owed or unpainted at one, and nothing is due.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from bot.storage import schema
from bot.tables.model import TableId, UserId, UserSettings, crockford

AT_ONCE = 2_000  # rows in a statement

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stored:
    """One table's rows."""

    table: Row
    seats: Sequence[Row]
    events: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Copy:
    """of: what is written again. place: columns of the table's row that say where it is. people: who sits
    there in whose stead, with their names."""

    of: Stored
    id: TableId
    place: Mapping[str, Any]
    people: Mapping[UserId, tuple[UserId, str]] = field(default_factory=dict)

    def user(self, user: UserId | None) -> UserId | None:
        return self.people[user][0] if user is not None and user in self.people else user

    def table(self) -> Row:
        row = self.of.table
        settled = {"painted": row["revision"], "parked": None, "wake": None, "code": None, "rematch": None}
        return row | settled | {"id": self.id, "host": self.user(row["host"])} | dict(self.place)

    def seats(self) -> list[Row]:
        return [
            row
            | {"table_id": self.id, "user_id": self.user(row["user_id"]), "notified": row["due"]}
            | {"held": None, "hand_channel": None, "hand_message": None}
            | ({"name": self.people[row["user_id"]][1]} if row["user_id"] in self.people else {})
            for row in self.of.seats
        ]

    def events(self) -> list[Row]:
        return [row | {"table_id": self.id, "user_id": self.user(row["user_id"])} for row in self.of.events]


def ids(seed: str) -> Iterator[TableId]:
    """Names of tables, the same for the same seed and none twice."""
    seen: set[TableId] = set()
    for number in count():
        found = crockford(hashlib.sha256(f"{seed} {number}".encode()).hexdigest(), 6)
        if found not in seen:
            seen.add(found)
            yield found


async def stored(address: str, table: TableId) -> Stored:
    """As it is now. address: of the database."""
    engine = create_async_engine(address, hide_parameters=True)
    try:
        async with engine.connect() as connection:
            rows = [
                await _rows(connection, part, table) for part in (schema.tables, schema.seats, schema.events)
            ]
    finally:
        await engine.dispose()
    return Stored(rows[0][0], rows[1], rows[2])


async def _rows(connection: AsyncConnection, part: Any, table: TableId) -> list[Row]:
    column = part.c.id if part is schema.tables else part.c.table_id
    found = await connection.execute(select(part).where(column == table))
    return [dict(row) for row in found.mappings()]


async def fill(address: str, copies: Sequence[Copy]) -> None:
    """All of them in one transaction. Nobody else may write to a SQLite file meanwhile."""
    engine = create_async_engine(address, hide_parameters=True)
    try:
        async with engine.begin() as connection:
            await _add(connection, schema.tables, [copy.table() for copy in copies])
            await _add(connection, schema.seats, [row for copy in copies for row in copy.seats()])
            for start in range(0, len(copies), 100):
                some = copies[start : start + 100]
                await _add(connection, schema.events, [row for copy in some for row in copy.events()])
    finally:
        await engine.dispose()


async def met(address: str, channels: Mapping[UserId, int]) -> None:
    """The bot knows where these people's direct messages are, as of everybody whom it has written to."""
    people = [asdict(UserSettings(user, dm_channel=channel)) for user, channel in channels.items()]
    rows = [row | {"user_id": row.pop("user"), "dismissed": ""} for row in people]
    engine = create_async_engine(address, hide_parameters=True)
    try:
        async with engine.begin() as connection:
            await _add(connection, schema.users, rows)
    finally:
        await engine.dispose()


async def _add(connection: AsyncConnection, part: Any, rows: Sequence[Row]) -> None:
    for start in range(0, len(rows), AT_ONCE):
        await connection.execute(insert(part), rows[start : start + AT_ONCE])
