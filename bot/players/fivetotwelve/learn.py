"""Makes `figures.json`: `python -m bot.players.fivetotwelve.learn > figures.new`, which then takes its place.

The quick policy plays against itself, a turn now and then at random. After each of its turns the worth of the
board before is drawn towards that of the board after the seat's next turn, less the one turn (a full board is
worth nothing). Each figure has a rate of its own, which falls as its errors cancel out (temporal coherence).
Lines are many, and most are rare: at first what is learned is of their parts. All chance comes from the seed,
by `random()` alone, and fractions are added up by `fsum`, so the same arguments print the same file on every
machine.
"""

from __future__ import annotations

import argparse
import json
import sys
from base64 import b85encode
from collections.abc import Sequence
from math import fsum, sqrt
from random import Random
from typing import TypeAlias

from bot.players.mixing import shuffle
from bot.rules.fivetotwelve import SIDE, SIZE, TOP
from bot.rules.fivetotwelve.position import IDLE_PER_PLAYER

from .lines import (
    BASE,
    KINDS,
    LINES,
    PHASES,
    SHARES,
    SHOWN,
    Supply,
    packed,
    rising,
    spread,
    turned,
)
from .playout import LAY, Course

ROUGH = 3000  # games, the first, in which parts of lines are learned
TOLD = 100  # games after which the quick policy plays by what was learned of them

ODD = 0.05  # how often a turn is a random one
START = -1.3  # turns that a free cell costs, before anything is known
SHUT = 1.0  # that it costs in a line if a free cell has no number
OFF = 0.12  # turns that it costs in a line to be off by one
SLOW = 0.15  # the rate of supplies beside that of lines, each of which is met far less often
LASTING = 0.999  # of that cost's average, what stays after a turn
SHY = 0.92  # of it, what the quick policy counts for a filled cell
STEP = 0.025  # turns, in which the lines are written
ROW = 100  # characters of a row in the file
SEATS = (2, 3, 4)

Part: TypeAlias = tuple[int, int, int, int]
"""Of a line: its kind, a place in it, how many cells are free from there on, and how many numbers there are
for them; with none free, the tile there."""

Seen: TypeAlias = tuple[list[int], list[int]]
"""A board by its figures: those of its eight lines; classes of its free cells."""


class Rates:
    """Figures that are being learned, with the sum of the errors of each and that of their sizes: the more
    they cancel out, the less it moves."""

    def __init__(self, worth: list[float]) -> None:
        self.worth = worth
        self.errors = [0.0] * len(worth)
        self.sizes = [0.0] * len(worth)

    def correct(self, number: int, error: float, step: float) -> None:
        size = self.sizes[number]
        self.worth[number] += step * (abs(self.errors[number]) / size if size else 1.0)
        self.errors[number] += error
        self.sizes[number] += abs(error)


class Weights:
    """What is being learned. rough: lines are sums of their parts, which are met often; later each has a
    figure of its own."""

    def __init__(self) -> None:
        numbers: dict[Part, int] = {}
        self.parts: list[dict[int, list[int]]] = [{}, {}]
        for kind, found in enumerate(self.parts):
            for line in rising():
                found[packed(line)] = [numbers.setdefault(part, len(numbers)) for part in parts(kind, line)]
        self.rough = True
        self.lines = Rates([guess(part) for part in numbers])
        self.tables = spread(self.summed())
        self.supply = Rates([START] * ((len(PHASES) + 1) * SHARES * SHOWN))
        self.free = START  # the average cost of a free cell
        self._turned = [0] * LINES
        for line in rising():
            self._turned[packed(line)] = packed(turned(line))

    def summed(self) -> list[list[float]]:
        """By kind, what lines are worth by their parts."""
        worth = self.lines.worth
        return [
            [fsum([worth[part] for part in found[packed(line)]]) for line in rising()] for found in self.parts
        ]

    def tell(self) -> None:
        """The quick policy what was learned of parts."""
        for table, news in zip(self.tables, spread(self.summed()), strict=True):
            table[:] = news

    def refine(self) -> None:
        """From now on each line has a figure of its own."""
        self.tell()
        self.rough = False
        self.lines = Rates([*self.tables[0], *self.tables[1]])

    def seen(self, course: Course, seat: int, supply: Supply) -> Seen:
        """A board as it is now, by its figures."""
        found: list[int] = []
        for number, both in enumerate(zip(course.columns[seat], course.rows[seat], strict=True)):
            kind = KINDS[number]
            for line in both:
                one = line if number < SIDE // 2 else self._turned[line]
                if self.rough:
                    found += self.parts[kind][one]
                else:
                    found.append(kind * LINES + one)
        return found, supply.classes(course.boards[seat])

    def worth(self, seen: Seen) -> float:
        lines, classes = seen
        return fsum([self.lines.worth[one] for one in lines] + [self.supply.worth[one] for one in classes])

    def correct(self, seen: Seen, error: float) -> None:
        lines, classes = seen
        step = error / (len(lines) + len(classes))
        for one in lines:
            self.lines.correct(one, error, step)
            if not self.rough:
                kind, line = divmod(one, LINES)
                worth = self.lines.worth[one]
                self.tables[kind][line] = self.tables[SIDE - 1 - kind][self._turned[line]] = worth
        for one in classes:
            self.supply.correct(one, error, SLOW * step)
        if classes:
            cost = fsum([self.supply.worth[one] for one in classes]) / len(classes)
            self.free = LASTING * self.free + (1.0 - LASTING) * cost

    def filled(self) -> float:
        """What the quick policy counts for a filled cell."""
        return -SHY * self.free


def parts(kind: int, line: Sequence[int]) -> list[Part]:
    """A line's tiles, and its runs of free cells with how many numbers there are for them."""
    found = []
    low, start = 0, 0
    for place, tile in enumerate((*line, BASE)):
        if tile:
            if place > start:
                found.append((kind, start, place - start, tile - low - 1))
            if place < SIDE:
                found.append((kind, place, 0, tile))
            low, start = tile, place + 1
    return found


def guess(part: Part) -> float:
    """What to begin with: a tile is the worse, the further it is from an evenly filled board, and so is a run
    of cells with too few numbers for it, which takes an exchange."""
    kind, place, free, tile = part
    if free:
        return -SHUT * max(0, free - tile)
    return -OFF * abs(tile - 2 - (TOP - 3) * (kind + place) / (2 * SIDE - 2))


def one_game(weights: Weights, players: int, chance: Random) -> tuple[float, int]:
    """Learn from one game; the sum of squared errors, and of how many turns."""
    order = [tile for tile in range(1, BASE) for _ in range(players)]
    shuffle(order, chance)
    empty = [[0] * SIZE for _ in range(players)]
    course = Course(weights.tables, weights.filled(), empty, [0] * BASE, 0, limit=IDLE_PER_PLAYER * players)
    course.order = order
    course.set_up([()] * players, SIDE, int(chance.random() * players))
    supply = supply_of(course)
    before = [weights.seen(course, seat, supply) for seat in range(players)]
    squares, turns = 0.0, 0
    while not course.over:
        seat = course.seat
        astray = chance.random() < ODD
        if astray:
            odd_turn(course, chance)
        else:
            course.turn()
        supply = supply_of(course)
        after = weights.seen(course, seat, supply)
        if astray:  # tells nothing of the board before, but shows what would not be seen
            before[seat] = after
            continue
        full = course.filled[seat] == SIZE
        error = (0.0 if full else weights.worth(after)) - 1.0 - weights.worth(before[seat])
        weights.correct(before[seat], error)
        before[seat] = after
        squares += error * error
        turns += 1
    return squares, turns


def odd_turn(course: Course, chance: Random) -> None:
    """A turn in which the tile revealed is laid anywhere."""
    tile = course.reveal()
    fits = course.fits(course.seat) >> SIZE * tile
    cells = [cell for cell in range(SIZE) if fits >> cell & 1]
    if cells:
        course.lay(LAY, tile, cells[int(chance.random() * len(cells))])
    else:
        course.leave(tile)


def supply_of(course: Course) -> Supply:
    stock = [0] * (TOP + 1)
    for tile in course.order[course.at :]:
        stock[tile] += 1
    return Supply(stock, course.middle)


def text(weights: Weights) -> str:
    """`figures.json`: lines as a byte each; what is beyond its range is too bad to tell apart."""
    if weights.rough:
        weights.tell()
    data: dict[str, object] = {"step": STEP, "filled": round(weights.filled(), 3)}
    data["supply"] = [round(worth, 3) for worth in weights.supply.worth]
    for kind, name in enumerate(("outer", "inner")):
        steps = [round(weights.tables[kind][packed(line)] / STEP) for line in rising()]
        long = b85encode(bytes(128 + max(-128, min(127, step)) for step in steps)).decode("ascii")
        data[name] = [long[start : start + ROW] for start in range(0, len(long), ROW)]
    return json.dumps(data, indent=1) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bot.players.fivetotwelve.learn")
    parser.add_argument("--games", type=int, default=120_000, help="by 2, 3 and 4 players in turn")
    parser.add_argument("--seed", default="learn")
    given = parser.parse_args(arguments)
    chance = Random(given.seed)
    weights = Weights()
    squares, turns = 0.0, 0
    for number in range(1, given.games + 1):
        if number == ROUGH:
            weights.refine()
        elif number < ROUGH and number % TOLD == 0:
            weights.tell()
        more, count = one_game(weights, SEATS[number % len(SEATS)], chance)
        squares, turns = squares + more, turns + count
        if number % (given.games // 10 or 1) == 0:
            error = sqrt(squares / turns)
            sys.stderr.write(f"{number} games, error {error:.3f} turns, a cell {weights.filled():.3f}\n")
            squares, turns = 0.0, 0
    sys.stdout.write(text(weights))


if __name__ == "__main__":
    main()
