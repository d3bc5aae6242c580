"""The lobby: sitting down, getting up, starting. Pure steps on a `Transaction`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from bot.levels import Level
from bot.rules.game import advance

from . import seating
from .model import Ending, Invitation, Person, Seat, SeatKind, Status, UserId
from .names import stored
from .needs import need_host
from .ports import (
    AlreadySeated,
    Full,
    InvitedOnly,
    NobodyToInvite,
    NoComputer,
    NoPairs,
    NotAllowed,
    NotHost,
    NotSeated,
    Stale,
    TooFew,
    TooManyInvited,
)
from .transaction import Transaction

MOST_INVITED = 10  # at once who may still come
MOST_INVITATIONS = 25  # of a lobby, with those that were declined
Sitting: TypeAlias = tuple[int, UserId | None]
"""A seat, and who was seen to sit there."""


def join(tx: Transaction) -> None:
    tx.need_lobby()
    person = _person(tx)
    if tx.table.seat_of(person.id) is not None:
        raise AlreadySeated(tx.table)
    if tx.table.by_invitation and tx.table.invitation_of(person.id) is None:
        raise InvitedOnly(tx.table)
    tx.seat = _sit(tx, SeatKind.HUMAN, person)
    tx.set(invited=tuple(one for one in tx.table.invited if one.user != person.id))


def accept(tx: Transaction) -> None:
    """Sit down as one who is invited."""
    tx.need_lobby()
    if tx.table.seat_of(_person(tx).id) is None and tx.table.invitation_of(_person(tx).id) is None:
        raise InvitedOnly(tx.table)
    join(tx)


def invite(tx: Transaction, people: Mapping[UserId, str], declined: Collection[UserId] = ()) -> None:
    """The host's. people: with their names. Who sits there or is invited already is left out. declined: who
    keeps no place from others, though nobody sees that. Raises NotHost, NobodyToInvite, TooManyInvited;
    NotAllowed where a code is what people come with."""
    tx.need_lobby()
    _need_host(tx)
    table = tx.table
    if table.place.direct:
        raise NotAllowed(table)
    fresh = tuple(
        Invitation(user, stored(name, user), tx.revision)
        for user, name in people.items()
        if table.seat_of(user) is None and table.invitation_of(user) is None
    )
    if not fresh:
        raise NobodyToInvite(table)
    invited = table.invited + fresh
    if sum(one.user not in declined for one in invited) > MOST_INVITED:
        raise TooManyInvited(table, most=MOST_INVITED)
    if len(invited) > MOST_INVITATIONS:
        raise TooManyInvited(table, most=MOST_INVITATIONS)
    tx.set(invited=invited)


def withdraw(tx: Transaction, users: Collection[UserId]) -> None:
    """The host takes these people's invitations back. Raises NotHost; Stale where none of them is invited any
    more."""
    tx.need_lobby()
    _need_host(tx)
    left = tuple(one for one in tx.table.invited if one.user not in users)
    if left == tx.table.invited:
        raise Stale(tx.table)
    tx.set(invited=left)


def restrict(tx: Transaction, by_invitation: bool) -> None:
    """The host says whether only who is invited may sit down. Raises NotHost, NotAllowed as `invite`."""
    tx.need_lobby()
    _need_host(tx)
    if tx.table.place.direct:
        raise NotAllowed(tx.table)
    tx.set(by_invitation=by_invitation)


class SaidAlready(Exception):
    """Nothing is to be changed."""


def agree(tx: Transaction, agrees: bool) -> None:
    """The person agrees to hints at this table, or does not. Raises NotSeated; SaidAlready."""
    tx.need_lobby()
    seat = tx.need_seat()
    if seat.agreed is agrees:
        raise SaidAlready
    tx.seat = seat.index
    tx.set_seat(tx.seat, agreed=agrees)


def add_computer(tx: Transaction, level: Level) -> None:
    tx.need_lobby()
    tx.need_seat()
    tx.seat = _sit(tx, SeatKind.COMPUTER, None, level)


def remove_computer(tx: Transaction) -> None:
    tx.need_lobby()
    tx.need_seat()
    computers = [seat.index for seat in tx.table.seats if seat.kind is SeatKind.COMPUTER]
    if not computers:
        raise NoComputer(tx.table)
    tx.seat = computers[-1]
    _stand_up(tx, computers[-1])


def pair(tx: Transaction, chosen: Sequence[Sitting]) -> None:
    """Two come to sit together: the second changes places with whoever was beside the first. chosen: whom
    the person sits down with, or, for the host, both. Raises NotSeated, NotHost, NoPairs,
    Stale where somebody of them sits elsewhere by now."""
    tx.need_lobby()
    own = tx.need_seat()
    one, other = chosen if len(chosen) == 2 else (chosen[0], (own.index, own.user))
    if own.index not in {one[0], other[0]}:
        _need_host(tx)
    seats = tx.table.seats
    for index, user in (one, other):
        if not index < len(seats) or seats[index].user != user:
            raise Stale(tx.table)
    sides = {seat: side for side in seating.sides(tx.table) for seat in side if seat < len(seats)}
    if not sides or other[0] in sides[one[0]]:
        raise NoPairs(tx.table)
    tx.seat = own.index
    beside = [seat for seat in sides[one[0]] if seat in sides and seat != one[0]]
    if beside:
        _change_places(tx, beside[0], other[0])
    else:  # the last one, alone, comes over
        _change_places(tx, one[0], next(seat for seat in sides[other[0]] if seat != other[0]))


def _change_places(tx: Transaction, one: int, other: int) -> None:
    seats = list(tx.table.seats)
    seats[one], seats[other] = replace(seats[other], index=one), replace(seats[one], index=other)
    tx.set(seats=tuple(seats))


def leave(tx: Transaction) -> None:
    """The host passes on to the next human; without one the table is cancelled."""
    tx.need_lobby()
    seat = tx.need_seat()
    tx.seat = seat.index
    _stand_up(tx, seat.index)
    pass_on(tx, seat.user)


def pass_on(tx: Transaction, leaver: UserId | None) -> None:
    """Find a new host when `leaver` was it; a lobby without any human is cancelled."""
    humans = tx.table.humans
    if not humans:
        if tx.table.status is Status.LOBBY:
            tx.end(Ending.CANCELLED)
        return
    if leaver == tx.table.host and humans[0].user is not None:
        tx.set(host=humans[0].user)
        tx.data["host"] = str(humans[0].user)


def pass_host(tx: Transaction, to: UserId) -> None:
    tx.need_open()
    _need_host(tx)
    seat = tx.table.seat_of(to)
    if seat is None:
        raise NotSeated(tx.table)
    tx.seat = seat.index
    tx.set(host=to)


def cancel(tx: Transaction) -> None:
    tx.need_lobby()
    person = _person(tx)
    if person.id != tx.table.host and not person.manages_at(tx.table.place.guild):
        raise NotHost(tx.table)
    tx.end(Ending.CANCELLED)


def start(tx: Transaction) -> None:
    """Raises NotHost, TooFew, SetupError. Draws the first chance events."""
    tx.need_lobby()
    _need_host(tx)
    begin(tx)


def begin(tx: Transaction) -> None:
    table = tx.table
    game = tx.game
    seated = len(table.seats)
    least = min(seating.counts(table), default=game.min_seats)
    if seated < least:
        raise TooFew(table, least=least, seated=seated)
    options = game.options_for(seated, table.options)
    state = game.start(seated, table.options)
    tx.events.extend(advance(state, table.seed, 0))
    tx.state = state
    tx.data["seats"] = [str(seat.user) if seat.user else seat.kind.value for seat in table.seats]
    written = game.written_options(seated, options)
    hints = len(table.humans) == 1 or all(seat.agreed for seat in table.humans)
    tx.set(status=Status.PLAYING, options=written, people=seated, rules_version=game.version, hints=hints)


def _sit(tx: Transaction, kind: SeatKind, person: Person | None, level: Level = Level.MEDIUM) -> int:
    table = tx.table
    if len(table.seats) >= (most := seating.most(table)):
        raise Full(table, most=most)
    index = len(table.seats)
    name = stored(person.name, person.id) if person else ""
    tx.set(seats=(*table.seats, Seat(index, kind, person.id if person else None, name, level=level)))
    return index


def _stand_up(tx: Transaction, index: int) -> None:
    staying = [seat for seat in tx.table.seats if seat.index != index]
    tx.set(seats=seating.moved_up(tx.table, staying))


def _person(tx: Transaction) -> Person:
    if tx.person is None:
        raise NotAllowed(tx.table)
    return tx.person


def _need_host(tx: Transaction) -> None:
    need_host(tx.table, _person(tx).id)
