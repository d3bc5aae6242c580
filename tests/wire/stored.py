"""What is in a database, read beside the bot that writes to it. Questions are SQL with `?` for values."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from itertools import count
from threading import Thread
from typing import Any, Protocol

import asyncpg
from sqlalchemy.engine import make_url

Row = tuple[Any, ...]


class Stored(Protocol):
    def ask(self, query: str, *values: object) -> list[Row]: ...

    def close(self) -> None: ...


class InFile:
    """A SQLite file."""

    def __init__(self, path: str) -> None:
        self._address = f"file:{path}?mode=ro"

    def ask(self, query: str, *values: object) -> list[Row]:
        with closing(sqlite3.connect(self._address, uri=True, timeout=10)) as connection:
            return connection.execute(query, values).fetchall()

    def close(self) -> None:
        pass


class OnServer:
    """A database on PostgreSQL. Its driver wants an event loop, and who asks may be in one: so it has one of
    its own, in a thread."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._connection: asyncpg.Connection[Any] | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def ask(self, query: str, *values: object) -> list[Row]:
        numbers = count(1)
        numbered = "".join(f"${next(numbers)}" if letter == "?" else letter for letter in query)
        return asyncio.run_coroutine_threadsafe(self._ask(numbered, values), self._loop).result()

    async def _ask(self, query: str, values: tuple[object, ...]) -> list[Row]:
        if self._connection is None:
            self._connection = await asyncpg.connect(self._address)
        return [tuple(row) for row in await self._connection.fetch(query, *values)]

    def close(self) -> None:
        if self._connection is not None:
            asyncio.run_coroutine_threadsafe(self._connection.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def stored_at(database: str) -> Stored:
    """database: its address, as the store takes it."""
    url = make_url(database)
    if url.get_backend_name() == "sqlite":
        assert url.database is not None
        return InFile(url.database)
    return OnServer(url.set(drivername="postgresql").render_as_string(hide_password=False))
