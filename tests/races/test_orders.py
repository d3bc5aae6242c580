"""More than a thousand orders in which calls to Discord take effect and are answered, people acting too.

In none of them does anybody see a hand that is not theirs, and whenever everything has come to rest each
table has one live lobby or board, each person one hand, nobody who left has any, and the store knows them
all. A failing order is printed whole; its seed tells it again.
"""

from __future__ import annotations

import pytest

from . import stories
from .world import Latency, Order, Story, World, tell

QUICK = 3
MANY = 160  # of each story: more than a thousand
PART = 40
STORIES = (
    stories.lobby_race,
    stories.seat_race,
    stories.seat_changes_hands,
    stories.hands_pressed,
    stories.panels_pressed,
    stories.coming_and_going,
    stories.walk,
)
GAMES = ("topspot", "topominos", "zatre", "top12", "fivetotwelve")


def explore(story: Story, seeds: range, games: tuple[str, ...] = ("topspot",)) -> None:
    for seed in seeds:
        order = Order(seed)
        right(tell(story, order, games[seed % len(games)]), order)


def right(world: World, order: Order) -> None:
    if world.faults:
        told = " | ".join(order.log)
        raise AssertionError("\n".join([f"{world.game}, order {order.seed}:", *world.faults, told]))


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_whatever_the_order(story: Story) -> None:
    explore(story, range(QUICK))


@pytest.mark.long
@pytest.mark.parametrize("first", range(QUICK, QUICK + MANY, PART))
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_whatever_the_order_again_and_again(story: Story, first: int) -> None:
    explore(story, range(first, first + PART), GAMES if story is stories.walk else GAMES[:1])


@pytest.mark.long
def test_a_game_while_every_call_takes_up_to_a_second() -> None:
    order = Latency(0)
    right(tell(stories.long_game, order, "topominos"), order)


@pytest.mark.long
@pytest.mark.parametrize("seed", (1, 2))
@pytest.mark.parametrize("game", GAMES)
def test_games_while_every_call_takes_up_to_a_second(game: str, seed: int) -> None:
    order = Latency(seed)
    right(tell(stories.long_game, order, game), order)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_no_picture_and_no_text_of_a_hand_reaches_anybody_else(game: str) -> None:
    """As drawn and told: every file and every word that reached somebody, against all hands there were."""
    order = Latency(100)
    world = tell(stories.long_game, order, game, real=True)
    right(world, order)
    assert world.compared > 50 or not world.whose


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_nor_does_any_in_a_game_to_its_end(game: str) -> None:
    order = Latency(200)
    world = tell(stories.finished_game, order, game, real=True)
    right(world, order)
    assert world.compared > 50 or not world.whose
