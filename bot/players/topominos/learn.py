"""Makes `figures.json`: `python -m bot.players.topominos.learn > figures.new`, which then takes its place.

The quick player plays against itself, some turns at random; what a turn left behind is set against what the
next turns brought. The figures are those that tell this best (least squares). In the first round it plays by
a plain guess, in each further one by the figures that the round before brought. All chance comes from the
seed, by `random()` alone, so the same arguments print the same file on every machine. `figures.json` is what
the defaults print.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from bot.players.mixing import shuffle
from bot.rules.topominos import PIECES, SET, rack_size

from .figures import Figures, SoloFigures
from .judge import LATE, Judge, chances
from .playout import Table, play_on
from .shapes import DOTS, EMPTY, LAID, NINE, PIECE, SIZE
from .solo import DRAWS, SoloJudge, solo_turn
from .turns import NEW, Part, in_order

FEATURES: Final = 8 + 8 + 4 + 4
ASTRAY: Final = 0.25  # share of turns that are none of the best
AHEAD: Final = 2  # how often everybody's next turns count
SHRINK: Final = 100.0  # by how much, in squares of features, figures are held back

# What to begin with: a stack costs who leaves it half its dots, if something fits; small pieces are worth
# more. What a piece drawn for an emptied rack brings, and when to exchange alone, is not learned.
COMPANY: Final = Figures(
    stays=(0.0,) * 10,
    fits=(0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 0.0),
    keep=(0.0, 1.5, 0.5, -0.5, -1.5),
    late=(0.0, 1.5, 0.5, -0.5, -1.5),
    fresh=3.0,
)
ALONE: Final = SoloFigures(
    stays=(0.0,) * 10,
    fits=(0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 0.0),
    piece=(0.0, 8.0, 7.0, 6.0, 5.0),
    wanted=(0.0, 0.0),
)


def dealt(players: int, chance: Random) -> Table:
    """A game at its start."""
    bag = [PIECE[name] for name in SET]
    shuffle(bag, chance)
    size = rack_size(players)
    racks = [tuple(sorted(bag.pop() for _ in range(size))) for _ in range(players)]
    return Table(racks, bag, [EMPTY] * 9, [0] * players, 0, 0, size)


def unseen(table: Table) -> list[int]:
    """How often each piece is where the seat whose turn it is cannot see it."""
    counts = [0] * len(PIECES)
    for piece in table.bag:
        counts[piece] += 1
    for seat, rack in enumerate(table.racks):
        for piece in rack if seat != table.seat else ():
            counts[piece] += 1
    return counts


def features(table: Table, rack: Sequence[int], hidden: Sequence[int]) -> list[float]:
    """What a turn that has just ended left behind, by which its worth is a sum."""
    found = [0.0] * FEATURES
    fits = chances(hidden, table.size)
    for kind in table.kinds:
        if kind != EMPTY:
            found[SIZE[kind] - 1] -= 1.0
            found[8 + SIZE[kind] - 1] -= fits[kind]
    share = min(len(table.bag), LATE) / LATE
    for piece in rack:
        found[16 + DOTS[piece] - 1] += share
        found[20 + DOTS[piece] - 1] += 1.0 - share
    return found


def samples(players: int, figures: Figures, chance: Random) -> list[tuple[list[float], float]]:
    """One game: after each turn its features, and what the seat got in the next turns less what others did,
    on average."""
    table = dealt(players, chance)
    seen: list[tuple[int, list[float], list[int]]] = []
    scores = [table.points[:]]
    while not table.over:
        seat = table.seat
        hidden = unseen(table)
        judge = Judge(figures, hidden, table.size)
        if chance.random() < ASTRAY:
            found = judge.finder.turns(table.racks[seat], table.kinds, 0, table.mode)
            turns = [last for last in found.last if last is not None]
            if turns:
                table.use(in_order(turns[int(chance.random() * len(turns))], table.mode))
        if not table.laid:
            play_on(table, judge)
        kept = table.racks[seat]
        row = features(table, kept, hidden)
        table.end()
        seen.append((seat, row, table.points[:]))
        scores.append(table.points[:])
    rows = []
    for number, (seat, row, before) in enumerate(seen):
        after = scores[min(number + 1 + AHEAD * players, len(scores) - 1)]
        gains = [late - early for late, early in zip(after, before, strict=True)]
        rows.append((row, gains[seat] - (sum(gains) - gains[seat]) / (players - 1)))
    return rows


def solved(rows: Sequence[tuple[list[float], float]], shrink: float) -> list[float]:
    """Least squares, held back a little."""
    size = len(rows[0][0]) + 1
    sums = [[0.0] * (size + 1) for _ in range(size)]
    for row, target in rows:
        one = [*row, 1.0]
        places = [place for place, value in enumerate(one) if value]
        for place in places:
            line, value = sums[place], one[place]
            for other in places:
                line[other] += value * one[other]
            line[size] += value * target
    for place in range(size - 1):
        sums[place][place] += shrink
    for place in range(size):
        pivot = sums[place][place] or 1.0
        sums[place] = [value / pivot for value in sums[place]]
        for other in range(size):
            if other != place and sums[other][place]:
                factor = sums[other][place]
                sums[other] = [a - factor * b for a, b in zip(sums[other], sums[place], strict=True)]
    return [line[size] for line in sums]


def fitted(rows: Sequence[tuple[list[float], float]]) -> list[float]:
    """As the figures are kept: to a hundredth of a point, none of them -0.0."""
    return [round(value, 2) + 0.0 for value in solved(rows, SHRINK)]


def learned(players: int, games: int, figures: Figures, chance: Random) -> Figures:
    """From one round of games."""
    rows = [row for _ in range(games) for row in samples(players, figures, chance)]
    values = fitted(rows)
    return Figures(
        stays=(0.0, *values[:8], 0.0),
        fits=(0.0, *values[8:16], 0.0),
        keep=(0.0, *values[16:20]),
        late=(0.0, *values[20:24]),
        fresh=figures.fresh,
    )


def solo_samples(figures: SoloFigures, chance: Random) -> list[tuple[list[float], float]]:
    """One game alone: after each lay its features, and what came after it."""
    table = dealt(1, chance)
    rows: list[tuple[list[float], float]] = []
    before: list[tuple[list[float], int]] = []
    while not table.over:
        judge = SoloJudge(figures, unseen(table))
        if chance.random() < ASTRAY / 2:
            rack = table.racks[0]
            place = int(chance.random() * len(rack))
            cell = int(chance.random() * 9)
            ways = LAID[rack[place]][table.kinds[cell]]
            if ways:
                kind = ways[int(chance.random() * len(ways))]
                part = Part(None, NEW if table.kinds[cell] == EMPTY else cell, 1 << place, kind)
                table.use([part])
                table.end()
            else:
                solo_turn(table, judge)
        else:
            solo_turn(table, judge)
        if not table.over and not table.passes:
            before.append((solo_features(table), table.points[0]))
    rows += [(row, float(table.points[0] - points)) for row, points in before]
    return rows


def solo_features(table: Table) -> list[float]:
    found = [0.0] * 20
    fits = chances(unseen(table), DRAWS)
    for kind in table.kinds:
        if kind not in (EMPTY, NINE):
            found[SIZE[kind] - 1] += 1.0
            found[8 + SIZE[kind] - 1] += fits[kind]
    for piece in [*table.bag, *table.racks[0]]:
        found[16 + DOTS[piece] - 1] += 1.0
    return found


def solo_learned(games: int, figures: SoloFigures, chance: Random) -> SoloFigures:
    """From one round of games alone."""
    rows = [row for _ in range(games) for row in solo_samples(figures, chance)]
    values = fitted(rows)
    return SoloFigures(
        stays=(0.0, *values[:8], 0.0),
        fits=(0.0, *values[8:16], 0.0),
        piece=(0.0, *values[16:20]),
        wanted=figures.wanted,
    )


def text(kept: Mapping[str, SoloFigures | Figures]) -> str:
    """`figures.json`."""
    lines = [f"{json.dumps(players)}: {json.dumps(figures._asdict())}" for players, figures in kept.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bot.players.topominos.learn")
    parser.add_argument("--games", type=int, default=1000, help="of each round, by each number of players")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", default="learn")
    given = parser.parse_args(arguments)
    solo, company = ALONE, dict.fromkeys((2, 3, 4), COMPANY)
    for number in range(given.rounds):
        solo = solo_learned(given.games, solo, Random(f"{given.seed} {number} 1"))
        for players, figures in company.items():
            chance = Random(f"{given.seed} {number} {players}")
            company[players] = learned(players, given.games, figures, chance)
        sys.stderr.write(f"round {number + 1} of {given.rounds}\n")
    sys.stdout.write(text({"1": solo, **{str(players): figures for players, figures in company.items()}}))


if __name__ == "__main__":
    main()
