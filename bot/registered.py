"""The slash commands as they are to be registered with Discord, and the note of what was registered last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot import private_files

NOTE = "commands.sha256"  # in the data folder


@dataclass(frozen=True, slots=True)
class Commands:
    """payload: as Discord takes it, a command each."""

    payload: Sequence[Any]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(str(command["name"]) for command in self.payload)

    def mark(self, application: int | None) -> str:
        """Differs where anything of them does, or the application that they are registered for."""
        whole = json.dumps([application, self.payload], sort_keys=True, default=str)
        return hashlib.sha256(whole.encode()).hexdigest()


def read_note(folder: Path) -> str | None:
    """The mark of the commands that were registered last; None where there is none that can be read."""
    try:
        return (folder / NOTE).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None


def write_note(folder: Path, mark: str) -> None:
    """Raises OSError."""
    private_files.write(folder / NOTE, mark + "\n")
