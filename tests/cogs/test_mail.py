"""What Discord has and the bot does not know, and what comes back when somebody else sits there: no message
is lost sight of, and no hand is outside its person's messages."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import discord
import pytest
from simcord.actors import MemberActor

from bot.discord_io import Done, Found
from bot.locale import sayer
from bot.players import choose
from bot.rules.chance import Generator
from bot.tables.model import Owed, Person, Status, Table, VoteKind
from cogs.delivery import posts, retries
from cogs.delivery.repaints import MISSED

from .den import Den, alt_texts, buttons, custom_ids, menus, text_of
from .lost import Line
from .tabletop import opened, tap
from .test_hands import game_of, letters, lobby_of

MakeDen = Callable[..., Awaitable[Den]]


@pytest.fixture
def line(den: Den, monkeypatch: pytest.MonkeyPatch) -> Line:
    made = Line(den)
    made.install(monkeypatch)
    return made


def person(actor: MemberActor) -> Person:
    return Person(actor.id, actor.user.global_name or "")


def sends(channel: int | str) -> str:
    return f"/channels/{channel}/messages"


async def now(den: Den, table: Table) -> Table:
    return await den.bot.tables.table(table.id)


def live(den: Den, table: Table, *verbs: str) -> list[discord.Message]:
    """Public messages of the table with one of these controls."""
    found = []
    for channel in (den.channel.id, *(thread.id for thread in den.channel.threads)):
        for message in den.messages(channel):
            controls = [custom.split(":") for custom in custom_ids(message)]
            if any(part[1] == table.id and part[3] in verbs for part in controls):
                found.append(message)
    return found


def notices(den: Den, table: Table) -> list[discord.Message]:
    """Public messages that ping somebody and have nothing to press."""
    found = []
    for channel in (den.channel.id, *(thread.id for thread in den.channel.threads)):
        found += [m for m in den.messages(channel) if "<@" in text_of(m) and not custom_ids(m)]
    return found


async def hands_are_at_home(den: Den, table: Table) -> None:
    """Each person's hand is in their own messages, shows them their own tiles, and is the only one there."""
    stored = await now(den, table)
    for seat in stored.humans:
        owner = next(p for p in people(den) if p.id == seat.user)
        assert seat.hand_channel == owner.user.dm_channel.id
        hands = [letter for letter in letters(den, owner) if alt_texts(letter)]
        assert [hand.id for hand in hands] == [seat.hand_message]
    for owner in people(den):
        if stored.seat_of(owner.id) is None:
            assert [part for m in letters(den, owner) for part in custom_ids(m) + alt_texts(m)] == []
    assert await den.bot.tables.posts(table.id) == []


def people(den: Den) -> tuple[MemberActor, ...]:
    return (den.ada, den.ben, den.cleo, den.dev)


# ------------------------------------------------------------------------- hands


@pytest.mark.parametrize("joins", [False, True])
async def test_who_leaves_the_lobby_during_a_first_hand_moves_nobody_s_hand(
    den: Den, line: Line, joins: bool
) -> None:
    """Seats move up while Ben's first message is under way: it was stored on Cleo's seat."""
    tables = den.bot.tables
    opened = await den.ada.slash(den.channel, "topominos new", players=4)
    assert opened.response is not None
    lobby = opened.response.message
    table = await den.table(lobby)

    async def meanwhile(_: dict[str, Any]) -> None:
        await tables.join(table.id, person(den.cleo))
        await tables.leave(table.id, person(den.ada))
        if joins:
            await tables.join(table.id, person(den.dev))

    plan = line.during("POST", sends(den.ben.user.dm_channel.id), meanwhile)
    await den.ben.click(den.fresh(lobby), label="Join")
    assert plan.hits == 1
    await den.ben.click(den.fresh(lobby), label="Start")
    assert (await now(den, table)).status is Status.PLAYING
    await hands_are_at_home(den, table)
    assert letters(den, den.ada) == []
    await den.hurry(table, most=3)
    await hands_are_at_home(den, table)


async def replaced(den: Den, table: Table) -> None:
    """Ben resigns and Dev takes the seat, at once."""
    tables = den.bot.tables
    seat = (await now(den, table)).seat_of(den.ben.id)
    assert seat is not None
    await tables.resign(table.id, person(den.ben))
    await tables.vote(table.id, person(den.ada), VoteKind.OPEN_SEAT, seat.index)
    await tables.take_seat(table.id, person(den.dev), seat.index)


async def test_a_slow_notice_by_dm_is_not_the_hand_of_who_took_the_seat(den: Den, line: Line) -> None:
    table = await game_of(den, den.ada, den.ben, den.cleo)
    await den.bot.tables.set_user(den.ben.id, notices="dm")

    async def meanwhile(_: dict[str, Any]) -> None:
        await replaced(den, table)

    plan = line.during("POST", sends(den.ben.user.dm_channel.id), meanwhile)
    for _ in range(60):
        if not plan.hits:
            await den.hurry(table, most=1)
    assert plan.hits == 1
    await hands_are_at_home(den, table)
    (parting,) = letters(den, den.ben)
    assert "You have left" in text_of(parting)
    await den.hurry(table, most=4)
    await hands_are_at_home(den, table)


async def test_a_seat_taken_at_once_leaves_no_hand_behind(make_den: MakeDen) -> None:
    den = await make_den(pace=60.0)  # nothing is painted between resigning and the new player
    table = await game_of(den, den.ada, den.ben, den.cleo)
    await den.env.advance_time(600)
    await den.hurry(table, most=1)
    with den.env._bot_scope():
        await replaced(den, table)
    await den.env.advance_time(600)
    await hands_are_at_home(den, table)
    with den.env._bot_scope():
        await den.bot.tables.end(table.id, person(den.ada))
    await den.env.advance_time(600)
    for somebody in people(den):
        assert [custom for letter in letters(den, somebody) for custom in custom_ids(letter)] == []
    (parting,) = letters(den, den.ben)
    assert alt_texts(parting) == []


async def test_a_hand_in_foreign_messages_is_taken_away_from_there(den: Den) -> None:
    """As a database of the first version may hold it."""
    table = await game_of(den, den.ada, den.ben)
    (adas,) = letters(den, den.ada)
    foreign = den.ada.user.dm_channel.id
    path = den.settings.data_dir / "parlour.db"
    with den.behind_the_bot() as connection:
        connection.execute(
            "update seats set hand_channel = ?, hand_message = ? where user_id = ?",
            (foreign, adas.id, den.ben.id),
        )
        connection.execute(
            "update seats set hand_channel = null, hand_message = null where user_id <> ?", (den.ben.id,)
        )
    sent = len(den.env.http_requests)
    await den.hurry(table, most=1)
    edits = [r for r in den.env.http_requests[sent:] if r.method == "PATCH" and r.path.endswith(str(adas.id))]
    assert edits == []
    assert den.look(foreign, adas.id) is None
    with closing(sqlite3.connect(path)) as connection, connection:
        for owner in (den.ada, den.ben):
            [(channel,)] = connection.execute(
                "select hand_channel from seats where user_id = ?", (owner.id,)
            ).fetchall()
            assert channel == owner.user.dm_channel.id


async def pressed_late(
    den: Den, line: Line, game: str, meanwhile: Callable[[Table], Awaitable[object]], *, lost: bool = False
) -> Table:
    """Whoever has the turn presses a control of their hand; before Discord carries out the answer `meanwhile`
    is done, and shown as far as may be: what the hand is owed stays stored until the answer has come."""
    table = await opened(den, game, den.ada, den.ben, den.cleo, players=3)
    actor = den.ben
    for _ in range(40):
        if actor in await den.to_act(table):
            break
        await den.hurry(table, most=1)

    async def first() -> None:
        await meanwhile(table)
        await asyncio.gather(*den.bot.services.background.runs("paint"))
        stored = await now(den, table)
        left = [post.message for post in await den.bot.tables.posts(table.id)]
        assert stored.painted < stored.revision or hand.id in left

    (hand,) = letters(den, actor)
    held = line.before("POST", "/interactions/.*/callback", first, lost=lost)
    await tap(den, actor, hand, Generator(game, "taps"))
    assert held.hits == 1
    await den.env.settle()
    return await now(den, table)


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("game", ["topspot", "topominos"])
async def test_an_answer_to_a_click_that_comes_after_the_end_brings_no_control_back(
    den: Den, line: Line, monkeypatch: pytest.MonkeyPatch, game: str, lost: bool
) -> None:
    monkeypatch.setattr("cogs.delivery.letters.UNSURE", 0.0)

    async def ends(table: Table) -> None:
        await den.bot.tables.end(table.id, person(den.ada))

    table = await pressed_late(den, line, game, ends, lost=lost)
    assert table.status is Status.ENDED
    for somebody in (den.ada, den.ben, den.cleo):
        (letter,) = letters(den, somebody)
        assert custom_ids(letter) == []
        assert "host ended" in text_of(letter)
    await hands_are_at_home(den, table)


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("game", ["topspot", "topominos"])
async def test_an_answer_to_a_click_that_comes_after_resigning_brings_no_hand_back(
    den: Den, line: Line, monkeypatch: pytest.MonkeyPatch, game: str, lost: bool
) -> None:
    monkeypatch.setattr("cogs.delivery.letters.UNSURE", 0.0)

    async def resigns(table: Table) -> None:
        await den.bot.tables.resign(table.id, person(den.ben))

    table = await pressed_late(den, line, game, resigns, lost=lost)
    (parting,) = letters(den, den.ben)
    assert "You have left" in text_of(parting)
    await hands_are_at_home(den, table)


async def test_a_late_click_on_a_hand_that_is_no_more_is_answered_beside_it(den: Den) -> None:
    table = await game_of(den, den.ada, den.ben, den.cleo)
    for _ in range(40):
        if den.ben in await den.to_act(table):
            break
        await den.hurry(table, most=1)
    (hand,) = letters(den, den.ben)
    custom, values = menus(hand)[0]
    with den.env._bot_scope():
        await den.bot.tables.resign(table.id, person(den.ben))
    await den.env.settle()
    (parting,) = letters(den, den.ben)
    ben: Any = den.ben.user
    await den.press(ben, parting, custom, values[:1])
    assert [request.json["type"] for request in den.requests("POST", "/callback")][-1] == 4
    await hands_are_at_home(den, table)


async def test_a_hand_is_brought_up_to_date_after_a_slow_answer_to_a_click(den: Den, line: Line) -> None:
    moved: list[int] = []

    async def plays(table: Table) -> None:
        loaded = await den.bot.tables.load(table.id)
        seat = loaded.table.seat_of(den.ben.id)
        assert seat is not None
        assert loaded.state is not None
        move = choose(table.game, loaded.state.view(seat.index), Generator("plays", "on"))
        await den.bot.tables.typed(table.id, person(den.ben), move)
        moved.append((await now(den, table)).revision)

    table = await pressed_late(den, line, "topominos", plays)
    (letter,) = letters(den, den.ben)
    assert [one for one in custom_ids(letter) if int(one.split(":")[2]) < moved[0]] == []
    await hands_are_at_home(den, table)


# ------------------------------------------------------------------------- the board


async def covered(den: Den) -> Table:
    """A game whose board has chatter below it."""
    table = await den.started(den.ada, den.ben, setup="sorted")
    await den.cleo.send(den.thread(table), "what a game")
    return await now(den, table)


@pytest.mark.parametrize("then", ["move", "late move", "restart", "late restart", "refused"])
async def test_a_board_whose_answer_is_lost_is_the_only_one_soon(den: Den, line: Line, then: str) -> None:
    table = await covered(den)
    assert table.place.thread is not None
    lost = line.lose("POST", sends(table.place.thread))
    await den.turn((await den.to_act(table))[0], table)
    assert lost.hits == 1
    assert len(live(den, table, "move")) == 2
    if then.startswith("late"):
        den.env.backend.advance_clock(500)
    if then == "refused":  # whoever is next wants no notices: nothing is sent afresh for them
        for owner in (den.ada, den.ben):
            await den.bot.tables.set_user(owner.id, notices="none")
    if then.endswith("restart"):
        await den.restart()
    else:
        await den.hurry(table, most=2)
    await den.env.settle()
    table = await now(den, table)
    assert [board.id for board in live(den, table, "move")] == [table.place.table_message]
    assert table.painted == table.revision
    assert await den.bot.tables.posts(table.id) == []
    assert len(notices(den, table)) <= 1


async def test_a_board_that_was_never_sent_is_sent(den: Den, line: Line) -> None:
    table = await covered(den)
    assert table.place.thread is not None
    line.fail("POST", sends(table.place.thread))
    await den.turn((await den.to_act(table))[0], table)
    await den.hurry(table, most=1)
    after = await now(den, table)
    assert after.place.table_message != table.place.table_message
    assert [board.id for board in live(den, table, "move")] == [after.place.table_message]
    assert await den.bot.tables.posts(table.id) == []


async def test_a_board_that_pinged_somebody_else_does_not_swallow_the_ping(den: Den, line: Line) -> None:
    table = await covered(den)
    assert table.place.thread is not None
    lost = line.lose("POST", sends(table.place.thread))
    first = (await den.to_act(table))[0]
    await den.turn(first, table)
    second = (await den.to_act(table))[0]
    assert lost.hits == 1
    assert second is not first
    await den.turn(second, table)
    board = await den.board(table)
    assert f"<@{first.id}>" in text_of(board) or any(
        f"<@{first.id}>" in text_of(notice) for notice in notices(den, table)
    )
    assert not any(f"<@{second.id}>" in text_of(m) for m in (*notices(den, table), board))
    assert len(live(den, table, "move")) == 1


# ------------------------------------------------------------------------- the lobby


CALLBACK = r"/interactions/\d+/[^/]+/callback"
ORIGINAL = r"/webhooks/\d+/[^/]+/messages/@original"


async def test_a_lobby_whose_answer_is_lost_is_asked_for(den: Den, line: Line) -> None:
    lost = line.lose("POST", CALLBACK)
    await den.ada.slash(den.channel, "5vor12 new")
    assert lost.hits == 1
    (table,) = await den.bot.tables.tables_of(den.ada.id)
    (lobby,) = live(den, table, "join")
    assert table.place.lobby_message == lobby.id
    assert den.requests("POST", "/messages") == []
    await den.ben.click(lobby, label="Join")
    assert "2. Ben" in text_of(den.fresh(lobby))


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_lobby_that_cannot_be_asked_for_is_looked_for(den: Den, line: Line, restarted: bool) -> None:
    line.lose("POST", CALLBACK)
    line.fail("GET", ORIGINAL)
    if restarted:
        line.fail("GET", sends(den.channel.id))  # the process ends before it found anything
    await den.ada.slash(den.channel, "5vor12 new")
    (table,) = await den.bot.tables.tables_of(den.ada.id)
    if restarted:
        assert table.place.lobby_message is None
        await den.restart()
    table = await now(den, table)
    (lobby,) = live(den, table, "join")
    assert table.place.lobby_message == lobby.id
    assert await den.bot.tables.posts(table.id) == []


async def test_a_lobby_that_was_never_posted_is(den: Den, line: Line) -> None:
    line.fail("POST", CALLBACK)
    await den.ada.slash(den.channel, "5vor12 new")
    (table,) = await den.bot.tables.tables_of(den.ada.id)
    (lobby,) = live(den, table, "join")
    assert table.place.lobby_message == lobby.id
    assert await den.bot.tables.posts(table.id) == []


async def test_a_lobby_becomes_a_link_though_that_answer_is_lost(den: Den, line: Line) -> None:
    lobby = await den.new(den.ada, players=2)
    table = await den.table(lobby)
    await den.ben.click(lobby, label="Join")
    line.fail("PATCH", f"/channels/{den.channel.id}/messages/{lobby.id}", times=9)
    await den.ada.click(den.fresh(lobby), label="Start")
    assert custom_ids(den.fresh(lobby))
    line.plans.clear()
    await den.restart()
    assert custom_ids(den.fresh(lobby)) == []
    assert live(den, table, "join", "start") == []


# ------------------------------------------------------------------------- notices


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_notice_whose_answer_is_lost_goes_with_the_next(
    den: Den, line: Line, restarted: bool
) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    assert table.place.thread is not None
    lost = line.lose("POST", sends(table.place.thread))
    await den.turn((await den.to_act(table))[0], table)
    assert lost.hits == 1
    (pinged,) = notices(den, table)
    if restarted:
        await den.restart()
        (again,) = notices(den, table)
        assert again.id == pinged.id
    await den.turn((await den.to_act(table))[0], table)
    pings = [text_of(m) for m in (*notices(den, table), await den.board(table)) if "<@" in text_of(m)]
    assert [f"<@{(await den.to_act(table))[0].id}>" in ping for ping in pings] == [True]
    assert await den.bot.tables.owed_at(table.id) == []
    assert await den.bot.tables.posts(table.id) == []


async def test_a_lost_notice_does_not_swallow_the_same_person_s_next_one(den: Den, line: Line) -> None:
    """Found by its nonce, the earlier message would be edited, which tells nobody."""
    table = await den.started(den.ada, den.ben, setup="sorted")
    assert table.place.thread is not None
    [actor] = await den.to_act(table)
    seat = table.seat_of(actor.id)
    assert seat is not None
    say = sayer("en")

    async def tell(due: int) -> set[int]:
        owed = Owed(table, replace(seat, due=due), actor.id, "turn")
        with den.env._bot_scope():
            await den.bot.services.painter._notices.send(table, [owed], [], "en", say)
        return {message.id for message in notices(den, table)}

    before = await tell(5)
    lost = line.lose("POST", sends(table.place.thread))
    [_, unknown] = sorted(await tell(7))
    assert lost.hits == 1
    assert await tell(7) == {unknown}  # the same one again: it is known now, and the one before has gone
    assert before.isdisjoint({unknown})
    line.lose("POST", sends(table.place.thread))
    await tell(8)
    [newest] = await tell(9)
    assert newest > unknown + 1  # neither the lost one nor the one before


async def test_a_lost_notice_that_cannot_be_looked_for_goes_by_its_nonce(
    den: Den, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one is for somebody else: sent with the purpose of the lost one it meets that, which has to
    go; with a purpose of its own it would leave a ping that nobody knows."""
    table = await den.started(den.ada, den.ben, setup="sorted")
    assert table.place.thread is not None

    async def unreadable(*_: Any) -> Done[list[Found]]:
        return Done([])

    monkeypatch.setattr(den.bot.services.io, "find", unreadable)
    lost = line.lose("POST", sends(table.place.thread))
    await den.turn((await den.to_act(table))[0], table)
    assert lost.hits == 1
    (pinged,) = notices(den, table)
    await den.turn((await den.to_act(table))[0], table)
    table = await now(den, table)
    (ping,) = notices(den, table)
    assert ping.id == table.place.notice_message != pinged.id
    assert f"<@{(await den.to_act(table))[0].id}>" in text_of(ping)
    assert await den.bot.tables.posts(table.id) == []


@pytest.mark.parametrize("carried_out", [False, True])
async def test_an_old_notice_goes_though_its_deletion_is_not_answered(
    den: Den, line: Line, carried_out: bool
) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    await den.turn((await den.to_act(table))[0], table)
    place = (await now(den, table)).place
    gone = f"/channels/{place.thread}/messages/{place.notice_message}"
    plan = line.lose("DELETE", gone, times=9) if carried_out else line.fail("DELETE", gone, times=9)
    await den.turn((await den.to_act(table))[0], table)
    assert plan.hits > 0
    assert len(notices(den, table)) == (1 if carried_out else 2)
    line.plans.clear()
    await den.restart()
    assert len(notices(den, table)) == 1
    assert await den.bot.tables.posts(table.id) == []


# ------------------------------------------------------------------------- messages met by a click


async def copy_of(den: Den, message: discord.Message, channel: int) -> discord.Message:
    """The same message once more, which the bot knows nothing of."""
    stored = den.env.backend.get_message(message.channel.id, message.id)
    made = den.env.backend.create_message(
        channel,
        stored.author_id,
        content="",
        components=stored.components,
        flags=stored.flags,
    )
    found = den.look(channel, made.id)
    assert found is not None
    return found


async def test_a_lost_board_that_is_pressed_goes_and_the_click_counts(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    assert table.place.thread is not None
    lost = await copy_of(den, await den.board(table), table.place.thread)
    actor = (await den.to_act(table))[0]
    result = await actor.click(lost, label="Your move")
    assert result.response is not None
    assert result.response.ephemeral
    assert [board.id for board in live(den, table, "move")] == [table.place.table_message]
    assert (await now(den, table)).place == table.place


async def test_a_lost_lobby_that_is_pressed_goes_and_the_click_counts(den: Den) -> None:
    lobby = await den.new(den.ada)
    table = await den.table(lobby)
    lost = await copy_of(den, lobby, den.channel.id)
    await den.ben.click(lost, label="Join")
    assert "2. Ben" in text_of(den.fresh(lobby))
    assert [message.id for message in live(den, table, "join")] == [lobby.id]


async def test_a_lost_hand_that_is_pressed_becomes_the_one(den: Den) -> None:
    table = await game_of(den, den.ada, den.ben)
    actor = (await den.to_act(table))[0]
    (hand,) = letters(den, actor)
    lost = await copy_of(den, hand, actor.user.dm_channel.id)
    control = next(custom for custom in custom_ids(lost) if custom.startswith("pb:"))
    await den.press(actor.user, lost, control)  # type: ignore[arg-type]
    (left,) = letters(den, actor)
    assert left.id == lost.id
    seat = (await now(den, table)).seat_of(actor.id)
    assert seat is not None
    assert seat.hand_message == lost.id


async def test_a_message_of_another_table_is_left_alone(den: Den) -> None:
    """A made-up control names one table, its message shows another."""
    table = await den.started(den.ada, den.ben, setup="sorted")
    lobby = await den.new(den.cleo)
    await den.press(den.ada, lobby, f"pb:{table.id}:{table.revision}:move:")
    assert "Join" in buttons(den.fresh(lobby))


# ------------------------------------------------------------------------- deleted at once, parked


async def test_a_board_deleted_the_instant_it_appears_comes_back(den: Den, line: Line) -> None:
    lobby = await den.new(den.ada, players=2)
    table = await den.table(lobby)
    await den.ben.click(lobby, label="Join")
    await den.bot.tables.set_guild(den.guild.id, threads=False)

    async def deleted(made: dict[str, Any]) -> None:
        den.env.backend.delete_message(den.channel.id, int(made["id"]))
        await den.bot.services.places.messages_gone(den.guild.id, (int(made["id"]),))

    plan = line.during("POST", sends(den.channel.id), deleted)
    await den.ada.click(den.fresh(lobby), label="Start")
    assert plan.hits == 1
    assert "Your move" in buttons(await den.board(table))


async def test_who_always_deletes_it_is_given_way_to_until_somebody_moves(den: Den, line: Line) -> None:
    lobby = await den.new(den.ada, players=2, setup="sorted")
    table = await den.table(lobby)
    await den.ben.click(lobby, label="Join")
    await den.bot.tables.set_guild(den.guild.id, threads=False)

    async def deleted(made: dict[str, Any]) -> None:
        den.env.backend.delete_message(den.channel.id, int(made["id"]))

    plan = line.during("POST", sends(den.channel.id), deleted, times=999)
    await den.ada.click(den.fresh(lobby), label="Start")
    assert plan.hits == MISSED[0] + 1
    assert live(den, table, "move") == []
    await den.env.advance_time(3600)
    assert plan.hits == MISSED[0] + 1
    line.plans.clear()
    await den.hurry(table, most=1)
    assert "Your move" in buttons(await den.board(table))


async def test_what_was_deleted_too_often_comes_back_at_the_park_s_end(den: Den, line: Line) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    for _ in range(MISSED[0] + 1):
        place = (await now(den, table)).place
        assert place.thread is not None
        den.env.backend.delete_message(place.thread, place.table_message or 0)
        await den.env.settle()
    assert live(den, table, "move") == []
    den.env.backend.advance_clock(25 * 3600)
    with den.env._bot_scope():
        await den.bot.services.repaints.sweep()
    await den.env.settle()
    assert "Your move" in buttons(await den.board(table))


async def test_one_lost_answer_at_a_sweep_is_tried_again_soon(
    den: Den, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep may pass by while a board is about to be posted, at the start or every quarter of an hour."""
    lobby = await den.new(den.ada, players=2)
    await den.ben.click(den.fresh(lobby), label="Join")
    table = await den.table(lobby)
    lost = line.fail("POST", rf"{sends(den.channel.id)}/\d+/threads")
    monkeypatch.setattr(retries, "RETRIES", (100.0, 100.0, 100.0))
    repaints = den.bot.services.repaints
    swept = asyncio.Event()

    async def until_swept(_: str) -> None:
        await swept.wait()

    monkeypatch.setattr(repaints, "_keep_pace", until_swept)
    with den.env._bot_scope():
        await den.bot.tables.start(table.id, person(den.ada))
        await repaints.sweep()
    swept.set()
    await den.env.settle()
    assert lost.hits == 1
    assert (await now(den, table)).place.table_message is None
    await den.env.advance_time(101)
    assert "Your move" in buttons(await den.board(table))


async def test_a_missed_board_whose_first_try_is_lost_comes_back(
    den: Den, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    place = (await now(den, table)).place
    assert place.thread is not None
    monkeypatch.setattr(retries, "RETRIES", (100.0, 100.0, 100.0))
    line.fail("POST", sends(place.thread))
    den.env.backend.delete_message(place.thread, place.table_message or 0)
    await den.env.settle()
    assert live(den, table, "move") == []
    await den.env.advance_time(101)
    assert len(live(den, table, "move")) == 1


async def test_a_table_parked_while_its_board_was_up_to_date_is_painted_at_the_next_move(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    with den.env._bot_scope():
        await den.bot.services.repaints.park(table.id)
    actor = (await den.to_act(table))[0]
    await actor.slash(den.channel, "5vor12 move", move="draw")
    after = await now(den, table)
    assert after.revision > table.revision
    assert after.painted == after.revision


# ------------------------------------------------------------------------- what fails, and its neighbours


async def leftovers(den: Den, table: Table, count: int) -> list[discord.Message]:
    """Copies of the board that have to go, the one first whose turn it is first."""
    board = await den.board(table)
    copies = [await copy_of(den, board, board.channel.id) for _ in range(count)]
    for copy in copies:
        await den.bot.tables.leave_over(table.id, "table", board.channel.id, copy.id)
    return copies


async def test_a_leftover_that_always_fails_keeps_none_of_its_channel_waiting(den: Den, line: Line) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    stuck, other = await leftovers(den, table, 2)
    channel = stuck.channel.id
    line.fail("DELETE", f"{sends(channel)}/{stuck.id}", times=999)

    async def sweep() -> None:
        with den.env._bot_scope():
            while (wait := await den.bot.services.posts.tidy(table.id, everything=False)) > 0:
                den.env.backend.advance_clock(wait)

    await sweep()
    assert den.look(channel, other.id) is not None  # a channel in trouble is asked once
    den.env.backend.advance_clock((retries.LATER + 2 * posts.SLACK).total_seconds())  # both are due again
    await sweep()
    assert den.look(channel, other.id) is None
    assert [post.message for post in await den.bot.tables.posts(table.id)] == [stuck.id]
    line.plans.clear()
    den.env.backend.advance_clock(2 * retries.LATER.total_seconds())
    await sweep()
    assert den.look(channel, stuck.id) is None
    assert await den.bot.tables.posts(table.id) == []


@pytest.mark.parametrize("notices", ["channel", "none"])
async def test_where_no_history_can_be_read_the_nonce_still_tells(
    den: Den, line: Line, monkeypatch: pytest.MonkeyPatch, notices: str
) -> None:
    """The retry is for somebody else's turn, or for nobody's: it would send a second board."""
    table = await covered(den)
    assert table.place.thread is not None

    async def unreadable(*_: Any) -> Done[list[Found]]:
        return Done([])

    monkeypatch.setattr(den.bot.services.io, "find", unreadable)
    lost = line.lose("POST", sends(table.place.thread))
    await den.turn((await den.to_act(table))[0], table)
    assert lost.hits == 1
    assert len(live(den, table, "move")) == 2
    for owner in (den.ada, den.ben):
        await den.bot.tables.set_user(owner.id, notices=notices)
    await den.hurry(table, most=1)
    table = await now(den, table)
    assert [board.id for board in live(den, table, "move")] == [table.place.table_message]
    assert await den.bot.tables.posts(table.id) == []


async def test_a_refused_leftover_is_left_alone_while_others_are_posted(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    (refused,) = await leftovers(den, table, 1)
    channel = refused.channel.id
    for method in ("DELETE", "PATCH"):
        den.env.inject_error(
            method, f"/channels/{channel}/messages/{refused.id}", status=403, code=50013, times=None
        )

    def tries() -> int:
        return len(den.requests("DELETE", str(refused.id)))

    async def tell() -> None:
        say = sayer("en")
        with den.env._bot_scope():
            for due in (5, 6, 7):
                owed = [Owed(table, replace(seat, due=due), seat.user or 0, "turn") for seat in table.humans]
                await den.bot.services.painter._notices.send(table, owed, [], "en", say)

    await tell()
    assert tries() == 1
    den.env.backend.advance_clock((retries.REFUSED + posts.SLACK).total_seconds())
    await tell()
    assert tries() == 2


async def test_a_channel_whose_history_is_not_told_is_asked_once(den: Den, line: Line) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    assert table.place.thread is not None
    channel = table.place.thread
    for kind in ("notice", "table"):
        await den.bot.tables.intend(table.id, kind, channel)
    den.env.backend.advance_clock(posts.NONCE_LIFE.total_seconds() + 1)
    (left,) = await leftovers(den, table, 1)
    asked = line.fail("GET", sends(channel), times=999)
    with den.env._bot_scope():
        assert await den.bot.services.posts.tidy(table.id) == retries.RETRIES[0]
    assert asked.hits == 1
    assert den.requests("DELETE", str(left.id)) == []
    line.plans.clear()
    with den.env._bot_scope():
        assert await den.bot.services.posts.tidy(table.id) == 0.0
    assert await den.bot.tables.posts(table.id) == []
    assert den.look(channel, left.id) is None


# ------------------------------------------------------------------------- quick tries


async def test_quick_tries_are_counted_by_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    passed = [0.0]
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: passed[0])
    monkeypatch.setattr(retries, "RETRIES", (10.0, 30.0))
    monkeypatch.setattr(retries, "KEPT", 2)
    tries = retries.Tries()
    assert tries.after("A") == 10.0
    passed[0] = 4.0
    assert [tries.after("A") for _ in range(3)] == [6.0, 6.0, 6.0]
    assert tries.after("A", least=8.0) == 8.0
    passed[0] = 12.0
    assert not tries.all_made("A")
    assert tries.after("A") == 30.0
    assert tries.all_made("A")
    passed[0] = 42.0
    assert tries.after("A") is None
    assert tries.after("A") is None
    tries.forget("A")
    assert tries.after("A", least=60.0) == 60.0
    tries.use_up("A")
    assert tries.after("A") is None
    assert [tries.after("B"), tries.after("C")] == [10.0, 10.0]
    assert tries.after("A") == 10.0  # of those it has room for, the ones that came last


async def test_marks_of_others_use_up_no_quick_try(
    den: Den, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    board = await den.board(table)
    monkeypatch.setattr(retries, "RETRIES", (100.0, 100.0, 100.0))
    failing = line.fail("PATCH", f"{sends(board.channel.id)}/{board.id}", times=999)
    await den.hurry(table, most=1)
    for _ in range(5):
        with den.env._bot_scope():
            den.bot.services.repaints.mark(table.id)
        await den.env.settle()
    assert failing.hits == 6
    await den.env.advance_time(101)
    assert failing.hits == 7
    line.plans.clear()
    await den.env.advance_time(101)
    after = await now(den, table)
    assert after.painted == after.revision


async def test_a_notice_no_longer_owed_leaves_no_tries_behind(den: Den, line: Line) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    assert table.place.thread is not None
    seat = table.humans[0]
    owed = [Owed(table, replace(seat, due=5), seat.user or 0, "turn")]
    line.fail("POST", sends(table.place.thread), times=999)

    async def tell(owed: list[Owed]) -> float:
        with den.env._bot_scope():
            wait = await den.bot.services.painter._notices.send(table, owed, [], "en", sayer("en"))
        den.env.backend.advance_clock(wait)
        return wait

    assert [await tell(owed), await tell(owed)] == list(retries.RETRIES[:2])
    assert await tell([]) == 0.0
    assert await tell(owed) == retries.RETRIES[0]


# ------------------------------------------------------------------------- hands as notices


@pytest.mark.parametrize("then", ["retry", "restart", "acts"])
async def test_a_hand_sent_as_a_notice_whose_answer_is_lost_comes_once(
    den: Den, line: Line, then: str
) -> None:
    lobby = await lobby_of(den, den.ada, den.ben)
    table = await den.table(lobby)
    homes = [owner.user.dm_channel.id for owner in (den.ada, den.ben)]
    for owner in (den.ada, den.ben):
        await den.bot.tables.set_user(owner.id, notices="dm")
        await den.bot.tables.hand_placed(table.id, owner.id, None, None)
    lost = line.lose("POST", sends(rf"({homes[0]}|{homes[1]})"))
    sent = len(line.nonces)
    await den.ada.click(den.fresh(lobby), label="Start")
    [actor] = await den.to_act(table)
    assert lost.hits == 1
    assert [due.user for due in await den.bot.tables.owed_at(table.id)] == [actor.id]
    if then == "retry":
        await den.env.advance_time(100 * retries.RETRIES[0])
    elif then == "restart":
        await den.restart()
    else:  # unknown as it is, it stands for the hand that nobody needs to be told of any more
        while await den.to_act(table) == [actor]:
            await den.hurry(table, most=1)
    await den.env.settle()
    own = sends(actor.user.dm_channel.id)
    assert len([path for path, _ in list(line.nonces)[sent:] if path == own]) == 1
    await hands_are_at_home(den, table)
    assert await den.bot.tables.owed_at(table.id) == []
