"""Texts of moves and of chance: what is notation of this game, whatever the position.

A set-up is its five entries in the order of the columns (`50@A7 10@B2 30@C6 20@D5 40@E6`), a call is
`call 9`, an entry `9@B1`. `parse` takes nothing else; `read` takes what a person types. Chance is the seat
that calls first (`first 2`) and the die (`roll joker`). What a seat may not know yet is `?` for each number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ..errors import Unreadable
from ..typed import misplaced, words
from .sheet import CELL_OF, CELLS, FACES, LEAST, MOST, ROWS, START_NUMBERS

ENTRY_TEXTS: Final = tuple([tuple([f"{number}@{name}" for name in CELLS]) for number in range(MOST + 1)])
"""The text of an entry, by number and cell."""

HIDDEN_ENTRY: Final = "?"
HIDDEN_SETUP: Final = " ".join(["?"] * len(START_NUMBERS))

_FIRST = re.compile(r"first (0|[1-9][0-9]*)")
_LONGEST_TYPED = 200

# --------------------------------------------------------------------------- moves


@dataclass(frozen=True, slots=True)
class Call:
    """The number called (rule 2)."""

    number: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A number and the cell it is written in (rule 3)."""

    number: int
    cell: int

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is written: this alone."""
        return (self,)


@dataclass(frozen=True, slots=True)
class Setup:
    """Five entries in the order of the columns; not checked against rule 1."""

    entries: tuple[Entry, ...]


Writing: TypeAlias = "Setup | Entry"
Move: TypeAlias = "Call | Writing"

_CALLS = {f"call {number}": Call(number) for number in range(LEAST, MOST + 1)}
_ENTRIES = {
    text: Entry(number, cell)
    for number in range(LEAST, MOST + 1)
    for cell, text in enumerate(ENTRY_TEXTS[number])
}
_MOVES: dict[str, Call | Entry] = {**_CALLS, **_ENTRIES}
CALL_TEXTS: Final = tuple(sorted(_CALLS))


def parse(text: object) -> Move:
    """The move that a canonical text is. Raises Unreadable.

    >>> parse("call 9"), parse("9@B1")
    (Call(number=9), Entry(number=9, cell=12))
    """
    if not isinstance(text, str):
        raise Unreadable("move")
    found = _MOVES.get(text)
    return _setup(text) if found is None else found


def _setup(text: str) -> Setup:
    parts = text.split(" ", len(START_NUMBERS))
    entries = [_ENTRIES[part] for part in parts if part in _ENTRIES]
    columns = [entry.cell // ROWS for entry in entries]
    if not len(parts) == len(entries) == len(START_NUMBERS) or columns != sorted(columns):
        raise Unreadable("move")
    return Setup(tuple(entries))


def entries_text(entries: Iterable[Entry]) -> str:
    """The canonical text of what is written on a sheet, the entries being in the order of the columns."""
    return " ".join([ENTRY_TEXTS[entry.number][entry.cell] for entry in entries])


def read(text: object, number: int = 0) -> str:
    """Canonical text of what a person typed: spaces, lower case, commas, another order of a set-up and a
    missing `call` are forgiven. number: the one to be entered, so that a cell's name is enough; 0 for none.
    Raises Unreadable.

    >>> read(" 9"), read("b 7", 60), read("10@a1, 50@e1, 20@b1, 30@c1, 40@d1")
    ('call 9', '60@B7', '10@A1 20@B1 30@C1 40@D1 50@E1')
    """
    try:
        return _read(text, number)
    except Unreadable:
        raise _why(text) from None


def _why(text: object) -> Unreadable:
    numbers = range(LEAST, MOST + 1)
    if called := re.fullmatch(r"(?:CALL ?)?([0-9]{1,4})", words(text)):
        return Unreadable("value", value=int(called[1]), least=LEAST, most=MOST)
    return misplaced(text, numbers, CELL_OF)


def _read(text: object, number: int = 0) -> str:
    if not isinstance(text, str) or len(text) > _LONGEST_TYPED or not text.isascii():
        raise Unreadable("move")
    tidy = re.sub(r"\s*@\s*", "@", " ".join(text.upper().split()))
    tidy = re.sub(r"([A-E]) ([0-9])", r"\1\2", tidy)
    if called := re.fullmatch(r"(?:CALL ?)?([0-9]+)", tidy):
        move = f"call {called[1]}"
    elif number and tidy in CELL_OF:
        move = f"{number}@{tidy}"
    else:
        parts = tidy.replace(",", " ").replace(";", " ").split()
        move = " ".join(sorted(parts, key=lambda part: part.partition("@")[2][:1]))
    parse(move)
    return move


# --------------------------------------------------------------------------- chance

Chance: TypeAlias = tuple[Literal["first"], int] | tuple[Literal["roll"], str]
"""What a chance event says: the seat that calls first (any number, there or not), or the die's face."""


def first_text(seat: int) -> str:
    """The event that makes this seat the first to call."""
    return f"first {seat}"


def roll_text(face: str) -> str:
    """The event that the die shows this face."""
    return f"roll {face}"


_ROLLS: dict[str, Chance] = {roll_text(face): ("roll", face) for face in FACES}


def parse_chance(text: object) -> Chance:
    """What a chance event says. Raises Unreadable.

    >>> parse_chance("first 2"), parse_chance("roll tree")
    (('first', 2), ('roll', 'tree'))
    """
    if not isinstance(text, str):
        raise Unreadable("chance")
    roll = _ROLLS.get(text)
    if roll is not None:
        return roll
    first = _FIRST.fullmatch(text)
    if first is None:
        raise Unreadable("chance")
    return "first", int(first[1][:9])  # of more digits it is no seat either, and Python may not read it
