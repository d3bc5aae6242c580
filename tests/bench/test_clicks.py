"""The bench of the clicks plays on the wire double and judges what it saw; without the double it says so."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from bot.bench import Options, clicks
from bot.bench.clicks import goals, session
from bot.bench.clicks.figures import Beside, Flood, Loaded, Measured, Played, Slice, Unmeasured, Use
from bot.bench.report import Report
from bot.locale import LANGUAGES, sayer
from bot.tables.model import GuildSettings


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "IN_FLIGHT": 3,
        "MOVES": 2,
        "REFERENCE": 4,
        "LOAD": 0.5,
        "THINKING": 1,
        "BESIDE": 4,
    }.items():
        monkeypatch.setattr(session, name, value)


def test_without_the_double_one_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(clicks, "ROOT", tmp_path)
    assert clicks.main() == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "tests/discord/driver.py is missing" in err


def test_what_stood_in_the_way_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def measure(*_: object) -> None:
        raise Unmeasured("behind", table="ABCDEF")

    monkeypatch.setattr(clicks, "measure", measure)
    assert clicks.main() == 1
    assert "could not be measured: table ABCDEF was not painted" in capsys.readouterr().out


def played() -> Played:
    """A reference of 1 ms and 2 ms; taps at every limit."""
    one = Played("zatre")
    one.reference.add(Use(0.004), [0.002] * 4)
    one.by_kind["open"].add(Use(0.01, 0.002, Counter(SELECT=6, BEGIN=3), Counter(hand=1)), [0.012])
    one.by_kind["confirm"].add(
        Use(0.01, 0.002, Counter(SELECT=4, INSERT=2, BEGIN=3), Counter(hand=2, table=1)), [0.012]
    )
    one.boards.append(0.15)
    return one


def test_goals_are_met_up_to_their_limits() -> None:
    found = {goal.key: goal for goal in goals(played())}
    assert {key: round(goal.value, 6) for key, goal in found.items()} == {
        "processor": 10,
        "processor_confirm": 10,
        "wait": 6,
        "wait_confirm": 6,
        "statements": 6,
        "pictures": 3,
        "board": 150,
    }
    worse = played()
    worse.by_kind["confirm"].add(Use(0.03, 0, Counter(SELECT=9), Counter(hand=9)), [0.05, 0.05])
    worse.boards += [0.2, 0.2]
    assert not any(goal.met for goal in goals(worse) if goal.key != "statements")
    worse.by_kind["open"].add(Use(0.02, 0, Counter(SELECT=19)), [0.05])
    assert not any(goal.met for goal in goals(worse))


def report(
    capsys: pytest.CaptureFixture[str], one: Played, rate: int, language: str, busy: float = 0.012
) -> tuple[int, list[str]]:
    """rate: taps a second with many in flight. busy: seconds of a tap beside computer players that think,
    else a hundredth."""
    loaded = Loaded(Flood(1.0, rate, 0.5), Flood(1.0, 400, 0.5), 50, 0, 0)
    beside = Beside(Slice([0.01], [(0.002, 0.001)]), Slice([busy], [(0.003, 0.001)]), 4, 12)
    code = clicks._report(Measured([one], beside, loaded), Report("clicks", as_json=False), sayer(language))
    return code, capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("language", LANGUAGES)
def test_under_each_missed_goal_stand_the_reason_and_the_next_idea(
    capsys: pytest.CaptureFixture[str], language: str
) -> None:
    worse = played()
    for kind in ("open", "confirm"):
        worse.by_kind[kind].add(Use(0.1, 0, Counter(SELECT=50), Counter(hand=50)), [0.1, 0.1])
    worse.boards += [0.2, 0.2]
    code, lines = report(capsys, worse, 99, language, busy=0.0121)
    assert code == 1
    say = sayer(language)
    missed = [place for place, line in enumerate(lines) if line.endswith(f": {say('bench.clicks.not_met')}")]
    subjects = ["processor", "processor", "wait", "wait", "statements", "pictures", "board", "beside", "rate"]
    assert [lines[place + 1] for place in missed] == [
        say(
            "bench.clicks.missed",
            why=say(f"bench.clicks.missed.{subject}.why"),
            next=say(f"bench.clicks.missed.{subject}.next"),
        )
        for subject in subjects
    ]


def test_goals_that_are_met_need_no_reason(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = report(capsys, played(), 100, "en")
    assert code == 0
    assert sum(line.endswith(": met") for line in lines) == 9
    assert not any("why:" in line for line in lines)


def test_statements_are_told_with_begin_and_without(capsys: pytest.CaptureFixture[str]) -> None:
    _, lines = report(capsys, played(), 100, "en")
    [told] = [line for line in lines if line.startswith("  confirm: ")]
    assert "6.0 statements without BEGIN, 9.0 with it (BEGIN 3.0, INSERT 2.0, SELECT 4.0)" in told


def test_a_server_may_have_the_tables_that_are_opened_in_it() -> None:
    most = GuildSettings(1).most_tables
    assert most >= session.IN_FLIGHT
    assert most >= session.THINKING


@pytest.mark.long
def test_a_game_is_measured_and_every_goal_has_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small(monkeypatch)
    assert clicks.main(Options("fivetotwelve")) in {0, 1}
    out = capsys.readouterr().out
    verdicts = re.findall(r"goal at (?:most|least) ([0-9.]+): (?:not )?met$", out, re.MULTILINE)
    assert verdicts == ["10", "10", "6", "6", "6", "3", "150", "1.2", "100"], out
    assert re.search(r"^  open the private page: 2 taps, ", out, re.MULTILINE)
    assert re.search(
        r"^  confirm: 2 taps, .*, [1-9][0-9.]* statements without BEGIN, .* with it \(.*\), [1-9]",
        out,
        re.MULTILINE,
    )
    assert "  3 tables, of which 0 ended" in out


@pytest.mark.long
def test_one_kind_of_tap_is_profiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small(monkeypatch)
    assert clicks.main(Options("fivetotwelve", "confirm")) == 0
    out = capsys.readouterr().out
    assert "Ordered by: internal time" in out
    assert "_run_once" in out, "of the event loop's thread"
