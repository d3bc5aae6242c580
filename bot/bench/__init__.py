"""Measurements: `python -m bot bench [NAME …]`, each in a module of its own with `main(options) -> int`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from bot.levels import Level

NAMES = ("rules", "pictures", "clicks", "storage", "tables", "load", "players")
USUAL = tuple(name for name in NAMES if name != "players")  # which takes hours
TAPS = ("open", "choose", "confirm")
CONTESTANTS = ("random", "greedy", *[level.value for level in Level])  # of players, the weakest first
DATABASES = ("sqlite", "postgresql")


@dataclass(frozen=True, slots=True)
class Options:
    """game: the only one to measure. profile: the kind of tap to profile, where clicks are measured.
    as_json: one JSON object per bench in place of lines for people. minutes: how long people play under load,
    database: on which kind, backup_during: whether a backup is made meanwhile.
    Of computer players, seats: how many, levels: which contestants, pairs: how many deals a match has,
    processes: how many think at once, and under load as how many the bot runs on PostgreSQL; None (and no
    levels) for what is usual."""

    game: str | None = None
    profile: str | None = None
    as_json: bool = False
    minutes: float = 10.0
    database: str = "sqlite"
    backup_during: bool = False
    seats: int | None = None
    levels: tuple[str, ...] = ()
    pairs: int | None = None
    processes: int | None = None

    def wanted(self, game: str) -> bool:
        return self.game in {None, game}


EVERYTHING = Options()


def main(names: Sequence[str], options: Options = EVERYTHING) -> int:
    """Run the named benches one after another. Returns the worst exit code, 2 for an unknown name."""
    from bot.locale import sayer

    say = sayer("en")
    for name in names:
        if name not in NAMES:
            sys.stderr.write(say("cli.bench.unknown", name=ascii(name[:50]), names=", ".join(NAMES)) + "\n")
            return 2
    worst = 0
    for name in names:
        if not options.as_json:
            print(say("cli.bench.title", name=name))
        worst = max(worst, import_module(f".{name}", __package__).main(options))
    return worst
