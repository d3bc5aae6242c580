"""Borders between servers, channels and people: what somebody may do with a table's id elsewhere."""

from __future__ import annotations

import pytest
from simcord.actors import MemberActor

from bot.tables.model import Status

from .den import Den, answer


class Lair:
    """Another server with the bot, owned by Mallory, who is an ordinary member of the den."""

    def __init__(self, den: Den) -> None:
        owner = den.env.create_user("mallory")
        self.guild = den.env.create_guild("Lair", owner=owner)
        self.hall = self.guild.create_text_channel("hall")
        self.mallory = MemberActor(den.env, self.guild, owner)
        self.mallory_in_den = den.guild.add_member(owner)


@pytest.mark.parametrize("command", ["table end", "table cancel", "parlour end"])
@pytest.mark.parametrize("status", [Status.LOBBY, Status.PLAYING])
async def test_who_manages_another_server_ends_no_table_here(den: Den, command: str, status: Status) -> None:
    lair = Lair(den)
    lobby = await den.new(den.ada, players=3)
    for person in (den.ben, lair.mallory_in_den):
        await person.click(den.fresh(lobby), label="Join")
    table = await den.table(lobby)
    if status is Status.PLAYING:
        await den.ada.click(den.fresh(lobby), label="Start")
    before = await den.bot.tables.table(table.id)
    result = await lair.mallory.slash(lair.hall, command, table=table.id)
    assert answer(result)
    assert result.response is not None
    assert result.response.ephemeral
    assert await den.bot.tables.table(table.id) == before


@pytest.mark.parametrize("everybody", [False, True])
async def test_a_rematch_from_another_server_asks_for_rights_of_this_one(den: Den, everybody: bool) -> None:
    """Openers are those with a role of this server; everybody's role there is not everybody's here."""
    lair = Lair(den)
    role = den.guild.default_role if everybody else den.guild.create_role("players")
    lobby = await den.new(den.ada, players=2)
    await lair.mallory_in_den.click(lobby, label="Join")
    table = await den.table(lobby)
    await den.ada.click(den.fresh(lobby), label="Start")
    await den.ada.slash(den.channel, "table end", table=table.id)
    await den.bot.tables.set_guild(den.guild.id, openers=(role.id,))
    result = await lair.mallory.slash(lair.hall, "table rematch", table=table.id)
    assert "settings do not let you" in answer(result)
    assert await den.bot.tables.tables_at(den.guild.id) == []
    result = await lair.mallory.user.slash("table rematch", table=table.id)
    assert "settings do not let you" in answer(result)
    assert await den.bot.tables.tables_at(den.guild.id) == []
    if everybody:
        await lair.mallory_in_den.slash(den.channel, "table rematch", table=table.id)
        (again,) = await den.bot.tables.tables_at(den.guild.id)
        assert again.seat_of(lair.mallory.id) is not None


async def test_an_ender_ends_a_table_from_its_own_server_only(den: Den) -> None:
    lair = Lair(den)
    table = await den.started(den.ada, lair.mallory_in_den)
    await den.bot.tables.set_guild(den.guild.id, enders=(den.guild.id,))
    result = await lair.mallory.slash(lair.hall, "table end", table=table.id)
    assert answer(result)
    assert (await den.bot.tables.table(table.id)).status is Status.PLAYING
    await lair.mallory_in_den.slash(den.channel, "table end", table=table.id)
    assert (await den.bot.tables.table(table.id)).status is Status.ENDED


async def test_staff_commands_are_for_those_who_manage_this_server(den: Den) -> None:
    """Even where a server lets everybody see the command."""
    lair = Lair(den)
    table = await den.started(den.ada, den.ben)
    (command,) = [c for c in await den.bot.tree.fetch_commands() if c.name == "parlour"]
    den.guild.set_command_permissions(command, {den.guild.default_role: True})
    before = await den.bot.tables.guild(den.guild.id)
    for name, more in (
        ("end", {"table": table.id}),
        ("settings", {}),
        ("tables", {}),
        ("limit", {"tables": 1}),
        ("language", {"language": "de"}),
        ("threads", {"on": False}),
        ("clock", {"time": 300}),
        ("opener", {"role": den.guild.default_role}),
        ("ender", {"role": den.guild.default_role}),
        ("channel", {"channel": den.channel}),
    ):
        result = await lair.mallory_in_den.slash(den.channel, f"parlour {name}", **more)
        assert "need permission to manage" in answer(result), name
    assert await den.bot.tables.guild(den.guild.id) == before
    assert (await den.bot.tables.table(table.id)).status is Status.PLAYING
