"""The board: its cells, which of them are light, and what hangs together on it.

Cells are indexes into 16 x 16 bytes, `16 * (row - 1) + column`: the sixteenth column and row are blank, so
that a walk along a line always ends without a bounds test. A board is 256 such bytes, the value of the tile
on each cell, 0 where none lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

Placement: TypeAlias = "tuple[int, int]"
"""A tile laid or to be laid: (cell, value)."""

SIDE = 15  # rows, and columns, with cells
WIDTH = 16  # from a cell to the one below it
SIZE = WIDTH * WIDTH
COLUMNS = "ABCDEFGHIJKLMNO"
_MAP = """\
    ..# #..
 #...........#
 .#.........#.
 ..#.......#..
....#.....#....
.....#...#.....
#.....#.#.....#
 ......R......
#.....#.#.....#
.....#...#.....
....#.....#....
 ..#.......#..
 .#.........#.
 #...........#
    ..# #..
"""


def _map_cells(kinds: str) -> tuple[int, ...]:
    return tuple(
        row * WIDTH + column
        for row, line in enumerate(_MAP.splitlines())
        for column, kind in enumerate(line)
        if kind in kinds
    )


CELLS = _map_cells(".#R")  # row by row
LIGHT = frozenset(_map_cells("#R"))  # the red start cell counts as light
RED = _map_cells("R")[0]
NAMES = {cell: f"{COLUMNS[cell % WIDTH]}{cell // WIDTH + 1}" for cell in CELLS}
INDEX = {name: cell for cell, name in NAMES.items()}
EMPTY = bytes(SIZE)  # the board before the opening

EXISTS = bytes(cell in NAMES for cell in range(SIZE))
# By cell: 32 where it is light. The red cell counts for a dark one here: rule 4 leaves it alone, and after
# the opening nothing is laid there.
GLEAM = bytes(32 if cell in LIGHT and cell != RED else 0 for cell in range(SIZE))
# The places of every row and of every column, the blank one at the end among them.
LINES = tuple(tuple(range(row * WIDTH, row * WIDTH + WIDTH)) for row in range(SIDE))
FALLS = tuple(tuple(range(column, SIZE, WIDTH)) for column in range(SIDE))
STEPS = (-1, 1, -WIDTH, WIDTH)  # to the four cells beside one


def with_tiles(board: bytes, placements: Iterable[Placement]) -> bytearray:
    """The board with these tiles laid on it; nothing is asked of the rules."""
    tiles = bytearray(board)
    for cell, value in placements:
        tiles[cell] = value
    return tiles


def loose_cells(board: bytes, laid: Sequence[int]) -> list[int]:
    """Those of the cells `laid` that no chain of tiles joins with the old board (in the opening: with the
    red cell), sorted; rules 1 and 2."""
    left = set(laid)
    if board == EMPTY:
        front = [RED] if RED in left else []
    else:
        front = [cell for cell in laid if any(board[cell + step] for step in STEPS)]
    left.difference_update(front)
    while front:
        cell = front.pop()
        for step in STEPS:
            if (beside := cell + step) in left:
                left.discard(beside)
                front.append(beside)
    return sorted(left)


def laying_order(board: bytes, placements: Iterable[Placement]) -> list[Placement]:
    """Tiles that hang together with the board in an order in which they can be laid one after another: each
    touches a tile lying, the first of all lies on the red cell. Of several the first given."""
    left, found = list(placements), list[Placement]()
    while left:
        lying = [cell for cell, _ in found]
        following = next((one for one in left if not loose_cells(board, [*lying, one[0]])), left[0])
        left.remove(following)
        found.append(following)
    return found
