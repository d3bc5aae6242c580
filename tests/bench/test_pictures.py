"""The bench of the pictures measures real pictures, and says so when one is too large."""

from __future__ import annotations

import pytest

from bot.bench import pictures
from bot.rules.registry import game


def test_positions_are_spread_over_a_game_and_always_the_same() -> None:
    rules = game("fivetotwelve")
    found = pictures.positions(rules, 2)
    assert len(found) == pictures.POSITIONS
    assert found == pictures.positions(rules, 2)
    assert all(public.seat is None and private.seat in private.actors for public, private in found)


def test_table_and_hand_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "ROUNDS", 1)
    monkeypatch.setattr(pictures, "POSITIONS", 1)
    calls: list[int] = []

    def reference() -> bytes:
        calls.append(1)
        return b"png"

    found, times = pictures.measure("fivetotwelve", reference)
    assert [(one.game, one.picture, one.size[0]) for one in found] == [
        ("fivetotwelve", "table", 800),
        ("fivetotwelve", "hand", 800),
    ]
    assert all(one.seconds > 0 and 0 < one.excess < 1 and one.most_bytes > 1000 for one in found)
    assert len(times) == len(calls) == 2


def test_a_picture_over_the_limit_fails_the_bench(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pictures, "_reference", lambda: None)
    large = pictures.Measured("zatre", "table", (800, 800), 0.01, 60_000, 1.2)
    monkeypatch.setattr(
        pictures, "measure", lambda game_id, reference: ([large] if game_id == "zatre" else [], [])
    )
    assert pictures.main() == 1
    assert "58.6" in capsys.readouterr().out


def test_a_slow_picture_fails_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_reference", lambda: lambda: b"png")
    for seconds, code in ((0.014, 0), (0.016, 1)):
        one = pictures.Measured("zatre", "table", (800, 800), seconds, 20_000, 0.4)
        monkeypatch.setattr(
            pictures,
            "measure",
            lambda game_id, reference, one=one: ([one], [0.1]) if game_id == "zatre" else ([], []),
        )
        assert pictures.main() == code
