"""Turn notices and the table message: one ping per turn, on one way, and the board always found again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from simcord.actors import MemberActor

from bot.tables.model import Person, Status

from .den import Den, answer, buttons, custom_ids, links, text_of

MakeDen = Callable[..., Awaitable[Den]]


def pings(den: Den) -> list[list[str]]:
    """Whom each message that was sent (not edited) may ping, those that ping nobody left out."""
    sent = [r for r in den.env.http_requests if r.method == "POST" and r.path.endswith("/messages")]
    return [users for r in sent if (users := r.json["allowed_mentions"].get("users", []))]  # type: ignore[index]


async def test_the_start_of_a_set_up_is_told_once_and_the_last_one_missing_once_more(den: Den) -> None:
    table = await den.started(den.ada, den.ben, den.cleo)
    everybody = sorted(str(p.id) for p in (den.ada, den.ben, den.cleo))
    assert [sorted(map(str, users)) for users in pings(den)] == [everybody]
    board = await den.board(table)
    assert f"<@{den.ada.id}>" in text_of(board)

    await den.turn(den.ada, table)
    assert len(pings(den)) == 1
    page = await den.hand(den.ben, table)
    await den.step(den.ben, page)
    await den.step(den.ben, page)
    assert [list(map(str, users)) for users in pings(den)[1:]] == [[str(den.cleo.id)]]
    notice = (await den.bot.tables.table(table.id)).place.notice_message
    assert notice is not None


async def test_a_new_turn_takes_the_place_of_the_last_notice(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    first = (await den.to_act(table))[0]
    await den.turn(first, table)
    second = (await den.to_act(table))[0]
    assert second is not first
    place = (await den.bot.tables.table(table.id)).place
    assert place.thread is not None
    shown = den.messages(place.thread)
    assert place.notice_message is not None
    notice = den.look(place.thread, place.notice_message)
    assert notice is not None
    assert f"<@{second.id}>: it is your turn in 5 vor 12, table {table.id}." in text_of(notice)
    assert links(notice) == [
        f"https://discord.com/channels/{den.guild.id}/{place.thread}/{place.table_message}"
    ]
    assert custom_ids(notice) == []

    await den.turn(second, table)
    after = (await den.bot.tables.table(table.id)).place
    assert den.look(place.thread, place.notice_message) is None
    assert after.notice_message != place.notice_message
    assert len(den.messages(place.thread)) == len(shown)
    assert after.table_message == place.table_message  # it was edited in place


async def test_the_board_comes_down_when_people_talked_below_it(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    first = (await den.to_act(table))[0]
    thread = den.thread(await den.bot.tables.table(table.id))
    await den.cleo.send(thread, "what a game")
    before = (await den.bot.tables.table(table.id)).place
    await den.turn(first, table)
    place = (await den.bot.tables.table(table.id)).place
    assert place.table_message != before.table_message
    assert den.look(thread.id, before.table_message or 0) is None
    board = await den.board(table)
    second = (await den.to_act(table))[0]
    assert f"<@{second.id}>" in text_of(board)
    assert "Your move" in buttons(board)
    assert pings(den)[-1] == [second.id]  # type: ignore[comparison-overlap]


async def test_a_board_an_hour_old_is_sent_afresh_with_the_ping(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    before = (await den.bot.tables.table(table.id)).place.table_message
    await den.env.advance_time(3700)
    await den.turn((await den.to_act(table))[0], table)
    assert (await den.bot.tables.table(table.id)).place.table_message != before


async def test_notices_go_the_way_each_person_chose(den: Den) -> None:
    result = await den.ada.slash(den.channel, "profile")
    page = result.response
    assert page is not None
    await den.ada.select(page.message, ["dm"], custom_id="ps:-:0:set_user:notices")
    result = await den.ben.slash(den.channel, "profile")
    assert result.response is not None
    await den.ben.select(result.response.message, ["none"], custom_id="ps:-:0:set_user:notices")

    table = await den.started(den.ada, den.ben)
    assert pings(den) == []
    letters = den.messages(den.ada.user.dm_channel.id)
    assert len(letters) == 1
    assert "your turn" in text_of(letters[0]).lower()
    assert len(links(letters[0])) == 1
    owed = await den.bot.tables.owed_at(table.id)
    assert owed == []
    await den.ada.slash(den.thread(table), "table end")
    assert den.messages(den.ada.user.dm_channel.id) == []  # nothing that says it is still your turn


@pytest.mark.parametrize("game", ["5vor12", "topspot"])
async def test_those_of_an_expired_lobby_are_told_each_in_their_way(den: Den, game: str) -> None:
    """An edit of the lobby notifies nobody; one game has private hands, whose message is then sent afresh."""
    await den.bot.tables.set_user(den.ben.id, notices="dm")
    await den.bot.tables.set_user(den.cleo.id, notices="none")
    opened = await den.ada.slash(den.channel, f"{game} new")
    assert opened.response is not None
    lobby = opened.response.message
    for person in (den.ben, den.cleo):
        await person.click(den.fresh(lobby), label="Join")
    before = {person.id: dms(den, person) for person in (den.ada, den.ben, den.cleo)}
    sent = pings(den)
    table = await den.table(lobby)
    assert table.deadline is not None
    await den.env.advance_time((table.deadline - den.env.now()).total_seconds() + 1)
    told = [[str(den.ada.id)]]
    assert [list(map(str, users)) for users in pings(den)[len(sent) :]] == told
    notice = (await den.bot.tables.table(table.id)).place.notice_message
    assert notice is not None
    message = den.look(den.channel.id, notice)
    assert message is not None
    assert "in time, so table" in text_of(message)
    assert len(links(message)) == 1
    assert dms(den, den.ada) == before[den.ada.id]
    assert dms(den, den.cleo) == before[den.cleo.id]
    [letter] = dms(den, den.ben) - before[den.ben.id]
    said = den.look(den.ben.user.dm_channel.id, letter)
    assert said is not None
    assert "in time" in text_of(said)
    assert await den.bot.tables.owed() == []
    await den.env.advance_time(90_000)
    assert [list(map(str, users)) for users in pings(den)[len(sent) :]] == told, "once"


def dms(den: Den, person: MemberActor) -> set[int]:
    """The direct messages that are there."""
    return {message.id for message in den.messages(person.user.dm_channel.id)}


async def test_invited_again_the_bot_puts_up_its_tables_anew(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    place = (await den.bot.tables.table(table.id)).place
    assert place.thread is not None
    assert place.table_message is not None
    den.env.backend.delete_message(place.thread, place.table_message)
    guild = den.bot.get_guild(den.guild.id)
    assert guild is not None
    with den.env._bot_scope():
        await den.bot.on_guild_join(guild)
    await den.env.settle()
    assert "Your move" in buttons(await den.board(table))


async def test_a_closed_dm_costs_nothing_but_the_message(den: Den) -> None:
    await den.bot.tables.set_user(den.ada.id, notices="dm")
    den.env.inject_error("POST", f"/channels/{den.ada.user.dm_channel.id}/messages", status=403, code=50007)
    table = await den.started(den.ada, den.ben)
    assert (await den.bot.tables.user(den.ada.id)).dm_closed
    assert await den.bot.tables.owed_at(table.id) == []
    assert [list(map(str, users)) for users in pings(den)] == [[str(den.ben.id)]]
    assert "Played" in text_of(await den.turn(den.ada, table))


async def test_a_snoozed_turn_is_not_reminded_of(den: Den) -> None:
    table = await den.started(den.ada, den.ben, clock=3600)
    result = await den.ada.click(await den.board(table), label="Menu")
    assert result.response is not None
    await den.ada.click(result.response.message, label="Do not remind me")
    count = len(pings(den))
    await den.env.advance_time(1900)
    assert all(str(den.ada.id) not in map(str, users) for users in pings(den)[count:])
    assert any(str(den.ben.id) in map(str, users) for users in pings(den)[count:])


async def test_the_time_that_runs_out_plays_a_stand_in_move(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted", clock=300)
    assert "Time is up <t:" in text_of(await den.board(table))
    first = (await den.to_act(table))[0]
    await den.env.advance_time(301)
    assert (await den.to_act(table)) != [first]
    result = await first.slash(den.thread(table), "table history")
    assert "ran out of time" in answer(result) or "reveal" in answer(result).lower()


async def test_a_deleted_board_is_put_up_again(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    place = (await den.bot.tables.table(table.id)).place
    assert place.thread is not None
    assert place.table_message is not None
    den.env.backend.delete_message(place.thread, place.table_message)
    await den.env.settle()
    actor = (await den.to_act(table))[0]
    result = await actor.slash(den.thread(table), "table show")
    assert result.response is not None
    assert result.response.ephemeral
    board = await den.board(table)
    assert board.id != place.table_message
    assert "Your move" in buttons(board)


async def test_a_deleted_thread_sends_the_game_to_the_channel(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    place = (await den.bot.tables.table(table.id)).place
    actor = (await den.to_act(table))[0]
    page = await den.hand(actor, table)
    den.env.inject_error("*", f"/channels/{place.thread}/*", status=404, code=10003, times=None)
    result = await actor.slash(den.channel, "5vor12 move", move="draw")
    assert "Played" in answer(result)
    after = (await den.bot.tables.table(table.id)).place
    assert after.thread is None
    assert "Your move" in buttons(await den.board(table))
    assert page is not None


async def test_a_channel_without_permission_parks_the_table_and_it_wakes_again(den: Den) -> None:
    assert den.bot.user is not None
    await den.bot.tables.set_guild(den.guild.id, threads=False)
    table = await den.started(den.ada, den.ben, setup="sorted")
    actor = (await den.to_act(table))[0]
    page = await den.hand(actor, table)
    den.env.inject_error("PATCH", "/channels/*/messages/*", status=403, code=50013, times=3)
    den.env.inject_error("POST", "/channels/*/messages", status=403, code=50013, times=3)
    page = await den.step(actor, page)
    assert "Played" in text_of(page)
    behind = await den.bot.tables.table(table.id)
    assert behind.painted < behind.revision
    assert den.bot.services.repaints.is_parked(table.id)
    tried = len(den.env.http_requests)
    await den.env.advance_time(3600)
    assert len(den.env.http_requests) == tried  # nothing more is tried

    den.env.backend.faults.clear()
    await den.ada.click(await den.board(table), label="As text")
    now = await den.bot.tables.table(table.id)
    assert now.painted == now.revision


async def test_what_was_owed_and_unpainted_at_a_crash_is_done_once_at_the_start(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    actor = (await den.to_act(table))[0]
    den.env.inject_error("PATCH", "/channels/*/messages/*", status=500, times=5)
    den.env.inject_error("POST", "/channels/*/messages", status=500, times=5)
    loaded = await den.bot.tables.load(table.id)
    assert loaded.state is not None
    den.bot.background.closing = True  # the process dies before anything is painted
    await actor.slash(den.channel, "5vor12 move", move="draw")
    await actor.slash(den.channel, "5vor12 move", move="leave")
    behind = await den.bot.tables.table(table.id)
    assert behind.painted < behind.revision
    assert len(await den.bot.tables.owed_at(table.id)) == 1
    den.env.backend.faults.clear()
    count = len(pings(den))

    await den.restart()

    now = await den.bot.tables.table(table.id)
    assert now.painted == now.revision
    assert await den.bot.tables.owed_at(table.id) == []
    other = (await den.to_act(table))[0]
    assert [list(map(str, users)) for users in pings(den)[count:]] == [[str(other.id)]]


async def test_repaints_of_one_message_are_joined(make_den: MakeDen) -> None:
    den = await make_den(pace=1.0)
    lobby = await den.new(den.ada, players=4)
    table = await den.table(lobby)
    edits = len(den.requests("PATCH"))
    with den.env._bot_scope():
        for person in (den.ben, den.cleo, den.dev):
            await den.bot.tables.join(table.id, Person(person.id, person.user.global_name or ""))
    await den.env.settle()
    assert "4. Dev" in text_of(den.fresh(lobby))
    assert len(den.requests("PATCH")) - edits <= 2


async def test_a_table_ended_by_its_host_has_no_live_control(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    actor = (await den.to_act(table))[0]
    page = await den.hand(actor, table)
    await den.ada.slash(den.thread(table), "table end")
    assert (await den.bot.tables.table(table.id)).status is Status.ENDED
    board = await den.board(table)
    assert custom_ids(board) == []
    assert "host ended" in text_of(board)
    await den.step(actor, page)
    page = den.fresh(page)
    assert "over" in text_of(page)
    assert custom_ids(page) == []
    place = (await den.bot.tables.table(table.id)).place
    assert place.notice_message is None
