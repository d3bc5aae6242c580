"""What makes up one position, and simple questions about it; how a game goes on is told in `state.py`."""

from __future__ import annotations

from ..game import OptionValue
from .notation import Writing
from .sheet import COLUMNS, EMPTY, FACES, ROWS, column_of, entered, prospects
from .view import Phase, Round

_ALL_DEAD = (1 << COLUMNS) - 1


class Position:
    """The facts of one position. Seats are numbers, -1 for none.

    stage: see `PHASES`; in "first" and "roll" chance is due. sheets: by seat, empty until the set-up is over.
    chosen: by seat, what came in during the open simultaneous phase, in that order. caller: who calls or
    called. number, face: of the round under way, 0 and "" where not yet there. rolls: so far, the open
    round's included. idle: closed rounds running without any entry. last: the round closed last. reason: of
    the end, "" before.

    What follows from these and is kept in mind: waiting: seats that are still to choose or to call, sorted.
    accepts: by seat and die face (in the order of `FACES`), the numbers that can be entered, as bits. dead:
    by seat, the dead columns as bits (column 0 is bit 0). In the set-up neither a number nor a column.
    """

    __slots__ = (
        "accepts",
        "caller",
        "chosen",
        "dead",
        "face",
        "idle",
        "last",
        "number",
        "options",
        "players",
        "reason",
        "rolls",
        "sheets",
        "stage",
        "waiting",
    )

    def __init__(self, players: int, options: dict[str, OptionValue]) -> None:
        self.players = players
        self.options = options
        self.stage: Phase = "setup"
        self.sheets = [EMPTY] * players
        self.chosen: dict[int, Writing] = {}
        self.waiting = tuple(range(players))
        self.accepts = [(0,) * len(FACES)] * players
        self.dead = [0] * players
        self.caller = -1
        self.number = 0
        self.face = ""
        self.rolls = 0
        self.idle = 0
        self.last: Round | None = None
        self.reason = ""

    def write(self, seat: int, cell: int, number: int) -> None:
        """A number into a cell of a seat's sheet."""
        self.sheets[seat] = entered(self.sheets[seat], cell, number)
        self.note_column(seat, cell // ROWS)

    def note_column(self, seat: int, column: int) -> None:
        """Keep in mind what follows from a column's numbers: what it accepts, and whether it is dead."""
        cells = column_of(self.sheets[seat], column)
        _, *masks = self.accepts[seat]
        masks[column], dead = prospects(cells)
        self.accepts[seat] = (masks[0] | masks[1] | masks[2] | masks[3] | masks[4], *masks)
        if dead:
            self.dead[seat] |= 1 << column

    def able(self) -> tuple[int, ...]:
        """Seats that can enter the number that was called, after the roll (rules 3 to 5)."""
        face, number = FACES.index(self.face), self.number
        return tuple([seat for seat, masks in enumerate(self.accepts) if masks[face] >> number & 1])

    def all_dead(self) -> bool:
        """Whether nobody can fill a column any more."""
        return self.dead.count(_ALL_DEAD) == self.players
