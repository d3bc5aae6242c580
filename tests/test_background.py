"""Background work: whatever fails is logged, runs again after a pause, and is told by the health check while
it goes on failing."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import discord
import pytest
from sqlalchemy.exc import OperationalError

from bot import client, playground
from bot.background import DEAD, STUCK, Background
from bot.discord_io import Failed, Why
from bot.health import BEAT, main
from bot.tables.model import Change, ClockRule, Person, Table
from bot.tables.scheduler import RETRY
from tests.cogs.sim import Sim
from tests.sweeps import swept

PAUSES = (100.0, 200.0, 300.0)  # longer than simcord waits by itself for what comes later
MakeSim = Callable[..., Awaitable[Sim]]


class _Response:
    status, reason = 503, "Service Unavailable"


ERRORS = {
    "reset": ConnectionResetError(104, "Connection reset by peer"),
    "locked": OperationalError("UPDATE", None, sqlite3.OperationalError("database is locked")),
    "503": discord.DiscordServerError(_Response(), "upstream"),
}


@pytest.fixture(autouse=True)
def _long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.background.PAUSES", PAUSES)
    monkeypatch.setattr(client, "BEAT_SECONDS", 1000.0)


@dataclass
class Case:
    """kind: of the job. where, name: what of it fails. begin: what starts it."""

    kind: str
    where: Any
    name: str
    begin: Callable[[], Any]


async def case(sim: Sim, job: str, table: Table) -> Case:
    bot = sim.bot
    painter, repaints, tables = bot.services.painter, bot.services.repaints, bot.tables
    assert bot._scheduler is not None
    assert bot._computers is not None

    def change(kind: str) -> Change:
        return Change(table, None, (), (), (), kind, None)

    match job:
        case "sweep":
            return Case("sweep", repaints, "sweep", bot._look_again)
        case "clock":
            return Case("clock", bot._scheduler, "run_due", bot._scheduler.start)
        case "computers' start":
            return Case("computers", tables, "automatic_due", bot.on_ready)
        case "computers":
            return Case("computers", bot._computers, "_step", partial(bot._computers._begin, table.id))
        case "paint":
            return Case("paint", repaints, "_paint", partial(repaints.mark, table.id))
        case "aside":
            return Case("aside", painter._notices, "tell_owner", partial(painter.changed, change("aside")))
        case "members":
            return Case("members", painter, "_who_is_here", partial(painter.changed, change("remind")))
        case "left":
            gone = Failed(Why.CLOSED, 50278)
            return Case(
                "left", bot.services.io, "is_member", partial(bot.services.direct.failed, 1, sim.ada.id, gone)
            )
    bot.watch.connected(True)
    beat = partial(bot.background.spawn, "beat", partial(client._beat, bot))
    return Case("beat", client, "leave_beat", beat)


JOBS = ("sweep", "clock", "computers' start", "computers", "paint", "aside", "members", "left", "beat")


@pytest.mark.parametrize("job", swept(JOBS, daily=("sweep", "clock", "paint")))
async def test_a_job_that_fails_runs_again_and_is_dead_only_while_it_goes_on_failing(
    job: str, make_sim: MakeSim, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sim = await make_sim()
    sim.faults_expected = True
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    it = await case(sim, job, table)
    background = sim.bot.background
    for error in ERRORS.values():
        for failures in (1, DEAD):
            caplog.clear()
            with monkeypatch.context() as context:
                fails = Failing(getattr(it.where, it.name), error, failures)
                context.setattr(it.where, it.name, fails.replaced())
                with sim.env._bot_scope():
                    begun = it.begin()
                    if asyncio.iscoroutine(begun):
                        await begun
                for number in range(failures):
                    await sim.env.settle()
                    assert fails.ran == number + 1
                    assert background.dead() == ([it.kind] if number + 1 >= DEAD else [])
                    await sim.env.advance_time(PAUSES[number])
                await sim.env.settle()
                assert fails.ran > failures, "it goes on"
            assert background.dead() == []
            told = [record for record in caplog.records if record.levelno >= logging.ERROR]
            assert len(told) == failures
            assert all(f"background work {it.kind}" in record.getMessage() for record in told)
            assert all(record.exc_info and record.exc_info[1] is error for record in told)


@dataclass
class Failing:
    """A function that raises `error` the first `failures` times."""

    real: Callable[..., Any]
    error: Exception
    failures: int
    ran: int = 0

    def replaced(self) -> Callable[..., Any]:
        async def later(*given: Any, **more: Any) -> Any:
            self.count()
            return await self.real(*given, **more)

        def at_once(*given: Any, **more: Any) -> Any:
            self.count()
            return self.real(*given, **more)

        return later if asyncio.iscoroutinefunction(self.real) else at_once

    def count(self) -> None:
        self.ran += 1
        if self.ran <= self.failures:
            raise self.error


async def test_the_playgrounds_time_runs_on_after_an_error(caplog: pytest.LogCaptureFixture) -> None:
    class World:
        ticks = 0

        async def tick(self, seconds: float) -> None:
            self.ticks += 1
            if self.ticks == 1:
                raise ConnectionResetError
            if self.ticks == 2:
                raise TimeoutError

    world = World()
    background = Background()
    job = background.spawn("ticker", playground.Ticker(world).tick)  # type: ignore[arg-type]
    for expected in (1, 2, 3):
        await asyncio.wait(background.runs())
        await asyncio.sleep(0)
        assert world.ticks == expected
        assert not job.idle, "it comes again by itself"
        job.ring()
    await background.close(1.0)
    assert caplog.text.count("background work ticker failed") == 1


async def test_a_full_disk_is_told_in_a_line(caplog: pytest.LogCaptureFixture) -> None:
    background = Background()

    async def beat() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    background.spawn("beat", beat)
    await asyncio.wait(background.runs())
    await asyncio.sleep(0)
    await background.close(1.0)
    [record] = caplog.records
    assert (
        record.getMessage()
        == "background work beat failed; again in 100.0 s: [Errno 28] No space left on device"
    )
    assert record.exc_info is None


async def test_the_health_check_names_what_is_dead_until_it_recovers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, sim: Sim
) -> None:
    sim.faults_expected = True
    bot = sim.bot
    folder = sim.settings.data_dir
    monkeypatch.setattr(client.time, "time", lambda: 1000.0)  # type: ignore[attr-defined]

    def broken() -> Any:
        raise ConnectionResetError

    real = bot.services.repaints.sweep
    for _ in range(DEAD):
        monkeypatch.setattr(bot.services.repaints, "sweep", broken)
        with sim.env._bot_scope():
            bot._look_again()
        await sim.env.settle()
    await client._beat(bot)
    assert main(folder, lambda: 1010.0) == 1
    assert "sweep" in capsys.readouterr().out
    assert main(folder, lambda: 2000.0) == 1
    assert "Stuck" in capsys.readouterr().out
    monkeypatch.setattr(bot.services.repaints, "sweep", real)
    with sim.env._bot_scope():
        bot._look_again()
    await sim.env.settle()
    await client._beat(bot)
    assert main(folder, lambda: 1010.0) == 0
    assert (folder / BEAT).read_text("ascii").split() == ["1000"]


async def test_the_clock_tries_a_table_that_failed_again_after_a_minute(
    make_sim: MakeSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its wake is in the past, and no other comes: the clock would sleep for half an hour."""
    sim = await make_sim()
    sim.faults_expected = True
    table = await sim.started(sim.ada, sim.ben, setup="sorted")
    with sim.env._bot_scope():
        await sim.bot.tables.set_guild(sim.guild.id, clock=ClockRule(30))
    timed = await sim.started(sim.ada, sim.ben, setup="sorted")
    assert timed.clock.seconds == 30
    with sim.env._bot_scope():
        await sim.bot.tables.end(table.id, Person(sim.ada.id, "Ada"))
    tick = sim.bot.tables.tick

    async def broken(_: str) -> None:
        raise ConnectionResetError

    monkeypatch.setattr(sim.bot.tables, "tick", broken)
    await sim.env.advance_time(31.0)
    await sim.env.settle()
    monkeypatch.setattr(sim.bot.tables, "tick", tick)
    before = (await sim.bot.tables.table(timed.id)).revision
    await sim.env.advance_time(RETRY.total_seconds() + 1.0)
    await sim.env.settle()
    assert (await sim.bot.tables.table(timed.id)).revision > before


async def test_of_one_name_one_run_at_a_time_and_what_comes_meanwhile_runs_afterwards() -> None:
    background = Background()
    gate = asyncio.Event()
    order: list[str] = []

    async def work(name: str) -> None:
        order.append(name)
        await gate.wait()

    background.spawn("paint", partial(work, "first"), "A")
    background.spawn("paint", partial(work, "other"), "B")
    await asyncio.sleep(0)
    background.spawn("paint", partial(work, "second"), "A")
    background.spawn("paint", partial(work, "third"), "A")
    await asyncio.sleep(0)
    assert order == ["first", "other"]
    gate.set()
    while background.runs():
        await asyncio.wait(background.runs())
    assert order == ["first", "other", "third"]
    assert background._jobs == {}, "nothing is kept"


async def test_a_run_that_stands_still_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    background = Background()
    gate = asyncio.Event()

    async def work() -> None:
        await gate.wait()

    job = background.spawn("sweep", work)
    await asyncio.sleep(0)
    assert background.dead() == []
    job.began -= STUCK + 1
    assert background.dead() == ["sweep"]
    gate.set()
    await asyncio.wait(background.runs())
    assert background.dead() == []


async def test_a_run_that_somebody_cancelled_comes_again_and_one_that_we_did_does_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    background = Background()
    gate = asyncio.Event()

    async def work() -> None:
        await gate.wait()

    job = background.spawn("sweep", work)
    await asyncio.sleep(0)
    assert job.task is not None
    job.task.cancel()
    await asyncio.wait(background.runs())
    assert not job.idle
    assert "background work sweep failed" in caplog.text
    job.ring()
    await asyncio.sleep(0)
    await background.cancel("sweep")
    assert job.idle
    assert background.dead() == []


async def test_at_the_end_runs_get_some_time_and_nothing_begins(caplog: pytest.LogCaptureFixture) -> None:
    background = Background()
    gate = asyncio.Event()
    ended: list[str] = []

    async def work(name: str, patient: bool) -> float:
        if not patient:
            await gate.wait()
        ended.append(name)
        return 1.0

    background.spawn("quick", partial(work, "quick", True))
    slow = background.spawn("slow", partial(work, "slow", False))
    await asyncio.sleep(0)
    await background.close(0.01)
    assert ended == ["quick"]
    assert slow.task is None
    assert background.spawn("late", partial(work, "late", True)).idle
    await background.close(0.01)
    assert ended == ["quick"]
    assert caplog.text == ""
