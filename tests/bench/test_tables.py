"""The bench of the tables fills two databases with the same positions, and has two processes play on them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.bench import Options, lag, tables
from bot.bench.filling import Copy, fill, ids, stored
from bot.bench.games import Games
from bot.bench.report import Report
from bot.bench.tables.process import Server, resident
from bot.locale import sayer
from bot.storage import SqlStore
from bot.tables.model import TABLE_ID
from tests.on_the_spot import quick_store
from tests.tables.support import all_owed, open_rig


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FEW": 2, "MANY": 7, "BEFORE": 1, "STAGES": 2, "STARTS": 2, "ROUNDS": 2}.items():
        monkeypatch.setattr(tables, name, value)


def address(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path}"


def test_names_are_none_twice_and_the_same_in_every_run() -> None:
    names, again = ids("some"), ids("some")
    found = [next(names) for _ in range(5_000)]
    assert found == [next(again) for _ in range(5_000)]
    assert len(set(found)) == 5_000
    assert all(TABLE_ID.fullmatch(name) for name in found)


async def test_a_copy_is_a_table_of_its_own_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    with quick_store():
        store = await SqlStore.open(address(path))
        games = Games(store, "copies")
        table = (await games.begun("zatre", 3)).id
        await games.play(table)
        before = await games.tables.table(table)
        await store.close()
        people = {seat.user: (70 + seat.index, f"Zoe {seat.index}") for seat in before.seats if seat.user}
        place = {"guild": 5, "channel": 6}
        await fill(address(path), [Copy(await stored(address(path), table), "AAAAAA", place, people)])
        async with open_rig(path) as rig:  # which finds nothing that does not fit
            copy = await rig.tables.table("AAAAAA")
            assert not copy.damaged
            assert (copy.place.guild, copy.place.channel, copy.host) == (5, 6, 70)
            assert [(seat.user, seat.name) for seat in copy.seats] == [
                (70, "Zoe 0"),
                (71, "Zoe 1"),
                (72, "Zoe 2"),
            ]
            assert (copy.painted, copy.owed) == (copy.revision, ())
            games = Games(rig.store, "on")
            assert await games.play("AAAAAA") is not None
            assert (await rig.tables.table(table)).revision == before.revision


async def test_both_databases_have_the_same_positions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    small(monkeypatch)
    with quick_store():
        await tables.prepare(tmp_path)
        for name, count in (("few", 2), ("many", 7)):
            path = tmp_path / name / "parlour.db"
            with closing(sqlite3.connect(path)) as connection:
                every = [row[0] for row in connection.execute("SELECT id FROM tables")]
            assert len(every) == count
            async with open_rig(path) as rig:
                for table in every:
                    loaded = await rig.tables.load(table)
                    assert not loaded.table.damaged
                    assert loaded.state is not None
                    assert loaded.state.faults() == []
                assert await all_owed(rig.shown) == []


async def test_a_process_starts_as_the_bot_does_and_plays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    small(monkeypatch)
    with quick_store():
        await tables.prepare(tmp_path)
        server = Server(address(tmp_path / "many" / "parlour.db"))
        for _ in range(2):
            told = await server.start()
            assert (len(told["starts"]), told["moves"]) == (1, [])
        told = await server.look(5)
        assert (len(told["looks"]), told["moves"], told["starts"]) == (5, [], [])
        for _ in range(5):
            told = await server.move()
            assert (told["looks"], len(told["moves"])) == ([], 1)
        assert told["memory"] > 0
        await server.close()


@pytest.mark.long
def test_every_figure_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    small(monkeypatch)
    assert tables.main(Options(as_json=True)) in {0, 1}
    told = {one["name"]: one for one in json.loads(capsys.readouterr().out)["figures"]}
    goals = {name: one["goal"] for name, one in told.items() if one["goal"] is not None}
    assert goals == {"move": 1.1, "start": 1.2, "memory": 10.0, "lag": 10.0}
    assert {"look", "2.move", "7.move", "2.memory", "7.start", "lag.idle"} <= set(told)
    assert told["move"]["reference"] == "2 open tables"


def test_what_is_late_is_the_99th_of_a_hundred() -> None:
    assert lag.late([float(one) for one in range(100)]) == 99.0
    assert lag.late([1.0] * 199 + [9.0]) == 1.0
    assert lag.late([1.0, 2.0, 3.0], 0.5) == 2.0
    assert lag.late([]) != lag.late([])  # nothing known


async def test_a_loop_is_listened_to_in_a_process_of_its_own_too() -> None:
    async with lag.idle() as idle:
        assert idle == []
    assert all(late >= 0.0 and used >= 0.0 for late, used in idle)


def test_what_a_loop_does_itself_is_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report("lag", as_json=True)
    held, waited, punctual = (0.3, 0.25), (0.2, 0.001), (0.0, 0.004)
    lag.tell([held, waited] + [punctual] * 8, [(0.05, 0.0)], report, sayer("en"))
    assert report.end(0) == 0
    told = {one["name"]: one["value"] for one in json.loads(capsys.readouterr().out)["figures"]}
    assert told == {"lag": 300.0, "lag.own": 250.0, "lag.idle": 50.0}


def test_memory_is_known() -> None:
    assert resident() > 1_000_000
