"""Moves that show a beginner what is legal, in positions that were played by the rules."""

from __future__ import annotations

from ..game import Example, played
from .state import FiveState


def examples(state: FiveState) -> tuple[Example, ...]:
    """See `Game.examples`. state: the first one of two players."""
    played(state, "first 0")
    for own, other, cell in ((3, 5, "A1"), (9, 8, "B2"), (12, 11, "C3"), (18, 17, "D4")):
        played(state, f"deal {own}", f"deal {other}", f"{own}@{cell}", f"{other}@{cell}")
    view = played(state, "draw", "reveal 14").view(0)
    return (
        Example("fits", view, "14@D3"),
        Example("row", view, "14@B3", "row"),
        Example("exchange", view, "14@C3"),
        Example("column", view, "14@C2", "column"),
    )
