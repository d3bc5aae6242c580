"""Drafts: turns half laid, as menus in steps and typed suggestions build them up from what a seat sees.

A draft is the canonical text of the placements so far, "" for nothing yet. The rules decide what may still
come of it (`Turn.next_placements`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import Illegal, NotYours
from .board import Placement, loose_cells, with_tiles
from .notation import parse_placements
from .scoring import Gain, gain, runs_through
from .view import ZatreView


@dataclass(frozen=True, slots=True)
class Preview:
    """A draft as it stands. fault: why it is no legal turn, None if it is one. gain: what it would score.
    rest: tiles that would stay in hand, sorted."""

    fault: Illegal | None
    gain: Gain
    rest: tuple[int, ...]

    @property
    def legal(self) -> bool:
        return self.fault is None


def _draft(view: ZatreView, draft: str) -> tuple[Placement, ...] | None:
    """The draft's placements; None if it cannot stand on this board with these tiles. Raises Unreadable."""
    placements = parse_placements(draft) if draft else ()
    if view.seat is None or view.seat not in view.actors:
        return None
    if any(view.board[cell] for cell, _ in placements) or not view.to_turn().holds(placements):
        return None
    cells = [cell for cell, _ in placements]
    tiles = with_tiles(view.board, placements)
    if loose_cells(view.board, cells) or any(run.total >= 13 for run in runs_through(tiles, cells)):
        return None
    return placements


def next_placements(view: ZatreView, draft: str) -> list[Placement]:
    """Every (cell, value) that may be laid next so that `draft` (canonical text, "" for nothing yet) can
    still become a legal turn of `view.seat`. Each touches a tile lying; the opening starts on the red cell.
    [] where the seat may not act or the draft cannot stand. Raises Unreadable.

    >>> from bot.rules.zatre import GAME, NAMES
    >>> from bot.rules.game import Event
    >>> state = GAME.start(2, {})
    >>> state.apply(Event("chance", "lots 6 2"))
    >>> state.apply(Event("chance", "draw 1 4", 0))
    >>> [f"{value}@{NAMES[cell]}" for cell, value in next_placements(state.view(0), "")]
    ['1@H8', '4@H8', '6@H8']
    >>> [f"{value}@{NAMES[cell]}" for cell, value in next_placements(state.view(0), "4@G8 6@H8")]
    ['1@H7', '1@F8', '1@I8', '1@H9']
    """
    placements = _draft(view, draft)
    return [] if placements is None else view.to_turn().next_placements(placements)


def preview(view: ZatreView, draft: str) -> Preview:
    """What laying exactly `draft` would be (canonical text; "" or `keep` for nothing). Raises Unreadable, and
    NotYours where the seat may not act.

    >>> from bot.rules.zatre import GAME
    >>> from bot.rules.game import Event
    >>> state = GAME.start(2, {})
    >>> state.apply(Event("chance", "lots 6 2"))
    >>> state.apply(Event("chance", "draw 1 4", 0))
    >>> shown = preview(state.view(0), "4@G8 6@H8 1@I8")
    >>> shown.legal, shown.gain.eleven, shown.rest
    (True, 2, ())
    >>> preview(state.view(0), "6@H8").fault.code
    'opening_all'
    """
    placements = parse_placements(draft) if draft else ()
    if view.seat is None or view.seat not in view.actors:
        raise NotYours("over" if view.outcome else "turn")
    turn = view.to_turn()
    fault: Illegal | None = None
    try:
        turn.check(placements)
    except Illegal as error:
        fault = error
    found = gain(with_tiles(view.board, placements), [cell for cell, _ in placements])
    return Preview(fault, found, turn.rest(placements) if turn.holds(placements) else turn.held)
