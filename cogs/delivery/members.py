"""Who has left a server, where nobody tells: without the members intent Discord has to be asked."""

from __future__ import annotations

from bot.discord_io import DiscordIO, Done
from bot.tables.model import UserId
from bot.tables.service import Tables


async def give_up_who_left(tables: Tables, io: DiscordIO, guild: int, user: UserId) -> None:
    """Somebody seems to have left: where Discord says so too, their seats there are given up. Where it does
    not say, the bot itself being gone from there or Discord in trouble, nobody has left."""
    here = await io.is_member(guild, user)
    if isinstance(here, Done) and not here.value:
        await tables.left_guild(guild, user)
