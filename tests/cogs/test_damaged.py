"""Tables whose rows cannot be read, as people see them: named, without controls, ended by who may; and the
tables beside them as ever."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from simcord.actors import MemberActor

from bot.tables.model import Status

from .den import Den, answer, buttons, custom_ids, menus, text_of
from .test_hands import game_of, letters, lobby_of

DAMAGES = {
    "a game that is gone": "UPDATE tables SET game = 'old_chess' WHERE id = :id",
    "a text for a time": "UPDATE tables SET changed = 'soon', deadline = 'later' WHERE id = :id",
    "a text for the revision": "UPDATE tables SET revision = 'seven' WHERE id = :id",
    "missing seats": "DELETE FROM seats WHERE table_id = :id AND seat = 0",
    "bytes for a person": "UPDATE seats SET user_id = x'00ff' WHERE table_id = :id AND seat = 0",
    "a thread that cannot be read": "UPDATE tables SET thread = 'games' WHERE id = :id",
}


def damage(den: Den, statement: str, table: str) -> None:
    with den.behind_the_bot() as file:
        file.execute(statement, {"id": table})


def manager(den: Den, guild: Any) -> MemberActor:
    role = guild.create_role("boss", permissions=discord.Permissions(manage_guild=True))
    boss: MemberActor = guild.add_member(den.env.create_user("boss"), roles=[role])
    return boss


@pytest.mark.parametrize("kind", DAMAGES)
async def test_a_damaged_game_is_shown_and_ended_and_keeps_no_live_control(den: Den, kind: str) -> None:
    den.faults_expected = True
    boss = manager(den, den.guild)
    good = await den.started(den.ada, den.cleo, setup="sorted")
    bad = await game_of(den, den.ada, den.ben)
    board = await den.board(bad)
    assert custom_ids(board)
    assert any(custom_ids(letter) for person in (den.ada, den.ben) for letter in letters(den, person))
    damage(den, DAMAGES[kind], bad.id)
    await den.restart()

    for person in (den.ada, den.ben, den.cleo):
        listed = answer(await person.slash(den.channel, "games"))
        assert (good.id in listed) == (person is not den.ben)
    listed = answer(await boss.slash(den.channel, "parlour tables"))
    assert good.id in listed
    assert bad.id in listed
    assert "set aside" in listed
    assert "old" not in kind or "old_chess" in listed

    said = answer(await den.press(den.ben, board, custom_ids(board)[0]))
    assert "wrong on my side" not in said
    assert "aside" in said or "not sitting" in said
    await den.env.settle()
    for command in ("table show", "table menu", "table history", "table resign", "table snooze"):
        told = answer(await den.ben.slash(den.channel, command, table=bad.id))
        assert "wrong on my side" not in told, command
    await den.env.settle()
    assert custom_ids(den.fresh(board)) == []
    assert "set aside" in text_of(den.fresh(board))

    assert "ended" in answer(await boss.slash(den.channel, "parlour end", table=bad.id))
    await den.env.settle()
    await den.restart()
    await den.bot.services.repaints.sweep()
    await den.env.settle()
    assert (await den.bot.tables.table(bad.id)).status is Status.ENDED
    if kind == "missing seats":  # where that hand lies is not known any more: it goes with its own click
        for letter in letters(den, den.ada):
            for custom, values in menus(letter)[:1]:
                await den.ada.user.select(letter, [values[0]], custom_id=custom)
    shown = [
        message
        for channel in list(den.env.backend.messages)
        for message in den.messages(channel)
        if any(bad.id in custom for custom in custom_ids(message))
    ]
    assert shown == []
    assert bad.id not in answer(await boss.slash(den.channel, "parlour tables"))

    actor = (await den.to_act(good))[0]
    page = await den.hand(actor, good)
    before = (await den.bot.tables.table(good.id)).revision
    while (await den.bot.tables.table(good.id)).revision == before:
        page = await den.step(actor, page)
    await den.env.settle()
    now = await den.bot.tables.table(good.id)
    assert now.painted == now.revision


@pytest.mark.parametrize("kind", ["a game that is gone", "missing seats", "a text for a time"])
async def test_a_damaged_lobby_is_shown_and_ended_by_its_host(den: Den, kind: str) -> None:
    den.faults_expected = True
    lobby = await lobby_of(den, den.ada, den.ben)
    table = await den.table(lobby)
    damage(den, DAMAGES[kind], table.id)
    await den.restart()
    told = answer(await den.cleo.click(lobby, label="Leave"))
    assert "aside" in told
    await den.env.settle()
    assert buttons(den.fresh(lobby)) == []
    assert "ended" in answer(await den.ada.slash(den.channel, "table end", table=table.id))
    await den.env.settle()
    assert "ended" in text_of(den.fresh(lobby))
    assert buttons(den.fresh(lobby)) == []
    assert await den.bot.tables.tables_at(den.guild.id) == []


@pytest.mark.parametrize("guild", ["'den'", "x'00ff'", "0.5"])
async def test_where_the_server_cannot_be_read_its_channel_tells_who_may_end_the_table(
    den: Den, guild: str
) -> None:
    den.faults_expected = True
    elsewhere = den.env.create_guild("Elsewhere")
    yard = elsewhere.create_text_channel("yard")
    boss, stranger = manager(den, den.guild), manager(den, elsewhere)
    table = await game_of(den, den.ada, den.ben)
    board = await den.board(table)
    damage(den, f"UPDATE tables SET guild = {guild} WHERE id = :id", table.id)
    await den.restart()

    unknown = answer(await stranger.slash(yard, "parlour end", table="ZZZZZZ"))
    told = answer(await stranger.slash(yard, "parlour end", table=table.id))
    assert told == unknown.replace("ZZZZZZ", table.id)
    assert (await den.bot.tables.table(table.id)).status is Status.ASIDE
    assert table.id not in answer(await stranger.slash(yard, "parlour tables"))
    listed = answer(await boss.slash(den.channel, "parlour tables"))
    assert table.id in listed
    assert "set aside" in listed
    assert "ended" in answer(await boss.slash(den.channel, "parlour end", table=table.id))
    await den.env.settle()
    assert (await den.bot.tables.table(table.id)).status is Status.ENDED
    assert custom_ids(den.fresh(board)) == []
    assert table.id not in answer(await boss.slash(den.channel, "parlour tables"))


async def test_without_a_readable_server_and_channel_no_manager_ends_a_table(den: Den) -> None:
    den.faults_expected = True
    boss = manager(den, den.guild)
    table = await game_of(den, den.ada, den.ben)
    damage(den, "UPDATE tables SET guild = 'den', channel = 'games' WHERE id = :id", table.id)
    await den.restart()
    unknown = answer(await boss.slash(den.channel, "parlour end", table="ZZZZZZ"))
    told = answer(await boss.slash(den.channel, "parlour end", table=table.id))
    assert told == unknown.replace("ZZZZZZ", table.id)
    assert table.id not in answer(await boss.slash(den.channel, "parlour tables"))
    assert (await den.bot.tables.table(table.id)).status is Status.ASIDE
    assert "ended" in answer(await den.ada.slash(den.channel, "table end", table=table.id))


async def test_a_board_of_a_table_that_was_ended_by_hand_loses_its_controls_at_a_click(den: Den) -> None:
    den.faults_expected = True
    table = await den.started(den.ada, den.ben, setup="sorted")
    await den.env.settle()
    board = await den.board(table)
    now = await den.bot.tables.table(table.id)
    assert now.painted == now.revision
    damage(den, "UPDATE tables SET status = 'ended' WHERE id = :id", table.id)
    await den.restart()
    assert custom_ids(den.fresh(board)) != []
    assert "wrong on my side" not in answer(await den.press(den.cleo, board, custom_ids(board)[0]))
    await den.env.settle()
    assert custom_ids(den.fresh(board)) == []
