"""The sheet and the die: cells, what a column can still take, and which columns are dead (rules 1, 3 and 4).

A sheet is 60 whole numbers, column by column from the left and each from the top: cell `column * 12 + row`,
0 for a free cell. A cell's name is its column's letter and its row counted from 1, so `B3` is cell 14.
Columns and rows are counted from 0 everywhere else. A column by itself is its twelve numbers from the top.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

LETTERS: Final = "ABCDE"  # of the columns, from the left
SYMBOLS: Final = ("hand", "star", "house", "tree", "moon")  # of the columns, from the left
JOKER: Final = "joker"
FACES: Final = (JOKER, *SYMBOLS)  # of the die
ROWS: Final = 12
COLUMNS: Final = len(LETTERS)
CELLS: Final = tuple(f"{letter}{row}" for letter in LETTERS for row in range(1, ROWS + 1))
CELL_OF: Final = {name: cell for cell, name in enumerate(CELLS)}
START_NUMBERS: Final = (10, 20, 30, 40, 50)
LEAST: Final = 1
MOST: Final = 100

Sheet: TypeAlias = Sequence[int]
"""A sheet's 60 numbers, or the twelve of one column."""

EMPTY: Final = (0,) * len(CELLS)


def column_of(sheet: Sheet, column: int) -> Sheet:
    """The twelve cells of one column, from the top.

    >>> column_of(entered(EMPTY, 14, 30), 1)
    (0, 0, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    """
    return sheet[column * ROWS : column * ROWS + ROWS]


def entered(sheet: tuple[int, ...], cell: int, number: int) -> tuple[int, ...]:
    """The sheet with a number in a cell."""
    return (*sheet[:cell], number, *sheet[cell + 1 :])


def columns_for(face: str) -> Sequence[int]:
    """The columns that a face of the die opens (rule 3)."""
    return _COLUMNS_FOR[face]


_COLUMNS_FOR = {JOKER: tuple(range(COLUMNS)), **{face: (at,) for at, face in enumerate(SYMBOLS)}}


def open_rows(cells: Sheet, number: int) -> range:
    """Rows of one column in which `number` may stand: always one run of free cells (rule 4).

    >>> open_rows((0, 0, 30, 0, 0, 40, 0, 0, 0, 0, 0, 0), 35)
    range(3, 5)
    >>> len(open_rows((0, 0, 30, 0, 0, 40, 0, 0, 0, 0, 0, 0), 40))
    0
    """
    low = 0
    for row, value in enumerate(cells):
        if value:
            if value >= number:
                return range(low, row if value > number else low)
            low = row + 1
    return range(low, ROWS)


def open_cells(sheet: Sheet, number: int, face: str) -> tuple[int, ...]:
    """Cells in which a called number may be entered after the die showed `face` (rules 3 and 4)."""
    found: list[int] = []
    for column in columns_for(face):
        base = column * ROWS
        found.extend(base + row for row in open_rows(sheet[base : base + ROWS], number))
    return tuple(found)


def runs(cells: Sheet) -> list[tuple[int, int, int]]:
    """One column's runs of free cells from the top, each as (cells, number above it, number below it); 0
    stands above row 1 and 101 below row 12.

    >>> runs((0, 0, 30, 0, 0, 40, 60, 70, 80, 81, 82, 83))
    [(2, 0, 30), (2, 30, 40)]
    """
    found: list[tuple[int, int, int]] = []
    length, above = 0, LEAST - 1
    for value in (*cells, MOST + 1):
        if value:
            if length:
                found.append((length, above, value))
            length, above = 0, value
        else:
            length += 1
    return found


def is_dead(cells: Sheet) -> bool:
    """Whether a column can never be filled any more (ruling on dead columns).

    >>> is_dead((0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), is_dead((0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    (False, True)
    """
    return any(below - above - 1 < length for length, above, below in runs(cells))


def prospects(cells: Sheet) -> tuple[int, bool]:
    """Which numbers one column can take, as bits (number n is bit n), and whether it is dead."""
    mask = 0
    dead = False
    for length, above, below in runs(cells):
        mask |= (1 << below) - (1 << above + 1)
        dead = dead or below - above - 1 < length
    return mask, dead
