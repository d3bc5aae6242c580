"""Settings of users and servers: what they may be. Who sat at a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .lobby import check_clock
from .model import ClockRule, Entry, UserId

NOTICES = ("channel", "dm", "none")
MOST_TABLES = 1000

# What only somebody with a seat does, or gets one by.
AT_A_SEAT = frozenset({"open", "join", "leave", "start", "move", "resign", "take_seat", "pass_host"})


def sat(entries: Iterable[Entry], user: UserId) -> bool:
    """Whether the stored changes tell of this person as one with a seat, had or given up."""
    name = str(user)
    for entry in entries:
        if entry.kind in AT_A_SEAT and entry.user == user:
            return True
        seated = entry.data.get("seats")  # at the start, those of a rematch among them
        if isinstance(seated, list) and name in seated:
            return True
        if entry.data.get("user") == name:  # whose seat was given up, for them or by them
            return True
    return False


def checked_user(fields: Mapping[str, object]) -> dict[str, object]:
    """Fields of `UserSettings` to set. Raises ValueError."""
    for name, value in fields.items():
        match name:
            case "locale" | "language":
                good = value is None or (isinstance(value, str) and 0 < len(value) <= 16)
            case "notices":
                good = value in NOTICES
            case "text_board" | "dm_closed":
                good = isinstance(value, bool)
            case "dm_channel":
                good = value is None or type(value) is int
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
            case _:
                good = False
        if not good:
            raise ValueError(f"guild setting {name}")
    return dict(fields)
