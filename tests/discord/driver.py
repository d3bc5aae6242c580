"""The people: a World with guilds, channels and users who click, and the bot processes that serve them.

    async with World() as world:
        guild = await world.create_guild("Den", locale="de")
        table = await world.create_channel(guild, "table")
        ann = await world.create_user("ann", guild, locale="de")
        await world.start_bot("-m", "bot")
        result = await ann.slash(table, "play start", game="zatre")
        result = await ann.click(result.message, label="Join")

Every action returns a Result once the bot has answered (or three seconds have passed). Actions may overlap
freely: `await asyncio.gather(ann.click(m, label="Join"), bob.click(m, label="Join"))`.
"""

from __future__ import annotations

import asyncio
import copy
import gc
import json
import os
import secrets
import statistics
import sys
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tests.discord import components as parts
from tests.discord.components import Json
from tests.discord.faults import Faults
from tests.discord.gateway import Gateway
from tests.discord.model import (
    AUTOCOMPLETE,
    COMMAND,
    COMPONENT,
    DEFAULT_BOT,
    DEFAULT_FILE_LIMIT,
    IS_V2,
    LOADING,
    MODAL_SUBMIT,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    TEXT_CHANNEL,
    Attachment,
    Channel,
    Guild,
    Interaction,
    Message,
    P,
    Role,
    State,
    User,
)
from tests.discord.record import Recorder
from tests.discord.rest import Call
from tests.discord.server import DiscordDouble

T = TypeVar("T")
Control = TypeVar("Control", parts.Button, parts.Select)

Press = Callable[[Any, int], Awaitable["Result | None"]]  # of (seat, how often it has pressed)
HERE = Path(__file__).resolve().parent
KINDS = {
    4: "message",
    5: "deferred",
    6: "deferred_update",
    7: "update",
    8: "choices",
    9: "modal",
    12: "activity",
}
OPTION_TYPES = {
    3: "string",
    4: "integer",
    5: "boolean",
    6: "user",
    7: "channel",
    8: "role",
    9: "mentionable",
    10: "number",
    11: "attachment",
}
FORBIDDEN_ENV = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


class CannotDo(Exception):
    """The user's own client would not let this happen: no such command, a disabled button, a wrong value."""


# == what a user sees ==============================================================================
@dataclass
class File:
    """A file that a user hands over, as slash option or in a modal."""

    name: str
    data: bytes


class MessageView:
    """A message as it stood when this was made. Attributes are plain data."""

    def __init__(self, state: State, message: Message) -> None:
        self.id, self.channel_id, self.author_id = message.id, message.channel_id, message.author_id
        self.content = message.content
        self.components = copy.deepcopy(message.components)
        self.embeds = copy.deepcopy(message.embeds)
        self.flags, self.edited, self.pinned = message.flags, message.edited, message.pinned is not None
        self.ephemeral = message.ephemeral_to is not None
        self.files = {a.filename: a.data for a in message.attachments}
        self.attachments = [a.payload() for a in message.attachments]
        self.pings = list(message.pings)
        self.edits = message.edits
        self.thread_id = message.thread_id
        self.author = state.users[message.author_id].name

    @property
    def is_v2(self) -> bool:
        return bool(self.flags & IS_V2)

    @property
    def loading(self) -> bool:
        return bool(self.flags & LOADING)

    @property
    def buttons(self) -> list[parts.Button]:
        return parts.buttons(self.components)

    @property
    def selects(self) -> list[parts.Select]:
        return parts.selects(self.components)

    @property
    def alt_texts(self) -> list[str | None]:
        return parts.alt_texts(self.components)

    @property
    def text(self) -> str:
        """All words of the message: content, text displays, embeds."""
        lines: list[str | None] = [self.content, *parts.texts(self.components)]
        for embed in self.embeds:
            lines += [embed.get("title"), embed.get("description"), (embed.get("footer") or {}).get("text")]
            lines += [part for f in embed.get("fields") or () for part in (f["name"], f["value"])]
        return "\n".join(line for line in lines if line)

    def button(self, label: str | None = None, custom_id: str | None = None) -> parts.Button:
        return _one(self.buttons, "button", label=label, custom_id=custom_id)

    def select(self, custom_id: str | None = None) -> parts.Select:
        return _one(self.selects, "select", custom_id=custom_id)

    def __repr__(self) -> str:
        return f"<MessageView {self.id} {self.text[:60]!r} {len(self.buttons)} buttons {sorted(self.files)}>"


def _one(entries: Sequence[Control], what: str, **wanted: Any) -> Control:
    """The one entry that has the wanted attributes."""
    wanted = {k: v for k, v in wanted.items() if v is not None}
    found = [e for e in entries if all(getattr(e, k) == v for k, v in wanted.items())]
    if len(found) != 1:
        have = [(getattr(e, "label", None), e.custom_id) for e in entries]
        raise CannotDo(f"{len(found)} {what}s fit {wanted}; there are {have}")
    return found[0]


def _number(message: MessageView | Message | int) -> int:
    return message if isinstance(message, int) else message.id


class Result:
    """What came of one action. `message`, `followups` and so on show the state at the moment of reading."""

    def __init__(self, world: World, interaction: Interaction) -> None:
        self.world, self.interaction = world, interaction

    @property
    def acked(self) -> bool:
        return self.interaction.callback_type is not None

    @property
    def ack_ms(self) -> float | None:
        """From sending INTERACTION_CREATE to having received the whole callback; None: no answer in time."""
        it = self.interaction
        return None if it.received is None or it.sent is None else (it.received - it.sent) * 1000

    @property
    def answer_ms(self) -> float | None:
        """Until there was something to see: the message, edit, modal, or what followed a deferral.

        After a silent deferral (deferred_update) the next edit of the clicked message counts, whoever
        caused it.
        """
        it = self.interaction
        return None if it.answered_at is None or it.sent is None else (it.answered_at - it.sent) * 1000

    @property
    def kind(self) -> str:
        """message deferred update deferred_update modal choices activity, or failed."""
        callback = self.interaction.callback_type
        return "failed" if callback is None else KINDS.get(callback, "failed")

    @property
    def ephemeral(self) -> bool:
        return self.interaction.original_ephemeral

    @property
    def message(self) -> MessageView | None:
        """The answer, or for update kinds the message that was clicked; None if there is none (any more)."""
        message = self.world.state.message(self.interaction.original_id)
        return MessageView(self.world.state, message) if message else None

    @property
    def followups(self) -> list[MessageView]:
        state = self.world.state
        return [
            MessageView(state, state.messages[i]) for i in self.interaction.followups if i in state.messages
        ]

    @property
    def files(self) -> dict[str, bytes]:
        """File name -> bytes, over the answer and its followups."""
        seen = [self.message, *self.followups]
        return {name: data for m in seen if m for name, data in m.files.items()}

    @property
    def text(self) -> str:
        return "\n".join(m.text for m in (self.message, *self.followups) if m)

    @property
    def modal(self) -> parts.Modal | None:
        data = self.interaction.callback_data
        return (
            parts.parse_modal(data, self.interaction) if data is not None and self.kind == "modal" else None
        )

    @property
    def choices(self) -> list[Json] | None:
        data = self.interaction.callback_data
        return list(data.get("choices") or ()) if data is not None and self.kind == "choices" else None

    @property
    def refused(self) -> list[tuple[int, float]]:
        """Callbacks that were turned away: (error code, seconds after sending), such as (10062, 3.4)."""
        return list(self.interaction.refused)

    async def settled(self, timeout: float = 10.0) -> Result:
        """Wait until a deferral has been followed by an edit, followup or deletion."""
        await asyncio.wait_for(asyncio.shield(self.interaction.answered), timeout)
        return self

    def __repr__(self) -> str:
        took = f"{self.ack_ms:.1f} ms" if self.acked else "no ack"
        return f"<Result {self.kind} {took} {self.message!r}>"


# == the actors ====================================================================================
class Actor:
    """A user, with what a user can do."""

    def __init__(self, world: World, user: User) -> None:
        self.world, self.user, self.id, self.name = world, user, user.id, user.name

    def __repr__(self) -> str:
        return f"<Actor {self.name}>"

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"

    # -- looking ----------------------------------------------------------------------------------
    def sees(self, message: MessageView | Message | int) -> bool:
        state = self.world.state
        stored = state.messages.get(_number(message))
        if stored is None:
            return False
        if stored.ephemeral_to is not None:
            return stored.ephemeral_to == self.id
        return state.can_see(self.id, state.channels[stored.channel_id])

    def messages(self, channel: Channel) -> list[MessageView]:
        """Oldest first; other people's ephemeral messages and unseen channels are left out."""
        state = self.world.state
        return [MessageView(state, state.messages[i]) for i in channel.message_ids if self.sees(i)]

    def look(self, message: MessageView | Message | int) -> MessageView:
        """The message as it stands now."""
        stored = self.world.state.messages.get(_number(message))
        if stored is None or not self.sees(stored):
            raise CannotDo(f"{self.name} cannot see message {_number(message)}")
        return MessageView(self.world.state, stored)

    @property
    def dm(self) -> Channel:
        """The DM channel with the bot."""
        return self.world.state.dm_with(self.id)[0]

    def dms(self) -> list[MessageView]:
        return self.messages(self.dm)

    # -- acting -----------------------------------------------------------------------------------
    async def slash(
        self,
        channel: Channel,
        name: str,
        options: dict[str, Any] | None = None,
        /,
        *,
        wait: bool = True,
        **more: Any,
    ) -> Result:
        """Use a command: 'play' or 'play start'.

        Options (a dict, or keywords) may be str, int, float, bool, Actor, Channel, Role, File.

        wait: also wait for what follows a thinking deferral (False: return right after the ack).
        """
        options = {**(options or {}), **more}
        command, chosen, path = self._command(channel, name)
        resolved = Resolved(self.world, self.id, channel)
        leaf = [self._option(o, options, resolved) for o in chosen if o["name"] in options]
        unknown = set(options) - {o["name"] for o in chosen}
        missing = [o["name"] for o in chosen if o.get("required") and o["name"] not in options]
        if unknown or missing:
            raise CannotDo(f"/{name}: unknown options {sorted(unknown)}, missing {missing}")
        data = self._command_data(command, path, leaf) | resolved.payload()
        return await self._interact(COMMAND, channel, data, wait=wait, command=command)

    async def autocomplete(
        self, channel: Channel, name: str, option: str, value: Any = "", /, **others: Any
    ) -> Result:
        """Type `value` into `option`; the Result has `.choices`."""
        command, chosen, path = self._command(channel, name)
        target = next((o for o in chosen if o["name"] == option), None)
        if target is None or not target.get("autocomplete"):
            raise CannotDo(f"/{name} has no option {option!r} with autocomplete")
        resolved = Resolved(self.world, self.id, channel)
        leaf = [self._option(o, others, resolved) for o in chosen if o["name"] in others]
        leaf.append({"name": option, "type": target["type"], "value": value, "focused": True})
        data = self._command_data(command, path, leaf) | resolved.payload()
        return await self._interact(AUTOCOMPLETE, channel, data, command=command)

    async def click(
        self,
        message: Any,
        label: str | None = None,
        *,
        custom_id: str | None = None,
        stale: bool = False,
        wait: bool = True,
    ) -> Result:
        """Press a button. stale: press what `message` (a MessageView) shows, even if it has changed since."""
        seen = message if stale else self.look(message)
        button = seen.button(label=label, custom_id=custom_id)
        if not button.custom_id or button.disabled:
            raise CannotDo(f"button {button.label!r} is {'disabled' if button.disabled else 'a link'}")
        data = {"component_type": parts.BUTTON, "custom_id": button.custom_id, "id": button.component_id}
        return await self._component(seen, data, wait)

    async def select(
        self,
        message: Any,
        values: Any,
        custom_id: str | None = None,
        *,
        stale: bool = False,
        wait: bool = True,
    ) -> Result:
        """Choose in a select menu: option values or labels; Actors, Channels, Roles for the other kinds."""
        seen = message if stale else self.look(message)
        menu = seen.select(custom_id=custom_id)
        values = list(values) if isinstance(values, (list, tuple, set)) else [values]
        if menu.disabled or not menu.min_values <= len(values) <= menu.max_values:
            raise CannotDo(
                f"select {menu.custom_id!r}: {len(values)} values, it takes "
                f"{menu.min_values} to {menu.max_values}{', disabled' if menu.disabled else ''}"
            )
        resolved = Resolved(self.world, self.id, self.world.state.channels[seen.channel_id])
        data = {
            "component_type": menu.type,
            "custom_id": menu.custom_id,
            "id": menu.component_id,
            "values": _pick(menu.options, values, menu.custom_id)
            if menu.kind == "string"
            else [resolved.add(v) for v in values],
        }
        if menu.kind != "string":
            data["resolved"] = resolved.tables
        return await self._component(seen, data, wait)

    async def submit(
        self, modal: parts.Modal, values: dict[str, Any] | None = None, *, wait: bool = True, **more: Any
    ) -> Result:
        """Send a modal off. values: {custom_id or label: str, bool, list of values, Actors, Files}."""
        given = {modal.field(name).custom_id: value for name, value in {**(values or {}), **more}.items()}
        source = modal.source
        channel = self.world.state.channels[source.channel_id]
        if source.user_id != self.id:
            raise CannotDo("the modal was shown to somebody else")
        resolved = Resolved(self.world, self.id, channel)
        filled = {
            f.custom_id: _fill_field(f, given.get(f.custom_id, f.default), resolved) for f in modal.fields
        }
        data = {
            "custom_id": modal.custom_id,
            "components": _submitted(modal.raw, filled),
        } | resolved.payload()
        message = self.world.state.messages.get(source.message_id)
        return await self._interact(MODAL_SUBMIT, channel, data, message=message, wait=wait)

    async def send(self, channel: Channel, content: str) -> MessageView:
        """Write an ordinary message (in DMs to the bot, or in a guild)."""
        state = self.world.state
        if not state.can_see(self.id, channel):
            raise CannotDo(f"{self.name} cannot see {channel.name!r}")
        message = Message(state.ids.next(), channel.id, self.id, state.clock.now(), content)
        self.world.double.rest._mentions(message, channel, {}, notify=True)
        state.messages[message.id] = message
        channel.message_ids.append(message.id)
        await self.world.double.gateway.emit_message("MESSAGE_CREATE", message)
        self.world.double.changed()
        return MessageView(state, message)

    async def delete(self, message: MessageView | Message | int) -> None:
        """Delete a message (one's own, or any with MANAGE_MESSAGES)."""
        stored = self.world.state.messages[_number(message)]
        await self.world.double.rest._remove(stored)

    async def leave(self, guild: Guild) -> None:
        guild.members.pop(self.id, None)
        await self.world.double.member_event("GUILD_MEMBER_REMOVE", guild, self.id)

    async def join(self, guild: Guild) -> None:
        self.world.state.add_member(guild, self.id)
        await self.world.double.member_event("GUILD_MEMBER_ADD", guild, self.id)

    # -- commands, as the client knows them -------------------------------------------------------
    def _command(self, channel: Channel, name: str) -> tuple[Json, list[Json], list[Json]]:
        """(top command, options of the leaf, path of group/sub options)."""
        state, words = self.world.state, name.split()
        pools = [state.commands.get(channel.guild_id, {}) if channel.guild_id else {}, state.commands[None]]
        command = next(
            (c for pool in pools for c in pool.values() if c["name"] == words[0] and c["type"] == 1), None
        )
        if command is None:
            raise CannotDo(f"no command /{words[0]}")
        self._may_use(command, channel)
        options, path = command.get("options") or [], []
        for word in words[1:]:
            branch = next((o for o in options if o["type"] in (1, 2) and o["name"] == word), None)
            if branch is None:
                raise CannotDo(f"/{' '.join(words)}: no subcommand {word!r}")
            path.append(branch)
            options = branch.get("options") or []
        if any(o["type"] in (1, 2) for o in options):
            raise CannotDo(f"/{name} needs a subcommand: {[o['name'] for o in options]}")
        return command, options, path

    def _may_use(self, command: Json, channel: Channel) -> None:
        context = 1 if channel.is_dm else 0
        contexts = command.get("contexts")
        if (contexts is not None and context not in contexts) or (
            contexts is None and channel.is_dm and command.get("dm_permission") is False
        ):
            raise CannotDo(f"/{command['name']} is not offered in context {context}")
        needed = int(command.get("default_member_permissions") or 0)
        held = self.world.state.permissions(self.id, channel)
        if (
            command.get("default_member_permissions") is not None
            and not channel.is_dm
            and ((not needed and not held & P.ADMINISTRATOR) or held & needed != needed)
        ):
            raise CannotDo(f"{self.name} lacks the default permissions of /{command['name']}")

    @staticmethod
    def _option(option: Json, given: dict[str, Any], resolved: Resolved) -> Json:
        value, kind = given[option["name"]], OPTION_TYPES[option["type"]]
        if kind in ("user", "channel", "role", "mentionable", "attachment"):
            value = resolved.add(value)
        elif option.get("choices") and value not in [c["value"] for c in option["choices"]]:
            raise CannotDo(f"option {option['name']}: {value!r} is not a choice")
        elif (
            (kind == "boolean" and not isinstance(value, bool))
            or (kind == "string" and not isinstance(value, str))
            or (
                kind in ("integer", "number")
                and (isinstance(value, bool) or not isinstance(value, (int, float)))
            )
        ):
            raise CannotDo(f"option {option['name']}: {value!r} is no {kind}")
        size = len(value) if kind == "string" else value
        low, high = (option.get(k + ("_length" if kind == "string" else "_value")) for k in ("min", "max"))
        if kind in ("string", "integer", "number") and not (low is None or size >= low) & (
            high is None or size <= high
        ):
            raise CannotDo(f"option {option['name']}: {value!r} is out of bounds")
        return {"name": option["name"], "type": option["type"], "value": value}

    @staticmethod
    def _command_data(command: Json, path: list[Json], leaf: list[Json]) -> Json:
        for branch in reversed(path):
            leaf = [{"name": branch["name"], "type": branch["type"], "options": leaf}]
        data = {"id": command["id"], "name": command["name"], "type": command["type"], "options": leaf}
        return data | ({"guild_id": command["guild_id"]} if command.get("guild_id") else {})

    # -- sending interactions ---------------------------------------------------------------------
    async def _component(self, seen: MessageView, data: Json, wait: bool) -> Result:
        state = self.world.state
        message = state.messages.get(seen.id)
        if message is None or not self.sees(message):
            raise CannotDo(f"{self.name} cannot see message {seen.id}")
        return await self._interact(
            COMPONENT, state.channels[seen.channel_id], data, message=message, wait=wait
        )

    async def _interact(
        self,
        type: int,
        channel: Channel,
        data: Json,
        *,
        message: Message | None = None,
        command: Json | None = None,
        wait: bool = True,
    ) -> Result:
        if not self.world.state.can_see(self.id, channel):
            raise CannotDo(f"{self.name} cannot see channel {channel.name!r}")
        it = self._open(type, channel, data, message, command)
        payload = self._payload(it, channel, message)
        it.sent = time.perf_counter()
        it.sent = (
            await self.world.double.gateway.emit("INTERACTION_CREATE", payload, channel.guild_id, None)
            or it.sent
        )
        result = Result(self.world, it)
        try:
            await asyncio.wait_for(asyncio.shield(it.ack), self.world.double.ack_seconds)
            if wait and it.callback_type == 5:
                await result.settled(self.world.answer_timeout)
        except TimeoutError:
            pass
        self.world.results.append(result)
        return result

    def _open(
        self, type: int, channel: Channel, data: Json, message: Message | None, command: Json | None
    ) -> Interaction:
        state = self.world.state
        guild = state.guild_of(channel)
        kinds, owners = (command or {}).get("integration_types") or [0, 1], {}
        if 0 in kinds and (guild is None or guild.bot_in):
            owners["0"] = str(guild.id) if guild else "0"
        if 1 in kinds and self.user.installed:
            owners["1"] = str(self.id)
        if not owners:
            raise CannotDo("the app is installed neither in this guild nor by this user")
        loop = asyncio.get_running_loop()
        it = Interaction(
            state.ids.next(),
            secrets.token_urlsafe(120),
            type,
            self.id,
            channel.id,
            channel.guild_id,
            state.clock.now(),
            guild.file_limit if guild else DEFAULT_FILE_LIMIT,
            owners,
            data,
            message.id if message else None,
            command,
            user_install_only=guild is not None and not guild.bot_in,
            ack=loop.create_future(),
            answered=loop.create_future(),
        )
        state.interactions[it.token] = it
        return it

    def _payload(self, it: Interaction, channel: Channel, message: Message | None) -> Json:
        state = self.world.state
        guild = state.guild_of(channel)
        app_permissions = (
            state.permissions(state.app.id, channel)
            if not guild or guild.bot_in
            else int(P.EMBED_LINKS | P.ATTACH_FILES | P.MENTION_EVERYONE)
        )
        mine = state.permissions(self.id, channel)
        out = {
            "id": str(it.id),
            "application_id": str(state.app.id),
            "type": it.type,
            "token": it.token,
            "version": 1,
            "data": it.data,
            "channel_id": str(channel.id),
            "locale": self.user.locale,
            "entitlements": [],
            "channel": state.channel_payload(channel) | {"permissions": str(mine)},
            "app_permissions": str(app_permissions),
            "authorizing_integration_owners": it.owners,
            "attachment_size_limit": it.file_limit,
            "context": 1 if guild is None else 0,
        }
        if guild is None:
            out["user"] = state.user_payload(self.id)
        else:
            out |= {
                "guild_id": str(guild.id),
                "guild_locale": guild.locale,
                "guild": {"id": str(guild.id), "locale": guild.locale, "features": []},
                "member": state.member_payload(guild, self.id, permissions=mine),
            }
        if message is not None:
            out["message"] = state.message_payload(message)
        return out


class Resolved:
    """The `resolved` tables of an interaction."""

    def __init__(self, world: World, user_id: int, channel: Channel) -> None:
        self.world, self.state, self.user_id, self.channel = world, world.state, user_id, channel
        self.tables: dict[str, Json] = {}

    def payload(self) -> Json:
        return {"resolved": self.tables} if self.tables else {}

    def _put(self, table: str, key: str, value: Any) -> str:
        self.tables.setdefault(table, {})[key] = value
        return key

    def add(self, thing: Any) -> str:
        """Put the thing into its table; returns its id as a string."""
        key = str(thing.id) if not isinstance(thing, File) else str(self.state.ids.next())
        guild = self.state.guild_of(self.channel)
        if isinstance(thing, (Actor, User)):
            if guild and thing.id in guild.members:
                permissions = self.state.permissions(thing.id, self.channel)
                self._put(
                    "members",
                    key,
                    self.state.member_payload(guild, thing.id, with_user=False, permissions=permissions),
                )
            return self._put("users", key, self.state.user_payload(thing.id))
        if isinstance(thing, Role):
            return self._put("roles", key, self.state.role_payload(thing))
        if isinstance(thing, Channel):
            payload = self.state.channel_payload(thing)
            return self._put(
                "channels", key, payload | {"permissions": str(self.state.permissions(self.user_id, thing))}
            )
        if isinstance(thing, File):
            url = f"{self.state.cdn}/attachments/{self.channel.id}/{key}/{thing.name}"
            attachment = Attachment(int(key), thing.name, thing.data, url, ephemeral=True)
            self.state.files[int(key)] = attachment
            return self._put("attachments", key, attachment.payload())
        raise CannotDo(f"{thing!r} cannot be an option")


def _pick(options: Iterable[parts.Option], values: list[str], what: str) -> list[str]:
    """Option values for values or labels."""
    by_name = {o.label: o.value for o in options} | {o.value: o.value for o in options}
    missing = [v for v in values if v not in by_name]
    if missing or len(set(values)) != len(values):
        raise CannotDo(f"{what}: {missing or values} not offered; there are {list(by_name)}")
    return [by_name[v] for v in values]


def _fill_field(field: parts.Field, value: Any, resolved: Resolved) -> Json:
    """The submitted part of one modal field, checked as the client would."""
    if field.type == parts.TEXT_INPUT:
        text = value or ""
        if (field.required and not text) or (
            text and not (field.minimum or 0) <= len(text) <= (field.maximum or 4000)
        ):
            raise CannotDo(f"field {field.custom_id!r}: {text!r} is too short or too long")
        return {"value": text}
    if field.type == parts.CHECKBOX:
        return {"value": bool(value)}
    values = [] if value is None else list(value) if isinstance(value, (list, tuple, set)) else [value]
    if field.options:
        values = _pick(field.options, values, field.custom_id)
    else:
        values = [resolved.add(v) for v in values]
    low = field.minimum if field.minimum is not None else 1
    high = (
        field.maximum
        if field.maximum is not None
        else max(1, len(field.options))
        if field.type == parts.CHECKBOX_GROUP
        else 1
    )
    if (field.required or values) and not (low if field.required else 0) <= len(values) <= high:
        raise CannotDo(f"field {field.custom_id!r}: {len(values)} values")
    if field.type == parts.RADIO:
        return {"value": values[0] if values else None}
    return {"values": values}


def _submitted(raw: list[Json], filled: dict[str, Json]) -> list[Json]:
    """The modal's component tree with the values filled in."""
    out = []
    for number, top in enumerate(raw, 1):
        entry = {"type": top["type"], "id": top.get("id") or number}
        if top.get("component"):
            entry["component"] = _leaf(top["component"], filled, 100 + number)
        elif top.get("components"):
            entry["components"] = [_leaf(c, filled, 100 + number) for c in top["components"]]
        out.append(entry)
    return out


def _leaf(component: Json, filled: dict[str, Json], number: int) -> Json:
    return {
        "type": component["type"],
        "id": component.get("id") or number,
        "custom_id": component["custom_id"],
        **filled[component["custom_id"]],
    }


# == bot processes =================================================================================
class BotProcess:
    """One bot process, with the last lines of its output."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: deque[str] = deque(maxlen=5000)
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for raw in self.process.stdout:
            self.lines.append(raw.decode(errors="replace").rstrip())

    @property
    def log(self) -> str:
        return "\n".join(self.lines)

    @property
    def running(self) -> bool:
        return self.process.returncode is None

    async def stop(self, grace: float = 5.0) -> int | None:
        """SIGTERM, then SIGKILL after `grace` seconds. Returns the exit code."""
        if self.running:
            self.process.terminate()
            try:
                await asyncio.wait_for(self.process.wait(), grace)
            except TimeoutError:
                await self.kill()
        await asyncio.wait([self._reader], timeout=grace)  # a child of the bot may hold the pipe open
        return self.process.returncode

    async def kill(self) -> None:
        """SIGKILL: what a crash looks like."""
        if self.running:
            self.process.kill()
        await self.process.wait()


# == the world =====================================================================================
class World:
    """The double plus its people. Options are those of server.DiscordDouble."""

    def __init__(self, *, answer_timeout: float = 10.0, **options: Any) -> None:
        self.double = DiscordDouble(**options)
        self.state = self.double.state
        self.answer_timeout = answer_timeout
        self.bots: list[BotProcess] = []
        self.results: deque[Result] = deque(maxlen=200_000)

    async def __aenter__(self) -> World:
        await self.double.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*(bot.stop() for bot in self.bots))
        await self.double.stop()

    # shortcuts
    @property
    def faults(self) -> Faults:
        return self.double.faults

    @property
    def gateway(self) -> Gateway:
        return self.double.gateway

    @property
    def recorder(self) -> Recorder:
        return self.double.recorder

    @property
    def calls(self) -> deque[Call]:
        return self.double.calls

    @property
    def violations(self) -> list[str]:
        """Request bodies of the bot that are not well formed, and routes that do not exist."""
        unknown = [f"{route}: unknown route ({n} times)" for route, n in self.double.unknown_routes.items()]
        return self.double.conformance.all_violations() + unknown

    def assert_clean(self) -> None:
        """No malformed request, no unknown route, no error inside the double."""
        problems = self.violations + self.double.internal_errors
        if problems:
            raise AssertionError("\n".join(problems))

    async def until(
        self, predicate: Callable[[], T], timeout: float = 5.0, what: str = "the awaited state"
    ) -> T:
        return await self.double.until(predicate, timeout, what)

    async def advance(self, seconds: float) -> None:
        """Move Discord's clock forward (age of tokens and messages, thread auto-archive), not the bot's."""
        self.state.clock.advance(seconds)
        await self.double.archive_idle_threads()

    # people and places
    async def create_user(
        self,
        name: str,
        *guilds: Guild,
        locale: str = "en-US",
        dms_open: bool = True,
        installed: bool = False,
        display: str | None = None,
    ) -> Actor:
        user = self.state.add_user(
            name, locale=locale, dms_open=dms_open, installed=installed, display=display
        )
        actor = Actor(self, user)
        for guild in guilds:
            await actor.join(guild)
        return actor

    async def create_guild(
        self,
        name: str,
        *,
        locale: str = "en-US",
        owner: Actor | None = None,
        bot_permissions: int = DEFAULT_BOT,
        file_limit: int = DEFAULT_FILE_LIMIT,
        bot_in: bool = True,
    ) -> Guild:
        """bot_in=False: a guild the bot is not in; users with `installed` may still use it there."""
        guild = self.state.add_guild(
            name,
            (owner or self.state.owner).id,
            locale=locale,
            file_limit=file_limit,
            bot_in=bot_in,
            bot_permissions=bot_permissions,
        )
        if bot_in:
            await self.gateway.emit("GUILD_CREATE", self.state.guild_create_payload(guild), guild.id)
        return guild

    async def create_channel(
        self,
        guild: Guild,
        name: str = "general",
        type: int = TEXT_CHANNEL,
        *,
        private_to: Iterable[Actor] | None = None,
        bot_allowed: bool = True,
    ) -> Channel:
        """private_to: the only actors (besides the owner and the bot) who see the channel."""
        channel = self.state.add_channel(guild.id, name, type)
        if private_to is not None:
            self._overwrite(channel, guild.id, 0, deny=P.VIEW_CHANNEL)
            for actor in private_to:
                self._overwrite(channel, actor.id, 1, allow=P.VIEW_CHANNEL)
            if bot_allowed:
                self._overwrite(channel, self.state.app.id, 1, allow=P.VIEW_CHANNEL)
        await self.gateway.emit("CHANNEL_CREATE", self.state.channel_payload(channel), guild.id)
        return channel

    @staticmethod
    def _overwrite(channel: Channel, target: int, kind: int, allow: int = 0, deny: int = 0) -> None:
        channel.overwrites[target] = {"id": target, "type": kind, "allow": int(allow), "deny": int(deny)}

    async def restrict_bot(self, channel: Channel, deny: int = 0, allow: int = 0) -> None:
        """Change what the bot may do in one channel (permission bits of model.P)."""
        self._overwrite(channel, self.state.app.id, 1, allow, deny)
        await self.gateway.emit("CHANNEL_UPDATE", self.state.channel_payload(channel), channel.guild_id)

    async def time_out_bot(self, guild: Guild, seconds: float) -> None:
        """A moderator times the bot out (0: takes that back). It may read and answer clicks, no more."""
        member = guild.members[self.state.app.id]
        member.muted_until = self.state.clock.now() + seconds if seconds else 0.0
        await self.double.member_event("GUILD_MEMBER_UPDATE", guild, member.user_id)

    async def create_thread(
        self, channel: Channel, name: str, *, private: bool = False, members: Iterable[Actor] = ()
    ) -> Channel:
        """A thread made by a moderator; the bot is a member of it."""
        now = self.state.clock.now()
        thread = self.state.add_channel(
            channel.guild_id,
            name,
            PRIVATE_THREAD if private else PUBLIC_THREAD,
            parent_id=channel.id,
            owner_id=self.state.server(channel).owner_id,
            archive_changed=now,
        )
        thread.members = dict.fromkeys([self.state.app.id, *(a.id for a in members)], now)
        await self.gateway.emit(
            "THREAD_CREATE", self.state.channel_payload(thread) | {"newly_created": True}, channel.guild_id
        )
        return thread

    async def archive(self, thread: Channel, archived: bool = True, locked: bool | None = None) -> None:
        if locked is not None:
            thread.locked = locked
        await self.double.rest._set_archived(thread, archived)

    async def delete_channel(self, channel: Channel) -> None:
        await self.double.remove_channel(channel)

    async def kick_bot(self, guild: Guild) -> None:
        await self.double.remove_bot(guild)

    async def invite_bot(self, guild: Guild, bot_permissions: int = DEFAULT_BOT) -> None:
        """Bring a kicked bot back: GUILD_CREATE without `unavailable`, unlike at the end of an outage."""
        guild.bot_in = True
        role = guild.roles.setdefault(
            guild.bot_role, Role(guild.bot_role, self.state.app.name, bot_permissions, managed=True)
        )
        self.state.add_member(guild, self.state.app.id).roles = [role.id]
        payload = {k: v for k, v in self.state.guild_create_payload(guild).items() if k != "unavailable"}
        await self.gateway.emit("GUILD_CREATE", payload, guild.id)

    # bots
    async def start_bot(
        self,
        *command: object,
        cwd: str | Path | None = None,
        env: dict[str, str] | None = None,
        ready: bool = True,
        sessions: int = 1,
        timeout: float = 30.0,
        python: str | None = None,
    ) -> BotProcess:
        """Start `run_bot.py … *command`, e.g. start_bot("-m", "bot", "--shard", "0").

        With `ready`, wait until `sessions` more sessions have identified and, if none was registered yet, a
        command list has arrived.
        """
        before = len(self.gateway.sessions)
        environ = {k: v for k, v in os.environ.items() if k not in FORBIDDEN_ENV}
        process = await asyncio.create_subprocess_exec(
            python or sys.executable,
            "-u",
            str(HERE / "run_bot.py"),
            "--rest",
            self.double.rest_url,
            "--gateway",
            self.double.gateway_url,
            *map(str, command),
            cwd=cwd,
            env=environ | (env or {}),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            limit=1 << 22,
        )
        bot = BotProcess(process)
        self.bots.append(bot)
        if ready:
            await self._ready(bot, before + sessions, timeout)
        return bot

    async def _ready(self, bot: BotProcess, sessions: int, timeout: float) -> None:
        def is_ready() -> bool:
            if not bot.running:
                raise RuntimeError(f"the bot ended with {bot.process.returncode}:\n{bot.log[-3000:]}")
            return len(self.gateway.sessions) >= sessions and any(self.state.commands.values())

        try:
            await self.until(is_ready, timeout, "a connected bot with commands")
        except TimeoutError as error:
            raise TimeoutError(f"{error}; its output:\n{bot.log[-3000:]}") from None

    # figures
    def latencies(self) -> list[float]:
        """Ack latencies in ms of all actions so far that were answered."""
        return [ms for r in self.results if (ms := r.ack_ms) is not None]


# == load ==========================================================================================
def percentile(values: Iterable[float], share: float) -> float:
    """Nearest rank."""
    ordered = sorted(values)
    return (
        ordered[min(len(ordered) - 1, max(0, round(share * len(ordered) + 0.5) - 1))]
        if ordered
        else float("nan")
    )


@dataclass
class LoadReport:
    clicks: int
    failed: int
    errors: Counter[str]
    seconds: float
    ack_ms: list[float]
    answer_ms: list[float]
    calls: Counter[tuple[str, str]]  # (method, template) -> number of REST calls
    late_starts: float = (
        0.0  # open load only: how far, at worst, the driver itself was behind its timetable (s)
    )
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def per_second(self) -> float:
        return self.clicks / self.seconds

    @property
    def calls_per_click(self) -> float:
        return sum(self.calls.values()) / max(1, self.clicks)

    def p(self, share: float) -> float:
        return percentile(self.ack_ms, share)

    def __str__(self) -> str:
        lines = [
            f"{self.clicks} clicks in {self.seconds:.2f} s = {self.per_second:.0f}/s, "
            f"{self.failed} unanswered, "
            f"{sum(self.errors.values())} errors, {self.calls_per_click:.2f} REST calls per click",
            f"ack ms: p50 {self.p(0.5):.2f}  p90 {self.p(0.9):.2f}  p99 {self.p(0.99):.2f}  "
            f"max {max(self.ack_ms, default=float('nan')):.2f}  "
            f"mean {statistics.fmean(self.ack_ms or [0]):.2f}",
            f"seen ms: p50 {percentile(self.answer_ms, 0.5):.2f}  p99 {percentile(self.answer_ms, 0.99):.2f}",
        ]
        lines += [f"  {n:6} {method} {template}" for (method, template), n in self.calls.most_common(8)]
        lines += [f"  {n:6} x {text}" for text, n in self.errors.most_common(5)]
        if self.late_starts > 0.05:
            lines.append(
                f"the driver was up to {self.late_starts * 1000:.0f} ms behind: the offered rate was not met"
            )
        return "\n".join(lines)


async def load(
    world: World,
    seats: Sequence[Any],
    press: Press,
    *,
    seconds: float = 5.0,
    rate: float | None = None,
    think: float = 0.0,
    max_clicks: int = 100_000,
) -> LoadReport:
    """Let many users press buttons.

    seats: list of anything; one per user, e.g. (actor, channel, message), made by the test.
    press: async press(seat, n) -> Result (or None to leave that turn out); n counts the presses of that seat.
    rate: clicks a second over all seats, by timetable whether or not answers are in (open load); a seat may
        then have several presses under way. None: each seat presses again `think` seconds after its answer
        (closed load).
    """
    run = _Load(world, press, max_clicks)
    calls_before = Counter((c.method, c.template) for c in world.calls)
    gc.collect()
    gc.freeze()  # else a full collection of this process now and then looks like a slow bot
    started = time.perf_counter()
    try:
        await (run.open(seats, seconds, rate) if rate else run.closed(seats, seconds, think))
    finally:
        gc.unfreeze()
    took = time.perf_counter() - started
    calls = Counter((c.method, c.template) for c in world.calls) - calls_before
    done = run.results
    return LoadReport(
        len(done),
        sum(not r.acked for r in done),
        run.errors,
        took,
        [ms for r in done if (ms := r.ack_ms) is not None],
        [ms for r in done if (ms := r.answer_ms) is not None],
        calls,
        run.late,
        Counter(r.kind for r in done),
    )


class _Load:
    def __init__(self, world: World, press: Press, max_clicks: int) -> None:
        self.world, self.press, self.left = world, press, max_clicks
        self.results: list[Result] = []
        self.errors: Counter[str] = Counter()
        self.late = 0.0

    async def once(self, seat: Any, n: int) -> None:
        try:
            result = await self.press(seat, n)
        except Exception as error:  # a test's callback may raise: counted, not fatal
            self.errors[f"{type(error).__name__}: {error}"[:200]] += 1
        else:
            if result is not None:
                self.results.append(result)

    async def closed(self, seats: Sequence[Any], seconds: float, think: float) -> None:
        end = time.monotonic() + seconds

        async def sit(seat: Any) -> None:
            n = 0
            while time.monotonic() < end and self.left > 0:
                self.left -= 1
                await self.once(seat, n)
                n += 1
                await asyncio.sleep(think)

        await asyncio.gather(*(sit(s) for s in seats))

    async def open(self, seats: Sequence[Any], seconds: float, rate: float) -> None:
        started, tasks = time.monotonic(), []
        for number in range(min(int(seconds * rate), self.left)):
            due = started + number / rate
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            self.late = max(self.late, time.monotonic() - due)
            tasks.append(asyncio.create_task(self.once(seats[number % len(seats)], number // len(seats))))
        await asyncio.gather(*tasks)


def dump(entries: Iterable[Any]) -> str:
    """Recorder entries as readable lines, for test failure messages."""
    return "\n".join(
        f"{e.kind} in {e.channel_id} to {'all' if e.audience is None else sorted(e.audience)}: "
        f"{json.loads(e.text)} {[(n, len(d)) for n, d in e.files.items()]}"
        for e in entries
    )


__all__ = [
    "Actor",
    "BotProcess",
    "CannotDo",
    "File",
    "Guild",
    "LoadReport",
    "MessageView",
    "P",
    "Result",
    "World",
    "dump",
    "load",
    "percentile",
]
