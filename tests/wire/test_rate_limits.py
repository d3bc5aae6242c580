"""Rate limits: a long one is not waited for, and the board catches up at the next occasion."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.wire.wire_server import running_server


@pytest.mark.long
async def test_a_minutes_wait_holds_up_nobody_and_the_board_catches_up(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", people=2) as place:
        ann, bob = place.people
        wire_table = await place.open("5vor12", ann, bob, setup="sorted")
        await place.until(wire_table.painted, "the first board")
        fault = place.world.faults.too_many(60.0, "PATCH", r"/channels/\d+/messages/\d+$", times=1)
        loop = asyncio.get_running_loop()
        begun = loop.time()
        assert await wire_table.play(ann) or await wire_table.play(bob)
        assert loop.time() - begun < 10.0
        await place.until(lambda: fault.hits == 1, "the refused repaint")
        assert not wire_table.painted()

        assert await wire_table.play(bob) or await wire_table.play(ann)  # whoever touches the table next
        await place.until(wire_table.painted, "the board")
        assert loop.time() - begun < 45.0  # and not the minute
