"""What boards are put together from: grids, tiles, dice, cards, piles, marks, name plates.

Sprites (`tile`, `die`, `card`, `pile`, `seat_badge`) are cached and have square corners filled with the
ground they will lie on (`on`): `canvas.paste(tile("12", 72, on=Colour.RECESS), x, y)`. Marks (`mark_last`,
`mark_target`, `mark_preview`, `mark_run`, `mark_setup`) and `plate`, `coordinates`, `board` draw on a
canvas that is being made.

Meaning of the marks, the same in every game, told apart by shape alone:

    last move   four corner brackets, amber             what was just laid, entered or exchanged
    target      a diamond, mint                          a place that can be chosen now
    preview     a dashed frame, mint on dark             a piece of the move being put together, not yet
    played
    run         a whole frame, amber                     what scores together (a run, a stack)
    turn        an arrow and an amber edge on a plate     who is to move
    winner      a crown on a plate                        who has won
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

from . import fonts
from .sprites import Box, Canvas, Point, cached
from .theme import (
    BODY,
    MARK_WIDTH,
    RADIUS,
    SEAT_COLOURS,
    SMALL,
    TEXT_LEAST,
    TEXT_MIN,
    Colour,
    Theme,
)

LIP: Final = 0.07  # of a piece's height: the lower edge that makes it look thick


# --------------------------------------------------------------------------- grids


@dataclass(frozen=True, slots=True)
class Grid:
    """A rectangular board's cells: `cell` px wide and high, `gap` px apart; (x, y) is A1's top left
    corner."""

    x: int
    y: int
    cell: int
    columns: int
    rows: int
    gap: int = 6

    @property
    def box(self) -> Box:
        """All cells together."""
        step = self.cell + self.gap
        return Box(self.x, self.y, self.columns * step - self.gap, self.rows * step - self.gap)

    def at(self, column: int, row: int) -> Box:
        """The cell in a column and row, both from 0."""
        step = self.cell + self.gap
        return Box(self.x + column * step, self.y + row * step, self.cell, self.cell)

    def named(self, name: str) -> Box:
        """The cell called `A1`, `B3`, … Raises ValueError for a name that is not on the board."""
        column, row = ord(name[0]) - ord("A"), int(name[1:]) - 1
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            raise ValueError(f"no cell {name}")
        return self.at(column, row)


def coordinates(
    canvas: Canvas,
    grid: Grid,
    size: int = TEXT_MIN,
    colour: Colour = Colour.MUTED,
    offset: int = 0,
    around: bool = False,
) -> None:
    """Column letters above and row numbers left of a grid, centred in a margin of `offset` px (default:
    fits `size`). around: below and at the right as well."""
    half = (offset or round(size * 1.25)) // 2
    for y in (grid.y - half, grid.box.bottom + half)[: 1 + around]:
        for column in range(grid.columns):
            canvas.text(grid.at(column, 0).cx, y, chr(ord("A") + column), size, colour, "mm")
    for x in (grid.x - half, grid.box.right + half)[: 1 + around]:
        for row in range(grid.rows):
            canvas.text(x, grid.at(0, row).cy, str(row + 1), size, colour, "mm")


def board(canvas: Canvas, box: Box, fill: Colour = Colour.PANEL, radius: int = RADIUS) -> None:
    """The panel a board lies on, with its shadow, or framed where the theme has it so."""
    rim = canvas.theme.rim
    if not rim:
        canvas.shade(box, radius)
    canvas.rounded(box, radius, fill, Colour.SHADE if rim else None, rim)


# --------------------------------------------------------------------------- pieces


@cached
def cell(
    theme: Theme, size: int, *, on: Colour, height: int = 0, fill: Colour = Colour.RECESS, radius: int = 0
) -> Canvas:
    """A free cell: a hollow, `size` wide and `height` (default `size`) high."""
    canvas = Canvas(theme, size, height or size, on)
    hollow(canvas, Box(0, 0, canvas.width, canvas.height), radius or max(4, size // 8), fill)
    return canvas


def hollow(canvas: Canvas, box: Box, radius: int, fill: Colour = Colour.RECESS) -> None:
    """A hollow with a darker upper edge, or framed where the theme has it so."""
    rim = canvas.theme.rim
    canvas.rounded(box, radius, Colour.SHADE)
    inner = Box(box.x + rim, box.y + (rim or 3), box.w - 2 * rim, box.h - (2 * rim or 3))
    canvas.rounded(inner, max(1, radius - rim), fill)


@cached
def tile(
    theme: Theme,
    label: str,
    size: int,
    *,
    on: Colour,
    height: int = 0,
    face: Colour = Colour.IVORY,
    lip: Colour = Colour.SILVER,
    ink: Colour | None = None,
    text: int = 0,
    radius: int = 0,
) -> Canvas:
    """A piece with a short text: `size` wide, `height` (default `size`) high; text is the em size (default
    0.62 of
    the height, shrunk to the width)."""
    height = height or size
    canvas = Canvas(theme, size, height, on)
    depth = max(2, round(height * LIP))
    radius = radius or max(4, size // 8)
    canvas.rounded(Box(0, 0, size, height), radius, lip)
    canvas.rounded(Box(0, 0, size, height - depth), radius, face)
    if label:
        em = text or round(height * 0.6)
        canvas.text(
            size // 2, (height - depth) // 2, label, em, ink if ink is not None else theme.ink_on(face), "mm",
            fonts.BOLD,
            most=size - max(4, size // 10), least=em // 2,
        )  # fmt: skip
    return canvas


_PIPS: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (2, 0), (0, 2), (2, 2)),
    5: ((0, 0), (2, 0), (1, 1), (0, 2), (2, 2)),
    6: ((0, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 2)),
}


@cached
def die(
    theme: Theme,
    pips: int,
    size: int,
    *,
    on: Colour,
    face: Colour = Colour.IVORY,
    lip: Colour = Colour.SILVER,
) -> Canvas:
    """A die showing 1 to 6 pips; 0 shows a blank face for a game's own symbol (draw it on your own
    sprite)."""
    canvas = Canvas(theme, size, size, on)
    canvas.paste(tile("", size, on=on, face=face, lip=lip, radius=size // 5), 0, 0)
    dot, step, start = round(size * 0.18), size * 0.25, size * 0.25
    for column, row in _PIPS.get(pips, ()):
        x, y = start + column * step, start + row * step - size * LIP / 2
        canvas.ellipse(Box(round(x - dot / 2), round(y - dot / 2), dot, dot), theme.ink_on(face))
    return canvas


@cached
def card(
    theme: Theme,
    width: int,
    height: int,
    *,
    on: Colour,
    face: Colour = Colour.IVORY,
    edge: Colour = Colour.SILVER,
    border: int = 4,
) -> Canvas:
    """A blank card: face with an edge of its colour."""
    canvas = Canvas(theme, width, height, on)
    canvas.rounded(Box(0, 0, width, height), max(6, width // 10), face, edge, border)
    return canvas


@cached
def pile(
    theme: Theme,
    size: int,
    *,
    on: Colour,
    colour: Colour = Colour.WOOD,
    lip: Colour = Colour.WOOD_DEEP,
    layers: int = 3,
) -> Canvas:
    """Face-down tiles on each other (`size` is one tile; the pile is (layers-1) * 5 px higher), 1 layer for
    a single one."""
    step = 5
    canvas = Canvas(theme, size, size + step * (layers - 1), on)
    for layer in range(layers):
        top = step * (layers - 1 - layer)
        canvas.rounded(Box(0, top, size, size), max(4, size // 8), lip)
        canvas.rounded(Box(0, top, size, size - step + 1), max(4, size // 8), colour)
    inner = Box(0, 0, size, size - step).inset(max(5, size // 8))
    canvas.hatch(inner, max(3, size // 12), max(8, size // 6), 2, lip)
    canvas.rounded(inner, max(3, size // 12), None, lip, 2)
    return canvas


# --------------------------------------------------------------------------- marks


def mark_last(canvas: Canvas, box: Box, colour: Colour = Colour.AMBER) -> None:
    """Corner brackets round a cell or piece: the last move. They reach 5 px out of the box, so that they stay
    clear of what is written on it."""
    width = max(4, min(MARK_WIDTH - 1, box.w // 14))
    reach = max(2 * width, round(min(box.w, box.h) * 0.22))
    box = box.inset(-3)
    h = width / 2
    for sx, sy, x, y in (
        (1, 1, box.x + h, box.y + h),
        (-1, 1, box.right - h, box.y + h),
        (1, -1, box.x + h, box.bottom - h),
        (-1, -1, box.right - h, box.bottom - h),
    ):
        points = ((x, y + sy * reach), (x, y), (x + sx * reach, y))
        canvas.line(points, width + 4, Colour.HALO)
        canvas.line(points, width, colour)


def _diamond(x: float, y: float, half: float) -> tuple[Point, ...]:
    return ((x, y - half), (x + half, y), (x, y + half), (x - half, y))


def mark_target(
    canvas: Canvas, box: Box, corner: bool = False, size: int = 0, colour: Colour = Colour.MINT
) -> None:
    """A diamond in the middle of a free place, or (`corner`) on the upper right corner of one with a piece
    on it: further in there is what the piece shows."""
    side = min(box.w, box.h)
    half = (size or max(16, min(32, round(side * 0.3)) if corner else round(side * 0.36))) / 2
    x, y = (box.right - half * 0.2, box.y + half * 0.2) if corner else (box.x + box.w / 2, box.y + box.h / 2)
    canvas.polygon(_diamond(x, y, half + 3.5), Colour.HALO)
    canvas.polygon(_diamond(x, y, half), colour)


def mark_preview(canvas: Canvas, box: Box, colour: Colour = Colour.MINT, width: int = 0) -> None:
    """A dashed frame on a dark one round a piece that is laid on trial. It reaches 3 px out of the box."""
    width = width or max(4, min(MARK_WIDTH - 1, box.w // 11))
    outer = box.inset(-3)
    radius = max(4, box.w // 8) + 3
    canvas.rounded(outer, radius, None, Colour.HALO, width)
    canvas.dashed(outer, radius, width, colour)


def mark_run(canvas: Canvas, box: Box, colour: Colour = Colour.AMBER, width: int = 5) -> None:
    """A whole frame round what scores together, with dark edges. It reaches 4 px out of the box."""
    outer = box.inset(-4)
    radius = max(6, min(box.w, box.h) // 7)
    canvas.rounded(outer, radius, None, Colour.HALO, width + 4)
    canvas.rounded(outer.inset(2), radius - 2, None, colour, width)


def mark_setup(canvas: Canvas, box: Box, colour: Colour = Colour.LINE) -> None:
    """A thin empty diamond in a free cell: a place of the set-up."""
    x, y, half = box.x + box.w / 2, box.y + box.h / 2, min(box.w, box.h) * 0.24
    points = _diamond(x, y, half)
    canvas.line((*points, points[0]), 3, colour)


# --------------------------------------------------------------------------- people


def _regular(corners: int, x: float, y: float, radius: float, turn: float = -pi / 2) -> list[Point]:
    return [
        (x + radius * cos(turn + 2 * pi * n / corners), y + radius * sin(turn + 2 * pi * n / corners))
        for n in range(corners)
    ]


def _star(x: float, y: float, radius: float) -> list[Point]:
    outer, inner = _regular(5, x, y, radius), _regular(5, x, y, radius * 0.5, -pi / 2 + pi / 5)
    return [point for pair in zip(outer, inner, strict=True) for point in pair]


def _cross(x: float, y: float, reach: float, half: float) -> list[Point]:
    corners = ((-half, -reach), (half, -reach), (half, -half))
    turned = list(corners)
    for _ in range(3):
        corners = tuple((-b, a) for a, b in corners)  # type: ignore[assignment]
        turned += corners
    return [(x + a, y + b) for a, b in turned]


@cached
def seat_badge(theme: Theme, seat: int, size: int, *, on: Colour) -> Canvas:
    """A seat's sign: circle, square, triangle, diamond, cross or star in its colour, edged in CHALK."""
    canvas = Canvas(theme, size, size, on)
    colour, c, r = SEAT_COLOURS[seat % len(SEAT_COLOURS)], size / 2, size / 2 - 1
    for radius, fill in ((r, Colour.CHALK), (r - max(2.5, size / 11), colour)):
        match seat % len(SEAT_COLOURS):
            case 0:
                side = round(2 * radius * 0.94)
                canvas.ellipse(Box(round(c - side / 2), round(c - side / 2), side, side), fill)
            case 1:
                side = round(2 * radius * 0.84)
                canvas.rounded(Box(round(c - side / 2), round(c - side / 2), side, side), 3, fill)
            case 2:
                # the inner triangle must keep equal distance to the outer one's sides
                canvas.polygon(_regular(3, c, c + size * 0.1, size * 0.55 - 2 * (r - radius)), fill)
            case 3:
                canvas.polygon(_regular(4, c, c, r - 1.35 * (r - radius)), fill)
            case 4:
                arm = radius - size * 0.04
                canvas.polygon(_cross(c, c, arm, size * 0.21 - (r - radius) * 0.85), fill)
            case _:
                canvas.polygon(_star(c, c + size * 0.03, r + 1 - 1.9 * (r - radius)), fill)
    return canvas


@cached
def crown(theme: Theme, size: int, *, on: Colour, ink: Colour = Colour.AMBER) -> Canvas:
    """The winner's sign."""
    canvas = Canvas(theme, size, size, on)
    s = size / 24
    canvas.polygon(
        [(x * s, y * s) for x, y in ((2, 7), (7.5, 12), (12, 4), (16.5, 12), (22, 7), (20, 20), (4, 20))],
        ink,
    )
    for x, y in ((2.5, 6.5), (12, 4), (21.5, 6.5)):
        canvas.ellipse(Box(round((x - 2) * s), round((y - 2) * s), round(4 * s), round(4 * s)), ink)
    return canvas


@cached
def turn_arrow(theme: Theme, size: int, *, on: Colour) -> Canvas:
    """The sign of who is to move."""
    canvas = Canvas(theme, size, size, on)
    canvas.polygon(
        [(size * 0.2, size * 0.08), (size * 0.92, size * 0.5), (size * 0.2, size * 0.92)], Colour.AMBER
    )
    return canvas


def plate_ground(active: bool, winner: bool) -> Colour:
    """What stands on a name plate lies on."""
    return Colour.AMBER_PALE if winner else Colour.RAISED if active else Colour.PANEL


def plate(
    canvas: Canvas,
    box: Box,
    name: str,
    seat: int,
    *,
    score: str = "",
    active: bool = False,
    winner: bool = False,
    own: bool = False,
    reserve: int = 0,
    on: Colour = Colour.FELT,
) -> None:
    """A name plate: seat sign, name fitted to what room there is, score at the right.

    active: at turn (arrow and amber edge). winner: a crown on a light plate with an edge. own: the name in
    bold, for the reader's own seat. reserve: px kept free at the right for what the caller draws there.
    """
    sprite = _plate_sprite(box.w, box.h, name, seat, score, active, winner, own, reserve, on=on)
    canvas.paste(sprite, box.x, box.y)


@cached
def _plate_sprite(
    theme: Theme,
    width: int,
    height: int,
    name: str,
    seat: int,
    score: str,
    active: bool,
    winner: bool,
    own: bool,
    reserve: int,
    *,
    on: Colour,
) -> Canvas:
    canvas = Canvas(theme, width, height, on)
    fill = plate_ground(active, winner)
    ink = Colour.INK if winner else Colour.TEXT
    edge, thick = (
        (Colour.AMBER_DEEP, 4) if winner else (Colour.AMBER, 3) if active else (Colour.SHADE, theme.rim)
    )
    canvas.rounded(Box(0, 0, width, height), height // 2, fill, edge, thick)
    sign = round(height * 0.58)
    pad = (height - sign) // 2
    x, right = pad + 4, width - pad - 4 - reserve
    if active:
        arrow = round(height * 0.42)
        canvas.paste(turn_arrow(arrow, on=fill), x + 2, (height - arrow) // 2)
        x += arrow + 8
    canvas.paste(seat_badge(seat, sign, on=fill), x, pad)
    x += sign + 10
    if winner:
        large = round(height * 0.66)
        canvas.paste(crown(large, on=fill, ink=Colour.AMBER_DEEP), x, (height - large) // 2)
        x += large + 8
    if score:
        em = round(height * 0.56)
        used = canvas.text(right, height // 2, score, em, ink, "rm", fonts.BOLD, most=width // 3)
        right -= used + 10
    em = round(height * 0.52)
    canvas.text(
        x, height // 2, name, em, ink if active or own or winner else Colour.SOFT, "lm",
        fonts.BOLD if own or winner else fonts.REGULAR, most=max(1, right - x), least=TEXT_MIN, middle=True,
    )  # fmt: skip
    return canvas


def caption(
    canvas: Canvas,
    x: int,
    y: int,
    text: str,
    most: int,
    anchor: str = "lm",
    size: int = SMALL,
    middle: bool = False,
) -> int:
    """Small muted words (what a group of pieces is); the width used. middle: as for `Canvas.text`."""
    return canvas.text(x, y, text, size, Colour.MUTED, anchor, most=most, least=TEXT_LEAST, middle=middle)


def heading(
    canvas: Canvas, x: int, y: int, text: str, most: int, anchor: str = "lm", size: int = BODY
) -> int:
    """Words that say what is going on; the width used. What is too long has a long name, and gives way in
    its middle: the end may be what was done."""
    return canvas.text(x, y, text, size, Colour.TEXT, anchor, fonts.BOLD, most=most, least=SMALL, middle=True)


def wrapped(text: str, size: int, most: int, lines: int, weight: int = fonts.REGULAR) -> list[str]:
    """Words in as few lines of `most` px as it takes; the last of `lines` has all that is left."""
    found = [""]
    for word in text.split():
        longer = f"{found[-1]} {word}".strip()
        if not found[-1] or len(found) == lines or fonts.width(longer, size, weight) <= most:
            found[-1] = longer
        else:
            found.append(word)
    return found


def count(
    canvas: Canvas, x: int, y: int, text: str, *, size: int = TEXT_MIN, fill: Colour = Colour.INK
) -> None:
    """A small round label such as ×3, centred on (x, y)."""
    found = fonts.line(text, size, fonts.BOLD)
    high = count_height(size)
    wide = max(high, found.width + round(size * 0.6))
    canvas.rounded(Box(x - wide // 2, y - high // 2, wide, high), high // 2, fill, Colour.SILVER, 2)
    canvas.text(x, y, text, size, Colour.CHALK, "mm", fonts.BOLD)


def count_height(size: int = TEXT_MIN) -> int:
    """Of a `count` in pixels."""
    return round(size * 1.15)


def spread(start: int, room: int, sizes: Sequence[int], gap: int) -> list[int]:
    """Left (or top) edges of neighbours of these sizes, `gap` px apart, centred in `room` px from `start`."""
    total = sum(sizes) + gap * max(0, len(sizes) - 1)
    at, found = start + (room - total) // 2, []
    for size in sizes:
        found.append(at)
        at += size + gap
    return found
