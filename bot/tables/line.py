"""The order in which tables are changed: one change of a table at a time, none half made, each told once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from bot.locks import Locks

from .model import Change, TableId

log = logging.getLogger(__name__)

Listener = Callable[[Change], None]
T = TypeVar("T")


class Line:
    """`async with line.at(table)` waits for the table's turn; who is in it is not to wait for it again."""

    def __init__(self) -> None:
        self._locks: Locks[TableId] = Locks()
        self._listeners: list[Listener] = []
        self._running: set[asyncio.Task[Any]] = set()

    def at(self, table: TableId) -> asyncio.Lock:
        """The lock of a table."""
        return self._locks[table]

    async def whole(self, making: Coroutine[Any, Any, T]) -> T:
        """A caller that is cancelled half-way leaves no half change: what was begun is stored and told, and
        the table is locked until then."""
        task = asyncio.create_task(making)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Wait until all that was begun is done."""
        while self._running:
            await asyncio.wait(self._running)  # who gives up waiting ends none of them

    def listen(self, listener: Listener) -> None:
        """Every change told from now on comes to this one too."""
        self._listeners.append(listener)

    def tell(self, change: Change) -> None:
        """Report a stored change, once."""
        for listener in self._listeners:
            try:
                listener(change)
            except (
                Exception
            ):  # the change is stored: one listener's fault must not reach the player or the others
                log.exception("a listener failed on table %s", change.table.id)
