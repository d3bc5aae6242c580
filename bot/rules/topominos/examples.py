"""Moves that show a beginner what is legal, in positions that were played by the rules."""

from __future__ import annotations

from ..game import Example, played
from .state import TopominosState


def examples(state: TopominosState) -> tuple[Example, ...]:
    """See `Game.examples`. state: the first one of two players."""
    played(state, "lots abcd a", "draw a abc abe abf abg", "draw ab abd b e e", "abc@B2", "end", "draw ac")
    view = state.view(1)
    added = played(state, "dg@B2").view(1)
    return (
        Example("gaps", view, "dg@B2"),
        Example("dot_on_dot", view, "cf@B2", "dot_on_dot"),
        Example("stacks_only", added, "e@A1", "stacks_only"),
    )
