"""A table service on a real store in a file, with a clock that stands still and chance from a seed."""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import text

from bot.background import Background
from bot.storage import SqlStore
from bot.tables.computers import ComputerPlayers
from bot.tables.model import Change, Owed, Person, Place, Table, TableId
from bot.tables.ports import Store
from bot.tables.scheduler import Scheduler
from bot.tables.service import Tables
from bot.tables.shown import Shown
from bot.tables.taps import Played
from tests.storage.known import differences

START = datetime(2027, 3, 1, 12, tzinfo=UTC)
PLACE = Place(guild=900_000_000_000_000_001, channel=900_000_000_000_000_002)
ADA, BEN, CLEO, DAN, EVE = (
    Person(100_000_000_000_000_000 + number, name)
    for number, name in enumerate(("Ada", "Ben", "Cleo", "Dan", "Eve"))
)


class FakeClock:
    """Time moves when told to, and wakes who slept until then."""

    def __init__(self, now: datetime = START) -> None:
        self._now = now
        self._sleepers: list[tuple[datetime, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> datetime:
        return self._now

    async def sleep_until(self, when: datetime) -> None:
        if when <= self._now:
            await asyncio.sleep(0)
            return
        self._count += 1
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (when, self._count, future))
        await future

    @property
    def next_sleeper(self) -> datetime | None:
        """Until when the earliest who still sleeps wants to."""
        times = [when for when, _, future in self._sleepers if not future.done()]
        return min(times, default=None)

    def advance(self, by: timedelta) -> None:
        self._now += by
        while self._sleepers and self._sleepers[0][0] <= self._now:
            _, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                future.set_result(None)


class SeededEntropy:
    """64 hexadecimal digits after another, the same for the same seed."""

    def __init__(self, seed: str = "tables") -> None:
        self._seed = seed
        self._count = 0

    def __call__(self) -> str:
        self._count += 1
        return hashlib.sha256(f"{self._seed}:{self._count}".encode()).hexdigest()


class Rig:
    """Everything a table needs, and what was told."""

    def __init__(self, store: Store, clock: FakeClock, seed: str = "tables") -> None:
        self.store = store
        self.clock = clock
        self.tables = Tables(store, clock, SeededEntropy(seed))
        self.shown = Shown(store, clock, SeededEntropy(f"{seed} purposes"))
        self.told: list[Change] = []
        self.tables.listen(self.told.append)
        self.background = Background()
        self.computers = ComputerPlayers(self.tables, clock, self.background)
        self.scheduler = Scheduler(self.tables, store, clock, self.background)

    async def started(
        self, *people: Person, game: str = "fivetotwelve", agreed: bool = False, **settings: object
    ) -> Table:
        """A running table with these people; the first is its host. agreed: to hints, each as they come."""
        change = await self.tables.open(people[0], PLACE, game, **settings)  # type: ignore[arg-type]
        for person in people:
            if person is not people[0]:
                await self.tables.join(change.table.id, person)
            if agreed:
                await self.tables.agree(change.table.id, person, True)
        return (await self.tables.start(change.table.id, people[0])).table

    async def first_legal(self, table: str, person: Person) -> str:
        """The first legal move of the person's seat."""
        loaded = await self.tables.load(table)
        seat = loaded.table.seat_of(person.id)
        assert loaded.state is not None
        assert seat is not None
        return loaded.state.legal(seat.index)[0]

    async def play(self, table: str, person: Person) -> Change:
        """The person plays their first legal move."""
        revision = (await self.tables.table(table)).revision
        return await self.tables.move(table, person, await self.first_legal(table, person), revision)

    async def set_up(self, table: str, *people: Person) -> Table:
        """Everybody lays their set-up tiles; returns the table at the first turn."""
        while True:
            loaded = await self.tables.load(table)
            assert loaded.state is not None
            if loaded.state.phase() != "set-up" and len(loaded.state.actors()) == 1:
                return loaded.table
            for person in people:
                seat = loaded.table.seat_of(person.id)
                if seat is not None and seat.since:
                    await self.play(table, person)
                    break

    async def whose_turn(self, table: str, *people: Person) -> tuple[Person, list[Person]]:
        """Who is to act alone, and the others."""
        [seat] = (await self.tables.table(table)).to_act
        [actor] = [person for person in people if person.id == seat.user]
        return actor, [person for person in people if person is not actor]


async def typed(tables: Tables, table: TableId, person: Person, text: str) -> Change:
    """A typed move with its yes."""
    tapped = await tables.tap(table, person, None, lambda seen: Played(text, written=True))
    assert tapped.change is not None
    return tapped.change


@contextmanager
def behind_its_back(store: Store, path: Path) -> Iterator[sqlite3.Connection]:
    """The database file, to be written to as nobody does while a process has it; the store asks anew."""
    with closing(sqlite3.connect(path)) as connection:
        yield connection
        connection.commit()
    assert isinstance(store, SqlStore)
    store.forget()


async def address_of(path: Path) -> str:
    """The database that a test calls by this file's name: that file, or where tests run on PostgreSQL one of
    its own there (`conftest.database`)."""
    return f"sqlite+aiosqlite:///{path}"


async def damage(rig: Rig, statement: str, **values: object) -> None:
    """Change what is stored behind the service's back."""
    assert isinstance(rig.store, SqlStore)
    await rig.store._database.write(lambda connection: connection.execute(text(statement), values))
    rig.store.forget()


async def all_owed(shown: Shown) -> list[Owed]:
    """All notices not sent yet, of tables where one is not held back."""
    tables = await shown.owed_tables(timedelta(0), 100)
    return [due for table in tables for due in await shown.owed_at(table)]


@asynccontextmanager
async def open_rig(
    path: Path | str, clock: FakeClock | None = None, seed: str = "tables"
) -> AsyncIterator[Rig]:
    """A rig on the database of that address, or called by that file's name, closed at the end."""
    store = await SqlStore.open(path if isinstance(path, str) else await address_of(path))
    opened = Rig(store, clock or FakeClock(), seed)
    try:
        yield opened
        await opened.background.close(0.0)
        await opened.tables.close()
        assert await differences(store) == []
    finally:
        await opened.background.close(0.0)
        await opened.tables.close()
        await store.close()
