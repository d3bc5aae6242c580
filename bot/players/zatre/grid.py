"""The board as simulations have it: small integers in flat rows, nothing checked.

By cell there is one byte, its *code*: the two sums that a tile laid there would join, across and down, and
whether the cell is light. What a tile of some value does on a cell follows from the code alone, its *kind*:
so "where does a 4 complete a 12" is one `bytes.translate` and one `find`. Rule 4's exception is left out of
the kinds: an unscored light cell is `BARE`, and whoever wants it looks at that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bot.rules.zatre import CELLS, LIGHT, RED, VALUES, WIDTH, Placement

SIZE = WIDTH * WIDTH
FULL = 12  # sums beside a cell from here on are all alike: no tile fits

# --------------------------------------------------------------------------- kinds

TEN, ELEVEN, TWELVE, CROSS = 1, 8, 64, 512
"""A gain is a number: so many of each of these, runs of 10, 11 and 12 and crosses."""
RUN = (0,) * 10 + (TEN, ELEVEN, TWELVE)
"""By the sum of a run: its gain."""

# What a tile does on a cell.
NO_FIT, PLAIN, BARE = 0, 1, 2  # fits not; on a dark cell, scoring nothing; on a light one, scoring nothing
_RUNS = (1, 8, 64, 2, 9, 65, 16, 72, 128)  # the gains of one tile's one or two runs
_FIRST = 3  # of the kinds that score
GAINS = (0,) * _FIRST + _RUNS + tuple(runs + CROSS for runs in _RUNS)
"""By kind: its gain."""
SCORING = range(_FIRST, len(GAINS))


def parts(gain: int) -> tuple[int, int, int, int]:
    """How many runs of 10, 11 and 12, and how many crosses."""
    return gain & 7, gain >> 3 & 7, gain >> 6 & 7, gain >> 9


# --------------------------------------------------------------------------- codes

_SUMS = [(a, b) for a in range(FULL + 1) for b in range(a, FULL + 1)]
_PAIR = {pair: number for number, pair in enumerate(_SUMS)}  # (0, 0), beside nothing, is 0
_LIT = 128  # added where the cell is light
_SHIFT = 5  # sums beside a cell are below 32
SHUT = 100  # counted as a sum beside what is no empty cell of the board: nothing fits there


def _codes() -> bytes:
    """By light or dark or no cell, and the sums across and down: the code."""
    table = bytearray(8 << 2 * _SHIFT)
    for base in (0, 1):
        for across in range(1 << _SHIFT):
            for down in range(1 << _SHIFT):
                pair = _PAIR[min(across, down, FULL), min(max(across, down), FULL)]
                place = (base << 2 * _SHIFT) + (across << _SHIFT) + down
                table[place] = pair + _LIT * base if pair else 0
    return bytes(table)


CODES = _codes()
# By cell, where its part of CODES begins. The red cell is covered in the opening.
BASE = [2 << 2 * _SHIFT] * SIZE
for _cell in CELLS:
    BASE[_cell] = (1 << 2 * _SHIFT) if _cell in LIGHT and _cell != RED else 0
CROSSES = [CROSS if base == 1 << 2 * _SHIFT else 0 for base in BASE]
"""By cell: what a tile gains there beside its runs, a cross on a light one."""


def _kind(code: int, value: int) -> int:
    pair = code % _LIT
    if not pair or pair >= len(_SUMS):
        return NO_FIT
    low, high = _SUMS[pair]
    if high + value > 12:
        return NO_FIT
    sums = [one + value for one in (low, high) if one]
    runs = sum(RUN[total] for total in sums)
    light = code >= _LIT
    if not runs:
        return BARE if light else PLAIN
    return _FIRST + _RUNS.index(runs) + (len(_RUNS) if light else 0)


KIND = tuple(bytes(_kind(code, value) if value else 0 for code in range(256)) for value in (0, *VALUES))
"""By value, kinds by code."""


def sums_of(code: int) -> tuple[int, int]:
    """The two sums beside a cell of this code, the smaller first."""
    return _SUMS[code % _LIT]


# --------------------------------------------------------------------------- the board


class Grid(NamedTuple):
    """tiles, across, down: as in `bot.rules.zatre.Layout`, but `SHUT` and more where no tile can lie any
    more. code: see the module; 0 where no tile can lie or none lies beside.

    spans, falls: for the empty cell at the upper end of a run, across and down, the sum of all that two tiles
    at both its ends would join, without theirs (`SHUT` and more where there is none); span_ends, fall_ends:
    the lower end.
    """

    tiles: bytearray
    across: bytearray
    down: bytearray
    code: bytearray
    spans: bytearray
    falls: bytearray
    span_ends: bytearray
    fall_ends: bytearray

    def copy(self) -> Grid:
        a, b, c, d, e, f, g, h = self
        return Grid(a[:], b[:], c[:], d[:], e[:], f[:], g[:], h[:])

    def after(self, laid: Iterable[Placement]) -> Grid:
        """A copy with these tiles."""
        child = self.copy()
        for cell, value in laid:
            child.lay(cell, value)
        return child

    def lay(self, cell: int, value: int) -> None:
        """Put a tile on an empty cell; no run may pass 12."""
        tiles, across, down, code, spans, falls, span_ends, fall_ends = self
        tiles[cell] = value
        code[cell] = 0
        spans[cell] = falls[cell] = SHUT

        low, high = cell - 1, cell + 1
        left = right = 0
        if across[cell]:
            while tile := tiles[low]:
                left += tile
                low -= 1
            while tile := tiles[high]:
                right += tile
                high += 1
        run = left + value + right
        across[low] = first = across[low] + value + right
        across[high] = last = across[high] + value + left
        code[low] = CODES[BASE[low] + (first << 5) + down[low]]
        code[high] = CODES[BASE[high] + (last << 5) + down[high]]
        spans[low] = first + last - run
        span_ends[low] = high
        if tiles[low - 1] and first < SHUT:
            beyond = low - 1
            while tiles[beyond]:
                beyond -= 1
            spans[beyond] = across[beyond] + run
        if tiles[high + 1] and last < SHUT:
            spans[high] = across[span_ends[high]] + run

        low, high = cell - WIDTH, cell + WIDTH
        left = right = 0
        if down[cell]:
            while tile := tiles[low]:
                left += tile
                low -= WIDTH
            while tile := tiles[high]:
                right += tile
                high += WIDTH
        run = left + value + right
        down[low] = first = down[low] + value + right
        down[high] = last = down[high] + value + left
        code[low] = CODES[BASE[low] + (across[low] << 5) + first]
        code[high] = CODES[BASE[high] + (across[high] << 5) + last]
        falls[low] = first + last - run
        fall_ends[low] = high
        if first < SHUT and tiles[low - WIDTH]:
            beyond = low - WIDTH
            while tiles[beyond]:
                beyond -= WIDTH
            falls[beyond] = down[beyond] + run
        if last < SHUT and tiles[high + WIDTH]:
            falls[high] = down[fall_ends[high]] + run
        across[cell] = down[cell] = SHUT


def grid_of(board: bytes) -> Grid:
    """The board of a view."""
    shut = bytearray(SHUT for _ in range(SIZE))
    open_ = bytearray(0 if base < 2 << 2 * _SHIFT else SHUT for base in BASE)
    tiles, code, span_ends, fall_ends = (bytearray(SIZE) for _ in range(4))
    grid = Grid(tiles, open_, open_[:], code, shut, shut[:], span_ends, fall_ends)
    for cell in CELLS:
        if board[cell]:
            grid.lay(cell, board[cell])
    return grid
