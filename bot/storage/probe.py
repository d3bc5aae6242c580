"""Whether a place can be written to, tried before anything is begun there: a bot that finds out at somebody's
move would lose the move, and the owner's time."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot import private_files
from bot.tables.ports import StoreUnusable

PROBE = ".probe"
SIZE = 1 << 20  # bytes, as many as SQLite needs beside the database to open it and to store the first moves


class StoreNotOurs(StoreUnusable):
    """Another account owns the file or folder, and this one may not write it. data: path, owner, user,
    folder."""

    key = "tables.store_not_ours"


class StoreNoRight(StoreUnusable):
    """This account may not write the file or folder, though nobody else owns it. data: as `StoreNotOurs`."""

    key = "tables.store_no_right"


class StoreMountedReadOnly(StoreUnusable):
    """Nothing can be written there. data: path."""

    key = "tables.store_mounted_read_only"


class StoreNoRoom(StoreUnusable):
    """The disk is full. data: path."""

    key = "tables.store_no_room"


class StoreNoFolder(StoreUnusable):
    """There is something else in a folder's place. data: path."""

    key = "tables.store_no_folder"


class StoreNoPlace(StoreUnusable):
    """No folder can be made there, whatever rights one has. data: path."""

    key = "tables.store_no_place"


def folder(path: Path) -> None:
    """Make the folder if it is missing, and write something there. Raises StoreUnusable."""
    try:
        private_files.make_folder(path)
        probe = path / f"{PROBE}-{os.getpid()}"
        probe.unlink(missing_ok=True)
        private_files.create(probe)
        try:
            probe.write_bytes(bytes(SIZE))
        finally:
            probe.unlink()
    except OSError as error:
        raise refusal(error, path) from error


def file(path: Path) -> None:
    """Open the file for writing, if it is there, and change nothing. Raises StoreUnusable."""
    try:
        os.close(os.open(path, os.O_RDWR))
    except FileNotFoundError:
        return
    except OSError as error:
        raise refusal(error, path) from error


def readable(path: Path) -> None:
    """Whether a file that is there can be read, without opening it. Raises StoreUnusable."""
    _allowed(path, os.R_OK)


def usable(path: Path) -> None:
    """Whether a file can be read and written if it is there, without opening it. Raises StoreUnusable."""
    if path.exists():
        _allowed(path, os.R_OK | os.W_OK)


def _allowed(path: Path, mode: int) -> None:
    if not os.access(path, mode):
        only_written = os.access(path, mode & ~os.W_OK) and _is_mounted_read_only(path)
        number = errno.EROFS if only_written else errno.EACCES
        raise refusal(OSError(number, os.strerror(number)), path)


def _is_mounted_read_only(path: Path) -> bool:
    return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & os.ST_RDONLY)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """What the disk does not let is told as StoreUnusable. path: what it is about, where the error does not
    say. Raises OSError for what no host can help, and FileExistsError."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        named = error.filename if isinstance(error, PermissionError) else None
        raise refusal(error, Path(named) if isinstance(named, str) else path) from error


def refusal(error: OSError, path: Path) -> StoreUnusable:
    """What a host is told of it, in one sentence that says what to do."""
    told = str(path)
    there = next(one for one in (path, *path.absolute().parents) if _is_there(one))
    if error.errno == errno.EROFS:
        return StoreMountedReadOnly("mounted read-only", path=told)
    if error.errno in private_files.NO_ROOM:
        return StoreNoRoom("no room", path=told)
    if isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError):
        return StoreNoFolder("not what it should be", path=str(there))
    if error.errno == errno.ENOTSUP:
        return StoreNoPlace("takes no folder", path=told)
    if isinstance(error, PermissionError):
        holder = there if there.is_dir() else there.parent
        names = {"path": str(there), "folder": str(holder), "owner": _owner(there), "user": _user()}
        kind = StoreNoRight if names["owner"] == names["user"] else StoreNotOurs
        return kind("no right", **names)
    raise error


def _is_there(path: Path) -> bool:
    try:
        return os.path.lexists(path)  # a link that leads nowhere is in the way too
    except OSError:  # in a folder that may not be looked into
        return False


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except (KeyError, OSError, NotImplementedError):  # an account without a name; not on this system
        return _number(path)


def _number(path: Path) -> str:
    try:
        return str(path.stat().st_uid)
    except OSError:
        return "?"


def _user() -> str:
    if os.name != "posix":
        return os.environ.get("USERNAME", "?")
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
