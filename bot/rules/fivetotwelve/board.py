"""The board of 5 vor 12: its cells, their names and numbers, and the tiles that lie on them.

Cells are numbered column by column (A1, A2, … D4), which is also the order of their names as text. A board is
the tiles of its sixteen cells in that order, 0 for a free cell; a tile is its number, 1 to `TOP`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

ID: Final = "fivetotwelve"
SIDE: Final = 4
SIZE: Final = SIDE * SIDE
TOP: Final = 20  # the highest tile; one set of 1..TOP per player

CELLS: Final = tuple(f"{column}{row}" for column in "ABCD" for row in range(1, SIDE + 1))
INDEX: Final = {name: cell for cell, name in enumerate(CELLS)}
"""A cell's number by its name."""
DIAGONAL: Final = tuple(index * SIDE + index for index in range(SIDE))
"""The cells of the set-up: A1, B2, C3, D4 (rule 1)."""
COLUMNS: Final = tuple(tuple(range(start, start + SIDE)) for start in range(0, SIZE, SIDE))
ROWS: Final = tuple(tuple(range(row, SIZE, SIDE)) for row in range(SIDE))

Board: TypeAlias = tuple[int, ...]
EMPTY: Final[Board] = (0,) * SIZE


def filled(board: Sequence[int]) -> int:
    """How many cells hold a tile."""
    return SIZE - board.count(0)


def counts(tiles: Iterable[int]) -> tuple[int, ...]:
    """How many there are of each tile: the number of 7s at index 7; index 0 stays 0.

    >>> counts([2, 2, 20])[:4]
    (0, 0, 2, 0)
    """
    found = [0] * (TOP + 1)
    for tile in tiles:
        found[tile] += 1
    return tuple(found)
