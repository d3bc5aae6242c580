"""A running bot's database is backed up while people play, and goes on in another kind of database: the
commands a host types, the bot as a process, and the buttons that people have before them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.postgresql import fresh_database
from tests.wire.stored import stored_at
from tests.wire.wire_server import WireServer, WireTable, in_place, running_server


async def parlour(place: WireServer, *command: str) -> str:
    """What a command says, carried out beside the bot or without it."""
    environment = {**os.environ, "DATA_DIR": str(place.folder), **place.env}
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-m", "bot", *command],
        cwd=place.folder, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def now_on(place: WireServer, url: str) -> None:
    """From its next start the bot uses the database of that address."""
    place.close()
    place.database, place.env["DATABASE_URL"] = url, url
    place._stored = stored_at(url)


async def tables_of_each_kind(place: WireServer) -> list[WireTable]:
    ann, bob, cem, dot = place.people
    return [
        await place.open("5vor12", ann, bob, setup="sorted"),
        await place.open("topominos", cem, dot),
    ]


def boards(tables: list[WireTable]) -> list[Any]:
    return [table.board(table.people[0]) for table in tables]


async def one_plays(table: WireTable, board: Any = None) -> bool:
    """Whose turn it is plays. board: from which, where it still is: it may go at any time."""
    for person in table.people:
        still = board is not None and board.id in table.server.world.state.messages
        if await table.play(person, board if still else None):
            return True
    return False


async def go_on(tables: list[WireTable], shown: list[Any]) -> None:
    """Somebody plays from the board that was there before, and the game goes on."""
    for table, board in zip(tables, shown, strict=True):
        before = table.moves()
        assert await one_plays(table, board)
        assert table.moves()[: len(before)] == before
        await table.shown()
        assert await one_plays(table)


@pytest.mark.long
async def test_a_database_moves_there_and_back_and_old_buttons_go_on(tmp_path: Path, postgresql: str) -> None:
    url = await fresh_database(postgresql, "wiremoved")
    async with running_server(tmp_path / "data", people=4) as place:
        tables = await tables_of_each_kind(place)
        home = place.database
        for source, target in ((home, url), (url, f"{home}.back")):
            for table in tables:
                await table.shown()
            shown, moves = boards(tables), [table.moves() for table in tables]
            await place.bot.stop(10.0)
            assert "Moved" in await parlour(place, "migrate", "--from", source, "--to", target)
            now_on(place, target)
            await place.start_bot()
            assert [table.moves() for table in tables] == moves
            await go_on(tables, shown)


@pytest.mark.long
async def test_a_backup_made_while_people_play_goes_on_in_another_kind_of_database(
    tmp_path: Path, postgresql: str
) -> None:
    """The boards show moves that came after the backup. They are gone, and everybody goes on before them. One
    board was sent after it: the bot does not know of it, looks for it, and it goes."""
    url = await fresh_database(postgresql, "wirerestored")
    backup = tmp_path / "backup.zip"
    async with running_server(tmp_path / "data", people=4) as place:
        tables = await tables_of_each_kind(place)
        over = asyncio.Event()
        playing = asyncio.gather(*(table.play_until(over) for table in tables))
        await place.until(lambda: all(len(table.moves()) > 2 for table in tables), "some moves")
        assert "Written" in await parlour(place, "backup", str(backup))
        then = [len(table.moves()) for table in tables]
        await place.until(
            lambda: all(len(table.moves()) > count for table, count in zip(tables, then, strict=True)),
            "more moves",
        )
        over.set()
        acknowledged = await playing
        first, reader = tables[0], tables[0].people[0]
        known = first.board(reader)
        await reader.delete(known)
        await place.until(
            lambda: (now := first.board(reader)) is not None and now.id != known.id, "a board sent afresh"
        )
        await place.kill_bot()
        moves = [table.moves() for table in tables]
        for stored, known in zip(moves, acknowledged, strict=True):
            assert stored[: len(known)] == known
        shown = boards(tables)
        now_on(place, url)
        assert "Restored" in await parlour(place, "restore", str(backup))
        await place.start_bot()
        for table, all_moves in zip(tables, moves, strict=True):
            restored = table.moves()
            assert 0 < len(restored) < len(all_moves)
            assert all_moves[: len(restored)] == restored
            await table.shown()
            await place.until(lambda table=table: in_place(table) == [], "one live board")
        await go_on(tables, shown)
