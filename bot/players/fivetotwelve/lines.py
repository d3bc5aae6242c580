"""Lines of a board as numbers, and what self-play has learned of them (`figures.json`, in the form that
`learn.py` makes; docs/players.md tells what made these).

A *line* is a row from left to right or a column from top to bottom. Packed it is its four tiles as digits to
the base 21, 0 for a free cell; so a tile on a cell adds a multiple of `WEIGHT`, and a table by packed line
is a plain list. A board is worth the sum of its eight lines and of its free cells' supplies: minus the turns
that it still takes to fill it, on average.

Turned by half, with every tile 21 less its number, a board is as good as before; so is one that is mirrored
at its diagonal. So there are two kinds of lines: outer ones (the first; the fourth, turned) and inner ones.
"""

from __future__ import annotations

import json
from base64 import b85decode
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

from bot.rules.fivetotwelve import SIDE, SIZE, TOP

BASE: Final = TOP + 1
WEIGHT: Final = tuple(BASE ** (SIDE - 1 - place) for place in range(SIDE))
LINES: Final = BASE**SIDE
KINDS: Final = (0, 1, 1, 0)
"""By number of a row or column: 0 an outer line, 1 an inner one."""
NEVER: Final = -1e6  # of a line that does not rise
FIGURES: Final = Path(__file__).with_name("figures.json")

PHASES: Final = (3, 7)  # up to so many free cells; the rest is the third phase
SHARES: Final = 12  # classes of a cell's share of the face-down tiles
SHOWN: Final = 3  # classes of a cell's numbers in the middle: none, one, more


class Figures(NamedTuple):
    """What was learned. lines: for each of the four rows (or columns) the worth by packed line; supply: that
    of a free cell, by `Supply.classes`; filled: what the quick policy counts for a filled one."""

    lines: tuple[list[float], ...]
    filled: float
    supply: tuple[float, ...]


def packed(line: Sequence[int]) -> int:
    number = 0
    for tile in line:
        number = number * BASE + tile
    return number


def turned(line: Sequence[int]) -> tuple[int, ...]:
    """The line as it is on the board turned by half."""
    return tuple(BASE - tile if tile else 0 for tile in reversed(line))


@lru_cache(maxsize=1)
def rising() -> tuple[tuple[int, ...], ...]:
    """All lines that rise, free cells left out: 10,626, in the order of the figures."""
    return tuple(
        line
        for count in range(SIDE + 1)
        for places in combinations(range(SIDE), count)
        for tiles in combinations(range(1, BASE), count)
        for line in [tuple(tiles[places.index(place)] if place in places else 0 for place in range(SIDE))]
    )


def spread(kinds: Sequence[Sequence[float]]) -> tuple[list[float], ...]:
    """The tables of the four rows from those of the two kinds, which are in the order of `rising`."""
    outer, inner = kinds
    tables: tuple[list[float], ...] = tuple([NEVER] * LINES for _ in range(SIDE))
    for number, line in enumerate(rising()):
        plain, other = packed(line), packed(turned(line))
        tables[0][plain] = tables[3][other] = outer[number]
        tables[1][plain] = tables[2][other] = inner[number]
    return tables


@lru_cache(maxsize=1)
def figures() -> Figures:
    """Read once, when the first move is thought about."""
    data = json.loads(FIGURES.read_text("ascii"))
    kinds = [
        [(byte - 128) * data["step"] for byte in b85decode("".join(data[kind]))]
        for kind in ("outer", "inner")
    ]
    return Figures(spread(kinds), data["filled"], tuple(data["supply"]))


# --------------------------------------------------------------------------- what free cells need and get


def needs(board: Sequence[int]) -> tuple[list[int], list[int]]:
    """For each cell the least and the greatest number with which the board could still be filled without an
    exchange: free cells on the way need numbers of their own."""
    least = [0] * SIZE
    most = [TOP + 1] * SIZE
    for cell in range(SIZE):
        left = least[cell - SIDE] if cell >= SIDE else 0
        above = least[cell - 1] if cell % SIDE else 0
        least[cell] = board[cell] or max(left, above) + 1
    for cell in reversed(range(SIZE)):
        right = most[cell + SIDE] if cell < SIZE - SIDE else TOP + 1
        under = most[cell + 1] if (cell + 1) % SIDE else TOP + 1
        most[cell] = board[cell] or min(right, under) - 1
    return least, most


class Supply:
    """How many tiles there are below each number. covered: face down; shown: different numbers in the
    middle."""

    __slots__ = ("covered", "shown")

    def __init__(self, stock: Sequence[int], middle: Sequence[int]) -> None:
        """Both by number, from 0 to TOP."""
        self.covered = [0] * (TOP + 2)
        self.shown = [0] * (TOP + 2)
        for tile in range(1, TOP + 2):
            self.covered[tile] = self.covered[tile - 1] + stock[tile - 1]
            self.shown[tile] = self.shown[tile - 1] + (middle[tile - 1] > 0)

    def classes(self, board: Sequence[int]) -> list[int]:
        """For each free cell, in order, the class of what there is for it."""
        least, most = needs(board)
        free = board.count(0)
        base = sum(free > limit for limit in PHASES) * SHARES
        every = self.covered[-1] or 1
        found = []
        for cell in range(SIZE):
            if board[cell]:
                continue
            low, high = least[cell], most[cell] + 1
            if low >= high:
                found.append(base * SHOWN)
                continue
            covered = self.covered[high] - self.covered[low]
            share = min(SHARES - 1, 2 + covered * 18 // every) if covered else 1
            shown = min(SHOWN - 1, self.shown[high] - self.shown[low])
            found.append((base + share) * SHOWN + shown)
        return found


def lines_of(board: Sequence[int]) -> tuple[list[int], list[int]]:
    """A board's columns and rows, packed."""
    columns = [packed(board[SIDE * column : SIDE * column + SIDE]) for column in range(SIDE)]
    rows = [packed(board[row::SIDE]) for row in range(SIDE)]
    return columns, rows


def worth(learned: Figures, board: Sequence[int], supply: Supply) -> float:
    """Minus the turns that it takes to fill the board."""
    if 0 not in board:
        return 0.0
    columns, rows = lines_of(board)
    value = 0.0
    for table, column, row in zip(learned.lines, columns, rows, strict=True):
        value += table[column] + table[row]
    for number in supply.classes(board):
        value += learned.supply[number]
    return value
