"""The games that are there, by id."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from .game import Game, SetupError

GAME_IDS = ("top12", "fivetotwelve", "zatre", "topominos", "topspot")


@cache
def game(game_id: str) -> Game:
    """The game with this id. Raises SetupError for an unknown one."""
    if game_id not in GAME_IDS:
        raise SetupError("unknown_game", given=str(game_id)[:100])
    module = import_module(f".{game_id}", __package__)
    found: Game = module.GAME
    return found


def games() -> tuple[Game, ...]:
    return tuple(game(game_id) for game_id in GAME_IDS)
