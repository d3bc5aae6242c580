"""A computer player for Topominos: the best turn its rack allows, found exactly, judged by plain weights.

A turn is made of parts: stacks added to, compartments begun, nines completed. Which subsets of the rack fit a
compartment is worked out once; the best way to share the rack among the parts is then a small dynamic
programme over subsets. Every move plans afresh, so a piece
drawn in mid-turn is used as soon as it is seen. What is not seen is judged by counting unseen pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from bot.rules.chance import Generator
from bot.rules.topominos import CELL_INDEX, CELLS, FITTING, FULL, MASKS, TopominosView, rack_size, unseen

_KEEP = (0.0, 2.5, 1.5, 0.5, 0.0)  # what a piece of so many dots is worth kept for later turns
_FRESH = 3.0  # points that the piece drawn for an emptied rack brings on average
_GIFT = 0.25  # how much of what the next player makes of a stack counts against it
_OWN = -1.0  # the same alone at the table, where a stack left is a stack kept
_LATE = 8  # with fewer pieces in the bag, dots on the rack begin to count as lost
_SWAPPED = 3  # pieces of so many dots are exchanged when nothing can be laid


class _Lay(NamedTuple):
    piece: int  # index on the rack
    dots: str
    cell: int


@dataclass(frozen=True, slots=True)
class _Plan:
    """worth: points and weights, against leaving everything as it is. lays: in an order the rules allow (the
    compartment of what comes after a nine may be another; every move plans afresh)."""

    worth: float
    lays: tuple[_Lay, ...] = ()


_Plans = dict[int, _Plan]  # the best plan that uses exactly this subset of the rack, as bits


def choose(view: TopominosView, chance: Generator) -> str:
    """The next move of the best turn found. Raises ValueError where the seat may not act.

    `chance` is not needed: equal plans are told apart by their order.
    """
    if view.seat is None or view.seat not in view.actors:
        raise ValueError("not this seat's turn")
    table = _Table(view)
    plan = table.best()
    if plan.lays:
        lay = plan.lays[0]
        return f"{lay.dots}@{CELLS[lay.cell]}"
    if view.laid:
        return "end"
    return _pass(view)


def _pass(view: TopominosView) -> str:
    """The largest pieces are exchanged: small ones fit more."""
    large = sorted((name for name in view.rack if len(name) >= _SWAPPED), key=len, reverse=True)
    return " ".join(["swap", *sorted(large[: view.bag])]) if large and view.bag else "pass"


class _Table:
    """One choice: the view, and what is worked out from it once."""

    def __init__(self, view: TopominosView) -> None:
        self.view = view
        self.rack = view.rack
        self.fills = view.fills
        self.touched = {CELL_INDEX[cell] for cell in view.touched}
        self.hidden = unseen(view)
        self.hidden_count = max(1, sum(self.hidden.values()))
        self.gifts: dict[int, float] = {}

    # what is legal

    def gift(self, full: int) -> float:
        """What a stack with these dots is worth to whoever comes next: its dots and one more, times the
        chance that one of so many unseen pieces fits."""
        if not full:
            return 0.0
        if full not in self.gifts:
            fits = sum(count for name, count in self.hidden.items() if FITTING[name][full])
            chance = 1 - (1 - fits / self.hidden_count) ** rack_size(self.view.players)
            share = _GIFT if self.view.players > 1 else _OWN
            self.gifts[full] = share * chance * (full.bit_count() + 1)
        return self.gifts[full]

    def gain(self, before: int, held: int, full: int) -> float:
        """Worth of a stack becoming `full`, against staying `before` with `held` points to come from it."""
        rest = 0.0 if full == FULL else self.gift(full)
        return full.bit_count() - held + self.gift(before) - rest

    def kept(self, used: int) -> float:
        """Worth of the pieces that stay on the rack, or of emptying it."""
        left = [name for index, name in enumerate(self.rack) if not used >> index & 1]
        if not left and self.view.bag:
            return _FRESH
        late = max(0.0, 1 - self.view.bag / _LATE)
        return sum((1 - late) * _KEEP[len(name)] - late * len(name) for name in left)

    # parts of a turn

    def parts(self, cell: int, before: int, held: int) -> tuple[_Plans, _Plans]:
        """For each subset of the rack that fits on `before`: the best way short of nine dots, and a nine."""
        found: dict[int, dict[int, tuple[_Lay, ...]]] = {0: {before: ()}}
        below: _Plans = {}
        nines: _Plans = {}
        for used in range(1, 1 << len(self.rack)):
            piece = used.bit_length() - 1
            reached: dict[int, tuple[_Lay, ...]] = {}
            for full, lays in found.get(used & ~(1 << piece), {}).items():
                for dots in FITTING[self.rack[piece]][full]:
                    reached.setdefault(full | MASKS[dots], (*lays, _Lay(piece, dots, cell)))
            if reached:
                found[used] = reached
            for full, lays in reached.items():
                _keep(nines if full == FULL else below, used, _Plan(self.gain(before, held, full), lays))
        return below, nines

    def adding(self) -> tuple[_Plans, _Plans]:
        """Plans of kind B: without a nine, and with one or more, laid last so that A and B stay open."""
        plain: _Plans = {0: _Plan(0.0)}
        nine: _Plans = {}
        for cell, full in enumerate(self.fills):
            if not full:
                continue
            below, nines = self.parts(cell, full, full.bit_count() if cell in self.touched else 0)
            with_nine = {**nine}
            _add(with_nine, _joined(below, nine))
            _add(with_nine, _joined(plain, nines))
            _add(with_nine, _joined(nine, nines))
            _add(plain, list(_joined(below, plain)))
            nine = with_nine
        return plain, nine

    def starting(self, cell: int) -> tuple[_Plans, _Plans]:
        """Plans of kind A, one after the other in an empty compartment: nines only, and with a last part that
        need not be one."""
        below, nines = self.parts(cell, 0, 0)
        all_nines: _Plans = {0: _Plan(0.0)}
        _add(all_nines, nines.items())
        _add(all_nines, list(_joined(all_nines, nines)))  # five pieces of four dots make two nines at most
        last = {**all_nines}
        _add(last, _joined(all_nines, below))
        return all_nines, last

    # whole turns

    def best(self) -> _Plan:
        """The best turn from here on; without lays where ending or passing is better."""
        best = _Plan(self.kept(0))
        for used, plan in self.turns():
            worth = plan.worth + self.kept(used)
            if plan.lays and worth > best.worth + 1e-9:
                best = _Plan(worth, plan.lays)
        return best

    def turns(self) -> Iterator[tuple[int, _Plan]]:
        view = self.view
        if view.start is None:
            yield from self.open_turns(view.mode == "open")
            return
        cell = CELL_INDEX[view.start]
        full = self.fills[cell]
        below, nines = self.parts(cell, full, full.bit_count())
        yield from below.items()
        if nines:
            self.fills = tuple(0 if index == cell else other for index, other in enumerate(self.fills))
            self.touched.discard(cell)
            after: _Plans = {0: _Plan(0.0)}
            _add(after, self.open_turns(True))
            yield from _joined(nines, after)

    def open_turns(self, may_start: bool) -> Iterator[tuple[int, _Plan]]:
        """Turns where B is open, and A too if `may_start`, or else after a nine."""
        plain, nine = self.adding()
        yield from plain.items()
        yield from nine.items()
        empty = next((cell for cell in range(9) if not self.fills[cell]), None)
        if nine or (may_start and empty is not None):
            all_nines, last = self.starting(
                empty or 0
            )  # a nine frees a compartment; which one is all the same
            yield from _joined(nine, last)
            if may_start and empty is not None:
                yield from last.items()
                yield from _joined(all_nines, plain)


def _keep(plans: _Plans, used: int, plan: _Plan) -> None:
    if used not in plans or plan.worth > plans[used].worth:
        plans[used] = plan


def _add(plans: _Plans, more: Iterable[tuple[int, _Plan]]) -> None:
    for used, plan in more:
        _keep(plans, used, plan)


def _joined(first: _Plans, then: _Plans) -> Iterator[tuple[int, _Plan]]:
    """Every plan of `first` with every later one that uses other pieces."""
    for used, plan in first.items():
        for more, other in then.items():
            if not used & more:
                yield used | more, _Plan(plan.worth + other.worth, plan.lays + other.lays)
