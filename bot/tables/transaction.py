"""One change in the making: what the pure steps (`lobby`, `play`, `votes`, `undo`, `time_up`) work on.

A step changes the table, the state and the events; `settle` then draws the consequences that every change has
in common. Nothing here waits for anything, and nothing is stored before all of it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from bot.rules.game import JSON, AnyGame, AnyState, Event
from bot.rules.registry import game as rules_of

from . import needs
from .model import (
    Ending,
    Entry,
    Person,
    Seat,
    Status,
    Table,
)
from .ports import Aside, NotStarted


@dataclass(slots=True)
class Transaction:
    """before: the table as it was (None for a new one). own: the seat that itself made the decision (it needs
    no notice of what it opened for itself). entries: every stored change, where the step asked for them.
    left: by turn (see `State.turn`) and seat, the seconds that were left when that choice was closed, as far
    as it may be opened again. turn: the one that was on before the change, None where none was."""

    table: Table
    state: AnyState | None
    now: datetime
    kind: str
    before: Table | None = None
    person: Person | None = None
    entries: Sequence[Entry] = ()
    seat: int | None = None
    own: int | None = None
    decided: set[int] = field(default_factory=set)  # seats for which a decision was played
    events: list[Event] = field(default_factory=list)
    data: dict[str, JSON] = field(default_factory=dict)
    void: list[int] = field(default_factory=list)
    left: Mapping[tuple[int, int], float] = field(default_factory=dict)
    turn: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.turn = turn_of(self.state)

    @property
    def time(self) -> datetime:
        """The table's own time, which stands still while it is paused."""
        return self.table.paused or self.now

    @property
    def game(self) -> AnyGame:
        """The game's facts that all versions share. A game that begins goes by the current one; the position
        of a game that is on knows its own."""
        return rules_of(self.table.game)

    @property
    def revision(self) -> int:
        """The revision this change will have."""
        return self.before.revision + 1 if self.before else 1

    @property
    def position(self) -> AnyState:
        """The state of a game that is on. Raises NotStarted or Aside."""
        if self.state is None:
            raise NotStarted(self.table) if self.table.status is Status.LOBBY else Aside(self.table)
        return self.state

    def set(self, **fields: Any) -> None:
        self.table = replace(self.table, **fields)

    def set_seat(self, index: int, **fields: Any) -> None:
        seats = list(self.table.seats)
        seats[index] = replace(seats[index], **fields)
        self.set(seats=tuple(seats))

    def end(self, ending: Ending) -> None:
        self.set(status=Status.ENDED, ending=ending.value)

    # what a step may ask first: see `needs`

    def need_lobby(self) -> None:
        needs.need_lobby(self.table)

    def need_open(self) -> None:
        needs.need_open(self.table)

    def need_started(self) -> None:
        needs.need_started(self.table)

    def need_playing(self) -> None:
        needs.need_playing(self.table)

    def need_seat(self) -> Seat:
        """The acting person's seat. Raises NotSeated."""
        return needs.need_seat(self.table, self.person.id if self.person else None)


def turn_of(state: AnyState | None) -> int | None:
    """The number of the turn that is on (`State.turn`), None where nobody is to decide."""
    return state.turn() if state is not None and state.actors() else None
