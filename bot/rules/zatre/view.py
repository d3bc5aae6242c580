"""What one seat may see of a game of Zatre."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..game import View
from .board import EMPTY
from .legality import Turn
from .position import Stage
from .scoring import Sheet, sheet_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ZatreView(View):
    """Zatre as one seat may see it.

    board: value by cell (see `board`). held: this seat's tiles, sorted. hands: by seat, the tiles
    that this viewer may see (its own, its partner's; everybody's at the end), else None. counts: how many
    each holds. bag: how many are left. sheets: by seat, or by pair with option partners (`sheet_of`).
    stage: see `Stage`. turn: whose turn it is, or who draws; None at the lots and at the end. drawn: how many
    tiles were drawn for this turn. fresh: which ones, where this viewer may know. must_lay: rule 5. lots:
    every lots event so far, None for a seat not in it. last: the latest turns (seat, canonical text), at most
    one round, newest last.
    """

    board: bytes
    held: tuple[int, ...]
    hands: tuple[tuple[int, ...] | None, ...]
    counts: tuple[int, ...]
    bag: int
    sheets: tuple[Sheet, ...]
    stage: Stage
    turn: int | None
    drawn: int
    fresh: tuple[int, ...]
    must_lay: bool
    lots: tuple[tuple[int | None, ...], ...]
    last: tuple[tuple[int, str], ...]

    @property
    def partners(self) -> bool:
        """Whether seats play in pairs, with a sheet for each."""
        return bool(dict(self.options)["partners"])

    @property
    def opening(self) -> bool:
        """Whether nothing has been laid yet."""
        return self.board == EMPTY

    def sheet_of(self, seat: int) -> int:
        """Index into `sheets` of a seat's sheet."""
        return sheet_of(seat, self.partners)

    def sides(self, seats: Sequence[int], names: Sequence[str]) -> list[str]:
        """Who plays on the sheets of these seats, by name: a pair has one. names: by seat."""
        sheets: dict[int, list[str]] = {}
        for seat in seats:
            sheets.setdefault(self.sheet_of(seat), []).append(names[seat])
        return [" & ".join(side) for side in sheets.values()]

    def to_turn(self) -> Turn:
        """What decides about this seat's turn."""
        return Turn(self.board, self.held, self.must_lay, dict(self.options)["laying"] == "club")
