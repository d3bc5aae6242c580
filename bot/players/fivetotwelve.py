"""A computer player for 5 vor 12.

It looks one tile ahead. A board is worth a point per filled cell and, for each free cell, the chance that
a tile for it comes along: how many of the tiles that are face down or in the middle lie between what the
cell needs below and above it. Revealing is worth the average over all face-down tiles, each put to its best
use; what is handed to the next player by a move counts against it.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.rules.chance import Generator
from bot.rules.fivetotwelve import GAME as RULES
from bot.rules.fivetotwelve import SIDE, SIZE, TOP, FiveView, fitting, parse

HALF = 5.0  # tiles that must be there for a free cell to be worth half a filled one
WIN = 100.0
GIFT = 0.15  # a tile that fits a free cell of the next player
DECISIVE_GIFT = 3.0  # one that would fill that player's board


def choose(view: FiveView, chance: Generator) -> str:
    """The move that is worth most; chance decides among equals alone."""
    assert view.seat is not None
    legal = RULES.legal(view)
    if len(legal) == 1:
        return legal[0]
    judge = _Judge(view)
    worth = [judge.move(move) for move in legal]
    best = max(worth)
    return chance.choice([move for move, value in zip(legal, worth, strict=True) if value == best])


class _Judge:
    """Values of positions for one seat at one moment."""

    def __init__(self, view: FiveView) -> None:
        assert view.seat is not None
        self.view = view
        self.board = view.boards[view.seat]
        self.unseen = view.unseen()
        supply = list(self.unseen)
        for tile in view.middle:
            supply[tile] += 1
        self.below = [0] * (TOP + 2)  # below[n]: tiles to be had with a number less than n
        for tile in range(1, TOP + 2):
            self.below[tile] = self.below[tile - 1] + supply[tile - 1]
        rival = view.boards[(view.seat + 1) % view.players]
        decisive = rival.count(0) == 1
        self.gift = [0.0] * (TOP + 1)
        for tile in range(1, TOP + 1):
            if any(not rival[cell] for cell in fitting(rival, tile)):
                self.gift[tile] = DECISIVE_GIFT if decisive else GIFT
        self.now = self.worth(self.board)

    def move(self, text: str) -> float:
        move = parse(text)
        if move.kind == "leave":
            assert self.view.hand is not None
            return self.now - self.gift[self.view.hand]
        if move.kind == "draw":
            return self.reveal()
        board = list(self.board)
        for tile, cell in zip(move.tiles, move.cells, strict=True):
            board[cell] = tile
        if self.view.phase == "place":
            return self.worth(board)
        return self.lay(move.tiles[0], move.cells[0])

    def lay(self, tile: int, cell: int) -> float:
        """The board with `tile` on `cell`, less what the exchanged tile is worth to the next player."""
        board = list(self.board)
        replaced = board[cell]
        board[cell] = tile
        return self.worth(board) - self.gift[replaced]

    def reveal(self) -> float:
        """What a face-down tile is worth on average, each put to its best use."""
        total = 0.0
        for tile in range(1, TOP + 1):
            if self.unseen[tile]:
                uses = [self.lay(tile, cell) for cell in fitting(self.board, tile)]
                total += self.unseen[tile] * max([*uses, self.now - self.gift[tile]])
        return total / sum(self.unseen)

    def worth(self, board: Sequence[int]) -> float:
        """Filled cells, and how likely each free one is to be filled."""
        least, most = needs(board)
        value = 0.0
        free = 0
        for cell in range(SIZE):
            if board[cell]:
                value += 1.0
                continue
            free += 1
            if least[cell] <= most[cell]:
                supply = self.below[most[cell] + 1] - self.below[least[cell]]
                value += supply / (supply + HALF) * 0.9
        return value if free else WIN


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
