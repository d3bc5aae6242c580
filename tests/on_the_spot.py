"""What costs much and is not the matter of most tests, done once or on the spot.

A store without threads and without waiting for the disk, migrated once, its statements compiled once for all;
the commands' texts, translated once; the cogs, read once; what goes through simcord, copied as JSON.

A transaction on SQLite goes to a thread and back, which costs several times what SQLite itself does. Here it
is carried out on the spot. Others get a turn of the loop before it and one before its answer comes; or, with
`whole`, none, so that it is one step.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from discord.app_commands import Command, Group
from discord.ext import commands
from sqlalchemy import Connection, Engine, event
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite as Dialect

from bot import private_files
from bot.client import Parlour
from bot.drawing import _draw
from bot.players import advise, choose
from bot.players.contract import Advice
from bot.rules.chance import Generator
from bot.rules.game import View
from bot.storage import databases, files
from bot.tables.computers import in_threads
from rendering.scene import Picture

T = TypeVar("T")


class _AtOnce:
    """Instead of aiosqlite's threads."""

    def __init__(self, engine: Engine, most: int) -> None:
        """There are none: the engine connects where it is asked."""

    async def do(self, work: Callable[[], T]) -> T:
        return work()

    async def close(self) -> None:
        """Nothing to end."""


class _InTurns(_AtOnce):
    async def do(self, work: Callable[[], T]) -> T:
        await asyncio.sleep(0)
        try:
            return work()
        finally:
            await asyncio.sleep(0)


@contextmanager
def quick_store(*, whole: bool = False) -> Iterator[None]:
    """Stores on SQLite that are opened meanwhile. whole: whether a transaction is one step."""
    drivers, real = databases.Drivers, files._make

    def make(path: Path) -> int:
        count, made = _migrated(real)
        private_files.create(path)
        path.write_bytes(made)
        return count

    databases.Drivers = _AtOnce if whole else _InTurns  # type: ignore[misc, assignment]
    files._make = make
    event.listen(Engine, "connect", _not_written_through)
    event.listen(Engine, "engine_connect", _compiled_for_all)
    try:
        yield
    finally:
        event.remove(Engine, "engine_connect", _compiled_for_all)
        event.remove(Engine, "connect", _not_written_through)
        databases.Drivers, files._make = drivers, real  # type: ignore[misc]


class _Here:
    """Instead of processes for computer players."""

    def __init__(self, observe: object = None) -> None:
        self.choose = in_threads(choose)
        self.advise = in_a_thread
        self.run = asyncio.to_thread

    def close(self) -> None:
        """Nothing to end."""

    async def ended(self) -> None:
        """There are none."""


async def in_a_thread(game: str, view: View, chance: Generator) -> Advice:
    """A hint, found in a thread of this process."""
    return await asyncio.to_thread(advise, game, view, chance)


class _DrawnHere:
    """Instead of processes that draw."""

    def __init__(self, workers: int, observe: object = None) -> None:
        self.draw = drawn_here
        self.begun = 0

    def begin(self) -> None:
        """There is nothing to begin; it is counted."""
        self.begun += 1

    def close(self) -> None:
        """Nothing to end."""

    async def ended(self) -> None:
        """There are none."""


async def drawn_here(module: str, function: str, *given: object) -> tuple[Picture, ...]:
    """What a picture function draws, in a thread of this process."""
    return (await asyncio.to_thread(_draw, module, function, *given))[0]


@contextmanager
def working_here() -> Iterator[None]:
    """Bots that are made meanwhile think and draw in threads of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.client.Thinkers", _Here)
        patch.setattr("bot.client.Drawers", _DrawnHere)
        yield


@cache
def _migrated(make: Callable[[Path], int]) -> tuple[int, bytes]:
    """How many migrations make a new database, and the file that they made."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "new.db"
        return make(path), path.read_bytes()


def _not_written_through(connection: Any, _record: object) -> None:
    if "sqlite" in type(connection).__module__:  # a test may have a PostgreSQL beside it
        connection.cursor().execute("PRAGMA synchronous = OFF")


class _Same(Dialect):
    """To SQLAlchemy each engine's dialect is one of its own: what is compiled for one serves no other. Here
    all of a class are the same."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


def _compiled_for_all(connection: Connection) -> None:
    if type(connection.dialect) is Dialect:
        connection.dialect.__class__ = _Same
    if type(connection.dialect) is _Same:
        connection.execution_options(compiled_cache=_compiled)


_compiled: dict[Any, Any] = {}


# ------------------------------------------------------------------------------- commands and cogs


@contextmanager
def commands_translated_once() -> Iterator[None]:
    """What Discord is told about the commands: the same for every bot of a run."""
    kinds: tuple[Any, ...] = (Command, Group)
    before = [kind.get_translated_payload for kind in kinds]

    def once(real: Any) -> Any:
        async def get_translated_payload(command: Any, tree: Any, translator: Any) -> Any:
            if command.parent is not None:
                return await real(command, tree, translator)
            if command.name not in _told:
                _told[command.name] = json.dumps(await real(command, tree, translator))
            return json.loads(_told[command.name])

        return get_translated_payload

    for kind, real in zip(kinds, before, strict=True):
        kind.get_translated_payload = once(real)
    try:
        yield
    finally:
        for kind, real in zip(kinds, before, strict=True):
            kind.get_translated_payload = real


_told: dict[str, str] = {}  # by a command's name


@contextmanager
def cogs_read_once() -> Iterator[None]:
    """discord.py reads an extension's source anew for each bot."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Parlour, "load_extension", _load)
        yield


async def _load(bot: commands.Bot, name: str) -> None:
    await import_module(name).setup(bot)


@contextmanager
def quick_simcord() -> Iterator[None]:
    """What goes through it is JSON, which it copies several times and needs no `deepcopy` for. The callbacks
    of which it takes one out of its list each time are told apart by what they are, not by what they hold."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("backend.serializers", "components", "results"):
            patch.setattr(f"simcord.{name}.deepcopy", _copied)
        for name in ("gateway", "http.router"):
            patch.setattr(f"simcord.{name}.copy", SimpleNamespace(deepcopy=_copied))
        patch.setattr("simcord._runtime._CallbackRecord.__eq__", object.__eq__)
        yield


def _copied(value: Any) -> Any:
    if type(value) is dict:
        return {key: _copied(one) for key, one in value.items()}
    if type(value) is list:
        return [_copied(one) for one in value]
    return value if type(value) in ATOMS else copy.deepcopy(value)


ATOMS = frozenset({str, int, float, bool, type(None)})
