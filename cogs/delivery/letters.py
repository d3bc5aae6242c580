"""Notices by direct message: one message a person, whatever number of tables it tells of.

What is due to somebody by direct message is told in one letter: all tables that are owed a notice, and those
of the letter before that still wait, for that one goes. Its intent, as every message's (`Posts`), is stored
before it is sent, and who was told what in the same transaction as its id: so nothing is told twice or lost.
The letter belongs to no table; its intent lies at one of those it tells of, and is seen to here alone.

Where one table alone is told of, and everybody there has a private message of their own, that message, sent
afresh, is the notice (`Hands.send_as_notice`): what the hand holds would lie above the letter else. So it is
done by the table's own job, which keeps the hands; all other letters by a job of each person. Where several
tables are told of at once, the letter leads to each of them and the hands stay where they are, edited in
place.

Whose table is left or over is taken out of the letter; one that tells of nothing any more goes.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from weakref import WeakValueDictionary

from cachetools import LRUCache

from bot.background import Background
from bot.discord_io import DiscordIO, Done, Failed, Result, Why
from bot.locale import sayer
from bot.rules.game import Say
from bot.tables.model import Ending, Letter, Owed, Status, Table, TableId, Telling, UserId
from bot.tables.ports import Clock
from bot.tables.service import Tables
from bot.tables.shown import Shown
from cogs.surfaces.components import Page, render
from cogs.surfaces.hand import sends_hands
from cogs.surfaces.notices import MOST_LISTED, letter_end, letter_page
from cogs.surfaces.recap import recap_lines

from .direct_messages import DirectMessages
from .hands import Hands
from .languages import Languages
from .posts import Posts
from .repaints import Repaints
from .retries import Tries
from .timing import Timing

BUSY = 1.0  # seconds until somebody is written to to whom another process writes just now
KEPT = 2048  # tables of which is kept who sat there


@dataclass(frozen=True, slots=True)
class Plan:
    """What a person is to be told by direct message now. before: the letter they have. meant: the table at
    which the intent of one lies whose message is not known. owed: the notices they get with the next one.
    waiting: all that it tells of, those first. ripe: whether it is time for it."""

    before: Letter
    meant: TableId | None
    owed: tuple[Owed, ...]
    waiting: tuple[Owed, ...]
    ripe: bool

    @property
    def hand(self) -> Table | None:
        """The table whose private message is to be the notice."""
        if len(self.waiting) != 1 or self.meant is not None:
            return None
        table = self.waiting[0].table
        return table if sends_hands(table) and table.status is Status.PLAYING else None

    @property
    def telling(self) -> Telling:
        return Telling(
            tuple((due.table.id, due.user, due.seat.due) for due in self.owed),
            tuple(due.table.id for due in self.waiting),  # those too for which it has no line
        )


class Letters:
    def __init__(
        self,
        tables: Tables,
        shown: Shown,
        io: DiscordIO,
        clock: Clock,
        background: Background,
        languages: Languages,
        repaints: Repaints,
        direct: DirectMessages,
        posts: Posts,
        hands: Hands,
        timing: Timing,
    ) -> None:
        self._tables = tables
        self._shown = shown
        self._io = io
        self._clock = clock
        self._background = background
        self._languages = languages
        self._repaints = repaints
        self._direct = direct
        self._posts = posts
        self._hands = hands
        self._timing = timing
        self._tries = Tries()
        self._sat: LRUCache[TableId, frozenset[UserId]] = LRUCache(KEPT)  # who, when letters were asked last
        self._lines: WeakValueDictionary[UserId, asyncio.Lock] = WeakValueDictionary()
        posts.attend(self._ring)

    async def tell(self, due: Owed) -> Failed | None:
        """A table's job has come to a notice by direct message whose time has come. None when it is done
        with: sent, never to arrive, or on its way. Else why it must wait."""
        async with self._line(due.user), self._tables.keepers.alone_with(due.user) as alone:
            if not alone:
                return Failed(Why.LATER, retry_after=BUSY)
            plan = await self._plan(due.user)
            if plan.hand is not None and plan.hand.id == due.table.id and plan.ripe:
                say = await self._say(due.user)
                slower = (await self._timing.slower([due.user])).get(due.user)
                end = letter_end(plan.hand, slower, say)
                result = await self._hands.send_as_notice(plan.waiting[0], end, plan.telling)
                if result is not None:
                    return await self._sent(plan, result)
        self._ring(due.user)
        return None

    async def about(self, table: Table) -> None:
        """Take a table out of the letters of those who have left it, or of everybody where it has ended."""
        there = frozenset(seat.user for seat in table.humans if seat.user is not None)
        before = self._sat.get(table.id)
        if table.is_open and before is not None and before <= there:
            self._sat[table.id] = there
            return
        for letter in await self._shown.letters_about(table.id):
            if not table.is_open or letter.user not in there:
                self._ring(letter.user)
        self._sat[table.id] = there

    def _ring(self, user: UserId) -> None:
        self._background.spawn("letter", partial(self._work, user), str(user))

    def _line(self, user: UserId) -> asyncio.Lock:
        """One letter of a person at a time."""
        return self._lines.setdefault(user, asyncio.Lock())

    async def _work(self, user: UserId) -> float | None:
        """Seconds until what failed may be tried again."""
        async with self._line(user), self._tables.keepers.alone_with(user) as alone:
            if not alone:
                return BUSY
            plan = await self._plan(user)
            if plan.ripe:
                failed = await self._send(user, plan)
            else:
                failed = await self._cut(user, plan)
                if failed is None and plan.meant is not None:
                    failed = await self._posts.look_for_letter(plan.meant, user)
        if failed is None:
            self._tries.forget(str(user))
            return None
        return self._tries.after(str(user), failed.retry_after)

    async def _plan(self, user: UserId) -> Plan:
        now, before = self._clock.now(), await self._shown.letter(user)
        meant = await self._shown.letter_meant(user)
        owed: list[Owed] = []
        told: list[Owed] = []
        ripe = False
        for due in await self._shown.waiting(user):
            if await self._timing.way(due) != "dm" or self._repaints.is_away(due.table.id):
                continue
            if due.seat.due <= due.seat.notified:
                told += [due] if due.table.id in before.tables else []
                continue
            at = await self._timing.at(due)
            ripe = ripe or (at is not None and at <= now)
            busy = self._timing.busy_until(due)
            if at is not None and (at <= now or busy is None or busy <= now):
                owed.append(due)
        return Plan(before, meant, tuple(owed), (*owed, *told), ripe)

    async def _send(self, user: UserId, plan: Plan) -> Failed | None:
        table = await self._tables.find(plan.meant) if plan.meant is not None else None
        slower = (await self._timing.slower([user])).get(user)
        page = await self._page(user, plan.waiting, slower)
        sent = await self._posts.to_person(
            table or plan.owed[0].table,
            user,
            page,
            kind="letter",
            due=_mark(plan.telling),
            telling=plan.telling,
        )
        return await self._sent(plan, sent)

    async def _sent(self, plan: Plan, result: Result[int]) -> Failed | None:
        if isinstance(result, Failed) and result.why is Why.LATER:
            return result
        if isinstance(result, Failed):  # it will not arrive
            for due in plan.owed:
                await self._shown.notified(due.table.id, due.user, due.seat.due)
            return None
        before = plan.before
        if before.message is None and before.tables:  # that hand is a hand alone from now on
            self._repaints.look_at_hands(before.tables[0])
        return None

    async def _cut(self, user: UserId, plan: Plan) -> Failed | None:
        """Take out of the letter what is left or over."""
        letter = plan.before
        there: set[TableId] = set()  # asked anew: one may have ended since it was planned
        for listed in letter.tables:
            table = await self._tables.find(listed)
            if table is None or table.seat_of(user) is None:
                continue
            # That a lobby has expired is what it tells of that one, and stays told.
            if table.is_open or table.ending == Ending.EXPIRED:
                there.add(listed)
        if len(there) == len(letter.tables):
            return None
        kept = [due for due in plan.waiting if due.table.id in there and due not in plan.owed]
        if kept and letter.channel is not None and letter.message is not None:
            own = await self._direct.channel_of(user)
            if isinstance(own, Done) and own.value != letter.channel:
                kept = []  # not this person's messages: nothing of theirs is ever shown there
            else:
                result = own if isinstance(own, Failed) else await self._edit(letter, kept)
                if isinstance(result, Failed) and result.why is Why.LATER:
                    return result
        await self._shown.letter_cut(user, [due.table.id for due in kept])
        if not kept and letter.tables:
            self._repaints.mark(letter.tables[0])  # where it lies now as one that has to go
        return None

    async def _edit(self, letter: Letter, waiting: Sequence[Owed]) -> Result[int]:
        assert letter.channel is not None
        assert letter.message is not None
        page = await self._page(letter.user, waiting)
        return await self._io.edit(letter.channel, letter.message, render(page))

    async def _page(self, user: UserId, waiting: Sequence[Owed], slower: str | None = None) -> Page:
        say = await self._say(user)
        seen = [await self._tables.view(due.table.id, user, recap=True) for due in waiting[:MOST_LISTED]]
        lately = {one.table.id: recap_lines(one, say, brief=True) for one in seen}
        return letter_page(waiting, lately, slower, say)

    async def _say(self, user: UserId) -> Say:
        return sayer(await self._languages.of(user))


def _mark(telling: Telling) -> int:
    """Tells one set of notices from another, where a letter's send was left unclear."""
    told: Sequence[str] = [f"{table} {due}" for table, _, due in sorted(telling.notices)]
    return zlib.crc32(" ".join(told).encode()) & 0x7FFFFFFF or 1
