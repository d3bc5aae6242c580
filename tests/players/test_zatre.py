"""The computer player of Zatre: always legal, quick, from the view alone, and better than chance."""

from __future__ import annotations

import time
from typing import Any

import pytest

from bot.players import zatre as players
from bot.players.zatre import best_single, choose
from bot.rules.chance import Generator
from bot.rules.game import Event
from bot.rules.zatre import (
    GAME,
    INDEX,
    TILES,
    Layout,
    Turn,
    ZatreState,
    next_placements,
    placements_text,
)
from bot.rules.zatre.completion import MOST_TRIED_IN_ALL, Completion


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


def holding(held: tuple[int, ...], tiles: str, *, drew: bool = True, **options: object) -> ZatreState:
    state = GAME.start(2, options)
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
    games = 10
    won = 0
    for number in range(games):
        seat = number % 2
        outcome = finished(f"duel {number}", 2, {seat}).outcome()
        assert outcome is not None
        won += outcome.winners == (seat,)
    assert won == games


@pytest.mark.parametrize(("players", "options"), [(3, {"laying": "club"}), (4, {"partners": True}), (6, {})])
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
def test_it_finds_a_legal_turn_with_more_tiles_than_can_be_listed(options: dict[str, object]) -> None:
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
@pytest.mark.parametrize("held", [10, 14])
@pytest.mark.parametrize("values", [(1, 2, 3, 4, 5, 6), (1, 2, 3), (4, 5, 6)], ids=str)
def test_its_work_is_bounded_however_many_tiles_it_holds(
    options: dict[str, object], held: int, values: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ten tiles held and twenty in the bag it took seconds, and with fourteen it did not come to an end:
    what may be laid next was searched for without a bound, for every beginning."""
    weighed = tried = 0
    weigh, attempt = players._Judge.worth, Completion._try

    def counted_worth(judge: Any, turn: Any) -> float:
        nonlocal weighed
        weighed += 1
        return weigh(judge, turn)

    def counted_try(search: Any, *position: Any) -> bool:
        nonlocal tried
        tried += 1
        return attempt(search, *position)

    monkeypatch.setattr(players._Judge, "worth", counted_worth)
    monkeypatch.setattr(Completion, "_try", counted_try)
    for seed in ("a", "b"):
        state = late(seed, held, values, **options)
        (seat,) = state.actors()
        weighed = tried = 0
        move = choose(state.view(seat), Generator("a", "b"))
        state.check(seat, move)
        assert weighed <= players.BEAM * players.WIDE * held + players.BEAM * held + 2
        # for each search the positions beyond the first of each draft, and that one: six values, 193 cells
        assert tried <= players.SEARCHES * (MOST_TRIED_IN_ALL + 6 * 193)
        assert move != "keep"


@pytest.mark.parametrize("laying", ["free", "club"])
@pytest.mark.parametrize("held", [(1,) * 10, (1, 1, 1, 2, 2, 2, 3, 3, 3, 3)], ids=str)
def test_it_searches_no_further_where_hardly_a_tile_is_legal_by_itself(
    held: tuple[int, ...], laying: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearly every beginning needs another tile to be legal, and each of them would be searched for."""
    searches = 0
    search = Turn.next_placements

    def counted(turn: Turn, *laid: Any) -> Any:
        nonlocal searches
        searches += 1
        return search(turn, *laid)

    monkeypatch.setattr(Turn, "next_placements", counted)
    state = holding(held, "1@G8 1@H8 1@I8 1@J8", laying=laying)
    state.check(0, choose(state.view(0), Generator("a", "b")))
    assert searches == players.SEARCHES


@pytest.mark.parametrize("seed", ["a", "b", "c"])
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


def test_what_one_tile_can_score() -> None:
    board = bytearray(256)
    board[INDEX["H8"]], board[INDEX["H7"]] = 5, 5
    layout = Layout.of(bytes(board))
    assert best_single(layout, 1) > 0  # an 11 at either end of the column
    assert best_single(layout, 2) > best_single(layout, 1)
    assert best_single(layout, 3) == 0
