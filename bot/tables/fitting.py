"""Whether what is stored of a table fits together. Values of the right kind may still be another table's, of
another time, or somebody's who edited a row: options against the game, seats against its number of seats,
choices against who sits there, questions against who may vote.

Each column is asked for what `settle` always leaves behind, and only for what would mislead or fail somebody
later: a clock that looks too early or a message that is gone puts itself right.
"""

from __future__ import annotations

from bot.rules.errors import SetupError
from bot.rules.registry import game as rules_of

from . import votes
from .deadlines import UP
from .model import Seat, SeatKind, Status, Table
from .opening import check_options


def misfits(table: Table) -> list[str]:
    """The columns that do not fit, as the store names them; [] for every table that was stored by a change.
    The table's game is a known one."""
    game = rules_of(table.game)
    status, seats = table.status, table.seats
    lobby, on = status is Status.LOBBY, status in {Status.PLAYING, Status.PAUSED}
    played = on or table.events > 0
    fits = {
        "seats": (game.min_seats if played else int(lobby)) <= len(seats) <= game.max_seats,
        "people": max(game.min_seats, len(seats)) <= table.people <= game.max_seats,
        "options": _options_fit(table, played),
        "host": status is Status.ENDED or any(seat.user == table.host for seat in table.humans),
        "events": not (lobby and table.events),
        "paused": status in {Status.ENDED, Status.ASIDE}
        or (table.paused is not None) == (status is Status.PAUSED),
        "undoable": table.undoable is None
        or (status is Status.PLAYING and table.undoable in range(len(seats))),
        "outcome": table.outcome is None
        or (status is Status.ENDED and len(table.outcome.scores) == len(seats)),
        "seats.since": bool(table.to_act) == on,
        "votes": all(votes.fits(table, vote) for vote in table.votes),
    }
    found = [column for column, well in fits.items() if not well]
    users = [seat.user for seat in seats if seat.user is not None]
    if len(set(users)) < len(users):
        found.append("seats.user_id")
    return found + sorted({f"seats.{column}" for seat in seats for column in _seat_misfits(table, seat)})


def _options_fit(table: Table, played: bool) -> bool:
    """By the number of seats where the game is on, else by one that the lobby may still come to."""
    try:
        if played:
            rules_of(table.game).options_for(len(table.seats), table.options)
        else:
            check_options(table.game, table.options, min(table.people, rules_of(table.game).max_seats))
    except SetupError:
        return False
    return True


def _seat_misfits(table: Table, seat: Seat) -> list[str]:
    human = seat.kind is SeatKind.HUMAN
    fits = {
        "kind": table.status is not Status.LOBBY or seat.kind in {SeatKind.HUMAN, SeatKind.COMPUTER},
        "user_id": (seat.user is not None) == human,
        "name": bool(seat.name) or not human,  # without one it would be told as a computer player
        "since": seat.since <= table.revision,
        "due": seat.due <= table.revision,
        "notified": seat.notified <= table.revision,
        "snoozed": seat.snoozed <= table.revision,
        "reminded": seat.reminded <= UP,
    }
    return [column for column, well in fits.items() if not well]
