"""What a seat may do now (rules 1 to 5): asked of a `Choice`, by the position and by the view alike; and what
is played for a seat that ran out of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..errors import Illegal
from .notation import CALL_TEXTS, ENTRY_TEXTS, Call, Entry, Move, Setup
from .sheet import (
    CELLS,
    COLUMNS,
    EMPTY,
    JOKER,
    LEAST,
    LETTERS,
    MOST,
    ROWS,
    START_NUMBERS,
    SYMBOLS,
    Sheet,
    column_of,
    columns_for,
    is_dead,
    open_cells,
    open_rows,
    runs,
)
from .view import Phase, Top12View

# Rows from one up to another, sorted as text: row 0 is called 1, and 10, 11 and 12 come before 2.
_AS_TEXT = tuple(
    tuple(tuple(sorted(range(start, stop), key=lambda row: str(row + 1))) for stop in range(ROWS + 1))
    for start in range(ROWS + 1)
)
_STAND_IN_SETUP = "10@A1 20@B3 30@C4 40@D5 50@E6"


Choice: TypeAlias = tuple[Phase, tuple[int, ...], int, str]
"""What decides which moves a seat has: the phase ("setup", "call" or "enter"), the seat's own sheet, and the
number called and the face rolled (else 0 and ""). A plain tuple, for one is made for every list and every
move, and naming its parts costs a twentieth of the whole game's speed."""


def choice_of(view: Top12View) -> Choice:
    """Of the view's seat, which may act."""
    sheet = EMPTY if view.seat is None else view.sheets[view.seat]
    return view.phase, sheet, view.number, view.face


def listed(choice: Choice) -> list[str]:
    """Every legal move, sorted. Raises ValueError in the set-up."""
    phase, sheet, number, face = choice
    if phase == "setup":
        raise ValueError("the set-up's 29,859,840 moves are checked, not listed")
    if phase == "call":
        return list(CALL_TEXTS)
    texts = ENTRY_TEXTS[number]
    found: list[str] = []
    for column in columns_for(face):
        base = column * ROWS
        rows = open_rows(sheet[base : base + ROWS], number)
        found += [texts[base + row] for row in _AS_TEXT[rows.start][rows.stop]]
    return found


def judge(choice: Choice, move: Move) -> None:
    """Nothing, if the move is legal. Raises Illegal with the rule."""
    phase, sheet, number, face = choice
    if isinstance(move, Entry):
        _judge_entry(phase, sheet, number, face, move)
    elif isinstance(move, Call):
        if phase == "setup":
            raise _refused("setup_first", "1")
        if phase != "call":
            raise _refused("enter_first", "5", number=number)
    else:
        _judge_setup(phase, move)


def _judge_setup(phase: Phase, setup: Setup) -> None:
    if phase != "setup":
        raise _refused("setup_over", "1")
    if len({entry.cell // ROWS for entry in setup.entries}) < COLUMNS:
        raise _refused("one_per_column", "1")
    if sorted([entry.number for entry in setup.entries]) != list(START_NUMBERS):
        raise _refused("start_numbers", "1")


def _judge_entry(phase: Phase, sheet: Sheet, number: int, face: str, entry: Entry) -> None:
    cell = entry.cell
    if phase == "setup":
        raise _refused("setup_first", "1")
    if phase != "enter":
        raise _refused("call_first", "2")
    if entry.number != number:
        raise _refused("other_number", "3", number=number)
    column = cell // ROWS
    if face not in (JOKER, SYMBOLS[column]):
        raise _refused("other_column", "3", column=LETTERS[SYMBOLS.index(face)])
    cells = column_of(sheet, column)
    if cell - column * ROWS in open_rows(cells, number):
        return
    if sheet[cell]:
        raise _refused("occupied", "3", cell=CELLS[cell], number=sheet[cell])
    if number in cells:
        raise _refused("twice", "4", number=number, column=LETTERS[column])
    raise _refused("rising", "4", number=number, cell=CELLS[cell])


def _refused(code: str, rule: str, **data: object) -> Illegal:
    return Illegal(code, game="top12", rule=rule, **data)


def unable(sheets: Sequence[Sheet], number: int, face: str) -> tuple[int, ...]:
    """Seats that cannot enter the number after the die showed `face` (rule 5)."""
    return tuple([seat for seat, sheet in enumerate(sheets) if not open_cells(sheet, number, face)])


def sitting_out(view: Top12View) -> tuple[int, ...]:
    """Seats that cannot enter the number of the open round."""
    return unable(view.sheets, view.number, view.face) if view.phase == "enter" else ()


def entry_cells(view: Top12View) -> tuple[str, ...]:
    """Names of the cells the seat may enter the called number in now, in sheet order; () where it
    has nothing to enter."""
    if view.seat is None or view.phase != "enter" or view.seat not in view.actors:
        return ()
    return tuple([CELLS[cell] for cell in open_cells(view.sheets[view.seat], view.number, view.face)])


# --------------------------------------------------------------------------- out of time


def stand_in(choice: Choice) -> str:
    """See `Game.stand_in`."""
    phase, sheet, number, face = choice
    match phase:
        case "setup":
            return _STAND_IN_SETUP
        case "call":
            return _stand_in_call(sheet)
        case _:
            return _stand_in_entry(sheet, number, face)


def _stand_in_call(sheet: Sheet) -> str:
    """The number that the most and fullest living columns can take; the lowest of equals."""
    weights = [0] * (MOST + 1)
    for column in range(COLUMNS):
        cells = column_of(sheet, column)
        if is_dead(cells):
            continue
        weight = 1 + ROWS - cells.count(0)
        for _, above, below in runs(cells):
            for number in range(above + 1, below):
                weights[number] += weight
    best = max(range(LEAST, MOST + 1), key=lambda number: (weights[number], -number))
    return f"call {best}"


def _stand_in_entry(sheet: Sheet, number: int, face: str) -> str:
    """The cell nearest to the number's proportional place, in the fullest column that stays alive."""

    def merit(cell: int) -> tuple[bool, int, int, int]:
        base = cell // ROWS * ROWS
        cells = list(column_of(sheet, cell // ROWS))
        rows = open_rows(cells, number)
        below = cells[rows.start - 1] if rows.start else LEAST - 1
        above = cells[rows.stop] if rows.stop < ROWS else MOST + 1
        place = cell - base - rows.start
        offset = abs(2 * (number - below) * len(rows) - (2 * place + 1) * (above - below))
        taken = ROWS - cells.count(0)
        cells[cell - base] = number
        return is_dead(cells), -taken, offset, cell

    return ENTRY_TEXTS[number][min(open_cells(sheet, number, face), key=merit)]
