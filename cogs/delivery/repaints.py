"""What is to be painted, and what is left alone for now.

Whoever changes or misses something marks its table here; one job per table works the marks off (`Painter`,
see `attend`). Marks that come meanwhile are joined, and a message is painted at most once per `pace` seconds:
the first time after a quiet moment at once. A table that cannot be shown is parked: nothing more is tried
until somebody touches it, a person plays on, or the bot resumes.

What a crash, an outage or a failing Discord left behind is found by the sweep and worked off a few tables at
a time, notices first. It takes two of the painter's places at most, so a table at which somebody plays waits
for none of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

from cachetools import LRUCache

from bot.background import Background, Job, a_few_at_a_time
from bot.discord_io import DiscordIO
from bot.tables.keepers import LEASE
from bot.tables.model import Table, TableId, UserId
from bot.tables.ports import Clock, Heard
from bot.tables.service import Tables
from bot.tables.shown import Shown

from .backlog import Backlog, OnServer
from .retries import Tries

SWEPT = timedelta(minutes=15)  # between two sweeps
PAGE = 20  # tables that a sweep asks for at a time
SWEEPING = 2  # of those at once
PARKED_FOR = timedelta(days=1)  # how long the sweep leaves a parked table alone
MISSED = (3, 600.0)  # put up anew so often in so many seconds; then whoever deletes it has won
OPENING = frozenset({"open", "rematch"})  # changes that their opener shows, see `hold`
OPENER = 30.0  # seconds that an opener in another process gets for that
KEPT = 4096  # tables of which is kept what was painted last and when

OWED, UNPAINTED, UNSETTLED = range(QUEUES := 3)  # in this order: who waits to be told comes first

Paint = Callable[[TableId], Awaitable[bool]]
Tidy = Callable[[TableId], Awaitable[None]]
Elsewhere = Callable[[TableId], None]


class Repaints:
    def __init__(
        self,
        tables: Tables,
        shown: Shown,
        io: DiscordIO,
        clock: Clock,
        background: Background,
        *,
        pace: float,
    ) -> None:
        """pace: seconds at least between two repaints of one message."""
        self._tables = tables
        self._shown = shown
        self._io = io
        self._clock = clock
        self._background = background
        self._pace = pace
        self.tries = Tries()
        self.backlog = Backlog()
        self._paint: Paint | None = None
        self._tidy: Tidy | None = None
        self._elsewhere: Elsewhere | None = None
        self._marked: set[TableId] = set()
        self._last: LRUCache[TableId, float] = LRUCache(KEPT)  # loop time at which it was begun, for the pace
        self._parked: set[TableId] = set()
        self._away: set[TableId] = set()  # those of them on servers that we were thrown out of
        self._held: set[TableId] = set()
        self._forced: set[TableId] = set()
        self._hands: set[TableId] = set()
        self._missed: LRUCache[TableId, list[float]] = LRUCache(KEPT)  # loop times of deletions
        self._swept: tuple[int, TableId] = (0, "")  # up to where the sweep has come: which queue, and table
        self._timers: dict[TableId, asyncio.TimerHandle] = {}
        self._resumes: dict[TableId, asyncio.TimerHandle] = {}  # at the end of the bot's time-out
        self._revisions: LRUCache[TableId, int] = LRUCache(KEPT)  # of the public messages, hands aside

    def attend(self, paint: Paint, tidy: Tidy, elsewhere: Elsewhere) -> None:
        """Who works the marks off. paint: a table; answers whether there was anything to paint. tidy:
        what is unsettled of a parked one. elsewhere: what is this process's even of a table that another one
        paints."""
        self._paint, self._tidy, self._elsewhere = paint, tidy, elsewhere
        self._tables.keepers.listen(self._heard)

    def _heard(self, heard: Heard) -> None:
        """Another process has changed a table, or has sent or misses something there."""
        if not heard.kept or heard.kind == "copy":
            if self._elsewhere is not None:
                self._elsewhere(heard.table)
            return
        if heard.kind in OPENING:  # its opener sees to what is shown first
            self.again(heard.table, OPENER)
            return
        if heard.actor is not None:
            self.played_on(heard.table)
        if "missed" in heard.wanted:
            self.refresh(heard.table)
        if "hands" in heard.wanted:
            self.look_at_hands(heard.table)
        self.mark(heard.table)

    # marking

    def hold(self, table: TableId) -> None:
        """Not to be painted until `release`: whoever opens a table sees to what is shown first."""
        self._held.add(table)

    def release(self, table: TableId, shown: int = 0) -> None:
        """Its opener is done. shown: the revision that the lobby message shows (0: unknown, then it is looked
        at here)."""
        self._held.discard(table)
        if shown:
            self.shows(table, shown)
        self.mark(table)

    def shows(self, table: TableId, revision: int) -> None:
        """The public message shows this revision now, hands aside."""
        self._revisions[table] = revision

    def after_outage(self, away: OnServer) -> None:
        """The bot was away from these servers: what messages show of any table may have changed without a
        new revision, and what was left behind there is told together."""
        self._revisions.clear()
        self.backlog.begin(away)

    def shown(self, table: TableId) -> int | None:
        return self._revisions.get(table)

    def mark(self, table: TableId) -> Job:
        self._marked.add(table)
        return self._background.spawn("paint", partial(self._work, table), table)

    def played_on(self, table: TableId) -> None:
        """A person has changed something there: a parked table gets one attempt, one given up before is tried
        from the start."""
        self.backlog.played_on(table)
        if table in self._parked - self._away:
            self._parked.discard(table)
            self.tries.use_up(table)
        elif self.tries.all_made(table):
            self.tries.forget(table)

    def touch(self, table: Table, user: UserId) -> None:
        """This person is at the table: where it is behind, try again, even where it was parked. What it says
        to them alone needs to stand there no longer."""
        if self.backlog.is_read(table.id, user):
            self.refresh(table.id)
        if table.painted < table.revision and table.id not in self._away:
            self._parked.discard(table.id)
            self.tries.forget(table.id)
            self.mark(table.id)

    def refresh(self, table: TableId) -> None:
        """Paint it though it should be up to date: somebody misses it."""
        self._open(table)
        self._revisions.pop(table, None)
        self._forced.add(table)
        self.mark(table)

    def take_forced(self, table: TableId) -> bool:
        """Whether somebody misses it (see `refresh`); that is seen to now."""
        forced = table in self._forced
        self._forced.discard(table)
        return forced

    def look_at_hands(self, table: TableId) -> None:
        """Bring its private hands up to date though they should be: one of them may show something else."""
        self._open(table)
        self._hands.add(table)
        self.mark(table)

    def take_hands(self, table: TableId) -> bool:
        """Whether the hands are to be looked at (see `look_at_hands`); that is seen to now."""
        looked = table in self._hands
        self._hands.discard(table)
        return looked

    def look_again(self, table: TableId) -> None:
        """Something changed where it is shown: what is behind or owed is tried again, parked or not."""
        self._open(table)
        self.tries.forget(table)
        self.mark(table)

    async def missed(self, table: TableId, *, noted: bool = False) -> None:
        """Its message or thread was deleted: put up anew, but not against somebody who deletes it again and
        again. noted: whether it counts as unseen already."""
        self._revisions.pop(table, None)
        if not noted:
            await self._shown.unseen(table)  # so that it comes back, whatever happens to the process
        most, seconds = MISSED
        now = asyncio.get_running_loop().time()
        times = [when for when in self._missed.get(table, []) if when > now - seconds]
        self._missed[table] = [*times, now]
        if len(times) >= most:
            await self.park(table)
        else:
            self.refresh(table)

    def is_parked(self, table: TableId) -> bool:
        """Whether it is left alone for now."""
        return table in self._parked

    def is_away(self, table: TableId) -> bool:
        """Whether it is parked, and nobody of us is there."""
        return table in self._away

    async def park(self, table: TableId, *, away: bool = False) -> None:
        """Nothing more is tried for now; once at every change that a person makes. away: not then either,
        nobody of us is there."""
        self._parked.add(table)
        if away:
            self._away.add(table)
        now = self._clock.now()
        found = await self._tables.find(table)
        ends = None if found is None else self._io.timed_out(found.place.guild)
        if found is not None and ends is not None:
            self._resume_at(found, (ends - now).total_seconds() + 1.0)
        await self._shown.parked(table, ends or now + PARKED_FOR)

    def _resume_at(self, table: Table, wait: float) -> None:
        """Once the bot's time-out has ended the table is tried again, whatever was refused meanwhile. One
        timer a table: the end may have been moved."""

        def ring() -> None:
            self._resumes.pop(table.id, None)
            self.reopen(table)
            self.look_again(table.id)

        before = self._resumes.pop(table.id, None)
        if before is not None:
            before.cancel()
        self._resumes[table.id] = asyncio.get_running_loop().call_later(wait, ring)

    def reopen(self, table: Table) -> None:
        """Where it is shown is written to again, whatever was refused there before."""
        for channel in (table.place.channel, table.place.thread):
            if channel is not None:
                self._io.place_changed(channel)

    def unpark(self) -> None:
        """After a resume or a new permission everything may be tried again; the sweep begins anew."""
        self._parked.clear()
        self._away.clear()
        self._swept = (0, "")

    def _open(self, table: TableId) -> None:
        self._parked.discard(table)
        self._away.discard(table)

    async def sweep(self) -> bool:
        """See to a page of what is owed until the next sweep, unpainted or unsettled: one attempt for each
        that was given up before. Whether that was all of it."""
        queue, after = self._swept
        tables = await self._page(queue, after)
        last = queue if tables else queue + 1
        self._swept = (last % QUEUES, tables[-1] if tables else "")
        await a_few_at_a_time(self.mark, tables, SWEEPING)
        return last == QUEUES

    async def _page(self, queue: int, after: TableId) -> list[TableId]:
        if queue == OWED:
            return await self._shown.owed_tables(SWEPT, PAGE, after)
        if queue == UNSETTLED:
            return await self._shown.unsettled(PAGE, after)
        found = await self._shown.unpainted(PAGE, after)
        for table in found:
            self._open(table)  # those still to be left alone are not among them
        return found

    def again(self, table: TableId, wait: float) -> None:
        """Mark it once more after `wait` seconds, or before; one timer a table."""

        def ring() -> None:
            self._timers.pop(table, None)
            self.mark(table)

        loop = asyncio.get_running_loop()
        before = self._timers.get(table)
        if before is not None:
            if before.when() <= loop.time() + wait:
                return
            before.cancel()
        self._timers[table] = loop.call_later(wait, ring)

    # working the marks off

    async def _work(self, table: TableId) -> float | None:
        if self._paint is None or self._tidy is None:
            return None
        asked: list[set[TableId]] = []
        try:
            while table in self._marked:
                if (wait := self._rest(table)) > 0:
                    return wait
                self._marked.discard(table)
                if table in self._held or self._background.closing:
                    return None
                begun = asyncio.get_running_loop().time()
                asked = [some for some in (self._forced, self._hands) if table in some]
                async with self._tables.keepers.at_work(table) as keeps:
                    if not keeps:
                        await self._leave_to_keeper(table)
                    elif table in self._parked or await self._is_strange(table):
                        asked = []
                        await self._tidy(table)
                    elif await self._paint(table):
                        self._last[table] = begun
                asked = []
                if not keeps or table in self._parked:
                    return None
        except BaseException:
            # What was begun is still to be done; a missed message that was brought up to date is.
            for some in (self._marked, *asked):
                if some is not self._forced or table not in self._revisions:
                    some.add(table)
            raise
        return None

    async def _is_strange(self, table: TableId) -> bool:
        """Whether its server is not known here, its language neither: it is kept for a process that is dead,
        and what is public waits for that."""
        keepers = self._tables.keepers
        found = await self._tables.find(table) if keepers.shared else None
        return found is not None and not keepers.is_home(found.place.guild)

    async def _leave_to_keeper(self, table: TableId) -> None:
        """Another process acts for the table: it is told what is marked here. What shows here alone is seen
        to here."""
        wanted = {"missed": self.take_forced(table), "hands": self.take_hands(table)}
        found = await self._tables.find(table)
        if found is None:
            return
        if self._elsewhere is not None:
            self._elsewhere(table)
        keepers, guild = self._tables.keepers, found.place.guild
        await keepers.hand_over(table, guild, [name for name, asked in wanted.items() if asked])
        if keepers.is_home(guild):  # whose lease ends soon
            self.again(table, LEASE.total_seconds())

    def _rest(self, table: TableId) -> float:
        """Seconds until the pace lets it be painted again, if more than none."""
        return self._last.get(table, float("-inf")) + self._pace - asyncio.get_running_loop().time()
