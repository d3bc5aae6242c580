"""Files that only the account that runs the bot may read: seeds and hands are in them.

A file is made private, not made so afterwards: for no moment can anybody else open it. Rights that are
narrower already stay as they are.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

log = logging.getLogger(__name__)

FOLDER, FILE = 0o700, 0o600
OTHERS = 0o077  # what group and others may do
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})  # of errors: the disk is full, or what one may have of it
SCRATCH = ".parlour-"  # begins the names of folders in which something is being made


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, private. One that is there is left alone. Raises
    OSError, of which NotADirectoryError for a file in its place, and ENOTSUP where the folder above takes
    none."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_folder(folder.parent)
    try:
        folder.mkdir(mode=FOLDER, exist_ok=True)
        give(folder)
    except FileExistsError as error:  # which tells of a file that is not to be written over
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from error
    except FileNotFoundError as error:  # the folder above is there, and the system's own, as /proc is
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP), str(folder)) from error


@contextmanager
def folder_for(folder: Path) -> Iterator[None]:
    """That folder, made where it is missing, for what is made in it: if that fails, what was missing is
    missing again. Raises OSError."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    make_folder(folder)
    try:
        yield
    except BaseException:
        for one in missing:
            with suppress(OSError):  # somebody else has put something there by now
                one.rmdir()
        raise


def create(path: Path) -> None:
    """An empty new file. Raises FileExistsError, OSError."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE))
    give(path)


def give(made: Path) -> None:
    """What root has just made belongs to whom the folder that it is in belongs to: the bot, which runs as
    that account, could not open it."""
    if os.name == "posix" and os.geteuid() == 0:
        holder, own = made.parent.stat(), made.lstat()
        if (own.st_uid, own.st_gid) != (holder.st_uid, holder.st_gid):
            with suppress(OSError):  # root of a container, or of another machine's disk; one without owners
                os.chown(made, holder.st_uid, holder.st_gid, follow_symlinks=False)


def write(path: Path, text: str) -> None:
    """Write a small text whole or not at all. Raises OSError."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    create(fresh)
    fresh.write_text(text, encoding="ascii")
    fresh.replace(path)


def write_over(path: Path, text: str) -> None:
    """Write a small text over one that is as long, where there is no room for another file. Raises
    OSError."""
    with path.open("r+", encoding="ascii") as file:
        file.write(text)
        file.truncate()


def tighten(paths: Iterable[Path]) -> None:
    """Take from group and others what they may do with these files and folders, those that are there. Where
    the system refuses that, one warning tells it."""
    refused: list[Path] = []
    for path in paths:
        try:
            mode = path.stat().st_mode & 0o7777
            if mode & OTHERS:
                path.chmod(mode & ~OTHERS)
        except FileNotFoundError:
            continue
        except OSError:
            refused.append(path)
    if refused:
        log.warning(
            "others on this machine may be able to read %s: the system refuses to change its rights",
            ", ".join(str(path) for path in refused),
        )
