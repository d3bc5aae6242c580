"""The other slash commands: my tables, one table, my settings, the server's."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import discord
import pytest

from bot.rules import record as records
from bot.tables.model import ClockRule, Status, Table

from .den import Den, answer, buttons, custom_ids, links, text_of


async def test_my_tables_are_listed_with_my_turn_first(den: Den) -> None:
    waiting = await den.new(den.ada)
    playing = await den.started(den.ada, den.ben)
    result = await den.ada.slash(den.channel, "games")
    said = answer(result)
    assert said.index(playing.id) < said.index((await den.table(waiting)).id)
    assert "your turn" in said
    assert "waiting to start" in said
    assert result.response is not None
    assert result.response.ephemeral
    await den.ada.click(result.response.message, label="My settings")
    result = await den.dev.slash(den.channel, "games")
    assert "not sitting at any table" in answer(result)


async def test_history_tells_what_happened_in_words(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    await den.turn((await den.to_act(table))[0], table)
    result = await den.cleo.slash(den.thread(table), "table history")
    said = answer(result)
    assert "Ada opened the table" in said
    assert "Ben joined" in said
    assert said.count("\n") > 4


async def test_the_record_is_a_secret_until_the_end(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    result = await den.ada.slash(den.thread(table), "table record")
    assert "secret" in answer(result)
    await den.hurry(table)
    result = await den.cleo.slash(den.channel, "table record", table=table.id.lower())
    assert result.response is not None
    (file,) = result.response.attachments
    data = await file.read()
    assert records.verify(data).fault is None
    assert json.loads(data)["game"] == "fivetotwelve"


async def test_a_rematch_seats_the_same_people_again(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted", bruno=True)
    await den.hurry(table)
    result = await den.ben.slash(den.thread(table), "table rematch", table=table.id)
    assert "rematch" in answer(result)
    lobby = den.messages(den.channel.id)[-1]
    assert "1. Ada" in text_of(lobby)
    assert "2. ⌂ Ben · host" in text_of(lobby)
    assert "Start" in buttons(lobby)
    again = await den.ada.slash(den.thread(table), "table rematch", table=table.id)
    assert (await den.table(lobby)).id in answer(again)


async def test_the_host_hands_over(den: Den) -> None:
    lobby = await den.new(den.ada)
    await den.ben.click(lobby, label="Join")
    await den.ada.slash(den.channel, "table host", player=den.ben)
    assert "2. ⌂ Ben · host" in text_of(den.fresh(lobby))


async def test_tables_of_other_servers_are_not_shown(den: Den) -> None:
    table = await den.started(den.ada, den.ben)
    elsewhere = den.env.create_guild("Elsewhere")
    channel = elsewhere.create_text_channel("x")
    stranger = elsewhere.add_member(den.env.create_user("zoe"))
    result = await stranger.slash(channel, "table show", table=table.id)
    assert "There is no table" in answer(result)


async def test_without_a_named_table_the_right_one_is_found_or_asked_for(den: Den) -> None:
    first = await den.started(den.ada, den.ben)
    second = await den.started(den.ada, den.cleo)
    result = await den.ada.slash(den.channel, "table show")
    assert "which table" in answer(result)
    result = await den.ada.slash(den.thread(second), "table show")
    assert second.place.table_message is not None
    choices = await den.ada.autocomplete(den.channel, "table show", "table", "")
    assert {choice["value"] for choice in choices} == {first.id, second.id}
    assert all("Ada" in choice["name"] for choice in choices)


async def test_help_names_the_games_and_leads_to_their_rules(den: Den) -> None:
    result = await den.ada.slash(den.channel, "help")
    assert "5 vor 12" in answer(result)
    assert result.response is not None
    label = next(label for label in buttons(result.response) if "5 vor 12" in label)
    rules = await den.ada.click(result.response.message, label=label)
    assert "Part 1 of" in answer(rules)


async def test_the_text_board_comes_with_the_picture_for_who_wants_it(den: Den) -> None:
    result = await den.ada.slash(den.channel, "profile")
    assert result.response is not None
    await den.ada.select(result.response.message, ["yes"], custom_id="ps:-:0:set_user:text_board")
    table = await den.started(den.ada, den.ben)
    assert "Board of Ada" in text_of(await den.hand(den.ada, table))
    assert "Board of Ada" not in text_of(await den.hand(den.ben, table))


async def test_only_managers_change_the_servers_settings(den: Den) -> None:
    boss_role = den.guild.create_role("boss", permissions=discord.Permissions(manage_guild=True))
    boss = den.guild.add_member(den.env.create_user("boss"), roles=[boss_role])
    result = await boss.slash(den.channel, "parlour language", language="de")
    assert "Deutsch" in answer(result) or "German" in answer(result)
    lobby = await den.new(den.ada)
    assert "Mitspielen" in buttons(lobby)

    await boss.slash(den.channel, "parlour limit", tables=1)
    result = await den.ben.slash(den.channel, "5vor12 new")
    assert "1 open table" in answer(result)
    assert result.response is not None
    assert result.response.ephemeral

    other = den.guild.create_text_channel("other")
    await boss.slash(den.channel, "parlour channel", channel=other)
    await boss.slash(den.channel, "parlour limit", tables=10)
    result = await den.ben.slash(den.channel, "5vor12 new")
    assert "cannot be opened in this channel" in answer(result)
    result = await boss.slash(den.channel, "parlour tables")
    table = await den.table(lobby)
    assert table.id in answer(result)
    await boss.slash(den.channel, "parlour end", table=table.id)
    assert (await den.bot.tables.table(table.id)).status is Status.ENDED
    result = await boss.slash(den.channel, "parlour clock", time=300, timeout="vote")
    assert "5 minutes" in answer(result)
    result = await boss.slash(den.channel, "parlour settings")
    assert f"<#{other.id}>" in answer(result)
    assert links(result.response) == [] if result.response else False


async def test_a_table_takes_what_is_left_open_of_the_servers_clock(den: Den) -> None:
    usual = ClockRule(86_400, "vote")
    await den.bot.tables.set_guild(den.guild.id, clock=usual)
    for given, clock in (
        ({}, usual),
        ({"timeout": "stand_in"}, ClockRule(86_400, "stand_in")),
        ({"clock": 30}, ClockRule(30, "vote")),
        ({"clock": 0}, ClockRule(None, "vote")),
        ({"clock": 1_209_600, "timeout": "stand_in"}, ClockRule(1_209_600, "stand_in")),
    ):
        assert (await den.table(await den.new(den.ada, **given))).clock == clock


async def test_what_comes_too_early_or_too_late_is_told_in_its_own_words(den: Den) -> None:
    lobby = await den.new(den.ada)
    asked = await den.ada.slash(den.channel, "table resign")
    assert "not begun" in answer(asked)
    await den.ben.click(den.fresh(lobby), label="Join")
    await den.ada.click(den.fresh(lobby), label="Start")
    table = await den.table(await den.board(await _only(den)))
    early = await den.ada.slash(den.thread(table), "table rematch")
    assert "once the table is over" in answer(early)
    await den.bot.tables.end_by_admin(table.id)
    await den.env.settle()
    late = await den.ada.slash(den.channel, "table resign", table=table.id)
    assert "over" in answer(late)
    assert "Do you really" not in answer(late)


async def _only(den: Den) -> Table:
    (table,) = await den.bot.tables.tables_of(den.ada.id)
    return table


@pytest.mark.parametrize(
    "broken",
    [
        ("UPDATE tables SET state = '{', rules_version = 99", ()),
        ("UPDATE tables SET options = '['", ()),
    ],
)
async def test_a_table_that_cannot_be_loaded_is_told_to_the_server_and_its_owner_once(
    den: Den, broken: tuple[str, tuple[object, ...]]
) -> None:
    den.faults_expected = True
    table = await den.started(den.ada, den.ben, setup="sorted")
    await den.bot.close()
    with closing(sqlite3.connect(den.settings.data_dir / "parlour.db")) as file, file:
        file.execute(*broken)
    await den.restart()
    board = await den.board(table)
    for _ in range(2):
        result = await den.ada.click(board, custom_id=custom_ids(board)[0]) if custom_ids(board) else None
        assert result is None or "set aside" in answer(result)
        await den.env.settle()
        board = await den.board(table)
        assert "set aside" in text_of(board)
        assert custom_ids(board) == []
    owner = den.env.backend.guilds[den.guild.id].owner_id
    told = [
        text_of(message)
        for channel in list(den.env.backend.messages)
        for message in den.messages(channel)
        if "/parlour end" in text_of(message)
    ]
    assert len(told) == 1
    assert table.id in told[0]
    assert den.bot.services.io.known_dm(owner)
    await den.ada.slash(den.channel, "table end", table=table.id)
    assert (await den.bot.tables.table(table.id)).status is Status.ENDED
    assert await den.bot.tables.tables_of(den.ada.id) == []
