"""5 vor 12 at the table, from the slash command to the final board."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest

from bot.rules import record as records
from bot.rules.chance import Generator
from bot.rules.fivetotwelve import GAME
from bot.tables.model import Status
from cogs.fivetotwelve import FiveToTwelve
from cogs.surfaces import steps

from .den import Den, alt_texts, answer, buttons, choosable, custom_ids, links, menus, text_of

MakeDen = Callable[..., Awaitable[Den]]


async def test_two_people_play_a_whole_game_by_clicks(den: Den) -> None:
    table = await den.started(den.ada, den.ben)
    assert table.status is Status.PLAYING
    board = await den.board(table)
    assert buttons(board) == ["Your move", "As text", "Menu"]
    assert len(alt_texts(board)) == 1

    table = await den.play(table)

    assert table.status is Status.ENDED
    assert table.outcome is not None
    board = await den.board(table)
    assert custom_ids(board) == []
    assert "win" in text_of(board)
    assert len(board.attachments) == 1
    lobby = await den.lobby(table)
    assert custom_ids(lobby) == []
    assert links(lobby) == [
        f"https://discord.com/channels/{den.guild.id}/{table.place.thread}/{table.place.table_message}"
    ]


async def test_a_table_with_a_computer_goes_on_after_a_restart_by_its_old_buttons(den: Den) -> None:
    table = await den.started(den.ada, den.ben, players=3, computers=1, setup="sorted", bruno=True)
    for _ in range(4):
        await den.turn((await den.to_act(table))[0], table)
    old_board = await den.board(table)
    person = (await den.to_act(table))[0]
    old_page = await den.hand(person, table)
    before = await den.bot.tables.table(table.id)

    await den.restart()

    assert await den.bot.tables.table(table.id) == before
    page = await den.step(person, old_page, reveal=True)
    assert "Played" in text_of(page)
    assert (await den.bot.tables.table(table.id)).revision > before.revision
    result = await den.ben.click(old_board, label="As text")
    assert "Board of Ada" in answer(result)

    table = await den.hurry(table)
    assert table.status is Status.ENDED
    written = json.loads(await den.bot.tables.record(table.id))
    assert records.verify(json.dumps(written).encode()).fault is None
    assert table.outcome is not None
    assert written["outcome"]["scores"] == list(table.outcome.scores)


async def test_four_people_lay_their_set_up_at_the_same_time_in_any_order(den: Den) -> None:
    people = [den.ada, den.ben, den.cleo, den.dev]
    table = await den.started(*people, setup="free")
    pages = {person.id: await den.hand(person, table) for person in people}
    for person in reversed(people):  # the pages were all opened before anybody laid a tile
        page = pages[person.id]
        for _ in range(5):
            if not choosable(page) or "Reveal" in " ".join(buttons(page)):
                break
            page = await den.step(person, page)
        assert "Played" in text_of(page)
    seen = await den.bot.tables.view(table.id, None)
    assert seen.view is not None
    assert len(seen.view.actors) == 1
    first = den.who(seen.table.seats[seen.view.actors[0]].user)
    assert await den.to_act(table) == [first]


async def test_a_tile_from_the_middle_takes_three_taps(den: Den) -> None:
    table = await den.started(den.ada, den.ben, setup="sorted")
    for _ in range(6):  # until something lies in the middle
        actor = (await den.to_act(table))[0]
        page = await den.hand(actor, table)
        if menus(page):
            break
        page = await den.step(actor, page)
        while "Leave it in the middle" in buttons(page):
            await actor.click(page, label="Leave it in the middle")
            page = den.fresh(page)
    actor = (await den.to_act(table))[0]
    page = await den.hand(actor, table)
    revision = (await den.bot.tables.table(table.id)).revision
    custom, tiles = menus(page)[0]
    await actor.select(page, [tiles[0]], custom_id=custom)
    page = den.fresh(page)
    if menus(page):  # several cells fit
        custom, cells = menus(page)[0]
        await actor.select(page, [cells[0]], custom_id=custom)
        page = den.fresh(page)
        await actor.click(page, label="Back")
        assert menus(den.fresh(page))[0][1] == cells
        assert menus(den.fresh(page))[0][0] != custom  # the same entry can be chosen again
        await actor.select(den.fresh(page), [cells[0]], custom_id=menus(den.fresh(page))[0][0])
        page = den.fresh(page)
    assert (await den.bot.tables.table(table.id)).revision == revision
    await actor.click(page, label="Play it")
    assert (await den.bot.tables.table(table.id)).revision > revision


async def test_a_move_can_be_typed_with_suggestions(den: Den) -> None:
    table = await den.started(den.ada, den.ben)
    suggested = await den.ada.autocomplete(den.channel, "5vor12 move", "move", "")
    moves = [choice["value"] for choice in suggested]
    seen = await den.bot.tables.view(table.id, den.ada.id)
    assert seen.view is not None
    assert moves == GAME.legal(seen.view)  # type: ignore[arg-type]
    narrowed = await den.ada.autocomplete(den.channel, "5vor12 move", "move", moves[0][:-1].lower())
    assert {choice["value"] for choice in narrowed} <= set(moves)
    result = await den.ada.slash(den.channel, "5vor12 move", move=moves[0].lower())
    assert "Played" in answer(result)
    result = await den.ada.slash(den.channel, "5vor12 move", move="hello")
    assert "not a move" in answer(result)
    assert await den.cleo.autocomplete(den.channel, "5vor12 move", "move", "") == []
    result = await den.cleo.slash(den.channel, "5vor12 move", move="draw")
    assert "which table" in answer(result)
    result = await den.cleo.slash(den.channel, "5vor12 move", move="draw", table=table.id)
    assert "You are not playing this game at the table" in answer(result)


async def test_the_rules_are_read_section_by_section(den: Den) -> None:
    result = await den.ada.slash(den.channel, "5vor12 rules")
    assert result.response is not None
    assert result.response.ephemeral
    page = result.response.message
    assert "Part 1 of" in text_of(page)
    await den.ada.click(page, label="Go on")
    assert "Part 2 of" in text_of(den.fresh(page))
    await den.ada.click(den.fresh(page), label="Back")
    assert "Part 1 of" in text_of(den.fresh(page))


@pytest.mark.parametrize("setup", ["one-by-one", "free", "sorted"])
@pytest.mark.parametrize("seed", range(3))
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
