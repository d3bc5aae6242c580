"""Taking back. The own last step before the turn is final needs nobody's leave; a finished turn needs
everybody's consent. Neither ever goes past something revealed: a chance result, or anything hidden from some
seat before that the step made known to it. Undone entries stay in the store, marked void. Pure steps on a
`Transaction` with entries.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from bot.rules.game import Event

from .entries import record_events
from .model import Entry, SeatKind
from .play import check_current
from .ports import NothingToUndo
from .positions import replay
from .transaction import Transaction

MOVES = ("move", "timeout")


def own_step(tx: Transaction, revision: int | None = None) -> None:
    """Raises NothingToUndo, and Stale for a click (with its revision) that is not current: the second of a
    double click must not take back another step."""
    tx.need_playing()
    seat = tx.need_seat()
    last = _last_own(tx, seat.index)
    if last is None or not seat.since:
        raise NothingToUndo(tx.table)
    if revision is not None:
        check_current(tx.table, seat, revision)
    _take_back(tx, [last])
    tx.seat = seat.index
    tx.own = seat.index
    before = _last_own(tx, seat.index, gone={last.revision})
    if before is not None and _may_go(tx, [before], gone={last.revision}):
        tx.set(undoable=seat.index)


def _last_own(tx: Transaction, seat: int, gone: Set[int] = frozenset()) -> Entry | None:
    """The last step that stands, if it is that seat's own move; as if `gone` were void."""
    entries = [entry for entry in _since(tx) if entry.revision not in gone]
    last = entries[-1] if entries else None
    return last if last is not None and last.kind == "move" and last.seat == seat else None


def finished_turn(tx: Transaction, seat: int) -> list[Entry]:
    """The entries to take back so that `seat`'s last decision is open again: that one, and what seats that no
    human plays did since. Raises NothingToUndo."""
    found: list[Entry] = []
    own = False
    for entry in reversed(_since(tx)):
        if entry.seat == seat and entry.kind == "move":
            own = True
            found.append(entry)
            break
        if not _is_automatic(tx, entry):
            break
        found.append(entry)
    if not own:
        raise NothingToUndo(tx.table)
    turn = sorted(found, key=lambda entry: entry.revision)
    _check(tx, turn)
    return turn


def take_back_turn(tx: Transaction, seat: int) -> None:
    _take_back(tx, finished_turn(tx, seat))
    tx.seat = seat


def _since(tx: Transaction) -> list[Entry]:
    """Entries of the record that stand, without those that add no event; the start excluded."""
    return [entry for entry in tx.entries if entry.events and not entry.void and entry.kind in MOVES]


def _is_automatic(tx: Transaction, entry: Entry) -> bool:
    return (
        entry.user is None
        and entry.kind == "move"
        and entry.seat is not None
        and tx.table.seats[entry.seat].kind is not SeatKind.HUMAN
    )


def _take_back(tx: Transaction, entries: Sequence[Entry]) -> None:
    _check(tx, entries)
    gone = {entry.revision for entry in entries}
    kept = record_events(entry for entry in tx.entries if entry.revision not in gone)
    tx.state = replay(tx.table, kept)
    tx.void.extend(sorted(gone))
    tx.decided.update(entry.seat for entry in entries if entry.seat is not None)
    tx.data["void"] = [*sorted(gone)]
    tx.set(undoable=None)


def _check(tx: Transaction, entries: Sequence[Entry]) -> None:
    """Raises NothingToUndo where `_may_go` says no."""
    if not _may_go(tx, entries):
        raise NothingToUndo(tx.table)


def _may_go(tx: Transaction, entries: Sequence[Entry], gone: Set[int] = frozenset()) -> bool:
    """Whether `entries` are the last ones (as if `gone` were void), and neither a chance result nor something
    hidden was revealed by them."""
    if any(event.kind == "chance" for entry in entries for event in entry.events):
        return False
    going = {entry.revision for entry in entries}
    standing = [e for e in tx.entries if e.events and not e.void and e.revision not in gone]
    kept = [entry for entry in standing if entry.revision not in going]
    if [entry.revision for entry in standing[len(kept) :]] != sorted(going):
        return False  # something else was played since
    before: list[Event] = record_events(kept)
    earlier = replay(tx.table, before)
    everything = record_events(standing)
    return all(
        tx.position.redact(everything, seat)[: len(before)] == earlier.redact(before, seat)
        for seat in (None, *range(len(tx.table.seats)))
    )
