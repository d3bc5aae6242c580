"""A position drawn with plain characters, for logs, tests and consoles: what everybody may see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .pieces import CELL_INDEX
from .view import TopominosView


def drawn(view: TopominosView) -> str:
    """What everybody sees, without words: at each place of a compartment the number of the piece whose dot is
    there (1 the lowest); then pieces, points and what was laid in this turn."""
    return "\n".join(_lines(view))


def _lines(view: TopominosView) -> Iterable[str]:
    turn = "" if view.turn is None else f", turn of seat {view.turn}"
    yield f"topominos, game {view.game_number}, phase {view.phase}{turn}"
    yield "   A    B    C"
    for number in "123":
        stacks = [view.board[CELL_INDEX[column + number]] for column in "ABC"]
        for label, letters in zip((number, " ", " "), ("abc", "def", "ghi"), strict=True):
            yield label + "".join(f"  {_row(stack, letters)}" for stack in stacks)
    yield f"bag {view.bag}, gone {len(view.gone)}"
    for seat, (points, total) in enumerate(zip(view.points, view.scores, strict=True)):
        yield f"seat {seat}: points {points}, match {total}, rack {view.racks[seat]}"
    if view.laid:
        yield f"laid {' '.join(view.laid)}, nines {view.nines}, mode {view.mode}"
    if view.outcome is not None:
        yield f"winners {' '.join(map(str, view.outcome.winners))}, {view.outcome.reason}"


def _row(stack: Sequence[str], letters: str) -> str:
    """One row of a compartment, as a digit or dot for each place."""
    return "".join(
        next((str(number) for number, dots in enumerate(stack, 1) if letter in dots), ".")
        for letter in letters
    )
