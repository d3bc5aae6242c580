"""Three strengths, made of what a game's player weighs and tries out.

`medium` plays the best move by evaluation. `easy` is the same player that overlooks: the harder a move is to
find, the less often it sees it. `hard` tries the best few out in games that could be: all of them in the same
ones, so that luck falls on each alike; after each round the worse half is dropped, and whatever has fallen
behind by more than chance explains. Neither `medium` nor `hard` looks beyond what is evident.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, inf, prod, sqrt
from random import Random

from bot.levels import Level

from .contract import Advice, Candidate, Player, Trial, ViewT

LEAST = 8  # worlds before anything is dropped
SURE = 2.5  # standard errors by which one must be behind


@dataclass(slots=True)
class Tried:
    """What the moves of a trial came to. gains: by move, in each world. prior, trust: what was thought of
    them before, and as how many worlds that counts."""

    gains: list[list[float]]
    prior: Sequence[float]
    trust: float

    def mean(self, move: int) -> float:
        """Points, with what was thought before."""
        gains = self.gains[move]
        weight = self.trust + len(gains)
        return (self.trust * self.prior[move] + fsum(gains)) / weight if weight else self.prior[move]

    def best(self, moves: Sequence[int]) -> int:
        return max(moves, key=lambda move: (self.mean(move), -move))

    def behind(self, move: int, other: int) -> tuple[float, float]:
        """By how many points a move came to less than the other in the worlds of both, on average; the
        standard error of that (infinite for less than two)."""
        pairs = list(zip(self.gains[move], self.gains[other], strict=False))
        count = len(pairs)
        if count < 2:
            return 0.0, inf
        lost = [theirs - own for own, theirs in pairs]
        mean = fsum(lost) / count
        spread = fsum((one - mean) * (one - mean) for one in lost) / (count - 1)
        return mean, sqrt(spread / count)


def try_out(trial: Trial, prior: Sequence[float], trust: float, budget: int, chance: Random) -> Tried:
    """Successive halving over so many moves, by at most `budget` games."""
    tried = Tried([[] for _ in prior], prior, trust)
    kept = list(range(len(prior)))
    rounds = max(1, (len(kept) - 1).bit_length())
    for left in range(rounds, 0, -1):
        share = budget // left
        worlds = max(1, share // len(kept))
        for number in range(worlds):
            for move, gain in zip(kept, trial.world(kept, chance), strict=True):
                tried.gains[move].append(gain)
            budget -= len(kept)
            if (number + 1) % LEAST == 0:
                kept = _in_the_running(tried, kept)
                if len(kept) == 1:
                    return tried
        kept = sorted(kept, key=lambda move: (-tried.mean(move), move))[: max(2, (len(kept) + 1) // 2)]
        if budget < len(kept):
            break
    return tried


def _in_the_running(tried: Tried, kept: Sequence[int]) -> list[int]:
    """Without those that are surely behind."""
    leader = tried.best(kept)
    found = []
    for move in kept:
        lost, error = tried.behind(move, leader)
        if move == leader or lost <= SURE * error:
            found.append(move)
    return found


def choose(player: Player[ViewT], view: ViewT, chance: Random, level: Level) -> Candidate:
    """What a computer player of that strength does."""
    candidates = player.candidates(view)
    match level:
        case Level.EASY:
            seen = [one for one in candidates if _sees(player, one, chance)]
            return seen[0] if seen else min(candidates, key=lambda one: one.hidden)
        case Level.MEDIUM:
            return _evident(candidates)[0]
        case Level.HARD:
            return _best(player, view, _evident(candidates), chance)


def _sees(player: Player[ViewT], one: Candidate, chance: Random) -> bool:
    """Whether `easy` does not overlook it: with the probability (1 - hidden) ** blur. Both sides are raised
    to the tenth power, since products are the same on every machine and fractional powers are not."""
    return prod([chance.random()] * 10) < prod([1.0 - one.hidden] * round(10 * player.blur))


def _evident(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    return [one for one in candidates if one.evident] or candidates


def advise(player: Player[ViewT], view: ViewT, chance: Random) -> Advice:
    """What the strongest one would do, the whole turn as far as it is known now, and why."""
    best = choose(player, view, chance, Level.HARD)
    return Advice(best.moves, best.why)


def _best(player: Player[ViewT], view: ViewT, candidates: Sequence[Candidate], chance: Random) -> Candidate:
    """The best, tried out by the player's games."""
    budget, trust = player.effort(view)
    few = player.to_try(view, candidates)
    trial = player.trial(view, few) if budget and len(few) > 1 else None
    if trial is None:
        return few[0]
    tried = try_out(trial, [one.worth for one in few], trust, budget, chance)
    most = max(len(gains) for gains in tried.gains)
    return few[tried.best([move for move, gains in enumerate(tried.gains) if len(gains) == most])]
