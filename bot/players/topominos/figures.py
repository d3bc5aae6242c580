"""Figures learned from self-play, by number of players (`figures.json`, made by `learn.py`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple


class Figures(NamedTuple):
    """What positions are worth, in points.

    stays: by dots, what a stack costs whoever leaves it to the others, however little fits. fits: by dots,
    what more it costs, times the chance that one of the next player's pieces fits. keep: by dots, what a
    piece kept on the rack is worth more than one drawn. late: the same where the bag is empty. fresh: what
    comes of the piece drawn for an emptied rack.
    """

    stays: tuple[float, ...]
    fits: tuple[float, ...]
    keep: tuple[float, ...]
    late: tuple[float, ...]
    fresh: float


class SoloFigures(NamedTuple):
    """What positions are worth alone, in points.

    stays, fits: by dots, what a stack will bring, however little fits, and times the chance that something
    does. piece: by dots, what a piece not yet laid will bring. wanted: by exchanges made before, what a lay
    must be worth beyond what its piece brings on average, or the rack is exchanged.
    """

    stays: tuple[float, ...]
    fits: tuple[float, ...]
    piece: tuple[float, ...]
    wanted: tuple[float, ...]


def _kept() -> tuple[SoloFigures, dict[int, Figures]]:
    read = json.loads(Path(__file__).with_name("figures.json").read_text(encoding="ascii"))

    def of(players: int) -> dict[str, Any]:
        parts = read[str(players)].items()
        return {name: tuple(value) if isinstance(value, list) else value for name, value in parts}

    return SoloFigures(**of(1)), {players: Figures(**of(players)) for players in (2, 3, 4)}


SOLO, FIGURES = _kept()
