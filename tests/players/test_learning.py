"""The programs that make the learned data write what the players read, the same each time."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bot.players.fivetotwelve import learn as fivetotwelve
from bot.players.fivetotwelve import lines
from bot.players.top12 import learn as top12
from bot.players.top12 import value
from bot.players.topominos import figures as topominos_figures
from bot.players.topominos import learn as topominos
from bot.players.topspot import judge
from bot.players.topspot import learn as topspot

Program = Callable[[Sequence[str]], None]
PROGRAMS: dict[str, tuple[Program, Path, list[str]]] = {
    "fivetotwelve": (fivetotwelve.main, lines.FIGURES, ["--games", "3"]),
    "topspot": (topspot.main, judge.FIGURES, ["--games", "6"]),
    "top12": (top12.main, value.FIGURES, ["--games", "2", "--epochs", "1"]),
    "topominos": (topominos.main, topominos_figures.PATH, ["--games", "1", "--rounds", "1"]),
}
"""Each with the data that is kept, and arguments for a quick run."""


MADE_BY = {"games", "epochs", "rounds", "seed"}


def figures(data: dict[str, object]) -> object:
    """The form of what was learned."""
    return form({name: each for name, each in data.items() if name not in MADE_BY})


def form(data: object) -> object:
    """What remains of data when numbers and texts are left out."""
    match data:
        case dict():
            return {name: form(each) for name, each in data.items()}
        case list():
            return [form(each) for each in data]
        case str():
            return len(data)
    return "number"


@pytest.mark.long
@pytest.mark.parametrize("game", PROGRAMS)
def test_a_program_writes_data_of_the_form_that_is_kept(game: str, tmp_path: Path) -> None:
    program, kept, few = PROGRAMS[game]
    once, again, other = (tmp_path / name for name in ("once", "again", "other"))
    program([*few, "--seed", "5", "--to", str(once)])
    program([*few, "--seed", "5", "--to", str(again)])
    program([*few, "--seed", "6", "--to", str(other)])
    assert once.read_bytes() == again.read_bytes() != other.read_bytes()
    made = json.loads(once.read_text("ascii"))
    for name, number in zip([*few[::2], "--seed"], [*few[1::2], "5"], strict=True):
        assert made[name[2:]] == int(number), "the data tells what it was made by"
    assert figures(made) == figures(json.loads(kept.read_text("ascii")))
