"""Names of any script and length: never a fault, never wider than allowed, no letter silently lost."""

from __future__ import annotations

import unicodedata
from importlib.util import find_spec

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@pytest.mark.skipif(not find_spec("manimgx_fonts_cjk"), reason="the extra cjk is not installed")
@pytest.mark.parametrize("text", ["日本語テスト", "한국어", "中文名字"])
def test_chinese_japanese_and_korean_come_with_the_extra(text: str) -> None:
    assert all(run.face for run in fonts._runs(fonts.clusters(text)))


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
        ("e\u0301a", ["é", "a"]),
        ("👩‍👩‍👧 x", ["👩‍👩‍👧", " ", "x"]),
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("1️⃣2", ["1️⃣", "2"]),
        ("a \t\n b", ["a", " ", "b"]),
        ("\u202ea\u200bb\x00\x1b", ["a", "b"]),
        ("\u1112\u1161\u11ab", ["한"]),
        ("\ud800x", ["x"]),
        ("", []),
    ],
)
def test_letters_stay_whole_and_controls_are_dropped(text: str, parts: list[str]) -> None:
    assert fonts.clusters(text) == parts


def test_no_letter_carries_a_tower_of_marks() -> None:
    (letter,) = fonts.clusters("x" + "\u0334\u0335\u0336\u0337\u0338" * 20)
    assert len(letter) == 1 + fonts.MOST_MARKS


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("abc 12", ["abc 12"]),
        ("אבג 12", ["12", "אבג "]),
        ("abc אבג def", ["abc ", "אבג", " def"]),
        ("אבג abc", ["אבג", " abc"]),
        ("אבג 12.5", ["12.5", "אבג "]),
    ],
)
def test_runs_come_in_visual_order(text: str, order: list[str]) -> None:
    runs = fonts._runs(fonts.clusters(text))
    merged: list[tuple[int, str]] = []
    for run in runs:  # neighbours of one direction may differ in font
        if merged and merged[-1][0] == run.level:
            merged[-1] = (run.level, merged[-1][1] + run.text)
        else:
            merged.append((run.level, run.text))
    assert [text for _, text in merged] == order


def test_a_short_name_keeps_its_size_and_a_long_one_gets_an_ellipsis() -> None:
    assert fonts.fitted("Ana", 28, 200).size == 28
    assert fonts.fitted("Ana Müller", 28, round(fonts.width("Ana Müller", 24)), 20).size in {23, 24}
    cut = fonts.fitted("W" * 32, 28, 200, 20)
    assert cut.size == 20 and cut.text.endswith(fonts.ELLIPSIS) and 150 < cut.width <= 200


def test_cutting_never_splits_a_family() -> None:
    cut = fonts.fitted("👩‍👩‍👧‍👦" * 12, 28, 150, 20)
    assert set(cut.text.removesuffix(fonts.ELLIPSIS).split("👩‍👩‍👧‍👦")) == {""}


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


def test_a_file_that_is_no_font_is_refused() -> None:
    with pytest.raises(ValueError, match="cmap"):
        fonts.read_cmap(b"\0\1\0\0" + b"\0" * 8)
