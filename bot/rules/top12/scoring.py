"""How a game ends: the reasons, who has won (rule 8) and the solo titles (rule 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..game import Outcome
from .sheet import COLUMNS, ROWS, Sheet, column_of

FULL: Final = "column full"
DEAD: Final = "no column can be filled"
IDLE: Final = "nobody enters"
REASONS: Final = (FULL, DEAD, IDLE)

IDLE_LIMIT: Final = 30  # rounds running without any entry, then nobody is kept waiting longer

# solo: the most rolls, and the title for them
TITLES: Final = (
    (20, "professional"),
    (25, "specialist"),
    (30, "veteran"),
    (35, "advanced"),
    (40, "beginner"),
)


def fullness(sheet: Sheet) -> tuple[int, ...]:
    """Numbers entered per column, fullest first: what winners are compared by (rule 8)."""
    counts = [ROWS - column_of(sheet, column).count(0) for column in range(COLUMNS)]
    return tuple(sorted(counts, reverse=True))


def outcome_of(sheets: Sequence[Sheet], reason: str) -> Outcome:
    """The end of a game with these sheets, by seat: one number of the fullest column each, and whoever is
    first by `fullness`."""
    standing = [fullness(sheet) for sheet in sheets]
    best = max(standing)
    return Outcome(
        scores=tuple([counts[0] for counts in standing]),
        winners=tuple([seat for seat, counts in enumerate(standing) if counts == best]),
        reason=reason,
    )


def title(rolls: int) -> str | None:
    """The solo title for a column filled in so many rolls (rule 9), as the tail of the key
    `top12.title.<token>`; None for more than 40.

    >>> title(20), title(21), title(41)
    ('professional', 'specialist', None)
    """
    return next((token for most, token in TITLES if rolls <= most), None)
