"""The computer player of 5 vor 12: legal, quick to see a win, far better than chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bot.players import choose
from bot.players.fivetotwelve import needs
from bot.rules.chance import Generator
from bot.rules.fivetotwelve import CELLS, DIAGONAL, GAME, INDEX, FiveState
from bot.rules.game import Event, OptionValue


def played(seed: str, computers: set[int], players: int, options: Mapping[str, OptionValue]) -> FiveState:
    """One game; the seats not in `computers` move at random. Every move is held against the list."""
    state = GAME.start(players, options)
    moves = Generator(seed, "moves")
    count = 0
    while state.outcome() is None:
        if state.chance_due():
            event = state.draw(Generator(seed, f"event:{count}"))
        else:
            seat = moves.choice(state.actors())
            view = state.view(seat)
            move = (
                choose("fivetotwelve", view, Generator(seed, f"player:{count}"))
                if seat in computers
                else state.random_move(seat, moves)
            )
            assert move in GAME.legal(view)
            event = Event("move", move, seat)
        state.apply(event)
        count += 1
    return state


def set_up(boards: list[dict[str, int]], middle: tuple[int, ...] = (), hand: int = 0) -> FiveState:
    """Seat 0's turn on boards given by cell; what is not there is face down."""
    state = GAME.start(len(boards), {})
    state.apply(Event("chance", "first 0"))
    data: dict[str, Any] = state.to_json()
    stock = [0] + [len(boards)] * 20
    rows = []
    for board in boards:
        row = [board.get(name, 0) for name in CELLS]
        rows.append(row)
        for tile in row:
            stock[tile] -= bool(tile)
    counts = [0] * 21
    for tile in middle:
        counts[tile] += 1
        stock[tile] -= 1
    if hand:
        stock[hand] -= 1
    data |= {
        "phase": "hand" if hand else "turn",
        "boards": rows,
        "stock": stock,
        "middle": counts,
        "hand": hand,
        "turn": 0,
        "wave_number": 4,
    }
    loaded = GAME.load(data)
    assert isinstance(loaded, FiveState)
    assert loaded.faults() == []
    return loaded


def chosen(state: FiveState) -> str:
    return choose("fivetotwelve", state.view(0), Generator("test", "player"))


NEARLY_FULL = dict(zip(CELLS, (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0), strict=True))
DIAGONAL_ONLY = {"A1": 2, "B2": 8, "C3": 13, "D4": 19}


def test_it_takes_the_tile_that_fills_the_board() -> None:
    full = {**NEARLY_FULL, "D4": 20, "A4": 0}
    state = set_up([full, DIAGONAL_ONLY], middle=(4, 17))
    assert chosen(state) == "take 4@A4"


def test_it_lays_the_revealed_tile_that_fills_the_board() -> None:
    full = {**NEARLY_FULL, "D4": 20, "A4": 0}
    assert chosen(set_up([full, DIAGONAL_ONLY], hand=4)) == "4@A4"


def test_in_set_up_low_goes_top_left_and_high_bottom_right() -> None:
    state = GAME.start(2, {"first": "host"})
    for text, player in (("first 0", None), ("deal 1", 0), ("deal 20", 1)):
        state.apply(Event("chance", text, player))
    assert choose("fivetotwelve", state.view(0), Generator("a", "b")) == "1@A1"
    assert choose("fivetotwelve", state.view(1), Generator("a", "b")) == "20@D4"


def test_four_tiles_at_once_are_laid_in_rising_order() -> None:
    state = GAME.start(2, {"setup": "free"})
    for text, player in (("first 0", None), ("deal 3 9 14 19", 0), ("deal 1 2 3 4", 1)):
        state.apply(Event("chance", text, player))
    assert choose("fivetotwelve", state.view(0), Generator("a", "b")) == "3@A1 9@B2 14@C3 19@D4"


def test_it_does_not_hand_the_next_player_the_winning_tile() -> None:
    """Leaving the revealed 4 would let seat 1 fill A4; exchanged for the 3 it is of no use to anybody."""
    rival = {**NEARLY_FULL, "D4": 20, "A4": 0}
    numbers = (2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0, 19)
    state = set_up([dict(zip(CELLS, numbers, strict=True)), rival], hand=4)
    assert chosen(state) == "4@A2"
    state.apply(Event("move", "leave", 0))
    assert "take 4@A4" in state.legal(1)


def test_needs_are_the_numbers_with_which_a_board_can_still_be_filled() -> None:
    least, most = needs([0] * 16)
    assert [least[cell] for cell in DIAGONAL] == [1, 3, 5, 7]
    assert [most[cell] for cell in DIAGONAL] == [14, 16, 18, 20]
    board = [0] * 16
    board[INDEX["B2"]] = 9
    least, most = needs(board)
    assert (least[INDEX["C2"]], most[INDEX["B1"]], most[INDEX["A1"]]) == (10, 8, 7)


def test_equal_moves_are_decided_by_chance_alone_and_the_same_chance_decides_alike() -> None:
    state = set_up([DIAGONAL_ONLY, DIAGONAL_ONLY], hand=10)
    view = state.view(0)
    assert {choose("fivetotwelve", view, Generator("x", "y")) for _ in range(3)} == {chosen(state)}


def test_it_wins_against_random_play() -> None:
    won = 0
    for number in range(20):
        outcome = played(f"wins {number}", {number % 2}, 2, {}).outcome()
        assert outcome is not None
        won += outcome.winners == (number % 2,)
    assert won >= 18


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (2, {"series": True, "setup": "sorted"}),
        (3, {"setup": "free", "bruno": True}),
        (4, {"series": True, "first": "host", "bruno": True}),
    ],
)
def test_computer_players_among_themselves_come_to_an_end(
    players: int, options: dict[str, OptionValue]
) -> None:
    assert played("among themselves", set(range(players)), players, options).outcome() is not None
