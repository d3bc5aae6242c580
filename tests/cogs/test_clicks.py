"""Clicks that come late, twice, from the wrong person or from another time: one effect at most, and an
answer."""

from __future__ import annotations

import pytest

from bot.tables.model import Person, Status, VoteKind
from tests.sweeps import swept

from .sim import (
    Sim,
    answer,
    buttons,
    choosable,
    controls,
    custom_id,
    custom_ids,
    entries,
    links,
    text_of,
    ways,
)
from .tabletop import opened


async def test_a_second_click_on_the_same_confirmation_says_that_it_was_played(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben)
    page = await sim.step(sim.ada, await sim.hand(sim.ada, table))
    play = custom_id(page, "play")
    await sim.press(sim.ada, page, play)
    revision = (await sim.bot.tables.table(table.id)).revision
    for _ in range(2):
        result = await sim.press(sim.ada, page, play)
        assert (await sim.bot.tables.table(table.id)).revision == revision
        assert "Played" in answer(result)
        assert "nothing for you to decide" not in answer(result)
        assert not choosable(sim.fresh(page))
    result = await sim.press(sim.ben, page, play)
    assert "Played" not in answer(result), "it was not Ben's tap"


async def test_a_second_click_on_an_act_says_so_and_shows_what_comes_next(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    page = await sim.hand(actor, table)
    reveal = custom_id(page, "act")
    await sim.press(actor, page, reveal)
    result = await sim.press(actor, page, reveal)
    assert "Played" in answer(result)
    assert choosable(sim.fresh(page)), "the revealed tile is still to be laid"
    await sim.bot.tables.end_by_admin(table.id)
    result = await sim.press(actor, page, reveal)
    assert "Played" in answer(result)
    assert not choosable(sim.fresh(page))


async def test_a_confirmation_taken_back_was_not_played(sim: Sim) -> None:
    """The button of a move that was undone is an old one."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    page = await sim.step(actor, await sim.hand(actor, table))
    while not (play := controls(page, "play")):
        page = await sim.choose(actor, page, entries(page)[0])
    await actor.click(page, custom_id=play[0])
    assert "Played" in text_of(sim.fresh(page))
    result = await sim.press(actor, page, play[0])
    assert "Played" in answer(result)
    seat = table.seat_of(actor.id)
    assert seat is not None
    for person in (actor, sim.ben if actor is sim.ada else sim.ada):
        await sim.bot.tables.vote(table.id, Person(person.id, "x"), VoteKind.UNDO, seat.index)
    result = await sim.press(actor, page, play[0])
    assert "Played" not in answer(result)
    assert "earlier moment" in answer(result)


async def test_twenty_clicks_are_all_answered_and_one_counts(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    page = await sim.hand(actor, table)
    act = custom_id(page, "act")
    revision = (await sim.bot.tables.table(table.id)).revision
    for _ in range(20):
        result = await sim.press(actor, page, act)
        assert result.acknowledged
    assert (await sim.bot.tables.table(table.id)).revision == revision + 1


async def test_somebody_elses_choice_cannot_be_pressed(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    other = sim.ben if actor is sim.ada else sim.ada
    board = await sim.board(table)
    page = await sim.hand(actor, table)
    act = custom_id(page, "act")
    revision = (await sim.bot.tables.table(table.id)).revision
    result = await sim.press(other, board, act)
    assert "nothing for you to decide" in answer(result)
    result = await sim.press(sim.cleo, board, act)
    assert "not sitting" in answer(result)
    assert (await sim.bot.tables.table(table.id)).revision == revision


async def test_who_does_not_sit_here_is_told_so_and_may_read(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben)
    board = await sim.board(table)
    result = await sim.cleo.click(board, label="Your move")
    assert "not sitting" in answer(result)
    assert result.response is not None
    assert result.response.ephemeral
    result = await sim.cleo.click(board, label="As text")
    assert "Board of Ada" in answer(result)
    result = await sim.cleo.click(board, label="Menu")
    assert result.response is not None
    assert "Resign" not in buttons(result.response)


async def test_whose_turn_it_is_not_sees_the_board_and_the_way_back(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    other = sim.ben if actor is sim.ada else sim.ada
    page = await sim.hand(other, table)
    assert not choosable(page)
    assert f"**{actor.user.global_name}**" in text_of(page)
    assert len(page.attachments) == 1
    assert len(links(page)) == 1


async def test_another_players_set_up_makes_no_menu_stale(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben)
    page = await sim.hand(sim.ada, table)
    await sim.turn(sim.ben, table)
    page = await sim.step(sim.ada, page)
    page = await sim.step(sim.ada, page)
    assert "Played" in text_of(page)


async def test_a_step_of_an_older_draft_is_answered_with_the_current_one(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="free")
    first = await sim.hand(sim.ada, table)
    tiles = entries(first)
    second = await sim.hand(sim.ada, table)
    await sim.choose(sim.ada, second, tiles[0])
    result = await sim.press(sim.ada, second, ways(first)[tiles[1]])
    assert "earlier moment" in answer(result)
    seen = await sim.bot.tables.view(table.id, sim.ada.id)
    assert seen.draft == tiles[0]


@pytest.mark.parametrize(
    "custom_id",
    swept(
        [
            "pb:000000:1:nonsense:x",
            "pb:zzz",
            "ps:000000:1:pick:000000",
            "pb:000000:99999:act:e3b0c4.nothing",
            "pb:000000:1:section:nogame.1",
            "pb:-:0:rules:fivetotwelve.x",
            "pb:-:0:move:",
            "pb:000000:1:yes:end.",
            "pb:000000:1:yes:bogus.7",
            "pb:000000:1:ask:kick.9",
            "pb:ZZZZZZ:1:join:",
        ],
        daily=4,
    ),
)
async def test_an_id_that_matches_nothing_is_answered(sim: Sim, custom_id: str) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    revision = (await sim.bot.tables.table(table.id)).revision
    values = ["x"] if custom_id.startswith("ps:") else None
    custom_id = custom_id.replace("000000", table.id, 1)
    result = await sim.press(sim.ada, await sim.board(table), custom_id, values)
    assert result.acknowledged
    assert answer(result)
    assert "wrong on my side" not in answer(result)
    assert (await sim.bot.tables.table(table.id)).revision == revision


async def test_resigning_asks_first_and_a_stand_in_plays_on(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    result = await sim.ada.click(await sim.board(table), label="Menu")
    assert result.response is not None
    page = result.response.message
    await sim.ada.click(page, label="Resign")
    assert (await sim.bot.tables.table(table.id)).seat_of(sim.ada.id) is not None
    await sim.ada.click(sim.fresh(page), label="Yes, resign")
    now = await sim.bot.tables.table(table.id)
    assert now.seat_of(sim.ada.id) is None
    assert now.status is Status.PLAYING
    assert "stand-in" in text_of(await sim.board(table))


async def test_who_resigns_comes_back_only_if_the_others_open_the_seat(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    where = sim.thread(table)
    result = await sim.ada.slash(where, "table resign")
    assert "come back to your seat only if the others open it" in answer(result)
    assert result.response is not None
    await sim.ada.click(result.response.message, label="Yes, resign")
    await sim.ada.slash(where, "table seat", number=1)
    assert (await sim.bot.tables.table(table.id)).seat_of(sim.ada.id) is None
    for other in (sim.ben, sim.cleo):
        await other.slash(where, "table vote", question="open_seat", seat=1)
    await sim.ada.slash(where, "table seat", number=1)
    seat = (await sim.bot.tables.table(table.id)).seat_of(sim.ada.id)
    assert seat is not None
    assert seat.index == 0


async def test_below_the_smallest_number_the_table_ends_with_a_message(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    result = await sim.ada.slash(sim.thread(table), "table resign")
    assert result.response is not None
    await sim.ada.click(result.response.message, label="Yes, resign")
    board = await sim.board(table)
    assert custom_ids(board) == []
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED
    assert await sim.bot.tables.tables_of(sim.ben.id) == []


async def test_a_vote_to_end_is_asked_and_answered_in_the_menu(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    result = await sim.ada.click(await sim.board(table), label="Menu")
    assert result.response is not None
    await sim.ada.click(result.response.message, label="Vote to end")
    result = await sim.ben.click(await sim.board(table), label="Menu")
    assert "End the table?" in answer(result)
    assert "Ada" in answer(result)
    assert result.response is not None
    await sim.ben.click(result.response.message, label="Yes")
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED
    assert "voted to end" in text_of(await sim.final(table))


async def test_a_pause_stops_moves_until_all_want_to_go_on(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    page = await sim.hand(actor, table)
    reveal = custom_id(page, "act")
    for person in (sim.ada, sim.ben):
        result = await person.click(await sim.board(table), label="Menu")
        assert result.response is not None
        wanted = "Yes" if "Yes" in buttons(result.response) else "Ask for a pause"
        await person.click(result.response.message, label=wanted)
    assert (await sim.bot.tables.table(table.id)).status is Status.PAUSED
    assert "paused" in text_of(await sim.board(table))
    result = await sim.press(actor, await sim.board(table), reveal)
    assert result.response is not None
    assert "paused" in answer(result)
    assert not choosable(result.response)
    for person in (sim.ada, sim.ben):
        result = await person.click(await sim.board(table), label="Menu")
        assert result.response is not None
        wanted = "Yes" if "Yes" in buttons(result.response) else "Go on"
        await person.click(result.response.message, label=wanted)
    assert (await sim.bot.tables.table(table.id)).status is Status.PLAYING


async def test_a_typed_move_that_cannot_be_taken_back_is_confirmed(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    revision = (await sim.bot.tables.table(table.id)).revision
    for leaves in ("Back", "Play it"):
        result = await actor.slash(sim.channel, "5vor12 move", move="Draw")
        assert "You wrote draw. Play it?" in answer(result)
        assert result.response is not None
        page = result.response.message
        assert buttons(page) == ["Play it", "Back"]
        assert (await sim.bot.tables.table(table.id)).revision == revision
        await actor.click(page, label=leaves)
    assert "Played" in text_of(sim.fresh(page))
    assert (await sim.bot.tables.table(table.id)).revision == revision + 1


async def test_who_is_quick_plays_at_once_what_they_can_take_back_and_is_asked_for_the_rest(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, sim.ben, players=2)
    actor = (await sim.to_act(table))[0]
    await sim.bot.tables.set_user(actor.id, quick=True)
    page = await sim.hand(actor, table)
    before, last = page, ""
    while (await sim.bot.tables.table(table.id)).undoable is None:
        before, last = page, ways(page)[entries(page)[0]]
        page = await sim.choose(actor, page, entries(page)[0])
    assert "Played" in text_of(page)
    assert "Take back" in buttons(page)
    assert "Played" in answer(await sim.press(actor, before, last)), "the second tap of two"
    await actor.click(sim.fresh(page), label="Take back")
    assert (await sim.bot.tables.table(table.id)).undoable is None
    page = await sim.choose(actor, sim.fresh(page), "pass")
    revision = (await sim.bot.tables.table(table.id)).revision
    for value in entries(page)[:1]:
        page = await sim.choose(actor, page, value)
    assert controls(page, "play")
    assert (await sim.bot.tables.table(table.id)).revision == revision, "a pass draws or ends the turn"
