"""Zatre's answers to the rules contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..errors import SetupError
from ..game import Event, Example, Game, Option, OptionValue, Say, Told, Voice
from . import examples, text
from .board import Placement
from .layout import remember
from .legality import Turn, greedy_turn, list_turns
from .notation import ID, parse_chance, parse_placements
from .position import REASONS
from .state import ZatreState
from .stored import restore
from .view import ZatreView


class Zatre(Game[ZatreView]):
    """The static facts of Zatre. A move is a whole turn (`parse_placements`), a choice a `Turn`."""

    id = ID
    min_seats = 2
    max_seats = 6
    option_list = (
        Option("laying", "choice", "free", choices=("free", "club")),
        Option("partners", "flag", False),
    )
    hidden_hands = True
    reasons = REASONS
    chance_kinds: ClassVar[Mapping[str, bool]] = {"lots": False, "draw": True}

    def check_options(
        self, players: int, given: Mapping[str, object], full: Mapping[str, OptionValue]
    ) -> None:
        if full["partners"] and players not in (4, 6):
            raise SetupError("partners", game=ID, given=players)

    def sides(self, players: int, options: Mapping[str, object]) -> tuple[tuple[int, ...], ...]:
        if not options.get("partners"):
            return ()
        return tuple(tuple(range(first, min(first + 2, players))) for first in range(0, players, 2))

    def start(self, players: int, options: Mapping[str, object]) -> ZatreState:
        return ZatreState(self, players, self.options_for(players, options))

    def restore(self, state: ZatreState, data: Mapping[str, Any]) -> None:
        restore(state, data)

    # legality

    def parse(self, text: object) -> tuple[Placement, ...]:
        return parse_placements(text)

    def parse_chance(self, text: object) -> tuple[str, tuple[int | None, ...]]:
        return parse_chance(text)

    def choice(self, view: ZatreView) -> Turn:
        return view.to_turn()

    def lists(self, view: ZatreView) -> bool:
        """Whether `legal(view)` can be listed."""
        return view.seat not in view.actors or view.to_turn().listable

    def listed(self, choice: Turn) -> list[str]:
        if not choice.listable:
            raise ValueError("too many tiles held to list the turns")
        return list_turns(choice)

    def judge(self, choice: Turn, move: tuple[Placement, ...]) -> None:
        layout = choice.check(move)
        remember(bytes(layout.tiles), layout)  # for `ZatreState.play`, which mostly asks for it next

    def stand_in(self, choice: Turn) -> str:
        return greedy_turn(choice)

    # texts

    def examples(self) -> tuple[Example, ...]:
        return examples.examples(self.start(2, {}))

    def board_text(self, view: ZatreView, names: Sequence[str], say: Say) -> str:
        return text.board_text(view, names, say)

    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        return text.describe(event, names, say)

    def address(self, view: ZatreView, move: str, voice: Voice, say: Say) -> str:
        return text.address_turn(view, move, voice, say) or super().address(view, move, voice, say)

    def epilogue(self, view: ZatreView, names: Sequence[str], say: Say) -> str:
        return text.epilogue(view, names, say)

    def forced(self, view: ZatreView, events: Sequence[Event]) -> Mapping[int, tuple[int, ...]]:
        return text.undrawn_after(view, events)

    def retell(
        self, view: ZatreView, events: Sequence[Event], since: int, names: Sequence[str], say: Say
    ) -> Sequence[Told]:
        return text.retell(view, events, since, say)


GAME = Zatre()
