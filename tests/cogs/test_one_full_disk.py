"""One write that finds the disk full loses nothing that Discord tells once, nor what was asked for."""

from __future__ import annotations

import sqlite3
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from bot.tables.model import TableId
from tests.cogs.sim import Sim, buttons
from tests.cogs.tabletop import opened

HOUR = 3600


@pytest.fixture
def full_once(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Called, it makes the next write fail; a list to which the failure is added."""
    sim.faults_expected = True

    def install() -> list[str]:
        store: Any = sim.bot._store
        write = store._carry_out
        struck: list[str] = []

        async def carry_out(*given: Any) -> Any:
            if struck:
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


def live(sim: Sim, channel: int) -> int:
    return sum("Your move" in buttons(message) for message in sim.messages(channel))


async def test_a_board_that_is_deleted_meanwhile_comes_back(sim: Sim, full_once: Any) -> None:
    table = (await sim.started(sim.ada, sim.ben, setup="sorted")).id
    channel, message = await board(sim, table)
    struck = full_once()
    sim.env.backend.delete_message(channel, message)
    await sim.env.settle()
    await sim.env.advance_time(5)
    assert struck
    assert live(sim, channel) == 1


async def test_a_board_that_is_missed_meanwhile_comes_back(sim: Sim, full_once: Any) -> None:
    """Its deletion was never told; who asks for it is the first to know."""
    table = (await sim.started(sim.ada, sim.ben, setup="sorted")).id
    channel, message = await board(sim, table)
    del sim.env.backend.messages[channel][message]
    struck = full_once()
    with sim.env._bot_scope():
        sim.bot.services.repaints.refresh(table)
    await sim.env.settle()
    await sim.env.advance_time(5)
    assert struck
    assert live(sim, channel) == 1


async def test_hands_that_are_looked_at_meanwhile_are_looked_at_again(
    sim: Sim, full_once: Any, monkeypatch: pytest.MonkeyPatch
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


async def test_who_leaves_the_server_meanwhile_sits_there_no_longer(sim: Sim, full_once: Any) -> None:
    """Told once, and with no clock nobody asks again."""
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted", players=3)
    struck = full_once()
    gone = SimpleNamespace(guild_id=sim.guild.id, user=SimpleNamespace(id=sim.cleo.id))
    with sim.env._bot_scope():
        sim.bot.dispatch("raw_member_remove", gone)
    await sim.env.settle()
    await sim.env.advance_time(5)
    assert struck
    assert (await sim.bot.tables.table(table.id)).seat_of(sim.cleo.id) is None


async def test_a_server_that_is_left_and_joined_again_meanwhile_is_as_it_was_last(
    sim: Sim, full_once: Any
) -> None:
    """The later event is what holds, though the earlier one could not be stored."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    repaints = sim.bot.services.repaints
    struck = full_once()
    guild = sim.bot.get_guild(sim.guild.id)
    with sim.env._bot_scope():
        sim.bot.dispatch("guild_remove", guild)
    await sim.env.settle()
    assert struck
    with sim.env._bot_scope():
        sim.bot.dispatch("guild_join", guild)
    await sim.env.settle()
    await sim.env.advance_time(HOUR)
    assert not repaints.is_away(table.id)
