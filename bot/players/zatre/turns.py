"""The turns that are there: all of one and two tiles, and of more tiles those that grow from the best.

Rule 4's exception (a tile that fits no dark cell lies on a light one unscored) is left out: it is worth
something in the last turn alone, whose turns are all listed (`Judge.found`). What is found is legal without
it, with option laying=free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import TypeAlias

from bot.rules.zatre import WIDTH, Placement

from .grid import BARE, CROSSES, GAINS, KIND, RUN, SIZE, Grid
from .quick import ends

Laid: TypeAlias = "tuple[Placement, ...]"
BEAM = 16  # turns that are followed where more than two tiles are held
_CELLS = range(SIZE)


def gain_of(tiles: Sequence[int], laid: Iterable[Placement]) -> int | None:
    """What tiles gain that are all lying; None where one lies unscored on a light one. Not in the opening."""
    seen = set()
    gain = 0
    for cell, _ in laid:
        covered = False
        for step in (1, WIDTH):
            first = cell
            while tiles[first - step]:
                first -= step
            total, place = 0, first
            while tile := tiles[place]:
                total += tile
                place += step
            if total >= 10 and place - first > step:
                covered = True
                if (first, step) not in seen:
                    seen.add((first, step))
                    gain += RUN[total]
        if CROSSES[cell]:
            if not covered:
                return None
            gain += CROSSES[cell]
    return gain


def turns(grid: Grid, held: Sequence[int], best: Callable[[Laid, int], float]) -> dict[Laid, int]:
    """Turns, placements sorted, with what they gain; the one of no tiles is not among them. best: which turns
    of two tiles and more are followed, the largest first."""
    found: dict[Laid, int] = {}
    _grow(grid, held, found)
    size = 2
    while size < len(held):
        several = [laid for laid in found if len(laid) == size]
        several.sort(key=lambda laid: (-best(laid, found[laid]), laid))
        for laid in several[:BEAM]:
            child = grid.after(laid)
            rest = list(held)
            for _, value in laid:
                rest.remove(value)
            _add(child, laid, rest, found)
        size += 1
    return found


def _grow(grid: Grid, held: Sequence[int], found: dict[Laid, int]) -> None:
    for value in dict.fromkeys(held):
        kinds = grid.code.translate(KIND[value])
        rest = list(held)
        rest.remove(value)
        for cell in compress(_CELLS, kinds):
            kind = kinds[cell]
            if kind != BARE:
                found[(cell, value),] = GAINS[kind]
            if rest:
                child = grid.copy()
                child.lay(cell, value)
                _add_second(child, cell, value, kind, rest, found)


def _add_second(
    child: Grid, cell: int, value: int, kind: int, rest: Sequence[int], found: dict[Laid, int]
) -> None:
    """All turns of a tile that lies in `child` and one more."""
    first = (cell, value)
    gained = GAINS[kind]
    near = ends(child.tiles, cell)
    # Only what the first tile completed, or left bare, needs a second look.
    plain = kind != BARE and not gained
    for other in dict.fromkeys(rest):
        kinds = child.code.translate(KIND[other])
        for place in compress(_CELLS, kinds):
            if kinds[place] == BARE:
                continue
            laid = (first, (place, other)) if cell < place else ((place, other), first)
            if plain or place not in near:
                if kind != BARE:
                    found[laid] = gained + GAINS[kinds[place]]
            else:
                _keep(child, place, other, laid, found)


def _add(child: Grid, laid: Laid, rest: Sequence[int], found: dict[Laid, int]) -> None:
    """All turns of tiles that lie in `child` and one more."""
    for other in dict.fromkeys(rest):
        kinds = child.code.translate(KIND[other])
        for place in compress(_CELLS, kinds):
            if kinds[place] != BARE:
                more = tuple(sorted((*laid, (place, other))))
                _keep(child, place, other, more, found)


def _keep(child: Grid, cell: int, value: int, laid: Laid, found: dict[Laid, int]) -> None:
    """A turn all of whose tiles lie in `child` but this one, if it can be one and is not known."""
    if laid not in found:
        child.tiles[cell] = value
        gain = gain_of(child.tiles, laid)
        child.tiles[cell] = 0
        if gain is not None:
            found[laid] = gain
