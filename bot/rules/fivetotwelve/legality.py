"""Which moves a seat has: listed, judged one by one, and the one a stand-in plays (rules 1, 2 and 4).

All of it is asked of a `Choice`, the facts that decide; a view and a position make the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple, TypeAlias

from ..errors import Illegal
from .board import CELLS, DIAGONAL, ID, SIDE, TOP, Board, counts
from .lay_or_exchange import cells_of, clash, fits, fitting
from .notation import LAY, TAKE, Move, four_text
from .view import FiveView


class SetUp(NamedTuple):
    """A choice in set-up (rule 1). tiles: to be laid now, one or (option `setup=free`) all four."""

    board: Board
    tiles: tuple[int, ...]


class Turn(NamedTuple):
    """A choice in a turn (rule 2). fit: `fits(board)`. hand: the revealed tile, to be laid or left; 0 where
    none is. middle: the face-up tiles, as `counts` has them. may_take: whether 2b is open (it closes after
    too many turns without a reveal)."""

    board: Board
    fit: bytes
    hand: int
    middle: tuple[int, ...]
    may_take: bool


Choice: TypeAlias = SetUp | Turn


def choice_of(view: FiveView) -> Choice:
    """What the view's seat, which may act, chooses from."""
    assert view.seat is not None
    board = view.boards[view.seat]
    if view.phase == "place":
        return SetUp(board, view.wave[view.seat])
    return Turn(board, fits(board), view.hand or 0, counts(view.middle), not view.closed)


# --------------------------------------------------------------------------- listing


def _by_mask(texts: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """For every set of eight neighbouring cells, as bits, the texts of those cells in order."""
    found: list[tuple[str, ...]] = [()]
    for mask in range(1, 256):
        lowest = (mask & -mask).bit_length() - 1
        found.append((texts[lowest], *found[mask & mask - 1]))
    return tuple(found)


# Lists of takes are put together from these, by tile: the moves to cells of columns A and B, and of C and D.
_TAKES = tuple((_by_mask(texts[:8]), _by_mask(texts[8:])) for texts in TAKE)
_BY_TEXT = tuple(sorted(range(1, TOP + 1), key=lambda tile: f"{tile}@"))  # tiles in character order


def listed(choice: Choice) -> list[str]:
    """Every legal move, sorted by character code."""
    if isinstance(choice, SetUp):
        return _listed_in_set_up(choice)
    _, fit, hand, middle, may_take = choice
    if hand:
        return [*(LAY[hand][cell] for cell in cells_of(fit, hand)), "leave"]
    moves = ["draw"]
    if may_take:
        for tile in _BY_TEXT:
            if middle[tile]:
                left, right = _TAKES[tile]
                moves += left[fit[2 * tile]]
                moves += right[fit[2 * tile + 1]]
    return moves


def _listed_in_set_up(choice: SetUp) -> list[str]:
    if len(choice.tiles) > 1:
        return sorted(four_text(order) for order in set(permutations(choice.tiles)))
    return [LAY[choice.tiles[0]][cell] for cell in DIAGONAL if not choice.board[cell]]


# --------------------------------------------------------------------------- what is legal


def judge(choice: Choice, move: Move) -> None:
    """Nothing if `move` is legal. Raises Illegal."""
    if isinstance(choice, SetUp):
        _judge_set_up(choice, move)
        return
    kind, tiles, cells = move
    board, fit, hand, middle, may_take = choice
    if kind == "four":
        raise Illegal("setup_over", game=ID, rule="1")
    if hand:
        if kind in {"draw", "take"}:
            raise Illegal("hand_first", game=ID, rule="2a", tile=hand)
        if kind == "leave":
            return
        if tiles[0] != hand:
            raise Illegal("other_tile", game=ID, rule="2a", tile=tiles[0], hand=hand)
    else:
        if kind == "draw":
            return
        if kind != "take":
            raise Illegal("nothing_revealed", game=ID, rule="2")
        if not may_take:
            raise Illegal("closed", game=ID, rule="2b")
        if not middle[tiles[0]]:
            raise Illegal("not_in_middle", game=ID, rule="2b", tile=tiles[0])
    (tile,), (cell,) = tiles, cells
    if not fit[2 * tile + (cell >> 3)] >> (cell & 7) & 1:
        raise clash(board, tile, cell)


def _judge_set_up(choice: SetUp, move: Move) -> None:
    all_four = len(choice.tiles) > 1
    if move.kind not in {"lay", "four"}:
        raise Illegal("setup_first", game=ID, rule="1")
    if (move.kind == "four") != all_four:
        raise Illegal("all_four" if all_four else "one_at_a_time", game=ID, rule="1")
    if all_four:
        if sorted(move.tiles) != sorted(choice.tiles):
            tiles = ", ".join(str(tile) for tile in sorted(choice.tiles))
            raise Illegal("other_four", game=ID, rule="1", tiles=tiles)
        return
    if move.tiles != choice.tiles:
        raise Illegal("other_tile", game=ID, rule="1", tile=move.tiles[0], hand=choice.tiles[0])
    (cell,) = move.cells
    if cell not in DIAGONAL:
        raise Illegal("diagonal", game=ID, rule="1", cell=CELLS[cell])
    if choice.board[cell]:
        raise Illegal("laid", game=ID, rule="1", cell=CELLS[cell])


# --------------------------------------------------------------------------- stand-in


def stand_in(choice: Choice) -> str:
    """Draws; lays the revealed (or set-up) tile on the free cell whose place on an evenly filled board is
    nearest to its number; leaves it where no free cell takes it."""
    if isinstance(choice, SetUp):
        if len(choice.tiles) > 1:
            return four_text(sorted(choice.tiles))
        (tile,) = choice.tiles
        cells: Sequence[int] = DIAGONAL
    elif choice.hand:
        tile = choice.hand
        cells = fitting(choice.board, tile)
    else:
        return "draw"
    free = [cell for cell in cells if not choice.board[cell]]
    return LAY[tile][min(free, key=lambda cell: (_distance(tile, cell), cell))] if free else "leave"


def _distance(tile: int, cell: int) -> int:
    """How far `tile` is from a cell's even share, in sixths: A1 stands for about 2, D4 for about 19, and the
    diagonals in between rise evenly."""
    steps = cell // SIDE + cell % SIDE
    return abs(6 * tile - 12 - 17 * steps)
