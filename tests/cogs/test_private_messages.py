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

from bot.discord_io import Failed, Why
from bot.locale import sayer
from bot.players import choose
from bot.rules.chance import Generator
from bot.tables.model import Owed, Person, Status, Table, VoteKind
from cogs.delivery import posts, retries
from cogs.delivery.repaints import MISSED
from tests.sweeps import swept
from tests.tables.support import typed

from .lost import Line
from .sim import Sim, acting, alt_texts, buttons, custom_ids, text_of, ways
from .tabletop import live, opened, tap
from .test_hands import direct_messages, game_of, lobby_of

MakeSim = Callable[..., Awaitable[Sim]]


@pytest.fixture
def line(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> Line:
    made = Line(sim)
    made.install(monkeypatch)
    return made


def person(actor: MemberActor) -> Person:
    return Person(actor.id, actor.user.global_name or "")


def sends(channel: int | str) -> str:
    return f"/channels/{channel}/messages"


AWAY = 121  # seconds without a click after which one is not at the table any more


async def now(sim: Sim, table: Table) -> Table:
    return await sim.bot.tables.table(table.id)


def notices(sim: Sim, table: Table) -> list[discord.Message]:
    """Public messages that ping somebody and lead to nothing but their move."""
    found = []
    for channel in (sim.channel.id, *(thread.id for thread in sim.channel.threads)):
        for message in sim.messages(channel):
            verbs = {custom.split(":")[3] for custom in custom_ids(message)}
            found += [message] if "<@" in text_of(message) and verbs <= {"move"} else []
    return found


async def calls(sim: Sim, table: Table) -> int:
    """Messages that ping somebody, the table message among them."""
    return len(notices(sim, table)) + ("<@" in text_of(await sim.board(table)))


async def typed_turn(sim: Sim, table: Table) -> None:
    """Of somebody who is not at the table."""
    actors = await sim.to_act(table)
    while await sim.to_act(table) == actors:
        await sim.hurry(table, most=1)


async def hands_are_at_home(sim: Sim, table: Table) -> None:
    """Each person's hand is in their own messages, shows them their own tiles, and is the only one there."""
    stored = await now(sim, table)
    for seat in stored.humans:
        owner = next(p for p in people(sim) if p.id == seat.user)
        assert seat.hand_channel == owner.user.dm_channel.id
        hands = [letter for letter in direct_messages(sim, owner) if alt_texts(letter)]
        assert [hand.id for hand in hands] == [seat.hand_message]
    for owner in people(sim):
        if stored.seat_of(owner.id) is None:
            assert [part for m in direct_messages(sim, owner) for part in custom_ids(m) + alt_texts(m)] == []
    assert await sim.bot.services.shown.posts(table.id) == []


def people(sim: Sim) -> tuple[MemberActor, ...]:
    return (sim.ada, sim.ben, sim.cleo, sim.dev)


# ------------------------------------------------------------------------- hands


@pytest.mark.parametrize("joins", swept([False, True]))
async def test_who_leaves_the_lobby_during_a_first_hand_moves_nobody_s_hand(
    sim: Sim, line: Line, joins: bool
) -> None:
    """Seats move up while Ben's first message is under way: it was stored on Cleo's seat."""
    tables = sim.bot.tables
    opened = await sim.ada.slash(sim.channel, "topominos new", players=4)
    assert opened.response is not None
    lobby = opened.response.message
    table = await sim.table(lobby)

    async def meanwhile(_: dict[str, Any]) -> None:
        await tables.join(table.id, person(sim.cleo))
        await tables.leave(table.id, person(sim.ada))
        if joins:
            await tables.join(table.id, person(sim.dev))

    plan = line.during("POST", sends(sim.ben.user.dm_channel.id), meanwhile)
    await sim.ben.click(sim.fresh(lobby), label="Join")
    assert plan.hits == 1
    await sim.ben.click(sim.fresh(lobby), label="Start")
    assert (await now(sim, table)).status is Status.PLAYING
    await hands_are_at_home(sim, table)
    assert direct_messages(sim, sim.ada) == []
    await sim.hurry(table, most=3)
    await hands_are_at_home(sim, table)


async def replaced(sim: Sim, table: Table) -> None:
    """Ben resigns and Dev takes the seat, at once."""
    tables = sim.bot.tables
    seat = (await now(sim, table)).seat_of(sim.ben.id)
    assert seat is not None
    await tables.resign(table.id, person(sim.ben))
    await tables.vote(table.id, person(sim.ada), VoteKind.OPEN_SEAT, seat.index)
    await tables.take_seat(table.id, person(sim.dev), seat.index)


async def test_a_slow_notice_by_dm_is_not_the_hand_of_who_took_the_seat(sim: Sim, line: Line) -> None:
    table = await game_of(sim, sim.ada, sim.ben, sim.cleo)
    await sim.bot.tables.set_user(sim.ben.id, notices="dm")

    async def meanwhile(_: dict[str, Any]) -> None:
        await replaced(sim, table)

    plan = line.during("POST", sends(sim.ben.user.dm_channel.id), meanwhile)
    for _ in range(60):
        if not plan.hits:
            await sim.hurry(table, most=1)
    assert plan.hits == 1
    await hands_are_at_home(sim, table)
    (parting,) = direct_messages(sim, sim.ben)
    assert "You have left" in text_of(parting)
    await sim.hurry(table, most=4)
    await hands_are_at_home(sim, table)


async def test_a_seat_taken_at_once_leaves_no_hand_behind(make_sim: MakeSim) -> None:
    sim = await make_sim(pace=60.0)  # nothing is painted between resigning and the new player
    table = await game_of(sim, sim.ada, sim.ben, sim.cleo)
    await sim.env.advance_time(600)
    await sim.hurry(table, most=1)
    with sim.env._bot_scope():
        await replaced(sim, table)
    await sim.env.advance_time(600)
    await hands_are_at_home(sim, table)
    with sim.env._bot_scope():
        await sim.bot.tables.end(table.id, person(sim.ada))
    await sim.env.advance_time(600)
    for somebody in people(sim):
        assert [custom for letter in direct_messages(sim, somebody) for custom in acting(letter)] == []
    (parting,) = direct_messages(sim, sim.ben)
    assert alt_texts(parting) == []


async def test_a_hand_in_foreign_messages_is_taken_away_from_there(sim: Sim) -> None:
    """As a database of the first version may hold it."""
    table = await game_of(sim, sim.ada, sim.ben)
    (adas,) = direct_messages(sim, sim.ada)
    foreign = sim.ada.user.dm_channel.id
    path = sim.settings.data_dir / "parlour.db"
    with sim.behind_the_bot() as connection:
        connection.execute(
            "update seats set hand_channel = ?, hand_message = ? where user_id = ?",
            (foreign, adas.id, sim.ben.id),
        )
        connection.execute(
            "update seats set hand_channel = null, hand_message = null where user_id <> ?", (sim.ben.id,)
        )
    sent = len(sim.env.http_requests)
    await sim.hurry(table, most=1)
    edits = [r for r in sim.env.http_requests[sent:] if r.method == "PATCH" and r.path.endswith(str(adas.id))]
    assert edits == []
    assert sim.look(foreign, adas.id) is None
    with closing(sqlite3.connect(path)) as connection, connection:
        for owner in (sim.ada, sim.ben):
            [(channel,)] = connection.execute(
                "select hand_channel from seats where user_id = ?", (owner.id,)
            ).fetchall()
            assert channel == owner.user.dm_channel.id


async def pressed_late(
    sim: Sim, line: Line, game: str, meanwhile: Callable[[Table], Awaitable[object]], *, lost: bool = False
) -> Table:
    """Whoever has the turn presses a control of their hand; before Discord carries out the answer `meanwhile`
    is done, and shown as far as may be: what the hand is owed stays stored until the answer has come."""
    table = await opened(sim, game, sim.ada, sim.ben, sim.cleo, players=3)
    actor = sim.ben
    for _ in range(40):
        if actor in await sim.to_act(table):
            break
        await sim.hurry(table, most=1)

    async def first() -> None:
        await meanwhile(table)
        await asyncio.gather(*sim.bot.services.background.runs("paint"))
        stored = await now(sim, table)
        left = [post.message for post in await sim.bot.services.shown.posts(table.id)]
        assert stored.painted < stored.revision or hand.id in left

    (hand,) = direct_messages(sim, actor)
    held = line.before("POST", "/interactions/.*/callback", first, lost=lost)
    await tap(sim, actor, hand, Generator(game, "taps"))
    assert held.hits == 1
    await sim.env.settle()
    return await now(sim, table)


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("game", swept(["topspot", "topominos"]))
async def test_an_answer_to_a_click_that_comes_after_the_end_brings_no_control_back(
    sim: Sim, line: Line, monkeypatch: pytest.MonkeyPatch, game: str, lost: bool
) -> None:
    monkeypatch.setattr("cogs.delivery.private_answers.UNSURE", 0.0)

    async def ends(table: Table) -> None:
        await sim.bot.tables.end(table.id, person(sim.ada))

    table = await pressed_late(sim, line, game, ends, lost=lost)
    assert table.status is Status.ENDED
    for somebody in (sim.ada, sim.ben, sim.cleo):
        (letter,) = direct_messages(sim, somebody)
        assert acting(letter) == []
        assert "host ended" in text_of(letter)
    await hands_are_at_home(sim, table)


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("game", swept(["topspot", "topominos"]))
async def test_an_answer_to_a_click_that_comes_after_resigning_brings_no_hand_back(
    sim: Sim, line: Line, monkeypatch: pytest.MonkeyPatch, game: str, lost: bool
) -> None:
    monkeypatch.setattr("cogs.delivery.private_answers.UNSURE", 0.0)

    async def resigns(table: Table) -> None:
        await sim.bot.tables.resign(table.id, person(sim.ben))

    table = await pressed_late(sim, line, game, resigns, lost=lost)
    (parting,) = direct_messages(sim, sim.ben)
    assert "You have left" in text_of(parting)
    await hands_are_at_home(sim, table)


async def test_a_late_click_on_a_hand_that_is_no_more_is_answered_beside_it(sim: Sim) -> None:
    table = await game_of(sim, sim.ada, sim.ben, sim.cleo)
    for _ in range(40):
        if sim.ben in await sim.to_act(table):
            break
        await sim.hurry(table, most=1)
    (hand,) = direct_messages(sim, sim.ben)
    custom = next(iter(ways(hand).values()))
    with sim.env._bot_scope():
        await sim.bot.tables.resign(table.id, person(sim.ben))
    await sim.env.settle()
    (parting,) = direct_messages(sim, sim.ben)
    ben: Any = sim.ben.user
    await sim.press(ben, parting, custom)
    assert [request.json["type"] for request in sim.requests("POST", "/callback")][-1] == 4
    await hands_are_at_home(sim, table)


async def test_a_click_on_a_hand_that_goes_meanwhile_is_answered_beside_it(sim: Sim, line: Line) -> None:
    """A notice took its place just then, and nothing at all answered the click."""
    table = await game_of(sim, sim.ada, sim.ben, sim.cleo)
    (hand,) = direct_messages(sim, sim.ben)

    async def deleted() -> None:
        sim.env.backend.messages[hand.channel.id].pop(hand.id)

    plan = line.before("POST", r"/interactions/\d+/[^/]+/callback", deleted)
    ben: Any = sim.ben.user
    await sim.press(ben, hand, f"pb:{table.id}:{table.revision}:move:")
    assert plan.hits == 1
    assert [request.json["type"] for request in sim.requests("POST", "/callback")][-2:] == [7, 4]


async def test_a_hand_is_brought_up_to_date_after_a_slow_answer_to_a_click(sim: Sim, line: Line) -> None:
    moved: list[int] = []

    async def plays(table: Table) -> None:
        loaded = await sim.bot.tables.load(table.id)
        seat = loaded.table.seat_of(sim.ben.id)
        assert seat is not None
        assert loaded.state is not None
        move = choose(table.game, loaded.state.view(seat.index), Generator("plays", "on"))
        await typed(sim.bot.tables, table.id, person(sim.ben), move)
        moved.append((await now(sim, table)).revision)

    table = await pressed_late(sim, line, "topominos", plays)
    (letter,) = direct_messages(sim, sim.ben)
    # Controls of a choice say when it opened; those of hints belong to no moment.
    assert [one for one in custom_ids(letter) if 0 < int(one.split(":")[2]) < moved[0]] == []
    await hands_are_at_home(sim, table)


# ------------------------------------------------------------------------- the board


async def covered(sim: Sim) -> Table:
    """A game whose board has chatter below it."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await sim.cleo.send(sim.thread(table), "what a game")
    return await now(sim, table)


@pytest.mark.parametrize(
    "then", swept(["move", "late move", "restart", "late restart", "refused"], daily=("move", "late restart"))
)
async def test_a_board_whose_answer_is_lost_is_the_only_one_soon(sim: Sim, line: Line, then: str) -> None:
    table = await covered(sim)
    assert table.place.thread is not None
    lost = line.lose("POST", sends(table.place.thread))
    await sim.turn((await sim.to_act(table))[0], table)
    assert lost.hits == 1
    assert len(live(sim, table, "menu")) == 2
    if then.startswith("late"):
        sim.env.backend.advance_clock(500)
    if then == "refused":  # whoever is next wants no notices: nothing is sent afresh for them
        for owner in (sim.ada, sim.ben):
            await sim.bot.tables.set_user(owner.id, notices="none")
    if then.endswith("restart"):
        await sim.restart()
    else:
        await sim.hurry(table, most=2)
    await sim.env.settle()
    table = await now(sim, table)
    assert [board.id for board in live(sim, table, "menu")] == [table.place.table_message]
    assert table.painted == table.revision
    assert await sim.bot.services.shown.posts(table.id) == []
    assert len(notices(sim, table)) <= 1


async def test_a_board_that_was_never_sent_is_sent(sim: Sim, line: Line) -> None:
    table = await covered(sim)
    assert table.place.thread is not None
    line.fail("POST", sends(table.place.thread))
    await sim.turn((await sim.to_act(table))[0], table)
    await sim.hurry(table, most=1)
    after = await now(sim, table)
    assert after.place.table_message != table.place.table_message
    assert [board.id for board in live(sim, table, "menu")] == [after.place.table_message]
    assert await sim.bot.services.shown.posts(table.id) == []


async def test_a_board_that_pinged_somebody_else_does_not_swallow_the_ping(sim: Sim, line: Line) -> None:
    table = await covered(sim)
    assert table.place.thread is not None
    lost = line.lose("POST", sends(table.place.thread))
    first = (await sim.to_act(table))[0]
    await sim.turn(first, table)
    second = (await sim.to_act(table))[0]
    assert lost.hits == 1
    assert second is not first
    await sim.turn(second, table)
    await sim.env.advance_time(AWAY)
    board = await sim.board(table)
    assert f"<@{first.id}>" in text_of(board) or any(
        f"<@{first.id}>" in text_of(notice) for notice in notices(sim, table)
    )
    assert not any(f"<@{second.id}>" in text_of(m) for m in (*notices(sim, table), board))
    assert len(live(sim, table, "menu")) == 1


# ------------------------------------------------------------------------- the lobby


CALLBACK = r"/interactions/\d+/[^/]+/callback"
ORIGINAL = r"/webhooks/\d+/[^/]+/messages/@original"


async def test_a_lobby_whose_answer_is_lost_is_asked_for(sim: Sim, line: Line) -> None:
    lost = line.lose("POST", CALLBACK)
    await sim.ada.slash(sim.channel, "5vor12 new")
    assert lost.hits == 1
    (table,) = await sim.bot.tables.tables_of(sim.ada.id)
    (lobby,) = live(sim, table, "join")
    assert table.place.lobby_message == lobby.id
    assert sim.requests("POST", "/messages") == []
    await sim.ben.click(lobby, label="Join")
    assert "2. Ben" in text_of(sim.fresh(lobby))


async def unreadable(*_: Any, **__: Any) -> Failed:
    """What comes of looking into a channel's history, without the right to read it."""
    return Failed(Why.UNREAD)


async def test_a_lobby_whose_answer_is_lost_is_known_without_any_history(
    sim: Sim, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without asking for the answer itself, a second lobby would be sent."""
    monkeypatch.setattr(sim.bot.services.io, "find", unreadable)
    lost = line.lose("POST", CALLBACK)
    await sim.ada.slash(sim.channel, "5vor12 new")
    assert lost.hits == 1
    for _ in range(3):
        await sim.env.advance_time(600)
    (table,) = await sim.bot.tables.tables_of(sim.ada.id)
    (lobby,) = live(sim, table, "join")
    assert table.place.lobby_message == lobby.id
    assert await sim.bot.services.shown.posts(table.id) == []
    await sim.ben.click(lobby, label="Join")
    assert [one.id for one in live(sim, table, "join")] == [lobby.id]
    assert "2. Ben" in text_of(sim.fresh(lobby))


@pytest.mark.parametrize("restarted", swept([False, True]))
async def test_a_lobby_that_cannot_be_asked_for_is_looked_for(sim: Sim, line: Line, restarted: bool) -> None:
    line.lose("POST", CALLBACK)
    line.fail("GET", ORIGINAL)
    if restarted:
        line.fail("GET", sends(sim.channel.id))  # the process ends before it found anything
    await sim.ada.slash(sim.channel, "5vor12 new")
    (table,) = await sim.bot.tables.tables_of(sim.ada.id)
    if restarted:
        assert table.place.lobby_message is None
        await sim.restart()
    table = await now(sim, table)
    (lobby,) = live(sim, table, "join")
    assert table.place.lobby_message == lobby.id
    assert await sim.bot.services.shown.posts(table.id) == []


async def test_a_lobby_that_was_never_posted_is(sim: Sim, line: Line) -> None:
    line.fail("POST", CALLBACK)
    await sim.ada.slash(sim.channel, "5vor12 new")
    (table,) = await sim.bot.tables.tables_of(sim.ada.id)
    (lobby,) = live(sim, table, "join")
    assert table.place.lobby_message == lobby.id
    assert await sim.bot.services.shown.posts(table.id) == []


async def test_a_lobby_becomes_a_link_though_that_answer_is_lost(sim: Sim, line: Line) -> None:
    lobby = await sim.new(sim.ada, players=2)
    table = await sim.table(lobby)
    await sim.ben.click(lobby, label="Join")
    line.fail("PATCH", f"/channels/{sim.channel.id}/messages/{lobby.id}", times=9)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    assert custom_ids(sim.fresh(lobby))
    line.plans.clear()
    await sim.restart()
    assert custom_ids(sim.fresh(lobby)) == []
    assert live(sim, table, "join", "start") == []


# ------------------------------------------------------------------------- notices


@pytest.mark.parametrize("restarted", swept([False, True]))
async def test_a_notice_whose_answer_is_lost_goes_with_the_next(
    sim: Sim, line: Line, restarted: bool
) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    assert table.place.thread is not None
    lost = line.lose("POST", sends(table.place.thread))
    await sim.turn((await sim.to_act(table))[0], table)
    assert lost.hits == 1
    (pinged,) = notices(sim, table)
    if restarted:
        await sim.restart()
        (again,) = notices(sim, table)
        assert again.id == pinged.id
    await sim.turn((await sim.to_act(table))[0], table)
    await sim.env.advance_time(AWAY)
    pings = [text_of(m) for m in (*notices(sim, table), await sim.board(table)) if "<@" in text_of(m)]
    assert [f"<@{(await sim.to_act(table))[0].id}>" in ping for ping in pings] == [True]
    assert await sim.bot.services.shown.owed_at(table.id) == []
    assert await sim.bot.services.shown.posts(table.id) == []


async def test_a_lost_notice_does_not_swallow_the_same_person_s_next_one(sim: Sim, line: Line) -> None:
    """Found by its nonce, the earlier message would be edited, which tells nobody."""
    table = await sim.started(sim.ada, sim.cleo, sim.ben, setup="sorted")
    assert table.revision == 4
    assert table.place.thread is not None
    [actor] = await sim.to_act(table)
    seat = table.seat_of(actor.id)
    assert seat is not None
    say = sayer("en")

    async def tell(due: int) -> set[int]:
        owed = Owed(table, replace(seat, due=due), actor.id, "turn")
        with sim.env._bot_scope():
            await sim.bot.services.painter._notices.send(table, [owed], [], "en", say)
        return {message.id for message in notices(sim, table)}

    before = await tell(1)
    lost = line.lose("POST", sends(table.place.thread))
    [_, unknown] = sorted(await tell(2))
    assert lost.hits == 1
    assert await tell(2) == {unknown}  # the same one again: it is known now, and the one before has gone
    assert before.isdisjoint({unknown})
    line.lose("POST", sends(table.place.thread))
    await tell(3)
    [newest] = await tell(4)
    assert newest > unknown + 1  # neither the lost one nor the one before


async def test_a_notice_in_the_place_of_one_that_never_came_is_known_again(sim: Sim, line: Line) -> None:
    """What was tried first did not arrive, what is sent in its place does, and its answer is lost: somebody
    would be called a second time for the same."""
    table = await sim.started(sim.ada, sim.cleo, sim.ben, setup="sorted")
    [actor] = await sim.to_act(table)
    seat, say = table.seat_of(actor.id), sayer("en")
    assert seat is not None
    assert table.place.thread is not None

    async def tell(due: int) -> set[int]:
        owed = Owed(table, replace(seat, due=due), actor.id, "turn")
        with sim.env._bot_scope():
            await sim.bot.services.painter._notices.send(table, [owed], [], "en", say)
        return {message.id for message in notices(sim, table)}

    line.fail("POST", sends(table.place.thread))
    assert await tell(1) == set()
    line.lose("POST", sends(table.place.thread))
    [unknown] = await tell(2)
    assert await tell(2) == {unknown}
    await sim.env.advance_time(70)
    await sim.bot.services.posts.tidy(table.id)
    assert await sim.bot.services.shown.posts(table.id) == []
    assert {message.id for message in notices(sim, table)} == {unknown}


async def test_a_lost_notice_that_cannot_be_looked_for_goes_by_its_nonce(
    sim: Sim, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one is for somebody else: sent with the purpose of the lost one it meets that, which has to
    go; with a purpose of its own it would leave a ping that nobody knows."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    assert table.place.thread is not None

    monkeypatch.setattr(sim.bot.services.io, "find", unreadable)
    lost = line.lose("POST", sends(table.place.thread))
    await typed_turn(sim, table)
    assert lost.hits == 1
    (pinged,) = notices(sim, table)
    await typed_turn(sim, table)
    table = await now(sim, table)
    (ping,) = notices(sim, table)
    assert ping.id == table.place.notice_message != pinged.id
    assert f"<@{(await sim.to_act(table))[0].id}>" in text_of(ping)
    assert await sim.bot.services.shown.posts(table.id) == []


@pytest.mark.parametrize("carried_out", swept([False, True]))
async def test_an_old_notice_goes_though_its_deletion_is_not_answered(
    sim: Sim, line: Line, carried_out: bool
) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await sim.turn((await sim.to_act(table))[0], table)
    place = (await now(sim, table)).place
    gone = f"/channels/{place.thread}/messages/{place.notice_message}"
    plan = line.lose("DELETE", gone, times=99) if carried_out else line.fail("DELETE", gone, times=99)
    await sim.turn((await sim.to_act(table))[0], table)
    await sim.env.advance_time(AWAY)
    assert plan.hits > 0
    assert await calls(sim, table) == (1 if carried_out else 2)
    line.plans.clear()
    await sim.restart()
    assert await calls(sim, table) == 1
    assert await sim.bot.services.shown.posts(table.id) == []


# ------------------------------------------------------------------------- messages met by a click


async def copy_of(sim: Sim, message: discord.Message, channel: int) -> discord.Message:
    """The same message once more, which the bot knows nothing of."""
    stored = sim.env.backend.get_message(message.channel.id, message.id)
    made = sim.env.backend.create_message(
        channel,
        stored.author_id,
        content="",
        components=stored.components,
        flags=stored.flags,
    )
    found = sim.look(channel, made.id)
    assert found is not None
    return found


async def test_a_lost_board_that_is_pressed_goes_and_the_click_counts(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    assert table.place.thread is not None
    lost = await copy_of(sim, await sim.board(table), table.place.thread)
    actor = (await sim.to_act(table))[0]
    result = await actor.click(lost, label="Your move")
    assert result.response is not None
    assert result.response.ephemeral
    assert [board.id for board in live(sim, table, "menu")] == [table.place.table_message]
    assert (await now(sim, table)).place == table.place


async def test_a_lost_lobby_that_is_pressed_goes_and_the_click_counts(sim: Sim) -> None:
    lobby = await sim.new(sim.ada)
    table = await sim.table(lobby)
    lost = await copy_of(sim, lobby, sim.channel.id)
    await sim.ben.click(lost, label="Join")
    assert "2. Ben" in text_of(sim.fresh(lobby))
    assert [message.id for message in live(sim, table, "join")] == [lobby.id]


async def test_a_lost_hand_that_is_pressed_becomes_the_one(sim: Sim) -> None:
    table = await game_of(sim, sim.ada, sim.ben)
    actor = (await sim.to_act(table))[0]
    (hand,) = direct_messages(sim, actor)
    lost = await copy_of(sim, hand, actor.user.dm_channel.id)
    control = next(custom for custom in custom_ids(lost) if custom.startswith("pb:"))
    await sim.press(actor.user, lost, control)  # type: ignore[arg-type]
    (left,) = direct_messages(sim, actor)
    assert left.id == lost.id
    seat = (await now(sim, table)).seat_of(actor.id)
    assert seat is not None
    assert seat.hand_message == lost.id


async def test_a_message_of_another_table_is_left_alone(sim: Sim) -> None:
    """A made-up control names one table, its message shows another."""
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    lobby = await sim.new(sim.cleo)
    await sim.press(sim.ada, lobby, f"pb:{table.id}:{table.revision}:move:")
    assert "Join" in buttons(sim.fresh(lobby))


# ------------------------------------------------------------------------- deleted at once, parked


async def test_a_board_deleted_the_instant_it_appears_comes_back(sim: Sim, line: Line) -> None:
    lobby = await sim.new(sim.ada, players=2)
    table = await sim.table(lobby)
    await sim.ben.click(lobby, label="Join")
    await sim.bot.tables.set_guild(sim.guild.id, threads=False)

    async def deleted(made: dict[str, Any]) -> None:
        sim.env.backend.delete_message(sim.channel.id, int(made["id"]))
        await sim.bot.services.places.messages_gone(sim.guild.id, (int(made["id"]),))

    plan = line.during("POST", sends(sim.channel.id), deleted)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    assert plan.hits == 1
    assert "Your move" in buttons(await sim.board(table))


async def test_who_always_deletes_it_is_given_way_to_until_somebody_moves(sim: Sim, line: Line) -> None:
    lobby = await sim.new(sim.ada, players=2, setup="sorted")
    table = await sim.table(lobby)
    await sim.ben.click(lobby, label="Join")
    await sim.bot.tables.set_guild(sim.guild.id, threads=False)

    async def deleted(made: dict[str, Any]) -> None:
        sim.env.backend.delete_message(sim.channel.id, int(made["id"]))

    plan = line.during("POST", sends(sim.channel.id), deleted, times=999)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    assert plan.hits == MISSED[0] + 1
    assert live(sim, table, "move") == []
    await sim.env.advance_time(3600)
    assert plan.hits == MISSED[0] + 1
    line.plans.clear()
    await sim.hurry(table, most=1)
    assert "Your move" in buttons(await sim.board(table))


async def test_what_was_deleted_too_often_comes_back_at_the_park_s_end(sim: Sim, line: Line) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    for _ in range(MISSED[0] + 1):
        place = (await now(sim, table)).place
        assert place.thread is not None
        sim.env.backend.delete_message(place.thread, place.table_message or 0)
        await sim.env.settle()
    assert live(sim, table, "move") == []
    sim.env.backend.advance_clock(25 * 3600)
    with sim.env._bot_scope():
        await sim.sweep()
    await sim.env.settle()
    assert "Your move" in buttons(await sim.board(table))


async def test_one_lost_answer_at_a_sweep_is_tried_again_soon(
    sim: Sim, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep may pass by while a board is about to be posted, at the start or every quarter of an hour."""
    lobby = await sim.new(sim.ada, players=2)
    await sim.ben.click(sim.fresh(lobby), label="Join")
    table = await sim.table(lobby)
    lost = line.fail("POST", rf"{sends(sim.channel.id)}/\d+/threads")
    monkeypatch.setattr(retries, "RETRIES", (100.0, 100.0, 100.0))
    repaints = sim.bot.services.repaints
    swept: list[bool] = []
    monkeypatch.setattr(repaints, "_rest", lambda _: 0.0 if swept else 5.0)
    with sim.env._bot_scope():
        await sim.bot.tables.start(table.id, person(sim.ada))
        await sim.sweep()
    swept.append(True)
    await sim.env.advance_time(5)
    assert lost.hits == 1
    assert (await now(sim, table)).place.table_message is None
    await sim.env.advance_time(101)
    assert "Your move" in buttons(await sim.board(table))


async def test_a_missed_board_whose_first_try_is_lost_comes_back(
    sim: Sim, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    place = (await now(sim, table)).place
    assert place.thread is not None
    monkeypatch.setattr(retries, "RETRIES", (100.0, 100.0, 100.0))
    line.fail("POST", sends(place.thread))
    sim.env.backend.delete_message(place.thread, place.table_message or 0)
    await sim.env.settle()
    assert live(sim, table, "move") == []
    await sim.env.advance_time(101)
    assert len(live(sim, table, "menu")) == 1


async def test_a_table_parked_while_its_board_was_up_to_date_is_painted_at_the_next_move(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    with sim.env._bot_scope():
        await sim.bot.services.repaints.park(table.id)
    actor = (await sim.to_act(table))[0]
    await sim.types(actor, sim.channel, "5vor12", move="draw")
    after = await now(sim, table)
    assert after.revision > table.revision
    assert after.painted == after.revision


# ------------------------------------------------------------------------- what fails, and its neighbours


async def leftovers(sim: Sim, table: Table, count: int) -> list[discord.Message]:
    """Copies of the board that have to go, the one first whose turn it is first."""
    board = await sim.board(table)
    copies = [await copy_of(sim, board, board.channel.id) for _ in range(count)]
    for copy in copies:
        await sim.bot.services.shown.leave_over(table.id, "table", board.channel.id, copy.id)
    return copies


async def test_a_leftover_that_always_fails_keeps_none_of_its_channel_waiting(sim: Sim, line: Line) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    stuck, other = await leftovers(sim, table, 2)
    channel = stuck.channel.id
    line.fail("DELETE", f"{sends(channel)}/{stuck.id}", times=999)

    async def sweep() -> None:
        with sim.env._bot_scope():
            while (wait := await sim.bot.services.posts.tidy(table.id, everything=False)) > 0:
                sim.env.backend.advance_clock(wait)

    await sweep()
    assert sim.look(channel, other.id) is not None  # a channel in trouble is asked once
    again = retries.AFTER_TROUBLE + 2 * posts.SLACK
    sim.env.backend.advance_clock(again.total_seconds())  # both are due again
    await sweep()
    assert sim.look(channel, other.id) is None
    assert [post.message for post in await sim.bot.services.shown.posts(table.id)] == [stuck.id]
    line.plans.clear()
    sim.env.backend.advance_clock(2 * retries.AFTER_TROUBLE.total_seconds())
    await sweep()
    assert sim.look(channel, stuck.id) is None
    assert await sim.bot.services.shown.posts(table.id) == []


@pytest.mark.parametrize("notices", swept(["channel", "none"]))
async def test_where_no_history_can_be_read_the_nonce_still_tells(
    sim: Sim, line: Line, monkeypatch: pytest.MonkeyPatch, notices: str
) -> None:
    """The retry is for somebody else's turn, or for nobody's: it would send a second board."""
    table = await covered(sim)
    assert table.place.thread is not None
    monkeypatch.setattr(sim.bot.services.io, "find", unreadable)
    lost = line.lose("POST", sends(table.place.thread))
    await sim.turn((await sim.to_act(table))[0], table)
    assert lost.hits == 1
    assert len(live(sim, table, "menu")) == 2
    for owner in (sim.ada, sim.ben):
        await sim.bot.tables.set_user(owner.id, notices=notices)
    await sim.hurry(table, most=1)
    table = await now(sim, table)
    assert [board.id for board in live(sim, table, "menu")] == [table.place.table_message]
    assert await sim.bot.services.shown.posts(table.id) == []


async def test_a_refused_leftover_is_left_alone_while_others_are_posted(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    (refused,) = await leftovers(sim, table, 1)
    channel = refused.channel.id
    for method in ("DELETE", "PATCH"):
        sim.env.inject_error(
            method, f"/channels/{channel}/messages/{refused.id}", status=403, code=50013, times=None
        )

    def tries() -> int:
        return len(sim.requests("DELETE", str(refused.id)))

    async def tell() -> None:
        say = sayer("en")
        with sim.env._bot_scope():
            for due in (1, 2, 3):
                owed = [Owed(table, replace(seat, due=due), seat.user or 0, "turn") for seat in table.humans]
                await sim.bot.services.painter._notices.send(table, owed, [], "en", say)

    await tell()
    assert tries() == 1
    sim.env.backend.advance_clock((retries.AFTER_REFUSAL + posts.SLACK).total_seconds())
    await tell()
    assert tries() == 2


async def test_a_channel_whose_history_is_not_told_is_asked_once(sim: Sim, line: Line) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    assert table.place.thread is not None
    channel = table.place.thread
    for kind in ("notice", "table"):
        await sim.bot.services.shown.intend(table.id, kind, channel)
    sim.env.backend.advance_clock(posts.NONCE_LIFE.total_seconds() + 1)
    (left,) = await leftovers(sim, table, 1)
    asked = line.fail("GET", sends(channel), times=999)
    with sim.env._bot_scope():
        assert await sim.bot.services.posts.tidy(table.id) == retries.RETRIES[0]
    assert asked.hits == 1
    assert sim.requests("DELETE", str(left.id)) == []
    line.plans.clear()
    with sim.env._bot_scope():
        assert await sim.bot.services.posts.tidy(table.id) == 0.0
    assert await sim.bot.services.shown.posts(table.id) == []
    assert sim.look(channel, left.id) is None


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
    sim: Sim, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    board = await sim.board(table)
    monkeypatch.setattr(retries, "RETRIES", (100.0, 100.0, 100.0))
    failing = line.fail("PATCH", f"{sends(board.channel.id)}/{board.id}", times=999)
    await sim.hurry(table, most=1)
    for _ in range(5):
        with sim.env._bot_scope():
            sim.bot.services.repaints.mark(table.id)
        await sim.env.settle()
    assert failing.hits == 6
    await sim.env.advance_time(101)
    assert failing.hits == 7
    line.plans.clear()
    await sim.env.advance_time(101)
    after = await now(sim, table)
    assert after.painted == after.revision


async def test_a_notice_no_longer_owed_leaves_no_tries_behind(sim: Sim, line: Line) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    assert table.place.thread is not None
    seat = table.humans[0]
    owed = [Owed(table, replace(seat, due=5), seat.user or 0, "turn")]
    line.fail("POST", sends(table.place.thread), times=999)

    async def tell(owed: list[Owed]) -> float:
        with sim.env._bot_scope():
            wait = await sim.bot.services.painter._notices.send(table, owed, [], "en", sayer("en"))
        sim.env.backend.advance_clock(wait)
        return wait

    assert [await tell(owed), await tell(owed)] == list(retries.RETRIES[:2])
    assert await tell([]) == 0.0
    assert await tell(owed) == retries.RETRIES[0]


# ------------------------------------------------------------------------- hands as notices


@pytest.mark.parametrize("then", swept(["retry", "restart", "acts"], daily=("restart",)))
async def test_a_hand_sent_as_a_notice_whose_answer_is_lost_comes_once(
    sim: Sim, line: Line, then: str
) -> None:
    lobby = await lobby_of(sim, sim.ada, sim.ben)
    table = await sim.table(lobby)
    homes = [owner.user.dm_channel.id for owner in (sim.ada, sim.ben)]
    for owner in (sim.ada, sim.ben):
        await sim.bot.tables.set_user(owner.id, notices="dm")
        await sim.bot.services.shown.hand_placed(table.id, owner.id, None, None)
    lost = line.lose("POST", sends(rf"({homes[0]}|{homes[1]})"))
    sent = len(line.nonces)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    [actor] = await sim.to_act(table)
    assert lost.hits == 1
    assert [due.user for due in await sim.bot.services.shown.owed_at(table.id)] == [actor.id]
    if then == "retry":
        await sim.env.advance_time(100 * retries.RETRIES[0])
    elif then == "restart":
        await sim.restart()
    else:  # unknown as it is, it stands for the hand that nobody needs to be told of any more
        while await sim.to_act(table) == [actor]:
            await sim.hurry(table, most=1)
    await sim.env.settle()
    own = sends(actor.user.dm_channel.id)
    assert len([path for path, _ in list(line.nonces)[sent:] if path == own]) == 1
    await hands_are_at_home(sim, table)
    assert await sim.bot.services.shown.owed_at(table.id) == []
