"""People who play for some minutes on two thousand servers with ten thousand open tables.

Discord is the wire double of the tests, with realistic limits of requests; so a checkout is needed. The bot
runs as it is: one process on SQLite, or, with `--database postgresql`, two with a shard each on PostgreSQL,
or as many as `--processes` says.
Some people play at a time, each a whole turn at any of the tables, tap by tap and with time to think; they
write below a board now and then, or open its menu, and computer players have seats at every second table.

In the end each move that was acknowledged must be stored, once, and every table's changes must be without a
gap. Latencies are of the acknowledgement, as a person's Discord sees it. With `--backup-during` the backup
that was made meanwhile is then put back into the other kind of database, and people go on by old buttons.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from bot.bench import EVERYTHING, Options, lag
from bot.bench.clicks.figures import Unmeasured
from bot.bench.double import missing_double
from bot.bench.report import Figure, Report
from bot.locale import sayer
from bot.rules.game import Say

from .restored import Restored
from .session import LATE, Measured, measure

DONE, MISSED, MISSING = 0, 1, 2
ROOT = Path(__file__).parents[3]  # of the checkout, where this is one
MOST_INVALID = 1.0  # share of Discord's limit, which is 10,000 in ten minutes, in percent
LIMIT, WINDOW = 10_000, 600.0
MEGABYTE = 1_000_000


def main(options: Options = EVERYTHING) -> int:
    """Print the figures. 1 if a goal is missed or nothing could be measured, 2 where the double is missing,
    else 0."""
    say = sayer("en")
    report = Report("load", as_json=options.as_json)
    if (missing := missing_double(ROOT)) is not None:
        sys.stderr.write(say("bench.clicks.no_double", missing=missing) + "\n")
        return report.end(MISSING)

    def told(part: str) -> None:
        sys.stderr.write(say("bench.clicks.part", part=say(f"bench.load.part.{part}")) + "\n")

    try:
        measured = asyncio.run(measure(options, told))
    except Unmeasured as error:
        report.missing(say("bench.load.unmeasured", why=say(f"bench.clicks.why.{error.why}", **error.data)))
        return report.end(MISSED)
    tell(measured, options, report, say)
    return report.end(DONE if report.met else MISSED)


def tell(measured: Measured, options: Options, report: Report, say: Say) -> None:
    taps, moves = measured.kinds.total(), measured.moves.total()
    p50, p95, p99 = (lag.late(measured.acknowledged, share) * 1000 for share in (0.5, 0.95, 0.99))
    each = measured.requests / moves if moves else float("nan")
    edits = measured.calls["PATCH", "/channels/{channel}/messages/{message}"]
    memory, beside = ([one / MEGABYTE for one in ones] for ones in (measured.memory, measured.beside))
    kind = say(f"bench.database.{options.database}")
    report.line(
        say("bench.load.world", servers=measured.servers, tables=measured.tables, kind=kind,
            processes=len(memory), minutes=f"{measured.seconds / 60:.1f}", started=f"{measured.started:.1f}")
    )  # fmt: skip
    report.line(
        say("bench.load.taps", n=taps, rate=f"{taps / measured.seconds:.1f}", moves=moves,
            computers=measured.computers, p50=f"{p50:.0f}", p95=f"{p95:.0f}", p99=f"{p99:.0f}")
    )  # fmt: skip
    report.line(
        say("bench.load.requests", n=measured.requests, each=f"{each:.2f}",
            edits=f"{edits / moves:.2f}" if moves else "-", invalid=measured.invalid)
    )  # fmt: skip
    for (method, route), count in measured.calls.most_common(8):
        report.line(f"  {count:7} {method} {route}")
    grown = measured.grown / (moves + measured.computers) if moves else float("nan")
    report.line(
        say("bench.load.memory", memory=", ".join(f"{one:.0f}" for one in memory),
            beside=", ".join(f"{one:.0f}" for one in beside),
            database=f"{measured.database / MEGABYTE:.1f}", grown=f"{grown:.0f}")
    )  # fmt: skip
    if (backup := measured.backup) is not None:
        took, size = f"{backup.ran.seconds:.1f}", f"{backup.size / MEGABYTE:.1f}"
        report.line(say("bench.load.backup", seconds=took, size=size))
        if backup.ran.code:
            report.line(backup.ran.said)
    for trouble in measured.troubles:
        report.line(trouble)
    report.add(
        Figure("taps", taps / measured.seconds, "taps/s"),
        Figure("moves", moves / measured.seconds, "moves/s"),
        Figure("computers", measured.computers / measured.seconds, "moves/s"),
        Figure("acknowledged.p50", p50, "ms"),
        Figure("acknowledged.p95", p95, "ms"),
        Figure("acknowledged.p99", p99, "ms"),
        Figure("requests", each, "requests/move"),
        Figure("edits", edits / moves if moves else float("nan"), "edits/move"),
        Figure("start", measured.started, "s"),
        Figure("database", measured.database / MEGABYTE, "MB"),
        Figure("grown", grown, "bytes/move"),
        *(Figure(f"memory.{number}", one, "MB") for number, one in enumerate(memory)),
        *(Figure(f"beside.{number}", one, "MB") for number, one in enumerate(beside)),
    )
    if backup is not None:
        report.add(
            Figure("backup", backup.ran.seconds, "s"),
            Figure("backup.size", backup.size / MEGABYTE, "MB"),
            Figure("backup.failed", float(backup.ran.code != 0), "", 0.0),
        )
    late = measured.unanswered + sum(one > LATE for one in measured.acknowledged)
    share = measured.invalid * max(1.0, WINDOW / measured.seconds) / LIMIT * 100
    for name, value, unit, most in (
        ("lost", measured.lost, "moves", 0.0),
        ("doubled", measured.doubled, "moves", 0.0),
        ("gaps", measured.gaps, "tables", 0.0),
        ("late", late, "taps", 0.0),
        ("troubles", len(measured.troubles), "", 0.0),
        ("invalid", share, "% of Discord's limit", MOST_INVALID),
    ):
        told = say(f"bench.load.{name}", value=f"{value:.3g}", most=f"{most:g}")
        report.judge(Figure(name, float(value), unit, most), told, say)
    lag.tell(measured.lags, measured.idle, report, say)
    if measured.restored is not None:
        _tell_restored(measured.restored, report, say)
    elif backup is not None and not backup.ran.code:
        report.missing(say("bench.storage.no_postgresql"))


def _tell_restored(restored: Restored, report: Report, say: Say) -> None:
    ran, kind = restored.ran, say(f"bench.database.{restored.kind}")
    report.line(say("bench.load.restored", kind=kind, seconds=f"{ran.seconds:.1f}"))
    report.add(
        Figure("restore", ran.seconds, "s"),
        Figure("restore.failed", float(ran.code != 0), "", 0.0),
        Figure("restored.buttons", restored.buttons, "buttons"),
    )
    if ran.code:
        report.line(ran.said)
        return
    for trouble in restored.troubles:
        report.line(trouble)
    for name, value, unit, goal, least in (
        ("pressed", restored.pressed, "buttons", 1, True),
        ("led_on", restored.led_on, "buttons", restored.pressed, True),
        ("unanswered", restored.unanswered, "taps", 0, False),
        ("moves", restored.moves.total(), "moves", 1, True),
        ("lost", restored.lost, "moves", 0, False),
        ("doubled", restored.doubled, "moves", 0, False),
        ("whole", restored.whole, "tables", restored.tables, True),
        ("troubles", len(restored.troubles), "", 0, False),
    ):
        told = say(f"bench.load.restored.{name}", value=value, goal=goal)
        report.judge(Figure(f"restored.{name}", float(value), unit, float(goal), least), told, say)
