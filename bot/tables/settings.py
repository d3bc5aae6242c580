"""Settings of users and servers: what they may be."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .deadlines import check_clock
from .model import NOTICES, RHYTHMS, THEMES, ClockRule
from .rhythm import zones

MOST_TABLES = 1000
HINT = re.compile(r"[a-z]+\.[a-z0-9_]{1,32}")
MOST_DISMISSED = 1000  # characters of all of a person's


def checked_user(fields: Mapping[str, object]) -> dict[str, object]:
    """Fields of `UserSettings` to set. Raises ValueError."""
    for name, value in fields.items():
        match name:
            case "locale" | "language":
                good = value is None or (isinstance(value, str) and 0 < len(value) <= 16)
            case "notices":
                good = value in NOTICES
            case "text_board" | "quick" | "dm_closed":
                good = isinstance(value, bool)
            case "theme":
                good = value in THEMES
            case "rhythm":
                good = value in RHYTHMS
            case "digest_hour" | "quiet_from" | "quiet_to":
                good = type(value) is int and 0 <= value <= 23
            case "timezone":
                good = value in zones()
            case "dm_channel":
                good = value is None or type(value) is int
            case "dismissed":
                good = isinstance(value, tuple) and all(
                    type(one) is str and HINT.fullmatch(one) for one in value
                )
                good = good and len(" ".join(value)) <= MOST_DISMISSED  # type: ignore[arg-type]
            case _:
                good = False
        if not good:
            raise ValueError(f"user setting {name}")
    return dict(fields)


def checked_guild(fields: Mapping[str, object]) -> dict[str, object]:
    """Fields of `GuildSettings` to set. Raises ValueError, BadClock."""
    for name, value in fields.items():
        match name:
            case "language":
                good = value is None or (isinstance(value, str) and 0 < len(value) <= 16)
            case "channels" | "openers" | "enders":
                good = isinstance(value, tuple) and all(type(one) is int for one in value)
            case "most_tables":
                good = type(value) is int and 1 <= value <= MOST_TABLES
            case "clock":
                good = isinstance(value, ClockRule)
                if isinstance(value, ClockRule):
                    check_clock(value)
            case "threads":
                good = isinstance(value, bool)
            case "theme":
                good = value in THEMES
            case _:
                good = False
        if not good:
            raise ValueError(f"guild setting {name}")
    return dict(fields)
