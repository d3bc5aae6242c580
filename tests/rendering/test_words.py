"""What the alt texts of all games have in common."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from bot.rules.registry import GAMES, game

from .helpers import position, scene

LONGEST = 2000  # moves of any game


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", GAMES)
def test_the_end_is_told_without_saying_anything_twice(name: str, language: str) -> None:
    view = position(name, max(2, game(name).min_seats), LONGEST).view(None)
    assert view.outcome is not None
    pictures = import_module(GAMES[name].pictures)
    for picture in pictures.table_pictures(view, scene(view, language)):
        sentences = re.split(r"(?<=[.!?])\s+", picture.alt)
        assert len(sentences) > 2
        assert [one for one in sentences if sentences.count(one) > 1] == []
