"""What the stored changes of a table tell: the record, who sat there, what a button played."""

from __future__ import annotations

from collections.abc import Iterable

from bot.rules.game import Event

from .model import Entry, UserId

# What only somebody with a seat does, or gets one by.
AT_A_SEAT = frozenset({"open", "join", "leave", "start", "move", "resign", "take_seat", "pass_host"})
OF_HANDS = frozenset({"resign", "kick", "take_seat", "computer_seat"})  # a seat's player goes or comes


def record_events(entries: Iterable[Entry]) -> list[Event]:
    """The record's events: those of entries not undone, in order."""
    return [event for entry in entries if not entry.void for event in entry.events]


def decided(entries: Iterable[Entry], user: UserId) -> list[int]:
    """Where in the record the decisions are that this person made and that stand: not what the clock, a
    stand-in or somebody else played on their seat."""
    found: list[int] = []
    place = 0
    for entry in entries:
        if entry.void:
            continue
        own = entry.kind == "move" and entry.user == user
        for event in entry.events:
            if own and event.kind == "move":
                found.append(place)
            place += 1
    return found


def sat(entries: Iterable[Entry], user: UserId) -> bool:
    """Whether the stored changes tell of this person as one with a seat, had or given up."""
    name = str(user)
    for entry in entries:
        if entry.kind in AT_A_SEAT and entry.user == user:
            return True
        seated = entry.data.get("seats")  # at the start, those of a rematch among them
        if isinstance(seated, list) and name in seated:
            return True
        if entry.data.get("user") == name:  # whose seat was given up, for them or by them
            return True
    return False


def changed_hands(entries: Iterable[Entry], seat: int, since: int) -> bool:
    """Whether somebody else came to sit there, or nobody, after the revision `since`."""
    return any(entry.revision > since and entry.seat == seat and entry.kind in OF_HANDS for entry in entries)


def gone(entries: Iterable[Entry]) -> dict[int, str]:
    """The seats whose player went, and nobody has come since, with the kind of that change: "resign" or
    "kick"."""
    last = {entry.seat: entry.kind for entry in entries if entry.kind in OF_HANDS}
    return {seat: how for seat, how in last.items() if how in {"resign", "kick"} and seat is not None}


def was_played(entries: Iterable[Entry], user: UserId, tap: str) -> bool:
    """Whether that button, pressed by this person, decided something that stands."""
    return any(
        entry.user == user and entry.data.get("tap") == tap and not entry.void
        for entry in entries
        if entry.kind == "move"
    )
