"""What the cogs know of the client that loads them."""

from __future__ import annotations

from discord.ext import commands

from .input.router import Router
from .services import Services


class Client(commands.AutoShardedBot):
    """Set before any cog is loaded."""

    services: Services
    router: Router
