"""Messages, threads, channels, permissions and the server itself come and go: tables are put up anew, parked,
or go on elsewhere, and none touches another."""

from __future__ import annotations

import discord
import pytest
from simcord.backend.models.channel import Overwrite, OverwriteType  # type: ignore[attr-defined]

from bot.tables.model import Person, Status, Table
from cogs.delivery.repaints import MISSED

from .den import Den, answer, buttons, custom_ids, text_of


async def now(den: Den, table: Table) -> Table:
    return await den.bot.tables.table(table.id)


async def forget(den: Den, channel: int | None, message: int | None) -> None:
    """Somebody deletes a message of the bot's."""
    assert channel is not None
    assert message is not None
    den.env.backend.delete_message(channel, message)
    await den.env.settle()


async def test_a_deleted_table_message_comes_back_by_itself_and_no_other_is_touched(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    other = await den.started(den.cleo, den.dev, setup="sorted")
    lobby = await den.new(den.cleo)
    await forget(den, table.place.thread, table.place.table_message)
    after = await now(den, table)
    assert after.place.table_message != table.place.table_message
    assert "Your move" in buttons(await den.board(table))
    assert (await now(den, other)).place == other.place
    assert "Join" in buttons(den.fresh(lobby))


async def test_a_deleted_lobby_message_comes_back_by_itself(den: Den) -> None:
    lobby = await den.new(den.ada)
    table = await den.table(lobby)
    await forget(den, den.channel.id, lobby.id)
    again = await den.lobby(table)
    assert again.id != lobby.id
    await den.ben.click(again, label="Join")
    assert "2. Ben" in text_of(await den.lobby(table))


async def test_messages_deleted_in_bulk_come_back_each_once(den: Den) -> None:
    first, second = await den.new(den.ada), await den.new(den.ben)
    tables = [await den.table(lobby) for lobby in (first, second)]
    payload = discord.RawBulkMessageDeleteEvent(
        {"ids": [first.id, second.id], "channel_id": den.channel.id, "guild_id": den.guild.id}
    )
    for lobby in (first, second):
        del den.env.backend.messages[den.channel.id][lobby.id]
    with den.env._bot_scope():
        await den.bot.on_raw_bulk_message_delete(payload)
    await den.env.settle()
    assert len(den.messages(den.channel.id)) == 2
    for table in tables:
        assert "Join" in buttons(await den.lobby(table))


async def test_who_deletes_it_again_and_again_is_given_way_to(den: Den) -> None:
    lobby = await den.new(den.ada)
    table = await den.table(lobby)
    for _ in range(MISSED[0]):
        await forget(den, den.channel.id, (await now(den, table)).place.lobby_message)
    assert len(den.messages(den.channel.id)) == 1
    await forget(den, den.channel.id, (await now(den, table)).place.lobby_message)
    assert den.messages(den.channel.id) == []
    assert (await now(den, table)).status is Status.LOBBY
    await den.ada.slash(den.channel, "table show", table=table.id)  # a person asks: here it is again
    assert "Join" in buttons(await den.lobby(table))


async def test_a_deleted_thread_is_left_for_a_new_place_by_itself(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    assert table.place.thread is not None
    den.env.backend.delete_channel(table.place.thread)
    await den.env.settle()
    board = await den.board(table)
    assert "Your move" in buttons(board)
    assert (await now(den, table)).place.table_message != table.place.table_message
    await den.turn((await den.to_act(table))[0], table)


async def test_a_locked_thread_is_left_for_the_channel_at_the_next_move(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    assert table.place.thread is not None
    actor = (await den.to_act(table))[0]
    sent = len(den.requests("POST", "/messages"))
    den.env.backend.edit_channel(table.place.thread, {}, thread_metadata={"archived": True, "locked": True})
    await den.env.settle()
    assert len(den.requests("POST", "/messages")) == sent  # nobody's lock is fought
    thread = f"/channels/{table.place.thread}"
    den.env.inject_error("*", f"{thread}*", status=400, code=50083, times=None)
    await actor.slash(den.channel, "5vor12 move", move="draw")
    after = await now(den, table)
    assert after.place.thread is None
    assert after.painted == after.revision
    assert "Your move" in buttons(await den.board(table))


async def test_a_deleted_channel_parks_its_tables_and_a_player_calls_one_elsewhere(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    actor = (await den.to_act(table))[0]
    elsewhere = den.guild.create_text_channel("elsewhere")
    for channel in (table.place.thread, den.channel.id):
        assert channel is not None
        den.env.backend.delete_channel(channel)
    await den.env.settle()
    assert den.bot.services.repaints.is_parked(table.id)
    assert (await now(den, table)).status is Status.PLAYING
    result = await actor.slash(elsewhere, "5vor12 move", move="draw")
    assert "Played" in answer(result)
    result = await den.cleo.slash(elsewhere, "table show", table=table.id)
    assert (await now(den, table)).place.channel == den.channel.id  # not by somebody who only looks

    await actor.slash(elsewhere, "table show")
    after = await now(den, table)
    assert after.place.channel == elsewhere.id
    board = await den.board(table)
    assert "Your move" in buttons(board)
    await actor.slash(elsewhere, "5vor12 move", move="leave")
    assert (await now(den, table)).painted == (await now(den, table)).revision


async def test_a_rematch_of_a_table_whose_channel_is_gone_opens_where_it_is_asked_for(den: Den) -> None:
    """It was announced, and its lobby posted nowhere."""
    table = await den.started(den.ada, den.ben, setup="sorted")
    await den.bot.tables.end_by_admin(table.id)
    await den.env.settle()
    elsewhere = den.guild.create_text_channel("elsewhere")
    for channel in (table.place.thread, den.channel.id):
        assert channel is not None
        den.env.backend.delete_channel(channel)
    await den.env.settle()
    result = await den.ada.slash(elsewhere, "table rematch", table=table.id)
    assert "rematch" in answer(result)
    await den.env.settle()
    [lobby] = [message for message in elsewhere.history() if "Start" in buttons(message)]
    assert "Ada" in text_of(lobby)


async def test_permissions_given_back_wake_what_was_parked_and_only_that(den: Den) -> None:
    assert den.bot.user is not None
    await den.bot.tables.set_guild(den.guild.id, threads=False)
    table = await den.started(den.ada, den.ben, setup="sorted")
    actor = (await den.to_act(table))[0]
    bot = den.bot.user.id
    silent = discord.Permissions(send_messages=True, view_channel=True).value
    den.env.backend.set_overwrite(den.channel.id, Overwrite(bot, OverwriteType.MEMBER, 0, silent))
    await den.env.settle()
    elsewhere = den.guild.create_text_channel("elsewhere")
    await actor.slash(elsewhere, "5vor12 move", move="draw")
    assert den.bot.services.repaints.is_parked(table.id)
    tried = len(den.env.http_requests)
    await den.env.advance_time(3600)
    assert len(den.env.http_requests) == tried  # nothing more is tried

    den.env.backend.delete_overwrite(den.channel.id, bot)
    await den.env.settle()
    after = await now(den, table)
    assert not den.bot.services.repaints.is_parked(table.id)
    assert after.painted == after.revision
    idle = len(den.env.http_requests)
    den.env.backend.set_overwrite(den.channel.id, Overwrite(bot, OverwriteType.MEMBER, 0, 0))
    await den.env.settle()
    assert len(den.env.http_requests) == idle  # nothing was behind: nothing is done


async def test_thrown_out_and_invited_again(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    guild = den.bot.get_guild(den.guild.id)
    assert guild is not None
    with den.env._bot_scope():
        await den.bot.on_guild_remove(guild)
    assert den.bot.services.repaints.is_parked(table.id)
    tried = len(den.env.http_requests)
    actor = (await den.to_act(table))[0]
    with den.env._bot_scope():
        await den.bot.tables.typed(table.id, Person(actor.id, "x"), "draw")
    await den.env.advance_time(7200)
    assert len(den.env.http_requests) == tried  # nothing is tried while it is away
    assert (await now(den, table)).status is Status.PLAYING

    assert table.place.thread is not None
    del den.env.backend.messages[table.place.thread][table.place.table_message]  # type: ignore[arg-type]
    with den.env._bot_scope():
        await den.bot.on_guild_join(guild)
    await den.env.settle()
    assert not den.bot.services.repaints.is_parked(table.id)
    assert "Your move" in buttons(await den.board(table))


@pytest.mark.parametrize("back", ["permission", "invited", "sweep"])
async def test_a_table_ended_where_the_bot_could_not_act_loses_its_controls_afterwards(
    den: Den, back: str
) -> None:
    assert den.bot.user is not None
    await den.bot.tables.set_guild(den.guild.id, threads=False)
    table = await den.started(den.ada, den.ben, setup="sorted")
    other = await den.started(den.cleo, den.dev, setup="sorted")
    bot = den.bot.user.id
    silent = discord.Permissions(send_messages=True, view_channel=True).value
    den.env.backend.set_overwrite(den.channel.id, Overwrite(bot, OverwriteType.MEMBER, 0, silent))
    await den.env.settle()
    with den.env._bot_scope():
        await den.bot.tables.end(table.id, Person(den.ada.id, "Ada"))
    await den.env.settle()
    assert custom_ids(await den.board(table)), "it could not be repainted"
    assert den.bot.services.repaints.is_parked(table.id)
    if back == "sweep":
        await den.env.advance_time(90_000)
        await den.env.settle()
        assert custom_ids(await den.board(table))
    with den.env._bot_scope():
        if back != "permission":
            den.bot.services.places.permissions_changed = _nothing  # type: ignore[assignment, method-assign]
        den.env.backend.delete_overwrite(den.channel.id, bot)
    await den.env.settle()
    if back == "invited":
        guild = den.bot.get_guild(den.guild.id)
        assert guild is not None
        with den.env._bot_scope():
            await den.bot.on_guild_join(guild)
    if back == "sweep":
        await den.env.advance_time(90_000)
        with den.env._bot_scope():
            await den.bot.services.repaints.sweep()
    await den.env.settle()
    assert custom_ids(await den.board(table)) == []
    assert "Your move" in buttons(await den.board(other))


async def _nothing(*_: object) -> None:
    """An event that never comes."""


async def test_a_channel_that_keeps_refusing_is_left_alone_until_something_changes(den: Den) -> None:
    io = den.bot.services.io
    den.env.inject_error("*", f"/channels/{den.channel.id}/*", status=403, code=50013, times=None)
    with den.env._bot_scope():
        for message in range(1, 20):
            await io.delete(den.channel.id, message)
        assert len(den.requests("DELETE")) == 5
        await den.bot.services.places.thread_changed(den.guild.id, den.channel.id)  # what opens one opens all
        await io.delete(den.channel.id, 99)
        assert len(den.requests("DELETE")) == 6
    den.env.backend.faults.clear()
    assert custom_ids(await den.new(den.ada))
