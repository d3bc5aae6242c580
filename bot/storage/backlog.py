"""How long what is to be shown, told or done has been waiting: a few numbers over all tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from bot.tables.model import SeatKind, Status
from bot.tables.ports import Backlog

from . import schema

_t, _s = schema.tables.c, schema.seats.c


def backlog(
    connection: Connection, now: datetime, whole: Callable[[ColumnElement[Any]], ColumnElement[bool]]
) -> Backlog:
    """whole: whether a column holds a number, as it does where nobody has changed it by hand."""
    at_rest = or_(_t.parked.is_(None), _t.parked <= now)
    unpainted = select(func.min(_later(_t.changed, _t.parked))).where(
        _t.painted < _t.revision, at_rest, whole(_t.changed)
    )
    owed = (
        select(func.min(_later(_later(_s.due_at, _s.held), _t.parked)))
        .join(schema.tables, _t.id == _s.table_id)
        .where(
            and_(_s.since > 0, _s.due > _s.notified, _s.snoozed != _s.since),
            and_(_s.kind == SeatKind.HUMAN.value, _t.status == Status.PLAYING.value),
            and_(or_(_s.held.is_(None), _s.held <= now), at_rest, whole(_s.due_at)),
        )
    )
    late = select(func.count(), func.min(_t.wake)).where(whole(_t.wake), _t.wake <= now)
    some = select(func.count()).where(_t.status != Status.ENDED.value)
    [(count, overdue)] = (connection.execute(late)).all()
    return Backlog(
        open=int(connection.scalar(some) or 0),
        late=int(count),
        unpainted=connection.scalar(unpainted),
        owed=connection.scalar(owed),
        overdue=overdue,
    )


def _later(one: ColumnElement[Any], other: ColumnElement[Any]) -> ColumnElement[Any]:
    """Of two times; the second may be missing."""
    return case((other > one, other), else_=one)
