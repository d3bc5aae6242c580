"""From a table's id to the table and the position of its game, as they are stored now.

A table that cannot be loaded is set aside, for everybody to see, and stops no other; one that can be loaded
again goes on. Both are changes of the table.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TypeAlias

from cachetools import LRUCache

from bot.rules.game import AnyState

from .line import Line
from .model import TABLE_ID, Change, Entry, Status, Table, TableId
from .ports import Busy, Clock, NotFound, RevisionTaken, Store, Stored, Write
from .positions import Unloadable, rebuild, restore
from .settle import settle
from .transaction import Transaction

log = logging.getLogger(__name__)

READS = 100  # of a table and its entries, until both are of one revision
KEPT_STATES = 256  # positions kept in memory, each with its revision; the least used go first
KEPT_PASTS = 64  # of tables whose entries are kept so
Position: TypeAlias = "tuple[Table, AnyState | None]"


async def stored_table(store: Store, table: TableId) -> Stored:
    """Raises NotFound."""
    stored = await store.load(table) if TABLE_ID.fullmatch(table) else None
    if stored is None:
        raise NotFound(id=table[:20])
    return stored


async def stored_whole(store: Store, table: TableId) -> tuple[Stored, list[Entry]]:
    """A table and the entries up to that same revision. Raises NotFound; Busy where they never agree."""
    for _ in range(READS):
        stored = await stored_table(store, table)
        entries = await store.entries(table)
        same = bool(entries) and entries[-1].revision == stored.table.revision
        if same or stored.table.damaged:  # of a damaged one they never agree
            return stored, entries
        await asyncio.sleep(0)  # a change is being stored; it must get its turn
    log.error("table %s: its row and its entries are not of one revision", table)
    raise Busy(stored.table)


class Loading:
    """Makes positions, and keeps those that were made last, by revision."""

    def __init__(self, store: Store, clock: Clock, line: Line) -> None:
        self._store = store
        self._clock = clock
        self._line = line
        self._states: LRUCache[TableId, tuple[int, AnyState]] = LRUCache(KEPT_STATES)
        self._pasts: LRUCache[TableId, tuple[int, tuple[Entry, ...]]] = LRUCache(KEPT_PASTS)
        self._unloadable: set[TableId] = set()  # tables that this process has failed to load

    async def entries(self, table: Table) -> Sequence[Entry] | None:
        """Every change of the table as it is given, undone ones marked; None where it has changed since, or
        where they cannot be read."""
        kept = self._pasts.get(table.id)
        if kept is not None and kept[0] == table.revision:
            return kept[1]
        found = tuple(await self._store.entries(table.id))
        if not found or found[-1].revision != table.revision:
            return None
        self._pasts[table.id] = (table.revision, found)
        return found

    async def position(self, stored: Stored, *, locked: bool = False) -> Position:
        """The table and its state, which is not to be changed. None before the start, and for a table that
        cannot be loaded: that is set aside. One set aside by an earlier process goes on if this one can load
        it. locked: whether the caller is in the table's line already."""
        table = stored.table
        over = table.status in (Status.ASIDE, Status.ENDED)
        if table.damaged and table.id not in self._unloadable:
            self._unloadable.add(table.id)
            if table.is_open:  # what is left of its row is not written back; those who can end it are told
                self._line.tell(Change(table, None, (), (), (), "aside", None))
        if table.status is Status.LOBBY or table.damaged or (over and table.id in self._unloadable):
            return table, None
        if table.events == 0 and stored.cache is None:
            return table, None
        kept = self._states.get(table.id)
        if kept is not None and kept[0] == table.revision:
            return table, kept[1]
        try:
            state = restore(table, stored.cache)
            if state is None:
                entries = await self._store.entries(table.id)
                state = await asyncio.to_thread(rebuild, table, entries)
                log.warning("table %s: position rebuilt from its events", table.id)
        except Unloadable as error:
            self._unloadable.add(table.id)
            if not over:
                log.error("table %s cannot be loaded and is set aside: %s", table.id, error)
                return await self._turn(table, "aside", None, locked=locked)
            return table, None
        if table.status is Status.ASIDE:
            log.warning("table %s can be loaded again and goes on", table.id)
            return await self._turn(table, "resume", state, locked=locked)
        self.keep(table, state)
        return table, state

    async def _turn(self, table: Table, kind: str, state: AnyState | None, *, locked: bool) -> Position:
        """Set a table aside (no state), or let it go on; what `position` answers afterwards."""
        if not locked:
            return await self._line.whole(self._turn_in_line(table, kind, state))
        stored = await stored_table(self._store, table.id)
        now = stored.table
        if now.revision != table.revision:  # somebody else saw to it
            return await self.position(stored, locked=True)
        tx = Transaction(now, state, self._clock.now(), kind, before=now)
        running = Status.PAUSED if now.paused else Status.PLAYING
        tx.set(status=Status.ASIDE if state is None else running)
        write, change = settle(tx)
        try:
            await self._store.write(write)
        except RevisionTaken:
            return await self.position(await stored_table(self._store, table.id), locked=True)
        self.keep(change.table, state)
        self._line.tell(change)
        return change.table, state

    async def _turn_in_line(self, table: Table, kind: str, state: AnyState | None) -> Position:
        async with self._line.at(table.id):
            return await self._turn(table, kind, state, locked=True)

    def keep(self, table: Table, state: AnyState | None) -> None:
        """The position at the table's revision, as it was just stored."""
        if state is None or table.status is Status.ENDED:
            self._states.pop(table.id, None)
            return
        self._states[table.id] = (table.revision, state)

    def stored(self, write: Write) -> None:
        """This was just stored."""
        table = write.table
        kept = self._pasts.pop(table.id, None)
        if kept is not None and kept[0] == table.revision - 1 and not write.void and table.is_open:
            self._pasts[table.id] = (table.revision, (*kept[1], write.entry))

    def forget(self, table: TableId) -> None:
        """What is kept of it is no longer what is stored."""
        self._states.pop(table, None)
        self._pasts.pop(table, None)
