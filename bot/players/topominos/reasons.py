"""Why a plan is good, and how hard it is to find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.players.contract import Term
from bot.rules.topominos import CELLS, PIECES

from .plans import Plan, Seen
from .shapes import DOTS, EMPTY, NINE, SIZE
from .turns import NEW, Part

MOST: Final = 3  # reasons
LITTLE: Final = 1.0  # points; less is no reason


def reasons(seen: Seen, plan: Plan) -> tuple[Term, ...]:
    """The weightiest terms of what the plan is worth."""
    if plan.swap:
        return (Term("topominos.why.swap", plan.worth, (("count", len(plan.swap)),)),)
    if not plan.parts:
        return (Term("topominos.why.end" if seen.view.laid else "topominos.why.pass", plan.worth),)
    found = [*_scoring(seen, plan.parts), *_lasting(seen, plan)]
    found.sort(key=lambda term: -term.worth)
    return tuple(found[:MOST])


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
        values = (("count", len(added)), ("points", points))
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
    if view.players > 1 and spared >= LITTLE:
        found.append(Term("topominos.why.spared", spared))
    small = [
        piece for place, piece in enumerate(seen.rack) if DOTS[piece] == 1 and not plan.used >> place & 1
    ]
    if small and view.bag:
        found.append(Term("topominos.why.kept", LITTLE * len(small), (("piece", PIECES[small[0]]),)))
    return found


def hidden(seen: Seen, plan: Plan) -> float:
    """How hard it is to find: what goes together on one stack, wide pieces to be turned, and what scores less
    now than it might."""
    if not plan.parts:
        return 0.0
    first = plan.parts[0]
    together = first.used.bit_count() - 1
    widest = max(DOTS[piece] for piece in seen.pieces(first))
    return min(0.95, 0.15 + 0.1 * (widest - 1) + 0.2 * together)
