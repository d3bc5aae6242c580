"""A folder or file that cannot be written ends the start in one sentence, before anybody logs in."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.locale import text
from bot.storage import SqlStore, probe
from bot.tables.ports import StoreUnusable
from tests.tables.support import ADA, BEN, open_rig

ROOT = Path(__file__).parents[2]
NOBODY = 65534
# root itself, held to the rights of files as everybody else is
WITHOUT_OVERRIDE = ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner")


def _can() -> bool:
    return (
        os.name == "posix"
        and os.geteuid() == 0
        and shutil.which("setpriv") is not None
        and not subprocess.run([*WITHOUT_OVERRIDE, "true"], check=False, capture_output=True).returncode
    )


as_root = pytest.mark.skipif(not _can(), reason="only root may give files to somebody else")


def start(folder: Path) -> tuple[int, str]:
    """`python -m bot run`: exit code, what it says. Whoever logs in gets another sentence: with that token,
    Discord refuses it or is not reached."""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DATA_DIR": str(folder), "DISCORD_TOKEN": "t"}
    done = subprocess.run(
        [*WITHOUT_OVERRIDE, sys.executable, "-m", "bot", "run"],
        cwd="/",
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stderr


def give(*paths: Path) -> None:
    for path in paths:
        os.chown(path, NOBODY, NOBODY)


def foreign_folder(data: Path) -> None:
    give(data)
    data.chmod(0o755)


def closed_folder(data: Path) -> None:
    give(data)
    data.chmod(0o700)


def foreign_database(data: Path) -> None:
    give(data / "parlour.db")
    (data / "parlour.db").chmod(0o644)


def foreign_log(data: Path) -> None:
    """Of a command that somebody else ran while the bot was stopped: the start would read it, and the first
    move fail."""
    (data / "parlour.db-wal").touch(mode=0o644)
    give(data / "parlour.db-wal")


def read_only_folder(data: Path) -> None:
    data.chmod(0o500)


def in_a_foreign_folder(data: Path) -> None:
    shutil.rmtree(data)
    give(data.parent)


@as_root
@pytest.mark.long
@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (foreign_folder, "belongs to nobody: give it to root (chown -R root {data})"),
        (closed_folder, "belongs to nobody: give it to root"),
        (foreign_database, "belongs to nobody: give it to root"),
        (foreign_log, "belongs to nobody: give it to root"),
        (read_only_folder, "give root the right to (chmod -R u+rwX {data})"),
        (in_a_foreign_folder, "belongs to nobody"),
    ],
)
async def test_a_start_where_nothing_can_be_written_ends_with_a_sentence(
    tmp_path: Path, prepare: Callable[[Path], None], says: str
) -> None:
    data = tmp_path / "in" / "data"
    data.mkdir(parents=True)
    async with open_rig(data / "parlour.db") as rig:
        await rig.started(ADA, BEN)
    prepare(data)
    code, said = await asyncio.to_thread(start, data)
    assert code == 2, said
    assert len(said.splitlines()) == 1, said
    assert says.format(data=data) in said


@pytest.mark.parametrize(
    ("number", "key"),
    [
        (errno.EROFS, "tables.store_mounted_read_only"),
        (errno.ENOSPC, "tables.store_no_room"),
        (errno.EDQUOT, "tables.store_no_room"),
        (errno.EEXIST, "tables.store_no_folder"),
        (errno.ENOTDIR, "tables.store_no_folder"),
        (errno.EACCES, "tables.store_no_right"),
    ],
)
def test_each_reason_has_a_sentence_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, key: str
) -> None:
    def refused(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "write_bytes", refused)
    with pytest.raises(StoreUnusable) as caught:
        probe.folder(tmp_path)
    assert caught.value.key == key
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"
    for language in ("en", "de"):
        said = text(language, key, **caught.value.data)
        assert str(tmp_path) in said
        assert "{" not in said


def test_too_little_room_to_begin_with_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a few kilobytes left SQLite fails in the middle of opening, by an error that tells nothing."""
    write, room = Path.write_bytes, 50_000

    def written(path: Path, data: bytes) -> int:
        if len(data) > room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", written)
    with pytest.raises(probe.StoreNoRoom):
        probe.folder(tmp_path)
    room = 2_000_000
    probe.folder(tmp_path)


def sqlite_full() -> Exception:
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    return full


@pytest.mark.parametrize("full", [sqlite_full(), OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))], ids=repr)
async def test_a_disk_that_fills_up_while_a_store_is_opened_is_told(
    full: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def upgrade(*_: object) -> None:
        raise full

    monkeypatch.setattr("bot.storage.files.ready", upgrade)
    with pytest.raises(probe.StoreNoRoom) as caught:
        await SqlStore.open(f"sqlite+aiosqlite:///{tmp_path}/parlour.db")
    assert str(tmp_path) in text("en", caught.value.key, **caught.value.data)


def test_a_file_in_the_folders_place_is_told(tmp_path: Path) -> None:
    there = tmp_path / "data"
    there.touch()
    with pytest.raises(probe.StoreNoFolder):
        probe.folder(there)
    with pytest.raises(probe.StoreNoFolder):
        probe.file(tmp_path)


def test_a_disk_that_is_mounted_read_only_is_no_matter_of_rights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, told = tmp_path / "parlour.db", os.statvfs(tmp_path)
    file.touch()
    may = os.R_OK
    monkeypatch.setattr(os, "access", lambda _, mode: not mode & ~may)
    with pytest.raises((probe.StoreNoRight, probe.StoreNotOurs)):
        probe.usable(file)
    flags = SimpleNamespace(f_flag=told.f_flag | os.ST_RDONLY)
    monkeypatch.setattr(os, "statvfs", lambda _: flags)
    with pytest.raises(probe.StoreMountedReadOnly):
        probe.usable(file)
    may = 0
    for asked in (probe.usable, probe.readable):  # to read it is a matter of rights there too
        with pytest.raises((probe.StoreNoRight, probe.StoreNotOurs)):
            asked(file)


def test_a_link_that_leads_nowhere_is_named_and_not_the_folder_it_is_in(tmp_path: Path) -> None:
    """As of a disk that is not mounted."""
    link = tmp_path / "data"
    link.symlink_to(tmp_path / "usb" / "data")
    with pytest.raises(probe.StoreNoFolder) as caught:
        probe.folder(link)
    assert caught.value.data["path"] == str(link)


def test_a_place_that_takes_no_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among the system's own, as in /proc, the folder above is there, and none can be made in it."""

    def refused(path: Path, *_: object, **__: object) -> None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(probe.StoreNoPlace) as caught:
        probe.folder(tmp_path / "data")
    for language in ("en", "de"):
        said = text(language, caught.value.key, **caught.value.data)
        assert str(tmp_path / "data") in said
        assert "{" not in said


def test_what_no_host_can_help_is_raised_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "write_bytes", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "I/O")))
    with pytest.raises(OSError, match="I/O"):
        probe.folder(tmp_path)


def test_what_can_be_written_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "parlour.db"
    file.write_bytes(b"abc")
    probe.folder(tmp_path)
    probe.file(file)
    probe.file(tmp_path / "absent")
    assert file.read_bytes() == b"abc"
    assert [path.name for path in tmp_path.iterdir()] == ["parlour.db"]
