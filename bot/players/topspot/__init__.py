"""The computer player for Top Spot.

It weighs each play by the chance that it stays the highest and by what the cards are worth that are left
(`judge`), and tries the best out in games with hands that could be (`dealing`), which all seats play to the
end by the same policy (`playout`). What is weighed with was learned by self-play (`learn`).

What everybody knows, and no level breaks while it has another move: docs/players.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from random import Random
from typing import NamedTuple

from bot.rules.topspot import GAME, TopSpotView
from bot.rules.topspot.cards import SUIT, masked

from ..contract import Candidate, Player, Scale, Term
from .dealing import Dealer, position, read
from .ending import Ending, TooMuch, known_rest
from .judge import TOP, added, all_stacks, judge_of, union
from .playout import Move, Playout

LEAVING = 0.7  # how hard it is to find that a round is better left to others
BUILDING = 0.1  # and each card that a stack has more than one
EARLY = 8  # cards held with which nobody leads a joker alone
FORLORN = 0.25  # a chance to win the round with which nobody counts
LEAST = 0.25  # points by which another play must have been better for it to be told
JOKERS = 0.7  # of both, where there are jokers: to overlook costs more there


class Weighed(NamedTuple):
    """A legal play. wins: it would be the highest now, or as high where there are tie-breaks. chance: that it
    stays so."""

    text: str
    move: Move
    cards: int
    wins: bool
    chance: float


class TopSpotPlayer(Player[TopSpotView]):
    blur = 2.5
    budget = 1600
    trust = 2.0

    def candidates(self, view: TopSpotView) -> list[Candidate]:
        game, reach, best = _weighed(view)
        best.sort(key=lambda one: (-one.move.worth, one.text))
        likeliest, most = max(one.chance for one in best), max(one.cards for one in best)
        given = next((one for one in best if not one.wins), None)
        return [
            Candidate(
                one.text,
                one.move.worth,
                _hidden(one, likeliest, view.expert),
                _why(game, one, reach, given, most),
            )
            for one in best
        ]

    def reasons(self, view: TopSpotView, move: str) -> tuple[Term, ...]:
        game, reach, best = _weighed(view)
        [one] = alike(game, [move])
        return _why(game, one, reach, None, max(each.cards for each in best))

    def trial(self, view: TopSpotView, tried: Sequence[Candidate]) -> Games:
        return Games(view, [one.move for one in tried])

    def scale(self, view: TopSpotView) -> Scale:
        """Of points while there are games to come, to a tenth: a round brings one, and most of what is lost
        in one is a part of it. In the last game the chance to win."""
        left = view.games - view.game_number
        if left:
            return Scale("decimal", least=LEAST)
        return Scale("chance", each=100.0 / shares(left)[1], least=LEAST)


def _weighed(view: TopSpotView) -> tuple[Playout, list[int], list[Weighed]]:
    """The position as the seat sees it, its `_reach`, and the plays that no rule of thumb forbids. Raises
    ValueError."""
    legal = GAME.legal(view)
    if not legal or view.seat is None:
        raise ValueError("this seat may not act")
    game = unknown(view)
    reach = _reach(game)
    return game, reach, sifted(view, game, alike(game, legal), reach)


def unknown(view: TopSpotView) -> Playout:
    """The view's position, with nothing in the hands of the others."""
    assert view.seat is not None
    hands, jokers = [0] * view.players, [0] * view.players
    hands[view.seat], jokers[view.seat] = masked(view.hand)
    return position(view, judge_of(view.players, view.expert), hands, jokers)


def alike(game: Playout, legal: Sequence[str]) -> list[Weighed]:
    """Of plays alike in colour, joker, number of cards and value the one worth most."""
    found: dict[tuple[object, ...], Weighed] = {}
    for text in legal:
        move = read(text)
        worth, chance = game.weigh(move.used, move.joker, move.value, move.colour)
        cards = move.used.bit_count() + move.joker
        counts = not game.plays or move.joker or move.colour == game.colour
        wins = counts and (move.value > game.best or (game.expert and move.value == game.best))
        kind = (move.colour, move.joker, cards, move.value)
        if kind not in found or worth > found[kind].move.worth:
            found[kind] = Weighed(text, move._replace(worth=worth), cards, wins, chance)
    return list(found.values())


def sifted(view: TopSpotView, game: Playout, plays: Sequence[Weighed], reach: Sequence[int]) -> list[Weighed]:
    """Without those that a rule of thumb forbids. reach: of `_reach`."""
    if not game.plays:
        return _leads(plays, reach, len(view.hand), view.expert)
    kept = [one for one in plays if _sensible(one)]
    if not kept:
        return list(plays)
    if len(game.plays) + 1 < len(game.order):
        return kept
    sure = [one for one in kept if one.wins and one.move.value > game.best]
    fewest = min([one.cards for one in sure], default=0)
    whole = len(view.hand)
    if fewest != 1:  # none is sure, or it takes several cards: one may be given instead
        sure += [one for one in kept if one not in sure]
    return [one for one in sure if one.cards in (1, fewest, whole)]


def _leads(plays: Sequence[Weighed], reach: Sequence[int], whole: int, expert: bool) -> list[Weighed]:
    """Without a joker alone while many cards are held; the last cards as one stack, if nobody can beat it and
    no part of them is certain to win."""
    sure = [one for one in plays if one.move.value >= reach[one.move.colour]]
    if sure and all(one.cards == whole for one in sure):
        last = [one for one in sure if not expert or one.move.value > reach[one.move.colour]]
        if last:
            return last
    return [one for one in plays if not (one.move.joker and one.cards == 1 and whole >= EARLY)]


def _sensible(one: Weighed) -> bool:
    return one.wins or (one.cards == 1 and not one.move.joker)


def _hidden(one: Weighed, likeliest: float, expert: bool) -> float:
    """What probably wins is seen at a glance, and one card is; a stack has to be built in the head, and that
    cards are worth more than this point is hard to see."""
    left = 1.0 - one.chance / likeliest if likeliest else 0.0
    hidden = min(0.9, LEAVING * left + BUILDING * (one.cards - 1))
    return JOKERS * hidden if expert else hidden


def _why(
    game: Playout, one: Weighed, reach: Sequence[int], given: Weighed | None, most: int
) -> tuple[Term, ...]:
    """reach: of `_reach`. given: the play that is worth most of those that do not win. most: the
    most cards that any play takes which no rule of thumb forbids."""
    seat = game.order[len(game.plays)]
    later = len(game.order) - len(game.plays) - 1
    number = game.counts[seat]
    left = number - one.cards
    value = one.move.value
    single = one.cards == 1 and left > 0
    terms = [Term("topspot.why.saves", 0.3, (("n", left),))] if single and most > 1 else []
    if not one.wins:
        spare = single and one is given and not one.move.joker
        return (Term("topspot.why.beaten", 1.0 - one.chance),) if spare else tuple(terms)
    alone = game.left - number <= later
    if alone and left:
        terms.append(Term("topspot.why.rest", one.chance * (1.0 + left), (("n", 1 + left),)))
    if not left and value > game.best:  # who is level has no card for a tie-break, and loses it (rule 11)
        terms.append(Term("topspot.why.ends", one.chance))
    level = [other for other, laid in game.plays if laid == value]
    rivals = any(game.counts[other] for other in level)  # in a tie-break: without cards they lose it
    if level:
        if left and rivals:
            key = "topspot.why.level" if later else "topspot.why.tie"
            terms.append(Term(key, one.chance, (("value", value),)))
        elif left and not later:
            terms.append(Term("topspot.why.last", 1.0, (("value", value),)))
    elif not later:
        terms.append(Term("topspot.why.last", 1.0, (("value", value),)))
    elif value >= reach[game.colour if game.plays else one.move.colour]:
        terms.append(Term("topspot.why.sure", 1.0, (("value", value),)))
    elif one.chance >= 0.5:
        terms.append(Term("topspot.why.high", one.chance, (("value", value),)))
    elif one.chance < FORLORN and left:
        terms.append(Term("topspot.why.gives_up", 1.0 - one.chance))
    terms.sort(key=lambda term: -term.worth)
    return tuple(terms[:3])


def _reach(game: Playout) -> list[int]:
    """By colour in play, the highest value that others could lay, if one of them held all that this seat has
    not seen; -1 for none."""
    seat = game.order[len(game.plays)]
    rest = game.alive & ~game.hands[seat]
    faces = union(rest)
    wild = -1
    if game.loose > game.jokers[seat]:
        wild = max([value for value, used in all_stacks(joker=True) if not used & ~faces], default=0)
    return [max(wild, TOP[rest >> 12 * colour & SUIT]) for colour in range(game.players)]


class Games:
    """Moves of a view tried out: in each world all of them, everybody playing on by the policy."""

    def __init__(self, view: TopSpotView, moves: Sequence[str]) -> None:
        assert view.seat is not None
        self.seat = view.seat
        self.moves = [read(move) for move in moves]
        self.dealer = Dealer(view, judge_of(view.players, view.expert))
        self.totals = view.totals
        self.ending = Ending(view.seat, self.gain)
        self.much = False
        self.shares, self.scale = shares(view.games - view.game_number)

    def world(self, kept: Sequence[int], chance: Random) -> list[float]:
        start = self.dealer.world(chance)
        if known_rest(start) and not self.much:
            try:
                return [self.ending.after(start, self.moves[number]) for number in kept]
            except TooMuch:
                self.much = True
        gains = []
        for number in kept:
            game = start.copy()
            points = game.run() if game.play(self.moves[number]) else game.points
            gains.append(self.gain(points))
        return gains

    def gain(self, points: Sequence[int]) -> float:
        """What is won of the match, so scaled that it goes like points while the match is open."""
        sums = [before + now for before, now in zip(self.totals, points, strict=True)]
        most = max(sums)
        weights = [self.shares[min(most - each, len(self.shares) - 1)] for each in sums]
        return self.scale * weights[self.seat] / added(weights)


def shares(games: int) -> tuple[list[float], float]:
    """How much less likely somebody wins the match, by points behind before so many games; and what a share
    of the match is worth in points. With no game left, who is behind has lost."""
    spread = 2.0 * sqrt(games) if games else 0.35
    ratio = 1.0 / ((2.0 * spread + 1.0) / (2.0 * spread - 1.0)) if games else 0.06
    found = [1.0]
    for _ in range(60):
        found.append(found[-1] * ratio)
    return found, 4.5 * max(spread, 2.0)


PLAYER = TopSpotPlayer()
