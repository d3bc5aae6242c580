"""Learns what lines and supplies are worth, from the quick policy's games against itself, and writes
`figures.json`:

    python -m bot.players.fivetotwelve.learn GAMES SEED

After each turn the board's worth is drawn towards that after the seat's next turn, less the one turn (a full
board is worth nothing). Each figure has a rate of its own, which falls as its errors cancel out (temporal
coherence). It takes about four minutes per 60,000 games.
"""

from __future__ import annotations

import json
import sys
from base64 import b85encode
from collections.abc import Sequence
from random import Random
from typing import TypeAlias

from bot.players.mixing import shuffle
from bot.rules.fivetotwelve import SIDE, SIZE, TOP
from bot.rules.fivetotwelve.position import IDLE_PER_PLAYER

from .lines import (
    BASE,
    FIGURES,
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
from .playout import Course

START = -1.3  # turns that a free cell costs, before anything is known
OFF = 0.12  # turns that it costs in a line to be off by one
SLOW = 0.15  # the rate of supplies beside that of lines, each of which is met far less often
LASTING = 0.999  # of that cost's average, what stays after a turn
SHY = 0.92  # of it, what the quick policy counts for a filled cell
STEP = 0.025  # turns, in which the lines are written
ROW = 100  # characters of a row in the file
SEATS = (2, 3, 4)

Seen: TypeAlias = tuple[list[tuple[int, int]], list[int]]
"""A board by its figures: kind and packed line of its eight lines; classes of its free cells."""


class Weights:
    """Figures that are being learned. Of each the worth, the sum of its errors and that of their sizes."""

    def __init__(self) -> None:
        self.tables = spread([[guess(kind, line) for line in rising()] for kind in range(2)])
        self.line_errors = [[0.0] * LINES for _ in range(2)]
        self.line_sizes = [[0.0] * LINES for _ in range(2)]
        count = (len(PHASES) + 1) * SHARES * SHOWN
        self.supply = [START] * count
        self.free = START  # the average cost of a free cell
        self.errors = [0.0] * count
        self.sizes = [0.0] * count
        self._turned = [0] * LINES
        for line in rising():
            self._turned[packed(line)] = packed(turned(line))

    def seen(self, course: Course, seat: int, supply: Supply) -> Seen:
        """A board as it is now, by its figures."""
        lines = []
        for number, both in enumerate(zip(course.columns[seat], course.rows[seat], strict=True)):
            for line in both:
                lines.append((KINDS[number], line if number < SIDE // 2 else self._turned[line]))
        return lines, supply.classes(course.boards[seat])

    def worth(self, seen: Seen) -> float:
        lines, classes = seen
        return sum(self.tables[kind][line] for kind, line in lines) + sum(self.supply[one] for one in classes)

    def correct(self, seen: Seen, error: float) -> None:
        lines, classes = seen
        step = error / (len(lines) + len(classes))
        for kind, line in lines:
            errors, sizes = self.line_errors[kind], self.line_sizes[kind]
            rate = abs(errors[line]) / sizes[line] if sizes[line] else 1.0
            worth = self.tables[kind][line] + step * rate
            self.tables[kind][line] = worth
            self.tables[SIDE - 1 - kind][self._turned[line]] = worth
            errors[line] += error
            sizes[line] += abs(error)
        for one in classes:
            rate = abs(self.errors[one]) / self.sizes[one] if self.sizes[one] else 1.0
            self.supply[one] += SLOW * step * rate
            self.errors[one] += error
            self.sizes[one] += abs(error)
        if classes:
            cost = sum(self.supply[one] for one in classes) / len(classes)
            self.free = LASTING * self.free + (1.0 - LASTING) * cost

    def filled(self) -> float:
        """What the quick policy counts for a filled cell."""
        return -SHY * self.free


def guess(kind: int, line: Sequence[int]) -> float:
    """What to begin with: a tile is the worse, the further it is from an evenly filled board."""
    even = [2 + (TOP - 3) * (kind + place) / (2 * SIDE - 2) for place in range(SIDE)]
    return -OFF * sum(abs(tile - share) for tile, share in zip(line, even, strict=True) if tile)


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
        course.turn()
        supply = supply_of(course)
        after = weights.seen(course, seat, supply)
        full = course.filled[seat] == SIZE
        error = (0.0 if full else weights.worth(after)) - 1.0 - weights.worth(before[seat])
        weights.correct(before[seat], error)
        before[seat] = after
        squares += error * error
        turns += 1
    return squares, turns


def supply_of(course: Course) -> Supply:
    stock = [0] * (TOP + 1)
    for tile in course.order[course.at :]:
        stock[tile] += 1
    return Supply(stock, course.middle)


def write(weights: Weights, games: int, seed: int) -> None:
    """Lines as a byte each; what is beyond its range is too bad to tell apart."""
    data: dict[str, object] = {"games": games, "seed": seed, "step": STEP}
    data["filled"] = round(weights.filled(), 3)
    data["supply"] = [round(worth, 3) for worth in weights.supply]
    for kind, name in enumerate(("outer", "inner")):
        steps = [round(weights.tables[kind][packed(line)] / STEP) for line in rising()]
        text = b85encode(bytes(128 + max(-128, min(127, step)) for step in steps)).decode("ascii")
        data[name] = [text[start : start + ROW] for start in range(0, len(text), ROW)]
    FIGURES.write_text(json.dumps(data, indent=1) + "\n", "ascii")


def main() -> None:
    games, seed = int(sys.argv[1]), int(sys.argv[2])
    chance = Random(seed)
    weights = Weights()
    squares, turns = 0.0, 0
    for number in range(1, games + 1):
        more, count = one_game(weights, SEATS[number % len(SEATS)], chance)
        squares, turns = squares + more, turns + count
        if number % (games // 10 or 1) == 0:
            sys.stderr.write(
                f"{number} games, error {(squares / turns) ** 0.5:.3f} turns, a cell {weights.filled():.3f}\n"
            )
            squares, turns = 0.0, 0
    write(weights, games, seed)


if __name__ == "__main__":
    main()
