"""What somebody typed and cannot be, refused with a reason one learns from."""

from __future__ import annotations

import pytest

from bot.locale import LANGUAGES, sayer
from bot.rules.errors import Illegal, Unreadable
from bot.rules.registry import GAME_IDS, game
from cogs.input.errors import explain

TAUGHT = {
    ("fivetotwelve", "21@A1"): "There is no 21 in this game: its numbers go from 1 to 20.",
    ("fivetotwelve", "take 7 @ e5"): "E5 is not on the board.",
    ("top12", "call 101"): "There is no 101 in this game: its numbers go from 1 to 100.",
    ("top12", "9@A13"): "A13 is not on the board.",
    ("zatre", "4@A1"): "A1 is not on the board.",
    ("zatre", "7 h8"): "There is no 7 in this game: its numbers go from 1 to 6.",
    ("topominos", "cf@D2"): "D2 is not on the board.",
    (
        "topominos",
        "abcde@A1",
    ): "No piece shows the dots abcde: write one to four letters from a to i, each once, "
    "as the piece shall lie.",
    (
        "topspot",
        "RA+RZ",
    ): "There is no card RZ: a card is a colour (R, Y, G, B or P) and a letter from A to L, the joker is *.",
    **{(game_id, "hello"): "I cannot read that as a move." for game_id in GAME_IDS},
}


@pytest.mark.parametrize(("game_id", "typed"), TAUGHT)
def test_what_cannot_be_read_is_refused_with_what_is_wrong(game_id: str, typed: str) -> None:
    state = game(game_id).start(game(game_id).max_seats, {})
    with pytest.raises(Unreadable) as refusal:
        state.read(0, typed)
    assert explain(refusal.value, sayer("en")) == TAUGHT[game_id, typed]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_colour_is_named_and_not_told_by_its_letter(language: str) -> None:
    rules, say = game("topspot"), sayer(language)
    [follow] = [example for example in rules.examples() if example.refused == "follow"]
    with pytest.raises(Illegal) as refusal:
        rules.check(follow.view, follow.move)
    told = explain(refusal.value, say)
    assert told is not None
    assert say("topspot.text.colour.R") in told
