"""After an outage with much left to do, people who tap wait for none of it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles

import pytest

from bot.tables.model import ClockRule, Person, Place
from tests.figures import Figures
from tests.tables.support import FakeClock, open_rig
from tests.wire.wire_server import control, running_server

BOARDS, COMPUTERS, CHANNELS = 150, 50, 6
SHOWN = 60  # boards that are waited for
LONGEST = 200.0  # seconds that a busy machine may take for it


@pytest.mark.long
async def test_clicks_are_answered_while_the_backlog_is_worked_off(tmp_path: Path, figures: Figures) -> None:
    """Boards that nobody has seen yet, and computer players that were to move when the process died."""
    async with running_server(tmp_path / "data", people=4) as place:
        ann, bob, cem, dot = place.people
        mine = await place.open("5vor12", ann, bob)
        await mine.shown()
        channels = [await place.world.create_channel(place.guild, f"c{number}") for number in range(CHANNELS)]
        await place.bot.stop(10.0)
        others = [Person(int(one.id), one.name) for one in (cem, dot)]
        clock = FakeClock(datetime.now(UTC))
        async with open_rig(place.folder / "parlour.db", clock, "backlog") as rig:
            await rig.tables.set_guild(int(place.guild.id), most_tables=BOARDS + COMPUTERS + 1)
            for number in range(BOARDS + COMPUTERS):
                alone = number < COMPUTERS
                where = Place(int(place.guild.id), int(channels[number % CHANNELS].id))
                opened = await rig.tables.open(
                    others[0], where, "fivetotwelve", computers=int(alone), clock=ClockRule(3600)
                )
                if not alone:
                    await rig.tables.join(opened.table.id, others[1])
                await rig.tables.start(opened.table.id, others[0])

        def left() -> tuple[int, int]:
            [row] = place.stored(
                "select sum(painted < revision), sum(machine) from tables where id <> ?", mine.id
            )
            return int(row[0]), int(row[1])

        before = left()
        assert before[0] == BOARDS + COMPUTERS
        await place.start_bot()
        times: list[float] = []
        async with asyncio.timeout(LONGEST):
            while left()[1] or left()[0] > before[0] - SHOWN:
                person = (ann, bob)[len(times) % 2]
                board = mine.board(person)
                tapped = await person.click(board, custom_id=control(board, "move"), stale=True)
                assert tapped.acked
                times.append(tapped.answer_ms)
        *_, p95 = quantiles(times, n=20)
        figures(f"{len(times)} taps: p50 {median(times):.0f} ms, p95 {p95:.0f} ms, most {max(times):.0f} ms")
        assert len(times) >= SHOWN  # one after another, each answered before the next
