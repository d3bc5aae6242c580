"""What one seat, or a spectator, may know: the view and what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from ..game import View
from .scoring import FULL, title

Phase: TypeAlias = Literal["setup", "first", "call", "roll", "enter", "over"]
PHASES: Final[tuple[Phase, ...]] = ("setup", "first", "call", "roll", "enter", "over")
"""The set-up, the draw of the first caller, then by rounds the call, the roll and the entries; the end."""


class Round(NamedTuple):
    """A closed round. cells: by seat, the cell written in, -1 for a seat that could not enter."""

    caller: int
    number: int
    face: str
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Top12View(View):
    """What a seat knows: everything, but for what others have chosen in an open simultaneous phase.

    sheets: by seat, as opened; empty until the set-up is over.
    caller: who calls or called in this round, -1 before the first caller is known.
    number, face: of the round under way, 0 and "" where not yet there.
    rolls: rolls so far, the open round's included. idle: closed rounds running without any entry.
    pending: this seat's own choice in the open phase, in canonical text, "" for none.
    chosen: seats whose choice in the open phase is in.
    last: the round that was closed last.
    """

    phase: Phase
    sheets: tuple[tuple[int, ...], ...]
    caller: int
    number: int
    face: str
    rolls: int
    idle: int
    pending: str
    chosen: tuple[int, ...]
    last: Round | None


def solo_title(view: Top12View) -> str | None:
    """The title won by a finished solo game (rule 9), as `scoring.title` gives it; None without a full
    column or for more than one player."""
    if view.players > 1 or view.outcome is None or view.outcome.reason != FULL:
        return None
    return title(view.rolls)
