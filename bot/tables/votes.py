"""Who decides what at a table. This page is the rule; the tests hold it.

Voters are human players; computer players, stand-ins and open seats have no say. Whoever asks votes yes.

| question | voters | yes votes that decide at once | when its time (48 hours) runs out |
|---|---|---|---|
| end the table | all | more than half | more yes than no |
| kick a seat's player who is overdue | all others | more than half | more yes than no |
| kick a seat's player who is not | all others, two at least | all | refused |
| pause | all | all | refused |
| resume | all | more than half | more yes than no |
| undo the asker's finished turn | all | all | refused |
| open a stand-in's seat to somebody new | all | more than half, or the host | more yes than no |
| give a stand-in's or open seat to a computer player | all | more than half, or the host | more yes than no |

A player is overdue when the time of their choice is up, or, at a table without a clock, when their choice has
been open for 24 hours (pauses not counted). A question is dropped as soon as it cannot be carried any more:
too many no votes; the asker of an undo is gone, or anything was played since; the seat's kind changed; the
player to be kicked has moved and is not overdue. So no absent player can block anything but a pause or an
undo. A person who leaves loses the vote; the count goes on with the rest.

Without asking anybody: the host, one who manages the table's server, or one with a role that the server's
settings name may end the table, the latter two acting from that server; everybody may resign at any time; an
open seat may be taken by anybody who did not sit elsewhere at the table when the game hides hands, or as long
as what is being chosen is hidden; the host may hand over to any human player.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from . import play, undo
from .deadlines import pause, resume
from .entries import changed_hands
from .model import Ending, Seat, SeatKind, Status, Table, UserId, Vote, VoteKind
from .ports import CannotVote, NoSuchSeat, NotPaused, Paused, Stale, TooEarly
from .transaction import Transaction

VOTE_TIME = timedelta(hours=48)
PATIENCE = timedelta(hours=24)  # how long a choice without a clock may be open before its player is overdue

OF_A_SEAT = frozenset({VoteKind.KICK, VoteKind.OPEN_SEAT, VoteKind.COMPUTER_SEAT})
BY_CONSENT = frozenset({VoteKind.PAUSE, VoteKind.UNDO})
HOST_DECIDES = frozenset({VoteKind.OPEN_SEAT, VoteKind.COMPUTER_SEAT})


def overdue(table: Table, seat: Seat, now: datetime) -> bool:
    """Whether the seat's player has let time run out."""
    if seat.kind is not SeatKind.HUMAN or not seat.since or seat.opened is None:
        return False
    if table.paused is not None:
        now = table.paused  # time stands still
    return now >= (seat.deadline or seat.opened + PATIENCE)


def voters(table: Table, kind: VoteKind, seat: int | None) -> tuple[UserId, ...]:
    left_out = seat if kind is VoteKind.KICK else None
    return tuple(s.user for s in table.humans if s.index != left_out and s.user is not None)


def needed(table: Table, kind: VoteKind, seat: int | None, now: datetime) -> int:
    """Yes votes that decide at once."""
    count = len(voters(table, kind, seat))
    if kind in BY_CONSENT or (kind is VoteKind.KICK and not _seat_overdue(table, seat, now)):
        return max(count, 1)
    return count // 2 + 1


def _seat_overdue(table: Table, seat: int | None, now: datetime) -> bool:
    return seat is not None and overdue(table, table.seats[seat], now)


def vote(
    tx: Transaction,
    kind: VoteKind,
    seat: int | None,
    yes: bool,
    *,
    opened: int | None = None,
    as_of: int | None = None,
) -> None:
    """Ask, answer, and, once decided, do it. opened: the question answered, by the revision it was put at.
    as_of: the revision that whoever asks has seen. Both None for the table as it is. Raises Stale where that
    question is not open any more, or what was seen is about somebody else by now."""
    tx.need_started()
    own = tx.need_seat()
    user = own.user
    assert user is not None  # a human seat has a user
    table = tx.table
    if kind is VoteKind.UNDO:
        pending = _find(table, kind, None)
        if pending and as_of is not None and pending.seat != own.index:
            raise Stale(table)  # "my turn" is no answer to a question about another's
        seat = pending.seat if pending else own.index
    elif kind not in OF_A_SEAT:
        seat = None
    found = _find(table, kind, seat)
    if opened is not None and (found is None or found.opened != opened):
        raise Stale(table)
    _check_question(tx, kind, seat)
    if as_of is not None:
        _check_seen(tx, kind, seat, as_of)
    if user not in voters(table, kind, seat):
        raise CannotVote(table)
    if found is None:
        if not yes:
            raise CannotVote(table)
        found = Vote(kind, seat, user, tx.revision, tx.now + VOTE_TIME, ())
    found = replace(
        found,
        yes=(*(u for u in found.yes if u != user), *((user,) if yes else ())),
        no=(*(u for u in found.no if u != user), *(() if yes else (user,))),
    )
    tx.seat = seat
    tx.data = {"vote": kind.value, "yes": yes}
    tx.set(votes=(*(v for v in table.votes if (v.kind, v.seat) != (kind, seat)), found))
    by_host = kind in HOST_DECIDES and yes and user == table.host
    if by_host or len(found.yes) >= needed(table, kind, seat, tx.now):
        _carry(tx, found)


def _find(table: Table, kind: VoteKind, seat: int | None) -> Vote | None:
    """The open question of this kind (about this seat, where seat is given)."""
    for one in table.votes:
        if one.kind is kind and (seat is None or one.seat == seat):
            return one
    return None


def _check_question(tx: Transaction, kind: VoteKind, seat: int | None) -> None:
    """Whether the question makes sense now."""
    table = tx.table
    if kind in OF_A_SEAT and (seat is None or not 0 <= seat < len(table.seats)):
        raise NoSuchSeat(table)
    match kind:
        case VoteKind.PAUSE if table.status is Status.PAUSED:
            raise Paused(table)
        case VoteKind.RESUME if table.status is not Status.PAUSED:
            raise NotPaused(table)
        case VoteKind.KICK:
            assert seat is not None
            if table.seats[seat].kind is not SeatKind.HUMAN:
                raise NoSuchSeat(table)
            if len(voters(table, kind, seat)) < 2 and not overdue(table, table.seats[seat], tx.now):
                raise TooEarly(table)
        case VoteKind.OPEN_SEAT | VoteKind.COMPUTER_SEAT if not _fits(table, kind, seat):
            raise NoSuchSeat(table)
        case VoteKind.UNDO:
            tx.need_playing()
            assert seat is not None
            undo.finished_turn(tx, seat)


def _check_seen(tx: Transaction, kind: VoteKind, seat: int | None, as_of: int) -> None:
    """Whether the question means the person, or the turn, that was seen at that revision."""
    if kind in OF_A_SEAT and seat is not None and changed_hands(tx.entries, seat, as_of):
        raise Stale(tx.table)
    if kind is VoteKind.UNDO and seat is not None and undo.finished_turn(tx, seat)[0].revision > as_of:
        raise Stale(tx.table)


def _fits(table: Table, kind: VoteKind, seat: int | None) -> bool:
    assert seat is not None
    kinds = (SeatKind.STAND_IN,) if kind is VoteKind.OPEN_SEAT else (SeatKind.STAND_IN, SeatKind.OPEN)
    return table.seats[seat].kind in kinds


def _carry(tx: Transaction, found: Vote) -> None:
    """The question is carried: do it, under its own kind in the entries."""
    tx.set(votes=tuple(v for v in tx.table.votes if v != found))
    tx.kind = found.kind.value
    match found.kind:
        case VoteKind.END:
            tx.end(Ending.VOTED)
        case VoteKind.KICK:
            assert found.seat is not None
            play.vacate(tx, tx.table.seats[found.seat])
        case VoteKind.PAUSE:
            pause(tx)
        case VoteKind.RESUME:
            resume(tx)
        case VoteKind.UNDO:
            assert found.seat is not None
            undo.take_back_turn(tx, found.seat)
        case VoteKind.OPEN_SEAT:
            assert found.seat is not None
            play.open_seat(tx, found.seat)
        case VoteKind.COMPUTER_SEAT:
            assert found.seat is not None
            play.computer_seat(tx, found.seat)


def fits(table: Table, one: Vote) -> bool:
    """Whether a stored question can be one of this table, as `tidy` leaves them."""
    if table.status not in (Status.PLAYING, Status.PAUSED):
        return False
    about = one.kind in OF_A_SEAT or one.kind is VoteKind.UNDO
    if one.seat not in (range(len(table.seats)) if about else (None,)):
        return False
    may = voters(table, one.kind, one.seat)
    said = (*one.yes, *one.no)
    return (
        set(one.voters) == set(may)
        and bool(one.yes)
        and set(said) <= set(may)
        and len(set(said)) == len(said)
        and 0 < one.needed <= len(may)
        and 0 < one.opened <= table.revision
        and _still(table, one, table.changed, moved=False, mover=None)
    )


def lapse(tx: Transaction) -> bool:
    """The time of the oldest question that is due ran out: carried by those who voted, or dropped."""
    for found in tx.table.votes:
        if found.until > tx.now:
            continue
        consent = found.kind in BY_CONSENT or (
            found.kind is VoteKind.KICK and not _seat_overdue(tx.table, found.seat, tx.now)
        )
        tx.data = {"vote": found.kind.value}
        tx.seat = found.seat
        if not consent and len(found.yes) > len(found.no):
            _carry(tx, found)
        else:
            tx.kind = "lapse"
            tx.set(votes=tuple(v for v in tx.table.votes if v != found))
        return True
    return False


def tidy(table: Table, now: datetime, *, moved: bool, mover: int | None) -> Table:
    """Part of settling any change: questions that make no sense any more go, the others are counted anew.
    moved: the position changed; mover: the seat whose player decided that, None for automatic seats and the
    clock."""
    if not table.votes:
        return table
    if table.status not in (Status.PLAYING, Status.PAUSED):
        return replace(table, votes=())
    kept: list[Vote] = []
    for one in table.votes:
        may = voters(table, one.kind, one.seat)
        counted = replace(
            one,
            yes=tuple(u for u in one.yes if u in may),
            no=tuple(u for u in one.no if u in may),
            voters=may,
            needed=needed(table, one.kind, one.seat, now),
        )
        if (
            counted.yes
            and len(may) - len(counted.no) >= counted.needed
            and _still(table, counted, now, moved, mover)
        ):
            kept.append(counted)
    return replace(table, votes=tuple(sorted(kept, key=lambda one: (one.opened, one.kind, one.seat or 0))))


def _still(table: Table, one: Vote, now: datetime, moved: bool, mover: int | None) -> bool:
    match one.kind:
        case VoteKind.PAUSE:
            return table.status is Status.PLAYING
        case VoteKind.RESUME:
            return table.status is Status.PAUSED
        case VoteKind.UNDO:
            return not moved and one.by in one.voters
        case VoteKind.KICK:
            seat = table.seats[one.seat or 0]
            return seat.kind is SeatKind.HUMAN and (mover != one.seat or overdue(table, seat, now))
        case VoteKind.OPEN_SEAT | VoteKind.COMPUTER_SEAT:
            return _fits(table, one.kind, one.seat)
        case _:
            return True
