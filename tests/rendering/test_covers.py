"""Every game's cover: what stands above its lobby."""

from __future__ import annotations

import io
from importlib import import_module

import pytest
from PIL import Image

from bot.locale import LANGUAGES, sayer
from bot.rules.registry import GAMES
from rendering.scene import Scene
from rendering.theme import WIDTH

LOW = 300  # pixels: on a phone 150


@pytest.mark.parametrize("game", list(GAMES))
def test_a_cover_is_low_small_and_always_the_same(game: str) -> None:
    module = import_module(GAMES[game].pictures)
    alts = set()
    for language in LANGUAGES:
        scene = Scene((), sayer(language))
        [picture] = module.cover(scene)
        assert picture == module.cover(scene)[0]
        width, height = Image.open(io.BytesIO(picture.png)).size
        assert (width, height <= LOW, len(picture.png) < 16_000) == (WIDTH, True, True)
        assert picture.name == f"{game}-cover.png"
        alts.add(picture.alt)
    assert len(alts) == len(LANGUAGES)
    assert not any("picture" in alt for alt in alts)
