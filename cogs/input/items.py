"""The catch-all items: every button and menu of ours, whichever process made it and however long ago.

One dynamic item class per kind, since discord.py keeps one class per template. They know nothing but the
way to the router. Modals are not here: a Modal object dies with its process, so the client takes their
submits in `on_interaction` by the prefix `pm:`.
"""

from __future__ import annotations

import re
from typing import Any, Self

import discord
from discord.ui.select import BaseSelect


class AnyButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=re.compile(r"pb:.*", re.DOTALL),
):
    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        assert isinstance(item, discord.ui.Button)
        return cls(item)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.client.router.component(interaction, self.custom_id)


class AnySelect(
    discord.ui.DynamicItem[BaseSelect[Any]],
    template=re.compile(r"ps:.*", re.DOTALL),
):
    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        assert isinstance(item, BaseSelect)
        return cls(item)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.client.router.component(interaction, self.custom_id)


ITEMS = (AnyButton, AnySelect)
