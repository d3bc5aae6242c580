"""When the running bot backs itself up, and which backups stay."""

from __future__ import annotations

import asyncio
import errno
import logging
import sys
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.background import STUCK, Background
from bot.backups import (
    AGAIN,
    WORK,
    BackupJob,
    Schedule,
    backups,
    make_in_process,
    name,
    newest_backup,
    schedule,
    too_old,
)
from bot.settings import Settings

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
DAILY = Schedule(DAY, 3)


class Days:
    """A bot that is started again and again, on a clock that is moved by hand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = NOON
        self.full = False
        self.start()

    def start(self) -> None:
        self.job = BackupJob(self.folder, DAILY, self._make, lambda: self.now)

    async def _make(self, path: Path) -> None:
        if self.full:
            raise OSError(28, "no space left")
        _touch(path)

    @property
    def made(self) -> list[str]:
        return [one.path.name for one in backups(self.folder)]


def _touch(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.touch()


@pytest.mark.parametrize(
    ("given", "means"),
    [
        ("", None),
        ("hourly:24", Schedule(timedelta(hours=1), 24)),
        ("daily:7", Schedule(DAY, 7)),
        ("weekly:1", Schedule(7 * DAY, 1)),
    ],
)
def test_a_schedule_is_a_word_and_a_number(given: str, means: Schedule | None) -> None:
    assert schedule(given) == means
    assert Settings(_env_file=None, parlour_backups=given).backup_schedule == means  # type: ignore[call-arg]


@pytest.mark.parametrize("given", ["daily", "daily:0", "daily:-1", "monthly:2", "daily:7 ", "7", "daily:٣"])
def test_anything_else_is_no_schedule(given: str) -> None:
    with pytest.raises(ValidationError):
        Settings(_env_file=None, parlour_backups=given)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="no schedule"):
        schedule(given)


async def test_the_first_is_made_at_once_and_the_next_a_period_later(tmp_path: Path) -> None:
    days = Days(tmp_path / "backups")
    assert await days.job() == DAY.total_seconds()
    assert days.made == ["scheduled-20270301T120000Z.zip"]
    days.now += DAY
    assert await days.job() == DAY.total_seconds()
    assert len(days.made) == 2


async def test_a_restart_neither_delays_nor_repeats_one(tmp_path: Path) -> None:
    days = Days(tmp_path)
    await days.job()
    days.now += 0.75 * DAY
    days.start()
    assert await days.job() == (0.25 * DAY).total_seconds()
    assert len(days.made) == 1
    days.now += 3 * DAY
    days.start()
    assert await days.job() == DAY.total_seconds()
    assert len(days.made) == 2


async def test_the_newest_are_kept_and_what_others_made_is_left_alone(tmp_path: Path) -> None:
    for other in (name(NOON - 300 * DAY), "scheduled-20271301T120000Z.zip", "notes.txt"):
        (tmp_path / other).touch()
    days = Days(tmp_path)
    for _ in range(5):
        await days.job()
        days.now += DAY
    assert days.made == [
        "parlour-20260505T120000Z.zip",
        *(f"scheduled-2027030{day}T120000Z.zip" for day in (3, 4, 5)),
    ]
    assert (tmp_path / "notes.txt").exists()


async def test_one_that_fails_is_told_once_and_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    days = Days(tmp_path)
    days.full = True
    for _ in range(3):
        assert await days.job() == AGAIN.total_seconds()
        days.now += AGAIN
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    days.full = False
    await days.job()
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
    assert len(days.made) == 1


async def test_where_it_could_not_be_written_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A folder of another account's, say."""

    async def make(path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "backups")

    await BackupJob(tmp_path, DAILY, make, lambda: NOON)()
    assert "Permission denied: 'backups'" in caplog.text


def test_the_last_good_one_is_too_old_after_twice_its_period(tmp_path: Path) -> None:
    def late(now: datetime) -> bool:
        newest = newest_backup(tmp_path, now)
        return too_old(None if newest is None else newest.made, DAILY, now)

    assert newest_backup(tmp_path / "missing", NOON) is None
    assert late(NOON)
    (tmp_path / name(NOON)).touch()
    (tmp_path / f".{name(NOON + DAY)}.new").touch()  # one that was not finished
    newest = newest_backup(tmp_path, NOON)
    assert newest is not None
    assert newest.made == NOON
    assert not late(NOON + 2 * DAY)
    assert late(NOON + 2 * DAY + timedelta(seconds=1))


async def test_a_name_from_the_future_holds_nothing_up(tmp_path: Path) -> None:
    (tmp_path / name(NOON + 400 * DAY)).touch()
    assert newest_backup(tmp_path, NOON) is None
    assert await Days(tmp_path).job() == DAY.total_seconds()


async def test_those_of_a_clock_that_was_ahead_are_the_first_to_go(tmp_path: Path) -> None:
    days = Days(tmp_path)
    days.now += 400 * DAY
    for _ in range(DAILY.keep):
        await days.job()
        days.now += DAY
    days.now = NOON
    for _ in range(DAILY.keep):
        assert await days.job() == DAY.total_seconds()
        assert newest_backup(tmp_path, days.now) is not None
        days.now += DAY
    assert days.made == [f"scheduled-2027030{day}T120000Z.zip" for day in (1, 2, 3)]


def _instead(monkeypatch: pytest.MonkeyPatch, script: str) -> asyncio.Queue[asyncio.subprocess.Process]:
    """What a backup's process does; the processes that were started."""
    real = asyncio.create_subprocess_exec
    started: asyncio.Queue[asyncio.subprocess.Process] = asyncio.Queue()

    async def start(*arguments: str, **options: Any) -> asyncio.subprocess.Process:
        process = await real(sys.executable, "-S", "-c", script, arguments[-1], **options)
        started.put_nowait(process)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    return started


async def test_a_backup_is_made_by_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _instead(monkeypatch, "import os, sys; open(sys.argv[1], 'w').write(os.environ['DATABASE_URL'])")
    await make_in_process("sqlite:///here.db", lambda: None, tmp_path / "one.zip")
    assert (tmp_path / "one.zip").read_text() == "sqlite:///here.db"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("import sys; sys.stderr.write('No room.\\n'); sys.exit(2)", "No room."),
        ("raise RuntimeError('postgresql://me:hunter2@db')", "exit code 1"),
    ],
)
async def test_why_there_is_none_is_told_by_who_could_not_make_it(
    script: str,
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    _instead(monkeypatch, script)
    job = BackupJob(
        tmp_path, DAILY, partial(make_in_process, "sqlite:///here.db", lambda: None), lambda: NOON
    )
    assert await job() == AGAIN.total_seconds()
    assert f"no backup could be made ({why})" in caplog.text
    assert "hunter2" not in caplog.text


async def test_one_that_takes_long_is_not_ill_while_it_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.backups.LOOKS", 0.0)
    started = _instead(monkeypatch, "import sys; sys.stdin.read(); import time; time.sleep(999)")
    background, grown = Background(), asyncio.Event()

    def came_on() -> None:
        background.came_on(WORK)
        grown.set()

    async def work() -> None:
        await make_in_process("sqlite:///here.db", came_on, tmp_path / "one.zip")

    job = background.spawn(WORK, work)
    await started.get()
    job.began -= STUCK + 1
    assert background.dead() == [WORK]
    scratch = tmp_path / ".parlour-some"
    scratch.mkdir()
    for size in (1, 2):
        grown.clear()
        job.began -= STUCK + 1
        (scratch / "backup.zip").write_bytes(b"x" * size)
        await grown.wait()
        assert background.dead() == []
    await background.close(0.0)


async def test_a_bot_that_stops_waits_for_no_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = _instead(monkeypatch, "import sys; sys.stdin.read(); import time; time.sleep(999)")
    task = asyncio.create_task(make_in_process("sqlite:///here.db", lambda: None, tmp_path / "one.zip"))
    process = await started.get()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert process.returncode is not None
