"""Top Spot's cards and combinations as sprites, and words on a panel.

A spot is a light disc, a hole a dark one with a ring round it, a plain position is bare: told apart without
colour. A card has the face of its colour and says so by its letter. A combination is drawn as it looks from
above: in a hole's ring there is whatever lies below, in the colour of the card it belongs to.
"""

from __future__ import annotations

from typing import Final

from bot.rules.topspot import JOKER, card_grid, card_numbers, composite

from . import fonts, parts
from .sprites import Box, Canvas, cached
from .theme import TEXT_LEAST, Colour, Theme

# by letter: face and the ring round a hole
INKS: Final[dict[str, tuple[Colour, Colour]]] = {
    "R": (Colour.RED_DEEP, Colour.RED_LIGHT),
    "Y": (Colour.YELLOW_DEEP, Colour.YELLOW_PALE),
    "G": (Colour.GREEN_DEEP, Colour.GREEN_LIGHT),
    "B": (Colour.BLUE_DEEP, Colour.BLUE_LIGHT),
    "P": (Colour.PURPLE_DEEP, Colour.PURPLE_LIGHT),
    JOKER: (Colour.STEEL, Colour.SILVER),
}


def _disc(canvas: Canvas, box: Box, share: float, fill: Colour) -> None:
    side = round(box.w * share / 2) * 2
    canvas.ellipse(Box(box.cx - side // 2, box.cy - side // 2, side, side), fill)


def _face(canvas: Canvas, x: int, y: int, cell: int, cards: tuple[str, ...]) -> None:
    """The nine positions of a stack as they look from above; (x, y) is their top left corner."""
    seen = composite(cards)
    top = card_grid(cards[0])
    ring = INKS[cards[0][0]][1]
    for at, sign in enumerate(seen.grid):
        row, column = divmod(at, 3)
        box = Box(x + column * cell, y + row * cell, cell, cell)
        if top[at] == "O":
            _disc(canvas, box, 0.92, ring)
            below = INKS[cards[seen.depth[at]][0]][0]
            _disc(canvas, box, 0.92 - 8 / cell, Colour.INK if sign == "O" else below)
            if sign == "@":
                _disc(canvas, box, 0.6, Colour.CHALK)
        elif sign == "@":
            _disc(canvas, box, 0.74, Colour.CHALK)


def card_height(width: int) -> int:
    return 40 + (width - 16) // 3 * 3 + 8


@cached
def card_sprite(theme: Theme, card: str, width: int) -> Canvas:
    """One card with its name and corner numbers, to lie on a panel."""
    height = card_height(width)
    canvas = Canvas(theme, width, height, Colour.PANEL)
    face, ring = INKS[card[0]]
    canvas.rounded(Box(0, 0, width, height), width // 8, face, ring, 3)
    if card == JOKER:
        canvas.paste(_star(30, on=face), 9, 8)
    else:
        canvas.text(12, 23, card, 32, Colour.CHALK, "lm", fonts.BOLD)
    a, b = card_numbers(card)
    canvas.text(width - 22, 23, f"{a}/{b}", 28, Colour.CHALK, "rm")
    cell = (width - 16) // 3
    _face(canvas, (width - 3 * cell) // 2, 40, cell, (card,))
    return canvas


@cached
def drafted_card(theme: Theme, card: str, width: int, number: int) -> Canvas:
    """A card in the draft: dashed frame, and its place in the stack; 3 px larger, 12 px at the lower edge."""
    height = card_height(width)
    canvas = Canvas(theme, width + 6, height + 15, Colour.PANEL)
    canvas.paste(card_sprite(card, width), 3, 3)
    parts.mark_preview(canvas, Box(3, 3, width, height))
    parts.count(canvas, 3 + width // 2, height + 2, str(number), size=22)
    return canvas


@cached
def target_corner(theme: Theme, card: str, width: int) -> Canvas:
    """The upper right corner of a card that may be chosen: 28 px of it, and 12 px beyond it."""
    canvas = Canvas(theme, 40, 40, Colour.PANEL)
    canvas.paste(card_sprite(card, width), 28 - width, 12)
    parts.mark_target(canvas, Box(28 - width, 12, width, card_height(width)), corner=True, size=22)
    return canvas


@cached
def _star(theme: Theme, size: int, *, on: Colour) -> Canvas:
    """The joker's sign: what the notation writes as `*`."""
    canvas = Canvas(theme, size, size, on)
    half = size / 2
    for dx, dy in ((0.0, 0.92), (0.8, 0.46), (0.8, -0.46)):
        ends = (half - dx * half, half - dy * half), (half + dx * half, half + dy * half)
        canvas.line(ends, max(3.0, size / 6), Colour.CHALK)
    return canvas


@cached
def stack_sprite(theme: Theme, cards: tuple[str, ...], cell: int, mark: str = "") -> Canvas:
    """A stack from above, to lie on a panel, with 5 px round it. mark: "last", "past" or "draft"."""
    side = 3 * cell + 16
    canvas = Canvas(theme, side + 10, side + 10, Colour.PANEL)
    box = Box(5, 5, side, side)
    face, ring = INKS[cards[0][0]]
    canvas.rounded(box, side // 8, face, ring, 3)
    _face(canvas, 13, 13, cell, cards)
    if mark == "past":
        canvas.hatch(box, side // 8, 9, 3, Colour.PANEL)
    elif mark == "last":
        parts.mark_last(canvas, box)
    elif mark == "draft":
        parts.mark_preview(canvas, box)
    return canvas


@cached
def name_sprite(theme: Theme, card: str, width: int) -> Canvas:
    """A card by its name alone, 50 px high."""
    canvas = Canvas(theme, width, 50, Colour.PANEL)
    face, ring = INKS[card[0]]
    canvas.rounded(Box(0, 0, width, 50), 10, face, ring, 3)
    if card == JOKER:
        canvas.paste(_star(30, on=face), width // 2 - 15, 10)
    else:
        canvas.text(width // 2, 25, card, 30, Colour.CHALK, "mm", fonts.BOLD)
    return canvas


@cached
def tick(theme: Theme, good: bool) -> Canvas:
    """Whether a card matters."""
    canvas = Canvas(theme, 44, 40, Colour.PANEL)
    if good:
        canvas.line(((7, 20), (17, 31), (36, 8)), 6, Colour.MINT)
    else:
        canvas.line(((10, 8), (34, 32)), 6, Colour.WARN)
        canvas.line(((10, 32), (34, 8)), 6, Colour.WARN)
    return canvas


@cached
def _panel(theme: Theme, width: int, height: int) -> Canvas:
    """A panel with its shadow and 8 px of felt round it."""
    canvas = Canvas(theme, width + 16, height + 16, Colour.FELT)
    parts.board(canvas, Box(8, 8, width, height))
    return canvas


def board(canvas: Canvas, box: Box) -> None:
    canvas.paste(_panel(box.w, box.h), box.x - 8, box.y - 8)


@cached
def _words(theme: Theme, text: str, size: int, ink: Colour, bold: bool, most: int) -> Canvas:
    """A line on a panel, fitted to a width, 2 px of it free at either end."""
    weight = fonts.BOLD if bold else fonts.REGULAR
    least = max(TEXT_LEAST, round(size * 0.7))
    found = fonts.fitted(text, size, most, least, weight)
    canvas = Canvas(theme, found.width + 4, round(size * (1.5 if size < 40 else 1.2)), Colour.PANEL)
    canvas.write(found, 2, canvas.height // 2, ink)
    return canvas


def write(
    canvas: Canvas,
    x: int,
    y: int,
    text: str,
    size: int,
    ink: Colour,
    most: int,
    anchor: str = "lm",
    bold: bool = False,
) -> int:
    """Write on a panel, fitted to `most` px; the width used."""
    sprite = _words(text, size, ink, bold, max(most, 1))
    width, height = sprite(canvas.theme).image.size
    canvas.paste(sprite, x - {"l": 2, "m": width // 2, "r": width - 2}[anchor[0]], y - height // 2)
    return width - 4


@cached
def chip(theme: Theme, letter: str, size: int, *, on: Colour) -> Canvas:
    """A colour with its letter in it."""
    canvas = Canvas(theme, size, size, on)
    face, ring = INKS[letter]
    canvas.rounded(Box(0, 0, size, size), 10, face, ring, 3)
    canvas.text(size // 2, size // 2, letter, round(size * 0.66), Colour.CHALK, "mm", fonts.BOLD)
    return canvas
