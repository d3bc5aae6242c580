"""What every game's picture tests share: positions, scenes, goldens with tolerance, and reading a picture.

A golden is a PNG in `tests/rendering/goldens`. `PARLOUR_WRITE_GOLDENS=1 python -m pytest tests/rendering`
writes them
anew: look at each before committing it. Tolerance is there because another FreeType or Pillow may place
an edge's pixel differently; a digit, mark or piece that differs is far beyond it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageFilter, ImageStat

from bot.locale import sayer
from bot.rules.chance import Generator
from bot.rules.game import Event, OptionValue, State, View, advance
from bot.rules.registry import game
from rendering import fonts
from rendering.scene import Picture, Scene
from rendering.sprites import Box, Canvas, Sprite, as_palette
from rendering.theme import DARK, Colour, Theme

GOLDENS = Path(__file__).parent / "goldens"
MOST_MEAN = 1.5  # mean absolute difference of all channels, 0-255
MOST_SHARE = 0.01  # of pixels that differ by more than FAR in some channel
FAR = 48
MOST_BYTES = 50 * 1024  # at 800 x 800

NAMES = ("Ana Müller", "محمد علي", "Grzegorz Brzęczyszczykiewicz", "Ελένη ☕", "Дмитрий", "स्वाति")


def position(
    game_id: str, players: int, moves: int, seed: str = "pictures", /, **options: OptionValue
) -> State:
    """The state after that many random moves (fewer if the game ends), the same every time."""
    state = game(game_id).start(players, options)
    chance = Generator(seed, "moves")
    count = len(advance(state, seed, 0))
    for _ in range(moves):
        actors = state.actors()
        if not actors:
            break
        state.apply(Event("move", state.random_move(actors[0], chance), actors[0]))
        count += 1 + len(advance(state, seed, count + 1))
    return state


def scene(view: View, language: str = "en", targets: tuple[str, ...] = (), draft: str = "") -> Scene:
    """A scene for a view, with names of several scripts."""
    return Scene(NAMES[: view.players], sayer(language), targets, draft)


def opened(png: bytes) -> Image.Image:
    """The picture as RGBA."""
    with Image.open(BytesIO(png)) as image:
        return image.convert("RGBA")


def crowned(picture: Picture) -> bool:
    """Whether there is a plate of somebody who has won, in the dark theme."""
    colours = opened(picture.png).convert("RGB").getcolors(1 << 24)
    assert colours is not None
    return DARK.rgb[Colour.AMBER_PALE] in {colour for _, colour in colours}


def difference(one: Image.Image, other: Image.Image) -> tuple[float, float]:
    """Mean absolute difference (0-255), and the share of pixels that differ by more than FAR. Sizes must
    agree."""
    apart = ImageChops.difference(one, other)
    mean = sum(ImageStat.Stat(apart).mean) / 4
    worst = Image.new("L", apart.size, 0)
    for channel in apart.split():
        worst = ImageChops.lighter(worst, channel)
    far = sum(worst.histogram()[FAR + 1 :])
    return mean, far / (apart.width * apart.height)


def check_golden(name: str, png: bytes, folder: Path) -> None:
    """Compare with `goldens/<name>.png`. A picture that fails is left in `folder` (pytest's `tmp_path`)."""
    golden = GOLDENS / f"{name}.png"
    if os.environ.get("PARLOUR_WRITE_GOLDENS") == "1":
        golden.parent.mkdir(exist_ok=True)
        golden.write_bytes(png)
        return
    new = folder / golden.name
    new.write_bytes(png)
    assert golden.is_file(), f"no golden {golden.name}; the picture is {new}"
    now, then = opened(png), opened(golden.read_bytes())
    assert now.size == then.size, f"{golden.name}: size {now.size}, was {then.size}; the picture is {new}"
    mean, share = difference(now, then)
    assert mean <= MOST_MEAN and share <= MOST_SHARE, (
        f"{golden.name}: mean difference {mean:.2f}, {share:.2%} of the pixels; the picture is {new}"
    )


def check_picture(picture: Picture, theme: Theme = DARK) -> None:
    """What holds for every picture: palette PNG with nothing but pixels, small, 800 wide, an alt text
    within Discord's limit."""
    with Image.open(BytesIO(picture.png)) as image:
        assert image.format == "PNG" and image.mode == "P"
        assert image.width == 800
        palette = image.getpalette()
        assert palette and bytes(palette[: len(theme.palette)]) == theme.palette
        assert max(image.tobytes()) < len(theme.rgb)
        allowed = MOST_BYTES * max(1.0, image.width * image.height / 640_000)
    assert chunks(picture.png) <= {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
    assert len(picture.png) <= allowed, f"{picture.name}: {len(picture.png)} bytes, allowed {allowed:.0f}"
    assert 0 < len(picture.alt.encode("utf-16-le")) // 2 <= 1024
    assert picture.name.endswith(".png") and picture.name.isascii()


def chunks(png: bytes) -> set[bytes]:
    """Kinds of the PNG's chunks."""
    found, at = set(), 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        found.add(png[at + 4 : at + 8])
        at += 12 + length
    return found


def grey(shown: Canvas | Sprite, theme: Theme = DARK) -> Image.Image:
    """A canvas, or a sprite in a theme, as somebody sees it who sees no colour."""
    canvas = shown if isinstance(shown, Canvas) else shown(theme)
    return as_palette(canvas).convert("RGB").convert("L")


def ink_height(sprite: Sprite, scale: float = 0.5) -> float:
    """Height in pixels of what is dark on a light piece (a tile's digits), seen at `scale` (a phone:
    half)."""
    canvas = sprite(DARK)
    dark = grey(canvas).point(lambda value: 255 if value < 90 else 0)
    inside = dark.crop((canvas.width // 8, canvas.height // 8, canvas.width * 7 // 8, canvas.height * 7 // 8))
    box = inside.getbbox()
    assert box, "nothing dark on the piece"
    return (box[3] - box[1]) * scale


STRIKE = Colour.WARN  # what strikes out a value that cannot win
Corners = tuple[int, int, int, int]
Line = tuple[str, Corners, Image.Image]  # what, and where what is drawn of it lies with what it needs free


@dataclass
class Overdrawn:
    """Watches canvases, from `install` on: what was drawn over something written, or nearer to it than
    `clear` px. What is drawn over the whole of it takes its place, and is none; nor is what strikes it out.
    Pictures are to be drawn in a theme in which no sprite was drawn yet."""

    clear: int
    found: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    _lines: dict[int, list[Line]] = field(default_factory=dict)  # by the canvas

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        stamp, rect, paste, write, init = (
            getattr(Canvas, name) for name in ("stamp", "rect", "paste", "write", "__init__")
        )
        writing = False

        def made(canvas: Canvas, *how: Any) -> None:
            self._lines[id(canvas)] = []
            init(canvas, *how)

        def stamped(canvas: Canvas, mask: Image.Image, x: int, y: int, colour: Colour) -> None:
            if not writing and colour is not STRIKE:
                self._drawn(canvas, x, y, mask.size, lambda: mask.point(_COVERED))
            stamp(canvas, mask, x, y, colour)

        def filled(canvas: Canvas, box: Box, fill: Colour) -> None:
            self._drawn(canvas, box.x, box.y, box[2:], lambda: Image.new("L", box[2:], 255))
            rect(canvas, box, fill)

        def pasted(canvas: Canvas, sprite: Sprite, x: int, y: int) -> None:
            new = sprite(canvas.theme)

            def changed() -> Image.Image:
                before = canvas.image.crop((x, y, x + new.width, y + new.height))
                return ImageChops.difference(before, new.image).point(_SEEN)

            self._drawn(canvas, x, y, new.image.size, changed, whole=True)
            self._lines[id(canvas)] += [
                (text, (left + x, top + y, right + x, bottom + y), near)
                for text, (left, top, right, bottom), near in self._lines[id(new)]
            ]
            paste(canvas, sprite, x, y)

        def wrote(
            canvas: Canvas, line: fonts.Line, x: int, y: int, colour: Colour, anchor: str = "lm"
        ) -> None:
            nonlocal writing
            left = x - {"l": 0, "m": line.width // 2, "r": line.width}[anchor[0]]
            top = y - {"m": line.middle, "s": line.baseline}[anchor[1]]
            solid, by = line.mask.point(_COVERED), self.clear
            self._drawn(canvas, left, top, solid.size, lambda: solid)
            writing = True
            write(canvas, line, x, y, colour, anchor)
            writing = False
            self.written.add(line.text)
            if (inked := solid.getbbox()) is not None:
                a, b, c, d = inked[0] - by, inked[1] - by, inked[2] + by, inked[3] + by
                near = solid.crop((a, b, c, d)).filter(ImageFilter.MaxFilter(2 * by + 1))
                self._lines[id(canvas)].append((line.text, (left + a, top + b, left + c, top + d), near))

        for name, watched in (
            ("stamp", stamped), ("rect", filled), ("paste", pasted), ("write", wrote), ("__init__", made),
        ):  # fmt: skip
            monkeypatch.setattr(Canvas, name, watched)

    def _drawn(
        self,
        canvas: Canvas,
        x: int,
        y: int,
        size: tuple[int, ...],
        where: Callable[[], Image.Image],
        whole: bool = False,
    ) -> None:
        """Something of a size is drawn at (x, y), where the mask is. whole: all of it is new, though part of
        it may look as before."""
        wide, high = size
        lines = self._lines[id(canvas)]
        for line in list(lines):
            text, (left, top, right, bottom), near = line
            if left >= x + wide or top >= y + high or right <= x or bottom <= y:
                continue
            mask, corners = where(), (left - x, top - y, right - x, bottom - y)
            new = Image.new("L", (wide, high), 255) if whole else mask
            if ImageChops.subtract(near, new.crop(corners)).getbbox() is None:
                lines.remove(line)
            elif ImageChops.multiply(near, mask.crop(corners)).getbbox() is not None:
                self.found.add(text)


_COVERED = [255 * (coverage > 64) for coverage in range(256)]  # a mask, where it covers enough to be seen
_SEEN = [255 * (apart > 0) for apart in range(256)]
