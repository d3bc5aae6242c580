"""Rounds as they could go on: every seat enters and calls by `judge`, whatever the die shows.

Everything is open but what others enter in the round that is on. They are taken to enter where it does them
most good; what they have chosen already is not in the view, and plays no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, cast

from bot.rules.top12 import CELLS, FACES, MOST, ROWS, Top12View

from .judge import RIVAL, Sheet, calls, entries, sheet
from .value import chance_to_win

POINTS = 100.0  # of a game that is won


class Position(NamedTuple):
    """Between two rounds. caller: calls next."""

    sheets: tuple[Sheet, ...]
    caller: int

    def best_call(self) -> int:
        """What the caller calls: what brings it most, less what it brings the best placed of the others."""
        own = self.sheets[self.caller].shares
        others = [one.shares for seat, one in enumerate(self.sheets) if seat != self.caller]
        rivals = others[0] if len(others) == 1 else list(map(max, *others))
        merits = [gain - RIVAL * rival for gain, rival in zip(own, rivals, strict=True)]
        return max(range(1, MOST + 1), key=merits.__getitem__)

    def after(self, number: int, face: str, seat: int = -1, cell: int = -1) -> Position:
        """When the number was called and that face rolled: that seat enters it in that cell, and everybody
        else where it does best."""
        found: list[Sheet] = []
        for at, one in enumerate(self.sheets):
            entry = divmod(cell, ROWS) if at == seat else one.best_entry(number, face)
            if entry is None:
                found.append(one)
            else:
                column, row = entry
                found.append(one.entered(column, one.columns[column].entered(row, number)))
        return Position(tuple(found), (self.caller + 1) % len(self.sheets))

    def over(self) -> bool:
        """Whether a column is full or none can be filled any more."""
        return any(not one.fullness[0] for one in self.sheets) or all(one.dead for one in self.sheets)

    def share(self, seat: int) -> float:
        """Of the win, at the end: 0, or 1 by the number of winners."""
        best = min([one.fullness for one in self.sheets])
        winners = [at for at, one in enumerate(self.sheets) if one.fullness == best]
        return 1.0 / len(winners) if seat in winners else 0.0

    def chance(self, seat: int) -> float:
        """To win, of that seat."""
        return self.share(seat) if self.over() else chance_to_win(self.sheets, seat, self.caller)


def position(view: Top12View) -> Position:
    """Of the round that is on, before anybody has entered."""
    return Position(tuple([sheet(cells) for cells in view.sheets]), view.caller)


@dataclass(slots=True)
class _Round:
    """A position, and what comes of the next round there, as far as it was asked for."""

    position: Position
    number: int = 0
    chances: dict[str, float] | None = None

    def chance(self, seat: int, face: str) -> float:
        """To win after the next round with that face, the caller calling by `judge`."""
        if self.position.over():
            return self.position.share(seat)
        if self.chances is None:
            self.chances = {}
            self.number = self.position.best_call()
        if face not in self.chances:
            self.chances[face] = self.position.after(self.number, face).chance(seat)
        return self.chances[face]


class Rounds:
    """A trial (`bot/players/contract.py:Trial`): the round that is on, one more, and then the chance to win
    as it was learned. All faces come equally often, in an order by chance."""

    def __init__(self, view: Top12View, moves: Sequence[str]) -> None:
        self._seat = cast("int", view.seat)
        self._view = view
        self._moves = moves
        self._begun = position(view)
        self._rounds: dict[tuple[int, str], _Round] = {}
        self._faces: list[tuple[str, str]] = []

    def world(self, kept: Sequence[int], chance: Random) -> Sequence[float]:
        if not self._faces:
            self._faces = _all_faces(self._view.face, chance)
        now, then = self._faces.pop()
        return [POINTS * self._round(move, now).chance(self._seat, then) for move in kept]

    def _round(self, move: int, face: str) -> _Round:
        found = self._rounds.get((move, face))
        if found is None:
            text = self._moves[move]
            if text.startswith("call "):
                after = self._begun.after(int(text[5:]), face)
            else:
                number, _, cell = text.partition("@")
                after = self._begun.after(int(number), face, self._seat, CELLS.index(cell))
            found = self._rounds[move, face] = _Round(after)
        return found


class Rolls:
    """A trial of somebody alone: the rolls that a move saves by evaluation, the same in every world."""

    def __init__(self, view: Top12View, moves: Sequence[str]) -> None:
        if view.phase == "call":
            worths = {f"call {number}": worth for worth, _, _, number in calls(view)}
        else:
            worths = {f"{view.number}@{CELLS[at * ROWS + row]}": worth for worth, at, row, _ in entries(view)}
        self._worths = [worths[move] for move in moves]

    def world(self, kept: Sequence[int], chance: Random) -> Sequence[float]:
        return [self._worths[move] for move in kept]


def _all_faces(rolled: str, chance: Random) -> list[tuple[str, str]]:
    """Faces of this round and the next, each two once: so that among any few that follow each other no face
    comes much more often than another. rolled: the first, where it is known."""
    shift = int(chance.random() * len(FACES))
    turn = int(chance.random() * len(FACES))
    faces = range(len(FACES))
    if rolled:
        return [(rolled, FACES[(at + shift) % len(FACES)]) for at in faces]
    return [
        (FACES[(at + shift) % len(FACES)], FACES[(at + step + turn) % len(FACES)])
        for step in faces
        for at in faces
    ]
