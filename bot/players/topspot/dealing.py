"""Hands that could be, from what a seat sees: worlds to try moves in.

What nobody has seen is dealt at random, as many cards as each holds, none of a colour that one has shown to
lack, no joker where there cannot be one. A world is then taken the sooner, the better it explains what the
others did in this round and the one before: who followed low probably holds little that is higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from bot.rules.topspot import COLOURS, JOKER, TopSpotView, stack_cards, stack_value
from bot.rules.topspot.cards import JOKER_CARD, masked

from ..mixing import shuffle
from .judge import Judge
from .playout import Move, Playout

TRIES = 10  # worlds that are looked at for one that is taken
PATIENCE = 0.3  # by so many points a play may be worse than the best before it counts as odd
BLIND = 0.1  # how often a play follows other thoughts and tells nothing


def read(text: str) -> Move:
    """A stack's text as a play; worth nothing yet. A colour of -1: it does not say one."""
    mask, jokers = masked(stack_cards(text))
    named = text.partition(":")[2] or text[0]
    return Move(mask, bool(jokers), stack_value(text), COLOURS.find(named), 0.0)


class Dealer:
    """Deals worlds that fit a view of somebody who is to play."""

    def __init__(self, view: TopSpotView, judge: Judge) -> None:
        assert view.seat is not None
        self.view = view
        self.judge = judge
        self.seat = view.seat
        self.hand, self.own_jokers = masked(view.hand)
        gone, gone_jokers = masked(view.gone)
        unseen = (1 << 12 * view.players) - 1 & ~gone & ~self.hand
        self.loose = view.players * view.expert - gone_jokers - self.own_jokers
        seats = [each for each in range(view.players) if each != self.seat]
        one_each = dict(view.options).get("joker_each") is True
        rounds = [view.plays]
        if view.last is not None and view.last.game == view.game_number:
            rounds.insert(0, view.last.plays)
        played = {play.seat for plays in rounds for play in plays if play.stack[0] == JOKER}
        self.takers = [
            [each for each in seats if COLOURS[colour] not in view.void[each]]
            for colour in range(view.players)
        ]
        # with a joker each, who has played it has none, and nobody has two
        self.wild = [each for each in seats if not (one_each and each in played)]
        self.limit = 1 if one_each else view.players
        self.cards = [card for card in range(12 * view.players) if unseen >> card & 1]
        self.free = all(len(takers) == len(seats) for takers in self.takers) and not (one_each and self.loose)
        self.seats = seats
        # what was played in this round and the one before, with the order of the seats
        self.rounds = [
            (
                view.order if plays is view.plays else tuple([play.seat for play in plays]),
                [(play.seat, read(play.stack)) for play in plays],
            )
            for plays in rounds
            if plays
        ]

    # deals

    def deal(self, chance: Random) -> tuple[list[int], list[int]]:
        """Hands and jokers by seat."""
        hands = [0] * self.view.players
        jokers = [0] * self.view.players
        hands[self.seat], jokers[self.seat] = self.hand, self.own_jokers
        cards = [*self.cards, *[JOKER_CARD] * self.loose]
        shuffle(cards, chance)
        if self.free:
            at = 0
            for each in self.seats:
                for card in cards[at : at + self.view.counts[each]]:
                    if card < JOKER_CARD:
                        hands[each] |= 1 << card
                    else:
                        jokers[each] += 1
                at += self.view.counts[each]
            return hands, jokers
        held: list[list[int]] = [[] for _ in hands]
        # those that fewest can hold come first; the sort keeps the shuffled order otherwise
        cards.sort(key=lambda card: len(self._takers(card)))
        for card in cards:
            self._give(card, held, chance)
        for each in self.seats:
            for card in held[each]:
                if card < JOKER_CARD:
                    hands[each] |= 1 << card
                else:
                    jokers[each] += 1
        return hands, jokers

    def _takers(self, card: int) -> list[int]:
        return self.wild if card == JOKER_CARD else self.takers[card // 12]

    def _may(self, card: int, seat: int, held: Sequence[Sequence[int]]) -> bool:
        if card == JOKER_CARD:
            return seat in self.wild and held[seat].count(card) < self.limit
        return seat in self.takers[card // 12]

    def _give(self, card: int, held: list[list[int]], chance: Random) -> None:
        """A card to somebody who can hold it, with chances by the room left, as in a fair deal; where those
        have no room, somebody hands one on."""
        counts = self.view.counts
        able = [each for each in self.seats if self._may(card, each, held)]
        rooms = [counts[each] - len(held[each]) for each in able]
        room = sum(rooms)
        if room:
            at = chance.random() * room
            for each, share in zip(able, rooms, strict=True):
                if share and at < share:
                    held[each].append(card)
                    return
                at -= share
            held[next(each for each, share in zip(able, rooms, strict=True) if share)].append(card)
            return
        # breadth first: whom a card can go to, of whom one goes on, … until there is room
        came: dict[int, tuple[int, int]] = dict.fromkeys(able, (-1, card))
        front = list(able)
        for seat in front:
            if len(held[seat]) < counts[seat]:
                while True:
                    before, moved = came[seat]
                    held[seat].append(moved)
                    if before < 0:
                        return
                    held[before].remove(moved)
                    seat = before  # noqa: PLW2901
            for other in self.seats:
                if other not in came:
                    passed = next((each for each in held[seat] if self._may(each, other, held)), None)
                    if passed is not None:
                        came[other] = (seat, passed)
                        front.append(other)
        raise ValueError("a view that no deal fits")

    # worlds

    def world(self, chance: Random) -> Playout:
        """A position that could be, with the seat of the view to play."""
        dealt = self.deal(chance)
        if self.rounds:
            for _ in range(TRIES - 1):
                least = chance.random()
                if self.likely(*dealt, least) > least:
                    break
                dealt = self.deal(chance)
        return position(self.view, self.judge, *dealt)

    def likely(self, hands: Sequence[int], jokers: Sequence[int], least: float = 0.0) -> float:
        """How well these hands explain what was played: 1 if all others did what the policy does, the less
        the more was given away. Whatever is below `least` is not told to the end."""
        before, wild = list(hands), list(jokers)
        for _, plays in self.rounds:
            for seat, move in plays:
                before[seat] |= move.used
                wild[seat] += move.joker
        game = Playout(self.judge, self.view.expert, before, wild, self.rounds[0][0][0])
        chance = 1.0
        for order, plays in self.rounds:
            game.order = list(order)
            game.plays = []
            game.best = -1
            for seat, move in plays:
                if seat != self.seat:
                    most = game.policy().worth
                    worth, _ = game.weigh(move.used, move.joker, move.value, move.colour)
                    odd = 1.0 + max(0.0, most - worth) / PATIENCE
                    chance *= BLIND + (1.0 - BLIND) / (odd * odd)
                    if chance < least:
                        return chance
                game.lay(move)
        return chance


def position(view: TopSpotView, judge: Judge, hands: list[int], jokers: list[int]) -> Playout:
    """The view's position with these hands. Those of others may be empty where only what the seat knows is
    asked."""
    game = Playout(judge, view.expert, hands, jokers, view.order[0])
    gone, gone_jokers = masked(view.gone)
    game.counts = list(view.counts)
    game.left = sum(game.counts)
    game.alive = (1 << 12 * view.players) - 1 & ~gone
    game.loose = view.players * view.expert - gone_jokers
    game.rivals = max(1, sum([count > 0 for count in game.counts]) - 1)
    game.order = list(view.order)
    game.points = list(view.points)
    game.won = _won(view)
    game.plays = [(play.seat, play.value if play.counts else -1) for play in view.plays]
    game.best = max([value for _, value in game.plays], default=-1)
    game.colour = COLOURS.index(view.colour) if view.colour else -1
    return game


def _won(view: TopSpotView) -> int:
    """Who leads if nobody scores (rule 11): who won before, as far as the view tells."""
    last = view.last
    if last is not None and last.game == view.game_number:
        if last.winner is not None:
            return last.winner
        if last.how == "tie":
            return last.plays[0].seat
    return view.order[0]
