"""An answer that took longer than a click may wait: it was deferred, and still reaches whom it is for."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from bot.discord_io import Answer
from bot.tables.model import GuildSettings

from .lost import Line
from .sim import Sim, text_of


@pytest.fixture
def slow_sim(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> Sim:
    """By the time the store has told a server's settings, an answer that is still owed has been deferred."""
    owed: list[Answer] = []
    store: Any = sim.bot.tables._store
    real = store.guild

    class Kept(Answer):
        def __init__(self, interaction: Any, *, public: bool = False) -> None:
            super().__init__(interaction, public=public, patience=0)
            owed.append(self)

    async def guild(number: int) -> GuildSettings:
        for answer in owed:
            await answer._defer()
        return await real(number)

    monkeypatch.setattr("cogs.input.router.Answer", Kept)
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
    assert [method for method, _, _ in followed(sim)] == ["DELETE"]


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
    sim: Sim, monkeypatch: pytest.MonkeyPatch, person: Any, lobby: discord.Message, label: str, stores: str
) -> None:
    """By the time it is stored the click's time is over."""
    owed: list[Answer] = []

    class Kept(Answer):
        def __init__(self, interaction: Any, *, public: bool = False) -> None:
            super().__init__(interaction, public=public, patience=0)
            owed.append(self)

    real = getattr(sim.bot.tables, stores)

    async def slow(*given: Any) -> Any:
        await owed[-1]._defer()
        return await real(*given)

    monkeypatch.setattr("cogs.input.router.Answer", Kept)
    monkeypatch.setattr(sim.bot.tables, stores, slow)
    await person.click(lobby, label=label)
    await sim.env.settle()


async def test_a_slow_click_that_shows_nothing_is_not_left_waiting(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobby = await sim.new(sim.ada, players=2)
    await clicked_slowly(sim, monkeypatch, sim.ben, lobby, "Join", "join")
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
    await clicked_slowly(sim, monkeypatch, sim.ada.user, lobby, "Hints: yes", "agree")
    assert (await sim.table(lobby)).seats[0].agreed
    assert [method for method, _, _ in followed(sim)[before:]] == ["DELETE"]
