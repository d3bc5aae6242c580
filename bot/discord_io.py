"""The only door to Discord's API.

One method per call. Each gives a `Result`: `Done(value)`, or `Failed(why)` for everything that is known to
happen in a bot's life: things deleted, permissions taken away, direct messages closed, edits of old messages
refused, Discord itself in trouble. Nothing else is raised but faults of ours (a malformed body is one).

Public and direct messages are reached by channel and message id alone, without fetching anything, and
never through an interaction's token. An answer that only one person sees has no other way: `Answer` serves
the click it answers, and leaves a `Reach` by which that message can be edited while the token lives.
`allowed_mentions` is empty unless a call names the people it is meant to ping. Sends carry a nonce that
Discord enforces: the same send twice within minutes gives the same message once.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import Enum
from functools import partial
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import aiohttp
import discord
from cachetools import LRUCache, TTLCache

from bot.locks import Locks
from bot.tables.ports import Clock
from bot.text import cut

log = logging.getLogger(__name__)
T = TypeVar("T")

# Seconds a call that answers nobody may take, discord.py's own waits and retries included. What is given up
# is tried again later; a send that went through unnoticed is told by its nonce.
PATIENCE = 15.0
LONGEST_WAIT = 5.0  # seconds of a rate limit that are waited for; a longer one is told as `Why.LATER`
HISTORY = 100  # messages of one page of history
PAGES = 20  # of history that are read at most
UNREAD = timedelta(hours=1)  # how long a history that could not be read is not asked for again
_MENTION = re.compile(r"<@!?([0-9]{1,20})>")
# Permissions to play in a channel; without its history a message that was lost sight of is never found.
NEEDED = ("view_channel", "send_messages", "attach_files", "read_message_history")
NEEDED_IN_THREAD = ("view_channel", "send_messages_in_threads", "attach_files", "read_message_history")
FOR_THREADS = ("create_public_threads", "send_messages_in_threads")
INVITED = discord.Permissions(**dict.fromkeys((*NEEDED, *NEEDED_IN_THREAD, *FOR_THREADS), True))
OLD = timedelta(hours=1)  # Discord limits edits of older messages
TOKEN_LIVES = timedelta(minutes=15)  # of an interaction

# Who is on a server with which roles, and in which private thread, is asked only where no interaction from
# there tells it; of a channel or thread only where the cache does not know it.
REMEMBERED = timedelta(minutes=1)
MOST_REMEMBERED = 10_000  # answers of a kind
MOST_CHANNELS = 4096  # whose refusals are counted, or whose history could not be read
MOST_DMS = 50_000  # direct message channels known
MOST_ATTACHED = 4096  # messages whose files are known
MOST_UNKEPT = 3  # edits that were refused because they kept files

# Opening direct messages is what Discord minds most: so many at once, then one in so many seconds. Who only
# sat down leaves half of it to those whose turn it is.
DMS_AT_ONCE = 10
SECONDS_PER_DM = 10.0
DMS_KEPT_BACK = 5

# A channel that refused so many calls in a row is left alone for a while, or until something changes there.
MOST_REFUSALS = 5
LEFT_ALONE = timedelta(minutes=10)


class Why(Enum):
    """Why a call failed, as far as it decides what to do next."""

    GONE = "gone"  # the message, channel, thread, server or user is no more (or was never ours to see)
    FORBIDDEN = "forbidden"  # a permission is missing
    CLOSED = "closed"  # this person takes no direct messages from us
    TOO_OLD = "too old"  # Discord edits this message no more
    ARCHIVED = "archived"  # the thread sleeps or is locked
    EXISTS = "exists"  # the message has a thread already
    LATE = "late"  # the interaction's three seconds, or its token, are over, or it was answered already
    LATER = "later"  # Discord is in trouble, or we are too fast: try again after a while
    UNREAD = "unread"  # what lies in the channel is not told us, or is more than we read
    REFUSED = "refused"  # Discord says the request is wrong: a fault of ours, logged


ANSWERED = 40060
UNKNOWN_CHANNEL = 10003
UNKNOWN_MESSAGE = 10008
NOT_OURS = 50005
OF_ONE_MESSAGE = frozenset({UNKNOWN_MESSAGE, NOT_OURS})
UNKNOWN = frozenset({UNKNOWN_CHANNEL, 10007, 10013})  # no such channel, member, user
_CODES = {
    UNKNOWN_CHANNEL: Why.GONE,
    10004: Why.GONE,  # unknown guild
    UNKNOWN_MESSAGE: Why.GONE,
    10013: Why.GONE,  # unknown user
    10015: Why.LATE,  # unknown webhook: the interaction's token
    10062: Why.LATE,  # unknown interaction
    ANSWERED: Why.LATE,  # interaction answered already
    50027: Why.LATE,  # token too old
    50001: Why.FORBIDDEN,  # missing access
    50013: Why.FORBIDDEN,  # missing permissions
    50007: Why.CLOSED,  # cannot send messages to this user
    50278: Why.CLOSED,  # no server in common
    40003: Why.CLOSED,  # opening direct messages too fast: none for this person now
    30046: Why.TOO_OLD,  # most edits of messages older than an hour
    NOT_OURS: Why.GONE,  # message by another author: not ours to edit
    50083: Why.ARCHIVED,
    160004: Why.EXISTS,
    160005: Why.ARCHIVED,  # thread locked
    160006: Why.LATER,  # most active threads reached
}


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    value: T


@dataclass(frozen=True, slots=True)
class Failed:
    """code: Discord's error code, 0 where it gave none. retry_after: seconds, where known. unclear: whether
    Discord may have done it all the same: its answer was lost, or it failed half-way."""

    why: Why
    code: int = 0
    retry_after: float = 0.0
    unclear: bool = False

    @property
    def channel_gone(self) -> bool:
        """Whether the whole channel is no more, and every message in it."""
        return self.why is Why.GONE and self.code == UNKNOWN_CHANNEL


Result: TypeAlias = "Done[T] | Failed"


def is_gone(result: Result[Any]) -> bool:
    """Whether what it was about is no more."""
    return isinstance(result, Failed) and result.why is Why.GONE


@dataclass(frozen=True, slots=True)
class Sent:
    """A message as Discord gave it back. Where it knew the send by its nonce, that is the earlier one.
    mentions: the users named in it."""

    id: int
    mentions: frozenset[int]


@dataclass(frozen=True, slots=True)
class Found:
    """A message of the bot's own in a channel's history. texts: of its components, from top to bottom.
    controls: custom ids. mentions: users named."""

    id: int
    texts: tuple[str, ...]
    controls: tuple[str, ...]
    mentions: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """The way back to a private answer, open for `TOKEN_LIVES` from its interaction on. That holds a token: a
    secret, kept in memory only. message: its id, where it is not the interaction's own answer."""

    interaction: discord.Interaction[Any] = field(repr=False)
    message: int | None = None


class Parts(Protocol):
    """What a message is made of. Read once: each call needs fresh ones."""

    @property
    def view(self) -> discord.ui.LayoutView: ...
    @property
    def files(self) -> list[discord.File]: ...
    @property
    def mentions(self) -> tuple[int, ...]: ...
    @property
    def silent(self) -> bool: ...


class Kept(discord.Attachment):
    """A file that a message has already: an edit names it in place of sending it again."""

    def __init__(self, attachment: int) -> None:
        self.id = attachment

    def to_dict(self) -> Any:
        return {"id": self.id}


def mark_of(file: discord.File) -> Hashable:
    """Equal for files that look and are read alike."""
    digest = hashlib.sha256(file.fp.read()).digest()
    file.fp.seek(0)
    return file.filename, file.description, digest


class Attached:
    """Which files a message has on Discord, as far as it was told; saves sending them again."""

    def __init__(self) -> None:
        self._known: LRUCache[int, dict[Hashable, int]] = LRUCache(MOST_ATTACHED)
        self._refused = 0

    def note(self, message: discord.Message, marks: Sequence[Hashable]) -> None:
        """As Discord gave the message back. marks: of its files, in their order."""
        attachments = list(_attachments(message.components))
        if marks and len(attachments) == len(marks):
            self._known[message.id] = dict(zip(marks, attachments, strict=True))

    def take(self, message: int) -> Mapping[Hashable, int]:
        """What an edit may keep, once: what it leaves is known when it is done."""
        known = self._known.pop(message, {})
        return known if self._refused < MOST_UNKEPT else {}

    def refused(self) -> None:
        """Discord took no such edit. One may have met another edit; of several everything is sent again."""
        self._refused += 1


def failure_of(error: BaseException) -> Failed | None:
    """What an exception of a call means, or None for one that no call should raise."""
    if isinstance(error, discord.RateLimited):
        return Failed(Why.LATER, retry_after=error.retry_after)
    if isinstance(error, discord.HTTPException):
        why = _CODES.get(error.code)
        if why is None:
            if error.status in (429,) or error.status >= 500:
                why = Why.LATER
            else:
                why = {401: Why.FORBIDDEN, 403: Why.FORBIDDEN, 404: Why.GONE}.get(error.status, Why.REFUSED)
        if why is Why.REFUSED:
            log.error("Discord refused a request: %s %s", error.status, error.code)
        # An interaction that is said to be answered may have been answered by a try whose answer was lost.
        unclear = error.status >= 500 or error.code == ANSWERED
        return Failed(why, error.code, unclear=unclear)
    if isinstance(error, discord.InteractionResponded):
        return Failed(Why.LATE)
    if isinstance(error, discord.InvalidData):  # something of a kind that discord.py does not know
        return Failed(Why.REFUSED)
    if isinstance(error, aiohttp.ClientError | OSError | asyncio.TimeoutError):
        return Failed(Why.LATER, unclear=True)
    return None


@dataclass(slots=True)
class _Requests:
    """The requests of one call: discord.py repeats by itself what Discord's servers fail at. refused: those
    that Discord has said it did not carry out."""

    begun: int = 0
    refused: int = 0


_requests: ContextVar[_Requests | None] = ContextVar("requests", default=None)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that has ended. status: of HTTP, 0 where no answer came. limit: whose rate limit it ran into
    (user, global, shared), if into one. The path may hold an interaction's token: a secret."""

    method: str
    path: str = field(repr=False)
    status: int
    limit: str = ""


class Trace:
    """What the HTTP session tells of every request, discord.py's own repetitions too: `config` goes to the
    client. So `attempt` learns whether any of a call's requests may have been carried out, whatever the last
    one's answer was. Others may listen to what was asked and how it ended."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Asked], None]] = []
        self._date: tuple[datetime, float] | None = None  # Discord's, and the loop's time as it came
        self.config = aiohttp.TraceConfig()
        self.config.on_request_start.append(self._begun)
        self.config.on_request_end.append(self._answered)

    def listen(self, listener: Callable[[Asked], None]) -> None:
        """Before the session is made, that is before the login. listener: must not raise."""
        if not self._listeners:
            self.config.on_request_exception.append(self._failed)
        self._listeners.append(listener)

    def _tell(self, method: str, path: str, status: int, limit: str = "") -> None:
        for listener in self._listeners:
            listener(Asked(method, path, status, limit))

    async def _failed(self, session: Any, context: Any, params: aiohttp.TraceRequestExceptionParams) -> None:
        self._tell(params.method, params.url.path, 0)

    async def _begun(self, session: Any, context: Any, params: Any) -> None:
        requests = _requests.get()
        if requests is not None:
            requests.begun += 1

    async def _answered(self, session: Any, context: Any, params: aiohttp.TraceRequestEndParams) -> None:
        requests = _requests.get()
        if requests is not None and 400 <= params.response.status < 500:
            requests.refused += 1
        limit = params.response.headers.get("X-RateLimit-Scope", "")
        self._tell(params.method, params.url.path, params.response.status, limit)
        try:
            date = parsedate_to_datetime(params.response.headers.get("Date", ""))
        except ValueError:
            return
        self._date = date.astimezone(UTC), asyncio.get_running_loop().time()

    def now(self) -> datetime | None:
        """Discord's time, to a second or two; None before its first answer."""
        if self._date is None:
            return None
        date, told = self._date
        return date + timedelta(seconds=asyncio.get_running_loop().time() - told)


async def attempt(call: Callable[[], Awaitable[T]], *, within: float | None = None) -> Result[T]:
    """Make a call. within: seconds after which it is given up for now."""
    requests = _Requests()
    mine = _requests.set(requests)
    try:
        async with asyncio.timeout(within):
            return Done(await call())
    except Exception as error:
        failure = failure_of(error)
        if failure is None:
            raise
        return replace(failure, unclear=failure.unclear or requests.begun > requests.refused)
    finally:
        _requests.reset(mine)


def mentions(users: Sequence[int]) -> discord.AllowedMentions:
    """Exactly these people, and nobody else, are pinged."""
    return discord.AllowedMentions(
        everyone=False, roles=False, replied_user=False, users=[discord.Object(user) for user in users]
    )


NOBODY = discord.AllowedMentions.none()


def nonce(*parts: object) -> str:
    """25 characters from what a send is about: the same purpose gives the same nonce."""
    return hashlib.sha256("\0".join(str(part) for part in parts).encode()).hexdigest()[:25]


class Budget:
    """A token bucket: `most` tokens, one more every `every` seconds of the clock."""

    def __init__(self, clock: Clock, most: int, every: float) -> None:
        self._clock, self._most, self._every = clock, most, every
        self._tokens = float(most)
        self._seen = clock.now()

    def take(self, spare: int = 0) -> float:
        """0 and a token is gone; or the seconds until one could be taken that leaves `spare` others."""
        now = self._clock.now()
        self._tokens += max(0.0, (now - self._seen).total_seconds()) / self._every
        self._tokens = min(float(self._most), self._tokens)
        self._seen = now
        lacking = 1 + spare - self._tokens
        if lacking > 1e-9:
            return lacking * self._every
        self._tokens -= 1
        return 0.0

    def empty(self) -> None:
        """Nothing for now: Discord says it was too much already."""
        self._tokens = 0.0
        self._seen = self._clock.now()


class Refusals:
    """Channels that keep refusing are left alone: after `MOST_REFUSALS` times 403 or 404 in a row no call is
    made there for `LEFT_ALONE`, or until `forget`. So no fault of ours or theirs runs into Discord's limit of
    invalid requests. That one message is not there, or is another's, says nothing of its channel."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._in_a_row: LRUCache[int, int] = LRUCache(MOST_CHANNELS)
        # until when, and the last code
        self._left_alone: LRUCache[int, tuple[datetime, int]] = LRUCache(MOST_CHANNELS)

    def refusal(self, channel: int) -> Failed | None:
        """Where the channel is left alone: `Why.LATER`, with the seconds until it may be tried again."""
        found = self._left_alone.get(channel)
        if found is None:
            return None
        until, code = found
        wait = (until - self._clock.now()).total_seconds()
        if wait <= 0:
            self.forget(channel)
            return None
        return Failed(Why.LATER, code, wait)

    def note(self, channel: int, result: Result[Any]) -> None:
        if isinstance(result, Done):
            self.forget(channel)
        elif result.why in {Why.FORBIDDEN, Why.GONE} and result.code not in OF_ONE_MESSAGE:
            in_a_row = self._in_a_row[channel] = self._in_a_row.get(channel, 0) + 1
            if in_a_row >= MOST_REFUSALS:
                log.warning("channel %s keeps refusing (%s): left alone for now", channel, result.code)
                self._left_alone[channel] = (self._clock.now() + LEFT_ALONE, result.code)

    def forget(self, channel: int) -> None:
        self._in_a_row.pop(channel, None)
        self._left_alone.pop(channel, None)


# What Discord has told about somebody (server or thread, and user) or a channel: a value, None for "not
# there", or that it is not for us to know.
Answers: TypeAlias = "TTLCache[tuple[int, ...], Result[T | None], datetime]"
Place: TypeAlias = "discord.abc.GuildChannel | discord.Thread"


class DiscordIO:
    """All calls the bot makes, on one client."""

    def __init__(self, client: discord.Client, clock: Clock, trace: Trace | None = None) -> None:
        """trace: the client's."""
        self._client = client
        self._clock = clock
        self._trace = trace or Trace()
        self._dms: LRUCache[int, int] = LRUCache(MOST_DMS)  # direct message channel by user; only saves calls
        self._dm_lock = asyncio.Lock()
        self._asking: Locks[int] = Locks()  # whether the bot is timed out, by server
        self._dm_budget = Budget(clock, DMS_AT_ONCE, SECONDS_PER_DM)
        self._members: Answers[discord.Member] = TTLCache(MOST_REMEMBERED, REMEMBERED, clock.now)
        self._in_threads: Answers[bool] = TTLCache(MOST_REMEMBERED, REMEMBERED, clock.now)
        self._places: Answers[Place] = TTLCache(MOST_REMEMBERED, REMEMBERED, clock.now)
        self._attached = Attached()
        self._timed_out: dict[int, tuple[datetime, datetime | None]] = {}  # by server: asked when, until when
        self.refusals = Refusals(clock)
        # histories that could not be read, by channel and since when
        self._unread: TTLCache[tuple[int, datetime], Failed, datetime] = TTLCache(
            MOST_CHANNELS, UNREAD, clock.now
        )

    def now(self) -> datetime:
        """Discord's time, as far as it was told; ids of messages are of it."""
        return self._trace.now() or self._clock.now()

    def told_time(self) -> datetime | None:
        """The same, None where it was not told yet."""
        return self._trace.now()

    # the bot itself

    async def ask(self, path: str, **params: str) -> Result[Any]:
        """What Discord's API answers at this path, decoded."""
        route = discord.http.Route("GET", path)
        return await attempt(lambda: self._client.http.request(route, params=params), within=PATIENCE)

    async def owners(self) -> Result[frozenset[int]]:
        """Who owns the application: its owner, or the members of the team that does."""

        async def call() -> frozenset[int]:
            told = await self._client.application_info()
            if told.team is None:
                return frozenset({told.owner.id})
            accepted = discord.TeamMembershipState.accepted
            return frozenset(member.id for member in told.team.members if member.membership_state is accepted)

        return await attempt(call, within=PATIENCE)

    def _channel(self, channel: int) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(channel)

    async def _at(self, channel: int, call: Callable[[], Awaitable[T]]) -> Result[T]:
        """A call to a channel, unless that is left alone."""
        refused = self.refusals.refusal(channel)
        if refused is not None:
            return refused
        result = await attempt(call, within=PATIENCE)
        self.refusals.note(channel, result)
        return result

    # messages

    async def send(self, channel: int, parts: Parts, *, purpose: str) -> Result[Sent]:
        """Post a message, once for one `purpose`. Pings the people in `parts.mentions`; makes no sound at all
        where it is `parts.silent`."""
        marks = [mark_of(file) for file in parts.files]

        async def call() -> Sent:
            message = await self._channel(channel).send(
                view=parts.view,
                files=parts.files,
                allowed_mentions=mentions(parts.mentions) if parts.mentions else NOBODY,
                nonce=nonce(channel, purpose),
                silent=parts.silent,
            )
            self._attached.note(message, marks)
            return Sent(message.id, _mentioned("\n".join(_texts(message.components))))

        return await self._at(channel, call)

    async def send_as_answer(self, answer: Answer, parts: Parts) -> Result[int | None]:
        """A message for everybody that answers an interaction; its id, where Discord tells."""
        marks = [mark_of(file) for file in parts.files]
        result = await answer.show(parts, public=True)
        if answer.message is not None:
            self._attached.note(answer.message, marks)
        return result

    async def find(
        self, channel: int, since: datetime, ours: Callable[[Found], bool], *, private: bool = False
    ) -> Result[list[Found]]:
        """Those of our own messages after `since` (Discord's time) that are `ours`, oldest first. private: of
        direct messages. Nothing found means that it was looked, up to now, and there is none; where that
        could not be it has failed, and for a while (`UNREAD`) no more calls are made for it."""
        known = self._unread.get((channel, since))
        if known is not None:
            return known
        reads = Done(True) if private else await self._reads_history(channel)
        if reads == Done(False):
            return Failed(Why.UNREAD)
        result: Result[list[Found]] = (
            reads
            if isinstance(reads, Failed)
            else await self._history(channel, since, ours, told=reads.value is not None)
        )
        if isinstance(result, Failed) and result.why is not Why.LATER:
            self._unread[channel, since] = result
        return result

    async def _history(
        self, channel: int, since: datetime, ours: Callable[[Found], bool], *, told: bool
    ) -> Result[list[Found]]:
        """As `find`, asked of Discord. told: whether a history that is empty is so for certain: without the
        right to it Discord shows none."""
        found: list[Found] = []
        first = after = discord.utils.time_snowflake(since)
        for _ in range(PAGES):
            call = partial(self._client.http.logs_from, channel, HISTORY, after=after)
            page = await self._at(channel, call)
            if isinstance(page, Failed):
                return page
            found += filter(ours, self._own(page.value))
            if len(page.value) < HISTORY:
                told = told or bool(page.value) or after > first
                return Done(sorted(found, key=lambda one: one.id)) if told else Failed(Why.UNREAD)
            after = max(int(data["id"]) for data in page.value)
        return Done(sorted(found, key=lambda one: one.id)) if found else Failed(Why.UNREAD)

    def _own(self, page: Iterable[Any]) -> Iterator[Found]:
        """The bot's own messages on a page of history."""
        for data in page:
            if self._client.user is None or int(data["author"]["id"]) != self._client.user.id:
                continue
            parts = list(_walk(data.get("components", [])))
            texts = tuple(str(part["content"]) for part in parts if "content" in part)
            controls = tuple(str(part["custom_id"]) for part in parts if "custom_id" in part)
            yield Found(int(data["id"]), texts, controls, _mentioned("\n".join(texts)))

    async def _reads_history(self, channel: int) -> Result[bool | None]:
        """Whether the bot has the right to a channel's history; None where that is not known."""
        asked = await self.place(channel)
        if isinstance(asked, Failed):
            return asked
        place = asked.value
        if place is None:
            return Failed(Why.GONE, UNKNOWN_CHANNEL)
        me: discord.Member | None = place.guild.me
        try:
            return Done(None if me is None else place.permissions_for(me).read_message_history)
        except discord.ClientException:  # a thread whose channel is not known
            return Done(None)

    async def edit(self, channel: int, message: int, parts: Parts, *, alone: bool = False) -> Result[int]:
        """Replace a message's content and files (exactly one attachment list). Pings nobody. A long rate
        limit on a message over an hour old is Discord's limit of such edits: `Why.TOO_OLD`. alone: whether
        nothing but this changes the message, no answer to a click either; then what it has of the files
        stays, and is not sent again."""
        known = self._attached.take(message)
        marks = [mark_of(file) for file in parts.files]
        kept = {mark: Kept(known[mark]) for mark in marks if alone and mark in known}
        files = [kept.get(mark, file) for mark, file in zip(marks, parts.files, strict=True)]

        async def call() -> int:
            edited = await (
                self._channel(channel)
                .get_partial_message(message)
                .edit(view=parts.view, attachments=files, allowed_mentions=NOBODY)
            )
            self._attached.note(edited, marks)
            return message

        refused = self.refusals.refusal(channel)
        result = refused or await self._at(channel, call)
        if isinstance(result, Failed) and result.why is Why.REFUSED and kept:
            self._attached.refused()
            return replace(result, why=Why.LATER)
        if isinstance(result, Failed) and result.why is Why.LATER and result.retry_after > 0 and not refused:
            age = self.now() - discord.utils.snowflake_time(message)
            if age >= OLD:
                return replace(result, why=Why.TOO_OLD)
        return result

    async def delete(self, channel: int, message: int) -> Result[None]:
        return await self._at(channel, lambda: self._channel(channel).get_partial_message(message).delete())

    # private answers, as long as their interaction's token lives

    async def edit_answer(self, reach: Reach, parts: Parts) -> Result[int]:
        """Replace a private answer's content and files; its id."""

        async def call() -> int:
            edit: Callable[..., Awaitable[discord.Message]] = reach.interaction.edit_original_response
            if reach.message is not None:
                edit = partial(reach.interaction.followup.edit_message, reach.message)
            message = await edit(view=parts.view, attachments=parts.files, allowed_mentions=NOBODY)
            return message.id

        return await attempt(call, within=PATIENCE)

    async def delete_answer(self, reach: Reach) -> Result[None]:
        async def call() -> None:
            if reach.message is None:
                await reach.interaction.delete_original_response()
            else:
                await reach.interaction.followup.delete_message(reach.message)

        return await attempt(call, within=PATIENCE)

    # direct messages

    async def open_dm(self, user: int, *, spare: int = 0) -> Result[int]:
        """The direct message channel with this user. Within a budget, of which `spare` is to be left; over
        it: `Why.LATER` with the seconds to wait. One at a time, whoever it is for: where Discord says that it
        was too much one person goes without, and all who wait behind find the budget empty."""
        known = self._dms.get(user)
        if known is not None:
            return Done(known)

        async def call() -> int:
            channel = await self._client.create_dm(discord.Object(user))
            return channel.id

        async with self._dm_lock:
            known = self._dms.get(user)
            if known is not None:
                return Done(known)
            wait = self._dm_budget.take(spare)
            if wait > 0:
                return Failed(Why.LATER, retry_after=wait)
            result = await attempt(call, within=PATIENCE)
            if isinstance(result, Done):
                self._dms[user] = result.value
            elif result.code == 40003:
                self._dm_budget.empty()
        return result

    def known_dm(self, user: int) -> int | None:
        """The direct message channel with this user, where it is known without asking."""
        return self._dms.get(user)

    def know_dm(self, user: int, channel: int | None) -> None:
        """From an earlier life; None: it is no more."""
        if channel is None:
            self._dms.pop(user, None)
        else:
            self._dms[user] = channel

    # people

    async def is_member(self, guild: int, user: int) -> Result[bool]:
        """Whether somebody is still on the server, asked of Discord."""

        async def call() -> bool:
            await self._client.http.get_member(guild, user)
            return True

        result = await attempt(call, within=PATIENCE)
        if isinstance(result, Failed) and result.code in {10007, 10013}:  # unknown member, unknown user
            return Done(False)
        return result

    async def member(self, guild: int, user: int) -> Result[discord.Member | None]:
        """Somebody as a member of a server with their roles, None where they are not on it. Asked of Discord
        once a minute at most."""
        server = self._client.get_guild(guild)
        if server is None:
            return Failed(Why.GONE)

        async def call() -> discord.Member:
            return await server.fetch_member(user)

        return await self._asked(self._members, (guild, user), call)

    async def in_thread(self, thread: discord.Thread, user: int) -> Result[bool]:
        """Whether somebody was added to a thread, asked of Discord once a minute at most."""

        async def call() -> bool:
            await thread.fetch_member(user)
            return True

        result = await self._asked(self._in_threads, (thread.id, user), call)
        return result if isinstance(result, Failed) else Done(result.value is not None)

    async def _asked(
        self,
        known: Answers[T],
        key: tuple[int, ...],
        call: Callable[[], Awaitable[T]],
    ) -> Result[T | None]:
        """What a call gives, None where Discord says that there is no such thing; an answer, a refusal too,
        stands for `REMEMBERED`."""
        answer = known.get(key)
        if answer is None:
            result: Result[T | None] = await attempt(call, within=PATIENCE)
            if isinstance(result, Failed) and result.code in UNKNOWN:
                result = Done(None)
            elif isinstance(result, Failed) and result.why is not Why.FORBIDDEN:
                return result
            answer = known[key] = result
        return answer

    async def can_view(
        self, guild: int, channel: int, user: int, member: discord.Member | None = None
    ) -> bool:
        """Whether somebody can view a channel or thread now. What cannot be known is no. member: they
        themselves, as an interaction from that server tells; without it Discord is asked."""
        asked_place = await self.place(channel)
        place = asked_place.value if isinstance(asked_place, Done) else None
        if place is None or place.guild.id != guild:
            return False
        if member is None:
            asked = await self.member(guild, user)
            member = asked.value if isinstance(asked, Done) else None
        if member is None:
            return False
        try:
            have = place.permissions_for(member)
        except discord.ClientException:  # a thread whose channel is not known
            return False
        if not have.view_channel:
            return False
        if isinstance(place, discord.Thread) and place.is_private() and not have.manage_threads:
            return await self.in_thread(place, user) == Done(True)
        return True

    # channels and threads

    async def place(self, channel: int) -> Result[Place | None]:
        """A channel or thread of a server; None where Discord says that there is none (any more). A thread
        that sleeps is in no cache, nor is anything of a server of which Discord has not told yet: Discord is
        asked, once a minute at most."""

        async def call() -> Place:
            found = await self._client.fetch_channel(channel)
            if not isinstance(found, discord.abc.GuildChannel | discord.Thread):
                raise discord.InvalidData(f"{channel} is of no server")
            return found

        known = self._client.get_channel(channel)
        if isinstance(known, discord.abc.GuildChannel | discord.Thread):
            return Done(known)
        return await self._asked(self._places, (channel,), call)

    def place_changed(self, channel: int) -> None:
        """Something changed about a channel or thread: what was refused there, or told of it, counts no
        more."""
        self.refusals.forget(channel)
        self._places.pop((channel,), None)
        for key in [key for key in self._unread if key[0] == channel]:
            self._unread.pop(key, None)

    async def is_gone(self, channel: int) -> bool:
        """Whether Discord says that a channel or thread is no more. One that sleeps, is not for us to see, or
        cannot be asked for now is not gone."""
        return await self.place(channel) == Done(None)

    async def guild_of(self, channel: int) -> int | None:
        """The server that a channel or thread belongs to, where that can be known."""
        asked = await self.place(channel)
        return asked.value.guild.id if isinstance(asked, Done) and asked.value is not None else None

    async def parent_of(self, channel: int) -> int | None:
        """The channel that a thread belongs to; None for any other place, or where it cannot be known."""
        asked = await self.place(channel)
        found = asked.value if isinstance(asked, Done) else None
        return found.parent_id if isinstance(found, discord.Thread) else None

    async def create_thread(self, channel: int, message: int, name: str) -> Result[int]:
        """A public thread on a message; its id."""

        async def call() -> int:
            data = await self._client.http.start_thread_with_message(
                channel, message, name=cut(name, 100), auto_archive_duration=10080
            )
            return int(data["id"])

        return await self._at(channel, call)

    async def awake(self, thread: int, call: Callable[[], Awaitable[Result[T]]]) -> Result[T]:
        """What a call in a thread gives. Where the thread sleeps it is woken, and the call made once more;
        not where it is locked: nobody's lock is fought."""
        result = await call()
        if not isinstance(result, Failed) or result.why is not Why.ARCHIVED:
            return result
        asked = await self.place(thread)
        found = asked.value if isinstance(asked, Done) else None
        if isinstance(found, discord.Thread) and found.locked:
            return result

        async def wake() -> None:
            await self._client.http.edit_channel(thread, archived=False)

        woken = await self._at(thread, wake)
        return await call() if isinstance(woken, Done) else result

    # what the cache says, without a call

    def newest_message(self, channel: int) -> int | None:
        """Id of the newest message known in a channel or thread, None where it is not cached."""
        found = self._client.get_channel(channel)
        return getattr(found, "last_message_id", None)

    def lacks(self, guild: int, channel: int, *needed: str) -> tuple[str, ...]:
        """Which of these permissions the bot lacks there, as far as the cache knows."""
        server = self._client.get_guild(guild)
        if server is None or server.me is None:
            return ()
        place = server.get_channel_or_thread(channel)
        if place is None:
            return ()
        have = place.permissions_for(server.me)
        return tuple(name for name in needed if not getattr(have, name))

    def timed_out(self, guild: int) -> datetime | None:
        """Until when a moderator keeps the bot from writing on this server, as far as the cache knows
        or Discord has told when asked."""
        server, now = self._client.get_guild(guild), self._clock.now()
        until = None if server is None or server.me is None else server.me.timed_out_until
        if until is None or until <= now:
            _, until = self._timed_out.get(guild, (now, None))
        return until if until is not None and until > now else None

    async def ask_timed_out(self, guild: int) -> None:
        """Ask Discord whether the bot is timed out, where the cache does not know: once a minute a server at
        most, whatever comes of it."""
        async with self._asking[guild]:  # who comes meanwhile waits for the answer
            server, me, now = self._client.get_guild(guild), self._client.user, self._clock.now()
            known = self._timed_out.get(guild)
            if server is None or me is None or self.timed_out(guild) is not None:
                return
            if known is not None and now - known[0] < REMEMBERED:
                return
            asked = await attempt(lambda: server.fetch_member(me.id), within=PATIENCE)
            self._timed_out[guild] = (now, asked.value.timed_out_until if isinstance(asked, Done) else None)

    def time_out_changed(self, guild: int) -> None:
        """The cache has heard of it: it knows better than what was asked before."""
        self._timed_out.pop(guild, None)

    def is_in(self, guild: int) -> bool:
        """Whether the bot is on this server. Who has installed it for themselves uses it elsewhere too."""
        return self._client.get_guild(guild) is not None

    def owner_of(self, guild: int) -> int | None:
        """The user who owns a server, as far as the cache knows."""
        server = self._client.get_guild(guild)
        return None if server is None else server.owner_id

    def guild_locale(self, guild: int) -> str | None:
        server = self._client.get_guild(guild)
        return None if server is None else str(server.preferred_locale)


def _walk(parts: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Components as they come over the wire, nested ones too."""
    for part in parts:
        yield part
        yield from _walk(part.get("components", ()))


def _texts(parts: Iterable[Any]) -> Iterator[str]:
    """The texts of a message's components."""
    for part in parts:
        if isinstance(part, discord.TextDisplay):
            yield part.content
        yield from _texts(getattr(part, "children", ()))


def _attachments(parts: Iterable[Any]) -> Iterator[int]:
    """The uploaded files that a message's components show, from top to bottom."""
    for part in parts:
        items = part.items if isinstance(part, discord.MediaGalleryComponent) else [part]
        for item in items:
            media = getattr(item, "media", None)
            if isinstance(media, discord.UnfurledMediaItem) and media.attachment_id is not None:
                yield media.attachment_id
        yield from _attachments(getattr(part, "children", ()))


def _mentioned(text: str) -> frozenset[int]:
    return frozenset(int(user) for user in _MENTION.findall(text))


class Answer:
    """The answer to one interaction: given once, whichever way it goes out.

    `show` gives a new message to this person (or, where `public`, to the channel); `update` replaces the
    message the pressed control is on. When neither has come after `patience` seconds the answer is deferred
    by itself, so that no click is ever left without one; the page then goes out through the deferral.

    The first message after a deferral takes that deferral's place and its openness: Discord ignores whether
    it was to be private. So a private one after a public deferral (a refusal, a fault) takes that back first;
    where that fails nothing is shown, rather than shown to everybody.

    The message that was pressed may be deleted before it is answered, and Discord takes no answer that would
    change it (10008). Then only a new message is an answer to the click, and so is its deferral.
    """

    def __init__(
        self, interaction: discord.Interaction[Any], *, public: bool = False, patience: float = 1.8
    ) -> None:
        """public: whether the answer, should it be deferred, is for the whole channel."""
        self.interaction = interaction
        self.reach: Reach | None = None
        """The way back to what was given last, or may have been; None where there is none."""
        self.message: discord.Message | None = None
        """What was shown last, as Discord gave it back; None where it did not."""
        self._public = public
        self._given = False
        # new: Discord shows that a message will come; unsure: the same, if the one that was lost is not there
        self._deferred: Literal["", "update", "new", "unsure"] = ""
        self._begun = False  # whether Discord has a first answer, though discord.py may not know it
        self._lock = asyncio.Lock()
        self._private_source = self._on_private_message()
        loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = (
            loop.call_later(patience, self._run_out) if patience else None
        )
        self._deferring: asyncio.Task[None] | None = None

    def _on_private_message(self) -> bool:
        """Whether the pressed control is on a message only this person sees."""
        message = self.interaction.message
        if message is None:
            return False
        return message.flags.ephemeral or self.interaction.guild_id is None

    @property
    def given(self) -> bool:
        return self._given

    @property
    def can_update(self) -> bool:
        """Whether the page may take the place of the message the control is on."""
        return self._private_source

    def _run_out(self) -> None:
        self._deferring = asyncio.create_task(self._defer())

    async def _defer(self) -> None:
        async with self._lock:
            if self._given or self._is_begun:
                return
            if self._private_source:
                outcome: Result[Any] = await attempt(self.interaction.response.defer, within=PATIENCE)
                if self._may_be_there(outcome):
                    outcome = await self.original()
                if isinstance(outcome, Done):
                    self._deferred = "update"
                if not is_gone(outcome):
                    return
            await self._defer_new()

    @property
    def _is_begun(self) -> bool:
        return self._begun or self.interaction.response.is_done()

    async def _defer_new(self) -> None:
        """Discord shows that a new message will come."""
        response = self.interaction.response
        outcome = await attempt(
            lambda: response.defer(ephemeral=not self._public, thinking=True), within=PATIENCE
        )
        if isinstance(outcome, Done) or (self._may_be_there(outcome) and await self.original() == Done(None)):
            self._deferred = "new"

    def _may_be_there(self, outcome: Result[Any]) -> bool:
        """Whether that failure is to be asked about, and can be."""
        return isinstance(outcome, Failed) and outcome.unclear and self.interaction.channel is not None

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def end(self) -> None:
        """Nothing more will be shown: a deferral that stands for certain is taken back. (One that a lost
        message may have filled is left: a panel's keeper shows there what it is to show.)"""
        async with self._lock:
            if self._deferred == "new":
                await self._take_deferral_back()

    def close(self) -> None:
        """Forget the deferral that would come by itself (the interaction was answered elsewhere)."""
        self._stop_timer()

    async def show(self, parts: Parts, *, public: bool = False) -> Result[int | None]:
        """A new message: private unless `public`, whatever was deferred. The id of it, where Discord
        tells."""
        self._stop_timer()
        allowed = mentions(parts.mentions) if parts.mentions else NOBODY
        async with self._lock:
            self._given = True
            interaction = self.interaction
            first_of_all = not self._is_begun
            own = first_of_all or (self._deferred == "new" and self._public == public)
            self.reach = Reach(interaction) if own else None
            if first_of_all:

                async def first() -> int | None:
                    answer = await interaction.response.send_message(
                        view=parts.view, files=parts.files, ephemeral=not public, allowed_mentions=allowed
                    )
                    shown = answer.resource
                    self.message = shown if isinstance(shown, discord.InteractionMessage) else None
                    return answer.message_id

                return await attempt(first, within=PATIENCE)
            if self._deferred in {"new", "unsure"} and self._public and not public:
                taken_back = await self._take_deferral_back()
                if isinstance(taken_back, Failed) and not is_gone(taken_back):
                    return taken_back

            async def later() -> int | None:
                message = await interaction.followup.send(
                    view=parts.view,
                    files=parts.files,
                    ephemeral=not public,
                    allowed_mentions=allowed,
                    wait=True,
                )
                self.message = message
                return message.id

            before = self._deferred
            if before == "new":
                self._deferred = "unsure"
            sent = await attempt(later, within=PATIENCE)
            if isinstance(sent, Done):
                self._deferred = ""  # what comes after this one is a message of its own
                if not own:
                    self.reach = Reach(interaction, sent.value)
            elif not sent.unclear:
                self._deferred = before
            return sent

    async def original(self) -> Result[int | None]:
        """The message that was given as the first answer, asked of Discord: its id, None while Discord only
        shows that something will come."""

        async def call() -> int | None:
            self.interaction._original_response = None  # else discord.py tells what it was told before
            message = await self.interaction.original_response()
            return None if message.flags.loading else message.id

        told = await attempt(call, within=PATIENCE)
        if isinstance(told, Done):
            self._begun = True
            if self._deferred in {"new", "unsure"}:
                self._deferred = "new" if told.value is None else ""
        return told

    async def update(self, parts: Parts) -> Result[int | None]:
        """The page takes the place of the message the control is on. `Why.GONE` where that is no more: the
        click is not answered yet."""
        async with self._lock:
            if self._deferred == "new":
                return Failed(Why.GONE)
            interaction = self.interaction
            self.reach = Reach(interaction)
            first_of_all = not self._is_begun

            async def first() -> int | None:
                answer = await interaction.response.edit_message(
                    view=parts.view, attachments=parts.files, allowed_mentions=NOBODY
                )
                return None if answer is None else answer.message_id

            async def later() -> int | None:
                message = await interaction.edit_original_response(
                    view=parts.view, attachments=parts.files, allowed_mentions=NOBODY
                )
                return message.id

            return self._tried(await attempt(first if first_of_all else later, within=PATIENCE), Why.GONE)

    async def acknowledge(self) -> Result[None]:
        """Take a component click without showing anything. `Why.GONE` where the message that the control is
        on is no more: the click is not answered yet, which `show` does, or `pass_over`."""
        async with self._lock:
            if self._deferred == "new" and self._private_source:
                return Failed(Why.GONE)
            if not self._is_begun:
                taken = await attempt(self.interaction.response.defer, within=PATIENCE)
                if isinstance(taken, Failed):
                    return self._tried(taken, Why.GONE)
            return self._tried(Done(None))

    async def pass_over(self) -> None:
        """Take a click on what is no more without showing anything. Until the end Discord shows that
        something will come: without a message there is no other way."""
        async with self._lock:
            if self._deferred != "new":
                await self._defer_new()
            self._tried(Done(None))

    def _tried(self, result: Result[T], owed: Why | None = None) -> Result[T]:
        """What came of an answer, after which none is owed any more. owed: the failure after which one is."""
        if not isinstance(result, Failed) or result.why is not owed:
            self._given = True
            self._stop_timer()
        return result

    async def _take_deferral_back(self) -> Result[None]:
        """Discord does not show any more that a new message will come."""
        result = await attempt(self.interaction.delete_original_response, within=PATIENCE)
        if isinstance(result, Done) or is_gone(result):
            self._deferred = ""
        return result

    async def ask(self, modal: discord.ui.Modal) -> Result[None]:
        """Open a modal; only as the first answer. `Why.LATE` where one was given or deferred: the click is
        not answered yet."""
        async with self._lock:
            if self._is_begun:
                return Failed(Why.LATE)

            async def call() -> None:
                await self.interaction.response.send_modal(modal)

            return self._tried(await attempt(call, within=PATIENCE))
