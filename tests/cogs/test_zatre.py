"""Zatre at the table: turns laid by taps, tiles kept private, pairs, whole games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from simcord.actors import MemberActor

from bot.locale import LANGUAGES, sayer
from bot.rules.chance import Generator
from bot.rules.game import Event, OptionValue, State, View
from bot.rules.zatre import (
    CELLS,
    EMPTY,
    GAME,
    INDEX,
    KEEP,
    NAMES,
    TOTAL,
    VALUES,
    WIDTH,
    Layout,
    ZatreState,
    ZatreView,
    greedy_turn,
    next_placements,
    parse_placements,
    placements_text,
    preview,
    worth_words,
)
from bot.tables.model import Person, Table
from cogs.surfaces import steps
from cogs.surfaces.steps import ENTRIES
from cogs.zatre import Zatre, spans
from tests.rules.conformance import Case
from tests.rules.worlds import other_world
from tests.sweeps import swept_rows
from tests.tables.support import typed as typed_move

from .sim import Sim, acting, alt_texts, answer, buttons, controls, entries, text_of
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
    replay,
    tap,
    taps,
)

COG = bare(Zatre, GAME)
PAPER = cast("Table", SimpleNamespace(id="ZZZZZZ", revision=9_999_999_999))
CLUB: dict[str, OptionValue] = {"laying": "club"}
PAIRS: dict[str, OptionValue] = {"partners": True}


def at_turn(
    board: str, held: Sequence[int], *, bag: int = 40, must_lay: bool = False, options: Any = None
) -> ZatreView:
    """A turn of seat 0 of two with this board (placements) and these tiles."""
    state = GAME.start(2, options or {})
    for event in (Event("chance", "lots 5 2"), Event("chance", "draw 1 4", 0)):
        state.apply(event)
    tiles = bytearray(EMPTY)
    for cell, value in parse_placements(board) if board else ():
        tiles[cell] = value
    return replace(
        state.view(0),
        board=bytes(tiles),
        held=tuple(sorted(held)),
        hands=(tuple(sorted(held)), None),
        counts=(len(held), 0),
        bag=bag,
        must_lay=must_lay,
    )


def greedy(view: View, chance: Generator) -> str:
    """Lays what it can, so that games are short."""
    assert isinstance(view, ZatreView)
    return greedy_turn(view.to_turn())


def order(view: ZatreView, move: str) -> list[str]:
    """The placements of a turn in an order in which each touches what lies."""
    left = list(parse_placements(move))
    laid: list[tuple[int, int]] = []
    while left:
        allowed = next_placements(view, placements_text(laid) if laid else "")
        laid.append(next(place for place in left if place in allowed))
        left.remove(laid[-1])
    return [f"{value}@{NAMES[cell]}" for cell, value in laid]


def leading_to(view: ZatreView, move: str) -> Callable[[str, str], bool]:
    """Whether a draft is on the way to the move, its tiles laid in `order`."""
    wanted = [] if move == KEEP else order(view, move)

    def leads(draft: str, _: str) -> bool:
        if KEEP in (draft, move):
            return draft == move
        words = draft.split()
        if words[-1].partition("@")[2] in INDEX:
            return words == wanted[: len(words)]
        if words[:-1] != wanted[: len(words) - 1] or len(words) > len(wanted):
            return False
        if words[-1] == "+":
            return True
        tile, _, rows = words[-1].partition("@")
        next_tile, _, cell = wanted[len(words) - 1].partition("@")
        first, _, last = rows.partition("-")
        return tile == next_tile and (not rows or int(first) <= int(cell[1:]) <= int(last or first))

    return leads


def english(view: View, draft: str) -> str:
    """The question asked there."""
    return steps.settle(COG.step, view, draft)[1].question.said(sayer("en"))


# ------------------------------------------------------------------------------- steps


@pytest.mark.parametrize(("players", "options"), swept_rows([(2, {}), (3, CLUB), (4, PAIRS)]))
def test_every_legal_move_is_reached_by_taps_and_nothing_else(
    players: int, options: dict[str, OptionValue]
) -> None:
    walked = 0
    for number, (state, seat) in enumerate(positions(GAME, players, options, f"walk {players}", most=80)):
        legal = state.legal(seat) if state.lists(seat) else []
        if number % 8 or not 0 < len(legal) < 200:
            continue
        view = state.view(seat)
        assert sorted(reached(COG, view, fits_discord(COG, PAPER, view, sayer("de")))) == sorted(legal)
        walked += 1
    assert walked > 2


def test_the_opening_is_laid_tile_by_tile_from_the_red_cell() -> None:
    for held in ((1, 4, 5), (3, 3, 3), (4, 6, 6)):
        view = at_turn("", held)
        for language in LANGUAGES:
            check = fits_discord(COG, PAPER, view, sayer(language))
            assert sorted(reached(COG, view, check)) == GAME.legal(view)
    view = at_turn("", (1, 4, 5))
    assert english(view, "") == "You open. Which tile goes on the red cell H8?"
    assert "opening lays all 3" in english(view, "4@H8")


def sparse(seed: str, players: int) -> Iterator[ZatreView]:
    """Every turn of a game in which one tile at a time is laid, and sometimes none: boards spread out, and
    more tiles are held than usual."""
    state, chance = GAME.start(players, {}), Generator(seed, "moves")
    for number in range(400):
        if state.outcome() is not None:
            return
        if state.chance_due():
            state.apply(state.draw(Generator(seed, f"event:{number}")))
            continue
        (seat,) = state.actors()
        view = state.view(seat)
        yield view
        places = next_placements(view, "")
        some = [placements_text([chance.choice(places)]) for _ in range(8 if places else 0)]
        moves = [move for move in [KEEP] * (chance.below(4) == 0) + some if preview(view, move).legal]
        state.apply(Event("move", moves[0] if moves else state.stand_in(seat), seat))


@pytest.mark.long
def test_moves_of_the_largest_lists_are_reached_by_taps_within_discords_limits() -> None:
    """Of many games the turns with most tiles and places for them, which have the longest lists."""
    turns = [
        (len(next_placements(view, "")) ** len(view.held), view)
        for seed in range(10)
        for view in sparse(str(seed), 2 + seed % 5)
    ]
    turns.sort(key=lambda one: -one[0])
    chance = Generator("largest", "moves")
    lengths = []
    widest = turns[0][1]
    for view in (widest, turns[1][1], replace(widest, held=(1, 2, 3))):
        legal = GAME.legal(view)
        lengths.append(len(legal))
        for language in LANGUAGES:
            check = fits_discord(COG, PAPER, view, sayer(language))
            for draft in ("", *(one.draft for one in COG.step(view, "").entries[::4])):
                check(*steps.settle(COG.step, view, draft))
        for move in {chance.choice(legal) for _ in range(25)}:
            count = path(COG, view, move, leading_to(view, move))
            assert count <= 2 if move == KEEP else count <= 2 * len(parse_placements(move)) + 1
    assert lengths[0] > 600
    assert lengths[2] > 10_000


def test_a_turn_of_one_tile_takes_three_taps_at_most_and_of_two_five() -> None:
    found = 0
    chance = Generator("two", "moves")
    for state, seat in positions(GAME, 2, {}, "three", most=40):
        view = cast("ZatreView", state.view(seat))
        if view.opening:
            continue
        for cell, value in next_placements(view, ""):
            move = placements_text([(cell, value)])
            if preview(view, move).legal:
                assert path(COG, view, move, leading_to(view, move)) <= 3
                found += 1
        if preview(view, KEEP).legal:
            assert path(COG, view, KEEP, leading_to(view, KEEP)) <= 2
        for move in {chance.choice(GAME.legal(view)) for _ in range(12)}:
            tiles = len(parse_placements(move)) if move != KEEP else 1
            assert path(COG, view, move, leading_to(view, move)) <= 2 * tiles + 1
    assert found > 250


def test_rows_stand_together_where_they_would_be_too_many() -> None:
    everywhere = [(cell, value) for value in (2, 3) for cell in CELLS if cell // WIDTH > 2]
    offered = spans(everywhere)
    assert len(offered) == 24
    assert {span.rows[0] - span.rows[1] for span in offered} == {0}
    some = [(cell, value) for value in VALUES for cell in CELLS[::4]]
    offered = spans(some)
    assert 6 < len(offered) <= ENTRIES
    assert all(0 < len(span.cells) <= ENTRIES for span in offered)
    assert [(cell, span.tile) for span in offered for cell in span.cells] == some
    assert len({span.name for span in offered}) == len(offered)
    for one, two in pairwise(offered):
        assert one.tile < two.tile or one.rows[1] < two.rows[0]


def test_rows_join_until_one_tap_chooses_tile_and_row() -> None:
    """More cells than any board has had: joined smallest first they were too many, and the tile alone had to
    be asked for, which is a tap more."""
    many = [(cell, value) for value in VALUES for cell in sorted(CELLS)[::2][:85]]
    offered = spans(many)
    assert len(offered) <= ENTRIES
    assert all(len(span.cells) <= ENTRIES for span in offered)


def test_a_draft_with_rows_joined_otherwise_goes_on() -> None:
    view = comb()
    assert "6@5-6" not in [choice.value for choice in COG.step(view, "").entries]
    step = COG.step(view, "6@5-6")
    assert {choice.value[1:] for choice in step.entries} == {"5", "6"}


def comb() -> ZatreView:
    """Stairs of ones all over the board, and one tile of each value: more cells than any game has shown."""
    laid = {INDEX["H8"]}
    for shift in (-9, -6, -3, 0, 3, 6, 9):
        for row in range(1, 14):
            for column in (row + shift, row + shift + 1):
                cell = row * WIDTH + column
                if 0 <= column < 15 and cell in NAMES:
                    laid.add(cell)
    board = placements_text([(cell, 1) for cell in laid])
    return at_turn(board, VALUES)


@pytest.mark.parametrize("menu", [ENTRIES, 20])
def test_a_board_of_stairs_with_every_value_held_still_fits_the_menus(
    menu: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a smaller menu even joined rows are too many: the tile is asked for by itself."""
    monkeypatch.setattr("cogs.zatre.ENTRIES", menu)
    view = comb()
    assert max(*Layout.of(view.board).across, *Layout.of(view.board).down) < 13
    places = next_placements(view, "")
    assert len(places) > 400
    check = fits_discord(COG, PAPER, view, sayer("de"))
    first = COG.step(view, "")
    assert [one.draft for one in first.entries] == [f"{value}@" for value in VALUES] or menu == ENTRIES
    check("", first)
    found, ahead = set(), list(first.entries)
    while ahead:
        choice = ahead.pop()
        if choice.draft.partition("@")[2] in INDEX:
            found.add(choice.draft)
            continue
        step = COG.step(view, choice.draft)
        if choice.draft.startswith("6@"):
            check(choice.draft, step)
            assert all(steps.back(COG.step, view, COG.step(view, one.draft)) for one in step.entries[:2])
        ahead += step.entries
    assert found == {f"{value}@{NAMES[cell]}" for cell, value in places}


def test_a_tile_on_trial_is_played_or_gone_on_from_and_back_leads_to_the_choice_before() -> None:
    view = at_turn("5@G8 4@H8", (1, 2, 3))
    draft, step = steps.settle(COG.step, view, "1@I8")
    assert step.move == "1@I8"
    assert {choice.value[0] for choice in step.entries} == {"2", "3"}
    asked = step.question.said(sayer("en"))
    assert asked == "1 on I8: 10 → 1 point. Your points: 0 → 1. Play it, or lay another tile?"
    assert step.confirm is not None
    assert step.confirm.said(sayer("en")) == "Play it: +1 point"
    more = step.entries[0].draft
    assert more.startswith("1@I8 2@")
    assert steps.back(COG.step, view, steps.settle(COG.step, view, more)[1]) == draft
    # as a draft was stored while another tile was asked for in a step of its own
    assert COG.step(view, "1@I8 +") == step
    rows = steps.back(COG.step, view, step)
    assert rows == "1@8"
    assert steps.back(COG.step, view, COG.step(view, rows)) == ""
    _, both = steps.settle(COG.step, view, "1@I8 2@F8")
    assert both.question.said(sayer("en")).startswith("1 on I8, 2 on F8: 12 → 4 points. Your points: 0 → 4.")
    assert both.move == "2@F8 1@I8"
    assert steps.back(COG.step, view, both) == "1@I8 2@8"
    assert steps.back(COG.step, view, COG.step(view, "1@I8 2@8")) == "1@I8"
    labels = [steps.said(choice.label, sayer("en")) for choice in COG.step(view, "1@8").entries]
    assert labels == ["F8 +1", "I8 +1"]


def test_labels_say_what_their_numbers_are() -> None:
    view = at_turn("5@G8 4@H8", (1, 2))
    for language, row, play, nothing in (
        ("en", "1 in row 8", "Play it: +1 point", "2 on H9: no points."),
        ("de", "1 in Zeile 8", "Spielen: +1 Punkt", "2 auf H9: keine Punkte."),
    ):
        say = sayer(language)
        labels = [steps.said(choice.label, say) for choice in COG.step(view, "").entries]
        assert row in labels
        assert not [label for label in labels if label[-1].isdecimal() and len(label.split()) < 3]
        step = COG.step(view, "1@I8")
        assert step.confirm is not None
        assert step.confirm.said(say) == play
        assert COG.step(view, "2@H9").question.said(say).startswith(nothing)
    asked = COG.step(view, "1@8").question.said(sayer("en"))
    assert asked == "1 in row 8: on which cell? The + says what the turn then scores."
    joined = steps.said(COG.step(comb(), "").entries[0].label, sayer("en"))
    assert joined.startswith("1 in rows ")
    light = at_turn("6@H8 3@I8", (1, 6))
    waits = [steps.said(one.label, sayer("en")) for one in COG.step(light, "1@7").entries]
    assert "I7, not alone" in waits


def test_what_is_no_turn_yet_says_why_and_goes_on() -> None:
    view = at_turn("6@H8 3@I8", (1, 6))
    assert preview(view, "1@I7").fault is not None
    draft, step = steps.settle(COG.step, view, "1@I7")
    assert draft == "1@I7"
    assert step.move == ""
    assert step.question.said(sayer("en")).startswith("I7 is light and still needs a 10, 11 or 12")
    assert {one.draft.split()[-1][0] for one in step.entries} == {"6"}
    club = at_turn("1@H8 3@I8", (1, 6), options=CLUB)
    assert english(club, "1@J8").startswith("Your 6 can still be laid")
    assert COG.step(club, "").onward == ()


def test_keeping_all_asks_first_and_tells_what_it_costs_at_the_end() -> None:
    view = at_turn("1@H8 3@I8", (2, 5))
    assert [choice.value for choice in COG.step(view, "").onward] == [KEEP]
    assert english(view, KEEP) == "Lay nothing and keep 2, 5?"
    last = replace(view, bag=0)
    assert english(last, KEEP).endswith("the tiles you keep cost 7 points.")
    assert english(last, "2@J8").endswith("the tiles you keep cost 5 points.")
    assert COG.step(replace(view, must_lay=True), "").onward == ()


def test_with_no_tile_that_fits_only_keeping_is_asked() -> None:
    view = at_turn("6@H8 6@I8", (6,))
    assert next_placements(view, "")
    stuck = at_turn("4@G7 4@H7 4@G8 4@H8 4@G9 4@H9", (6,))
    assert next_placements(stuck, "") == []
    draft, step = steps.settle(COG.step, stuck, "")
    assert (draft, step.move) == (KEEP, KEEP)
    assert steps.back(COG.step, stuck, step) is None
    assert step.question.said(sayer("en")) == "None of your tiles can be laid: you keep 6."


# ------------------------------------------------------------------------------- typed moves


def test_a_turn_is_suggested_part_by_part() -> None:
    chance = Generator("suggest", "moves")
    for state, seat in positions(GAME, 2, {}, "suggest", most=40):
        view = cast("ZatreView", state.view(seat))
        legal = GAME.legal(view)
        assert (KEEP in COG.suggest(view, "")) == (KEEP in legal)
        for _ in range(6):
            move = chance.choice(legal)
            assert move in COG.suggest(view, move)
            assert move in COG.suggest(view, f" {move.lower()} ")
            if move == KEEP:
                continue
            typed = ""
            for token in order(view, move):
                for part in (typed, f"{typed}{token[:2]}", f"{typed}{token[:3]}"):
                    found = COG.suggest(view, part)
                    assert len(found) <= 25
                    assert any(f"{typed}{token}".startswith(one) or one == f"{typed}{token}" for one in found)
                typed += f"{token} "
    for nonsense in ("x", "9@Z9 ", "4@", "keep it", "1@H8 1@H8", "🙂 "):
        assert all(len(one) <= 100 for one in COG.suggest(view, nonsense))
    assert COG.suggest(view, "9@Z9 ") == []


# ------------------------------------------------------------------------------- at the table


async def seen(sim: Sim, table: Table, person: MemberActor | None = None) -> ZatreView:
    view = (await sim.bot.tables.view(table.id, person.id if person else None)).view
    assert isinstance(view, ZatreView)
    return view


async def typed(sim: Sim, table: Table, person: MemberActor, move: str) -> None:
    with sim.env._bot_scope():
        await typed_move(sim.bot.tables, table.id, Person(person.id, "x"), move)
    await sim.env.settle()


async def opened_and_laid(sim: Sim, *people: MemberActor, **options: Any) -> tuple[Table, MemberActor]:
    """A table after the opening, and who has the turn."""
    table = await opened(sim, "zatre", *people, players=len(people), **options)
    (person,) = await sim.to_act(table)
    await typed(sim, table, person, greedy_turn((await seen(sim, table, person)).to_turn()))
    return table, (await sim.to_act(table))[0]


async def test_two_tiles_are_laid_by_row_and_column_after_a_preview(sim: Sim) -> None:
    table, person = await opened_and_laid(sim, sim.ada, sim.ben)
    board = await sim.board(table)
    assert [one.filename for one in board.attachments] == ["zatre.png", "zatre-sheets.png"]
    assert "score sheets" in alt_texts(board)[1]
    page = await sim.hand(person, table)
    view = await seen(sim, table, person)
    assert f"your tiles: {', '.join(map(str, view.held))}" in alt_texts(page)[0]
    move = next(one for one in GAME.legal(view) if one.count("@") == 2 and preview(view, one).gain.runs)
    leads, draft, asked = leading_to(view, move), "", []
    while True:
        step = steps.settle(COG.step, view, draft)[1]
        asked.append(step.question.said(sayer("en")))
        assert asked[-1] in text_of(page)
        if step.move == move:
            break
        (choice,) = [one for one in step.choices if leads(one.draft, move)]
        page = await sim.choose(person, page, choice.value)
        draft = steps.settle(COG.step, view, choice.draft)[0]
    assert asked[0] == "Which tile do you lay, in which row?"
    assert view.seat is not None
    runs, sheet = preview(view, move).gain.runs, view.sheets[view.sheet_of(view.seat)]
    assert worth_words(preview(view, move).gain, sheet, sayer("en")) in asked[-1]
    assert "Your points: " in asked[-1]
    assert f"On trial: {', '.join(order(view, move)).replace('@', ' on ')}." in alt_texts(page)[0]
    assert all(
        f"{NAMES[run.cells[0]]}–{NAMES[run.cells[-1]]} {run.total}" in alt_texts(page)[0] for run in runs
    )

    await person.click(page, label="Back")
    page = sim.fresh(page)
    assert entries(page)
    page = await sim.hand(person, table)  # the draft is kept
    while (confirm := next((one for one in buttons(page) if one.startswith("Play it")), "")) == "":
        page = await sim.choose(person, page, entries(page)[0])
    await person.click(page, label=confirm)
    assert "Played" in text_of(sim.fresh(page))
    assert await sim.to_act(table) != [person]
    assert "Last: " in alt_texts(await sim.board(table))[0]


async def test_laying_nothing_asks_first(sim: Sim) -> None:
    table, person = await opened_and_laid(sim, sim.ada, sim.ben)
    page = await sim.hand(person, table)
    held = (await seen(sim, table, person)).held
    await person.click(page, label="Lay nothing …")
    page = sim.fresh(page)
    assert f"keep {', '.join(map(str, held))}?" in text_of(page)
    assert await sim.to_act(table) == [person]
    await person.click(page, label="Back")
    assert entries(sim.fresh(page))
    await person.click(sim.fresh(page), label="Lay nothing …")
    await person.click(sim.fresh(page), label="Lay nothing")
    assert (await seen(sim, table)).last[-1][1] == KEEP
    assert await sim.to_act(table) != [person]


async def test_tiles_come_in_private_and_are_laid_from_there(sim: Sim) -> None:
    table, person = await opened_and_laid(sim, sim.ada, sim.ben)
    assert sim.messages(sim.cleo.user.dm_channel.id) == []
    letter = sim.messages(person.user.dm_channel.id)[-1]
    held = (await seen(sim, table, person)).held
    assert f"your tiles: {', '.join(map(str, held))}." in alt_texts(letter)[0]
    chance = Generator("letter", "taps")
    for _ in range(20):
        if not controls(letter, "play", "act", "way", "pick"):
            break
        letter = await tap(sim, person, letter, chance)
        assert f"Table {table.id} · only you see this" in text_of(letter)
    assert await sim.to_act(table) != [person]
    assert [m.id for m in sim.messages(person.user.dm_channel.id)] == [letter.id]


async def test_pairs_see_each_others_tiles_and_share_a_sheet(sim: Sim) -> None:
    people = [sim.ada, sim.ben, sim.cleo, sim.dev]
    table, _ = await opened_and_laid(sim, *people, partners=True)
    for _ in range(4):
        (person,) = await sim.to_act(table)
        view = await seen(sim, table, person)
        await typed(sim, table, person, KEEP if KEEP in GAME.legal(view) else greedy(view, Generator("", "")))
    table = await sim.bot.tables.table(table.id)
    for seat, person in enumerate(people):
        view = await seen(sim, table, person)
        name = ("Ada", "Ben", "Cleo", "Dev")[seat ^ 1]
        mates = ", ".join(map(str, view.hands[seat ^ 1] or ())) or "none"
        letter = alt_texts(sim.messages(person.user.dm_channel.id)[-1])[0]
        assert f"{name} holds {mates}." in letter
        assert [hand is None for hand in view.hands] == [other // 2 != seat // 2 for other in range(4)]
        assert letter.count(" holds ") == 1
    sheets = alt_texts(await sim.board(table))[1]
    assert "Ada & Ben, " in sheets
    assert "Cleo & Dev, " in sheets
    (person,) = await sim.to_act(table)
    view = await seen(sim, table, person)
    lay = next(move for move in GAME.legal(view) if move.count("@") == 1)
    assert "Your pair’s points: " in english(view, lay)


async def test_a_move_can_be_typed(sim: Sim) -> None:
    table, person = await opened_and_laid(sim, sim.ada, sim.ben)
    view = await seen(sim, table, person)
    lay = next(move for move in GAME.legal(view) if move.count("@") == 1)
    result = await sim.types(person, sim.channel, "zatre", move="6@A1")
    assert "Played" not in answer(result)
    result = await sim.types(person, sim.channel, "zatre", move=f" {lay.lower().replace('@', ' ')}")
    assert "Played" in answer(result)
    assert (await seen(sim, table)).last[-1][1] == lay


# ------------------------------------------------------------------------------- whole games


async def test_two_people_to_the_end(sim: Sim) -> None:
    table = await opened(sim, "zatre", sim.ada, sim.ben, players=2)
    await taps(sim, table, 16, "two")
    table = await finished(sim, table, greedy)
    assert table.outcome is not None
    for person in (sim.ada, sim.ben):
        letter = sim.messages(person.user.dm_channel.id)[-1]
        assert acting(letter) == []
        assert "wins!" in text_of(letter)


@TO_THE_END
async def test_six_seats_two_of_them_computers(sim: Sim, whole: bool) -> None:
    people = [sim.ada, sim.ben, sim.cleo, sim.dev]
    table = await opened(sim, "zatre", *people, players=6, computers=2)
    await taps(sim, table, 10, "six")
    await played_on(sim, table, greedy, whole)


@TO_THE_END
async def test_with_a_computer(sim: Sim, whole: bool) -> None:
    table = await opened(sim, "zatre", sim.ada, players=2, computers=1, laying="club")
    await taps(sim, table, 12, "computer")
    await played_on(sim, table, greedy, whole)


@pytest.mark.long
async def test_pairs_with_closed_direct_messages_to_the_end(sim: Sim) -> None:
    people = [sim.ada, sim.ben, sim.cleo, sim.dev]
    for person in people:
        where = f"/channels/{person.user.dm_channel.id}/messages"
        sim.env.inject_error("POST", where, status=403, code=50007)
    table = await opened(sim, "zatre", *people, players=4, partners=True)
    (person,) = await sim.to_act(table)
    page = await sim.hand(person, table)
    assert "cannot send you direct messages" in text_of(page)
    assert "your tiles: " in alt_texts(page)[0]
    await taps(sim, table, 12, "closed")
    table = await finished(sim, table, greedy)
    assert table.outcome is not None
    assert table.outcome.scores[0] == table.outcome.scores[1]


@pytest.mark.long
async def test_over_a_restart_to_the_end(sim: Sim) -> None:
    table = await opened(sim, "zatre", sim.ada, sim.ben, sim.cleo, players=3)
    (person,) = await sim.to_act(table)
    page = await tap(sim, person, await sim.hand(person, table), Generator("before", "taps"))
    before = await sim.bot.tables.table(table.id)
    await sim.restart()
    after = await sim.bot.tables.table(table.id)  # what was still to be shown is shown by now
    assert (after.revision, after.events, after.status) == (before.revision, before.events, before.status)
    await tap(sim, person, page, Generator("after", "taps"))
    await taps(sim, table, 12, "after")
    await finished(sim, table, greedy)


# ------------------------------------------------------------------------------- what stays hidden


@pytest.mark.parametrize(("players", "options"), swept_rows([(3, {}), (4, PAIRS)]))
async def test_nobody_else_sees_a_byte_of_the_tiles(
    players: int, options: dict[str, OptionValue], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The same game in two worlds that Cleo (and Dev, her partner) cannot tell apart: Ada and Ben keep other
    tiles. Channel, their messages, what Cleo looks at and what is suggested to her are the same bytes."""
    case = Case("zatre", players, options)
    state, events = _course(case)
    chance = Generator("worlds", "other")
    other = events
    for _ in range(400):
        found = other_world(case, state, other, 2, chance)
        if found is not None:
            state, other = found
    differ = [index for index, (one, two) in enumerate(zip(events, other, strict=True)) if one != two]
    assert len(differ) > 1

    heard: list[Any] = []
    for world in (events, other):
        draws = _draws(case, world)
        monkeypatch.setattr(ZatreState, "draw", lambda state, chance, draws=draws: draws[_point(state)])
        sim = await Sim.open(tmp_path / f"world{len(heard)}")
        ears = Ears(monkeypatch)
        people = (sim.ada, sim.ben, sim.cleo, sim.dev)[:players]
        suggested = await replay(sim, "zatre", world, people, sim.cleo, players=players, **options)
        theirs = [one for one in ears.heard if one not in ears.other_than(sim.ada, sim.ben)]
        heard.append((ears.other_than(sim.ada, sim.ben), suggested, theirs))
        await sim.close()
        assert sim.malformed() == []
        monkeypatch.undo()
    (shown, suggested, hidden), (shown_there, suggested_there, hidden_there) = heard
    assert len(shown) > 40
    assert hidden != hidden_there
    assert suggested == suggested_there
    assert len(shown) == len(shown_there)
    for one, two in zip(shown, shown_there, strict=True):
        assert one == two


def _course(case: Case) -> tuple[State, list[Event]]:
    """Some turns, in which tiles are often kept, up to a draw."""
    state = case.start()
    chance = Generator("course", "moves")
    events: list[Event] = []
    while state.chance_due() or len(events) < 16:
        if state.chance_due():
            event = state.draw(Generator("course", f"event:{len(events)}"))
        else:
            (seat,) = state.actors()
            moves = state.legal(seat)
            short = [move for move in moves if move.count("@") < 2] or moves
            event = Event("move", KEEP if KEEP in moves and chance.below(2) else chance.choice(short), seat)
        state.apply(event)
        events.append(event)
    return state, events


def _point(state: ZatreState) -> tuple[int, int]:
    """Tells the draws of one game apart."""
    return len(state.lots), TOTAL - sum(state.bag)


def _draws(case: Case, world: Sequence[Event]) -> Mapping[tuple[int, int], Event]:
    state = case.start()
    assert isinstance(state, ZatreState)
    draws = {}
    for event in world:
        if event.kind == "chance":
            draws[_point(state)] = event
        state.apply(event)
    return draws
