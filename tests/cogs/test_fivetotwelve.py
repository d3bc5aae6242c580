"""5 vor 12 at the table, from the slash command to the final board."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from bot.locale import sayer
from bot.rules import record as records
from bot.rules.chance import Generator
from bot.rules.fivetotwelve import GAME
from bot.tables.model import Status
from cogs.fivetotwelve import FiveToTwelve
from cogs.surfaces import steps
from tests.sweeps import swept

from .sim import Sim, alt_texts, answer, buttons, choosable, custom_ids, entries, links, text_of

MakeSim = Callable[..., Awaitable[Sim]]


async def test_two_people_play_a_whole_game_by_clicks(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben)
    assert table.status is Status.PLAYING
    board = await sim.board(table)
    assert buttons(board) == ["Your move", "As text", "Menu"]
    assert len(alt_texts(board)) == 1

    table = await sim.play(table)

    assert table.status is Status.ENDED
    assert table.outcome is not None
    board = await sim.board(table)
    assert custom_ids(board) == []
    assert "win" in text_of(await sim.final(table))
    assert len(board.attachments) == 1
    lobby = await sim.lobby(table)
    assert custom_ids(lobby) == []
    assert links(lobby) == [
        f"https://discord.com/channels/{sim.guild.id}/{table.place.thread}/{table.place.table_message}"
    ]


async def test_a_table_with_a_computer_goes_on_after_a_restart_by_its_old_buttons(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, players=3, computers=1, setup="sorted", bruno=True)
    for _ in range(4):
        await sim.turn((await sim.to_act(table))[0], table)
    old_board = await sim.board(table)
    person = (await sim.to_act(table))[0]
    old_page = await sim.hand(person, table)
    await sim.env.advance_time(121)  # until then they are at the table and need no notice
    before = await sim.bot.tables.table(table.id)

    await sim.restart()

    assert await sim.bot.tables.table(table.id) == before
    page = await sim.step(person, old_page, reveal=True)
    assert "Played" in text_of(page)
    assert (await sim.bot.tables.table(table.id)).revision > before.revision
    result = await sim.ben.click(old_board, label="As text")
    assert "Board of Ada" in answer(result)

    table = await sim.hurry(table)
    assert table.status is Status.ENDED
    written = json.loads(await sim.bot.tables.record(table.id))
    assert records.verify(json.dumps(written).encode()).fault is None
    assert table.outcome is not None
    assert written["outcome"]["scores"] == list(table.outcome.scores)


async def test_four_people_lay_their_set_up_at_the_same_time_in_any_order(sim: Sim) -> None:
    people = [sim.ada, sim.ben, sim.cleo, sim.dev]
    table = await sim.started(*people, setup="free")
    pages = {person.id: await sim.hand(person, table) for person in people}
    for person in reversed(people):  # the pages were all opened before anybody laid a tile
        page = pages[person.id]
        for _ in range(5):
            if not choosable(page) or "Reveal" in " ".join(buttons(page)):
                break
            page = await sim.step(person, page)
        assert "Played" in text_of(page)
    seen = await sim.bot.tables.view(table.id, None)
    assert seen.view is not None
    assert len(seen.view.actors) == 1
    first = sim.who(seen.table.seats[seen.view.actors[0]].user)
    assert await sim.to_act(table) == [first]


async def test_a_tile_from_the_middle_takes_three_taps(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    for _ in range(6):  # until something lies in the middle
        actor = (await sim.to_act(table))[0]
        page = await sim.hand(actor, table)
        if entries(page):
            break
        page = await sim.step(actor, page)
        while "Leave it in the middle" in buttons(page):
            await actor.click(page, label="Leave it in the middle")
            page = sim.fresh(page)
    actor = (await sim.to_act(table))[0]
    page = await sim.hand(actor, table)
    revision = (await sim.bot.tables.table(table.id)).revision
    page = await sim.choose(actor, page, entries(page)[0])
    if cells := entries(page):  # several fit
        page = await sim.choose(actor, page, cells[0])
        await actor.click(page, label="Back")
        page = sim.fresh(page)
        assert entries(page) == cells
        page = await sim.choose(actor, page, cells[0])
    assert (await sim.bot.tables.table(table.id)).revision == revision
    await actor.click(page, label="Play it")
    assert (await sim.bot.tables.table(table.id)).revision > revision


async def test_a_move_can_be_typed_with_suggestions(sim: Sim) -> None:
    table = await sim.started(sim.ada, sim.ben)
    suggested = await sim.ada.autocomplete(sim.channel, "5vor12 move", "move", "")
    moves = [choice["value"] for choice in suggested]
    seen = await sim.bot.tables.view(table.id, sim.ada.id)
    assert seen.view is not None
    assert moves == GAME.legal(seen.view)  # type: ignore[arg-type]
    narrowed = await sim.ada.autocomplete(sim.channel, "5vor12 move", "move", moves[0][:-1].lower())
    assert {choice["value"] for choice in narrowed} <= set(moves)
    result = await sim.types(sim.ada, sim.channel, "5vor12", move="hello")
    assert "I cannot read that as a move." in answer(result)
    result = await sim.types(sim.ada, sim.channel, "5vor12", move=moves[0].lower())
    assert "Played" in answer(result)
    assert await sim.cleo.autocomplete(sim.channel, "5vor12 move", "move", "") == []
    result = await sim.types(sim.cleo, sim.channel, "5vor12", move="draw")
    assert "which table" in answer(result)
    result = await sim.types(sim.cleo, sim.channel, "5vor12", move="draw", table=table.id)
    assert "You are not playing this game at the table" in answer(result)


async def test_the_rules_are_read_section_by_section(sim: Sim) -> None:
    result = await sim.ada.slash(sim.channel, "5vor12 rules")
    assert result.response is not None
    assert result.response.ephemeral
    page = result.response.message
    assert "5 vor 12 in short" in text_of(page)
    shown = alt_texts(page)
    assert [alt.startswith("✓ Allowed. 14 on ") for alt in shown] == [True, False, True, False]
    assert [alt.startswith("✗ Not allowed. 14 on ") for alt in shown] == [False, True, False, True]
    await sim.ada.click(page, label="All the rules")
    assert "Part 1 of" in text_of(sim.fresh(page))
    assert alt_texts(sim.fresh(page)) == []
    await sim.ada.click(sim.fresh(page), label="Go on")
    assert "Part 2 of" in text_of(sim.fresh(page))
    await sim.ada.click(sim.fresh(page), label="Back")
    await sim.ada.click(sim.fresh(page), label="Back")
    assert alt_texts(sim.fresh(page)) == shown


def test_what_is_asked_names_only_what_can_be_done() -> None:
    cog = FiveToTwelve.__new__(FiveToTwelve)
    cog.game = GAME
    say = sayer("en")
    state = GAME.start(2, {"setup": "sorted", "first": "host"})
    while state.chance_due():
        state.apply(state.draw(Generator("asked", str(state.actors()))))
    view = replace(state.view(0), middle=(5, 9))
    assert view.phase == "turn"
    assert cog.step(view, "").question.said(say) == "Reveal a tile, or take one from the middle?"
    alone = cog.step(replace(view, middle=()), "").question.said(say)
    assert alone == "Nothing in the middle can be taken: you reveal a tile."


def test_a_whole_set_up_is_confirmed_in_words() -> None:
    cog = FiveToTwelve.__new__(FiveToTwelve)
    cog.game = GAME
    state = GAME.start(2, {"setup": "free", "first": "host"})
    while state.chance_due():
        state.apply(state.draw(Generator("words", str(state.actors()))))
    view = state.view(state.actors()[0])
    move = GAME.legal(view)[0]
    first = move.partition(" ")[0].replace("@", " auf ")
    asked = cog.step(view, move).question.said(sayer("de"))
    assert asked.startswith(f"{first}, ")
    assert asked.endswith(" legen?")
    assert "@" not in asked


@pytest.mark.parametrize("setup", ["one-by-one", "free", "sorted"])
@pytest.mark.parametrize("seed", swept(range(3)))
def test_every_legal_move_is_reached_by_taps_and_nothing_else(setup: str, seed: int) -> None:
    """Walks the whole tree of steps at every decision of a random game."""
    cog = FiveToTwelve.__new__(FiveToTwelve)
    cog.game = GAME
    state = GAME.start(3, {"setup": setup, "bruno": True})
    chance = Generator(str(seed), "moves")
    largest = 0
    for index in range(120):
        if state.outcome() is not None:
            break
        if state.chance_due():
            state.apply(state.draw(Generator(str(seed), f"event:{index}")))
            continue
        seat = chance.choice(state.actors())
        view = state.view(seat)
        found: list[str] = []
        open_drafts = [""]
        while open_drafts:
            _, step = steps.settle(cog.step, view, open_drafts.pop())
            largest = max(largest, len(step.entries))
            if step.move:
                found.append(step.move)
            before = steps.back(cog.step, view, step)
            if before is not None:
                assert steps.settle(cog.step, view, before)[0] == before
            for choice in step.choices:
                (found if choice.act else open_drafts).append(choice.draft)
        assert sorted(found) == GAME.legal(view)
        from bot.rules.game import Event

        state.apply(Event("move", state.random_move(seat, chance), seat))
    assert 1 < largest <= 25
