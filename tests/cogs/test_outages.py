"""After an outage people see that they have lost no time, and by how much."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest

from bot.tables.model import Table
from bot.tables.outages import GRACE
from cogs.delivery.panels import LIVES
from cogs.delivery.timing import ACTIVE
from tests.sweeps import swept

from .sim import Sim, text_of

TURN = 43_200  # seconds
AWAY = "I was away for a while"
PUSHED = 12  # messages below a board, so that it is sent afresh as the ping


def told(text: str) -> datetime:
    """The only time that a message tells."""
    [seconds] = {int(found) for found in re.findall(r"<t:(\d+)", text)}
    return datetime.fromtimestamp(seconds).astimezone()


async def test_board_and_lobby_tell_the_time_that_is_left(sim: Sim) -> None:
    lobby = await sim.new(sim.cleo)
    table = await sim.started(sim.ada, sim.ben, setup="sorted", clock=TURN)
    due, expiry = told(text_of(await sim.board(table))), told(text_of(sim.fresh(lobby)))
    away = timedelta(hours=30)
    await sim.restart(away)
    assert abs(told(text_of(await sim.board(table))) - due - away) < timedelta(seconds=5)
    assert abs(told(text_of(sim.fresh(lobby))) - expiry - away) < timedelta(seconds=5)
    now = await sim.bot.tables.table(table.id)
    assert now.painted == now.revision == table.revision


async def test_a_short_outage_is_not_mentioned(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted", clock=TURN)
    before = text_of(await sim.board(table))
    edits = len(sim.requests("PATCH"))
    await sim.restart(GRACE / 2)
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


def boards_sent(sim: Sim) -> int:
    """Messages that were sent with any control or mention; answers to clicks are none."""
    return sum(bool(re.fullmatch(r"/channels/\d+/messages", one.path)) for one in sim.requests("POST"))


@pytest.mark.parametrize("computers", swept([0, 1]))
async def test_who_is_at_the_table_is_told_nothing_by_a_restart(
    sim: Sim, they_come: None, computers: int
) -> None:
    """The table came afresh with a mention, and said that the bot had been away for a while."""
    options = {"players": 2, "computers": computers, "setup": "sorted"}
    lobby = await sim.new(sim.ada, **options)
    if not computers:
        await sim.ben.click(sim.fresh(lobby), label="Join")
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    if await sim.to_act(table) != [sim.ada]:
        await sim.hurry(table, most=1)
    await sim.hand(sim.ada, table)
    assert sim.ada in await sim.to_act(table)
    before, board = boards_sent(sim), await sim.board(table)
    await sim.env.advance_time(20)
    await sim.restart()
    await sim.env.advance_time(20)
    assert boards_sent(sim) == before
    assert (await sim.board(table)).id == board.id
    assert AWAY not in text_of(await sim.board(table))
    await sim.env.advance_time((LIVES if computers else ACTIVE).total_seconds())
    assert boards_sent(sim) == before + 1, "it comes when they have done nothing for a while, as ever"
    place = (await sim.bot.tables.table(table.id)).place
    told = text_of(sim.messages(place.thread or place.channel)[-1])
    assert f"<@{sim.ada.id}>" in told
    assert AWAY not in told


async def pinged_by_the_board(sim: Sim) -> Table:
    """After an outage of hours a table message, under which others have written, was sent afresh to say whose
    turn it is."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await sim.turn((await sim.to_act(table))[0], table)
    [waiting] = await sim.to_act(table)
    thread = next(one for one in sim.channel.threads if one.id == table.place.thread)
    for number in range(PUSHED):
        await sim.cleo.send(thread, f"chat {number}")
    with sim.behind_the_bot() as database:  # nobody could be told before
        database.execute("UPDATE seats SET notified = 0")
    await sim.restart(timedelta(hours=3))
    await sim.env.advance_time(15)
    table = await sim.bot.tables.table(table.id)
    told = text_of(await sim.board(table))
    assert f"<@{waiting.id}>" in told
    assert AWAY in told
    return table


async def test_that_the_bot_was_away_goes_with_the_next_change(sim: Sim) -> None:
    table = await pinged_by_the_board(sim)
    [waiting] = await sim.to_act(table)
    other = sim.ada if waiting is sim.ben else sim.ben
    await other.slash(sim.thread(table), "table vote", question="pause", table=table.id)
    assert AWAY not in text_of(await sim.board(table))


async def test_that_the_bot_was_away_goes_when_it_was_read(sim: Sim) -> None:
    table = await pinged_by_the_board(sim)
    [waiting] = await sim.to_act(table)
    other = sim.ada if waiting is sim.ben else sim.ben
    board = await sim.board(table)
    await other.click(board, label="Menu")
    assert AWAY in text_of(await sim.board(table)), "not by them to whom it was not said"
    await waiting.click(sim.fresh(board), label="Your move")
    await sim.env.advance_time(5)
    now = await sim.board(table)
    assert now.id == board.id
    assert AWAY not in text_of(now)


async def test_after_a_short_outage_nobody_hears_that_the_bot_was_away(sim: Sim) -> None:
    """A crash before anybody could be told: they are now, at each of their tables."""
    tables = [await sim.started(sim.ada, sim.ben, setup="sorted") for _ in range(2)]
    with sim.behind_the_bot() as database:
        database.execute("UPDATE seats SET notified = 0")
    before = boards_sent(sim)
    await sim.restart(GRACE / 2)
    await sim.env.advance_time(15)
    assert boards_sent(sim) == before + len(tables)
    for table in tables:
        assert AWAY not in text_of(sim.messages(table.place.thread or 0)[-1])
