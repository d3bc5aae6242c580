"""What an outage left behind is worked off beside the playing, and told to each person once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from bot.tables import computers
from bot.tables.model import Person, Place
from bot.tables.outages import GRACE
from cogs.delivery import repaints
from cogs.delivery.painter import AT_ONCE
from cogs.delivery.repaints import SWEEPING
from tests.tables.support import all_owed

from .sim import Sim, text_of

MakeSim = Callable[..., Awaitable[Sim]]
PAGE = 3
TABLES = 2 * PAGE + 1


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (repaints, computers):
        monkeypatch.setattr(module, "PAGE", PAGE)


def person(member: Any) -> Person:
    return Person(member.id, member.name)


async def played_at(sim: Sim, count: int, *people: Any, **options: Any) -> list[str]:
    """So many tables, as a start finds them that nobody has shown to anybody yet."""
    made: list[str] = []
    tables = sim.bot.tables
    for _ in range(count):
        place = Place(sim.guild.id, sim.channel.id)
        opened = await tables.open(person(people[0]), place, "fivetotwelve", **options)
        for other in people[1:]:
            await tables.join(opened.table.id, person(other))
        await tables.start(opened.table.id, person(people[0]))
        sim.bot.services.repaints.release(opened.table.id)
        made.append(opened.table.id)
    return made


async def all_unpainted(sim: Sim) -> None:
    """As after an outage, of which every board tells the time."""
    with sim.behind_the_bot() as database:
        database.execute("UPDATE tables SET painted = 0")
    sim.bot.services.repaints.after_outage(lambda guild: True)


async def test_a_table_that_is_played_at_waits_for_nothing_left_behind(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord answers about none of the others."""
    mine = await sim.started(sim.ada, sim.ben, setup="sorted")
    with sim.env._bot_scope():
        others = await played_at(sim, TABLES, sim.cleo, sim.dev)
    await sim.env.settle()
    await all_unpainted(sim)
    painter: Any = sim.bot.services.painter
    paint = painter._paint
    go, busy, played = asyncio.Event(), asyncio.Event(), asyncio.Event()
    at_it: set[str] = set()
    most = 0

    async def slow(table: str) -> bool:
        nonlocal most
        if table != mine.id:
            at_it.add(table)
            most = max(most, len(at_it))
            if len(at_it) == SWEEPING:
                busy.set()
            await go.wait()
            at_it.discard(table)
        painted: bool = await paint(table)
        if table == mine.id:
            played.set()
        return painted

    monkeypatch.setattr(painter, "_paint", slow)
    with sim.env._bot_scope():
        sim.bot._look_again()
        await busy.wait()
        now = await sim.bot.tables.load(mine.id)
        assert now.state is not None
        [seat] = now.table.to_act
        actor = person(sim.who(seat.user))
        played.clear()
        move = now.state.legal(seat.index)[0]
        change = await sim.bot.tables.move(mine.id, actor, move, now.table.revision)
        await played.wait()
        assert (await sim.bot.tables.table(mine.id)).painted == change.table.revision
        assert len(at_it) == SWEEPING < AT_ONCE
        go.set()
    await sim.env.settle()
    await sim.env.advance_time(60)
    assert most == SWEEPING
    assert await sim.bot.services.shown.unpainted() == [], "all of them, page by page"
    assert len(others) > 2 * PAGE


async def test_who_waits_to_be_told_at_many_tables_is_pinged_at_one(sim: Sim) -> None:
    """And told where the others are. By direct message one letter tells of them."""
    with sim.env._bot_scope():
        await sim.bot.tables.set_user(sim.dev.id, notices="dm")
        tables = await played_at(sim, TABLES, sim.cleo, sim.dev)
    await sim.env.settle()
    with sim.behind_the_bot() as database:  # a process that died before it could tell anybody
        database.execute("UPDATE seats SET notified = 0")
    pings = lambda: [  # noqa: E731
        one.json
        for one in sim.env.http_requests
        if one.method == "POST" and str(sim.cleo.id) in str((one.json or {}).get("allowed_mentions"))
    ]
    before, requests = len(pings()), len(sim.env.http_requests)
    await sim.restart(2 * GRACE)
    for _ in range(4):
        await sim.env.advance_time(15)
    assert await all_owed(sim.bot.services.shown) == []
    assert len(pings()) == before + 1
    assert "/games" in str(pings()[-1])
    told = [await sim.bot.tables.table(table) for table in tables]
    assert all(table.painted == table.revision for table in told)
    letters = [
        one.json for one in sim.env.http_requests[requests:] if "tables are waiting for you" in str(one.json)
    ]
    assert len(letters) == 1


async def test_what_happens_afterwards_is_told_at_each_table(sim: Sim) -> None:
    tables = [await sim.started(sim.ada, sim.ben, setup="sorted") for _ in range(2)]
    await sim.restart(2 * GRACE)
    await sim.env.advance_time(5)
    for table in tables:
        actor = (await sim.to_act(table))[0]
        await sim.turn(actor, table)
    await sim.env.advance_time(5)
    assert await all_owed(sim.bot.services.shown) == []
    for table in tables:
        [waiting] = await sim.to_act(table)
        thread = table.place.thread
        assert thread is not None
        told = [text_of(one) for one in sim.messages(thread)]
        assert any(f"<@{waiting.id}>" in text for text in told)
        assert not any("/games" in text for text in told)


async def test_who_cannot_be_told_at_one_table_is_told_at_another(sim: Sim) -> None:
    tables = [await sim.started(sim.cleo, sim.dev, setup="sorted") for _ in range(3)]
    await sim.env.settle()
    threads = {table.id: (await sim.bot.tables.table(table.id)).place.thread or 0 for table in tables}
    with sim.behind_the_bot() as database:
        database.execute("UPDATE seats SET notified = 0")
    first = threads[min(threads)]
    for method, end in (("POST", ""), ("PATCH", "/*")):
        path = f"/channels/{first}/messages{end}"
        sim.env.inject_error(method, path, status=403, code=50013, times=None)
    sim.faults_expected = True
    before = {thread: len(sim.messages(thread)) for thread in threads.values()}
    await sim.restart(2 * GRACE)
    for _ in range(3):
        await sim.env.advance_time(15)
    new = {thread: len(sim.messages(thread)) - count for thread, count in before.items()}
    assert new.pop(first) == 0
    assert sorted(new.values()) == [0, 1], "one notice, where it could be given"


async def test_computers_that_were_to_move_do_so_a_few_at_a_time(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them in the end, and a table at which somebody plays is not kept waiting."""
    runner: Any = sim.bot._computers
    await runner.stop()
    with sim.env._bot_scope():
        many = await played_at(sim, TABLES, sim.cleo, computers=1, options={"setup": "sorted"})
    due = await sim.bot.tables.automatic_due()
    most, at_it, ran = 0, 0, []
    step = runner._step

    async def counted(table: str, acted: int | None) -> int | None:
        nonlocal most, at_it
        at_it += 1
        most = max(most, at_it)
        ran.append(table)
        try:
            return cast("int | None", await step(table, acted))
        finally:
            at_it -= 1

    monkeypatch.setattr(runner, "_step", counted)
    monkeypatch.setattr(computers, "PAGE", TABLES // 2)
    waits = []
    with sim.env._bot_scope():
        runner._on = runner.behind = True
        while (wait := await runner._catch_up()) is not None:
            waits.append(wait)
    await sim.env.settle()
    assert set(waits) == {TABLES // 2 / computers.A_SECOND}, "no more than Discord has room for beside people"
    assert set(ran) == set(due) <= set(many)
    assert most <= computers.AT_ONCE
    assert not runner.behind


async def test_a_start_during_a_page_begins_with_the_first_table_again(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was missed meanwhile may be at any table."""
    runner: Any = sim.bot._computers
    await runner.stop()
    asked: list[str] = []

    async def due(most: int, after: str) -> list[str]:
        asked.append(after)
        if len(asked) == 1:
            runner.start()
        return ["AAAAAA"] * most

    monkeypatch.setattr(runner._tables, "automatic_due", due)
    monkeypatch.setattr(computers, "a_few_at_a_time", _nothing)
    assert await runner._catch_up() == 0.0
    assert await runner._catch_up()
    assert await runner._catch_up()
    assert asked == ["", "", "AAAAAA"]


async def _nothing(*_: object) -> None:
    """Nobody plays."""


def test_the_processes_that_draw_are_begun_with_the_bot(sim: Sim) -> None:
    drawers: Any = sim.bot.drawers
    assert drawers.begun == 1
