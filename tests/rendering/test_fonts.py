"""Names of any script and length: never a fault, never wider than allowed, no letter silently lost."""

from __future__ import annotations

import unicodedata
from importlib.util import find_spec
from pathlib import Path

import pytest
from bidi import get_display
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.text import ELLIPSIS
from rendering import fonts

SCRIPTS = {
    "latin": "Żółć Ærø Ñandú",
    "greek": "Ελένη",
    "cyrillic": "Дмитрий",
    "arabic": "محمد علي",
    "hebrew": "שלום",
    "devanagari": "हिन्दी क्षत्रिय",
    "bengali": "বাংলা",
    "tamil": "தமிழ்",
    "telugu": "తెలుగు",
    "kannada": "ಕನ್ನಡ",
    "malayalam": "മലയാളം",
    "gujarati": "ગુજરાતી",
    "gurmukhi": "ਪੰਜਾਬੀ",
    "oriya": "ଓଡ଼ିଆ",
    "sinhala": "සිංහල",
    "thai": "ไทย",
    "lao": "ລາວ",
    "khmer": "ខ្មែរ",
    "myanmar": "မြန်မာ",
    "georgian": "ქართული",
    "armenian": "Հայերեն",
    "ethiopic": "አማርኛ",
    "emoji": "🎲🦊",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_has_its_letters(script: str) -> None:
    runs = fonts._runs(fonts.clusters(SCRIPTS[script]))
    assert all(run.face for run in runs)
    assert "".join(sorted("".join(run.text for run in runs))) == "".join(
        sorted(unicodedata.normalize("NFC", SCRIPTS[script]))
    )
    assert fonts.line(SCRIPTS[script], 28).mask.getbbox()


@pytest.mark.parametrize("text", ["日本語テスト", "한국어", "中文名字"])
def test_chinese_japanese_and_korean_come_with_the_extra_and_are_boxes_without_it(text: str) -> None:
    runs = fonts._runs(fonts.clusters(text))
    assert {run.face is not None for run in runs} == {find_spec("manimgx_fonts_cjk") is not None}
    assert "".join(run.text for run in runs) == text
    assert fonts.line(text, 28).mask.getbbox()


def test_letters_no_font_has_are_drawn_as_boxes() -> None:
    runs = fonts._runs(fonts.clusters("ab\ue000\ue001"))
    assert [(run.text, run.face is None, run.count) for run in runs] == [
        ("ab", False, 2),
        ("\ue000\ue001", True, 2),
    ]
    assert fonts.line("\ue000", 40).mask.getbbox()


def test_fancy_letters_become_plain_ones() -> None:
    assert [run.text for run in fonts._runs(fonts.clusters("𝕱𝖆𝖓𝖈𝖞"))] == ["Fancy"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("a \t\n b", ["a", " ", "b"]),
        # combining marks
        ("e\u0301a", ["é", "a"]),
        ("x\u0301\u0323y", ["x\u0323\u0301", "y"]),
        ("\u0301a", ["\u0301", "a"]),
        (" \u0301a", [" \u0301", "a"]),
        ("מִלָּה", ["מִ", "לָּ", "ה"]),
        ("عَلِيّ", ["عَ", "لِ", "يّ"]),
        # emoji: joined, of a skin, with a style, with tags, flags
        ("👩\u200d👩\u200d👧 x", ["👩\u200d👩\u200d👧", " ", "x"]),
        ("👩\u200d❤\ufe0f\u200d💋\u200d👨👨", ["👩\u200d❤\ufe0f\u200d💋\u200d👨", "👨"]),
        ("👩🏽\u200d🤝\u200d👨🏿x", ["👩🏽\u200d🤝\u200d👨🏿", "x"]),
        ("🐈\u200d⬛", ["🐈\u200d⬛"]),
        ("🙂\u200d↔\ufe0f", ["🙂\u200d↔\ufe0f"]),  # GB11: an arrow is pictographic, though a letter is not
        ("e\u200d👩", ["e\u200d", "👩"]),
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("☎\ufe0f☎", ["☎\ufe0f", "☎"]),
        ("1\ufe0f\u20e32", ["1\ufe0f\u20e3", "2"]),
        ("🏴\U000e0067\U000e0062\U000e007fa", ["🏴\U000e0067\U000e0062\U000e007f", "a"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("a🇩🇪🇫", ["a", "🇩🇪", "🇫"]),
        # Hangul, of jamo and of syllables
        ("\u1112\u1161\u11ab", ["한"]),
        ("한국\u11a8x", ["한", "국\u11a8", "x"]),
        ("\u1100\u1100\u1161", ["\u1100가"]),
        # the scripts of India and beyond
        ("தமிழ்", ["த", "மி", "ழ்"]),
        ("क्षत्रिय", ["क्ष", "त्रि", "य"]),  # GB9c: a conjunct is one letter
        ("क्\u200dष", ["क्\u200dष"]),
        ("ไทยนำ", ["ไ", "ท", "ย", "นำ"]),  # GB9a: SARA AM goes on
        ("မြန်မာ", ["မြ", "န်", "မ", "ာ"]),  # GB9a leaves AA out
        # what is seen of nothing, or steers
        ("\u202ea\u200bb\x00\x1b\xad", ["a", "b"]),
        ("\ud800x", ["x"]),
        ("\ufe0fa \ufe0fb", ["a", " ", "b"]),
        ("می\u200cخ", ["م", "ی\u200c", "خ"]),
    ],
)
def test_letters_stay_whole_and_controls_are_dropped(text: str, parts: list[str]) -> None:
    assert fonts.clusters(text) == parts


def test_no_letter_carries_a_tower_of_marks() -> None:
    (letter,) = fonts.clusters("x" + "\u0334\u0335\u0336\u0337\u0338" * 20)
    assert len(letter) == 1 + fonts.MOST_MARKS


def shown(text: str) -> list[str]:
    """The stretches of one direction, from left to right; "<" stands before those that run leftwards."""
    merged: list[tuple[bool, str]] = []
    for run in fonts._runs(fonts.clusters(text)):  # neighbours of one direction may differ in font
        leftward = run.leftward
        if merged and merged[-1][0] == leftward:
            before = merged.pop()[1]
            merged.append((leftward, run.text + before if leftward else before + run.text))
        else:
            merged.append((leftward, run.text))
    return ["<" + text if leftward else text for leftward, text in merged]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("abc 12", ["abc 12"]),
        ("שלום, עולם!", ["<שלום, עולם!"]),
        ("🎲 דנה 🦊", ["<🎲 דנה 🦊"]),
        # with another script: a line with any rightward letter runs rightwards
        ("abc אבג def", ["abc ", "<אבג", " def"]),
        ("אבג abc", ["<אבג", " abc"]),
        ("a-ב-c", ["a-", "<ב", "-c"]),
        ("Zoë & דנה & Max", ["Zoë & ", "<דנה", " & Max"]),
        # digits
        ("אבג 12", ["12", "<אבג "]),
        ("12 محمد", ["< محمد", "12"]),
        ("אבג 12.5", ["12.5", "<אבג "]),
        ("10:30 דן", ["< דן", "10:30"]),
        ("محمد ١٢٣", ["١٢٣", "<محمد "]),
        ("Ali محمد ١٢", ["Ali ١٢", "<محمد "]),
        ("דן #1", ["#1", "<דן "]),  # W5: what goes with numbers
        ("50% דן", ["< דן", "50%"]),
        ("₪12 דן", ["< דן", "₪12"]),
        ("1+2 א", ["< א", "1+2"]),  # W4: one sign between two digits
        # brackets
        ("(אבג)", ["<(אבג)"]),
        ("Ann [דן]", ["Ann [", "<דן", "]"]),
        ("דן (12)", ["<)", "12", "<דן ("]),
        ("محمد (Ali)", ["<محمد", " (Ali)"]),
        ("דן (Ann) x", ["<דן", " (Ann) x"]),
        ("Dan (דן) 12", ["Dan (", "<דן", ") 12"]),  # N0: brackets are a pair
    ],
)
def test_runs_come_in_visual_order(text: str, order: list[str]) -> None:
    assert shown(text) == order


FONTS = {
    "aéŽßĄơ ѕЖЯΩω0123456789₿₪€…": "NotoSans[wght].ttf",
    "شعیگ٣۴": "NotoSansArabic[wght].ttf",
    "ԱՖև": "NotoSansArmenian[wght].ttf",
    "অৎ৳": "NotoSansBengali[wght].ttf",
    "अक्षॐ९": "NotoSansDevanagari[wght].ttf",
    "ሀፐ": "NotoSansEthiopic[wght].ttf",
    "აჰᲐ": "NotoSansGeorgian[wght].ttf",
    "અૐ": "NotoSansGujarati[wght].ttf",
    "ਅੴ": "NotoSansGurmukhi[wght].ttf",
    "אתּ": "NotoSansHebrew[wght].ttf",
    "ಅೠ": "NotoSansKannada[wght].ttf",
    "កឳ": "NotoSansKhmer[wght].ttf",
    "ກໝ": "NotoSansLao[wght].ttf",
    "അൿ": "NotoSansMalayalam[wght].ttf",
    "ကဿ": "NotoSansMyanmar[wght].ttf",
    "ଅୱ": "NotoSansOriya[wght].ttf",
    "අ෴": "NotoSansSinhala[wght].ttf",
    "☮♫①→": "NotoSansSymbols[wght].ttf",
    "அௐ": "NotoSansTamil[wght].ttf",
    "అౠ": "NotoSansTelugu[wght].ttf",
    "กฮ฿": "NotoSansThai[wght].ttf",
    "🎲🦊🏴🇩👍": "NotoEmoji[wght].ttf",
    "⚅\ue000\uffff\U0001e900Ꮤᠮⴰꓐ": "",
}


@pytest.mark.parametrize("letters", FONTS)
def test_every_letter_has_its_font(letters: str) -> None:
    faces = [fonts._face_for(letter, None) for letter in letters]
    assert {Path(face.path).name if face else "" for face in faces} == {FONTS[letters]}


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abאבعد١2 ()[]-+.,:/#%!₪🎲\u0301\u05b0", min_size=1, max_size=fonts.MOST_CLUSTERS))
def test_numbering_the_letters_changes_nothing_about_their_order(text: str) -> None:
    order = fonts._visual(list(text))
    assert sorted(at for at, _ in order) == list(range(len(text)))
    leftward = not {"א", "ב", "ع", "د"}.isdisjoint(text) and {"a", "b"}.isdisjoint(text)
    assert "".join(text[at] for at, _ in order) == get_display(text, base_dir="R" if leftward else "L")
    for at, leftward in order:
        assert not (leftward and text[at] in "ab2١") and not (not leftward and text[at] in "אבعد")


def test_a_short_name_keeps_its_size_and_a_long_one_gets_an_ellipsis() -> None:
    assert fonts.fitted("Ana", 28, 200).size == 28
    assert fonts.fitted("Ana Müller", 28, round(fonts.width("Ana Müller", 24)), 20).size in {23, 24}
    cut = fonts.fitted("W" * 32, 28, 200, 20)
    assert cut.size == 20 and cut.text.endswith(ELLIPSIS) and 150 < cut.width <= 200


def test_cutting_never_splits_a_family() -> None:
    cut = fonts.fitted("👩‍👩‍👧‍👦" * 12, 28, 150, 20)
    assert set(cut.text.removesuffix(ELLIPSIS).split("👩‍👩‍👧‍👦")) == {""}


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.integers(1, 300))
def test_any_string_fits_any_width(text: str, most: int) -> None:
    found = fonts.fitted(text, 26, most, 20)
    assert 1 <= found.width <= most
    assert found.mask.height == round(found.size * fonts.ASCENT) + round(found.size * fonts.DESCENT)


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet=st.characters(min_codepoint=0x300, max_codepoint=0x1FAFF), max_size=24))
def test_any_letters_are_drawn_without_fault(text: str) -> None:
    assert fonts.line(text, 24).mask.width >= 1
