"""`GAME`: 5 vor 12 as the contract has it (`bot/rules/game.py`). Seats, options and reasons stand here; each
question is answered by the module of its concern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..game import Event, Example, Fuller, Game, Option, Say, Told, Voice
from . import examples, legality, notation, stored, text
from .board import ID
from .state import FiveState
from .view import FiveView


class FiveToTwelve(Game[FiveView]):
    """5 vor 12. Options: `series` (rule 6), `first`, `setup`, `bruno`; see the game's page."""

    id = ID
    min_seats = 2
    max_seats = 4
    option_list = (
        Option("series", "flag", False),
        Option("first", "choice", "random", choices=("random", "host")),
        Option("setup", "choice", "one-by-one", choices=("one-by-one", "free", "sorted")),
        Option("bruno", "flag", False),
    )
    reasons: ClassVar[tuple[str, ...]] = ("board full", "stock empty", "series over")
    chance_kinds: ClassVar[Mapping[str, bool]] = {"first": False, "deal": True, "reveal": False}

    def start(self, players: int, options: Mapping[str, object]) -> FiveState:
        return FiveState(self, players, self.options_for(players, options))

    def restore(self, state: FiveState, data: Mapping[str, Any]) -> None:
        stored.restore(state, data)

    # Notation and legality: the functions themselves, for a method that only hands on would cost each move.

    parse = staticmethod(notation.parse)
    parse_chance = staticmethod(notation.parse_chance)
    choice = staticmethod(legality.choice_of)
    listed = staticmethod(legality.listed)
    judge = staticmethod(legality.judge)
    stand_in = staticmethod(legality.stand_in)

    # words

    def examples(self) -> tuple[Example, ...]:
        return examples.examples(self.start(2, {}))

    def board_text(self, view: FiveView, names: Sequence[str], say: Say) -> str:
        return text.board_text(view, self.option_list, names, say)

    def unit(self, options: Mapping[str, object]) -> str:
        return "points" if options.get("series") else "cells"

    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        return text.describe(event, names, say)

    def address(self, view: FiveView, move: str, voice: Voice, say: Say) -> str:
        return text.address_known(view, move, voice, say) or super().address(view, move, voice, say)

    def fuller(self, view: FiveView, events: Sequence[Event]) -> Mapping[int, Fuller]:
        return text.fuller(view, events)

    def retell(
        self, view: FiveView, events: Sequence[Event], since: int, names: Sequence[str], say: Say
    ) -> Sequence[Told]:
        return text.retell(view, events, since, say)


GAME = FiveToTwelve()
