"""Learns the chance to win (`value`) from games of the player against itself, and writes its figures.

    python -m bot.players.top12.learn [games] [epochs] [seed]

Two seats play by `judge`, with a call at random now and then so that more is seen. Each position before a
call is kept with what the game came to for the caller. The net is fitted to that by Adam; it is small enough
for plain Python: 5,000 games and 5 epochs take some minutes.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable, Sequence
from math import log as ln
from math import sqrt
from operator import mul
from pathlib import Path
from random import Random
from typing import NamedTuple

from bot.players.mixing import shuffle
from bot.rules.top12 import COLUMNS, FACES, LEAST, MOST, START_NUMBERS

from .judge import LOWER, Sheet, sheet_of, start_row, started
from .playout import Position
from .value import PAIR, WHOLE, Figures, pair_figures, parts, whole_figures

log = logging.getLogger(__name__)

FIGURES = Path(__file__).with_name("figures.json")

NEURONS = 16  # of each layer
STRAY = 0.03  # of the calls are at random
BATCH = 64
RATE = 0.003
KEPT = 0.1  # of the positions are kept to judge by


class Example(NamedTuple):
    """pairs: by column, its figures and 1. whole: the sheets' figures. won: what the game came to for the
    caller."""

    pairs: tuple[tuple[float, ...], ...]
    whole: tuple[float, ...]
    won: float


# --------------------------------------------------------------------------- games


def setup(chance: Random) -> Sheet:
    """The start numbers where most numbers fit around them, in columns by chance. Nets that learned from the
    set-up that is played, a row lower, were weaker in matches."""
    numbers = list(START_NUMBERS)
    shuffle(numbers, chance)
    return sheet_of(tuple([started(number, start_row(number) - LOWER) for number in numbers]))


def game(chance: Random) -> list[Example]:
    """What one game shows."""
    position = Position((setup(chance), setup(chance)), int(chance.random() * 2))
    seen: list[tuple[int, Sheet, Sheet]] = []
    while not position.over():
        caller = position.caller
        seen.append((caller, position.sheets[caller], position.sheets[1 - caller]))
        number = position.best_call()
        if chance.random() < STRAY:
            number = LEAST + int(chance.random() * MOST)
        position = position.after(number, FACES[int(chance.random() * len(FACES))])
    return [example(one, other, position.share(caller)) for caller, one, other in seen]


def example(one: Sheet, other: Sheet, won: float) -> Example:
    pairs = [
        (*pair_figures(one.columns[at], other.columns[at]), *parts(one, other, at), 1.0)
        for at in range(COLUMNS)
    ]
    return Example(tuple(pairs), whole_figures(one, other), won)


# --------------------------------------------------------------------------- fitting


def begun(chance: Random) -> Figures:
    """Before anything is learned."""

    def weights(count: int, spread: float) -> list[float]:
        return [spread * (chance.random() + chance.random() + chance.random() - 1.5) for _ in range(count)]

    return Figures(
        [[*weights(PAIR, 0.5), 0.0] for _ in range(NEURONS)],
        [[*weights(NEURONS + WHOLE, 0.2), 0.0] for _ in range(NEURONS)],
        [*weights(NEURONS, 0.3), 0.0],
    )


def rows(figures: Figures) -> list[list[float]]:
    """All weights, as the lists they are kept in."""
    return [*figures.columns, *figures.hidden, figures.out]


def loss(figures: Figures, one: Example, slopes: Figures | None = None) -> float:
    """How far off the net is at one example (minus the logarithm of the chance it gave to what came); its
    slopes are added to those that are handed in."""
    sums = [0.0] * NEURONS
    active: list[list[int]] = [[] for _ in range(NEURONS)]
    for at, seen in enumerate(one.pairs):
        for neuron, weights in enumerate(figures.columns):
            value = sum(map(mul, weights, seen))
            if value > 0.0:
                sums[neuron] += value
                active[neuron].append(at)
    both = (*sums, *one.whole, 1.0)
    hidden = [max(0.0, sum(map(mul, weights, both))) for weights in figures.hidden]
    found = sum(map(mul, figures.out, hidden)) + figures.out[-1]
    wide = 1.0 + abs(found)
    chance = min(max(0.5 * (1.0 + found / wide), 1e-3), 1.0 - 1e-3)
    if slopes is not None:
        slope = (chance - one.won) / (chance * (1.0 - chance)) * 0.5 / (wide * wide)
        back = [0.0] * NEURONS
        slopes.out[-1] += slope
        for neuron, value in enumerate(hidden):
            if value > 0.0:
                slopes.out[neuron] += slope * value
                here = slope * figures.out[neuron]
                _add(slopes.hidden[neuron], here, both)
                _add(back, here, figures.hidden[neuron])
        for neuron, ats in enumerate(active):
            for at in ats:
                _add(slopes.columns[neuron], back[neuron], one.pairs[at])
    return -(one.won * ln(chance) + (1.0 - one.won) * ln(1.0 - chance))


def _add(to: list[float], times: float, what: Sequence[float]) -> None:
    for at, value in enumerate(what[: len(to)]):
        to[at] += times * value


def fit(examples: list[Example], epochs: int, chance: Random) -> Figures:
    """The net that tells these best. After each epoch it is logged how far off it is: on those it learned
    from, and on those that are kept from it."""
    figures = begun(chance)
    weights = rows(figures)
    means = [[0.0] * len(row) for row in weights]
    squares = [[0.0] * len(row) for row in weights]
    kept = examples[: int(KEPT * len(examples))]
    order = list(range(len(kept), len(examples)))
    steps = 0
    for epoch in range(epochs):
        shuffle(order, chance)
        rate = RATE * (1.0 if epoch < 0.6 * epochs else 0.3 if epoch < 0.85 * epochs else 0.1)
        off = 0.0
        for start in range(0, len(order), BATCH):
            slopes = Figures(
                [[0.0] * (PAIR + 1) for _ in range(NEURONS)],
                [[0.0] * (NEURONS + WHOLE + 1) for _ in range(NEURONS)],
                [0.0] * (NEURONS + 1),
            )
            batch = order[start : start + BATCH]
            off += sum([loss(figures, examples[number], slopes) for number in batch])
            steps += 1
            soon, late = 1.0 - 0.9**steps, 1.0 - 0.999**steps
            for row, mean, square, slope in zip(weights, means, squares, rows(slopes), strict=True):
                for at, value in enumerate(slope):
                    each = value / len(batch)
                    mean[at] += 0.1 * (each - mean[at])
                    square[at] += 0.001 * (each * each - square[at])
                    row[at] -= rate * mean[at] / soon / (sqrt(square[at] / late) + 1e-8)
        told = sum([loss(figures, one) for one in kept]) / max(1, len(kept))
        log.info("epoch %d: %.4f, kept %.4f", epoch + 1, off / len(order), told)
    return figures


def write(figures: Figures, path: Path = FIGURES) -> None:
    """With so many digits as matter."""

    def short(lists: Iterable[list[float]]) -> list[list[float]]:
        return [[round(value, 5) for value in each] for each in lists]

    kept = {
        "columns": short(figures.columns),
        "hidden": short(figures.hidden),
        "out": short([figures.out])[0],
    }
    path.write_text(json.dumps(kept).replace("], [", "],\n[") + "\n", encoding="ascii")


def main(games: int = 5000, epochs: int = 5, seed: int = 1) -> None:
    chance = Random(seed)
    examples = [one for _ in range(games) for one in game(chance)]
    log.info("%d positions", len(examples))
    write(fit(examples, epochs, chance))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    main(*map(int, sys.argv[1:]))
