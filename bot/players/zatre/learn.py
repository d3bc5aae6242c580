"""Makes the figures of self-play: `python -m bot.players.zatre.learn [GAMES [SEATS]]`.

`medium` plays against itself with the figures there are; what is printed is to replace them in `figures.py`,
until it does not change any more.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from random import Random

from bot.levels import Level
from bot.rules.chance import Generator
from bot.rules.game import Event
from bot.rules.zatre import GAME, TOTAL, Sheet

from ..strengths import choose
from . import PLAYER
from .sheets import counts_of

SPAN = 10  # tiles in the bag that share a rate


@dataclass(slots=True)
class Tally:
    """What turns brought. gained: by tens of tiles in the bag, by column, boxes and crosses; turns: how many
    there were; tiles: that left the bag; boxes, points: by column, at the end of the games."""

    gained: list[list[int]] = field(default_factory=lambda: [[0] * 4 for _ in range(TOTAL // SPAN)])
    turns: list[int] = field(default_factory=lambda: [0] * (TOTAL // SPAN))
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
            span = min(sum(state.bag) // SPAN, len(self.turns) - 1)
            move = choose(PLAYER, state.view(seat), Random(mind.below(1 << 64)), Level.MEDIUM).move
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

    def figures(self) -> str:
        rates = [
            tuple(
                round(gained[column] / max(1, turns), 2)
                for gained, turns in zip(self.gained, self.turns, strict=True)
            )
            for column in range(4)
        ]
        box = tuple(round(points / boxes, 2) for points, boxes in zip(self.points, self.boxes, strict=True))
        lines = [f"TILES_A_TURN = {self.tiles / sum(self.turns):.2f}", f"BOX = {box}", "RATES = ("]
        return "\n".join([*lines, *(f"    {rate}," for rate in rates), ")"])


def main(games: int = 200, players: int = 2) -> None:
    tally = Tally()
    for number in range(games):
        tally.game(players, f"learn {number}")
    sys.stdout.write(tally.figures() + "\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
