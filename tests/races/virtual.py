"""An event loop on which nothing waits: time jumps to the next timer, threads' work is done on the spot, and
whoever asks is told when everything that can run has run.

The same seed gives the same run, thousands of timers and database calls included.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from tests.on_the_spot import cogs_read_once, quick_store, working_here

T = TypeVar("T")
START = datetime(2027, 3, 1, 12, tzinfo=UTC)


class Stuck(AssertionError):
    """Something is waited for that nothing will bring."""


class _Still(selectors.BaseSelector):
    """No sockets. Where others would wait, it is asked what happens next."""

    def __init__(self) -> None:
        self.loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None or timeout > 0:
            self.loop.quiet(timeout)
        return []

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return selectors.SelectorKey(fileobj, 0, events, data)  # the loop's own pipe: nobody writes to it

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return selectors.SelectorKey(fileobj, 0, 0, None)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return {}

    def get_key(self, fileobj: Any) -> selectors.SelectorKey:
        raise KeyError(fileobj)


class VirtualLoop(asyncio.SelectorEventLoop):
    """on_quiet: called when nothing can run before the next timer; True when it has set something going,
    False lets time pass."""

    def __init__(self) -> None:
        still = _Still()
        still.loop = self
        self._virtual = 0.0
        self.on_quiet: Callable[[], bool] = lambda: False
        super().__init__(still)

    def time(self) -> float:
        return self._virtual

    def now(self) -> datetime:
        return START + timedelta(seconds=self._virtual)

    def quiet(self, timeout: float | None) -> None:
        if self.on_quiet():
            return
        if timeout is None:
            raise Stuck("nothing runs, and no timer is set")
        self._virtual += timeout

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """Done at once: what a thread would do in its own time has no order of its own here."""
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done


class LoopClock:
    """The bot's clock is the loop's."""

    def now(self) -> datetime:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        return loop.now()

    async def sleep_until(self, when: datetime) -> None:
        await asyncio.sleep(max(0.0, (when - self.now()).total_seconds()))


def run(main: Callable[[VirtualLoop], Coroutine[Any, Any, T]]) -> T:
    """Run to its end on a loop of its own; background tasks left are dropped."""
    loop = VirtualLoop()
    asyncio.set_event_loop(loop)
    try:
        with quick_store(whole=True), cogs_read_once(), working_here():
            return loop.run_until_complete(main(loop))
    finally:
        with quick_store(whole=True):
            drop(loop, asyncio.all_tasks(loop))
        asyncio.set_event_loop(None)
        loop.close()


def drop(loop: VirtualLoop, tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel and let go."""
    loop.on_quiet = lambda: False
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


__all__ = ["START", "LoopClock", "Stuck", "VirtualLoop", "drop", "run"]
