"""Whatever runs beside the clicks: one job each, started again after a pause when it fails; and how it fares.

Sweep, clock, beat, computer players, repaints and all other background work run as jobs here, so that one
lost connection, busy database or refused request ends none of them. Pauses and waits are timers of the event
loop rather than tasks that wait: nothing runs while nothing is due.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from bot.private_files import NO_ROOM
from bot.tables.ports import StoreTrouble

log = logging.getLogger(__name__)

PAUSES = (1.0, 5.0, 15.0, 60.0)  # seconds before a job that failed runs again; the last one from then on
DEAD = 3  # failures of a kind in a row, none of its jobs having succeeded since, that the health check minds
STUCK = 600.0  # seconds that one run of a job may take, or go without getting further

T = TypeVar("T")
Work = Callable[[], Awaitable[float | None]]
"""What a job does. It answers after how many seconds it is to be done again; None: when it is rung."""


class Job:
    """One piece of work, never run twice at a time. kind: what the health check calls it. about: which of
    several of its kind, the table's id for example."""

    def __init__(self, background: Background, kind: str, about: str, work: Work) -> None:
        self._background = background
        self.kind = kind
        self.name = f"{kind} {about}".rstrip()
        self.work = work
        self.task: asyncio.Task[float | None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._again = False
        self._cancelled = False
        self._failures = 0
        self.began = 0.0  # loop time of the run that is on, or of when it got further

    @property
    def idle(self) -> bool:
        return self.task is None and self._timer is None

    def ring(self) -> None:
        """Run now, or once more after the run that is on."""
        if self.task is not None:
            self._again = True
            return
        self.stop()
        if self._background.closing:
            return
        self._again = False
        self.began = asyncio.get_running_loop().time()
        self.task = asyncio.create_task(self._run(), name=self.name)
        self.task.add_done_callback(self._ended)

    async def _run(self) -> float | None:
        return await self.work()

    def stop(self) -> None:
        """No timer rings it any more; a run that is on goes on."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def cancel(self) -> None:
        """As `stop`, and a run that is on ends where it stands."""
        self.stop()
        if self.task is not None:
            self._cancelled = self.task.cancel()

    def _ring_in(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self.ring)

    def _ended(self, task: asyncio.Task[float | None]) -> None:
        self.task = None
        meant, self._cancelled = self._cancelled, False
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if meant and task.cancelled():
            self._background.ended(self)
            return
        if self._background.closing:
            if error is not None and not task.cancelled():
                log.error("background work %s failed at the end", self.name, exc_info=error)
        elif error is not None:
            pause = PAUSES[min(self._failures, len(PAUSES) - 1)]
            self._failures += 1
            if isinstance(error, OSError) and error.errno in NO_ROOM:  # the host's matter
                log.error("background work %s failed; again in %s s: %s", self.name, pause, error)
            elif not isinstance(error, StoreTrouble):  # which the store has told, once for all work
                log.error("background work %s failed; again in %s s", self.name, pause, exc_info=error)
            self._ring_in(pause)
        else:
            self._failures = 0
            wait = task.result()
            if self._again:
                self.ring()
            elif wait is not None:
                self._ring_in(wait)
        self._background.ended(self, failed=error is not None)


class Background:
    """All jobs of one process."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._failures: dict[str, int] = {}  # by kind, in a row
        self.closing = False

    def spawn(self, kind: str, work: Work, about: str = "") -> Job:
        """Do this now, and where it fails again after a pause, until it has succeeded. Of one name (kind and
        about) only one runs at a time; one that is asked for meanwhile runs afterwards."""
        job = Job(self, kind, about, work)
        job = self._jobs.setdefault(job.name, job)
        job.work = work
        job.ring()
        if job.idle:  # closing
            del self._jobs[job.name]
        return job

    def ended(self, job: Job, *, failed: bool | None = None) -> None:
        """A run is over (jobs call this). failed: None for one that was cancelled."""
        if failed:
            self._failures[job.kind] = self._failures.get(job.kind, 0) + 1
        elif failed is not None:
            self._failures.pop(job.kind, None)
        if job.idle:
            self._jobs.pop(job.name, None)

    def dead(self) -> list[str]:
        """Kinds of which no job has succeeded for some failures, or one has been at the same run for long
        without getting further."""
        now = asyncio.get_running_loop().time()
        failing = {kind for kind, count in self._failures.items() if count >= DEAD}
        stuck = {job.kind for job in self._jobs.values() if job.task is not None and now - job.began > STUCK}
        return sorted(failing | stuck)

    def came_on(self, kind: str) -> None:
        """Runs of this kind, which may take long, have got further: what they took until now does not
        count."""
        now = asyncio.get_running_loop().time()
        for job in self._jobs.values():
            if job.kind == kind:
                job.began = now

    def runs(self, kind: str | None = None) -> list[asyncio.Task[float | None]]:
        """Those that are on, of one kind or of all."""
        return [job.task for job in self._jobs.values() if job.task is not None and kind in {None, job.kind}]

    async def cancel(self, kind: str) -> None:
        """End every job of this kind where it stands."""
        runs = self.runs(kind)
        for job in [job for job in self._jobs.values() if job.kind == kind]:
            job.cancel()
            if job.idle:
                del self._jobs[job.name]
        await asyncio.gather(*runs, return_exceptions=True)

    async def close(self, grace: float) -> None:
        """Nothing begins any more; runs get `grace` seconds to end by themselves. Twice does no harm."""
        self.closing = True
        for job in self._jobs.values():
            job.stop()
        if runs := self.runs():
            _, late = await asyncio.wait(runs, timeout=grace)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=1.0)


async def a_few_at_a_time(begin: Callable[[T], Job], things: Iterable[T], most: int) -> None:
    """Begin a job for each thing and wait for its run, so many at a time: what is left to do must not take
    the places of what people wait for."""
    places = asyncio.Semaphore(most)

    async def one(thing: T) -> None:
        async with places:
            run = begin(thing).task
            if run is not None:
                await asyncio.wait({run})

    await asyncio.gather(*(one(thing) for thing in things))
