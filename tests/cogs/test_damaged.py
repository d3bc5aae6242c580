"""Tables whose rows cannot be read, as people see them: named, without controls, ended by who may; and the
tables beside them as ever."""

from __future__ import annotations

import logging
from typing import Any

import discord
import pytest
from simcord.actors import MemberActor

from bot.tables.model import Status
from cogs.delivery import painter
from cogs.surfaces import table as table_surface
from tests.sweeps import swept, swept_rows

from .sim import Sim, acting, answer, buttons, custom_ids, entries, text_of
from .test_hands import direct_messages, game_of, lobby_of

DAMAGES = {
    "a game that is gone": "UPDATE tables SET game = 'old_chess' WHERE id = :id",
    "a text for a time": "UPDATE tables SET changed = 'soon', deadline = 'later' WHERE id = :id",
    "a text for the revision": "UPDATE tables SET revision = 'seven' WHERE id = :id",
    "missing seats": "DELETE FROM seats WHERE table_id = :id AND seat = 0",
    "bytes for a person": "UPDATE seats SET user_id = x'00ff' WHERE table_id = :id AND seat = 0",
    "a thread that cannot be read": "UPDATE tables SET thread = 'games' WHERE id = :id",
    "options of another game": """UPDATE tables SET options = '{"nonsense": 1}' WHERE id = :id""",
    "another game": """UPDATE tables SET game = 'zatre', options = '{"bruno": true}' WHERE id = :id""",
    "a host who does not sit there": "UPDATE tables SET host = 5 WHERE id = :id",
    "a question about a seat that is not there": (
        "INSERT INTO votes VALUES (:id, 'kick', 99, 5, 1, 1900000000000000, 2, '[5]', '[]', '[5]')"
    ),
    "a choice of another time": "UPDATE seats SET since = 99999 WHERE table_id = :id",
}


def damage(sim: Sim, statement: str, table: str) -> None:
    with sim.behind_the_bot() as file:
        file.execute(statement, {"id": table})


def manager(sim: Sim, guild: Any) -> MemberActor:
    role = guild.create_role("boss", permissions=discord.Permissions(manage_guild=True))
    boss: MemberActor = guild.add_member(sim.env.create_user("boss"), roles=[role])
    return boss


@pytest.mark.parametrize("kind", swept(DAMAGES, daily=2))
async def test_a_damaged_game_is_shown_and_ended_and_keeps_no_live_control(sim: Sim, kind: str) -> None:
    sim.faults_expected = True
    boss = manager(sim, sim.guild)
    good = await sim.started(sim.ada, sim.cleo, setup="sorted")
    bad = await game_of(sim, sim.ada, sim.ben)
    board = await sim.board(bad)
    assert custom_ids(board)
    assert any(custom_ids(letter) for person in (sim.ada, sim.ben) for letter in direct_messages(sim, person))
    damage(sim, DAMAGES[kind], bad.id)
    await sim.restart()

    for person in (sim.ada, sim.ben, sim.cleo):
        listed = answer(await person.slash(sim.channel, "games"))
        assert (good.id in listed) == (person is not sim.ben)
    listed = answer(await boss.slash(sim.channel, "parlour tables"))
    assert good.id in listed
    assert bad.id in listed
    assert "set aside" in listed
    assert "old" not in kind or "old_chess" in listed

    said = answer(await sim.press(sim.ben, board, custom_ids(board)[0]))
    assert "wrong on my side" not in said
    assert "aside" in said or "not sitting" in said
    await sim.env.settle()
    for command in ("table show", "table menu", "table history", "table resign", "table snooze"):
        told = answer(await sim.ben.slash(sim.channel, command, table=bad.id))
        assert "wrong on my side" not in told, command
    await sim.env.settle()
    assert custom_ids(sim.fresh(board)) == []
    assert "set aside" in text_of(sim.fresh(board))

    assert "ended" in answer(await boss.slash(sim.channel, "parlour end", table=bad.id))
    await sim.env.settle()
    await sim.restart()
    await sim.sweep()
    await sim.env.settle()
    assert (await sim.bot.tables.table(bad.id)).status is Status.ENDED
    if kind == "missing seats":  # where that hand lies is not known any more: it goes with its own click
        for letter in direct_messages(sim, sim.ada):
            for value in entries(letter)[:1]:
                await sim.choose(sim.ada.user, letter, value)
    shown = [
        message
        for channel in list(sim.env.backend.messages)
        for message in sim.messages(channel)
        if any(bad.id in custom for custom in acting(message))
    ]
    assert shown == []
    assert bad.id not in answer(await boss.slash(sim.channel, "parlour tables"))

    actor = (await sim.to_act(good))[0]
    page = await sim.hand(actor, good)
    before = (await sim.bot.tables.table(good.id)).revision
    while (await sim.bot.tables.table(good.id)).revision == before:
        page = await sim.step(actor, page)
    await sim.env.settle()
    now = await sim.bot.tables.table(good.id)
    assert now.painted == now.revision


@pytest.mark.parametrize(
    "kind",
    swept(
        [
            "a game that is gone",
            "missing seats",
            "a text for a time",
            "options of another game",
            "another game",
            "a host who does not sit there",
        ],
        daily=2,
    ),
)
async def test_a_damaged_lobby_is_shown_and_ended_by_its_host(sim: Sim, kind: str) -> None:
    sim.faults_expected = True
    lobby = await lobby_of(sim, sim.ada, sim.ben)
    table = await sim.table(lobby)
    damage(sim, DAMAGES[kind], table.id)
    await sim.restart()
    told = answer(await sim.cleo.click(lobby, label="Leave"))
    assert "aside" in told
    await sim.env.settle()
    assert buttons(sim.fresh(lobby)) == []
    assert "ended" in answer(await sim.ada.slash(sim.channel, "table end", table=table.id))
    await sim.env.settle()
    assert "ended" in text_of(sim.fresh(lobby))
    assert buttons(sim.fresh(lobby)) == []
    assert await sim.bot.tables.tables_at(sim.guild.id) == []


@pytest.mark.parametrize("guild", swept(["'den'", "x'00ff'", "0.5", "0", "-7"]))
async def test_where_the_server_cannot_be_read_its_channel_tells_who_may_end_the_table(
    sim: Sim, guild: str
) -> None:
    sim.faults_expected = True
    elsewhere = sim.env.create_guild("Elsewhere")
    yard = elsewhere.create_text_channel("yard")
    boss, stranger = manager(sim, sim.guild), manager(sim, elsewhere)
    table = await game_of(sim, sim.ada, sim.ben)
    board = await sim.board(table)
    damage(sim, f"UPDATE tables SET guild = {guild} WHERE id = :id", table.id)
    await sim.restart()

    unknown = answer(await stranger.slash(yard, "parlour end", table="ZZZZZZ"))
    told = answer(await stranger.slash(yard, "parlour end", table=table.id))
    assert told == unknown.replace("ZZZZZZ", table.id)
    assert (await sim.bot.tables.table(table.id)).status is Status.ASIDE
    assert table.id not in answer(await stranger.slash(yard, "parlour tables"))
    listed = answer(await boss.slash(sim.channel, "parlour tables"))
    assert table.id in listed
    assert "set aside" in listed
    assert "ended" in answer(await boss.slash(sim.channel, "parlour end", table=table.id))
    await sim.env.settle()
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED
    assert custom_ids(sim.fresh(board)) == []
    assert table.id not in answer(await boss.slash(sim.channel, "parlour tables"))


@pytest.mark.parametrize(("guild", "channel"), swept_rows([("'den'", "'games'"), ("0", "-1")]))
async def test_without_a_readable_server_and_channel_no_manager_ends_a_table(
    sim: Sim, guild: str, channel: str
) -> None:
    sim.faults_expected = True
    boss = manager(sim, sim.guild)
    table = await game_of(sim, sim.ada, sim.ben)
    damage(sim, f"UPDATE tables SET guild = {guild}, channel = {channel} WHERE id = :id", table.id)
    await sim.restart()
    unknown = answer(await boss.slash(sim.channel, "parlour end", table="ZZZZZZ"))
    told = answer(await boss.slash(sim.channel, "parlour end", table=table.id))
    assert told == unknown.replace("ZZZZZZ", table.id)
    assert table.id not in answer(await boss.slash(sim.channel, "parlour tables"))
    assert (await sim.bot.tables.table(table.id)).status is Status.ASIDE
    assert "ended" in answer(await sim.ada.slash(sim.channel, "table end", table=table.id))


async def test_a_board_of_a_table_that_was_ended_by_hand_loses_its_controls_at_a_click(sim: Sim) -> None:
    sim.faults_expected = True
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await sim.env.settle()
    board = await sim.board(table)
    now = await sim.bot.tables.table(table.id)
    assert now.painted == now.revision
    damage(sim, "UPDATE tables SET status = 'ended' WHERE id = :id", table.id)
    await sim.restart()
    assert custom_ids(sim.fresh(board)) != []
    assert "wrong on my side" not in answer(await sim.press(sim.cleo, board, custom_ids(board)[0]))
    await sim.env.settle()
    assert custom_ids(sim.fresh(board)) == []


async def test_a_page_that_cannot_be_made_is_told_once_and_costs_no_other_table_anything(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sim.faults_expected = True
    real = table_surface.table_page
    bad = await sim.started(sim.ada, sim.ben, setup="sorted")
    good = await sim.started(sim.ada, sim.cleo, setup="sorted")
    await sim.env.settle()
    tried: list[str] = []

    def broken(seen: Any, *rest: Any, **more: Any) -> Any:
        if seen.table.id == bad.id:
            tried.append(bad.id)
            raise KeyError("a fault of ours")
        return real(seen, *rest, **more)

    monkeypatch.setattr(painter, "table_page", broken)
    for table in (bad, good):
        await sim.hurry(table, most=1)
    background = sim.bot.background
    for seconds in (11.0, 31.0, 121.0, 3 * 3600.0):
        assert background.dead() == []
        assert background._failures == {}
        await sim.env.advance_time(seconds)
        await sim.env.settle()
    told = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [record.getMessage() for record in told] == [f"table {bad.id} cannot be shown"]
    assert len(tried) <= 12  # a few at once, and at every sweep that it is due again
    assert not background.dead()
    now = await sim.bot.tables.table(good.id)
    assert now.painted == now.revision
    assert (await sim.bot.tables.table(bad.id)).painted < (await sim.bot.tables.table(bad.id)).revision

    monkeypatch.setattr(painter, "table_page", real)
    answer(await sim.ada.slash(sim.channel, "table show", table=bad.id))
    await sim.env.settle()
    now = await sim.bot.tables.table(bad.id)
    assert now.painted == now.revision
