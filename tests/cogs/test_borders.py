"""Borders between servers, channels and people: what somebody may do with a table's id elsewhere."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from simcord.actors import MemberActor

from bot.rules.game import Event
from bot.tables.model import Person, SeatKind, Status, Table, VoteKind

from .den import Den, answer, buttons


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


class Secret:
    """A channel that Ada and Ben alone can view, with a table of theirs; Cleo is a member of the server."""

    @classmethod
    async def open(cls, den: Den, **options: object) -> Secret:
        made = cls()
        made.lair = Lair(den)
        hidden = discord.PermissionOverwrite(view_channel=False)
        shown = discord.PermissionOverwrite(view_channel=True)
        assert den.bot.user is not None
        made.channel = den.guild.create_text_channel(
            "secret",
            overwrites={den.guild.default_role: hidden, den.ada: shown, den.ben: shown, den.bot.user: shown},
        )
        games, den.channel = den.channel, made.channel
        made.table = await den.started(den.ada, den.ben, **options)
        den.channel = games
        made.board = await den.board(made.table)
        return made

    lair: Lair
    channel: Any
    table: Table
    board: discord.Message


async def asked(den: Den, person: Any, place: Any, command: str, **more: Any) -> str:
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


async def stored(den: Den, table: Table) -> tuple[Table, tuple[Event, ...]]:
    loaded = await den.bot.tables.load(table.id)
    return loaded.table, loaded.events


BY_ID: list[tuple[str, dict[str, object]]] = [
    *((f"table {name}", {}) for name in ("show", "menu", "history", "record", "resign", "cancel", "end")),
    *((f"table {name}", {}) for name in ("rematch", "undo", "pause", "resume", "snooze")),
    ("table vote", {"question": "end"}),
    ("table seat", {"number": 1}),
]


async def test_who_cannot_view_the_channel_finds_no_table(den: Den) -> None:
    """By id: a member without access, from another channel and by DM; a stranger, from their own server and
    by DM. The words are those for an id that does not exist."""
    secret = await Secret.open(den)
    nothing = "ZZZZZZ"
    before = await stored(den, secret.table)
    for person, place in (
        (den.cleo, den.channel),
        (den.cleo.user, None),
        (secret.lair.mallory, secret.lair.hall),
        (secret.lair.mallory.user, None),
    ):
        for command, more in BY_ID:
            told = await asked(den, person, place, command, table=secret.table.id, **more)
            unknown = await asked(den, person, place, command, table=nothing, **more)
            assert told.replace(secret.table.id, nothing) == unknown
            assert "There is no table" in told
    assert await stored(den, secret.table) == before


async def test_an_open_seat_is_taken_by_those_who_see_it(den: Den) -> None:
    secret = await Secret.open(den, players=3, computers=1, setup="sorted")
    table = secret.table.id
    await den.bot.tables.resign(table, Person(den.ben.id, "Ben"))
    seats = (await den.bot.tables.table(table)).seats
    free = next(seat.index for seat in seats if seat.kind is SeatKind.STAND_IN)
    change = await den.bot.tables.vote(table, Person(den.ada.id, "Ada"), VoteKind.OPEN_SEAT, free)
    who = [(seat.kind, seat.user) for seat in change.table.seats]
    sit = f"pb:{table}:1:sit:{free}"
    mallory = secret.lair.mallory
    for person, place in ((mallory, secret.lair.hall), (mallory.user, None), (den.cleo, den.channel)):
        assert "There is no table" in await asked(
            den, person, place, "table seat", table=table, number=free + 1
        )
    for person in (mallory, den.cleo):
        room = secret.lair.hall if person is mallory else den.channel
        page = (await person.slash(room, "help")).response
        assert "There is no table" in answer(await den.press(person, page, sit))  # type: ignore[arg-type]
    seats = (await den.bot.tables.table(table)).seats
    assert [(seat.kind, seat.user) for seat in seats] == who
    assert "no table" not in await asked(den, den.ben.user, None, "table menu", table=table), "he sat there"
    await den.ben.slash(den.channel, "table seat", table=table, number=free + 1)
    assert (await den.bot.tables.table(table)).seat_of(den.ben.id) is not None


async def test_who_can_view_the_channel_sees_its_table_from_anywhere(den: Den) -> None:
    table = await den.started(den.ada, den.ben)
    lair = Lair(den)
    other = den.guild.create_text_channel("other")
    for person, place in ((den.cleo, other), (den.cleo.user, None), (lair.mallory, lair.hall)):
        told = await asked(den, person, place, "table history", table=table.id)
        assert "Ada opened the table" in told
    stranger = den.env.create_user("otto")
    lair.guild.add_member(stranger)
    assert "There is no table" in await asked(den, stranger, None, "table history", table=table.id)


async def test_the_right_to_see_ends_with_the_right_to_view(den: Den) -> None:
    role = den.guild.create_role("guests")
    hidden = discord.PermissionOverwrite(view_channel=False)
    shown = discord.PermissionOverwrite(view_channel=True)
    assert den.bot.user is not None
    room = den.guild.create_text_channel(
        "room", overwrites={den.guild.default_role: hidden, role: shown, den.bot.user: shown}
    )
    guests = [den.guild.add_member(den.env.create_user(name), roles=[role]) for name in ("gus", "gil", "gea")]
    gus, gil, gea = guests
    games, den.channel = den.channel, room
    lobby = await den.new(gus, players=3)
    await gil.click(lobby, label="Join")
    await gil.click(den.fresh(lobby), label="Leave")
    table = await den.table(lobby)
    for person in guests:
        assert "no table" not in await asked(den, person, games, "table history", table=table.id)
        assert "no table" not in await asked(den, person.user, None, "table history", table=table.id)
    for person in guests:
        den.env.backend.remove_member_role(den.guild.id, person.id, role.id)
    await den.env.advance_time(61)
    for place in (games, None):
        for person, sees in ((gus, True), (gil, True), (gea, False)):
            who = person if place else person.user
            told = await asked(den, who, place, "table history", table=table.id)
            assert ("no table" not in told) == sees


async def test_a_private_thread_is_for_its_members(den: Den) -> None:
    """A table opened inside a private thread: for those who were added, and who manage threads."""
    assert den.bot.user is not None
    private = discord.ChannelType.private_thread.value
    thread = den.env.backend.create_thread(den.channel.id, "quiet", den.ada.id, type=private).id
    for user in (den.bot.user.id, den.cleo.id):
        den.env.backend.add_thread_member(thread, user)
    await den.env.settle()
    role = den.guild.create_role("keeper", permissions=discord.Permissions(manage_threads=True))
    keeper = den.guild.add_member(den.env.create_user("keeper"), roles=[role])
    games = den.channel
    (den.channel,) = games.threads
    table = await den.table(await den.new(den.ada))
    assert table.place.channel == thread
    for person, sees in ((den.cleo, True), (keeper, True), (den.ben, False)):
        for place in (games, None):
            who = person if place else person.user
            told = await asked(den, who, place, "table history", table=table.id)
            assert ("no table" not in told) == sees, (person.name, place)


async def test_discord_is_asked_once_a_minute_and_what_it_does_not_say_is_no(den: Den) -> None:
    table = await den.started(den.ada, den.ben)
    for _ in range(3):
        assert "no table" not in await asked(den, den.cleo.user, None, "table history", table=table.id)
    member = f"/guilds/{den.guild.id}/members/{den.cleo.id}"
    assert len(den.requests("GET", member)) == 1
    await den.env.advance_time(61)
    den.env.inject_error("GET", member, status=503, code=0, times=10)
    assert "There is no table" in await asked(den, den.cleo.user, None, "table history", table=table.id)


async def test_a_manager_ends_what_they_cannot_see_by_the_staff_command(den: Den) -> None:
    secret = await Secret.open(den)
    role = den.guild.create_role("boss", permissions=discord.Permissions(manage_guild=True))
    boss = den.guild.add_member(den.env.create_user("boss"), roles=[role])
    assert secret.table.id in await asked(den, boss, den.channel, "parlour tables")
    assert "There is no table" in await asked(den, boss, den.channel, "table end", table=secret.table.id)
    await boss.slash(den.channel, "parlour end", table=secret.table.id)
    assert (await den.bot.tables.table(secret.table.id)).status is Status.ENDED
