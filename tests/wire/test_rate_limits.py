"""Rate limits: a long one is not waited for, and the board catches up at the next occasion."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.wire.town import town


async def test_a_minutes_wait_holds_up_nobody_and_the_board_catches_up(tmp_path: Path) -> None:
    async with town(tmp_path / "data", people=2) as place:
        ann, bob = place.people
        await place.open("5vor12", 2, setup="sorted")
        await place.world.until(lambda: painted(place) == place.revision(), 10.0, "the first board")
        fault = place.world.faults.too_many(60.0, "PATCH", r"/channels/\d+/messages/\d+$", times=1)
        loop = asyncio.get_running_loop()
        begun = loop.time()
        assert await place.play(ann) or await place.play(bob)
        assert loop.time() - begun < 10.0
        await place.world.until(lambda: fault.hits == 1, 10.0, "the refused repaint")
        assert painted(place) < place.revision()

        assert await place.play(bob) or await place.play(ann)  # whoever touches the table next
        await place.world.until(lambda: painted(place) == place.revision(), 10.0, "the board")
        assert loop.time() - begun < 30.0


def painted(place: object) -> int:
    (row,) = place.stored("select painted from tables where id = ?", place.table)  # type: ignore[attr-defined]
    return int(row[0])
