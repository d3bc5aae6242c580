"""Topominos as a `Game`: seats, options, versions, and which part of this package answers what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from ..errors import SetupError
from ..game import Event, Example, Game, Option, OptionValue, Say, Told, Voice
from . import examples, legality, notation, stored, text
from .legality import Choice, choice_of
from .notation import Move
from .pieces import ID
from .state import TopominosState
from .view import TopominosView


class Topominos(Game[TopominosView]):
    """Version 2 finishes the round where nobody can lay while the bag holds pieces; version 1 did not."""

    id: ClassVar[str] = ID
    min_seats: ClassVar[int] = 1
    max_seats: ClassVar[int] = 4
    option_list: ClassVar[tuple[Option, ...]] = (
        Option("rounds", "number", 1),
        Option("target", "number", None),
    )
    hidden_hands: ClassVar[bool] = True
    reasons: ClassVar[tuple[str, ...]] = ("rack empty", "nobody can lay", "all passed")
    chance_kinds: ClassVar[Mapping[str, bool]] = {"lots": False, "draw": True}

    def __init__(self, version: int) -> None:
        self.version = version

    def versions(self) -> tuple[Topominos, ...]:
        return VERSIONS

    def check_options(
        self, players: int, given: Mapping[str, object], full: Mapping[str, OptionValue]
    ) -> None:
        if "rounds" in given and "target" in given:
            raise SetupError("rounds_or_target", game=ID, rule="11")

    def start(self, players: int, options: Mapping[str, object]) -> TopominosState:
        return TopominosState(self, players, self.options_for(players, options))

    def restore(self, state: TopominosState, data: Mapping[str, Any]) -> None:
        stored.restore(state, data)

    # legality

    def parse(self, text: object) -> Move:
        return notation.parse(text)

    def parse_chance(self, text: object) -> tuple[str, tuple[str, ...]]:
        return notation.parse_chance(text)

    def choice(self, view: TopominosView) -> Choice:
        return choice_of(view)

    def listed(self, choice: Choice) -> list[str]:
        return legality.listed(choice)

    def judge(self, choice: Choice, move: Move) -> None:
        legality.judge(choice, move)

    def stand_in(self, choice: Choice) -> str:
        return legality.stand_in(choice)

    def written_example(self, choice: Choice) -> str:
        """A piece that can be laid, where there is one: that a turn can be passed shows nothing."""
        return next((move for move in self.listed(choice) if "@" in move), self.stand_in(choice))

    # texts

    def examples(self) -> tuple[Example, ...]:
        return examples.examples(self.start(2, {}))

    def board_text(self, view: TopominosView, names: Sequence[str], say: Say) -> str:
        return text.board_text(view, names, say)

    def epilogue(self, view: TopominosView, names: Sequence[str], say: Say) -> str:
        return text.epilogue(view, names, say)

    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        return text.describe(event, names, say)

    def address(self, view: TopominosView, move: str, voice: Voice, say: Say) -> str:
        return text.address_end(view, move, voice, say) or super().address(view, move, voice, say)

    def retell(
        self, view: TopominosView, events: Sequence[Event], since: int, names: Sequence[str], say: Say
    ) -> Sequence[Told]:
        return text.retell(view, events, since, say)


VERSIONS: Final = (Topominos(1), Topominos(2))
GAME: Final = VERSIONS[-1]
