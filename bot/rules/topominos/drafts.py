"""Drafts: a turn half laid, as steps build it up piece by piece from what a seat sees.

A draft is the turn's lays so far, then perhaps the piece chosen for the next and where it goes, a column or
a compartment: `cf@B2 e@B2 abd A`, `abd`, "" for nothing yet.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TypeVar

from ..errors import NotYours, Unreadable
from .legality import choice_of, judge
from .menus import layable
from .notation import LAYS
from .pieces import CELLS, COPIES, FULL, NAMES, fill
from .view import TopominosView

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft as it stands. view: what the seat would see after the lays, before anything is drawn. points:
    what they bring if the turn ends with them, beyond what it has scored already. piece: chosen for the next
    lay, "" for none. place: a column or compartment chosen for it, "" for any."""

    view: TopominosView
    lays: tuple[str, ...]
    points: int
    piece: str
    place: str

    @property
    def moves(self) -> tuple[str, ...]:
        """The lays of the piece in that place, compartment by compartment."""
        fits = layable(self.view).get(self.piece, {})
        return tuple([move for cell, moves in fits.items() if cell.startswith(self.place) for move in moves])

    @property
    def across(self) -> int:
        """How many of these stand side by side, in pictures and buttons: each compartment's in rows of its
        own, where that comes out even."""
        each = Counter(move.partition("@")[2] for move in self.moves).values()
        count = sum(each)
        if count <= 6:
            return 3 if count > 4 else max(1, count)
        return 4 if count <= 8 or all(ways % 4 == 0 for ways in each) else 5


def draft(view: TopominosView, text: str) -> Draft:
    """What a half-built turn of `view.seat` amounts to. Raises Unreadable, NotYours for a seat that may not
    act, and Illegal for lays that do not fit.

    >>> from bot.rules.game import Event
    >>> from bot.rules.topominos import GAME
    >>> state = GAME.start(1, {})
    >>> state.apply(Event("chance", "lots abe"))
    >>> state.apply(Event("chance", "draw a abcd ac bdfh e", 0))
    >>> built = draft(state.view(0), "abcd@B2 a B")
    >>> built.view.rack, built.points, built.moves
    (('a', 'ac', 'bdfh', 'e'), 4, ('g@B2', 'i@B2'))
    """
    words = text.split()
    lays = tuple([word for word in words if "@" in word])
    rest = words[len(lays) :]
    piece, place = (*rest[:2], "", "")[:2]
    if (
        (*lays, *rest[:2]) != tuple(words)
        or (piece and piece not in COPIES)
        or not any(cell.startswith(place) for cell in CELLS)
    ):
        raise Unreadable("move")
    after = view
    for lay in lays:
        after = _laid(after, lay)
    return Draft(after, lays, after.pending + after.turn_points - view.turn_points, piece, place)


def _laid(view: TopominosView, text: str) -> TopominosView:
    """The view after one lay more. `stuck` stays as it was: it depends on what others hold."""
    lay = LAYS.get(text)
    if lay is None:
        raise Unreadable("move")
    seat = view.seat
    if seat is None or seat not in view.actors:
        raise NotYours("over" if view.outcome else "turn")
    judge(choice_of(view), lay)
    cell, piece = CELLS[lay.cell], NAMES[lay.dots]
    before = view.board[lay.cell]
    stack = (*before, lay.dots)
    nine = fill(stack) == FULL  # rule 5
    rack = list(view.rack)
    rack.remove(piece)
    draws = not rack and view.bag > 0  # rule 7
    touched = {*view.touched, cell} - ({cell} if nine else set())
    mode, start = view.mode, view.start
    if nine:
        mode, start = "open", None
    elif mode == "open":
        mode, start = ("add", None) if before else ("start", cell)
    return replace(
        view,
        phase="rack" if draws else view.phase,
        actors=() if draws else view.actors,
        board=_at(view.board, lay.cell, () if nine else stack),
        rack=tuple(rack),
        racks=_at(view.racks, seat, len(rack)),
        gone=tuple(sorted([*view.gone, *(NAMES[dots] for dots in stack)])) if nine else view.gone,
        mode=mode,
        start=start,
        laid=(*view.laid, text),
        touched=tuple([one for one in CELLS if one in touched]),
        nines=view.nines + nine,
        turn_points=view.turn_points + 9 * nine,
        points=_at(view.points, seat, view.points[seat] + 9 * nine),
        scores=_at(view.scores, seat, view.scores[seat] + 9 * nine),
    )


def _at(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    """The values with another one in one place."""
    return (*values[:place], value, *values[place + 1 :])
