"""What the cogs know of the client that loads them."""

from __future__ import annotations

from collections.abc import Sequence

from discord.ext import commands

from bot.doctor import Finding

from .input.router import Router
from .services import Services


class Client(commands.AutoShardedBot):
    """Set before any cog is loaded."""

    services: Services
    router: Router

    async def findings(self) -> Sequence[Finding]:
        """What the doctor finds in the running bot."""
        raise NotImplementedError
