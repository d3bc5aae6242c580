"""What a table is, as values. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bot.rules.game import Event, OptionValue, Outcome, State

TableId = str  # six characters of Crockford base 32
UserId = int


class Status(StrEnum):
    LOBBY = "lobby"
    PLAYING = "playing"
    PAUSED = "paused"
    ENDED = "ended"  # finished, cancelled, expired, or ended early: see Table.ending
    ASIDE = "aside"  # cannot be loaded; can only be ended


class SeatKind(StrEnum):
    HUMAN = "human"
    COMPUTER = "computer"
    STAND_IN = "stand_in"  # its player left or was voted out; stand-in moves are played for it
    OPEN = "open"  # waits for somebody new; plays stand-in moves until then


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who acts. name: display name at this moment, raw. locale: Discord's tag or None."""

    id: UserId
    name: str
    locale: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table lives. Ids of the chat's own; tables never interpret them."""

    guild: int
    channel: int
    thread: int | None = None
    lobby_message: int | None = None
    table_message: int | None = None
    notice_message: int | None = None


@dataclass(frozen=True, slots=True)
class Seat:
    """One chair. since: the revision at which its present choice opened, 0 when it has none.
    notified: the `since` for which its player was told last."""

    index: int
    kind: SeatKind
    user: UserId | None
    name: str
    since: int = 0
    notified: int = 0


@dataclass(frozen=True, slots=True)
class ClockRule:
    """seconds per turn (30 to 1,209,600) or None for no clock; when time is up: "stand_in" plays a
    stand-in move, "vote" lets the others vote the player out."""

    seconds: int | None = None
    on_timeout: str = "stand_in"


@dataclass(frozen=True, slots=True)
class Table:
    """A table as stored. `seed` is a secret until the end: never shown, logged or exported before."""

    id: TableId
    revision: int
    status: Status
    game: str
    rules_version: int
    options: Mapping[str, OptionValue]
    host: UserId
    place: Place
    seats: tuple[Seat, ...]
    seed: str = field(repr=False)
    clock: ClockRule
    created: datetime
    changed: datetime
    deadline: datetime | None = None
    painted: int = 0  # the revision that the public message shows
    outcome: Outcome | None = None
    ending: str = ""  # "finished", "cancelled", "expired", "voted", "admin", "too_few", … when ENDED
    people: int = 0  # seats wanted by the lobby (players of the game once started)


@dataclass(frozen=True, slots=True)
class Change:
    """What a stored change did: the table after it, the position after it (None before the start and
    for a table set aside), the events it added, and the seats whose choice it opened and closed."""

    table: Table
    state: State | None
    events: tuple[Event, ...] = ()
    opened: tuple[int, ...] = ()
    closed: tuple[int, ...] = ()
