"""Text of any script and length as coverage masks.

Pillow has no font fallback, so a string is cut into letters (grapheme clusters), each of them gets the first
font that has it, and they are put in visual order by the Unicode bidirectional algorithm; neighbours with the
same font and direction become a run. Within a run raqm, where Pillow has it, shapes and joins. What no font
has is drawn as a box.

`line(text, size, …)` is the whole interface for drawing; `fitted` for text that has to keep within a width.
Both are cached
and safe to call from several threads.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Container
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Final

import regex
import uharfbuzz
from bidi import get_display
from PIL import Image, ImageDraw, ImageFont, features

from bot.text import ELLIPSIS, abridged, letters

REGULAR: Final = 450
BOLD: Final = 700

ASCENT: Final = 1.07  # of Noto Sans, in em: what a line box keeps above and below the baseline
DESCENT: Final = 0.30
CAP_HEIGHT: Final = 0.714
BOX_WIDTH: Final = 0.66  # of the box for letters that no font has, in em
MOST_MARKS: Final = 4  # combining marks kept on one letter
MOST_CLUSTERS: Final = 160  # nothing longer is ever shown on one line

_ZWJ: Final = "\u200d"
_EMOJI_STYLE: Final = "\ufe0f"

# Pillow's font objects keep state between calls (the variation set, raqm's buffers), so one thread at a time.
_LOCK = threading.RLock()


# --------------------------------------------------------------------------- which font has which letter


@dataclass(frozen=True, slots=True)
class _Face:
    """One font file, with the code points it has glyphs for."""

    path: str
    codes: Container[int] = field(compare=False, repr=False)

    def has(self, char: str) -> bool:
        return ord(char) in self.codes


@cache
def _faces() -> tuple[_Face, ...]:
    """Every font there is: Noto Sans first, then the other scripts by name, symbols, emoji, and CJK if
    installed."""
    with _LOCK:
        found: list[_Face] = []
        for package in ("manimgx_fonts", "manimgx_fonts_cjk"):
            try:
                module = import_module(package)
            except ModuleNotFoundError:
                if package == "manimgx_fonts":
                    raise
                continue  # the extra `cjk` is not installed: those letters become boxes
            folder = Path(next(iter(module.__path__)))
            files = sorted(
                (file for file in folder.iterdir() if file.suffix in {".ttf", ".otf", ".ttc"}),
                key=lambda file: _order(file.name),
            )
            for file in files:
                if "Italic" not in file.name:
                    font = uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(file)))
                    found.append(_Face(str(file), font.unicodes))
        return tuple(found)


def _order(name: str) -> tuple[int, str]:
    if name.startswith("NotoSans["):
        return 0, name
    return (3 if "Emoji" in name else 2 if "Symbols" in name else 1), name


@cache
def _emoji_face() -> _Face | None:
    return next((face for face in _faces() if "Emoji" in Path(face.path).name), None)


@lru_cache(maxsize=96)
def _font(path: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(path, size)
    values: list[float] = [axis["default"] or 0 for axis in font.get_variation_axes()]
    values[0] = weight  # every Noto file here has weight, 400 to 700 at least, as its first axis
    font.set_variation_by_axes(values)
    return font


# --------------------------------------------------------------------------- letters

# Joiners, variation selectors and tags: they show nothing, but say how the letter before them is drawn.
_SHAPING: Final = r"\u034f\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef"
_CONTROLS: Final = regex.compile(
    rf"(?V1)[\p{{Cc}}\p{{Cf}}\p{{Grapheme_Cluster_Break=Control}}--[\s{_SHAPING}]]"
)
_GAP: Final = regex.compile(rf"\s[\s{_SHAPING}]*")
_UNHELD: Final = regex.compile(rf"^[{_SHAPING}]+")
_SHAPES: Final = regex.compile(rf"[{_SHAPING}]")


def clusters(text: str) -> list[str]:
    """The letters of one line, at most `MOST_CLUSTERS`. Controls (bidi controls and lone surrogates too) are
    dropped, white space becomes a single space, and no letter carries a tower of marks."""
    text = unicodedata.normalize(
        "NFC", text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    )
    text = _UNHELD.sub("", _GAP.sub(" ", _CONTROLS.sub("", text[: 16 * MOST_CLUSTERS])))
    return [_without_tower(letter) for letter in letters(text)[:MOST_CLUSTERS]]


def _without_tower(letter: str) -> str:
    if len(letter) <= MOST_MARKS:
        return letter
    kept, marks = "", 0
    for char in letter:
        if _SHAPES.match(char):
            kept += char
        elif unicodedata.category(char) in {"Mn", "Me"}:
            marks += 1
            kept += char if marks <= MOST_MARKS else ""
        else:
            kept += char
            marks = 0 if unicodedata.category(char) != "Mc" else marks
    return kept


def _face_for(cluster: str, before: _Face | None) -> _Face | None:
    """The font for a cluster: the one before where it has everything and the cluster is neutral, else the
    first that
    has everything, else the first that has the base letter, else None."""
    needed = _SHAPES.sub("", cluster)
    emoji = _emoji_face()
    if (
        emoji
        and (
            _EMOJI_STYLE in cluster
            or _ZWJ in cluster
            or 0x1F1E6 <= ord(cluster[0]) <= 0x1F1FF  # half a flag
            or ord(cluster[0]) >= 0x1F000
        )
        and emoji.has(needed[0])
    ):
        return emoji
    if (
        before
        and before is not emoji
        and unicodedata.bidirectional(cluster[0]) not in {"L", "R", "AL", "EN"}
        and all(before.has(char) for char in needed)
    ):
        return before
    for face in _faces():
        if all(face.has(char) for char in needed):
            return face
    return next((face for face in _faces() if face.has(needed[0])), None)


# --------------------------------------------------------------------------- direction

_TAGS_HIGH, _TAGS_LOW = 0xE0020, 0xE0040  # 32 tag characters and 64: two of them tell numbers up to 2047
_TAGGED: Final = regex.compile(
    r"(?s)(?P<rightward>.)(?P<high>[\U000e0020-\U000e003f])(?P<low>[\U000e0040-\U000e007f])"
    r"|(?P<low>[\U000e0040-\U000e007f])(?P<high>[\U000e0020-\U000e003f])."
)


def _visual(parts: list[str]) -> list[tuple[int, bool]]:
    """The numbers of the parts from left to right, each with whether it runs leftwards (UAX 9).

    The library gives a line in visual order, not which letter of it was which. So the first code point of
    each takes its number along, in two tag characters: the algorithm passes over them (BN, rule X9) and they
    get the level of what they follow, hence come out before a letter that runs leftwards. At the end stands
    the mark of the line's own direction, lest rule L1 takes the last tags for white space.
    """
    kinds = {unicodedata.bidirectional(part[0]) for part in parts}
    # Not P2's first letter: our sentences run rightwards, also where they begin with a name that does not.
    leftward = not kinds.isdisjoint({"R", "AL"}) and "L" not in kinds
    tagged = "".join(
        part[0] + chr(_TAGS_HIGH + at // 64) + chr(_TAGS_LOW + at % 64) for at, part in enumerate(parts)
    )
    shown = get_display(tagged + ("\u200f" if leftward else "\u200e"), base_dir="R" if leftward else "L")
    return [
        ((ord(found["high"]) - _TAGS_HIGH) * 64 + ord(found["low"]) - _TAGS_LOW, found["rightward"] is None)
        for found in _TAGGED.finditer(shown)
    ]


@dataclass(frozen=True, slots=True)
class _Run:
    text: str  # in the order of reading
    face: _Face | None
    leftward: bool
    count: int  # clusters, for boxes


def _runs(parts: list[str]) -> list[_Run]:
    """Runs in visual order, left to right."""
    drawn: list[tuple[str, _Face | None]] = []
    before: _Face | None = None
    for part in parts:
        face = _face_for(part, before)
        if face is None:  # the "fancy" letters of many display names are plain ones in another coat
            plain = unicodedata.normalize("NFKC", part)
            face = _face_for(plain, before)
            part = plain if face else part  # noqa: PLW2901
        shown = "".join(c for c in part if face is None or _SHAPES.match(c) or face.has(c))
        drawn.append((shown, face))
        before = face or before
    runs: list[_Run] = []
    for at, leftward in _visual(parts):
        shown, face = drawn[at]
        if runs and runs[-1].face is face and runs[-1].leftward == leftward:
            last = runs.pop()
            text = shown + last.text if leftward else last.text + shown
            runs.append(_Run(text, face, leftward, last.count + 1))
        else:
            runs.append(_Run(shown, face, leftward, 1))
    return runs


# --------------------------------------------------------------------------- drawing


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text. mask: coverage 0-255 ("L"), as wide as the text and as high as a line box;
    baseline: y of the
    baseline in it; size: the em size used; middle: y of the middle of capitals and digits."""

    mask: Image.Image
    baseline: int
    size: int
    text: str

    @property
    def width(self) -> int:
        return self.mask.width

    @property
    def middle(self) -> int:
        return self.baseline - round(self.size * CAP_HEIGHT / 2)


def _measure(runs: list[_Run], size: int, weight: int) -> list[float]:
    widths: list[float] = []
    for run in runs:
        if run.face is None:
            widths.append(run.count * BOX_WIDTH * size)
        else:
            widths.append(_font(run.face.path, size, weight).getlength(*_shaped(run)))
    return widths


_RAQM: Final = bool(features.check("raqm"))


def _shaped(run: _Run) -> tuple[str, str, str | None]:
    """Text, mode and direction for Pillow. Without raqm the letters of a leftward run are turned round by
    hand."""
    if _RAQM:
        return run.text, "L", "rtl" if run.leftward else "ltr"
    return ("".join(reversed(letters(run.text))) if run.leftward else run.text), "L", None


def boxes(text: str) -> int:
    """How many letters of `text` no font has."""
    with _LOCK:
        return sum(run.count for run in _runs(clusters(text)) if run.face is None)


@lru_cache(maxsize=2048)
def width(text: str, size: int, weight: int = REGULAR) -> float:
    """Width in pixels of `text` on one line."""
    with _LOCK:
        return sum(_measure(_runs(clusters(text)), size, weight))


@lru_cache(maxsize=2048)
def line(text: str, size: int, weight: int = REGULAR) -> Line:
    """`text` on one line at em size `size`. Never raises for any string; an empty one is one pixel wide."""
    with _LOCK:
        runs = _runs(clusters(text))
        widths = _measure(runs, size, weight)
        baseline = round(size * ASCENT)
        image = Image.new("L", (max(1, round(sum(widths) + 0.49)), baseline + round(size * DESCENT)), 0)
        draw = ImageDraw.Draw(image)
        x = 0.0
        for run, advance in zip(runs, widths, strict=True):
            if run.face is None:
                _boxes(draw, x, baseline, size, run.count)
            else:
                shown, _, direction = _shaped(run)
                font = _font(run.face.path, size, weight)
                draw.text((x, baseline), shown, fill=255, font=font, anchor="ls", direction=direction)
            x += advance
        return Line(image, baseline, size, text)


def _boxes(draw: ImageDraw.ImageDraw, x: float, baseline: int, size: int, count: int) -> None:
    side, edge = BOX_WIDTH * size, max(1, round(size / 16))
    for number in range(count):
        left = x + number * side
        draw.rounded_rectangle(
            (
                round(left + side * 0.12),
                baseline - round(size * CAP_HEIGHT),
                round(left + side * 0.86),
                baseline - 1,
            ),
            radius=edge * 2,
            outline=230,
            width=edge,
        )


@lru_cache(maxsize=1024)
def fitted(
    text: str, size: int, most: int, least: int | None = None, weight: int = REGULAR, middle: bool = False
) -> Line:
    """`text` within `most` pixels: at `size` if it fits, else smaller down to `least` (default 3/4 of
    `size`), else cut between grapheme clusters, with an ellipsis at the end or (a name, say) in the `middle`.
    Never wider than `most`."""
    least = min(size, least if least is not None else round(size * 0.75))
    parts = clusters(text)
    text = "".join(parts).strip()
    for tried in range(size, least - 1, -1):
        if width(text, tried, weight) <= most:
            return line(text, tried, weight)

    def with_ellipsis(kept: int) -> str:
        return abridged(parts, kept) if middle else "".join(parts[:kept]).rstrip() + ELLIPSIS

    low, high = 0, len(parts)  # the most clusters that fit with an ellipsis
    while low < high:
        tried = (low + high + 1) // 2
        if width(with_ellipsis(tried), least, weight) <= most:
            low = tried
        else:
            high = tried - 1
    found = line(with_ellipsis(low), least, weight)
    if found.width <= most:
        return found
    return Line(found.mask.crop((0, 0, max(1, most), found.mask.height)), found.baseline, least, found.text)
