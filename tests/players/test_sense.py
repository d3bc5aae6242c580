"""Positions in which a child sees the right move, fixed before the players were tuned.

`sense/<game>.json` holds thirty a game: how a position comes about (`players`, `options`, `events` as
`bot.rules.game.played` takes them, the texts of moves and chance alone), whose move it is, and all moves that
are `right`, or those that are `wrong` (`wrong_parts`: in Top 12's set-up, which cannot be listed, whatever
holds one of these). `proof` names what proves it by the rules (`proofs.py`); `why` says it in a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.levels import Level
from bot.players import choose
from bot.rules.chance import Generator
from bot.rules.game import AnyState, played
from bot.rules.registry import GAMES, game

from . import proofs

FOLDER = Path(__file__).parent / "sense"
SEEDS = 20
VERDICTS = ("right", "wrong", "wrong_parts")


@dataclass(frozen=True, slots=True)
class Sense:
    """One position and what is said of it. verdict: one of `VERDICTS`. moves: those that it is about."""

    game: str
    name: str
    why: str
    players: int
    options: dict[str, Any]
    events: tuple[str, ...]
    seat: int
    proof: str
    verdict: str
    moves: tuple[str, ...]

    def state(self) -> AnyState:
        """The position; every event is held against the rules on the way."""
        return played(game(self.game).start(self.players, self.options), *self.events)

    def good(self, move: str) -> bool:
        """Whether nothing is to be said against a move."""
        match self.verdict:
            case "right":
                return move in self.moves
            case "wrong":
                return move not in self.moves
            case _:
                return not set(move.split(" ")) & set(self.moves)

    def decided(self, level: Level, seed: int) -> str:
        """What a computer player plays here."""
        return choose(self.game, self.state().view(self.seat), Generator(str(seed), self.name), level)

    def __str__(self) -> str:
        return f"{self.game}-{self.name}"


def _read() -> Iterator[Sense]:
    for name in GAMES:
        for entry in json.loads((FOLDER / f"{name}.json").read_text()):
            (verdict,) = [key for key in entry if key in VERDICTS]
            moves = tuple(entry.pop(verdict))
            events = tuple(entry.pop("events"))
            yield Sense(game=name, events=events, verdict=verdict, moves=moves, **entry)


ALL = tuple(_read())
FORBIDDING = [sense for sense in ALL if sense.verdict != "right"]


@pytest.mark.parametrize("name", GAMES)
def test_each_game_has_thirty_positions_with_names_and_reasons_of_their_own(name: str) -> None:
    mine = [sense for sense in ALL if sense.game == name]
    assert len(mine) == 30
    assert len({sense.name for sense in mine}) == len(mine)
    assert len({(sense.events, sense.seat, str(sense.options), sense.players) for sense in mine}) == len(mine)
    assert all(sense.why.endswith(".") and sense.why[0].isalnum() for sense in mine)
    least, most = game(name).min_seats, game(name).max_seats
    assert {sense.players for sense in mine} == set(range(least, most + 1))


@pytest.mark.parametrize("sense", ALL, ids=str)
def test_positions_are_legal_and_what_is_said_of_their_moves_is_proved_by_the_rules(sense: Sense) -> None:
    state = sense.state()
    assert state.faults() == []
    assert sense.seat in state.actors()
    prove: proofs.Proof = getattr(proofs, sense.proof)
    assert sorted(prove(state, sense.seat)) == sorted(sense.moves)
    if sense.verdict == "wrong_parts":
        return
    for move in sense.moves:
        state.check(sense.seat, move)
    legal = state.legal(sense.seat)
    assert 0 < len(sense.moves) < len(legal)  # there is something to decide


@pytest.mark.parametrize("sense", ALL, ids=str)
def test_medium_sees_what_a_child_sees(sense: Sense) -> None:
    move = sense.decided(Level.MEDIUM, 0)
    assert sense.good(move), (move, sense.why, sense.moves)


@pytest.mark.long
@pytest.mark.parametrize("sense", ALL, ids=str)
def test_hard_sees_what_a_child_sees(sense: Sense) -> None:
    move = sense.decided(Level.HARD, 0)
    assert sense.good(move), (move, sense.why, sense.moves)


@pytest.mark.long
@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("sense", FORBIDDING, ids=str)
def test_no_strength_ever_plays_what_nobody_would(sense: Sense, level: Level) -> None:
    for seed in range(SEEDS):
        move = sense.decided(level, seed)
        assert sense.good(move), (seed, move, sense.why)
