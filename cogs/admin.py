"""`/parlour …`: a server's settings and its tables, for those who manage the server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.discord_io import FOR_THREADS, NEEDED, Failed
from bot.doctor import Finding, Verdict
from bot.locale import LANGUAGES
from bot.rules.game import Say
from bot.tables.model import THEMES, ClockRule, GuildSettings, Table
from bot.tables.ports import NotFound
from cogs.client import Client
from cogs.game_cog import CLOCKS, NO_CLOCK, local
from cogs.input.errors import Denied
from cogs.input.press import Press
from cogs.input.router import Handler
from cogs.surfaces import wording
from cogs.surfaces.components import Page, Text, note, page

FOLLOW = "auto"


CLOCK_CHOICES = [
    app_commands.Choice(name=local("admin.no_clock"), value=NO_CLOCK),
    *(
        app_commands.Choice(name=local(f"common.{unit}", n=count), value=seconds)
        for seconds in CLOCKS
        for unit, count in (wording.largest_unit(seconds),)
    ),
]
TIMEOUT_CHOICES = [
    app_commands.Choice(name=local(f"command.new.timeout.{way}"), value=way) for way in ("stand_in", "vote")
]


@app_commands.guild_only()
@app_commands.guild_install()
@app_commands.default_permissions(manage_guild=True)
class Admin(commands.GroupCog, name="parlour", description=local("command.parlour")):
    def __init__(self, bot: Client) -> None:
        self.bot = bot
        self.services = bot.services
        super().__init__()

    async def _run(self, interaction: discord.Interaction[Any], handler: Handler) -> None:
        """Only for those who manage the server, whatever a server's own command permissions say."""

        async def handle(press: Press) -> None:
            if interaction.guild_id is None or not press.person.manages_at(interaction.guild_id):
                raise Denied("error.not_allowed")
            await handler(press)

        await self.bot.router.run(interaction, handle, where="/parlour")

    async def _set(self, interaction: discord.Interaction[Any], **fields: object) -> None:
        async def handle(press: Press) -> None:
            assert interaction.guild_id is not None
            settings = await self.services.tables.set_guild(interaction.guild_id, **fields)
            await press.show(settings_page(settings, self._missing(interaction), press.say))

        await self._run(interaction, handle)

    def _missing(self, interaction: discord.Interaction[Any]) -> list[str]:
        have = interaction.app_permissions
        return [name for name in dict.fromkeys((*NEEDED, *FOR_THREADS)) if not getattr(have, name)]

    @app_commands.command(name="settings", description=local("command.parlour.settings"))
    async def settings(self, interaction: discord.Interaction[Any]) -> None:
        await self._set(interaction)

    @app_commands.command(name="language", description=local("command.parlour.language"))
    @app_commands.describe(language=local("command.parlour.language.language"))
    @app_commands.choices(
        language=[app_commands.Choice(name=local("profile.language.auto"), value=FOLLOW)]
        + [
            app_commands.Choice(name=local(f"common.language.{language}"), value=language)
            for language in LANGUAGES
        ]
    )
    async def language(self, interaction: discord.Interaction[Any], language: str) -> None:
        await self._set(interaction, language=None if language == FOLLOW else language)

    @app_commands.command(name="threads", description=local("command.parlour.threads"))
    @app_commands.describe(on=local("command.parlour.threads.on"))
    async def threads(self, interaction: discord.Interaction[Any], on: bool) -> None:
        await self._set(interaction, threads=on)

    @app_commands.command(name="theme", description=local("command.parlour.theme"))
    @app_commands.describe(theme=local("command.parlour.theme.theme"))
    @app_commands.choices(
        theme=[app_commands.Choice(name=local(f"pictures.theme.{name}"), value=name) for name in THEMES]
    )
    async def theme(self, interaction: discord.Interaction[Any], theme: str) -> None:
        await self._set(interaction, theme=theme)

    @app_commands.command(name="limit", description=local("command.parlour.limit"))
    @app_commands.describe(tables=local("command.parlour.limit.tables"))
    async def limit(
        self, interaction: discord.Interaction[Any], tables: app_commands.Range[int, 1, 1000]
    ) -> None:
        await self._set(interaction, most_tables=tables)

    @app_commands.command(name="clock", description=local("command.parlour.clock"))
    @app_commands.describe(time=local("command.new.clock"), timeout=local("command.new.timeout"))
    @app_commands.choices(time=CLOCK_CHOICES)
    @app_commands.choices(timeout=TIMEOUT_CHOICES)
    async def clock(
        self, interaction: discord.Interaction[Any], time: int, timeout: str = "stand_in"
    ) -> None:
        await self._set(interaction, clock=ClockRule(None if time == NO_CLOCK else time, timeout))

    @app_commands.command(name="channel", description=local("command.parlour.channel"))
    @app_commands.describe(channel=local("command.parlour.channel.channel"))
    async def channel(self, interaction: discord.Interaction[Any], channel: discord.TextChannel) -> None:
        await self._toggle(interaction, "channels", channel.id)

    @app_commands.command(name="opener", description=local("command.parlour.opener"))
    @app_commands.describe(role=local("command.parlour.opener.role"))
    async def opener(self, interaction: discord.Interaction[Any], role: discord.Role) -> None:
        await self._toggle(interaction, "openers", role.id)

    @app_commands.command(name="ender", description=local("command.parlour.ender"))
    @app_commands.describe(role=local("command.parlour.ender.role"))
    async def ender(self, interaction: discord.Interaction[Any], role: discord.Role) -> None:
        await self._toggle(interaction, "enders", role.id)

    async def _toggle(self, interaction: discord.Interaction[Any], field: str, item: int) -> None:
        """Put an id on a list of the settings, or take it off."""
        fields: dict[str, object] = {}
        if interaction.guild_id is not None:
            have = getattr(await self.services.tables.guild(interaction.guild_id), field)
            fields[field] = tuple(one for one in have if one != item) if item in have else (*have, item)
        await self._set(interaction, **fields)

    @app_commands.command(name="tables", description=local("command.parlour.tables"))
    async def tables(self, interaction: discord.Interaction[Any]) -> None:
        async def handle(press: Press) -> None:
            assert interaction.guild_id is not None
            tables = self.services.tables
            found = await tables.tables_at(interaction.guild_id)
            found += [table for table in await tables.homeless() if await self._stands_in(table, interaction)]
            await press.show(tables_page(found, press))

        await self._run(interaction, handle)

    @app_commands.command(name="end", description=local("command.parlour.end"))
    @app_commands.describe(table=local("command.table.table"))
    async def end(self, interaction: discord.Interaction[Any], table: str) -> None:
        async def handle(press: Press) -> None:
            found = await self.services.tables.table(table.strip().upper())
            if not await self._stands_in(found, interaction):
                raise NotFound(None, id=found.id)
            change = await self.services.tables.end_by_admin(found.id)
            await press.show(note(press.say(f"tables.ending.{change.table.ending}")))

        await self._run(interaction, handle)

    @app_commands.command(name="status", description=local("command.parlour.status"))
    async def status(self, interaction: discord.Interaction[Any]) -> None:
        """For whoever runs the bot, on whichever server."""

        async def handle(press: Press) -> None:
            owners = await self.services.io.owners()
            if isinstance(owners, Failed):
                raise Denied("error.owners_unknown")
            if press.person.id not in owners.value:
                raise Denied("error.owners_only")
            await press.show(status_page(await self.bot.findings(), press.say))

        await self.bot.router.run(interaction, handle, where="/parlour")

    async def _stands_in(self, table: Table, interaction: discord.Interaction[Any]) -> bool:
        """Whether a table is one of the server where this was done. Where its row does not tell the server
        any more, its channel does, as far as the bot can know it. Where neither can be read no server lists
        it: its host ends it (`/table end` with its id), or who runs the bot, in the database."""
        place = table.place
        guild = place.guild or (await self.services.io.guild_of(place.channel) if place.channel else None)
        return guild is not None and guild == interaction.guild_id


def settings_page(settings: GuildSettings, missing: list[str], say: Say) -> Page:
    nobody = say("admin.everybody")
    lines = [
        say("admin.language", value=say(f"common.language.{settings.language}"))
        if settings.language
        else say("admin.language", value=say("profile.language.auto")),
        say("admin.threads", value=say("common.yes") if settings.threads else say("common.no")),
        say("admin.theme", value=say(f"pictures.theme.{settings.theme}")),
        say("admin.limit", value=settings.most_tables),
        say(
            "admin.clock",
            value=say("admin.no_clock")
            if settings.clock.seconds is None
            else wording.duration(settings.clock.seconds, say),
        ),
        say(
            "admin.channels",
            value=", ".join(f"<#{channel}>" for channel in settings.channels) or say("admin.everywhere"),
        ),
        say("admin.openers", value=", ".join(f"<@&{role}>" for role in settings.openers) or nobody),
        say(
            "admin.enders",
            value=", ".join(f"<@&{role}>" for role in settings.enders) or say("admin.managers"),
        ),
    ]
    if missing:
        names = ", ".join(say(f"permission.{name}") for name in missing)
        lines.append(say("admin.missing", permissions=names))
    return page(Text(say("admin.title")), Text("\n".join(lines)))


SIGNS = {Verdict.OK: "✅", Verdict.WARNING: "⚠️", Verdict.FAULT: "❌"}


def status_page(findings: Sequence[Finding], say: Say) -> Page:
    lines = [
        f"{SIGNS[finding.verdict]} **{say(f'doctor.check.{finding.check}')}**: {finding.text(say)}"
        for finding in findings
    ]
    return page(Text(say("admin.health")), Text("\n".join(lines)))


def tables_page(tables: list[Table], press: Press) -> Page:
    say = press.say
    if not tables:
        return note(say("admin.no_tables"))
    lines = []
    for table in tables[:40]:
        name = say("games.table", game=wording.game_name(table.game, say), table=table.id)
        url = wording.table_link(table)
        players = ", ".join(wording.names(table, say))
        link = f"[{name}]({url})" if url else name
        lines.append(f"- {link}: {say(f'admin.status.{table.status.value}')} · {players}")
    more = Text(say("games.more", n=len(tables) - 40)) if len(tables) > 40 else None
    return page(Text(say("admin.tables")), Text("\n".join(lines)), more)


async def setup(bot: Client) -> None:
    await bot.add_cog(Admin(bot))
