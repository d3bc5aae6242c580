"""An answer that took longer than a click may wait: it was deferred, and still reaches whom it is for."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from simcord.results import InteractionResult

from bot.tables.model import GuildSettings
from bot.tables.ports import StoreAway
from cogs.input.errors import Outdated
from cogs.verbs import moves

from .lost import Line
from .sim import Sim, answer, answers_owed, text_of
from .tabletop import opened


@pytest.fixture
def slow_sim(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> Sim:
    """By the time the store has told a server's settings, an answer that is still owed has been deferred."""
    owed = answers_owed(monkeypatch)
    store: Any = sim.bot.tables._store
    real = store.guild

    async def guild(number: int) -> GuildSettings:
        for one in owed:
            await one._defer()
        return await real(number)

    monkeypatch.setattr(store, "guild", guild)
    return sim


def followed(sim: Sim) -> list[tuple[str, str, bool]]:
    """What went out through the interaction's token: method, text, and whether it was private. (simcord
    itself takes no message after a deferral that was taken back; the wire double does, as Discord.)"""
    return [
        (request.method, str(request.json or ""), bool((request.json or {}).get("flags", 0) & 64))
        for request in sim.env.http_requests
        if "/webhooks/" in request.path
    ]


async def test_a_slow_new_that_is_refused_answers_who_asked_alone(slow_sim: Sim) -> None:
    sim = slow_sim
    await sim.bot.tables.set_guild(sim.guild.id, openers=(1,))
    await sim.ada.slash(sim.channel, "5vor12 new")
    assert sim.messages(sim.channel.id) == []
    (taken_back, told) = followed(sim)
    assert taken_back[0] == "DELETE"
    assert told[0] == "POST"
    assert "The settings of the table’s server do not let you do that." in told[1]
    assert told[2]


async def test_a_slow_new_that_fails_answers_who_asked_alone(
    slow_sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = slow_sim
    sim.faults_expected = True

    async def broken(number: int) -> int:
        raise RuntimeError("no count")

    monkeypatch.setattr(sim.bot.tables._store, "count_at", broken)
    await sim.ada.slash(sim.channel, "5vor12 new")
    assert sim.messages(sim.channel.id) == []
    (taken_back, told) = followed(sim)
    assert (taken_back[0], told[0], told[2]) == ("DELETE", "POST", True)
    assert "wrong on my side" in told[1]


async def test_a_refusal_is_never_public_where_the_deferral_cannot_be_taken_back(slow_sim: Sim) -> None:
    sim = slow_sim
    await sim.bot.tables.set_guild(sim.guild.id, openers=(1,))
    sim.env.inject_error("DELETE", "/webhooks/*/*/messages/@original", status=403, code=50013)
    await sim.ada.slash(sim.channel, "5vor12 new")
    assert "settings" not in "".join(text_of(m) for m in sim.messages(sim.channel.id))
    assert {method for method, _, _ in followed(sim)} == {"DELETE"}


async def test_a_slow_new_whose_lobby_is_refused_leaves_nobody_waiting(slow_sim: Sim) -> None:
    """The painter posts the lobby then."""
    sim = slow_sim
    sim.faults_expected = True
    sim.env.inject_error("POST", "/webhooks/*/*", status=400, code=50035, times=1)
    await sim.ada.slash(sim.channel, "5vor12 new")
    await sim.env.settle()
    (lobby,) = sim.messages(sim.channel.id)
    assert "Ada" in text_of(lobby)
    assert not lobby.flags.loading


async def test_a_slow_new_still_shows_its_lobby_to_all(slow_sim: Sim) -> None:
    sim = slow_sim
    await sim.ada.slash(sim.channel, "5vor12 new")
    (lobby,) = sim.messages(sim.channel.id)
    assert "Ada" in text_of(lobby)
    (table,) = await sim.bot.tables.tables_of(sim.ada.id)
    assert table.place.lobby_message == lobby.id


async def test_a_deferral_whose_answer_is_lost_leaves_nobody_without_an_answer(
    slow_sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = slow_sim
    await sim.bot.tables.set_guild(sim.guild.id, openers=(1,))
    line = Line(sim)
    line.install(monkeypatch)
    lost = line.lose("POST", r"/interactions/\d+/[^/]+/callback")
    await sim.ada.slash(sim.channel, "5vor12 new")
    assert lost.hits == 1
    assert sim.messages(sim.channel.id) == []
    _, told, private = followed(sim)[-1]
    assert "The settings of the table’s server do not let you do that." in told
    assert private


async def clicked_slowly(
    sim: Sim, patch: pytest.MonkeyPatch, person: Any, page: discord.Message, label: str, slow: tuple[Any, str]
) -> InteractionResult:
    """The click's time is over before `slow`, a function and whose it is, is done."""
    real = getattr(*slow)

    async def slowly(*given: Any, **more: Any) -> Any:
        await owed[-1]._defer()
        return await real(*given, **more)

    with patch.context() as within:
        owed = answers_owed(within)
        within.setattr(*slow, slowly)
        result = await person.click(page, label=label)
        await sim.env.settle()
    return result


async def test_a_slow_click_that_shows_nothing_is_not_left_waiting(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobby = await sim.new(sim.ada, players=2)
    await clicked_slowly(sim, monkeypatch, sim.ben, lobby, "Join", (sim.bot.tables, "join"))
    assert "Ben" in text_of(sim.fresh(lobby))
    assert [method for method, _, _ in followed(sim)] == ["DELETE"]


async def test_nor_where_what_was_clicked_is_deleted_meanwhile(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sim.ada.user.slash("5vor12 new", players=2)
    [lobby] = sim.messages(sim.ada.user.dm_channel.id)
    await sim.ben.user.slash("table join", code=(await sim.table(lobby)).place.code)
    [lobby] = sim.messages(sim.ada.user.dm_channel.id)
    sim.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10008, times=1)
    before = len(followed(sim))
    await clicked_slowly(sim, monkeypatch, sim.ada.user, lobby, "Hints: yes", (sim.bot.tables, "agree"))
    assert (await sim.table(lobby)).seats[0].agreed
    assert [method for method, _, _ in followed(sim)[before:]] == ["DELETE"]


@pytest.mark.parametrize("gone", [False, True])
async def test_who_pressed_for_a_form_that_comes_too_late_is_told(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    """gone: the page was deleted meanwhile."""
    table = await opened(sim, "top12", sim.ada, sim.ben, players=2, first="host")
    for person in (sim.ada, sim.ben):
        await sim.types(person, sim.channel, "top12", move="10@A1 20@B1 30@C1 40@D1 50@E1")
    page = await sim.hand(sim.ada, table)
    if gone:
        sim.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10008, times=1)
    slow = moves, "_tap"
    result = await clicked_slowly(sim, monkeypatch, sim.ada, page, "Write a number …", slow)
    shown = answer(result) if gone else text_of(sim.fresh(page))
    assert "too long for a form to open" in shown
    again = (result.response or result.followups[-1]).message if gone else sim.fresh(page)
    result = await sim.ada.click(again, label="Write a number …")
    assert result.modal is not None


async def test_a_hand_that_was_lost_after_a_deferral_comes_where_that_stands(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its keeper brings it; the deferral is left to that."""
    table = await sim.started(sim.ada, sim.ben)
    line = Line(sim)
    line.install(monkeypatch)
    lost = line.fail("POST", r"/webhooks/\d+/[^/]+")
    board, slow = await sim.board(table), (sim.bot.tables, "view")
    await clicked_slowly(sim, monkeypatch, sim.ada, board, "Your move", slow)
    await sim.env.advance_time(5)
    await sim.env.settle()
    assert lost.hits == 1
    assert [method for method, _, _ in followed(sim)][-1] == "PATCH"
    assert sim.bot.services.panels.is_live(sim.ada.id, table.id)


@pytest.mark.parametrize("slowly", [False, True])
async def test_a_page_that_cannot_be_shown_leaves_what_is_to_be_said(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, slowly: bool
) -> None:
    """The click is out of date, and the database is away when it is looked what is current."""
    table = await sim.started(sim.ada, sim.ben)
    board, seen = await sim.board(table), 0

    async def view(*_: object, **__: object) -> Any:
        nonlocal seen
        seen += 1
        raise Outdated if seen == 1 else StoreAway

    monkeypatch.setattr(sim.bot.tables, "view", view)
    if slowly:
        slow = sim.bot.tables, "view"
        result = await clicked_slowly(sim, monkeypatch, sim.ada, board, "Your move", slow)
    else:
        result = await sim.ada.click(board, label="Your move")
    assert seen == 2
    assert "from an earlier moment" in answer(result)


async def test_a_remark_that_is_refused_leaves_no_click_without_an_answer(sim: Sim) -> None:
    sim.faults_expected = True
    lobby = await sim.new(sim.ada, players=2)
    await sim.bot.tables.set_user(sim.ben.id, dm_closed=True)
    sim.env.inject_error("POST", "/interactions/*/*/callback", status=400, code=50035, times=1)
    before = len(sim.requests("POST", "/callback"))
    await sim.ben.click(lobby, label="Join")
    assert [one.json["type"] for one in sim.requests("POST", "/callback")[before:]] == [4, 6]
