"""Showing a table that was just opened."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.tables.model import Table, TableId
from bot.tables.ports import StoreTrouble
from cogs.input.errors import reference
from cogs.input.press import Press
from cogs.surfaces.components import note


@dataclass(slots=True)
class Opening:
    """shown: the revision that the lobby message shows, 0 as long as there is none."""

    shown: int = 0


@asynccontextmanager
async def opening(press: Press, table: Table, old: TableId | None = None) -> AsyncIterator[Opening]:
    """While its opener shows a new table nobody else posts its lobby; afterwards the painter has it, whatever
    came of that. old: the table it is the rematch of, which is left alone too: it leads to the lobby message.
    The new one is stored: a failure is told as what it is, not as if nothing had changed."""
    made = Opening()
    try:
        yield made
    except Exception as error:
        if not isinstance(error, StoreTrouble):  # which the store has told
            reference(error, "a table's opening")
        await press.show(note(press.say("lobby.later", table=table.id)))
    finally:
        press.services.repaints.release(table.id, made.shown)
        if old is not None:
            press.services.repaints.release(old)
