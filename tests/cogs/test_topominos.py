"""Topominos at the table: pieces laid by taps, racks kept private, whole games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.locale import LANGUAGES, sayer
from bot.rules.chance import Generator
from bot.rules.game import Event, State, View, advance
from bot.rules.topominos import GAME, NAMES, TopominosState, TopominosView, draft, layable
from bot.tables.model import Table
from cogs.surfaces import steps
from cogs.topominos import Topominos
from tests.rules.conformance import Case
from tests.rules.worlds import other_world
from tests.sweeps import swept

from .sim import Sim, acting, alt_texts, answer, buttons, controls, entries, menus, text_of
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

COG = bare(Topominos, GAME)
FULL_BOARD = (("abcd", "efgh"),) * 9
PAPER = cast("Table", SimpleNamespace(id="ZZZZZZ", revision=9_999_999_999))


def lays(view: View, chance: Generator) -> str:
    """Lays what it can, so that games are short."""
    moves = GAME.legal(view)  # type: ignore[arg-type]
    return chance.choice([move for move in moves if "@" in move] or moves[:1])


def files(message: Any) -> list[str]:
    return [attachment.filename for attachment in message.attachments]


# ------------------------------------------------------------------------------- steps


@pytest.mark.parametrize("players", swept([1, 2, 4], daily=(2,)))
def test_every_legal_move_is_reached_by_taps_and_nothing_else(players: int) -> None:
    for number, (state, seat) in enumerate(positions(GAME, players, {}, f"walk {players}", lucky=False)):
        if number % 9:
            continue
        view = state.view(seat)
        check = fits_discord(COG, PAPER, view, sayer("de"))
        assert sorted(reached(COG, view, check)) == GAME.legal(view)


def test_the_largest_list_of_moves_is_reached_by_taps() -> None:
    most, where = 0, None
    for seed in range(30):
        for state, seat in positions(GAME, 2 + seed % 3, {}, str(seed)):
            count = len(state.legal(seat))
            if count > most:
                most, where = count, state.view(seat)
    assert where is not None
    assert most > 250
    for language in LANGUAGES:
        check = fits_discord(COG, PAPER, where, sayer(language))
        assert sorted(reached(COG, where, check)) == GAME.legal(where)


def test_one_piece_and_the_end_take_three_taps_at_most() -> None:
    def leads(draft: str, move: str) -> bool:
        dots, _, cell = move.partition("@")
        piece, _, column = draft.partition(" ")
        return draft == move or (piece == NAMES[dots] and cell.startswith(column))

    for state, seat in positions(GAME, 2, {}, "three", most=20):
        for cells in layable(state.view(seat)).values():
            for moves in cells.values():
                for move in moves:
                    assert path(COG, state.view(seat), move, leads) <= 3


def offered(view: TopominosView, text: str) -> dict[str, str]:
    """The lays that two taps add to a draft, with the draft that each makes."""
    found = {}
    for piece in COG.step(view, text).entries:
        made, places = steps.settle(COG.step, view, piece.draft)
        for whole in [choice.draft for choice in places.entries] if draft(view, made).piece else [made]:
            found[whole.removeprefix(text).strip()] = whole
    return found


@pytest.mark.parametrize("players", [1, 2, 4])
def test_each_further_piece_takes_two_taps_and_all_are_played_with_the_end(players: int) -> None:
    """What is offered after each lay on trial is what the rules allow after that lay, and what is played in
    the end are those lays; the end with them, unless a piece is drawn for an emptied rack."""
    chance = Generator(f"further {players}", "taps")
    longest, drawn = 0, 0
    for state, seat in positions(GAME, players, {}, f"further {players}", most=120, lucky=False):
        view, later = cast("TopominosView", state.view(seat)), state.clone()
        text, lays = "", []
        while seat in later.actors() and any("@" in move for move in later.legal(seat)):
            ways = offered(view, text)
            assert sorted(ways) == [move for move in later.legal(seat) if "@" in move]
            lays.append(chance.choice(sorted(ways)))
            text = ways[lays[-1]]
            later.apply(Event("move", lays[-1], seat))
            assert draft(view, text).view == replace(later.view(seat), stuck=view.stuck)
            shown = COG.step(view, text)
            assert [shown.move, *shown.then] == lays + ["end"] * (seat in later.actors())
        longest, drawn = max(longest, len(lays)), drawn + (seat not in later.actors())
    assert longest > 2
    assert drawn


@pytest.mark.parametrize(("language", "column"), [("en", "which column"), ("de", "welche Spalte")])
def test_buttons_and_questions_say_in_words_what_is_laid(language: str, column: str) -> None:
    say = sayer(language)
    views = (state.view(seat) for state, seat in positions(GAME, 2, {}, "words", lucky=False))
    view = cast("TopominosView", next(views))
    entry = next(choice for choice in COG.step(view, "").entries if choice.value.endswith(" B"))
    assert steps.said(entry.label, say) == f"{entry.value.split()[0]} in B"
    assert column in COG.step(view, "").question.said(say)
    piece = view.rack[0]
    trial = COG.step(view, f"{piece}@B2")
    assert f"{piece} in B2" in trial.question.said(say)
    laid = replace(view, laid=("abc@B2",), rack=("abcd",), racks=(4, 4))
    laid = replace(laid, mode="start", start="C3", board=FULL_BOARD)
    assert COG.step(laid, "").question == steps.phrase("topominos.step.more_none")


@pytest.mark.parametrize(
    ("rack", "key"),
    [(("abc", "bh"), "turn_some_columns"), (("abc", "abd"), "turn_column"), (("acgi", "bh"), "turn")],
)
def test_of_a_piece_without_a_column_the_question_says_when_it_is_chosen(
    rack: tuple[str, ...], key: str
) -> None:
    """`bh` stood beside `abc in A`, and nothing said why."""
    state = next(state for state, _ in positions(GAME, 2, {}, "words", lucky=False))
    view = replace(cast("TopominosView", state.view(state.actors()[0])), rack=rack)
    assert COG.step(view, "").question == steps.phrase(f"topominos.step.{key}")


@pytest.mark.parametrize("players", [1, 2, 4])
@pytest.mark.parametrize("language", LANGUAGES)
def test_who_would_end_the_game_by_passing_is_told_before(players: int, language: str) -> None:
    state, chance, say = GAME.start(players, {}), Generator("passes", "chance"), sayer(language)
    warning = say("topominos.step.passing_ends", question="").strip()
    told: list[str] = []
    while state.outcome() is None:
        if state.chance_due():
            state.apply(state.draw(chance))
            continue
        [seat] = state.actors()
        view = state.view(seat)
        drafts = ("", "swap", f"swap {view.rack[0]}", "pass", f"{view.rack[0]} A")
        asked = [COG.step(view, one).question.said(say) for one in drafts]
        told.append("".join("!" if warning in question else "." for question in asked))
        state.apply(Event("move", "pass", seat))
    assert told == ["....."] * (3 * players - 1) + ["!!!!."]


def test_what_ends_a_turn_is_suggested_before_the_lays() -> None:
    state = GAME.start(2, {})
    advance(state, "suggest", 0)
    view = state.view(state.actors()[0])
    suggested = COG.suggest(view, "")
    assert suggested[:2] == ["pass", "swap"]
    assert len(suggested) <= 25
    for move in GAME.legal(view):
        typed = move[: len(move) // 2]
        assert any(one.startswith(typed) or typed in one for one in COG.suggest(view, typed))
        assert move in COG.suggest(view, move)


# ------------------------------------------------------------------------------- at the table


async def test_pieces_are_laid_on_trial_by_their_picture_and_played_together(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, sim.ben, players=2)
    person = (await sim.to_act(table))[0]
    page = await sim.hand(person, table)
    assert files(page) == ["topominos-hand.png"]
    assert "Your rack: " in alt_texts(page)[0]
    *pieces, passing = entries(page)
    assert (passing, buttons(page)[-1]) == ("pass", "Pass or exchange …")
    page = await sim.choose(person, page, pieces[-1])
    assert files(page) == ["topominos-places.png"]
    places = entries(page)
    assert len(places) > 1
    for number, place in enumerate(places, 1):
        assert f"{number}: {' in '.join(place.split('@'))}" in alt_texts(page)[0]
        assert str(number) in buttons(page)
    await person.click(page, label="Back")
    assert entries(sim.fresh(page)) == [*pieces, passing]
    page = await sim.choose(person, sim.fresh(page), pieces[-1])
    revision = (await sim.bot.tables.table(table.id)).revision
    page = await sim.choose(person, page, places[-1])
    assert f"On trial: {' in '.join(places[-1].split('@'))}, +" in text_of(page)
    assert files(page) == ["topominos-hand.png"]
    page = await sim.choose(person, page, entries(page)[0])
    while not controls(page, "play"):
        page = await sim.choose(person, page, entries(page)[0])
    assert (await sim.bot.tables.table(table.id)).revision == revision
    play = next(label for label in buttons(page) if label.startswith("Play, end turn: +"))
    await person.click(page, label=play)
    assert (await sim.bot.tables.table(table.id)).revision == revision + 1
    assert await sim.to_act(table) != [person]
    last = cast("Any", (await sim.bot.tables.view(table.id, None)).view).last
    assert (last.moves[0], len(last.moves)) == (places[-1], 2)
    assert f"+{last.points} point" in play
    laid = ", ".join(" in ".join(move.split("@")) for move in last.moves)
    assert f"Laid last: {laid}" in alt_texts(await sim.board(table))[0]


async def test_a_lay_that_was_played_alone_is_taken_back_or_gone_on_from(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, sim.ben, players=2)
    person = (await sim.to_act(table))[0]
    rack = cast("Any", (await sim.bot.tables.view(table.id, person.id)).view).rack
    await person.slash(sim.channel, "topominos move", move=f"{rack[0]}@B2")
    page = await sim.hand(person, table)
    assert f"End turn: +{len(rack[0])} point" in " ".join(buttons(page))
    await person.click(page, label="Take back")
    assert buttons(sim.fresh(page))[-1] == "Pass or exchange …"
    await person.slash(sim.channel, "topominos move", move=f"{rack[0]}@B2")
    page = await sim.hand(person, table)
    await person.click(page, label=next(label for label in buttons(page) if label.startswith("End turn")))
    assert await sim.to_act(table) != [person]


async def test_pieces_are_exchanged_together_or_one_by_one_after_a_preview(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, sim.ben, players=2)
    for together in (True, False):
        person = (await sim.to_act(table))[0]
        before = cast("Any", (await sim.bot.tables.view(table.id, person.id)).view).rack
        page = await sim.hand(person, table)
        await person.click(page, label="Pass or exchange …")
        page = sim.fresh(page)
        custom, values = menus(page)[0]
        assert [value.partition(".")[0] for value in values] == list(before)
        assert "Pass without exchange" in buttons(page)
        if together:
            await person.select(page, [values[3], values[1]], custom_id=custom)
        else:
            await person.select(page, [values[3]], custom_id=custom)
            page = sim.fresh(page)
            again = menus(page)[0]
            await person.select(page, [again[1][1]], custom_id=again[0])
        page = sim.fresh(page)
        chosen = ", ".join(sorted((before[1], before[3])))
        assert f"exchange {chosen}" in text_of(page)
        revision = (await sim.bot.tables.table(table.id)).revision
        await person.click(page, label="Pass and exchange")
        assert (await sim.bot.tables.table(table.id)).revision > revision
        seen = await sim.bot.tables.view(table.id, None)
        assert cast("Any", seen.view).last.moves == ("swap ? ?",)
        assert await sim.to_act(table) != [person]


async def test_a_rack_comes_in_private_and_is_played_from_there(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, sim.ben, players=2)
    for person in (sim.ada, sim.ben):
        letters = sim.messages(person.user.dm_channel.id)
        rack = cast("Any", (await sim.bot.tables.view(table.id, person.id)).view).rack
        assert len(letters) == 1
        assert f"Your rack: {' '.join(rack)}." in alt_texts(letters[0])[0]
    assert sim.messages(sim.cleo.user.dm_channel.id) == []
    person = (await sim.to_act(table))[0]
    letter = sim.messages(person.user.dm_channel.id)[0]
    chance = Generator("letter", "taps")
    for _ in range(12):
        if not controls(letter, "play", "act", "way", "pick"):
            break
        letter = await tap(sim, person, letter, chance)
    assert [m.id for m in sim.messages(person.user.dm_channel.id)] == [letter.id]
    assert (await sim.bot.tables.table(table.id)).events > 3


async def test_a_move_can_be_typed(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, sim.ben, players=2)
    person = (await sim.to_act(table))[0]
    lay = next(
        move
        for move in GAME.legal((await sim.bot.tables.view(table.id, person.id)).view)  # type: ignore[arg-type]
        if "@" in move
    )
    result = await sim.types(person, sim.channel, "topominos", move=f" {lay.upper()} ")
    assert "Played" in answer(result)
    result = await sim.types(person, sim.channel, "topominos", move="pass")
    assert "only go on or end it" in answer(result)


# ------------------------------------------------------------------------------- whole games


async def test_alone_to_the_end(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, players=1)
    await taps(sim, table, 40, "alone")
    table = await finished(sim, table, lays)
    assert "The game is over." in text_of(await sim.final(table))
    letter = sim.messages(sim.ada.user.dm_channel.id)[-1]
    assert acting(letter) == []
    assert "The game is over." in text_of(letter)


@pytest.mark.long
async def test_four_people_to_the_end(sim: Sim) -> None:
    people = [sim.ada, sim.ben, sim.cleo, sim.dev]
    table = await opened(sim, "topominos", *people, players=4)
    await taps(sim, table, 30, "four")
    table = await finished(sim, table, lays)
    for person in people:
        assert acting(sim.messages(person.user.dm_channel.id)[-1]) == []


@pytest.mark.long
async def test_with_a_computer_to_the_end(sim: Sim) -> None:
    table = await opened(sim, "topominos", sim.ada, players=2, computers=1)
    await taps(sim, table, 20, "computer")
    await finished(sim, table, lays)


@TO_THE_END
async def test_with_closed_direct_messages(sim: Sim, monkeypatch: pytest.MonkeyPatch, whole: bool) -> None:
    ears = Ears(monkeypatch)
    for person in (sim.ada, sim.ben):
        path = f"/channels/{person.user.dm_channel.id}/messages"
        sim.env.inject_error("POST", path, status=403, code=50007, times=None)
    table = await opened(sim, "topominos", sim.ada, sim.ben, players=2)
    person = (await sim.to_act(table))[0]
    page = await sim.hand(person, table)
    assert "Your rack: " in alt_texts(page)[0]
    await taps(sim, table, 20, "closed")
    told = [where for where, (shown, _) in ears.heard if "cannot send you direct messages" in shown]
    assert set(told) == {-sim.ada.id, -sim.ben.id}
    await played_on(sim, table, lays, whole)


@pytest.mark.long
@TO_THE_END
async def test_over_a_restart(sim: Sim, whole: bool) -> None:
    table = await opened(sim, "topominos", sim.ada, sim.ben, sim.cleo, players=3)
    await taps(sim, table, 8, "before")
    person = (await sim.to_act(table))[0]
    page = await sim.hand(person, table)
    before = await sim.bot.tables.table(table.id)
    await sim.restart()
    after = await sim.bot.tables.table(table.id)  # what was still to be shown is shown by now
    assert (after.revision, after.events, after.status) == (before.revision, before.events, before.status)
    await tap(sim, person, page, Generator("after", "taps"))
    await taps(sim, table, 12, "after")
    await played_on(sim, table, lays, whole)


# ------------------------------------------------------------------------------- what stays hidden


@pytest.mark.long
async def test_nobody_else_sees_a_byte_of_a_rack_or_an_exchange(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The same game in two worlds that Cleo cannot tell apart: others hold, draw and exchange other
    pieces. Channel, Cleo's messages, what she looks at and what is suggested to her are the same bytes."""
    case = Case("topominos", 3)
    state, events = _course(case)
    chance = Generator("worlds", "other")
    other = events
    for _ in range(200):
        found = other_world(case, state, other, 2, chance)
        if found is not None:
            state, other = found
    differ = [index for index, (one, two) in enumerate(zip(events, other, strict=True)) if one != two]
    assert len(differ) > 3
    assert any(events[index].kind == "move" for index in differ)

    heard: list[Any] = []
    for world in (events, other):
        monkeypatch.setattr(TopominosState, "draw", lambda self, chance, world=world: _chance(self, world))
        sim = await Sim.open(tmp_path / f"world{len(heard)}")
        ears = Ears(monkeypatch)
        people = (sim.ada, sim.ben, sim.cleo)
        suggested = await replay(sim, "topominos", world, people, sim.cleo, players=3)
        theirs = [one for one in ears.heard if one not in ears.other_than(sim.ada, sim.ben)]
        heard.append((ears.other_than(sim.ada, sim.ben), suggested, theirs))
        await sim.close()
        assert sim.malformed() == []
        monkeypatch.undo()
    (seen, suggested, hidden), (seen_there, suggested_there, hidden_there) = heard
    assert len(seen) > 40
    assert hidden != hidden_there
    assert suggested == suggested_there
    assert len(seen) == len(seen_there)
    for one, two in zip(seen, seen_there, strict=True):
        assert one == two


def _course(case: Case) -> tuple[State, list[Event]]:
    """Some turns of a game, with an exchange by somebody else than Cleo as the last."""
    state = case.start()
    chance = Generator("course", "moves")
    events: list[Event] = []
    swapped = False
    while state.chance_due() or not swapped:
        if state.chance_due():
            event = state.draw(Generator("course", f"event:{len(events)}"))
        else:
            seat = state.actors()[0]
            moves = state.legal(seat)
            swaps = [move for move in moves if move.startswith("swap") and move.count(" ") == 2]
            swapped = len(events) > 32 and seat != 2 and bool(swaps)
            early = bool(swaps) and chance.below(3) == 0
            ends = "end" in moves and chance.below(2) == 1
            some = [move for move in moves if "@" in move] or moves[:1]
            ways = swaps if swapped or early else ["end"] if ends else some
            event = Event("move", chance.choice(ways), seat)
        state.apply(event)
        events.append(event)
    return state, events


def _chance(state: TopominosState, world: list[Event]) -> Event:
    """The next draw of that world; what lies beyond its end is the same in every world."""
    if state.count < len(world):
        return world[state.count]
    return Event("chance", "draw " + " ".join(state.bag[: state._due()]), state.seat)
