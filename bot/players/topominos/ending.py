"""Endings of two, with the bag empty: both racks are known, and the game is searched to its end.

Of the turns that a rack allows only the best few by evaluation are looked at, fewer the deeper.
"""

from __future__ import annotations

from math import inf
from typing import Final

from .judge import Judge
from .playout import Table, finish
from .shapes import KINDS
from .turns import Finder, Part, in_order

WIDTHS: Final = (10, 7, 5, 4, 3)  # turns looked at, by depth; the last one from there on
MOST: Final = 2500  # positions; what comes after is played on quickly


class Ending:
    """The searches of one decision.

    won: points that winning counts beyond those by which it is won.
    """

    def __init__(self, judge: Judge, ahead: int, won: float) -> None:
        self._judge = judge
        self._points = Finder([0.0] * KINDS)
        self._ahead = ahead
        self._won = won
        self._left = MOST

    def share(self, moves: int) -> None:
        """So many positions for the next move's search that all get alike."""
        self._left = MOST // moves

    def value(self, table: Table, seat: int) -> float:
        """Points by which the seat will be ahead at the end, both playing their best."""
        if table.over:
            return self._ahead_by(table, seat)
        found = self._search(table, -inf, inf, 0)
        return found if table.seat == seat else -found

    def _ahead_by(self, table: Table, seat: int) -> float:
        by = table.points[seat] - table.points[1 - seat]
        whole = by + (self._ahead if seat == table.own else -self._ahead)
        return by + self._won * ((whole > 0) - (whole < 0))

    def _search(self, table: Table, least: float, most: float, depth: int) -> float:
        """For the seat whose turn begins."""
        seat = table.seat
        self._left -= 1
        if self._left < 0:
            table = table.copy()
            while not table.over:
                finish(table, self._judge)
            return self._ahead_by(table, seat)
        best = -inf
        for parts in self._turns(table)[: WIDTHS[min(depth, len(WIDTHS) - 1)]]:
            after = table.copy()
            if parts:
                after.use(parts)
            after.end()
            if after.over:
                value = self._ahead_by(after, seat)
            else:
                value = -self._search(after, -most, -max(least, best), depth + 1)
            if value > best:
                best = value
                if best >= most:
                    break
        return best

    def _turns(self, table: Table) -> list[list[Part]]:
        """Turns worth looking at, the best by evaluation first."""
        rack, judge = table.racks[table.seat], self._judge
        kept = judge.kept(rack, 0)
        found: dict[tuple[tuple[int, int, int], ...], tuple[float, list[Part]]] = {(): (kept[0], [])}
        for finder in (judge.finder, self._points):
            turns = finder.turns(rack, table.kinds, 0, table.mode)
            for used, (worth, last) in enumerate(zip(turns.worth, turns.last, strict=True)):
                if last is not None:
                    parts = in_order(last, table.mode)
                    key = tuple([(part.cell, part.used, part.kind) for part in parts])
                    found.setdefault(key, (worth + kept[used], parts))
        ranked = sorted(found.values(), key=lambda one: -one[0])
        return [parts for _, parts in ranked]
