"""What the store keeps in mind: asked once, never stale, and so few statements a move."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event

from bot.storage import SqlStore
from bot.storage.cache import Cache
from bot.tables.model import Person
from tests.tables.support import ADA, BEN, CLEO, House, house


async def test_a_value_is_read_once_and_changed_with_the_store() -> None:
    cache: Cache[str, int] = Cache(2, alone=True)
    asked: list[str] = []

    async def read() -> int:
        asked.append("read")
        return 1

    assert await cache.get("a", read) == 1
    assert await cache.get("a", read) == 1
    cache.put("a", 2)
    assert await cache.get("a", read) == 2
    cache.drop("a")
    assert await cache.get("a", read) == 1
    assert asked == ["read", "read"]


async def test_where_others_write_too_nothing_is_kept() -> None:
    cache: Cache[str, int] = Cache(2, alone=False)
    values = iter((1, 2))

    async def read() -> int:
        return next(values)

    assert await cache.get("a", read) == 1
    cache.put("b", 5)
    assert cache.known("b") is None
    assert await cache.get("a", read) == 2


async def test_what_was_read_before_a_change_is_not_kept_after_it() -> None:
    cache: Cache[str, int] = Cache(2, alone=True)
    gate: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def slow() -> int:
        return await gate

    old = asyncio.create_task(cache.get("a", slow))
    await asyncio.sleep(0)
    cache.put("a", 2)  # stored while the reading was under way
    gate.set_result(1)
    assert await old == 1
    assert cache.known("a") == 2


async def test_nothing_there_is_not_kept_and_the_least_used_go_first() -> None:
    cache: Cache[str, int] = Cache(2, alone=True)

    async def nothing() -> int | None:
        return None

    assert await cache.get("a", nothing) is None
    for key in "abc":
        cache.put(key, ord(key))
    assert [cache.known(key) for key in "abc"] == [None, ord("b"), ord("c")]


@contextmanager
def statements(store: SqlStore) -> Iterator[list[str]]:
    """The statements that the store gives its database meanwhile."""
    given: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.startswith("BEGIN"):
            given.append(" ".join(statement.split())[:60])

    engines = [store._writer.sync_engine, store._reader.sync_engine]
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    try:
        yield given
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", note)


async def first_move(home: House, table: str, *people: Person) -> None:
    for person in people:
        seat = (await home.tables.table(table)).seat_of(person.id)
        if seat is not None and seat.since:
            state = (await home.tables.load(table)).state
            assert state is not None
            await home.tables.typed(table, person, state.stand_in(seat.index))
            return
    raise AssertionError("nobody is to act")


async def test_a_move_at_a_table_in_mind_asks_nothing_and_takes_four_statements(tmp_path: Path) -> None:
    async with house(tmp_path / "parlour.db") as home:
        assert isinstance(home.store, SqlStore)
        for game in ("fivetotwelve", "topominos", "zatre", "top12"):
            table = (await home.started(ADA, BEN, CLEO, game=game)).id
            await first_move(home, table, ADA, BEN, CLEO)  # from here on all of it is in mind
            await home.tables.view(table, None, last=True)
            for _ in range(6):
                with statements(home.store) as given:
                    await home.tables.view(table, ADA.id)
                    await first_move(home, table, ADA, BEN, CLEO)
                    await home.tables.view(table, BEN.id)
                    await home.tables.view(table, None, last=True)
                assert [one for one in given if one.startswith("SELECT")] == [], game
                assert len(given) <= 4, given
