"""A process is relieved while a computer player is at it: what that plays is told by the next one, once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Any

import pytest

from bot.settings import DATABASE
from bot.tables.model import Person, Table
from bot.tables.ports import Write
from cogs.delivery.repaints import SWEPT
from tests.sweeps import swept
from tests.tables.support import typed

from .sim import Sim
from .test_notices import pings

MakeSim = Callable[..., Awaitable[Sim]]

PACE = 1.0  # seconds before a computer player answers
ANSWERS = 20  # of computer players, at most, until a human is to act


async def answered(sim: Sim, table: Table) -> None:
    """Until Ada is to act."""
    for _ in range(ANSWERS):
        if await sim.to_act(table) == [sim.ada]:
            break
        await sim.env.advance_time(PACE)
    assert await sim.to_act(table) == [sim.ada]


async def to_answer(sim: Sim) -> Table:
    """Ada has played, and the computer player's answer waits for its pace."""
    lobby = await sim.new(sim.ada, players=2, computers=1, setup="sorted")
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    for _ in range(ANSWERS):
        await answered(sim, table)
        await sim.env.advance_time(PACE)
        loaded = await sim.bot.tables.load(table.id)
        seat = loaded.table.seat_of(sim.ada.id)
        assert seat is not None
        assert loaded.state is not None
        with sim.env._bot_scope():
            move = loaded.state.legal(seat.index)[0]
            await typed(sim.bot.tables, table.id, Person(sim.ada.id, "Ada"), move)
        await sim.env.settle()
        if not await sim.to_act(table):
            return await sim.bot.tables.table(table.id)
    raise AssertionError("Ada is always to act")


async def told_once(sim: Sim, table: Table, before: int) -> None:
    """The new process has played what was due, painted it and told Ada; nothing comes twice."""
    await answered(sim, table)
    await sim.env.advance_time(20)
    now = await sim.bot.tables.table(table.id)
    assert now.revision > table.revision
    assert (now.painted, now.owed) == (now.revision, ())
    ada = [str(sim.ada.id)]
    assert [list(map(str, users)) for users in pings(sim)[before:]] == [ada]
    await sim.env.advance_time(SWEPT.total_seconds())
    assert [list(map(str, users)) for users in pings(sim)[before:]] == [ada]


async def test_while_its_answer_waits_for_its_pace(make_sim: MakeSim) -> None:
    sim = await make_sim(pace=PACE)
    table = await to_answer(sim)
    before = len(pings(sim))
    await sim.restart()
    await told_once(sim, table, before)


@pytest.mark.parametrize("painted", swept([False, True]))
async def test_while_its_answer_is_stored(
    make_sim: MakeSim, monkeypatch: pytest.MonkeyPatch, painted: bool
) -> None:
    """Nothing begins any more in the process that stops, so that it tells nobody. painted: the board shows
    the answer all the same, having been drawn in between."""
    sim = await make_sim(pace=PACE)
    table = await to_answer(sim)
    before = len(pings(sim))
    assert sim.bot._store is not None
    write, ends = sim.bot._store.write, list[asyncio.Task[None]]()

    async def relieved(*changes: Write) -> Any:
        """In this moment; what is begun is stored all the same."""
        ends.append(asyncio.create_task(sim.bot.close()))
        while not sim.bot.background.closing:  # noqa: ASYNC110  (no timer or event that simcord waits for)
            await asyncio.sleep(0)
        return await write(*changes)

    monkeypatch.setattr(sim.bot._store, "write", relieved)
    await sim.env.advance_time(PACE)
    [end] = ends
    await end
    with closing(sqlite3.connect(sim.settings.data_dir / DATABASE)) as database, database:
        [(revision, shown)] = database.execute("SELECT revision, painted FROM tables").fetchall()
        assert revision > table.revision
        assert shown < revision
        if painted:
            database.execute("UPDATE tables SET painted = revision")
    await sim.env.restart_bot(sim._make_bot())
    await sim.env.settle()
    await told_once(sim, table, before)
