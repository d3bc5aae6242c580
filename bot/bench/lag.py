"""How late an event loop is: by how much a timer rings after its time.

And how much of that it is late by itself: as long as its own thread used the processor. All else it waited to
be let on, by the computer or by a thread beside it.

`python -m bot.bench.lag` is a loop with nothing else to do, until its input ends: how late that is, is the
computer's own.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias

from bot.rules.game import Say

from .report import Figure, Report

STEP = 0.005  # seconds between two rings
MOST = 10.0  # milliseconds that 99 of 100 are late at most
Ring: TypeAlias = tuple[float, float]
"""Seconds by which it was late; seconds of the processor that the loop's thread used since the one before."""


class Lag:
    """Listens from `start` on; every ring is kept until they are taken."""

    def __init__(self) -> None:
        self._rings: list[Ring] = []
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """In the loop that is listened to."""
        if self._task is None:
            self._task = asyncio.create_task(self._listen(), name="lag")

    async def _listen(self) -> None:
        while True:
            wanted, used = time.perf_counter() + STEP, time.thread_time()
            await asyncio.sleep(STEP)
            late = max(0.0, time.perf_counter() - wanted)
            self._rings.append((late, time.thread_time() - used))

    def take(self) -> list[Ring]:
        taken, self._rings = self._rings, []
        return taken

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()


@asynccontextmanager
async def idle() -> AsyncIterator[list[Ring]]:
    """A loop with nothing to do in a process beside this one; afterwards its rings."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    rings: list[Ring] = []
    try:
        yield rings
        told, _ = await child.communicate(b"")
        rings += json.loads(told)
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


def tell(listened: Sequence[Ring], idle: Sequence[Ring], report: Report, say: Say, name: str = "lag") -> None:
    """idle: of a loop that had nothing to do meanwhile, which is the computer's own."""
    lag, own, least = (
        late([one[0] for one in listened]) * 1000,
        late([min(one) for one in listened]) * 1000,
        late([one[0] for one in idle]) * 1000,
    )
    report.add(Figure(f"{name}.own", own, "ms"), Figure(f"{name}.idle", least, "ms"))
    told = say("bench.lag", value=f"{lag:.2f}", own=f"{own:.2f}", idle=f"{least:.2f}", most=f"{MOST:g}")
    report.judge(Figure(name, lag, "ms", MOST), told, say)


def late(seconds: list[float], share: float = 0.99) -> float:
    """That many of them were no later."""
    return sorted(seconds)[int(len(seconds) * share)] if seconds else float("nan")


async def _alone() -> None:
    lag = Lag()
    lag.start()
    await asyncio.to_thread(sys.stdin.read)
    lag.stop()
    print(json.dumps(lag.take()))


if __name__ == "__main__":
    asyncio.run(_alone())
