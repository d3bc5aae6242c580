"""The consequences that every change has in common, drawn once its step is done: who is to act, deadlines,
notices, the end, what to store and what to report."""

from __future__ import annotations

import json
from dataclasses import replace

from bot.rules.game import JSON

from .deadlines import left_of, open_choice, table_deadline, wake
from .model import Change, Ending, Entry, Seat, SeatKind, Status, Table, UserId
from .names import stored
from .ports import Write
from .transaction import Transaction, turn_of
from .votes import tidy


def settle(tx: Transaction) -> tuple[Write, Change]:
    """The write and the report of a change whose step is done."""
    revision = tx.revision
    before = tx.before
    table = tx.table
    state = tx.state
    opened: list[int] = []
    closed: list[int] = []
    outcome = state.outcome() if state is not None else None
    if outcome is not None and table.status in (Status.PLAYING, Status.PAUSED):
        table = replace(table, status=Status.ENDED, ending=Ending.FINISHED.value, outcome=outcome)
    phase = table.phase
    seats = list(table.seats)
    left: dict[str, JSON] = {}

    def close(seat: Seat) -> Seat:
        seconds = left_of(seat, tx.time)
        if seconds is not None and tx.turn is not None:
            left[str(seat.index)] = [tx.turn, seconds]
        closed.append(seat.index)
        return replace(seat, since=0, opened=None, deadline=None, reminded=0)

    if table.status in (Status.PLAYING, Status.PAUSED) and state is not None:
        actors = state.actors()
        phase = state.phase()
        turn = turn_of(state)
        same_phase = bool(phase) and phase == (before.phase if before else "")
        for index, seat in enumerate(seats):
            if index not in actors:
                if seat.since:
                    seats[index] = close(seat)
                continue
            goes_on = bool(seat.since) and turn == tx.turn
            if goes_on and index not in tx.decided:
                continue
            opened.append(index)
            if index == tx.own or (same_phase and index not in tx.decided):
                # who decides is here, and who decided in the wave before was: nothing is owed now
                due = min(seat.due, seat.notified)
            else:
                due = revision
            if goes_on:  # the next part of a turn: its time is one
                closed.append(index)
                opening = seat.opened if table.clock.seconds else tx.time
                seats[index] = replace(seat, since=revision, due=due, opened=opening)
                continue
            fresh = replace(close(seat) if seat.since else seat, since=revision, due=due)
            was_left = None if turn is None else tx.left.get((turn, index))
            seats[index] = open_choice(fresh, table.clock, tx.time, was_left)
        _tell_the_last(seats, actors, opened, before, revision)
    elif not table.is_open or table.status is Status.ASIDE:
        for index, seat in enumerate(seats):
            if seat.since:
                seats[index] = close(seat)
    count = (before.events if before else 0) + len(tx.events)
    if tx.void:
        gone = {entry.revision: len(entry.events) for entry in tx.entries}
        count -= sum(gone[voided] for voided in tx.void)
    table = replace(
        table,
        revision=revision,
        seats=tuple(seats),
        phase=phase,
        changed=tx.now,
        events=count,
        undoable=table.undoable if table.status is Status.PLAYING else None,
    )
    table = tidy(table, tx.now, moved=bool(tx.events or tx.void), mover=tx.own)
    table = replace(table, deadline=table_deadline(table))
    entry = Entry(
        revision=revision,
        kind=tx.kind,
        at=tx.now,
        user=tx.person.id if tx.person else None,
        seat=tx.seat,
        events=tuple(tx.events),
        data=dict(tx.data)
        | ({"left": left} if left else {})
        | ({"name": stored(tx.person.name, tx.person.id)} if tx.person else {}),
    )
    write = Write(
        table=table,
        entry=entry,
        cache=json.dumps(state.to_json(), separators=(",", ":")) if state is not None else None,
        wake=wake(table),
        automatic=automatic_seat(table) is not None,
        void=tuple(tx.void),
    )
    actor: UserId | None = tx.person.id if tx.person else None
    change = Change(table, state, tuple(tx.events), tuple(opened), tuple(closed), tx.kind, actor)
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


def automatic_seat(table: Table) -> Seat | None:
    """The first seat to act that no human plays, if there is one."""
    if table.status is not Status.PLAYING:
        return None
    for seat in table.seats:
        if seat.since and seat.kind is not SeatKind.HUMAN:
            return seat
    return None
