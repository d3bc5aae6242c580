"""The one clock: it does at every table what is due, and wakes when the next thing will be."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from bot.background import Background

from .deadlines import wake
from .keepers import LEASE
from .model import Change, TableId
from .ports import Clock, Heard, Refusal, Store, StoreTrouble
from .service import Tables

log = logging.getLogger(__name__)

RETRY = timedelta(minutes=1)  # after a tick that failed
AT_ONCE = 200  # tables asked for at a time
LONGEST_SLEEP = timedelta(minutes=30)  # it looks again at least this often


async def _always() -> bool:
    return True


class Scheduler:
    """Does what is due, and sleeps until the next thing will be or a change brings an earlier time. Several
    processes may do so on one store, each at the tables that are at home with it. `start` it once the
    listeners of `tables` are there; `run_due` does what is due and returns (tests, the playground). served:
    whether anybody could play now; else nobody loses time, until it is started again. reached: whether those
    on a server could."""

    def __init__(
        self,
        tables: Tables,
        store: Store,
        clock: Clock,
        background: Background,
        *,
        served: Callable[[], Awaitable[bool]] = _always,
        reached: Callable[[int], bool] = lambda guild: True,
    ) -> None:
        self._tables = tables
        self._store = store
        self._clock = clock
        self._background = background
        self._served = served
        self._reached = reached
        self._failed: dict[TableId, datetime] = {}
        self._on = False
        self._set_for: datetime | None = None  # when it looks next
        tables.listen(self._changed)
        tables.keepers.listen(self._heard)

    def start(self) -> None:
        """Look now; from then on every change is followed. Twice does no harm."""
        self._on = True
        self._background.spawn("clock", self._look)

    def _changed(self, change: Change) -> None:
        """Only a change that brings an earlier time wakes it before its time."""
        self._wake_at(wake(change.table))

    def _heard(self, heard: Heard) -> None:
        if heard.kept:
            self._wake_at(heard.wake)

    def _wake_at(self, when: datetime | None) -> None:
        if self._on and when is not None and (self._set_for is None or when < self._set_for):
            self._background.spawn("clock", self._look)

    async def _look(self) -> float:
        """Seconds until it must look again."""
        self._set_for = None
        if not await self._served():
            return LONGEST_SLEEP.total_seconds()  # it is started again once that changes
        await self.run_due()
        next_wake = await self.next_wake()
        now = self._clock.now()
        sleep = LONGEST_SLEEP if next_wake is None else min(LONGEST_SLEEP, next_wake - now)
        self._set_for = now + sleep
        return max(0.05, sleep.total_seconds())

    async def next_wake(self) -> datetime | None:
        """When something will be due, or what failed is to be tried again."""
        times = (await self._store.next_wake(self._clock.now()), *self._failed.values())
        return min((time for time in times if time is not None), default=None)

    async def run_due(self) -> list[Change]:
        """Do everything that is due now; what was done."""
        done: list[Change] = []
        while True:
            now = self._clock.now()
            self._failed = {table: until for table, until in self._failed.items() if until > now}
            found = await self._store.due(now, AT_ONCE + len(self._failed))  # they keep nobody out
            due = [table for table in found if table not in self._failed]
            if not due:
                return done
            for table in due:
                if not await self._tables.keepers.keeps(table):  # another acted there until just now
                    self._failed[table] = now + LEASE
                    continue
                try:
                    if not self._reached((await self._tables.table(table)).place.guild):
                        self._failed[table] = now + RETRY
                        continue
                    change = await self._tables.tick(table)
                except Refusal as refusal:
                    log.warning("the clock could not act on table %s: %s", table, refusal.code)
                    self._failed[table] = now + RETRY
                except StoreTrouble:  # told by the store, once for all tables
                    self._failed[table] = now + RETRY
                except Exception:
                    log.exception("the clock failed on table %s", table)
                    self._failed[table] = now + RETRY
                else:
                    if change is None:
                        self._failed[table] = now + RETRY  # its wake is in the past, but nothing was due
                    else:
                        done.append(change)
