"""What this process knows to be stored, so that it need not ask again.

On SQLite nobody else writes: the process holds the file's lock. So it is on PostgreSQL where one process
holds all shards. There each value is read once, kept while it is among those used last, and changed together
with the store, by one transaction after another. Where several processes write, settings are kept, since each
tells the others of those, and nothing else; nothing at all while it is not known what was told. Who edits a
database by hand does so while the bot is stopped.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar, cast

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Read = TypeVar("Read")  # V, or V | None where there may be nothing


class Writes:
    """The write transactions of one store, or of a part of it that no others write to: how many have begun,
    and how many are under way. One is under way until what it came to is known here too, which is later than
    others can read it. in_touch: whether what others store would be heard of. settled: tells whether
    nothing that this process gave up can still be stored."""

    def __init__(self, settled: Callable[[], bool] = lambda: True) -> None:
        self.begun = 0
        self.in_touch = True
        self._settled = settled
        self._under_way = 0

    def __enter__(self) -> None:
        self.begun += 1
        self._under_way += 1

    def __exit__(self, *_: object) -> None:
        self._under_way -= 1

    def by_another(self) -> None:
        """Another process has stored something."""
        self.begun += 1

    @property
    def known(self) -> bool:
        """Whether everything that is stored is heard of."""
        return self.in_touch and self._settled()

    @property
    def quiet(self) -> bool:
        return self._under_way == 0


class Cache(Generic[K, V]):
    """Values of one kind by key, `most` of them. They are shared: nobody may change one in place. `known` is
    asked by transactions, in whichever thread they run.

    writes: all that may change them. alone: whether this process is the only writer. told: whether the
    others tell what they write; then what is kept may be older by a moment, and what is written is asked of
    the database."""

    def __init__(self, most: int, writes: Writes, *, alone: bool, told: bool = False) -> None:
        self._values: LRUCache[K, V] = LRUCache(most)
        self._lock = Lock()  # looking something up changes which was used last
        self._writes = writes
        self._alone = alone
        self._kept = alone or told

    def known(self, key: K) -> V | None:
        """The value as it is stored for certain, where that is known."""
        return self._kept_for(key) if self._alone else None

    def _kept_for(self, key: K) -> V | None:
        with self._lock:
            return self._values.get(key)

    def _keep(self, key: K, value: V) -> None:
        with self._lock:
            self._values[key] = value

    async def get(self, key: K, read: Callable[[], Awaitable[Read]]) -> V | Read:
        """The value, read where it is not known; None is not kept. Nor is what is read while something is
        written: it may be older or newer than what else is known, and what follows from the write would be
        added to the one or missing in the other."""
        known = self._kept_for(key)
        if known is not None:
            return known
        quiet, begun = self._writes.quiet, self._writes.begun
        value = await read()
        kept = self._kept and self._writes.known
        if kept and quiet and begun == self._writes.begun and value is not None:
            self._keep(key, cast("V", value))
        return value

    def put(self, key: K, value: V) -> None:
        """This is stored now, or was a moment ago. Told within the write."""
        if self._alone and self._writes.known:
            self._keep(key, value)
        else:
            self.drop(key)

    def drop(self, key: K) -> None:
        """Something else is stored now: ask again. Told within the write, by whichever process."""
        with self._lock:
            self._values.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
