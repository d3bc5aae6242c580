"""Other possible worlds: another course of events that one seat cannot tell from the real one.

Made on the record, not on the state: hidden pieces of others are exchanged for others, hidden decisions for
other ones, and the rules replay the whole. What they refuse is no possible world; what they accept is a game
that seat has seen no difference in so far, so everything shown to it must be the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.rules.chance import Generator
from bot.rules.errors import RulesError
from bot.rules.game import Event, State

from .conformance import Case

RECENT = 5  # hidden events from the end that are tried: earlier pieces are mostly played by now


def other_world(
    case: Case,
    state: State,
    events: Sequence[Event],
    seat: int | None,
    chance: Generator,
    *,
    before: int | None = None,
) -> tuple[State, list[Event]] | None:
    """A state and its events that differ from the given ones in what is hidden from `seat` alone; None when
    this try found none. before: only events before this one are changed, however long ago; without it only
    the most recent hidden ones."""
    seen = state.redact(events, seat)
    hidden = [index for index, event in enumerate(events[:before]) if seen[index] != event]
    if before is None:
        hidden = hidden[-RECENT:]
    if not hidden:
        return None
    index = chance.choice(hidden)
    changed = list(events)
    if events[index].kind == "move":
        changed[index] = _other_decision(case, events, index, chance)
    elif chance.below(2):
        other = chance.choice(hidden)
        if events[other].kind == "move":
            return None
        _exchange(changed, index, other, chance)
    else:
        _replace(case, changed, index, chance)
    if changed == list(events):
        return None
    try:
        return _replayed(case, changed), changed
    except RulesError:
        return None


def _replayed(case: Case, events: Sequence[Event]) -> State:
    state = case.start()
    for event in events:
        state.apply(event)
    return state


def _other_decision(case: Case, events: Sequence[Event], index: int, chance: Generator) -> Event:
    """Another decision of the same shape: as many words, and the same first word where it is one."""
    event = events[index]
    assert event.player is not None
    before = _replayed(case, events[:index])
    for _ in range(20):
        move = before.random_move(event.player, chance)
        same = move.split(" ")[0] == event.text.split(" ")[0] or "@" in move
        if same and move.count(" ") == event.text.count(" ") and move != event.text:
            return Event("move", move, event.player)
    return event


def _exchange(events: list[Event], index: int, other: int, chance: Generator) -> None:
    """Two hidden draws or deals swap a piece."""
    mine, theirs = events[index].text.split(" "), events[other].text.split(" ")
    if index == other or len(mine) < 2 or len(theirs) < 2:
        return
    here, there = 1 + chance.below(len(mine) - 1), 1 + chance.below(len(theirs) - 1)
    mine[here], theirs[there] = theirs[there], mine[here]
    events[index] = _written(events[index], mine)
    events[other] = _written(events[other], theirs)


def _replace(case: Case, events: list[Event], index: int, chance: Generator) -> None:
    """A hidden draw brings another piece: one that is seen anywhere in the record."""
    words = events[index].text.split(" ")
    if len(words) < 2:
        return
    seen = sorted(
        {word for event in events if event.kind == "chance" for word in event.text.split(" ")[1:]} - {"-"}
    )
    words[1 + chance.below(len(words) - 1)] = chance.choice(seen)
    events[index] = _written(events[index], words)


def _written(event: Event, words: Sequence[str]) -> Event:
    """Canonical text: numbers by value, names by character, jokers last."""
    pieces = sorted(words[1:], key=lambda word: (word == "*", int(word) if word.isdigit() else 0, word))
    return Event("chance", " ".join([words[0], *pieces]), event.player)
