"""A move in a hint and in a moment: said to its reader, in whole sentences, its pieces called as the buttons
call them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.locale import LANGUAGES, keys, sayer
from bot.players import player_of
from bot.rules.game import View
from bot.rules.registry import GAMES, game
from bot.tables.model import SeatKind, Status, Table
from cogs.surfaces.wording import told_as_done, told_to_do
from tests.players.test_advice import walk
from tests.sweeps import swept

from .test_fullest import full_table

NAME = "Somebody"


def at(name: str) -> Table:
    table = full_table(name, Status.PLAYING, (SeatKind.HUMAN,) * 4)
    return replace(table, seats=tuple(replace(seat, name=NAME) for seat in table.seats))


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
    table, told = at(name), 0
    for state in walk(name, max(2, game(name).min_seats), "voices", 40):
        seat = state.actors()[0]
        for move in moves_of(name, state.view(seat)):
            for language in LANGUAGES:
                say = sayer(language)
                for sentence in (told_to_do(table, seat, move, say), told_as_done(table, seat, move, say)):
                    assert NAME not in sentence, sentence
                    assert sentence != say("history.unreadable"), move
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
    table = at(name)
    assert told_to_do(table, 0, move, sayer("en")) == english
    assert told_as_done(table, 0, move, sayer("de")) == german


def test_a_joker_that_leads_names_its_colour_and_sets_nothing_in_italics() -> None:
    assert told_to_do(at("topspot"), 0, "*+RA:G", sayer("en")).startswith("Lead \\*+RA, worth ")
    assert told_to_do(at("topspot"), 0, "*+RA:G", sayer("en")).endswith(" and name green (G).")


def test_a_turned_piece_is_called_as_its_button_calls_it() -> None:
    table = at("topominos")
    assert told_to_do(table, 0, "gi@B2", sayer("en")) == "Lay ac in B2, its dots on gi."
    assert told_as_done(table, 0, "gi@B2", sayer("de")) == "Du hast ac in B2 gelegt, die Punkte auf gi."


def test_every_piece_that_a_hint_of_topominos_lays_has_a_button() -> None:
    table, laid = at("topominos"), 0
    for state in walk("topominos", 2, "pieces", 30):
        seat = state.actors()[0]
        view = state.view(seat)
        for move in game("topominos").legal(view):
            if "@" in move:
                piece = told_to_do(table, seat, move, sayer("en")).split()[1]
                assert piece in view.rack
                laid += 1
    assert laid >= 100
