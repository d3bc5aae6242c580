"""Top 12, slowly: every rule as the page says it, numbered as there. A sheet: twelve cells by column."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from tests.second_engines.common import Case, Wrong

GAME = "top12"
COLUMNS = "ABCDE"
SYMBOLS = {"hand": "A", "star": "B", "house": "C", "tree": "D", "moon": "E"}
ROWS = range(1, 13)
START_NUMBERS = [10, 20, 30, 40, 50]
MOST_IDLE = 30  # rounds running without any entry

Column = list[int | None]  # from top to bottom
Sheet = dict[str, Column]


def possible_cells(sheet: Sheet, columns: Iterable[str], number: int) -> list[str]:
    """Rules 3 and 4: the free cells where a number may stand, all above being less and all below more."""
    cells = []
    for letter in columns:
        column = sheet[letter]
        for row in ROWS:
            above = [other for other in column[: row - 1] if other is not None]
            below = [other for other in column[row:] if other is not None]
            free = column[row - 1] is None
            if free and all(other < number for other in above) and all(other > number for other in below):
                cells.append(f"{letter}{row}")
    return cells


def is_dead(column: Column) -> bool:
    """Ruling: fewer whole numbers fit strictly between a run's neighbours than it has free cells."""
    low, run = 0, 0
    for number in [*column, 101]:
        if number is None:
            run += 1
            continue
        if number - low - 1 < run:
            return True
        low, run = number, 0
    return False


def fullness(sheet: Sheet) -> list[int]:
    """Rule 8: numbers entered by column, from most to least."""
    return sorted((12 - column.count(None) for column in sheet.values()), reverse=True)


class Top12:
    """One game, from its set-up on."""

    def __init__(self, players: int, options: Mapping[str, Any]) -> None:
        if set(options) - {"first"} or not 1 <= players <= 4:
            raise Wrong("option or seat count")
        if options.get("first", "random") not in ("random", "host"):
            raise Wrong("an option's value")
        self.players = players
        self.host_first = options.get("first") == "host"
        self.sheets: list[Sheet] = [{letter: [None] * 12 for letter in COLUMNS} for _ in range(players)]
        self.phase = "write"  # write (rule 1), first, call, roll, enter, over
        self.waited_for = set(range(players))  # in `write` and `enter`
        self.caller = -1
        self.number = 0  # called in this round
        self.columns = ""  # open in this round
        self.any_entry = False  # in this round
        self.idle = 0  # rounds running without any entry
        self.rounds = 0
        self.reason = ""
        self.temper: dict[str, float] | None = None  # of `pick`

    # ---- what comes next

    def due(self) -> str:
        return {"first": "chance", "roll": "chance", "over": "over"}.get(self.phase, "move")

    def actors(self) -> set[int]:
        if self.phase == "call":
            return {self.caller}
        return set(self.waited_for) if self.phase in ("write", "enter") else set()

    # ---- chance

    def _results(self) -> list[str]:
        """All texts that chance may say now."""
        if self.phase == "first":
            return [f"first {seat}" for seat in range(1 if self.host_first else self.players)]
        return ["roll joker"] + [f"roll {symbol}" for symbol in SYMBOLS]

    def chance(self, text: str, player: int | None) -> None:
        if player is not None:
            raise Wrong("all chance is public")
        if text not in self._results():
            raise Wrong(f"not possible: {text!r}")
        said = text.split(" ")[1]
        if self.phase == "first":
            self.caller = int(said)
            self.phase = "call"
            return
        self.rounds += 1
        self.columns = COLUMNS if said == "joker" else SYMBOLS[said]
        self.any_entry = False
        self.waited_for = {seat for seat in range(self.players) if self._cells(seat)}  # rule 5
        self.phase = "enter"
        self._close_if_all_in()

    # ---- decisions

    def _cells(self, seat: int) -> list[str]:
        return possible_cells(self.sheets[seat], self.columns, self.number)

    def legal(self, seat: int) -> list[str] | None:
        if self.phase == "write":
            return None
        if self.phase == "call":  # rule 2
            return sorted(f"call {number}" for number in range(1, 101))
        return sorted(f"{self.number}@{cell}" for cell in self._cells(seat))

    def move(self, seat: int, text: str) -> None:
        if self.phase == "write":
            self._write(seat, text)
        elif text not in (self.legal(seat) or []):
            raise Wrong(f"not legal: {text!r}")
        elif self.phase == "call":
            self.number = int(text.split(" ")[1])
            self.phase = "roll"
        else:
            cell = text.split("@")[1]
            self.sheets[seat][cell[0]][int(cell[1:]) - 1] = self.number
            self.any_entry = True
            self.waited_for.remove(seat)
            self._close_if_all_in()

    def _write(self, seat: int, text: str) -> None:
        """Rule 1: 10 to 50, one in each column, each in any row."""
        words = text.split(" ")
        if len(words) != 5:
            raise Wrong("five numbers")
        places = {}
        for letter, word in zip(COLUMNS, words, strict=True):
            here = [
                (number, row) for number in START_NUMBERS for row in ROWS if word == f"{number}@{letter}{row}"
            ]
            if not here:
                raise Wrong(f"not a start number in column {letter}: {word!r}")
            places[letter] = here[0]
        if sorted(number for number, _ in places.values()) != START_NUMBERS:
            raise Wrong("a start number twice")
        for letter, (number, row) in places.items():
            self.sheets[seat][letter][row - 1] = number
        self.waited_for.remove(seat)
        if not self.waited_for:
            self.phase = "first"

    # ---- the end of a round

    def _close_if_all_in(self) -> None:
        if self.waited_for:
            return
        self.idle = 0 if self.any_entry else self.idle + 1
        columns = [column for sheet in self.sheets for column in sheet.values()]
        if any(None not in column for column in columns):  # rule 8
            self.reason = "column full"
        elif all(is_dead(column) for column in columns):
            self.reason = "no column can be filled"
        elif self.idle == MOST_IDLE:
            self.reason = "nobody enters"
        self.phase = "over" if self.reason else "call"
        self.caller = (self.caller + 1) % self.players  # rule 7

    def outcome(self) -> dict[str, Any] | None:
        if self.phase != "over":
            return None
        by_seat = [fullness(sheet) for sheet in self.sheets]
        return {
            "scores": [columns[0] for columns in by_seat],
            "winners": [seat for seat in range(self.players) if by_seat[seat] == max(by_seat)],
            "reason": self.reason,
        }

    # ---- playing alone

    def roll(self, chooser: random.Random) -> dict[str, Any]:
        return {"chance": chooser.choice(self._results())}

    def pick(self, seat: int, chooser: random.Random) -> str:
        """Any legal move; by the game's temper calls what fits or what does not, and kills columns or not."""
        if self.temper is None:
            self.temper = {
                "fitting call": chooser.choice((0.0, 0.5, 0.95, 1.0)),
                "killing": chooser.choice((0.0, 0.0, 0.1, 0.9)),
            }
        if self.phase == "write":
            numbers = chooser.sample(START_NUMBERS, 5)
            return " ".join(
                f"{number}@{letter}{chooser.choice(ROWS)}"
                for letter, number in zip(COLUMNS, numbers, strict=True)
            )
        if self.phase == "call":
            return f"call {self._pick_number(chooser)}"
        cells = self._cells(seat)
        kills = [cell for cell in cells if self._kills(seat, cell)]
        if chooser.random() < self.temper["killing"]:
            return f"{self.number}@{chooser.choice(kills or cells)}"
        fine = [cell for cell in cells if cell not in kills] or cells
        # Near the row where a number of its size stands in an evenly spread column, mostly.
        fine.sort(key=lambda cell: abs(int(cell[1:]) - (0.5 + self.number / 8.4)))
        return f"{self.number}@{fine[0] if chooser.random() < 0.8 else chooser.choice(fine)}"

    def _pick_number(self, chooser: random.Random) -> int:
        assert self.temper is not None
        if chooser.random() >= self.temper["fitting call"]:
            return chooser.randint(1, 100)
        some = chooser.sample(range(1, 101), 12)
        return max(
            some, key=lambda number: sum(len(possible_cells(s, COLUMNS, number)) > 0 for s in self.sheets)
        )

    def _kills(self, seat: int, cell: str) -> bool:
        column = list(self.sheets[seat][cell[0]])
        column[int(cell[1:]) - 1] = self.number
        return is_dead(column)


def make(players: int, options: Mapping[str, Any]) -> Top12:
    return Top12(players, options)


OPTIONS: tuple[tuple[tuple[str, Any], ...], ...] = ((), (("first", "host"),))


def _all(seeds: Iterable[str], plays: Iterable[str] = ("random",)) -> list[Case]:
    """All seat counts with all options."""
    return [
        Case(GAME, players, seed, options, play)
        for players in range(1, 5)
        for options in OPTIONS
        for seed in seeds
        for play in plays
    ]


PLAYED = _all(["a"])
PLAYED_LONG = _all(["b", "c", "d"]) + _all(["e"], ["computer"])
OUTSIDE = _all(["o"])
OUTSIDE_LONG = _all([f"r{number}" for number in range(12)])
DAMAGED = _all(["x"])[::2]
DAMAGED_LONG = _all(["y", "z"])
