"""The bot itself timed out by a moderator: play goes on in private, and what is shown catches up."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from simcord.backend.serializers import member_payload

from bot.tables.model import Person, Table

from .den import Den, answer, menus, text_of
from .lost import Line
from .test_hands import game_of, letters

HOUR = 3600


async def time_out(den: Den, until: datetime | None, *, told: bool = True) -> None:
    """A moderator does it. told: whether the gateway tells the bot; Discord does without the members intent,
    simcord does not, so what it would send goes to discord.py here."""
    backend, me = den.env.backend, den.env.backend.bot_user.id
    member = backend.edit_member(
        den.guild.id, me, {"timed_out_until": None if until is None else until.isoformat()}
    )
    if told:
        payload: Any = dict(member_payload(backend, backend.get_guild(den.guild.id), member))
        payload["guild_id"] = str(den.guild.id)
        with den.env._bot_scope():
            den.bot._connection.parse_guild_member_update(payload)
    await den.env.settle()


def refuse(den: Den, table: Table) -> None:
    """The next edit and the next message get 403: simcord lets edits of timed-out bots through."""
    channel = table.place.thread or table.place.channel
    for method, path in (("PATCH", "/messages/*"), ("POST", "/messages")):
        den.env.inject_error(method, f"/channels/{channel}{path}", status=403, code=50013)


async def move(den: Den, table: Table) -> None:
    [actor, *_] = await den.to_act(table)
    loaded = await den.bot.tables.load(table.id)
    seat = loaded.table.seat_of(actor.id)
    assert seat is not None
    assert loaded.state is not None
    with den.env._bot_scope():
        await den.bot.tables.typed(table.id, Person(actor.id, "x"), loaded.state.legal(seat.index)[0])
    await den.env.settle()


@pytest.mark.parametrize("told", [True, False])
async def test_a_time_out_is_named_and_tables_catch_up_at_its_end(den: Den, told: bool) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    until = den.clock.now() + timedelta(seconds=HOUR)
    await time_out(den, until, told=told)
    asked = len(den.requests("GET", f"/members/{den.env.backend.bot_user.id}"))
    for _ in range(3):
        refuse(den, table)
        await move(den, table)
    repaints = den.bot.services.repaints
    assert repaints.is_parked(table.id)
    again = len(den.requests("GET", f"/members/{den.env.backend.bot_user.id}")) - asked
    assert again == (0 if told else 1)
    [actor, *_] = await den.to_act(table)
    refuse(den, table)
    named = f"<t:{int(until.timestamp())}:R>"
    assert named in text_of(await den.hand(actor, table))
    refused = await den.ada.slash(den.channel, "5vor12 new", players=2)
    assert named in answer(refused)
    assert refused.response is not None
    assert refused.response.ephemeral
    refusals = den.bot.services.io.refusals
    channel = table.place.thread or table.place.channel
    refusals._left_alone[channel] = (until + timedelta(minutes=9), 50013)
    den.env.backend.faults.clear()
    assert len(repaints._resumes) == 1  # not one more at every refusal
    await den.env.advance_time(HOUR + 2.0)
    await den.env.settle()
    assert refusals.refusal(channel) is None
    now = await den.bot.tables.table(table.id)
    assert now.painted == now.revision


async def test_two_tables_refused_at_once_share_one_question(
    den: Den, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As its tables ask when they are refused: who asks second is not told that nothing is known."""
    until = den.clock.now() + timedelta(days=3)
    await time_out(den, until, told=False)
    line, io, me = Line(den), den.bot.services.io, f"/members/{den.env.backend.bot_user.id}"
    line.install(monkeypatch)
    asking, refused = asyncio.Event(), asyncio.Event()

    async def both(_: dict[str, Any]) -> None:
        asking.set()
        await refused.wait()

    line.during("GET", rf"/guilds/\d+{me}", both)

    async def told() -> datetime | None:
        await io.ask_timed_out(den.guild.id)
        return io.timed_out(den.guild.id)

    before = len(den.requests("GET", me))
    with den.env._bot_scope():
        first = asyncio.create_task(told())
        await asking.wait()
        second = asyncio.create_task(told())
        await asyncio.sleep(0)
        assert not second.done()
        refused.set()
        assert await asyncio.gather(first, second) == [until, until]  # type: ignore[comparison-overlap]
    assert len(den.requests("GET", me)) == before + 1


async def test_a_question_that_hangs_holds_up_no_other_server(
    den: Den, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = den.env.create_guild("Elsewhere")
    await den.env.settle()
    line, io = Line(den), den.bot.services.io
    line.install(monkeypatch)
    asking, hangs = asyncio.Event(), asyncio.Event()

    async def hang(_: dict[str, Any]) -> None:
        asking.set()
        await hangs.wait()

    line.during("GET", rf"/guilds/{den.guild.id}/members/\d+", hang)
    with den.env._bot_scope():
        slow = asyncio.create_task(io.ask_timed_out(den.guild.id))
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


async def test_a_time_out_lifted_early_ends_at_once(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    await time_out(den, den.clock.now() + timedelta(days=3))
    refuse(den, table)
    await move(den, table)
    now = await den.bot.tables.table(table.id)
    assert now.painted < now.revision
    den.env.backend.faults.clear()
    refusals, channel = den.bot.services.io.refusals, table.place.thread or table.place.channel
    refusals._left_alone[channel] = (den.clock.now() + timedelta(minutes=9), 50013)
    await time_out(den, None)
    assert refusals.refusal(channel) is None
    now = await den.bot.tables.table(table.id)
    assert now.painted == now.revision


async def test_a_click_on_the_hand_in_direct_messages_names_it_too(den: Den) -> None:
    table = await game_of(den, den.ada, den.ben)
    until = den.clock.now() + timedelta(days=3)
    await time_out(den, until)
    [actor, *_] = await den.to_act(table)
    (hand,) = letters(den, actor)
    custom, values = menus(hand)[0]
    await actor.user.select(hand, [values[0]], custom_id=custom)
    assert f"<t:{int(until.timestamp())}:R>" in text_of(den.fresh(hand))
