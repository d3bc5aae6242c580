"""Text of any script and length as coverage masks.

Pillow has no font fallback, so a string is cut into grapheme clusters, each cluster gets the first font
that has
its letters, neighbours with the same font and direction become a run, and runs are put in visual order (the
implicit part of the Unicode bidirectional algorithm, UAX 9, without embeddings: those are control
characters and are dropped).
Within a run raqm, where Pillow has it, shapes and joins. What no font has is drawn as a box.

`line(text, size, …)` is the whole interface for drawing; `fitted` for text that has to keep within a width.
Both are cached
and safe to call from several threads.
"""

from __future__ import annotations

import struct
import threading
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont, features

REGULAR: Final = 450
BOLD: Final = 700

ASCENT: Final = 1.07  # of Noto Sans, in em: what a line box keeps above and below the baseline
DESCENT: Final = 0.30
CAP_HEIGHT: Final = 0.714
BOX_WIDTH: Final = 0.66  # of the box for letters that no font has, in em
MOST_MARKS: Final = 4  # combining marks kept on one letter
MOST_CLUSTERS: Final = 160  # nothing longer is ever shown on one line
ELLIPSIS: Final = "…"

_ZWJ, _ZWNJ, _CGJ = 0x200D, 0x200C, 0x034F
_EMOJI_STYLE, _KEYCAP = 0xFE0F, 0x20E3

# Pillow's font objects keep state between calls (the variation set, raqm's buffers), so one thread at a time.
_LOCK = threading.RLock()


# --------------------------------------------------------------------------- which font has which letter


@dataclass(frozen=True, slots=True)
class _Face:
    """One font file (and its number in a collection), with the ranges of code points it has."""

    path: str
    index: int
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def has(self, code: int) -> bool:
        at = bisect_right(self.starts, code) - 1
        return at >= 0 and code <= self.ends[at]


def _ranges(codes: list[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    starts: list[int] = []
    ends: list[int] = []
    for code in sorted(codes):
        if ends and code == ends[-1] + 1:
            ends[-1] = code
        else:
            starts.append(code)
            ends.append(code)
    return tuple(starts), tuple(ends)


def read_cmap(data: bytes, index: int = 0) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """First and last code points of the ranges a TrueType or OpenType font has glyphs for (cmap formats 4
    and 12).
    Raises ValueError where there is no such table. Source: OpenType specification, "cmap"."""
    start = struct.unpack_from(">I", data, 12 + 4 * index)[0] if data[:4] == b"ttcf" else 0
    (tables,) = struct.unpack_from(">H", data, start + 4)
    for number in range(tables):
        tag, _, offset, _ = struct.unpack_from(">4sIII", data, start + 12 + 16 * number)
        if tag == b"cmap":
            break
    else:
        raise ValueError("font without cmap")
    (count,) = struct.unpack_from(">H", data, offset + 2)
    found: dict[int, int] = {}
    for number in range(count):
        platform, _, where = struct.unpack_from(">HHI", data, offset + 4 + 8 * number)
        (kind,) = struct.unpack_from(">H", data, offset + where)
        if platform in {0, 3} and kind in {4, 12}:
            found[kind] = offset + where
    if 12 in found:
        (groups,) = struct.unpack_from(">I", data, found[12] + 12)
        spans = [struct.unpack_from(">III", data, found[12] + 16 + 12 * n) for n in range(groups)]
        return tuple(s[0] for s in spans), tuple(s[1] for s in spans)
    if 4 in found:
        return _ranges(list(_format_4(data, found[4])))
    raise ValueError("font without a Unicode cmap")


def _format_4(data: bytes, at: int) -> Iterator[int]:
    segments = struct.unpack_from(">H", data, at + 6)[0] // 2
    shape = f">{segments}H"
    ends = struct.unpack_from(shape, data, at + 14)
    starts = struct.unpack_from(shape, data, at + 16 + 2 * segments)
    deltas = struct.unpack_from(shape, data, at + 16 + 4 * segments)
    table = at + 16 + 6 * segments
    offsets = struct.unpack_from(shape, data, table)
    for n in range(segments):
        for code in range(starts[n], min(ends[n], 0xFFFE) + 1):
            if offsets[n]:
                place = table + 2 * n + offsets[n] + 2 * (code - starts[n])
                glyph = struct.unpack_from(">H", data, place)[0] if place + 2 <= len(data) else 0
            else:
                glyph = (code + deltas[n]) & 0xFFFF
            if glyph:
                yield code


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
                    found.append(_Face(str(file), 0, *read_cmap(file.read_bytes())))
        return tuple(found)


def _order(name: str) -> tuple[int, str]:
    if name.startswith("NotoSans["):
        return 0, name
    return (3 if "Emoji" in name else 2 if "Symbols" in name else 1), name


@cache
def _emoji_face() -> _Face | None:
    return next((face for face in _faces() if "Emoji" in Path(face.path).name), None)


@lru_cache(maxsize=96)
def _font(path: str, index: int, size: int, weight: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(path, size, index=index)
    values: list[float] = [axis["default"] or 0 for axis in font.get_variation_axes()]
    values[0] = weight  # every Noto file here has weight, 400 to 700 at least, as its first axis
    font.set_variation_by_axes(values)
    return font


# --------------------------------------------------------------------------- clusters


def _ignorable(code: int) -> bool:
    """Draws nothing itself, but may change its neighbours."""
    return (
        code in {_ZWJ, _ZWNJ, _CGJ}
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0020 <= code <= 0xE007F
        or 0xE0100 <= code <= 0xE01EF
    )


def _extends(code: int) -> bool:
    return (
        _ignorable(code)
        or 0x1F3FB <= code <= 0x1F3FF
        or unicodedata.category(chr(code)) in {"Mn", "Mc", "Me"}
    )


def _regional(char: str) -> bool:
    return 0x1F1E6 <= ord(char) <= 0x1F1FF


def clusters(text: str) -> list[str]:
    """What a reader takes for letters: base with marks, emoji sequences, flags, conjuncts joined by ZWJ and
    conjoining jamo stay whole. Controls (bidi controls and lone surrogates too) are dropped, white space
    becomes a single space."""
    text = unicodedata.normalize(
        "NFC", text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    )
    found: list[str] = []
    flags = marks = 0
    joined = False
    for char in text[: 16 * MOST_CLUSTERS]:
        code = ord(char)
        if char.isspace() or unicodedata.category(char) in {"Zs", "Zl", "Zp"}:
            char = " "  # noqa: PLW2901
            if found and found[-1] == " ":
                continue
        elif not _ignorable(code) and unicodedata.category(char) in {"Cc", "Cf", "Cs"}:
            continue
        if found and found[-1] != " " and _extends(code):
            mark = unicodedata.category(char) in {"Mn", "Me"} and not _ignorable(code)
            marks += mark
            if not mark or marks <= MOST_MARKS:
                found[-1] += char
                joined = code == _ZWJ
            continue
        if (
            found
            and char != " "
            and (
                (joined and unicodedata.category(char) in {"So", "Sk", "Lo"})
                or (_regional(char) and flags % 2 == 1)
                or (0x1160 <= code <= 0x11FF and 0x1100 <= ord(found[-1][-1]) <= 0x11FF)
            )
        ):
            found[-1] += char
        elif not _ignorable(code):
            found.append(char)
            marks = 0
        joined = False
        flags = flags + 1 if _regional(char) else 0
    return found[:MOST_CLUSTERS]


def _face_for(cluster: str, before: _Face | None) -> _Face | None:
    """The font for a cluster: the one before where it has everything and the cluster is neutral, else the
    first that
    has everything, else the first that has the base letter, else None."""
    needed = [ord(char) for char in cluster if not _ignorable(ord(char))]
    emoji = _emoji_face()
    if (
        emoji
        and (
            chr(_EMOJI_STYLE) in cluster
            or chr(_ZWJ) in cluster
            or _regional(cluster[0])
            or ord(cluster[0]) >= 0x1F000
        )
        and emoji.has(needed[0])
    ):
        return emoji
    if (
        before
        and before is not emoji
        and unicodedata.bidirectional(cluster[0]) not in {"L", "R", "AL", "EN"}
        and all(before.has(code) for code in needed)
    ):
        return before
    for face in _faces():
        if all(face.has(code) for code in needed):
            return face
    return next((face for face in _faces() if face.has(needed[0])), None)


# --------------------------------------------------------------------------- direction


def _levels(parts: list[str]) -> list[int]:
    """Embedding levels by cluster: even runs rightwards, odd ones leftwards (UAX 9: W2-W7 in short,
    N1-N2, I1-I2)."""
    kinds: list[str] = []
    for part in parts:
        kind = unicodedata.bidirectional(part[0])
        kinds.append({"L": "L", "R": "R", "AL": "R", "EN": "E", "AN": "E"}.get(kind, "N"))
    # Not P2's first letter: our sentences run rightwards, also where they begin with a name that does not.
    base = "R" if "R" in kinds and "L" not in kinds else "L"
    for at in range(1, len(kinds) - 1):  # W4: 12.5 and 3:1 stay whole
        if kinds[at] == "N" and parts[at] in ".,:/" and kinds[at - 1] == kinds[at + 1] == "E":
            kinds[at] = "E"
    strong = base
    for at, kind in enumerate(kinds):  # W7: numbers after left-to-right letters are like them
        if kind in "LR":
            strong = kind
        elif kind == "E" and strong == "L":
            kinds[at] = "L"
    at = 0
    while at < len(kinds):  # N1, N2
        if kinds[at] != "N":
            at += 1
            continue
        end = at
        while end < len(kinds) and kinds[end] == "N":
            end += 1
        left = kinds[at - 1] if at else base
        right = kinds[end] if end < len(kinds) else base
        left, right = ("R" if kind == "E" else kind for kind in (left, right))
        kinds[at:end] = [left if left == right else base] * (end - at)
        at = end
    level = {"L": 2 if base == "R" else 0, "R": 1, "E": 2}
    return [level[kind] for kind in kinds]


@dataclass(frozen=True, slots=True)
class _Run:
    text: str
    face: _Face | None
    level: int
    count: int  # clusters, for boxes


def _runs(parts: list[str]) -> list[_Run]:
    """Runs in visual order, left to right."""
    runs: list[_Run] = []
    before: _Face | None = None
    for part, level in zip(parts, _levels(parts), strict=True):
        face = _face_for(part, before)
        if face is None:  # the "fancy" letters of many display names are plain ones in another coat
            plain = unicodedata.normalize("NFKC", part)
            face = _face_for(plain, before)
            part = plain if face else part  # noqa: PLW2901
        shown = "".join(c for c in part if face is None or _ignorable(ord(c)) or face.has(ord(c)))
        if runs and runs[-1].face is face and runs[-1].level == level:
            last = runs[-1]
            runs[-1] = _Run(last.text + shown, face, level, last.count + 1)
        else:
            runs.append(_Run(shown, face, level, 1))
        before = face or before
    for level in range(max((run.level for run in runs), default=0), 0, -1):  # L2
        at = 0
        while at < len(runs):
            end = at
            while end < len(runs) and runs[end].level >= level:
                end += 1
            runs[at:end] = reversed(runs[at:end])
            at = max(end, at + 1)
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
            widths.append(_font(run.face.path, run.face.index, size, weight).getlength(*_shaped(run)))
    return widths


_RAQM: Final = bool(features.check("raqm"))


def _shaped(run: _Run) -> tuple[str, str, str | None]:
    """Text, mode and direction for Pillow. Without raqm the letters of a leftward run are turned round by
    hand."""
    leftward = run.level % 2 == 1
    if _RAQM:
        return run.text, "L", "rtl" if leftward else "ltr"
    return ("".join(reversed(clusters(run.text))) if leftward else run.text), "L", None


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
                font = _font(run.face.path, run.face.index, size, weight)
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
def fitted(text: str, size: int, most: int, least: int | None = None, weight: int = REGULAR) -> Line:
    """`text` within `most` pixels: at `size` if it fits, else smaller down to `least` (default 3/4 of
    `size`), else cut between grapheme clusters and ended with an ellipsis. Never wider than `most`."""
    least = min(size, least if least is not None else round(size * 0.75))
    parts = clusters(text)
    text = "".join(parts).strip()
    for tried in range(size, least - 1, -1):
        if width(text, tried, weight) <= most:
            return line(text, tried, weight)
    low, high = 0, len(parts)  # the most clusters that fit with an ellipsis
    while low < high:
        middle = (low + high + 1) // 2
        if width("".join(parts[:middle]).rstrip() + ELLIPSIS, least, weight) <= most:
            low = middle
        else:
            high = middle - 1
    found = line("".join(parts[:low]).rstrip() + ELLIPSIS, least, weight)
    if found.width <= most:
        return found
    return Line(found.mask.crop((0, 0, max(1, most), found.mask.height)), found.baseline, least, found.text)
