"""The material of Topominos: the pieces, what they can show, the compartments, and how dots are added up.

Words used here: `dots` is a sorted string of the positions `a b c / d e f / g h i` that a piece shows, a
`name` is the alphabetically first of a piece's up to eight dots, a mask has bit 0 for `a` up to bit 8 for
`i`. A stack is the dots of each piece in one compartment, lowest first. Compartments are numbered 0..8 in the
order A1 A2 A3 B1 … C3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

ID: Final = "topominos"
LETTERS: Final = "abcdefghi"
FULL: Final = 0b111111111  # nine dots
CELLS: Final = tuple(column + row for column in "ABC" for row in "123")
CELL_INDEX: Final = {cell: index for index, cell in enumerate(CELLS)}


def dots_of(mask: int) -> str:
    """The dots of a mask.

    >>> dots_of(0b100100)
    'cf'
    """
    return "".join(letter for bit, letter in enumerate(LETTERS) if mask >> bit & 1)


def _images(mask: int) -> frozenset[int]:
    """The up to eight masks a piece shows when it is turned and turned over."""
    places = [divmod(bit, 3) for bit in range(9) if mask >> bit & 1]
    found = set()
    for _ in range(4):
        places = [(column, 2 - row) for row, column in places]
        for side in (places, [(row, 2 - column) for row, column in places]):
            found.add(sum(1 << (3 * row + column) for row, column in side))
    return frozenset(found)


MASKS: Final[Mapping[str, int]] = {
    dots_of(mask): mask for mask in range(1, FULL) if 1 <= mask.bit_count() <= 4
}
"""Mask by dots, for everything that a piece of one to four dots can show."""
NAMES: Final[Mapping[str, str]] = {
    dots: min(dots_of(image) for image in _images(mask)) for dots, mask in MASKS.items()
}
"""Name of the piece by the dots it shows."""
PIECES: Final = tuple(sorted(set(NAMES.values())))
"""The 50 different pieces by name."""
FACES: Final[Mapping[str, tuple[str, ...]]] = {
    name: tuple(sorted(dots for dots, named in NAMES.items() if named == name)) for name in PIECES
}
"""All different dots that a piece can show, sorted, by name."""
FITTING: Final[Mapping[str, Sequence[tuple[str, ...]]]] = {
    name: [tuple([dots for dots in faces if not MASKS[dots] & full]) for full in range(FULL + 1)]
    for name, faces in FACES.items()
}
"""The faces of a piece that lay no dot on a dot (rule 3), by name and the mask of the dots that are there."""
COPIES: Final[Mapping[str, int]] = {name: 3 if len(name) == 1 else 1 for name in PIECES}
"""The reconstructed set: each one-dot pattern three times, every other pattern once."""
SET: Final = tuple(name for name in PIECES for _ in range(COPIES[name]))
"""All 56 pieces, sorted by name."""


def rack_size(players: int) -> int:
    """Pieces on a full rack, by the number of players (rule 1; solo five by ruling).

    >>> [rack_size(players) for players in (1, 2, 3, 4)]
    [5, 5, 5, 4]
    """
    return 4 if players == 4 else 5


def dots_on(rack: Iterable[str]) -> int:
    """How many dots the pieces of a rack have, which is what they cost at the end (rule 9).

    >>> dots_on(["a", "abd"])
    4
    """
    return sum(map(len, rack))


def fill(stack: Iterable[str]) -> int:
    """The mask of all dots of a stack.

    >>> dots_of(fill(["abcd", "fh"]))
    'abcdfh'
    """
    mask = 0
    for dots in stack:
        mask |= MASKS[dots]
    return mask
