"""Moves of 5 vor 12 tried out: the face-down tiles are mixed anew, and the quick policy plays on for all."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from bot.players.mixing import GOLDEN, shuffle
from bot.rules.fivetotwelve import SIDE, TOP, FiveView, Move, fitting, parse

from .lines import Figures, Supply, figures, worth
from .playout import LAY, TAKE, Course

LEARNED: Final = 2.0  # points of a turn saved by what was learned, beside those of the games played on


class Attempts:
    """See `Trial`. What a move comes to is the margin in points of the game (as in a series), and what the
    learned figures think of it, which see further than a few games tell. saved: points that a turn counts
    which is saved by them."""

    def __init__(self, view: FiveView, moves: Sequence[str], saved: float = LEARNED) -> None:
        assert view.seat is not None
        self.seat: Final = view.seat
        self.view = view
        self.moves = [parse(move) for move in moves]
        counts = view.unseen()
        self.stock = [tile for tile in range(1, TOP + 1) for _ in range(counts[tile])]
        self.learned = Learned(figures(), view)
        self.before = [saved * self.learned.move(move) for move in self.moves]
        middle = [0] * (TOP + 1)
        for tile in view.middle:
            middle[tile] += 1
        self.course = Course(
            figures().lines,
            figures().filled,
            view.boards,
            middle,
            self.seat,
            view.idle,
            view.idle_limit,
            bool(view.option("bruno")),
        )
        self.start = -1.0  # where in the stock the first world's first tile is, from 0 to 1
        self.worlds = 0

    def world(self, kept: Sequence[int], chance: Random) -> Sequence[float]:
        self.course.order = self.mixed(chance)
        found = []
        for number in kept:
            course = self.course.twin()
            self.play(course, self.moves[number])
            found.append(self.before[number] + course.margin(self.seat))
        return found

    def mixed(self, chance: Random) -> list[int]:
        """An order of the face-down tiles. The first one goes evenly through all of them from world to world,
        for it decides most."""
        if self.start < 0.0:
            self.start = chance.random()
        order = self.stock[:]
        if order:
            first = int((self.start + GOLDEN * self.worlds) % 1.0 * len(order))
            order[0], order[first] = order[first], order[0]
        self.worlds += 1
        rest = order[1:]
        shuffle(rest, chance)
        return order[:1] + rest

    def play(self, course: Course, move: Move) -> None:
        """The move, and the game to its end."""
        view = self.view
        if view.phase == "place":
            for tile, cell in zip(move.tiles, move.cells, strict=True):
                course.put(self.seat, tile, cell)
            waves = [() if seat == self.seat else wave for seat, wave in enumerate(view.wave)]
            assert view.first is not None
            course.set_up(waves, SIDE - view.wave_number, view.first)
            course.finish()
        elif move.kind == "draw":
            course.finish(course.reveal())
        else:
            if move.kind == "leave":
                assert view.hand is not None
                course.leave(view.hand)
            else:
                course.lay(TAKE if move.kind == "take" else LAY, move.tiles[0], move.cells[0])
            course.finish()


class Learned:
    """What the learned figures think of moves: minus the turns that the board still takes."""

    def __init__(self, learned: Figures, view: FiveView) -> None:
        assert view.seat is not None
        self.figures = learned
        self.board = view.boards[view.seat]
        self.unseen = view.unseen()
        shown = [0] * (TOP + 1)
        for tile in view.middle:
            shown[tile] += 1
        self.supply = Supply(self.unseen, shown)
        self.now = worth(learned, self.board, self.supply)

    def move(self, move: Move) -> float:
        if move.kind == "leave":
            return self.now
        if move.kind == "draw":
            return self.reveal()
        board = list(self.board)
        for tile, cell in zip(move.tiles, move.cells, strict=True):
            board[cell] = tile
        return worth(self.figures, board, self.supply)

    def reveal(self) -> float:
        """The average over all face-down tiles, each put to its best use."""
        total = 0.0
        board = list(self.board)
        for tile in range(1, TOP + 1):
            if self.unseen[tile]:
                best = self.now
                for cell in fitting(self.board, tile):
                    old, board[cell] = board[cell], tile
                    best = max(best, worth(self.figures, board, self.supply))
                    board[cell] = old
                total += self.unseen[tile] * best
        return total / sum(self.unseen)
