"""Who acts for a table: fires its deadlines, plays its computers' turns, paints it and tells its people.

Where one process serves everything that is this one, and nothing is asked. Where several share a store each
table has a keeper, its home, the process that serves its server's shard; while that is dead, another one that
finds it waiting, for its computers and for people's direct messages alone. A keeper holds a lease, which ends
with the process, or soon after it stops acting.

What another process changes or wants to have done is heard here and told to those who act (`listen`).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from cachetools import LRUCache

from bot.background import Background

from .model import TableId, UserId
from .ports import Clock, Heard, Store

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=15)
WAITING = timedelta(seconds=10)  # what waits longer at a table whose home is dead is taken over
LOOKS = 5.0  # seconds between two looks for such tables, and at the leases in use
AT_ONCE = 50  # tables taken over at a time
KEPT = 4096  # leases remembered

Listener = Callable[[Heard], None]


class Keepers:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._shared = store.shared is True
        self._until: LRUCache[TableId, datetime] = LRUCache(KEPT)  # of the leases held, by our clock
        self._at_work: Counter[TableId] = Counter()
        self._listeners: list[Listener] = []
        self._on = False
        if self._shared:
            store.attend(self._heard)

    def listen(self, listener: Listener) -> None:
        """It is called with whatever another process did or wants, and with tables taken over from one that
        is dead."""
        self._listeners.append(listener)

    @property
    def shared(self) -> bool:
        """Whether other processes may act for tables."""
        return self._shared

    def start(self, background: Background) -> None:
        """Look after leases and after tables whose keeper is dead, and hear the others: what was told before
        is found by who asks the store. Twice does no harm."""
        self._on = True
        if self._shared:
            background.spawn("keepers", self._look)

    async def keeps(self, table: TableId) -> bool:
        """Whether this process acts for the table now."""
        if not self._shared:
            return True
        now = self._clock.now()
        held = self._until.get(table)
        if held is not None and held - now > LEASE / 2:
            return True
        got = await self._store.claim(table, LEASE)
        if got:
            self._until[table] = now + LEASE
        else:
            self._until.pop(table, None)
        return got

    @asynccontextmanager
    async def at_work(self, table: TableId) -> AsyncIterator[bool]:
        """The same; where it is so, it stays so within, also where the table's home was dead and comes back
        meanwhile: that waits. So this is for one step, and what goes on asks anew."""
        if not await self.keeps(table):
            yield False
            return
        self._at_work[table] += 1
        try:
            yield True
        finally:
            self._at_work[table] -= 1
            if not self._at_work[table]:
                del self._at_work[table]

    @asynccontextmanager
    async def alone_with(self, user: UserId) -> AsyncIterator[bool]:
        """Whether no other process writes to this person meanwhile: what they are told of several tables
        comes in one message."""
        if not self._shared:
            yield True
            return
        alone = await self._store.hold_person(user)
        try:
            yield alone
        finally:
            if alone:
                await self._store.let_go(user)

    def is_home(self, guild: int) -> bool:
        """Whether tables of this server (0: in direct messages) are at home here."""
        return not self._shared or self._store.is_home(guild)

    async def hand_over(self, table: TableId, guild: int, wanted: Collection[str] = ()) -> None:
        """What is to be done there is the keeper's. wanted: see `Heard`."""
        if self._shared:
            await self._store.ask_keeper(table, guild, wanted)

    async def _look(self) -> float:
        now = self._clock.now()
        if used := list(self._at_work):
            # As long as they are used: that tells nothing of whether they may be used anew, see `keeps`.
            still = await self._store.renew(used, LEASE)
            for table in used:
                if table not in still:
                    self._until.pop(table, None)
        for table in await self._store.take_orphans(now - WAITING, LEASE, AT_ONCE):
            log.info("table %s is taken over from a process that is gone", table)
            self._until[table] = now + LEASE
            self._tell(Heard(table, kept=True, kind="orphan", wake=None, automatic=True))
        return LOOKS

    def _heard(self, heard: Heard) -> None:
        if self._on:
            held = self._until.get(heard.table)
            kept = heard.kept or (held is not None and held > self._clock.now())
            self._tell(replace(heard, kept=kept))

    def _tell(self, heard: Heard) -> None:
        for listener in self._listeners:
            try:
                listener(heard)
            except Exception:  # one listener's fault must not reach the others
                log.exception("a listener failed on table %s", heard.table)
