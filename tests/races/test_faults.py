"""One call of a game goes wrong: its connection breaks before it arrives, its answer is lost, the process is
killed before or after it. Once the table has changed again there is one live board or lobby and one hand
each, no old ping is left, and every acknowledged move is stored once.

Every call of a game that posts, edits or deletes is struck, each in a game of its own; of two more
games every third.
"""

from __future__ import annotations

from functools import cache

import pytest

from . import stories
from .test_orders import right
from .world import Plan, Prompt, World, tell

KINDS = ("unsent", "lost", "kill before", "kill after")
GAMES = {"topominos": 1, "topspot": 3, "fivetotwelve": 3}  # every how many-th call
PARTS = 2
SAMPLE = {
    "topominos": (1, 20, 21, 28),
    "fivetotwelve": (5,),
}  # calls of the lobby, the thread, the board, a hand


@cache
def calls(game: str) -> int:
    """How many calls of the undisturbed game write."""
    order = Prompt()
    world = tell(stories.whole_game, order, game)
    right(world, order)
    return world.writing


def struck(game: str, number: int, kind: str) -> None:
    async def story(world: World) -> None:
        world.plan = Plan(number, kind)
        await stories.whole_game(world)

    order = Prompt()
    world = tell(story, order, game)
    assert world.struck
    right(world, order)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("game", SAMPLE)
def test_some_call_goes_wrong(game: str, kind: str) -> None:
    for number in SAMPLE[game]:
        struck(game, number, kind)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("game", GAMES)
def test_any_call_goes_wrong(game: str, kind: str, part: int) -> None:
    every = range(1, calls(game) + 1, GAMES[game])
    for number in every[part::PARTS]:
        struck(game, number, kind)
