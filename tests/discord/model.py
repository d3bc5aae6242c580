"""What the pretended Discord knows: users, guilds, channels, messages, interactions, and their wire payloads.

No network here. Ids are real snowflakes (strings on the wire, ints inside).
"""

from __future__ import annotations

import asyncio
import datetime
import enum
import mimetypes
import struct
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.discord import components as parts
from tests.discord.components import Json

EPOCH_MS = 1420070400000
MIB = 1 << 20
DEFAULT_FILE_LIMIT = 10 * MIB
ACK_SECONDS = 3.0
TOKEN_SECONDS = 15 * 60
HAS_THREAD, EPHEMERAL, LOADING, IS_V2 = 1 << 5, 1 << 6, 1 << 7, 1 << 15
TEXT_CHANNEL, DM_CHANNEL, CATEGORY, PUBLIC_THREAD, PRIVATE_THREAD = 0, 1, 4, 11, 12
THREADS = (10, PUBLIC_THREAD, PRIVATE_THREAD)
COMMAND, COMPONENT, AUTOCOMPLETE, MODAL_SUBMIT = 2, 3, 4, 5


class P(enum.IntFlag):
    """The permission bits that the double looks at."""

    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_EXTERNAL_EMOJIS = 1 << 18
    MANAGE_ROLES = 1 << 28
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38
    PIN_MESSAGES = 1 << 51


ALL = (1 << 53) - 1
DEFAULT_USER = int(
    P.ADD_REACTIONS
    | P.VIEW_CHANNEL
    | P.SEND_MESSAGES
    | P.EMBED_LINKS
    | P.ATTACH_FILES
    | P.READ_MESSAGE_HISTORY
    | P.USE_EXTERNAL_EMOJIS
    | P.USE_APPLICATION_COMMANDS
    | P.CREATE_PUBLIC_THREADS
    | P.CREATE_PRIVATE_THREADS
    | P.SEND_MESSAGES_IN_THREADS
)
DEFAULT_BOT = DEFAULT_USER | int(P.MANAGE_THREADS | P.PIN_MESSAGES)


class Clock:
    """Wall clock that a test can move forward. The 3 second rule runs on real time, not on this."""

    def __init__(self) -> None:
        self.offset = 0.0

    def now(self) -> float:
        return time.time() + self.offset

    def advance(self, seconds: float) -> None:
        self.offset += seconds


def iso(at: float | None) -> str | None:
    return None if at is None else datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat()


class Ids:
    """Strictly rising snowflakes. Guild ids are spaced: guild number n falls on shard n % shard_count."""

    GUILD_BASE = 2520 * 40_000_000

    def __init__(self, clock: Clock) -> None:
        self.clock, self.last, self.guilds = clock, 0, 0

    def next(self) -> int:
        self.last = max(self.last + 1, (int(self.clock.now() * 1000) - EPOCH_MS) << 22)
        return self.last

    def guild(self) -> int:
        self.guilds += 1
        return (self.GUILD_BASE + self.guilds - 1) << 22


# -- records ---------------------------------------------------------------------------------
@dataclass
class User:
    id: int
    name: str
    display: str | None = None
    locale: str = "en-US"
    dms_open: bool = True
    bot: bool = False
    installed: bool = False  # has the app as a user install


@dataclass
class Member:
    user_id: int
    roles: list[int] = field(default_factory=list)
    nick: str | None = None
    joined: float = 0.0
    muted_until: float = 0.0  # timed out by a moderator until then, on the double's clock


@dataclass
class Role:
    id: int
    name: str
    permissions: int = 0
    position: int = 1
    managed: bool = False
    color: int = 0
    mentionable: bool = False


@dataclass
class Guild:
    id: int
    name: str
    owner_id: int
    locale: str = "en-US"
    file_limit: int = DEFAULT_FILE_LIMIT
    bot_in: bool = True
    members: dict[int, Member] = field(default_factory=dict)
    roles: dict[int, Role] = field(default_factory=dict)
    bot_role: int = 0


@dataclass
class Channel:
    id: int
    type: int
    guild_id: int | None = None
    name: str = ""
    parent_id: int | None = None
    topic: str | None = None
    position: int = 0
    overwrites: dict[int, Json] = field(default_factory=dict)
    recipient_id: int | None = None
    message_ids: list[int] = field(default_factory=list)
    pins: list[int] = field(default_factory=list)
    slowmode: int = 0
    # threads
    owner_id: int | None = None
    members: dict[int, float] = field(default_factory=dict)
    archived: bool = False
    locked: bool = False
    archive_minutes: int = 4320
    archive_changed: float = 0.0
    active_at: float = 0.0
    invitable: bool = True

    @property
    def is_thread(self) -> bool:
        return self.type in THREADS

    @property
    def is_dm(self) -> bool:
        return self.type == DM_CHANNEL

    @property
    def recipient(self) -> int:
        """Of direct messages: who they are with."""
        assert self.recipient_id is not None
        return self.recipient_id


@dataclass
class Attachment:
    id: int
    filename: str
    data: bytes
    url: str
    description: str | None = None
    ephemeral: bool = False

    @property
    def content_type(self) -> str:
        return mimetypes.guess_type(self.filename)[0] or "application/octet-stream"

    def payload(self) -> Json:
        width, height = image_size(self.data)
        out = {
            "id": str(self.id),
            "filename": self.filename,
            "size": len(self.data),
            "url": self.url,
            "proxy_url": self.url,
            "content_type": self.content_type,
        }
        if width:
            out |= {"width": width, "height": height}
        if self.description is not None:
            out["description"] = self.description
        if self.ephemeral:
            out["ephemeral"] = True
        return out

    def media(self, media_id: int) -> Json:
        width, height = image_size(self.data)
        return {
            "id": str(media_id),
            "url": self.url,
            "proxy_url": self.url,
            "width": width,
            "height": height,
            "content_type": self.content_type,
            "attachment_id": str(self.id),
        }


@dataclass
class Message:
    id: int
    channel_id: int
    author_id: int
    created: float
    content: str = ""
    type: int = 0
    flags: int = 0
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    edited: float | None = None
    ephemeral_to: int | None = None
    interaction: Interaction | None = None
    nonce: str | None = None
    reference: Json | None = None
    pinned: float | None = None
    thread_id: int | None = None
    poll: Json | None = None
    mentions: list[int] = field(default_factory=list)
    mention_roles: list[int] = field(default_factory=list)
    mention_everyone: bool = False
    pings: list[int] = field(
        default_factory=list
    )  # users who got a notification (creation only, never an edit)
    edits: int = 0
    old_edits: int = 0

    def media_ids(self) -> set[int]:
        """Attachments shown by an embed or a component: Discord leaves those out of `attachments`."""
        items = [holder[key] for holder, key in parts.media_holders(self.components)]
        items += [e[k] for e in self.embeds for k in ("image", "thumbnail") if e.get(k)]
        urls = {item.get("url") for item in items}
        return {a.id for a in self.attachments if a.url in urls}


@dataclass
class Interaction:
    id: int
    token: str
    type: int
    user_id: int
    channel_id: int
    guild_id: int | None
    created: float
    file_limit: int
    owners: Json
    data: Json
    message_id: int | None = None
    command: Json | None = None
    user_install_only: bool = False
    sent: float | None = None  # perf_counter when it went out
    received: float | None = None  # perf_counter when the accepted callback had arrived
    callback_type: int | None = None
    callback_data: Json | None = None
    original_id: int | None = None
    original_ephemeral: bool = False
    followups: list[int] = field(default_factory=list)
    refused: list[tuple[int, float]] = field(default_factory=list)  # (error code, seconds after sending)
    answered_at: float | None = None
    ack: asyncio.Future[None] = field(kw_only=True)
    answered: asyncio.Future[None] = field(kw_only=True)

    def mark_answered(self, at: float) -> None:
        if not self.answered.done():
            self.answered_at = at
            self.answered.set_result(None)


def image_size(data: bytes) -> tuple[int | None, int | None]:
    """(width, height) of PNG, GIF and WebP bytes, else (None, None)."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return struct.unpack(">II", data[16:24])
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        return struct.unpack("<HH", data[6:10])
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        if data[12:16] == b"VP8X":
            width, height = (int.from_bytes(data[i : i + 3], "little") + 1 for i in (24, 27))
            return width, height
        if data[12:16] == b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None, None


# -- the whole state -----------------------------------------------------------------------------
class State:
    def __init__(self, app_name: str = "double") -> None:
        self.clock = Clock()
        self.ids = Ids(self.clock)
        self.cdn = ""  # set once the port is known
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.messages: dict[int, Message] = {}
        self.files: dict[int, Attachment] = {}
        self.interactions: dict[str, Interaction] = {}
        self.commands: dict[int | None, dict[int, Json]] = {
            None: {}
        }  # guild id or None -> command id -> command
        self.emojis: dict[int, Json] = {}
        self.nonces: dict[tuple[int, str], tuple[int, float]] = {}  # (channel, nonce) -> message, when
        self.awaiting: dict[
            int, list[Interaction]
        ] = {}  # message id -> silent deferrals that no edit has followed yet
        self.retired: deque[int] = deque()  # attachments no message shows any more, oldest first
        self.dm_opens: deque[tuple[float, int]] = deque(
            maxlen=10_000
        )  # (time, user id): every DM channel that the bot opened anew
        self.owner = self.add_user("app-owner")
        self.app = self.add_user(app_name, bot=True)

    # creation
    def add_user(self, name: str, **more: Any) -> User:
        user = User(self.ids.next(), name, **more)
        self.users[user.id] = user
        return user

    def add_guild(
        self, name: str, owner_id: int, *, bot_permissions: int = DEFAULT_BOT, **more: Any
    ) -> Guild:
        guild = Guild(self.ids.guild(), name, owner_id, **more)
        guild.roles[guild.id] = Role(guild.id, "@everyone", DEFAULT_USER, 0)
        self.guilds[guild.id] = guild
        self.add_member(guild, owner_id)
        if guild.bot_in:
            role = Role(self.ids.next(), self.app.name, bot_permissions, 1, managed=True)
            guild.roles[role.id], guild.bot_role = role, role.id
            self.add_member(guild, self.app.id).roles.append(role.id)
        return guild

    def add_member(self, guild: Guild, user_id: int) -> Member:
        return guild.members.setdefault(user_id, Member(user_id, joined=self.clock.now()))

    def add_channel(self, guild_id: int | None, name: str, type: int = TEXT_CHANNEL, **more: Any) -> Channel:
        channel = Channel(self.ids.next(), type, guild_id, name, active_at=self.clock.now(), **more)
        channel.position = (
            sum(c.guild_id == guild_id for c in self.channels.values()) if len(self.channels) < 500 else 0
        )
        self.channels[channel.id] = channel
        return channel

    def dm_with(self, user_id: int) -> tuple[Channel, bool]:
        for channel in self.channels.values():
            if channel.recipient_id == user_id:
                return channel, False
        channel = Channel(self.ids.next(), DM_CHANNEL, recipient_id=user_id)
        self.channels[channel.id] = channel
        return channel, True

    def retire(self, attachments: Iterable[Attachment], keep: int = 500) -> None:
        """The CDN serves removed files a little longer: the last `keep` of them."""
        self.retired.extend(a.id for a in attachments)
        while len(self.retired) > keep:
            self.files.pop(self.retired.popleft(), None)

    # permissions
    def permissions(self, user_id: int, channel: Channel) -> int:
        if channel.is_dm:
            return DEFAULT_USER if user_id in (channel.recipient_id, self.app.id) else 0
        guild = self.server(channel)
        member = guild.members.get(user_id)
        if member is None:
            return 0
        if guild.owner_id == user_id:
            return ALL
        held = [guild.id, *member.roles]
        value = 0
        for role_id in held:
            value |= guild.roles[role_id].permissions if role_id in guild.roles else 0
        if value & P.ADMINISTRATOR:
            return ALL
        value = self._overwritten(value, self.parent(channel).overwrites, guild.id, member)
        if self.timed_out(guild, user_id):
            value &= P.VIEW_CHANNEL | P.READ_MESSAGE_HISTORY
        if channel.type == PRIVATE_THREAD and user_id not in channel.members and not value & P.MANAGE_THREADS:
            return 0
        return value if value & P.VIEW_CHANNEL else 0

    @staticmethod
    def _overwritten(value: int, overwrites: dict[int, Json], everyone: int, member: Member) -> int:
        roles = [overwrites[r] for r in member.roles if r in overwrites]
        deny_roles = allow_roles = 0
        for entry in roles:
            deny_roles |= int(entry["deny"])
            allow_roles |= int(entry["allow"])
        layers: list[Json | None] = [
            overwrites.get(everyone),
            {"deny": deny_roles, "allow": allow_roles},
            overwrites.get(member.user_id),
        ]
        for layer in layers:
            if layer:
                value = value & ~int(layer["deny"]) | int(layer["allow"])
        return value

    def timed_out(self, guild: Guild, user_id: int) -> bool:
        """Whether a moderator's time-out of the member lasts."""
        member = guild.members.get(user_id)
        return member is not None and member.muted_until > self.clock.now()

    def parent(self, channel: Channel) -> Channel:
        if not channel.is_thread or channel.parent_id is None:
            return channel
        return self.channels.get(channel.parent_id, channel)

    def guild_of(self, channel: Channel) -> Guild | None:
        """None for direct messages."""
        return None if channel.guild_id is None else self.guilds.get(channel.guild_id)

    def server(self, channel: Channel) -> Guild:
        """Of a channel that is no direct messages."""
        guild = self.guild_of(channel)
        assert guild is not None
        return guild

    def message(self, number: int | None) -> Message | None:
        """None where there is none (any more)."""
        return None if number is None else self.messages.get(number)

    def can_see(self, user_id: int, channel: Channel) -> bool:
        return bool(self.permissions(user_id, channel) & P.VIEW_CHANNEL)

    def audience(self, channel: Channel, ephemeral_to: int | None = None) -> frozenset[int]:
        """Ids of the users (the bot left out) who can read what is written in the channel now."""
        if ephemeral_to is not None:
            return frozenset({ephemeral_to})
        if channel.is_dm:
            return frozenset({channel.recipient})
        people = self.server(channel).members
        return frozenset(u for u in people if u != self.app.id and self.can_see(u, channel))

    def mutual_guild(self, user_id: int) -> bool:
        return any(g.bot_in and user_id in g.members for g in self.guilds.values())

    # payloads
    def user_payload(self, user_id: int) -> Json:
        u = self.users[user_id]
        return {
            "id": str(u.id),
            "username": u.name,
            "discriminator": "0000" if u.bot else "0",
            "global_name": u.display,
            "avatar": None,
            "bot": u.bot,
            "public_flags": 0,
            "flags": 0,
            "banner": None,
            "accent_color": None,
            "avatar_decoration_data": None,
            "collectibles": None,
            "primary_guild": None,
        }

    def member_payload(
        self, guild: Guild, user_id: int, *, with_user: bool = True, permissions: int | None = None
    ) -> Json:
        m = guild.members.get(user_id) or Member(user_id)
        out: Json = {
            "roles": [str(r) for r in m.roles],
            "nick": m.nick,
            "avatar": None,
            "banner": None,
            "joined_at": iso(m.joined),
            "premium_since": None,
            "deaf": False,
            "mute": False,
            "pending": False,
            "flags": 0,
            "communication_disabled_until": iso(m.muted_until or None),
            "avatar_decoration_data": None,
            "collectibles": None,
        }
        if with_user:
            out["user"] = self.user_payload(user_id)
        if permissions is not None:
            out["permissions"] = str(permissions)
        return out

    def role_payload(self, role: Role) -> Json:
        tags = {"tags": {"bot_id": str(self.app.id)}} if role.managed else {}
        return {
            "id": str(role.id),
            "name": role.name,
            "permissions": str(role.permissions),
            "position": role.position,
            "color": role.color,
            "colors": {"primary_color": role.color, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "managed": role.managed,
            "mentionable": role.mentionable,
            "icon": None,
            "unicode_emoji": None,
            "flags": 0,
            **tags,
        }

    def channel_payload(self, c: Channel) -> Json:
        base = {
            "id": str(c.id),
            "type": c.type,
            "flags": 0,
            "last_message_id": str(c.message_ids[-1]) if c.message_ids else None,
        }
        if c.is_dm:
            return base | {"recipients": [self.user_payload(c.recipient)]}
        base |= {
            "guild_id": str(c.guild_id),
            "name": c.name,
            "parent_id": str(c.parent_id) if c.parent_id else None,
            "rate_limit_per_user": c.slowmode,
        }
        if c.is_thread:
            return base | self._thread_fields(c)
        return base | {
            "position": c.position,
            "topic": c.topic,
            "nsfw": False,
            "permission_overwrites": [
                dict(o, id=str(o["id"]), allow=str(o["allow"]), deny=str(o["deny"]))
                for o in c.overwrites.values()
            ],
        }

    def _thread_fields(self, c: Channel) -> Json:
        meta = {
            "archived": c.archived,
            "locked": c.locked,
            "auto_archive_duration": c.archive_minutes,
            "archive_timestamp": iso(c.archive_changed),
            "create_timestamp": iso(c.archive_changed),
        }
        if c.type == PRIVATE_THREAD:
            meta["invitable"] = c.invitable
        out = {
            "owner_id": str(c.owner_id),
            "thread_metadata": meta,
            "message_count": min(50, len(c.message_ids)),
            "member_count": min(50, len(c.members)),
            "total_message_sent": len(c.message_ids),
        }
        if self.app.id in c.members:
            out["member"] = self.thread_member_payload(c, self.app.id)
        return out

    @staticmethod
    def thread_member_payload(c: Channel, user_id: int) -> Json:
        return {
            "id": str(c.id),
            "user_id": str(user_id),
            "join_timestamp": iso(c.members[user_id]),
            "flags": 0,
        }

    def message_payload(self, m: Message, *, nested: bool = False) -> Json:
        hidden = m.media_ids()
        out = {
            "id": str(m.id),
            "type": m.type,
            "channel_id": str(m.channel_id),
            "content": m.content,
            "author": self.user_payload(m.author_id),
            "attachments": [a.payload() for a in m.attachments if a.id not in hidden],
            "embeds": m.embeds,
            "mentions": [self.user_payload(u) for u in m.mentions],
            "mention_roles": [str(r) for r in m.mention_roles],
            "mention_everyone": m.mention_everyone,
            "pinned": m.pinned is not None,
            "tts": False,
            "timestamp": iso(m.created),
            "edited_timestamp": iso(m.edited),
            "flags": m.flags,
            "components": m.components,
        }
        if m.nonce is not None:
            out["nonce"] = m.nonce
        if m.poll:
            out["poll"] = m.poll
        if m.interaction is not None:
            out |= {
                "application_id": str(self.app.id),
                "webhook_id": str(self.app.id),
                "interaction_metadata": self._metadata(m, m.interaction),
            }
        elif m.author_id == self.app.id:
            out["application_id"] = str(self.app.id)
        if m.thread_id in self.channels:
            out["thread"] = self.channel_payload(self.channels[m.thread_id])
        if m.reference:
            out["message_reference"] = m.reference
            old = self.messages.get(int(m.reference.get("message_id", 0)))
            if not nested:
                out["referenced_message"] = self.message_payload(old, nested=True) if old else None
        return out

    def _metadata(self, m: Message, it: Interaction) -> Json:
        out: Json = {
            "id": str(it.id),
            "type": it.type,
            "user": self.user_payload(it.user_id),
            "authorizing_integration_owners": it.owners,
        }
        if it.type == COMPONENT:
            out["interacted_message_id"] = str(it.message_id)
        elif it.type == MODAL_SUBMIT:
            first = {
                "id": str(it.id),
                "type": COMMAND,
                "user": out["user"],
                "authorizing_integration_owners": it.owners,
            }
            if it.message_id:
                first |= {"type": COMPONENT, "interacted_message_id": str(it.message_id)}
            out["triggering_interaction_metadata"] = first
        if m.id != it.original_id and it.original_id:
            out["original_response_message_id"] = str(it.original_id)
        return out

    def guild_payload(self, g: Guild) -> Json:
        """The guild object of REST; GUILD_CREATE adds channels, members and so on."""
        nulls = (
            "icon",
            "description",
            "home_header",
            "splash",
            "discovery_splash",
            "banner",
            "application_id",
            "afk_channel_id",
            "system_channel_id",
            "widget_channel_id",
            "vanity_url_code",
            "rules_channel_id",
            "safety_alerts_channel_id",
            "public_updates_channel_id",
            "incidents_data",
            "max_presences",
        )
        zeros = (
            "verification_level",
            "default_message_notifications",
            "mfa_level",
            "explicit_content_filter",
            "premium_tier",
            "premium_subscription_count",
            "system_channel_flags",
            "nsfw_level",
        )
        return {
            "id": str(g.id),
            "name": g.name,
            "owner_id": str(g.owner_id),
            "preferred_locale": g.locale,
            "features": [],
            "region": "us-west",
            "afk_timeout": 300,
            "widget_enabled": False,
            "roles": [self.role_payload(r) for r in g.roles.values()],
            "emojis": [],
            "stickers": [],
            "max_members": 500000,
            "max_stage_video_channel_users": 50,
            "max_video_channel_users": 25,
            "premium_progress_bar_enabled": False,
            "nsfw": False,
            **dict.fromkeys(nulls),
            **dict.fromkeys(zeros, 0),
        }

    def guild_create_payload(self, g: Guild, *, all_members: bool = False) -> Json:
        channels = [c for c in self.channels.values() if c.guild_id == g.id]
        members = g.members if all_members else [self.app.id]
        threads = [c for c in channels if c.is_thread and not c.archived and self.can_see(self.app.id, c)]
        return self.guild_payload(g) | {
            "joined_at": iso(g.members[self.app.id].joined),
            "large": False,
            "unavailable": False,
            "member_count": len(g.members),
            "voice_states": [],
            "presences": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
            "hub_type": None,
            "members": [self.member_payload(g, u) for u in members],
            "channels": [self.channel_payload(c) for c in channels if not c.is_thread],
            "threads": [self.channel_payload(c) for c in threads],
        }

    def application_payload(self) -> Json:
        name = self.app.name
        return {
            "id": str(self.app.id),
            "name": name,
            "icon": None,
            "description": "",
            "type": None,
            "verify_key": "0" * 64,
            "flags": 0,
            "flags_new": "0",
            "redirect_uris": [],
            "interactions_endpoint_url": None,
            "role_connections_verification_url": None,
            "owner": self.user_payload(self.owner.id),
            "approximate_guild_count": len(self.guilds),
            "approximate_user_install_count": 0,
            "approximate_user_authorization_count": 0,
            "explicit_content_filter": 0,
            "team": None,
            "eligible_oauth2_scopes": ["bot", "applications.commands"],
            "bot": self.user_payload(self.app.id),
            "bot_public": True,
            "bot_require_code_grant": False,
            "integration_types_config": {"0": {}, "1": {}},
        }
