"""The texts of moves and chance results: read strictly (`parse`), forgivingly (`read`), and with what others
may not see taken out (`redacted`).

A lay is `cf@B2`: the dots shown and the compartment. `end` ends the turn, `pass` passes, `swap abd e` passes
and exchanges pieces, named and sorted. Chance is `lots abd e -` (a piece for each seat, `-` for who takes no
part) and `draw abd e`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from ..errors import Unreadable
from ..game import Event
from ..typed import words
from .pieces import CELLS, COPIES, MASKS, NAMES

LONGEST: Final = 300  # characters; room for every piece of the game in one text


@dataclass(frozen=True, slots=True)
class Lay:
    """A piece is laid: the dots it shows, and the number of its compartment (rule 4 A and B)."""

    dots: str
    cell: int


@dataclass(frozen=True, slots=True)
class End:
    """The turn is ended after at least one lay."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Rule 4 C: names of the pieces exchanged, sorted; () for none."""

    swapped: tuple[str, ...] = ()


Move: TypeAlias = Lay | End | Pass

LAYS: Final[Mapping[str, Lay]] = {
    f"{dots}@{cell}": Lay(dots, index) for dots in MASKS for index, cell in enumerate(CELLS)
}
"""Every lay that any piece allows, by its text."""
LAY_TEXTS: Final[Sequence[Mapping[str, str]]] = tuple(
    {dots: f"{dots}@{cell}" for dots in MASKS} for cell in CELLS
)
"""The texts of lays, by number of the compartment and dots."""


def parse(text: object) -> Move:
    """The move that a canonical text is. Raises Unreadable.

    >>> parse("cf@B2")
    Lay(dots='cf', cell=4)
    >>> parse("swap abd e")
    Pass(swapped=('abd', 'e'))
    """
    if isinstance(text, str) and len(text) <= LONGEST:
        if text in LAYS:
            return LAYS[text]
        if text == "end":
            return End()
        if text == "pass":
            return Pass()
        word, *names = text.split(" ")
        if word == "swap" and _are_pieces(names):
            return Pass(tuple(names))
    raise Unreadable("move")


def parse_chance(text: object) -> tuple[str, tuple[str, ...]]:
    """The kind of a chance result, "lots" or "draw", and its names. Raises Unreadable.

    >>> parse_chance("lots abd - e")
    ('lots', ('abd', '-', 'e'))
    """
    if isinstance(text, str) and len(text) <= LONGEST:
        word, *names = text.split(" ")
        if word == "lots" and names and all(name == "-" or name in COPIES for name in names):
            return word, tuple(names)
        if word == "draw" and _are_pieces(names):
            return word, tuple(names)
    raise Unreadable("chance")


def _are_pieces(names: Sequence[str]) -> bool:
    return bool(names) and all(name in COPIES for name in names) and list(names) == sorted(names)


def read(text: str) -> str:
    """Canonical text of what a person typed. Raises Unreadable.

    Forgiven: case, any white space, the order of dots and of pieces, and a piece to exchange named by
    another of its directions.

    >>> read(" FC @ b2 "), read("swap i C")
    ('cf@B2', 'swap a a')
    """
    try:
        return _read(text)
    except Unreadable:
        raise _why(text) from None


def _why(text: object) -> Unreadable:
    dots, at, cell = words(text).replace(" ", "").partition("@")
    if at and "".join(sorted(dots.lower())) not in NAMES:
        return Unreadable("piece", game="topominos", piece=dots.lower()[:9])
    return Unreadable("cell", cell=cell[:3]) if cell else Unreadable("move")


def _read(text: str) -> str:
    if not isinstance(text, str) or len(text) > LONGEST or not text.isascii():
        raise Unreadable("move")
    words = text.lower().split()
    if words[:1] == ["swap"]:
        names = [NAMES.get("".join(sorted(word))) for word in words[1:]]
        move = " ".join(["swap", *sorted(name for name in names if name is not None)])
        if None in names:
            raise Unreadable("move")
    else:
        dots, at, cell = "".join(words).partition("@")
        move = "".join(sorted(dots)) + at + cell.upper() if at else dots
    parse(move)
    return move


def redacted(event: Event, seat: int | None) -> Event:
    """`event` as `seat` may know it: what others draw and exchange is hidden.

    >>> redacted(Event("chance", "draw abd e", 1), 0).text
    'draw ? ?'
    """
    if event.player is not None and event.player != seat:
        word, *names = event.text.split(" ")
        if word in ("draw", "swap"):
            return Event(event.kind, " ".join([word, *("?" for _ in names)]), event.player)
    return event
