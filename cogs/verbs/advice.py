"""Hints on the open choice, on the private page of who asks for one: a tap tells where, another why."""

from __future__ import annotations

from cogs.input.press import Press
from cogs.surfaces import steps
from cogs.surfaces.advice import Told

from .private import show_current, touch


async def hint(press: Press) -> None:
    await _tell(press, why=False)


async def why(press: Press) -> None:
    await _tell(press, why=True)


async def _tell(press: Press, *, why: bool) -> None:
    """The argument is the mark of the page's controls."""
    touch(press)
    found = await press.services.adviser.hint(press.table, press.person, press.revision)
    press.services.private.tell(press.person.id, press.table, Told(found, why))
    await show_current(press, press.table, returns=steps.read_mark(press.argument)[1])
