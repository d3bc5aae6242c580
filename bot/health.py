"""Alive or stuck: the beat that `run` leaves in the data folder, and the check that reads it.

`python -m bot.health` exits 0 while the beat is fresh and tells of no dead background work, else 1, and says
why. The Dockerfile's
health check is this; a host's own supervisor may use it as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bot import private_files
from bot.locale import sayer
from bot.settings import Settings, faults

BEAT = "beat"
BEAT_SECONDS = 15.0  # how often a healthy bot leaves its beat
STALE_SECONDS = 90.0  # a beat older than this means stuck


def leave_beat(folder: Path, now: float, dead: Sequence[str] = ()) -> None:
    """Write the instant `now` (Unix seconds), and what background work is dead, whole or not at all."""
    private_files.write(folder / BEAT, "\n".join((f"{now:.0f}", *dead)) + "\n")


def _beat(folder: Path) -> tuple[float, list[str]] | None:
    try:
        instant, *dead = (folder / BEAT).read_text(encoding="ascii").splitlines()
        return float(instant), dead
    except (OSError, ValueError):
        return None


def age(folder: Path, now: float) -> float | None:
    """Seconds since the last beat, or None where there is none that can be read."""
    beat = _beat(folder)
    return None if beat is None else max(0.0, now - beat[0])


def told(folder: Path, now: float) -> tuple[bool, str, dict[str, object]]:
    """Whether all is well, and the text's key and values that say so."""
    beat = _beat(folder)
    if beat is None:
        return False, "health.none", {}
    seconds = max(0.0, now - beat[0])
    values: dict[str, object] = {"seconds": round(seconds)}
    if seconds > STALE_SECONDS:
        return False, "health.stale", values
    if beat[1]:
        return False, "health.dead", values | {"names": ", ".join(beat[1])}
    return True, "health.fresh", values


def main(folder: Path, clock: Callable[[], float]) -> int:
    """Print how it stands and return the exit code."""
    well, key, values = told(folder, clock())
    sys.stdout.write(sayer("en")(key, **values) + "\n")
    return 0 if well else 1


if __name__ == "__main__":
    import time

    from pydantic import ValidationError

    try:
        folder = Settings().data_dir
    except ValidationError as error:
        wrong = "; ".join(f"{name}: {why}" for name, why in faults(error))
        sys.exit(sayer("en")("cli.settings", faults=wrong))
    sys.exit(main(folder, time.time))
