"""When and on which way each notice goes: by its person's settings (`bot.tables.rhythm`), and not while they
are at the table."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from cachetools import LRUCache

from bot.tables import rhythm
from bot.tables.model import Change, Owed, TableId, UserId
from bot.tables.ports import Clock, Heard
from bot.tables.service import Tables
from bot.tables.shown import Shown

from .panels import LIVES, Panels

ACTIVE = timedelta(minutes=2)  # after a click on a living panel, or coming to a game
COMING = frozenset({"start", "take_seat"})  # changes by which somebody comes to a game that is played
KEPT = 4096  # comings, and clicks on kept private messages


class Timing:
    def __init__(self, tables: Tables, shown: Shown, clock: Clock, panels: Panels) -> None:
        self._tables = tables
        self._shown = shown
        self._clock = clock
        self._panels = panels
        self._began = clock.now()
        self._came: LRUCache[tuple[UserId, TableId], datetime] = LRUCache(KEPT)
        # newest click on a kept message: which, and when
        self._pressed: LRUCache[tuple[UserId, TableId], tuple[int, datetime]] = LRUCache(KEPT)

    def changed(self, change: Change) -> None:
        """Listener of `Tables`: who starts a game, or takes a seat in one, is there. (Who waits in a lobby
        may have gone to do something else.)"""
        if change.kind in COMING and change.actor is not None:
            self._came[change.actor, change.table.id] = self._clock.now()

    def heard(self, heard: Heard) -> None:
        """Whoever changes a table by another process is there: on what that keeps up to date before their
        eyes."""
        if heard.actor is not None:
            self._came[heard.actor, heard.table] = self._clock.now()

    def pressed(self, user: UserId, table: TableId, message: int) -> None:
        """This person has pressed a control of the table on a message kept in their direct messages."""
        self._pressed[user, table] = (message, self._clock.now())

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
        """Until when its player needs none, being at the table: for a while after they came and after every
        click on a living panel or on their hand in direct messages, and as long as a panel lives where nobody
        else plays whom they would let wait. None for who is not."""
        came = self._came.get((due.user, due.table.id))
        clicked = self._last_click(due)
        ends = [] if came is None else [came + ACTIVE]
        ends += self._held_before(due)
        if clicked is not None:
            alone = all(seat.user in {None, due.user} for seat in due.table.seats)
            ends.append(clicked + (LIVES if alone else ACTIVE))
        return max(ends, default=None)

    def _held_before(self, due: Owed) -> list[datetime]:
        """Until when the process before has held it back, if for a short while: of who was at the table then
        this one knows nothing else."""
        held, at = due.seat.held, due.seat.due_at
        if held is None or at is None or at >= self._began:
            return []
        return [held] if held - self._clock.now() <= LIVES else []

    def _last_click(self, due: Owed) -> datetime | None:
        """On what is kept up to date before their eyes."""
        on_panel = self._panels.last_click(due.user, due.table.id)
        message, on_hand = self._pressed.get((due.user, due.table.id), (None, None))
        if message is None or message != due.seat.hand_message:
            on_hand = None
        return max((one for one in (on_panel, on_hand) if one is not None), default=None)

    async def slower(self, users: Iterable[UserId]) -> dict[UserId, str]:
        """Whose notices come in another rhythm once these have got one more, and in which."""
        found: dict[UserId, str] = {}
        for user in users:
            settings, letter = await self._tables.user(user), await self._shown.letter(user)
            slower = rhythm.slowed(settings.rhythm, letter.unanswered + 1)
            if slower is not None:
                found[user] = slower
        return found
