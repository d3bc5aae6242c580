"""Turns retold: what they are said to have scored is what the rules counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.locale import LANGUAGES, sayer
from bot.rules.chance import Generator
from bot.rules.fivetotwelve import CELLS, FiveView
from bot.rules.game import Event, Game, State
from bot.rules.registry import game
from bot.rules.topspot import TopSpotView
from bot.rules.zatre import EMPTY, Gain, Run, Sheet, ZatreView, gain, with_tiles, worth_words

from .conformance import Case, walk

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Fay")


class Told(str):
    """A text's key, with the values for its places."""

    key: str
    values: Mapping[str, Any]


def retold(rules: Game, state: State, events: Sequence[Event], since: int, say: Any) -> dict[int, list[Any]]:
    """As a spectator may know it."""
    view = state.view(None)
    told = rules.retell(view, state.redact(events, None), since, NAMES[: state.players], say)
    found: dict[int, list[Any]] = {}
    for one in told:
        found.setdefault(one.seat, []).append(one.text)
    return found


def kept(key: str, /, **values: object) -> Any:
    told = Told(key)
    told.key, told.values = key, values
    return told


def turns(case: Case, seed: str) -> Iterator[tuple[State, list[Event], int]]:
    """Every position of a random game, with the place of its newest decision."""
    last = -1
    for position in walk(case, seed):
        if position.events and position.events[-1].kind == "move":
            last = len(position.events) - 1
        if last >= 0:
            yield position.state, position.events, last


@pytest.mark.parametrize(
    "case", [Case("fivetotwelve", 2), Case("fivetotwelve", 2, {"series": True, "setup": "sorted"})]
)
def test_the_tiles_told_are_those_on_the_board(case: Case) -> None:
    seen = set()
    filled: dict[int, int] = {}
    games = 0
    for state, events, last in turns(case, "tiles"):
        mover = events[last].player
        assert mover is not None
        view: Any = state.view(None)
        for told in retold(case.rules, state, events, last, kept).get(mover, []):
            seen.add(told.key.rpartition(".")[2])
            if told.key.endswith("lay") and last == len(events) - 1 and games == len(view.results):
                assert told.values["n"] == 16 - view.boards[mover].count(0) - filled.get(mover, 0)
        games, filled = len(view.results), {seat: 16 - b.count(0) for seat, b in enumerate(view.boards)}
    assert seen >= {"lay", "exchange", "leave", "reveal"}


@pytest.mark.parametrize(
    "options", [{}, {"series": True, "setup": "sorted"}, {"bruno": True, "setup": "free"}]
)
def test_of_5_vor_12_the_record_tells_which_lays_were_exchanges(options: dict[str, bool | str]) -> None:
    case = Case("fivetotwelve", 2, options)
    exchanges: dict[int, tuple[str, dict[str, object]]] = {}
    for position in walk(case, "exchanges"):
        state, events, event = position.state, position.events, position.next
        if event is not None and event.kind == "move" and event.text.count("@") == 1:
            view, taken = state.view(event.player), event.text.startswith("take")
            assert isinstance(view, FiveView) and view.seat is not None
            tile, _, cell = event.text.removeprefix("take ").partition("@")
            if replaced := view.boards[view.seat][CELLS.index(cell)]:
                values = {"tile": int(tile), "cell": cell, "replaced": replaced}
                exchanges[len(events)] = ("take_exchange" if taken else "exchange", values)
    assert case.rules.fuller(state.view(None), events) == exchanges
    assert {kind for kind, _ in exchanges.values()} == {"exchange", "take_exchange"}


def test_the_points_of_topominos_are_those_of_the_game() -> None:
    for case in (Case("topominos", 3, {"rounds": 2}), Case("topominos", 1, {"rounds": 3})):
        counted = [0] * case.players
        ended = 0
        for state, events, last in turns(case, "points"):
            view: Any = state.view(None)
            if len(view.games) > ended:  # with what was left on the racks taken off
                ended, counted = len(view.games), [0] * case.players
                continue
            if last != len(events) - 1 or events[last].text != "end":
                continue
            [told] = retold(case.rules, state, events, last, kept)[events[last].player or 0]
            counted[events[last].player or 0] += told.values["n"]
            assert view.points == tuple(counted)
        assert ended == len(view.games) > 1


def test_zatre_says_what_a_turn_scored() -> None:
    rules, state = game("zatre"), game("zatre").start(2, {})
    events = [
        Event("chance", "lots 5 2"),
        Event("chance", "draw 1 6", 0),
        Event("move", "5@H8 6@H9 1@H10", 0),
    ]
    for event in events:
        state.apply(event)
    say = sayer("en")
    [told] = retold(rules, state, events, 2, say)[0]
    assert told == "5 on H8, 6 on H9 and 1 on H10, 4 for the 12 + 4 by doubling = 8 points, 1 cross"
    assert worth_words(gain(with_tiles(EMPTY, ()), ()), Sheet(), say) == "no points"
    twice = Gain((Run((1, 2), 12), Run((3, 4), 12)), 0, 0, 8, (1, 5))
    assert worth_words(twice, Sheet(), sayer("de")) == (
        "8 für 2 Reihen mit 12 + 8 durch Verdoppeln = 16 Punkte, 2 Kreuze"
    )
    assert worth_words(replace(twice, crosses=()), Sheet(tens=(1,), elevens=(2,)), say) == (
        "8 for 2 runs of 12 + 3 as bonus = 11 points"
    )


def test_the_points_told_in_zatre_are_those_on_the_sheet() -> None:
    for case in (Case("zatre", 2), Case("zatre", 4, {"partners": True})):
        before = [0, 0]
        several = 0
        for state, events, last in turns(case, "sums"):
            view = state.view(None)
            assert isinstance(view, ZatreView)
            totals = [sheet.total for sheet in view.sheets]
            mover = events[last].player
            assert mover is not None
            if last == len(events) - 1:
                [told] = retold(case.rules, state, events, last, sayer("en"))[mover]
                sheet = view.sheet_of(mover)
                added = re.search(r"(\d+) points?(, \d crosse?s?)?$", told)
                assert (int(added[1]) if added else 0) == totals[sheet] - before[sheet]
                parts = re.findall(r"(\d+) (?:for|as|by) ", told)
                several += bool(parts)
                assert not parts or added is None or sum(map(int, parts)) == int(added[1])
            before = totals
        assert several > 3


def test_top12_tells_a_round_in_one_phrase_and_nothing_of_an_open_one() -> None:
    rules, state = game("top12"), game("top12").start(2, {"first": "host"})
    start = "10@A7 20@B2 30@C6 40@D5 50@E6"
    events = [Event("move", start, 0), Event("move", start, 1), Event("chance", "first 0")]
    events += [Event("move", "call 60", 0), Event("chance", "roll joker"), Event("move", "60@A9", 0)]
    for event in events:
        state.apply(event)
    say = sayer("en")
    assert retold(rules, state, events, 3, say) == {0: ["called 60"]}
    events.append(Event("move", "60@B3", 1))
    state.apply(events[-1])
    assert retold(rules, state, events, 3, say) == {
        0: ["called 60, entered in A9, +1 in the fullest column"],
        1: ["60 in B3, +1 in the fullest column"],
    }


def brought(case: Case, state: State, events: Sequence[Event], reader: int, since: int) -> dict[int, Any]:
    """What is news to each seat in what this reader is told."""
    view = state.view(reader)
    told = case.rules.retell(view, state.redact(events, reader), since, NAMES[: case.players], kept)
    return {one.seat: one.own for one in told if one.own}


def test_top12_tells_a_round_to_who_entered_last_and_one_that_nobody_could_enter() -> None:
    case = Case("top12", 2, {"first": "host"})
    state = case.rules.start(2, {"first": "host"})
    low, high = "10@A1 20@B2 30@C6 40@D5 50@E6", "10@A1 20@B2 30@C6 40@D5 50@E6"
    events = [Event("move", low, 0), Event("move", high, 1), Event("chance", "first 0")]
    events += [Event("move", "call 60", 0), Event("chance", "roll joker")]
    events += [Event("move", "60@A9", 0), Event("move", "60@B3", 1)]
    for event in events:
        state.apply(event)
    say, names = sayer("en"), NAMES[:2]
    told = case.rules.retell(state.view(1), state.redact(events, 1), len(events), names, say)
    assert [one.text for one in told if one.seat == 0] == [
        "called 60, entered in A9, +1 in the fullest column"
    ], "the entry before the reader's own was hidden until then"
    events.append(Event("move", "call 5", 1))
    state.apply(events[-1])
    told = case.rules.retell(state.view(None), state.redact(events, None), len(events) - 2, names, say)
    assert [(one.seat, one.text) for one in told] == [
        (0, "called 60, entered in A9, +1 in the fullest column"),
        (1, "60 in B3, +1 in the fullest column"),
        (1, "called 5"),
    ], "a round is told whole"
    events.append(Event("chance", "roll hand"))
    state.apply(events[-1])
    for reader in (0, 1):
        told = case.rules.retell(
            state.view(reader), state.redact(events, reader), len(events) - 2, names, say
        )
        assert [one for one in told if one.own] == [
            (1, "called 5, nobody could enter it", "called 5, nobody could enter it")
        ]
    told = case.rules.retell(state.view(1), state.redact(events, 1), len(events), names, say)
    assert told == [(1, "called 5, nobody could enter it", "called 5, nobody could enter it")]


def test_top12_tells_who_plays_alone_of_nobody() -> None:
    rules = game("top12")
    state = rules.start(1, {})
    events = [Event("move", "10@A1 20@B2 30@C6 40@D5 50@E6", 0), Event("chance", "first 0")]
    events += [Event("move", "call 5", 0), Event("chance", "roll hand")]
    for event in events:
        state.apply(event)
    for language, phrase, sentence in (
        ("en", "called 5, it could not be entered", "It could not be entered."),
        ("de", "5 genannt, sie ließ sich nicht eintragen", "Sie ließ sich nicht eintragen."),
    ):
        say = sayer(language)
        told = rules.retell(state.view(0), state.redact(events, 0), 2, NAMES[:1], say)
        assert told[-1] == (0, phrase, phrase)
        assert sentence in rules.board_text(state.view(0), NAMES[:1], say).splitlines()


def test_top12_tells_everybody_who_could_not_enter_a_number() -> None:
    """The caller too, who did not know of the roll when calling; in an open round its player reads it
    from `aside`."""
    rules = game("top12")
    state = rules.start(3, {"first": "host"})
    low, high = "10@A1 20@B1 30@C1 40@D1 50@E1", "10@A5 20@B5 30@C5 40@D5 50@E5"
    events = [
        Event("move", low, 0),
        Event("move", high, 1),
        Event("move", low, 2),
        Event("chance", "first 0"),
    ]
    events += [Event("move", "call 5", 0), Event("chance", "roll joker")]
    for event in events:
        state.apply(event)
    say, names = sayer("en"), NAMES[:3]

    def told(reader: int | None, since: int) -> list[tuple[int, str, str]]:
        return list(rules.retell(state.view(reader), state.redact(events, reader), since, names, say))

    assert told(None, 4) == [
        (0, "called 5", ""), (0, "could not enter 5", ""), (2, "could not enter 5", "")
    ]  # fmt: skip
    assert told(0, 5) == [(0, "could not enter 5", ""), (2, "could not enter 5", "")]
    assert rules.forced(state.view(None), events) == {5: (0, 2)}
    asides = [rules.aside(state.view(seat), say) for seat in (0, 1, 2, None)]
    assert [bool(aside) for aside in asides] == [True, False, True, False]
    events.append(Event("move", "5@A1", 1))
    state.apply(events[-1])
    unable = "could not enter 5"
    whole = [(0, unable, unable), (2, unable, unable), (1, "5 in A1, +1 in the fullest column", "")]
    assert told(0, 5) == [(0, "called 5", ""), *whole]
    assert told(None, 4) == [(0, "called 5", ""), *whole]
    assert rules.aside(state.view(0), say) == ""


def ended_games(view: Any) -> int:
    if isinstance(view, TopSpotView):
        return view.game_number - 1 if view.outcome is None else view.games
    return len(view.results if isinstance(view, FiveView) else view.games)


@pytest.mark.parametrize(
    "case",
    [
        Case("fivetotwelve", 2, {"series": True, "setup": "sorted"}),
        Case("topominos", 2, {"rounds": 2}),
        Case("topspot", 3),
    ],
    ids=str,
)
def test_who_ends_a_game_reads_what_it_brought(case: Case) -> None:
    """Each their points, also who ended it by a move of their own."""
    ended = 0
    for position in walk(case, "brought"):
        state, events = position.state, position.events
        view: Any = state.view(None)
        over = ended_games(view)
        if over == ended or state.chance_due():
            continue
        ended = over
        mover = next(event.player for event in reversed(events) if event.kind == "move")
        assert mover is not None
        told = brought(case, state, events, mover, len(events))
        if case.game == "topspot":
            assert {seat: one.values["n"] for seat, one in told.items()} == {
                view.last.winner: view.last.points
            }
            assert told[view.last.winner].values["game"] == ended
            continue
        points = view.results[-1].points if case.game == "fivetotwelve" else view.games[-1]
        assert len(told) == case.players
        for seat, one in told.items():
            game = one.values["told"] if one.key.endswith("left") else one
            assert (game.values["n"], game.values["game"]) == (points[seat], ended)
            assert one.values.get("lost", 0) == (view.lost[seat] if case.game == "topominos" else 0)
    assert ended > 1


def test_top_spot_says_who_won_the_last_round() -> None:
    wins = 0
    for state, events, last in turns(Case("topspot", 3), "rounds"):
        view = state.view(None)
        assert isinstance(view, TopSpotView)
        if last != len(events) - 1 or view.plays or view.last is None or view.last.how != "won":
            continue
        told = retold(game("topspot"), state, events, 0, kept)
        won = [
            (seat, one.values["brought"].values["n"])
            for seat, each in told.items()
            for one in each
            if one.key.endswith("brought")
        ]
        assert won == [(view.last.winner, view.last.points)]
        mover = events[last].player
        assert mover is not None
        mine = brought(Case("topspot", 3), state, events, mover, len(events))
        assert {seat: one.values["n"] for seat, one in mine.items()} == {view.last.winner: view.last.points}
        wins += 1
    assert wins > 5


EACH = (
    Case("fivetotwelve", 3, {"setup": "free"}),
    Case("top12", 3),
    Case("topominos", 3),
    Case("topspot", 4, {"level": "expert"}),
    Case("zatre", 4, {"partners": True}),
)


@pytest.mark.parametrize("case", EACH, ids=str)
def test_every_turn_is_told_briefly(case: Case) -> None:
    chance = Generator(str(case), "retold")
    for number, position in enumerate(walk(case, "retold")):
        state, events = position.state, position.events
        if number % 9 or not events or number > 300:
            continue
        since = chance.below(len(events))
        for language in LANGUAGES:
            say = sayer(language)
            for phrases in retold(case.rules, state, events, since, say).values():
                assert all(
                    0 < len(phrase) <= 150 and "\n" not in phrase and "?" not in phrase for phrase in phrases
                )
