"""`/profile`: a person's own settings: language, notices, pictures, text board; on a second page when notices
come."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.locale import LANGUAGES, sayer
from bot.rules.game import Say
from bot.tables.model import NOTICES, THEMES, UserSettings
from bot.tables.rhythm import zones
from cogs import custom_ids
from cogs.client import Client
from cogs.game_cog import anywhere, local
from cogs.input.errors import Outdated
from cogs.input.press import Press
from cogs.input.router import Handler
from cogs.surfaces.components import Button, Buttons, Page, Select, Text, page
from cogs.surfaces.rhythm import NO_HOURS, WAKING, ZONES, rhythm_page, setting_menu, zones_page

OF_RHYTHM = frozenset({"rhythm", "digest_hour", "quiet_from", "quiet_to", "timezone"})
FOLLOW = "auto"  # the language follows Discord's


class Profile(commands.Cog):
    def __init__(self, bot: Client) -> None:
        self.bot = bot
        self.services = bot.services

    async def cog_load(self) -> None:
        await asyncio.to_thread(zones)  # looks at hundreds of files: longer than the event loop may be held
        for verb, handler in self._verbs().items():
            self.bot.router.add(verb, handler)

    async def cog_unload(self) -> None:
        for verb in self._verbs():
            self.bot.router.remove(verb)

    def _verbs(self) -> dict[str, Handler]:
        return {
            "profile": self.show,
            "settings": self.first,
            "set_user": self.change,
            "rhythm": self.second,
            "zones": self.zones,
            "zone": self.zone,
        }

    @anywhere
    @app_commands.command(name=local("command.profile.name"), description=local("command.profile"))
    async def profile(self, interaction: discord.Interaction[Any]) -> None:
        await self.bot.router.run(interaction, self.show, where="/profile")

    async def show(self, press: Press) -> None:
        await press.show(profile_page(await self.services.tables.user(press.person.id), press.say))

    async def first(self, press: Press) -> None:
        """Back to the first page."""
        await press.part(profile_page(await self.services.tables.user(press.person.id), press.say))

    async def second(self, press: Press) -> None:
        await self._turn_to_second(press, await self.services.tables.user(press.person.id))

    async def _turn_to_second(self, press: Press, settings: UserSettings) -> None:
        now = self.services.clock.now()
        await press.part(rhythm_page(settings, now, press.language, press.say))

    async def zones(self, press: Press) -> None:
        """The places of the part of the world that the argument names."""
        if press.argument not in ZONES:
            raise Outdated
        settings, now = await self.services.tables.user(press.person.id), self.services.clock.now()
        await press.part(zones_page(press.argument, settings, now, press.language, press.say))

    async def zone(self, press: Press) -> None:
        """The time zone that the argument names."""
        await self._set_rhythm(press, {"timezone": press.argument})

    async def change(self, press: Press) -> None:
        """One setting; argument names it, the chosen entry is its value."""
        if press.argument in OF_RHYTHM:
            settings = await self.services.tables.user(press.person.id)
            await self._set_rhythm(press, rhythm_fields(press.argument, press.value, settings))
            return
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
        if press.argument == "notices":
            await self.services.notices.settings_changed(press.person.id)
        say = sayer(await self.services.languages.of(press.person.id, press.person.locale))
        await press.part(profile_page(settings, say))

    async def _set_rhythm(self, press: Press, fields: dict[str, object]) -> None:
        try:
            settings = await self.services.tables.set_user(press.person.id, **fields)
        except ValueError:  # of a menu there was once, or made by hand
            raise Outdated from None
        await self.services.notices.settings_changed(press.person.id)
        await self._turn_to_second(press, settings)


def rhythm_fields(name: str, value: str, settings: UserSettings) -> dict[str, object]:
    """What is set by choosing that on the second page. Quiet hours have both, a beginning and an end, or
    neither."""
    if name == "quiet_from":
        if value == NO_HOURS:
            return {"quiet_from": 0, "quiet_to": 0}
        start = _hour(value)
        end = settings.quiet_to if settings.quiet_from != settings.quiet_to else WAKING
        return {"quiet_from": start, "quiet_to": end if end != start else (end + 1) % 24}
    return {name: _hour(value) if name in {"digest_hour", "quiet_to"} else value}


def _hour(value: str) -> int:
    if not value.isdecimal():
        raise Outdated
    return int(value[:3])


def profile_page(settings: UserSettings, say: Say) -> Page:
    def menu(field: str, entries: list[tuple[str, str]], chosen: str) -> Select:
        return setting_menu(field, say(f"profile.{field}"), entries, chosen)

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
        Buttons((Button(say("profile.rhythm"), custom_ids.button(None, 0, "rhythm")),)),
        Text(say("profile.theme.about")),
        menu("theme", [(theme, say(f"pictures.theme.{theme}")) for theme in THEMES], settings.theme),
        *flag("text_board", settings.text_board),
        *flag("quick", settings.quick),
    )


async def setup(bot: Client) -> None:
    await bot.add_cog(Profile(bot))
