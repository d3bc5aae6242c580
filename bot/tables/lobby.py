"""The lobby: sitting down, getting up, starting. Pure steps on a `Work`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from bot.rules.errors import SetupError
from bot.rules.game import advance
from bot.rules.registry import game as rules_of

from . import names
from .model import ClockRule, Ending, Person, Seat, SeatKind, Status, UserId
from .ports import (
    AlreadySeated,
    BadClock,
    Full,
    NoComputer,
    NotAllowed,
    NotHost,
    NotSeated,
    TooFew,
)
from .work import Work

LOBBY_TIME = timedelta(hours=24)  # an untouched lobby expires
LEAST_CLOCK = 30
MOST_CLOCK = 1_209_600
NAME_LENGTH = 100  # of a stored display name; Discord's own limit is 32


def clean_name(name: str, user: UserId) -> str:
    """A display name as it is stored: cleaned, and no more than 100 characters. One in which nothing can be
    seen is replaced by the last digits of the user's id."""
    kept = names.clean(name)
    return names.cut(kept, NAME_LENGTH, len) if names.seen(kept) else f"#{user % 10_000:04}"


def check_clock(clock: ClockRule) -> None:
    """Raises BadClock."""
    if clock.seconds is not None and not LEAST_CLOCK <= clock.seconds <= MOST_CLOCK:
        raise BadClock(None, least=LEAST_CLOCK, most=MOST_CLOCK)
    if clock.on_timeout not in ("stand_in", "vote"):
        raise BadClock(None, least=LEAST_CLOCK, most=MOST_CLOCK)


def join(work: Work) -> None:
    work.need_lobby()
    person = _person(work)
    if work.table.seat_of(person.id) is not None:
        raise AlreadySeated(work.table)
    work.seat = _sit(work, SeatKind.HUMAN, person)


def add_computer(work: Work) -> None:
    work.need_lobby()
    work.need_seat()
    work.seat = _sit(work, SeatKind.COMPUTER, None)


def remove_computer(work: Work) -> None:
    work.need_lobby()
    work.need_seat()
    computers = [seat.index for seat in work.table.seats if seat.kind is SeatKind.COMPUTER]
    if not computers:
        raise NoComputer(work.table)
    work.seat = computers[-1]
    _stand_up(work, computers[-1])


def leave(work: Work) -> None:
    """The host passes on to the next human; without one the table is cancelled."""
    work.need_lobby()
    seat = work.need_seat()
    work.seat = seat.index
    _stand_up(work, seat.index)
    pass_on(work, seat.user)


def pass_on(work: Work, leaver: UserId | None) -> None:
    """Find a new host when `leaver` was it; a lobby without any human is cancelled."""
    humans = work.table.humans
    if not humans:
        if work.table.status is Status.LOBBY:
            work.end(Ending.CANCELLED)
        return
    if leaver == work.table.host and humans[0].user is not None:
        work.set(host=humans[0].user)
        work.data["host"] = str(humans[0].user)


def pass_host(work: Work, to: UserId) -> None:
    work.need_open()
    _need_host(work)
    seat = work.table.seat_of(to)
    if seat is None:
        raise NotSeated(work.table)
    work.seat = seat.index
    work.set(host=to)


def cancel(work: Work) -> None:
    work.need_lobby()
    person = _person(work)
    if person.id != work.table.host and not person.manages_at(work.table.place.guild):
        raise NotHost(work.table)
    work.end(Ending.CANCELLED)


def start(work: Work) -> None:
    """Raises NotHost, TooFew, SetupError. Draws the first chance events."""
    work.need_lobby()
    _need_host(work)
    begin(work)


def begin(work: Work) -> None:
    table = work.table
    game = work.game
    seated = len(table.seats)
    if seated < game.min_seats:
        raise TooFew(table, least=game.min_seats, seated=seated)
    options = game.options_for(seated, table.options)
    state = game.start(seated, table.options)
    work.events.extend(advance(state, table.seed, 0))
    work.state = state
    work.data["seats"] = [str(seat.user) if seat.user else seat.kind.value for seat in table.seats]
    written = game.written_options(seated, options)
    work.set(status=Status.PLAYING, options=written, people=seated, rules_version=game.version)


def check_options(game_id: str, options: Mapping[str, object], most: int) -> None:
    """Raises SetupError where no seat count from the game's least to `most` could be played with these
    options."""
    game = rules_of(game_id)
    refused: SetupError | None = None
    for players in range(most, game.min_seats - 1, -1):
        try:
            game.options_for(players, options)
            return
        except SetupError as error:
            refused = refused or error
    if refused is not None:
        raise refused


def _sit(work: Work, kind: SeatKind, person: Person | None) -> int:
    table = work.table
    if len(table.seats) >= table.people:
        raise Full(table, most=table.people)
    index = len(table.seats)
    name = clean_name(person.name, person.id) if person else ""
    work.set(seats=(*table.seats, Seat(index, kind, person.id if person else None, name)))
    return index


def _stand_up(work: Work, index: int) -> None:
    left = [seat for seat in work.table.seats if seat.index != index]
    work.set(seats=tuple(replace(seat, index=place) for place, seat in enumerate(left)))


def _person(work: Work) -> Person:
    if work.person is None:
        raise NotAllowed(work.table)
    return work.person


def _need_host(work: Work) -> None:
    if _person(work).id != work.table.host:
        raise NotHost(work.table)
