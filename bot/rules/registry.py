"""The games that are there, by id, and where the parts of each are.

One table, `GAMES`, of which everything else asks. A game that lives elsewhere is added to it like those here,
before the bot is made:

    GAMES["chess"] = Parts(rules="mine.rules", players="mine.players", …)

Parts are named, not imported: each is loaded by who needs it, and the rules go on knowing nothing but the
standard library.
"""

from __future__ import annotations

from collections.abc import KeysView
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Final

from .errors import SetupError
from .game import AnyGame


@dataclass(frozen=True, slots=True)
class Parts:
    """The five parts of one game, each the name of a module or package.

    rules: its `GAME`, what is legal (the contract is `bot/rules/game.py`).
    players: its `PLAYER`, the computer player (the contract is `bot/players/contract.py`).
    pictures: `table_pictures(view, scene)`, `hand_pictures(view, scene)` and `cover(scene)`.
    cog: an extension of discord.py with the game's `GameCog`.
    texts: a package with a folder for each language; the `.po` files in it are read.
    """

    rules: str
    players: str
    pictures: str
    cog: str
    texts: str


def _here(game_id: str) -> Parts:
    return Parts(
        rules=f"bot.rules.{game_id}",
        players=f"bot.players.{game_id}",
        pictures=f"rendering.{game_id}",
        cog=f"cogs.{game_id}",
        texts="bot.locale",
    )


GAMES: Final[dict[str, Parts]] = {
    game_id: _here(game_id) for game_id in ("top12", "fivetotwelve", "zatre", "topominos", "topspot")
}
GAME_IDS: Final[KeysView[str]] = GAMES.keys()
"""Ids in the order in which games are told; what is added to `GAMES` is in it."""


def game(game_id: str, version: int | None = None) -> AnyGame:
    """The game with this id, at a version of its rules (None: the current one). Raises SetupError for an
    unknown id or version."""
    if game_id not in GAMES:
        raise SetupError("unknown_game", given=str(game_id)[:100])
    return _at(GAMES[game_id].rules, version)


@cache
def _at(module: str, version: int | None) -> AnyGame:
    current: AnyGame = import_module(module).GAME
    if version is None:
        return current
    for found in current.versions():
        if found.version == version:
            return found
    raise SetupError("unknown_version", given=str(version)[:100], current=current.version)


def games() -> tuple[AnyGame, ...]:
    return tuple(game(game_id) for game_id in GAME_IDS)
