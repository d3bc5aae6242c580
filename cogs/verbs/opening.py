"""Where a table can be opened, and showing one that was just opened."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import discord

from bot.tables.model import Place, Table, TableId
from bot.tables.ports import StoreTrouble
from cogs.input.errors import Denied, reference
from cogs.input.press import Press, lacking
from cogs.services import Services
from cogs.surfaces import wording
from cogs.surfaces.components import note


def place_of(services: Services, interaction: discord.Interaction[Any]) -> Place | None:
    """Where a table opened here would live: on this server, or in the direct messages with the bot. None
    where the bot can keep none: on a server it is not on, in other people's messages."""
    channel, guild = interaction.channel_id, interaction.guild_id
    if channel is None:
        return None
    if guild is not None:
        return Place(guild, channel) if services.io.is_in(guild) else None
    return Place(0, channel) if interaction.context.dm_channel else None


def place_to_play(press: Press) -> tuple[Place, int | None]:
    """The same, where the bot can play there, and the channel that it is a thread of, if it is one. Raises
    Denied where it cannot, and says why."""
    place = place_of(press.services, press.interaction)
    if place is None:
        raise Denied("error.not_here")
    if place.guild:
        until = press.services.io.timed_out(place.guild)
        if until is not None:
            raise Denied("error.timed_out", when=wording.when(until))
        if missing := lacking(press.interaction):
            names = ", ".join(press.say(f"permission.{name}") for name in missing)
            raise Denied("error.bot_lacks", permissions=names)
    channel = press.interaction.channel
    return place, channel.parent_id if isinstance(channel, discord.Thread) else None


@dataclass(slots=True)
class Opening:
    """shown: the revision that the lobby message shows, 0 as long as there is none."""

    shown: int = 0


@asynccontextmanager
async def opening(press: Press, table: Table, old: TableId | None = None) -> AsyncIterator[Opening]:
    """While its opener shows a new table nobody else posts its lobby; afterwards the painter has it, whatever
    came of that. old: the table it is the rematch of, which is left alone too: it leads to the lobby message.
    The new one is stored: a failure is told as what it is, not as if nothing had changed."""
    made = Opening()
    try:
        yield made
    except Exception as error:
        if not isinstance(error, StoreTrouble):  # which the store has told
            reference(error, "a table's opening")
        await press.show(note(press.say("lobby.later", table=table.id)))
    finally:
        press.services.repaints.release(table.id, made.shown)
        if old is not None:
            press.services.repaints.release(old)
