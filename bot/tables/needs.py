"""What has to hold of a table before anything is done at it, asked in one place and in one order: by the
steps (`Transaction.need_started` and the like), and by who only looks at the table first."""

from __future__ import annotations

from .model import Seat, Status, Table, UserId
from .ports import Aside, Ended, NotHost, NotSeated, NotStarted, Paused, Started


def need_open(table: Table) -> None:
    """Raises Ended."""
    if table.status is Status.ENDED:
        raise Ended(table)


def need_lobby(table: Table) -> None:
    """Raises Ended, Aside, Started."""
    if not _is_lobby(table):
        raise Started(table)


def need_started(table: Table) -> None:
    """A game that is on, paused or not. Raises Ended, NotStarted, Aside."""
    if _is_lobby(table):
        raise NotStarted(table)


def _is_lobby(table: Table) -> bool:
    """Of a table that is one or the other: a lobby, or a game that is on. Raises Ended, Aside."""
    need_open(table)
    if table.status is Status.ASIDE:
        raise Aside(table)
    return table.status is Status.LOBBY


def need_playing(table: Table) -> None:
    """Raises Ended, NotStarted, Aside, Paused."""
    need_started(table)
    if table.status is Status.PAUSED:
        raise Paused(table)


def need_host(table: Table, user: UserId) -> None:
    """Raises NotHost for everybody but the host."""
    if user != table.host:
        raise NotHost(table)


def need_seat(table: Table, user: UserId | None) -> Seat:
    """The seat of `user` (None: nobody's). Raises NotSeated."""
    seat = table.seat_of(user) if user is not None else None
    if seat is None:
        raise NotSeated(table)
    return seat
