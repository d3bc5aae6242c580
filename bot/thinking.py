"""Where computer players think, and hints are found: in processes of low priority.

What is due is thought about in the order in which it came, and a table asks for one move at a time: none
waits for all of another's. What takes longer than a move (`run`) comes in pieces, one at a time too.
"""

from __future__ import annotations

import os
import time
from asyncio import to_thread
from collections.abc import Callable
from typing import Any, TypeVar

from bot.levels import Level
from bot.players import advise, choose
from bot.players.contract import Advice
from bot.rules.chance import Generator
from bot.rules.game import View
from bot.workers import Interrupted, Workers

T = TypeVar("T")

WORKERS = max(1, min(2, (os.cpu_count() or 1) - 1))  # one core is left to clicks: docs/growth.md
BEHIND = 10  # see `Workers`

Observer = Callable[[str, float], None]


class Thinkers:
    """observe: told of each move's game, a hint's too, and for how many seconds it was thought about."""

    def __init__(self, observe: Observer | None = None, workers: int = WORKERS) -> None:
        self._observe = observe
        self._workers = Workers(workers, "computer players", BEHIND)

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
        """Something else to be thought about there, a second long at most. See `Workers.run`."""
        return await self._workers.run(work, *given)

    def close(self) -> None:
        """What is thought about is given up, and no process is begun any more."""
        self._workers.close()

    async def ended(self) -> None:
        """See `Workers.ended`."""
        await self._workers.ended()


def _think(think: Callable[..., T], *given: object) -> tuple[T, float]:
    """What comes of it, and the seconds that it took."""
    begun = time.perf_counter()
    found = think(*given)
    return found, time.perf_counter() - begun
