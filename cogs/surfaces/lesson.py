"""A page of a lesson: what the step says, the game as its learner sees it, and the controls of their move.

The lesson is at no table. What a page of a table is made of (`Seen`) is made here of its position, so that
the rest is the same: step and controls, pictures, recap.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from bot.lessons import LEARNER, Lesson
from bot.rules.game import Say
from bot.rules.registry import game as rules_of
from bot.tables import seating
from bot.tables.model import (
    ClockRule,
    Person,
    Place,
    Progress,
    Recap,
    Seat,
    SeatKind,
    Seen,
    Status,
    Table,
)
from cogs import custom_ids

from . import wording
from .components import Block, Button, Buttons, Link, Page, Style, Text, note, page, room
from .hand import MOST_SHARED, UNDRAWN, made_for_them, step_controls
from .recap import recap_lines
from .steps import Step
from .table import text_board

ACCENT = 0x3F8F5B
NO_TABLE = "LESSON"  # no table's id: these have no L and no O
NEVER = datetime(2020, 1, 1, tzinfo=UTC)


def step_key(lesson: Lesson, place: int) -> str:
    """The catalogue's key of what a step says; those of its other texts begin with it."""
    return f"{lesson.game}.lesson.{lesson.steps[place].name}"


def companions(lesson: Lesson, say: Say) -> dict[str, str]:
    """The others' names in the order of their seats, by what the lesson's texts call them."""
    called = ("other", "third", "fourth")
    return {called[number - 1]: say(f"lesson.companion.{number}") for number in range(1, lesson.players)}


def seen_in(lesson: Lesson, at: Progress, learner: Person, say: Say) -> Seen:
    """What the learner sees at a step, as if it were a table. Takes long at the first time, see
    `Lesson.positions`."""
    position = lesson.positions[at.place]
    seats = [Seat(LEARNER, SeatKind.HUMAN, learner.id, learner.name, since=1)]
    others = companions(lesson, say).values()
    seats += [Seat(index, SeatKind.HUMAN, None, name) for index, name in enumerate(others, 1)]
    table = Table(
        id=NO_TABLE,
        revision=1,
        status=Status.PLAYING,
        game=lesson.game,
        rules_version=rules_of(lesson.game).version,
        options=lesson.options,
        host=learner.id,
        place=Place(0, 0),
        seats=tuple(seats),
        seed="",
        clock=ClockRule(),
        created=NEVER,
        changed=NEVER,
        people=lesson.players,
    )
    recap = Recap(position.events, position.since) if at.place else None
    draft = lesson.draft(at.place, at.draft)
    return Seen(table, seats[LEARNER], position.view, draft, recap)


def control(lesson: Lesson, place: int, kind: custom_ids.Kind, verb: str, what: str) -> str:
    """The custom id of a control of the page of that step, as `verbs.lessons.tap` reads it."""
    return str(custom_ids.Control(kind, None, place, "lesson", f"{lesson.game}.{verb}.{what}"))


def button(
    lesson: Lesson, place: int, verb: str, label: str, style: Style = "secondary", what: str = ""
) -> Button:
    return Button(label, control(lesson, place, "b", verb, what), style)


def _open_button(lesson: Lesson, place: int, say: Say, what: str = "") -> Button:
    """To a table against easy computer players. what: what was opened before, of who is through."""
    others = seating.fewest_opponents(lesson.game)
    return button(lesson, place, "open", say("lesson.button.open", n=others), "success", what)


def learn_button(game: str, say: Say) -> Button:
    """Begins the lesson of a game, or goes on with it."""
    return Button(say("lesson.start"), custom_ids.button(None, 0, "learn", game))


def lesson_page(
    lesson: Lesson,
    place: int,
    seen: Seen,
    step: Step | None,
    draft: str,
    back: bool,
    say: Say,
    *,
    remark: str = "",
    as_text: bool = False,
    returns: int = 0,
) -> Page:
    """The page without its pictures, see `hand.illustrated`. step, draft, back: the open choice, None where
    the step has only something to read. remark: what to say about the last click, by the buttons if there is
    room. as_text: with the text board. returns: how often the learner went back on this page."""
    assert seen.view is not None
    key, count = step_key(lesson, place), len(lesson.steps)
    names = companions(lesson, say)
    name = wording.game_name(lesson.game, say)
    lines = [say("lesson.heading", game=name, number=place + 1, count=count)]
    lines += recap_lines(seen, say)
    lines += ["", say(key, **names)] if len(lines) > 1 else [say(key, **names)]
    asked = lesson.steps[place]
    question: list[str] = []
    if step is not None:
        question += [f"-# {forced}"] if (forced := made_for_them(step, say)) else []
        question.append(f"**{wording.literal(step.question.said(say))}**")
    drawn: list[Block] = [UNDRAWN] * (MOST_SHARED + 1)
    if as_text:
        drawn.append(Text(text_board(seen.table, seen.view, say)))
    controls: Sequence[Block] = ()
    if step is not None:
        controls = step_controls(partial(control, lesson, place), step, draft, back, say, returns=returns)
    first: list[Button] = []
    if asked.refused and not draft:
        first.append(button(lesson, place, "try", say(f"{key}.try")))
    if step is None and place + 1 < count:
        first.append(button(lesson, place, "next", say("lesson.button.next"), "primary"))
    elif step is None:
        first.append(_open_button(lesson, place, say))
    around = [button(lesson, place, "previous", say("lesson.button.previous"))] if place else []
    around += [button(lesson, place, "again", say("lesson.button.again"))] if place else []
    around.append(button(lesson, place, "leave", say("lesson.button.leave")))
    ways = ([*first, *around], [*first, around[-1]], first)
    above = [Text("\n".join([*lines, *filter(None, [remark]), *question])), *drawn, *controls]
    layouts = [(above, shown) for shown in ways]
    if remark:  # beneath the picture it is in sight of whoever has pressed a button there
        beneath = [Text("\n".join([*lines, *question])), *drawn, Text(remark), *controls]
        layouts = [*[(beneath, shown) for shown in ways[:2]], *layouts]
    for blocks, shown in layouts:
        whole = [*blocks, Buttons(tuple(shown))] if shown else blocks
        if room(whole) + MOST_SHARED * (not asked.table) >= 0:  # what is not drawn takes no room
            return page(*whole, accent=ACCENT)
    return page(*above, accent=ACCENT)


def left_page(lesson: Lesson, place: int, say: Say) -> Page:
    """In place of the lesson, for who leaves it: where they stand, and the way back."""
    name = wording.game_name(lesson.game, say)
    told = say("lesson.left", game=name, number=place + 1, count=len(lesson.steps))
    return note(told, Buttons((button(lesson, place, "go", say("lesson.button.on"), "primary"),)))


def again_page(lesson: Lesson, place: int, say: Say) -> Page:
    """Asks whether to begin anew."""
    told = say("lesson.again", number=place + 1, count=len(lesson.steps))
    sure = button(lesson, place, "again", say("lesson.button.again"), "danger", "sure")
    return note(told, Buttons((sure, button(lesson, place, "go", say("lesson.button.on")))))


def through_page(
    lesson: Lesson, at: Progress, say: Say, opened: Table | None, there: Say, *, under_way: bool = False
) -> Page:
    """For who is through. opened: the table that was opened for them by it; without one they can open one.
    there: what its lobby is worded by, whose button is named. under_way: whether it is being opened."""
    name = wording.game_name(lesson.game, say)
    told = [say("lesson.through", game=name)]
    ways: list[Button | Link] = []
    url = wording.table_link(opened) if opened is not None else None
    if url is not None:
        ways.append(Link(say("table.button.go"), url))
    if opened is not None and (url is not None or opened.place.direct):
        told.append(say("lesson.opened", table=opened.id, start=there("lobby.button.start")))
    elif opened is not None:  # Discord has not taken its message as yet
        told.append(say("lobby.later", table=opened.id))
    elif under_way:
        told.append(say("lesson.opening"))
        ways.append(button(lesson, at.place, "go", say("lesson.button.on"), "primary"))
    else:
        ways.append(_open_button(lesson, at.place, say, at.draft))
    ways.append(button(lesson, at.place, "again", say("lesson.button.again")))
    return note("\n".join(told), Buttons(tuple(ways)))
