"""Saved games outlive code: a stored database of every schema version opens for ever, and its games go on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.rules import record
from bot.rules.game import Generator
from bot.tables.model import ClockRule, SeatKind, Status
from bot.tables.work import replay
from tests.tables.support import ADA, BEN, PLACE, house

from .make_fixture import FOLDER, PEOPLE

VERSIONS = sorted(path.stem for path in FOLDER.glob("*.sql"))


def test_the_newest_schema_has_its_stored_database() -> None:
    scripts = Path(__file__).parents[2] / "bot" / "storage" / "migrations" / "versions"
    assert sorted(path.name[:4] for path in scripts.glob("[0-9]*.py")) == VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
async def test_it_opens_and_every_table_goes_on(version: str, tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FOLDER / f"{version}.sql").read_text(encoding="utf-8"))
        every = [row[0] for row in connection.execute("SELECT id FROM tables ORDER BY created, id")]
    async with house(path, seed=version) as home:
        seen: set[tuple[str, str]] = set()
        for table_id in every:
            loaded = await home.tables.load(table_id)
            table, state = loaded.table, loaded.state
            seen.add((table.game, table.status.value))
            if table.status is Status.LOBBY:
                await home.tables.join(table_id, BEN)
                await home.tables.start(table_id, ADA)
                continue
            assert state is not None
            assert state.faults() == []
            assert replay(table, loaded.events).to_json() == state.to_json()
            for user in (ADA.id, None):
                assert len(await home.tables.history(table_id, user)) == table.revision
            if table.status is Status.PLAYING:
                seat = next(seat for seat in table.to_act if seat.kind is SeatKind.HUMAN)
                [person] = [person for person in PEOPLE if person.id == seat.user]
                move = state.random_move(seat.index, Generator(version, table_id))
                await home.tables.move(table_id, person, move, seat.since)
            elif table.status is Status.ENDED:
                assert record.verify(await home.tables.record(table_id)).ok
        assert len([game for game, status in seen if status == "playing"]) == 5
        assert len([game for game, status in seen if status == "ended"]) == 5
        assert ("fivetotwelve", "paused") in seen
        assert (await home.tables.user(ADA.id)).notices == "dm"
        assert (await home.tables.guild(PLACE.guild)).clock == ClockRule(600)
