"""The tiles: how many there are of each value, and what is left of some when others are taken."""

from __future__ import annotations

from functools import lru_cache

TILES = (0, 21, 20, 20, 20, 20, 20)  # how many tiles of each value there are
TOTAL = sum(TILES)
VALUES = (1, 2, 3, 4, 5, 6)


@lru_cache(maxsize=1 << 12)
def without(values: tuple[int, ...], value: int) -> tuple[int, ...]:
    """The values left when one of this value, which must be there, is taken."""
    place = values.index(value)
    return values[:place] + values[place + 1 :]


@lru_cache(maxsize=1 << 12)
def less(values: tuple[int, ...], taken: tuple[int, ...]) -> tuple[int, ...] | None:
    """The values left, sorted, without those taken; None where they are not all there."""
    left = list(values)
    for value in taken:
        if value not in left:
            return None
        left.remove(value)
    return tuple(left)
