"""A disk that is full for a moment loses nothing that Discord tells once, nor what was asked for."""

from __future__ import annotations

import asyncio
import sqlite3
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from bot.discord_io import Done
from bot.tables.model import TableId
from tests.cogs.sim import Sim
from tests.cogs.tabletop import live, opened
from tests.sweeps import swept

MINUTES = 300


@pytest.fixture
def full(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Called, it makes the next writes fail, `after` having gone well; a list to which each is added."""
    sim.faults_expected = True

    def install(times: int = 1, after: int = 0) -> list[str]:
        store: Any = sim.bot._store
        write = store._carry_out
        struck: list[str] = []
        well = [True] * after

        async def carry_out(*given: Any) -> Any:
            if len(struck) == times or (well and well.pop()):
                return await write(*given)
            struck.append("full")
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise OperationalError("write", {}, error)

        monkeypatch.setattr(store, "_carry_out", carry_out)
        return struck

    return install


async def board(sim: Sim, table: TableId) -> tuple[int, int]:
    """Channel and id of the table message that is stored."""
    place = (await sim.bot.tables.table(table)).place
    assert place.table_message is not None
    return place.thread or place.channel, place.table_message


@pytest.mark.parametrize("times", [1, 4])
async def test_a_board_that_is_deleted_meanwhile_comes_back(sim: Sim, full: Any, times: int) -> None:
    """However often it is tried, it was deleted once: nobody is at war with the bot."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    channel, message = await board(sim, table.id)
    struck = full(times)
    sim.env.backend.delete_message(channel, message)
    await sim.env.settle()
    await sim.env.advance_time(100)
    assert len(struck) == times
    assert len(live(sim, table, "menu")) == 1


@pytest.mark.parametrize("after", swept([0, 1, 2]))
async def test_a_board_whose_thread_is_deleted_meanwhile_comes_back(sim: Sim, full: Any, after: int) -> None:
    """Whichever of the writes fails."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    assert table.place.thread is not None
    struck = full(after=after)
    sim.env.backend.delete_channel(table.place.thread)
    await sim.env.settle()
    await sim.env.advance_time(100)
    assert struck
    await board(sim, table.id)
    assert len(live(sim, table, "menu")) == 1


async def test_a_board_that_is_missed_meanwhile_comes_back(sim: Sim, full: Any) -> None:
    """Its deletion was never told; who asks for it is the first to know."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    channel, message = await board(sim, table.id)
    del sim.env.backend.messages[channel][message]
    struck = full()
    with sim.env._bot_scope():
        sim.bot.services.repaints.refresh(table.id)
    await sim.env.settle()
    await sim.env.advance_time(5)
    assert struck
    assert len(live(sim, table, "menu")) == 1


async def test_a_board_that_is_missed_is_edited_once_while_the_disk_is_full(sim: Sim, full: Any) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    struck = full(5)
    edits = len(sim.requests("PATCH"))
    with sim.env._bot_scope():
        sim.bot.services.repaints.refresh(table.id)
    await sim.env.settle()
    await sim.env.advance_time(MINUTES)
    assert struck
    assert len(sim.requests("PATCH")) == edits + 1


@pytest.mark.parametrize("times", [1, 4])
async def test_a_thread_made_anew_is_not_taken_for_the_deleted_one(
    sim: Sim, full: Any, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """It has the same id. Another table was opened inside it, and what concerns that one has to be tried
    again."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    result = await sim.cleo.slash(sim.thread(table), "5vor12 new")
    assert result.response is not None
    inside = await sim.table(result.response.message)
    shown: Any = sim.bot.services.repaints._shown
    parked = shown.parked
    tries: list[TableId] = []

    async def park(one: TableId, until: Any) -> None:
        if one == inside.id and len(tries) < times:
            tries.append(one)
            raise OSError("disk I/O error")
        await parked(one, until)

    monkeypatch.setattr(shown, "parked", park)
    posts = len(sim.requests("POST", "/messages"))
    sim.env.backend.delete_channel(table.place.thread or 0)
    await sim.env.settle()
    await sim.env.advance_time(100)
    assert len(tries) == times
    await board(sim, table.id)
    assert len(live(sim, table, "menu")) == 1
    assert len(sim.requests("POST", "/messages")) == posts + 1


async def test_hands_that_are_looked_at_meanwhile_are_looked_at_again(
    sim: Sim, full: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = (await opened(sim, "topominos", sim.ada, sim.ben)).id
    hands: Any = sim.bot.services.painter._hands
    refresh, looks = hands.refresh, []

    async def refreshed(seen: Any) -> float:
        looks.append(seen.id)
        if len(looks) == 1:
            raise OSError("disk I/O error")
        wait: float = await refresh(seen)
        return wait

    monkeypatch.setattr(hands, "refresh", refreshed)
    with sim.env._bot_scope():
        sim.bot.services.repaints.look_at_hands(table)
    await sim.env.settle()
    await sim.env.advance_time(5)
    assert looks == [table, table]


@pytest.mark.parametrize("back", [False, True])
async def test_who_leaves_the_server_meanwhile_sits_there_no_longer(
    sim: Sim, full: Any, monkeypatch: pytest.MonkeyPatch, back: bool
) -> None:
    """Told once, and with no clock nobody asks again. Who is back by then keeps the seat."""
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted", players=3)
    asked: list[int] = []

    async def is_member(guild: int, user: int) -> Done[bool]:
        asked.append(user)
        return Done(back)

    monkeypatch.setattr(sim.bot.services.io, "is_member", is_member)
    struck = full()
    gone = SimpleNamespace(guild_id=sim.guild.id, user=SimpleNamespace(id=sim.cleo.id))
    with sim.env._bot_scope():
        sim.bot.dispatch("raw_member_remove", gone)
    await sim.env.settle()
    await sim.env.advance_time(5)
    assert struck
    assert asked == [sim.cleo.id]
    assert ((await sim.bot.tables.table(table.id)).seat_of(sim.cleo.id) is not None) == back


@pytest.mark.parametrize("told", swept(["guild_join", "ready"]))
async def test_a_server_that_was_left_meanwhile_and_joined_again_is_not_away(
    sim: Sim, full: Any, told: str
) -> None:
    """The late try finds the bot there again, whether that was told of the server or by a new session."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    repaints = sim.bot.services.repaints
    guild = sim.bot.get_guild(sim.guild.id)
    struck = full(3)
    with sim.env._bot_scope():
        sim.bot.dispatch("guild_remove", guild)
    await sim.env.settle()
    with sim.env._bot_scope():
        sim.bot.dispatch(told, *[guild] * (told == "guild_join"))
    await sim.env.settle()
    await sim.env.advance_time(MINUTES)
    assert struck
    assert not repaints.is_away(table.id)


async def test_an_event_that_fails_by_a_fault_is_logged_and_not_tried_for_ever(
    sim: Sim, full: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = sim.bot.services.places
    tries: list[int] = []

    async def changed(_: int, thread: int) -> None:
        tries.append(thread)
        raise OSError("first") if len(tries) == 1 else RuntimeError("a fault of ours")

    monkeypatch.setattr(places, "thread_changed", changed)
    with sim.env._bot_scope():
        sim.bot.dispatch("raw_thread_update", SimpleNamespace(guild_id=1, thread_id=2))
    await sim.env.settle()
    await sim.env.advance_time(MINUTES)
    assert tries == [2, 2]
    assert sum("thread 2 changed failed" in record.message for record in caplog.records) == 1
    assert sim.bot.background.dead() == []


async def test_what_is_told_while_the_bot_stops_is_stored(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    channel, message = await board(sim, table.id)
    background = sim.bot.background
    close = background.close

    async def closing(grace: float) -> None:
        await close(grace)
        sim.env.backend.delete_message(channel, message)
        for _ in range(50):
            await asyncio.sleep(0.001)

    monkeypatch.setattr(background, "close", closing)
    await sim.restart()
    await sim.env.advance_time(5)
    assert len(live(sim, table, "menu")) == 1
