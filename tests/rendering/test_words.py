"""What the words on and for the pictures of all games have in common."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from bot.locale import sayer
from bot.rules.registry import GAMES, game
from rendering import parts
from tests.sketches import sketched

from .helpers import NAMES, position, scene

LONGEST = 2000  # moves of any game


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", GAMES)
def test_the_end_is_told_without_saying_anything_twice(name: str, language: str) -> None:
    view = position(name, max(2, game(name).min_seats), LONGEST).view(None)
    assert view.outcome is not None
    pictures = import_module(GAMES[name].pictures)
    for picture in pictures.table_pictures(view, scene(view, language)):
        sentences = re.split(r"(?<=[.!?])\s+", picture.alt)
        assert len(sentences) > 2
        assert [one for one in sentences if sentences.count(one) > 1] == []


OF_A_TURN = re.compile(
    r"(text|alt)\.(turn|again|place|drawing|waiting|chosen|call|setup|phase_turn|mode_.*|opening|must_lay)$"
    r"|picture\.(call|setup.*|any_column|column|number|lead|follow|free|wait|beat|only_jokers)$"
)


@pytest.mark.parametrize("name", ["topominos", "zatre"])
def test_points_below_nought_have_the_minus_sign_that_texts_have(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    pictures, scores = import_module(GAMES[name].pictures), set()
    plate = parts.plate

    def noted(*given: Any, score: str = "", **more: Any) -> None:
        scores.add(score)
        plate(*given, score=score, **more)

    monkeypatch.setattr(parts, "plate", noted)
    view = replace(position(name, 2, LONGEST).view(None), scores=(-2, 3))
    with sketched():
        pictures.table_pictures(view, scene(view))
    assert scores == {"\N{MINUS SIGN}2", "3"}


@pytest.mark.parametrize("name", GAMES)
def test_of_a_game_that_was_given_up_nothing_says_whose_turn_it_is(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    pictures, said, at_turn = import_module(GAMES[name].pictures), [], []
    words, plate = sayer("en"), parts.plate

    def say(key: str, /, **values: object) -> str:
        said.append(key)
        return words(key, **values)

    def noted(*given: Any, active: bool = False, **more: Any) -> None:
        at_turn.append(active)
        plate(*given, active=active, **more)

    monkeypatch.setattr(parts, "plate", noted)
    with sketched():
        for moves in (0, 1, 2, 5, 6, 7, 30):
            state = position(name, max(3, game(name).min_seats), moves)
            for seat in (None, 0, 1):
                view = state.view(seat)
                for shown in (view, replace(view, actors=())):
                    said.clear()
                    at_turn.clear()
                    given = replace(scene(shown), say=say)
                    pictures.table_pictures(shown, given)
                    pictures.hand_pictures(shown, given)
                    game(name).board_text(shown, NAMES, say)
                    told = [key for key in said if OF_A_TURN.search(key)]
                    assert bool(told) is bool(shown.actors), (moves, seat, told)
                    assert any(at_turn) <= bool(shown.actors), (moves, seat)
