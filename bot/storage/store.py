"""`SqlStore`: the one repository, `bot.tables.ports.Store` on SQLite (aiosqlite) or PostgreSQL (asyncpg).

SQLite: WAL, synchronous FULL, foreign keys, a busy timeout, one writing connection used by one transaction at
a time (BEGIN IMMEDIATE), a few more for reading. One process per file holds a lock on a side file.
PostgreSQL: one pool, any number of processes; who loses the race for a revision gets `RevisionTaken`. A
process holds an advisory lock on each of its Discord shards, so that no shard is served twice.

A write that is begun is finished, even when its caller is cancelled. Errors never show the values that were
bound: hands and seeds are among them.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    and_,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.engine import URL, RowMapping, make_url
from sqlalchemy.exc import IntegrityError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot import private
from bot.tables.model import (
    Ending,
    Entry,
    GuildSettings,
    Post,
    Seat,
    SeatKind,
    Status,
    Table,
    TableId,
    UserId,
    UserSettings,
)
from bot.tables.ports import (
    RevisionTaken,
    StoreBusy,
    Stored,
    StoreDriver,
    StoreUnopened,
    StoreUnusable,
    Write,
)

from . import engines, files, reading, schema
from .lock import FileLock
from .migrating import upgrade
from .trouble import Spells

log = logging.getLogger(__name__)

BUSY_TIMEOUT = 5000  # milliseconds that SQLite waits for another connection
READERS = 3
SHARD_LOCK = 0x50414C52  # first key of the advisory locks, second is the shard

T = TypeVar("T")
_t, _s, _e, _d, _v = schema.tables.c, schema.seats.c, schema.events.c, schema.drafts.c, schema.votes.c
_p = schema.posts.c
_SEAT_MARKS = ("notified", "snoozed", "hand_channel", "hand_message")
# the pointer of each kind of public message
POINTERS = {"lobby": "lobby_message", "table": "table_message", "notice": "notice_message"}
_NEWEST = (  # revision of its newest entry: the same as the table's, or one of them is damaged
    select(func.max(_e.revision)).where(_e.table_id == _t.id).scalar_subquery().label("newest")
)
_OPEN = _t.status != Status.ENDED.value


class SqlStore:
    """Made by `open`."""

    def __init__(self, writer: AsyncEngine, reader: AsyncEngine, lock: FileLock | None) -> None:
        self._writer = writer
        self._reader = reader
        self._lock = lock
        self._one_writer = asyncio.Semaphore(1 if writer.dialect.name == "sqlite" else 10)
        self._running: set[asyncio.Task[Any]] = set()
        self._shards: AsyncConnection | None = None
        self._spells = Spells()
        self._damaged: set[TableId] = set()  # those logged
        self.migrated = 0  # migrations applied when it was opened

    @property
    def file_based(self) -> bool:
        """Whether this is SQLite, which one process at a time may open."""
        return self._writer.dialect.name == "sqlite"

    @classmethod
    async def open(cls, url: str, *, shards: Sequence[int] = (0,)) -> SqlStore:
        """Open, take the lock, bring the schema up to date. url: as SQLAlchemy's asyncio drivers take it
        (`sqlite+aiosqlite:///path`, `postgresql+asyncpg://…`). Raises StoreUnusable, of which StoreBusy,
        StoreTooNew, StoreDriver and StoreUnopened are kinds."""
        try:
            return await cls._open(url, shards)
        except StoreUnusable:
            raise
        except Exception as error:  # each driver has errors of its own
            log.debug("the store cannot be opened", exc_info=error)
            raise StoreUnopened("the store cannot be opened", why=type(error).__name__) from None

    @classmethod
    async def _open(cls, url: str, shards: Sequence[int]) -> SqlStore:
        address = make_url(url)
        kind = address.get_backend_name()
        try:
            store = cls._sqlite(address) if kind == "sqlite" else cls._postgresql(address)
        except (ImportError, NoSuchModuleError) as error:
            name = getattr(error, "name", None) or address.get_driver_name()
            raise StoreDriver("no driver", kind=kind, name=name) from error
        try:
            if store._lock is not None:
                path = store._lock.database
                before = files.marks(path)
                store._lock.take()
                store.migrated = await asyncio.to_thread(files.ready, path, before)
            else:
                await store._hold_shards(shards)
                async with store._writer.begin() as connection:
                    store.migrated = await connection.run_sync(upgrade)
        except BaseException:
            await store.close()
            raise
        return store

    @classmethod
    def _sqlite(cls, address: URL) -> SqlStore:
        if not address.database or address.database == ":memory:":
            engine = engines.in_memory(address)
            return cls(engine, engine, None)
        if address.database.startswith("file:"):
            raise StoreUnopened("a file's name is wanted, no file: address", why="file:")
        path = Path(address.database)
        private.make_folder(path.parent)
        return cls(engines.writer(address), engines.reader(address), FileLock(path))

    @classmethod
    def _postgresql(cls, address: URL) -> SqlStore:
        engine = engines.postgresql(address)
        return cls(engine, engine, None)

    async def close(self) -> None:
        """Finish what is being written, close the connections, free the lock."""
        while self._running:
            await asyncio.wait(self._running)  # who gives up waiting ends none of them
        if self._shards is not None:
            await self._shards.close()
        for engine in {id(e): e for e in (self._writer, self._reader)}.values():
            await engine.dispose()
        if self._lock is not None:
            self._lock.release()

    async def _hold_shards(self, shards: Sequence[int]) -> None:
        if self._writer.dialect.name != "postgresql":
            return
        self._shards = await self._writer.connect()
        for shard in shards:
            got = await self._shards.scalar(select(func.pg_try_advisory_lock(SHARD_LOCK, shard)))
            await self._shards.commit()
            if not got:
                raise StoreBusy(f"{self._writer.url.database}, shard {shard}")

    # transactions

    async def _write(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        task = asyncio.create_task(self._transaction(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def _transaction(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        with self._spells.watched(writing=True):
            async with self._one_writer, self._writer.begin() as connection:
                return await work(connection)

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[AsyncConnection]:
        with self._spells.watched(writing=False):
            async with self._reader.connect() as connection:
                yield connection

    async def _rows(self, query: Any) -> Sequence[RowMapping]:
        async with self._reading() as connection:
            return (await connection.execute(query)).mappings().all()

    # changes

    async def write(self, *writes: Write) -> None:
        async def work(connection: AsyncConnection) -> None:
            for one in writes:
                await _store(connection, one)

        try:
            await self._write(work)
        except IntegrityError as error:
            raise RevisionTaken from error

    async def write_over(self, write: Write) -> None:
        async def work(connection: AsyncConnection) -> None:
            await _store_over(connection, write)

        try:
            await self._write(work)
        except IntegrityError as error:
            raise RevisionTaken from error

    async def load(self, table: TableId) -> Stored | None:
        async with self._reading() as connection:
            found = (
                (await connection.execute(select(schema.tables, _NEWEST).where(_t.id == table)))
                .mappings()
                .one_or_none()
            )
            if found is None:
                return None
            decoded = await self._with_parts(connection, [found])
            return Stored(decoded[0], found["state"]) if decoded else None

    async def entries(self, table: TableId) -> list[Entry]:
        rows = await self._rows(select(schema.events).where(_e.table_id == table).order_by(_e.revision))
        return [reading.entry(row) for row in rows]

    async def taken_back(self, table: TableId) -> list[Entry]:
        some = and_(_e.table_id == table, or_(_e.void, _e.kind == "undo"))
        rows = await self._rows(select(schema.events).where(some).order_by(_e.revision))
        return [reading.entry(row) for row in rows]

    async def exists(self, table: TableId) -> bool:
        return bool(await self._rows(select(_t.id).where(_t.id == table)))

    # many tables

    async def _tables(
        self, condition: ColumnElement[bool], *order: Any, limit: int | None = None
    ) -> list[Table]:
        columns = [column for column in schema.tables.c if column.name != "state"]
        async with self._reading() as connection:
            query = select(*columns, _NEWEST).where(condition).order_by(*order, _t.id).limit(limit)
            rows = (await connection.execute(query)).mappings().all()
            return await self._with_parts(connection, rows)

    async def _with_parts(self, connection: AsyncConnection, rows: Sequence[RowMapping]) -> list[Table]:
        """Tables from their rows, with seats and votes, in two more queries whatever their number."""
        rows = [row for row in rows if isinstance(row["id"], str)]  # of others nobody can speak
        ids = [row["id"] for row in rows]
        seats: defaultdict[TableId, list[RowMapping]] = defaultdict(list)
        votes: defaultdict[TableId, list[RowMapping]] = defaultdict(list)
        for part in range(0, len(ids), 500):  # databases limit the number of bound values
            some = ids[part : part + 500]
            found = await connection.execute(
                select(schema.seats).where(_s.table_id.in_(some)).order_by(_s.table_id, _s.seat)
            )
            for row in found.mappings():
                seats[row["table_id"]].append(row)
            found = await connection.execute(
                select(schema.votes)
                .where(_v.table_id.in_(some))
                .order_by(_v.table_id, _v.opened, _v.kind, _v.seat)
            )
            for row in found.mappings():
                votes[row["table_id"]].append(row)
        return [self._told(*reading.table(row, seats[row["id"]], votes[row["id"]])) for row in rows]

    def _told(self, table: Table, faults: Sequence[str]) -> Table:
        """What is damaged is logged once."""
        if faults and table.id not in self._damaged:
            self._damaged.add(table.id)
            log.error("table %s: its row is damaged: %s", table.id, ", ".join(faults))
        return table

    async def tables_of(self, user: UserId) -> list[Table]:
        mine = select(_s.table_id).where(_s.user_id == user, _s.kind == SeatKind.HUMAN.value)
        return await self._tables(and_(_OPEN, _t.id.in_(mine)), _t.changed)

    async def tables_at(self, guild: int, channel: int | None = None) -> list[Table]:
        here = and_(_OPEN, _t.guild == guild)
        if channel is not None:
            here = and_(here, or_(_t.channel == channel, _t.thread == channel))
        return await self._tables(here, _t.created)

    async def ended_at(self, guild: int, channel: int, limit: int) -> list[Table]:
        over = and_(_t.status == Status.ENDED.value, _t.guild == guild)
        here = and_(over, or_(_t.channel == channel, _t.thread == channel))
        return await self._tables(here, _t.changed.desc(), limit=limit)

    async def tables_showing(self, guild: int, ids: Sequence[int]) -> list[Table]:
        some = list(ids)[:500]  # databases limit the number of bound values
        columns = (_t.channel, _t.thread, _t.lobby_message, _t.table_message)
        shown = or_(*(column.in_(some) for column in columns))
        return await self._tables(and_(_OPEN, _t.guild == guild, shown), _t.created)

    async def count_at(self, guild: int) -> int:
        [row] = await self._rows(
            select(func.count().label("n")).select_from(schema.tables).where(_OPEN, _t.guild == guild)
        )
        return int(row["n"])

    async def unpainted(self, now: datetime, limit: int) -> list[Table]:
        behind = and_(_t.painted < _t.revision, or_(_t.parked.is_(None), _t.parked <= now))
        return await self._tables(behind, _t.changed, limit=limit)

    async def ended_behind(self, guild: int, limit: int) -> list[Table]:
        over = and_(_t.guild == guild, _t.status == Status.ENDED.value, _t.painted < _t.revision)
        return await self._tables(over, _t.changed, limit=limit)

    async def owed(self, limit: int) -> list[TableId]:
        behind = and_(_s.table_id == _t.id, _s.due > _s.notified, _s.kind == SeatKind.HUMAN.value)
        asked = and_(behind, _s.since > 0, _s.snoozed != _s.since)
        some = or_(
            and_(_t.status == Status.PLAYING.value, exists().where(asked)),
            and_(_t.ending == Ending.EXPIRED.value, exists().where(behind)),
        )
        rows = await self._rows(select(_t.id).where(some).order_by(_t.changed).limit(limit))
        return [row["id"] for row in rows if isinstance(row["id"], str)]

    async def machine_due(self, limit: int) -> list[TableId]:
        rows = await self._rows(
            select(_t.id)
            .where(_t.machine, _t.status == Status.PLAYING.value)
            .order_by(_t.changed)
            .limit(limit)
        )
        return [row["id"] for row in rows if isinstance(row["id"], str)]

    async def next_wake(self, after: datetime) -> datetime | None:
        some_day = datetime.max.replace(tzinfo=UTC)  # texts, of damaged rows, lie above every number
        [row] = await self._rows(
            select(func.min(_t.wake).label("wake")).where(_t.wake > after, _t.wake <= some_day)
        )
        found: datetime | None = row["wake"]
        return found

    async def due(self, now: datetime, limit: int) -> list[TableId]:
        rows = await self._rows(select(_t.id).where(_t.wake <= now).order_by(_t.wake, _t.id).limit(limit))
        return [row["id"] for row in rows if isinstance(row["id"], str)]

    # marks

    async def _mark_table(self, table: TableId, **values: Any) -> None:
        async def work(connection: AsyncConnection) -> None:
            await connection.execute(update(schema.tables).where(_t.id == table).values(**values))

        await self._write(work)

    async def _mark_person(self, table: TableId, user: UserId, **values: Any) -> None:
        """Marks belong to the person who sits there: of somebody who has left nothing is written."""

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(update(schema.seats).where(_sits(table, user)).values(**values))

        await self._write(work)

    async def mark_painted(self, table: TableId, revision: int) -> None:
        newest = case((_t.painted > revision, _t.painted), else_=revision)
        await self._mark_table(table, painted=newest, parked=None)

    async def mark_unseen(self, table: TableId) -> None:
        await self._mark_table(table, painted=0)

    async def mark_placed(self, table: TableId, fields: Mapping[str, int | None], now: datetime) -> None:
        async def work(connection: AsyncConnection) -> None:
            row = await _row(connection, table)
            if row is None:
                return
            for kind, pointer in POINTERS.items():
                if pointer in fields and row[pointer] not in {None, fields[pointer]}:
                    await _leave(connection, _leftover(row, kind, now))
            await connection.execute(update(schema.tables).where(_t.id == table).values(**fields))

        await self._write(work)

    async def mark_parked(self, table: TableId, until: datetime | None) -> None:
        await self._mark_table(table, parked=until)

    async def mark_notified(self, table: TableId, user: UserId, due: int) -> None:
        newest = case((_s.notified > due, _s.notified), else_=due)
        await self._mark_person(table, user, notified=newest)

    async def mark_hand(
        self, table: TableId, user: UserId, channel: int | None, message: int | None, now: datetime
    ) -> None:
        async def work(connection: AsyncConnection) -> None:
            await _place_hand(connection, table, user, channel, message, now)

        await self._write(work)

    async def mark_snoozed(self, table: TableId, user: UserId, since: int) -> None:
        still = case((_s.since == since, since), else_=_s.snoozed)
        await self._mark_person(table, user, snoozed=still)

    # messages that are not settled

    async def posts(self, table: TableId) -> list[Post]:
        rows = await self._rows(
            select(schema.posts).where(_p.table_id == table).order_by(_p.made, _p.purpose)
        )
        return [post for row in rows if (post := reading.post(row)) is not None]

    async def unsettled(self, now: datetime, limit: int) -> list[TableId]:
        rows = await self._rows(select(_p.table_id).where(_p.again <= now).distinct().limit(limit))
        return [row["table_id"] for row in rows]

    async def intend(self, post: Post, instead: str | None) -> Post:
        same = and_(
            _p.table_id == post.table,
            _p.kind == post.kind,
            _p.user_id == post.user,
            _p.channel == post.channel,
            _p.message.is_(None),
        )

        async def work(connection: AsyncConnection) -> Post:
            if instead is not None:
                gone = and_(_p.table_id == post.table, _p.purpose == instead)
                await connection.execute(delete(schema.posts).where(gone))
            query = select(schema.posts).where(same).order_by(_p.made, _p.purpose).limit(1)
            row = (await connection.execute(query)).mappings().one_or_none()
            found = reading.post(row) if row is not None else None
            if found is not None:
                return found
            await connection.execute(insert(schema.posts).values(**_post_values(post)))
            return post

        return await self._write(work)

    async def settle_post(self, post: Post, message: int, now: datetime) -> bool:
        async def work(connection: AsyncConnection) -> bool:
            known = and_(_p.table_id == post.table, or_(_p.purpose == post.purpose, _p.message == message))
            await connection.execute(delete(schema.posts).where(known))
            if post.user:
                return await _place_hand(connection, post.table, post.user, post.channel, message, now)
            return await _place(connection, post, message, now)

        return await self._write(work)

    async def leave(self, post: Post) -> None:
        async def work(connection: AsyncConnection) -> None:
            if not await _points_at(connection, post):
                await _leave(connection, post)

        await self._write(work)

    async def delay_post(self, post: Post, again: datetime) -> None:
        async def work(connection: AsyncConnection) -> None:
            await connection.execute(update(schema.posts).where(_is(post)).values(again=again))

        await self._write(work)

    async def drop_post(self, post: Post) -> None:
        async def work(connection: AsyncConnection) -> None:
            await connection.execute(delete(schema.posts).where(_is(post)))

        await self._write(work)

    # drafts

    async def draft(self, table: TableId, seat: Seat) -> str:
        rows = await self._rows(
            select(_d.text).where(_d.table_id == table, _d.seat == seat.index, _d.since == seat.since)
        )
        return rows[0]["text"] if rows and isinstance(rows[0]["text"], str) else ""

    async def set_draft(self, table: TableId, seat: Seat, text: str) -> None:
        async def work(connection: AsyncConnection) -> None:
            here = and_(_d.table_id == table, _d.seat == seat.index)
            await connection.execute(delete(schema.drafts).where(here))
            # another process may have closed the choice since it was looked at
            current = select(_s.since).where(_s.table_id == table, _s.seat == seat.index)
            if text and await connection.scalar(current) == seat.since:
                await connection.execute(
                    insert(schema.drafts).values(table_id=table, seat=seat.index, since=seat.since, text=text)
                )

        await self._write(work)

    # settings

    async def user(self, user: UserId) -> UserSettings:
        rows = await self._rows(select(schema.users).where(schema.users.c.user_id == user))
        return reading.user(rows[0]) if rows else UserSettings(user)

    async def set_user(self, user: UserId, fields: Mapping[str, object]) -> UserSettings:
        async def work(connection: AsyncConnection) -> UserSettings:
            mine = schema.users.c.user_id == user
            row = (await connection.execute(select(schema.users).where(mine))).mappings().one_or_none()
            after = replace(reading.user(row) if row else UserSettings(user), **fields)  # type: ignore[arg-type]
            values = asdict(after)
            values["user_id"] = values.pop("user")
            await connection.execute(
                update(schema.users).where(mine).values(**values)
                if row
                else insert(schema.users).values(**values)
            )
            return after

        return await self._write(work)

    async def guild(self, guild: int) -> GuildSettings:
        rows = await self._rows(select(schema.guilds).where(schema.guilds.c.guild == guild))
        return reading.guild(rows[0]) if rows else GuildSettings(guild)

    async def set_guild(self, guild: int, fields: Mapping[str, object]) -> GuildSettings:
        async def work(connection: AsyncConnection) -> GuildSettings:
            mine = schema.guilds.c.guild == guild
            row = (await connection.execute(select(schema.guilds).where(mine))).mappings().one_or_none()
            after = replace(reading.guild(row) if row else GuildSettings(guild), **fields)  # type: ignore[arg-type]
            values = {
                "guild": guild,
                "language": after.language,
                "channels": json.dumps(after.channels),
                "openers": json.dumps(after.openers),
                "enders": json.dumps(after.enders),
                "most_tables": after.most_tables,
                "clock_seconds": after.clock.seconds,
                "clock_timeout": after.clock.on_timeout,
                "threads": after.threads,
            }
            await connection.execute(
                update(schema.guilds).where(mine).values(**values)
                if row
                else insert(schema.guilds).values(**values)
            )
            return after

        return await self._write(work)


# ------------------------------------------------------------------------- writing


async def _store(connection: AsyncConnection, write: Write) -> None:
    table = write.table
    values = _table_values(write)
    if table.revision == 1:
        place = asdict(table.place)
        await connection.execute(insert(schema.tables).values(id=table.id, painted=0, **place, **values))
    else:
        done = await connection.execute(
            update(schema.tables).where(_t.id == table.id, _t.revision == table.revision - 1).values(**values)
        )
        if done.rowcount != 1:
            raise RevisionTaken
    await connection.execute(insert(schema.events).values(**_entry_values(table.id, write.entry)))
    if write.void:
        undone = and_(_e.table_id == table.id, _e.revision.in_(write.void))
        await connection.execute(update(schema.events).where(undone).values(void=True))
    await _store_seats(connection, table)
    current = exists().where(
        _s.table_id == _d.table_id,
        _s.seat == _d.seat,
        _s.since == _d.since,
        _s.kind == SeatKind.HUMAN.value,
    )
    await connection.execute(delete(schema.drafts).where(_d.table_id == table.id, ~current))
    await _store_votes(connection, table)


async def _store_over(connection: AsyncConnection, write: Write) -> None:
    table = write.table
    values = _table_values(write) | asdict(table.place) | {"painted": 0, "parked": None}
    await connection.execute(update(schema.tables).where(_t.id == table.id).values(**values))
    for part in (schema.seats, schema.votes, schema.drafts):
        await connection.execute(delete(part).where(part.c.table_id == table.id))
    await _store_seats(connection, table)
    for seat in table.seats:
        if seat.user is None and seat.hand_channel is not None and seat.hand_message is not None:
            hand = (seat.hand_channel, table.changed, table.changed, seat.hand_message)
            await _leave(connection, Post(table.id, "", "hand", 0, *hand))  # whose it is is not known
    await connection.execute(insert(schema.events).values(**_entry_values(table.id, write.entry)))


async def _store_seats(connection: AsyncConnection, table: Table) -> None:
    """Only what differs; marks stay as they are while the same user sits there, and the private message of
    who left becomes a leftover in this same transaction."""
    rows = await connection.execute(select(schema.seats).where(_s.table_id == table.id))
    there = {row["seat"]: row for row in rows.mappings()}
    by_user = {row["user_id"]: row for row in there.values()}  # in a lobby people move up
    staying = {seat.user for seat in table.seats if seat.user is not None}
    for before in there.values():
        if before["user_id"] not in staying:
            await _leave_hand(connection, before, table.changed)
    for seat in table.seats:
        values = _seat_values(seat)
        row = there.pop(seat.index, None)
        if row is None:
            marks = {name: getattr(seat, name) for name in _SEAT_MARKS}
            await connection.execute(
                insert(schema.seats).values(table_id=table.id, seat=seat.index, **marks, **values)
            )
            continue
        if row["user_id"] != seat.user:
            moved = by_user.get(seat.user) if seat.user is not None else None
            values |= {
                "notified": 0,
                "snoozed": 0,
                "hand_channel": moved["hand_channel"] if moved else None,
                "hand_message": moved["hand_message"] if moved else None,
            }
        changed = {name: value for name, value in values.items() if row[name] != value}
        if changed:
            here = and_(_s.table_id == table.id, _s.seat == seat.index)
            await connection.execute(update(schema.seats).where(here).values(**changed))
    if there:
        gone = and_(_s.table_id == table.id, _s.seat.in_(list(there)))
        await connection.execute(delete(schema.seats).where(gone))


def _sits(table: TableId, user: UserId) -> ColumnElement[bool]:
    return and_(_s.table_id == table, _s.user_id == user, _s.kind == SeatKind.HUMAN.value)


async def _row(connection: AsyncConnection, table: TableId) -> RowMapping | None:
    pointers = (_t[pointer] for pointer in POINTERS.values())
    columns = (_t.id, _t.status, _t.ending, _t.channel, _t.thread, *pointers)
    return (await connection.execute(select(*columns).where(_t.id == table))).mappings().one_or_none()


def _leftover(row: RowMapping, kind: str, now: datetime) -> Post:
    """The public message of that kind that a table's row points at, as one that has to go."""
    channel = row["channel"] if kind == "lobby" else row["thread"] or row["channel"]
    return Post(row["id"], "", kind, 0, channel, now, now, row[POINTERS[kind]])


async def _points_at(connection: AsyncConnection, post: Post) -> bool:
    """Whether a leftover to be has just become the message that its table, or a person there, has."""
    row = await _row(connection, post.table)
    if row is None or post.message in {row[pointer] for pointer in POINTERS.values()}:
        return True
    held = select(_s.seat).where(_s.table_id == post.table, _s.hand_message == post.message)
    return (await connection.execute(held)).first() is not None


async def _leave(connection: AsyncConnection, post: Post) -> None:
    same = and_(_p.table_id == post.table, _p.message == post.message)
    if (await connection.execute(select(_p.purpose).where(same))).first() is None:
        named = replace(post, purpose=f"left {post.channel} {post.message}")
        await connection.execute(insert(schema.posts).values(**_post_values(named)))


async def _leave_hand(connection: AsyncConnection, seat: RowMapping, now: datetime) -> None:
    if seat["hand_channel"] is not None and seat["hand_message"] is not None:
        user, channel, message = seat["user_id"] or 0, seat["hand_channel"], seat["hand_message"]
        await _leave(connection, Post(seat["table_id"], "", "hand", user, channel, now, now, message))


async def _place_hand(
    connection: AsyncConnection,
    table: TableId,
    user: UserId,
    channel: int | None,
    message: int | None,
    now: datetime,
) -> bool:
    """Whether the person sits there, and it is theirs now."""
    found = await connection.execute(select(schema.seats).where(_sits(table, user)).limit(1))
    seat = found.mappings().one_or_none()
    if seat is None:
        there = (await connection.execute(select(_t.id).where(_t.id == table))).first() is not None
        if there and channel is not None and message is not None:
            await _leave(connection, Post(table, "", "hand", user, channel, now, now, message))
        return False
    if seat["hand_message"] != message:
        await _leave_hand(connection, seat, now)
    await connection.execute(
        update(schema.seats).where(_sits(table, user)).values(hand_channel=channel, hand_message=message)
    )
    return True


async def _place(connection: AsyncConnection, post: Post, message: int, now: datetime) -> bool:
    """Whether the public message is wanted, and pointed at now."""
    row = await _row(connection, post.table)
    if row is None:
        return False
    pointer, before = POINTERS[post.kind], _leftover(row, post.kind, now)
    values: dict[str, int | None] = {pointer: message}
    wanted = post.channel == before.channel
    if post.kind == "notice":
        told = row["status"] == Status.PLAYING.value or row["ending"] == Ending.EXPIRED.value
        wanted = wanted and told
    elif post.kind == "table" and not wanted and post.channel == row["channel"]:
        wanted = True  # out of the thread, for good
        values |= {"thread": None, "notice_message": None}
        if row["notice_message"] is not None:
            await _leave(connection, _leftover(row, "notice", now))
    if not wanted:
        await _leave(connection, replace(post, message=message, made=now, again=now))
        return False
    if before.message not in {None, message}:
        await _leave(connection, before)
    await connection.execute(update(schema.tables).where(_t.id == post.table).values(**values))
    return True


def _is(post: Post) -> ColumnElement[bool]:
    return and_(_p.table_id == post.table, _p.purpose == post.purpose)


async def _store_votes(connection: AsyncConnection, table: Table) -> None:
    await connection.execute(delete(schema.votes).where(_v.table_id == table.id))
    for vote in table.votes:
        await connection.execute(
            insert(schema.votes).values(
                table_id=table.id,
                kind=vote.kind.value,
                seat=-1 if vote.seat is None else vote.seat,
                by_user=vote.by,
                opened=vote.opened,
                until=vote.until,
                needed=vote.needed,
                yes=json.dumps(vote.yes),
                no=json.dumps(vote.no),
                voters=json.dumps(vote.voters),
            )
        )


def _table_values(write: Write) -> dict[str, Any]:
    table = write.table
    return {
        "revision": table.revision,
        "status": table.status.value,
        "ending": table.ending,
        "game": table.game,
        "rules_version": table.rules_version,
        "options": json.dumps(dict(table.options)),
        "people": table.people,
        "host": table.host,
        "seed": table.seed,
        "clock_seconds": table.clock.seconds,
        "clock_timeout": table.clock.on_timeout,
        "created": table.created,
        "changed": table.changed,
        "deadline": table.deadline,
        "paused": table.paused,
        "phase": table.phase,
        "outcome": json.dumps(table.outcome.to_json()) if table.outcome else None,
        "events": table.events,
        "undoable": table.undoable,
        "rematch": table.rematch,
        "wake": write.wake,
        "machine": write.machine,
    } | ({} if write.cache is None else {"state": write.cache})


def _seat_values(seat: Seat) -> dict[str, Any]:
    return {
        "kind": seat.kind.value,
        "user_id": seat.user,
        "name": seat.name,
        "since": seat.since,
        "due": seat.due,
        "opened": seat.opened,
        "deadline": seat.deadline,
        "reminded": seat.reminded,
    }


def _post_values(post: Post) -> dict[str, Any]:
    values = asdict(post)
    return values | {"table_id": values.pop("table"), "user_id": values.pop("user")}


def _entry_values(table: TableId, entry: Entry) -> dict[str, Any]:
    payload: dict[str, Any] = {}
    if entry.events:
        payload["events"] = [
            {one.kind: one.text} | ({} if one.player is None else {"player": one.player})
            for one in entry.events
        ]
    if entry.data:
        payload["data"] = dict(entry.data)
    return {
        "table_id": table,
        "revision": entry.revision,
        "kind": entry.kind,
        "at": entry.at,
        "user_id": entry.user,
        "seat": entry.seat,
        "payload": json.dumps(payload, separators=(",", ":")),
        "void": entry.void,
    }
