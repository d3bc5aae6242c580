"""What can be wrong with a position: judged from the sheets and numbers as they stand, not by the code that
wrote them."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise, permutations
from operator import or_, xor

from ..errors import Illegal
from .legality import judge
from .position import Position
from .scoring import DEAD, FULL, IDLE, IDLE_LIMIT
from .sheet import (
    CELLS,
    COLUMNS,
    FACES,
    JOKER,
    LEAST,
    LETTERS,
    MOST,
    ROWS,
    START_NUMBERS,
    SYMBOLS,
    Sheet,
    column_of,
    is_dead,
    open_cells,
    open_rows,
)
from .view import Round


def faults_of(position: Position) -> list[str]:
    """See `State.faults`."""
    if len(position.sheets) != position.players:
        return ["a sheet per seat"]
    found: list[str] = []
    for seat, sheet in enumerate(position.sheets):
        found += [f"seat {seat}: {fault}" for fault in _sheet_faults(position, sheet)]
    # what else is said needs sheets that are sheets
    return found or [*_round_faults(position), *_choice_faults(position), *_noted_faults(position)]


def _columns(sheet: Sheet) -> list[Sheet]:
    return [column_of(sheet, column) for column in range(COLUMNS)]


def _closed(position: Position) -> int:
    """Rounds that are closed."""
    return position.rolls - (position.stage == "enter")


# --------------------------------------------------------------------------- sheets


def _sheet_faults(position: Position, sheet: Sheet) -> list[str]:
    if len(sheet) != len(CELLS):
        return ["a sheet has 60 cells"]
    if any(not 0 <= value <= MOST for value in sheet):
        return ["a number is not from 1 to 100"]
    if position.stage == "setup":
        return ["something is written before the set-up is over"] if any(sheet) else []
    columns = [[value for value in cells if value] for cells in _columns(sheet)]
    found = [
        f"column {LETTERS[index]} does not rise"
        for index, numbers in enumerate(columns)
        if any(a >= b for a, b in pairwise(numbers))
    ]
    if not any(
        all(number in numbers for number, numbers in zip(order, columns, strict=True))
        for order in permutations(START_NUMBERS)
    ):
        found.append("the start numbers do not stand one in each column")
    if sum(map(len, columns)) > COLUMNS + _closed(position) - position.idle:
        found.append("more numbers than rounds with an entry")
    return found


# --------------------------------------------------------------------------- rounds and the end


def _round_faults(position: Position) -> list[str]:
    """What does not fit together in the counters, the caller, the call and the end."""
    found: list[str] = []
    stage, closed = position.stage, _closed(position)
    if not 0 <= position.idle <= min(closed, IDLE_LIMIT):
        found.append("idle rounds out of range")
    known = stage not in ("setup", "first")
    if not (0 <= position.caller < position.players if known else position.caller == -1):
        found.append("caller out of range")
    if not known and position.rolls:
        found.append("rolls before the first call")
    called = LEAST <= position.number <= MOST
    if called != (stage in ("roll", "enter")) or (position.number and not called):
        found.append("a called number where there is none, or none where there is one")
    if position.face not in (FACES if stage == "enter" else ("",)):
        found.append("a die face where there is none, or none where there is one")
    if (position.last is None) != (closed == 0):
        found.append("the last round is not there, or there before it was")
    elif position.last is not None:
        found += _last_faults(position, position.last)
    rounds = closed - (stage == "over")
    host = position.options["first"] == "host"
    if known and closed and host and position.caller != rounds % position.players:
        found.append("not this seat's turn to call")
    due = _reason_due(position)
    if position.reason != due or (stage == "over") != bool(due):
        found.append("over without a reason, or not over with one")
    return found


def _reason_due(position: Position) -> str:
    """Why the game is over, as the sheets and the idle rounds are; "" if it is not."""
    columns = [cells for sheet in position.sheets for cells in _columns(sheet)]
    if any(0 not in cells for cells in columns):
        return FULL
    if position.stage != "setup" and all(map(is_dead, columns)):
        return DEAD
    return IDLE if position.idle >= IDLE_LIMIT else ""


def _last_faults(position: Position, last: Round) -> list[str]:
    found: list[str] = []
    if len(last.cells) != position.players or not 0 <= last.caller < position.players:
        return ["the last round is of another table"]
    after = last.caller if position.stage == "over" else (last.caller + 1) % position.players
    if position.caller != after:
        found.append("the caller does not follow the last one")
    if last.face not in FACES:
        found.append("the last round has no face")
    for seat, cell in enumerate(last.cells):
        if cell == -1:
            continue
        if not 0 <= cell < len(CELLS) or position.sheets[seat][cell] != last.number:
            found.append(f"seat {seat}: the last number is not where it was written")
        elif last.face not in (JOKER, SYMBOLS[cell // ROWS]):
            found.append(f"seat {seat}: the last number is in another column than the die's")
    if (position.idle > 0) == any(cell >= 0 for cell in last.cells):
        found.append("idle rounds do not fit the last round")
    return found


# --------------------------------------------------------------------------- choices and what is noted


def _choice_faults(position: Position) -> list[str]:
    """What is wrong with the choices that came in, and with who is still waited for."""
    found: list[str] = []
    stage, number, face = position.stage, position.number, position.face
    match stage:
        case "setup":
            askable = set(range(position.players))
        case "enter" if face in FACES:
            askable = {seat for seat, sheet in enumerate(position.sheets) if open_cells(sheet, number, face)}
        case _:
            askable = set()
    if not set(position.chosen) <= askable:
        found.append("a choice by a seat that has none")
    for seat in sorted(set(position.chosen) & askable):
        try:
            judge((stage, position.sheets[seat], number, face), position.chosen[seat])
        except Illegal:
            found.append(f"seat {seat}: its choice is no legal move")
    waited = {position.caller} if stage == "call" else askable - set(position.chosen)
    if position.waiting != tuple(sorted(waited)):
        found.append("the wrong seats are waited for")
    if stage in ("setup", "enter") and not waited:
        found.append("a phase is open that everybody has finished")
    return found


def _noted_faults(position: Position) -> list[str]:
    """Whether what is kept in mind of the columns is what follows from them."""
    found: list[str] = []
    for seat, sheet in enumerate(position.sheets) if position.stage != "setup" else ():
        columns = _columns(sheet)
        if position.dead[seat] != sum([1 << index for index, cells in enumerate(columns) if is_dead(cells)]):
            found.append(f"seat {seat}: the dead columns are not those marked")
        fits = [_open_to(cells) for cells in columns]
        wanted = [reduce(or_, fits), *fits]
        wrong = reduce(or_, map(xor, position.accepts[seat], wanted))
        for number in range(LEAST, MOST + 1):
            if wrong >> number & 1:
                found.append(f"seat {seat}: the columns open to {number} are not those marked")
    return found


def _open_to(cells: Sheet) -> int:
    """The numbers that a column can take, as bits. Between two that stand in it all are alike."""
    found = 0
    stand = sorted({number for number in cells if LEAST <= number <= MOST})
    for low, high in pairwise([LEAST - 1, *stand, MOST + 1]):
        if low >= LEAST and open_rows(cells, low):
            found |= 1 << low
        if high - low > 1 and open_rows(cells, low + 1):
            found |= (1 << high) - (1 << low + 1)
    return found
