"""The other processes on a PostgreSQL database: which of Discord's shards each holds, and what they tell each
other.

A process has one connection for this beside those it works with. It holds an advisory lock on each of its
shards, which the server frees however the process dies, and listens: what another has stored or asks is told
by NOTIFY (`told`). A connection that is lost is made anew; whatever was told meanwhile was missed (`missed`).
Where a shard is held by another by then, this process must not go on (`asked`).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from bot.tables.ports import ShardsCounted, ShardsHeld

log = logging.getLogger(__name__)

# First keys of the advisory locks; the second is the shard, into how many shards the servers are divided, or
# the process.
SHARD_LOCK = 0x50414C52
COUNT_LOCK = 0x50414C43
PROCESS_LOCK = 0x50414C50
CHANNEL = "parlour"
STOP = "stop"  # the word by which a process asks those before it to hand their shards over

HANDING_OVER = 30.0  # seconds that a process before this one gets to stop
PULSE = 15.0  # seconds between two looks at whether the connection still stands
ANSWERS = 10.0  # seconds that the server may take to answer one
AGAIN = 1.0  # seconds between two tries to connect anew

_TRY = "SELECT pg_try_advisory_lock($1, $2)"
_OTHERS = (
    "SELECT array_agg(DISTINCT objid::int) FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = $1"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND objid::bigint <> $2"
)


class Neighbours:
    """Made by `open`. shards: those that this process serves, of `count` in all (None: nobody says).

    me: this process, among those on the database. told: called with the words of every message of another.
    missed: called when messages may have been missed. asked: called when this process is to stop, because
    another takes its shards over.
    """

    def __init__(self, address: URL, shards: Sequence[int], count: int | None) -> None:
        self._engine = create_async_engine(address, hide_parameters=True, poolclass=NullPool)
        self._shards = tuple(sorted(shards))
        self._count = count
        self._key = secrets.randbelow(2**31)
        self._connection: Any = None  # SQLAlchemy's, and the driver's own below
        self._driver: Any = None
        self._pulse: asyncio.Task[None] | None = None
        self._lost = asyncio.Event()
        self.me = f"{self._key:08x}"
        self.told: Callable[[Sequence[str]], None] = lambda words: None
        self.missed: Callable[[], None] = lambda: None
        self.asked: Callable[[], None] = lambda: None

    @property
    def listening(self) -> bool:
        """Whether everything that others tell arrives here now."""
        return self._driver is not None and not self._lost.is_set()

    @property
    def alone(self) -> bool:
        """Whether no other process may serve anything, and nobody else writes: all shards are held here."""
        return self._count is not None and len(self._shards) == self._count

    async def open(self, *, take_over: bool) -> None:
        """Take the shards and listen. take_over: ask who holds one to hand it over, and wait for that. Raises
        ShardsHeld, ShardsCounted."""
        await self._connect()
        await self._take(take_over)
        self._pulse = asyncio.create_task(self._watch(), name="neighbours")

    async def close(self) -> None:
        """Hand the shards back. Twice does no harm."""
        if self._pulse is not None:
            self._pulse.cancel()
            await asyncio.wait([self._pulse])
            self._pulse = None
        await self._disconnect()
        await self._engine.dispose()

    # the connection

    async def _connect(self) -> None:
        self._connection = await self._engine.connect()
        raw = await self._connection.get_raw_connection()
        driver = raw.driver_connection
        self._lost.clear()
        driver.add_termination_listener(lambda _: self._lost.set())
        await driver.add_listener(CHANNEL, self._heard)
        self._driver = driver

    async def _disconnect(self) -> None:
        connection, self._connection, self._driver = self._connection, None, None
        if connection is not None:
            await connection.invalidate()
            await connection.close()

    def _heard(self, driver: object, process: int, channel: str, message: str) -> None:
        sender, *words = message.split(" ")
        if sender == self.me or not words:
            return
        if words[0] == STOP:
            if self._must_stop(words[1:]):
                log.info("another process takes over")
                self.asked()
            return
        try:
            self.told(words)
        except Exception:
            log.exception("what another process told was not understood")

    def _must_stop(self, words: Sequence[str]) -> bool:
        """Whether who takes these shards over cannot serve them beside this process."""
        count, *shards = (int(word) for word in words)
        other = bool(count) and self._count is not None and count != self._count
        return other or not set(self._shards).isdisjoint(shards)

    async def _watch(self) -> None:
        """Notice that the connection is lost, and make it anew."""
        while True:
            try:
                async with asyncio.timeout(PULSE):
                    await self._lost.wait()
            except TimeoutError:
                try:
                    await self._driver.fetchval("SELECT 1", timeout=ANSWERS)
                except Exception as error:  # each driver has errors of its own
                    log.debug("no answer", exc_info=error)
                else:
                    continue
            log.warning("the connection to the other processes is lost")
            self._lost.set()
            self.missed()
            await self._anew()

    async def _anew(self) -> None:
        while True:
            try:
                await self._disconnect()
                await self._connect()
                await self._take(take_over=False)
            except (ShardsHeld, ShardsCounted):
                log.error("another process has taken our shards: this one stops")
                self.asked()
                await asyncio.Event().wait()  # until it is closed
            except Exception as error:
                log.debug("not connected", exc_info=error)
                await asyncio.sleep(AGAIN)
            else:
                log.warning("the connection to the other processes stands again")
                self.missed()
                return

    # the shards

    async def _take(self, take_over: bool) -> None:
        await self._driver.fetchval(_TRY, PROCESS_LOCK, self._key)
        held = [shard for shard in self._shards if not await self._driver.fetchval(_TRY, SHARD_LOCK, shard)]
        others = await self._counted()
        if (held or others) and take_over:
            held, others = await self._ask(held)
        if held:
            raise ShardsHeld(held)
        if others:
            raise ShardsCounted(others)

    async def _counted(self) -> list[int]:
        """Other numbers of shards by which processes on this database divide."""
        if self._count is None:
            return []
        await self._driver.execute("SELECT pg_advisory_lock_shared($1, $2)", COUNT_LOCK, self._count)
        others = await self._driver.fetchval(_OTHERS, COUNT_LOCK, self._count)
        return sorted(others or ())

    async def _ask(self, held: Sequence[int]) -> tuple[list[int], list[int]]:
        """What is still held, and counted otherwise, once those before this process were asked to stop."""
        log.info("asking the process before this one to hand over its shards")
        words = " ".join(map(str, (self._count or 0, *self._shards)))
        await self.tell(f"{STOP} {words}")
        left, others = list(held), await self._counted()
        try:
            async with asyncio.timeout(HANDING_OVER):
                while left:
                    await self._driver.execute("SELECT pg_advisory_lock($1, $2)", SHARD_LOCK, left[0])
                    left.pop(0)
                while others:
                    await asyncio.sleep(AGAIN)
                    others = await self._counted()
        except TimeoutError:
            log.warning("no shards were handed over within %s s", HANDING_OVER)
        return left, others

    # telling

    async def tell(self, message: str) -> None:
        """Every other process hears this, outside of any transaction."""
        await self._driver.execute("SELECT pg_notify($1, $2)", CHANNEL, f"{self.me} {message}")
