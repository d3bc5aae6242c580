"""What the programs have in common that make learned data (`bot/players/<game>/learn.py`).

Each writes all of a game's file of figures, from nothing but its arguments; without any, exactly the one that
is kept. So chance in there is `Random.random()` alone, fractions are added up by `fsum`, and what is written
has few digits.
"""

from __future__ import annotations

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

T = TypeVar("T")


def arguments(given: Sequence[str] | None, about: str | None, kept: Path, **numbers: int) -> Namespace:
    """What a program was called with (`sys.argv`, if nothing is given): `seed` and whatever else it counts,
    each with its default, and `to`, the file that is written."""
    parser = ArgumentParser(description=about, formatter_class=ArgumentDefaultsHelpFormatter)
    for name, number in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=number, help=" ")
    parser.add_argument("--to", type=Path, default=kept, help=" ")
    return parser.parse_args(given)


def mix(items: list[T], chance: Random) -> None:
    """Into any order."""
    for last in range(len(items) - 1, 0, -1):
        other = int(chance.random() * (last + 1))
        items[last], items[other] = items[other], items[last]
