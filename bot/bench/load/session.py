"""What the bench of load does: two worlds of the same kind, first a small one in which the tables are opened
that are copied, then the large one in which people play for some minutes, and are counted."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from bot.bench import Options, lag
from bot.bench.clicks.figures import trouble_told
from bot.bench.clicks.session import COMMANDS, Turn
from bot.bench.databases import can_serve, fresh_database, server
from bot.bench.filling import met
from bot.bench.kin import kin, resident
from bot.rules.registry import GAME_IDS
from bot.storage import SqlStore

from .crowd import Crowd
from .parlour import LAG
from .restored import Ran, Restored, command, other_kind, play_on
from .tally import LOG, Tally, to_act

SERVERS, TABLES = 2_000, 10_000
ORIGINALS = 10  # tables that are really opened
PEOPLE = 3  # at each; at every second one a computer player has a fourth seat
BEFORE = 3  # moves there, before they are copied
HANDS = 24  # people who play at a time
THINK = 1.0  # seconds between two taps of one of them, on average
CHATTER = 0.05  # share of turns before which somebody writes below the board
MENU = 0.1  # share of turns before which somebody opens the menu
BEHIND = 10  # how nice Discord and the people are to the bot, as Unix counts it
LATE = 3.0  # seconds after which Discord takes no answer
PATIENCE = 120.0  # seconds for anything a bot does, on a very busy machine too
GLOBAL = 50  # requests in a second that Discord takes from one bot
INVALID = (401, 403, 429)  # what Discord counts against its 10,000 in ten minutes

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Backup:
    """One made while people played. size: bytes."""

    ran: Ran
    size: int


@dataclass(slots=True)
class Measured(Tally):
    """acknowledged: seconds of each tap until its answer came. lags: of each process of the bot, idle: of a
    loop with nothing to do. memory: bytes of each process; beside: of those together that draw and think for
    it. calls: requests, by method and route. restored: how play went on from the backup."""

    seconds: float = 0.0
    acknowledged: list[float] = field(default_factory=list)
    servers: int = 0
    tables: int = 0
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    lags: list[lag.Ring] = field(default_factory=list)
    idle: list[lag.Ring] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    beside: list[int] = field(default_factory=list)
    database: int = 0
    grown: int = 0
    started: float = 0.0
    backup: Backup | None = None
    restored: Restored | None = None

    @property
    def invalid(self) -> int:
        return sum(self.statuses[status] for status in INVALID)

    @property
    def requests(self) -> int:
        """All but the answers to interactions, which have no limit of their own."""
        return sum(count for (_, route), count in self.calls.items() if not route.startswith("/interactions"))


async def measure(options: Options, told: Report) -> Measured:
    """told: gets the name of each part begun. Raises Unmeasured."""
    log: list[str] = []
    with trouble_told(log):
        async with AsyncExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="parlour-load-")))
            where = stack.enter_context(server(options.database, folder))
            address = await fresh_database(options.database, where, "load")
            return await _measure(options, folder, address, log, stack, told)


async def _measure(
    options: Options, folder: Path, address: str, log: list[str], stack: AsyncExitStack, told: Report
) -> Measured:
    driver, faults = import_module("tests.discord.driver"), import_module("tests.discord.faults")
    wire_server = import_module("tests.wire.wire_server")
    world = driver.World(
        validate="off", record=False, rate_limits=faults.REALISTIC, global_per_second=GLOBAL,
        answer_timeout=PATIENCE, ack_seconds=PATIENCE,
    )  # fmt: skip
    await stack.enter_async_context(world)
    processes = (options.processes or 2) if options.database == "postgresql" else 1
    data = folder / "bot"
    data.mkdir()
    wires = wire_server.WireServer(
        world, data, 1, {"PYTHONPATH": str(Path(__file__).parents[3])}, database=address, processes=processes
    )
    stack.callback(wires.close)
    stack.callback(lambda: log.extend(bot.log[-LOG:] for bot in world.bots))
    wires.patience = PATIENCE
    told("start")
    originals = await _originals(wires)
    told("crowd")
    crowd = Crowd(world, wires)
    await crowd.gather(originals, SERVERS, TABLES, "bench load")
    load = Load(crowd, options, folder)
    told("again")
    await load.start()
    told("play")
    async with lag.idle() as idle:
        await load.play()
    load.measured.idle = idle
    told("count")
    await load.count()
    if options.backup_during:
        told("restore")
        await load.restore()
    return load.measured


async def _originals(wires: Any) -> list[Any]:
    """Tables that people opened and played on, of every game; the bot is stopped again."""
    world = wires.world
    wires.guild = await world.create_guild("Originals")
    await (await SqlStore.open(wires.database)).close()
    everybody = [
        [await world.create_user(f"o{number}-{seat}", wires.guild) for seat in range(PEOPLE)]
        for number in range(ORIGINALS)
    ]
    await met(wires.database, {person.id: person.dm.id for people in everybody for person in people})
    for process in range(len(wires.bots)):
        await wires.start_bot(process=process)
    opened: list[Any] = []
    for number, game in enumerate(islice(cycle(GAME_IDS), ORIGINALS)):
        people = everybody[number]
        channel = await world.create_channel(wires.guild, f"original-{number}")
        command = COMMANDS.get(game, game)
        table = await wires.open(command, *people, channel=channel, computers=number % 2)
        table.random = Random(f"bench load {number}")
        for _ in range(BEFORE):
            await _turn(wires, table)
        opened.append(table)
    machines = "select 1 from tables where machine and status = 'playing'"
    await wires.until(
        lambda: wires.stored(machines) == [] and all(table.painted() for table in opened),
        "the originals painted, and no computer player with a turn",
    )
    for bot in wires.bots:
        await bot.stop(PATIENCE)
    return opened


async def _turn(wires: Any, table: Any) -> None:
    """One move by whoever may act there."""
    await wires.until(lambda: to_act(wires, table) or table.status() != "playing", "somebody's turn")
    person = to_act(wires, table)
    if person is not None:
        await Turn(table, person).move()


class Load:
    """The large world: `start`, `play`, `count`, `restore`."""

    def __init__(self, crowd: Crowd, options: Options, folder: Path) -> None:
        self.crowd, self.options, self.folder = crowd, options, folder
        self.wires, self.world = crowd.server, crowd.world
        self.measured = Measured(servers=SERVERS, tables=len(crowd.tables))
        self.random = Random("bench load")
        self._free = crowd.tables
        self._until = 0.0
        self._before: frozenset[int] = frozenset()  # messages that were there when the backup was begun

    async def start(self) -> None:
        """Every process of the bot, listened to, and each of its servers there."""
        begun = time.perf_counter()
        for process in range(len(self.wires.bots)):
            env = {LAG: str(self._lag_file(process))}
            await self.wires.start_bot("-m", f"{__package__}.parlour", process=process, env=env)
        await self.wires.until(
            lambda: all(self._lag_file(process).exists() for process in range(len(self.wires.bots))),
            "a bot that is ready",
        )
        self.measured.started = time.perf_counter() - begun
        self.measured.database = await self._size()

    def _lag_file(self, process: int) -> Path:
        return self.folder / f"lag{process}"

    async def play(self) -> None:
        self.world.calls.clear()
        for process in range(len(self.wires.bots)):
            self._lag_file(process).write_text("", "ascii")  # what comes before play is not meant
        self.measured.begin()
        begun = time.monotonic()
        self._until = begun + self.options.minutes * 60
        async with standing_back(), asyncio.TaskGroup() as group:
            for number in range(HANDS):
                group.create_task(self._hand(Random(f"hand {number}")))
            if self.options.backup_during:
                group.create_task(self._back_up())
        self.measured.seconds = time.monotonic() - begun
        self._counted()

    async def _hand(self, random: Random) -> None:
        """Somebody who plays a turn at a table, and then at another."""
        while time.monotonic() < self._until:
            table = self.crowd.at(self._free.pop(random.randrange(len(self._free))))
            with self.measured.noting(table):
                await self._turn(table, random)
            self._free.append(table.id)

    async def _turn(self, table: Any, random: Random) -> None:
        person = to_act(self.wires, table)
        board = table.board(person) if person is not None else None
        if board is None:
            return
        if random.random() < CHATTER:
            await random.choice(table.people).send(table.places()[-1], "well played")
        if random.random() < MENU:
            wire_server = import_module("tests.wire.wire_server")
            control = wire_server.control(board, "menu")
            result = await person.click(board, custom_id=control, stale=True)
            self.measured.tap("menu", result)
            await self._tapped(result, random)
        tapped = partial(self._tapped, random=random)
        await self.measured.play(Turn(table, person), self._until + PATIENCE, tapped)

    async def _tapped(self, result: Any, random: Random) -> None:
        if result.acked:
            self.measured.acknowledged.append(result.ack_ms / 1000)
        await asyncio.sleep(random.expovariate(1 / THINK))

    async def _back_up(self) -> None:
        """In the middle of play, as a host does it."""
        await asyncio.sleep(self.options.minutes * 30)
        self._before = frozenset(self.world.state.messages)
        data = self.wires.folder / ("process0" if len(self.wires.bots) > 1 else "")
        ran = await command(self.wires, data, "backup", str(self._backup))
        self.measured.backup = Backup(ran, self._backup.stat().st_size if self._backup.exists() else 0)

    @property
    def _backup(self) -> Path:
        return self.folder / "load.zip"

    def _counted(self) -> None:
        """What the double saw of the bot while people played."""
        for call in self.world.calls:
            self.measured.calls[call.method, call.template] += 1
            self.measured.statuses[call.status] += 1

    async def count(self) -> None:
        """Memory and lag of the processes, which are then stopped; and what is stored in the end."""
        measured = self.measured
        for bot in self.wires.bots:
            measured.memory.append(resident(bot.process.pid))
            measured.beside.append(sum(map(resident, kin(bot.process.pid))))
        await measured.stop(self.wires.bots, PATIENCE)
        for process in range(len(self.wires.bots)):
            for line in self._lag_file(process).read_text("ascii").splitlines():
                measured.lags += json.loads(line)
        measured.read(self.wires)
        measured.grown = await self._size() - measured.database

    async def restore(self) -> None:
        """The backup, into a database of the other kind, where people play on."""
        backup, kind = self.measured.backup, other_kind(self.options.database)
        if backup is not None and backup.ran.code == 0 and can_serve(kind):
            self.measured.restored = await play_on(
                self.crowd, self._backup, self.folder, kind, self._before, HANDS, THINK
            )

    async def _size(self) -> int:
        """Bytes of the database."""
        if self.options.database == "postgresql":
            [(size,)] = self.wires.stored("select pg_database_size(current_database())")
            return int(size)
        [(pages,)] = self.wires.stored(
            "select page_count * page_size from pragma_page_count, pragma_page_size"
        )
        return int(pages)


@asynccontextmanager
async def standing_back() -> AsyncIterator[None]:
    """Within, this process, which is Discord and everybody's device, lets those of the bot go first where the
    computer has too little for all: in truth they have computers of their own."""
    if not hasattr(os, "setpriority"):
        yield
        return
    before = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, max(before, BEHIND))
    try:
        yield
    finally:
        with suppress(PermissionError):  # only root may come forward again; a restore is slower then
            os.setpriority(os.PRIO_PROCESS, 0, before)
