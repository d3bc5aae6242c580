"""Every game keeps the contract: one suite over all games, options and seat counts.

A failing id such as `zatre-4-partners=True` names the case; the games are random but fixed by their seeds.
"""

from __future__ import annotations

import ast
import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from string import Formatter

import pytest

import bot.rules
from bot.cli import selfplay
from bot.locale import LANGUAGES, keys, sayer
from bot.rules import record as records
from bot.rules.chance import Generator
from bot.rules.errors import Extra, Illegal, Impossible, Missing, NotYours, RulesError, SetupError, Unreadable
from bot.rules.fivetotwelve import CELLS, TOP
from bot.rules.game import Event, Game, State
from bot.rules.registry import game, games
from tests.sweeps import swept

from .conformance import (
    HOSTILE,
    Case,
    Position,
    cases,
    cases_of,
    dump,
    mutated,
    mutated_record,
    sampled,
    walk,
)
from .worlds import other_world

CASES = cases()


def each(some: Sequence[Case]) -> pytest.MarkDecorator:
    """The test is run for each of them. Every day for each option by itself, and for the largest table."""
    daily = [case for case in some if len(case.options) == 1 or case.players == case.rules.max_seats]
    return pytest.mark.parametrize(
        "case", swept(some, daily=[case for case in daily if len(case.options) < 2]), ids=str
    )


EACH_CASE = each(CASES)
EACH_GAME = pytest.mark.parametrize("rules", games(), ids=lambda rules: rules.id)
NAMES = tuple(f"Seat {letter}" for letter in "ABCDEF")
ENGLISH = sayer("en")


def names(case: Case) -> tuple[str, ...]:
    return NAMES[: case.players]


def seats(case: Case) -> Iterator[int | None]:
    yield None
    yield from range(case.players)


def text_of(case: Case, state: State, seat: int | None) -> str:
    return case.rules.board_text(state.view(seat), names(case), ENGLISH)


# --------------------------------------------------------------------------- whole games


@EACH_CASE
@pytest.mark.parametrize("seed", swept(["1", "two"]))
def test_a_random_game_ends_with_an_outcome_of_the_rules(case: Case, seed: str) -> None:
    for position in walk(case, seed):
        state = position.state
        assert state.game is case.rules
        due = (state.chance_due(), bool(state.actors()), state.outcome() is not None)
        assert sum(due) == 1, "exactly one of chance, decisions, end"
        assert list(state.actors()) == sorted(set(state.actors()))
        assert set(state.actors()) <= set(range(case.players))
        assert isinstance(state.phase(), str)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason in case.rules.reasons
    assert len(outcome.scores) == case.players
    assert all(type(score) is int for score in outcome.scores)
    assert outcome.winners
    assert list(outcome.winners) == sorted(set(outcome.winners))
    assert set(outcome.winners) <= set(range(case.players))
    assert f"{case.game}.reason.{outcome.reason.replace(' ', '_')}" in keys("en")
    assert state.view(None).outcome == outcome


PARTS = {"fivetotwelve": lambda move: move == "draw", "topominos": lambda move: "@" in move}


@EACH_CASE
def test_each_turn_and_each_simultaneous_choice_has_a_number_of_its_own(case: Case) -> None:
    """Told from the moves: a part leaves its seat to act, a choice of several closes when the last is in."""
    part = PARTS.get(case.game, lambda move: False)
    for seed in ("turns", "more turns"):
        asked: tuple[int, ...] = ()
        moved = Event("move", "", 0)
        number = -1
        chance = False
        for position in walk(case, seed):
            state = position.state
            if state.actors():
                still = tuple(seat for seat in asked if seat != moved.player)
                one = part(moved.text) if len(asked) == 1 and moved.player in state.actors() else False
                if one or (still == state.actors() and not chance):
                    assert state.turn() == number
                else:
                    assert state.turn() > number
                number, asked, chance = state.turn(), state.actors(), False
                assert state.clone().turn() == case.rules.load(json.loads(dump(state))).turn() == number
            if position.next is not None and position.next.kind == "move":
                moved = position.next
            else:
                chance = True


@EACH_CASE
def test_a_choice_is_in_secret_as_long_as_something_chosen_in_it_is_hidden(case: Case) -> None:
    for position in walk(case, "secret"):
        state = position.state
        assert not state.in_secret() or state.actors()
        hidden = [
            event
            for seat in seats(case)
            for event in state.redact(position.events, seat)
            if event.kind == "move" and "?" in event.text
        ]
        if hidden and not case.rules.hidden_hands:
            assert state.in_secret()
        if state.in_secret() and case.players > 1 and position.next is not None:
            assert position.next.kind == "move"
            after = state.clone()
            after.apply(position.next)
            others = tuple(seat for seat in state.actors() if seat != position.next.player)
            if others and after.actors() == others:
                events = [*position.events, position.next]
                assert "?" in after.redact(events, None)[-1].text


@EACH_CASE
def test_every_position_of_a_game_is_without_fault(case: Case) -> None:
    for position in sampled(case, 60):
        assert position.state.faults() == []


@EACH_CASE
def test_the_same_seed_is_the_same_game_and_its_record_leads_to_the_same_position(case: Case) -> None:
    record = selfplay(case.rules, case.players, "again", dict(case.options))
    text = records.dumps(record)
    assert text == records.dumps(selfplay(case.rules, case.players, "again", dict(case.options)))
    assert records.read(text) == record
    assert records.dumps(records.read(text)) == text
    state = records.replay(record)
    assert state.outcome() == record.outcome
    again = case.start()
    for event in record.events:
        again.apply(event)
    assert dump(again) == dump(state)


@EACH_CASE
def test_legal_lists_in_a_record_are_held_against_the_rules(case: Case) -> None:
    record = selfplay(case.rules, case.players, "lists", dict(case.options), legal=True)
    lines = len(record.events)
    if lines > 400:  # a part is enough, and the file stays small
        record = records.Record(
            record.game, record.players, record.options, None, record.events[:400], None,
            {index: moves for index, moves in record.legal.items() if index < 400},
        )  # fmt: skip
    text = records.dumps(record)
    assert records.verify(text).fault is None
    raw = json.loads(text)
    given = [index for index, line in enumerate(raw["events"]) if len(line.get("legal", ())) > 1]
    if not given:
        pytest.skip("this case lists no choice of two moves")
    index = given[len(given) // 2]
    raw["events"][index]["legal"].reverse()
    fault = records.verify(json.dumps(raw)).fault
    assert fault is not None
    assert (fault.kind, fault.index, fault.key) == ("illegal", index, "record.legal_list")


# --------------------------------------------------------------------------- asking


@EACH_CASE
def test_asking_and_failing_change_nothing(case: Case) -> None:
    for position in sampled(case, 12):
        state = position.state
        before = dump(state)
        for seat in seats(case):
            view = state.view(seat)
            assert view == state.view(seat)
            assert hash(view) == hash(state.view(seat))
            case.rules.board_text(view, names(case), ENGLISH)
            state.redact(position.events, seat)
        for seat in range(case.players):
            if state.lists(seat):
                state.legal(seat)
        for seat in state.actors():
            state.stand_in(seat)
            state.random_move(seat, Generator("asking", "any"))
        state.faults()
        state.clone()
        if state.chance_due():
            state.draw(Generator("asking", "draw"))
        for event in wrong_events(case, position):
            with pytest.raises(RulesError):
                state.apply(event)
        assert dump(state) == before


def wrong_events(case: Case, position: Position) -> Iterator[Event]:
    """Events that cannot come next."""
    state = position.state
    yield Event("move", "nonsense", 0)
    yield Event("chance", "nonsense")
    yield Event("move", "nonsense")
    past = position.events[-1] if position.events else None
    if past is not None and past.kind == "move" and past.player not in state.actors():
        yield past
    if state.outcome() is not None and past is not None:
        yield past


@EACH_CASE
def test_copies_are_independent_and_stored_states_come_back_whole(case: Case) -> None:
    for position in sampled(case, 25):
        state = position.state
        stored = json.loads(json.dumps(state.to_json()))
        assert stored["schema"] == case.rules.schema
        before = dump(state)
        for copy in (state.clone(), case.rules.load(stored)):
            assert dump(copy) == before
            assert copy.options == state.options
            assert [copy.view(seat) for seat in seats(case)] == [state.view(seat) for seat in seats(case)]
            if position.next is not None:
                copy.apply(position.next)
                assert dump(copy) != before
                assert dump(state) == before
            assert copy.faults() == []


@EACH_GAME
def test_a_stored_state_that_is_damaged_is_refused_as_such(rules: Game) -> None:
    """ValueError or a state, whatever is missing or of another kind: never anything else."""
    for case in cases_of(rules):
        position = list(sampled(case, 6))[-3]
        stored = json.loads(dump(position.state))
        refused = 0
        values: tuple[object, ...] = ("gone", None, -1, 10**30, 2.5, [], [[]], [None], {}, "x", True)
        for key in stored:
            for value in values:
                damaged = {k: v for k, v in stored.items() if k != key}
                if value != "gone":
                    damaged[key] = value
                try:
                    case.rules.load(damaged).faults()
                except ValueError:
                    refused += 1
        assert refused > 5 * len(stored)


# --------------------------------------------------------------------------- moves


@EACH_CASE
def test_a_legal_list_is_sorted_and_whole_and_the_view_alone_gives_it(case: Case) -> None:
    pool = sorted({move for position in sampled(case, 12, "pool") for move in known_moves(position)})
    chance = Generator(str(case), "pool")
    for position in sampled(case, 8):
        state = position.state
        for seat in range(case.players):
            if not state.lists(seat):
                with pytest.raises(ValueError):
                    state.legal(seat)
                with pytest.raises(ValueError):
                    case.rules.legal(state.view(seat))
                continue
            legal = state.legal(seat)
            assert legal == sorted(set(legal))
            assert case.rules.legal(state.view(seat)) == legal
            assert bool(legal) == (seat in state.actors())
            if legal:
                assert state.choice(seat) == case.rules.choice(state.view(seat))
            sample = [chance.choice(pool) for _ in range(40)] if pool else []
            picked = [chance.choice(legal) for _ in range(20)] if legal else []
            near = [mutated(move, chance) for move in picked]
            for move in (*sample, *picked, *near):
                judged_alike(case, state, seat, move, move in legal)


def known_moves(position: Position) -> list[str]:
    state = position.state
    moves = [move for seat in state.actors() if state.lists(seat) for move in state.legal(seat)]
    return moves[:: max(1, len(moves) // 50)]


def judged_alike(case: Case, state: State, seat: int, move: str, legal: bool) -> None:
    """State.check, Game.check and apply agree with the list, in the right kind of error."""
    if legal:
        state.check(seat, move)
        case.rules.check(state.view(seat), move)
        after = state.clone()
        after.apply(Event("move", move, seat))
        assert dump(after) != dump(state)
        return
    expected: tuple[type[RulesError], ...] = (
        (Unreadable, Illegal) if seat in state.actors() else (Unreadable, NotYours)
    )
    errors = []
    for judge in (
        lambda: state.check(seat, move),
        lambda: case.rules.check(state.view(seat), move),
        lambda: state.clone().apply(Event("move", move, seat)),
    ):
        with pytest.raises(RulesError) as caught:
            judge()
        errors.append(caught.value)
    assert isinstance(errors[0], expected)
    assert isinstance(errors[1], expected)
    assert (errors[0].key, errors[0].data) == (errors[1].key, errors[1].data)
    if seat in state.actors():
        assert (errors[2].key, errors[2].data) == (errors[0].key, errors[0].data)
    for error in errors:
        told(error)


def told(error: RulesError) -> None:
    """The error has a text in every language, and the values for its places."""
    for language in LANGUAGES:
        assert sayer(language)(error.key, **error.data)
    if isinstance(error, Illegal):
        assert error.rule, f"{error.key} names no rule"


@each([c for c in CASES if c.game == "fivetotwelve"])
def test_the_list_is_what_is_left_of_every_move_there_is_in_5_vor_12(case: Case) -> None:
    every = ["draw", "leave"]
    for tile in range(1, TOP + 1):
        every += [f"{tile}@{cell}" for cell in CELLS] + [f"take {tile}@{cell}" for cell in CELLS]
    for position in sampled(case, 12):
        for seat in position.state.actors():
            four = [move for move in position.state.legal(seat) if " " in move and "take" not in move]
            assert left(position.state, seat, [*every, *four]) == position.state.legal(seat)


@each([c for c in CASES if c.game == "top12"])
def test_the_list_is_what_is_left_of_every_move_there_is_in_top_12(case: Case) -> None:
    cells = [f"{letter}{row}" for letter in "ABCDE" for row in range(1, 13)]
    for position in sampled(case, 10):
        for seat in position.state.actors():
            if position.state.lists(seat):
                numbers = [50, *range(0, 102, 7), *called(position)]
                every = [f"call {n}" for n in range(102)] + [f"{n}@{cell}" for n in numbers for cell in cells]
                assert left(position.state, seat, sorted(set(every))) == position.state.legal(seat)


def called(position: Position) -> list[int]:
    calls = [event.text for event in position.events if event.text.startswith("call ")]
    return [int(calls[-1].removeprefix("call "))] if calls else []


def left(state: State, seat: int, moves: list[str]) -> list[str]:
    found = []
    for move in moves:
        try:
            state.check(seat, move)
        except (Illegal, Unreadable):
            continue
        found.append(move)
    return sorted(found)


@EACH_CASE
def test_stand_in_random_and_typed_moves_are_legal_and_canonical(case: Case) -> None:
    chance = Generator(str(case), "typed")
    for position in sampled(case, 25):
        state = position.state
        for seat in state.actors():
            stand_in = state.stand_in(seat)
            assert stand_in == state.stand_in(seat) == state.clone().stand_in(seat)
            for move in (stand_in, state.random_move(seat, chance)):
                state.check(seat, move)
                if state.lists(seat):
                    assert move in state.legal(seat)
                assert state.read(seat, move) == move
                spaced = "  " + move.lower().replace("@", " @ ").replace(" ", "  ") + " "
                assert state.read(seat, spaced) == move


@EACH_CASE
def test_chance_that_is_drawn_always_fits(case: Case) -> None:
    for position in sampled(case, 25):
        state = position.state
        for stream in range(8 if state.chance_due() else 0):
            event = state.draw(Generator("chance", str(stream)))
            assert event.kind == "chance"
            after = state.clone()
            after.apply(event)
            assert after.faults() == []
        if not state.chance_due():
            with pytest.raises((ValueError, RulesError)):
                state.draw(Generator("chance", "none is due"))


# --------------------------------------------------------------------------- errors, each of its kind


@EACH_CASE
def test_events_out_of_place_are_told_apart(case: Case) -> None:
    chances: list[Event] = []
    moves: list[Event] = []
    for position in sampled(case, 30):
        state = position.state
        if state.outcome() is not None:
            for event in (*chances[-3:], *moves[-3:]):
                refused(state, event, Extra, "rules.extra.over")
            continue
        if state.chance_due():
            for event in moves[-3:]:
                refused(state, event, Missing, "rules.missing.chance")
            for event in chances[-8:]:
                other_kind = (
                    position.next is not None and event.text.split()[0] != position.next.text.split()[0]
                )
                if other_kind or (position.next is not None and event.player != position.next.player):
                    refused(state, event, Missing, "rules.missing.other_chance")
        else:
            for event in chances[-3:]:
                refused(state, event, Extra, "rules.extra.chance")
            for seat in set(range(case.players)) - set(state.actors()):
                for event in moves[-3:]:
                    refused(state, Event("move", event.text, seat), NotYours, "rules.not_yours.turn")
        following = position.next
        assert following is not None
        (chances if following.kind == "chance" else moves).append(following)


def refused(state: State, event: Event, kind: type[RulesError], key: str) -> None:
    before = dump(state)
    with pytest.raises(RulesError) as caught:
        state.apply(event)
    assert type(caught.value) is kind, event
    assert caught.value.key == key
    assert dump(state) == before


@EACH_CASE
def test_a_seat_that_must_or_must_not_be_named_is_part_of_reading(case: Case) -> None:
    for position in sampled(case, 15):
        event = position.next
        if event is None:
            continue
        wrong: list[object] = [-1, case.players, 10**40, True, False, 1.0, "0"]
        wrong.append(None if event.kind == "move" or event.player is not None else 0)
        for player in wrong:
            with pytest.raises(Unreadable):
                position.state.apply(Event(event.kind, event.text, player))  # type: ignore[arg-type]


@EACH_CASE
def test_hostile_text_is_unreadable_and_nothing_worse(case: Case) -> None:
    chance = Generator(str(case), "hostile")
    for position in sampled(case, 4):
        state = position.state
        if state.outcome() is not None:
            continue
        before = dump(state)
        receiver = position.next.player if position.next else None
        for text in HOSTILE:
            for event in (Event("move", text, 0), Event("chance", text, receiver)):  # type: ignore[arg-type]
                with pytest.raises((Unreadable, Impossible, Missing, Extra)):
                    state.apply(event)
            with pytest.raises((Unreadable, NotYours)):
                state.check(0, text)  # type: ignore[arg-type]
            if isinstance(text, str):
                for seat in state.actors():
                    read_or_refuse(state, seat, text)
        for _ in range(100):
            following = position.next
            assert following is not None
            near = mutated(following.text, chance)
            twin = state.clone()
            try:
                twin.apply(Event(following.kind, near, following.player))
            except RulesError as error:
                told(error)
                assert dump(twin) == before
            else:
                assert twin.faults() == []
        assert dump(state) == before


def read_or_refuse(state: State, seat: int, text: str) -> None:
    """What a person types is either unreadable or comes out as canonical text, which reads as itself."""
    try:
        move = state.read(seat, text)
    except Unreadable as error:
        told(error)
        return
    assert state.read(seat, move) == move
    with contextlib.suppress(Illegal):
        state.check(seat, move)


@EACH_GAME
def test_wrong_options_and_seat_counts_are_clear_errors(rules: Game) -> None:
    least, most = rules.min_seats, rules.max_seats
    for players in (least - 1, most + 1, -1, 10**30, True, 2.0, "2", None):
        with pytest.raises(SetupError) as caught:
            rules.start(players, {})  # type: ignore[arg-type]
        told(caught.value)
    wrong: list[dict[str, object]] = [{"no such option": True}, {"": 1}, {"\ud800": 1}]
    for option in rules.option_list:
        values: tuple[object, ...] = ("maybe", 1.5, [], {}, -1, 10**5000 if option.kind != "number" else 0)
        wrong += [{option.name: value} for value in values]
        wrong.append({option.name: {"flag": 1, "choice": True, "number": True}[option.kind]})
    for given in wrong:
        with pytest.raises(SetupError) as caught:
            rules.start(least, given)
        told(caught.value)
    with pytest.raises(SetupError):
        game("chess")


# --------------------------------------------------------------------------- what is seen


@EACH_CASE
def test_a_position_is_drawn_as_everybody_may_see_it(case: Case) -> None:
    """Where it turns up (in a log, say) it gives nothing away."""
    for position in sampled(case, 6):
        drawn = str(position.state)
        assert drawn.isascii()
        assert drawn == str(position.state.clone())
        assert type(position.state).__name__ not in drawn, "not Python's own"


@EACH_CASE
def test_the_text_board_shows_what_the_view_holds(case: Case) -> None:
    """Two positions look alike in words exactly when the views are alike."""
    for seat in (None, 0):
        texts: dict[object, str] = {}
        views: dict[str, object] = {}
        positions = 0
        for position in sampled(case, 60):
            positions += 1
            view = position.state.view(seat)
            text = case.rules.board_text(view, names(case), ENGLISH)
            assert all(line.strip() for line in text.splitlines())
            assert texts.setdefault(view, text) == text
            assert views.setdefault(text, view) == view
        assert len(texts) > min(5, positions // 2)


@EACH_CASE
@pytest.mark.parametrize("language", swept(LANGUAGES, daily=("de",)))
def test_events_are_told_in_words_also_where_they_are_hidden(case: Case, language: str) -> None:
    say = sayer(language)
    for position in sampled(case, 3):
        for seat in seats(case):
            for event in position.state.redact(position.events, seat):
                line = case.rules.describe(event, names(case), say)
                assert line.strip()
                assert "\n" not in line
                if event.kind == "move" and event.player is not None:
                    assert names(case)[event.player] in line


@EACH_CASE
def test_redaction_hides_pieces_only_and_never_ones_own(case: Case) -> None:
    for position in sampled(case, 12):
        for seat in seats(case):
            seen = position.state.redact(position.events, seat)
            assert len(seen) == len(position.events)
            for shown, event in zip(seen, position.events, strict=True):
                assert (shown.kind, shown.player) == (event.kind, event.player)
                if event.player == seat or event.player is None:
                    assert shown == event
                if shown != event:
                    assert "?" in shown.text
                    assert shown.text.count(" ") == event.text.count(" ") or event.kind == "move"


def hides(case: Case) -> bool:
    """Whether anything that happens is hidden from anybody who watches."""
    return any(
        position.state.redact(position.events, None) != position.events for position in walk(case, "hides")
    )


HIDING = [case for case in CASES if case.players > 1 and hides(case)]


def test_four_of_the_five_games_hide_something() -> None:
    """In 5 vor 12 all tiles lie open."""
    hiding = {case.game for case in HIDING}
    assert hiding >= {"top12", "topominos", "topspot", "zatre"}
    assert "fivetotwelve" not in hiding


@each(HIDING)
def test_nothing_shown_to_a_seat_depends_on_what_is_hidden_from_it(case: Case) -> None:
    chance = Generator(str(case), "worlds")
    found = 0
    for position in sampled(case, 30):
        state, events = position.state, position.events
        if state.outcome() is not None:
            continue  # the end lays hands open: what was kept counts
        for seat in seats(case):
            for _ in range(4):
                other = other_world(case, state, events, seat, chance)
                if other is None:
                    continue
                twin, history = other
                if twin.redact(history, seat) != state.redact(events, seat):
                    continue  # that seat would have seen it
                found += 1
                same_for(case, seat, state, twin)
    assert found >= 5, "the test found too few other worlds to mean anything"


MATCHES = [
    Case("topominos", 2, {"rounds": 3}),
    Case("topominos", 4, {"rounds": 2}),
    Case("topspot", 3),
    Case("topspot", 4, {"level": "expert"}),
]

SECRET = {"zatre": ("draw",), "topominos": ("draw", "swap"), "topspot": ("deal",)}
"""The words of events whose pieces only their own seat knows, by game."""


@each([*CASES, *MATCHES])
def test_no_piece_of_others_is_told_before_the_whole_match_is_over(case: Case) -> None:
    """Topominos told all draws and exchanges of a match's finished games."""
    words = SECRET.get(case.game, ())
    hidden = 0
    for position in sampled(case, 12):
        state, events = position.state, position.events
        if state.outcome() is not None:
            continue
        for seat in seats(case):
            for event, shown in zip(events, state.redact(events, seat), strict=True):
                word, *pieces = event.text.split(" ")
                if word in words and event.player is not None and not knows(case, seat, event.player):
                    assert shown == Event(event.kind, " ".join([word, *("?" for _ in pieces)]), event.player)
                    hidden += 1
                elif event.kind == "chance" or not state.in_secret():
                    assert shown == event
    assert bool(hidden) == bool(words)


def knows(case: Case, seat: int | None, other: int) -> bool:
    partners = bool(case.options.get("partners")) and seat is not None and seat // 2 == other // 2
    return seat == other or partners


@pytest.mark.parametrize("case", swept([case for case in MATCHES if case.game == "topominos"]), ids=str)
def test_nothing_shown_depends_on_what_was_hidden_in_the_match_s_finished_games(case: Case) -> None:
    """Of Top Spot's finished games only the deals are hidden, and hardly ever two hands are left over."""
    chance = Generator(str(case), "matches")
    found = 0
    for seed in range(40):
        walked = [(position.state.clone(), position.events[:]) for position in walk(case, f"match {seed}")]
        numbers = [number_of(state) for state, _ in walked]
        later = [at for at, (state, _) in enumerate(walked) if numbers[at] > 1 and state.outcome() is None]
        for _ in range(100 if later else 0):
            at, seat = chance.choice(later), chance.choice(list(seats(case)))
            state, events = walked[at]
            other = other_world(case, state, events, seat, chance, before=numbers.index(numbers[at]))
            if other is None:
                continue
            twin, history = other
            if twin.redact(history, seat) != state.redact(events, seat) or counted(twin) != counted(state):
                continue  # that seat would have seen it, then or when the racks were laid open
            found += 1
            same_for(case, seat, state, twin)
        if found >= 12:
            break
    assert found >= 3, "the test found too few other matches to mean anything"


def number_of(state: State) -> int:
    """Which game of the match is on, from 1."""
    number: int = getattr(state.view(None), "game_number", 1)
    return number


def counted(state: State) -> object:
    """What the end of a match's game lays open."""
    view = state.view(None)
    return getattr(view, "games", ()), getattr(view, "left", ())


def same_for(case: Case, seat: int | None, state: State, twin: State) -> None:
    assert twin.view(seat) == state.view(seat)
    assert text_of(case, twin, seat) == text_of(case, state, seat)
    assert twin.actors() == state.actors()
    assert twin.phase() == state.phase()
    assert str(twin) == str(state)
    if seat is not None and state.lists(seat):
        assert twin.legal(seat) == state.legal(seat)
    if seat in state.actors():
        assert seat is not None
        assert twin.stand_in(seat) == state.stand_in(seat)
        assert twin.random_move(seat, Generator("w", "m")) == state.random_move(seat, Generator("w", "m"))


@each([c for c in CASES if c.game == "fivetotwelve"])
def test_in_5_vor_12_everybody_sees_the_same(case: Case) -> None:
    for position in sampled(case, 12):
        texts = {text_of(case, position.state, seat) for seat in seats(case)}
        assert len(texts) == 1
        for seat in seats(case):
            assert position.state.redact(position.events, seat) == position.events


# --------------------------------------------------------------------------- hostile records


def _records() -> list[str]:
    """One short record per game, whole and unfinished."""
    found = []
    for rules in games():
        case = next(case for case in CASES if case.rules is rules and case.players == max(2, rules.min_seats))
        record = selfplay(rules, case.players, "hostile", {}, legal=rules.id == "fivetotwelve")
        found.append(records.dumps(record))
        part = records.Record(record.game, record.players, {}, None, record.events[:30], None)
        found.append(records.dumps(part))
    return found


def _read_damaged(count: int) -> int:
    texts = _records()
    chance = Generator("damaged", "records")
    wrong = 0
    for number in range(count):
        damaged = mutated_record(texts[number % len(texts)], chance)
        verdict = records.verify(damaged)
        if verdict.ok:
            assert verdict.record is not None
            assert records.verify(records.dumps(verdict.record)).ok
            continue
        wrong += 1
        assert verdict.fault is not None
        told_fault(verdict.fault)
    return wrong


def told_fault(fault: records.Fault) -> None:
    assert (fault.index is None) == (fault.kind == "header")
    for language in LANGUAGES:
        assert sayer(language)(fault.key, **fault.data)


def test_a_thousand_damaged_records_are_read_without_a_traceback() -> None:
    assert _read_damaged(1_000) > 800


@pytest.mark.long
def test_ten_thousand_damaged_records_are_read_without_a_traceback() -> None:
    assert _read_damaged(10_000) > 8_000


# --------------------------------------------------------------------------- texts


ERRORS = {"SetupError", "Unreadable", "Illegal", "NotYours", "Impossible", "Missing", "Extra"}
KINDS = {name: getattr(bot.rules.errors, name).kind for name in ERRORS}


def raised(folder: Path, game_id: str = "") -> Iterator[tuple[str, str, frozenset[str]]]:
    """(file, key, names of data) of every error written with a plain code in the rules modules of a folder:
    one game's, or with those of all games each in a file or folder of its name."""
    for path in sorted(folder.rglob("*.py")):
        name = game_id or path.relative_to(folder).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS
            ):
                continue
            if not (node.args and isinstance(node.args[0], ast.Constant)):
                continue
            key = node.args[0].value
            assert isinstance(key, str)
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            if None in given:
                continue  # passed through with **data
            owner = name if "game" in given else "rules"
            data = frozenset(str(place) for place in given if place not in {"game", "rule"})
            yield path.name, f"{owner}.{KINDS[node.func.id]}.{key}", data


def test_every_error_of_the_rules_has_its_text_and_the_values_for_it() -> None:
    found = list(raised(Path(bot.rules.__file__).parent))
    assert len(found) > 50
    errors_have_their_texts(found)


def errors_have_their_texts(found: Iterable[tuple[str, str, frozenset[str]]]) -> None:
    for file, key, data in found:
        for language in LANGUAGES:
            assert key in keys(language), f"{file}: {key} has no text"
            text = sayer(language)(key, **dict.fromkeys(data, 0))
            assert text, key


@EACH_GAME
def test_every_game_has_its_words(rules: Game) -> None:
    needed = [f"{rules.id}.name", f"{rules.id}.blurb", f"{rules.id}.rules.1"]
    needed += [f"{rules.id}.reason.{reason.replace(' ', '_')}" for reason in rules.reasons]
    for option in rules.option_list:
        needed += [f"{rules.id}.option.{option.name}", f"{rules.id}.option.{option.name}.help"]
        needed += [f"{rules.id}.option.{option.name}.{choice}" for choice in option.choices]
    for language in LANGUAGES:
        assert set(needed) - keys(language) == set()
        say = sayer(language)
        for option in rules.option_list:
            assert len(say(f"{rules.id}.option.{option.name}.help")) <= 100
        parts = [key for key in keys(language) if key.startswith(f"{rules.id}.rules.")]
        assert sorted(parts) == sorted(f"{rules.id}.rules.{n + 1}" for n in range(len(parts)))
        for key in parts:
            assert len(say(key)) <= 1500
            assert not [name for _, name, _, _ in Formatter().parse(say(key)) if name]
