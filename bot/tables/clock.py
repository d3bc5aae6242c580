"""Time at a table: deadlines, reminders, what happens when time is up; and the one scheduler.

Every turn of a human seat has the table's time from the moment it opens: one time for all its parts, and for
whoever sits there. What was left when a choice was closed is stored, so that a turn taken back goes on with
it, and a turn that was open before the taking back has what it had. Where the time per turn is an hour or
more, its player is reminded at half time and once more shortly before the end (a tenth of the time before it,
at least six minutes, at most twelve hours). When time is up, the table's rule says: stand-in moves are played
until the turn is over, or the seat is marked overdue and the others may vote its player out. A pause stops
all that: its length is added to what was left, no more and no less. What fell due while the process was down
is done once, the latest stage of each only. A lobby expires 24 hours after it was opened or last changed;
those who sit in it are told.

The later waves of a set-up open without a notice, since people are there and go on. Who is not is told after
two minutes of a wave, once, with or without a clock.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from .model import ClockRule, Ending, Seat, SeatKind, Status, Table, TableId
from .ports import Clock, Refusal, Store, StoreTrouble
from .work import Work

if TYPE_CHECKING:
    from .model import Change, Entry
    from .service import Tables

log = logging.getLogger(__name__)

REMINDED_FROM = 3600  # seconds: shorter clocks have no reminders
HALF, SOON, UP = 1, 2, 3
WAVE = timedelta(minutes=2)  # after which a player who is missing in a later wave is told of it
RETRY = timedelta(minutes=1)  # after a tick that failed


def open_choice(seat: Seat, clock: ClockRule, at: datetime, left: float | None) -> Seat:
    """The seat with its choice opened; machines have no deadline. left: the seconds that are left of this
    turn where it was open before; reminders that lie behind are not given again."""
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
                case [int(turn), int(seconds) | float(seconds)]:
                    found[turn, int(seat)] = seconds
    return found


def margin(clock: ClockRule) -> timedelta:
    """How long before the end the second reminder comes."""
    return timedelta(seconds=min(max((clock.seconds or 0) / 10, 360), 43_200))


def stages(seat: Seat, clock: ClockRule) -> list[tuple[datetime, int]]:
    """What the seat's time still asks for: (when, stage), in order of time."""
    if seat.deadline is None or clock.seconds is None or not seat.since or seat.kind is not SeatKind.HUMAN:
        return []
    due = [(seat.deadline, UP)]
    if clock.seconds >= REMINDED_FROM:
        due.insert(0, (seat.deadline - margin(clock), SOON))
        due.insert(0, (seat.deadline - timedelta(seconds=clock.seconds / 2), HALF))
    return [(when, stage) for when, stage in due if stage > seat.reminded]


def wave_notice(table: Table, seat: Seat) -> datetime | None:
    """When the seat's player is to be told of a later wave of a phase; None where they need not be."""
    unaware = seat.kind is SeatKind.HUMAN and seat.due < seat.since
    return seat.opened + WAVE if table.phase and unaware and seat.opened is not None else None


def table_deadline(table: Table) -> datetime | None:
    """The earliest deadline of the seats; a lobby's expiry."""
    from .lobby import LOBBY_TIME

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


class NothingDue(Exception):
    """The clock asks nothing of this table now."""


def tick(work: Work) -> None:
    """What the clock asks now, as one change. Raises NothingDue."""
    from .votes import lapse

    table = work.table
    if table.status is Status.LOBBY:
        if table.deadline is None or table.deadline > work.now:
            raise NothingDue
        work.kind = "expire"
        work.end(Ending.EXPIRED)
        for seat in table.humans:
            work.set_seat(seat.index, due=work.revision)
        return
    if table.status not in (Status.PLAYING, Status.PAUSED):
        raise NothingDue
    if lapse(work):
        return  # what else is due comes with the next tick
    if table.status is not Status.PLAYING or not _time(work):
        raise NothingDue


def _time(work: Work) -> bool:
    """Notices of a wave, reminders and time-outs of every seat; whether there were any."""
    from .play import stand_in_turn

    table = work.table
    reached: dict[int, int] = {}
    for seat in table.seats:
        for when, stage in stages(seat, table.clock):
            if when <= work.now:
                reached[seat.index] = stage
    unaware = [seat.index for seat in table.seats if (told := wave_notice(table, seat)) and told <= work.now]
    if not reached and not unaware:
        return False
    for index in unaware:
        work.kind = "remind"
        work.seat = index
        work.set_seat(index, due=work.revision)
    for index, stage in reached.items():
        seat = work.table.seats[index]
        if stage == UP and table.clock.on_timeout == "stand_in":
            continue
        work.kind = "overdue" if stage == UP else "remind"
        work.seat = index
        work.set_seat(index, reminded=stage, due=seat.due if seat.is_snoozed else work.revision)
    late = [index for index, stage in reached.items() if stage == UP]
    if table.clock.on_timeout == "stand_in":
        for index in late:
            # a stand-in move before may have ended the game or closed this choice
            if index in work.position.actors() and index not in work.decided:
                work.kind = "timeout"
                stand_in_turn(work, index)
    return True


def pause(work: Work) -> None:
    work.set(status=Status.PAUSED, paused=work.now)


def resume(work: Work) -> None:
    """Deadlines move on by the length of the pause."""
    table = work.table
    away = work.now - table.paused if table.paused else timedelta(0)
    seats = tuple(
        replace(
            seat,
            opened=seat.opened + away if seat.opened else None,
            deadline=seat.deadline + away if seat.deadline else None,
        )
        for seat in table.seats
    )
    work.set(status=Status.PLAYING, paused=None, seats=seats)


class Scheduler:
    """Does what is due, and knows when it must look again; who calls it sleeps until then or until a change
    brings an earlier time. Several processes may do so on one store: the revision decides who acts."""

    def __init__(self, tables: Tables, store: Store, clock: Clock) -> None:
        self._tables = tables
        self._store = store
        self._clock = clock
        self._failed: dict[TableId, datetime] = {}

    async def next_wake(self) -> datetime | None:
        """When something will be due, or what failed is to be tried again."""
        times = (await self._store.next_wake(self._clock.now()), *self._failed.values())
        return min((time for time in times if time is not None), default=None)

    async def run_due(self) -> list[Change]:
        """Do everything that is due now; what was done."""
        done: list[Change] = []
        while True:
            now = self._clock.now()
            self._failed = {table: until for table, until in self._failed.items() if until > now}
            due = [table for table in await self._store.due(now, 200) if table not in self._failed]
            if not due:
                return done
            for table in due:
                try:
                    change = await self._tables.tick(table)
                except Refusal as refusal:
                    log.warning("the clock could not act on table %s: %s", table, refusal.code)
                    self._failed[table] = now + RETRY
                except StoreTrouble:  # told by the store, once for all tables
                    self._failed[table] = now + RETRY
                except Exception:
                    log.exception("the clock failed on table %s", table)
                    self._failed[table] = now + RETRY
                else:
                    if change is None:
                        self._failed[table] = now + RETRY  # its wake is in the past, but nothing was due
                    else:
                        done.append(change)
