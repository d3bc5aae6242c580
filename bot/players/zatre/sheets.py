"""What a sheet is worth before the game is over: its rows as they will be, on average.

Each column grows by itself, a box a turn at most, with the chances that self-play showed; a row's bonus needs
all three of its boxes, and a cross doubles whatever its row will hold. At the end of the bag this is the
sheet's total. Sums and products alone, in a fixed order: the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from math import fsum
from operator import mul
from typing import NamedTuple, TypeAlias

from bot.rules.zatre import Row, Sheet

from .figures import BOX, RATES, TILES_A_TURN
from .grid import GAINS, SCORING, parts

Counts: TypeAlias = "tuple[int, int, int, int]"
"""How many boxes of 10, of 11 and of 12, and how many crosses a sheet has."""

ROWS = 64  # more than any game fills
_BONUS = [Row(number + 1, 1, 1, 1, False).bonus for number in range(ROWS)]
MOST_TURNS = 40


class Figures(NamedTuple):
    """What sheets are judged by; see `figures.py`."""

    tiles_a_turn: float
    box: tuple[float, ...]
    rates: tuple[tuple[float, ...], ...]


_by = [Figures(TILES_A_TURN, BOX, RATES)]


@contextmanager
def judged_by(figures: Figures) -> Iterator[None]:
    """Meanwhile sheets are judged by other figures, for whoever learns them."""
    _by.append(figures)
    _forget()
    try:
        yield
    finally:
        _by.pop()
        _forget()


def _forget() -> None:
    for known in (_growth, _chances, weights, _future):
        known.cache_clear()


def _grown(column: int, sheets: int) -> list[list[float]]:
    """By turns left, by boxes (from none): the chance that at least so many are filled."""
    tiles, rates = _by[-1].tiles_a_turn, _by[-1].rates[column]
    exactly = [1.0]
    found = []
    for turns in range(MOST_TURNS + 2):
        tail, total = [], 0.0
        for one in reversed(exactly):
            total += one
            tail.append(total)
        tail.reverse()
        tail[0] = 1.0
        found.append(tail)
        rate = rates[min(int((turns + 0.5) * tiles * sheets) // 10, len(rates) - 1)]
        longer = [one * (1 - rate) for one in exactly] + [0.0]
        for boxes, one in enumerate(exactly):
            longer[boxes + 1] += one * rate
        exactly = longer
    return found


@lru_cache(maxsize=8)
def _growth(sheets: int) -> list[list[list[float]]]:
    """By column, as `_grown`."""
    return [_grown(column, sheets) for column in range(4)]


@lru_cache(maxsize=4096)
def _chances(column: int, filled: int, bag: int, sheets: int) -> list[float]:
    """By row: the chance that this column reaches it, with so many boxes filled by now."""
    turns = min(bag / (_by[-1].tiles_a_turn * sheets), float(MOST_TURNS))
    whole = int(turns)
    part = turns - whole
    grown = _growth(sheets)[column]
    few, many = grown[whole], grown[whole + 1]
    tail = [(few[n] if n < len(few) else 0.0) * (1 - part) + many[n] * part for n in range(1, len(many))]
    return [1.0] * filled + tail + [0.0] * (ROWS - filled - len(tail))


@lru_cache(maxsize=4096)
def weights(crosses: int, bag: int, sheets: int) -> list[float]:
    """By row: how often what is in it will count, once or twice."""
    return [1.0 + chance for chance in _chances(3, crosses, bag, sheets)]


@lru_cache(maxsize=1 << 16)
def _future(counts: Counts, bag: int, sheets: int) -> float:
    """What boxes to come and bonuses will bring, on average."""
    tens, elevens, twelves, crosses = counts
    ten, eleven, twelve = (_chances(column, counts[column], bag, sheets) for column in range(3))
    weight = weights(crosses, bag, sheets)
    box = _by[-1].box
    total = 0.0
    for row in range(min(tens, elevens, twelves), ROWS):
        a, b, c = ten[row], eleven[row], twelve[row]
        if a + b + c < 0.01:
            break
        worth = a * b * c * _BONUS[row]
        if row >= tens:
            worth += a * box[0]
        if row >= elevens:
            worth += b * box[1]
        if row >= twelves:
            worth += c * box[2]
        total += worth * weight[row]
    for row in range(min(tens, elevens, twelves)):
        total += _BONUS[row] * weight[row]
    return total


def counts_of(sheet: Sheet) -> Counts:
    return len(sheet.tens), len(sheet.elevens), len(sheet.twelves), sheet.crosses


def rows_of(sheet: Sheet) -> list[int]:
    """By row: the points in its boxes."""
    rows = [0] * ROWS
    for column in (sheet.tens, sheet.elevens, sheet.twelves):
        for row, points in enumerate(column):
            rows[row] += points
    return rows


def worth(rows: Sequence[int], counts: Counts, bag: int, sheets: int) -> float:
    """What a sheet is worth with so many tiles left in the bag, and so many sheets at the table."""
    filled = rows[: max(counts[:3])]  # the others are empty
    written: float = fsum(map(mul, filled, weights(counts[3], bag, sheets)))
    return written + _future(counts, bag, sheets)


def written(rows: list[int], counts: Counts, gain: int) -> Counts:
    """Write a turn's gain down in `rows`; the counts then."""
    tens, elevens, twelves, crosses = counts
    ten, eleven, twelve, more = parts(gain)
    if ten:
        rows[tens] += ten
        tens += 1
    if eleven:
        rows[elevens] += 2 * eleven
        elevens += 1
    if twelve:
        rows[twelves] += 4 * twelve
        twelves += 1
    return tens, elevens, twelves, crosses + more


class Wants:
    """What gains are worth to a sheet, beyond what a turn's tiles so far have gained (`sofar`).

    by_kind: what one tile of each kind adds; best_last: the kinds that add
    something, the best last; ranks: by kind, where it stands there; worthless: the kinds that add nothing.
    """

    __slots__ = ("_after", "_base", "_facts", "best_last", "by_kind", "known", "ranks", "sofar", "worthless")

    def __init__(self, rows: Sequence[int], counts: Counts, bag: int, sheets: int) -> None:
        self._facts = rows, counts, bag, sheets
        self._base = worth(rows, counts, bag, sheets)
        self.known: dict[int, float] = {0: 0.0}
        self._after: dict[int, Wants] = {}
        self.sofar = 0
        self._rank()

    def _rank(self) -> None:
        before = self.of(self.sofar)
        self.by_kind = [self.of(self.sofar + gain) - before for gain in GAINS]
        self.best_last = sorted(
            (kind for kind in SCORING if self.by_kind[kind] > 0), key=self.by_kind.__getitem__
        )
        ranks = bytearray(256)
        for rank, kind in enumerate(self.best_last):
            ranks[kind] = rank
        self.ranks = bytes(ranks)
        self.worthless = bytes(kind for kind in range(len(GAINS)) if kind not in self.best_last)

    def of(self, gain: int) -> float:
        """What a turn's whole gain adds."""
        found = self.known.get(gain)
        if found is None:
            rows, counts, bag, sheets = self._facts
            after = list(rows)
            counts = written(after, counts, gain)
            found = self.known[gain] = worth(after, counts, bag, sheets) - self._base
        return found

    def after(self, gain: int) -> Wants:
        """What more is worth in the same turn, when it has gained this already."""
        if not gain:
            return self
        found = self._after.get(gain)
        if found is None:
            found = self._after[gain] = Wants.__new__(Wants)
            found._facts, found._base, found.known = self._facts, self._base, self.known
            found._after, found.sofar = self._after, gain
            found._rank()
        return found
