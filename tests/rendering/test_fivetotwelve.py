"""5 vor 12 as a player sees it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.rules.fivetotwelve import CELLS, FiveView, Placement
from bot.rules.game import Event, OptionValue
from bot.rules.registry import game
from rendering import fivetotwelve, parts
from rendering.scene import Scene
from rendering.sprites import Box, Canvas, Sprite
from rendering.theme import MARGIN, PLATE, THEMES, Colour, Theme
from tests.sweeps import swept

from .helpers import Overdrawn, check_golden, check_picture, difference, ink_height, opened, position, scene

POSITIONS: list[tuple[str, int, int, dict[str, OptionValue]]] = [
    ("two", 2, 40, {}),
    ("three-setup", 3, 2, {}),
    ("four-series", 4, 131, {"series": True}),
    ("four-free", 4, 1, {"setup": "free"}),
    ("three-over", 3, 5000, {}),
]


@pytest.mark.parametrize(("name", "players", "moves", "options"), POSITIONS)
def test_the_table_looks_as_it_did(
    name: str, players: int, moves: int, options: dict[str, OptionValue], tmp_path: Path
) -> None:
    view = position("fivetotwelve", players, moves, **options).view(None)
    (picture,) = fivetotwelve.table_pictures(view, scene(view))
    check_picture(picture)
    check_golden(f"fivetotwelve-{name}", picture.png, tmp_path)


def test_the_hand_looks_as_it_did(tmp_path: Path) -> None:
    state = position("fivetotwelve", 3, 60)
    while state.view(None).hand is None:
        seat = state.actors()[0]
        state.apply(Event("move", "draw", seat))
        state.apply(Event("chance", "reveal 13"))
    view = state.view(state.actors()[0])
    moves = game("fivetotwelve").legal(view)
    targets = tuple(move.partition("@")[2] for move in moves if "@" in move)
    (picture,) = fivetotwelve.hand_pictures(view, scene(view, "de", targets))
    check_picture(picture)
    check_golden("fivetotwelve-hand", picture.png, tmp_path)


def test_the_hand_in_set_up_shows_the_draft(tmp_path: Path) -> None:
    view = position("fivetotwelve", 2, 0, setup="free").view(0)
    tile = view.wave[0][0]
    plain, drafted = (
        fivetotwelve.hand_pictures(view, scene(view, targets=("A1", "B2", "C3", "D4"), draft=draft))[0]
        for draft in ("", f"{tile}@B2")
    )
    check_picture(drafted)
    assert difference(opened(plain.png), opened(drafted.png))[1] > 0.005
    assert f"{tile} on B2" in drafted.alt
    check_golden("fivetotwelve-hand-draft", drafted.png, tmp_path)


class Tiles:
    """Watches pictures, from `install` on: the numbers on tiles as they lie in the end, by their places, the
    counts of equal ones, and those on tiles that are framed as being on trial."""

    def __init__(self) -> None:
        self.lying: dict[tuple[int, int], str] = {}
        self.counts: dict[tuple[int, int], str] = {}
        self.framed: list[str] = []
        self._sprites: dict[Sprite, str] = {}

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        tile, count, preview, paste = parts.tile, parts.count, parts.mark_preview, Canvas.paste

        def made(text: str, *how: Any, **more: Any) -> Sprite:
            sprite = tile(text, *how, **more)
            self._sprites[sprite] = text
            return sprite

        def pasted(canvas: Canvas, sprite: Sprite, x: int, y: int) -> None:
            if sprite in self._sprites:
                self.lying[x, y] = self._sprites[sprite]
            else:
                self.lying.pop((x, y), None)
            paste(canvas, sprite, x, y)

        def counted(canvas: Canvas, x: int, y: int, text: str, **more: Any) -> None:
            self.counts[x, y] = text
            count(canvas, x, y, text, **more)

        def framed(canvas: Canvas, box: Box, *how: Any) -> None:
            self.framed.append(self.lying[box.x, box.y])
            preview(canvas, box, *how)

        monkeypatch.setattr(parts, "tile", made)
        monkeypatch.setattr(parts, "count", counted)
        monkeypatch.setattr(parts, "mark_preview", framed)
        monkeypatch.setattr(Canvas, "paste", pasted)

    def of(
        self, view: FiveView, draft: str = ""
    ) -> tuple[dict[tuple[int, int], str], dict[tuple[int, int], str]]:
        """What lies in the hand's picture, and its counts."""
        self.lying, self.counts, self.framed = {}, {}, []
        assert fivetotwelve.hand_pictures(view, scene(view, draft=draft))
        return self.lying, self.counts


@pytest.fixture
def tiles(monkeypatch: pytest.MonkeyPatch) -> Tiles:
    watched = Tiles()
    watched.install(monkeypatch)
    return watched


ON_TRIAL = [
    # draft, the revealed tile, the middle, what lies then on the board and in the middle, what is framed
    ("7@B2", 7, (2,), (2, 7, 4, 13, 17), (2, 17), ("7", "17")),
    ("7@A2", 7, (2,), (2, 7, 17, 4, 13, 17), (2,), ("7",)),
    ("take 7", None, (2, 7), (2, 17, 4, 13, 17), (2, 7), ("7",)),
    ("take 7@A2", None, (2, 7), (2, 7, 17, 4, 13, 17), (2,), ("7",)),
    ("take 7@A2", None, (7,), (2, 7, 17, 4, 13, 17), (), ("7",)),
    ("take 7@B2", None, (2, 7), (2, 7, 4, 13, 17), (2, 17), ("7", "17")),
    ("take 17@D4", None, (2, 17), (2, 17, 4, 13, 17), (2, 17), ("17", "17")),
]


@pytest.mark.parametrize(("draft", "hand", "middle", "board", "then", "framed"), ON_TRIAL)
def test_a_tile_on_trial_lies_in_one_place_and_what_it_replaces_in_the_middle(
    draft: str,
    hand: int | None,
    middle: tuple[int, ...],
    board: tuple[int, ...],
    then: tuple[int, ...],
    framed: tuple[str, ...],
    tiles: Tiles,
) -> None:
    """A revealed tile stayed under its caption, a taken one in the middle; the one exchanged was nowhere."""
    own = {"A1": 2, "B2": 17, "C1": 4, "C3": 13, "D4": 17}
    cells = tuple(own.get(cell, 0) for cell in CELLS)
    view = position("fivetotwelve", 2, 40).view(0)
    assert isinstance(view, FiveView)
    view = replace(view, boards=(cells, view.boards[1]), hand=hand, middle=middle)
    lying, _ = tiles.of(view, draft)
    assert sorted(lying.values()) == sorted(map(str, (*board, *then)))
    strip = max(y for _, y in lying) if then else 1 << 16  # the middle is one row, below all else
    assert sorted(text for (_, y), text in lying.items() if y == strip) == sorted(map(str, then))
    assert tuple(tiles.framed) == framed


@pytest.mark.parametrize(
    ("players", "moves", "options"),
    [(2, 32, {}), (2, 38, {}), (3, 135, {}), (3, 70, {"bruno": True}), (2, 0, {"setup": "free"}), (2, 2, {})],
)
def test_a_move_on_trial_shows_what_lies_where_once_it_is_played(
    players: int, moves: int, options: dict[str, OptionValue], tiles: Tiles
) -> None:
    state = position("fivetotwelve", players, moves, **options)
    seat = state.actors()[0]
    view = state.view(seat)
    tried = [move for move in state.legal(seat) if "@" in move]
    assert tried
    for move in tried[:8]:
        after = position("fivetotwelve", players, moves, **options)
        after.apply(Event("move", move, seat))
        lying, counts = tiles.of(view, move)
        assert (lying, counts) == tiles.of(after.view(seat)), move


def test_a_tile_on_trial_has_no_brackets_of_the_one_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the option `bruno` the same player may be on turn again."""
    bracketed: list[Box] = []
    monkeypatch.setattr(parts, "mark_last", lambda _, box: bracketed.append(box))
    view = position("fivetotwelve", 2, 40).view(0)
    assert isinstance(view, FiveView)
    view = replace(view, hand=None, mover=0, last=(Placement("stock", 4, ("A1",)), None))
    for draft, brackets in (("", 1), ("take 3@B2", 1), ("take 3@A1", 0)):
        bracketed.clear()
        assert fivetotwelve.hand_pictures(view, scene(view, draft=draft))
        assert len(bracketed) == brackets


def test_words_tell_where_an_exchanged_tile_goes() -> None:
    view = position("fivetotwelve", 2, 40).view(0)
    assert isinstance(view, FiveView)
    view = replace(view, boards=((5, *view.boards[0][1:]), view.boards[1]), hand=3)
    for draft, told in (("3@A1", True), ("take 3", False), ("", False)):
        (picture,) = fivetotwelve.hand_pictures(view, scene(view, draft=draft))
        assert ("On trial: 3 on A1. The 5 goes to the middle." in picture.alt) is told


def test_a_spectator_has_no_hand() -> None:
    view = position("fivetotwelve", 2, 5).view(None)
    assert fivetotwelve.hand_pictures(view, scene(view)) == ()


def test_the_public_picture_takes_no_notice_of_a_draft() -> None:
    view = position("fivetotwelve", 3, 30).view(None)
    plain = fivetotwelve.table_pictures(view, scene(view))
    assert plain == fivetotwelve.table_pictures(view, scene(view, targets=("A1",), draft="take 7@A1"))


def test_the_last_move_is_marked_on_the_board_of_whoever_made_it() -> None:
    state = position("fivetotwelve", 2, 3)
    before = state.view(None)
    seat = state.actors()[0]
    move = state.legal(seat)[0]
    state.apply(Event("move", move, seat))
    after = state.view(None)
    one, other = (fivetotwelve.table_pictures(view, scene(view))[0] for view in (before, after))
    assert difference(opened(one.png), opened(other.png))[1] > 0.003
    laid = move.removeprefix("take ").replace("@", " on ")
    assert laid in other.alt and laid not in one.alt


@pytest.mark.parametrize("size", [fivetotwelve._CELL, fivetotwelve._HAND_CELL, fivetotwelve._WAVE, 44])
def test_digits_are_nine_pixels_high_on_a_phone(size: int) -> None:
    for number in (1, 8, 14, 20):
        assert ink_height(parts.tile(str(number), size, on=Colour.PANEL)) >= 9


KINDS = range(1, 21)  # of numbers that may lie in the middle


@pytest.mark.parametrize("theme", swept(THEMES.values()), ids=THEMES)
def test_counts_and_marks_leave_each_number_in_the_middle_free(
    theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    """×2 lay over the number: over half of it where the tiles were small."""
    drawn = Overdrawn(2)
    drawn.install(monkeypatch)
    fresh = replace(theme)
    for players in (2, 3):  # four have the middle of two
        view = position("fivetotwelve", players, 40).view(0)
        for kinds in KINDS:
            numbers = range(21 - kinds, 21)
            middle = tuple(number for number in numbers for _ in range(1 + number % 4))
            targets, draft = (tuple(map(str, numbers)), "") if players == 2 else ((), "take 20")
            plain, crowded = replace(scene(view), theme=fresh), replace(view, middle=middle)
            assert fivetotwelve.hand_pictures(crowded, replace(plain, targets=targets, draft=draft))
            assert fivetotwelve.table_pictures(crowded, plain)
    assert {"×2", "×3", "×4"} <= drawn.written
    assert not drawn.found


def test_a_middle_of_any_number_of_kinds_fits_its_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles shrank to one small row, though below it there was room."""
    rooms: list[tuple[int, Box, int, int]] = []
    fit = fivetotwelve._fit

    def fitted(count: int, room: Box) -> tuple[int, int]:
        size, columns = fit(count, room)
        rooms.append((count, room, size, columns))
        return size, columns

    monkeypatch.setattr(fivetotwelve, "_fit", fitted)
    for players in (2, 3, 4):
        view = position("fivetotwelve", players, 40).view(0)
        for kinds in KINDS:
            crowded = replace(view, middle=tuple(range(21 - kinds, 21)))
            assert fivetotwelve.table_pictures(crowded, scene(view))
            assert fivetotwelve.hand_pictures(crowded, scene(view))
    for count, room, size, columns in rooms:
        across, down = (size + px for px in fivetotwelve._BETWEEN)
        below, rows = fivetotwelve._below(size), -(-count // columns)
        assert min(count, columns) * across - fivetotwelve._BETWEEN[0] <= room.w
        assert rows * (down + below) - fivetotwelve._BETWEEN[1] <= room.h
        assert ink_height(parts.tile("20", size, on=Colour.PANEL)) >= 9
        assert size >= 60 or room.w < 700, "one's own picture has room for larger ones"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_is_left_in_the_middle_is_no_prize(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end its heading stays; who has won stands above everything."""
    captions: list[str] = []
    headings: list[tuple[int, str]] = []
    caption, heading = parts.caption, parts.heading

    def said(canvas: Canvas, x: int, y: int, words: str, *given: Any, **more: Any) -> int:
        captions.append(words)
        return caption(canvas, x, y, words, *given, **more)

    def headed(canvas: Canvas, x: int, y: int, words: str, *given: Any, **more: Any) -> int:
        headings.append((y, words))
        return heading(canvas, x, y, words, *given, **more)

    monkeypatch.setattr(parts, "caption", said)
    monkeypatch.setattr(parts, "heading", headed)
    state = position("fivetotwelve", players, 5000)
    for seat in (None, 0):
        view = state.view(seat)
        assert view.outcome is not None
        captions.clear()
        headings.clear()
        draw = fivetotwelve.table_pictures if seat is None else fivetotwelve.hand_pictures
        (picture,) = draw(view, scene(view))
        assert "In the middle" in captions
        [(y, words)] = headings
        assert words.startswith("Won by ")
        assert y < MARGIN + PLATE
        check_picture(picture)


def test_two_threads_draw_what_one_would() -> None:
    views = [
        position("fivetotwelve", players, moves).view(None) for players in (2, 3, 4) for moves in (3, 20, 50)
    ]
    alone = [fivetotwelve.table_pictures(view, scene(view)) for view in views]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda view: fivetotwelve.table_pictures(view, scene(view)), views * 3))
    assert together == alone * 3


def test_alt_texts_keep_within_discords_limit_whatever_the_names() -> None:
    view = position("fivetotwelve", 4, 150, series=True).view(2)
    for name in ("𝕎" * 32, "🧑‍🚀" * 10, "x" * 500):
        hard = Scene((name,) * 4, scene(view).say)
        for picture in (*fivetotwelve.table_pictures(view, hard), *fivetotwelve.hand_pictures(view, hard)):
            check_picture(picture)


def test_the_alt_text_says_what_the_picture_shows() -> None:
    view = position("fivetotwelve", 2, 40).view(None)
    (picture,) = fivetotwelve.table_pictures(view, scene(view))
    for number in {*view.boards[0], *view.boards[1], *view.middle, view.stock} - {0}:
        assert str(number) in picture.alt
    german = fivetotwelve.table_pictures(view, scene(view, "de"))[0]
    assert german.alt != picture.alt
