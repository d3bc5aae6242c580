"""How a game goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.rules.chance import Generator
from bot.rules.game import JSON, Event, Game, OptionValue, Outcome, State

from .board import CELLS, CORNERS, Move, has_line, read
from .view import HIDDEN, CornersView, drawn


class CornersState(State[CornersView]):
    """blocks: by seat, the corner it has blocked, or "". first: who begins, None before that is drawn. marks:
    the cells marked, in the order of play."""

    __slots__ = ("blocks", "first", "game", "marks", "options", "players")

    def __init__(self, game: Game[CornersView], players: int, options: dict[str, OptionValue]) -> None:
        self.game = game
        self.players = players
        self.options = options
        self.blocks = [""] * players
        self.first: int | None = None
        self.marks: list[str] = []

    # who and what is due

    def actors(self) -> tuple[int, ...]:
        if self.first is None:
            return tuple([seat for seat, corner in enumerate(self.blocks) if not corner])
        return () if self.outcome() else ((self.first + len(self.marks)) % 2,)

    def turn(self) -> int:
        return 0 if self.first is None else 1 + len(self.marks)

    def in_secret(self) -> bool:
        return "" in self.blocks

    def chance_due(self) -> bool:
        return self.first is None and "" not in self.blocks

    def next_chance(self) -> tuple[str, int | None]:
        return "first", None

    def draw(self, chance: Generator) -> Event:
        if not self.chance_due():
            raise ValueError("no chance is due")
        return Event("chance", f"first {chance.below(2)}")

    def outcome(self) -> Outcome | None:
        for seat in range(2):
            if has_line(self.marks_of(seat)):
                return Outcome((1 - seat, seat), (seat,), "three in a row")
        if len({*self.marks, *self.blocks} - {""}) == len(CELLS):
            return Outcome((0, 0), (0, 1), "board full")
        return None

    def marks_of(self, seat: int) -> list[str]:
        return [] if self.first is None else self.marks[(seat - self.first) % 2 :: 2]

    # moves

    def read(self, seat: int, text: str) -> str:
        return read(text)

    def play(self, seat: int, move: Move) -> None:
        if move.block:
            self.blocks[seat] = move.cell
        else:
            self.marks.append(move.cell)

    def play_chance(self, kind: str, result: Any) -> None:
        self.first = result

    # seeing

    def view(self, seat: int | None) -> CornersView:
        outcome = self.outcome()
        mine = {cell: owner for owner in range(2) for cell in self.marks_of(owner)}
        return CornersView(
            seat=seat,
            players=self.players,
            options=tuple(sorted(self.options.items())),
            actors=self.actors(),
            outcome=outcome,
            scores=outcome.scores if outcome else (0, 0),
            blocks=tuple([self._shown(owner, seat) for owner in range(2)]),
            owners=tuple([mine.get(cell) for cell in CELLS]),
            last=self.marks[-1] if self.marks else "",
        )

    def _shown(self, owner: int, seat: int | None) -> str:
        """The corner a seat has blocked, as another may know it."""
        corner = self.blocks[owner]
        return HIDDEN if corner and self.in_secret() and owner != seat else corner

    def redact(self, events: Sequence[Event], seat: int | None) -> list[Event]:
        if not self.in_secret():
            return list(events)
        return [event if event.player == seat else Event("move", "block ?", event.player) for event in events]

    # text and checks

    def __str__(self) -> str:
        return drawn(self.view(None))

    def to_json(self) -> dict[str, JSON]:
        return {
            "schema": self.game.schema,
            "players": self.players,
            "options": {**self.options},
            "blocks": [*self.blocks],
            "first": self.first,
            "marks": [*self.marks],
        }

    def clone(self) -> CornersState:
        copy = CornersState(self.game, self.players, self.options)
        copy.blocks = self.blocks.copy()
        copy.first = self.first
        copy.marks = self.marks.copy()
        return copy

    def faults(self) -> list[str]:
        judged = (
            (not set(self.blocks) <= {"", *CORNERS}, "a block that is no corner"),
            (self.first not in (None, 0, 1), "somebody begins who is no seat"),
            (self.first is not None and "" in self.blocks, "begun before both have blocked"),
            (self.first is None and bool(self.marks), "a mark before anybody began"),
            (len(set(self.marks)) < len(self.marks), "a cell marked twice"),
            (not set(self.marks).isdisjoint(self.blocks), "a mark on a blocked cell"),
            (any(has_line(self.marks[:-1][start::2]) for start in range(2)), "a mark after the end"),
        )
        return [what for broken, what in judged if broken]
