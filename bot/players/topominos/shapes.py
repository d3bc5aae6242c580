"""Stacks and pieces as small integers, for quick simulation.

A stack is told by its `kind`: its dots up to turning and turning over, which is all that what fits on it goes
by, since a piece may be turned and turned over too. There are 102 kinds, `EMPTY` the first and `NINE` the
last. A piece is its place in `PIECES`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from bot.rules.topominos import FACES, FULL, MASKS, PIECES

_TURNED: Final = tuple(3 * column + 2 - row for row in range(3) for column in range(3))
_TURNED_OVER: Final = tuple(3 * row + 2 - column for row in range(3) for column in range(3))


def _moved(mask: int, places: tuple[int, ...]) -> int:
    return sum(1 << places[bit] for bit in range(9) if mask >> bit & 1)


def _first_image(mask: int) -> int:
    images = []
    for _ in range(4):
        mask = _moved(mask, _TURNED)
        images += [mask, _moved(mask, _TURNED_OVER)]
    return min(images)


_FIRST: Final = [_first_image(mask) for mask in range(FULL + 1)]
SHOWN: Final = tuple(sorted(set(_FIRST)))
"""One mask of each kind."""
_NUMBER: Final = {mask: kind for kind, mask in enumerate(SHOWN)}
KIND: Final = tuple(_NUMBER[first] for first in _FIRST)
"""Kind by mask."""
KINDS: Final = len(SHOWN)
EMPTY: Final = 0
NINE: Final = KINDS - 1
SIZE: Final = tuple(mask.bit_count() for mask in SHOWN)
"""Dots by kind."""

PIECE: Final = {name: number for number, name in enumerate(PIECES)}
"""Number of a piece by name; numbers are in the order of names."""
DOTS: Final = tuple(len(name) for name in PIECES)
"""Dots by piece."""


def _results(name: str, kind: int) -> tuple[int, ...]:
    full = SHOWN[kind]
    return tuple(sorted({KIND[full | MASKS[dots]] for dots in FACES[name] if not MASKS[dots] & full}))


LAID: Final = tuple(tuple(_results(name, kind) for kind in range(KINDS)) for name in PIECES)
"""The kinds that a stack can become when a piece is laid on it, by piece and kind; () where none fits."""


@lru_cache(maxsize=1 << 16)
def reached(kind: int, pieces: tuple[int, ...]) -> tuple[int, ...]:
    """The kinds that a stack can become when all of these pieces are laid on it."""
    if not pieces:
        return (kind,)
    last = LAID[pieces[-1]]
    return tuple(sorted({after for before in reached(kind, pieces[:-1]) for after in last[before]}))
