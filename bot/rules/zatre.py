"""Zatre: runs of 10, 11 and 12 on a board of 193 cells, each player with a score sheet.

Rules and rulings are those of the game's page; comments cite its numbers. Cells are
indexes into 16 x 16 bytes, `16 * (row - 1) + column`: the sixteenth column and row are
blank, so that a walk along a line always ends without a bounds test.

The heart is `Position.reach`: one byte per empty cell that touches a tile, holding the larger of the
two sums a tile laid there would join, plus 32 where the cell is light. A tile `v` fits
where that sum is at most 12 - v and makes a 10, 11 or 12 where it is at least 10 - v, so
"where can this tile go" is one `bytes.translate`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, pairwise
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from .chance import Generator
from .errors import Extra, Illegal, Impossible, Missing, NotYours, SetupError, Unreadable
from .game import JSON, Event, Game, Option, OptionValue, Outcome, Say, State, View

Stage: TypeAlias = Literal["lots", "draw", "turn", "blocked", "over"]
Placement: TypeAlias = "tuple[int, int]"  # (cell, value)

ID = "zatre"
TILES = (0, 21, 20, 20, 20, 20, 20)  # how many tiles of each value there are
TOTAL = sum(TILES)
VALUES = (1, 2, 3, 4, 5, 6)
POINTS = {10: 1, 11: 2, 12: 4}  # rule 6
MOST_LISTED = 4  # tiles held; with more, turns are checked and never listed
MOST_TRIED = 60  # positions looked at to see whether one draft can be completed
MOST_TRIED_IN_ALL = 600  # the same for all that may be laid next
KEEP = "keep"
LONGEST = 2000  # characters; longer than any turn or draw can be

# --------------------------------------------------------------------------- the board

SIDE = 15
WIDTH = 16
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
EMPTY = bytes(SIZE)

_EXISTS = bytes(cell in NAMES for cell in range(SIZE))
# Rule 4 leaves the red cell alone, and after the opening nothing is laid there: the tables below take it
# for a dark one.
_GLEAM = bytes(32 if cell in LIGHT and cell != RED else 0 for cell in range(SIZE))
_LINES = tuple(tuple(range(row * WIDTH, row * WIDTH + WIDTH)) for row in range(SIDE))
_FALLS = tuple(tuple(range(column, SIZE, WIDTH)) for column in range(SIDE))
_STEPS = (-1, 1, -WIDTH, WIDTH)
_RANGE = range(SIZE)
# Sets of cells are whole numbers, a bit for each, the first cell's being the highest.
_ONE = tuple(1 << (SIZE - 1 - cell) for cell in range(SIZE))
_EVERYWHERE = (1 << SIZE) - 1
_BEFORE = tuple(_EVERYWHERE ^ ((1 << (SIZE - cell)) - 1) for cell in range(SIZE + 1))

# Text of value on cell, by value and cell, and back.
_TOKENS = tuple(
    tuple(f"{value}@{NAMES[cell]}" if cell in NAMES else "" for cell in range(SIZE)) for value in range(7)
)
_TEXTS = tuple(
    _TOKENS[code % 8][code // 8] if code % 8 < 7 else "" for code in range(8 * SIZE)
)  # by 8 * cell + value
_text_of = _TEXTS.__getitem__
_HEADS = tuple(text + " " for text in _TEXTS)
_PLACEMENTS = {_TOKENS[value][cell]: (cell, value) for value in VALUES for cell in CELLS}


def _table(value: int, dark: tuple[int, int], light: tuple[int, int]) -> bytes:
    """Flags by reach byte: whether the joined sum with `value` lies in the range for the kind of cell."""
    return bytes(
        (dark[0] <= code + value <= dark[1] if code < 32 else light[0] <= code - 32 + value <= light[1])
        and code % 32 > 0
        for code in range(SIZE)
    )


_NONE = (1, 0)
_FITS = tuple(_table(v, (0, 12), (0, 12)) for v in range(7))  # rule 3
_DARK = tuple(_table(v, (0, 12), _NONE) for v in range(7))
_GOOD = tuple(_table(v, (0, 12), (10, 12)) for v in range(7))  # rules 3 and 4 without rule 4's exception
# The same, to be read as a number of SIZE binary digits.
_FITS_BITS, _DARK_BITS, _GOOD_BITS = (
    tuple(table.translate(b"01" + bytes(SIZE - 2)) for table in tables) for tables in (_FITS, _DARK, _GOOD)
)


class Position:
    """The tiles on the board and, for every empty cell, the sums beside it.

    tiles: value by cell, 0 empty. across, down: for empty cells, the sum of the tiles that
    a tile laid there would be joined with in its row and column. reach: see the module.
    """

    __slots__ = ("across", "down", "reach", "tiles")

    def __init__(self, tiles: bytearray, across: bytearray, down: bytearray, reach: bytearray) -> None:
        self.tiles = tiles
        self.across = across
        self.down = down
        self.reach = reach

    @classmethod
    def of(cls, board: bytes) -> Position:
        """The position of these tiles. Sums are those of the board, whether or not it keeps the rules."""
        across, down = bytearray(SIZE), bytearray(SIZE)
        for sums, lines in ((across, _LINES), (down, _FALLS)):
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
                reach[cell] = sum_ + _GLEAM[cell]
        return cls(bytearray(board), across, down, reach)

    def copy(self) -> Position:
        return Position(self.tiles[:], self.across[:], self.down[:], self.reach[:])

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
        if _EXISTS[low]:
            across[low] = sum_ = across[low] + value + after
            reach[low] = (sum_ if sum_ > down[low] else down[low]) + _GLEAM[low]
        if _EXISTS[high]:
            across[high] = sum_ = across[high] + value + before
            reach[high] = (sum_ if sum_ > down[high] else down[high]) + _GLEAM[high]
        before, low = 0, cell - WIDTH
        while tile := tiles[low]:
            before += tile
            low -= WIDTH
        after, high = 0, cell + WIDTH
        while tile := tiles[high]:
            after += tile
            high += WIDTH
        if _EXISTS[low]:
            down[low] = sum_ = down[low] + value + after
            reach[low] = (sum_ if sum_ > across[low] else across[low]) + _GLEAM[low]
        if _EXISTS[high]:
            down[high] = sum_ = down[high] + value + before
            reach[high] = (sum_ if sum_ > across[high] else across[high]) + _GLEAM[high]

    def fits(self, values: Iterable[int]) -> bool:
        """Rule 5's "can be laid": one of these tiles fits an empty cell, dark or light, beside a tile."""
        return any(1 in self.reach.translate(_FITS[value]) for value in values)

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
        for step in _STEPS:
            beside = cell + step
            while self.tiles[beside]:
                beside += step
            if _EXISTS[beside]:
                found.append(beside)
        return found

    def dark_fits(self, cell: int) -> list[int]:
        """The dark cells the tile on `cell` would fit if it were taken up again (for rule 4's exception)."""
        tiles = self.tiles
        value = tiles[cell]
        flags = self.reach.translate(_DARK[value])
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
            if not _GLEAM[end]:
                sums = [self._beside(end, step) for step in (1, WIDTH)]
                if 0 < max(sums) <= 12 - value:
                    found.append(end)
        # The cell itself is light, so it need not be asked.
        tiles[cell] = value
        return found

    def _beside(self, cell: int, step: int) -> int:
        total = 0
        for way in (-step, step):
            beside = cell + way
            while tile := self.tiles[beside]:
                total += tile
                beside += way
        return total


_positions: dict[bytes, Position] = {}


def _position(board: bytes) -> Position:
    """Shared, so copy it before laying; the latest boards asked for are kept."""
    found = _positions.get(board)
    return found if found is not None else _remember(board, Position.of(board))


def _remember(board: bytes, position: Position) -> Position:
    """Keep the position of a board for those who ask next; it must not be laid on any more."""
    if len(_positions) >= 256:
        _positions.clear()
    _positions[board] = position
    return position


# --------------------------------------------------------------------------- runs and points


@dataclass(frozen=True, slots=True)
class Run:
    """A whole line of adjacent tiles, two or more. cells: indexes from left to right or top to bottom."""

    cells: tuple[int, ...]
    total: int


def runs_through(tiles: bytes | bytearray, cells: Iterable[int]) -> list[Run]:
    """Every run that holds one of these covered cells, each once, in order of its first cell."""
    found: dict[tuple[int, int], Run] = {}
    for cell in cells:
        for step in (1, WIDTH):
            first = cell
            while tiles[first - step]:
                first -= step
            if (first, step) in found:
                continue
            line, total, place = [], 0, first
            while tile := tiles[place]:
                line.append(place)
                total += tile
                place += step
            if len(line) > 1:
                found[first, step] = Run(tuple(line), total)
    return [found[key] for key in sorted(found)]


@dataclass(frozen=True, slots=True)
class Gain:
    """What a turn scores. runs: those of 10, 11 or 12 (rule 6); ten, eleven, twelve: points for one box each,
    0 for no box (rule 7); crosses: the light cells that give one."""

    runs: tuple[Run, ...]
    ten: int
    eleven: int
    twelve: int
    crosses: tuple[int, ...]


def gain(tiles: bytes | bytearray, laid: Sequence[int]) -> Gain:
    """What the tiles on the cells `laid`, all lying in `tiles`, score together (rules 6 and 7)."""
    runs = tuple(run for run in runs_through(tiles, laid) if run.total in POINTS)
    points = dict.fromkeys(POINTS, 0)
    covered: set[int] = set()
    for run in runs:
        points[run.total] += POINTS[run.total]
        covered.update(run.cells)
    # The red cell is laid in the opening alone, and then any 10, 11 or 12 will do.
    crosses = tuple(
        sorted(cell for cell in laid if cell in LIGHT and (cell in covered or (cell == RED and runs)))
    )
    return Gain(runs, points[10], points[11], points[12], crosses)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a score sheet: number from 1, its boxes (None where empty), and whether it is crossed."""

    number: int
    ten: int | None
    eleven: int | None
    twelve: int | None
    cross: bool

    @property
    def bonus(self) -> int:
        """Rule 8: for a row whose three boxes are filled."""
        if self.ten is None or self.eleven is None or self.twelve is None:
            return 0
        return min(3 + (self.number - 1) // 4, 6)

    @property
    def total(self) -> int:
        """Rule 9: a cross doubles the row, complete or not."""
        points = (self.ten or 0) + (self.eleven or 0) + (self.twelve or 0) + self.bonus
        return points * 2 if self.cross else points


def sheet_total(rows: Iterable[Row], minus: int = 0) -> int:
    """Rules 9 and 10: the rows' totals less the face value of the tiles still held."""
    return sum(row.total for row in rows) - minus


@dataclass(frozen=True, slots=True)
class Sheet:
    """A score sheet: each column filled from the top without gaps (rule 7). crosses: how many."""

    tens: tuple[int, ...] = ()
    elevens: tuple[int, ...] = ()
    twelves: tuple[int, ...] = ()
    crosses: int = 0

    def with_gain(self, found: Gain) -> Sheet:
        return Sheet(
            self.tens + ((found.ten,) if found.ten else ()),
            self.elevens + ((found.eleven,) if found.eleven else ()),
            self.twelves + ((found.twelve,) if found.twelve else ()),
            self.crosses + len(found.crosses),
        )

    def rows(self) -> tuple[Row, ...]:
        """All rows with something in them; the sheet has no last row (ruling)."""

        def box(column: tuple[int, ...], index: int) -> int | None:
            return column[index] if index < len(column) else None

        columns = (self.tens, self.elevens, self.twelves)
        return tuple(
            Row(
                index + 1,
                box(self.tens, index),
                box(self.elevens, index),
                box(self.twelves, index),
                index < self.crosses,
            )
            for index in range(max(*map(len, columns), self.crosses))
        )

    @property
    def total(self) -> int:
        return sheet_total(self.rows())


# --------------------------------------------------------------------------- text


def placements_text(placements: Iterable[Placement]) -> str:
    """Canonical text: sorted by row, then column; `keep` for none."""
    return " ".join(_TOKENS[value][cell] for cell, value in sorted(placements)) or KEEP


def parse_placements(text: str) -> tuple[Placement, ...]:
    """(cell, value) pairs of canonical text, () for `keep`. Raises Unreadable, also for one cell twice."""
    if text == KEEP:
        return ()
    if not isinstance(text, str) or len(text) > LONGEST:
        raise Unreadable("move")
    try:
        found = tuple(_PLACEMENTS[token] for token in text.split(" "))
    except KeyError:
        raise Unreadable("move") from None
    if any(a[0] >= b[0] for a, b in pairwise(found)):
        raise Unreadable("move")
    return found


_TYPED = re.compile(r"([1-6])[ ]*@?[ ]*([A-O])[ ]*([0-9]{1,2})(?![0-9@])[ ,;]*")


def _read(text: str) -> str:
    if not isinstance(text, str) or len(text) > LONGEST:
        raise Unreadable("move")
    typed = " ".join(text.split()).upper()
    if typed == KEEP.upper():
        return KEEP
    found: dict[int, int] = {}
    place = 0
    while place < len(typed):
        match = _TYPED.match(typed, place)
        cell = INDEX.get(match[2] + match[3].lstrip("0")) if match else None
        if match is None or cell is None or cell in found:
            raise Unreadable("move")
        found[cell] = int(match[1])
        place = match.end()
    if not found:
        raise Unreadable("move")
    return placements_text(found.items())


_CHANCE = re.compile(r"(lots|draw)((?: [1-6-])+)")
_DRAWS = {f"draw {a}": (a,) for a in VALUES} | {
    f"draw {a} {b}": (a, b) for a in VALUES for b in VALUES if a <= b
}


def _parse_chance(text: str) -> tuple[str, tuple[int | None, ...]]:
    """Kind and tiles of canonical chance text (None for `-`). Raises Unreadable."""
    if isinstance(text, str) and (drawn := _DRAWS.get(text)):
        return "draw", drawn
    match = _CHANCE.fullmatch(text) if isinstance(text, str) and len(text) <= LONGEST else None
    if match is None:
        raise Unreadable("chance")
    tiles = tuple(None if word == "-" else int(word) for word in match[2].split())
    if match[1] == "draw" and (None in tiles or list(tiles) != sorted(cast("tuple[int, ...]", tiles))):
        raise Unreadable("chance")
    return match[1], tiles


# --------------------------------------------------------------------------- a turn


@dataclass(frozen=True, slots=True)
class Turn:
    """All that decides whether a turn is legal. must_lay: no tile was drawn, so one must be laid (rule 5)."""

    board: bytes
    held: tuple[int, ...]  # sorted
    must_lay: bool
    club: bool

    @property
    def opening(self) -> bool:
        return self.board == EMPTY

    def check(self, placements: Sequence[Placement]) -> Position:
        """The position after laying exactly these, if that is legal. Raises Illegal, the lowest rule broken
        first."""
        position = self._check_free(placements)
        if self.club and not self.opening:
            extra = self._extension(placements)
            if extra is not None:
                raise Illegal("club", game=ID, rule="5", tile=extra[1], cell=NAMES[extra[0]])
        return position

    def legal(self, placements: Sequence[Placement]) -> bool:
        try:
            self.check(placements)
        except Illegal:
            return False
        return True

    def free(self, placements: Sequence[Placement]) -> bool:
        """Whether it is legal with option laying=free."""
        try:
            self._check_free(placements)
        except Illegal:
            return False
        return True

    def _check_free(self, placements: Sequence[Placement]) -> Position:
        short = Counter(value for _, value in placements) - Counter(self.held)
        if short:
            raise Illegal("not_held", game=ID, rule="5", tile=min(short))
        for cell, _ in placements:
            if self.board[cell]:
                raise Illegal("occupied", game=ID, rule="2", cell=NAMES[cell])
        if self.opening:
            if len(placements) < len(self.held):
                raise Illegal("opening_all", game=ID, rule="1", n=len(self.held))
            if RED not in dict(placements):
                raise Illegal("opening_red", game=ID, rule="1", cell=NAMES[RED])
        elif not placements:
            if self.must_lay:
                raise Illegal("must_lay", game=ID, rule="5")
            return _position(self.board)
        laid = [cell for cell, _ in placements]
        if loose := _loose(self.board, laid):
            rule, code = ("1", "opening_apart") if self.opening else ("2", "apart")
            raise Illegal(code, game=ID, rule=rule, cell=NAMES[loose[0]])
        position = _position(self.board).copy()
        tiles, fits = position.tiles, True
        for cell, value in placements:
            # The tile laid last in a run sees all of it.
            fits = fits and max(position.across[cell], position.down[cell]) + value <= 12
            position.lay(cell, value)
        if not fits:
            run = next(run for run in runs_through(tiles, laid) if run.total >= 13)
            ends = {"first": NAMES[run.cells[0]], "last": NAMES[run.cells[-1]]}
            raise Illegal("thirteen", game=ID, rule="3", total=run.total, **ends)
        for cell in laid:
            if _GLEAM[cell] and not position.scores(cell) and (dark := position.dark_fits(cell)):
                raise Illegal(
                    "light", game=ID, rule="4", cell=NAMES[cell], tile=tiles[cell], dark=NAMES[min(dark)]
                )
        return position

    def after(self, placements: Iterable[Placement]) -> Position:
        position = _position(self.board).copy()
        for cell, value in placements:
            position.lay(cell, value)
        return position

    def rest(self, placements: Iterable[Placement]) -> tuple[int, ...]:
        """What stays in hand, sorted."""
        left = Counter(self.held)
        left.subtract(value for _, value in placements)
        return tuple(sorted(left.elements()))

    def _extension(self, placements: Sequence[Placement]) -> Placement | None:
        """One held tile more that would leave a legal turn, for a turn that is legal under laying=free."""
        position = self.after(placements)
        for value in sorted(set(self.rest(placements))):
            for cell in compress(_RANGE, position.reach.translate(_FITS[value])):
                if self.free((*placements, (cell, value))):
                    return cell, value
        return None

    # drafts

    def completable(self, draft: Sequence[Placement]) -> bool:
        """Whether laying more, or nothing more, can make a legal turn of `draft`: held tiles on empty cells,
        all reaching the board, with no run of 13.

        Laying=club never decides: whatever is legal without it can be filled up until it is legal with it.
        With many tiles held the search may give up, see `_Completion`.
        """
        if self.opening:
            wanted = {_TOKENS[value][cell] for cell, value in draft}
            return any(wanted <= set(text.split(" ")) for text in list_turns(self))
        return _Completion(self.board).possible(self.after(draft), tuple(draft), self.rest(draft))

    def plain_placements(self, draft: Sequence[Placement]) -> list[Placement]:
        """Those of `next_placements` that with `draft` are a legal turn of laying=free without rule 4's
        exception: on a dark cell, or on a light one with a 10, 11 or 12 through it. No search. The draft must
        be such a turn itself, or empty; not for the opening."""
        position = self.after(draft)
        return [
            (cell, value)
            for value in dict.fromkeys(self.rest(draft))
            for cell in compress(_RANGE, position.reach.translate(_GOOD[value]))
        ]

    def plain(self, draft: Sequence[Placement]) -> bool:
        """Whether every light cell of `draft` has a 10, 11 or 12 through it."""
        position = self.after(draft)
        return not any(_GLEAM[cell] and not position.scores(cell) for cell, _ in draft)

    def next_placements(self, draft: Sequence[Placement]) -> list[Placement]:
        """Every (cell, value) of a held tile that touches a tile lying and with which `draft` can still
        become a legal turn, as far as `_Completion` sees; sorted by cell, then value. The opening starts on
        the red cell."""
        rest = self.rest(draft)
        if self.opening:
            turns = [frozenset(text.split(" ")) for text in list_turns(self)]
            wanted = {_TOKENS[value][cell] for cell, value in draft}
            turns = [turn for turn in turns if wanted <= turn]
            reach = self.after(draft).reach
            return sorted(
                {
                    _PLACEMENTS[token]
                    for turn in turns
                    for token in turn - wanted
                    if (reach[_PLACEMENTS[token][0]] if draft else _PLACEMENTS[token][0] == RED)
                }
            )
        position = self.after(draft)
        calm = self.plain(draft)
        completion = _Completion(self.board)
        found: list[Placement] = []
        for value in sorted(set(rest)):
            good = position.reach.translate(_GOOD[value])
            left = _without(rest, value)
            for cell in compress(_RANGE, position.reach.translate(_FITS[value])):
                if not (calm and good[cell]):
                    child = position.copy()
                    child.lay(cell, value)
                    if not completion.possible(child, (*draft, (cell, value)), left):
                        continue
                found.append((cell, value))
        return sorted(found)


def _loose(board: bytes, laid: Sequence[int]) -> list[int]:
    """Those of the cells `laid` that no chain of tiles joins with the old board (in the opening: with the
    red cell)."""
    left = set(laid)
    if board == EMPTY:
        front = [RED] if RED in left else []
    else:
        front = [cell for cell in laid if any(board[cell + step] for step in _STEPS)]
    left.difference_update(front)
    while front:
        cell = front.pop()
        for step in _STEPS:
            if (beside := cell + step) in left:
                left.discard(beside)
                front.append(beside)
    return sorted(left)


class _Completion:
    """Whether drafts of one turn can be completed under laying=free.

    Exact, without trying every cell: it takes one fault of the position and branches over the few cells of
    which every legal turn that contains the draft must cover at least one. With many tiles held even that
    grows without end, so no more than `MOST_TRIED` positions are tried for one draft and `MOST_TRIED_IN_ALL`
    for all; a draft not seen to be completable by then counts as one that is not. With up to four tiles held
    no draft comes near that.

    tried: positions looked at so far.
    """

    __slots__ = ("_board", "_known", "_most", "tried")

    def __init__(self, board: bytes) -> None:
        self._board = board
        self._known: dict[frozenset[Placement], bool] = {}
        self._most = 0
        self.tried = 0

    def possible(self, position: Position, laid: tuple[Placement, ...], rest: tuple[int, ...]) -> bool:
        """Whether some tiles of `rest`, or none, make `laid`, which lies in `position`, a legal turn."""
        self._most = min(self.tried + MOST_TRIED, MOST_TRIED_IN_ALL)
        return self._try(position, laid, rest)

    def _try(self, position: Position, laid: tuple[Placement, ...], rest: tuple[int, ...]) -> bool:
        needed = self._needed(position, laid, len(rest))
        if needed is None:
            return True
        for cell in sorted(needed):
            if not _EXISTS[cell] or position.tiles[cell]:
                continue
            for value in dict.fromkeys(rest):
                if max(position.across[cell], position.down[cell]) + value >= 13:
                    continue
                more = (*laid, (cell, value))
                key = frozenset(more)
                found = self._known.get(key)
                if found is None:
                    if self.tried >= self._most:
                        return False
                    self.tried += 1
                    child = position.copy()
                    child.lay(cell, value)
                    found = self._try(child, more, _without(rest, value))
                    if found or self.tried < self._most:
                        self._known[key] = found
                if found:
                    return True
        return False

    def _needed(self, position: Position, laid: tuple[Placement, ...], count: int) -> set[int] | None:
        """Cells on one of which one of `count` tiles more must lie, for one fault of the position; none where
        so few cannot mend it; None where there is no fault."""
        loose = _loose(self._board, [cell for cell, _ in laid])
        if loose:
            group, front = {loose[0]}, [loose[0]]
            while front:
                cell = front.pop()
                for step in _STEPS:
                    if (beside := cell + step) in loose and beside not in group:
                        group.add(beside)
                        front.append(beside)
            return {cell + step for cell in group for step in _STEPS}
        for cell, value in laid:
            if not _GLEAM[cell] or position.scores(cell):
                continue
            dark = position.dark_fits(cell)
            if dark:
                # It becomes part of a 10, 11 or 12 only if one of its two runs grows.
                needed = set(position.ends(cell))
                spoilers = self._spoilers(position, cell, value, dark)
                if _needed(sum(map(_ONE.__getitem__, cells)) for cells in spoilers) <= count:
                    needed |= min(spoilers, key=len)
                return needed
        return None

    def _spoilers(self, position: Position, light: int, value: int, dark: Iterable[int]) -> list[set[int]]:
        """For each dark cell that the tile on `light` would fit, the cells on one of which a tile must lie
        lest it fits there: itself, and the ends of its runs."""
        position.tiles[light] = 0
        found = [{cell, *position.ends(cell)} - {light} for cell in dark]
        position.tiles[light] = value
        return found


# --------------------------------------------------------------------------- all turns


def _flags(reach: bytearray, table: bytes) -> int:
    """The cells that a table picks by reach byte, as a set."""
    return int(reach.translate(table), 2)


def _needed(places: Iterable[int]) -> int:
    """At least so many tiles it takes to lie on one cell of each of these sets."""
    count = taken = 0
    for cells in places:
        if not cells & taken:
            count += 1
            taken |= cells
    return count


def _unscored(position: Position, codes: Iterable[int]) -> tuple[int, ...]:
    """The light cells of these placements with no 10, 11 or 12 through them."""
    cells = [code >> 3 for code in codes]
    return tuple(cell for cell in cells if _GLEAM[cell] and not position.scores(cell))


@lru_cache(maxsize=1 << 12)
def _less(values: tuple[int, ...], taken: tuple[int, ...]) -> tuple[int, ...] | None:
    """The values left, sorted, without those taken; None where they are not all there."""
    left = list(values)
    for value in taken:
        if value not in left:
            return None
        left.remove(value)
    return tuple(left)


class _Group(NamedTuple):
    """Some of a turn's tiles, see `_Lister`. codes: the placements, sorted. cells: the set of their cells.
    near: those, and the cells a tile on which would belong to the same group. values: sorted. pending: the
    light cells among them with no 10, 11 or 12 through them."""

    codes: tuple[int, ...]
    cells: int
    near: int
    values: tuple[int, ...]
    pending: tuple[int, ...]


class _Lister:
    """Lists every legal turn once.

    Two empty cells are neighbours if nothing but tiles lies between them, along a row or a column. The tiles
    of a turn fall into groups of neighbours, and groups have nothing to do with each other: no run holds
    tiles of two, and none holds up another. So the groups are listed first (`_grow`), then every way to lay
    several of them together (`_combine`). The most frequent groups, single tiles, go in as sets of cells
    (`_join`), the last one all at once (`_add_last`). Only rule 4's exception looks at the whole board
    (`_excepted`).

    A placement is coded as 8 * cell + value; sets of cells are whole numbers, see `_ONE`.
    """

    __slots__ = (
        "cells_of",
        "club",
        "fits",
        "groups",
        "held",
        "large",
        "near_of",
        "opening",
        "out",
        "plain",
        "root",
        "single",
        "spaced",
        "spoilers",
        "touching",
    )

    def __init__(self, turn: Turn) -> None:
        self.club = turn.club and not turn.opening
        self.opening = turn.opening
        self.out: list[str] = []
        self.held = turn.held
        self.root = root = _position(turn.board)
        self.groups: list[_Group] = []
        self.near_of: dict[int, int] = {}
        self.cells_of: dict[int, list[int]] = {}
        # By value and cells: the texts of one tile on each, without and with a space after them.
        self.plain: list[dict[int, list[str]]] = [{} for _ in range(7)]
        self.spaced: list[dict[int, list[str]]] = [{} for _ in range(7)]
        # By value: where it fits at all, and where it is a legal turn without rule 4's exception.
        self.fits = [0] * 7
        self.single = [0] * 7
        # By value, for each dark cell it fits: the cells on one of which a tile must lie lest it fits there.
        self.spoilers: list[list[int]] = [[] for _ in range(7)]
        if self.opening:
            free = [_EVERYWHERE] * 7
            for value in dict.fromkeys(self.held):
                self._lay(root, (), 0, 0, self.held, free, (), RED, value)
            return
        for value in set(self.held):
            self.fits[value] = _flags(root.reach, _FITS_BITS[value])
            self.single[value] = _flags(root.reach, _GOOD_BITS[value])
            self.spoilers[value] = [
                self._near(cell) for cell in compress(_RANGE, root.reach.translate(_DARK[value]))
            ]
        self._grow(root, (), 0, _EVERYWHERE, self.held, [_EVERYWHERE] * 7, ())
        # Groups of two tiles or more with nothing pending, by values, with their numbers.
        self.large: dict[tuple[int, ...], list[tuple[int, _Group]]] = {}
        self.touching: dict[tuple[int, tuple[int, ...]], list[tuple[_Group, tuple[int, ...]]]] = {}
        for number, group in enumerate(self.groups):
            if len(group.values) > 1 and not group.pending:
                self.large.setdefault(group.values, []).append((number, group))
        if len(self.held) > 1:
            self._join((), 0, self.held, self.held, 0)
            self._combine((), 0, self.held, -1)
            self._excepted()

    # cells and texts

    def _near(self, cell: int) -> int:
        """An empty cell and its neighbours."""
        found = self.near_of.get(cell)
        if found is None:
            found = _ONE[cell]
            for end in self.root.ends(cell):
                found |= _ONE[end]
            self.near_of[cell] = found
        return found

    def _cells(self, flags: int) -> list[int]:
        found = self.cells_of.get(flags)
        if found is None:
            found = self.cells_of[flags] = []
            while flags:
                left = flags.bit_length()
                found.append(SIZE - left)
                flags ^= 1 << (left - 1)
        return found

    def _texts(self, known: dict[int, list[str]], value: int, flags: int, after: str) -> list[str]:
        """Texts of one tile on each of these cells, with `after` behind it, kept in `known`."""
        names = _TOKENS[value]
        found = known[flags] = [names[cell] + after for cell in self._cells(flags)]
        return found

    def _add_last(self, codes: tuple[int, ...], value: int, flags: int) -> None:
        """All turns of `codes` and one tile more, on one of the cells `flags`."""
        out, known = self.out, self.spaced[value]
        head, tail = "", " ".join(map(_text_of, codes))
        for code in codes:
            if here := flags & _BEFORE[code >> 3]:
                texts = known.get(here) or self._texts(known, value, here, " ")
                out += [f"{head}{text}{tail}" for text in texts]
                flags ^= here
                if not flags:
                    return
            text = _HEADS[code]
            head += text
            tail = tail[len(text) :]
        known = self.plain[value]
        out += [head + text for text in known.get(flags) or self._texts(known, value, flags, "")]

    # one group

    def _grow(
        self,
        position: Position,
        codes: tuple[int, ...],
        cells: int,
        near: int,
        rest: tuple[int, ...],
        free: list[int],
        pending: tuple[int, ...],
    ) -> None:
        """All groups that hold `codes` and add tiles of `rest`, of which there is at least one.

        A node's children add one tile, and each bars all siblings before it, so every group is met once.
        free: by value, the cells not barred. pending: light cells laid with no 10, 11 or 12 through them as
        yet. The last tile is not laid: all its cells are read off `reach` at once.
        """
        if len(rest) == 1:
            self._grow_last(position, codes, cells, near, rest[0], free[rest[0]], pending)
            return
        reach = position.reach
        wanted = near ^ cells
        if pending and not self._hopeful(position, cells, len(rest), pending[0]):
            # It becomes part of a 10, 11 or 12 only if one of its two runs grows.
            wanted = sum(_ONE[end] for end in position.ends(pending[0]))
        for value in dict.fromkeys(rest):
            flags = _flags(reach, _FITS_BITS[value]) & wanted & free[value]
            for cell in self._cells(flags):
                self._lay(position, codes, cells, near, rest, free, pending, cell, value)
                free[value] ^= _ONE[cell]

    def _lay(
        self,
        position: Position,
        codes: tuple[int, ...],
        cells: int,
        near: int,
        rest: tuple[int, ...],
        free: list[int],
        pending: tuple[int, ...],
        cell: int,
        value: int,
    ) -> None:
        """The group with one tile more, and all that grow from it."""
        child = position.copy()
        child.lay(cell, value)
        if pending:
            pending = tuple(light for light in pending if not child.scores(light))
        if (code := position.reach[cell]) >= 32 and code - 32 + value < 10:
            pending = (*pending, cell)
        cells |= _ONE[cell]
        near = near | self._near(cell) if codes else self._near(cell)
        codes = tuple(sorted((*codes, 8 * cell + value)))
        left = _without(rest, value)
        if left and not self.opening:
            self.groups.append(_Group(codes, cells, near, _less(self.held, left) or (), pending))
        if pending:
            if not self.opening and self._settled(child, pending):
                self._add(codes, near, left)
        elif len(codes) > 1 and not self.opening:  # `_join` lists the single tiles
            self._add(codes, near, left)
        if left:
            self._grow(child, codes, cells, near, left, free[:] if len(left) > 1 else free, pending)

    def _grow_last(
        self,
        position: Position,
        codes: tuple[int, ...],
        cells: int,
        near: int,
        value: int,
        free: int,
        pending: tuple[int, ...],
    ) -> None:
        """All turns of a group and the last tile held, with it or beside it."""
        reach = position.reach
        free &= near ^ cells
        if pending:
            flags = _flags(reach, _FITS_BITS[value]) & free
            for cell in self._cells(flags):
                if self._settles(position, cell, value, pending):
                    self._add_last(codes, value, _ONE[cell])
            return
        # Rule 4's exception: a tile that fits no dark cell.
        tables = _GOOD_BITS if 1 in reach.translate(_DARK[value]) else _FITS_BITS
        flags = _flags(reach, tables[value]) & free
        if len(codes) > 1:
            flags |= self.single[value] & ~near
        if flags:
            self._add_last(codes, value, flags)

    def _hopeful(self, position: Position, cells: int, count: int, light: int) -> bool:
        """Whether `count` tiles more might leave no dark cell for the tile on `light`, as far as one can see
        without trying."""
        return _needed(self._unspoilt(position.tiles[light], cells ^ _ONE[light])) <= count

    def _unspoilt(self, value: int, cells: int) -> list[int]:
        return [near for near in self.spoilers[value] if not near & cells]

    # several groups

    def _add(self, codes: tuple[int, ...], near: int, left: tuple[int, ...]) -> None:
        """One legal turn that leaves `left` in hand, unless it is laying=club that forbids it."""
        if not (self.club and left and self._extends(codes, near, left)):
            self.out.append(" ".join(map(_text_of, codes)))

    def _join(
        self, codes: tuple[int, ...], near: int, left: tuple[int, ...], rest: tuple[int, ...], last: int
    ) -> None:
        """All turns of `codes` and one or more single tiles of `rest`, laid in order of value, equal ones in
        order of cells. last: the code of the latest, 0 for none. left: all tiles not laid, sorted."""
        for place, value in enumerate(rest):
            if place and value == rest[place - 1]:
                continue
            flags = self.single[value] & ~near
            if value == last & 7:
                flags &= ~_BEFORE[(last >> 3) + 1]
            if not flags:
                continue
            kept = _without(left, value)
            if not (self.club and kept):
                self._add_last(codes, value, flags)
            if not kept:
                continue
            later = rest[place + 1 :]
            if not (self.club or later):
                continue
            if len(later) == 1 and not self.club:
                (other,) = later
                options = self.single[other] & ~near
                for cell in self._cells(flags):
                    fits = options & ~self._near(cell)
                    if other == value:
                        fits &= ~_BEFORE[cell]
                    if fits:
                        self._add_last(tuple(sorted((*codes, 8 * cell + value))), other, fits)
                continue
            for cell in self._cells(flags):
                code = 8 * cell + value
                more = tuple(sorted((*codes, code)))
                beside = near | self._near(cell)
                if self.club:
                    self._add(more, beside, kept)
                if later:
                    self._join(more, beside, kept, later, code)

    def _combine(self, codes: tuple[int, ...], near: int, left: tuple[int, ...], after: int) -> None:
        """All turns of `codes` and one or more groups of two tiles or more, in order of their numbers, which
        are beyond `after`; and any single tiles with them."""
        for values, groups in self.large.items():
            rest = _less(left, values)
            if rest is None:
                continue
            for number, group in groups:
                if number <= after or group.cells & near:
                    continue
                beside = near | group.near
                both = group.codes
                if codes:
                    both = tuple(sorted(codes + both))
                    self._add(both, beside, rest)
                if len(rest) > 1 or (codes and rest):  # `_grow_last` has done the others
                    self._join(both, beside, rest, rest, 0)
                if len(rest) > 1:
                    self._combine(both, beside, rest, number)

    # rule 4's exception

    def _excepted(self) -> None:
        """All turns of several groups in which a tile lies on a light cell unscored."""
        seen: set[tuple[int, ...]] = set()
        for group in self.groups:
            if group.pending:
                light = group.pending[0]
                value = next(code & 7 for code in group.codes if code >> 3 == light)
                unspoilt = self._unspoilt(value, group.cells ^ _ONE[light])
                left = _less(self.held, group.values) or ()
                if _needed(unspoilt) <= len(left):
                    self._spoil(group.codes, group.near, left, unspoilt, seen)

    def _spoil(
        self,
        codes: tuple[int, ...],
        near: int,
        left: tuple[int, ...],
        unspoilt: list[int],
        seen: set[tuple[int, ...]],
    ) -> None:
        """Those of `codes` and more groups, one of them on each of `unspoilt`; and any more with them."""
        for group, rest in self._touching(unspoilt[0] if unspoilt else _EVERYWHERE, left):
            if group.cells & near:
                continue
            both = tuple(sorted(codes + group.codes))
            if both in seen:
                continue
            seen.add(both)
            beside = near | group.near
            still = [place for place in unspoilt if not place & group.cells]
            if not still:
                position = self._position(both)
                if self._settled(position, _unscored(position, both)):
                    self._add(both, beside, rest)
            if rest and _needed(still) <= len(rest):
                self._spoil(both, beside, rest, still, seen)

    def _touching(self, cells: int, left: tuple[int, ...]) -> list[tuple[_Group, tuple[int, ...]]]:
        """The groups of tiles out of `left` with one on some of these cells, and what they leave."""
        found = self.touching.get((cells, left))
        if found is None:
            found = self.touching[cells, left] = [
                (group, rest)
                for group in self.groups
                if group.cells & cells and (rest := _less(left, group.values)) is not None
            ]
        return found

    def _position(self, codes: tuple[int, ...]) -> Position:
        position = self.root.copy()
        for code in codes:
            position.lay(code >> 3, code & 7)
        return position

    def _settled(self, position: Position, pending: Iterable[int]) -> bool:
        """Rule 4 for light cells without a 10, 11 or 12: only the exception can help them."""
        return all(
            position.reach.translate(_DARK[position.tiles[cell]]).count(1) <= 4
            and not position.dark_fits(cell)
            for cell in pending
        )

    def _settles(self, position: Position, cell: int, value: int, pending: tuple[int, ...]) -> bool:
        """Whether laying one tile more leaves every light cell in order."""
        child = position.copy()
        child.lay(cell, value)
        waiting = [light for light in pending if not child.scores(light)]
        if _GLEAM[cell] and not child.scores(cell):
            waiting.append(cell)
        return self._settled(child, waiting)

    def _extends(self, codes: tuple[int, ...], near: int, left: tuple[int, ...]) -> bool:
        """Option laying=club: whether one held tile more would leave a legal turn."""
        if any(self.fits[value] & ~near for value in left) and not any(_GLEAM[code >> 3] for code in codes):
            return True
        position = self._position(codes)
        pending = _unscored(position, codes)
        for value in dict.fromkeys(left):
            fits = position.reach.translate(_FITS[value])
            if 1 not in fits:
                continue
            # A tile that fits somewhere fits a dark cell, or rule 4's exception lets it lie on a light one.
            if not pending or any(
                self._settles(position, cell, value, pending) for cell in compress(_RANGE, fits)
            ):
                return True
        return False


@lru_cache(maxsize=1 << 12)
def _without(values: tuple[int, ...], value: int) -> tuple[int, ...]:
    place = values.index(value)
    return values[:place] + values[place + 1 :]


def list_turns(turn: Turn) -> list[str]:
    """Every legal turn in canonical text, sorted by character code. Grows steeply with the tiles held."""
    found = _Lister(turn).out if turn.held else []
    found.sort()
    if turn.legal(()):
        found.append(KEEP)  # "k" comes after every digit
    return found


def greedy_turn(turn: Turn) -> str:
    """A cheap legal turn: tile after tile where it completes the most, until no tile can be added."""
    if turn.opening:
        return max(list_turns(turn), key=lambda text: (_worth(turn.board, parse_placements(text)), text))
    laid: list[Placement] = []
    while True:
        position = turn.after(laid)
        options = [
            (position.reach[cell] % 32 + value, value, -cell)
            for value in sorted(set(turn.rest(laid)))
            for cell in compress(_RANGE, position.reach.translate(_FITS[value]))
        ]
        for _, value, cell in sorted(options, reverse=True):
            if turn.free((*laid, (-cell, value))):
                laid.append((-cell, value))
                break
        else:
            return placements_text(laid)


def _worth(board: bytes, placements: Sequence[Placement]) -> int:
    tiles = bytearray(board)
    for cell, value in placements:
        tiles[cell] = value
    found = gain(tiles, [cell for cell, _ in placements])
    return found.ten + found.eleven + found.twelve + len(found.crosses)


# --------------------------------------------------------------------------- view


@dataclass(frozen=True, slots=True, kw_only=True)
class ZatreView(View):
    """Zatre as one seat may see it.

    board: value by cell index (see the module). held: this seat's tiles, sorted. hands: by seat, the tiles
    that this viewer may see (its own, its partner's; everybody's at the end), else None. counts: how many
    each holds. bag: how many are left. sheets: by seat, or by pair with option partners (`sheet_of`).
    stage: `lots`, `draw`, `turn`, `blocked` (rule 10's drawing) or `over`. turn: whose turn it is, or who
    draws. drawn: how many tiles were drawn for this turn. fresh: which ones, where this viewer may know.
    must_lay: rule 5. lots: every lots event so far, None for a seat not in it. last: the latest turns
    (seat, canonical text), at most one round, newest last.
    """

    board: bytes
    held: tuple[int, ...]
    hands: tuple[tuple[int, ...] | None, ...]
    counts: tuple[int, ...]
    bag: int
    sheets: tuple[Sheet, ...]
    stage: Stage
    turn: int | None
    drawn: int
    fresh: tuple[int, ...]
    must_lay: bool
    lots: tuple[tuple[int | None, ...], ...]
    last: tuple[tuple[int, str], ...]

    @property
    def partners(self) -> bool:
        return bool(dict(self.options)["partners"])

    @property
    def opening(self) -> bool:
        return self.board == EMPTY

    def sheet_of(self, seat: int) -> int:
        """Index into `sheets` of a seat's sheet."""
        return seat // 2 if self.partners else seat

    def to_turn(self) -> Turn:
        """What decides about this seat's turn."""
        return Turn(self.board, self.held, self.must_lay, dict(self.options)["laying"] == "club")


@dataclass(frozen=True, slots=True)
class Preview:
    """A draft as it stands. fault: why it is no legal turn, None if it is one. gain: what it would score.
    rest: tiles that would stay in hand, sorted."""

    fault: Illegal | None
    gain: Gain
    rest: tuple[int, ...]

    @property
    def legal(self) -> bool:
        return self.fault is None


def _draft(view: ZatreView, draft: str) -> tuple[Placement, ...] | None:
    """The draft's placements; None if it cannot stand on this board with these tiles. Raises Unreadable."""
    placements = parse_placements(draft) if draft else ()
    turn = view.to_turn()
    if view.seat is None or view.seat not in view.actors:
        return None
    if any(view.board[cell] for cell, _ in placements):
        return None
    if Counter(value for _, value in placements) - Counter(view.held):
        return None
    tiles = bytearray(view.board)
    for cell, value in placements:
        tiles[cell] = value
    cells = [cell for cell, _ in placements]
    if _loose(turn.board, cells) or any(run.total >= 13 for run in runs_through(tiles, cells)):
        return None
    return placements


def next_placements(view: ZatreView, draft: str) -> list[Placement]:
    """Every (cell, value) that may be laid next so that `draft` (canonical text, "" for nothing yet) can
    still become a legal turn of `view.seat`. Each touches a tile lying; the opening starts on the red cell.
    [] where the seat may not act or the draft cannot stand. Raises Unreadable."""
    placements = _draft(view, draft)
    return [] if placements is None else view.to_turn().next_placements(placements)


def next_tiles(view: ZatreView, draft: str) -> tuple[int, ...]:
    """The values that may be laid next, sorted; see `next_placements`."""
    return tuple(sorted({value for _, value in next_placements(view, draft)}))


def next_rows(view: ZatreView, draft: str, tile: int) -> tuple[int, ...]:
    """The rows (1-15) with a cell for that tile, sorted; see `next_placements`."""
    return tuple(sorted({cell // WIDTH + 1 for cell, value in next_placements(view, draft) if value == tile}))


def next_cells(view: ZatreView, draft: str, tile: int) -> tuple[str, ...]:
    """The names of the cells where that tile may be laid next, row by row; see `next_placements`."""
    return tuple(NAMES[cell] for cell, value in next_placements(view, draft) if value == tile)


def preview(view: ZatreView, draft: str) -> Preview:
    """What laying exactly `draft` would be (canonical text; "" or `keep` for nothing). Raises Unreadable, and
    NotYours where the seat may not act."""
    placements = parse_placements(draft) if draft else ()
    if view.seat is None or view.seat not in view.actors:
        raise NotYours("over" if view.outcome else "turn")
    turn = view.to_turn()
    fault: Illegal | None = None
    try:
        turn.check(placements)
    except Illegal as error:
        fault = error
    tiles = bytearray(view.board)
    for cell, value in placements:
        tiles[cell] = value
    found = gain(tiles, [cell for cell, _ in placements])
    return Preview(fault, found, turn.rest(placements) if not _short(turn, placements) else turn.held)


def _short(turn: Turn, placements: Sequence[Placement]) -> bool:
    return bool(Counter(value for _, value in placements) - Counter(turn.held))


# --------------------------------------------------------------------------- state


class ZatreState(State[Any]):
    """A position of Zatre. seat: whose turn it is, or who draws next (at the lots: the lowest seat there)."""

    __slots__ = (
        "bag",
        "board",
        "contenders",
        "drawn",
        "due",
        "hands",
        "last",
        "lots",
        "options",
        "players",
        "reason",
        "seat",
        "sheets",
        "stage",
    )

    def __init__(self, players: int, options: dict[str, OptionValue]) -> None:
        self.players = players
        self.options = options
        self.board = EMPTY
        self.bag = list(TILES)  # by value
        self.hands: list[tuple[int, ...]] = [()] * players  # sorted
        self.sheets: list[Sheet] = [Sheet()] * (players // 2 if options["partners"] else players)
        self.stage: Stage = "lots"
        self.seat = 0
        self.contenders: tuple[int, ...] = tuple(range(players))
        self.lots: tuple[tuple[int | None, ...], ...] = ()
        self.due = 0  # tiles in the draw event that comes next
        self.drawn: tuple[int, ...] = ()  # by the seat on turn, for this turn
        self.last: tuple[tuple[int, str], ...] = ()
        self.reason = ""

    # who and what is due

    def actors(self) -> tuple[int, ...]:
        return (self.seat,) if self.stage == "turn" else ()

    def turn(self) -> int:
        """By the tiles that have left the bag, then by those laid: what a turn does not draw it must lay
        (rule 5). One that draws and keeps all may be followed by one that draws nothing."""
        laid = SIZE - self.board.count(0)
        return 2 * ((sum(TILES) - sum(self.bag)) * SIZE + laid) + (not self.drawn)

    def chance_due(self) -> bool:
        return self.stage in ("lots", "draw", "blocked")

    def draw(self, chance: Generator) -> Event:
        bag = [value for value in VALUES for _ in range(self.bag[value])]
        if self.stage == "lots":
            drawn = iter(chance.sample(bag, len(self.contenders)))
            words = [str(next(drawn)) if seat in self.contenders else "-" for seat in range(self.players)]
            return Event("chance", "lots " + " ".join(words))
        if not self.chance_due():
            raise ValueError("no chance is due")
        tiles = sorted(chance.sample(bag, self.due))
        return Event("chance", "draw " + " ".join(map(str, tiles)), self.seat)

    def outcome(self) -> Outcome | None:
        if self.stage != "over":
            return None
        minus = [0] * len(self.sheets)
        for seat, hand in enumerate(self.hands):
            minus[self._sheet(seat)] += sum(hand)
        totals = [sheet_total(sheet.rows(), held) for sheet, held in zip(self.sheets, minus, strict=True)]
        scores = tuple(totals[self._sheet(seat)] for seat in range(self.players))
        best = max(scores)
        winners = tuple(seat for seat, score in enumerate(scores) if score == best)
        return Outcome(scores, winners, self.reason)

    def _sheet(self, seat: int) -> int:
        return seat // 2 if self.options["partners"] else seat

    # moves

    def _turn(self) -> Turn:
        return Turn(self.board, self.hands[self.seat], self._must_lay(), self.options["laying"] == "club")

    def _must_lay(self) -> bool:
        return self.stage == "turn" and not self.drawn

    def lists(self, seat: int) -> bool:
        return seat not in self.actors() or len(self.hands[seat]) <= MOST_LISTED

    def legal(self, seat: int) -> list[str]:
        if seat not in self.actors():
            return []
        if not self.lists(seat):
            raise ValueError("too many tiles held to list the turns")
        return list_turns(self._turn())

    def check(self, seat: int, move: str) -> None:
        placements = parse_placements(move)
        if seat not in self.actors():
            raise NotYours("over" if self.stage == "over" else "turn")
        self._turn().check(placements)

    def read(self, seat: int, text: str) -> str:
        return _read(text)

    def random_move(self, seat: int, chance: Generator) -> str:
        """Uniform over the list where there is one; else tile by tile, each step, stopping among them, being
        equally likely."""
        if self.lists(seat):
            return chance.choice(self.legal(seat))
        turn = self._turn()
        laid: tuple[Placement, ...] = ()
        while True:
            steps: list[Placement | None] = list(turn.next_placements(laid))
            if turn.legal(laid):
                steps.append(None)
            if not steps:  # with many tiles held, what follows may not be seen (see `_Completion`)
                return greedy_turn(turn)
            step = chance.choice(steps)
            if step is None:
                return placements_text(laid)
            laid = tuple(sorted((*laid, step)))

    def stand_in(self, seat: int) -> str:
        """Lays tile after tile where it completes the most until nothing can be added."""
        if seat not in self.actors():
            raise NotYours("over" if self.stage == "over" else "turn")
        return greedy_turn(self._turn())

    # forward

    def apply(self, event: Event) -> None:
        if self.stage == "over":
            raise Extra("over")
        if event.kind == "move":
            self._apply_move(event)
        elif event.kind == "chance":
            self._apply_chance(event)
        else:
            raise Unreadable("move")

    def _seated(self, player: int | None) -> bool:
        return isinstance(player, int) and not isinstance(player, bool) and 0 <= player < self.players

    def _apply_move(self, event: Event) -> None:
        placements = parse_placements(event.text)
        if not self._seated(event.player):
            raise Unreadable("move")
        if self.chance_due():
            raise Missing("chance")
        if event.player != self.seat:
            raise NotYours("turn")
        turn = self._turn()
        position = turn.check(placements)
        if placements:
            sheet = self._sheet(self.seat)
            found = gain(position.tiles, [cell for cell, _ in placements])
            self.sheets[sheet] = self.sheets[sheet].with_gain(found)
            self.board = bytes(position.tiles)
            _remember(self.board, position)
        self.hands[self.seat] = turn.rest(placements)
        self.last = (*self.last, (self.seat, event.text))[-self.players :]
        self.drawn = ()
        if not any(self.bag):
            self._end("bag empty")
        elif not position.fits((1,)):
            self.seat = (self.seat + 1) % self.players
            self.stage, self.due = "blocked", 1  # rule 10
        else:
            self._begin((self.seat + 1) % self.players)

    def _begin(self, seat: int) -> None:
        """Rule 5: what the next seat draws."""
        self.seat = seat
        kept = self.hands[seat]
        fits = len(kept) >= 2 and _position(self.board).fits(set(kept))
        wanted = 0 if fits else max(2 - len(kept), 1)
        self.due = min(wanted, sum(self.bag))
        self.stage = "draw" if self.due else "turn"

    def _end(self, reason: str) -> None:
        self.stage, self.reason, self.due = "over", reason, 0

    def _apply_chance(self, event: Event) -> None:
        kind, tiles = _parse_chance(event.text)
        if (event.player is not None) if kind == "lots" else not self._seated(event.player):
            raise Unreadable("chance")
        if not self.chance_due():
            raise Extra("chance")
        if kind == "lots":
            if self.stage != "lots":
                raise Missing("other_chance")
            self._apply_lots(tiles)
        else:
            if self.stage == "lots" or event.player != self.seat:
                raise Missing("other_chance")
            self._apply_draw(cast("tuple[int, ...]", tiles))

    def _apply_lots(self, tiles: tuple[int | None, ...]) -> None:
        """Rule 1. One lot for each seat never asks for more equal tiles than there are."""
        if len(tiles) != self.players:
            raise Impossible("lots_count", game=ID, rule="1", n=self.players)
        if tuple(seat for seat, tile in enumerate(tiles) if tile is not None) != self.contenders:
            raise Impossible("lots_seats", game=ID, rule="1")
        self.lots = (*self.lots, tiles)
        best = max(tile for tile in tiles if tile is not None)
        self.contenders = tuple(seat for seat, tile in enumerate(tiles) if tile == best)
        self.seat = self.contenders[0]
        if len(self.contenders) == 1:
            self.hands[self.seat] = (best,)
            self.bag[best] -= 1
            self.stage, self.due = "draw", 2

    def _apply_draw(self, tiles: tuple[int, ...]) -> None:
        if len(tiles) != self.due:
            raise Impossible("draw_count", game=ID, rule="5", n=self.due)
        for value in set(tiles):
            if tiles.count(value) > self.bag[value]:
                raise Impossible("bag", game=ID, tile=value)
        for value in tiles:
            self.bag[value] -= 1
        self.hands[self.seat] = tuple(sorted((*self.hands[self.seat], *tiles)))
        if self.stage == "draw":
            self.stage, self.due, self.drawn = "turn", 0, tiles
        elif any(self.bag):
            self.seat = (self.seat + 1) % self.players
        else:
            self._end("no tile fits")

    # seeing

    def _sees(self, viewer: int | None, seat: int) -> bool:
        """Whether `viewer` may see the tiles `seat` holds."""
        if viewer is None:
            return False
        return viewer == seat or (bool(self.options["partners"]) and viewer // 2 == seat // 2)

    def view(self, seat: int | None) -> ZatreView:
        outcome = self.outcome()
        over = outcome is not None
        standing = [sheet.total for sheet in self.sheets]
        return ZatreView(
            seat=seat,
            players=self.players,
            options=tuple(self.options.items()),
            actors=self.actors(),
            outcome=outcome,
            scores=outcome.scores
            if outcome
            else tuple(standing[self._sheet(player)] for player in range(self.players)),
            board=self.board,
            held=self.hands[seat] if seat is not None else (),
            hands=tuple(
                hand if over or self._sees(seat, owner) else None for owner, hand in enumerate(self.hands)
            ),
            counts=tuple(map(len, self.hands)),
            bag=sum(self.bag),
            sheets=tuple(self.sheets),
            stage=self.stage,
            turn=None if self.stage in ("lots", "over") else self.seat,
            drawn=len(self.drawn),
            fresh=self.drawn if self._sees(seat, self.seat) else (),
            must_lay=self._must_lay(),
            lots=self.lots,
            last=self.last,
        )

    def redact(self, events: Sequence[Event], seat: int | None) -> list[Event]:
        return [
            Event("chance", " ".join(["draw"] + ["?"] * (len(event.text.split()) - 1)), event.player)
            if event.kind == "chance" and event.player is not None and not self._sees(seat, event.player)
            else event
            for event in events
        ]

    # text and checks

    def to_json(self) -> dict[str, JSON]:
        return {
            "schema": ZatreGame.schema,
            "players": self.players,
            "options": dict(self.options),
            "board": [
                "".join(str(self.board[row * WIDTH + column] or ".") for column in range(SIDE))
                for row in range(SIDE)
            ],
            "bag": list(self.bag[1:]),
            "hands": [list(hand) for hand in self.hands],
            "sheets": [
                {
                    "tens": list(sheet.tens),
                    "elevens": list(sheet.elevens),
                    "twelves": list(sheet.twelves),
                    "crosses": sheet.crosses,
                }
                for sheet in self.sheets
            ],
            "stage": self.stage,
            "seat": self.seat,
            "contenders": list(self.contenders),
            "lots": [list(lots) for lots in self.lots],
            "due": self.due,
            "drawn": list(self.drawn),
            "last": [[seat, text] for seat, text in self.last],
            "reason": self.reason,
        }

    def clone(self) -> ZatreState:
        twin = object.__new__(ZatreState)
        for name in ZatreState.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.options = dict(self.options)
        twin.bag = self.bag[:]
        twin.hands = self.hands[:]
        twin.sheets = self.sheets[:]
        return twin

    def faults(self) -> list[str]:
        return [*self._tile_faults(), *self._board_faults(), *self._sheet_faults(), *self._stage_faults()]

    def _tile_faults(self) -> Iterator[str]:
        for value in VALUES:
            held = sum(hand.count(value) for hand in self.hands)
            there = self.board.count(value) + self.bag[value] + held
            if there != TILES[value]:
                yield f"{there} tiles of value {value} instead of {TILES[value]}"
        if any(list(hand) != sorted(hand) for hand in self.hands):
            yield "a hand is not sorted"
        if any(count < 0 for count in self.bag):
            yield "the bag holds fewer than none of a tile"

    def _board_faults(self) -> Iterator[str]:
        tiles = [cell for cell in range(SIZE) if self.board[cell]]
        if not tiles:
            return
        if any(cell not in NAMES for cell in tiles):
            yield "a tile lies where there is no cell"
        if not self.board[RED]:
            yield "the red cell is empty"
        group, front = {tiles[0]}, [tiles[0]]
        while front:
            cell = front.pop()
            for step in _STEPS:
                beside = (cell + step) % SIZE
                if self.board[beside] and beside not in group:
                    group.add(beside)
                    front.append(beside)
        if len(group) < len(tiles):
            yield "the tiles do not hang together"
        for names, width in (("row", 1), ("column", WIDTH)):
            for start in range(0, SIZE, WIDTH) if width == 1 else range(WIDTH):
                line = "".join(str(self.board[start + place * width]) for place in range(WIDTH))
                if any(sum(map(int, run)) >= 13 for run in line.split("0")):
                    yield f"a run of 13 or more in {names} {start // WIDTH + 1 if width == 1 else start + 1}"

    def _sheet_faults(self) -> Iterator[str]:
        if len(self.sheets) != (self.players // 2 if self.options["partners"] else self.players):
            yield "the number of sheets is wrong"
        for number, sheet in enumerate(self.sheets):
            for column, points in ((sheet.tens, 1), (sheet.elevens, 2), (sheet.twelves, 4)):
                if any(box < points or box % points for box in column):
                    yield f"sheet {number} has a box that is no multiple of {points}"
        covered = sum(1 for cell in LIGHT if self.board[cell])
        if sum(sheet.crosses for sheet in self.sheets) > covered:
            yield "there are more crosses than light cells covered"

    def _stage_faults(self) -> Iterator[str]:
        bag = sum(self.bag)
        if not 0 <= self.seat < self.players:
            yield "the seat on turn does not exist"
            return
        if any(not 0 <= seat < self.players for seat, _ in self.last) or len(self.last) > self.players:
            yield "the latest turns are not those of one round"
        hand = self.hands[self.seat]
        if self.stage == "lots":
            if self.board != EMPTY or any(self.hands) or self.due:
                yield "lots are drawn after the game has begun"
            if len(self.contenders) < 2:
                yield "fewer than two draw lots"
        elif len(self.contenders) != 1:
            yield "the first turn is nobody's"
        if (self.stage in ("draw", "blocked")) != bool(self.due) or self.due > bag:
            yield "the number of tiles to draw is wrong"
        if self.drawn and (self.stage != "turn" or Counter(self.drawn) - Counter(hand)):
            yield "the tiles drawn for this turn are not held"
        if self.stage == "turn" and not hand:
            yield "a turn without tiles"
        if self.stage == "turn" and self.board == EMPTY and len(hand) != 3:
            yield "an opening without three tiles"
        if self.stage == "over" and (bag or self.reason not in ZatreGame.reasons):
            yield "the game is over with tiles in the bag, or without a reason"
        if self.stage != "over" and self.reason:
            yield "a reason before the end"
        if self.stage not in ("over", "turn") and not bag:
            yield "the bag is empty and the game goes on"
        if self.stage == "blocked" and Position.of(self.board).fits((1,)):
            yield "blocked, though a 1 fits"


# --------------------------------------------------------------------------- game


class ZatreGame(Game[Any]):
    id = ID
    min_seats = 2
    max_seats = 6
    option_list = (
        Option("laying", "choice", "free", choices=("free", "club")),
        Option("partners", "flag", False),
    )
    hidden_hands = True
    reasons = ("bag empty", "no tile fits")

    def check_options(
        self, players: int, given: Mapping[str, object], full: Mapping[str, OptionValue]
    ) -> None:
        if full["partners"] and players not in (4, 6):
            raise SetupError("partners", game=ID, given=players)

    def start(self, players: int, options: Mapping[str, object]) -> ZatreState:
        return ZatreState(players, self.options_for(players, options))

    def load(self, data: Mapping[str, Any]) -> ZatreState:
        try:
            return self._load(data)
        except (KeyError, TypeError, IndexError, AttributeError, SetupError, Unreadable) as error:
            raise ValueError(f"no state of {ID}: {error!r}") from error

    def _load(self, data: Mapping[str, Any]) -> ZatreState:
        if data["schema"] != self.schema:
            raise ValueError(f"schema {data['schema']!r} is not known")
        state = self.start(data["players"], data["options"])
        rows = data["board"]
        if len(rows) != SIDE or any(not re.fullmatch("[.1-6]{15}", row) for row in rows):
            raise ValueError("the board is not 15 rows of 15 places")
        tiles = bytearray(SIZE)
        for row, line in enumerate(rows):
            for column, tile in enumerate(line):
                if tile != ".":
                    if not _EXISTS[row * WIDTH + column]:
                        raise ValueError("a tile lies where there is no cell")
                    tiles[row * WIDTH + column] = int(tile)
        state.board = bytes(tiles)
        state.bag = [0, *_numbers(data["bag"], 0, max(TILES), length=6)]
        hands = data["hands"]
        if len(hands) != state.players:
            raise ValueError("not one hand for each seat")
        state.hands = [_numbers(hand, 1, 6) for hand in hands]
        if len(data["sheets"]) != len(state.sheets):
            raise ValueError("the number of sheets is wrong")
        state.sheets = [
            Sheet(
                _numbers(sheet["tens"], 1, TOTAL),
                _numbers(sheet["elevens"], 1, 2 * TOTAL),
                _numbers(sheet["twelves"], 1, 4 * TOTAL),
                _numbers([sheet["crosses"]], 0, len(LIGHT))[0],
            )
            for sheet in data["sheets"]
        ]
        stage = data["stage"]
        if stage not in ("lots", "draw", "turn", "blocked", "over"):
            raise ValueError("the stage is not known")
        state.stage = stage
        state.seat = _numbers([data["seat"]], 0, state.players - 1)[0]
        state.contenders = _numbers(data["contenders"], 0, state.players - 1)
        if not state.contenders:
            raise ValueError("nobody is in the lots")
        state.lots = tuple(
            tuple(None if tile is None else _numbers([tile], 1, 6)[0] for tile in lots)
            for lots in data["lots"]
        )
        if any(len(lots) != state.players for lots in state.lots):
            raise ValueError("not one lot for each seat")
        state.due = _numbers([data["due"]], 0, 2)[0]
        state.drawn = _numbers(data["drawn"], 1, 6)
        state.last = tuple((_numbers([seat], 0, state.players - 1)[0], text) for seat, text in data["last"])
        for _, text in state.last:
            parse_placements(text)
        if data["reason"] not in ("", *self.reasons):
            raise ValueError("the reason is not known")
        state.reason = data["reason"]
        return state

    # from the view alone

    def lists(self, view: ZatreView) -> bool:
        """Whether `legal(view)` can be listed."""
        return view.seat not in view.actors or len(view.held) <= MOST_LISTED

    def legal(self, view: View) -> list[str]:
        assert isinstance(view, ZatreView)
        if view.seat is None or view.seat not in view.actors:
            return []
        if not self.lists(view):
            raise ValueError("too many tiles held to list the turns")
        return list_turns(view.to_turn())

    def check(self, view: View, move: str) -> None:
        assert isinstance(view, ZatreView)
        placements = parse_placements(move)
        if view.seat is None or view.seat not in view.actors:
            raise NotYours("over" if view.outcome else "turn")
        view.to_turn().check(placements)

    # words

    def board_text(self, view: View, names: Sequence[str], say: Say) -> str:
        assert isinstance(view, ZatreView)
        lines = [*self._standing_text(view, names, say)]
        if view.opening:
            lines.append(say("zatre.text.board_empty", cell=NAMES[RED]))
        else:
            lines.append(say("zatre.text.board"))
            for row in range(SIDE):
                cells = [cell for cell in range(row * WIDTH, row * WIDTH + SIDE) if view.board[cell]]
                if cells:
                    tiles = ", ".join(f"{NAMES[cell]} {view.board[cell]}" for cell in cells)
                    lines.append(say("zatre.text.row", row=row + 1, tiles=tiles))
        for seat, turn in view.last:
            lines.append(say("zatre.text.last", turn=self._turn_words(seat, turn, names, say)))
        lines.extend(self._sheet_text(view, names, say))
        return "\n".join(lines)

    def _standing_text(self, view: ZatreView, names: Sequence[str], say: Say) -> Iterator[str]:
        if view.outcome:
            winners = ", ".join(names[seat] for seat in view.outcome.winners)
            reason = say(f"zatre.reason.{view.outcome.reason.replace(' ', '_')}")
            yield say("zatre.text.over", winners=winners, reason=reason)
        elif view.stage == "lots":
            yield say("zatre.text.lots_due")
        else:
            assert view.turn is not None
            yield say(f"zatre.text.{view.stage}", name=names[view.turn])
            if view.stage == "turn" and view.opening:
                yield say("zatre.text.opening", cell=NAMES[RED])
            elif view.must_lay:
                yield say("zatre.text.must_lay")
        if view.opening:
            for lots in view.lots:
                yield self._lots_words(lots, names, say)
        yield say("zatre.text.bag", n=view.bag)
        for seat in range(view.players):
            hand = view.hands[seat]
            if hand is None:
                yield say("zatre.text.holds_count", name=names[seat], n=view.counts[seat])
            elif hand:
                tiles = ", ".join(map(str, hand))
                yield say("zatre.text.holds", name=names[seat], tiles=tiles)
            else:
                yield say("zatre.text.holds_count", name=names[seat], n=0)
        if view.fresh and view.turn is not None:
            tiles = ", ".join(map(str, view.fresh))
            yield say("zatre.text.fresh", name=names[view.turn], tiles=tiles)
        elif view.drawn and view.turn is not None:
            yield say("zatre.text.drawn", name=names[view.turn], n=view.drawn)

    def _sheet_text(self, view: ZatreView, names: Sequence[str], say: Say) -> Iterator[str]:
        for number, sheet in enumerate(view.sheets):
            owners = [seat for seat in range(view.players) if view.sheet_of(seat) == number]
            name = " + ".join(names[seat] for seat in owners)
            yield say("zatre.text.sheet", name=name, total=view.scores[owners[0]])
            for row in sheet.rows():
                boxes = [
                    say("zatre.text.no_box") if box is None else str(box)
                    for box in (row.ten, row.eleven, row.twelve)
                ]
                yield say(
                    "zatre.text.sheet_row_crossed" if row.cross else "zatre.text.sheet_row",
                    row=row.number,
                    ten=boxes[0],
                    eleven=boxes[1],
                    twelve=boxes[2],
                    bonus=row.bonus,
                    total=row.total,
                )
            minus = sum(sum(view.hands[seat] or ()) for seat in owners)
            if view.outcome and minus:
                yield say("zatre.text.minus", minus=minus)

    def _lots_words(self, lots: Sequence[int | None], names: Sequence[str], say: Say) -> str:
        words = [
            say("zatre.event.lot", name=names[seat], tile=tile)
            for seat, tile in enumerate(lots)
            if tile is not None
        ]
        return say("zatre.event.lots", lots=", ".join(words))

    def _turn_words(self, seat: int, text: str, names: Sequence[str], say: Say) -> str:
        placements = parse_placements(text)
        if not placements:
            return say("zatre.event.keep", name=names[seat])
        tiles = ", ".join(say("zatre.event.tile", tile=value, cell=NAMES[cell]) for cell, value in placements)
        return say("zatre.event.turn", name=names[seat], tiles=tiles)

    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        """One sentence for an event, redacted or not. Raises Unreadable for text of no event of this game."""
        if event.kind == "move":
            if event.player is None:
                raise Unreadable("move")
            return self._turn_words(event.player, event.text, names, say)
        if event.player is not None and re.fullmatch(r"draw(?: \?)+", event.text):
            return say("zatre.event.draw_hidden", name=names[event.player], n=event.text.count("?"))
        kind, tiles = _parse_chance(event.text)
        if kind == "lots":
            return self._lots_words(tiles, names, say)
        if event.player is None:
            raise Unreadable("chance")
        return say("zatre.event.draw", name=names[event.player], tiles=", ".join(map(str, tiles)))


def _numbers(found: Any, least: int, most: int, length: int | None = None) -> tuple[int, ...]:
    """A list of whole numbers in a range, as a tuple. Raises ValueError."""
    if (
        not isinstance(found, list)
        or any(isinstance(n, bool) or not isinstance(n, int) or not least <= n <= most for n in found)
        or (length is not None and len(found) != length)
    ):
        raise ValueError(f"not whole numbers from {least} to {most}: {found!r}"[:200])
    return tuple(found)


GAME = ZatreGame()
ZatreState.game = GAME  # type: ignore[misc]
