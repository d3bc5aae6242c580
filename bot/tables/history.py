"""What people read of a table's past: its history line by line, and its record."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from bot.rules import record as records
from bot.rules.game import AnyState, Event, Fuller, Game, View
from bot.rules.registry import game as rules_of

from .entries import record_events
from .model import Entry, HistoryLine, Table

log = logging.getLogger(__name__)
T = TypeVar("T")


def known_events(table: Table, state: AnyState, entries: Sequence[Entry], seat: int | None) -> list[Event]:
    """The record's events as a seat may know them; none where some cannot be read, though the position
    kept beside them can."""
    try:
        return state.redact(record_events(entries), seat)
    except Exception as error:  # damaged data may raise anything
        log.error("table %s: its events cannot be read: %s", table.id, type(error).__name__)
        return []


def forced_by(table: Table, view: View, shown: Sequence[Event]) -> Mapping[int, tuple[int, ...]]:
    """For whom the rules have decided without an event of its own, see `Game.forced`. shown: the record's
    events as the view's seat may know them."""
    return _by_rules(table, "was forced cannot be told", lambda rules: rules.forced(view, shown))


def fuller_by(table: Table, view: View, shown: Sequence[Event]) -> Mapping[int, Fuller]:
    """Of which decisions the record tells more than their texts do, see `Game.fuller`. shown: as before."""
    return _by_rules(table, "was decided cannot be followed", lambda rules: rules.fuller(view, shown))


def _by_rules(table: Table, failing: str, tell: Callable[[Game[Any]], Mapping[int, T]]) -> Mapping[int, T]:
    """What the table's rules tell; nothing where they cannot. failing: what that is, for the log."""
    try:
        return tell(rules_of(table.game, table.rules_version))
    except Exception as error:  # damaged data may raise anything, and must hide nothing else
        log.warning("table %s: what %s: %s", table.id, failing, type(error).__name__)
        return {}


def lines(
    table: Table,
    entries: Sequence[Entry],
    shown: Sequence[Event],
    forced: Mapping[int, tuple[int, ...]],
    fuller: Mapping[int, Fuller],
) -> list[HistoryLine]:
    """Every change in order. shown: the record's events as the reader may know them. forced, fuller: see
    `forced_by` and `fuller_by`."""
    told: list[HistoryLine] = []
    place = 0
    then = _first_names(table, entries)
    for entry in entries:
        events: tuple[Event, ...] = ()
        after: dict[int, tuple[int, ...]] = {}
        words: dict[int, Fuller] = {}
        if not entry.void:
            events = tuple(shown[place : place + len(entry.events)])
            after = {at: forced[place + at] for at in range(len(events)) if place + at in forced}
            words = {at: fuller[place + at] for at in range(len(events)) if place + at in fuller}
            place += len(entry.events)
        vote = entry.data.get("vote")
        told.append(
            HistoryLine(
                entry.revision,
                entry.kind,
                entry.at,
                entry.seat,
                entry.user,
                events,
                entry.void,
                name=str(entry.data.get("name", "")),
                vote=vote if isinstance(vote, str) else None,
                yes=entry.data.get("yes") is not False,
                then=dict(then),
                forced=after,
                fuller=words,
            )
        )
        if entry.kind in ("take_seat", "computer_seat") and entry.seat is not None:
            then.pop(entry.seat, None)
            if entry.kind == "take_seat":
                then[entry.seat] = str(entry.data.get("name", ""))
    return told


def _first_names(table: Table, entries: Sequence[Entry]) -> dict[int, str]:
    """The names of those who sat at the start on seats that changed hands since."""
    said = {entry.user: str(entry.data["name"]) for entry in entries if entry.user and "name" in entry.data}
    changed = {entry.seat for entry in entries if entry.kind in ("take_seat", "computer_seat")}
    start = next((entry for entry in entries if entry.kind == "start"), None)
    held = start.data.get("seats") if start is not None else None
    if not isinstance(held, list):
        return {}
    users = [(seat, int(str(user))) for seat, user in enumerate(held) if str(user).isdecimal()]
    return {seat: said[user] for seat, user in users if seat in changed and user in said}


def write_record(table: Table, events: Sequence[Event]) -> str:
    """The `parlour/1` text of an ended table."""
    game = rules_of(table.game)
    players = len(table.seats)
    full = game.options_for(players, table.options)
    return records.dumps(
        records.Record(
            game=table.game,
            options=game.written_options(players, full),
            players=players,
            seed=table.seed,
            events=tuple(events),
            outcome=table.outcome,
            version=None if table.rules_version == game.version else table.rules_version,
        )
    )
