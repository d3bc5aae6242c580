"""What the bench of the clicks does: two bots on two doubles, people who tap, and what that took.

Everything waits for what the bots put out, and for a limited time only. A table is played in turn with many
others, so that it is quiet when its next move comes. Slices of the reference lie before and after each
game's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from bot.levels import Level
from bot.rules.registry import game as rules_of

from .figures import (
    KINDS,
    Beside,
    Flood,
    Loaded,
    Measured,
    Played,
    Slice,
    Taps,
    Unmeasured,
    Use,
    trouble_told,
)
from .link import Link
from .probe import PORT

SEATS = {"fivetotwelve": 3, "top12": 3, "topominos": 4, "topspot": 3, "zatre": 3}  # else the fewest
COMMANDS = {"fivetotwelve": "5vor12"}  # where it is not the game's id
IN_FLIGHT = 50  # tables in all, and taps at a time
MOVES = 20  # measured, by game
OPENING = 5  # tables opened at a time
REFERENCE = 60  # taps by slice
MOST_TAPS = 16  # to one move
ACK_SECONDS = 3.0  # that Discord gives for an answer
LOAD = 6.0  # seconds with many taps in flight
THINKING = 4  # tables at which computer players think beside
COMPUTERS = 3  # at each of them, where the game has room
BESIDE = 120  # taps elsewhere by slice, of which two are with and two without them
BETWEEN = 0.05  # seconds between two of those
PATIENCE = 90.0  # seconds for anything a bot does, on a very busy machine too
LONGEST = 900.0  # seconds for everything
LOG = 3000  # characters shown of what a bot had to say
WORLD = {"validate": "off", "record": False, "answer_timeout": PATIENCE, "ack_seconds": PATIENCE}

Report = Callable[[str], None]


async def measure(games: Sequence[str], profile: str | None, told: Report) -> Measured:
    """Play and measure. profile: the kind of tap to profile instead. told: gets the name of each part begun:
    a game's id, `start`, `load`. Raises Unmeasured."""
    log: list[str] = []
    with trouble_told(log):
        async with asyncio.timeout(LONGEST), AsyncExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="parlour-clicks-")))
            told("start")
            bare = await stack.enter_async_context(_bare(folder, log))
            ours = await stack.enter_async_context(_ours(folder, log))
            return await _measure(bare, ours, games, profile, told)


async def _measure(
    bare: Bare, ours: Ours, games: Sequence[str], profile: str | None, told: Report
) -> Measured:
    measured = Measured()
    tables = IN_FLIGHT // len(games) if profile is None else min(IN_FLIGHT, 10)
    for game in games:
        told(game)
        await ours.open(game, tables)
        played = Played(game)
        if profile is not None:
            await ours.play(played, profile)
            measured.profiles.append((played, await ours.link.ask("profile")))
            continue
        await bare.slice(played.reference)
        await ours.play(played)
        await bare.slice(played.reference)
        if not played.all.use.pictures or not played.all.use.statements:
            raise Unmeasured("blind")
        measured.games.append(played)
    if profile is None:
        told("thinking")
        measured.beside = await ours.beside(games)
        told("load")
        reference = await bare.load(len(ours.opened))
        measured.loaded = await ours.load(reference)
    return measured


# --------------------------------------------------------------------------- the reference


@dataclass(slots=True)
class Bare:
    """The bare bot, its messages, and somebody who taps."""

    world: Any
    link: Link
    person: Any
    messages: list[Any]

    async def slice(self, into: Taps) -> None:
        """With rests between the taps, as between a game's."""
        now = await self.link.quiet()
        for number in range(REFERENCE):
            acknowledged = await self._tap(self.messages[number % len(self.messages)])
            last, now = now, await self.link.quiet()
            into.add(now - last, [acknowledged])

    async def load(self, in_flight: int) -> Flood:
        tappers = [self._tapper(message) for message in self.messages[:in_flight]]
        return await _flood(self.link, tappers, LOAD / 3)

    def _tapper(self, message: Any) -> Callable[[], Awaitable[bool | None]]:
        async def tap() -> bool:
            await self._tap(message)
            return True

        return tap

    async def _tap(self, message: Any) -> float:
        result = await self.person.click(message, custom_id="tap", stale=True)
        if not result.acked:
            raise Unmeasured("unanswered", tap="bare")
        return float(result.ack_ms) / 1000


@asynccontextmanager
async def _bare(folder: Path, log: list[str]) -> AsyncIterator[Bare]:
    driver = import_module("tests.discord.driver")
    link = Link(PATIENCE)
    async with driver.World(**WORLD) as world:
        guild = await world.create_guild("Bare")
        channel = await world.create_channel(guild, "games")
        person = await world.create_user("ann", guild)
        env = {PORT: await link.open(), "PYTHONPATH": str(_root()), "PYTHONDONTWRITEBYTECODE": "1"}
        await world.start_bot("-m", f"{__package__}.bare", cwd=folder, env=env, timeout=PATIENCE)
        messages = [(await person.slash(channel, "board")).message for _ in range(IN_FLIGHT)]
        try:
            yield Bare(world, link, person, messages)
        finally:
            link.close()
            log += [bot.log[-LOG:] for bot in world.bots]


# --------------------------------------------------------------------------- ours


class Ours:
    """The real bot, its tables by game, and the people at them."""

    def __init__(self, server: Any, link: Link) -> None:
        self.server, self.link = server, link
        self.tables: dict[str, list[Any]] = {}

    @property
    def opened(self) -> list[Any]:
        """The tables of all games."""
        return [wire_table for tables in self.tables.values() for wire_table in tables]

    async def open(self, game: str, count: int) -> None:
        """Tables with people of their own, each in a channel of its own, and the first moves made: later
        ones meet nothing that happens once in a table's life."""
        gate = asyncio.Semaphore(OPENING)

        async def table(number: int) -> Any:
            try:
                wire_table = await self._open(game, number)
                await self._warm(wire_table)
            finally:
                gate.release()
            return wire_table

        async with asyncio.TaskGroup() as group:
            tasks = []
            for number in range(count):
                await gate.acquire()
                before = self._stored_tables()
                tasks.append(group.create_task(table(number)))
                # One after another, so that each gets the same seed in every run.
                await self.server.until(lambda before=before: self._stored_tables() > before, "a table")
        self.tables[game] = [task.result() for task in tasks]

    async def _open(self, game: str, number: int) -> Any:
        world, guild = self.server.world, self.server.guild
        seats = SEATS.get(game, rules_of(game).min_seats)
        people = [await world.create_user(f"{game}-{number}-{seat}", guild) for seat in range(seats)]
        channel = await world.create_channel(guild, f"{game}-{number}")
        wire_table = await self.server.open(COMMANDS.get(game, game), *people, channel=channel)
        wire_table.random = Random(f"bench clicks {game} {number}")
        return wire_table

    async def _warm(self, wire_table: Any) -> None:
        turn = self.turn(wire_table)
        if turn is not None:
            await turn.move()
        await self._settled(wire_table)

    def _stored_tables(self) -> int:
        return int(self.server.stored("select count(*) from tables")[0][0])

    def turn(self, wire_table: Any) -> Turn | None:
        """Whoever may move there, with nothing on the screen yet; None when the game is over, and while it is
        a computer player's turn."""
        found = self.server.stored(
            "select user_id from seats where table_id = ? and kind = 'human' and since > 0 "
            "order by seat limit 1",
            wire_table.id,
        )
        if not found:
            return None
        person = next(person for person in wire_table.people if person.id == found[0][0])
        return Turn(wire_table, person)

    async def play(self, played: Played, profile: str | None = None) -> None:
        """`MOVES` moves at the game's tables in turn, tap by tap; what each took goes into `played`.
        profile: the kind of tap that is profiled meanwhile."""
        tables = self.tables[played.game]
        now = await self.link.quiet()
        made = 0
        for number in range(4 * MOVES):
            if made == MOVES:
                return
            wire_table = tables[number % len(tables)]
            turn = self.turn(wire_table)
            if turn is None:
                continue
            made += 1
            before = wire_table.revision()
            board = wire_table.board(turn.person)
            while turn.left and wire_table.revision() == before:
                kind = turn.kind
                if kind == profile:
                    await self.link.ask("profile on")
                result = await turn.tap()
                if not result.acked:
                    raise Unmeasured("unanswered", tap=kind)
                if wire_table.revision() != before:
                    shown = await self._shown(board, result.interaction.sent)
                    played.boards.append(shown - result.interaction.sent)
                    await self._settled(wire_table)
                elif kind == "confirm":
                    kind = "choose"  # a button that leads on
                last, now = now, await self.link.quiet()
                if profile is not None:
                    await self.link.ask("profile off")
                played.by_kind[kind].add(now - last, [result.ack_ms / 1000])
        raise Unmeasured("over")

    async def _shown(self, board: Any, since: float) -> float:
        """When the public board, edited or sent afresh since then, had wholly come to Discord."""
        calls = self.server.world.calls

        def found() -> float:
            for call in reversed(calls):
                if call.arrived < since:
                    break
                there = call.params.get("channel") == str(board.channel_id)
                edited = call.method == "PATCH" and call.params.get("message") == str(board.id)
                afresh = call.method == "POST" and call.path.endswith("/messages") and call.sizes
                if call.finished and there and (edited or afresh):
                    return float(call.received)
            return 0.0

        return float(await self.server.until(found, "the public board"))

    async def _settled(self, wire_table: Any) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                while not wire_table.painted() or wire_table.awaited():  # noqa: ASYNC110  (what is stored tells nobody)
                    await asyncio.sleep(0.01)
        except TimeoutError as error:
            raise Unmeasured("behind", table=wire_table.id) from error

    # beside computer players that think

    async def beside(self, games: Sequence[str]) -> Beside:
        """One tap at a time at the tables that there are, while nobody thinks and while computer players do
        at others, by turns: without, with, with, without."""
        quiet, busy = Slice(), Slice()
        moves = 0
        # in a server of their own: the one that is tapped in may have all the tables that it can have
        guild = await self.server.world.create_guild("Thinking")
        thinking = [await self._against_computers(guild, games, number) for number in range(THINKING)]
        ways = self._ways()
        for slice_, thought in ((quiet, False), (busy, True), (busy, True), (quiet, False)):
            async with self._played_on(thinking if thought else ()):
                before = await self._moved(thinking) if thought else 0
                await self.link.ask("lags")  # what came before is not meant
                for _ in range(BESIDE):
                    slice_.acknowledged.append(await anext(ways))
                    await asyncio.sleep(BETWEEN)
                slice_.lags += await self.link.ask("lags")
                moves += self._moves_of_computers(thinking) - before if thought else 0
        return Beside(quiet, busy, THINKING, moves)

    async def _against_computers(self, guild: Any, games: Sequence[str], number: int) -> Any:
        world = self.server.world
        game = games[number % len(games)]
        seats = min(1 + COMPUTERS, rules_of(game).max_seats)
        person = await world.create_user(f"thinking-{number}", guild)
        channel = await world.create_channel(guild, f"thinking-{number}")
        wire_table = await self.server.open(
            COMMANDS.get(game, game), person, computers=seats - 1, level=Level.HARD, channel=channel
        )
        wire_table.random = Random(f"bench clicks thinking {number}")
        return wire_table

    @asynccontextmanager
    async def _played_on(self, tables: Sequence[Any]) -> AsyncIterator[None]:
        """Within, the people at those tables move whenever they may."""
        over = asyncio.Event()

        async def play(wire_table: Any) -> None:
            while not over.is_set():
                turn, before = self.turn(wire_table), wire_table.revision()
                while turn is not None and turn.left and not over.is_set():
                    await turn.tap()
                    if wire_table.revision() != before:
                        break
                await asyncio.sleep(BETWEEN)

        async with asyncio.TaskGroup() as group:
            for wire_table in tables:
                group.create_task(play(wire_table))
            try:
                yield
            finally:
                over.set()

    async def _ways(self) -> AsyncIterator[float]:
        """Tap by tap through moves at all tables in turn: seconds until each was acknowledged. Raises
        Unmeasured where no game is left."""
        tables = self.opened
        while True:
            turns = [turn for wire_table in tables if (turn := self.turn(wire_table)) is not None]
            if not turns:
                raise Unmeasured("over")
            for turn in turns:
                before = turn.wire_table.revision()
                while turn.left and turn.wire_table.revision() == before:
                    kind, result = turn.kind, await turn.tap()
                    if not result.acked:
                        raise Unmeasured("unanswered", tap=kind)
                    yield result.ack_ms / 1000

    async def _moved(self, wire_tables: Sequence[Any]) -> int:
        """Once computer players think there: how many moves they have made by then."""
        before = self._moves_of_computers(wire_tables)
        await self.server.until(lambda: self._moves_of_computers(wire_tables) > before, "a computer's move")
        return self._moves_of_computers(wire_tables)

    def _moves_of_computers(self, wire_tables: Sequence[Any]) -> int:
        found = 0
        for wire_table in wire_tables:
            computers = self.server.stored(
                "select seat from seats where table_id = ? and kind = 'computer'", wire_table.id
            )
            found += sum((seat,) in computers for seat, _ in wire_table.moves())
        return found

    # many taps in flight

    async def load(self, reference: Flood) -> Loaded:
        """Whoever may move at any of the tables taps, one tap in flight at each."""
        tables = self.opened
        late = 0
        turns: dict[str, Turn | None] = {}

        def tapper(wire_table: Any) -> Callable[[], Awaitable[bool | None]]:
            async def tap() -> bool | None:
                nonlocal late
                turn = turns.get(wire_table.id)
                if turn is None or not turn.left:
                    turn = turns[wire_table.id] = self.turn(wire_table)
                if turn is None:
                    return None
                moves = turn.kind == "confirm"
                result = await turn.tap()
                late += not result.acked or result.ack_ms > 1000 * ACK_SECONDS
                if moves or not result.acked:
                    turns[wire_table.id] = None
                return bool(result.acked)

            return tap

        flood = await _flood(self.link, [tapper(wire_table) for wire_table in tables], LOAD)
        over = sum(self.turn(wire_table) is None for wire_table in tables)
        return Loaded(flood, reference, len(tables), late, over)


class Turn:
    """A person's way to one move: the next tap follows from what the last one showed. board: where it begins,
    as the person has it on the screen; the newest if not given. taps: made so far."""

    def __init__(self, wire_table: Any, person: Any, board: Any = None) -> None:
        self.wire_table, self.person = wire_table, person
        self._page: Any = board or wire_table.board(person)
        wire_server = import_module("tests.wire.wire_server")
        self._verb: Callable[[str], str] = wire_server.verb
        self._next: tuple[str, str, list[str]] | None = None
        if self._page is not None:
            self._next = ("click", wire_server.control(self._page, "move"), [])
        self.taps = 0

    @property
    def left(self) -> bool:
        """Whether there is something to tap."""
        return self._next is not None and self.taps < MOST_TAPS

    @property
    def kind(self) -> str:
        """open, choose or confirm: what the next tap is."""
        return KINDS[self._verb(self._next[1])] if self._next else ""

    async def tap(self) -> Any:
        """The double's Result, once the bot has shown something."""
        assert self._next is not None
        self.taps += 1
        result = await self.wire_table.tap(self.person, self._page, self._next)
        if result.kind in {"deferred", "deferred_update"}:
            try:
                await result.settled(PATIENCE)
            except TimeoutError as error:
                raise Unmeasured("unanswered", tap=self.kind) from error
        self._page = result.message if result.acked else None
        self._next = self.wire_table.choose(self._page) if self._page is not None else None
        return result

    async def move(self) -> None:
        """Tap until the table has changed, or nothing is left to tap."""
        before = self.wire_table.revision()
        while self.left and self.wire_table.revision() == before:
            await self.tap()


@asynccontextmanager
async def _ours(folder: Path, log: list[str]) -> AsyncIterator[Ours]:
    driver, wire_server = import_module("tests.discord.driver"), import_module("tests.wire.wire_server")
    link = Link(PATIENCE)
    async with driver.World(**WORLD) as world:
        data = folder / "data"
        data.mkdir()
        server = wire_server.WireServer(world, data, 1, {PORT: await link.open(), "PYTHONPATH": str(_root())})
        server.patience = PATIENCE
        server.guild = await world.create_guild("Bench")
        await server.start_bot("-m", f"{__package__}.parlour")
        try:
            yield Ours(server, link)
        finally:
            link.close()
            log += [bot.log[-LOG:] for bot in world.bots]


# --------------------------------------------------------------------------- both


async def _flood(
    link: Link, tappers: Sequence[Callable[[], Awaitable[bool | None]]], seconds: float
) -> Flood:
    """Each tapper taps again as soon as it can. It gives whether the tap was answered, None when there is
    nothing left to tap."""
    before = await link.mark()
    begun = time.monotonic()
    answered = 0

    async def tap(one: Callable[[], Awaitable[bool | None]]) -> None:
        nonlocal answered
        while time.monotonic() < begun + seconds and (did := await one()) is not None:
            answered += did and time.monotonic() < begun + seconds

    async def clock() -> Use:
        await asyncio.sleep(begun + seconds - time.monotonic())
        return await link.mark()

    rung = asyncio.create_task(clock())
    await asyncio.gather(*(tap(one) for one in tappers))
    return Flood(seconds, answered, (await rung - before).seconds)


def _root() -> Path:
    return Path(__file__).parents[3]
