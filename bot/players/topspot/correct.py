"""Corrects learned figures by what plays really bring: in games, those that are weighed with each other are
all tried out in one position, and the figures are changed so that they tell the differences.

What came of positions, from which figures are learned at first, mixes up what a card brings with what else is
true of who holds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum
from random import Random
from typing import Any, NamedTuple

from bot.rules.topspot.cards import SUIT

from .ending import plays
from .judge import features
from .playout import Move, Playout

ASKED = 0.25  # of the plays with something to weigh, how many are tried out
TRIED = 5  # plays that are tried out there, the best as weighed
STEP = 0.005  # by how much of an error the figures are changed
TURNS = 3


def odd(game: Playout, chance: Random) -> Move:
    """A play at random, of those the policy chooses among."""
    at = len(game.plays)
    seat = game.order[at]
    hand = game.hands[seat]
    colours = [each for each in range(game.players) if hand >> 12 * each & SUIT]
    if not hand or (at and not hand >> 12 * game.colour & SUIT):
        return game.policy()
    colour = game.colour if at else colours[int(chance.random() * len(colours))]
    stacks = game.judge.stacks(hand >> 12 * colour & SUIT)
    value, faces, _, _ = stacks[int(chance.random() * len(stacks))]
    return Move(faces << 12 * colour, False, value, colour, 0.0)


class Answer(NamedTuple):
    """What a play came to. come: points, less the others' mean. chance: that it stays the highest. number: of
    cards left. change: of the features of the hand."""

    come: float
    chance: float
    number: int
    change: dict[int, int]


class Question(NamedTuple):
    """A position where plays were tried out. beside: the others' cards (`Playout.standing`)."""

    beside: int
    answers: list[Answer]


def questions(games: Iterable[Playout], chance: Random) -> list[Question]:
    """Of games that are played to their end."""
    found = []
    for game in games:
        while True:
            given = game.given()
            if given is None and chance.random() < ASKED:
                question = asked(game)
                if len(question.answers) > 1:
                    found.append(question)
            move = odd(game, chance) if chance.random() < ASKED / 5 else given or game.policy()
            if not game.play(move):
                break
    return found


def asked(game: Playout) -> Question:
    """The best plays of a position tried out, as weighed, without jokers."""
    at = len(game.plays)
    seat = game.order[at]
    weighed = [
        (*game.weigh(move.used, False, move.value, move.colour), move)
        for move in plays(game)
        if not move.joker
    ]
    weighed.sort(key=lambda one: -one[0])
    answers = []
    for _, chance, move in weighed[:TRIED]:
        twin = game.copy()
        points = twin.run() if twin.play(move) else twin.points
        come = [now - then for now, then in zip(points, game.points, strict=True)]
        answers.append(
            Answer(
                come[seat] - (sum(come) - come[seat]) / (game.players - 1),
                chance,
                game.counts[seat] - move.used.bit_count(),
                changed(game.hands[seat], move.used, game.players),
            )
        )
    return Question(game.standing(seat, len(game.order) - at - 1), answers)


def changed(hand: int, used: int, players: int) -> dict[int, int]:
    """How the features of a hand change if cards are played."""
    change: Counter[int] = Counter()
    for colour in range(players):
        if gone := used >> 12 * colour & SUIT:
            suit = hand >> 12 * colour & SUIT
            change.update(features(suit ^ gone))
            change.subtract(features(suit))
    return {each: count for each, count in change.items() if count}


def corrected(figures: dict[str, Any], asked_: Sequence[Question]) -> dict[str, Any]:
    """Figures that tell what was found better."""
    weights = list(figures["weights"])
    ahead = [list(row) for row in figures["ahead"]]
    behind = [list(row) for row in figures["behind"]]
    for turn in range(TURNS):
        step = STEP / (1 + turn)
        for beside, answers in asked_:
            told = [
                chance * (1.0 + ahead[beside][number])
                + (1.0 - chance) * behind[beside][number]
                + fsum([weights[each] * count for each, count in change.items()])
                for _, chance, number, change in answers
            ]
            mean = fsum([one.come for one in answers]) / len(answers) - fsum(told) / len(told)
            for (come, chance, number, change), one in zip(answers, told, strict=True):
                error = step * (come - one - mean)
                for each, count in change.items():
                    weights[each] += error * count / 2
                if beside:  # with nobody left it is known: what is left counts, or nothing
                    behind[beside][number] += error * (1.0 - chance)
                    if number:
                        ahead[beside][number] += error * chance
    return {
        **figures,
        "weights": [round(each, 4) for each in weights],
        "ahead": [[round(each, 3) for each in row] for row in ahead],
        "behind": [[round(each, 3) for each in row] for row in behind],
    }
