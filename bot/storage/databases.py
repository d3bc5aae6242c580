"""Where what a store does is carried out: a function on a connection, each in a transaction of its own.

SQLite blocks whoever asks it, so the whole function goes to aiosqlite's thread and comes back once: each way
costs as much as SQLite needs for a small statement, and the event loop does none of the work. PostgreSQL is
asked from the event loop, which goes on whenever an answer is awaited.

So a function must not rely on where it runs: it waits for nothing but its connection, and of what the store
keeps it touches only what may be touched from a thread (`cache`).
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import aiosqlite
from sqlalchemy import Connection, Engine, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from . import engines, trouble, wal

T = TypeVar("T")
TRIES = 5  # times that a transaction which was taken back is begun anew

# The server's processes for this user, but for the one that is asked, that may still store what they wrote.
AT_WORK = text(
    "SELECT pid FROM pg_stat_activity"
    " WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()"
    " AND datname = current_database() AND usename = session_user"
)


class Database(Protocol):
    """engines: of those who write, and of those who read; for who listens to statements."""

    @property
    def engines(self) -> tuple[Engine, Engine]: ...

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Stored as a whole when this returns, or not at all where it raises. Not to be cancelled: what came
        of it would not be known. work: may be carried out again, if what it did was taken back."""

    async def read(self, work: Callable[[Connection], T]) -> T:
        """As of one moment, however many questions are asked. Raises TimeoutError where it was ended for
        lasting too long (`wal.Readings`)."""

    @property
    def settled(self) -> bool:
        """Whether nothing that was given up, with an error or by a cancellation, can still be stored."""

    async def settle(self) -> bool:
        """The same, asked of the database."""

    async def inherit(self) -> None:
        """A process begins to use it: what the one before gave up may not be settled."""

    async def checkpoint(self) -> float | None:
        """A job, see `SqlStore.checkpoint`."""

    async def close(self) -> None:
        """What is under way is finished before."""


class Driver(aiosqlite.Connection):
    """One connection of an engine's, which aiosqlite keeps and uses in a thread of its own."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(lambda: _connected(engine), iter_chunk_size=0)
        self._thread.daemon = True  # as SQLAlchemy does: a store that nobody closed keeps no process alive

    async def do(self, work: Callable[[], T]) -> T:
        """The result of work, carried out in that thread: the engine connects it with this connection."""
        result: T = await self._execute(work)  # type: ignore[no-untyped-call]  # as its own methods do
        return result


def _connected(engine: Engine) -> sqlite3.Connection:
    """The connection that the engine keeps for the thread this is called in."""
    with engine.connect() as connection:  # which tells the driver's errors as all others are told
        found = connection.connection.driver_connection
        assert isinstance(found, sqlite3.Connection)
        return found


class Drivers:
    """So many connections of an engine, each opened when first needed; who finds all in use waits."""

    def __init__(self, engine: Engine, most: int) -> None:
        self._engine = engine
        self._most = most
        self._room = asyncio.Semaphore(most)
        self._free: list[Driver] = []
        self._closed = False

    async def do(self, work: Callable[[], T]) -> T:
        async with self._room:
            if self._closed:
                raise ValueError("the database is closed")
            driver = self._free.pop() if self._free else await self._opened()
            try:
                return await driver.do(work)
            finally:  # what is still under way, where this was cancelled, is finished before the next
                self._free.append(driver)

    async def _opened(self) -> Driver:
        """Opened to its end, whoever stops waiting for it: the others have it then. The engine counts each
        that was begun, and for one too many it closes any of those in use."""
        driver = Driver(self._engine)
        opening = asyncio.ensure_future(driver)
        gone: asyncio.CancelledError | None = None
        while not opening.done():
            try:
                await asyncio.wait({opening})
            except asyncio.CancelledError as error:
                gone = error
        if gone is None:
            await opening
            return driver
        if not opening.cancelled() and opening.exception() is None:
            self._free.append(driver)
        raise gone

    async def close(self) -> None:
        """What is under way is finished before; who waits is refused."""
        self._closed = True
        for _ in range(self._most):
            await self._room.acquire()
        for driver in self._free:
            await driver.close()
        for _ in range(self._most):
            self._room.release()


class Sqlite:
    """One connection that writes, a few that read."""

    settled = True  # nothing is given up: its thread goes on to the end

    def __init__(self, address: URL) -> None:
        in_memory = engines.in_memory(address)
        self._writer = engines.passing() if in_memory else engines.writer(address)
        self._reader = self._writer if in_memory else engines.reader(address)
        self._writing = Drivers(self._writer, 1)
        self._reading = self._writing if in_memory else Drivers(self._reader, engines.READERS)
        self._readings = wal.Readings()
        self.log = None if in_memory else wal.WriteAheadLog(Path(address.database or ""))

    @property
    def engines(self) -> tuple[Engine, Engine]:
        return self._writer, self._reader

    async def write(self, work: Callable[[Connection], T]) -> T:
        def transaction() -> T:
            with self._writer.begin() as connection:
                return work(connection)

        return await self._writing.do(transaction)

    async def read(self, work: Callable[[Connection], T]) -> T:
        now = asyncio.get_running_loop().time

        def transaction() -> T:
            with self._reader.connect() as connection:
                driver = connection.connection.driver_connection
                assert driver is not None
                with self._readings.one(driver, now()):
                    return work(connection)

        return await self._reading.do(transaction)

    async def settle(self) -> bool:
        return self.settled

    async def inherit(self) -> None:
        """Nothing: who had the file has finished, or was taken back with its lock."""

    async def checkpoint(self) -> float | None:
        if self.log is None:
            return None
        await self.log.keep_short(self._readings)
        return wal.EVERY

    async def close(self) -> None:
        for drivers, engine in {self._reading: self._reader, self._writing: self._writer}.items():
            await drivers.close()
            await asyncio.to_thread(engine.dispose)


class Postgresql:
    """One pool."""

    def __init__(self, address: URL) -> None:
        self._writer = engines.postgresql(address)
        self._reader = engines.as_of_one_moment(self._writer)
        self._left: set[int] = set()  # the server's processes that may still store what was given up

    @property
    def settled(self) -> bool:
        return not self._left

    async def settle(self) -> bool:
        """A server's process that has been told to store something does it, however late (a disk that
        stalls, a machine that is paused), though the connection is gone; then it ends."""
        asked = frozenset(self._left)
        self._left -= asked - await self._at_work()
        return self.settled

    async def inherit(self) -> None:
        """Hold what others have written and not stored for given up: of a process whose place is taken."""
        self._left |= await self._at_work()

    async def _at_work(self) -> frozenset[int]:
        return await self.read(lambda connection: frozenset(connection.scalars(AT_WORK)))

    @property
    def engines(self) -> tuple[Engine, Engine]:
        return self._writer.sync_engine, self._reader.sync_engine

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Two who write may each wait for a row that the other has: then the server takes back what one of
        them did, which is done again."""
        for _ in range(TRIES):
            try:
                return await self._written(work)
            except DBAPIError as error:
                if not trouble.taken_back(error):
                    raise
        return await self._written(work)

    async def _written(self, work: Callable[[Connection], T]) -> T:
        driver: Any = None
        process = 0

        def noted(connection: Connection) -> T:
            nonlocal driver, process
            driver = connection.connection.driver_connection
            process = driver.get_server_pid()
            return work(connection)

        try:
            with _reached():
                async with self._writer.begin() as connection:
                    return await connection.run_sync(noted)
        except BaseException:
            if driver is not None and driver.is_closed():  # otherwise the server has told how it ended
                self._left.add(process)
            raise

    async def read(self, work: Callable[[Connection], T]) -> T:
        with _reached():
            async with self._reader.connect() as connection:
                return await connection.run_sync(work)

    async def checkpoint(self) -> float | None:
        return None

    async def close(self) -> None:
        await self._writer.dispose()


@contextmanager
def _reached() -> Iterator[None]:
    """What the network tells, and that no connection comes free, is that the server cannot be reached: what
    is carried out there touches nothing else. Raises Unreached."""
    try:
        yield
    except (OSError, PoolTimeout) as error:
        raise trouble.Unreached(f"{type(error).__name__}: {error}") from error
