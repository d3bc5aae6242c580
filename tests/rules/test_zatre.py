"""Zatre: the page's rules and rulings, told as turns on small boards, and held against a slow second reading
of the same page that shares no code with the module."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.locale import sayer
from bot.rules import zatre
from bot.rules.chance import Generator
from bot.rules.errors import Extra, Illegal, Impossible, Missing, NotYours, SetupError, Unreadable
from bot.rules.game import Event
from bot.rules.record import read, replay
from bot.rules.zatre import (
    GAME,
    Row,
    Sheet,
    Turn,
    ZatreState,
    ZatreView,
    list_turns,
    next_placements,
    parse_placements,
    preview,
    sheet_total,
)
from bot.rules.zatre.layout import layout_of
from tests.sweeps import swept_rows

# ------------------------------------------------------------------ the slow second reading

Cell = tuple[int, int]  # column, row, from 1
Tiles = dict[Cell, int]


def exists(cell: Cell) -> bool:
    edge = {5, 6, 7, 9, 10, 11}
    column, row = cell
    if 2 <= column <= 14 and 2 <= row <= 14:
        return True
    return (column in (1, 15) and row in edge) or (row in (1, 15) and column in edge)


ALL = {(column, row) for column in range(1, 16) for row in range(1, 16) if exists((column, row))}
START = (8, 8)
QUARTER = [(7, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (1, 7), (7, 7)]
PALE = {(a, b) for x, y in QUARTER for a in (x, 16 - x) for b in (y, 16 - y)} | {START}
DARK = ALL - PALE


def name(cell: Cell) -> str:
    return f"{'ABCDEFGHIJKLMNO'[cell[0] - 1]}{cell[1]}"


def cell_of(text: str) -> Cell:
    return "ABCDEFGHIJKLMNO".index(text[0]) + 1, int(text[1:])


def text_of(placements: Iterable[tuple[Cell, int]]) -> str:
    ordered = sorted(placements, key=lambda one: (one[0][1], one[0][0]))
    return " ".join(f"{tile}@{name(cell)}" for cell, tile in ordered) or "keep"


def lying(text: str) -> Tiles:
    return {cell_of(word[2:]): int(word[0]) for word in text.split()}


def board_of(tiles: Tiles) -> bytes:
    board = bytearray(256)
    for (column, row), tile in tiles.items():
        board[16 * (row - 1) + column - 1] = tile
    return bytes(board)


def beside(cell: Cell) -> list[Cell]:
    column, row = cell
    return [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]


def slow_runs(tiles: Tiles) -> list[tuple[list[Cell], int]]:
    found = []
    for column, row in tiles:
        for right, down in ((1, 0), (0, 1)):
            if (column - right, row - down) in tiles:
                continue
            line, place = [], (column, row)
            while place in tiles:
                line.append(place)
                place = (place[0] + right, place[1] + down)
            if len(line) > 1:
                found.append((line, sum(tiles[cell] for cell in line)))
    return found


def slow_fits(tiles: Tiles, cell: Cell, tile: int) -> bool:
    if cell in tiles or cell not in ALL or not any(other in tiles for other in beside(cell)):
        return False
    return all(total < 13 for line, total in slow_runs({**tiles, cell: tile}) if cell in line)


def slow_free(old: Tiles, must_lay: bool, laid: Tiles) -> bool:
    """Rules 2 to 5 with option laying=free; `laid` holds held tiles on empty cells."""
    if not laid:
        return not must_lay
    tiles = {**old, **laid}
    reached, grown = set(old), True
    while grown:
        more = {cell for cell in tiles if any(other in reached for other in beside(cell))}
        grown = not more <= reached
        reached |= more
    if not set(tiles) <= reached:
        return False
    runs = slow_runs(tiles)
    if any(total >= 13 for _, total in runs):
        return False
    for cell, tile in laid.items():
        if cell in PALE - {START} and not any(cell in line and 10 <= total <= 12 for line, total in runs):
            others = {place: value for place, value in tiles.items() if place != cell}
            if any(slow_fits(others, place, tile) for place in DARK):
                return False
    return True


Set = frozenset[tuple[Cell, int]]


def slow_sets(old: Tiles, held: tuple[int, ...]) -> set[Set]:
    """All ways to lay some of the tiles so that each touches what lies and no run reaches 13."""
    seen: set[Set] = {frozenset()}
    front: list[tuple[Set, tuple[int, ...]]] = [(frozenset(), held)]
    while front:
        laid, rest = front.pop()
        tiles = {**old, **dict(laid)}
        open_cells = {other for cell in tiles for other in beside(cell)} & ALL
        for tile in set(rest):
            left = list(rest)
            left.remove(tile)
            for cell in open_cells:
                if slow_fits(tiles, cell, tile):
                    more = laid | {(cell, tile)}
                    if more not in seen:
                        seen.add(more)
                        front.append((more, tuple(left)))
    return seen


def slow_legal(old: Tiles, held: tuple[int, ...], must_lay: bool, club: bool) -> set[Set]:
    free = {laid for laid in slow_sets(old, held) if slow_free(old, must_lay, dict(laid))}
    if club:
        free -= {laid - {one} for laid in free for one in laid}
    return free


# ------------------------------------------------------------------ helpers


def chance(text: str, player: int | None = None) -> Event:
    return Event("chance", text, player)


def move(player: int, text: str) -> Event:
    return Event("move", text, player)


def started(players: int = 2, **options: object) -> ZatreState:
    return GAME.start(players, options)


def played(*events: Event, players: int = 2, **options: object) -> ZatreState:
    state = GAME.start(players, options)
    for event in events:
        state.apply(event)
    return state


OPENED = (chance("lots 5 2"), chance("draw 1 6", 0), move(0, "5@H8 6@H9 1@H10"))


def on_board(
    tiles: str, held: tuple[int, ...], *, must_lay: bool = False, bag: int | None = None, **options: object
) -> ZatreState:
    """Seat 0 of two to move, holding these tiles, on this board. bag: so many ones; else what is left."""
    state = started(2, **options)
    state.board = board_of(lying(tiles))
    state.hands = [held, ()]
    state.bag = [0] + [
        zatre.TILES[value] - state.board.count(value) - held.count(value) for value in range(1, 7)
    ]
    if bag is not None:
        state.bag = [0, bag, 0, 0, 0, 0, 0]
    state.stage, state.contenders = "turn", (0,)
    state.drawn = () if must_lay else held[:1]
    return state


def refused(state: ZatreState, text: str) -> tuple[str, str]:
    """Rule and code of the refusal."""
    before = json.dumps(state.to_json())
    with pytest.raises(Illegal) as caught:
        state.check(0, text)
    with pytest.raises(Illegal):
        state.apply(move(0, text))
    assert json.dumps(state.to_json()) == before
    for language in ("en", "de"):
        assert sayer(language)(caught.value.key, **caught.value.data)
    return caught.value.rule, caught.value.code


# ------------------------------------------------------------------ the board


def test_the_board_is_the_pages() -> None:
    assert len(zatre.CELLS) == 193
    assert {zatre.NAMES[cell] for cell in zatre.CELLS} == {name(cell) for cell in ALL}
    assert len(zatre.LIGHT) == 33
    assert {zatre.NAMES[cell] for cell in zatre.LIGHT} == {name(cell) for cell in PALE}
    assert zatre.NAMES[zatre.RED] == "H8"
    assert sum(zatre.TILES) == 121


# ------------------------------------------------------------------ rule 1


def test_the_highest_lot_opens_and_ties_draw_again_among_themselves() -> None:
    state = started(3)
    state.apply(chance("lots 5 2 5"))
    assert state.chance_due()
    state.apply(chance("lots 3 - 6"))
    assert state.hands == [(), (), (6,)]
    state.apply(chance("draw 1 4", 2))
    assert state.actors() == (2,)
    assert state.hands[2] == (1, 4, 6)
    # All lots but the one that decided are back in the bag.
    assert sum(state.bag) == 118
    state.apply(move(2, "4@G8 6@H8 1@I8"))
    assert state.sheets[2] == Sheet((), (2,), (), 1)
    assert (state.seat, state.due) == (0, 2)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("lots 5 5", "lots_count"),
        ("lots 5 - 5", "lots_seats"),
        ("lots - - -", "lots_seats"),
        ("lots 1 2 3 4", "lots_count"),
    ],
)
def test_lots_that_cannot_be(text: str, code: str) -> None:
    with pytest.raises(Impossible) as caught:
        started(3).apply(chance(text))
    assert caught.value.code == code
    assert sayer("de")(caught.value.key, **caught.value.data)


def test_only_the_tied_draw_again() -> None:
    state = played(chance("lots 5 2 5"), players=3)
    for text in ("lots 3 1 6", "lots - 3 6", "lots 3 - -"):
        with pytest.raises(Impossible):
            state.apply(chance(text))
    state.apply(chance("lots 1 - 1"))
    state.apply(chance("lots 2 - 1"))
    assert state.hands[0] == (2,)


def test_the_opening_lays_all_three_connected_over_the_red_cell() -> None:
    state = played(chance("lots 6 2"), chance("draw 1 4", 0))
    assert refused(state, "keep") == ("1", "opening_all")
    assert refused(state, "4@G8 6@H8") == ("1", "opening_all")
    assert refused(state, "4@F8 6@G8 1@F9") == ("1", "opening_red")
    assert refused(state, "4@F8 6@H8 1@I8") == ("1", "opening_apart")
    assert refused(state, "5@G8 6@H8 1@I8") == ("5", "none_held")
    # Three in a line and three round a corner, with the red cell in any place.
    legal = state.legal(0)
    slow = {
        text_of(zip(shape, order, strict=True))
        for shape in trominoes()
        for order in ((1, 4, 6), (1, 6, 4), (4, 1, 6), (4, 6, 1), (6, 1, 4), (6, 4, 1))
        if opening_is_legal(dict(zip(shape, order, strict=True)))
    }
    assert set(legal) == slow
    assert legal == sorted(legal)


def trominoes() -> set[tuple[Cell, ...]]:
    found = set()
    for first in beside(START):
        for second in {*beside(START), *beside(first)} - {START, first}:
            found.add(tuple(sorted({START, first, second})))
    return found


def opening_is_legal(laid: Tiles) -> bool:
    return slow_free({START: laid[START]}, True, {k: v for k, v in laid.items() if k != START})


def test_the_red_cell_gives_a_cross_if_the_opening_makes_any_ten_eleven_or_twelve() -> None:
    # The 10 lies on G7 and G8, and does not touch the red cell; G7 is light itself.
    state = played(chance("lots 6 2"), chance("draw 2 4", 0), move(0, "6@G7 4@G8 2@H8"))
    assert state.sheets[0] == Sheet((1,), (), (), 2)
    state = played(chance("lots 3 2"), chance("draw 2 4", 0), move(0, "4@G8 3@H8 2@I8"))
    assert state.sheets[0] == Sheet()


def test_the_opening_of_the_leaflet_scores_a_ten_an_eleven_and_a_cross_or_two() -> None:
    state = played(chance("lots 6 2"), chance("draw 5 5", 0), move(0, "5@G8 6@H8 5@H9"))
    assert state.sheets[0] == Sheet((), (4,), (), 1)  # two elevens in one box


# ------------------------------------------------------------------ rules 2 to 4


def test_tiles_reach_the_board_through_a_chain() -> None:
    state = on_board("5@H8 4@I8", (1, 1, 2))
    state.check(0, "1@H9 1@H10 2@H11")
    assert refused(state, "1@H10 2@H11") == ("2", "apart")
    assert refused(state, "2@D8 1@G8") == ("2", "apart")
    assert refused(state, "1@H8") == ("2", "occupied")
    state.check(0, "1@J8 1@J9")


def test_no_run_reaches_thirteen() -> None:
    state = on_board("5@H8 4@I8", (3, 4))
    state.check(0, "3@G8")
    assert refused(state, "4@G8") == ("3", "thirteen")
    # Crosswise, and a gap closed between two runs.
    state = on_board("5@H8 4@H9 5@H11 1@I8 1@I9 1@I10 1@I11", (1, 3))
    assert refused(state, "1@H10") == ("3", "thirteen")


def test_a_light_cell_wants_a_ten_eleven_or_twelve_at_the_end_of_the_turn() -> None:
    state = on_board("5@H8 3@H7", (2, 5, 6))
    assert refused(state, "6@G7") == ("4", "light")
    state.check(0, "6@G7 2@I7")  # 6 3 2: an 11 through both light cells
    # The order in which the tiles were laid is not asked.
    assert state.read(0, "2@i7 6@g7") == "6@G7 2@I7"
    assert refused(state, "2@G7 5@G8") == ("4", "light")  # the 10 is G8-H8; through G7 pass 5 and 7
    state.check(0, "2@I7 5@J7")  # 3 2 5


def test_a_tile_that_fits_no_dark_cell_may_lie_pale_and_unscored() -> None:
    # Alone, the 6 fits the dark I8. With the 2 on G8 there is no dark cell left for it: row 8 would be a 13,
    # and column H has no room.
    state = on_board("3@H7 5@H8", (2, 6))
    assert refused(state, "6@G7") == ("4", "light")
    state.check(0, "6@G7 2@G8")
    found = preview(state.view(0), "6@G7 2@G8").gain
    assert (found.runs, found.crosses) == ((), ())
    state.apply(move(0, "6@G7 2@G8"))
    assert state.sheets[0] == Sheet()


def test_a_dark_cell_counts_for_the_exception_even_where_the_other_tiles_would_come_loose() -> None:
    state = on_board("3@H7 5@H8 2@I8", (1, 6))
    state.check(0, "6@G7")  # no dark cell takes a 6 here
    # Taken up from G7, the 6 would fit G5, beside the 1; that the 1 hangs on G7 alone is not asked.
    assert refused(state, "1@G6 6@G7") == ("4", "light")
    assert refused(state, "6@G7 1@J8") == ("4", "light")  # J7 and J9, beside the 1


def grown(seed: int, count: int, values: tuple[int, ...], dark_only: bool = False) -> Tiles:
    """A connected board without a run of 13, grown at random, over light cells too or not at all."""
    chance_ = Generator(str(seed), "grown")
    layout = zatre.Layout.of(board_of({START: values[0]}))
    for _ in range(count):
        options = [
            (cell, tile)
            for cell in zatre.CELLS
            for tile in values
            if 0 < layout.reach[cell] % 32 <= 12 - tile and not (dark_only and cell in zatre.LIGHT)
        ]
        if not options:
            break
        layout.lay(*chance_.choice(options))
    return {(cell % 16 + 1, cell // 16 + 1): layout.tiles[cell] for cell in zatre.CELLS if layout.tiles[cell]}


# ------------------------------------------------------------------ rule 5


def test_kept_tiles_decide_the_next_draw() -> None:
    state = played(*OPENED)
    state.apply(chance("draw 2 3", 1))
    state.apply(move(1, "keep"))
    state.apply(chance("draw 1 1", 0))
    state.apply(move(0, "1@G8"))  # one kept
    assert (state.seat, state.chance_due()) == (1, False)  # two kept that fit: draw none …
    assert refused_for(state, 1, "keep") == ("5", "must_lay")  # … and lay at least one
    state.apply(move(1, "2@F8"))
    with pytest.raises(Impossible) as caught:
        state.apply(chance("draw 1 1", 0))
    assert caught.value.code == "draw_count"
    state.apply(chance("draw 4", 0))  # one kept: draw one
    assert state.hands[0] == (1, 4)


def refused_for(state: ZatreState, seat: int, text: str) -> tuple[str, str]:
    with pytest.raises(Illegal) as caught:
        state.check(seat, text)
    return caught.value.rule, caught.value.code


def test_two_kept_that_fit_nowhere_draw_one_and_may_be_kept_again() -> None:
    tiles = text_of(grown(3, 150, (6, 5)).items())
    state = on_board(tiles, (1, 2))
    assert not zatre.Layout.of(state.board).fits((6, 5))
    state.hands[1] = (5, 6)
    state.bag[5] -= 1
    state.bag[6] -= 1
    state.apply(move(0, "keep"))
    assert (state.seat, state.due) == (1, 1)
    state.apply(chance("draw 6", 1))
    state.check(1, "keep")


def test_an_empty_bag_gives_what_is_there() -> None:
    state = on_board("6@H8 4@I8", (1,), bag=1)
    state.apply(move(0, "keep"))
    assert state.due == 1  # two wanted, one there
    state.apply(chance("draw 1", 1))
    state.apply(move(1, "keep"))
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.winners, outcome.reason) == ((-1, -1), (0, 1), "bag empty")


def test_more_than_four_held_are_checked_and_never_listed() -> None:
    state = on_board("6@H8 4@I8", (1, 1, 2, 3, 4))
    assert not state.lists(0)
    assert not GAME.lists(state.view(0))
    with pytest.raises(ValueError, match="too many"):
        state.legal(0)
    with pytest.raises(ValueError, match="too many"):
        GAME.legal(state.view(0))
    state.check(0, "1@J8 1@J9 2@J10 3@J11 4@J12")
    assert refused(state, "4@J8") == ("3", "thirteen")
    for seed in range(15):
        text = state.random_move(0, Generator(str(seed), "move"))
        state.check(0, text)
    assert state.lists(1)
    assert state.legal(1) == []


# ------------------------------------------------------------------ rules 6 to 9


def test_every_run_with_a_new_tile_counts_once_and_old_ones_do_not() -> None:
    state = on_board("6@H8 4@I8 5@H9", (1, 2, 6))
    state.apply(move(0, "2@J8"))  # 6 4 2: a 12; the 11 of H8 and H9 is old
    assert state.sheets[0] == Sheet((), (), (4,), 0)


def test_equal_values_of_one_turn_share_a_box() -> None:
    state = on_board("1@G8 6@H8 5@G9", (5, 6))
    state.apply(move(0, "5@I8 6@H9"))
    # 1 6 5 across and 6 6 down are twelves, 5 6 across is an eleven.
    assert state.sheets[0] == Sheet((), (2,), (8,), 0)


def test_a_ten_made_into_a_twelve_counts_only_as_twelve() -> None:
    state = on_board("6@H8 1@H9", (2, 4))
    state.apply(move(0, "4@I8 2@J8"))
    assert state.sheets[0] == Sheet((), (), (4,), 0)


def test_each_light_cell_with_a_scoring_run_gives_a_cross() -> None:
    state = on_board("5@H8 3@H7", (2, 6))
    found = preview(state.view(0), "6@G7 2@I7")
    assert found.legal
    assert [zatre.NAMES[cell] for cell in found.gain.crosses] == ["G7", "I7"]
    assert [run.total for run in found.gain.runs] == [11]
    state.apply(move(0, "6@G7 2@I7"))
    assert state.sheets[0] == Sheet((), (2,), (), 2)


X = None
SAMPLE = [
    # cross, 10, 11, 12, total
    (1, 1, 2, 8, 28), (1, 1, 2, 4, 20), (1, 1, 2, 4, 20), (1, 2, 2, 8, 30), (1, 1, 4, 8, 34),
    (1, 1, 2, 8, 30), (1, 1, 2, 8, 30), (1, 1, 2, 4, 22), (1, 1, 4, 4, 28), (1, 1, 2, 4, 24),
    (0, 1, 2, 4, 12), (0, 1, 2, 4, 12),
    (1, 1, X, 4, 10), (0, 1, X, 4, 5), (0, X, X, 8, 8), (0, X, X, 8, 8), (0, X, X, 8, 8),
]  # fmt: skip


def test_the_sample_sheet_of_the_leaflet() -> None:
    rows = [
        Row(number, ten, eleven, twelve, bool(cross))
        for number, (cross, ten, eleven, twelve, _) in enumerate(SAMPLE, 1)
    ]
    assert [row.total for row in rows] == [total for *_, total in SAMPLE]
    assert sheet_total(rows) == 329
    assert sheet_total(rows, minus=5) == 324


def test_the_bonus_stays_at_six_from_row_thirteen_on() -> None:
    bonuses = [Row(number, 1, 2, 4, False).bonus for number in range(1, 19)]
    assert bonuses == [3] * 4 + [4] * 4 + [5] * 4 + [6] * 6
    assert Row(1, 1, None, 4, False).bonus == 0


def test_columns_fill_from_the_top_without_gaps() -> None:
    sheet = Sheet((1, 1), (2,), (4, 8, 4), 1)
    assert [(row.ten, row.eleven, row.twelve, row.cross, row.total) for row in sheet.rows()] == [
        (1, 2, 4, True, 20),
        (1, None, 8, False, 9),
        (None, None, 4, False, 4),
    ]
    assert sheet.total == 33
    assert Sheet().rows() == ()
    assert Sheet(crosses=2).total == 0


# ------------------------------------------------------------------ rule 10


def test_who_draws_the_last_tile_finishes_the_turn() -> None:
    state = on_board("6@H8 4@I8", (3,), bag=2)
    state.apply(move(0, "3@H9"))
    state.apply(chance("draw 1 1", 1))
    assert state.actors() == (1,)
    state.apply(move(1, "1@J8"))
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.to_json() == {"scores": [0, 1], "winners": [1], "reason": "bag empty"}  # 11: 2, less a 1
    with pytest.raises(Extra):
        state.apply(move(0, "keep"))
    with pytest.raises(NotYours) as caught:
        state.check(0, "keep")
    assert caught.value.code == "over"
    assert state.view(None).hands == ((), (1,))


def test_a_blocked_board_hands_out_the_bag_and_everything_counts_minus() -> None:
    tiles, turn = nearly_blocked()
    state = on_board(tiles, (int(turn[0]),))
    state.bag = [0, 2, 0, 1, 0, 0, 0]
    state.apply(move(0, turn))
    assert (state.stage, state.seat, state.chance_due(), state.actors()) == ("blocked", 1, True, ())
    with pytest.raises(Missing):
        state.apply(move(1, "keep"))
    with pytest.raises(Missing):
        state.apply(chance("draw 1", 0))
    with pytest.raises(Impossible):
        state.apply(chance("draw 1 1", 1))
    state.apply(chance("draw 1", 1))
    state.apply(chance("draw 3", 0))
    assert state.outcome() is None
    gained = state.sheets[0].total
    state.apply(chance("draw 1", 1))
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.scores == (gained - 3, -2)
    assert outcome.reason == "no tile fits"


def nearly_blocked() -> tuple[str, str]:
    """A board on which one last tile leaves no cell for a 1, and that turn."""
    for seed in range(200):
        chance_ = Generator(str(seed), "block")
        tiles: Tiles = {START: 6}
        while True:
            cells = sorted({other for cell in tiles for other in beside(cell)} - set(tiles))
            # Twelves on all sides close a board quickly.
            options = [
                (
                    sum(total == 12 for line, total in slow_runs({**tiles, cell: tile}) if cell in line),
                    cell,
                    tile,
                )
                for cell in cells
                for tile in range(1, 7)
                if slow_fits(tiles, cell, tile)
            ]
            if not options:
                break
            most = max(option[0] for option in options)
            last = chance_.choice([option for option in options if option[0] == most])
            before = dict(tiles)
            tiles[last[1]] = last[2]
        turn = f"{last[2]}@{name(last[1])}"
        if slow_free(before, True, {last[1]: last[2]}):
            return text_of(before.items()), turn
    raise AssertionError("no such board found")


# ------------------------------------------------------------------ options


def test_club_wants_every_tile_that_can_still_be_added() -> None:
    state = on_board("6@H8 4@I8", (1, 2), laying="club")
    assert refused(state, "keep") == ("5", "club")
    assert refused(state, "1@J8") == ("5", "club")
    state.check(0, "1@J8 2@H9")
    on_board("6@H8 4@I8", (1, 2)).check(0, "keep")


def test_the_opening_is_aside_from_club() -> None:
    state = played(chance("lots 6 2"), chance("draw 1 4", 0), laying="club")
    free = played(chance("lots 6 2"), chance("draw 1 4", 0))
    assert state.legal(0) == free.legal(0)


def test_partners_share_a_sheet_their_minus_and_the_win() -> None:
    events = (
        chance("lots 6 2 1 1"),
        chance("draw 1 4", 0),
        move(0, "4@G8 6@H8 1@I8"),
        chance("draw 2 3", 1),
        move(1, "keep"),
    )
    state = played(*events, players=4, partners=True)
    assert len(state.sheets) == 2
    assert state.view(2).scores == (4, 4, 0, 0)  # an 11 in a crossed row
    assert state.view(0).hands == ((), (2, 3), None, None)
    assert state.view(1).hands == ((), (2, 3), None, None)
    assert state.view(2).hands == (None, None, (), ())
    assert state.redact(events, 0) == list(events)
    assert [event.text for event in state.redact(events, 2) if event.kind == "chance"] == [
        "lots 6 2 1 1", "draw ? ?", "draw ? ?",
    ]  # fmt: skip
    state.bag = [0, 1, 0, 0, 0, 0, 0]
    state.due = 1
    state.apply(chance("draw 1", 2))
    state.apply(move(2, "keep"))
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.scores == (-1, -1, -1, -1)
    assert outcome.winners == (0, 1, 2, 3)


def test_partners_need_four_or_six() -> None:
    for players in (2, 3, 5):
        with pytest.raises(SetupError) as caught:
            GAME.start(players, {"partners": True})
        assert sayer("en")(caught.value.key, **caught.value.data)
    for players in (4, 6):
        assert len(GAME.start(players, {"partners": True}).sheets) == players // 2
    for players in (1, 7):
        with pytest.raises(SetupError):
            GAME.start(players, {})


# ------------------------------------------------------------------ what is hidden


def test_others_see_how_many_tiles_and_not_which() -> None:
    one = played(*OPENED, chance("draw 2 3", 1))
    other = played(*OPENED, chance("draw 5 6", 1))
    say = sayer("en")
    for seat in (0, None):
        assert one.view(seat) == other.view(seat)
        assert GAME.board_text(one.view(seat), ["Ada", "Ben"], say) == GAME.board_text(
            other.view(seat), ["Ada", "Ben"], say
        )
        assert one.view(seat).counts == (0, 2)
        assert one.view(seat).fresh == ()
    assert one.view(1).held == (2, 3)
    assert one.view(1).fresh == (2, 3)


def test_a_printed_position_leaks_nothing() -> None:
    """Two worlds that differ in what is hidden, at every moment: while tiles are held, laid in part, kept."""
    one, other = played(*OPENED), played(*OPENED)
    for state, tiles in ((one, "2 3"), (other, "3 6")):
        state.apply(chance(f"draw {tiles}", 1))
    assert str(one) == str(other)
    for state in (one, other):
        state.apply(move(1, "3@G8"))
        state.apply(chance("draw 1 1", 0))
        state.apply(move(0, "keep"))
    assert str(one) == str(other)
    assert "seat 1: 0 points, holds ?\n" in str(one)


# ------------------------------------------------------------------ printed

PRINTED = """\
   A B C D E F G H I J K L M N O
 1         . . #   # . .
 2   # . . . . . . . . . . . #
 3   . # . . . . . . . . . # .
 4   . . # . . . . . . . # . .
 5 . . . . # . . . . . # . . . .
 6 . . . . . # . . . # . . . . .
 7 # . . . . . # . # . . . . . #
 8   . . . . . 4 6 1 . . . . .
 9 # . . . . . # . # . . . . . #
10 . . . . . # . . . # . . . . .
11 . . . . # . . . . . # . . . .
12   . . # . . . . . . . # . .
13   . # . . . . . . . . . # .
14   # . . . . . . . . . . . #
15         . . #   # . .
zatre laying=free partners=False, 114 in the bag
turn of 1, who drew 2
2: 4@G8 6@H8 1@I8
0: keep
seat 0: 0 points, holds ? ?
seat 1: 0 points, holds ? ?
seat 2: 4 points, holds nothing
sheet 0:
sheet 1:
sheet 2: x - 2 - = 4"""


def test_a_position_is_printed_as_everybody_sees_it() -> None:
    state = played(chance("lots 5 2 5"), players=3, laying="club")
    assert str(state).splitlines()[8] == " 8   . . . . . . R . . . . . ."
    assert str(state).splitlines()[16:19] == [
        "zatre laying=club partners=False, 121 in the bag",
        "lots",
        "lots 5 2 5",
    ]
    state = played(
        chance("lots 5 2 5"),
        chance("lots 3 - 6"),
        chance("draw 1 4", 2),
        move(2, "4@G8 6@H8 1@I8"),
        chance("draw 2 3", 0),
        move(0, "keep"),
        chance("draw 5 5", 1),
        players=3,
    )
    assert str(state) == PRINTED
    assert str(on_board("6@H8 4@I8", (3,), must_lay=True)).splitlines()[17] == "turn of 0, who must lay"


def test_the_end_is_printed_with_what_was_held() -> None:
    state = on_board("6@H8 4@I8", (1,), bag=1)
    state.apply(move(0, "keep"))
    state.apply(chance("draw 1", 1))
    state.apply(move(1, "1@J8"))
    assert str(state).splitlines()[17:] == [
        "over: bag empty, won by 1",
        "0: keep",
        "1: 1@J8",
        "seat 0: -1 points, holds 1",
        "seat 1: 2 points, holds nothing",
        "sheet 0:",
        "sheet 1: - - 2 - = 2",
    ]


# ------------------------------------------------------------------ text


@pytest.mark.parametrize(
    "text",
    [
        "", "Keep", "keep ", " keep", "4@g8", "4@G08", "4@G8  6@H8", "6@H8 4@G8", "4@A1", "4@P8", "7@G8",
        "0@G8",
        "4@G8 5@G8", "٤@G8", "4@G16", "4G8", "4@G8,6@H8", "4@G8\n", "1@G8 " * 5000, "keep keep", "draw 1",
    ],
)  # fmt: skip
def test_what_is_no_canonical_turn_is_unreadable(text: str) -> None:
    state = played(*OPENED, chance("draw 2 3", 1))
    with pytest.raises(Unreadable):
        state.check(1, text)
    with pytest.raises(Unreadable):
        GAME.check(state.view(1), text)
    with pytest.raises(Unreadable):
        state.apply(move(1, text))


@pytest.mark.parametrize(
    "event",
    [
        chance("draw 3 2", 1), chance("draw 2  3", 1), chance("draw 02 3", 1), chance("draw 7 8", 1),
        chance("draw - 2", 1), chance("draw ? ?", 1), chance("draw", 1), chance("Draw 2 3", 1),
        chance("draw 2 3"),
        chance("draw 2 3", 2), chance("draw 2 3", -1), chance("lots 1 2", 0), chance("draw ٢ 3", 1),
        chance("draw 2 3\n", 1), chance("roll 3"), move(9, "keep"), Event("move", "keep"),
    ],
)  # fmt: skip
def test_what_is_no_event_of_this_game_is_unreadable(event: Event) -> None:
    with pytest.raises(Unreadable):
        played(*OPENED).apply(event)


def test_events_out_of_turn() -> None:
    state = played(*OPENED)
    with pytest.raises(Missing) as missing:
        state.apply(move(1, "keep"))
    assert missing.value.code == "chance"
    for event in (chance("draw 2 3", 0), chance("lots 1 2")):
        with pytest.raises(Missing) as missing:
            state.apply(event)
        assert missing.value.code == "other_chance"
    with pytest.raises(Impossible):
        state.apply(chance("draw 2 2 3", 1))
    with pytest.raises(NotYours):
        state.check(1, "keep")
    state.apply(chance("draw 2 3", 1))
    with pytest.raises(Extra):
        state.apply(chance("draw 2 3", 1))
    with pytest.raises(NotYours):
        state.apply(move(0, "keep"))
    with pytest.raises(NotYours):
        state.check(0, "keep")


def test_a_tile_that_is_not_in_the_bag() -> None:
    state = played(*OPENED)
    state.bag[2] = 1
    with pytest.raises(Impossible) as caught:
        state.apply(chance("draw 2 2", 1))
    assert caught.value.code == "bag"
    state.apply(chance("draw 2 3", 1))


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("keep", "keep"),
        ("  KEEP ", "keep"),
        ("6@h8 4@g8", "4@G8 6@H8"),
        ("4 @ g 8,6@h8", "4@G8 6@H8"),
        ("4g8; 6h8", "4@G8 6@H8"),
        ("1@A10 1@A9", "1@A9 1@A10"),
        ("4@G08", "4@G8"),
    ],
)
def test_typed_turns_are_forgiven(typed: str, text: str) -> None:
    assert started().read(0, typed) == text


@pytest.mark.parametrize(
    "typed", ["", "hello", "4@", "4@A1", "4@G8 6@G8", "4@G8 6", "4@G11@H2", "4@G123", "9" * 9999]
)
def test_typed_nonsense_is_unreadable(typed: str) -> None:
    with pytest.raises(Unreadable):
        started().read(0, typed)


def test_of_a_sheet_with_nothing_on_it_that_is_said() -> None:
    """Its line ended in a colon with nothing behind it."""
    for language, empty in (("en", "nothing written"), ("de", "nichts eingetragen")):
        lines = GAME.board_text(started().view(0), ["Ada", "Ben"], sayer(language)).splitlines()
        heads = [at for at, line in enumerate(lines) if re.match(r"(Sheet of|Zettel von) ", line)]
        assert [lines[at + 1] for at in heads] == [empty] * 2


def test_the_board_in_words() -> None:
    state = played(*OPENED, chance("draw 2 3", 1))
    text = GAME.board_text(state.view(1), ["Ada", "Ben"], sayer("en"))
    assert "Ben’s turn." in text
    assert "Row 9: H: 6." in text
    assert "Ben holds the tiles 2, 3." in text
    assert "Ada lays 5 on H8, 6 on H9, 1 on H10." in text
    assert "Sheet of Ada, 8 points:" in text
    assert "Row 1: twelves 4, doubled, makes 8" in text
    full = replace(state.view(1), sheets=(Sheet((1,), (2,), (4, 8, 4, 4, 4), 1), Sheet()))
    sheet = GAME.board_text(full, ["Ada", "Ben"], sayer("en")).partition("Sheet of Ada")[2]
    assert "Row 1: tens 1, elevens 2, twelves 4, bonus 3, doubled, makes 20\nRow 2: twelves 8" in sheet
    assert "Rows 3 to 5: twelves 4, each makes 4" in sheet
    german = GAME.board_text(state.view(None), ["Ada", "Ben"], sayer("de"))
    assert "Ben hat 2 Steine." in german
    assert "2, 3" not in german


def test_events_in_words() -> None:
    state = played(*OPENED)
    events = [*OPENED, chance("draw 2 3", 1), move(1, "keep")]
    say = sayer("en")
    assert [GAME.describe(event, ["Ada", "Ben"], say) for event in state.redact(events, 0)] == [
        "Lots for the first turn: Ada (5), Ben (2).",
        "Ada draws 1, 6.",
        "Ada lays 5 on H8, 6 on H9, 1 on H10.",
        "Ben draws 2 tiles.",
        "Ben lays nothing.",
    ]
    assert GAME.describe(chance("draw ?", 0), ["Ada", "Ben"], sayer("de")) == "Ada zieht 1 Stein."


def test_there_is_a_text_for_every_reason_and_the_rules() -> None:
    for language in ("en", "de"):
        say = sayer(language)
        for reason in GAME.reasons:
            assert say(f"zatre.reason.{reason.replace(' ', '_')}")
        for number in range(1, 6):
            assert len(say(f"zatre.rules.{number}")) <= 1500


# ------------------------------------------------------------------ against the slow reading

BOARDS = st.builds(
    grown,
    st.integers(0, 10**6),
    st.integers(0, 9),
    st.just((1, 2, 3, 4, 5, 6)),
)
CLOGGED = st.builds(
    grown,
    st.integers(0, 10**6),
    st.integers(60, 110),
    st.sampled_from([(3, 4, 5, 6), (2, 4, 6), (6, 5, 4)]),
)


def hands(most: int, least_tile: int = 1) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.integers(least_tile, 6), min_size=1, max_size=most).map(
        lambda tiles: tuple(sorted(tiles))
    )


def agree(old: Tiles, held: tuple[int, ...], must_lay: bool, club: bool) -> None:
    slow = slow_legal(old, held, must_lay, club)
    turn = Turn(board_of(old), held, must_lay, club)
    assert list_turns(turn) == sorted(map(text_of, slow))
    some = sorted(slow_sets(old, held), key=text_of)
    for laid in some[:: max(1, len(some) // 40)]:
        assert turn.legal(parse_placements(text_of(laid))) == (laid in slow)
    for laid in some[:: max(1, len(some) // 8)]:
        tiles = {**old, **dict(laid)}
        wanted = {
            (name(cell), tile)
            for full in slow
            if full > laid
            for cell, tile in full - laid
            if any(other in tiles for other in beside(cell))
        }
        found = turn.next_placements(parse_placements(text_of(laid)))
        assert {(zatre.NAMES[cell], tile) for cell, tile in found} == wanted


RELAXED = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@RELAXED
@given(BOARDS, hands(2), st.booleans(), st.booleans())
def test_turns_on_open_boards_are_those_of_the_page(
    old: Tiles, held: tuple[int, ...], must_lay: bool, club: bool
) -> None:
    agree(old, held, must_lay, club)


@RELAXED
@given(CLOGGED, hands(2, 4), st.booleans(), st.booleans())
def test_turns_on_clogged_boards_are_those_of_the_page(
    old: Tiles, held: tuple[int, ...], must_lay: bool, club: bool
) -> None:
    agree(old, held, must_lay, club)


@pytest.mark.parametrize("held", [(1, 2, 3), (2, 2, 6), (5, 5, 5)])
@pytest.mark.parametrize("club", [False, True])
def test_three_tiles_round_a_single_run_are_those_of_the_page(held: tuple[int, ...], club: bool) -> None:
    old = lying("6@H8 5@H9")
    assert list_turns(Turn(board_of(old), held, False, club)) == sorted(
        map(text_of, slow_legal(old, held, False, club))
    )


def test_the_exception_is_the_pages_where_dark_cells_run_out() -> None:
    """Boards on which a tile fits few dark cells, where the turn's other tiles decide."""
    met = 0
    for seed in range(12):
        old = grown(seed, 70 + 5 * seed, (5, 6), dark_only=True)
        for tile in (4, 5, 6):
            dark = sum(slow_fits(old, cell, tile) for cell in DARK)
            light = sum(slow_fits(old, cell, tile) for cell in PALE)
            if light and dark <= 3:
                met += 1
                agree(old, (tile,), False, bool(seed % 2))
                agree(old, (tile, 6), True, not seed % 2)
    assert met >= 5


def test_the_longest_list_met_in_a_game_is_the_pages() -> None:
    """Four different tiles held, and room for all of them: sampled, since the slow reading takes too long."""
    path = Path(__file__).parent / "zatre-6-longest.json"
    state = replay(read(path.read_text(encoding="utf-8")))
    assert isinstance(state, ZatreState)
    listed = state.legal(0)
    known = set(listed)
    assert len(listed) == len(known) == 10584
    assert listed == sorted(listed)
    old = {cell_of(zatre.NAMES[cell]): tile for cell, tile in enumerate(state.board) if tile}
    held, empty = state.hands[0], sorted(ALL - set(old))
    assert held == (1, 3, 4, 6)
    rng = random.Random("longest")
    refused_too = 0
    for text in rng.sample(listed, 60):
        laid = {cell_of(word[2:]): int(word[0]) for word in text.split(" ")}
        assert slow_free(old, True, laid)
        for cell in (*rng.sample(empty, 3), *(other for place in laid for other in beside(place))):
            if cell in laid or cell in old or cell not in ALL:
                continue
            moved = dict(laid)
            moved[cell] = moved.pop(rng.choice(list(laid)))
            legal = slow_free(old, True, moved)
            assert (text_of(moved.items()) in known) == legal
            refused_too += not legal
    assert refused_too > 100
    for some in ((1, 6), (3, 4)):
        assert list_turns(Turn(state.board, some, True, False)) == sorted(
            map(text_of, slow_legal(old, some, True, False))
        )


@pytest.mark.parametrize(("board", "held"), [("5@H8 6@H9", (1, 1, 4, 6)), ("6@H8 6@H9", (2, 6, 6))])
def test_lists_of_more_tiles_are_what_grows_from_one_check_to_the_next(
    board: str, held: tuple[int, ...]
) -> None:
    """Every turn is another one with a tile more; whether it is legal, `check` says without any list."""
    turn = Turn(board_of(lying(board)), held, True, False)
    grown_sets = sorted(map(text_of, slow_sets(lying(board), held) - {frozenset()}))
    assert list_turns(turn) == [text for text in grown_sets if turn.legal(parse_placements(text))]


# ------------------------------------------------------------------ counted trees


def count_turns(state: ZatreState, depth: int) -> int:
    """Sequences of `depth` turns, each followed by a draw of ones where a draw is due."""
    if depth == 0 or state.outcome():
        return 1
    total = 0
    for text in state.legal(state.seat):
        child = state.clone()
        child.apply(move(child.seat, text))
        if child.chance_due():
            child.apply(chance("draw" + " 1" * child.due, child.seat))
        total += count_turns(child, depth - 1)
    return total


def slow_count(old: Tiles, hands_: tuple[tuple[int, ...], ...], seat: int, drew: bool, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for laid in slow_legal(old, hands_[seat], not drew, False):
        tiles = {**old, **dict(laid)}
        mine = list(hands_[seat])
        for _, tile in laid:
            mine.remove(tile)
        after = list(hands_)
        after[seat] = tuple(mine)
        following = 1 - seat
        kept = after[following]
        cells = {other for cell in tiles for other in beside(cell)}
        can = any(slow_fits(tiles, cell, tile) for cell in cells for tile in kept)
        drawn = 2 - len(kept) if len(kept) < 2 else 0 if can else 1
        after[following] = tuple(sorted(kept + (1,) * drawn))
        total += slow_count(tiles, tuple(after), following, drawn > 0, depth - 1)
    return total


@pytest.mark.parametrize(
    ("tiles", "held", "depth"),
    [("6@H8", (6,), 2), ("6@H8 6@H9", (5,), 2), ("6@H8 6@G8", (6, 6), 1)],
)
def test_trees_count_as_in_the_slow_reading(tiles: str, held: tuple[int, ...], depth: int) -> None:
    state = on_board(tiles, held)
    slow = slow_count(lying(tiles), (held, ()), 0, True, depth)
    assert count_turns(state, depth) == slow


# ------------------------------------------------------------------ drafts


def cells_for(view: ZatreView, draft: str, tile: int) -> list[str]:
    """Where that tile may be laid next."""
    return [zatre.NAMES[cell] for cell, value in next_placements(view, draft) if value == tile]


def tiles_for(view: ZatreView, draft: str) -> set[int]:
    return {value for _, value in next_placements(view, draft)}


def test_a_draft_is_led_to_a_legal_turn() -> None:
    state = on_board("5@H8 3@H7", (2, 6))
    view = state.view(0)
    assert tiles_for(view, "") == {2, 6}
    # The 6 may go to the light cell G7 since the 2 can still make it an 11.
    assert "G7" in cells_for(view, "", 6)
    # F7 and I7 make an 11 through it; on G8 and I8 the 2 takes the 6 its last dark cell.
    assert cells_for(view, "6@G7", 2) == ["F7", "I7", "G8", "I8"]
    found = preview(view, "6@G7")
    assert found.fault is not None
    assert (found.fault.rule, found.rest) == ("4", (2,))
    found = preview(view, "2@F7 6@G7")
    assert found.legal
    assert (found.gain.ten, found.gain.eleven, found.gain.twelve, found.rest) == (0, 2, 0, ())
    # With a lone 6 there is no way to score on G7.
    assert "G7" not in cells_for(on_board("5@H8 3@H7", (6,)).view(0), "", 6)


def test_a_draft_of_the_opening_starts_on_the_red_cell() -> None:
    state = played(chance("lots 6 2"), chance("draw 1 4", 0))
    view = state.view(0)
    assert tiles_for(view, "") == {1, 4, 6}
    assert cells_for(view, "", 6) == ["H8"]
    assert cells_for(view, "6@H8", 4) == ["H7", "G8", "I8", "H9"]
    assert not preview(view, "6@H8").legal
    assert preview(view, "4@G8 6@H8 1@I8").legal


def test_drafts_that_cannot_stand_lead_nowhere() -> None:
    view = on_board("5@H8 3@H7", (2, 6)).view(0)
    for draft in ("2@H8", "3@G8", "2@D4", "6@G8 6@I8", "6@H9 2@H10"):
        assert next_placements(view, draft) == []
    assert next_placements(on_board("5@H8 3@H7", (2, 6)).view(1), "") == []
    with pytest.raises(Unreadable):
        next_placements(view, "2@h9")
    with pytest.raises(NotYours):
        preview(on_board("5@H8 3@H7", (2, 6)).view(1), "")


# ------------------------------------------------------------------ whole games


@pytest.mark.parametrize(
    ("players", "options"),
    swept_rows(
        [
            (2, {}),
            (3, {"laying": "club"}),
            (4, {"partners": True}),
            (6, {"partners": True, "laying": "club"}),
        ],
        daily=2,
    ),
)
def test_a_random_game_replays_and_survives_json_at_every_step(
    players: int, options: dict[str, object]
) -> None:
    state = GAME.start(players, options)
    twin = GAME.start(players, options)
    moves = Generator("moves", "zatre")
    count = 0
    while state.outcome() is None:
        if state.chance_due():
            event = state.draw(Generator("chance", f"event:{count}"))
        else:
            seat = state.actors()[0]
            if count % 7 == 0:
                event = move(seat, state.stand_in(seat))
                state.check(seat, event.text)
                assert state.read(seat, event.text.lower()) == event.text
                assert GAME.legal(state.view(seat)) == state.legal(seat) if state.lists(seat) else True
            else:
                event = move(seat, state.random_move(seat, moves))
        state.apply(event)
        twin.apply(event)
        count += 1
        data = json.loads(json.dumps(state.to_json()))
        assert GAME.load(data).to_json() == state.to_json() == twin.to_json()
        assert state.faults() == []
        kept, anew = layout_of(state.board), zatre.Layout.of(state.board)
        assert (kept.tiles, kept.reach) == (anew.tiles, anew.reach)
    assert twin.outcome() == state.outcome()


@pytest.mark.parametrize(
    ("players", "options"),
    [(2, {"laying": "club"}), (3, {}), (6, {"partners": True})],
)
def test_a_choice_is_the_same_from_the_position_and_from_the_view(
    players: int, options: dict[str, object]
) -> None:
    met: set[tuple[bool, bool]] = set()
    for seed in range(4):
        state = GAME.start(players, options)
        dice = Generator(str(seed), "choice")
        while state.outcome() is None:
            for seat in state.actors():
                choice = state.choice(seat)
                assert choice == GAME.choice(state.view(seat))
                assert state.lists(seat) == GAME.lists(state.view(seat))
                met.add((choice.opening, choice.must_lay))
            state.apply(
                state.draw(dice)
                if state.chance_due()
                else move(state.seat, state.random_move(state.seat, dice))
            )
    assert met == {(True, False), (False, False), (False, True)}


def test_a_clone_goes_its_own_way() -> None:
    state = played(*OPENED, chance("draw 2 3", 1))
    before = json.dumps(state.to_json())
    twin = state.clone()
    twin.apply(move(1, "2@G8"))
    twin.apply(chance("draw 1 1", 0))
    assert json.dumps(state.to_json()) == before


def damaged(**changes: object) -> list[str]:
    state = played(*OPENED, chance("draw 2 3", 1))
    for field, value in changes.items():
        setattr(state, field, value)
    return state.faults()


def test_damaged_positions_are_found() -> None:
    assert damaged() == []
    board = bytearray(played(*OPENED).board)
    board[0] = 1
    assert any("no cell" in fault for fault in damaged(board=bytes(board)))
    assert any("hang together" in fault for fault in damaged(board=bytes(board)))
    board = bytearray(played(*OPENED).board)
    board[zatre.INDEX["H11"]] = 6
    assert any("13 or more in column 8" in fault for fault in damaged(board=bytes(board)))
    board[zatre.RED] = 0
    assert any("red cell" in fault for fault in damaged(board=bytes(board)))
    assert any("of value 1" in fault for fault in damaged(hands=[(1,), (2, 3)]))
    assert any("not sorted" in fault for fault in damaged(hands=[(), (3, 2)]))
    assert any("number of sheets" in fault for fault in damaged(sheets=[Sheet()]))
    assert any("multiple of 4" in fault for fault in damaged(sheets=[Sheet((), (), (6,)), Sheet()]))
    assert any("crosses" in fault for fault in damaged(sheets=[Sheet(crosses=2), Sheet()]))
    assert any("does not exist" in fault for fault in damaged(seat=2))
    assert any("to draw" in fault for fault in damaged(due=1))
    assert any("not held" in fault for fault in damaged(drawn=(6,)))
    assert any("over" in fault for fault in damaged(stage="over", drawn=(), reason="bag empty"))
    assert any("before the end" in fault for fault in damaged(reason="bag empty"))
    assert any("blocked" in fault for fault in damaged(stage="blocked", drawn=(), due=1))
    assert any("lots" in fault for fault in damaged(stage="lots", drawn=()))
    assert any("nobody's" in fault for fault in damaged(contenders=(0, 1)))
    assert any("one round" in fault for fault in damaged(last=((0, "keep"),) * 3))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema", 2), ("players", 9), ("players", "2"), ("options", {"x": 1}), ("board", ["."]),
        ("board", None), ("board", ["1" + "." * 14] + ["." * 15] * 14), ("bag", [1, 2]),
        ("bag", [-1, 0, 0, 0, 0, 0]),
        ("hands", [[1]]), ("hands", [[7], []]), ("hands", [[True], []]), ("sheets", []), ("sheets", [{}, {}]),
        ("stage", "nap"), ("seat", 2), ("seat", None), ("contenders", []), ("lots", [[1]]), ("due", 3),
        ("lots", ""), ("last", {}),
        ("drawn", "12"), ("last", [[0, "nonsense"]]), ("last", [[0]]), ("reason", "bored"),
    ],
)  # fmt: skip
def test_garbage_is_not_loaded(field: str, value: object) -> None:
    data = played(*OPENED).to_json()
    data[field] = value  # type: ignore[assignment]
    with pytest.raises(ValueError):
        GAME.load(data)
    del data[field]
    with pytest.raises(ValueError):
        GAME.load(data)


def test_light_cells_and_map_in_the_rules_page() -> None:
    page = Path(__file__).parents[2] / "docs" / "rules" / "zatre.md"
    light = set()
    for line in page.read_text("utf-8").splitlines():
        head, body = line[:6], line[7:]
        if head.strip().isdigit() and line.startswith("    "):
            row = int(head)
            light |= {(place // 2 + 1, row) for place, kind in enumerate(body) if kind in "#R"}
    assert light == PALE
