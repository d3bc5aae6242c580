"""Why a move is good: terms of the evaluation, the weightiest first, at most three."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from bot.players.contract import Term
from bot.rules.top12 import LETTERS, MOST, ROWS, Top12View

from . import judge
from .columns import Column

MOST_TERMS = 3


def spread(rows: Sequence[int]) -> Term:
    """Of a set-up, by its rows."""
    return Term("top12.why.spread" if any(rows) else "top12.why.first_row", judge.POINTS)


def call(view: Top12View, number: int, gain: float, rival: float) -> tuple[Term, ...]:
    """Of a call. gain: own, rival: of the best of the others, by their sheets' strength."""
    own = judge.sheet(view.sheets[cast("int", view.seat)])
    found: list[Term] = []
    for at, one in enumerate(own.columns):
        if one.missing == 1 and one.open >> number & 1:
            found.append(Term("top12.why.can_finish", judge.FULL_GAIN, (("column", LETTERS[at]),)))
    if view.players == 1 and judge.rising(own.columns) == number and _is_largest(own, number):
        found.append(Term("top12.why.largest", judge.POINTS))
    fits = sum([one.open >> number & 1 for one in own.columns if not one.dead])
    if fits:
        found.append(Term("top12.why.fits", judge.POINTS * gain, (("n", fits),)))
    if view.players > 1:
        most = max([_fitting(view, seat, number) for seat in range(view.players) if seat != view.seat])
        if most < fits:
            key = "top12.why.others_fewer" if most else "top12.why.others_none"
            found.append(Term(key, judge.POINTS * (gain - rival), (("n", most),) if most else ()))
    return _weightiest(found)


def _is_largest(own: judge.Sheet, number: int) -> bool:
    """Whether it is above all numbers and fits everywhere, in dead columns too, and larger ones are left."""
    return all(max(one.cells) < number < MOST and one.open >> number & 1 for one in own.columns)


def _fitting(view: Top12View, seat: int, number: int) -> int:
    """In how many columns of a seat it is of use: it fits, and they can be filled."""
    return sum([one.open >> number & 1 for one in judge.sheet(view.sheets[seat]).columns if not one.dead])


def entry(view: Top12View, at: int, row: int, after: Column) -> tuple[Term, ...]:
    """Of an entry, by which the column becomes `after`."""
    own = judge.sheet(view.sheets[cast("int", view.seat)])
    letter = ("column", LETTERS[at])
    if not after.missing:
        return (Term("top12.why.full", judge.POINTS * judge.FULL_GAIN, (letter,)),)
    gained = judge.POINTS * own.gain(at, after)
    found = [Term("top12.why.nearer", gained, (letter, ("n", ROWS - after.missing)))]
    around = [
        (below - above - 1, length, "top12.why.room_below" if first > row else "top12.why.room_above")
        for length, above, below, first in after.runs
        if first + length == row or first == row + 1
    ]
    if around and not after.dead:
        numbers, cells, key = min(around, key=lambda one: (one[0], -one[1]))
        found.append(Term(key, judge.POINTS / 10, (("numbers", numbers), ("n", cells))))
    elif not around:
        found.append(Term("top12.why.between", judge.POINTS / 10))
    return _weightiest(found)


def _weightiest(found: list[Term]) -> tuple[Term, ...]:
    return tuple(sorted(found, key=lambda term: -term.worth)[:MOST_TERMS])
