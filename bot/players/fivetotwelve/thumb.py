"""What everybody knows of 5 vor 12: moves that nobody makes while there is anything else to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from bot.rules.fivetotwelve import DIAGONAL, SIZE, TOP, Move, fitting
from bot.rules.fivetotwelve.lay_or_exchange import lucky

from .judge import Judge
from .lines import needs

EXTREME: Final = 2  # so many of the lowest and of the highest numbers belong in a corner

Choice: TypeAlias = tuple[str, Move]
Rule: TypeAlias = Callable[[Judge, Move], bool]


def sensible(judge: Judge, moves: list[Choice]) -> list[Choice]:
    """Those that keep every rule of thumb, the earlier rules first; a rule that none keeps is none here."""
    for rule in SET_UP if judge.view.phase == "place" else TURN:
        moves = [one for one in moves if rule(judge, one[1])] or moves
    return moves


def after(judge: Judge, move: Move) -> list[int]:
    """The own board after a move."""
    board = list(judge.board)
    for tile, cell in zip(move.tiles, move.cells, strict=True):
        board[cell] = tile
    return board


def open_cells(board: Sequence[int]) -> int:
    """Free cells for which there is a number."""
    least, most = needs(board)
    return sum(not board[cell] and least[cell] <= most[cell] for cell in range(SIZE))


# --------------------------------------------------------------------------- turns


def _fills(judge: Judge, move: Move) -> bool:
    """The board, now."""
    return 0 not in after(judge, move)


def _fills_next(judge: Judge, move: Move) -> bool:
    """The board, by an extra turn."""
    board, view = after(judge, move), judge.view
    if not move.cells or not view.option("bruno") or not view.stock or board.count(0) != 1:
        return False
    if not lucky(tuple(board), move.cells[0]) or (move.kind == "take" and view.idle + 1 >= view.idle_limit):
        return False
    middle = [*view.middle, judge.board[move.cells[0]]]
    if move.kind == "take":
        middle.remove(move.tiles[0])
    return any(tile and board.index(0) in fitting(board, tile) for tile in middle)


def _gives_nothing_away(judge: Judge, move: Move) -> bool:
    """No tile that fills somebody else's board."""
    gone = judge.view.hand if move.kind == "leave" else judge.board[move.cells[0]] if move.cells else 0
    return gone not in judge.fatal


def _ends_well(judge: Judge, move: Move) -> bool:
    """The last tile on a free cell: there is no other turn."""
    last = judge.view.hand is not None and not judge.view.stock
    return not last or (bool(move.cells) and not judge.board[move.cells[0]])


def _is_the_only_one(judge: Judge, move: Move) -> bool:
    """The revealed tile on a free cell for which there is no other number."""
    hand = judge.view.hand
    if hand is None:
        return True
    (cell,) = move.cells or (-1,)
    if cell < 0 or judge.board[cell]:
        return False
    return not any(cell in fitting(judge.board, tile) for tile in range(1, TOP + 1) if tile != hand)


def _changes(judge: Judge, move: Move) -> bool:
    """The board, which an exchange for an equal number does not; with `bruno` it may bring a turn."""
    return bool(judge.view.option("bruno")) or not move.cells or judge.board[move.cells[0]] != move.tiles[0]


def _exchange_shuts_nothing(judge: Judge, move: Move) -> bool:
    if not move.cells or not judge.board[move.cells[0]]:
        return True
    return open_cells(after(judge, move)) >= open_cells(judge.board)


TURN: Final[tuple[Rule, ...]] = (
    _fills,
    _fills_next,
    _ends_well,
    _gives_nothing_away,
    _is_the_only_one,
    _changes,
    _exchange_shuts_nothing,
)


# --------------------------------------------------------------------------- set-up


def _rises(judge: Judge, move: Move) -> bool:
    board = after(judge, move)
    laid = [board[cell] for cell in DIAGONAL if board[cell]]
    return all(low <= high for low, high in pairwise(laid))


def _shuts_nothing(judge: Judge, move: Move) -> bool:
    board = after(judge, move)
    return open_cells(board) == board.count(0)


def _corners(judge: Judge, move: Move) -> bool:
    """The lowest tile is laid top left and the highest bottom right, where that is free."""
    if len(move.tiles) > 1:
        return True
    tile, cell = move.tiles[0], move.cells[0]
    if tile <= EXTREME:
        return cell == DIAGONAL[0]
    return tile <= TOP - EXTREME or cell == DIAGONAL[-1]


SET_UP: Final[tuple[Rule, ...]] = (_corners, _rises, _shuts_nothing)
