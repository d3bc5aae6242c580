"""How strong the computer players are, and how long they think.

A ladder for each game: random moves, a plain opponent that takes what its turn scores (`greedy.py`), and the
three strengths, each against the next weaker; and the strongest against the plain one. Matches are of paired
deals (`matches.py`): a deal is played in every seating, one contestant at each seat in turn and the other at
all others. A tie shares the win. Alone, each contestant plays the same deals.

Without `--pairs` a match goes on until half of its 95 % interval is at most `NARROW`, from `LEAST` deals to
`MOST`, looked at every `STEP`; and alone until it is at most `NARROW_ALONE` of the mean. Of fewer than
`LEAST` deals only the time to think is judged. Figures of strength follow from the seeds; times are the
processor's, of each decision, forced ones too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import count, islice
from math import ceil
from statistics import fmean

from bot.bench import CONTESTANTS, EVERYTHING, Options
from bot.bench.report import Figure, Report, cores
from bot.locale import sayer
from bot.rules.game import AnyGame, Say
from bot.rules.registry import games

from . import estimates, ladder
from .estimates import Estimate
from .ladder import Goal
from .matches import Crew, Deal, Played, Seconds

LEAST, MOST, STEP = 100, 400, 10  # deals of a match
NARROW = 0.05
NARROW_ALONE = 0.01
DONE, MISSED = 0, 1


def main(options: Options = EVERYTHING) -> int:
    """0 when all goals that were judged are met."""
    say = sayer("en")
    report = Report("players", as_json=options.as_json)
    with Crew(options.processes or cores()) as crew:
        for rules in games():
            if options.wanted(rules.id):
                _game(rules, options, crew, report, say)
    return report.end(DONE if report.met else MISSED)


def _game(rules: AnyGame, options: Options, crew: Crew, report: Report, say: Say) -> None:
    able = rules.seat_counts({})
    for seats in ladder.seat_counts(rules) if options.seats is None else (options.seats,):
        if seats not in able:
            report.missing(say("bench.players.seats", game=say(f"{rules.id}.name"), n=seats))
            continue
        table = Table(rules.id, seats, options, crew, report, say)
        if seats == 1:
            table.alone()
        else:
            table.matches()
        table.thinking()


class Table:
    """One game with so many seats."""

    def __init__(self, game: str, seats: int, options: Options, crew: Crew, report: Report, say: Say) -> None:
        self._game, self._seats = game, seats
        self._levels, self._pairs = options.levels or CONTESTANTS, options.pairs
        self._crew, self._report, self._say = crew, report, say
        self._name = say("bench.players.table", game=say(f"{game}.name"), n=seats)
        self._seconds: Seconds = {}

    # strength

    def matches(self) -> None:
        pairs = ladder.matches(self._game, self._levels)
        if not pairs:
            self._report.missing(self._no_match())
        for one, others in pairs:
            played = self._played(one, others, lambda found: _share(found).half <= NARROW)
            share, margin = _share(played), estimates.mean([deal.margin for deal in played])
            name = f"{self._game}.{self._seats}.{one}.{others}"
            self._report.line(
                self._say(
                    "bench.players.match",
                    table=self._name,
                    one=one,
                    others=others,
                    n=share.count,
                    share=_shown(share, 3),
                    margin=_shown(margin, 2),
                )
            )
            self._tell(
                f"{name}.share", share, "share", ladder.share_goals(self._game, self._seats, one, others), 3
            )
            self._tell(f"{name}.margin", margin, "points", (), 2)

    def _no_match(self) -> str:
        """What there is instead."""
        there = ladder.matches(self._game, CONTESTANTS)
        known = " · ".join([f"{one},{others}" for one, others in there])
        return self._say("bench.players.no_match", table=self._name, matches=known)

    def alone(self) -> None:
        unit, goals = ladder.alone(self._game)
        for one in ladder.contestants(self._game, self._levels):
            played = self._played(one, "", _sure_alone)
            found = _alone(played)
            self._report.line(
                self._say(
                    f"bench.players.alone.{unit}",
                    table=self._name,
                    one=one,
                    n=found.count,
                    value=_shown(found, 2),
                )
            )
            self._tell(f"{self._game}.1.{one}.{unit}", found, unit, goals.get(one, ()), 2)

    def _played(self, one: str, others: str, enough: Callable[[Sequence[Played]], bool]) -> list[Played]:
        deals = (Deal(self._game, self._seats, one, others, number) for number in count())
        found: list[Played] = []
        with closing(self._crew.play(islice(deals, self._pairs))) as stream:
            for played in stream:
                found.append(played)
                for contestant, seconds in played.seconds.items():
                    self._seconds.setdefault(contestant, []).extend(seconds)
                if self._pairs is None and _looked_at(len(found)) and (enough(found) or len(found) >= MOST):
                    break
        return found

    def _tell(self, name: str, found: Estimate, unit: str, goals: Sequence[Goal], digits: int) -> None:
        """A figure, and one more where there is a goal on either side."""
        interval = found.low, found.high
        judged = goals if found.count >= LEAST else ()
        if not judged:
            self._report.add(Figure(name, found.value, unit, interval=interval, count=found.count))
        for goal in judged:
            full = name if goal is judged[0] else f"{name}.most"
            figure = Figure(
                full, found.value, unit, goal.bound, goal.least, interval=interval, count=found.count
            )
            key = "bench.players.least" if goal.least else "bench.players.most"
            what = self._say(key, value=f"{found.value:.{digits}f}", bound=f"{goal.bound:g}")
            self._report.judge(figure, what, self._say)

    # thinking time

    def thinking(self) -> None:
        for one in ladder.contestants(self._game, self._levels):
            seconds = sorted(self._seconds.get(one, ()))
            if not seconds:
                continue
            mean, most = fmean(seconds), seconds[-1]
            late = seconds[ceil(0.99 * len(seconds)) - 1]
            self._report.line(
                self._say(
                    "bench.players.thinking",
                    table=self._name,
                    one=one,
                    n=len(seconds),
                    mean=_milliseconds(mean),
                    late=_milliseconds(late),
                    most=_milliseconds(most),
                )
            )
            name = f"{self._game}.{self._seats}.{one}.thinking"
            self._tell_seconds(f"{name}.mean", mean, ladder.MOST_MEAN.get(one))
            self._tell_seconds(f"{name}.p99", late, None)
            self._tell_seconds(f"{name}.max", most, ladder.MOST.get(one))

    def _tell_seconds(self, name: str, seconds: float, most: float | None) -> None:
        figure = Figure(name, seconds * 1000, "ms", None if most is None else most * 1000)
        if most is None:
            self._report.add(figure)
        else:
            kind = name.rpartition(".")[2]
            what = self._say(
                f"bench.players.thinking.{kind}", value=_milliseconds(seconds), bound=_milliseconds(most)
            )
            self._report.judge(figure, what, self._say)


def _looked_at(deals: int) -> bool:
    return deals >= LEAST and deals % STEP == 0


def _share(played: Sequence[Played]) -> Estimate:
    return estimates.share([deal.share for deal in played])


def _alone(played: Sequence[Played]) -> Estimate:
    return estimates.mean([deal.alone for deal in played])


def _sure_alone(played: Sequence[Played]) -> bool:
    found = _alone(played)
    return found.half <= NARROW_ALONE * abs(found.value)


def _shown(found: Estimate, digits: int) -> str:
    return f"{found.value:.{digits}f} ({found.low:.{digits}f} … {found.high:.{digits}f})"


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f}"
