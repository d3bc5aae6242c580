"""The bot itself timed out by a moderator: play goes on in private, and what is shown catches up."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from simcord.backend.serializers import member_payload

from bot.tables.model import Person, Table
from tests.sweeps import swept
from tests.tables.support import typed

from .lost import Line
from .sim import Sim, answer, entries, text_of
from .test_hands import direct_messages, game_of

HOUR = 3600


async def time_out(sim: Sim, until: datetime | None, *, told: bool = True) -> None:
    """A moderator does it. told: whether the gateway tells the bot; Discord does without the members intent,
    simcord does not, so what it would send goes to discord.py here."""
    backend, me = sim.env.backend, sim.env.backend.bot_user.id
    member = backend.edit_member(
        sim.guild.id, me, {"timed_out_until": None if until is None else until.isoformat()}
    )
    if told:
        payload: Any = dict(member_payload(backend, backend.get_guild(sim.guild.id), member))
        payload["guild_id"] = str(sim.guild.id)
        with sim.env._bot_scope():
            sim.bot._connection.parse_guild_member_update(payload)
    await sim.env.settle()


def refuse(sim: Sim, table: Table) -> None:
    """The next edit and the next message get 403: simcord lets edits of timed-out bots through."""
    channel = table.place.thread or table.place.channel
    for method, path in (("PATCH", "/messages/*"), ("POST", "/messages")):
        sim.env.inject_error(method, f"/channels/{channel}{path}", status=403, code=50013)


async def move(sim: Sim, table: Table) -> None:
    [actor, *_] = await sim.to_act(table)
    loaded = await sim.bot.tables.load(table.id)
    seat = loaded.table.seat_of(actor.id)
    assert seat is not None
    assert loaded.state is not None
    with sim.env._bot_scope():
        await typed(sim.bot.tables, table.id, Person(actor.id, "x"), loaded.state.legal(seat.index)[0])
    await sim.env.settle()


@pytest.mark.parametrize("told", swept([True, False]))
async def test_a_time_out_is_named_and_tables_catch_up_at_its_end(sim: Sim, told: bool) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    until = sim.clock.now() + timedelta(seconds=HOUR)
    await time_out(sim, until, told=told)
    asked = len(sim.requests("GET", f"/members/{sim.env.backend.bot_user.id}"))
    for _ in range(3):
        refuse(sim, table)
        await move(sim, table)
    repaints = sim.bot.services.repaints
    assert await sim.parked(table)
    again = len(sim.requests("GET", f"/members/{sim.env.backend.bot_user.id}")) - asked
    assert again == (0 if told else 1)
    [actor, *_] = await sim.to_act(table)
    refuse(sim, table)
    named = f"<t:{int(until.timestamp())}:R>"
    assert named in text_of(await sim.hand(actor, table))
    refused = await sim.ada.slash(sim.channel, "5vor12 new", players=2)
    assert named in answer(refused)
    assert refused.response is not None
    assert refused.response.ephemeral
    refusals = sim.bot.services.io.refusals
    channel = table.place.thread or table.place.channel
    refusals._left_alone[channel] = (until + timedelta(minutes=9), 50013)
    sim.env.backend.faults.clear()
    assert len(repaints._resumes) == 1  # not one more at every refusal
    await sim.env.advance_time(HOUR + 2.0)
    await sim.env.settle()
    assert refusals.refusal(channel) is None
    now = await sim.bot.tables.table(table.id)
    assert now.painted == now.revision


async def test_two_tables_refused_at_once_share_one_question(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As its tables ask when they are refused: who asks second is not told that nothing is known."""
    until = sim.clock.now() + timedelta(days=3)
    await time_out(sim, until, told=False)
    line, io, me = Line(sim), sim.bot.services.io, f"/members/{sim.env.backend.bot_user.id}"
    line.install(monkeypatch)
    asking, refused = asyncio.Event(), asyncio.Event()

    async def both(_: dict[str, Any]) -> None:
        asking.set()
        await refused.wait()

    line.during("GET", rf"/guilds/\d+{me}", both)

    async def told() -> datetime | None:
        await io.ask_timed_out(sim.guild.id)
        return io.timed_out(sim.guild.id)

    before = len(sim.requests("GET", me))
    with sim.env._bot_scope():
        first = asyncio.create_task(told())
        await asking.wait()
        second = asyncio.create_task(told())
        await asyncio.sleep(0)
        assert not second.done()
        refused.set()
        assert await asyncio.gather(first, second) == [until, until]  # type: ignore[comparison-overlap]
    assert len(sim.requests("GET", me)) == before + 1


async def test_a_question_that_hangs_holds_up_no_other_server(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = sim.env.create_guild("Elsewhere")
    await sim.env.settle()
    line, io = Line(sim), sim.bot.services.io
    line.install(monkeypatch)
    asking, hangs = asyncio.Event(), asyncio.Event()

    async def hang(_: dict[str, Any]) -> None:
        asking.set()
        await hangs.wait()

    line.during("GET", rf"/guilds/{sim.guild.id}/members/\d+", hang)
    with sim.env._bot_scope():
        slow = asyncio.create_task(io.ask_timed_out(sim.guild.id))
        await asking.wait()
        quick = asyncio.create_task(io.ask_timed_out(other.id))
        done, _ = await asyncio.wait({quick, asyncio.create_task(_turns(200))}, return_when="FIRST_COMPLETED")
        assert quick in done
        assert not slow.done()
        hangs.set()
        await slow


async def _turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_a_time_out_lifted_early_ends_at_once(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    await time_out(sim, sim.clock.now() + timedelta(days=3))
    refuse(sim, table)
    await move(sim, table)
    now = await sim.bot.tables.table(table.id)
    assert now.painted < now.revision
    sim.env.backend.faults.clear()
    refusals, channel = sim.bot.services.io.refusals, table.place.thread or table.place.channel
    refusals._left_alone[channel] = (sim.clock.now() + timedelta(minutes=9), 50013)
    await time_out(sim, None)
    assert refusals.refusal(channel) is None
    now = await sim.bot.tables.table(table.id)
    assert now.painted == now.revision


async def test_a_click_on_the_hand_in_direct_messages_names_it_too(sim: Sim) -> None:
    table = await game_of(sim, sim.ada, sim.ben)
    until = sim.clock.now() + timedelta(days=3)
    await time_out(sim, until)
    [actor, *_] = await sim.to_act(table)
    (hand,) = direct_messages(sim, actor)
    await sim.choose(actor.user, hand, entries(hand)[0])
    assert f"<t:{int(until.timestamp())}:R>" in text_of(sim.fresh(hand))
