"""What three strengths make of a player's candidates and trials, on a game that is nothing but numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import nextafter
from random import Random

import pytest

from bot.levels import Level
from bot.players import player_of
from bot.players.contract import Candidate, Player, Trial
from bot.players.strengths import choose, try_out
from bot.rules.game import View
from bot.rules.registry import GAMES


@dataclass
class Dice:
    """Move n comes to `worth[n]` and a die that all moves share in a world, and one of its own."""

    worth: Sequence[float]
    noise: float = 1.0
    games: int = 0
    kept: list[tuple[int, ...]] = field(default_factory=list)

    def world(self, kept: Sequence[int], chance: Random) -> Sequence[float]:
        self.games += len(kept)
        self.kept.append(tuple(kept))
        luck = chance.random() * 100
        own = [chance.random() for _ in self.worth]
        return [self.worth[move] + luck + self.noise * own[move] for move in kept]


class Numbers(Player[View]):
    budget = 200

    def __init__(self, trial: Dice | None, *candidates: Candidate) -> None:
        self._trial, self._candidates = trial, list(candidates)

    def candidates(self, view: View) -> list[Candidate]:
        return self._candidates

    def trial(self, view: View, tried: Sequence[Candidate]) -> Trial | None:
        return self._trial


VIEW = View(seat=0, players=2, options=(), actors=(0,), outcome=None)


@pytest.mark.parametrize("seed", range(20))
def test_what_all_moves_share_decides_nothing(seed: int) -> None:
    trial = Dice([0.0, 0.3, 0.0, 0.0, 1.0, 0.2, 0.5, 0.1])
    tried = try_out(trial, [0.0] * 8, 0.0, 400, Random(seed))
    assert tried.best(range(8)) == 4
    assert trial.games <= 400


def test_one_that_is_surely_ahead_ends_it_early() -> None:
    trial = Dice([0.0, 9.0, 0.0], noise=0.1)
    tried = try_out(trial, [0.0] * 3, 0.0, 10_000, Random(1))
    assert tried.best(range(3)) == 1
    assert trial.games < 100


def test_each_round_goes_on_with_the_better_half() -> None:
    trial = Dice([float(number) / 100 for number in range(8)], noise=5.0)
    try_out(trial, [0.0] * 8, 0.0, 4000, Random(1))
    counts = list(dict.fromkeys(len(kept) for kept in trial.kept))
    assert counts[0] == 8
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 2
    assert 3900 <= trial.games <= 4000


def test_what_was_thought_before_counts_as_so_many_worlds() -> None:
    trial = Dice([0.0, 0.0], noise=0.0)
    tried = try_out(trial, [1.0, 0.0], 4.0, 16, Random(1))
    assert tried.mean(0) - tried.mean(1) == pytest.approx(4.0 / 12)


CHOICE = [Candidate("best", 9.0, 0.8), Candidate("good", 5.0, 0.3), Candidate("plain", 1.0, 0.0)]


def test_easy_overlooks_what_is_hard_to_find() -> None:
    player = Numbers(None, *CHOICE)
    chance = Random(1)
    found = Counter(choose(player, VIEW, chance, Level.EASY).move for _ in range(2000))
    assert found["best"] / 2000 == pytest.approx(0.2, abs=0.03)
    assert found["good"] / 2000 == pytest.approx(0.8 * 0.7, abs=0.04)
    player.blur = 0.0
    assert choose(player, VIEW, chance, Level.EASY).move == "best"


class Elsewhere(float):
    """As an exponent: what comes of it on a machine that rounds the other way."""

    def __rpow__(self, base: float) -> float:  # type: ignore[override]
        return nextafter(base ** float(self), 1.0)


class Edge(Random):
    """Draws what is just not less than the chance to see what is 0.3 hidden."""

    def random(self) -> float:
        return 0.7**1.2


def test_easy_sees_the_same_on_every_machine() -> None:
    assert Edge().random() < 0.7 ** Elsewhere(1.2), "powers do not tell the same there"
    player = Numbers(None, Candidate("best", 9.0, 0.3), Candidate("plain", 1.0, 0.0))
    found = []
    for blur in (1.2, Elsewhere(1.2)):
        player.blur = blur
        found.append(choose(player, VIEW, Edge(), Level.EASY).move)
    assert found[0] == found[1]


def test_each_player_overlooks_by_tenths() -> None:
    for name in GAMES:
        assert player_of(name).blur == round(10 * player_of(name).blur) / 10


def test_easy_that_overlooks_everything_plays_what_is_seen_at_a_glance() -> None:
    player = Numbers(None, Candidate("deep", 2.0, 1.0), Candidate("less", 1.0, 0.9))
    player.blur = 100.0
    assert choose(player, VIEW, Random(1), Level.EASY).move == "less"


def test_medium_plays_the_best_by_evaluation_and_hard_the_best_that_was_tried_out() -> None:
    player = Numbers(Dice([0.0, 0.0, 20.0]), *CHOICE)
    assert choose(player, VIEW, Random(1), Level.MEDIUM).move == "best"
    assert choose(player, VIEW, Random(1), Level.HARD).move == "plain"
    player.tried = 2
    assert choose(player, VIEW, Random(1), Level.HARD).move == "best"


def test_hard_tries_out_what_a_closer_look_left_and_spends_what_the_position_is_worth() -> None:
    class Closely(Numbers):
        def to_try(self, view: View, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
            few = super().to_try(view, candidates)
            return [replace(few[2], worth=3.0), replace(few[0], worth=1.0)]

        def effort(self, view: View) -> tuple[int, float]:
            return 20, self.thought

        thought = 0.0

    trial = Dice([0.0, 1.0], noise=0.0)  # of those two
    player = Closely(trial, *CHOICE)
    assert choose(player, VIEW, Random(1), Level.MEDIUM).move == "best"
    assert choose(player, VIEW, Random(1), Level.HARD).move == "best"
    assert trial.games <= 20
    player.thought = 1000.0
    assert choose(player, VIEW, Random(1), Level.HARD).move == "plain"


def test_hard_relies_on_the_evaluation_where_there_is_nothing_to_try_out() -> None:
    assert choose(Numbers(None, *CHOICE), VIEW, Random(1), Level.HARD).move == "best"
    assert choose(Numbers(Dice([]), CHOICE[1]), VIEW, Random(1), Level.HARD).move == "good"


def test_medium_and_hard_do_not_look_beyond_what_is_evident_and_easy_may_overlook_it() -> None:
    evident = Candidate("evident", 3.0, 0.5, evident=True)
    player = Numbers(Dice([0.0, 0.0, 20.0, 0.0]), *CHOICE[:2], evident, CHOICE[2])
    assert choose(player, VIEW, Random(1), Level.MEDIUM).move == "evident"
    assert choose(player, VIEW, Random(1), Level.HARD).move == "evident"
    chance = Random(1)
    assert {choose(player, VIEW, chance, Level.EASY).move for _ in range(100)} >= {"best", "evident", "plain"}
