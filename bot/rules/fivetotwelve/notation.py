"""Moves and chance results of 5 vor 12 as text: read, taken apart and written.

Set-up `13@A1`, or with the option `free` `3@A1 9@B2 14@C3 20@D4`; a turn `draw`, then `7@B1` or `leave`, or
instead `take 7@B1`. Chance: `first 0`, `deal 13`, `reveal 7`. There is one canonical text per move, and
`parse` takes no other; `read` forgives what a person writes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from ..errors import Unreadable
from ..typed import misplaced
from .board import CELLS, DIAGONAL, INDEX, SIZE, TOP

MoveKind: TypeAlias = Literal["draw", "leave", "lay", "take", "four"]


class Move(NamedTuple):
    """A move taken apart. kind: "draw", "leave", "lay" (the tile in hand), "take" (from the middle) or
    "four" (the whole diagonal at once). tiles and cells go together; cells are indexes into CELLS."""

    kind: MoveKind
    tiles: tuple[int, ...] = ()
    cells: tuple[int, ...] = ()


LAY: Final = tuple(tuple(f"{tile}@{name}" for name in CELLS) for tile in range(TOP + 1))
"""By tile and cell: the text of laying it there."""
TAKE: Final = tuple(tuple(f"take {text}" for text in row) for row in LAY)
"""By tile and cell: the text of taking it from the middle and laying it there."""

_LONGEST = 200  # characters; nothing of this game comes near
_TILE = "(1[0-9]|20|[1-9])"
_FOUR = re.compile(" ".join(f"{_TILE}@{CELLS[cell]}" for cell in DIAGONAL))
_TYPED_TILE = re.compile(f"{_TILE}@([A-D][1-4])")
_NUMBER = "(?:0|[1-9][0-9]*)"
_CHANCE = re.compile(f"(first|deal|reveal)((?: {_NUMBER})+)")

_MOVES: Final[dict[str, Move]] = {
    "draw": Move("draw"),
    "leave": Move("leave"),
    **{LAY[tile][cell]: Move("lay", (tile,), (cell,)) for tile in range(1, TOP + 1) for cell in range(SIZE)},
    **{
        TAKE[tile][cell]: Move("take", (tile,), (cell,)) for tile in range(1, TOP + 1) for cell in range(SIZE)
    },
}
_COMMON_CHANCE: Final = {
    f"{kind} {number}": (kind, (number,)) for kind in ("first", "deal", "reveal") for number in range(TOP + 1)
}


def parse(text: object) -> Move:
    """The move a canonical text stands for. Raises Unreadable.

    >>> parse("take 7@B1")
    Move(kind='take', tiles=(7,), cells=(4,))
    """
    if isinstance(text, str):
        move = _MOVES.get(text)
        if move is not None:
            return move
        if len(text) <= _LONGEST and (four := _FOUR.fullmatch(text)):
            return Move("four", tuple(int(tile) for tile in four.groups()), DIAGONAL)
    raise Unreadable("move")


def four_text(tiles: Sequence[int]) -> str:
    """The move that lays four tiles on the diagonal, from A1 to D4 (option `setup=free`).

    >>> four_text([3, 9, 14, 20])
    '3@A1 9@B2 14@C3 20@D4'
    """
    return " ".join(LAY[tile][cell] for tile, cell in zip(tiles, DIAGONAL, strict=True))


def parse_chance(text: object) -> tuple[str, tuple[int, ...]]:
    """Kind ("first", "deal", "reveal") and numbers of a chance text: a seat for "first", else tiles, sorted.
    Whether these can be is not asked. Raises Unreadable.

    >>> parse_chance("deal 3 9 14 20")
    ('deal', (3, 9, 14, 20))
    """
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise Unreadable("chance")
    if common := _COMMON_CHANCE.get(text):
        return common
    if not (found := _CHANCE.fullmatch(text)):
        raise Unreadable("chance")
    words = found[2].split()
    if found[1] != "deal" and len(words) != 1:
        raise Unreadable("chance")
    # No tile or seat has more than two digits; longer numbers are readable and never possible.
    numbers = tuple(int(word) if len(word) <= 9 else 10**9 for word in words)
    if list(numbers) != sorted(numbers):
        raise Unreadable("chance")
    return found[1], numbers


def read(text: str) -> str:
    """The canonical text of what a person typed: spaces, lower case and the order of the four tiles are
    forgiven. Raises Unreadable.

    >>> read(" Take7 @ b1")
    'take 7@B1'
    """
    try:
        return _read(text)
    except Unreadable:
        raise misplaced(text, range(1, TOP + 1), CELLS) from None


def _read(text: str) -> str:
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise Unreadable("move")
    bare = "".join(text.split()).upper()
    if bare in {"DRAW", "LEAVE"}:
        return bare.lower()
    taking = bare.startswith("TAKE")
    bare = bare.removeprefix("TAKE")
    laid = [(INDEX[found[2]], int(found[1])) for found in _TYPED_TILE.finditer(bare)]
    if "".join(LAY[tile][cell] for cell, tile in laid) != bare:
        raise Unreadable("move")
    laid.sort()
    if len(laid) == 1:
        ((cell, tile),) = laid
        return (TAKE if taking else LAY)[tile][cell]
    if taking or tuple(cell for cell, _ in laid) != DIAGONAL:
        raise Unreadable("move")
    return four_text([tile for _, tile in laid])
