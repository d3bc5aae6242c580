"""Where computer players think, and hints are found: in processes of their own beside the bot's, of low
priority. So no thought holds the event loop, nor the lock that Python's threads share, and people's clicks go
first.

What is due is thought about in the order in which it came, and a table asks for one move at a time: none
waits for all of another's. What takes longer than a move (`run`) comes in pieces, one at a time too.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from asyncio import CancelledError, current_task, to_thread, wrap_future
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from bot.levels import Level
from bot.players import advise, choose
from bot.players.contract import Advice, Interrupted
from bot.rules.chance import Generator
from bot.rules.game import View
from bot.rules.registry import GAMES, Parts

log = logging.getLogger(__name__)
T = TypeVar("T")

WORKERS = min(2, os.cpu_count() or 1)
BEHIND = 10  # how nice they are to everything else, as Unix counts it

Observer = Callable[[str, float], None]


class Thinkers:
    """A few processes, begun when first needed. observe: told of each move's game, and for how many seconds
    it was thought about."""

    def __init__(self, observe: Observer | None = None, workers: int = WORKERS) -> None:
        self._observe = observe
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._closed = False

    async def choose(self, game: str, view: View, chance: Generator, level: Level) -> str:
        """See `bot.players.choose`. Where the process is killed meanwhile it is a move of the middle level,
        chosen here."""
        try:
            return await self._thought(choose, game, view, chance, level)
        except Interrupted:
            level = min(level, Level.MEDIUM, key=list(Level).index)
            return self._timed(game, await to_thread(_think, choose, game, view, chance, level))

    async def advise(self, game: str, view: View, chance: Generator) -> Advice:
        """See `bot.players.advise`. Raises Interrupted where the process is killed meanwhile."""
        return await self._thought(advise, game, view, chance)

    async def _thought(self, think: Callable[..., T], game: str, *given: object) -> T:
        """What comes of it in one of the processes. Raises Interrupted."""
        found: tuple[T, float] = await self.run(_think, think, game, *given)
        return self._timed(game, found)

    def _timed(self, game: str, found: tuple[T, float]) -> T:
        """What was found, the seconds being told."""
        if self._observe is not None:
            self._observe(game, found[1])
        return found[0]

    async def run(self, work: Callable[..., T], /, *given: Any) -> T:
        """Something else to be thought about there: a function of a module, of what can be sent to another
        process, a few hundred milliseconds long at most. Raises Interrupted where that process is killed
        meanwhile, or all of it closed."""
        if self._closed:
            raise Interrupted
        pool = self._pool = self._pool or self._begun()
        try:
            return await wrap_future(pool.submit(work, *given))
        except CancelledError:
            if (task := current_task()) is None or task.cancelling():
                raise
            raise Interrupted from None  # it was given up when all was closed
        except BrokenProcessPool as error:
            if self._closed:
                raise Interrupted from error
            log.warning("a process in which computer players think was killed; others are begun")
            if self._pool is pool:
                self._pool = None
                pool.shutdown(wait=False)
            raise Interrupted from error

    def _begun(self) -> ProcessPoolExecutor:
        # Begun anew rather than forked: this process has threads.
        start = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, start, initializer=_begin, initargs=(dict(GAMES),))

    def close(self) -> None:
        """What is thought about is given up, and no process is begun any more."""
        self._closed = True
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)


def _begin(games: dict[str, Parts]) -> None:
    """In a new process: it knows the bot's games, lets others go first, is stopped by the bot alone, and ends
    when that ends, however."""
    GAMES.update(games)
    if hasattr(os, "nice"):
        os.nice(BEHIND)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_until_the_bot_ends, daemon=True).start()


def _until_the_bot_ends() -> None:
    bot = multiprocessing.parent_process()
    if bot is not None:
        bot.join()
        os._exit(0)


def _think(think: Callable[..., T], *given: object) -> tuple[T, float]:
    """What comes of it, and the seconds that it took."""
    begun = time.perf_counter()
    found = think(*given)
    return found, time.perf_counter() - begun
