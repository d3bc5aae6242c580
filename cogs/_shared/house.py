"""What every part of Discord's side shares: the services, and which language whom is spoken to in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import discord
from cachetools import TTLCache

from bot.background import Background
from bot.discord_io import DiscordIO, Done, Failed, Result
from bot.locale import keys, match, sayer
from bot.rules.game import AnyGame, Say, View
from bot.rules.registry import game as rules_of
from bot.settings import Settings
from bot.tables.model import Person, Table, TableId, UserId, UserSettings
from bot.tables.ports import Clock, NotFound
from bot.tables.service import Tables
from rendering.scene import Picture, Scene

from . import words
from .mail import Mail

if TYPE_CHECKING:
    from .game_cog import GameCog
    from .painter import Painter

log = logging.getLogger(__name__)
T = TypeVar("T")
CLOSED = timedelta(days=1)  # before a direct message is tried again after one that was refused
MOST_CLOSED = 10_000  # people of whom that is remembered
NO_SERVER_IN_COMMON = 50278  # Discord's code


class House:
    """Lives as long as the client. Holds no state of any table."""

    painter: Painter

    def __init__(
        self,
        client: discord.Client,
        tables: Tables,
        settings: Settings,
        clock: Clock,
        background: Background,
        *,
        pace: float,
    ) -> None:
        """pace: seconds at least between two repaints of one message."""
        self.client = client
        self.tables = tables
        self.settings = settings
        self.clock = clock
        self.background = background
        self.pace = pace
        self.io = DiscordIO(client, clock)
        self.mail = Mail(self)
        self.games: dict[str, GameCog] = {}
        self._pool = ThreadPoolExecutor(settings.parlour_workers, thread_name_prefix="paint")
        self._closed: TTLCache[UserId, bool, datetime] = TTLCache(MOST_CLOSED, CLOSED, clock.now)

    # direct messages

    async def dm_of(self, user: UserId, *, spare: int = 0) -> Result[int]:
        """The channel of this person's direct messages, asked of Discord once in their life. spare: as for
        `DiscordIO.open_dm`."""
        known = self.io.known_dm(user)
        if known is not None:
            return Done(known)
        stored = (await self.tables.user(user)).dm_channel
        if stored is not None:
            self.io.know_dm(user, stored)
            return Done(stored)
        opened = await self.io.open_dm(user, spare=spare)
        if isinstance(opened, Done):
            await self.tables.set_user(user, dm_channel=opened.value)
        return opened

    async def dm_gone(self, user: UserId) -> None:
        """Discord knows that channel no more: it is asked for again."""
        self.io.know_dm(user, None)
        await self.tables.set_user(user, dm_channel=None)

    async def dm_failed(self, guild: int, user: UserId, failed: Failed) -> None:
        """Told to the person at their next click, and not tried again for a day. Without a server in common
        they have left it."""
        await self.tables.set_user(user, dm_closed=True)
        self._closed[user] = True
        if failed.code == NO_SERVER_IN_COMMON:
            self.background.spawn("left", partial(self._left, guild, user), f"{guild} {user}")

    async def _left(self, guild: int, user: UserId) -> None:
        await self.tables.left_guild(guild, user)

    def dm_hopeless(self, user: UserId) -> bool:
        """Whether one failed within the last day."""
        return user in self._closed

    def dm_opened(self, user: UserId) -> None:
        """One arrived, or they say that it may."""
        self._closed.pop(user, None)

    # languages

    async def language_of(self, user: UserId, locale: str | None) -> str:
        """A person's language: their own choice, or Discord's locale (given, else the last one seen)."""
        return self.language_for(await self.tables.user(user), locale)

    def language_for(self, settings: UserSettings, locale: str | None) -> str:
        return match(settings.language or locale or settings.locale or self.settings.parlour_language)

    async def language_at(self, guild: int) -> str:
        """A server's language: its own choice, or what Discord tells, or the host's."""
        settings = await self.tables.guild(guild)
        return match(settings.language or self.io.guild_locale(guild) or self.settings.parlour_language)

    async def say_at(self, guild: int) -> Say:
        return sayer(await self.language_at(guild))

    # people

    @staticmethod
    def person(interaction: discord.Interaction[Any]) -> Person:
        user = interaction.user
        member = user if isinstance(user, discord.Member) else None
        return Person(
            id=user.id,
            name=user.display_name,
            locale=str(interaction.locale),
            guild=interaction.guild_id,
            roles=frozenset(role.id for role in member.roles) if member is not None else frozenset(),
            manages=interaction.permissions.manage_guild if interaction.guild_id is not None else False,
        )

    # pictures, off the event loop

    async def off_loop(self, work: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(work, *args))

    async def table_pictures(self, table: Table, view: View, say: Say) -> tuple[Picture, ...]:
        return await self._pictures("table_pictures", table, view, Scene(words.bare_names(table, say), say))

    async def hand_pictures(
        self, table: Table, view: View, say: Say, *, targets: Iterable[str] = (), draft: str = ""
    ) -> tuple[Picture, ...]:
        scene = Scene(words.bare_names(table, say), say, tuple(targets), draft)
        return await self._pictures("hand_pictures", table, view, scene)

    async def _pictures(self, function: str, table: Table, view: View, scene: Scene) -> tuple[Picture, ...]:
        """Empty when drawing fails: the text of the page stands alone then, and play goes on."""
        module = import_module(f"rendering.{table.game}")
        try:
            drawn: tuple[Picture, ...] = await self.off_loop(getattr(module, function), view, scene)
        except Exception:
            log.exception("a picture of table %s could not be drawn", table.id)
            return ()
        return drawn

    # games

    @staticmethod
    def rules(table: Table) -> AnyGame:
        return rules_of(table.game)

    def cog(self, game: str) -> GameCog:
        return self.games[game]

    @staticmethod
    def rule_sections(game: str, language: str) -> int:
        """How many sections the rules text has."""
        known = keys(language)
        count = 0
        while f"{game}.rules.{count + 1}" in known:
            count += 1
        return count

    def close(self) -> None:
        """No more pictures."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def table_or_none(self, table: TableId) -> Table | None:
        try:
            return await self.tables.table(table)
        except NotFound:
            return None
