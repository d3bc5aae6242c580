"""`/help`: what there is to play, and how it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs._shared import ids
from cogs._shared.game_cog import local
from cogs._shared.page import Button, Buttons, Page, Text, page
from cogs._shared.router import Press

if TYPE_CHECKING:
    from bot.client import Parlour


class Help(commands.Cog):
    def __init__(self, bot: Parlour) -> None:
        self.bot = bot

    @app_commands.command(name=local("command.help.name"), description=local("command.help"))
    async def help(self, interaction: discord.Interaction[Any]) -> None:
        async def handle(press: Press) -> None:
            await press.show(help_page(press))

        await self.bot.router.run(interaction, handle, where="/help")


def help_page(press: Press) -> Page:
    say = press.say
    cogs = press.house.games.values()
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
            ids.button(None, 0, "rules", f"{cog.game_id}.1"),
        )
        for cog in cogs
    )
    return page(
        Text(say("help.title")),
        Text("\n".join(lines)),
        Text(say("help.how")),
        Text(say("help.commands")),
        Buttons(rules) if rules else None,
    )


async def setup(bot: Parlour) -> None:
    await bot.add_cog(Help(bot))
