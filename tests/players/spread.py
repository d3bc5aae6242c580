"""What is hidden, dealt as it could be: everywhere as often as in a fair deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import chain
from math import sqrt
from typing import TypeVar

FAR = 4.5  # standard deviations: chance is seeded, so this is for a deal that was written otherwise

T = TypeVar("T", bound=Hashable)


def spread_evenly(hidden: Counter[T], worlds: Sequence[Sequence[Sequence[T]]]) -> None:
    """hidden: all that is. worlds: what of it lies in each place, in each deal."""
    every, sizes = hidden.total(), [len(place) for place in worlds[0]]
    for world in worlds:
        assert Counter(chain(*world)) == hidden
        assert [len(place) for place in world] == sizes
    for number, size in enumerate(sizes):
        came = Counter(chain(*(world[number] for world in worlds)))
        for piece, count in hidden.items():
            share = count / every
            wanted = len(worlds) * size * share
            deviation = sqrt(wanted * (1 - share) * (every - size) / (every - 1))
            assert abs(came[piece] - wanted) <= FAR * deviation, (number, piece, came[piece], wanted)
    different = {tuple(frozenset(Counter(place).items()) for place in world) for world in worlds}
    assert len(different) > len(worlds) / 2, "evenly, and not by turns"
