"""The rules as people read them: complete to the last ruling, and honest about whose ruling it is."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module

import pytest

from bot.locale import LANGUAGES, keys, sayer
from bot.rules.errors import Illegal
from bot.rules.registry import GAME_IDS, GAMES, game
from rendering.examples import example_pictures
from rendering.scene import Scene
from rendering.theme import DARK, Colour

from .rendering.helpers import opened

HEADING = {"en": "### Our rulings\n", "de": "### Unsere Festlegungen\n"}
OURS = {"en": "this table plays it so:**", "de": "gilt an diesem Tisch:**"}
ELSEWHERE = {"en": "**What is not in the leaflet at all**", "de": "**Was gar nicht in der Anleitung steht**"}
RECONSTRUCTED = {"en": "reconstruction", "de": "Rekonstruktion"}
VERBS = ("call", "draw", "leave", "take", "keep", "end", "pass", "swap")
"""The words that begin a move without a cell or a card."""

EACH_TEXT = pytest.mark.parametrize(
    ("game_id", "language"), [(game_id, language) for game_id in GAME_IDS for language in LANGUAGES]
)


def parts(game_id: str, language: str) -> list[str]:
    say = sayer(language)
    count = sum(key.startswith(f"{game_id}.rules.") for key in keys(language))
    return [say(f"{game_id}.rules.{number}") for number in range(1, count + 1)]


def samples(game_id: str, language: str) -> list[str]:
    """Every move that a rules text quotes."""
    quoted = re.findall(r"`([^`]+)`", "\n".join(parts(game_id, language)))
    return [
        text
        for text in quoted
        if "@" in text
        or "*" in text
        or text.split(" ")[0] in VERBS
        or re.fullmatch(r"[RYGBP][A-L](\+[RYGBP][A-L])*", text)
    ]


@EACH_TEXT
def test_our_rulings_stand_at_the_end_under_a_heading_of_their_own(game_id: str, language: str) -> None:
    ours = [part.startswith(HEADING[language]) for part in parts(game_id, language)]
    assert ours == sorted(ours), "rules after rulings"
    assert any(ours)
    assert not ours[0]
    for part, our in zip(parts(game_id, language), ours, strict=True):
        marks = (OURS[language], ELSEWHERE[language], RECONSTRUCTED[language])
        assert our or not [mark for mark in marks if mark in part]


@EACH_TEXT
def test_a_beginner_reads_one_short_page(game_id: str, language: str) -> None:
    lines = sayer(language)(f"{game_id}.beginner").split("\n")
    assert len(lines) == 4
    assert max(map(len, lines)) <= 280


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_examples_are_what_the_rules_say_of_them(game_id: str) -> None:
    """Each is a move that its seat could try in that position; legal ones are legal, the others are refused
    for the reason that is shown."""
    rules = game(game_id)
    examples = rules.examples()
    assert {example.legal for example in examples} == {True, False}
    for example in examples:
        assert example.view.seat in example.view.actors
        if example.legal:
            rules.check(example.view, example.move)
            continue
        with pytest.raises(Illegal) as refusal:
            rules.check(example.view, example.move)
        assert refusal.value.code == example.refused


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_examples_are_drawn_each_as_its_own_picture(game_id: str) -> None:
    say = sayer("de")
    examples = game(game_id).examples()
    pictures = example_pictures(game_id, say, DARK)
    assert len({picture.png for picture in pictures}) == len(examples)
    drawn = import_module(GAMES[game_id].pictures).hand_pictures
    for example, picture in zip(examples, pictures, strict=True):
        bare = Scene(("Ada", "Ben", "Cleo")[: example.view.players], say)
        assert (
            drawn(example.view, replace(bare, draft=example.move))[0].png != drawn(example.view, bare)[0].png
        )
        assert picture.alt.startswith("✓ Erlaubt." if example.legal else "✗ Nicht erlaubt.")
        assert all(part in picture.alt for part in re.split(r"[@+]", example.move))  # what lies on trial


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_an_example_is_whole_boards_or_whole_cells(game_id: str) -> None:
    """Its edges lie between boards, or (of Zatre's, which is too large) between cells."""
    module, say = import_module(GAMES[game_id].pictures), sayer("en")
    board = {Colour.PANEL} if game_id != "zatre" else {Colour.LIT}
    solid = {DARK.rgb[colour] for colour in {Colour.IVORY, Colour.TEXT, Colour.MUTED, *board}}
    left, top, right, bottom = module.EXAMPLE
    for example in game(game_id).examples():
        scene = Scene(("Ada", "Ben", "Cleo")[: example.view.players], say, draft=example.move)
        whole = opened(module.hand_pictures(example.view, scene)[0].png).convert("RGB")
        width, height = whole.size
        part = whole.crop((int(left * width), int(top * height), int(right * width), int(bottom * height)))
        w, h = part.size
        for side in ((0, 0, w, 1), (0, h - 1, w, h), (0, 0, 1, h), (w - 1, 0, w, h)):
            colours = {colour for _, colour in part.crop(side).getcolors(w + h) or ()}
            assert colours.isdisjoint(solid), (example.name, side)


@EACH_TEXT
def test_what_the_leaflet_leaves_open_is_told_as_this_tables_own(game_id: str, language: str) -> None:
    own = [part for part in parts(game_id, language) if OURS[language] in part]
    assert len(own) == 1
    assert own[0].count("\n- ") >= 5


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", ["topominos", "topspot"])
def test_a_reconstructed_set_of_pieces_is_called_one(game_id: str, language: str) -> None:
    assert RECONSTRUCTED[language] in "\n".join(parts(game_id, language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("game_id", "assumed"),
    [
        (
            "topominos",
            {
                "en": (
                    "Which pieces there are",
                    "The first player",
                    "Alone",
                    "All passed",
                    "20 games",
                ),
                "de": ("Welche Steine es gibt", "Passen des Ersten", "Allein", "Alle gepasst", "20 Spielen"),
            },
        ),
        (
            "zatre",
            {
                "en": ("How many tiles of each number", "row 13", "Partners draw on their own turns"),
                "de": ("Wie viele Steine von jeder Zahl", "Zeile 13", "Paare ziehen im eigenen Zug"),
            },
        ),
    ],
)
def test_what_no_leaflet_says_is_told_apart(
    game_id: str, assumed: dict[str, tuple[str, ...]], language: str
) -> None:
    """Players took the tile counts, the later rows' bonus or the first player's pass for printed rules."""
    [told] = [part for part in parts(game_id, language) if ELSEWHERE[language] in part]
    for assumption in assumed[language]:
        assert assumption in told, assumption


@EACH_TEXT
def test_every_quoted_move_can_be_typed_as_it_stands(game_id: str, language: str) -> None:
    rules = game(game_id)
    quoted = samples(game_id, language)
    assert len(quoted) >= 2
    state = rules.start(rules.max_seats, {})
    for move in quoted:
        assert state.read(0, move) == move


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_both_languages_quote_the_same_moves(game_id: str) -> None:
    assert samples(game_id, "en") == samples(game_id, "de")


@EACH_TEXT
def test_every_option_is_explained(game_id: str, language: str) -> None:
    text = "\n".join(parts(game_id, language)).casefold()
    say = sayer(language)
    for option in game(game_id).option_list:
        assert say(f"{game_id}.option.{option.name}").casefold() in text, option.name
