"""A position drawn with plain characters, for logs, tests and consoles: what everybody sees."""

from __future__ import annotations

from .board import CELLS, SIDE, SIZE, filled
from .view import FiveView

_GAP = " " * 4


def drawn(view: FiveView) -> str:
    """What is due, all boards side by side with their numbers of filled cells, set-up tiles still to be laid,
    the middle and the stock; in a series the points. Seats count from 0, as in records."""
    columns = sorted({name[0] for name in CELLS})
    width = 1 + 3 * SIDE
    heads = [f"seat {seat}: {filled(board)}/{SIZE}" for seat, board in enumerate(view.boards)]
    lines = [
        _due(view),
        _GAP.join(head.ljust(width) for head in heads).rstrip(),
        _GAP.join(" " + "".join(f"{column:>3}" for column in columns) for _ in heads),
    ]
    for row in range(SIDE):
        rows = [[board[cell] for cell in range(row, SIZE, SIDE)] for board in view.boards]
        lines.append(_GAP.join(f"{row + 1}" + "".join(f"{tile or '.':>3}" for tile in one) for one in rows))
    for seat, tiles in enumerate(view.wave):
        if tiles:
            lines.append(f"seat {seat} has to lay {_numbers(tiles)}")
    lines.append(f"middle: {_numbers(view.middle)}; face down: {view.stock}")
    if view.games > 1:
        lines.append(f"points: {_numbers(view.points)}")
    return "\n".join(lines)


def _due(view: FiveView) -> str:
    """Game, phase, whose turn it is, or how it ended."""
    start = f"fivetotwelve, game {view.game_number} of {view.games}, "
    if view.outcome:
        return (
            f"{start}over: {view.outcome.reason}, won by seat {_numbers(view.outcome.winners)}, "
            f"scores {_numbers(view.outcome.scores)}"
        )
    line = f"{start}phase {view.phase}"
    if view.turn is not None:
        line += f", seat {view.turn} {'again' if view.again else 'to move'}"
    if view.hand is not None:
        line += f", revealed {view.hand}"
    if view.closed:
        line += ", 2b closed"
    return line


def _numbers(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers)) or "none"
