"""How fast the rules are: moves per second of random play with the full legal list at every decision.

Measured against rlcard's gin-rummy environment, stepped with random legal actions in the same run (where
rlcard is installed). Each game is played for a share of a second in turn with the reference, several
times over, and medians are compared, so that a busy moment of the computer hits both. Moves and chance come
from Python's own generator, for the rules are measured and not our generator. A Zatre move is a whole
turn of all its tiles. The longest legal list is the slowest position of some further games, measured again
(the best of five); that of `NASTY`, which nobody meets who does not look for it, is told on its own line.
All times are the processor's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from statistics import median
from time import process_time
from typing import Any

from bot.bench import EVERYTHING, Options
from bot.locale import sayer
from bot.rules.chance import Generator
from bot.rules.game import AnyGame, AnyState, Event
from bot.rules.registry import games

from .report import Figure, Report

SLICE = 0.4  # seconds per measurement
ROUNDS = 5
STEPS = 10  # between two looks at the clock
LISTS = 1_000
LONGEST_LIST = 0.010  # seconds
# by game, how many times as fast as rlcard's game it must be; any other game may be slower
TARGETS = {"top12": 5.0, "fivetotwelve": 5.0, "topominos": 1.5, "topspot": 1.5, "zatre": 0.1}
SEED = "bench"

# Positions that can come about, found by search, whose legal lists are the longest known, by game: what
# differs from the first state.
NASTY: dict[str, tuple[dict[str, Any], ...]] = {
    "zatre": (
        # Four different tiles held and room for all of them: 10,584 turns.
        {
            "players": 6,
            "board": [
                "...............",
                "...............",
                "...............",
                "...............",
                "..........253..",
                ".........66.343",
                ".......124.....",
                ".....1254......",
                "......246......",
                ".....561.......",
                "...1461........",
                ".6.4511........",
                ".2253..........",
                ".312...........",
                "...............",
            ],
            "hands": [[1, 3, 4, 6], [], [], [], [], []],
            "contenders": [0],
            "stage": "turn",
        },
    ),
}

Rate = Callable[[], float]  # moves per second over one slice


def main(options: Options = EVERYTHING) -> int:
    """Print a few lines per game. 1 if one is below its target or a legal list of its games takes too long,
    else 0."""
    say = sayer("en")
    report = Report("rules", as_json=options.as_json)
    reference = _reference()
    if reference is None:
        report.missing(say("cli.bench.rules.no_rlcard"))
    worst = 0
    for rules in games():
        if not options.wanted(rules.id):
            continue
        player = Player(rules)
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(ROUNDS):
            ours.append(player.rate())
            if reference:
                theirs.append(reference())
        name = say(f"{rules.id}.name")
        longest = player.longest_list()
        report.line(
            say(
                "cli.bench.rules.game",
                game=name,
                rate=f"{median(ours):,.0f}",
                longest=f"{longest * 1000:.3f}",
            )
        )
        most = LONGEST_LIST * 1000
        report.add(
            Figure(f"{rules.id}.moves", median(ours), "moves/s"),
            Figure(f"{rules.id}.longest_list", longest * 1000, "ms", goal=most),
        )
        if longest > LONGEST_LIST:
            report.line(say("cli.bench.rules.slow_list", game=name, most=f"{most:.0f}"))
            worst = 1
        for moves, seconds in player.nasty_lists():
            report.line(say("cli.bench.rules.nasty", game=name, n=moves, took=f"{seconds * 1000:.1f}"))
        if theirs:
            report.line(say("cli.bench.rules.rlcard", rate=f"{median(theirs):,.0f}"))
            ratio = median(mine / other for mine, other in zip(ours, theirs, strict=True))
            report.line(say("cli.bench.rules.ratio", game=name, ratio=f"{ratio:.2f}"))
            goal = TARGETS.get(rules.id)
            figure = Figure(f"{rules.id}.ratio", ratio, "times", goal, True, "rlcard gin-rummy")
            report.add(figure)
            if figure.met is False:
                report.line(say("cli.bench.rules.missed", game=name, target=goal))
                worst = 1
    return report.end(worst)


class Player:
    """Random games of one game, one after another, with every number of seats in turn."""

    def __init__(self, rules: AnyGame) -> None:
        self.rules = rules
        self.random = Random(SEED)
        self.moves = self._moves()
        self.state: AnyState | None = None

    def rate(self) -> float:
        return _rate(self.moves)

    def longest_list(self) -> float:
        """Seconds for the legal list of the slowest position of the next `LISTS` decisions. Each is asked of
        a position fresh from its stored form, which has nothing noted that a running game would have."""
        slowest = 0.0
        found: tuple[dict[str, Any], int] | None = None
        for _ in range(LISTS):
            next(self.moves)
            assert self.state is not None
            for seat in self.state.actors():
                if self.state.lists(seat):
                    stored = self.state.to_json()
                    took = self._timed(stored, seat)
                    if took > slowest:
                        slowest, found = took, (stored, seat)
        return min(self._timed(*found) for _ in range(5)) if found else 0.0

    def nasty_lists(self) -> Iterator[tuple[int, float]]:
        """(moves, seconds) of each position of `NASTY`."""
        for different in NASTY.get(self.rules.id, ()):
            stored = {**self.rules.start(different["players"], {}).to_json(), **different}
            state = self.rules.load(stored)
            (seat,) = state.actors()
            yield len(state.legal(seat)), min(self._timed(stored, seat) for _ in range(5))

    def _timed(self, stored: dict[str, Any], seat: int) -> float:
        state = self.rules.load(stored)
        start = process_time()
        state.legal(seat)
        return process_time() - start

    def _moves(self) -> Iterator[None]:
        """Plays for ever; one step per decision, with the chance that follows it."""
        number = 0
        seats = self.rules.max_seats - self.rules.min_seats + 1
        pick = self.random.choice
        while True:
            state = self.state = self.rules.start(self.rules.min_seats + number % seats, {})
            chance = _Chance(self.random)
            number += 1
            while state.outcome() is None:
                if state.chance_due():
                    state.apply(state.draw(chance))
                    continue
                seat = pick(state.actors())
                move = pick(state.legal(seat)) if state.lists(seat) else state.random_move(seat, chance)
                state.apply(Event("move", move, seat))
                yield


class _Chance(Generator):
    """The core's generator on Python's random bits."""

    def __init__(self, random: Random) -> None:
        super().__init__(SEED, "bench")
        self._random = random

    def _word(self) -> int:
        return self._random.getrandbits(64)


def _rate(moves: Iterator[None]) -> float:
    """Steps per second, over one slice."""
    start = process_time()
    count = 0
    while (took := process_time() - start) < SLICE:
        for _ in range(STEPS):
            next(moves)
        count += STEPS
    return count / took


def _reference() -> Rate | None:
    """rlcard's gin-rummy at random; None where rlcard is not installed."""
    try:
        import rlcard
    except ImportError:
        return None
    random = Random(SEED)
    environment: Any = rlcard.make("gin-rummy", config={"seed": 1})

    def steps() -> Iterator[None]:
        while True:
            state, _ = environment.reset()
            while not environment.is_over():
                state, _ = environment.step(random.choice(list(state["legal_actions"])))
                yield

    moves = steps()
    return lambda: _rate(moves)
