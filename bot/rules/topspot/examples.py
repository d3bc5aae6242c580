"""Moves that show a beginner what is legal, in positions that were played by the rules."""

from __future__ import annotations

from ..game import Example, played
from .state import TopSpotState


def examples(state: TopSpotState) -> tuple[Example, ...]:
    """See `Game.examples`. state: the first one of three players."""
    played(state, "dealer 2", "deal GA GB GC GD RA RK RL YA YB YC YD YE")
    played(state, "deal GE GF GG GH RB RC RD RE YF YG YH YI", "deal GI GJ GK GL RF RG RH RI RJ YJ YK YL")
    lead = state.view(0)
    follow = played(state, "RA+RK").view(1)
    return (
        Example("matter", lead, "RA+RK"),
        Example("idle", lead, "RA+RL", "matter"),
        Example("follow", follow, "YI", "follow"),
    )
