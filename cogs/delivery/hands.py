"""The private hands by direct message: one message per person and table, edited in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cachetools import LRUCache

from bot.discord_io import DMS_KEPT_BACK, DiscordIO, Done, Failed, Result, Why
from bot.locale import sayer
from bot.tables.model import NOTHING_TOLD, Owed, Seat, Seen, Status, Table, TableId, Telling, UserId
from bot.tables.ports import Heard
from bot.tables.service import Tables
from bot.tables.shown import Shown
from cogs.surfaces.components import Block, Page, render, with_end
from cogs.surfaces.hand import heading, sends_hands
from cogs.surfaces.notices import letter_end

from .direct_messages import DirectMessages
from .languages import Languages
from .posts import Posts
from .private_answers import PrivateAnswers
from .private_pages import Outline, PrivatePages

KEPT = 2048  # hand messages of which is kept what they show


class Hands:
    """The private hands by direct message: one message per person, edited in place.

    A game without hidden hands sends none. The first comes on sitting down, without a sound and within a
    budget; over it, it waits for the start. So the hands of a start are edits, which Discord minds least, and
    it is known before whose direct messages are closed: they are told so at their next click; the hand is
    always there under "My hand".

    Everything here is about a person, never about a seat: seats move up and change hands while a call is
    under way. What is sent or edited is made from that person's view and goes to their own channel; the
    message of who leaves is cleared by `Posts`, and while the answer to a click changes one it is left alone
    (see `PrivateAnswers`).
    """

    def __init__(
        self,
        tables: Tables,
        shown: Shown,
        io: DiscordIO,
        languages: Languages,
        direct: DirectMessages,
        posts: Posts,
        private_answers: PrivateAnswers,
        pages: PrivatePages,
    ) -> None:
        self._tables = tables
        self._shown = shown
        self._io = io
        self._languages = languages
        self._direct = direct
        self._posts = posts
        self._private_answers = private_answers
        self._pages = pages
        # message, what it shows, whether as a notice, answers sent to it before, by table and user; saves
        # calls and pictures only
        self._latest: LRUCache[tuple[str, int], tuple[int, Outline, bool, int]] = LRUCache(KEPT)

    def missed(self, table: Table) -> None:
        """Somebody looks for theirs: whether they are still there is seen by an edit alone, for Discord tells
        nothing of what is deleted in direct messages."""
        for seat in table.humans:
            if seat.user is not None:
                self._latest.pop((table.id, seat.user), None)

    def heard(self, heard: Heard) -> None:
        """Listener of `Keepers`. Where another process asks to look at a table's hands it has answered on one
        of them, so that it is not known here what that shows."""
        if "hands" in heard.wanted:
            for key in [key for key in self._latest if key[0] == heard.table]:
                del self._latest[key]

    async def refresh(self, table: Table) -> float:
        """Bring every person's hand message up to date, from sitting down on; after the end it is its last
        page. Answers after how many seconds what failed may be tried again, 0 where nothing did."""
        if not sends_hands(table):
            return 0.0
        table = await self._tables.table(table.id)
        waits = [await self._refresh(table.id, seat, owed=seat in table.owed) for seat in table.humans]
        return min((wait for wait in waits if wait > 0), default=0.0)

    async def _refresh(self, table_id: TableId, before: Seat, *, owed: bool) -> float:
        """owed: whether they have a notice to get, which may bring the hand."""
        tables, user = self._tables, before.user
        assert user is not None
        own = await self._direct.channel_of(user) if before.hand_message is not None else None
        seen = await tables.view(table_id, user, recap=True)
        table, seat = seen.table, seen.seat
        if seat is None:
            return 0.0  # gone meanwhile
        outline = await self._outline(seen, user)
        message, channel = seat.hand_message, seat.hand_channel
        if message is None and table.status is Status.ENDED:
            return 0.0
        notice = await self._is_notice(table, seat, user)
        if self._is_shown(table_id, user, message, outline, notice):
            return 0.0
        page = await self._pages.drawn(outline)
        if notice:
            page = with_end(page, letter_end(table, None, outline.say)) or page
        answers = 0 if message is None else self._private_answers.answers(message)
        if message is not None and self._private_answers.busy(message):
            return 1.0
        result: Result[int] = Failed(Why.GONE)
        if own is not None and message is not None and channel is not None and not self.tells_end(table):
            if isinstance(own, Done) and own.value != channel:
                # Not this person's messages: nothing of theirs is ever shown there.
                await self._shown.hand_placed(table_id, user, None, None)
                message = None
            else:
                result = own if isinstance(own, Failed) else await self._edit(channel, message, page)
        if message is None and table.status is Status.ENDED:
            return 0.0
        if isinstance(result, Failed) and result.why is not Why.LATER:
            if owed and (await tables.user(user)).notices == "dm":
                return 0.0  # the notice is on its way, or will be: not a second message before it
            # Whoever is owed a notice hears of it by that.
            result = await self._send(table, user, replace(page, silent=page.silent or owed))
            if isinstance(result, Failed) and result.why is not Why.LATER:
                # One that can neither be edited nor replaced must not stay with its controls.
                await self._shown.hand_placed(table_id, user, None, None)
                return 0.0
        if isinstance(result, Done):
            if result.value != message:
                answers = 0
            self._latest[table_id, user] = (result.value, outline, notice, answers)
            # an answer that was sent meanwhile may have arrived before or after
            return 0.0 if self._private_answers.answers(result.value) == answers else 1.0
        if table.status is not Status.LOBBY:
            return max(result.retry_after, 1.0)
        return 0.0

    def tells_end(self, table: Table) -> bool:
        """Whether the end is still to be told by copies sent afresh: an edit notifies nobody, and a table in
        direct messages has no other last message."""
        place = table.place
        over = table.status is Status.ENDED and table.events > 0
        return over and place.direct and place.final_message is None

    def _is_shown(
        self, table: TableId, user: UserId, message: int | None, outline: Outline, notice: bool
    ) -> bool:
        """Whether the message shows that, and no answer has been sent to it since."""
        if message is None:
            return False
        now = (message, outline, notice, self._private_answers.answers(message))
        return self._latest.get((table, user)) == now

    async def _is_notice(self, table: Table, seat: Seat, user: UserId) -> bool:
        """Whether the message is the person's notice, until they have moved."""
        if table.status is not Status.PLAYING or not seat.since or seat.due > seat.notified:
            return False
        letter = await self._shown.letter(user)
        return letter.message is None and letter.tables == (table.id,)

    async def _edit(self, channel: int, message: int, page: Page) -> Result[int]:
        # Of what another process has answered, or edited as the keeper before this, nothing is known here.
        alone = not self._tables.keepers.shared and self._private_answers.answers(message) == 0
        return await self._io.edit(channel, message, render(page), alone=alone)

    async def send_as_notice(self, due: Owed, end: Sequence[Block], telling: Telling) -> Result[int] | None:
        """The hand sent afresh as its notice, with that at its end. None where it is no page for that."""
        table, user = due.table.id, due.user
        seen = await self._tables.view(table, user, recap=True)
        if seen.seat is None:
            return None
        outline = await self._outline(seen, user)
        page = with_end(await self._pages.drawn(outline), end)
        if page is None:
            return None
        result = await self._send(seen.table, user, page, due=due.seat.due, telling=telling)
        if isinstance(result, Done):
            self._latest[table, user] = (result.value, outline, True, 0)
        return result

    async def _outline(self, seen: Seen, user: UserId) -> Outline:
        """What `seen` shows this person; before there is a hand, what the message is for; where there is none
        any more, why."""
        settings = await self._tables.user(user)
        language = self._languages.by(settings)
        say = sayer(language)
        title = heading(seen.table, say)
        if seen.view is None:
            return await self._pages.without_view(seen, say, title, theme=settings.theme)
        return await self._pages.outline(
            seen, language, say, theme=settings.theme, as_text=settings.text_board, heading=title
        )

    async def _send(
        self, table: Table, user: UserId, page: Page, *, due: int = 0, telling: Telling = NOTHING_TOLD
    ) -> Result[int]:
        """A fresh hand message. Sitting down counts as a wish for one; it leaves part of the budget to those
        whose game is on. due, telling: which notice it is, where it is one."""
        lobby = table.status is Status.LOBBY
        if self._direct.hopeless(user) and not lobby:
            return Failed(Why.CLOSED)
        spare = DMS_KEPT_BACK if lobby else 0
        result = await self._posts.to_person(table, user, page, due=due, telling=telling, spare=spare)
        seat = table.seat_of(user)
        first = seat is not None and seat.hand_message is None
        if isinstance(result, Done) and first and await self._tables.came_back(table.id, user):
            await self._posts.look_back(table, user)  # they have been told there that they had left
        return result
