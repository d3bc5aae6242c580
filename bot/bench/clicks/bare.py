"""The reference: a bare discord.py bot whose one button edits its message and attaches 30 KB anew.

`python -m bot.bench.clicks.bare`, started by the bench.
"""

from __future__ import annotations

import os
from io import BytesIO
from random import Random
from typing import Any

import discord
from discord import app_commands, ui

from .probe import Probe

PICTURE = Random("bench clicks").randbytes(30 * 1024)


def _file() -> discord.File:
    return discord.File(BytesIO(PICTURE), "board.png")


class Board(ui.View):
    def __init__(self) -> None:
        super().__init__(timeout=None)

    @ui.button(label="+", custom_id="tap")
    async def tap(self, interaction: discord.Interaction[Any], _: ui.Button[Board]) -> None:
        await interaction.response.edit_message(content=str(interaction.id), attachments=[_file()])


class Bare(discord.Client):
    def __init__(self) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = True
        super().__init__(intents=intents, max_messages=None)
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self) -> None:
        self.add_view(Board())

        @self.tree.command(description="0")
        async def board(interaction: discord.Interaction[Any]) -> None:
            await interaction.response.send_message("0", view=Board(), file=_file())

        await self.tree.sync()


if __name__ == "__main__":
    Probe().start()
    Bare().run(os.environ["DISCORD_TOKEN"], log_handler=None)
