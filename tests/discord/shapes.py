"""Makes checks out of the words of `facts`.

A check takes a value and gives None where it fits, else its faults as "where: what" (where: the path inside
the value). Nothing is built while all is well: a message of sixty components costs some tens of microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any

from tests.discord.facts import BODIES, SHAPES, WORDS

Check = Callable[[Any], "list[str] | None"]
INTEGER = re.compile(r"-?\d{1,20}")
SNOWFLAKE = re.compile(r"0|[1-9][0-9]*")
SAID = re.compile(r"(?P<word>\w+)(?: (?P<low>-?\d*)\.\.(?P<high>-?\d*))?(?: of (?P<items>.+))?")
UNBOUND = float("inf")


@cache
def check_of(words: str) -> Check:
    """The check that these words of `facts` stand for."""
    words = words.strip()
    if words.endswith("?"):
        return _or_null(check_of(words[:-1]))
    if words in SHAPES:
        return _shape(words)
    if words in BODIES:
        return check_of(BODIES[words])
    if words in WORDS:
        return check_of(WORDS[words])
    if words.startswith(("list", "set", "map")):
        return _many(words)
    if " | " in words:
        return _one_of(words.split(" | "))
    return _plain(words)


def _plain(words: str) -> Check:
    word, _, rest = words.partition(" ")
    if word == "is":
        return _is([int(number) for number in rest.split()])
    if word == "word":
        return _word(rest.split())
    low, high = _bounds(words)
    if word == "text":
        return _text(low, high)
    if word == "whole":
        return _whole(low, high)
    if word == "number":
        return _number(low, high)
    return {"id": _id, "flag": _flag, "time": _time, "anything": _anything}[words]


def _bounds(words: str) -> tuple[float, float]:
    said = SAID.fullmatch(words)
    if said is None:
        raise ValueError(f"facts in unknown words: {words!r}")
    return int(said["low"]) if said["low"] else -UNBOUND, int(said["high"]) if said["high"] else UNBOUND


def _anything(value: Any) -> None:
    return None


def _flag(value: Any) -> list[str] | None:
    return None if value is True or value is False else [f": {value!r} is neither true nor false"]


def _id(value: Any) -> list[str] | None:
    if isinstance(value, str):
        if SNOWFLAKE.fullmatch(value):
            return None
    elif isinstance(value, int) and value is not True and value is not False and value >= 0:
        return None
    return [f": {value!r} is no id"]


def _time(value: Any) -> list[str] | None:
    try:
        datetime.fromisoformat(value.upper().replace("Z", "+00:00"))
    except (AttributeError, ValueError):
        return [f": {value!r} is no time"]
    return None


def _text(low: float, high: float) -> Check:
    def check(value: Any) -> list[str] | None:
        if isinstance(value, str):
            if low <= len(value) <= high:
                return None
            return [f": {len(value)} characters, {_span(low, high)}"]
        return [f": {value!r} is no text"]

    return check


def _whole(low: float, high: float) -> Check:
    def check(value: Any) -> list[str] | None:
        number = value
        if isinstance(value, str) and INTEGER.fullmatch(value):  # Discord takes digits for a number
            number = int(value)
        if (
            value is True
            or value is False
            or not (isinstance(number, int) or (isinstance(number, float) and number.is_integer()))
        ):
            return [f": {value!r} is no whole number"]
        return None if low <= number <= high else [f": {value!r}, {_span(low, high)}"]

    return check


def _number(low: float, high: float) -> Check:
    def check(value: Any) -> list[str] | None:
        if value is True or value is False or not isinstance(value, int | float):
            return [f": {value!r} is no number"]
        return None if low <= value <= high else [f": {value!r}, {_span(low, high)}"]

    return check


def _span(low: float, high: float) -> str:
    return " and ".join(
        f"{name} {bound}" for name, bound in (("at least", low), ("at most", high)) if abs(bound) != UNBOUND
    )


def _is(numbers: list[int]) -> Check:
    known = frozenset(numbers)

    def check(value: Any) -> list[str] | None:
        right = isinstance(value, int | float) and value is not True and value is not False and value in known
        return None if right else [f": {value!r} is none of {sorted(known)}"]

    return check


def _word(words: list[str]) -> Check:
    known = frozenset(words)

    def check(value: Any) -> list[str] | None:
        return None if isinstance(value, str) and value in known else [f": {value!r} is none of {words}"]

    return check


def _or_null(inner: Check) -> Check:
    return lambda value: None if value is None else inner(value)


def _many(words: str) -> Check:
    said = SAID.fullmatch(words)
    if said is None:
        raise ValueError(f"facts in unknown words: {words!r}")
    low, high = _bounds(words)
    item = check_of(said["items"])
    if said["word"] == "map":
        return _map(low, high, item)
    unique = said["word"] == "set"

    def check(value: Any) -> list[str] | None:
        if not isinstance(value, list):
            return [f": {value!r} is no list"]
        found: list[str] = []
        if not low <= len(value) <= high:
            found.append(f": {len(value)} entries, {_span(low, high)}")
        for number, each in enumerate(value):
            if faults := item(each):
                found += _inside(number, faults)
        if unique and not found and len(set(value)) < len(value):
            found.append(": an entry stands twice")
        return found or None

    return check


def _map(low: float, high: float, item: Check) -> Check:
    def check(value: Any) -> list[str] | None:
        if not isinstance(value, dict):
            return [f": {value!r} is no table"]
        found: list[str] = []
        if not low <= len(value) <= high:
            found.append(f": {len(value)} entries, {_span(low, high)}")
        for key, each in value.items():
            if faults := item(each):
                found += _inside(key, faults)
        return found or None

    return check


def _shape(name: str) -> Check:
    table = SHAPES[name]
    held = {field.rstrip("!"): words for field, words in table.items()}
    required = frozenset(field[:-1] for field in table if field.endswith("!"))
    nullable = frozenset(field for field, words in held.items() if words.endswith("?"))
    open_ended = name.startswith("sent ")
    checks: dict[str, Check] = {}

    def check(value: Any) -> list[str] | None:
        if not isinstance(value, dict):
            return [f": {value!r} is no {name}"]
        if not checks:  # made at the first use: shapes may hold themselves
            checks.update({field: check_of(words.removesuffix("?")) for field, words in held.items()})
        found: list[str] = []
        for field, each in value.items():
            inner = checks.get(field)
            if inner is None:
                if not open_ended:
                    found.append(f"/{field}: not a field of a {name}")
            elif each is None and field in nullable:
                continue
            elif faults := inner(each):
                found += _inside(field, faults)
        if not required <= value.keys():
            found += [f"/{field}: is missing" for field in sorted(required - value.keys())]
        return found or None

    return check


def _one_of(names: list[str]) -> Check:
    """By `type` where all are shapes that say theirs, else the first that fits."""
    by_type: dict[Any, Check] = {}
    shapes = [SHAPES[name] for name in names if name in SHAPES]
    if len(shapes) == len(names) and all(shape.get("type!", "").startswith("is ") for shape in shapes):
        for name in names:
            by_type |= {int(number): check_of(name) for number in SHAPES[name]["type!"].split()[1:]}
        return _by_type(names, by_type)
    inner = [check_of(name) for name in names]

    def check(value: Any) -> list[str] | None:
        least: list[str] | None = None
        for each in inner:
            faults = each(value)
            if faults is None:
                return None
            if least is None or len(faults) < len(least):
                least = faults
        return least

    return check


def _by_type(names: list[str], by_type: Mapping[Any, Check]) -> Check:
    def check(value: Any) -> list[str] | None:
        if not isinstance(value, dict):
            return [f": {value!r} is none of {names}"]
        kind = value.get("type")
        meant = by_type.get(kind) if isinstance(kind, int | float) else None
        return meant(value) if meant else [f"/type: {kind!r} is none of {sorted(by_type)}"]

    return check


def _inside(key: object, faults: list[str]) -> list[str]:
    return [f"/{key}{fault}" for fault in faults]
