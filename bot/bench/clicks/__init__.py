"""What one tap costs the real bot, against a bare discord.py bot in the same run.

Both run as processes of their own against the wire double of the tests, which is Discord on loopback;
people tap there as players do: *Your move*, the choices, the confirmation. All that a tap leads to counts as
its own, until nothing more is being done: the public board, the notices. Times of the reference lie around
those of each game, so that a busy moment of the computer hits both. Nothing of the bot is changed for it;
`parlour` says what is listened to.

Then one tap at a time is made at those tables while nobody thinks, and while the strongest computer players
do at four others; and at last many at a time.

The processor's time without pictures is that with them, less the time which the picture functions took in
their threads. Of the statements both numbers are printed, with `BEGIN` and without; the goal is judged by the
one without, which is what SQLite is asked to read or write. `COMMIT` is no statement to SQLAlchemy.

Under a goal that is missed stands why, as far as it is known from the code, and what to try next.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bot.bench import EVERYTHING, Options
from bot.bench.double import missing_double
from bot.bench.lag import late
from bot.bench.report import Figure, Report
from bot.locale import sayer
from bot.rules.game import Say
from bot.rules.registry import GAME_IDS

from .figures import Beside, Loaded, Measured, Played, Taps, Unmeasured
from .session import measure

DONE, MISSED, MISSING = 0, 1, 2
ROOT = Path(__file__).parents[3]  # of the checkout, where this is one

MOST_PROCESSOR = 10.0  # times the reference's
MOST_WAIT = 6.0  # times the reference's
MOST_STATEMENTS = 6.0
MOST_PICTURES = 3.0
MOST_BOARD = 150.0  # milliseconds
LEAST_RATE = 100.0  # taps a second
MOST_BESIDE = 1.2  # times as long as while no computer player thinks
UNITS = {"board": "ms", "rate": "taps/s", "statements": "statements", "pictures": "pictures"}  # else times
BASES = {"beside": "while nobody thinks"}  # else the bare bot


@dataclass(frozen=True, slots=True)
class Goal:
    """key: of the text that says what it is. value: what was measured, limit: what was aimed at.
    least: whether that is a lower limit."""

    key: str
    value: float
    limit: float
    least: bool = False

    @property
    def met(self) -> bool:
        return self.figure("").met is True

    def figure(self, about: str) -> Figure:
        """about: the game, or whatever else it is of."""
        unit = UNITS.get(self.key, "times")
        reference = None if self.key in UNITS else BASES.get(self.key, "bare discord.py bot")
        return Figure(f"{about}.{self.key}", self.value, unit, self.limit, self.least, reference)

    @property
    def subject(self) -> str:
        """Of the texts on why it is missed: the same for all taps as for confirmations alone."""
        return self.key.removesuffix("_confirm")


def main(options: Options = EVERYTHING) -> int:
    """Print the measurements and the goals. 1 if one is missed or nothing could be measured, 2 where the
    double is missing, else 0."""
    say = sayer("en")
    report = Report("clicks", as_json=options.as_json)
    if (missing := missing_double(ROOT)) is not None:
        sys.stderr.write(say("bench.clicks.no_double", missing=missing) + "\n")
        return report.end(MISSING)
    games = [game for game in GAME_IDS if options.wanted(game)]

    def told(part: str) -> None:
        name = say(f"{part}.name") if part in GAME_IDS else say(f"bench.clicks.part.{part}")
        sys.stderr.write(say("bench.clicks.part", part=name) + "\n")

    try:
        measured = asyncio.run(measure(games, options.profile, told))
    except Unmeasured as error:
        report.missing(say("bench.clicks.unmeasured", why=say(f"bench.clicks.why.{error.why}", **error.data)))
        return report.end(MISSED)
    for played, profile in measured.profiles:
        kind = options.profile or ""
        values = {"n": played.by_kind[kind].count, "kind": say(f"bench.clicks.{kind}")}
        report.line(say("bench.clicks.profile", game=say(f"{played.game}.name"), **values))
        report.line(profile)
    return report.end(_report(measured, report, say))


def _report(measured: Measured, report: Report, say: Say) -> int:
    for played in measured.games:
        _details(played, report, say)
        for goal in goals(played):
            report.add(goal.figure(played.game))
            _judged(say(f"{played.game}.name"), goal, report, say)
    if measured.beside is not None:
        _beside(measured.beside, report, say)
    if measured.loaded is not None:
        _flood(measured.loaded, report, say)
    return DONE if report.met else MISSED


def goals(played: Played) -> list[Goal]:
    """Those of one game. Statements are those of the kind of tap that needs most."""
    reference = played.reference
    whole, confirm = played.all, played.by_kind["confirm"]
    base, wait = reference.each(reference.use.seconds), median(reference.acknowledged)
    return [
        Goal("processor", whole.each(whole.use.seconds) / base, MOST_PROCESSOR),
        Goal("processor_confirm", confirm.each(confirm.use.seconds) / base, MOST_PROCESSOR),
        Goal("wait", median(whole.acknowledged) / wait, MOST_WAIT),
        Goal("wait_confirm", median(confirm.acknowledged) / wait, MOST_WAIT),
        Goal("statements", max(_statements(taps) for taps in played.by_kind.values()), MOST_STATEMENTS),
        Goal("pictures", confirm.each(confirm.use.pictures.total()), MOST_PICTURES),
        Goal("board", median(played.boards) * 1000, MOST_BOARD),
    ]


def _judged(about: str, goal: Goal, report: Report, say: Say) -> None:
    verdict = "bench.clicks.met" if goal.met else "bench.clicks.not_met"
    report.line(
        say(
            "bench.clicks.goal",
            about=about,
            what=say(f"bench.clicks.goal.{goal.key}", value=f"{goal.value:.1f}", limit=f"{goal.limit:g}"),
            verdict=say(verdict),
        )
    )
    if not goal.met:
        missed = f"bench.clicks.missed.{goal.subject}"
        report.line(say("bench.clicks.missed", why=say(f"{missed}.why"), next=say(f"{missed}.next")))


def _details(played: Played, report: Report, say: Say) -> None:
    reference = played.reference
    base, wait = reference.each(reference.use.seconds), median(reference.acknowledged)
    name = say(f"{played.game}.name")
    report.line(
        say(
            "bench.clicks.reference",
            game=name,
            n=reference.count,
            processor=f"{base * 1000:.2f}",
            wait=f"{wait * 1000:.1f}",
        )
    )
    for kind, taps in (*played.by_kind.items(), ("whole", played.all)):
        if not taps.count:
            continue
        use = taps.use
        report.line(
            say(
                "bench.clicks.kind",
                kind=say(f"bench.clicks.{kind}"),
                n=taps.count,
                processor=f"{taps.each(use.seconds) / base:.1f}",
                without=f"{taps.each(use.seconds - use.drawing) / base:.1f}",
                wait=f"{median(taps.acknowledged) / wait:.1f}",
                statements=f"{_statements(taps):.1f}",
                begun=f"{taps.each(use.statements.total()):.1f}",
                kinds=_by_tap(use.statements, taps),
                pictures=f"{taps.each(use.pictures.total()):.1f}",
                which=_by_tap(use.pictures, taps),
            )
        )
    pictures = played.all.use.pictures.total() / len(played.boards)
    report.line(
        say("bench.clicks.way", moves=len(played.boards), taps=played.all.count, pictures=f"{pictures:.1f}")
    )


def _beside(beside: Beside, report: Report, say: Say) -> None:
    """What taps elsewhere have of it that computer players think."""
    for key, slice_ in (("quiet", beside.quiet), ("busy", beside.busy)):
        values = {f"p{share}": late(slice_.acknowledged, share / 100) * 1000 for share in (50, 95)}
        values["lag"] = late([lag for lag, _ in slice_.lags]) * 1000
        report.line(
            say(
                f"bench.clicks.beside.{key}",
                n=len(slice_.acknowledged),
                tables=beside.tables,
                moves=beside.moves,
                **{name: f"{value:.1f}" for name, value in values.items()},
            )
        )
        report.add(*(Figure(f"beside.{key}.{name}", value, "ms") for name, value in values.items()))
    times = median(beside.busy.acknowledged) / median(beside.quiet.acknowledged)
    goal = Goal("beside", times, MOST_BESIDE)
    report.add(goal.figure("thinking"))
    _judged(say("bench.clicks.beside", n=beside.tables), goal, report, say)


def _flood(loaded: Loaded, report: Report, say: Say) -> None:
    ours = loaded.ours
    for key, flood in (("bare", loaded.reference), ("ours", ours)):
        report.line(
            say(
                f"bench.clicks.flood.{key}",
                n=loaded.tables,
                rate=f"{flood.rate:.0f}",
                share=f"{flood.share:.2f}",
                bound=f"{flood.bound:.0f}",
            )
        )
    report.line(say("bench.clicks.flood.tables", n=loaded.tables, over=loaded.over, late=loaded.late))
    goal = Goal("rate", ours.rate, LEAST_RATE, least=True)
    report.add(goal.figure("flood"))
    _judged(say("bench.clicks.flood", n=loaded.tables), goal, report, say)


def _statements(taps: Taps) -> float:
    """By tap, without BEGIN. 0.0 of a kind that did not occur."""
    counted = taps.use.statements.total() - taps.use.statements["BEGIN"]
    return taps.each(counted) if taps.count else 0.0


def _by_tap(counted: Counter[str], taps: Taps) -> str:
    """How often each of these occurred, by tap."""
    return ", ".join(f"{name} {taps.each(count):.1f}" for name, count in sorted(counted.items()) if count)
