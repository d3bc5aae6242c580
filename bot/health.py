"""How a running bot fares: alive (its loop turns), ready (connected to Discord), working (its background work
is alive, and nothing waits too long). `run` leaves that in the data folder as its beat; here it is read.

`python -m bot.health` exits 0 while the beat is fresh and tells of nothing that ails, else 1, and says why.
The Dockerfile's health check is this; a host's own supervisor may use it as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot import private_files
from bot.locale import sayer
from bot.settings import Settings, faults

BEAT = "beat"
ENDED = "ended"  # by which the last one is known
ROOM = 1024  # bytes of each, so that the next has as many
BEAT_SECONDS = 15.0  # how often a healthy bot leaves its beat
STALE_SECONDS = (
    90.0  # a beat older than this means stuck; so long without Discord is no interruption any more
)

# What may wait for so many seconds, and not longer. A table that cannot be shown is tried again every forty
# minutes; one that is given up is parked, and does not count.
LIMITS = {"unpainted": 3600.0, "owed": 3600.0}


@dataclass(frozen=True, slots=True)
class Health:
    """offline: seconds since Discord was connected last, 0 while it is. dead: kinds of background work that
    is. late: what waits too long, with the seconds it has waited: of `LIMITS`, and `backup`, the newest one's
    age (None where there is none). ended: the bot has stopped in order, and this is its last."""

    offline: float = 0.0
    dead: tuple[str, ...] = ()
    late: Mapping[str, float | None] = field(default_factory=dict)
    ended: bool = False

    @property
    def ready(self) -> bool:
        return self.offline == 0

    @property
    def working(self) -> bool:
        return not self.dead and not self.late


WELL = Health()


def leave_beat(folder: Path, now: float, health: Health = WELL) -> None:
    """Write the instant `now` (Unix seconds) and what ails, a line each, whole or not at all; but on a full
    disk over the one before, which has the room. Raises OSError."""
    lines = [f"{now:.0f}", *health.dead]
    lines += [f"{name}={'' if seconds is None else round(seconds)}" for name, seconds in health.late.items()]
    if not health.ready:
        lines.append(f"offline={health.offline:.0f}")
    if health.ended:
        lines.append(f"{ENDED}=")
    path, said = folder / BEAT, "\n".join(lines).ljust(ROOM, "\n")
    try:
        private_files.write(path, said)
    except OSError as error:
        if error.errno not in private_files.NO_ROOM or not path.exists():
            raise
        private_files.write_over(path, said)


def read_beat(folder: Path) -> tuple[float, Health] | None:
    """When it was left, and how the bot fared; None where there is none that can be read."""
    try:
        instant, *lines = filter(None, (folder / BEAT).read_text(encoding="ascii").splitlines())
        late = {
            name: float(seconds) if seconds else None
            for name, equals, seconds in (line.partition("=") for line in lines)
            if equals
        }
        offline = late.pop("offline", None) or 0.0
        ended = late.pop(ENDED, 0.0) is None
        return float(instant), Health(offline, tuple(line for line in lines if "=" not in line), late, ended)
    except (OSError, ValueError):
        return None


def told(folder: Path, now: float) -> tuple[bool, str, dict[str, object]]:
    """Whether all is well, and the text's key and values that say so."""
    beat = read_beat(folder)
    if beat is None:
        return False, "health.none", {}
    left, health = beat
    seconds = max(0.0, now - left)
    values: dict[str, object] = {"seconds": round(seconds)}
    if health.ended:
        return False, "health.ended", values
    if seconds > STALE_SECONDS:
        return False, "health.stale", values
    if health.offline > STALE_SECONDS:
        return False, "health.offline", values | {"offline": round(health.offline)}
    if health.dead:
        return False, "health.dead", values | {"names": ", ".join(health.dead)}
    for name, waited in health.late.items():
        minutes = {} if waited is None else {"minutes": round(waited / 60)}
        return False, f"health.{'none_' if waited is None else ''}{name}", values | minutes
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
