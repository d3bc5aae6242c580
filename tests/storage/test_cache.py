"""What the store keeps in mind: asked once, never stale, and so few statements a move."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from sqlalchemy import event

from bot.storage import SqlStore
from bot.storage.cache import Cache, Writes
from bot.storage.databases import Database
from bot.tables.model import Person, UserSettings
from bot.tables.ports import Busy
from tests.storage.known import differences
from tests.tables.support import ADA, BEN, CLEO, PLACE, FakeClock, Rig, open_rig, typed

from .conftest import Opener


async def test_a_value_is_read_once_and_changed_with_the_store() -> None:
    cache: Cache[str, int] = Cache(2, Writes(), alone=True)
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
    cache: Cache[str, int] = Cache(2, Writes(), alone=False)
    values = iter((1, 2))

    async def read() -> int:
        return next(values)

    assert await cache.get("a", read) == 1
    cache.put("b", 5)
    assert cache.known("b") is None
    assert await cache.get("a", read) == 2


async def test_what_is_read_while_something_is_written_is_not_kept() -> None:
    """Begun before the write, within it, or over before it is: the reading tells what was or what will be."""
    writes = Writes()
    cache: Cache[str, int] = Cache(2, writes, alone=True)

    async def read() -> int:
        return 5

    async def slow(gate: asyncio.Future[int]) -> int:
        return await gate

    loop = asyncio.get_running_loop()
    for ends_within in (True, False):
        gate: asyncio.Future[int] = loop.create_future()
        old = asyncio.create_task(cache.get("a", partial(slow, gate)))
        await asyncio.sleep(0)
        with writes:
            if ends_within:
                gate.set_result(1)
                assert await old == 1
            assert await cache.get("b", read) == 5
            assert cache.known("b") is None
        if not ends_within:
            gate.set_result(1)
            assert await old == 1
        assert cache.known("a") is None
    assert await cache.get("a", read) == 5
    assert cache.known("a") == 5


class Late:
    """A database whose writer hears late that its transaction is over: others can read it by then."""

    def __init__(self, database: Database) -> None:
        self.database, self.read, self.settled = database, database.read, database.settled
        self.stored = asyncio.Event()
        self.heard = asyncio.Event()

    async def write(self, work: Any) -> Any:
        result = await self.database.write(work)
        self.stored.set()
        await self.heard.wait()
        return result


@asynccontextmanager
async def held_write(store: SqlStore, write: Coroutine[Any, Any, Any]) -> AsyncIterator[asyncio.Task[Any]]:
    """Meanwhile that write is stored and its writer has not heard of it. Others' are as ever."""
    late, database = Late(store._database), store._database
    store._database = late  # type: ignore[assignment]
    writing = asyncio.create_task(write)
    try:
        stored = asyncio.create_task(late.stored.wait())
        await asyncio.wait({writing, stored}, return_when=asyncio.FIRST_COMPLETED)
        assert not writing.done(), writing.exception()
        store._database = database
        yield writing
    finally:
        late.heard.set()
        store._database = database
        await writing


class Turns(asyncio.Semaphore):
    """wanted: whether somebody has come who must wait for their turn."""

    def __init__(self, of: asyncio.Semaphore) -> None:
        super().__init__(of._value)
        self.wanted = asyncio.Event()

    async def acquire(self) -> Literal[True]:
        if self.locked():
            self.wanted.set()
        return await super().acquire()


async def test_what_is_stored_meanwhile_is_not_forgotten_by_who_hears_late(open_store: Opener) -> None:
    """Where a message lies was stored, and then that somebody has joined. Who heard of the first after the
    second took the table for what it was before."""
    store = await open_store(count=1)
    rig = Rig(store, FakeClock())
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table
    await store.load(table.id)
    turns = store._writers = Turns(store._writers)
    placed = store.mark_placed(table.id, {"lobby_message": 77}, rig.clock.now())
    async with held_write(store, placed):
        joining = asyncio.create_task(rig.tables.join(table.id, BEN))
        waiting = asyncio.create_task(turns.wanted.wait())
        await asyncio.wait({joining, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    await joining
    stored = await store.load(table.id)
    assert stored is not None
    assert stored.table.place.lobby_message == 77
    assert stored.table.seat_of(BEN.id) is not None
    assert await differences(store) == []
    await rig.tables.close()


async def test_what_many_store_at_once_is_known_as_it_is_stored(open_store: Opener) -> None:
    store = await open_store(count=1)
    rig = Rig(store, FakeClock())
    for _ in range(5):
        table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table
        now = rig.clock.now()
        await asyncio.gather(
            *(store.mark_placed(table.id, {"lobby_message": message}, now) for message in range(70, 75)),
            *(rig.tables.join(table.id, person) for person in (BEN, CLEO)),
            *(store.mark_hand(table.id, ADA.id, 5, message, now) for message in range(80, 85)),
            *(store.mark_painted(table.id, revision) for revision in (1, 2)),
        )
        assert store._known.known(table.id) is not None
        assert await differences(store) == []
    await rig.tables.close()


@pytest.mark.parametrize("whole", [False, True], ids=["entries", "all"])
async def test_who_reads_a_change_before_its_writer_hears_of_it_confuses_nothing(
    tmp_path: Path, whole: bool
) -> None:
    """A snapshot then compared what was known with what was kept too soon, for ever; or an entry was kept
    twice."""
    async with open_rig(tmp_path / "parlour.db") as rig:
        store = rig.store
        assert isinstance(store, SqlStore)
        table = await rig.started(ADA, BEN)
        move = await rig.first_legal(table.id, ADA)
        store.forget() if whole else store._entries.clear()
        async with held_write(store, rig.tables.move(table.id, ADA, move, table.revision)) as moving:
            assert (await store.entries(table.id))[-1].revision == table.revision + 1
            seen = asyncio.create_task(rig.tables.load(table.id))
            for _ in range(20):
                await asyncio.sleep(0)
        change = await moving
        assert (await seen).table.revision == change.table.revision
        revisions = [entry.revision for entry in await store.entries(table.id)]
        assert revisions == list(range(1, change.table.revision + 1))
        assert await differences(store) == []


async def test_a_row_and_entries_that_never_agree_are_not_compared_for_ever(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_rig(tmp_path / "parlour.db") as rig:
        store = rig.store
        assert isinstance(store, SqlStore)
        table = await rig.started(ADA, BEN)
        move = await rig.first_legal(table.id, ADA)
        store._entries.clear()
        async with held_write(store, rig.tables.move(table.id, ADA, move, table.revision)):
            with pytest.raises(Busy):
                await asyncio.wait_for(rig.tables.load(table.id), 10.0)
        assert caplog.messages == [f"table {table.id}: its row and its entries are not of one revision"]
        assert (await rig.tables.view(table.id, None, recap=True)).table.revision == table.revision + 1


async def test_settings_are_kept_while_tables_are_written_and_the_reverse(tmp_path: Path) -> None:
    async with open_rig(tmp_path / "parlour.db") as rig:
        store = rig.store
        assert isinstance(store, SqlStore)
        table = await rig.started(ADA, BEN)
        move = await rig.first_legal(table.id, ADA)
        store.forget()
        async with held_write(store, rig.tables.move(table.id, ADA, move, table.revision)):
            settings = [await store.user(ADA.id) for _ in range(3)]
            servers = [await store.guild(PLACE.guild) for _ in range(3)]
            assert store._users.known(ADA.id) is settings[0]
            assert store._guilds.known(PLACE.guild) is servers[0]
            assert store._entries.known(table.id) is None
        store.forget()
        for written in (store.set_user(ADA.id, {"language": "de"}), store.set_guild(PLACE.guild, {})):
            async with held_write(store, written):
                assert (await store.user(BEN.id), store._users.known(BEN.id)) == (UserSettings(BEN.id), None)
                await store.guild(PLACE.guild)
                assert store._guilds.known(PLACE.guild) is None
                found = await store.load(table.id)
                assert found is not None
                assert store._known.known(table.id) is found
        assert (await store.user(ADA.id)).language == "de"
        assert await differences(store) == []


async def test_what_began_to_be_read_before_all_was_settled_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something that was given up may be stored in the midst of it."""
    store = await SqlStore.open(f"sqlite+aiosqlite:///{tmp_path / 'parlour.db'}")
    database = store._database
    read, begun, may = database.read, asyncio.Event(), asyncio.Event()
    over = iter((False, True))

    async def settle() -> bool:
        settled = next(over)
        monkeypatch.setattr(database, "settled", settled)
        return settled

    async def slowly(work: Any) -> Any:
        found = await read(work)
        if not begun.is_set():
            begun.set()
            await may.wait()
        return found

    monkeypatch.setattr(database, "settled", False, raising=False)
    monkeypatch.setattr(database, "settle", settle)
    monkeypatch.setattr(database, "read", slowly)
    reading = asyncio.create_task(store.user(BEN.id))
    await begun.wait()
    await store.user(CLEO.id)
    may.set()
    await reading
    assert store._users.known(BEN.id) is None
    await store.user(BEN.id)
    assert store._users.known(BEN.id) is not None
    await store.close()


async def test_nothing_there_is_not_kept_and_the_least_used_go_first() -> None:
    cache: Cache[str, int] = Cache(2, Writes(), alone=True)

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
            given.append(" ".join(statement.split()))

    engines = store._database.engines
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    try:
        yield given
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", note)


async def first_move(rig: Rig, table: str, *people: Person) -> None:
    for person in people:
        seat = (await rig.tables.table(table)).seat_of(person.id)
        if seat is not None and seat.since:
            state = (await rig.tables.load(table)).state
            assert state is not None
            await typed(rig.tables, table, person, state.stand_in(seat.index))
            return
    raise AssertionError("nobody is to act")


async def test_a_move_at_a_table_in_mind_asks_nothing_and_takes_four_statements(tmp_path: Path) -> None:
    async with open_rig(tmp_path / "parlour.db") as rig:
        assert isinstance(rig.store, SqlStore)
        for game in ("fivetotwelve", "topominos", "zatre", "top12"):
            table = (await rig.started(ADA, BEN, CLEO, game=game)).id
            await first_move(rig, table, ADA, BEN, CLEO)  # from here on all of it is in mind
            await rig.tables.view(table, None, recap=True)
            for _ in range(6):
                with statements(rig.store) as given:
                    await rig.tables.view(table, ADA.id, recap=True)
                    await first_move(rig, table, ADA, BEN, CLEO)
                    await rig.tables.view(table, BEN.id, recap=True)
                    await rig.tables.view(table, None, recap=True)
                assert [one for one in given if one.startswith("SELECT")] == [], game
                assert len(given) <= 4, given


async def test_a_move_writes_nothing_that_an_index_of_people_or_servers_has(tmp_path: Path) -> None:
    """SQLite would look for the entry there and log its page, though it stays as it is."""
    async with open_rig(tmp_path / "parlour.db") as rig:
        assert isinstance(rig.store, SqlStore)
        table = (await rig.started(ADA, BEN)).id
        with statements(rig.store) as given:
            await first_move(rig, table, ADA, BEN)
        changes = [one.partition(" WHERE ")[0] for one in given if one.startswith("UPDATE")]
        assert {one.split()[1] for one in changes} >= {"tables", "seats"}
        assert [one for one in changes if " status=" in one or " user_id=" in one] == []
