"""Backups that the running bot makes by itself: how often, how they are called, which of them are kept.

What a backup is and how one is made is told in `bot.storage.backup`. This knows names and times alone, and
nothing that is heavy, so that the health check may ask it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot import private_files

log = logging.getLogger(__name__)

FOLDER = "backups"  # in the data folder
WORK = "backups"  # what the health check calls the job
PERIODS = {"hourly": timedelta(hours=1), "daily": timedelta(days=1), "weekly": timedelta(weeks=1)}
PATTERN = rf"({'|'.join(PERIODS)}):[1-9][0-9]{{0,3}}"  # of the setting
BY_HAND, BY_ITSELF = "parlour", "scheduled"
AGAIN = timedelta(minutes=10)  # after one that failed
LATE = 2  # periods after which the newest backup is too old
LOOKS = 15.0  # seconds between two looks at whether one that is being made has grown
GENTLE = 10  # how far whoever makes a backup stands back for others, as `nice` counts
REFUSED = 2  # exit code of a command that cannot be carried out, and says why
AHEAD = timedelta(minutes=5)  # that a name may be ahead of the clock
_NAME = re.compile(rf"({BY_HAND}|{BY_ITSELF})-(\d{{8}}T\d{{6}})Z\.zip", re.ASCII)
_TIME = "%Y%m%dT%H%M%S"


@dataclass(frozen=True, slots=True)
class Schedule:
    """How often a backup is made, and how many of those made so are kept."""

    period: timedelta
    keep: int


@dataclass(frozen=True, slots=True)
class Backup:
    """A whole backup in the folder: one that is being made has another name until it is whole. made: by its
    name, which lasts when a file is copied."""

    path: Path
    made: datetime
    by_itself: bool


def schedule(setting: str) -> Schedule | None:
    """What the setting means, None for one that is empty. Raises ValueError."""
    if not setting:
        return None
    if not re.fullmatch(PATTERN, setting):
        raise ValueError("no schedule")
    period, _, keep = setting.partition(":")
    return Schedule(PERIODS[period], int(keep))


def name(now: datetime, kind: str = BY_HAND) -> str:
    return f"{kind}-{now.astimezone(UTC):{_TIME}}Z.zip"


def backups(folder: Path) -> list[Backup]:
    """Those in that folder, oldest first; none where there is no such folder. Raises OSError where it cannot
    be looked into."""
    found: list[Backup] = []
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := _NAME.fullmatch(path.name):
            try:
                made = datetime.strptime(match[2], _TIME).replace(tzinfo=UTC)
            except ValueError:
                continue  # a thirteenth month
            found.append(Backup(path, made, match[1] == BY_ITSELF))
    return sorted(found, key=lambda one: (one.made, one.path.name))


def newest_backup(folder: Path, now: datetime) -> Backup | None:
    """The last good one. One that claims to be of a time to come is none: the clock was wrong. Raises
    OSError."""
    return next((one for one in reversed(backups(folder)) if one.made <= now + AHEAD), None)


def too_old(made: datetime | None, wanted: Schedule, now: datetime) -> bool:
    """Whether the last good backup is older than twice its period, or there is none. made: when it was."""
    return made is None or now - made > LATE * wanted.period


class BackupFailed(Exception):
    """The command's own words, which hold no secret, or its exit code."""


async def make_in_process(database: str, came_on: Callable[[], None], path: Path) -> None:
    """Write a backup of the database of that address by a process of its own, which takes no time from this
    one's event loop, and is killed where nobody waits for it any more. came_on: called now and then while it
    writes, which for a large database takes long. The folder is made where it is missing: the command takes
    one that somebody names and that is not there for an error. Raises BackupFailed, OSError."""
    await asyncio.to_thread(private_files.make_folder, path.parent)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "backup", str(path),
        env={**os.environ, "DATABASE_URL": database},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    watching = asyncio.create_task(_watch(path.parent, came_on), name="backup written")
    try:
        with suppress(OSError, AttributeError):  # Windows has no such thing
            os.setpriority(os.PRIO_PROCESS, process.pid, GENTLE)
        _, said = await process.communicate()
    except BaseException:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise
    finally:
        watching.cancel()
    if process.returncode == REFUSED:
        raise BackupFailed(said.decode(errors="replace").strip())
    if process.returncode:
        raise BackupFailed(f"exit code {process.returncode}")


async def _watch(folder: Path, came_on: Callable[[], None]) -> None:
    """Tells whenever more has been written in the folders in which something is being made."""
    before = 0
    while True:
        await asyncio.sleep(LOOKS)
        now = await asyncio.to_thread(_written, folder)
        if now != before:
            came_on()
        before = now


def _written(folder: Path) -> int:
    """Bytes."""
    found = 0
    for file in folder.glob(f"{private_files.SCRATCH}*/*"):
        with suppress(FileNotFoundError):  # it has just got its name
            found += file.stat().st_size
    return found


class BackupJob:
    """Background work that makes a backup whenever one is due, which counts from the newest there is, so
    that a restart neither delays nor repeats it. make: writes a backup to a path, and raises any Exception
    where that fails. Called, it answers after how many seconds it is to be called again."""

    def __init__(
        self,
        folder: Path,
        wanted: Schedule,
        make: Callable[[Path], Awaitable[object]],
        now: Callable[[], datetime],
    ) -> None:
        self._folder = folder
        self._wanted = wanted
        self._make = make
        self._now = now
        self._failing = False

    async def __call__(self) -> float:
        try:
            wait = await self._due_in()
            if wait > timedelta():
                return wait.total_seconds()
            path = self._folder / name(self._now(), BY_ITSELF)
            await self._make(path)
            log.info("a backup was made: %s", path)
            await asyncio.to_thread(self._thin_out)
        except Exception as error:  # each kind of database has errors of its own
            if not self._failing:  # told once, tried again and again
                # Others may quote what is secret: the database's address.
                why = error if isinstance(error, (BackupFailed, OSError)) else type(error).__name__
                log.error("no backup could be made (%s); it is tried again", why)
                log.debug("no backup could be made", exc_info=error)
            self._failing = True
            return AGAIN.total_seconds()
        if self._failing:
            log.warning("backups can be made again")
        self._failing = False
        return self._wanted.period.total_seconds()

    async def _due_in(self) -> timedelta:
        newest = await asyncio.to_thread(newest_backup, self._folder, self._now())
        return timedelta() if newest is None else newest.made + self._wanted.period - self._now()

    def _thin_out(self) -> None:
        """Of those made by itself the newest stay. One of a time to come counts as old: it was made while the
        clock was wrong, before those that are made now."""
        now = self._now()
        ours = [one for one in backups(self._folder) if one.by_itself]
        ours.sort(key=lambda one: one.made <= now + AHEAD)
        for one in ours[: -self._wanted.keep]:
            one.path.unlink(missing_ok=True)
