"""Plans carried out where the hidden pieces lie as they could."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from random import Random
from typing import Final

from bot.players.contract import Trial
from bot.players.mixing import shuffle

from .ending import Ending
from .figures import SOLO
from .plans import Plan, Seen
from .playout import Table, play_on
from .solo import SoloJudge, solo_turn

FAR: Final = 40  # pieces in the bag with which the end is far off
EARLY: Final = 0.7  # how much of the others' points is then their average, not the best one's
SWING: Final = 6.0  # points by which the lead of one of two can still change,
SWINGS: Final = 5.5  # and for each of the root of the bag


class Known(Trial):
    """With nothing hidden, plans come to one thing each: the end of the game, searched for."""

    def __init__(self, seen: Seen, plans: Sequence[Plan], won: float) -> None:
        theirs = tuple([piece for piece, count in enumerate(seen.hidden) for _ in range(count)])
        racks = [seen.rack, theirs] if seen.seat == 0 else [theirs, seen.rack]
        table = seen.table(racks, [])
        ending = Ending(seen.judge, seen.before(), won)
        self._gains = []
        for plan in plans:
            ending.share(len(plans))
            one = table.copy()
            if plan.parts:
                one.use(plan.parts)
            one.end()
            self._gains.append(ending.value(one, seen.seat))

    def world(self, kept: Sequence[int], chance: Random) -> Sequence[float]:
        return [self._gains[number] for number in kept]


class Worlds(Trial):
    """ahead: turns that follow, after which the position is weighed. won: points that it counts beyond those
    by which it is won to win surely, of two seats; likely wins are reckoned from the lead.
    """

    def __init__(self, seen: Seen, plans: Sequence[Plan], ahead: int, won: float) -> None:
        self._seen, self._plans, self._ahead = seen, plans, ahead
        self._won = won if seen.view.players == 2 else 0.0
        self._before = seen.before()
        self._pool = [piece for piece, count in enumerate(seen.hidden) for _ in range(count)]
        self._solo = SoloJudge(SOLO, seen.hidden) if seen.view.players == 1 else None

    def world(self, kept: Sequence[int], chance: Random) -> Sequence[float]:
        table = self.dealt(chance)
        after = self._after if self._solo is None else self._after_alone
        found = []
        for number in kept:
            one = table.copy()
            self._carry_out(one, self._plans[number])
            found.append(after(one))
        return found

    def dealt(self, chance: Random) -> Table:
        """The position with the hidden pieces where they could be."""
        seen = self._seen
        pieces = self._pool[:]
        shuffle(pieces, chance)
        racks = []
        for seat, size in enumerate(seen.view.racks):
            rack = tuple(sorted([pieces.pop() for _ in range(size)])) if seat != seen.seat else seen.rack
            racks.append(rack)
        return seen.table(racks, pieces[: seen.view.bag])

    def _carry_out(self, table: Table, plan: Plan) -> None:
        """The plan, with whatever is drawn for an emptied rack, and the end of the turn."""
        if plan.parts:
            table.use(plan.parts)
            if plan.used == (1 << len(self._seen.rack)) - 1 and self._solo is None:
                play_on(table, self._seen.judge)
        elif plan.swap:
            table.swap(plan.swap)
        table.end()

    def _after(self, table: Table) -> float:
        """Points less those of the others, when so many turns more were played."""
        seat, judge = self._seen.seat, self._seen.judge
        worth = 0.0
        for number in range(1, self._ahead + 1):
            if table.over:
                break
            play_on(table, judge)
            kept = table.racks[table.seat]
            table.end()
            if number == self._ahead and not table.over:
                worth = judge.worth(kept, table.kinds, len(table.bag))
        others = [won for other, won in enumerate(table.points) if other != seat]
        # who leads matters the more, the less there is to come
        leading = 1.0 - min(len(table.bag), FAR) / FAR * EARLY
        behind = leading * max(others) + (1.0 - leading) * fsum(others) / len(others)
        lead = table.points[seat] - behind + worth
        if self._won:
            whole = lead + self._before
            if table.over:
                lead += self._won * ((whole > 0) - (whole < 0))
            else:
                lead += self._won * whole / (SWING + SWINGS * sqrt(len(table.bag)) + abs(whole))
        return lead

    def _after_alone(self, table: Table) -> float:
        judge = self._solo
        assert judge is not None
        for _ in range(self._ahead):
            if table.over:
                break
            solo_turn(table, judge)
        return table.points[0] + (0.0 if table.over else judge.worth(table))
