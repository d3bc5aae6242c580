"""The game itself: seats, kinds of chance, and where the contract's questions are answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from bot.rules.game import Event, Game, Say
from bot.rules.loading import optional, whole, words

from . import board, legality, text
from .board import CELLS, CORNERS, Move
from .legality import Choice
from .state import CornersState
from .view import CornersView


class Corners(Game[CornersView]):
    id: ClassVar[str] = "corners"
    min_seats: ClassVar[int] = 2
    max_seats: ClassVar[int] = 2
    reasons: ClassVar[tuple[str, ...]] = ("three in a row", "board full")
    chance_kinds: ClassVar[Mapping[str, bool]] = {"first": False}

    # positions

    def start(self, players: int, options: Mapping[str, object]) -> CornersState:
        return CornersState(self, players, self.options_for(players, options))

    def restore(self, state: CornersState, data: Mapping[str, Any]) -> None:
        state.blocks = words(data["blocks"], ("", *CORNERS), state.players)
        state.first = optional(data["first"], lambda seat: whole(seat, 0, 1))
        state.marks = words(data["marks"], CELLS)

    # legality

    def parse(self, text: object) -> Move:
        return board.parse(text)

    def parse_chance(self, text: object) -> tuple[str, int]:
        return board.parse_first(text)

    def choice(self, view: CornersView) -> Choice:
        return legality.choice_of(view)

    def listed(self, choice: Choice) -> list[str]:
        return legality.listed(choice)

    def judge(self, choice: Choice, move: Move) -> None:
        legality.judge(choice, move)

    def stand_in(self, choice: Choice) -> str:
        return legality.listed(choice)[0]

    # texts

    def board_text(self, view: CornersView, names: Sequence[str], say: Say) -> str:
        return text.board_text(view, names, say)

    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        return text.describe(event, names, say)


GAME: Final = Corners()
