"""The computer player of 5 vor 12.

* `judge`: what a move is worth at a glance, one tile ahead, which is what `medium` plays by;
* `thumb`: what everybody knows;
* `reasons`: why, in words;
* `lines`: what was learned of lines and supplies from self-play (`figures.json`, made by `learn`);
* `playout`: a game played on by a quick policy of these figures;
* `trial`: moves tried out in such games, which is what `hard` does.

What everybody knows (`thumb`), and no level breaks while it has another move: docs/players.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.players.contract import Candidate, Player, Scale, Trial
from bot.rules.fivetotwelve import GAME, FiveView, Move, parse

from .judge import Judge
from .reasons import reasons
from .thumb import sensible
from .trial import Attempts

# How hard moves are to find: the tile in hand is looked at before those of the middle, and free cells before
# exchanges.
LAID: Final = 0.1
LEFT: Final = 0.15
TAKEN: Final = 0.35
EXCHANGED: Final = 0.5
TAKEN_IN_EXCHANGE: Final = 0.75


class FiveToTwelvePlayer(Player[FiveView]):
    blur = 1.5
    tried = 10
    budget = 1200
    trust = 0.0

    def candidates(self, view: FiveView) -> list[Candidate]:
        if view.seat is None or view.seat not in view.actors:
            raise ValueError("this seat has nothing to do")
        judge = Judge(view)
        moves = sensible(judge, [(text, parse(text)) for text in GAME.legal(view)])
        found = [
            Candidate(text, _worth(judge, move), _hidden(judge, move), reasons(judge, move))
            for text, move in moves
        ]
        return sorted(found, key=lambda one: -one.worth)

    def trial(self, view: FiveView, tried: Sequence[Candidate]) -> Trial | None:
        return Attempts(view, [one.move for one in tried])

    def looking_back(self, view: FiveView, tried: Sequence[Candidate]) -> Trial | None:
        """What the games came to, and nothing beside."""
        return Attempts(view, [one.move for one in tried], saved=0.0)

    def scale(self, view: FiveView) -> Scale:
        return Scale("series", least=0.4)


PLAYER: Final = FiveToTwelvePlayer()


def _worth(judge: Judge, move: Move) -> float:
    if move.kind == "draw":
        return judge.reveal()
    if move.kind == "leave":
        return judge.leave(judge.view.hand or 0)
    if judge.view.phase == "place":
        board = list(judge.board)
        for tile, cell in zip(move.tiles, move.cells, strict=True):
            board[cell] = tile
        return judge.worth(board)
    return judge.lay(move.tiles[0], move.cells[0], move.tiles[0] if move.kind == "take" else 0)


def _hidden(judge: Judge, move: Move) -> float:
    if move.kind == "draw" or judge.view.phase == "place":
        return 0.0
    if move.kind == "leave":
        return LEFT
    free = not judge.board[move.cells[0]]
    if move.kind == "take":
        return TAKEN if free else TAKEN_IN_EXCHANGE
    return LAID if free else EXCHANGED
