"""The bench of the load copies tables by the thousand, has people play on them, and counts what is stored."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from bot.bench import Options, load
from bot.bench.clicks.figures import Unmeasured
from bot.bench.load import session
from bot.bench.load.restored import Ran, Restored
from bot.bench.load.session import Backup, Measured
from bot.bench.report import Report
from bot.locale import LANGUAGES, sayer


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"SERVERS": 4, "TABLES": 12, "ORIGINALS": 2, "BEFORE": 1, "HANDS": 3, "THINK": 0.01, "MENU": 0.5}
    for name, value in sizes.items():
        monkeypatch.setattr(session, name, value)
    monkeypatch.setattr("bot.bench.lag.MOST", 1e9)  # how fast this computer is, is not asked here


def measured() -> Measured:
    """Two people's moves, all of them stored, in ten minutes."""
    return Measured(
        seconds=600.0,
        acknowledged=[0.1] * 10,
        kinds=Counter(open=5, confirm=5),
        moves=Counter({("A", 1): 3, ("B", 2): 2}),
        stored=Counter({("A", 1): 3, ("B", 2): 2}),
        calls=Counter({("PATCH", "/channels/{channel}/messages/{message}"): 5}),
        statuses=Counter({200: 15}),
        lags=[(0.001, 0.0)],
        idle=[(0.001, 0.0)],
        memory=[200_000_000],
        beside=[300_000_000],
    )


def told(one: Measured, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    report = Report("load", as_json=True)
    load.tell(one, Options(), report, sayer("en"))
    report.end(0)
    figures = json.loads(capsys.readouterr().out)["figures"]
    return {figure["name"]: figure["met"] for figure in figures if figure["goal"] is not None}


def test_nothing_lost_meets_every_goal(capsys: pytest.CaptureFixture[str]) -> None:
    names = {"lost", "doubled", "gaps", "late", "troubles", "invalid", "lag"}
    assert told(measured(), capsys) == dict.fromkeys(names, True)


def test_each_thing_that_went_wrong_misses_its_goal(capsys: pytest.CaptureFixture[str]) -> None:
    one = measured()
    one.moves["A", 1] += 1  # acknowledged, and not there
    one.stored["B", 2] += 1
    one.gaps = 1
    one.acknowledged.append(3.1)
    one.troubles.append("table A: it hangs")
    one.statuses[429] = 101
    one.lags = [(0.02, 0.0)]
    one.backup = Backup(Ran(1.0, 2, "no room"), 0)
    assert (one.lost, one.doubled, one.invalid) == (1, 1, 101)
    names = {"lost", "doubled", "gaps", "late", "troubles", "invalid", "lag", "backup.failed"}
    assert told(one, capsys) == dict.fromkeys(names, False)


def test_invalid_requests_of_a_short_time_are_counted_on_ten_minutes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    one = measured()
    one.statuses[403] = 50
    assert told(one, capsys)["invalid"]
    one.seconds = 60.0
    assert not told(one, capsys)["invalid"]


def restored() -> Restored:
    """Two old buttons were pressed, and a move was made from each."""
    return Restored(
        kind="postgresql",
        ran=Ran(2.0, 0, ""),
        buttons=3,
        pressed=2,
        led_on=2,
        moves=Counter({("A", 1): 1, ("B", 2): 1}),
        stored=Counter({("A", 1): 1, ("B", 2): 1}),
        tables=9,
        whole=9,
    )


AFTERWARDS = ("pressed", "led_on", "unanswered", "moves", "lost", "doubled", "whole", "troubles")


def told_of(again: Restored, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """The verdicts on what came after the backup."""
    one = measured()
    one.backup, one.restored = Backup(Ran(1.0, 0, ""), 5), again
    verdicts = told(one, capsys)
    return {name: met for name, met in verdicts.items() if name.startswith("restore")}


def test_who_plays_on_from_a_backup_by_old_buttons_meets_every_goal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = {"restore.failed", *(f"restored.{name}" for name in AFTERWARDS)}
    assert told_of(restored(), capsys) == dict.fromkeys(names, True)


def test_each_thing_that_went_wrong_after_the_backup_misses_its_goal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    again = restored()
    again.led_on = 1  # a button was dead
    again.unanswered = 1
    again.moves["A", 1] += 1
    again.stored["B", 2] += 1
    again.whole = 8
    again.troubles.append("a process of the bot ended with 1")
    missed = {name for name, met in told_of(again, capsys).items() if not met}
    names = ("led_on", "unanswered", "lost", "doubled", "whole", "troubles")
    assert missed == {f"restored.{name}" for name in names}


def test_where_nobody_could_press_anything_no_goal_is_met_by_that(
    capsys: pytest.CaptureFixture[str],
) -> None:
    verdicts = told_of(Restored(kind="sqlite", tables=9, whole=9), capsys)
    assert not verdicts["restored.pressed"]
    assert not verdicts["restored.moves"]


def test_a_backup_that_is_not_taken_back_misses_its_goal(capsys: pytest.CaptureFixture[str]) -> None:
    failed = Restored(kind="sqlite", ran=Ran(1.0, 1, "damaged"))
    assert told_of(failed, capsys) == {"restore.failed": False}


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_are_told_in_every_language(capsys: pytest.CaptureFixture[str], language: str) -> None:
    one = measured()
    one.backup = Backup(Ran(1.0, 2, "no room"), 0)
    one.restored = restored()
    one.restored.troubles.append("ABCDEF: Unmeasured")
    load.tell(one, Options(), Report("load", as_json=False), sayer(language))
    out = capsys.readouterr().out
    assert "no room" in out
    assert "ABCDEF: Unmeasured" in out
    assert "      5 PATCH /channels/{channel}/messages/{message}" in out


def test_without_the_double_one_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(load, "ROOT", tmp_path)
    assert load.main() == 2
    assert "tests/discord/driver.py is missing" in capsys.readouterr().err


def test_what_stood_in_the_way_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def measure(*_: object) -> Measured:
        raise Unmeasured("silent")

    monkeypatch.setattr(load, "measure", measure)
    assert load.main() == 1
    assert capsys.readouterr().out.startswith("The load could not be measured: ")


@pytest.mark.long
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_people_play_and_nothing_is_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], database: str
) -> None:
    small(monkeypatch)
    monkeypatch.setattr("bot.bench.load.restored.SECONDS", 3.0)
    options = Options(minutes=0.1, database=database, backup_during=True, as_json=True)
    load.main(options)
    told = json.loads(capsys.readouterr().out)
    figures = {one["name"]: one for one in told["figures"]}
    assert figures, told["missing"]
    for name in ("lost", "doubled", "gaps", "troubles", "backup.failed"):
        assert figures[name]["value"] == 0.0, (name, told)
    assert figures["taps"]["value"] > 0
    assert figures["moves"]["value"] > 0
    assert figures["backup.size"]["value"] > 0
    for name in ("restore.failed", *(f"restored.{name}" for name in AFTERWARDS)):
        assert figures[name]["met"], (name, told)
    assert {"memory.0", "memory.1"} & set(figures) == (
        {"memory.0"} if database == "sqlite" else {"memory.0", "memory.1"}
    )
