"""Makes `figures.json`: `python -m bot.players.top12.learn > figures.new`, which then takes its place.

It learns the chance to win (`value`). Two seats play by `judge`, with a call at random now and then so that
more is seen. Each position before a call is kept with what the game came to for the caller. The net is fitted
to that by Adam; it is small enough for plain Python. All chance comes from the seed, by `random()` alone, and
fractions are added up by `fsum`, so the same arguments print the same file on every machine.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from math import fsum, sqrt
from math import log as ln
from operator import mul
from random import Random
from typing import NamedTuple

from bot.players.mixing import shuffle
from bot.rules.top12 import COLUMNS, FACES, LEAST, MOST, START_NUMBERS

from .judge import LOWER, Sheet, sheet_of, start_row, started
from .playout import Position
from .value import PAIR, WHOLE, Figures, pair_figures, parts, whole_figures

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
            value = fsum(map(mul, weights, seen))
            if value > 0.0:
                sums[neuron] += value
                active[neuron].append(at)
    both = (*sums, *one.whole, 1.0)
    hidden = [max(0.0, fsum(map(mul, weights, both))) for weights in figures.hidden]
    found = fsum(map(mul, figures.out, hidden)) + figures.out[-1]
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
    fast = slow = 1.0  # what is still missing of the means' full weight
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
            off += fsum([loss(figures, examples[number], slopes) for number in batch])
            fast, slow = 0.9 * fast, 0.999 * slow
            soon, late = 1.0 - fast, 1.0 - slow
            for row, mean, square, slope in zip(weights, means, squares, rows(slopes), strict=True):
                for at, value in enumerate(slope):
                    each = value / len(batch)
                    mean[at] += 0.1 * (each - mean[at])
                    square[at] += 0.001 * (each * each - square[at])
                    row[at] -= rate * mean[at] / soon / (sqrt(square[at] / late) + 1e-8)
        told = fsum([loss(figures, one) for one in kept]) / max(1, len(kept))
        sys.stderr.write(f"epoch {epoch + 1}: {off / len(order):.4f}, kept {told:.4f}\n")
    return figures


def text(figures: Figures) -> str:
    """`figures.json`, with so many digits as matter."""

    def short(lists: Iterable[list[float]]) -> list[list[float]]:
        return [[round(value, 5) for value in each] for each in lists]

    kept = {
        "columns": short(figures.columns),
        "hidden": short(figures.hidden),
        "out": short([figures.out])[0],
    }
    return json.dumps(kept).replace("], [", "],\n[") + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bot.players.top12.learn")
    parser.add_argument("--games", type=int, default=6000)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", default="learn")
    given = parser.parse_args(arguments)
    chance = Random(given.seed)
    examples = [one for _ in range(given.games) for one in game(chance)]
    sys.stderr.write(f"{len(examples)} positions\n")
    sys.stdout.write(text(fit(examples, given.epochs, chance)))


if __name__ == "__main__":
    main()
