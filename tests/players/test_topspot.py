"""Top Spot's computer player: legal, of the view alone, and better than chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any

import pytest

from bot.levels import Level
from bot.locale import text
from bot.players import choose
from bot.players.topspot import PLAYER, Games, shares
from bot.players.topspot.dealing import Dealer, position, read
from bot.players.topspot.ending import Ending, TooMuch, known_rest
from bot.players.topspot.judge import FEATURES, Judge, judge_of
from bot.players.topspot.learn import deal, learned
from bot.players.topspot.playout import Move, Playout
from bot.rules.chance import Generator
from bot.rules.game import Event, advance, play
from bot.rules.topspot import (
    COLOURS,
    GAME,
    TopSpotState,
    TopSpotView,
    hand_order,
    stack_cards,
    stack_value,
    stacks_of_faces,
)
from bot.rules.topspot.cards import JOKER_CARD, masked
from tests.sweeps import swept_rows

from .spread import spread_evenly


def match(players: int, options: dict[str, object], seed: str, seat: int) -> TopSpotState:
    """A match of the computer player at `seat` against chance at all others."""
    state = GAME.start(players, options)
    count = len(advance(state, seed, 0))
    chance = Generator(seed, "others")
    while state.outcome() is None:
        (actor,) = state.actors()
        if actor == seat:
            move = choose("topspot", state.view(actor), Generator(seed, f"player:{count}"))
            assert move in state.legal(actor)
        else:
            move = state.random_move(actor, chance)
        count += len(play(state, seed, count, actor, move))
    return state


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "options", "matches", "least"),
    [
        (3, {}, 3, 2),  # there is luck in a match
        (3, {"level": "expert"}, 2, 2),
        (4, {"level": "expert", "joker_each": True}, 1, 1),
        (5, {}, 1, 1),
    ],
)
def test_it_beats_chance_at_every_other_seat(
    players: int, options: dict[str, object], matches: int, least: int
) -> None:
    won = 0
    for number in range(matches):
        outcome = match(players, options, f"match {number}", number % players).outcome()
        assert outcome is not None
        won += outcome.winners == (number % players,)
    assert won >= least


def test_the_same_view_and_chance_give_the_same_move_whatever_the_others_hold() -> None:
    state = GAME.start(4, {"level": "expert"})
    advance(state, "same", 0)
    (seat,) = state.actors()
    data = state.to_json()
    hands: Any = data["hands"]
    others = [each for each in range(4) if each != seat]
    pool: list[str] = sorted(card for each in others for card in hands[each])
    twin = GAME.load(
        {
            **data,
            "hands": [
                hands[each] if each == seat else list(hand_order(pool[others.index(each) :: 3]))
                for each in range(4)
            ],
        }
    )
    assert twin.to_json() != data
    moves = {choose("topspot", each.view(seat), Generator("x", "y")) for each in (state, twin, state)}
    assert len(moves) == 1


def few_left(hands: list[str], plays: list[str], **options: object) -> TopSpotState:
    """A position of the third game of three players, with these hands before these plays; all jokers are
    gone."""
    begin = begun(3, options, "few", 0)[0]
    data = begin.to_json()
    held = {card for hand in hands for card in hand.split()}
    state = GAME.load(
        {
            **data,
            "hands": [sorted(hand.split()) for hand in hands],
            "gone": [
                *sorted(c + f for c in "RYG" for f in "ABCDEFGHIJKL" if c + f not in held),
                *("*" * sum(begin.jokers)),
            ],
            "order": [0, 1, 2],
            "round_leader": 0,
            "points": [2, 2, 2],
            "last_winner": 0,
            "round_number": 7,
        }
    )
    assert state.faults() == []
    for seat, text_ in enumerate(plays):
        state.apply(Event("move", text_, seat))
    assert isinstance(state, TopSpotState)
    return state


@pytest.mark.parametrize("level", [Level.MEDIUM, Level.HARD])
def test_it_takes_a_point_that_ends_the_game(level: Level) -> None:
    end = few_left(["RA", "RL YA", "RB RC"], ["RA"])
    # L shows 5, and the best that is left to the last seat is less
    assert choose("topspot", end.view(1), Generator("x", "y"), level) == "RL"


@pytest.mark.parametrize("level", [Level.MEDIUM, Level.HARD])
@pytest.mark.parametrize(
    ("hands", "plays", "right"),
    [
        # the others are out after this round: four points at once with the one card that wins
        (["RC", "RD", "RJ RL YA YB"], ["RC", "RD"], {"RJ", "RL"}),
        # neither L nor green can be beaten by what is left, and who wins this round takes all
        (["RL YA GA", "RB", "YC"], [], {"RL", "GA"}),
        # nothing wins: the strong card of another colour is kept
        (["RL RK", "YL GA", "RB RC"], ["RL"], {"GA"}),
        # nothing wins: one card of the colour, and not the best
        (["RL RK GL", "RA RJ GB YB", "RB RC YC"], ["RL"], {"RA"}),
    ],
)
def test_what_anybody_sees_it_sees(level: Level, hands: list[str], plays: list[str], right: set[str]) -> None:
    state = few_left(hands, plays)
    (seat,) = state.actors()
    assert choose("topspot", state.view(seat), Generator("x", "y"), level) in right


def test_a_seat_that_may_not_act_has_no_move() -> None:
    state = GAME.start(3, {})
    advance(state, "none", 0)
    (seat,) = state.actors()
    with pytest.raises(ValueError, match="may not act"):
        choose("topspot", state.view((seat + 1) % 3), Generator("x", "y"))


@pytest.mark.parametrize(("joker", "count"), [(False, 207), (True, 129)])
def test_the_stacks_it_reckons_with_are_those_of_the_rules(joker: bool, count: int) -> None:
    stacks = stacks_of_faces(joker)
    assert len(stacks) == count
    for faces, value in stacks:
        text = "+".join(["*"] * joker + ["R" + face for face in faces])
        assert stack_value(text) == value


# ---------------------------------------------------------------- the quick game, worlds, candidates

KINDS: list[tuple[int, dict[str, object]]] = [
    (3, {}),
    (4, {}),
    (5, {}),
    (3, {"level": "expert"}),
    (4, {"level": "expert", "joker_each": True}),
    (5, {"level": "expert"}),
]
kinds = pytest.mark.parametrize(("players", "options"), swept_rows(KINDS, daily=[KINDS[0], KINDS[4]]))


def begun(players: int, options: dict[str, object], seed: str, moves: int) -> tuple[TopSpotState, int]:
    """A position after so many moves at random, and the number of events until there."""
    state = GAME.start(players, options)
    count = len(advance(state, seed, 0))
    chance = Generator(seed, "moves")
    for _ in range(moves):
        (actor,) = state.actors()
        count += len(play(state, seed, count, actor, state.random_move(actor, chance)))
    return state, count


def mirrored(state: TopSpotState) -> Playout:
    """The quick game at a position, with what everybody holds."""
    (actor,) = state.actors()
    view = state.view(actor)
    game = position(view, judge_of(view.players, view.expert), list(state.hands), list(state.jokers))
    game.won = state.last_winner if state.last_winner >= 0 else state.round_leader
    return game


def text_of(state: TopSpotState, move: Move) -> str:
    """The one legal text of a play of the quick game."""
    (actor,) = state.actors()
    leads = not state.plays
    found = [
        text
        for text in state.legal(actor)
        if (one := read(text)).used == move.used
        and one.joker == move.joker
        and move.value in (one.value, -1)
        and (not leads or one.colour == move.colour)
    ]
    assert len(found) == 1
    return found[0]


@kinds
@pytest.mark.parametrize("moves", [0, 7, 18, 23])
def test_a_quick_game_goes_by_the_rules_to_the_same_points(
    players: int, options: dict[str, object], moves: int
) -> None:
    state, count = begun(players, options, f"quick {moves}", moves)
    quick = mirrored(state)
    for _ in range(200):
        before = state.game_number
        move = quick.policy()
        if given := quick.given():
            assert given._replace(worth=move.worth) == move
        (actor,) = state.actors()
        assert quick.order[len(quick.plays)] == actor
        text = text_of(state, move)
        goes_on = quick.play(move)
        count += len(play(state, "quick", count, actor, text))
        ended = state.game_number != before or state.outcome() is not None
        assert goes_on == (not ended)
        if ended:
            assert tuple(quick.points) == state.previous
            return
        assert quick.hands == list(state.hands)
        assert quick.points == list(state.points)
        assert quick.counts == [state.cards_left(seat) for seat in range(players)]
        assert quick.loose == sum(state.jokers)
    raise AssertionError("a game without an end")


@kinds
def test_a_play_is_weighed_as_the_quick_game_weighs_it(players: int, options: dict[str, object]) -> None:
    for moves in range(0, 24, 3):
        quick = mirrored(begun(players, options, f"weighed {moves}", moves)[0])
        move = quick.policy()
        if not move.joker:  # below a joker the policy reckons with what a card is worth on average
            worth, _ = quick.weigh(move.used, move.joker, move.value, move.colour)
            assert worth == pytest.approx(move.worth, abs=1e-5)


@kinds
def test_worlds_fit_the_view(players: int, options: dict[str, object]) -> None:
    for moves in range(0, 30, 2):
        state, _ = begun(players, options, f"worlds {moves}", moves)
        (actor,) = state.actors()
        view = state.view(actor)
        dealer = Dealer(view, judge_of(players, view.expert))
        chance = Random(moves)
        for _ in range(20):
            game = dealer.world(chance)
            assert game.hands[actor] == state.hands[actor]
            assert game.jokers[actor] == state.jokers[actor]
            assert game.counts == [
                hand.bit_count() + more for hand, more in zip(game.hands, game.jokers, strict=True)
            ]
            assert game.counts == list(view.counts)
            whole = 0
            for hand in game.hands:
                assert not whole & hand
                whole |= hand
            assert whole == sum(1 << card for card in range(12 * players)) & ~state.gone == game.alive
            assert sum(game.jokers) == sum(state.jokers) == game.loose
            for seat in range(players):
                for letter in view.void[seat]:
                    assert not game.hands[seat] >> 12 * COLOURS.index(letter) & 0xFFF
            if options.get("joker_each"):
                assert max(game.jokers) <= 1


@pytest.mark.parametrize(("players", "options"), [(3, {}), (4, {"level": "expert"})])
def test_worlds_are_dealt_evenly(players: int, options: dict[str, object]) -> None:
    state, _ = begun(players, options, "even", 0)
    (actor,) = state.actors()
    others = [seat for seat in range(players) if seat != actor]

    def cards(hands: Sequence[int], jokers: Sequence[int], seat: int) -> list[int]:
        held = [card for card in range(12 * players) if hands[seat] >> card & 1]
        return held + [JOKER_CARD] * jokers[seat]

    hidden = Counter(card for seat in others for card in cards(state.hands, state.jokers, seat))
    dealer, chance = Dealer(state.view(actor), judge_of(players, state.view(actor).expert)), Random(players)
    deals = [dealer.deal(chance) for _ in range(600)]
    spread_evenly(hidden, [[cards(*deal, seat) for seat in others] for deal in deals])


def test_nobody_is_dealt_what_the_others_must_hold() -> None:
    """Two seats lack colours so that a card dealt at random leaves one that nobody can take."""
    state = GAME.start(4, {})
    advance(state, "tight", 0)
    data = state.to_json()
    hands = [["RA"], ["YA", "YB"], ["GA", "GB"], ["BA", "YC"]]
    held = {card for hand in hands for card in hand}
    gone = sorted(c + f for c in "RYGB" for f in "ABCDEFGHIJKL" if c + f not in held)
    tight = GAME.load(
        {
            **data,
            "hands": hands,
            "gone": gone,
            "void": ["", "BG", "BR", "GR"],
            "order": [0, 1, 2, 3],
            "round_leader": 0,
            "last_winner": 0,
            "points": [1, 1, 1, 1],
            "round_number": 5,
        }
    )
    dealer = Dealer(tight.view(0), judge_of(4, False))
    chance = Random(1)
    green, blue = 0b11 << 24, 1 << 36
    for _ in range(50):
        dealt, _ = dealer.deal(chance)
        assert dealt[2] & green == green
        assert dealt[3] & blue


def test_hands_that_explain_what_was_played_are_likelier() -> None:
    """Seat 0 led a lone A, and seat 1 followed with B: it hardly holds L, which would have won."""
    data = begun(4, {}, "explained", 0)[0].to_json()
    hands = [["RA", "YA"], ["RB", "RL", "YB"], ["GC", "RC", "YC"], ["GD", "GE", "YL"]]
    held = {card for hand in hands for card in hand}
    state = GAME.load(
        {
            **data,
            "hands": hands,
            "gone": sorted(c + f for c in "RYGB" for f in "ABCDEFGHIJKL" if c + f not in held),
            "order": [0, 1, 2, 3],
            "round_leader": 0,
            "last_winner": 0,
            "points": [1, 1, 1, 1],
            "round_number": 5,
        }
    )
    state.apply(Event("move", "RA", 0))
    state.apply(Event("move", "RB", 1))
    dealer = Dealer(state.view(2), judge_of(4, False))

    def likely(*hands: str) -> float:
        return dealer.likely([masked(hand.split())[0] for hand in hands], [0, 0, 0, 0])

    kept = likely("YA", "RL YB", "GC RC YC", "GD GE YL")
    assert kept < 0.6 * likely("YA", "YL YB", "GC RC YC", "GD GE RL")


def test_nobody_leads_a_joker_alone_while_many_cards_are_held() -> None:
    met = 0
    for moves in range(0, 30, 2):
        state, _ = begun(3, {"level": "expert"}, f"joker {moves}", moves)
        (actor,) = state.actors()
        view = state.view(actor)
        alone = {move for move in state.legal(actor) if stack_cards(move) == ("*",)}
        if not view.plays and alone:
            led = {one.move for one in PLAYER.candidates(view)} & alone
            assert bool(led) == (len(view.hand) < 8)
            met += len(view.hand) >= 8
    assert met


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize(
    ("hands", "led"),
    [
        (["RI RK", "RF YD", "YL RJ"], {"RK+RI"}),
        # the K alone cannot be beaten either
        (["RI RK", "RD YD", "YL RJ"], None),
    ],
)
def test_the_last_cards_are_led_as_one_stack_that_nobody_can_beat(
    level: Level, hands: list[str], led: set[str] | None
) -> None:
    view = few_left(hands, []).view(0)
    found = {one.move for one in PLAYER.candidates(view)}
    assert found <= led if led else "RK" in found
    if led:
        assert choose("topspot", view, Generator("x", "y"), level) in led


@pytest.mark.parametrize(
    ("options", "hand", "led"),
    [
        ({}, "RI RL", ["RI+RL"]),
        # who is level has no card for the tie-break
        ({"level": "expert"}, "RI RL", ["RI", "RI+RL", "RL"]),
        ({"level": "expert"}, "RI RK", ["RK+RI"]),
    ],
    ids=str,
)
def test_the_last_cards_are_not_all_led_where_a_tie_loses(
    options: dict[str, object], hand: str, led: list[str]
) -> None:
    """One of the others may hold a stack of 6 in red, for all that is seen."""
    assert stack_value("RF+RJ") == stack_value("RI+RL") == 6
    view = few_left([hand, "RJ YD", "YL RF"], [], **options).view(0)
    assert sorted(one.move for one in PLAYER.candidates(view)) == led


@kinds
def test_candidates_are_legal_and_keep_the_rules_of_thumb(players: int, options: dict[str, object]) -> None:
    for moves in range(40):
        state, _ = begun(players, options, f"candidates {moves}", moves)
        (actor,) = state.actors()
        view = state.view(actor)
        found = PLAYER.candidates(view)
        texts = [one.move for one in found]
        legal = state.legal(actor)
        assert set(texts) <= set(legal)
        assert len(set(texts)) == len(texts)
        assert [one.worth for one in found] == sorted((one.worth for one in found), reverse=True)
        for one in found:
            assert 0.0 <= one.hidden < 1.0
            assert len(one.why) <= 3
            for term in one.why:
                assert text("en", term.key, **dict(term.values))
        best = max([play.value for play in view.plays if play.counts], default=-1)

        def wins(move: str, best: int = best, view: TopSpotView = view) -> bool:
            counts = move[0] in ("*", view.colour) or not view.colour
            return counts and stack_value(move) >= best + (not view.expert)

        single = [move for move in legal if len(stack_cards(move)) == 1 and move[0] != "*"]
        last = len(view.plays) + 1 == len(view.order)
        for move in texts:
            if not wins(move) and single:
                assert len(stack_cards(move)) == 1
                assert move[0] != "*"
            if last and view.plays and any(wins(each) and stack_value(each) > best for each in single):
                assert stack_value(move) > best
                assert len(stack_cards(move)) in (1, len(view.hand))


@kinds
@pytest.mark.parametrize("level", list(Level))
def test_each_level_decides_the_same_by_equal_views(
    players: int, options: dict[str, object], level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PLAYER, "budget", 60)
    for moves in (0, 11, 20):
        state, _ = begun(players, options, f"equal {moves}", moves)
        (actor,) = state.actors()
        found = {
            choose("topspot", each.view(actor), Generator("x", "y"), level) for each in (state, state.clone())
        }
        assert len(found) == 1
        assert found <= set(state.legal(actor))


def test_figures_are_there_for_every_number_of_players() -> None:
    for players in (3, 4, 5):
        for expert in (False, True):
            judge = judge_of(players, expert)
            assert len(judge.weights) == FEATURES
            assert len(judge.hold) == 5
            # more cards are worth more, whether the others have four, six or eight
            for others in (4, 6, 8):
                row = judge.behind[2 * others]
                assert row[others + 2] > row[others] > row[others - 2]
            assert judge.ahead[0][3] == 3.0


def test_figures_can_be_learned_anew() -> None:
    figures = learned(3, True, 8, "learn")
    judge = Judge(3, figures)
    chance = Random(1)
    assert sum(deal(judge, True, chance).run()) > 0
    assert learned(3, True, 8, "learn") == figures


def test_a_share_of_the_match_goes_like_points_while_it_is_open() -> None:
    view = begun(3, {}, "share", 5)[0].view(None)
    state, _ = begun(3, {}, "share", 5)
    (actor,) = state.actors()
    games = Games(state.view(actor), [])
    games.seat = 0
    even = games.gain([3, 3, 3])
    assert games.gain([4, 3, 3]) - even == pytest.approx(1.0, abs=0.3)
    assert games.gain([3, 5, 3]) < games.gain([3, 4, 4]) < even
    assert view.games == 3
    last, scale = shares(0)
    assert last[1] < 0.1
    assert scale == 9.0


def ahead_of_all(seat: int, points: Sequence[int]) -> float:
    return float(2 * points[seat] - sum(points))


def by_the_rules(state: TopSpotState, seat: int) -> float:
    """What the seat gets more than all others in the rest of a game, if each of two does their best; through
    the rules' own positions and lists."""
    (actor,) = state.actors()
    values = []
    for move in state.legal(actor):
        twin = state.clone()
        twin.apply(Event("move", move, actor))
        if twin.game_number != state.game_number or twin.outcome() is not None:
            values.append(ahead_of_all(seat, twin.previous))
        else:
            values.append(by_the_rules(twin, seat))
    return max(values) if actor == seat else min(values)


@pytest.mark.parametrize("options", [{}, {"level": "expert"}])
def test_an_ending_of_two_is_gone_through_as_the_rules_have_it(options: dict[str, object]) -> None:
    """Positions of games at random that leave few cards to two seats and one of them a choice."""
    met = 0
    for seed in range(24):
        state, count = begun(3, options, f"ending {seed}", 0)
        chance = Generator(f"ending {seed}", "moves")
        while state.game_number == 1:
            (actor,) = state.actors()
            game = mirrored(state)
            if known_rest(game) and game.left <= 6 and len(state.legal(actor)) > 1:
                ending = Ending(actor, partial(ahead_of_all, actor))
                assert ending.rest(game) == by_the_rules(state, actor)
                met += 1
                break
            count += len(play(state, "ending", count, actor, state.random_move(actor, chance)))
    assert met >= 6


def test_an_ending_with_too_much_to_it_is_left_alone() -> None:
    game = mirrored(begun(3, {}, "much", 0)[0])
    assert not known_rest(game)
    with pytest.raises(TooMuch):
        Ending(game.order[0], lambda points: float(sum(points))).rest(game)
