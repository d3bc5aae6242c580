"""A position drawn with plain characters, for logs, tests and consoles: what everybody may see."""

from __future__ import annotations

from collections.abc import Iterator

from .board import COLUMNS, LIGHT, NAMES, RED, SIDE, WIDTH
from .notation import ID, lots_text
from .scoring import Row
from .view import ZatreView


def drawn(view: ZatreView) -> str:
    """The board (`.` a dark cell, `#` a light one, `R` the red one, else the tile), whose turn it is, what
    each seat has and holds, and the sheets: each row as its cross, its boxes of 10, 11 and 12, and its
    total."""
    lines = [*_board(view), *_standing(view), *_seats(view), *_sheets(view)]
    return "\n".join(line.rstrip() for line in lines)


def _board(view: ZatreView) -> Iterator[str]:
    yield "   " + " ".join(COLUMNS)
    for row in range(SIDE):
        cells = range(row * WIDTH, row * WIDTH + SIDE)
        yield f"{row + 1:2} " + " ".join(_cell(cell, view.board[cell]) for cell in cells)


def _cell(cell: int, tile: int) -> str:
    if tile:
        return str(tile)
    if cell == RED:
        return "R"
    if cell in LIGHT:
        return "#"
    return "." if cell in NAMES else " "


def _standing(view: ZatreView) -> Iterator[str]:
    options = " ".join(f"{name}={value}" for name, value in view.options)
    yield f"{ID} {options}, {view.bag} in the bag"
    if view.outcome:
        winners = " ".join(map(str, view.outcome.winners))
        yield f"over: {view.outcome.reason}, won by {winners}"
    elif view.turn is None:
        yield view.stage
    else:
        drew = f", who drew {view.drawn}" if view.drawn else ""
        yield f"{view.stage} of {view.turn}{drew}" + (", who must lay" if view.must_lay else "")
    if view.opening:
        yield from map(lots_text, view.lots)
    for seat, turn in view.last:
        yield f"{seat}: {turn}"


def _seats(view: ZatreView) -> Iterator[str]:
    for seat, hand in enumerate(view.hands):
        tiles = "?" * view.counts[seat] if hand is None else "".join(map(str, hand))
        yield f"seat {seat}: {view.scores[seat]} points, holds {' '.join(tiles) or 'nothing'}"


def _sheets(view: ZatreView) -> Iterator[str]:
    for number, sheet in enumerate(view.sheets):
        yield f"sheet {number}: " + "; ".join(map(_row, sheet.rows()))


def _row(row: Row) -> str:
    boxes = ("-" if box is None else str(box) for box in (row.ten, row.eleven, row.twelve))
    return f"{'x' if row.cross else '-'} {' '.join(boxes)} = {row.total}"
