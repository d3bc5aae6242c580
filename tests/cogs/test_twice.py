"""Discord delivers an interaction twice (a replay when a connection is taken up again): one effect."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from cogs.input.router import Once

from .sim import Sim, answer, buttons, custom_id, text_of
from .tabletop import opened


@asynccontextmanager
async def delivered_twice(sim: Sim) -> AsyncIterator[list[Any]]:
    """Each interaction comes twice at once and a third time when all is done; what was delivered."""
    backend, came = sim.env.backend, []
    real: Callable[..., Any] = backend.emit

    def emit(name: str, payload: Any, *args: Any, **more: Any) -> Any:
        if name == "INTERACTION_CREATE" and payload["type"] != 4:  # autocomplete has no effect
            came.append(copy.deepcopy(payload))
            real(name, copy.deepcopy(payload), *args, **more)
        return real(name, payload, *args, **more)

    backend.emit = emit  # type: ignore[assignment, method-assign]
    try:
        yield came
    finally:
        backend.emit = real  # type: ignore[method-assign]
    for payload in came:
        real("INTERACTION_CREATE", payload)
    await sim.env.settle()


async def revisions(sim: Sim, table: str) -> list[str]:
    """Kinds of the stored changes of a table."""
    return [line.kind for line in await sim.bot.tables.history(table, None)]


async def test_new_opens_one_table(sim: Sim) -> None:
    async with delivered_twice(sim) as came:
        await sim.new(sim.ada, players=3)
    assert len(came) == 1
    assert len(await sim.bot.tables.tables_at(sim.guild.id)) == 1
    assert len(sim.messages(sim.channel.id)) == 1


async def test_a_lobby_button_counts_once(sim: Sim) -> None:
    lobby = await sim.new(sim.ada, players=4)
    table = await sim.table(lobby)
    async with delivered_twice(sim) as came:
        await sim.ada.click(lobby, label="+ Medium")
        await sim.ben.click(sim.fresh(lobby), label="Join")
        await sim.ada.click(sim.fresh(lobby), label="+ Medium")
        await sim.ada.click(sim.fresh(lobby), label="Remove computer")
        await sim.ada.click(sim.fresh(lobby), label="Start")
    assert len(came) == 5
    assert (await revisions(sim, table.id))[:6] == [
        "open", "add_computer", "join", "add_computer", "remove_computer", "start",
    ]  # fmt: skip


async def test_a_move_is_played_once_and_answered_once(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    actor = (await sim.to_act(table))[0]
    page = await sim.hand(actor, table)
    act = custom_id(page, "act")
    before = await sim.bot.tables.table(table.id)
    posts = len(sim.requests("POST", "/callback"))
    async with delivered_twice(sim):
        result = await sim.press(actor, page, act)
    assert "Played" in answer(result)
    now = await sim.bot.tables.table(table.id)
    assert now.revision == before.revision + 1
    assert len(sim.requests("POST", "/callback")) == posts + 1


async def test_a_typed_move_and_a_vote_count_once(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, sim.cleo, setup="sorted")
    actor = (await sim.to_act(table))[0]
    async with delivered_twice(sim):
        await sim.types(actor, sim.thread(table), "5vor12", move="draw")
        await actor.slash(sim.thread(table), "table vote", question="end")
        result = await actor.click(await sim.board(table), label="Menu")
        assert result.response is not None
        assert "Yes" in buttons(result.response)
    assert (await revisions(sim, table.id))[-2:] == ["move", "vote"]
    (vote,) = (await sim.bot.tables.table(table.id)).votes
    assert vote.yes == (actor.id,)


async def test_a_form_is_taken_once(sim: Sim) -> None:
    table = await opened(sim, "top12", sim.ada, sim.ben, players=2, first="host")
    for person in (sim.ada, sim.ben):
        await sim.types(person, sim.channel, "top12", move="10@A1 20@B1 30@C1 40@D1 50@E1")
    page = await sim.hand(sim.ada, table)
    before = (await sim.bot.tables.table(table.id)).revision
    posts = len(sim.requests("POST", "/callback"))
    async with delivered_twice(sim):
        shown = await sim.ada.click(page, label="Write a number …")
        result = await sim.ada.submit_modal(shown, {"text": "99"})
        assert "You wrote call 99." in (answer(result) or text_of(sim.fresh(page)))
        await sim.ada.click(sim.fresh(page), label="Play it")
    assert "Played" in text_of(sim.fresh(page))
    assert (await sim.bot.tables.table(table.id)).revision == before + 1
    assert len(sim.requests("POST", "/callback")) == posts + 3


def test_what_came_is_remembered_within_bounds() -> None:
    once = Once(most=3)
    assert [once.first(number) for number in (1, 2, 1, 3, 2, 3)] == [True, True, False, True, False, False]
    assert once.first(4)
    assert [once.first(number) for number in (2, 3, 4)] == [False, False, False]
    assert once.first(1), "the oldest is forgotten"
