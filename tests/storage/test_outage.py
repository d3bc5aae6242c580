"""On either database, each shard has an outage of its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from bot.tables.model import ClockRule, Place, TableId
from bot.tables.outages import EVERY, GRACE, Outages
from bot.tables.ports import Write
from tests.tables.support import ADA, BEN, PLACE, FakeClock, Rig

from .conftest import Opener


async def test_each_shard_has_its_own_outage(open_store: Opener) -> None:
    """Tables in direct messages are the first shard's."""
    clock = FakeClock()
    rig = Rig(await open_store(), clock)
    here = [0, 1]
    outages = Outages(rig.store, clock, lambda: here, shards=2)
    assert await outages.served()
    places = (
        (0, replace(PLACE, guild=2 << 22)),
        (1, replace(PLACE, guild=3 << 22)),
        (0, Place(guild=0, channel=0)),
    )
    lobbies = [(shard, (await rig.tables.open(ADA, place, "fivetotwelve")).table) for shard, place in places]
    here.remove(1)
    for _ in range(2 * GRACE // EVERY):
        clock.advance(EVERY)
        await outages.watch()
    here.append(1)
    await outages.watch()
    for shard, lobby in lobbies:
        now = await rig.tables.table(lobby.id)
        assert lobby.deadline is not None
        assert now.deadline == lobby.deadline + (2 * GRACE if shard == 1 else timedelta(0))


async def test_other_numbers_of_shards_leave_no_outage_behind(open_store: Opener) -> None:
    """The server's shard of two is none of its own while one shard is all there is, and is so again."""
    clock = FakeClock()
    rig = Rig(await open_store(), clock)
    place = replace(PLACE, guild=3 << 22)

    async def serve(shards: int) -> None:
        outages = Outages(rig.store, clock, lambda: range(shards), shards=shards)
        assert await outages.served()
        await outages.leave()

    await serve(2)
    await serve(1)
    clock.advance(2 * GRACE)
    await serve(1)
    lobby = (await rig.tables.open(ADA, place, "fivetotwelve")).table
    await serve(2)
    assert (await rig.tables.table(lobby.id)).deadline == lobby.deadline


async def test_an_outage_in_which_the_number_of_shards_was_changed_counts(open_store: Opener) -> None:
    clock = FakeClock()
    rig = Rig(await open_store(), clock)
    lobbies = [
        (await rig.tables.open(ADA, replace(PLACE, guild=guild << 22), "fivetotwelve")).table
        for guild in (2, 3)
    ]
    assert await Outages(rig.store, clock, lambda: [0], shards=1).served()
    clock.advance(2 * GRACE)
    for shard in ([0], [1]):
        assert await Outages(rig.store, clock, partial(list, shard), shards=2).served()
    for lobby in lobbies:
        assert lobby.deadline is not None
        assert (await rig.tables.table(lobby.id)).deadline == lobby.deadline + 2 * GRACE


async def test_a_change_that_is_under_way_takes_no_moved_time_back(
    open_store: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was made on the table as it was before the outage was noted."""
    clock = FakeClock()
    rig = Rig(await open_store(), clock)
    assert await Outages(rig.store, clock, lambda: [0]).served()
    table = await rig.started(ADA, BEN, clock=ClockRule(7200))
    clock.advance(2 * GRACE)
    write = rig.store.write

    async def later(*writes: Write) -> frozenset[TableId]:
        monkeypatch.undo()
        assert await Outages(rig.store, clock, lambda: [0]).served()
        return await write(*writes)

    monkeypatch.setattr(rig.store, "write", later)
    await rig.play(table.id, ADA)
    waiting, before = (await rig.tables.table(table.id)).seat_of(BEN.id), table.seat_of(BEN.id)
    assert waiting is not None
    assert before is not None
    assert before.deadline is not None
    assert waiting.deadline == before.deadline + 2 * GRACE
