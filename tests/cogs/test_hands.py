"""Private hands by direct message: from sitting down to the end, within a budget, to nobody else."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from simcord.actors import MemberActor

from bot.discord_io import DMS_AT_ONCE, DMS_KEPT_BACK, SECONDS_PER_DM
from bot.tables.model import Status, Table
from tests.sweeps import swept_rows

from .sim import Sim, acting, alt_texts, answer, buttons, choosable, custom_ids, entries, links, text_of


async def lobby_of(sim: Sim, host: MemberActor, *others: MemberActor, **options: Any) -> discord.Message:
    result = await host.slash(sim.channel, "topominos new", players=1 + max(1, len(others)), **options)
    assert result.response is not None
    lobby = result.response.message
    for person in others:
        await person.click(sim.fresh(lobby), label="Join")
    return lobby


async def game_of(sim: Sim, host: MemberActor, *others: MemberActor, **options: Any) -> Table:
    lobby = await lobby_of(sim, host, *others, **options)
    table = await sim.table(lobby)
    await host.click(sim.fresh(lobby), label="Start")
    return await sim.bot.tables.table(table.id)


def direct_messages(sim: Sim, person: MemberActor) -> list[discord.Message]:
    return sim.messages(person.user.dm_channel.id)


def openings(sim: Sim) -> int:
    return len(sim.requests("POST", "/users/@me/channels"))


async def test_the_first_message_comes_on_sitting_down_and_becomes_the_hand(sim: Sim) -> None:
    lobby = await lobby_of(sim, sim.ada, sim.ben)
    (welcome,) = direct_messages(sim, sim.ben)
    assert "You sit at this table" in text_of(welcome)
    assert "becomes your hand" in text_of(welcome)
    assert welcome.flags.suppress_notifications, "there is nothing to do yet"
    assert custom_ids(welcome) == []
    assert links(welcome) == [f"https://discord.com/channels/{sim.guild.id}/{sim.channel.id}/{lobby.id}"]
    assert direct_messages(sim, sim.cleo) == direct_messages(sim, sim.dev) == []

    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    for person in (sim.ada, sim.ben):
        (hand,) = direct_messages(sim, person)
        assert "Your rack" in alt_texts(hand)[0]
    (hand,) = direct_messages(sim, sim.ben)
    assert hand.id == welcome.id  # edited in place
    assert direct_messages(sim, sim.cleo) == direct_messages(sim, sim.dev) == []
    actor = (await sim.to_act(table))[0]
    (hand,) = direct_messages(sim, actor)
    assert choosable(hand)


async def test_a_move_is_made_from_the_private_message_and_it_follows_the_game(sim: Sim) -> None:
    table = await game_of(sim, sim.ada, sim.ben)
    actor = (await sim.to_act(table))[0]
    (hand,) = direct_messages(sim, actor)
    revision = (await sim.bot.tables.table(table.id)).revision
    for _ in range(8):
        hand = sim.fresh(hand)
        if (await sim.bot.tables.table(table.id)).revision > revision:
            break
        labels = buttons(hand)
        if "Play it" in labels:
            await actor.user.click(hand, label="Play it")
        elif entries(hand):
            await sim.choose(actor.user, hand, entries(hand)[0])
        else:
            await actor.user.click(hand, label=labels[0])
    assert (await sim.bot.tables.table(table.id)).revision > revision
    other = sim.ben if actor is sim.ada else sim.ada
    assert len(direct_messages(sim, actor)) == len(direct_messages(sim, other)) == 1


async def test_leaving_the_lobby_takes_the_message_back_and_others_keep_theirs(sim: Sim) -> None:
    lobby = await lobby_of(sim, sim.ada, sim.ben, sim.cleo)
    (cleos,) = direct_messages(sim, sim.cleo)
    await sim.ben.click(sim.fresh(lobby), label="Leave")
    assert direct_messages(sim, sim.ben) == []
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    (hand,) = direct_messages(sim, sim.cleo)
    assert hand.id == cleos.id
    assert "Your rack" in alt_texts(hand)[0]
    assert (await sim.bot.tables.table(table.id)).seats[1].hand_message == cleos.id


@pytest.mark.parametrize("started", [False, True])
async def test_at_the_end_private_messages_say_how_and_can_do_nothing(sim: Sim, started: bool) -> None:
    lobby = await lobby_of(sim, sim.ada, sim.ben)
    table = await sim.table(lobby)
    if started:
        await sim.ada.click(sim.fresh(lobby), label="Start")
        await sim.ada.slash(sim.thread(await sim.bot.tables.table(table.id)), "table end")
    else:
        await sim.ada.click(sim.fresh(lobby), label="Cancel")
    for person in (sim.ada, sim.ben):
        (letter,) = direct_messages(sim, person)
        assert acting(letter) == []
        assert buttons(letter) == (["Rematch", "Record", "History"] if started else [])
        assert ("host ended" if started else "cancelled") in text_of(letter)


async def test_who_resigns_keeps_no_hand(sim: Sim) -> None:
    table = await game_of(sim, sim.ada, sim.ben, sim.cleo)
    result = await sim.ben.slash(sim.thread(table), "table resign")
    assert result.response is not None
    await sim.ben.click(result.response.message, label="Yes, resign")
    (letter,) = direct_messages(sim, sim.ben)
    assert custom_ids(letter) == []
    assert alt_texts(letter) == []
    assert "You have left this game" in text_of(letter)
    assert (await sim.bot.tables.table(table.id)).seats[1].hand_message is None


async def test_a_game_without_hidden_hands_sends_none(sim: Sim) -> None:
    await sim.started(sim.ada, sim.ben)
    assert direct_messages(sim, sim.ada) == direct_messages(sim, sim.ben) == []
    assert openings(sim) == 0


@pytest.mark.parametrize(("status", "code"), swept_rows([(403, 50007), (400, 40003)]))
async def test_closed_messages_are_told_once_at_the_next_click_and_nothing_is_posted(
    sim: Sim, status: int, code: int
) -> None:
    path = "/users/@me/channels" if code == 40003 else f"/channels/{sim.ben.user.dm_channel.id}/messages"
    lobby = await lobby_of(sim, sim.ada)
    sim.env.inject_error("POST", path, status=status, code=code, times=None)
    await sim.ben.click(sim.fresh(lobby), label="Join")
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    table = await sim.bot.tables.table(table.id)
    assert table.status is Status.PLAYING
    assert table.place.thread is not None
    for message in sim.messages(sim.channel.id) + sim.messages(table.place.thread):
        assert "direct message" not in text_of(message)

    hand = await sim.ben.click(await sim.board(table), label="My hand")
    assert "cannot send you direct messages" in answer(hand)
    assert "Your rack" in alt_texts(hand.response.message if hand.response else None)[0]  # type: ignore[arg-type]
    again = await sim.ben.click(await sim.board(table), label="My hand")
    assert "cannot send you direct messages" not in answer(again)
    tried = len(sim.requests("POST", path))
    await sim.hurry(table, most=6)
    assert len(sim.requests("POST", path)) == tried  # once is enough for a day
    assert direct_messages(sim, sim.ben) == []


async def test_a_click_that_shows_nothing_tells_it_too(sim: Sim) -> None:
    sim.env.inject_error(
        "POST", f"/channels/{sim.ada.user.dm_channel.id}/messages", status=403, code=50007, times=None
    )
    lobby = await lobby_of(sim, sim.ada)
    await sim.ben.click(sim.fresh(lobby), label="Join")
    result = await sim.ada.click(sim.fresh(lobby), label="Start")
    assert "cannot send you direct messages" in answer(result)
    assert result.response is not None
    assert result.response.ephemeral


async def test_over_the_budget_sitting_down_waits_for_the_start(sim: Sim) -> None:
    crowd = [sim.person(f"Guest {n}") for n in range(DMS_AT_ONCE)]
    tables = []
    for at in range(0, DMS_AT_ONCE, 2):
        lobby = await lobby_of(sim, crowd[at], crowd[at + 1])
        tables.append((crowd[at], lobby, await sim.table(lobby)))
    greeted = [person for person in crowd if direct_messages(sim, person)]
    assert len(greeted) == openings(sim) == DMS_AT_ONCE - DMS_KEPT_BACK

    host, lobby, table = tables[-1]
    await host.click(sim.fresh(lobby), label="Start")  # their turn to have one, from what was kept back
    for person in crowd[-2:]:
        (hand,) = direct_messages(sim, person)
        assert "Your rack" in alt_texts(hand)[0]
    await sim.env.advance_time(SECONDS_PER_DM * DMS_AT_ONCE)
    assert [person for person in crowd if direct_messages(sim, person)] == [*greeted, *crowd[-2:]]
    assert (await sim.bot.tables.table(table.id)).status is Status.PLAYING


async def test_a_hand_over_the_budget_comes_when_there_is_room(sim: Sim) -> None:
    lobby = await lobby_of(sim, sim.ada, sim.ben)
    sim.bot.services.io._dm_budget.empty()
    for person in (sim.ada, sim.ben):
        (letter,) = direct_messages(sim, person)
        sim.env.backend.delete_message(person.user.dm_channel.id, letter.id)
        with sim.env._bot_scope():
            await sim.bot.services.direct.gone(person.id)
    begun = sim.env.now()
    await sim.ada.click(sim.fresh(lobby), label="Start")
    await sim.env.advance_time(SECONDS_PER_DM * 6)
    (first,), (second,) = direct_messages(sim, sim.ada), direct_messages(sim, sim.ben)
    waits = sorted((letter.created_at - begun).total_seconds() for letter in (first, second))
    assert waits[0] >= SECONDS_PER_DM - 1
    assert waits[1] >= 2 * SECONDS_PER_DM - 1


async def test_no_server_in_common_is_having_left(sim: Sim) -> None:
    lobby = await lobby_of(sim, sim.ada, sim.ben, sim.cleo)
    table = await sim.table(lobby)
    path = f"/channels/{sim.ben.user.dm_channel.id}/messages"
    sim.env.inject_error("*", f"{path}*", status=404, code=10008, times=1)
    sim.env.inject_error("POST", path, status=400, code=50278, times=None)
    del sim.env.backend.get_guild(sim.guild.id).members[sim.ben.id]
    await sim.ada.click(sim.fresh(lobby), label="Start")
    now = await sim.bot.tables.table(table.id)
    assert now.status is Status.PLAYING
    assert now.seat_of(sim.ben.id) is None
    assert "stand-in" in text_of(await sim.board(table))


@pytest.mark.parametrize("timeout", ["stand_in", "vote"])
async def test_who_left_the_server_is_found_out_when_time_runs(sim: Sim, timeout: str) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, clock=3600, timeout=timeout)
    del sim.env.backend.get_guild(sim.guild.id).members[sim.ben.id]  # no event: there is no members intent
    await sim.env.advance_time(1900)  # half time
    now = await sim.bot.tables.table(table.id)
    assert now.seat_of(sim.ben.id) is None
    assert now.seat_of(sim.ada.id) is not None
    assert now.seat_of(sim.cleo.id) is not None
    assert now.status is Status.PLAYING
    assert await sim.bot.tables.tables_of(sim.ben.id) == []


async def test_a_short_clock_finds_it_out_at_its_end(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, clock=300)
    del sim.env.backend.get_guild(sim.guild.id).members[sim.ben.id]
    await sim.env.advance_time(301)
    now = await sim.bot.tables.table(table.id)
    assert now.seat_of(sim.ben.id) is None
    assert now.seat_of(sim.ada.id) is not None


async def test_when_discord_does_not_say_nobody_has_left(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, clock=300)
    sim.env.inject_error("GET", "/guilds/*/members/*", status=500, times=None)
    await sim.env.advance_time(301)
    assert (await sim.bot.tables.table(table.id)).seat_of(sim.ben.id) is not None
