"""Sets of cells as whole numbers: a bit for each cell, the first cell's being the highest.

A table of 256 flags read as a number of 256 binary digits is such a set, and "which of these cells are also
among those" is one `&`.
"""

from __future__ import annotations

from collections.abc import Iterable

from .board import SIZE

ONE = tuple(1 << (SIZE - 1 - cell) for cell in range(SIZE))  # each cell by itself
EVERYWHERE = (1 << SIZE) - 1
BEFORE = tuple(EVERYWHERE ^ ((1 << (SIZE - cell)) - 1) for cell in range(SIZE + 1))  # all before a cell


def needed(places: Iterable[int]) -> int:
    """At least so many tiles it takes to lie on one cell of each of these sets."""
    count = taken = 0
    for cells in places:
        if not cells & taken:
            count += 1
            taken |= cells
    return count
