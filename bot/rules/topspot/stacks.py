"""The stacks that rule 3 allows: every card of them matters. All are found once, when the module is loaded.

Whether every card matters depends on the faces alone and not on their colours, so they are looked for among
the 12 faces: 393 orders without a joker, 230 below one. Orders of the same cards with the same value are one
move (a ruling), written as the smallest text among them: `Orders` keeps them together (207 without a joker).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

from .cards import CARD_TEXTS, COLOURS, FACES, HOLES, JOKER, JOKER_CARD, WHOLE, bits, visible_spots

Faces: TypeAlias = tuple[int, ...]

BELOW: Final = tuple(["+" + text for text in CARD_TEXTS])  # how a card reads when it is not the top one


class Orders(NamedTuple):
    """All orders of the same faces that rule 3 allows and that have the same value: one move.

    faces: bit mask. first: the order that comes first by the letters of its faces. value: rule 2.
    picks: each order as a pick from texts that lie as in `first`; () for a single card.
    """

    faces: int
    first: Faces
    value: int
    picks: tuple[Callable[[Sequence[str]], Sequence[str]], ...]

    def least(self, texts: Sequence[str]) -> str:
        """The smallest text among the orders of several cards, given their texts in the order of `first`."""
        return min(["".join(pick(texts)) for pick in self.picks])


class StackTable:
    """Every stack of different faces that rule 3 allows, looked at through `window` (all of it, or the holes
    of a joker that lies on top). moves: each once; move_of: by each allowed order.

    Grown from the top: a stack whose start is refused is refused too. The card that adds nothing to the start
    shows, further down, no more positions than there, and hides no fewer.
    """

    __slots__ = ("move_of", "moves")

    def __init__(self, window: int) -> None:
        groups: dict[tuple[int, int], list[Faces]] = {}

        def grow(start: Faces) -> None:
            for face in range(12):
                faces = (*start, face)
                value = visible_spots(faces, window)
                without = [faces[:at] + faces[at + 1 :] for at in range(len(faces))]
                if all(visible_spots(rest, window) < value for rest in without):
                    groups.setdefault((sum(1 << each for each in faces), value), []).append(faces)
                    grow(faces)

        grow(())
        self.moves: list[Orders] = []
        self.move_of: dict[Faces, Orders] = {}
        for (mask, value), orders in groups.items():
            orders.sort()
            first = orders[0]
            # one card is its own only order, and itemgetter needs two to give a tuple
            picks = tuple(itemgetter(*(first.index(face) for face in order)) for order in orders)
            move = Orders(mask, first, value, picks if len(first) > 1 else ())
            self.moves.append(move)
            self.move_of.update(dict.fromkeys(orders, move))


PLAIN: Final = StackTable(WHOLE)
UNDER_JOKER: Final = StackTable(HOLES[JOKER_CARD])


def stacks_of_faces(joker: bool) -> tuple[tuple[str, int], ...]:
    """All stacks of different faces that rule 3 allows, one order for each move: (letters of the faces from
    the top, value). joker: those below a joker on top (rule 9), the joker alone being ("", 0).

    >>> len(stacks_of_faces(joker=False)), max(value for _, value in stacks_of_faces(joker=True))
    (207, 6)
    """
    table = UNDER_JOKER if joker else PLAIN
    stacks = [("".join([FACES[face] for face in move.first]), move.value) for move in table.moves]
    return (("", 0), *stacks) if joker else tuple(stacks)


# by colour: (faces, canonical text) of each stack, sorted by text; in one colour the smallest order is the
# one with the smallest faces
_OF_SUIT: Final = [
    sorted(
        [(move.faces, "+".join([colour + FACES[face] for face in move.first])) for move in PLAIN.moves],
        key=itemgetter(1),
    )
    for colour in COLOURS
]


@lru_cache(maxsize=4096)
def suit_stacks(colour: int, faces: int) -> tuple[str, ...]:
    """Canonical texts, sorted, of all stacks of one colour (by number) from its cards with these faces (a
    mask)."""
    return tuple([text for used, text in _OF_SUIT[colour] if not used & ~faces])


@lru_cache(maxsize=4096)
def _under_joker(faces: int) -> list[Orders]:
    return [move for move in UNDER_JOKER.moves if not move.faces & ~faces]


def joker_stacks(hand: int) -> list[str]:
    """Canonical texts, unsorted, of all stacks with a joker on top of cards of a hand (a mask), of which the
    colour is not yet named (rule 9)."""
    held: list[list[str]] = [[] for _ in FACES]
    faces = 0
    for card in bits(hand):
        held[card % 12].append(BELOW[card])
        faces |= 1 << card % 12
    stacks = [JOKER]
    for move in _under_joker(faces):
        choices = product(*[held[face] for face in move.first])
        if len(move.picks) < 2:
            stacks += [JOKER + "".join(texts) for texts in choices]
        else:
            stacks += [JOKER + move.least(texts) for texts in choices]
    return stacks
