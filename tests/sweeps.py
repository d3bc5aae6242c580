"""Of many values of one thing some are tried every day, and the others by the long tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def swept(values: Iterable[Any], *, daily: int | Collection[Any] = 1) -> list[Any]:
    """The values, for `parametrize`, all but those of every day marked `long`. daily: how many of the first
    are for every day; or which ones. Raises ValueError where none would be."""
    some = list(values)
    kept = _kept(some, daily)
    return [one if one in kept else pytest.param(one, marks=pytest.mark.long) for one in some]


def swept_rows(rows: Iterable[tuple[Any, ...]], *, daily: int | Collection[Any] = 1) -> list[Any]:
    """As `swept`, where each value is one of several arguments."""
    some = list(rows)
    kept = _kept(some, daily)
    return [row if row in kept else pytest.param(*row, marks=pytest.mark.long) for row in some]


def _kept(some: list[Any], daily: int | Collection[Any]) -> list[Any]:
    kept = some[:daily] if isinstance(daily, int) else list(daily)
    if not kept or any(one not in some for one in kept):
        raise ValueError(f"{kept or None} of {some} for every day")
    return kept
