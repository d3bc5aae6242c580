"""A game that is on: moves, resigning, seats that change hands, the early end. Pure steps on a `Work`."""

from __future__ import annotations

from collections.abc import Iterable

from bot.rules.game import Event, play

from .clock import left_of, open_choice
from .lobby import clean_name, pass_on
from .model import Ending, Entry, Seat, SeatKind, Status, Table, UserId
from .ports import AlreadySeated, Ended, InSecret, KnowsHands, NoSuchSeat, NotYourTurn, Stale
from .work import Work


def check_current(table: Table, seat: Seat, revision: int) -> None:
    """The currency rule: a click is current if its revision is the seat's `since` or later. Raises Stale."""
    if not seat.since:
        raise NotYourTurn(table)
    if not seat.since <= revision <= table.revision:
        raise Stale(table)


def click(work: Work, move: str, revision: int, tap: str = "") -> None:
    """tap: names the button, for `was_played`."""
    work.need_playing()
    seat = work.need_seat()
    check_current(work.table, seat, revision)
    work.position.check(seat.index, move)
    decide(work, seat.index, move)
    work.own = seat.index
    if tap:
        work.data["tap"] = tap


def was_played(entries: Iterable[Entry], user: UserId, tap: str) -> bool:
    """Whether that button, pressed by this person, decided something that stands."""
    return any(
        entry.user == user and entry.data.get("tap") == tap and not entry.void
        for entry in entries
        if entry.kind == "move"
    )


def typed(work: Work, text: str) -> None:
    work.need_playing()
    seat = work.need_seat()
    move = work.position.read(seat.index, text)
    work.position.check(seat.index, move)
    decide(work, seat.index, move)
    work.own = seat.index


def machine(work: Work, index: int, move: str, revision: int) -> None:
    """A move for a seat that no human plays, decided for the choice open since `revision` or before."""
    work.need_playing()
    seat = work.table.seats[index]
    if seat.kind is SeatKind.HUMAN:
        raise Stale(work.table)  # a person took the seat meanwhile
    check_current(work.table, seat, revision)
    decide(work, index, move)


def decide(work: Work, index: int, move: str) -> None:
    """Play a legal decision and the chance that follows. Raises RulesError."""
    state = work.position
    events = play(state, work.table.seed, work.table.events + len(work.events), index, move)
    work.seat = index
    work.events.extend(events)
    work.decided.add(index)
    alone = not any(event.kind == "chance" for event in events) and index in state.actors()
    work.set(undoable=index if alone else None)


def stand_in_turn(work: Work, index: int) -> None:
    """Play stand-in moves for a seat until its turn is over."""
    state = work.position
    turn = state.turn()
    for _ in range(100):  # no turn of any game has so many decisions
        decide(work, index, state.stand_in(index))
        if index not in state.actors() or state.turn() != turn:
            break
    work.set(undoable=None)


def resign(work: Work) -> None:
    work.need_started()
    seat = work.need_seat()
    vacate(work, seat)


def vacate(work: Work, seat: Seat) -> None:
    """The seat's player is gone: stand-in moves from now on, or the end of the table. The time of an open
    choice runs on, for whoever takes the seat before it is closed."""
    work.seat = seat.index
    work.data["user"] = str(seat.user)
    work.set_seat(
        seat.index,
        kind=SeatKind.STAND_IN,
        user=None,
        reminded=0,
    )
    work.set(undoable=None if work.table.undoable == seat.index else work.table.undoable)
    pass_on(work, seat.user)
    if not work.table.humans:
        work.end(Ending.DESERTED)
    elif sum(s.kind is not SeatKind.STAND_IN for s in work.table.seats) < work.game.min_seats:
        work.end(Ending.TOO_FEW)


def open_seat(work: Work, index: int) -> None:
    """A stand-in's seat waits for somebody new."""
    _need_kind(work.table, index, SeatKind.STAND_IN)
    work.seat = index
    work.set_seat(index, kind=SeatKind.OPEN)


def computer_seat(work: Work, index: int) -> None:
    """A computer player takes a stand-in's or an open seat."""
    _need_kind(work.table, index, SeatKind.STAND_IN, SeatKind.OPEN)
    work.seat = index
    work.set_seat(index, kind=SeatKind.COMPUTER, name="")


def take_seat(work: Work, index: int) -> None:
    work.need_started()
    seat = _need_kind(work.table, index, SeatKind.OPEN)
    person = work.person
    if person is None:
        raise NoSuchSeat(work.table)
    if work.table.seat_of(person.id) is not None:
        raise AlreadySeated(work.table)
    if _sat_elsewhere(work, person.id, index):
        if work.game.hidden_hands:
            raise KnowsHands(work.table)
        if work.position.in_secret():  # they may know what was chosen there
            raise InSecret(work.table)
    work.seat = index
    work.set_seat(
        index,
        kind=SeatKind.HUMAN,
        user=person.id,
        name=clean_name(person.name, person.id),
    )
    if seat.since:  # their choice opens now, for them, with what is left of the turn's time
        left = left_of(seat, work.time)
        if left is None and work.turn is not None:
            left = work.left.get((work.turn, index))
        work.set_seat(index, since=work.revision, due=work.revision)
        fresh = open_choice(work.table.seats[index], work.table.clock, work.time, left)
        work.set_seat(index, opened=fresh.opened, deadline=fresh.deadline, reminded=fresh.reminded)


def _sat_elsewhere(work: Work, user: int, index: int) -> bool:
    for entry in work.entries:
        if entry.kind == "start":
            seats = entry.data.get("seats")
            if isinstance(seats, list) and any(
                held == str(user) and place != index for place, held in enumerate(seats)
            ):
                return True
        if entry.kind == "take_seat" and entry.user == user and entry.seat != index:
            return True
    return False


def _need_kind(table: Table, index: int, *kinds: SeatKind) -> Seat:
    if not 0 <= index < len(table.seats) or table.seats[index].kind not in kinds:
        raise NoSuchSeat(table)
    return table.seats[index]


def end(work: Work, ending: Ending) -> None:
    """The early end of a table of any status, one set aside included. Raises Ended."""
    if work.table.status is Status.ENDED:
        raise Ended(work.table)
    work.end(Ending.CANCELLED if work.table.status is Status.LOBBY and ending is Ending.HOST else ending)


def last_move(events: tuple[Event, ...] | list[Event]) -> Event | None:
    """The newest decision."""
    return next((event for event in reversed(events) if event.kind == "move"), None)
