"""Who plays whom, and what is aimed at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from bot.bench import CONTESTANTS
from bot.levels import Level
from bot.rules.game import AnyGame

from .greedy import GREEDY
from .matches import GREEDY_PLAYER


@dataclass(frozen=True, slots=True)
class Goal:
    """least: the bound is one from below."""

    bound: float
    least: bool = True


def contestants(game: str, levels: tuple[str, ...]) -> list[str]:
    """Those wanted that there are for a game, the weakest first."""
    return [name for name in CONTESTANTS if name in levels and (name != GREEDY_PLAYER or game in GREEDY)]


def matches(game: str, levels: tuple[str, ...]) -> list[tuple[str, str]]:
    """Each against the next weaker, and the strongest against the plain opponent."""
    there = contestants(game, CONTESTANTS)
    found = [(stronger, weaker) for weaker, stronger in pairwise(there)]
    if GREEDY_PLAYER in there:
        found.append((Level.HARD.value, GREEDY_PLAYER))
    return [pair for pair in found if {*pair} <= {*levels}]


def seat_counts(rules: AnyGame) -> tuple[int, ...]:
    """Alone, at the smallest table of two or more, and with four, as far as the game has it."""
    able = rules.seat_counts({})
    smallest = min((count for count in able if count > 1), default=0)
    return tuple(count for count in able if count in (1, smallest, 4))


_AGAINST_GREEDY = {"top12": 0.9, "fivetotwelve": 0.8, "zatre": 0.8, "topominos": 0.8}


def share_goals(game: str, seats: int, one: str, others: str) -> tuple[Goal, ...]:
    """Of the wins of one against others."""
    match one, others:
        case Level.MEDIUM, Level.EASY if seats == 2:
            return Goal(0.75), Goal(0.85, least=False)
        case Level.HARD, Level.MEDIUM if seats == 2:
            return (Goal(0.65),)
        case Level.HARD, Level.MEDIUM if seats == 4:
            return (Goal(0.35),)
        case Level.HARD, "greedy" if seats == 2 and game in _AGAINST_GREEDY:
            return (Goal(_AGAINST_GREEDY[game]),)
        case Level.HARD, "greedy" if (game, seats) == ("topspot", 5):
            return (Goal(0.75),)
    return ()


MOST_MEAN: Final = {Level.HARD.value: 0.2}  # seconds of thinking
MOST: Final = {Level.EASY.value: 0.1, Level.MEDIUM.value: 0.1, Level.HARD.value: 2.0}


_ALONE = {
    "top12": ("rolls", {Level.HARD.value: (Goal(25.5, least=False),)}),
    "topominos": ("points", {Level.HARD.value: (Goal(270.0),)}),
}


def alone(game: str) -> tuple[str, Mapping[str, tuple[Goal, ...]]]:
    """What a game alone is measured by, and what is aimed at, by contestant."""
    return _ALONE.get(game, ("points", {}))
