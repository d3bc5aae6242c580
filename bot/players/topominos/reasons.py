"""Why a plan is good, and how hard it is to find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.players.contract import Term
from bot.rules.topominos import CELLS, PIECES

from .plans import Plan, Seen
from .shapes import DOTS, EMPTY, LAID, NINE, SIZE
from .turns import NEW, Part

MOST: Final = 3  # reasons
LITTLE: Final = 1.0  # points; less is no reason
FEW: Final = 2  # compartments where a piece does not fit that fits almost anywhere


def reasons(seen: Seen, plan: Plan, best: float) -> tuple[Term, ...]:
    """The weightiest terms of what the plan is worth. best: what the best one there is worth."""
    if plan.swap:
        key = _exchanged(seen, plan)
        return (Term(key, plan.worth, (("n", len(plan.swap)),)),) if key else ()
    if not plan.parts:
        key = _idle(seen, plan, best)
        return (Term(key, plan.worth),) if key else ()
    found = [*_scoring(seen, plan.parts), *_lasting(seen, plan)]
    found.sort(key=lambda term: -term.worth)
    return tuple(found[:MOST])


def _idle(seen: Seen, plan: Plan, best: float) -> str:
    """Why nothing is laid or exchanged; "" where it only came out so."""
    view = seen.view
    if not view.laid and not view.bag:
        return "topominos.why.stuck"
    if view.players == 1:  # where neither what could be laid nor the rack is weighed here
        return "topominos.why.end_alone" if view.laid else ""
    if plan.worth < best:
        return ""
    return "topominos.why.end" if view.laid else "topominos.why.pass"


def _exchanged(seen: Seen, plan: Plan) -> str:
    """What is hoped for of an exchange; "" for nothing, in the last round, where no smaller piece is left."""
    if not seen.view.last_round:
        return "topominos.why.swap"
    smallest = min([DOTS[piece] for piece, count in enumerate(seen.hidden) if count])
    smaller = smallest < max([DOTS[seen.rack[place]] for place in plan.swap])
    return "topominos.why.swap_last" if smaller else ""


def _scoring(seen: Seen, parts: Sequence[Part]) -> list[Term]:
    found = []
    nines = [part for part in parts if part.kind == NINE]
    if len(nines) == 1:
        place = CELLS[seen.cell(nines[0])]
        found.append(Term("topominos.why.nine", 9.0, (("cell", place),)))
    elif nines:
        found.append(Term("topominos.why.nines", 9.0 * len(nines), (("count", len(nines)),)))
    begun = [part for part in parts if part.kind != NINE and part.cell == NEW]
    found += [
        Term("topominos.why.begun", float(SIZE[part.kind]), (("n", SIZE[part.kind]),)) for part in begun
    ]
    added = [part for part in parts if part.kind != NINE and part.cell != NEW]
    points = seen.scored(added)
    if len(added) == 1:
        place = CELLS[added[0].cell]
        one = (("cell", place), ("dots", SIZE[added[0].kind]))
        found.append(Term("topominos.why.added", float(points), one))
    elif added:
        dots = sum([SIZE[part.kind] for part in added])  # of them all, as they count when the turn ends
        values = (("count", len(added)), ("points", dots))
        found.append(Term("topominos.why.several", float(points), values))
    return found


def _lasting(seen: Seen, plan: Plan) -> list[Term]:
    found = []
    left, view = seen.judge.left, seen.view
    whole = plan.used == (1 << len(seen.rack)) - 1
    if whole and view.bag:
        found.append(Term("topominos.why.emptied", seen.judge.kept(seen.rack, view.bag)[plan.used]))
    spared = 0.0
    for part in plan.parts:
        spared += (left[seen.kinds[part.cell]] if part.cell != NEW else left[EMPTY]) - left[part.kind]
    kinds = _after(seen, plan)
    follows = view.players > 1 and not _is_last(seen, whole)
    if follows and spared >= LITTLE and _by_one(seen, kinds) < _by_one(seen, seen.kinds):
        found.append(Term("topominos.why.spared", spared))
    small = [
        piece
        for place, piece in enumerate(seen.rack)
        if DOTS[piece] == 1
        and not plan.used >> place & 1
        and sum([not LAID[piece][kind] for kind in kinds]) <= FEW
    ]
    if small and view.bag:
        found.append(Term("topominos.why.kept", LITTLE * len(small), (("piece", PIECES[small[0]]),)))
    return found


def _is_last(seen: Seen, whole: bool) -> bool:
    """Whether the game ends with this turn. whole: it uses up the rack."""
    view = seen.view
    last_of_round = (seen.seat + 1) % view.players == view.starter
    return last_of_round and (view.last_round or (whole and not view.bag))


def _by_one(seen: Seen, kinds: Sequence[int]) -> int:
    """The most dots that a stack has by one piece more, summed over the pieces that are not seen."""
    there = set(kinds)
    return sum(
        count * max([SIZE[after] for kind in there for after in LAID[piece][kind]], default=0)
        for piece, count in enumerate(seen.hidden)
        if count
    )


def _after(seen: Seen, plan: Plan) -> list[int]:
    """The kinds of all stacks after the plan."""
    kinds = seen.kinds[:]
    for part in plan.parts:
        cell = kinds.index(EMPTY) if part.cell == NEW else part.cell
        kinds[cell] = EMPTY if part.kind == NINE else part.kind
    return kinds


def hidden(seen: Seen, plan: Plan) -> float:
    """How hard it is to find: what goes together on one stack, wide pieces to be turned, and what scores less
    now than it might."""
    if not plan.parts:
        return 0.0
    first = plan.parts[0]
    together = first.used.bit_count() - 1
    widest = max(DOTS[piece] for piece in seen.pieces(first))
    return min(0.95, 0.15 + 0.1 * (widest - 1) + 0.2 * together)
