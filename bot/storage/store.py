"""`SqlStore`: the one repository, `bot.tables.ports.Store` on SQLite or PostgreSQL (asyncpg).

SQLite: WAL, synchronous FULL, foreign keys, a busy timeout, one writing connection used by one transaction at
a time (BEGIN IMMEDIATE), a few more for reading. One process per file holds a lock on a side file.
PostgreSQL: one pool, any number of processes; who loses the race for a revision gets `RevisionTaken`. A
process holds a lock on each of its Discord shards, so that no shard is served twice (`neighbours`).

A write that is begun is finished, even when its caller is cancelled. Errors never show the values that were
bound: hands and seeds are among them.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    not_,
    or_,
    select,
    true,
    update,
)
from sqlalchemy import Table as SqlTable
from sqlalchemy.engine import URL, RowMapping
from sqlalchemy.exc import IntegrityError

from bot.tables.model import (
    LOST,
    NOTHING_TOLD,
    Ending,
    Entry,
    GuildSettings,
    Letter,
    Post,
    Progress,
    Seat,
    SeatKind,
    Status,
    Table,
    TableId,
    Telling,
    UserId,
    UserSettings,
    shard_of,
)
from bot.tables.ports import (
    Backlog,
    Heard,
    OneProcess,
    RevisionTaken,
    Stored,
    StoreUnusable,
    Write,
)
from bot.unbroken import Unbroken

from . import backlog, engines, files, keeping, outage, reading, schema, writes
from .cache import Cache, Writes
from .databases import Database, Postgresql, Sqlite
from .lock import FileLock
from .migrating import upgrade
from .neighbours import CHANNEL, Neighbours
from .trouble import Troubles, Unreached

log = logging.getLogger(__name__)

KEPT = 256  # tables of which is kept what is known
ANSWER = 30.0  # seconds that a server may take for a transaction
SILENT = 1.0  # seconds in vain after which it is a server that keeps silent, and no connection that broke
MOST_BOUND = 500  # values in a question: databases limit their number
SETTINGS_KEPT = 4096  # people and servers of whom is kept what they have set

T = TypeVar("T")
S = TypeVar("S", UserSettings, GuildSettings)
Drafts: TypeAlias = Mapping[int, tuple[int, str]]
"""A table's drafts by seat: the choice (`Seat.since`) and the text."""

_t, _s, _e, _d, _v = schema.tables.c, schema.seats.c, schema.events.c, schema.drafts.c, schema.votes.c
_p, _n, _l = schema.posts.c, schema.declines.c, schema.letters.c
_g = schema.lessons.c
_NEWEST = (  # revision of its newest entry: the same as the table's, or one of them is damaged
    select(func.max(_e.revision)).where(_e.table_id == _t.id).scalar_subquery().label("newest")
)
_OPEN = _t.status != Status.ENDED.value
_CURRENT = exists().where(  # a draft of a choice that is still open
    _s.table_id == _d.table_id, _s.seat == _d.seat, _s.since == _d.since, _s.kind == SeatKind.HUMAN.value
)
# What every look and every move needs, made once: to make a statement anew takes longer than to carry it out.
_TABLE = select(schema.tables, _NEWEST).where(_t.id == bindparam("of"))
_SEATS = (
    select(schema.seats)
    .where(_s.table_id.in_(bindparam("some", expanding=True)))
    .order_by(_s.table_id, _s.seat)
)
_VOTES = (
    select(schema.votes)
    .where(_v.table_id.in_(bindparam("some", expanding=True)))
    .order_by(_v.table_id, _v.opened, _v.kind, _v.seat)
)
_ENTRIES = select(schema.events).where(_e.table_id == bindparam("of")).order_by(_e.revision)
_DRAFTS = select(_d.seat, _d.since, _d.text).where(_d.table_id == bindparam("of"))
_LETTER = select(schema.letters).where(_l.user_id == bindparam("of"))
_DROP_DRAFTS = delete(schema.drafts).where(_d.table_id == bindparam("of"), ~_CURRENT)
_NOTIFY = select(func.pg_notify(CHANNEL, bindparam("message")))


class SqlStore:
    """Made by `open`."""

    def __init__(
        self,
        database: Database,
        lock: FileLock | None,
        neighbours: Neighbours | None = None,
    ) -> None:
        self._database = database
        self._kind = database.engines[0].dialect.name
        self._lock = lock
        self._neighbours = neighbours
        self._transactions = Unbroken()
        self._keeps_some = False  # whether a lease was ever taken
        self._troubles = Troubles()
        self._damaged: set[TableId] = set()  # those met, and logged
        self._heard: Callable[[Heard], None] = lambda heard: None
        self._alone = alone = neighbours is None or neighbours.alone
        # Who keeps in mind what is stored writes one after another: each begins with what the one before it
        # has come to, and it is known in the order in which it is stored.
        self._writers = asyncio.Semaphore(1 if alone else 10)
        writes = partial(Writes, lambda: self._database.settled)
        self._writes = writes()  # of tables and all that belongs to them
        self._known: Cache[TableId, Stored] = Cache(KEPT, self._writes, alone=alone)
        self._entries: Cache[TableId, tuple[Entry, ...]] = Cache(KEPT, self._writes, alone=alone)
        self._posts: Cache[TableId, tuple[Post, ...]] = Cache(KEPT, self._writes, alone=alone)
        self._drafts: Cache[TableId, Drafts] = Cache(KEPT, self._writes, alone=alone)
        self._letters: Cache[UserId, Letter] = Cache(SETTINGS_KEPT, self._writes, alone=alone)
        self._settings_writes = writes()
        settings = partial(Cache, SETTINGS_KEPT, self._settings_writes, alone=alone, told=self.shared)
        self._users: Cache[UserId, UserSettings] = settings()
        self._guilds: Cache[int, GuildSettings] = settings()
        self._silent_at = 0.0  # by the loop's clock: when a server was last found to keep silent
        self._ready = False  # whether it was opened, so that it is whole when it is closed
        self.migrated = 0  # migrations applied when it was opened
        if neighbours is not None:
            neighbours.told = self._told_by_another
            neighbours.lost = self._out_of_touch

    def when_others_act(self, *, stop: Callable[[], None], missed: Callable[[], None]) -> None:
        """stop: called when another process takes this one's shards over. missed: called when this one is in
        touch with the others again, and may have missed what they told."""
        if self._neighbours is not None:
            self._neighbours.asked = stop
            self._neighbours.found = lambda: self._in_touch(missed)

    @property
    def file_based(self) -> bool:
        """Whether this is SQLite, which one process at a time may open."""
        return self._kind == "sqlite"

    @classmethod
    async def open(
        cls, url: str, *, shards: Sequence[int] = (0,), count: int | None = None, take_over: bool = False
    ) -> SqlStore:
        """Open, take the lock, bring the schema up to date. url: as SQLAlchemy's asyncio drivers take it
        (`sqlite+aiosqlite:///path`, `postgresql+asyncpg://…`). shards: which of Discord's this process
        serves, of `count` in all; None where nobody says: then others may serve more. take_over: ask who
        holds them to stop, and wait for that. Raises StoreUnusable, of which StoreBusy, ShardsHeld,
        ShardsCounted, OneProcess, StoreTooNew, StoreDriver and StoreUnopened are kinds."""
        address = engines.address_of(url)
        try:
            return await cls._open(address, shards, count, take_over)
        except StoreUnusable:
            raise
        except Exception as error:  # each driver has errors of its own
            log.debug("the store cannot be opened", exc_info=error)
            file = address.database or "" if address.get_backend_name() == "sqlite" else None
            raise engines.unopened(error, file=file) from None

    @classmethod
    async def _open(cls, address: URL, shards: Sequence[int], count: int | None, take_over: bool) -> SqlStore:
        kind = address.get_backend_name()
        if kind == "sqlite" and count is not None and len(shards) < count:
            raise OneProcess("SQLite serves one process")
        with engines.driver_of(address):
            store = cls._sqlite(address) if kind == "sqlite" else cls._postgresql(address, shards, count)
        try:
            if store._lock is not None:
                path = store._lock.database
                await asyncio.to_thread(files.writable, path)
                before = files.marks(path)
                store._lock.take()
                store.migrated = await asyncio.to_thread(files.ready, path, before)
            else:
                await store._join(take_over)
        except BaseException:
            await store.close()
            raise
        store._ready = True
        return store

    @classmethod
    def _sqlite(cls, address: URL) -> SqlStore:
        lock = None if engines.in_memory(address) else FileLock(engines.path_of(address))
        return cls(Sqlite(address), lock)

    @classmethod
    def _postgresql(cls, address: URL, shards: Sequence[int], count: int | None) -> SqlStore:
        return cls(Postgresql(address), None, Neighbours(address, shards, count))

    async def _join(self, take_over: bool) -> None:
        """Take the shards, where others may have them, and bring the schema up to date."""
        if self._neighbours is not None:
            await self._neighbours.open(take_over=take_over)

        def work(connection: Connection) -> int:
            migrated = upgrade(connection)
            if self._neighbours is not None:
                keeping.clear(connection)
            return migrated

        self.migrated = await self._database.write(work)
        await self._database.inherit()

    async def close(self) -> None:
        """Finish what is being written, close the connections, free the lock."""
        await self._transactions.close()
        if self.shared and self._keeps_some:
            with suppress(Exception):  # they run out by themselves
                await self._write(lambda connection: keeping.give_up(connection, self._me))
        if self._neighbours is not None:
            await self._neighbours.close()
        await self._database.close()
        if self._lock is not None:
            if self._ready and not self._troubles.damage:
                await asyncio.to_thread(files.leave_whole, self._lock.database)
            self._ready = False
            self._lock.release()

    # transactions

    async def _write(self, work: Callable[[Connection], T], then: Callable[[T], None] | None = None) -> T:
        """One transaction on tables and what belongs to them, never on settings. then: told what it came to
        once it is stored, before the next one begins."""
        return await self._transactions.finish(self._transaction(work, then, self._writes))

    async def _set(self, work: Callable[[Connection], T], then: Callable[[T], None] | None) -> T:
        """One transaction on settings alone: nothing else is read or written in it, so that each is kept in
        mind whatever happens at the tables meanwhile, and the reverse."""
        return await self._transactions.finish(self._transaction(work, then, self._settings_writes))

    async def _transaction(
        self,
        work: Callable[[Connection], T],
        then: Callable[[T], None] | None,
        among: Writes,
    ) -> T:
        with self._troubles.watched(writing=True) as attempt:

            def noted(connection: Connection) -> T:
                before = engines.changes(connection)
                result = work(connection)
                attempt.writing = before is None or engines.changes(connection) != before
                return result

            came = asyncio.get_running_loop().time()
            async with self._writers:
                if self._silent_at > came:
                    raise Unreached("nobody answered the one before")
                with among:
                    return await self._carry_out(noted, then)

    async def _carry_out(self, work: Callable[[Connection], T], then: Callable[[T], None] | None) -> T:
        now = asyncio.get_running_loop().time
        began = now()
        try:
            async with self._answered():
                await self._settle()
                result = await self._database.write(work)
        except BaseException as error:
            self.forget()  # what came of it is not known
            if isinstance(error, Unreached) and now() - began >= SILENT:
                self._silent_at = now()  # who waits behind it need not find out too, one after another
            raise
        if then is not None:
            then(result)
        return result

    async def _read(self, work: Callable[[Connection], T]) -> T:
        """What it comes to, as of one moment."""
        with self._troubles.watched(writing=False):
            async with self._answered():
                await self._settle()
                return await self._database.read(work)

    async def _settle(self) -> None:
        """Find out whether what was given up can still be stored. While it can nothing is kept in mind."""
        if not self._database.settled and await self._database.settle():
            for some in (self._writes, self._settings_writes):
                some.by_another()  # whoever has begun to read may have read what was before

    @asynccontextmanager
    async def _answered(self) -> AsyncIterator[None]:
        """For a server that has gone in the middle of it, or a row that somebody else holds, nobody waits for
        ever: all who write would. The connection is given up. (A file is always there, and what is under way
        in its thread cannot be taken back.) Raises Unreached."""
        try:
            async with asyncio.timeout(None if self.file_based else ANSWER) as limit:
                yield
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise Unreached(f"no answer in {ANSWER} s") from error

    async def _rows(self, query: Any, **values: Any) -> Sequence[RowMapping]:
        """values: bound in it."""
        return await self._read(lambda connection: connection.execute(query, values).mappings().all())

    # the other processes

    @property
    def shared(self) -> bool:
        """Whether other processes may act on the tables: the shards are known to be divided."""
        with_others = self._neighbours
        return with_others is not None and with_others.count is not None and not with_others.alone

    @property
    def _me(self) -> str:
        assert self._neighbours is not None
        return self._neighbours.me

    @property
    def _shard_count(self) -> int:
        assert self._neighbours is not None
        return self._neighbours.count or 1

    def attend(self, heard: Callable[[Heard], None]) -> None:
        self._heard = heard

    def is_home(self, guild: int) -> bool:
        with_others = self._neighbours
        if with_others is None or with_others.count is None:
            return True
        return shard_of(guild, with_others.count) in with_others.shards

    def _home(self) -> ColumnElement[bool]:
        """Tables that are at home here."""
        with_others = self._neighbours
        if not self.shared or with_others is None or with_others.count is None:
            return true()
        return schema.at_shards(with_others.shards, with_others.count)

    async def claim(self, table: TableId, lease: timedelta) -> bool:
        def work(connection: Connection) -> bool:
            return keeping.claim(connection, table, self._me, self._home(), self._shard_count, lease)

        self._keeps_some = True
        return await self._write(work)

    async def renew(self, tables: Sequence[TableId], lease: timedelta) -> frozenset[TableId]:
        return await self._write(lambda connection: keeping.renew(connection, tables, self._me, lease))

    async def take_orphans(self, since: datetime, lease: timedelta, limit: int) -> list[TableId]:
        def work(connection: Connection) -> list[TableId]:
            return keeping.take_orphans(connection, self._me, self._shard_count, since, lease, limit)

        self._keeps_some = True
        return await self._write(work)

    async def ask_keeper(self, table: TableId, guild: int, wanted: Collection[str]) -> None:
        await self._write(lambda connection: self._tell(connection, "asks", table, guild, *sorted(wanted)))

    async def hold_person(self, user: UserId) -> bool:
        return self._neighbours is None or await self._neighbours.hold_person(user)

    async def let_go(self, user: UserId) -> None:
        if self._neighbours is not None:
            await self._neighbours.let_go(user)

    def _tell(self, connection: Connection, *words: object) -> None:
        """The other processes hear this once the transaction is stored."""
        if self._neighbours is not None and not self._alone:
            connection.execute(_NOTIFY, {"message": self._neighbours.message(*words)})

    def _tell_change(self, connection: Connection, write: Write) -> None:
        wake = "-" if write.wake is None else (write.wake - schema.EPOCH) // schema.MICROSECOND
        table, entry, automatic = write.table, write.entry, int(write.automatic)
        words = (table.id, table.place.guild, entry.kind, entry.user or 0, wake, automatic)
        self._tell(connection, "changes", *words)

    def _told_by_another(self, words: Sequence[str]) -> None:
        match words:
            case ["changes", table, guild, kind, actor, wake, automatic]:
                at = None if wake == "-" else schema.EPOCH + int(wake) * schema.MICROSECOND
                home, who = self.is_home(int(guild)), int(actor) or None
                self._heard(Heard(table, home, kind, at, automatic == "1", who))
            case ["asks", table, guild, *wanted]:
                home = self.is_home(int(guild))
                self._heard(Heard(table, home, "", None, True, wanted=frozenset(wanted)))
            case ["copy", table]:
                self._heard(Heard(table, False, "copy", None, False))
            case [_USERS.word, user]:
                self._settings_writes.by_another()
                self._users.drop(int(user))
            case [_GUILDS.word, guild]:
                self._settings_writes.by_another()
                self._guilds.drop(int(guild))
            case _:
                log.debug("an unknown word of another process: %s", words[0])

    def _out_of_touch(self) -> None:
        for some in (self._writes, self._settings_writes):
            some.in_touch = False
        self.forget()

    def _in_touch(self, missed: Callable[[], None]) -> None:
        for some in (self._writes, self._settings_writes):
            some.by_another()
            some.in_touch = True
        missed()

    async def checkpoint(self) -> float | None:
        """A job: keep SQLite's write-ahead log short. Seconds until it is to be done again; None on any other
        database. Raises sqlite3.Error, OSError."""
        return await self._database.checkpoint()

    # what is known

    def forget(self) -> None:
        """Ask the database again, whatever is known: somebody else may have written to it."""
        for cache in (self._known, self._entries, self._posts, self._drafts):
            cache.clear()
        for by_id in (self._letters, self._users, self._guilds):
            by_id.clear()

    def _is_now(self, table: TableId, change: Callable[[Table], Table]) -> None:
        """A mark of a table has been stored. Of a damaged one what follows is not guessed."""
        known = self._known.known(table)
        if known is None or known.table.damaged:
            self._known.drop(table)
        else:
            self._known.put(table, replace(known, table=change(known.table)))

    def _before(self, connection: Connection, table: TableId) -> Stored | None:
        """A table as it is stored when a transaction changes it."""
        known = self._known.known(table)
        if known is not None:
            return known
        if not self.file_based:  # what others change of it meanwhile would be read in part
            connection.execute(select(_t.id).where(_t.id == table).with_for_update())
        found = _looked_up(connection, table)
        return None if found is None else found[0]

    # changes

    async def write(self, *writes: Write) -> frozenset[TableId]:
        def work(connection: Connection) -> tuple[list[Stored], frozenset[TableId]]:
            stored = [self._store(connection, one) for one in writes]
            for one in writes:
                self._tell_change(connection, one)
            users = {one.entry.user for one in writes if one.entry.user is not None}
            freed = [self._answers(connection, user) for user in users]
            return stored, frozenset[TableId]().union(*freed)

        def then(done: tuple[list[Stored], frozenset[TableId]]) -> None:
            stored, freed = done
            for one, now in zip(writes, stored, strict=True):
                self._stored(one, now)
            for table in freed:
                self._known.drop(table)

        try:
            return (await self._write(work, then))[1]
        except IntegrityError as error:
            raise RevisionTaken from error

    def _store(self, connection: Connection, write: Write) -> Stored:
        table = write.table
        before = self._changed(connection, write) if table.revision > 1 else None
        unseen = not self._alone and before is not None and before.table is write.before
        now = writes.store(connection, before.table if before else None, write, unseen=unseen)
        drafts = self._drafts.known(table.id)
        if before is not None and (drafts is None or drafts != _current(drafts, table)):
            connection.execute(_DROP_DRAFTS, {"of": table.id})
        return Stored(now, before.cache if before and write.cache is None else write.cache)

    def _changed(self, connection: Connection, write: Write) -> Stored:
        """The table that a change is made to. Where others write too it is not asked for: whether it is still
        the one that was loaded is found out by the change itself. But of who comes or leaves the marks are
        needed, as they are now. Raises RevisionTaken."""
        loaded = write.before
        if not self._alone and loaded is not None and _sitting(loaded) == _sitting(write.table):
            return Stored(loaded, None)
        before = self._before(connection, write.table.id)
        if before is None or before.table.revision != write.table.revision - 1:
            raise RevisionTaken
        if loaded is not None and _times(before.table) != _times(loaded):
            raise RevisionTaken
        return before

    def _answers(self, connection: Connection, user: UserId) -> frozenset[TableId]:
        """Who changes something has answered whatever they were told. Where a notice of theirs was held back,
        by a rhythm that had slowed down perhaps, and is not for now."""
        known = self._letters.known(user)
        if known is None and self.file_based:  # once, and it is known from then on
            known = self._read_letter(connection, user)
            self._letters.put(user, known)
        if known is not None and not known.unanswered:
            return frozenset()
        answered = connection.execute(writes.ANSWER, {"of": user})
        if not answered.rowcount:
            return frozenset()
        held = and_(_s.user_id == user, _s.held.is_not(None))
        tables = connection.execute(select(_s.table_id).where(held)).scalars().all()
        if tables:
            connection.execute(update(schema.seats).where(held).values(held=None))
        return frozenset(tables)

    def _stored(self, write: Write, now: Stored) -> None:
        """A change has been stored: what is known from now on."""
        if write.entry.user is not None:
            self._letter_is_now(write.entry.user, unanswered=0)
        table = write.table.id
        entries = self._entries.known(table) if write.table.revision > 1 else ()
        if entries is None:
            self._entries.drop(table)
        else:
            void = frozenset(write.void)
            same = (replace(one, void=True) if one.revision in void else one for one in entries)
            newest = reading.entry(writes.entry_values(table, write.entry))
            self._entries.put(table, (*same, newest))
        drafts = self._drafts.known(table) if write.table.revision > 1 else {}
        if drafts is None:
            self._drafts.drop(table)
        else:
            self._drafts.put(table, _current(drafts, write.table))
        before = self._known.known(table)
        if before is None or _people(before.table) != _people(now.table):
            self._posts.drop(table)  # the private message of who left has become a leftover
        self._known.put(table, now)

    async def write_over(self, write: Write) -> None:
        def work(connection: Connection) -> None:
            writes.store_over(connection, write)
            self._tell_change(connection, write)

        try:
            await self._write(work, lambda _: self.forget())
        except IntegrityError as error:
            raise RevisionTaken from error

    async def load(self, table: TableId) -> Stored | None:
        async def read() -> Stored | None:
            found = await self._read(lambda connection: _looked_up(connection, table))
            if found is None:
                return None
            stored, faults = found
            self._told(stored.table, faults)
            return stored

        return await self._known.get(table, read)

    async def entries(self, table: TableId) -> list[Entry]:
        async def read() -> tuple[Entry, ...]:
            rows = await self._rows(_ENTRIES, of=table)
            return tuple(reading.entry(row) for row in rows)

        return list(await self._entries.get(table, read))

    async def exists(self, table: TableId) -> bool:
        return bool(await self._rows(select(_t.id).where(_t.id == table)))

    async def joined_with(self, code: str) -> TableId | None:
        rows = await self._rows(select(_t.id).where(_OPEN, _t.code == code))
        return rows[0]["id"] if rows else None

    # many tables

    def _whole(self, column: ColumnElement[Any]) -> ColumnElement[bool]:
        """Whether that is a whole number: in SQLite a column of numbers may hold anything."""
        return func.typeof(column) == "integer" if self.file_based else true()

    def _time(self, column: ColumnElement[Any]) -> ColumnElement[Any]:
        """To sort by: a time, and what is none as the oldest."""
        return case((self._whole(column), column), else_=0) if self.file_based else column

    def _sound(self, rows: Sequence[RowMapping], limit: int) -> list[TableId]:
        """The tables of a queue that can be worked on. The damaged ones stay in it: they must not take the
        places of the others, so `limit` is asked for beside them."""
        ids = [row["id"] for row in rows if isinstance(row["id"], str)]
        return [table for table in ids if table not in self._damaged][:limit]

    async def _tables(
        self, condition: ColumnElement[bool], *order: Any, limit: int | None = None
    ) -> list[Table]:
        columns = [column for column in schema.tables.c if column.name != "state"]
        query = select(*columns, _NEWEST).where(condition).order_by(*order, _t.id).limit(limit)
        found = await self._read(
            lambda connection: _with_parts(connection, connection.execute(query).mappings().all())
        )
        return [self._told(table, faults) for table, faults in found]

    def _told(self, table: Table, faults: Sequence[str]) -> Table:
        """What is damaged is logged once."""
        if not faults:
            self._damaged.discard(table.id)
        elif table.id not in self._damaged:
            self._damaged.add(table.id)
            log.error("table %s: its row is damaged: %s", table.id, ", ".join(faults))
        return table

    async def tables_of(self, user: UserId) -> list[Table]:
        mine = select(_s.table_id).where(_s.user_id == user, _s.kind == SeatKind.HUMAN.value)
        return await self._tables(and_(_OPEN, _t.id.in_(mine)), self._time(_t.changed))

    async def has_finished(self, user: UserId, game: str) -> bool:
        mine = select(_s.table_id).where(_s.user_id == user, _s.kind == SeatKind.HUMAN.value)
        over = and_(_t.status == Status.ENDED.value, _t.game == game, _t.outcome.is_not(None))
        return bool(await self._rows(select(_t.id).where(over, _t.id.in_(mine)).limit(1)))

    async def tables_at(self, guild: int, channel: int | None = None) -> list[Table]:
        here = and_(_OPEN, _t.guild == guild)
        if channel is not None:
            here = and_(here, or_(_t.channel == channel, _t.thread == channel))
        return await self._tables(here, self._time(_t.created))

    async def homeless(self, limit: int) -> list[Table]:
        nowhere = and_(_t.guild <= 0, _t.code.is_(None))  # which a table in direct messages has
        lost = or_(nowhere, _t.guild < 0, not_(self._whole(_t.guild)))
        return await self._tables(and_(_OPEN, lost), self._time(_t.created), limit=limit)

    async def oldest(self) -> datetime | None:
        [row] = await self._rows(select(func.min(_t.created).label("at")).where(self._whole(_t.created)))
        found: datetime | None = row["at"]
        return found

    async def ended_at(self, guild: int, channel: int, limit: int) -> list[Table]:
        over = and_(_t.status == Status.ENDED.value, _t.guild == guild)
        here = and_(over, or_(_t.channel == channel, _t.thread == channel))
        return await self._tables(here, self._time(_t.changed).desc(), limit=limit)

    async def tables_showing(self, guild: int, ids: Sequence[int]) -> list[Table]:
        some = list(ids)[:MOST_BOUND]
        columns = (_t.channel, _t.thread, _t.lobby_message, _t.table_message)
        shown = or_(*(column.in_(some) for column in columns))
        return await self._tables(and_(_OPEN, _t.guild == guild, shown), self._time(_t.created))

    async def count_at(self, guild: int) -> int:
        [row] = await self._rows(
            select(func.count().label("n")).select_from(schema.tables).where(_OPEN, _t.guild == guild)
        )
        return int(row["n"])

    async def unpainted(self, now: datetime, limit: int, after: TableId = "") -> list[TableId]:
        """The damaged ones too: they are shown as such."""
        behind = and_(_t.painted < _t.revision, or_(_t.parked.is_(None), _t.parked <= now), self._home())
        query = select(_t.id).where(behind, _t.id > after).order_by(_t.id).limit(limit)
        query = query.with_hint(schema.tables, "INDEXED BY tables_unpainted", "sqlite")
        rows = await self._rows(query)
        return [row["id"] for row in rows if isinstance(row["id"], str)]  # of others nobody can speak

    async def ended_behind(self, guild: int, limit: int) -> list[Table]:
        over = and_(_t.guild == guild, _t.status == Status.ENDED.value, _t.painted < _t.revision)
        return await self._tables(over, self._time(_t.changed), limit=limit)

    async def owed(self, limit: int, until: datetime, after: TableId = "") -> list[TableId]:
        """Asked from the seats: few are owed anything, and an index names them."""
        behind = and_(_s.due > _s.notified, _s.kind == SeatKind.HUMAN.value)
        behind = and_(behind, or_(_s.held.is_(None), _s.held <= until))
        asked = and_(_t.status == Status.PLAYING.value, _s.since > 0, _s.snoozed != _s.since)
        some = and_(behind, or_(asked, _t.ending == Ending.EXPIRED.value))
        theirs = _t.id.in_(select(_s.table_id).join(schema.tables).where(some))
        return await self._queue(and_(theirs, self._home()), limit, after)

    async def waiting(self, user: UserId) -> list[Table]:
        mine = and_(_s.table_id == _t.id, _s.user_id == user, _s.kind == SeatKind.HUMAN.value)
        some = or_(
            and_(_t.status == Status.PLAYING.value, exists().where(mine, _s.since > 0)),
            and_(_t.ending == Ending.EXPIRED.value, exists().where(mine, _s.due > _s.notified)),
        )
        return await self._tables(some, self._time(_t.changed))

    async def automatic_due(self, limit: int, after: TableId = "") -> list[TableId]:
        machine = and_(_t.machine, _t.status == Status.PLAYING.value)
        return await self._queue(and_(machine, self._home()), limit, after)

    async def _queue(self, condition: ColumnElement[bool], limit: int, after: TableId) -> list[TableId]:
        """Tables to be worked on."""
        query = select(_t.id).where(condition, _t.id > after).order_by(_t.id)
        return self._sound(await self._rows(query.limit(limit + len(self._damaged))), limit)

    async def next_wake(self, after: datetime) -> datetime | None:
        some_day = datetime.max.replace(tzinfo=UTC)
        coming = and_(self._whole(_t.wake), _t.wake > after, _t.wake <= some_day, self._home())
        [row] = await self._rows(select(func.min(_t.wake).label("wake")).where(coming))
        found: datetime | None = row["wake"]
        return found

    async def due(self, now: datetime, limit: int) -> list[TableId]:
        late = and_(self._whole(_t.wake), _t.wake <= now, self._home())
        query = select(_t.id).where(late).order_by(_t.wake, _t.id)
        return self._sound(await self._rows(query.limit(limit + len(self._damaged))), limit)

    async def backlog(self, now: datetime) -> Backlog:
        return await self._read(lambda connection: backlog.backlog(connection, now, self._whole))

    # marks

    async def _mark(self, table: TableId, change: Callable[[Table], Table], query: Any) -> None:
        def work(connection: Connection) -> None:
            connection.execute(query)

        await self._write(work, lambda _: self._is_now(table, change))

    async def _mark_person(
        self, table: TableId, user: UserId, change: Callable[[Seat], Seat], **values: Any
    ) -> None:
        """Marks belong to the person who sits there: of somebody who has left nothing is written."""
        query = update(schema.seats).where(writes.sits(table, user)).values(**values)
        await self._mark(table, lambda now: writes.with_seat(now, user, change), query)

    async def _place(
        self,
        table: TableId,
        place: Callable[[Connection, Table], Table | None],
        first: Any = None,
        also: Callable[[], None] = lambda: None,
    ) -> Table | None:
        """Store where a table's messages lie; None: they lie where they lay. first: a statement to be carried
        out before, also where there is no such table. also: what else is to be known once they lie there."""

        def work(connection: Connection) -> Table | None:
            if first is not None:
                connection.execute(first)
            before = self._before(connection, table)
            return None if before is None else place(connection, before.table)

        def then(now: Table | None) -> None:
            if now is not None:
                self._is_now(table, lambda _: now)
                also()
            self._posts.drop(table)

        return await self._write(work, then)

    async def mark_painted(self, table: TableId, revision: int) -> None:
        newest = case((_t.painted > revision, _t.painted), else_=revision)
        query = update(schema.tables).where(_t.id == table).values(painted=newest, parked=None)
        await self._mark(table, lambda now: replace(now, painted=max(now.painted, revision)), query)

    async def mark_unseen(self, table: TableId) -> None:
        query = update(schema.tables).where(_t.id == table).values(painted=0)
        await self._mark(table, lambda now: replace(now, painted=0), query)

    async def mark_placed(self, table: TableId, fields: Mapping[str, int | None], now: datetime) -> None:
        await self._place(table, lambda to, before: writes.move_pointers(to, before, fields, now))

    async def mark_parked(self, table: TableId, until: datetime | None) -> None:
        query = update(schema.tables).where(_t.id == table).values(parked=until)
        await self._mark(table, lambda now: now, query)

    async def mark_notified(self, table: TableId, user: UserId, due: int) -> None:
        newest = case((_s.notified > due, _s.notified), else_=due)
        await self._mark_person(table, user, partial(writes.told, due=due), notified=newest, held=None)

    async def mark_held(self, table: TableId, user: UserId, due: int, until: datetime) -> None:
        still = case((_s.due == due, bindparam("until", until, schema.Time())), else_=_s.held)
        change = lambda seat: replace(seat, held=until) if seat.due == due else seat  # noqa: E731
        await self._mark_person(table, user, change, held=still)

    async def mark_hand(
        self, table: TableId, user: UserId, channel: int | None, message: int | None, now: datetime
    ) -> None:
        await self._place(
            table, lambda to, before: writes.place_hand(to, before, user, channel, message, now)
        )

    async def mark_snoozed(self, table: TableId, user: UserId, since: int) -> None:
        still = case((_s.since == since, since), else_=_s.snoozed)
        change = lambda seat: replace(seat, snoozed=since) if seat.since == since else seat  # noqa: E731
        await self._mark_person(table, user, change, snoozed=still)

    async def mark_hinted(self, table: TableId, user: UserId, before: str, after: str) -> None:
        still = func.coalesce(_s.hinted, "") == before
        values = {
            "hints": case((still, func.coalesce(_s.hints, 0) + 1), else_=_s.hints),
            "hinted": case((still, after), else_=_s.hinted),
        }

        def change(seat: Seat) -> Seat:
            return replace(seat, hints=seat.hints + 1, hinted=after) if seat.hinted == before else seat

        await self._mark_person(table, user, change, **values)

    async def mark_told(self, table: TableId, revision: int) -> None:
        newest = case((_t.told > revision, _t.told), else_=revision)
        query = update(schema.tables).where(_t.id == table).values(told=newest)
        await self._mark(table, lambda now: replace(now, told=max(now.told, revision)), query)

    # declined invitations

    async def decline(self, table: TableId, user: UserId, invited: int) -> None:
        theirs = and_(_n.table_id == table, _n.user_id == user)

        def work(connection: Connection) -> None:
            writes.add_new(connection, schema.declines, table_id=table, user_id=user, invited=invited)
            connection.execute(update(schema.declines).where(theirs).values(invited=invited))

        await self._write(work)

    async def declined(self, table: TableId) -> dict[UserId, int]:
        rows = await self._rows(select(_n.user_id, _n.invited).where(_n.table_id == table))
        return {row["user_id"]: row["invited"] for row in rows}

    # messages that are not settled

    async def posts(self, table: TableId) -> list[Post]:
        async def read() -> tuple[Post, ...]:
            rows = await self._rows(
                select(schema.posts).where(_p.table_id == table).order_by(_p.made, _p.purpose)
            )
            return tuple(post for row in rows if (post := reading.post(row)) is not None)

        return list(await self._posts.get(table, read))

    async def unsettled(self, now: datetime, limit: int, after: TableId = "") -> list[TableId]:
        numbers = (_p.user_id, _p.due, _p.channel, func.coalesce(_p.message, 0), _p.made, _p.again)
        readable = and_(  # of others `posts` tells nothing: they would be looked for for ever
            *(self._whole(column) for column in numbers), _p.kind.in_(reading.POST_KINDS)
        )
        waiting = and_(readable, _p.again <= now, _p.table_id > after)
        query = select(_p.table_id).where(waiting).distinct().order_by(_p.table_id)
        if self.shared:
            query = query.where(_p.table_id.in_(select(_t.id).where(self._home())))
        rows = await self._rows(query.limit(limit))
        return [row["table_id"] for row in rows if isinstance(row["table_id"], str)]

    async def intend(self, post: Post, instead: str | None) -> Post:
        same = and_(
            _p.table_id == post.table,
            _p.kind == post.kind,
            _p.user_id == post.user,
            _p.channel == post.channel,
            _p.message.is_(None),
            ~_p.purpose.startswith(LOST),
        )

        def work(connection: Connection) -> Post:
            if instead is not None:
                gone = and_(_p.table_id == post.table, _p.purpose == instead)
                connection.execute(delete(schema.posts).where(gone))
            if self._posts.known(post.table) != ():  # where nothing is known to be unsettled nothing is
                query = select(schema.posts).where(same).order_by(_p.made, _p.purpose)
                for row in connection.execute(query).mappings().all():
                    if (found := reading.post(row)) is not None:
                        return found
            connection.execute(insert(schema.posts).values(**writes.post_values(post)))
            return post

        return await self._write(work, lambda _: self._posts.drop(post.table))

    async def settle_post(
        self, post: Post, message: int, now: datetime, telling: Telling = NOTHING_TOLD
    ) -> bool:
        leftover = and_(_p.table_id == post.table, _p.message == message)

        def settle(connection: Connection, before: Table) -> Table | None:
            letter = self._letter(connection, post.user)
            met = connection.execute(delete(schema.posts).where(writes.that_post(post)))
            if met.rowcount == 0 and writes.another(before, letter, post, message):
                writes.leave(connection, replace(post, message=message, made=now, again=now))
                return None
            placed: Table | None = before
            if post.kind == "hand":
                placed = writes.place_hand(connection, before, post.user, post.channel, message, now)
                if before.place.direct:  # it takes the place of what others may have answered that person
                    self._tell(connection, "copy", before.id)
            elif post.kind != "letter":
                placed = writes.place(connection, before, post, message, now)
            if placed is not None:
                writes.give(connection, telling)
                if telling.letter:
                    writes.place_letter(connection, letter, post, message, telling, now)
            return placed

        wanted = await self._place(
            post.table,
            settle,
            delete(schema.posts).where(leftover),
            lambda: self._was_given(telling, post.user if telling.letter else None),
        )
        return wanted is not None

    def _was_given(self, telling: Telling, user: UserId | None) -> None:
        """user: whose letter is another now."""
        for table, other, due in telling.notices:
            told = partial(writes.told, due=due)
            self._is_now(table, partial(writes.with_seat, user=other, change=told))
        for other in {other for _, other, _ in telling.notices} | ({user} if user else set()):
            self._letters.drop(other)

    async def leave(self, post: Post) -> None:
        def work(connection: Connection) -> None:
            if self._before(connection, post.table) is not None and post.message is not None:
                rows = connection.execute(writes.pointed_at([post.message]))
                if rows.first() is None:
                    writes.leave(connection, post)

        await self._write(work, lambda _: self._posts.drop(post.table))

    async def pointed_at(self, messages: Sequence[int]) -> frozenset[int]:
        parts = [messages[start : start + MOST_BOUND] for start in range(0, len(messages), MOST_BOUND)]
        found: set[int] = set()
        for part in parts:
            found.update(row["message"] for row in await self._rows(writes.pointed_at(part)))
        return frozenset(found)

    async def delay_post(self, post: Post, again: datetime) -> None:
        await self._change_post(post, again=again)

    async def lose_post(self, post: Post, again: datetime) -> None:
        await self._change_post(post, again=again, purpose=post.purpose if post.lost else LOST + post.purpose)

    async def _change_post(self, post: Post, **values: object) -> None:
        def work(connection: Connection) -> None:
            connection.execute(update(schema.posts).where(writes.that_post(post)).values(**values))

        await self._write(work, lambda _: self._posts.drop(post.table))

    async def drop_post(self, post: Post) -> None:
        def work(connection: Connection) -> None:
            connection.execute(delete(schema.posts).where(writes.that_post(post)))

        def then(_: None) -> None:
            known = self._posts.known(post.table)
            if known is None:
                self._posts.drop(post.table)
            else:
                self._posts.put(post.table, tuple(one for one in known if one.purpose != post.purpose))

        await self._write(work, then)

    # the process

    async def serve(
        self, shards: Sequence[int], of: int, now: datetime, grace: timedelta, most: timedelta
    ) -> Mapping[int, timedelta]:
        def work(connection: Connection) -> Mapping[int, timedelta]:
            return outage.serve(connection, shards, of, now, grace, most)

        def then(moved: Mapping[int, timedelta]) -> None:
            if moved:
                self.forget()

        return await self._write(work, then)

    # letters

    async def letter(self, user: UserId) -> Letter:
        async def read() -> Letter:
            return await self._read(lambda connection: self._read_letter(connection, user))

        return await self._letters.get(user, read)

    def _letter(self, connection: Connection, user: UserId) -> Letter:
        """As it is when a transaction changes it."""
        known = self._letters.known(user)
        if known is not None or not user:
            return known or Letter(user)
        return self._read_letter(connection, user)

    def _read_letter(self, connection: Connection, user: UserId) -> Letter:
        row = connection.execute(_LETTER, {"of": user}).mappings().one_or_none()
        return reading.letter(row) if row else Letter(user)

    def _letter_is_now(self, user: UserId, **fields: Any) -> None:
        known = self._letters.known(user)
        if known is not None:
            self._letters.put(user, replace(known, **fields))

    async def letters_about(self, table: TableId) -> list[Letter]:
        rows = await self._rows(select(schema.letters).where(_l.tables.contains(table)))
        return [reading.letter(row) for row in rows]

    async def letter_meant(self, user: UserId) -> TableId | None:
        meant = and_(
            _p.kind == "letter", _p.user_id == user, _p.message.is_(None), ~_p.purpose.startswith(LOST)
        )
        rows = await self._rows(select(_p.table_id).where(meant).order_by(_p.made).limit(1))
        return rows[0]["table_id"] if rows else None

    async def cut_letter(self, user: UserId, tables: Sequence[TableId], now: datetime) -> None:
        def work(connection: Connection) -> Letter:
            before = self._letter(connection, user)
            kept = tuple(one for one in before.tables if one in tables)
            values: dict[str, Any] = {"tables": " ".join(kept)}
            if not kept and before.tables and before.channel is not None and before.message is not None:
                gone = (before.channel, now, now, before.message)
                writes.leave(connection, Post(before.tables[0], "", "letter", user, *gone))
                values |= {"channel": None, "message": None}
            writes.change_letter(connection, user, **values)
            return before

        def then(before: Letter) -> None:
            self._letters.drop(user)
            for table in before.tables[:1]:
                self._posts.drop(table)

        await self._write(work, then)

    async def letter_read(self, user: UserId) -> None:
        def work(connection: Connection) -> None:
            writes.change_letter(connection, user, tables="", unanswered=0)

        await self._write(work, lambda _: self._letters.drop(user))

    async def put_off(self, user: UserId, until: datetime) -> None:
        def work(connection: Connection) -> tuple[TableId, ...]:
            tables = (self._letter(connection, user)).tables
            told = and_(_s.user_id == user, _s.table_id.in_(tables), _s.since > 0, _s.notified >= _s.due)
            again = {"notified": _s.due - 1, "held": until}
            connection.execute(update(schema.seats).where(told).values(**again))
            writes.change_letter(connection, user, tables="", unanswered=0, later=until)
            return tables

        def then(tables: Sequence[TableId]) -> None:
            self._letters.drop(user)
            for table in tables:
                self._known.drop(table)

        await self._write(work, then)

    # drafts

    async def _all_drafts(self, table: TableId) -> Drafts:
        rows = await self._rows(_DRAFTS, of=table)
        return {
            row["seat"]: (row["since"], row["text"] if isinstance(row["text"], str) else "") for row in rows
        }

    async def draft(self, table: TableId, seat: Seat) -> str:
        drafts = await self._drafts.get(table, partial(self._all_drafts, table))
        since, text = drafts.get(seat.index, (0, ""))
        return text if since == seat.since else ""

    async def set_draft(self, table: TableId, seat: Seat, text: str) -> None:
        def work(connection: Connection) -> bool:
            here = and_(_d.table_id == table, _d.seat == seat.index)
            # another process, or a change just before, may have closed the choice since it was looked at
            before = self._before(connection, table)
            now = {one.index: one.since for one in before.table.seats} if before else {}
            stays = bool(text) and now.get(seat.index) == seat.since
            known = self._drafts.known(table)
            there = known is None or seat.index in known
            values = {"since": seat.since, "text": text}
            if known is not None and there and stays:
                connection.execute(update(schema.drafts).where(here).values(**values))
                return stays
            if there:
                connection.execute(delete(schema.drafts).where(here))
            if stays:
                whole = {"table_id": table, "seat": seat.index, **values}
                connection.execute(insert(schema.drafts).values(**whole))
            return stays

        def then(stays: bool) -> None:
            drafts = self._drafts.known(table)
            if drafts is None:
                self._drafts.drop(table)
                return
            others = {index: draft for index, draft in drafts.items() if index != seat.index}
            self._drafts.put(table, others | ({seat.index: (seat.since, text)} if stays else {}))

        await self._write(work, then)

    # settings

    async def user(self, user: UserId) -> UserSettings:
        return await self._what_is_set(_USERS, self._users, user)

    async def set_user(self, user: UserId, fields: Mapping[str, object]) -> UserSettings:
        return await self._set_some(_USERS, self._users, user, fields)

    async def lesson(self, user: UserId, game: str) -> Progress | None:
        rows = await self._rows(select(schema.lessons).where(_g.user_id == user, _g.game == game))
        return reading.progress(rows[0]) if rows else None

    async def set_lesson(self, user: UserId, game: str, before: Progress, after: Progress) -> bool:
        theirs = and_(_g.user_id == user, _g.game == game)

        def work(connection: Connection) -> bool:
            unset = asdict(Progress())
            writes.add_new(connection, schema.lessons, user_id=user, game=game, **unset)
            row = connection.execute(select(schema.lessons).where(theirs).with_for_update()).mappings().one()
            if reading.progress(row) != before:
                return False
            connection.execute(update(schema.lessons).where(theirs).values(**asdict(after)))
            return True

        return await self._set(work, None)

    async def guild(self, guild: int) -> GuildSettings:
        return await self._what_is_set(_GUILDS, self._guilds, guild)

    async def set_guild(self, guild: int, fields: Mapping[str, object]) -> GuildSettings:
        return await self._set_some(_GUILDS, self._guilds, guild, fields)

    async def _what_is_set(self, kind: _Kind[S], known: Cache[int, S], of: int) -> S:
        async def read() -> S:
            rows = await self._rows(select(kind.rows).where(kind.key == of))
            return kind.read(rows[0]) if rows else kind.unset(of)

        return await known.get(of, read)

    async def _set_some(
        self, kind: _Kind[S], known: Cache[int, S], of: int, fields: Mapping[str, object]
    ) -> S:
        """What is set afterwards. The others are told."""

        def work(connection: Connection) -> S:
            writes.add_new(connection, kind.rows, **kind.values(kind.unset(of)))
            query = select(kind.rows).where(kind.key == of).with_for_update()
            before = kind.read(connection.execute(query).mappings().one())
            after = replace(before, **fields)  # type: ignore[arg-type]
            connection.execute(update(kind.rows).where(kind.key == of).values(**kind.values(after)))
            self._tell(connection, kind.word, of)
            return after

        return await self._set(work, lambda after: known.put(of, after))


@dataclass(frozen=True, slots=True)
class _Kind(Generic[S]):
    """Settings of one kind: where their rows are, and what is in one. unset: those of whom nothing is stored.
    word: by which the other processes are told."""

    rows: SqlTable
    key: ColumnElement[int]
    word: str
    unset: Callable[[int], S]
    read: Callable[[RowMapping], S]
    values: Callable[[S], dict[str, object]]


def _looked_up(connection: Connection, table: TableId) -> tuple[Stored, list[str]] | None:
    """A table, and what of it is damaged."""
    row = connection.execute(_TABLE, {"of": table}).mappings().one_or_none()
    if row is None:
        return None
    for found, faults in _with_parts(connection, [row]):
        return Stored(found, row["state"]), faults
    return None


def _with_parts(connection: Connection, rows: Sequence[RowMapping]) -> list[tuple[Table, list[str]]]:
    """Tables from their rows, with seats and votes, in two more queries whatever their number; each with what
    of it is damaged."""
    rows = [row for row in rows if isinstance(row["id"], str)]  # of others nobody can speak
    ids = [row["id"] for row in rows]
    seats: defaultdict[TableId, list[RowMapping]] = defaultdict(list)
    votes: defaultdict[TableId, list[RowMapping]] = defaultdict(list)
    for part in range(0, len(ids), MOST_BOUND):
        some = {"some": ids[part : part + MOST_BOUND]}
        for row in connection.execute(_SEATS, some).mappings():
            seats[row["table_id"]].append(row)
        for row in connection.execute(_VOTES, some).mappings():
            votes[row["table_id"]].append(row)
    return [reading.table(row, seats[row["id"]], votes[row["id"]]) for row in rows]


def _user_values(settings: UserSettings) -> dict[str, object]:
    values = asdict(settings)
    values["user_id"] = values.pop("user")
    values["dismissed"] = " ".join(settings.dismissed)
    return values


def _guild_values(settings: GuildSettings) -> dict[str, object]:
    return {
        "guild": settings.guild,
        "language": settings.language,
        "channels": json.dumps(settings.channels),
        "openers": json.dumps(settings.openers),
        "enders": json.dumps(settings.enders),
        "most_tables": settings.most_tables,
        "clock_seconds": settings.clock.seconds,
        "clock_timeout": settings.clock.on_timeout,
        "threads": settings.threads,
        "theme": settings.theme,
    }


_USERS = _Kind(schema.users, schema.users.c.user_id, "user", UserSettings, reading.user, _user_values)
_GUILDS = _Kind(schema.guilds, schema.guilds.c.guild, "guild", GuildSettings, reading.guild, _guild_values)


def _times(table: Table) -> tuple[object, ...]:
    """Those that an outage moves."""
    seats = [(seat.opened, seat.deadline) for seat in table.seats]
    return table.deadline, seats, [vote.until for vote in table.votes]


def _sitting(table: Table) -> list[UserId | None]:
    return [seat.user for seat in table.seats]


def _people(table: Table) -> frozenset[UserId]:
    return frozenset(seat.user for seat in table.seats if seat.user is not None)


def _current(drafts: Drafts, table: Table) -> Drafts:
    """Those of choices that are still open."""
    open_ = {seat.index: seat.since for seat in table.humans}
    return {seat: draft for seat, draft in drafts.items() if open_.get(seat) == draft[0]}
