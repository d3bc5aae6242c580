"""Games as computers play them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.levels import Level
from bot.players import choose
from bot.rules.chance import Generator
from bot.rules.game import Event
from bot.rules.registry import game


def ordinary(name: str, players: int, options: Mapping[str, Any], seed: str) -> Iterator[Any]:
    """Every position with a decision of a game that easy and medium play."""
    state, chance = game(name).start(players, options), Generator(seed, "ordinary")
    while state.outcome() is None:
        if state.chance_due():
            state.apply(state.draw(chance))
            continue
        seat = state.actors()[0]
        yield state
        level = chance.choice((Level.EASY, Level.MEDIUM))
        state.apply(Event("move", choose(name, state.view(seat), chance, level), seat))
