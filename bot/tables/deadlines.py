"""Time at a table: deadlines, reminders, pauses, and when the clock must look again.

Every turn of a human seat has the table's time from the moment it opens: one time for all its parts, and for
whoever sits there. What was left when a choice was closed is stored, so that a turn taken back goes on with
it, and a turn that was open before the taking back has what it had. Where the time per turn is an hour or
more, its player is reminded at half time and once more shortly before the end (a tenth of the time before it,
at least six minutes, at most twelve hours). When time is up, the table's rule says: stand-in moves are played
until the turn is over, or the seat is marked overdue and the others may vote its player out (`time_up`). A
pause stops all that: its length is added to what was left, no more and no less; so does an outage of the
bot, unless it was short (`outages`). A lobby expires 24 hours after it was opened or last changed; those who
sit in it are told.

The later waves of a set-up open without a notice, since people are there and go on. Who is not is told after
two minutes of a wave, once, with or without a clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from .model import ClockRule, Entry, Seat, SeatKind, Status, Table
from .ports import BadClock
from .transaction import Transaction

LOBBY_TIME = timedelta(hours=24)  # an untouched lobby expires
LEAST_CLOCK = 30  # seconds per turn
MOST_CLOCK = 1_209_600
REMINDED_FROM = 3600  # seconds: shorter clocks have no reminders
HALF, SOON, UP = 1, 2, 3
WAVE = timedelta(minutes=2)  # after which a player who is missing in a later wave is told of it


def check_clock(clock: ClockRule) -> None:
    """Raises BadClock."""
    if clock.seconds is not None and not LEAST_CLOCK <= clock.seconds <= MOST_CLOCK:
        raise BadClock(None, least=LEAST_CLOCK, most=MOST_CLOCK)
    if clock.on_timeout not in ("stand_in", "vote"):
        raise BadClock(None, least=LEAST_CLOCK, most=MOST_CLOCK)


def open_choice(seat: Seat, clock: ClockRule, at: datetime, left: float | None) -> Seat:
    """The seat with its choice opened; automatic seats have no deadline. left: the seconds that are left
    of this turn where it was open before; reminders that lie behind are not given again."""
    if clock.seconds is None or seat.kind is not SeatKind.HUMAN:
        return replace(seat, opened=at, deadline=None, reminded=0)
    seconds = clock.seconds if left is None else min(left, clock.seconds)
    fresh = replace(seat, opened=at, deadline=at + timedelta(seconds=seconds), reminded=0)
    past = [stage for when, stage in stages(fresh, clock) if when <= at and stage != UP]
    return replace(fresh, reminded=max(past, default=0))


def left_of(seat: Seat, at: datetime) -> float | None:
    """Seconds left of the seat's open choice, 0 where its time is up; None where it has no deadline."""
    return None if seat.deadline is None else max(0.0, (seat.deadline - at).total_seconds())


def time_left(entries: Iterable[Entry]) -> dict[tuple[int, int], float]:
    """By turn and seat: what was left when that choice was closed last."""
    found: dict[tuple[int, int], float] = {}
    for entry in entries:
        left = entry.data.get("left")
        for seat, choice in left.items() if isinstance(left, dict) else ():
            match choice:
                case [int(turn), int(seconds) | float(seconds)] if (
                    seat.isdecimal() and 0 <= seconds <= MOST_CLOCK
                ):
                    found[turn, int(seat[:9])] = seconds
    return found


def margin(clock: ClockRule) -> timedelta:
    """How long before the end the second reminder comes."""
    return timedelta(seconds=min(max((clock.seconds or 0) / 10, 360), 43_200))


def half_time(seat: Seat, clock: ClockRule) -> datetime | None:
    """When half of the table's time is left to the seat; None where it has no deadline."""
    if seat.deadline is None or clock.seconds is None:
        return None
    return seat.deadline - timedelta(seconds=clock.seconds / 2)


def stages(seat: Seat, clock: ClockRule) -> list[tuple[datetime, int]]:
    """What the seat's time still asks for: (when, stage), in order of time."""
    if seat.deadline is None or clock.seconds is None or not seat.since or seat.kind is not SeatKind.HUMAN:
        return []
    due = [(seat.deadline, UP)]
    if clock.seconds >= REMINDED_FROM:
        due.insert(0, (seat.deadline - margin(clock), SOON))
        due.insert(0, (half_time(seat, clock) or seat.deadline, HALF))
    return [(when, stage) for when, stage in due if stage > seat.reminded]


def wave_notice(table: Table, seat: Seat) -> datetime | None:
    """When the seat's player is to be told of a later wave of a phase; None where they need not be."""
    unaware = seat.kind is SeatKind.HUMAN and seat.due < seat.since
    return seat.opened + WAVE if table.phase and unaware and seat.opened is not None else None


def table_deadline(table: Table) -> datetime | None:
    """The earliest deadline of the seats; a lobby's expiry."""
    if table.status is Status.LOBBY:
        return table.changed + LOBBY_TIME
    if table.status is not Status.PLAYING:
        return None
    return min((seat.deadline for seat in table.humans if seat.deadline), default=None)


def wake(table: Table) -> datetime | None:
    """When the scheduler must look at this table."""
    times = [vote.until for vote in table.votes]
    if table.status is Status.LOBBY and table.deadline is not None:
        times.append(table.deadline)
    if table.status is Status.PLAYING:
        times += [when for seat in table.seats for when, _ in stages(seat, table.clock)[:1]]
        times += [when for seat in table.seats if (when := wave_notice(table, seat))]
    return min(times, default=None)


def pause(tx: Transaction) -> None:
    tx.set(status=Status.PAUSED, paused=tx.now)


def resume(tx: Transaction) -> None:
    """Deadlines move on by the length of the pause."""
    table = tx.table
    away = tx.now - table.paused if table.paused else timedelta(0)
    seats = tuple(
        replace(
            seat,
            opened=seat.opened + away if seat.opened else None,
            deadline=seat.deadline + away if seat.deadline else None,
        )
        for seat in table.seats
    )
    tx.set(status=Status.PLAYING, paused=None, seats=seats)
