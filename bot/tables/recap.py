"""What happened at a table lately: since a person's last turn, or in the last round.

It is made from the record as that person may know it (`history.known_events`), so what is hidden from them is
in none of it. The words for it are each game's (`Game.retell`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bot.rules.game import AnyState

from .entries import gone, record_events
from .history import known_events
from .model import GIVEN_UP, Entry, Recap, Seat, SeatKind, Table
from .undo import MOVES


def recap(table: Table, state: AnyState, entries: Sequence[Entry], seat: Seat | None) -> Recap:
    """entries: every stored change up to the state's. seat: the person's, None for a spectator."""
    alone = len(table.seats) == 1
    start = None if seat is None or alone else _since_own(entries, seat)
    if start is None:
        start = _last_round(entries, alone, _in_secret(table, state, entries))
    span = entries[start:]
    events = known_events(table, state, entries, seat.index if seat is not None else None)
    standing = [entry for entry in span if not entry.void]
    moved = [entry for entry in standing if entry.kind == "move"]
    people = {one.index: one.user for one in table.seats if one.kind is SeatKind.HUMAN}
    empty = {one.index for one in table.seats if one.kind in (SeatKind.STAND_IN, SeatKind.OPEN)}
    began = any(entry.kind in MOVES and not entry.void for entry in entries[:start])
    how = {seat: kind for seat, kind in gone(entries).items() if seat in empty}
    went = empty & gone(span if began else entries).keys()  # before anybody had played is lately too
    return Recap(
        events=tuple(events),
        since=max(len(events) - len(record_events(span)), 0),
        late=frozenset(_deciders([entry for entry in standing if entry.kind == "timeout"])),
        stood_in=frozenset(_deciders([entry for entry in moved if entry.user is None])) & {*empty, *people},
        another=frozenset(
            mover
            for entry in moved
            for mover in _deciders([entry])
            if entry.user is not None and mover not in empty and people.get(mover) != entry.user
        ),
        took_back=frozenset(one.seat for one in span if one.data.get("void") and one.seat is not None),
        resigned=frozenset(seat for seat in how if how[seat] == "resign"),
        voted_out=frozenset(seat for seat in how if how[seat] == "kick"),
        went=frozenset() if table.ending in GIVEN_UP else frozenset(went),
    )


def _deciders(entries: Sequence[Entry]) -> list[int]:
    """The seats of all decisions in these changes, in order."""
    return [
        event.player
        for entry in entries
        for event in entry.events
        if event.kind == "move" and event.player is not None
    ]


def _decided(entries: Sequence[Entry]) -> list[tuple[int, list[int]]]:
    """The changes with decisions that stand, the newest first: their places, and whose the decisions are."""
    found = [
        (place, _deciders([entry]))
        for place, entry in enumerate(entries)
        if not entry.void and entry.kind in MOVES
    ]
    return found[::-1]


def _since_own(entries: Sequence[Entry], seat: Seat) -> int | None:
    """The place after the last turn that the seat's player has decided; of a turn that is on, what they did
    in it already does not count. None where they have not played yet."""
    present = seat.since > 0
    for place, movers in _decided(entries):
        entry = entries[place]
        own = entry.user == seat.user and entry.kind == "move" and {*movers} == {seat.index}
        if own and not present:
            return place + 1
        present = present and own
    return None


def _in_secret(table: Table, state: AnyState, entries: Sequence[Entry]) -> frozenset[int]:
    """Revisions at which was decided what nobody is told yet: the choices made so far where all choose at
    once."""
    if not state.in_secret():
        return frozenset()
    decisions = [(entry.revision, event) for entry in entries if not entry.void for event in entry.events]
    known = known_events(table, state, entries, None)
    return frozenset(
        revision
        for (revision, event), shown in zip(decisions, known, strict=False)
        if event.kind == "move" and shown != event
    )


def _last_round(entries: Sequence[Entry], alone: bool, untold: Collection[int]) -> int:
    """The place from which on every seat has one turn at most: its last that can be told. Who plays alone has
    but turns of their own: the last change is enough. untold: revisions at which was decided what cannot."""
    start = len(entries)
    turns: list[int] = []
    for place, movers in _decided(entries):
        if entries[place].revision in untold:
            continue
        if any(mover in turns[:-1] or (len(movers) > 1 and mover in turns) for mover in movers):
            break
        turns += [mover for mover in movers if turns[-1:] != [mover]]
        start = place
        if alone:
            break
    return start
