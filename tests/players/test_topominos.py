"""The computer player of Topominos plays legally, sensibly and from its view alone."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from statistics import mean
from typing import Any

import pytest

from bot.levels import Level
from bot.locale import text
from bot.players import choose
from bot.players.topominos import PLAYER, WON
from bot.players.topominos.figures import FIGURES, SOLO, Figures
from bot.players.topominos.judge import Judge
from bot.players.topominos.learn import FEATURES, dealt, learned, solo_learned, solved, unseen
from bot.players.topominos.plans import Seen
from bot.players.topominos.playout import Table, best, exchange
from bot.players.topominos.shapes import KIND, PIECE
from bot.players.topominos.solo import SoloJudge, solo_turn
from bot.players.topominos.turns import Part, in_order
from bot.players.topominos.worlds import Worlds
from bot.rules.chance import Generator
from bot.rules.game import Event
from bot.rules.topominos import CELLS, GAME, NAMES, PIECES, SET, TopominosState
from bot.rules.topominos import unseen as hidden_from
from tests.sweeps import swept

from .ordinary import ordinary
from .proofs import topo_at_hand, topo_ends, topo_is_last, topo_last, topo_pass
from .spread import spread_evenly


def play(seed: str, players: int, computers: set[int]) -> TopominosState:
    """A whole game; other seats move at random. Every choice is checked by `apply`."""
    state = GAME.start(players, {})
    count = 0
    while state.outcome() is None:
        chance = Generator(seed, f"event:{count}")
        count += 1
        if state.chance_due():
            state.apply(state.draw(chance))
            continue
        seat = state.actors()[0]
        move = (
            choose("topominos", state.view(seat), chance)
            if seat in computers
            else state.random_move(seat, chance)
        )
        state.apply(Event("move", move, seat))
    return state


def holding(rack: str, board: dict[str, str], bag: str = "a b e", **options: object) -> TopominosState:
    """Seat 0 to move with these pieces; seat 1 holds `abcd`."""
    data: dict[str, Any] = GAME.start(2, options).to_json()
    stacks = [board[cell].split("+") if cell in board else [] for cell in CELLS]
    data |= {"phase": "turn", "first": 0, "seat": 0, "racks": [rack.split(), ["abcd"]], "board": stacks}
    data |= {"bag": bag.split()}
    loaded = GAME.load(data)
    assert isinstance(loaded, TopominosState)
    return loaded


def choice(state: TopominosState) -> str:
    move = choose("topominos", state.view(0), MIND)
    assert move in state.legal(0)
    return move


MIND = Generator("mind", "topominos")


@pytest.mark.long
def test_it_beats_random_play() -> None:
    wins = 0
    for number in range(30):
        outcome = play(f"duel {number}", 2, {number % 2}).outcome()
        assert outcome is not None
        wins += outcome.winners == (number % 2,)
    assert wins >= 28


def test_alone_it_scores_far_more_than_random_play() -> None:
    games = [play(f"solo {number}", 1, {0}).points[0] for number in range(6)]
    random_games = [play(f"solo {number}", 1, set()).points[0] for number in range(6)]
    assert mean(games) > 2 * mean(random_games)


@pytest.mark.parametrize("players", [3, 4])
def test_computers_among_themselves_finish(players: int) -> None:
    for number in range(3):
        outcome = play(f"all {number}", players, set(range(players))).outcome()
        assert outcome is not None and min(outcome.scores) > 0


def test_it_completes_a_nine_when_it_can() -> None:
    assert choice(holding("a abce", {"B2": "abcd+efgh"})) == "i@B2"
    assert choice(holding("ac b", {"B2": "abch+de"})) in ("f@B2", "gi@B2")  # and the other after it


def test_it_adds_to_several_stacks_rather_than_begin_one() -> None:
    board = {"A1": "abch+d", "B1": "abde+c", "C3": "acgi+b"}
    state = holding("a b e", board, bag="")
    while state.actors() == (0,):
        state.apply(Event("move", choice(state), 0))
    assert state.last is not None
    assert {move.partition("@")[2] for move in state.last.moves} == {"A1", "B1", "C3"}
    assert state.points[0] == 18


def test_it_exchanges_large_pieces_when_nothing_fits() -> None:
    full = dict.fromkeys(CELLS, "abcd+fgh")
    assert choice(holding("abce abcg bd", full)) == "swap abce abcg"
    assert choice(holding("abce abcg bd", full, bag="")) == "pass"


def test_it_refuses_to_choose_for_others() -> None:
    state = GAME.start(2, {})
    for seat in (None, 0, 1):
        with pytest.raises(ValueError, match="turn"):
            choose("topominos", state.view(seat), MIND)


@pytest.mark.parametrize("level", Level)
def test_the_same_view_gives_the_same_move(level: Level) -> None:
    view = holding("a ab abc abce e", {"A1": "abcd", "B2": "abch+d"}).view(0)
    assert choose("topominos", view, Generator("1", "x"), level) == choose(
        "topominos", view, Generator("1", "x"), level
    )


def test_the_largest_rack_on_a_crowded_board_takes_a_moment_only() -> None:
    board = dict(zip(CELLS, ["a", "b", "e", "ab", "ac", "ae", "af", "", "bd"], strict=True))
    state = holding("a abf b bh e", {cell: stack for cell, stack in board.items() if stack})
    started = time.process_time()
    choice(state)
    assert time.process_time() - started < 0.3


@pytest.mark.parametrize(
    ("rack", "bag", "move", "goes_on"),
    [
        ("a a", "e", "a@B2", True),
        ("a abcd", "e", "a@B2", False),  # what is left fits nowhere any more
        ("a", "e", "a@B2", True),  # a piece is drawn
        ("a", "", "a@B2", False),
        ("a ab", "e", "pass", False),
        ("a ab", "e", "swap a", False),
    ],
)
def test_it_says_whether_more_could_follow_in_the_turn(rack: str, bag: str, move: str, goes_on: bool) -> None:
    state = holding(rack, {"B2": "bdf+egh"}, bag)
    state.check(0, move)
    assert PLAYER.goes_on(state.view(0), move) is goes_on


def test_alone_nothing_follows_a_lay_in_its_turn() -> None:
    state = GAME.start(1, {})
    state.apply(Event("chance", "lots a"))
    state.apply(Event("chance", "draw a ab abc e e", 0))
    assert not PLAYER.goes_on(state.view(0), "a@A1")


# what is simulated, held to the rules


class Followed(Table):
    """A quick game whose turns are carried out by the rules too."""

    __slots__ = ("drawn", "state")

    def begun(self) -> Followed:
        """The rules' position with the same racks and bag."""
        data: dict[str, Any] = GAME.start(len(self.racks), {}).to_json()
        racks = [sorted(PIECES[piece] for piece in rack) for rack in self.racks]
        data |= {"phase": "turn", "first": self.first, "seat": self.seat, "racks": racks}
        data |= {"bag": sorted(PIECES[piece] for piece in self.bag)}
        loaded = GAME.load(data)
        assert isinstance(loaded, TopominosState)
        self.state = loaded
        self.drawn: list[str] = []
        return self

    def draw(self) -> int:
        piece = super().draw()
        self.drawn.append(PIECES[piece])
        return piece

    def use(self, parts: Any) -> None:
        state, seat = self.state, self.seat
        for part in parts:
            # each part's bits go by the rack at the start of all; what is laid is gone from the rules' rack
            seen = Seen(state.view(seat))
            names = [PIECES[piece] for place, piece in enumerate(self.racks[seat]) if part.used >> place & 1]
            left = list(state.view(seat).rack)
            bits = 0
            for name in names:
                place = left.index(name)
                left[place] = ""
                bits |= 1 << place
            for move in seen.lays(Part(None, part.cell, bits, part.kind)):
                state.apply(Event("move", move, seat))
        super().use(parts)
        self.hand_out(seat)

    def swap(self, places: Any) -> None:
        names = [PIECES[self.racks[self.seat][place]] for place in places]
        self.state.apply(Event("move", " ".join(["swap", *names]), self.seat))
        super().swap(places)

    def hand_out(self, seat: int) -> None:
        if self.drawn:
            self.state.apply(Event("chance", "draw " + " ".join(sorted(self.drawn)), seat))
            self.drawn = []

    def end(self) -> None:
        state, seat = self.state, self.seat
        if self.laid:
            state.apply(Event("move", "end", seat))
        elif state.actors():
            state.apply(Event("move", "pass", seat))
        super().end()
        self.hand_out(seat)
        self.compare()

    def compare(self) -> None:
        state = self.state
        assert self.over == (state.outcome() is not None)
        if not self.over:
            assert state.actors() == (self.seat,)
            assert self.kinds == [KIND[full] for full in state.view(None).fills]
            assert [tuple(PIECES[one] for one in rack) for rack in self.racks] == list(
                map(tuple, state.racks)
            )
            assert sorted(PIECES[piece] for piece in self.bag) == state.bag
            assert self.points == state.points
        else:
            assert tuple(self.points) == state.games[0]


def followed(players: int, chance: Random) -> Followed:
    table = dealt(players, chance)
    return Followed(table.racks, table.bag, table.kinds, table.points, 0, 0, table.size).begun()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_quick_games_are_games_by_the_rules(players: int) -> None:
    chance = Random(players)
    for _ in range(4):
        table = followed(players, chance)
        while not table.over:
            judge = Judge(FIGURES[players], unseen(table), table.size)
            while table.racks[table.seat]:
                turns = judge.finder.turns(
                    table.racks[table.seat], table.kinds, table.touched, table.mode, table.start
                )
                some = [last for last in turns.last if last is not None]
                last = best(table, judge)[1]
                if some and chance.random() < 0.5:
                    last = some[int(chance.random() * len(some))]
                if last is None:
                    break
                table.use(in_order(last, table.mode))
            if not table.laid:
                exchange(table)
            table.end()


def test_quick_games_alone_are_games_by_the_rules() -> None:
    chance = Random(1)
    for _ in range(4):
        table = followed(1, chance)
        while not table.over:
            solo_turn(table, SoloJudge(SOLO, unseen(table)))


def test_what_a_turn_is_said_to_be_worth_is_what_it_scores() -> None:
    """With figures of nothing, that is all there is to it."""
    nothing = Figures((0.0,) * 10, (0.0,) * 10, (0.0,) * 5, (0.0,) * 5, 0.0)
    chance = Random(3)
    for _ in range(3):
        table = followed(2, chance)
        judge = Judge(nothing, unseen(table), table.size)
        while not table.over and table.bag:
            seat, before = table.seat, table.points[table.seat]
            worth, last = best(table, judge)
            if last is not None:
                table.use(in_order(last, table.mode))
            table.end()
            assert table.over or table.points[seat] == before + worth


# what is chosen


def positions(count: int, players: int) -> Iterator[TopominosState]:
    """Positions of random play, each with a decision due."""
    chance = Generator("positions", str(players))
    while True:
        state = GAME.start(players, {})
        while state.outcome() is None:
            if state.chance_due():
                state.apply(state.draw(chance))
                continue
            if chance.below(4) == 0:
                yield state
                count -= 1
                if not count:
                    return
            state.apply(Event("move", state.random_move(state.seat, chance), state.seat))


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_candidates_are_legal_and_have_reasons(players: int) -> None:
    for state in positions(25, players):
        candidates = PLAYER.candidates(state.view(state.seat))
        moves = [one.move for one in candidates]
        assert len(moves) == len(set(moves)) >= 1
        assert set(moves) <= set(state.legal(state.seat))
        assert [one.worth for one in candidates] == sorted([one.worth for one in candidates], reverse=True)
        for one in candidates:
            assert 0 <= one.hidden < 1
            assert len(one.why) <= 3
            assert one.why or ("@" not in one.move and one is not candidates[0])
            for term in one.why:
                assert text("en", term.key, **dict(term.values)) != text("de", term.key, **dict(term.values))


@pytest.mark.parametrize("players", [1, 2, 4])
def test_a_world_holds_what_the_view_leaves_open(players: int) -> None:
    for state in positions(10, players):
        view = state.view(state.seat)
        seen = Seen(view)
        table = Worlds(seen, [], 1, 0.0).dealt(Random(1))
        assert tuple(map(len, table.racks)) == view.racks
        assert [PIECES[piece] for piece in table.racks[state.seat]] == list(view.rack)
        assert len(table.bag) == view.bag
        everything = Counter(PIECES[piece] for rack in (*table.racks, table.bag) for piece in rack)
        everything += Counter(view.gone) + Counter(NAMES[dots] for stack in view.board for dots in stack)
        assert everything == Counter(SET)


@pytest.mark.parametrize("players", [1, 2, 4])
def test_worlds_are_dealt_evenly(players: int) -> None:
    """Into the racks, and to both ends of the bag: the seat draws from one, the others from the other."""
    state = next(positions(1, players))
    view = state.view(state.seat)
    worlds, chance = Worlds(Seen(view), [], 1, 0.0), Random(players)
    dealt = []
    for _ in range(600):
        table = worlds.dealt(chance)
        racks = [rack for seat, rack in enumerate(table.racks) if seat != state.seat]
        dealt.append([*racks, table.bag[:1], table.bag[1:-1], table.bag[-1:]])
    spread_evenly(Counter({PIECE[name]: count for name, count in hidden_from(view).items()}), dealt)


@pytest.mark.parametrize("players", swept([1, 2, 3], daily=(2,)))
def test_hard_tries_out_legally_to_the_end_of_a_game(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLAYER, "budget", 24)
    state, chance = GAME.start(players, {}), Generator("hard", str(players))
    while state.outcome() is None:
        if state.chance_due():
            state.apply(state.draw(chance))
        else:
            view = state.view(state.seat)
            state.apply(Event("move", choose("topominos", view, chance, Level.HARD), state.seat))


def test_hard_tries_out_whole_turns_also_those_that_begin_alike() -> None:
    """`a` on B2, and with it, or without, `e` on C3: to keep a piece is a turn of its own."""
    state = holding("a e abce", {"B2": "bcd+efg", "C3": "abcd+h"}, bag="a b e a abc")
    view = state.view(0)
    candidates = PLAYER.candidates(view)
    tried = PLAYER.to_try(view, candidates)
    turns = [one.moves for one in tried]
    assert len(turns) == len(set(turns)) > len(candidates)
    alike = [set(one.moves) for one in tried if one.move == tried[0].move]
    assert len(alike) > 1 and any(fewer < alike[0] for fewer in alike[1:])
    assert [one.worth for one in tried] == sorted([one.worth for one in tried], reverse=True)
    trial = PLAYER.trial(view, tried)
    assert trial is not None
    chance = Random(1)
    worlds = [trial.world(range(len(tried)), chance) for _ in range(40)]
    came_to = [mean(gains) for gains in zip(*worlds, strict=True)]
    assert len(set(came_to)) == len(tried), "each is tried out for itself"


@pytest.mark.parametrize(("options", "counts"), [({}, True), ({"rounds": 2}, False), ({"target": 90}, False)])
@pytest.mark.parametrize("lead", [-60, 0, 60])
def test_winning_counts_beside_points_where_no_game_follows(
    options: dict[str, object], counts: bool, lead: int
) -> None:
    """By at most what it is worth, and not when a person looks back."""
    state = holding("a e abce", {"B2": "bcd+efg", "C3": "abcd+h"}, bag="a b e a abc", **options)
    state.points = [50 + lead, 50]
    view = state.view(0)
    tried = PLAYER.to_try(view, PLAYER.candidates(view))
    trials = PLAYER.trial(view, tried), PLAYER.looking_back(view, tried)
    with_wins, points = (trial.world(range(len(tried)), Random(1)) for trial in trials if trial)
    more = [one - other for one, other in zip(with_wins, points, strict=True)]
    if not counts:
        assert set(more) == {0.0}
    else:
        assert any(more) and all(abs(one) <= WON + 1e-9 for one in more)
        assert lead == 0 or all(one * lead > 0 for one in more)


def broken(state: TopominosState) -> dict[int, set[str]]:
    """The moves that break a rule of thumb, by its number (docs/players.md), where others do not. Alone, the
    last piece is rule 5's: it is not passed either."""
    seat, found = state.seat, {}
    legal = state.legal(seat)
    lays = [move for move in legal if "@" in move]
    alone, last = state.players == 1, topo_is_last(state, seat)
    found[1] = {"end"} & {*topo_ends(state, seat)}
    found[2] = {*topo_ends(state, seat)} - {"end"}
    found[3] = {*topo_pass(state, seat)}
    if not alone and last and (seat + 1) % state.players == state.first and lays:
        found[4] = {*legal} - {*lays}
    if alone and last and lays:
        found[5] = {*legal} - {*topo_last(state, seat)}
    return {rule: moves for rule, moves in found.items() if 0 < len(moves) < len(legal)}


def left_nines(state: TopominosState, turn: Sequence[str]) -> list[str]:
    """Nines at hand (rule 1) that a turn leaves, though it lays their piece in no other nine."""
    then, seat = state.clone(), state.seat
    laid: dict[str, list[str]] = {}
    made: dict[str, list[str]] = {}  # pieces by compartment
    for move in turn:
        dots, _, cell = move.partition("@")
        before = then.nines
        then.apply(Event("move", move, seat))
        laid.setdefault(cell, []).append(NAMES.get(dots, ""))
        if then.nines > before:
            made[cell] = laid[cell]
    spent = {piece for pieces in made.values() for piece in pieces} - {*then.racks[seat]}
    nines = [(move, *move.split("@")) for move in topo_at_hand(state, seat)]
    return [move for move, dots, cell in nines if cell not in made and NAMES[dots] not in spent]


@pytest.mark.parametrize("seed", swept(range(8)))
def test_no_candidate_breaks_a_rule_of_thumb(seed: int) -> None:
    met: Counter[int] = Counter()
    tables: list[tuple[int, dict[str, object]]] = [(1, {"rounds": 2}), (2, {}), (3, {"target": 60}), (4, {})]
    for players, options in tables:
        for state in ordinary("topominos", players, options, f"thumb {seed}"):
            view = state.view(state.seat)
            candidates = PLAYER.candidates(view)
            for rule, moves in broken(state).items():
                met[rule] += 1
                assert not moves & {one.move for one in candidates}, (rule, moves, str(state))
            if topo_at_hand(state, state.seat):
                for one in (*candidates, *PLAYER.to_try(view, candidates)):
                    assert not left_nines(state, one.moves), (one.moves, str(state))
    assert {1, 2, 3} <= met.keys(), "there was nothing to break"  # 4 and 5 have positions below


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize(
    ("board", "right"),
    [
        ({"A1": "bdf", "B2": "bcd+efg", "C3": "bcd+efg+h"}, {"a@C3", "i@C3"}),
        ({"A1": "bdf", "B2": "bcd+efg+hi", "C3": "bcd+efg+h"}, {"a@B2"}),
        ({"A1": "bdf", "B2": "acgi+b", "C3": "bd"}, {"a@A1", "c@A1", "g@A1", "i@A1"}),
    ],
)
def test_alone_the_last_piece_goes_where_its_stack_counts_most(
    board: dict[str, str], right: set[str], rounds: int
) -> None:
    data: dict[str, Any] = GAME.start(1, {"rounds": rounds}).to_json()
    stacks = [board[cell].split("+") if cell in board else [] for cell in CELLS]
    data |= {"phase": "turn", "first": 0, "seat": 0, "racks": [["a"]], "board": stacks, "bag": []}
    state = GAME.load(data)
    assert isinstance(state, TopominosState)
    assert broken(state)[5] == {*state.legal(0)} - right
    assert every_move(state) and every_move(state) <= right


def every_move(state: TopominosState) -> set[str]:
    """Whatever any level could do."""
    return {one.move for one in PLAYER.candidates(state.view(state.seat))}


def test_no_level_passes_while_a_piece_can_be_laid() -> None:
    for state in positions(60, 2):
        if any("@" in move for move in state.legal(state.seat)):
            assert not [move for move in every_move(state) if move[:4] in ("pass", "swap")]


def test_no_level_leaves_a_nine_that_one_piece_makes() -> None:
    state = holding("a abce", {"B2": "abcd+efgh"})
    assert every_move(state) == {"i@B2"}
    begun = holding("a b ac", {"B2": "abch+d", "A1": "abcd+efgh"})
    assert every_move(begun) <= {"i@A1", "f@B2", "gi@B2", "e@B2", "g@B2", "i@B2", "fi@B2"}


def test_a_turn_that_is_tried_out_leaves_no_nine_that_one_piece_makes() -> None:
    """As a hint it is told as a whole."""
    view = holding("a b abce", {"B2": "abcd+efgh", "C3": "acd+efg+hi"}, bag="a b e a abc").view(0)
    turns = [one.moves for one in PLAYER.to_try(view, PLAYER.candidates(view))]
    assert len(turns) > 1
    assert all({"i@B2", "b@C3"} <= set(turn) for turn in turns)


def test_a_turn_that_is_tried_out_spends_no_piece_that_makes_a_nine_on_less() -> None:
    """`a` makes one on A1 or on B3, `bd` one on B2: each turn makes one with each."""
    board = {"A1": "bcd+efg+hi", "B2": "acg+efhi", "B3": "bcd+efg+hi", "C1": "ab+de"}
    state = holding("a aceh bd bdef beh", board, bag="a b e a abc")
    view = state.view(0)
    nines = {(one.cell, one.used) for one in Seen(view).nines_at_hand()}
    assert len({cell for cell, _ in nines}) > len({used for _, used in nines}) > 1
    for one in PLAYER.to_try(view, PLAYER.candidates(view)):
        full = {cell: len(stack.replace("+", "")) for cell, stack in board.items()}
        made = 0
        for lay in one.moves:
            dots, _, cell = lay.partition("@")
            full[cell] = full.get(cell, 0) + len(dots)
            if full[cell] == 9:
                made, full[cell] = made + 1, 0
        assert made > 1, one.moves


@pytest.mark.parametrize("first", [0, 1])
def test_no_level_keeps_in_the_last_round_what_can_be_laid(first: int) -> None:
    """Not even where somebody follows, who has nothing left."""
    state = holding("a b", {"A1": "abch+d", "B2": "abcd"}, bag="")
    data = state.to_json()
    data |= {"racks": [["a", "b"], []], "gone": [], "first": first}
    loaded = GAME.load(data)
    assert isinstance(loaded, TopominosState)
    while loaded.actors() == (0,):
        if any("@" in move for move in loaded.legal(0)):
            assert (broken(loaded).get(4) is not None) == (first == 1), "of the very last turn alone"
            assert not {"end", "pass"} & every_move(loaded)
        loaded.apply(Event("move", sorted(every_move(loaded))[0], 0))
    assert loaded.racks[0] == []


def test_large_pieces_are_exchanged_before_small_ones() -> None:
    for move in every_move(holding("abce abcg bd", dict.fromkeys(CELLS, "abcd+fgh"))):
        assert "bd" not in move.split() or "abce" in move.split()


def to_the_end(state: TopominosState, seat: int, known: dict[str, float]) -> float:
    """By how many points the seat is ahead at the end, both playing their best; winning counts as much as
    there."""
    outcome = state.outcome()
    if outcome is not None:
        by = outcome.scores[seat] - outcome.scores[1 - seat]
        return by + WON * ((by > 0) - (by < 0))
    if alike(state) not in known:
        values = [to_the_end(after, seat, known) for _, after in followers(state)]
        known[alike(state)] = max(values) if state.seat == seat else min(values)
    return known[alike(state)]


def alike(state: TopominosState) -> str:
    """The same for positions that differ but in how and where stacks lie."""
    stacks = [(KIND[full], state.touched >> cell & 1) for cell, full in enumerate(state.fills)]
    start = stacks[state.start] if state.start >= 0 else None
    facts = (sorted(stacks), start, state.racks, state.points, state.mode, state.seat, bool(state.laid))
    return str((facts, state.passes, state.result))


def followers(state: TopominosState) -> list[tuple[str, TopominosState]]:
    """Moves and the positions after them, one of those that are alike."""
    found: dict[str, tuple[str, TopominosState]] = {}
    for move in state.legal(state.seat):
        if move.startswith("swap"):
            continue
        after = state.clone()
        after.apply(Event("move", move, state.seat))
        found.setdefault(alike(after), (move, after))
    return list(found.values())


@pytest.mark.parametrize(
    ("racks", "board"),
    [
        (["a b", "a"], ["abcdefg"] * 8 + ["abcdefgh"]),
        (["a", "a b"], ["abcdfhi"] * 8 + ["abcdefg"]),
        (["ab e", "b"], ["abcdefg"] * 8 + ["abcdfgh"]),
        (["b e", "ab"], ["abcdfhi"] * 8 + ["abcdfgh"]),
        (["ab e", "a b"], ["abcdefg", "abcdefh", "abcdegi", "abcdfgh", *["abcdfhi"] * 5]),
    ],
)
def test_endings_of_two_are_searched_to_the_end(racks: list[str], board: list[str]) -> None:
    data: dict[str, Any] = GAME.start(2, {}).to_json()
    data |= {"phase": "turn", "first": 0, "seat": 0, "racks": [rack.split() for rack in racks]}
    data |= {"board": [[dots[:4], dots[4:]] for dots in board], "bag": []}
    left = Counter(SET) - Counter(NAMES[dots] for stack in data["board"] for dots in stack)
    left -= Counter(" ".join(racks).split())
    data["gone"] = sorted(left.elements())
    state = GAME.load(data)
    assert isinstance(state, TopominosState)
    move = choose("topominos", state.view(0), MIND, Level.HARD)
    known: dict[str, float] = {}
    best = max(to_the_end(after, 0, known) for _, after in followers(state))
    state.apply(Event("move", move, 0))
    assert to_the_end(state, 0, known) == best


# figures


def test_least_squares_find_what_a_sum_is_made_of() -> None:
    chance = Random(1)
    wanted = [chance.random() - 0.5 for _ in range(FEATURES)]
    rows = []
    for _ in range(200):
        row = [float(chance.random() < 0.3) for _ in range(FEATURES)]
        rows.append((row, 7.0 + sum(one * each for one, each in zip(row, wanted, strict=True))))
    assert solved(rows, 0.0) == pytest.approx([*wanted, 7.0])


def test_figures_are_learned_the_same_every_time() -> None:
    once, again = (learned(2, 2, FIGURES[2], Random(1)) for _ in range(2))
    assert once == again
    assert [len(part) for part in once[:4]] == [10, 10, 5, 5]
    alone = solo_learned(1, SOLO, Random(1))
    assert [len(part) for part in alone] == [10, 10, 5, 2]
