"""Measurements: `python -m bot bench [NAME …]`, each in a module of its own with `main() -> int`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

NAMES = ("rules", "pictures")


def main(names: Sequence[str]) -> int:
    """Run the named benches one after another. Returns the worst exit code, 2 for an unknown name."""
    from bot.locale import sayer

    say = sayer("en")
    for name in names:
        if name not in NAMES:
            sys.stderr.write(say("cli.bench.unknown", name=ascii(name[:50]), names=", ".join(NAMES)) + "\n")
            return 2
    worst = 0
    for name in names:
        print(say("cli.bench.title", name=name))
        worst = max(worst, import_module(f".{name}", __package__).main())
    return worst
