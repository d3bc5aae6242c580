"""A message that Discord has and the bot does not know is forgotten only when it is known not to be there;
and what is found in a channel is taken for a table's own only where no name can make it so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest
from aiohttp import web
from simcord.actors import MemberActor
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.discord_io import HISTORY, PAGES, UNREAD, DiscordIO, Done, Failed, Found, Result, Trace, Why, attempt
from bot.tables.model import Table
from cogs.delivery import posts
from cogs.delivery.recognising import private_kind, public_kind
from tests.sweeps import swept

from .lost import Line, requested
from .sim import Sim, text_of
from .tabletop import live
from .test_hands import direct_messages, game_of
from .test_parts import Hours, refused
from .test_private_messages import notices, sends


@pytest.fixture
def line(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> Line:
    made = Line(sim)
    made.install(monkeypatch)
    return made


async def now(sim: Sim, table: Table) -> Table:
    return await sim.bot.tables.table(table.id)


async def intents(sim: Sim, table: Table) -> list[str]:
    return [post.kind for post in await sim.bot.services.shown.posts(table.id) if post.message is None]


async def covered(sim: Sim) -> Table:
    """A game in the channel, with chatter below its board."""
    await sim.bot.services.tables.set_guild(sim.guild.id, threads=False)
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await sim.cleo.send(sim.channel, "what a game")
    return await now(sim, table)


async def a_board_is_lost(sim: Sim, line: Line, table: Table) -> None:
    lost = line.lose("POST", sends(sim.channel.id))
    await sim.turn((await sim.to_act(table))[0], table)
    assert lost.hits == 1
    assert len(live(sim, table, "menu")) == 2


async def one_board_is_left(sim: Sim, table: Table) -> None:
    table = await now(sim, table)
    assert [board.id for board in live(sim, table, "menu")] == [table.place.table_message]
    assert table.painted == table.revision
    assert await sim.bot.services.shown.posts(table.id) == []


def denied(sim: Sim, **permissions: bool) -> None:
    """The bot lacks these in the channel from now on; without any, none."""
    backend, me = sim.env.backend, sim.env.backend.bot_user.id
    if permissions:
        value = discord.Permissions(**permissions).value
        backend.set_overwrite(sim.channel.id, Overwrite(me, OverwriteType.MEMBER, 0, value))
    else:
        backend.delete_overwrite(sim.channel.id, me)


# ------------------------------------------------------------------------- several tries of one call


async def test_a_call_knows_of_every_request_that_may_have_been_carried_out() -> None:
    """On a real session: what discord.py's own repetitions met is told, whatever the last of them gave."""
    statuses: list[int] = []

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=statuses.pop(0))

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    trace = Trace()
    assert trace.now() is None
    async with aiohttp.ClientSession(trace_configs=[trace.config]) as session:

        async def unclear(*met: int) -> bool:
            statuses.extend(met)

            async def call() -> None:
                for _ in met:
                    await (await session.get(f"http://{host}:{port}/")).read()
                raise refused(met[-1], 0)

            failed = await attempt(call)
            assert isinstance(failed, Failed)
            return failed.unclear

        assert [await unclear(502, 403), await unclear(502, 429), await unclear(500, 502, 404)] == [True] * 3
        assert [await unclear(200, 403), await unclear(503)] == [True] * 2
        assert [await unclear(403), await unclear(429, 429), await unclear(429, 404)] == [False] * 3
    await runner.cleanup()
    told = trace.now()
    assert told is not None
    assert abs(told - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.parametrize("last", swept([discord.RateLimited(20.0), refused(403, 50013), refused(404, 0)]))
async def test_a_board_whose_first_try_may_have_gone_through_is_the_only_one_soon(
    sim: Sim, line: Line, last: Exception
) -> None:
    table = await covered(sim)
    sent = line.repeated("POST", sends(sim.channel.id), last)
    await sim.turn((await sim.to_act(table))[0], table)
    assert sent.hits == 1
    assert await intents(sim, table) == ["table"]
    assert len(live(sim, table, "menu")) == 2
    sim.env.backend.advance_clock(500)
    await sim.hurry(table, most=2)
    await one_board_is_left(sim, table)


async def test_what_was_sent_to_a_channel_that_is_gone_is_gone(sim: Sim, line: Line) -> None:
    table = await covered(sim)
    line.repeated("POST", sends(sim.channel.id), refused(404, 10003))
    await sim.turn((await sim.to_act(table))[0], table)
    assert await intents(sim, table) == []


# ------------------------------------------------------------------------- what could not be looked for


@pytest.mark.parametrize("lacks", swept(["view_channel", "read_message_history"]))
async def test_a_lost_board_is_looked_for_once_the_channel_can_be_read(
    sim: Sim, line: Line, lacks: str
) -> None:
    table = await covered(sim)
    await a_board_is_lost(sim, line, table)
    sim.env.backend.advance_clock(120)
    denied(sim, **{lacks: True})
    await sim.env.settle()
    for _ in range(2):
        await sim.hurry(table, most=1)
        assert await intents(sim, table) == ["table"]
    denied(sim)
    await sim.env.settle()
    await sim.hurry(table, most=1)
    await one_board_is_left(sim, table)


async def test_without_history_the_game_goes_on_and_nothing_is_asked(sim: Sim, line: Line) -> None:
    """The next board is posted under a purpose of its own; a lost one takes no later one's place."""
    table = await covered(sim)
    await a_board_is_lost(sim, line, table)
    denied(sim, read_message_history=True)
    sim.env.backend.advance_clock(120)
    asked = len(sim.requests("GET", "/messages"))
    await sim.hurry(table, most=1)
    after = await now(sim, table)
    assert after.painted == after.revision
    [lost] = await sim.bot.services.shown.posts(table.id)
    assert lost.lost
    assert await sim.bot.services.posts.meant(table.id) == frozenset()
    await sim.cleo.send(sim.channel, "and on")
    await sim.hurry(table, most=1)
    assert await sim.bot.services.shown.posts(table.id) == [lost]
    assert len(sim.requests("GET", "/messages")) == asked
    assert (await now(sim, table)).place.table_message not in {None, after.place.table_message}
    sim.env.backend.advance_clock(posts.GIVEN_UP.total_seconds())
    with sim.env._bot_scope():
        await sim.bot.services.posts.tidy(table.id)
    assert await sim.bot.services.shown.posts(table.id) == []


async def test_a_notice_nobody_sends_any_more_is_kept_until_it_was_looked_for(sim: Sim, line: Line) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    assert table.place.thread is not None
    lost = line.lose("POST", sends(table.place.thread))
    await sim.turn((await sim.to_act(table))[0], table)
    assert (lost.hits, len(notices(sim, table))) == (1, 1)
    for owner in (sim.ada, sim.ben):  # nobody is told anything any more
        await sim.bot.tables.set_user(owner.id, notices="none")
    denied(sim, read_message_history=True)
    sim.env.backend.advance_clock(120)
    await sim.hurry(table, most=1)
    assert await intents(sim, table) == ["notice"]
    denied(sim)
    await sim.hurry(table, most=1)
    assert notices(sim, table) == []
    assert await intents(sim, table) == []


@pytest.mark.parametrize("hours", [-3, 3])
async def test_a_lost_board_is_found_though_the_computer_s_clock_is_wrong(
    sim: Sim, line: Line, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    real, wrong = sim.env.now, timedelta(hours=hours)
    monkeypatch.setattr(sim.clock, "now", lambda: real() + wrong)

    async def discord_answers() -> None:
        await requested(sim.bot.trace, 200, Date=format_datetime(real(), usegmt=True))

    await discord_answers()
    table = await covered(sim)
    await a_board_is_lost(sim, line, table)
    sim.env.backend.advance_clock(500)
    await discord_answers()
    await sim.hurry(table, most=1)
    await one_board_is_left(sim, table)


# ------------------------------------------------------------------------- how far is read


ME, CHANNEL = 7, 2
SINCE = datetime(2026, 3, 1, tzinfo=UTC)
FIRST = discord.utils.time_snowflake(SINCE) + 1


class History:
    """A channel of so many messages, the `mine` among them ours. reads: whether we may, None where it is not
    known."""

    def __init__(self, count: int, mine: tuple[int, ...] = (), reads: bool | None = True) -> None:
        self.clock = Hours()
        self.count, self.mine, self.reads = count, mine, reads
        self.asked = 0
        self.trouble: Exception | None = None
        self.place_asked: Result[Any] = Done(self)
        self.user = SimpleNamespace(id=ME)
        self.guild = SimpleNamespace(me=None if reads is None else self.user)
        self.http = self
        self.io = DiscordIO(self, self.clock)  # type: ignore[arg-type]
        self.io.place = self.place  # type: ignore[method-assign]

    async def place(self, channel: int) -> Result[Any]:
        return self.place_asked

    def permissions_for(self, me: Any) -> discord.Permissions:
        return discord.Permissions(read_message_history=bool(self.reads))

    async def logs_from(self, channel: int, limit: int, *, after: int) -> list[dict[str, Any]]:
        self.asked += 1
        if self.trouble is not None:
            raise self.trouble
        page = [FIRST + one for one in range(self.count) if FIRST + one > after][:limit]
        return [
            {"id": str(one), "author": {"id": ME if one - FIRST in self.mine else 9}, "content": ""}
            for one in reversed(page)
        ]

    async def find(self, ours: Callable[[Found], bool] = lambda _: True) -> list[int] | Why:
        found = await self.io.find(CHANNEL, SINCE, ours)
        return [one.id - FIRST for one in found.value] if isinstance(found, Done) else found.why


async def test_history_is_read_up_to_now() -> None:
    assert await History(250, (3, 130, 249)).find() == [3, 130, 249]
    assert await History(250, (3, 130, 249)).find(lambda one: one.id > FIRST + 3) == [130, 249]
    full = History(2 * HISTORY)
    assert (await full.find(), full.asked) == ([], 3)


async def test_more_than_is_read_is_no_proof_that_nothing_is_there() -> None:
    endless = History(PAGES * HISTORY + 1, (PAGES * HISTORY,))
    assert [await endless.find(), await endless.find()] == [Why.UNREAD] * 2
    assert endless.asked == PAGES
    assert await History(PAGES * HISTORY + 1, (PAGES * HISTORY - 1,)).find() == [PAGES * HISTORY - 1]


async def test_an_empty_history_tells_only_who_may_read_it() -> None:
    assert await History(0).find() == []
    assert await History(0, reads=None).find() is Why.UNREAD
    assert await History(1, reads=None).find() == []
    barred = History(5, (1,), reads=False)
    assert (await barred.find(), barred.asked) == (Why.UNREAD, 0)
    barred.reads = True  # as the cache has heard by now
    assert await barred.find() == [1]


async def test_a_history_that_is_refused_is_asked_for_once_an_hour_or_when_something_changes() -> None:
    channel = History(5, (1,))
    channel.trouble = refused(403, 50001)
    assert [await channel.find() for _ in range(3)] == [Why.FORBIDDEN] * 3
    assert channel.asked == 1
    channel.clock.time += UNREAD
    assert (await channel.find(), channel.asked) == (Why.FORBIDDEN, 2)
    channel.trouble = None
    channel.io.place_changed(CHANNEL + 1)
    assert await channel.find() is Why.FORBIDDEN
    channel.io.place_changed(CHANNEL)
    assert await channel.find() == [1]
    channel.trouble = refused(500, 0)
    assert [await channel.find() for _ in range(2)] == [Why.LATER] * 2  # trouble passes, and is asked again
    assert channel.asked == 5


async def test_a_channel_that_cannot_be_asked_for_could_not_be_looked_into() -> None:
    channel = History(5, (1,))
    for met in (Failed(Why.LATER), Failed(Why.FORBIDDEN, 50001)):
        channel.place_asked = met
        assert await channel.find() is met.why
    channel.place_asked = Done(channel)
    assert await channel.find() is Why.FORBIDDEN  # for a while
    channel.io.place_changed(CHANNEL)
    assert await channel.find() == [1]
    channel.place_asked, channel.io._unread = Done(None), {}  # type: ignore[assignment]
    gone = await channel.io.find(CHANNEL, SINCE, bool)
    assert isinstance(gone, Failed)
    assert gone.channel_gone


# ------------------------------------------------------------------------- whose a message is


async def found(sim: Sim, channel: int, message: int | None) -> Found:
    """A message of ours as the channel's history tells it."""
    since = sim.env.now() - timedelta(days=1)
    with sim.env._bot_scope():
        told = await sim.bot.services.io.find(channel, since, lambda one: one.id == message, private=True)
    assert isinstance(told, Done)
    return told.value[0]


async def namesake(sim: Sim, table: Table) -> MemberActor:
    """Somebody who is called as a table is."""
    user = sim.env.create_user("mallory", global_name=table.id)
    found: MemberActor = sim.guild.add_member(user)
    real = sim.who
    sim.who = lambda user: found if user == found.id else real(user)  # type: ignore[method-assign]
    return found


@pytest.mark.parametrize("over", swept([False, True]))
async def test_no_name_makes_a_message_another_table_s(sim: Sim, line: Line, over: bool) -> None:
    """A player of the second table is called like the first, which looks for its lost board."""
    table = await covered(sim)
    await a_board_is_lost(sim, line, table)
    mallory = await namesake(sim, table)
    other = await sim.started(mallory, sim.cleo, setup="sorted")
    if over:
        await mallory.slash(sim.channel, "table end", table=other.id)
    other = await now(sim, other)
    place = other.place
    message = (place.final_message if over else place.table_message) or 0
    told = text_of(sim.look(place.thread or place.channel, message))
    assert table.id in told
    sim.env.backend.advance_clock(120)
    await sim.turn((await sim.to_act(table))[0], table)
    await one_board_is_left(sim, table)
    assert text_of(sim.look(place.thread or place.channel, message)) == told
    assert (await now(sim, other)).place == place


async def test_a_lost_hand_is_not_the_same_person_s_hand_of_another_table(sim: Sim, line: Line) -> None:
    table = await game_of(sim, sim.ada, sim.ben)
    other = await game_of(sim, await namesake(sim, table), sim.ada)
    mine = table.seat_of(sim.ada.id), (await now(sim, other)).seat_of(sim.ada.id)
    assert mine[0] is not None
    assert mine[1] is not None
    dm = sim.ada.user.dm_channel.id
    sim.env.backend.delete_message(dm, mine[0].hand_message or 0)
    lost = line.lose("POST", sends(dm))
    await sim.hurry(table, most=1)
    assert lost.hits == 1
    sim.env.backend.advance_clock(120)
    await sim.hurry(table, most=2)
    seat, beside = [(await now(sim, one)).seat_of(sim.ada.id) for one in (table, other)]
    assert seat is not None
    assert beside is not None
    assert beside.hand_message == mine[1].hand_message
    hands = {letter.id: text_of(letter) for letter in direct_messages(sim, sim.ada)}
    assert set(hands) == {seat.hand_message, beside.hand_message}
    assert f"Table {other.id} ·" in hands[beside.hand_message or 0]


async def test_every_message_of_a_table_is_recognised_and_no_other(sim: Sim) -> None:
    other = await game_of(sim, sim.cleo, sim.dev)
    await sim.bot.tables.set_guild(sim.guild.id, threads=False)
    lobby = await sim.new(sim.ada, players=2)
    table = await sim.table(lobby)
    kinds = public_kind(table), public_kind(other)
    met = [await found(sim, sim.channel.id, lobby.id)]
    await sim.ben.click(lobby, label="Join")
    await sim.ada.click(sim.fresh(lobby), label="Start")
    await sim.turn((await sim.to_act(table))[0], table)
    place = (await now(sim, table)).place
    met.append(await found(sim, sim.channel.id, place.table_message))
    met.append(await found(sim, sim.channel.id, place.notice_message))
    await sim.ada.slash(sim.channel, "table end", table=table.id)
    met.append(await found(sim, sim.channel.id, place.table_message))
    assert [kinds[0](one) for one in met] == ["lobby", "table", "notice", "table"]
    assert [kinds[1](one) for one in met] == [None] * 4
    said, heading = met[2].texts[0], met[3].texts[0]
    assert [one.controls == () for one in met] == [False, False, False, True]
    for texts in ((f"{said} {table.id}",), (said, "more"), ("first", heading), ("first", said), ()):
        assert kinds[0](Found(1, texts, (), frozenset())) is None
    assert kinds[0](Found(1, (heading,), (f"pb:{other.id}:1:menu:",), frozenset())) is None


async def test_every_private_message_of_a_table_is_recognised_and_no_other(sim: Sim) -> None:
    for owner in (sim.ada, sim.ben):
        await sim.bot.tables.set_user(owner.id, notices="dm")
    first = await game_of(sim, sim.ada, sim.ben)
    table = await game_of(sim, sim.ada, sim.ben)
    every = [
        await found(sim, letter.channel.id, letter.id)
        for owner in (sim.ada, sim.ben)
        for letter in direct_messages(sim, owner)
    ]
    letters = [one for one in every if private_kind(table, "letter")(one) == "letter"]
    met = [one for one in every if one not in letters]
    assert letters
    assert all(private_kind(table, "hand")(one) is None for one in letters)
    kinds = [(private_kind(first, "hand")(one), private_kind(table, "hand")(one)) for one in met]
    assert set(kinds) == {("hand", None), (None, "hand")}
    bare = [Found(1, one.texts, (), frozenset()) for one in met]
    assert kinds == [(private_kind(first, "hand")(one), private_kind(table, "hand")(one)) for one in bare]


async def test_what_anything_points_at_is_nobody_s_leftover(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    other = await game_of(sim, sim.cleo, sim.dev)
    place, seat = other.place, other.seat_of(sim.cleo.id)
    assert seat is not None
    shown = sim.bot.services.shown
    meant = [(await shown.intend(table.id, kind, sim.channel.id))[0] for kind in ("table", "lobby")]
    before = await now(sim, table)
    for message in (place.lobby_message, place.table_message, seat.hand_message):
        assert message is not None
        await shown.leave_over(table.id, "table", sim.channel.id, message)
        assert await shown.pointed_at([1, message]) == {message}
        for kind in ("table", "hand"):  # a control of one table said to be on a message of another
            with sim.env._bot_scope():
                await sim.bot.services.posts.control_pressed(
                    table.id, kind, sim.channel.id, message, sim.ada.id
                )
    assert (await now(sim, table)).place == before.place
    assert set(await shown.posts(table.id)) == set(meant)
    await shown.leave_over(other.id, "table", sim.channel.id, 99)
    await shown.leave_over(table.id, "table", sim.channel.id, 99)
    assert set(await shown.posts(table.id)) == set(meant)
    assert await shown.pointed_at([]) == frozenset()
