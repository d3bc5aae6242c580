"""What hands and stacks are worth in Top Spot, looked up in tables that were learned by self-play.

A play is weighed by what it leads to: the chance that it stays the highest, and what is worth then to have so
many cards left beside the others, with the lead or without it (`Judge.ahead`, `Judge.behind`), and how good
the cards are that are left (`Judge.quality`). The figures are those of `figures.json`; `learn.py` makes them.

Cards are as in the rules: a hand is a mask of 60 bits, a suit one of 12 (its faces), jokers are a number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from math import inf, prod
from pathlib import Path
from typing import Any, NamedTuple

from bot.rules.topspot import COLOURS, FACES, card_numbers, stacks_of_faces
from bot.rules.topspot.cards import SUIT

TIE = 0.45  # of a point, what a tie at the highest value is worth where there are tie-breaks
CARD = 0.9  # points that a card is worth about, where stacks of different numbers of them are compared
CROWDS = 8  # steps of how many cards of a colour the others hold


class Stack(NamedTuple):
    """A stack of one suit, or what lies below a joker. cost: what its cards are worth to a hand beyond their
    number."""

    value: int
    faces: int
    cards: int
    cost: float


@cache
def all_stacks(joker: bool) -> tuple[tuple[int, int], ...]:
    """(value, faces) of all stacks that rule 3 allows, with or without a joker on top."""
    return tuple(
        (value, sum(1 << FACES.index(face) for face in faces)) for faces, value in stacks_of_faces(joker)
    )


SINGLE = {
    1 << face: card_numbers(COLOURS[0] + each)[0] for face, each in enumerate(FACES)
}  # spots of one card


def _tops() -> list[int]:
    """By suit: the highest value of a stack of it; -1 of none."""
    found = [-1] * (SUIT + 1)
    for value, faces in all_stacks(joker=False):
        found[faces] = max(found[faces], value)
    for suit in range(SUIT + 1):
        for face in range(12):
            if suit >> face & 1:
                found[suit] = max(found[suit], found[suit ^ 1 << face])
    return found


TOP = _tops()


@lru_cache(maxsize=8192)
def second(suit: int) -> int:
    """The highest value that is left of a suit when its highest stack (of fewest cards) is gone."""
    best = min(
        (-value, faces.bit_count(), faces) for value, faces in all_stacks(joker=False) if not faces & ~suit
    )
    return TOP[suit & ~best[2]]


def features(suit: int) -> list[int]:
    """What the quality of a suit is made of, as numbers below `FEATURES`: its faces, its highest value, the
    highest after that, and whether it is empty."""
    if not suit:
        return [12 + 9 + 10]
    found = [face for face in range(12) if suit >> face & 1]
    found.append(12 + TOP[suit])
    found.append(12 + 9 + 1 + second(suit))
    return found


FEATURES = 12 + 9 + 10 + 1


def crowd(cards: int, others: int) -> int:
    """How many cards of a colour each of the others holds on average, in halves."""
    return min(2 * cards // others, CROWDS - 1)


class Judge:
    """The tables for so many players.

    behind, ahead: points to come, less the others' mean, by how many cards the others have
    (`Playout.standing`) and the own number, without the lead and with it. hold: the chance that a value stays
    the highest, by the number of those to follow, `crowd` and value. weights: of `features`.
    """

    __slots__ = (
        "_below",
        "_dumps",
        "_qualities",
        "_stacks",
        "ahead",
        "behind",
        "hold",
        "joker",
        "players",
        "weights",
        "worths",
    )

    def __init__(self, players: int, figures: Mapping[str, Any]) -> None:
        self.players = players
        self.ahead: list[list[float]] = figures["ahead"]
        self.behind: list[list[float]] = figures["behind"]
        self.hold: list[list[list[float]]] = figures["hold"]
        self.weights: list[float] = figures["weights"]
        self.joker: float = figures["joker"]
        self._qualities: dict[int, float] = {}
        # what a single card is worth on average, for stacks of mixed colours below a joker
        self.worths = [
            added([self.quality(1 << face | 1 << each) - self.quality(1 << each) for each in range(12)]) / 11
            for face in range(12)
        ]
        self._stacks: dict[int, tuple[Stack, ...]] = {}
        self._dumps: dict[int, tuple[float, int]] = {}
        self._below: dict[int, tuple[Stack, ...]] = {}

    def quality(self, suit: int) -> float:
        """What a suit is worth beyond the number of its cards."""
        found = self._qualities.get(suit)
        if found is None:
            found = self._qualities[suit] = added([self.weights[each] for each in features(suit)])
        return found

    def stacks(self, suit: int) -> tuple[Stack, ...]:
        """Of a suit; sifted."""
        found = self._stacks.get(suit)
        if found is None:
            whole = self.quality(suit)
            found = self._stacks[suit] = _sifted(
                Stack(value, faces, faces.bit_count(), round(whole - self.quality(suit & ~faces), 6))
                for value, faces in all_stacks(joker=False)
                if not faces & ~suit
            )
        return found

    def dump(self, suit: int) -> tuple[float, int]:
        """Cost and face (as a mask) of the card of a suit that is missed least."""
        found = self._dumps.get(suit)
        if found is None:
            whole = self.quality(suit)
            found = self._dumps[suit] = min(
                (round(whole - self.quality(suit ^ 1 << face), 6), 1 << face)
                for face in range(12)
                if suit >> face & 1
            )
        return found

    def below(self, faces: int) -> tuple[Stack, ...]:
        """What may lie below a joker, of these faces in any colours; sifted like `stacks`. The number of
        cards counts the joker."""
        found = self._below.get(faces)
        if found is None:
            found = self._below[faces] = _sifted(
                Stack(
                    value,
                    used,
                    used.bit_count() + 1,
                    self.joker + added([self.worths[face] for face in range(12) if used >> face & 1]),
                )
                for value, used in all_stacks(joker=True)
                if not used & ~faces
            )
        return found


def added(numbers: Iterable[float]) -> float:
    """Their sum, one after the other: from Python 3.12 on `sum` makes up for what is rounded off, so that it
    differs in the last place, and a decision could."""
    total = 0.0
    for each in numbers:
        total += each
    return total


def _sifted(stacks: Iterable[Stack]) -> tuple[Stack, ...]:
    """Those to which no other is at least equal in value and cheaper, the higher ones first."""
    kept: list[Stack] = []
    least = inf
    priced = [(-one.value, CARD * one.cards + one.cost, one) for one in stacks]
    for _, price, one in sorted(priced):
        if price < least:
            kept.append(one)
            least = price
    return tuple(kept)


def union(hand: int) -> int:
    """Faces held in any colour."""
    return (hand | hand >> 12 | hand >> 24 | hand >> 36 | hand >> 48) & SUIT


_COLUMN = sum(1 << 12 * colour for colour in range(5))


def gathered(hand: int, faces: int) -> int:
    """Cards of a hand with these faces, one of each, of the suits that are longest there."""
    used = 0
    for face in range(12):
        if faces >> face & 1:
            column = hand & _COLUMN << face
            used |= column & -column
    return used


@cache
def _figures() -> Mapping[str, Any]:
    text = Path(__file__).with_name("figures.json").read_text(encoding="ascii")
    found: Mapping[str, Any] = json.loads(text)
    return found


@cache
def judge_of(players: int, expert: bool) -> Judge:
    """The one for so many players, with or without jokers."""
    return Judge(players, _figures()[f"{players}{'*' * expert}"])


def guessed() -> dict[str, Any]:
    """Figures to begin learning with: a card is worth 0.4 points, a spot a little."""
    above = (1.0, 0.98, 0.95, 0.9, 0.8, 0.62, 0.38, 0.15, 0.0)
    hold: Sequence[Sequence[Sequence[float]]] = [
        [[prod([1.0 - each] * later) for each in above] for _ in range(CROWDS)] for later in range(5)
    ]
    table = [[0.4 * (own - others / 2) for own in range(15)] for others in range(28)]
    return {
        "ahead": [[each + 0.1 for each in row] for row in table],
        "behind": table,
        "hold": hold,
        "weights": [0.02] * 12 + [0.0] * (FEATURES - 12),
        "joker": 0.1,
    }
