"""A small ordinary discord.py bot for the double's own tests. It knows nothing of the double."""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import struct
import zlib
from typing import Any

import discord
from discord import app_commands, ui

options = argparse.ArgumentParser()
options.add_argument("--shard", type=int)
options.add_argument("--shards", type=int)
ARGS = options.parse_args()
HITS: dict[int, int] = {}
Click = discord.Interaction[Any]


def png(shade: int) -> bytes:
    """A grey picture of 16 by 16."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes([shade % 256] * 48)) * 16
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def said(error: discord.HTTPException) -> str:
    return f"{error.status} {error.code}"


class Ask(ui.Modal, title="Ask"):
    word: Any = ui.Label(text="Word", component=ui.TextInput(max_length=20))
    tint: Any = ui.Label(
        text="Tint", component=ui.Select(options=[discord.SelectOption(label=c) for c in ("red", "blue")])
    )

    async def on_submit(self, it: Click) -> None:
        answer = f"word={self.word.component.value} tint={self.tint.component.values[0]}"
        await it.response.send_message(answer, ephemeral=True)


class Tiles(ui.View):
    @ui.select(
        custom_id="tile",
        options=[discord.SelectOption(label=n, value=v) for n, v in (("one", "1"), ("two", "2"))],
    )
    async def pick(self, it: Click, menu: Any) -> None:
        await it.response.edit_message(content=f"took {menu.values[0]}", view=None)


class Row(ui.ActionRow[Any]):
    @ui.button(label="Hit", custom_id="hit")
    async def hit(self, it: Click, button: Any) -> None:
        assert it.message is not None
        count = HITS[it.message.id] = HITS.get(it.message.id, 0) + 1
        await it.response.edit_message(
            view=Board(count), attachments=[discord.File(io.BytesIO(png(count)), "b.png")]
        )

    @ui.button(label="Ask", custom_id="ask")
    async def ask(self, it: Click, button: Any) -> None:
        await it.response.send_modal(Ask())

    @ui.button(label="Hand", custom_id="hand")
    async def hand(self, it: Click, button: Any) -> None:
        file = discord.File(io.BytesIO(b"HAND:" + it.user.name.encode()), "hand.txt")
        await it.response.send_message(f"hand of {it.user.name}", ephemeral=True, view=Tiles(), file=file)

    @ui.button(label="Ping", custom_id="ping")
    async def ping(self, it: Click, button: Any) -> None:
        await it.response.defer()


class Board(ui.LayoutView):
    def __init__(self, count: int = 0) -> None:
        super().__init__(timeout=None)
        gallery: Any = ui.MediaGallery(
            discord.MediaGalleryItem("attachment://b.png", description=f"board {count}")
        )
        self.add_item(ui.Container(ui.TextDisplay(f"hits: {count}"), gallery, Row()))


class Bot(discord.Client):
    def __init__(self) -> None:
        sharding = {} if ARGS.shard is None else {"shard_id": ARGS.shard, "shard_count": ARGS.shards}
        super().__init__(intents=discord.Intents.default(), guild_ready_timeout=0.1, **sharding)
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self) -> None:
        self.add_view(Board())
        await self.tree.sync()

    async def on_ready(self) -> None:
        print("READY", self.shard_id, len(self.guilds), flush=True)

    async def on_message(self, message: discord.Message) -> None:
        if message.author != self.user:
            print("MESSAGE", message.id, flush=True)

    async def on_member_update(self, _: discord.Member, after: discord.Member) -> None:
        print("MEMBER", after == after.guild.me, after.is_timed_out(), flush=True)


bot = Bot()


@bot.tree.command(description="show the board")
async def board(it: Click) -> None:
    await it.response.send_message(view=Board(), file=discord.File(io.BytesIO(png(0)), "b.png"))


@bot.tree.command(description="send a direct message")
async def whisper(it: Click, user: discord.User, text: str) -> None:
    await it.response.defer(ephemeral=True)
    try:
        await user.send(text)
        await it.followup.send("sent")
    except discord.HTTPException as error:
        await it.followup.send(said(error))


@bot.tree.command(description="open a thread, archive it and edit in it")
async def room(it: Click, name: str) -> None:
    await it.response.defer()
    assert isinstance(it.channel, discord.TextChannel)
    thread = await it.channel.create_thread(name=name, type=discord.ChannelType.public_thread)
    message = await thread.send("welcome")
    await thread.edit(archived=True)
    try:
        await message.edit(content="x")
    except discord.HTTPException as error:
        await it.followup.send(f"{thread.id} {error.code}")


@bot.tree.command(description="write several messages")
async def spam(it: Click, count: int) -> None:
    await it.response.defer()
    assert isinstance(it.channel, discord.TextChannel)
    try:
        await asyncio.gather(*(it.channel.send(f"line {n}") for n in range(count)))
        await it.followup.send("done")
    except discord.HTTPException as error:
        await it.followup.send(said(error))


@bot.tree.command(description="answer late")
async def slow(it: Click, seconds: float) -> None:
    await asyncio.sleep(seconds)
    try:
        await it.response.send_message("late")
    except discord.HTTPException as error:
        print("SLOW", error.code, flush=True)


@bot.tree.command(description="answer twice")
async def twice(it: Click) -> None:
    await it.response.send_message("one")
    try:
        again: Any = discord.InteractionResponse(it)
        await again.send_message("two")
    except discord.HTTPException as error:
        await it.followup.send(f"second: {error.code}")


@bot.tree.command(description="think in public, then answer in private")
async def secret(it: Click) -> None:
    await it.response.defer(thinking=True)
    shown = await it.original_response()
    await it.delete_original_response()
    await it.followup.send(f"was {shown.flags.loading}", ephemeral=True)


@bot.tree.command(description="edit the answer once somebody writes")
async def later(it: Click) -> None:
    written = bot.wait_for("message", check=lambda message: message.author != bot.user)
    await it.response.send_message("now")
    await written
    try:
        await it.edit_original_response(content="then")
    except discord.HTTPException as error:
        print("LATER", said(error), flush=True)


@bot.tree.command(description="tell the locale")
async def where(it: Click) -> None:
    await it.response.send_message(
        f"{it.locale} {it.guild_locale} {it.filesize_limit} {it.app_permissions.value}"
    )


group = app_commands.Group(name="play", description="games")


@group.command(name="start", description="start a game")
async def play_start(
    it: Click,
    game: str,
    rounds: app_commands.Range[int, 1, 9] = 3,
    picture: discord.Attachment | None = None,
) -> None:
    got = "" if picture is None else (await picture.read()).decode()
    await it.response.send_message(f"{game} {rounds} {got}".strip())


@play_start.autocomplete("game")
async def games(it: Click, current: str) -> list[app_commands.Choice[str]]:
    names = ("zatre", "topspot", "top12")
    return [app_commands.Choice(name=name, value=name) for name in names if name.startswith(current)]


bot.tree.add_command(group)
if __name__ == "__main__":
    bot.run(os.environ["DISCORD_TOKEN"])
