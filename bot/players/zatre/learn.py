"""Makes `figures.py`: `python -m bot.players.zatre.learn > figures.new`, which then takes its place.

`medium` plays against itself: in the first round with even figures, in each further one with those that the
round before brought. All chance comes from the seed, and all else is counting, so the same arguments print
the same file on every machine. `figures.py` is what the defaults print.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.levels import Level
from bot.rules.chance import Generator
from bot.rules.game import Event
from bot.rules.zatre import GAME, TOTAL, Sheet

from .. import choose
from .sheets import Figures, counts_of, judged_by

SPAN = 10  # tiles in the bag that share a rate
SPANS = TOTAL // SPAN
EVEN = Figures(1.8, (1.0, 2.0, 4.0), ((0.4,) * SPANS,) * 4)

HEAD = '"""What self-play taught: printed by `learn.py`, and not to be changed by hand."""\n'
ABOUT = {
    "TILES_A_TURN": "Tiles that leave the bag.",
    "BOX": "Points in a box of the columns 10, 11, 12.",
    "RATES": "By column (10, 11, 12, crosses), by tens of tiles in the bag: how many a turn fills.",
}


@dataclass(slots=True)
class Tally:
    """What turns brought. gained: by tens of tiles in the bag, by column, boxes and crosses; turns: how many
    there were; tiles: that left the bag; boxes, points: by column, at the end of the games."""

    gained: list[list[int]] = field(default_factory=lambda: [[0] * 4 for _ in range(SPANS)])
    turns: list[int] = field(default_factory=lambda: [0] * SPANS)
    tiles: int = 0
    boxes: list[int] = field(default_factory=lambda: [0] * 3)
    points: list[int] = field(default_factory=lambda: [0] * 3)

    def game(self, players: int, seed: str) -> None:
        state = GAME.start(players, {})
        chance, mind = Generator(seed, "chance"), Generator(seed, "mind")
        bag = TOTAL
        while state.outcome() is None:
            if state.chance_due():
                state.apply(state.draw(chance))
                continue
            (seat,) = state.actors()
            before = counts_of(state.sheets[seat])
            span = min(sum(state.bag) // SPAN, SPANS - 1)
            move = choose(GAME.id, state.view(seat), mind, Level.MEDIUM)
            state.apply(Event("move", move, seat))
            for column, count in enumerate(counts_of(state.sheets[seat])):
                self.gained[span][column] += count - before[column]
            self.turns[span] += 1
            self.tiles, bag = self.tiles + bag - sum(state.bag), sum(state.bag)
        for sheet in state.sheets:
            self._sheet(sheet)

    def _sheet(self, sheet: Sheet) -> None:
        for column, boxes in enumerate((sheet.tens, sheet.elevens, sheet.twelves)):
            self.boxes[column] += len(boxes)
            self.points[column] += sum(boxes)

    def figures(self) -> Figures:
        """Each rate is evened out with those of the tens beside it, its own turns counting twice."""
        rates = tuple(tuple(self._rate(column, span) for span in range(SPANS)) for column in range(4))
        box = tuple(map(_mean, self.points, self.boxes))
        return Figures(_mean(self.tiles, sum(self.turns)), box, rates)

    def _rate(self, column: int, span: int) -> float:
        near = [span, *(other for other in (span - 1, span, span + 1) if 0 <= other < SPANS)]
        return _mean(
            sum(self.gained[other][column] for other in near), sum(self.turns[other] for other in near)
        )


def _mean(total: int, count: int) -> float:
    return round(total / max(1, count), 2)


def learned(games: int, players: int, rounds: int, seed: str) -> Figures:
    """What so many rounds of so many games come to."""
    figures = EVEN
    for number in range(rounds):
        tally = Tally()
        with judged_by(figures):
            for game in range(games):
                tally.game(players, f"{seed} {number} {game}")
        figures = tally.figures()
    return figures


def text(figures: Figures) -> str:
    """`figures.py`."""
    rates = "".join(f"    {rate},\n" for rate in figures.rates)
    values = (str(figures.tiles_a_turn), str(figures.box), f"(\n{rates})")
    told = (f"\n# {ABOUT[name]}\n{name} = {value}\n" for name, value in zip(ABOUT, values, strict=True))
    return HEAD + "".join(told)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bot.players.zatre.learn")
    parser.add_argument("--games", type=int, default=60, help="of each round")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", default="learn")
    given = parser.parse_args(arguments)
    sys.stdout.write(text(learned(given.games, given.players, given.rounds, given.seed)))


if __name__ == "__main__":
    main()
