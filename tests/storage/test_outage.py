"""On either database, each shard has an outage of its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.tables.model import Place
from bot.tables.outages import EVERY, GRACE, Outages
from tests.tables.support import ADA, PLACE, FakeClock, Rig

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
