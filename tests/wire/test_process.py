"""The process itself: one per database, stopped within seconds whatever it is at, alive as the health check
sees it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from bot.health import WELL, read_beat
from tests.wire.wire_server import running_server


@pytest.mark.long
async def test_a_second_process_is_refused_and_sigterm_frees_the_first(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", people=1) as place:
        first = place.bot
        second = await place.start_bot(ready=False)
        assert await asyncio.wait_for(second.process.wait(), 30) == 2
        await place.until(lambda: "one Parlour at a time" in second.log, "the reason")
        assert await first.stop(grace=8.0) == 0
        third = await place.start_bot()
        assert third.running


@pytest.mark.long
async def test_sigterm_in_the_middle_of_a_repaint_stops_within_seconds(tmp_path: Path) -> None:
    """A call that hangs holds nothing up, and what was left unpainted is painted by the next process."""
    async with running_server(tmp_path / "data", people=2) as place:
        ann, bob = place.people
        wire_table = await place.open("5vor12", ann, bob)
        await wire_table.shown()
        held = place.world.faults.slow(60.0, "PATCH", r"/channels/\d+/messages/", times=None)
        assert await wire_table.play(ann)
        await place.until(lambda: held.hits, "the repaint under way")
        moves = wire_table.moves()
        begun = time.monotonic()
        assert await place.bot.stop(grace=15.0) == 0
        assert time.monotonic() - begun < 10.0
        assert not wire_table.painted()
        place.world.faults.clear()
        await place.start_bot()
        await wire_table.shown()
        assert wire_table.moves() == moves


@pytest.mark.long
async def test_a_click_under_way_at_sigterm_is_stored_once_or_not_at_all(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", people=2, answer_timeout=3.2) as place:
        ann, bob = place.people
        wire_table = await place.open("5vor12", ann, bob)
        page, confirm = await wire_table.ready(ann)
        held = place.world.faults.slow(1.0, "POST", "/callback$")
        tap = asyncio.create_task(ann.click(page, custom_id=confirm, stale=True))
        await place.until(lambda: held.hits, "the answer under way")
        assert await place.bot.stop(grace=15.0) == 0
        await tap
        assert len(wire_table.moves()) == 1
        await place.start_bot()
        assert (await ann.click(page, custom_id=confirm, stale=True)).acked
        assert len(wire_table.moves()) == 1


async def test_the_health_check_sees_a_running_bot(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", people=1) as place:
        left, health = await place.until(lambda: read_beat(place.folder), "the first beat")
        assert abs(time.time() - left) < 60
        assert health == WELL
