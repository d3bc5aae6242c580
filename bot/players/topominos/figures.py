"""Figures learned from self-play by `learn.py`, by number of players."""

from __future__ import annotations

from typing import Final, NamedTuple


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


_TWO = Figures(
    stays=(0.0, 0.43, 0.87, 0.83, -1.48, -0.87, -0.28, 0.12, 0.24, 0.0),
    fits=(0.0, 0.44, 0.87, 0.52, 3.69, 2.41, 1.19, 0.75, -0.06, 0.0),
    keep=(0.0, 1.6, 0.63, -0.68, -1.25),
    late=(0.0, 1.78, 0.83, -2.44, -3.22),
    fresh=3.0,
)
_THREE = Figures(
    stays=(0.0, 0.42, 0.61, 0.86, 0.04, -0.12, -0.22, -0.01, 0.25, 0.0),
    fits=(0.0, 0.43, 0.64, 1.17, 1.88, 1.32, 1.96, 1.34, 0.75, 0.0),
    keep=(0.0, 1.89, 1.46, -0.76, -1.5),
    late=(0.0, 1.0, 0.14, -2.59, -3.38),
    fresh=3.0,
)
_FOUR = Figures(
    stays=(0.0, 0.58, -0.33, 0.83, 0.01, 0.33, 0.11, 0.15, 0.33, 0.0),
    fits=(0.0, 0.58, -0.32, 0.37, 1.75, 1.47, 1.45, 1.37, 0.64, 0.0),
    keep=(0.0, 2.32, 1.01, -0.78, -2.05),
    late=(0.0, 1.61, 0.14, -2.15, -2.96),
    fresh=3.0,
)
FIGURES: Final = {2: _TWO, 3: _THREE, 4: _FOUR}
SOLO: Final = SoloFigures(
    stays=(0.0, 2.46, 0.4, 4.39, 3.54, 1.36, -2.42, -5.15, -5.87, 0.0),
    fits=(0.0, 0.49, 0.25, -1.37, -2.99, 0.17, 0.01, -0.26, 3.18, 0.0),
    piece=(0.0, 9.84, 7.59, 4.4, 4.28),
    wanted=(0.0, 0.0),
)
