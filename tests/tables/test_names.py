"""Names are other people's input: what is kept of them, and that none passes for a machine or the host."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace

import pytest
import regex

from bot.levels import Level
from bot.locale import LANGUAGES, keys, sayer, text
from bot.tables.model import Seat, SeatKind, Status, Table
from bot.tables.names import AUTOMATIC, HOST, clean, seen, stored
from bot.text import cut, shortened, units
from cogs.surfaces import wording
from tests.cogs.test_fullest import full_table

COMPUTERS = [
    key for key in keys("de") if key.startswith(("tables.seat.computer", "lobby.button", "lesson.button"))
]
MARKS = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"]


def table_of(*seats: Seat) -> Table:
    return replace(full_table("zatre", Status.PLAYING, (SeatKind.HUMAN,)), seats=seats)


@pytest.mark.parametrize("language", LANGUAGES)
def test_computer_players_are_numbered_among_themselves(language: str) -> None:
    """By their seats, so that the only one at a table could be "Computer 3"; nobody's number changes when
    another one comes to a seat that was given up."""
    say = sayer(language)
    ann, machine = Seat(0, SeatKind.HUMAN, 1, "Ann"), Seat(0, SeatKind.COMPUTER, None, "")

    def named(*seats: Seat) -> list[str]:
        table = table_of(*(replace(seat, index=index) for index, seat in enumerate(seats)))
        assert wording.names(table, say) == wording.bare_names(table, say)
        return list(wording.names(table, say))

    alone = say("tables.seat.computer.medium")
    first, second, third = (
        say("tables.seat.computer.medium.numbered", number=number) for number in (1, 2, 3)
    )
    assert len({alone, first, second, third}) == 4
    assert named(ann, ann, machine) == ["Ann", "Ann", alone]
    assert named(machine, ann, machine) == [first, "Ann", second]
    came, later = (replace(machine, name=number) for number in "23")
    assert named(came, ann, machine) == [second, "Ann", alone]
    assert named(came, later, machine) == [second, third, alone]
    assert named(later, machine, machine) == [third, first, second]
    assert named(replace(machine, name="1"), ann, came) == [alone, "Ann", second]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("level", Level)
def test_in_pictures_and_titles_computer_players_have_short_names(language: str, level: Level) -> None:
    """Their strength first, and the same number as elsewhere."""
    say = sayer(language)
    machine = Seat(0, SeatKind.COMPUTER, None, "", level=level)
    strength = say(f"tables.level.{level.value}").capitalize()
    for count in (1, 3):
        table = table_of(*(replace(machine, index=index) for index in range(count)))
        numbers = [""] if count == 1 else [f" {number}" for number in range(1, 1 + count)]
        pictured, told = wording.whole_names(table, say), wording.names(table, say)
        assert pictured == wording.titled_names(table, say)
        assert pictured == tuple(f"{AUTOMATIC} {strength}{number}" for number in numbers)
        for name, number in zip(told, numbers, strict=True):
            assert strength.lower() in name.lower()
            assert number in name


def test_no_german_computer_is_heavy_or_lighter() -> None:
    """An adjective before the noun tells of the machine: how much it weighs, how large it is."""
    told = [text("de", key, number=2, n=n) for n in (1, 2) for key in COMPUTERS]
    assert not [one for one in told if re.search(r"(leicht|mittler|schwer)\w* computer", one.lower())]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("kind", "hinted", "key"),
    [
        (SeatKind.HUMAN, "3.a", "tables.seat.hints"),
        (SeatKind.HUMAN, "", "tables.seat.hints.before"),
        (SeatKind.COMPUTER, "3.a", "tables.seat.hints.before"),
    ],
)
def test_hints_of_who_sat_there_before_are_told_as_theirs(
    language: str, kind: SeatKind, hinted: str, key: str
) -> None:
    say = sayer(language)
    person = kind is SeatKind.HUMAN
    seat = Seat(0, kind, 5 if person else None, "Fay" if person else "", hints=2, hinted=hinted)
    table = table_of(seat)
    assert "2" not in wording.seat_line(table, seat, say)
    ended = replace(table, status=Status.ENDED)
    told = wording.seat_line(ended, seat, say)
    assert told == say(key, name=wording.shown_name(ended, seat, say), n=2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_name_passes_for_a_machine_or_a_seat_given_up(language: str) -> None:
    say = sayer(language)
    table = table_of(*(Seat(index, SeatKind.COMPUTER, None, "") for index in range(6)))
    labels = {wording.seat_name(table, seat, say) for seat in table.seats}
    labels |= {
        wording.seat_line(table, Seat(0, kind, 1, "Ann"), say) for kind in (SeatKind.STAND_IN, SeatKind.OPEN)
    }
    for label in labels:
        assert AUTOMATIC in label
        for copied in (
            label,
            label.replace("\u2699", "\u2699\ufe0f"),
            label.replace("\u2699", "\u200d\u2699"),
        ):
            person = Seat(0, SeatKind.HUMAN, 1, stored(copied, 1))
            old = Seat(0, SeatKind.HUMAN, 1, copied)  # stored before names were cleaned like this
            for seat in (person, old):
                shown = wording.seat_line(table, seat, say) + wording.seat_name(table, seat, say)
                assert AUTOMATIC not in shown


@pytest.mark.parametrize(
    "sign", ["⎈", "☼", "☖", "☗", "⬟", "⬠", "⚙", "⛭", "⛮", "⛯", "☸", "🛞", "⌂", "🏠", "🏡", "🏚", "🏘", "🛖"]
)
def test_no_name_has_a_sign_that_looks_like_those_of_machines_and_hosts(sign: str) -> None:
    for name in (f"{sign} Ann", f"{sign}\ufe0f Ann", f"Ann {sign}\ufe0e"):
        assert stored(name, 1) == "Ann"
        assert wording.bare(name) == "Ann"
    assert stored(sign, 12345) == "#2345"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_name_passes_for_the_host(language: str) -> None:
    say = sayer(language)
    table = table_of()
    label = say("lobby.host", name="Ann")
    assert HOST in label
    for copied in (label, label.replace(HOST, HOST + "\ufe0f"), label.replace(HOST, "🏠\ufe0e")):
        for name in (stored(copied, 1), copied):  # stored now, or before names were cleaned like this
            seat = Seat(0, SeatKind.HUMAN, 1, name)
            assert wording.seat_line(table, seat, say) == wording.plain(label[2:])
            assert wording.bare(name) == label.removeprefix(f"{HOST} ")


def test_no_format_mark_survives_where_it_is_not_needed() -> None:
    assert len(MARKS) > 150
    for mark in MARKS:
        assert clean(f"A{mark}nn") == "Ann", hex(ord(mark))
        assert clean(mark) == ""
    for mark in "\u034f\ufe00\U000e0101\u180b\u17b4":
        assert clean(f"A{mark}nn") == "Ann", hex(ord(mark))


@pytest.mark.parametrize(
    "name",
    [
        "👩\u200d🚀",
        "❤\ufe0f",
        "❤\ufe0f\u200d🔥",
        "🏴\u200d☠\ufe0f",
        "🙂\u200d↔\ufe0f",
        "ℹ\ufe0f",
        "👩🏽\u200d🚀",
        "می\u200cخواهم",
        "क्\u200dष",
        "محمد",
        "שלום",
        "👋🏽 Zoë",
        "🇩🇪",
        "1\ufe0f\u20e3",
    ],
)
def test_what_scripts_and_emoji_need_stays(name: str) -> None:
    assert clean(name) == name


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("!\ufe0f", "!"),
        ("÷\ufe0f", "÷"),
        ("👩\u200dx", "👩x"),
        ("👩\u200d⚙", "👩"),
        ("é\u200d👩", "é👩"),
    ],
)
def test_what_makes_no_emoji_goes(name: str, kept: str) -> None:
    assert clean(name) == kept


def test_what_shows_nothing_goes_wherever_it_stands() -> None:
    ignored = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]")
    others = {0xE000, 0xF8FF, 0xF0000, 0x10FFFD, 0x2800, 0xFFFC, 0x1D159, 0x13441, 0x13442, 0x16FE4}
    letters = (chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    nothing = [letter for letter in letters if ord(letter) in others or ignored.match(letter)]
    for letter in nothing:
        needed = letter in "\u200c\u200d\ufe0e\ufe0f"
        for around in ("a{}b", "{}") if needed else ("a{}b", "{}", "नि{}न", "😀{}😀", "م{}م"):
            assert letter not in clean(around.format(letter)), hex(ord(letter))
        assert stored(letter, 12345) == "#2345"


def test_nothing_is_drawn_around_a_letter_but_a_key() -> None:
    for mark in "\u0488\u0489\u20dd\u20de\u20e0\ua670\u20e3":
        assert clean(f"O{mark}") == "O"
    assert clean("#\ufe0f\u20e3") == "#\ufe0f\u20e3"
    assert clean("1\u20e3") == "1\u20e3"


@pytest.mark.parametrize("name", ["🎡", "☀\ufe0f", "🤖", "♿", "🏰", "⚛\ufe0f", "␢", "∅", "�", "⛊"])
def test_other_signs_stay(name: str) -> None:
    assert stored(name, 1) == name


def test_marks_are_capped_and_never_sit_on_what_stands_before() -> None:
    assert clean("\u0301\u0301Z" + "\u0338" * 40 + "algo") == "Z" + "\u0338" * 3 + "algo"


def test_what_cannot_be_seen_is_no_name() -> None:
    for name in ("", "\u3164\u2800", "\u200d\u061c", AUTOMATIC, "\u0301"):
        assert stored(name, 123_456) == "#3456"
        assert not seen(clean(name))


@pytest.mark.parametrize(
    ("name", "most", "kept"),
    [
        ("abc", 3, "abc"),
        ("Ann Maria", 5, "Ann…"),
        ("a" * 9 + "🇩🇪", 12, "a" * 9 + "…"),
        ("ab🇩🇪🇫🇷", 7, "ab🇩🇪…"),
        ("ab👩\u200d🚀c", 5, "ab…"),
        ("👩\u200d👩\u200d👧", 5, "…"),
        ("ab👍🏽c", 6, "ab…"),
        ("1\ufe0f\u20e32\ufe0f\u20e3", 5, "1\ufe0f\u20e3…"),
        ("ne\u0301e\u0301", 4, "ne\u0301…"),
        ("קָמָץ", 4, "קָ…"),
        ("한국어 이름", 4, "한국어…"),
        ("\u1112\u1161\u11ab\u1100", 3, "…"),  # the jamo of a syllable stay together (GB7, GB8)
        ("क्षत्रिय", 5, "क्ष…"),  # a conjunct is one letter (UAX 29, GB9c)
        ("ไทยนำไทย", 5, "ไทย…"),  # SARA AM goes on (GB9a)
        ("မြန်မာမြန်", 6, "မြန်မ…"),  # AA is a letter of its own (GB9a leaves it out)
        ("🏴\U000e0067\U000e0062\U000e007fab", 7, "…"),  # the tags belong to the flag (GB9)
    ],
)
def test_a_name_is_cut_between_letters(name: str, most: int, kept: str) -> None:
    assert cut(name, most) == kept


@pytest.mark.parametrize(
    ("name", "most", "kept"),
    [
        ("abc", 3, "abc"),
        ("Ann Maria", 8, "Ann M…ia"),
        ("Ann Maria", 5, "Ann…a"),
        ("ab👩‍🚀👩‍🚀cd", 6, "ab…d"),
        ("🇩🇪🇫🇷🇮🇹", 9, "🇩🇪🇫🇷…"),
        ("🇩🇪🇫🇷🇮🇹", 4, "…"),
    ],
)
def test_a_long_name_gives_way_in_its_middle_between_letters(name: str, most: int, kept: str) -> None:
    assert shortened(name, most) == kept
    assert units(kept) <= most


@pytest.mark.parametrize("surface", [wording.bare, wording.plain, wording.titled])
def test_a_long_name_is_cut_once_from_the_whole(surface: Callable[[str], str]) -> None:
    """In text it was cut at its end, and what was left of it once more, in its middle, in pictures."""
    whole = "Maximilian-Alexander von und zu Hohenlohe"
    shown = surface(whole).replace("\\", "")
    assert (shown[:10], shown[-9:], shown.count("…")) == ("Maximilian", "Hohenlohe", 1)
    assert len(shown) <= wording.NAME
    assert surface(stored(whole, 1)) == surface(whole)


def test_letters_are_counted_as_the_place_counts_them() -> None:
    assert cut("ab👩\u200d🚀c", 6, len) == "ab👩\u200d🚀c"
    assert cut("ab👩\u200d🚀cd", 6, len) == "ab👩\u200d🚀…"


@pytest.mark.parametrize(
    "name",
    [
        "<@123> @everyone",
        "[x](https://evil.example)",
        "**discord.gg/abc**",
        "`a`||b||",
        "# head",
        "<#12><:e:1>",
    ],
)
def test_a_threads_name_holds_nothing_alive(name: str) -> None:
    shown = wording.titled(name)
    assert shown
    assert not set("@/:<>[]()*_`|#~\\") & set(shown)
