"""Keeps what Discord shows in step with what is stored.

Every stored change marks its table (`changed` is a listener of `Tables`), and the marks are worked off here
(see `Repaints`): paint the lobby or table message, then send the notices that are owed, then the private
hands. The revision painted is stored, so whatever a crash or a failing Discord left behind is found again at
the start and by the sweep.

What a failing call leads to:
- the message is gone, too old or its thread sleeps: one fresh message, and the old one is retired;
- it is deleted again and again: parked;
- a thread is gone: the table goes on in its channel;
- Discord is in trouble: again after a while, a few times, then the sweep's turn;
- a page cannot be made: the same;
- a permission is missing, or the channel gone: the table is parked. Nothing more is tried until somebody
  touches the table, or the bot resumes.
Whichever it is, what is private goes on: hands and notices by direct message wait for no public message.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import discord
from cachetools import LRUCache

from bot.background import Background
from bot.discord_io import FOR_THREADS, OLD, DiscordIO, Done, Failed, Result, Why
from bot.locale import sayer
from bot.rules.game import Say
from bot.rules.registry import GAME_IDS
from bot.tables.model import Change, Owed, Seen, Status, Table, TableId
from bot.tables.ports import Clock, NotFound, StoreTrouble
from bot.tables.service import Tables
from bot.tables.shown import Shown
from cogs.surfaces import wording
from cogs.surfaces.components import Page, render
from cogs.surfaces.final import final_page
from cogs.surfaces.lobby import lobby_page
from cogs.surfaces.table import table_page
from rendering.scene import Picture

from .hands import Hands
from .invitations import Invitations
from .languages import Languages
from .letters import Letters
from .members import give_up_who_left
from .notices import Notices, telling
from .panels import Panels
from .pictures import Pictures
from .posts import Posts
from .private_answers import PrivateAnswers
from .repaints import PARKED_FOR, Repaints
from .retries import AFTER_TROUBLE, RETRIES, Tries

log = logging.getLogger(__name__)

AT_ONCE = 8  # tables painted at the same time
CHECKED = frozenset({"remind", "overdue", "timeout"})  # changes at which it is asked who is still here
KEPT = 4096  # tables of which is kept what saves calls and lines of the log


class Painter:
    def __init__(
        self,
        tables: Tables,
        shown: Shown,
        io: DiscordIO,
        clock: Clock,
        background: Background,
        languages: Languages,
        pictures: Pictures,
        repaints: Repaints,
        private_answers: PrivateAnswers,
        posts: Posts,
        hands: Hands,
        panels: Panels,
        notices: Notices,
        invitations: Invitations,
        letters: Letters,
    ) -> None:
        self._tables = tables
        self._shown = shown
        self._io = io
        self._clock = clock
        self._background = background
        self._languages = languages
        self._pictures = pictures
        self._repaints = repaints
        self._private_answers = private_answers
        self._posts = posts
        self._hands = hands
        self._panels = panels
        self._notices = notices
        self._invitations = invitations
        self._letters = letters
        self._retired: LRUCache[str, bool] = LRUCache(KEPT)  # lobbies turned into links; saves calls only
        self._unmade: LRUCache[TableId, bool] = LRUCache(KEPT)  # those that could not be shown last
        self._private_tries = Tries()
        self._gate = asyncio.Semaphore(AT_ONCE)
        repaints.attend(self.paint, self._beside, self._elsewhere)

    def changed(self, change: Change) -> None:
        """Listener of `Tables`. A table just opened is left to its opener, whose answer is the lobby
        message; so is the table that it is the rematch of, whose last message leads there."""
        table = change.table
        if (change.kind == "open" and table.place.lobby_message is None) or change.kind == "rematch":
            self._repaints.hold(table.id)
        if change.actor is not None:
            self._repaints.played_on(table.id)
        if change.kind == "aside":
            self._repaints.refresh(table.id)  # of a damaged row nothing new is stored
            self._background.spawn("aside", partial(self._notices.tell_owner, table), table.id)
        else:
            self._repaints.mark(table.id)
        for freed in change.freed:
            self._repaints.mark(freed)
        if change.kind in CHECKED and not table.place.direct:
            self._background.spawn(
                "members", partial(self._who_is_here, change), f"{table.id} {table.revision}"
            )

    async def _who_is_here(self, change: Change) -> None:
        """Whether those whose time runs out are still on the server: without the members intent nobody tells
        us that they left."""
        table = change.table
        for seat in table.humans:
            late = seat.index in change.closed if change.kind == "timeout" else False
            if not (late or (seat.since and seat.reminded)) or seat.user is None:
                continue
            await give_up_who_left(self._tables, self._io, table.place.guild, seat.user)

    # painting

    async def paint(self, table_id: TableId) -> bool:
        """Bring one table's messages up to date, and settle what is not. Whether there was anything to paint
        or to tell."""
        async with self._gate:
            try:
                behind = await self._paint(table_id)
            except (StoreTrouble, OSError):
                raise  # nothing is wrong with the table
            except Exception as error:
                await self._not_made(table_id, error)
                behind = True
            else:
                self._unmade.pop(table_id, None)
            await self._tidy(table_id, everything=behind)
            return behind

    async def _not_made(self, table_id: TableId, error: Exception) -> None:
        """A page could not be made, whatever the reason: told once, and tried again as where Discord is in
        trouble, so that one table costs no other anything."""
        self._tell(table_id, error)
        table = await self._tables.table(table_id)
        await self._private(table, await self._notices.ripe(table))
        await self._settle(table_id, table.revision, Failed(Why.LATER))

    def _tell(self, table: TableId, error: Exception) -> None:
        """The log, once until the table can be shown."""
        if table not in self._unmade:
            self._unmade[table] = True
            log.error("table %s cannot be shown", table, exc_info=error)

    async def _tidy(self, table: TableId, *, everything: bool = True, private: bool = False) -> None:
        wait = await self._posts.tidy(table, everything=everything, private=private)
        if wait > 0:
            self._repaints.again(table, wait)

    async def _paint(self, table_id: TableId) -> bool:
        """Whether there was anything to paint or to tell."""
        tables = self._tables
        try:
            seen = await tables.view(table_id, None)
        except NotFound:
            self._repaints.tries.forget(table_id)
            return False
        table = seen.table
        if table.damaged:
            await self._paint_damaged(table)
            return True
        owed = await self._notices.ripe(table)
        forced = self._repaints.take_forced(table_id)
        hands = self._repaints.take_hands(table_id)
        painted = table.painted >= table.revision
        if painted and not owed and not forced and not hands:
            return False
        shown = painted or self._repaints.shown(table_id) == table.revision
        if shown and not owed and not forced:
            await self._settle(table_id, table.revision, await self._rest(table))
            return True
        language = await self._languages.at(table.place.guild)
        say = sayer(language)
        if table.place.direct:
            if forced:
                self._hands.missed(table)
            await self._paint_copies(table, owed, language, say)
        elif _in_lobby(table):
            await self._paint_lobby(table, owed, language, say)
        else:
            seen = await tables.view(table_id, None, recap=True)
            await self._paint_table(seen, owed, language, say)
        return True

    async def _paint_damaged(self, table: Table) -> None:
        """Of a table that cannot be read every message that is known says so and has no controls; none is
        posted anew."""
        forced = self._repaints.take_forced(table.id)
        if self._repaints.shown(table.id) == table.revision and not forced:
            return
        self._panels.refresh(table)
        say = await self._languages.say_at(table.place.guild)
        place = table.place
        page = lobby_page(table, say)
        shown = [(place.channel, place.lobby_message), (place.thread or place.channel, place.table_message)]
        if place.thread is None:  # a thread's id is that of the message it was made from
            shown.append((place.lobby_message or place.channel, place.table_message))
        shown += [(seat.hand_channel or 0, seat.hand_message) for seat in table.seats]
        result: Result[int] = Done(0)
        for channel, message in dict.fromkeys(shown):
            if channel and message is not None:
                busy = self._private_answers.busy(message)
                edited = Failed(Why.LATER) if busy else await self._take_controls(channel, message, page)
                if isinstance(edited, Failed) and edited.why is Why.LATER:
                    result = edited
        if isinstance(result, Done):
            self._repaints.shows(table.id, table.revision)
        await self._settle(table.id, table.revision, result)
        if isinstance(result, Done):  # what is stored may say for ever that it is behind
            await self._shown.parked(table.id, self._clock.now() + PARKED_FOR)

    async def _rest(self, table: Table, say: Say | None = None) -> Result[int]:
        """What is shown beside the public message: the lobby message that leads to it, the last message at
        the end, and the private hands, whatever becomes of the others."""
        self._repaints.shows(table.id, table.revision)
        retired: Failed | None = None
        told: Failed | None = None
        if not _in_lobby(table):
            retired = await self._retire_lobby(table, say or await self._languages.say_at(table.place.guild))
            told = await self._tell_end(table)
        invited = await self._invitations.show(table)
        wait = await self._refresh_hands(table)
        return Failed(Why.LATER, retry_after=wait) if wait > 0 else told or retired or invited or Done(0)

    async def _tell_end(self, table: Table) -> Failed | None:
        """The last message, once: whoever deletes it has won. Where a rematch is open it leads there; to one
        that has ended it leads until it is painted for the next one."""
        place = table.place
        if table.status is not Status.ENDED or place.direct:
            return None
        told = place.final_message
        if told is not None and (table.rematch is None or told == place.table_message):
            return None
        again = await self._tables.rematch_of(table)
        seen = await self._tables.view(table.id, None, recap=True)
        language = await self._languages.at(place.guild)
        say = sayer(language)
        page = final_page(seen, await self._board_of(seen, say), language, say, again=again)
        if told is None:
            sent = await self._send(table, "final", page)
            return sent if isinstance(sent, Failed) else None
        edited = await self._edit(place.thread or place.channel, told, page)
        return edited if isinstance(edited, Failed) and edited.why is Why.LATER else None

    async def _board_of(self, seen: Seen, say: Say) -> tuple[Picture, ...]:
        """The public pictures. say: in the server's language."""
        if seen.view is None:
            return ()
        theme = (await self._tables.guild(seen.table.place.guild)).theme
        return await self._pictures.of_table(seen.table, seen.view, say, theme=theme)

    async def _refresh_hands(self, table: Table) -> float:
        """Seconds after which what failed may be tried again, 0 where nothing did. The panels see to that
        themselves: nobody waits for them."""
        self._panels.refresh(table)
        await self._letters.about(table)
        try:
            return await self._hands.refresh(table) if table.game in GAME_IDS else 0.0
        finally:  # where one copy fails the others may have come
            if table.place.direct:
                self._panels.copies_came(table.id)

    async def _private(self, table: Table, owed: Sequence[Owed]) -> None:
        """The hands and the notices by direct message of a table whose public message could not be brought up
        to date: nobody's own messages wait for that, least of all at the end. What fails is tried again by a
        count of its own."""
        if table.damaged or self._repaints.is_away(table.id):
            return
        try:
            by_dm = [due for due in owed if await self._notices.timing.way(due) == "dm"]
            language = await self._languages.at(table.place.guild)
            waits = [
                await self._notices.send(table, by_dm, (), language, sayer(language)),  # or taken back
                await self._refresh_hands(table),
            ]
        except (StoreTrouble, OSError):
            raise
        except Exception as error:
            self._tell(table.id, error)
            waits = [min(RETRIES)]
        wait = min((wait for wait in waits if wait > 0), default=0.0)
        if wait <= 0:
            self._private_tries.forget(table.id)
            return
        later = self._private_tries.after(table.id, wait)
        self._repaints.again(table.id, AFTER_TROUBLE.total_seconds() if later is None else later)

    async def _beside(self, table_id: TableId) -> None:
        """What a table needs while its public message is left alone."""
        async with self._gate:
            table = await self._tables.find(table_id)
            if table is not None:
                await self._private(table, await self._notices.ripe(table))
            await self._tidy(table_id, private=True)

    def _elsewhere(self, table_id: TableId) -> None:
        """Another process paints the table, and sends the copies of one in direct messages. The panels are in
        memory, and so each is its own process's."""

        async def refresh() -> None:
            table = await self._tables.find(table_id)
            if table is not None:
                self._panels.refresh(table)
                if table.place.direct:
                    self._panels.copies_came(table.id)

        if self._panels.any_of(table_id):
            self._background.spawn("panels of", refresh, table_id)

    async def _paint_copies(self, table: Table, owed: Sequence[Owed], language: str, say: Say) -> None:
        """Of a table in direct messages nothing is public: everybody has a copy of their own."""
        wait = await self._notices.send(table, owed, (), language, say)
        if wait > 0:
            self._repaints.again(table.id, wait)
        result = await self._rest(table, say)
        if isinstance(result, Done) and self._hands.tells_end(table):
            now = await self._tables.table(table.id)
            told = max((seat.hand_message or 0 for seat in now.humans), default=0)
            await self._shown.placed(table.id, final_message=told)
        await self._settle(table.id, table.revision, result)

    async def _paint_lobby(self, table: Table, owed: Sequence[Owed], language: str, say: Say) -> None:
        place = table.place
        theme = (await self._tables.guild(place.guild)).theme
        page = lobby_page(table, say, await self._pictures.cover(table, say, theme=theme))
        result: Result[int] = Failed(Why.GONE)
        if place.lobby_message is not None:
            edit = self._take_controls if table.status is Status.ENDED else self._edit
            result = await edit(place.channel, place.lobby_message, page)
        if _fresh_needed(result) and table.status is not Status.ENDED:
            result = await self._posts.post(table, "lobby", place.channel, page)
        if isinstance(result, Failed) and table.status is Status.ENDED and _fresh_needed(result):
            result = Done(0)  # nothing is left to retire
        if isinstance(result, Done):
            wait = await self._notices.send(table, owed, (), language, say) if owed else 0.0
            if wait > 0:
                self._repaints.again(table.id, wait)
            result = await self._rest(table)
        else:
            await self._private(table, owed)
        await self._settle(table.id, table.revision, result)

    async def _paint_table(self, seen: Seen, owed: Sequence[Owed], language: str, say: Say) -> None:
        table, revision = seen.table, seen.table.revision
        pictures = await self._board_of(seen, say)
        if table.place.table_message is None and table.status is not Status.ENDED:
            table, trouble = await self._move_to_thread(table, language, say)
            if trouble is not None:
                await self._private(table, owed)
                await self._settle(table.id, revision, trouble)
                return
            seen = replace(seen, table=table)
        by_channel = [due for due in owed if await self._notices.timing.way(due) == "channel"]
        place, backlog = table.place, self._repaints.backlog
        # A ping is a message of its own, or the table message sent afresh; edits notify nobody.
        # Where one is on its way, whatever became of it, that one is taken up again.
        meant = await self._posts.meant(table.id)
        covered = "notice" not in meant and self._covered(table)
        afresh = place.table_message is None or (bool(by_channel) and covered) or "table" in meant
        result: Result[int] = Failed(Why.GONE)
        if not afresh and place.table_message is not None:
            page = table_page(seen, pictures, language, say)
            result = await self._edit(place.thread or place.channel, place.table_message, page)
            backlog.says(table.id, ())
        told: list[int] = []
        if afresh or _fresh_needed(result):
            told = [due.user for due in by_channel]
            slower = await self._notices.timing.slower(told)
            back = bool(told) and backlog.holds(table)
            page = table_page(seen, pictures, language, say, pinged=told, slower=slower, back=back)
            result = await self._send(table, "table", page, by_channel)
            if isinstance(result, Done):
                backlog.says(table.id, told if back else ())
                table = await self._tables.table(table.id)  # with its new place
        if isinstance(result, Done):
            wait = await self._notices.send(table, owed, told, language, say, seen)
            if wait > 0:
                self._repaints.again(table.id, wait)
            result = await self._rest(replace(table, revision=revision), say)
        else:
            await self._private(table, owed)
        await self._settle(table.id, revision, result)

    async def _send(self, table: Table, kind: str, page: Page, pinged: Sequence[Owed] = ()) -> Result[int]:
        """A fresh message of that kind; the one before is cleared. From a thread that is gone the table moves
        to its channel. pinged: the notices that it gives."""
        newest = max((due.seat.due for due in pinged), default=0)
        post = partial(self._posts.post, table, kind, page=page, due=newest, telling=telling(pinged))
        place = table.place
        channel = place.thread or place.channel
        result = await self._io.awake(channel, lambda: post(channel))
        if (
            isinstance(result, Failed)
            and place.thread is not None
            and result.why in {Why.GONE, Why.ARCHIVED, Why.FORBIDDEN}
        ):
            result = await post(place.channel)
        return result

    async def _move_to_thread(self, table: Table, language: str, say: Say) -> tuple[Table, Failed | None]:
        """A thread on the lobby message, where the server wants threads and the bot may make one."""
        place = table.place
        settings = await self._tables.guild(place.guild)
        if place.thread is not None or place.lobby_message is None or not settings.threads:
            return table, None
        if self._io.lacks(place.guild, place.channel, *FOR_THREADS):
            return table, None
        if await self._io.parent_of(place.channel) is not None:  # it is played in somebody's thread
            return table, None
        players = ", ".join(wording.titled_names(table, say))
        name = say("table.thread", game=wording.game_name(table.game, say), names=players)
        result = await self._io.create_thread(place.channel, place.lobby_message, name)
        if isinstance(result, Failed):
            if result.why is Why.LATER:
                return table, result
            if result.why is not Why.EXISTS:
                return table, None
            result = Done(place.lobby_message)  # a message's thread has the message's id
        await self._shown.placed(table.id, thread=result.value)
        return await self._tables.table(table.id), None

    async def _retire_lobby(self, table: Table, say: Say) -> Failed | None:
        """The lobby message becomes a link to the game, once (again after a restart, where it does no harm);
        one that cannot be edited is deleted. A failure is told where it is to be tried again: later, or,
        after the end, once whatever is in the way may be gone."""
        place = table.place
        key = f"{table.id} {table.status is Status.ENDED} {place.table_message}"
        if place.lobby_message is None or key in self._retired or place.lobby_message in self._posts.deleted:
            return None
        page = lobby_page(table, say)
        result: Result[Any] = await self._take_controls(place.channel, place.lobby_message, page)
        if isinstance(result, Failed) and result.why not in {Why.GONE, Why.LATER}:
            result = await self._io.delete(place.channel, place.lobby_message)
        if isinstance(result, Done):
            self._retired[key] = True
            return None
        if result.why is Why.GONE:
            self._posts.deleted.note([place.lobby_message], seen_to=True)
            return None
        return result if result.why is Why.LATER or table.status is Status.ENDED else None

    def _covered(self, table: Table) -> bool:
        """Whether the table message is an hour old, or others' messages lie below it."""
        place = table.place
        message = place.table_message
        if message is None:
            return True
        if self._io.now() - discord.utils.snowflake_time(message) >= OLD:
            return True
        newest = self._io.newest_message(place.thread or place.channel)
        if newest is None or newest in self._posts.deleted:  # a notice that went
            return False
        return newest > max(message, place.notice_message or 0)

    async def _edit(self, channel: int, message: int, page: Page) -> Result[int]:
        """A public message's: answers to clicks change none of these."""
        return await self._io.edit(channel, message, render(page), alone=True)

    async def _take_controls(self, channel: int, message: int, page: Page) -> Result[int]:
        """The last edit of a message, which must not stay as it is in a thread that sleeps."""
        return await self._io.awake(channel, lambda: self._edit(channel, message, page))

    async def _settle(self, table: TableId, revision: int, result: Result[int]) -> None:
        if isinstance(result, Done):
            await self._shown.painted(table, revision)
            self._repaints.tries.forget(table)
            return
        shown = await self._tables.find(table)
        if shown is not None and shown.painted >= revision:  # it was missed: it must count as behind
            self._repaints.shows(table, 0)
            await self._shown.unseen(table)
        if result.why is Why.LATER:
            wait = self._repaints.tries.after(table, result.retry_after)
            if wait is not None:
                self._repaints.again(table, wait)
            else:  # a later sweep comes by, for one attempt: what was tried stays counted
                await self._shown.parked(table, self._clock.now() + AFTER_TROUBLE)
        else:
            log.warning("table %s is parked: %s (%s)", table, result.why.value, result.code)
            if result.why is Why.FORBIDDEN and shown is not None:
                await self._io.ask_timed_out(shown.place.guild)
            await self._repaints.park(table)


def _in_lobby(table: Table) -> bool:
    """Whether the lobby message is the table's only one: before the start, or ended before it."""
    return table.status is Status.LOBBY or (
        table.status is Status.ENDED and table.events == 0 and table.place.table_message is None
    )


def _fresh_needed(result: Result[int]) -> bool:
    return isinstance(result, Failed) and result.why in {Why.GONE, Why.TOO_OLD, Why.ARCHIVED}
