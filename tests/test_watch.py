"""What a process knows of how it fares, and the pages on loopback that tell it."""

from __future__ import annotations

import socket
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from bot import backups, watch
from bot.background import Background
from bot.health import LIMITS, Health
from bot.settings import Settings
from bot.tables.ports import Backlog, StoreFailing
from bot.watch import CATCHING_UP, LOOKED, Pages, Watch
from tests.tables.support import START, FakeClock


class FakeStore:
    """Only what is asked here."""

    def __init__(self) -> None:
        self.answer: Backlog | Exception = Backlog()
        self.asked = 0

    async def backlog(self, now: datetime) -> Backlog:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Place:
    def __init__(self, folder: Path, **settings: Any) -> None:
        self.clock, self.store, self.background = FakeClock(), FakeStore(), Background()
        self.settings = Settings(_env_file=None, data_dir=folder, **settings)  # type: ignore[call-arg]
        self.watch = Watch(self.settings, self.clock, self.background)
        self.watch.begin(self.store)  # type: ignore[arg-type]
        self.watch.connected(True)

    async def after(self, time: timedelta) -> Health:
        self.clock.advance(time)
        return await self.watch.health()


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


async def test_all_is_well_where_nothing_waits(tmp_path: Path) -> None:
    place = Place(tmp_path)
    now = await place.watch.health()
    assert now == Health()
    assert now.ready
    assert now.working


async def test_the_store_is_asked_once_a_minute_at_most(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for _ in range(3):
        await place.watch.health()
    assert place.store.asked == 1
    await place.after(LOOKED)
    assert place.store.asked == 2


@pytest.mark.parametrize("name", LIMITS)
async def test_what_waits_longer_than_its_limit_is_late_counted_from_the_start(
    name: str, tmp_path: Path
) -> None:
    """What was left by an outage is given as long as everything else."""
    place = Place(tmp_path)
    place.store.answer = replace(Backlog(), **{name: START - timedelta(days=3)})  # type: ignore[arg-type]
    assert (await place.after(seconds(LIMITS[name]))).working
    now = await place.after(LOOKED)
    assert now.late == {name: LIMITS[name] + LOOKED.total_seconds()}
    assert not now.working


async def test_a_store_in_trouble_does_not_end_the_beat(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.store.answer = StoreFailing()
    assert await place.after(seconds(1)) == Health()


async def test_offline_counts_from_the_moment_that_discord_went(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert (await place.after(seconds(50))).offline == 0
    place.watch.connected(False)
    await place.after(seconds(20))
    place.watch.connected(False)
    now = await place.after(seconds(20))
    assert now.offline == 40
    assert not now.ready
    place.watch.connected(True)
    assert (await place.watch.health()).ready


async def test_a_shard_that_comes_hides_no_other_that_has_gone(tmp_path: Path) -> None:
    """discord.py tells each connection for itself, and with its shard."""
    place = Place(tmp_path)

    def told(now_is: bool, shard: int) -> None:
        place.watch.connected(now_is)
        place.watch.connected(now_is, shard)

    told(True, 0)
    told(True, 1)
    assert place.watch.offline == 0
    told(False, 0)
    place.clock.advance(seconds(30))
    told(False, 1)
    told(True, 1)
    assert place.watch.offline == 30
    told(True, 0)
    assert place.watch.offline == 0


async def test_a_backup_that_is_wanted_and_too_old_or_missing_is_late(tmp_path: Path) -> None:
    place = Place(tmp_path, parlour_backups="hourly:3")
    assert (await place.after(CATCHING_UP)).working
    assert (await place.after(timedelta(hours=1))).late == {"backup": None}
    folder = place.settings.backup_folder
    folder.mkdir()
    (folder / backups.name(place.clock.now())).touch()
    assert (await place.after(LOOKED)).working
    assert (await place.after(timedelta(hours=3))).late == {"backup": 3 * 3600.0 + LOOKED.total_seconds()}
    assert place.watch.backup_late
    other = Place(tmp_path, parlour_backups="hourly:3", shard_count=2, shard_ids=(1,))
    assert (await other.after(timedelta(days=30))).working
    unwanted = Place(tmp_path)
    assert (await unwanted.after(timedelta(days=30))).working


def pages(place: Place, port: int = 1) -> Pages:
    return Pages(place.watch, port, lambda: (b"parlour_up 1\n", "text/plain; version=0.0.4"))


async def test_the_pages_tell_alive_ready_and_working(tmp_path: Path) -> None:
    place = Place(tmp_path)

    async def asked(client: Any, path: str) -> tuple[int, Any]:
        async with client.get(path) as answer:
            return answer.status, await answer.json()

    async with TestClient(TestServer(pages(place).application())) as client:
        assert await asked(client, "/livez") == (200, {"alive": True})
        assert await asked(client, "/readyz") == (200, {"ready": True})
        status, told = await asked(client, "/healthz")
        assert (status, told["working"], told["dead"], told["late_seconds"]) == (200, True, [], {})
        async with client.get("/metrics") as answer:
            assert await answer.text() == "parlour_up 1\n"
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        place.watch.connected(False)
        place.store.answer = Backlog(unpainted=START)
        place.clock.advance(seconds(LIMITS["unpainted"] + 60))
        assert await asked(client, "/livez") == (200, {"alive": True})
        assert (await asked(client, "/readyz"))[0] == 503
        status, told = await asked(client, "/healthz")
        assert (status, told["ready"], told["working"]) == (503, False, False)
        assert told["late_seconds"] == {"unpainted": 3660}


async def test_the_pages_are_on_loopback_and_wait_for_a_port_that_is_taken(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert watch.HOST == "127.0.0.1"
    with socket.socket() as other:
        other.bind((watch.HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        made = pages(Place(tmp_path), port)
        assert await made.open() == watch.AGAIN
        assert await made.open() == watch.AGAIN
        assert caplog.text.count("cannot be opened") == 1
    assert await made.open() is None
    await made.close()
    await made.close()
