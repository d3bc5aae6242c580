"""What this process knows to be stored, so that it need not ask again.

On SQLite nobody else writes: the process holds the file's lock. There each value is read once, kept while it
is among those used last, and changed together with the store; on PostgreSQL, where others write as well,
nothing is kept and every question is asked. Who edits a file by hand does so while the bot is stopped.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar, cast

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Read = TypeVar("Read")  # V, or V | None where there may be nothing


class Cache(Generic[K, V]):
    """Values of one kind by key, `most` of them. They are shared: nobody may change one in place. alone:
    whether this process is the only writer."""

    def __init__(self, most: int, *, alone: bool) -> None:
        self._values: LRUCache[K, V] = LRUCache(most)
        self._alone = alone
        self._changes = 0

    def known(self, key: K) -> V | None:
        """The value, where it is known."""
        return self._values.get(key)

    async def get(self, key: K, read: Callable[[], Awaitable[Read]]) -> V | Read:
        """The value, read where it is not known; None is not kept. Nor is what is read while something
        changes: it may have been read before the change."""
        known = self._values.get(key)
        if known is not None:
            return known
        changes = self._changes
        value = await read()
        if self._alone and changes == self._changes and value is not None:
            self._values[key] = cast("V", value)
        return value

    def put(self, key: K, value: V) -> None:
        """This is stored now."""
        self._changes += 1
        if self._alone:
            self._values[key] = value

    def drop(self, key: K) -> None:
        """Something else is stored now: ask again."""
        self._changes += 1
        self._values.pop(key, None)

    def clear(self) -> None:
        self._changes += 1
        self._values.clear()
