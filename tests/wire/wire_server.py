"""A server on the wire double, people in it, and the bot as an unmodified process.

People play by their thumbs: they press what the bot's messages offer. Which of it is chosen by a seeded
generator, so the same people play the same games as far as the bot's own chance allows.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from random import Random
from typing import Any

from bot.tables.model import Status
from bot.tables.positions import replay
from cogs.delivery.timing import ACTIVE, COMING
from tests.discord import driver
from tests.tables.support import open_rig

ROOT = Path(__file__).parents[2]

PATIENCE = 30.0  # seconds for what the bot does by itself, on a busy machine too


def verb(custom_id: str | None) -> str:
    """The act a custom id names; a link has none."""
    if custom_id is None:
        return ""
    return custom_id.split(":", 4)[3] if custom_id.startswith("p") and custom_id.count(":") >= 4 else ""


def control(message: Any, name: str) -> str:
    """The custom id of the message's button with this verb."""
    return next(button.custom_id for button in message.buttons if verb(button.custom_id) == name)


def is_board(message: Any) -> bool:
    """Whether it is a table message with its controls."""
    return {"move", "menu"} <= {verb(button.custom_id) for button in message.buttons}


class WireServer:
    """world: the double. people: in order of joining. bot: the process that runs now. patience: seconds for
    what the bot does by itself."""

    channel: Any
    guild: Any

    def __init__(self, world: Any, folder: Path, seed: int, env: Mapping[str, str] | None = None) -> None:
        self.world, self.folder = world, folder
        self.random = Random(seed)
        self.people: list[Any] = []
        self.bot: Any = None
        self.started = 0.0  # by the double's clock, the process that runs now
        self.before = 0  # stored changes when it started
        self.patience = PATIENCE
        self.env = {
            "DATA_DIR": str(folder),
            "DATABASE_URL": "",
            "PARLOUR_LOG_LEVEL": "WARNING",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            **(env or {}),
        }

    async def start_bot(self, *command: str, **options: Any) -> Any:
        """command: what runs, the bot as it is unless something else is named."""
        self.started = self.world.state.clock.now()
        if (self.folder / "parlour.db").exists():
            [(self.before,)] = self.stored("select coalesce(max(rowid), 0) from events")
        self.bot = await self.world.start_bot(
            *(command or ("-m", "bot", "run")), cwd=self.folder, env=self.env, timeout=60.0, **options
        )
        return self.bot

    async def kill_bot(self) -> None:
        """kill -9, and the process is gone."""
        await self.bot.kill()

    async def restart(self) -> None:
        await self.kill_bot()
        await self.start_bot()

    async def until(self, condition: Any, what: str) -> Any:
        return await self.world.until(condition, self.patience, what)

    def stored(self, query: str, *values: object) -> list[Any]:
        """What is in the database, read beside the bot."""
        address = f"file:{self.folder / 'parlour.db'}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=10)) as connection:
            return connection.execute(query, values).fetchall()

    async def open(
        self, command: str, *people: Any, computers: int = 0, channel: Any = None, **options: object
    ) -> WireTable:
        """Open a table by slash command, let everybody join, start it, and wait for the board. channel:
        where, the server's usual one if not given."""
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
            assert (await host.click(now, custom_id=control(now, "add_computer"), stale=True)).acked

        def full() -> bool:
            seated = self.stored("select 1 from seats where table_id = ?", wire_table.id)
            start = next(b for b in wire_table.fresh(host, lobby).buttons if verb(b.custom_id) == "start")
            return len(seated) == seats and not start.disabled

        await self.until(full, "a lobby that can start")
        now = wire_table.fresh(host, lobby)
        await host.click(now, custom_id=control(now, "start"), stale=True)
        await self.until(lambda: wire_table.board(host) is not None, "the table message")
        return wire_table


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
        """Users whose notice may be held back: who came to this table while the process that runs now did (no
        test takes as long as that counts), or pressed or typed something of it lately and has got a private
        page of it by that."""
        state = self.server.world.state
        since = max(self.server.started, state.clock.now() - ACTIVE.total_seconds())
        changes = self.server.stored(
            "select user_id, kind from events where table_id = ? and rowid > ?", self.id, self.server.before
        )
        return {user for user, kind in changes if kind in COMING} | {
            it.user_id
            for it in state.interactions.values()
            if it.created >= since and it.original_ephemeral and self.id in json.dumps(it.data)
        }

    def awaited(self) -> list[int]:
        """Seats whose player has a notice to get now, being away."""
        here = self.at_the_table()
        users = dict(self.server.stored("select seat, user_id from seats where table_id = ?", self.id))
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

    async def ready(self, person: Any) -> tuple[Any, str]:
        """A private page on which one more tap plays a move, and that tap's custom id."""
        board = self.board(person)
        page = (await person.click(board, custom_id=control(board, "move"), stale=True)).message
        for _ in range(12):
            chosen = self.choose(page)
            assert chosen is not None, page.text
            if verb(chosen[1]) in {"play", "act"}:
                return page, chosen[1]
            page = (await self.tap(person, page, chosen)).message
        raise AssertionError("more than twelve taps to a move")

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

    async def shown(self) -> None:
        """Wait until what is stored is on the board and everybody who is away was told."""
        await self.server.until(
            lambda: self.painted() and not self.awaited(), f"table {self.id} painted and nothing owed"
        )


@asynccontextmanager
async def running_server(
    folder: Path,
    *,
    seed: int = 1,
    people: int = 3,
    env: Mapping[str, str] | None = None,
    **options: Any,
) -> AsyncIterator[WireServer]:
    """A running world with the bot in it. At the end every request body must have been well-formed, no
    process may have left a traceback, and every stored table must be sound."""
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240  (before anything runs)
    async with driver.World(**options) as world:
        place = WireServer(world, folder, seed, env)
        place.guild = await world.create_guild("Den")
        place.channel = await world.create_channel(place.guild, "games")
        for name in ("ann", "bob", "cem", "dot", "eve")[:people]:
            place.people.append(await world.create_user(name, place.guild))
        await place.start_bot()
        try:
            yield place
            await place.bot.stop(10.0)
        except BaseException:
            sys.stderr.write("\n".join(bot.log[-4000:] for bot in world.bots))
            raise
        world.assert_clean()
        logged = "\n".join(bot.log for bot in world.bots)
        assert "Traceback" not in logged, logged[max(0, logged.index("Traceback") - 500) :][:6000]
    await sound(folder)


async def sound(folder: Path) -> None:
    """Every stored table is what its record makes it: revisions without gaps, and a legal position that the
    record leads to."""
    with closing(sqlite3.connect(folder / "parlour.db")) as connection:
        ids = [table for (table,) in connection.execute("select id from tables")]
    async with open_rig(folder / "parlour.db") as rig:
        for table in ids:
            entries = await rig.store.entries(table)
            assert [entry.revision for entry in entries] == list(range(1, len(entries) + 1))
            loaded = await rig.tables.load(table)
            assert loaded.table.status is not Status.ASIDE
            assert loaded.table.revision == len(entries)
            if loaded.state is not None:
                assert loaded.state.faults() == []
                assert replay(loaded.table, loaded.events).to_json() == loaded.state.to_json()


async def together(*actions: Any) -> list[Any]:
    return list(await asyncio.gather(*actions))
