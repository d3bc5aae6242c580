"""What is private does not wait for what is public: hands and notices by direct message go on, and end, where
the table's own message cannot be brought up to date."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.tables.model import Person, Status, Table
from tests.sweeps import swept

from .sim import Sim, acting, text_of
from .tabletop import opened
from .test_hands import direct_messages


async def channel_deleted(sim: Sim, table: Table) -> None:
    sim.env.backend.delete_channel(sim.channel.id)


async def nothing_but_seen(sim: Sim, table: Table) -> None:
    me = sim.env.backend.bot_user.id
    only = Overwrite(me, OverwriteType.MEMBER, 0, discord.Permissions(view_channel=True).value)
    sim.env.backend.set_overwrite(sim.channel.id, only)


async def refused(sim: Sim, table: Table) -> None:
    """As where a moderator has timed the bot out."""
    fail(sim, table, 403, 50013)


async def trouble(sim: Sim, table: Table) -> None:
    fail(sim, table, 503)


def fail(sim: Sim, table: Table, status: int, code: int = 0) -> None:
    """Every edit and every new message at the table's public place, from now on."""
    for channel in filter(None, (table.place.channel, table.place.thread)):
        for method, path in (("PATCH", "/messages/*"), ("POST", "/messages")):
            sim.env.inject_error(method, f"/channels/{channel}{path}", status=status, code=code, times=None)


CLOSED = [channel_deleted, nothing_but_seen, refused, trouble]


def left_on(sim: Sim) -> list[str]:
    """Controls in the players' direct messages."""
    return [
        control
        for person in (sim.ada, sim.ben)
        for message in direct_messages(sim, person)
        for control in acting(message)
    ]


@pytest.mark.parametrize("close", swept(CLOSED, daily=2))
@pytest.mark.parametrize("threads", swept([False, True], daily=(True,)))
async def test_hands_lose_their_controls_at_the_end_whatever_becomes_of_the_board(
    sim: Sim, close: Callable[[Sim, Table], Awaitable[None]], threads: bool
) -> None:
    with sim.env._bot_scope():
        await sim.bot.tables.set_guild(sim.guild.id, threads=threads)
    table = await sim.hurry(await opened(sim, "topominos", sim.ada, sim.ben, players=2), most=2)
    assert left_on(sim)
    await close(sim, table)
    await sim.env.settle()
    await sim.hurry(table, most=3)
    with sim.env._bot_scope():  # by nobody at the table: no attempt at the board is made for it
        await sim.bot.tables.end_by_admin(table.id)
    await sim.env.settle()
    await sim.env.advance_time(60)
    assert left_on(sim) == []


async def test_turns_are_told_by_direct_message_where_the_board_is_refused(sim: Sim) -> None:
    for person in (sim.ada, sim.ben):
        await sim.bot.tables.set_user(person.id, notices="dm")
    table = await opened(sim, "5vor12", sim.ada, sim.ben, players=2, setup="sorted")
    await refused(sim, table)
    before = {one.id for person in (sim.ada, sim.ben) for one in direct_messages(sim, person)}
    told = set()
    for _ in range(8):
        await sim.hurry(table, most=1)
        [actor] = await sim.to_act(table)
        [*_, notice] = direct_messages(sim, actor)
        assert "your turn" in text_of(notice).lower()
        told.add(notice.id)
    assert len(told - before) >= 3, "one a turn"
    assert [due.user for due in await sim.bot.services.shown.owed_at(table.id)] == []


async def test_a_lobby_message_that_is_deleted_keeps_no_channel_waiting(sim: Sim) -> None:
    """Each fresh board of the game asked for the message again, until the whole channel was left alone."""
    table = await opened(sim, "topominos", sim.ada, sim.ben, players=2)
    assert table.place.thread is not None
    lobby = table.place.lobby_message
    assert lobby is not None
    sim.env.backend.delete_message(sim.channel.id, lobby)
    await sim.env.settle()
    for _ in range(12):
        await sim.cleo.send(sim.thread(table), "chatter")
        await sim.hurry(table, most=1)
    asked = [one for one in sim.requests("PATCH") if one.path.endswith(f"/messages/{lobby}")]
    assert len(asked) <= 2
    other = await sim.new(sim.cleo, players=3)
    await sim.dev.click(sim.fresh(other), label="Join")
    assert "Dev" in text_of(sim.fresh(other))
    with sim.env._bot_scope():
        await sim.bot.tables.end(table.id, Person(sim.ada.id, "Ada"))
    await sim.env.settle()
    assert left_on(sim) == []


async def test_a_message_deleted_just_before_the_process_dies_comes_back(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, sim.ben, players=2)
    with sim.env._bot_scope():
        await sim.bot.services.repaints.missed(table.id)
    assert await sim.bot.services.shown.unpainted() == [table.id]


async def notices_by_dm(sim: Sim, game: str) -> Table:
    for person in (sim.ada, sim.ben):
        await sim.bot.tables.set_user(person.id, notices="dm")
    table = await opened(
        sim, game, sim.ada, sim.ben, players=2, **({"setup": "sorted"} if "12" in game else {})
    )
    return await sim.hurry(table, most=2)


@pytest.mark.parametrize("game", swept(["5vor12", "topominos"]))
@pytest.mark.parametrize("told", [True, False])
async def test_nobody_gives_up_a_seat_because_the_bot_was_thrown_out(sim: Sim, game: str, told: bool) -> None:
    """No server in common is having left it, unless it is the bot that has."""
    table = await notices_by_dm(sim, game)
    for person in (sim.ada, sim.ben):
        path = f"/channels/{person.user.dm_channel.id}/messages"
        sim.env.inject_error("POST", path, status=403, code=50278, times=None)
    if told:
        with sim.env._bot_scope():
            await sim.bot.services.places.guild_gone(sim.guild.id)
    else:
        await refused(sim, table)
    asked = len(sim.requests("POST", "/messages"))
    await sim.hurry(table, most=4)
    await sim.env.advance_time(700)
    now = await sim.bot.tables.table(table.id)
    assert now.status is Status.PLAYING
    assert all(now.seat_of(person.id) is not None for person in (sim.ada, sim.ben))
    assert not told or len(sim.requests("POST", "/messages")) == asked


async def test_notices_by_direct_message_go_at_the_end_where_the_board_is_refused(sim: Sim) -> None:
    table = await notices_by_dm(sim, "5vor12")
    await refused(sim, table)
    await sim.hurry(table, most=3)
    with sim.env._bot_scope():
        await sim.bot.tables.end_by_admin(table.id)
    await sim.env.settle()
    await sim.env.advance_time(60)
    assert [message for person in (sim.ada, sim.ben) for message in direct_messages(sim, person)] == []


async def test_what_is_private_is_tried_again_by_a_count_of_its_own(sim: Sim) -> None:
    """The board's tries are used up, and the table is parked for a day."""
    table = await sim.hurry(await opened(sim, "topominos", sim.ada, sim.ben, players=2), most=2)
    await refused(sim, table)
    await sim.hurry(table, most=3)
    for person in (sim.ada, sim.ben):
        path = f"/channels/{person.user.dm_channel.id}/messages/*"
        sim.env.inject_error("PATCH", path, status=503, times=1)
    with sim.env._bot_scope():
        await sim.bot.tables.end(table.id, Person(sim.ada.id, "Ada"))
    await sim.env.settle()
    await sim.env.advance_time(60)
    assert left_on(sim) == []


async def test_a_hand_that_cannot_be_made_costs_a_parked_table_a_bounded_number_of_tries(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim.faults_expected = True
    table = await sim.hurry(await opened(sim, "topominos", sim.ada, sim.ben, players=2), most=2)
    await channel_deleted(sim, table)
    await sim.env.settle()
    tries = 0

    async def fails(*_: object) -> None:
        nonlocal tries
        tries += 1
        raise ValueError("no page")

    monkeypatch.setattr(sim.bot.services.painter._hands._pages, "drawn", fails)
    with sim.env._bot_scope():
        await sim.bot.tables.end_by_admin(table.id)
    await sim.env.settle()
    for _ in range(6):
        await sim.env.advance_time(600)
        assert sim.bot.background.dead() == []
    assert 2 <= tries <= 8


async def test_a_board_that_cannot_be_drawn_keeps_no_hand_alive(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim.faults_expected = True
    table = await sim.hurry(await opened(sim, "topominos", sim.ada, sim.ben, players=2), most=2)

    async def fails(*_: object) -> None:
        raise ValueError("no picture")

    monkeypatch.setattr(sim.bot.services.painter._pictures, "of_table", fails)
    with sim.env._bot_scope():
        await sim.bot.tables.end_by_admin(table.id)
    await sim.env.settle()
    await sim.env.advance_time(60)
    assert left_on(sim) == []
