"""Top 12 as a player sees it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops

from bot.locale import LANGUAGES, sayer
from bot.rules.game import Event
from bot.rules.top12 import CELLS, FACES, GAME, START_NUMBERS, SYMBOLS, Top12State, Top12View, entry_cells
from rendering import fonts, parts, top12
from rendering.scene import Scene
from rendering.sprites import Canvas
from rendering.theme import DARK, TEXT_LEAST, Colour

from .helpers import (
    check_golden,
    check_picture,
    crowned,
    difference,
    grey,
    ink_height,
    opened,
    position,
    scene,
)

TOP = "10@A1 20@B1 30@C1 40@D1 50@E1"
POSITIONS = [
    ("solo", 1, 70),
    ("two", 2, 60),
    ("three", 3, 50),
    ("four-setup", 4, 2),
    ("four-call", 4, 150),
    ("four-over", 4, 5000),
]


def table(players: int, moves: int, seat: int | None = None) -> Top12View:
    view = position("top12", players, moves).view(seat)
    assert isinstance(view, Top12View)
    return view


def entering() -> Top12State:
    """Two players, the joker and 60, nobody has chosen yet."""
    state = GAME.start(2, {"first": "host"})
    for seat in range(2):
        state.apply(Event("move", TOP, seat))
    for event in (Event("chance", "first 0"), Event("move", "call 60", 0), Event("chance", "roll joker")):
        state.apply(event)
    return state


@pytest.mark.parametrize(("name", "players", "moves"), POSITIONS)
def test_the_table_looks_as_it_did(name: str, players: int, moves: int, tmp_path: Path) -> None:
    view = table(players, moves)
    (picture,) = top12.table_pictures(view, scene(view))
    check_picture(picture)
    check_golden(f"top12-{name}", picture.png, tmp_path)


def test_the_hand_looks_as_it_did(tmp_path: Path) -> None:
    view = entering().view(1)
    (picture,) = top12.hand_pictures(view, scene(view, "de", entry_cells(view)))
    check_picture(picture)
    check_golden("top12-hand", picture.png, tmp_path)


def test_the_hand_in_set_up_shows_the_draft(tmp_path: Path) -> None:
    view = table(2, 0, 0)
    plain, drafted = (
        top12.hand_pictures(view, scene(view, targets=("20", "40", "50"), draft=draft))[0]
        for draft in ("", "10@B2 30@D6")
    )
    check_picture(drafted)
    assert difference(opened(plain.png), opened(drafted.png))[1] > 0.005
    assert "10 in B2, 30 in D6" in drafted.alt
    check_golden("top12-hand-draft", drafted.png, tmp_path)


@pytest.mark.parametrize("draft", ["60@B4", "call 60", "10@A1", "60@", "", "999@Z9", "60@B4x"])
def test_any_beginning_of_a_move_can_be_a_draft(draft: str) -> None:
    view = entering().view(0)
    (picture,) = top12.hand_pictures(view, scene(view, draft=draft))
    check_picture(picture)
    plain = top12.hand_pictures(view, scene(view))[0].png
    assert (picture.png == plain) is (draft in {"60@", "", "999@Z9", "60@B4x"})


def test_a_target_is_marked_on_its_cell_and_nowhere_else() -> None:
    view = entering().view(0)
    plain, marked = (
        opened(top12.hand_pictures(view, scene(view, targets=targets))[0].png) for targets in ((), ("C7",))
    )
    box = ImageChops.difference(plain, marked).convert("RGB").getbbox()
    cell = top12._HAND.cell(24, 84, CELLS.index("C7"))
    assert box is not None
    assert cell.x <= box[0] < box[2] <= cell.right
    assert cell.y <= box[1] < box[3] <= cell.bottom


def test_the_public_picture_keeps_what_a_seat_has_chosen() -> None:
    """Two different entries of seat 0: its hand differs, everybody else's bytes do not."""
    pictures, hands, others = [], [], []
    for move in ("60@B4", "60@D9"):
        state = entering()
        state.apply(Event("move", move, 0))
        pictures.append(
            [top12.table_pictures(view, scene(view)) for view in (state.view(1), state.view(None))]
        )
        view = state.view(0)
        hands.append(top12.hand_pictures(view, scene(view)))
        own_table = top12.table_pictures(view, scene(view))
        assert "60 in" not in own_table[0].alt
        pictures[-1].append(own_table)
        others.append(top12.hand_pictures(state.view(1), scene(state.view(1))))
    assert pictures[0] == pictures[1]
    assert others[0] == others[1]
    assert hands[0] != hands[1]
    assert "60 in B4" in hands[0][0].alt


def test_the_set_up_of_others_is_not_in_the_picture() -> None:
    one, two = (GAME.start(2, {}) for _ in range(2))
    one.apply(Event("move", TOP, 0))
    two.apply(Event("move", "50@A7 10@B2 30@C6 20@D5 40@E6", 0))
    for seat in (1, None):
        first, second = one.view(seat), two.view(seat)
        assert top12.table_pictures(first, scene(first)) == top12.table_pictures(second, scene(second))
    assert top12.hand_pictures(one.view(0), scene(one.view(0))) != top12.hand_pictures(
        two.view(0), scene(two.view(0))
    )


def test_a_spectator_has_no_hand() -> None:
    view = table(2, 5)
    assert top12.hand_pictures(view, scene(view)) == ()


def test_the_public_picture_takes_no_notice_of_a_draft() -> None:
    view = table(3, 30)
    plain = top12.table_pictures(view, scene(view))
    assert plain == top12.table_pictures(view, scene(view, targets=("A1",), draft="call 7"))


def test_the_last_number_is_marked_on_every_sheet() -> None:
    state = entering()
    state.apply(Event("move", "60@B4", 0))
    state.apply(Event("move", "60@D9", 1))
    view = state.view(None)
    marked, plain = (
        opened(top12.table_pictures(seen, scene(seen))[0].png)
        for seen in (view, replace(view, last=view.last and view.last._replace(cells=(-1, -1))))
    )
    apart = ImageChops.difference(marked, plain).convert("RGB")
    for seat, name in ((0, "B4"), (1, "D9")):
        x = 24 + seat * (top12._COLUMN + 16)
        cell = top12._TABLE.cell(x, 24 + top12._STRIP + 16 + 60, CELLS.index(name)).inset(-6)
        box = apart.crop((x, 0, x + top12._COLUMN, apart.height)).getbbox()
        assert box is not None
        assert cell.x <= box[0] + x and box[2] + x <= cell.right
        assert cell.y <= box[1] and box[3] <= cell.bottom


@pytest.mark.parametrize("form", [top12._TABLE, top12._HAND])
def test_digits_are_nine_pixels_high_on_a_phone(form: top12._Form) -> None:
    for number in (1, 38, 100):
        assert ink_height(top12._number(number, form)) >= 9


def test_the_die_faces_are_told_apart_without_colour() -> None:
    size = 40  # on a phone
    seen: dict[str, Image.Image] = {
        face: grey(top12.die(face, 80, on=Colour.PANEL)).resize((size, size)) for face in FACES
    }
    for one in FACES:
        for other in FACES:
            if one < other:
                apart = ImageChops.difference(seen[one], seen[other]).point(lambda v: 255 * (v > 90))
                assert apart.histogram()[255] > 60, (one, other)
    with pytest.raises(ValueError, match="no such symbol"):
        top12.symbol("sun", 30, on=Colour.PANEL, ink=Colour.INK)(DARK)
    assert set(SYMBOLS) < set(FACES)


def test_a_full_and_a_dead_column_look_different_from_an_open_one() -> None:
    view = table(1, 0)
    sheet = [0] * len(CELLS)
    open_sheet = replace(view, phase="call", caller=0, sheets=(tuple(sheet),))
    sheet[11] = 10  # eleven free cells above, nine numbers
    dead_sheet = replace(open_sheet, sheets=(tuple(sheet),))
    plain, dead = (
        opened(top12.table_pictures(seen, scene(seen))[0].png) for seen in (open_sheet, dead_sheet)
    )
    first = top12._SOLO.cell(24, 212, 0)
    area = (first.x, first.y, first.right, first.bottom)
    assert ImageChops.difference(plain.crop(area), dead.crop(area)).convert("RGB").getbbox()


def test_two_threads_draw_what_one_would() -> None:
    views = [table(players, moves) for players in (1, 2, 3, 4) for moves in (3, 20, 50)]
    alone = [top12.table_pictures(view, scene(view)) for view in views]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda view: top12.table_pictures(view, scene(view)), views * 2))
    assert together == alone * 2


def test_alt_texts_keep_within_discords_limit_whatever_the_names() -> None:
    view = table(4, 5000, 2)
    for name in ("𝕎" * 32, "🧑‍🚀" * 10, "x" * 500):
        hard = Scene((name,) * 4, scene(view).say)
        for picture in (*top12.table_pictures(view, hard), *top12.hand_pictures(view, hard)):
            check_picture(picture)


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_alt_text_says_what_the_picture_shows(language: str) -> None:
    for moves in (0, 7, 40, 5000):
        view = table(2, moves)
        (picture,) = top12.table_pictures(view, scene(view, language))
        for number in {*view.sheets[0], *view.sheets[1], view.number} - {0}:
            assert str(number) in picture.alt
        assert not moves or set(START_NUMBERS) <= set(view.sheets[0])


@pytest.mark.parametrize(
    ("players", "rolls", "reason", "wins"),
    [
        (1, 40, "column full", True),
        (1, 41, "column full", False),
        (1, 30, "no column can be filled", False),
        (2, 41, "nobody enters", True),
    ],
)
def test_alone_a_title_is_what_one_wins(players: int, rolls: int, reason: str, wins: bool) -> None:
    view = table(players, 5000)
    assert view.outcome is not None
    view = replace(view, rolls=rolls, outcome=replace(view.outcome, reason=reason))
    assert crowned(top12.table_pictures(view, scene(view))[0]) is wins


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_stands_over_the_number_is_not_cut(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    """Also where it fits nowhere on this sheet."""
    captions: list[tuple[str, int]] = []
    caption = parts.caption

    def said(canvas: Canvas, x: int, y: int, words: str, most: int, *given: Any, **more: Any) -> int:
        captions.append((words, most))
        return caption(canvas, x, y, words, most, *given, **more)

    monkeypatch.setattr(parts, "caption", said)
    state = GAME.start(2, {"first": "host"})
    state.apply(Event("move", TOP.replace("1 ", "2 ").replace("E1", "E2"), 0))
    state.apply(Event("move", TOP, 1))
    for event in (Event("chance", "first 0"), Event("move", "call 5", 0), Event("chance", "roll hand")):
        state.apply(event)
    say = sayer(language)
    for seat, key in enumerate(("number", "unfit")):
        captions.clear()
        top12.hand_pictures(state.view(seat), Scene(("Ada", "Ben"), say))
        assert captions[0][0] == say(f"top12.picture.{key}")
        assert all(fonts.width(words, TEXT_LEAST) <= most for words, most in captions)
