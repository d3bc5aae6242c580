"""A computer player for Blocked Corners: wins where it can, hinders where it must, else draws a lot."""

from __future__ import annotations

from bot.rules.chance import Generator

from .rules import GAME, LINES, CornersView


def choose(view: CornersView, chance: Generator) -> str:
    """A legal move of the view's seat."""
    assert view.seat is not None
    legal = GAME.legal(view)
    for seat in (view.seat, 1 - view.seat):
        cells = view.cells_of(seat)
        for move in legal:
            if any(move in line and len({*line} - {*cells}) == 1 for line in LINES):
                return move
    return chance.choice(legal)
