"""A stop signal in the middle of everything: out within seconds, and what was answered is stored once."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.wire.wire_server import ROOT, WireTable, running_server

TABLES, SEATS = 10, 2

# Loaded by the process before anything of ours: a computer player that cannot be interrupted.
SLOW = """
import pathlib, time
import bot.players

here = pathlib.Path(__file__).parent
choose = bot.players.choose

def hang(wanted, told):
    if (here / wanted).exists():
        (here / told).touch()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            pass

def slow(*given):
    hang("think", "thinks")
    return choose(*given)

bot.players.choose = slow
"""

# The same of a picture, and of the disk.
STUCK = (
    SLOW
    + """
import rendering.fivetotwelve
from sqlalchemy.engine.default import DefaultDialect

draw = rendering.fivetotwelve.table_pictures
commit = DefaultDialect.do_commit

def slow_draw(*given):
    hang("draw", "draws")
    return draw(*given)

def slow_commit(self, connection):
    if (here / "disk").exists():
        (here / "waits").touch()
        time.sleep(60)
    commit(self, connection)

rendering.fivetotwelve.table_pictures = slow_draw
DefaultDialect.do_commit = slow_commit
"""
)


@pytest.mark.long
async def test_told_to_stop_while_nothing_ever_ends(tmp_path: Path) -> None:
    """A computer player thinks, a picture is drawn, Discord hangs and the disk does: out in time all the
    same, and what was acknowledged is stored."""
    plug = tmp_path / "plug"
    plug.mkdir()
    (plug / "sitecustomize.py").write_text(STUCK)
    env = {"PYTHONPATH": f"{plug}:{ROOT}"}
    async with running_server(tmp_path / "data", people=4, env=env, answer_timeout=3.2) as place:
        ann, bob, cem, dot = place.people
        alone = await place.open("topominos", cem, computers=1)
        drawn = await place.open("5vor12", ann, bob)
        stored = await place.open("5vor12", dot, bob)
        for wire_table in (alone, drawn, stored):
            await wire_table.shown()
        (plug / "think").touch()
        for _ in range(6):
            if (plug / "thinks").exists():
                break
            await alone.play(cem)
        await place.until((plug / "thinks").exists, "the computer player thinking")
        (plug / "draw").touch()
        assert await drawn.play(ann)
        await place.until((plug / "draws").exists, "the picture")
        page, confirm = await stored.ready(dot)
        acknowledged = {wire_table: wire_table.moves() for wire_table in (alone, drawn, stored)}
        place.world.faults.slow(60.0, "PATCH", r"/channels/\d+/messages/", times=None)
        place.world.faults.slow(60.0, "POST", "/callback$", times=None)
        (plug / "disk").touch()
        tap = asyncio.create_task(dot.click(page, custom_id=confirm, stale=True))
        await place.until((plug / "waits").exists, "the disk")
        begun = time.monotonic()
        process = place.bot.process
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 20) == 0
        assert time.monotonic() - begun < 8.0
        await tap
        place.world.faults.clear()
        for name in ("think", "draw", "disk"):
            (plug / name).unlink()
        await place.start_bot()
        for wire_table, moves in acknowledged.items():
            await wire_table.shown()
            assert wire_table.moves()[: len(moves)] == moves
        assert (await dot.click(page, custom_id=confirm, stale=True)).acked
        assert len(stored.moves()) == len(acknowledged[stored]) + 1


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_told_to_stop_with_moves_in_flight_and_a_computer_thinking(tmp_path: Path, number: int) -> None:
    plug = tmp_path / "plug"
    plug.mkdir()
    (plug / "sitecustomize.py").write_text(SLOW)
    env = {"PYTHONPATH": f"{plug}:{ROOT}"}
    async with running_server(tmp_path / "data", people=5, env=env, answer_timeout=10.0) as place:
        ann, bob, cem, *_ = place.people
        alone = await place.open("topominos", cem, computers=1)
        await alone.shown()
        sittings = [await place.open("5vor12", ann, bob) for _ in range(TABLES)]
        taps: list[tuple[WireTable, Any, Any, str]] = []
        for wire_table in sittings:
            await wire_table.shown()
            for person in (ann, bob):
                taps.append((wire_table, person, *await wire_table.ready(person)))
        (plug / "think").touch()
        for _ in range(6):
            if (plug / "thinks").exists():
                break
            await alone.play(cem)
        await place.until((plug / "thinks").exists, "the computer player thinking")
        before = {wire_table.id: len(wire_table.moves()) for wire_table in sittings}
        place.world.faults.slow(0.4, "POST", "/callback$", times=None)
        under_way = [
            asyncio.create_task(person.click(page, custom_id=confirm, stale=True))
            for _, person, page, confirm in taps
        ]

        def answered() -> int:  # a deferral, as on a busy machine, acknowledges nothing
            return sum(tap.done() and tap.result().answer_ms is not None for tap in under_way)

        await place.until(lambda: answered() >= 5, "the first answers")
        assert answered() < len(taps), "others under way"
        process = place.bot.process
        begun = time.monotonic()
        process.send_signal(number)
        await asyncio.sleep(0)
        process.send_signal(number)
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 20) == 0
        assert time.monotonic() - begun < 8.0
        answers = await asyncio.gather(*under_way)
        place.world.faults.clear()
        (plug / "think").unlink()
        acked = [tap for tap, answer in zip(taps, answers, strict=True) if answer.answer_ms is not None]
        assert len(acked) >= 5
        for wire_table in sittings:
            people = [person for tap in acked if (person := tap[1]) and tap[0] is wire_table]
            new = wire_table.moves()[before[wire_table.id] :]
            assert len(people) <= len(new) <= SEATS
            assert len({seat for seat, _ in new}) == len(new), "nobody's move twice"
        await place.start_bot()
        for tap in taps:
            if tap not in acked:
                _, person, page, confirm = tap
                assert (await person.click(page, custom_id=confirm, stale=True)).acked
        for wire_table in sittings:
            assert len(wire_table.moves()) - before[wire_table.id] == SEATS, (
                "each once, the second try included"
            )
            await wire_table.shown()
