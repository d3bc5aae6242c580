"""Makes `figures.json`: `python -m bot.players.topspot.learn > figures.new`, which then takes its place.

The quick game's policy plays against itself, a play now and then at random, so that all is seen. In each
round so many games are played, what came of each position is noted, and the figures are fitted to it; then
the next round plays by those. At last the figures are corrected (`bot/players/topspot/correct.py`). All
chance comes from the seed, by `random()` alone, and fractions are added up by `fsum`, so the same arguments
print the same file on every machine.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from math import fsum
from random import Random
from typing import Any, NamedTuple

from bot.players.mixing import shuffle
from bot.rules.topspot.cards import SUIT

from .correct import corrected, odd, questions
from .judge import CROWDS, TOP, Judge, crowd, features, guessed
from .playout import Move, Playout

ROUNDS = 8
ODD = 0.06  # how often a play is a random one
STEP = 0.00125  # by how much of an error each weight is changed
SHARE = 0.5  # of what the weights explain, what they count in play; in play 0.3 and 0.6 were a little above 1
CORRECTIONS = 3  # rounds of them; held against play, they brought much with three seats and nothing with five
STANDINGS, CARDS = 28, 15


class Seen(NamedTuple):
    """A seat after a round. lead: whether it won. beside: the others' cards (`Playout.standing`). come: its
    points from then on, less the others' mean."""

    lead: bool
    beside: int
    number: int
    hand: int
    jokers: int
    come: float


class Risen(NamedTuple):
    """A play that was the highest so far, and what it was weighed by."""

    seat: int
    later: int
    crowd: int
    value: int


def deal(judge: Judge, expert: bool, chance: Random) -> Playout:
    """A new game, dealt at random."""
    players = judge.players
    cards = [*range(12 * players), *[60] * (players * expert)]
    shuffle(cards, chance)
    size = 12 + expert
    hands, jokers = [], []
    for seat in range(players):
        held = cards[size * seat : size * (seat + 1)]
        hands.append(sum(1 << card for card in held if card < 60))
        jokers.append(held.count(60))
    return Playout(judge, expert, hands, jokers, int(chance.random() * players))


class Notes:
    """What was seen in games."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        # by those to follow, crowd and value: how often, and how often it stayed the highest
        self.held: dict[tuple[int, int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])

    def watch(self, game: Playout, chance: Random) -> None:
        """Play a game to its end."""
        after: list[tuple[list[int], list[Seen]]] = []  # the points after each round, and the seats
        risen: list[Risen] = []
        while True:
            move = odd(game, chance) if chance.random() < ODD else game.policy()
            if rose := self._risen(game, move):
                risen.append(rose)
            points = list(game.points)
            order = game.order
            ends = len(game.plays) + 1 == len(order)
            goes_on = game.play(move)
            if not ends:
                continue
            won = points != game.points
            self._told(risen, order, game, won=won, tied=goes_on and not won)
            risen = []
            if not goes_on:
                break
            if won:
                seats = [
                    Seen(who == game.won, game.standing(who, 0), count, hand, jokers, 0.0)
                    for who, (count, hand, jokers) in enumerate(
                        zip(game.counts, game.hands, game.jokers, strict=True)
                    )
                ]
                after.append((list(game.points), seats))
        others = game.players - 1
        for points, seats in after:
            come = [now - then for now, then in zip(game.points, points, strict=True)]
            for one, own in zip(seats, come, strict=True):
                self.seen.append(one._replace(come=own - (sum(come) - own) / others))

    def _risen(self, game: Playout, move: Move) -> Risen | None:
        """The play that comes next, if it is the highest so far and somebody to follow could go above it."""
        at = len(game.plays)
        seat = game.order[at]
        later = len(game.order) - at - 1
        colour = game.colour if at else move.colour
        counts = move.joker or move.used >> 12 * colour & SUIT
        if not later or not counts or move.value <= game.best:
            return None
        rest = (game.alive & ~game.hands[seat]) >> 12 * colour & SUIT
        if game.loose == game.jokers[seat] and move.value >= TOP[rest] + game.expert:
            return None
        return Risen(seat, later, crowd(rest.bit_count(), game.rivals), move.value)

    def _told(self, risen: list[Risen], order: list[int], game: Playout, *, won: bool, tied: bool) -> None:
        """Whether those that rose in a round stayed the highest; tied with others, a share of it."""
        for one in risen:
            note = self.held[one.later, one.crowd, one.value]
            note[0] += 1
            if won:
                note[1] += game.won == one.seat
            elif tied and one.seat in game.order and len(game.order) < len(order):
                note[1] += 1 / len(game.order)


def fitted(judge: Judge, figures: dict[str, Any], notes: Notes) -> dict[str, Any]:
    """Figures that fit what was seen: by turns a mean for each cell (lead, the others' cards, the own), and
    the weights of what it leaves unexplained."""
    weights = list(figures["weights"])
    wild = float(figures["joker"])
    players = judge.players
    known: dict[int, list[int]] = {}
    cells: dict[tuple[bool, int, int], list[float]] = {}
    rows = []
    for one in notes.seen:
        found: list[int] = []
        for colour in range(players):
            suit = one.hand >> 12 * colour & SUIT
            if suit not in known:
                known[suit] = features(suit)
            found += known[suit]
        rows.append(((one.lead, one.beside, one.number), found, one.jokers, one.come))
    for turn in range(4):
        sums: dict[tuple[bool, int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
        for cell, found, jokers, come in rows:
            count_total = sums[cell]
            count_total[0] += 1
            count_total[1] += come - fsum([weights[each] for each in found]) - wild * jokers
        cells = {cell: [count, total / count] for cell, (count, total) in sums.items()}
        rate = STEP / (1 + turn)
        for cell, found, jokers, come in rows:
            error = rate * (come - cells[cell][1] - fsum([weights[each] for each in found]) - wild * jokers)
            for each in found:
                weights[each] += error
            wild += error * jokers
    return {
        "ahead": table(cells, True, figures["ahead"]),
        "behind": table(cells, False, figures["behind"]),
        "hold": held(notes, figures["hold"]),
        "weights": [round(each, 4) for each in weights],
        "joker": round(wild, 4),
    }


def table(cells: dict[tuple[bool, int, int], list[float]], lead: bool, guess: Any) -> list[list[float]]:
    """By the others' cards and the own; rare cells lean on their neighbours and on what was known."""
    found = []
    for beside in range(STANDINGS):
        row = []
        for number in range(CARDS):
            if not beside:
                row.append(float(number) if lead else 0.0)
                continue
            if not number and lead:
                row.append(0.0)
                continue
            total = weight = 0.0
            for near_beside in range(max(1, beside - 2), min(STANDINGS, beside + 3)):
                for near in range(max(0, number - 1), min(CARDS, number + 2)):
                    if (near == 0) != (number == 0):
                        continue
                    count, mean = cells.get((lead, near_beside, near), (0.0, 0.0))
                    share = count if (near_beside, near) == (beside, number) else min(count, 40.0) / 4
                    # the slope of what one card more is worth carries over
                    tilt = 0.35 * (number - near) - 0.17 * (beside - near_beside)
                    total += share * (mean + tilt)
                    weight += share
            before = guess[min(beside, len(guess) - 1)]
            before = before[min(number, len(before) - 1)]
            row.append(round((total + 5 * before) / (weight + 5), 3))
        found.append(row)
    return found


def held(notes: Notes, guess: Any) -> list[list[list[float]]]:
    """The chance to stay the highest, rare cases leaning on the next crowd; never less for a higher value."""
    found = []
    for later in range(5):
        rows = []
        for step in range(CROWDS):
            row: list[float] = []
            for value in range(9):
                count, stayed = notes.held.get((later, step, value), (0.0, 0.0))
                for near in (step - 1, step + 1):
                    more, also = notes.held.get((later, near, value), (0.0, 0.0))
                    share = min(more, 20.0) / more if more else 0.0
                    count, stayed = count + share * more, stayed + share * also
                chance = (stayed + 10 * guess[later][step][value]) / (count + 10)
                row.append(round(max(chance, row[-1] if row else 0.0), 3))
            rows.append(row)
        found.append(rows)
    found[0] = [[1.0] * 9 for _ in range(CROWDS)]
    return found


def learned(players: int, expert: bool, games: int, seed: str) -> dict[str, Any]:
    """The figures for so many players, with or without jokers."""
    table = f"{seed} {players} {expert}"
    figures = guessed()
    for number in range(ROUNDS):
        judge = Judge(players, figures)
        chance = Random(f"{table} {number}")
        notes = Notes()
        for _ in range(games if number == ROUNDS - 1 else games // 2):
            notes.watch(deal(judge, expert, chance), chance)
        figures = fitted(judge, figures, notes)
    # who still holds a good card had no need of it: it explains more of the points than it brings
    figures["weights"] = [round(SHARE * each, 4) for each in figures["weights"]]
    for number in range(CORRECTIONS if players < 5 else 0):
        chance = Random(f"{table} corrected {number}")
        judge = Judge(players, figures)
        dealt = [deal(judge, expert, chance) for _ in range(games // 6)]
        figures = corrected(figures, questions(dealt, chance))
    return figures


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bot.players.topspot.learn")
    parser.add_argument("--games", type=int, default=8000, help="of the last round; half as many of others")
    parser.add_argument("--seed", default="learn")
    given = parser.parse_args(arguments)
    every = {}
    for players in (3, 4, 5):
        for expert in (False, True):
            name = f"{players}{'*' * expert}"
            every[name] = learned(players, expert, given.games, given.seed)
            sys.stderr.write(f"{name}\n")
    sys.stdout.write(json.dumps(every, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
