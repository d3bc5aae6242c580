"""Servers, people and tables by the thousand, on the wire double and in the database alike.

A few tables are really opened and played on. Their rows are written again under other names, and so are
their messages, with the names in them changed: the bot edits them, and people press their buttons, as if it
had sent them. A message is made when somebody first comes to its table.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import cycle, islice
from random import Random
from typing import Any

from bot.bench.filling import Copy, Stored, fill, ids, met, stored

ROOM = 12  # people on a server
AT_ONCE = 500  # copies of tables in a transaction


@dataclass(frozen=True, slots=True)
class Original:
    """A table that was really opened: its rows, and its public message on the double."""

    stored: Stored
    board: Any


class Crowd:
    """state: what the double knows. server: the one whose tables these are. tables: those that were copied,
    by name; who sits there."""

    def __init__(self, world: Any, server: Any) -> None:
        self.world, self.server, self.state = world, server, world.state
        self.model = import_module("tests.discord.model")
        self.driver = import_module("tests.discord.driver")
        self._waiting: dict[str, tuple[Copy, Original, int]] = {}  # copies nobody has come to yet
        self._channels: dict[str, list[Any]] = {}
        self._everybody: list[int] = []

    @property
    def tables(self) -> list[str]:
        return list(self._channels)

    @property
    def come_to(self) -> list[str]:
        """Those of them at which somebody has been, and whose message is there therefore."""
        return [name for name in self._channels if name not in self._waiting]

    async def gather(self, wire_tables: Sequence[Any], servers: int, tables: int, seed: str) -> None:
        """No bot may run meanwhile."""
        originals = [await self._original(one) for one in wire_tables]
        random = Random(seed)
        guilds = [self._guild(number) for number in range(servers)]
        await met(self.server.database, {user: self._direct(user) for user in self._everybody})
        copies: list[Copy] = []
        for name, original, guild in islice(
            zip(ids(seed), cycle(originals), cycle(guilds), strict=False), tables
        ):
            copies.append(self._copy(name, original, guild, random))
            if len(copies) == AT_ONCE:
                await fill(self.server.database, copies)
                copies = []
        await fill(self.server.database, copies)

    async def _original(self, wire_table: Any) -> Original:
        board = wire_table.board(wire_table.people[0])
        return Original(await stored(self.server.database, wire_table.id), self.state.messages[board.id])

    def _guild(self, number: int) -> Any:
        guild = self.state.add_guild(f"Server {number}", self.state.owner.id)
        for place in range(ROOM):
            user = self.state.add_user(f"p{number}-{place}").id
            self.state.add_member(guild, user)
            self._everybody.append(user)
        return guild

    def _direct(self, user: int) -> int:
        """Direct messages with somebody, as they are once the bot has written to them."""
        channel = self.model.Channel(self.state.ids.next(), self.model.DM_CHANNEL, recipient_id=user)
        self.state.channels[channel.id] = channel
        return int(channel.id)

    def _copy(self, name: str, original: Original, guild: Any, random: Random) -> Copy:
        row = original.stored.table
        everybody = [user for user in guild.members if user not in {guild.owner_id, self.state.app.id}]
        seated = [seat["user_id"] for seat in original.stored.seats if seat["user_id"] is not None]
        people = {
            before: (user, self.state.users[user].name)
            for before, user in zip(seated, random.sample(everybody, len(seated)), strict=True)
        }
        channel = self.state.add_channel(guild.id, f"table-{name.lower()}")
        places = [channel]
        if row["thread"] is not None:
            places.append(self._thread(self.state.channels[row["thread"]], channel))
        message = self.state.ids.next()
        place = {
            "guild": guild.id,
            "channel": channel.id,
            "thread": places[1].id if len(places) > 1 else None,
            "table_message": message,
            **dict.fromkeys(("lobby_message", "notice_message", "final_message", "invitation_message")),
        }
        made = Copy(original.stored, name, place, people)
        self._waiting[name] = (made, original, message)
        self._channels[name] = places
        return made

    def _thread(self, of: Any, parent: Any) -> Any:
        now = self.state.clock.now()
        own = {
            "id": self.state.ids.next(),
            "guild_id": parent.guild_id,
            "parent_id": parent.id,
            "message_ids": [],
            "pins": [],
            "members": {self.state.app.id: now},
            "active_at": now,
        }
        thread = replace(of, **own)
        self.state.channels[thread.id] = thread
        return thread

    # who comes to a table

    def at(self, name: str) -> Any:
        """A copied table, with its people and its message there."""
        if name in self._waiting:
            self._put_up(*self._waiting.pop(name))
        return seated(self.server, name, self._channels[name], self._people(name))

    def _people(self, name: str) -> tuple[Any, ...]:
        rows = self.server.stored("select user_id from seats where table_id = ? order by seat", name)
        users = [self.state.users[user] for (user,) in rows if user is not None]
        return tuple(self.driver.Actor(self.world, user) for user in users)

    def _put_up(self, made: Copy, original: Original, number: int) -> None:
        shown, place = original.board, self._channels[made.id][-1]
        words = {original.stored.table["id"]: made.id}
        words |= {str(before): str(after) for before, (after, _) in made.people.items()}
        text = json.dumps([shown.components, shown.embeds, shown.content])
        for before, after in words.items():
            text = text.replace(before, after)
        components, embeds, content = json.loads(text)
        message = replace(
            shown,
            id=number,
            channel_id=place.id,
            components=components,
            embeds=embeds,
            content=content,
            attachments=[copy.copy(one) for one in shown.attachments],
            created=self.state.clock.now(),
            interaction=None,
            thread_id=None,
            nonce=None,
            pinned=None,
            mentions=[],
            pings=[],
            edits=0,
            old_edits=0,
        )
        self.state.messages[number] = message
        place.message_ids.append(number)


def seated(server: Any, name: str, places: Sequence[Any], people: tuple[Any, ...]) -> Any:
    """A table as people on the double play at it. places: where its messages are, for to look them up among
    thousands takes long."""
    table = import_module("tests.wire.wire_server").WireTable(server, name, places[0], people)
    table.places = lambda: list(places)
    table.random = Random(f"bench load {name}")
    return table
