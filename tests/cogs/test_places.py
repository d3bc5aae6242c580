"""Messages, threads, channels, permissions and the server itself come and go: tables are put up anew, parked,
or go on elsewhere, and none touches another."""

from __future__ import annotations

import discord
import pytest
from simcord.backend.models.channel import Overwrite, OverwriteType  # type: ignore[attr-defined]

from bot.tables.model import Person, Status, Table
from cogs.delivery.repaints import MISSED
from tests.tables.support import typed

from .sim import Sim, answer, buttons, custom_ids, text_of


async def now(sim: Sim, table: Table) -> Table:
    return await sim.bot.tables.table(table.id)


async def forget(sim: Sim, channel: int | None, message: int | None) -> None:
    """Somebody deletes a message of the bot's."""
    assert channel is not None
    assert message is not None
    sim.env.backend.delete_message(channel, message)
    await sim.env.settle()


async def test_a_deleted_table_message_comes_back_by_itself_and_no_other_is_touched(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    other = await sim.started(sim.cleo, sim.dev, setup="sorted")
    lobby = await sim.new(sim.cleo)
    await forget(sim, table.place.thread, table.place.table_message)
    after = await now(sim, table)
    assert after.place.table_message != table.place.table_message
    assert "Your move" in buttons(await sim.board(table))
    assert (await now(sim, other)).place == other.place
    assert "Join" in buttons(sim.fresh(lobby))


async def test_a_deleted_lobby_message_comes_back_by_itself(sim: Sim) -> None:
    lobby = await sim.new(sim.ada)
    table = await sim.table(lobby)
    await forget(sim, sim.channel.id, lobby.id)
    again = await sim.lobby(table)
    assert again.id != lobby.id
    await sim.ben.click(again, label="Join")
    assert "2. Ben" in text_of(await sim.lobby(table))


async def test_messages_deleted_in_bulk_come_back_each_once(sim: Sim) -> None:
    first, second = await sim.new(sim.ada), await sim.new(sim.ben)
    tables = [await sim.table(lobby) for lobby in (first, second)]
    payload = discord.RawBulkMessageDeleteEvent(
        {"ids": [first.id, second.id], "channel_id": sim.channel.id, "guild_id": sim.guild.id}
    )
    for lobby in (first, second):
        del sim.env.backend.messages[sim.channel.id][lobby.id]
    with sim.env._bot_scope():
        await sim.bot.on_raw_bulk_message_delete(payload)
    await sim.env.settle()
    assert len(sim.messages(sim.channel.id)) == 2
    for table in tables:
        assert "Join" in buttons(await sim.lobby(table))


async def test_who_deletes_it_again_and_again_is_given_way_to(sim: Sim) -> None:
    lobby = await sim.new(sim.ada)
    table = await sim.table(lobby)
    for _ in range(MISSED[0]):
        await forget(sim, sim.channel.id, (await now(sim, table)).place.lobby_message)
    assert len(sim.messages(sim.channel.id)) == 1
    await forget(sim, sim.channel.id, (await now(sim, table)).place.lobby_message)
    assert sim.messages(sim.channel.id) == []
    assert (await now(sim, table)).status is Status.LOBBY
    await sim.ada.slash(sim.channel, "table show", table=table.id)  # a person asks: here it is again
    assert "Join" in buttons(await sim.lobby(table))


async def test_a_deleted_thread_is_left_for_a_new_place_by_itself(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    assert table.place.thread is not None
    sim.env.backend.delete_channel(table.place.thread)
    await sim.env.settle()
    board = await sim.board(table)
    assert "Your move" in buttons(board)
    assert (await now(sim, table)).place.table_message != table.place.table_message
    await sim.turn((await sim.to_act(table))[0], table)


async def test_a_locked_thread_is_left_for_the_channel_at_the_next_move(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    assert table.place.thread is not None
    actor = (await sim.to_act(table))[0]
    sent = len(sim.requests("POST", "/messages"))
    sim.env.backend.edit_channel(table.place.thread, {}, thread_metadata={"archived": True, "locked": True})
    await sim.env.settle()
    assert len(sim.requests("POST", "/messages")) == sent  # nobody's lock is fought
    thread = f"/channels/{table.place.thread}"
    sim.env.inject_error("*", f"{thread}*", status=400, code=50083, times=None)
    await sim.types(actor, sim.channel, "5vor12", move="draw")
    after = await now(sim, table)
    assert after.place.thread is None
    assert after.painted == after.revision
    assert "Your move" in buttons(await sim.board(table))


async def test_a_deleted_channel_parks_its_tables_and_a_player_calls_one_elsewhere(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    elsewhere = sim.guild.create_text_channel("elsewhere")
    for channel in (table.place.thread, sim.channel.id):
        assert channel is not None
        sim.env.backend.delete_channel(channel)
    await sim.env.settle()
    assert await sim.parked(table)
    assert (await now(sim, table)).status is Status.PLAYING
    result = await sim.types(actor, elsewhere, "5vor12", move="draw")
    assert "Played" in answer(result)
    result = await sim.cleo.slash(elsewhere, "table show", table=table.id)
    assert (await now(sim, table)).place.channel == sim.channel.id  # not by somebody who only looks

    await actor.slash(elsewhere, "table show")
    after = await now(sim, table)
    assert after.place.channel == elsewhere.id
    board = await sim.board(table)
    assert "Your move" in buttons(board)
    await sim.types(actor, elsewhere, "5vor12", move="leave")
    assert (await now(sim, table)).painted == (await now(sim, table)).revision


async def test_a_rematch_of_a_table_whose_channel_is_gone_opens_where_it_is_asked_for(sim: Sim) -> None:
    """It was announced, and its lobby posted nowhere."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await sim.bot.tables.end_by_admin(table.id)
    await sim.env.settle()
    elsewhere = sim.guild.create_text_channel("elsewhere")
    for channel in (table.place.thread, sim.channel.id):
        assert channel is not None
        sim.env.backend.delete_channel(channel)
    await sim.env.settle()
    result = await sim.ada.slash(elsewhere, "table rematch", table=table.id)
    assert "rematch" in answer(result)
    await sim.env.settle()
    [lobby] = [message for message in elsewhere.history() if "Start" in buttons(message)]
    assert "Ada" in text_of(lobby)


async def test_permissions_given_back_wake_what_was_parked_and_only_that(sim: Sim) -> None:
    assert sim.bot.user is not None
    await sim.bot.tables.set_guild(sim.guild.id, threads=False)
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    bot = sim.bot.user.id
    silent = discord.Permissions(send_messages=True, view_channel=True).value
    sim.env.backend.set_overwrite(sim.channel.id, Overwrite(bot, OverwriteType.MEMBER, 0, silent))
    await sim.env.settle()
    elsewhere = sim.guild.create_text_channel("elsewhere")
    await sim.types(actor, elsewhere, "5vor12", move="draw")
    assert await sim.parked(table)
    tried = len(sim.env.http_requests)
    await sim.env.advance_time(3600)
    [closed] = sim.env.http_requests[tried:]  # nothing more is tried
    assert "/webhooks/" in closed.path, "the panel's last edit"

    sim.env.backend.delete_overwrite(sim.channel.id, bot)
    await sim.env.settle()
    after = await now(sim, table)
    assert not await sim.parked(table)
    assert after.painted == after.revision
    idle = len(sim.env.http_requests)
    sim.env.backend.set_overwrite(sim.channel.id, Overwrite(bot, OverwriteType.MEMBER, 0, 0))
    await sim.env.settle()
    assert len(sim.env.http_requests) == idle  # nothing was behind: nothing is done


async def test_thrown_out_and_invited_again(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    guild = sim.bot.get_guild(sim.guild.id)
    assert guild is not None
    with sim.env._bot_scope():
        await sim.bot.on_guild_remove(guild)
    await sim.env.settle()
    assert await sim.parked(table)
    tried = len(sim.env.http_requests)
    actor = (await sim.to_act(table))[0]
    with sim.env._bot_scope():
        await typed(sim.bot.tables, table.id, Person(actor.id, "x"), "draw")
    await sim.env.advance_time(7200)
    assert len(sim.env.http_requests) == tried  # nothing is tried while it is away
    assert (await now(sim, table)).status is Status.PLAYING

    assert table.place.thread is not None
    del sim.env.backend.messages[table.place.thread][table.place.table_message]  # type: ignore[arg-type]
    with sim.env._bot_scope():
        await sim.bot.on_guild_join(guild)
    await sim.env.settle()
    assert not await sim.parked(table)
    assert "Your move" in buttons(await sim.board(table))


@pytest.mark.parametrize("back", ["permission", "invited", "sweep"])
async def test_a_table_ended_where_the_bot_could_not_act_loses_its_controls_afterwards(
    sim: Sim, back: str
) -> None:
    assert sim.bot.user is not None
    await sim.bot.tables.set_guild(sim.guild.id, threads=False)
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    other = await sim.started(sim.cleo, sim.dev, setup="sorted")
    bot = sim.bot.user.id
    silent = discord.Permissions(send_messages=True, view_channel=True).value
    sim.env.backend.set_overwrite(sim.channel.id, Overwrite(bot, OverwriteType.MEMBER, 0, silent))
    await sim.env.settle()
    with sim.env._bot_scope():
        await sim.bot.tables.end(table.id, Person(sim.ada.id, "Ada"))
    await sim.env.settle()
    assert custom_ids(await sim.board(table)), "it could not be repainted"
    assert await sim.parked(table)
    if back == "sweep":
        await sim.env.advance_time(90_000)
        await sim.env.settle()
        assert custom_ids(await sim.board(table))
    with sim.env._bot_scope():
        if back != "permission":
            sim.bot.services.places.permissions_changed = _nothing  # type: ignore[assignment, method-assign]
        sim.env.backend.delete_overwrite(sim.channel.id, bot)
    await sim.env.settle()
    if back == "invited":
        guild = sim.bot.get_guild(sim.guild.id)
        assert guild is not None
        with sim.env._bot_scope():
            await sim.bot.on_guild_join(guild)
    if back == "sweep":
        await sim.env.advance_time(90_000)
        with sim.env._bot_scope():
            await sim.sweep()
    await sim.env.settle()
    assert custom_ids(await sim.board(table)) == []
    assert "Your move" in buttons(await sim.board(other))


async def _nothing(*_: object) -> None:
    """An event that never comes."""


async def test_a_channel_that_keeps_refusing_is_left_alone_until_something_changes(sim: Sim) -> None:
    io = sim.bot.services.io
    sim.env.inject_error("*", f"/channels/{sim.channel.id}/*", status=403, code=50013, times=None)
    with sim.env._bot_scope():
        for message in range(1, 20):
            await io.delete(sim.channel.id, message)
        assert len(sim.requests("DELETE")) == 5
        await sim.bot.services.places.thread_changed(sim.guild.id, sim.channel.id)  # what opens one opens all
        await io.delete(sim.channel.id, 99)
        assert len(sim.requests("DELETE")) == 6
    sim.env.backend.faults.clear()
    assert custom_ids(await sim.new(sim.ada))
