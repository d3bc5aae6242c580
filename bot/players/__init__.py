"""Computer players: rules views in, moves out.

Each game has one (`bot/rules/registry.py` says where), whose contract is `bot/players/contract.py`. It sees
what its seat sees and nothing else, and its chance is of a seed of its own (`child_seed`), which tells
nothing of the table's. It is slow enough (some hundred milliseconds on average, two seconds at most) that
callers run it off the event loop.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from importlib import import_module
from random import Random
from typing import Any

from bot.levels import Level
from bot.rules.chance import Generator, child_seed
from bot.rules.game import View
from bot.rules.registry import GAMES, game

from . import strengths
from .contract import Advice, Player

SEEDS = 1 << 64


def player_of(game_id: str) -> Player[Any]:
    """The computer player of a game."""
    player: Player[Any] = import_module(GAMES[game_id].players).PLAYER
    return player


def choose(game_id: str, view: View, chance: Generator, level: Level | str = Level.MEDIUM) -> str:
    """A legal move, in canonical text, for the seat of `view`, which must be one that may act. level: a name
    will do."""
    return strengths.choose(player_of(game_id), view, Random(chance.below(SEEDS)), Level(level)).move


def chance_of(seed: str, view: View) -> Generator:
    """The chance of a hint in that position, so that whoever looks back on it later finds the same. seed: the
    table's child for both."""
    return Generator(child_seed(seed, f"{view.seat}:{position_of(view)}"), "choice")


def position_of(view: View) -> str:
    """Names the position among those of a seat."""
    return hashlib.sha256(repr(view).encode()).hexdigest()[:12]


def advise(game_id: str, view: View, chance: Generator) -> Advice:
    """What to do on the seat of `view`, which must be one that may act, and why. From the view alone, and the
    same for the same view and chance."""
    player = player_of(game_id)
    found = strengths.advise(player, view, Random(chance.below(SEEDS)))
    few = len(player.candidates(view)) == 1  # else there is no need to list what is legal
    return replace(found, only=few and _is_only(game_id, view))


def _is_only(game_id: str, view: View) -> bool:
    try:
        return len(game(game_id).legal(view)) == 1
    except ValueError:  # too many to be listed
        return False
