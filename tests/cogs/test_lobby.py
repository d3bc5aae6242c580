"""The lobby: opening, joining, leaving, starting, and who may do what."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import discord
import pytest

from bot.levels import Level
from bot.locale import LANGUAGES, sayer, text
from bot.tables.model import Post, SeatKind, Status, Table
from bot.tables.ports import StoreFull
from cogs.delivery.recognising import IN_LOBBY
from cogs.surfaces.components import Button, Buttons, Text
from cogs.surfaces.lobby import lobby_page
from tests.sweeps import swept, swept_rows

from .sim import Sim, alt_texts, answer, buttons, custom_id, custom_ids, links, menus, parts, text_of

MakeSim = Callable[..., Awaitable[Sim]]


async def test_the_lobby_shows_who_sits_and_what_was_chosen(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=3, series=True, setup="free", clock=86_400, timeout="vote")
    said = text_of(lobby)
    assert "1. ⌂ Ada · host" in said
    assert "3. *free*" in said
    assert "2 or 3 can play" in said
    assert "Series: **one game per player, points are added up**" in said
    assert "all four" in said
    assert "**1 day**" in said
    assert "Start" not in buttons(lobby)

    await sim.ben.click(lobby, label="Join")
    lobby = sim.fresh(lobby)
    assert "2. Ben" in text_of(lobby)
    assert {
        "Start",
        "Join",
        "Leave",
        "Cancel",
        "+ Easy",
        "+ Medium",
        "+ Hard",
        "Rules",
    } <= set(buttons(lobby))

    await sim.ben.click(lobby, label="+ Medium")
    lobby = sim.fresh(lobby)
    assert "3. ⚙ Medium computer" in text_of(lobby)
    assert "Join" not in buttons(lobby)
    await sim.ada.click(lobby, label="Remove computer")
    assert "Join" in buttons(sim.fresh(lobby))


async def test_a_click_too_late_is_told_why_and_changes_nothing(sim: Sim) -> None:
    first = await sim.new(sim.ada, players=2)
    await sim.ben.click(first, label="Join")
    result = await sim.press(sim.cleo, first, custom_ids(first)[0])
    assert "All 2 seats are taken" in answer(result)
    assert result.response is not None
    assert result.response.ephemeral
    result = await sim.press(sim.ben, first, custom_ids(first)[0])
    assert "already" in answer(result)
    assert "Cleo" not in text_of(sim.fresh(first))


async def test_only_the_host_starts_and_cancels(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=2)
    await sim.ben.click(lobby, label="Join")
    result = await sim.ben.click(sim.fresh(lobby), label="Start")
    assert "Only the host" in answer(result)
    result = await sim.ben.click(sim.fresh(lobby), label="Cancel")
    assert "Only the host" in answer(result)
    await sim.ada.click(sim.fresh(lobby), label="Cancel")
    lobby = sim.fresh(lobby)
    assert custom_ids(lobby) == []
    assert "The lobby was closed: it was cancelled" in text_of(lobby)
    late = await sim.press(
        sim.cleo, lobby, f"pb:{(await sim.bot.tables.ended_at(sim.guild.id, sim.channel.id))[0].id}:1:join:"
    )
    assert answer(late) == "This lobby was closed."


async def test_the_host_leaves_and_the_next_one_may_start(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=3)
    await sim.ben.click(lobby, label="Join")
    await sim.cleo.click(sim.fresh(lobby), label="Join")
    await sim.ada.click(sim.fresh(lobby), label="Leave")
    assert "1. ⌂ Ben · host" in text_of(sim.fresh(lobby))
    table = await sim.table(lobby)
    await sim.ben.click(sim.fresh(lobby), label="Start")
    assert (await sim.bot.tables.table(table.id)).status is Status.PLAYING


async def test_a_lobby_that_everybody_left_is_over(sim: Sim) -> None:
    lobby = await sim.new(sim.ada)
    table = await sim.table(lobby)
    await sim.ada.click(lobby, label="Leave")
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED
    assert custom_ids(sim.fresh(lobby)) == []


async def test_an_old_lobby_button_after_the_start_leads_to_the_game(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=2)
    await sim.ben.click(lobby, label="Join")
    ready = sim.fresh(lobby)
    table = await sim.table(lobby)
    await sim.ada.click(ready, label="Start")
    started = await sim.lobby(table)
    assert custom_ids(started) == []
    assert len(links(started)) == 1


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("who", swept(["ada", "ben", "cleo"]))
async def test_a_lobby_button_pressed_too_late_acts_on_no_game(sim: Sim, who: str, over: bool) -> None:
    """*Leave* resigned without asking."""
    person = getattr(sim, who)
    lobby = await sim.new(sim.ada, players=4, setup="sorted")
    await sim.ben.click(sim.fresh(lobby), label="Join")
    await sim.ada.click(sim.fresh(lobby), label="+ Medium")
    await invited(sim, lobby, sim.dev)
    offered = [custom for custom in custom_ids(sim.fresh(lobby)) if ":rules:" not in custom]
    assert {custom.split(":")[3] for custom in offered} == IN_LOBBY - {"partner"}
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    if over:
        await sim.ada.slash(sim.channel, "table end", table=table.id)
    await sim.env.settle()
    before = await sim.bot.tables.table(table.id)
    for custom in offered:
        told = answer(await sim.press(person, lobby, custom))
        assert ("over" if over else "begun") in told
        leaves = ":leave:" in custom and who != "cleo" and not over
        assert ("choose *Resign* in the menu" in told) == leaves
    assert (await sim.bot.tables.table(table.id)).seats == before.seats
    assert (await sim.bot.tables.table(table.id)).revision == before.revision


async def test_computer_players_have_a_strength_that_is_shown(sim: Sim) -> None:
    result = await sim.ada.slash(sim.channel, "5vor12 new", players=4, computers=1, strength="hard")
    assert result.response is not None
    lobby = result.response.message
    for label in ("+ Easy", "+ Medium"):
        await sim.ada.click(sim.fresh(lobby), label=label)
    said = text_of(sim.fresh(lobby))
    for name in ("⚙ Hard computer 1", "⚙ Easy computer 2", "⚙ Medium computer 3"):
        assert name in said
    assert [seat.level for seat in (await sim.table(lobby)).seats[1:]] == ["hard", "easy", "medium"]
    await sim.press(sim.ada, lobby, custom_ids(sim.fresh(lobby))[0].replace(":join:", ":remove_computer:"))
    assert "+ Medium" not in text_of(sim.fresh(lobby))


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_buttons_of_strengths_stand_under_what_they_add(sim: Sim, language: str) -> None:
    """*+ Easy* alone could be anything."""
    say = sayer(language)
    table = await sim.table(await sim.new(sim.ada))
    shown = lobby_page(table, say).blocks
    [at] = [at for at, one in enumerate(shown) if isinstance(one, Buttons) and _adds(one)]
    assert shown[at - 1] == Text(say("lobby.computers"))
    assert "omputer" in say("lobby.computers")
    [row] = [one for one in shown if isinstance(one, Buttons) and _adds(one)]
    assert len("".join(button.label for button in row.buttons[:3])) <= 24, "side by side on a phone"


def _adds(row: Buttons) -> bool:
    return any(isinstance(one, Button) and ":add_computer:" in one.id for one in row.buttons)


@pytest.mark.parametrize(
    ("slash", "given", "machines"),
    swept_rows(
        [("5vor12", {}, 1), ("top12", {}, 1), ("topspot", {}, 2), ("zatre", {"partners": True}, 3)], daily=2
    ),
)
async def test_a_strength_alone_brings_the_computers_a_game_needs(
    sim: Sim, slash: str, given: dict[str, bool], machines: int
) -> None:
    """It was ignored without a word."""
    result = await sim.ada.slash(sim.channel, f"{slash} new", strength="hard", **given)
    assert result.response is not None
    table = await sim.table(result.response.message)
    assert [(seat.kind, seat.level) for seat in table.seats[1:]] == [
        (SeatKind.COMPUTER, Level.HARD)
    ] * machines


@pytest.mark.parametrize(("slash", "given"), [("5vor12", {"computers": 0}), ("top12", {"players": 1})])
async def test_a_strength_of_nobody_is_refused(sim: Sim, slash: str, given: dict[str, int]) -> None:
    result = await sim.ada.slash(sim.channel, f"{slash} new", strength="hard", **given)
    assert text("en", "error.no_computers") in answer(result)
    assert await sim.bot.tables.tables_of(sim.ada.id) == []


async def test_fifty_mixed_actions_leave_the_lobby_as_stored(sim: Sim) -> None:
    dice = random.Random(1)
    lobby = await sim.new(sim.ada, players=4)
    table = await sim.table(lobby)
    people = [sim.ada, sim.ben, sim.cleo, sim.dev]
    for _ in range(50):
        shown = sim.fresh(lobby)
        person = dice.choice(people)
        ends = {"Start", "Cancel", "Rules"}
        if len((await sim.bot.tables.table(table.id)).humans) == 1:
            ends.add("Leave")  # by the last one
        label = dice.choice([b for b in buttons(shown) if b not in ends])
        await person.click(shown, label=label)
    stored = await sim.bot.tables.table(table.id)
    shown = sim.fresh(lobby)
    assert stored.painted == stored.revision
    machines = [seat.index for seat in stored.seats if seat.kind is SeatKind.COMPUTER]
    for seat in stored.seats:
        number = f" {machines.index(seat.index) + 1}" if len(machines) > 1 and not seat.name else ""
        name = seat.name or f"⚙ {seat.level.value.title()} computer{number}"
        assert re.search(f"^{seat.index + 1}\\. (⌂ )?{name}( · host)?$", text_of(shown), re.MULTILINE)
    for person in people:
        sits = stored.seat_of(person.id) is not None
        assert (person.user.global_name in text_of(shown)) == sits  # type: ignore[operator]


async def test_markdown_and_mentions_in_a_name_are_shown_as_written(sim: Sim) -> None:
    rude = sim.person("**@everyone** <@1> `x`\n# [a](http://b.c)")
    lobby = await sim.new(rude)
    said = text_of(lobby)
    assert "@everyone" not in said
    assert "<@1>" not in said
    assert "**@" not in said
    assert "\n#" not in said.split("1. ", 1)[1].split("Seats")[0]
    for request in sim.env.http_requests:
        if request.json and "allowed_mentions" in str(request.json):
            data = request.json.get("data", request.json)
            assert data["allowed_mentions"].get("parse") == []


async def test_what_the_bot_lacks_in_a_channel_is_named(sim: Sim) -> None:
    assert sim.bot.user is not None
    closed = sim.guild.create_text_channel(
        "closed",
        overwrites={
            sim.bot.user: discord.PermissionOverwrite(
                attach_files=False, send_messages=False, read_message_history=False
            )
        },
    )
    result = await sim.ada.slash(closed, "5vor12 new")
    assert "“Send Messages”, “Attach Files”, “Read Message History”" in answer(result)
    assert await sim.bot.tables.tables_of(sim.ada.id) == []


async def test_without_thread_permission_the_game_is_played_in_the_channel(sim: Sim) -> None:
    assert sim.bot.user is not None
    sim.channel = sim.guild.create_text_channel(
        "flat", overwrites={sim.bot.user: discord.PermissionOverwrite(create_public_threads=False)}
    )
    result = await sim.cleo.slash(sim.channel, "5vor12 new")
    (told,) = result.followups
    assert told.ephemeral
    assert "“Create Public Threads”" in text_of(told)
    table = await sim.started(sim.ada, sim.ben)
    assert table.place.thread is None
    board = await sim.board(table)
    assert board.channel.id == sim.channel.id
    assert "Your move" in buttons(board)
    assert sim.channel.threads == []


async def test_a_thread_that_discord_refuses_is_done_without(sim: Sim) -> None:
    sim.env.inject_error("POST", "/channels/*/messages/*/threads", status=403, code=50013)
    table = await sim.started(sim.ada, sim.ben)
    assert table.place.thread is None
    assert "Your move" in buttons(await sim.board(table))


async def test_a_lobby_expires_by_itself(sim: Sim) -> None:
    lobby = await sim.new(sim.ada)
    table = await sim.table(lobby)
    assert table.deadline is not None
    wait = (table.deadline - sim.env.now()).total_seconds()
    await sim.env.advance_time(wait + 1)
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED
    assert custom_ids(sim.fresh(lobby)) == []


async def test_a_click_while_the_lobby_is_being_noted_leaves_it_alone(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sender notes the message it meant while the click looks whose it is: whatever is read first is as
    it was before, what is read second as it is after."""
    lobby = await sim.new(sim.ada)
    table = await sim.table(lobby)
    services = sim.bot.services
    assert table.place.lobby_message == lobby.id
    now = services.clock.now()
    before = replace(table, place=replace(table.place, lobby_message=None))
    intent = Post(table.id, "purpose", "lobby", 0, sim.channel.id, now, now)
    read: list[str] = []

    async def find(_: str) -> Table:
        read.append("table")
        return before if read == ["table"] else table

    async def posts(_: str) -> list[Post]:
        read.append("posts")
        return [intent] if read == ["posts"] else []

    async def posted(post: Post, message: int, telling: object = None) -> bool:
        return True  # noted already

    async def leave_over(*_: object, **__: object) -> None:
        raise AssertionError("the lobby of the table is no leftover")

    with monkeypatch.context() as patched:
        patched.setattr(services.tables, "find", find)
        for name, double in (("posts", posts), ("posted", posted), ("leave_over", leave_over)):
            patched.setattr(services.shown, name, double)
        await services.posts.control_pressed(table.id, "lobby", sim.channel.id, lobby.id, sim.ben.id)
    assert sorted(read) == ["posts", "table"]


@pytest.mark.parametrize("trouble", swept([StoreFull(StoreFull.said), KeyError("a fault")]))
@pytest.mark.parametrize("where", ["intend", "posted"])
async def test_a_table_whose_opening_fails_half_way_is_not_held_back(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, where: str, trouble: Exception
) -> None:
    """Its opener was told that nothing had changed, and its lobby was posted by nobody."""
    sim.faults_expected = True
    services = sim.bot.services
    real, left = getattr(services.shown, where), 1

    async def failing(*given: Any, **more: Any) -> Any:
        nonlocal left
        left -= 1
        if left >= 0:
            raise trouble
        return await real(*given, **more)

    monkeypatch.setattr(services.shown, where, failing)
    result = await sim.ada.slash(sim.channel, "5vor12 new", players=2)
    [table] = await sim.bot.tables.tables_of(sim.ada.id)
    told = result.followups[-1] if where == "posted" else result.response
    assert told is not None
    assert told.ephemeral
    assert f"Table {table.id} is open" in text_of(told)
    await sim.env.settle()
    [lobby] = sim.messages(sim.channel.id)
    assert (await sim.bot.tables.table(table.id)).place.lobby_message == lobby.id
    await sim.ben.click(lobby, label="Join")
    assert "2. Ben" in text_of(sim.fresh(lobby))


async def test_a_rematch_that_fails_half_way_is_not_held_back(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await sim.bot.tables.end_by_admin(table.id)
    await sim.env.settle()

    async def failing(channel: int) -> bool:
        raise StoreFull(StoreFull.said)

    monkeypatch.setattr(sim.bot.services.io, "is_gone", failing)
    told = answer(await sim.ada.slash(sim.channel, "table rematch", table=table.id))
    [again] = await sim.bot.tables.tables_of(sim.ada.id)
    assert f"Table {again.id} is open" in told
    assert "Start" in buttons(await sim.lobby(again))


async def test_a_lobby_of_pairs_tells_who_can_play_and_names_them(sim: Sim) -> None:
    """*Start* is off unless the options fit who sits there, and it says why. What stands between the pairs
    ended the list of numbers, and the next one was shown as none."""
    result = await sim.ada.slash(sim.channel, "zatre new", partners=True, players=5, computers=2)
    assert result.response is not None
    lobby = result.response.message
    assert "**Waiting for 1 more player:** 4 can play" in text_of(lobby)  # no five play in pairs
    assert "Start" not in buttons(lobby)
    await sim.ben.click(lobby, label="Join")
    said = text_of(sim.fresh(lobby))
    assert (
        "**Pair 1**\n- ⌂ Ada · host\n- ⚙ Medium computer 1\n**Pair 2**\n- ⚙ Medium computer 2\n- Ben" in said
    )
    [(custom, _)] = menus(sim.fresh(lobby))
    await sim.press(sim.ben, lobby, custom, values=[f"0.{sim.ada.id}-3.{sim.ben.id}"])
    said = text_of(sim.fresh(lobby))
    assert "- ⌂ Ada · host\n- Ben\n**Pair 2**\n- ⚙ Medium computer 1\n- ⚙ Medium computer 2" in said
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    standing = [line for line in text_of(await sim.board(table)).splitlines() if line.startswith("- ")]
    assert [line.partition(":")[0] for line in standing] == [
        "- Ada & Ben",
        "- ⚙ Medium computer 1 & ⚙ Medium computer 2",
    ]


def pairs(message: discord.Message) -> list[str]:
    """What the menu of who plays with whom offers."""
    [menu] = [part for part in parts(message) if isinstance(part, discord.components.SelectMenu)]
    return [option.label for option in menu.options]


async def test_the_menu_of_pairs_is_the_same_for_everybody(sim: Sim) -> None:
    """It listed single people, so everybody was offered themselves. Menus from then still work."""
    result = await sim.ada.slash(sim.channel, "zatre new", partners=True, players=4, computers=1)
    assert result.response is not None
    lobby = result.response.message
    for person in (sim.ben, sim.cleo):
        await person.click(sim.fresh(lobby), label="Join")
    machine = "⚙ Medium computer"
    shown = sim.fresh(lobby)
    assert pairs(shown) == ["Ada & Ben", "Ada & Cleo", f"{machine} & Ben", f"{machine} & Cleo"]
    [(custom, entries)] = menus(shown)
    refused = await sim.press(sim.ben, shown, custom, values=[entries[1]])
    assert "Only the host" in answer(refused)
    for person, values in (
        (sim.ben, [entries[0]]),
        (sim.cleo, [f"0.{sim.ada.id}"]),
        (sim.ada, ["2.0", f"1.{sim.cleo.id}"]),
    ):
        before = text_of(sim.fresh(lobby))
        await sim.press(person, sim.fresh(lobby), custom, values=values)
        assert text_of(sim.fresh(lobby)) != before, values
    assert "- ⚙ Medium computer\n- Cleo" in text_of(sim.fresh(lobby))


def sent_files(sim: Sim, since: int, begins: str = "/channels/") -> list[bool]:
    """Of each edit of a message with files whose path begins so: whether it sends any, or names those that
    are there."""
    edits = [
        request.json["attachments"]
        for request in sim.env.http_requests[since:]
        if request.method == "PATCH" and request.path.startswith(begins) and request.json
    ]
    return [any(int(file["id"]) < 10 for file in files) for files in edits if files]


async def test_an_edit_of_the_lobby_sends_the_cover_no_second_time(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=4)
    shown, since = alt_texts(lobby), len(sim.env.http_requests)
    for act in ("Join", "Leave", "Join", "+ Medium"):
        await (sim.ada if act.startswith("+") else sim.ben).click(sim.fresh(lobby), label=act)
        assert alt_texts(sim.fresh(lobby)) == shown
    assert sent_files(sim, since) == [False] * 4
    await sim.bot.tables.set_guild(sim.guild.id, theme="light")  # another picture of the same name
    await sim.ben.click(sim.fresh(lobby), label="Leave")
    await sim.ben.click(sim.fresh(lobby), label="Join")
    assert sent_files(sim, since)[4:] == [True, False]
    await sim.restart()
    await sim.ada.click(sim.fresh(lobby), label="By invitation only")
    await sim.ada.click(sim.fresh(lobby), label="Open to everybody")
    assert sent_files(sim, since)[6:] == [True, False]
    assert alt_texts(sim.fresh(lobby)) == shown
    assert sim.malformed() == []


@pytest.mark.parametrize("refusals", [1, 3])
async def test_where_discord_refuses_to_keep_a_cover_it_is_sent_again(sim: Sim, refusals: int) -> None:
    lobby = await sim.new(sim.ada, players=4)
    sim.faults_expected = True  # it is logged
    table, shown = await sim.table(lobby), alt_texts(lobby)
    for at in range(refusals + 2):
        since = len(sim.env.http_requests)
        if at < refusals:
            path = f"/channels/{sim.channel.id}/messages/{lobby.id}"
            sim.env.inject_error("PATCH", path, status=400, code=50035)
        await sim.ben.click(sim.fresh(lobby), label="Leave" if at % 2 else "Join")
        await sim.env.advance_time(11)
        now = await sim.bot.tables.table(table.id)
        assert now.painted == now.revision
        assert alt_texts(sim.fresh(lobby)) == shown
        assert sent_files(sim, since)[-1] == (at < refusals or refusals == 3)


async def test_between_four_and_six_nobody_starts(sim: Sim) -> None:
    result = await sim.ada.slash(sim.channel, "zatre new", partners=True, computers=4)
    assert result.response is not None
    lobby = result.response.message
    assert "4 or 6 can play. 1 more joins, or somebody leaves." in text_of(lobby)
    assert "Start" not in buttons(lobby)
    start = custom_id(lobby, "start")
    assert "Partners need 4 or 6 players, not 5" in answer(await sim.press(sim.ada, lobby, start))
    await sim.ada.click(lobby, label="Remove computer")
    assert "Start" in buttons(sim.fresh(lobby))


async def invited(sim: Sim, lobby: discord.Message, *people: Any, by: Any = None) -> str:
    """Ada, or another host, invites them; what she is told."""
    shown = sim.fresh(lobby)
    custom = custom_id(shown, "invite")
    result = await (by or sim.ada).select(shown, people, custom_id=custom)
    assert result.response is not None
    assert result.response.ephemeral
    return text_of(result.response)


def letters(sim: Sim, person: Any) -> list[discord.Message]:
    return sim.messages(person.user.dm_channel.id) if person.user.dm_channel else []


def invitation(sim: Sim) -> discord.Message:
    [found] = [one for one in sim.messages(sim.channel.id) if "Accept" in buttons(one)]
    return found


async def test_the_invited_accept_by_a_button(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=4, **{"by-invitation": True})
    assert "By invitation only" in text_of(lobby)
    refused = await sim.dev.click(lobby, label="Join")
    assert "You are not invited" in answer(refused)
    told = await invited(sim, lobby, sim.ben, sim.cleo, sim.ada)
    assert "Invited: Ben, Cleo." in told
    assert "Ada sits at this table already" in told
    asked = invitation(sim)
    assert {user.id for user in asked.mentions} == {sim.ben.id, sim.cleo.id}
    assert "Ada invites you" in text_of(asked)
    refused = await sim.dev.click(asked, label="Accept")
    assert "You are not invited" in answer(refused)
    await sim.ben.click(asked, label="Accept")
    assert "2. Ben" in text_of(sim.fresh(lobby))
    assert f"<@{sim.ben.id}>" not in text_of(invitation(sim))
    assert "Invited: Cleo" in text_of(sim.fresh(lobby))
    await sim.ada.click(sim.fresh(lobby), label="Open to everybody")
    await sim.dev.click(sim.fresh(lobby), label="Join")
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    assert (await sim.bot.tables.table(table.id)).invited == ()
    assert sim.look(sim.channel.id, asked.id) is None


async def test_who_is_invited_later_is_pinged_by_a_fresh_message(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=4)
    await invited(sim, lobby, sim.ben)
    first = invitation(sim)
    assert "Ben is invited already" in await invited(sim, lobby, sim.cleo, sim.ben)
    second = invitation(sim)
    assert sim.look(sim.channel.id, first.id) is None
    assert [user.id for user in second.mentions] == [sim.cleo.id]
    assert "Ben" in text_of(second)
    await sim.ada.click(sim.fresh(lobby), label="Cancel")
    assert [one.id for one in sim.messages(sim.channel.id)] == [lobby.id]


async def test_a_declined_invitation_is_told_to_the_host_alone(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=4)
    await invited(sim, lobby, sim.ben, sim.cleo)
    table = await sim.table(lobby)
    asked = invitation(sim)
    public = [(one.id, text_of(one), custom_ids(one)) for one in sim.messages(sim.channel.id)]
    for _ in range(2):
        told = await sim.ben.click(asked, label="Decline")
        assert "Only the host is told" in answer(told)
    await sim.env.settle()
    assert [(one.id, text_of(one), custom_ids(one)) for one in sim.messages(sim.channel.id)] == public
    assert (await sim.bot.tables.table(table.id)).revision == table.revision
    [letter] = letters(sim, sim.ada)
    assert "Ben has declined" in text_of(letter)
    assert letters(sim, sim.cleo) == letters(sim, sim.ben) == []
    for person, knows in ((sim.ada, True), (sim.cleo, False), (sim.ben, False)):
        menu = answer(await person.slash(sim.channel, "table menu", table=table.id))
        history = answer(await person.slash(sim.channel, "table history", table=table.id))
        assert ("Declined: Ben" in menu) == knows
        assert "decline" not in history
    await sim.ben.click(asked, label="Accept")
    assert "2. Ben" in text_of(sim.fresh(lobby))
    assert "Declined" not in answer(await sim.ada.slash(sim.channel, "table menu", table=table.id))


@pytest.mark.parametrize("language", swept(LANGUAGES, daily=("de",)))
async def test_the_host_sees_who_is_invited_and_takes_it_back(make_sim: MakeSim, language: str) -> None:
    sim = await make_sim(locale=language)
    say = sayer(language)
    for person in (sim.ada, sim.ben, sim.cleo):
        sim.speaks(person, language)
    lobby = await sim.new(sim.ada, players=4)
    label = say("lobby.button.invitations")
    assert label not in buttons(lobby)
    await invited(sim, lobby, sim.ben, sim.cleo)

    def asked() -> discord.Message:
        [found] = [one for one in sim.messages(sim.channel.id) if say("invitation.accept") in buttons(one)]
        return found

    async def page() -> discord.Message:
        result = await sim.ada.click(sim.fresh(lobby), label=label)
        assert result.response is not None
        assert result.response.ephemeral
        return result.response.message

    async def takes_back(shown: discord.Message, person: Any) -> str:
        [(custom, _)] = menus(sim.fresh(shown))
        return answer(await sim.press(sim.ada, sim.fresh(shown), custom, values=[str(person.id)]))

    await sim.ben.click(asked(), label=say("invitation.decline"))
    refused = await sim.cleo.click(sim.fresh(lobby), label=label)
    assert answer(refused) == say("tables.refusal.not_host")
    shown = await page()
    [menu] = [part for part in parts(shown) if isinstance(part, discord.components.SelectMenu)]
    assert [(one.label, one.description) for one in menu.options] == [
        ("Ben", say("invitations.declined")),
        ("Cleo", say("invitations.open")),
    ]
    before = asked()
    await takes_back(shown, sim.cleo)
    assert say("invitations.withdrawn", names="Cleo") in text_of(sim.fresh(shown))
    assert say("lobby.invited", names="Ben") in text_of(sim.fresh(lobby))
    assert asked().id == before.id
    assert "Cleo" not in text_of(asked())
    late = await sim.cleo.click(asked(), label=say("invitation.accept"))
    assert answer(late) == say("tables.refusal.invited_only")
    assert say("tables.refusal.stale") in await takes_back(shown, sim.cleo)
    await invited(sim, lobby, sim.cleo)
    assert [user.id for user in asked().mentions] == [sim.cleo.id], "they are asked anew"
    await takes_back(shown, sim.ben)
    assert say("invitations.waiting") in text_of(await page())
    await takes_back(await page(), sim.cleo)
    assert label not in buttons(sim.fresh(lobby))
    assert [one.id for one in sim.messages(sim.channel.id)] == [lobby.id]


async def test_an_invitation_opens_no_channel(sim: Sim) -> None:
    """Who cannot see it is not invited, and one who cannot see it any more finds no table."""
    role = sim.guild.create_role("seers")
    hidden, shown = (discord.PermissionOverwrite(view_channel=on) for on in (False, True))
    assert sim.bot.user is not None
    games, sim.channel = (
        sim.channel,
        sim.guild.create_text_channel(
            "room", overwrites={sim.guild.default_role: hidden, role: shown, sim.bot.user: shown}
        ),
    )
    host, guest = [sim.guild.add_member(sim.env.create_user(name), roles=[role]) for name in ("hal", "gus")]
    robot = sim.guild.add_member(sim.env.create_user("rob", bot=True), roles=[role])
    lobby = await sim.new(host, players=4, **{"by-invitation": True})
    told = await invited(sim, lobby, sim.cleo, robot, by=host)
    assert "Cleo cannot see this channel" in told
    assert "rob is a bot" in told
    assert "Invited" not in text_of(sim.fresh(lobby))
    assert letters(sim, sim.cleo) == []
    assert "Invited: gus" in await invited(sim, lobby, guest, by=host)
    table = await sim.table(lobby)
    sim.env.backend.remove_member_role(sim.guild.id, guest.id, role.id)
    await sim.env.advance_time(61)
    page = (await guest.slash(games, "help")).response
    assert page is not None
    for verb in ("accept", "decline", "join"):
        made = f"pb:{table.id}:{table.revision}:{verb}:"
        assert "There is no table" in answer(await sim.press(guest, page.message, made))
    assert (await sim.bot.tables.table(table.id)).revision == table.revision
