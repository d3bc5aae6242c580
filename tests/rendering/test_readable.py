"""What is written in pictures can be read: on a phone, in every theme; and pieces need no colour."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from itertools import combinations
from math import dist
from typing import Any

import pytest
from PIL import ImageChops, ImageFilter

from bot.levels import Level
from bot.locale import LANGUAGES, sayer
from bot.rules.chance import Generator
from bot.rules.game import View
from bot.rules.registry import GAME_IDS, GAMES, game
from bot.rules.top12 import JOKER, SYMBOLS
from bot.rules.topspot import JOKER as STAR
from bot.tables.model import Seat, SeatKind, Status
from bot.tables.names import AUTOMATIC
from cogs.surfaces import steps, wording
from rendering import fonts, parts, top12, topominos, topspot_cards, zatre
from rendering.scene import Picture, Scene, short_name
from rendering.sprites import Box, Canvas, Sprite
from rendering.theme import DARK, THEMES, WIDTH, Colour, Theme
from tests.cogs.test_fullest import full_table
from tests.cogs.test_taps import COGS
from tests.sweeps import swept

from .helpers import Overdrawn, grey, position

PHONE = 400  # pixels of a picture's width there
LEAST = 9.0  # pixels of em size there
CONTRAST = 4.5
CLEAR = 4  # pixels of a picture between a digit and a mark
NEAR = 2  # and between anything written and whatever else
NAMES = ("Ana", "Grzegorz Brzęczyszczykiewicz", "W" * 32, "محمد علي", "Ελένη ☕", "Donaudampfschifffahrt")
Written = tuple[str, float, Colour, Colour]  # what, its em size on a phone, its ink, one of its grounds


def views(game_id: str, *stages: int) -> Iterator[tuple[View, View]]:
    """What the public and a seat see, for every number of seats, after so many moves."""
    rules = game(game_id)
    for players in range(rules.min_seats, rules.max_seats + 1):
        for moves in stages:
            state = position(game_id, players, moves)
            yield state.view(None), state.view(next(iter(state.actors()), 0))


def pictures(game_id: str, theme: Theme, language: str, *stages: int) -> Iterator[Picture]:
    module = import_module(GAMES[game_id].pictures)
    yield from module.cover(Scene((), sayer(language), theme=theme))
    for public, private in views(game_id, *stages):
        scene = Scene(NAMES[: public.players], sayer(language), theme=theme)
        yield from module.table_pictures(public, scene)
        yield from module.hand_pictures(private, scene)


def written(monkeypatch: pytest.MonkeyPatch, game_id: str, language: str, *stages: int) -> list[Written]:
    """All that is written in a game's pictures."""
    found: list[Written] = []
    real = Canvas.write

    def write(canvas: Canvas, line: fonts.Line, x: int, y: int, colour: Colour, anchor: str = "lm") -> None:
        left = x - {"l": 0, "m": line.width // 2, "r": line.width}[anchor[0]]
        top = y - {"m": line.middle, "s": line.baseline}[anchor[1]]
        under = canvas.image.crop((left, top, left + line.width, top + line.mask.height))
        inked = line.mask.point(lambda coverage: 255 if coverage > 127 else 0)
        covered = under.histogram(inked)
        grounds = [Colour(index) for index, count in enumerate(covered) if count > 0.1 * sum(covered)]
        size = line.size * PHONE / WIDTH
        found.extend((line.text, size, colour, ground) for ground in grounds if line.text)
        real(canvas, line, x, y, colour, anchor)

    monkeypatch.setattr(Canvas, "write", write)
    fresh = replace(DARK)  # in which no sprite was drawn yet
    assert all(picture.png for picture in pictures(game_id, fresh, language, *stages))
    return found


@pytest.mark.parametrize("game_id", swept(GAME_IDS, daily=("fivetotwelve", "topspot")))
def test_all_that_is_written_can_be_read_on_a_phone(game_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A theme has its own colours for the same inks and grounds, so one drawing tells of all three."""
    found = written(monkeypatch, game_id, "de", 0, 9, 5000)
    small = {(text, size) for text, size, _, _ in found if size < LEAST}
    assert not small, small
    faint = {
        (theme.name, ink.name, ground.name, round(theme.contrast(ink, ground), 1), text)
        for text, _, ink, ground in found
        for theme in THEMES.values()
        if theme.contrast(ink, ground) < CONTRAST
    }
    assert not faint, sorted(faint)


# --------------------------------------------------------------------------- without colour

# How colours look to whose eyes lack one kind of cone: Machado, Oliveira and Fernandes (2009), severity 1.0,
# on linear red, green and blue.
EYES: dict[str, tuple[float, ...]] = {
    "all cones": (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    "protan": (0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998),
    "deutan": (0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881),
    "tritan": (1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900),
}
APART = 20.0  # CIE 1976 distance: far more than side by side is needed, 2.3


def lab(rgb: tuple[int, int, int], eyes: str) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of what such eyes see."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb)]
    red, green, blue = (
        min(1.0, max(0.0, sum(share * light for share, light in zip(row, linear, strict=True))))
        for row in (EYES[eyes][:3], EYES[eyes][3:6], EYES[eyes][6:])
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.0891
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_cards_of_two_colours_look_different_to_everybody(theme: Theme, eyes: str) -> None:
    """They have letters as well; this is what tells them at a glance."""
    seen = {letter: lab(theme.rgb[face], eyes) for letter, (face, _) in topspot_cards.INKS.items()}
    for (one, first), (other, second) in combinations(seen.items(), 2):
        assert dist(first, second) >= APART, (one, other)


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_marks_stand_out_from_what_they_lie_on_for_everybody(theme: Theme, eyes: str) -> None:
    """A mark has a halo round it: one of the two stands out from each ground and piece."""
    halo = lab(theme.rgb[Colour.HALO], eyes)
    for mark in (Colour.AMBER, Colour.MINT):
        ink = lab(theme.rgb[mark], eyes)
        assert dist(ink, halo) >= APART
        for ground in (Colour.PANEL, Colour.RECESS, Colour.LIT, Colour.IVORY, Colour.RED):
            under = lab(theme.rgb[ground], eyes)
            assert max(dist(ink, under), dist(halo, under)) >= APART, (mark, ground)


@pytest.mark.parametrize("game_id", sorted(GAME_IDS - {"topominos"}))  # it has no digits
def test_brackets_and_frames_stay_clear_of_what_is_written(
    game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = 0

    def clear(real: Callable[..., None]) -> Callable[..., None]:
        def mark(canvas: Canvas, box: Box, **how: Any) -> None:
            nonlocal marked
            corners = (box.x, box.y, box.right, box.bottom)
            before = canvas.image.crop(corners)
            real(canvas, box, **how)
            changed = ImageChops.difference(before, canvas.image.crop(corners))
            ink = before.point(lambda colour: 255 if colour == Colour.INK else 0)
            near = ink.filter(ImageFilter.MaxFilter(2 * CLEAR + 1))
            assert ImageChops.multiply(near, changed.point(lambda by: 255 if by else 0)).getbbox() is None
            marked += ink.getbbox() is not None

        return mark

    monkeypatch.setattr(parts, "mark_last", clear(parts.mark_last))
    monkeypatch.setattr(parts, "mark_run", clear(parts.mark_run))
    fresh = replace(DARK)
    assert all(picture.png for picture in pictures(game_id, fresh, "en", 16))
    assert marked


def seen_by_turns(game_id: str, theme: Theme) -> Iterator[Picture]:
    """Every kind of picture: the cover, tables and hands at several stages, and the hands of whoever chooses
    step by step, with what may be chosen and what lies on trial."""
    module, cog = import_module(GAMES[game_id].pictures), COGS[game_id]
    chance = Generator("readable", game_id)
    yield from pictures(game_id, theme, "de", 0, 16, 5000)
    for public, private in views(game_id, 3, 16, 40):
        scene = Scene(NAMES[: public.players], sayer("de"), theme=theme)
        grown: str | None = "" if private.seat in private.actors else None
        while grown is not None:
            draft, step = steps.settle(cog.step, private, grown)
            yield from module.hand_pictures(private, replace(scene, targets=step.targets, draft=draft))
            chosen = [chance.choice(step.choices).value] if step.choices else []
            grown = steps.choose(cog.step, private, draft, chosen) if chosen else None


@pytest.mark.parametrize("game_id", swept(GAME_IDS, daily=("fivetotwelve", "topspot")))
def test_nothing_is_drawn_over_what_is_written(game_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The diamonds lay over the numbers of 5 vor 12's middle, and a line of Top Spot over the one above."""
    drawn = Overdrawn(NEAR)
    drawn.install(monkeypatch)
    assert all(picture.png for picture in seen_by_turns(game_id, replace(DARK)))
    assert drawn.written
    assert not drawn.found


def sprites_told_apart() -> dict[str, list[Sprite]]:
    """By what they are: sprites of which no two may look alike without colour, of equal sizes."""
    ground = Colour.PANEL
    return {
        "seats": [parts.seat_badge(seat, 60, on=ground) for seat in range(6)],
        "dots": [topominos._dot(order, 50, False, False, on=Colour.IVORY) for order in range(8)],
        "dice": [top12.die(face, 60, on=ground) for face in (*SYMBOLS, JOKER)],
        "cells": [zatre._light_cell(on=ground), zatre._start_cell(on=ground), parts.cell(46, on=ground)],
        "chips": [
            topspot_cards.chip(letter, 44, on=ground) for letter in topspot_cards.INKS if letter != STAR
        ],
    }


@pytest.mark.parametrize("what", sprites_told_apart())
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_pieces_are_told_apart_without_any_colour(theme: Theme, what: str) -> None:
    """By at least 3 % of their area, from light to dark."""
    looks = [grey(sprite, theme) for sprite in sprites_told_apart()[what]]
    for one, other in combinations(looks, 2):
        apart = ImageChops.difference(one, other).point(lambda value: 255 if value > 40 else 0)
        assert apart.histogram()[255] >= 0.03 * one.width * one.height


# --------------------------------------------------------------------------- names and seats


def test_a_long_name_is_shortened_in_its_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {text for text, *_ in written(monkeypatch, "zatre", "en", 9)}
    assert any(text.startswith("Grze") and "…" in text and text.endswith("icz") for text in shown), shown
    assert short_name("Donaudampfschifffahrt", 12) == "Donauda…ahrt"
    assert short_name("Ana", 12) == "Ana"


@pytest.mark.parametrize("game_id", swept(GAME_IDS, daily=("fivetotwelve", "topspot")))
def test_no_name_is_cut_at_its_end(game_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {text for text, *_ in written(monkeypatch, game_id, "en", 9)}
    cut = [text for text in shown if text.endswith("…") and text.startswith(("Grze", "WWW", "Dona"))]
    assert not cut


# Every day in the language with the longest words.
@pytest.mark.parametrize("language", swept(LANGUAGES, daily=("de",)))
@pytest.mark.parametrize("game_id", swept(GAME_IDS, daily=("fivetotwelve", "topspot")))
def test_how_strong_a_computer_player_is_can_be_read_at_every_seat(
    game_id: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On plates, in lines and on sheets, for every number of seats, by the level with the longest name.
    Numbers of two digits are of those that came to seats given up."""
    say = sayer(language)
    level = max(Level, key=lambda one: len(say(f"tables.level.{one.value}")))
    seats = [Seat(at, SeatKind.COMPUTER, None, str(19 - at), level=level) for at in range(6)]
    table = replace(full_table("zatre", Status.PLAYING, (SeatKind.HUMAN,)), seats=tuple(seats))
    names = wording.whole_names(table, say)
    shown: set[str] = set()
    real = Canvas.write

    def write(canvas: Canvas, line: fonts.Line, *where: Any) -> None:
        shown.add(line.text)
        real(canvas, line, *where)

    monkeypatch.setattr(Canvas, "write", write)
    module = import_module(GAMES[game_id].pictures)
    for public, private in views(game_id, 0, 9, 5000):
        scene = Scene(names[: public.players], say, theme=replace(DARK))  # in which no sprite was drawn yet
        shown.clear()
        module.table_pictures(public, scene)
        assert all(any(name in text for text in shown) for name in scene.names), shown
        module.hand_pictures(private, scene)
        assert not [text for text in shown if AUTOMATIC in text and "…" in text]


@pytest.mark.parametrize("game_id", [one for one in GAME_IDS if game(one).max_seats >= 5])
def test_five_and_more_seats_stand_in_reading_order(game_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[tuple[int, int, int, int]] = []
    real = parts.plate

    def plate(canvas: Canvas, box: Box, name: str, seat: int, **more: Any) -> None:
        placed.append((id(canvas), box.y, box.x, seat))
        real(canvas, box, name, seat, **more)

    monkeypatch.setattr(parts, "plate", plate)
    for players in range(5, game(game_id).max_seats + 1):
        view = position(game_id, players, 9).view(None)
        placed.clear()
        import_module(GAMES[game_id].pictures).table_pictures(view, Scene(NAMES[:players], sayer("en")))
        by_picture: dict[int, list[int]] = {}
        for canvas, _, _, seat in sorted(placed):
            by_picture.setdefault(canvas, []).append(seat)
        assert all(seats == sorted(seats) for seats in by_picture.values()), by_picture
