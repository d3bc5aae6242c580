"""Hints: what a person might do on their open choice, and why, found by the game's computer player from what
their seat sees, and nothing else.

The same position gives the same hint, however often it is asked for: its chance is of the position, by a seed
of its own that tells nothing of the table's. One that was told stays the hint on its choice, whatever others
do meanwhile: who asks why is told of that. How many a person has had is kept with their seat, and noted
before they read one; one that comes when its choice is closed is told to nobody and does not count.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from cachetools import LRUCache

from bot.players import chance_of, position_of
from bot.players.contract import Advice
from bot.rules.chance import Generator
from bot.rules.game import View
from bot.shared import Shared
from bot.workers import Interrupted

from .model import Person, Seat, Table, TableId, UserId
from .ports import HintLost, NothingElse
from .service import Tables

log = logging.getLogger(__name__)

Advise = Callable[[str, View, Generator], Awaitable[Advice]]
Wanted: TypeAlias = tuple[TableId, int, str]  # table, seat, position
KEPT = 256  # hints found last, or looked for
TOLD = 1024  # people at tables of whom is known which hint they were told last


@dataclass(frozen=True, slots=True)
class Hint:
    """since: of the choice that it is about (`Seat.since`)."""

    since: int
    advice: Advice


class Adviser:
    """advise: finds a hint off the event loop."""

    def __init__(self, tables: Tables, advise: Advise) -> None:
        self._tables = tables
        self._advise = advise
        self._found: Shared[Wanted, Advice] = Shared(KEPT)
        self._told: LRUCache[tuple[TableId, UserId], Hint] = LRUCache(TOLD)

    async def hint(self, table: TableId, person: Person, revision: int | None) -> Hint:
        """On the person's open choice. revision: the click's, None for the choice as it is. Raises as
        `Tables.tap`; NoHints; NothingElse; HintLost where none was found; Stale where another choice is open
        by then."""
        seen = await self._tables.hintable(table, person, revision)
        seat, view = seen.seat, seen.view
        assert seat is not None
        assert view is not None
        told = self._told.get((table, person.id))
        if told is not None and told.since == seat.since:
            return told
        position = position_of(view)
        advice = await self._advice(seen.table, seat, view, position)
        if advice.only:
            raise NothingElse(seen.table)
        await self._tables.hinted(table, person, seat.since, position)
        told = self._told[table, person.id] = Hint(seat.since, advice)
        return told

    async def _advice(self, table: Table, seat: Seat, view: View, position: str) -> Advice:
        """Looked for once, however many ask meanwhile. Raises HintLost."""
        wanted = (table.id, seat.index, position)
        looking = self._found.of(
            wanted, lambda: self._advise(table.game, view, chance_of(table.advice_seed, view))
        )
        try:
            return await asyncio.shield(looking)  # others may wait for it too
        except asyncio.CancelledError:
            if not looking.cancelled():
                raise
            raise HintLost(table) from None  # the bot is about to end
        except Interrupted as lost:
            raise HintLost(table) from lost
        except Exception as fault:  # of a player: the table has none
            log.exception("no hint was found at a table of %s", table.game)
            raise HintLost(table) from fault
