"""A bench tells people lines, and with `--json` programs one object."""

from __future__ import annotations

import json

import pytest

from bot.bench import Options, main, pictures
from bot.bench.report import Figure, Report
from bot.cli import main as cli

AT_MOST = Figure("a.ratio", 2.0, "times", 2.5, reference="bare aiosqlite")


@pytest.mark.parametrize(
    ("figure", "met"),
    [
        (Figure("rate", 5.0, "moves/s"), None),
        (AT_MOST, True),
        (Figure("ratio", 2.6, "times", 2.5), False),
        (Figure("rate", 5.0, "moves/s", 4.0, least=True), True),
        (Figure("rate", 3.0, "moves/s", 4.0, least=True), False),
        (Figure("rate", float("nan"), "moves/s", 4.0, least=True), False),
    ],
)
def test_a_goal_is_met_on_its_side(figure: Figure, met: bool | None) -> None:
    assert figure.met is met


def test_figures_are_one_object_and_lines_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report("storage", as_json=True)
    report.line("for people")
    report.missing("no PostgreSQL")
    mean = Figure("c", 0.7, "share", interval=(0.65, float("inf")), count=100)
    report.add(AT_MOST, Figure("b", float("nan"), "ms"), mean)
    assert report.met
    assert report.end(1) == 1
    told = json.loads(capsys.readouterr().out)
    machine = told.pop("machine")
    assert told == {
        "name": "storage",
        "figures": [
            {
                "name": "a.ratio",
                "value": 2.0,
                "unit": "times",
                "goal": 2.5,
                "least": False,
                "reference": "bare aiosqlite",
                "met": True,
                "interval": None,
                "count": None,
            },
            {
                "name": "b",
                "value": None,
                "unit": "ms",
                "goal": None,
                "least": False,
                "reference": None,
                "met": None,
                "interval": None,
                "count": None,
            },
            {
                "name": "c",
                "value": 0.7,
                "unit": "share",
                "goal": None,
                "least": False,
                "reference": None,
                "met": None,
                "interval": [0.65, None],
                "count": 100,
            },
        ],
        "missing": ["no PostgreSQL"],
        "code": 1,
    }
    assert set(machine) == {"cores", "load", "python", "platform"}
    assert machine["cores"] >= 1


def test_people_get_lines_alone(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report("storage", as_json=False)
    report.line("for people")
    report.missing("no PostgreSQL")
    report.add(Figure("ratio", 2.6, "times", 2.5))
    assert not report.met
    assert report.end(0) == 0
    assert capsys.readouterr().out == "for people\nno PostgreSQL\n"


def test_a_bench_by_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pictures, "_reference", lambda: None)
    large = pictures.Measured("zatre", "table", (800, 800), 0.01, 60_000, 1.2)
    monkeypatch.setattr(
        pictures, "measure", lambda game, reference: ([large], []) if game == "zatre" else ([], [])
    )
    assert cli(["bench", "pictures", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["met"]) for one in told["figures"]] == [
        ("zatre.table.time", None),
        ("zatre.table.size", False),
    ]


@pytest.mark.parametrize("given", ["0", "0.001", "-1", "x", "1e3", "9999"])
def test_minutes_have_their_bounds(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli(["bench", "storage", "--minutes", given])
    assert "0.02 to 1440" in capsys.readouterr().err


def test_no_title_stands_before_an_object(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pictures, "measure", lambda game, reference: ([], []))
    monkeypatch.setattr(pictures, "_reference", lambda: None)
    assert main(["pictures", "pictures"], Options(as_json=True)) == 1
    assert [json.loads(line)["name"] for line in capsys.readouterr().out.splitlines()] == ["pictures"] * 2
