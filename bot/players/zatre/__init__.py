"""The computer player for Zatre.

`medium` weighs what a turn adds to the sheet as it will be (`sheets`), what tiles kept cost, and what the
board gives to whoever is next (`judge`). `hard` plays the best few on, in games that could be (`playout`):
those after which the board serves it best and the others least, until the end is near.
All of it runs on small integers (`grid`); the rules are asked whether a turn is legal before it is a
candidate.

What everybody knows, and no level breaks while it has another move: docs/players.md.

And `medium` and `hard` take what is evident (`Judge.evident`), at some cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.rules.zatre import ZatreView, parse_placements, placements_text

from ..contract import Candidate, Player, Scale, Trial
from .judge import Judge
from .playout import ZatreTrial, to_the_end
from .reasons import hidden, left, terms

VICTORY = 15.0  # points that winning counts beside the lead
# What `hard` does as long as the end is not near:
CLOSELY = 4  # turns that are played on
GAMES = 240  # for that, all of them together
TRUST = 100.0  # as how many of them what was thought of a turn counts: a game is of much chance
TURNS = 6  # that a game of two lasts, of both together; with more seats everybody has one


class ZatrePlayer(Player[ZatreView]):
    blur = 0.9
    tried = 20
    budget = 700
    trust = 1.0

    def candidates(self, view: ZatreView) -> list[Candidate]:
        if view.seat not in view.actors:
            raise ValueError("not this seat's turn")
        judge = Judge(view)
        ranked = judge.ranked()
        evident = judge.evident(ranked)
        for_next = left(judge, ranked)
        return [
            Candidate(
                placements_text(one.laid),
                one.worth,
                hidden(judge, one, ranked[:number]),
                terms(judge, one, for_next[number]),
                one.gain in evident,
            )
            for number, one in enumerate(ranked)
        ]

    def to_try(self, view: ZatreView, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """The best by what the board gives to all seats at once: that says more than the evaluation, and is
        less work than games. Not near the end, where what is kept costs and not every seat comes to another
        turn: there games are played to it."""
        few = super().to_try(view, candidates)
        if to_the_end(view):
            return few
        worths = _trial(view, few, 0, VICTORY).at_once()
        found = [replace(one, worth=worth) for one, worth in zip(few, worths, strict=True)]
        return sorted(found, key=lambda one: -one.worth)[:CLOSELY]

    def effort(self, view: ZatreView) -> tuple[int, float]:
        return super().effort(view) if to_the_end(view) else (min(self.budget, GAMES), TRUST)

    def trial(self, view: ZatreView, tried: Sequence[Candidate]) -> Trial | None:
        """None in the last turn, of which the evaluation is exact (`Judge.found`)."""
        if not view.bag:
            return None
        return _trial(view, tried, TURNS if view.players == 2 else view.players, VICTORY)

    def looking_back(self, view: ZatreView, tried: Sequence[Candidate]) -> Trial:
        """One turn of every other seat and no more, so that little is left to chance. Points alone, but for
        the end."""
        return _trial(view, tried, view.players - 1, VICTORY if to_the_end(view) else 0.0)

    def scale(self, view: ZatreView) -> Scale:
        return Scale(least=2.0, win=2 * VICTORY if to_the_end(view) else 0.0)


def _trial(view: ZatreView, tried: Sequence[Candidate], turns: int, won: float) -> ZatreTrial:
    judge = Judge(view)
    laid = [parse_placements(one.move) for one in tried]
    return ZatreTrial(judge, laid, [judge.gain_of(one) for one in laid], turns, won)


PLAYER = ZatrePlayer()
