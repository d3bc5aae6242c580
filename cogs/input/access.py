"""Who sees a table. Every command, control, form and list of tables asks here.

One sees and joins a table if one sits or ever sat at it, or can view its channel now (one in direct messages
has none, and is joined with its code). For everybody else there is no such table: what they get is what an
unknown id gets.
"""

from __future__ import annotations

from typing import Any

import discord

from bot.tables.model import Place, Table, TableId
from bot.tables.ports import NotFound
from cogs.services import Services


async def reach(services: Services, interaction: discord.Interaction[Any], given: TableId) -> Table:
    """The table of this id, if whoever acts may see it. Raises NotFound."""
    table = await services.tables.table(given)
    if not await may_see(services, interaction, table):
        raise NotFound(id=given)
    return table


async def table_of_thread(services: Services, interaction: discord.Interaction[Any]) -> Table | None:
    """The table that is or was played in this thread; None where this is no table's thread. Discord takes no
    interaction from who cannot view it."""
    guild, thread = interaction.guild_id, interaction.channel_id
    if guild is None or thread is None:
        return None
    here = await services.tables.tables_at(guild, thread) or await services.tables.ended_at(guild, thread, 1)
    return next((table for table in here if table.place.thread == thread), None)


async def may_see(services: Services, interaction: discord.Interaction[Any], table: Table) -> bool:
    """Whether whoever acts may see this table. What cannot be known is no."""
    place, user = table.place, interaction.user
    if table.seat_of(user.id) is not None:
        return True
    if place.direct:  # who knows no more than its id has no code to join with
        return await services.tables.sat_at(table.id, user.id)
    here = interaction.guild_id == place.guild
    if here and place.takes_in(interaction.channel_id):
        return True  # Discord takes no interaction from who cannot view the channel
    if await services.tables.sat_at(table.id, user.id):
        return True
    return await may_view(services, interaction, place)


async def may_view(services: Services, interaction: discord.Interaction[Any], place: Place) -> bool:
    """Whether whoever acts can view the channel of a place on a server. What cannot be known is no."""
    user, here = interaction.user, interaction.guild_id == place.guild
    member = user if here and isinstance(user, discord.Member) else None  # Discord has told their roles
    return await services.io.can_view(place.guild, place.channel, user.id, member)
