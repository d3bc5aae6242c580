"""What waits, and since when: asked of the store in a few numbers."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from bot.tables.model import Seat, SeatKind, Status
from bot.tables.ports import Backlog
from tests.tables.support import START

from .conftest import Opener
from .test_store import FULL, OVER, written


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


NOBODY = tuple(replace(seat, since=0) for seat in FULL.seats)


async def test_an_empty_store_has_no_backlog(open_store: Opener) -> None:
    assert await (await open_store()).backlog(START) == Backlog()


async def test_the_oldest_of_each_kind_is_told(open_store: Opener) -> None:
    store = await open_store()
    for number, seconds in enumerate((30, 10, 20)):
        table = replace(FULL, id=f"00000{number}", changed=after(seconds), seats=NOBODY)
        await store.write(replace(written(table), wake=after(seconds)))
    await store.write(replace(written(replace(OVER, id="000003", changed=after(25))), wake=None))
    assert await store.backlog(after(100)) == Backlog(3, 3, after(10), None, after(10))
    await store.mark_painted("000001", 1)
    assert await store.backlog(after(15)) == Backlog(3, 1, after(20), None, after(10))
    assert (await store.backlog(after(5))).overdue is None
    assert Status.ENDED is OVER.status


async def test_a_parked_table_waits_only_from_then_on(open_store: Opener) -> None:
    store = await open_store()
    await store.write(replace(written(replace(FULL, seats=NOBODY)), wake=None))
    await store.mark_parked(FULL.id, after(500))
    assert (await store.backlog(after(499))).unpainted is None
    assert (await store.backlog(after(501))).unpainted == after(500)


async def test_a_notice_is_owed_from_when_it_may_be_given(open_store: Opener) -> None:
    store = await open_store()
    seat = Seat(0, SeatKind.HUMAN, 7, "Ben", since=1, due=1, due_at=after(10))
    await store.write(replace(written(replace(FULL, seats=(seat, *NOBODY[1:]))), wake=None))
    assert (await store.backlog(after(20))).owed == after(10)
    await store.mark_held(FULL.id, 7, 1, after(300))
    assert (await store.backlog(after(299))).owed is None
    assert (await store.backlog(after(301))).owed == after(300)
    await store.mark_notified(FULL.id, 7, 1)
    assert (await store.backlog(after(301))).owed is None
