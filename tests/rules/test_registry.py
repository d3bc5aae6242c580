"""The register of games."""

from __future__ import annotations

import pytest

from bot.rules.errors import SetupError
from bot.rules.game import Game
from bot.rules.registry import GAME_IDS, game, games


def test_every_game_is_found_by_its_id() -> None:
    assert [found.id for found in games()] == list(GAME_IDS)
    assert list(GAME_IDS)[:5] == ["top12", "fivetotwelve", "zatre", "topominos", "topspot"]


@pytest.mark.parametrize("rules", games(), ids=GAME_IDS)
def test_a_position_knows_its_game(rules: Game) -> None:
    """A position without its game let `selfplay --play computer` fail for two games."""
    assert rules.start(rules.min_seats, {}).game is rules


@pytest.mark.parametrize("rules", games(), ids=GAME_IDS)
def test_every_version_is_found_and_the_newest_is_the_current_one(rules: Game) -> None:
    numbers = [each.version for each in rules.versions()]
    assert numbers == list(range(1, rules.version + 1))
    assert rules.versions()[-1] is rules is game(rules.id)
    for number, each in zip(numbers, rules.versions(), strict=True):
        assert game(rules.id, number) is each
        state = each.start(each.min_seats, {})
        assert state.game is each
        assert state.clone().game is each
        assert each.load(state.to_json()).game is each
    for unknown in (0, rules.version + 1, -1):
        with pytest.raises(SetupError):
            game(rules.id, unknown)


@pytest.mark.parametrize("unknown", ["", "chess", "game", "../top12", "Top12"])
def test_an_unknown_game_is_a_clear_error(unknown: str) -> None:
    with pytest.raises(SetupError):
        game(unknown)
