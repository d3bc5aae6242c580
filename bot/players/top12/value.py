"""The chance to win a position, as learned from games of the player against itself.

Two sheets are compared, of which one calls next. Each column of the one goes with the same column of the
other (they have their faces in common) through the same small layer; what comes of the five is added up, and
goes with what tells of the sheets as a whole through a second one. Against several others the worst of these
comparisons counts.

The figures are in `figures.json`, in the form that `bot/players/top12/learn.py` makes (docs/players.md tells
what made these). Beside rounded logarithms nothing but sums, products and quotients is in here: they are the
same on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from math import comb, fsum, log
from operator import mul, sub
from pathlib import Path
from typing import NamedTuple

from bot.rules.top12 import MOST, ROWS

from .columns import Column, rounded
from .judge import Sheet

CLIP = 2.5  # of what a call brings: a column that it may complete is worth no more
LEAST = 1e-3  # beside a strength, which may be 0

PAIR = 12  # figures of two columns: ten of their own, and each one's part in its sheet's strength
WHOLE = 5  # figures of two sheets


class Figures(NamedTuple):
    """columns: by neuron, the weights of a pair's figures, then what is added. hidden: the same for the sums
    over the columns and the sheets' figures. out: the same for one answer."""

    columns: list[list[float]]
    hidden: list[list[float]]
    out: list[float]


@cache
def figures() -> Figures:
    """As they were learned."""
    kept = json.loads(Path(__file__).with_name("figures.json").read_text(encoding="ascii"))
    return Figures(kept["columns"], kept["hidden"], kept["out"])


# what a run of so many numbers and cells adds to the logarithm of its column's share of fitting numbers
_LOGS = tuple(
    [
        tuple([rounded(log(comb(numbers, cells))) if cells <= numbers else 0.0 for cells in range(ROWS + 1)])
        for numbers in range(MOST + 1)
    ]
)


def _share(one: Column) -> float:
    """Logarithm of the share of all ways to pick the missing numbers that fit; 0 in a dead column."""
    if one.dead:
        return 0.0
    ways = fsum([_LOGS[below - above - 1][length] for length, above, below, _ in one.runs])
    return ways - _LOGS[MOST - ROWS + one.missing][one.missing]


@lru_cache(maxsize=1 << 12)
def pair_figures(one: Column, other: Column) -> tuple[float, ...]:
    """Of two columns with the same face."""
    return (
        one.missing / ROWS,
        other.missing / ROWS,
        one.open.bit_count() / MOST,
        other.open.bit_count() / MOST,
        (one.open & ~other.open).bit_count() / MOST,
        (other.open & ~one.open).bit_count() / MOST,
        _share(one) / 10,
        _share(other) / 10,
        float(one.dead),
        float(other.dead),
    )


def whole_figures(one: Sheet, other: Sheet) -> tuple[float, ...]:
    """Of two sheets: which is the stronger, what the best call brings each more than the other, and how near
    the end they are."""
    more = list(map(sub, one.shares, other.shares))[1:]
    return (
        2.0 * (one.strength - other.strength) / (one.strength + other.strength + LEAST),
        min(5.0 * max(more), CLIP),
        min(-5.0 * min(more), CLIP),
        _nearest(one) / ROWS,
        _nearest(other) / ROWS,
    )


def _nearest(one: Sheet) -> int:
    """Free cells of the fullest column that can be filled."""
    return min([each.missing for each in one.columns if not each.dead], default=ROWS)


def parts(one: Sheet, other: Sheet, at: int) -> tuple[float, float]:
    """Each one's column's part in its sheet's strength."""
    return (
        one.columns[at].worth / (one.strength + LEAST),
        other.columns[at].worth / (other.strength + LEAST),
    )


def pair_chance(one: Sheet, other: Sheet, known: Figures) -> float:
    """The chance of `one`, which calls next, to be better at the end than `other`."""
    sums = [0.0] * len(known.columns)
    for at, (mine, others) in enumerate(zip(one.columns, other.columns, strict=True)):
        part, other_part = parts(one, other, at)
        for neuron, (before, weight, other_weight) in enumerate(_before(mine, others)):
            value = before + weight * part + other_weight * other_part
            if value > 0.0:
                sums[neuron] += value
    seen = (*sums, *whole_figures(one, other), 1.0)
    found = known.out[-1]
    for weights, weight in zip(known.hidden, known.out, strict=False):
        value = fsum(map(mul, weights, seen))
        if value > 0.0:
            found += weight * value
    return 0.5 * (1.0 + found / (1.0 + abs(found)))


@lru_cache(maxsize=1 << 12)
def _before(one: Column, other: Column) -> tuple[tuple[float, float, float], ...]:
    """By neuron of the first layer: what two columns come to but for their parts in their sheets' strength,
    and the weights of those."""
    seen = pair_figures(one, other)
    return tuple(
        [
            (fsum(map(mul, weights, seen)) + weights[PAIR], weights[PAIR - 2], weights[PAIR - 1])
            for weights in figures().columns
        ]
    )


def chance_to_win(sheets: Sequence[Sheet], seat: int, caller: int) -> float:
    """The chance of that seat to win, `caller` being the one that calls next, where no column is full."""
    known = figures()
    least = 1.0
    for other, sheet in enumerate(sheets):
        if other == seat:
            continue
        if other == caller:
            chance = 1.0 - pair_chance(sheet, sheets[seat], known)
        else:
            chance = pair_chance(sheets[seat], sheet, known)
        least = min(least, chance)
    return least
