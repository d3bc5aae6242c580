"""Keeps what Discord shows in step with what is stored.

Every stored change marks its table here (`changed` is a listener of `Tables`). One job per table works the
mark off: paint the lobby or table message, then send the notices that are owed, then the private hands.
Marks that come meanwhile are joined; a message is painted at most once per `House.pace` seconds. The
revision painted is stored, so whatever a crash or a failing Discord left behind is found again at the start
and by the sweep.

What a failing call leads to:
- the message is gone, too old or its thread sleeps: one fresh message, and the old one is retired;
- it is deleted again and again: parked;
- a thread is gone: the table goes on in its channel;
- Discord is in trouble: again after a while, a few times, then the sweep's turn;
- a permission is missing, or the channel gone: the table is parked. Nothing more is tried until somebody
  touches the table, or the bot resumes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import discord
from cachetools import LRUCache

from bot.discord_io import OLD, Done, Failed, Result, Why
from bot.locale import sayer
from bot.rules.game import Say
from bot.tables.model import Change, Owed, Seen, Status, Table, TableId
from bot.tables.ports import NotFound
from rendering.scene import Picture

from . import mail, words
from .lobby import lobby_page
from .notices import Notices
from .page import Page, render
from .table_message import table_page

if TYPE_CHECKING:
    from .house import House

log = logging.getLogger(__name__)

AT_ONCE = 8  # tables painted at the same time
KEPT = 4096  # tables remembered, by what saves calls or keeps the pace
PARKED = timedelta(days=1)  # how long the sweep leaves a parked table alone
MISSED = (3, 600.0)  # put up anew so often in so many seconds; then whoever deletes it has won
CHECKED = frozenset({"remind", "overdue", "timeout"})  # changes at which it is asked who is still here
NEEDED = ("view_channel", "send_messages", "attach_files")
NEEDED_IN_THREAD = ("view_channel", "send_messages_in_threads", "attach_files")
FOR_THREADS = ("create_public_threads", "send_messages_in_threads")


class Painter:
    def __init__(self, house: House) -> None:
        self.house = house
        self.notices = Notices(house)
        self._marked: set[TableId] = set()
        self._last: LRUCache[TableId, float] = LRUCache(KEPT)  # loop time of the last repaint, for the pace
        self._tries = mail.Tries()
        self._parked: set[TableId] = set()
        self._away: set[TableId] = set()  # those of them on servers that we were thrown out of
        self._held: set[TableId] = set()
        self._forced: set[TableId] = set()
        self._retired: LRUCache[str, bool] = LRUCache(KEPT)  # lobbies known to be turned into links
        self._missed: LRUCache[TableId, list[float]] = LRUCache(KEPT)  # when its message was deleted
        self._timers: dict[TableId, asyncio.TimerHandle] = {}
        self._resumes: dict[TableId, asyncio.TimerHandle] = {}  # at the end of the bot's time-out
        # the revision that the public message shows, hands aside
        self._public: LRUCache[TableId, int] = LRUCache(KEPT)
        self._gate = asyncio.Semaphore(AT_ONCE)

    # marking

    def changed(self, change: Change) -> None:
        """Listener of `Tables`. A table just opened is left to its opener, whose answer is the lobby
        message, until `release`."""
        if change.kind == "open" and change.table.place.lobby_message is None:
            self._held.add(change.table.id)
        if change.actor is not None and change.table.id in self._parked - self._away:
            self._parked.discard(change.table.id)  # people play on: one attempt
            self._tries.use_up(change.table.id)
        elif change.actor is not None and self._tries.all_made(change.table.id):
            self._tries.forget(change.table.id)  # given up before: people play on, so from the start
        if change.kind == "aside":
            self.refresh(change.table.id)  # of a damaged row nothing new is stored
            self.house.background.spawn(
                "aside", partial(self.notices.tell_owner, change.table), change.table.id
            )
        else:
            self.mark(change.table.id)
        if change.kind in CHECKED:
            self.house.background.spawn(
                "members", partial(self._who_is_here, change), f"{change.table.id} {change.table.revision}"
            )

    def release(self, table: TableId, shown: int = 0) -> None:
        """The lobby message was posted and shows revision `shown` (0: it could not be, then it is posted from
        here)."""
        self._held.discard(table)
        if shown:
            self._public[table] = shown
        self.mark(table)

    def mark(self, table: TableId) -> None:
        self._marked.add(table)
        self.house.background.spawn("paint", partial(self._work, table), table)

    def touch(self, table: Table) -> None:
        """Somebody is at the table: where it is behind, try again, even where it was parked."""
        if table.painted < table.revision and table.id not in self._away:
            self._parked.discard(table.id)
            self._tries.forget(table.id)
            self.mark(table.id)

    def refresh(self, table: TableId) -> None:
        """Paint it though it should be up to date: somebody misses it."""
        self._unpark(table)
        self._forced.add(table)
        self.mark(table)

    def look_again(self, table: TableId) -> None:
        """Something changed where it is shown: what is behind or owed is tried again, parked or not."""
        self._unpark(table)
        self._tries.forget(table)
        self.mark(table)

    async def missed(self, table: TableId) -> None:
        """Its message or thread was deleted: put up anew, but not against somebody who deletes it again and
        again."""
        most, seconds = MISSED
        now = asyncio.get_running_loop().time()
        times = [when for when in self._missed.get(table, []) if when > now - seconds]
        self._missed[table] = [*times, now]
        if len(times) >= most:
            self._public.pop(table, None)
            await self.house.tables.unseen(table)  # so that it comes back, when something is done there
            await self.park(table)
        else:
            self.refresh(table)

    async def park(self, table: TableId, *, away: bool = False) -> None:
        """Nothing more is tried for now; once at every change that a person makes. away: not then either,
        nobody of us is there."""
        self._parked.add(table)
        if away:
            self._away.add(table)
        now = self.house.clock.now()
        found = await self.house.table_or_none(table)
        ends = None if found is None else self.house.io.timed_out(found.place.guild)
        if found is not None and ends is not None:
            self._resume_at(found, (ends - now).total_seconds() + 1.0)
        await self.house.tables.parked(table, ends or now + PARKED)

    def _resume_at(self, table: Table, wait: float) -> None:
        """Once the bot's time-out has ended the table is tried again, whatever was refused meanwhile. One
        timer a table: the end may have been moved."""

        def ring() -> None:
            self._resumes.pop(table.id, None)
            for channel in (table.place.channel, table.place.thread):
                if channel is not None:
                    self.house.io.shutter.open(channel)
            self.look_again(table.id)

        before = self._resumes.pop(table.id, None)
        if before is not None:
            before.cancel()
        self._resumes[table.id] = asyncio.get_running_loop().call_later(wait, ring)

    async def _who_is_here(self, change: Change) -> None:
        """Whether those whose time runs out are still on the server: without the members intent nobody tells
        us that they left."""
        table = change.table
        for seat in table.humans:
            late = seat.index in change.closed if change.kind == "timeout" else False
            if not (late or (seat.since and seat.reminded)) or seat.user is None:
                continue
            here = await self.house.io.is_member(table.place.guild, seat.user)
            if isinstance(here, Done) and not here.value:
                await self.house.tables.left_guild(table.place.guild, seat.user)

    def unpark(self) -> None:
        """After a resume or a new permission everything may be tried again."""
        self._parked.clear()
        self._away.clear()

    def _unpark(self, table: TableId) -> None:
        self._parked.discard(table)
        self._away.discard(table)

    def is_parked(self, table: TableId) -> bool:
        return table in self._parked

    async def sweep(self) -> None:
        """Mark whatever is unpainted, owed or unsettled: one attempt for each that was given up before."""
        for table in await self.house.tables.unpainted():
            self._unpark(table.id)  # those still to be left alone are not among them
            self.mark(table.id)
        for owed in await self.house.tables.owed():
            self.mark(owed.table.id)
        for unsettled in await self.house.tables.unsettled():
            self.mark(unsettled)

    async def _work(self, table: TableId) -> None:
        try:
            while table in self._marked:
                await self._keep_pace(table)
                self._marked.discard(table)
                if table in self._held or self.house.background.closing:
                    return
                if table in self._parked:
                    await self._tidy(table, private=True)
                    return
                async with self._gate:
                    await self.paint(table)
        except BaseException:
            self._marked.add(table)  # what was begun is still to be done
            raise

    async def _keep_pace(self, table: TableId) -> None:
        loop = asyncio.get_running_loop()
        wait = self._last.get(table, float("-inf")) + self.house.pace - loop.time()
        if wait > 0:
            await asyncio.sleep(wait)
        self._last[table] = loop.time()

    # painting

    async def paint(self, table_id: TableId) -> None:
        """Bring one table's messages up to date, and settle what is not."""
        behind = await self._paint(table_id)
        await self._tidy(table_id, everything=behind)

    async def _tidy(self, table: TableId, *, everything: bool = True, private: bool = False) -> None:
        wait = await self.house.mail.tidy(table, everything=everything, private=private)
        if wait > 0:
            self._again(table, wait)

    async def _paint(self, table_id: TableId) -> bool:
        """Whether there was anything to paint or to tell."""
        tables = self.house.tables
        try:
            seen = await tables.view(table_id, None)
        except NotFound:
            self._tries.forget(table_id)
            return False
        table = seen.table
        if table.damaged:
            await self._paint_damaged(table)
            return True
        owed = await tables.owed_at(table_id) if table.owed else []
        forced = table_id in self._forced
        self._forced.discard(table_id)
        if table.painted >= table.revision and not owed and not forced:
            return False
        if self._public.get(table_id) == table.revision and not owed and not forced:
            await self._settle(table_id, table.revision, await self._rest(table))
            return True
        language = await self.house.language_at(table.place.guild)
        say = sayer(language)
        if _in_lobby(table):
            await self._paint_lobby(table, owed, language, say)
        else:
            seen = await tables.view(table_id, None, last=True)
            await self._paint_table(seen, owed, language, say)
        return True

    async def _paint_damaged(self, table: Table) -> None:
        """Of a table that cannot be read every message that is known says so and has no controls; none is
        posted anew."""
        forced = table.id in self._forced
        self._forced.discard(table.id)
        if self._public.get(table.id) == table.revision and not forced:
            return
        say = await self.house.say_at(table.place.guild)
        place = table.place
        sheet = lobby_page(table, say)
        shown = [(place.channel, place.lobby_message), (place.thread or place.channel, place.table_message)]
        if place.thread is None:  # a thread's id is that of the message it was made from
            shown.append((place.lobby_message or place.channel, place.table_message))
        shown += [(seat.hand_channel or 0, seat.hand_message) for seat in table.seats]
        result: Result[int] = Done(0)
        for channel, message in dict.fromkeys(shown):
            if channel and message is not None:
                edited = await self._edit(channel, message, sheet)
                if isinstance(edited, Failed) and edited.why is Why.LATER:
                    result = edited
        if isinstance(result, Done):
            self._public[table.id] = table.revision
        await self._settle(table.id, table.revision, result)

    async def _rest(self, table: Table, say: Say | None = None) -> Result[int]:
        """What is shown beside the public message: the lobby message that leads to it, and the private
        hands."""
        self._public[table.id] = table.revision
        if not _in_lobby(table):
            retired = await self._retire_lobby(table, say or await self.house.say_at(table.place.guild))
            if retired is not None:
                return retired
        if table.game not in self.house.games:
            return Done(0)
        wait = await self.house.cog(table.game).hands.refresh(table)
        return Failed(Why.LATER, retry_after=wait) if wait > 0 else Done(0)

    async def _paint_lobby(self, table: Table, owed: Sequence[Owed], language: str, say: Say) -> None:
        place = table.place
        sheet = lobby_page(table, say)
        result: Result[int] = Failed(Why.GONE)
        if place.lobby_message is not None:
            result = await self._edit(place.channel, place.lobby_message, sheet)
        if _fresh_needed(result) and table.status is not Status.ENDED:
            result = await self.house.mail.post(table, "lobby", place.channel, sheet)
        if isinstance(result, Failed) and table.status is Status.ENDED and _fresh_needed(result):
            result = Done(0)  # nothing is left to retire
        if isinstance(result, Done):
            wait = await self.notices.send(table, owed, (), language, say) if owed else 0.0
            if wait > 0:
                self._again(table.id, wait)
            result = await self._rest(table)
        await self._settle(table.id, table.revision, result)

    async def _paint_table(self, seen: Seen, owed: Sequence[Owed], language: str, say: Say) -> None:
        table, revision = seen.table, seen.table.revision
        pictures: tuple[Picture, ...] = ()
        if seen.view is not None:
            pictures = await self.house.table_pictures(table, seen.view, say)
        if table.place.table_message is None and table.status is not Status.ENDED:
            table, trouble = await self._move_to_thread(table, language, say)
            if trouble is not None:
                await self._settle(table.id, revision, trouble)
                return
            seen = replace(seen, table=table)
        by_channel = [due.user for due in owed if await self.notices.way(due) == "channel"]
        place = table.place
        # A ping is a message of its own, or the table message sent afresh; edits notify nobody.
        # Where one is on its way, whatever became of it, that one is taken up again.
        meant = await self.house.mail.meant(table.id)
        covered = "notice" not in meant and self._covered(table)
        afresh = place.table_message is None or (bool(by_channel) and covered) or "table" in meant
        result: Result[int] = Failed(Why.GONE)
        if not afresh and place.table_message is not None:
            sheet = table_page(seen, pictures, language, say)
            result = await self._edit(place.thread or place.channel, place.table_message, sheet)
        told: list[int] = []
        if afresh or _fresh_needed(result):
            told = by_channel
            sheet = table_page(seen, pictures, language, say, pinged=told)
            newest = max((due.seat.due for due in owed if due.user in told), default=0)
            result = await self._send_table(table, sheet, newest)
            if isinstance(result, Done):
                table = await self.house.tables.table(table.id)  # with its new place
        if isinstance(result, Done):
            wait = await self.notices.send(table, owed, told, language, say)
            if wait > 0:
                self._again(table.id, wait)
            result = await self._rest(replace(table, revision=revision), say)
        await self._settle(table.id, revision, result)

    async def _send_table(self, table: Table, sheet: Page, due: int) -> Result[int]:
        """A fresh table message; the one before is cleared. From a thread that is gone the table moves to its
        channel. due: the newest notice that it stands for, see `Post`."""
        post, place = self.house.mail.post, table.place
        channel = place.thread or place.channel
        result = await post(table, "table", channel, sheet, due=due)
        if isinstance(result, Failed) and result.why is Why.ARCHIVED:
            await self.house.io.wake_thread(channel)
            result = await post(table, "table", channel, sheet, due=due)
        if (
            isinstance(result, Failed)
            and place.thread is not None
            and result.why in {Why.GONE, Why.ARCHIVED, Why.FORBIDDEN}
        ):
            result = await post(table, "table", place.channel, sheet, due=due)
        return result

    async def _move_to_thread(self, table: Table, language: str, say: Say) -> tuple[Table, Failed | None]:
        """A thread on the lobby message, where the server wants threads and the bot may make one."""
        house, place = self.house, table.place
        settings = await house.tables.guild(place.guild)
        if place.thread is not None or place.lobby_message is None or not settings.threads:
            return table, None
        if house.io.is_thread(place.channel) or house.io.lacks(place.guild, place.channel, *FOR_THREADS):
            return table, None
        players = ", ".join(words.titled_names(table, say))
        name = say("table.thread", game=words.game_name(table.game, say), names=players)
        result = await house.io.create_thread(place.channel, place.lobby_message, name)
        if isinstance(result, Failed):
            if result.why is Why.LATER:
                return table, result
            if result.why is not Why.EXISTS:
                return table, None
            result = Done(place.lobby_message)  # a message's thread has the message's id
        await house.tables.placed(table.id, thread=result.value)
        return await house.tables.table(table.id), None

    async def _retire_lobby(self, table: Table, say: Say) -> Failed | None:
        """The lobby message becomes a link to the game, once (again after a restart, where it does no harm);
        one that cannot be edited is deleted. A failure is told where it is to be tried again: later, or,
        after the end, once whatever is in the way may be gone."""
        place = table.place
        key = f"{table.id} {table.status is Status.ENDED} {place.table_message}"
        if place.lobby_message is None or key in self._retired:
            return None
        result: Result[Any] = await self._edit(place.channel, place.lobby_message, lobby_page(table, say))
        if isinstance(result, Failed) and result.why not in {Why.GONE, Why.LATER}:
            result = await self.house.io.delete(place.channel, place.lobby_message)
        if isinstance(result, Done) or result.why is Why.GONE:
            self._retired[key] = True
            return None
        return result if result.why is Why.LATER or table.status is Status.ENDED else None

    def _covered(self, table: Table) -> bool:
        """Whether the table message is an hour old, or others' messages lie below it."""
        place = table.place
        message = place.table_message
        if message is None:
            return True
        if self.house.clock.now() - discord.utils.snowflake_time(message) >= OLD:
            return True
        newest = self.house.io.newest_message(place.thread or place.channel)
        return newest is not None and newest > max(message, place.notice_message or 0)

    async def _edit(self, channel: int, message: int, sheet: Page) -> Result[int]:
        return await self.house.io.edit(channel, message, render(sheet))

    # what came of it

    def _again(self, table: TableId, wait: float) -> None:
        """Mark it once more after `wait` seconds, or before; one timer a table."""

        def ring() -> None:
            self._timers.pop(table, None)
            self.mark(table)

        loop = asyncio.get_running_loop()
        before = self._timers.get(table)
        if before is not None:
            if before.when() <= loop.time() + wait:
                return
            before.cancel()
        self._timers[table] = loop.call_later(wait, ring)

    async def _settle(self, table: TableId, revision: int, result: Result[int]) -> None:
        if isinstance(result, Done):
            await self.house.tables.painted(table, revision)
            self._tries.forget(table)
            return
        shown = await self.house.table_or_none(table)
        if shown is not None and shown.painted >= revision:  # it was missed: it must count as behind
            self._public.pop(table, None)
            await self.house.tables.unseen(table)
        if result.why is Why.LATER:
            wait = self._tries.after(table, result.retry_after)
            if wait is not None:
                self._again(table, wait)
            else:  # a later sweep comes by, for one attempt: what was tried stays counted
                await self.house.tables.parked(table, self.house.clock.now() + mail.LATER)
        else:
            log.warning("table %s is parked: %s (%s)", table, result.why.value, result.code)
            if result.why is Why.FORBIDDEN and shown is not None:
                await self.house.io.ask_timed_out(shown.place.guild)
            await self.park(table)


def _in_lobby(table: Table) -> bool:
    """Whether the lobby message is the table's only one: before the start, or ended before it."""
    return table.status is Status.LOBBY or (
        table.status is Status.ENDED and table.events == 0 and table.place.table_message is None
    )


def _fresh_needed(result: Result[int]) -> bool:
    return isinstance(result, Failed) and result.why in {Why.GONE, Why.TOO_OLD, Why.ARCHIVED}
