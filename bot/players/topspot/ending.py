"""The whole rest of a game, where only two seats have cards left: then each knows what the other holds, and
everything that either can do is gone through."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.rules.topspot.cards import SUIT

from .judge import all_stacks, gathered, union
from .playout import Move, Playout

MOST = 6000  # plays that are looked at for one question; a game with more to it is not gone through


class TooMuch(Exception):
    """More plays than `MOST`."""


class Ending:
    """Goes through the rest of a game: one seat makes `gain` (of the points at the end) as large as it can,
    the other as small."""

    def __init__(self, seat: int, gain: Callable[[Sequence[int]], float]) -> None:
        self.seat = seat
        self.gain = gain
        self.left = MOST
        self.known: dict[tuple[object, ...], float] = {}

    def after(self, game: Playout, move: Move) -> float:
        """What comes of a play. Raises TooMuch."""
        self.left -= 1
        if self.left < 0:
            raise TooMuch
        twin = game.copy()
        return self.rest(twin) if twin.play(move) else self.gain(twin.points)

    def rest(self, game: Playout) -> float:
        """What comes of a position. Raises TooMuch."""
        key = (
            tuple(game.hands),
            tuple(game.jokers),
            tuple(game.points),
            tuple(game.order),
            tuple(game.plays),
            game.colour,
            game.won,
        )
        found = self.known.get(key)
        if found is None:
            values = [self.after(game, move) for move in plays(game)]
            own = game.order[len(game.plays)] == self.seat
            found = self.known[key] = max(values) if own else min(values)
        return found


def plays(game: Playout) -> list[Move]:
    """All plays of whoever is to play, but those that give more than one card away, or a joker and another
    would do."""
    at = len(game.plays)
    seat = game.order[at]
    hand = game.hands[seat]
    best = game.best if at else -1
    lowest = best if game.expert else best + 1
    found: list[Move] = []
    colours = [game.colour] if at else [*range(game.players)]
    held = [colour for colour in colours if hand >> 12 * colour & SUIT]
    for colour in held:
        suit = hand >> 12 * colour & SUIT
        for value, faces in all_stacks(joker=False):
            if not faces & ~suit and (value >= lowest or not faces & faces - 1):
                found.append(Move(faces << 12 * colour, False, value, colour, 0.0))
    if not held:
        found = [Move(1 << card, False, -1, game.colour, 0.0) for card in range(60) if hand >> card & 1]
    if game.jokers[seat]:
        faces_held = union(hand)
        for value, faces in all_stacks(joker=True):
            if not faces & ~faces_held and (value >= lowest or not hand):
                used = gathered(hand, faces)
                found += [Move(used, True, value, colour, 0.0) for colour in colours]
    return found


def known_rest(game: Playout) -> bool:
    """Whether only two seats have cards, few enough."""
    return sum([count > 0 for count in game.counts]) <= 2 and game.left <= 11
