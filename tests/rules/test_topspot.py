"""Top Spot by its page: cards, stacks, rounds, ties, ends, notation. A second, slow account of the rules
(`Slow…`, written from the page with other means) stands against the module."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.locale import LANGUAGES, sayer
from bot.rules.chance import Generator
from bot.rules.errors import Extra, Illegal, Impossible, Missing, NotYours, SetupError, Unreadable
from bot.rules.game import Event, advance, play
from bot.rules.topspot import (
    CARD_ROWS,
    COLOURS,
    FACES,
    GAME,
    JOKER,
    TopSpotState,
    card_grid,
    card_numbers,
    composite,
    draft,
    hand_order,
    stack_cards,
    stack_value,
)

NAMES = ["Ada", "Ben", "Cleo", "Dora", "Emil"]
EXPERT = {"level": "expert"}

# --------------------------------------------------------------------------- the slow account


def slow_value(cards: Sequence[str]) -> int:
    """Looks down through each of the nine positions."""
    spots = 0
    for row in range(3):
        for column in range(3):
            for card in cards:
                sign = CARD_ROWS[card[-1]].split("/")[row][column]
                if sign != "O":
                    spots += sign == "@"
                    break
    return spots


def slow_rule_3(cards: Sequence[str]) -> bool:
    value = slow_value(cards)
    if len(cards) == 1:
        return True
    return all(
        slow_value([*cards[:at], *cards[at + 1 :]]) < value for at in range(len(cards)) if cards[at] != JOKER
    )


def slow_moves(hand: Sequence[str], colour: str, deck: str, most: int = 5) -> list[str]:
    """Every permutation of every part of a hand, judged one by one. colour: "" for the leader."""
    can_follow = any(card[0] == colour for card in hand)
    smallest: dict[tuple[tuple[str, ...], int, str], str] = {}
    for size in range(1, min(most, len(hand)) + 1):
        for cards in set(permutations(hand, size)):
            if JOKER in cards[1:] or not slow_rule_3(cards):
                continue
            suits = {card[0] for card in cards}
            if cards[0] != JOKER:
                if len(suits) > 1:
                    continue
                if colour and can_follow and suits != {colour}:
                    continue
                if colour and not can_follow and size > 1:
                    continue
            for name in deck if cards[0] == JOKER and not colour else [""]:
                text = "+".join(cards) + (":" + name if name else "")
                key = tuple(sorted(cards)), slow_value(cards), name
                smallest[key] = min(text, smallest.get(key, text))
    return sorted(smallest.values())


class SlowGame:
    """One game from the leader's first card to its end, as plain lists."""

    def __init__(self, hands: Sequence[Iterable[str]], leader: int, expert: bool) -> None:
        self.hands = [list(hand) for hand in hands]
        self.expert = expert
        self.deck = "RYGBP"[: len(self.hands)]
        self.points = [0] * len(self.hands)
        self.winner_before: int | None = None
        self.ended = False
        self.new_round(leader)

    def copy(self) -> SlowGame:
        other = object.__new__(SlowGame)
        other.__dict__.update({key: _copied(value) for key, value in self.__dict__.items()})
        return other

    def from_seat(self, seat: int) -> list[int]:
        around = [*range(seat, len(self.hands)), *range(seat)]
        return [each for each in around if self.hands[each]]

    def new_round(self, leader: int) -> None:
        self.first = leader
        self.waiting = self.from_seat(leader)
        self.table: list[tuple[int, int | None]] = []
        self.colour = ""

    def seat(self) -> int:
        return self.waiting[0]

    def moves(self) -> list[str]:
        return slow_moves(self.hands[self.seat()], self.colour, self.deck)

    def do(self, move: str) -> None:
        seat = self.waiting.pop(0)
        stack, _, name = move.partition(":")
        cards = stack.split("+")
        for card in cards:
            self.hands[seat].remove(card)
        self.colour = self.colour or name or cards[0][0]
        can_win = cards[0] == JOKER or cards[0][0] == self.colour
        self.table.append((seat, slow_value(cards) if can_win else None))
        if not self.waiting:
            self.close()

    def close(self) -> None:
        high = max(value for _, value in self.table if value is not None)
        equal = [seat for seat, value in self.table if value == high]
        if not self.expert:
            equal = equal[:1]
        if len(equal) > 1:
            equal = [seat for seat in equal if self.hands[seat]]
            if len(equal) > 1:
                self.waiting, self.table, self.colour = equal, [], ""
                return
        if not equal:
            start = self.first if self.winner_before is None else self.winner_before
            after = self.from_seat(start)
            if after:
                self.new_round(after[0])
            else:
                self.ended = True
            return
        winner = equal[0]
        self.points[winner] += 1
        self.winner_before = winner
        with_cards = [seat for seat, hand in enumerate(self.hands) if hand]
        if with_cards == [winner]:
            self.points[winner] += len(self.hands[winner])
            self.ended = True
        elif winner not in with_cards:
            self.ended = True
        else:
            self.new_round(winner)


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [list(each) if isinstance(each, list) else each for each in value]
    return value


def slow_tree(game: SlowGame, depth: int) -> Counter[tuple[int, ...]]:
    if not depth or game.ended:
        return Counter([tuple(game.points)])
    leaves: Counter[tuple[int, ...]] = Counter()
    for move in game.moves():
        after = game.copy()
        after.do(move)
        leaves += slow_tree(after, depth - 1)
    return leaves


def tree(state: TopSpotState, depth: int) -> Counter[tuple[int, ...]]:
    """Scores at the leaves: ends, and positions after `depth` moves."""
    if not depth or state.outcome():
        return Counter([state.view(None).scores])
    (seat,) = state.actors()
    leaves: Counter[tuple[int, ...]] = Counter()
    for move in state.legal(seat):
        after = state.clone()
        after.apply(Event("move", move, seat))
        assert after.faults() == []
        leaves += tree(after, depth - 1)
    return leaves


# --------------------------------------------------------------------------- positions


def deck_of(players: int, expert: bool) -> list[str]:
    cards = [colour + face for colour in COLOURS[:players] for face in FACES]
    return cards + [JOKER] * (players if expert else 0)


def position(*hands: str, leader: int = 0, expert: bool = True, **changes: Any) -> TopSpotState:
    """The start of a round in the last game of a match, with these hands; all other cards are gone."""
    players = len(hands)
    state = GAME.start(players, EXPERT if expert else {})
    advance(state, "position", 0)
    data = state.to_json()
    gone = Counter(deck_of(players, expert)) - Counter(card for hand in hands for card in hand.split())
    data |= {
        "game_number": players,
        "previous": [0] * players,
        "hands": [list(hand_order(hand.split())) for hand in hands],
        "gone": list(hand_order(gone.elements())),
        "order": [
            seat % players for seat in range(leader, leader + players) if hands[seat % players].split()
        ],
        "round_leader": leader,
        **changes,
    }
    return loaded(data)


def loaded(data: dict[str, Any]) -> TopSpotState:
    state = GAME.load(data)
    assert isinstance(state, TopSpotState)
    return state


def moves(state: TopSpotState, *texts: str) -> TopSpotState:
    """Plays these in turn, whoever's turn it is."""
    for text in texts:
        (seat,) = state.actors()
        state.apply(Event("move", text, seat))
        assert state.faults() == []
    return state


def deal_all(state: TopSpotState, *hands: str) -> None:
    for seat, hand in enumerate(hands):
        state.apply(Event("chance", f"deal {hand}", seat))


# --------------------------------------------------------------------------- the cards


@pytest.mark.parametrize(
    ("face", "numbers"),
    [
        ("A", (1, 8)), ("B", (1, 7)), ("C", (2, 8)), ("D", (2, 7)), ("E", (2, 6)), ("F", (3, 7)),
        ("G", (3, 6)), ("H", (3, 6)), ("I", (4, 7)), ("J", (4, 6)), ("K", (5, 7)), ("L", (5, 5)),
    ],
)  # fmt: skip
def test_corner_numbers_are_spots_and_spots_with_holes(face: str, numbers: tuple[int, int]) -> None:
    for colour in COLOURS:
        assert card_numbers(colour + face) == numbers
    assert card_grid("R" + face).count("@") == numbers[0]


def test_the_joker_has_six_holes_and_no_spot() -> None:
    assert card_numbers(JOKER) == (0, 6)


def test_every_card_reaches_its_second_number_in_some_stack_where_every_card_matters() -> None:
    cards = ["R" + face for face in FACES]
    reached = Counter(dict.fromkeys(cards, 1))
    for size in range(1, 6):
        for stack in permutations(cards, size):
            if slow_value(stack) == card_numbers(stack[0])[1] and slow_rule_3(stack):
                reached[stack[0]] = 2
    assert set(reached.values()) == {2}


def test_the_joker_reaches_six() -> None:
    state = position(" ".join([JOKER, *("R" + face for face in FACES)]), "YA", "GA")
    values = [stack_value(move) for move in state.legal(0) if move[0] == JOKER]
    assert max(values) == 6


def test_72_of_the_132_ordered_pairs_are_legal() -> None:
    pairs = list(permutations(["R" + face for face in FACES], 2))
    assert len(pairs) == 132
    assert sum(slow_rule_3(pair) for pair in pairs) == 72


def test_no_stack_of_six_is_legal_so_that_the_slow_account_may_stop_at_five() -> None:
    """Every start of a legal stack is legal, so one of six would begin with one of five."""
    found: list[tuple[str, ...]] = [(face,) for face in FACES]
    for _ in range(4):
        found = [(*start, face) for start in found for face in FACES if face not in start]
        found = [stack for stack in found if slow_rule_3(stack)]
    assert len(found) == 29
    assert not any(slow_rule_3((*start, face)) for start in found for face in FACES if face not in start)


def test_every_start_of_a_legal_stack_is_legal() -> None:
    for size in (2, 3, 4):
        for stack in permutations(FACES, size):
            if slow_rule_3(stack):
                assert slow_rule_3(stack[:-1])


def test_a_value_is_what_shows_from_above() -> None:
    assert stack_value("RA") == 1
    # A  O.O/OO@/OOO  over  G  O.@/@.O/.@O : A's spot at 6, and G's at 3, 4 and 8 through A's holes
    assert stack_value("RA+RG") == 4
    assert composite(["RA", "RG"]).grid == "O.@@.@.@O"
    # the other way round A's spot shows through G's hole at 6
    assert stack_value("RG+RA") == 4


def test_a_composite_says_which_card_shows_where() -> None:
    # A  O.O/OO@/OOO  over  L  .@./@.@/.@@ : A's spot at 6, plain at 2; L shows through all the rest
    seen = composite(["RA", "RL"])
    assert seen.grid == "...@.@.@@"
    assert seen.depth == (1, 0, 1, 1, 1, 0, 1, 1, 1)
    assert seen.value == 4
    assert composite(["*"]).grid == "O.OO.OO.O"
    with pytest.raises(ValueError, match="a stack has a card"):
        composite([])


@given(st.lists(st.sampled_from([*(c + f for c in COLOURS for f in FACES), JOKER]), min_size=1, max_size=6))
def test_composite_and_value_agree_with_the_slow_look_down(cards: list[str]) -> None:
    assert composite(cards).value == slow_value(cards) == stack_value("+".join(cards))
    assert composite(cards).grid.count("@") == slow_value(cards)


# --------------------------------------------------------------------------- legal lists

hands_of_six = st.lists(st.sampled_from(deck_of(3, expert=False)), min_size=1, max_size=6, unique=True)


@settings(max_examples=60, deadline=None)
@given(hands_of_six, st.integers(0, 2), st.sampled_from(["", "R", "Y", "G"]), st.booleans())
def test_the_legal_list_is_what_trying_everything_finds(
    cards: list[str], jokers: int, colour: str, expert: bool
) -> None:
    hand = [*cards[: 6 - jokers], *[JOKER] * jokers] if expert else cards
    rest = [card for card in deck_of(3, expert=False) if card not in hand]
    lead = next((card for card in rest if card[0] == colour), "")
    state = position(" ".join(hand), "", lead or "*", expert=True)
    if not expert:
        state = position(" ".join(hand), "", lead or rest[0], expert=False)
    if colour and (lead or expert):
        # seat 2 leads, seat 0 follows
        data = state.to_json()
        data |= {"order": [2, 0], "round_leader": 2}
        state = loaded(data)
        state.apply(Event("move", lead or f"*:{colour}", 2))
    elif colour:
        return
    assert state.actors() == (0,)
    found = state.legal(0)
    assert found == slow_moves(hand, colour, "RYG")
    assert found == GAME.legal(state.view(0))
    for move in found:
        state.check(0, move)
        GAME.check(state.view(0), move)
        assert state.read(0, move) == move
    assert state.stand_in(0) in found
    assert GAME.stand_in(GAME.choice(state.view(0))) == state.stand_in(0)


def test_a_whole_hand_is_listed_completely() -> None:
    hand = ["RA", "RB", "RC", "RD", "GA", "GE", "YI", JOKER, JOKER]
    state = position(" ".join(hand), "BA", "BB", "GB")
    assert state.legal(0) == slow_moves(hand, "", "RYGB", most=5)


def test_the_longest_legal_lists_come_quickly() -> None:
    """12 cards of few faces below a joker, the leader free to name one of five colours: well under 10 ms."""
    cards = [colour + face for colour in COLOURS for face in "ADEGH"][:12]
    state = position(" ".join([*cards, JOKER]), "PK", "PL", "PJ", "PI")
    times = []
    for _ in range(3):
        start = time.process_time()
        found = state.legal(0)
        times.append(time.process_time() - start)
    assert len(found) > 500
    assert min(times) < 0.010


@settings(max_examples=20, deadline=None)
@given(st.integers(3, 5), st.sampled_from(["junior", "expert"]), st.integers(0, 10**6))
def test_what_a_seat_may_do_follows_from_its_view(players: int, level: str, seed: int) -> None:
    state = GAME.start(players, {"level": level})
    count = len(advance(state, str(seed), 0))
    chance = Generator(str(seed), "moves")
    while state.outcome() is None:
        (seat,) = state.actors()
        assert state.choice(seat) == GAME.choice(state.view(seat))
        count += len(play(state, str(seed), count, seat, state.random_move(seat, chance)))


# --------------------------------------------------------------------------- rounds


def test_the_seat_left_of_the_dealer_leads_and_all_follow_in_turn() -> None:
    state = GAME.start(3, {})
    state.apply(Event("chance", "dealer 1"))
    advance(state, "lead", 1)
    assert state.view(None).order == (2, 0, 1)
    assert state.actors() == (2,)


def test_the_highest_value_in_colour_wins_a_point_and_leads() -> None:
    state = moves(position("RA RK", "RL RB", "YK YA", expert=False), "RA", "RL", "YK")
    assert state.view(None).points == (0, 1, 0)
    assert state.view(None).order == (1, 2, 0)
    last = state.view(None).last
    assert last is not None
    assert (last.how, last.winner, last.points, last.tied) == ("won", 1, 1, ())
    assert [play.counts for play in last.plays] == [True, True, False]


def test_whoever_has_the_colour_must_play_it() -> None:
    state = moves(position("RA RK", "RL YB", "YK YA", expert=False), "RA")
    with pytest.raises(Illegal) as caught:
        state.check(1, "YB")
    assert (caught.value.code, caught.value.rule) == ("follow", "4")
    assert state.legal(1) == ["RL"]


def test_whoever_lacks_the_colour_plays_exactly_one_card() -> None:
    state = moves(position("RA RK", "YA YG", "YK", expert=False), "RA")
    with pytest.raises(Illegal) as caught:
        state.check(1, "YA+YG")
    assert (caught.value.code, caught.value.rule) == ("one_card", "4")
    assert state.legal(1) == ["YA", "YG"]
    moves(state, "YG")
    assert state.view(None).void == ("", "R", "")


def test_nobody_may_play_a_card_that_adds_nothing() -> None:
    state = position("RL RA RK", "RB", "RC", expert=False)
    for move in ("RL+RA", "RK+RL"):
        if move not in state.legal(0):
            with pytest.raises(Illegal) as caught:
                state.check(0, move)
            assert (caught.value.code, caught.value.rule) == ("matter", "3")
    assert "RL+RA" not in state.legal(0)  # L has no holes


@pytest.mark.parametrize(
    ("move", "code", "rule"),
    [
        ("RB", "not_in_hand", "1"),
        ("RA+RA", "not_in_hand", "1"),
        ("PA", "not_in_hand", "1"),
        ("RA+YG", "mixed", "1"),
        ("RL+RA", "matter", "3"),
        ("RA+*", "joker_top", "9"),
        ("*+*", "joker_top", "9"),
        ("*+RA+*:R", "joker_top", "9"),
        ("*", "name_colour", "10"),
        ("*+RA", "name_colour", "10"),
        ("*:B", "not_a_colour", "10"),
        ("*+RB:R", "not_in_hand", "1"),
        ("*+RL+RA:R", "matter", "3"),
    ],
)
def test_what_a_leader_may_not_do(move: str, code: str, rule: str) -> None:
    state = position("RA RG RL YG *", "RB", "YA")
    for check in (lambda: state.check(0, move), lambda: GAME.check(state.view(0), move)):
        with pytest.raises(Illegal) as caught:
            check()
        assert (caught.value.code, caught.value.rule) == (code, rule)
        for language in LANGUAGES:
            assert sayer(language)(caught.value.key, **caught.value.data)


def test_only_the_leader_names_a_colour() -> None:
    state = moves(position("RA RK", "RL *", "YA *"), "RA")
    with pytest.raises(Illegal) as caught:
        state.check(1, "*:R")
    assert (caught.value.code, caught.value.rule) == ("colour_set", "10")


def test_there_are_no_jokers_at_junior_level() -> None:
    with pytest.raises(Illegal) as caught:
        position("RA", "RB", "RC", expert=False).check(0, "*:R")
    assert (caught.value.code, caught.value.rule) == ("joker_level", "9")


def test_seats_without_cards_are_skipped() -> None:
    state = position("RA RK", "", "RL YA", "", expert=False)
    assert state.view(None).order == (0, 2)
    moves(state, "RA", "RL")
    assert state.view(None).order == (2, 0)


def test_who_runs_out_without_winning_is_out_and_the_others_go_on() -> None:
    state = moves(position("RL YL", "RA", "RB YA", expert=False), "RL", "RA", "RB")
    assert state.outcome() is None
    assert state.view(None).order == (0, 2)


def test_at_junior_level_the_first_of_equals_wins() -> None:
    state = moves(position("RA YA", "RL YB", "RK YC", expert=False), "RA", "RL", "RK")
    last = state.view(None).last
    assert last is not None
    assert (last.winner, last.tied, last.how) == (1, (1, 2), "won")
    assert state.actors() == (1,)


def test_in_junior_equals_in_another_colour_do_not_count() -> None:
    state = moves(position("RA YA", "YL YB", "YK YC", expert=False), "RA", "YL", "YK")
    assert state.view(None).points == (1, 0, 0)


# --------------------------------------------------------------------------- ends


def test_winning_with_the_last_card_ends_the_game() -> None:
    state = moves(position("RA YA", "RL", "RB YC", expert=False), "RA", "RL", "RB")
    assert state.outcome() is not None
    assert state.view(None).scores == (0, 1, 0)
    assert state.view(None).last.ends_game  # type: ignore[union-attr]


def test_the_only_one_with_cards_left_scores_them_all() -> None:
    state = moves(position("RL YA YB *", "RA", "RB"), "RL", "RA", "RB")
    assert state.outcome() is not None
    assert state.view(None).scores == (1 + 3, 0, 0)


def test_a_match_is_one_game_each_with_the_deal_going_left() -> None:
    state = GAME.start(3, {})
    assert state.options["games"] == 3
    events = [Event("chance", "dealer 2")]
    state.apply(events[0])
    events += advance(state, "match", 1)
    dealers = {1: 2}
    while state.outcome() is None:
        (seat,) = state.actors()
        view = state.view(None)
        if view.game_number not in dealers:
            assert view.dealer is not None
            dealers[view.game_number] = view.dealer
            assert view.order[0] == (view.dealer + 1) % 3
            assert view.points == (0, 0, 0)
            assert view.totals == view.scores
            assert sum(view.previous) > 0
        events += play(state, "match", len(events), seat, state.stand_in(seat))
    assert dealers == {1: 2, 2: 0, 3: 1}
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason == "match over"
    assert outcome.scores == state.view(0).scores
    assert outcome.winners == tuple(seat for seat in range(3) if outcome.scores[seat] == max(outcome.scores))
    assert [event.text for event in events if event.text.startswith("dealer")] == ["dealer 2"]
    again = GAME.start(3, {})
    for event in events:
        again.apply(event)
    assert again.to_json() == state.to_json()


def test_a_tie_over_the_match_is_shared() -> None:
    state = position("RA", "RL", "RB", expert=False, totals=[1, 0, 0])
    moves(state, "RA", "RL", "RB")
    assert state.outcome() is not None
    assert state.outcome().winners == (0, 1)  # type: ignore[union-attr]


def test_a_longer_match() -> None:
    state = GAME.start(4, {"games": 8})
    assert state.view(None).games == 8
    assert GAME.written_options(4, state.options) == {"games": 8}
    assert GAME.written_options(4, GAME.options_for(4, {"games": 4})) == {}


# --------------------------------------------------------------------------- jokers


def test_a_joker_stack_may_be_played_though_one_could_follow() -> None:
    state = moves(position("RA YA", "RL YG YB *", "RB YC"), "RA")
    assert "*+YB" in state.legal(1)
    moves(state, "*+YG")
    assert state.view(None).plays[1].counts
    assert state.view(None).void == ("", "", "")


def test_a_leading_joker_names_the_colour_the_others_follow() -> None:
    state = position("RA RG *", "YL RB", "GA YC")
    assert "*+RA:Y" in state.legal(0)
    moves(state, "*+RA:Y")
    assert state.view(None).colour == "Y"
    assert state.legal(1) == ["YL"]


def test_a_lone_joker_can_win_with_nothing() -> None:
    state = moves(position("* YA", "RL RA", "RK RB"), "*:G", "RL", "RK")
    assert state.view(None).points == (1, 0, 0)


def test_two_lone_jokers_can_tie_at_nothing() -> None:
    state = moves(position("* YA", "* RA", "RK RB"), "*:G", "*", "RK")
    assert state.view(None).tiebreak == 1
    assert state.view(None).order == (0, 1)


def test_holding_only_jokers_and_other_colours_does_not_force_a_joker() -> None:
    state = moves(position("RA YA", "YL *", "RB YC"), "RA")
    assert state.legal(1) == ["*", "*+YL", "YL"]


def test_a_seat_with_only_jokers_plays_a_joker() -> None:
    state = moves(position("RA YA", "* *", "RB YC"), "RA")
    assert state.legal(1) == ["*"]
    assert state.stand_in(1) == "*"
    state = position("* *", "RA", "RB")
    assert state.legal(0) == ["*:G", "*:R", "*:Y"]
    assert state.stand_in(0) == "*:R"


def test_rule_3_below_a_joker_is_about_what_shows_through_its_holes() -> None:
    legal = position("* RA YL RL RC RK RJ", "RB", "YA").legal(0)
    assert "*+YL:R" in legal
    assert "*+RA+YL:R" not in legal  # A's spot at 6 only covers one of L's
    assert "*+RL+YL:R" not in legal  # the same picture twice adds nothing
    assert "RC+RK" in legal
    assert "*+RC+RK:R" not in legal  # what C adds to K is where the joker is plain
    assert "RA+RJ" not in legal
    assert "*+RA+RJ:R" in legal  # and here it is the other way round


def test_the_pages_examples_of_notation_are_notation_though_rule_3_forbids_the_stacks() -> None:
    state = position("RA RG RB BF *", "RC", "RD", "RE")
    for text in ("RA+RG+RB", "*+RA+BF:G"):
        assert state.read(0, text) == text
        with pytest.raises(Illegal) as caught:
            state.check(0, text)
        assert caught.value.rule == "3"
    state.check(0, "*:G")


# --------------------------------------------------------------------------- ties (expert)


def test_the_tied_play_a_tie_break_in_the_same_order_leading_any_colour() -> None:
    state = moves(position("RA YB YC", "RL YA GA", "RK YL GL"), "RA", "RL", "RK")
    view = state.view(None)
    assert (view.tiebreak, view.order, view.round_number, view.points) == (1, (1, 2), 1, (0, 0, 0))
    assert view.last is not None
    assert (view.last.how, view.last.tied, view.last.winner) == ("tie", (1, 2), None)
    moves(state, "YA", "YL")
    view = state.view(None)
    assert view.points == (0, 0, 1)  # one point for all of it
    assert view.order == (2, 0, 1)  # everybody is in again
    assert (view.tiebreak, view.round_number) == (0, 2)
    assert view.last is not None
    assert (view.last.how, view.last.tiebreak) == ("won", 1)


def test_a_new_tie_brings_a_new_tie_break() -> None:
    state = position("RA YB", "RL YL GA", "RK YK GL")
    moves(state, "RA", "RL", "RK", "YL", "YK")
    assert (state.view(None).tiebreak, state.view(None).order) == (2, (1, 2))
    moves(state, "GA", "GL")
    assert state.outcome() is not None  # with the last card
    assert state.view(None).scores == (0, 0, 1)


def test_in_a_tie_break_somebody_of_another_colour_cannot_win() -> None:
    state = moves(position("RA YB YC", "RL YA GA", "RK GL GK"), "RA", "RL", "RK")
    moves(state, "YA", "GL")
    assert state.view(None).points == (0, 1, 0)


def test_a_tied_player_out_of_cards_loses_and_the_one_left_wins_without_playing() -> None:
    state = moves(position("RA YB YC", "RL", "RK GL"), "RA", "RL", "RK")
    view = state.view(None)
    assert view.points == (0, 0, 1)
    assert view.last is not None
    assert (view.last.how, view.last.tied, view.last.winner) == ("walkover", (1, 2), 2)
    assert view.order == (2, 0)
    assert view.counts == (2, 0, 1)


def test_a_point_won_without_playing_by_the_only_one_with_cards_counts_the_rest() -> None:
    state = moves(position("RA", "RL", "RK GL *"), "RA", "RL", "RK")
    assert state.outcome() is not None
    assert state.view(None).scores == (0, 0, 1 + 2)


def test_running_out_in_a_tie_break_that_is_tied_again_loses_it() -> None:
    state = position("RA YB YC", "RL YL", "RK YK GL")
    moves(state, "RA", "RL", "RK", "YL", "YK")
    view = state.view(None)
    assert view.points == (0, 0, 1)
    assert view.last is not None
    assert (view.last.how, view.last.tiebreak) == ("walkover", 1)


def test_of_three_tied_the_two_with_cards_go_on() -> None:
    state = position("RL YB YC", "RK", "RA RI YA GG", "YL GL")
    moves(state, "RL", "RK", "RA+RI", "YL")
    view = state.view(None)
    assert view.last is not None
    assert (view.last.how, view.last.tied) == ("tie", (0, 1, 2))
    assert view.order == (0, 2)
    moves(state, "YB", "YA")
    assert state.view(None).tiebreak == 2  # B and A both show one spot
    moves(state, "YC", "GG")
    assert state.outcome() is not None  # with the last card
    assert state.view(None).scores == (1, 0, 0, 0)


def test_when_nobody_of_the_tied_has_cards_the_last_winner_before_leads() -> None:
    state = position("RA GB", "YL", "YK", "GC RB RC RD", leader=1, last_winner=3, round_number=2,
                     points=[0, 0, 0, 1])  # fmt: skip
    moves(state, "YL", "YK", "RB", "RA")
    view = state.view(None)
    assert view.last is not None
    assert (view.last.how, view.last.winner, view.last.points) == ("nobody", None, 0)
    assert view.points == (0, 0, 0, 1)
    assert view.order == (3, 0)
    assert (view.round_number, view.tiebreak) == (3, 0)


def test_with_no_earlier_winner_the_leader_of_the_round_leads_again() -> None:
    state = moves(position("RA GB", "RL", "RK", "YC YB"), "RA", "RL", "RK", "YC")
    assert state.view(None).last.how == "nobody"  # type: ignore[union-attr]
    assert state.view(None).order == (0, 3)


def test_if_that_seat_has_no_cards_the_next_clockwise_with_cards_leads() -> None:
    state = moves(position("RL", "RK", "YB YC", "YA GA"), "RL", "RK", "YB", "YA")
    assert state.view(None).order == (2, 3)
    # and the same for a last winner without cards
    state = position("RL", "RK", "YB YC", "YA GA", last_winner=1, round_number=2, points=[0, 1, 0, 0])
    moves(state, "RL", "RK", "YB", "YA")
    assert state.view(None).order == (2, 3)


def test_the_leader_of_the_original_round_leads_again_after_a_tie_break_without_winner() -> None:
    state = position("RA GB", "RL YL", "RK YK", "YC YB")
    moves(state, "RA", "RL", "RK", "YC", "YL", "YK")
    view = state.view(None)
    assert view.last is not None
    assert (view.last.how, view.last.tiebreak) == ("nobody", 1)
    assert view.order == (0, 3)


def test_a_last_seat_with_cards_leads_alone_wins_and_counts_the_rest() -> None:
    state = moves(position("RL", "RK", "YB YC YA *"), "RL", "RK", "YB")
    assert state.view(None).order == (2,)
    assert "*+YA:R" in state.legal(2)
    moves(state, "YC")
    assert state.outcome() is not None
    assert state.view(None).scores == (0, 0, 1 + 2)


def test_a_game_that_ends_in_a_tie_with_no_cards_left_scores_nothing() -> None:
    state = moves(position("RA", "RL", "RK"), "RA", "RL", "RK")
    assert state.outcome() is not None
    assert state.view(None).scores == (0, 0, 0)
    assert state.outcome().winners == (0, 1, 2)  # type: ignore[union-attr]


def test_winning_a_tie_break_with_the_last_card_ends_the_game() -> None:
    state = moves(position("RA YB", "RL YL", "RK YA GA"), "RA", "RL", "RK", "YL", "YA")
    assert state.outcome() is not None
    assert state.view(None).scores == (0, 1, 0)


# --------------------------------------------------------------------------- trees

TREES = [
    (("RA RG YL", "RL YK", "YA YC"), False, 6),
    (("RL YK *", "RK YL", "* YA"), True, 7),
    (("RL YA", "RK YG", "GL YL", "GK YK"), True, 8),
]


@pytest.mark.parametrize(("hands", "expert", "depth"), TREES)
def test_trees_are_as_large_and_end_as_the_slow_account_says(
    hands: tuple[str, ...], expert: bool, depth: int
) -> None:
    state = position(*hands, expert=expert)
    slow = SlowGame([hand.split() for hand in hands], 0, expert)
    assert tree(state, depth) == slow_tree(slow, depth)


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 5), st.booleans(), st.integers(0, 10**6))
def test_random_ends_of_games_go_as_the_slow_account_says(players: int, expert: bool, seed: int) -> None:
    chance = Generator(str(seed), "hands")
    sizes = [chance.below(5) for _ in range(players)]
    leader = chance.below(players)
    sizes[leader] = max(1, sizes[leader])
    cards = chance.sample(deck_of(players, expert), sum(sizes))
    hands = [[cards.pop() for _ in range(size)] for size in sizes]
    state = position(*(" ".join(hand) for hand in hands), leader=leader, expert=expert)
    slow = SlowGame(hands, leader, expert)
    while state.outcome() is None:
        assert not slow.ended
        (seat,) = state.actors()
        assert seat == slow.seat()
        legal = state.legal(seat)
        assert legal == slow.moves()
        move = chance.choice(legal)
        state.apply(Event("move", move, seat))
        slow.do(move)
        assert state.faults() == []
        assert list(state.view(None).scores) == slow.points
    assert slow.ended


# --------------------------------------------------------------------------- notation


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("ra", "RA"),
        (" r a ", "RA"),
        ("ra+rg", "RA+RG"),
        ("RA RG", "RA+RG"),
        ("ra, rg", "RA+RG"),
        ("rarg", "RA+RG"),
        ("* : g", "*:G"),
        ("*+ra+bf:g", "*+RA+BF:G"),
        ("* ra bf g", "*+RA+BF:G"),
    ],
)
def test_what_a_person_types_is_read_kindly(typed: str, canonical: str) -> None:
    assert position("RA", "RB", "RC").read(0, typed) == canonical


def test_another_legal_order_of_the_same_stack_is_the_same_move() -> None:
    state = position(" ".join("R" + face for face in FACES), "YA", "GA", expert=False)
    legal = set(state.legal(0))
    seen = 0
    for stack in permutations(["R" + face for face in FACES], 3):
        if not slow_rule_3(stack):
            continue
        text = "+".join(stack)
        same = [
            "+".join(order)
            for order in permutations(stack)
            if slow_rule_3(order) and slow_value(order) == slow_value(stack)
        ]
        assert state.read(0, text) == min(same)
        assert min(same) in legal
        if text != min(same):
            seen += 1
            for refused in (
                lambda text=text: state.check(0, text),
                lambda text=text: state.apply(Event("move", text, 0)),
            ):
                with pytest.raises(Unreadable):
                    refused()
    assert seen > 50


def test_two_orders_with_different_values_are_two_moves() -> None:
    cards = ["R" + face for face in FACES]
    values: dict[frozenset[str], set[int]] = {}
    for size in (2, 3, 4):
        for stack in permutations(cards, size):
            if slow_rule_3(stack):
                values.setdefault(frozenset(stack), set()).add(slow_value(stack))
    several = {cards for cards, found in values.items() if len(found) > 1}
    assert several
    state = position(" ".join(cards), "YA", "GA", expert=False)
    listed = Counter(frozenset(stack_cards(move)) for move in state.legal(0))
    assert {cards for cards, n in listed.items() if n > 1} == several


def test_a_stack_of_mixed_colours_below_a_joker_has_its_smallest_order_too() -> None:
    state = position("* RG BA", "BB", "YA", "GA")
    three = [move for move in state.legal(0) if move.count("+") == 2 and move.endswith(":R")]
    for move in three:
        cards = stack_cards(move)[1:]
        turned = "+".join([JOKER, *reversed(cards)]) + ":R"
        if slow_rule_3([JOKER, *reversed(cards)]) and stack_value(turned[:-2]) == stack_value(move[:-2]):
            assert move < turned
            assert state.read(0, turned) == move


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "ra", "RA ", " RA", "RA+", "+RA", "RA++RG", "RA+ RG", "RM", "XA", "R", "RA:G", "RA+RG:R",
        "*:X", "*:", "*:GG", "**", "J", "pass", "RА", "ＲＡ", "R1", "*+RA:g", "RA+RG\n", "\x00", "call 10",
        "RA+" * 1000 + "RA",
    ],
)  # fmt: skip
def test_what_is_no_move_is_unreadable(text: str) -> None:
    state = position("RA RG *", "RB", "RC")
    with pytest.raises(Unreadable):
        state.check(0, text)
    with pytest.raises(Unreadable):
        state.check(1, text)  # before whose turn it is
    with pytest.raises(Unreadable):
        state.apply(Event("move", text, 0))


@pytest.mark.parametrize("player", [None, -1, 3, True, "0"])
def test_a_move_needs_a_seat(player: Any) -> None:
    with pytest.raises(Unreadable):
        position("RA", "RB", "RC").apply(Event("move", "RA", player))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60) | st.text("RYGBPABCJL*+: ", max_size=30))
def test_no_text_whatever_breaks_reading(text: str) -> None:
    state = position("RA RG *", "RB", "RC")
    try:
        canonical = state.read(0, text)
    except Unreadable:
        pass
    else:
        assert state.read(0, canonical) == canonical
        try:
            state.check(0, canonical)
        except Illegal as error:
            assert error.rule
        else:
            assert canonical in state.legal(0)
    for event in (Event("chance", text), Event("chance", text, 0)):
        with pytest.raises((Unreadable, Extra)):
            state.apply(event)


def test_who_may_not_act_is_told_so() -> None:
    state = position("RA", "RB", "RC")
    with pytest.raises(NotYours) as caught:
        state.check(1, "RB")
    assert caught.value.code == "turn"
    with pytest.raises(NotYours):
        state.apply(Event("move", "RB", 1))
    with pytest.raises(NotYours):
        GAME.check(state.view(1), "RB")
    assert state.legal(1) == GAME.legal(state.view(1)) == GAME.legal(state.view(None)) == []


def test_after_the_end_nothing_goes() -> None:
    state = moves(position("RA", "RL", "RB", expert=False), "RA", "RL", "RB")
    with pytest.raises(NotYours) as caught:
        state.check(0, "RA")
    assert caught.value.code == "over"
    for event in (Event("move", "RA", 0), Event("chance", "dealer 0"), Event("chance", "nonsense")):
        with pytest.raises(Extra) as extra:
            state.apply(event)
        assert extra.value.code == "over"
    assert state.faults() == []


# --------------------------------------------------------------------------- chance


def test_the_dealer_is_drawn_once_and_hands_come_seat_by_seat() -> None:
    state = GAME.start(3, {})
    drawn = advance(state, "seed", 0)
    assert [event.player for event in drawn] == [None, 0, 1, 2]
    assert drawn[0].text.startswith("dealer ")
    assert all(len(event.text.split()) == 13 for event in drawn[1:])
    assert sorted(card for event in drawn[1:] for card in event.text.split()[1:]) == sorted(deck_of(3, False))


@pytest.mark.parametrize(
    "text", ["dealer", "dealer 00", "dealer  1", "dealer -1", "dealer ١", "Dealer 1", "deal R"]
)
def test_chance_that_cannot_be_read(text: str) -> None:
    with pytest.raises(Unreadable):
        GAME.start(3, {}).apply(Event("chance", text))


def test_chance_of_the_wrong_shape_or_at_the_wrong_time() -> None:
    state = GAME.start(3, {})
    hand = "deal " + " ".join(sorted("R" + face for face in FACES))
    with pytest.raises(Unreadable):
        state.apply(Event("chance", "dealer 0", 0))
    with pytest.raises(Missing) as missing:
        state.apply(Event("chance", hand, 0))
    assert missing.value.code == "other_chance"
    with pytest.raises(Missing) as missing:
        state.apply(Event("move", "RA", 0))
    assert missing.value.code == "chance"
    for dealer in ("3", "12345678901234567890", "9" * 900):
        with pytest.raises(Impossible):
            state.apply(Event("chance", f"dealer {dealer}"))
    state.apply(Event("chance", "dealer 0"))
    with pytest.raises(Unreadable):
        state.apply(Event("chance", hand))
    with pytest.raises(Unreadable):
        state.apply(Event("chance", hand, 3))
    for event in (Event("chance", hand, 1), Event("chance", "dealer 0")):
        with pytest.raises(Missing):
            state.apply(event)
    advance(state, "rest", 1)
    with pytest.raises(Extra) as extra:
        state.apply(Event("chance", hand, 0))
    assert extra.value.code == "chance"


@pytest.mark.parametrize(
    ("options", "cards", "code"),
    [
        ({}, "RA RB RC RD RE RF RG RH RI RJ RK", "deal_count"),
        ({}, "RA RB RC RD RE RF RG RH RI RJ RK RL YA", "deal_count"),
        ({}, "RA RB RC RD RE RF RG RH RI RJ RK *", "deal_joker"),
        ({}, "BA RB RC RD RE RF RG RH RI RJ RK RL", "deal_card"),
        ({}, "RA RA RC RD RE RF RG RH RI RJ RK RL", "deal_card"),
        (EXPERT, "RA RB RC RD RE RF RG RH RI * * * *", "deal_joker"),
        ({"level": "expert", "joker_each": True}, "RA RB RC RD RE RF RG RH RI RJ RK RL YA", "deal_joker"),
        ({"level": "expert", "joker_each": True}, "RA RB RC RD RE RF RG RH RI RJ RK * *", "deal_joker"),
    ],
)
def test_hands_that_cannot_be(options: dict[str, object], cards: str, code: str) -> None:
    state = GAME.start(3, options)
    state.apply(Event("chance", "dealer 0"))
    before = state.to_json()
    with pytest.raises(Impossible) as caught:
        state.apply(Event("chance", f"deal {cards}", 0))
    assert caught.value.code == code
    assert state.to_json() == before
    for language in LANGUAGES:
        assert sayer(language)(caught.value.key, **caught.value.data)


def test_a_hand_is_written_sorted_with_jokers_last() -> None:
    state = GAME.start(3, EXPERT)
    state.apply(Event("chance", "dealer 0"))
    rest = " ".join("R" + face for face in "BCDEFGHIJK")
    for wrong in (f"deal * RA {rest} YA", f"deal RA {rest} * YA", f"deal YA RA {rest} *"):
        with pytest.raises(Unreadable):
            state.apply(Event("chance", wrong, 0))
    state.apply(Event("chance", f"deal RA {rest} YA *", 0))
    assert state.view(0).hand[-2:] == ("YA", JOKER)


def test_a_card_is_dealt_once() -> None:
    state = GAME.start(3, {})
    state.apply(Event("chance", "dealer 0"))
    hand = " ".join("R" + face for face in FACES)
    state.apply(Event("chance", f"deal {hand}", 0))
    with pytest.raises(Impossible):
        state.apply(Event("chance", f"deal {hand}", 1))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_joker_each_gives_everybody_one(players: int) -> None:
    for seed in range(5):
        state = GAME.start(players, {"level": "expert", "joker_each": True})
        advance(state, str(seed), 0)
        for seat in range(players):
            assert state.view(seat).hand.count(JOKER) == 1
            assert len(state.view(seat).hand) == 13


def test_without_it_jokers_fall_where_they_may() -> None:
    counts: set[int] = set()
    for seed in range(20):
        state = GAME.start(3, EXPERT)
        advance(state, str(seed), 0)
        hands = [state.view(seat).hand for seat in range(3)]
        assert sum(hand.count(JOKER) for hand in hands) == 3
        assert {len(hand) for hand in hands} == {13}
        counts.update(hand.count(JOKER) for hand in hands)
    assert counts >= {0, 1, 2}


# --------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("players", "options", "code"),
    [
        (2, {}, "seats"),
        (6, {}, "seats"),
        (3, {"level": "hard"}, "option_value"),
        (3, {"joker_each": 1, "level": "expert"}, "option_value"),
        (3, {"joker_each": True}, "joker_each"),
        (3, {"games": 4}, "games"),
        (3, {"games": 0}, "option_value"),
        (4, {"games": 10**5000}, "option_value"),
        (3, {"games": None}, "option_value"),
        (3, {"games": True}, "option_value"),
        (3, {"jokers": True}, "unknown_option"),
    ],
)
def test_options_that_cannot_be(players: int, options: dict[str, object], code: str) -> None:
    with pytest.raises(SetupError) as caught:
        GAME.start(players, options)
    assert caught.value.code == code
    for language in LANGUAGES:
        assert sayer(language)(caught.value.key, **caught.value.data)


# --------------------------------------------------------------------------- secrets


@settings(max_examples=20, deadline=None)
@given(st.integers(3, 5), st.booleans(), st.integers(0, 10**6), st.integers(0, 25))
def test_what_others_hold_reaches_nobody(players: int, expert: bool, seed: int, length: int) -> None:
    """The others' cards are dealt among them anew: nothing that the watcher gets changes."""
    state = GAME.start(players, EXPERT if expert else {})
    events = advance(state, str(seed), 0)
    chance = Generator(str(seed), "moves")
    for _ in range(length):
        if state.outcome() is None:
            (seat,) = state.actors()
            events += play(state, str(seed), len(events), seat, state.random_move(seat, chance))
    watcher = chance.below(players)
    others = [seat for seat in range(players) if seat != watcher]
    data = state.to_json()
    hands: Any = data["hands"]
    pool = [card for seat in others for card in hands[seat]]
    pool = chance.shuffled(pool)
    swapped = list(hands)
    for seat in others:
        size = len(hands[seat])
        swapped[seat] = list(hand_order(pool[:size]))
        pool = pool[size:]
    twin = GAME.load({**data, "hands": swapped})
    assert str(state) == str(twin)
    for looking in (watcher, None):
        view, other = state.view(looking), twin.view(looking)
        assert view == other
        assert GAME.legal(view) == GAME.legal(other)
        for language in LANGUAGES:
            say = sayer(language)
            assert GAME.board_text(view, NAMES, say) == GAME.board_text(other, NAMES, say)
        redacted = state.redact(events, looking)
        for event, shown in zip(events, redacted, strict=True):
            if event.text.startswith("deal "):
                if event.player == looking:
                    assert shown == event
                else:
                    assert set(shown.text.split()[1:]) == {"?"}
                    assert len(shown.text.split()) == len(event.text.split())
            else:
                assert shown == event
            assert GAME.describe(shown, NAMES, sayer("en"))


def test_a_hand_shows_to_its_owner_alone() -> None:
    state = position("RA RK", "YL YB", "GC GD", expert=False)
    assert state.view(0).hand == ("RA", "RK")
    assert state.view(None).hand == ()
    text = GAME.board_text(state.view(1), NAMES, sayer("en"))
    assert "YL, 5 spots, at most 5. Top: plain, spot, plain. Middle: spot, plain, spot." in text
    assert "RA, 1 spot" not in text


# --------------------------------------------------------------------------- JSON, faults


@settings(max_examples=20, deadline=None)
@given(st.integers(3, 5), st.sampled_from(["junior", "expert"]), st.integers(0, 10**6), st.integers(0, 60))
def test_a_state_survives_json_and_has_no_faults(players: int, level: str, seed: int, length: int) -> None:
    state = GAME.start(players, {"level": level})
    assert state.faults() == []
    events = advance(state, str(seed), 0)
    chance = Generator(str(seed), "moves")
    for _ in range(length):
        if state.outcome() is None:
            (seat,) = state.actors()
            events += play(state, str(seed), len(events), seat, state.random_move(seat, chance))
    assert state.faults() == []
    again = GAME.load(json.loads(json.dumps(state.to_json())))
    assert again.to_json() == state.to_json()
    for seat in (*range(players), None):
        assert again.view(seat) == state.view(seat)
        assert hash(again.view(seat)) == hash(state.view(seat))
    replayed = GAME.start(players, {"level": level})
    for event in events:
        replayed.apply(event)
    assert replayed.to_json() == state.to_json()
    copy = state.clone()
    if state.outcome() is None:
        before = state.to_json()
        (seat,) = copy.actors()
        play(copy, "copy", len(events), seat, copy.stand_in(seat))
        assert state.to_json() == before


def test_faults_between_two_deals_are_none() -> None:
    state = GAME.start(3, EXPERT)
    state.apply(Event("chance", "dealer 0"))
    while state.chance_due():
        assert state.faults() == []
        assert GAME.load(state.to_json()).to_json() == state.to_json()
        state.apply(state.draw(Generator("faults", str(state.dealt))))


def damage(state: TopSpotState, **values: Any) -> list[str]:
    damaged = state.clone()
    for name, value in values.items():
        setattr(damaged, name, value)
    return damaged.faults()


def test_damaged_states_are_listed() -> None:
    state = moves(position("RA RK YA", "RL YB *", "YK YC"), "RA")
    assert state.faults() == []
    assert damage(state, hands=[state.hands[0], state.hands[0], state.hands[2]])
    assert damage(state, hands=[0, state.hands[1], state.hands[2]])
    assert damage(state, hands=[1 << 59, state.hands[1], state.hands[2]])
    assert damage(state, gone=state.gone & ~1)
    assert damage(state, gone_jokers=3)
    assert damage(state, jokers=[0, 0, 0])
    assert damage(state, jokers=[-1, 2, 0])
    assert damage(state, order=(0, 1))
    assert damage(state, order=(0, 2, 1))
    assert damage(state, order=(1, 2, 0))
    assert damage(state, order=(0, 1, 1))
    assert damage(state, order=())
    assert damage(state, plays=[])
    assert damage(state, plays=state.plays * 3)
    assert damage(state, colour=1)
    assert damage(state, colour=-1)
    assert damage(state, points=[0, 0, -1])
    assert damage(state, points=[1, 0, 0])
    assert damage(state, totals=[-1, 0, 0])
    assert damage(state, last_winner=0)
    assert damage(state, last_winner=7)
    assert damage(state, round_leader=1)
    assert damage(state, round_number=0)
    assert damage(state, tiebreak=-1)
    assert damage(state, void=[1 << 1, 0, 0])
    assert damage(state, dealer=-1)
    assert damage(state, dealer=3)
    assert damage(state, dealt=2)
    assert damage(state, game_number=0)
    assert damage(state, game_number=4)
    assert damage(state, games=4)
    assert damage(state, stage="deal")
    assert damage(state, stage="over")
    assert damage(state, stage="tea")
    assert damage(state, expert=False)
    assert damage(state, previous=())
    play_ = state.plays[0]
    assert damage(state, plays=[type(play_)(0, "RA", 2, True)])
    assert damage(state, plays=[type(play_)(0, "RA", 1, False)])
    assert damage(state, plays=[type(play_)(0, "RK", 5, True)])
    follow = moves(state, "*").clone()
    assert damage(follow, plays=[follow.plays[0], type(play_)(1, "*", 0, False)])
    dealing = GAME.start(3, {})
    dealing.apply(Event("chance", "dealer 0"))
    assert damage(dealing, dealt=1)
    assert damage(dealing, dealt=3)
    assert damage(dealing, gone=1)


def test_garbage_is_no_state() -> None:
    good = position("RA RK", "RL *", "YK YC").to_json()
    assert GAME.load(good).to_json() == good
    bad: list[dict[str, Any]] = [
        {"schema": 2}, {"players": 9}, {"players": "3"}, {"options": {"x": 1}}, {"options": 3},
        {"phase": "tea"}, {"hands": [["RA"]]}, {"hands": [["XX"], [], []]}, {"hands": [["RA", "RA"], [], []]},
        {"hands": [[["RA"]], [], []]}, {"gone": "RA"}, {"points": [0, 0]}, {"points": [0, 0, "1"]},
        {"points": [0, 0, True]}, {"void": ["Z", "", ""]}, {"order": [0, 1, 5]}, {"order": None},
        {"colour": "X"}, {"dealer": 3}, {"plays": [{}]}, {"order": []}, {"last": 7}, {"last": {}},
        {"plays": [{"seat": 0, "stack": "RA", "value": "1", "counts": True}]},
    ]  # fmt: skip
    for data in bad:
        with pytest.raises(ValueError):
            GAME.load(data)
    for key in good:
        with pytest.raises(ValueError):
            GAME.load({name: value for name, value in good.items() if name != key})
    with pytest.raises(ValueError):
        GAME.load({})


# --------------------------------------------------------------------------- drafts


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 5), st.integers(0, 10**6), st.booleans())
def test_drafts_reach_every_legal_move_and_never_a_dead_end(players: int, seed: int, follow: bool) -> None:
    state = GAME.start(players, EXPERT)
    advance(state, str(seed), 0)
    chance = Generator(str(seed), "draft")
    if follow:
        (seat,) = state.actors()
        state.apply(Event("move", state.random_move(seat, chance), seat))
    (seat,) = state.actors()
    view = state.view(seat)
    legal = set(state.legal(seat))
    reached = set()
    todo = list(draft(view).more)
    while todo:
        text = todo.pop()
        made = draft(view, text)
        assert made.value == slow_value(made.cards)
        assert all(made.matters)
        assert made.legal != made.name  # a move, or one but for its colour
        if made.name:
            for colour in made.colours:
                reached.add(draft(view, f"{text}:{colour}").move)
        else:
            reached.add(made.move)
        todo += [f"{text}+{card}" for card in made.more]
    assert reached == legal


def test_a_draft_says_which_card_does_not_matter() -> None:
    view = position("RL RA RG *", "RB", "RC").view(0)
    made = draft(view, "RL+RA")
    assert made.matters == (True, False)
    assert (made.legal, made.more, made.value) == (False, (), 5)
    assert draft(view).more == ("RA", "RG", "RL", JOKER)
    assert draft(view, "RA").more == tuple(c for c in ("RG", "RL") if slow_rule_3(["RA", c]))
    assert draft(view, "*").name
    assert draft(view, "*").colours == "RYG"
    assert draft(view, "*:G").move == "*:G"
    assert draft(view, "*:G").named == "G"
    with pytest.raises(Unreadable):
        draft(view, "RA+")
    with pytest.raises(NotYours):
        draft(position("RA", "RB", "RC").view(1), "RB")


def test_a_draft_in_another_order_gives_the_canonical_move() -> None:
    state = position(" ".join("R" + face for face in FACES), "YA", "GA", expert=False)
    turned = [
        stack
        for stack in permutations(["R" + face for face in FACES], 3)
        if slow_rule_3(stack) and "+".join(stack) not in state.legal(0)
    ]
    assert turned
    for stack in turned[:20]:
        assert draft(state.view(0), "+".join(stack)).move in state.legal(0)


# --------------------------------------------------------------------------- the drawing


def test_a_position_is_drawn_as_everybody_sees_it() -> None:
    state = position("RA RG YA *", "YB YL YK", "RK RL", totals=[2, 0, 0], points=[0, 1, 0], last_winner=1,
                     round_number=2, dealer=2)  # fmt: skip
    moves(state, "RA+RG", "YL")
    assert str(state).splitlines() == [
        "topspot expert, game 3 of 3, round 2",
        "colour in play: R",
        "seat 0       seat 1       seat 2 dealer <",
        "cards 2      cards 2      cards 2",
        "points 2+0   points 0+1   points 0+0",
        "RA+RG        YL",
        "O.@          .@.",
        "@.@          @.@",
        ".@O          .@@",
        "4            (5)",
    ]


def test_a_tie_break_and_the_end_are_drawn() -> None:
    state = moves(position("RA YB", "RL YL", "RK YA GA"), "RA", "RL", "RK", "YL")
    assert str(state).splitlines()[:2] == [
        "topspot expert, game 3 of 3, round 1, tie-break 1",
        "colour in play: Y",
    ]
    moves(state, "YA")
    assert str(state).splitlines()[:2] == ["topspot expert, game 3 of 3, over", "winners: seat 1"]
    assert str(GAME.start(3, {})).startswith("topspot junior, game 1 of 3, dealer\nseat 0 ")


# --------------------------------------------------------------------------- words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phase_and_result_has_words(language: str) -> None:
    say = sayer(language)
    states = [
        GAME.start(3, EXPERT),
        position("RA YA", "RL YB", "RK YC", expert=False),
        moves(position("RA YA", "RL YB", "RK YC", expert=False), "RA", "RL", "RK"),
        moves(position("RA YB YC", "RL YA GA", "RK YL GL"), "RA", "RL", "RK"),
        moves(position("RA YB YC", "RL", "RK GL"), "RA", "RL", "RK"),
        moves(position("RA", "RL", "RK"), "RA", "RL", "RK"),
        moves(position("RA YA", "GL", "GK"), "RA", "GL"),
    ]
    for state in states:
        for seat in (0, None):
            text = GAME.board_text(state.view(seat), NAMES, say)
            assert "{" not in text
            assert all(name in text for name in NAMES[:3])
    for number in range(1, 6):
        assert 0 < len(say(f"topspot.rules.{number}")) <= 1500
    assert say("topspot.reason.match_over")


def test_events_are_told() -> None:
    say = sayer("en")
    tell = {
        Event("chance", "dealer 1"): "Ben deals the first game.",
        Event("chance", "deal RA RB *", 0): "Ada is dealt RA, RB, *.",
        Event("chance", "deal ? ?", 2): "Cleo is dealt 2 cards.",
        Event("move", "RA+RG", 0): f"Ada plays RA+RG, worth {slow_value(['RA', 'RG'])} spots.",
        Event("move", "*:G", 1): "Ben leads *, worth 0 spots, and names green (G).",
    }
    for event, words in tell.items():
        assert GAME.describe(event, NAMES, say) == words
