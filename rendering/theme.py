"""Themes: every colour that pictures are made of, and the sizes and line widths.

How the pictures are put together
---------------------------------
* `rendering.theme`: this page. A theme is one palette of at most 64 colours by role (`Colour`), the same
  roles in each: `DARK`, `LIGHT`, `CONTRAST`. Sizes, and tables for blending.
* `rendering.fonts`: strings of any script to coverage masks, with fallback between fonts.
* `rendering.sprites`: `Canvas`, `Box`, `cached` and `encode`. A canvas is an "L" image that holds palette
  indexes; every shape and text is stamped on it with smooth edges by table look-up (see `blend_table`), so
  there is never an RGB picture and never a quantising step. It knows its theme; a sprite is drawn once in
  each theme it is pasted in.
* `rendering.parts`: tiles, dice, cards, marks, name plates, coordinates and board frames made of these.

A game's picture module is then: lay out boxes, paste cached sprites, put marks on top, `encode`. See
`rendering/fivetotwelve.py` for the model.

Rules of the look
-----------------
* The background is `FELT` with round corners (the picture brings its own ground). Boards lie on it as
  `PANEL`, free cells are `RECESS`. What is written on these is `TEXT`, `SOFT` (less loud) or `MUTED`
  (captions; not on RECESS). Pieces are `IVORY` with `INK` on them, or a hue with `CHALK`.
* Whatever is written has a contrast of 4.5 to what it stands on, in every theme.
* Pictures are `WIDTH` pixels wide and are read at half that on a phone: no text under `TEXT_LEAST` px (em
  size), nothing that must be read on a board under 26 px: 9 px high at half size.
* Colour never stands alone: a seat has a shape as well (`parts.seat_badge`), a suit a letter, the last move
  corner brackets, a target a diamond, a preview a dashed edge.
* Amber means "just happened or at turn", mint means "you may", and no piece is one of the two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Final


class Colour(IntEnum):
    """Indexes into a theme's palette. CLEAR and the two CORNERs are see-through ground and its smooth edge;
    then grounds, what is written and marked on them, and pieces. A hue has five shades: DARK (writing on its
    PALE), DEEP (a piece's lower edge), plain, LIGHT and PALE (a tint to fill with)."""

    CLEAR = 0
    CORNER_1 = 1
    CORNER_2 = 2

    SHADE = 3  # below panels, and the upper edge of hollows
    RECESS = 4  # hollows: free cells
    FELT = 5
    PANEL = 6
    RAISED = 7  # the plate of who is at turn
    LINE = 8  # thin lines and hatching on a ground
    LIT = 9  # a hollow that is marked off (Zatre's light cells)
    MUTED = 10
    SOFT = 11
    TEXT = 12
    HALO = 13  # round marks, so that they stand out from any piece
    WARN = 14  # what does not count

    INK = 15
    STEEL = 16
    SLATE = 17  # quiet writing on IVORY and PARCHMENT
    MIST = 18
    SILVER = 19
    PARCHMENT = 20
    IVORY = 21
    CHALK = 22

    RED_DARK = 23
    RED_DEEP = 24
    RED = 25
    RED_LIGHT = 26
    RED_PALE = 27
    AMBER_DARK = 28
    AMBER_DEEP = 29
    AMBER = 30
    AMBER_LIGHT = 31
    AMBER_PALE = 32
    YELLOW_DARK = 33
    YELLOW_DEEP = 34
    YELLOW = 35
    YELLOW_LIGHT = 36
    YELLOW_PALE = 37
    GREEN_DARK = 38
    GREEN_DEEP = 39
    GREEN = 40
    GREEN_LIGHT = 41
    GREEN_PALE = 42
    MINT_DARK = 43
    MINT_DEEP = 44
    MINT = 45
    MINT_LIGHT = 46
    MINT_PALE = 47
    BLUE_DARK = 48
    BLUE_DEEP = 49
    BLUE = 50
    BLUE_LIGHT = 51
    BLUE_PALE = 52
    PURPLE_DARK = 53
    PURPLE_DEEP = 54
    PURPLE = 55
    PURPLE_LIGHT = 56
    PURPLE_PALE = 57
    WOOD_DARK = 58
    WOOD_DEEP = 59
    WOOD = 60
    WOOD_LIGHT = 61
    WOOD_PALE = 62


@dataclass(frozen=True, slots=True, eq=False)
class Theme:
    """name: as it is stored and chosen. rgb: red, green and blue (0-255) by palette index. rim: width in
    pixels of a frame round panels and hollows, where their grounds alone shall not tell them apart."""

    name: str
    rgb: tuple[tuple[int, int, int], ...]
    rim: int = 0

    def __reduce__(self) -> tuple[Callable[..., Theme], tuple[object, ...]]:
        """To another process a theme that is chosen goes by its name: it is the same one there each time,
        and what was drawn in it is found again."""
        if THEMES.get(self.name) is self:
            return _named, (self.name,)
        return Theme, (self.name, self.rgb, self.rim)

    @property
    def palette(self) -> bytes:
        """As a PNG's PLTE has it."""
        return bytes(channel for colour in self.rgb for channel in colour)

    def luminance(self, colour: Colour) -> float:
        """WCAG 2 relative luminance, 0 (black) to 1 (white)."""

        def linear(channel: int) -> float:
            c = channel / 255
            return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

        red, green, blue = self.rgb[colour]
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

    def contrast(self, one: Colour, other: Colour) -> float:
        """WCAG 2 contrast ratio, 1 to 21."""
        low, high = sorted((self.luminance(one), self.luminance(other)))
        return (high + 0.05) / (low + 0.05)

    def ink_on(self, ground: Colour) -> Colour:
        """The writing colour that reads best on a piece: INK or CHALK."""
        return max(Colour.INK, Colour.CHALK, key=lambda ink: self.contrast(ink, ground))


def _named(name: str) -> Theme:
    return THEMES[name]


def _palette(grounds: tuple[int, ...], pieces: tuple[int, ...], amber: int, mint: int) -> tuple[int, ...]:
    """All colours of a theme: grounds from SHADE on, pieces from INK to CHALK, and the two that mark."""
    found = [grounds[Colour.FELT - Colour.SHADE]] * Colour.SHADE + [*grounds, *pieces, *_HUES]
    found[Colour.AMBER], found[Colour.MINT] = amber, mint
    return tuple(found)


def _theme(name: str, palette: tuple[int, ...], rim: int = 0) -> Theme:
    if len(palette) != max(Colour) + 1:
        raise AssertionError("palette and colour names do not agree")
    return Theme(name, tuple((value >> 16, value >> 8 & 255, value & 255) for value in palette), rim)


_HUES: Final = (
    0x5E1519, 0x80180E, 0xCB3F3F, 0xE98378, 0xF8D9D2,  # red
    0x5C3206, 0xA8640F, 0xF2A23A, 0xFAC67C, 0xFDE8C8,  # amber
    0x544300, 0x857300, 0xE9C62F, 0xF3DC78, 0xFAF0C4,  # yellow
    0x16401F, 0x1B8056, 0x3F9547, 0x86C286, 0xD6ECD2,  # green
    0x0B4A42, 0x178474, 0x3CD0B4, 0x8BE6D2, 0xD2F6EC,  # mint
    0x14315F, 0x0B34BC, 0x3A7FD0, 0x86B4E8, 0xD5E6F8,  # blue
    0x38205F, 0xAB449A, 0x8A5FCB, 0xCFA6E4, 0xE6DBF6,  # purple
    0x3B2818, 0x6A4A2E, 0x9A7048, 0xC8A47A, 0xE6D0B0,  # wood
)  # fmt: skip

DARK: Final = _theme(
    "dark",
    _palette(
        (0x121A1F, 0x19252C, 0x22323B, 0x2D404B, 0x39505D, 0x4A6472, 0x9FAFB4, 0x9FAFB4, 0xD2D2C7, 0xFEFBF3,
         0x121A1F, 0xE98378),
        (0x121A1F, 0x2A2F38, 0x50656F, 0x7F959E, 0xBDC6C5, 0xECE5D4, 0xF6F0E1, 0xFEFBF3),
        amber=0xF2A23A, mint=0x3CD0B4,
    ),
)  # fmt: skip
LIGHT: Final = _theme(
    "light",
    _palette(
        (0x7E9299, 0xA6B7BB, 0xEDF1F0, 0xCFDADB, 0xFFFFFF, 0x6B8089, 0xE4EBEB, 0x45565E, 0x2C3A41, 0x10181C,
         0xFFFFFF, 0xA3201F),
        (0x10181C, 0x2A2F38, 0x50656F, 0x8CA0A8, 0x93A4AA, 0xF7F2E4, 0xFFFFFF, 0xFFFFFF),
        amber=0xB04A00, mint=0x00695C,
    ),
)  # fmt: skip
CONTRAST: Final = _theme(
    "contrast",
    _palette(
        (0xA8A8A8, 0x000000, 0x000000, 0x121212, 0x303030, 0xB8B8B8, 0x6E6E6E, 0xE6E6E6, 0xF2F2F2, 0xFFFFFF,
         0x000000, 0xFF9B90),
        (0x000000, 0x2A2F38, 0x585858, 0xA0A0A0, 0xC0C0C0, 0xFFFFFF, 0xFFFFFF, 0xFFFFFF),
        amber=0xFFB000, mint=0x2FF2D2,
    ),
    rim=2,
)  # fmt: skip

THEMES: Final[dict[str, Theme]] = {theme.name: theme for theme in (DARK, LIGHT, CONTRAST)}
"""By name; the first is what nobody has chosen."""

TRANSPARENCY: Final[bytes] = bytes((0, 85, 170))
"""Alpha of the first indexes (PNG's tRNS); all others are solid."""

# ------------------------------------------------------------------ sizes, in pixels

WIDTH: Final = 800  # of every table picture; Discord shows it at about 400 on a phone
CORNER: Final = 28  # radius of the picture's own corners
MARGIN: Final = 24  # between the picture's edge and what is on it
GAP: Final = 16  # between neighbours
TIGHT: Final = 8  # inside a group
RADIUS: Final = 14  # of panels and plates
MARK_WIDTH: Final = 7  # of marks on pieces

TEXT_MIN: Final = 22  # em size of the smallest text that is chosen
TEXT_LEAST: Final = 18  # to which text shrinks where it must: 9 px on a phone
SMALL: Final = 22
BODY: Final = 28
PLATE: Final = 52  # height of a name plate

SEAT_COLOURS: Final[tuple[Colour, ...]] = (
    Colour.BLUE, Colour.RED, Colour.GREEN, Colour.PURPLE, Colour.WOOD, Colour.SLATE,
)  # fmt: skip
"""By seat. Each seat also has its own shape: see `parts.seat_badge`."""


# ------------------------------------------------------------------ blending by table

LEVELS: Final = 4  # coverage levels over a ground of several colours: 64 colours x 4 levels is one byte


@cache
def _nearest(theme: Theme, red: int, green: int, blue: int) -> int:
    """The solid palette index nearest to a colour (weighted as the eye does: 2, 4, 3)."""
    best, index = 1 << 30, 0
    for candidate in range(Colour.SHADE, len(theme.rgb)):
        r, g, b = theme.rgb[candidate]
        distance = 2 * (r - red) ** 2 + 4 * (g - green) ** 2 + 3 * (b - blue) ** 2
        if distance < best:
            best, index = distance, candidate
    return index


def _mix(theme: Theme, ground: int, colour: int, share: float) -> int:
    if ground <= Colour.CORNER_2:
        if share < 1 / 6:
            return ground
        if colour != Colour.FELT or share > 5 / 6:
            return colour if share > 1 / 2 else ground
        return max(ground, Colour.CORNER_1 if share < 1 / 2 else Colour.CORNER_2)
    if share <= 0:
        return ground
    if share >= 1:
        return colour
    mixed = (round(g + (c - g) * share) for g, c in zip(theme.rgb[ground], theme.rgb[colour], strict=True))
    return _nearest(theme, *mixed)


@cache
def flat_table(theme: Theme, ground: int, colour: int) -> bytes:
    """Coverage 0-255 of `colour` over the one colour `ground` to palette indexes."""
    # 33 steps are finer than any ramp of the palette and eight times quicker to prepare than 256
    steps = [_mix(theme, ground, colour, step / 32) for step in range(33)]
    return bytes(steps[(coverage * 32 + 127) // 255] for coverage in range(256))


@cache
def blend_table(theme: Theme, colour: int) -> bytes:
    """`64 * level + ground` to the palette index of `colour` over `ground` at coverage level/3."""
    size = len(theme.rgb)
    return bytes(
        _mix(theme, ground, colour, level / (LEVELS - 1)) if ground < size else 0
        for level in range(LEVELS)
        for ground in range(64)
    )


COVERAGE_TO_LEVEL: Final[bytes] = bytes(
    64 * ((coverage * (LEVELS - 1) + 127) // 255) for coverage in range(256)
)
