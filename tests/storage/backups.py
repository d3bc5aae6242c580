"""Backups for tests: of databases of every schema there has been, and of both kinds."""

from __future__ import annotations

import asyncio
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bot.storage import backup, restoring
from bot.storage.restoring import How
from bot.storage.snapshot import Figures, at_one_moment, scratch_in
from tests.storage.make_fixture import FOLDER

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)


def address(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path}"


def stored(path: Path, version: str) -> Path:
    """A filled database file of that schema."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FOLDER / f"{version}.sql").read_text(encoding="utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    return path


async def figures(url: str, folder: Path) -> Figures:
    """What that database holds."""
    with scratch_in(folder) as scratch:
        return await at_one_moment(url, scratch, lambda moment: moment.figures())


async def make(url: str, target: Path, now: datetime = NOW) -> backup.Manifest:
    return await asyncio.to_thread(backup.make, url, target, now)


async def restore(file: Path, url: str, folder: Path, how: How = How()) -> restoring.Restored:  # noqa: B008
    return await asyncio.to_thread(restoring.restore, file, url, folder, NOW, how)


async def move(source: str, target: str, folder: Path, how: How = How()) -> restoring.Restored:  # noqa: B008
    return await asyncio.to_thread(restoring.move, source, target, folder, NOW, how)


def rewritten(source: Path, target: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """The same archive with other members, made as zip tools do; None: the member is left out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = change(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return target
