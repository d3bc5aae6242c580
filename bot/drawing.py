"""Where pictures are drawn: in processes beside the bot's. A thread that draws holds the lock that Python's
threads share for milliseconds on end, and the event loop waits for it each time that it wakes up.
"""

from __future__ import annotations

import time
from asyncio import Lock, to_thread
from collections.abc import Callable
from importlib import import_module

from bot.locale import LANGUAGES, keys
from bot.rules.registry import GAMES
from bot.workers import Interrupted, Workers
from rendering import sprites
from rendering.scene import Picture

BEHIND = 5  # see `Workers`: after the event loop, before computer players
TRIES = 2  # of a picture, before it is drawn in the bot's own process

Observer = Callable[[str, int, float], None]


class Drawers:
    """workers: how many processes. observe: told of what was drawn by which function, how many pictures, and
    in how many seconds of the processor."""

    def __init__(self, workers: int, observe: Observer | None = None) -> None:
        self.observe = observe
        self._workers = Workers(workers, "pictures", BEHIND)
        self._here = Lock()

    async def draw(self, module: str, function: str, *given: object) -> tuple[Picture, ...]:
        """What a picture function of a module draws from what it is given. Where the process is killed
        meanwhile another draws it, and where that is killed too, or none can be begun, this one does, one
        after the other."""
        for _ in range(TRIES):
            try:
                drawn, seconds = await self._workers.run(_draw, module, function, *given)
                break
            except Interrupted:
                if self._workers.closed:
                    raise
        else:
            async with self._here:
                if self._workers.closed:
                    raise Interrupted
                drawn, seconds = await to_thread(_draw, module, function, *given)
        if self.observe is not None:
            self.observe(function, len(drawn), seconds)
        return drawn

    def begin(self) -> None:
        """Begin the processes, so that the first picture need not wait for that, nor anybody for them."""
        self._workers.begin(_load)

    def close(self) -> None:
        """No more pictures."""
        self._workers.close()

    async def ended(self) -> None:
        """See `Workers.ended`."""
        await self._workers.ended()


def _draw(module: str, function: str, *given: object) -> tuple[tuple[Picture, ...], float]:
    begun = time.thread_time()
    drawn: tuple[Picture, ...] = getattr(import_module(module), function)(*given)
    return drawn, time.thread_time() - begun


def _load() -> None:
    """What takes long at the first picture."""
    sprites.warm()
    for parts in GAMES.values():
        import_module(parts.pictures)
    for language in LANGUAGES:
        keys(language)
