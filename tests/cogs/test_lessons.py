"""Lessons on Discord: begun, played through, left and gone on with, each by the buttons a table has."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

import discord
import pytest

from bot.lessons import Lesson, lesson_of
from bot.levels import Level
from bot.locale import DEFAULT, LANGUAGES, sayer, text
from bot.rules.registry import GAME_IDS
from bot.tables.model import Person, Place, Progress, SeatKind, Status
from bot.tables.seating import fewest_opponents
from bot.tables.service import Tables
from cogs.game_cog import GameCog
from cogs.surfaces import steps
from cogs.surfaces.components import Buttons, Link, Text, room
from cogs.surfaces.hand import UNDRAWN
from cogs.surfaces.lesson import companions, lesson_page, seen_in, step_key, through_page
from tests.sweeps import swept

from .sim import Sim, alt_texts, answer, buttons, custom_ids, hint_buttons, links, menus, parts, text_of
from .test_fullest import full_table

LOCALES = {"en": "en-US"}


def the_lesson(game: str) -> Lesson:
    lesson = lesson_of(game)
    assert lesson is not None
    return lesson


def cog_of(sim: Sim, game: str) -> GameCog[Any]:
    [cog] = [cog for cog in sim.bot.cogs.values() if isinstance(cog, GameCog) and cog.game_id == game]
    return cog


async def learns(sim: Sim, person: Any, game: str, where: Any = None) -> discord.Message:
    """The page that `/NAME learn` gives."""
    command = f"{cog_of(sim, game).slash} learn"
    result = await (person.slash(command) if where == "dm" else person.slash(where or sim.channel, command))
    assert result.response is not None
    assert result.response.ephemeral
    return result.response.message


async def stands(sim: Sim, person: Any, game: str) -> Progress | None:
    return await sim.bot.tables.lesson(person.id, game)


def verbs(page: discord.Message) -> dict[str, str]:
    """Custom ids of what a page offers, by their verb in the lesson and what is chosen."""
    found = {}
    for custom in custom_ids(page):
        verb = custom.split(":")[3]
        if verb == "lesson":
            found[custom.split(":", 4)[4].partition(".")[2]] = custom
    return found


def named(page: discord.Message, verb: str) -> str:
    """The custom id of the control with this verb."""
    [custom] = [custom for what, custom in verbs(page).items() if what.partition(".")[0] == verb]
    return custom


async def press(sim: Sim, person: Any, page: discord.Message, verb: str) -> discord.Message:
    await person.click(sim.fresh(page), custom_id=named(sim.fresh(page), verb))
    return sim.fresh(page)


async def plays(sim: Sim, person: Any, page: discord.Message, game: str) -> discord.Message:
    """What the step asks for, tap by tap, by what the page offers."""
    lesson, cog = the_lesson(game), cog_of(sim, game)
    at = await stands(sim, person, game)
    assert at is not None
    ask, place = lesson.steps[at.place].ask, at.place
    for _ in range(25):
        page = sim.fresh(page)
        at = await stands(sim, person, game)
        assert at is not None
        if at.place != place:
            return page
        view = seen_in(lesson, at, Person(person.id, "x"), sayer("en")).view
        assert view is not None
        draft, step = steps.settle(cog.step, view, lesson.draft(place, at.draft))
        mark = steps.mark(draft)
        offered = verbs(page)
        if step.move and sorted([step.move, *step.then]) == sorted(ask):
            await person.click(page, custom_id=offered[f"play.{mark}"])
            continue
        acts = [one for one in step.choices if one.act and (one.draft,) == ask]
        if acts:
            await person.click(page, custom_id=offered[f"act.{mark}.{acts[0].value}"])
            continue
        [chosen, *_] = [
            one for one in step.choices if not one.act and steps.leads_to(cog.step, view, one.draft, ask)
        ]
        if step.menu and chosen in step.entries:
            [(custom, _)] = menus(page)
            await person.select(page, [chosen.value], custom_id=custom)
        else:
            await person.click(page, custom_id=offered[f"way.{mark}.{chosen.value}"])
    raise AssertionError(f"{game}: step {place} takes too many taps")


async def learns_from(sim: Sim, person: Any, place: int, where: Any = None) -> discord.Message:
    """The page of that step of Top 12's lesson, for somebody who has come so far."""
    await sim.bot.tables.set_lesson(person.id, "top12", Progress(), Progress(place))
    return await learns(sim, person, "top12", where)


async def goes_on(sim: Sim, person: Any, page: discord.Message, game: str, to: int) -> discord.Message:
    """Plays and reads on to that step."""
    for _ in range(30):
        at = await stands(sim, person, game)
        assert at is not None
        if at.place >= to:
            return sim.fresh(page)
        if the_lesson(game).steps[at.place].ask:
            page = await plays(sim, person, page, game)
        else:
            page = await press(sim, person, page, "next")
    raise AssertionError


@pytest.mark.parametrize("language", swept(LANGUAGES, daily=(DEFAULT,)))
@pytest.mark.parametrize("game", swept(GAME_IDS, daily=("fivetotwelve", "topspot")))
async def test_a_lesson_is_played_through_to_a_table_against_easy(sim: Sim, game: str, language: str) -> None:
    sim.speaks(sim.ada, LOCALES.get(language, language))
    lesson, say = the_lesson(game), sayer(language)
    names = companions(lesson, say)
    page = await learns(sim, sim.ada, game)
    for place, step in enumerate(lesson.steps):
        key, told = step_key(lesson, place), text_of(page)
        heading = say("lesson.heading", game=say(f"{game}.name"), number=place + 1, count=len(lesson.steps))
        assert told.startswith(heading)
        assert say(key, **names) in told
        assert alt_texts(page), "the picture of what is seen"
        assert say("lesson.button.leave") in buttons(page), "the way out is always there"
        if step.refused:
            page = await press(sim, sim.ada, page, "try")
            assert "🚫" in text_of(page)
            assert say(f"{key}.hint") in text_of(page)
        if step.ask:
            page = await plays(sim, sim.ada, page, game)
        elif place + 1 < len(lesson.steps):
            page = await press(sim, sim.ada, page, "next")
        assert "💡" not in text_of(page)
    page = await press(sim, sim.ada, page, "open")
    assert say("lesson.through", game=say(f"{game}.name")) in text_of(page)
    there = sayer("en")  # the lobby is worded for everybody
    assert f"**{there('lobby.button.start')}**" in text_of(page)
    [table] = await sim.bot.tables.tables_of(sim.ada.id)
    assert (table.game, table.status, table.host) == (game, Status.LOBBY, sim.ada.id)
    others = table.seats[1:]
    assert {(seat.kind, seat.level) for seat in others} == {(SeatKind.COMPUTER, Level.EASY)}
    assert len(others) == fewest_opponents(game)
    [link] = links(page)
    assert str((await sim.lobby(table)).id) in link
    assert await stands(sim, sim.ada, game) == Progress(len(lesson.steps), table.id)
    [start] = [custom for custom in custom_ids(await sim.lobby(table)) if ":start:" in custom]
    await sim.ada.click(await sim.lobby(table), custom_id=start)
    assert (await sim.bot.tables.table(table.id)).status is Status.PLAYING
    assert sim.malformed() == []


NUMBERED = re.compile(r"(?:number|Nummer) (\d+)")
IN_COLUMN = re.compile(r"\b[a-i]+ in [A-C]\b(?!\d)")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_topominos_tells_one_to_take_is_called_as_its_button(sim: Sim, language: str) -> None:
    lesson, cog, say = the_lesson("topominos"), cog_of(sim, "topominos"), sayer(language)
    for place, step in enumerate(lesson.steps):
        numbers: list[str] = []
        pieces: list[str] = []
        draft, view = "", lesson.positions[place].view
        while step.ask:
            draft, shown = steps.settle(cog.step, view, draft)
            if sorted([shown.move, *shown.then]) == sorted(step.ask):
                break
            onward = [one for one in shown.choices if not one.act]
            chosen = next(one for one in onward if steps.leads_to(cog.step, view, one.draft, step.ask))
            label = steps.said(chosen.label, say)
            numbers += [label] if label.isdecimal() else []
            pieces += IN_COLUMN.findall(label)
            draft = chosen.draft
        texts = [say(step_key(lesson, place), other="")]
        texts += [say(f"{step_key(lesson, place)}.hint")] if step.ask else []
        for told in texts:
            assert NUMBERED.findall(told.replace("*", "")) == numbers
            assert IN_COLUMN.findall(told) == pieces


async def test_a_legal_move_that_is_not_asked_for_is_told_what_to_try(sim: Sim) -> None:
    page = await learns_from(sim, sim.ada, 2)
    await sim.ada.click(page, label="41–50")
    page = sim.fresh(page)
    assert "That is allowed too. Here, try this: tap 21–30, then 25." in text_of(page)
    assert await stands(sim, sim.ada, "top12") == Progress(2)
    await sim.ada.click(page, label="21–30")
    await sim.ada.click(sim.fresh(page), label="26")
    page = sim.fresh(page)
    assert "That is allowed too" in text_of(page)
    assert "41–50" in buttons(page), "its choice begins anew"


@pytest.mark.parametrize(
    ("place", "cells", "why"),
    [
        (3, ("B9", "B12"), "Then column B could never be filled"),
        (5, ("A7",), "Then column A could never be filled"),
        (6, ("C2",), "Then column C could never be filled"),
    ],
)
async def test_the_mistake_that_a_step_teaches_is_answered_with_what_it_brings(
    sim: Sim, place: int, cells: tuple[str, ...], why: str
) -> None:
    page = await learns_from(sim, sim.ada, place)
    for cell in cells:
        await sim.ada.click(sim.fresh(page), label=cell)
    hint = sayer("en")(f"{step_key(the_lesson('top12'), place)}.hint")
    assert f"💡 Allowed, but not wise. {why}" in text_of(sim.fresh(page))
    assert f"Better here: {hint}" in text_of(sim.fresh(page))
    assert await stands(sim, sim.ada, "top12") == Progress(place)


async def test_an_illegal_move_is_refused_as_at_a_table(sim: Sim) -> None:
    page = await learns_from(sim, sim.ada, 3)
    await sim.ada.click(page, label="Try it above the 20")
    page = sim.fresh(page)
    assert text("en", "top12.illegal.rising", number=25, cell="B2") in text_of(page)
    assert "💡 Try this: B4, right below the 20." in text_of(page)
    assert await stands(sim, sim.ada, "top12") == Progress(3)


@pytest.mark.parametrize("game", swept(GAME_IDS, daily=("fivetotwelve", "topspot")))
async def test_what_is_said_to_a_move_stands_between_picture_and_buttons(sim: Sim, game: str) -> None:
    """Above the picture it was out of sight on a phone, for whoever had just pressed a button below it."""
    lesson = the_lesson(game)
    place = next(at for at, step in enumerate(lesson.steps) if step.refused)
    await sim.bot.tables.set_lesson(sim.ada.id, game, Progress(), Progress(place))
    page = await press(sim, sim.ada, await learns(sim, sim.ada, game), "try")
    shown = parts(page)
    [said] = [at for at, one in enumerate(shown) if "🚫" in getattr(one, "content", "")]
    pictures = [
        at for at, one in enumerate(shown) if isinstance(one, discord.components.MediaGalleryComponent)
    ]
    pressed = [at for at, one in enumerate(shown) if isinstance(one, discord.components.Button)]
    assert max(pictures) < said < min(pressed)


async def test_a_remark_without_room_beneath_the_picture_is_said_above_it(sim: Sim) -> None:
    """The fullest step beside a board in words: the way out stays too."""
    lesson, say = the_lesson("top12"), sayer("en")
    seen = seen_in(lesson, Progress(2), Person(1, "Ada"), say)
    many = tuple(steps.Choice(str(n), str(n), str(n)) for n in range(steps.ENTRIES))
    question = steps.phrase("top12.step.setup_column", number=1)
    for count, as_text, beneath in ((3, True, True), (24, False, True), (24, True, False)):
        step = steps.Step(question, many[:count], across=3)
        shown = lesson_page(lesson, 2, seen, step, "", True, say, remark="!!!", as_text=as_text).blocks
        assert isinstance(shown[-1], Buttons)
        assert shown[-1].buttons[-1].label == say("lesson.button.leave")
        [at] = [at for at, one in enumerate(shown) if "!!!" in getattr(one, "content", "")]
        assert (at > max(n for n, one in enumerate(shown) if one == UNDRAWN)) is beneath
        assert room([one for one in shown if one != UNDRAWN]) >= 1, "the picture has room"


async def test_what_is_written_in_a_form_is_judged_too(sim: Sim) -> None:
    page = await learns_from(sim, sim.ada, 2)
    for written, said in (
        ("200", "There is no 200 in this game"),
        ("33", "That is allowed too"),
        ("25", "B4"),
    ):
        result = await sim.ada.click(sim.fresh(page), label="Write a number …")
        assert result.modal is not None
        await sim.ada.submit_modal(result, {"text": written})
        assert said in text_of(sim.fresh(page))
    assert await stands(sim, sim.ada, "top12") == Progress(3)


@pytest.mark.parametrize("written", ["33", " 33 "])
async def test_what_the_step_warns_of_is_known_however_it_is_written(
    sim: Sim, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    lesson = the_lesson("top12")
    warning = replace(lesson.steps[2], name="enter", unwise=("call 33",))
    changed = replace(lesson, steps=(*lesson.steps[:2], warning, *lesson.steps[3:]))
    monkeypatch.setattr("cogs.verbs.lessons.lesson_of", lambda game: changed)
    page = await learns_from(sim, sim.ada, 2)
    result = await sim.ada.click(page, label="Write a number …")
    assert result.modal is not None
    await sim.ada.submit_modal(result, {"text": written})
    assert "💡 Allowed, but not wise." in text_of(sim.fresh(page))


async def test_the_next_process_goes_on_where_the_learner_was(sim: Sim) -> None:
    lesson = the_lesson("top12")
    page = await learns_from(sim, sim.ada, 1)
    await sim.ada.click(page, label="A")
    kept = await stands(sim, sim.ada, "top12")
    assert kept == Progress(1, lesson.kept(1, "10@A"))
    await sim.restart()
    await sim.ada.click(sim.fresh(page), label="A1")  # on the page from before
    assert await stands(sim, sim.ada, "top12") == Progress(1, lesson.kept(1, "10@A1"))
    again = await learns(sim, sim.ada, "top12")
    assert "step 2 of 11" in text_of(again)
    assert "In which column do you write the 20?" in text_of(again)
    assert "A" not in buttons(again), "where the 10 stands"


async def test_two_people_are_each_at_their_own_place(sim: Sim) -> None:
    ada, ben = await learns_from(sim, sim.ada, 3), await learns_from(sim, sim.ben, 7)
    ada = await plays(sim, sim.ada, ada, "top12")
    assert await stands(sim, sim.ben, "top12") == Progress(7)
    await press(sim, sim.ben, ben, "next")
    assert await stands(sim, sim.ada, "top12") == Progress(4)
    assert any("Ada" in alt for alt in alt_texts(ada))
    assert not any("Ada" in alt for alt in alt_texts(sim.fresh(ben)))


async def test_back_a_step_and_start_again(sim: Sim) -> None:
    page = await learns(sim, sim.ben, "top12")
    assert "Step back" not in buttons(page)
    page = await learns_from(sim, sim.ada, 4)
    await sim.ada.click(page, label="Step back")
    assert "step 4 of 11" in text_of(sim.fresh(page))
    await sim.ada.click(sim.fresh(page), label="Restart")
    assert "Back to step 1? You are at step 4 of 11." in text_of(sim.fresh(page)), "a slip loses nothing"
    await sim.ada.click(sim.fresh(page), label="Go on")
    assert "step 4 of 11" in text_of(sim.fresh(page))
    await sim.ada.click(sim.fresh(page), label="Restart")
    await sim.ada.click(sim.fresh(page), label="Restart")
    assert "step 1 of 11" in text_of(sim.fresh(page))
    assert await stands(sim, sim.ada, "top12") == Progress(0)


async def test_who_reads_boards_as_text_reads_them_in_lessons(sim: Sim) -> None:
    assert "Row 3: B 20." not in text_of(await learns_from(sim, sim.ada, 3))
    await sim.bot.tables.set_user(sim.ada.id, text_board=True)
    assert "Row 3: B 20." in text_of(await learns(sim, sim.ada, "top12"))


async def test_an_entry_of_a_menu_is_a_choice_too(sim: Sim) -> None:
    page = await learns(sim, sim.ada, "topominos")
    begun = Progress(0, the_lesson("topominos").kept(0, "abd B"))
    pick = f"ps:-:0:lesson:topominos.pick.{steps.mark('')}"
    await sim.press(sim.ada, page, pick, ["abc A"])
    assert "That is allowed too" in text_of(sim.fresh(page))
    assert await stands(sim, sim.ada, "topominos") == Progress(0)
    await sim.press(sim.ada, page, pick, ["abd B"])
    assert await stands(sim, sim.ada, "topominos") == begun
    await sim.press(sim.ada, page, pick, ["abd C"])
    assert await stands(sim, sim.ada, "topominos") == begun, "of a page of before"
    await press(sim, sim.ada, page, "back")
    assert await stands(sim, sim.ada, "topominos") == Progress(0, "")


async def test_who_leaves_may_go_on_later(sim: Sim) -> None:
    page = await learns_from(sim, sim.ada, 2)
    await sim.ada.click(page, label="Leave")
    page = sim.fresh(page)
    assert "step 3 of 11" in text_of(page)
    assert buttons(page) == ["Go on"]
    await sim.ada.click(page, label="Go on")
    assert "step 3 of 11" in text_of(sim.fresh(page))


async def test_a_page_of_before_shows_where_the_learner_is(sim: Sim) -> None:
    """A second tap on the same button, and a page that was left open elsewhere."""
    old = await learns(sim, sim.ada, "top12")
    forward = named(old, "next")
    page = await learns(sim, sim.ada, "top12")
    page = await press(sim, sim.ada, page, "next")
    await sim.press(sim.ada, page, forward)
    assert "step 2 of 11" in text_of(sim.fresh(page))
    await sim.press(sim.ada, old, forward)
    assert "step 2 of 11" in text_of(sim.fresh(old))
    assert await stands(sim, sim.ada, "top12") == Progress(1)


async def test_a_second_tap_opens_no_second_table(sim: Sim) -> None:
    lesson = the_lesson("top12")
    page = await learns_from(sim, sim.ada, len(lesson.steps) - 1)
    opens = named(page, "open")
    await sim.press(sim.ada, page, opens)
    await sim.press(sim.ada, page, opens)
    [table] = await sim.bot.tables.tables_of(sim.ada.id)
    assert "You are through" in text_of(sim.fresh(page))
    assert table.id in text_of(sim.fresh(page))
    assert links(sim.fresh(page))
    await sim.ada.click(sim.fresh(page), label="Restart")
    assert "step 1 of 11" in text_of(sim.fresh(page))


async def test_the_button_of_the_lobby_is_named_as_it_is_there(sim: Sim) -> None:
    """A learner's language is not always the server's."""
    await sim.bot.tables.set_user(sim.ada.id, language="de")
    await sim.bot.tables.set_lesson(
        sim.ada.id, "top12", Progress(), Progress(len(the_lesson("top12").steps) - 1)
    )
    page = await press(sim, sim.ada, await learns(sim, sim.ada, "top12"), "open")
    for _ in range(2):
        assert "Drücke dort **Start**" in text_of(page)
        page = await learns(sim, sim.ada, "top12")
    await sim.bot.tables.set_guild(sim.guild.id, language="de")
    assert "Drücke dort **Starten**" in text_of(await learns(sim, sim.ada, "top12"))


@pytest.mark.parametrize("started", [False, True])
async def test_its_end_leads_to_the_very_lobby_that_it_opened(sim: Sim, started: bool) -> None:
    """And to none that the same person opens by hand, before it or after; nor to a game that has begun."""
    await sim.ada.slash(sim.channel, "top12 new", players=3)
    older = {table.id for table in await sim.bot.tables.tables_of(sim.ada.id)}
    await sim.env.advance_time(60)
    page = await learns_from(sim, sim.ada, len(the_lesson("top12").steps) - 1)
    opens = named(page, "open")
    await sim.press(sim.ada, page, opens)
    [opened] = {table.id for table in await sim.bot.tables.tables_of(sim.ada.id)} - older
    await sim.env.advance_time(60)
    await sim.ada.slash(sim.channel, "top12 new", players=3)
    await sim.ada.user.slash("top12 new", players=3)
    if started:
        await sim.bot.tables.start(opened, Person(sim.ada.id, "Ada"))
    await sim.press(sim.ada, page, opens)
    named_there = {table.id for table in await sim.bot.tables.tables_of(sim.ada.id)}
    assert len(named_there) == 4
    assert {one for one in named_there if one in text_of(sim.fresh(page))} == (set() if started else {opened})


@pytest.mark.parametrize("draft", ["", "1767000000000"])
async def test_who_is_through_without_a_table_can_open_one_all_the_same(sim: Sim, draft: str) -> None:
    """The bot ended between the last tap and the table, lately or before it noted when."""
    through = len(the_lesson("top12").steps)
    await sim.bot.tables.set_lesson(sim.ada.id, "top12", Progress(), Progress(through, draft))
    page = await learns(sim, sim.ada, "top12")
    assert buttons(page) == ["Play against an easy computer", "Restart"]
    opens = named(page, "open")
    for _ in range(2):
        await sim.press(sim.ada, page, opens)
        [table] = await sim.bot.tables.tables_of(sim.ada.id)
        assert await stands(sim, sim.ada, "top12") == Progress(through, table.id)
        assert table.id in text_of(sim.fresh(page))
        assert buttons(sim.fresh(page)) == ["Restart"]
    await sim.bot.tables.start(table.id, Person(sim.ada.id, "Ada"))
    page = await learns(sim, sim.ada, "top12")
    await sim.press(sim.ada, page, opens)  # of the first table
    assert len(await sim.bot.tables.tables_of(sim.ada.id)) == 1
    await sim.press(sim.ada, page, named(page, "open"))
    assert len(await sim.bot.tables.tables_of(sim.ada.id)) == 2


async def test_while_the_table_is_opened_no_other_is(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    page = await learns_from(sim, sim.ada, len(the_lesson("top12").steps) - 1)
    opens, may, open_table = named(page, "open"), asyncio.Event(), sim.bot.tables.open

    async def slow(*given: Any, **named: Any) -> Any:
        await sim.env.external_wait(may.wait(), reason="the disk is slow")
        return await open_table(*given, **named)

    monkeypatch.setattr(sim.bot.tables, "open", slow)
    for _ in range(2):
        await sim.press(sim.ada, page, opens)
    assert "Your table is being opened" in text_of(sim.fresh(page))
    assert buttons(sim.fresh(page)) == ["Go on", "Restart"]
    await sim.ada.click(sim.fresh(page), label="Go on")
    may.set()
    await sim.env.settle()
    [table] = await sim.bot.tables.tables_of(sim.ada.id)
    assert table.id in text_of(sim.fresh(page))


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_cannot_be_shown_the_lobby_is_not_sent_there(language: str) -> None:
    """Discord did not take its message."""
    lesson, say = the_lesson("top12"), sayer(language)
    table = full_table("top12", Status.LOBBY, (SeatKind.HUMAN, SeatKind.COMPUTER))
    unseen = replace(table, place=Place(table.place.guild, table.place.channel))
    for opened, key in ((unseen, "lobby.later"), (table, "lesson.opened")):
        shown = through_page(lesson, Progress(len(lesson.steps), table.id), say, opened, say)
        said = "\n".join(block.content for block in shown.blocks if isinstance(block, Text))
        assert say(key, table=table.id, start=say("lobby.button.start")) in said
        ways = [way for row in shown.blocks if isinstance(row, Buttons) for way in row.buttons]
        assert any(isinstance(way, Link) for way in ways) == (opened is table)


async def test_one_that_was_opened_when_the_bot_ended_is_known_again(sim: Sim) -> None:
    """It had not been noted as the lesson's yet. What they open by hand later is another."""
    page = await learns_from(sim, sim.ada, len(the_lesson("top12").steps) - 1)
    await sim.press(sim.ada, page, named(page, "open"))
    [table] = await sim.bot.tables.tables_of(sim.ada.id)
    through = len(the_lesson("top12").steps)
    noted = Progress.opening(through, table.created)
    await sim.bot.tables.set_lesson(sim.ada.id, "top12", Progress(through, table.id), noted)
    await sim.restart()
    assert table.id in text_of(await learns(sim, sim.ada, "top12"))
    await sim.bot.tables.cancel(table.id, Person(sim.ada.id, "Ada"))
    await sim.env.advance_time(20)
    await sim.ada.slash(sim.channel, "top12 new", players=3)
    [other] = await sim.bot.tables.tables_of(sim.ada.id)
    page = await learns(sim, sim.ada, "top12")
    assert other.id not in text_of(page)
    assert buttons(page) == ["Play against an easy computer", "Restart"]


async def test_where_no_table_can_be_opened_the_lesson_stays_at_its_end(sim: Sim) -> None:
    last = Progress(len(the_lesson("top12").steps) - 1)
    await sim.bot.tables.set_lesson(sim.ada.id, "top12", Progress(), last)
    await sim.bot.tables.set_guild(sim.guild.id, channels=(1,))
    page = await learns(sim, sim.ada, "top12")
    result = await sim.ada.click(page, custom_id=named(page, "open"))
    assert "<#1>" in answer(result)
    assert await stands(sim, sim.ada, "top12") == last
    assert await sim.bot.tables.tables_of(sim.ada.id) == []


async def test_in_direct_messages_a_lesson_is_learnt_and_ends_at_a_table_there(sim: Sim) -> None:
    last = len(the_lesson("top12").steps) - 1
    page = await learns_from(sim, sim.ada.user, last - 2, "dm")
    page = await goes_on(sim, sim.ada.user, page, "top12", last)
    page = await press(sim, sim.ada.user, page, "open")
    [table] = await sim.bot.tables.tables_of(sim.ada.id)
    assert table.place.direct
    assert "You are through" in text_of(page)
    assert (await sim.bot.tables.table(table.id)).seats[0].hand_message is not None


async def test_the_rules_lead_to_the_lesson(sim: Sim) -> None:
    result = await sim.ada.slash(sim.channel, "top12 rules")
    assert result.response is not None
    page = result.response.message
    assert "Learn by playing" in buttons(page)
    result = await sim.ada.click(page, label="Learn by playing")
    assert result.response is not None
    assert result.response.ephemeral
    assert "step 1 of 11" in text_of(result.response)
    assert "Top 12 in short" in text_of(sim.fresh(page)), "which stays beside"


async def test_a_first_table_leads_to_the_lesson_until_it_was_begun(sim: Sim) -> None:
    lobby = await sim.ada.slash(sim.channel, "top12 new", players=2)
    assert lobby.response is not None
    message = lobby.response.message
    await sim.ben.click(message, label="Join")
    table = await sim.table(message)
    await sim.ada.click(sim.fresh(message), label="Start")
    page = await sim.hand(sim.ada, table)
    assert "Learn by playing" in hint_buttons(page)
    result = await sim.ada.click(page, label="Learn by playing")
    assert result.response is not None
    assert "step 1 of 11" in text_of(result.response)
    assert "Learn by playing" not in hint_buttons(await sim.hand(sim.ada, table))
    assert "Learn by playing" in hint_buttons(await sim.hand(sim.ben, table))


async def test_who_has_finished_a_game_is_not_led_to_its_lesson(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def finished(_: Tables, user: int, game: str) -> bool:
        return True

    monkeypatch.setattr(Tables, "has_finished", finished)
    table = await sim.started(sim.ada, sim.ben)
    assert "Learn by playing" not in hint_buttons(await sim.hand(sim.ada, table))


async def test_a_lesson_that_is_not_there_any_more_is_told_so(sim: Sim) -> None:
    page = await learns(sim, sim.ada, "top12")
    for custom in ("pb:-:0:lesson:chess.next.", "pb:-:0:learn:chess", "pb:-:0:lesson:"):
        assert text("en", "error.outdated") in answer(await sim.press(sim.ada, page, custom))


async def test_a_lesson_that_has_become_shorter_is_over_for_who_was_behind_its_end(sim: Sim) -> None:
    await sim.bot.tables.set_lesson(sim.ada.id, "top12", Progress(), Progress(40, "x"))
    page = await learns(sim, sim.ada, "top12")
    assert "You are through" in text_of(page)
    assert await stands(sim, sim.ada, "top12") == Progress(len(the_lesson("top12").steps))


async def test_a_move_begun_in_another_script_is_begun_anew(sim: Sim) -> None:
    """An update may change a lesson while somebody is at it."""
    await sim.bot.tables.set_lesson(sim.ada.id, "top12", Progress(), Progress(1, "0a1b2c 99@Z"))
    page = await learns(sim, sim.ada, "top12")
    assert "In which column do you write the 10?" in text_of(page)
    await sim.ada.click(page, label="A")
    assert "In which row" in text_of(sim.fresh(page))


async def test_who_begins_it_while_it_is_asked_whether_they_have_has_begun_it(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = sim.bot.services.private

    async def lesson(user: int, game: str) -> None:
        private.learns(user, game)

    monkeypatch.setattr(sim.bot.tables, "lesson", lesson)
    assert not await private._is_unlearnt(7, "zatre")
