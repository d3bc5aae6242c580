"""Looking back on one's own moves in a game that is over."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial

from bot.players.moments import Moment, Past
from bot.tables.model import SeatKind, Seen, Table
from bot.tables.moments import Looked, Stage
from bot.tables.names import stored
from bot.tables.ports import LooksElsewhere, NoMoments, Unreplayable
from bot.workers import Interrupted
from cogs.delivery.panels import Sheet
from cogs.input.errors import Outdated
from cogs.input.press import Press
from cogs.surfaces.advice import marked_by
from cogs.surfaces.components import Page, note
from cogs.surfaces.moments import BETTER, looking, looks_elsewhere, moment_page, none_found, not_now

from .private import reading_sheet, seen_by, show_reading

log = logging.getLogger(__name__)


async def moments(press: Press) -> None:
    """What was found, on one page for each; argument: `<number>` or `<number>.better`, "" for the first.
    Where nobody has looked yet that is said at once, and what comes of it follows on the same page."""
    seen = await seen_by(press)
    try:
        past = await press.services.moments.past(press.table, press.person.id)
    except NoMoments as nothing:
        await show_reading(press, note(press.say(nothing.key)), seen)
        return
    looked = press.services.moments.kept(press.table, press.person.id)
    if looked is not None:
        await show_reading(press, await _page(press, seen, past, looked), seen)
        return
    stage = press.services.moments.stage(press.table, press.person.id)
    waits = reading_sheet(press, looking(seen.table, stage, press.say), seen)
    await press.turn_to(waits)
    look = partial(_look, press, past, waits)
    press.services.background.spawn("moments", look, str(press.interaction.id))


async def _look(press: Press, past: Past, waits: Sheet) -> None:
    """Think, and turn the page that waits to how far that is, and in the end to what was found."""
    seen, user = waits.seen, press.person.id
    known = press.services.moments

    def turn(shown: Page) -> None:
        nonlocal waits
        before, waits = waits, reading_sheet(press, shown, seen)
        if waits.outline != before.outline:
            press.services.panels.came(user, before, waits)

    def tell(stage: Stage) -> None:
        turn(looking(seen.table, stage, press.say))

    try:
        kept = known.kept(press.table, user)
        looked = kept if kept is not None else await known.look(seen.table, user, past, tell)
        shown = await _page(press, seen, past, looked)
    except Unreplayable as damaged:
        shown = note(press.say(damaged.key))
    except LooksElsewhere as busy:
        shown = looks_elsewhere(seen.table, busy, press.say)
    except Interrupted:
        shown = not_now(seen.table, press.say)
    except Exception:
        log.exception("table %s: the moves of a person could not be looked back on", press.table)
        shown = not_now(seen.table, press.say)
    turn(shown)


async def _page(press: Press, seen: Seen, past: Past, looked: Looked) -> Page:
    if not looked:
        return none_found(seen.table, len(past.own), press.say)
    wanted, _, on_trial = (press.argument or "1").partition(".")
    if not wanted.isdecimal() or not 1 <= int(wanted[:2]) <= len(looked):
        raise Outdated
    number = int(wanted[:2]) - 1
    moment = looked[number]
    table = _as_its_reader_knows_it(press, seen.table, moment)
    draw = partial(press.services.pictures.of_hand, table, moment.view, press.say, theme=press.settings.theme)
    plain, tried = await draw(), await draw(draft=marked_by(moment.better))
    better = on_trial == BETTER
    return moment_page(
        table,
        looked,
        number,
        tried if better else plain,
        press.say,
        as_text=press.settings.text_board,
        better=better,
        tried=[one.png for one in plain] != [one.png for one in tried],
    )


def _as_its_reader_knows_it(press: Press, table: Table, moment: Moment) -> Table:
    """The table with the person on the seat that they had then, whoever has it by now."""
    seats = list(table.seats)
    own = moment.view.seat
    assert own is not None
    person = press.person
    if seats[own].user != person.id:
        name = stored(person.name, person.id)
        seats[own] = replace(seats[own], kind=SeatKind.HUMAN, user=person.id, name=name)
    return replace(table, seats=tuple(seats))
