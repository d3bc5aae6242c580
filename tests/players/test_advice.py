"""Hints: what the strongest player would do, and why, in words that there are in every language."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from bot.levels import Level
from bot.locale import LANGUAGES, keys
from bot.players import advise, choose, player_of
from bot.rules.chance import Generator
from bot.rules.game import AnyState, advance, play
from bot.rules.registry import GAMES, game
from bot.rules.topominos import TopominosView, draft
from tests.sweeps import swept


def walk(name: str, players: int, seed: str, most: int, **options: object) -> Iterator[AnyState]:
    """Positions of a game, each before a decision: played at random, alone as the weakest player does."""
    state, chance, count = game(name).start(players, options), Generator(seed, name), 0
    count += len(advance(state, seed, count))
    for _ in range(most):
        if not state.actors():
            return
        yield state
        seat = state.actors()[0]
        if players > 1:
            move = state.random_move(seat, chance)
        else:
            move = choose(name, state.view(seat), chance, Level.EASY)
        count += len(play(state, seed, count, seat, move))


def written(name: str) -> set[str]:
    """The keys of reasons that stand in a player's code; f-strings have the game's id at their beginning."""
    source = import_module(GAMES[name].players).__file__
    assert source is not None
    found = set()
    for path in Path(source).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and ".why." in node.value:
                found.add(name + node.value if node.value.startswith(".") else node.value)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_every_reason_there_can_be_has_a_text_in_every_language(name: str) -> None:
    for language in LANGUAGES:
        assert {key for key in keys(language) if key.startswith(f"{name}.why.")} == written(name)


@pytest.mark.parametrize("name", swept(GAMES, daily=("fivetotwelve", "top12", "zatre")))
def test_a_hint_is_what_the_strongest_would_do_and_the_same_each_time(name: str) -> None:
    for state in walk(name, max(2, game(name).min_seats), "hint", 3):
        seat = state.actors()[0]
        view = state.view(seat)
        found = advise(name, view, Generator("a", "b"))
        assert found == advise(name, view, Generator("a", "b"))
        assert choose(name, view, Generator("a", "b"), Level.HARD) in found.moves
        state.check(seat, found.moves[0])


@pytest.mark.parametrize("name", GAMES)
def test_it_is_known_where_nothing_else_can_be_played(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    player = player_of(name)
    monkeypatch.setattr(player, "budget", 0)
    met = set()
    for state in walk(name, max(2, game(name).min_seats), "only", 400):
        seat = state.actors()[0]
        only = state.lists(seat) and len(state.legal(seat)) == 1
        if only not in met:
            assert advise(name, state.view(seat), Generator("a", "b")).only == only
        met.add(only)
    assert False in met
    assert True in met or name in ("top12", "zatre"), "which hardly ever leave one move alone"


@pytest.mark.parametrize("players", swept([1, 2, 4], daily=(2,)))
def test_a_hint_of_topominos_is_the_whole_turn(players: int) -> None:
    """Each of its lays can be laid in that order, whichever of them is the candidate's."""
    player, lengths = player_of("topominos"), set()
    for state in walk("topominos", players, "turns", 40):
        view = state.view(state.actors()[0])
        assert isinstance(view, TopominosView)
        candidates = player.candidates(view)
        for candidate in (*candidates, *player.to_try(view, candidates)):
            turn = candidate.moves
            assert candidate.move in turn
            lengths.add(len(turn))
            if "@" in turn[0]:
                assert draft(view, " ".join(turn)).lays == turn
    assert max(lengths) > 1 or players == 1
