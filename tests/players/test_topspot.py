"""Top Spot's computer player: legal, of the view alone, and better than chance."""

from __future__ import annotations

from typing import Any

import pytest

from bot.players import choose
from bot.rules.chance import Generator
from bot.rules.game import Event, advance, play
from bot.rules.topspot import GAME, TopSpotState, hand_order, stack_value, stacks_of_faces


def match(players: int, options: dict[str, object], seed: str, seat: int) -> TopSpotState:
    """A match of the computer player at `seat` against chance at all others."""
    state = GAME.start(players, options)
    count = len(advance(state, seed, 0))
    chance = Generator(seed, "others")
    while state.outcome() is None:
        (actor,) = state.actors()
        if actor == seat:
            move = choose("topspot", state.view(actor), Generator(seed, f"player:{count}"))
            assert move in state.legal(actor)
        else:
            move = state.random_move(actor, chance)
        count += len(play(state, seed, count, actor, move))
    return state


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "options", "matches", "least"),
    [
        (3, {}, 3, 2),  # there is luck in a match
        (3, {"level": "expert"}, 2, 2),
        (4, {"level": "expert", "joker_each": True}, 1, 1),
        (5, {}, 1, 1),
    ],
)
def test_it_beats_chance_at_every_other_seat(
    players: int, options: dict[str, object], matches: int, least: int
) -> None:
    won = 0
    for number in range(matches):
        outcome = match(players, options, f"match {number}", number % players).outcome()
        assert outcome is not None
        won += outcome.winners == (number % players,)
    assert won >= least


def test_the_same_view_and_chance_give_the_same_move_whatever_the_others_hold() -> None:
    state = GAME.start(4, {"level": "expert"})
    advance(state, "same", 0)
    (seat,) = state.actors()
    data = state.to_json()
    hands: Any = data["hands"]
    others = [each for each in range(4) if each != seat]
    pool: list[str] = sorted(card for each in others for card in hands[each])
    twin = GAME.load(
        {
            **data,
            "hands": [
                hands[each] if each == seat else list(hand_order(pool[others.index(each) :: 3]))
                for each in range(4)
            ],
        }
    )
    assert twin.to_json() != data
    moves = {choose("topspot", each.view(seat), Generator("x", "y")) for each in (state, twin, state)}
    assert len(moves) == 1


def test_it_takes_a_point_that_ends_the_game() -> None:
    state = GAME.start(3, {})
    advance(state, "end", 0)
    data = state.to_json()
    left = {"RL", "RA", "YA", "RB", "RC"}
    gone = [c + f for c in "RYG" for f in "ABCDEFGHIJKL" if c + f not in left]
    end = GAME.load(
        {
            **data,
            "hands": [["RA"], ["RL", "YA"], ["RB", "RC"]],
            "gone": sorted(gone),
            "order": [0, 1, 2],
            "round_leader": 0,
            "points": [2, 2, 2],
            "last_winner": 0,
            "round_number": 7,
        }
    )
    assert end.faults() == []
    end.apply(Event("move", "RA", 0))
    # L shows 5, and the best that is left to the last seat is less
    assert choose("topspot", end.view(1), Generator("x", "y")) == "RL"


def test_a_seat_that_may_not_act_has_no_move() -> None:
    state = GAME.start(3, {})
    advance(state, "none", 0)
    (seat,) = state.actors()
    with pytest.raises(ValueError, match="may not act"):
        choose("topspot", state.view((seat + 1) % 3), Generator("x", "y"))


@pytest.mark.parametrize(("joker", "count"), [(False, 207), (True, 129)])
def test_the_stacks_it_reckons_with_are_those_of_the_rules(joker: bool, count: int) -> None:
    stacks = stacks_of_faces(joker)
    assert len(stacks) == count
    for faces, value in stacks:
        text = "+".join(["*"] * joker + ["R" + face for face in faces])
        assert stack_value(text) == value
