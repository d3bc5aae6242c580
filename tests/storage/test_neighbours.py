"""Several processes on one PostgreSQL: who holds which shards, and how they are handed over."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.locale import text
from bot.storage import SqlStore, neighbours
from bot.tables.ports import OneProcess, ShardsCounted, ShardsHeld
from tests.postgresql import fresh_database


async def test_sqlite_serves_all_shards_or_none(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'parlour.db'}"
    with pytest.raises(OneProcess) as refused:
        await SqlStore.open(url, shards=(0, 1), count=4)
    assert "PostgreSQL" in text("en", refused.value.key)
    whole = await SqlStore.open(url, shards=(0, 1), count=2)
    await whole.close()


@pytest.mark.long
async def test_a_shard_that_another_holds_is_refused_and_named(postgresql: str) -> None:
    url = await fresh_database(postgresql, "held")
    store = await SqlStore.open(url, shards=(0, 1), count=4)
    with pytest.raises(ShardsHeld) as refused:
        await SqlStore.open(url, shards=(1, 2), count=4)
    assert "database: 1." in text("en", refused.value.key, **refused.value.data)
    with pytest.raises(ShardsCounted) as refused_count:
        await SqlStore.open(url, shards=(5,), count=6)
    assert "SHARD_COUNT (4)" in text("en", refused_count.value.key, **refused_count.value.data)
    with pytest.raises(ShardsCounted):  # though others hold it too: that they are to stop would mislead
        await SqlStore.open(url, shards=(1,), count=6)
    other = await SqlStore.open(url, shards=(2, 3), count=4)
    await other.close()
    await store.close()
    again = await SqlStore.open(url, shards=(5,), count=6)
    await again.close()


@pytest.mark.long
@pytest.mark.parametrize(("shards", "count"), [((1,), 2), ((0, 1, 2), 3)], ids=["the same", "divided anew"])
async def test_a_process_that_is_asked_hands_its_shards_over(
    shards: tuple[int, ...], count: int, postgresql: str
) -> None:
    url = await fresh_database(postgresql, f"over{count}")
    old = await SqlStore.open(url, shards=(1,), count=2)
    other = await SqlStore.open(url, shards=(0,), count=2)
    told, beside = asyncio.Event(), asyncio.Event()
    old.when_others_act(stop=told.set, missed=lambda: None)
    other.when_others_act(stop=beside.set, missed=lambda: None)
    taking = asyncio.create_task(SqlStore.open(url, shards=shards, count=count, take_over=True))
    await told.wait()
    if count != 2:
        await beside.wait()
    assert not taking.done()
    await old.close()
    if count != 2:
        await other.close()
    new = await taking
    assert beside.is_set() == (count != 2)
    await new.close()
    await other.close()


@pytest.mark.long
async def test_a_process_with_thousands_of_shards_asks_whoever_holds_one_of_them(postgresql: str) -> None:
    url = await fresh_database(postgresql, "thousands")
    old = await SqlStore.open(url, shards=(2999,), count=3000)
    told = asyncio.Event()
    old.when_others_act(stop=told.set, missed=lambda: None)
    taking = asyncio.create_task(SqlStore.open(url, shards=range(3000), count=3000, take_over=True))
    await asyncio.wait({taking, asyncio.create_task(told.wait())}, return_when=asyncio.FIRST_COMPLETED)
    assert told.is_set()
    await old.close()
    await (await taking).close()


@pytest.mark.long
async def test_who_does_not_hand_over_is_not_driven_out(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "HANDING_OVER", 0.05)
    url = await fresh_database(postgresql, "stays")
    old = await SqlStore.open(url, shards=(0,), count=1)
    with pytest.raises(ShardsHeld):
        await SqlStore.open(url, shards=(0,), count=1, take_over=True)
    await old.close()


@pytest.mark.long
async def test_a_connection_that_is_lost_is_made_anew_with_its_shards(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "AGAIN", 0.01)
    url = await fresh_database(postgresql, "lost")
    store = await SqlStore.open(url, shards=(0,), count=2)
    assert store._neighbours is not None
    heard: asyncio.Queue[None] = asyncio.Queue()
    store._neighbours.lost = store._neighbours.found = lambda: heard.put_nowait(None)
    store._neighbours._driver.terminate()
    await heard.get()  # lost
    await heard.get()  # and there again
    with pytest.raises(ShardsHeld):
        await SqlStore.open(url, shards=(0,), count=2)
    await store.close()


@pytest.mark.long
async def test_who_has_lost_its_shards_to_another_stops(
    postgresql: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(neighbours, "AGAIN", 0.01)
    url = await fresh_database(postgresql, "robbed")
    store = await SqlStore.open(url, shards=(0,), count=2)
    assert store._neighbours is not None
    stop = asyncio.Event()
    store.when_others_act(stop=stop.set, missed=lambda: None)
    connect, may_connect = store._neighbours._connect, asyncio.Event()

    async def later() -> None:
        await may_connect.wait()
        await connect()

    monkeypatch.setattr(store._neighbours, "_connect", later)
    store._neighbours._driver.terminate()
    thief = None
    while thief is None:
        try:
            thief = await SqlStore.open(url, shards=(0,), count=2)
        except ShardsHeld:  # the server has not noticed yet
            continue
    may_connect.set()
    await stop.wait()
    assert "another process has taken our shards" in caplog.text
    await store.close()
    await thief.close()
