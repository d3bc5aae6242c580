"""Top 12 at the table: start numbers in secret, numbers called, entries made at once, whole games."""

from __future__ import annotations

from copy import deepcopy
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.levels import Level
from bot.locale import LANGUAGES, sayer
from bot.players import choose
from bot.rules.chance import Generator
from bot.rules.game import Event, View, advance
from bot.rules.top12 import GAME, JOKER, LETTERS, START_NUMBERS, SYMBOLS, Top12View
from bot.tables.model import Table
from cogs.surfaces import steps
from cogs.top12 import Top12
from tests.sweeps import swept

from .sim import Sim, alt_texts, answer, buttons, controls, custom_ids, entries, text_of
from .tabletop import (
    TO_THE_END,
    Ears,
    bare,
    finished,
    fits_discord,
    opened,
    path,
    played_on,
    positions,
    reached,
    tap,
    taps,
)

COG = bare(Top12, GAME)
PAPER = cast("Table", SimpleNamespace(id="ZZZZZZ", revision=9_999_999_999))


def cleverly(view: View, chance: Generator) -> str:
    return choose("top12", view, chance, Level.EASY)


def leads(draft: str, move: str) -> bool:
    """Whether a draft of the set-up can become the move."""
    wanted = move.split(" ")
    return all(
        part in wanted or (part[-1:].isalpha() and any(one.startswith(part) for one in wanted))
        for part in draft.split(" ")
    )


# ------------------------------------------------------------------------------- steps


@pytest.mark.parametrize("players", swept([1, 2, 4], daily=(2,)))
def test_every_call_and_entry_is_reached_by_taps_and_nothing_else(players: int) -> None:
    largest = 0
    for state, seat in positions(GAME, players, {}, f"walk {players}", most=120):
        if not state.lists(seat):
            continue
        view = state.view(seat)
        check = fits_discord(COG, PAPER, view, sayer("de"))
        assert sorted(reached(COG, view, check)) == GAME.legal(view)
        largest = max(largest, len(GAME.legal(view)))
    assert largest == 100


def test_the_largest_choice_of_an_entry_is_reached_by_taps() -> None:
    """The joker with a number that fits in every free cell of all columns."""
    state = GAME.start(1, {})
    state.apply(Event("move", "10@A1 20@B1 30@C1 40@D1 50@E1", 0))
    for event in (Event("chance", "first 0"), Event("move", "call 99", 0), Event("chance", f"roll {JOKER}")):
        state.apply(event)
    view = state.view(0)
    assert len(GAME.legal(view)) == 55
    for language in LANGUAGES:
        assert sorted(reached(COG, view, fits_discord(COG, PAPER, view, sayer(language)))) == GAME.legal(view)


def test_every_set_up_is_reached_by_taps() -> None:
    """Of 29,859,840 set-ups a sample is followed through the steps, and each step has every cell."""
    state = GAME.start(2, {})
    view = state.view(0)
    check = fits_discord(COG, PAPER, view, sayer("de"))
    chance = Generator("set-up", "moves")
    for _ in range(150):
        move = state.random_move(0, chance)
        assert path(COG, view, move, leads) == 10  # nine choices (the last column is forced) and the yes
    draft, widths = "", []
    for _ in range(9):
        draft, step = steps.settle(COG.step, view, draft)
        check(draft, step)
        widths.append(len(step.entries))
        draft = chance.choice(step.entries).draft
    assert widths == [5, 12, 4, 12, 3, 12, 2, 12, 12]
    draft, step = steps.settle(COG.step, view, draft)
    GAME.check(view, step.move)
    undone = 0
    while (before := steps.back(COG.step, view, step)) is not None:
        draft, step = steps.settle(COG.step, view, before)
        undone += 1
    assert (draft, undone) == ("", 9)


def test_a_call_and_an_entry_take_two_taps_at_most() -> None:
    state = GAME.start(1, {})
    state.apply(Event("move", "10@A1 20@B3 30@C4 40@D5 50@E6", 0))
    advance(state, "three", 1)
    view = state.view(0)

    def tens(draft: str, move: str) -> bool:
        least, dash, most = draft.removeprefix("call ").partition("-")
        number = int(move.removeprefix("call "))
        return int(least) <= number <= int(most) if dash else draft == move

    assert {path(COG, view, move, tens) for move in GAME.legal(view)} == {2}
    for face in ("tree", JOKER):
        rolled = deepcopy(state)
        rolled.apply(Event("move", "call 99", 0))
        rolled.apply(Event("chance", f"roll {face}"))
        view = rolled.view(0)
        towards = lambda draft, move: move.startswith(draft)  # noqa: E731
        assert {path(COG, view, move, towards) for move in GAME.legal(view)} == {2}
    sentence = COG.step(view, "99@E").question.said(sayer("en"))
    assert sentence.endswith("⚠️ on a button: then that cell’s column can never be filled.")
    warned = [one for one in COG.step(view, "99@E").choices if one.emoji]
    assert [one.value for one in warned] == ["E7", "E8", "E9", "E10"]  # 101 is no number


def test_a_typed_move_is_suggested_part_by_part() -> None:
    state = GAME.start(1, {})
    view = state.view(0)
    assert COG.suggest(view, "") == [f"{number}@" for number in START_NUMBERS]
    assert COG.suggest(view, "10@a2 3") == ["10@A2 30@"]
    assert COG.suggest(view, "10@a2 30@") == [f"10@A2 30@{letter}" for letter in "BCDE"]
    assert COG.suggest(view, "10@A2 30@b1") == ["10@A2 30@B1", *(f"10@A2 30@B{row}" for row in (10, 11, 12))]
    assert COG.suggest(view, "10@A2 10@B") == []
    assert COG.suggest(view, "nonsense @@ 7") == []
    state.apply(Event("move", "10@A1 20@B1 30@C1 40@D1 50@E1", 0))
    state.apply(Event("chance", "first 0"))
    view = state.view(0)
    assert set(COG.suggest(view, "")) < set(GAME.legal(view))
    assert COG.suggest(view, "call 4")[:2] == ["call 4", "call 40"]
    assert COG.suggest(view, "c") == COG.suggest(view, "Call ") == COG.suggest(view, "")
    assert COG.suggest(view, "42") == ["call 42"]
    state.apply(Event("move", "call 99", 0))
    state.apply(Event("chance", f"roll {JOKER}"))
    view = state.view(0)
    assert COG.suggest(view, "") == [f"99@{letter}" for letter in "ABCDE"]
    assert COG.suggest(view, "99@b") == [f"99@B{row}" for row in range(2, 13)]
    assert COG.suggest(view, "b") == COG.suggest(view, "99@b")
    assert COG.suggest(view, "98@b") == []


# ------------------------------------------------------------------------------- at the table


async def written(sim: Sim, person: Any, table: Table, columns: str = "ABCDE", row: int = 5) -> Any:
    """The set-up by taps: each start number to its column, all in one row."""
    page = await sim.hand(person, table)
    for column in columns:
        if column != columns[-1]:
            page = await sim.choose(person, page, column)
        page = await sim.choose(person, page, f"{column}{row}")
    return page


async def test_the_start_numbers_are_written_in_secret_on_a_live_sheet(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await opened(sim, "top12", sim.ada, sim.ben, players=2)
    ears = Ears(monkeypatch)
    page = await written(sim, sim.ada, table, "BADCE")
    assert buttons(page) == ["Yes, write them", "Back"]
    assert "10 in B5" in alt_texts(page)[0]
    assert "20 in A5, 10 in B5, 40 in C5, 30 in D5, 50 in E5" in text_of(page)
    assert ears.other_than(sim.ada) == []
    await sim.ada.click(page, label="Yes, write them")
    page = sim.fresh(page)
    assert "Played" in text_of(page)
    assert "20 in A5" in alt_texts(page)[0]
    for _, (shown, files) in ears.other_than(sim.ada):
        assert "A5" not in shown
        assert all("A5" not in (alt or "") and "A 20" not in (alt or "") for _, alt, _ in files)
    assert "Have chosen: Ada." in alt_texts(await sim.board(table))[0]
    page = await written(sim, sim.ben, table)
    await sim.ben.click(page, label="Yes, write them")
    board = await sim.board(table)
    assert "Ada, columns from the top: A – – – – 20" in alt_texts(board)[0]
    for person in (sim.ada, sim.ben):
        assert person.user.dm_channel is None or sim.messages(person.user.dm_channel.id) == []


async def test_a_number_is_called_by_the_form_and_entered_by_everybody_at_once(sim: Sim) -> None:
    table = await opened(sim, "top12", sim.ada, sim.ben, players=2, first="host")
    for person in (sim.ada, sim.ben):
        await sim.types(person, sim.channel, "top12", move="10@A1 20@B1 30@C1 40@D1 50@E1")
    page = await sim.hand(sim.ada, table)
    assert buttons(page)[-1] == "Write a number …"
    assert len(entries(page)) == 10

    shown = await sim.ada.click(page, label="Write a number …")
    assert shown.modal is not None
    result = await sim.ada.submit_modal(shown, {"text": "0"})
    assert "There is no 0 in this game: its numbers go from 1 to 100." in answer(result)
    assert controls(sim.fresh(page), "write") != []

    late = await sim.ada.click(sim.fresh(page), label="Write a number …")
    shown = await sim.ada.click(sim.fresh(page), label="Write a number …")
    result = await sim.ada.submit_modal(shown, {"text": " 99 "})
    assert "You wrote call 99." in (answer(result) or text_of(sim.fresh(page)))
    await sim.ada.click(sim.fresh(page), label="Play it")
    assert "Played" in text_of(sim.fresh(page))
    seen = cast("Top12View", (await sim.bot.tables.view(table.id, None)).view)
    assert (seen.phase, seen.number) == ("enter", 99)
    assert set(await sim.to_act(table)) == {sim.ada, sim.ben}
    again = await sim.ada.submit_modal(late, {"text": "50"})
    assert "Played" not in answer(again)
    assert cast("Top12View", (await sim.bot.tables.view(table.id, None)).view).number == 99

    board = await sim.board(table)
    assert "The die shows: " in alt_texts(board)[0]
    page = await sim.hand(sim.ada, table)
    chance = Generator("entry", "taps")
    for _ in range(4):
        if controls(page, "way", "play"):
            page = await tap(sim, sim.ada, page, chance)
    assert "Have chosen: Ada." in alt_texts(await sim.board(table))[0]
    assert "99" not in alt_texts(await sim.board(table))[0].split("Ada, columns")[-1]
    page = await sim.hand(sim.ben, table)
    for _ in range(4):
        if controls(page, "way", "play"):
            page = await tap(sim, sim.ben, page, chance)
    opened_round = cast("Top12View", (await sim.bot.tables.view(table.id, None)).view)
    assert opened_round.phase == "call"
    assert opened_round.last is not None
    assert "99" in alt_texts(await sim.board(table))[0].split("Ada, columns")[-1]
    assert await sim.to_act(table) == [sim.ben]
    assert "Take back" not in buttons(await sim.hand(sim.ben, table))  # an opened round stays open


async def test_a_number_is_called_by_tens_and_units(sim: Sim) -> None:
    table = await opened(sim, "top12", sim.ada, players=1)
    await sim.types(sim.ada, sim.channel, "top12", move="10@A1 20@B1 30@C1 40@D1 50@E1")
    page = await sim.hand(sim.ada, table)
    page = await sim.choose(sim.ada, page, "41-50")
    assert buttons(page) == [*(str(number) for number in range(41, 51)), "Back", "Hint"]
    assert "Your columns that take it: 41–50: A B C D" in text_of(page)
    await sim.ada.click(page, label="42")
    seen = cast("Top12View", (await sim.bot.tables.view(table.id, None)).view)
    assert seen.rolls == 1


# ------------------------------------------------------------------------------- whole games


async def test_alone_to_the_title(sim: Sim) -> None:
    table = await opened(sim, "top12", sim.ada, players=1)
    await taps(sim, table, 20, "alone")
    await finished(sim, table, cleverly)
    told = text_of(await sim.final(table))
    seen = cast("Top12View", (await sim.bot.tables.view(table.id, None)).view)
    assert "The game is over." in told
    assert f"{seen.rolls} rolls" in told
    assert "title" in told


@TO_THE_END
async def test_four_people(sim: Sim, whole: bool) -> None:
    table = await opened(sim, "top12", sim.ada, sim.ben, sim.cleo, sim.dev, players=4)
    await taps(sim, table, 50, "four")
    await played_on(sim, table, cleverly, whole)


@TO_THE_END
async def test_with_a_computer(sim: Sim, whole: bool) -> None:
    table = await opened(sim, "top12", sim.ada, players=2, computers=1)
    await taps(sim, table, 16, "computer")
    await played_on(sim, table, cleverly, whole)


@TO_THE_END
async def test_with_closed_direct_messages(sim: Sim, whole: bool) -> None:
    """Top 12 hides nothing after the set-up, so nothing is sent by direct message at all."""
    for person in (sim.ada, sim.ben):
        sim.env.inject_error(
            "POST", f"/channels/{person.user.dm_channel.id}/messages", status=403, code=50007
        )
    table = await opened(sim, "top12", sim.ada, sim.ben, players=2)
    page = await sim.hand((await sim.to_act(table))[0], table)
    assert "direct messages" not in text_of(page)
    await taps(sim, table, 24, "closed")
    await played_on(sim, table, cleverly, whole)
    assert sim.requests("POST", "/users/@me/channels") == []


@TO_THE_END
async def test_over_a_restart(sim: Sim, whole: bool) -> None:
    table = await opened(sim, "top12", sim.ada, sim.ben, sim.cleo, players=3)
    page = await sim.hand(sim.ben, table)
    chance = Generator("restart", "taps")
    for _ in range(4):
        page = await tap(sim, sim.ben, page, chance)
    before = await sim.bot.tables.table(table.id)
    await sim.restart()
    assert await sim.bot.tables.table(table.id) == before
    for _ in range(6):
        page = await tap(sim, sim.ben, page, chance)
    assert "Played" in text_of(page)
    shown = custom_ids(page)
    assert not any(":play:" in custom for custom in shown)
    await taps(sim, table, 24, "after")
    await played_on(sim, table, cleverly, whole)


async def test_who_cannot_enter_a_number_is_told_so_and_so_is_everybody_else(sim: Sim) -> None:
    table = await opened(sim, "top12", sim.ada, sim.ben, sim.cleo, players=3, first="host")
    starts = {sim.ada: (2, 2, 2, 2, 2), sim.ben: (1, 1, 1, 1, 1), sim.cleo: (3, 3, 3, 3, 3)}
    for person, rows in starts.items():
        cells = zip(START_NUMBERS, "ABCDE", rows, strict=True)
        move = " ".join(f"{number}@{column}{row}" for number, column, row in cells)
        await sim.types(person, sim.channel, "top12", move=move)
    panel = await sim.hand(sim.ben, table)
    await sim.types(sim.ada, sim.channel, "top12", move="call 5")
    seen = cast("Top12View", (await sim.bot.tables.view(table.id, None)).view)
    assert seen.actors == (0, 2)

    said = "You cannot enter the 5: it fits no free cell"
    panel = sim.fresh(panel)
    assert said in text_of(panel)
    assert "You cannot enter it" in alt_texts(panel)[0]
    assert "Enter it in" not in alt_texts(panel)[0]
    assert "**Ben:** start numbers written; could not enter 5" in text_of(await sim.board(table))
    assert "Cannot enter it: Ben." in alt_texts(await sim.board(table))[0]
    assert "; could not enter 5" in text_of(await sim.hand(sim.cleo, table))
    for person in (sim.ben, sim.cleo):
        result = await person.click(await sim.board(table), label="As text")
        assert "Cannot enter it: Ben." in answer(result)
    history = answer(await sim.cleo.slash(sim.thread(table), "table history"))
    assert "The die shows" in history.partition("Ben cannot enter the number.")[0]
    assert "Ben cannot enter the number." in history

    column = "A" if seen.face == JOKER else LETTERS[SYMBOLS.index(seen.face)]
    for person in (sim.ada, sim.cleo):
        await sim.types(person, sim.channel, "top12", move=f"5@{column}1")
    assert "**You:** could not enter 5" in text_of(await sim.hand(sim.ben, table))
    assert "Ben could not enter it" in alt_texts(await sim.board(table))[0]
