"""Saved games outlive code: a stored database of every schema version opens for ever, and its games go on."""

from __future__ import annotations

import dataclasses
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.rules import record
from bot.rules.chance import Generator
from bot.rules.registry import GAME_IDS, game
from bot.tables.model import ClockRule, Progress, SeatKind, Status
from bot.tables.positions import replay
from tests.sweeps import swept
from tests.tables.support import ADA, BEN, PLACE, open_rig

from .make_fixture import FOLDER, PEOPLE

HINTS = "0006"  # since then hints are stored
VERSIONS = sorted(path.stem for path in FOLDER.glob("*.sql"))


def test_the_newest_schema_has_its_stored_database() -> None:
    scripts = Path(__file__).parents[2] / "bot" / "storage" / "migrations" / "versions"
    assert sorted(path.name[:4] for path in scripts.glob("[0-9]*.py")) == VERSIONS


@pytest.mark.parametrize("version", swept(VERSIONS, daily=(VERSIONS[0], VERSIONS[-1])))
async def test_it_opens_and_every_table_goes_on(version: str, tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FOLDER / f"{version}.sql").read_text(encoding="utf-8"))
        every = [row[0] for row in connection.execute("SELECT id FROM tables ORDER BY created, id")]
    async with open_rig(path, seed=version) as rig:
        seen: set[tuple[str, str]] = set()
        for table_id in every:
            loaded = await rig.tables.load(table_id)
            table, state = loaded.table, loaded.state
            seen.add((table.game, table.status.value))
            if table.status is Status.LOBBY:
                await rig.tables.join(table_id, BEN)
                await rig.tables.start(table_id, ADA)
                continue
            assert state is not None
            assert state.faults() == []
            assert replay(table, loaded.events).to_json() == state.to_json()
            for user in (ADA.id, None):
                assert len(await rig.tables.history(table_id, user)) == table.revision
            if table.status is Status.PLAYING:
                seat = next(seat for seat in table.to_act if seat.kind is SeatKind.HUMAN)
                [person] = [person for person in PEOPLE if person.id == seat.user]
                move = state.random_move(seat.index, Generator(version, table_id))
                await rig.tables.move(table_id, person, move, seat.since)
            elif table.status is Status.ENDED:
                assert record.verify(await rig.tables.record(table_id)).ok
        assert len([game for game, status in seen if status == "playing"]) == 5
        assert len([game for game, status in seen if status == "ended"]) == 5
        assert ("fivetotwelve", "paused") in seen
        assert [game for game in GAME_IDS if not await rig.tables.has_finished(ADA.id, game)] == []
        assert not await rig.tables.has_finished(1, "zatre")
        had = [seat.hints for table_id in every for seat in (await rig.tables.table(table_id)).seats]
        assert sum(had) == (version >= HINTS)
        assert (await rig.tables.user(ADA.id)).notices == "dm"
        assert (await rig.tables.guild(PLACE.guild)).clock == ClockRule(600)
        learnt = Progress(3, "a draft") if version >= "0007" else None
        assert await rig.tables.lesson(ADA.id, "top12") == learnt


BEFORE_ROUNDS_WERE_FINISHED = "4PDY4W"
"""A running Topominos table of the schema's first version, by the rules' first version."""


@pytest.fixture
def first_schema(tmp_path: Path) -> Path:
    path = tmp_path / "parlour.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FOLDER / "0001.sql").read_text(encoding="utf-8"))
    return path


async def test_a_hand_that_was_still_to_be_taken_back_has_to_go(first_schema: Path) -> None:
    """It lay on the seat of who had left; whose messages those are is not known."""
    with closing(sqlite3.connect(first_schema)) as connection, connection:
        [(table, seat)] = connection.execute(
            "SELECT table_id, seat FROM seats WHERE kind = 'open' LIMIT 1"
        ).fetchall()
        connection.execute(
            "UPDATE seats SET hand_channel = 7, hand_message = 8 WHERE table_id = ? AND seat = ?",
            (table, seat),
        )
    async with open_rig(first_schema) as rig:
        [post] = await rig.shown.posts(table)
        assert (post.kind, post.user, post.channel, post.message) == ("hand", 0, 7, 8)
        assert await rig.shown.unsettled() == [table]
        assert (await rig.tables.table(table)).seats[seat].hand_message is None


async def test_what_is_not_settled_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FOLDER / "0002.sql").read_text(encoding="utf-8"))
    async with open_rig(path) as rig:
        [table] = await rig.shown.unsettled()
        posts = await rig.shown.posts(table)
        assert sorted((post.kind, post.user, post.message) for post in posts) == [
            ("hand", BEN.id, 82),
            ("notice", 0, None),
        ]
        seat = (await rig.tables.table(table)).seat_of(ADA.id)
        assert seat is not None
        assert (seat.hand_channel, seat.hand_message) == (71, 72)
        assert (await rig.tables.user(ADA.id)).dm_channel == 71


@pytest.mark.parametrize("cached", [True, False], ids=["from its cache", "from its events"])
async def test_a_table_begun_under_older_rules_goes_on_and_ends_by_them(
    first_schema: Path, cached: bool
) -> None:
    """These moves leave nothing to lay in mid-round while the bag holds pieces: the old rules end there."""
    if not cached:
        with closing(sqlite3.connect(first_schema)) as connection:
            connection.execute("UPDATE tables SET state = NULL")
            connection.commit()
    chance = Generator("old rules", "50")
    async with open_rig(first_schema) as rig:
        table = await rig.tables.table(BEFORE_ROUNDS_WERE_FINISHED)
        assert (table.game, table.rules_version) == ("topominos", 1)
        while table.is_open:
            loaded = await rig.tables.load(table.id)
            assert loaded.state is not None
            [seat] = loaded.table.to_act
            [person] = [person for person in PEOPLE if person.id == seat.user]
            move = loaded.state.random_move(seat.index, chance)
            table = (await rig.tables.move(table.id, person, move, seat.since)).table
        assert table.outcome is not None
        assert table.outcome.reason == "nobody can lay"
        text = await rig.tables.record(table.id)
        found = record.read(text)
        assert (found.version, found.outcome) == (1, table.outcome)
        under_todays = record.replay(dataclasses.replace(found, version=None))
        assert under_todays.outcome() is None, "the seats left could still exchange"
        again = (await rig.tables.rematch(table.id, ADA)).table
        assert again.rules_version == game("topominos").version == 2


async def test_a_lobby_opened_before_an_update_begins_under_the_rules_of_the_day(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        lobby = (await rig.tables.open(ADA, PLACE, "topominos")).table
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE tables SET rules_version = 1")
        connection.commit()
    async with open_rig(path) as rig:
        await rig.tables.join(lobby.id, BEN)
        started = await rig.tables.start(lobby.id, ADA)
        assert started.state is not None
        assert started.table.rules_version == started.state.game.version == 2
