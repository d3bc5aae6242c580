"""Makes a stored database of this version for `test_old_stores.py`, and a backup of it for `test_backup.py`:
`python -m tests.storage.make_fixture 0001`.

Run once for every schema version, before it is released; what it wrote is never written again.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from bot.rules.chance import Generator
from bot.rules.registry import GAME_IDS
from bot.storage.backup import FORMAT, make
from bot.tables.model import ClockRule, Progress, VoteKind
from bot.tables.taps import Chosen
from tests.tables.support import ADA, BEN, CLEO, PLACE, START, Rig, open_rig

FOLDER = Path(__file__).with_name("fixtures")
MARK = "backup-" + FORMAT.rpartition("/")[2]  # in a file's name
PEOPLE = (ADA, BEN, CLEO)


async def play(rig: Rig, table: str, decisions: int, chance: Generator) -> None:
    """So many decisions uniform at random, fewer when the game ends."""
    for _ in range(decisions):
        loaded = await rig.tables.load(table)
        if not loaded.table.is_open or loaded.state is None:
            return
        seat = loaded.table.to_act[0]
        [person] = [person for person in PEOPLE if person.id == seat.user]
        move = loaded.state.random_move(seat.index, chance)
        await rig.tables.move(table, person, move, loaded.table.revision)


async def fill(path: Path) -> None:
    async with open_rig(path, seed="fixture") as rig:
        for game in GAME_IDS:
            chance = Generator("fixture", game)
            for decisions in (0, 5, 25, 10_000):
                table = await rig.started(*PEOPLE, game=game, clock=ClockRule(86_400, "vote"))
                await play(rig, table.id, decisions, chance)
        await rig.tables.open(ADA, PLACE, "fivetotwelve", {"bruno": True}, computers=2)
        asked = await rig.started(*PEOPLE, agreed=True)
        await rig.tables.hinted(asked.id, ADA, asked.seats[0].since, "position")
        await rig.tables.tap(asked.id, BEN, asked.revision, lambda _: Chosen("a draft"))
        await rig.tables.vote(asked.id, CLEO, VoteKind.PAUSE)
        paused = await rig.started(*PEOPLE)
        for person in PEOPLE:
            await rig.tables.vote(paused.id, person, VoteKind.PAUSE)
        left = await rig.started(*PEOPLE, computers=1)
        await rig.tables.resign(left.id, BEN)
        await rig.tables.vote(left.id, ADA, VoteKind.OPEN_SEAT, 2)
        await rig.shown.hand_placed(left.id, ADA.id, 71, 72)
        await rig.shown.leave_over(left.id, "hand", 81, 82, user=BEN.id)
        await rig.shown.intend(left.id, "notice", PLACE.channel)
        await rig.tables.set_user(ADA.id, locale="de", notices="dm", dm_channel=71)
        await rig.tables.set_lesson(ADA.id, "top12", Progress(), Progress(3, "a draft"))
        await rig.tables.set_guild(PLACE.guild, channels=(PLACE.channel,), clock=ClockRule(600))


def backup_of(version: str) -> Path:
    """A backup of that schema, in the format of the day."""
    return FOLDER / f"{version}.{MARK}.zip"


def main(version: str) -> None:
    target = FOLDER / f"{version}.sql"
    if target.exists():
        raise SystemExit(f"{target.name} is there already and stays as it is")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parlour.db"
        asyncio.run(fill(path))
        with closing(sqlite3.connect(path)) as connection:
            FOLDER.mkdir(exist_ok=True)
            target.write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")
        make(f"sqlite+aiosqlite:///{path}", backup_of(version), START)


if __name__ == "__main__":
    main(sys.argv[1])
