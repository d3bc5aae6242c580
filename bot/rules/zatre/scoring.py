"""What tiles score: runs, what one turn gains, and the sheet it is written on (rules 6 to 9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .board import LIGHT, RED, WIDTH

POINTS = {10: 1, 11: 2, 12: 4}  # by the sum of a run, rule 6

# --------------------------------------------------------------------------- one turn


@dataclass(frozen=True, slots=True)
class Run:
    """A whole line of adjacent tiles, two or more. cells: indexes from left to right or top to bottom."""

    cells: tuple[int, ...]
    total: int


def runs_through(tiles: bytes | bytearray, cells: Iterable[int]) -> list[Run]:
    """Every run (rule 3) that holds one of these covered cells, each once, in order of its first cell."""
    found: dict[tuple[int, int], Run] = {}
    for cell in cells:
        for step in (1, WIDTH):
            first = cell
            while tiles[first - step]:
                first -= step
            if (first, step) in found:
                continue
            line, total, place = [], 0, first
            while tile := tiles[place]:
                line.append(place)
                total += tile
                place += step
            if len(line) > 1:
                found[first, step] = Run(tuple(line), total)
    return [found[key] for key in sorted(found)]


@dataclass(frozen=True, slots=True)
class Gain:
    """What a turn scores. runs: those of 10, 11 or 12 (rule 6); ten, eleven, twelve: points for one box each,
    0 for no box (rule 7); crosses: the light cells that give one."""

    runs: tuple[Run, ...]
    ten: int
    eleven: int
    twelve: int
    crosses: tuple[int, ...]


def gain(tiles: bytes | bytearray, laid: Sequence[int]) -> Gain:
    """What the tiles on the cells `laid`, all lying in `tiles`, score together (rules 6 and 7).

    >>> from bot.rules.zatre import EMPTY, NAMES, parse_placements, with_tiles
    >>> turn = parse_placements("5@G8 6@H8 5@H9")
    >>> found = gain(with_tiles(EMPTY, turn), [cell for cell, _ in turn])
    >>> found.ten, found.eleven, found.twelve  # two elevens share a box
    (0, 4, 0)
    >>> [NAMES[cell] for cell in found.crosses]
    ['H8']
    """
    runs = tuple(run for run in runs_through(tiles, laid) if run.total in POINTS)
    points = dict.fromkeys(POINTS, 0)
    covered: set[int] = set()
    for run in runs:
        points[run.total] += POINTS[run.total]
        covered.update(run.cells)
    # The red cell is laid in the opening alone, and then any 10, 11 or 12 will do.
    crosses = tuple(
        sorted(cell for cell in laid if cell in LIGHT and (cell in covered or (cell == RED and runs)))
    )
    return Gain(runs, points[10], points[11], points[12], crosses)


# --------------------------------------------------------------------------- the sheet


def sheet_of(seat: int, partners: bool) -> int:
    """Which sheet is a seat's: each seat has its own, with option partners each pair (0 and 1, 2 and 3, …)
    has one."""
    return seat // 2 if partners else seat


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a score sheet: number from 1, its boxes (None where empty), and whether it is crossed.

    >>> Row(1, 1, 2, 8, cross=True).total  # (1 + 2 + 8 + 3) * 2
    28
    >>> Row(15, 1, None, 4, cross=False).total
    5
    """

    number: int
    ten: int | None
    eleven: int | None
    twelve: int | None
    cross: bool

    @property
    def bonus(self) -> int:
        """Rule 8: for a row whose three boxes are filled."""
        if self.ten is None or self.eleven is None or self.twelve is None:
            return 0
        return min(3 + (self.number - 1) // 4, 6)

    @property
    def total(self) -> int:
        """Rule 9: a cross doubles the row, complete or not."""
        points = (self.ten or 0) + (self.eleven or 0) + (self.twelve or 0) + self.bonus
        return points * 2 if self.cross else points


def sheet_total(rows: Iterable[Row], minus: int = 0) -> int:
    """Rules 9 and 10: the rows' totals less the face value of the tiles still held."""
    return sum(row.total for row in rows) - minus


@dataclass(frozen=True, slots=True)
class Sheet:
    """A score sheet: each column filled from the top without gaps (rule 7). crosses: how many.

    >>> sheet = Sheet(tens=(1,), elevens=(2, 2), twelves=(8,), crosses=2)
    >>> [row.total for row in sheet.rows()], sheet.total
    ([28, 4], 32)
    """

    tens: tuple[int, ...] = ()
    elevens: tuple[int, ...] = ()
    twelves: tuple[int, ...] = ()
    crosses: int = 0

    def with_gain(self, found: Gain) -> Sheet:
        """The sheet with what a turn scored written down (rule 7)."""
        return Sheet(
            self.tens + ((found.ten,) if found.ten else ()),
            self.elevens + ((found.eleven,) if found.eleven else ()),
            self.twelves + ((found.twelve,) if found.twelve else ()),
            self.crosses + len(found.crosses),
        )

    def rows(self) -> tuple[Row, ...]:
        """All rows with something in them; the sheet has no last row (ruling)."""

        def box(column: tuple[int, ...], index: int) -> int | None:
            return column[index] if index < len(column) else None

        columns = (self.tens, self.elevens, self.twelves)
        return tuple(
            Row(
                index + 1,
                box(self.tens, index),
                box(self.elevens, index),
                box(self.twelves, index),
                index < self.crosses,
            )
            for index in range(max(*map(len, columns), self.crosses))
        )

    @property
    def total(self) -> int:
        """The rows' totals."""
        return sheet_total(self.rows())

    def worth(self, found: Gain) -> Worth:
        """What a turn that scored this adds to the total."""
        after = self.with_gain(found)
        bonus = sum(row.bonus for row in after.rows()) - sum(row.bonus for row in self.rows())
        total = after.total - self.total
        return Worth(total, bonus, total - bonus - found.ten - found.eleven - found.twelve)


@dataclass(frozen=True, slots=True)
class Worth:
    """Points that a turn adds to a sheet: beside those of its boxes, the bonus of rows that it fills (rule
    8), and what crosses add by doubling (rule 9), also of rows that were crossed before.

    >>> sheet = Sheet(tens=(1,), elevens=(2,))
    >>> sheet.worth(Gain((), 0, 0, 4, (112,)))
    Worth(total=17, bonus=3, doubled=10)
    """

    total: int
    bonus: int
    doubled: int
