"""Pictures are drawn in processes of their own, as this one would, and a killed one costs none of them."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from bot.drawing import BEHIND, Drawers
from bot.locale import LANGUAGES, sayer
from bot.rules.chance import Generator
from bot.rules.game import View
from bot.rules.registry import GAME_IDS, GAMES, game
from bot.workers import Interrupted
from rendering.examples import example_pictures
from rendering.scene import Picture, Scene
from rendering.theme import DARK, THEMES, Theme
from tests.sweeps import swept

NAMES = ("Ada", "Ben", "Cleo")


@pytest.fixture(scope="module")
def shared() -> Iterator[Drawers]:
    made = Drawers(1)
    yield made
    made.close()


@pytest.fixture
def drawers() -> Iterator[Drawers]:
    made = Drawers(1)
    yield made
    made.close()


def view_of(game_id: str, seat: int | None) -> View:
    state = game(game_id).start(3, {})
    for number in range(1000):
        if not state.chance_due():
            break
        state.apply(state.draw(Generator("drawing", f"{number}")))
    return state.view(seat)


@pytest.mark.parametrize("language", swept(LANGUAGES, daily=("de",)))
@pytest.mark.parametrize("game_id", swept(GAME_IDS, daily=("fivetotwelve", "topspot")))
async def test_a_process_draws_as_this_one_does(shared: Drawers, game_id: str, language: str) -> None:
    module, say = GAMES[game_id].pictures, sayer(language)
    scene = Scene(NAMES, say)
    wanted: list[tuple[str, tuple[Any, ...]]] = [
        ("table_pictures", (view_of(game_id, None), scene)),
        ("hand_pictures", (view_of(game_id, 1), scene)),
        ("cover", (Scene((), say),)),
    ]
    for function, given in wanted:
        here = getattr(import_module(module), function)(*given)
        assert await shared.draw(module, function, *given) == here
    there = await shared.draw("rendering.examples", "example_pictures", game_id, say, DARK)
    assert there == example_pictures(game_id, say, DARK)


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_a_theme_is_itself_in_every_process(theme: Theme) -> None:
    """What is kept of a drawing is kept by its theme: were each a new one, nothing would be found again, and
    a process would keep all that it ever drew."""
    assert pickle.loads(pickle.dumps(theme)) is theme
    other = replace(theme, rim=9)
    there = pickle.loads(pickle.dumps(other))
    assert (there.name, there.rgb, there.rim) == (theme.name, theme.rgb, 9)


async def test_it_lets_the_event_loop_go_first_and_is_begun_before_it_is_needed(drawers: Drawers) -> None:
    drawers.begin()
    drawers.begin()
    [process] = processes(drawers)
    await cover(drawers)
    assert os.getpriority(os.PRIO_PROCESS, process) >= BEHIND
    assert processes(drawers) == [process]


async def test_one_that_is_killed_costs_no_picture(
    drawers: Drawers, caplog: pytest.LogCaptureFixture
) -> None:
    drawn = await cover(drawers)
    [process] = processes(drawers)
    os.kill(process, signal.SIGKILL)
    assert await cover(drawers) == drawn
    assert "a process for pictures was killed" in caplog.text
    assert await cover(drawers) == drawn
    assert processes(drawers) != [process]


async def test_what_cannot_be_drawn_is_told_here_and_ends_no_process(drawers: Drawers) -> None:
    await cover(drawers)
    before = processes(drawers)
    with pytest.raises(AttributeError):
        await drawers.draw(GAMES["top12"].pictures, "cover", None)
    assert processes(drawers) == before


async def test_what_was_drawn_is_told_with_what_it_took(drawers: Drawers) -> None:
    told: list[tuple[str, int, float]] = []
    drawers.observe = lambda *one: told.append(one)
    drawn = await cover(drawers)
    [(function, pictures, seconds)] = told
    assert (function, pictures) == ("cover", len(drawn))
    assert seconds > 0


async def test_at_the_end_nothing_is_drawn_any_more(drawers: Drawers) -> None:
    await cover(drawers)
    drawers.close()
    drawers.close()
    with pytest.raises(Interrupted):
        await cover(drawers)
    drawers.begin()  # which is too late, and no fault
    assert drawers._workers._pool is None


async def cover(drawers: Drawers) -> tuple[Picture, ...]:
    return await drawers.draw(GAMES["top12"].pictures, "cover", Scene((), sayer("en")))


def processes(drawers: Drawers) -> list[int]:
    pool = drawers._workers._pool
    assert pool is not None
    return list(pool._processes)
