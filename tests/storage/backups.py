"""Backups for tests: of databases of every schema there has been, and of both kinds."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bot.storage import backup, restoring
from bot.storage.restoring import How
from bot.storage.snapshot import Figures, Measure, at_one_moment, scratch_in
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


async def held(url: str, folder: Path) -> Figures:
    """What that database holds, but for how far its messages are painted and what is to be looked for: a
    restore leaves that open."""
    with scratch_in(folder) as scratch:
        return await at_one_moment(
            url, scratch, lambda moment: _figures((of.name, moment.lines(of)) for of in moment.tables)
        )


def held_in(backup: Path) -> Figures:
    """The same of a backup."""
    with zipfile.ZipFile(backup) as archive:
        members = [name for name in archive.namelist() if name.endswith(".jsonl")]
        return _figures((name.removesuffix(".jsonl"), archive.open(name)) for name in members)


def _figures(tables: Iterable[tuple[str, Iterable[bytes]]]) -> Figures:
    measure = Measure()
    for name, lines in tables:
        kept = (line for line in lines if name != "posts" or b'"purpose":"lost since a backup' not in line)
        measure.of(name, (re.sub(rb'"painted":\d+', b'"painted":0', line) for line in kept))
    return measure.figures()


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
