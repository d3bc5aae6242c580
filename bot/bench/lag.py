"""How late an event loop is: by how much a timer rings after its time.

`python -m bot.bench.lag` is a loop with nothing else to do, until its input ends: how late that is, is the
computer's own.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.rules.game import Say

from .report import Figure, Report

STEP = 0.005  # seconds between two rings
MOST = 10.0  # milliseconds that 99 of 100 are late at most


class Lag:
    """Listens from `start` on; seconds of every ring are kept until they are taken."""

    def __init__(self) -> None:
        self._seconds: list[float] = []
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """In the loop that is listened to."""
        if self._task is None:
            self._task = asyncio.create_task(self._listen(), name="lag")

    async def _listen(self) -> None:
        while True:
            wanted = time.perf_counter() + STEP
            await asyncio.sleep(STEP)
            self._seconds.append(max(0.0, time.perf_counter() - wanted))

    def take(self) -> list[float]:
        taken, self._seconds = self._seconds, []
        return taken

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()


@asynccontextmanager
async def idle() -> AsyncIterator[list[float]]:
    """A loop with nothing to do in a process beside this one; afterwards by how much it was late."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    seconds: list[float] = []
    try:
        yield seconds
        told, _ = await child.communicate(b"")
        seconds += json.loads(told)
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


def tell(listened: list[float], idle: list[float], report: Report, say: Say, name: str = "lag") -> None:
    """idle: of a loop that had nothing to do meanwhile, which is the computer's own."""
    lag, own = late(listened) * 1000, late(idle) * 1000
    report.add(Figure(f"{name}.idle", own, "ms"))
    told = say("bench.lag", value=f"{lag:.2f}", idle=f"{own:.2f}", most=f"{MOST:g}")
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
