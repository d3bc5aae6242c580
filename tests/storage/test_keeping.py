"""Several processes at the same tables on one PostgreSQL: who acts, once, also where one dies in between."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Connection, select

from bot.storage import SqlStore, schema
from bot.storage.databases import Postgresql
from bot.storage.neighbours import Neighbours
from bot.tables.keepers import LEASE, WAITING
from bot.tables.model import ClockRule, Place, Table, TableId, shard_of
from bot.tables.ports import Heard
from bot.tables.settle import automatic_seat
from tests.tables.support import ADA, BEN, Rig

from .conftest import Process

pytestmark = pytest.mark.long

GUILDS = {shard: 900_000_000_000_000_000 // 2**23 * 2**23 + (shard << 22) for shard in (0, 1)}
OVER = timedelta(milliseconds=1)


async def killed(rig: Rig) -> None:
    """The process is gone, without a word."""
    store = rig.store
    assert isinstance(store, SqlStore)
    assert store._neighbours is not None
    store._keeps_some = False
    await rig.background.close(0.0)
    await store.close()


async def at(rig: Rig, shard: int, guild: int = 0, **settings: object) -> Table:
    """A running table on a server of this shard. guild: the server."""
    place = Place(guild=guild or GUILDS[shard], channel=5)
    change = await rig.tables.open(ADA, place, "fivetotwelve", **settings)  # type: ignore[arg-type]
    await rig.tables.join(change.table.id, BEN)
    return (await rig.tables.start(change.table.id, ADA)).table


def heard_by(rig: Rig) -> asyncio.Queue[Heard]:
    heard: asyncio.Queue[Heard] = asyncio.Queue()
    rig.tables.keepers.listen(heard.put_nowait)
    return heard


async def keepers(rig: Rig) -> dict[TableId, str]:
    assert isinstance(rig.store, SqlStore)
    rows = await rig.store._rows(select(schema.keepers))
    return {row["table_id"]: row["owner"] for row in rows}


def me(rig: Rig) -> str:
    assert isinstance(rig.store, SqlStore)
    return rig.store._me


async def by_dm(rig: Rig) -> None:
    """Ada is told by direct message when it is her turn."""
    await rig.store.set_user(ADA.id, {"notices": "dm"})


async def orphans(rig: Rig) -> list[TableId]:
    return await rig.store.take_orphans(rig.clock.now() - WAITING, LEASE, 10)


async def pass_time(rig: Rig, time: timedelta) -> None:
    """Of the machines, and of the server, which is told by moving what it has noted the other way."""
    assert isinstance(rig.store, SqlStore)
    rig.clock.advance(time)
    until = schema.keepers.c.until

    def moved(connection: Connection) -> None:
        for table, before in connection.execute(select(schema.keepers.c.table_id, until)).all():
            mine = schema.keepers.c.table_id == table
            connection.execute(schema.keepers.update().where(mine).values(until=before - time))

    await rig.store._database.write(moved)


@pytest.mark.parametrize("guild", [0, 5, GUILDS[0], GUILDS[1], 2**63 - 1, -1])
async def test_the_database_and_the_process_know_the_same_home(guild: int, process: Process) -> None:
    rig = await process(shard_of(guild, 2))
    assert rig.store.is_home(guild)
    table = await at(rig, 0)
    assert isinstance(rig.store, SqlStore)
    await rig.store._database.write(lambda at: at.execute(schema.tables.update().values(guild=guild)))
    assert await rig.tables.keepers.keeps(table.id)


async def test_a_table_is_kept_by_its_home_alone(process: Process) -> None:
    here, there = await process(1), await process(0)
    table = await at(there, 1)
    assert not await there.tables.keepers.keeps(table.id)
    assert await here.tables.keepers.keeps(table.id)
    assert await keepers(here) == {table.id: me(here)}
    await pass_time(here, LEASE / 2)
    assert await here.tables.keepers.keeps(table.id)  # prolonged
    await pass_time(here, LEASE - OVER)
    assert await here.tables.keepers.keeps(table.id)
    await here.store.close()
    assert await keepers(there) == {}


@pytest.mark.parametrize("wrong", [timedelta(hours=1), timedelta(hours=-1)])
async def test_a_machine_whose_clock_is_wrong_takes_no_lease_that_runs_and_waits_for_none_that_ended(
    process: Process, wrong: timedelta
) -> None:
    there, here = await process(0), await process(1)
    await by_dm(here)
    table = await at(here, 1)
    assert await here.tables.keepers.keeps(table.id)
    here.clock.advance(WAITING)
    await killed(here)
    since = there.clock.now() - WAITING
    there.clock.advance(wrong)
    assert await there.store.take_orphans(since, LEASE, 10) == []
    await pass_time(there, LEASE)
    assert await there.store.take_orphans(since, LEASE, 10) == [table.id]


async def test_who_serves_everything_asks_for_no_lease(process: Process) -> None:
    rig = await process(0, 1)
    table = await at(rig, 1)
    assert await rig.tables.keepers.keeps(table.id)
    assert await keepers(rig) == {}


async def test_a_table_whose_home_is_dead_is_taken_over_until_the_home_is_back(process: Process) -> None:
    there, here = await process(0), await process(1)
    await by_dm(here)
    table, public = await at(here, 1), await at(here, 1)
    await here.shown.notified(public.id, ADA.id, 99)
    assert await here.tables.keepers.keeps(table.id)
    there.clock.advance(WAITING)
    assert await orphans(there) == []  # its home lives
    await killed(here)
    assert await orphans(there) == []  # its lease still holds
    await pass_time(there, LEASE)
    assert await orphans(there) == [table.id]
    assert await orphans(there) == []
    assert await there.store.claim(table.id, LEASE)
    back = await process(1)
    assert not await back.tables.keepers.keeps(table.id)
    await pass_time(back, LEASE)
    assert await back.tables.keepers.keeps(table.id)
    assert not await there.tables.keepers.keeps(table.id)


async def test_a_copy_owed_in_direct_messages_is_a_notice_whatever_its_person_chose(process: Process) -> None:
    """Nobody has chosen anything: at a table on a server they are told there, which waits for its home."""
    there, here = await process(1), await process(0)
    change = await here.tables.open(ADA, Place(guild=0, channel=5, code="ABCD2345"), "fivetotwelve")
    await here.tables.join(change.table.id, BEN)
    direct = (await here.tables.start(change.table.id, ADA)).table
    await at(here, 0)
    await killed(here)
    there.clock.advance(WAITING)
    assert await orphans(there) == [direct.id]


async def test_what_its_person_has_put_off_is_not_taken_over(process: Process) -> None:
    """It would be again and again, and others wait."""
    there, here = await process(0), await process(1)
    await by_dm(here)
    snoozed, owed = await at(here, 1), await at(here, 1)
    await here.tables.snooze(snoozed.id, ADA)
    await killed(here)
    there.clock.advance(WAITING)
    assert await orphans(there) == [owed.id]


async def test_who_waits_for_long_takes_nobody_s_turn_to_be_taken_over(process: Process) -> None:
    """A notice may be held back for hours: its table waits again whenever its lease ends."""
    there, here = await process(0), await process(1)
    await by_dm(here)
    made = [(await at(here, 1)).id for _ in range(5)]
    await killed(here)
    there.clock.advance(WAITING)
    found = []
    for _ in range(5):
        found.append(await there.store.take_orphans(there.clock.now() - WAITING, LEASE, 2))
        await pass_time(there, LEASE)
    assert sorted({*found[0], *found[1], *found[2]}) == sorted(made)
    assert sorted({*found[2], *found[3], *found[4]}) == sorted(made)


async def test_however_much_there_is_to_do_a_home_that_is_back_waits_for_one_lease(process: Process) -> None:
    """Who took its table over hears of every change there, and acts while its lease lasts; but it does not
    prolong it. Until then its messages on the server would be painted by nobody."""
    there, here = await process(0), await process(1)
    await by_dm(here)
    table = await at(here, 1)
    await killed(here)
    there.clock.advance(WAITING)
    assert await orphans(there) == [table.id]
    for _ in range(3):
        await pass_time(there, LEASE / 2)
        assert await there.tables.keepers.keeps(table.id)  # its home is dead
    back = await process(1)
    await pass_time(there, LEASE / 2)
    assert not await there.tables.keepers.keeps(table.id)
    await pass_time(there, LEASE / 2)
    assert await back.tables.keepers.keeps(table.id)


async def test_a_home_that_is_back_waits_for_what_is_under_way_and_for_no_more(process: Process) -> None:
    """A call to Discord that was begun for it must not meet the home's own. What is to be done next is the
    home's."""
    there, here = await process(0), await process(1)
    await by_dm(here)
    own, table = await at(here, 0), await at(here, 1)
    await killed(here)
    there.clock.advance(WAITING)
    assert await orphans(there) == [table.id]
    look = there.tables.keepers._look
    async with there.tables.keepers.at_work(own.id), there.tables.keepers.at_work(table.id) as keeps:
        assert keeps
        for _ in range(3):
            await pass_time(there, LEASE * 2 / 3)
            await look()
            assert await there.tables.keepers.keeps(table.id)
        back = await process(1)
        for _ in range(3):
            await pass_time(there, LEASE * 2 / 3)
            await look()
            assert await there.tables.keepers.keeps(own.id)
            assert not await there.tables.keepers.keeps(table.id)
            assert not await back.tables.keepers.keeps(table.id)
    await look()
    await pass_time(there, LEASE)
    assert await back.tables.keepers.keeps(table.id)
    assert await keepers(there) == {own.id: me(there), table.id: me(back)}


def once_after(of: Any, name: str, act: Callable[[], Awaitable[None]]) -> None:
    """That is done when the method has done next what it does, and before its caller hears of it."""
    done = getattr(of, name)

    async def meanwhile(*given: Any) -> Any:
        setattr(of, name, done)
        result = await done(*given)
        await act()
        return result

    setattr(of, name, meanwhile)


@pytest.mark.parametrize("when", ["between two moves", "while it thinks", "while the home plays"])
async def test_a_computer_s_run_ends_where_its_home_is_back_and_no_move_is_lost_or_made_twice(
    process: Process, when: str
) -> None:
    here, there = await process(1), await process(0)
    table = await at(here, 1, computers=2)
    await killed(here)
    there.clock.advance(WAITING)
    assert await orphans(there) == [table.id]
    homes: list[Rig] = []

    async def back() -> None:
        homes.append(await process(1))
        await pass_time(there, LEASE / 2)
        await there.tables.keepers._look()
        if when == "while the home plays":
            await pass_time(there, LEASE)
            await homes[0].computers.run_due()

    if when == "between two moves":
        once_after(there.tables, "automatic_move", back)
    else:
        once_after(there.computers, "_decide", back)
    again = await there.computers._run(table.id)
    [home] = homes
    mine = [change for change in there.told if change.actor is None]
    assert len(mine) == (0 if when == "while the home plays" else 1)
    assert again == (None if when == "while the home plays" else LEASE.total_seconds())
    await pass_time(there, LEASE)
    await home.computers.run_due()
    loaded = await home.tables.load(table.id)
    assert automatic_seat(loaded.table) is None
    assert loaded.state is not None
    assert [seat.index for seat in loaded.table.seats if seat.since] == list(loaded.state.actors())
    entries = await home.store.entries(table.id)
    assert [entry.revision for entry in entries] == list(range(1, len(entries) + 1))
    theirs = [change for change in home.told if change.actor is None]
    assert len(mine) + len(theirs) == 2


async def test_a_computer_plays_on_where_its_home_is_dead(process: Process) -> None:
    here = await process(0)
    table = await at(here, 1, computers=1)
    here.clock.advance(WAITING)
    waits = any(seat.since for seat in (await here.tables.table(table.id)).seats if seat.user is None)
    assert await orphans(here) == ([table.id] if waits else [])
    assert waits


async def test_who_comes_back_at_once_waits_for_no_lease_of_its_own_before(process: Process) -> None:
    here, there = await process(1), await process(0)
    table = await at(there, 1)
    assert await here.tables.keepers.keeps(table.id)
    await killed(here)
    assert await keepers(there) == {table.id: me(here)}
    back = await process(1)
    assert await back.tables.keepers.keeps(table.id)


async def test_orphans_at_which_somebody_is_are_left_for_later(process: Process) -> None:
    here = await process(0)
    await by_dm(here)
    first, second = await at(here, 1), await at(here, 1)
    here.clock.advance(WAITING)
    assert isinstance(here.store, SqlStore)
    assert isinstance(here.store._database, Postgresql)
    async with here.store._database._writer.begin() as connection:
        await connection.execute(
            select(schema.tables.c.id).where(schema.tables.c.id == first.id).with_for_update()
        )
        assert await orphans(here) == [second.id]
    assert await orphans(here) == [first.id]


async def test_two_that_look_for_orphans_share_them(process: Process) -> None:
    one, two = await process(0, count=3), await process(1, count=3)
    await by_dm(one)
    guild = next(guild for guild in range(0, 2**25, 2**22) if shard_of(guild, 3) == 2)
    made = [(await at(one, 2, guild)).id for _ in range(8)]
    one.clock.advance(WAITING)
    found = await asyncio.gather(orphans(one), orphans(two))
    rest = await orphans(one)
    assert sorted([*found[0], *found[1], *rest]) == sorted(made)


async def test_a_deadline_is_its_home_s(process: Process) -> None:
    here, there = await process(1), await process(0)
    table = await at(there, 1, clock=ClockRule(60))
    here.clock.advance(timedelta(seconds=61))
    assert await there.scheduler.next_wake() is None
    done = await asyncio.gather(there.scheduler.run_due(), here.scheduler.run_due())
    assert done[0] == []
    assert done[1] != []
    assert await here.scheduler.run_due() == []
    entries = await here.store.entries(table.id)
    assert [entry.revision for entry in entries] == list(range(1, len(entries) + 1))


async def test_a_change_elsewhere_wakes_the_home_s_computers_and_clock(process: Process) -> None:
    """Ada plays from her direct messages, which arrive at shard 0, at a table of shard 1."""
    here, there = await process(1), await process(0)
    heard, beside = heard_by(here), heard_by(there)
    here.computers.start()
    there.computers.start()
    change = await there.tables.open(
        ADA, Place(GUILDS[1], 5), "fivetotwelve", computers=1, clock=ClockRule(3600)
    )
    await there.tables.start(change.table.id, ADA)
    assert [(await heard.get()).kind for _ in range(2)] == ["open", "start"]
    played = asyncio.Event()
    here.tables.listen(lambda change: played.set())
    table = change.table.id
    while not played.is_set():
        seat = (await there.tables.table(table)).seat_of(ADA.id)
        if seat is not None and seat.since:
            await there.play(table, ADA)
            told = await heard.get()
            assert told.kept
            assert told.actor == ADA.id
            assert told.automatic or told.wake is not None
        else:
            await played.wait()
    assert any(change.actor is None for change in here.told)
    assert all(change.actor is not None for change in there.told)
    assert not (await beside.get()).kept


async def test_what_a_keeper_is_asked_for_reaches_it_and_nobody_acts_twice(process: Process) -> None:
    here, there = await process(1), await process(0)
    await by_dm(there)
    table = await at(there, 1)
    heard = heard_by(here)
    await there.tables.keepers.hand_over(table.id, table.place.guild, ["hands"])
    while (asked := await heard.get()).kind:
        pass  # the changes before
    assert asked == Heard(table.id, True, "", None, True, wanted=frozenset({"hands"}))
    await killed(here)
    await pass_time(there, WAITING + LEASE)
    taken = heard_by(there)
    await there.tables.keepers._look()
    while (await taken.get()).kind != "orphan":
        pass
    back = await process(1)
    await back.tables.keepers.hand_over(table.id, table.place.guild)
    assert (await taken.get()).kept  # as long as the lease holds


async def test_of_a_copy_sent_in_direct_messages_the_others_hear(process: Process) -> None:
    """Somebody may have been answered by them meanwhile."""
    here, there = await process(0), await process(1)
    direct, public = [
        (await here.tables.open(ADA, place, "fivetotwelve")).table
        for place in (Place(guild=0, channel=5, code="ABCD2345"), Place(guild=GUILDS[0], channel=5))
    ]
    heard = heard_by(there)
    for table, message in ((public, 70), (direct, 71)):
        intent, _ = await here.shown.intend(table.id, "hand", 5, user=ADA.id)
        await here.shown.posted(intent, message)
    while (told := await heard.get()).kind != "copy":
        pass
    assert told == Heard(direct.id, False, "copy", None, False)


def words_heard(neighbours: Neighbours) -> asyncio.Event:
    """Set when another process has told it something, and it was seen to."""
    told, heard = neighbours.told, asyncio.Event()

    def listening(words: Sequence[str]) -> None:
        told(words)
        heard.set()

    neighbours.told = listening
    return heard


async def test_settings_are_kept_and_what_another_sets_is_heard_of(process: Process) -> None:
    one, two = await process(0), await process(1)
    assert isinstance(one.store, SqlStore)
    assert one.store._neighbours is not None
    heard = words_heard(one.store._neighbours)
    assert (await one.store.user(5)).notices == "channel"
    assert one.store._users._values[5] == await one.store.user(5)
    await two.store.set_user(5, {"notices": "none"})
    await heard.wait()
    assert (await one.store.user(5)).notices == "none"
    heard.clear()
    assert (await one.store.guild(6)).threads
    await two.store.set_guild(6, {"threads": False})
    await heard.wait()
    assert not (await one.store.guild(6)).threads


async def test_nothing_is_kept_while_nothing_is_heard(process: Process) -> None:
    one, two = await process(0), await process(1)
    assert isinstance(one.store, SqlStore)
    assert one.store._neighbours is not None
    heard = words_heard(one.store._neighbours)
    await one.store.user(5)
    one.store._neighbours.lost()
    assert len(one.store._users._values) == 0
    await two.store.set_user(5, {"notices": "none"})
    assert (await one.store.user(5)).notices == "none"
    await heard.wait()  # what comes while something is read keeps that from being kept
    assert len(one.store._users._values) == 0
    missed: list[str] = []
    one.store.when_others_act(stop=lambda: None, missed=lambda: missed.append("missed"))
    one.store._neighbours.found()
    assert missed == ["missed"]
    await one.store.user(5)
    assert len(one.store._users._values) == 1


async def test_one_process_for_all_shards_keeps_what_it_knows_as_on_sqlite(process: Process) -> None:
    rig = await process(0, 1)
    table = await at(rig, 0)
    assert isinstance(rig.store, SqlStore)
    assert rig.store._known.known(table.id) is not None


async def test_one_process_at_a_time_writes_to_a_person(process: Process) -> None:
    one, two = await process(0), await process(1)
    ours, theirs = one.tables.keepers, two.tables.keepers
    async with (
        ours.alone_with(ADA.id) as first,
        theirs.alone_with(ADA.id) as second,
        theirs.alone_with(BEN.id) as other,
    ):
        assert (first, second, other) == (True, False, True)
    async with theirs.alone_with(ADA.id) as second:
        assert second
        await killed(two)
        async with ours.alone_with(ADA.id) as first:
            assert first


async def test_a_person_of_whom_is_not_known_whether_they_are_held_is_let_go(process: Process) -> None:
    one, two = await process(0), await process(1)
    assert isinstance(one.store, SqlStore)
    neighbours = one.store._neighbours
    assert neighbours is not None
    ask, again = neighbours._driver.fetchval, asyncio.Event()

    async def unanswered(*question: object, **more: object) -> None:
        await ask(*question, **more)
        raise TimeoutError

    neighbours._driver = SimpleNamespace(fetchval=unanswered)
    neighbours.found = again.set
    async with one.tables.keepers.alone_with(ADA.id) as alone:
        assert not alone
    assert neighbours._lost.is_set()
    await again.wait()
    for rig in (two, one):
        async with rig.tables.keepers.alone_with(ADA.id) as alone:
            assert alone
