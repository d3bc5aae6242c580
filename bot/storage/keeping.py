"""Who acts for a table where several processes share a PostgreSQL database, statement by statement.

A table's home is the process that holds its server's shard. Who acts holds its row in `keepers`, a lease. The
home takes it at once where nobody holds one; another process only where the home is dead, which the server
knows: its lock on the shard is gone. How long a lease runs is measured by the server's clock alone: those of
the machines need not agree. Each function works within the connection's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    and_,
    cast,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    text,
    type_coerce,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from bot.tables.model import SeatKind, Status, TableId

from . import schema
from .neighbours import PROCESS_LOCK, SHARD_LOCK

_t, _k, _s, _p, _u = schema.tables.c, schema.keepers.c, schema.seats.c, schema.posts.c, schema.users.c
_UNTIL = type_coerce(_k.until, BigInteger)  # microseconds
_NOW = cast(func.extract("epoch", func.clock_timestamp()) * 1_000_000, BigInteger)
PRIVATE = ("hand", "letter")  # kinds of messages

_HELD = text(
    "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid::bigint = :kind"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def _in(lease: timedelta) -> ColumnElement[int]:
    """When it ends that begins now."""
    return _NOW + literal(lease // schema.MICROSECOND, BigInteger)


def _kept_by(me: str) -> ColumnElement[bool]:
    """Tables of which this process holds the lease."""
    return exists().where(_k.table_id == _t.id, _k.owner == me, _UNTIL > _NOW)


def _dead(connection: Connection, count: int) -> list[int]:
    """Shards, of so many, that no process holds."""
    alive = {*connection.execute(_HELD, {"kind": SHARD_LOCK}).scalars()}
    return [shard for shard in range(count) if shard not in alive]


def claim(
    connection: Connection, table: TableId, me: str, home: ColumnElement[bool], count: int, lease: timedelta
) -> bool:
    """Take the lease of a table that is at home here, or prolong the own one of a table whose home is dead.
    One that is back gets it when the lease ends, however much there is to do meanwhile. count: of shards."""
    here = select(_t.id, literal(me), _in(lease)).where(_t.id == table)
    if _insert(connection, here.where(home), me):
        return True
    if connection.scalar(select(_t.id).where(_t.id == table, ~home, _kept_by(me))) is None:
        return False
    homeless = schema.at_shards(_dead(connection, count), count)
    return bool(_insert(connection, here.where(homeless, _kept_by(me)), me))


def renew(connection: Connection, tables: Sequence[TableId], me: str, lease: timedelta) -> frozenset[TableId]:
    """Prolong leases; those that are still held."""
    mine = and_(_k.table_id.in_(tables), _k.owner == me, _UNTIL > _NOW)
    longer = update(schema.keepers).where(mine).values(until=_in(lease))
    return frozenset(connection.execute(longer.returning(_k.table_id)).scalars())


def take_orphans(
    connection: Connection,
    me: str,
    count: int,
    since: datetime,
    lease: timedelta,
    limit: int,
) -> list[TableId]:
    """Take the leases of tables whose home is dead and at which a computer's turn, or something for a
    person's direct messages, has waited since then; as far as nobody is at them in this moment. Those that
    somebody kept last come last: what is held back there for hours takes nobody's turn."""
    dead = _dead(connection, count)
    if not dead:
        return []
    # Where it is played in direct messages alone everybody's copy is their notice, whatever they chose.
    by_dm = or_(_t.code.is_not(None), exists().where(_u.user_id == _s.user_id, _u.notices == "dm"))
    owed = exists().where(
        _s.table_id == _t.id,
        _s.kind == SeatKind.HUMAN.value,
        _s.due > _s.notified,
        _s.since > 0,
        _s.snoozed != _s.since,
        by_dm,
    )
    playing = and_(_t.changed <= since, _t.status == Status.PLAYING.value)
    unsettled = exists().where(_p.table_id == _t.id, _p.again <= since, _p.kind.in_(PRIVATE))
    waits = or_(and_(playing, or_(_t.machine, owed)), unsettled)
    free = ~exists().where(_k.table_id == _t.id, _UNTIL > _NOW)
    kept = select(_UNTIL).where(_k.table_id == _t.id).scalar_subquery()
    found = connection.execute(
        select(_t.id)
        .where(schema.at_shards(dead, count), waits, free)
        .order_by(kept.nulls_first(), _t.changed)
        .limit(limit)
        .with_for_update(skip_locked=True, key_share=True)
    )
    tables = list(found.scalars())
    if not tables:
        return []
    mine = select(_t.id, literal(me), _in(lease)).where(_t.id.in_(tables))
    return _insert(connection, mine, me)


def _insert(connection: Connection, rows: object, me: str) -> list[TableId]:
    """Of which the lease is held from now on: the others are another's."""
    put = insert(schema.keepers).from_select(["table_id", "owner", "until"], rows)  # type: ignore[arg-type]
    values = {"owner": put.excluded.owner, "until": put.excluded.until}
    mine = or_(_k.owner == me, _UNTIL <= _NOW)
    put = put.on_conflict_do_update(index_elements=[_k.table_id], set_=values, where=mine)
    return list(connection.execute(put.returning(_k.table_id)).scalars())


def give_up(connection: Connection, me: str) -> None:
    """All of this process's leases, at its end."""
    connection.execute(delete(schema.keepers).where(_k.owner == me))


def clear(connection: Connection) -> None:
    """Leases of processes that are dead: whoever comes next need not wait until they run out."""
    alive = [f"{key:08x}" for key in connection.execute(_HELD, {"kind": PROCESS_LOCK}).scalars()]
    connection.execute(delete(schema.keepers).where(_k.owner.not_in(alive)))
