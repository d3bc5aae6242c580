"""Moves that show a beginner what is legal, in positions that were played by the rules."""

from __future__ import annotations

from ..game import Example, played
from .state import ZatreState


def examples(state: ZatreState) -> tuple[Example, ...]:
    """See `Game.examples`. state: the first one of two players."""
    view = played(state, "lots 6 3", "draw 1 4", "4@H8 6@I8 1@H9", "draw 1 4").view(1)
    return (
        Example("eleven", view, "1@J8"),
        Example("thirteen", view, "4@J8", "thirteen"),
        Example("light", view, "4@I9"),
        Example("light_bare", view, "1@I9", "light"),
    )
