"""Cells, lines, and the texts of moves and chance."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from bot.rules.errors import Unreadable

COLUMNS: Final = "ABC"
ROWS: Final = "123"
SIGNS: Final = "XO"  # by seat
CELLS: Final = tuple([column + row for column in COLUMNS for row in ROWS])  # sorted
CORNERS: Final = ("A1", "A3", "C1", "C3")
LINES: Final = (
    *[tuple([column + row for row in ROWS]) for column in COLUMNS],
    *[tuple([column + row for column in COLUMNS]) for row in ROWS],
    ("A1", "B2", "C3"),
    ("A3", "B2", "C1"),
)


class Move(NamedTuple):
    """block: whether it blocks the cell (rule 1) or marks it (rule 2)."""

    block: bool
    cell: str


MOVES: Final = {
    **{f"block {cell}": Move(True, cell) for cell in CELLS},
    **{cell: Move(False, cell) for cell in CELLS},
}
FIRST: Final = {"first 0": 0, "first 1": 1}


def parse(text: object) -> Move:
    """The move that a canonical text is. Raises Unreadable."""
    if not isinstance(text, str) or text not in MOVES:
        raise Unreadable("move")
    return MOVES[text]


def parse_first(text: object) -> tuple[str, int]:
    """Kind and result of a chance event: who begins. Raises Unreadable."""
    if not isinstance(text, str) or text not in FIRST:
        raise Unreadable("chance")
    return "first", FIRST[text]


def read(text: object) -> str:
    """Canonical text of what a person typed; spaces and case are forgiven. Raises Unreadable.

    >>> read(" Block  a1 ")
    'block A1'
    """
    if not isinstance(text, str):
        raise Unreadable("move")
    *words, cell = text.split() or [""]
    canonical = " ".join([*[word.lower() for word in words], cell.upper()])
    parse(canonical)
    return canonical


def has_line(cells: Collection[str]) -> bool:
    """Rule 3."""
    return any(all(cell in cells for cell in line) for line in LINES)
