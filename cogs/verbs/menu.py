"""The menu of a table, and what in it is one's own to do."""

from __future__ import annotations

from bot.tables.model import Seen, Status
from bot.tables.ports import Aside, Ended, NotSeated, NotStarted, Refusal
from cogs import custom_ids
from cogs.input.press import Press
from cogs.surfaces import wording
from cogs.surfaces.components import Button, Buttons, Link, Page, note
from cogs.surfaces.menu import menu_page

from .private import seen_by


def menu_of(press: Press, seen: Seen, remark: str = "") -> Page:
    return menu_page(seen, press.person.id, press.language, press.say, remark)


async def menu(press: Press) -> None:
    seen = await seen_by(press)
    await press.show(menu_of(press, seen))


async def snooze(press: Press) -> None:
    await press.tables.snooze(press.table, press.person)
    await press.turn_to(menu_of(press, await seen_by(press), press.say("menu.snoozed")))


async def end(press: Press) -> None:
    """The host ends the table. Asks first; argument `sure` does it."""
    table = await press.tables.table(press.table)
    if press.argument != "sure":
        sure = Button(
            press.say("menu.end.sure"), custom_ids.button(table.id, table.revision, "end", "sure"), "danger"
        )
        await press.turn_to(note(press.say("menu.end.question"), Buttons((sure,))))
        return
    change = await press.tables.end(press.table, press.person)
    await press.turn_to(note(press.say(f"tables.ending.{change.table.ending}")))


async def resign(press: Press) -> None:
    """Asks first; argument `sure` does it."""
    seen = await seen_by(press)
    refusals: dict[Status, type[Refusal]] = {
        Status.ENDED: Ended,
        Status.LOBBY: NotStarted,
        Status.ASIDE: Aside,
    }
    if seen.table.status in refusals:
        raise refusals[seen.table.status](seen.table)
    if seen.seat is None:
        raise NotSeated(seen.table)
    if press.argument != "sure":
        sure = Button(
            press.say("menu.resign.sure"),
            custom_ids.button(press.table, seen.table.revision, "resign", "sure"),
            "danger",
        )
        await press.turn_to(note(press.say("menu.resign.question"), Buttons((sure,))))
        return
    change = await press.tables.resign(press.table, press.person)
    url = wording.table_link(change.table)
    await press.turn_to(
        note(press.say("menu.resigned"), Buttons((Link(press.say("table.button.go"), url),)) if url else None)
    )
