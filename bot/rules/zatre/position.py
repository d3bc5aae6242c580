"""What makes up one position, and simple questions about it; how it goes on is told in `state.py`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ..game import OptionValue
from .board import EMPTY
from .scoring import Sheet, sheet_of
from .tiles import TILES

Stage: TypeAlias = Literal["lots", "draw", "turn", "blocked", "over"]
"""lots: who opens is being decided (rule 1). draw: the seat on turn draws. turn: it lays. blocked: rule 10's
drawing without laying. over: the game has ended."""

REASONS = ("bag empty", "no tile fits")  # of an end, rule 10


class Position:
    """The facts of one position.

    board: value by cell. bag: how many tiles are left, by value (index 0 is 0). hands: by seat, sorted.
    sheets: by seat, or by pair (`sheet_of`). seat: whose turn it is, or who draws next (at the lots: the
    lowest seat in them). contenders: who is in the lots, then who has won them. lots: every lots event so
    far, by seat, None for one not in it. due: tiles in the draw event that comes next. drawn: those drawn by
    the seat on turn, for this turn. last: the latest turns (seat, canonical text), at most one round, newest
    last. reason: one of `REASONS`, "" before the end.
    """

    __slots__ = (
        "bag",
        "board",
        "contenders",
        "drawn",
        "due",
        "hands",
        "last",
        "lots",
        "options",
        "players",
        "reason",
        "seat",
        "sheets",
        "stage",
    )

    def __init__(self, players: int, options: dict[str, OptionValue]) -> None:
        self.players = players
        self.options = options
        self.board = EMPTY
        self.bag = list(TILES)
        self.hands: list[tuple[int, ...]] = [()] * players
        self.sheets: list[Sheet] = [Sheet()] * (players // 2 if options["partners"] else players)
        self.stage: Stage = "lots"
        self.seat = 0
        self.contenders: tuple[int, ...] = tuple(range(players))
        self.lots: tuple[tuple[int | None, ...], ...] = ()
        self.due = 0
        self.drawn: tuple[int, ...] = ()
        self.last: tuple[tuple[int, str], ...] = ()
        self.reason = ""

    @property
    def partners(self) -> bool:
        """Whether seats play in pairs, with a sheet for each."""
        return bool(self.options["partners"])

    @property
    def must_lay(self) -> bool:
        """Rule 5: who drew nothing for this turn lays at least one tile."""
        return self.stage == "turn" and not self.drawn

    def sheet_of(self, seat: int) -> int:
        """Index into `sheets` of a seat's sheet."""
        return sheet_of(seat, self.partners)
