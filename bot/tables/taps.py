"""A tap on a control of an open choice: what it may come to, as values.

Whoever knows the control says what it stands for, with a function that is asked under the table's lock: given
what the person sees there, it answers with one of these (see `Tables.tap`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .model import Change, Seen

TRIED = "!"  # begins a draft that is a whole move, in its canonical text, still to be confirmed


@dataclass(frozen=True, slots=True)
class Played:
    """The move is played. written: as somebody wrote it, to be read forgivingly. then: moves of the same turn
    that are played with it, after it: all or none."""

    move: str
    written: bool = False
    then: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tried:
    """The move is played if its player can take it back by themselves; else nothing is played, and the draft
    is this one, so that they are asked first. draft: None for the move itself, see `TRIED`. written: as of
    `Played`."""

    move: str
    draft: str | None = None
    written: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """The turn is still being built, and this is the part chosen so far."""

    draft: str


Resolve: TypeAlias = Callable[[Seen], "Played | Tried | Chosen | None"]
"""What a tap comes to, given what its person sees; None: nothing but that it may be tapped. It runs beside
the event loop, waits for nothing and changes nothing. It raises what the tap is refused with."""


@dataclass(frozen=True, slots=True)
class Tapped:
    """change: where a move was played. seen: what the person sees now."""

    change: Change | None
    seen: Seen
