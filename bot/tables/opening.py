"""What a new table begins as: asked for anew, or as one that has ended. Plain functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from bot.levels import Level
from bot.rules.errors import SetupError
from bot.rules.game import OptionValue
from bot.rules.registry import game as rules_of

from . import seating
from .deadlines import check_clock
from .model import ClockRule, Person, Place, Seat, SeatKind, Status, Table, TableId
from .names import stored
from .ports import Full


@dataclass(frozen=True, slots=True)
class Wanted:
    """people: most seats; a number of players that the options take."""

    game: str
    options: Mapping[str, OptionValue]
    people: int
    seats: tuple[Seat, ...]
    clock: ClockRule
    by_invitation: bool = False


def wanted(
    game: str,
    options: Mapping[str, object],
    people: int | None,
    clock: ClockRule,
    host: Person,
    computers: int,
    level: Level,
) -> Wanted:
    """What somebody asks for, checked; they sit first. level: of the computer players. Raises SetupError,
    Full, BadClock."""
    rules = rules_of(game)
    most = rules.max_seats if people is None else people
    if not rules.min_seats <= most <= rules.max_seats:
        raise SetupError("seats", least=rules.min_seats, most=rules.max_seats, given=str(most))
    check_clock(clock)
    check_options(game, options, most)
    most = max(count for count in rules.seat_counts(options) if count <= most)
    if 1 + computers > most:
        raise Full(most=most)
    seats = [Seat(0, SeatKind.HUMAN, host.id, stored(host.name, host.id))]
    seats += [Seat(at, SeatKind.COMPUTER, None, "", level=level) for at in range(1, 1 + computers)]
    accepted = cast("dict[str, OptionValue]", dict(options))  # options_for has accepted every value
    return Wanted(game, accepted, most, tuple(seats), clock)


def as_before(old: Table) -> Wanted:
    """The same again: people and computer players as they sat, without the seats given up."""
    kept = [seat for seat in old.seats if seat.kind in (SeatKind.HUMAN, SeatKind.COMPUTER)]
    seats = tuple(
        Seat(seat.index, seat.kind, seat.user, seat.name if seat.user is not None else "", level=seat.level)
        for seat in seating.moved_up(old, kept)
    )
    return Wanted(old.game, old.options, max(old.people, len(old.seats)), seats, old.clock, old.by_invitation)


def new_table(what: Wanted, table: TableId, host: Person, place: Place, seed: str, now: datetime) -> Table:
    """The lobby, not stored yet, by the newest rules of its game."""
    return Table(
        id=table,
        revision=0,
        status=Status.LOBBY,
        game=what.game,
        rules_version=rules_of(what.game).version,
        options=what.options,
        host=host.id,
        place=place,
        seats=what.seats,
        seed=seed,
        clock=what.clock,
        created=now,
        changed=now,
        people=what.people,
        by_invitation=what.by_invitation and not place.direct,
    )


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
