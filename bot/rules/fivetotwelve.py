"""5 vor 12 (Michael Schacht), also sold as Lucky Numbers. Rule numbers are those of the game's page.

Cells are numbered column by column (A1, A2, … D4), which is also their order as text; 0 is a free cell.
Nothing is hidden but the order of the face-down stock, so the stock is kept as counts by number and a
reveal draws from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Any, ClassVar, Literal, NamedTuple

from .chance import Generator
from .errors import Extra, Illegal, Impossible, Missing, NotYours, RulesError, Unreadable
from .game import JSON, Event, Game, Option, OptionValue, Outcome, Say, State, View

ID = "fivetotwelve"
SIDE = 4
SIZE = SIDE * SIDE
TOP = 20  # tiles are numbered 1..TOP, one set per player
CELLS = tuple(f"{column}{row}" for column in "ABCD" for row in range(1, SIDE + 1))
INDEX = {name: cell for cell, name in enumerate(CELLS)}
DIAGONAL = tuple(index * SIDE + index for index in range(SIDE))  # A1, B2, C3, D4
IDLE_PER_PLAYER = 10  # turns in a row without a reveal, per player, before 2b closes
WINNER_POINTS = 2  # rule 6

Phase = Literal["first", "deal", "place", "turn", "reveal", "hand", "over"]
PHASES: tuple[Phase, ...] = ("first", "deal", "place", "turn", "reveal", "hand", "over")
_CHANCE_KIND: dict[str, str] = {"first": "first", "deal": "deal", "reveal": "reveal"}
_ONE_SEAT = ("turn", "reveal", "hand")
SOURCES = ("set-up", "stock", "middle")
Board = Sequence[int]
_COLUMNS = tuple(tuple(range(start, start + SIDE)) for start in range(0, SIZE, SIDE))
_ROWS = tuple(tuple(range(row, SIZE, SIDE)) for row in range(SIDE))


# --------------------------------------------------------------------------- moves as values


class Move(NamedTuple):
    """A move taken apart. kind: "draw", "leave", "lay" (the tile in hand), "take" (from the middle) or
    "four" (the whole diagonal at once). tiles and cells go together; cells are indexes into CELLS."""

    kind: str
    tiles: tuple[int, ...] = ()
    cells: tuple[int, ...] = ()


_LAY = tuple(tuple(f"{tile}@{name}" for name in CELLS) for tile in range(TOP + 1))
_TAKE = tuple(tuple(f"take {text}" for text in row) for row in _LAY)
_BY_TEXT = tuple(sorted(range(1, TOP + 1), key=lambda tile: f"{tile}@"))  # tiles in character order
_MOVES: dict[str, Move] = {"draw": Move("draw"), "leave": Move("leave")}
for _tile in range(1, TOP + 1):
    for _cell in range(SIZE):
        _MOVES[_LAY[_tile][_cell]] = Move("lay", (_tile,), (_cell,))
        _MOVES[_TAKE[_tile][_cell]] = Move("take", (_tile,), (_cell,))


def _by_mask(texts: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """For every set of eight neighbouring cells, as bits, the texts of those cells in order."""
    found: list[tuple[str, ...]] = [()]
    for mask in range(1, 256):
        lowest = (mask & -mask).bit_length() - 1
        found.append((texts[lowest], *found[mask & mask - 1]))
    return tuple(found)


# Legal lists are put together from these, by tile: the moves to the cells of columns A and B, and of C and D.
_TAKE_LEFT = tuple(_by_mask(texts[:8]) for texts in _TAKE)
_TAKE_RIGHT = tuple(_by_mask(texts[8:]) for texts in _TAKE)

_TILE = "(1[0-9]|20|[1-9])"
_FOUR = re.compile(" ".join(f"{_TILE}@{CELLS[cell]}" for cell in DIAGONAL))
_TYPED_TILE = re.compile(f"{_TILE}@([A-D][1-4])")
_NUMBER = "(?:0|[1-9][0-9]*)"
_CHANCE = re.compile(f"(first|deal|reveal)((?: {_NUMBER})+)")
_LONGEST = 200  # characters; nothing of this game comes near


def parse(text: object) -> Move:
    """The move a canonical text stands for. Raises Unreadable."""
    if isinstance(text, str):
        move = _MOVES.get(text)
        if move is not None:
            return move
        if len(text) <= _LONGEST and (four := _FOUR.fullmatch(text)):
            return Move("four", tuple(int(tile) for tile in four.groups()), DIAGONAL)
    raise Unreadable("move")


_COMMON_CHANCE = {
    f"{kind} {number}": (kind, (number,)) for kind in ("first", "deal", "reveal") for number in range(TOP + 1)
}


def _parse_chance(text: object) -> tuple[str, tuple[int, ...]]:
    """Kind and numbers of a chance text. Raises Unreadable."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise Unreadable("chance")
    if common := _COMMON_CHANCE.get(text):
        return common
    if not (found := _CHANCE.fullmatch(text)):
        raise Unreadable("chance")
    words = found[2].split()
    if found[1] != "deal" and len(words) != 1:
        raise Unreadable("chance")
    # No tile or seat has more than two digits; longer numbers are readable and never possible.
    numbers = tuple(int(word) if len(word) <= 9 else 10**9 for word in words)
    if list(numbers) != sorted(numbers):
        raise Unreadable("chance")
    return found[1], numbers


# --------------------------------------------------------------------------- the board


def fits(board: Board) -> bytes:
    """Which tiles may lie where: byte 2 * tile has bit `cell` set for the cells of columns A and B, the next
    byte for C and D, when the tile fits all others of the cell's row and column (rule 4). The cell's own
    tile does not count: it would be exchanged."""
    a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q = board
    columns = (
        _line(1, a, b, c, d)
        | _line(1, e, f, g, h) << 4
        | _line(1, i, j, k, m) << 8
        | _line(1, n, o, p, q) << 12
    )
    rows = (
        _line(4, a, e, i, n)
        | _line(4, b, f, j, o) << 1
        | _line(4, c, g, k, p) << 2
        | _line(4, d, h, m, q) << 3
    )
    return (columns & rows).to_bytes(2 * TOP + 2, "little")


# Bit 16 * tile for every tile below a number.
_BELOW = tuple(sum(1 << SIZE * tile for tile in range(high)) for high in range(TOP + 2))


@lru_cache(maxsize=1 << 15)
def _line(stride: int, a: int, b: int, c: int, d: int) -> int:
    """For one line by itself, its four cells `stride` bits apart: bit 16 * tile + stride * place is set
    when the tile fits there. There are 10,626 rising lines."""
    line, found = (a, b, c, d), 0
    for place in range(SIDE):
        low = max(line[:place], default=0)
        high = min((tile for tile in line[place + 1 :] if tile), default=TOP + 1)
        found |= (_BELOW[high] & ~_BELOW[low + 1]) << stride * place
    return found


def fitting(board: Board, tile: int) -> list[int]:
    """Cells on which `tile` may lie, free ones and exchanges alike (rules 2a and 4)."""
    return _cells(fits(board), tile)


def _cells(fit: bytes, tile: int) -> list[int]:
    mask = fit[2 * tile] | fit[2 * tile + 1] << 8
    return [cell for cell in range(SIZE) if mask >> cell & 1]


def _clash(board: Board, tile: int, cell: int) -> Illegal:
    """Why `tile` may not lie on `cell`: the first tile of its row, then of its column, in its way."""
    column, row = divmod(cell, SIDE)
    lines = (("row", _ROWS[row]), ("column", _COLUMNS[column]))
    code, other = next(
        (code, other)
        for code, line in lines
        for other in line
        if other != cell and board[other] and (board[other] >= tile if other < cell else board[other] <= tile)
    )
    names = {"cell": CELLS[cell], "other": CELLS[other]}
    return Illegal(code, game=ID, rule="4", tile=tile, number=board[other], **names)


def _lucky(board: Board, cell: int) -> bool:
    """Whether an equal number lies on the lower left or upper right of `cell` (option bruno)."""
    column, row = divmod(cell, SIDE)
    return (column > 0 and row < SIDE - 1 and board[cell - SIDE + 1] == board[cell]) or (
        column < SIDE - 1 and row > 0 and board[cell + SIDE - 1] == board[cell]
    )


def _filled(board: Board) -> int:
    return SIZE - list(board).count(0)


# --------------------------------------------------------------------------- legality, of state and view


class _Choice(NamedTuple):
    """What decides which moves one seat has: all of it public."""

    phase: str
    setup: str
    board: Board
    fit: bytes  # `fits(board)`
    wave: Sequence[int]  # tiles still to be laid in set-up
    hand: int  # the revealed tile, 0 if none
    middle: Sequence[int]  # face-up tiles, counted by number
    may_take: bool  # 2b is not closed


def _list(choice: _Choice) -> list[str]:
    """Every legal move, sorted by character code."""
    if choice.phase == "place":
        if choice.setup == "free":
            orders = sorted({tuple(order) for order in permutations(choice.wave)})
            return sorted(_four_text(order) for order in orders)
        (tile,) = choice.wave
        return [_LAY[tile][cell] for cell in DIAGONAL if not choice.board[cell]]
    if choice.phase == "hand":
        texts = _LAY[choice.hand]
        return [*(texts[cell] for cell in _cells(choice.fit, choice.hand)), "leave"]
    moves = ["draw"]
    if choice.may_take:
        fit, middle = choice.fit, choice.middle
        for tile in _BY_TEXT:
            if middle[tile]:
                moves += _TAKE_LEFT[tile][fit[2 * tile]]
                moves += _TAKE_RIGHT[tile][fit[2 * tile + 1]]
    return moves


def _four_text(tiles: Sequence[int]) -> str:
    return " ".join(_LAY[tile][cell] for tile, cell in zip(tiles, DIAGONAL, strict=True))


def _judge(choice: _Choice, move: Move) -> None:
    """Nothing if `move` is legal. Raises Illegal."""
    if choice.phase == "place":
        _judge_setup(choice, move)
        return
    if move.kind == "four":
        raise Illegal("setup_over", game=ID, rule="1")
    if choice.phase == "hand":
        if move.kind in {"draw", "take"}:
            raise Illegal("hand_first", game=ID, rule="2a", tile=choice.hand)
        if move.kind == "leave":
            return
        if move.tiles[0] != choice.hand:
            raise Illegal("other_tile", game=ID, rule="2a", tile=move.tiles[0], hand=choice.hand)
    else:
        if move.kind == "draw":
            return
        if move.kind != "take":
            raise Illegal("nothing_revealed", game=ID, rule="2")
        if not choice.may_take:
            raise Illegal("closed", game=ID, rule="2b")
        if not choice.middle[move.tiles[0]]:
            raise Illegal("not_in_middle", game=ID, rule="2b", tile=move.tiles[0])
    (tile,), (cell,) = move.tiles, move.cells
    if not choice.fit[2 * tile + (cell >> 3)] >> (cell & 7) & 1:
        raise _clash(choice.board, tile, cell)


def _judge_setup(choice: _Choice, move: Move) -> None:
    if move.kind not in {"lay", "four"}:
        raise Illegal("setup_first", game=ID, rule="1")
    if (move.kind == "four") != (choice.setup == "free"):
        raise Illegal("all_four" if choice.setup == "free" else "one_at_a_time", game=ID, rule="1")
    if move.kind == "four":
        if sorted(move.tiles) != sorted(choice.wave):
            raise Illegal(
                "other_four", game=ID, rule="1", tiles=", ".join(str(tile) for tile in sorted(choice.wave))
            )
        return
    if move.tiles[0] != choice.wave[0]:
        raise Illegal("other_tile", game=ID, rule="1", tile=move.tiles[0], hand=choice.wave[0])
    if move.cells[0] not in DIAGONAL:
        raise Illegal("diagonal", game=ID, rule="1", cell=CELLS[move.cells[0]])
    if choice.board[move.cells[0]]:
        raise Illegal("laid", game=ID, rule="1", cell=CELLS[move.cells[0]])


# --------------------------------------------------------------------------- view


class Placement(NamedTuple):
    """What a seat did last with a tile. source: "set-up", "stock" or "middle"; cells: where the tile (in
    set-up variants all four) was laid, () when it was left in the middle; replaced: the number that was
    exchanged away, 0 for none."""

    source: str
    tile: int
    cells: tuple[str, ...]
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class GameResult:
    """One finished game of a series. filled: cells filled by seat; points: what each seat scored (rule 6)."""

    filled: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str
    points: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FiveView(View):
    """Everything but the order of the stock is public, so all seats' views differ in `seat` alone.

    phase: one of PHASES ("first", "deal", "reveal": chance is due; "place": set-up; "turn": draw or take;
    "hand": lay or leave the revealed tile). boards: by seat, 16 numbers in the order of CELLS, 0 free.
    middle: face-up tiles, sorted. stock: number of face-down tiles. hand: the revealed tile or None.
    wave: by seat, the set-up tiles still to be laid. wave_number: 1-4 in set-up, 0 before it.
    turn: the seat whose turn it is, None outside turns. again: it is an extra turn (option bruno). first: the
    first player, None before the lot. idle, idle_limit: turns without a reveal so far, and when 2b
    closes. last: by seat, in this game. mover: who made the last of those. game_number: from 1, of `games`.
    points: by seat, of the series' finished games; results: those games.
    """

    phase: str
    boards: tuple[tuple[int, ...], ...]
    middle: tuple[int, ...]
    stock: int
    hand: int | None
    wave: tuple[tuple[int, ...], ...]
    wave_number: int
    turn: int | None
    again: bool
    first: int | None
    idle: int
    idle_limit: int
    last: tuple[Placement | None, ...]
    mover: int | None
    game_number: int
    games: int
    points: tuple[int, ...]
    results: tuple[GameResult, ...]

    @property
    def closed(self) -> bool:
        """Whether 2b is closed until somebody reveals."""
        return self.idle >= self.idle_limit

    def option(self, name: str) -> OptionValue:
        return dict(self.options)[name]

    def unseen(self) -> list[int]:
        """How many tiles of each number (index 1-20) are face down: what everybody can count."""
        counts = [0] + [self.players] * TOP
        for tiles in (*self.boards, self.middle, *self.wave, (self.hand or 0,)):
            for tile in tiles:
                if tile:
                    counts[tile] -= 1
        return counts


def _choice_of(view: View) -> _Choice:
    assert isinstance(view, FiveView) and view.seat is not None
    middle = [0] * (TOP + 1)
    for tile in view.middle:
        middle[tile] += 1
    board = view.boards[view.seat]
    setup = str(view.option("setup"))
    tiles = view.wave[view.seat]
    return _Choice(view.phase, setup, board, fits(board), tiles, view.hand or 0, middle, not view.closed)


# --------------------------------------------------------------------------- state


class FiveState(State[Any]):
    """One position; see FiveView for the fields' meaning. stock and middle are counts by number."""

    __slots__ = (
        "_again",
        "_boards",
        "_choices",
        "_first",
        "_fits",
        "_hand",
        "_idle",
        "_last",
        "_middle",
        "_mover",
        "_outcome",
        "_phase",
        "_points",
        "_receiver",
        "_results",
        "_setup",
        "_stock",
        "_turn",
        "_wave",
        "_wave_number",
        "options",
        "players",
    )

    def __init__(self, players: int, options: dict[str, OptionValue]) -> None:
        self.players = players
        self.options = options
        self._setup = str(options["setup"])
        self._points = [0] * players
        self._results: list[GameResult] = []
        self._first: int | None = None
        self._outcome: Outcome | None = None
        self._new_game()

    def _new_game(self) -> None:
        self._phase: Phase = "first"
        self._boards = [[0] * SIZE for _ in range(self.players)]
        self._choices: list[_Choice | None] = [None] * self.players
        self._fits: list[bytes] = [b""] * self.players  # by seat, `fits` of its board; empty until asked for
        self._stock = [0] + [self.players] * TOP
        self._middle = [0] * (TOP + 1)
        self._hand = 0
        self._wave: list[list[int]] = [[] for _ in range(self.players)]
        self._wave_number = 0
        self._receiver = 0  # who gets the next deal
        self._turn: int | None = None
        self._again = False
        self._idle = 0
        self._last: list[Placement | None] = [None] * self.players
        self._mover: int | None = None

    # who and what is due

    @property
    def _dealt(self) -> int:
        """Tiles each seat draws per wave, by rule 1 or the set-up option."""
        return 1 if self._setup == "one-by-one" else SIDE

    @property
    def _idle_limit(self) -> int:
        return IDLE_PER_PLAYER * self.players

    @property
    def _idle_now(self) -> int:
        """Turns without a reveal so far. `_idle` itself goes back to 0 only at the end of the turn, whose
        number it is part of."""
        return 0 if self._phase == "hand" else self._idle

    @property
    def _games(self) -> int:
        return self.players if self.options["series"] else 1

    def actors(self) -> tuple[int, ...]:
        if self._phase in {"turn", "hand"}:
            assert self._turn is not None
            return (self._turn,)
        if self._phase == "place":
            return tuple(seat for seat, tiles in enumerate(self._wave) if tiles)
        return ()

    def phase(self) -> str:
        return "set-up" if self._phase in {"first", "deal", "place"} else ""

    def turn(self) -> int:
        """In a game first the waves, then by the tiles revealed before the turn and, where these are as many,
        by the turns without a reveal."""
        kinds = self._idle_limit + 1
        waves = SIDE + 1
        number = len(self._results) * (waves + self.players * TOP * kinds)
        if self.phase():
            return number + self._wave_number
        revealed = self.players * (TOP - SIDE) - sum(self._stock) - (self._phase == "hand")
        return number + waves + revealed * kinds + self._idle

    def chance_due(self) -> bool:
        return self._phase in _CHANCE_KIND

    def outcome(self) -> Outcome | None:
        return self._outcome

    def draw(self, chance: Generator) -> Event:
        if self._phase == "first":
            fixed = self._next_first()
            return Event("chance", f"first {chance.below(self.players) if fixed is None else fixed}")
        if self._phase == "reveal":
            return Event("chance", f"reveal {self._blind(self._stock, chance)}")
        if self._phase != "deal":
            raise ValueError("no chance is due")
        stock = list(self._stock)
        tiles: list[int] = []
        while len(tiles) < self._dealt:
            tile = self._blind(stock, chance)
            if self._setup == "sorted" and tile in tiles:
                continue  # an equal tile goes back and another is drawn
            stock[tile] -= 1
            tiles.append(tile)
        return Event("chance", "deal " + " ".join(str(tile) for tile in sorted(tiles)), self._receiver)

    @staticmethod
    def _blind(stock: Sequence[int], chance: Generator) -> int:
        """One tile of the stock, each face-down tile being equally likely."""
        rest = chance.below(sum(stock))
        for tile, count in enumerate(stock):
            if rest < count:
                return tile
            rest -= count
        raise AssertionError("below() stays below the sum")

    def _next_first(self) -> int | None:
        """The seat that must start by option `first` or, in a series, by the game before; None for any."""
        if self._results:
            assert self._first is not None
            return (self._first + 1) % self.players
        return 0 if self.options["first"] == "host" else None

    # moves

    def _choice(self, seat: int) -> _Choice:
        """Made once per position: listing, checking and applying ask for it in turn."""
        made = self._choices[seat]
        if made is None:
            board = self._boards[seat]
            fit = self._fits[seat]
            if not fit:
                fit = self._fits[seat] = fits(board)
            made = self._choices[seat] = _Choice(
                self._phase,
                self._setup,
                board,
                fit,
                self._wave[seat],
                self._hand,
                self._middle,
                self._idle_now < self._idle_limit,
            )
        return made

    def legal(self, seat: int) -> list[str]:
        return _list(self._choice(seat)) if seat in self.actors() else []

    def check(self, seat: int, move: str) -> None:
        self._checked(seat, parse(move))

    def _checked(self, seat: int, move: Move) -> None:
        if seat not in self.actors():
            raise NotYours("over" if self._outcome else "turn")
        _judge(self._choice(seat), move)

    def read(self, seat: int, text: str) -> str:
        if not isinstance(text, str) or len(text) > _LONGEST:
            raise Unreadable("move")
        bare = "".join(text.split()).upper()
        if bare in {"DRAW", "LEAVE"}:
            return bare.lower()
        taking = bare.startswith("TAKE")
        bare = bare.removeprefix("TAKE")
        laid = [(INDEX[found[2]], int(found[1])) for found in _TYPED_TILE.finditer(bare)]
        if "".join(_LAY[tile][cell] for cell, tile in laid) != bare:
            raise Unreadable("move")
        laid.sort()
        if len(laid) == 1:
            ((cell, tile),) = laid
            return (_TAKE if taking else _LAY)[tile][cell]
        if taking or tuple(cell for cell, _ in laid) != DIAGONAL:
            raise Unreadable("move")
        return _four_text([tile for _, tile in laid])

    def stand_in(self, seat: int) -> str:
        return stand_in(self.view(seat))

    # forward

    def apply(self, event: Event) -> None:
        if self._outcome:
            raise Extra("over")
        if event.kind == "chance":
            self._apply_chance(event)
        else:
            self._apply_move(event)
        self._choices = [None] * self.players

    def _apply_chance(self, event: Event) -> None:
        kind, numbers = _parse_chance(event.text)
        if kind == "deal":
            self._check_seat(event.player, "chance")
        elif event.player is not None:
            raise Unreadable("chance")
        if not self.chance_due():
            raise Extra("chance")
        if kind != _CHANCE_KIND[self._phase] or (kind == "deal" and event.player != self._receiver):
            raise Missing("other_chance")
        if kind == "first":
            self._apply_first(numbers[0])
        elif kind == "deal":
            self._apply_deal(numbers)
        else:
            self._apply_reveal(numbers[0])

    def _check_seat(self, player: object, code: str) -> None:
        if type(player) is not int or not 0 <= player < self.players:
            raise Unreadable(code)

    def _apply_first(self, seat: int) -> None:
        if seat >= self.players or self._next_first() not in {None, seat}:
            raise Impossible("first", game=ID, rule="6" if self._results else "2", seat=seat + 1)
        self._first = seat
        self._phase = "deal"
        self._wave_number = 1

    def _apply_deal(self, tiles: tuple[int, ...]) -> None:
        if len(tiles) != self._dealt:
            raise Impossible("count", game=ID, rule="1", count=self._dealt)
        if self._setup == "sorted" and len(set(tiles)) < len(tiles):
            raise Impossible("equal", game=ID, rule="1")
        for tile in tiles:
            if not 1 <= tile <= TOP or self._stock[tile] < tiles.count(tile):
                raise Impossible("tile", game=ID, rule="1", tile=tile)
        for tile in tiles:
            self._stock[tile] -= 1
        seat = self._receiver
        if self._setup == "sorted":
            self._lay_set_up(seat, tiles, DIAGONAL)
        else:
            self._wave[seat] = list(tiles)
        self._receiver = (seat + 1) % self.players
        if not self._receiver:
            self._phase = "place"
            self._end_wave()

    def _apply_reveal(self, tile: int) -> None:
        if not 1 <= tile <= TOP or not self._stock[tile]:
            raise Impossible("tile", game=ID, rule="2a", tile=tile)
        self._stock[tile] -= 1
        self._hand = tile
        self._phase = "hand"

    def _apply_move(self, event: Event) -> None:
        move = parse(event.text)
        self._check_seat(event.player, "move")
        assert event.player is not None
        seat = event.player
        if self.chance_due():
            raise Missing("chance")
        self._checked(seat, move)
        if self._phase == "place":
            self._wave[seat] = []
            self._lay_set_up(seat, move.tiles, move.cells)
            self._end_wave()
        elif move.kind == "draw":
            self._phase = "reveal"
        else:
            self._finish_turn(seat, move)

    def _lay_set_up(self, seat: int, tiles: Sequence[int], cells: Sequence[int]) -> None:
        for tile, cell in zip(tiles, cells, strict=True):
            self._boards[seat][cell] = tile
        self._fits[seat] = b""
        self._last[seat] = Placement("set-up", tiles[-1], tuple(CELLS[cell] for cell in cells))
        self._mover = seat

    def _end_wave(self) -> None:
        """Go on once everybody has laid: to the next wave, or to the first turn."""
        if any(self._wave):
            return
        if self._dealt * self._wave_number < SIDE:
            self._wave_number += 1
            self._phase = "deal"
        else:
            self._phase = "turn"
            self._turn = self._first

    def _finish_turn(self, seat: int, move: Move) -> None:
        """Lay or leave a tile, exchange (rule 3), and hand on the turn or end the game (rule 5)."""
        board = self._boards[seat]
        source = "stock"
        tile = self._hand
        if move.kind == "take":
            source = "middle"
            (tile,) = move.tiles
            self._middle[tile] -= 1
            self._idle += 1
        else:
            self._idle = 0
        self._hand = 0
        lucky = False
        if move.kind == "leave":
            self._middle[tile] += 1
            self._last[seat] = Placement(source, tile, ())
        else:
            (cell,) = move.cells
            replaced = board[cell]
            if replaced:
                self._middle[replaced] += 1
            board[cell] = tile
            self._fits[seat] = b""
            self._last[seat] = Placement(source, tile, (CELLS[cell],), replaced)
            lucky = bool(self.options["bruno"]) and _lucky(board, cell)
        self._mover = seat
        if 0 not in board:
            self._end_game((seat,), "board full")
        elif not any(self._stock):
            filled = [_filled(one) for one in self._boards]
            best = max(filled)
            self._end_game(tuple(s for s, count in enumerate(filled) if count == best), "stock empty")
        else:
            self._again = lucky
            if not lucky:
                self._turn = (seat + 1) % self.players
            self._phase = "turn"

    def _end_game(self, winners: tuple[int, ...], reason: str) -> None:
        filled = tuple(_filled(board) for board in self._boards)
        self._turn = None
        self._again = False
        if not self.options["series"]:
            self._phase = "over"
            self._outcome = Outcome(filled, winners, reason)
            return
        points = tuple(
            WINNER_POINTS if seat in winners else count - SIZE for seat, count in enumerate(filled)
        )
        self._results.append(GameResult(filled, winners, reason, points))
        self._points = [total + gained for total, gained in zip(self._points, points, strict=True)]
        if len(self._results) < self._games:
            self._new_game()
            return
        self._phase = "over"
        best = max(self._points)
        self._outcome = Outcome(
            tuple(self._points),
            tuple(seat for seat, total in enumerate(self._points) if total == best),
            "series over",
        )

    # seeing

    def view(self, seat: int | None) -> FiveView:
        series = bool(self.options["series"])
        finished = len(self._results)
        return FiveView(
            seat=seat,
            players=self.players,
            options=tuple(sorted(self.options.items())),
            actors=self.actors(),
            outcome=self._outcome,
            scores=tuple(self._points) if series else tuple(_filled(board) for board in self._boards),
            phase=self._phase,
            boards=tuple(tuple(board) for board in self._boards),
            middle=tuple(tile for tile in range(1, TOP + 1) for _ in range(self._middle[tile])),
            stock=sum(self._stock),
            hand=self._hand or None,
            wave=tuple(tuple(tiles) for tiles in self._wave),
            wave_number=self._wave_number,
            turn=self._turn,
            again=self._again,
            first=None if self._phase == "first" else self._first,
            idle=self._idle_now,
            idle_limit=self._idle_limit,
            last=tuple(self._last),
            mover=self._mover,
            game_number=finished if self._outcome and series else finished + 1,
            games=self._games,
            points=tuple(self._points),
            results=tuple(self._results),
        )

    # text and checks

    def to_json(self) -> dict[str, JSON]:
        return {
            "schema": GAME.schema,
            "game": ID,
            "players": self.players,
            "options": dict(self.options),
            "phase": self._phase,
            "boards": [list(board) for board in self._boards],
            "stock": list(self._stock),
            "middle": list(self._middle),
            "hand": self._hand,
            "wave": [list(tiles) for tiles in self._wave],
            "wave_number": self._wave_number,
            "receiver": self._receiver,
            "turn": self._turn,
            "again": self._again,
            "first": self._first,
            "idle": self._idle,
            "last": [
                None if last is None else [last.source, last.tile, list(last.cells), last.replaced]
                for last in self._last
            ],
            "mover": self._mover,
            "points": list(self._points),
            "results": [
                [list(one.filled), list(one.winners), one.reason, list(one.points)] for one in self._results
            ],
            "outcome": self._outcome.to_json() if self._outcome else None,
        }

    def clone(self) -> FiveState:
        twin = FiveState.__new__(FiveState)
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.options = dict(self.options)
        twin._boards = [list(board) for board in self._boards]
        twin._choices = [None] * self.players
        twin._fits = list(self._fits)
        twin._stock = list(self._stock)
        twin._middle = list(self._middle)
        twin._wave = [list(tiles) for tiles in self._wave]
        twin._last = list(self._last)
        twin._points = list(self._points)
        twin._results = list(self._results)
        return twin

    def faults(self) -> list[str]:
        return [*self._tile_faults(), *self._board_faults(), *self._phase_faults(), *self._series_faults()]

    def _tile_faults(self) -> list[str]:
        """Every number exists once per player."""
        found: list[str] = []
        everywhere: list[int] = [self._hand] if self._hand else []
        for tiles in (*self._boards, *self._wave):
            everywhere += [tile for tile in tiles if tile]
        for number, (covered, shown) in enumerate(zip(self._stock, self._middle, strict=True)):
            if covered < 0 or shown < 0 or (not number and (covered or shown)):
                found.append(f"number {number}: counts {covered} and {shown}")
            total = covered + shown + everywhere.count(number)
            if number and total != self.players:
                found.append(f"number {number}: {total} tiles instead of {self.players}")
        return found

    def _board_faults(self) -> list[str]:
        """Rule 4, and rule 1's diagonal."""
        found: list[str] = []
        set_up = self._phase in {"first", "deal", "place"}
        for seat, board in enumerate(self._boards):
            for left in range(SIZE):
                for right in range(left + 1, SIZE):
                    aligned = left // SIDE == right // SIDE or left % SIDE == right % SIDE
                    if aligned and board[left] and board[right] and board[left] >= board[right]:
                        found.append(f"seat {seat}: {CELLS[left]} is not less than {CELLS[right]}")
            on_diagonal = [board[cell] for cell in DIAGONAL]
            if set_up and sum(map(bool, board)) != sum(map(bool, on_diagonal)):
                found.append(f"seat {seat}: a tile off the diagonal in set-up")
            if not set_up and not all(on_diagonal):
                found.append(f"seat {seat}: the diagonal has a gap after set-up")
            if self._phase != "over" and all(board):
                found.append(f"seat {seat}: a full board and no end")
        return found

    def _phase_faults(self) -> list[str]:
        found: list[str] = []
        if (self._turn is not None) != (self._phase in _ONE_SEAT):
            found.append(f"turn {self._turn} in phase {self._phase}")
        if bool(self._hand) != (self._phase == "hand"):
            found.append(f"revealed tile {self._hand} in phase {self._phase}")
        if (self._first is None) != (self._phase == "first" and not self._results):
            found.append(f"first player {self._first} in phase {self._phase}")
        if (self._outcome is None) == (self._phase == "over"):
            found.append(f"phase {self._phase}, outcome {self._outcome}")
        if self._again and (self._phase not in _ONE_SEAT or not self.options["bruno"]):
            found.append("an extra turn out of place")
        if not 0 <= self._idle <= self._idle_limit or (self._idle and self._phase == "first"):
            found.append(f"{self._idle} turns without a reveal")
        if not any(self._stock) and self._phase in {"first", "deal", "place", "turn", "reveal"}:
            found.append("the stock is empty and nobody has a last turn")
        if self._phase == "over" and any(self._stock) and not any(all(board) for board in self._boards):
            found.append("over without a full board or an empty stock")
        return found + self._wave_faults()

    def _wave_faults(self) -> list[str]:
        """Rule 1: as many tiles per seat, laid or waiting, as the waves so far have dealt."""
        found: list[str] = []
        started = self._phase != "first"
        if (self._wave_number > 0) != started or self._wave_number > SIDE // self._dealt:
            found.append(f"wave {self._wave_number} in phase {self._phase}")
        if self._receiver and self._phase != "deal":
            found.append(f"receiver {self._receiver} in phase {self._phase}")
        if self._phase not in {"deal", "place"}:
            if any(self._wave):
                found.append("set-up tiles wait outside set-up")
            return found
        for seat, tiles in enumerate(self._wave):
            dealt = self._wave_number - (self._phase == "deal" and seat >= self._receiver)
            if len(tiles) + sum(map(bool, self._boards[seat])) != dealt * self._dealt:
                found.append(f"seat {seat}: wrong number of set-up tiles")
            if len(tiles) not in {0, self._dealt}:
                found.append(f"seat {seat}: {len(tiles)} set-up tiles wait")
        if self._phase == "place" and not any(self._wave):
            found.append("nobody has anything to lay")
        return found

    def _series_faults(self) -> list[str]:
        found: list[str] = []
        series = bool(self.options["series"])
        most = self._games if self._phase == "over" else self._games - 1
        if (not series and self._results) or len(self._results) > most:
            found.append(f"{len(self._results)} finished games")
        sums = [sum(one.points[seat] for one in self._results) for seat in range(self.players)]
        if sums != self._points:
            found.append(f"points {self._points} instead of {sums}")
        for number, one in enumerate(self._results, 1):
            for seat in range(self.players):
                due = WINNER_POINTS if seat in one.winners else -(SIZE - one.filled[seat])
                if one.points[seat] != due:
                    found.append(f"game {number}: {one.points[seat]} points for seat {seat} instead of {due}")
        if self._outcome:
            expected = self._points if series else [SIZE - board.count(0) for board in self._boards]
            leaders = [seat for seat, score in enumerate(expected) if score == max(expected)]
            if list(self._outcome.scores) != expected or list(self._outcome.winners) != leaders:
                found.append("the outcome is not what the boards say")
        return found


# --------------------------------------------------------------------------- stand-in


def stand_in(view: FiveView) -> str:
    """Draws; lays the revealed (or set-up) tile on the free cell whose place on an evenly filled board is
    nearest to its number; leaves it where no free cell takes it."""
    assert view.seat is not None
    board = view.boards[view.seat]
    tiles = view.wave[view.seat]
    if view.phase == "turn":
        return "draw"
    if view.phase == "place":
        if len(tiles) > 1:
            return _four_text(sorted(tiles))
        free = [cell for cell in DIAGONAL if not board[cell]]
        return _LAY[tiles[0]][min(free, key=lambda cell: (_distance(tiles[0], cell), cell))]
    assert view.hand is not None
    hand = view.hand
    free = [cell for cell in fitting(board, hand) if not board[cell]]
    return _LAY[hand][min(free, key=lambda cell: (_distance(hand, cell), cell))] if free else "leave"


def _distance(tile: int, cell: int) -> int:
    """How far `tile` is from a cell's even share, in sixths: A1 stands for about 2, D4 for about 19, and the
    diagonals in between rise evenly."""
    steps = cell // SIDE + cell % SIDE
    return abs(6 * tile - 12 - 17 * steps)


# --------------------------------------------------------------------------- game


class FiveToTwelve(Game[Any]):
    """5 vor 12. Options: `series` (rule 6), `first`, `setup`, `bruno`; see the game's page."""

    id = ID
    min_seats = 2
    max_seats = 4
    option_list = (
        Option("series", "flag", False),
        Option("first", "choice", "random", choices=("random", "host")),
        Option("setup", "choice", "one-by-one", choices=("one-by-one", "free", "sorted")),
        Option("bruno", "flag", False),
    )
    reasons: ClassVar[tuple[str, ...]] = ("board full", "stock empty", "series over")

    def start(self, players: int, options: Mapping[str, object]) -> FiveState:
        return FiveState(players, self.options_for(players, options))

    def load(self, data: Mapping[str, Any]) -> FiveState:
        try:
            return self._load(data)
        except (KeyError, TypeError, IndexError, AttributeError, OverflowError, RulesError) as error:
            raise ValueError(f"not a state of {ID}: {error!r}") from error

    def _load(self, data: Mapping[str, Any]) -> FiveState:
        _need(data["schema"] == self.schema and data["game"] == ID, "schema or game")
        players = data["players"]
        options = self.options_for(players, data["options"])
        _need(options == data["options"], "options")
        state = FiveState(players, options)
        seat = _number(0, players - 1)
        maybe_seat = _or_none(seat)
        tile = _number(0, TOP)
        count = _number(0, players)
        number = _number(-SIZE * players, SIZE * players)
        _need(data["phase"] in PHASES, "phase")
        state._phase = data["phase"]
        state._boards = _rows(data["boards"], players, lambda row: _items(row, tile, SIZE))
        state._stock = _items(data["stock"], count, TOP + 1)
        state._middle = _items(data["middle"], count, TOP + 1)
        state._hand = tile(data["hand"])
        state._wave = _rows(data["wave"], players, lambda row: _items(row, _number(1, TOP), 0, SIDE))
        state._wave_number = _number(0, SIDE)(data["wave_number"])
        state._receiver = seat(data["receiver"])
        state._turn = maybe_seat(data["turn"])
        state._again = _flag(data["again"])
        state._first = maybe_seat(data["first"])
        state._idle = _number(0, state._idle_limit)(data["idle"])
        state._last = _rows(data["last"], players, _or_none(_load_placement))
        state._mover = maybe_seat(data["mover"])
        state._points = _items(data["points"], number, players)
        state._results = [_load_result(one, players, number) for one in data["results"]]
        outcome = data["outcome"]
        if outcome is not None:
            winners = _items(outcome["winners"], seat, 1, players)
            _need(outcome["reason"] in self.reasons, "reason")
            scores = _items(outcome["scores"], number, players)
            state._outcome = Outcome(tuple(scores), tuple(winners), outcome["reason"])
        # Without these no question about the position has an answer.
        _need((state._turn is not None) == (state._phase in _ONE_SEAT), "turn")
        _need((state._hand > 0) == (state._phase == "hand"), "hand")
        _need((state._outcome is not None) == (state._phase == "over"), "outcome")
        _need((state._first is not None) == (state._phase != "first" or bool(state._results)), "first")
        _need(all(len(tiles) in {0, state._dealt} for tiles in state._wave), "wave")
        _need(any(state._wave) or state._phase != "place", "wave")
        _need(any(state._stock) or state._phase not in {"deal", "reveal"}, "stock")
        return state

    def legal(self, view: View) -> list[str]:
        if view.seat is None or view.seat not in view.actors:
            return []
        return _list(_choice_of(view))

    def check(self, view: View, move: str) -> None:
        parsed = parse(move)
        if view.seat is None or view.seat not in view.actors:
            raise NotYours("over" if view.outcome else "turn")
        _judge(_choice_of(view), parsed)

    # words

    def board_text(self, view: View, names: Sequence[str], say: Say) -> str:
        assert isinstance(view, FiveView)
        lines = [*self._heading(view, say)]
        for seat, board in enumerate(view.boards):
            lines.append(say(f"{ID}.text.board", name=names[seat], filled=_filled(board), size=SIZE))
            lines += [self._row_text(board, row, say) for row in range(SIDE)]
            if view.wave[seat]:
                lines.append(
                    say(f"{ID}.text.wave", name=names[seat], tiles=_numbers(view.wave[seat], ID, say))
                )
            if last := view.last[seat]:
                lines.append(self._last_text(last, names[seat], say))
        lines.append(say(f"{ID}.text.middle", tiles=_numbers(view.middle, ID, say)))
        lines.append(say(f"{ID}.text.stock", count=view.stock))
        lines += self._turn_text(view, names, say)
        for number, one in enumerate(view.results, 1):
            lines.append(
                say(
                    f"{ID}.text.result",
                    game=number,
                    winners=", ".join(names[seat] for seat in one.winners),
                    reason=self._reason(one.reason, say),
                    scores=self._scores(one.points, names, say),
                )
            )
        if view.games > 1:
            lines.append(say(f"{ID}.text.points", scores=self._scores(view.points, names, say)))
        if view.outcome:
            lines.append(
                say(
                    f"{ID}.text.over",
                    winners=", ".join(names[seat] for seat in view.outcome.winners),
                    reason=self._reason(view.outcome.reason, say),
                    scores=self._scores(view.outcome.scores, names, say),
                )
            )
        return "\n".join(lines)

    def _heading(self, view: FiveView, say: Say) -> list[str]:
        lines = [say(f"{ID}.name")]
        if view.games > 1:
            lines.append(say(f"{ID}.text.game", game=view.game_number, games=view.games))
        for option in self.option_list:
            value = view.option(option.name)
            if value == option.default:
                continue
            if option.kind == "flag":
                lines.append(say(f"{ID}.text.flag", option=say(f"{ID}.option.{option.name}")))
            else:
                chosen = say(f"{ID}.option.{option.name}.{value}")
                lines.append(say(f"{ID}.text.option", option=say(f"{ID}.option.{option.name}"), value=chosen))
        return lines

    def _row_text(self, board: Board, row: int, say: Say) -> str:
        cells = (
            say(f"{ID}.text.cell", cell=CELLS[cell], tile=board[cell])
            if board[cell]
            else say(f"{ID}.text.free", cell=CELLS[cell])
            for cell in range(row, SIZE, SIDE)
        )
        return say(f"{ID}.text.row", row=row + 1, cells=", ".join(cells))

    def _last_text(self, last: Placement, name: str, say: Say) -> str:
        what = "left" if not last.cells else "exchanged" if last.replaced else "laid"
        key = f"{ID}.text.{what}_{last.source.replace('-', '_')}"
        return say(key, name=name, tile=last.tile, cells=", ".join(last.cells), replaced=last.replaced)

    def _turn_text(self, view: FiveView, names: Sequence[str], say: Say) -> list[str]:
        lines: list[str] = []
        if view.first is None:
            lines.append(say(f"{ID}.text.no_first"))
        else:
            lines.append(say(f"{ID}.text.first", name=names[view.first]))
        if view.phase in {"deal", "place"}:
            lines.append(say(f"{ID}.text.{view.phase}", wave=view.wave_number))
        if view.turn is not None:
            lines.append(say(f"{ID}.text.again" if view.again else f"{ID}.text.turn", name=names[view.turn]))
            if view.phase == "reveal":
                lines.append(say(f"{ID}.text.drawing", name=names[view.turn]))
            if view.hand is not None:
                lines.append(say(f"{ID}.text.hand", name=names[view.turn], tile=view.hand))
        if view.mover is not None:
            lines.append(say(f"{ID}.text.mover", name=names[view.mover]))
        if view.closed:
            lines.append(say(f"{ID}.text.closed", idle=view.idle))
        elif view.idle:
            lines.append(say(f"{ID}.text.idle", idle=view.idle, limit=view.idle_limit))
        return lines

    def _reason(self, reason: str, say: Say) -> str:
        return say(f"{ID}.reason.{reason.replace(' ', '_')}")

    def _scores(self, scores: Sequence[int], names: Sequence[str], say: Say) -> str:
        return ", ".join(
            say(f"{ID}.text.score", name=names[seat], score=score) for seat, score in enumerate(scores)
        )

    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        name = names[event.player] if event.player is not None else ""
        if event.kind == "chance":
            kind, _, rest = event.text.partition(" ")
            if kind == "first":
                return say(f"{ID}.event.first", name=names[int(rest)])
            return say(f"{ID}.event.{kind}", name=name, tiles=", ".join(rest.split()))
        if event.text in {"draw", "leave"}:
            return say(f"{ID}.event.{event.text}", name=name)
        move = parse(event.text)
        placed = zip(move.tiles, move.cells, strict=True)
        laid = ", ".join(say(f"{ID}.event.placed", tile=tile, cell=CELLS[cell]) for tile, cell in placed)
        return say(f"{ID}.event.{'take' if move.kind == 'take' else 'lay'}", name=name, placed=laid)


def _numbers(tiles: Sequence[int], game: str, say: Say) -> str:
    return ", ".join(str(tile) for tile in tiles) if tiles else say(f"{game}.text.none")


# --------------------------------------------------------------------------- reading stored states


def _need(right: bool, what: str) -> None:
    if not right:
        raise ValueError(f"not a state of {ID}: {what}")


def _number(least: int, most: int) -> Callable[[Any], int]:
    def take(value: Any) -> int:
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"not a state of {ID}: a number from {least} to {most}")
        return value

    return take


def _or_none(take: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else take(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"not a state of {ID}: a flag")
    return value


def _items(values: Any, take: Callable[[Any], int], least: int, most: int | None = None) -> list[int]:
    _need(isinstance(values, list) and least <= len(values) <= (least if most is None else most), "a list")
    return [take(value) for value in values]


def _rows(values: Any, length: int, take: Callable[[Any], Any]) -> list[Any]:
    _need(isinstance(values, list) and len(values) == length, "a list by seat")
    return [take(value) for value in values]


def _load_placement(value: Any) -> Placement:
    source, tile, cells, replaced = value
    _need(source in SOURCES and all(cell in INDEX for cell in cells) and len(cells) <= SIDE, "a placement")
    return Placement(source, _number(1, TOP)(tile), tuple(cells), _number(0, TOP)(replaced))


def _load_result(value: Any, players: int, number: Callable[[Any], int]) -> GameResult:
    filled, winners, reason, points = value
    _need(reason in FiveToTwelve.reasons, "a reason")
    return GameResult(
        tuple(_items(filled, _number(0, SIZE), players)),
        tuple(_items(winners, _number(0, players - 1), 1, players)),
        reason,
        tuple(_items(points, number, players)),
    )


GAME = FiveToTwelve()
FiveState.game = GAME  # type: ignore[misc]
