"""The game itself: seats, options, and where the contract's questions are answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from ..game import Event, Example, Game, Option, Say, Told
from . import examples, legality, notation, stored, text
from .legality import Choice
from .scoring import REASONS
from .state import Top12State
from .view import Top12View


class Top12(Game[Top12View]):
    """Top 12, 1 to 4 seats."""

    id: ClassVar[str] = "top12"
    min_seats: ClassVar[int] = 1
    max_seats: ClassVar[int] = 4
    reasons: ClassVar[tuple[str, ...]] = REASONS
    chance_kinds: ClassVar[Mapping[str, bool]] = {"first": False, "roll": False}
    option_list: ClassVar[tuple[Option, ...]] = (Option("first", "choice", "random", ("random", "host")),)

    # positions

    def start(self, players: int, options: Mapping[str, object]) -> Top12State:
        return Top12State(self, players, self.options_for(players, options))

    def restore(self, state: Top12State, data: Mapping[str, Any]) -> None:
        stored.restore(state, data)

    # legality

    def parse(self, text: object) -> notation.Move:
        return notation.parse(text)

    def parse_chance(self, text: object) -> notation.Chance:
        return notation.parse_chance(text)

    def choice(self, view: Top12View) -> Choice:
        return legality.choice_of(view)

    def listed(self, choice: Choice) -> list[str]:
        return legality.listed(choice)

    def judge(self, choice: Choice, move: notation.Move) -> None:
        legality.judge(choice, move)

    def stand_in(self, choice: Choice) -> str:
        return legality.stand_in(choice)

    # texts

    def examples(self) -> tuple[Example, ...]:
        return examples.examples(self.start(2, {}))

    def board_text(self, view: Top12View, names: Sequence[str], say: Say) -> str:
        return text.board_text(view, names, say)

    def unit(self, options: Mapping[str, object]) -> str:
        return "fullest_column"

    def epilogue(self, view: Top12View, names: Sequence[str], say: Say) -> str:
        return text.epilogue(view, names, say)

    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        return text.describe(event, names, say)

    def aside(self, view: Top12View, say: Say) -> str:
        return text.aside(view, say)

    def forced(self, view: Top12View, events: Sequence[Event]) -> Mapping[int, tuple[int, ...]]:
        return text.unable_at(view, events)

    def retell(
        self, view: Top12View, events: Sequence[Event], since: int, names: Sequence[str], say: Say
    ) -> Sequence[Told]:
        return text.retell(view, events, since, say)


GAME: Final = Top12()
