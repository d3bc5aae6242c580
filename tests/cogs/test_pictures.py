"""Pictures are drawn once for what they show, and nobody gets one that was drawn from another's view."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.locale import sayer
from bot.rules.game import AnyState, View, advance, play
from bot.rules.registry import GAME_IDS
from bot.rules.registry import game as rules_of
from bot.shared import Shared
from bot.tables.model import SeatKind, Table
from bot.tables.names import AUTOMATIC
from cogs.delivery.pictures import Pictures
from rendering.scene import Picture, Scene, short_name
from tests.on_the_spot import drawn_here
from tests.tables.support import ADA, BEN, Rig, open_rig

EN, DE = sayer("en"), sayer("de")


class Drawn(list[tuple[View, Scene]]):
    """What was drawn. gate: nothing is, until it is set. broken: nothing can be."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.broken = False

    def draw(self, view: View, scene: Scene) -> tuple[Picture, ...]:
        self.gate.wait(10)
        self.append((view, scene))
        if self.broken:
            raise RuntimeError("no ink")
        return (Picture("picture.png", f"{len(self)}".encode(), ""),)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    found = Drawn()
    for name in ("table_pictures", "hand_pictures"):
        monkeypatch.setattr(import_module("rendering.fivetotwelve"), name, found.draw)
    return found


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with open_rig(tmp_path / "parlour.db") as opened:
        yield opened


@pytest.fixture
def pictures() -> Iterator[Pictures]:
    made = Pictures(drawn_here)
    yield made
    made.close()


async def a_table(rig: Rig) -> tuple[Table, View]:
    table = await rig.started(ADA, BEN)
    view = (await rig.tables.view(table.id, ADA.id)).view
    assert view is not None
    return table, view


async def test_a_picture_is_drawn_once_for_what_it_shows(rig: Rig, drawn: Drawn, pictures: Pictures) -> None:
    table, view = await a_table(rig)
    drawn.gate.clear()
    both = [
        asyncio.create_task(pictures.of_hand(table, view, EN, theme="dark", draft="A1")) for _ in range(2)
    ]
    await asyncio.sleep(0)
    drawn.gate.set()
    first, second = await asyncio.gather(*both)
    later = (await rig.tables.view(table.id, ADA.id)).view  # a new value, equal to the one before
    assert later is not None and later is not view
    assert first == second == await pictures.of_hand(table, later, EN, theme="dark", draft="A1")
    assert len(drawn) == 1


async def test_whatever_a_picture_depends_on_makes_another_of_it(
    rig: Rig, drawn: Drawn, pictures: Pictures
) -> None:
    table, view = await a_table(rig)
    other = (await rig.tables.view(table.id, BEN.id)).view
    assert other is not None
    renamed = replace(table, seats=(replace(table.seats[0], name="Ada L."), table.seats[1]))
    shown = [
        await pictures.of_hand(table, view, EN, theme="dark"),
        await pictures.of_hand(table, view, DE, theme="dark"),
        await pictures.of_hand(table, view, EN, theme="dark", draft="A1"),
        await pictures.of_hand(table, view, EN, theme="dark", targets=("A1",)),
        await pictures.of_hand(table, view, EN, theme="light"),
        await pictures.of_hand(renamed, view, EN, theme="dark"),
        await pictures.of_hand(table, other, EN, theme="dark"),
        await pictures.of_table(table, view, EN, theme="dark"),
    ]
    assert len(set(shown)) == len(shown) == len(drawn)


async def test_pictures_shorten_whole_names(rig: Rig, drawn: Drawn, pictures: Pictures) -> None:
    """Not what is left of one where it stands in text."""
    table, view = await a_table(rig)
    long = "Maximilian-Alexander von und zu Hohenlohe"
    seats = tuple(replace(seat, name=long) for seat in table.seats)
    table = replace(table, seats=(seats[0], replace(seats[1], kind=SeatKind.STAND_IN)))
    await pictures.of_table(table, view, EN, theme="dark")
    await pictures.of_hand(table, view, EN, theme="dark")
    assert [scene.names for _, scene in drawn] == [(long, f"{AUTOMATIC} {long}")] * 2
    assert short_name(long) == "Maximilian-Ale…Hohenlohe"


async def test_one_that_fails_is_tried_again(
    rig: Rig, drawn: Drawn, pictures: Pictures, caplog: pytest.LogCaptureFixture
) -> None:
    table, view = await a_table(rig)
    drawn.broken = True
    assert await pictures.of_hand(table, view, EN, theme="dark") == ()
    assert f"a picture of table {table.id} could not be drawn" in caplog.text
    drawn.broken = False
    assert len(await pictures.of_hand(table, view, EN, theme="dark")) == 1


async def test_who_gives_up_waiting_takes_the_picture_from_nobody(
    rig: Rig, drawn: Drawn, pictures: Pictures
) -> None:
    table, view = await a_table(rig)
    drawn.gate.clear()
    gone, stays = (asyncio.create_task(pictures.of_hand(table, view, EN, theme="dark")) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.sleep(0)
    drawn.gate.set()
    assert len(await stays) == 1
    assert gone.cancelled()
    assert len(drawn) == 1


async def test_only_so_many_are_kept(rig: Rig, drawn: Drawn, pictures: Pictures) -> None:
    table, view = await a_table(rig)
    pictures._drawn = Shared(2)
    for draft in ("a", "b", "c", "c", "a"):
        await pictures.of_hand(table, view, EN, theme="dark", draft=draft)
    assert [scene.draft for _, scene in drawn] == ["a", "b", "c", "a"]


def positions(game_id: str, seats: int, moves: int) -> Iterator[AnyState]:
    """Of a random game."""
    game, random = rules_of(game_id), Random(f"pictures {game_id}")
    state = game.start(seats, {})
    count = len(advance(state, "pictures", 0))
    for _ in range(moves):
        yield state
        if not (actors := state.actors()):
            return
        seat = random.choice(actors)
        count += len(play(state, "pictures", count, seat, state.stand_in(seat)))


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_no_two_seats_ever_have_the_same_view(game_id: str) -> None:
    """The view is part of what a picture is kept under. Were two equal, one could get the other's."""
    seats = rules_of(game_id).max_seats
    for state in positions(game_id, seats, 25):
        views: set[Any] = {state.view(seat) for seat in (None, *range(seats))}
        assert len(views) == seats + 1


async def test_a_hand_that_stays_as_it_is_is_neither_drawn_nor_sent(make_sim: Any) -> None:
    sim = await make_sim()
    result = await sim.ada.slash(sim.channel, "topominos new", players=3)
    lobby = result.response.message
    for person in (sim.ben, sim.cleo):
        await person.click(sim.fresh(lobby), label="Join")
    table = await sim.table(lobby)
    await sim.ada.click(sim.fresh(lobby), label="Start")
    table = await sim.bot.tables.table(table.id)
    hands = {(seat.hand_channel, seat.hand_message) for seat in table.seats}
    assert len(hands) == 3

    asked: list[View] = []
    services = sim.bot.services
    real = services.pictures.of_hand

    async def of_hand(*given: Any, **more: Any) -> Any:
        asked.append(given[1])
        return await real(*given, **more)

    services.pictures.of_hand = of_hand
    edits = len(sim.requests("PATCH"))
    with sim.env._bot_scope():
        services.repaints.refresh(table.id)
    await sim.env.settle()
    assert asked == []
    changed = [path for path in map(str, sim.requests("PATCH")[edits:]) if "messages" in path]
    assert len(changed) == 1, "the public board alone"
