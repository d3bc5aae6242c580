"""A tiny Discord behind discord.py's own HTTP door: channels, messages, threads, interactions.

Every request is a `Call` that is held. Somebody else decides when it takes effect, when its caller is
answered, and whether the answer is lost. Nothing here knows Parlour.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import discord

from .virtual import START, VirtualLoop

APP, GUILD, OWNER = 900, 1000, 1999
EPHEMERAL, LOADING, V2 = 1 << 6, 1 << 7, 1 << 15
EVERYTHING = str((1 << 50) - 1)
NONCE_SECONDS = 300.0  # "checked for uniqueness in the past few minutes"
PROMPT = 3.0  # seconds an interaction may wait for its first answer
TOKEN = 900.0
EPOCH_MS = 1420070400000
COMMAND, COMPONENT = 2, 3
ERRORS = {
    10003: 404,
    10004: 404,
    10007: 404,
    10008: 404,
    10015: 404,
    10062: 404,
    40060: 400,
    50027: 401,
    50007: 403,
}
ERRORS |= {160004: 400, 50005: 403, 50083: 400}


class Refused(Exception):
    """Discord's own error."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass(eq=False)
class Call:
    """One request. done: it has taken effect. future: its caller's answer. life: the process it is of."""

    number: int
    life: int
    method: str
    path: str
    body: dict[str, Any]
    files: list[tuple[str, bytes]]
    query: dict[str, Any]
    future: asyncio.Future[Any]
    where: str
    done: bool = False
    result: Any = None
    left: bool = False  # nobody waits for it any more

    def __str__(self) -> str:
        return f"{self.number} {self.method} {self.where}"

    @property
    def writes(self) -> bool:
        """Whether it posts, edits or deletes a message."""
        return self.method != "GET" and (
            "/messages" in self.path or "/callback" in self.path or "/webhooks" in self.path
        )


@dataclass
class Message:
    id: int
    channel: int
    author: int
    at: float
    components: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    alts: list[str] = field(default_factory=list)
    only_for: int | None = None  # an ephemeral message's one reader
    flags: int = V2
    pinged: tuple[int, ...] = ()
    interaction: int | None = None

    @property
    def texts(self) -> list[str]:
        """All words: text displays, labels, alt texts, options."""
        return [*_words(self.components), *self.alts]

    @property
    def controls(self) -> list[str]:
        """Custom ids of what can be pressed."""
        return [
            part["custom_id"]
            for part in walk(self.components)
            if part.get("custom_id") and not part.get("disabled")
        ]

    @property
    def links(self) -> list[str]:
        return [part["url"] for part in walk(self.components) if part.get("type") == 2 and part.get("url")]


@dataclass
class Interaction:
    id: int
    token: str
    user: int
    channel: int
    at: float
    kind: int
    life: int
    message: int | None
    answered: int = 0  # type of its callback
    original: int | None = None
    ephemeral: bool = False
    followups: list[int] = field(default_factory=list)


def walk(components: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in components:
        yield part
        yield from walk(part.get("components", []))
        if isinstance(part.get("accessory"), dict):
            yield from walk([part["accessory"]])


def _words(components: list[dict[str, Any]]) -> Iterator[str]:
    for part in walk(components):
        for name in ("content", "label", "placeholder"):
            if part.get(name):
                yield str(part[name])
        for option in part.get("options", ()):
            yield f"{option['label']} {option.get('description') or ''}"
        for item in part.get("items", ()):
            if item.get("description"):
                yield str(item["description"])


class Chat:
    """people: names by user id. on_call: told of each call as it comes. on_seen: told of each state of a
    message that somebody can see. on_event: what the gateway tells (name, payload)."""

    def __init__(self, loop: VirtualLoop, people: dict[int, str]) -> None:
        self.loop = loop
        self.people = people
        self.channels: dict[int, str] = {}  # of the server, with threads
        self.parents: dict[int, int] = {}  # of threads
        self.messages: dict[int, Message] = {}
        self.nonces: dict[tuple[int, str], tuple[int, float]] = {}
        self.interactions: dict[str, Interaction] = {}
        self.held: list[Call] = []
        self.count = 0
        self._last_id = 0
        self.on_call: Callable[[Call], None] = lambda call: None
        self.on_seen: Callable[[Message], None] = lambda message: None
        self.on_event: Callable[[str, dict[str, Any]], None] = lambda name, data: None

    # ids

    def new_id(self) -> int:
        self._last_id = self.next_id
        return self._last_id

    @property
    def next_id(self) -> int:
        ms = int(START.timestamp() * 1000 + self.loop.time() * 1000) - EPOCH_MS
        return max(self._last_id + 1, ms << 22)

    def dm(self, user: int) -> int:
        return 500_000_000 + user

    def reader(self, channel: int) -> int | None:
        """Whose direct messages these are; None for a channel of the server."""
        user = channel - 500_000_000
        return user if user in self.people else None

    def name(self, channel: int) -> str:
        reader = self.reader(channel)
        return f"dm:{self.people[reader]}" if reader is not None else self.channels.get(channel, str(channel))

    def add_channel(self, name: str) -> int:
        channel = self.new_id()
        self.channels[channel] = name
        return channel

    # calls

    async def request(
        self,
        life: int,
        method: str,
        path: str,
        body: dict[str, Any],
        files: list[tuple[str, bytes]],
        query: dict[str, Any],
    ) -> Any:
        """What discord.py's request gives or raises."""
        self.count += 1
        call = Call(
            self.count,
            life,
            method,
            path,
            body,
            files,
            query,
            self.loop.create_future(),
            self._where(method, path, body),
        )
        self.held.append(call)
        self.on_call(call)
        try:
            return await call.future
        except asyncio.CancelledError:
            call.left = True
            if call.done and call in self.held:
                self.held.remove(call)
            raise

    def _where(self, method: str, path: str, body: dict[str, Any]) -> str:
        if match := re.match(r"/channels/(\d+)(.*)", path):
            return f"{self.name(int(match[1]))}{' thread' if match[2].endswith('/threads') else ''}"
        if match := re.match(r"/(?:interactions/\d+|webhooks/\d+)/([^/]+)(.*)", path):
            asked = self.interactions.get(match[1])
            who = self.people.get(asked.user, "?") if asked else "?"
            return f"answer:{who}{match[2]}"
        if path == "/users/@me/channels":
            return f"open:{self.people.get(int(body['recipient_id']), '?')}"
        return path

    def carry_out(self, call: Call) -> None:
        """The call takes effect now."""
        assert not call.done
        call.done = True
        try:
            call.result = self._answer(call)
        except Refused as refused:
            call.result = refused
        if call.left:
            self.held.remove(call)

    def vanish(self, call: Call) -> None:
        """It never arrived, and nobody waits for it."""
        self.held.remove(call)

    def answer(self, call: Call) -> None:
        """Its caller is told."""
        self.held.remove(call)
        if call.future.done():
            return
        if isinstance(call.result, Refused):
            status = ERRORS[call.result.code]
            kind = {404: discord.NotFound, 403: discord.Forbidden}.get(status, discord.HTTPException)
            reply: Any = _Reply(status)
            call.future.set_exception(
                kind(reply, {"code": call.result.code, "message": "as Discord says it"})
            )
        else:
            call.future.set_result(call.result)

    def lose(self, call: Call) -> None:
        """Its caller learns nothing but that the connection broke."""
        self.held.remove(call)
        if not call.future.done():
            call.future.set_exception(ConnectionResetError(104, "the answer is lost"))

    # what calls do

    def _answer(self, call: Call) -> Any:
        for method, pattern, function in ROUTES:
            if method == call.method and (match := re.fullmatch(pattern, call.path)):
                return function(self, call, *match.groups())
        raise AssertionError(f"no such route here: {call.method} {call.path}")

    def _place(self, channel: str) -> int:
        number = int(channel)
        if number not in self.channels and self.reader(number) is None:
            raise Refused(10003)
        return number

    def _message(self, channel: str, message: str) -> Message:
        found = self.messages.get(int(message))
        if found is None or found.channel != self._place(channel) or found.only_for is not None:
            raise Refused(10008)
        return found

    def post(self, channel: str, call: Call) -> Any:
        place, body = self._place(channel), call.body
        key = (place, str(body.get("nonce")))
        if body.get("nonce") and body.get("enforce_nonce") and key in self.nonces:
            known, when = self.nonces[key]
            if known in self.messages and self.loop.time() - when < NONCE_SECONDS:
                return self.payload(self.messages[known])
        message = Message(self.new_id(), place, APP, self.loop.time())
        self._fill(message, call, body)
        message.pinged = tuple(int(user) for user in (body.get("allowed_mentions") or {}).get("users") or ())
        self._appear(message)
        if body.get("nonce"):
            self.nonces[key] = (message.id, self.loop.time())
        return self.payload(message)

    def _fill(self, message: Message, call: Call, body: dict[str, Any]) -> None:
        if "components" in body:
            message.components = body["components"] or []
        if "attachments" in body or call.files:
            message.files = dict(call.files)
            message.alts = [
                str(one["description"]) for one in body.get("attachments") or () if one.get("description")
            ]
        message.flags = message.flags & ~LOADING

    def _appear(self, message: Message) -> None:
        self.messages[message.id] = message
        self.on_seen(message)
        if self.reader(message.channel) is None and message.only_for is None and not message.flags & LOADING:
            self.on_event("message_create", self.payload(message) | {"guild_id": str(GUILD)})

    def remove(self, message: Message) -> None:
        del self.messages[message.id]
        if self.reader(message.channel) is None and message.only_for is None:
            told = {"id": str(message.id), "channel_id": str(message.channel), "guild_id": str(GUILD)}
            self.on_event("message_delete", told)

    def write(self, user: int, channel: int) -> None:
        """Somebody chats."""
        self._appear(Message(self.new_id(), channel, user, self.loop.time(), flags=0))

    def _post(self, call: Call, channel: str) -> Any:
        return self.post(channel, call)

    def _edit(self, call: Call, channel: str, message: str) -> Any:
        found = self._message(channel, message)
        if found.author != APP:
            raise Refused(50005)
        self._fill(found, call, call.body)
        self.on_seen(found)
        return self.payload(found)

    def _delete(self, call: Call, channel: str, message: str) -> None:
        self.remove(self._message(channel, message))

    def _get(self, call: Call, channel: str, message: str) -> Any:
        return self.payload(self._message(channel, message))

    def _list(self, call: Call, channel: str) -> Any:
        place = self._place(channel)
        found = [m for m in self.messages.values() if m.channel == place and m.only_for is None]
        found.sort(key=lambda m: m.id)
        limit = int(call.query.get("limit", 50))
        if "after" in call.query:
            found = [m for m in found if m.id > int(call.query["after"])][:limit]
        elif "before" in call.query:
            found = [m for m in found if m.id < int(call.query["before"])]
        elif "around" in call.query:
            near = sorted(found, key=lambda m: abs(m.id - int(call.query["around"])))[:limit]
            found = sorted(near, key=lambda m: m.id)
        return [self.payload(m) for m in reversed(found[-limit:])]

    def _open_dm(self, call: Call) -> Any:
        return self.channel_payload(self.dm(int(call.body["recipient_id"])))

    def _member(self, call: Call, guild: str, user: str) -> Any:
        if int(user) not in self.people:
            raise Refused(10007)
        return self.member_payload(int(user))

    def _thread(self, call: Call, channel: str, message: str) -> Any:
        found = self._message(channel, message)
        if found.id in self.channels:
            raise Refused(160004)
        self.channels[found.id] = "thread"
        self.parents[found.id] = found.channel
        made = self.channel_payload(found.id)
        self.on_event("thread_create", made | {"newly_created": True})
        return made

    def _get_channel(self, call: Call, channel: str) -> Any:
        return self.channel_payload(self._place(channel))

    def _wake(self, call: Call, channel: str) -> Any:
        return self.channel_payload(self._place(channel))

    # interactions

    def _callback(self, call: Call, interaction: str, token: str) -> Any:
        asked = self.interactions.get(token)
        if asked is None or self.loop.time() - asked.at > PROMPT:
            raise Refused(10062)
        if asked.answered:
            raise Refused(40060)
        kind, body = int(call.body["type"]), call.body.get("data") or {}
        message: Message | None = None
        if kind in {4, 5}:
            message = Message(self.new_id(), asked.channel, APP, self.loop.time(), interaction=asked.id)
            hidden = bool((body.get("flags") or 0) & EPHEMERAL)
            message.only_for = asked.user if hidden else None
            message.flags |= (EPHEMERAL if hidden else 0) | (LOADING if kind == 5 else 0)
            asked.original, asked.ephemeral = message.id, hidden
            if kind == 4:
                self._fill(message, call, body)
            self._appear(message)
        elif kind in {6, 7}:
            message = self.messages.get(asked.message or 0)
            if message is None:
                raise Refused(10008)
            asked.original, asked.ephemeral = message.id, message.only_for is not None
            if kind == 7:
                self._fill(message, call, body)
                self.on_seen(message)
        asked.answered = kind
        told: dict[str, Any] = {"id": str(asked.id), "type": asked.kind}
        if message is None:
            return {"interaction": told}
        told |= {
            "response_message_id": str(message.id),
            "response_message_ephemeral": message.only_for is not None,
        }
        told |= {"response_message_loading": bool(message.flags & LOADING)}
        if kind in {4, 7}:
            return {"interaction": told, "resource": {"type": kind, "message": self.payload(message)}}
        return {"interaction": told}

    def _hook(self, token: str) -> Interaction:
        asked = self.interactions.get(token)
        if asked is None or self.loop.time() - asked.at > TOKEN:
            raise Refused(50027)
        if not asked.answered:
            raise Refused(10015)
        return asked

    def _hooked(self, token: str, message: str) -> Message:
        asked = self._hook(token)
        found = self.messages.get((asked.original or 0) if message == "@original" else int(message))
        if found is None:
            raise Refused(10008)
        return found

    def _followup(self, call: Call, app: str, token: str) -> Any:
        asked = self._hook(token)
        original = self.messages.get(asked.original or 0)
        if original is not None and original.flags & LOADING:
            return self._fill_in(call, original)
        hidden = bool((call.body.get("flags") or 0) & EPHEMERAL)
        message = Message(self.new_id(), asked.channel, APP, self.loop.time(), interaction=asked.id)
        message.only_for = asked.user if hidden else None
        message.flags |= EPHEMERAL if hidden else 0
        self._fill(message, call, call.body)
        asked.followups.append(message.id)
        self._appear(message)
        return self.payload(message)

    def _fill_in(self, call: Call, message: Message) -> Any:
        loading = bool(message.flags & LOADING)
        self._fill(message, call, call.body)
        if loading:
            self._appear(message)
        else:
            self.on_seen(message)
        return self.payload(message)

    def _edit_hooked(self, call: Call, app: str, token: str, message: str) -> Any:
        return self._fill_in(call, self._hooked(token, message))

    def _get_hooked(self, call: Call, app: str, token: str, message: str) -> Any:
        return self.payload(self._hooked(token, message))

    def _delete_hooked(self, call: Call, app: str, token: str, message: str) -> None:
        self.remove(self._hooked(token, message))

    def interaction(
        self,
        life: int,
        user: int,
        channel: int,
        kind: int,
        data: dict[str, Any],
        message: Message | None = None,
    ) -> tuple[Interaction, dict[str, Any]]:
        """Somebody acts: what the gateway tells the bot."""
        number = self.new_id()
        source = None if message is None else message.id
        asked = Interaction(number, f"t{number}", user, channel, self.loop.time(), kind, life, source)
        self.interactions[asked.token] = asked
        told: dict[str, Any] = {
            "id": str(number),
            "application_id": str(APP),
            "type": kind,
            "token": asked.token,
            "version": 1,
            "data": data,
            "channel_id": str(channel),
            "channel": self.channel_payload(channel),
            "locale": "en-US",
            "app_permissions": EVERYTHING,
            "entitlements": [],
            "authorizing_integration_owners": {"0": str(GUILD)},
            "context": 0,
            "attachment_size_limit": 10485760,
        }
        if self.reader(channel) is None:
            told |= {"guild_id": str(GUILD), "guild_locale": "en-US", "member": self.member_payload(user)}
        else:
            told |= {"user": self.user_payload(user), "context": 1}
        if message is not None:
            told["message"] = self.payload(message)
        return asked, told

    # payloads

    def user_payload(self, user: int) -> dict[str, Any]:
        name = self.people.get(user, "parlour")
        return {
            "id": str(user),
            "username": name,
            "global_name": name,
            "discriminator": "0",
            "avatar": None,
            "bot": user == APP,
        }

    def member_payload(self, user: int) -> dict[str, Any]:
        return {
            "user": self.user_payload(user),
            "roles": [],
            "joined_at": START.isoformat(),
            "deaf": False,
            "mute": False,
            "flags": 0,
            "permissions": str(0x0000_0004_8029_FC40),
        }

    def channel_payload(self, channel: int) -> dict[str, Any]:
        reader = self.reader(channel)
        newest = max(
            (m.id for m in self.messages.values() if m.channel == channel and m.only_for is None),
            default=None,
        )
        made: dict[str, Any] = {
            "id": str(channel),
            "last_message_id": None if newest is None else str(newest),
            "flags": 0,
        }
        if reader is not None:
            return made | {"type": 1, "recipients": [self.user_payload(reader)]}
        made |= {"guild_id": str(GUILD), "name": self.channels[channel], "rate_limit_per_user": 0}
        if channel in self.parents:
            meta = {
                "archived": False,
                "locked": False,
                "auto_archive_duration": 10080,
                "archive_timestamp": START.isoformat(),
            }
            return made | {
                "type": 11,
                "parent_id": str(self.parents[channel]),
                "owner_id": str(APP),
                "thread_metadata": meta,
                "message_count": 0,
                "member_count": 1,
            }
        return made | {
            "type": 0,
            "position": 0,
            "permission_overwrites": [],
            "parent_id": None,
            "topic": None,
            "nsfw": False,
        }

    def guild_payload(self) -> dict[str, Any]:
        everyone = {
            "id": str(GUILD),
            "name": "@everyone",
            "permissions": EVERYTHING,
            "position": 0,
            "color": 0,
            "colors": {},
            "hoist": False,
            "managed": False,
            "mentionable": False,
            "flags": 0,
        }
        me = self.member_payload(APP) | {"roles": []}
        return {
            "id": str(GUILD),
            "name": "Den",
            "owner_id": str(OWNER),
            "preferred_locale": "en-US",
            "features": [],
            "roles": [everyone],
            "emojis": [],
            "stickers": [],
            "members": [me],
            "member_count": len(self.people),
            "channels": [self.channel_payload(c) for c in self.channels if c not in self.parents],
            "threads": [self.channel_payload(c) for c in self.parents],
            "verification_level": 0,
            "nsfw_level": 0,
            "default_message_notifications": 0,
            "mfa_level": 0,
            "explicit_content_filter": 0,
            "premium_tier": 0,
            "system_channel_flags": 0,
            "unavailable": False,
            "large": False,
            "voice_states": [],
            "presences": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
            "joined_at": START.isoformat(),
        }

    def payload(self, message: Message) -> dict[str, Any]:
        made: dict[str, Any] = {
            "id": str(message.id),
            "channel_id": str(message.channel),
            "author": self.user_payload(message.author),
            "content": "",
            "timestamp": START.isoformat(),
            "edited_timestamp": None,
            "tts": False,
            "type": 0,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "embeds": [],
            "pinned": False,
            "flags": message.flags,
            "components": _given(message.components),
        }
        for (channel, nonce), (known, _) in self.nonces.items():
            if known == message.id and channel == message.channel:
                made["nonce"] = nonce
        if message.interaction is not None:
            user = next(i.user for i in self.interactions.values() if i.id == message.interaction)
            made["interaction_metadata"] = {
                "id": str(message.interaction),
                "type": 2,
                "user": self.user_payload(user),
                "authorizing_integration_owners": {"0": str(GUILD)},
            }
            made |= {"application_id": str(APP), "webhook_id": str(APP)}
        return made


class _Reply:
    """As much of aiohttp's response as discord.py's errors look at."""

    def __init__(self, status: int) -> None:
        self.status, self.reason = status, ""
        self.headers: dict[str, str] = {}


def _given(components: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As Discord gives components back: every part numbered, every picture with an address."""
    copied: list[dict[str, Any]] = json.loads(json.dumps(components))
    for number, part in enumerate(walk(copied), 1):
        part.setdefault("id", number)
        media = [item["media"] for item in part.get("items", ())] + ([part["file"]] if "file" in part else [])
        for one in media:
            one |= {"url": "https://cdn.invalid/x.png", "proxy_url": "https://cdn.invalid/x.png"}
            one |= {"width": 1, "height": 1, "content_type": "image/png"}
    return copied


ROUTES: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("POST", r"/channels/(\d+)/messages", Chat._post),
    ("GET", r"/channels/(\d+)/messages", Chat._list),
    ("GET", r"/channels/(\d+)/messages/(\d+)", Chat._get),
    ("PATCH", r"/channels/(\d+)/messages/(\d+)", Chat._edit),
    ("DELETE", r"/channels/(\d+)/messages/(\d+)", Chat._delete),
    ("POST", r"/channels/(\d+)/messages/(\d+)/threads", Chat._thread),
    ("GET", r"/channels/(\d+)", Chat._get_channel),
    ("PATCH", r"/channels/(\d+)", Chat._wake),
    ("POST", r"/users/@me/channels", Chat._open_dm),
    ("GET", r"/guilds/(\d+)/members/(\d+)", Chat._member),
    ("POST", r"/interactions/(\d+)/([^/]+)/callback", Chat._callback),
    ("POST", r"/webhooks/(\d+)/([^/]+)", Chat._followup),
    ("GET", r"/webhooks/(\d+)/([^/]+)/messages/([@\w]+)", Chat._get_hooked),
    ("PATCH", r"/webhooks/(\d+)/([^/]+)/messages/([@\w]+)", Chat._edit_hooked),
    ("DELETE", r"/webhooks/(\d+)/([^/]+)/messages/([@\w]+)", Chat._delete_hooked),
)
