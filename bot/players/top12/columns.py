"""What a column of a sheet is worth, and what each number would do to it.

A column comes nearer to being the full one by every number, and by how well numbers that come as they come
would still fit it. The second is counted: of all ways to pick the missing numbers, the share that falls into
the runs of free cells as they are. Beside it counts how many numbers still find a place at all, which is what
others can spoil by their calls. Both are products over the runs, so a run is weighed once for ever.

A column is a pure value: its twelve numbers from the top. What is known of it is made once and kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import comb, exp, log

from bot.rules.top12 import MOST, ROWS, runs

# The last two by matches of one setting against another; all are flat around where they stand.
PACE = 0.55  # how much nearer one more number brings a column to being the full one (as a power of e)
TRUST = 0.4  # how much the share of fitting numbers counts beside it
OPEN = 1.0  # how much it counts that numbers find a place at all

FULL = 1e6  # of a full column: above any that is not
NONE = -1e9  # gain by a number that does not fit

_DIGITS = 12  # worths are rounded to so many, for logarithms differ in their last digit between machines


def rounded(value: float) -> float:
    """As every machine has it."""
    return float(f"{value:.{_DIGITS}g}")


_PACE = tuple([rounded(exp(PACE * filled)) for filled in range(ROWS + 1)])
# of so many missing numbers, all fitting wherever they come
_ALL = tuple([rounded(exp(TRUST * log(comb(MOST - ROWS + missing, missing)))) for missing in range(ROWS + 1)])


def _of_run(numbers: int, cells: int) -> float:
    """Worth of a run of free cells with so many numbers between its neighbours."""
    if not cells:
        return 1.0  # nothing left to fill, and no number finds a place there
    if numbers < cells:
        return 0.0
    return rounded(exp(TRUST * log(comb(numbers, cells)) + OPEN * numbers / MOST))


_RUNS = tuple([tuple([_of_run(numbers, cells) for cells in range(ROWS + 1)]) for numbers in range(MOST + 1)])


@dataclass(frozen=True, slots=True)
class Inside:
    """What a number does to a run: the factor by which it changes the run's worth, entered where it does
    best, and that place among the run's cells; both by how many numbers there are between it and the run's
    upper neighbour."""

    factors: tuple[float, ...]
    places: tuple[int, ...]


@cache
def inside(numbers: int, cells: int) -> Inside:
    """Of a run that can be filled."""
    whole = _RUNS[numbers][cells]
    factors: list[float] = []
    places: list[int] = []
    for less in range(numbers):
        above, below = _RUNS[less], _RUNS[numbers - 1 - less]
        best, where = -1.0, 0
        for place in range(cells):
            worth = above[place] * below[cells - 1 - place]
            if worth > best:
                best, where = worth, place
        factors.append(best / whole)
        places.append(where)
    return Inside(tuple(factors), tuple(places))


class Column:
    """A column, weighed.

    runs: of free cells, each as (cells, number above, number below, first row). missing: cells that are
    free. dead: it can never be filled. worth: 0 where it is dead.
    """

    def __init__(self, cells: tuple[int, ...]) -> None:
        self.cells = cells
        self.runs: list[tuple[int, int, int, int]] = []
        row = 0
        worth = 1.0
        for length, above, below in runs(cells):
            while cells[row]:
                row += 1
            self.runs.append((length, above, below, row))
            row += length
            worth *= _RUNS[below - above - 1][length]
        self.missing = cells.count(0)
        self.dead = not worth
        self.worth = worth * _PACE[ROWS - self.missing] / _ALL[self.missing] if self.missing else FULL

    @cached_property
    def gains(self) -> list[float]:
        """By number from 0 to 100, what the column gains by it, entered where it does best; NONE where it
        does not fit."""
        found = [NONE] * (MOST + 1)
        last = self.missing == 1
        step = _PACE[1] * _ALL[self.missing] / _ALL[self.missing - 1] if self.missing else 0.0
        before = self.worth
        for length, above, below, _ in self.runs:
            numbers = below - above - 1
            if not numbers:
                continue
            if last:
                found[above + 1 : below] = [FULL - before] * numbers
            elif self.dead:
                found[above + 1 : below] = [0.0] * numbers
            else:
                after = before * step
                found[above + 1 : below] = [
                    after * factor - before for factor in inside(numbers, length).factors
                ]
        return found

    @cached_property
    def sums(self) -> list[float]:
        """The same gains, 0 where a number does not fit."""
        return [0.0 if gain == NONE else gain for gain in self.gains]

    @cached_property
    def open(self) -> int:
        """Which numbers find a place, as bits (number n is bit n)."""
        mask = 0
        for _, above, below, _ in self.runs:
            mask |= (1 << below) - (1 << above + 1)
        return mask

    def place(self, number: int) -> int:
        """The row where a number that fits does best; in a dead column one that leaves most room."""
        for length, above, below, row in self.runs:
            if above < number < below:
                numbers = below - above - 1
                if numbers < length:
                    return row + (number - above - 1) * length // numbers
                return row + inside(numbers, length).places[number - above - 1]
        raise ValueError(f"{number} does not fit")

    def entered(self, row: int, number: int) -> Column:
        return column((*self.cells[:row], number, *self.cells[row + 1 :]))


@lru_cache(maxsize=1 << 12)
def column(cells: tuple[int, ...]) -> Column:
    """The column with these numbers."""
    return Column(cells)
