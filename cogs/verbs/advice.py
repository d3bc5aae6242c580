"""Hints on the open choice, on the private page of who asks for one: a tap tells where, another why."""

from __future__ import annotations

from bot.discord_io import is_gone
from cogs.delivery.panels import Kind
from cogs.input.press import Press
from cogs.surfaces import steps
from cogs.surfaces.advice import Told

from .private import current_sheet, show_current, touch


async def hint(press: Press) -> None:
    await _tell(press, why=False)


async def why(press: Press) -> None:
    await _tell(press, why=True)


async def _tell(press: Press, *, why: bool) -> None:
    """The argument is the mark of the page's controls."""
    touch(press)
    pressed = press.services.panels.pressed(press.interaction)
    found = await press.services.adviser.hint(press.table, press.person, press.revision)
    press.services.private.tell(press.person.id, press.table, Told(found, why))
    returns = steps.read_mark(press.argument)[1]
    # What they have opened while it was sought stays, and the hint is there when they come back.
    if pressed is None or is_gone(await press.answer.acknowledge()):
        await show_current(press, press.table, returns=returns)
        return
    seen = await press.tables.view(press.table, press.person.id, recap=True)
    before = press.services.panels.pressed(press.interaction)
    if before is not None and before.kind is Kind.HAND:
        after = await current_sheet(press, seen, returns=returns)
        press.services.panels.came(press.person.id, before, after)
