"""How strong a computer player is: known to tables, which keep it, and to players, which play so."""

from __future__ import annotations

from enum import StrEnum


class Level(StrEnum):
    """In order of strength. medium: what stands in for people too."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
