"""From what is stored of a table to the position of its game: from the cached one, or from the events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.rules.errors import SetupError
from bot.rules.game import AnyGame, AnyState, Event, View
from bot.rules.registry import game as rules_of

from .entries import record_events
from .model import Entry, Status, Table


class Unloadable(Exception):
    """A table's position can be made neither from the cache nor from the entries."""


def replay(table: Table, events: Sequence[Event], players: int | None = None) -> AnyState:
    """The position after `events`, by the table's version of the rules. Raises RulesError, SetupError,
    ValueError."""
    state = rules_of(table.game, table.rules_version).start(players or len(table.seats), table.options)
    for event in events:
        state.apply(event)
    return state


def restore(table: Table, cache: str | None) -> AnyState | None:
    """The cached position, or None where the cache is missing, damaged, of another schema or of another time.
    Raises Unloadable where the game or its version is not known."""
    game = _rules(table)
    if cache is None:
        return None
    try:
        data = json.loads(cache)
        if not isinstance(data, dict) or data.get("schema") != game.schema:
            return None
        state = game.load(data)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return None  # whatever is wrong with a cache, the entries hold the truth
    if state.players != len(table.seats):
        raise Unloadable(f"{len(table.seats)} seats for {state.players} players")
    return state if _is_of(table, state) else None


def rebuild(table: Table, entries: Iterable[Entry]) -> AnyState:
    """The position made from the stored events. Raises Unloadable."""
    _rules(table)
    try:
        state = replay(table, record_events(entries))
    except Exception as error:  # damaged data may raise anything; one table must not stop the rest
        raise Unloadable(f"{type(error).__name__}") from error
    if not _is_of(table, state):
        raise Unloadable("others are to act")
    return state


def view_of(table: Table, state: AnyState, seat: int | None) -> View:
    """What a seat (None: a spectator) may see. Where the table has ended before its game, nobody
    is to act."""
    view: View = state.view(seat)
    return view if table.is_open else replace(view, actors=())


def _is_of(table: Table, state: AnyState) -> bool:
    """Whether those seats are to act whose choice is open: else nobody could."""
    on = table.status in (Status.PLAYING, Status.PAUSED)
    return not on or set(state.actors()) == {seat.index for seat in table.to_act}


def _rules(table: Table) -> AnyGame:
    try:
        return rules_of(table.game, table.rules_version)
    except SetupError as error:
        raise Unloadable(f"{error.code}: version {table.rules_version}") from error
