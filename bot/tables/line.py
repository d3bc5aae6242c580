"""The order in which tables are changed: one change of a table at a time, none half made, each told once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from bot.locks import Locks
from bot.unbroken import Unbroken

from .model import Change, TableId

log = logging.getLogger(__name__)

Listener = Callable[[Change], None]
T = TypeVar("T")


class Line:
    """`async with line.at(table)` waits for the table's turn; who is in it is not to wait for it again."""

    def __init__(self) -> None:
        self._locks: Locks[TableId] = Locks()
        self._listeners: list[Listener] = []
        self._changes = Unbroken()

    def at(self, table: TableId) -> asyncio.Lock:
        """The lock of a table."""
        return self._locks[table]

    async def whole(self, making: Coroutine[Any, Any, T]) -> T:
        """A caller that is cancelled half-way leaves no half change: what was begun is stored and told, and
        the table is locked until then."""
        return await self._changes.finish(making)

    async def close(self) -> None:
        """Wait until all that was begun is done."""
        await self._changes.close()

    def listen(self, listener: Listener) -> None:
        """Every change told from now on comes to this one too."""
        self._listeners.append(listener)

    def tell(self, change: Change) -> None:
        """Report a stored change, once."""
        for listener in self._listeners:
            try:
                listener(change)
            except Exception:
                # The change is stored: one listener's fault must not reach the player or the others.
                log.exception("a listener failed on table %s", change.table.id)
