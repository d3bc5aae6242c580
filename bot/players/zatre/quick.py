"""The quick turn: two tiles that complete a run together, or single ones one after another.

It is what everybody plays in games that could be, and, over all pairs of tiles that may be drawn, what a
board gives to whoever is at turn next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from bot.rules.zatre import VALUES, WIDTH, Placement

from .grid import CROSSES, ELEVEN, GAINS, KIND, NO_FIT, PLAIN, RUN, SIZE, TEN, Grid, sums_of
from .sheets import Wants

# --------------------------------------------------------------------------- single tiles

# By value and code, what a tile laid there without scoring opens for others: a low number is harmless, 255 no
# dark cell that it fits.
_OPENS = (0, 1, 2, 4, 7, 11, 14, 16, 20, 24, 40, 30, 0)  # by the sum of a run that can go on


def _harm(value: int, code: int) -> int:
    if KIND[value][code] != PLAIN:
        return 255
    return sum(_OPENS[one + value] for one in sums_of(code))


HARM = (b"", *(bytes(_harm(value, code) for code in range(256)) for value in VALUES))


def ends(tiles: Sequence[int], cell: int) -> tuple[int, int, int, int]:
    """The first empty places from a tile in each direction."""
    low, high, over, under = cell - 1, cell + 1, cell - WIDTH, cell + WIDTH
    while tiles[low]:
        low -= 1
    while tiles[high]:
        high += 1
    while tiles[over]:
        over -= WIDTH
    while tiles[under]:
        under += WIDTH
    return low, high, over, under


def best_single(grid: Grid, wants: Wants, value: int) -> tuple[float, int, int]:
    """What the best cell for a tile is worth, its kind, and the cell; 0 where it scores nowhere."""
    return _best(grid.code.translate(KIND[value]), wants)


def _best(kinds: bytearray, wants: Wants) -> tuple[float, int, int]:
    ranks = kinds.translate(wants.ranks, wants.worthless)
    if not ranks:
        return 0.0, NO_FIT, -1
    kind = wants.best_last[max(ranks)]
    return wants.by_kind[kind], kind, kinds.find(kind)


def second(grid: Grid, wants: Wants, value: int, gain: int, cell: int) -> tuple[float, int, int]:
    """As `best_single`, after the turn's tile on `cell`, which gained that: what it completed is left so."""
    kinds = grid.code.translate(KIND[value])
    if value <= 2 and gain & (7 * (TEN | ELEVEN)):
        for end in ends(grid.tiles, cell):
            kinds[end] = NO_FIT
    return _best(kinds, wants)


# --------------------------------------------------------------------------- two that complete one run

# By the sum of two tiles: flags by the sum, not 0, that they join.
_WANTED = tuple(bytes(sum_ >= 1 and 10 <= total + sum_ <= 12 for sum_ in range(256)) for total in range(13))
_NONE = bytes(sum_ == 0 for sum_ in range(256))
_TOUCHED = bytes(code > 0 for code in range(256))
_TOO_MUCH = 1 << 20
# By the sum beside a cell, across the run in question, and value: what a tile gains there.
_BESIDE = tuple(
    tuple(_TOO_MUCH if sum_ + value > 12 else RUN[sum_ + value] if sum_ else 0 for value in range(7))
    for sum_ in range(256)
)

Slot: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...], int, int, int]"
"""Two cells for two tiles: what each gains beside the run between them, by value; the run's gain and that of
light cells; the cells."""


class Slots:
    """Where two tiles complete a run of 10, 11 or 12 between them, on one board that stays as it is."""

    __slots__ = ("_grid", "_known", "_lines", "_touched")

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._lines = []
        for sums, beside, step in ((grid.across, grid.down, 1), (grid.down, grid.across, WIDTH)):
            line = int.from_bytes(sums, "big")
            joined = (line + (line << 8 * step)).to_bytes(SIZE + WIDTH, "big")[WIDTH:]
            self._lines.append((joined, beside, step))
        self._touched: list[int] = []
        self._known: dict[int, list[Slot]] = {}

    def of(self, total: int) -> list[Slot]:
        """For two tiles of that sum."""
        known = self._known.get(total)
        if known is None:
            known = self._known[total] = self._of(total)
        return known

    def _of(self, total: int) -> list[Slot]:
        found: list[Slot] = []
        grid = self._grid
        wanted = _WANTED[total]
        for number, (joined, beside, step) in enumerate(self._lines):
            flags: bytes | bytearray = joined.translate(wanted)
            if total >= 10:
                flags = self._with_touching(flags, number)
            cell = flags.find(1)
            while cell >= 0:
                other = cell + step
                gain = RUN[total + joined[cell]] + CROSSES[cell] + CROSSES[other]
                found.append((_BESIDE[beside[cell]], _BESIDE[beside[other]], gain, cell, other))
                cell = flags.find(1, cell + 1)
        for sums, far, beside in (
            (grid.spans, grid.span_ends, grid.down),
            (grid.falls, grid.fall_ends, grid.across),
        ):
            flags = sums.translate(wanted)
            cell = flags.find(1)
            while cell >= 0:
                other = far[cell]
                gain = RUN[total + sums[cell]] + CROSSES[cell] + CROSSES[other]
                found.append((_BESIDE[beside[cell]], _BESIDE[beside[other]], gain, cell, other))
                cell = flags.find(1, cell + 1)
        return found

    def _with_touching(self, flags: bytes | bytearray, number: int) -> bytes:
        """Also where two tiles are a run by themselves, beside tiles of other lines."""
        if not self._touched:
            touched = int.from_bytes(self._grid.code.translate(_TOUCHED), "big")
            for joined, _, step in self._lines:
                either = touched | touched << 8 * step
                self._touched.append(either & int.from_bytes(joined.translate(_NONE), "big"))
        more = int.from_bytes(flags, "big") | self._touched[number]
        return more.to_bytes(SIZE, "big")


class Pair(NamedTuple):
    """Two tiles laid together, (cell, value) each."""

    worth: float
    gain: int
    first: Placement
    other: Placement


def best_pair(slots: Sequence[Slot], wants: Wants, low: int, high: int, least: float) -> Pair | None:
    """The best way to complete a run with both tiles, if it is worth more than that."""
    found = None
    known = wants.known
    for here, there, run, cell, other in slots:
        gain = run + here[low] + there[high]
        if gain < _TOO_MUCH:
            worth = known.get(gain)
            if worth is None:
                worth = wants.of(gain)
            if worth > least:
                least, found = worth, (gain, (cell, low), (other, high))
        if low != high:
            gain = run + here[high] + there[low]
            if gain < _TOO_MUCH:
                worth = known.get(gain)
                if worth is None:
                    worth = wants.of(gain)
                if worth > least:
                    least, found = worth, (gain, (cell, high), (other, low))
    return Pair(least, *found) if found else None


# --------------------------------------------------------------------------- a turn


def quick_turn(grid: Grid, wants: Wants, hand: list[int]) -> int:
    """Lay what scores out of a hand, and take it from there; what it gained."""
    best, gain = 0.0, 0
    laid: tuple[tuple[int, int], ...] = ()
    result = grid
    for number, value in enumerate(hand):
        if value in hand[:number]:
            continue
        worth, kind, cell = best_single(grid, wants, value)
        if kind == NO_FIT:
            continue
        gained = GAINS[kind]
        child = grid
        step, other = (0.0, NO_FIT, -1), 0
        if len(hand) > 1:
            child = grid.copy()
            child.lay(cell, value)
            after = wants.after(gained)
            for place, another in enumerate(hand):
                if place != number:
                    found = second(child, after, another, gained, cell)
                    if found[0] > step[0]:
                        step, other = found, another
        if worth + step[0] > best:
            best, result = worth + step[0], child
            if other:
                gain, laid = gained + GAINS[step[1]], ((cell, value), (step[2], other))
            else:
                gain, laid = gained, ((cell, value),)
    slots = Slots(grid)
    for number, low in enumerate(hand):
        for high in hand[number + 1 :]:
            pair = best_pair(slots.of(low + high), wants, low, high, best)
            if pair:
                best, gain, laid, result = pair.worth, pair.gain, (pair.first, pair.other), grid
    if not laid:
        return 0
    if result is not grid:
        for row, changed in zip(grid, result, strict=True):
            row[:] = changed
    for cell, value in laid:
        if not grid.tiles[cell]:
            grid.lay(cell, value)
        hand.remove(value)
    return gain


def expected(grid: Grid, slots: Slots, wants: Wants, odds: Sequence[tuple[int, int, float]]) -> float:
    """What whoever is at turn next, holding two tiles by chance, can make of the board, on average. slots: of
    that board. odds: pairs of tiles, the smaller first, with their chances."""
    matrix: list[list[float]] = [[]]
    for value in VALUES:
        first, kind, cell = best_single(grid, wants, value)
        if kind == NO_FIT:
            matrix.append([best_single(grid, wants, other)[0] for other in (0, *VALUES)])
            continue
        child = grid.copy()
        child.lay(cell, value)
        gain = GAINS[kind]
        after = wants.after(gain)
        matrix.append([first, *(first + second(child, after, other, gain, cell)[0] for other in VALUES)])
    total = 0.0
    for low, high, chance in odds:
        one, two = matrix[low][high], matrix[high][low]
        best = one if one > two else two
        pair = best_pair(slots.of(low + high), wants, low, high, best)
        total += chance * (pair.worth if pair else best)
    return total


def pair_odds(unseen: Sequence[int], known: Sequence[int]) -> list[tuple[int, int, float]]:
    """Pairs of tiles that somebody at turn may hold, the smaller first, with their chances. unseen: by value,
    how many there are to draw from. known: the tiles kept that are seen."""
    total = sum(unseen)
    if len(known) >= 2:
        return [(min(known[:2]), max(known[:2]), 1.0)]
    if total <= 1 - len(known):
        return []
    if len(known) == 1:
        (kept,) = known
        return [
            (min(kept, value), max(kept, value), unseen[value] / total) for value in VALUES if unseen[value]
        ]
    ways = total * (total - 1)
    return [
        (low, high, unseen[low] * (unseen[high] - (low == high)) * (1 if low == high else 2) / ways)
        for low in VALUES
        for high in range(low, 7)
        if unseen[low] and unseen[high] > (low == high)
    ]
