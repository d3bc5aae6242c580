"""People who play for some minutes on two thousand servers with ten thousand open tables.

Discord is the wire double of the tests, with realistic limits of requests; so a checkout is needed. The bot
runs as it is: one process on SQLite, or, with `--database postgresql`, two with a shard each on PostgreSQL.
Some people play at a time, each a whole turn at any of the tables, tap by tap and with time to think; they
write below a board now and then, or open its menu, and computer players have seats at every second table.

In the end each move that was acknowledged must be stored, once, and every table's changes must be without a
gap. Latencies are of the acknowledgement, as a person's Discord sees it.
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
    memory = [one / MEGABYTE for one in measured.memory]
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
            database=f"{measured.database / MEGABYTE:.1f}", grown=f"{grown:.0f}")
    )  # fmt: skip
    if (backup := measured.backup) is not None:
        report.line(
            say("bench.load.backup", seconds=f"{backup.seconds:.1f}", size=f"{backup.size / MEGABYTE:.1f}")
        )
        if backup.code:
            report.line(backup.said)
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
    )
    if backup is not None:
        report.add(
            Figure("backup", backup.seconds, "s"),
            Figure("backup.size", backup.size / MEGABYTE, "MB"),
            Figure("backup.failed", float(backup.code != 0), "", 0.0),
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
