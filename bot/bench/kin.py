"""The processes that a process has begun, as Linux tells it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

PROCESSES = Path("/proc")


def kin(of: int) -> dict[int, list[str]]:
    """All that were begun by this one or by those, and live: by number, what `/proc/<number>/stat` says after
    the name (its state, who began it, and so on). None where the system does not tell."""
    told: dict[int, list[str]] = {}
    begun: dict[int, list[int]] = defaultdict(list)
    for path in PROCESSES.glob("[0-9]*/stat"):
        try:
            fields = path.read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        number = int(path.parent.name)
        told[number] = fields
        begun[int(fields[1])].append(number)
    found: dict[int, list[str]] = {}
    waiting = [of]
    while waiting:
        for number in begun.pop(waiting.pop(), ()):
            found[number] = told[number]
            waiting.append(number)
    return found


def resident(number: int) -> int:
    """Bytes of memory that a process has, 0 where that is not told."""
    try:
        status = (PROCESSES / str(number) / "status").read_text("ascii", "replace")
    except OSError:
        return 0
    found = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(found[0]) * 1024 if found else 0
