"""One process per SQLite file: an operating-system lock on a side file.

The system frees it when the process dies, however it dies. (A `flock` would be shared with a forked child:
nothing here forks.)
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from bot import private_files
from bot.tables.ports import StoreBusy

_FAR = 0x7FFF0000  # Windows locks bytes, and locked ones cannot be read: lock one far behind the text


class FileLock:
    """Held from `take` to `release` or death. The file holds the holder's process id, for the message
    only."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self._path = database.with_name(database.name + ".lock")
        self._file: int | None = None

    def take(self) -> None:
        """Raises StoreBusy at once when another process (or store) holds it."""
        private_files.make_folder(self._path.parent)
        with suppress(FileExistsError):
            private_files.create(self._path)
        file = os.open(self._path, os.O_RDWR)
        try:
            _lock(file)
        except OSError as error:
            holder = os.read(file, 32).split(b"\n")[0]
            os.close(file)
            raise StoreBusy(str(self.database), int(holder) if holder.isdigit() else 0) from error
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
        self._file = file

    def release(self) -> None:
        """Twice does no harm. The side file stays: deleting it would let two processes lock two files."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        os.lseek(file, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(file, 0, os.SEEK_SET)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
