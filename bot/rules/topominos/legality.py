"""What a turn may do next (rules 3 and 4): listed (`listed`), or asked of one move (`judge`). Both, and the
menus, go by a `Choice`, which tells no more than its seat knows.

A turn under way is one in which something was laid: it is ended, not passed.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..errors import Illegal
from .notation import LAY_TEXTS, End, Lay, Move, Pass
from .pieces import CELL_INDEX, CELLS, FACES, FITTING, ID, MASKS, NAMES, PIECES, dots_of
from .view import Mode, TopominosView

_STARTS = {  # the lays in each empty compartment, by name
    name: tuple([texts[dots] for dots in FACES[name]] for texts in LAY_TEXTS) for name in PIECES
}


class Choice(NamedTuple):  # one is made at every move, and a dataclass would take 2.5 times as long
    """What decides the moves of the seat whose turn it is.

    rack: its pieces, sorted. bag: pieces in it. fills: the mask of dots in each compartment. mode: what rule
    4 leaves to the turn; start: the compartment of a turn of kind A, else -1. under_way: whether something
    was laid in this turn.
    """

    rack: tuple[str, ...]
    bag: int
    fills: tuple[int, ...]
    mode: Mode
    start: int
    under_way: bool


def choice_of(view: TopominosView) -> Choice:
    """The choice of the view's seat, whose turn it is."""
    start = -1 if view.start is None else CELL_INDEX[view.start]
    return Choice(view.rack, view.bag, view.fills, view.mode, start, bool(view.laid))


def listed(choice: Choice) -> list[str]:
    """Every legal move, sorted.

    >>> listed(Choice(("e", "e"), 1, (0b111101111, *[0b111111110] * 8), "add", -1, False))
    ['e@A1', 'pass', 'swap e']
    """
    found = lays(choice)
    if choice.under_way:
        insort(found, "end")
    else:  # lays begin with a to i, so these come after all of them
        found.append("pass")
        found += _swaps(choice.rack, choice.bag)
    return found


def lays(choice: Choice) -> list[str]:
    """Every legal lay, sorted."""
    names = set(choice.rack)
    fits = [FITTING[name] for name in names]
    found: list[str] = []
    for cell in _open_cells(choice):
        if full := choice.fills[cell]:
            texts = LAY_TEXTS[cell]
            found += [texts[dots] for by_mask in fits for dots in by_mask[full]]
        else:
            for name in names:
                found += _STARTS[name][cell]
    found.sort()
    return found


def _open_cells(choice: Choice) -> Sequence[int]:
    """The compartments that rule 4 leaves to the next piece."""
    if choice.mode == "start":
        return (choice.start,)
    if choice.mode == "add":
        return [cell for cell, full in enumerate(choice.fills) if full]
    return range(len(CELLS))


def _swaps(rack: Sequence[str], bag: int) -> list[str]:
    """Every exchange, sorted: each distinct multiset of own pieces, at most what the bag holds."""
    found = ["swap"]  # every choice among the pieces so far
    latest = found  # those that the present piece may be added to
    last = ""
    for name in sorted(rack):
        latest = [chosen + " " + name for chosen in (latest if name == last else found)]
        found = found + latest
        last = name
    del found[0]
    if bag < len(rack):
        found = [chosen for chosen in found if chosen.count(" ") <= bag]
    found.sort()
    return found


def judge(choice: Choice, move: Move) -> None:
    """Nothing, if the move is legal. Raises Illegal."""
    match move:
        case Lay(dots, cell):
            full = choice.fills[cell]
            if NAMES[dots] not in choice.rack:
                raise Illegal("not_on_rack", game=ID, rule="4", piece=NAMES[dots])
            if choice.mode == "start" and cell != choice.start:
                raise Illegal("one_compartment", game=ID, rule="4", cell=CELLS[choice.start])
            if choice.mode == "add" and not full:
                raise Illegal("stacks_only", game=ID, rule="4", cell=CELLS[cell])
            if MASKS[dots] & full:
                taken = ", ".join(dots_of(MASKS[dots] & full))
                raise Illegal("dot_on_dot", game=ID, rule="3", cell=CELLS[cell], dots=taken)
        case End():
            if not choice.under_way:
                raise Illegal("nothing_laid", game=ID, rule="4")
        case Pass(swapped):
            if choice.under_way:
                raise Illegal("already_laid", game=ID, rule="4")
            for name, count in Counter(swapped).items():
                if choice.rack.count(name) < count:
                    raise Illegal("not_on_rack", game=ID, rule="4", piece=name)
            if len(swapped) > choice.bag:
                raise Illegal("bag_short", game=ID, rule="4", count=choice.bag)


def stand_in(choice: Choice) -> str:
    """Ends the turn that ran out of time with what was laid; a turn not begun is passed."""
    return "end" if choice.under_way else "pass"
