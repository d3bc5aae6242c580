"""What a transaction of the store does, statement by statement. Each function works within the connection's
transaction and commits nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from operator import attrgetter
from typing import Any, cast

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CompoundSelect,
    Connection,
    Executable,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    type_coerce,
    union,
    update,
)
from sqlalchemy import Table as SqlTable
from sqlalchemy.dialects import postgresql, sqlite

from bot.tables.model import (
    Ending,
    Entry,
    Letter,
    Post,
    Seat,
    SeatKind,
    Status,
    Table,
    TableId,
    Telling,
    UserId,
)
from bot.tables.ports import RevisionTaken, Write

from . import schema

_t, _s, _e, _v = schema.tables.c, schema.seats.c, schema.events.c, schema.votes.c
_p, _l = schema.posts.c, schema.letters.c
SEAT_MARKS = ("notified", "held", "snoozed", "hand_channel", "hand_message", "hints", "hinted")
# the pointer of each kind of public message
POINTERS = {
    "lobby": "lobby_message",
    "invitation": "invitation_message",
    "table": "table_message",
    "notice": "notice_message",
    "final": "final_message",
}
# What every move needs, made once: to make a statement anew takes longer than to carry it out.
_ADD_ENTRY = insert(schema.events)
_CHANGE_TABLE = update(schema.tables).where(
    _t.id == bindparam("of"),
    _t.revision == bindparam("before"),
    _t.deadline.is_not_distinct_from(bindparam("deadline_before", type_=schema.Time())),
)
# SQLite takes a row out of each index of a column that is written and puts it in again, though the column
# stays as it was: a page more to look for and to log. So what a move leaves as it is is not written.
_SETTLED = attrgetter(
    *("status", "ending", "game", "rules_version", "options", "people", "host", "seed", "clock"),
    *("created", "paused", "outcome", "rematch", "hints", "by_invitation", "invited"),
)
_MICROSECONDS = func.coalesce(type_coerce(_s.opened, BigInteger), 0) + func.coalesce(
    type_coerce(_s.deadline, BigInteger), 0
)
_OF_SEATS = select(func.sum(_MICROSECONDS)).where(_s.table_id == bindparam("table_id")).scalar_subquery()
_OF_VOTES = (
    select(func.sum(type_coerce(_v.until, BigInteger)))
    .where(_v.table_id == bindparam("table_id"))
    .scalar_subquery()
)
_ADD_ENTRY_IN_TIME = insert(schema.events).from_select(
    schema.events.c.keys(),
    select(*(bindparam(column.name, type_=column.type) for column in schema.events.c)).where(
        func.coalesce(_OF_SEATS, 0) + func.coalesce(_OF_VOTES, 0) == bindparam("times", type_=BigInteger())
    ),
)
_CHANGE_SEAT = update(schema.seats).where(_s.table_id == bindparam("of"), _s.seat == bindparam("at"))
_CHANGE_STAYING = _CHANGE_SEAT.values(held=case((_s.due == bindparam("notice"), _s.held)))
ANSWER = (  # a person's letter
    update(schema.letters).where(_l.user_id == bindparam("of"), _l.unanswered > 0).values(unanswered=0)
)
IN_CHANNEL = frozenset({"lobby", "invitation"})  # never in the table's thread


def store(connection: Connection, before: Table | None, write: Write, *, unseen: bool) -> Table:
    """Carry a change out; the table as it is stored now. before: as it was stored, None for a new one.
    unseen: others may have changed it since, but nobody else sits there. Raises RevisionTaken where that
    touches what is changed; marks stay as they are."""
    table = after(before, write.table)
    entry = entry_values(table.id, write.entry)
    if before is None:
        values, place = table_values(write), asdict(table.place)
        connection.execute(insert(schema.tables).values(id=table.id, painted=0, told=0, **place, **values))
        _add_seats(connection, table, [seat_values(seat) | _marks(seat) for seat in table.seats])
    else:
        there = {"of": table.id, "before": table.revision - 1, "deadline_before": before.deadline}
        settled = {} if _SETTLED(before) == _SETTLED(table) else settled_values(table)
        _hit(connection, _CHANGE_TABLE, there | moving_values(write) | settled)
    # From here on the row is locked: what is read of its seats and votes stays so.
    if before is not None and unseen:
        _hit(connection, _ADD_ENTRY_IN_TIME, entry | {"times": _times(before)})
    else:
        connection.execute(_ADD_ENTRY, entry)
    if before is not None:
        _change_seats(connection, before, table)
    if write.void:
        undone = and_(_e.table_id == table.id, _e.revision.in_(write.void))
        connection.execute(update(schema.events).where(undone).values(void=True))
    if before is None or before.votes != table.votes:
        store_votes(connection, table)
    return table


def _hit(connection: Connection, statement: Executable, values: Mapping[str, Any]) -> None:
    """It changes or adds one row, or the change is one of an old table."""
    if connection.execute(statement, values).rowcount != 1:
        raise RevisionTaken


def _times(table: Table) -> int:
    """Those of seats and votes, in sum. An outage moves some of them on and none back, so that it shows."""
    times = [time for seat in table.seats for time in (seat.opened, seat.deadline)]
    times += [vote.until for vote in table.votes]
    return sum((time - schema.EPOCH) // schema.MICROSECOND for time in times if time is not None)


def after(before: Table | None, table: Table) -> Table:
    """A changed table with the marks that are stored beside it. They stay as they are while the same user
    sits there; the private message goes with its person, and who sits down new has none. A notice that takes
    another's place is not held back yet. The hints that were had stay with the seat; for which choices is of
    who had them."""
    if before is None:
        return replace(table, painted=0, told=0)
    by_user = {seat.user: seat for seat in before.seats if seat.user is not None}  # in a lobby people move up
    seats = list(table.seats)
    for place, seat in enumerate(seats[: len(before.seats)]):
        there = before.seats[place]
        if seat.user == there.user:
            held = there.held if seat.due == there.due else None
            marks = {name: getattr(there, name) for name in SEAT_MARKS} | {"held": held}
            seats[place] = replace(seat, **marks)
            continue
        moved = by_user.get(seat.user) if seat.user is not None else None
        seats[place] = replace(
            seat,
            notified=0,
            held=None,
            snoozed=0,
            hints=there.hints,
            hinted=there.hinted if seat.user is None else "",
            hand_channel=moved.hand_channel if moved else None,
            hand_message=moved.hand_message if moved else None,
        )
    return replace(table, place=before.place, painted=before.painted, told=before.told, seats=tuple(seats))


def _change_seats(connection: Connection, before: Table, table: Table) -> None:
    """Only what differs; the private message of who left becomes a leftover in this same transaction."""
    staying = {seat.user for seat in table.seats if seat.user is not None}
    for seat in before.seats:
        if seat.user not in staying:
            leave_hand(connection, table.id, seat, table.changed)
    kept = min(len(before.seats), len(table.seats))
    pairs = [pair for pair in zip(table.seats, before.seats, strict=False) if pair[0] != pair[1]]
    stay = [seat for seat, old in pairs if seat.user == old.user]
    stayed = [(seat, seat_values(seat, same=True) | {"notice": seat.due}) for seat in stay]
    _update_seats(connection, table, _CHANGE_STAYING, stayed)
    moved = [(seat, seat_values(seat) | _marks(seat)) for seat, old in pairs if seat.user != old.user]
    _update_seats(connection, table, _CHANGE_SEAT, moved)
    added = [seat_values(seat) | _marks(seat) for seat in table.seats[kept:]]
    _add_seats(connection, table, added, kept)
    if len(before.seats) > kept:
        gone = and_(_s.table_id == table.id, _s.seat >= kept)
        connection.execute(delete(schema.seats).where(gone))


def _update_seats(
    connection: Connection,
    table: Table,
    statement: Executable,
    rows: Sequence[tuple[Seat, Mapping[str, Any]]],
) -> None:
    """All of one kind in one statement; every row has the same columns."""
    if rows:
        new = [{"of": table.id, "at": seat.index, **row} for seat, row in rows]
        connection.execute(statement, new)


def _add_seats(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]], first: int = 0
) -> None:
    if rows:
        whole = [{"table_id": table.id, "seat": first + place, **row} for place, row in enumerate(rows)]
        connection.execute(insert(schema.seats), whole)


def _marks(seat: Seat) -> dict[str, Any]:
    return {name: getattr(seat, name) for name in SEAT_MARKS}


def store_over(connection: Connection, write: Write) -> None:
    table = write.table
    values = table_values(write) | asdict(table.place) | {"painted": 0, "told": 0, "parked": None}
    connection.execute(update(schema.tables).where(_t.id == table.id).values(**values))
    for part in (schema.seats, schema.votes, schema.drafts):
        connection.execute(delete(part).where(part.c.table_id == table.id))
    _add_seats(connection, table, [seat_values(seat) | _marks(seat) for seat in table.seats])
    for seat in table.seats:
        if seat.user is None and seat.hand_channel is not None and seat.hand_message is not None:
            hand = (seat.hand_channel, table.changed, table.changed, seat.hand_message)
            leave(connection, Post(table.id, "", "hand", 0, *hand))  # whose it is is not known
    connection.execute(insert(schema.events).values(**entry_values(table.id, write.entry)))


def leave(connection: Connection, post: Post) -> None:
    """A message that has to go, noted as a leftover. Twice is once."""
    same = and_(_p.table_id == post.table, _p.message == post.message)
    if (connection.execute(select(_p.purpose).where(same))).first() is None:
        named = replace(post, purpose=f"left {post.channel} {post.message}")
        add_new(connection, schema.posts, **post_values(named))


def leave_hand(connection: Connection, table: TableId, seat: Seat, now: datetime) -> None:
    if seat.hand_channel is not None and seat.hand_message is not None:
        hand = (seat.hand_channel, now, now, seat.hand_message)
        leave(connection, Post(table, "", "hand", seat.user or 0, *hand))


def place_hand(
    connection: Connection,
    table: Table,
    user: UserId,
    channel: int | None,
    message: int | None,
    now: datetime,
) -> Table | None:
    """The person's private message is known (or, without one, is gone): the table as it is stored now. None
    where they sit there no more: then the message is a leftover."""
    seat = table.seat_of(user)
    if seat is None:
        if channel is not None and message is not None:
            leave(connection, Post(table.id, "", "hand", user, channel, now, now, message))
        return None
    if seat.hand_message != message:
        leave_hand(connection, table.id, seat, now)
    values = {"hand_channel": channel, "hand_message": message}
    connection.execute(update(schema.seats).where(sits(table.id, user)).values(**values))
    return with_seat(table, user, lambda seat: replace(seat, hand_channel=channel, hand_message=message))


def with_seat(table: Table, user: UserId, change: Callable[[Seat], Seat]) -> Table:
    """The table with one person's seat changed."""
    mine = table.seat_of(user)
    return replace(table, seats=tuple(change(seat) if seat is mine else seat for seat in table.seats))


def told(seat: Seat, due: int) -> Seat:
    """A seat whose player was given that notice."""
    return replace(seat, notified=max(seat.notified, due), held=None)


def give(connection: Connection, telling: Telling) -> None:
    """Notices were given; each message counts once for everybody it told something."""
    for table, user, due in telling.notices:
        newest = case((_s.notified > due, _s.notified), else_=due)
        values = {"notified": newest, "held": None}
        connection.execute(update(schema.seats).where(sits(table, user)).values(**values))
    for user in dict.fromkeys(user for _, user, _ in telling.notices):
        change_letter(connection, user, unanswered=_l.unanswered + 1)


def sits(table: TableId, user: UserId) -> ColumnElement[bool]:
    """Of the seats, this person's at that table."""
    return and_(_s.table_id == table, _s.user_id == user, _s.kind == SeatKind.HUMAN.value)


def change_letter(connection: Connection, user: UserId, **values: Any) -> None:
    """Set columns of a person's letter; unanswered may be told by what it was."""
    mine = update(schema.letters).where(_l.user_id == user).values(**values)
    if (connection.execute(mine)).rowcount == 0:
        add_new(connection, schema.letters, user_id=user, tables="", unanswered=0)
        connection.execute(mine)


def add_new(connection: Connection, part: SqlTable, **values: Any) -> None:
    """Add a row, unless one of its key is there or another process is adding it: then that one stays, and is
    seen from here on."""
    add = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    connection.execute(add(part).values(**values).on_conflict_do_nothing())


def place_letter(
    connection: Connection, before: Letter, post: Post, message: int, telling: Telling, now: datetime
) -> None:
    """A person's notice by direct message is known: of its own, or the private message of its one table. The
    one before has to go, unless it was such a message too."""
    own = post.kind == "letter"
    if before.message not in {None, message} and before.channel is not None:
        gone = (before.channel, now, now, before.message)
        leave(connection, Post(post.table, "", "letter", post.user, *gone))
    lies = {"channel": post.channel, "message": message} if own else {"channel": None, "message": None}
    change_letter(connection, post.user, tables=" ".join(telling.letter), **lies)


def leftover(table: Table, kind: str, now: datetime) -> Post:
    """The public message of that kind that a table points at, as one that has to go."""
    place = table.place
    channel = place.channel if kind in IN_CHANNEL else place.thread or place.channel
    return Post(table.id, "", kind, 0, channel, now, now, getattr(place, POINTERS[kind]))


def pointed_at(messages: Sequence[int]) -> CompoundSelect[int]:
    """Asks which of these messages are any table's, any person's, or have to go already."""
    pointers = [_t[pointer] for pointer in POINTERS.values()] + [_s.hand_message, _l.message, _p.message]
    return union(*(select(one.label("message")).where(one.in_(messages)) for one in pointers))


def another(table: Table, letter: Letter, post: Post, message: int) -> bool:
    """Whether the table points at another message of that kind, or that person's hand there or their letter
    is another."""
    if post.kind == "letter":
        pointed = letter.message
    elif post.user:
        seat = table.seat_of(post.user)
        pointed = None if seat is None else seat.hand_message
    else:
        pointed = getattr(table.place, POINTERS[post.kind])
    return pointed not in {None, message}


def move_pointers(
    connection: Connection, table: Table, fields: Mapping[str, int | None], now: datetime
) -> Table:
    """Set fields of the table's place; a message that is pointed at no more becomes a leftover."""
    for kind, pointer in POINTERS.items():
        if pointer in fields and getattr(table.place, pointer) not in {None, fields[pointer]}:
            leave(connection, leftover(table, kind, now))
    connection.execute(update(schema.tables).where(_t.id == table.id).values(**fields))
    return replace(table, place=replace(table.place, **cast("dict[str, Any]", fields)))


def place(connection: Connection, table: Table, post: Post, message: int, now: datetime) -> Table | None:
    """The public message that was meant is known: the table as it is stored now. None where it is not wanted
    any more: then it is a leftover."""
    here = table.place
    fields: dict[str, int | None] = {POINTERS[post.kind]: message}
    wanted = post.channel == leftover(table, post.kind, now).channel
    if post.kind == "notice":
        wanted = wanted and (table.status is Status.PLAYING or table.ending == Ending.EXPIRED.value)
    elif post.kind == "final":  # also where the thread takes none
        wanted = (wanted or post.channel == here.channel) and table.status is Status.ENDED
    elif post.kind == "invitation":
        wanted = wanted and bool(table.invited)
    elif post.kind == "table" and not wanted and post.channel == here.channel:
        wanted = True  # out of the thread, for good
        fields |= {"thread": None, "notice_message": None}
    if not wanted:
        leave(connection, replace(post, message=message, made=now, again=now))
        return None
    return move_pointers(connection, table, fields, now)


def that_post(post: Post) -> ColumnElement[bool]:
    return and_(_p.table_id == post.table, _p.purpose == post.purpose)


def store_votes(connection: Connection, table: Table) -> None:
    connection.execute(delete(schema.votes).where(_v.table_id == table.id))
    for vote in table.votes:
        connection.execute(
            insert(schema.votes).values(
                table_id=table.id,
                kind=vote.kind.value,
                seat=-1 if vote.seat is None else vote.seat,
                by_user=vote.by,
                opened=vote.opened,
                until=vote.until,
                needed=vote.needed,
                yes=json.dumps(vote.yes),
                no=json.dumps(vote.no),
                voters=json.dumps(vote.voters),
            )
        )


def table_values(write: Write) -> dict[str, Any]:
    return settled_values(write.table) | moving_values(write)


def settled_values(table: Table) -> dict[str, Any]:
    """The columns that hardly a move changes: those of the fields in `_SETTLED`."""
    return {
        "status": table.status.value,
        "ending": table.ending,
        "game": table.game,
        "rules_version": table.rules_version,
        "options": json.dumps(dict(table.options)),
        "people": table.people,
        "host": table.host,
        "seed": table.seed,
        "clock_seconds": table.clock.seconds,
        "clock_timeout": table.clock.on_timeout,
        "created": table.created,
        "paused": table.paused,
        "outcome": json.dumps(table.outcome.to_json()) if table.outcome else None,
        "rematch": table.rematch,
        "hints": table.hints,
        "by_invitation": table.by_invitation,
        "invited": json.dumps([[one.user, one.name, one.revision] for one in table.invited]),
    }


def moving_values(write: Write) -> dict[str, Any]:
    """The columns that a move changes."""
    table = write.table
    return {
        "revision": table.revision,
        "changed": table.changed,
        "deadline": table.deadline,
        "phase": table.phase,
        "events": table.events,
        "undoable": table.undoable,
        "wake": write.wake,
        "machine": write.automatic,
    } | ({} if write.cache is None else {"state": write.cache})


def seat_values(seat: Seat, *, same: bool = False) -> dict[str, Any]:
    """same: whether the one who sits there is who sat there before; then that is not written."""
    return ({} if same else {"user_id": seat.user}) | {
        "kind": seat.kind.value,
        "name": seat.name,
        "since": seat.since,
        "due": seat.due,
        "due_at": seat.due_at,
        "opened": seat.opened,
        "deadline": seat.deadline,
        "reminded": seat.reminded,
        "level": seat.level.value if seat.kind is SeatKind.COMPUTER else None,
        "agreed": seat.agreed,
    }


def post_values(post: Post) -> dict[str, Any]:
    values = asdict(post)
    return values | {"table_id": values.pop("table"), "user_id": values.pop("user")}


def entry_values(table: TableId, entry: Entry) -> dict[str, Any]:
    payload: dict[str, Any] = {}
    if entry.events:
        payload["events"] = [
            {one.kind: one.text} | ({} if one.player is None else {"player": one.player})
            for one in entry.events
        ]
    if entry.data:
        payload["data"] = dict(entry.data)
    return {
        "table_id": table,
        "revision": entry.revision,
        "kind": entry.kind,
        "at": entry.at,
        "user_id": entry.user,
        "seat": entry.seat,
        "payload": json.dumps(payload, separators=(",", ":")),
        "void": entry.void,
    }
