"""Lessons: a game that is learnt by playing it, alone and in private.

A click is read as one on a table's private page (`choosing`), and judged by the lesson: what is asked for
leads to the next step, another legal move is answered with what to try, an illegal one with the rules'
refusal. Where the learner stands is stored; a page that shows another step than that is answered with the one
they are at.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from bot.lessons import Lesson, lesson_of
from bot.levels import Level
from bot.rules.errors import Illegal, RulesError, Unreadable
from bot.tables import seating
from bot.tables.model import Progress, Status, Table
from bot.tables.ports import Refusal, StoreTrouble
from bot.tables.taps import Chosen, Played, Resolve, Tried
from cogs.input.errors import Outdated, explain
from cogs.input.press import Press
from cogs.surfaces import steps
from cogs.surfaces.components import Page
from cogs.surfaces.hand import illustrated
from cogs.surfaces.lesson import (
    again_page,
    control,
    left_page,
    lesson_page,
    seen_in,
    step_key,
    through_page,
)
from rendering.scene import Picture

from . import choosing
from .opening import opening, place_of, place_to_play

OPENING = timedelta(seconds=15)  # that it may take to open a table; then it is taken to have failed
CHOOSING = frozenset({"pick", "way", "back", "act", "write", "play"})


async def learn(press: Press) -> None:
    """Begins the lesson of a game, or goes on with it, as a new private answer; argument: the game."""
    await begin(press, press.argument)


async def begin(press: Press, game: str) -> None:
    """As `learn`. Raises Outdated where the game has no lesson here."""
    lesson = _lesson(press, game)
    at = await _stands(press, lesson)
    if at is None:
        at = Progress()
        await press.tables.set_lesson(press.person.id, game, at, at)
    press.services.private.learns(press.person.id, game)
    await press.show(await _page(press, lesson, at))


async def tap(press: Press) -> None:
    """A control of a lesson's page; argument `<game>.<verb>.<what>`, revision the place it was made for."""
    game, _, rest = press.argument.partition(".")
    verb, _, what = rest.partition(".")
    lesson = _lesson(press, game)
    at = await _stands(press, lesson) or Progress()
    place, last = at.place, len(lesson.steps) - 1
    if verb == "leave" and place <= last:
        await press.part(left_page(lesson, place, press.say))
        return
    if press.revision != place or verb == "go":  # of a page of before; or it is only to be shown
        await press.part(await _page(press, lesson, at))
        return
    reading = place <= last and not lesson.steps[place].ask
    match verb:
        case "next" if reading and place < last:
            await _go(press, lesson, at, Progress(place + 1))
        case "previous" if 0 < place <= last:
            await _go(press, lesson, at, Progress(place - 1))
        case "again" if what or place in {1, last + 1}:
            await _go(press, lesson, at, Progress())
        case "again" if place:  # so much is not to be lost by a slip
            await press.part(again_page(lesson, place, press.say))
        case "try" if place <= last and lesson.steps[place].refused:
            await _judged(press, lesson, at, [lesson.steps[place].refused])
        case "open" if (reading and place == last) or (place > last and what == at.draft):
            await _open(press, lesson, at)
        case choice if choice in CHOOSING and place <= last and not reading:
            await _choose(press, lesson, at, choice, what)
        case _:
            await press.part(await _page(press, lesson, at))


def _lesson(press: Press, game: str) -> Lesson:
    """Raises Outdated where there is none here, and for a control that names a table: a lesson has none."""
    found = lesson_of(game)
    if found is None or not press.services.private.knows(game) or press.reached is not None:
        raise Outdated
    return found


async def _stands(press: Press, lesson: Lesson) -> Progress | None:
    """Where they stand. A lesson that has become shorter since is not left behind."""
    at = await press.tables.lesson(press.person.id, lesson.game)
    return at if at is None or at.place <= len(lesson.steps) else await _shorter(press, lesson, at)


async def _shorter(press: Press, lesson: Lesson, at: Progress) -> Progress:
    now = Progress(len(lesson.steps))
    await press.tables.set_lesson(press.person.id, lesson.game, at, now)
    return now


async def _go(
    press: Press, lesson: Lesson, at: Progress, to: Progress, remark: str = "", returns: int = 0
) -> None:
    """They stand there from now on, unless another click of theirs was faster; the page where they stand."""
    if not await press.tables.set_lesson(press.person.id, lesson.game, at, to):
        to, remark = await _stands(press, lesson) or Progress(), ""
    await press.part(await _page(press, lesson, to, remark, returns))


async def _choose(press: Press, lesson: Lesson, at: Progress, verb: str, what: str) -> None:
    """A control of the move."""
    pages = press.services.private
    asked: list[steps.Ask] = []
    returns = 0
    resolve: Resolve
    match verb:
        case "pick":
            resolve = choosing.grown(pages, what, press.values)
            returns = steps.read_mark(what)[1]
        case "way":
            mark, _, value = what.partition(".")
            resolve = choosing.grown(pages, mark, (value,))
            returns = steps.read_mark(mark)[1]
        case "back":
            resolve = choosing.shrunk(pages, what)
            returns = steps.read_mark(what)[1] + 1
        case "act":
            resolve = choosing.named(pages, what)
        case "write":
            text = press.fields.get("text", "") if press.fields else None
            resolve = choosing.written(pages, what, text, asked)
        case _:
            resolve = choosing.confirmed(pages, what)
    off_loop = press.services.pictures.off_loop
    seen = await off_loop(seen_in, lesson, at, press.person, press.say)
    try:
        meant = await off_loop(resolve, seen)
    except Outdated:  # a step of before, of the same move
        await press.part(await _page(press, lesson, at))
        return
    match meant:
        case Chosen(draft) if verb == "back" or await off_loop(
            steps.leads_to, pages.step_of(seen.table), seen.view, draft, lesson.steps[at.place].ask
        ):  # what is asked for can still come of it
            await _go(press, lesson, at, Progress(at.place, lesson.kept(at.place, draft)), returns=returns)
        case Chosen(draft):  # of a menu the entry can be chosen again
            await press.part(await _page(press, lesson, at, _other(press, lesson, at, [draft]), returns + 1))
        case Played(move, written, then):
            await _judged(press, lesson, at, (move, *then), written=written)
        case Tried(move, _, written):
            await _judged(press, lesson, at, [move], written=written)
        case None:
            custom_id = control(lesson, at.place, "m", "write", what)
            await press.ask(choosing.form_of(asked[0], custom_id, press.say))


def _hint(press: Press, lesson: Lesson, at: Progress) -> str:
    return press.say(f"{step_key(lesson, at.place)}.hint")


def _other(press: Press, lesson: Lesson, at: Progress, moves: Sequence[str]) -> str:
    """To who does what is allowed, but not what is asked for. moves: those, canonical, or the draft that is
    one."""
    hint = _hint(press, lesson, at)
    if lesson.is_unwise(at.place, moves):
        return press.say("lesson.unwise", why=press.say(f"{step_key(lesson, at.place)}.unwise"), hint=hint)
    return press.say("lesson.other", hint=hint)


async def _judged(
    press: Press, lesson: Lesson, at: Progress, moves: Sequence[str], *, written: bool = False
) -> None:
    """What comes of moves that are made. After a wrong one its choice begins anew."""
    read = partial(lesson.read, at.place, moves, written=written)
    try:
        moves = await press.services.pictures.off_loop(read)
    except (Illegal, Unreadable) as error:
        refusal = press.say("lesson.refused", why=explain(error, press.say))
        hint = press.say("lesson.hint", hint=_hint(press, lesson, at))
        await _go(press, lesson, at, Progress(at.place), f"{refusal}\n{hint}")
        return
    if lesson.is_asked(at.place, moves):
        await _go(press, lesson, at, Progress(at.place + 1))
    else:
        await _go(press, lesson, at, Progress(at.place), _other(press, lesson, at, moves))


async def _page(press: Press, lesson: Lesson, at: Progress, remark: str = "", returns: int = 0) -> Page:
    """Where they stand."""
    say, services = press.say, press.services
    if at.place == len(lesson.steps):
        return await _through(press, lesson, at, await _opened(press, lesson, at))
    seen = await services.pictures.off_loop(seen_in, lesson, at, press.person, say)
    assert seen.view is not None
    step, draft, before = None, "", None
    if lesson.steps[at.place].ask:  # then the turn is the learner's
        draft, step, before = await services.pictures.off_loop(services.private.open_step, seen)
    bare = lesson_page(
        lesson,
        at.place,
        seen,
        step,
        draft,
        before is not None,
        say,
        remark="\n".join(filter(None, (remark, await press.told()))),
        as_text=press.settings.text_board,
        returns=returns,
    )
    theme, over = press.settings.theme, seen.view.outcome is not None
    own: Sequence[Picture] = ()
    if not over:  # then nothing is one's own any more
        targets = step.targets if step else ()
        own = await services.pictures.of_hand(
            seen.table, seen.view, say, theme=theme, targets=targets, draft=draft
        )
    shared: Sequence[Picture] = ()
    if over or lesson.steps[at.place].table:
        shared = await services.pictures.of_table(seen.table, seen.view, say, theme=theme)
    beside = [picture for picture in shared if not (own and picture.in_hand)]
    return illustrated(bare, seen, own, say, shared=beside)


async def _through(press: Press, lesson: Lesson, at: Progress, opened: Table | None) -> Page:
    there = press.say
    if opened is not None and not opened.place.direct:
        there = await press.services.languages.say_at(opened.place.guild)
    begun = at.begun
    under_way = begun is not None and press.services.clock.now() < begun + OPENING
    return through_page(lesson, at, press.say, opened, there, under_way=under_way)


async def _opened(press: Press, lesson: Lesson, at: Progress) -> Table | None:
    """The table that the lesson's end has opened, as long as it is a lobby where they sit: a second tap leads
    there too, and one after an end of the bot that came before its id was noted. Elsewhere it is not told
    of."""
    here, begun = place_of(press.services, press.interaction), at.begun

    def by_it(table: Table) -> bool:
        if begun is None:
            return table.id == at.draft
        its = table.game == lesson.game and table.host == press.person.id
        return its and begun <= table.created < begun + OPENING

    return next(
        (
            table
            for table in await press.tables.tables_of(press.person.id)
            if table.status is Status.LOBBY and by_it(table)
            if here is not None and table.place.guild == here.guild
        ),
        None,
    )


async def _open(press: Press, lesson: Lesson, at: Progress) -> None:
    """The lesson's end: a table here against easy computer players. Of two clicks one opens it; should the
    bot end meanwhile, who is through can open one all the same, after a while."""
    place, parent = place_to_play(press)
    through = Progress.opening(len(lesson.steps), press.services.clock.now())
    if not await press.tables.set_lesson(press.person.id, lesson.game, at, through):
        await press.part(await _page(press, lesson, await _stands(press, lesson) or Progress()))
        return
    computers = seating.fewest_opponents(lesson.game)
    try:
        change = await press.tables.open(
            press.person,
            place,
            lesson.game,
            people=computers + 1,
            computers=computers,
            level=Level.EASY,
            parent=parent,
        )
    except (Refusal, RulesError, StoreTrouble):
        await press.tables.set_lesson(press.person.id, lesson.game, through, at)
        raise
    async with opening(press, change.table):
        opened = Progress(through.place, change.table.id)
        await press.tables.set_lesson(press.person.id, lesson.game, through, opened)
        # first, so that what leads there knows the message
        await press.services.painter.paint(change.table.id)
        await press.part(await _through(press, lesson, opened, await press.tables.table(change.table.id)))
