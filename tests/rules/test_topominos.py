"""Topominos: the pieces, whole turns, every ending, hidden racks. Rule numbers are the page's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.locale import LANGUAGES, keys, sayer
from bot.rules import topominos
from bot.rules.chance import Generator
from bot.rules.errors import Extra, Illegal, Impossible, Missing, NotYours, RulesError, SetupError, Unreadable
from bot.rules.game import Event, advance
from bot.rules.topominos import (
    CELLS,
    COPIES,
    FACES,
    GAME,
    MASKS,
    NAMES,
    PIECES,
    SET,
    VERSIONS,
    TopominosState,
)

PEOPLE = ["Ada", "Bob", "Cyd", "Dot"]

# ---------------------------------------------------------------- a second, slow opinion

SQUARE = {letter: divmod(place, 3) for place, letter in enumerate("abcdefghi")}


def slow_faces(dots: str) -> set[str]:
    """All ways a piece can lie, by turning and mirroring coordinates about the centre."""
    back = {place: letter for letter, place in SQUARE.items()}
    points = [(row - 1, column - 1) for row, column in map(SQUARE.__getitem__, dots)]
    found = set()
    for flip in (1, -1):
        for turn in ((1, 0, 0, 1), (0, -1, 1, 0), (-1, 0, 0, -1), (0, 1, -1, 0)):
            moved = []
            for row, column in points:
                r, c = row, column * flip
                moved.append(back[r * turn[0] + c * turn[1] + 1, r * turn[2] + c * turn[3] + 1])
            found.add("".join(sorted(moved)))
    return found


def slow_legal(data: dict[str, Any]) -> list[str]:
    """The legal moves of a written position, told from the page's words alone."""
    rack = data["racks"][data["seat"]]
    board = dict(zip(CELLS, data["board"], strict=True))
    mode, laid = data["turn"]["mode"], data["turn"]["laid"]
    moves = {"end"} if laid else {"pass"}
    for piece in rack:
        for dots in slow_faces(piece):
            for cell, stack in board.items():
                if mode == "start" and cell != data["turn"]["start"]:
                    continue
                if mode == "add" and not stack:
                    continue
                if not set(dots) & set("".join(stack)):
                    moves.add(f"{dots}@{cell}")
    if not laid:
        for size in range(1, min(len(rack), len(data["bag"])) + 1):
            for chosen in combinations_with_replacement(sorted(set(rack)), size):
                if not Counter(chosen) - Counter(rack):
                    moves.add(" ".join(["swap", *chosen]))
    return sorted(moves)


def slow_count(data: dict[str, Any], depth: int) -> int:
    """Sequences of `depth` moves from a position with an empty bag and no end within reach. Works on copies
    of plain lists."""
    if depth == 0:
        return 1
    total = 0
    for move in slow_legal(data):
        racks = [list(rack) for rack in data["racks"]]
        board = [list(stack) for stack in data["board"]]
        turn = dict(data["turn"])
        seat = data["seat"]
        if "@" in move:
            dots, cell = move.split("@")
            racks[seat].remove(min(slow_faces(dots)))
            stack = board[CELLS.index(cell)]
            kind = "add" if stack else "start"
            stack.append(dots)
            turn["laid"] = [*turn["laid"], move]
            if turn["mode"] == "open":
                turn["mode"], turn["start"] = kind, cell if kind == "start" else None
            if len("".join(stack)) == 9:
                stack.clear()
                turn["mode"], turn["start"] = "open", None
        else:
            seat = (seat + 1) % data["players"]
            turn = {"mode": "open", "start": None, "laid": []}
        total += slow_count({**data, "racks": racks, "board": board, "turn": turn, "seat": seat}, depth - 1)
    return total


def fast_count(state: TopominosState, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for move in state.legal(state.seat):
        after = state.clone()
        after.apply(Event("move", move, state.seat))
        total += fast_count(after, depth - 1)
    return total


# ---------------------------------------------------------------- helpers to tell stories with


def begin(players: int, lots: str, *hands: str, **options: object) -> TopominosState:
    """A game after its start draw and deal."""
    state = GAME.start(players, options)
    state.apply(Event("chance", f"lots {lots}"))
    deal(state, *hands)
    return state


def deal(state: TopominosState, *hands: str) -> None:
    for seat, hand in enumerate(hands):
        state.apply(Event("chance", f"draw {hand}", seat))


def do(state: TopominosState, *moves: str) -> None:
    """Moves of whoever's turn it is."""
    for move in moves:
        state.apply(Event("move", move, state.actors()[0]))


def draws(state: TopominosState, pieces: str) -> None:
    state.apply(Event("chance", f"draw {pieces}", state.seat))


def position(
    *racks: str, board: dict[str, str] | None = None, bag: str = "", first: int = 0, seat: int = 0
) -> TopominosState:
    """A position at the start of a turn; every piece not named is out of the game. Pieces of a stack are
    written `cf+a`."""
    stacks = [board[cell].split("+") if board and cell in board else [] for cell in CELLS]
    held = [sorted(rack.split()) for rack in racks]
    used = Counter(piece for rack in held for piece in rack) + Counter(bag.split())
    used += Counter(NAMES[dots] for stack in stacks for dots in stack)
    assert not used - Counter(SET), "the position uses a piece too often"
    state = GAME.start(len(racks), {})
    data: dict[str, Any] = state.to_json()
    data |= {"phase": "turn", "first": first, "seat": seat, "racks": held, "board": stacks}
    data |= {"bag": sorted(bag.split()), "gone": sorted((Counter(SET) - used).elements())}
    loaded = GAME.load(data)
    assert isinstance(loaded, TopominosState)
    return loaded


def refused(state: TopominosState, event: Event) -> RulesError:
    """The error `event` raises; it must have changed nothing."""
    before = state.to_json()
    with pytest.raises(RulesError) as caught:
        state.apply(event)
    assert state.to_json() == before
    return caught.value


def forbidden(state: TopominosState, move: str) -> tuple[str, str]:
    """(rule, code) by which `move` is illegal for whose turn it is; said alike by state, view and apply."""
    seat = state.actors()[0]
    error = refused(state, Event("move", move, seat))
    assert type(error) is Illegal and error.key in keys("en")
    for check in (
        lambda: state.check(seat, move),
        lambda: GAME.check(state.view(seat), move),
    ):
        with pytest.raises(Illegal) as again:
            check()
        assert (again.value.rule, again.value.code) == (error.rule, error.code)
    assert move not in state.legal(seat)
    return error.rule, error.code


# ---------------------------------------------------------------- the pieces


class TestPieces:
    def test_the_set_has_56_pieces_and_165_dots(self) -> None:
        assert len(SET) == 56
        assert sum(map(len, SET)) == 165

    def test_patterns_by_number_of_dots(self) -> None:
        assert Counter(map(len, PIECES)) == {1: 3, 2: 8, 3: 16, 4: 23}
        assert Counter(map(len, SET)) == {1: 9, 2: 8, 3: 16, 4: 23}
        assert {name for name in PIECES if COPIES[name] == 3} == {"a", "b", "e"}

    def test_corner_edge_and_centre_have_their_letters(self) -> None:
        assert [NAMES[dots] for dots in "abcdefghi"] == list("ababebaba")

    def test_every_face_is_found_by_a_second_way_too(self) -> None:
        for dots in MASKS:
            assert set(FACES[NAMES[dots]]) == slow_faces(dots)
            assert NAMES[dots] == min(slow_faces(dots))

    def test_a_piece_has_at_most_eight_faces(self) -> None:
        assert {len(FACES[name]) for name in PIECES} == {1, 2, 4, 8}
        assert FACES["e"] == ("e",)
        assert FACES["bdfh"] == ("bdfh",)
        assert FACES["ai"] == ("ai", "cg")


# ---------------------------------------------------------------- set-up and chance


class TestSetUp:
    @pytest.mark.parametrize(("players", "size"), [(1, 5), (2, 5), (3, 5), (4, 4)])
    def test_hands_by_number_of_players(self, players: int, size: int) -> None:
        state = GAME.start(players, {})
        advance(state, "seed", 0)
        assert [len(rack) for rack in state.racks] == [size] * players
        assert len(state.bag) == 56 - players * size

    def test_most_dots_begin(self) -> None:
        state = begin(2, "e abde", "a a a b b", "abcd abce abcg abch abd")
        assert state.actors() == (1,)

    def test_ties_draw_again_among_themselves_and_the_pieces_stay_out(self) -> None:
        state = GAME.start(3, {})
        state.apply(Event("chance", "lots abcd e abde"))
        assert state.chance_due() and state.actors() == ()
        assert type(refused(state, Event("chance", "lots a a a"))) is Impossible
        assert type(refused(state, Event("chance", "lots abcd - a"))) is Impossible  # abcd is out
        assert type(refused(state, Event("chance", "draw a a a b b", 0))) is Missing
        state.apply(Event("chance", "lots b - abc"))
        assert state.first == 2
        deal(state, "abcd abde b b e", "a a a b e", "ab abe abf ac e")  # all are in the bag again
        assert state.actors() == (2,)

    def test_solo_draws_too(self) -> None:
        state = GAME.start(1, {})
        assert state.draw(Generator("s", "event:0")).text.startswith("lots ")
        state.apply(Event("chance", "lots e"))
        deal(state, "a a a b b")
        assert state.actors() == (0,)

    def test_ties_that_empty_the_bag_go_on_with_a_full_one(self) -> None:
        by_dots = {n: [name for name in SET if len(name) == n] for n in (1, 2, 3, 4)}
        state = GAME.start(3, {})
        for n, rounds in ((4, 7), (3, 5), (2, 2), (1, 3)):
            for _ in range(rounds):
                state.apply(Event("chance", "lots " + " ".join(by_dots[n].pop() for _ in range(3))))
        assert len(state.bag) == 5
        state.apply(Event("chance", f"lots {by_dots[4].pop()} {by_dots[4].pop()} {by_dots[3].pop()}"))
        state.apply(Event("chance", f"lots {by_dots[2].pop()} {by_dots[2].pop()} -"))
        assert state.chance_due() and state.faults() == []
        assert sorted(state.bag) == sorted(SET)
        state.apply(Event("chance", "lots abcd abc -"))
        assert state.first == 0

    def test_options(self) -> None:
        assert GAME.options_for(2, {}) == {"rounds": 1, "target": None}
        assert GAME.options_for(2, {"target": 100})["target"] == 100
        for bad in (
            {"rounds": 1, "target": 100},
            {"rounds": 0},
            {"rounds": True},
            {"rounds": "2"},
            {"target": 0},
            {"target": None},
            {"blitz": 30},
        ):
            with pytest.raises(SetupError) as caught:
                GAME.start(2, bad)
            assert caught.value.key in keys("en") and caught.value.key in keys("de")
        for players in (0, 5, True, "2"):
            with pytest.raises(SetupError):
                GAME.start(players, {})  # type: ignore[arg-type]

    def test_what_chance_cannot_be(self) -> None:
        state = GAME.start(2, {})
        for text in ("lots", "lots a", "lots a b e", "lots - a", "lots - -"):
            kind = Unreadable if text == "lots" else Impossible
            assert type(refused(state, Event("chance", text))) is kind, text
        unreadable = ["lots  a b", "lots a b ", "LOTS a b", "lots c b", "lots a 1", "lots a ?", "", "roll 3"]
        unreadable.append("lots" + " a" * 999)
        for text in unreadable:
            assert type(refused(state, Event("chance", text))) is Unreadable, text
        assert type(refused(state, Event("chance", "lots a e", 0))) is Unreadable
        state.apply(Event("chance", "lots abcd e"))
        assert type(refused(state, Event("chance", "lots abcd e"))) is Missing
        assert type(refused(state, Event("chance", "draw a a a b b", 1))) is Missing  # seat 0 comes first
        for text, player, kind in (
            ("draw a a a b b", None, Unreadable),
            ("draw a a a b b", 2, Unreadable),
            ("draw a a a b b", -1, Unreadable),
            ("draw a a a b b", True, Unreadable),
            ("draw b a a a b", 0, Unreadable),  # not sorted
            ("draw", 0, Unreadable),
            ("draw ? ? ? ? ?", 0, Unreadable),
            ("draw a a a b", 0, Impossible),
            ("draw a a a a b", 0, Impossible),  # there are three
        ):
            assert type(refused(state, Event("chance", text, player))) is kind, text
        assert type(refused(state, Event("move", "pass", 0))) is Missing
        deal(state, "a a a b b", "abcd abce abcg abch abd")
        assert type(refused(state, Event("chance", "draw e", 0))) is Extra


# ---------------------------------------------------------------- turns


class TestTurns:
    def test_kind_a_is_one_compartment(self) -> None:
        state = begin(2, "abcd e", "a abc b be e", "abcd abce abcg abch abd")
        do(state, "abc@B2")
        assert forbidden(state, "de@A1") == ("4", "one_compartment")
        assert forbidden(state, "be@B2") == ("3", "dot_on_dot")
        assert forbidden(state, "ac@B2") == ("4", "not_on_rack")
        assert forbidden(state, "pass") == ("4", "already_laid")
        assert forbidden(state, "swap e") == ("4", "already_laid")
        do(state, "de@B2", "end")
        assert state.points == [5, 0]  # rule 6: every dot of the stack
        assert state.chance_due()  # rule 8: the rack is refilled

    def test_kind_b_adds_to_stacks_that_were_there(self) -> None:
        board = {"A1": "abcd+fh", "B1": "abce", "C3": "abcg+f"}
        state = position("a ab e", "b", board=board, bag="af")
        do(state, "i@A1")
        assert forbidden(state, "e@B3") == ("4", "stacks_only")
        assert forbidden(state, "e@B1") == ("3", "dot_on_dot")
        do(state, "gh@B1", "e@C3")
        draws(state, "af")  # rule 7
        do(state, "end")
        # rule 6, as in the leaflet's picture of three stacks: 7 + 6 + 6, earlier pieces included
        assert state.points == [19, 0]

    def test_a_stack_added_to_twice_scores_once(self) -> None:
        state = position("a b e", "b", board={"A1": "abcd"})
        do(state, "e@A1", "f@A1", "end")
        assert state.points[0] == 6

    def test_nine_dots_score_at_once_and_free_the_compartment(self) -> None:
        state = position("a b", "e", board={"A1": "abcd+efgh"})
        do(state, "i@A1")
        assert state.points == [9, 0] and state.view(1).board[0] == ()
        do(state, "end")
        assert state.points == [9, 0]

    def test_after_a_nine_the_choice_is_open_again(self) -> None:
        state = position("a b e ab", "b", board={"A1": "abcd+fgh", "B2": "abc"})
        assert state.view(0).mode == "open"
        do(state, "e@A1")
        assert state.view(0).mode == "add"
        do(state, "i@A1")
        view = state.view(0)
        assert (view.mode, view.points, view.nines, view.touched) == ("open", (9, 0), 1, ())
        assert view.board[0] == () and set(view.gone) >= {"e", "a", NAMES["fgh"], "abcd"}
        assert forbidden(state, "pass") == ("4", "already_laid")
        do(state, "ab@A1")  # A, even in the compartment just freed
        assert forbidden(state, "h@B2") == ("4", "one_compartment")
        do(state, "f@A1", "end")
        assert state.points == [9 + 3, 0]

    def test_several_nines_in_one_turn(self) -> None:
        state = position("a b e", "b", board={"A1": "abcd+efgh", "B1": "abc+defg+i", "C1": "abce"})
        do(state, "i@A1", "h@B1")
        assert state.points[0] == 18 and state.view(0).mode == "open"
        do(state, "end")
        assert state.last is not None and (state.last.nines, state.last.points) == (2, 18)

    def test_a_rack_emptied_in_mid_turn_draws_one_again_and_again(self) -> None:
        state = position("b", "e", board={"A1": "abcd"}, bag="a a af")
        do(state, "f@A1")
        assert refused(state, Event("move", "end", 0)).code == "chance"
        assert type(refused(state, Event("chance", "draw a a", 0))) is Impossible
        assert type(refused(state, Event("chance", "draw a", 1))) is Missing
        draws(state, "a")
        do(state, "g@A1")
        draws(state, "a")
        do(state, "i@A1")
        draws(state, "af")
        assert state.legal(0)[-1] == "end"
        do(state, "end")
        assert state.actors() == (1,) and state.points[0] == 7  # the bag is empty: no refill

    def test_with_an_empty_bag_only_end_remains(self) -> None:
        state = position("b", "e", board={"A1": "abcd"})
        do(state, "f@A1")
        assert state.legal(0) == ["end"]
        assert forbidden(state, "i@A1") == ("4", "not_on_rack")

    def test_end_needs_a_piece_laid(self) -> None:
        state = begin(1, "e", "a a a b b")
        assert forbidden(state, "end") == ("4", "nothing_laid")

    def test_refill_as_far_as_the_bag_goes(self) -> None:
        state = position("a b e ab abc", "b", board={"C3": "abce"}, bag="a b")
        do(state, "i@C3", "h@C3", "end")
        assert type(refused(state, Event("chance", "draw a", 0))) is Impossible
        draws(state, "a b")
        state = position("a b e ab abc", "b", board={"C3": "abce"}, bag="a")
        do(state, "i@C3", "h@C3", "end")
        draws(state, "a")
        assert len(state.racks[0]) == 4

    def test_exchange_draws_first_and_puts_the_old_pieces_back_after(self) -> None:
        state = position("a b e ab abc", "abcd", bag="a abd abe")
        assert forbidden(state, "swap a a") == ("4", "not_on_rack")
        assert forbidden(state, "swap a ab abc b") == ("4", "bag_short")
        assert max(move.count(" ") for move in state.legal(0) if move.startswith("swap")) == 3
        do(state, "swap ab abc")
        assert type(refused(state, Event("chance", "draw ab abd", 0))) is Impossible  # set aside
        draws(state, "a abd")
        assert state.racks[0] == ["a", "a", "abd", "b", "e"]
        assert state.bag == ["ab", "abc", "abe"]
        assert state.actors() == (1,) and state.passes == 1

    def test_no_exchange_with_an_empty_bag(self) -> None:
        state = position("a b", "e")
        assert not [move for move in state.legal(0) if move.startswith("swap")]
        assert forbidden(state, "swap a") == ("4", "bag_short")

    def test_exchanges_are_distinct_multisets(self) -> None:
        state = begin(1, "e", "a a a b e")
        swaps = [move for move in state.legal(0) if move.startswith("swap")]
        assert len(swaps) == 4 * 2 * 2 - 1
        assert "swap a a" in swaps and len(set(swaps)) == len(swaps)

    def test_whose_turn(self) -> None:
        state = begin(2, "abcd e", "a a a b b", "abcd abce abcg abch abd")
        assert type(refused(state, Event("move", "pass", 1))) is NotYours
        assert state.legal(1) == [] and GAME.legal(state.view(None)) == []
        for seat, kind in ((None, Unreadable), (2, Unreadable), (-1, Unreadable), (False, Unreadable)):
            assert type(refused(state, Event("move", "pass", seat))) is kind
        with pytest.raises(NotYours):
            GAME.check(state.view(None), "pass")
        with pytest.raises(Unreadable):  # comes before whose turn it is
            state.check(1, "nonsense")


# ---------------------------------------------------------------- endings


class TestEndings:
    def test_rack_empty_finishes_the_round_and_takes_dots_off(self) -> None:
        state = position("b", "ab abc", board={"A1": "abcd"})
        do(state, "f@A1", "end")
        assert state.outcome() is None and state.view(1).last_round
        do(state, "pass")
        outcome = state.outcome()
        assert outcome is not None
        assert (outcome.scores, outcome.winners, outcome.reason) == ((5, -5), (0,), "rack empty")
        assert state.view(0).left == ((), ("ab", "abc")) and state.view(0).lost == (0, 5)

    def test_an_empty_rack_of_the_last_in_the_round_ends_it_at_once(self) -> None:
        state = position("ab abc", "b", board={"A1": "abcd"}, seat=1)
        do(state, "f@A1", "end")
        outcome = state.outcome()
        assert outcome is not None and outcome.reason == "rack empty" and outcome.scores == (-5, 5)

    def test_the_round_is_counted_from_who_began(self) -> None:
        state = position("b", "ab abc", board={"A1": "abcd"}, first=1)
        do(state, "f@A1", "end")
        assert state.outcome() is not None  # seat 1 began, so seat 0 was the last of the round

    def test_nobody_can_lay_ends_at_once_with_an_empty_bag(self) -> None:
        state = crowded(["bdfh", "acgi"])
        do(state, "pass")
        outcome = state.outcome()
        assert outcome is not None and outcome.reason == "nobody can lay" and outcome.scores == (-4, -4)

    def test_a_piece_in_the_bag_that_fits_keeps_the_game_going(self) -> None:
        state = crowded(FOURS[:2], bag="a")
        do(state, "pass", "pass")
        assert state.outcome() is None and not state.view(None).last_round

    def test_with_pieces_in_the_bag_the_round_is_finished_first(self) -> None:
        state = crowded(FOURS[:3], bag="abcd")
        do(state, "pass")
        assert state.outcome() is None and state.actors() == (1,)
        view = state.view(None)
        assert view.stuck and view.last_round
        given = FOURS[1].split()
        assert state.legal(1) == ["pass", *(f"swap {name}" for name in given)]
        do(state, f"swap {given[0]}")
        draws(state, "abcd")
        assert state.outcome() is None and state.actors() == (2,)
        do(state, "pass")
        outcome = state.outcome()
        assert outcome is not None and outcome.reason == "nobody can lay"
        assert state.view(None).left[1] == tuple(sorted(["abcd", *given[1:]]))
        assert not state.view(None).last_round

    def test_version_1_ended_at_once_with_pieces_in_the_bag_too(self) -> None:
        now = crowded(FOURS[:3], bag="abcd")
        before = VERSIONS[0].load(now.to_json())
        assert isinstance(before, TopominosState)
        assert not before.view(None).last_round
        do(before, "pass")
        outcome = before.outcome()
        assert outcome is not None and outcome.reason == "nobody can lay"
        assert before.view(None).left == tuple(tuple(rack.split()) for rack in FOURS[:3])

    def test_all_passed_comes_before_nobody_can_lay(self) -> None:
        state = crowded(FOURS[:2], bag="abcd")
        state.passes = 4
        do(state, "pass", "pass")
        outcome = state.outcome()
        assert outcome is not None and outcome.reason == "all passed"

    def test_an_exchange_that_is_under_way_cannot_end_a_round_early(self) -> None:
        """The one piece that fits is set aside for a moment."""
        state = crowded(["a " + " ".join(_FOUR[:4]), FOURS[1]], bag="abcd")
        do(state, "swap a")
        assert not state.view(None).stuck
        draws(state, "abcd")
        do(state, "pass")
        assert state.outcome() is None

    def test_a_round_that_nothing_can_change_is_said_to_be_the_last(self) -> None:
        state = crowded(FOURS[:3], bag="abcd")
        for language in LANGUAGES:
            say = sayer(language)
            text = GAME.board_text(state.view(None), ["Ada", "Ben", "Cleo"], say)
            assert say("topominos.text.last_round_stuck") in text
            assert say("topominos.text.last_round") not in text

    def test_nobody_can_lay_comes_also_during_a_last_round(self) -> None:
        state = position("b", "", "", board={"A1": "abcd"})
        do(state, "f@A1", "end")  # all racks and the bag are empty, the round is not complete
        outcome = state.outcome()
        assert outcome is not None and outcome.reason == "nobody can lay"

    def test_rack_empty_comes_first_when_the_round_is_complete(self) -> None:
        state = position("", "b", board={"A1": "abcd"}, seat=1)
        do(state, "f@A1", "end")
        outcome = state.outcome()
        assert outcome is not None and outcome.reason == "rack empty"

    def test_a_seat_with_an_empty_rack_passes(self) -> None:
        state = position("", "b", board={"A1": "abcd"})
        assert state.legal(0) == ["pass"]

    def test_three_full_rounds_of_passes(self) -> None:
        state = begin(2, "e abcd", "a a a b b", "abcd abce abcg abch abd")
        do(state, "pass")  # seat 1 began
        do(state, "swap a a")
        draws(state, "b e")
        do(state, "pass", "pass", "pass")
        assert state.outcome() is None
        do(state, "pass")
        outcome = state.outcome()
        assert outcome is not None and outcome.reason == "all passed" and outcome.winners == (0,)
        assert refused(state, Event("move", "pass", 0)).key == "rules.extra.over"
        assert refused(state, Event("chance", "draw a", 0)).key == "rules.extra.over"
        with pytest.raises(NotYours) as caught:
            state.check(0, "pass")
        assert caught.value.code == "over"
        assert GAME.legal(state.view(0)) == []

    def test_passes_count_by_whole_rounds(self) -> None:
        state = begin(2, "abcd e", "a a a b b", "abcd abce abcg abch abd")
        do(state, "a@A1", "end")
        draws(state, "e")
        do(state, *["pass"] * 6)  # six in a row, but the first closed the round in which somebody laid
        assert state.outcome() is None and state.passes == 6
        do(state, "pass")
        assert state.outcome() is not None

    def test_ties_are_shared(self) -> None:
        state = position("b", "b", board={"A1": "abcd"})
        do(state, *["pass"] * 6)
        outcome = state.outcome()
        assert outcome is not None and outcome.winners == (0, 1) and outcome.scores == (-1, -1)

    def test_every_reason_has_a_text(self) -> None:
        for language in ("en", "de"):
            for reason in GAME.reasons:
                assert f"topominos.reason.{reason.replace(' ', '_')}" in keys(language)


_FOUR = [name for name in PIECES if len(name) == 4 and name != "abcd"]
FOURS = [" ".join(_FOUR[5 * seat : 5 * seat + 5]) for seat in range(4)]
"""Full racks of pieces of four dots."""


def crowded(racks: Sequence[str], bag: str = "") -> TopominosState:
    """A full board on which no piece of four dots fits: at most three places are free in each compartment."""
    pool = [name for name in SET if len(name) > 2 and name not in " ".join([*racks, bag]).split()]
    board: dict[str, str] = {}
    for cell in CELLS:
        first = pool.pop()
        second, face = next(
            (name, face) for name in reversed(pool) for face in FACES[name] if not set(face) & set(first)
        )
        pool.remove(second)
        board[cell] = f"{first}+{face}"
    return position(*racks, board=board, bag=bag)


class TestMatches:
    def test_later_games_have_no_start_draw_and_the_winner_begins(self) -> None:
        state = begin(2, "abcd e", "abcd abce abcg abch abd", "a a a b b", rounds=2)
        do(state, *["pass"] * 6)
        view = state.view(None)
        assert view.phase == "deal" and view.game_number == 2 and view.games == ((-19, -5),)
        assert view.starter == 1 and view.scores == (-19, -5) and view.points == (0, 0)
        assert len(state.bag) == 56
        deal(state, "abcd abce abcg abch abd", "a a a b b")
        do(state, *["pass"] * 6)
        outcome = state.outcome()
        assert outcome is not None
        assert (outcome.scores, outcome.winners, outcome.reason) == ((-38, -10), (1,), "all passed")

    def test_a_shared_win_starts_in_seat_order_from_the_last_starter(self) -> None:
        state = begin(3, "e abcd b", "a a ab b b", "abcd abce abcg abch abd", "a ac b e e", rounds=2)
        do(state, *["pass"] * 9)
        assert state.games == [(-6, -19, -6)]
        assert state.view(None).starter == 2  # seat 1 began, then come 2 and 0

    def test_target_ends_after_the_game_in_which_somebody_has_it(self) -> None:
        state = begin(1, "abcd", "a a abcd b e", target=5)
        for standing in (2, 4, 6):
            do(state, "abcd@A1", "e@A1", "f@A1", "i@A1", "end")
            draws(state, "a b b e")
            assert state.view(0).scores == (standing + 5,)  # enough, but the game goes on
            assert state.outcome() is None
            do(state, *["pass"] * 3)
            if standing < 6:
                assert state.outcome() is None and state.view(0).scores == (standing,)
                deal(state, "a a abcd b e")
        outcome = state.outcome()
        assert outcome is not None and outcome.scores == (6,) and outcome.reason == "all passed"

    def test_a_target_match_ends_after_20_games(self) -> None:
        state = begin(1, "abcd", "a a a b b", target=1000)
        for number in range(1, 21):
            assert state.view(0).game_number == number and state.outcome() is None
            do(state, *["pass"] * 3)
            if number < 20:
                deal(state, "a a a b b")
        outcome = state.outcome()
        assert outcome is not None and outcome.scores == (-100,) and len(state.games) == 20


# ---------------------------------------------------------------- text


class TestText:
    @pytest.mark.parametrize(
        ("typed", "move"),
        [
            ("cf@B2", "cf@B2"),
            ("  FC @ b2 ", "cf@B2"),
            ("f c@B2", "cf@B2"),
            ("END", "end"),
            (" pass ", "pass"),
            ("swap  e ABD", "swap abd e"),
            ("swap i c", "swap a a"),  # named by other directions
        ],
    )
    def test_what_people_type_is_forgiven(self, typed: str, move: str) -> None:
        state = GAME.start(2, {})
        assert state.read(0, typed) == move

    @pytest.mark.parametrize(
        "text",
        [
            "",
            " ",
            "cf",
            "@",
            "cf@",
            "@B2",
            "cf@B4",
            "cf@D1",
            "cf@B٢",
            "cc@B2",
            "cj@B2",
            "abcde@A1",
            "cf@B2 end",
            "swap",
            "swap x",
            "swap abcde",
            "pass pass",
            "é",
            "end" * 999,
            "swap" + " a" * 10**5,
            "7" * 5000,
        ],
    )
    def test_what_is_no_move(self, text: str) -> None:
        state = begin(1, "e", "a a a b b")
        with pytest.raises(Unreadable) as caught:
            state.read(0, text)
        assert caught.value.key in keys("en")
        with pytest.raises(Unreadable):
            state.check(0, text)
        with pytest.raises(Unreadable):
            GAME.check(state.view(0), text)

    @pytest.mark.parametrize(
        "text",
        ["fc@B2", "cf@b2", "CF@B2", "cf @B2", " cf@B2", "cf@B2 ", "swap  a", "swap b a", "swap c", "End"],
    )
    def test_apply_takes_canonical_text_only(self, text: str) -> None:
        state = begin(1, "e", "a a a b b")
        assert type(refused(state, Event("move", text, 0))) is Unreadable

    def test_board_text_shows_what_the_view_holds(self) -> None:
        state = position("a b e", "b", board={"A1": "abcd+fgh", "C2": "ab"}, bag="af ac")
        do(state, "h@C2")
        for language in ("en", "de"):
            lines = GAME.board_text(state.view(0), PEOPLE, sayer(language)).splitlines()
            assert any("1: A 7" in line and "abcd + fgh" in line and " e i" in line for line in lines)
            assert any("2: A " in line and "; C 3" in line and "ab + h" in line for line in lines)
            assert sum("Ada" in line for line in lines) >= 2
            assert lines[0] == sayer(language)(
                "topominos.text.turn", name="Ada"
            )  # what is due is heard first
            assert any(line.endswith(": a, e.") for line in lines)  # the own rack
            public = GAME.board_text(state.view(None), PEOPLE, sayer(language)).splitlines()
            assert public == [line for line in lines if not line.endswith(": a, e.")]

    @pytest.mark.parametrize(("language", "told"), [("en", "Start draw 1"), ("de", "Startziehung 1")])
    def test_the_board_text_tells_the_start_draw_as_the_history_does(self, language: str, told: str) -> None:
        state = GAME.start(3, {})
        state.apply(Event("chance", "lots abd abe e"))
        lines = GAME.board_text(state.view(None), ["Ada", "Ben", "Computer 2"], sayer(language)).splitlines()
        assert f"{told}: Ada (abd), Ben (abe), Computer 2 (e)." in lines

    def test_a_state_prints_what_everybody_sees(self) -> None:
        state = begin(2, "abcd e", "a abcd abef b e", "ab abce abcg abch abd")
        do(state, "abcd@A1", "efgh@A1", "i@A1", "b@B2", "e@B2")
        assert str(state).splitlines() == [
            "topominos, game 1, phase rack, turn of seat 0",
            "   A    B    C",
            "1  ...  ...  ...",
            "   ...  ...  ...",
            "   ...  ...  ...",
            "2  ...  .1.  ...",
            "   ...  .2.  ...",
            "   ...  ...  ...",
            "3  ...  ...  ...",
            "   ...  ...  ...",
            "   ...  ...  ...",
            "bag 46, gone 3",
            "seat 0: points 9, match 9, rack 0",
            "seat 1: points 0, match 0, rack 5",
            "laid abcd@A1 efgh@A1 i@A1 b@B2 e@B2, nines 1, mode start",
        ]
        state = position("b", "ab", board={"A1": "abcd"})
        do(state, "f@A1", "end", "pass")
        assert str(state).splitlines()[2:4] == ["1  111  ...  ...", "   1.2  ...  ..."]
        assert str(state).endswith("rack 1\nwinners 0, rack empty")

    def test_a_written_example_lays_a_piece_where_one_can(self) -> None:
        for seed in ("1", "2", "3"):
            state, chance = GAME.start(2, {}), Generator(seed, "example")
            while state.chance_due():
                state.apply(state.draw(chance))
            seat = state.actors()[0]
            example = GAME.written_example(state.choice(seat))
            assert "@" in example
            assert example in state.legal(seat)
        state = position("b", "ab", board={"A1": "abcd"})
        do(state, "f@A1", "end")
        assert GAME.written_example(state.choice(state.actors()[0])) in state.legal(state.actors()[0])

    def test_what_the_racks_took_off_is_told_at_the_end(self) -> None:
        state = position("b", "ab", board={"A1": "abcd"})
        assert GAME.epilogue(state.view(None), PEOPLE, sayer("en")) == ""
        do(state, "f@A1", "end", "pass")
        told = [GAME.epilogue(state.view(None), PEOPLE[:2], sayer(language)) for language in ("en", "de")]
        assert told == [
            "Taken off for dots left on the rack: Bob (2 points).",
            "Abzug für Punkte auf dem Ständer: Bob (2 Punkte).",
        ]

    def test_every_event_is_a_sentence(self) -> None:
        say = sayer("en")
        told = {
            Event("chance", "lots abd - e"): "Draw for the start: Ada (abd), Cyd (e).",
            Event("chance", "draw a abd", 1): "Bob draws 2 pieces: a, abd.",
            Event("chance", "draw ?", 1): "Bob draws 1 piece.",
            Event("move", "cf@B2", 0): "Ada lays cf in B2.",
            Event("move", "end", 0): "Ada ends the turn.",
            Event("move", "pass", 0): "Ada passes.",
            Event("move", "swap abd e", 0): "Ada passes and exchanges 2 pieces: abd, e.",
            Event("move", "swap ? ? ?", 0): "Ada passes and exchanges 3 pieces.",
        }
        for event, sentence in told.items():
            assert GAME.describe(event, PEOPLE[:3], say) == sentence
            assert GAME.describe(event, PEOPLE[:3], sayer("de")) not in ("", sentence)

    def test_both_languages_have_the_same_keys_and_the_rules_fit(self) -> None:
        mine = {
            language: {k for k in keys(language) if k.startswith("topominos.")} for language in ("en", "de")
        }
        assert mine["en"] == mine["de"]
        for language, found in mine.items():
            say = sayer(language)
            for key in found:
                if key.startswith("topominos.rules."):
                    assert len(say(key)) <= 1500
                if key.endswith(".help"):
                    assert len(say(key)) <= 100


# ---------------------------------------------------------------- menus


class TestMenus:
    def test_a_piece_then_its_places(self) -> None:
        state = position("ab e e", "b", board={"A1": "abcd+fgh", "C2": "ai"})
        do(state, "e@A1")
        view = state.view(0)
        assert tuple(topominos.layable(view)) == ("ab", "e")
        assert tuple(topominos.layable(view)["e"]) == ("C2",)
        assert topominos.layable(view)["ab"] == {"C2": ("bc@C2", "cf@C2", "dg@C2", "gh@C2")}
        assert topominos.most_swapped(view) == 0
        assert topominos.layable(state.view(1)) == {} and topominos.layable(state.view(None)) == {}

    def test_the_menu_is_the_legal_list(self) -> None:
        state = GAME.start(2, {})
        advance(state, "menu", 0)
        view = state.view(state.seat)
        menu = topominos.layable(view)
        moves = [move for cells in menu.values() for found in cells.values() for move in found]
        assert sorted(moves) == [move for move in state.legal(state.seat) if "@" in move]
        assert max(len(found) for cells in menu.values() for found in cells.values()) <= 8
        assert topominos.most_swapped(view) == 5

    def test_unseen_pieces_are_all_others(self) -> None:
        state = position("a e", "b ab", board={"A1": "abcd"}, bag="ac")
        assert topominos.unseen(state.view(0)) == {"ab": 1, "ac": 1, "b": 1}
        assert topominos.unseen(state.view(None)) == {"a": 1, "ab": 1, "ac": 1, "b": 1, "e": 1}


# ---------------------------------------------------------------- any game at all


def eager(state: TopominosState, chance: Generator) -> str:
    """Lays while it can, so that games reach an empty bag and full compartments."""
    legal = state.legal(state.seat)
    lays = [move for move in legal if "@" in move]
    if lays and chance.below(10):
        return chance.choice(lays)
    return "end" if "end" in legal else legal[chance.below(len(legal))]


def positions(players: int, seed: str, **options: object) -> Iterator[tuple[TopominosState, list[Event]]]:
    """Every position of one game with its record so far."""
    state = GAME.start(players, options)
    events: list[Event] = []
    mind = Generator(seed, "mind")
    yield state, events
    while state.outcome() is None:
        if state.chance_due():
            event = state.draw(Generator(seed, f"event:{len(events)}"))
        else:
            event = Event("move", eager(state, mind), state.seat)
        state.apply(event)
        events.append(event)
        yield state, events


seeds = st.text(alphabet="0123456789", min_size=1, max_size=6)
seat_counts = st.integers(1, 4)


class TestAnyGame:
    @settings(max_examples=15, deadline=None)
    @given(seat_counts, seeds)
    def test_a_game_is_sound_from_start_to_end(self, players: int, seed: str) -> None:
        for state, events in positions(players, seed):
            assert state.faults() == []
            written = state.to_json()
            again = GAME.load(written)
            assert again.to_json() == written == state.clone().to_json()
            for seat in (None, *range(players)):
                assert again.view(seat) == state.view(seat)
            if state.actors():
                seat = state.seat
                legal = state.legal(seat)
                assert legal == slow_legal(written) == GAME.legal(state.view(seat))
                assert state.choice(seat) == GAME.choice(state.view(seat))
                assert GAME.stand_in(GAME.choice(state.view(seat))) == state.stand_in(seat)
                assert state.stand_in(seat) in legal
            kept = list(events)
        replayed = GAME.start(players, {})
        for event in kept:
            replayed.apply(event)
        assert replayed.to_json() == state.to_json()
        outcome = state.outcome()
        assert outcome is not None and outcome.reason in GAME.reasons
        assert outcome.winners == tuple(
            seat for seat in range(players) if outcome.scores[seat] == max(outcome.scores)
        )

    @settings(max_examples=12, deadline=None)
    @given(seat_counts, seeds, st.integers(0, 60))
    def test_exactly_the_legal_moves_are_taken(self, players: int, seed: str, when: int) -> None:
        """Every text of the notation, but for exchanges only those near the rack."""
        for number, (state, _) in enumerate(positions(players, seed)):
            if number >= when and state.actors():
                break
        if not state.actors():
            return
        seat, view = state.seat, state.view(state.seat)
        near = sorted({*state.racks[seat], "a", "e", "abcd"})
        universe = [f"{dots}@{cell}" for dots in MASKS for cell in CELLS] + ["end", "pass"]
        universe += [
            " ".join(["swap", *names])
            for size in (1, 2, 5)
            for names in combinations_with_replacement(near, size)
        ]
        legal = set(state.legal(seat))
        for move in universe:
            try:
                state.check(seat, move)
            except Illegal as error:
                assert move not in legal and error.key in keys("en") and error.rule in ("3", "4")
                with pytest.raises(Illegal):
                    GAME.check(view, move)
            else:
                assert move in legal
                GAME.check(view, move)

    @settings(max_examples=12, deadline=None)
    @given(st.integers(2, 4), seeds, st.randoms(use_true_random=False))
    def test_what_is_hidden_changes_nothing_for_the_others(
        self, players: int, seed: str, shuffle: Any
    ) -> None:
        say = sayer("en")
        for number, (state, events) in enumerate(positions(players, seed)):
            if number % 7:
                continue
            for seat in (None, *range(players)):
                written: dict[str, Any] = state.to_json()
                places = [rack for other, rack in enumerate(written["racks"]) if other != seat]
                places.append(written["bag"])
                if seat != state.seat:
                    places.append(written["aside"])
                pool = [name for place in places for name in place]
                shuffle.shuffle(pool)
                for place in places:
                    place[:] = sorted(pool.pop() for _ in place)
                other = GAME.load(written)
                assert other.view(seat) == state.view(seat)
                assert GAME.board_text(other.view(seat), PEOPLE, say) == GAME.board_text(
                    state.view(seat), PEOPLE, say
                )
                assert str(other) == str(state)
                if seat is not None:
                    assert other.legal(seat) == state.legal(seat)
                renamed = [
                    Event(e.kind, " ".join([e.text[:4], *("e" for _ in e.text.split()[1:])]), e.player)
                    if e.player not in (seat, None) and e.text[:4] in ("draw", "swap")
                    else e
                    for e in events
                ]
                if state.outcome() is None:
                    assert other.redact(renamed, seat) == state.redact(events, seat)
                else:  # the racks are laid open
                    assert state.redact(events, seat) == events

    def test_redaction_hides_racks_and_keeps_the_rest(self) -> None:
        events = [
            Event("chance", "lots abd e"),
            Event("chance", "draw a abd", 0),
            Event("move", "swap a abd", 0),
            Event("move", "a@A1", 1),
        ]
        state = GAME.start(2, {})
        assert state.redact(events, 0) == events
        assert [event.text for event in state.redact(events, 1)] == [
            "lots abd e",
            "draw ? ?",
            "swap ? ?",
            "a@A1",
        ]
        assert state.redact(events, None) == state.redact(events, 1)
        assert [event.player for event in state.redact(events, None)] == [None, 0, 0, 1]

    def test_the_end_of_a_game_lays_its_racks_open_and_nothing_else_before_the_match_is_over(self) -> None:
        events: list[Event] = []
        state = GAME.start(2, {"rounds": 2})
        for text, player in [
            ("lots abcd e", None),
            ("draw abcd abce abcg abch abd", 0),
            ("draw a a a b b", 1),
            *[("pass", number % 2) for number in range(6)],
            ("draw abcd abce abcg abch abd", 0),
            ("draw a a a b b", 1),
            *[("pass", (number + 1) % 2) for number in range(6)],
        ]:
            for seat in (None, 1):
                assert all(
                    shown.text == "draw ? ? ? ? ?"
                    for shown in state.redact(events, seat)
                    if shown.player == 0 and shown.kind == "chance"
                )
            event = Event("move" if text == "pass" else "chance", text, player)
            state.apply(event)
            events.append(event)
            if state.games:
                assert state.view(None).left == (
                    ("abcd", "abce", "abcg", "abch", "abd"),
                    ("a", "a", "a", "b", "b"),
                )
        assert state.outcome() is not None
        assert state.redact(events, None) == events
        assert state.view(1).left == (("abcd", "abce", "abcg", "abch", "abd"), ("a", "a", "a", "b", "b"))

    def test_the_last_turn_hides_what_was_exchanged(self) -> None:
        state = position("a b e", "b", bag="ac af")
        do(state, "swap a e")
        draws(state, "ac af")
        for seat in (None, 0, 1):
            last = state.view(seat).last
            assert last is not None and last.moves == ("swap ? ?",)

    def test_games_played_eagerly_end_with_full_compartments_too(self) -> None:
        seen = set()
        for seed in range(60):
            *_, (state, _) = positions(1 + seed % 4, str(seed))
            outcome = state.outcome()
            assert outcome is not None
            seen.add(outcome.reason)
        assert seen >= {"nobody can lay", "all passed"}


# ---------------------------------------------------------------- counted trees


class TestTrees:
    @pytest.mark.parametrize(
        ("racks", "board", "depth"),
        [
            (("a e", "ac b"), {"A1": "abcd", "B2": "abce+fi"}, 4),
            (("a b e", "ac"), {"A1": "abcd+efgh", "C3": "abc+dfg"}, 4),
            (("e", "e", "bdfh"), {}, 3),
        ],
    )
    def test_sequences_of_moves(self, racks: tuple[str, ...], board: dict[str, str], depth: int) -> None:
        state = position(*racks, board=board)
        for plies in range(1, depth):
            counted = slow_count(state.to_json(), plies)
            assert fast_count(state, plies) == counted > plies


# ---------------------------------------------------------------- damaged positions


def mid_turn() -> TopominosState:
    """Seat 0 has completed a nine and begun a compartment; everything in it is sound."""
    state = begin(2, "abcd e", "a abcd abef b e", "ab abce abcg abch abd")
    do(state, "abcd@A1", "efgh@A1", "i@A1", "b@B2")
    assert state.faults() == []
    return state


class TestDamage:
    @pytest.mark.parametrize(
        ("damage", "said"),
        [
            (lambda s: s.bag.append("e"), "too often"),
            (lambda s: s.bag.remove("ac"), "too seldom"),
            (lambda s: s.bag.reverse(), "sorted"),
            (lambda s: s.racks[1].pop(), "not refilled"),
            (lambda s: s.racks[1].insert(0, s.bag.pop(0)), "more than 5"),
            (lambda s: s.gone.pop(), "whole nines"),
            (lambda s: setattr(s, "aside", ["e"]), "set aside"),
            (lambda s: s.fills.__setitem__(4, 3), "not those of its pieces"),
            (lambda s: s.stacks.__setitem__(4, ("b", "b")), "dots on dots"),
            (lambda s: setattr(s, "touched", 1), "not there"),
            (lambda s: setattr(s, "start", -1), "do not agree"),
            (lambda s: setattr(s, "mode", "add"), "do not agree"),
            (lambda s: setattr(s, "stage", "refill"), "nobody's"),
            (lambda s: setattr(s, "stage", "rack"), "not empty"),
            (lambda s: setattr(s, "stage", "over"), "outcome"),
            (lambda s: setattr(s, "nines", 9), "more nines"),
            (lambda s: setattr(s, "passes", 2), "passes"),
            (lambda s: setattr(s, "first", 2), "no such seat"),
            (lambda s: s.points.append(0), "one score per seat"),
            (lambda s: s.games.append((1, 2)), "more games"),
            (lambda s: s.racks.pop(), "one rack per seat"),
        ],
    )
    def test_each_damage_is_listed(self, damage: Any, said: str) -> None:
        state = mid_turn()
        damage(state)
        assert any(said in fault for fault in state.faults()), state.faults()

    def test_damage_before_the_deal(self) -> None:
        state = GAME.start(3, {})
        state.apply(Event("chance", "lots abcd abce e"))
        assert state.faults() == []
        for damage, said in (
            (lambda s: s.bag.append("abcd"), "start draw left"),
            (lambda s: setattr(s, "tied", (1, 0)), "start draw cannot be"),
            (lambda s: setattr(s, "seat", 0), "under way"),
            (lambda s: s.racks[0].append(s.bag.pop()), "before the deal"),
        ):
            broken = state.clone()
            damage(broken)
            assert any(said in fault for fault in broken.faults()), said
        assert state.faults() == []  # clones are independent

    def test_garbage_is_not_loaded(self) -> None:
        good = mid_turn().to_json()
        assert GAME.load(good).to_json() == good
        for key in good:
            with pytest.raises(ValueError):
                GAME.load({k: v for k, v in good.items() if k != key})
            for wrong in ("x", -5, {"x": 1}, [["x"]], [None], 1.5):
                with pytest.raises(ValueError):
                    GAME.load({**good, key: wrong})
