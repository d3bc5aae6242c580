"""The bench of the storage writes the same moves twice and compares."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.bench import Options, storage
from bot.bench.databases import bare_address, fresh_database, server
from bot.locale import sayer
from bot.storage import SqlStore
from tests.on_the_spot import quick_store


def small(monkeypatch: pytest.MonkeyPatch, *kinds: str) -> None:
    monkeypatch.setattr(storage, "MOVES", 4)
    monkeypatch.setattr(storage, "TABLES", 2)
    monkeypatch.setattr(storage, "MOST_RATIO", 1000.0)  # how fast this computer is, is not asked here
    monkeypatch.setattr("bot.bench.lag.MOST", 1e9)
    monkeypatch.setattr(storage, "REFERENCES", {kind: storage.REFERENCES[kind] for kind in kinds})


async def test_the_bare_driver_stores_what_the_store_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    small(monkeypatch, "sqlite")
    with quick_store(), server("sqlite", tmp_path) as where:
        moves = await storage.rehearsed(
            await fresh_database("sqlite", where, "rehearsed"), ["zatre", "top12"]
        )
        assert sum(move.played for move in moves) == 8
        assert all(move.statements for move in moves)
        theirs = await fresh_database("sqlite", where, "theirs")
        await (await SqlStore.open(theirs)).close()
        async with storage._sqlite(theirs) as append:
            for move in moves:
                await append(move)

    def rows(name: str) -> list[list[tuple[object, ...]]]:
        with closing(sqlite3.connect(bare_address(f"sqlite:///{tmp_path}/{name}/parlour.db"))) as connection:
            return [
                connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
                for table in ("tables", "seats", "events")
            ]

    assert rows("theirs") == rows("rehearsed")


def test_a_kind_of_database_has_its_figures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small(monkeypatch, "sqlite")
    with quick_store():
        assert storage.main(Options("fivetotwelve", as_json=True)) == 0
        told = {one["name"]: one for one in json.loads(capsys.readouterr().out)["figures"]}
        assert set(told) == {
            f"sqlite.{name}"
            for name in ("ratio", "move", "reference", "statements", "bytes", "lag", "lag.own", "lag.idle")
        }
        assert told["sqlite.ratio"]["reference"] == "bare aiosqlite"
        monkeypatch.setattr(storage, "MOST_RATIO", 0.0)
        assert storage.main(Options("fivetotwelve")) == 1
    out = capsys.readouterr().out
    assert "by bare aiosqlite in" in out
    assert "goal not met. why: " in out


@pytest.mark.long
@pytest.mark.parametrize("kind", ["postgresql", "several"])
def test_postgresql_is_measured_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    small(monkeypatch, kind)
    assert storage.main(Options("fivetotwelve")) == 0
    assert f"{sayer('en')(f'bench.database.{kind}')}: a move appended in " in capsys.readouterr().out


def test_without_postgresql_one_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small(monkeypatch, "postgresql")
    monkeypatch.setattr("bot.bench.databases.find_spec", lambda name: None)
    assert storage.main() == 0
    assert capsys.readouterr().out.startswith("PostgreSQL is not measured")
