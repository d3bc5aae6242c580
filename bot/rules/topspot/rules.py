"""The game itself: seats, options, and where the contract's questions are answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from ..errors import SetupError
from ..game import Event, Example, Game, Option, OptionValue, Say, Told
from . import examples, legality, notation, stored, text
from .legality import Choice
from .notation import Stack
from .state import TopSpotState
from .view import TopSpotView


class TopSpot(Game[TopSpotView]):
    """Top Spot, 3 to 5 seats."""

    id: ClassVar[str] = "topspot"
    min_seats: ClassVar[int] = 3
    max_seats: ClassVar[int] = 5
    hidden_hands: ClassVar[bool] = True
    reasons: ClassVar[tuple[str, ...]] = ("match over",)
    chance_kinds: ClassVar[Mapping[str, bool]] = {"dealer": False, "deal": True}
    option_list: ClassVar[tuple[Option, ...]] = (
        Option("level", "choice", "junior", choices=("junior", "expert")),
        Option("joker_each", "flag", False),
        # one per player unless given
        Option("games", "number", None),
    )

    # options and positions

    def defaults(self, players: int) -> dict[str, OptionValue]:
        return {**super().defaults(players), "games": players}

    def check_options(
        self, players: int, given: Mapping[str, object], full: Mapping[str, OptionValue]
    ) -> None:
        if full["joker_each"] and full["level"] != "expert":
            raise SetupError("joker_each", game=self.id)
        if int(full["games"] or 0) % players:
            raise SetupError("games", game=self.id, given=int(full["games"] or 0))

    def start(self, players: int, options: Mapping[str, object]) -> TopSpotState:
        return TopSpotState(self, players, self.options_for(players, options))

    def restore(self, state: TopSpotState, data: Mapping[str, Any]) -> None:
        stored.restore(state, data)

    # legality

    def parse(self, text: object) -> Stack:
        return notation.parse(text)

    def parse_chance(self, text: object) -> notation.Chance:
        return notation.parse_chance(text)

    def choice(self, view: TopSpotView) -> Choice:
        return legality.choice_of(view)

    def listed(self, choice: Choice) -> list[str]:
        return legality.listed(choice)

    def judge(self, choice: Choice, move: Stack) -> None:
        legality.judge(choice, move)

    def stand_in(self, choice: Choice) -> str:
        return legality.stand_in(choice)

    # texts

    def examples(self) -> tuple[Example, ...]:
        return examples.examples(self.start(3, {}))

    def board_text(self, view: TopSpotView, names: Sequence[str], say: Say) -> str:
        return text.board_text(view, names, say)

    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        return text.describe(event, names, say)

    def aside(self, view: TopSpotView, say: Say) -> str:
        return text.aside(view, say)

    def forced(self, view: TopSpotView, events: Sequence[Event]) -> Mapping[int, tuple[int, ...]]:
        return text.last_cards(events)

    def retell(
        self, view: TopSpotView, events: Sequence[Event], since: int, names: Sequence[str], say: Say
    ) -> Sequence[Told]:
        return text.retell(view, events, since, say)


GAME: Final = TopSpot()
