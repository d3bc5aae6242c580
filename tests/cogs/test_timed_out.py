"""The bot itself timed out by a moderator: play goes on in private, and what is shown catches up."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.tables.model import Person

from .den import Den, text_of


async def test_a_time_out_is_named_and_tables_are_tried_again_when_it_ends(
    den: Den, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    until = den.clock.now() + timedelta(hours=1)
    monkeypatch.setattr(den.bot.house.io, "timed_out", lambda _: until if den.clock.now() < until else None)
    channel = table.place.thread or table.place.channel

    def refused() -> None:
        for method, path in (("PATCH", "/messages/*"), ("POST", "/messages")):
            den.env.inject_error(method, f"/channels/{channel}{path}", status=403, code=50013)

    refused()
    [actor] = await den.to_act(table)
    loaded = await den.bot.tables.load(table.id)
    seat = loaded.table.seat_of(actor.id)
    assert seat is not None
    assert loaded.state is not None
    with den.env._bot_scope():
        await den.bot.tables.typed(table.id, Person(actor.id, "x"), loaded.state.legal(seat.index)[0])
    await den.env.settle()
    assert den.bot.house.painter.is_parked(table.id)
    [actor, *_] = await den.to_act(table)
    refused()
    assert f"<t:{int(until.timestamp())}:R>" in text_of(await den.hand(actor, table))
    await den.env.settle()
    assert den.bot.house.painter.is_parked(table.id)
    before = len(den.env.http_requests)
    await den.env.advance_time(3602.0)
    await den.env.settle()
    assert any(str(channel) in request.path for request in den.env.http_requests[before:])
