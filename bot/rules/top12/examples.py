"""Moves that show a beginner what is legal, in positions that were played by the rules."""

from __future__ import annotations

from ..game import Example, played
from .state import Top12State


def examples(state: Top12State) -> tuple[Example, ...]:
    """See `Game.examples`. state: the first one of two players."""
    played(state, "10@A2 20@B3 30@C5 40@D6 50@E7", "10@A1 20@B3 30@C4 40@D5 50@E6", "first 0")
    view = played(state, "call 25", "roll joker").view(0)
    return (
        Example("below", view, "25@B5"),
        Example("rising", view, "25@B2", "rising"),
    )
