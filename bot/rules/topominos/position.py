"""What a position of Topominos consists of, and what follows from it alone: the fields that `stored.py`
writes and reads, `faults.py` judges and `state.py` plays on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..game import Game, OptionValue, Outcome
from .pieces import CELLS, FITTING, SET, rack_size
from .view import LastTurn, Mode, Phase, TopominosView

MOST_GAMES: Final = 20  # rule 11, ruling: a `target` match ends after so many games


class Position:
    """Racks, bag, `gone` (pieces out of the game) and `aside` (pieces in an exchange) are sorted lists of
    names; `stacks` and `fills` (their masks) are by compartment."""

    __slots__ = (
        "aside",
        "bag",
        "count",
        "fills",
        "first",
        "game",
        "games",
        "gone",
        "laid",
        "last",
        "left",
        "lots",
        "mode",
        "nines",
        "options",
        "passes",
        "players",
        "points",
        "racks",
        "result",
        "seat",
        "stacks",
        "stage",
        "start",
        "tied",
        "touched",
    )

    def __init__(self, game: Game[TopominosView], players: int, options: dict[str, OptionValue]) -> None:
        self.game = game
        self.players = players
        self.options = options
        self.stage: Phase = "lots"
        self.first = -1  # who began this game; -1 until the start draw is decided
        self.seat = -1  # whose turn it is, or who receives the next hand
        self.tied: tuple[int, ...] = tuple(range(players))  # seats still in the start draw
        self.lots: list[tuple[str, ...]] = []
        self.games: list[tuple[int, ...]] = []
        self.left: tuple[tuple[str, ...], ...] = ()  # racks laid open at the end of the last game
        self.count = 0  # events applied
        self.result: Outcome | None = None
        self.lay_out()

    def lay_out(self) -> None:
        """All pieces back in the bag, the board empty."""
        self.bag = list(SET)
        self.racks: list[list[str]] = [[] for _ in range(self.players)]
        self.stacks: list[tuple[str, ...]] = [()] * len(CELLS)
        self.fills = [0] * len(CELLS)
        self.gone: list[str] = []
        self.aside: list[str] = []
        self.points = [0] * self.players
        self.passes = 0
        self.last: LastTurn | None = None
        self.clear_turn()

    def clear_turn(self) -> None:
        """Nothing laid and nothing chosen, as at the start of a turn."""
        self.mode: Mode = "open"
        self.start = -1  # compartment of a turn of kind A
        self.touched = 0  # bit per compartment
        self.laid: tuple[str, ...] = ()
        self.nines = 0

    @property
    def touched_cells(self) -> tuple[str, ...]:
        """The compartments whose stacks score at the end of this turn (rule 6)."""
        return tuple(cell for index, cell in enumerate(CELLS) if self.touched >> index & 1)

    @property
    def start_cell(self) -> str | None:
        """The one compartment of a turn of kind A (rule 4)."""
        return None if self.start < 0 else CELLS[self.start]

    def missing(self) -> int:
        """How many pieces bring the rack of the seat in turn to its size, as far as the bag goes (rule 8)."""
        return min(rack_size(self.players) - len(self.racks[self.seat]), len(self.bag))

    def can_lay(self) -> bool:
        """Whether any piece on a rack or in the bag could be laid in some turn."""
        if 0 in self.fills:
            return bool(self.bag) or any(self.racks)
        left = set(self.bag).union(self.aside, *self.racks)
        return any(FITTING[name][full] for full in set(self.fills) for name in left)

    def finishes_rounds(self) -> bool:
        """Whether a round is finished although nobody can lay: with pieces in the bag, since the seats left
        may exchange (rulings; version 1 ended the game after any turn)."""
        return bool(self.bag) and self.game.version >= 2

    def most_games(self) -> int:
        """After how many games the match ends at the latest (rule 11)."""
        rounds = self.options["rounds"]
        assert isinstance(rounds, int)
        return rounds if self.options["target"] is None else MOST_GAMES

    def totals(self) -> tuple[int, ...]:
        """Points of the match so far, this game's included, by seat."""
        running = [] if self.stage == "over" else [tuple(self.points)]
        return tuple(map(sum, zip(*self.games, *running, strict=True)))


def leaders(scores: Sequence[int]) -> tuple[int, ...]:
    """The seats with most points (rule 10), sorted.

    >>> leaders((12, 20, 20))
    (1, 2)
    """
    most = max(scores, default=0)
    return tuple(seat for seat, score in enumerate(scores) if score == most)
