"""A server on the wire double, people in it, and the bot as an unmodified process.

People play by their thumbs: they press what the bot's messages offer. Which of it is chosen by a seeded
generator, so the same town plays the same games as far as the bot's own chance allows.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "discord"

if (SHARED / "wire" / "driver.py").exists():
    sys.path.insert(0, str(SHARED))
    from wire import driver
    from wire.faults import ERRORS  # noqa: F401  (handed on to the tests)

    sys.path.remove(str(SHARED))


def verb(custom_id: str | None) -> str:
    """The act a custom id names; a link has none."""
    if custom_id is None:
        return ""
    return custom_id.split(":", 4)[3] if custom_id.startswith("p") and custom_id.count(":") >= 4 else ""


class Town:
    """world: the double. people: in order of joining. table: the table's id, once one is open."""

    def __init__(self, world: Any, folder: Path, seed: int) -> None:
        self.world, self.folder = world, folder
        self.random = Random(seed)
        self.people: list[Any] = []
        self.bot: Any = None
        self.table = ""
        self.eager = False  # take the first entry of menus (free cells come first): games end sooner
        self.env = {
            "DATA_DIR": str(folder),
            "DATABASE_URL": "",
            "PARLOUR_LOG_LEVEL": "WARNING",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    async def start_bot(self) -> None:
        self.bot = await self.world.start_bot("-m", "bot", "run", cwd=self.folder, env=self.env)

    async def kill_bot(self) -> None:
        """kill -9, and the process is gone."""
        await self.bot.kill()

    async def restart(self) -> None:
        await self.kill_bot()
        await self.start_bot()

    # what is stored, read beside the bot

    def stored(self, query: str, *values: object) -> list[Any]:
        address = f"file:{self.folder / 'parlour.db'}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=10)) as connection:
            return connection.execute(query, values).fetchall()

    def status(self) -> str:
        return str(self.stored("select status from tables where id = ?", self.table)[0][0])

    def revision(self) -> int:
        return int(self.stored("select revision from tables where id = ?", self.table)[0][0])

    def moves(self) -> list[tuple[int, str]]:
        """(seat, move) of every stored decision, in order."""
        rows = self.stored(
            "select payload from events where table_id = ? and not void order by revision", self.table
        )
        events = [event for (payload,) in rows for event in json.loads(payload).get("events", ())]
        return [(event["player"], event["move"]) for event in events if "move" in event]

    # the table

    async def open(self, command: str, players: int, computers: int = 0, **options: object) -> None:
        """Open a table by slash command, let everybody join, start it, and wait for the board."""
        host, *others = self.people[: players - computers]
        opened = await host.slash(self.channel, f"{command} new", players=players, **options)
        assert opened.kind == "message", opened.text
        self.table = opened.message.buttons[0].custom_id.split(":")[1]
        lobby = opened.message
        for person in others:
            answer = await person.click(lobby, custom_id=self.control(lobby, "join"))
            assert answer.acked
        for _ in range(computers):
            answer = await host.click(
                self.fresh(host, lobby), custom_id=self.control(lobby, "add"), stale=True
            )
            assert answer.acked

        def full() -> bool:
            seated = self.stored("select 1 from seats where table_id = ?", self.table)
            start = next(b for b in self.fresh(host, lobby).buttons if verb(b.custom_id) == "start")
            return len(seated) == players and not start.disabled

        await self.world.until(full, 10.0, "a lobby that can start")
        now = self.fresh(host, lobby)
        await host.click(now, custom_id=self.control(now, "start"), stale=True)
        await self.world.until(lambda: self.board(host) is not None, 15.0, "the table message")

    def fresh(self, person: Any, message: Any) -> Any:
        return person.look(message) or message

    @staticmethod
    def control(message: Any, name: str) -> str:
        return next(button.custom_id for button in message.buttons if verb(button.custom_id) == name)

    def places(self) -> list[Any]:
        """The channel and every thread in it."""
        channels = self.world.state.channels.values()
        return [c for c in channels if self.channel.id in (c.id, c.parent_id)]

    def board(self, person: Any) -> Any:
        """The newest message with a `Your move` button that this person sees, or None."""
        for place in reversed(self.places()):
            for message in reversed(person.messages(place)):
                if not message.ephemeral and any(verb(b.custom_id) == "move" for b in message.buttons):
                    return message
        return None

    def choose(self, page: Any) -> tuple[str, str, list[str]] | None:
        """(kind, custom id, values) of something on a private page that leads on to a move."""
        buttons = [b for b in page.buttons if not getattr(b, "disabled", False)]
        confirm = [b for b in buttons if verb(b.custom_id) == "play"]
        if confirm:
            return "click", confirm[0].custom_id, []
        ways = [("click", b.custom_id, []) for b in buttons if verb(b.custom_id) in {"act", "way"}]
        for menu in page.selects:
            if verb(menu.custom_id) == "pick":
                values = [option.value for option in menu.options]
                value = values[0] if self.eager else self.random.choice(values)
                ways.append(("select", menu.custom_id, [value]))
        if not ways:
            return None
        return self.random.choice(ways)

    async def play(self, person: Any, board: Any = None) -> bool:
        """One move by `person`, tap by tap, from `Your move` on `board` (default: the newest). False if it is
        not their turn."""
        board = board or self.board(person)
        if board is None:
            return False
        answer = await person.click(board, custom_id=self.control(board, "move"), stale=True)
        before = len(self.moves())
        for _ in range(12):
            page = answer.message
            if page is None or len(self.moves()) > before:
                break
            chosen = self.choose(page)
            if chosen is None:
                return len(self.moves()) > before
            kind, custom_id, values = chosen
            if kind == "click":
                answer = await person.click(page, custom_id=custom_id, stale=True)
            else:
                answer = await person.select(page, values, custom_id, stale=True)
            assert answer.acked, f"no answer to {custom_id}"
        return len(self.moves()) > before

    channel: Any


@asynccontextmanager
async def town(folder: Path, *, seed: int = 1, people: int = 3, **options: Any) -> AsyncIterator[Town]:
    """A running world with the bot in it; at the end every request body must have been well-formed."""
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240  (before anything runs)
    async with driver.World(**options) as world:
        place = Town(world, folder, seed)
        guild = await world.create_guild("Den")
        place.channel = await world.create_channel(guild, "games")
        for name in ("ann", "bob", "cem", "dot", "eve")[:people]:
            place.people.append(await world.create_user(name, guild))
        await place.start_bot()
        try:
            yield place
        except BaseException:
            sys.stderr.write("\n".join(bot.log[-4000:] for bot in world.bots))
            raise
        world.assert_clean()
        assert "Traceback" not in "".join(bot.log for bot in world.bots)


async def together(*actions: Any) -> list[Any]:
    return list(await asyncio.gather(*actions))
