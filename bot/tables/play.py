"""A game that is on: moves, resigning, seats that change hands, the early end. Pure steps on a
`Transaction`."""

from __future__ import annotations

from collections.abc import Sequence

from bot.levels import Level
from bot.rules.game import play

from .deadlines import left_of, open_choice
from .entries import changed_hands
from .lobby import pass_on
from .model import Ending, Seat, SeatKind, Status, Table
from .names import stored
from .ports import AlreadySeated, Ended, InSecret, KnowsHands, NoHints, NoSuchSeat, NotYourTurn, Stale
from .transaction import Transaction, turn_of

MOST_HINTED = 16  # hints of a seat that are known again; none goes back further in a game


def open_choice_of(tx: Transaction, revision: int | None) -> Seat:
    """The seat of whoever acts, whose choice is open. revision: the click's, None for any. Raises Ended,
    NotStarted, Aside, Paused, NotSeated, NotYourTurn, Stale."""
    tx.need_playing()
    seat = tx.need_seat()
    check_current(tx.table, seat, seat.since if revision is None else revision)
    return seat


def check_current(table: Table, seat: Seat, revision: int) -> None:
    """The currency rule: a click is current if its revision is the seat's `since` or later. Raises Stale."""
    if not seat.since:
        raise NotYourTurn(table)
    if not seat.since <= revision <= table.revision:
        raise Stale(table)


def hintable(tx: Transaction, revision: int | None) -> Seat:
    """The seat of whoever asks for a hint on their open choice. Raises as `open_choice_of`, and NoHints."""
    seat = open_choice_of(tx, revision)
    if not tx.table.hints:
        raise NoHints(tx.table)
    return seat


def was_hinted(seat: Seat, position: str) -> bool:
    """Whether its player has had a hint on this choice, or in this position: a choice that is opened again
    by an undo is another one. position: names it among those of the seat."""
    had = [one.partition(".") for one in seat.hinted.split()]
    return any(since == str(seat.since) or where == position for since, _, where in had)


def hinted(seat: Seat, position: str) -> str:
    """`Seat.hinted` with a hint on the present choice, in this position."""
    return " ".join([*seat.hinted.split(), f"{seat.since}.{position}"][-MOST_HINTED:])


def click(
    tx: Transaction,
    text: str,
    revision: int | None,
    *,
    written: bool = False,
    then: Sequence[str] = (),
    tap: str = "",
) -> str:
    """The canonical text of the move played. revision: the click's, None for the choice as it is. written:
    the move is as somebody wrote it. then: moves that follow in the same turn. tap: names the button, for
    `entries.was_played`."""
    seat = open_choice_of(tx, revision)
    move = tx.position.read(seat.index, text) if written else text
    for one in (move, *then):
        tx.position.check(seat.index, one)
        decide(tx, seat.index, one)
    tx.own = seat.index
    if tap:
        tx.data["tap"] = tap
    return move


def automatic(tx: Transaction, index: int, move: str, revision: int) -> None:
    """A move for a seat that no human plays, decided for the choice open since `revision` or before."""
    tx.need_playing()
    seat = tx.table.seats[index]
    if seat.kind is SeatKind.HUMAN:
        raise Stale(tx.table)  # a person took the seat meanwhile
    check_current(tx.table, seat, revision)
    decide(tx, index, move)


def decide(tx: Transaction, index: int, move: str) -> None:
    """Play a legal decision and the chance that follows. Raises RulesError."""
    state = tx.position
    turn = turn_of(state)
    events = play(state, tx.table.seed, tx.table.events + len(tx.events), index, move)
    tx.seat = index
    tx.events.extend(events)
    tx.decided.add(index)
    alone = not any(event.kind == "chance" for event in events)
    goes_on = index in state.actors() and turn_of(state) == turn
    tx.set(undoable=index if alone and goes_on else None)


def stand_in_turn(tx: Transaction, index: int) -> None:
    """Play stand-in moves for a seat until its turn is over."""
    state = tx.position
    turn = state.turn()
    for _ in range(100):  # no turn of any game has so many decisions
        decide(tx, index, state.stand_in(index))
        if index not in state.actors() or state.turn() != turn:
            break
    tx.set(undoable=None)


def resign(tx: Transaction) -> None:
    tx.need_started()
    seat = tx.need_seat()
    vacate(tx, seat)


def vacate(tx: Transaction, seat: Seat) -> None:
    """The seat's player is gone: stand-in moves from now on, or the end of the table. The time of an open
    choice runs on, for whoever takes the seat before it is closed."""
    tx.seat = seat.index
    tx.data["user"] = str(seat.user)
    tx.set_seat(
        seat.index,
        kind=SeatKind.STAND_IN,
        user=None,
        reminded=0,
    )
    tx.set(undoable=None if tx.table.undoable == seat.index else tx.table.undoable)
    pass_on(tx, seat.user)
    if not tx.table.humans:
        tx.end(Ending.DESERTED)
    elif sum(s.kind is not SeatKind.STAND_IN for s in tx.table.seats) < tx.game.min_seats:
        tx.end(Ending.TOO_FEW)


def open_seat(tx: Transaction, index: int) -> None:
    """A stand-in's seat waits for somebody new."""
    _need_kind(tx.table, index, SeatKind.STAND_IN)
    tx.seat = index
    tx.set_seat(index, kind=SeatKind.OPEN)


def computer_seat(tx: Transaction, index: int) -> None:
    """A computer player takes a stand-in's or an open seat, with the next number as its name: those who play
    already keep theirs."""
    _need_kind(tx.table, index, SeatKind.STAND_IN, SeatKind.OPEN)
    tx.seat = index
    playing = sum(seat.kind is SeatKind.COMPUTER for seat in tx.table.seats)
    tx.set_seat(index, kind=SeatKind.COMPUTER, name=str(playing + 1), level=Level.MEDIUM)


def take_seat(tx: Transaction, index: int, as_of: int | None = None) -> None:
    """as_of: the revision at which the seat was offered, None for the seat as it is. Raises Stale where
    somebody else gave it up since."""
    tx.need_started()
    if as_of is not None and changed_hands(tx.entries, index, as_of):
        raise Stale(tx.table)
    seat = _need_kind(tx.table, index, SeatKind.OPEN)
    person = tx.person
    if person is None:
        raise NoSuchSeat(tx.table)
    if tx.table.seat_of(person.id) is not None:
        raise AlreadySeated(tx.table)
    if _sat_elsewhere(tx, person.id, index):
        if tx.game.hidden_hands:
            raise KnowsHands(tx.table)
        if tx.position.in_secret():  # they may know what was chosen there
            raise InSecret(tx.table)
    tx.seat = index
    tx.set_seat(
        index,
        kind=SeatKind.HUMAN,
        user=person.id,
        name=stored(person.name, person.id),
    )
    if seat.since:  # their choice opens now, for them, with what is left of the turn's time
        left = left_of(seat, tx.time)
        if left is None and tx.turn is not None:
            left = tx.left.get((tx.turn, index))
        tx.set_seat(index, since=tx.revision, due=tx.revision)
        fresh = open_choice(tx.table.seats[index], tx.table.clock, tx.time, left)
        tx.set_seat(index, opened=fresh.opened, deadline=fresh.deadline, reminded=fresh.reminded)


def _sat_elsewhere(tx: Transaction, user: int, index: int) -> bool:
    for entry in tx.entries:
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


def end(tx: Transaction, ending: Ending) -> None:
    """The early end of a table of any status, one set aside included. Raises Ended."""
    if tx.table.status is Status.ENDED:
        raise Ended(tx.table)
    tx.end(Ending.CANCELLED if tx.table.status is Status.LOBBY and ending is Ending.HOST else ending)
