"""The tiles lying, with what decides where another one fits.

The heart of the game's speed is `Layout.reach`: one byte per empty cell that touches a tile, holding the
larger of the two sums a tile laid there would join, plus 32 where the cell is light. A tile `v` fits where
that sum is at most 12 - v and makes a 10, 11 or 12 where it is at least 10 - v, so "where can this tile go"
is one `bytes.translate` with a table of this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress

from .board import CELLS, EXISTS, FALLS, GLEAM, LINES, SIZE, STEPS, WIDTH

_PLACES = range(SIZE)


def _table(value: int, dark: tuple[int, int], light: tuple[int, int]) -> bytes:
    """Flags by reach byte: whether the joined sum with `value` lies in the range for the kind of cell."""
    return bytes(
        (dark[0] <= code + value <= dark[1] if code < 32 else light[0] <= code - 32 + value <= light[1])
        and code % 32 > 0
        for code in range(SIZE)
    )


_NONE = (1, 0)
# By value, flags by reach byte: where a tile may lie by rule 3 alone ("fits"), on a dark cell, and by rules 3
# and 4 without rule 4's exception.
FITS = tuple(_table(v, (0, 12), (0, 12)) for v in range(7))
DARK = tuple(_table(v, (0, 12), _NONE) for v in range(7))
GOOD = tuple(_table(v, (0, 12), (10, 12)) for v in range(7))


class Layout:
    """The tiles on the board and, for every empty cell, the sums beside it.

    tiles: value by cell, 0 empty. across, down: for empty cells, the sum of the tiles that
    a tile laid there would be joined with in its row and column. reach: see the module.

    >>> from bot.rules.zatre import INDEX, NAMES, Layout
    >>> board = bytearray(256)
    >>> board[INDEX["H8"]] = 6
    >>> layout = Layout.of(bytes(board))
    >>> layout.lay(INDEX["I8"], 4)
    >>> layout.across[INDEX["J8"]], layout.down[INDEX["I9"]]
    (10, 4)
    >>> [NAMES[cell] for cell in layout.where(FITS[3])]
    ['H7', 'I7', 'H9', 'I9']
    """

    __slots__ = ("across", "down", "reach", "tiles")

    def __init__(self, tiles: bytearray, across: bytearray, down: bytearray, reach: bytearray) -> None:
        self.tiles = tiles
        self.across = across
        self.down = down
        self.reach = reach

    @classmethod
    def of(cls, board: bytes) -> Layout:
        """The layout of these tiles. Sums are those of the board, whether or not it keeps the rules."""
        across, down = bytearray(SIZE), bytearray(SIZE)
        for sums, lines in ((across, LINES), (down, FALLS)):
            for line in lines:
                last, total = SIZE - 1, 0
                for cell in line:
                    if tile := board[cell]:
                        total += tile
                    else:
                        if total:
                            sums[last] = min(sums[last] + total, 31)
                            sums[cell] = min(total, 31)
                            total = 0
                        last = cell
        reach = bytearray(SIZE)
        for cell in CELLS:
            if not board[cell] and (sum_ := max(across[cell], down[cell])):
                reach[cell] = sum_ + GLEAM[cell]
        return cls(bytearray(board), across, down, reach)

    def copy(self) -> Layout:
        """An independent copy, to be laid on."""
        return Layout(self.tiles[:], self.across[:], self.down[:], self.reach[:])

    def lay(self, cell: int, value: int) -> None:
        """Put a tile on an empty cell. Only the cells at the four ends of its two runs change. `reach` stays
        right as long as no run passes 12."""
        tiles, across, down, reach = self.tiles, self.across, self.down, self.reach
        tiles[cell] = value
        reach[cell] = 0
        before, low = 0, cell - 1
        while tile := tiles[low]:
            before += tile
            low -= 1
        after, high = 0, cell + 1
        while tile := tiles[high]:
            after += tile
            high += 1
        if EXISTS[low]:
            across[low] = sum_ = across[low] + value + after
            reach[low] = (sum_ if sum_ > down[low] else down[low]) + GLEAM[low]
        if EXISTS[high]:
            across[high] = sum_ = across[high] + value + before
            reach[high] = (sum_ if sum_ > down[high] else down[high]) + GLEAM[high]
        before, low = 0, cell - WIDTH
        while tile := tiles[low]:
            before += tile
            low -= WIDTH
        after, high = 0, cell + WIDTH
        while tile := tiles[high]:
            after += tile
            high += WIDTH
        if EXISTS[low]:
            down[low] = sum_ = down[low] + value + after
            reach[low] = (sum_ if sum_ > across[low] else across[low]) + GLEAM[low]
        if EXISTS[high]:
            down[high] = sum_ = down[high] + value + before
            reach[high] = (sum_ if sum_ > across[high] else across[high]) + GLEAM[high]

    def where(self, table: bytes) -> Iterator[int]:
        """The cells, row by row, that one of this module's tables picks."""
        return compress(_PLACES, self.reach.translate(table))

    def fits(self, values: Iterable[int]) -> bool:
        """Rule 5's "can be laid": one of these tiles fits an empty cell, dark or light, beside a tile."""
        return any(1 in self.reach.translate(FITS[value]) for value in values)

    def scores(self, cell: int) -> bool:
        """Whether a run of 10, 11 or 12 passes through the tile on `cell`."""
        tiles = self.tiles
        for step in (1, WIDTH):
            total = tiles[cell]
            for way in (-step, step):
                beside = cell + way
                while tile := tiles[beside]:
                    total += tile
                    beside += way
            if 10 <= total <= 12:
                return True
        return False

    def ends(self, cell: int) -> list[int]:
        """The first empty places from `cell` in each direction that are cells of the board."""
        found = []
        for step in STEPS:
            beside = cell + step
            while self.tiles[beside]:
                beside += step
            if EXISTS[beside]:
                found.append(beside)
        return found

    def dark_fits(self, cell: int) -> list[int]:
        """The dark cells the tile on `cell` would fit if it were taken up again (for rule 4's exception)."""
        tiles = self.tiles
        value = tiles[cell]
        flags = self.reach.translate(DARK[value])
        near = self.ends(cell)
        for end in near:
            flags[end] = 0
        found = []
        place = flags.find(1)
        while place >= 0:  # mostly few, or none: faster than a look at every byte
            found.append(place)
            place = flags.find(1, place + 1)
        tiles[cell] = 0
        for end in near:
            if not GLEAM[end]:
                sums = [self._beside(end, step) for step in (1, WIDTH)]
                if 0 < max(sums) <= 12 - value:
                    found.append(end)
        # The cell itself is light, so it need not be asked.
        tiles[cell] = value
        return found

    def _beside(self, cell: int, step: int) -> int:
        """The sum of the tiles on both sides of an empty cell, along one line."""
        total = 0
        for way in (-step, step):
            beside = cell + way
            while tile := self.tiles[beside]:
                total += tile
                beside += way
        return total


_layouts: dict[bytes, Layout] = {}


def layout_of(board: bytes) -> Layout:
    """Shared, so copy it before laying; the latest boards asked for are kept."""
    found = _layouts.get(board)
    return found if found is not None else remember(board, Layout.of(board))


def remember(board: bytes, layout: Layout) -> Layout:
    """Keep the layout of a board for those who ask next; it must not be laid on any more."""
    if len(_layouts) >= 256:
        _layouts.clear()
    _layouts[board] = layout
    return layout
