"""Whole turns as plans: collected from a view, weighed, and told as lays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.rules.topominos import (
    CELL_INDEX,
    CELLS,
    FITTING,
    MASKS,
    NAMES,
    PIECES,
    TopominosView,
    rack_size,
    unseen,
)

from .figures import FIGURES
from .judge import Judge
from .playout import Table
from .shapes import DOTS, EMPTY, KIND, NINE, PIECE, SIZE
from .turns import ADD, NEW, OPEN, START, Finder, Part, in_order

MOODS: Final = (1.0, 0.0, 0.5, 2.0, 4.0)  # how much stacks left count where turns are looked for
_MODES: Final = {"open": OPEN, "start": START, "add": ADD}


@dataclass(frozen=True, slots=True)
class Plan:
    """The rest of a turn. parts: in order; () to end here, or to pass. worth: points and weights, against
    leaving everything as it is. swap: places of the rack to exchange."""

    worth: float
    parts: tuple[Part, ...] = ()
    swap: tuple[int, ...] = ()

    @property
    def used(self) -> int:
        """The pieces laid, as bits of the rack."""
        return sum(part.used for part in self.parts)


class Seen:
    """A view, as small integers."""

    def __init__(self, view: TopominosView) -> None:
        if view.seat is None or view.seat not in view.actors:
            raise ValueError("not this seat's turn")
        self.view = view
        self.seat = view.seat
        self.rack = tuple([PIECE[name] for name in view.rack])
        self.fills = view.fills
        self.kinds = [KIND[full] for full in self.fills]
        self.touched = sum(1 << CELL_INDEX[cell] for cell in view.touched)
        self.mode = _MODES[view.mode]
        self.start = -1 if view.start is None else CELL_INDEX[view.start]
        self.size = rack_size(view.players)
        self.hidden = [0] * len(PIECES)
        for name, count in unseen(view).items():
            self.hidden[PIECE[name]] = count
        self.judge = Judge(FIGURES[max(2, view.players)], self.hidden, self.size)

    def table(self, racks: list[tuple[int, ...]], bag: list[int]) -> Table:
        """The position to play on from, with these hidden pieces."""
        view = self.view
        assert view.starter is not None
        table = Table(
            racks, bag, self.kinds[:], list(view.points), self.seat, view.starter, self.size, view.passes
        )
        table.mode, table.start, table.touched, table.laid = (
            self.mode, self.start, self.touched, bool(view.laid),
        )  # fmt: skip
        return table

    def before(self) -> int:
        """Points by which the seat led the other one of two when this game of the match began."""
        before = [total - now for total, now in zip(self.view.scores, self.view.points, strict=True)]
        return 2 * before[self.seat] - sum(before)

    def held(self, cell: int) -> int:
        """The points that a stack brings anyhow."""
        return SIZE[self.kinds[cell]] if cell != NEW and self.touched >> cell & 1 else 0

    def nines_at_hand(self) -> list[Part]:
        """Nines that one piece of the rack completes, on stacks that this turn has not added to and may."""
        if self.mode == START:
            return []
        return [
            Part(None, cell, used, NINE)
            for cell, kind in enumerate(self.kinds)
            if kind != EMPTY and not self.touched >> cell & 1
            for used, _ in self.judge.finder.parts(kind, self.rack)[1]
            if used.bit_count() == 1
        ]

    def weighed(self, parts: Sequence[Part]) -> float:
        left = self.judge.left
        worth = 0.0
        for part in parts:
            before = EMPTY if part.cell == NEW else self.kinds[part.cell]
            worth += SIZE[part.kind] - self.held(part.cell) + left[before] - left[part.kind]
        used = sum(part.used for part in parts)
        return worth + self.judge.kept(self.rack, self.view.bag)[used]

    def scored(self, parts: Sequence[Part]) -> int:
        """Points that these parts bring."""
        return sum(SIZE[part.kind] - self.held(part.cell) for part in parts)

    def plans(self) -> list[Plan]:
        """Turns with at least one lay, the best first."""
        found: dict[tuple[tuple[int, tuple[int, ...], int], ...], Plan] = {}
        for mood in MOODS:
            finder = Finder([mood * value for value in self.judge.left]) if mood != 1.0 else self.judge.finder
            turns = finder.turns(self.rack, self.kinds, self.touched, self.mode, self.start)
            for last in turns.last:
                if last is None:
                    continue
                parts = tuple(in_order(last, self.mode))
                key = tuple([(part.cell, self.pieces(part), part.kind) for part in parts])
                if key not in found:
                    found[key] = Plan(self.weighed(parts), parts)
        return sorted(found.values(), key=lambda plan: -plan.worth)

    def pieces(self, part: Part) -> tuple[int, ...]:
        return tuple([piece for place, piece in enumerate(self.rack) if part.used >> place & 1])

    def cell(self, part: Part) -> int:
        """Where it is laid; an empty compartment is the first one that is empty now."""
        if part.cell != NEW:
            return part.cell
        return self.kinds.index(EMPTY) if EMPTY in self.kinds else -1

    def lays(self, part: Part) -> list[str]:
        """The texts of the lays of a part that can be laid now, in the order found first."""
        cell = self.cell(part)
        return self._lays(part, cell, self.fills[cell])

    def _lays(self, part: Part, cell: int, full: int) -> list[str]:
        """full: what is filled of that compartment."""
        names = [PIECES[piece] for piece in sorted(self.pieces(part), key=lambda piece: -DOTS[piece])]
        laid = next(_shown(names, full, part.kind))
        return [f"{dots}@{CELLS[cell]}" for dots in laid]

    def all_lays(self, plan: Plan) -> list[str]:
        """The texts of all lays of the plan, in an order in which they can be laid. A compartment that is
        begun is the first one that is empty then: nines leave theirs."""
        fills = list(self.fills)
        found = []
        for part in plan.parts:
            cell = fills.index(0) if part.cell == NEW else part.cell
            lays = self._lays(part, cell, fills[cell])
            found += lays
            fills[cell] = 0 if part.kind == NINE else -1  # no other part of the turn is laid there
        return found

    def in_first_empty(self, lay: str) -> str:
        """The lay, if it is in an empty compartment, in the first of these: they are all alike."""
        dots, _, cell = lay.partition("@")
        return lay if self.kinds[CELL_INDEX[cell]] else f"{dots}@{CELLS[self.kinds.index(EMPTY)]}"

    def part(self, lay: str) -> Part:
        """A lay as a part of a turn."""
        dots, _, name = lay.partition("@")
        cell = CELL_INDEX[name]
        kind = KIND[self.fills[cell] | MASKS[dots]]
        used = 1 << self.rack.index(PIECE[NAMES[dots]])
        return Part(None, cell if self.kinds[cell] else NEW, used, kind)

    def places(self, names: Sequence[str]) -> tuple[int, ...]:
        """Places on the rack of these pieces."""
        found: list[int] = []
        for name in names:
            found.append(
                next(at for at, held in enumerate(self.rack) if held == PIECE[name] and at not in found)
            )
        return tuple(found)

    def first_lays(self, plan: Plan) -> list[str]:
        """The lays that the plan can begin with."""
        first = plan.parts[0]
        if first.cell == NEW or self.mode == START:
            return self.lays(first)
        return [lay for part in plan.parts if part.cell != NEW for lay in self.lays(part)]


def _shown(names: Sequence[str], full: int, kind: int) -> Iterator[tuple[str, ...]]:
    """Ways to lay these pieces, one after the other, that make a stack of that kind."""
    if not names:
        if KIND[full] == kind:
            yield ()
        return
    for dots in FITTING[names[0]][full]:
        for rest in _shown(names[1:], full | MASKS[dots], kind):
            yield (dots, *rest)
