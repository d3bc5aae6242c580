"""Which language whom is spoken to in."""

from __future__ import annotations

from bot.discord_io import DiscordIO
from bot.locale import match, sayer
from bot.rules.game import Say
from bot.tables.model import UserId, UserSettings
from bot.tables.service import Tables


class Languages:
    """usual: the host's, for those of whom nothing else is known."""

    def __init__(self, tables: Tables, io: DiscordIO, usual: str) -> None:
        self._tables = tables
        self._io = io
        self.usual = usual

    async def of(self, user: UserId, locale: str | None = None) -> str:
        """A person's language: their own choice, or Discord's locale (given, else the last one seen)."""
        return self.by(await self._tables.user(user), locale)

    def by(self, settings: UserSettings, locale: str | None = None) -> str:
        """The same of somebody whose settings are at hand."""
        return match(settings.language or locale or settings.locale or self.usual)

    async def at(self, guild: int) -> str:
        """A server's language: its own choice, or what Discord tells, or the host's."""
        settings = await self._tables.guild(guild)
        return match(settings.language or self._io.guild_locale(guild) or self.usual)

    async def say_at(self, guild: int) -> Say:
        return sayer(await self.at(guild))
