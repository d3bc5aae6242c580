"""The health check tells alive from stuck, cut off, ill and behind by the beat that the bot leaves."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from bot.health import BEAT, STALE_SECONDS, Health, leave_beat, main, read_beat
from bot.locale import LANGUAGES, sayer


def test_no_beat_is_not_alive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(tmp_path, lambda: 1000.0) == 1
    assert "no beat" in capsys.readouterr().out


def test_a_fresh_beat_is_alive_and_an_old_one_is_stuck(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leave_beat(tmp_path, 1000.0)
    assert main(tmp_path, lambda: 1000.0 + STALE_SECONDS) == 0
    assert main(tmp_path, lambda: 1001.0 + STALE_SECONDS) == 1
    assert "Stuck" in capsys.readouterr().out


def test_a_damaged_beat_is_no_beat(tmp_path: Path) -> None:
    (tmp_path / BEAT).write_text("yesterday", "ascii")
    assert read_beat(tmp_path) is None


@pytest.mark.parametrize(
    ("health", "code", "says"),
    [
        (Health(offline=STALE_SECONDS - 1), 0, "Alive"),  # an interruption
        (Health(offline=STALE_SECONDS + 1), 1, "Cut off"),
        (Health(dead=("clock", "sweep")), 1, "clock, sweep"),
        (Health(late={"unpainted": 7200.0}), 1, "a table has not been shown as it is for 120 minutes"),
        (Health(late={"owed": 7200.0}), 1, "somebody has been owed a notice for 120 minutes"),
        (Health(late={"backup": 360_000.0}), 1, "the newest backup is 6000 minutes old"),
        (Health(late={"backup": None}), 1, "there is no backup"),
    ],
)
def test_what_ails_is_read_as_it_was_left(
    health: Health, code: int, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leave_beat(tmp_path, 1000.0, health)
    assert read_beat(tmp_path) == (1000.0, health)
    assert main(tmp_path, lambda: 1010.0) == code
    told = capsys.readouterr().out
    assert says in told
    assert "10 s ago" in told


def test_a_bot_that_ended_in_order_is_told_as_that_at_once_and_for_ever(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leave_beat(tmp_path, 1000.0, Health(dead=("clock",), ended=True))
    for seconds in (1, 1000):
        assert main(tmp_path, lambda: 1000.0 + seconds) == 1  # noqa: B023
        assert capsys.readouterr().out == f"Stopped: the bot ended {seconds} s ago.\n"
    assert read_beat(tmp_path) == (1000.0, Health(dead=("clock",), ended=True))


def test_everything_that_may_be_late_has_its_text() -> None:
    for language in LANGUAGES:
        for name in ("unpainted", "owed", "backup"):
            assert "7" in sayer(language)(f"health.{name}", seconds=1, minutes=7)


def test_a_full_disk_does_not_stop_the_beat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other file can be made then; the bot is not stuck for that."""

    def full(path: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("bot.private_files.write", full)
        with pytest.raises(OSError, match="No space"):
            leave_beat(tmp_path, 1000.0)
    leave_beat(tmp_path, 1000.0, Health(dead=("clock", "paint"), late={"owed": 4000.0}))
    length = (tmp_path / BEAT).stat().st_size
    with monkeypatch.context() as patch:
        patch.setattr("bot.private_files.write", full)
        leave_beat(tmp_path, 1100.0, Health(dead=("paint",)))
    assert read_beat(tmp_path) == (1100.0, Health(dead=("paint",)))
    assert (tmp_path / BEAT).stat().st_size == length
