"""A computer player for Top 12.

It judges a column by two things: how many cells are still free, and how likely numbers that come as they
come would fit them. The second is counted, not guessed: of all ways to pick the missing numbers, the share
that falls into the runs of free cells as they are is (product of C(numbers, cells)) / C(all numbers, cells).
A dead column has share 0. A sheet is worth what its best columns are worth, since one is enough.
"""

from __future__ import annotations

from functools import cache
from math import comb, exp, log
from typing import cast

from bot.rules.chance import Generator
from bot.rules.top12 import (
    CELLS,
    COLUMNS,
    FACES,
    JOKER,
    LETTERS,
    MOST,
    ROWS,
    START_NUMBERS,
    SYMBOLS,
    Sheet,
    Top12View,
    column_of,
    open_rows,
    runs,
)

_PACE = 0.55  # how much nearer one more number brings a column to being the full one (as a power of e)
_TRUST = 0.4  # how much the share of fitting numbers counts beside it
_FULL = 1e6  # of a full column: above any that is not
_RIVAL = 0.5  # how much the best of the others' gains counts against a call


@cache
def _ways(cells: int, numbers: int) -> float:
    """Logarithm of C(numbers, cells); minus infinity where they cannot fit."""
    return log(comb(numbers, cells)) if numbers >= cells else -float("inf")


def column_worth(cells: Sheet) -> float:
    """Worth of one column, above 0 while it can be filled and 0 when it is dead."""
    free = 0
    ways = 0.0
    for length, above, below in runs(cells):
        free += length
        ways += _ways(length, below - above - 1)
    if ways == -float("inf"):
        return 0.0
    if not free:
        return _FULL
    return exp(_PACE * (ROWS - free) + _TRUST * (ways - _ways(free, MOST - ROWS + free)))


def _best_entry(sheet: Sheet, column: int, number: int) -> tuple[float, int] | None:
    """The best gain by entering a number in a column, and the cell; None where it does not fit."""
    cells = list(column_of(sheet, column))
    rows = open_rows(cells, number)
    if not rows:
        return None
    before = column_worth(cells)
    best: tuple[float, int] | None = None
    for row in rows:
        cells[row] = number
        gain = column_worth(cells) - before
        cells[row] = 0
        if best is None or gain > best[0]:
            best = gain, column * ROWS + row
    return best


def expected_gain(sheet: Sheet, number: int) -> float:
    """The gain a call brings this sheet on average over the six faces; entering is compulsory (rule 5)."""
    gains = [
        found[0] for column in range(COLUMNS) if (found := _best_entry(sheet, column, number)) is not None
    ]
    return (sum(gains) + max(gains, default=0.0)) / len(FACES)


def _call(view: Top12View, chance: Generator) -> str:
    """The number that brings this seat most, less what it brings the best placed of the others."""
    best: list[int] = []
    most = -float("inf")
    for number in range(1, MOST + 1):
        gain = expected_gain(view.sheets[cast("int", view.seat)], number)
        others = [expected_gain(sheet, number) for seat, sheet in enumerate(view.sheets) if seat != view.seat]
        merit = gain - _RIVAL * max(others, default=0.0)
        if merit > most + 1e-9:
            best, most = [], merit
        if merit > most - 1e-9:
            best.append(number)
    return f"call {chance.choice(best)}"


def _enter(view: Top12View) -> str:
    sheet = view.sheets[cast("int", view.seat)]
    columns = range(COLUMNS) if view.face == JOKER else (SYMBOLS.index(view.face),)
    found = [entry for column in columns if (entry := _best_entry(sheet, column, view.number)) is not None]
    return f"{view.number}@{CELLS[max(found)[1]]}"


def _write_start_numbers(chance: Generator) -> str:
    """Each number where it leaves the missing ones the most ways, in a column by chance."""
    parts = []
    for letter, number in zip(LETTERS, chance.shuffled(START_NUMBERS), strict=True):
        worths = [column_worth([number if at == row else 0 for at in range(ROWS)]) for row in range(ROWS)]
        parts.append(f"{number}@{letter}{worths.index(max(worths)) + 1}")
    return " ".join(parts)


def choose(view: Top12View, chance: Generator) -> str:
    """A legal move for the seat of `view`, which must be one that may act."""
    match view.phase:
        case "setup":
            return _write_start_numbers(chance)
        case "call":
            return _call(view, chance)
        case _:
            return _enter(view)
