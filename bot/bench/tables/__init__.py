"""What ten thousand open tables cost beside ten: a move, the start, memory; and how long the loop is held.

Both databases are filled with the same positions, so that the moves are alike: some tables are played on move
by move, and at each stage copied. Two processes, one for each database, are told in turn to start and to
play, so that a busy moment of the computer hits both. At the start they do what the bot does: open the store,
look for what is due to the clock and to the computer players, and for what was left unpainted, untold or
unsettled. A move is played as people play: somebody looks at the table, any of them all, and moves later.

That first look is told apart and has no goal: of ten tables all are in memory, of ten thousand most are read
then. A move comes after at least one look. So that it is not slower for what that look did to the processor
just before, the looks at ten tables come first, and then the processes make one move in turn: what runs
before a move is alike at both, as where moves come seconds apart. What its person has not answered is read in
the move, as of everybody who has not moved since the start; with many tables that is nearly each.

The lag of the event loop is how much later than wanted a timer rang, while the process started and played;
that of a loop with nothing to do beside it is the computer's own.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count, cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bot.bench import EVERYTHING, Options, lag
from bot.bench.filling import Copy, Stored, fill, ids, stored
from bot.bench.games import FIRST_PERSON, Games
from bot.bench.report import Figure, Report
from bot.locale import sayer
from bot.rules.registry import GAME_IDS
from bot.storage import SqlStore
from bot.tables.model import TableId

DONE, MISSED = 0, 1
FEW, MANY = 10, 10_000
PEOPLE = 3
BEFORE = 8  # moves at each table before the first stage
STAGES = 25
STARTS = 15
ROUNDS = 25  # of as many moves as there are few tables

MOST_MOVE = 1.1  # times that of few tables
MOST_START = 1.2  # the same
MOST_MEMORY = 10.0  # MB more
MEGABYTE = 1_000_000
FIRST_GUILD, FIRST_CHANNEL = 910_000_000_000_000_000, 920_000_000_000_000_000
BY_GUILD = 5


@dataclass(slots=True)
class Process:
    """One that has so many tables open. Seconds of each start, first look and move, and by which each timer
    was late; memory: bytes that it has at the end."""

    tables: int
    child: asyncio.subprocess.Process
    starts: list[float] = field(default_factory=list)
    looks: list[float] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)
    lags: list[lag.Ring] = field(default_factory=list)
    memory: float = 0.0

    async def ask(self, what: str) -> None:
        assert self.child.stdin is not None and self.child.stdout is not None
        self.child.stdin.write(what.encode() + b"\n")
        line = await self.child.stdout.readline()
        if not line:
            raise RuntimeError(f"the process with {self.tables} tables has ended")
        told: dict[str, Any] = json.loads(line)
        for name in ("starts", "looks", "moves", "lags"):
            getattr(self, name).extend(told[name])
        self.memory = told["memory"]


def main(options: Options = EVERYTHING) -> int:
    """Print the figures. 1 if one is above its goal, else 0."""
    say = sayer("en")
    report = Report("tables", as_json=options.as_json)
    few, many, idle = asyncio.run(measure())
    report.add(Figure("look", _ratio(many.looks, few.looks), "times", reference=_name(few)))
    for one in (few, many):
        report.add(
            Figure(f"{one.tables}.start", median(one.starts) * 1000, "ms"),
            Figure(f"{one.tables}.look", median(one.looks) * 1000, "ms"),
            Figure(f"{one.tables}.move", median(one.moves) * 1000, "ms"),
            Figure(f"{one.tables}.memory", one.memory / MEGABYTE, "MB"),
        )
        report.line(
            say(
                "bench.tables.line",
                n=one.tables,
                start=f"{median(one.starts) * 1000:.1f}",
                look=f"{median(one.looks) * 1000:.2f}",
                move=f"{median(one.moves) * 1000:.2f}",
                moves=len(one.moves),
                memory=f"{one.memory / MEGABYTE:.1f}",
            )
        )
    for name, value, unit, most in (
        ("move", _ratio(many.moves, few.moves), "times", MOST_MOVE),
        ("start", _ratio(many.starts, few.starts), "times", MOST_START),
        ("memory", (many.memory - few.memory) / MEGABYTE, "MB", MOST_MEMORY),
    ):
        figure = Figure(name, value, unit, most, reference=_name(few))
        report.judge(figure, say(f"bench.tables.{name}", value=f"{value:.2f}", most=f"{most:g}"), say)
    lag.tell(few.lags + many.lags, idle, report, say)
    return report.end(DONE if report.met else MISSED)


def _name(process: Process) -> str:
    return f"{process.tables} open tables"


def _ratio(ours: list[float], theirs: list[float]) -> float:
    return median(ours) / median(theirs)


async def measure() -> tuple[Process, Process, list[lag.Ring]]:
    """With few tables, and with many; and by how much a loop was late that had nothing to do meanwhile."""
    with TemporaryDirectory(prefix="parlour-tables-") as name:
        folder = Path(name)
        await prepare(folder)
        async with AsyncExitStack() as stack:
            idle = await stack.enter_async_context(lag.idle())
            few = await stack.enter_async_context(_process(folder / "few", FEW))
            many = await stack.enter_async_context(_process(folder / "many", MANY))
            for number in range(STARTS):
                for one in (few, many) if number % 2 else (many, few):
                    await one.ask("start")
            for number in range(ROUNDS):
                for one in few, many:
                    await one.ask(f"look {FEW}")
                for place in range(FEW):
                    for one in (few, many) if (number + place) % 2 else (many, few):
                        await one.ask("move")
        return few, many, idle


async def prepare(folder: Path) -> None:
    """A database with few tables and one with many, in folders of these names."""
    few, many, played = (_address(folder / name) for name in ("few", "many", "played"))
    for where in (few, many):
        await (await SqlStore.open(where)).close()
    store = await SqlStore.open(played)
    games = Games(store, "bench tables")
    try:
        tables = [(await games.begun(game, PEOPLE)).id for game in islice(cycle(GAME_IDS), FEW)]
        for table in tables:
            for _ in range(BEFORE):
                await games.play(table)
        now = [await stored(played, table) for table in tables]
        for where in (few, many):
            await fill(where, [Copy(one, table, {}) for one, table in zip(now, tables, strict=True)])
        names, numbers = ids("bench copies"), count(1)
        for stage in range(STAGES):
            wanted = (MANY - FEW) * (stage + 1) // STAGES - (MANY - FEW) * stage // STAGES
            now = [await stored(played, table) for table in tables]
            await fill(many, [_copy(one, next(names), next(numbers)) for one in islice(cycle(now), wanted)])
            for table in tables:
                await games.play(table)
    finally:
        await games.tables.close()
        await store.close()
    for where in (few, many):  # as a bot leaves them that was stopped
        await (await SqlStore.open(where)).close()


def _copy(of: Stored, name: TableId, number: int) -> Copy:
    """With people of its own, in a channel of its own; some tables to a server."""
    users = [row["user_id"] for row in of.seats if row["user_id"] is not None]
    people = {
        user: (FIRST_PERSON + 100 * number + place, f"Player {place}") for place, user in enumerate(users)
    }
    place = {"guild": FIRST_GUILD + number // BY_GUILD, "channel": FIRST_CHANNEL + number}
    return Copy(of, name, place, people)


def _address(folder: Path) -> str:
    return f"sqlite+aiosqlite:///{folder / 'parlour.db'}"


@asynccontextmanager
async def _process(folder: Path, tables: int) -> AsyncIterator[Process]:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", f"{__package__}.process", _address(folder),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 22,
    )  # fmt: skip
    try:
        yield Process(tables, child)
        assert child.stdin is not None
        child.stdin.close()  # it ends by itself
        await child.wait()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
