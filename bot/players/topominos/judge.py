"""What a position is worth to whoever has just ended a turn: the stacks left, the pieces kept."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Final

from bot.rules.topominos import PIECES

from .figures import Figures, SoloFigures
from .shapes import DOTS, EMPTY, KINDS, LAID, NINE, SIZE
from .turns import Finder

LATE: Final = 8  # with fewer pieces in the bag, dots on the rack begin to count as lost
_FITTING: Final = tuple(
    tuple(piece for piece in range(len(PIECES)) if LAID[piece][kind]) for kind in range(KINDS)
)


def chances(unseen: Sequence[int], draws: int) -> list[float]:
    """By kind of stack, the chance that one of so many pieces drawn fits. unseen: how often each is there."""
    count = max(1, sum(unseen))
    # by how many fit; multiplied out, for powers differ in their last digit between machines
    known: dict[int, float] = {}
    found = []
    for kind in range(KINDS):
        fitting = sum([unseen[piece] for piece in _FITTING[kind]])
        if fitting not in known:
            missed = 1.0
            for _ in range(draws):
                missed *= 1.0 - fitting / count
            known[fitting] = 1.0 - missed
        found.append(known[fitting])
    return found


def stack_worths(figures: Figures | SoloFigures, unseen: Sequence[int], draws: int) -> list[float]:
    """By kind of stack, what one counts by these figures where so many pieces are drawn."""
    return [
        0.0 if kind in (EMPTY, NINE) else figures.stays[SIZE[kind]] + figures.fits[SIZE[kind]] * chance
        for kind, chance in enumerate(chances(unseen, draws))
    ]


class Judge:
    """Weighs turns by figures, for one view or position.

    left: by kind, what a stack counts against whoever leaves it.
    """

    def __init__(self, figures: Figures, unseen: Sequence[int], draws: int) -> None:
        self._figures = figures
        self.left = stack_worths(figures, unseen, draws)
        self.finder = Finder(self.left)
        self._kept: dict[tuple[tuple[int, ...], int], list[float]] = {}

    def kept(self, rack: tuple[int, ...], bag: int) -> list[float]:
        """By subset of the rack used up, the worth of the pieces that stay, or of the one drawn for an
        emptied rack."""
        late = min(bag, LATE)
        key = (rack, late)
        found = self._kept.get(key)
        if found is None:
            worth = [self._piece(DOTS[piece], late) for piece in rack]
            found = [0.0]
            for value in worth:  # the subsets kept, in the order of their bits
                found += [value + before for before in found]
            found.reverse()  # by the subsets used up
            if bag and rack:
                found[-1] = self._figures.fresh
            self._kept[key] = found
        return found

    def _piece(self, dots: int, late: int) -> float:
        share = late / LATE
        return share * self._figures.keep[dots] + (1.0 - share) * self._figures.late[dots]

    def worth(self, rack: tuple[int, ...], kinds: Sequence[int], bag: int) -> float:
        """Of having ended a turn so, before the rack is filled up."""
        late = min(bag, LATE)
        kept = fsum([self._piece(DOTS[piece], late) for piece in rack])
        left = self.left
        return kept - fsum([left[kind] for kind in kinds])
