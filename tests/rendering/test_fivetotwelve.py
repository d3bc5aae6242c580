"""5 vor 12 as a player sees it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.rules.game import Event, OptionValue
from bot.rules.registry import game
from rendering import fivetotwelve, parts
from rendering.scene import Scene
from rendering.sprites import Box
from rendering.theme import Colour

from .helpers import check_golden, check_picture, difference, ink_height, opened, position, scene

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


def test_a_middle_of_every_number_fits_its_room() -> None:
    for width, height in ((496, 102), (336, 218), (720, 98)):
        size, columns = fivetotwelve._fit(20, Box(0, 0, width, height))
        rows = -(-20 // columns)
        assert columns * (size + 6) - 6 <= width
        assert rows * (size + 10) - 10 <= height


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
