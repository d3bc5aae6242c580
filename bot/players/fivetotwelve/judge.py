"""What moves are worth at a glance, one tile ahead, and why.

A board is worth a point per filled cell and, for each free cell, the chance that a tile for it comes along:
how many of the tiles that are face down or in the middle lie between what the cell needs below and above it.
Revealing is worth the average over all face-down tiles, each put to its best use. What is handed to the next
player by a move counts against it, and as much as a third of a win where a tile in the middle would then fill
somebody's board.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Final

from bot.rules.fivetotwelve import SIZE, TOP, FiveView, fitting

from .lines import needs

HALF: Final = 5.0  # tiles that must be there for a free cell to be worth half a filled one
MOST: Final = 0.9  # of a filled cell, what a free one comes near
WIN: Final = 100.0
GIFT: Final = 0.15  # a tile that fits a free cell of the next player
DECISIVE: Final = 30.0  # one that fills somebody's board


class Judge:
    """Values of moves for one seat at one moment."""

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
        self.following = view.boards[(view.seat + 1) % view.players]
        self.wanted = _filling(self.following)
        self.fatal = frozenset[int]().union(
            *(
                _filling(board)
                for seat, board in enumerate(view.boards)
                if seat != view.seat and board.count(0) == 1
            )
        )
        self.lying = [tile for tile in view.middle if tile in self.fatal]
        self.now = self.worth(self.board)

    # worth

    def fills_next(self, tile: int) -> bool:
        """Whether it fills the next player's board."""
        return self.following.count(0) == 1 and tile in self.wanted

    def gives(self, gone: int, taken: int = 0) -> float:
        """What it costs to leave `gone` in the middle (0: nothing), `taken` being taken from there."""
        if len(self.lying) - (taken in self.fatal) + (gone in self.fatal) > 0:
            return DECISIVE
        return GIFT if gone in self.wanted else 0.0

    def lay(self, tile: int, cell: int, taken: int = 0) -> float:
        """The board with `tile` on `cell`, less what the next player gets. taken: the tile, if it was taken
        from the middle."""
        value = self.worth(self.laid(tile, cell))
        return value if value == WIN else value - self.gives(self.board[cell], taken)

    def laid(self, tile: int, cell: int) -> list[int]:
        board = list(self.board)
        board[cell] = tile
        return board

    def leave(self, tile: int) -> float:
        return self.now - self.gives(tile)

    def reveal(self) -> float:
        """What a face-down tile is worth on average, each put to its best use."""
        total = 0.0
        for tile in range(1, TOP + 1):
            if self.unseen[tile]:
                uses = [self.lay(tile, cell) for cell in fitting(self.board, tile)]
                total += self.unseen[tile] * max([*uses, self.leave(tile)])
        return total / sum(self.unseen)

    def worth(self, board: Sequence[int]) -> float:
        """Filled cells, and how likely each free one is to be filled."""
        if 0 not in board:
            return WIN
        chances = self.chances(board)
        return fsum(1.0 if board[cell] else chances[cell] for cell in range(SIZE))

    def chances(self, board: Sequence[int]) -> list[float]:
        """How likely each free cell is to be filled; 0 for the others."""
        least, most = needs(board)
        found = [0.0] * SIZE
        for cell in range(SIZE):
            if not board[cell] and least[cell] <= most[cell]:
                supply = self.below[most[cell] + 1] - self.below[least[cell]]
                found[cell] = supply / (supply + HALF) * MOST
        return found


def _filling(board: Sequence[int]) -> frozenset[int]:
    """The tiles that fit a free cell."""
    return frozenset(
        tile for tile in range(1, TOP + 1) if any(not board[cell] for cell in fitting(board, tile))
    )
