"""Things in an order by chance, the same on every Python: by `random()` alone (see `contract.py`)."""

from __future__ import annotations

from random import Random
from typing import Final, TypeVar

GOLDEN: Final = 0.6180339887498949  # its multiples fill the range from 0 to 1 most evenly

T = TypeVar("T")


def shuffle(things: list[T], chance: Random) -> None:
    """Each order is as likely as any other."""
    for last in range(len(things) - 1, 0, -1):
        other = int(chance.random() * (last + 1))
        things[last], things[other] = things[other], things[last]
