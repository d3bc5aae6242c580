"""The programs that make the learned data print what the players read, the same each time."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import pytest

FEW = {
    "fivetotwelve": ["--games", "3"],
    "topominos": ["--games", "1", "--rounds", "2"],
    "topspot": ["--games", "6"],
    "top12": ["--games", "2", "--epochs", "1"],
}
"""Arguments for a quick run."""


def form(data: object) -> object:
    """What remains of data when numbers and the letters of texts are left out."""
    match data:
        case dict():
            return {name: form(each) for name, each in data.items()}
        case list():
            return [form(each) for each in data]
        case str():
            return len(data)
    return "number"


@pytest.mark.long
@pytest.mark.parametrize("game", FEW)
def test_learning_prints_data_of_the_form_that_is_kept(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    program = import_module(f"bot.players.{game}.learn")
    main: Callable[[Sequence[str]], None] = program.main
    printed = []
    for seed in ("one", "one", "other"):
        main([*FEW[game], "--seed", seed])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != printed[2]
    kept = Path(program.__file__ or "").with_name("figures.json").read_text(encoding="ascii")
    assert form(json.loads(printed[0])) == form(json.loads(kept))
