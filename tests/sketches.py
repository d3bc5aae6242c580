"""Pictures in a test whose matter they are not: laid out, and then not drawn.

What would be put on a whole picture's canvas is noted instead, and a tiny PNG made of the notes: two pictures
of the same view are the same bytes, those of different views are not. Sprites are drawn as ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from hashlib import blake2b
from typing import Any
from zlib import crc32

from PIL import Image

from rendering import sprites
from rendering.sprites import Canvas, Sprite
from rendering.theme import Colour, Theme

SHAPES = ("rect", "rounded", "ellipse", "polygon", "line", "dashed", "hatch", "shade")


class Notes:
    """In the place of a canvas' image: its size, and a mark of all that was put on it."""

    def __init__(self, theme: Theme, width: int, height: int) -> None:
        self.theme = theme
        self.width, self.height = self.size = width, height
        self.mark = blake2b(repr((self.size, theme.name)).encode(), digest_size=32)

    def add(self, *what: object) -> None:
        self.mark.update(repr(what).encode())


@contextmanager
def sketched() -> Iterator[None]:
    """Whole pictures that are made meanwhile."""
    before = {name: getattr(Canvas, name) for name in ("__init__", "paste", "stamp", "text", *SHAPES)}
    palette = sprites.as_palette

    def begin(canvas: Canvas, theme: Theme, width: int, height: int, fill: Any = None) -> None:
        if fill is None:
            before["__init__"](canvas, theme, 1, 1, Colour.FELT)
            canvas.image = Notes(theme, width, height)  # type: ignore[assignment]
        else:
            before["__init__"](canvas, theme, width, height, fill)

    def paste(notes: Notes, sprite: Sprite, x: int, y: int) -> None:
        notes.add(x, y, crc32(sprite(notes.theme).image.tobytes()))

    def stamp(notes: Notes, mask: Image.Image, *where: object) -> None:
        notes.add(where, crc32(mask.tobytes()))

    def text(notes: Notes, x: int, y: int, said: str, size: int, *how: object, **more: object) -> int:
        notes.add(x, y, said, size, how, more)
        return len(said) * size // 2

    noting: dict[str, Any] = {"paste": paste, "stamp": stamp, "text": text}
    for name in ("paste", "stamp", "text", *SHAPES):
        setattr(Canvas, name, _noted(before[name], noting.get(name)))
    Canvas.__init__ = begin  # type: ignore[assignment, method-assign]

    def as_palette(canvas: Canvas) -> Image.Image:
        image: Any = canvas.image
        if not isinstance(image, Notes):
            return palette(canvas)
        marked = Image.frombytes("L", (8, 4), image.mark.digest())
        marked.putpalette(canvas.theme.palette)
        return marked

    sprites.as_palette = as_palette
    try:
        yield
    finally:
        sprites.as_palette = palette
        for name, function in before.items():
            setattr(Canvas, name, function)


def _noted(real: Any, note: Any) -> Any:
    @wraps(real)
    def draw(canvas: Canvas, *what: Any, **how: Any) -> Any:
        image: Any = canvas.image
        if not isinstance(image, Notes):
            return real(canvas, *what, **how)
        return note(image, *what, **how) if note else image.add(real.__name__, what, how)

    return draw
