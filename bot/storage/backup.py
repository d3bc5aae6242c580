"""Backups: one file, "parlour-backup/1", that is put back into either kind of database.

It is a ZIP of `manifest.json` and, for each table of the database, `NAME.jsonl`: a row is a line, one JSON
object, in the order of the table's key. The manifest tells the format, the schema's revision, when it was
made and from which kind of database, and the figures of its content (`bot.storage.snapshot.Figures`): rows, a
hash of every member, and a chain of hashes over the events. Hands, seeds and what people have set are in it:
it is private.
"""

from __future__ import annotations

import asyncio
import errno
import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from sqlalchemy import Table

from bot import __version__, private_files

from . import probe
from .files import make_last
from .migrating import StoreTooNew, pending
from .snapshot import Figures, Measure, Moment, at_one_moment, columns_of, kept_at, line, scratch_in

FORMAT: Final = "parlour-backup/1"
FAMILY = "parlour-backup/"
MANIFEST = "manifest.json"
MOST_MANIFEST = 2**16  # bytes, many times what it has
# How a member may be packed: what other ways have packed is unpacked whole, however little is asked for.
PACKED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
MOST_LINE = 2**21  # bytes, hundreds of times what the largest table needs
BUFFER = 2**20

Row = dict[str, Any]


class BackupUnusable(Exception):
    """A backup that cannot be put back. key: catalogue text. data: file, and what the kinds name."""

    key = "cli.backup.damaged"

    def __init__(self, file: Path, **data: object) -> None:
        super().__init__(f"{type(self).__name__}: {data}")
        self.data = {"file": str(file), **data}


class BackupUnread(BackupUnusable):
    """It is not there, or may not be read. data: why."""

    key = "cli.backup.unread"


class BackupForeign(BackupUnusable):
    """It is no backup of Parlour."""

    key = "cli.backup.foreign"


class BackupDamaged(BackupUnusable):
    """It is not what was written. data: why."""

    key = "cli.backup.damaged"


class BackupTooNew(BackupUnusable):
    """A later version of Parlour wrote it. data: found, the format or schema revision."""

    key = "cli.backup.too_new"


class BackupTooLong(BackupUnusable):
    """It has a line longer than any that is written. data: table, mb."""

    key = "cli.backup.too_long"


class Manifest(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    format: Literal["parlour-backup/1"] = FORMAT
    version: str
    """Of the Parlour that wrote it."""
    revision: str
    """Of the schema."""
    made: AwareDatetime
    served: AwareDatetime | None = None
    """Until when a bot served it for certain: `made` where it ran, before where it had stopped."""
    kind: Literal["sqlite", "postgresql"]
    counts: dict[str, int]
    hashes: dict[str, str]
    chain: str = Field(pattern="^([0-9a-f]{64})?$")

    @property
    def figures(self) -> Figures:
        return Figures(self.counts, self.hashes, self.chain)


# ------------------------------------------------------------------------- made


def make(address: str, target: Path, now: datetime) -> Manifest:
    """Write a backup of that database, whole or not at all, also while a bot runs on it. Runs an event loop
    of its own: not to be called from within one. Raises StoreUnusable, FileExistsError (nothing is ever
    written over), OSError."""
    with probe.told(target.parent):
        if target.exists():
            raise _there(target)
        with private_files.folder_for(target.parent):
            probe.folder(target.parent)
            with scratch_in(target.parent) as scratch:
                fresh = scratch / "backup.zip"
                manifest = asyncio.run(write(address, fresh, now))
                give_name(fresh, target)
    return manifest


async def write(address: str, fresh: Path, now: datetime) -> Manifest:
    """Write a backup into a private folder, within an event loop, which it holds up. Raises StoreUnusable,
    OSError."""
    private_files.create(fresh)
    return await at_one_moment(address, fresh.parent, partial(_write, fresh, now))


def _write(fresh: Path, now: datetime, moment: Moment) -> Manifest:
    measure = Measure()
    with fresh.open("wb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for table in moment.tables:
                with archive.open(_member(table), "w", force_zip64=True) as member:
                    lines = measure.through(table.name, moment.lines(table))
                    with io.BufferedWriter(member, BUFFER) as buffered:
                        buffered.writelines(lines)
            counts, hashes, chain = measure.figures()
            manifest = Manifest(
                version=__version__, revision=moment.revision, made=now, served=moment.served,
                kind=moment.kind, counts=counts, hashes=hashes, chain=chain,  # type: ignore[arg-type]
            )  # fmt: skip
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return manifest


def give_name(fresh: Path, target: Path) -> None:
    """Give it its name, if nobody else has it by now. Raises FileExistsError, OSError."""
    try:
        os.link(fresh, target)
    except FileExistsError:
        raise _there(target) from None
    except OSError:  # no links on this file system
        if target.exists():
            raise _there(target) from None
        fresh.replace(target)
    make_last(target.parent)


def _there(target: Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))


def _member(table: Table) -> str:
    return f"{table.name}.jsonl"


# ------------------------------------------------------------------------- read


class Backup:
    """A backup that has been looked through: made by `look_through`."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._archive = archive

    @property
    def tables(self) -> list[Table]:
        return kept_at(self.manifest.revision)

    def _lines(self, table: Table) -> Iterator[bytes]:
        with self._archive.open(_member(table)) as member, io.BufferedReader(member, BUFFER) as buffered:  # type: ignore[type-var]
            while found := buffered.readline(MOST_LINE + 1):
                if len(found) > MOST_LINE:
                    raise BackupTooLong(self.path, table=table.name, mb=MOST_LINE // 2**20)
                yield found

    def rows(self, table: Table, measure: Measure) -> Iterator[Row]:
        """As a database takes them. Raises ValueError for one that is not as it was written."""
        names, flags = columns_of(table)
        for written in measure.through(table.name, self._lines(table)):
            found = json.loads(written)
            if not isinstance(found, dict) or list(found) != names:
                raise ValueError("columns")
            row = {name: _value(value) for name, value in found.items()}
            if line(names, flags, list(row.values())) != written:
                raise ValueError("not as it was written")
            yield row


def _value(written: Any) -> Any:
    if isinstance(written, dict):
        [(kind, value)] = written.items()
        if kind != "hex":
            raise ValueError(kind)
        return bytes.fromhex(value)
    if isinstance(written, list):
        raise ValueError("list")
    if isinstance(written, int) and not -(2**63) <= written < 2**63:
        raise ValueError("number")
    return written


@contextmanager
def look_through(path: Path) -> Iterator[Backup]:
    """Opens a backup of which every byte that matters has been read and is as it was written: members, rows,
    their number, hashes, the chain. Raises BackupUnusable."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise BackupUnread(path, why=error.strerror or type(error).__name__) from error
    with file:
        try:
            backup = _looked_through(path, file)
        except BackupUnusable:
            raise
        except (zipfile.BadZipFile, zlib.error) as error:  # whose names say nothing, unlike their words
            raise BackupDamaged(path, why=str(error)) from error
        except Exception as error:  # what is damaged makes zipfile and json raise anything
            raise BackupDamaged(path, why=type(error).__name__) from error
        yield backup


def _looked_through(path: Path, file: BinaryIO) -> Backup:
    if file.read(2) != b"PK":
        raise BackupForeign(path)
    archive = zipfile.ZipFile(file)
    members = archive.namelist()
    if MANIFEST not in members:
        raise BackupForeign(path)
    if not {member.compress_type for member in archive.infolist()} <= PACKED:
        raise BackupDamaged(path, why="packed in another way")
    manifest = _manifest(path, archive)
    try:
        pending(manifest.revision)
    except StoreTooNew as error:
        raise BackupTooNew(path, found=manifest.revision) from error
    backup = Backup(path, archive, manifest)
    if sorted(members) != sorted([MANIFEST, *map(_member, backup.tables)]):
        raise BackupDamaged(path, why="members")
    measure = Measure()
    for table in backup.tables:
        for _ in backup.rows(table, measure):
            pass
    for what, found, told in zip(
        ("rows", "hashes", "chain"), measure.figures(), manifest.figures, strict=True
    ):
        if found != told:
            raise BackupDamaged(path, why=what)
    return backup


def _manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    with archive.open(MANIFEST) as member:
        text = member.read(MOST_MANIFEST)
    found = json.loads(text)
    named = found.get("format") if isinstance(found, dict) else None
    if not isinstance(named, str) or not named.startswith(FAMILY):
        raise BackupForeign(path)
    if named != FORMAT:
        raise BackupTooNew(path, found=named)
    return Manifest.model_validate_json(text)
