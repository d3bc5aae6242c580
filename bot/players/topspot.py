"""A computer player for Top Spot: thinks the game to its end, many times, with hands that could be.

The cards that nobody has seen are dealt to the others at random, as many as each holds and none of a
colour that one has shown to lack. From there each promising move is tried, and everybody plays the game out
by a rule of thumb: win the round where the chance of it is worth the cards, else give the least useful card.
The move with the best mean of own points less the others' mean is played. Nothing but the view is used, and
no clock: the number of trials is fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from random import Random
from typing import NamedTuple

from bot.rules.chance import Generator
from bot.rules.topspot import (
    COLOURS,
    FACES,
    GAME,
    JOKER,
    TopSpotView,
    card_numbers,
    stack_cards,
    stack_value,
    stacks_of_faces,
)

_SUIT = (1 << 12) - 1
_DEALS = 28  # how many deals of the unseen cards are tried
_CANDIDATES = 10  # how many moves are tried on each of them
# the chance that one who follows goes above a value, by value: guessed, then held against play
_ABOVE = (1.0, 0.98, 0.95, 0.9, 0.8, 0.62, 0.38, 0.15, 0.0, 0.0)
_TIE = 0.4  # what a tie at the highest value is worth, if there are tie-breaks
_CARD = 0.4  # what any card is worth that one keeps, in points
_SPOT = 0.02  # and each of its spots
_HOLE = 0.01
_JOKER_WORTH = 0.4

_WORTH = tuple(
    _CARD + _SPOT * a + _HOLE * (b - a) for a, b in (card_numbers(COLOURS[0] + face) for face in FACES)
)


class _Option(NamedTuple):
    """The cheapest way to a value: faces as a mask, and what these cards are worth if kept."""

    value: int
    faces: int
    cost: float


def _cheapest(stacks: Sequence[tuple[int, int]]) -> tuple[_Option, ...]:
    """Of stacks (faces, value) those to which no other is at least equal in value and cheaper."""
    options: list[_Option] = []
    priced = [(sum(_WORTH[f] for f in range(12) if faces >> f & 1), -value, faces) for faces, value in stacks]
    for cost, value, faces in sorted(priced):
        if not options or -value > options[-1].value:
            options.append(_Option(-value, faces, cost))
    return tuple(options)


@cache
def _all_stacks(joker: bool) -> tuple[tuple[int, int], ...]:
    """(faces, value) of all stacks that rule 3 allows, with or without a joker on top."""
    return tuple(
        (sum(1 << FACES.index(face) for face in faces), value) for faces, value in stacks_of_faces(joker)
    )


@lru_cache(maxsize=8192)
def _options(faces: int, joker: bool) -> tuple[_Option, ...]:
    """The ways of a suit (or, below a joker, of a hand) with these faces, dearer ones higher in value."""
    return _cheapest([stack for stack in _all_stacks(joker) if not stack[0] & ~faces])


@cache
def _holds(value: int, later: int) -> float:
    """The chance that a value stays the highest with so many still to follow."""
    return float((1.0 - _ABOVE[value]) ** later)


@lru_cache(maxsize=65536)
def _pick(faces: int, best: int, later: int, ties: bool, joker: bool) -> tuple[float, int, int]:
    """(worth, faces, value) of the best option against the highest value so far, -1 for none."""
    found = (-9.0, 0, 0)
    for value, used, cost in _options(faces, joker):
        chance = _holds(value, later) if value > best else 0.0
        if ties and value == best:
            chance = _TIE * _holds(value, later)
        worth = chance - cost - (_JOKER_WORTH if joker else 0.0)
        if worth > found[0]:
            found = (worth, used, value)
    return found


@lru_cache(maxsize=8192)
def _least(faces: int) -> tuple[float, int]:
    """Worth and face of the card one would miss least."""
    return min((_WORTH[face], face) for face in range(12) if faces >> face & 1)


class _Playout:
    """One game played to its end by the rule of thumb. Hands are masks as in the rules; a play is (seat,
    value), -1 for one that cannot win."""

    __slots__ = ("colour", "expert", "first", "hands", "jokers", "order", "players", "plays", "points", "won")

    def __init__(self, view: TopSpotView, hands: list[int], jokers: list[int]) -> None:
        self.players = view.players
        self.expert = view.expert
        self.hands = hands
        self.jokers = jokers
        self.order = list(view.order)
        self.plays = [(play.seat, play.value if play.counts else -1) for play in view.plays]
        self.colour = COLOURS.index(view.colour) if view.colour else -1
        self.points = list(view.points)
        self.first = view.order[0]
        # the view does not say who won before; that matters only where nobody scores
        self.won = view.order[0]

    def cards(self, seat: int) -> bool:
        return bool(self.hands[seat] or self.jokers[seat])

    def play(self, used: int, joker: bool, value: int, colour: int) -> bool:
        """One play of whoever is to play; whether the game goes on. colour: in play if this one leads."""
        seat = self.order[len(self.plays)]
        if not self.plays:
            self.colour = colour
        counts = joker or bool(used & _SUIT << 12 * self.colour)
        self.hands[seat] &= ~used
        self.jokers[seat] -= joker
        self.plays.append((seat, value if counts else -1))
        return len(self.plays) < len(self.order) or self.settle()

    def settle(self) -> bool:
        best = max([value for _, value in self.plays])
        tied = [seat for seat, value in self.plays if value == best]
        if self.expert and len(tied) > 1:
            tied = [seat for seat in tied if self.cards(seat)]
            if len(tied) > 1:
                self.order, self.plays, self.colour = tied, [], -1
                return True
        if not tied:
            return self.open(self.won)
        winner = tied[0]
        self.points[winner] += 1
        self.won = winner
        if not self.cards(winner):
            return False
        if not any(self.cards(seat) for seat in range(self.players) if seat != winner):
            self.points[winner] += self.hands[winner].bit_count() + self.jokers[winner]
            return False
        return self.open(winner)

    def open(self, leader: int) -> bool:
        around = [*range(leader, self.players), *range(leader)]
        self.order = [seat for seat in around if self.cards(seat)]
        self.plays = []
        self.colour = -1
        return bool(self.order)

    def run(self) -> list[int]:
        while self.play(*self.thumb()):
            pass
        return self.points

    def thumb(self) -> tuple[int, bool, int, int]:
        """What the rule of thumb plays: cards, whether below a joker, value, colour if it leads."""
        seat = self.order[len(self.plays)]
        hand = self.hands[seat]
        later = len(self.order) - len(self.plays) - 1
        if not self.plays:
            return self._lead(seat, hand, later)
        best = max([value for _, value in self.plays])
        suit = hand >> 12 * self.colour & _SUIT
        if suit:
            worth, faces, value = _pick(suit, best, later, self.expert, False)
            used = faces << 12 * self.colour
        else:
            worth, used, value = _discard(hand)
        if self.jokers[seat]:
            under = _pick(_union(hand), best, later, True, True)
            if under[0] > worth:
                return _gathered(hand, under[1]), True, under[2], -1
        return used, False, value, -1

    def _lead(self, seat: int, hand: int, later: int) -> tuple[int, bool, int, int]:
        found = (-9.0, 0, 0, -1)
        for at in range(self.players):
            if suit := hand >> 12 * at & _SUIT:
                worth, faces, value = _pick(suit, -1, later, False, False)
                if worth > found[0]:
                    found = (worth, faces << 12 * at, value, at)
        if self.jokers[seat]:
            worth, faces, value = _pick(_union(hand), -1, later, False, True)
            if worth > found[0]:
                longest = max(range(self.players), key=lambda at: (hand >> 12 * at & _SUIT).bit_count())
                return _gathered(hand, faces), True, value, longest
        return found[1], False, found[2], found[3]


def _discard(hand: int) -> tuple[float, int, int]:
    """(worth, card, value) of giving the card one would miss least; the value does not matter."""
    if not hand:
        return -9.0, 0, 0
    suits = [(_least(suit), at) for at in range(len(COLOURS)) if (suit := hand >> 12 * at & _SUIT)]
    (worth, face), at = min(suits)
    return -worth, 1 << 12 * at + face, 0


def _union(hand: int) -> int:
    """Faces held in any colour."""
    return (hand | hand >> 12 | hand >> 24 | hand >> 36 | hand >> 48) & _SUIT


def _gathered(hand: int, faces: int) -> int:
    """Cards of a hand with these faces, one of each."""
    used = 0
    for face in range(12):
        if faces >> face & 1:
            column = hand & 0b000000000001000000000001000000000001000000000001000000000001 << face
            used |= column & -column
    return used


# --------------------------------------------------------------------------- the choice


class _Candidate(NamedTuple):
    move: str
    used: int
    joker: bool
    value: int
    colour: int


def _candidates(view: TopSpotView, legal: Sequence[str]) -> list[_Candidate]:
    """The moves worth a trial: of those alike in colour, joker, number of cards and value the cheapest, and
    of these the most promising."""
    alike: dict[tuple[object, ...], tuple[float, _Candidate]] = {}
    later = len(view.order) - len(view.plays) - 1
    best = max([play.value for play in view.plays if play.counts], default=-1)
    for move in legal:
        cards = stack_cards(move)
        joker = cards[0] == JOKER
        own = [card for card in cards if card != JOKER]
        used = sum(1 << 12 * COLOURS.index(card[0]) + FACES.index(card[1]) for card in own)
        value = stack_value(move)
        named = move.partition(":")[2] or ("" if joker else cards[0][0])
        colour = COLOURS.index(named) if named else -1
        cost = sum(_WORTH[FACES.index(card[1])] for card in own) + joker * _JOKER_WORTH
        wins = value > best and (joker or not view.colour or cards[0][0] == view.colour)
        promise = (_holds(value, later) if wins else 0.0) - cost
        kind = (named, joker, len(cards), value)
        if kind not in alike or promise > alike[kind][0]:
            alike[kind] = (promise, _Candidate(move, used, joker, value, colour))
    ranked = sorted(alike.values(), key=lambda pair: (-pair[0], pair[1].move))
    return [candidate for _, candidate in ranked[:_CANDIDATES]]


def _deal(view: TopSpotView, chance: Random) -> tuple[list[int], list[int]]:
    """Hands that could be: the unseen cards, colours that somebody lacks kept from that one where that works
    out."""
    seat = view.seat
    seen = {*view.hand, *view.gone}
    unseen = [c + f for c in view.colours for f in FACES if c + f not in seen]
    jokers = view.players * view.expert - (*view.hand, *view.gone).count(JOKER)
    cards = [*unseen, *[JOKER] * jokers]
    # the cards that fewest can hold come first; random() is the one method that is the same on every Python
    takers = {
        card: [each for each in range(view.players) if each != seat and card[0] not in view.void[each]]
        for card in cards
    }
    cards.sort(key=lambda card: (len(takers[card]), chance.random()))
    room = list(view.counts)
    held: list[list[str]] = [[] for _ in room]
    for card in cards:
        able = [each for each in takers[card] if len(held[each]) < room[each]]
        if not able:  # a corner the greedy deal painted itself into
            able = [each for each in range(view.players) if each != seat and len(held[each]) < room[each]]
        # chances by the room left, as in a fair deal
        weights = [room[each] - len(held[each]) for each in able]
        at = chance.random() * sum(weights)
        while at >= weights[0] and len(weights) > 1:
            at -= weights.pop(0)
            able.pop(0)
        held[able[0]].append(card)
    if seat is not None:
        held[seat] = list(view.hand)
    hands = [
        sum(1 << 12 * COLOURS.index(card[0]) + FACES.index(card[1]) for card in hand if card != JOKER)
        for hand in held
    ]
    return hands, [hand.count(JOKER) for hand in held]


def choose(view: TopSpotView, chance: Generator) -> str:
    """A move for `view.seat`, which must be the one to act; from the view and `chance` alone."""
    legal = GAME.legal(view)
    if not legal:
        raise ValueError("this seat may not act")
    candidates = _candidates(view, legal)
    if len(candidates) == 1:
        return candidates[0].move
    assert view.seat is not None
    numbers = Random(chance.below(1 << 64))
    sums = [0.0] * len(candidates)
    for _ in range(_DEALS):
        hands, jokers = _deal(view, numbers)
        for at, candidate in enumerate(candidates):
            game = _Playout(view, hands.copy(), jokers.copy())
            goes_on = game.play(candidate.used, candidate.joker, candidate.value, candidate.colour)
            points = game.run() if goes_on else game.points
            others = sum(points) - points[view.seat]
            sums[at] += points[view.seat] - others / (view.players - 1)
    best = max(range(len(candidates)), key=lambda at: (sums[at], -at))
    return candidates[best].move
