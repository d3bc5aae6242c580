"""Top 12 (Heinz Meister): fill one column of twelve rising numbers before anybody else does.

A sheet is 60 whole numbers, column by column from the left and each from the top: cell
`column * 12 + row`, 0 for a free cell. A cell's name is its column letter and its row from 1, so `B3` is
cell 14. Rule numbers are those of the game's page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from .chance import Generator
from .errors import Extra, Illegal, Impossible, Missing, NotYours, SetupError, Unreadable
from .game import JSON, Event, Game, Option, OptionValue, Outcome, Say, State, View

ID = "top12"
LETTERS = "ABCDE"
SYMBOLS = ("hand", "star", "house", "tree", "moon")
JOKER = "joker"
FACES = (JOKER, *SYMBOLS)
ROWS = 12
COLUMNS = len(LETTERS)
CELLS = tuple(f"{letter}{row}" for letter in LETTERS for row in range(1, ROWS + 1))
START_NUMBERS = (10, 20, 30, 40, 50)
LEAST, MOST = 1, 100
IDLE_LIMIT = 30  # rounds running without any entry, then nobody is kept waiting longer

FULL = "column full"
DEAD = "no column can be filled"
IDLE = "nobody enters"

TITLES = ((20, "professional"), (25, "specialist"), (30, "veteran"), (35, "advanced"), (40, "beginner"))

Phase: TypeAlias = Literal["setup", "first", "call", "roll", "enter", "over"]
PHASES: tuple[Phase, ...] = ("setup", "first", "call", "roll", "enter", "over")
Sheet: TypeAlias = Sequence[int]

_EMPTY = (0,) * len(CELLS)
_INDEX = {name: index for index, name in enumerate(CELLS)}
_ENTRIES = tuple(tuple(f"{number}@{name}" for name in CELLS) for number in range(MOST + 1))
# Rows from one up to another, sorted as text: row 0 is called 1, and 10, 11 and 12 come before 2.
_AS_TEXT = tuple(
    tuple(tuple(sorted(range(start, stop), key=lambda row: str(row + 1))) for stop in range(ROWS + 1))
    for start in range(ROWS + 1)
)
_ROLLS = {f"roll {face}": face for face in FACES}
_ROLL_EVENTS = tuple(Event("chance", text) for text in _ROLLS)
_WRITTEN = r"(?:100|[1-9][0-9]?)@[A-E](?:1[0-2]|[1-9])"
_ENTRY = re.compile(_WRITTEN)
_SETUP = re.compile(" ".join([_WRITTEN] * len(START_NUMBERS)))
_FIRST = re.compile(r"first (?:0|[1-9][0-9]*)")
_HIDDEN_ENTRY = "?"
_HIDDEN_SETUP = " ".join(["?"] * len(START_NUMBERS))
_LONGEST_TYPED = 200


# ------------------------------------------------------------------------------------- the sheet


def column_of(sheet: Sheet, column: int) -> Sheet:
    """The twelve cells of one column, from the top."""
    return sheet[column * ROWS : column * ROWS + ROWS]


def open_rows(cells: Sheet, number: int) -> range:
    """Rows (from 0) of one column in which `number` may stand: always one run of free cells (rule 4)."""
    low = 0
    for row, value in enumerate(cells):
        if value:
            if value >= number:
                return range(low, row if value > number else low)
            low = row + 1
    return range(low, ROWS)


def open_cells(sheet: Sheet, number: int, face: str) -> tuple[int, ...]:
    """Cells in which a called number may be entered after the die showed `face` (rules 3 and 4)."""
    columns = range(COLUMNS) if face == JOKER else (SYMBOLS.index(face),)
    found: list[int] = []
    for column in columns:
        base = column * ROWS
        found.extend(base + row for row in open_rows(sheet[base : base + ROWS], number))
    return tuple(found)


def runs(cells: Sheet) -> list[tuple[int, int, int]]:
    """One column's runs of free cells from the top, each as (cells, number above it, number below it); 0
    stands above row 1 and 101 below row 12."""
    found: list[tuple[int, int, int]] = []
    length, above = 0, LEAST - 1
    for value in (*cells, MOST + 1):
        if value:
            if length:
                found.append((length, above, value))
            length, above = 0, value
        else:
            length += 1
    return found


def is_dead(cells: Sheet) -> bool:
    """Whether a column can never be filled any more (ruling on dead columns)."""
    return any(below - above - 1 < length for length, above, below in runs(cells))


def accepted(cells: Sheet) -> int:
    """Which numbers one column can take, as bits (number n is bit n)."""
    mask = 0
    for _, above, below in runs(cells):
        mask |= (1 << below) - (1 << (above + 1))
    return mask


def fullness(sheet: Sheet) -> tuple[int, ...]:
    """Numbers entered per column, fullest first: what winners are compared by (rule 8)."""
    counts = (ROWS - list(column_of(sheet, column)).count(0) for column in range(COLUMNS))
    return tuple(sorted(counts, reverse=True))


def title(rolls: int) -> str | None:
    """The solo title for a column filled in so many rolls (rule 9), as the tail of the key
    `top12.title.<token>`; None for more than 40."""
    return next((token for most, token in TITLES if rolls <= most), None)


# ----------------------------------------------------------------------- set-up, step by step


def setup_draft(draft: str) -> dict[int, int]:
    """Start numbers written so far, by column. `draft` is part of a set-up move: any of its entries in
    column order, "" for none. Raises Unreadable for anything else."""
    placed: dict[int, int] = {}
    if not draft:
        return placed
    last = -1
    for part in draft.split(" ")[: COLUMNS + 1]:
        if not _ENTRY.fullmatch(part):
            raise Unreadable("move")
        number, _, cell = part.partition("@")
        index = _INDEX[cell]
        if index // ROWS <= last or int(number) not in START_NUMBERS or int(number) in placed.values():
            raise Unreadable("move")
        last = index // ROWS
        placed[last] = int(number)
    return placed


def setup_numbers(draft: str) -> tuple[int, ...]:
    """Start numbers still to be written. Raises Unreadable for text that is no draft."""
    placed = setup_draft(draft).values()
    return tuple(number for number in START_NUMBERS if number not in placed)


def setup_cells(draft: str) -> tuple[str, ...]:
    """Names of the cells that may take the next start number: every one of the columns still without
    (rule 1). Raises Unreadable for text that is no draft."""
    placed = setup_draft(draft)
    return tuple(name for index, name in enumerate(CELLS) if index // ROWS not in placed)


def setup_add(draft: str, entry: str) -> str:
    """The draft with one more entry such as `10@B2`, in column order; a whole set-up move after the
    fifth. An earlier entry of the same number or column gives way, so a choice can be changed. Raises
    Unreadable."""
    setup_draft(draft)
    if not setup_draft(entry) or " " in entry:
        raise Unreadable("move")
    number, _, cell = entry.partition("@")
    kept = [
        part
        for part in draft.split(" ")
        if part and part.partition("@")[0] != number and part.partition("@")[2][0] != cell[0]
    ]
    return " ".join(sorted([*kept, entry], key=lambda part: part.partition("@")[2][0]))


# ---------------------------------------------------------------------------------- values


class Round(NamedTuple):
    """A closed round. cells: by seat, the cell written in, -1 for a seat that could not enter."""

    caller: int
    number: int
    face: str
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Top12View(View):
    """What a seat knows: everything, but for what others have chosen in an open simultaneous phase.

    sheets: by seat, as opened; empty until the set-up is over.
    caller: who calls or called in this round, -1 before the first caller is known.
    number, face: of the round under way, 0 and "" where not yet there.
    rolls: rolls so far, the open round's included. idle: closed rounds running without any entry.
    pending: this seat's own choice in the open phase, in canonical text, "" for none.
    chosen: seats whose choice in the open phase is in.
    last: the round that was closed last.
    """

    phase: Phase
    sheets: tuple[tuple[int, ...], ...]
    caller: int
    number: int
    face: str
    rolls: int
    idle: int
    pending: str
    chosen: tuple[int, ...]
    last: Round | None


def own_sheet(view: Top12View) -> tuple[int, ...]:
    """The seat's sheet with its own pending choice written in; empty cells for a spectator."""
    if view.seat is None:
        return _EMPTY
    sheet = list(view.sheets[view.seat])
    for part in view.pending.split():
        number, _, cell = part.partition("@")
        sheet[_INDEX[cell]] = int(number)
    return tuple(sheet)


def entry_cells(view: Top12View) -> tuple[str, ...]:
    """Names of the cells the seat may enter the called number in now, in sheet order; () where it
    has nothing to enter."""
    if view.seat is None or view.phase != "enter" or view.seat not in view.actors:
        return ()
    return tuple(CELLS[cell] for cell in open_cells(view.sheets[view.seat], view.number, view.face))


def solo_title(view: Top12View) -> str | None:
    """The title won by a finished solo game (rule 9); None without a full column or for more than one
    player."""
    if view.players > 1 or view.outcome is None or view.outcome.reason != FULL:
        return None
    return title(view.rolls)


# ------------------------------------------------------------------------------------- moves


@dataclass(frozen=True, slots=True)
class _Call:
    number: int


@dataclass(frozen=True, slots=True)
class _Setup:
    numbers: tuple[int, ...]
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    number: int
    cell: int


_Move: TypeAlias = "_Call | _Setup | _Entry"
_CALLS = {f"call {number}": _Call(number) for number in range(LEAST, MOST + 1)}
_CALL_LIST = sorted(_CALLS)


def _parse(text: object) -> _Move:
    """A canonical move text as a value. Raises Unreadable."""
    if not isinstance(text, str):
        raise Unreadable("move")
    return _parse_text(text)


@lru_cache(maxsize=1 << 13)  # there are 6,000 entries; what is unreadable is not kept
def _parse_text(text: str) -> _Move:
    called = _CALLS.get(text)
    if called is not None:
        return called
    if _ENTRY.fullmatch(text):
        number, _, cell = text.partition("@")
        return _Entry(int(number), _INDEX[cell])
    if _SETUP.fullmatch(text):
        parts = [part.partition("@") for part in text.split(" ")]
        cells = tuple(_INDEX[cell] for _, _, cell in parts)
        columns = [cell // ROWS for cell in cells]
        if columns == sorted(columns):
            return _Setup(tuple(int(number) for number, _, _ in parts), cells)
    raise Unreadable("move")


def _refuse(code: str, rule: str, **data: object) -> Illegal:
    return Illegal(code, game=ID, rule=rule, **data)


def _judge(phase: Phase, sheet: Sheet, number: int, face: str, move: _Move) -> None:
    """Nothing, if a seat that may act with this sheet may make `move`. Raises Illegal."""
    match move:
        case _Setup(numbers, cells):
            if phase != "setup":
                raise _refuse("setup_over", "1")
            if len({cell // ROWS for cell in cells}) < COLUMNS:
                raise _refuse("one_per_column", "1")
            if sorted(numbers) != list(START_NUMBERS):
                raise _refuse("start_numbers", "1")
        case _Call():
            if phase == "setup":
                raise _refuse("setup_first", "1")
            if phase != "call":
                raise _refuse("enter_first", "5", number=number)
        case _Entry(written, cell):
            if phase == "setup":
                raise _refuse("setup_first", "1")
            if phase != "enter":
                raise _refuse("call_first", "2")
            if written != number:
                raise _refuse("other_number", "3", number=number)
            column = cell // ROWS
            if face not in (JOKER, SYMBOLS[column]):
                raise _refuse("other_column", "3", column=LETTERS[SYMBOLS.index(face)])
            if sheet[cell]:
                raise _refuse("occupied", "3", cell=CELLS[cell], number=sheet[cell])
            cells_of = column_of(sheet, column)
            if number in cells_of:
                raise _refuse("twice", "4", number=number, column=LETTERS[column])
            if cell - column * ROWS not in open_rows(cells_of, number):
                raise _refuse("rising", "4", number=number, cell=CELLS[cell])


def _legal(phase: Phase, sheet: Sheet, number: int, face: str) -> list[str]:
    """Every legal move of a seat that may act with this sheet. Raises ValueError in the set-up."""
    if phase == "setup":
        raise ValueError("the set-up's 29,859,840 moves are checked, not listed")
    if phase == "call":
        return _CALL_LIST.copy()
    texts, found = _ENTRIES[number], []
    for column in range(COLUMNS) if face == JOKER else (SYMBOLS.index(face),):
        base = column * ROWS
        rows = open_rows(sheet[base : base + ROWS], number)
        found += [texts[base + row] for row in _AS_TEXT[rows.start][rows.stop]]
    return found


_STAND_IN_SETUP = "10@A1 20@B3 30@C4 40@D5 50@E6"


def _stand_in_call(sheet: Sheet) -> str:
    """The number that the most and fullest living columns can take; the lowest of equals."""
    weights = [0] * (MOST + 1)
    for column in range(COLUMNS):
        cells = column_of(sheet, column)
        if is_dead(cells):
            continue
        weight = 1 + ROWS - list(cells).count(0)
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

    return f"{number}@{CELLS[min(open_cells(sheet, number, face), key=merit)]}"


# ------------------------------------------------------------------------------------- state


class Top12State(State[Any]):
    """One position of Top 12."""

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

    stage: Phase
    sheets: list[list[int]]  # by seat; empty until the set-up is over
    chosen: dict[int, str]  # what came in during the open simultaneous phase, in that order
    waiting: list[int]  # seats that are still to choose or to call, sorted
    accepts: list[list[int]]  # by seat and die face, the numbers that can be entered, as bits
    dead: list[int]  # by seat, the set of dead columns as bits (column 0 is bit 0)
    caller: int
    number: int
    face: str
    rolls: int
    idle: int
    last: Round | None
    reason: str

    def __init__(self, players: int, options: dict[str, OptionValue]) -> None:
        self.players = players
        self.options = options
        self.stage = "setup"
        self.sheets = [list(_EMPTY) for _ in range(players)]
        self.chosen = {}
        self.waiting = list(range(players))
        self.accepts = [[0] * len(FACES) for _ in range(players)]
        self.dead = [0] * players
        self.caller = -1
        self.number = 0
        self.face = ""
        self.rolls = 0
        self.idle = 0
        self.last = None
        self.reason = ""

    # who and what is due

    def actors(self) -> tuple[int, ...]:
        return tuple(self.waiting)

    def turn(self) -> int:
        """The set-up is 0; then a call and the entries after its roll by turns."""
        return 2 * self.rolls + (self.stage in ("first", "call", "roll"))

    def in_secret(self) -> bool:
        return self.stage in ("setup", "enter")

    def chance_due(self) -> bool:
        return self.stage in ("first", "roll")

    def draw(self, chance: Generator) -> Event:
        if self.stage == "roll":
            return chance.choice(_ROLL_EVENTS)
        if self.stage == "first":
            seat = chance.below(self.players) if self.options["first"] == "random" else 0
            return Event("chance", f"first {seat}")
        raise Extra("over" if self.stage == "over" else "chance")

    def outcome(self) -> Outcome | None:
        if self.stage != "over":
            return None
        standing = [fullness(sheet) for sheet in self.sheets]
        best = max(standing)
        return Outcome(
            scores=tuple(counts[0] for counts in standing),
            winners=tuple(seat for seat, counts in enumerate(standing) if counts == best),
            reason=self.reason,
        )

    # moves

    def legal(self, seat: int) -> list[str]:
        if seat not in self.waiting:
            return []
        return _legal(self.stage, self.sheets[seat], self.number, self.face)

    def lists(self, seat: int) -> bool:
        return self.stage != "setup" or seat not in self.waiting

    def check(self, seat: int, move: str) -> None:
        parsed = _parse(move)
        if self.stage == "over":
            raise NotYours("over")
        if seat not in self.waiting:
            raise NotYours("turn")
        _judge(self.stage, self.sheets[seat], self.number, self.face, parsed)

    def read(self, seat: int, text: str) -> str:
        return _read(text, self.number if self.stage == "enter" else 0)

    def random_move(self, seat: int, chance: Generator) -> str:
        if self.lists(seat):
            return chance.choice(self.legal(seat))
        numbers = chance.shuffled(START_NUMBERS)
        return " ".join(
            f"{number}@{CELLS[column * ROWS + chance.below(ROWS)]}" for column, number in enumerate(numbers)
        )

    def stand_in(self, seat: int) -> str:
        if seat not in self.waiting:
            raise NotYours("over" if self.stage == "over" else "turn")
        match self.stage:
            case "setup":
                return _STAND_IN_SETUP
            case "call":
                return _stand_in_call(self.sheets[seat])
            case _:
                return _stand_in_entry(self.sheets[seat], self.number, self.face)

    # forward

    def apply(self, event: Event) -> None:
        if self.stage == "over":
            raise Extra("over")
        if event.kind == "chance":
            self._apply_chance(event)
            return
        seat = event.player
        if event.kind != "move" or type(seat) is not int or not 0 <= seat < self.players:
            raise Unreadable("move")
        move = _parse(event.text)
        if self.stage in ("first", "roll"):
            raise Missing("chance")
        if seat not in self.waiting:
            raise NotYours("turn")
        _judge(self.stage, self.sheets[seat], self.number, self.face, move)
        if isinstance(move, _Call):
            self.number = move.number
            self.waiting = []
            self.stage = "roll"
            return
        self.chosen[seat] = event.text
        self.waiting.remove(seat)
        if self.waiting:
            return
        if self.stage == "setup":
            self._open_sheets()
        else:
            self._close_round()

    def _apply_chance(self, event: Event) -> None:
        text = event.text
        face = _ROLLS.get(text) if isinstance(text, str) else None
        is_first = face is None and isinstance(text, str) and bool(_FIRST.fullmatch(text))
        if event.player is not None or (face is None and not is_first):
            raise Unreadable("chance")
        if self.stage not in ("first", "roll"):
            raise Extra("chance")
        if is_first != (self.stage == "first"):
            raise Missing("other_chance")
        if face is None:
            seats = range(self.players) if self.options["first"] == "random" else range(1)
            if text not in [f"first {seat}" for seat in seats]:
                raise Impossible("first", game=ID, most=max(seats))
            self.caller = int(text.removeprefix("first "))
            self._ask_caller()
            return
        self.face = face
        self.rolls += 1
        self.stage = "enter"
        which = FACES.index(face)
        self.waiting = [seat for seat, masks in enumerate(self.accepts) if masks[which] >> self.number & 1]
        if not self.waiting:
            self._close_round()

    def _open_sheets(self) -> None:
        """The last set-up move is in (rule 1)."""
        for seat, move in self.chosen.items():
            for part in move.split(" "):
                number, _, cell = part.partition("@")
                self._write(seat, _INDEX[cell], int(number))
        self.chosen = {}
        self.stage = "first"

    def _write(self, seat: int, cell: int, number: int) -> None:
        self.sheets[seat][cell] = number
        self._note_column(seat, cell // ROWS)

    def _note_column(self, seat: int, column: int) -> None:
        """Keep in mind what follows from a column's numbers: what it accepts, and whether it is dead."""
        cells = column_of(self.sheets[seat], column)
        masks = self.accepts[seat]
        masks[column + 1] = accepted(cells)
        masks[0] = masks[1] | masks[2] | masks[3] | masks[4] | masks[5]
        if is_dead(cells):
            self.dead[seat] |= 1 << column

    def _close_round(self) -> None:
        """Everybody who can enter has: write all entries at once (rule 6), end or go on (rules 7, 8)."""
        cells = [-1] * self.players
        if self.chosen:
            full = False
            for seat, text in self.chosen.items():
                cell = _INDEX[text.partition("@")[2]]
                cells[seat] = cell
                self._write(seat, cell, self.number)
                full = full or 0 not in column_of(self.sheets[seat], cell // ROWS)
            self.chosen = {}
            self.idle = 0
            self.reason = FULL if full else DEAD if self._all_dead() else ""
        else:
            self.idle += 1
            self.reason = IDLE if self.idle >= IDLE_LIMIT else ""
        self.last = Round(self.caller, self.number, self.face, tuple(cells))
        self.number, self.face = 0, ""
        if self.reason:
            self.stage = "over"
            self.waiting = []
            return
        self.caller = (self.caller + 1) % self.players
        self._ask_caller()

    def _all_dead(self) -> bool:
        return all(columns == (1 << COLUMNS) - 1 for columns in self.dead)

    def _ask_caller(self) -> None:
        self.stage = "call"
        self.waiting = [self.caller]

    # seeing

    def view(self, seat: int | None) -> Top12View:
        return Top12View(
            seat=seat,
            players=self.players,
            options=tuple(sorted(self.options.items())),
            actors=self.actors(),
            outcome=self.outcome(),
            scores=tuple(fullness(sheet)[0] for sheet in self.sheets),
            phase=self.stage,
            sheets=tuple(tuple(sheet) for sheet in self.sheets),
            caller=self.caller,
            number=self.number,
            face=self.face,
            rolls=self.rolls,
            idle=self.idle,
            pending="" if seat is None else self.chosen.get(seat, ""),
            chosen=tuple(sorted(self.chosen)),
            last=self.last,
        )

    def redact(self, events: Sequence[Event], seat: int | None) -> list[Event]:
        """What came in during the open phase stands at the end of the record, after the last chance."""
        seen = list(events)
        hidden = _HIDDEN_SETUP if self.stage == "setup" else _HIDDEN_ENTRY
        for index in range(len(seen) - len(self.chosen), len(seen)):
            if seen[index].player != seat:
                seen[index] = Event("move", hidden, seen[index].player)
        return seen

    # text and checks

    def to_json(self) -> dict[str, JSON]:
        last: JSON = None
        if self.last is not None:
            last = {
                "caller": self.last.caller,
                "number": self.last.number,
                "face": self.last.face,
                "cells": list(self.last.cells),
            }
        return {
            "schema": Top12.schema,
            "players": self.players,
            "options": dict(self.options),
            "phase": self.stage,
            "sheets": [list(sheet) for sheet in self.sheets],
            "chosen": [[seat, text] for seat, text in self.chosen.items()],
            "caller": self.caller,
            "number": self.number,
            "face": self.face,
            "rolls": self.rolls,
            "idle": self.idle,
            "last": last,
            "reason": self.reason,
        }

    def clone(self) -> Top12State:
        twin = Top12State.__new__(Top12State)
        twin.players = self.players
        twin.options = self.options  # never changed after the start
        twin.stage = self.stage
        twin.sheets = [sheet.copy() for sheet in self.sheets]
        twin.chosen = self.chosen.copy()
        twin.waiting = self.waiting.copy()
        twin.accepts = [masks.copy() for masks in self.accepts]
        twin.dead = self.dead.copy()
        twin.caller = self.caller
        twin.number = self.number
        twin.face = self.face
        twin.rolls = self.rolls
        twin.idle = self.idle
        twin.last = self.last
        twin.reason = self.reason
        return twin

    def faults(self) -> list[str]:
        if len(self.sheets) != self.players:
            return ["a sheet per seat"]
        found: list[str] = []
        for seat, sheet in enumerate(self.sheets):
            found += [f"seat {seat}: {fault}" for fault in self._sheet_faults(sheet)]
        if found:
            return found
        return self._round_faults() + self._choice_faults()

    def _sheet_faults(self, sheet: Sheet) -> list[str]:
        if len(sheet) != len(CELLS):
            return ["a sheet has 60 cells"]
        if any(not 0 <= value <= MOST for value in sheet):
            return ["a number is not from 1 to 100"]
        if self.stage == "setup":
            return ["something is written before the set-up is over"] if any(sheet) else []
        columns = [[value for value in column_of(sheet, column) if value] for column in range(COLUMNS)]
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
        closed = self.rolls - (self.stage == "enter")
        if sum(map(len, columns)) > COLUMNS + closed - self.idle:
            found.append("more numbers than rounds with an entry")
        return found

    def _round_faults(self) -> list[str]:
        """What does not fit together in the counters, the caller, the call and the end."""
        found: list[str] = []
        closed = self.rolls - (self.stage == "enter")
        if not 0 <= self.idle <= min(closed, IDLE_LIMIT):
            found.append("idle rounds out of range")
        known = self.stage not in ("setup", "first")
        if not (0 <= self.caller < self.players if known else self.caller == -1):
            found.append("caller out of range")
        if not known and self.rolls:
            found.append("rolls before the first call")
        if (LEAST <= self.number <= MOST) != (self.stage in ("roll", "enter")) or (
            self.number and self.stage not in ("roll", "enter")
        ):
            found.append("a called number where there is none, or none where there is one")
        if self.face not in (FACES if self.stage == "enter" else ("",)):
            found.append("a die face where there is none, or none where there is one")
        if (self.last is None) != (closed == 0):
            found.append("the last round is not there, or there before it was")
        elif self.last is not None:
            found += self._last_faults(self.last)
        rounds = closed - (self.stage == "over")
        if known and closed and self.options["first"] == "host" and self.caller != rounds % self.players:
            found.append("not this seat's turn to call")
        full = any(0 not in column_of(sheet, c) for sheet in self.sheets for c in range(COLUMNS))
        dead = self.stage != "setup" and all(
            is_dead(column_of(sheet, c)) for sheet in self.sheets for c in range(COLUMNS)
        )
        due = FULL if full else DEAD if dead else IDLE if self.idle >= IDLE_LIMIT else ""
        if self.reason != due or (self.stage == "over") != bool(due):
            found.append("over without a reason, or not over with one")
        return found

    def _last_faults(self, last: Round) -> list[str]:
        found: list[str] = []
        if len(last.cells) != self.players or not 0 <= last.caller < self.players:
            return ["the last round is of another table"]
        after = last.caller if self.stage == "over" else (last.caller + 1) % self.players
        if self.caller != after:
            found.append("the caller does not follow the last one")
        if last.face not in FACES:
            found.append("the last round has no face")
        for seat, cell in enumerate(last.cells):
            if cell == -1:
                continue
            if not 0 <= cell < len(CELLS) or self.sheets[seat][cell] != last.number:
                found.append(f"seat {seat}: the last number is not where it was written")
            elif last.face not in (JOKER, SYMBOLS[cell // ROWS]):
                found.append(f"seat {seat}: the last number is in another column than the die's")
        if (self.idle > 0) == any(cell >= 0 for cell in last.cells):
            found.append("idle rounds do not fit the last round")
        return found

    def _choice_faults(self) -> list[str]:
        """What is wrong with the choices that came in, and with who is still waited for."""
        found: list[str] = []
        match self.stage:
            case "setup":
                askable = set(range(self.players))
            case "enter" if self.face in FACES:
                askable = {
                    seat
                    for seat, sheet in enumerate(self.sheets)
                    if open_cells(sheet, self.number, self.face)
                }
            case _:
                askable = set()
        if not set(self.chosen) <= askable:
            found.append("a choice by a seat that has none")
        for seat in sorted(set(self.chosen) & askable):
            try:
                _judge(self.stage, self.sheets[seat], self.number, self.face, _parse(self.chosen[seat]))
            except (Unreadable, Illegal):
                found.append(f"seat {seat}: its choice is no legal move")
        waited = {self.caller} if self.stage == "call" else askable - set(self.chosen)
        if self.waiting != sorted(waited):
            found.append("the wrong seats are waited for")
        if self.stage in ("setup", "enter") and not waited:
            found.append("a phase is open that everybody has finished")
        if self.stage == "setup":
            return found
        for seat, sheet in enumerate(self.sheets):
            columns = [column_of(sheet, column) for column in range(COLUMNS)]
            if self.dead[seat] != sum(1 << index for index, cells in enumerate(columns) if is_dead(cells)):
                found.append(f"seat {seat}: the dead columns are not those marked")
            for number in range(LEAST, MOST + 1):
                fits = [bool(open_rows(cells, number)) for cells in columns]
                noted = [bool(mask >> number & 1) for mask in self.accepts[seat]]
                if noted != [any(fits), *fits]:
                    found.append(f"seat {seat}: the columns open to {number} are not those marked")
        return found


def _read(text: str, number: int) -> str:
    """Canonical text of a typed move; `number` is the one to be entered, 0 for none. Raises Unreadable."""
    if not isinstance(text, str) or len(text) > _LONGEST_TYPED or not text.isascii():
        raise Unreadable("move")
    tidy = re.sub(r"\s*@\s*", "@", " ".join(text.upper().split()))
    tidy = re.sub(r"([A-E]) ([0-9])", r"\1\2", tidy)
    if called := re.fullmatch(r"(?:CALL ?)?([0-9]+)", tidy):
        move = f"call {called[1]}"
    elif number and tidy in _INDEX:
        move = f"{number}@{tidy}"
    else:
        parts = tidy.replace(",", " ").replace(";", " ").split()
        move = " ".join(sorted(parts, key=lambda part: part.partition("@")[2][:1]))
    _parse(move)
    return move


# -------------------------------------------------------------------------------------- game


class Top12(Game[Any]):
    """Top 12: static facts."""

    id = ID
    version = 1
    schema = 1
    min_seats = 1
    max_seats = 4
    option_list = (Option("first", "choice", "random", ("random", "host")),)
    hidden_hands = False
    reasons = (FULL, DEAD, IDLE)

    def start(self, players: int, options: Mapping[str, object]) -> Top12State:
        return Top12State(players, self.options_for(players, options))

    def load(self, data: Mapping[str, Any]) -> Top12State:
        try:
            return self._load(data)
        except (KeyError, TypeError, AttributeError, IndexError, SetupError) as error:
            raise ValueError(f"not a state of {ID}: {error!r}") from error

    def _load(self, data: Mapping[str, Any]) -> Top12State:
        if data["schema"] != self.schema:
            raise ValueError(f"unknown schema {data['schema']!r}")
        players = _whole(data["players"])
        state = Top12State(players, self.options_for(players, data["options"]))
        if data["phase"] not in PHASES:
            raise ValueError("unknown phase")
        state.stage = cast("Phase", data["phase"])
        state.sheets = [[_whole(value) for value in sheet] for sheet in data["sheets"]]
        if any(len(sheet) != len(CELLS) for sheet in state.sheets):
            raise ValueError("a sheet has 60 cells")
        state.chosen = {_whole(seat): _word(text) for seat, text in data["chosen"]}
        state.caller = _whole(data["caller"])
        state.number = _whole(data["number"])
        state.face = _word(data["face"])
        state.rolls = _whole(data["rolls"])
        state.idle = _whole(data["idle"])
        state.reason = _word(data["reason"])
        last = data["last"]
        if last is not None:
            cells = tuple(_whole(cell) for cell in last["cells"])
            state.last = Round(_whole(last["caller"]), _whole(last["number"]), _word(last["face"]), cells)
        if len(state.sheets) != players:
            raise ValueError("a sheet per seat")
        if state.stage != "setup":
            for seat in range(players):
                for column in range(COLUMNS):
                    state._note_column(seat, column)
        state.waiting = {
            "setup": [seat for seat in range(players) if seat not in state.chosen],
            "call": [state.caller],
        }.get(state.stage, [])
        if state.stage == "enter" and state.face in FACES:
            state.waiting = [
                seat
                for seat, sheet in enumerate(state.sheets)
                if seat not in state.chosen and open_cells(sheet, state.number, state.face)
            ]
        if faults := state.faults():
            raise ValueError(f"not a state of {ID}: {'; '.join(faults)}")
        return state

    def legal(self, view: View) -> list[str]:
        seen = cast("Top12View", view)
        if seen.seat is None or seen.seat not in seen.actors:
            return []
        return _legal(seen.phase, seen.sheets[seen.seat], seen.number, seen.face)

    def check(self, view: View, move: str) -> None:
        seen = cast("Top12View", view)
        parsed = _parse(move)
        if seen.outcome is not None:
            raise NotYours("over")
        if seen.seat is None or seen.seat not in seen.actors:
            raise NotYours("turn")
        _judge(seen.phase, seen.sheets[seen.seat], seen.number, seen.face, parsed)

    def board_text(self, view: View, names: Sequence[str], say: Say) -> str:
        seen = cast("Top12View", view)
        lines = [self._status_text(seen, names, say)]
        if seen.phase in ("setup", "enter"):
            waited = ", ".join(names[seat] for seat in seen.actors)
            lines.append(say(f"{ID}.text.waiting", names=waited))
            if seen.chosen:
                lines.append(say(f"{ID}.text.chosen", names=", ".join(names[seat] for seat in seen.chosen)))
        if seen.pending:
            lines.append(say(f"{ID}.text.pending", move=seen.pending))
        if seen.last is not None:
            lines += self._last_text(seen.last, names, say)
        if seen.rolls:
            lines.append(say(f"{ID}.text.rolls", rolls=seen.rolls))
        if seen.idle:
            lines.append(say(f"{ID}.text.idle", n=seen.idle, most=IDLE_LIMIT))
        for seat, sheet in enumerate(seen.sheets):
            key = "sheet_own" if seat == seen.seat else "sheet"
            lines.append(say(f"{ID}.text.{key}", name=names[seat], count=seen.scores[seat]))
            rows = [
                ", ".join(
                    f"{CELLS[cell]} {sheet[cell]}" for cell in range(row, len(CELLS), ROWS) if sheet[cell]
                )
                for row in range(ROWS)
            ]
            lines += [row for row in rows if row] or [say(f"{ID}.text.empty")]
        return "\n".join(lines)

    def _status_text(self, seen: Top12View, names: Sequence[str], say: Say) -> str:
        if seen.outcome is not None:
            winners = ", ".join(names[seat] for seat in seen.outcome.winners)
            reason = say(f"{ID}.reason.{seen.outcome.reason.replace(' ', '_')}")
            if seen.players == 1:
                won = solo_title(seen)
                honour = say(f"{ID}.title.{won}") if won else say(f"{ID}.text.no_title")
                return say(f"{ID}.text.over_solo", reason=reason, title=honour, rolls=seen.rolls)
            return say(f"{ID}.text.over", reason=reason, winners=winners)
        caller = names[seen.caller] if seen.caller >= 0 else ""
        face = say(f"{ID}.face.{seen.face}") if seen.face else ""
        return say(f"{ID}.text.{seen.phase}", name=caller, number=seen.number, face=face)

    def _last_text(self, last: Round, names: Sequence[str], say: Say) -> list[str]:
        face = say(f"{ID}.face.{last.face}")
        lines = [say(f"{ID}.text.last", name=names[last.caller], number=last.number, face=face)]
        written = [
            say(f"{ID}.text.last_entry", name=names[seat], cell=CELLS[cell])
            for seat, cell in enumerate(last.cells)
            if cell >= 0
        ]
        lines.append("; ".join(written) if written else say(f"{ID}.text.last_none"))
        return lines

    def _decided(self, seen: Top12View, outcome: Outcome, names: Sequence[str], say: Say) -> str:
        """Rule 8: what decided between equal scores."""
        first = [seat for seat, score in enumerate(outcome.scores) if score == max(outcome.scores)]
        if len(first) == len(outcome.winners):
            return ""
        columns = [
            say(
                f"{ID}.text.decided_by",
                name=names[seat],
                counts="–".join(map(str, fullness(seen.sheets[seat]))),
            )
            for seat in first
        ]
        return say(f"{ID}.text.decided", columns=", ".join(columns))

    def epilogue(self, view: View, names: Sequence[str], say: Say) -> str:
        seen = cast("Top12View", view)
        if seen.outcome is None:
            return ""
        if seen.players > 1:
            return self._decided(seen, seen.outcome, names, say)
        won = solo_title(seen)
        key = "epilogue" if won else "epilogue_none"
        return say(f"{ID}.text.{key}", title=say(f"{ID}.title.{won}") if won else "", n=seen.rolls)

    def describe(self, event: Event, names: Sequence[str], say: Say) -> str:
        text = event.text
        if event.kind == "chance":
            word, _, what = text.partition(" ")
            if word == "first":
                return say(f"{ID}.event.first", name=names[int(what)])
            return say(f"{ID}.event.roll", face=say(f"{ID}.face.{what}"))
        name = names[event.player] if event.player is not None else ""
        if text == _HIDDEN_ENTRY:
            return say(f"{ID}.event.enter_hidden", name=name)
        if text == _HIDDEN_SETUP:
            return say(f"{ID}.event.setup_hidden", name=name)
        match _parse(text):
            case _Call(number):
                return say(f"{ID}.event.call", name=name, number=number)
            case _Entry(number, cell):
                return say(f"{ID}.event.enter", name=name, number=number, cell=CELLS[cell])
            case _Setup(numbers, cells):
                pairs = zip(numbers, cells, strict=True)
                written = ", ".join(f"{CELLS[cell]} {number}" for number, cell in pairs)
                return say(f"{ID}.event.setup", name=name, cells=written)


def _whole(value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"a whole number, not {value!r:.50}")
    return value


def _word(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"a text, not {value!r:.50}")
    return value


GAME = Top12()
Top12State.game = GAME  # type: ignore[misc]
