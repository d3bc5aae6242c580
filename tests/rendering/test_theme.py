"""The look's promises: contrast, marks that need no colour, sprites that stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest
from PIL import Image, ImageChops

from rendering import parts
from rendering.sprites import Box, Canvas, cached, encode, warm
from rendering.theme import DARK, THEMES, Colour, Theme

from .helpers import chunks, grey, opened


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_a_palette_fits_a_byte_with_four_levels_of_coverage(theme: Theme) -> None:
    assert len(theme.rgb) == max(Colour) + 1 <= 64


def test_a_stamp_over_one_colour_is_that_colour_inside_and_untouched_outside() -> None:
    canvas = Canvas(DARK, 40, 40, Colour.PANEL)
    canvas.ellipse(Box(10, 10, 20, 20), Colour.RED)
    assert canvas.image.getpixel((20, 20)) == Colour.RED
    assert canvas.image.getpixel((2, 2)) == Colour.PANEL


def test_a_stamp_over_many_colours_blends_with_each_of_them() -> None:
    canvas = Canvas(DARK, 60, 40, Colour.IVORY)
    canvas.rect(Box(30, 0, 30, 40), Colour.FELT)
    canvas.ellipse(Box(5, 5, 50, 30), Colour.RED)
    assert canvas.image.getpixel((20, 20)) == canvas.image.getpixel((40, 20)) == Colour.RED
    assert canvas.image.getpixel((1, 1)) == Colour.IVORY
    assert canvas.image.getpixel((58, 1)) == Colour.FELT
    edge = {canvas.image.getpixel((x, y)) for x in range(5, 12) for y in range(5, 35)}
    assert edge - {Colour.IVORY, Colour.RED}, "the edge has no colours in between"


def test_stamping_past_the_edge_is_cut_off() -> None:
    canvas = Canvas(DARK, 20, 20, Colour.FELT)
    for x, y in ((-10, -10), (12, 12), (-100, 0), (0, 100)):
        canvas.ellipse(Box(x, y, 20, 20), Colour.RED)
    assert canvas.image.size == (20, 20)


def test_a_cached_sprite_cannot_be_drawn_on() -> None:
    @cached
    def dot(theme: Theme, size: int) -> Canvas:
        return Canvas(theme, size, size, Colour.RED)

    assert dot(4)(DARK) is dot(4)(DARK)
    with pytest.raises(TypeError):
        dot(4)(DARK).rect(Box(0, 0, 2, 2), Colour.BLUE)
    with pytest.raises(TypeError):
        dot(4)(DARK).ellipse(Box(0, 0, 2, 2), Colour.BLUE)


def test_the_picture_brings_round_see_through_corners_and_no_metadata() -> None:
    warm()
    png = encode(Canvas(DARK, 200, 120))
    assert chunks(png) == {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
    image = opened(png)
    for corner in ((0, 0), (199, 0), (0, 119), (199, 119)):
        assert image.getpixel(corner) == (*DARK.rgb[Colour.FELT], 0)
    assert image.getpixel((100, 60)) == (*DARK.rgb[Colour.FELT], 255)
    assert png == encode(Canvas(DARK, 200, 120))


def _marked(mark: Callable[[Canvas, Box], None]) -> Image.Image:
    """Where a mark shows on a piece, for somebody who sees no colour."""
    pictures = []
    for with_mark in (False, True):
        canvas = Canvas(DARK, 120, 120, Colour.PANEL)
        canvas.paste(parts.tile("8", 80, on=Colour.PANEL), 20, 20)
        if with_mark:
            mark(canvas, Box(20, 20, 80, 80))
        pictures.append(grey(canvas))
    return ImageChops.difference(*pictures).point(lambda value: 255 if value > 40 else 0)


def _area(mask: Image.Image) -> int:
    return mask.histogram()[255]


def test_marks_are_told_apart_without_colour() -> None:
    marks = {
        "last": _marked(parts.mark_last),
        "target": _marked(parts.mark_target),
        "corner": _marked(lambda canvas, box: parts.mark_target(canvas, box, corner=True)),
        "preview": _marked(parts.mark_preview),
        "run": _marked(parts.mark_run),
    }
    for name, mask in marks.items():
        assert _area(mask) > 100, f"{name} is hardly seen"
    for (one, first), (other, second) in combinations(marks.items(), 2):
        common, both = _area(ImageChops.multiply(first, second)), _area(ImageChops.lighter(first, second))
        assert common / both < 0.7, f"{one} and {other} look alike without colour"


def test_seats_have_shapes_of_their_own() -> None:
    shapes = []
    for seat in range(6):
        silhouette = grey(parts.seat_badge(seat, 60, on=Colour.SHADE)).point(lambda v: 255 if v > 60 else 0)
        shapes.append(silhouette)
    for one, other in combinations(range(6), 2):
        apart = _area(ImageChops.difference(shapes[one], shapes[other]))
        assert apart > 250, f"seats {one} and {other} have the same shape"


def test_cells_are_found_by_name() -> None:
    grid = parts.Grid(10, 20, 30, 4, 4, 5)
    assert grid.named("A1") == (10, 20, 30, 30)
    assert grid.named("D2") == (115, 55, 30, 30)
    assert grid.box == (10, 20, 135, 135)
    for name in ("E1", "A5", "A0"):
        with pytest.raises(ValueError, match="no cell"):
            grid.named(name)


def test_a_plate_keeps_within_its_box_whatever_the_name() -> None:
    for name in ("W" * 32, "𓀀" * 32, "🧑‍🚀" * 16, "", "\u202e\u0000\ud800", "ﷺ" * 32):
        canvas = Canvas(DARK, 400, 80, Colour.FELT)
        parts.plate(canvas, Box(20, 14, 300, 52), name, 3, score="100", active=True, winner=True)
        for outside in (Box(0, 0, 400, 14), Box(0, 66, 400, 14), Box(320, 0, 80, 80), Box(0, 0, 20, 80)):
            area = canvas.image.crop((outside.x, outside.y, outside.right, outside.bottom))
            assert area.getextrema() == (Colour.FELT, Colour.FELT)
