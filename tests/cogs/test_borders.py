"""Borders between servers, channels and people: what somebody may do with a table's id elsewhere."""

from __future__ import annotations

from typing import Any

import discord
import pytest
import simcord
from simcord.actors import MemberActor

from bot.rules.game import Event
from bot.tables.model import Person, SeatKind, Status, Table, VoteKind
from tests.sweeps import swept

from .sim import Sim, answer, buttons, custom_ids
from .tabletop import opened

NOT_ALLOWED = "The settings of the table’s server do not let you do that."


class OtherServer:
    """Another server with the bot, owned by Mallory, who is an ordinary member of the first one."""

    def __init__(self, sim: Sim) -> None:
        owner = sim.env.create_user("mallory")
        self.guild = sim.env.create_guild("Elsewhere", owner=owner)
        self.hall = self.guild.create_text_channel("hall")
        self.mallory = MemberActor(sim.env, self.guild, owner)
        self.mallory_here = sim.guild.add_member(owner)


@pytest.mark.parametrize("command", ["table end", "table cancel", "parlour end"])
@pytest.mark.parametrize("status", swept([Status.LOBBY, Status.PLAYING], daily=(Status.PLAYING,)))
async def test_who_manages_another_server_ends_no_table_here(sim: Sim, command: str, status: Status) -> None:
    elsewhere = OtherServer(sim)
    lobby = await sim.new(sim.ada, players=3)
    for person in (sim.ben, elsewhere.mallory_here):
        await person.click(sim.fresh(lobby), label="Join")
    table = await sim.table(lobby)
    if status is Status.PLAYING:
        await sim.ada.click(sim.fresh(lobby), label="Start")
    before = await sim.bot.tables.table(table.id)
    result = await elsewhere.mallory.slash(elsewhere.hall, command, table=table.id)
    assert answer(result)
    assert result.response is not None
    assert result.response.ephemeral
    assert await sim.bot.tables.table(table.id) == before


@pytest.mark.parametrize("everybody", [False, True])
async def test_a_rematch_from_another_server_asks_for_rights_of_this_one(sim: Sim, everybody: bool) -> None:
    """Openers are those with a role of this server; everybody's role there is not everybody's here."""
    elsewhere = OtherServer(sim)
    role = sim.guild.default_role if everybody else sim.guild.create_role("players")
    lobby = await sim.new(sim.ada, players=2)
    await elsewhere.mallory_here.click(lobby, label="Join")
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    await sim.ada.slash(sim.channel, "table end", table=table.id)
    await sim.bot.tables.set_guild(sim.guild.id, openers=(role.id,))
    result = await elsewhere.mallory.slash(elsewhere.hall, "table rematch", table=table.id)
    assert NOT_ALLOWED in answer(result)
    assert await sim.bot.tables.tables_at(sim.guild.id) == []
    result = await elsewhere.mallory.user.slash("table rematch", table=table.id)
    assert NOT_ALLOWED in answer(result)
    assert await sim.bot.tables.tables_at(sim.guild.id) == []
    if everybody:
        await elsewhere.mallory_here.slash(sim.channel, "table rematch", table=table.id)
        (again,) = await sim.bot.tables.tables_at(sim.guild.id)
        assert again.seat_of(elsewhere.mallory.id) is not None


async def test_an_ender_ends_a_table_from_its_own_server_only(sim: Sim) -> None:
    elsewhere = OtherServer(sim)
    table = await sim.started(sim.ada, elsewhere.mallory_here)
    await sim.bot.tables.set_guild(sim.guild.id, enders=(sim.guild.id,))
    result = await elsewhere.mallory.slash(elsewhere.hall, "table end", table=table.id)
    assert NOT_ALLOWED in answer(result)
    assert (await sim.bot.tables.table(table.id)).status is Status.PLAYING
    await elsewhere.mallory_here.slash(sim.channel, "table end", table=table.id)
    assert (await sim.bot.tables.table(table.id)).status is Status.ENDED


async def test_staff_commands_are_for_those_who_manage_this_server(sim: Sim) -> None:
    """Even where a server lets everybody see the command."""
    elsewhere = OtherServer(sim)
    table = await sim.started(sim.ada, sim.ben)
    (command,) = [c for c in await sim.bot.tree.fetch_commands() if c.name == "parlour"]
    sim.guild.set_command_permissions(command, {sim.guild.default_role: True})
    before = await sim.bot.tables.guild(sim.guild.id)
    for name, more in (
        ("end", {"table": table.id}),
        ("settings", {}),
        ("tables", {}),
        ("limit", {"tables": 1}),
        ("language", {"language": "de"}),
        ("threads", {"on": False}),
        ("theme", {"theme": "light"}),
        ("clock", {"time": 300}),
        ("opener", {"role": sim.guild.default_role}),
        ("ender", {"role": sim.guild.default_role}),
        ("channel", {"channel": sim.channel}),
    ):
        result = await elsewhere.mallory_here.slash(sim.channel, f"parlour {name}", **more)
        assert "need permission to manage" in answer(result), name
    assert await sim.bot.tables.guild(sim.guild.id) == before
    assert (await sim.bot.tables.table(table.id)).status is Status.PLAYING


class Secret:
    """A channel that Ada and Ben alone can view, with a table of theirs; Cleo is a member of the server."""

    @classmethod
    async def open(cls, sim: Sim, **options: Any) -> Secret:
        made = cls()
        made.elsewhere = OtherServer(sim)
        hidden = discord.PermissionOverwrite(view_channel=False)
        shown = discord.PermissionOverwrite(view_channel=True)
        assert sim.bot.user is not None
        made.channel = sim.guild.create_text_channel(
            "secret",
            overwrites={sim.guild.default_role: hidden, sim.ada: shown, sim.ben: shown, sim.bot.user: shown},
        )
        games, sim.channel = sim.channel, made.channel
        made.table = await sim.started(sim.ada, sim.ben, **options)
        sim.channel = games
        made.board = await sim.board(made.table)
        return made

    elsewhere: OtherServer
    channel: Any
    table: Table
    board: discord.Message


async def asked(sim: Sim, person: Any, place: Any, command: str, **more: Any) -> str:
    """What a command with a table's id says, in a channel or (None) by direct message; nobody else reads
    it."""
    if place is None:
        await person.send_dm("hello")  # opens the channel
        result = await person.slash(command, **more)
    else:
        result = await person.slash(place, command, **more)
        assert result.response is not None
        assert result.response.ephemeral
    assert not result.followups
    return answer(result) + str(buttons(result.response)) + str(result.response.attachments)


async def stored(sim: Sim, table: Table) -> tuple[Table, tuple[Event, ...]]:
    loaded = await sim.bot.tables.load(table.id)
    return loaded.table, loaded.events


BY_ID: list[tuple[str, dict[str, object]]] = [
    *((f"table {name}", {}) for name in ("show", "menu", "history", "record", "resign", "cancel", "end")),
    *((f"table {name}", {}) for name in ("rematch", "undo", "pause", "resume", "snooze")),
    ("table vote", {"question": "end"}),
    ("table seat", {"number": 1}),
]


async def test_who_cannot_view_the_channel_finds_no_table(sim: Sim) -> None:
    """By id: a member without access, from another channel and by DM; a stranger, from their own server and
    by DM. The words are those for an id that does not exist."""
    secret = await Secret.open(sim)
    nothing = "ZZZZZZ"
    before = await stored(sim, secret.table)
    for person, place in (
        (sim.cleo, sim.channel),
        (sim.cleo.user, None),
        (secret.elsewhere.mallory, secret.elsewhere.hall),
        (secret.elsewhere.mallory.user, None),
    ):
        for command, more in BY_ID:
            told = await asked(sim, person, place, command, table=secret.table.id, **more)
            unknown = await asked(sim, person, place, command, table=nothing, **more)
            assert told.replace(secret.table.id, nothing) == unknown
            assert "There is no table" in told
    assert await stored(sim, secret.table) == before


async def test_an_open_seat_is_taken_by_those_who_see_it(sim: Sim) -> None:
    secret = await Secret.open(sim, players=3, computers=1, setup="sorted")
    table = secret.table.id
    await sim.bot.tables.resign(table, Person(sim.ben.id, "Ben"))
    seats = (await sim.bot.tables.table(table)).seats
    free = next(seat.index for seat in seats if seat.kind is SeatKind.STAND_IN)
    change = await sim.bot.tables.vote(table, Person(sim.ada.id, "Ada"), VoteKind.OPEN_SEAT, free)
    who = [(seat.kind, seat.user) for seat in change.table.seats]
    sit = f"pb:{table}:1:sit:{free}"
    mallory = secret.elsewhere.mallory
    for person, place in ((mallory, secret.elsewhere.hall), (mallory.user, None), (sim.cleo, sim.channel)):
        assert "There is no table" in await asked(
            sim, person, place, "table seat", table=table, number=free + 1
        )
    for person in (mallory, sim.cleo):
        room = secret.elsewhere.hall if person is mallory else sim.channel
        page = (await person.slash(room, "help")).response
        assert "There is no table" in answer(await sim.press(person, page, sit))  # type: ignore[arg-type]
    seats = (await sim.bot.tables.table(table)).seats
    assert [(seat.kind, seat.user) for seat in seats] == who
    assert "no table" not in await asked(sim, sim.ben.user, None, "table menu", table=table), "he sat there"
    await sim.ben.slash(sim.channel, "table seat", table=table, number=free + 1)
    assert (await sim.bot.tables.table(table)).seat_of(sim.ben.id) is not None


async def test_who_can_view_the_channel_sees_its_table_from_anywhere(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben)
    elsewhere = OtherServer(sim)
    other = sim.guild.create_text_channel("other")
    for person, place in ((sim.cleo, other), (sim.cleo.user, None), (elsewhere.mallory, elsewhere.hall)):
        told = await asked(sim, person, place, "table history", table=table.id)
        assert "Ada opened the table" in told
    stranger = sim.env.create_user("otto")
    elsewhere.guild.add_member(stranger)
    assert "There is no table" in await asked(sim, stranger, None, "table history", table=table.id)


async def test_the_right_to_see_ends_with_the_right_to_view(sim: Sim) -> None:
    role = sim.guild.create_role("guests")
    hidden = discord.PermissionOverwrite(view_channel=False)
    shown = discord.PermissionOverwrite(view_channel=True)
    assert sim.bot.user is not None
    room = sim.guild.create_text_channel(
        "room", overwrites={sim.guild.default_role: hidden, role: shown, sim.bot.user: shown}
    )
    guests = [sim.guild.add_member(sim.env.create_user(name), roles=[role]) for name in ("gus", "gil", "gea")]
    gus, gil, gea = guests
    games, sim.channel = sim.channel, room
    lobby = await sim.new(gus, players=3)
    await gil.click(lobby, label="Join")
    await gil.click(sim.fresh(lobby), label="Leave")
    table = await sim.table(lobby)
    for person in guests:
        assert "no table" not in await asked(sim, person, games, "table history", table=table.id)
        assert "no table" not in await asked(sim, person.user, None, "table history", table=table.id)
    for person in guests:
        sim.env.backend.remove_member_role(sim.guild.id, person.id, role.id)
    await sim.env.advance_time(61)
    for place in (games, None):
        for person, sees in ((gus, True), (gil, True), (gea, False)):
            who = person if place else person.user
            told = await asked(sim, who, place, "table history", table=table.id)
            assert ("no table" not in told) == sees


async def test_a_private_thread_is_for_its_members(sim: Sim) -> None:
    """A table opened inside a private thread: for those who were added, and who manage threads."""
    assert sim.bot.user is not None
    private = discord.ChannelType.private_thread.value
    thread = sim.env.backend.create_thread(sim.channel.id, "quiet", sim.ada.id, type=private).id
    for user in (sim.bot.user.id, sim.cleo.id):
        sim.env.backend.add_thread_member(thread, user)
    await sim.env.settle()
    role = sim.guild.create_role("keeper", permissions=discord.Permissions(manage_threads=True))
    keeper = sim.guild.add_member(sim.env.create_user("keeper"), roles=[role])
    games = sim.channel
    (sim.channel,) = games.threads
    table = await sim.table(await sim.new(sim.ada))
    assert table.place.channel == thread
    for person, sees in ((sim.cleo, True), (keeper, True), (sim.ben, False)):
        for place in (games, None):
            who = person if place else person.user
            told = await asked(sim, who, place, "table history", table=table.id)
            assert ("no table" not in told) == sees, (person.name, place)


async def test_discord_is_asked_once_a_minute_and_what_it_does_not_say_is_no(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben)
    for _ in range(3):
        assert "no table" not in await asked(sim, sim.cleo.user, None, "table history", table=table.id)
    member = f"/guilds/{sim.guild.id}/members/{sim.cleo.id}"
    assert len(sim.requests("GET", member)) == 1
    await sim.env.advance_time(61)
    sim.env.inject_error("GET", member, status=503, code=0, times=10)
    assert "There is no table" in await asked(sim, sim.cleo.user, None, "table history", table=table.id)


async def test_a_manager_ends_what_they_cannot_see_by_the_staff_command(sim: Sim) -> None:
    secret = await Secret.open(sim)
    role = sim.guild.create_role("boss", permissions=discord.Permissions(manage_guild=True))
    boss = sim.guild.add_member(sim.env.create_user("boss"), roles=[role])
    assert secret.table.id in await asked(sim, boss, sim.channel, "parlour tables")
    assert "There is no table" in await asked(sim, boss, sim.channel, "table end", table=secret.table.id)
    await boss.slash(sim.channel, "parlour end", table=secret.table.id)
    assert (await sim.bot.tables.table(secret.table.id)).status is Status.ENDED


async def test_a_channel_of_a_kind_not_known_is_not_the_place_of_a_table_without_a_thread(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sim.bot.tables.set_guild(sim.guild.id, threads=False)
    secret = await Secret.open(sim, setup="sorted")
    await sim.bot.tables.set_guild(sim.guild.id, threads=True)
    threaded = await sim.started(sim.ada, sim.ben, setup="sorted")
    assert secret.table.place.thread is None
    assert threaded.place.thread is not None
    acting = (await sim.to_act(secret.table))[0]
    while (await sim.to_act(threaded))[0] is not acting:  # a move for either
        await sim.hurry(threaded, most=1)
    real = simcord.interactions.base_payload

    def payload(*args: Any, **more: Any) -> Any:
        record, made = real(*args, **more)
        made |= {"channel": {"id": "1", "type": 99, "name": "new"}, "channel_id": "1"}
        return record, made

    monkeypatch.setattr(simcord.interactions, "base_payload", payload)
    told = answer(await sim.cleo.slash(sim.channel, "table show", table=secret.table.id))
    assert "There is no table" in told
    for command, more in (("table menu", {}), ("5vor12 move", {"move": "draw"})):
        assert "which table" in answer(await acting.slash(sim.channel, command, **more))


async def test_who_has_left_the_server_opens_no_lobby_there_again(sim: Sim) -> None:
    """They sit at the old table still, and have its buttons in their direct messages."""
    table = await opened(sim, "zatre", sim.ada, sim.ben)
    await sim.hurry(table)
    [hand] = sim.messages(sim.ben.user.dm_channel.id)
    [again] = [custom for custom in custom_ids(hand) if ":rematch:" in custom]
    sim.guild.remove_member(sim.ben)
    before = [message.id for message in sim.messages(sim.channel.id)]
    assert NOT_ALLOWED in answer(await sim.ben.user.click(hand, custom_id=again))
    assert [message.id for message in sim.messages(sim.channel.id)] == before
    assert await sim.bot.tables.tables_of(sim.ada.id) == []
