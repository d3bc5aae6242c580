"""Several processes write to one database: a change is made without looking first, and finds out by itself
whether the table is still the one that was loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from bot.storage import SqlStore
from bot.tables.model import ClockRule, Table, VoteKind
from bot.tables.ports import RevisionTaken, Write
from tests.sweeps import swept
from tests.tables.support import ADA, BEN, PLACE, Rig

from .conftest import Process
from .test_cache import statements

HOUR = timedelta(hours=1)


def once_before(rig: Rig, act: Callable[[], Awaitable[object]]) -> list[str]:
    """Before the process's next change is stored, and after all was loaded for it, that is done. What came of
    this and each later try to store one."""
    store: Any = rig.store
    write = store.write
    came: list[str] = []

    async def meanwhile(*given: Write) -> Any:
        if not came:
            await act()
        try:
            freed = await write(*given)
        except RevisionTaken:
            came.append("refused")
            raise
        came.append("stored")
        return freed

    store.write = meanwhile
    return came


async def moves(rig: Rig, table: Table) -> Table:
    """Whoever is to act, for the other rig too."""
    person = ADA if table.seats[0].since else BEN
    return (await rig.play(table.id, person)).table


async def test_a_move_is_stored_without_a_look_at_the_table(process: Process) -> None:
    rig = await process(0)
    store = rig.store
    assert isinstance(store, SqlStore)
    table = await rig.started(ADA, BEN)
    write, given = store.write, []

    async def counted(*changes: Write) -> Any:
        with statements(store) as some:
            freed = await write(*changes)
        given.append(some)
        return freed

    store.write = counted  # type: ignore[method-assign]
    for _ in range(3):
        table = await moves(rig, table)
    for some in given:
        assert [one.split()[0] for one in some if "pg_notify" not in one] == [
            "UPDATE",
            "INSERT",
            "UPDATE",
            "DELETE",
            "UPDATE",
        ], some


async def test_of_two_that_were_loaded_alike_one_is_stored(process: Process) -> None:
    one, other = await process(0), await process(1)
    table = await one.started(ADA, BEN)
    came = once_before(one, partial(other.tables.vote, table.id, BEN, VoteKind.PAUSE))
    after = await moves(one, table)
    assert came == ["refused", "stored"]
    assert after.revision == table.revision + 2
    entries = await one.store.entries(table.id)
    assert [entry.revision for entry in entries] == list(range(1, after.revision + 1))
    assert (await other.tables.table(table.id)).votes == after.votes != ()


@pytest.mark.parametrize(
    "running", swept(["a turn's time", "a turn without limit", "a question", "a lobby"], daily=2)
)
async def test_a_change_of_a_table_whose_times_were_moved_meanwhile_is_made_anew(
    process: Process, running: str
) -> None:
    one, other = await process(0), await process(1)
    if running == "a lobby":
        table = (await one.tables.open(ADA, PLACE, "fivetotwelve")).table
    else:
        clock = ClockRule(86400) if running == "a turn's time" else ClockRule(None)
        table = await one.started(ADA, BEN, clock=clock)
    if running == "a question":
        await one.tables.vote(table.id, ADA, VoteKind.END)
    home = [0] if one.store.is_home(PLACE.guild) else [1]
    least, most = timedelta(minutes=5), timedelta(days=30)
    await one.store.serve(home, 2, one.clock.now(), least, most)
    one.clock.advance(HOUR)
    before = await one.tables.table(table.id)
    came = once_before(one, partial(other.store.serve, home, 2, one.clock.now(), least, most))
    if running == "a lobby":
        await one.tables.join(table.id, BEN)
    else:
        await one.tables.pass_host(table.id, ADA, BEN.id)
    assert came == ["refused", "stored"]
    after = await one.tables.table(table.id)
    assert after.revision == before.revision + 1
    if running == "a lobby":
        assert before.deadline is not None
        assert after.deadline is not None
        assert after.deadline >= before.deadline + HOUR
    for seat, old in zip(after.seats, before.seats, strict=False):
        assert (seat.opened, seat.deadline) == (
            old.opened and old.opened + HOUR,
            old.deadline and old.deadline + HOUR,
        )
    assert [vote.until for vote in after.votes] == [vote.until + HOUR for vote in before.votes]


async def test_marks_made_meanwhile_stay(process: Process) -> None:
    """And a notice is put off no longer once another is due."""
    one, other = await process(0), await process(1)
    table = await one.started(ADA, BEN)
    until = one.clock.now() + HOUR

    async def marked() -> None:
        store = other.store
        for person in (ADA, BEN):
            await store.mark_hand(table.id, person.id, 50, 500 + person.id % 10, one.clock.now())
            seat = (await other.tables.table(table.id)).seat_of(person.id)
            assert seat is not None
            await store.mark_held(table.id, person.id, seat.due, until)
        await store.mark_painted(table.id, table.revision)
        await store.mark_placed(table.id, {"table_message": 77}, one.clock.now())

    came = once_before(one, marked)
    await moves(one, table)
    assert came == ["stored"]
    after = await other.tables.table(table.id)
    assert (after.painted, after.place.table_message) == (table.revision, 77)
    for seat, before in zip(after.seats, table.seats, strict=True):
        assert (seat.hand_channel, seat.hand_message) == (50, 500 + (seat.user or 0) % 10)
        assert (seat.due, seat.held) == (before.due, until), "the same is due to them"
    await moves(one, after)
    again = await other.tables.table(table.id)
    assert all(seat.due != before.due for seat, before in zip(again.seats, after.seats, strict=True))
    assert [seat.held for seat in again.seats] == [None, None]


async def test_the_private_message_that_who_leaves_got_meanwhile_has_to_go(process: Process) -> None:
    one, other = await process(0), await process(1)
    table = (await one.tables.open(ADA, PLACE, "fivetotwelve")).table.id
    await one.tables.join(table, BEN)
    marked = partial(other.store.mark_hand, table, BEN.id, 50, 500, one.clock.now())
    came = once_before(one, marked)
    await one.tables.leave(table, BEN)
    assert came == ["stored"]
    [left] = await other.store.posts(table)
    assert (left.channel, left.message) == (50, 500)


async def test_many_who_change_one_table_at_once_all_do_in_turn(process: Process) -> None:
    rigs = [await process(shard) for shard in (0, 1)]
    table = await rigs[0].started(ADA, BEN)
    hosts = [rigs[n % 2].tables.set_user(ADA.id, quick=bool(n % 2)) for n in range(4)]
    votes = [
        rig.tables.vote(table.id, person, VoteKind.PAUSE)
        for rig, person in zip(rigs, (ADA, BEN), strict=True)
    ]
    await asyncio.gather(*hosts, *votes)
    after = await rigs[1].tables.table(table.id)
    entries = await rigs[1].store.entries(table.id)
    assert [entry.revision for entry in entries] == list(range(1, after.revision + 1))
    assert after.revision == table.revision + 2
