"""The menu of a table, and what in it is one's own to do."""

from __future__ import annotations

from bot.tables.model import Seen
from bot.tables.needs import need_seat, need_started
from cogs import custom_ids
from cogs.input.press import Press
from cogs.surfaces import wording
from cogs.surfaces.components import Button, Buttons, Link, Page, note
from cogs.surfaces.menu import menu_page

from .private import seen_by, touch


def menu_of(press: Press, seen: Seen, remark: str = "") -> Page:
    return menu_page(seen, press.person.id, press.language, press.say, remark)


async def menu(press: Press) -> None:
    seen = await seen_by(press)
    await press.show(menu_of(press, seen))


async def snooze(press: Press) -> None:
    seen = await press.tables.snooze(press.table, press.person)
    touch(press)
    await press.turn_to(menu_of(press, seen, press.say("menu.snoozed")))


async def end(press: Press) -> None:
    """The host ends the table. Asks first; argument `sure` does it."""
    if press.argument != "sure":
        table = press.found
        sure = Button(
            press.say("menu.end.sure"), custom_ids.button(table.id, table.revision, "end", "sure"), "danger"
        )
        await press.turn_to(note(press.say("menu.end.question"), Buttons((sure,))))
        return
    change = await press.tables.end(press.table, press.person)
    await press.turn_to(note(press.say(f"tables.ending.{change.table.ending}")))


async def resign(press: Press) -> None:
    """Asks first; argument `sure` does it."""
    if press.argument != "sure":
        table = (await seen_by(press)).table
        need_started(table)
        need_seat(table, press.person.id)
        sure = Button(
            press.say("menu.resign.sure"),
            custom_ids.button(table.id, table.revision, "resign", "sure"),
            "danger",
        )
        await press.turn_to(note(press.say("menu.resign.question"), Buttons((sure,))))
        return
    touch(press)
    change = await press.tables.resign(press.table, press.person)
    url = wording.table_link(change.table)
    await press.turn_to(
        note(press.say("menu.resigned"), Buttons((Link(press.say("table.button.go"), url),)) if url else None)
    )
