"""A lock for each of many things."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

Key = TypeVar("Key")


class Locks(Generic[Key]):
    """One lock a key, as `async with locks[key]`. It lives only while somebody holds or awaits it."""

    def __init__(self) -> None:
        self._alive: WeakValueDictionary[Key, asyncio.Lock] = WeakValueDictionary()

    def __getitem__(self, key: Key) -> asyncio.Lock:
        lock = self._alive.get(key)
        if lock is None:
            lock = self._alive[key] = asyncio.Lock()
        return lock

    def __len__(self) -> int:
        """How many are held or awaited."""
        return len(self._alive)
