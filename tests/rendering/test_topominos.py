"""Topominos as a player sees it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat

from bot.locale import sayer
from bot.rules.chance import Generator
from bot.rules.game import Event, OptionValue, advance
from bot.rules.topominos import CELL_INDEX, CELLS, GAME, SET, TopominosState, TopominosView, draft, layable
from rendering import topominos
from rendering.scene import Scene
from rendering.theme import DARK, Colour

from .helpers import NAMES, check_golden, check_picture, crowned, difference, grey, ink_height, opened, scene


def sensible(view: TopominosView) -> str:
    """The lay that makes the largest stack, of those the turn has not touched first. No computer player: as
    those learn, goldens would change."""
    lays = [move for move in GAME.legal(view) if "@" in move]
    if not lays:
        return "end" if view.laid else "pass"

    def size(move: str) -> tuple[bool, int]:
        dots, _, cell = move.partition("@")
        return cell not in view.touched, len(dots) + view.fills[CELL_INDEX[cell]].bit_count()

    return max(lays, key=size)


def played(players: int, moves: int, seed: str = "pictures", /, **options: OptionValue) -> TopominosState:
    """The state after so many sensible moves, the same every time."""
    state = GAME.start(players, options)
    count = len(advance(state, seed, 0))
    for _ in range(moves):
        for seat in state.actors():
            state.apply(Event("move", sensible(state.view(seat)), seat))
            count += 1 + len(advance(state, seed, count + 1))
    return state


def placed(rack: str, board: dict[str, str], last: list[str] | None = None) -> TopominosState:
    """Seat 0 to move with these pieces; seat 1 has made these lays in the last turn."""
    data: dict[str, Any] = GAME.start(2, {}).to_json()
    stacks = [board[cell].split("+") if cell in board else [] for cell in CELLS]
    data |= {"phase": "turn", "first": 0, "seat": 0, "racks": [rack.split(), ["abcd"]], "board": stacks}
    data |= {"bag": list(SET[:5])}
    if last:
        data["last"] = {"seat": 1, "moves": last, "nines": 0, "points": 9}
    loaded = GAME.load(data)
    assert isinstance(loaded, TopominosState)
    return loaded


CROWDED = {
    "A1": "abcg+df+e",
    "B1": "ab",
    "C1": "a+c+b+d+e+f+h+g",
    "A2": "aceg+bdfh",
    "B2": "e",
    "C2": "abc+def",
    "B3": "acgi+e+bd+f",
}


@pytest.mark.parametrize(
    ("name", "players", "moves", "options"),
    [
        ("two", 2, 3, {}),
        ("three-match", 3, 30, {"rounds": 3}),
        ("four-over", 4, 5000, {}),
        ("solo", 1, 60, {"target": 300}),
    ],
)
def test_the_table_looks_as_it_did(
    name: str, players: int, moves: int, options: dict[str, OptionValue], tmp_path: Path
) -> None:
    view = played(players, moves, **options).view(None)
    (picture,) = topominos.table_pictures(view, scene(view))
    check_picture(picture)
    check_golden(f"topominos-{name}", picture.png, tmp_path)


def test_stacks_of_up_to_eight_pieces_and_a_completed_nine(tmp_path: Path) -> None:
    view = placed("a b e", CROWDED, ["e@A1", "f@B3", "i@C3"]).view(None)
    (picture,) = topominos.table_pictures(view, scene(view))
    check_picture(picture)
    check_golden("topominos-crowded", picture.png, tmp_path)


def test_the_hand_looks_as_it_did(tmp_path: Path) -> None:
    view = placed("a ac abd abeg e", CROWDED, ["e@A1"]).view(0)
    (picture,) = topominos.hand_pictures(view, scene(view, "de", ("a", "abd")))
    check_picture(picture)
    check_golden("topominos-hand", picture.png, tmp_path)


def test_a_draft_is_laid_on_trial_and_leaves_the_rack(tmp_path: Path) -> None:
    view = placed("a ac abd abeg e", CROWDED).view(0)
    plain, drafted, pieces = (
        topominos.hand_pictures(view, scene(view, draft=draft))[0] for draft in ("", "gi@B1", "swap abd e")
    )
    check_picture(drafted)
    for other in (drafted, pieces):
        assert difference(opened(plain.png), opened(other.png))[1] > 0.005
    assert "gi in B1" in drafted.alt and "On trial: abd, e" in pieces.alt
    check_golden("topominos-hand-draft", drafted.png, tmp_path)


def test_a_nine_on_trial_is_shown_before_what_is_laid_in_its_place() -> None:
    """Else the picture of a hint shows neither where the piece went nor that it made nine."""
    view = placed("a abeh ac b", {"A1": "abcd+efgh"}).view(0)
    whole = scene(view, draft="i@A1 abeh@A1 gi@A1")
    first, second = topominos.hand_pictures(view, whole)
    again, marked = topominos.hand_pictures(view, scene(view, targets=("b",), draft=whole.draft))
    assert first == again, "what can be chosen now is marked on the last alone"
    assert second.png != marked.png
    (nine,) = topominos.hand_pictures(view, scene(view, draft="i@A1"))
    assert (first.png, first.alt) == (nine.png, nine.alt)
    assert "On trial: i in A1, abeh in A1, gi in A1" in second.alt
    assert (first.name, second.name) == ("topominos-hand.png", "topominos-hand-2.png")
    for picture in (first, second):
        check_picture(picture)
    assert first.png != second.png
    assert len(topominos.hand_pictures(view, scene(view, draft="i@A1 abeh@B2"))) == 1


def test_pieces_can_be_marked_as_targets() -> None:
    view = placed("a ac abd", {}).view(0)
    plain, marked = (
        topominos.hand_pictures(view, scene(view, targets=targets))[0] for targets in ((), ("a", "abd"))
    )
    assert plain.png != marked.png
    assert "a, abd" in marked.alt


def test_ways_to_lay_a_piece_are_numbered_with_their_moves(tmp_path: Path) -> None:
    view = placed("abd abf", {"B2": "e", "C3": "aceg+bdfh"}).view(0)
    many = draft(view, "abf A")
    assert len(many.moves) == 24
    picture = topominos.places_picture(many, scene(view))
    check_picture(picture)
    check_golden("topominos-places", picture.png, tmp_path)
    for number, move in enumerate(many.moves, 1):
        assert f"{number}: {' in '.join(move.split('@'))}" in picture.alt
    few = topominos.places_picture(draft(view, "abd B2"), scene(view))
    check_picture(few)
    assert opened(few.png).height < opened(picture.png).height


def test_a_nine_on_trial_is_seen_until_something_else_is_laid_there() -> None:
    assert topominos._tried(("abcg", "df", "e"), (("h", "A1"), ("i", "A1")), "A1") == (
        ("abcg", "df", "e", "h", "i"),
        2,
    )
    assert topominos._tried(("aceg", "bdfh"), (("i", "A2"), ("ac", "A2")), "A2") == (("ac",), 1)


def test_a_spectator_has_no_hand() -> None:
    view = played(2, 5).view(None)
    assert topominos.hand_pictures(view, scene(view)) == ()


def test_the_public_picture_takes_no_notice_of_a_draft() -> None:
    view = played(3, 20).view(None)
    plain = topominos.table_pictures(view, scene(view))
    assert plain == topominos.table_pictures(view, scene(view, targets=("A1", "a"), draft="cf@B2"))


def test_the_public_picture_is_the_same_whatever_is_on_the_racks() -> None:
    state = played(2, 9)
    data: dict[str, Any] = state.to_json()
    racks, bag = data["racks"], data["bag"]
    for rack in racks:
        for index, piece in enumerate(rack):
            rack[index], bag[index] = bag[index], piece
    other = GAME.load(data)
    assert isinstance(other, TopominosState)
    assert other.racks != state.racks
    one, two = (topominos.table_pictures(s.view(None), scene(s.view(None))) for s in (state, other))
    assert one == two


def test_dots_of_different_pieces_differ_without_colour() -> None:
    for ringed in (False, True):
        dots = [
            grey(topominos._dot(order, 50, ringed, False, on=Colour.IVORY)).point(
                lambda value: 255 if value > 140 else 0
            )
            for order in range(8)
        ]
        for one, other in combinations(dots, 2):
            assert ImageStat.Stat(ImageChops.difference(one, other)).mean[0] > 8


def test_a_dot_just_laid_differs_without_colour() -> None:
    plain, ringed = (grey(topominos._dot(0, 50, ring, False, on=Colour.IVORY)) for ring in (False, True))
    assert ImageStat.Stat(ImageChops.difference(plain, ringed)).mean[0] > 8


def test_numbers_are_nine_pixels_high_on_a_phone() -> None:
    for pitch in (topominos._PITCH, topominos._HAND_PITCH):
        sprite = topominos._compartment(("abcd", "efgh"), 0, False, pitch, on=Colour.PANEL)(DARK)
        stack = topominos._stack(("abcd", "efgh"), 0, False, pitch, on=Colour.RECESS)(DARK)
        beside = grey(sprite).crop((10 + stack.width + 2, 4, sprite.width, sprite.height))
        box = beside.point(lambda value: 255 if value > 200 else 0).getbbox()
        assert box is not None and (box[3] - box[1]) / 2 >= 9
        assert box[0] >= 4 and box[2] <= beside.width - 4  # free of the stack and of the edge
    assert ink_height(topominos._piece("aceg", topominos._PIECE, on=Colour.PANEL)) >= 9


def test_brackets_are_on_the_compartments_of_the_last_turn() -> None:
    before = placed("a b e", CROWDED, ["e@B2"]).view(None)
    after = placed("a b e", CROWDED, ["h@C1"]).view(None)
    one, other = (opened(topominos.table_pictures(v, scene(v))[0].png) for v in (before, after))
    apart = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).convert("L")
    changed = apart.point(lambda value: 255 if value > 48 else 0)
    assert isinstance(changed, Image.Image)
    third = changed.width // 3
    columns = [
        changed.crop((left, 100, left + third, changed.height - 110)).getbbox() is not None
        for left in (0, third, 2 * third)
    ]
    assert columns == [False, True, True]


def test_two_threads_draw_what_one_would() -> None:
    views = [played(players, moves).view(0) for players in (1, 2, 4) for moves in (3, 25)]
    draw = lambda view: (  # noqa: E731
        topominos.table_pictures(view, scene(view)),
        topominos.hand_pictures(view, scene(view)),
    )
    alone = [draw(view) for view in views]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(draw, views * 2)) == alone * 2


def test_alt_texts_keep_within_discords_limit_whatever_the_names() -> None:
    view = played(4, 60, rounds=3).view(2)
    for name in ("𝕎" * 32, "🧑‍🚀" * 10, "x" * 500):
        hard = Scene((name,) * 4, scene(view).say)
        for picture in (*topominos.table_pictures(view, hard), *topominos.hand_pictures(view, hard)):
            check_picture(picture)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["Last turn: 1 point,", ": 1 point, 1 piece."]),
        ("de", ["Letzter Zug: 1 Punkt,", ": 1 Punkt, 1 Stein."]),
    ],
)
def test_one_point_is_told_in_the_singular(language: str, said: list[str]) -> None:
    view = placed("a", {"A1": "e"}, ["e@A1"]).view(None)
    assert view.last is not None
    view = replace(view, last=replace(view.last, points=1), scores=(1, 1))
    [picture, *_] = topominos.table_pictures(view, scene(view, language))
    assert [one for one in said if one not in picture.alt] == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_alt_text_says_what_the_picture_shows(language: str) -> None:
    view = placed("a ac abd", CROWDED, ["e@A1", "f@B3"]).view(0)
    assert isinstance(view, TopominosView)
    (table,) = topominos.table_pictures(view, scene(view, language))
    (hand,) = topominos.hand_pictures(view, scene(view, language))
    for alt in (table.alt, hand.alt):
        for cell, stack in CROWDED.items():
            assert f"{cell} {sum(map(len, stack.split('+')))}" in alt and f"({stack})" in alt
        assert "A3 C3" in alt and "e in A1, f in B3" in alt and "Ana" in alt
    assert "a ac abd" in hand.alt and "a ac abd" not in table.alt


def test_every_moment_of_a_game_has_its_pictures() -> None:
    state = GAME.start(2, {"rounds": 2})
    chance = Generator("moments", "y")
    phases = set()
    for _ in range(260):
        for seat in (None, 0):
            view = state.view(seat)
            if view.phase not in phases:
                for picture in (
                    *topominos.table_pictures(view, scene(view)),
                    *topominos.hand_pictures(view, scene(view)),
                ):
                    check_picture(picture)
        phases.add(state.stage)
        if state.outcome() is not None:
            break
        if state.chance_due():
            state.apply(state.draw(chance))
        else:
            seat = state.seat
            state.apply(Event("move", sensible(state.view(seat)), seat))
    assert phases >= {"lots", "deal", "turn", "refill", "rack"}


def test_the_first_turn_of_a_single_game_has_nothing_to_tell_yet() -> None:
    state = played(2, 0)
    for picture in (*topominos.table_pictures(state.view(None), scene(state.view(None))),
                    *topominos.hand_pictures(state.view(0), scene(state.view(0)))):  # fmt: skip
        check_picture(picture)


def test_a_place_to_be_chosen_shows_the_places_alone() -> None:
    view = played(2, 0).view(played(2, 0).actors()[0])
    piece = next(iter(layable(view)))
    shown = scene(view, draft=f"{piece} B")
    assert topominos.hand_pictures(view, shown) == (
        topominos.places_picture(draft(view, f"{piece} B"), shown),
    )


@pytest.mark.parametrize("players", [1, 2])
def test_alone_nobody_is_said_to_win(players: int) -> None:
    view = played(players, 5000).view(None)
    assert view.outcome is not None
    (picture,) = topominos.table_pictures(view, scene(view))
    words = GAME.board_text(view, NAMES[:players], sayer("en"))
    for wins in (crowned(picture), "Won by" in picture.alt, "Won by" in words):
        assert wins is (players > 1)
    reason = sayer("en")(f"topominos.reason.{view.outcome.reason.replace(' ', '_')}")
    for said in (picture.alt, words):
        assert said.count(reason) == 1
