"""A set-up that is being written step by step: what menus and pictures of it need to know (rule 1).

A draft is part of a set-up move: any of its entries in the order of the columns, "" for none.
"""

from __future__ import annotations

from ..errors import Unreadable
from .notation import Entry, entries_text, parse
from .sheet import COLUMNS, ROWS, START_NUMBERS


def setup_draft(draft: str) -> dict[int, int]:
    """Start numbers written so far, by column. Raises Unreadable for text that is no draft.

    >>> setup_draft("50@A7 10@B2")
    {0: 50, 1: 10}
    """
    return {entry.cell // ROWS: entry.number for entry in _entries(draft)}


def setup_numbers(draft: str) -> tuple[int, ...]:
    """Start numbers still to be written. Raises Unreadable for text that is no draft.

    >>> setup_numbers("50@A7 10@B2")
    (20, 30, 40)
    """
    placed = setup_draft(draft).values()
    return tuple([number for number in START_NUMBERS if number not in placed])


def setup_add(draft: str, entry: str) -> str:
    """The draft with one more entry such as `10@B2`, in the order of the columns; a whole set-up move after
    the fifth. An earlier entry of the same number or column gives way, so a choice can be changed. Raises
    Unreadable.

    >>> setup_add("50@A7 10@C2", "20@B5"), setup_add("50@A7 10@C2", "50@C5")
    ('50@A7 20@B5 10@C2', '50@C5')
    """
    before, added = _entries(draft), _entries(entry)
    if len(added) != 1:
        raise Unreadable("move")
    (new,) = added
    column = new.cell // ROWS
    kept = [old for old in before if old.number != new.number and old.cell // ROWS != column]
    return entries_text(sorted([*kept, new], key=lambda each: each.cell))


def _entries(draft: str) -> list[Entry]:
    """The entries of a draft. Raises Unreadable for text that is none."""
    found: list[Entry] = []
    for part in draft.split(" ")[: COLUMNS + 1] if draft else ():
        entry = parse(part)
        if not isinstance(entry, Entry) or entry.number not in START_NUMBERS:
            raise Unreadable("move")
        if found and entry.cell // ROWS <= found[-1].cell // ROWS:
            raise Unreadable("move")
        if entry.number in [earlier.number for earlier in found]:
            raise Unreadable("move")
        found.append(entry)
    return found
