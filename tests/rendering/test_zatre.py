"""Zatre as a player sees it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat

from bot.locale import LANGUAGES, sayer
from bot.rules.game import Event, OptionValue, advance
from bot.rules.zatre import (
    GAME,
    INDEX,
    LIGHT,
    NAMES,
    RED,
    TILES,
    ZatreState,
    gain,
    next_placements,
    parse_placements,
)
from rendering import fonts, parts, zatre, zatre_sheets
from rendering.parts import Grid
from rendering.scene import Scene
from rendering.sprites import Canvas
from rendering.theme import MARGIN, SMALL, TIGHT
from tests.rules.conformance import Case, walk

from .helpers import check_golden, check_picture, difference, grey, ink_height, opened, scene


def played(players: int, moves: int, **options: OptionValue) -> ZatreState:
    """The state after so many turns of whoever runs out of time: the same however computers are tuned."""
    state = GAME.start(players, options)
    count = len(advance(state, "pictures", 0))
    for _ in range(moves):
        for seat in state.actors():
            state.apply(Event("move", state.stand_in(seat), seat))
            count += 1 + len(advance(state, "pictures", count + 1))
    return state


def on_board(tiles: str, held: tuple[int, ...], **options: OptionValue) -> ZatreState:
    """Seat 0 to move with these tiles, on this board."""
    state = GAME.start(4 if options else 2, options)
    board = bytearray(256)
    for cell, value in parse_placements(tiles):
        board[cell] = value
    state.board = bytes(board)
    state.hands[0] = held
    state.bag = [0] + [TILES[v] - state.board.count(v) - held.count(v) for v in range(1, 7)]
    state.stage, state.contenders, state.drawn = "turn", (0,), held[:1]
    return state


BUSY = "3@H7 5@H8 4@I8 2@J8 6@H9"


@pytest.mark.parametrize(
    ("name", "players", "moves", "options"),
    [
        ("opening", 2, 0, {}),
        ("two", 2, 22, {}),
        ("three-over", 3, 500, {}),
        ("four-partners", 4, 17, {"partners": True}),
        ("six", 6, 30, {"laying": "club"}),
    ],
)
def test_the_table_looks_as_it_did(
    name: str, players: int, moves: int, options: dict[str, OptionValue], tmp_path: Path
) -> None:
    view = played(players, moves, **options).view(None)
    board, sheets = zatre.table_pictures(view, scene(view))
    for picture, suffix in ((board, ""), (sheets, "-sheets")):
        check_picture(picture)
        check_golden(f"zatre-{name}{suffix}", picture.png, tmp_path)


def test_the_hand_shows_where_a_chosen_tile_can_go(tmp_path: Path) -> None:
    view = on_board(BUSY, (1, 2, 6)).view(0)
    targets = tuple(NAMES[cell] for cell, tile in next_placements(view, "") if tile == 2)
    (picture,) = zatre.hand_pictures(view, scene(view, "de", targets, "2"))
    check_picture(picture)
    check_golden("zatre-hand", picture.png, tmp_path)
    assert ", ".join(targets) in picture.alt


def test_a_draft_is_laid_on_trial_with_its_runs_and_leaves_the_rack(tmp_path: Path) -> None:
    view = on_board(BUSY, (1, 2, 6)).view(0)
    plain, drafted, chosen = (
        zatre.hand_pictures(view, scene(view, draft=draft))[0] for draft in ("", "6@G7 2@I7", "6@G7 2@I7 1")
    )
    check_picture(drafted)
    assert difference(opened(plain.png), opened(drafted.png))[1] > 0.01
    assert drafted.png != chosen.png
    assert "6 on G7, 2 on I7" in drafted.alt
    assert "G7–I7 11" in drafted.alt
    check_golden("zatre-hand-draft", drafted.png, tmp_path)


@pytest.mark.parametrize(
    "draft", ["keep", "4", "4@", "9@Z9", "1@A1", "1@H8", "x", "6@G7  ", "1@O15", "1@H99"]
)
def test_any_text_can_be_a_draft(draft: str) -> None:
    view = on_board(BUSY, (1, 2, 6)).view(0)
    (picture,) = zatre.hand_pictures(view, scene(view, draft=draft))
    check_picture(picture)
    plain = zatre.hand_pictures(view, scene(view))[0].png
    assert (picture.png == plain) is (draft != "6@G7  ")


def test_partners_see_each_others_tiles_in_the_hand(tmp_path: Path) -> None:
    state = on_board(BUSY, (1, 2, 6), partners=True)
    state.hands[1], state.hands[2] = (4, 5, 5), (3,)
    (picture,) = zatre.hand_pictures(state.view(0), scene(state.view(0)))
    check_picture(picture)
    check_golden("zatre-hand-partners", picture.png, tmp_path)
    assert "4, 5, 5" in picture.alt
    other = state.clone()
    other.hands[2] = (6,)
    assert zatre.hand_pictures(other.view(0), scene(other.view(0)))[0] == picture


def test_many_tiles_held_still_fit() -> None:
    view = on_board(BUSY, tuple(sorted([1, 2, 3, 4, 5, 6] * 3))).view(0)
    check_picture(zatre.hand_pictures(view, scene(view))[0])


def test_a_target_is_marked_on_its_cell_and_nowhere_else() -> None:
    view = on_board(BUSY, (1, 2)).view(0)
    plain, marked = (
        opened(zatre.hand_pictures(view, scene(view, targets=targets))[0].png) for targets in ((), ("K8",))
    )
    box = ImageChops.difference(plain, marked).convert("RGB").getbbox()
    top = MARGIN + zatre._STRIP + TIGHT
    cell = zatre._place(zatre._grid(top), INDEX["K8"])
    assert box is not None
    assert cell.x <= box[0] < box[2] <= cell.right
    assert cell.y <= box[1] < box[3] <= cell.bottom


def test_a_sum_stands_in_an_empty_cell_at_an_end_of_its_run() -> None:
    view = on_board(BUSY, (1, 2, 6)).view(0)
    turn = view.to_turn()
    placements = parse_placements("6@G7 2@I7")
    tiles = bytes(turn.after(placements).tiles)
    (run,) = gain(tiles, [cell for cell, _ in placements]).runs
    assert NAMES[zatre._label_cell(tiles, run, set())] == "J7"
    assert NAMES[zatre._label_cell(tiles, run, {INDEX["J7"]})] == "F7"


def test_kinds_of_cells_are_told_apart_without_colour() -> None:
    ground = grey(zatre._ground())
    grid = Grid(8 + zatre._EDGE, 8 + zatre._EDGE, zatre._CELL, 15, 15, 2)

    def patch(cell: int) -> Image.Image:
        box = zatre._place(grid, cell)
        return ground.crop((box.x + 2, box.y + 4, box.right - 2, box.bottom - 2))

    light = next(cell for cell in LIGHT if cell != RED)
    for one, other in combinations((patch(INDEX["H7"]), patch(light), patch(RED)), 2):
        assert ImageStat.Stat(ImageChops.difference(one, other)).mean[0] > 20
    # Light and red are patterned, dark is plain.
    assert ImageStat.Stat(patch(INDEX["H7"]).crop((4, 4, 38, 36))).stddev[0] < 2
    for cell in (light, RED):
        assert ImageStat.Stat(patch(cell).crop((4, 4, 38, 36))).stddev[0] > 10


def test_digits_can_be_read_at_half_size() -> None:
    for value in range(1, 7):
        assert ink_height(zatre._tile(value, zatre._CELL)) >= 9


def test_the_latest_boxes_are_framed_on_their_sheet_alone() -> None:
    state = on_board(BUSY, (1, 2, 6))
    state.apply(Event("move", "6@G7 2@I7", 0))
    view = state.view(None)
    assert zatre_sheets._fresh(view, 0) == {
        "ten": frozenset(), "eleven": frozenset({1}), "twelve": frozenset(), "cross": frozenset({1, 2}),
    }  # fmt: skip
    assert not any(zatre_sheets._fresh(view, 1).values())


def test_nothing_hidden_is_in_a_picture() -> None:
    one = on_board(BUSY, (1, 2))
    two = one.clone()
    two.hands[0] = (3, 6)
    for seat in (1, None):
        views = one.view(seat), two.view(seat)
        pictures = [
            zatre.table_pictures(view, scene(view)) + zatre.hand_pictures(view, scene(view)) for view in views
        ]
        assert pictures[0] == pictures[1]
    # The public pictures do not show the tiles of whoever they are made for either.
    assert zatre.table_pictures(one.view(0), scene(one.view(0))) == zatre.table_pictures(
        two.view(0), scene(two.view(0))
    )
    assert zatre.hand_pictures(one.view(None), scene(one.view(None))) == ()


def test_alt_texts_tell_the_board_and_the_sheets() -> None:
    state = on_board(BUSY, (1, 2, 6))
    state.apply(Event("move", "6@G7 2@I7", 0))
    board, sheets = zatre.table_pictures(state.view(None), scene(state.view(None)))
    assert "7 G632; 8 H542; 9 H6" in board.alt
    assert "6 on G7, 2 on I7" in board.alt
    assert "×–/2/– = 4; ×–/–/– = 0" in sheets.alt
    full = played(2, 500).view(None)
    for picture in zatre.table_pictures(full, scene(full, "de")):
        check_picture(picture)


def test_names_of_any_length_leave_the_numbers_where_they_are() -> None:
    view = played(6, 12).view(None)
    names = ("W" * 32, "", "ツ" * 32, "ﷺ" * 10, "a\u0301" * 32, "👩‍👩‍👧‍👦" * 8)
    for picture in zatre.table_pictures(view, Scene(names, scene(view).say)):
        check_picture(picture)


def test_pictures_are_the_same_from_every_thread() -> None:
    view = played(3, 9).view(0)
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: zatre.table_pictures(view, scene(view)), range(8)))
    assert all(one == made[0] for one in made)


def test_a_pair_that_has_won_is_named_as_one() -> None:
    """In the alt text as in the picture, and on the board as text."""
    *_, last = walk(Case("zatre", 4, {"partners": True}), "pair")
    view = last.state.view(None)
    assert view.outcome is not None
    assert len(view.outcome.winners) == 2
    names = ("Ada", "Ben", "Cleo", "Dan")
    pair = " & ".join(names[seat] for seat in view.outcome.winners)
    [board, _] = zatre.table_pictures(view, Scene(names, sayer("en")))
    assert f"Won by {pair}." in board.alt
    text = GAME.board_text(view, names, sayer("en"))
    assert f"Won by: {pair}." in text
    assert f"Sheet of {pair}, " in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tiles_beside_the_names_are_said_to_be_the_start_draw(
    monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    headings: list[str] = []
    heading = parts.heading

    def headed(canvas: Canvas, x: int, y: int, words: str, most: int, *given: Any, **more: Any) -> int:
        used = heading(canvas, x, y, words, most, *given, **more)
        assert fonts.width(words, SMALL, fonts.BOLD) <= most
        headings.append(words)
        return used

    monkeypatch.setattr(parts, "heading", headed)
    say = sayer(language)
    view = played(4, 0).view(None)
    [board, _] = zatre.table_pictures(view, Scene(("Ada", "Ben", "Cleo", "Dan"), say))
    assert headings == [say("zatre.picture.lots")]
    drawn = ", ".join(
        f"{name} ({tile})" for name, tile in zip(("Ada", "Ben", "Cleo", "Dan"), view.lots[0], strict=True)
    )
    assert say("zatre.event.lots", lots=drawn) in board.alt
    zatre.hand_pictures(played(4, 0).view(0), scene(view))  # there no names stand
    assert headings[1:] == [""]
