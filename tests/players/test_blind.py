"""What every strength chooses is legal, and does not depend on what is hidden from it.

Positions are those of games at random. To each a twin is looked for: another game, in which something
happened otherwise that this seat did not see (what others drew, or chose in secret), so that what it sees is
the same. From both the same must be chosen; the twin's view goes the way it does to the processes that think,
and is decided when others have been in between.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from bot.levels import Level
from bot.players import choose, player_of
from bot.rules.chance import Generator
from bot.rules.errors import RulesError
from bot.rules.game import AnyState, Event, OptionValue, View
from bot.rules.registry import GAME_IDS, game

BUDGET = 12  # games that `hard` plays for a decision here: it goes the same way as with hundreds
BACK = 12  # events, from the last on, of which one happens otherwise in a twin
TRIES = 8  # at a twin
# Twins of a thousand. In Zatre only what others keep is hidden, in 5 vor 12 nothing but the order of tiles.
LEAST = {"top12": 50, "zatre": 20, "topominos": 300, "topspot": 50}
OPTIONS: dict[str, tuple[dict[str, OptionValue], ...]] = {
    "top12": ({},),
    "fivetotwelve": ({}, {"setup": "free"}, {"bruno": True}),
    "zatre": ({}, {"laying": "club"}),
    "topominos": ({},),
    "topspot": ({}, {"level": "expert"}, {"level": "junior"}),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """A seat's view, and the same of a twin where one was found."""

    state: AnyState
    seat: int
    view: View
    twin: View | None


def positions(name: str, count: int) -> Iterator[Pair]:
    """So many of them, of every number of seats and of several options, with their twins."""
    rules = game(name)
    found = 0
    for number in range(count):
        chance = Generator(f"blind {name}", str(number))
        options = OPTIONS[name][number % len(OPTIONS[name])]
        able = rules.seat_counts(options)
        seats = able[number // len(OPTIONS[name]) % len(able)]
        state = rules.start(seats, options)
        events: list[Event] = []
        while state.outcome() is None and found < count:
            if not state.chance_due():
                for seat in state.actors():
                    # Where choices are secret every one; else not, as there are more kinds of games.
                    if found < count and (state.in_secret() or chance.below(4) == 0):
                        found += 1
                        yield Pair(state, seat, state.view(seat), _twin(state, options, events, seat, chance))
            event = _next(state, chance)
            state.apply(event)
            events.append(event)
        if found == count:
            return


def _next(state: AnyState, chance: Generator) -> Event:
    if state.chance_due():
        return state.draw(chance)
    seat = chance.choice(state.actors())
    return Event("move", state.random_move(seat, chance), seat)


def _twin(
    state: AnyState, options: dict[str, OptionValue], events: list[Event], seat: int, chance: Generator
) -> View | None:
    """What the seat sees where something was otherwise that it did not see."""
    view = state.view(seat)
    for _ in range(TRIES):
        other = state.game.start(state.players, options)
        try:
            for event in _otherwise(other, events, seat, chance):
                other.apply(event)
        except (RulesError, ValueError):
            continue  # what came after does not fit
        if other.view(seat) == view and _hidden(other, seat) != _hidden(state, seat):
            return other.view(seat)
    return None


def _otherwise(state: AnyState, events: list[Event], seat: int, chance: Generator) -> Iterator[Event]:
    """The same events, but two things that others were given are exchanged, or one of the last events is
    another. state: where the next of them is about to be applied."""
    given = [
        at for at, event in enumerate(events) if event.kind == "chance" and event.player not in {None, seat}
    ]
    if len(given) > 1 and chance.below(2):
        yield from _exchanged(events, chance.choice(given), chance.choice(given), chance)
        return
    changed = len(events) - 1 - chance.below(state.players if chance.below(2) else BACK)
    for at, event in enumerate(events):
        if at != changed or event.player == seat:
            yield event
        elif event.kind == "chance":
            yield state.draw(chance)
        else:
            assert event.player is not None
            yield Event("move", state.random_move(event.player, chance), event.player)


def _exchanged(events: list[Event], one: int, two: int, chance: Generator) -> list[Event]:
    """With a tile, piece or card of one chance event in the other, and the other way round."""
    found = list(events)
    (kind, *ours), (_, *theirs) = events[one].text.split(), events[two].text.split()
    at, there = chance.below(len(ours)), chance.below(len(theirs))
    ours[at], theirs[there] = theirs[there], ours[at]
    for event, things in ((one, ours), (two, theirs)):
        found[event] = Event("chance", " ".join([kind, *sorted(things)]), events[event].player)
    return found


def _hidden(state: AnyState, seat: int) -> list[View]:
    return [state.view(other) for other in range(state.players) if other != seat]


def _blind(name: str, count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many twins there were."""
    monkeypatch.setattr(player_of(name), "budget", BUDGET)
    decided: list[tuple[View, Level, str, int]] = []
    twins = 0
    for number, pair in enumerate(positions(name, count)):
        twins += pair.twin is not None
        for level in Level:
            move = _chosen(name, pair.view, level, number)
            pair.state.check(pair.seat, move)
            decided.append((pair.twin or pair.view, level, move, number))
    for view, level, move, number in reversed(decided):
        sent: Any = pickle.loads(pickle.dumps(view))
        assert _chosen(name, sent, level, number) == move
    return twins


def _chosen(name: str, view: View, level: Level, number: int) -> str:
    return choose(name, view, Generator("blind", f"{number} {level}"), level)


@pytest.mark.parametrize("name", GAME_IDS)
def test_what_is_chosen_is_legal_and_the_same_by_equal_views(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _blind(name, 20, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("name", GAME_IDS)
def test_that_holds_at_a_thousand_positions(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _blind(name, 1000, monkeypatch) >= LEAST.get(name, 0)
