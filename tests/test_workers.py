"""Processes beside the bot: whatever becomes of one, nobody waits for ever and nothing stops the bot."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures.process import _ExecutorManagerThread
from multiprocessing import popen_spawn_posix, queues, synchronize
from pathlib import Path
from typing import Any

import pytest

from bot.client import create_bot
from bot.drawing import Drawers
from bot.locale import sayer
from bot.rules.registry import GAMES
from bot.settings import Settings
from bot.workers import Interrupted, Workers
from rendering.scene import Scene
from tests.sweeps import swept_rows


@pytest.fixture
def workers() -> Iterator[Workers]:
    made = Workers(1, "tests", 0)
    yield made
    made.close()


async def test_who_gives_up_waiting_takes_nothing_from_the_others(workers: Workers) -> None:
    """A process that is killed afterwards is told to all that still wait."""
    process = await workers.run(os.getpid)
    waiting = [asyncio.create_task(workers.run(signal.pause)) for _ in range(8)]
    await asyncio.sleep(0)
    waiting[3].cancel()
    await asyncio.sleep(0)
    os.kill(process, signal.SIGKILL)
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(one) for one in found] == [Interrupted] * 3 + [asyncio.CancelledError] + [Interrupted] * 4
    assert await workers.run(os.getpid) != process


@pytest.mark.parametrize(
    ("what", "function", "error"),
    swept_rows(
        [
            (popen_spawn_posix.Popen, "_launch", BlockingIOError(errno.EAGAIN, "no more processes")),
            (synchronize.SemLock, "__init__", OSError(errno.ENOSYS, "no semaphores")),
            (_ExecutorManagerThread, "start", RuntimeError("can't start new thread")),
            (queues.Queue, "_start_thread", RuntimeError("can't start new thread")),
        ],
        daily=2,
    ),
)
async def test_where_no_process_can_be_begun_the_bot_draws_itself_and_says_so_once(
    what: Any,
    function: str,
    error: Exception,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    made = Drawers(1)
    given = (GAMES["top12"].pictures, "cover", Scene((), sayer("en")))
    with monkeypatch.context() as patch:
        patch.setattr(what, function, fail)
        made.begin()
        drawn = [await made.draw(*given) for _ in range(2)]
    assert drawn[0] == drawn[1] != ()
    assert [record.getMessage() for record in caplog.records] == [
        f"no process for pictures can be begun: {error}"
    ]
    assert made._workers._pool is None, "it is not tried again at once"
    made._workers._rests_until = 0.0
    assert await made.draw(*given) == drawn[0]
    assert made._workers._pool is not None
    made.close()


async def test_what_cannot_be_begun_leaves_no_thread_behind(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads may be what there is no room for, and it is tried again and again."""

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    before = set(threading.enumerate())
    monkeypatch.setattr(_ExecutorManagerThread, "start", fail)
    with pytest.raises(Interrupted):
        await workers.run(os.getpid)
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
        assert not thread.is_alive(), thread


async def test_one_process_too_many_costs_none_of_those_that_work(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = Workers(2, "tests", 0)
    launch: Any = popen_spawn_posix.Popen._launch  # type: ignore[attr-defined]
    begun, room = 0, 1
    error = BlockingIOError(errno.EAGAIN, "no more processes")

    def one(*given: Any) -> None:
        nonlocal begun
        begun += 1
        if begun > room:
            raise error
        launch(*given)

    monkeypatch.setattr(popen_spawn_posix.Popen, "_launch", one)
    found = await asyncio.gather(*(made.run(os.getpid) for _ in range(6)))
    assert len(set(found)) == 1
    assert begun == 2
    assert [record.getMessage() for record in caplog.records] == [
        f"no more than 1 processes for tests: {error}"
    ]
    room = 3
    await made.run(os.getpid)
    assert begun == 2, "it is not tried again at once"
    made._fewer_until = 0.0
    await made.run(os.getpid)
    assert begun == 3
    assert made._pool is not None
    assert len(made._pool._processes) == 2
    made.close()


async def test_what_is_handed_in_where_there_is_no_room_is_done_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Workers(2, "tests", 0)
    await made.run(os.getpid)

    def fail(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(popen_spawn_posix.Popen, "_launch", fail)
    await made.run(os.mkdir, tmp_path / "once")
    await made.run(os.mkdir, tmp_path / "then")
    made.close()


async def test_with_room_again_there_are_as_many_as_there_are_to_be_however_much_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Workers(3, "tests", 0)
    launch: Any = popen_spawn_posix.Popen._launch  # type: ignore[attr-defined]
    begun, room, full = 0, 1, asyncio.Event()

    def one(*given: Any) -> None:
        nonlocal begun
        if begun == room:
            full.set()
            raise BlockingIOError(errno.EAGAIN, "no more processes")
        begun += 1
        launch(*given)

    monkeypatch.setattr(popen_spawn_posix.Popen, "_launch", one)
    waiting = [asyncio.create_task(made.run(os.getpid)) for _ in range(12)]
    await full.wait()
    room, made._fewer_until = 3, 0.0
    await made.run(os.getpid)
    await asyncio.gather(*waiting)
    for _ in range(3):
        await asyncio.gather(*(made.run(os.getpid) for _ in range(6)))
    assert begun == 3
    made.close()


async def test_one_that_was_killed_while_nobody_waited_is_told_as_that(
    workers: Workers, caplog: pytest.LogCaptureFixture
) -> None:
    process = await workers.run(os.getpid)
    pool = workers._pool
    assert pool is not None
    manager: Any = pool._executor_manager_thread
    os.kill(process, signal.SIGKILL)
    await asyncio.to_thread(manager.join)
    assert await workers.run(os.getpid) not in {process, os.getpid()}, "nobody loses anything by it"
    assert "was killed" in caplog.text
    assert "can be begun" not in caplog.text


async def test_where_processes_die_as_they_are_begun_no_more_are_begun_for_a_while(
    workers: Workers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("bot.workers._begin", stillborn)
        for _ in range(3):
            with pytest.raises(Interrupted):
                await workers.run(os.getpid)
        assert [record.getMessage() for record in caplog.records] == [
            "a process for tests was killed before any had done anything; others wait"
        ]
    workers._rests_until = 0.0
    process = await workers.run(os.getpid)
    with pytest.raises(Interrupted):
        await workers.run(os._exit, 1)
    assert await workers.run(os.getpid) != process, "one that had worked is replaced at once"


async def test_what_kills_each_process_is_done_here_in_the_end(caplog: pytest.LogCaptureFixture) -> None:
    made = Drawers(1)
    await made.draw(GAMES["top12"].pictures, "cover", Scene((), sayer("en")))
    bot = os.getpid()
    drawn = await made.draw(__name__, "deadly", bot)
    assert drawn == ()
    assert caplog.text.count("was killed") == 2
    made.close()


class Waiting:
    """What ends a pool's processes stays alive until somebody waits for it: so slow can a machine be."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.awaited = threading.Event()
        self.held: list[threading.Thread] = []
        run, join = _ExecutorManagerThread.run, _ExecutorManagerThread.join

        def held_up(thread: _ExecutorManagerThread) -> None:
            self.held.append(thread)
            run(thread)
            self.awaited.wait()

        def awaited(thread: _ExecutorManagerThread, timeout: float | None = None) -> None:
            self.awaited.set()
            join(thread, timeout)

        monkeypatch.setattr(_ExecutorManagerThread, "run", held_up)
        monkeypatch.setattr(_ExecutorManagerThread, "join", awaited)


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Waiting]:
    made = Waiting(monkeypatch)
    yield made
    made.awaited.set()


@pytest.mark.parametrize("how", ["killed", "closed", "killed and closed"])
async def test_who_ends_waits_for_what_still_ends_its_processes(
    workers: Workers, waiting: Waiting, how: str
) -> None:
    """Or the end of the interpreter may meet it while it closes, and leave a traceback (CPython 3.11)."""
    if "killed" in how:
        with pytest.raises(Interrupted):
            await workers.run(os._exit, 1)
    if "closed" in how:
        workers._rests_until = 0.0
        await workers.run(os.getpid)
        workers.close()
    assert len(waiting.held) == len(how.split(" and "))
    assert all(thread.is_alive() for thread in waiting.held)
    await workers.ended()
    assert not any(thread.is_alive() for thread in waiting.held)


async def test_where_there_is_no_thread_to_wait_in_the_end_goes_on(
    workers: Workers, waiting: Waiting, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def none(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    await workers.run(os.getpid)
    workers.close()
    monkeypatch.setattr("bot.workers.to_thread", none)
    await workers.ended()
    assert "is not waited for: can't start new thread" in caplog.text


async def test_a_closed_bot_leaves_nothing_of_its_processes(
    waiting: Waiting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.client.CLOSING", 60.0)  # however busy the machine is
    bot = create_bot(Settings.model_construct(data_dir=tmp_path))
    await bot.drawers.draw(GAMES["top12"].pictures, "cover", Scene((), sayer("en")))
    await bot._thinkers.run(os.getpid)
    await bot.close()
    assert len(waiting.held) == 2
    assert not any(thread.is_alive() for thread in waiting.held)


def stillborn(*_: object) -> None:
    """The beginning of a process that does not survive it."""
    os._exit(1)


def deadly(bot: int) -> tuple[()]:
    """Draws nothing, and ends every process but this one."""
    if os.getpid() != bot:
        os._exit(1)
    return ()
