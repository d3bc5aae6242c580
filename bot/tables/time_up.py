"""What the clock does at a table when a time has come: a lobby expires, a question lapses, players are
reminded, and a turn whose time is up is played or may be voted on. Pure steps on a `Transaction`."""

from __future__ import annotations

from .deadlines import UP, stages, wave_notice
from .model import Ending, Status
from .play import stand_in_turn
from .transaction import Transaction
from .votes import lapse


class NothingDue(Exception):
    """The clock asks nothing of this table now."""


def tick(tx: Transaction) -> None:
    """What the clock asks now, as one change. Raises NothingDue."""
    table = tx.table
    if table.status is Status.LOBBY:
        if table.deadline is None or table.deadline > tx.now:
            raise NothingDue
        tx.kind = "expire"
        tx.end(Ending.EXPIRED)
        for seat in table.humans:
            tx.set_seat(seat.index, due=tx.revision, due_at=tx.now)
        return
    if table.status not in (Status.PLAYING, Status.PAUSED):
        raise NothingDue
    if lapse(tx):
        return  # what else is due comes with the next tick
    if table.status is not Status.PLAYING or not _time(tx):
        raise NothingDue


def _time(tx: Transaction) -> bool:
    """Notices of a wave, reminders and time-outs of every seat; whether there were any."""
    table = tx.table
    reached: dict[int, int] = {}
    for seat in table.seats:
        for when, stage in stages(seat, table.clock):
            if when <= tx.now:
                reached[seat.index] = stage
    unaware = [seat.index for seat in table.seats if (told := wave_notice(table, seat)) and told <= tx.now]
    if not reached and not unaware:
        return False
    for index in unaware:
        tx.kind = "remind"
        tx.seat = index
        tx.set_seat(index, due=tx.revision, due_at=tx.now)
    for index, stage in reached.items():
        seat = tx.table.seats[index]
        if stage == UP and table.clock.on_timeout == "stand_in":
            continue
        tx.kind = "overdue" if stage == UP else "remind"
        tx.seat = index
        tx.set_seat(index, reminded=stage)
        if not seat.is_snoozed:
            tx.set_seat(index, due=tx.revision, due_at=tx.now)
    late = [index for index, stage in reached.items() if stage == UP]
    if table.clock.on_timeout == "stand_in":
        for index in late:
            # a stand-in move before may have ended the game or closed this choice
            if index in tx.position.actors() and index not in tx.decided:
                tx.kind = "timeout"
                stand_in_turn(tx, index)
    return True
