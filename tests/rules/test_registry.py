"""The register of games."""

from __future__ import annotations

import pytest

from bot.rules.game import Game, SetupError
from bot.rules.registry import GAME_IDS, game, games


def test_every_game_is_found_by_its_id() -> None:
    assert [found.id for found in games()] == list(GAME_IDS)


@pytest.mark.parametrize("rules", games(), ids=GAME_IDS)
def test_a_position_knows_its_game(rules: Game) -> None:
    """A position without its game let `selfplay --play computer` fail for two games."""
    assert rules.start(rules.min_seats, {}).game is rules


@pytest.mark.parametrize("unknown", ["", "chess", "game", "../top12", "Top12"])
def test_an_unknown_game_is_a_clear_error(unknown: str) -> None:
    with pytest.raises(SetupError):
        game(unknown)
