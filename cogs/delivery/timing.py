"""When and on which way each notice goes: by its person's settings (`bot.tables.rhythm`), and not while they
are at the table."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from bot.tables import rhythm
from bot.tables.model import Owed, UserId
from bot.tables.service import Tables
from bot.tables.shown import Shown

from .panels import LIVES, Panels

ACTIVE = timedelta(minutes=2)  # after a click on a living panel


class Timing:
    def __init__(self, tables: Tables, shown: Shown, panels: Panels) -> None:
        self._tables = tables
        self._shown = shown
        self._panels = panels

    async def way(self, due: Owed) -> str:
        """ "channel", "dm" or "none". A table in direct messages has no channel."""
        way = (await self._tables.user(due.user)).notices
        return "dm" if way == "channel" and due.table.place.direct else way

    async def at(self, due: Owed) -> datetime | None:
        """When a notice that is owed is to be given; None for never."""
        settings = await self._tables.user(due.user)
        if settings.notices == "none":
            return None
        return rhythm.ring_at(due, settings, await self._shown.letter(due.user), self.busy_until(due))

    def busy_until(self, due: Owed) -> datetime | None:
        """Until when its player needs none, being at the table: for a while after every own click, and as
        long as the panel lives where nobody else plays whom they would let wait. None without a living
        panel."""
        clicked = self._panels.last_click(due.user, due.table.id)
        if clicked is None:
            return None
        alone = all(seat.user in {None, due.user} for seat in due.table.seats)
        return clicked + (LIVES if alone else ACTIVE)

    async def slower(self, users: Iterable[UserId]) -> dict[UserId, str]:
        """Whose notices come in another rhythm once these have got one more, and in which."""
        found: dict[UserId, str] = {}
        for user in users:
            settings, letter = await self._tables.user(user), await self._shown.letter(user)
            slower = rhythm.slowed(settings.rhythm, letter.unanswered + 1)
            if slower is not None:
                found[user] = slower
        return found
