"""Whether a draft, a turn half laid, can still become a legal one.

Exact, without trying every cell: it takes one fault of the layout and branches over the few cells of
which every legal turn that contains the draft must cover at least one. With many tiles held even that
grows without end, so no more than `MOST_TRIED` positions are tried for one draft and `MOST_TRIED_IN_ALL`
for all; a draft not seen to be completable by then counts as one that is not. With up to four tiles held
no draft comes near that.

Option laying=club never decides: whatever is legal without it can be filled up until it is legal with it.
"""

from __future__ import annotations

from collections.abc import Iterable

from .board import EXISTS, GLEAM, STEPS, Placement, loose_cells
from .cellsets import ONE, needed
from .layout import Layout
from .tiles import without

MOST_TRIED = 60  # positions looked at to see whether one draft can be completed
MOST_TRIED_IN_ALL = 600  # the same for all that may be laid next


class Completion:
    """The search over one board; what it finds out about one draft serves the next. Not for the opening.

    tried: positions looked at so far.
    """

    __slots__ = ("_board", "_known", "_most", "tried")

    def __init__(self, board: bytes) -> None:
        self._board = board
        self._known: dict[frozenset[Placement], bool] = {}
        self._most = 0
        self.tried = 0

    def possible(self, layout: Layout, laid: tuple[Placement, ...], rest: tuple[int, ...]) -> bool:
        """Whether some tiles of `rest`, or none, make `laid`, which lies in `layout`, a legal turn."""
        self._most = min(self.tried + MOST_TRIED, MOST_TRIED_IN_ALL)
        return self._try(layout, laid, rest)

    def _try(self, layout: Layout, laid: tuple[Placement, ...], rest: tuple[int, ...]) -> bool:
        wanted = self._wanted(layout, laid, len(rest))
        if wanted is None:
            return True
        for cell in sorted(wanted):
            if not EXISTS[cell] or layout.tiles[cell]:
                continue
            for value in dict.fromkeys(rest):
                if max(layout.across[cell], layout.down[cell]) + value >= 13:
                    continue
                more = (*laid, (cell, value))
                key = frozenset(more)
                found = self._known.get(key)
                if found is None:
                    if self.tried >= self._most:
                        return False
                    self.tried += 1
                    child = layout.copy()
                    child.lay(cell, value)
                    found = self._try(child, more, without(rest, value))
                    if found or self.tried < self._most:
                        self._known[key] = found
                if found:
                    return True
        return False

    def _wanted(self, layout: Layout, laid: tuple[Placement, ...], count: int) -> set[int] | None:
        """Cells on one of which one of `count` tiles more must lie, for one fault of the layout; none where
        so few cannot mend it; None where there is no fault."""
        loose = loose_cells(self._board, [cell for cell, _ in laid])
        if loose:
            group, front = {loose[0]}, [loose[0]]
            while front:
                cell = front.pop()
                for step in STEPS:
                    if (beside := cell + step) in loose and beside not in group:
                        group.add(beside)
                        front.append(beside)
            return {cell + step for cell in group for step in STEPS}
        for cell, value in laid:
            if not GLEAM[cell] or layout.scores(cell):
                continue
            dark = layout.dark_fits(cell)
            if dark:
                # It becomes part of a 10, 11 or 12 only if one of its two runs grows.
                wanted = set(layout.ends(cell))
                spoilers = self._spoilers(layout, cell, value, dark)
                if needed(sum(map(ONE.__getitem__, cells)) for cells in spoilers) <= count:
                    wanted |= min(spoilers, key=len)
                return wanted
        return None

    def _spoilers(self, layout: Layout, light: int, value: int, dark: Iterable[int]) -> list[set[int]]:
        """For each dark cell that the tile on `light` would fit, the cells on one of which a tile must lie
        lest it fits there: itself, and the ends of its runs."""
        layout.tiles[light] = 0
        found = [{cell, *layout.ends(cell)} - {light} for cell in dark]
        layout.tiles[light] = value
        return found
