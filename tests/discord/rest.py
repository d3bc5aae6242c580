"""The REST half: one method per route. State changes plus events; sockets and faults are in server.py."""

from __future__ import annotations

import copy
import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.discord import components as parts
from tests.discord.components import Json, Unfurl
from tests.discord.faults import ApiError
from tests.discord.model import (
    AUTOCOMPLETE,
    CATEGORY,
    COMMAND,
    COMPONENT,
    DEFAULT_FILE_LIMIT,
    EPHEMERAL,
    HAS_THREAD,
    IS_V2,
    LOADING,
    MODAL_SUBMIT,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    TOKEN_SECONDS,
    Attachment,
    Channel,
    Guild,
    Interaction,
    Message,
    P,
    Role,
    iso,
)
from tests.discord.rules import check_files

if TYPE_CHECKING:
    from tests.discord.server import DiscordDouble

Reply = (
    Json | list[Json] | tuple[int, Json] | None
)  # what is answered; with a status where it is not 200 or 204
Handler = Callable[["Rest", "Call"], Awaitable[Reply]]
ROUTES: list[tuple[str, str, Handler]] = []  # method, template, function
MESSAGE, DEFER, DEFER_UPDATE, UPDATE, CHOICES, MODAL, PONG, ACTIVITY = 4, 5, 6, 7, 8, 9, 1, 12
ALLOWED_CALLBACKS = {
    COMMAND: {MESSAGE, DEFER, MODAL, ACTIVITY},
    COMPONENT: {MESSAGE, DEFER, DEFER_UPDATE, UPDATE, MODAL, ACTIVITY},
    AUTOCOMPLETE: {CHOICES},
    MODAL_SUBMIT: {MESSAGE, DEFER, DEFER_UPDATE, UPDATE},
}


def route(method: str, template: str) -> Callable[[Handler], Handler]:
    def keep(function: Handler) -> Handler:
        ROUTES.append((method, template, function))
        return function

    return keep


@dataclass
class Call:
    """One HTTP request of the bot."""

    method: str
    path: str  # after /api/v10
    template: str
    params: dict[str, str]
    query: dict[str, str]
    arrived: float  # perf_counter
    received: float = 0.0  # perf_counter when the whole body had been read
    body: Any = None
    files: dict[int, tuple[str, bytes]] = field(default_factory=dict)  # emptied once the call is done
    sizes: tuple[int, ...] = ()  # bytes of each file
    status: int = 0
    code: int = 0
    finished: float = 0.0

    def id(self, name: str) -> int:
        text = str(self.params[name])
        if not text.isdigit():
            raise ApiError(
                50035, errors={name: {"_errors": [{"code": "NUMBER_TYPE_COERCE", "message": text}]}}
            )
        return int(text)


def invalid(lines: list[str]) -> ApiError:
    return ApiError(50035, errors={"_errors": [{"code": "INVALID", "message": line} for line in lines]})


class Rest:
    def __init__(self, double: DiscordDouble) -> None:
        self.double, self.state = double, double.state

    # == who am I =================================================================================
    @route("GET", "/users/@me")
    async def me(self, call: Call) -> Reply:
        return self.state.user_payload(self.state.app.id) | {
            "mfa_enabled": False,
            "locale": "en-US",
            "verified": True,
            "email": None,
        }

    @route("GET", "/users/{user}")
    async def get_user(self, call: Call) -> Reply:
        if call.id("user") not in self.state.users:
            raise ApiError(10013)
        return self.state.user_payload(call.id("user"))

    @route("GET", "/oauth2/applications/@me")
    @route("GET", "/applications/@me")
    async def application(self, call: Call) -> Reply:
        return self.state.application_payload()

    @route("GET", "/gateway")
    async def gateway(self, call: Call) -> Reply:
        return {"url": self.double.gateway_url}

    @route("GET", "/gateway/bot")
    async def gateway_bot(self, call: Call) -> Reply:
        return {
            "url": self.double.gateway_url,
            "shards": self.double.recommended_shards,
            "session_start_limit": {
                "total": 1000,
                "remaining": 1000 - self.double.gateway.identifies,
                "reset_after": 86_400_000,
                "max_concurrency": 16,
            },
        }

    # == application commands and emojis ==========================================================
    def _commands(self, call: Call) -> tuple[int | None, dict[int, Json]]:
        if call.id("application") != self.state.app.id:
            raise ApiError(50001)
        guild_id = call.id("guild") if "guild" in call.params else None
        if guild_id is not None and not (
            guild_id in self.state.guilds and self.state.guilds[guild_id].bot_in
        ):
            raise ApiError(50001)
        return guild_id, self.state.commands.setdefault(guild_id, {})

    def _new_command(self, guild_id: int | None, existing: dict[int, Json], body: Json) -> Json:
        key = (body.get("type") or 1, body["name"])
        same = next((c for c in existing.values() if (c["type"], c["name"]) == key), None)
        command: Json = {
            "application_id": str(self.state.app.id),
            "default_member_permissions": None,
            "nsfw": False,
            "description": "",
            "name_localizations": None,
            "description_localizations": None,
            "integration_types": [0],
        }
        command |= {k: copy.deepcopy(v) for k, v in body.items() if v is not None or k in command}
        command |= {
            "id": same["id"] if same else str(self.state.ids.next()),
            "version": str(self.state.ids.next()),
            "type": key[0],
        }
        if command["default_member_permissions"] is not None:
            command["default_member_permissions"] = str(command["default_member_permissions"])
        if guild_id is None:
            command.setdefault("contexts", None)
            command["dm_permission"] = command.get("dm_permission", True)
        else:
            command["guild_id"] = str(guild_id)
        return command

    @route("PUT", "/applications/{application}/commands")
    @route("PUT", "/applications/{application}/guilds/{guild}/commands")
    async def put_commands(self, call: Call) -> Reply:
        guild_id, existing = self._commands(call)
        fresh = [self._new_command(guild_id, existing, body) for body in call.body]
        self.state.commands[guild_id] = {int(c["id"]): c for c in fresh}
        self.double.recorder.public("commands", fresh)
        return fresh

    @route("GET", "/applications/{application}/commands")
    @route("GET", "/applications/{application}/guilds/{guild}/commands")
    async def get_commands(self, call: Call) -> Reply:
        return list(self._commands(call)[1].values())

    @route("POST", "/applications/{application}/commands")
    @route("POST", "/applications/{application}/guilds/{guild}/commands")
    async def post_command(self, call: Call) -> Reply:
        guild_id, existing = self._commands(call)
        command = self._new_command(guild_id, existing, call.body)
        known = int(command["id"]) in existing
        existing[int(command["id"])] = command
        return (200 if known else 201), command

    def _command(self, call: Call) -> tuple[int | None, dict[int, Json], Json]:
        guild_id, existing = self._commands(call)
        if call.id("command") not in existing:
            raise ApiError(10063)
        return guild_id, existing, existing[call.id("command")]

    @route("GET", "/applications/{application}/commands/{command}")
    @route("GET", "/applications/{application}/guilds/{guild}/commands/{command}")
    async def get_command(self, call: Call) -> Reply:
        return self._command(call)[2]

    @route("PATCH", "/applications/{application}/commands/{command}")
    @route("PATCH", "/applications/{application}/guilds/{guild}/commands/{command}")
    async def patch_command(self, call: Call) -> Reply:
        command = self._command(call)[2]
        command |= call.body | {"version": str(self.state.ids.next())}
        return command

    @route("DELETE", "/applications/{application}/commands/{command}")
    @route("DELETE", "/applications/{application}/guilds/{guild}/commands/{command}")
    async def delete_command(self, call: Call) -> None:
        del self._command(call)[1][call.id("command")]

    @route("GET", "/applications/{application}/emojis")
    async def get_emojis(self, call: Call) -> Reply:
        return {"items": list(self.state.emojis.values())}

    @route("POST", "/applications/{application}/emojis")
    async def post_emoji(self, call: Call) -> Reply:
        emoji = {
            "id": str(self.state.ids.next()),
            "name": call.body["name"],
            "roles": [],
            "animated": False,
            "available": True,
            "managed": False,
            "require_colons": True,
            "user": self.state.user_payload(self.state.app.id),
        }
        self.state.emojis[int(emoji["id"])] = emoji
        return 201, emoji

    @route("DELETE", "/applications/{application}/emojis/{emoji}")
    async def delete_emoji(self, call: Call) -> None:
        if self.state.emojis.pop(call.id("emoji"), None) is None:
            raise ApiError(10014)

    # == looking things up, with permissions ======================================================
    def _guild(self, call: Call) -> Guild:
        guild = self.state.guilds.get(call.id("guild"))
        if guild is None or not guild.bot_in:
            raise ApiError(10004)
        return guild

    def _channel(self, call: Call, *needs: int, name: str = "channel") -> Channel:
        channel = self.state.channels.get(call.id(name))
        if channel is None:
            raise ApiError(10003)
        self._need(channel, *needs)
        return channel

    def _need(self, channel: Channel, *needs: int) -> None:
        """50001 where the bot cannot see the channel, 50013 where it lacks one of `needs`."""
        if channel.is_dm:
            return
        held = self.state.permissions(self.state.app.id, channel) if self.state.server(channel).bot_in else 0
        if not held & P.VIEW_CHANNEL:
            raise ApiError(50001)
        if any(not held & need for need in needs):
            raise ApiError(50013)

    def _message(self, call: Call, channel: Channel) -> Message:
        message = self.state.messages.get(call.id("message"))
        if message is None or message.channel_id != channel.id or message.ephemeral_to is not None:
            raise ApiError(10008)
        return message

    def _open_thread(self, channel: Channel) -> None:
        if channel.is_thread and channel.archived:
            raise ApiError(50083)

    # == building messages ========================================================================
    def _check_files(self, call: Call, limit: int) -> None:
        sizes = [len(data) for _, data in call.files.values()]
        if len(sizes) > 10:
            raise ApiError(30015)
        if any(n > limit for n in sizes):
            raise ApiError(50045)
        if check_files(sizes, limit):
            raise ApiError(40005)

    def _attach(self, call: Call, channel: Channel, body: Json, ephemeral: bool) -> list[Attachment]:
        """The uploaded files as attachments, described by the body's `attachments` (ids are file numbers)."""
        about = {str(a.get("id")): a for a in body.get("attachments") or ()}
        out = []
        for index, (filename, data) in sorted(call.files.items()):
            entry = about.get(str(index), {})
            name = entry.get("filename") or filename
            new_id = self.state.ids.next()
            url = f"{self.state.cdn}/attachments/{channel.id}/{new_id}/{name}"
            attachment = Attachment(new_id, name, data, url, entry.get("description"), ephemeral)
            self.state.files[new_id] = attachment
            out.append(attachment)
        return out

    def _unfurler(self, attachments: list[Attachment]) -> Unfurl:
        def unfurl(url: str) -> tuple[Json, Attachment | None]:
            if url.startswith("attachment://"):
                name = url.removeprefix("attachment://")
                found = next((a for a in reversed(attachments) if a.filename == name), None)
                if found is None:
                    raise invalid([f"The referenced attachment {name!r} was not found"])
                return found.media(self.state.ids.next()), found
            own = next((a for a in attachments if a.url == url.partition("?")[0]), None)
            if own:
                return own.media(self.state.ids.next()), own
            return {
                "id": str(self.state.ids.next()),
                "url": url,
                "proxy_url": url,
                "width": None,
                "height": None,
                "content_type": None,
            }, None

        return unfurl

    def _fill(self, message: Message, body: Json, attachments: list[Attachment]) -> None:
        """Put the given parts of a body into the message. Absent keys leave the message as it is."""
        message.attachments = attachments
        unfurl = self._unfurler(attachments)
        if "content" in body:
            message.content = (body["content"] or "").strip()
        if "embeds" in body:
            message.embeds = [self._embed(e, unfurl) for e in copy.deepcopy(body["embeds"] or [])]
        if "components" in body:
            message.components = parts.complete(copy.deepcopy(body["components"] or []), unfurl)
        if body.get("poll"):
            message.poll = self._poll(copy.deepcopy(body["poll"]))
        shown = (message.content, message.embeds, message.components, message.attachments, message.poll)
        if not any(shown) and not message.flags & LOADING:
            raise ApiError(50006)
        if message.flags & IS_V2 and (message.content or message.embeds or message.poll):
            raise invalid(["MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"])
        new = {c["type"] for c in parts.walk(message.components)} - set(range(1, 9))
        if new and not message.flags & IS_V2:
            raise invalid([f"component types {sorted(new)} need the flag IS_COMPONENTS_V2"])

    @staticmethod
    def _embed(embed: Json, unfurl: Unfurl) -> Json:
        embed["type"] = embed.get("type") or "rich"
        for key in ("image", "thumbnail"):
            if embed.get(key):
                media = unfurl(embed[key]["url"])[0]
                embed[key] = {
                    k: media[k] for k in ("url", "proxy_url", "width", "height") if media[k] is not None
                }
        for entry in embed.get("fields") or ():
            entry.setdefault("inline", False)
        return embed

    def _poll(self, poll: Json) -> Json:
        hours = poll.pop("duration", None) or 24
        for number, answer in enumerate(poll["answers"], 1):
            answer["answer_id"] = number
        return {
            "allow_multiselect": False,
            "layout_type": 1,
            **poll,
            "expiry": None if hours is None else iso(self.state.clock.now() + hours * 3600),
            "results": {"answer_counts": [], "is_finalized": False},
        }

    def _mentions(self, message: Message, channel: Channel, body: Json, *, notify: bool) -> None:
        """Who is mentioned, as far as allowed_mentions lets it count; and, on creation, who gets a ping."""
        text = "\n".join([message.content, *parts.texts(message.components)])
        allowed = body.get("allowed_mentions")
        kinds = {"users", "roles", "everyone"} if allowed is None else set(allowed.get("parse") or ())
        listed = {k: {int(i) for i in (allowed or {}).get(k) or ()} for k in ("users", "roles")}

        def counts(kind: str, number: int) -> bool:
            return kind in kinds or number in listed.get(kind, ())

        users = dict.fromkeys(int(i) for i in re.findall(r"<@!?(\d+)>", text))
        message.mentions = [u for u in users if u in self.state.users and counts("users", u)]
        if channel.guild_id:
            roles = dict.fromkeys(int(i) for i in re.findall(r"<@&(\d+)>", text))
            message.mention_roles = [
                r for r in roles if r in self.state.guilds[channel.guild_id].roles and counts("roles", r)
            ]
        message.mention_everyone = bool(re.search("@(everyone|here)", text)) and "everyone" in kinds
        if message.reference and (allowed is None or allowed.get("replied_user")):
            replied = self.state.messages.get(int(message.reference["message_id"]))
            if replied and replied.author_id not in message.mentions:
                message.mentions.append(replied.author_id)
        if notify:
            message.pings = list(message.mentions)

    def _post(
        self,
        call: Call,
        channel: Channel,
        body: Json,
        *,
        interaction: Interaction | None = None,
        flags: int = 0,
        limit: int = DEFAULT_FILE_LIMIT,
    ) -> Message:
        """Create a message of the bot, without events. `body` may be {} for a loading message."""
        self._check_files(call, limit)
        flags |= body.get("flags") or 0
        reader = interaction.user_id if interaction is not None and flags & EPHEMERAL else None
        hidden = reader is not None
        message = Message(
            self.state.ids.next(),
            channel.id,
            self.state.app.id,
            self.state.clock.now(),
            flags=flags,
            interaction=interaction,
            nonce=body.get("nonce"),
            ephemeral_to=reader,
        )
        if interaction is not None:
            message.type = 20 if interaction.type == COMMAND and interaction.original_id is None else 0
        if body.get("message_reference"):
            message.type, message.reference = 19, self._reference(channel, body["message_reference"])
        attachments = self._attach(call, channel, body, hidden)
        self._fill(message, body, attachments)
        self._mentions(message, channel, body, notify=not hidden)
        self.state.messages[message.id] = message
        channel.message_ids.append(message.id)
        channel.active_at = self.state.clock.now()
        if not message.flags & LOADING:
            self.double.recorder.message("message", message, attachments)
        return message

    def _reference(self, channel: Channel, reference: Json) -> Json:
        target = self.state.messages.get(int(reference["message_id"]))
        if target is None and reference.get("fail_if_not_exists", True):
            raise invalid(["message_reference: Unknown message"])
        out = {
            "type": reference.get("type", 0),
            "channel_id": str(channel.id),
            "message_id": str(reference["message_id"]),
        }
        return out | ({"guild_id": str(channel.guild_id)} if channel.guild_id else {})

    def _change(
        self, call: Call, message: Message, body: Json, *, limit: int = DEFAULT_FILE_LIMIT
    ) -> Message:
        """Edit a message of the bot, without events. All or nothing."""
        channel = self.state.channels[message.channel_id]
        self._check_files(call, limit)
        kept = message.attachments
        if body.get("attachments") is not None:
            names = {str(a.get("id")): a for a in body["attachments"]}
            kept = [a for a in kept if str(a.id) in names]
        new = self._attach(call, channel, body, message.ephemeral_to is not None)
        if len(kept) + len(new) > 10:
            raise ApiError(30015)
        draft = copy.copy(message)
        draft.flags = message.flags & ~LOADING | (body.get("flags") or 0) & IS_V2
        if draft.flags & IS_V2 and not message.flags & IS_V2:
            draft.content, draft.embeds = "", []  # turning an old message into V2 needs these nulled
        self._fill(draft, {k: v for k, v in body.items() if k != "poll"}, kept + new)
        self._mentions(draft, channel, body, notify=bool(message.flags & LOADING))
        draft.edited, draft.edits = self.state.clock.now(), message.edits + 1
        self.state.retire(a for a in message.attachments if a not in kept)
        vars(message).update(vars(draft))
        self.double.recorder.message("edit", message, new)
        self._seen(message, call.received)
        return message

    def _seen(self, message: Message, at: float) -> None:
        for it in self.state.awaiting.pop(message.id, ()):
            it.mark_answered(at)

    async def _created(self, message: Message) -> None:
        if message.ephemeral_to is None and not message.flags & LOADING:
            await self.double.gateway.emit_message("MESSAGE_CREATE", message)
        self.double.changed()

    async def _edited(self, message: Message, was_loading: bool = False) -> None:
        if message.ephemeral_to is None:
            await self.double.gateway.emit_message(
                "MESSAGE_CREATE" if was_loading else "MESSAGE_UPDATE", message
            )
        self.double.changed()

    async def _remove(self, message: Message) -> None:
        channel = self.state.channels[message.channel_id]
        self.state.messages.pop(message.id, None)
        self.state.retire(message.attachments)
        self.state.awaiting.pop(message.id, None)
        for numbers in (channel.message_ids, channel.pins):
            if message.id in numbers:
                numbers.remove(message.id)
        if message.ephemeral_to is None:
            data = {"id": str(message.id), "channel_id": str(channel.id)}
            if channel.guild_id:
                data["guild_id"] = str(channel.guild_id)
            await self.double.gateway.emit("MESSAGE_DELETE", data, channel.guild_id, None)
        self.double.changed()

    # == messages =================================================================================
    @route("POST", "/channels/{channel}/messages")
    async def create_message(self, call: Call) -> Reply:
        channel, body = self._channel(call), call.body
        self._may_write(channel, call)
        key = (channel.id, str(body.get("nonce")))
        if body.get("nonce") and body.get("enforce_nonce") and (known := self._sent_as(key)):
            return self.state.message_payload(known)
        if channel.is_thread and channel.archived:
            await self._set_archived(channel, False)  # writing wakes a thread that is not locked
        limit = self.state.guilds[channel.guild_id].file_limit if channel.guild_id else DEFAULT_FILE_LIMIT
        message = self._post(call, channel, body, limit=limit)
        if body.get("nonce"):
            self.state.nonces[key] = message.id, self.state.clock.now()
        await self._created(message)
        return self.state.message_payload(message)

    def _sent_as(self, key: tuple[int, str]) -> Message | None:
        """The message that was sent under this (channel, nonce), while Discord remembers it."""
        number, at = self.state.nonces.get(key, (0, 0.0))
        return (
            self.state.messages.get(number)
            if self.state.clock.now() - at < self.double.nonce_seconds
            else None
        )

    def _may_write(self, channel: Channel, call: Call) -> None:
        if channel.is_dm:
            if not self.state.mutual_guild(channel.recipient):
                raise ApiError(50278)
            if not self.state.users[channel.recipient].dms_open:
                raise ApiError(50007)
            return
        if channel.type == CATEGORY:
            raise ApiError(50024)
        self._need(
            channel,
            P.SEND_MESSAGES_IN_THREADS if channel.is_thread else P.SEND_MESSAGES,
            *([P.ATTACH_FILES] if call.files else []),
        )
        if (
            channel.is_thread
            and channel.locked
            and not self.state.permissions(self.state.app.id, channel) & P.MANAGE_THREADS
        ):
            raise ApiError(160005)

    @route("GET", "/channels/{channel}/messages")
    async def list_messages(self, call: Call) -> Reply:
        channel = self._channel(call, P.READ_MESSAGE_HISTORY)
        numbers = [i for i in channel.message_ids if self.state.messages[i].ephemeral_to is None]
        limit = min(100, max(1, int(call.query.get("limit", 50))))
        if "after" in call.query:
            picked = [i for i in numbers if i > int(call.query["after"])][:limit]
        elif "around" in call.query:
            middle = int(call.query["around"])
            picked = sorted(sorted(numbers, key=lambda i: abs(i - middle))[:limit])
        else:
            picked = [i for i in numbers if i < int(call.query.get("before", 1 << 63))][-limit:]
        return [self.state.message_payload(self.state.messages[i]) for i in reversed(picked)]

    @route("GET", "/channels/{channel}/messages/{message}")
    async def get_message(self, call: Call) -> Reply:
        return self.state.message_payload(self._message(call, self._channel(call, P.READ_MESSAGE_HISTORY)))

    @route("PATCH", "/channels/{channel}/messages/{message}")
    async def edit_message(self, call: Call) -> Reply:
        channel = self._channel(call)
        message = self._message(call, channel)
        if message.author_id != self.state.app.id:
            raise ApiError(50005)
        if channel.guild_id and self.state.timed_out(self.state.guilds[channel.guild_id], self.state.app.id):
            raise ApiError(50013)
        self._open_thread(channel)
        self._old_edit(message)
        limit = self.state.guilds[channel.guild_id].file_limit if channel.guild_id else DEFAULT_FILE_LIMIT
        self._change(call, message, call.body, limit=limit)
        await self._edited(message)
        return self.state.message_payload(message)

    def _old_edit(self, message: Message) -> None:
        if self.state.clock.now() - message.created > 3600:
            message.old_edits += 1
            top = self.double.old_edit_limit
            if top is not None and message.old_edits > top:
                raise ApiError(30046, retry_after=self.double.old_edit_retry_after)

    @route("DELETE", "/channels/{channel}/messages/{message}")
    async def delete_message(self, call: Call) -> None:
        channel = self._channel(call)
        message = self._message(call, channel)
        if message.author_id != self.state.app.id:
            self._need(channel, P.MANAGE_MESSAGES)
            if channel.is_dm:
                raise ApiError(50013)
        self._open_thread(channel)
        await self._remove(message)

    @route("POST", "/channels/{channel}/messages/bulk-delete")
    async def bulk_delete(self, call: Call) -> None:
        channel = self._channel(call, P.MANAGE_MESSAGES)
        for message_id in map(int, call.body["messages"]):
            if message_id in channel.message_ids:
                await self._remove(self.state.messages[message_id])

    @route("POST", "/channels/{channel}/typing")
    async def typing(self, call: Call) -> None:
        self._channel(call)

    # == pins =====================================================================================
    @route("PUT", "/channels/{channel}/pins/{message}")
    @route("PUT", "/channels/{channel}/messages/pins/{message}")
    async def pin(self, call: Call) -> None:
        channel = self._channel(call)
        self._may_pin(channel)
        message = self._message(call, channel)
        if len(channel.pins) >= 250:
            raise ApiError(30003)
        if message.pinned is None:
            message.pinned = self.state.clock.now()
            channel.pins.insert(0, message.id)
        await self._pins_changed(channel)

    @route("DELETE", "/channels/{channel}/pins/{message}")
    @route("DELETE", "/channels/{channel}/messages/pins/{message}")
    async def unpin(self, call: Call) -> None:
        channel = self._channel(call)
        self._may_pin(channel)
        message = self._message(call, channel)
        if message.pinned is not None:
            message.pinned = None
            channel.pins.remove(message.id)
        await self._pins_changed(channel)

    def _may_pin(self, channel: Channel) -> None:
        if not channel.is_dm and not self.state.permissions(self.state.app.id, channel) & (
            P.PIN_MESSAGES | P.MANAGE_MESSAGES
        ):
            self._need(channel, P.PIN_MESSAGES)

    async def _pins_changed(self, channel: Channel) -> None:
        data = {"channel_id": str(channel.id), "last_pin_timestamp": iso(self.state.clock.now())}
        if channel.guild_id:
            data["guild_id"] = str(channel.guild_id)
        await self.double.gateway.emit("CHANNEL_PINS_UPDATE", data, channel.guild_id, None)
        self.double.changed()

    @route("GET", "/channels/{channel}/messages/pins")
    async def get_pins(self, call: Call) -> Reply:
        channel = self._channel(call)
        items = [
            {
                "pinned_at": iso(self.state.messages[i].pinned),
                "message": self.state.message_payload(self.state.messages[i]),
            }
            for i in channel.pins[:50]
        ]
        return {"items": items, "has_more": len(channel.pins) > 50}

    @route("GET", "/channels/{channel}/pins")
    async def get_pins_old(self, call: Call) -> Reply:
        return [self.state.message_payload(self.state.messages[i]) for i in self._channel(call).pins[:50]]

    # == channels =================================================================================
    @route("GET", "/channels/{channel}")
    async def get_channel(self, call: Call) -> Reply:
        return self.state.channel_payload(self._channel(call))

    @route("PATCH", "/channels/{channel}")
    async def patch_channel(self, call: Call) -> Reply:
        channel, body = self._channel(call), call.body
        if channel.is_thread:
            return await self._patch_thread(channel, body)
        self._need(channel, P.MANAGE_CHANNELS)
        for key, target in (
            ("name", "name"),
            ("topic", "topic"),
            ("rate_limit_per_user", "slowmode"),
            ("position", "position"),
        ):
            if key in body:
                setattr(channel, target, body[key])
        if "permission_overwrites" in body:
            channel.overwrites = {int(o["id"]): _overwrite(o) for o in body["permission_overwrites"] or ()}
        if "parent_id" in body:
            channel.parent_id = int(body["parent_id"]) if body["parent_id"] else None
        self.double.recorder.in_channel("channel", channel, body)
        await self._channel_event("CHANNEL_UPDATE", channel)
        return self.state.channel_payload(channel)

    async def _channel_event(self, event: str, channel: Channel) -> None:
        await self.double.gateway.emit(event, self.state.channel_payload(channel), channel.guild_id)
        self.double.changed()

    @route("DELETE", "/channels/{channel}")
    async def delete_channel(self, call: Call) -> Reply:
        channel = self._channel(call)
        self._need(channel, P.MANAGE_THREADS if channel.is_thread else P.MANAGE_CHANNELS)
        payload = self.state.channel_payload(channel)
        await self.double.remove_channel(channel)
        return payload

    @route("POST", "/guilds/{guild}/channels")
    async def create_channel(self, call: Call) -> Reply:
        guild, body = self._guild(call), call.body
        self._need_in_guild(guild, P.MANAGE_CHANNELS)
        channel = self.state.add_channel(
            guild.id,
            body["name"],
            body.get("type") or 0,
            topic=body.get("topic"),
            parent_id=int(body["parent_id"]) if body.get("parent_id") else None,
            overwrites={int(o["id"]): _overwrite(o) for o in body.get("permission_overwrites") or ()},
        )
        self.double.recorder.in_channel("channel", channel, body)
        await self._channel_event("CHANNEL_CREATE", channel)
        return 201, self.state.channel_payload(channel)

    def _need_in_guild(self, guild: Guild, need: int) -> None:
        held = 0
        for role_id in [guild.id, *guild.members[self.state.app.id].roles]:
            held |= guild.roles[role_id].permissions
        if not held & (need | P.ADMINISTRATOR):
            raise ApiError(50013)

    @route("PUT", "/channels/{channel}/permissions/{overwrite}")
    async def put_overwrite(self, call: Call) -> None:
        channel = self._channel(call, P.MANAGE_ROLES)
        channel.overwrites[call.id("overwrite")] = _overwrite(call.body | {"id": call.id("overwrite")})
        await self._channel_event("CHANNEL_UPDATE", channel)

    @route("DELETE", "/channels/{channel}/permissions/{overwrite}")
    async def delete_overwrite(self, call: Call) -> None:
        channel = self._channel(call, P.MANAGE_ROLES)
        channel.overwrites.pop(call.id("overwrite"), None)
        await self._channel_event("CHANNEL_UPDATE", channel)

    @route("POST", "/users/@me/channels")
    async def open_dm(self, call: Call) -> Reply:
        user_id = int(call.body.get("recipient_id") or 0)
        user = self.state.users.get(user_id)
        if user is None or user.bot:
            raise ApiError(50033)
        channel, fresh = self.state.dm_with(user_id)
        if fresh:
            self.state.dm_opens.append((self.state.clock.now(), user_id))
        return self.state.channel_payload(channel)

    # == threads ==================================================================================
    @route("POST", "/channels/{channel}/threads")
    async def create_thread(self, call: Call) -> Reply:
        parent, body = self._channel(call), call.body
        kind = body.get("type") or PRIVATE_THREAD
        self._need(parent, P.CREATE_PRIVATE_THREADS if kind == PRIVATE_THREAD else P.CREATE_PUBLIC_THREADS)
        return 201, await self._thread(parent, kind, body)

    @route("POST", "/channels/{channel}/messages/{message}/threads")
    async def create_thread_from(self, call: Call) -> Reply:
        parent = self._channel(call, P.CREATE_PUBLIC_THREADS)
        message = self._message(call, parent)
        if message.thread_id:
            raise ApiError(160004)
        payload = await self._thread(parent, PUBLIC_THREAD, call.body, message)
        message.flags |= HAS_THREAD
        await self._edited(message)
        return 201, payload

    async def _thread(self, parent: Channel, kind: int, body: Json, message: Message | None = None) -> Json:
        if parent.is_dm or parent.is_thread or parent.type == CATEGORY:
            raise ApiError(50024)
        now = self.state.clock.now()
        thread = self.state.add_channel(parent.guild_id, body["name"], kind, parent_id=parent.id)
        if message:  # a thread on a message has the message's id
            del self.state.channels[thread.id]
            thread.id = message.thread_id = message.id
            self.state.channels[thread.id] = thread
        thread.owner_id, thread.members = self.state.app.id, {self.state.app.id: now}
        thread.archive_minutes = body.get("auto_archive_duration") or 4320
        thread.archive_changed, thread.invitable = now, body.get("invitable", True)
        self.double.recorder.in_channel(
            "channel", parent if kind == PUBLIC_THREAD else thread, {"name": thread.name}
        )
        payload = self.state.channel_payload(thread)
        await self.double.gateway.emit("THREAD_CREATE", payload | {"newly_created": True}, thread.guild_id)
        self.double.changed()
        return payload

    async def _patch_thread(self, thread: Channel, body: Json) -> Json:
        if thread.archived and body.get("archived") is not False:
            raise ApiError(50083)
        manages = self.state.permissions(self.state.app.id, thread) & P.MANAGE_THREADS
        own = thread.owner_id == self.state.app.id and not thread.locked and "locked" not in body
        waking = set(body) <= {"archived"} and body.get("archived") is False and not thread.locked
        if not (manages or own or waking):
            raise ApiError(50013)
        for key, target in (
            ("name", "name"),
            ("locked", "locked"),
            ("auto_archive_duration", "archive_minutes"),
            ("rate_limit_per_user", "slowmode"),
            ("invitable", "invitable"),
        ):
            if body.get(key) is not None:
                setattr(thread, target, body[key])
        if "name" in body:
            self.double.recorder.in_channel("channel", thread, {"name": thread.name})
        await self._set_archived(thread, body.get("archived", thread.archived))
        return self.state.channel_payload(thread)

    async def _set_archived(self, thread: Channel, archived: bool) -> None:
        if archived != thread.archived:
            thread.archived, thread.archive_changed = archived, self.state.clock.now()
            thread.active_at = self.state.clock.now()
        await self._channel_event("THREAD_UPDATE", thread)

    def _thread_of(self, call: Call) -> Channel:
        thread = self._channel(call)
        if not thread.is_thread:
            raise ApiError(50024)
        return thread

    @route("PUT", "/channels/{channel}/thread-members/{user}")
    async def add_thread_member(self, call: Call) -> None:
        thread = self._thread_of(call)
        self._open_thread(thread)
        user_id = self.state.app.id if call.params["user"] == "@me" else call.id("user")
        if user_id not in self.state.server(thread).members:
            raise ApiError(10007 if user_id in self.state.users else 10013)
        if user_id not in thread.members:
            thread.members[user_id] = self.state.clock.now()
            await self._thread_members(thread, added=[user_id])

    @route("DELETE", "/channels/{channel}/thread-members/{user}")
    async def remove_thread_member(self, call: Call) -> None:
        thread = self._thread_of(call)
        self._open_thread(thread)
        user_id = self.state.app.id if call.params["user"] == "@me" else call.id("user")
        if self.state.app.id not in {user_id, thread.owner_id}:
            self._need(thread, P.MANAGE_THREADS)
        if thread.members.pop(user_id, None) is not None:
            await self._thread_members(thread, removed=[user_id])

    async def _thread_members(
        self, thread: Channel, added: Iterable[int] = (), removed: Iterable[int] = ()
    ) -> None:
        data = {
            "id": str(thread.id),
            "guild_id": str(thread.guild_id),
            "member_count": min(50, len(thread.members)),
            "added_members": [self.state.thread_member_payload(thread, u) for u in added],
            "removed_member_ids": [str(u) for u in removed],
        }
        await self.double.gateway.emit("THREAD_MEMBERS_UPDATE", data, thread.guild_id)
        self.double.changed()

    @route("GET", "/channels/{channel}/thread-members")
    async def get_thread_members(self, call: Call) -> Reply:
        thread = self._thread_of(call)
        return [self.state.thread_member_payload(thread, u) for u in thread.members]

    @route("GET", "/channels/{channel}/thread-members/{user}")
    async def get_thread_member(self, call: Call) -> Reply:
        thread = self._thread_of(call)
        user_id = self.state.app.id if call.params["user"] == "@me" else call.id("user")
        if user_id not in thread.members:
            raise ApiError(10007)
        return self.state.thread_member_payload(thread, user_id)

    @route("GET", "/guilds/{guild}/threads/active")
    async def active_threads(self, call: Call) -> Reply:
        guild = self._guild(call)
        found = [
            c
            for c in self.state.channels.values()
            if c.guild_id == guild.id
            and c.is_thread
            and not c.archived
            and self.state.can_see(self.state.app.id, c)
        ]
        return self._thread_list(found)

    @route("GET", "/channels/{channel}/threads/archived/{kind}")
    async def archived_threads(self, call: Call) -> Reply:
        parent = self._channel(call, P.READ_MESSAGE_HISTORY)
        wanted = PRIVATE_THREAD if call.params["kind"] == "private" else PUBLIC_THREAD
        found = [
            c
            for c in self.state.channels.values()
            if c.parent_id == parent.id and c.is_thread and c.archived and c.type == wanted
        ]
        found.sort(key=lambda c: -c.archive_changed)
        return self._thread_list(found)

    def _thread_list(self, threads: list[Channel]) -> Json:
        me = self.state.app.id
        return {
            "threads": [self.state.channel_payload(c) for c in threads],
            "members": [self.state.thread_member_payload(c, me) for c in threads if me in c.members],
            "has_more": False,
        }

    # == guilds, members, roles ===================================================================
    @route("GET", "/guilds/{guild}")
    async def get_guild(self, call: Call) -> Reply:
        guild = self._guild(call)
        counts = {
            "approximate_member_count": len(guild.members),
            "approximate_presence_count": len(guild.members),
        }
        return self.state.guild_payload(guild) | (
            counts if call.query.get("with_counts") in ("1", "true") else {}
        )

    @route("DELETE", "/users/@me/guilds/{guild}")
    async def leave_guild(self, call: Call) -> None:
        await self.double.remove_bot(self._guild(call))

    @route("GET", "/guilds/{guild}/channels")
    async def guild_channels(self, call: Call) -> Reply:
        guild = self._guild(call)
        return [
            self.state.channel_payload(c)
            for c in self.state.channels.values()
            if c.guild_id == guild.id and not c.is_thread
        ]

    @route("GET", "/guilds/{guild}/members")
    async def list_members(self, call: Call) -> Reply:
        guild = self._guild(call)
        limit, after = int(call.query.get("limit", 1)), int(call.query.get("after", 0))
        return [self.state.member_payload(guild, u) for u in sorted(guild.members) if u > after][
            : min(limit, 1000)
        ]

    @route("GET", "/guilds/{guild}/members/search")
    async def search_members(self, call: Call) -> Reply:
        guild, query = self._guild(call), call.query.get("query", "").lower()
        found = [
            u
            for u, m in guild.members.items()
            if any((n or "").lower().startswith(query) for n in (self.state.users[u].name, m.nick))
        ]
        return [
            self.state.member_payload(guild, u) for u in found[: min(1000, int(call.query.get("limit", 1)))]
        ]

    @route("GET", "/guilds/{guild}/members/{user}")
    async def get_member(self, call: Call) -> Reply:
        guild = self._guild(call)
        if call.id("user") not in guild.members:
            raise ApiError(10007 if call.id("user") in self.state.users else 10013)
        return self.state.member_payload(guild, call.id("user"))

    @route("GET", "/guilds/{guild}/roles")
    async def get_roles(self, call: Call) -> Reply:
        return [self.state.role_payload(r) for r in self._guild(call).roles.values()]

    @route("POST", "/guilds/{guild}/roles")
    async def create_role(self, call: Call) -> Reply:
        guild, body = self._guild(call), call.body or {}
        self._need_in_guild(guild, P.MANAGE_ROLES)
        role = Role(
            self.state.ids.next(),
            body.get("name") or "new role",
            int(body.get("permissions") or 0),
            len(guild.roles),
            color=body.get("color") or 0,
            mentionable=bool(body.get("mentionable")),
        )
        guild.roles[role.id] = role
        payload = self.state.role_payload(role)
        await self.double.gateway.emit(
            "GUILD_ROLE_CREATE", {"guild_id": str(guild.id), "role": payload}, guild.id
        )
        return payload

    @route("DELETE", "/guilds/{guild}/roles/{role}")
    async def delete_role(self, call: Call) -> None:
        guild = self._guild(call)
        self._need_in_guild(guild, P.MANAGE_ROLES)
        if guild.roles.pop(call.id("role"), None) is None:
            raise ApiError(10011)
        data = {"guild_id": str(guild.id), "role_id": str(call.id("role"))}
        await self.double.gateway.emit("GUILD_ROLE_DELETE", data, guild.id)

    @route("PUT", "/guilds/{guild}/members/{user}/roles/{role}")
    async def give_role(self, call: Call) -> None:
        await self._change_role(call, True)

    @route("DELETE", "/guilds/{guild}/members/{user}/roles/{role}")
    async def take_role(self, call: Call) -> None:
        await self._change_role(call, False)

    async def _change_role(self, call: Call, give: bool) -> None:
        guild, role_id = self._guild(call), call.id("role")
        self._need_in_guild(guild, P.MANAGE_ROLES)
        member = guild.members.get(call.id("user"))
        if member is None:
            raise ApiError(10007)
        if role_id not in guild.roles:
            raise ApiError(10011)
        member.roles = [r for r in member.roles if r != role_id] + ([role_id] if give else [])
        await self.double.member_event("GUILD_MEMBER_UPDATE", guild, member.user_id)

    # == interactions =============================================================================
    @route("POST", "/interactions/{interaction}/{token}/callback")
    async def callback(self, call: Call) -> Reply:
        it = self._callable(call)
        kind, body = call.body["type"], call.body.get("data") or {}
        if kind not in ALLOWED_CALLBACKS[it.type] or (
            kind in (DEFER_UPDATE, UPDATE) and it.message_id is None
        ):
            raise invalid([f"callback type {kind} does not answer interaction type {it.type}"])
        message = self._carry_out(call, it, kind, body)
        it.received, it.callback_type, it.callback_data = call.received, kind, body
        it.original_ephemeral = bool(message and message.ephemeral_to is not None)
        if message is not None:
            it.original_id = message.id if kind in (MESSAGE, DEFER) else it.message_id
        if not it.ack.done():
            it.ack.set_result(None)
        if message is not None and kind == DEFER_UPDATE:
            self.state.awaiting.setdefault(message.id, []).append(it)
        elif kind != DEFER:
            it.mark_answered(call.received)
        if message is not None and kind == MESSAGE:
            await self._created(message)
        elif message is not None and kind == UPDATE:
            await self._edited(message)
        self.double.changed()
        return self._callback_answer(call, it, kind, message)

    def _callable(self, call: Call) -> Interaction:
        it = self.state.interactions.get(call.params["token"])
        if it is None or it.id != call.id("interaction"):
            raise ApiError(10062)
        assert it.sent is not None
        late = call.received - it.sent
        if it.callback_type is not None:
            it.refused.append((40060, late))
            raise ApiError(40060)
        if late > self.double.ack_seconds:
            it.refused.append((10062, late))
            raise ApiError(10062)
        return it

    def _carry_out(self, call: Call, it: Interaction, kind: int, body: Json) -> Message | None:
        """Do what the callback says; the message concerned, if any. Raises before anything has changed."""
        channel = self.state.channels[it.channel_id]
        if kind == MESSAGE:
            return self._post(call, channel, body, interaction=it, limit=it.file_limit)
        if kind == DEFER:
            return self._post(
                call, channel, {}, interaction=it, flags=LOADING | (body.get("flags") or 0) & EPHEMERAL
            )
        if kind in (UPDATE, DEFER_UPDATE):
            message = self.state.message(it.message_id)
            if message is None:
                raise ApiError(10008)
            return self._change(call, message, body, limit=it.file_limit) if kind == UPDATE else message
        self.double.recorder.private(
            {MODAL: "modal", CHOICES: "choices"}.get(kind, "callback"), it.user_id, body, channel.id
        )
        return None

    def _callback_answer(
        self, call: Call, it: Interaction, kind: int, message: Message | None
    ) -> Json | None:
        if call.query.get("with_response") not in ("1", "true", "True"):
            return None
        answer = {"id": str(it.id), "type": it.type, "channel_id": str(it.channel_id)}
        if it.guild_id:
            answer["guild_id"] = str(it.guild_id)
        if message is None:
            return {"interaction": answer}
        answer |= {
            "response_message_id": str(message.id),
            "response_message_loading": bool(message.flags & LOADING),
            "response_message_ephemeral": message.ephemeral_to is not None,
        }
        if kind not in (MESSAGE, UPDATE):
            return {"interaction": answer}
        return {
            "interaction": answer,
            "resource": {"type": kind, "message": self.state.message_payload(message)},
        }

    # == the interaction's webhook ================================================================
    def _webhook(self, call: Call) -> Interaction:
        if call.id("webhook") != self.state.app.id:
            raise ApiError(10015)
        it = self.state.interactions.get(call.params["token"])
        if it is None:
            raise ApiError(50027)
        if self.state.clock.now() - it.created > TOKEN_SECONDS:
            raise ApiError(50027)
        if it.callback_type is None:
            raise ApiError(10015)
        return it

    def _webhook_message(self, call: Call, it: Interaction) -> Message:
        if call.params["message"] == "@original":
            message = self.state.message(it.original_id)
        else:
            message = self.state.messages.get(call.id("message"))
            known = (it.original_id, it.message_id, *it.followups)
            if message and message.id not in known and message.ephemeral_to is not None:
                message = None
        if message is None or message.channel_id != it.channel_id:
            raise ApiError(10008)
        if message.author_id != self.state.app.id:
            raise ApiError(50005)
        return message

    @route("POST", "/webhooks/{webhook}/{token}")
    async def followup(self, call: Call) -> Reply:
        it, body = self._webhook(call), call.body
        original = self.state.message(it.original_id)
        if original is not None and original.flags & LOADING:
            return await self._settle(
                call, it, original, body
            )  # the first followup fills the "thinking" message
        if it.user_install_only and len(it.followups) >= 5:
            raise ApiError(40094)
        message = self._post(
            call, self.state.channels[it.channel_id], body, interaction=it, limit=it.file_limit
        )
        it.followups.append(message.id)
        it.mark_answered(call.received)
        await self._created(message)
        return self.state.message_payload(message)

    async def _settle(self, call: Call, it: Interaction, message: Message, body: Json) -> Json:
        was_loading = bool(message.flags & LOADING)
        self._change(call, message, body, limit=it.file_limit)
        it.mark_answered(call.received)
        await self._edited(message, was_loading)
        return self.state.message_payload(message)

    @route("GET", "/webhooks/{webhook}/{token}/messages/{message}")
    async def get_followup(self, call: Call) -> Reply:
        return self.state.message_payload(self._webhook_message(call, self._webhook(call)))

    @route("PATCH", "/webhooks/{webhook}/{token}/messages/{message}")
    async def edit_followup(self, call: Call) -> Reply:
        it = self._webhook(call)
        message = self._webhook_message(call, it)
        if message.ephemeral_to is None:
            self._old_edit(message)
        return await self._settle(call, it, message, call.body)

    @route("DELETE", "/webhooks/{webhook}/{token}/messages/{message}")
    async def delete_followup(self, call: Call) -> None:
        it = self._webhook(call)
        await self._remove(self._webhook_message(call, it))
        it.mark_answered(call.received)


def _overwrite(body: Json) -> Json:
    return {
        "id": int(body["id"]),
        "type": int(body.get("type") or 0),
        "allow": int(body.get("allow") or 0),
        "deny": int(body.get("deny") or 0),
    }
