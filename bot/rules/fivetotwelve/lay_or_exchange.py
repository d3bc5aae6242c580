"""Laying a tile on a free cell, or exchanging it for the tile that lies there (rules 2 to 4).

Both are one act: a tile is laid on a cell, and what lay there before goes face up to the middle (rule 3).
Where it may be laid follows from rule 4 alone: rows and columns rise, free cells between do not matter, and
the tile that is exchanged away does not count. The option `bruno` looks at where a tile has landed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..errors import Illegal
from .board import CELLS, COLUMNS, ID, ROWS, SIDE, SIZE, TOP, Board


def lay(board: Board, tile: int, cell: int) -> tuple[Board, int]:
    """The board with `tile` on `cell`, and the tile that is exchanged away for it (rule 3), 0 for none.
    Whether it may lie there is not asked.

    >>> _, replaced = lay((2, 0, 0, 0, 0, 8, 0, 0, 0, 0, 13, 0, 0, 0, 0, 19), 9, CELLS.index("B2"))
    >>> replaced
    8
    """
    after = list(board)
    after[cell] = tile
    return tuple(after), board[cell]


def fitting(board: Sequence[int], tile: int) -> list[int]:
    """Cells on which `tile` may lie, free ones and exchanges alike (rules 2a and 4).

    >>> board = (2, 0, 0, 0, 0, 8, 0, 0, 0, 0, 13, 0, 0, 0, 0, 19)  # the diagonal alone
    >>> [CELLS[cell] for cell in fitting(board, 13)]  # of these A1, B2, C3 and D4 are exchanges
    ['A1', 'A4', 'B2', 'B4', 'C3', 'D1', 'D2', 'D4']
    """
    return cells_of(fits(board), tile)


def fits(board: Sequence[int]) -> bytes:
    """Which tiles may lie where: byte 2 * tile has bit `cell` set for the cells of columns A and B, the next
    byte for C and D, when the tile fits all others of the cell's row and column (rule 4). The cell's own
    tile does not count: it would be exchanged."""
    a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q = board
    columns = (
        _column(a, b, c, d) | _column(e, f, g, h) << 4 | _column(i, j, k, m) << 8 | _column(n, o, p, q) << 12
    )
    rows = _row(a, e, i, n) | _row(b, f, j, o) << 1 | _row(c, g, k, p) << 2 | _row(d, h, m, q) << 3
    return (columns & rows).to_bytes(2 * TOP + 2, "little")


def cells_of(fit: bytes, tile: int) -> list[int]:
    """The cells that `fits` has for a tile."""
    mask = fit[2 * tile] | fit[2 * tile + 1] << 8
    return [cell for cell in range(SIZE) if mask >> cell & 1]


# Bit 16 * tile for every tile below a number.
_BELOW = tuple(sum(1 << SIZE * tile for tile in range(high)) for high in range(TOP + 2))


@lru_cache(maxsize=1 << 14)
def _column(a: int, b: int, c: int, d: int) -> int:
    """`_line` of a column, from top to bottom."""
    return _line((a, b, c, d), 1)


@lru_cache(maxsize=1 << 14)
def _row(a: int, b: int, c: int, d: int) -> int:
    """`_line` of a row, from left to right."""
    return _line((a, b, c, d), SIDE)


def _line(line: tuple[int, ...], stride: int) -> int:
    """For one line by itself, its four cells `stride` bits apart: bit 16 * tile + stride * place is set when
    the tile fits there. There are 10,626 rising lines, hence the caches' size."""
    found = 0
    for place in range(SIDE):
        low = max(line[:place], default=0)
        high = min((tile for tile in line[place + 1 :] if tile), default=TOP + 1)
        found |= (_BELOW[high] & ~_BELOW[low + 1]) << stride * place
    return found


def clash(board: Board, tile: int, cell: int) -> Illegal:
    """Why `tile` may not lie on `cell`, where it does not fit: the first tile of its row, then of its column,
    in its way (rule 4)."""
    column, row = divmod(cell, SIDE)
    lines = (("row", ROWS[row]), ("column", COLUMNS[column]))
    code, other = next(
        (code, other)
        for code, line in lines
        for other in line
        if other != cell and board[other] and (board[other] >= tile if other < cell else board[other] <= tile)
    )
    names = {"cell": CELLS[cell], "other": CELLS[other]}
    return Illegal(code, game=ID, rule="4", tile=tile, number=board[other], **names)


def lucky(board: Board, cell: int) -> bool:
    """Whether an equal number lies on the lower left or upper right of `cell` (option `bruno`; the other two
    neighbours can never be equal)."""
    column, row = divmod(cell, SIDE)
    return (column > 0 and row < SIDE - 1 and board[cell - SIDE + 1] == board[cell]) or (
        column < SIDE - 1 and row > 0 and board[cell + SIDE - 1] == board[cell]
    )
