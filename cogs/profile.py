"""`/profile`: a person's own settings: language, notices, pictures, text board."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.locale import LANGUAGES, sayer
from bot.rules.game import Say
from bot.tables.model import THEMES, UserSettings
from cogs import custom_ids
from cogs.client import Client
from cogs.game_cog import local
from cogs.input.errors import Outdated
from cogs.input.press import Press
from cogs.surfaces.components import Entry, Page, Select, Text, page

NOTICES = ("channel", "dm", "none")
FOLLOW = "auto"  # the language follows Discord's


class Profile(commands.Cog):
    def __init__(self, bot: Client) -> None:
        self.bot = bot
        self.services = bot.services

    async def cog_load(self) -> None:
        self.bot.router.add("profile", self.show)
        self.bot.router.add("set_user", self.change)

    async def cog_unload(self) -> None:
        self.bot.router.remove("profile")
        self.bot.router.remove("set_user")

    @app_commands.allowed_contexts(guilds=True, dms=True, private_channels=True)
    @app_commands.allowed_installs(guilds=True, users=True)
    @app_commands.command(name=local("command.profile.name"), description=local("command.profile"))
    async def profile(self, interaction: discord.Interaction[Any]) -> None:
        await self.bot.router.run(interaction, self.show, where="/profile")

    async def show(self, press: Press) -> None:
        await press.show(profile_page(await self.services.tables.user(press.person.id), press.say))

    async def change(self, press: Press) -> None:
        """One setting; argument names it, the chosen entry is its value."""
        match press.argument, press.value:
            case "language", value if value == FOLLOW or value in LANGUAGES:
                fields: dict[str, object] = {"language": None if value == FOLLOW else value}
            case "notices", value if value in NOTICES:
                fields = {"notices": value, "dm_closed": False}
            case "theme", value if value in THEMES:
                fields = {"theme": value}
            case ("text_board" | "quick") as flag, ("yes" | "no") as value:
                fields = {flag: value == "yes"}
            case _:
                raise Outdated
        if press.argument == "notices":
            self.services.direct.opened(press.person.id)
        settings = await self.services.tables.set_user(press.person.id, **fields)
        say = sayer(await self.services.languages.of(press.person.id, press.person.locale))
        await press.part(profile_page(settings, say))


def profile_page(settings: UserSettings, say: Say) -> Page:
    def menu(field: str, entries: list[tuple[str, str]], chosen: str) -> Select:
        return Select(
            custom_ids.select(None, 0, "set_user", field),
            say(f"profile.{field}"),
            tuple(Entry(label, value, chosen=value == chosen) for value, label in entries),
        )

    def flag(field: str, chosen: bool) -> tuple[Text, Select]:
        entries = [(value, say(f"profile.{field}.{value}")) for value in ("no", "yes")]
        return Text(say(f"profile.{field}.about")), menu(field, entries, "yes" if chosen else "no")

    languages = [(FOLLOW, say("profile.language.auto"))]
    languages += [(language, say(f"common.language.{language}")) for language in LANGUAGES]
    return page(
        Text(say("profile.title")),
        Text(say("profile.language.about")),
        menu("language", languages, settings.language or FOLLOW),
        Text(say("profile.notices.about")),
        menu("notices", [(way, say(f"profile.notices.{way}")) for way in NOTICES], settings.notices),
        Text(say("profile.theme.about")),
        menu("theme", [(theme, say(f"pictures.theme.{theme}")) for theme in THEMES], settings.theme),
        *flag("text_board", settings.text_board),
        *flag("quick", settings.quick),
    )


async def setup(bot: Client) -> None:
    await bot.add_cog(Profile(bot))
