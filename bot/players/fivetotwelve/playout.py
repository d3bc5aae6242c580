"""Games of 5 vor 12 played on by a quick policy, on small integers: no rules' states, no texts.

Every seat plays alike. A tile is laid where the learned lines gain most; a tile in the middle is taken where
that gains more than a turn gains on average; what gains nothing is left. `tests/players/test_fivetotwelve.py`
replays such games through the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from bot.rules.fivetotwelve import DIAGONAL, SIDE, SIZE, TOP
from bot.rules.fivetotwelve.lay_or_exchange import lucky

from .lines import NEVER, WEIGHT, lines_of

ENOUGH: Final = 0.8  # turns that a tile in the middle must gain to be taken
FULL: Final = 100.0  # more than any other gain
WON: Final = 2  # points of a winner (rule 6)

LAY, LEAVE, TAKE, SET_UP = range(4)
Done: TypeAlias = tuple[int, int, int, int]
"""Seat, one of the above, tile, cell (-1 for a tile that is left)."""

_NOTHING: Final = (0.0, -1)
_BELOW: Final = tuple(sum(1 << SIZE * tile for tile in range(high)) for high in range(TOP + 2))
_CELLS: Final = tuple(
    tuple(tuple(start + cell for cell in range(8) if mask >> cell & 1) for mask in range(256))
    for start in (0, 8)
)
_PLACE: Final = tuple(
    (cell // SIDE, cell % SIDE, WEIGHT[cell // SIDE], WEIGHT[cell % SIDE]) for cell in range(SIZE)
)


class _Fits(dict[int, int]):
    """For one column or row, by packed line: which tiles fit where in it, bit 16 * tile + cell."""

    def __init__(self, cells: Sequence[int]) -> None:
        super().__init__()
        self._cells = cells

    def __missing__(self, line: int) -> int:
        tiles = [line // weight % (TOP + 1) for weight in WEIGHT]
        found = 0
        for place, cell in enumerate(self._cells):
            low = max(tiles[:place], default=0)
            high = min((tile for tile in tiles[place + 1 :] if tile), default=TOP + 1)
            if low < high:
                found |= (_BELOW[high] & ~_BELOW[low + 1]) << cell
        self[line] = found
        return found


_COLUMNS: Final = tuple(_Fits(range(SIDE * column, SIDE * column + SIDE)) for column in range(SIDE))
_ROWS: Final = tuple(_Fits(range(row, SIZE, SIDE)) for row in range(SIDE))


class Course:
    """One game under way. bonus: turns that a filled cell gains, beside its lines. boards, columns, rows,
    filled: by seat; middle: counts by number; order: the face-down tiles, those from `at` on being left."""

    __slots__ = (
        "at",
        "boards",
        "bonus",
        "bruno",
        "columns",
        "done",
        "filled",
        "idle",
        "limit",
        "middle",
        "order",
        "over",
        "players",
        "rows",
        "seat",
        "tables",
    )

    def __init__(
        self,
        tables: Sequence[list[float]],
        bonus: float,
        boards: Sequence[Sequence[int]],
        middle: Sequence[int],
        seat: int,
        idle: int = 0,
        limit: int = 0,
        bruno: bool = False,
    ) -> None:
        self.tables = tables
        self.bonus = bonus
        self.players = len(boards)
        self.boards = [list(board) for board in boards]
        packed = [lines_of(board) for board in boards]
        self.columns = [columns for columns, _ in packed]
        self.rows = [rows for _, rows in packed]
        self.filled = [SIZE - board.count(0) for board in self.boards]
        self.middle = list(middle)
        self.order: Sequence[int] = ()
        self.at = 0
        self.seat = seat
        self.idle = idle
        self.limit = limit
        self.bruno = bruno
        self.over = False
        self.done: list[Done] | None = None  # kept where somebody wants to see them

    def twin(self) -> Course:
        """This game, to be played on by itself."""
        twin = Course.__new__(Course)
        twin.tables = self.tables
        twin.bonus = self.bonus
        twin.players = self.players
        twin.boards = [board[:] for board in self.boards]
        twin.columns = [lines[:] for lines in self.columns]
        twin.rows = [lines[:] for lines in self.rows]
        twin.filled = self.filled[:]
        twin.middle = self.middle[:]
        twin.order = self.order
        twin.at = self.at
        twin.seat = self.seat
        twin.idle = self.idle
        twin.limit = self.limit
        twin.bruno = self.bruno
        twin.over = self.over
        twin.done = None if self.done is None else self.done[:]
        return twin

    # what happens

    def reveal(self) -> int:
        tile = self.order[self.at]
        self.at += 1
        self.idle = 0
        return tile

    def put(self, seat: int, tile: int, cell: int) -> int:
        """Lay a tile; what lay there, 0 for none."""
        board = self.boards[seat]
        old = board[cell]
        board[cell] = tile
        column, row, across, down = _PLACE[cell]
        self.columns[seat][column] += (tile - old) * down
        self.rows[seat][row] += (tile - old) * across
        if not old:
            self.filled[seat] += 1
        return old

    def lay(self, kind: int, tile: int, cell: int) -> None:
        """A turn's end: LAY the tile revealed, or one to TAKE."""
        seat = self.seat
        if self.done is not None:
            self.done.append((seat, kind, tile, cell))
        if kind == TAKE:
            self.middle[tile] -= 1
            self.idle += 1
        old = self.put(seat, tile, cell)
        if old:
            self.middle[old] += 1
        if self.filled[seat] == SIZE or self.at == len(self.order):
            self.over = True
        elif not self.bruno or not lucky(tuple(self.boards[seat]), cell):
            self.seat = (seat + 1) % self.players

    def leave(self, tile: int) -> None:
        """A turn's end without laying."""
        if self.done is not None:
            self.done.append((self.seat, LEAVE, tile, -1))
        self.middle[tile] += 1
        self.over = self.at == len(self.order)
        self.seat = (self.seat + 1) % self.players

    # the policy

    def finish(self, hand: int = 0) -> None:
        """Play on to the end. hand: a tile that was revealed before."""
        while not self.over:
            self.turn(hand)
            hand = 0

    def turn(self, hand: int = 0) -> None:
        """Play one turn."""
        fits = self.fits(self.seat)
        if not hand:
            if self.idle < self.limit and self._take(fits):
                return
            hand = self.reveal()
        _, cell = self.best(self.seat, fits, hand)
        if cell >= 0:
            self.lay(LAY, hand, cell)
        else:
            self.leave(hand)

    def _take(self, fits: int) -> bool:
        """Take what gains most from the middle, where it gains enough."""
        most, tile, cell = ENOUGH, 0, -1
        middle = self.middle
        for number in range(1, TOP + 1):
            if middle[number] and fits >> SIZE * number & 0xFFFF:
                gain, where = self.best(self.seat, fits, number)
                if gain > most:
                    most, tile, cell = gain, number, where
        if tile:
            self.lay(TAKE, tile, cell)
        return tile > 0

    def fits(self, seat: int) -> int:
        """Which tiles may lie where: bit 16 * tile + cell."""
        a, b, c, d = self.columns[seat]
        e, f, g, h = self.rows[seat]
        return (_COLUMNS[0][a] | _COLUMNS[1][b] | _COLUMNS[2][c] | _COLUMNS[3][d]) & (
            _ROWS[0][e] | _ROWS[1][f] | _ROWS[2][g] | _ROWS[3][h]
        )

    def best(self, seat: int, fits: int, tile: int) -> tuple[float, int]:
        """The cell where a tile gains most, and how many turns; (0, -1) where it gains none."""
        return max(self.gains(seat, fits, tile), default=_NOTHING)

    def gains(self, seat: int, fits: int, tile: int) -> list[tuple[float, int]]:
        """The cells where a tile gains anything, and how many turns."""
        board = self.boards[seat]
        columns = self.columns[seat]
        rows = self.rows[seat]
        tables = self.tables
        filled = FULL if self.filled[seat] == SIZE - 1 else self.bonus
        mask = fits >> SIZE * tile
        found = []
        for cell in _CELLS[0][mask & 255] + _CELLS[1][mask >> 8 & 255]:
            old = board[cell]
            column, row, across, down = _PLACE[cell]
            step = tile - old
            upright, level = columns[column], rows[row]
            by_column, by_row = tables[column], tables[row]
            gain = (
                by_column[upright + step * down]
                - by_column[upright]
                + by_row[level + step * across]
                - by_row[level]
            )
            if not old:
                gain += filled
            if gain > 0.0:
                found.append((gain, cell))
        return found

    def set_up(self, waves: Sequence[Sequence[int]], more: int, first: int) -> None:
        """Lay what each seat has to lay, then `more` waves of one tile each; then it is `first`'s turn."""
        for seat, wave in enumerate(waves):
            for tile in wave:
                self.place(seat, tile)
        for _ in range(more):
            dealt = [self.reveal() for _ in range(self.players)]
            for seat, tile in enumerate(dealt):
                self.place(seat, tile)
        self.seat = first

    def place(self, seat: int, tile: int) -> None:
        """Lay a tile of the set-up on the free cell of the diagonal where it is worth most."""
        board, columns, rows, tables = self.boards[seat], self.columns[seat], self.rows[seat], self.tables
        most, best = 2 * NEVER, -1
        for cell in DIAGONAL:
            if not board[cell]:
                column, row, across, down = _PLACE[cell]
                gain = (
                    tables[column][columns[column] + tile * down]
                    - tables[column][columns[column]]
                    + tables[row][rows[row] + tile * across]
                    - tables[row][rows[row]]
                )
                if gain > most:
                    most, best = gain, cell
        if self.done is not None:
            self.done.append((seat, SET_UP, tile, best))
        self.put(seat, tile, best)

    # the end

    def margin(self, seat: int) -> float:
        """Points as in a series: of a winner 2, of any other minus the free cells; less the best other's."""
        most = max(self.filled)
        points = [WON if count == most else count - SIZE for count in self.filled]
        return float(points[seat] - max(points[:seat] + points[seat + 1 :]))
