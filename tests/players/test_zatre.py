"""The computer player of Zatre: always legal, quick, from the view alone, and better than chance; its board
of small integers is held to the rules."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice
from math import fsum
from operator import ge
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.levels import Level
from bot.players import choose as chosen
from bot.players.contract import Candidate, Term
from bot.players.zatre import CLOSELY, PLAYER, TURNS, figures, judge, learn
from bot.players.zatre.grid import BARE, KIND, NO_FIT, grid_of, parts
from bot.players.zatre.judge import Judge
from bot.players.zatre.playout import ALIKE, OF_MORE, OF_TWO, Book, World, ZatreTrial, tempo, to_the_end
from bot.players.zatre.quick import Slots, best_single, expected, pair_odds, quick_turn
from bot.players.zatre.reasons import terms
from bot.players.zatre.sheets import Figures, Wants, counts_of, rows_of, worth, written
from bot.players.zatre.turns import turns
from bot.rules.chance import Generator
from bot.rules.game import Event
from bot.rules.zatre import (
    CELLS,
    EMPTY,
    GAME,
    INDEX,
    KEEP,
    TILES,
    VALUES,
    Layout,
    Sheet,
    ZatreState,
    ZatreView,
    gain,
    next_placements,
    parse_placements,
    placements_text,
    with_tiles,
)
from bot.rules.zatre.board import COLUMNS
from bot.rules.zatre.completion import MOST_TRIED_IN_ALL, Completion
from bot.rules.zatre.layout import FITS, GOOD
from tests.sweeps import swept, swept_rows

from .spread import spread_evenly


def choose(view: ZatreView, chance: Generator, level: Level = Level.MEDIUM) -> str:
    return chosen("zatre", view, chance, level)


def finished(seed: str, players: int, minds: set[int], **options: object) -> ZatreState:
    """A whole game; seats outside `minds` move at random. Every move is checked by being applied."""
    state = GAME.start(players, options)
    chance, random, mind = (Generator(seed, stream) for stream in ("chance", "random", "mind"))
    while state.outcome() is None:
        if state.chance_due():
            state.apply(state.draw(chance))
            continue
        (seat,) = state.actors()
        text = choose(state.view(seat), mind) if seat in minds else state.random_move(seat, random)
        state.apply(Event("move", text, seat))
    return state


def holding(
    held: tuple[int, ...], tiles: str, *, drew: bool = True, players: int = 2, **options: object
) -> ZatreState:
    state = GAME.start(players, options)
    board = bytearray(256)
    for word in tiles.split():
        board[INDEX[word[2:]]] = int(word[0])
    state.board = bytes(board)
    state.hands[0] = held
    state.bag = [0] + [TILES[v] - state.board.count(v) - held.count(v) for v in range(1, 7)]
    state.stage, state.contenders = "turn", (0,)
    state.drawn = held[:1] if drew else ()
    assert state.faults() == []
    return state


def test_it_wins_against_random_players() -> None:
    games = 4
    won = 0
    for number in range(games):
        seat = number % 2
        outcome = finished(f"duel {number}", 2, {seat}).outcome()
        assert outcome is not None
        won += outcome.winners == (seat,)
    assert won == games


@pytest.mark.parametrize(
    ("players", "options"), swept_rows([(3, {"laying": "club"}), (4, {"partners": True}), (6, {})])
)
def test_it_plays_every_kind_of_table_to_the_end(players: int, options: dict[str, object]) -> None:
    state = finished("tables", players, set(range(players)), **options)
    assert state.outcome() is not None
    assert state.faults() == []


def test_it_takes_a_twelve_with_a_cross_over_a_ten() -> None:
    # 1@G7 makes a 12 in row 7, on a light cell; with the 2 it could have a 10 in column H instead.
    state = holding((1, 2), "6@H7 5@I7 2@H8")
    text = choose(state.view(0), Generator("a", "b"))
    assert "1@G7" in text or "1@J7" in text
    state.check(0, text)


@pytest.mark.parametrize("options", [{}, {"laying": "club"}])
def test_it_finds_a_legal_turn_with_more_tiles_than_can_be_listed(options: dict[str, Any]) -> None:
    for drew in (True, False):
        state = holding((1, 1, 2, 3, 4, 5), "6@H8 4@I8 1@H9 5@I9", drew=drew, **options)
        started = time.thread_time()
        text = choose(state.view(0), Generator("a", "b"))
        assert time.thread_time() - started < 2
        state.check(0, text)
        assert text != "keep"


def late(seed: str, held: int, values: tuple[int, ...], **options: object) -> ZatreState:
    """A late board with many open cells, and whoever is on turn holding so many tiles of these values."""
    state = GAME.start(4, options)
    chance = Generator(seed, "late")
    while sum(state.bag) > 34 or not state.actors():
        if state.chance_due():
            state.apply(state.draw(chance))
            continue
        (seat,) = state.actors()
        move = state.stand_in(seat) if chance.below(10) < 3 else state.random_move(seat, chance)
        state.apply(Event("move", move, seat))
    (seat,) = state.actors()
    hand = list(state.hands[seat])
    pool = [value for value in values for _ in range(state.bag[value])]
    for value in chance.sample(pool, min(len(pool), held - len(hand))):
        state.bag[value] -= 1
        hand.append(value)
    state.hands[seat] = tuple(sorted(hand))
    assert state.faults() == []
    return state


@pytest.mark.parametrize("options", [{}, {"laying": "club"}, {"partners": True}], ids=str)
@pytest.mark.parametrize("values", swept([(1, 2, 3, 4, 5, 6), (1, 2, 3), (4, 5, 6)]), ids=str)
def test_its_work_is_bounded_however_many_tiles_it_holds(
    options: dict[str, object], values: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With fourteen tiles held it did not come to an end: what may be laid next was searched for."""
    asked = 0
    given = Judge.given

    def counted(self: Judge, laid: Any) -> float:
        nonlocal asked
        asked += 1
        return given(self, laid)

    monkeypatch.setattr(Judge, "given", counted)
    state = late("a", 14, values, **options)
    (seat,) = state.actors()
    started = time.thread_time()
    move = choose(state.view(seat), Generator("a", "b"))
    assert time.thread_time() - started < 2
    state.check(seat, move)
    assert asked <= judge.MOST_LOOKED
    assert move != "keep"


@pytest.mark.parametrize("seed", swept(["a", "b", "c"]))
def test_a_menu_for_many_tiles_is_bounded_too(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = late(seed, 14, (1, 2, 3, 4, 5, 6))
    (seat,) = state.actors()
    searches: list[Any] = []
    begin = Completion.__init__

    def counted(search: Any, board: bytes) -> None:
        begin(search, board)
        searches.append(search)

    monkeypatch.setattr(Completion, "__init__", counted)
    view = state.view(seat)
    first = next_placements(view, "")
    for cell, value in [*first[::9], *first[-1:]]:
        next_placements(view, placements_text([(cell, value)]))
    assert first and searches
    assert max(search.tried for search in searches) <= MOST_TRIED_IN_ALL


def test_a_turn_among_many_tiles_at_random_is_legal() -> None:
    for seed in range(3):
        state = late("a", 12, (1, 2, 3, 4, 5, 6))
        (seat,) = state.actors()
        state.check(seat, state.random_move(seat, Generator(str(seed), "x")))


def test_it_keeps_nothing_that_could_be_laid_when_the_bag_is_empty() -> None:
    state = holding((5, 6), "1@H8 1@H9 1@H10")
    state.bag = [0] * 7
    assert choose(state.view(0), Generator("a", "b")).count("@") == 2


def test_it_knows_nothing_but_its_view() -> None:
    """Other tiles in the other hand and the bag: the same turn."""
    one = holding((2, 3), "6@H8 4@I8")
    two = one.clone()
    one.hands[1], two.hands[1] = (5,), (1,)
    one.bag[5] -= 1
    two.bag[1] -= 1
    assert one.view(0) == two.view(0)
    assert choose(one.view(0), Generator("a", "b")) == choose(two.view(0), Generator("a", "b"))


def wants(bag: int = 60, sheet: Sheet | None = None, sheets: int = 2) -> Wants:
    sheet = sheet or Sheet()
    return Wants(rows_of(sheet), counts_of(sheet), bag, sheets)


def test_what_one_tile_can_score() -> None:
    board = bytearray(256)
    board[INDEX["H8"]], board[INDEX["H7"]] = 5, 5
    grid = grid_of(bytes(board))
    asked = wants(sheet=Sheet(elevens=(2, 2)))
    assert best_single(grid, asked, 1)[0] > 0  # an 11 at either end of the column
    assert best_single(grid, asked, 2)[0] > best_single(grid, asked, 1)[0]
    assert best_single(grid, asked, 3)[0] == 0


def test_what_a_sheet_lacks_is_worth_more() -> None:
    """An 11 that fills a row, or will, before one that stands by itself."""
    lacking, ahead = (Sheet((1,) * 4, (2,) * count, (4,) * 4, 3) for count in (3, 6))
    assert wants(sheet=lacking).of(8) > wants(sheet=ahead).of(8) + 2
    assert wants(sheet=lacking).of(512) > 5


# --------------------------------------------------------------------------- held to the rules


def positions(seed: str, players: int, every: int = 3, **options: object) -> list[ZatreState]:
    """Positions of one game, after the opening, half played well and half at random."""
    state = GAME.start(players, options)
    chance = Generator(seed, "positions")
    found = []
    while state.outcome() is None:
        if state.chance_due():
            state.apply(state.draw(chance))
            continue
        (seat,) = state.actors()
        if state.board != EMPTY and chance.below(every) == 0:
            found.append(state.clone())
        move = state.stand_in(seat) if chance.below(4) else state.random_move(seat, chance)
        state.apply(Event("move", move, seat))
    return found


def rules_gain(board: bytes, laid: Any) -> tuple[int, int, int, int]:
    found = gain(with_tiles(board, laid), [cell for cell, _ in laid])
    return found.ten, found.eleven // 2, found.twelve // 4, len(found.crosses)


@pytest.mark.parametrize("seed", ["a", "b"])
def test_kinds_say_what_the_rules_say(seed: str) -> None:
    for state in positions(seed, 2):
        grid, layout = grid_of(state.board), Layout.of(state.board)
        for value in VALUES:
            kinds = grid.code.translate(KIND[value])
            fits, good = layout.reach.translate(FITS[value]), layout.reach.translate(GOOD[value])
            for cell in CELLS:
                assert (kinds[cell] != NO_FIT) == bool(fits[cell])
                assert not fits[cell] or (kinds[cell] == BARE) != bool(good[cell])


@pytest.mark.parametrize("seed", ["a", "b"])
def test_tiles_laid_in_another_order_make_the_same_board(seed: str) -> None:
    for state in islice(positions(seed, 2), 12):
        laid = [(cell, state.board[cell]) for cell in CELLS if state.board[cell]]
        one = grid_of(state.board)
        two = grid_of(EMPTY)
        Random(seed).shuffle(laid)
        for cell, value in laid:
            two.lay(cell, value)
        assert one[:4] == two[:4]
        for spans, lower in ((4, 6), (5, 7)):
            ends = [(cell, one[lower][cell]) for cell in CELLS if one[spans][cell] < 100]
            assert ends == [(cell, two[lower][cell]) for cell in CELLS if two[spans][cell] < 100]
            assert [one[spans][cell] for cell, _ in ends] == [two[spans][cell] for cell, _ in ends]


@pytest.mark.parametrize("players", [2, 3])
def test_turns_are_the_legal_ones_but_for_rule_4s_exception(players: int) -> None:
    looked = 0
    for state in positions("turns", players):
        (seat,) = state.actors()
        held = state.hands[seat]
        if not held or len(held) > 3:
            continue
        found = turns(grid_of(state.board), held, lambda laid, gain: gain)
        legal = set(state.legal(seat)) - {KEEP}
        texts = {placements_text(laid) for laid in found}
        assert texts <= legal
        if len(held) < 3:
            assert len(legal - texts) <= len(legal) // 10
        for laid, gained in islice(found.items(), 0, None, 17):
            assert parts(gained) == rules_gain(state.board, laid)
        looked += 1
    assert looked > 10


def test_what_a_board_gives_counts_for_all_of_four_seats() -> None:
    """For whoever is next most; and each of the others alike as long as each may come to win."""
    looked = 0
    for state in positions("all", 4, 5):
        (seat,) = state.actors()
        view = state.view(seat)
        few = PLAYER.candidates(view)[:3]
        if to_the_end(view) or any(view.counts[other] for other in range(4) if other != seat):
            continue
        trial = PLAYER.trial(view, few)
        assert isinstance(trial, ZatreTrial)
        for one, worth_ in zip(few, trial.at_once(), strict=True):
            after = state.clone()
            after.apply(Event("move", one.move, seat))
            grid, unseen, left = grid_of(after.board), Judge(view).unseen, view.bag
            sheets = [worth(rows_of(sheet), counts_of(sheet), left, 4) for sheet in after.sheets]
            for place, share in enumerate(OF_MORE[:4]):
                of = (seat + 1 + place) % 4
                odds = pair_odds(unseen, after.hands[of])
                sheets[of] += share * expected(grid, Slots(grid), wants(left, after.sheets[of], 4), odds)
            own = sheets.pop(seat)
            alike = min(1.0, left / ALIKE)
            assert worth_ == pytest.approx(
                own - (1 - alike) * max(sheets) - alike * fsum(sheets) / 3, abs=1.0
            )
            looked += 1
    assert looked > 10


@pytest.mark.parametrize("seed", ["a", "b"])
def test_the_quick_turn_of_two_tiles_is_the_best_there_is(seed: str) -> None:
    looked = 0
    for state in positions(seed, 2):
        (seat,) = state.actors()
        held = list(state.hands[seat])
        if len(held) != 2:
            continue
        asked = wants(sum(state.bag), state.sheets[seat])
        found = turns(grid_of(state.board), held, lambda laid, gain: gain)
        best = max([0.0, *(asked.of(gained) for gained in found.values())])
        assert asked.of(quick_turn(grid_of(state.board), asked, held)) == pytest.approx(best)
        looked += 1
    assert looked > 5


def test_at_the_end_a_sheet_is_worth_its_total() -> None:
    for state in [*positions("sheets", 2)[-3:], *positions("sheets", 4)[-3:]]:
        for sheet in state.sheets:
            assert worth(rows_of(sheet), counts_of(sheet), 0, len(state.sheets)) == sheet.total


def test_a_gain_is_written_as_the_rules_write_it() -> None:
    sheet = Sheet(tens=(1,), elevens=(2, 2), twelves=(8,), crosses=2)
    rows = rows_of(sheet)
    counts = written(rows, counts_of(sheet), 2 * 1 + 1 * 64 + 512)
    after = replace(sheet, tens=(1, 2), twelves=(8, 4), crosses=3)
    assert (rows, counts) == (rows_of(after), counts_of(after))


@pytest.mark.parametrize(("players", "hidden_hands"), [(2, 0), (3, 1)])
def test_worlds_are_dealt_evenly(players: int, hidden_hands: int) -> None:
    """Into the hands, and in the order in which the bag is drawn from."""
    for state in positions("even", players, 4):
        (seat,) = state.actors()
        view = state.view(seat)
        held = [other for other in range(players) if view.hands[other] is None and view.counts[other]]
        if len(held) == hidden_hands:
            break
    hidden = Counter({value: TILES[value] for value in VALUES})
    hidden -= Counter(chain(view.board, *filter(None, view.hands)))
    trial, chance = PLAYER.trial(view, PLAYER.candidates(view)[:2]), Random(players)
    assert isinstance(trial, ZatreTrial)
    dealt = []
    for _ in range(600):
        hands, bag = trial.deal(chance)
        dealt.append([*(hands[other] for other in held), bag[:-4], bag[-4:-2], bag[-2:-1], bag[-1:]])
    spread_evenly(hidden, dealt)


def replayed(state: ZatreState, world: World, before: list[int], tiles: bytes) -> None:
    """One turn of a world, applied to the position it began with, through the rules."""
    seat = (world.seat - 1) % state.players
    if state.stage == "draw":
        drawn = before[len(before) - state.due :]
        state.apply(Event("chance", "draw " + " ".join(map(str, sorted(drawn))), seat))
    laid = [(cell, world.grid.tiles[cell]) for cell in CELLS if world.grid.tiles[cell] != tiles[cell]]
    state.apply(Event("move", placements_text(laid), seat))
    while state.stage == "blocked":
        tile = before[: sum(state.bag)][-1]
        state.apply(Event("chance", f"draw {tile}", state.seat))


@pytest.mark.parametrize(
    ("players", "options"), swept_rows([(2, {}), (3, {}), (4, {"partners": True}), (5, {})]), ids=str
)
def test_every_line_of_a_game_that_could_be_is_one_by_the_rules(
    players: int, options: dict[str, object]
) -> None:
    for number, state in enumerate(positions("replay", players, 9, **options)[:6]):
        (seat,) = state.actors()
        view = state.view(seat)
        few = PLAYER.candidates(view)[:2]
        trial = PLAYER.trial(view, few)
        if trial is None:
            continue
        assert isinstance(trial, ZatreTrial)
        hands, bag = trial.deal(Random(number))
        assert sorted([*chain(*hands), *bag, *filter(None, view.board)]) == sorted(
            value for value in VALUES for _ in range(TILES[value])
        )
        assert [len(hand) for hand in hands] == list(view.counts) and len(bag) == view.bag
        seen = [
            (list(hand), dealt) for hand, dealt in zip(view.hands, hands, strict=True) if hand is not None
        ]
        assert all(hand == dealt for hand, dealt in seen)
        for move, one in enumerate(few):
            real = state.clone()
            real.hands = [tuple(sorted(hand)) for hand in hands]
            real.bag = [0, *(bag.count(value) for value in VALUES)]
            assert real.view(seat) == view, "the world fits the view"
            world = trial.begin(move, hands, bag)
            real.apply(Event("move", one.move, seat))
            while real.stage == "blocked":
                real.apply(Event("chance", f"draw {bag[: sum(real.bag)][-1]}", real.seat))
            while not world.over:
                before, tiles = world.bag[:], bytes(world.grid.tiles)
                world.turn(trial.books)
                replayed(real, world, before, tiles)
                assert [tuple(sorted(hand)) for hand in world.hands] == real.hands
                assert world.counts == [counts_of(sheet) for sheet in real.sheets]
                assert world.rows == [rows_of(sheet) for sheet in real.sheets]
            outcome = real.outcome()
            assert outcome is not None
            assert [world.standing()[view.sheet_of(one)] for one in range(players)] == list(outcome.scores)


def test_what_a_board_gives_counts_for_both_of_two_seats() -> None:
    """For whoever is next and, less, for whoever follows; and so does who has the last turn."""
    looked = 0
    for state in positions("both", 2, 5):
        (seat,) = state.actors()
        view = state.view(seat)
        few = PLAYER.candidates(view)[:3]
        if view.bag < 3:
            continue
        trial = PLAYER.trial(view, few)
        assert isinstance(trial, ZatreTrial)
        found = trial.at_once()
        for one, worth_ in zip(few, found, strict=True):
            after, laid = state.clone(), parse_placements(one.move)
            after.apply(Event("move", one.move, seat))
            kept, left = after.hands[seat], view.bag + view.counts[1 - seat]
            grid, unseen = grid_of(after.board), Judge(view).unseen
            gives = [
                expected(
                    grid, Slots(grid), wants(view.bag, sheet), pair_odds(unseen, kept if of == seat else ())
                )
                for of, sheet in enumerate(after.sheets)
            ]
            sheets = [worth(rows_of(one), counts_of(one), left, 2) for one in after.sheets]
            lead = sheets[seat] - sheets[1 - seat] - OF_TWO[0] * gives[1 - seat] + OF_TWO[1] * gives[seat]
            assert len(kept) == view.counts[seat] - len(laid)
            assert worth_ == pytest.approx(lead + tempo(left + len(kept)), abs=1.0)
            looked += 1
    assert looked > 10


def test_a_turn_that_ends_the_game_is_worth_what_the_tiles_dealt_round_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With four sixes in a square no tile fits any more. Of the 114 tiles in the bag each draws half, and the
    other has two already."""
    monkeypatch.setattr("bot.players.zatre.VICTORY", 0.0)
    state = holding((3, 6), "6@H8 6@I8 6@H9")
    state.hands[1] = (2, 5)
    state.bag = [0, *(TILES[v] - state.board.count(v) - (3, 6, 2, 5).count(v) for v in VALUES)]
    view = state.view(0)
    unseen = Judge(view).unseen
    mean = fsum(value * count for value, count in enumerate(unseen)) / sum(unseen)
    state.apply(Event("move", "6@I9", 0))
    assert state.stage == "blocked"
    first, second = (PLAYER.trial(view, [Candidate("6@I9", 0.0)]) for _ in range(2))
    assert isinstance(first, ZatreTrial)
    assert isinstance(second, ZatreTrial)
    found = first.at_once()
    assert found == second.at_once()
    assert found == [pytest.approx(state.sheets[0].total - 3 + 2 * mean, abs=3.0)]
    back, chance = PLAYER.looking_back(view, [Candidate("6@I9", 0.0)]), Random("deals")
    pairs = len(pair_odds(unseen, ()))
    assert len({back.world([0], chance)[0] for _ in range(100)}) > pairs, "more than the other's two tell"


def test_what_a_world_came_to_is_told_again_of_no_other() -> None:
    """Looking back with two seats: of a hand of two that fits, what would be drawn next is another thing than
    what is held."""
    state = holding((1, 2), "6@H8 4@I8 5@H7")
    state.hands[1] = (4, 4)
    for value in (4, 4):
        state.bag[value] -= 1
    view = state.view(0)
    moves = PLAYER.candidates(view)[:2]
    told, chance = PLAYER.looking_back(view, moves), Random("told")
    anew = Random("told")
    for _ in range(300):
        fresh = PLAYER.looking_back(view, moves)
        assert isinstance(told, ZatreTrial)
        assert isinstance(fresh, ZatreTrial)
        fresh._place = told._place
        assert list(told.world([0, 1], chance)) == list(fresh.world([0, 1], anew))


def test_who_looks_back_is_told_points_and_no_win_while_the_end_is_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also of a turn that ends the game."""
    monkeypatch.setattr("bot.players.zatre.VICTORY", 1000.0)
    view = holding((3, 6), "6@H8 6@I8 6@H9").view(0)
    assert PLAYER.scale(view).win == 0.0
    ends = [Candidate("6@I9", 0.0)]
    (lead,) = PLAYER.looking_back(view, ends).world([0], Random(1))
    assert abs(lead) < 500
    trial = PLAYER.trial(view, ends)
    assert trial is not None
    (lead,) = trial.world([0], Random(1))
    assert abs(lead) > 500


@pytest.mark.parametrize("rows", [(14, 10, 0, 0), (14, 10, 10, 10)])
def test_of_four_seats_who_leads_ends_the_game_where_that_can_be(rows: tuple[int, ...]) -> None:
    """With four sixes in a square no tile fits any more. How far behind the weakest are changes nothing."""
    state = holding((3, 6), "6@H8 6@I8 6@H9", players=4)
    state.sheets = [Sheet((), (), (4,) * count, 0) for count in rows]
    for seed in range(3):
        assert chosen("zatre", state.view(0), Generator("ends", str(seed)), Level.HARD) == "6@I9"


def test_the_last_turn_is_worth_something_near_the_end_alone() -> None:
    assert [tempo(left) > 0 for left in (12, 13, 14, 15)] == [True, False, False, False]
    assert tempo(12) == -tempo(14) > tempo(40) > tempo(100) == 0.0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_those_are_played_on_after_which_the_board_serves_best(players: int) -> None:
    fewer = 0
    for state in positions("few", players, 5):
        (seat,) = state.actors()
        view = state.view(seat)
        found = PLAYER.candidates(view)
        few = PLAYER.to_try(view, found)
        if to_the_end(view):
            continue
        assert len(few) == min(len(found), CLOSELY)
        assert {one.move for one in few} <= {one.move for one in found[: PLAYER.tried]}
        assert [one.worth for one in few] == sorted((one.worth for one in few), reverse=True)
        fewer += [one.move for one in few] != [one.move for one in found[:CLOSELY]]
    assert fewer > 3


@pytest.mark.parametrize("players", [2, 4])
def test_near_the_end_all_of_them_are_played_to_it(players: int) -> None:
    """What the board gives then says nothing of tiles that are left in the hand."""
    near = [state for state in positions("end", players, 1) if 0 < sum(state.bag) <= 5 * players]
    for state in near:
        (seat,) = state.actors()
        view = state.view(seat)
        found = PLAYER.candidates(view)
        assert PLAYER.to_try(view, found) == found[: PLAYER.tried]
        assert PLAYER.effort(view) == (PLAYER.budget, PLAYER.trust)
    assert near


@pytest.mark.parametrize(("players", "on", "back"), [(2, TURNS, 1), (3, 3, 2)])
def test_so_many_turns_are_played_on_or_looked_back_on(
    players: int, on: int, back: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two seats six, with more one of each, which leave much to chance: so fewer games, and more trust.
    Near the end all."""
    turn, played = World.turn, 0

    def counted(world: World, books: Sequence[Book]) -> None:
        nonlocal played
        played += 1
        turn(world, books)

    monkeypatch.setattr(World, "turn", counted)
    looked = set()
    for state in positions("so many", players, 2):
        (seat,) = state.actors()
        view = state.view(seat)
        if not view.bag:
            continue
        best = PLAYER.candidates(view)[0]
        trials = (PLAYER.trial(view, [best]), PLAYER.looking_back(view, [best]))
        lengths = []
        for trial in trials:
            assert trial is not None
            played = 0
            trial.world([0], Random(1))
            lengths.append(played)
        near = to_the_end(view)
        assert lengths[0] == lengths[1] > 0 if near else lengths == [on, back]
        games, trust = PLAYER.effort(view)
        assert (games < PLAYER.budget, trust > PLAYER.trust) == (not near,) * 2
        looked.add(near)
    assert looked == {False, True}


# --------------------------------------------------------------------------- three strengths


@pytest.mark.parametrize(
    ("players", "options"), [(2, {}), (2, {"laying": "club"}), (4, {"partners": True}), (5, {})], ids=str
)
def test_every_candidate_is_legal(players: int, options: dict[str, object]) -> None:
    for state in positions("legal", players, 6, **options):
        (seat,) = state.actors()
        found = PLAYER.candidates(state.view(seat))
        assert found
        assert len({one.move for one in found}) == len(found)
        assert [one.worth for one in found] == sorted((one.worth for one in found), reverse=True)
        for one in found:
            state.check(seat, one.move)
            assert 0 <= one.hidden <= 1
            assert len(one.why) <= 3


def test_a_seat_that_is_not_at_turn_has_no_candidates() -> None:
    state = holding((2, 3), "6@H8 4@I8")
    with pytest.raises(ValueError, match="turn"):
        PLAYER.candidates(state.view(1))


@pytest.mark.parametrize("level", swept(Level, daily=2))
def test_equal_views_lead_to_equal_decisions(level: Level) -> None:
    for state in positions("equal", 3, 12)[:4]:
        (seat,) = state.actors()
        other = state.clone()
        hidden = [place for place in range(3) if place != seat and state.hands[place]]
        for place in hidden:
            low = next((value for value in VALUES if other.bag[value]), None)
            if low is not None:
                gone = other.hands[place][0]
                other.hands[place] = tuple(sorted((*other.hands[place][1:], low)))
                other.bag[low] -= 1
                other.bag[gone] += 1
        assert state.view(seat) == other.view(seat)
        one = choose(state.view(seat), Generator("a", "b"), level)
        assert choose(other.view(seat), Generator("a", "b"), level) == one


def test_no_level_holds_back_a_tile_that_scores_at_once() -> None:
    for state in positions("thumb", 2, 2):
        (seat,) = state.actors()
        held = state.hands[seat]
        if len(held) != 2:
            continue
        found = PLAYER.candidates(state.view(seat))
        everything = turns(grid_of(state.board), held, lambda laid, gain: gain)
        gains = {one.move: rules_gain(state.board, parse_placements(one.move)) for one in found}
        if any(everything.values()):
            assert all(any(gained) for gained in gains.values())


def test_at_the_end_no_level_keeps_what_can_be_laid() -> None:
    state = holding((2, 6), "1@H8 1@H9 1@H10")
    state.bag = [0] * 7
    assert all(one.move.count("@") == 2 for one in PLAYER.candidates(state.view(0)))


# How games of `easy` and `medium` ended, as their boards are stored.
NEARLY_FULL = """
....255........ .1.11433....... .622.1452.1.... .56.2...6.65.2. 3.4152.14241.64
33.54.66..1434. 1146.5214..24.. .43..5241...53. 343.112.56...2. 6.2251.515..56.
31.66..3.1236.. .264.354..56... .31.246...533.. .53.43......3.. ....415........
"""
WITH_ROOM = """
....45..64..... ...4232.2....1. ...2235.351.66. ..552.2..21135. 165.2532.1443.4
3413.5.11361.26 62.3.2334..435. ..442.363..225. ...1146.363.6.. ....66..1551...
.12432...1461.. .156.......552. .552.....63.44. .5........1614. .........63....
"""


def in_words(rows: str) -> str:
    """A board that is stored, as `holding` takes it."""
    return " ".join(
        f"{tile}@{column}{number}"
        for number, row in enumerate(rows.split(), 1)
        for column, tile in zip(COLUMNS, row, strict=True)
        if tile != "."
    )


def closing(held: tuple[int, ...], tiles: str) -> ZatreState:
    """The last turn of a game."""
    state = holding(held, tiles)
    state.bag = [0] * 7
    return state


def laid_beside(state: ZatreState, move: str) -> list[str]:
    """By the rules: the turns that lay one more tile of the hand beside a turn's, and lose nothing by it."""
    turn, laid = state.view(0).to_turn(), parse_placements(move)
    own = rules_gain(state.board, laid)
    more = [(*laid, (cell, value)) for value in sorted(set(turn.rest(laid))) for cell in CELLS]
    return [
        placements_text(each)
        for each in more
        if turn.legal(each) and all(map(ge, rules_gain(state.board, each), own))
    ]


@pytest.mark.parametrize(
    ("held", "tiles"),
    [
        # it fits on a light cell alone, where it scores nothing
        ((6,), "3@H7 4@H8 6@I8 5@H9 6@I9"),
        ((2, 6), in_words(NEARLY_FULL)),
        # it fits at the end of a run alone that the others have lengthened
        ((3, 4), "6@G8 6@H8"),
        ((4, 5, 6), "4@H8 6@I8"),
        ((1, 4, 4, 6), in_words(WITH_ROOM)),
        # of so many tiles not all turns are listed
        ((2, 2, 2, 3, 3), "4@H8"),
        ((1, 2, 3, 4, 4), "1@F8 4@G8 1@H8 5@F9"),
    ],
    ids=[
        "light",
        "light, of a game",
        "of two",
        "of three",
        "of a game",
        "of five",
        "of five with more room",
    ],
)
def test_in_the_last_turn_no_candidate_keeps_what_could_be_laid(held: tuple[int, ...], tiles: str) -> None:
    """In each of these positions one would, if the player did not look at that."""
    state = closing(held, tiles)
    found = [one.move for one in PLAYER.candidates(state.view(0))]
    assert {move: beside for move in found if (beside := laid_beside(state, move))} == {}
    assert any(laid_beside(state, placements_text(laid)) for laid in Judge(state.view(0)).found())


def test_of_last_turns_worth_the_same_the_one_with_a_cross_more_comes_first() -> None:
    """The cross falls on an empty row: it brings nothing."""
    state = closing((4,), "3@G7 3@H7 1@H8")
    state.sheets[0] = Sheet(crosses=1)
    first, second, *_ = PLAYER.candidates(state.view(0))
    assert (first.move, second.move) == ("4@I7", "4@F7")
    assert first.worth == second.worth
    gains = [rules_gain(state.board, parse_placements(one.move)) for one in (first, second)]
    assert gains == [(1, 0, 0, 1), (1, 0, 0, 0)]


@pytest.mark.parametrize(("players", "options"), [(2, {}), (3, {"laying": "club"}), (4, {"partners": True})])
def test_the_last_turn_is_the_best_there_is(players: int, options: dict[str, object]) -> None:
    """Also where rule 4's exception takes a tile that fits no dark cell."""
    met = unscored = 0
    for number in range(60 // players):
        (state,) = [*positions(f"last {number}", players, 1, **options)][-1:]
        (seat,) = state.actors()
        if any(state.bag) or not state.view(seat).to_turn().listable:
            continue
        scores = {}
        for move in state.legal(seat):
            then = state.clone()
            then.apply(Event("move", move, seat))
            outcome = then.outcome()
            assert outcome is not None
            scores[move] = outcome.scores[seat]
        first, *_ = PLAYER.candidates(state.view(seat))
        assert scores[first.move] == max(scores.values())
        found = turns(grid_of(state.board), state.hands[seat], lambda laid, gain: gain)
        unscored += first.move != KEEP and tuple(parse_placements(first.move)) not in found
        met += 1
    assert met > 8
    assert unscored or options


@pytest.mark.parametrize(
    ("players", "options"), [(2, {}), (2, {"laying": "club"}), (3, {}), (4, {"partners": True})], ids=str
)
def test_who_gains_less_than_the_same_tiles_could_does_it_for_what_that_leaves(
    players: int, options: dict[str, object]
) -> None:
    """`easy` never does. Turns by rule 4's exception are not looked at."""
    met = 0
    for state in positions("less", players, 4, **options):
        (seat,) = state.actors()
        if len(state.hands[seat]) > 2:
            continue
        view = state.view(seat)
        gains: dict[tuple[int, ...], dict[Any, tuple[int, ...]]] = {}
        for laid, gained in turns(grid_of(state.board), state.hands[seat], lambda laid, gain: gain).items():
            if view.to_turn().legal(laid):
                gains.setdefault(tuple(sorted(value for _, value in laid)), {})[laid] = parts(gained)
        weighs = Judge(view)
        for number, one in enumerate(PLAYER.candidates(view)):
            laid = parse_placements(one.move)
            own = rules_gain(state.board, laid)
            more = [
                other
                for other, theirs in gains.get(tuple(sorted(value for _, value in laid)), {}).items()
                if theirs != own and all(a >= b for a, b in zip(theirs, own, strict=True))
            ]
            if not more:
                continue
            met += 1
            assert one.hidden == 1.0
            assert choose(view, Generator("less", str(met)), Level.EASY) != one.move
            if number == 0:  # what `medium` plays
                assert all(weighs.given(laid) < weighs.given(other) for other in more)
    assert met > 20


@pytest.mark.parametrize(
    ("held", "tiles"),
    [((5, 5), "4@H6 5@G7 5@H7 2@I7 6@G8 3@H8 3@I8"), ((2, 6), "6@F6 2@F7 5@G7 5@H7 4@G8 4@H8")],
    ids=str,
)
def test_what_may_not_be_laid_is_no_better_turn(held: tuple[int, ...], tiles: str) -> None:
    """With laying=club: turns that gain more with the same tiles, but keep one that could be laid too."""
    state = holding(held, tiles, laying="club")
    gains: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for laid in map(parse_placements, state.legal(0)):
        gains.setdefault(tuple(sorted(value for _, value in laid)), []).append(rules_gain(state.board, laid))
    for one in Judge(state.view(0)).ranked():
        own = rules_gain(state.board, one.laid)
        others = gains[tuple(sorted(value for _, value in one.laid))]
        assert one.less == any(gain != own and all(map(ge, gain, own)) for gain in others), one


def test_what_is_evident_is_held_against_turns_of_the_same_tiles_too() -> None:
    """12 without a cross writes half of what 12 with one does."""
    state = holding((1, 3), "5@H7 6@I7 6@H8")
    assert not any(one.evident for one in PLAYER.candidates(state.view(0)))


def test_reasons_are_told() -> None:
    state = holding((1, 2), "6@H7 5@I7 2@H8")
    keys = {term.key for one in PLAYER.candidates(state.view(0)) for term in one.why}
    assert {"zatre.why.runs", "zatre.why.crosses"} <= keys


@pytest.mark.parametrize("spared", [0.0, 3.5, 50.0])
def test_the_bonus_of_a_row_is_told_whatever_weighs_more(spared: float) -> None:
    """spared: points less than other turns that it leaves to the next."""
    state = holding((1, 2), "6@H7 5@I7 2@H8")
    state.sheets[0] = Sheet(tens=(1,), elevens=(2,))
    weighs = Judge(state.view(0))
    twelve = next(one for one in weighs.ranked() if parts(one.gain) == (0, 0, 1, 1))
    told = terms(weighs, twelve, [Term("zatre.why.leaves_little", spared)])
    assert ("zatre.why.row", (("row", 1), ("n", 3))) in [(term.key, term.values) for term in told]
    assert len(told) == 3
    assert [term.worth for term in told] == sorted((term.worth for term in told), reverse=True)


def test_what_is_evident_writes_far_more_than_all_else() -> None:
    seen = 0
    for state in positions("evident", 2, 1):
        (seat,) = state.actors()
        sheet, found = state.sheets[seat], PLAYER.candidates(state.view(seat))
        written_ = {}
        for one in found:
            laid = parse_placements(one.move)
            gained = gain(with_tiles(state.board, laid), [cell for cell, _ in laid])
            written_[one] = sheet.worth(gained).total
        evident = [points for one, points in written_.items() if one.evident]
        others = [points for one, points in written_.items() if not one.evident]
        seen += bool(evident)
        if evident:
            assert min(evident) == max(evident) >= max(others) + 6
            assert max(evident) > 2 * max(others)
    assert seen > 2


def test_figures_are_made_of_what_the_games_came_to() -> None:
    tally = learn.Tally()
    tally.game(2, "figures")
    assert sum(tally.turns) > 40
    assert 1 < tally.tiles / sum(tally.turns) <= 2
    for column in range(3):
        assert sum(gained[column] for gained in tally.gained) == tally.boxes[column]


def test_learning_prints_the_file_of_figures_the_same_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    before = wants(sheet=Sheet((1,), (2,))).of(64)
    printed = []
    for rounds in ("1", "1", "2"):
        learn.main(["--games", "1", "--rounds", rounds])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != printed[2]
    found: dict[str, Any] = {}
    exec(printed[0], found)
    assert 1 < found["TILES_A_TURN"] <= 2
    assert [least <= box for least, box in zip((1, 2, 4), found["BOX"], strict=True)] == [True] * 3
    assert [len(rates) for rates in found["RATES"]] == [12] * 4
    assert wants(sheet=Sheet((1,), (2,))).of(64) == before, "the player goes on with its own"


def test_the_figures_kept_are_as_they_were_printed() -> None:
    kept = Path(figures.__file__).read_text(encoding="utf-8")
    assert kept == learn.text(Figures(figures.TILES_A_TURN, figures.BOX, figures.RATES))
