"""After an outage people see that they have lost no time, and by how much."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from bot.tables.outages import GRACE

from .sim import Sim, text_of

TURN = 43_200  # seconds


async def down(sim: Sim, away: timedelta) -> None:
    """The process stops, and there is a new one after so long."""
    await sim.bot.close()
    await sim.env.advance_time(away.total_seconds())
    await sim.env.restart_bot(sim._make_bot())
    await sim.env.settle()


def told(text: str) -> datetime:
    """The only time that a message tells."""
    [seconds] = {int(found) for found in re.findall(r"<t:(\d+)", text)}
    return datetime.fromtimestamp(seconds).astimezone()


async def test_board_and_lobby_tell_the_time_that_is_left(sim: Sim) -> None:
    lobby = await sim.new(sim.cleo)
    table = await sim.started(sim.ada, sim.ben, setup="sorted", clock=TURN)
    due, expiry = told(text_of(await sim.board(table))), told(text_of(sim.fresh(lobby)))
    away = timedelta(hours=30)
    await down(sim, away)
    assert abs(told(text_of(await sim.board(table))) - due - away) < timedelta(seconds=5)
    assert abs(told(text_of(sim.fresh(lobby))) - expiry - away) < timedelta(seconds=5)
    now = await sim.bot.tables.table(table.id)
    assert now.painted == now.revision == table.revision


async def test_a_short_outage_is_not_mentioned(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted", clock=TURN)
    before = text_of(await sim.board(table))
    edits = len(sim.requests("PATCH"))
    await down(sim, GRACE / 2)
    assert text_of(await sim.board(table)) == before
    assert len(sim.requests("PATCH")) == edits


async def test_a_session_that_was_lost_for_long_is_told_as_well(sim: Sim) -> None:
    """The process ran on, and knows what the board shows: it is painted again all the same."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted", clock=TURN)
    due = told(text_of(await sim.board(table)))
    with sim.env._bot_scope():
        await sim.bot.outages.watch()
        await sim.bot.on_disconnect()
        await sim.bot.outages.watch()
    await sim.env.advance_time(2 * TURN)
    assert (await sim.bot.tables.table(table.id)).revision == table.revision, "the clock rests"
    with sim.env._bot_scope():
        await sim.bot.on_resumed()
    await sim.env.settle()
    away = timedelta(seconds=2 * TURN)
    assert abs(told(text_of(await sim.board(table))) - due - away) < timedelta(seconds=60)
    await sim.env.advance_time(5)
    assert (await sim.bot.tables.table(table.id)).revision == table.revision


async def test_who_clicks_before_all_servers_are_told_again_changes_a_table_with_its_new_times(
    sim: Sim,
) -> None:
    """Discord sends clicks from the connection on, and a large bot is ready much later."""
    await sim.new(sim.cleo)
    [table] = await sim.bot.tables.tables_of(sim.cleo.id)
    with sim.env._bot_scope():
        await sim.bot.outages.watch()
        await sim.bot.on_disconnect()
        await sim.bot.outages.watch()
    await sim.env.advance_time(2 * TURN)
    with sim.env._bot_scope():
        await sim.bot.on_connect()
        found = await sim.bot.tables.table(table.id)
        assert found.deadline is not None
        assert found.deadline - sim.bot.clock.now() > timedelta(hours=23)
