"""Why a turn, and how hard it is for a person to find."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, prod

from bot.rules.zatre import Row

from ..contract import Term
from .grid import CROSS, KIND, NO_FIT, parts
from .judge import Judge, Weighed

MOST_TERMS = 3
_MUCH = 0.5  # points of the evaluation by which a turn leaves more or less than others, to be told
_SEEN = 0.05  # the same, of points that can be counted
_TWO_TILES = 0.25  # how much harder two tiles are to find than one
_TOGETHER = 0.2  # that complete a run only together
_MANY_RUNS = 0.15  # for every run beyond the first
_VARIANT = 0.6  # for a turn that gains what a better one does, of what else would be seen


def terms(judge: Judge, one: Weighed, for_next: Sequence[Term]) -> tuple[Term, ...]:
    """The weightiest reasons; among them that a row is filled, whatever else weighs more: its bonus is what
    everybody plays for. for_next: of `left`."""
    bonus = _filled(judge, one)
    others = [*_gained(judge, one), *_kept(judge, one), *for_next]
    told = [*sorted(others, key=_weight)[: MOST_TERMS - len(bonus)], *bonus]
    return tuple(sorted(told, key=_weight))


def left(judge: Judge, ranked: Sequence[Weighed]) -> list[list[Term]]:
    """By turn, what is told of what it leaves to whoever is next: where that is better for the own sheet than
    on average, in the evaluation and in points that anybody can count."""
    if judge.last:
        return [[] for _ in ranked]
    counted = [judge.by_one(one) for one in ranked]
    usual, given = fsum(counted) / len(ranked), fsum([one.given for one in ranked]) / len(ranked)
    key, side = ("zatre.why.leaves_partner", -1) if judge.partner_next else ("zatre.why.leaves_little", 1)
    return [
        [Term(key, given - one.given)]
        if given - one.given > _MUCH and side * (usual - points) > _SEEN
        else []
        for one, points in zip(ranked, counted, strict=True)
    ]


def _weight(term: Term) -> tuple[float, str]:
    return -term.worth, term.key


def _gained(judge: Judge, one: Weighed) -> list[Term]:
    ten, eleven, twelve, crosses = parts(one.gain)
    if not one.gain:
        return []
    runs = one.gain % CROSS
    sums = ["12"] * twelve + ["11"] * eleven + ["10"] * ten
    found = [Term("zatre.why.runs", judge.scored(runs), (("runs", ", ".join(sums)),))]
    if crosses:
        worth = judge.scored(one.gain) - judge.scored(runs)
        found.append(Term("zatre.why.crosses", worth, (("n", crosses),)))
    return found


def _filled(judge: Judge, one: Weighed) -> list[Term]:
    before = judge.counts[judge.own][:3]
    after = [count + bool(more) for count, more in zip(before, parts(one.gain)[:3], strict=True)]
    row = min(after)
    if row == min(before):
        return []
    bonus = Row(row, 1, 1, 1, False).bonus
    return [Term("zatre.why.row", float(bonus), (("row", row), ("n", bonus)))]


def _kept(judge: Judge, one: Weighed) -> list[Term]:
    kept = judge.turn.rest(one.laid)
    if judge.last and not kept:
        return [Term("zatre.why.all_laid", float(sum(judge.turn.held)))]
    if kept and not judge.turn.opening and _comes_again(judge):
        return [Term("zatre.why.keeps", 0.1, (("tiles", ", ".join(map(str, kept))),))]
    return []


def _comes_again(judge: Judge) -> bool:
    """Whether there may be another turn: the others need not empty the bag before it (rules 5 and 10)."""
    view = judge.view
    drawn = sum([max(0, 2 - count) for seat, count in enumerate(view.counts) if seat != judge.seat])
    return drawn < view.bag


def hidden(judge: Judge, one: Weighed, better: Sequence[Weighed]) -> float:
    """How hard it is to find. better: the turns before it. Who lays tiles so that they gain less than they
    could does it for what that leaves to others, which nobody sees who overlooks anything."""
    if one.less:
        return 1.0
    ten, eleven, twelve, _ = parts(one.gain)
    found = _MANY_RUNS * max(0, ten + eleven + twelve - 1)
    if one.gain and len(one.laid) > 1 and not judge.turn.opening:
        found += _TWO_TILES
        code = judge.grid.code
        if any(KIND[value][code[cell]] == NO_FIT for cell, value in one.laid):
            found += _TOGETHER
    found = min(found, 0.9)
    variants = sum(other.gain == one.gain for other in better)
    return 1.0 - (1.0 - found) * prod([1.0 - _VARIANT] * min(variants, 3))
