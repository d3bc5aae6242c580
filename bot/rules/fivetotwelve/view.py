"""What is seen of a position of 5 vor 12: `FiveView` and the values it holds.

Nothing is hidden but the order of the face-down stock, so every seat sees the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from ..game import OptionValue, View
from .board import TOP, Board

Phase: TypeAlias = Literal["first", "deal", "place", "turn", "reveal", "hand", "over"]
PHASES: Final[tuple[Phase, ...]] = ("first", "deal", "place", "turn", "reveal", "hand", "over")
ONE_SEAT: Final = frozenset[Phase]({"turn", "reveal", "hand"})
"""The phases in which it is one seat's turn."""
Source: TypeAlias = Literal["set-up", "stock", "middle"]
SOURCES: Final[tuple[Source, ...]] = ("set-up", "stock", "middle")


class Placement(NamedTuple):
    """What a seat did last with a tile. source: where it came from; cells: where the tile (in set-up variants
    all four) was laid, () when it was left in the middle; replaced: the number that was exchanged away, 0 for
    none."""

    source: Source
    tile: int
    cells: tuple[str, ...]
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class GameResult:
    """One finished game of a series. filled: cells filled by seat; points: what each seat scored (rule 6)."""

    filled: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str
    points: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FiveView(View):
    """Everything but the order of the stock is public, so all seats' views differ in `seat` alone.

    phase: one of PHASES ("first", "deal", "reveal": chance is due; "place": set-up; "turn": draw or take;
    "hand": lay or leave the revealed tile). boards: by seat. middle: face-up tiles, sorted. stock: number of
    face-down tiles. hand: the revealed tile or None. wave: by seat, the set-up tiles still to be laid.
    wave_number: 1-4 in set-up, 0 before it. turn: the seat whose turn it is, None outside turns. again: it is
    an extra turn (option bruno). first: the first player, None before the lot. idle, idle_limit: turns
    without a reveal so far, and when 2b closes. last: by seat, in this game. mover: who made the last of
    those. game_number: from 1, of `games`. points: by seat, of the series' finished games; results: those.
    """

    phase: Phase
    boards: tuple[Board, ...]
    middle: tuple[int, ...]
    stock: int
    hand: int | None
    wave: tuple[tuple[int, ...], ...]
    wave_number: int
    turn: int | None
    again: bool
    first: int | None
    idle: int
    idle_limit: int
    last: tuple[Placement | None, ...]
    mover: int | None
    game_number: int
    games: int
    points: tuple[int, ...]
    results: tuple[GameResult, ...]

    @property
    def closed(self) -> bool:
        """Whether 2b is closed until somebody reveals."""
        return self.idle >= self.idle_limit

    def option(self, name: str) -> OptionValue:
        """The value of one option."""
        return dict(self.options)[name]

    def unseen(self) -> list[int]:
        """How many tiles of each number (index 1-20) are face down: what everybody can count."""
        counts = [0] + [self.players] * TOP
        for tiles in (*self.boards, self.middle, *self.wave, (self.hand or 0,)):
            for tile in tiles:
                if tile:
                    counts[tile] -= 1
        return counts
