"""Work that is done to its end once it was begun, whoever stops waiting for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Unbroken:
    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work and give what it comes to. A caller that is cancelled meanwhile ends none of it."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Wait until all that was begun is done."""
        while self._running:
            await asyncio.wait(self._running)  # who gives up waiting ends none of them
