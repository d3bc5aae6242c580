"""A computer player for Top 12.

What everybody knows, and no level breaks while it has another move: docs/players.md.

Alone, all start numbers are written in the first row, and numbers are called that are larger than all before:
those fit everywhere, so no roll is lost, and no way of playing needs fewer rolls (`race`).

Where things are: `columns`: what a column is worth; `race`: how long it takes alone; `judge`: what calls and
entries are worth; `reasons`: why, in words' keys; `value`: the chance to win a position, as `learn` learned
it; `playout`: how rounds could go on, which `hard` tries out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import cast

from bot.players.contract import Candidate, Player, Scale, Trial
from bot.rules.top12 import COLUMNS, LEAST, LETTERS, MOST, ROWS, START_NUMBERS, Top12View

from . import judge, reasons
from .columns import Column
from .playout import Rolls, Rounds

_CALLS = 24  # calls worth weighing: the best by worth, and those that bring the seat itself most
_EASY_CALLS = 8


class Top12Player(Player[Top12View]):
    """Weighs by `judge`."""

    blur = 1.2

    def candidates(self, view: Top12View) -> list[Candidate]:
        if view.seat is None or view.seat not in view.actors:
            raise ValueError("this seat may not act")
        match view.phase:
            case "setup":
                return _setups(view.seat, view.players)
            case "call":
                return _calls(view)
            case _:
                return _entries(view)

    def trial(self, view: Top12View, tried: Sequence[Candidate]) -> Trial | None:
        """Two rounds, and what is known of the position then. Nothing is tried out alone, where the
        evaluation is exact, nor in the set-up."""
        return None if view.players == 1 else self.looking_back(view, tried)

    def looking_back(self, view: Top12View, tried: Sequence[Candidate]) -> Trial | None:
        """The same, and alone the rolls that each saves, as they are worked out."""
        if view.phase == "setup":
            return None
        moves = [one.move for one in tried]
        return Rolls(view, moves) if view.players == 1 else Rounds(view, moves)

    def scale(self, view: Top12View) -> Scale:
        return Scale("rolls", least=0.5) if view.players == 1 else Scale("chance", least=4.0)


PLAYER = Top12Player()


# --------------------------------------------------------------------------- set-up


def _setups(seat: int, players: int) -> list[Candidate]:
    """Each start number in its row, and all a row higher or lower; alone, all in the first row. The columns
    go round by seats, so that no two sheets are alike."""
    best = [0 if players == 1 else judge.start_row(number) for number in START_NUMBERS]
    found = []
    for shift in (0, -1, 1):
        rows = [min(max(row + shift, 0), ROWS - 1) for row in best]
        if shift and rows == best:
            continue
        numbers = sorted(
            ((at + seat) % COLUMNS, number, row)
            for at, (number, row) in enumerate(zip(START_NUMBERS, rows, strict=True))
        )
        move = " ".join([f"{number}@{LETTERS[at]}{row + 1}" for at, number, row in numbers])
        worth = -judge.LOWER_WORTH * abs(shift)
        hidden = 0.0 if shift else 0.5
        found.append(Candidate(move, worth, hidden, (reasons.spread(rows),)))
    return found


# --------------------------------------------------------------------------- calls


def _calls(view: Top12View) -> list[Candidate]:
    """The best by worth, and those that bring this seat most, which are seen at a glance."""
    sheets = [judge.sheet(cells) for cells in view.sheets]
    own = sheets[cast("int", view.seat)]
    lacking = [[one for one in sheet.columns if one.missing == 1] for sheet in sheets]
    given = _taken(chain(*lacking)) & ~_taken(lacking[cast("int", view.seat)])
    living = _taken([one for one in own.columns if not one.dead])
    weighed = judge.calls(view)
    weighed = [one for one in weighed if not given >> one[3] & 1] or weighed
    weighed = [one for one in weighed if living >> one[3] & 1] or weighed
    plain = sorted(weighed, key=lambda one: (-round(one[1], 9), one[3]))
    most = max(plain[0][1], 1e-9)
    chosen = {one[3] for one in [*weighed[:_CALLS], *plain[:_EASY_CALLS]]}
    found = []
    for worth, gain, rival, number in weighed:
        if number in chosen:
            hidden = min(max(4.0 * (most - gain) / most, 0.0), 1.0)
            found.append(Candidate(f"call {number}", worth, hidden, reasons.call(view, number, gain, rival)))
    return found


def _taken(columns: Iterable[Column]) -> int:
    """A bit for every number that some of these columns take."""
    found = 0
    for one in columns:
        found |= one.open
    return found


# --------------------------------------------------------------------------- entries


def _entries(view: Top12View) -> list[Candidate]:
    """Every cell that no rule of thumb forbids."""
    own = judge.sheet(view.sheets[cast("int", view.seat)])
    weighed = judge.entries(view)
    sensible = (
        [one for one in weighed if not one[3].missing]
        or [one for one in weighed if not one[3].dead]
        or [one for one in weighed if own.columns[one[1]].dead]
        or weighed
    )
    ends = {LEAST: 0, MOST: ROWS - 1}  # where alone a number leaves no cell beyond it empty
    sensible = [one for one in sensible if one[2] == ends.get(view.number, one[2])] or sensible
    fewest = min([one[3].missing for one in sensible])
    found = []
    for worth, at, row, after in sensible:
        hidden = min(0.3 * abs(row - plain_row(own.columns[at], view.number)), 0.9)
        if after.missing > fewest:
            hidden = min(hidden + 0.4, 1.0)
        move = f"{view.number}@{LETTERS[at]}{row + 1}"
        found.append(Candidate(move, worth, hidden, reasons.entry(view, at, row, after)))
    return found


def plain_row(one: Column, number: int) -> int:
    """Where anybody would write a number: in the run of free cells, as far down as it is between the
    neighbours."""
    for length, above, below, row in one.runs:
        if above < number < below:
            return row + (number - above - 1) * length // max(1, below - above - 1)
    raise ValueError(f"{number} does not fit")
