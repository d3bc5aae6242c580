"""A move in a hint and in a moment: said to its reader, in whole sentences, its pieces called as the buttons
call them."""

from __future__ import annotations

import re

import pytest

from bot.locale import LANGUAGES, keys, sayer
from bot.players import player_of
from bot.rules.game import View, played
from bot.rules.registry import GAMES, game
from bot.rules.zatre import INDEX, KEEP, Placement, ZatreView, next_placements, placements_text
from cogs.surfaces.wording import told_as_done, told_to_do
from tests.players.test_advice import walk
from tests.players.test_fivetotwelve import set_up
from tests.players.test_zatre import holding
from tests.sweeps import swept


def at(name: str) -> View:
    """A position of somebody who is to decide, near the beginning of a game."""
    state = next(walk(name, max(2, game(name).min_seats), "voices", 1))
    return state.view(state.actors()[0])


def moves_of(name: str, view: View) -> list[str]:
    """Some that may be played there, and what is weighed."""
    weighed = [one.move for one in player_of(name).candidates(view)]
    try:
        legal = game(name).legal(view)
    except ValueError:  # too many to be listed
        legal = []
    return [*weighed[:5], *legal[:: max(1, len(legal) // 20)]]


@pytest.mark.parametrize("name", swept(GAMES, daily=("topspot", "topominos", "fivetotwelve")))
def test_every_move_is_told_to_its_reader_in_every_language(name: str) -> None:
    told = 0
    for state in walk(name, max(2, game(name).min_seats), "voices", 40):
        view = state.view(state.actors()[0])
        for move in moves_of(name, view):
            for language in LANGUAGES:
                say = sayer(language)
                for sentence in (told_to_do(name, view, move, say), told_as_done(name, view, move, say)):
                    assert sentence.endswith("."), sentence
                    assert "  " not in f" {sentence}", sentence
                    told += 1
    assert told >= 100


@pytest.mark.parametrize("name", GAMES)
def test_each_kind_of_move_has_both_voices(name: str) -> None:
    known = keys("en")
    kinds = {key.removeprefix(f"{name}.do.") for key in known if key.startswith(f"{name}.do.")}
    assert kinds
    assert kinds == {key.removeprefix(f"{name}.did.") for key in known if key.startswith(f"{name}.did.")}
    assert {f"{name}.event.{kind}" for kind in kinds} <= known, "each is a move that the history tells too"


TOLD = [
    ("topspot", "RL", "Play RL, worth 5 spots.", "Du hast RL gespielt, Wert 5 Punkte."),
    ("top12", "call 42", "Call 42.", "Du hast 42 genannt."),
    ("top12", "42@B3", "Enter 42 in B3.", "Du hast 42 in B3 eingetragen."),
    ("fivetotwelve", "draw", "Reveal a face-down tile.", "Du hast ein Plättchen aufgedeckt."),
    (
        "fivetotwelve",
        "take 7@B2",
        "Take the 7 from the middle and lay it on B2.",
        "Du hast die 7 aus der Mitte genommen und auf B2 gelegt.",
    ),
    ("fivetotwelve", "7@A1", "Lay 7 on A1.", "Du hast 7 auf A1 gelegt."),
    ("zatre", "keep", "Lay nothing.", "Du hast nichts gelegt."),
    ("zatre", "4@H8", "Lay 4 on H8.", "Du hast 4 auf H8 gelegt."),
    ("topominos", "pass", "Pass.", "Du hast gepasst."),
]


@pytest.mark.parametrize(("name", "move", "english", "german"), TOLD)
def test_a_hint_says_what_to_do_and_a_moment_what_one_did(
    name: str, move: str, english: str, german: str
) -> None:
    view = at(name)
    assert told_to_do(name, view, move, sayer("en")) == english
    assert told_as_done(name, view, move, sayer("de")) == german


@pytest.mark.parametrize(
    ("move", "english", "german"),
    [
        ("2@A1", "Exchange the 3 on A1 for the 2.", "Du hast die 3 auf A1 gegen die 2 ausgetauscht."),
        (
            "take 6@B2",
            "Take the 6 from the middle and exchange the 8 on B2 for it.",
            "Du hast die 6 aus der Mitte genommen und die 8 auf B2 gegen sie ausgetauscht.",
        ),
    ],
)
def test_a_tile_that_takes_the_place_of_another_is_exchanged(move: str, english: str, german: str) -> None:
    boards = [{"A1": 3, "B2": 8, "C3": 13, "D4": 18}, {"A1": 1, "B2": 7, "C3": 12, "D4": 19}]
    view = set_up(boards, middle=(6,), hand=0 if "take" in move else 2).view(0)
    assert move in game("fivetotwelve").legal(view)
    assert told_to_do("fivetotwelve", view, move, sayer("en")) == english
    assert told_as_done("fivetotwelve", view, move, sayer("de")) == german


def test_who_ended_a_turn_of_topominos_is_told_what_they_had_laid() -> None:
    """A moment said that they ended it, and no more."""
    state = game("topominos").start(2, {})
    played(state, "lots abcd a", "draw a abc abe abf abg", "draw ab abd b e e", "abc@B2")
    view = state.view(0)
    assert told_as_done("topominos", view, "end", sayer("en")) == "You laid abc in B2 and ended the turn."
    german = "Du hast abc in B2 gelegt und den Zug beendet."
    assert told_as_done("topominos", view, "end", sayer("de")) == german
    assert told_to_do("topominos", view, "end", sayer("en")) == "End the turn."


def test_a_tile_that_is_left_is_named() -> None:
    boards = [{"A1": 3, "B2": 8, "C3": 13, "D4": 18}, {"A1": 1, "B2": 7, "C3": 12, "D4": 19}]
    view = set_up(boards, hand=9).view(0)
    assert told_to_do("fivetotwelve", view, "leave", sayer("en")) == "Leave the 9 in the middle."
    assert told_as_done("fivetotwelve", view, "leave", sayer("de")) == (
        "Du hast die 9 in der Mitte liegen lassen."
    )


def test_a_joker_that_leads_names_its_colour_and_sets_nothing_in_italics() -> None:
    told = told_to_do("topspot", at("topspot"), "*+RA:G", sayer("en"))
    assert told.startswith("Lead \\*+RA, worth ")
    assert told.endswith(" and name green (G).")


def test_a_turned_piece_is_called_as_its_button_calls_it() -> None:
    view = at("topominos")
    assert told_to_do("topominos", view, "gi@B2", sayer("en")) == "Lay ac in B2, its dots on gi."
    assert (
        told_as_done("topominos", view, "gi@B2", sayer("de")) == "Du hast ac in B2 gelegt, die Punkte auf gi."
    )


def test_every_piece_that_a_hint_of_topominos_lays_has_a_button() -> None:
    laid = 0
    for state in walk("topominos", 2, "pieces", 30):
        view = state.view(state.actors()[0])
        for move in game("topominos").legal(view):
            if "@" in move:
                piece = told_to_do("topominos", view, move, sayer("en")).split()[1]
                assert piece in view.rack
                laid += 1
    assert laid >= 100


def test_tiles_are_told_in_an_order_in_which_they_can_be_laid() -> None:
    """Another one names a tile that no button offers yet."""
    view = holding((2, 4), "1@H8 3@H9").view(0)
    assert told_to_do("zatre", view, "4@H6 2@H7", sayer("en")) == "Lay 2 on H7 and 4 on H6."
    assert told_as_done("zatre", view, "4@H6 2@H7", sayer("de")) == "Du hast 2 auf H7 und 4 auf H6 gelegt."


def test_every_tile_of_a_hint_of_zatre_has_its_button_when_its_turn_comes() -> None:
    several = 0
    for state in walk("zatre", 2, "tiles", 12):
        view = state.view(state.actors()[0])
        assert isinstance(view, ZatreView)
        for move in moves_of("zatre", view):
            told = re.findall(r"([1-6]) on ([A-O][0-9]+)", told_to_do("zatre", view, move, sayer("en")))
            laid: list[Placement] = []
            for tile, cell in told:
                placement = INDEX[cell], int(tile)
                assert placement in next_placements(view, placements_text(laid) if laid else "")
                laid.append(placement)
            assert (placements_text(laid) if laid else KEEP) == move
            several += len(laid) > 1
    assert several >= 50
