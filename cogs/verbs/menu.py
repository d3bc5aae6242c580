"""The menu of a table, and what in it is one's own to do."""

from __future__ import annotations

from bot.tables.model import Seen
from bot.tables.needs import need_seat, need_started
from cogs import custom_ids
from cogs.delivery.panels import Kind, Sheet
from cogs.delivery.private_pages import Outline
from cogs.input.press import Press
from cogs.surfaces import wording
from cogs.surfaces.components import Button, Buttons, Link, note
from cogs.surfaces.menu import is_alone, menu_page

from .private import declined_lines, seen_by, show_reading, touch


async def show_menu(press: Press, seen: Seen, remark: str = "") -> None:
    shown = menu_page(seen, press.person.id, press.language, press.say, remark)
    await press.turn_to(Sheet(Kind.MENU, Outline(shown, seen, press.say)))


async def menu(press: Press) -> None:
    seen = await seen_by(press)
    await show_menu(press, seen, "\n".join(await declined_lines(press, seen.table)))


async def snooze(press: Press) -> None:
    seen = await press.tables.snooze(press.table, press.person)
    touch(press)
    await show_menu(press, seen, press.say("menu.snoozed"))


async def end(press: Press) -> None:
    """The host ends the table. Asks first; argument `sure` does it."""
    if press.argument != "sure":
        await _ask_first(press, await seen_by(press), "end")
        return
    change = await press.tables.end(press.table, press.person)
    await press.part(note(press.say(f"tables.ending.{change.table.ending}")))


async def resign(press: Press) -> None:
    """Asks first; argument `sure` does it."""
    if press.argument != "sure":
        seen = await seen_by(press)
        need_started(seen.table)
        need_seat(seen.table, press.person.id)
        await _ask_first(press, seen, "resign")
        return
    touch(press)
    change = await press.tables.resign(press.table, press.person)
    url = wording.table_link(change.table)
    await press.part(
        note(press.say("menu.resigned"), Buttons((Link(press.say("table.button.go"), url),)) if url else None)
    )


async def _ask_first(press: Press, seen: Seen, verb: str) -> None:
    table = seen.table
    sure = custom_ids.button(table.id, table.revision, verb, "sure")
    who = "alone" if is_alone(table) else "question"
    question = note(
        press.say(f"menu.{verb}.{who}"), Buttons((Button(press.say(f"menu.{verb}.sure"), sure, "danger"),))
    )
    await show_reading(press, question, seen)
