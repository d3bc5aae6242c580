"""What takes long, done once for all that want the same."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Generic, TypeVar

from cachetools import LRUCache

Key = TypeVar("Key")
T = TypeVar("T")


class Shared(Generic[Key, T]):
    """most: so many are kept, those wanted last."""

    def __init__(self, most: int) -> None:
        self._coming: LRUCache[Key, asyncio.Future[T]] = LRUCache(most)

    @property
    def waiting(self) -> int:
        """How many are being done or wait for it."""
        return sum(not coming.done() for coming in self._coming.values())

    def of(self, wanted: Key, do: Callable[[], Awaitable[T]]) -> asyncio.Future[T]:
        """What comes of it, done now where it is not there. Whoever waits shields it: others may wait too."""
        coming = self._coming.get(wanted)
        if coming is None:
            coming = asyncio.ensure_future(do())
            self._coming[wanted] = coming
            coming.add_done_callback(partial(self._forget_failed, wanted))
        return coming

    def _forget_failed(self, wanted: Key, coming: asyncio.Future[T]) -> None:
        """It is tried again when it is wanted again."""
        if coming.cancelled() or coming.exception() is not None:
            self._coming.pop(wanted, None)
