"""The facts of one position of 5 vor 12, and what follows from them by counting alone.

`FiveState` (in `state.py`) is a position that knows how the game goes on; `stored.py` writes and reads
positions, `faults.py` looks for what is wrong with one.
"""

from __future__ import annotations

from ..game import Game, OptionValue, Outcome
from .board import EMPTY, SIDE, TOP, Board
from .view import FiveView, GameResult, Phase, Placement

IDLE_PER_PLAYER = 10  # turns in a row without a reveal, per player, before 2b closes (ruling)


class Position:
    """The facts. They mean what they mean in `FiveView`, but: stage is its `phase`, on_turn its `turn`,
    ending its `outcome`; hand is 0 where no tile is revealed; stock and middle are counts by number
    (`counts`), so nothing has the order of the stock; idle goes back to 0 only at the end of the turn, whose
    number it is part of (see `idle_now`). receiver: the seat that the next deal goes to.
    """

    __slots__ = (
        "again",
        "boards",
        "ending",
        "first",
        "game",
        "hand",
        "idle",
        "idle_limit",
        "last",
        "middle",
        "mover",
        "on_turn",
        "options",
        "players",
        "points",
        "receiver",
        "results",
        "setup",
        "stage",
        "stock",
        "wave",
        "wave_number",
    )

    def __init__(self, game: Game[FiveView], players: int, options: dict[str, OptionValue]) -> None:
        self.game = game
        self.players = players
        self.options = options
        self.setup = str(options["setup"])
        self.idle_limit = IDLE_PER_PLAYER * players
        self.points = [0] * players
        self.results: list[GameResult] = []
        self.first: int | None = None
        self.ending: Outcome | None = None
        self.new_game()

    def new_game(self) -> None:
        """Boards, stock and middle as they are before the lot for the first player."""
        self.stage: Phase = "first"
        self.boards: list[Board] = [EMPTY] * self.players
        self.stock = [0] + [self.players] * TOP
        self.middle = [0] * (TOP + 1)
        self.hand = 0
        self.wave: list[tuple[int, ...]] = [()] * self.players
        self.wave_number = 0
        self.receiver = 0
        self.on_turn: int | None = None
        self.again = False
        self.idle = 0
        self.last: list[Placement | None] = [None] * self.players
        self.mover: int | None = None

    @property
    def dealt(self) -> int:
        """Tiles each seat draws per wave, by rule 1 or the option `setup`."""
        return 1 if self.setup == "one-by-one" else SIDE

    @property
    def games(self) -> int:
        """Games to be played: in a series as many as players (rule 6)."""
        return self.players if self.options["series"] else 1

    @property
    def idle_now(self) -> int:
        """Turns without a reveal up to now: none once this turn has revealed."""
        return 0 if self.stage == "hand" else self.idle
