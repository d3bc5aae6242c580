"""Custom ids: `p<kind>:<table>:<revision>:<verb>:<argument>`.

kind is b (button), s (select) or m (modal). The verb names the act, the argument one piece, cell, person or
seat of the table, never a place in a list that may change, so that an old button can never come to mean
something new. The revision tells how old the control is: for a move, the one at which its player's choice
opened (`Seat.since`), else the table's when the control was made. Controls that belong to no table carry `-`
and 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

LIMIT = 100  # characters Discord allows
NO_TABLE = "-"
_PATTERN = re.compile(
    r"p(?P<kind>[bsm]):(?P<table>[0-9A-HJKMNP-TV-Z]{6}|-):(?P<revision>[0-9]{1,10}):"
    r"(?P<verb>[a-z_]{1,20}):(?P<argument>.*)",
    re.DOTALL,
)

Kind = Literal["b", "s", "m"]


@dataclass(frozen=True, slots=True)
class Control:
    """What a custom id says. table: None for controls that belong to no table."""

    kind: Kind
    table: str | None
    revision: int
    verb: str
    argument: str = ""

    def __str__(self) -> str:
        """The custom id. Raises ValueError for one that could not be read back."""
        text = f"p{self.kind}:{self.table or NO_TABLE}:{self.revision}:{self.verb}:{self.argument}"
        if len(text) > LIMIT or _PATTERN.fullmatch(text) is None:
            raise ValueError(f"not a custom id: {text!r}")
        return text


def button(table: str | None, revision: int, verb: str, argument: str = "") -> str:
    return str(Control("b", table, revision, verb, argument))


def select(table: str | None, revision: int, verb: str, argument: str = "") -> str:
    return str(Control("s", table, revision, verb, argument))


def modal(table: str | None, revision: int, verb: str, argument: str = "") -> str:
    return str(Control("m", table, revision, verb, argument))


def parse(custom_id: str) -> Control | None:
    """The control an id names, or None where it is not one of ours (or of a shape we no longer know)."""
    if len(custom_id) > LIMIT or (match := _PATTERN.fullmatch(custom_id)) is None:
        return None
    kind: Kind = match["kind"]  # type: ignore[assignment]  # the pattern allows these three only
    table = None if match["table"] == NO_TABLE else match["table"]
    return Control(kind, table, int(match["revision"]), match["verb"], match["argument"])
