"""What the bench of tables measures: a process that opens a store, does what the bot does first, and in which
people play.

`python -m bot.bench.tables.process ADDRESS`. One line is asked (`start`, `look N`, `move`), one line of JSON
is the answer; it ends with its input.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import time
from collections import deque
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, cast

from bot.background import Background
from bot.bench.databases import bare_address
from bot.bench.games import Games
from bot.bench.lag import Lag
from bot.discord_io import DiscordIO
from bot.storage import SqlStore
from bot.tables.computers import ComputerPlayers
from bot.tables.model import Seen, TableId, UserId
from bot.tables.scheduler import Scheduler
from bot.tables.shown import Shown
from bot.tables.taps import Played
from cogs.delivery.repaints import Repaints


class Server:
    """The database at `address`."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._random = Random("bench tables")
        self._store: SqlStore | None = None
        self._games: Games | None = None
        self._background = Background()
        self._lag = Lag()
        self._beside = sqlite3.connect(f"file:{bare_address(address)}?mode=ro", uri=True)
        self._beside.execute("PRAGMA cache_size = -64")  # it is not what is measured
        found = self._beside.execute("SELECT id FROM tables ORDER BY id")
        self._tables: list[TableId] = [table for (table,) in found]
        self._looking: deque[tuple[TableId, UserId]] = deque()

    async def start(self) -> dict[str, Any]:
        """As the client does it: `bot.client.Parlour.setup_hook` and `on_ready`."""
        await self.close()
        self._lag.start()
        self._lag.take()
        begun = time.perf_counter()
        store = self._store = await SqlStore.open(self._address)
        games = self._games = Games(store, "bench tables")
        shown = Shown(store, games.clock, games.entropy)
        self._background = Background()
        # Nobody attends: what is marked is not painted.
        nowhere = cast(DiscordIO, None)
        repaints = Repaints(games.tables, shown, nowhere, games.clock, self._background, pace=1.0)
        computers = ComputerPlayers(games.tables, games.clock, self._background)
        scheduler = Scheduler(games.tables, store, games.clock, self._background)
        await repaints.sweep()
        computers.start()
        await scheduler.run_due()
        await scheduler.next_wake()
        return self._told(starts=[time.perf_counter() - begun])

    async def look(self, tables: int) -> dict[str, Any]:
        """At so many different tables, any of them all, as somebody does who is to act there. There they move
        next."""
        assert self._games is not None
        looks: list[float] = []
        self._lag.take()
        for table in self._random.sample(self._tables, tables):
            user = self._to_act(table)
            begun = time.perf_counter()
            await self._games.tables.view(table, user, recap=True)
            looks.append(time.perf_counter() - begun)
            self._looking.append((table, user))
        return self._told(looks=looks)

    async def move(self) -> dict[str, Any]:
        """By who has looked first of those who have not moved since. A move goes the way of a tap."""
        assert self._games is not None
        self._lag.take()
        table, user = self._looking.popleft()
        person, move, revision = await self._games.move_of(table, user)
        resolve = partial(_meant, Played(move))
        begun = time.perf_counter()
        await self._games.tables.tap(table, person, revision, resolve)
        return self._told(moves=[time.perf_counter() - begun])

    def _to_act(self, table: TableId) -> UserId:
        """Looked up beside the store, which knows nothing more of the table by it."""
        found = self._beside.execute(
            "SELECT user_id FROM seats WHERE table_id = ? AND since > 0 ORDER BY seat LIMIT 1", (table,)
        )
        return int(found.fetchone()[0])

    def _told(self, **lists: list[float]) -> dict[str, Any]:
        nothing: dict[str, Any] = {name: [] for name in ("starts", "looks", "moves")}
        return nothing | lists | {"lags": self._lag.take(), "memory": resident()}

    async def close(self) -> None:
        self._lag.stop()
        await self._background.close(0.0)
        if self._games is not None:
            await self._games.tables.close()
        if self._store is not None:
            await self._store.close()
        self._lag = Lag()


def _meant(move: Played, _: Seen) -> Played:
    """What a button stands for that says it all."""
    return move


def resident() -> int:
    """Bytes of memory that this process has."""
    status = Path("/proc/self/status").read_text("ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024


async def main(address: str) -> None:
    served = Server(address)
    try:
        while asked := (await asyncio.to_thread(sys.stdin.readline)).split():
            match asked:
                case ["look", tables]:
                    told = await served.look(int(tables))
                case ["move"]:
                    told = await served.move()
                case _:
                    told = await served.start()
            print(json.dumps(told), flush=True)
    finally:
        await served.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
