"""Alone at the table, turns cost nothing: pieces are laid one a turn, each where it brings most, and before
each as often as the rules allow what brings little is exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, inf
from typing import Final, NamedTuple

from bot.rules.topominos import PIECES
from bot.rules.topominos.state import PASSED_ROUNDS

from .figures import SoloFigures
from .judge import stack_worths
from .playout import Table
from .shapes import DOTS, EMPTY, KINDS, LAID, SIZE
from .turns import NEW, Part

DRAWS: Final = 8  # so many pieces are seen, about, before one is laid
THIN: Final = 8  # with fewer pieces in the bag, exchanging brings less


class SoloLay(NamedTuple):
    worth: float  # beyond what the piece brings on average
    place: int  # on the rack
    cell: int
    kind: int  # what the stack becomes


class SoloJudge:
    def __init__(self, figures: SoloFigures, hidden: Sequence[int]) -> None:
        self.figures = figures
        self.stack = stack_worths(figures, hidden, DRAWS)
        self._gains: list[list[tuple[float, int] | None]] = [[None] * KINDS for _ in PIECES]

    def gain(self, piece: int, kind: int) -> tuple[float, int]:
        """The best that a piece makes of a stack: its worth, and what it becomes."""
        found = self._gains[piece][kind]
        if found is None:
            ways = [(self.worth_of(piece, kind, after), after) for after in LAID[piece][kind]]
            found = self._gains[piece][kind] = max(ways, default=(-inf, -1))
        return found

    def worth_of(self, piece: int, kind: int, after: int) -> float:
        """Of making a stack of one kind one of another by a piece."""
        return SIZE[after] + self.stack[after] - self.stack[kind] - self.figures.piece[DOTS[piece]]

    def lays(self, rack: Sequence[int], kinds: Sequence[int]) -> list[SoloLay]:
        """The best lay of each piece that fits anywhere, by places on the rack."""
        cells = {kind: cell for cell, kind in reversed(list(enumerate(kinds)))}
        found = []
        for place, piece in enumerate(rack):
            best = SoloLay(-inf, place, -1, -1)
            for kind, cell in cells.items():
                worth, after = self.gain(piece, kind)
                if worth > best.worth:
                    best = SoloLay(worth, place, cell if kind != EMPTY else NEW, after)
            if best.cell >= 0:
                found.append(best)
        return found

    def wanted(self, bag: int, passes: int) -> float:
        """What a lay must be worth, or pieces are exchanged instead; -inf where they cannot be."""
        if not bag or passes + 1 >= PASSED_ROUNDS:
            return -inf
        return self.figures.wanted[passes] - 3.0 * max(0, THIN - bag) / THIN

    def worth(self, table: Table) -> float:
        """Of what is still to come."""
        stack, piece = self.stack, self.figures.piece
        left = fsum([piece[DOTS[one]] for one in table.bag]) + fsum(
            [piece[DOTS[one]] for one in table.racks[0]]
        )
        return left + fsum([stack[kind] for kind in table.kinds])


def poor(lays: Sequence[SoloLay], count: int, wanted: float, bag: int) -> tuple[int, ...]:
    """Places of the pieces worth exchanging, at most what the bag holds: what fits nowhere, and the worst."""
    worth = [-inf] * count
    for lay in lays:
        worth[lay.place] = lay.worth
    places = sorted(
        [place for place in range(count) if worth[place] < wanted], key=lambda place: worth[place]
    )
    return tuple(sorted(places[:bag]))


def solo_turn(table: Table, judge: SoloJudge) -> None:
    """One turn, ended."""
    rack = table.racks[0]
    lays = judge.lays(rack, table.kinds)
    best = max(lays, key=lambda lay: (lay.worth, -lay.place), default=None)
    wanted = judge.wanted(len(table.bag), table.passes)
    if best is None or best.worth < wanted:
        places = poor(lays, len(rack), max(wanted, -99.0), len(table.bag))
        if places:
            table.swap(places)
    else:
        table.use([Part(None, best.cell, 1 << best.place, best.kind)])
    table.end()
