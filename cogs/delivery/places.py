"""What happens to the places where tables are shown: messages, threads and channels deleted, threads put to
sleep or locked, permissions changed, the bot thrown out and invited again.

Each event asks the store for the tables it concerns, and for those alone: they are put up afresh, parked, or
looked at again where something was left undone. Nothing here needs a privileged intent; where an event never
came (the bot was down), the next failing call leads to the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.discord_io import DiscordIO
from bot.tables.model import Status, Table
from bot.tables.service import Tables
from bot.tables.shown import Shown

from .posts import Posts
from .repaints import Repaints


class Places:
    def __init__(self, tables: Tables, shown: Shown, io: DiscordIO, posts: Posts, repaints: Repaints) -> None:
        self._tables = tables
        self._shown = shown
        self._io = io
        self._posts = posts
        self._repaints = repaints

    async def messages_gone(self, guild: int, messages: Sequence[int]) -> None:
        """Put up anew what is still needed: the lobby message in the lobby, afterwards the table message."""
        self._posts.deleted.note(messages)
        await self._miss(await self._shown.tables_showing(guild, messages))

    async def look_for_gone(self, guild: int) -> None:
        """As `messages_gone`, for all that Discord told was deleted lately."""
        await self._miss(await self._tables.tables_at(guild))

    async def _miss(self, tables: Sequence[Table]) -> None:
        for table in tables:
            place = table.place
            shown = place.lobby_message if table.status is Status.LOBBY else place.table_message
            if shown is not None:
                await self._posts.miss(table.id, shown)

    async def thread_gone(self, guild: int, thread: int) -> None:
        """The game goes on in a new thread, or in the channel."""
        self._io.place_changed(thread)
        found = await self._shown.tables_showing(guild, (thread,))
        # What this was the thread of comes last: a thread made anew has the same id (that of the lobby
        # message), and must not be taken for the deleted one where one of the others has to be tried again.
        for table in sorted(found, key=lambda table: table.place.thread == thread):
            if table.place.thread == thread:
                self._repaints.shows(table.id, 0)
                await self._shown.unseen(table.id)  # first: without the thread it is not found here again
                await self._shown.placed(table.id, thread=None, table_message=None, notice_message=None)
                await self._repaints.missed(table.id, noted=True)
            elif table.place.channel == thread:  # opened inside somebody's thread
                await self._repaints.park(table.id)

    async def thread_changed(self, guild: int, thread: int) -> None:
        """Woken, unlocked, put to sleep: what is behind is tried again. A sleeping thread is left asleep
        until the game moves on."""
        self._io.place_changed(thread)
        await self._look_again(await self._shown.tables_showing(guild, (thread,)))
        await self._look_again(await self._ended_in(guild, thread))

    async def channel_gone(self, guild: int, channel: int) -> None:
        """Parked: the game is played on by the private pages, and moves where a player asks for it with
        `/table show`."""
        self._io.place_changed(channel)
        for table in await self._shown.tables_showing(guild, (channel,)):
            await self._repaints.park(table.id)

    async def guild_gone(self, guild: int) -> None:
        """Thrown out: every table there is parked."""
        for table in await self._tables.tables_at(guild):
            await self._repaints.park(table.id, away=True)

    async def guild_back(self, guild: int) -> None:
        """Invited (again): whatever tables were left here are put up anew."""
        for table in await self._tables.tables_at(guild):
            self._repaints.reopen(table)
            self._repaints.refresh(table.id)
        await self._look_again(await self._shown.ended_behind(guild))

    async def permissions_changed(self, guild: int, channel: int | None = None) -> None:
        """In one channel, or anywhere on the server."""
        tables = self._tables
        if channel is None:
            await self._look_again(await tables.tables_at(guild))
            await self._look_again(await self._shown.ended_behind(guild))
        else:
            await self._look_again(await self._shown.tables_showing(guild, (channel,)))
            await self._look_again(await self._ended_in(guild, channel))

    async def _ended_in(self, guild: int, channel: int) -> list[Table]:
        """Ended tables in a channel or thread that still look as if they were on."""
        behind = await self._shown.ended_behind(guild)
        return [table for table in behind if table.place.takes_in(channel)]

    async def _look_again(self, tables: Sequence[Table]) -> None:
        for table in tables:
            if table.painted < table.revision or table.owed:
                self._repaints.reopen(table)
                self._repaints.look_again(table.id)
