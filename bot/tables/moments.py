"""Looks back on games that are over, for one person at a time (`bot/players/moments.py`).

What comes of it is kept for a while; looked for again it is the same, since its chance is a child of the
table's seed. A few look back at a time (`AT_ONCE`), in the order in which they asked, at one game each; who
asks again meanwhile waits for the same.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from cachetools import LRUCache

from bot.players.moments import Damaged, Moment, Past, Run, look_back
from bot.rules.registry import GAME_IDS
from bot.rules.registry import game as rules_of

from .model import Status, Table, TableId, UserId
from .ports import LooksElsewhere, NothingDecided, OlderRules, Refusal, Unfinished, Unreplayable
from .service import Tables

log = logging.getLogger(__name__)

KEPT = 256  # people's games, those looked at last
AT_ONCE = 2  # people's games that are looked at at a time; computers think about moves between the pieces

Looked: TypeAlias = "tuple[Moment, ...]"


@dataclass(frozen=True, slots=True)
class Stage:
    """ahead: how many must be over before it begins, 0 once it has begun. quarters: of its work that are
    done."""

    ahead: int = 0
    quarters: int = 0


@dataclass(slots=True, eq=False)
class _Search:
    """begins: set when it is its turn. told: everybody who waits for it."""

    stage: Stage = Stage()
    begins: asyncio.Event = field(default_factory=asyncio.Event)
    told: list[Callable[[Stage], None]] = field(default_factory=list)
    found: asyncio.Future[Looked] | None = None

    def reach(self, stage: Stage) -> None:
        if stage != self.stage:
            self.stage = stage
            for tell in self.told:
                tell(stage)

    def get_on(self, done: float) -> None:
        self.reach(Stage(0, int(4 * done)))


class Moments:
    """run: does the thinking, beside the event loop."""

    def __init__(self, tables: Tables, run: Run) -> None:
        self._tables = tables
        self._run = run
        self._kept: LRUCache[tuple[TableId, UserId], Looked] = LRUCache(KEPT)
        self._searches: dict[tuple[TableId, UserId], _Search] = {}  # in the order in which they begin

    def kept(self, table: TableId, user: UserId) -> Looked | None:
        """What was found for this person at that table; None where nobody has looked, or it is forgotten."""
        return self._kept.get((table, user))

    async def past(self, table: TableId, user: UserId) -> Past:
        """What there is to look back on. Raises NotFound, NotOver, NeverSat, and NoMoments where there is
        nothing."""
        found, events, own = await self._tables.decided_by(table, user)
        if (refused := _why_not(found)) is not None:
            raise refused
        if not own:
            raise NothingDecided(found)
        return Past(found.game, len(found.seats), dict(found.options), tuple(events), tuple(own))

    def stage(self, table: TableId, user: UserId) -> Stage:
        """How far it is that this person looks back there; where they have not asked, how it would begin."""
        search = self._searches.get((table, user))
        return search.stage if search is not None else self._stage_at(len(self._searches))

    async def look(
        self, table: Table, user: UserId, past: Past, tell: Callable[[Stage], None] = lambda _: None
    ) -> Looked:
        """tell: told of each stage that it reaches. Raises LooksElsewhere, Unreplayable, and whatever `run`
        raises."""
        key = table.id, user
        search = self._searches.get(key)
        if search is None:
            for other, who in self._searches:
                if who == user:
                    raise LooksElsewhere(id=other)
            search = _Search(self._stage_at(len(self._searches)))
            self._searches[key] = search
            search.found = asyncio.ensure_future(self._found(table, user, past, search))
            search.found.add_done_callback(lambda done: done.cancelled() or done.exception())
        assert search.found is not None
        search.told.append(tell)
        try:
            return await asyncio.shield(search.found)  # others may wait for it too
        finally:
            search.told.remove(tell)

    async def _found(self, table: Table, user: UserId, past: Past, search: _Search) -> Looked:
        try:
            self._move_up()
            await search.begins.wait()
            looked = await look_back(past, table.advice_seed, self._run, search.get_on)
            self._kept[table.id, user] = looked
            return looked
        except Damaged as error:
            log.error("table %s: its record cannot be played through", table.id)
            raise Unreplayable(table) from error
        finally:
            del self._searches[table.id, user]
            self._move_up()

    def _move_up(self) -> None:
        for place, search in enumerate(self._searches.values()):
            if not search.begins.is_set():
                search.reach(self._stage_at(place))
            if place < AT_ONCE:
                search.begins.set()

    @staticmethod
    def _stage_at(place: int) -> Stage:
        return Stage(ahead=max(0, place - AT_ONCE + 1))


def offers(table: Table) -> bool:
    """Whether those who sat there can look back on their game."""
    return table.status is Status.ENDED and _why_not(table) is None


def _why_not(table: Table) -> Refusal | None:
    """Why nobody can look back on a game that is over; None where they can."""
    if table.damaged or table.game not in GAME_IDS:
        return Unreplayable(table)
    if table.outcome is None:
        return Unfinished(table)
    if table.rules_version != rules_of(table.game).version:
        return OlderRules(table)
    return None
