"""The consequences that every change has in common, drawn once its step is done: who is to act, deadlines,
notices, the end, what to store and what to report."""

from __future__ import annotations

import json
from dataclasses import replace

from bot.rules.game import JSON, AnyState

from .deadlines import left_of, open_choice, table_deadline, wake
from .model import Change, Ending, Entry, Seat, SeatKind, Status, Table, UserId
from .names import stored
from .ports import Write
from .transaction import Transaction, turn_of
from .votes import tidy

RUNNING = (Status.PLAYING, Status.PAUSED)


def settle(tx: Transaction) -> tuple[Write, Change]:
    """The write and the report of a change whose step is done."""
    table, state = _table(tx), tx.state
    choices = _Choices(tx, table)
    if table.status in RUNNING and state is not None:
        choices.follow(state)
        table = replace(table, phase=state.phase())
    elif not table.is_open or table.status is Status.ASIDE:
        choices.close_all()
    table = replace(table, seats=tuple(choices.seats))
    table = tidy(table, tx.now, moved=bool(tx.events or tx.void), mover=tx.own)
    table = replace(table, deadline=table_deadline(table))
    write = Write(
        table=table,
        entry=_entry(tx, choices.left),
        cache=json.dumps(state.to_json(), separators=(",", ":")) if state is not None else None,
        wake=wake(table),
        automatic=automatic_seat(table) is not None,
        void=tuple(tx.void),
        before=tx.before,
    )
    actor: UserId | None = tx.person.id if tx.person else None
    opened, closed = tuple(choices.opened), tuple(choices.closed)
    return write, Change(table, state, tuple(tx.events), opened, closed, tx.kind, actor)


def _table(tx: Transaction) -> Table:
    """The table as it is now, its seats and what follows from them aside."""
    table = tx.table
    outcome = tx.state.outcome() if tx.state is not None else None
    if outcome is not None and table.status in RUNNING:
        table = replace(table, status=Status.ENDED, ending=Ending.FINISHED.value, outcome=outcome)
    count = (tx.before.events if tx.before else 0) + len(tx.events)
    if tx.void:
        gone = {entry.revision: len(entry.events) for entry in tx.entries}
        count -= sum(gone[voided] for voided in tx.void)
    undoable = table.undoable if table.status is Status.PLAYING else None
    invited = table.invited if table.status is Status.LOBBY else ()
    table = replace(table, invited=invited)
    return replace(table, revision=tx.revision, changed=tx.now, events=count, undoable=undoable)


def _entry(tx: Transaction, left: dict[str, JSON]) -> Entry:
    """left: see `_Choices`."""
    return Entry(
        revision=tx.revision,
        kind=tx.kind,
        at=tx.now,
        user=tx.person.id if tx.person else None,
        seat=tx.seat,
        events=tuple(tx.events),
        data=dict(tx.data)
        | ({"left": left} if left else {})
        | ({"name": stored(tx.person.name, tx.person.id)} if tx.person else {}),
    )


class _Choices:
    """Who has something to decide after the change, since when, until when, and who is told of it.

    seats: as they are then. opened, closed: those whose choice the change opened and closed. left: of the
    closed ones that had a deadline, by seat, their turn and the seconds that were left.
    """

    def __init__(self, tx: Transaction, table: Table) -> None:
        self._tx = tx
        self._clock = table.clock
        self.seats = list(table.seats)
        self.opened: list[int] = []
        self.closed: list[int] = []
        self.left: dict[str, JSON] = {}

    def close_all(self) -> None:
        for index, seat in enumerate(self.seats):
            if seat.since:
                self.seats[index] = self._closed(seat)

    def follow(self, state: AnyState) -> None:
        """Who is to act in this position has a choice, and nobody else."""
        tx = self._tx
        actors, phase, turn = state.actors(), state.phase(), turn_of(state)
        same_phase = bool(phase) and phase == (tx.before.phase if tx.before else "")
        for index, seat in enumerate(self.seats):
            goes_on = bool(seat.since) and turn == tx.turn
            if index not in actors:
                if seat.since:
                    self.seats[index] = self._closed(seat)
                continue
            if goes_on and index not in tx.decided:
                continue
            # Who decides is here, and who decided in the wave before was: nothing is owed now.
            aware = index == tx.own or (same_phase and index not in tx.decided)
            told = min(seat.due, seat.notified)
            owed = replace(seat, due=told) if aware else replace(seat, due=tx.revision, due_at=tx.now)
            self.seats[index] = self._next_part(owed) if goes_on else self._opened(owed, turn)
            self.opened.append(index)
        self._tell_the_last(actors)

    def _closed(self, seat: Seat) -> Seat:
        seconds = left_of(seat, self._tx.time)
        if seconds is not None and self._tx.turn is not None:
            self.left[str(seat.index)] = [self._tx.turn, seconds]
        self.closed.append(seat.index)
        return replace(seat, since=0, opened=None, deadline=None, reminded=0)

    def _next_part(self, seat: Seat) -> Seat:
        """The next part of a turn: its time is one."""
        self.closed.append(seat.index)
        opened = seat.opened if self._clock.seconds else self._tx.time
        return replace(seat, since=self._tx.revision, opened=opened)

    def _opened(self, seat: Seat, turn: int | None) -> Seat:
        tx = self._tx
        fresh = replace(self._closed(seat) if seat.since else seat, since=tx.revision)
        left = None if turn is None else tx.left.get((turn, seat.index))
        return open_choice(fresh, self._clock, tx.time, left)

    def _tell_the_last(self, actors: tuple[int, ...]) -> None:
        """Of a simultaneous phase, the one who alone is missing is told once more."""
        before = self._tx.before
        if len(actors) != 1 or before is None:
            return
        last = self.seats[actors[0]]
        if last.index in self.opened or len(before.to_act) < 2 or last.is_owed or last.is_snoozed:
            return
        self.seats[last.index] = replace(last, due=self._tx.revision, due_at=self._tx.now)


def automatic_seat(table: Table) -> Seat | None:
    """The first seat to act that no human plays, if there is one."""
    if table.status is not Status.PLAYING:
        return None
    for seat in table.seats:
        if seat.since and seat.kind is not SeatKind.HUMAN:
            return seat
    return None
