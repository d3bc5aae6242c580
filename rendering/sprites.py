"""The canvas, its shapes, cached sprites, and PNG.

    canvas = Canvas(theme, 800, 640)                # felt with round, see-through corners
    canvas.rounded(Box(24, 24, 200, 80), RADIUS, Colour.PANEL)
    canvas.text(124, 64, "12", 40, Colour.TEXT, anchor="mm", weight=fonts.BOLD)
    canvas.paste(my_sprite(12, on=Colour.PANEL), 30, 30)
    png = encode(canvas)

Everything that is stamped has smooth edges over whatever lies below. What is drawn often belongs in a
sprite: a function that draws on a small canvas filled with the ground it will lie on, decorated with
`cached`:

    @cached
    def pawn(theme: Theme, seat: int, *, on: Colour) -> Canvas:
        canvas = Canvas(theme, 40, 40, on)
        canvas.ellipse(Box(4, 4, 32, 32), SEAT_COLOURS[seat])
        return canvas

    picture.paste(pawn(2, on=Colour.FELT), 30, 30)

It is called without the theme: a canvas that a sprite is pasted on has it drawn in its own. What is drawn is
kept, and shared between pictures and threads: paste it, never draw on it (it refuses). Pasting costs some
microseconds, stamping some tens of them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import Concatenate, Final, NamedTuple, ParamSpec, TypeAlias

from isal import isal_zlib
from PIL import Image, ImageChops, ImageDraw

from . import fonts, theme
from .theme import Colour, Theme

OVERSAMPLE: Final = 4
# Of ISA-L's levels: a tenth of the time that zlib takes for the same size. The higher ones give no less.
DEFLATE_LEVEL: Final = 1

P = ParamSpec("P")
Sprite: TypeAlias = "Callable[[Theme], Canvas]"  # what is pasted: drawn in the theme of what it lies on
Point = tuple[float, float]


class Box(NamedTuple):
    """A rectangle in whole pixels."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        return self.x + self.w

    @property
    def bottom(self) -> int:
        return self.y + self.h

    @property
    def cx(self) -> int:
        return self.x + self.w // 2

    @property
    def cy(self) -> int:
        return self.y + self.h // 2

    def inset(self, by: int) -> Box:
        """Smaller by `by` on every side (larger where it is negative)."""
        return Box(self.x + by, self.y + by, max(0, self.w - 2 * by), max(0, self.h - 2 * by))

    def moved(self, dx: int, dy: int) -> Box:
        return Box(self.x + dx, self.y + dy, self.w, self.h)


class Canvas:
    """A picture being made: palette indexes of its theme in an "L" image (`image`), turned to mode "P" by
    `encode`.

    fill: the ground. None is felt with round see-through corners, for whole pictures.
    """

    __slots__ = ("_frozen", "image", "theme")

    def __init__(self, theme: Theme, width: int, height: int, fill: Colour | None = None) -> None:
        self._frozen = False
        self.theme = theme
        if fill is None:
            self.image = _ground(theme, width, height).copy()
        else:
            self.image = Image.new("L", (width, height), int(fill))

    @property
    def width(self) -> int:
        return self.image.width

    @property
    def height(self) -> int:
        return self.image.height

    def freeze(self) -> Canvas:
        """From now on this canvas refuses to be drawn on."""
        self._frozen = True
        return self

    def _target(self) -> Image.Image:
        if self._frozen:
            raise TypeError("a cached sprite is shared: paste it on another canvas instead of drawing on it")
        return self.image

    # ---------------------------------------------------------------- the two ways anything gets on a canvas

    def paste(self, sprite: Sprite, x: int, y: int) -> None:
        """Copy a sprite as it is; (x, y) is its top left corner."""
        self._target().paste(sprite(self.theme).image, (x, y))

    def stamp(self, mask: Image.Image, x: int, y: int, colour: Colour) -> None:
        """Put `colour` where `mask` ("L", 0-255 coverage) covers, blending smoothly with what lies below.

        Over a ground of one colour the blend is as fine as the palette; over a mixed one it has four
        levels, found by one look-up of ground and coverage together.
        """
        target = self._target()
        left, top = max(0, x), max(0, y)
        right, bottom = min(target.width, x + mask.width), min(target.height, y + mask.height)
        if left >= right or top >= bottom:
            return
        if (right - left, bottom - top) != mask.size:
            mask = mask.crop((left - x, top - y, right - x, bottom - y))
        ground = target.crop((left, top, right, bottom))
        low, high = ground.getextrema()
        if low == high:
            mixed = _mapped(mask, theme.flat_table(self.theme, int(low), int(colour)))  # type: ignore[arg-type]
        else:
            levels = _mapped(mask, theme.COVERAGE_TO_LEVEL)
            mixed = _mapped(ImageChops.add(ground, levels), theme.blend_table(self.theme, int(colour)))
        target.paste(mixed, (left, top))

    # ---------------------------------------------------------------- shapes

    def rect(self, box: Box, fill: Colour) -> None:
        """A plain rectangle (no smoothing needed)."""
        if box.w > 0 and box.h > 0:
            self._target().paste(int(fill), (box.x, box.y, box.right, box.bottom))

    def rounded(
        self, box: Box, radius: int, fill: Colour | None, outline: Colour | None = None, width: int = 0
    ) -> None:
        """A rectangle with round corners; `outline` of `width` px lies inside the box."""
        if outline is not None and width:
            if fill is None:
                self.stamp(shape_mask("frame", box.w, box.h, radius, width), box.x, box.y, outline)
                return
            self._block(box, radius, outline)
            box, radius = box.inset(width), max(0, radius - width)
        if fill is not None:
            self._block(box, radius, fill)

    def _block(self, box: Box, radius: int, fill: Colour) -> None:
        """A filled round rectangle: plain middle, stamped ends, so that large panels cost next to nothing."""
        radius = max(0, min(radius, box.w // 2, box.h // 2))
        if box.w <= 0 or box.h <= 0:
            return
        self.rect(Box(box.x, box.y + radius, box.w, box.h - 2 * radius), fill)
        if radius:
            self.rect(Box(box.x + radius, box.y, box.w - 2 * radius, box.h), fill)
            disc = shape_mask("ellipse", 2 * radius, 2 * radius)
            for right in (0, 1):
                for low in (0, 1):
                    quarter = disc.crop(
                        (right * radius, low * radius, (right + 1) * radius, (low + 1) * radius)
                    )
                    self.stamp(
                        quarter,
                        box.right - radius if right else box.x,
                        box.bottom - radius if low else box.y,
                        fill,
                    )

    def ellipse(self, box: Box, fill: Colour | None, outline: Colour | None = None, width: int = 0) -> None:
        """An ellipse that fills the box; `outline` of `width` px lies inside it."""
        if outline is not None and width:
            if fill is None:
                self.stamp(shape_mask("ring", box.w, box.h, width), box.x, box.y, outline)
                return
            self.stamp(shape_mask("ellipse", box.w, box.h), box.x, box.y, outline)
            box = box.inset(width)
        if fill is not None:
            self.stamp(shape_mask("ellipse", box.w, box.h), box.x, box.y, fill)

    def polygon(self, points: Sequence[Point], fill: Colour) -> None:
        """A filled polygon; points in canvas pixels, fractions welcome."""
        left, top = int(min(p[0] for p in points)) - 1, int(min(p[1] for p in points)) - 1
        right, bottom = int(max(p[0] for p in points)) + 2, int(max(p[1] for p in points)) + 2
        shifted = tuple((round(x - left, 2), round(y - top, 2)) for x, y in points)
        self.stamp(shape_mask("polygon", right - left, bottom - top, shifted), left, top, fill)

    def line(self, points: Sequence[Point], width: float, colour: Colour) -> None:
        """A polyline with round joints and ends."""
        half = width / 2
        left, top = int(min(p[0] for p in points) - half) - 1, int(min(p[1] for p in points) - half) - 1
        right, bottom = int(max(p[0] for p in points) + half) + 2, int(max(p[1] for p in points) + half) + 2
        shifted = tuple((round(x - left, 2), round(y - top, 2)) for x, y in points)
        self.stamp(shape_mask("line", right - left, bottom - top, shifted, width), left, top, colour)

    def dashed(self, box: Box, radius: int, width: int, colour: Colour) -> None:
        """A dashed round rectangle, its line inside the box."""
        self.stamp(shape_mask("dashes", box.w, box.h, radius, width), box.x, box.y, colour)

    def hatch(self, box: Box, radius: int, step: int, width: int, colour: Colour) -> None:
        """Slanting lines `step` px apart within a round rectangle."""
        self.stamp(shape_mask("hatch", box.w, box.h, radius, step, width), box.x, box.y, colour)

    def shade(self, box: Box, radius: int, depth: int = 6) -> None:
        """A soft shadow below a panel: draw it before the panel."""
        self.stamp(
            shape_mask("shadow", box.w + 2 * depth, box.h + 2 * depth, radius, depth),
            box.x - depth, box.y - depth // 3, Colour.SHADE,
        )  # fmt: skip

    # ---------------------------------------------------------------- text

    def text(
        self,
        x: int,
        y: int,
        text: str,
        size: int,
        colour: Colour,
        anchor: str = "lm",
        weight: int = fonts.REGULAR,
        most: int | None = None,
        least: int | None = None,
        middle: bool = False,
    ) -> int:
        """Write one line and return its width in pixels.

        anchor: l, m or r (x is the left end, middle or right end), then m (y is the middle of capitals and
        digits) or s (y is the baseline). most: widest allowed; the text shrinks to `least`, then gets an
        ellipsis at its end or, for a name, in the `middle` (see `fonts.fitted`). No text is under TEXT_LEAST.
        """
        if most is None:
            found = fonts.line(text, size, weight)
        else:
            least = max(theme.TEXT_LEAST, least if least is not None else size * 3 // 4)
            found = fonts.fitted(text, size, most, least, weight, middle)
        self.write(found, x, y, colour, anchor)
        return found.width

    def write(self, found: fonts.Line, x: int, y: int, colour: Colour, anchor: str = "lm") -> None:
        """Put a line of text there; anchor as for `text`."""
        left = x - {"l": 0, "m": found.width // 2, "r": found.width}[anchor[0]]
        top = y - {"m": found.middle, "s": found.baseline}[anchor[1]]
        self.stamp(found.mask, left, top, colour)


def _mapped(image: Image.Image, table: bytes) -> Image.Image:
    """`table[value]` for each pixel. Pillow's own `point` takes longer to read the table than to use it."""
    return Image.frombytes("L", image.size, image.tobytes().translate(table))


# --------------------------------------------------------------------------- masks


@lru_cache(maxsize=1024)
def shape_mask(kind: str, width: int, height: int, *data: object) -> Image.Image:
    """Coverage of a shape, drawn at OVERSAMPLE times the size and reduced. Kinds and their data: ellipse;
    ring (width); frame (radius, width); dashes (radius, width); hatch (radius, step, width); shadow (radius,
    depth); polygon (points); line (points, width). Shared: do not draw on it."""
    k = OVERSAMPLE
    big = Image.new("L", (max(1, width) * k, max(1, height) * k), 0)
    draw = ImageDraw.Draw(big)
    edge = (0, 0, width * k - 1, height * k - 1)
    match kind, data:
        case "ellipse", ():
            draw.ellipse(edge, fill=255)
        case "ring", (int(line),):
            draw.ellipse(edge, outline=255, width=line * k)
        case "frame", (int(radius), int(line)):
            draw.rounded_rectangle(edge, radius * k, outline=255, width=line * k)
        case "dashes", (int(radius), int(line)):
            draw.rounded_rectangle(edge, radius * k, outline=255, width=line * k)
            _cut_dashes(draw, width, height, line)
        case "hatch", (int(radius), int(step), int(line)):
            for start in range(-height, width, step):
                draw.line(((start * k, height * k), ((start + height) * k, 0)), fill=255, width=line * k)
            inside = Image.new("L", big.size, 0)
            ImageDraw.Draw(inside).rounded_rectangle(edge, radius * k, fill=255)
            big = ImageChops.multiply(big, inside)
        case "shadow", (int(radius), int(depth)):
            rings = 4
            for ring in range(rings):
                by = depth * ring * k // rings
                draw.rounded_rectangle(
                    (by, by, edge[2] - by, edge[3] - by),
                    (radius + depth) * k - by,
                    fill=200 * (ring + 1) // rings,
                )
        case "polygon", (tuple(points),):
            draw.polygon([(x * k, y * k) for x, y in points], fill=255)
        case "line", (tuple(points), int() | float() as line):
            scaled = [(x * k, y * k) for x, y in points]
            half = line * k / 2
            draw.line(scaled, fill=255, width=round(line * k), joint="curve")
            for x, y in scaled:
                draw.ellipse((x - half, y - half, x + half, y + half), fill=255)
        case _:
            raise ValueError(f"no such shape: {kind}")
    return big.reduce(k)


def _cut_dashes(draw: ImageDraw.ImageDraw, width: int, height: int, line: int) -> None:
    """Gaps in a frame, evenly along each side, corners kept whole."""
    k = OVERSAMPLE
    for length, across in ((width, False), (height, True)):
        count = max(2, round(length / (line * 5)))
        pitch = length / count
        for number in range(count):
            start, end = (number + 0.5) * pitch - pitch * 0.22, (number + 0.5) * pitch + pitch * 0.22
            far = (width if across else height) - line
            for near in (0, far):
                a, b, c, d = start * k, near * k, end * k, (near + line) * k
                draw.rectangle((b, a, d, c) if across else (a, b, c, d), fill=0)


@lru_cache(maxsize=16)
def _ground(in_theme: Theme, width: int, height: int) -> Image.Image:
    canvas = Canvas(in_theme, width, height, Colour.CLEAR)
    canvas.rounded(Box(0, 0, width, height), theme.CORNER, Colour.FELT)
    return canvas.image


# --------------------------------------------------------------------------- sprites and PNG


def cached(draw: Callable[Concatenate[Theme, P], Canvas]) -> Callable[P, Sprite]:
    """Make a sprite of a drawing function of hashable arguments. What it returns is kept, frozen; the 1024
    last used ones."""
    keep = lru_cache(maxsize=1024)(lambda *args, **kwargs: draw(*args, **kwargs).freeze())

    @wraps(draw)
    def sprite(*args: P.args, **kwargs: P.kwargs) -> Sprite:
        # drawing functions take hashable arguments
        return lambda in_theme: keep(in_theme, *args, **kwargs)  # type: ignore[arg-type]

    return sprite


def encode(canvas: Canvas) -> bytes:
    """PNG with the palette of its theme, no metadata; the same canvas gives the same bytes (on one kind of
    processor: how they are packed is its own)."""
    image = as_palette(canvas)
    width, height = image.size
    lines = image.crop((-1, 0, width, height))  # before each line stands what filter it was given: 0, none
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),  # 8 bits, by palette
        (b"PLTE", canvas.theme.palette),
        (b"tRNS", theme.TRANSPARENCY),
        (b"IDAT", isal_zlib.compress(lines.tobytes(), DEFLATE_LEVEL)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", isal_zlib.crc32(kind + data))
        for kind, data in parts
    )


def as_palette(canvas: Canvas) -> Image.Image:
    """The canvas as a mode "P" picture with the palette of its theme (a frame of a replay, say)."""
    image = canvas.image.copy()
    image.putpalette(canvas.theme.palette)
    return image


def warm() -> None:
    """Do now what the first picture would else have to wait for: read the fonts, prepare the blending
    tables. Takes about a quarter of a second: for a process that draws, when
    it begins."""
    for colour in Colour:
        theme.blend_table(theme.DARK, int(colour))
    canvas = Canvas(theme.DARK, 64, 64)
    for weight in (fonts.REGULAR, fonts.BOLD):
        canvas.text(0, 32, "0123456789", theme.BODY, Colour.TEXT, weight=weight)
    encode(canvas)
