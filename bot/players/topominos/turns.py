"""The best turns of a rack, found exactly.

A turn is made of parts: some pieces of the rack laid on one stack, or in one empty compartment. For each part
the best outcome is worked out once; the best way to share the rack among the compartments is then a small
dynamic programme over subsets of the rack, as bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf
from typing import Final, NamedTuple

from .shapes import DOTS, EMPTY, NINE, SIZE, reached

NEW: Final = 9  # in place of a compartment: an empty one that the turn begins
OPEN: Final = 0  # nothing chosen yet, or anew after a nine
START: Final = 1  # all goes to the one compartment that was begun
ADD: Final = 2  # all goes to stacks that are there

_DISJOINT: Final = tuple(
    tuple(tuple(other for other in range(1 << count) if not other & bits) for bits in range(1 << count))
    for count in range(6)
)


_SUBSETS: Final = tuple(  # by size of the rack: bits, those without the last piece, the place of that
    tuple(
        (used, used & ~(1 << (used.bit_length() - 1)), used.bit_length() - 1) for used in range(1, 1 << count)
    )
    for count in range(6)
)


@lru_cache(maxsize=1 << 12)
def subsets(rack: tuple[int, ...]) -> list[tuple[int, int, int, tuple[int, ...]]]:
    """The subsets of the rack, the fewest dots first: their dots, their bits, those without the last piece,
    the pieces."""
    pieces: list[tuple[int, ...]] = [()]
    dots = [0]
    found = []
    for used, rest, place in _SUBSETS[len(rack)]:
        piece = rack[place]
        pieces.append((*pieces[rest], piece))
        dots.append(dots[rest] + DOTS[piece])
        found.append((dots[used], used, rest, pieces[used]))
    found.sort()
    return found


class Part(NamedTuple):
    """Pieces laid on one compartment, after `before`. cell: NEW for an empty one. used: as bits of the rack.
    kind: what the stack becomes."""

    before: Part | None
    cell: int
    used: int
    kind: int


class Turns:
    """The best turn for each subset of the rack that one can use up.

    worth: in points and weights, against leaving everything as it is; -inf where there is none. last: the
    last part, None where there is none.
    """

    __slots__ = ("last", "worth")

    def __init__(self, worth: list[float], last: list[Part | None]) -> None:
        self.worth = worth
        self.last = last

    @classmethod
    def none(cls, pieces: int) -> Turns:
        return cls([-inf] * (1 << pieces), [None] * (1 << pieces))

    def copy(self) -> Turns:
        return Turns(self.worth[:], self.last[:])

    def add(
        self, before: Turns, others: Sequence[int], worth: float, cell: int, used: int, kind: int
    ) -> None:
        """Each turn of `before` that uses one of these other subsets, with one part more."""
        values, old = self.worth, before.worth
        for other in others:
            value = old[other] + worth
            if value > values[other | used]:
                values[other | used] = value
                self.last[other | used] = Part(before.last[other], cell, used, kind)

    def merge(self, more: Turns) -> None:
        values = self.worth
        for used, value in enumerate(more.worth):
            if value > values[used]:
                values[used] = value
                self.last[used] = more.last[used]


Below = tuple[tuple[int, float, int], ...]  # used, worth, kind
Nines = tuple[tuple[int, float], ...]  # used, worth


class Finder:
    """Finds turns by one set of weights.

    left: by kind, what a stack of that kind counts against whoever leaves it to the others.
    """

    def __init__(self, left: Sequence[float]) -> None:
        self.left = left
        self._parts: dict[tuple[int, tuple[int, ...]], tuple[Below, Nines]] = {}

    def parts(self, kind: int, rack: tuple[int, ...]) -> tuple[Below, Nines]:
        """What the rack's subsets make of a stack: the best short of nine dots, and nines."""
        key = (kind, rack)
        found = self._parts.get(key)
        if found is None:
            found = self._parts[key] = self._made(kind, rack)
        return found

    def _made(self, kind: int, rack: tuple[int, ...]) -> tuple[Below, Nines]:
        left = self.left
        before = left[kind]
        below: list[tuple[int, float, int]] = []
        nines: list[tuple[int, float]] = []
        fits = [True] + [False] * ((1 << len(rack)) - 1)  # by subset
        room = 9 - SIZE[kind]
        for dots, used, rest, pieces in subsets(rack):
            if dots > room:
                break
            if fits[rest] and (kinds := reached(kind, pieces)):
                fits[used] = True
                best = kinds[0] if len(kinds) == 1 else min(kinds, key=left.__getitem__)
                if best == NINE:
                    nines.append((used, 9 + before))
                else:
                    below.append((used, SIZE[best] + before - left[best], best))
        return tuple(below), tuple(nines)

    def turns(
        self, rack: tuple[int, ...], kinds: Sequence[int], touched: int, mode: int, start: int = -1
    ) -> Turns:
        """What the rest of a turn can be. rack: sorted. kinds: by compartment. touched: compartments that
        score anyhow, as bits. mode, start: what the turn is bound to so far."""
        if mode == START:
            return self._begun(rack, kinds, touched, start)
        count = len(rack)
        disjoint = _DISJOINT[count]
        plain = Turns.none(count)  # without a nine
        plain.worth[0] = 0.0
        nined = Turns.none(count)  # with one or more, laid last, so that everything is open afterwards
        any_nine = False
        for cell, kind in enumerate(kinds):
            if kind == EMPTY:
                continue
            below, nines = self.parts(kind, rack)
            if not below and not nines:
                continue
            held = SIZE[kind] if touched >> cell & 1 else 0
            before = plain.copy()
            nined_before = nined.copy() if any_nine else nined
            for used, worth, after in below:
                plain.add(before, disjoint[used], worth - held, cell, used, after)
                if any_nine:
                    nined.add(nined_before, disjoint[used], worth - held, cell, used, after)
            for used, worth in nines:
                nined.add(before, disjoint[used], worth - held, cell, used, NINE)
                if any_nine:
                    nined.add(nined_before, disjoint[used], worth - held, cell, used, NINE)
            any_nine = any_nine or bool(nines)
        may_start = mode == OPEN and EMPTY in kinds
        if not any_nine and not may_start:
            return plain
        return self._with_new(rack, plain, nined, may_start)

    def _with_new(self, rack: tuple[int, ...], plain: Turns, nined: Turns, may_start: bool) -> Turns:
        """Turns of all kinds, with compartments begun where that is open: at first if `may_start`, and after
        a nine. A nine in an empty compartment comes before what is added, or after another nine."""
        disjoint = _DISJOINT[len(rack)]
        below, nines = self.parts(EMPTY, rack)
        for used, worth in nines:
            nined.add(nined.copy(), disjoint[used], worth, NEW, used, NINE)
        every = plain.copy()
        every.merge(nined)
        for used, worth, after in below:
            every.add(nined, disjoint[used], worth, NEW, used, after)
        if may_start:
            for used, worth, after in below:
                every.add(plain, (0,), worth, NEW, used, after)
            for used, worth in nines:
                every.add(plain, disjoint[used], worth, NEW, used, NINE)
                for more, worth_below, after in below:
                    if not used & more:
                        nine = Part(None, NEW, used, NINE)
                        whole = worth + worth_below
                        if whole > every.worth[used | more]:
                            every.worth[used | more] = whole
                            every.last[used | more] = Part(nine, NEW, more, after)
        return every

    def _begun(self, rack: tuple[int, ...], kinds: Sequence[int], touched: int, start: int) -> Turns:
        """Turns that go on in the compartment that was begun, and after a nine there as they like."""
        every = Turns.none(len(rack))
        every.worth[0] = 0.0
        nothing = every.copy()
        kind = kinds[start]
        below, nines = self.parts(kind, rack)
        for used, worth, after in below:
            every.add(nothing, (0,), worth - SIZE[kind], start, used, after)
        freed = [EMPTY if cell == start else other for cell, other in enumerate(kinds)]
        for used, worth in nines:
            kept = [place for place in range(len(rack)) if not used >> place & 1]
            rest = self.turns(tuple([rack[place] for place in kept]), freed, touched & ~(1 << start), OPEN)
            nine = Part(None, start, used, NINE)
            for more, value in enumerate(rest.worth):
                whole = used | spread(more, kept)
                if worth - SIZE[kind] + value > every.worth[whole]:
                    every.worth[whole] = worth - SIZE[kind] + value
                    every.last[whole] = _after(nine, rest.last[more], kept)
        return every


def spread(bits: int, places: Sequence[int]) -> int:
    """The subset with these bits of a part of the rack, as bits of the whole."""
    return sum(1 << place for bit, place in enumerate(places) if bits >> bit & 1)


def _after(first: Part, last: Part | None, places: Sequence[int]) -> Part:
    """The parts up to `last`, found for the pieces in these places, after `first`."""
    if last is None:
        return first
    return Part(_after(first, last.before, places), last.cell, spread(last.used, places), last.kind)


def in_order(last: Part | None, mode: int) -> list[Part]:
    """The parts of a turn, in an order in which they can be laid: what is added comes before nines, both
    before a compartment that is begun. A nine in an empty one comes first where no other opens the turn."""
    parts: list[Part] = []
    while last is not None:
        parts.append(last)
        last = last.before
    parts.reverse()
    if mode == START:
        return parts[:1] + sorted(parts[1:], key=_ranks(parts[1:]))
    return sorted(parts, key=_ranks(parts))


def _ranks(parts: Sequence[Part]) -> Callable[[Part], int]:
    opens = any(part.kind == NINE and part.cell != NEW for part in parts)

    def rank(part: Part) -> int:
        if part.cell == NEW:
            return (3 if opens else 0) if part.kind == NINE else 4
        return 2 if part.kind == NINE else 1

    return rank
