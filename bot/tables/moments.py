"""Looks back on games that are over, for one person at a time (`bot/players/moments.py`).

What comes of it is kept for a while; looked for again it is the same, since its chance is a child of the
table's seed.
"""

from __future__ import annotations

import logging
from typing import TypeAlias

from cachetools import LRUCache

from bot.players.moments import Damaged, Moment, Past, Run, look_back
from bot.rules.chance import child_seed
from bot.rules.registry import GAME_IDS
from bot.rules.registry import game as rules_of

from .model import Status, Table, TableId, UserId
from .ports import NothingDecided, OlderRules, Unfinished, Unreplayable
from .service import Tables

log = logging.getLogger(__name__)

KEPT = 256  # people's games, those looked at last

Looked: TypeAlias = "tuple[Moment, ...]"


class Moments:
    """run: does the thinking, beside the event loop."""

    def __init__(self, tables: Tables, run: Run) -> None:
        self._tables = tables
        self._run = run
        self._kept: LRUCache[tuple[TableId, UserId], Looked] = LRUCache(KEPT)

    def kept(self, table: TableId, user: UserId) -> Looked | None:
        """What was found for this person at that table; None where nobody has looked, or it is forgotten."""
        return self._kept.get((table, user))

    async def past(self, table: TableId, user: UserId) -> Past:
        """What there is to look back on. Raises NotFound, NotOver, NeverSat, and NoMoments where there is
        nothing."""
        found, events, own = await self._tables.decided_by(table, user)
        if found.damaged or found.game not in GAME_IDS:
            raise Unreplayable(found)
        if found.outcome is None:
            raise Unfinished(found)
        if not offers(found):
            raise OlderRules(found)
        if not own:
            raise NothingDecided(found)
        return Past(found.game, len(found.seats), dict(found.options), tuple(events), tuple(own))

    async def look(self, table: Table, user: UserId, past: Past) -> Looked:
        """Raises Unreplayable, and whatever `run` raises."""
        seed = child_seed(table.seed, "moments")
        try:
            looked = await look_back(past, seed, self._run)
        except Damaged as error:
            log.error("table %s: its record cannot be played through", table.id)
            raise Unreplayable(table) from error
        self._kept[table.id, user] = looked
        return looked


def offers(table: Table) -> bool:
    """Whether those who sat there can look back on their game."""
    return (
        table.status is Status.ENDED
        and not table.damaged
        and table.outcome is not None
        and table.game in GAME_IDS
        and table.rules_version == rules_of(table.game).version
    )
