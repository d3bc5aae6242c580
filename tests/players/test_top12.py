"""The computer player of Top 12 plays legally, sensibly and from its view alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from math import comb, exp
from random import Random
from statistics import mean

import pytest

from bot.levels import Level
from bot.players.strengths import choose
from bot.players.top12 import PLAYER, columns, judge, learn, value
from bot.players.top12.columns import NONE, column
from bot.players.top12.playout import Position, Rounds, _all_faces, position
from bot.players.top12.race import rolls
from bot.rules.chance import Generator
from bot.rules.game import Event
from bot.rules.top12 import CELLS, FACES, GAME, MOST, ROWS, Top12State, column_of, is_dead, setup_numbers
from tests.players import proofs
from tests.sweeps import swept

SETUPS = (
    "10@A2 20@B3 30@C5 40@D6 50@E7",
    "50@A6 10@B2 20@C3 30@D4 40@E5",
    "20@A3 30@B4 40@C5 50@D6 10@E2",
    "30@A4 40@B5 50@C6 10@D2 20@E3",
)


def play(seed: str, players: int, levels: dict[int, Level]) -> Top12State:
    """A whole game; other seats move at random. Every choice is checked by `apply`."""
    state = GAME.start(players, {})
    for _ in positions(state, seed, levels):
        pass
    return state


def positions(state: Top12State, seed: str, levels: dict[int, Level]) -> Iterator[int]:
    """Plays on to the end; each seat that is about to decide."""
    own = Random(seed)
    count = 0
    while state.outcome() is None:
        chance = Generator(seed, f"event:{count}")
        count += 1
        if state.chance_due():
            state.apply(state.draw(chance))
            continue
        seat = state.actors()[0]
        yield seat
        if seat in levels:
            move = choose(PLAYER, state.view(seat), own, levels[seat]).move
        else:
            move = state.random_move(seat, chance)
        state.apply(Event("move", move, seat))


def begun(players: int, first: int = 0) -> Top12State:
    state = GAME.start(players, {"first": "random"})
    for seat in range(players):
        state.apply(Event("move", SETUPS[seat], seat))
    state.apply(Event("chance", f"first {first}"))
    return state


def written(*numbers: tuple[int, int]) -> tuple[int, ...]:
    """A column with these numbers by row, counted from 1."""
    found = dict(numbers)
    return tuple([found.get(row, 0) for row in range(1, ROWS + 1)])


def sheets_of(state: Top12State) -> tuple[tuple[int, ...], ...]:
    return tuple([tuple(sheet) for sheet in state.sheets])


# --------------------------------------------------------------------------- strength and cost


@pytest.mark.long
def test_it_beats_random_play() -> None:
    wins = 0
    for number in range(20):
        outcome = play(f"duel {number}", 2, {number % 2: Level.MEDIUM}).outcome()
        assert outcome is not None
        wins += outcome.winners == (number % 2,)
    assert wins >= 18


def test_four_computers_finish_a_game() -> None:
    levels = dict(enumerate([Level.MEDIUM, Level.EASY, Level.MEDIUM, Level.EASY]))
    assert play("four", 4, levels).reason == "column full"


def test_alone_no_roll_is_lost() -> None:
    """No number called fits nowhere, so that no way of playing needs fewer rolls on average."""
    for number in range(2):
        game = play(f"solo {number}", 1, {0: Level.HARD})
        assert game.reason == "column full"
        assert sum([cell > 0 for cell in game.sheets[0]]) == 5 + game.rolls
    random_games = [play(f"solo {number}", 1, {}) for number in range(4)]
    assert mean(game.rolls for game in random_games) > 40


def test_alone_it_takes_28_rolls_at_best() -> None:
    assert rolls((11,) * 5) == pytest.approx(28.4268, abs=1e-4)
    assert rolls((1,)) == pytest.approx(3.0)  # its face or the joker
    assert rolls((1, 1)) == pytest.approx(2.0)
    assert rolls((0, 5)) == 0.0


# --------------------------------------------------------------------------- sense


def test_it_completes_a_column_when_it_can() -> None:
    state = GAME.start(1, {"first": "host"})
    state.apply(Event("move", "10@A1 20@B1 30@C1 40@D1 50@E1", 0))
    state.apply(Event("chance", "first 0"))
    for row in range(2, 12):
        state.apply(Event("move", f"call {row * 9}", 0))
        state.apply(Event("chance", "roll hand"))
        state.apply(Event("move", f"{row * 9}@A{row}", 0))
    assert choose(PLAYER, state.view(0), Random(1), Level.MEDIUM).move == "call 100"
    state.apply(Event("move", "call 100", 0))
    state.apply(Event("chance", "roll joker"))
    for level in Level:
        assert choose(PLAYER, state.view(0), Random(1), level).move == "100@A12"
    assert PLAYER.candidates(state.view(0))[0].why[0].key == "top12.why.full"


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ({11: 10}, {0: 10}),  # dead or alive
        ({0: 10, 1: 90}, {0: 10, 9: 90}),  # room for the numbers between
        ({0: 10}, {0: 10, 1: 19}),  # one more number
    ],
)
def test_columns_are_judged_by_room_and_by_what_is_missing(
    worse: dict[int, int], better: dict[int, int]
) -> None:
    one, two = (column(tuple([cells.get(row, 0) for row in range(ROWS)])) for cells in (worse, better))
    assert one.worth < two.worth


def test_a_call_counts_what_it_brings_the_others() -> None:
    """Of two numbers that serve this seat alike it calls the one that serves the other less."""
    state = begun(2)
    calls = {number: (gain, rival) for _, gain, rival, number in judge.calls(state.view(0))}
    best = judge.calls(state.view(0))[0]
    assert all(
        gain - judge.RIVAL * rival <= best[1] - judge.RIVAL * best[2] + 1e-9 for gain, rival in calls.values()
    )
    assert best[2] < max(rival for _, rival in calls.values())


def _kept_rules(state: Top12State, seat: int) -> None:
    """No candidate breaks a rule of thumb while another would not."""
    view = state.view(seat)
    own = [column_of(view.sheets[seat], at) for at in range(5)]
    moves = [one.move for one in PLAYER.candidates(view)]
    if view.phase == "call":
        given = {int(move[5:]) for move in proofs.top12_gifts(state, seat)}
        free = set(range(1, MOST + 1)) - given or given
        living = [column(tuple(cells)) for cells in own if not is_dead(cells)]
        useful = {n for n in free for one in living if one.open >> n & 1}
        assert {int(move[5:]) for move in moves} <= (useful or free)
    elif view.phase == "enter":
        legal = state.legal(seat)
        after = {}
        for move in legal:
            at, row = divmod(CELLS.index(move.partition("@")[2]), ROWS)
            cells = list(own[at])
            cells[row] = view.number
            after[move] = cells
        full = [move for move in legal if 0 not in after[move]]
        alive = [move for move in legal if not is_dead(after[move])]
        assert set(moves) <= set(full or alive or legal)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_strength_calls_a_number_that_fills_another_s_column_alone(players: int) -> None:
    met = 0
    for number in range(3):
        state = GAME.start(players, {})
        for seat in positions(
            state, f"gifts {number}", {0: Level.EASY, **dict.fromkeys((1, 2, 3), Level.MEDIUM)}
        ):
            gifts = proofs.top12_gifts(state, seat) if state.view(seat).phase == "call" else []
            if 0 < len(gifts) < MOST:
                assert not {one.move for one in PLAYER.candidates(state.view(seat))} & set(gifts)
                met += 1
    assert met > 5


@pytest.mark.parametrize("players", [1, 2])
def test_the_number_called_fits_the_one_column_that_lacks_one(players: int) -> None:
    """Where there is one that fills no other seat's column."""
    met = 0
    for number in range(6):
        state = GAME.start(players, {})
        for seat in positions(state, f"fits {number}", dict.fromkeys(range(players), Level.MEDIUM)):
            view = state.view(seat)
            columns_ = [tuple(column_of(view.sheets[seat], at)) for at in range(5)]
            lacking = sorted([cells.count(0) for cells in columns_ if not is_dead(cells)])
            if view.phase != "call" or lacking[:1] != [1] or min([*lacking[1:], ROWS]) < 4:
                continue
            others = [other for other in range(players) if other != seat]
            mine = [n for n in range(1, MOST + 1) if proofs.top12_can_fill(state, seat, n)]
            if any(not any(proofs.top12_can_fill(state, other, n) for other in others) for n in mine):
                for level in (Level.EASY, Level.MEDIUM, Level.HARD):
                    for seed in range(6 if level is Level.EASY else 1):
                        assert int(choose(PLAYER, view, Random(seed), level).move[5:]) in mine
                met += 1
    assert met > 5


@pytest.mark.parametrize(("number", "cell"), [(1, "C1"), (100, "C12")])
def test_with_a_joker_a_1_goes_to_the_top_and_a_100_to_the_bottom_of_a_dead_column_too(
    number: int, cell: str
) -> None:
    state = begun(1)
    columns_ = [written((1, 50), (12, 98))] * 5 if number == 1 else [written((1, 3), (12, 98))] * 5
    columns_[2] = written((11, 10), (12, 41)) if number == 1 else written((1, 60), (2, 91))
    state.sheets[0] = sum(columns_, ())
    state.apply(Event("move", f"call {number}", 0))
    state.apply(Event("chance", "roll joker"))
    assert len(state.legal(0)) > 1
    assert [one.move for one in PLAYER.candidates(state.view(0))] == [f"{number}@{cell}"]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_candidates_are_legal_and_break_no_rule_of_thumb(players: int) -> None:
    state = GAME.start(players, {})
    for seat in positions(state, "legal", {0: Level.MEDIUM, 2: Level.EASY}):
        found = PLAYER.candidates(state.view(seat))
        assert found
        assert len({one.move for one in found}) == len(found)
        for one in found:
            state.check(seat, one.move)
            assert 0.0 <= one.hidden <= 1.0
            assert 0 < len(one.why) <= 3
        if state.stage != "setup":
            _kept_rules(state, seat)


def test_a_seat_that_may_not_act_has_no_candidates() -> None:
    state = begun(2)
    for seat in (1, None):
        with pytest.raises(ValueError, match="may not act"):
            PLAYER.candidates(state.view(seat))


def test_set_ups_differ_by_seat_and_leave_room() -> None:
    state = GAME.start(4, {})
    moves = [choose(PLAYER, state.view(seat), Random(1), Level.HARD).move for seat in range(4)]
    assert len(set(moves)) == 4
    for move in moves:
        assert setup_numbers(move) == ()
        for part in move.split(" "):
            number, _, cell = part.partition("@")
            assert abs(int(number) / 100 * ROWS - int(cell[1:])) <= 2


# --------------------------------------------------------------------------- from the view alone


@pytest.mark.parametrize("level", Level)
def test_the_same_view_and_chance_give_the_same_move(level: Level) -> None:
    state = begun(2)
    for number, seat in enumerate(positions(state, "same", {0: Level.EASY, 1: Level.EASY})):
        view = state.view(seat)
        if number % 9 == 0:
            one, two = (choose(PLAYER, view, Random(number), level) for _ in range(2))
            assert one == two
        if number == 40:
            break


def test_what_others_have_chosen_does_not_matter() -> None:
    """Nor does whether they have."""
    moves = []
    for hidden in (None, "61@A8", "61@A12"):
        state = begun(2)
        state.apply(Event("move", "call 61", 0))
        state.apply(Event("chance", "roll hand"))
        if hidden:
            state.apply(Event("move", hidden, 1))
        moves.append(choose(PLAYER, state.view(0), Random(3), Level.HARD))
    assert moves[0] == moves[1] == moves[2]


# --------------------------------------------------------------------------- what it knows


@pytest.mark.parametrize("seed", swept(range(5), daily=2))
def test_a_column_s_gains_are_what_entering_comes_to(seed: int) -> None:
    state = GAME.start(1, {})
    for count, _ in enumerate(positions(state, f"gains {seed}", {})):
        if state.stage == "setup" or count % 8:
            continue
        one = column(tuple(column_of(state.sheets[0], seed)))
        for number in range(1, 101):
            fits = [row for row in range(ROWS) if _fits(one.cells, row, number)]
            if not fits:
                assert one.gains[number] == NONE
                assert not one.open >> number & 1
                continue
            assert one.open >> number & 1
            best = max(one.entered(row, number).worth for row in fits)
            assert one.gains[number] == pytest.approx(best - one.worth, rel=1e-6, abs=1e-9)
            assert one.entered(one.place(number), number).worth == pytest.approx(best, rel=1e-6)


def _fits(cells: tuple[int, ...], row: int, number: int) -> bool:
    above = max(cells[:row], default=0)
    below = min([value for value in cells[row:] if value], default=101)
    return not cells[row] and above < number < below


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_played_out_is_what_the_rules_make_of_it(players: int, seed: int) -> None:
    chance = Random(seed)
    state = begun(players, seed % players)
    at = position(state.view(0))
    while not at.over():
        number = at.best_call() if chance.random() < 0.8 else 1 + int(chance.random() * 100)
        face = FACES[int(chance.random() * 6)]
        seat = at.caller
        assert (seat,) == state.actors()
        state.apply(Event("move", f"call {number}", seat))
        state.apply(Event("chance", f"roll {face}"))
        for one, sheet in enumerate(at.sheets):
            entry = sheet.best_entry(number, face)
            assert (entry is not None) == (state.stage == "enter" and one in state.actors())
            if entry is not None:
                state.apply(Event("move", f"{number}@{CELLS[entry[0] * ROWS + entry[1]]}", one))
        at = at.after(number, face)
        assert _cells(at) == sheets_of(state)
    outcome = state.outcome()
    assert outcome is not None
    shares = [at.share(one) for one in range(players)]
    assert [one for one, share in enumerate(shares) if share] == list(outcome.winners)
    assert sum(shares) == pytest.approx(1.0)


def _cells(at: Position) -> tuple[tuple[int, ...], ...]:
    return tuple([sum([one.cells for one in sheet.columns], ()) for sheet in at.sheets])


def test_an_entry_that_is_tried_out_is_the_one_that_was_asked_for() -> None:
    state = begun(2)
    state.apply(Event("move", "call 61", 0))
    state.apply(Event("chance", "roll hand"))
    after = position(state.view(0)).after(61, "hand", 0, CELLS.index("A12"))
    for seat, move in ((0, "61@A12"), (1, "61@A8")):
        state.apply(Event("move", move, seat))
    assert _cells(after)[0] == sheets_of(state)[0]
    assert after.caller == state.caller == 1


def test_all_faces_come_equally_often() -> None:
    state = begun(2)
    moves = ["call 61", "call 5"]
    trial = Rounds(state.view(0), moves)
    one = [trial.world([0, 1], Random(1)) for _ in range(36)]
    again = [trial.world([0, 1], Random(2)) for _ in range(36)]
    for move in (0, 1):
        assert sum(each[move] for each in one) == pytest.approx(sum(each[move] for each in again))
        assert all(0.0 <= each[move] <= 100.0 for each in one)


def test_the_faces_begin_anywhere() -> None:
    """Or few worlds would have the same ones each time: each of this round, with each of the next."""
    chance = Random(1)
    firsts = Counter(_all_faces("", chance)[0] for _ in range(3600))
    assert len(firsts) == 36
    assert all(50 < count < 150 for count in firsts.values())
    known = Counter(_all_faces("hand", chance)[0] for _ in range(600))
    assert {now for now, _ in known} == {"hand"}
    assert len(known) == 6
    assert all(50 < count < 150 for count in known.values())


def test_the_chance_to_win_tells_who_is_ahead() -> None:
    state = begun(2)
    even = position(state.view(0))
    ahead = written(*[(row, row * 8) for row in range(1, 12)])
    better = even.sheets[0].entered(0, column(ahead))
    assert 0.3 < even.chance(0) < 0.7
    for caller in (0, 1):
        won = Position((better, even.sheets[1]), caller).chance(0)
        lost = Position((even.sheets[1], better), caller).chance(0)
        assert won > 0.9
        assert lost < 0.1


# --------------------------------------------------------------------------- learning


def test_slopes_are_what_a_small_step_changes() -> None:
    chance = Random(4)
    examples = learn.game(chance)[::7]
    figures = learn.begun(chance)
    slopes = value.Figures([[0.0] * 13 for _ in range(16)], [[0.0] * 22 for _ in range(16)], [0.0] * 17)
    for one in examples:
        learn.loss(figures, one, slopes)
    for row, slope in zip(learn.rows(figures), learn.rows(slopes), strict=True):
        at = len(row) // 2
        before = row[at]
        changed = []
        for step in (1e-6, -1e-6):
            row[at] = before + step
            changed.append(sum(learn.loss(figures, one) for one in examples))
        row[at] = before
        assert slope[at] == pytest.approx((changed[0] - changed[1]) / 2e-6, rel=1e-3, abs=1e-6)


def test_what_is_learned_is_what_the_player_asks() -> None:
    """The net gives the player the chance that learning judged it by."""
    known = value.figures()
    for one in learn.game(Random(5))[:5]:
        assert 0.0 < learn.loss(known, one) < 7.0
    sheets = learn.setup(Random(6)), learn.setup(Random(7))
    won = learn.example(*sheets, 1.0)
    assert exp(-learn.loss(known, won)) == pytest.approx(value.pair_chance(*sheets, known))


def test_fitting_gets_nearer() -> None:
    chance = Random(8)
    examples = [one for _ in range(6) for one in learn.game(chance)]
    figures = learn.fit(examples, 2, chance)
    before = mean(learn.loss(learn.begun(Random(9)), one) for one in examples)
    assert mean(learn.loss(figures, one) for one in examples) < before


def test_figures_are_what_exact_arithmetic_makes_of_them() -> None:
    """Rounded, so that the last digit of a machine's logarithms is none of theirs."""
    trust, open_, pace = map(Decimal, (columns.TRUST, columns.OPEN, columns.PACE))
    for numbers in range(MOST + 1):
        share = open_ * numbers / MOST
        for cells in range(1, min(numbers, ROWS) + 1):
            ways = Decimal(comb(numbers, cells)).ln()
            assert float(f"{ways:.12g}") == value._LOGS[numbers][cells]
            assert float(f"{(trust * ways + share).exp():.12g}") == columns._RUNS[numbers][cells]
    for filled in range(ROWS + 1):
        assert float(f"{(pace * filled).exp():.12g}") == columns._PACE[filled]
        ways = Decimal(comb(MOST - ROWS + filled, filled)).ln()
        assert float(f"{(trust * ways).exp():.12g}") == columns._ALL[filled]
