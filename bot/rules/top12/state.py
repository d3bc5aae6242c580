"""How a game goes on: who is due, the set-up, calls, rolls, entries and the end (rules 1 to 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..chance import Generator
from ..errors import Extra, Impossible
from ..game import JSON, Event, Game, OptionValue, Outcome, State
from . import notation, stored
from .drawing import drawn
from .faults import faults_of
from .legality import Choice
from .notation import HIDDEN_ENTRY, HIDDEN_SETUP, Call, Entry, Move, entries_text, first_text, roll_text
from .position import Position
from .scoring import DEAD, FULL, IDLE, IDLE_LIMIT, fullness, outcome_of
from .sheet import FACES, ROWS, START_NUMBERS, column_of
from .view import Round, Top12View

_ROLLS = tuple(Event("chance", roll_text(face)) for face in FACES)


class Top12State(Position, State[Top12View]):
    """One position of a game."""

    __slots__ = ("game",)

    def __init__(self, game: Game[Top12View], players: int, options: dict[str, OptionValue]) -> None:
        super().__init__(players, options)
        self.game = game

    # who and what is due

    def actors(self) -> tuple[int, ...]:
        return self.waiting

    def turn(self) -> int:
        """The set-up is 0; then a call and the entries after its roll by turns."""
        return 2 * self.rolls + (self.stage in ("first", "call", "roll"))

    def in_secret(self) -> bool:
        return self.stage in ("setup", "enter")

    def chance_due(self) -> bool:
        return self.stage in ("first", "roll")

    def next_chance(self) -> tuple[str, int | None]:
        return self.stage, None

    def draw(self, chance: Generator) -> Event:
        if self.stage == "roll":
            return chance.choice(_ROLLS)
        if self.stage == "first":
            return Event("chance", first_text(chance.choice(self._first_callers())))
        raise Extra("over" if self.stage == "over" else "chance")

    def outcome(self) -> Outcome | None:
        return outcome_of(self.sheets, self.reason) if self.stage == "over" else None

    # moves

    def choice(self, seat: int) -> Choice:
        # twice in every move, and of a view's parts it needs but these
        return self.stage, self.sheets[seat], self.number, self.face

    def lists(self, seat: int) -> bool:
        return self.stage != "setup" or seat not in self.waiting

    def read(self, seat: int, text: str) -> str:
        return notation.read(text, self.number if self.stage == "enter" else 0)

    def random_move(self, seat: int, chance: Generator) -> str:
        if self.lists(seat):
            return chance.choice(self.legal(seat))
        numbers = chance.shuffled(START_NUMBERS)
        return entries_text(
            [Entry(number, column * ROWS + chance.below(ROWS)) for column, number in enumerate(numbers)]
        )

    def play(self, seat: int, move: Move) -> None:
        if isinstance(move, Call):
            self.number = move.number
            self.waiting = ()
            self.stage = "roll"
            return
        self.chosen[seat] = move
        at = self.waiting.index(seat)
        self.waiting = self.waiting[:at] + self.waiting[at + 1 :]
        if self.waiting:
            return
        if self.stage == "setup":
            self._open_sheets()
        else:
            self._close_round()

    # chance

    def play_chance(self, kind: str, result: Any) -> None:
        if kind == "first":
            self._name_first(result)
        else:
            self._roll(result)

    def _first_callers(self) -> range:
        """The seats that may be the first to call (ruling)."""
        return range(self.players if self.options["first"] == "random" else 1)

    def _name_first(self, seat: int) -> None:
        seats = self._first_callers()
        if seat not in seats:
            raise Impossible("first", game="top12", most=max(seats))
        self._ask_caller(seat)

    def _roll(self, face: str) -> None:
        """Everybody who can enter is asked to (rules 3 and 5); where nobody can, the round is over."""
        self.face = face
        self.rolls += 1
        self.stage = "enter"
        self.waiting = self.able()
        if not self.waiting:
            self._close_round()

    # rounds

    def _open_sheets(self) -> None:
        """The last set-up move is in (rule 1)."""
        for seat, move in self.chosen.items():
            for entry in move.entries:
                self.write(seat, entry.cell, entry.number)
        self.chosen = {}
        self.stage = "first"

    def _ask_caller(self, seat: int) -> None:
        self.caller = seat
        self.stage = "call"
        self.waiting = (seat,)

    def _close_round(self) -> None:
        """Everybody who can enter has: write all entries at once (rule 6), end or go on (rules 7, 8)."""
        cells = [-1] * self.players
        if self.chosen:
            full = False
            for seat, move in self.chosen.items():
                (entry,) = move.entries
                cells[seat] = entry.cell
                self.write(seat, entry.cell, entry.number)
                full = full or 0 not in column_of(self.sheets[seat], entry.cell // ROWS)
            self.chosen = {}
            self.idle = 0
            self.reason = FULL if full else DEAD if self.all_dead() else ""
        else:
            self.idle += 1
            self.reason = IDLE if self.idle >= IDLE_LIMIT else ""
        self.last = Round(self.caller, self.number, self.face, tuple(cells))
        self.number, self.face = 0, ""
        if self.reason:
            self.stage = "over"
            self.waiting = ()
        else:
            self._ask_caller((self.caller + 1) % self.players)

    # seeing

    def view(self, seat: int | None) -> Top12View:
        own = self.chosen.get(seat) if seat is not None else None
        return Top12View(
            seat=seat,
            players=self.players,
            options=tuple(sorted(self.options.items())),
            actors=self.actors(),
            outcome=self.outcome(),
            scores=tuple([fullness(sheet)[0] for sheet in self.sheets]),
            phase=self.stage,
            sheets=tuple(self.sheets),
            caller=self.caller,
            number=self.number,
            face=self.face,
            rolls=self.rolls,
            idle=self.idle,
            pending=entries_text(own.entries) if own else "",
            chosen=tuple(sorted(self.chosen)),
            last=self.last,
        )

    def redact(self, events: Sequence[Event], seat: int | None) -> list[Event]:
        """What came in during the open phase stands at the end of the record, after the last chance."""
        seen = list(events)
        hidden = HIDDEN_SETUP if self.stage == "setup" else HIDDEN_ENTRY
        for index in range(len(seen) - len(self.chosen), len(seen)):
            if seen[index].player != seat:
                seen[index] = Event("move", hidden, seen[index].player)
        return seen

    # text and checks

    def __str__(self) -> str:
        return drawn(self.view(None))

    def to_json(self) -> dict[str, JSON]:
        return {"schema": self.game.schema, **stored.written(self)}

    def clone(self) -> Top12State:
        return self.copied((*Position.__slots__, "game"))

    def faults(self) -> list[str]:
        return faults_of(self)
