"""Who acts for a table where several processes share a PostgreSQL database, statement by statement.

A table's home is the process that holds its server's shard. Who acts holds its row in `keepers`, a lease. The
home takes it at once where nobody holds one; another process only where the home is dead, which the server
knows: its lock on the shard is gone. Each function works within the connection's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    and_,
    bindparam,
    delete,
    exists,
    literal,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.tables.model import SeatKind, Status, TableId

from . import schema
from .neighbours import PROCESS_LOCK, SHARD_LOCK

_t, _k, _s, _p, _u = schema.tables.c, schema.keepers.c, schema.seats.c, schema.posts.c, schema.users.c
PRIVATE = ("hand", "letter")  # kinds of messages

_HELD = text(
    "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid::bigint = :kind"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def kept_by(me: str, now: datetime) -> ColumnElement[bool]:
    """Tables of which this process holds the lease."""
    return exists().where(_k.table_id == _t.id, _k.owner == me, _k.until > now)


async def claim(
    connection: AsyncConnection,
    table: TableId,
    me: str,
    home: ColumnElement[bool],
    now: datetime,
    until: datetime,
) -> bool:
    """Take the lease of a table that is at home here, or prolong the own one."""
    mine = select(_t.id, literal(me), bindparam("until", until, schema.Time()))
    mine = mine.where(_t.id == table, or_(home, kept_by(me, now)))
    return bool(await _insert(connection, mine, me, now))


async def renew(
    connection: AsyncConnection, tables: Sequence[TableId], me: str, now: datetime, until: datetime
) -> frozenset[TableId]:
    """Prolong leases; those that are still held."""
    mine = and_(_k.table_id.in_(tables), _k.owner == me, _k.until > now)
    done = await connection.execute(
        update(schema.keepers).where(mine).values(until=until).returning(_k.table_id)
    )
    return frozenset(done.scalars())


async def take_orphans(
    connection: AsyncConnection,
    me: str,
    count: int,
    now: datetime,
    waiting: timedelta,
    until: datetime,
    limit: int,
) -> list[TableId]:
    """Take the leases of tables whose home is dead and at which a computer's turn, or something for a
    person's direct messages, has waited for so long; as far as nobody is at them in this moment."""
    alive = {*(await connection.execute(_HELD, {"kind": SHARD_LOCK})).scalars()}
    dead = [shard for shard in range(count) if shard not in alive]
    if not dead:
        return []
    since = now - waiting
    by_dm = exists().where(_u.user_id == _s.user_id, _u.notices == "dm")
    owed = exists().where(
        _s.table_id == _t.id, _s.due > _s.notified, _s.since > 0, _s.kind == SeatKind.HUMAN.value, by_dm
    )
    playing = and_(_t.changed <= since, _t.status == Status.PLAYING.value)
    unsettled = exists().where(_p.table_id == _t.id, _p.again <= since, _p.kind.in_(PRIVATE))
    waits = or_(and_(playing, or_(_t.machine, owed)), unsettled)
    free = ~exists().where(_k.table_id == _t.id, _k.until > now)
    found = await connection.execute(
        select(_t.id)
        .where(schema.at_shards(dead, count), waits, free)
        .order_by(_t.changed)
        .limit(limit)
        .with_for_update(skip_locked=True, key_share=True)
    )
    tables = list(found.scalars())
    if not tables:
        return []
    mine = select(_t.id, literal(me), bindparam("until", until, schema.Time())).where(_t.id.in_(tables))
    return await _insert(connection, mine, me, now)


async def _insert(connection: AsyncConnection, rows: object, me: str, now: datetime) -> list[TableId]:
    """Of which the lease is held from now on: the others are another's."""
    put = insert(schema.keepers).from_select(["table_id", "owner", "until"], rows)  # type: ignore[arg-type]
    values = {"owner": put.excluded.owner, "until": put.excluded.until}
    mine = or_(_k.owner == me, _k.until <= now)
    put = put.on_conflict_do_update(index_elements=[_k.table_id], set_=values, where=mine)
    return list((await connection.execute(put.returning(_k.table_id))).scalars())


async def give_up(connection: AsyncConnection, me: str) -> None:
    """All of this process's leases, at its end."""
    await connection.execute(delete(schema.keepers).where(_k.owner == me))


async def clear(connection: AsyncConnection) -> None:
    """Leases of processes that are dead: whoever comes next need not wait until they run out."""
    alive = [f"{key:08x}" for key in (await connection.execute(_HELD, {"kind": PROCESS_LOCK})).scalars()]
    await connection.execute(delete(schema.keepers).where(_k.owner.not_in(alive)))
