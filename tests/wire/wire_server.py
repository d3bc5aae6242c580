"""Servers on the wire double, people in them, and the bot as an unmodified process, or as several that share
a database and have a shard each.

People play by their thumbs: they press what the bot's messages offer. Which of it is chosen by a seeded
generator, so the same people play the same games as far as the bot's own chance allows.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

from bot.levels import Level
from bot.storage import SqlStore
from bot.tables import rhythm
from bot.tables.model import Status
from bot.tables.positions import replay
from cogs.custom_ids import parse
from cogs.delivery.panels import LIVES
from cogs.delivery.timing import ACTIVE, COMING
from tests.discord import driver
from tests.tables.support import FakeClock, Rig
from tests.wire.stored import Row, stored_at

ROOT = Path(__file__).parents[2]

PATIENCE = 90.0  # seconds for what the bot does, on a busy machine and after a refused try too


def verb(custom_id: str | None) -> str:
    """The act a custom id names; a link has none."""
    if custom_id is None:
        return ""
    return custom_id.split(":", 4)[3] if custom_id.startswith("p") and custom_id.count(":") >= 4 else ""


def control(message: Any, name: str, argument: str = "") -> str:
    """The custom id of the message's button with this verb, and, if given, this argument."""
    wanted = f":{argument}" if argument else ""
    return next(
        button.custom_id
        for button in message.buttons
        if verb(button.custom_id) == name and button.custom_id.endswith(wanted)
    )


def is_board(message: Any) -> bool:
    """Whether it is a table message with its controls."""
    return {"move", "menu"} <= {verb(button.custom_id) for button in message.buttons}


class WireServer:
    """world: the double. people: in order of joining. bots: the processes that run now, by number, each of
    which serves the shard of its number. patience: seconds for what the bot does by itself. database: its
    address as the store takes it, a file in the folder if not given."""

    channel: Any
    guild: Any

    def __init__(
        self,
        world: Any,
        folder: Path,
        seed: int,
        env: Mapping[str, str] | None = None,
        *,
        database: str | None = None,
        processes: int = 1,
    ) -> None:
        self.world, self.folder = world, folder
        self.random = Random(seed)
        self.people: list[Any] = []
        self.bots: list[Any] = [None] * processes
        self.started = [0.0] * processes  # by the double's clock, those that know who is there
        self.patience = PATIENCE
        self.database = database or f"sqlite+aiosqlite:///{folder / 'parlour.db'}"
        self._stored = stored_at(self.database)
        self.env = {
            "DATABASE_URL": database or "",
            "PARLOUR_LOG_LEVEL": "WARNING",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            **(env or {}),
        }

    @property
    def bot(self) -> Any:
        """The one process, or the first of several."""
        return self.bots[0]

    async def start_bot(
        self, *command: str, process: int = 0, env: Mapping[str, str] | None = None, **options: Any
    ) -> Any:
        """command: what runs, the bot as it is unless something else is named. env: for this start alone."""
        folder = self.folder
        shard: dict[str, str] = {}
        if len(self.bots) > 1:
            folder = self.folder / f"process{process}"
            shard = {"SHARD_COUNT": str(len(self.bots)), "SHARD_IDS": str(process)}
        folder.mkdir(exist_ok=True)
        before = self.bots[process]
        # One that has stopped has told the next, and one that still runs will: it is to hand its shard over.
        if before is None or before.process.returncode not in {0, None}:
            self.started[process] = self.world.state.clock.now()
        self.bots[process] = await self.world.start_bot(
            *(command or ("-m", "bot", "run")),
            cwd=folder,
            env={"DATA_DIR": str(folder), **self.env, **shard, **(env or {})},
            timeout=self.patience,
            **options,
        )
        return self.bots[process]

    async def kill_bot(self, process: int = 0) -> None:
        """kill -9, and the process is gone."""
        await self.bots[process].kill()

    async def restart(self, process: int = 0) -> None:
        await self.kill_bot(process)
        await self.start_bot(process=process)

    async def until(self, condition: Any, what: str) -> Any:
        return await self.world.until(condition, self.patience, what)

    def stored(self, query: str, *values: object) -> list[Row]:
        """What is in the database, read beside the bot."""
        return self._stored.ask(query, *values)

    def close(self) -> None:
        self._stored.close()

    async def open(
        self,
        command: str,
        *people: Any,
        computers: int = 0,
        level: Level = Level.MEDIUM,
        channel: Any = None,
        **options: object,
    ) -> WireTable:
        """Open a table by slash command, let everybody join, start it, and wait for the board. level: of the
        computer players. channel: where, the server's usual one if not given."""
        channel = channel or self.channel
        host, *others = people
        seats = len(people) + computers
        opened = await host.slash(channel, f"{command} new", players=seats, **options)
        lobby = opened.message
        assert lobby is not None and lobby.buttons, opened.text
        wire_table = WireTable(self, lobby.buttons[0].custom_id.split(":")[1], channel, people)
        for person in others:
            assert (await person.click(lobby, custom_id=control(lobby, "join"), stale=True)).acked
        for _ in range(computers):
            now = wire_table.fresh(host, lobby)
            added = control(now, "add_computer", level.value)
            assert (await host.click(now, custom_id=added, stale=True)).acked
        await self._begin(wire_table, host, lobby, seats)
        await self.until(lambda: wire_table.board(host) is not None, "the table message")
        return wire_table

    async def open_direct(self, command: str, *people: Any) -> WireTable:
        """The same at a table in direct messages alone, which the others join by its code. Everybody has a
        copy of it, `WireTable.hand`."""
        host, *others = people
        opened = await host.slash(host.dm, f"{command} new", players=len(people))
        lobby = opened.message
        assert lobby is not None and lobby.buttons, opened.text
        wire_table = WireTable(self, lobby.buttons[0].custom_id.split(":")[1], host.dm, people)
        [(code,)] = self.stored("select code from tables where id = ?", wire_table.id)
        for person in others:
            assert (await person.slash(person.dm, "table join", code=code)).acked
        await self._begin(wire_table, host, lobby, len(people))
        await self.until(lambda: all(map(wire_table.hand, people)), "everybody's copy")
        return wire_table

    async def _begin(self, wire_table: WireTable, host: Any, lobby: Any, seats: int) -> None:
        """Start it once all have sat down."""

        def full() -> bool:
            seated = self.stored("select 1 from seats where table_id = ?", wire_table.id)
            start = next(b for b in wire_table.fresh(host, lobby).buttons if verb(b.custom_id) == "start")
            return len(seated) == seats and not start.disabled

        await self.until(full, "a lobby that can start")
        now = wire_table.fresh(host, lobby)
        await host.click(now, custom_id=control(now, "start"), stale=True)


class WireTable:
    """One table and its people. id: the table's."""

    def __init__(self, server: WireServer, table: str, channel: Any, people: tuple[Any, ...]) -> None:
        self.server, self.id, self.channel, self.people = server, table, channel, people
        self.random = server.random
        self.eager = False  # take the first entry (free cells come first): games end sooner

    # what is stored

    def status(self) -> str:
        return str(self.server.stored("select status from tables where id = ?", self.id)[0][0])

    def revision(self) -> int:
        return int(self.server.stored("select revision from tables where id = ?", self.id)[0][0])

    def painted(self) -> bool:
        """Whether the newest board shows what is stored."""
        [(painted, revision)] = self.server.stored(
            "select painted, revision from tables where id = ?", self.id
        )
        return bool(painted >= revision)

    def owed(self) -> list[int]:
        """Seats whose player has a notice to get."""
        rows = self.server.stored(
            "select seat from seats where table_id = ? and kind = 'human' and since > 0 and due > notified",
            self.id,
        )
        return [seat for (seat,) in rows]

    def at_the_table(self) -> set[int]:
        """Users whose notice may be held back: who lately came to this table, or pressed or typed something
        of it and has got a private page of it by that, or pressed theirs in direct messages, since a process
        was killed: one that stops tells the next."""
        state = self.server.world.state
        while_there = ACTIVE if len(self.people) > 1 else LIVES  # who lets nobody wait is left in peace
        since = max(min(self.server.started), state.clock.now() - while_there.total_seconds())
        changes = self.server.stored(
            "select user_id, kind from events where table_id = ? and at >= ?",
            self.id,
            int((since - state.clock.offset) * 1_000_000),
        )
        return {user for user, kind in changes if kind in COMING} | {
            it.user_id
            for it in state.interactions.values()
            if it.created >= since
            and (it.original_ephemeral or it.guild_id is None)
            and self.id in json.dumps(it.data)
        }

    def awaited(self) -> list[int]:
        """Seats whose player has a notice to get now, being away. (Who has left several without an answer
        gets them later.)"""
        here = self.at_the_table() | {
            user
            for (user,) in self.server.stored(
                "select user_id from letters where unanswered >= ?", rhythm.PATIENCE
            )
        }
        seated = self.server.stored("select seat, user_id from seats where table_id = ?", self.id)
        users: dict[int, int | None] = dict(seated)
        return [seat for seat in self.owed() if users[seat] not in here]

    def moves(self) -> list[tuple[int, str]]:
        """(seat, move) of every stored decision, in order."""
        rows = self.server.stored(
            "select payload from events where table_id = ? and not void order by revision", self.id
        )
        events = [event for (payload,) in rows for event in json.loads(payload).get("events", ())]
        return [(event["player"], event["move"]) for event in events if "move" in event]

    # what is seen

    def fresh(self, person: Any, message: Any) -> Any:
        return person.look(message) or message

    def places(self) -> list[Any]:
        """The channel and every thread in it."""
        channels = self.server.world.state.channels.values()
        return [c for c in channels if self.channel.id in (c.id, c.parent_id)]

    def board(self, person: Any) -> Any:
        """The table message that this person sees, or None. A notice has `Your move` too, but no `Menu`."""
        for place in reversed(self.places()):
            for message in reversed(person.messages(place)):
                if message.ephemeral:
                    continue
                if is_board(message) and control(message, "move").split(":")[1] == self.id:
                    return message
        return None

    def hand(self, person: Any) -> Any:
        """This person's message of the table in their direct messages, or None."""
        rows = self.server.stored(
            "select hand_message from seats where table_id = ? and user_id = ?", self.id, person.id
        )
        return next((m for m in person.dms() if (m.id,) in rows), None)

    # what is done

    def choose(self, page: Any) -> tuple[str, str, list[str]] | None:
        """(kind, custom id, values) of something on a private page that leads on to a move."""
        chance = self.random
        buttons = [b for b in page.buttons if not getattr(b, "disabled", False)]
        confirm = [b for b in buttons if verb(b.custom_id) == "play"]
        if confirm:
            return "click", confirm[0].custom_id, []
        ways: list[tuple[str, str, list[str]]] = [
            ("click", b.custom_id, []) for b in buttons if verb(b.custom_id) == "act"
        ]
        leading = [b.custom_id for b in buttons if verb(b.custom_id) == "way"]
        if leading:
            ways.append(("click", leading[0] if self.eager else chance.choice(leading), []))
        for menu in page.selects:
            if verb(menu.custom_id) == "pick":
                values = [option.value for option in menu.options]
                ways.append(("select", menu.custom_id, [values[0] if self.eager else chance.choice(values)]))
        return chance.choice(ways) if ways else None

    async def tap(self, person: Any, page: Any, chosen: tuple[str, str, list[str]]) -> Any:
        kind, custom_id, values = chosen
        if kind == "click":
            return await person.click(page, custom_id=custom_id, stale=True)
        return await person.select(page, values, custom_id, stale=True)

    async def to_the_last_tap(self, person: Any, page: Any) -> tuple[Any, tuple[str, str, list[str]]] | None:
        """The private page on which one more tap plays a move, and that tap; None where there is none. page:
        to begin from, the board or a private one."""
        for _ in range(12):
            chosen = self.choose(page)
            if chosen is None:
                leads = [b.custom_id for b in page.buttons if verb(b.custom_id) == "move"]
                if not leads or parse(leads[0]).table != self.id:  # type: ignore[union-attr]
                    return None
                chosen = ("click", leads[0], [])
            if verb(chosen[1]) in {"play", "act"}:
                return page, chosen
            answer = await self.tap(person, page, chosen)
            if answer.answer_ms is None or answer.message is None:
                return None
            page = answer.message
        raise AssertionError("more than twelve taps to a move")

    async def ready(self, person: Any) -> tuple[Any, str]:
        """A private page on which one more tap plays a move, and that tap's custom id."""
        found = await self.to_the_last_tap(person, self.board(person))
        assert found is not None
        page, (_, custom_id, _) = found
        return page, custom_id

    async def play(self, person: Any, board: Any = None) -> bool:
        """One move by `person`, tap by tap, from `Your move` on `board` (default: the newest). False if it is
        not their turn. Every tap must be answered."""
        board = board or self.board(person)
        if board is None:
            return False
        answer = await person.click(board, custom_id=control(board, "move"), stale=True)
        assert answer.acked, "no answer to Your move"
        before = len(self.moves())
        for _ in range(12):
            page = answer.message
            if page is None or len(self.moves()) > before:
                break
            chosen = self.choose(page)
            if chosen is None:
                break
            answer = await self.tap(person, page, chosen)
            assert answer.acked, f"no answer to {chosen[1]}"
        return len(self.moves()) > before

    async def play_until(self, over: asyncio.Event, chatter: Any = None) -> list[tuple[int, str]]:
        """Its people play by taps until `over` is set or the game ends; the moves that were acknowledged. The
        bot may die meanwhile. chatter: says something below the board before each round."""
        acknowledged = self.moves()
        while not over.is_set() and self.status() == "playing":
            # Between two boards there may be none: without waiting, nobody here would let Discord go on.
            await self.server.until(
                lambda: over.is_set() or self.board(self.people[0]) is not None, "a board"
            )
            if chatter is not None:
                await chatter.send(self.places()[-1], "well played")
            for person in self.people:
                board = self.board(person)
                if board is None or over.is_set():
                    continue
                answer = await person.click(board, custom_id=control(board, "move"), stale=True, wait=False)
                for _ in range(12):
                    page = answer.message if answer.acked and not over.is_set() else None
                    chosen = self.choose(page) if page is not None else None
                    if chosen is None:
                        break
                    answer = await self.tap(person, page, chosen)
                    if answer.acked and verb(chosen[1]) in {"play", "act"}:
                        now = self.moves()
                        assert now[: len(acknowledged)] == acknowledged
                        acknowledged = now
                        break
        return acknowledged

    async def owed_when_back(self) -> Any:
        """People play on their copies in direct messages until somebody is owed a notice that waits, for they
        are at the table: who that is. They get it when the bot is back."""
        while True:
            await self.shown()
            owed = self.owed()
            if owed:
                query = "select user_id from seats where table_id = ? and seat = ?"
                [(user,)] = self.server.stored(query, self.id, owed[0])
                return next(person for person in self.people if person.id == user)
            for person in self.people:
                ready = await self.to_the_last_tap(person, self.hand(person))
                if ready is not None:
                    assert (await self.tap(person, *ready)).acked
                    break

    async def shown(self) -> None:
        """Wait until what is stored is on the board and everybody who is away was told."""
        try:
            await self.server.until(
                lambda: self.painted() and not self.awaited(), f"table {self.id} painted and nothing owed"
            )
        except TimeoutError as error:
            raise TimeoutError(f"{error}: {self.standing()}") from None

    def standing(self) -> str:
        """What is stored of what it shows and tells, and who is at the table: for whoever waited in vain."""
        ask = self.server.stored
        table = ask("select status, revision, painted, parked, changed from tables where id = ?", self.id)
        seats = ask(
            "select seats.user_id, since, due, notified, held, due_at, unanswered, later, letters.tables"
            " from seats left join letters on letters.user_id = seats.user_id where table_id = ?",
            self.id,
        )
        clicks = [
            (it.user_id, round(self.server.world.state.clock.now() - it.created))
            for it in self.server.world.state.interactions.values()
            if self.id in json.dumps(it.data)
        ]
        posts = ask("select * from posts where table_id = ?", self.id)
        here = self.at_the_table()
        clock = self.server.world.state.clock
        now = clock.now()
        processes = [round(now - started) for started in self.server.started]
        return (
            f"table {table}, seats {seats}, posts {posts}, here {here}, last clicks {clicks[-5:]},"
            f" now {round((now - clock.offset) * 1_000_000)}, who is there is known for {processes} s"
        )


def refused(world: Any) -> list[str]:
    """Requests that Discord found to be wrong, and what was wrong with them as far as it is known."""
    return world.violations + [
        f"{call.method} {call.path}: {json.dumps(call.body)}" for call in world.calls if call.code == 50035
    ]


class Killer:
    """Kills a process at the n-th call to Discord from now on: as the call comes in, or when it has been
    answered. most: that n may be."""

    def __init__(self, place: WireServer, chance: Random, *, process: int = 0, most: int = 30) -> None:
        self.place, self.process = place, process
        self.left = chance.randint(1, most)
        self.afterwards = chance.random() < 0.5
        self.dead = asyncio.Event()
        self.fault = place.world.faults.slow(0.0, times=None, when=self.sees)

    def sees(self, call: Any) -> bool:
        if not call.path.startswith("/gateway"):
            self.left -= 1
            if self.left == 0:
                if self.afterwards:
                    asyncio.get_running_loop().create_task(self.wait(call))
                else:
                    self.kill()
        return False

    async def wait(self, call: Any) -> None:
        await self.place.until(lambda: call.finished, "the end of the call")
        self.kill()

    def kill(self) -> None:
        bot = self.place.bots[self.process]
        if bot.running:
            bot.process.kill()
        self.dead.set()

    def stop(self) -> None:
        self.place.world.faults.planned.remove(self.fault)


def pings(place: WireServer) -> Counter[tuple[str, str]]:
    """How often each (user, purpose) was sent that may ping; what Discord took for one message by its nonce
    counts once."""
    seen = set()
    counted: Counter[tuple[str, str]] = Counter()
    for call in place.world.calls:
        body = call.body if isinstance(call.body, dict) else {}
        users = (body.get("allowed_mentions") or {}).get("users") or []
        if call.method == "POST" and call.status == 200 and users and body.get("nonce") not in seen:
            seen.add(body.get("nonce"))
            counted.update((str(user), str(body.get("nonce"))) for user in users)
    return counted


def in_place(wire_table: WireTable) -> list[str]:
    """What lies about that should not: live lobbies, boards beside the one, pings beside the newest."""
    reader = wire_table.people[0]
    playing = wire_table.status() == "playing"
    public = [m for where in wire_table.places() for m in reader.messages(where) if not m.ephemeral]
    mine = [
        m
        for m in public
        if m.author_id == wire_table.server.world.state.app.id and wire_table.id in _whole(m)
    ]
    boards = [m for m in mine if is_board(m)]
    lobbies = [m for m in mine if any(verb(b.custom_id) == "join" for b in m.buttons)]
    [known] = wire_table.server.stored(
        "select table_message, notice_message, final_message from tables where id = ?", wire_table.id
    )
    pings = [m for m in mine if m.pings and m not in boards and m.id not in known]
    wrong = [f"live lobbies {lobbies}"] if lobbies else []
    wrong += [f"live boards {boards}"] if len(boards) != playing else []
    return wrong + ([f"old pings {pings}, known {known}"] if pings else [])


def kept_twice(place: WireServer) -> list[str]:
    """What somebody has twice in their direct messages: hands of one table, and letters. Answers that they
    alone see are none of it: those are their process's to take back, and end with it."""
    twice = []
    for person in place.people:
        kept: dict[str, list[Any]] = {}
        for message in person.dms():
            if message.ephemeral or message.author_id != place.world.state.app.id:
                continue
            controls = [found for b in message.buttons if (found := parse(b.custom_id or "")) is not None]
            letter = {found.verb for found in controls} & {"later", "stop"} and not message.files
            of = {"a letter"} if letter else {found.table for found in controls if found.table is not None}
            for one in of:
                kept.setdefault(one, []).append(message)
        twice += [f"{person.name} has of {of}: {here}" for of, here in kept.items() if len(here) > 1]
    return twice


def _whole(message: Any) -> str:
    return message.text + "".join(button.custom_id or "" for button in message.buttons)


@asynccontextmanager
async def running_server(
    folder: Path,
    *,
    seed: int = 1,
    people: int = 3,
    env: Mapping[str, str] | None = None,
    database: str | None = None,
    processes: int = 1,
    **options: Any,
) -> AsyncIterator[WireServer]:
    """A running world with the bot in it. At the end every request body must have been well-formed, no
    process may have left a traceback, and every stored table must be sound. processes: of the bot, each with
    a shard of its own, on the one `database`."""
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240  (before anything runs)
    with ExitStack() as stack:
        async with driver.World(**options) as world:
            place = WireServer(world, folder, seed, env, database=database, processes=processes)
            stack.callback(place.close)
            place.guild = await world.create_guild("Den")
            place.channel = await world.create_channel(place.guild, "games")
            for name in ("ann", "bob", "cem", "dot", "eve")[:people]:
                place.people.append(await world.create_user(name, place.guild))
            try:
                for process in range(processes):
                    await place.start_bot(process=process)
                yield place
                await asyncio.gather(*(bot.stop(10.0) for bot in place.bots))
            except BaseException:
                sys.stderr.write("\n".join([*(bot.log[-4000:] for bot in world.bots), *refused(world)]))
                raise
            world.assert_clean()
            assert not (wrong := refused(world)), wrong
            logged = "\n".join(bot.log for bot in world.bots)
            assert "Traceback" not in logged, logged[max(0, logged.index("Traceback") - 500) :][:6000]
        await sound(place)


async def sound(place: WireServer) -> None:
    """Every stored table is what its record makes it: revisions without gaps, and a legal position that the
    record leads to."""
    async with rig_beside(place) as rig:
        for (table,) in place.stored("select id from tables"):
            entries = await rig.store.entries(table)
            assert [entry.revision for entry in entries] == list(range(1, len(entries) + 1))
            loaded = await rig.tables.load(table)
            assert loaded.table.status is not Status.ASIDE
            assert loaded.table.revision == len(entries)
            if loaded.state is not None:
                assert loaded.state.faults() == []
                assert replay(loaded.table, loaded.events).to_json() == loaded.state.to_json()


@asynccontextmanager
async def rig_beside(place: WireServer) -> AsyncIterator[Rig]:
    """A table service on the database: of one that is a file, once no process has it."""
    store = await SqlStore.open(place.database, shards=())
    rig = Rig(store, FakeClock())
    try:
        yield rig
        await rig.tables.close()
    finally:
        await store.close()


async def together(*actions: Any) -> list[Any]:
    return list(await asyncio.gather(*actions))
