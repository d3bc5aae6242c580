"""Nobody loses time while nobody could play: what an outage moves, and what it leaves alone."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.storage import SqlStore
from bot.tables.deadlines import LOBBY_TIME
from bot.tables.model import ClockRule, Status, Table, VoteKind
from bot.tables.outages import EVERY, GRACE, MOST, Outages
from bot.tables.scheduler import Scheduler
from tests.tables.support import ADA, BEN, CLEO, PLACE, FakeClock, Rig, open_rig

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


class Life:
    """A rig, and the outages that its process notes. here: the shards that are connected."""

    def __init__(self, rig: Rig, shards: int = 1) -> None:
        self.rig = rig
        self.here: Sequence[int] = range(shards)
        self.outages = Outages(rig.store, rig.clock, lambda: self.here, shards=shards)
        self.told = 0
        self.outages.listen(self._count)

    def _count(self, away: Callable[[int], bool]) -> None:
        assert any(away(guild) for guild in (0, 1 << 22))
        self.told += 1

    async def start(self) -> Life:
        assert await self.outages.served()
        return self

    def scheduler(self) -> Scheduler:
        rig = self.rig
        return Scheduler(
            rig.tables,
            rig.store,
            rig.clock,
            rig.background,
            served=self.outages.served,
            reached=self.outages.reached,
        )

    async def table(self, table: Table) -> Table:
        return await self.rig.tables.table(table.id)

    async def due(self) -> list[str]:
        return [change.kind for change in await self.rig.scheduler.run_due()]


@asynccontextmanager
async def life(path: Path, clock: FakeClock, seed: str = "tables", shards: int = 1) -> AsyncIterator[Life]:
    """A process, killed at the end: nothing is noted by its dying."""
    async with open_rig(path, clock, seed) as rig:
        yield Life(rig, shards)


def path_of(folder: Path) -> Path:
    return folder / "parlour.db"


def clocks(table: Table) -> list[object]:
    """All its times that run."""
    seats = [time for seat in table.seats for time in (seat.opened, seat.deadline)]
    return [*seats, *(vote.until for vote in table.votes), table.deadline]


async def test_what_ran_on_is_moved_on_by_the_length_of_the_outage(tmp_path: Path) -> None:
    clock = FakeClock()
    async with life(path_of(tmp_path), clock) as before:
        await before.start()
        played = await before.rig.started(ADA, BEN, clock=ClockRule(7200))
        played = await before.rig.set_up(played.id, ADA, BEN)
        await before.rig.tables.vote(played.id, ADA, VoteKind.END)
        played = await before.table(played)
        lobby = (await before.rig.tables.open(CLEO, PLACE, "fivetotwelve")).table
        assert lobby.deadline == clock.now() + LOBBY_TIME
        await before.rig.shown.painted(played.id, played.revision)
    clock.advance(30 * HOUR)
    async with life(path_of(tmp_path), clock, "after") as after:
        await after.start()
        assert after.told == 1
        now = await after.table(played)
        assert now.revision == played.revision, "nobody has done anything"
        moved = [time and time + 30 * HOUR for time in clocks(played)]  # type: ignore[operator]
        assert clocks(now) == moved
        assert (await after.table(lobby)).deadline == clock.now() + LOBBY_TIME
        assert set(await after.rig.shown.unpainted()) == {played.id, lobby.id}
        assert await after.due() == [], "nothing is due before its new time"
        assert await after.rig.scheduler.next_wake() == clock.now() + HOUR, "half of the turn's time"
        clock.advance(HOUR)
        assert await after.due() == ["remind"]
        clock.advance(HOUR)
        assert "timeout" in await after.due()


class Killed(Exception):
    """The process, in the middle of it."""


async def test_a_second_start_and_a_crash_in_between_move_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    async with life(path_of(tmp_path), clock) as before:
        await before.start()
        table = await before.rig.started(ADA, BEN, clock=ClockRule(7200))
    clock.advance(HOUR)
    async with life(path_of(tmp_path), clock, "dies") as dying:
        commit = SqlStore._write

        async def dies(store: SqlStore, work: object, then: object = None) -> object:
            def half(connection: object) -> object:
                work(connection)  # type: ignore[operator]
                raise Killed

            return await commit(store, half)

        with monkeypatch.context() as patched:
            patched.setattr(SqlStore, "_write", dies)
            with pytest.raises(Killed):
                await dying.start()
        assert (await dying.table(table)).seats == table.seats
    for again in ("second", "third"):
        async with life(path_of(tmp_path), clock, again) as after:
            await after.start()
            assert after.told == (again == "second")
            deadlines = [seat.deadline for seat in (await after.table(table)).seats]
            assert deadlines == [seat.deadline and seat.deadline + HOUR for seat in table.seats]


@pytest.mark.parametrize(("away", "moved"), [(GRACE - SECOND, False), (GRACE, True)])
async def test_an_outage_within_the_grace_changes_nothing(
    tmp_path: Path, away: timedelta, moved: bool
) -> None:
    """An update, say; what fell due meanwhile is done."""
    clock = FakeClock()
    async with life(path_of(tmp_path), clock) as before:
        await before.start()
        table = await before.rig.started(ADA, BEN, clock=ClockRule(60))
    clock.advance(away)
    async with life(path_of(tmp_path), clock, "after") as after:
        await after.start()
        assert ("timeout" in await after.due()) != moved
        assert after.told == moved
        assert ((await after.table(table)).revision == table.revision) == moved


async def test_what_had_run_out_before_stays_so(tmp_path: Path) -> None:
    """It was due, and the process died before it could be done."""
    clock = FakeClock()
    async with life(path_of(tmp_path), clock) as before:
        await before.start()
        table = await before.rig.started(ADA, BEN, clock=ClockRule(60))
        clock.advance(2 * EVERY + SECOND)
        await before.outages.leave()
    clock.advance(HOUR)
    async with life(path_of(tmp_path), clock, "after") as after:
        await after.start()
        assert (await after.table(table)).seats == table.seats
        assert "timeout" in await after.due()


async def test_a_pause_counts_once(tmp_path: Path) -> None:
    """An outage within it is a part of its length already."""
    clock = FakeClock()
    async with life(path_of(tmp_path), clock) as before:
        await before.start()
        table = await before.rig.started(ADA, BEN, clock=ClockRule(7200))
        for person in (ADA, BEN):
            await before.rig.tables.vote(table.id, person, VoteKind.PAUSE)
        assert (await before.table(table)).status is Status.PAUSED
    clock.advance(3 * HOUR)
    async with life(path_of(tmp_path), clock, "after") as after:
        await after.start()
        clock.advance(HOUR)
        for person in (ADA, BEN):
            await after.rig.tables.vote(table.id, person, VoteKind.RESUME)
        now = await after.table(table)
        assert [seat.deadline for seat in now.seats] == [
            seat.deadline and seat.deadline + 4 * HOUR for seat in table.seats
        ]


async def test_nothing_is_moved_by_more_than_the_longest_turn(tmp_path: Path) -> None:
    """A computer's clock that was years behind is one reason."""
    clock = FakeClock()
    async with life(path_of(tmp_path), clock) as before:
        await before.start()
        table = await before.rig.started(ADA, BEN, clock=ClockRule(7200))
    clock.advance(timedelta(days=700))
    async with life(path_of(tmp_path), clock, "after") as after:
        await after.start()
        deadlines = [seat.deadline for seat in (await after.table(table)).seats]
        assert deadlines == [seat.deadline and seat.deadline + MOST for seat in table.seats]
        assert "timeout" in await after.due()


async def test_a_clock_that_was_set_back_moves_nothing(tmp_path: Path) -> None:
    clock = FakeClock()
    async with life(path_of(tmp_path), clock) as before:
        await before.start()
        table = await before.rig.started(ADA, BEN, clock=ClockRule(7200))
    clock.advance(-HOUR)
    async with life(path_of(tmp_path), clock, "after") as after:
        await after.start()
        assert after.told == 0
        assert (await after.table(table)).seats == table.seats


async def test_what_was_left_of_a_turn_is_kept_across_an_outage(tmp_path: Path) -> None:
    """A turn that is taken back goes on with what it had."""
    clock = FakeClock()
    async with life(path_of(tmp_path), clock) as before:
        await before.start()
        table = await before.rig.started(ADA, BEN, clock=ClockRule(7200), options={"setup": "sorted"})
        actor, _ = await before.rig.whose_turn(table.id, ADA, BEN)
        clock.advance(HOUR / 2)
        await before.outages.leave()
    clock.advance(10 * HOUR)
    async with life(path_of(tmp_path), clock, "after") as after:
        await after.start()
        seat = (await after.table(table)).seat_of(actor.id)
        assert seat is not None
        assert seat.deadline == clock.now() + 1.5 * HOUR
        while (await after.table(table)).seat_of(actor.id).since:  # type: ignore[union-attr]
            await after.rig.play(table.id, actor)
        entries = await after.rig.store.entries(table.id)
        left = [entry.data["left"] for entry in entries if "left" in entry.data]
        assert left[-1][str(seat.index)][1] == 5400.0  # type: ignore[index, call-overload]


async def test_a_set_up_that_waits_is_told_two_minutes_after_the_bot_is_back(tmp_path: Path) -> None:
    """Also without a clock; and it wakes the clock then, not every minute before."""
    clock = FakeClock()
    async with life(path_of(tmp_path), clock) as before:
        await before.start()
        table = await before.rig.started(ADA, BEN, CLEO)
        for person in (ADA, BEN, CLEO):
            for owed in await before.rig.shown.owed_at(table.id):
                await before.rig.shown.notified(table.id, owed.user, owed.seat.due)
            await before.rig.play(table.id, person)
    clock.advance(HOUR)
    async with life(path_of(tmp_path), clock, "after") as after:
        await after.start()
        assert await after.due() == []
        assert await after.rig.scheduler.next_wake() == clock.now() + timedelta(minutes=2)
        clock.advance(timedelta(minutes=2))
        assert await after.due() == ["remind"]


async def test_computers_never_lose_on_time(tmp_path: Path) -> None:
    clock = FakeClock()
    async with life(path_of(tmp_path), clock) as before:
        await before.start()
        table = await before.rig.started(ADA, game="topominos", clock=ClockRule(60), computers=1, options={})
        while not any(seat.since and seat.user is None for seat in table.seats):
            await before.rig.play(table.id, ADA)
            table = await before.table(table)
        assert {seat.deadline for seat in table.seats} == {None}
    for away, told in ((GRACE / 2, 0), (30 * HOUR, 1)):
        clock.advance(away)
        async with life(path_of(tmp_path), clock, f"after {away}") as after:
            await after.start()
            assert after.told == told
            assert await after.due() == []
            assert (await after.table(table)).revision == table.revision
    async with life(path_of(tmp_path), clock, "plays") as after:
        await after.rig.computers.run_due()
        kinds = [entry.kind for entry in await after.rig.store.entries(table.id)]
        assert "timeout" not in kinds
        assert kinds[-1] == "move"


async def test_a_connection_that_was_lost_for_long_counts_as_well(rig: Rig) -> None:
    """The process ran; Discord was out of reach, so nobody could play, and the clock rested."""
    process = await Life(rig).start()
    scheduler = process.scheduler()
    await process.outages.watch()
    table = await rig.started(ADA, BEN, clock=ClockRule(600))
    process.here = ()
    for _ in range(3):
        rig.clock.advance(HOUR)
        await process.outages.watch()
        await scheduler._look()
    assert (await process.table(table)).revision == table.revision, "nobody's time is up"
    process.here = (0,)
    await scheduler._look()
    assert process.told == 1
    now = await process.table(table)
    assert now.revision == table.revision
    assert [seat.deadline for seat in now.seats] == [
        seat.deadline and seat.deadline + 3 * HOUR for seat in table.seats
    ]
    for _ in range(20):
        rig.clock.advance(EVERY)
        await process.outages.watch()
    assert process.told == 1
    await scheduler._look()
    assert (await process.table(table)).revision > table.revision


async def test_nobody_loses_time_at_a_shard_that_is_cut_off_beside_others(rig: Rig) -> None:
    process = await Life(rig, shards=2).start()
    scheduler = process.scheduler()
    tables = []
    for guild in (2, 3):
        place = replace(PLACE, guild=guild << 22)
        table = (await rig.tables.open(ADA, place, "fivetotwelve", clock=ClockRule(600))).table
        await rig.tables.join(table.id, BEN)
        tables.append((await rig.tables.start(table.id, ADA)).table)
    await process.outages.watch()
    process.here = (0,)
    for _ in range(timedelta(seconds=660) // EVERY):
        rig.clock.advance(EVERY)
        await process.outages.watch()
        await scheduler._look()
    played, waits = [(await process.table(table)).revision > table.revision for table in tables]
    assert played
    assert not waits
    process.here = (0, 1)
    await scheduler._look()
    now = await process.table(tables[1])
    assert now.revision == tables[1].revision
    assert now.deadline == rig.clock.now() + timedelta(seconds=600)


async def test_a_computer_that_slept_is_found_out_before_the_clock_acts(rig: Rig) -> None:
    """Whichever of clock and watch wakes first."""
    process = await Life(rig).start()
    scheduler = process.scheduler()
    table = await rig.started(ADA, BEN, clock=ClockRule(600))
    await process.outages.watch()
    rig.clock.advance(8 * HOUR)
    await scheduler._look()
    assert process.told == 1
    assert (await process.table(table)).revision == table.revision


async def test_a_stop_notes_the_moment(tmp_path: Path) -> None:
    clock = FakeClock()
    async with life(path_of(tmp_path), clock) as before:
        await before.start()
        clock.advance(HOUR)
        await before.outages.leave()
    clock.advance(SECOND)
    async with life(path_of(tmp_path), clock, "after") as after:
        await after.start()
        assert after.told == 0


@pytest.mark.sqlite
async def test_damaged_times_are_left_as_they_are(tmp_path: Path) -> None:
    clock, path = FakeClock(), path_of(tmp_path)
    async with life(path, clock) as before:
        await before.start()
        table = await before.rig.started(ADA, BEN, clock=ClockRule(7200))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE seats SET deadline = 'soon'")
        connection.commit()
    clock.advance(HOUR)
    async with life(path, clock, "after") as after:
        await after.start()
        assert after.told == 1
        assert (await after.table(table)).damaged
    with closing(sqlite3.connect(path)) as connection:
        assert set(connection.execute("SELECT deadline FROM seats")) == {("soon",)}
