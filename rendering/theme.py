"""The one theme: every colour, size and line width that pictures are made of.

How the pictures are put together
---------------------------------
* `rendering.theme`: this page. One palette of at most 64 colours, sizes, and tables for blending.
* `rendering.fonts`: strings of any script to coverage masks, with fallback between fonts.
* `rendering.sprites`: `Canvas`, `Box`, `cached` and `encode`. A canvas is an "L" image that holds palette
  indexes; every shape and text is stamped on it with smooth edges by table look-up (see `blend_table`), so
  there is never an RGB picture and never a quantising step. `cached` keeps what is pasted often.
* `rendering.parts`: tiles, dice, cards, marks, name plates, coordinates and board frames made of these.

A game's picture module is then: lay out boxes, paste cached sprites, put marks on top, `encode`. See
`rendering/fivetotwelve.py` for the model.

Rules of the look
-----------------
* The background is `FELT` with round corners (the picture brings its own ground, so it reads alike in
  Discord's dark and
  light mode). Boards lie on it as `PANEL`, free cells are `RECESS`, pieces are `IVORY` with `INK` on them.
* Pictures are `WIDTH` pixels wide and are read at half that on a phone: no text under `TEXT_MIN` px (em
  size),
  nothing that must be read on a board under 26 px: 9 px high at half size.
* Colour never stands alone: a seat has a shape as well (`parts.seat_badge`), a suit a letter, the last move
  corner
  brackets, a target a diamond, a preview a dashed edge.
* Amber means "just happened or at turn", mint means "you may", and no piece is one of the two.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Final


class Colour(IntEnum):
    """Indexes into the palette. A hue has five shades: DARK (writing on its PALE), DEEP (a piece's lower
    edge), plain,
    LIGHT and PALE (a tint to fill with). CLEAR and the two CORNERs are see-through ground and its smooth
    edge."""

    CLEAR = 0
    CORNER_1 = 1
    CORNER_2 = 2

    NIGHT = 3
    RECESS = 4
    FELT = 5
    PANEL = 6
    RAISED = 7
    LINE = 8
    SLATE = 9
    MIST = 10
    FOG = 11
    SILVER = 12
    SAND = 13
    LINEN = 14
    PARCHMENT = 15
    IVORY = 16
    CHALK = 17

    RED_DARK = 18
    RED_DEEP = 19
    RED = 20
    RED_LIGHT = 21
    RED_PALE = 22
    AMBER_DARK = 23
    AMBER_DEEP = 24
    AMBER = 25
    AMBER_LIGHT = 26
    AMBER_PALE = 27
    YELLOW_DARK = 28
    YELLOW_DEEP = 29
    YELLOW = 30
    YELLOW_LIGHT = 31
    YELLOW_PALE = 32
    GREEN_DARK = 33
    GREEN_DEEP = 34
    GREEN = 35
    GREEN_LIGHT = 36
    GREEN_PALE = 37
    MINT_DARK = 38
    MINT_DEEP = 39
    MINT = 40
    MINT_LIGHT = 41
    MINT_PALE = 42
    BLUE_DARK = 43
    BLUE_DEEP = 44
    BLUE = 45
    BLUE_LIGHT = 46
    BLUE_PALE = 47
    PURPLE_DARK = 48
    PURPLE_DEEP = 49
    PURPLE = 50
    PURPLE_LIGHT = 51
    PURPLE_PALE = 52
    WOOD_DARK = 53
    WOOD_DEEP = 54
    WOOD = 55
    WOOD_LIGHT = 56
    WOOD_PALE = 57

    INK = 3  # an alias: writing on light ground


_RGB: Final[tuple[int, ...]] = (
    0x22323B, 0x22323B, 0x22323B,
    0x121A1F, 0x19252C, 0x22323B, 0x2D404B, 0x39505D, 0x4A6472, 0x607A87, 0x7F959E, 0x9FAFB4, 0xBDC6C5,
    0xD2D2C7, 0xE0DBCC, 0xECE5D4, 0xF6F0E1, 0xFEFBF3,
    0x5E1519, 0x96262B, 0xCB3F3F, 0xE98378, 0xF8D9D2,
    0x5C3206, 0xA8640F, 0xF2A23A, 0xFAC67C, 0xFDE8C8,
    0x544300, 0xA88A0E, 0xE9C62F, 0xF3DC78, 0xFAF0C4,
    0x16401F, 0x27682F, 0x3F9547, 0x86C286, 0xD6ECD2,
    0x0B4A42, 0x178474, 0x3CD0B4, 0x8BE6D2, 0xD2F6EC,
    0x14315F, 0x22539A, 0x3A7FD0, 0x86B4E8, 0xD5E6F8,
    0x38205F, 0x5E3A9A, 0x8A5FCB, 0xB99CE4, 0xE6DBF6,
    0x3B2818, 0x6A4A2E, 0x9A7048, 0xC8A47A, 0xE6D0B0,
)  # fmt: skip

PALETTE_RGB: Final[tuple[tuple[int, int, int], ...]] = tuple(
    (value >> 16, value >> 8 & 255, value & 255) for value in _RGB
)
"""Red, green and blue (0-255) by palette index."""

PALETTE_BYTES: Final[bytes] = bytes(channel for rgb in PALETTE_RGB for channel in rgb)
TRANSPARENCY: Final[bytes] = bytes((0, 85, 170))
"""Alpha of the first indexes (PNG's tRNS); all others are solid."""

if not len(PALETTE_RGB) == max(Colour) + 1 <= 64:
    raise AssertionError("palette and colour names do not agree")

# ------------------------------------------------------------------ sizes, in pixels

WIDTH: Final = 800  # of every table picture; Discord shows it at about 400 on a phone
CORNER: Final = 28  # radius of the picture's own corners
MARGIN: Final = 24  # between the picture's edge and what is on it
GAP: Final = 16  # between neighbours
TIGHT: Final = 8  # inside a group
RADIUS: Final = 14  # of panels and plates
MARK_WIDTH: Final = 7  # of marks on pieces

TEXT_MIN: Final = 22  # em size of the smallest text
SMALL: Final = 22
BODY: Final = 28
PLATE: Final = 52  # height of a name plate

SEAT_COLOURS: Final[tuple[Colour, ...]] = (
    Colour.BLUE, Colour.RED, Colour.GREEN, Colour.PURPLE, Colour.WOOD, Colour.SLATE,
)  # fmt: skip
"""By seat. Each seat also has its own shape: see `parts.seat_badge`."""


def ink_on(ground: Colour) -> Colour:
    """The writing colour that reads best on `ground`: INK or CHALK (by WCAG relative luminance)."""
    return Colour.INK if luminance(ground) > 0.22 else Colour.CHALK


def luminance(colour: Colour) -> float:
    """WCAG 2 relative luminance, 0 (black) to 1 (white)."""

    def linear(channel: int) -> float:
        c = channel / 255
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

    red, green, blue = PALETTE_RGB[colour]
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


# ------------------------------------------------------------------ blending by table

LEVELS: Final = 4  # coverage levels over a ground of several colours: 64 colours x 4 levels is one byte


@cache
def _nearest(red: int, green: int, blue: int) -> int:
    """The solid palette index nearest to a colour (weighted as the eye does: 2, 4, 3)."""
    best, index = 1 << 30, 0
    for candidate in range(Colour.NIGHT, len(PALETTE_RGB)):
        r, g, b = PALETTE_RGB[candidate]
        distance = 2 * (r - red) ** 2 + 4 * (g - green) ** 2 + 3 * (b - blue) ** 2
        if distance < best:
            best, index = distance, candidate
    return index


def _mix(ground: int, colour: int, share: float) -> int:
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
    mixed = (
        round(g + (c - g) * share) for g, c in zip(PALETTE_RGB[ground], PALETTE_RGB[colour], strict=True)
    )
    return _nearest(*mixed)


@cache
def flat_table(ground: int, colour: int) -> bytes:
    """Coverage 0-255 of `colour` over the one colour `ground` to palette indexes."""
    # 33 steps are finer than any ramp of the palette and eight times quicker to prepare than 256
    steps = [_mix(ground, colour, step / 32) for step in range(33)]
    return bytes(steps[(coverage * 32 + 127) // 255] for coverage in range(256))


@cache
def blend_table(colour: int) -> bytes:
    """`64 * level + ground` to the palette index of `colour` over `ground` at coverage level/3."""
    size = len(PALETTE_RGB)
    return bytes(
        _mix(ground, colour, level / (LEVELS - 1)) if ground < size else 0
        for level in range(LEVELS)
        for ground in range(64)
    )


COVERAGE_TO_LEVEL: Final[bytes] = bytes(
    64 * ((coverage * (LEVELS - 1) + 127) // 255) for coverage in range(256)
)
