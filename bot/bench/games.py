"""Tables at which people play at random, straight through `Tables`: the same ones in every run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

from bot.rules.chance import Generator
from bot.rules.registry import game as rules_of
from bot.tables.model import Change, Person, Place, Status, Table, TableId, UserId
from bot.tables.ports import Store
from bot.tables.service import Tables

BEGUN = datetime(2027, 3, 1, 12, tzinfo=UTC)
FIRST_PERSON = 100_000_000_000_000_000
PLACE = Place(guild=900_000_000_000_000_001, channel=900_000_000_000_000_002)


class Ticking:
    """A clock on which every look is a second later."""

    def __init__(self) -> None:
        self._now = BEGUN

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now

    async def sleep_until(self, when: datetime) -> None:
        self._now = max(self._now, when)


def seeded(seed: str) -> Callable[[], str]:
    """64 hexadecimal digits after another."""
    numbers = count()
    return lambda: hashlib.sha256(f"{seed} {next(numbers)}".encode()).hexdigest()


class Games:
    """tables: the service on that store, with this clock and entropy."""

    def __init__(self, store: Store, seed: str) -> None:
        self.clock, self.entropy = Ticking(), seeded(seed)
        self.tables = Tables(store, self.clock, self.entropy)
        self._chance = Generator(seed, "moves")
        self._people = count(FIRST_PERSON)

    async def begun(self, game: str, people: int, place: Place = PLACE) -> Table:
        """A running table with people of its own."""
        numbers = [next(self._people) for _ in range(people)]
        host, *others = (Person(number, f"Player {number % 1000}") for number in numbers)
        opened = await self.tables.open(host, place, game, people=people)
        for person in others:
            await self.tables.join(opened.table.id, person)
        return (await self.tables.start(opened.table.id, host)).table

    async def play(self, table: TableId) -> Change | None:
        """One move by somebody who may act there; None at the end."""
        found = await self.tables.table(table)
        if found.status is not Status.PLAYING:
            return None
        seat = self._chance.choice(found.to_act)
        assert seat.user is not None
        return await self.tables.move(table, *await self.move_of(table, seat.user))

    async def move_of(self, table: TableId, user: UserId) -> tuple[Person, str, int]:
        """Who may act there, a move of theirs, and the revision that it is for."""
        loaded = await self.tables.load(table)
        seat = loaded.table.seat_of(user)
        assert seat is not None and loaded.state is not None
        move = loaded.state.random_move(seat.index, self._chance)
        return Person(user, seat.name), move, loaded.table.revision


def fewest(game: str) -> int:
    """People at its smallest table, at least two."""
    return max(2, rules_of(game).min_seats)
