"""The computer player of Top 12 plays legally, sensibly and from its view alone."""

from __future__ import annotations

from statistics import mean

import pytest

from bot.players.top12 import choose, column_worth
from bot.rules.chance import Generator
from bot.rules.game import Event
from bot.rules.top12 import GAME, ROWS, Top12State, setup_numbers


def play(seed: str, players: int, computers: set[int]) -> Top12State:
    """A whole game; seats that are no computers move at random. Every choice is checked by `apply`."""
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


@pytest.mark.long
def test_it_beats_random_play() -> None:
    wins = 0
    for number in range(20):
        outcome = play(f"duel {number}", 2, {number % 2}).outcome()
        assert outcome is not None
        wins += outcome.winners == (number % 2,)
    assert wins >= 18


def test_alone_it_needs_fewer_rolls_than_random_play_and_fills_a_column() -> None:
    games = [play(f"solo {number}", 1, {0}) for number in range(6)]
    assert {game.reason for game in games} == {"column full"}
    random_games = [play(f"solo {number}", 1, set()) for number in range(6)]
    assert mean(game.rolls for game in games) < 40 < mean(game.rolls for game in random_games)


def test_four_computers_finish_a_game() -> None:
    assert play("four", 4, {0, 1, 2, 3}).reason == "column full"


def test_it_completes_a_column_when_it_can() -> None:
    state = GAME.start(1, {"first": "host"})
    state.apply(Event("move", "10@A1 20@B1 30@C1 40@D1 50@E1", 0))
    state.apply(Event("chance", "first 0"))
    for row in range(2, 12):
        state.apply(Event("move", f"call {row * 9}", 0))
        state.apply(Event("chance", "roll hand"))
        state.apply(Event("move", f"{row * 9}@A{row}", 0))
    assert choose(state.view(0), Generator("s", "x")) == "call 100"
    state.apply(Event("move", "call 100", 0))
    state.apply(Event("chance", "roll joker"))
    assert choose(state.view(0), Generator("s", "x")) == "100@A12"


def test_the_same_view_and_chance_give_the_same_move() -> None:
    view = GAME.start(3, {}).view(1)
    one, two = (choose(view, Generator("s", "x")) for _ in range(2))
    assert one == two
    assert setup_numbers(one) == ()
    assert len({choose(view, Generator(str(n), "x")) for n in range(10)}) > 1


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ({11: 10}, {0: 10}),  # dead or alive
        ({0: 10, 1: 90}, {0: 10, 9: 90}),  # room for the numbers between
        ({0: 10}, {0: 10, 1: 19}),  # one more number
    ],
)
def test_columns_are_judged_by_room_and_by_what_is_missing(
    worse: dict[int, int], better: dict[int, int]
) -> None:
    one, two = ([cells.get(row, 0) for row in range(ROWS)] for cells in (worse, better))
    assert column_worth(one) < column_worth(two)
