"""Turn notices: one ping per person per turn, on one way only.

What is owed to whom is the tables' to say (`Shown.owed_at`): a turn's start, being the last one missing, a
reminder, the end of an expired lobby. Here it is sent the way the person chose, replacing the notice before,
and marked as sent, so that a notice owed when the bot went down is sent once when it is back.

channel: a mention, in the table message where that was just sent afresh, else in a short message with a link.
dm: a direct message with a link. A closed one is noted and nothing is posted instead: the person is told at
their next click. none: nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.discord_io import DiscordIO, Failed, Why
from bot.locale import sayer
from bot.rules.game import Say
from bot.tables.model import Owed, Status, Table, TableId
from bot.tables.service import Tables
from bot.tables.shown import Shown
from cogs.surfaces.components import render
from cogs.surfaces.hand import sends_hands
from cogs.surfaces.notices import aside_page, dm_page, notice_page

from .direct_messages import DirectMessages
from .hands import Hands
from .languages import Languages
from .posts import Posts
from .retries import Tries


class Notices:
    def __init__(
        self,
        tables: Tables,
        shown: Shown,
        io: DiscordIO,
        languages: Languages,
        direct: DirectMessages,
        posts: Posts,
        hands: Hands,
    ) -> None:
        self._tables = tables
        self._shown = shown
        self._io = io
        self._languages = languages
        self._direct = direct
        self._posts = posts
        self._hands = hands
        self._tries = Tries()

    async def way(self, due: Owed) -> str:
        """ "channel", "dm" or "none". A table in direct messages has no channel."""
        way = (await self._tables.user(due.user)).notices
        return "dm" if way == "channel" and due.table.place.direct else way

    async def send(
        self, table: Table, owed: Sequence[Owed], told: Sequence[int], language: str, say: Say
    ) -> float:
        """told: those whom the table message that was just sent has pinged already. Answers after how many
        seconds something left undone may be tried again, 0 where nothing is."""
        by_channel: list[Owed] = []
        failures: list[Failed] = []
        for due in owed:
            way = "none" if due.user in told else await self.way(due)
            if way == "channel":
                by_channel.append(due)
                continue
            failed = None if way == "none" else await self._by_dm(table, due)
            if failed is None:
                await self._shown.notified(table.id, due.user, due.seat.due)
            else:
                failures.append(failed)
        if by_channel:
            failed = await self._in_channel(table, by_channel, language, say)
            failures += [failed] if failed is not None else []
        elif told or table.status is Status.ENDED:
            await self._take_back(table)
        return self._wait(table.id, failures)

    async def _in_channel(self, table: Table, owed: Sequence[Owed], language: str, say: Say) -> Failed | None:
        """As `_by_dm`."""
        place = table.place
        page = notice_page(table, owed, language, say)
        newest = max(due.seat.due for due in owed)
        result = await self._posts.post(table, "notice", place.thread or place.channel, page, due=newest)
        if isinstance(result, Failed) and result.why is Why.LATER:
            return result
        for due in owed:  # where it is refused nobody can be told there; the table message was painted
            await self._shown.notified(table.id, due.user, due.seat.due)
        return None

    def _wait(self, table: TableId, failures: Sequence[Failed]) -> float:
        """Until the next try: as long as Discord says, else a few times; then a sweep comes by."""
        waits = [failed.retry_after for failed in failures if failed.retry_after > 0]
        quick = self._tries.after(table) if len(waits) < len(failures) else None
        if quick is None:
            self._tries.forget(table)
        return min([*waits, quick] if quick is not None else waits, default=0.0)

    async def _take_back(self, table: Table) -> None:
        """The last notice in the channel has to go; after the end also those sent by direct message (a hand
        stays)."""
        if table.status is Status.ENDED and not sends_hands(table):
            for seat in table.humans:
                if seat.hand_message is not None and seat.user is not None:
                    await self._shown.hand_placed(table.id, seat.user, None, None)
        if table.place.notice_message is not None:
            await self._shown.placed(table.id, notice_message=None)

    async def _by_dm(self, table: Table, due: Owed) -> Failed | None:
        """None when it is done with: sent, or never to arrive. Else why it must wait."""
        if sends_hands(table):
            return await self._hands.send_as_notice(table, due)
        say = sayer(await self._languages.of(due.user))
        sent = await self._posts.to_person(table, due.user, dm_page(table, due, say), due=due.seat.due)
        return sent if isinstance(sent, Failed) and sent.why is Why.LATER else None

    async def tell_owner(self, table: Table) -> None:
        """That a table cannot be loaded, to the one person of whom it is known that they manage the server.
        The table message tells it to everybody else."""
        owner = self._io.owner_of(table.place.guild)
        if owner is None or self._direct.hopeless(owner):
            return
        say = sayer(await self._languages.of(owner, self._io.guild_locale(table.place.guild)))
        opened = await self._direct.channel_of(owner)
        if isinstance(opened, Failed):
            return
        await self._io.send(opened.value, render(aside_page(table, say)), purpose=f"aside {table.id}")
