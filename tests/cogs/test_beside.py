"""What is private does not wait for what is public: hands and notices by direct message go on, and end, where
the table's own message cannot be brought up to date."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.tables.model import Person, Table

from .sim import Sim, custom_ids, text_of
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
    for channel in filter(None, (table.place.channel, table.place.thread)):
        for method, path in (("PATCH", "/messages/*"), ("POST", "/messages")):
            sim.env.inject_error(method, f"/channels/{channel}{path}", status=403, code=50013, times=None)


async def trouble(sim: Sim, table: Table) -> None:
    for channel in filter(None, (table.place.channel, table.place.thread)):
        for method, path in (("PATCH", "/messages/*"), ("POST", "/messages")):
            sim.env.inject_error(method, f"/channels/{channel}{path}", status=503, times=None)


CLOSED = [channel_deleted, nothing_but_seen, refused, trouble]


def left_on(sim: Sim) -> list[str]:
    """Controls in the players' direct messages."""
    return [
        control
        for person in (sim.ada, sim.ben)
        for message in direct_messages(sim, person)
        for control in custom_ids(message)
    ]


@pytest.mark.parametrize("close", CLOSED)
@pytest.mark.parametrize("threads", [False, True])
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
    stored = await sim.bot.services.shown.unpainted()
    assert [one.id for one in stored] == [table.id]
