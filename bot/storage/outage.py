"""What an outage does to times that ran on meanwhile: nobody could play, so they are moved on by its length.

Statements within a transaction: how far each shard was served, and the deadlines moved, are stored together
or not at all, so that a crash in between moves nothing twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    and_,
    case,
    delete,
    func,
    or_,
    select,
    type_coerce,
    update,
)

from bot.tables.model import Status

from . import schema, writes

_t, _s, _v, _a = schema.tables.c, schema.seats.c, schema.votes.c, schema.alive.c
_ON = (Status.LOBBY.value, Status.PLAYING.value, Status.PAUSED.value, Status.ASIDE.value)


def serve(
    connection: Connection,
    shards: Sequence[int],
    of: int,
    now: datetime,
    grace: timedelta,
    most: timedelta,
) -> dict[int, timedelta]:
    """See `bot.tables.ports.Store.serve`."""
    before = _served(connection, of, now)
    moved: dict[int, timedelta] = {}
    for shard in shards:
        since = before[shard]
        connection.execute(update(schema.alive).where(_a.shard == shard).values(at=now))
        if now - since >= grace:
            moved[shard] = min(now - since, most)
            _move(connection, schema.at_shards([shard], of), since, now, moved[shard])
    return moved


def _served(connection: Connection, of: int, now: datetime) -> Mapping[int, datetime]:
    """Until when each shard was. Where servers were divided otherwise until now, what is no shard any more is
    forgotten, since its time stood still, and a new one was served for as long as any was."""
    rows = connection.execute(select(_a.shard, _a.at))
    found = {shard: at for shard, at in rows.all() if isinstance(at, datetime)}
    new = dict.fromkeys(set(range(of)) - found.keys(), max(found.values(), default=now))
    if found.keys() - range(of):
        connection.execute(delete(schema.alive).where(_a.shard >= of))
    for shard, at in sorted(new.items()):
        writes.add_new(connection, schema.alive, shard=shard, at=at)
    return found | new


def _move(
    connection: Connection,
    here: ColumnElement[bool],
    since: datetime,
    now: datetime,
    by: timedelta,
) -> None:
    """What had run out before `since` stays so; while a table is paused its turns' times
    stand still anyway."""
    whole = connection.dialect.name == "sqlite"  # there a column of numbers may hold anything

    def moved(column: Any) -> ColumnElement[int]:
        return type_coerce(column, BigInteger) + by // schema.MICROSECOND

    def on(column: Any) -> ColumnElement[bool]:
        runs = column > since
        return and_(func.typeof(column) == "integer", runs) if whole else runs

    playing = select(_t.id).where(here, _t.status == Status.PLAYING.value)
    turns = and_(_s.since > 0, _s.table_id.in_(playing))
    with_time = and_(turns, on(_s.deadline))
    opened = moved(_s.opened)
    times = {"opened": opened, "deadline": moved(_s.deadline)}
    connection.execute(update(schema.seats).where(with_time).values(times))
    without = and_(turns, _s.deadline.is_(None), _s.opened.is_not(None))
    connection.execute(update(schema.seats).where(without).values(opened=opened))
    open_ = select(_t.id).where(here, _t.status.in_(_ON))
    asked = and_(on(_v.until), _v.table_id.in_(open_))
    connection.execute(update(schema.votes).where(asked).values(until=moved(_v.until)))
    both = {
        name: case((on(_t[name]), moved(_t[name])), else_=type_coerce(_t[name], BigInteger))
        for name in ("deadline", "wake")
    }
    # Messages tell a deadline: they are to be painted again, and have been waiting for that since now.
    rests = and_(_t.parked.is_not(None), _t.parked > now)
    marks = {
        "painted": case((on(_t.deadline), 0), else_=_t.painted),
        "parked": case(
            (and_(on(_t.deadline), ~rests), _micro(now)), else_=type_coerce(_t.parked, BigInteger)
        ),
    }
    some = and_(here, _t.status.in_(_ON), or_(on(_t.deadline), on(_t.wake)))
    connection.execute(update(schema.tables).where(some).values(marks | both))


def _micro(when: datetime) -> int:
    return (when - schema.EPOCH) // schema.MICROSECOND
