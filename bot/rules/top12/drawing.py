"""A position drawn with plain characters, for logs, tests and consoles: what everybody may see."""

from __future__ import annotations

from .notation import roll_text
from .sheet import CELLS, COLUMNS, LETTERS, ROWS
from .view import Top12View

_WIDE = 4  # of a column: a number of up to three digits and what parts it from the one before


def drawn(view: Top12View) -> str:
    """The round in two lines, and by seat the numbers in the fullest column and the sheet, `.` a free cell.
    The seat that calls is named, and who has chosen in an open phase (not what); `<` marks who is to act."""
    lines = [f"top12, {view.phase}, rolls {view.rolls}"]
    if view.idle:
        lines[0] += f", idle {view.idle}"
    if view.outcome:
        winners = ", ".join([f"seat {seat}" for seat in view.outcome.winners])
        lines.append(f"{view.outcome.reason}, winners: {winners}")
    if view.number:
        lines.append(f"call {view.number}" + (f", {roll_text(view.face)}" if view.face else ""))
    blocks = [_block(view, seat) for seat in range(view.players)]
    margin = ["", "", "", *[f"{row + 1:>2}" for row in range(ROWS)]]
    for row in zip(margin, *blocks, strict=True):
        lines.append(
            "".join([row[0].ljust(2), *[cell.ljust(_WIDE * COLUMNS + 3) for cell in row[1:]]]).rstrip()
        )
    return "\n".join(lines)


def _block(view: Top12View, seat: int) -> list[str]:
    """One seat's lines: who it is, its points, the columns' names, the rows."""
    told = f"seat {seat}"
    if seat == view.caller:
        told += " caller"
    if seat in view.chosen:
        told += " chosen"
    if seat in view.actors:
        told += " <"
    sheet = view.sheets[seat]
    rows = [[sheet[cell] or "." for cell in range(row, len(CELLS), ROWS)] for row in range(ROWS)]
    return [
        f"  {told}",
        f"  points {view.scores[seat]}",
        *["".join([f"{cell:>{_WIDE}}" for cell in cells]) for cells in (LETTERS, *rows)],
    ]
