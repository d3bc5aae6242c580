"""What the pages say in figures holds on the slow engines; and rare ends that chance would hardly bring."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.second_engines import common, fivetotwelve, top12, topspot
from tests.sweeps import swept

MAKERS = {topspot.GAME: topspot.make}


# --------------------------------------------------------------------------- Top 12


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ("8 - 3 1 3 / - 10 - 6 - / 27 11 17 15 - / - 21 - 20 35", "ABCE"),  # Edgar
        ("8 - 3 1 3 / 10 11 17 6 15 / - 21 20 - 35 / 27 30 - - 38", "BD"),  # Sara
        ("8 11 3 1 3 / 15 - 17 6 10 / - 21 - 20 - / 27 - 30 - -", ""),  # Tom
    ],
)
def test_nine_with_a_joker_fits_where_the_leaflet_says(rows: str, columns: str) -> None:
    lines = [row.split() for row in rows.split("/")]
    blocked: list[int | None] = [*range(93, 101)]  # the leaflet does not show the rows below the fourth
    sheet: top12.Sheet = {
        letter: [None if line[place] == "-" else int(line[place]) for line in lines] + blocked
        for place, letter in enumerate(top12.COLUMNS)
    }
    assert {cell[0] for cell in top12.possible_cells(sheet, top12.COLUMNS, 9)} == set(columns)


@pytest.mark.parametrize(
    ("numbers", "dead"),
    [
        ({12: 10}, True),  # nine numbers for eleven cells
        ({10: 10}, False),
        ({11: 10}, True),
        ({1: 89}, False),  # 90 to 100
        ({1: 90}, True),
        ({3: 20, 5: 21}, True),
        ({3: 20, 5: 22}, False),
        ({3: 20, 4: 21}, False),
        ({}, False),
        ({row: row for row in range(1, 13)}, False),
    ],
)
def test_a_column_is_dead_when_a_run_cannot_be_filled(numbers: dict[int, int], dead: bool) -> None:
    assert top12.is_dead([numbers.get(row) for row in top12.ROWS]) is dead


# --------------------------------------------------------------------------- 5 vor 12


def test_thirteen_replaces_twelve_or_fifteen_and_goes_to_no_wrong_side_of_them() -> None:
    cells = fivetotwelve.cells_for({"B2": 12, "C2": 15}, 13)
    assert cells == ["A1", "A3", "A4", "B2", "B3", "B4", "C1", "C2", "D1", "D3", "D4"]


def test_equal_numbers_share_no_row_or_column_but_may_be_exchanged() -> None:
    cells = fivetotwelve.cells_for({"B2": 13}, 13)
    assert cells == ["A1", "A3", "A4", "B2", "C1", "C3", "C4", "D1", "D3", "D4"]


def test_a_neighbour_is_lower_left_or_upper_right() -> None:
    board = {"B3": 7, "C2": 7, "A1": 7, "D1": 8}
    assert [cell for cell in board if fivetotwelve.equal_neighbour(board, cell)] == ["B3", "C2"]


# --------------------------------------------------------------------------- Top Spot

CORNERS = {"A": (1, 8), "B": (1, 7), "C": (2, 8), "D": (2, 7), "E": (2, 6), "F": (3, 7)}
CORNERS |= {"G": (3, 6), "H": (3, 6), "I": (4, 7), "J": (4, 6), "K": (5, 7), "L": (5, 5)}
ONE_SET = ["R" + letter for letter in CORNERS]


def test_the_cards_are_those_the_page_describes() -> None:
    for letter, (spots, both) in CORNERS.items():
        assert topspot.value(("R" + letter,)) == topspot.GRIDS[letter].count("@") == spots
        assert topspot.GRIDS[letter].count("@") + topspot.GRIDS[letter].count("O") == both
        best = max(topspot.value(stack) for stack in topspot.legal_stacks(ONE_SET) if stack[0][1] == letter)
        assert best == both
    assert max(topspot.value(stack) for stack in topspot.legal_stacks(ONE_SET, ("*",))) == 6
    assert sum(topspot.every_card_matters(pair) for pair in permutations(ONE_SET, 2)) == 72


@pytest.mark.parametrize("start", [(), ("*",)])
@pytest.mark.parametrize("seed", swept(range(6), daily=2))
def test_stacks_grown_card_by_card_are_all_stacks(start: topspot.Stack, seed: int) -> None:
    hand = random.Random(seed).sample(ONE_SET, 6)
    every = {
        start + cards
        for count in range(1, 7)
        for cards in permutations(hand, count)
        if topspot.every_card_matters(start + cards)
    }
    assert set(topspot.legal_stacks(hand, start)) == every


# Rule 11 in a game's very first round: the tied run out together, nobody has won before.
LEADER_HAS_CARDS = (
    "dealer 2",
    "0: deal GA GB GC GD GE GF GG GH GI GJ GK GL *",
    "1: deal RA RB RD RH RK YB YE YF YG YH YI YL *",
    "2: deal RC RE RF RG RI RJ RL YA YC YD YJ YK *",
    "0: GK",
    "1: *+RA+YE+YG+YH+YL",
    "2: *+YA+RE+RG+YJ",
    "1: RB+RH+RD",
    "2: RC+RJ+RL",
    "1: YB+YI",
    "2: YK",
    "1: YF",
    "2: YD+YC",
    "1: RK",
    "2: RF+RI",
    "0: *+GA+GE+GG+GH+GD:G",
)
ANOTHER_HAS_CARDS = (
    "dealer 2",
    "0: deal RD RG RI RJ YA YC YE YG YH YI YJ YL *",
    "1: deal RA RB RC RE RF RH RK RL YB YD YF YK *",
    "2: deal GA GB GC GD GE GF GG GH GI GJ GK GL *",
    "0: *+YA+YE+YG+YH+RD:R",
    "1: RB+RC+RH+RF",
    "2: *+GA+GD+GG",
    "0: YC+YJ+YL",
    "1: YD+YK",
    "0: RG+RI",
    "1: RA+RE+RL",
    "0: RJ",
    "1: *+RK",
    "0: YI",
    "1: YF+YB",
    "2: GB+GC+GH+GF+GJ",
)
SECOND_NEXT_HAS_CARDS = (
    "dealer 1",
    "0: deal GA GB GC RB RC RD RF RG YD YG YH YL *",
    "1: deal GE GH GI GJ GK GL RI RJ RK RL YB YJ YK",
    "2: deal GD GF GG RA RE RH YA YC YE YF YI * *",
    "2: *+YA+YE+GG+RH+GD:R",
    "0: RF+RB+RC+RD",
    "1: RK",
    "2: *+RA+RE+YF:Y",
    "0: *+GA+RG+YD",
    "2: YC+YI",
    "0: YG+YH+YL",
    "2: GF",
    "0: GB+GC",
    "1: GH+GI+GK",
)


def _record(options: dict[str, Any], lines: tuple[str, ...]) -> dict[str, Any]:
    """A game of three so far, with the slow engine's legal lists."""
    events: list[dict[str, Any]] = []
    record = {"format": "parlour/1", "game": "topspot", "options": options, "players": 3, "events": events}
    record["outcome"] = None
    for count, line in enumerate(lines):
        seat, colon, text = line.partition(": ")
        if not colon:
            events.append({"chance": line})
        elif text.startswith("deal "):
            events.append({"chance": text, "player": int(seat)})
        else:
            legal = common.legal_after(record, count, MAKERS)
            events.append({"player": int(seat), "move": text, "legal": legal[int(seat)]})
    return record


@pytest.mark.parametrize(
    ("options", "lines", "points"),
    [
        ({"level": "expert", "joker_each": True}, LEADER_HAS_CARDS, [1 + 6, 0, 0]),
        ({"level": "expert"}, ANOTHER_HAS_CARDS, [0, 0, 1 + 4]),
        ({"level": "expert"}, SECOND_NEXT_HAS_CARDS, [0, 1 + 9, 0]),
    ],
    ids=["leader", "another", "second-next"],
)
def test_after_a_first_tie_that_nobody_wins_the_first_from_its_leader_on_who_has_cards_leads_alone(
    options: dict[str, Any], lines: tuple[str, ...], points: list[int], tmp_path: Path
) -> None:
    record = _record(options, lines)
    game = topspot.make(3, options)
    for event in record["events"]:
        if "move" in event:
            game.move(event["player"], event["move"])
        else:
            game.chance(event["chance"], event.get("player"))
    assert (game.points, game.played) == (points, 1)
    chooser = random.Random(0)
    while game.due() != "over":  # to the match's end, so that the first engine's points are compared too
        if game.due() == "chance":
            event = game.roll(chooser)
            game.chance(event["chance"], event.get("player"))
        else:
            (seat,) = game.actors()
            event = {"player": seat, "move": game.pick(seat, chooser)}
            game.move(seat, event["move"])
        record["events"].append(event)
    record["outcome"] = game.outcome()
    assert common.verify([record], tmp_path) == ["ok"]
