"""What a seat, or who only looks on, knows of a position: `TopominosView`, its value types, and `unseen`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

from ..game import View
from .pieces import CELL_INDEX, NAMES, SET, dots_on, fill, rack_size

Phase = Literal["lots", "deal", "turn", "rack", "swap", "refill", "over"]
"""lots: start draws are due. deal: hands are due. turn: a decision is due. rack: one piece for the rack
emptied in mid-turn is due. swap, refill: the pieces exchanged for, or drawn after the turn, are due."""
PHASES: Final[tuple[Phase, ...]] = ("lots", "deal", "turn", "rack", "swap", "refill", "over")

Mode = Literal["open", "start", "add"]
"""What rule 4 leaves to the turn: nothing chosen (or chosen afresh after a nine), A, or B."""
MODES: Final[tuple[Mode, ...]] = ("open", "start", "add")


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The last finished turn of this game, as everybody saw it. moves: lays, or "pass", or "swap" with one
    `?` for each piece. points: what the turn scored, nines included."""

    seat: int
    moves: tuple[str, ...]
    nines: int
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TopominosView(View):
    """What a seat knows of Topominos.

    game_number: from 1. starter: who began this game, None before that is drawn. turn: whose turn it is,
        also while pieces are drawn for it; None before the hands are dealt and after the end.
    board: per compartment (A1, A2 … C3) the dots of each piece, lowest first. rack: own pieces, sorted.
    racks: pieces on each seat's rack. bag: pieces in it. gone: pieces out of the game, sorted.
    mode, start: what rule 4 leaves to this turn; start is the one compartment of a turn of kind A.
    laid: this turn's lays. touched: compartments whose stacks score at the end of the turn. nines: stacks
        completed in this turn. turn_points: scored in this turn so far, by nines.
    passes: turns passed in a row. lots: the start draws of this match, names by seat, "-" for who took no
        part. points: this game's, by seat. games: results of the match's finished games. left: the racks laid
        open at the end of the last of them, by seat; () before the first end.
    stuck: nothing can be laid any more, and the round is finished only because the bag holds pieces.
    """

    phase: Phase
    game_number: int
    starter: int | None
    turn: int | None
    board: tuple[tuple[str, ...], ...]
    rack: tuple[str, ...]
    racks: tuple[int, ...]
    bag: int
    gone: tuple[str, ...]
    mode: Mode
    start: str | None
    laid: tuple[str, ...]
    touched: tuple[str, ...]
    nines: int
    turn_points: int
    last: LastTurn | None
    passes: int
    lots: tuple[tuple[str, ...], ...]
    points: tuple[int, ...]
    games: tuple[tuple[int, ...], ...]
    left: tuple[tuple[str, ...], ...]
    stuck: bool

    @property
    def lost(self) -> tuple[int, ...]:
        """Dots taken off at the end of the last finished game, by seat (rule 9)."""
        return tuple(dots_on(rack) for rack in self.left)

    @property
    def fills(self) -> tuple[int, ...]:
        """The mask of dots in each compartment."""
        return tuple(fill(stack) for stack in self.board)

    @property
    def pending(self) -> int:
        """Points the turn would bring if it ended now, beyond `turn_points` (rule 6)."""
        return sum(fill(self.board[CELL_INDEX[cell]]).bit_count() for cell in self.touched)

    @property
    def redrawn(self) -> int:
        """Pieces drawn in this turn for the rack that it emptied (rule 7)."""
        if self.turn is None or not self.laid:
            return 0
        return max(len(self.laid) + self.racks[self.turn] - rack_size(self.players), 0)

    @property
    def last_round(self) -> bool:
        """Whether the game ends when this round is complete (rule 9)."""
        emptied = self.phase not in ("lots", "deal", "over") and not self.bag and 0 in self.racks
        return emptied or self.stuck


def unseen(view: TopominosView) -> dict[str, int]:
    """How often each piece may still be in the bag or on others' racks, by name; names with none left are
    out."""
    left = Counter(SET)
    left.subtract(view.gone)
    left.subtract(view.rack)
    left.subtract(NAMES[dots] for stack in view.board for dots in stack)
    return {name: count for name, count in left.items() if count > 0}
