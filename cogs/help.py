"""`/help`: what there is to play, and how it goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.rules.game import Say
from cogs import custom_ids
from cogs.client import Client
from cogs.game_cog import GameCog, anywhere, local
from cogs.input.press import Press
from cogs.surfaces.components import Button, Buttons, Page, Rule, Text, page


class Help(commands.Cog):
    def __init__(self, bot: Client) -> None:
        self.bot = bot

    @anywhere
    @app_commands.command(name=local("command.help.name"), description=local("command.help"))
    async def help(self, interaction: discord.Interaction[Any]) -> None:
        async def handle(press: Press) -> None:
            games = [cog for cog in self.bot.cogs.values() if isinstance(cog, GameCog)]
            await press.show(help_page(games, press.say))

        await self.bot.router.run(interaction, handle, where="/help")


def help_page(cogs: Sequence[GameCog[Any]], say: Say) -> Page:
    lines = [
        say(
            "help.game",
            game=say(f"{cog.game_id}.name"),
            command=f"/{cog.slash} new",
            least=cog.game.min_seats,
            most=cog.game.max_seats,
            blurb=say(f"{cog.game_id}.blurb"),
        )
        for cog in cogs
    ]
    rules = tuple(
        Button(
            say("help.rules", game=say(f"{cog.game_id}.name")),
            custom_ids.button(None, 0, "rules", f"{cog.game_id}.0"),
        )
        for cog in cogs
    )
    return page(
        Text(say("help.title")),
        Text("\n".join(lines)),
        Rule(),
        Text(say("help.how")),
        Rule(),
        Text(say("help.commands")),
        Buttons(rules) if rules else None,
    )


async def setup(bot: Client) -> None:
    await bot.add_cog(Help(bot))
