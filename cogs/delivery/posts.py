"""The messages that the bot posts and keeps: none is lost sight of.

A message is on its way in one manner only, `post`. Its intent is stored first, under a purpose that stays
the same until the message is known; then it is sent with a nonce made of the purpose; then, in one
transaction, it is pointed at, the one before it becomes a leftover, and the intent is gone. So whatever
happens in between (an answer that is lost, the death of the process, a person who leaves meanwhile), either
a later try finds the message, or it is known as one that has to go.

`tidy` works off what is not settled: leftovers are deleted, or, where that is refused, emptied of picture
and controls; intents that nobody wants to carry out any more are looked for in the channel. An intent goes
only when it is known that no try of it went through, or its message is known: where it could not be looked,
it is kept beside the next one, as lost, and is looked for later. The intent of a letter lies at a table and
is its person's: whether it is still wanted, and where not, that it is looked for, is the matter of who writes
to that person (`Letters`), who may be another process than the table's.
`control_pressed` is told of every click, and sees to a message that nothing points at.

A private message belongs to a person and a table: its channel is that person's, and what it shows is made
from their view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from cachetools import FIFOCache

from bot.discord_io import Answer, DiscordIO, Done, Failed, Found, Result, Sent, Why
from bot.locale import sayer
from bot.rules.game import Say
from bot.tables.model import NOTHING_TOLD, Post, Status, Table, TableId, Telling, UserId
from bot.tables.ports import Clock
from bot.tables.service import Tables
from bot.tables.shown import Shown
from cogs.surfaces import wording
from cogs.surfaces.components import Buttons, Link, Page, Text, note, page, render
from cogs.surfaces.hand import OVER, heading, sends_hands

from .direct_messages import DirectMessages
from .languages import Languages
from .private_answers import PrivateAnswers
from .recognising import PRIVATE, private_kind, public_kind
from .repaints import Repaints
from .retries import AFTER_REFUSAL, AFTER_TROUBLE, Tries

GIVEN_UP = timedelta(days=14)  # how old a leftover grows that cannot be cleared, or an intent that is lost
NONCE_LIFE = timedelta(seconds=60)  # Discord tells a send by its nonce for some minutes
SLACK = timedelta(minutes=1)  # between Discord's time and what is known of it
BUSY = 1.0  # seconds that somebody else's message gets to arrive
KEPT = 4096  # messages remembered as deleted


class Deleted:
    """Messages that Discord told were deleted, the newest ones: a message may be gone before it is known."""

    def __init__(self) -> None:
        self._told: FIFOCache[int, bool] = FIFOCache(KEPT)  # whether somebody has seen to it

    def note(self, messages: Sequence[int], *, seen_to: bool = False) -> None:
        for message in messages:
            self._told.setdefault(message, seen_to)

    def __contains__(self, message: int) -> bool:
        return message in self._told

    def claim(self, message: int) -> bool:
        """Whether it is gone and nobody has seen to that yet; from now on somebody has."""
        if self._told.get(message, True):
            return False
        self._told[message] = True
        return True

    def give_back(self, message: int) -> None:
        """Who claimed it could not see to it."""
        self._told[message] = False


class Posts:
    def __init__(
        self,
        tables: Tables,
        shown: Shown,
        io: DiscordIO,
        clock: Clock,
        languages: Languages,
        direct: DirectMessages,
        repaints: Repaints,
        private_answers: PrivateAnswers,
    ) -> None:
        self._tables = tables
        self._shown = shown
        self._io = io
        self._clock = clock
        self._languages = languages
        self._direct = direct
        self._repaints = repaints
        self._private_answers = private_answers
        self.deleted = Deleted()
        self._sending: set[str] = set()  # purposes on their way right now
        self._tried: dict[TableId, set[str]] = {}  # purposes tried since the table was tidied last
        self._tries = Tries()
        self._letter_meant: Callable[[UserId], None] = lambda user: None

    def attend(self, letter_meant: Callable[[UserId], None]) -> None:
        """letter_meant: called with who may have a letter of which nobody knows (see `look_for_letter`)."""
        self._letter_meant = letter_meant

    # posting

    async def post(
        self,
        table: Table,
        kind: str,
        channel: int,
        page: Page,
        *,
        user: int = 0,
        due: int = 0,
        telling: Telling = NOTHING_TOLD,
    ) -> Result[int]:
        """Post a message, point at it, and clear the one before; its id. kind, user, due: see `Post`.
        telling: what is told with it. An earlier try that was left unclear is taken up: its message is found,
        by the nonce or by looking, and brought up to date; one that pinged others is cleared, and a new one
        is sent."""
        intent, first = await self._shown.intend(
            table.id, kind, channel, user=user, due=due, made=self._io.now()
        )
        self._tried.setdefault(table.id, set()).add(intent.purpose)
        self._sending.add(intent.purpose)
        try:
            return await self._carry_out(table, intent, first, page, due, telling)
        finally:
            self._sending.discard(intent.purpose)

    async def to_person(
        self,
        table: Table,
        user: int,
        page: Page,
        *,
        kind: str = "hand",
        due: int = 0,
        telling: Telling = NOTHING_TOLD,
        spare: int = 0,
    ) -> Result[int]:
        """The same by direct message; one that does not arrive is noted. spare: as for
        `DirectMessages.channel_of`."""
        own = await self._direct.channel_of(user, spare=spare)
        result: Result[int] = own
        if isinstance(own, Done):
            result = await self.post(table, kind, own.value, page, user=user, due=due, telling=telling)
        if isinstance(result, Done):
            self._direct.opened(user)
        elif isinstance(own, Done) and result.why is Why.GONE:
            await self._direct.gone(user)
        elif result.why is not Why.LATER:
            await self._direct.failed(table.place.guild, user, result)
        return result

    async def _carry_out(
        self, table: Table, intent: Post, first: bool, page: Page, due: int, telling: Telling
    ) -> Result[int]:
        aged = self._io.now() - intent.made > NONCE_LIFE
        other = due not in {0, intent.due}  # a notice that the earlier try was not about: it must not stand
        if not first and (aged or intent.answered or other):
            found = await self._find(intent)
            if isinstance(found, Failed) and found.why is Why.LATER:
                return found
            there = await self._unknown(found.value) if isinstance(found, Done) else {}
            fitting = [one.id for one in there if not other and _fits(one, there[one], intent, page)]
            for one in there:
                if one.id not in fitting[-1:]:
                    await self._shown.leave_over(
                        table.id, intent.kind, intent.channel, one.id, user=intent.user
                    )
            if fitting:
                return await self._known(intent, fitting[-1], page, telling)
            looked = isinstance(found, Done)
            over = aged or intent.answered
            if there or over or (other and looked):
                if not looked:
                    await self._shown.post_lost(intent, self._clock.now() + AFTER_REFUSAL)
                elif not over:  # it may still be on its way, and has to go then
                    await self._shown.post_lost(intent, self._clock.now() + NONCE_LIFE)
                intent, first = await self._renew(intent, due), True
            # Else nothing was found, or may be looked for: the nonce still tells.
        sent = await self._send(intent, first, page)
        if isinstance(sent, Done) and not first and sent.value.mentions != set(page.mentions):
            # The earlier message was for others: it must not stand for this one.
            await self._shown.leave_over(
                table.id, intent.kind, intent.channel, sent.value.id, user=intent.user
            )
            intent, first = await self._renew(intent, due), True
            sent = await self._send(intent, first, page)
        if isinstance(sent, Failed):
            return sent
        return await self._known(intent, sent.value.id, None if first else page, telling)

    async def _renew(self, intent: Post, due: int) -> Post:
        """A new intent in the place of one whose message came to nothing, or was cleared."""
        renewed, _ = await self._shown.intend(
            intent.table,
            intent.kind,
            intent.channel,
            user=intent.user,
            due=due,
            made=self._io.now(),
            instead=intent.purpose,
        )
        self._tried.setdefault(intent.table, set()).add(renewed.purpose)
        self._sending.add(renewed.purpose)
        return renewed

    async def _send(self, intent: Post, first: bool, page: Page) -> Result[Sent]:
        try:
            sent = await self._io.send(intent.channel, render(page), purpose=intent.purpose)
        finally:
            self._sending.discard(intent.purpose)
        if isinstance(sent, Failed):
            if (first and not sent.unclear) or sent.channel_gone:
                await self._shown.post_settled(intent)
            else:  # the painter tries again; after that, the sweep
                await self._shown.post_again(intent, self._clock.now() + AFTER_TROUBLE)
        return sent

    async def _known(
        self, intent: Post, message: int, stale: Page | None, telling: Telling = NOTHING_TOLD
    ) -> Result[int]:
        """stale: what it is to show, where it may show something earlier."""
        wanted = await self._shown.posted(intent, message, telling)
        if wanted and stale is not None:
            edited = await self._io.edit(intent.channel, message, render(stale))
            if isinstance(edited, Failed):
                return Failed(Why.LATER, edited.code, edited.retry_after)
        if wanted:
            await self.miss(intent.table, message)
        await self._clear_leftovers(intent.table)
        if not wanted and (intent.kind in {"lobby", "table"} or telling != NOTHING_TOLD):
            return Failed(Why.LATER)  # it is shown elsewhere by now, or nobody was told by it
        return Done(message)

    async def miss(self, table: TableId, message: int) -> None:
        """If this message of the table was deleted, and nobody has seen to that yet, have it put up anew."""
        if not self.deleted.claim(message):
            return
        try:
            await self._repaints.missed(table)
        except BaseException:
            self.deleted.give_back(message)
            raise

    async def post_as_answer(self, table: Table, answer: Answer, page: Page) -> int | None:
        """Post the lobby (of a table in direct messages, the host's copy) as the answer to who opened it; its
        id, where it is known. A lost answer is asked for; where that does not help either, the painter looks
        for the message in the channel."""
        kind, user = ("hand", table.host) if table.place.direct else ("lobby", 0)
        intent, _ = await self._shown.intend(
            table.id, kind, table.place.channel, user=user, answered=True, made=self._io.now()
        )
        self._sending.add(intent.purpose)
        try:
            result = await self._io.send_as_answer(answer, render(page))
            told = result
            if isinstance(result, Failed) or result.value is None:
                told = await answer.original()
        finally:
            self._sending.discard(intent.purpose)
        if isinstance(told, Done) and told.value is not None:
            await self._known(intent, told.value, None)
            return told.value
        if isinstance(result, Failed) and not result.unclear:
            await self._shown.post_settled(intent)
        return None

    # what is not settled

    async def meant(self, table: TableId) -> frozenset[str]:
        """Kinds of messages that were sent without anybody knowing whether they are there."""
        posts = await self._shown.posts(table)
        return frozenset(post.kind for post in posts if post.message is None and not post.lost)

    async def tidy(self, table: TableId, *, everything: bool = True, private: bool = False) -> float:
        """Clear leftovers, and look for what was meant once and is not any more; letters that were meant are
        left to whom `attend` names. everything: what is to be left alone for a while too. private: direct
        messages only. Answers after how many seconds what failed may be tried again, 0 where nothing did."""
        tried = self._tried.pop(table, set()) | self._sending
        now = self._clock.now()
        posts = [
            post
            for post in await self._shown.posts(table)
            if post.purpose not in tried
            and (everything or post.again <= now)
            and (post.kind in PRIVATE or not private)
        ]
        # Before its time who writes to that person tries again by themselves.
        for user in {post.user for post in posts if _is_meant_letter(post) and post.again <= now}:
            self._letter_meant(user)
        left = await self._work_off([post for post in posts if not _is_meant_letter(post)])
        if not left:
            self._tries.forget(table)
            return 0.0
        wait = self._tries.after(table, min(wait for _, wait, _ in left))
        if wait is not None:
            return wait
        self._tries.forget(table)
        for post, _, asked in left:  # a later sweep comes by; then it is the others' turn first
            await self._shown.post_again(post, now + AFTER_TROUBLE + (SLACK if asked else timedelta(0)))
        return 0.0

    async def _clear_leftovers(self, table: TableId) -> None:
        """What fails here, or is to be left alone for a while, is left to `tidy`."""
        now = self._clock.now()
        posts = await self._shown.posts(table)
        await self._work_off([post for post in posts if post.message is not None and post.again <= now])

    async def look_back(self, table: Table, user: int) -> None:
        """Clear this person's earlier messages of the table that nothing points at: what is left to those who
        leave the game is not true any more once they are back. What fails here is left to `tidy`."""
        own = await self._direct.channel_of(user)
        if isinstance(own, Failed):
            return
        intent, _ = await self._shown.intend(table.id, "hand", own.value, user=user, made=table.created)
        await self._shown.post_lost(intent, self._clock.now())
        posts = await self._shown.posts(table.id)
        await self._work_off([post for post in posts if post.lost and post.user == user])

    async def look_for_letter(self, table: TableId, user: UserId) -> Failed | None:
        """Look for the letter to this person that was meant and is not any more, whose intent lies at that
        table; why it must wait. For who is alone with them. Who does not come back to it leaves it to a
        sweep."""
        posts = await self._shown.posts(table)
        left = await self._work_off([post for post in posts if _is_meant_letter(post) and post.user == user])
        for post, _, _ in left:
            await self._shown.post_again(post, self._clock.now() + AFTER_TROUBLE)
        return Failed(Why.LATER, retry_after=min(wait for _, wait, _ in left)) if left else None

    async def _work_off(self, posts: Sequence[Post]) -> list[tuple[Post, float, bool]]:
        """Clear the leftovers among these, and look for the intents. What is left, after how many seconds it
        may be tried again, and whether it was tried: where one call has failed for now, no more are made in
        that channel."""
        left: list[tuple[Post, float, bool]] = []
        troubled: dict[int, float] = {}
        # Those first whose time comes first: one that always fails must not keep the others from their turn.
        for post in sorted(posts, key=lambda post: post.again):
            if post.channel in troubled:
                left.append((post, troubled[post.channel], False))
                continue
            if post.message is not None and self._private_answers.busy(post.message):
                left.append((post, 1.0, False))
                continue
            result = await (self._look_for(post) if post.message is None else self._clear(post))
            wait = result.value if isinstance(result, Done) else max(result.retry_after, 1.0)
            if isinstance(result, Failed):
                troubled[post.channel] = wait
            if wait > 0:
                left.append((post, wait, True))
        return left

    async def _clear(self, post: Post) -> Result[float]:
        """Delete a leftover, or take from it what was on it. 0 where it is done with, or put off; failed
        where Discord is in trouble."""
        assert post.message is not None
        table = await self._tables.find(post.table)
        if table is None:
            return Done(0.0)
        language = (
            await self._languages.of(post.user) if post.user else await self._languages.at(table.place.guild)
        )
        say = sayer(language)
        result: Result[Any]
        emptied = await self._tells_parting(table, post)
        if emptied:  # told so, in place of the hand
            result = await self._io.edit(post.channel, post.message, render(_parting(table, say)))
            if isinstance(result, Failed) and result.why not in {Why.GONE, Why.LATER}:
                result, emptied = await self._io.delete(post.channel, post.message), False
        else:
            delete = partial(self._io.delete, post.channel, post.message)
            result = await self._io.awake(post.channel, delete)
            if isinstance(result, Failed) and result.why not in {Why.GONE, Why.LATER}:
                result = await self._io.edit(post.channel, post.message, render(_emptied(table, post, say)))
                emptied = True
        if isinstance(result, Failed) and result.why is Why.LATER:
            return result
        now = self._clock.now()
        if isinstance(result, Done) or result.why is Why.GONE or now - post.made > GIVEN_UP:
            if not emptied:  # of which a click would prove that it is not
                self.deleted.note([post.message], seen_to=True)
            await self._shown.post_settled(post)
        else:
            await self._shown.post_again(post, now + AFTER_REFUSAL)
        return Done(0.0)

    async def _tells_parting(self, table: Table, post: Post) -> bool:
        """Whether it is the hand of somebody who left in the middle of the game; of several the newest."""
        hidden = sends_hands(table)
        gone = post.user != 0 and table.seat_of(post.user) is None
        if not (post.kind == "hand" and hidden and gone and table.events > 0):
            return False
        theirs = [one.message or 0 for one in await self._shown.posts(table.id) if one.user == post.user]
        return post.message == max(theirs, default=post.message)

    async def _look_for(self, post: Post) -> Result[float]:
        """An intent that nobody carries out any more: whatever came of it is a leftover. Seconds for which it
        may still be on its way, 0 where it is done with, or put off; failed where Discord is in trouble."""
        shown = self._shown
        if post.lost and await self._is_another_meant(post):
            return Done(BUSY)  # nothing would be told by looking
        found = await self._find(post)
        if isinstance(found, Failed) and found.why is Why.LATER:
            return found
        # And after it, in this order: what is met by its message between the two is seen in one of them.
        if post.lost and await self._is_another_meant(post):
            return Done(BUSY)
        there = await self._unknown(found.value) if isinstance(found, Done) else {}
        for one in there:
            await shown.leave_over(post.table, post.kind, post.channel, one.id, user=post.user)
        age = self._io.now() - post.made
        if not there and age < NONCE_LIFE:
            return Done((NONCE_LIFE - age).total_seconds())
        if isinstance(found, Failed) and age < GIVEN_UP:
            await shown.post_lost(post, self._clock.now() + AFTER_REFUSAL)
        else:
            await shown.post_settled(post)
            await self._clear_leftovers(post.table)
        return Done(0.0)

    async def _find(self, post: Post) -> Result[dict[Found, str]]:
        """The table's messages in that channel since the intent, and what each of them is. None means that it
        was looked: where it could not be, this has failed."""
        table = await self._tables.find(post.table)
        if table is None:
            return Done({})
        private = post.kind in PRIVATE
        kind_of = private_kind(table, post.kind) if private else public_kind(table)
        result = await self._io.find(
            post.channel, post.made - SLACK, lambda one: kind_of(one) is not None, private=private
        )
        if isinstance(result, Failed):
            return Done({}) if result.channel_gone else result
        return Done({one: kind_of(one) or "" for one in result.value})

    async def _unknown(self, found: Mapping[Found, str]) -> dict[Found, str]:
        """Those of these messages that nothing points at."""
        known = await self._shown.pointed_at([one.id for one in found])
        return {one: kind for one, kind in found.items() if one.id not in known}

    async def _is_another_meant(self, post: Post) -> bool:
        """Whether a message may be on its way there that would be taken for this one."""
        letter = post.kind == "letter"  # sent by the person's own job, at any of their tables
        table = await self._shown.letter_meant(post.user) if letter else post.table
        return any(
            one.message is None and not one.lost and one.channel == post.channel
            for one in (await self._shown.posts(table) if table is not None else ())
            if one.kind == post.kind or not {one.kind, post.kind} & PRIVATE
        )

    async def control_pressed(
        self, table_id: TableId, kind: str, channel: int, message: int, user: int
    ) -> None:
        """Somebody pressed a control of a table on a message of that kind (see `recognising.kind_pressed`).
        Where nothing points at the message, it becomes the one that was meant, or one that has to go; a hand
        becomes this person's."""
        # In this order: an intent that is met by its message between the two is seen in one of them.
        posts = await self._shown.posts(table_id)
        table = await self._tables.find(table_id)
        if table is None or message in self.deleted or message in _known_messages(table, posts):
            return
        owner = user if kind in PRIVATE else 0
        meant = [
            post
            for post in posts
            if post.message is None
            and not post.lost
            and (post.kind, post.user, post.channel) == (kind, owner, channel)
        ]
        if any(post.purpose in self._sending for post in meant):
            return  # its answer is on the way
        if await self._shown.pointed_at([message]):
            return  # another table's, whatever control was pressed
        if meant and kind in {"notice", "letter"}:
            return  # found by who sends it, and told then
        if meant and (table.is_open or kind == "final"):
            await self._shown.posted(meant[0], message)
        elif kind == "hand" and table.is_open and table.seat_of(user) is not None:
            await self._shown.hand_placed(table_id, user, channel, message)
        else:
            await self._shown.leave_over(table_id, kind, channel, message, user=owner)
            self._repaints.mark(table_id)
            return
        self._repaints.refresh(table_id)


def _known_messages(table: Table, posts: Sequence[Post]) -> set[int | None]:
    place = table.place
    pointed = {place.lobby_message, place.invitation_message, place.table_message, place.notice_message}
    pointed.add(place.final_message)
    return pointed | {seat.hand_message for seat in table.seats} | {post.message for post in posts}


def _is_meant_letter(post: Post) -> bool:
    return post.kind == "letter" and post.message is None and not post.lost


def _fits(found: Found, kind: str, intent: Post, page: Page) -> bool:
    """Whether a message found is what the intent was for, and can stand for the page."""
    return kind == intent.kind and found.mentions == set(page.mentions)


def _parting(table: Table, say: Say) -> Page:
    return page(Text(heading(table, say)), Text(say("hand.left")), accent=OVER)


def _emptied(table: Table, post: Post, say: Say) -> Page:
    if post.kind == "hand":
        return page(Text(say("table.moved")), accent=OVER)
    url = wording.table_link(table) if table.status is not Status.ENDED else None
    return note(say("table.moved"), Buttons((Link(say("table.button.go"), url),)) if url else None)
