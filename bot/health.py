"""Alive or stuck: the beat that `run` leaves in the data folder, and the check that reads it.

`python -m bot.health` exits 0 while the beat is fresh, else 1, and says why. The Dockerfile's
health check is this; a host's own supervisor may use it as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from bot import private
from bot.locale import sayer
from bot.settings import Settings, faults

BEAT = "beat"
BEAT_SECONDS = 15.0  # how often a healthy bot leaves its beat
STALE_SECONDS = 90.0  # a beat older than this means stuck


def leave_beat(folder: Path, now: float) -> None:
    """Write the instant `now` (Unix seconds) whole or not at all."""
    private.write(folder / BEAT, f"{now:.0f}\n")


def age(folder: Path, now: float) -> float | None:
    """Seconds since the last beat, or None where there is none that can be read."""
    try:
        return max(0.0, now - float((folder / BEAT).read_text(encoding="ascii")))
    except (OSError, ValueError):
        return None


def main(folder: Path, clock: Callable[[], float]) -> int:
    """Print how it stands and return the exit code."""
    say = sayer("en")
    seconds = age(folder, clock())
    if seconds is None:
        sys.stdout.write(say("health.none") + "\n")
        return 1
    key = "health.fresh" if seconds <= STALE_SECONDS else "health.stale"
    sys.stdout.write(say(key, seconds=round(seconds)) + "\n")
    return 0 if seconds <= STALE_SECONDS else 1


if __name__ == "__main__":
    import time

    from pydantic import ValidationError

    try:
        folder = Settings().data_dir
    except ValidationError as error:
        told = "; ".join(f"{name}: {why}" for name, why in faults(error))
        sys.exit(sayer("en")("cli.settings", faults=told))
    sys.exit(main(folder, time.time))
