"""The lobby: opening, joining, leaving, starting, and who may do what."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace

import discord
import pytest

from bot.tables.model import Post, SeatKind, Status, Table

from .den import Den, answer, buttons, custom_ids, links, text_of

MakeDen = Callable[..., Awaitable[Den]]


async def test_the_lobby_shows_who_sits_and_what_was_chosen(den: Den) -> None:
    lobby = await den.new(den.ada, players=3, series=True, setup="free", clock=86_400, timeout="vote")
    said = text_of(lobby)
    assert "1. ⌂ Ada · host" in said
    assert "1 of 3" in said
    assert "Series: **yes**" in said
    assert "all four" in said
    assert "**1 day**" in said
    assert "Start" not in buttons(lobby)

    await den.ben.click(lobby, label="Join")
    lobby = den.fresh(lobby)
    assert "2. Ben" in text_of(lobby)
    assert {"Start", "Join", "Leave", "Cancel", "Add computer player", "Rules"} <= set(buttons(lobby))

    await den.ben.click(lobby, label="Add computer player")
    lobby = den.fresh(lobby)
    assert "3. ⚙ Computer 3" in text_of(lobby)
    assert "Join" not in buttons(lobby)
    await den.ada.click(lobby, label="Remove computer player")
    assert "Join" in buttons(den.fresh(lobby))


async def test_a_click_too_late_is_told_why_and_changes_nothing(den: Den) -> None:
    first = await den.new(den.ada, players=2)
    await den.ben.click(first, label="Join")
    result = await den.press(den.cleo, first, custom_ids(first)[0])
    assert "All 2 seats are taken" in answer(result)
    assert result.response is not None
    assert result.response.ephemeral
    result = await den.press(den.ben, first, custom_ids(first)[0])
    assert "already" in answer(result)
    assert "Cleo" not in text_of(den.fresh(first))


async def test_only_the_host_starts_and_cancels(den: Den) -> None:
    lobby = await den.new(den.ada, players=2)
    await den.ben.click(lobby, label="Join")
    result = await den.ben.click(den.fresh(lobby), label="Start")
    assert "Only the host" in answer(result)
    result = await den.ben.click(den.fresh(lobby), label="Cancel")
    assert "Only the host" in answer(result)
    await den.ada.click(den.fresh(lobby), label="Cancel")
    lobby = den.fresh(lobby)
    assert custom_ids(lobby) == []
    assert "cancelled" in text_of(lobby)


async def test_the_host_leaves_and_the_next_one_may_start(den: Den) -> None:
    lobby = await den.new(den.ada, players=3)
    await den.ben.click(lobby, label="Join")
    await den.cleo.click(den.fresh(lobby), label="Join")
    await den.ada.click(den.fresh(lobby), label="Leave")
    assert "1. ⌂ Ben · host" in text_of(den.fresh(lobby))
    table = await den.table(lobby)
    await den.ben.click(den.fresh(lobby), label="Start")
    assert (await den.bot.tables.table(table.id)).status is Status.PLAYING


async def test_a_lobby_that_everybody_left_is_over(den: Den) -> None:
    lobby = await den.new(den.ada)
    table = await den.table(lobby)
    await den.ada.click(lobby, label="Leave")
    assert (await den.bot.tables.table(table.id)).status is Status.ENDED
    assert custom_ids(den.fresh(lobby)) == []


async def test_an_old_lobby_button_after_the_start_leads_to_the_game(den: Den) -> None:
    lobby = await den.new(den.ada, players=2)
    await den.ben.click(lobby, label="Join")
    ready = den.fresh(lobby)
    table = await den.table(lobby)
    await den.ada.click(ready, label="Start")
    started = await den.lobby(table)
    assert custom_ids(started) == []
    assert len(links(started)) == 1


async def test_fifty_mixed_actions_leave_the_lobby_as_stored(den: Den) -> None:
    dice = random.Random(5)
    lobby = await den.new(den.ada, players=4)
    table = await den.table(lobby)
    people = [den.ada, den.ben, den.cleo, den.dev]
    for _ in range(50):
        shown = den.fresh(lobby)
        if not custom_ids(shown):
            break
        person = dice.choice(people)
        label = dice.choice([b for b in buttons(shown) if b not in {"Start", "Cancel", "Rules"}])
        await person.click(shown, label=label)
    stored = await den.bot.tables.table(table.id)
    shown = den.fresh(lobby)
    assert stored.painted == stored.revision
    for seat in stored.seats:
        name = seat.name if seat.kind is SeatKind.HUMAN else f"Computer {seat.index + 1}"
        assert f"{seat.index + 1}. {name}" in text_of(shown)
    for person in people:
        sits = stored.seat_of(person.id) is not None
        assert (person.user.global_name in text_of(shown)) == sits  # type: ignore[operator]


async def test_markdown_and_mentions_in_a_name_are_shown_as_written(den: Den) -> None:
    rude = den.person("**@everyone** <@1> `x`\n# [a](http://b.c)")
    lobby = await den.new(rude)
    said = text_of(lobby)
    assert "@everyone" not in said
    assert "<@1>" not in said
    assert "**@" not in said
    assert "\n#" not in said.split("1. ", 1)[1].split("Seats")[0]
    for request in den.env.http_requests:
        if request.json and "allowed_mentions" in str(request.json):
            data = request.json.get("data", request.json)
            assert data["allowed_mentions"].get("parse") == []


async def test_what_the_bot_lacks_in_a_channel_is_named(den: Den) -> None:
    assert den.bot.user is not None
    closed = den.guild.create_text_channel(
        "closed",
        overwrites={den.bot.user: discord.PermissionOverwrite(attach_files=False, send_messages=False)},
    )
    result = await den.ada.slash(closed, "5vor12 new")
    assert "“Send Messages”, “Attach Files”" in answer(result)
    assert await den.bot.tables.tables_of(den.ada.id) == []


async def test_without_thread_permission_the_game_is_played_in_the_channel(den: Den) -> None:
    assert den.bot.user is not None
    den.channel = den.guild.create_text_channel(
        "flat", overwrites={den.bot.user: discord.PermissionOverwrite(create_public_threads=False)}
    )
    result = await den.cleo.slash(den.channel, "5vor12 new")
    (told,) = result.followups
    assert told.ephemeral
    assert "“Create Public Threads”" in text_of(told)
    table = await den.started(den.ada, den.ben)
    assert table.place.thread is None
    board = await den.board(table)
    assert board.channel.id == den.channel.id
    assert "Your move" in buttons(board)
    assert den.channel.threads == []


async def test_a_thread_that_discord_refuses_is_done_without(den: Den) -> None:
    den.env.inject_error("POST", "/channels/*/messages/*/threads", status=403, code=50013)
    table = await den.started(den.ada, den.ben)
    assert table.place.thread is None
    assert "Your move" in buttons(await den.board(table))


async def test_a_lobby_expires_by_itself(den: Den) -> None:
    lobby = await den.new(den.ada)
    table = await den.table(lobby)
    assert table.deadline is not None
    wait = (table.deadline - den.env.now()).total_seconds()
    await den.env.advance_time(wait + 1)
    assert (await den.bot.tables.table(table.id)).status is Status.ENDED
    assert custom_ids(den.fresh(lobby)) == []


async def test_a_click_while_the_lobby_is_being_noted_leaves_it_alone(
    den: Den, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sender notes the message it meant while the click looks whose it is: whatever is read first is as
    it was before, what is read second as it is after."""
    lobby = await den.new(den.ada)
    table = await den.table(lobby)
    services = den.bot.services
    assert table.place.lobby_message == lobby.id
    now = services.clock.now()
    before = replace(table, place=replace(table.place, lobby_message=None))
    intent = Post(table.id, "purpose", "lobby", 0, den.channel.id, now, now)
    read: list[str] = []

    async def find(_: str) -> Table:
        read.append("table")
        return before if read == ["table"] else table

    async def posts(_: str) -> list[Post]:
        read.append("posts")
        return [intent] if read == ["posts"] else []

    async def posted(post: Post, message: int) -> bool:
        return True  # noted already

    async def leave_over(*_: object, **__: object) -> None:
        raise AssertionError("the lobby of the table is no leftover")

    with monkeypatch.context() as patched:
        patched.setattr(services.tables, "find", find)
        for name, double in (("posts", posts), ("posted", posted), ("leave_over", leave_over)):
            patched.setattr(services.tables, name, double)
        await services.posts.control_pressed(
            table.id, "join", den.channel.id, lobby.id, den.ben.id, private=False
        )
    assert sorted(read) == ["posts", "table"]
