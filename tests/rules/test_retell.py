"""Turns retold: what they are said to have scored is what the rules counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from bot.locale import LANGUAGES, sayer
from bot.rules.chance import Generator
from bot.rules.game import Event, Game, State
from bot.rules.registry import game
from bot.rules.topspot import TopSpotView
from bot.rules.zatre import ZatreView

from .conformance import Case, walk

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Fay")


class Told(str):
    """A text's key, with the values for its places."""

    key: str
    values: Mapping[str, Any]


def retold(rules: Game, state: State, events: Sequence[Event], since: int, say: Any) -> dict[int, list[Any]]:
    """As a spectator may know it."""
    view = state.view(None)
    told = rules.retell(view, state.redact(events, None), since, NAMES[: state.players], say)
    return {seat: list(phrases) for seat, phrases in told.items()}


def kept(key: str, /, **values: object) -> Any:
    told = Told(key)
    told.key, told.values = key, values
    return told


def turns(case: Case, seed: str) -> Iterator[tuple[State, list[Event], int]]:
    """Every position of a random game, with the place of its newest decision."""
    last = -1
    for position in walk(case, seed):
        if position.events and position.events[-1].kind == "move":
            last = len(position.events) - 1
        if last >= 0:
            yield position.state, position.events, last


@pytest.mark.parametrize(
    "case", [Case("fivetotwelve", 2), Case("fivetotwelve", 2, {"series": True, "setup": "sorted"})]
)
def test_the_tiles_told_are_those_on_the_board(case: Case) -> None:
    seen = set()
    for state, events, last in turns(case, "tiles"):
        mover = events[last].player
        assert mover is not None
        for told in retold(case.rules, state, events, last, kept).get(mover, []):
            seen.add(told.key.rpartition(".")[2])
            if told.key.endswith("lay") and told.values["n"] < 16 and last == len(events) - 1:
                assert told.values["n"] == 16 - state.view(None).boards[mover].count(0)
    assert seen >= {"lay", "exchange", "leave", "reveal"}


def test_the_points_of_topominos_are_those_of_the_game() -> None:
    for case in (Case("topominos", 3, {"rounds": 2}), Case("topominos", 1, {"rounds": 3})):
        counted = [0] * case.players
        ended = 0
        for state, events, last in turns(case, "points"):
            view: Any = state.view(None)
            if len(view.games) > ended:  # with what was left on the racks taken off
                ended, counted = len(view.games), [0] * case.players
                continue
            if last != len(events) - 1 or events[last].text != "end":
                continue
            [told] = retold(case.rules, state, events, last, kept)[events[last].player or 0]
            counted[events[last].player or 0] += told.values["n"]
            assert view.points == tuple(counted)
        assert ended == len(view.games) > 1


def test_zatre_says_what_a_turn_scored() -> None:
    rules, state = game("zatre"), game("zatre").start(2, {})
    events = [
        Event("chance", "lots 5 2"),
        Event("chance", "draw 1 6", 0),
        Event("move", "5@H8 6@H9 1@H10", 0),
        Event("chance", "draw 2 3", 1),
        Event("move", "2@G10 3@F10", 1),
    ]
    for event in events[:3]:
        state.apply(event)
    say = sayer("en")
    [told] = retold(rules, state, events[:3], 2, say)[0]
    assert told == "5 on H8, 6 on H9 and 1 on H10, 12 → 4 points, 1 cross"
    view = state.view(None)
    assert isinstance(view, ZatreView)
    assert view.sheets[0].total == 8  # the cross doubles


def test_top12_tells_a_round_in_one_phrase_and_nothing_of_an_open_one() -> None:
    rules, state = game("top12"), game("top12").start(2, {"first": "host"})
    start = "10@A7 20@B2 30@C6 40@D5 50@E6"
    events = [Event("move", start, 0), Event("move", start, 1), Event("chance", "first 0")]
    events += [Event("move", "call 60", 0), Event("chance", "roll joker"), Event("move", "60@A9", 0)]
    for event in events:
        state.apply(event)
    say = sayer("en")
    assert retold(rules, state, events, 3, say) == {0: ["called 60"]}
    events.append(Event("move", "60@B3", 1))
    state.apply(events[-1])
    assert retold(rules, state, events, 3, say) == {
        0: ["called 60, entered in A9 (2 of 12 in A)"],
        1: ["60 in B3 (2 of 12 in B)"],
    }


def test_top_spot_says_who_won_the_last_round() -> None:
    wins = 0
    for state, events, last in turns(Case("topspot", 3), "rounds"):
        view = state.view(None)
        assert isinstance(view, TopSpotView)
        if last != len(events) - 1 or view.plays or view.last is None or view.last.how != "won":
            continue
        told = retold(game("topspot"), state, events, 0, kept)
        won = [
            (seat, one.values["n"]) for seat, each in told.items() for one in each if one.key.endswith("won")
        ]
        assert won == [(view.last.winner, view.last.points)]
        wins += 1
    assert wins > 5


EACH = (
    Case("fivetotwelve", 3, {"setup": "free"}),
    Case("top12", 3),
    Case("topominos", 3),
    Case("topspot", 4, {"level": "expert"}),
    Case("zatre", 4, {"partners": True}),
)


@pytest.mark.parametrize("case", EACH, ids=str)
def test_every_turn_is_told_briefly(case: Case) -> None:
    chance = Generator(str(case), "retold")
    for number, position in enumerate(walk(case, "retold")):
        state, events = position.state, position.events
        if number % 9 or not events or number > 300:
            continue
        since = chance.below(len(events))
        for language in LANGUAGES:
            say = sayer(language)
            for phrases in retold(case.rules, state, events, since, say).values():
                assert all(
                    0 < len(phrase) <= 150 and "\n" not in phrase and "?" not in phrase for phrase in phrases
                )
