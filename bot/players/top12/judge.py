"""What calls and entries are worth, in points: hundredths of the chance to win; alone, rolls that are saved.

Gains are measured by the sheet's own strength, the sum of its columns' worths, since one full column is
enough: so a gain here and a gain there compare, and what a call brings the best placed of the others counts
as much as what it brings this seat.
"""

from __future__ import annotations

from functools import cache, cached_property, lru_cache
from math import fsum
from typing import cast

from bot.rules.top12 import COLUMNS, FACES, JOKER, MOST, ROWS, SYMBOLS, Top12View

from .columns import NONE, Column, column
from .race import rolls

RIVAL = 1.0  # how much the best of the others' gains counts against a call
POINTS = 25.0  # of a gain as large as the sheet's strength
FULL_GAIN = 8.0  # of a full column, by the sheet's strength
ROOM = 0.2  # rolls, alone, that a gain as large as the sheet's strength counts beside those it saves

# Start numbers do best a row lower than where most numbers fit around them: others then run out of cells for
# low numbers first. One row lower wins .68 against none; two win .61 against one, but less against others.
LOWER = 1
LOWER_WORTH = 18.0  # points, of that row

Columns = tuple[Column, ...]


class Sheet:
    """A sheet, weighed. strength: of its columns together, 0 where all are dead."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.strength = fsum([one.worth for one in columns])

    @cached_property
    def shares(self) -> list[float]:
        """By number, what its call brings on average over the six faces, by the sheet's strength. Entering is
        compulsory (rule 5), so it may be less than nothing."""
        gains = [self._gains(one) for one in self.columns]
        sums = [
            [0.0 if gain == NONE else gain for gain in each] if one.missing == 1 else one.sums
            for one, each in zip(self.columns, gains, strict=True)
        ]
        scale = 1.0 / (len(FACES) * (self.strength or 1.0))
        return [
            ((a + b + c + d + e) + (joker if joker != NONE else 0.0)) * scale
            for a, b, c, d, e, joker in zip(*sums, list(map(max, *gains)), strict=True)
        ]

    def _gains(self, one: Column) -> list[float]:
        if one.missing != 1:
            return one.gains
        most = FULL_GAIN * self.strength
        return [min(gain, most) for gain in one.gains]

    def gain(self, at: int, after: Column) -> float:
        """What the sheet gains, by its strength, when the column at that place becomes `after`."""
        gain = after.worth - self.columns[at].worth
        return min(gain / (self.strength or 1.0), FULL_GAIN)

    def entered(self, at: int, after: Column) -> Sheet:
        """The sheet with that column in place of the one there."""
        return sheet_of((*self.columns[:at], after, *self.columns[at + 1 :]))

    def best_entry(self, number: int, face: str) -> tuple[int, int] | None:
        """Column and row where it is entered best after that face; None where it fits nowhere."""
        if face != JOKER:
            at = SYMBOLS.index(face)
            one = self.columns[at]
            return (at, one.place(number)) if one.open >> number & 1 else None
        best, where = NONE, -1
        for at, one in enumerate(self.columns):
            gain = one.gains[number]
            if gain > best:
                best, where = gain, at
        return None if where < 0 else (where, self.columns[where].place(number))

    @cached_property
    def fullness(self) -> tuple[int, ...]:
        """Free cells by column, fewest first: the smaller, the better it stands (rule 8)."""
        return tuple(sorted([one.missing for one in self.columns]))

    @cached_property
    def dead(self) -> bool:
        """Whether no column of it can be filled."""
        return all(one.dead for one in self.columns)


@lru_cache(maxsize=1 << 11)
def sheet_of(columns: Columns) -> Sheet:
    """The sheet with these columns."""
    return Sheet(columns)


def sheet(cells: tuple[int, ...]) -> Sheet:
    """The sheet with these 60 numbers."""
    return sheet_of(tuple([column(cells[at * ROWS : at * ROWS + ROWS]) for at in range(COLUMNS)]))


def calls(view: Top12View) -> list[tuple[float, float, float, int]]:
    """Every number as (worth, own gain, best of the others' gains, number), the best first."""
    own = sheet(view.sheets[cast("int", view.seat)])
    found: list[tuple[float, float, float, int]] = []
    if view.players == 1:
        left = rolls(to_fill(own.columns))
        next_up = rising(own.columns)
        for number in range(1, MOST + 1):
            worth = left - rolls_after(own.columns, number) + ROOM * own.shares[number]
            if number == next_up:
                worth += ROOM
            found.append((worth, own.shares[number], 0.0, number))
    else:
        others = [sheet(cells).shares for seat, cells in enumerate(view.sheets) if seat != view.seat]
        for number in range(1, MOST + 1):
            gain, rival = own.shares[number], max([shares[number] for shares in others])
            found.append((POINTS * (gain - RIVAL * rival), gain, rival, number))
    found.sort(key=lambda one: (-round(one[0], 9), one[3]))
    return found


def entries(view: Top12View) -> list[tuple[float, int, int, Column]]:
    """Every cell that the number may be entered in, as (worth, column, row, column after), the best first."""
    own = sheet(view.sheets[cast("int", view.seat)])
    number = view.number
    found: list[tuple[float, int, int, Column]] = []
    alone = view.players == 1
    keeps_rising = alone and rising(own.columns) == number
    left = rolls(to_fill(own.columns)) if alone else 0.0
    for at, one in enumerate(own.columns):
        if view.face not in (JOKER, SYMBOLS[at]):
            continue
        for length, above, below, first in one.runs:
            if above < number < below:
                for row in range(first, first + length):
                    after = one.entered(row, number)
                    gain = own.gain(at, after)
                    worth = POINTS * gain
                    if alone:
                        worth = left - rolls(to_fill(_with(own.columns, at, after))) + ROOM * gain
                        worth += ROOM * (keeps_rising and row == first)
                    found.append((worth, at, row, after))
    found.sort(key=lambda one: (-round(one[0], 9), one[1], one[2]))
    return found


# --------------------------------------------------------------------------- set-up


@cache
def start_row(number: int) -> int:
    """Where a start number is written."""
    worths = [started(number, row).worth for row in range(ROWS)]
    return worths.index(max(worths)) + LOWER


def started(number: int, row: int) -> Column:
    """A column with one start number."""
    return column((*[0] * row, number, *[0] * (ROWS - 1 - row)))


# --------------------------------------------------------------------------- alone


def to_fill(columns: Columns) -> tuple[int, ...]:
    """Free cells of the columns that can be filled, fewest first."""
    return tuple(sorted([one.missing for one in columns if not one.dead]))


def rising(columns: Columns) -> int:
    """A number above all there are, where the free cells of every column are its last ones: it fits
    everywhere, and entered in the first of them it leaves room everywhere for a larger one. 0 where there is
    none such, or not enough of them to fill a column by."""
    living = [one for one in columns if not one.dead]
    if not living or any(len(one.runs) != 1 or one.runs[0][1] != max(one.cells) for one in living):
        return 0
    number = 1 + max([max(one.cells) for one in living])
    return number if number + max([one.missing for one in living]) <= MOST + 1 else 0


def rolls_after(columns: Columns, number: int) -> float:
    """Rolls that are left on average when this number has been called and entered, if all others fit."""
    now = rolls(to_fill(columns))
    each: list[float] = []
    fitting: list[float] = []
    for at, one in enumerate(columns):
        if one.open >> number & 1:
            after = rolls(to_fill(_with(columns, at, one.entered(one.place(number), number))))
            each.append(after)
            fitting.append(after)
        else:
            each.append(now)
    return (fsum(each) + min(fitting, default=now)) / len(FACES)


def _with(columns: Columns, at: int, after: Column) -> Columns:
    return (*columns[:at], after, *columns[at + 1 :])
