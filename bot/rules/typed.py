"""Why a text that somebody typed is no move, said so that they learn from it."""

from __future__ import annotations

import re
from collections.abc import Container

from .errors import Unreadable

_PLACED = re.compile(r"(?<![A-Z0-9])([0-9]{1,4}) ?@? ?([A-Z]) ?([0-9]{1,3})(?![0-9])")
_LONGEST = 200


def words(text: object) -> str:
    """What was typed in capitals, with single spaces; "" for what nobody types."""
    return " ".join(text.upper().split()) if isinstance(text, str) and len(text) <= _LONGEST else ""


def misplaced(text: object, values: range, cells: Container[str]) -> Unreadable:
    """For a game whose moves put numbers on cells (`7@B1`): the first number or cell that there is not, or
    else that it is no move at all."""
    for value, column, row in _PLACED.findall(words(text)):
        if int(value) not in values:
            return Unreadable("value", value=int(value), least=values[0], most=values[-1])
        if column + row not in cells:
            return Unreadable("cell", cell=column + row)
    return Unreadable("move")
