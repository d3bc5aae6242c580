"""Turn notices: one ping per person per turn, on one way only.

What is owed to whom is the tables' to say (`Shown.owed_at`): a turn's start, being the last one missing, a
reminder, the end of an expired lobby. Whose time has come (`Timing`) is sent here the way the person chose,
replacing the notice before, and noted as told in one transaction with its message, so that a notice owed when
the bot went down is sent once when it is back. What is held back is looked at again when its time comes: by a
timer where that is soon (and noted when the process stops), else by the sweep, which the store tells of it.

channel: a mention, in the table message where that was just sent afresh, else in a short message with the way
to one's move. dm: see `Letters`. A closed one is noted and nothing is posted instead: the person is told at
their next click. none: nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from cachetools import LRUCache

from bot.discord_io import DiscordIO, Failed, Why
from bot.locale import sayer
from bot.rules.game import Say
from bot.tables.model import Owed, Seen, Status, Table, TableId, Telling, UserId
from bot.tables.ports import Clock, StoreTrouble
from bot.tables.service import Tables
from bot.tables.shown import Shown
from cogs.surfaces.components import Page
from cogs.surfaces.hand import sends_hands
from cogs.surfaces.notices import aside_page, notice_page
from cogs.surfaces.recap import recap_lines

from .direct_messages import DirectMessages
from .languages import Languages
from .letters import Letters
from .posts import Posts
from .repaints import SWEPT, Repaints
from .retries import Tries
from .timing import KEPT, Timing

TOGETHER = 10.0  # seconds after which it is looked again whether the one notice was given


class Notices:
    def __init__(
        self,
        tables: Tables,
        shown: Shown,
        io: DiscordIO,
        clock: Clock,
        languages: Languages,
        direct: DirectMessages,
        repaints: Repaints,
        posts: Posts,
        timing: Timing,
        letters: Letters,
    ) -> None:
        self._tables = tables
        self._shown = shown
        self._io = io
        self._clock = clock
        self._languages = languages
        self._direct = direct
        self._repaints = repaints
        self._posts = posts
        self._letters = letters
        self.timing = timing
        self._tries = Tries()
        # Held back for so short that it is not stored until the process stops: which, and until when.
        self._briefly: LRUCache[tuple[TableId, UserId], tuple[int, datetime]] = LRUCache(KEPT)

    async def leave(self) -> None:
        """The process stops: the next one holds back what this one would have."""
        now = self._clock.now()
        with suppress(StoreTrouble):  # else they come at once
            for (table, user), (due, until) in list(self._briefly.items()):
                if until > now:
                    await self._shown.held(table, user, due, until)

    async def ripe(self, table: Table) -> list[Owed]:
        """The notices of a table whose time has come. The others are held back, or given up where their
        person wants none."""
        if not table.owed:
            return []
        found: list[Owed] = []
        for due in await self._shown.owed_at(table.id):
            at = await self.timing.at(due)
            if at is None:
                await self._shown.notified(table.id, due.user, due.seat.due)
            elif at > self._clock.now():
                await self._hold(due, at)
            elif await self._is_first(due):
                found.append(due)
        return found

    async def _is_first(self, due: Owed) -> bool:
        """Whether it is to be given. Of what waited for the bot to be back each person gets one notice in
        the channels (see `Backlog`): the others wait until that was given, and are told with it."""
        backlog, here = self._repaints.backlog, due.table.id
        if not backlog.holds(due.table) or await self.timing.way(due) != "channel":
            return True
        there = backlog.called(due.user, here)
        if there == here:
            return True
        table = await self._tables.find(there)
        if table is None or self._repaints.is_parked(there):
            backlog.take_over(due.user, here)
            return True
        if any(seat.user == due.user for seat in table.owed):
            backlog.wait(here)
            self._repaints.again(here, TOGETHER)
        else:
            backlog.told(here)
            await self._shown.notified(here, due.user, due.seat.due)
        return False

    async def _hold(self, due: Owed, until: datetime) -> None:
        wait = until - self._clock.now()
        if wait <= SWEPT:
            self._briefly[due.table.id, due.user] = (due.seat.due, until)
            self._repaints.again(due.table.id, wait.total_seconds())
        elif due.seat.held != until:
            await self._shown.held(due.table.id, due.user, due.seat.due, until)

    async def settings_changed(self, user: int) -> None:
        """What is owed to this person may be due at another time now."""
        for due in await self._shown.waiting(user):
            self._repaints.mark(due.table.id)

    async def next_at(self, user: UserId) -> datetime | None:
        """When the first of what is owed to this person comes; None where nothing does."""
        owed = [due for due in await self._shown.waiting(user) if due.seat in due.table.owed]
        times = [await self.timing.at(due) for due in owed]
        return min((at for at in times if at is not None), default=None)

    async def send(
        self,
        table: Table,
        owed: Sequence[Owed],
        told: Sequence[int],
        language: str,
        say: Say,
        seen: Seen | None = None,
    ) -> float:
        """owed: those whose time has come. told: those whom the table message that was just sent has pinged
        already. seen: the table with what happened there, as a spectator may know it. Answers after how many
        seconds something left undone may be tried again, 0 where nothing is."""
        by_channel: list[Owed] = []
        failures: list[Failed] = []
        for due in owed:
            if due.user in told:
                continue
            if await self.timing.way(due) == "channel":
                by_channel.append(due)
            elif (failed := await self._letters.tell(due)) is not None:
                failures.append(failed)
        if by_channel:
            slower = await self.timing.slower(due.user for due in by_channel)
            called = [due.seat.index for due in by_channel]
            lately = recap_lines(seen, say, brief=True, called=called) if seen is not None else []
            back = self._repaints.backlog.holds(table)
            page = notice_page(table, by_channel, language, say, lately=lately, slower=slower, back=back)
            failed = await self._in_channel(table, by_channel, page)
            failures += [failed] if failed is not None else []
        elif told or not await self._stands(table):
            await self._take_back(table)
        return self._wait(table.id, failures)

    async def _stands(self, table: Table) -> bool:
        """Whether the last notice in the channel still holds: of somebody who was told there of this very
        choice. Who has moved and is due again knows of it, and the lines would be of the turn before."""
        if table.status is Status.ENDED:
            return False
        if table.place.notice_message is None:
            return True
        told = [seat for seat in table.humans if seat.since and seat.since <= seat.due <= seat.notified]
        ways = [(await self._tables.user(seat.user)).notices for seat in told if seat.user is not None]
        return "channel" in ways

    async def _in_channel(self, table: Table, owed: Sequence[Owed], page: Page) -> Failed | None:
        """None when it is done with: sent, or never to arrive. Else why it must wait."""
        place = table.place
        newest = max(due.seat.due for due in owed)
        result = await self._posts.post(
            table, "notice", place.thread or place.channel, page, due=newest, telling=telling(owed)
        )
        if not isinstance(result, Failed):
            return None
        if result.why is Why.LATER:
            return result
        for due in owed:  # where it is refused nobody can be told there; the table message was painted
            self._repaints.backlog.cannot(due.user, table.id)
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
        """The last notice in the channel has to go; after the end also those that were sent by direct message
        for this table alone, before there were letters (a hand stays)."""
        if table.status is Status.ENDED and not sends_hands(table):
            for seat in table.humans:
                if seat.hand_message is not None and seat.user is not None:
                    await self._shown.hand_placed(table.id, seat.user, None, None)
        if table.place.notice_message is not None:
            await self._shown.placed(table.id, notice_message=None)

    async def tell_owner(self, table: Table) -> None:
        """That a table cannot be loaded, to the one person of whom it is known that they manage the server.
        The table message tells it to everybody else."""
        owner = self._io.owner_of(table.place.guild)
        if owner is None:
            return
        say = sayer(await self._languages.of(owner, self._io.guild_locale(table.place.guild)))
        await self._direct.tell(owner, aside_page(table, say), f"aside {table.id}")


def telling(owed: Sequence[Owed]) -> Telling:
    """What a message in the channel tells."""
    return Telling(tuple((due.table.id, due.user, due.seat.due) for due in owed))
