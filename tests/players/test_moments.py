"""Three moments: which decisions count, from what they are told, and what they are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isfinite
from random import Random
from typing import Any

import pytest

from bot.cli import selfplay
from bot.levels import Level
from bot.players import advise, chance_of, choose, moments, player_of
from bot.players.contract import Candidate, Player, Scale, Term, Trial
from bot.players.moments import (
    CLOSELY,
    DECISIONS,
    GLANCE,
    LAYS,
    MOST,
    Damaged,
    Decision,
    Moment,
    Past,
    better_than,
    compared,
    decisions,
    glances,
    look_back,
    promising,
    spread,
    unbroken,
)
from bot.rules.chance import Generator
from bot.rules.game import AnyState, Event, View, advance, play
from bot.rules.record import Record
from bot.rules.registry import GAME_IDS, game
from bot.rules.topspot import hand_order
from tests.sweeps import swept

from .test_advice import walk
from .test_secrets import leaks
from .test_sense import ALL, Sense
from .test_strengths import Dice

SEED = "moments"


async def here(work: Callable[..., Any], /, *given: Any) -> Any:
    return work(*given)


def silent(_: float) -> None:
    """Nobody is told how far it is."""


def past_of(record: Record, seat: int, upto: int | None = None) -> Past:
    """One seat's part in a record, all of it or up to an event."""
    events = record.events[:upto]
    own = tuple(place for place, event in enumerate(events) if event.kind == "move" and event.player == seat)
    return Past(record.game, record.players, record.options, events, own)


# --------------------------------------------------------------------------- a game of nothing but numbers


def large(move: str) -> Term:
    return Term("numbers.why.large", float(move), (("n", move),))


class Numbers(Player[View]):
    """Moves come to what they are called, and to what luck adds. One thing speaks for each of them."""

    budget = 400

    def __init__(self, *moves: str, noise: float = 1.0, least: float = 1.0) -> None:
        self.moves, self.noise, self.least = moves, noise, least
        self.handed: list[tuple[str, ...]] = []

    def candidates(self, view: View) -> list[Candidate]:
        return [
            Candidate(move, -place, why=(Term("numbers.why.any", 9.0), large(move)))
            for place, move in enumerate(self.moves)
        ]

    def trial(self, view: View, tried: Sequence[Candidate]) -> Trial:
        moves = [one.move for one in tried]
        self.handed.append(tuple(moves))
        return Dice([float(move) for move in moves], self.noise)

    def scale(self, view: View) -> Scale:
        return Scale(least=self.least, each=10.0)


VIEW = View(seat=0, players=2, options=(), actors=(0,), outcome=None)


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Numbers]:
    def made(*moves: str, **more: float) -> Numbers:
        player = Numbers(*moves, **more)
        monkeypatch.setattr(moments, "player_of", lambda _: player)
        return player

    return made


def looked_at(move: str, seed: str = SEED) -> Moment | None:
    decision = Decision(7, VIEW, move)
    better = better_than("numbers", decision, seed)
    return compared("numbers", decision, better, seed) if better is not None else None


def test_a_move_that_is_surely_and_clearly_behind_is_told_with_what_was_better(numbers: Any) -> None:
    numbers("5", "3", "1")
    found = looked_at("1")
    assert found is not None
    assert (found.played, found.better, found.place) == ("1", ("5",), 7)
    assert found.points == pytest.approx(4.0, abs=0.1)
    assert found.worth == pytest.approx(10 * found.points)
    assert found.why == (large("5"),), "and not what speaks for the other as well"
    assert found.games == 100


def test_a_move_that_is_no_candidate_is_tried_out_all_the_same(numbers: Any) -> None:
    player = numbers("5", "3")
    found = looked_at("-2")
    assert found is not None
    assert found.points == pytest.approx(7.0, abs=0.1)
    assert player.handed[-1] == ("-2", "5")


def test_what_was_thought_of_a_move_before_counts_for_nothing(numbers: Any) -> None:
    """The evaluation has it last, and it comes to the most."""
    player = numbers("1", "2", "3")
    player.trust = 1e9  # `hard` plays by the evaluation then
    assert looked_at("3") is None


@pytest.mark.parametrize("seed", range(20))
def test_what_chance_explains_is_nobodys_fault(numbers: Any, seed: int) -> None:
    numbers("1.02", "1", noise=50.0, least=0.0)
    assert looked_at("1", str(seed)) is None


def test_less_than_is_worth_telling_is_not_told(numbers: Any) -> None:
    numbers("1.9", "1", noise=0.0)
    assert looked_at("1") is None
    numbers("2.1", "1", noise=0.0)
    assert looked_at("1") is not None


def test_the_best_move_and_one_as_good_are_no_moments(numbers: Any) -> None:
    numbers("5", "5.0", "1", noise=0.0, least=0.0)
    assert looked_at("5") is None
    assert looked_at("5.0") is None


def test_what_comes_to_the_same_in_every_game_is_told_as_worked_out(numbers: Any) -> None:
    numbers("5", "1", noise=0.0)
    found = looked_at("1")
    assert found is not None
    assert found.games == 0


def test_where_nothing_can_be_tried_out_nothing_is_told(
    numbers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = numbers("5", "1")
    monkeypatch.setattr(player, "looking_back", lambda view, tried: None)
    assert looked_at("1") is None
    assert glances("numbers", [Decision(0, VIEW, "1")], SEED, GLANCE) == [0.0]


@pytest.mark.parametrize("fails", ["candidates", "to_try", "looking_back", "scale"])
async def test_a_fault_in_a_player_costs_no_other_decision(
    numbers: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fails: str
) -> None:
    """In neither pass: whoever tried again would meet it again."""
    player = numbers("5", "1")
    odd = replace(VIEW, players=3)
    works: Callable[..., Any] = getattr(player, fails)

    def failing(view: View, *more: Any) -> Any:
        if view is odd:
            raise IndexError
        return works(view, *more)

    monkeypatch.setattr(player, fails, failing)
    every = [Decision(0, VIEW, "1"), Decision(2, odd, "1"), Decision(4, VIEW, "1")]
    monkeypatch.setattr(moments, "decisions", lambda past: every)
    found = await look_back(Past("numbers", 3, {}, (), ()), SEED, here, silent)
    assert [one.place for one in found] == [0, 4]
    assert "failed at what it looked back on" in caplog.text


def test_a_forced_move_is_not_tried_out(numbers: Any) -> None:
    player = numbers("5")
    assert glances("numbers", [Decision(0, VIEW, "5")], SEED, GLANCE) == [0.0]
    assert player.handed == []


def test_the_first_pass_finds_what_was_lost_with_few_games(numbers: Any) -> None:
    player = numbers("5", "4", "3", "2", "1")
    lost = glances("numbers", [Decision(place, VIEW, move) for place, move in enumerate("531")], SEED, GLANCE)
    assert lost[0] < 0.5 < lost[1] < lost[2]
    assert player.handed == [("5", "4", "3", "2"), ("3", "5", "4", "2"), ("1", "5", "4", "3")]


# --------------------------------------------------------------------------- which are looked at, and told


def test_of_a_long_game_decisions_are_looked_at_that_are_spread_evenly() -> None:
    assert spread(range(5), 10) == [0, 1, 2, 3, 4]
    assert spread(range(10), 5) == [0, 2, 4, 6, 8]
    assert spread([], 5) == []
    assert len(spread(range(1009), DECISIONS)) == DECISIONS


def test_those_that_lost_most_at_a_glance_are_looked_at_closely() -> None:
    some = [Decision(place, VIEW, "") for place in range(20)]
    lost = [float(place % 10) for place in range(20)]
    found = promising(some, lost)
    assert [one.place for one in found] == [9, 19, 8, 18, 7, 17, 6, 16][:CLOSELY]
    assert promising(some, [0.0] * 20) == []


async def test_the_costliest_three_are_told_in_the_order_of_play(
    numbers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers("9")
    moves = ["9", "4", "9", "1", "7", "2", "8"]
    every = [Decision(place, VIEW, move) for place, move in enumerate(moves)]
    monkeypatch.setattr(moments, "decisions", lambda past: every)
    found = await look_back(Past("numbers", 2, {}, (), ()), SEED, here, silent)
    assert [(one.place, one.played) for one in found] == [(1, "4"), (3, "1"), (5, "2")]
    assert len(found) == MOST


WORK = {"decisions", "glances", "better_than", "compared"}


@pytest.mark.parametrize(("name", "pieces"), [("topspot", WORK), ("topominos", WORK | {"advised"})])
async def test_the_work_comes_in_pieces_that_know_views_alone(
    monkeypatch: pytest.MonkeyPatch, name: str, pieces: set[str]
) -> None:
    monkeypatch.setattr(player_of(name), "budget", 60)
    record = selfplay(game(name), 3, SEED, {})
    handed: list[tuple[str, list[str]]] = []

    async def run(work: Callable[..., Any], /, *given: Any) -> Any:
        handed.append((work.__name__, leaks(str(record.seed), *given)))
        return work(*given)

    past = past_of(record, 1, 40)
    await look_back(past, "a seed of its own", run, silent)
    assert handed[0][0] == "decisions"  # which plays the record through and gives back views
    assert [leak for _, leak in handed if leak] == []
    assert {work for work, _ in handed} == pieces
    every = decisions(past)
    assert every is not None
    assert leaks(str(record.seed), every) == []


def test_decisions_are_those_of_the_person_with_what_their_seat_saw() -> None:
    record = selfplay(game("zatre"), 3, SEED, {})
    past = past_of(record, 1)
    state = game("zatre").start(3, {})
    found = decisions(replace(past, own=past.own[2:5]))
    assert found is not None
    assert [one.place for one in found] == list(past.own[2:5])
    for place, event in enumerate(record.events):
        for one in found:
            if one.place == place:
                assert one.view == state.view(1)
                assert one.move == event.text
        state.apply(event)


@pytest.mark.parametrize(
    "change",
    [
        lambda past: replace(past, events=past.events[:4] + past.events[5:]),
        lambda past: replace(past, events=(*past.events[:6], Event("move", "nonsense", 0), *past.events[6:])),
        lambda past: replace(past, options={"laying": 3}),
        lambda past: replace(past, players=17),
    ],
)
async def test_a_damaged_record_is_told_as_such(change: Callable[[Past], Past]) -> None:
    with pytest.raises(Damaged):
        await look_back(change(past_of(selfplay(game("zatre"), 2, SEED, {}), 0)), SEED, here, silent)


# --------------------------------------------------------------------------- the games


@pytest.mark.parametrize("name", GAME_IDS)
def test_any_legal_move_can_be_looked_back_on(name: str) -> None:
    """Also those that are no candidates; the same again with the same chance."""
    rules, player = game(name), player_of(name)
    chance = Random(1)
    told = 0
    for players in {rules.min_seats, 2, rules.max_seats} & set(range(rules.min_seats, rules.max_seats + 1)):
        record = selfplay(rules, players, f"{name} {players}", {})
        own = past_of(record, players - 1)
        every = decisions(own)
        assert every is not None
        for one in every[:: max(1, len(every) // 6)]:
            try:
                legal = rules.legal(one.view)
            except ValueError:  # too many to be listed
                legal = [one.move]
            moves = list(dict.fromkeys([one.move, *chance.sample(legal, min(6, len(legal)))]))
            tried = [Candidate(move, 0.0) for move in moves]
            trial = player.looking_back(one.view, tried)
            if trial is None:
                assert name == "top12" and one.view.phase == "setup"  # type: ignore[attr-defined]
                continue
            gains = trial.world(range(len(moves)), Random(5))
            again = player.looking_back(one.view, tried)
            assert again is not None
            assert gains == again.world(range(len(moves)), Random(5))
            assert len(gains) == len(moves)
            assert all(map(isfinite, gains))
            told += 1
    assert told >= 10


@pytest.mark.parametrize("name", swept(GAME_IDS, daily=("fivetotwelve", "zatre")))
def test_what_a_hint_said_is_no_moment(name: str) -> None:
    """Neither its move nor, of a whole turn, any of its moves."""
    rules, told = game(name), 0
    for state in walk(name, max(2, rules.min_seats), "hints and moments", 12):
        view = state.view(state.actors()[0])
        if len(player_of(name).candidates(view)) > 1 and told < 2:
            for move in advise(name, view, chance_of(SEED, view)).moves:
                assert better_than(name, Decision(0, view, move), SEED) is None
            told += 1
    assert told == 2


async def test_who_played_a_whole_turn_as_a_hint_told_it_is_told_no_lay_of_it(
    numbers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked anew at a later lay `hard` may prefer another: it has other candidates then, and other chance."""
    player = numbers("9", "1", "0")
    monkeypatch.setattr(player, "closing", "0")
    start = replace(VIEW, players=3)
    ranked = player.candidates(VIEW)

    def candidates(view: View) -> list[Candidate]:
        if view is start:
            return [Candidate("2", 9.0, turn=("2", "1"))]
        return ranked

    monkeypatch.setattr(player, "candidates", candidates)

    async def told(*every: Decision) -> list[int]:
        monkeypatch.setattr(moments, "decisions", lambda past: list(every))
        found = await look_back(Past("numbers", 2, {}, (), ()), SEED, here, silent)
        return [one.place for one in found]

    assert await told(Decision(5, start, "2"), Decision(6, VIEW, "1")) == []
    assert await told(Decision(5, start, "2"), Decision(7, VIEW, "1")) == [7], "not the same turn"
    assert await told(Decision(5, start, "3"), Decision(6, VIEW, "1")) == [6], "not as it was told"
    assert await told(Decision(6, VIEW, "1")) == [6]
    whole = Decision(5, start, "2"), Decision(6, VIEW, "1"), Decision(7, VIEW, "0")
    assert await told(*whole) == [], "the turn's end after all of it"
    assert await told(Decision(5, start, "2"), Decision(6, VIEW, "0")) == [6], "before all of it"


def test_decisions_right_before_are_those_that_nothing_came_between() -> None:
    every = [Decision(place, VIEW, "") for place in (1, 3, 4, 5, 8, *range(20, 40))]
    assert [one.place for one in unbroken(every, every[3])] == [4, 3]
    assert unbroken(every, every[4]) == []
    assert [one.place for one in unbroken(every, every[-1])] == list(range(38, 38 - LAYS, -1))


WRONG = [sense for sense in ALL if sense.verdict in ("right", "wrong")]
# What costs so much that nobody who looks back would leave it out, by game: a share of the thirty. (Of some a
# game that goes on well, or a second chance in the next turn, is not much worse: to pass alone, say. And what
# was played instead may come later in the same turn of Topominos.)
LEAST = {"fivetotwelve": 20, "top12": 21, "zatre": 27, "topominos": 21, "topspot": 22}


def wrong_move(sense: Sense, state: AnyState) -> str:
    if sense.verdict == "wrong":
        return sense.moves[0]
    return next(move for move in state.legal(sense.seat) if move not in sense.moves)


def moment_of(sense: Sense) -> Moment | None:
    state = sense.state()
    decision = Decision(0, state.view(sense.seat), wrong_move(sense, state))
    better = better_than(sense.game, decision, SEED)
    return compared(sense.game, decision, better, SEED) if better is not None else None


# Reasons that spoke for what was played there as well.
OF_BOTH = {"three, the last turn": ("zatre.why.all_laid", "zatre.why.runs")}


@pytest.mark.parametrize(
    ("name", "position", "better"),
    [
        ("fivetotwelve", "the last tile draws level", "15@D2"),
        ("fivetotwelve", "the revealed tile is the last", "7@A3"),
        ("top12", "joker for two", "30@A5"),
        ("top12", "the hundred", "100@E12"),
        ("top12", "any face wins", "call 56"),
        ("zatre", "two, keeping everything", "6@G6 6@G7"),
        ("zatre", "three, the last turn", "6@C3 4@M3"),
        ("topominos", "two, the last turn", "ach@C2"),
        ("topominos", "two, two dots to the nine", "gi@A2"),
        ("topominos", "four, target, going on to the nine", "acg@A3"),
        ("topspot", "3 play junior, few cards left", "GL"),
        ("topspot", "3 play junior, nobody can beat RL", "RL"),
        ("topspot", "3 play junior, a round that is lost", "GF"),
        ("topspot", "the last of a tie-break can win", "YL"),
    ],
)
def test_what_a_child_sees_is_found_where_it_was_overlooked(name: str, position: str, better: str) -> None:
    [sense] = [sense for sense in WRONG if (sense.game, sense.name) == (name, position)]
    found = moment_of(sense)
    assert found is not None
    assert found.better[0] == better
    assert sense.good(better)
    view = sense.state().view(sense.seat)
    hint = advise(name, view, chance_of(SEED, view))
    told = tuple(term for term in hint.why if term.key not in OF_BOTH.get(position, ()))
    assert (found.better, found.why) == (hint.moves, told), "as a hint tells it"
    assert (len(found.better) > 1) == (name == "topominos")


def test_a_reason_of_both_moves_is_none_for_the_better_one() -> None:
    """The same of something else is one only if it weighs more there."""
    same, more, less, only = large("5"), Term("more", 2.0, (("n", 9),)), Term("less", 1.0), Term("only", 1.0)
    better = Candidate("5", 1.0, why=(same, more, less, only))
    own = (large("5"), Term("more", 1.0, (("n", 4),)), Term("less", 3.0, (("n", 2),)))
    assert moments._in_its_favour(own, better) == (more, only)


def test_one_card_is_no_reason_against_another_one_card() -> None:
    """Also where a rule of thumb forbids what was played, or its own reason is that it does not win."""
    player, told = player_of("topspot"), 0
    for state in walk("topspot", 3, "one card", 60):
        view = state.view(state.actors()[0])
        for better in player.candidates(view)[:3]:
            for move in state.legal(state.actors()[0]):
                why = moments._in_its_favour(player.reasons(view, move), better)
                saves = [term for term in why if term.key == "topspot.why.saves"]
                assert not saves or "+" in move
                told += len(saves)
    assert told


@pytest.mark.parametrize(
    ("position", "goes_on"),
    [("two, two dots to the nine", True), ("two, the last turn (2)", False), ("four, the last turn", False)],
)
def test_it_is_known_whether_more_could_follow_what_was_played(position: str, goes_on: bool) -> None:
    [sense] = [sense for sense in WRONG if (sense.game, sense.name) == ("topominos", position)]
    found = moment_of(sense)
    assert found is not None
    assert found.goes_on is goes_on


@pytest.mark.long
@pytest.mark.parametrize("name", GAME_IDS)
def test_most_of_what_a_child_sees_is_found_where_it_was_overlooked(name: str) -> None:
    senses = [sense for sense in WRONG if sense.game == name]
    found = [moment for sense in senses if (moment := moment_of(sense)) is not None]
    assert len(found) >= LEAST[name], len(found)


def game_of(name: str, players: int, seed: str, level: Level | None, options: Any = None) -> Record:
    """A game in which seat 0 plays at that level (None: by chance), and everybody else as `medium`."""
    state = game(name).start(players, options or {})
    random = Generator(seed, "random")
    events: list[Event] = advance(state, seed, 0)
    while state.outcome() is None:
        seat = state.actors()[0]
        chance = Generator(seed, f"seat:{seat}:{len(events)}")
        if seat == 0 and level is None:
            move = state.random_move(seat, random)
        else:
            move = choose(name, state.view(seat), chance, Level.MEDIUM if seat or level is None else level)
        events += play(state, seed, len(events), seat, move)
    return Record(name, players, options or {}, seed, tuple(events), state.outcome())


def by_hints(name: str, players: int, seed: str) -> Record:
    """A game in which seat 0 plays whatever hints tell, whole turns, and the others overlook a lot."""
    state = game(name).start(players, {})
    events: list[Event] = advance(state, seed, 0)
    told: list[str] = []
    follows, closing = False, player_of(name).closing
    while state.outcome() is None:
        seat = state.actors()[0]
        view = state.view(seat)
        if seat:
            move = choose(name, view, Generator(seed, f"seat:{seat}:{len(events)}"), Level.EASY)
        elif follows and not told and closing and closing in state.legal(seat):
            move = closing
        else:
            move, *told = told or advise(name, view, chance_of(SEED, view)).moves
        events += play(state, seed, len(events), seat, move)
        follows = not seat and "@" in move and events[-1].kind == "move"
    return Record(name, players, {}, seed, tuple(events), state.outcome())


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "seed"),
    [*((name, "hints") for name in GAME_IDS), ("topominos", "hints 10")],
)
async def test_who_plays_by_hints_alone_has_no_moment(name: str, seed: str) -> None:
    record = by_hints(name, max(2, game(name).min_seats), seed)
    assert await look_back(past_of(record, 0), SEED, here, silent) == ()


@pytest.mark.long
@pytest.mark.parametrize("name", GAME_IDS)
async def test_hard_itself_has_hardly_a_moment_and_who_plays_by_chance_has_some(name: str) -> None:
    players = max(2, game(name).min_seats)
    hard = await look_back(past_of(game_of(name, players, SEED, Level.HARD), 0), SEED, here, silent)
    assert len(hard) <= 1, hard
    blind = await look_back(past_of(game_of(name, players, SEED, None), 0), SEED, here, silent)
    assert len(hard) < len(blind) <= MOST
    assert all(one.points >= one.scale.least for one in blind)


async def test_the_same_again_is_the_same() -> None:
    past = past_of(selfplay(game("top12"), 2, SEED, {}), 0, 60)
    found = await look_back(past, SEED, here, silent)
    assert found
    assert await look_back(past, SEED, here, silent) == found
    assert [one.place for one in found] == sorted(one.place for one in found)


# --------------------------------------------------------------------------- what is hidden


PIECES = {"zatre": "1 2 3 4 5 6", "topominos": "e bh ac abd abh aei"}  # that are drawn instead


def changed(record: Record, seat: int) -> Iterator[tuple[int, tuple[Event, ...]]]:
    """The record with something else in what another drew or chose; the place from which it differs. Whether
    the rules allow it, and whether the seat sees it, is not asked."""
    for place, event in enumerate(record.events[:60]):
        if event.player in (None, seat):
            continue
        if record.game == "top12" and event.text.count("@") == 1:  # an entry, secret until all have chosen
            number, _, cell = event.text.partition("@")
            for row in range(1, 13):
                yield place, _with(record, place, f"{number}@{cell[0]}{row}")
        elif record.game == "topspot" and event.kind == "chance":
            yield from ((place, events) for events in _dealt_otherwise(record, seat, place))
        elif event.kind == "chance":
            word, *drawn = event.text.split(" ")
            for one in range(len(drawn)):
                for piece in PIECES[record.game].split(" "):
                    names = sorted([*drawn[:one], piece, *drawn[one + 1 :]])
                    yield place, _with(record, place, " ".join([word, *names]))


def _dealt_otherwise(record: Record, seat: int, place: int) -> Iterator[tuple[Event, ...]]:
    """A card of that deal and one of a later one to somebody else, exchanged."""
    for other, event in enumerate(record.events[: place + 5]):
        if other > place and event.kind == "chance" and event.player != seat:
            for card in range(12):
                _, *mine = record.events[place].text.split(" ")
                _, *theirs = event.text.split(" ")
                mine[card], theirs[11 - card] = theirs[11 - card], mine[card]
                one = replace(record, events=_with(record, place, " ".join(["deal", *hand_order(mine)])))
                yield _with(one, other, " ".join(["deal", *hand_order(theirs)]))


def _with(record: Record, place: int, text: str) -> tuple[Event, ...]:
    changed = replace(record.events[place], text=text)
    return (*record.events[:place], changed, *record.events[place + 1 :])


def twins(record: Record, seat: int) -> tuple[Past, Past] | None:
    """Two games as far as they went when the seat had decided, that differ in what was hidden from it, and in
    nothing that it saw."""
    for place, events in changed(record, seat):
        after = [at for at in past_of(record, seat).own if at > place]
        if events == record.events or not after:
            continue
        upto = after[0] + 1
        one, other = (past_of(replace(record, events=made), seat, upto) for made in (record.events, events))
        seen = decisions(other)
        if seen is not None and seen == decisions(one):
            return one, other
    return None


@pytest.mark.parametrize("name", ["zatre", "topominos", "topspot", "top12"])
async def test_what_was_hidden_has_no_part_in_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_of(name), "budget", 60)
    players = max(3, game(name).min_seats)
    pairs = [twins(selfplay(game(name), players, f"twins {number}", {}), players - 1) for number in range(6)]
    found = [pair for pair in pairs if pair is not None]
    assert len(found) >= 3
    for one, other in found:
        assert one.events != other.events
    one, other = min(found, key=lambda pair: len(pair[0].own))
    assert await look_back(other, SEED, here, silent) == await look_back(one, SEED, here, silent)


async def test_what_came_later_has_no_part_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """5 vor 12 hides nothing but what is still to come."""
    monkeypatch.setattr(player_of("fivetotwelve"), "budget", 200)
    record = selfplay(game("fivetotwelve"), 2, SEED, {})
    past = past_of(record, 0)
    few = replace(past, own=past.own[6:8])
    cut = replace(few, events=few.events[: few.own[-1] + 1])
    looked = await look_back(few, SEED, here, silent)
    assert looked
    assert await look_back(cut, SEED, here, silent) == looked
