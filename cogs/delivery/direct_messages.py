"""Each person's direct messages: where they are, and whether they arrive."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from cachetools import TTLCache

from bot.background import Background
from bot.discord_io import DiscordIO, Done, Failed, Result
from bot.tables.model import UserId
from bot.tables.ports import Clock
from bot.tables.service import Tables
from cogs.surfaces.components import Page, render

from .members import give_up_who_left

CLOSED = timedelta(days=1)  # before one is tried again after one that was refused
NO_SERVER_IN_COMMON = 50278  # Discord's code
KEPT = 10_000  # people of whom is known that theirs are closed


class DirectMessages:
    def __init__(self, tables: Tables, io: DiscordIO, clock: Clock, background: Background) -> None:
        self._tables = tables
        self._io = io
        self._background = background
        # to whom one has failed within that time
        self._closed: TTLCache[UserId, bool, datetime] = TTLCache(KEPT, CLOSED, clock.now)

    async def channel_of(self, user: UserId, *, spare: int = 0) -> Result[int]:
        """The channel of this person's direct messages, asked of Discord once in their life. spare: as for
        `DiscordIO.open_dm`."""
        known = self._io.known_dm(user)
        if known is not None:
            return Done(known)
        stored = (await self._tables.user(user)).dm_channel
        if stored is not None:
            self._io.know_dm(user, stored)
            return Done(stored)
        opened = await self._io.open_dm(user, spare=spare)
        if isinstance(opened, Done):
            await self._tables.set_user(user, dm_channel=opened.value)
        return opened

    async def seen(self, user: UserId, channel: int) -> None:
        """Who acts from their direct messages has told where these are: Discord need not be asked."""
        if self._io.known_dm(user) == channel:
            return
        self._io.know_dm(user, channel)
        if (await self._tables.user(user)).dm_channel != channel:
            await self._tables.set_user(user, dm_channel=channel)

    async def tell(self, user: UserId, page: Page, purpose: str, *, spare: int = 0) -> None:
        """A message that nobody keeps: tried once, and only where it may arrive. purpose: as of
        `DiscordIO.send`. spare: as for `channel_of`."""
        if self.hopeless(user):
            return
        own = await self.channel_of(user, spare=spare)
        if isinstance(own, Done):
            await self._io.send(own.value, render(page), purpose=purpose)

    async def gone(self, user: UserId) -> None:
        """Discord knows that channel no more: it is asked for again."""
        self._io.know_dm(user, None)
        await self._tables.set_user(user, dm_channel=None)

    async def failed(self, guild: int, user: UserId, failed: Failed) -> None:
        """Told to the person at their next click, and not tried again for a day. Without a server in common
        they have left it, or the bot has. guild: 0 for a table that is on none."""
        await self._tables.set_user(user, dm_closed=True)
        self._closed[user] = True
        if failed.code == NO_SERVER_IN_COMMON and guild:
            gone = partial(give_up_who_left, self._tables, self._io, guild, user)
            self._background.spawn("left", gone, f"{guild} {user}")

    def hopeless(self, user: UserId) -> bool:
        """Whether one failed within the last day."""
        return user in self._closed

    def opened(self, user: UserId) -> None:
        """One arrived, or they say that it may."""
        self._closed.pop(user, None)
