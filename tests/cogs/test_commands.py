"""The other slash commands: my tables, one table, my settings, the server's."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import discord
import pytest

import rendering.theme
from bot.locale import LANGUAGES, sayer
from bot.rules import record as records
from bot.rules.fivetotwelve import CELLS, FiveView
from bot.rules.registry import game as rules_of
from bot.tables.model import THEMES, ClockRule, Person, Status, Table
from tests.sweeps import swept
from tests.tables.support import typed

from .sim import Sim, answer, buttons, custom_ids, links, text_of


async def test_my_tables_are_listed_with_my_turn_first(sim: Sim) -> None:
    waiting = await sim.new(sim.ada)
    playing = await sim.started(sim.ada, sim.ben)
    result = await sim.ada.slash(sim.channel, "games")
    said = answer(result)
    assert said.index(playing.id) < said.index((await sim.table(waiting)).id)
    assert "your turn" in said
    assert "waiting to start" in said
    assert result.response is not None
    assert result.response.ephemeral
    await sim.ada.click(result.response.message, label="My settings")
    result = await sim.dev.slash(sim.channel, "games")
    assert "not sitting at any table" in answer(result)


async def test_history_tells_what_happened_in_words(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await sim.turn((await sim.to_act(table))[0], table)
    result = await sim.cleo.slash(sim.thread(table), "table history")
    said = answer(result)
    assert "Ada opened the table" in said
    assert "Ben joined" in said
    assert said.count("\n") > 4


def laid(view: FiveView, move: str) -> tuple[str, dict[str, object]] | None:
    """The kind of sentence that tells of it, and what that names; None for a move that lays nothing."""
    tile, _, cell = move.removeprefix("take ").partition("@")
    if not cell or view.seat is None:
        return None
    replaced = view.boards[view.seat][CELLS.index(cell)]
    taken = "take" if move.startswith("take") else ""
    kind = "_".join(filter(None, (taken, "exchange" if replaced else "" if taken else "lay")))
    return kind, {"tile": tile, "cell": cell, "replaced": replaced}


async def test_history_tells_an_exchange_as_one(sim: Sim) -> None:
    """From the hand and from the middle, and as ever what is laid on a free cell."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    done: dict[str, dict[str, object]] = {}
    while len(done) < 4:
        [actor] = await sim.to_act(table)
        view = (await sim.bot.tables.view(table.id, actor.id)).view
        assert isinstance(view, FiveView)
        legal = rules_of("fivetotwelve").legal(view)
        moves = [(move, found) for move in legal if (found := laid(view, move)) and found[0] not in done]
        move, found = moves[0] if moves else ("draw" if "draw" in legal else "leave", None)
        name = str(actor.user.global_name)
        await typed(sim.bot.tables, table.id, Person(actor.id, name), move)
        if found is not None:
            done[found[0]] = {**found[1], "name": name}
    assert done.keys() == {"lay", "take", "exchange", "take_exchange"}
    for language in LANGUAGES:
        sim.speaks(sim.ada, language)
        say = sayer(language)
        lines = answer(await sim.ada.slash(sim.channel, "table history", table=table.id)).splitlines()
        for kind, values in done.items():
            placed = say("fivetotwelve.event.placed", **values)
            assert say(f"fivetotwelve.event.{kind}", placed=placed, **values) in lines


@pytest.mark.parametrize("elsewhere", swept([0, 2], daily=(2,)))
async def test_in_the_thread_of_a_table_that_is_over_that_is_said(sim: Sim, elsewhere: int) -> None:
    """It could not be told which table was meant, where `/table show` found it."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    thread = sim.thread(table)
    await sim.hurry(table)
    for _ in range(elsewhere):
        await sim.started(sim.ada, sim.ben)
    for command in ("table undo", "table resign", "table menu"):
        assert answer(await sim.ada.slash(thread, command)) == "This table is over."
    assert answer(await sim.types(sim.ada, thread, "5vor12", move="draw")) == "This table is over."
    assert "which table" in answer(await sim.types(sim.ada, thread, "zatre", move="4@H8"))
    assert "which table" in answer(await sim.ada.slash(sim.channel, "table undo"))


async def test_who_does_not_sit_there_is_told_so_in_the_thread_of_the_table(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    said = answer(await sim.types(sim.cleo, sim.thread(table), "5vor12", move="draw"))
    assert said == "You are not sitting at this table."


async def test_the_record_is_a_secret_until_the_end(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    result = await sim.ada.slash(sim.thread(table), "table record")
    assert "secret" in answer(result)
    await sim.hurry(table)
    result = await sim.cleo.slash(sim.channel, "table record", table=table.id.lower())
    assert result.response is not None
    (file,) = result.response.attachments
    data = await file.read()
    assert records.verify(data).fault is None
    assert json.loads(data)["game"] == "fivetotwelve"


async def test_a_rematch_seats_the_same_people_again(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted", bruno=True)
    await sim.hurry(table)
    result = await sim.ben.slash(sim.thread(table), "table rematch", table=table.id)
    assert "rematch" in answer(result)
    lobby = sim.messages(sim.channel.id)[-1]
    assert "1. Ada" in text_of(lobby)
    assert "2. ⌂ Ben · host" in text_of(lobby)
    assert "Start" in buttons(lobby)
    again = await sim.ada.slash(sim.thread(table), "table rematch", table=table.id)
    assert (await sim.table(lobby)).id in answer(again)


async def test_the_host_hands_over(sim: Sim) -> None:
    lobby = await sim.new(sim.ada)
    await sim.ben.click(lobby, label="Join")
    await sim.ada.slash(sim.channel, "table host", player=sim.ben)
    assert "2. ⌂ Ben · host" in text_of(sim.fresh(lobby))


async def test_tables_of_other_servers_are_not_shown(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben)
    elsewhere = sim.env.create_guild("Elsewhere")
    channel = elsewhere.create_text_channel("x")
    stranger = elsewhere.add_member(sim.env.create_user("zoe"))
    result = await stranger.slash(channel, "table show", table=table.id)
    assert "There is no table" in answer(result)


async def test_without_a_named_table_the_right_one_is_found_or_asked_for(sim: Sim) -> None:
    first = await sim.started(sim.ada, sim.ben)
    second = await sim.started(sim.ada, sim.cleo)
    result = await sim.ada.slash(sim.channel, "table show")
    assert "which table" in answer(result)
    result = await sim.ada.slash(sim.thread(second), "table show")
    assert second.place.table_message is not None
    choices = await sim.ada.autocomplete(sim.channel, "table show", "table", "")
    assert {choice["value"] for choice in choices} == {first.id, second.id}
    assert all("Ada" in choice["name"] for choice in choices)


async def test_help_names_the_games_and_leads_to_their_rules(sim: Sim) -> None:
    result = await sim.ada.slash(sim.channel, "help")
    assert "5 vor 12" in answer(result)
    assert result.response is not None
    label = next(label for label in buttons(result.response) if "5 vor 12" in label)
    rules = await sim.ada.click(result.response.message, label=label)
    assert "5 vor 12 in short" in answer(rules)


async def test_the_text_board_comes_with_the_picture_for_who_wants_it(sim: Sim) -> None:
    result = await sim.ada.slash(sim.channel, "profile")
    assert result.response is not None
    await sim.ada.select(result.response.message, ["yes"], custom_id="ps:-:0:set_user:text_board")
    table = await sim.started(sim.ada, sim.ben)
    assert "Board of Ada" in text_of(await sim.hand(sim.ada, table))
    assert "Board of Ada" not in text_of(await sim.hand(sim.ben, table))


async def test_everybody_has_pictures_in_the_theme_they_chose_and_a_server_in_its_own(sim: Sim) -> None:
    async def shown(message: discord.Message) -> list[str]:
        png = await message.attachments[0].read()
        return [theme.name for theme in rendering.theme.THEMES.values() if theme.palette in png]

    assert rendering.theme.THEMES.keys() == dict.fromkeys(THEMES).keys()
    result = await sim.ada.slash(sim.channel, "profile")
    assert result.response is not None
    await sim.ada.select(result.response.message, ["contrast"], custom_id="ps:-:0:set_user:theme")
    boss_role = sim.guild.create_role("boss", permissions=discord.Permissions(manage_guild=True))
    boss = sim.guild.add_member(sim.env.create_user("boss"), roles=[boss_role])
    assert "Pictures that everybody sees: **light**" in answer(
        await boss.slash(sim.channel, "parlour theme", theme="light")
    )
    table = await sim.started(sim.ada, sim.ben)
    assert await shown(await sim.board(table)) == ["light"]
    assert await shown(await sim.hand(sim.ada, table)) == ["contrast"]
    assert await shown(await sim.hand(sim.ben, table)) == ["dark"]


async def test_only_managers_change_the_servers_settings(sim: Sim) -> None:
    boss_role = sim.guild.create_role("boss", permissions=discord.Permissions(manage_guild=True))
    boss = sim.guild.add_member(sim.env.create_user("boss"), roles=[boss_role])
    result = await boss.slash(sim.channel, "parlour language", language="de")
    assert "Deutsch" in answer(result) or "German" in answer(result)
    lobby = await sim.new(sim.ada)
    assert "Mitspielen" in buttons(lobby)

    await boss.slash(sim.channel, "parlour limit", tables=1)
    result = await sim.ben.slash(sim.channel, "5vor12 new")
    assert "1 open table" in answer(result)
    assert result.response is not None
    assert result.response.ephemeral

    other = sim.guild.create_text_channel("other")
    await boss.slash(sim.channel, "parlour channel", channel=other)
    await boss.slash(sim.channel, "parlour limit", tables=10)
    result = await sim.ben.slash(sim.channel, "5vor12 new")
    assert "can be opened only here" in answer(result)
    result = await boss.slash(sim.channel, "parlour tables")
    table = await sim.table(lobby)
    assert table.id in answer(result)
    await boss.slash(sim.channel, "parlour end", table=table.id)
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED
    result = await boss.slash(sim.channel, "parlour clock", time=300, timeout="vote")
    assert "5 minutes" in answer(result)
    result = await boss.slash(sim.channel, "parlour settings")
    assert f"<#{other.id}>" in answer(result)
    assert links(result.response) == [] if result.response else False


async def test_a_table_takes_what_is_left_open_of_the_servers_clock(sim: Sim) -> None:
    usual = ClockRule(86_400, "vote")
    await sim.bot.tables.set_guild(sim.guild.id, clock=usual)
    for given, clock in (
        ({}, usual),
        ({"timeout": "stand_in"}, ClockRule(86_400, "stand_in")),
        ({"clock": 30}, ClockRule(30, "vote")),
        ({"clock": 0}, ClockRule(None, "vote")),
        ({"clock": 1_209_600, "timeout": "stand_in"}, ClockRule(1_209_600, "stand_in")),
    ):
        assert (await sim.table(await sim.new(sim.ada, **given))).clock == clock


async def test_what_comes_too_early_or_too_late_is_told_in_its_own_words(sim: Sim) -> None:
    lobby = await sim.new(sim.ada)
    asked = await sim.ada.slash(sim.channel, "table resign")
    assert "not begun" in answer(asked)
    await sim.ben.click(sim.fresh(lobby), label="Join")
    await sim.ada.click(sim.fresh(lobby), label="Start")
    table = await sim.table(await sim.board(await _only(sim)))
    early = await sim.ada.slash(sim.thread(table), "table rematch")
    assert "once the table is over" in answer(early)
    await sim.bot.tables.end_by_admin(table.id)
    await sim.env.settle()
    late = await sim.ada.slash(sim.channel, "table resign", table=table.id)
    assert "over" in answer(late)
    assert "Do you really" not in answer(late)


async def _only(sim: Sim) -> Table:
    (table,) = await sim.bot.tables.tables_of(sim.ada.id)
    return table


@pytest.mark.parametrize(
    "broken",
    swept(
        [
            ("UPDATE tables SET state = '{', rules_version = 99", ()),
            ("UPDATE tables SET options = '['", ()),
        ]
    ),
)
async def test_a_table_that_cannot_be_loaded_is_told_to_the_server_and_its_owner_once(
    sim: Sim, broken: tuple[str, tuple[object, ...]]
) -> None:
    sim.faults_expected = True
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await sim.bot.close()
    with closing(sqlite3.connect(sim.settings.data_dir / "parlour.db")) as file, file:
        file.execute(*broken)
    await sim.restart()
    board = await sim.board(table)
    for _ in range(2):
        result = await sim.ada.click(board, custom_id=custom_ids(board)[0]) if custom_ids(board) else None
        assert result is None or "set aside" in answer(result)
        await sim.env.settle()
        board = await sim.board(table)
        assert "set aside" in text_of(board)
        assert custom_ids(board) == []
    owner = sim.env.backend.guilds[sim.guild.id].owner_id
    told = [
        text_of(message)
        for channel in list(sim.env.backend.messages)
        for message in sim.messages(channel)
        if "/parlour end" in text_of(message)
    ]
    assert len(told) == 1
    assert table.id in told[0]
    assert sim.bot.services.io.known_dm(owner)
    await sim.ada.slash(sim.channel, "table end", table=table.id)
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED
    assert await sim.bot.tables.tables_of(sim.ada.id) == []
