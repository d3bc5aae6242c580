"""When what failed is tried again."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from cachetools import LRUCache

from bot.tables.model import TableId

RETRIES = (10.0, 30.0, 120.0)  # seconds
AFTER_TROUBLE = timedelta(minutes=40)  # how long one is left alone where Discord is in trouble
AFTER_REFUSAL = timedelta(days=1)  # how long where a permission is missing
KEPT = 4096  # tables with tries under way
EARLY = 0.1  # seconds by which a timer may ring before its time


class Tries:
    """The quick tries of what failed for now: a few for each table, after longer and longer waits. What comes
    by before the next one's time (a change, a sweep, a timer of something else) uses none of them up."""

    def __init__(self) -> None:
        # how many, and the loop time of the next one
        self._made: LRUCache[TableId, tuple[int, float]] = LRUCache(KEPT)

    def after(self, table: TableId, least: float = 0.0) -> float | None:
        """It failed: seconds until the next try, `least` at least; None where all were made."""
        now = asyncio.get_running_loop().time()
        made, due = self._made.get(table, (0, now))
        if due - now > EARLY:
            due = max(due, now + least)
        elif made < len(RETRIES):
            made, due = made + 1, now + max(RETRIES[made], least)
        else:
            return None
        self._made[table] = (made, due)
        return due - now

    def all_made(self, table: TableId) -> bool:
        return self._made.get(table, (0, 0.0))[0] >= len(RETRIES)

    def use_up(self, table: TableId) -> None:
        """It is tried now and, for the time being, not again."""
        self._made[table] = (len(RETRIES), 0.0)

    def forget(self, table: TableId) -> None:
        """It went well, is not wanted any more, or is tried from the start."""
        self._made.pop(table, None)
