from __future__ import annotations

import pytest

from bot import discord_io
from bot.rules.game import Say, View
from cogs.delivery import retries
from cogs.delivery.pictures import Pictures
from rendering.scene import Picture

# One black dot: what a picture shows is not the matter here, that it is sent is.
DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c636000000002000148afa4710000000049454e44ae426082"
)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures cost most of a game's time: a dot in their place. Next tries come later: simcord waits
    in real time for what comes within its `settle_timeout`."""
    monkeypatch.setattr(retries, "RETRIES", tuple(100 * seconds for seconds in retries.RETRIES))
    monkeypatch.setattr(discord_io, "SECONDS_PER_DM", 100 * discord_io.SECONDS_PER_DM)

    async def table_pictures(pictures: Pictures, table: object, view: View, say: Say) -> tuple[Picture, ...]:
        return (Picture("board.png", DOT, "board"),)

    async def hand_pictures(pictures: Pictures, *_: object, **__: object) -> tuple[Picture, ...]:
        return (Picture("hand.png", DOT, "hand"),)

    monkeypatch.setattr(Pictures, "of_table", table_pictures)
    monkeypatch.setattr(Pictures, "of_hand", hand_pictures)
