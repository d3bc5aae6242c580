"""The health check tells alive from stuck by the beat's age."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.health import BEAT, STALE_SECONDS, age, leave_beat, main


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
    assert age(tmp_path, 5.0) is None
