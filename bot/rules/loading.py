"""What the games need to read stored positions: each piece is taken as what it must be, or a ValueError says
what it is not. `Game.load` catches what else may go wrong with foreign data."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from .game import AnyGame, Outcome

T = TypeVar("T")


def need(right: bool, what: str) -> None:
    """Raises ValueError, naming what is wrong, unless it is right."""
    if not right:
        raise ValueError(f"wrong: {what}")


def whole(value: object, least: int, most: int | None = None) -> int:
    """A whole number from `least` to `most` (None: without end)."""
    if type(value) is not int or value < least or (most is not None and value > most):
        raise ValueError(f"not a whole number from {least} to {most}: {value!r:.100}")
    return value


def flag(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError(f"not a flag: {value!r:.100}")
    return value


def word(value: object, known: Collection[str]) -> str:
    """One of the known texts."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"not known here: {value!r:.100}")
    return value


def rows(value: object, length: int | None = None) -> list[Any]:
    """A list, of this length where one is given."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise ValueError(f"not a list of {'any length' if length is None else length}: {value!r:.100}")
    return value


def each(value: object, take: Callable[[Any], T], length: int | None = None) -> list[T]:
    """A list whose every item `take` takes."""
    return [take(item) for item in rows(value, length)]


def numbers(value: object, least: int, most: int | None = None, length: int | None = None) -> tuple[int, ...]:
    """A list of whole numbers from `least` to `most`, as a tuple."""
    return tuple([whole(item, least, most) for item in rows(value, length)])


def words(value: object, known: Collection[str], length: int | None = None) -> list[str]:
    """A list of known texts."""
    return [word(item, known) for item in rows(value, length)]


def optional(value: object, take: Callable[[Any], T]) -> T | None:
    """None, or what `take` takes."""
    return None if value is None else take(value)


def outcome(value: Any, rules: AnyGame, players: int, least: int = -(10**9)) -> Outcome | None:
    """An outcome as `Outcome.to_json` writes it, or None. least: the lowest score there can be."""
    if value is None:
        return None
    winners = numbers(value["winners"], 0, players - 1)
    need(bool(winners), "an outcome without winners")
    scores = numbers(value["scores"], least, None, players)
    return Outcome(scores, winners, word(value["reason"], rules.reasons))
