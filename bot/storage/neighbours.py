"""The other processes on a PostgreSQL database: which of Discord's shards each holds, and what they tell each
other.

A process has one connection for this beside those it works with. It holds an advisory lock on each of its
shards, which the server frees however the process dies, and listens: what another has stored or asks is told
by NOTIFY (`told`). A connection that is lost is made anew (`lost`, `found`): what was told meanwhile was
missed. Where a shard is held by another by then, this process must not go on (`asked`).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from bot.tables.ports import ShardsCounted, ShardsHeld

from .engines import connecting

log = logging.getLogger(__name__)

# First keys of the advisory locks; the second is the shard, into how many shards the servers are divided, the
# process, or the person who is written to.
SHARD_LOCK = 0x50414C52
COUNT_LOCK = 0x50414C43
PROCESS_LOCK = 0x50414C50
PERSON_LOCK = 0x50414C55
CHANNEL = "parlour"
STOP = "stop"  # the word by which a process asks those before it to hand their shards over

NAMED = 1000  # shards in one message, which has less than 8,000 bytes
HANDING_OVER = 30.0  # seconds that a process before this one gets to stop
PULSE = 15.0  # seconds between two looks at whether the connection still stands
ANSWERS = 10.0  # seconds that the server may take to answer one
AGAIN = 1.0  # seconds between two tries to connect anew

# Of this process itself, before its connection was lost.
_LEFT_BEHIND = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory'"
    " AND classid::bigint = $1 AND objid::bigint = $2 AND pid <> pg_backend_pid()"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_TRY = "SELECT pg_try_advisory_lock($1, $2)"
_OTHERS = (
    "SELECT array_agg(DISTINCT objid::int) FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = $1"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND objid::bigint <> $2"
)


class Neighbours:
    """Made by `open`. shards: those that this process serves, of `count` in all (None: nobody says).

    me: this process, among those on the database. told: called with the words of every message of another.
    lost, found: called when nothing is heard any more, and when it is again. asked: called when this process
    is to stop, because another takes its shards over.
    """

    def __init__(self, address: URL, shards: Sequence[int], count: int | None) -> None:
        self._engine = connecting(address, poolclass=NullPool)
        self.shards = tuple(sorted(shards))
        self.count = count
        self._key = secrets.randbelow(2**31)
        self._connection: Any = None  # SQLAlchemy's, and the driver's own below
        self._driver: Any = None
        self._pulse: asyncio.Task[None] | None = None
        self._lost = asyncio.Event()
        self._asking = asyncio.Lock()  # one question at a time
        self.me = f"{self._key:08x}"
        self.told: Callable[[Sequence[str]], None] = lambda words: None
        self.lost: Callable[[], None] = lambda: None
        self.found: Callable[[], None] = lambda: None
        self.asked: Callable[[], None] = lambda: None

    @property
    def alone(self) -> bool:
        """Whether no other process serves anything: all shards are held here."""
        return self.count is not None and len(self.shards) == self.count

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
        await driver.fetchval(_LEFT_BEHIND, PROCESS_LOCK, self._key)
        await driver.execute("SELECT pg_advisory_lock($1, $2)", PROCESS_LOCK, self._key)
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
        other = bool(count) and self.count is not None and count != self.count
        return other or not set(self.shards).isdisjoint(shards)

    async def _watch(self) -> None:
        """Notice that the connection is lost, and make it anew."""
        while True:
            try:
                async with asyncio.timeout(PULSE):
                    await self._lost.wait()
            except TimeoutError:
                try:
                    async with self._asking:
                        await self._driver.fetchval("SELECT 1", timeout=ANSWERS)
                except Exception as error:  # each driver has errors of its own
                    log.debug("no answer", exc_info=error)
                else:
                    continue
            log.warning("the connection to the other processes is lost")
            self._lost.set()
            self.lost()
            await self._anew()

    async def _anew(self) -> None:
        while True:
            try:
                async with self._asking:
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
                self.found()
                return

    # the shards

    async def _take(self, take_over: bool) -> None:
        held = [shard for shard in self.shards if not await self._driver.fetchval(_TRY, SHARD_LOCK, shard)]
        others = await self._counted()
        if (held or others) and take_over:
            held, others = await self._ask(held)
        if others:  # told first: which shards are whose says nothing then
            raise ShardsCounted(others)
        if held:
            raise ShardsHeld(held)

    async def _counted(self) -> list[int]:
        """Other numbers of shards by which processes on this database divide."""
        if self.count is None:
            return []
        await self._driver.execute("SELECT pg_advisory_lock_shared($1, $2)", COUNT_LOCK, self.count)
        others = await self._driver.fetchval(_OTHERS, COUNT_LOCK, self.count)
        return sorted(others or ())

    async def _ask(self, held: Sequence[int]) -> tuple[list[int], list[int]]:
        """What is still held, and counted otherwise, once those before this process were asked to stop."""
        log.info("asking the process before this one to hand over its shards")
        for start in range(0, len(self.shards), NAMED):
            message = self.message(STOP, self.count or 0, *self.shards[start : start + NAMED])
            await self._driver.execute("SELECT pg_notify($1, $2)", CHANNEL, message)
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

    # people

    async def hold_person(self, user: int) -> bool:
        """Whether this process alone writes to that person until `let_go` (or its death)."""
        return bool(await self._ask_lock(_TRY, user))

    async def let_go(self, user: int) -> None:
        await self._ask_lock("SELECT pg_advisory_unlock($1, $2)", user)

    async def _ask_lock(self, question: str, user: int) -> object:
        async with self._asking:
            if self._lost.is_set() or self._driver is None:
                return None
            try:
                return await self._driver.fetchval(question, PERSON_LOCK, user % 2**31, timeout=ANSWERS)
            except Exception as error:  # lost in this moment
                log.debug("no answer", exc_info=error)
                self._lost.set()  # whether that person is held is not known: with the connection it ends
                return None

    # telling

    def message(self, *words: object) -> str:
        """What the others are to hear of this process, for the channel."""
        return " ".join(map(str, (self.me, *words)))
