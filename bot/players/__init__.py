"""Computer players: rules views in, moves out.

A player is a module per game with `choose(view, chance) -> move`; `bot/rules/registry.py` says which. It
sees what its seat sees and nothing else, and its chance is of a seed of its own (`child_seed`), which tells
nothing of the table's. It is slow enough (some hundred milliseconds at most) that callers run it off the
event loop.
"""

from __future__ import annotations

from importlib import import_module

from bot.rules.chance import Generator
from bot.rules.game import View
from bot.rules.registry import GAMES


def choose(game_id: str, view: View, chance: Generator) -> str:
    """A legal move, in canonical text, for the seat of `view`, which must be one that may act."""
    module = import_module(GAMES[game_id].players)
    move: str = module.choose(view, chance)
    return move
