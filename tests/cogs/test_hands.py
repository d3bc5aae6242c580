"""Private hands by direct message: from sitting down to the end, within a budget, to nobody else."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from simcord.actors import MemberActor

from bot.discord_io import DMS_AT_ONCE, DMS_KEPT_BACK, SECONDS_PER_DM
from bot.tables.model import Status, Table

from .den import Den, alt_texts, answer, buttons, choosable, custom_ids, links, menus, text_of


async def lobby_of(den: Den, host: MemberActor, *others: MemberActor, **options: Any) -> discord.Message:
    result = await host.slash(den.channel, "topominos new", players=1 + max(1, len(others)), **options)
    assert result.response is not None
    lobby = result.response.message
    for person in others:
        await person.click(den.fresh(lobby), label="Join")
    return lobby


async def game_of(den: Den, host: MemberActor, *others: MemberActor, **options: Any) -> Table:
    lobby = await lobby_of(den, host, *others, **options)
    table = await den.table(lobby)
    await host.click(den.fresh(lobby), label="Start")
    return await den.bot.tables.table(table.id)


def letters(den: Den, person: MemberActor) -> list[discord.Message]:
    return den.messages(person.user.dm_channel.id)


def openings(den: Den) -> int:
    return len(den.requests("POST", "/users/@me/channels"))


async def test_the_first_message_comes_on_sitting_down_and_becomes_the_hand(den: Den) -> None:
    lobby = await lobby_of(den, den.ada, den.ben)
    (welcome,) = letters(den, den.ben)
    assert "You sit at this table" in text_of(welcome)
    assert custom_ids(welcome) == []
    assert links(welcome) == [f"https://discord.com/channels/{den.guild.id}/{den.channel.id}/{lobby.id}"]
    assert letters(den, den.cleo) == letters(den, den.dev) == []

    table = await den.table(lobby)
    await den.ada.click(den.fresh(lobby), label="Start")
    for person in (den.ada, den.ben):
        (hand,) = letters(den, person)
        assert "Your rack" in alt_texts(hand)[0]
    (hand,) = letters(den, den.ben)
    assert hand.id == welcome.id  # edited in place
    assert letters(den, den.cleo) == letters(den, den.dev) == []
    actor = (await den.to_act(table))[0]
    (hand,) = letters(den, actor)
    assert choosable(hand)


async def test_a_move_is_made_from_the_private_message_and_it_follows_the_game(den: Den) -> None:
    table = await game_of(den, den.ada, den.ben)
    actor = (await den.to_act(table))[0]
    (hand,) = letters(den, actor)
    revision = (await den.bot.tables.table(table.id)).revision
    for _ in range(8):
        hand = den.fresh(hand)
        if (await den.bot.tables.table(table.id)).revision > revision:
            break
        labels = buttons(hand)
        if "Play it" in labels:
            await actor.user.click(hand, label="Play it")
        elif menus(hand):
            custom, values = menus(hand)[0]
            await actor.user.select(hand, [values[0]], custom_id=custom)
        else:
            await actor.user.click(hand, label=labels[0])
    assert (await den.bot.tables.table(table.id)).revision > revision
    other = den.ben if actor is den.ada else den.ada
    assert len(letters(den, actor)) == len(letters(den, other)) == 1


async def test_leaving_the_lobby_takes_the_message_back_and_others_keep_theirs(den: Den) -> None:
    lobby = await lobby_of(den, den.ada, den.ben, den.cleo)
    (cleos,) = letters(den, den.cleo)
    await den.ben.click(den.fresh(lobby), label="Leave")
    assert letters(den, den.ben) == []
    table = await den.table(lobby)
    await den.ada.click(den.fresh(lobby), label="Start")
    (hand,) = letters(den, den.cleo)
    assert hand.id == cleos.id
    assert "Your rack" in alt_texts(hand)[0]
    assert (await den.bot.tables.table(table.id)).seats[1].hand_message == cleos.id


@pytest.mark.parametrize("started", [False, True])
async def test_at_the_end_private_messages_say_how_and_can_do_nothing(den: Den, started: bool) -> None:
    lobby = await lobby_of(den, den.ada, den.ben)
    table = await den.table(lobby)
    if started:
        await den.ada.click(den.fresh(lobby), label="Start")
        await den.ada.slash(den.thread(await den.bot.tables.table(table.id)), "table end")
    else:
        await den.ada.click(den.fresh(lobby), label="Cancel")
    for person in (den.ada, den.ben):
        (letter,) = letters(den, person)
        assert custom_ids(letter) == []
        assert ("host ended" if started else "cancelled") in text_of(letter)


async def test_who_resigns_keeps_no_hand(den: Den) -> None:
    table = await game_of(den, den.ada, den.ben, den.cleo)
    result = await den.ben.slash(den.thread(table), "table resign")
    assert result.response is not None
    await den.ben.click(result.response.message, label="Yes, resign")
    (letter,) = letters(den, den.ben)
    assert custom_ids(letter) == []
    assert alt_texts(letter) == []
    assert "You have left this game" in text_of(letter)
    assert (await den.bot.tables.table(table.id)).seats[1].hand_message is None


async def test_a_game_without_hidden_hands_sends_none(den: Den) -> None:
    await den.started(den.ada, den.ben)
    assert letters(den, den.ada) == letters(den, den.ben) == []
    assert openings(den) == 0


@pytest.mark.parametrize(("status", "code"), [(403, 50007), (400, 40003)])
async def test_closed_messages_are_told_once_at_the_next_click_and_nothing_is_posted(
    den: Den, status: int, code: int
) -> None:
    path = "/users/@me/channels" if code == 40003 else f"/channels/{den.ben.user.dm_channel.id}/messages"
    lobby = await lobby_of(den, den.ada)
    den.env.inject_error("POST", path, status=status, code=code, times=None)
    await den.ben.click(den.fresh(lobby), label="Join")
    table = await den.table(lobby)
    await den.ada.click(den.fresh(lobby), label="Start")
    table = await den.bot.tables.table(table.id)
    assert table.status is Status.PLAYING
    assert table.place.thread is not None
    for message in den.messages(den.channel.id) + den.messages(table.place.thread):
        assert "direct message" not in text_of(message)

    hand = await den.ben.click(await den.board(table), label="My hand")
    assert "cannot send you direct messages" in answer(hand)
    assert "Your rack" in alt_texts(hand.response.message if hand.response else None)[0]  # type: ignore[arg-type]
    again = await den.ben.click(await den.board(table), label="My hand")
    assert "cannot send you direct messages" not in answer(again)
    tried = len(den.requests("POST", path))
    await den.hurry(table, most=6)
    assert len(den.requests("POST", path)) == tried  # once is enough for a day
    assert letters(den, den.ben) == []


async def test_a_click_that_shows_nothing_tells_it_too(den: Den) -> None:
    den.env.inject_error(
        "POST", f"/channels/{den.ada.user.dm_channel.id}/messages", status=403, code=50007, times=None
    )
    lobby = await lobby_of(den, den.ada)
    await den.ben.click(den.fresh(lobby), label="Join")
    result = await den.ada.click(den.fresh(lobby), label="Start")
    assert "cannot send you direct messages" in answer(result)
    assert result.response is not None
    assert result.response.ephemeral


async def test_over_the_budget_sitting_down_waits_for_the_start(den: Den) -> None:
    crowd = [den.person(f"Guest {n}") for n in range(DMS_AT_ONCE)]
    tables = []
    for at in range(0, DMS_AT_ONCE, 2):
        lobby = await lobby_of(den, crowd[at], crowd[at + 1])
        tables.append((crowd[at], lobby, await den.table(lobby)))
    greeted = [person for person in crowd if letters(den, person)]
    assert len(greeted) == openings(den) == DMS_AT_ONCE - DMS_KEPT_BACK

    host, lobby, table = tables[-1]
    await host.click(den.fresh(lobby), label="Start")  # their turn to have one, from what was kept back
    for person in crowd[-2:]:
        (hand,) = letters(den, person)
        assert "Your rack" in alt_texts(hand)[0]
    await den.env.advance_time(SECONDS_PER_DM * DMS_AT_ONCE)
    assert [person for person in crowd if letters(den, person)] == [*greeted, *crowd[-2:]]
    assert (await den.bot.tables.table(table.id)).status is Status.PLAYING


async def test_a_hand_over_the_budget_comes_when_there_is_room(den: Den) -> None:
    lobby = await lobby_of(den, den.ada, den.ben)
    den.bot.services.io._dm_budget.empty()
    for person in (den.ada, den.ben):
        (letter,) = letters(den, person)
        den.env.backend.delete_message(person.user.dm_channel.id, letter.id)
        with den.env._bot_scope():
            await den.bot.services.direct.gone(person.id)
    begun = den.env.now()
    await den.ada.click(den.fresh(lobby), label="Start")
    await den.env.advance_time(SECONDS_PER_DM * 6)
    (first,), (second,) = letters(den, den.ada), letters(den, den.ben)
    waits = sorted((letter.created_at - begun).total_seconds() for letter in (first, second))
    assert waits[0] >= SECONDS_PER_DM - 1
    assert waits[1] >= 2 * SECONDS_PER_DM - 1


async def test_no_server_in_common_is_having_left(den: Den) -> None:
    lobby = await lobby_of(den, den.ada, den.ben, den.cleo)
    table = await den.table(lobby)
    path = f"/channels/{den.ben.user.dm_channel.id}/messages"
    den.env.inject_error("*", f"{path}*", status=404, code=10008, times=1)
    den.env.inject_error("POST", path, status=400, code=50278, times=None)
    await den.ada.click(den.fresh(lobby), label="Start")
    now = await den.bot.tables.table(table.id)
    assert now.status is Status.PLAYING
    assert now.seat_of(den.ben.id) is None
    assert "stand-in" in text_of(await den.board(table))


@pytest.mark.parametrize("timeout", ["stand_in", "vote"])
async def test_who_left_the_server_is_found_out_when_time_runs(den: Den, timeout: str) -> None:
    table = await den.started(den.ada, den.ben, den.cleo, clock=3600, timeout=timeout)
    del den.env.backend.get_guild(den.guild.id).members[den.ben.id]  # no event: there is no members intent
    await den.env.advance_time(1900)  # half time
    now = await den.bot.tables.table(table.id)
    assert now.seat_of(den.ben.id) is None
    assert now.seat_of(den.ada.id) is not None
    assert now.seat_of(den.cleo.id) is not None
    assert now.status is Status.PLAYING
    assert await den.bot.tables.tables_of(den.ben.id) == []


async def test_a_short_clock_finds_it_out_at_its_end(den: Den) -> None:
    table = await den.started(den.ada, den.ben, den.cleo, clock=300)
    del den.env.backend.get_guild(den.guild.id).members[den.ben.id]
    await den.env.advance_time(301)
    now = await den.bot.tables.table(table.id)
    assert now.seat_of(den.ben.id) is None
    assert now.seat_of(den.ada.id) is not None


async def test_when_discord_does_not_say_nobody_has_left(den: Den) -> None:
    table = await den.started(den.ada, den.ben, den.cleo, clock=300)
    den.env.inject_error("GET", "/guilds/*/members/*", status=500, times=None)
    await den.env.advance_time(301)
    assert (await den.bot.tables.table(table.id)).seat_of(den.ben.id) is not None
