"""Who wins a game and a series of 5 vor 12, and the points of a series (rules 5 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .board import SIZE
from .view import GameResult

WINNER_POINTS: Final = 2


def best(scores: Sequence[int]) -> tuple[int, ...]:
    """The seats with the highest score, sorted: by cells filled where the stock is empty (rule 5: fewest free
    cells), by points at the end of a series (rule 6).

    >>> best([4, 7, 7])
    (1, 2)
    """
    most = max(scores)
    return tuple(seat for seat, score in enumerate(scores) if score == most)


def result(filled: tuple[int, ...], winners: tuple[int, ...], reason: str) -> GameResult:
    """A finished game of a series: each winner has two points, everyone else loses one per free cell, also
    when a winner by empty stock has free cells (rule 6)."""
    points = tuple(WINNER_POINTS if seat in winners else count - SIZE for seat, count in enumerate(filled))
    return GameResult(filled, winners, reason, points)
