"""One change in the making: what the pure parts (`lobby`, `play`, `votes`, `undo`, `clock`) work on.

A part changes `Work.table`, `Work.state` and `Work.events`; `settle` then draws the consequences that every
change has in common: who is to act, deadlines, notices, the end, what to store. Nothing here waits for
anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from bot.rules.errors import SetupError
from bot.rules.game import JSON, AnyGame, AnyState, Event
from bot.rules.registry import game as rules_of

from .model import (
    Change,
    Ending,
    Entry,
    Person,
    Seat,
    SeatKind,
    Status,
    Table,
    UserId,
)
from .ports import Aside, Ended, NotSeated, NotStarted, Paused, Started, Write


class Unloadable(Exception):
    """A table's position can be made neither from the cache nor from the entries."""


@dataclass(slots=True)
class Work:
    """before: the table as it was (None for a new one). own: the seat that itself made the decision (it needs
    no notice of what it opened for itself). entries: every stored change, where the step asked for them.
    left: by turn (see `State.turn`) and seat, the seconds that were left when that choice was closed, as far
    as it may be opened again. turn: the one that was on before the change, None where none was."""

    table: Table
    state: AnyState | None
    now: datetime
    kind: str
    before: Table | None = None
    person: Person | None = None
    entries: Sequence[Entry] = ()
    seat: int | None = None
    own: int | None = None
    decided: set[int] = field(default_factory=set)  # seats for which a decision was played
    events: list[Event] = field(default_factory=list)
    data: dict[str, JSON] = field(default_factory=dict)
    void: list[int] = field(default_factory=list)
    left: Mapping[tuple[int, int], float] = field(default_factory=dict)
    turn: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.turn = _turn(self.state)

    @property
    def time(self) -> datetime:
        """The table's own time, which stands still while it is paused."""
        return self.table.paused or self.now

    @property
    def game(self) -> AnyGame:
        """The game's facts that all versions share. A game that begins goes by the current one; the position
        of a game that is on knows its own."""
        return rules_of(self.table.game)

    @property
    def revision(self) -> int:
        """The revision this change will have."""
        return self.before.revision + 1 if self.before else 1

    @property
    def position(self) -> AnyState:
        """The state of a game that is on. Raises NotStarted or Aside."""
        if self.state is None:
            raise NotStarted(self.table) if self.table.status is Status.LOBBY else Aside(self.table)
        return self.state

    def set(self, **fields: Any) -> None:
        self.table = replace(self.table, **fields)

    def set_seat(self, index: int, **fields: Any) -> None:
        seats = list(self.table.seats)
        seats[index] = replace(seats[index], **fields)
        self.set(seats=tuple(seats))

    def end(self, ending: Ending) -> None:
        self.set(status=Status.ENDED, ending=ending.value)

    # what a step may ask first

    def need_lobby(self) -> None:
        """Raises Ended, Aside, Started."""
        self.need_open()
        if self.table.status is Status.ASIDE:
            raise Aside(self.table)
        if self.table.status is not Status.LOBBY:
            raise Started(self.table)

    def need_open(self) -> None:
        """Raises Ended."""
        if self.table.status is Status.ENDED:
            raise Ended(self.table)

    def need_started(self) -> None:
        """A game that is on, paused or not. Raises Ended, NotStarted, Aside."""
        self.need_open()
        if self.table.status is Status.LOBBY:
            raise NotStarted(self.table)
        if self.table.status is Status.ASIDE:
            raise Aside(self.table)

    def need_playing(self) -> None:
        """Raises Ended, NotStarted, Aside, Paused."""
        self.need_started()
        if self.table.status is Status.PAUSED:
            raise Paused(self.table)

    def need_seat(self) -> Seat:
        """The acting person's seat. Raises NotSeated."""
        seat = self.table.seat_of(self.person.id) if self.person else None
        if seat is None:
            raise NotSeated(self.table)
        return seat


def record_events(entries: Iterable[Entry]) -> list[Event]:
    """The record's events: those of entries not undone, in order."""
    return [event for entry in entries if not entry.void for event in entry.events]


def replay(table: Table, events: Sequence[Event], players: int | None = None) -> AnyState:
    """The position after `events`, by the table's version of the rules. Raises RulesError, SetupError,
    ValueError."""
    state = rules_of(table.game, table.rules_version).start(players or len(table.seats), table.options)
    for event in events:
        state.apply(event)
    return state


def restore(table: Table, cache: str | None) -> AnyState | None:
    """The cached position, or None where the cache is missing, damaged or of another schema. Raises
    Unloadable where the game or its version is not known."""
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
    return state


def rebuild(table: Table, entries: Iterable[Entry]) -> AnyState:
    """The position made from the stored events. Raises Unloadable."""
    _rules(table)
    try:
        return replay(table, record_events(entries))
    except Exception as error:  # damaged data may raise anything; one table must not stop the rest
        raise Unloadable(f"{type(error).__name__}") from error


def _rules(table: Table) -> AnyGame:
    try:
        return rules_of(table.game, table.rules_version)
    except SetupError as error:
        raise Unloadable(f"{error.code}: version {table.rules_version}") from error


def _turn(state: AnyState | None) -> int | None:
    return state.turn() if state is not None and state.actors() else None


def settle(work: Work) -> tuple[Write, Change]:
    """The write and the report of a change whose step is done."""
    from .clock import left_of, open_choice, table_deadline, wake  # the clock's part works on Work too
    from .lobby import clean_name
    from .votes import tidy

    revision = work.revision
    before = work.before
    table = work.table
    state = work.state
    opened: list[int] = []
    closed: list[int] = []
    outcome = state.outcome() if state is not None else None
    if outcome is not None and table.status in (Status.PLAYING, Status.PAUSED):
        table = replace(table, status=Status.ENDED, ending=Ending.FINISHED.value, outcome=outcome)
    phase = table.phase
    seats = list(table.seats)
    left: dict[str, JSON] = {}

    def close(seat: Seat) -> Seat:
        seconds = left_of(seat, work.time)
        if seconds is not None and work.turn is not None:
            left[str(seat.index)] = [work.turn, seconds]
        closed.append(seat.index)
        return replace(seat, since=0, opened=None, deadline=None, reminded=0)

    if table.status in (Status.PLAYING, Status.PAUSED) and state is not None:
        actors = state.actors()
        phase = state.phase()
        turn = _turn(state)
        same_phase = bool(phase) and phase == (before.phase if before else "")
        for index, seat in enumerate(seats):
            if index not in actors:
                if seat.since:
                    seats[index] = close(seat)
                continue
            goes_on = bool(seat.since) and turn == work.turn
            if goes_on and index not in work.decided:
                continue
            opened.append(index)
            if index == work.own or (same_phase and index not in work.decided):
                # who decides is here, and who decided in the wave before was: nothing is owed now
                due = min(seat.due, seat.notified)
            else:
                due = revision
            if goes_on:  # the next part of a turn: its time is one
                closed.append(index)
                opening = seat.opened if table.clock.seconds else work.time
                seats[index] = replace(seat, since=revision, due=due, opened=opening)
                continue
            fresh = replace(close(seat) if seat.since else seat, since=revision, due=due)
            was_left = None if turn is None else work.left.get((turn, index))
            seats[index] = open_choice(fresh, table.clock, work.time, was_left)
        _tell_the_last(seats, actors, opened, before, revision)
    elif not table.is_open or table.status is Status.ASIDE:
        for index, seat in enumerate(seats):
            if seat.since:
                seats[index] = close(seat)
    count = (before.events if before else 0) + len(work.events)
    if work.void:
        gone = {entry.revision: len(entry.events) for entry in work.entries}
        count -= sum(gone[voided] for voided in work.void)
    table = replace(
        table,
        revision=revision,
        seats=tuple(seats),
        phase=phase,
        changed=work.now,
        events=count,
        undoable=table.undoable if table.status is Status.PLAYING else None,
    )
    table = tidy(table, work.now, moved=bool(work.events or work.void), mover=work.own)
    table = replace(table, deadline=table_deadline(table))
    entry = Entry(
        revision=revision,
        kind=work.kind,
        at=work.now,
        user=work.person.id if work.person else None,
        seat=work.seat,
        events=tuple(work.events),
        data=dict(work.data)
        | ({"left": left} if left else {})
        | ({"name": clean_name(work.person.name, work.person.id)} if work.person else {}),
    )
    write = Write(
        table=table,
        entry=entry,
        cache=json.dumps(state.to_json(), separators=(",", ":")) if state is not None else None,
        wake=wake(table),
        machine=machine_seat(table) is not None,
        void=tuple(work.void),
    )
    actor: UserId | None = work.person.id if work.person else None
    change = Change(table, state, tuple(work.events), tuple(opened), tuple(closed), work.kind, actor)
    return write, change


def _tell_the_last(
    seats: list[Seat], actors: tuple[int, ...], opened: list[int], before: Table | None, revision: int
) -> None:
    """Of a simultaneous phase, the one who alone is missing is told once more."""
    if len(actors) != 1 or before is None:
        return
    last = seats[actors[0]]
    if last.index in opened or len(before.to_act) < 2 or last.is_owed or last.is_snoozed:
        return
    seats[last.index] = replace(last, due=revision)


def machine_seat(table: Table) -> Seat | None:
    """The first seat to act that no human plays."""
    if table.status is not Status.PLAYING:
        return None
    for seat in table.seats:
        if seat.since and seat.kind is not SeatKind.HUMAN:
            return seat
    return None
