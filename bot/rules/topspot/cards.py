"""The cards: what is on each of them, how many there are, and what shows of several that lie on each other.

A card has a colour (a letter of `COLOURS`) and a face (a letter of `FACES`), and is written as both: `RA`.
The joker has neither and is written `*`. A card is a 3×3 grid; each of its nine positions, counted row by row
from the top left, is a spot, a hole or plain.

For speed a card is also a number: colour (0 to 4) times 12 plus face (0 to 11), and 60 for the joker; cards
that one has are then a mask of 60 bits and a number of jokers, as five jokers are alike. The positions of one
card are the bits 0 (top left) to 8 of a mask. A face is a number too: that of its red card.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

COLOURS: Final = "RYGBP"  # the first N of them are used by N players
FACES: Final = "ABCDEFGHIJKL"
JOKER: Final = "*"
POSITIONS: Final = 9

# The real card pictures are not documented. This reconstruction was found by search; the page says under
# which conditions, and the tests hold it to them. `@` spot, `O` hole, `.` plain; rows from the top.
CARD_ROWS: Final[Mapping[str, str]] = {
    "A": "O.O/OO@/OOO",
    "B": "OO./.OO/@OO",
    "C": "O@./OO@/OOO",
    "D": "..O/OOO/O@@",
    "E": "O.O/@../@OO",
    "F": ".O@/.O@/O@O",
    "G": "O.@/@.O/.@O",
    "H": "@../.@@/OOO",
    "I": "@O./.@O/O@@",
    "J": "@@./O@./O.@",
    "K": "O.@/@@./@O@",
    "L": ".@./@.@/.@@",
    JOKER: "O.O/O.O/O.O",
}


def _mask(card: str, sign: str) -> int:
    return sum(1 << at for at, found in enumerate(card_grid(card)) if found == sign)


def card_grid(card: str) -> str:
    """The nine positions of a card such as `RA` or `*`, row by row: `@` spot, `O` hole, `.` plain.

    >>> card_grid("RA")
    'O.OOO@OOO'
    """
    return CARD_ROWS[card[-1]].replace("/", "")


JOKER_CARD: Final = 60
SUIT: Final = (1 << 12) - 1  # all faces of one colour
WHOLE: Final = (1 << POSITIONS) - 1  # all positions of a card

# by card, the joker last
CARD_TEXTS: Final = (*(colour + face for colour in COLOURS for face in FACES), JOKER)
SPOTS: Final = tuple([_mask(card, "@") for card in CARD_TEXTS])
HOLES: Final = tuple([_mask(card, "O") for card in CARD_TEXTS])

CARD_OF: Final[Mapping[str, int]] = {text: card for card, text in enumerate(CARD_TEXTS)}


# --------------------------------------------------------------------------- cards and hands


def card_numbers(card: str) -> tuple[int, int]:
    """Corner numbers a/b of a card such as `RA` or `*`: spots, and spots + holes.

    >>> card_numbers("RA"), card_numbers("*")
    ((1, 8), (0, 6))
    """
    found = CARD_OF[card]
    a = SPOTS[found].bit_count()
    return a, a + HOLES[found].bit_count()


def hand_order(cards: Iterable[str]) -> tuple[str, ...]:
    """Cards sorted as text, jokers last: the order of a `deal` and of `TopSpotView.hand`.

    >>> hand_order(["YA", "*", "BL", "BC"])
    ('BC', 'BL', 'YA', '*')
    """
    return tuple(sorted(cards, key=lambda card: (card == JOKER, card)))


def bits(mask: int) -> list[int]:
    """The numbers of the bits of a mask, rising: its cards, or its faces."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


@lru_cache(maxsize=4096)
def card_texts(mask: int, jokers: int) -> tuple[str, ...]:
    """The cards of a mask and jokers as texts, in `hand_order`."""
    return (*sorted([CARD_TEXTS[card] for card in bits(mask)]), *[JOKER] * jokers)


def masked(cards: Iterable[str]) -> tuple[int, int]:
    """Cards as a mask and a number of jokers, the inverse of `card_texts`. A card that is there twice counts
    once. Raises KeyError for no such card."""
    mask = jokers = 0
    for text in cards:
        card = CARD_OF[text]
        if card == JOKER_CARD:
            jokers += 1
        else:
            mask |= 1 << card
    return mask, jokers


def colour_letters(colours: int) -> str:
    """The letters of a bit mask of colours, in the order of `COLOURS`."""
    return "".join([letter for at, letter in enumerate(COLOURS) if colours >> at & 1])


# --------------------------------------------------------------------------- cards on each other


def visible_spots(cards: Sequence[int], window: int = WHOLE) -> int:
    """Rule 2: how many spots show of cards on each other, the top one first: those of the top card and those
    seen through holes that are open in every card above. window: the positions that are looked at, where
    something else lies on top (the holes of a joker)."""
    shown = 0
    for card in cards:
        shown |= SPOTS[card] & window
        window &= HOLES[card]
    return shown.bit_count()


@dataclass(frozen=True, slots=True)
class Composite:
    """What is seen of a stack from above. grid: nine signs as in `card_grid`; depth: at each position, which
    card of the stack (0 the top one) is seen there; the last one where it is a hole right through. value:
    rule 2."""

    grid: str
    depth: tuple[int, ...]
    value: int


def composite(cards: Sequence[str]) -> Composite:
    """The visible positions of a stack, top card first (rule 2); for pictures and texts, and looked down
    position by position, so that it can judge what `visible_spots` counts. Raises KeyError for no such card,
    ValueError for no card at all.

    >>> seen = composite(["RA", "RL"])
    >>> seen.grid, seen.depth, seen.value
    ('...@.@.@@', (1, 0, 1, 1, 1, 0, 1, 1, 1), 4)
    """
    if not cards:
        raise ValueError("a stack has a card")
    grids = [card_grid(card) for card in cards]
    grid, depth = [], []
    for at in range(POSITIONS):
        seen = 0
        while grids[seen][at] == "O" and seen < len(cards) - 1:
            seen += 1
        grid.append(grids[seen][at])
        depth.append(seen)
    return Composite("".join(grid), tuple(depth), grid.count("@"))
