"""What it costs to append a move durably, against the bare driver doing the same inserts and updates.

Games are played once on a store that keeps what it was asked to write, and which statements changed rows for
it. Then the same moves are written in turn: by `SqlStore.write` into one database, and by the bare driver
into another, each in a transaction of its own, with the same settings and the same parameters. On SQLite the
driver is aiosqlite, on a file with synchronous FULL; on PostgreSQL, where its server and asyncpg are
installed, asyncpg, once for a process that has it for itself and once for one of several. Medians are
compared. Who comes first changes from move to move.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import aiosqlite
from sqlalchemy import event

from bot.bench import EVERYTHING, Options, lag
from bot.locale import sayer
from bot.rules.game import Say
from bot.rules.registry import GAME_IDS
from bot.storage import SqlStore
from bot.storage.engines import BUSY_TIMEOUT
from bot.tables.model import TableId
from bot.tables.ports import Write

from .databases import bare_address, can_serve, fresh_database, server
from .games import Games, fewest
from .report import Figure, Report

DONE, MISSED = 0, 1
MOST_RATIO = 2.5
MOVES = 120  # by game
TABLES = 3  # by game
# by kind of store; several: PostgreSQL, this process being one of several
REFERENCES = {"sqlite": "bare aiosqlite", "postgresql": "bare asyncpg", "several": "bare asyncpg"}

Append = Callable[["Move"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Statement:
    """sql, and its values; many: a list of them."""

    sql: str
    values: Any
    many: bool


@dataclass(frozen=True, slots=True)
class Move:
    """What the store was asked to write, and the statements that changed something for it. played: whether it
    is a move, not what comes before the first."""

    writes: tuple[Write, ...]
    statements: tuple[Statement, ...]
    played: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of each move."""

    ours: list[float]
    theirs: list[float]
    statements: float
    bytes: float
    moves: int
    lags: list[lag.Ring]
    idle: list[lag.Ring]

    @property
    def ratio(self) -> float:
        return median(self.ours) / median(self.theirs)


class Keeping(SqlStore):
    """Keeps what it is asked to write."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.kept: list[Move] = []
        self._seen: list[Statement] = []
        event.listen(self._database.engines[0], "after_cursor_execute", self._executed)

    def _executed(
        self, _connection: Any, cursor: Any, sql: str, values: Any, _context: Any, many: bool
    ) -> None:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")) and cursor.rowcount != 0:
            self._seen.append(Statement(sql, values, many))

    async def write(self, *writes: Write) -> frozenset[TableId]:
        self._seen.clear()
        freed = await super().write(*writes)
        played = all(one.entry.kind == "move" for one in writes)
        self.kept.append(Move(writes, tuple(self._seen), played))
        return freed


def main(options: Options = EVERYTHING) -> int:
    """Print a few lines for each kind of database. 1 if a ratio is above its goal, else 0."""
    say = sayer("en")
    report = Report("storage", as_json=options.as_json)
    games = [game for game in GAME_IDS if options.wanted(game)]
    for kind in REFERENCES:
        if not can_serve(kind):
            report.missing(say("bench.storage.no_postgresql"))
            break
        _tell(kind, asyncio.run(measure(kind, games)), report, say)
    return report.end(DONE if report.met else MISSED)


def _tell(kind: str, measured: Measured, report: Report, say: Say) -> None:
    ours, theirs = median(measured.ours) * 1000, median(measured.theirs) * 1000
    reference = REFERENCES[kind]
    ratio = Figure(f"{kind}.ratio", measured.ratio, "times", MOST_RATIO, reference=reference)
    report.add(
        ratio,
        Figure(f"{kind}.move", ours, "ms"),
        Figure(f"{kind}.reference", theirs, "ms"),
        Figure(f"{kind}.statements", measured.statements, "statements"),
        Figure(f"{kind}.bytes", measured.bytes, "bytes/move"),
    )
    report.line(
        say(
            "bench.storage.line",
            kind=say(f"bench.database.{kind}"),
            n=measured.moves,
            ours=f"{ours:.2f}",
            theirs=f"{theirs:.2f}",
            reference=reference,
            statements=f"{measured.statements:.1f}",
            ratio=f"{measured.ratio:.2f}",
            most=MOST_RATIO,
            bytes=f"{measured.bytes:.0f}",
        )
    )
    report.line(say("bench.goal.met" if ratio.met else f"bench.storage.missed.{kind}"))
    lag.tell(measured.lags, measured.idle, report, say, f"{kind}.lag")


async def measure(kind: str, games: Sequence[str]) -> Measured:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="parlour-storage-")))
        database = "sqlite" if kind == "sqlite" else "postgresql"
        where = stack.enter_context(server(database, folder))
        shards: dict[str, Any] = {"shards": [0], "count": 2 if kind == "several" else 1}
        moves = await rehearsed(await fresh_database(database, where, "rehearsed"), games)
        ours = await SqlStore.open(await fresh_database(database, where, "ours"), **shards)
        stack.push_async_callback(ours.close)
        theirs = await fresh_database(database, where, "theirs")
        await (await SqlStore.open(theirs)).close()  # the same schema
        append = await stack.enter_async_context(_sqlite(theirs) if kind == "sqlite" else _postgresql(theirs))
        async with lag.idle() as idle:
            measured = await _compared(ours, append, moves)
        return replace(measured, idle=idle)


async def rehearsed(address: str, games: Sequence[str]) -> list[Move]:
    """Some tables of each game played in turn, by a process that has the database for itself."""
    store = await Keeping.open(address, count=1)
    assert isinstance(store, Keeping)
    try:
        played = Games(store, "bench storage")
        for game in games:
            tables = [(await played.begun(game, fewest(game))).id for _ in range(TABLES)]
            for number in range(MOVES):
                await played.play(tables[number % TABLES])
        return store.kept
    finally:
        await store.close()


async def _compared(store: SqlStore, append: Append, moves: Sequence[Move]) -> Measured:
    ours: list[float] = []
    theirs: list[float] = []

    async def our_way(move: Move) -> None:
        await store.write(*move.writes)

    listening = lag.Lag()
    listening.start()
    for number, move in enumerate(moves):
        ways = [(our_way, ours), (append, theirs)]
        for way, times in ways if number % 2 else reversed(ways):
            begun = perf_counter()
            await way(move)
            if move.played:
                times.append(perf_counter() - begun)
    played = [move for move in moves if move.played]
    statements = sum(len(move.statements) for move in played) / len(played)
    listening.stop()
    size = sum(map(_size, played)) / len(played)
    return Measured(ours, theirs, statements, size, len(played), listening.take(), [])


def _size(move: Move) -> int:
    """Bytes of what its new rows hold: the entry, which stays for ever."""
    return sum(len(str(value)) for one in move.statements if "INTO events" in one.sql for value in one.values)


@asynccontextmanager
async def _sqlite(address: str) -> AsyncIterator[Append]:
    connection = await aiosqlite.connect(bare_address(address), isolation_level=None)
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        await connection.execute(f"PRAGMA {pragma}")

    async def append(move: Move) -> None:
        await connection.execute("BEGIN IMMEDIATE")
        for one in move.statements:
            await (connection.executemany if one.many else connection.execute)(one.sql, one.values)
        await connection.commit()

    try:
        yield append
    finally:
        await connection.close()


@asynccontextmanager
async def _postgresql(address: str) -> AsyncIterator[Append]:
    import asyncpg

    connection = await asyncpg.connect(bare_address(address))

    async def append(move: Move) -> None:
        async with connection.transaction():
            for one in move.statements:
                if one.many:
                    await connection.executemany(one.sql, one.values)
                else:
                    await connection.execute(one.sql, *one.values)

    try:
        yield append
    finally:
        await connection.close()
