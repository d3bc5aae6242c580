"""Records from strangers, verified in a process of their own.

Whoever hands a record in decides how long its verification takes. So it is done apart from the bot, for a
limited time, and neither the event loop nor a drawing thread waits for it under the interpreter's lock.
`python -m bot.verifying` reads a record from standard input and writes what was found as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.rules import record as records
from bot.rules.game import Say
from bot.rules.record import Fault

MOST_RECORD = 2 * 2**20  # bytes
SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Verification:
    """fault: None for a right record. version: of the rules, where they are not the current ones. late: no
    answer in time, so nothing is known."""

    fault: Fault | None = None
    version: int | None = None
    late: bool = False


def verify(data: bytes) -> Verification:
    """Verify a record here and now, however long that takes."""
    verdict = records.verify(data)
    return Verification(verdict.fault, verdict.record.version if verdict.record else None)


def verification_line(file: object, found: Verification, shown: Callable[[object], object], say: Say) -> str:
    """What came of verifying a record, in words. file and shown: see `fault_line`."""
    if found.late:
        return say("verify.late", file=file)
    if found.fault is not None:
        return fault_line(file, found.fault, shown, say)
    if found.version is not None:
        return say("cli.verify.ok_version", file=file, version=found.version)
    return say("cli.verify.ok", file=file)


def fault_line(file: object, fault: Fault, shown: Callable[[object], object], say: Say) -> str:
    """What is wrong with a record, in words. file: its name as it is told. shown: makes a value of the
    record, which is a stranger's, fit for where the words are read."""
    why = say(fault.key, **{place: shown(value) for place, value in fault.data.items()})
    if fault.rule:
        why = say("cli.verify.rule", why=why, rule=fault.rule)
    if fault.index is None:
        return say("cli.verify.header", file=file, why=why)
    return say("cli.verify.event", file=file, n=fault.index, kind=fault.kind, why=why)


def verify_in_process(data: bytes, seconds: float = SECONDS) -> Verification:
    """Verify a record in another process; blocks for `seconds` at most."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "bot.verifying"],
            input=data,
            capture_output=True,
            timeout=seconds,
            check=True,
            cwd=Path(__file__).parents[1],  # where the package is found, installed or not
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return Verification(late=True)
    told = json.loads(done.stdout)
    fault = told["fault"]
    return Verification(None if fault is None else Fault(**fault), told["version"])


def main() -> None:
    found = verify(sys.stdin.buffer.read(MOST_RECORD + 1))
    fault = found.fault
    told = None
    if fault is not None:
        told = {
            "kind": fault.kind,
            "index": fault.index,
            "key": fault.key,
            "data": dict(fault.data),
            "rule": fault.rule,
        }
    json.dump({"fault": told, "version": found.version}, sys.stdout, default=str)


if __name__ == "__main__":
    main()
