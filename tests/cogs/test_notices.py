"""Turn notices and the table message: one ping per turn, on one way, and the board always found again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from simcord.actors import MemberActor

from bot.tables.model import Person, Status
from tests.sweeps import swept
from tests.tables.support import all_owed

from .sim import Sim, acting, answer, buttons, custom_id, custom_ids, links, text_of

MakeSim = Callable[..., Awaitable[Sim]]


def pings(sim: Sim) -> list[list[str]]:
    """Whom each message that was sent (not edited) may ping, those that ping nobody left out."""
    sent = [r for r in sim.env.http_requests if r.method == "POST" and r.path.endswith("/messages")]
    return [users for r in sent if (users := r.json["allowed_mentions"].get("users", []))]  # type: ignore[index]


async def test_the_start_of_a_set_up_is_told_once_and_the_last_one_missing_once_more(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo)
    everybody = sorted(str(p.id) for p in (sim.ada, sim.ben, sim.cleo))
    assert [sorted(map(str, users)) for users in pings(sim)] == [everybody]
    board = await sim.board(table)
    assert f"<@{sim.ada.id}>" in text_of(board)

    await sim.turn(sim.ada, table)
    assert len(pings(sim)) == 1
    page = await sim.hand(sim.ben, table)
    await sim.step(sim.ben, page)
    await sim.step(sim.ben, page)
    assert [list(map(str, users)) for users in pings(sim)[1:]] == [[str(sim.cleo.id)]]
    notice = (await sim.bot.tables.table(table.id)).place.notice_message
    assert notice is not None


async def test_a_new_turn_takes_the_place_of_the_last_notice(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    first = (await sim.to_act(table))[0]
    await sim.turn(first, table)
    second = (await sim.to_act(table))[0]
    assert second is not first
    place = (await sim.bot.tables.table(table.id)).place
    assert place.thread is not None
    shown = sim.messages(place.thread)
    assert place.notice_message is not None
    notice = sim.look(place.thread, place.notice_message)
    assert notice is not None
    assert f"<@{second.id}>: it is your turn in 5 vor 12." in text_of(notice)
    assert links(notice) == [
        f"https://discord.com/channels/{sim.guild.id}/{place.thread}/{place.table_message}"
    ]
    assert buttons(notice)[0] == "Your move"
    pressed = await second.click(notice, label="Your move")
    assert pressed.response is not None
    assert pressed.response.ephemeral

    await sim.turn(second, table)
    assert sim.look(place.thread, place.notice_message) is None, "it calls nobody any more"
    assert len(sim.messages(place.thread)) == len(shown) - 1, "who is at the table needs none"
    await sim.env.advance_time(121)
    after = (await sim.bot.tables.table(table.id)).place
    assert after.notice_message not in {None, place.notice_message}
    assert len(sim.messages(place.thread)) == len(shown)
    assert after.table_message == place.table_message  # it was edited in place


async def test_a_notice_goes_with_the_move_though_the_same_person_is_due_again(sim: Sim) -> None:
    """Its lines would be those of the turn before."""
    lobby = (await sim.ada.slash(sim.channel, "topspot new", players=3)).response
    assert lobby is not None
    for person in (sim.ben, sim.cleo):
        await person.click(sim.fresh(lobby.message), label="Join")
    table = await sim.table(lobby.message)
    await sim.ada.click(sim.fresh(lobby.message), label="Start")
    await sim.env.advance_time(121)
    again = 0
    for _ in range(12):
        [before] = await sim.to_act(table)
        told = (await sim.bot.tables.table(table.id)).place.notice_message
        now = await sim.hurry(table, most=1)
        if await sim.to_act(table) == [before] and told is not None:
            again += 1
            assert now.place.notice_message is None
            assert now.place.thread is not None
            assert sim.look(now.place.thread, told) is None
    assert again


async def test_the_board_comes_down_when_people_talked_below_it(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    first = (await sim.to_act(table))[0]
    thread = sim.thread(await sim.bot.tables.table(table.id))
    await sim.cleo.send(thread, "what a game")
    before = (await sim.bot.tables.table(table.id)).place
    await sim.turn(first, table)
    place = (await sim.bot.tables.table(table.id)).place
    assert place.table_message != before.table_message
    assert sim.look(thread.id, before.table_message or 0) is None
    board = await sim.board(table)
    second = (await sim.to_act(table))[0]
    assert f"<@{second.id}>" in text_of(board)
    assert "Your move" in buttons(board)
    assert pings(sim)[-1] == [second.id]  # type: ignore[comparison-overlap]


async def test_a_board_an_hour_old_is_sent_afresh_with_the_ping(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    before = (await sim.bot.tables.table(table.id)).place.table_message
    await sim.env.advance_time(3700)
    await sim.turn((await sim.to_act(table))[0], table)
    assert (await sim.bot.tables.table(table.id)).place.table_message != before


async def test_notices_go_the_way_each_person_chose(sim: Sim) -> None:
    result = await sim.ada.slash(sim.channel, "profile")
    page = result.response
    assert page is not None
    await sim.ada.select(page.message, ["dm"], custom_id="ps:-:0:set_user:notices")
    result = await sim.ben.slash(sim.channel, "profile")
    assert result.response is not None
    await sim.ben.select(result.response.message, ["none"], custom_id="ps:-:0:set_user:notices")

    table = await sim.started(sim.ada, sim.ben)
    assert pings(sim) == []
    letters = sim.messages(sim.ada.user.dm_channel.id)
    assert len(letters) == 1
    assert "your turn" in text_of(letters[0]).lower()
    assert len(links(letters[0])) == 1
    owed = await sim.bot.services.shown.owed_at(table.id)
    assert owed == []
    await sim.ada.slash(sim.thread(table), "table end")
    assert sim.messages(sim.ada.user.dm_channel.id) == []  # nothing that says it is still your turn


@pytest.mark.parametrize("game", swept(["5vor12", "topspot"]))
async def test_those_of_an_expired_lobby_are_told_each_in_their_way(sim: Sim, game: str) -> None:
    """An edit of the lobby notifies nobody; one game has private hands, whose message is then sent afresh."""
    await sim.bot.tables.set_user(sim.ben.id, notices="dm")
    await sim.bot.tables.set_user(sim.cleo.id, notices="none")
    opened = await sim.ada.slash(sim.channel, f"{game} new")
    assert opened.response is not None
    lobby = opened.response.message
    for person in (sim.ben, sim.cleo):
        await person.click(sim.fresh(lobby), label="Join")
    before = {person.id: dms(sim, person) for person in (sim.ada, sim.ben, sim.cleo)}
    sent = pings(sim)
    table = await sim.table(lobby)
    assert table.deadline is not None
    await sim.env.advance_time((table.deadline - sim.env.now()).total_seconds() + 1)
    told = [[str(sim.ada.id)]]
    assert [list(map(str, users)) for users in pings(sim)[len(sent) :]] == told
    notice = (await sim.bot.tables.table(table.id)).place.notice_message
    assert notice is not None
    message = sim.look(sim.channel.id, notice)
    assert message is not None
    assert "in time, so table" in text_of(message)
    assert len(links(message)) == 1
    assert dms(sim, sim.ada) == before[sim.ada.id]
    assert dms(sim, sim.cleo) == before[sim.cleo.id]
    [letter] = dms(sim, sim.ben) - before[sim.ben.id]
    said = sim.look(sim.ben.user.dm_channel.id, letter)
    assert said is not None
    assert "in time" in text_of(said)
    assert await all_owed(sim.bot.services.shown) == []
    await sim.env.advance_time(90_000)
    assert [list(map(str, users)) for users in pings(sim)[len(sent) :]] == told, "once"


async def test_what_was_never_played_is_opened_anew_and_not_for_a_rematch(sim: Sim) -> None:
    opened = await sim.ada.slash(sim.channel, "5vor12 new")
    assert opened.response is not None
    table = await sim.table(opened.response.message)
    await sim.ben.click(sim.fresh(opened.response.message), label="Join")
    assert table.deadline is not None
    await sim.env.advance_time((table.deadline - sim.env.now()).total_seconds() + 1)
    said = answer(await sim.ada.slash(sim.channel, "table rematch", table=table.id))
    again = await sim.bot.tables.rematch_of(await sim.bot.tables.table(table.id))
    assert again is not None
    assert said == f"The table is opened anew, as table {again.id}."
    await sim.ada.click(await sim.lobby(again), label="Start")
    said = answer(await sim.ben.slash(sim.channel, "table rematch", table=table.id))
    assert said == f"The table was opened anew and its game has begun already: table {again.id}."


def dms(sim: Sim, person: MemberActor) -> set[int]:
    """The direct messages that are there."""
    return {message.id for message in sim.messages(person.user.dm_channel.id)}


async def test_invited_again_the_bot_puts_up_its_tables_anew(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    place = (await sim.bot.tables.table(table.id)).place
    assert place.thread is not None
    assert place.table_message is not None
    sim.env.backend.delete_message(place.thread, place.table_message)
    guild = sim.bot.get_guild(sim.guild.id)
    assert guild is not None
    with sim.env._bot_scope():
        await sim.bot.on_guild_join(guild)
    await sim.env.settle()
    assert "Your move" in buttons(await sim.board(table))


async def test_a_closed_dm_costs_nothing_but_the_message(sim: Sim) -> None:
    await sim.bot.tables.set_user(sim.ada.id, notices="dm")
    sim.env.inject_error("POST", f"/channels/{sim.ada.user.dm_channel.id}/messages", status=403, code=50007)
    table = await sim.started(sim.ada, sim.ben)
    assert (await sim.bot.tables.user(sim.ada.id)).dm_closed
    assert await sim.bot.services.shown.owed_at(table.id) == []
    assert [list(map(str, users)) for users in pings(sim)] == [[str(sim.ben.id)]]
    assert "Played" in text_of(await sim.turn(sim.ada, table))


async def test_a_snoozed_turn_is_not_reminded_of(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, clock=3600)
    result = await sim.ada.click(await sim.board(table), label="Menu")
    assert result.response is not None
    await sim.ada.click(result.response.message, label="Do not remind me")
    count = len(pings(sim))
    await sim.env.advance_time(1900)
    assert all(str(sim.ada.id) not in map(str, users) for users in pings(sim)[count:])
    assert any(str(sim.ben.id) in map(str, users) for users in pings(sim)[count:])


async def test_the_time_that_runs_out_plays_a_stand_in_move(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted", clock=300)
    assert "Time is up <t:" in text_of(await sim.board(table))
    first = (await sim.to_act(table))[0]
    await sim.env.advance_time(301)
    assert (await sim.to_act(table)) != [first]
    result = await first.slash(sim.thread(table), "table history")
    assert "ran out of time" in answer(result) or "reveal" in answer(result).lower()


async def test_a_deleted_board_is_put_up_again(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    place = (await sim.bot.tables.table(table.id)).place
    assert place.thread is not None
    assert place.table_message is not None
    sim.env.backend.delete_message(place.thread, place.table_message)
    await sim.env.settle()
    actor = (await sim.to_act(table))[0]
    result = await actor.slash(sim.thread(table), "table show")
    assert result.response is not None
    assert result.response.ephemeral
    board = await sim.board(table)
    assert board.id != place.table_message
    assert "Your move" in buttons(board)


async def test_a_deleted_thread_sends_the_game_to_the_channel(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    place = (await sim.bot.tables.table(table.id)).place
    actor = (await sim.to_act(table))[0]
    page = await sim.hand(actor, table)
    sim.env.inject_error("*", f"/channels/{place.thread}/*", status=404, code=10003, times=None)
    result = await sim.types(actor, sim.channel, "5vor12", move="draw")
    assert "Played" in answer(result)
    after = (await sim.bot.tables.table(table.id)).place
    assert after.thread is None
    assert "Your move" in buttons(await sim.board(table))
    assert page is not None


async def test_a_channel_without_permission_parks_the_table_and_it_wakes_again(sim: Sim) -> None:
    assert sim.bot.user is not None
    await sim.bot.tables.set_guild(sim.guild.id, threads=False)
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    page = await sim.hand(actor, table)
    sim.env.inject_error("PATCH", "/channels/*/messages/*", status=403, code=50013, times=3)
    sim.env.inject_error("POST", "/channels/*/messages", status=403, code=50013, times=3)
    page = await sim.step(actor, page)
    assert "Played" in text_of(page)
    behind = await sim.bot.tables.table(table.id)
    assert behind.painted < behind.revision
    assert await sim.parked(table)
    tried = len(sim.env.http_requests)
    await sim.env.advance_time(3600)
    [closed] = sim.env.http_requests[tried:]  # nothing more is tried
    assert "/webhooks/" in closed.path, "the panel's last edit"

    sim.env.backend.faults.clear()
    await sim.ada.click(await sim.board(table), label="As text")
    now = await sim.bot.tables.table(table.id)
    assert now.painted == now.revision


async def test_what_was_owed_and_unpainted_at_a_crash_is_done_once_at_the_start(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    sim.env.inject_error("PATCH", "/channels/*/messages/*", status=500, times=5)
    sim.env.inject_error("POST", "/channels/*/messages", status=500, times=5)
    loaded = await sim.bot.tables.load(table.id)
    assert loaded.state is not None
    sim.bot.background.closing = True  # the process dies before anything is painted
    await sim.types(actor, sim.channel, "5vor12", move="draw")
    await sim.types(actor, sim.channel, "5vor12", move="leave")
    behind = await sim.bot.tables.table(table.id)
    assert behind.painted < behind.revision
    assert len(await sim.bot.services.shown.owed_at(table.id)) == 1
    sim.env.backend.faults.clear()
    count = len(pings(sim))

    await sim.restart()

    now = await sim.bot.tables.table(table.id)
    assert now.painted == now.revision
    assert await sim.bot.services.shown.owed_at(table.id) == []
    other = (await sim.to_act(table))[0]
    assert [list(map(str, users)) for users in pings(sim)[count:]] == [[str(other.id)]]


async def test_repaints_of_one_message_are_joined(make_sim: MakeSim) -> None:
    sim = await make_sim(pace=1.0)
    lobby = await sim.new(sim.ada, players=4)
    table = await sim.table(lobby)
    edits = len(sim.requests("PATCH"))
    with sim.env._bot_scope():
        for person in (sim.ben, sim.cleo, sim.dev):
            await sim.bot.tables.join(table.id, Person(person.id, person.user.global_name or ""))
    await sim.env.advance_time(1.0)
    assert "4. Dev" in text_of(sim.fresh(lobby))
    assert len(sim.requests("PATCH")) - edits <= 2


async def test_a_table_ended_by_its_host_has_no_live_control(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    page = await sim.hand(actor, table)
    act = custom_id(page, "act")
    await sim.ada.slash(sim.thread(table), "table end")
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED
    board = await sim.board(table)
    assert custom_ids(board) == []
    assert "host ended" in text_of(await sim.final(table))
    assert acting(sim.fresh(page)) == []
    await sim.press(actor, page, act)  # it was on the screen a moment ago
    assert "over" in text_of(sim.fresh(page))
    assert acting(sim.fresh(page)) == []
    place = (await sim.bot.tables.table(table.id)).place
    assert place.notice_message is None
