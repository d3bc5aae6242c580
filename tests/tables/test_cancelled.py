"""Whoever asked may be gone at any moment: what was begun is stored and told, or nothing is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from bot.rules import record
from bot.storage import SqlStore
from bot.tables.model import Person, Status, VoteKind
from bot.tables.taps import Chosen
from tests.sweeps import swept
from tests.tables.support import ADA, BEN, CLEO, PLACE, Rig, damage, open_rig

MOST = 1000  # turns of the event loop that nothing takes
LONGER = 40  # than a move takes
STATEMENTS = 100  # to a database that nothing takes
EVERY, SOME = 1, 2  # of the turns of what is asked
Act = Callable[[Rig, str], Awaitable[object]]


STEPS = pytest.mark.parametrize("step", swept([SOME, EVERY]))


async def cancelled_after(ticks: int, work: Awaitable[object]) -> bool:
    """Whether it was cancelled, after that many turns of the event loop."""
    task = asyncio.ensure_future(work)
    for _ in range(ticks):
        if task.done():
            break
        await asyncio.sleep(0)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    return task.cancelled()


async def cancelled_at(statement: int, rig: Rig, work: Awaitable[object]) -> bool:
    """The same, as that statement is about to be sent to the database: on a real server turns of the loop
    tell nothing."""
    assert isinstance(rig.store, SqlStore)
    task, engine, sent = asyncio.ensure_future(work), rig.store._database.engines[0], 0

    def sending(*_: object) -> None:
        nonlocal sent
        if sent == statement:
            task.cancel()
        sent += 1

    event.listen(engine, "before_cursor_execute", sending)
    try:
        with suppress(asyncio.CancelledError):
            await task
    finally:
        event.remove(engine, "before_cursor_execute", sending)
    return task.cancelled()


async def nothing_is_left_open(rig: Rig) -> None:
    """No transaction, and every connection can be had."""
    await rig.tables.close()
    store: Any = rig.store
    while store._transactions._running:
        await asyncio.gather(*store._transactions._running, return_exceptions=True)
    database = store._database
    if store.file_based:
        for engine in database.engines:  # each has one connection here, where all is done on the spot
            with engine.connect() as connection:
                assert not connection.connection.driver_connection.in_transaction
    else:  # one pool
        async with AsyncExitStack() as held:
            for _ in range(15):
                one = await held.enter_async_context(database._writer.connect())
                raw = (await asyncio.wait_for(one.get_raw_connection(), 5)).driver_connection
                assert not raw.is_in_transaction()
    assert not rig.tables._line._locks


async def stored(rig: Rig, table: str) -> tuple[int, int, int]:
    """Revision, newest entry, and how many entries."""
    assert isinstance(rig.store, SqlStore)
    query = (
        "SELECT revision, (SELECT max(revision) FROM events WHERE table_id = id), "
        "(SELECT count(*) FROM events WHERE table_id = id) FROM tables WHERE id = :id"
    )
    [row] = await rig.store._database.read(lambda at: at.execute(text(query), {"id": table}).all())
    return row[0], row[1], row[2]


async def a_move(rig: Rig, table: str) -> object:
    for person in (ADA, BEN):
        seat = (await rig.tables.table(table)).seat_of(person.id)
        if seat is not None and seat.since:
            return await rig.play(table, person)
    raise AssertionError("nobody to act")


ACTS: dict[str, Act] = {
    "a move": a_move,
    "a vote": lambda rig, table: rig.tables.vote(table, ADA, VoteKind.PAUSE),
    "an end": lambda rig, table: rig.tables.end(table, ADA),
    "an operator's end": lambda rig, table: rig.tables.end_by_admin(table),
    "a host's": lambda rig, table: rig.tables.pass_host(table, ADA, BEN.id),
}
LOBBY: dict[str, Act] = {
    "a join": lambda rig, table: rig.tables.join(table, CLEO),
    "a start": lambda rig, table: rig.tables.start(table, ADA),
    "a leave": lambda rig, table: rig.tables.leave(table, BEN),
}


@pytest.mark.parametrize("act", [*ACTS, *LOBBY])
async def test_a_change_whose_asker_is_gone_is_whole_or_absent(
    tmp_path: Path, act: str, database: str, step: int = SOME
) -> None:
    both = set()
    async with open_rig(tmp_path / "parlour.db") as rig:
        ticks = database == "sqlite"
        for k in range(0, MOST, step) if ticks else range(STATEMENTS):
            if act in ACTS:
                table = (await rig.started(ADA, BEN)).id
            else:
                table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table.id
                await rig.tables.join(table, BEN)
            before = (await stored(rig, table))[0]
            rig.told.clear()
            work = (ACTS | LOBBY)[act](rig, table)
            gone = await (cancelled_after(k, work) if ticks else cancelled_at(k, rig, work))
            await nothing_is_left_open(rig)
            revision, newest, entries = await stored(rig, table)
            assert revision == newest == entries
            assert revision - before in {0, 1}
            assert [change.table.revision for change in rig.told] == list(range(before + 1, revision + 1))
            both.add((gone, revision - before))
            after = await rig.tables.vote(table, BEN, VoteKind.END) if act == "a move" else None
            assert after is None or after.table.revision == revision + 1
            if (await rig.tables.table(table)).is_open:
                await rig.tables.end_by_admin(table)
            if not gone:
                break
    assert (False, 1) in both
    assert (True, 1) in both, "it was stored though nobody waited"


@pytest.mark.long
@pytest.mark.sqlite
@pytest.mark.parametrize("act", [*ACTS, *LOBBY])
async def test_a_change_whose_asker_is_gone_at_any_tick_is_whole_or_absent(tmp_path: Path, act: str) -> None:
    await test_a_change_whose_asker_is_gone_is_whole_or_absent(tmp_path, act, "sqlite", EVERY)


async def opens(rig: Rig) -> object:
    return await rig.tables.open(ADA, PLACE, "zatre", computers=1)


@pytest.mark.sqlite
@STEPS
async def test_a_table_opened_by_who_is_gone_is_told_or_not_there(tmp_path: Path, step: int) -> None:
    async with open_rig(tmp_path / "parlour.db") as rig:
        seen = set()
        for k in range(0, MOST, step):
            rig.told.clear()
            gone = await cancelled_after(k, opens(rig))
            await nothing_is_left_open(rig)
            there = await rig.tables.tables_at(PLACE.guild)
            assert [change.table.id for change in rig.told] == [table.id for table in there]
            seen.add((gone, len(there)))
            for table in there:
                await rig.tables.cancel(table.id, ADA)
            if not gone:
                break
        assert (False, 1) in seen
        assert (True, 1) in seen


@pytest.mark.sqlite
@STEPS
async def test_a_rematch_asked_by_who_is_gone_is_told_whole_or_not_there(tmp_path: Path, step: int) -> None:
    async with open_rig(tmp_path / "parlour.db") as rig:
        seen = set()
        for k in range(0, MOST, step):
            old = await rig.started(ADA, BEN)
            await rig.tables.end(old.id, ADA)
            rig.told.clear()
            gone = await cancelled_after(k, rig.tables.rematch(old.id, BEN))
            await nothing_is_left_open(rig)
            there = await rig.tables.tables_at(PLACE.guild)
            linked = (await rig.tables.table(old.id)).rematch
            assert [table.id for table in there] == ([linked] if linked else [])
            assert [change.table.id for change in rig.told] == ([old.id, linked] if linked else [])
            again = await rig.tables.rematch(old.id, ADA)
            assert linked in {None, again.table.id}
            seen.add((gone, len(there)))
            await rig.tables.cancel(again.table.id, Person(again.table.host or 0, "x"))
            if not gone:
                break
        assert (False, 1) in seen
        assert (True, 1) in seen


@pytest.mark.sqlite
@STEPS
async def test_drafts_marks_and_settings_of_who_is_gone_are_whole_and_in_order(
    tmp_path: Path, step: int
) -> None:
    async with open_rig(tmp_path / "parlour.db") as rig:
        table = await rig.started(ADA, BEN)
        tap = partial(rig.tables.tap, table.id, ADA, table.revision)
        for k in range(0, MOST, step):
            await tap(lambda _: Chosen("a"))
            gone = await cancelled_after(k, tap(lambda seen: Chosen(seen.draft + "b")))
            # at once, while the one before may be under way: nothing of it is lost or done twice
            draft = (await tap(lambda seen: Chosen(seen.draft + "c"))).seen.draft
            assert draft in {"abc", "ac"}
            assert (await rig.tables.view(table.id, ADA.id)).draft == draft
            gone |= await cancelled_after(k, rig.tables.snooze(table.id, ADA))
            gone |= await cancelled_after(k, rig.tables.set_user(ADA.id, language="de", text_board=True))
            gone |= await cancelled_after(k, rig.shown.painted(table.id, table.revision))
            await nothing_is_left_open(rig)
            user = await rig.tables.user(ADA.id)
            assert (user.language, user.text_board) in {("de", True), (None, False)}
            await rig.tables.set_user(ADA.id, language=None, text_board=False)
            if not gone:
                break
        assert not gone


@pytest.mark.sqlite
async def test_a_table_set_aside_while_its_reader_goes_is_told_once(tmp_path: Path) -> None:
    async with open_rig(tmp_path / "parlour.db") as rig:
        for k in range(0, MOST, SOME):
            table = await rig.started(ADA, BEN)
            await damage(rig, "UPDATE tables SET rules_version = 99 WHERE id = :id", id=table.id)
            fresh = Rig(rig.store, rig.clock, seed=str(k))
            gone = await cancelled_after(k, fresh.tables.view(table.id, ADA.id))
            await nothing_is_left_open(fresh)
            told = [change.kind for change in fresh.told]
            assert (await rig.store.load(table.id)).table.status is (  # type: ignore[union-attr]
                Status.ASIDE if told else Status.PLAYING
            )
            assert told in ([], ["aside"])
            if not gone:
                break
        assert (gone, told) == (False, ["aside"])


@pytest.mark.sqlite
async def test_a_game_whose_every_click_is_cancelled_and_repeated_is_a_whole_game(tmp_path: Path) -> None:
    async with open_rig(tmp_path / "parlour.db") as rig:
        table = (await rig.started(ADA, BEN)).id
        k = 0
        while (await rig.tables.table(table)).is_open:
            k += SOME
            await cancelled_after(k % LONGER, a_move(rig, table))
            await rig.tables.close()
        assert record.verify(await rig.tables.record(table)).ok
