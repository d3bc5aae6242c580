"""How many rolls it takes alone until a column is full, if every number called fits everywhere.

No way of playing is quicker: a roll brings one number at most, to the column of its face, or by the joker to
any. From the set-up that is 28.43 rolls on average, which is therefore the best there is alone.
"""

from __future__ import annotations

from functools import cache
from math import fsum, inf

from bot.rules.top12 import FACES


@cache
def rolls(missing: tuple[int, ...]) -> float:
    """missing: free cells of each column that can be filled, fewest first. On average, with the joker in the
    best column; a face of a dead column is a roll that brings nothing."""
    if not missing:
        return inf
    if not missing[0]:
        return 0.0
    after = [rolls(one_less(missing, at)) for at in range(len(missing))]
    return (len(FACES) + fsum(after) + min(after)) / (len(missing) + 1)


def one_less(missing: tuple[int, ...], at: int) -> tuple[int, ...]:
    """With one number more in the column at that place."""
    return tuple(sorted([*missing[:at], missing[at] - 1, *missing[at + 1 :]]))
