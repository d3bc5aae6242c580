"""Plays the automatic seats, those that no human plays: computer players, stand-ins and open seats.

Computer players play at their level, stand-ins at the middle one, and for an open seat no more is done than
must be. Never more than one run per table at a time. What is due is asked of the store, so that after a
restart everything goes on; a decision is applied through `Tables.automatic_move`, the way every move takes,
and refused there when the choice was closed meanwhile. Players think off the event loop, on their seat's view
alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

from bot.background import Background, Job, a_few_at_a_time
from bot.levels import Level
from bot.players import choose
from bot.rules.chance import Generator, child_seed
from bot.rules.errors import RulesError
from bot.rules.game import AnyState, View

from .keepers import LEASE
from .model import Change, Seat, SeatKind, Table, TableId
from .ports import Clock, Heard, Refusal, Stale
from .service import Tables
from .settle import automatic_seat

log = logging.getLogger(__name__)

Chooser = Callable[[str, View, Generator, Level], str]
Thinker = Callable[[str, View, Generator, Level], Awaitable[str]]
KIND = "computers"  # of its background jobs, one a table, and one for what was left to do
PAGE = 20  # tables of which that is asked at a time
AT_ONCE = 2  # of those; tables that people play at are played beside them, and wait for none of them
# Tables of those a second, by all processes together. Each asks for some five requests, and Discord takes
# fifty a second from one bot: half of them are left for people.
A_SECOND = 5.0


def in_threads(choose: Chooser) -> Thinker:
    """It is called in threads of this process."""

    async def think(game: str, view: View, chance: Generator, level: Level) -> str:
        return await asyncio.to_thread(choose, game, view, chance, level)

    return think


class ComputerPlayers:
    """The runner. `start` it once the listeners of `tables` are there; `run_due` plays what is due and
    returns (tests, command line). think: chooses a move off the event loop. pace: least time between a change
    and another seat's answer to it, so that people can follow; what a seat does next in its turn follows at
    once. share: of all tables, which this process acts for, others for the rest."""

    def __init__(
        self,
        tables: Tables,
        clock: Clock,
        background: Background,
        *,
        think: Thinker | None = None,
        pace: timedelta = timedelta(0),
        share: float = 1.0,
    ) -> None:
        self._tables = tables
        self._clock = clock
        self._background = background
        self._think = think or in_threads(choose)
        self._pace = pace
        self._share = share
        self._on = False
        self._starts = 0
        self._after = ""  # up to where what was left to do is done
        self.behind = False  # whether some of it is still to be done
        tables.listen(self._changed)
        tables.keepers.listen(self._heard)

    def start(self) -> None:
        """Begin with what is due, a few tables at a time; from now on every change is followed. Twice does
        no harm."""
        self._on = True
        self._starts += 1
        self._after, self.behind = "", True
        self._background.spawn(KIND, self._catch_up)

    async def _catch_up(self) -> float | None:
        """One page; seconds until the next, None after the last. Where it was begun anew meanwhile, that is
        what goes on."""
        start = self._starts
        page = await self._tables.automatic_due(PAGE, self._after)
        await a_few_at_a_time(self._begin, page, AT_ONCE)
        if self._starts != start:
            return 0.0
        if len(page) < PAGE:
            self.behind = False
            return None
        self._after = page[-1]
        return PAGE / (A_SECOND * self._share)

    async def stop(self) -> None:
        self._on = False
        await self._background.cancel(KIND)

    async def run_due(self) -> None:
        """Play until no automatic seat has anything to decide."""
        done: set[TableId] = set()  # due still after their run: nothing can be played there
        while due := [table for table in await self._tables.automatic_due() if table not in done]:
            for table in due:
                self._begin(table)
            await asyncio.gather(*self._background.runs(KIND))
            done.update(due)

    def _changed(self, change: Change) -> None:
        if self._on and automatic_seat(change.table) is not None:
            self._begin(change.table.id)

    def _heard(self, heard: Heard) -> None:
        if self._on and heard.kept and heard.automatic:
            self._begin(heard.table)

    def _begin(self, table: TableId) -> Job:
        """One that is at it looks once more afterwards: it may have looked before this change."""
        return self._background.spawn(KIND, partial(self._run, table), table)

    async def _run(self, table: TableId) -> float | None:
        """Decide for one table until humans are to act. Where another process keeps it, or does so from now
        on, seconds until it is looked whether that has done so."""
        acted: int | None = None
        while True:
            try:
                async with self._tables.keepers.at_work(table) as keeps:
                    if not keeps:
                        waits = automatic_seat(await self._tables.table(table)) is not None
                        return LEASE.total_seconds() if waits else None
                    acted = await self._step(table, acted)
                    if acted is None:
                        return None
            except Stale:
                continue  # somebody was faster: look again
            except Refusal as refusal:
                log.info("the automatic seats of table %s are left alone: %s", table, refusal.code)
                return None

    async def _step(self, table: TableId, acted: int | None) -> int | None:
        """One decision; whose, None when none is due. acted: whose the last one was."""
        loaded = await self._tables.load(table)
        seat = automatic_seat(loaded.table)
        if seat is None or loaded.state is None:
            return None
        move = await self._decide(loaded.table, loaded.state, seat)
        # Afterwards, so that how long it has thought tells nobody of its hand.
        if self._pace and seat.index != acted:
            await self._clock.sleep_until(loaded.table.changed + self._pace)
        try:
            await self._tables.automatic_move(table, seat.index, move, loaded.table.revision)
        except RulesError as error:
            log.error(
                "a computer player of %s chose what is not legal (%s); a stand-in moves",
                loaded.table.game,
                error.code,
            )
            move = loaded.state.stand_in(seat.index)
            await self._tables.automatic_move(table, seat.index, move, loaded.table.revision)
        return seat.index

    async def _decide(self, table: Table, state: AnyState, seat: Seat) -> str:
        if seat.kind is SeatKind.OPEN:  # as little as can be, for whoever comes
            return state.stand_in(seat.index)
        level = seat.level if seat.kind is SeatKind.COMPUTER else Level.MEDIUM
        view = state.view(seat.index)
        chance = Generator(child_seed(table.seed, f"seat:{seat.index}:{table.events}"), "choice")
        try:
            return await self._think(table.game, view, chance, level)
        except Exception:  # a fault in a player must not stop the table
            log.exception("a computer player of %s failed; a stand-in moves", table.game)
            return state.stand_in(seat.index)
