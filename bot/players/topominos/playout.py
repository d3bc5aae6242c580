"""Games that could be, played on quickly: every seat takes the best turn by evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from bot.rules.topominos.state import PASSED_ROUNDS

from .judge import Judge
from .shapes import DOTS, EMPTY, LAID, NINE, SIZE
from .turns import ADD, NEW, OPEN, START, Part, in_order


class Table:
    """A position between two lays, of one game.

    racks: sorted. bag: drawn from by seat 0 at one end and by the others at the other, so that what one draws
    depends little on how much others drew. kinds: by compartment. points: by seat. seat: whose turn it is.
    """

    __slots__ = (
        "bag",
        "first",
        "kinds",
        "laid",
        "mode",
        "over",
        "own",
        "passes",
        "points",
        "racks",
        "seat",
        "size",
        "start",
        "touched",
    )  # fmt: skip

    def __init__(
        self,
        racks: list[tuple[int, ...]],
        bag: list[int],
        kinds: list[int],
        points: list[int],
        seat: int,
        first: int,
        size: int,
        passes: int = 0,
    ) -> None:
        self.racks, self.bag, self.kinds, self.points = racks, bag, kinds, points
        self.seat, self.first, self.size, self.passes = seat, first, size, passes
        self.own = seat
        self.mode, self.start, self.touched, self.laid = OPEN, -1, 0, False
        self.over = False

    def copy(self) -> Table:
        twin = Table(
            self.racks[:],
            self.bag[:],
            self.kinds[:],
            self.points[:],
            self.seat,
            self.first,
            self.size,
            self.passes,
        )
        twin.own = self.own
        twin.mode, twin.start, twin.touched, twin.laid = self.mode, self.start, self.touched, self.laid
        return twin

    def draw(self) -> int:
        return self.bag.pop() if self.seat == self.own else self.bag.pop(0)

    # one turn

    def lay(self, part: Part) -> None:
        """A part of a turn that is legal now; the pieces stay on the rack (see `use`)."""
        cell = part.cell
        if cell == NEW:
            if part.kind == NINE:
                self.points[self.seat] += 9
                self.mode = OPEN
                return
            cell = self.kinds.index(EMPTY)
            self.mode, self.start = START, cell
        elif part.kind == NINE:
            self.points[self.seat] += 9
            self.kinds[cell] = EMPTY
            self.touched &= ~(1 << cell)
            self.mode, self.start = OPEN, -1
            return
        elif self.mode == OPEN:
            self.mode = ADD
        self.kinds[cell] = part.kind
        self.touched |= 1 << cell

    def use(self, parts: Sequence[Part]) -> None:
        """Lay all of these, found for the rack as it is, and draw where that empties it."""
        used = 0
        for part in parts:
            self.lay(part)
            used |= part.used
        self.laid = True
        rack = self.racks[self.seat]
        rest = tuple([piece for place, piece in enumerate(rack) if not used >> place & 1])
        if not rest and self.bag:
            rest = (self.draw(),)
        self.racks[self.seat] = rest

    def end(self) -> None:
        """The turn ends: points, the rack filled up, the end looked at, the next seat."""
        if self.laid:
            kinds = self.kinds
            touched = self.touched
            self.points[self.seat] += sum(
                [SIZE[kind] for cell, kind in enumerate(kinds) if touched >> cell & 1]
            )
            self.passes = 0
        else:
            self.passes += 1
        self.fill_up()
        self.mode, self.start, self.touched, self.laid = OPEN, -1, 0, False
        following = (self.seat + 1) % len(self.racks)
        complete = following == self.first
        if (
            (complete and not self.bag and not all(self.racks))
            or (complete and self.passes >= PASSED_ROUNDS * len(self.racks))
            or ((complete or not self.bag) and not self.can_lay())
        ):
            self.over = True
            for seat, rack in enumerate(self.racks):
                self.points[seat] -= sum([DOTS[piece] for piece in rack])
        self.seat = following

    def fill_up(self) -> None:
        rack = self.racks[self.seat]
        missing = min(self.size - len(rack), len(self.bag))
        if missing:
            self.racks[self.seat] = tuple(sorted([*rack, *[self.draw() for _ in range(missing)]]))

    def can_lay(self) -> bool:
        if EMPTY in self.kinds:
            return bool(self.bag) or any(self.racks)
        pieces = [*self.bag, *[piece for rack in self.racks for piece in rack]]
        return any(LAID[piece][kind] for kind in self.kinds for piece in pieces)

    def swap(self, places: Sequence[int]) -> None:
        """Exchange the pieces in these places of the rack; the turn is to be ended."""
        rack = self.racks[self.seat]
        kept = [piece for place, piece in enumerate(rack) if place not in places]
        self.racks[self.seat] = tuple(sorted([*kept, *[self.draw() for _ in places]]))
        self.bag[len(self.bag) // 2 : len(self.bag) // 2] = [rack[place] for place in places]


def best(table: Table, judge: Judge) -> tuple[float, Part | None]:
    """The rest of the turn that is best by evaluation: its worth, and its last part."""
    rack = table.racks[table.seat]
    found = judge.finder.turns(rack, table.kinds, table.touched, table.mode, table.start)
    most, last = -inf, None
    for value, kept, part in zip(found.worth, judge.kept(rack, len(table.bag)), found.last, strict=True):
        if value + kept > most:
            most, last = value + kept, part
    return most, last


def finish(table: Table, judge: Judge) -> None:
    """The turn under way is played on to its end, and ended."""
    play_on(table, judge)
    table.end()


def play_on(table: Table, judge: Judge) -> None:
    """What `finish` does before the end."""
    while table.racks[table.seat]:
        _, last = best(table, judge)
        if last is None:
            break
        table.use(in_order(last, table.mode))
    if not table.laid:
        exchange(table)


def exchange(table: Table) -> None:
    """A seat that can lay nothing exchanges what is large."""
    rack = table.racks[table.seat]
    large = [place for place, piece in enumerate(rack) if DOTS[piece] >= 3][: len(table.bag)]
    if large:
        table.swap(large)
