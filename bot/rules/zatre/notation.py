"""Texts of turns and of chance, and back.

A turn is its placements, `value@cell`, sorted by row, then column: `4@G8 6@H8 1@I8`; `keep` lays nothing.
Chance is `lots 5 2 5`, a tile for each seat (`-` for one that is not in a tie-break), or `draw 3 6`, the
tiles one seat draws, sorted. Who may not see them reads `draw ? ?`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from ..errors import Unreadable
from ..typed import misplaced
from .board import INDEX, NAMES, SIZE, Placement
from .tiles import VALUES

ID = "zatre"  # the game in records, catalogue keys and errors
KEEP = "keep"
LONGEST = 2000  # characters; longer than any turn or draw can be

# --------------------------------------------------------------------------- turns

# Text of value on cell, by value and cell, and back.
TOKENS = tuple(
    tuple(f"{value}@{NAMES[cell]}" if cell in NAMES else "" for cell in range(SIZE)) for value in range(7)
)
PLACEMENTS = {TOKENS[value][cell]: (cell, value) for value in VALUES for cell in NAMES}


def placements_text(placements: Iterable[Placement]) -> str:
    """Canonical text: sorted by row, then column; `keep` for none.

    >>> from bot.rules.zatre import INDEX
    >>> placements_text([(INDEX["H8"], 6), (INDEX["G8"], 4)])
    '4@G8 6@H8'
    """
    return " ".join(TOKENS[value][cell] for cell, value in sorted(placements)) or KEEP


def parse_placements(text: object) -> tuple[Placement, ...]:
    """(cell, value) pairs of canonical text, () for `keep`. Raises Unreadable, also for one cell twice.

    >>> from bot.rules.zatre import NAMES
    >>> [(NAMES[cell], value) for cell, value in parse_placements("4@G8 6@H8")]
    [('G8', 4), ('H8', 6)]
    >>> parse_placements("keep")
    ()
    """
    if text == KEEP:
        return ()
    if not isinstance(text, str) or len(text) > LONGEST:
        raise Unreadable("move")
    try:
        found = tuple(PLACEMENTS[token] for token in text.split(" "))
    except KeyError:
        raise Unreadable("move") from None
    if any(a[0] >= b[0] for a, b in pairwise(found)):
        raise Unreadable("move")
    return found


_TYPED = re.compile(r"([1-6])[ ]*@?[ ]*([A-O])[ ]*([0-9]{1,2})(?![0-9@])[ ,;]*")


def read_turn(text: object) -> str:
    """Canonical text of a turn as a person types it: in any order, in small letters, without `@`, with spaces
    or commas between. Raises Unreadable.

    >>> read_turn("6 h8, 4g8")
    '4@G8 6@H8'
    """
    try:
        return _read_turn(text)
    except Unreadable:
        raise misplaced(text, range(1, 7), INDEX) from None


def _read_turn(text: object) -> str:
    if not isinstance(text, str) or len(text) > LONGEST:
        raise Unreadable("move")
    typed = " ".join(text.split()).upper()
    if typed == KEEP.upper():
        return KEEP
    found: dict[int, int] = {}
    place = 0
    while place < len(typed):
        match = _TYPED.match(typed, place)
        cell = INDEX.get(match[2] + match[3].lstrip("0")) if match else None
        if match is None or cell is None or cell in found:
            raise Unreadable("move")
        found[cell] = int(match[1])
        place = match.end()
    if not found:
        raise Unreadable("move")
    return placements_text(found.items())


# --------------------------------------------------------------------------- chance

_CHANCE = re.compile(r"(lots|draw)((?: [1-6-])+)")
_HIDDEN = re.compile(r"draw(?: \?)+")
# Nearly all draws there are: quicker to look up than to parse.
_DRAWS = {f"draw {a}": (a,) for a in VALUES} | {
    f"draw {a} {b}": (a, b) for a in VALUES for b in VALUES if a <= b
}


def lots_text(tiles: Iterable[int | None]) -> str:
    """`lots 5 - 5`: by seat, None for one not in the tie-break."""
    return "lots " + " ".join("-" if tile is None else str(tile) for tile in tiles)


def draw_text(tiles: Iterable[int]) -> str:
    """`draw 3 6`."""
    return "draw " + " ".join(map(str, sorted(tiles)))


def parse_chance(text: object) -> tuple[str, tuple[int | None, ...]]:
    """Kind and tiles of canonical chance text (None for `-`, in lots alone). Raises Unreadable.

    >>> parse_chance("lots 5 - 5")
    ('lots', (5, None, 5))
    """
    if not isinstance(text, str):
        raise Unreadable("chance")
    if drawn := _DRAWS.get(text):
        return "draw", drawn
    match = _CHANCE.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        raise Unreadable("chance")
    words = match[2].split()
    if match[1] == "draw" and ("-" in words or words != sorted(words)):
        raise Unreadable("chance")
    return match[1], tuple(None if word == "-" else int(word) for word in words)


def hidden_draw(count: int) -> str:
    """What a draw of so many tiles reads for whoever may not see them."""
    return "draw" + " ?" * count


def hidden_count(text: str) -> int | None:
    """How many tiles a draw hides; None for a text that hides nothing."""
    return text.count("?") if _HIDDEN.fullmatch(text) else None
