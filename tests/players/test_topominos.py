"""The computer player of Topominos plays legally, sensibly and from its view alone."""

from __future__ import annotations

import time
from statistics import mean
from typing import Any

import pytest

from bot.players.topominos import choose
from bot.rules.chance import Generator
from bot.rules.game import Event
from bot.rules.topominos import CELLS, GAME, TopominosState


def play(seed: str, players: int, computers: set[int]) -> TopominosState:
    """A whole game; other seats move at random. Every choice is checked by `apply`."""
    state = GAME.start(players, {})
    count = 0
    while state.outcome() is None:
        chance = Generator(seed, f"event:{count}")
        count += 1
        if state.chance_due():
            state.apply(state.draw(chance))
            continue
        seat = state.actors()[0]
        move = choose(state.view(seat), chance) if seat in computers else state.random_move(seat, chance)
        state.apply(Event("move", move, seat))
    return state


def holding(rack: str, board: dict[str, str], bag: str = "a b e") -> TopominosState:
    """Seat 0 to move with these pieces; seat 1 holds `abcd`."""
    data: dict[str, Any] = GAME.start(2, {}).to_json()
    stacks = [board[cell].split("+") if cell in board else [] for cell in CELLS]
    data |= {"phase": "turn", "first": 0, "seat": 0, "racks": [rack.split(), ["abcd"]], "board": stacks}
    data |= {"bag": bag.split()}
    loaded = GAME.load(data)
    assert isinstance(loaded, TopominosState)
    return loaded


def choice(state: TopominosState) -> str:
    move = choose(state.view(0), MIND)
    assert move in state.legal(0)
    return move


MIND = Generator("mind", "topominos")


def test_it_beats_random_play() -> None:
    wins = 0
    for number in range(30):
        outcome = play(f"duel {number}", 2, {number % 2}).outcome()
        assert outcome is not None
        wins += outcome.winners == (number % 2,)
    assert wins >= 28


def test_alone_it_scores_far_more_than_random_play() -> None:
    games = [play(f"solo {number}", 1, {0}).points[0] for number in range(6)]
    random_games = [play(f"solo {number}", 1, set()).points[0] for number in range(6)]
    assert mean(games) > 2 * mean(random_games)


@pytest.mark.parametrize("players", [3, 4])
def test_computers_among_themselves_finish(players: int) -> None:
    for number in range(3):
        outcome = play(f"all {number}", players, set(range(players))).outcome()
        assert outcome is not None and min(outcome.scores) > 0


def test_it_completes_a_nine_when_it_can() -> None:
    assert choice(holding("a abce", {"B2": "abcd+efgh"})) == "i@B2"
    assert choice(holding("ac b", {"B2": "abch+de"})) in ("f@B2", "gi@B2")  # and the other after it


def test_it_adds_to_several_stacks_rather_than_begin_one() -> None:
    board = {"A1": "abch+d", "B1": "abde+c", "C3": "acgi+b"}
    state = holding("a b e", board, bag="")
    while state.actors() == (0,):
        state.apply(Event("move", choice(state), 0))
    assert state.last is not None
    assert {move.partition("@")[2] for move in state.last.moves} == {"A1", "B1", "C3"}
    assert state.points[0] == 18


def test_it_exchanges_large_pieces_when_nothing_fits() -> None:
    full = dict.fromkeys(CELLS, "abcd+fgh")
    assert choice(holding("abce abcg bd", full)) == "swap abce abcg"
    assert choice(holding("abce abcg bd", full, bag="")) == "pass"


def test_it_refuses_to_choose_for_others() -> None:
    state = GAME.start(2, {})
    for seat in (None, 0, 1):
        with pytest.raises(ValueError, match="turn"):
            choose(state.view(seat), MIND)


def test_the_same_view_gives_the_same_move() -> None:
    view = holding("a ab abc abce e", {"A1": "abcd", "B2": "abch+d"}).view(0)
    assert choose(view, Generator("1", "x")) == choose(view, Generator("1", "x"))


def test_the_largest_rack_on_a_crowded_board_takes_a_moment_only() -> None:
    board = dict(zip(CELLS, ["a", "b", "e", "ab", "ac", "ae", "af", "", "bd"], strict=True))
    state = holding("a abf b bh e", {cell: stack for cell, stack in board.items() if stack})
    started = time.process_time()
    choice(state)
    assert time.process_time() - started < 0.3
