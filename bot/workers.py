"""Processes of the bot's own beside it, for what takes long: so it holds neither the event loop nor the lock
that Python's threads share, and people's clicks go first.

What is handed in is done in the order in which it came, as many at a time as there are processes.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from asyncio import CancelledError, current_task, wrap_future
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from bot.rules.registry import GAMES, Parts

log = logging.getLogger(__name__)
T = TypeVar("T")


class Interrupted(Exception):
    """What was being worked out was given up, through no fault of its own."""


class Workers:
    """So many processes, begun when first needed. what: they do, for the log. behind: how nice they are to
    everything else, as Unix counts it."""

    def __init__(self, count: int, what: str, behind: int) -> None:
        self._count = count
        self._what = what
        self._behind = behind
        self._pool: ProcessPoolExecutor | None = None
        self.closed = False

    async def run(self, work: Callable[..., T], /, *given: Any) -> T:
        """What comes of it there: of a function of a module, and what can be sent to another process. Raises
        Interrupted where that process is killed meanwhile, or all of it closed."""
        if self.closed:
            raise Interrupted
        pool = self._pool = self._pool or self._begun()
        try:
            return await wrap_future(pool.submit(work, *given))
        except CancelledError:
            if (task := current_task()) is None or task.cancelling():
                raise
            raise Interrupted from None  # it was given up when all was closed
        except BrokenProcessPool as error:
            if not self.closed and self._pool is pool:
                log.warning("a process for %s was killed; others are begun", self._what)
                self._pool = None
                pool.shutdown(wait=False)
            raise Interrupted from error

    def begin(self, work: Callable[[], object]) -> None:
        """Begin the processes, each with this to do first. Nobody waits for it."""
        if not self.closed and self._pool is None:
            self._pool = self._begun()
            for _ in range(self._count):
                self._pool.submit(work)

    def _begun(self) -> ProcessPoolExecutor:
        # Begun anew rather than forked: this process has threads.
        start = multiprocessing.get_context("spawn")
        given = (dict(GAMES), self._behind)
        return ProcessPoolExecutor(self._count, start, initializer=_begin, initargs=given)

    def close(self) -> None:
        """What is being done is given up, and no process is begun any more."""
        self.closed = True
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)


def _begin(games: dict[str, Parts], behind: int) -> None:
    """In a new process: it knows the bot's games, lets others go first, is stopped by the bot alone, and ends
    when that ends, however."""
    GAMES.update(games)
    if hasattr(os, "nice"):
        os.nice(behind)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_until_the_bot_ends, daemon=True).start()


def _until_the_bot_ends() -> None:
    bot = multiprocessing.parent_process()
    if bot is not None:
        bot.join()
        os._exit(0)
