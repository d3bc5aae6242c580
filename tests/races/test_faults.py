"""One call of a game goes wrong: its connection breaks before it arrives, its answer is lost, the process is
killed before or after it. Once the table has changed again there is one live board or lobby and one hand
each, no old ping is left, and every acknowledged move is stored once.

Of the calls of a game that post, edit or delete every one is struck, each in a game of its own; of the other
games, and of one that is played to its final scores, every third.
"""

from __future__ import annotations

from functools import cache

import pytest

from bot.tables.model import Ending
from tests.sweeps import swept

from . import stories
from .test_orders import right
from .world import Plan, Prompt, Story, World, tell

KINDS = ("unsent", "lost", "kill before", "kill after")
GAMES = {"topominos": 1, "topspot": 3, "zatre": 3, "top12": 3, "fivetotwelve": 3}  # every how many-th call
TO_THE_END = {"fivetotwelve": 3}  # the shortest
PARTS = 2
SAMPLE = {
    "topominos": (1, 20, 21, 28),
    "fivetotwelve": (5,),
}  # calls of the lobby, the thread, the board, a hand


@cache
def calls(whole: Story, game: str) -> int:
    """How many calls of the undisturbed game write."""
    order = Prompt()
    world = tell(whole, order, game)
    right(world, order)
    if whole is stories.whole_game_to_its_end:
        assert next(iter(world.tables.values())).ending == Ending.FINISHED
    return world.writing


def struck(whole: Story, game: str, number: int, kind: str) -> None:
    async def story(world: World) -> None:
        world.plan = Plan(number, kind)
        await whole(world)

    order = Prompt()
    world = tell(story, order, game)
    assert world.struck
    right(world, order)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("game", swept(SAMPLE, daily=("fivetotwelve",)))
def test_some_call_goes_wrong(game: str, kind: str) -> None:
    for number in SAMPLE[game]:
        struck(stories.whole_game, game, number, kind)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("whole", "game", "each"),
    [
        *((stories.whole_game, game, each) for game, each in GAMES.items()),
        *((stories.whole_game_to_its_end, game, each) for game, each in TO_THE_END.items()),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_any_call_goes_wrong(whole: Story, game: str, each: int, kind: str, part: int) -> None:
    every = range(1, calls(whole, game) + 1, each)
    for number in every[part::PARTS]:
        struck(whole, game, number, kind)
