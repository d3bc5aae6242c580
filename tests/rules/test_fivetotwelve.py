"""5 vor 12: the rules of its page, with the page's own example, every option, ruling and ending."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bot.rules.fivetotwelve
from bot.locale import LANGUAGES, sayer
from bot.rules.chance import Generator
from bot.rules.errors import Extra, Illegal, Impossible, Missing, NotYours, RulesError, Unreadable
from bot.rules.fivetotwelve import (
    CELLS,
    DIAGONAL,
    GAME,
    INDEX,
    FiveState,
    Placement,
    fitting,
    parse,
)
from bot.rules.game import Event, advance, play

DIAGONALS = {"A1": 2, "B2": 8, "C3": 13, "D4": 19}
OTHERS = {"A1": 1, "B2": 7, "C3": 12, "D4": 20}
ALMOST = dict(zip(CELLS, (1, 2, 3, 0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20), strict=True))  # A4 free


def position(
    *boards: Mapping[str, int],
    middle: Sequence[int] = (),
    hand: int = 0,
    left: int | None = None,
    idle: int = 0,
    options: Mapping[str, object] | None = None,
) -> FiveState:
    """Seat 0 to move on these boards; what lies nowhere is face down. left: put all but so many of the
    face-down tiles in the middle, the highest first."""
    state = GAME.start(len(boards), options or {})
    state.apply(Event("chance", "first 0"))
    data: dict[str, Any] = state.to_json()
    stock = [0] + [len(boards)] * 20
    rows = [[board.get(name, 0) for name in CELLS] for board in boards]
    shown = [0] * 21
    for tile in [tile for row in rows for tile in row if tile] + [*middle] + ([hand] if hand else []):
        stock[tile] -= 1
    for tile in middle:
        shown[tile] += 1
    while left is not None and sum(stock) > left:
        tile = max(number for number in range(21) if stock[number])
        stock[tile] -= 1
        shown[tile] += 1
    data |= {"phase": "hand" if hand else "turn", "boards": rows, "stock": stock, "middle": shown}
    data |= {"hand": hand, "turn": 0, "wave_number": 1 if data["options"]["setup"] != "one-by-one" else 4}
    data |= {"idle": idle}
    loaded = GAME.load(data)
    assert isinstance(loaded, FiveState)
    assert loaded.faults() == []
    return loaded


def set_up(setup: str, *deals: str, seats: int = 2, **options: object) -> FiveState:
    """After the lot (seat 0 starts) and these deals, given to seats 0, 1, … in turn."""
    state = GAME.start(seats, {"setup": setup, "first": "host", **options})
    state.apply(Event("chance", "first 0"))
    for index, numbers in enumerate(deals):
        state.apply(Event("chance", f"deal {numbers}", index % seats))
    return state


def move(state: FiveState, seat: int, text: str) -> FiveState:
    state.apply(Event("move", text, seat))
    return state


def chance(state: FiveState, text: str, player: int | None = None) -> FiveState:
    state.apply(Event("chance", text, player))
    return state


def why(state: FiveState, seat: int, text: str) -> tuple[str, str]:
    """Code and rule of the refusal."""
    with pytest.raises(Illegal) as caught:
        state.check(seat, text)
    return caught.value.code, caught.value.rule


# --------------------------------------------------------------------------- rule 4, the page's example


def test_the_leaflets_thirteen_fits_the_free_cell_between_or_replaces_the_twelve_or_the_fifteen() -> None:
    """Row 2 holds 6, 12, a free cell and 15."""
    board = {"A1": 3, "C1": 13, "A2": 6, "B2": 12, "D2": 15, "B3": 14, "C3": 17, "D4": 19}
    state = position(board, OTHERS, hand=13)
    legal = state.legal(0)
    assert [cell for cell in ("A2", "B2", "C2", "D2") if f"13@{cell}" in legal] == ["B2", "D2"]
    assert why(state, 0, "13@A2") == ("row", "4")  # left of the smaller 12
    assert why(state, 0, "13@C2") == ("column", "4")  # below the equal 13
    assert why(state, 0, "13@D1") == ("row", "4")  # right of the equal 13
    assert why(state, 0, "13@B4") == ("column", "4")  # below the larger 14
    assert why(state, 0, "13@B1") == ("row", "4")  # left of the equal 13
    assert why(state, 0, "13@A1") == ("row", "4")
    without = position({name: tile for name, tile in board.items() if tile != 13}, OTHERS, hand=13)
    legal = without.legal(0)
    assert [cell for cell in ("A2", "B2", "C2", "D2") if f"13@{cell}" in legal] == ["B2", "C2", "D2"]


def test_equal_numbers_never_share_a_line_and_free_cells_between_do_not_matter() -> None:
    state = position(DIAGONALS, OTHERS, hand=8)
    assert why(state, 0, "8@D2") == ("row", "4")
    assert why(state, 0, "8@B4") == ("column", "4")
    assert why(state, 0, "8@A2") == ("row", "4")
    assert "8@A3" in state.legal(0)


def test_the_tile_that_is_exchanged_away_does_not_count() -> None:
    state = position(DIAGONALS, DIAGONALS, hand=3)
    move(state, 0, "3@B2")
    assert state.view(None).middle == (8,)
    assert state.view(None).last[0] == Placement("stock", 3, ("B2",), 8)


def test_the_refusal_names_the_tile_in_the_way() -> None:
    with pytest.raises(Illegal) as caught:
        position(DIAGONALS, DIAGONALS, hand=20).check(0, "20@D1")
    assert caught.value.data == {"tile": 20, "cell": "D1", "other": "D4", "number": 19}
    assert "19" in sayer("en")(caught.value.key, **caught.value.data)


@settings(deadline=None)
@given(st.lists(st.integers(0, 20), min_size=16, max_size=16), st.integers(1, 20))
def test_fitting_is_what_comparing_with_every_tile_of_the_lines_says(numbers: list[int], tile: int) -> None:
    board = rising(numbers)
    naive = []
    for cell, name in enumerate(CELLS):
        good = True
        for other, other_name in enumerate(CELLS):
            if other == cell or not board[other]:
                continue
            if name[1] == other_name[1] or name[0] == other_name[0]:
                before = other_name < name
                good = good and (board[other] < tile if before else board[other] > tile)
        if good:
            naive.append(cell)
    assert fitting(board, tile) == naive


def rising(numbers: list[int]) -> list[int]:
    """A board of these numbers, those left out that would not rise."""
    board = [0] * 16
    for cell, number in enumerate(numbers):
        lines = [c for c in range(16) if c != cell and (c // 4 == cell // 4 or c % 4 == cell % 4)]
        if number and all(not board[c] or (board[c] < number) == (c < cell) for c in lines):
            if any(board[c] == number for c in lines):
                continue
            board[cell] = number
    return board


# --------------------------------------------------------------------------- rule 1, set-up


def test_set_up_is_four_waves_of_one_tile_and_anybody_may_lay_first() -> None:
    state = set_up("one-by-one", "13", "7")
    assert state.actors() == (0, 1)
    assert state.phase() == "set-up"
    assert state.legal(0) == ["13@A1", "13@B2", "13@C3", "13@D4"]
    move(state, 1, "7@B2")
    assert state.actors() == (0,)
    assert not state.chance_due()
    move(state, 0, "13@D4")
    assert state.chance_due()
    for first, second, cell in ((1, 2, "A1"), (3, 4, "C3")):
        chance(state, f"deal {first}", 0)
        chance(state, f"deal {second}", 1)
        move(state, 0, f"{first}@{cell}")
        move(state, 1, f"{second}@{cell}")
    chance(state, "deal 20", 0)
    chance(state, "deal 20", 1)
    assert state.legal(0) == ["20@B2"], "any order on the diagonal, rising or not"
    move(state, 0, "20@B2")
    move(state, 1, "20@D4")
    assert state.actors() == (0,)
    assert state.phase() == ""
    assert "draw" in state.legal(0)


def test_in_set_up_only_the_own_tile_goes_and_only_to_free_diagonal_cells() -> None:
    state = set_up("one-by-one", "13", "7")
    assert why(state, 0, "7@A1") == ("other_tile", "1")
    assert why(state, 0, "13@A2") == ("diagonal", "1")
    assert why(state, 0, "draw") == ("setup_first", "1")
    assert why(state, 0, "leave") == ("setup_first", "1")
    assert why(state, 0, "take 13@A1") == ("setup_first", "1")
    assert why(state, 0, "1@A1 2@B2 3@C3 4@D4") == ("one_at_a_time", "1")
    move(move(state, 0, "13@A1"), 1, "7@A1")
    chance(chance(state, "deal 3", 0), "deal 4", 1)
    assert why(state, 0, "3@A1") == ("laid", "1")
    with pytest.raises(NotYours):
        move(move(state, 0, "3@B2"), 0, "3@B2")


def test_free_set_up_lays_four_at_once_in_any_order_and_equal_tiles_are_one_move() -> None:
    state = set_up("free", "3 9 9 20", "1 2 3 4")
    assert len(state.legal(0)) == 12
    assert len(state.legal(1)) == 24
    assert state.legal(0)[0] == "20@A1 3@B2 9@C3 9@D4"
    assert state.read(0, "9@d4 3@A1 20@b2 9@c3") == "3@A1 20@B2 9@C3 9@D4"
    assert why(state, 0, "3@A1 9@B2 20@C3 20@D4") == ("other_four", "1")
    assert why(state, 0, "3@A1") == ("all_four", "1")
    for wrong in ("9@B2 3@A1 9@C3 20@D4", "3@A1 9@B2 9@C3", "3@A1  9@B2 9@C3 20@D4"):
        with pytest.raises(Unreadable):
            state.check(0, wrong)
    move(state, 0, "3@A1 20@B2 9@C3 9@D4")
    move(state, 1, "1@A1 2@B2 3@C3 4@D4")
    assert [state.view(None).boards[0][cell] for cell in DIAGONAL] == [3, 20, 9, 9]
    assert why(state, 0, "1@A1 2@B2 3@C3 4@D4") == ("setup_over", "1")


def test_sorted_set_up_lays_itself_and_has_no_equal_numbers() -> None:
    state = set_up("sorted", "3 9 14 20")
    assert [state.view(None).boards[0][cell] for cell in DIAGONAL] == [3, 9, 14, 20]
    with pytest.raises(Impossible) as caught:
        chance(state, "deal 3 9 9 20", 1)
    assert caught.value.code == "equal"
    chance(state, "deal 3 9 10 20", 1)
    assert state.actors() == (0,)
    assert "draw" in state.legal(0)


def test_sorted_draws_are_four_different_numbers_each_tile_as_likely() -> None:
    """A number that is there twice as often comes about twice as often."""
    state = set_up("sorted", seats=4)
    for seat in range(3):
        event = state.draw(Generator("sorted", f"{seat}"))
        numbers = event.text.split()[1:]
        assert len(set(numbers)) == 4
        state.apply(event)
    assert not state.legal(0)


def test_a_deal_must_come_from_the_stock_to_the_right_seat_in_the_right_number() -> None:
    state = set_up("one-by-one")
    for text, kind, player in (
        ("deal 21", Impossible, 0),
        ("deal 0", Impossible, 0),
        ("deal 3 9", Impossible, 0),
        ("deal 9 3", Unreadable, 0),
        ("deal 03", Unreadable, 0),
        ("deal", Unreadable, 0),
        ("deal 3", Unreadable, None),
        ("deal 3", Unreadable, 2),
        ("deal 3", Missing, 1),
        ("reveal 3", Missing, None),
        ("first 0", Missing, None),
        ("reveal 3 4", Unreadable, None),
        ("reveal 3", Unreadable, 0),
    ):
        with pytest.raises(RulesError) as caught:
            chance(state, text, player)
        assert type(caught.value) is kind, text
    again = set_up("free", "3 3 9 9")
    with pytest.raises(Impossible):
        chance(again, "deal 1 2 3 4", 1)
    with pytest.raises(Impossible):
        chance(again, "deal 5 5 5 6", 1)


# --------------------------------------------------------------------------- rules 2, 3: a turn


def test_a_turn_reveals_and_lays() -> None:
    state = move(position(DIAGONALS, DIAGONALS), 0, "draw")
    assert state.chance_due()
    assert state.actors() == ()
    with pytest.raises(Missing):
        move(state, 0, "leave")
    chance(state, "reveal 7")
    assert state.view(None).hand == 7
    assert state.actors() == (0,)
    move(state, 0, "7@A3")
    assert state.actors() == (1,)
    assert state.view(None).boards[0][INDEX["A3"]] == 7


def test_a_revealed_tile_may_be_left_and_the_next_player_may_take_it() -> None:
    state = position(DIAGONALS, DIAGONALS, hand=7)
    move(state, 0, "leave")
    assert state.view(None).middle == (7,)
    assert state.view(None).last[0] == Placement("stock", 7, ())
    assert "take 7@A2" in state.legal(1)
    move(state, 1, "take 7@A2")
    assert state.view(None).middle == ()
    assert state.actors() == (0,)


def test_a_taken_tile_must_be_laid_and_exchange_works_for_it_too() -> None:
    state = position(DIAGONALS, DIAGONALS, middle=(7, 7, 1))
    assert why(state, 0, "leave") == ("nothing_revealed", "2")
    assert why(state, 0, "7@A2") == ("nothing_revealed", "2")
    assert why(state, 0, "take 9@A2") == ("not_in_middle", "2b")
    assert state.legal(0).count("take 7@B2") == 1
    move(state, 0, "take 7@B2")
    assert state.view(None).middle == (1, 7, 8)


def test_exchanging_for_an_equal_number_is_legal_by_the_letter() -> None:
    state = position(DIAGONALS, OTHERS, hand=8)
    assert "8@B2" in state.legal(0)
    move(state, 0, "8@B2")
    assert state.view(None).middle == (8,)


def test_with_a_tile_revealed_nothing_else_goes() -> None:
    state = position(DIAGONALS, DIAGONALS, middle=(7,), hand=9)
    assert why(state, 0, "draw") == ("hand_first", "2a")
    assert why(state, 0, "take 7@A2") == ("hand_first", "2a")
    assert why(state, 0, "7@A2") == ("other_tile", "2a")


@pytest.mark.parametrize(
    "text",
    ["07@A2", "7@a2", "7@A5", "7@E1", "7@A", "7 @A2", "take  7@A2", "take 07@A2", "TAKE 7@A2", "21@A1",
     "0@A1", "draw ", "Draw", "", "leave 7", "7@A2 8@A3", "٧@A2", "７@A2", "7@A2\n"],
)  # fmt: skip
def test_what_is_not_canonical_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        position(DIAGONALS, DIAGONALS, hand=7).check(0, text)
    with pytest.raises(Unreadable):
        parse(text)


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [(" Take7 @ a2 ", "take 7@A2"), ("7@a2", "7@A2"), ("DRAW", "draw"), ("l e a v e", "leave")],
)
def test_what_a_person_types_is_forgiven_spaces_and_case(typed: str, canonical: str) -> None:
    assert position(DIAGONALS, DIAGONALS).read(0, typed) == canonical


@pytest.mark.parametrize(
    "typed", ["", "7", "07@A2", "seven", "take", "7@A2 8@B3", "take 1@A1 2@B2 3@C3 4@D4", "٧@A2"]
)
def test_what_a_person_types_is_not_guessed(typed: str) -> None:
    with pytest.raises(Unreadable):
        position(DIAGONALS, DIAGONALS).read(0, typed)


# --------------------------------------------------------------------------- rule 5: the end


def test_the_sixteenth_tile_wins_at_once() -> None:
    state = move(position(ALMOST, DIAGONALS, hand=4), 0, "4@A4")
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.winners, outcome.reason) == ((16, 4), (0,), "board full")
    with pytest.raises(Extra):
        move(state, 1, "draw")
    with pytest.raises(NotYours) as caught:
        state.check(1, "draw")
    assert caught.value.code == "over"
    assert state.legal(1) == []


def test_a_taken_tile_wins_as_well() -> None:
    outcome = move(position(ALMOST, DIAGONALS, middle=(4,)), 0, "take 4@A4").outcome()
    assert outcome is not None
    assert outcome.reason == "board full"


def test_the_turn_of_the_last_face_down_tile_is_the_last() -> None:
    state = position(DIAGONALS, {**DIAGONALS, "A2": 5}, left=1)
    move(state, 0, "draw")
    tile = int(state.draw(Generator("any", "event")).text.split()[1])
    chance(state, f"reveal {tile}")
    assert state.outcome() is None, "the turn is finished first"
    move(state, 0, "leave")
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.winners, outcome.reason) == ((4, 5), (1,), "stock empty")


def test_fewest_free_cells_are_shared() -> None:
    state = position(DIAGONALS, DIAGONALS, {"A1": 1, "B2": 2, "C3": 3, "D4": 4}, hand=20, left=0)
    outcome = move(state, 0, "leave").outcome()
    assert outcome is not None
    assert outcome.winners == (0, 1, 2)


def test_the_last_tile_may_still_fill_the_board() -> None:
    outcome = move(position(ALMOST, DIAGONALS, hand=4, left=0), 0, "4@A4").outcome()
    assert outcome is not None
    assert outcome.reason == "board full"


# --------------------------------------------------------------------------- ruling: turns without reveal


def test_after_ten_turns_each_without_a_reveal_taking_is_closed() -> None:
    """Two players exchange a 7 and an 8 to and fro: twenty turns, then somebody must reveal."""
    state = position({**DIAGONALS, "A2": 5}, {**DIAGONALS, "A2": 5}, middle=(6, 7))
    for turn in range(20):
        seat = turn % 2
        take = next(text for text in state.legal(seat) if text.startswith("take") and text.endswith("@A2"))
        assert not state.view(None).closed
        move(state, seat, take)
    assert state.view(None).closed
    assert state.legal(0) == ["draw"]
    held = state.view(None).middle[0]
    assert why(state, 0, f"take {held}@A2") == ("closed", "2b")
    chance(move(state, 0, "draw"), "reveal 20")
    assert not state.view(None).closed
    move(state, 0, "leave")
    assert len(state.legal(1)) > 1


# --------------------------------------------------------------------------- option bruno


@pytest.mark.parametrize("how", ["free", "exchange", "take"])
def test_bruno_gives_another_turn_next_to_an_equal_number_on_the_other_diagonal(how: str) -> None:
    board = {"A1": 2, "A2": 6, "B2": 9, "C3": 13, "D4": 19} | ({"B1": 5} if how == "exchange" else {})
    middle = (6,) if how == "take" else ()
    hand = 0 if how == "take" else 6
    options = {"bruno": True}
    state = position(board, DIAGONALS, middle=middle, hand=hand, options=options)
    move(state, 0, ("take " if how == "take" else "") + "6@B1")
    assert state.actors() == (0,)
    assert state.view(None).again
    assert "draw" in state.legal(0)
    chance(move(state, 0, "draw"), "reveal 20")
    move(state, 0, "leave")
    assert state.actors() == (1,), "leaving a tile is no landing"
    assert not state.view(None).again


def test_without_the_option_nobody_goes_again() -> None:
    board = {"A1": 2, "A2": 6, "B2": 9, "C3": 13, "D4": 19}
    assert move(position(board, DIAGONALS, hand=6), 0, "6@B1").actors() == (1,)


def test_bruno_does_not_hold_once_the_game_has_ended() -> None:
    board = dict(zip(CELLS, (1, 2, 3, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 20), strict=True))
    state = position(board, DIAGONALS, hand=6, options={"bruno": True})
    outcome = move(state, 0, "6@A4").outcome()  # B3 is 6 as well
    assert outcome is not None
    assert outcome.winners == (0,)
    last = position(
        {"A1": 2, "A2": 6, "B2": 9, "C3": 13, "D4": 19}, DIAGONALS, hand=6, left=0, options={"bruno": True}
    )
    assert move(last, 0, "6@B1").outcome() is not None


# --------------------------------------------------------------------------- rule 6: series, option first


def ended(*boards: Mapping[str, int], hand: int, **kind: int) -> FiveState:
    return position(*boards, hand=hand, options={"series": True}, **kind)  # type: ignore[arg-type]


def test_a_series_counts_two_points_for_the_winner_and_one_off_per_free_cell() -> None:
    state = move(ended(ALMOST, DIAGONALS, {**DIAGONALS, "A2": 5}, hand=4), 0, "4@A4")
    view = state.view(None)
    assert state.outcome() is None
    assert view.points == view.scores == (2, -12, -11)
    assert view.results[0].points == (2, -12, -11)
    assert (view.game_number, view.games, view.phase) == (2, 3, "first")
    assert view.boards == ((0,) * 16,) * 3


def test_in_a_series_the_start_moves_on_and_is_written_each_time() -> None:
    state = move(ended(ALMOST, DIAGONALS, hand=4), 0, "4@A4")
    assert state.draw(Generator("any", "x")).text == "first 1"
    with pytest.raises(Impossible) as caught:
        chance(state, "first 0")
    assert (caught.value.code, caught.value.rule) == ("first", "6")
    chance(state, "first 1")
    assert state.view(None).first == 1


def test_several_winners_by_empty_stock_get_two_points_each() -> None:
    state = move(ended(DIAGONALS, DIAGONALS, {"A1": 1, "B2": 3, "C3": 4}
                       | {"D4": 5, "A2": 2}, hand=20, left=0), 0, "leave")  # fmt: skip
    assert state.view(None).points == (-12, -12, 2)
    tied = move(ended(DIAGONALS, DIAGONALS, hand=20, left=0), 0, "leave")
    assert tied.view(None).points == (2, 2)


def test_a_series_ends_after_as_many_games_as_players() -> None:
    state = GAME.start(3, {"series": True})
    events = advance(state, "series", 0)
    moves = Generator("series", "moves")
    while state.actors():
        seat = state.actors()[0]
        events += play(state, "series", len(events), seat, state.random_move(seat, moves))
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason == "series over"
    firsts = [event.text for event in events if event.text.startswith("first")]
    start = int(firsts[0][-1])
    assert firsts == [f"first {(start + game) % 3}" for game in range(3)]
    view = state.view(None)
    assert outcome.scores == tuple(sum(one.points[seat] for one in view.results) for seat in range(3))
    assert outcome.winners == tuple(s for s in range(3) if outcome.scores[s] == max(outcome.scores))
    assert view.game_number == 3


def test_the_host_may_start_or_the_lot_decides() -> None:
    host = GAME.start(4, {"first": "host"})
    assert {host.draw(Generator(str(n), "x")).text for n in range(20)} == {"first 0"}
    with pytest.raises(Impossible):
        chance(host, "first 1")
    lot = GAME.start(4, {})
    assert {lot.draw(Generator(str(n), "x")).text for n in range(60)} == {f"first {n}" for n in range(4)}
    with pytest.raises(Impossible):
        chance(lot, "first 4")


# --------------------------------------------------------------------------- stand-in


def test_the_stand_in_reveals_and_lays_where_the_tile_belongs() -> None:
    assert position(DIAGONALS, DIAGONALS, middle=(7,)).stand_in(0) == "draw"
    assert position(DIAGONALS, DIAGONALS, hand=5).stand_in(0) == "5@A2"
    assert position(DIAGONALS, OTHERS, hand=8).stand_in(0) == "8@A3"
    crowded = dict(zip(CELLS, (1, 2, 3, 0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20), strict=True))
    assert position(crowded, DIAGONALS, hand=19).stand_in(0) == "leave"
    assert set_up("one-by-one", "1", "20").stand_in(1) == "20@D4"
    assert set_up("free", "3 9 9 20", "1 2 3 4").stand_in(0) == "3@A1 9@B2 9@C3 20@D4"


# --------------------------------------------------------------------------- counted trees


class Slow:
    """A second, plain player of turns: boards as dictionaries by column and row, no shared code."""

    def __init__(self, boards: list[dict[tuple[int, int], int]], stock: list[int], middle: list[int]) -> None:
        self.boards, self.stock, self.middle = boards, stock, middle

    @staticmethod
    def places(board: dict[tuple[int, int], int], tile: int) -> list[tuple[int, int]]:
        found = []
        for column, row in product(range(4), range(4)):
            after = {**board, (column, row): tile}
            lines = [[after[c, row] for c in range(4) if (c, row) in after]]
            lines.append([after[column, r] for r in range(4) if (column, r) in after])
            if all(line == sorted(set(line)) for line in lines):
                found.append((column, row))
        return found

    def count(self, depth: int, seat: int, doing: str = "turn", hand: int = 0) -> int:
        if depth == 0:
            return 1
        if doing == "over":
            return 0
        if doing == "reveal":
            total = 0
            for tile in sorted(set(self.stock)):
                self.stock.remove(tile)
                total += self.count(depth - 1, seat, "hand", tile)
                self.stock.append(tile)
            return total
        if doing == "hand":
            return self.laid(depth, seat, hand) + self.left(depth, seat, hand)
        total = self.count(depth - 1, seat, "reveal")
        for tile in sorted(set(self.middle)):
            self.middle.remove(tile)
            total += self.laid(depth, seat, tile)
            self.middle.append(tile)
        return total

    def laid(self, depth: int, seat: int, tile: int) -> int:
        board = self.boards[seat]
        total = 0
        for place in self.places(board, tile):
            old = board.get(place)
            board[place] = tile
            if old:
                self.middle.append(old)
            done = len(board) == 16 or not self.stock
            total += self.count(depth - 1, 1 - seat, "over" if done else "turn")
            if old:
                self.middle.remove(old)
                board[place] = old
            else:
                del board[place]
        return total

    def left(self, depth: int, seat: int, tile: int) -> int:
        self.middle.append(tile)
        total = self.count(depth - 1, 1 - seat, "turn" if self.stock else "over")
        self.middle.remove(tile)
        return total


@pytest.mark.parametrize(
    ("boards", "middle", "left", "depth", "known"),
    [
        ((DIAGONALS, DIAGONALS), (7,), None, 4, 5048),
        ((ALMOST, DIAGONALS), (4, 4), 3, 5, 10317),
        ((ALMOST, {**ALMOST, "A4": 4, "D3": 0}), (19,), 2, 6, 2500),
    ],
)
def test_the_tree_of_moves_has_as_many_branches_as_a_slow_counter_finds(
    boards: tuple[Mapping[str, int], ...], middle: tuple[int, ...], left: int | None, depth: int, known: int
) -> None:
    state = position(*boards, middle=middle)
    if left is not None:
        state = thinned(state, left)
    slow_boards = [
        {(ord(name[0]) - 65, int(name[1]) - 1): tile for name, tile in board.items() if tile}
        for board in boards
    ]
    view = state.view(None)
    stock = [n for n, count in enumerate(stock_of(state)) for _ in range(count)]
    slow = Slow(slow_boards, stock, list(view.middle))
    counts = [slow.count(length, 0) for length in range(depth + 1)]
    assert counts == [tree(state, length) for length in range(depth + 1)]
    assert counts[depth] == known


def stock_of(state: FiveState) -> list[int]:
    found: list[int] = state.to_json()["stock"]  # type: ignore[assignment]
    return found


def thinned(state: FiveState, left: int) -> FiveState:
    """The same position with all but the `left` lowest face-down tiles out of the game."""
    data: dict[str, Any] = state.to_json()
    kept = 0
    for number in range(1, 21):
        keep = min(data["stock"][number], left - kept)
        data["stock"][number] = keep
        kept += keep
    loaded = GAME.load(data)
    assert isinstance(loaded, FiveState)
    return loaded


def tree(state: FiveState, depth: int) -> int:
    if not depth:
        return 1
    if state.outcome():
        return 0
    if state.chance_due():
        events = [Event("chance", f"reveal {n}") for n, count in enumerate(stock_of(state)) if count]
    else:
        (seat,) = state.actors()
        events = [Event("move", text, seat) for text in state.legal(seat)]
    total = 0
    for event in events:
        after = state.clone()
        after.apply(event)
        total += tree(after, depth - 1)
    return total


# --------------------------------------------------------------------------- faults, stored states


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"stock": [0] + [2] * 20}, "tiles instead of"),
        ({"boards": [[5, 4] + [0] * 14, [0] * 16]}, "is not less than"),
        ({"boards": [[0] * 16, [0] * 16]}, "gap"),
        ({"middle": [1] + [0] * 20}, "number 0"),
        ({"idle": 3, "phase": "first", "first": None, "turn": None}, "turns without a reveal"),
        ({"again": True}, "extra turn"),
        ({"wave_number": 0}, "wave 0"),
        ({"receiver": 1}, "receiver"),
        ({"points": [3, 0]}, "points"),
        ({"wave": [[1], []]}, "set-up tiles wait"),
    ],
)
def test_damaged_positions_are_listed(change: dict[str, Any], says: str) -> None:
    state = position(DIAGONALS, DIAGONALS, middle=(7,))
    damaged = GAME.load({**state.to_json(), **change})
    assert [fault for fault in damaged.faults() if says in fault]


def test_what_is_no_state_of_this_game_is_refused() -> None:
    good = position(DIAGONALS, DIAGONALS).to_json()
    changes: tuple[dict[str, Any], ...] = (
        {"schema": 2},
        {"game": "top12"},
        {"players": 5},
        {"phase": "lunch"},
        {"turn": None},
        {"boards": []},
        {"options": {"bruno": 1}},
        {"hand": 3},
        {"outcome": {"scores": [1, 2], "winners": [0], "reason": "boredom"}},
    )
    for change in changes:
        with pytest.raises(ValueError):
            GAME.load({**good, **change})


@settings(max_examples=15, deadline=None)
@given(
    st.text(max_size=5), st.integers(2, 4), st.sampled_from(["one-by-one", "free", "sorted"]), st.booleans()
)
def test_any_game_from_any_seed_keeps_the_rules(seed: str, players: int, setup: str, bruno: bool) -> None:
    state = GAME.start(players, {"setup": setup, "bruno": bruno})
    events = advance(state, seed, 0)
    moves = Generator(seed, "moves")
    while state.actors():
        seat = moves.choice(state.actors())
        assert state.stand_in(seat) in state.legal(seat)
        events += play(state, seed, len(events), seat, state.random_move(seat, moves))
        assert state.faults() == []
    again = GAME.load(json.loads(json.dumps(state.to_json())))
    assert again.view(None) == state.view(None)
    revealed = [event.text for event in events if event.text.startswith("reveal")]
    assert len(revealed) + 4 * players + state.view(None).stock == 20 * players


@settings(max_examples=10, deadline=None)
@given(st.text(max_size=5), st.integers(2, 4), st.sampled_from(["one-by-one", "free"]), st.booleans())
def test_a_position_and_its_view_have_the_same_choice_and_tell_it_from_others(
    seed: str, players: int, setup: str, series: bool
) -> None:
    state = GAME.start(players, {"setup": setup, "series": series})
    events = advance(state, seed, 0)
    moves = Generator(seed, "moves")
    while state.actors():
        for seat in state.actors():
            choice = state.choice(seat)
            assert choice == GAME.choice(state.view(seat)) == state.choice(seat)
            assert hash(choice) == hash(state.clone().choice(seat))
        seat = moves.choice(state.actors())
        before = state.choice(seat)
        events += play(state, seed, len(events), seat, state.random_move(seat, moves))
        if seat in state.actors():
            assert state.choice(seat) == GAME.choice(state.view(seat)) != before


# --------------------------------------------------------------------------- words


def test_a_printed_position_is_a_board_as_it_lies() -> None:
    state = position({**DIAGONALS, "B1": 5}, OTHERS, middle=(9, 9, 16), options={"series": True})
    assert str(chance(move(state, 0, "draw"), "reveal 20")).splitlines() == [
        "fivetotwelve, game 1 of 2, phase hand, seat 0 to move, revealed 20",
        "seat 0: 5/16     seat 1: 4/16",
        "   A  B  C  D       A  B  C  D",
        "1  2  5  .  .    1  1  .  .  .",
        "2  .  8  .  .    2  .  7  .  .",
        "3  .  . 13  .    3  .  . 12  .",
        "4  .  .  . 19    4  .  .  . 20",
        "middle: 9 9 16; face down: 27",
        "points: 0 0",
    ]


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (GAME.start(2, {}), "fivetotwelve, game 1 of 1, phase first"),
        (set_up("one-by-one", "13", "7"), "seat 1 has to lay 7"),
        (set_up("free", "3 9 9 20"), "seat 0 has to lay 3 9 9 20"),
        (
            position(DIAGONALS, OTHERS, middle=(5,), idle=20),
            "fivetotwelve, game 1 of 1, phase turn, seat 0 to move, 2b closed",
        ),
        (
            move(position({"A2": 6, **DIAGONALS}, OTHERS, hand=6, options={"bruno": True}), 0, "6@B1"),
            "fivetotwelve, game 1 of 1, phase turn, seat 0 again",
        ),
        (
            move(position(ALMOST, DIAGONALS, hand=4), 0, "4@A4"),
            "fivetotwelve, game 1 of 1, over: board full, won by seat 0, scores 16 4",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_printed_position_says_what_is_due(state: FiveState, said: str) -> None:
    assert said in str(state).splitlines()
    assert str(state).isascii()


def test_a_printed_position_does_not_know_which_tile_comes_next() -> None:
    """Two worlds that everybody sees alike print alike, up to the reveal that tells them apart."""
    start = move(position(DIAGONALS, OTHERS), 0, "draw")
    worlds = {tile: start.clone() for tile in (3, 4)}
    assert len({str(state) for state in worlds.values()}) == 1
    for tile, state in worlds.items():
        move(chance(state, f"reveal {tile}"), 0, "leave")
    assert str(worlds[3]).replace("middle: 3;", "middle: 4;") == str(worlds[4])
    assert str(worlds[3]) != str(worlds[4])


def test_the_index_of_rules_leads_to_what_there_is() -> None:
    text = bot.rules.fivetotwelve.__doc__
    assert text is not None
    index = text[text.index("The same by the rules") : text.index("A game of two")]
    named = re.findall(r"\b([a-z_]+)\.([A-Za-z_.]+)\b", index)
    assert len(named) > 10
    for module, path in named:
        found: Any = import_module(f"bot.rules.fivetotwelve.{module}")
        for name in path.split("."):
            found = getattr(found, name)


def test_the_board_in_words_names_every_cell() -> None:
    state = position(DIAGONALS, {**DIAGONALS, "A2": 5}, middle=(7, 7), hand=9, idle=0)
    text = GAME.board_text(state.view(None), ("Ada", "Ben"), sayer("en"))
    assert "Row 1: A 2, B free, C free, D free." in text
    assert text.index("Ada’s turn.") < text.index("Row 1")  # what is due is heard first
    assert "Row 2: A 5, B 8, C free, D free." in text
    assert "Tiles face up in the middle: 7, 7." in text
    assert "Ada has revealed 9." in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_last_placement_has_its_words(language: str) -> None:
    say = sayer(language)
    starts = [
        (position(DIAGONALS, DIAGONALS, hand=9), "9@A3"),
        (position(DIAGONALS, DIAGONALS, hand=9), "9@B2"),
        (position(DIAGONALS, DIAGONALS, hand=9), "leave"),
        (position(DIAGONALS, DIAGONALS, middle=(9,)), "take 9@A3"),
        (position(DIAGONALS, DIAGONALS, middle=(9,)), "take 9@B2"),
        (set_up("one-by-one", "9", "9"), "9@A1"),
        (ended(ALMOST, DIAGONALS, hand=4), "4@A4"),
        (position(ALMOST, DIAGONALS, hand=4), "4@A4"),
    ]
    texts = set()
    for state, text in starts:
        move(state, 0, text)
        texts.add(GAME.board_text(state.view(0), ("Ada", "Ben"), say))
    assert len(texts) == len(starts)


def test_events_in_words() -> None:
    say = sayer("en")
    names = ("Ada", "Ben")
    told = [
        GAME.describe(Event("chance", "first 1"), names, say),
        GAME.describe(Event("chance", "deal 3 9", 0), names, say),
        GAME.describe(Event("chance", "reveal 7"), names, say),
        GAME.describe(Event("move", "take 7@B1", 1), names, say),
        GAME.describe(Event("move", "3@A1 9@B2 14@C3 20@D4", 0), names, say),
    ]
    assert told == [
        "Ben starts.",
        "Ada draws for set-up: 3, 9.",
        "Revealed: 7.",
        "Ben takes and lays 7 on B1.",
        "Ada lays 3 on A1, 9 on B2, 14 on C3, 20 on D4.",
    ]
