"""Catalogues: complete, alike in their places, used, and read in the manner of the reader."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.pofile import read_po

import bot.locale
from bot.locale import DEFAULT, LANGUAGES, keys, listing, match, sayer, text
from bot.rules.registry import GAMES

FOLDER = Path(bot.locale.__file__).parent


def messages(language: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for path in sorted((FOLDER / language).glob("*.po")):
        with path.open("rb") as file:
            for message in read_po(file, locale=language, abort_invalid=True):
                if message.id:
                    key = message.id if isinstance(message.id, str) else message.id[0]
                    found[key] = (message.string,) if isinstance(message.string, str) else message.string  # type: ignore[assignment]
    return found


def places(one: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(one) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_of_every_other(language: str) -> None:
    every = set().union(*(keys(each) for each in LANGUAGES))
    assert every - keys(language) == set()


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != DEFAULT])
def test_a_translation_has_the_places_of_the_english_text(language: str) -> None:
    english = messages(DEFAULT)
    for key, forms in messages(language).items():
        wanted = set().union(*(places(form) for form in english[key]))
        for form in forms:
            assert places(form) <= wanted, key
        assert set().union(*(places(form) for form in forms)) == wanted, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_places_are_plain_names(language: str) -> None:
    for key, forms in messages(language).items():
        for form in forms:
            for _, name, spec, conversion in Formatter().parse(form):
                if name is not None:
                    assert re.fullmatch(r"[a-z_0-9]+", name), key
                    assert not spec, key
                    assert not conversion, key


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != DEFAULT])
def test_commands_are_called_as_that_language_calls_them(language: str) -> None:
    found = messages(language)
    called = {
        key: forms[0] for key, forms in messages(DEFAULT).items() if re.fullmatch(r"command\.\w+\.name", key)
    }
    foreign = [f"`/{name}`" for key, name in called.items() if found[key] != (name,)]
    assert len(foreign) == 3
    for key, forms in found.items():
        assert not [name for name in foreign for form in forms if name in form], key


NAMED = re.compile(r"\*\*?([^*{}\n]+)\*\*?|[“„]([^“”„\n]+)[“”]")
NO_CONTROLS = re.compile(r"\.lesson\.|\.rules\.")  # there a control's word is just a word


def named_in(forms: tuple[str, ...]) -> set[str]:
    """What stands in bold, italics or quotation marks."""
    return {(one or other).rstrip(" :…") for form in forms for one, other in NAMED.findall(form)}


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != DEFAULT])
def test_a_text_that_names_a_control_calls_it_as_the_control_is_called(language: str) -> None:
    """German said **Start** of a button on which stands Starten."""
    english, found = messages(DEFAULT), messages(language)
    called: dict[str, list[str]] = {}
    for key, forms in english.items():
        called.setdefault(forms[0].rstrip(" :…"), []).append(key)
    named = {
        (key, name)
        for key, forms in english.items()
        for name in named_in(forms) & called.keys()
        if not NO_CONTROLS.search(key)
    }
    assert {("hand.timed_out", "Your move"), ("lobby.too_late_to_leave", "Resign")} <= named
    assert not [
        (key, name)
        for key, name in named
        if not {found[one][0].rstrip(" :…") for one in called[name]} & named_in(found[key])
    ]


@pytest.mark.parametrize(("language", "press"), [("en", r"[Pp]ress"), ("de", r"[Dd]rücke(?: dort)?")])
def test_what_is_to_be_pressed_is_there_by_that_name(language: str, press: str) -> None:
    found = messages(language)
    labels = {forms[0] for key, forms in found.items() if ".button." in key}
    asked = re.compile(rf"{press} \*\*([^*{{}}]+)\*\*")
    pressed = {name for forms in found.values() for form in forms for name in asked.findall(form)}
    assert pressed
    assert pressed <= labels


def test_what_stands_beside_du_is_of_no_third_person() -> None:
    """It stands beside other names as well: `**Du:** konnte die 28 nicht eintragen`."""
    third = re.compile(r"(hat|hatte|konnte|kann|muss|musste|darf|durfte|ist|war|wurde|bekam|bekommt)\b")
    told = {key for key, forms in messages("de").items() if ".told." in key and third.match(forms[0])}
    assert told == {"fivetotwelve.told.reveal"}, "which is told of others alone"


def test_plural_forms_follow_the_number() -> None:
    say = sayer("de")
    assert say("playground.messages", n=1) == "1 Nachricht"
    assert say("playground.messages", n=0) == "0 Nachrichten"
    assert say("playground.messages", n=2) == "2 Nachrichten"


ALWAYS_SEVERAL = {
    "fivetotwelve.text.board",  # a board has sixteen cells
    "fivetotwelve.text.closed",  # ten turns for each player
    "topominos.why.several",  # at least one for each of the stacks
    "topspot.why.rest",  # one for the round, and one for each that follows
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_games_texts_and_pictures_count_has_its_singular(language: str) -> None:
    """`Letzter Zug: 1 Punkte` stood in a picture. A noun is known for a counted one by the plural forms of
    others."""
    found, nouns, of_number = messages(language), set[str](), re.compile(r"\{n\} (\w+)")
    for one, *more in found.values():
        for several in more:
            nouns |= set(of_number.findall(several)) - set(of_number.findall(one))
    assert len(nouns) > 15
    counted = re.compile(rf"\{{(\w+)\}} (?:{'|'.join(sorted(nouns))})n?\b")
    told = re.compile(r"\.(text|picture|why)\.|^pictures\.alt\.")
    assert {
        key
        for key, forms in found.items()
        for form in forms
        for place in counted.findall(form)
        if told.search(key) and (place != "n" or len(forms) == 1)
    } <= ALWAYS_SEVERAL


@pytest.mark.parametrize("language", LANGUAGES)
def test_reasons_for_a_move_are_sentences(language: str) -> None:
    """They stand in one list, under whole sentences; only Top Spot's were some themselves."""
    told = {key: forms for key, forms in messages(language).items() if key.split(".")[0] in GAMES}
    why = {key: forms for key, forms in told.items() if ".why." in key}
    assert {key.split(".")[0] for key in why} == GAMES.keys()
    sentence = re.compile(r"([A-ZÄÖÜ]|\{value\} ).*\.")  # a value is a number or a name, never a small word
    assert not [key for key, forms in why.items() if not all(map(sentence.fullmatch, forms))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_below_nought_a_number_has_the_minus_sign_that_the_pictures_write(language: str) -> None:
    """Texts had a hyphen, a picture too, another picture the sign."""
    minus = "\N{MINUS SIGN}2"
    assert text(language, "table.unit.points", n=-2).startswith(f"{minus} ")
    assert text(language, "topominos.told.game", game=2, n=-2).endswith(
        text(language, "table.unit.points", n=-2)
    )
    assert "-2" in text(language, "error.example", move="-2"), "what is typed stays as it is"


def test_a_value_cannot_reach_into_objects_or_be_expanded_again() -> None:
    assert text("en", "rules.setup.unknown_option", option="{option.__class__}") == (
        "This game has no option called {option.__class__}."
    )


def test_an_unknown_key_is_a_fault() -> None:
    with pytest.raises(KeyError):
        text("en", "no.such.key")


def test_a_locale_tag_finds_its_language() -> None:
    assert [match(tag) for tag in ("de", "de-AT", "en-GB", "pt-BR", None, "")] == [
        "de", "de", "en", "en", "en", "en",
    ]  # fmt: skip


def test_lists_are_joined_as_the_language_does() -> None:
    assert listing("en", ["Ada", "Ben", "Cleo"]) == "Ada, Ben, and Cleo"
    assert listing("de", ["Ada", "Ben"]) == "Ada und Ben"
    assert listing("de", []) == ""


def test_a_language_is_listed_in_its_own_words() -> None:
    """Who cannot read a page must find their language on it."""
    for language in LANGUAGES:
        names = {text(shown, f"common.language.{language}") for shown in LANGUAGES}
        assert names == {text(language, f"common.language.{language}")}


# A German imperative of these verbs ends in -e, as in "Wähle"; strong ones ("Nimm", "Gib") have none.
SHORT = re.compile(
    r"(?<!jedes )\b(Wähl|Leg|Schreib|Versuch|Prüf|Nenn|Frag|Drück|Zeig|Sag|Stell|Setz|Spiel|Deck|Zieh)\b"
    r"(?= (es|ihn|sie|ein|eine|einen|die|den|das|dem|genau|zuerst|bitte|alle|nur|Karten)\b)"
)


def test_german_has_one_imperative_and_the_terms_of_the_leaflets() -> None:
    every = {key: " ".join(forms) for key, forms in messages("de").items()}
    assert {key for key, said in every.items() if SHORT.search(said)} == set()
    assert [key for key, said in every.items() if re.search(r"\bAufbau|\bVorbereitung", said)] == []
    assert "Spielvorbereitung" in every["fivetotwelve.option.setup"]
    plans = {key for key in every if key.startswith("fivetotwelve.")}
    assert {key for key in plans if re.search(r"\bBrett", every[key])} == set(), "there it is a Spielplan"
    sums = {key for key in every if key.startswith("zatre.")}
    assert {key for key in sums if re.search(r"(Zehn|Elf|Zwölf)en\b", every[key])} == set(), "Zwölfer"
    for language, pile in (("en", "stack"), ("de", "Stapel")):
        told = {key: forms for key, forms in messages(language).items() if key.startswith("topspot.")}
        assert [key for key, forms in told.items() if re.search(rf"(?<!\{{){pile}", " ".join(forms))] == []
