"""Processes of the bot's own beside it, for what takes long: so it holds neither the event loop nor the lock
that Python's threads share, and people's clicks go first.

What is handed in is done in the order in which it came, as many at a time as there are processes.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
import time
from asyncio import CancelledError, current_task, shield, to_thread, wrap_future
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from bot.rules.registry import GAMES, Parts

log = logging.getLogger(__name__)
T = TypeVar("T")

REST = 30.0  # seconds after which it is tried again, where no process could be begun or lived


class Interrupted(Exception):
    """What was being worked out was given up, through no fault of its own."""


class _Pool(ProcessPoolExecutor):
    """finished: whether its processes have finished anything. refused: why another process could not be
    begun, beside those that live."""

    finished = False
    refused: OSError | None = None

    def note(self, done: Future[Any]) -> None:
        if not done.cancelled() and not isinstance(done.exception(), BrokenProcessPool):
            self.finished = True

    def _adjust_process_count(self) -> None:
        """What is handed in waits for a process by then: handed in once more it would be done twice."""
        try:
            super()._adjust_process_count()
        except OSError as error:
            if not self._processes:
                raise
            self.refused = error

    def _start_executor_manager_thread(self) -> None:
        """The thread that feeds the processes is begun here too. The manager's thread would begin it when it
        first needs it and, where there is no room for it, end without a word to those that wait (CPython
        3.11)."""
        if self._executor_manager_thread is not None:
            return
        self._call_queue._start_thread()
        try:
            super()._start_executor_manager_thread()
        except RuntimeError:
            self._call_queue.close()  # ends that thread; the manager would have
            raise


class Workers:
    """So many processes, begun when first needed. what: they do, for the log. behind: how nice they are to
    everything else, as Unix counts it."""

    def __init__(self, count: int, what: str, behind: int) -> None:
        self._count = count
        self._what = what
        self._behind = behind
        self._pool: _Pool | None = None
        self._rests_until = 0.0  # by the computer's steady clock: none could be begun, or lived
        self._fewer_until = 0.0  # by the same: there was no room for as many as there are to be
        self._ending: list[threading.Thread] = []  # what still ends the processes of pools given up
        self.closed = False

    async def run(self, work: Callable[..., T], /, *given: Any) -> T:
        """What comes of it there: of a function of a module, and what can be sent to another process. It is
        done even if its waiter gives up. Raises Interrupted where that process is killed meanwhile or none
        can be begun, or all of it closed."""
        pool, handed = self._hand_in(work, *given)
        try:
            # What is handed in stays so when its waiter is cancelled: a pool that breaks ends all that is in
            # it, and stops at one that has ended already (CPython 3.11), so others would wait for ever.
            coming = wrap_future(handed)
            coming.add_done_callback(_seen)
            return await shield(coming)
        except CancelledError:
            if (task := current_task()) is None or task.cancelling():
                raise
            raise Interrupted from None  # it was given up when all was closed
        except BrokenProcessPool as error:
            self._was_killed(pool)
            raise Interrupted from error

    def begin(self, work: Callable[[], object]) -> None:
        """Begin the processes, with this to do for whichever comes first, so often as there are. Nobody waits
        for it."""
        if self.closed or self._pool is not None:
            return
        try:
            for _ in range(self._count):
                self._hand_in(work)
        except Interrupted:
            return  # told; they are begun when they are needed

    def _hand_in(self, work: Callable[..., T], /, *given: Any) -> tuple[_Pool, Future[T]]:
        """Raises Interrupted."""
        if self.closed or time.monotonic() < self._rests_until:
            raise Interrupted
        pool = self._pool
        try:
            if pool is None:
                pool = self._pool = self._begun()
            handed = self._submitted(pool, work, *given)
        except BrokenProcessPool as error:
            self._was_killed(pool)
            if pool is not None and pool.finished:  # before this was handed in, so another may do it
                return self._hand_in(work, *given)
            raise Interrupted from error
        except (OSError, RuntimeError) as error:  # no process, no semaphore, no thread
            log.warning("no process for %s can be begun: %s", self._what, error)
            self._give_up()
            self._rests_until = time.monotonic() + REST
            raise Interrupted from error
        handed.add_done_callback(pool.note)
        return pool, handed

    def _submitted(self, pool: _Pool, work: Callable[..., T], /, *given: Any) -> Future[T]:
        """Where there is no room for another process, those that live do it, until it is tried again."""
        if len(pool._processes or ()) < self._count and time.monotonic() >= self._fewer_until:
            pool._max_workers = self._count  # type: ignore[attr-defined]
            # It counts a process as idle whenever something is done, also where the next waits for it, and
            # begins none while it counts any.
            pool._idle_worker_semaphore = threading.Semaphore(0)
        handed = pool.submit(work, *given)
        if pool.refused is not None:
            living = len(pool._processes or ())
            log.warning("no more than %s processes for %s: %s", living, self._what, pool.refused)
            pool.refused = None
            pool._max_workers = living  # type: ignore[attr-defined]
            self._fewer_until = time.monotonic() + REST
        return handed

    def _was_killed(self, pool: _Pool | None) -> None:
        if pool is None or pool is not self._pool:
            return  # it was told already, or all is closed
        if pool.finished:
            log.warning("a process for %s was killed; others are begun", self._what)
        else:  # others would fare alike, and each takes a second of the processor to begin
            log.warning("a process for %s was killed before any had done anything; others wait", self._what)
            self._rests_until = time.monotonic() + REST
        self._give_up()

    def _give_up(self) -> None:
        """What is in the pool; whoever comes next begins another."""
        pool, self._pool = self._pool, None
        if pool is not None:
            manager: Any = pool._executor_manager_thread  # as it is typed it is something else
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)
            self._ending = [thread for thread in (*self._ending, manager) if thread and thread.is_alive()]

    def _begun(self) -> _Pool:
        # Begun anew rather than forked: this process has threads.
        start = multiprocessing.get_context("spawn")
        given = (dict(GAMES), self._behind)
        return _Pool(self._count, start, initializer=_begin, initargs=given)

    def close(self) -> None:
        """What is being done is given up, and no process is begun any more."""
        self.closed = True
        self._give_up()

    async def ended(self) -> None:
        """Returns once nothing is left of all that was given up. Whoever ends the interpreter waits for this
        first: at its end it wakes those that manage pools, and one that closes meanwhile makes it stumble
        (CPython 3.11)."""
        for thread in self._ending:
            try:
                await to_thread(thread.join)
            except RuntimeError as error:  # there is no thread to wait in
                log.warning("the end of processes for %s is not waited for: %s", self._what, error)


def _seen(done: asyncio.Future[Any]) -> None:
    """Its waiter may have gone; the error of what nobody waits for is nobody's."""
    if not done.cancelled():
        done.exception()


def _begin(games: dict[str, Parts], behind: int) -> None:
    """In a new process: it knows the bot's games, lets others go first, is stopped by the bot alone, and ends
    when that ends, however."""
    GAMES.update(games)
    if hasattr(os, "nice"):
        os.nice(behind)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """From now on this process ends when the one that began it does, however that ends."""
    threading.Thread(target=_until_parent_ends, daemon=True).start()


def _until_parent_ends() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
