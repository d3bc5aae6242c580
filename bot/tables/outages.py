"""Until when the bot was there for each of Discord's shards, and what follows from not having been.

While a shard is connected that is noted every half minute, and at a stop. Where it was not for `GRACE` or
longer, because no process ran, Discord was out of reach or the computer slept, nobody could play: what ran
on meanwhile (turns, questions, lobbies) is moved on by the whole length of it, by 14 days at most, once. What
had run out before stays so. Shorter outages, an update for example, change nothing: what fell due meanwhile
is done once, the latest stage of each only. Seats that no human plays have no time to lose.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from .deadlines import MOST_CLOCK
from .model import shard_of
from .ports import Clock, Store, StoreTrouble

log = logging.getLogger(__name__)

EVERY = timedelta(seconds=30)  # how often it is noted
GRACE = timedelta(minutes=5)  # an outage from this length on moves what ran on
MOST = timedelta(seconds=MOST_CLOCK)  # by which anything is moved
SOON = 2.0  # seconds after which it is looked again whether anything is connected


class Outages:
    """here: the shards of this process that are connected just now. shards: how many there are in all."""

    def __init__(
        self, store: Store, clock: Clock, here: Callable[[], Sequence[int]], *, shards: int = 1
    ) -> None:
        self._store = store
        self._clock = clock
        self._here = here
        self._shards = shards
        self._served: dict[int, datetime] = {}  # until when, of those that have been connected ever since
        self._listeners: list[Callable[[Callable[[int], bool]], None]] = []
        self._noting = asyncio.Lock()
        self._watching = False

    def listen(self, listener: Callable[[Callable[[int], bool]], None]) -> None:
        """Told when deadlines were moved, and on which servers: what is known of a table may be out of
        date."""
        self._listeners.append(listener)

    async def watch(self) -> float:
        """A job: note that what is connected is served; seconds until it is to be done again. While it runs,
        a leap of the time is known for what it is, the sleep of a computer."""
        self._watching = True
        await self._note(EVERY / 2)
        return EVERY.total_seconds() if self._here() else SOON

    async def served(self) -> bool:
        """Whether anybody could play just now, so that the clock may act: with what an outage moved moved."""
        await self._note(timedelta.max)
        return bool(self._here())

    def reached(self, guild: int) -> bool:
        """Whether who is on that server (0: in direct messages) can play just now."""
        return shard_of(guild, self._shards) in self._here()

    async def leave(self) -> None:
        """The process stops: what is connected was served until now."""
        with suppress(StoreTrouble):  # else until it was noted last
            await self._note(timedelta(0))

    async def _note(self, every: timedelta) -> None:
        """every: how old the last note may be of a shard that has been served ever since."""
        async with self._noting:
            now, here = self._clock.now(), self._here()
            for shard in self._served.keys() - here:
                del self._served[shard]
            back = [shard for shard in here if self._was_away(shard, now)]
            stayed = [one for one in here if one not in back and now - self._served[one] >= every]
            if stayed:
                await self._store.serve(stayed, self._shards, now, timedelta.max, MOST)
            moved = await self._store.serve(back, self._shards, now, GRACE, MOST) if back else {}
            self._served |= dict.fromkeys([*stayed, *back], now)
        if moved:
            log.warning(
                "nobody could play for a while: all times that ran on meanwhile were moved on, by %s",
                ", ".join(f"{by} (shard {shard})" for shard, by in sorted(moved.items())),
            )
            for listener in self._listeners:
                listener(lambda guild: shard_of(guild, self._shards) in moved)

    def _was_away(self, shard: int, now: datetime) -> bool:
        """A watch that is late by so much did not run: the computer slept."""
        last = self._served.get(shard)
        return last is None or (self._watching and now - last >= 2 * EVERY)
