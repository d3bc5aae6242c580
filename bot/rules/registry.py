"""The games that are there, by id."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from .errors import SetupError
from .game import AnyGame

GAME_IDS = ("top12", "fivetotwelve", "zatre", "topominos", "topspot")


@cache
def game(game_id: str, version: int | None = None) -> AnyGame:
    """The game with this id, at a version of its rules (None: the current one). Raises SetupError for an
    unknown id or version."""
    if game_id not in GAME_IDS:
        raise SetupError("unknown_game", given=str(game_id)[:100])
    module = import_module(f".{game_id}", __package__)
    current: AnyGame = module.GAME
    if version is None:
        return current
    for found in current.versions():
        if found.version == version:
            return found
    raise SetupError("unknown_version", given=str(version)[:100], current=current.version)


def games() -> tuple[AnyGame, ...]:
    return tuple(game(game_id) for game_id in GAME_IDS)
