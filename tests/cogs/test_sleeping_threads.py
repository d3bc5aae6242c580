"""Threads that sleep: they are in no cache of the bot's, and are not gone. A table in one stays there, nobody
else sees it thereby, and nothing in it keeps controls that it should have lost."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import discord
import pytest
from simcord.backend.errors import BackendError
from simcord.http import router

from bot.tables.deadlines import LOBBY_TIME
from bot.tables.model import Status, Table
from tests.sweeps import swept

from .sim import Sim, answer, buttons, custom_ids
from .test_borders import asked

MESSAGE = re.compile(r"/channels/(\d+)/messages(/\d+)?")
PRIVATE, PUBLIC = discord.ChannelType.private_thread.value, discord.ChannelType.public_thread.value


class Corner:
    """Somebody's thread, in which Ada and Ben play. To Discord a thread that sleeps wakes when something is
    sent there, and nothing in it can be edited or deleted; nothing at all is to be had of one that is locked
    too."""

    def __init__(self, sim: Sim, patch: pytest.MonkeyPatch, kind: int = PRIVATE) -> None:
        self.sim, self.games = sim, sim.channel
        assert sim.bot.user is not None
        backend = sim.env.backend
        self.id = backend.create_thread(sim.channel.id, "our corner", sim.ada.id, type=kind).id
        for user in (sim.bot.user.id, sim.ada.id, sim.ben.id):
            backend.add_thread_member(self.id, user)
        kept = backend.get_channel(self.id).thread_metadata
        assert kept is not None
        self.kept = kept
        self.wakings = 0  # that the bot asked for
        self._dispatch = router.dispatch
        patch.setattr(router, "dispatch", self._refusing)

    def _refusing(self, backend: Any, method: str, path: str, **more: Any) -> Any:
        message, kept = MESSAGE.fullmatch(path), self.kept
        about = message is not None and int(message[1]) == self.id and method != "GET"
        wakes = (method, path) == ("PATCH", f"/channels/{self.id}")
        self.wakings += wakes
        if kept.archived and (about or wakes):
            if kept.locked:
                raise BackendError(400, 160005, "Thread is locked")
            if about and method != "POST":
                raise BackendError(400, 50083, "Thread is archived")
            backend.edit_channel(self.id, {}, thread_metadata={"archived": False})
        return self._dispatch(backend, method, path, **more)

    async def started(self) -> Table:
        sim = self.sim
        await sim.env.settle()
        (sim.channel,) = self.games.threads
        return await sim.started(sim.ada, sim.ben, setup="sorted")

    async def sleeps(self, *, locked: bool = False) -> None:
        kept = {"archived": True, "locked": locked}
        self.sim.env.backend.edit_channel(self.id, {}, thread_metadata=kept)
        await self.sim.env.settle()
        assert self.sim.bot.get_channel(self.id) is None

    def live(self, channel: int) -> list[discord.Message]:
        return [message for message in self.sim.messages(channel) if custom_ids(message)]


@pytest.mark.parametrize(
    "case",
    swept(
        ["asleep", "asleep and locked", "not told yet", "not to be asked"],
        daily=("asleep and locked", "not told yet"),
    ),
)
async def test_a_table_stays_in_a_thread_that_the_bot_does_not_know(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    corner = Corner(sim, monkeypatch)
    table = await corner.started()
    if case == "not told yet":  # between READY and the server's own data
        guild = sim.bot.get_guild(sim.guild.id)
        assert guild is not None
        monkeypatch.setattr(guild, "_threads", {})
        monkeypatch.setattr(guild, "_channels", {})
    else:
        await corner.sleeps(locked="locked" in case)
    if case == "not to be asked":
        sim.env.inject_error("GET", f"/channels/{corner.id}", status=503, code=0, times=None)
    await sim.ada.slash(corner.games, "table show", table=table.id)
    await sim.env.settle()
    place = (await sim.bot.tables.table(table.id)).place
    assert (place.channel, place.thread) == (corner.id, None)
    assert sim.messages(corner.games.id) == []
    assert len(corner.live(corner.id)) == 1
    assert "no table" in await asked(sim, sim.cleo, corner.games, "table history", table=table.id)


async def test_a_rematch_of_a_table_in_a_thread_that_sleeps_opens_there(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the thread's channel too, where the server's settings name that alone."""
    corner = Corner(sim, monkeypatch)
    table = await corner.started()
    with sim.env._bot_scope():
        await sim.bot.tables.end_by_admin(table.id)
    await sim.env.settle()
    await corner.sleeps()
    await sim.bot.tables.set_guild(sim.guild.id, channels=(corner.games.id,))
    result = await sim.ada.slash(corner.games, "table rematch", table=table.id)
    assert "rematch" in answer(result)
    await sim.env.settle()
    assert sim.messages(corner.games.id) == []
    [end, lobby] = corner.live(corner.id)
    assert buttons(end) == ["Rematch", "Record"]
    assert "Start" in buttons(lobby)


async def test_who_can_view_a_thread_sees_its_table_while_it_sleeps(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    corner = Corner(sim, monkeypatch, PUBLIC)
    table = await corner.started()
    await corner.sleeps()
    asks = f"/channels/{corner.id}"
    for _ in range(3):
        told = await asked(sim, sim.cleo, corner.games, "table history", table=table.id)
        assert "Ada opened the table" in told
    assert len(sim.requests("GET", asks)) == 1
    sim.env.backend.delete_channel(corner.id)
    await sim.env.settle()
    assert "no table" in await asked(sim, sim.cleo, corner.games, "table history", table=table.id)


async def test_a_manager_ends_a_table_without_a_server_whose_thread_sleeps(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim.faults_expected = True
    corner = Corner(sim, monkeypatch)
    table = await corner.started()
    await corner.sleeps()
    with sim.behind_the_bot() as file:
        file.execute("UPDATE tables SET guild = 'x' WHERE id = ?", (table.id,))
    role = sim.guild.create_role("boss", permissions=discord.Permissions(manage_guild=True))
    boss = sim.guild.add_member(sim.env.create_user("boss"), roles=[role])
    assert table.id in await asked(sim, boss, corner.games, "parlour tables")
    await boss.slash(corner.games, "parlour end", table=table.id)
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED


@pytest.mark.parametrize("locked", swept([False, True], daily=(True,)))
async def test_a_leftover_in_a_thread_that_sleeps_goes_and_a_lock_is_left_alone(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, locked: bool
) -> None:
    corner = Corner(sim, monkeypatch)
    table = await corner.started()
    shown = sim.bot.services.shown
    await shown.placed(table.id, channel=corner.games.id, lobby_message=None, table_message=None)
    await corner.sleeps(locked=locked)
    with sim.env._bot_scope():
        await sim.sweep()
        sim.bot.services.repaints.refresh(table.id)
    await sim.env.settle()
    assert len(corner.live(corner.games.id)) == 1
    assert len(corner.live(corner.id)) == locked
    assert corner.kept.archived == locked
    assert bool(await shown.posts(table.id)) == locked
    assert corner.wakings == (not locked)


async def test_a_lobby_that_expires_in_a_thread_that_sleeps_loses_its_controls(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    corner = Corner(sim, monkeypatch)
    await sim.env.settle()
    (sim.channel,) = corner.games.threads
    table = await sim.table(await sim.new(sim.ada))
    await sim.bot.tables.set_user(sim.ada.id, notices="none")  # which would wake it
    await corner.sleeps()
    await sim.env.advance_time((LOBBY_TIME + timedelta(seconds=1)).total_seconds())
    await sim.env.settle()
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED
    assert corner.live(corner.id) == []
