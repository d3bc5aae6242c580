"""Kill -9 of a real process at any instant: what it acknowledged is there once, and the game goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.tables.model import Status
from tests.postgresql import locks_freed
from tests.sweeps import swept

from . import support
from .support import ADA, BEN, open_rig

ROOT = Path(__file__).resolve().parents[2]

PLAY = """
import asyncio, sys
from tests.tables.support import ADA, BEN, open_rig

async def play():
    async with open_rig(sys.argv[1], seed=sys.argv[2]) as rig:
        while True:
            found = await rig.tables.tables_of(ADA.id)
            found = [table for table in found if table.status == "playing"]  # killed in a lobby: leave that
            table = found[0] if found else await rig.started(ADA, BEN)
            while table.is_open:
                person = ADA if table.to_act[0].user == ADA.id else BEN
                table = (await rig.play(table.id, person)).table
                print(table.id, table.revision, flush=True)

asyncio.run(play())
"""


def play_and_kill(url: str, seed: str, acknowledgements: int) -> dict[str, int]:
    """Kill a process that plays after so many moves: the last revision it acknowledged, by table."""
    acknowledged: dict[str, int] = {}
    with subprocess.Popen(
        [sys.executable, "-c", PLAY, url, seed], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(acknowledgements)]
        os.kill(process.pid, signal.SIGKILL)
        lines += [line for line in process.stdout if line.endswith("\n")]  # written before it died
    assert "" not in lines, "the process died by itself"
    for line in lines:
        table, revision = line.split()
        acknowledged[table] = int(revision)
    return acknowledged


@pytest.mark.parametrize("kills", swept([2, 50]))
@pytest.mark.both
async def test_killed_at_any_instant(tmp_path: Path, kills: int) -> None:
    url = await support.address_of(tmp_path / "parlour.db")
    chance = random.Random(kills)
    acknowledged: dict[str, int] = {}
    for kill in range(kills):
        acknowledged |= play_and_kill(url, f"run {kill}", chance.randint(1, 6))
        await locks_freed(url)
    async with open_rig(url) as rig:
        for table, revision in acknowledged.items():
            entries = await rig.store.entries(table)
            assert [entry.revision for entry in entries] == list(range(1, len(entries) + 1))
            assert len(entries) >= revision
            loaded = await rig.tables.load(table)
            assert loaded.table.revision == len(entries)
            assert loaded.table.status in (Status.PLAYING, Status.ENDED)
            assert loaded.state is not None
            from bot.tables.positions import replay

            assert replay(loaded.table, loaded.events).to_json() == loaded.state.to_json()
            assert loaded.state.faults() == []
            if loaded.table.is_open:
                person = ADA if loaded.table.to_act[0].user == ADA.id else BEN
                await rig.play(table, person)
