"""The examples in the rules are true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import bot.rules
from bot.rules.registry import GAMES

FOLDER = Path(bot.rules.__file__).parent


def modules() -> list[str]:
    """Every module of the rules with an example."""
    return [
        ".".join(["bot.rules", *path.relative_to(FOLDER).with_suffix("").parts]).removesuffix(".__init__")
        for path in sorted(FOLDER.rglob("*.py"))
        if ">>> " in path.read_text("utf-8")
    ]


@pytest.mark.parametrize("name", modules())
def test_the_examples_of_a_module_are_true(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.attempted > 0
    assert found.failed == 0


def test_every_game_begins_with_an_example() -> None:
    assert {parts.rules for parts in GAMES.values()} <= set(modules())
