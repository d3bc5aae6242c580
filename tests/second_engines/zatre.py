"""Zatre, slowly: every rule as the page says it, numbered as there. A placement is ((row, column), value)."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tests.second_engines.common import Case, Wrong, drawn

GAME = "zatre"
Cell = tuple[int, int]  # row, column, both from 1
Board = dict[Cell, int]

# The page's drawing, one text per row; a column is two characters wide.
DRAWING = """
        . . #   # . .
  # . . . . . . . . . . . #
  . # . . . . . . . . . # .
  . . # . . . . . . . # . .
. . . . # . . . . . # . . . .
. . . . . # . . . # . . . . .
# . . . . . # . # . . . . . #
  . . . . . . R . . . . . .
# . . . . . # . # . . . . . #
. . . . . # . . . # . . . . .
. . . . # . . . . . # . . . .
  . . # . . . . . . . # . .
  . # . . . . . . . . . # .
  # . . . . . . . . . . . #
        . . #   # . .
"""
KINDS: dict[Cell, str] = {
    (row, column // 2 + 1): letter
    for row, line in enumerate(DRAWING.strip("\n").splitlines(), 1)
    for column, letter in enumerate(line)
    if letter != " "
}
RED: Cell = (8, 8)
LISTED = 4  # tiles held up to which a turn's list is given


def name_of(cell: Cell) -> str:
    return "ABCDEFGHIJKLMNO"[cell[1] - 1] + str(cell[0])


NEAR: dict[Cell, list[Cell]] = {
    (row, column): [
        near
        for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        if near in KINDS
    ]
    for row, column in KINDS
}


def run_through(board: Board, cell: Cell, down: bool) -> list[Cell]:
    """The whole line of adjacent tiles through a tile, across or down; one cell alone is no run (rule 3)."""
    step_row, step_column = (1, 0) if down else (0, 1)
    row, column = cell
    while (row - step_row, column - step_column) in board:
        row, column = row - step_row, column - step_column
    line = []
    while (row, column) in board:
        line.append((row, column))
        row, column = row + step_row, column + step_column
    return line


def sums(board: Board, cell: Cell) -> list[int]:
    """What the runs through a tile add up to; none, one or two of them."""
    lines = [run_through(board, cell, down) for down in (False, True)]
    return [sum(board[each] for each in line) for line in lines if len(line) >= 2]


def open_cells(board: Board) -> set[Cell]:
    """All empty cells that touch a tile (rule 2)."""
    return {near for cell in board for near in NEAR[cell] if near not in board}


def too_long(board: Board, cell: Cell) -> bool:
    return any(total >= 13 for total in sums(board, cell))


def fits(board: Board, cell: Cell, value: int) -> bool:
    """Whether a tile may stand on an open cell as far as rule 3 goes."""
    return not too_long({**board, cell: value}, cell)


def fits_somewhere(board: Board, value: int, kinds: str = ".#R") -> bool:
    return any(KINDS[cell] in kinds and fits(board, cell, value) for cell in open_cells(board))


def scores_through(board: Board, cell: Cell) -> bool:
    return any(10 <= total <= 12 for total in sums(board, cell))


def why_not(board: Board, laid: Board, opening: bool) -> str:
    """What forbids a turn that lays these tiles, as far as the board goes; empty when nothing does."""
    if any(cell not in KINDS or cell in board for cell in laid):
        return "no such cell, or taken"
    after = {**board, **laid}
    # Rule 2 (and 1): from the old board, or from the red cell, every new tile is reached through new tiles.
    reached = (
        {RED} & set(laid) if opening else {cell for cell in laid if any(near in board for near in NEAR[cell])}
    )
    while True:
        more = {near for cell in reached for near in NEAR[cell] if near in laid} - reached
        if not more:
            break
        reached |= more
    if reached != set(laid):
        return "rule 1: connected, one on the red cell" if opening else "rule 2: reach the old board"
    if any(too_long(after, cell) for cell in laid):
        return "rule 3: a run of 13 or more"
    for cell, value in laid.items():
        if KINDS[cell] == "#" and not scores_through(after, cell):
            others = {each: tile for each, tile in after.items() if each != cell}
            if fits_somewhere(others, value, "."):
                return "rule 4: a light cell without a 10, 11 or 12"
    return ""


def all_turns(board: Board, held: Iterable[int], opening: bool) -> list[Board]:
    """Every set of placements of held tiles that the board allows, the empty one too (not in the opening).

    Grown tile by tile: a legal turn can always be laid in an order in which each tile touches one lying, and
    then no run is ever longer than at the end (rules 2 and 3). Rule 4 looks at the end only.
    """
    found: dict[frozenset[tuple[Cell, int]], Board] = {}

    def grow(laid: Board, left: list[int]) -> None:
        key = frozenset(laid.items())
        if key in found:
            return
        found[key] = laid
        if not left:
            return
        now = {**board, **laid}
        cells = open_cells(now) if now else {RED}
        for value in set(left):
            rest = list(left)
            rest.remove(value)
            for cell in cells:
                if fits(now, cell, value):
                    grow({**laid, cell: value}, rest)

    grow({}, list(held))
    turns = [laid for laid in found.values() if not why_not(board, laid, opening)]
    return [laid for laid in turns if len(laid) == 3] if opening else turns


def text_of(laid: Board) -> str:
    return " ".join(f"{laid[cell]}@{name_of(cell)}" for cell in sorted(laid)) or "keep"


def read_turn(text: str) -> Board:
    """The placements of a canonical text. Raises Wrong."""
    if text == "keep":
        return {}
    laid: Board = {}
    for word in text.split(" "):
        parts = re.fullmatch("([1-6])@([A-O])([1-9][0-9]?)", word, re.ASCII)
        if not parts:
            raise Wrong(f"unreadable: {word!r}")
        cell = (int(parts[3]), "ABCDEFGHIJKLMNO".index(parts[2]) + 1)
        if cell in laid:
            raise Wrong("a cell twice")
        laid[cell] = int(parts[1])
    if text_of(laid) != text:
        raise Wrong("not canonical")
    return laid


class Sheet:
    """Rules 7 to 9: four columns, each filled from the top without gaps."""

    def __init__(self) -> None:
        self.crosses = 0
        self.boxes: dict[int, list[int]] = {10: [], 11: [], 12: []}

    def write(self, board: Board, laid: Board, opening: bool) -> None:
        """Write down a turn; board: with the turn's tiles."""
        runs = {tuple(run_through(board, cell, down)) for cell in laid for down in (False, True)}
        totals = [sum(board[cell] for cell in run) for run in runs if len(run) >= 2]
        for total, points in ((10, 1), (11, 2), (12, 4)):  # rule 6
            if total in totals:
                self.boxes[total].append(points * totals.count(total))
        self.crosses += sum(KINDS[cell] == "#" and scores_through(board, cell) for cell in laid)
        if opening and any(10 <= total <= 12 for total in totals):
            self.crosses += 1

    def total(self) -> int:
        total = 0
        for row in range(max(self.crosses, *(len(column) for column in self.boxes.values()))):
            filled = [column[row] for column in self.boxes.values() if row < len(column)]
            bonus = (3, 4, 5, 6)[min(row // 4, 3)] if len(filled) == 3 else 0
            total += (sum(filled) + bonus) * (2 if row < self.crosses else 1)
        return total


class Zatre:
    """One game, from its set-up on."""

    def __init__(self, players: int, options: Mapping[str, Any]) -> None:
        if set(options) - {"laying", "partners"} or not 2 <= players <= 6:
            raise Wrong("option or seat count")
        laying, partners = options.get("laying", "free"), options.get("partners", False)
        if (
            laying not in ("free", "club")
            or not isinstance(partners, bool)
            or (partners and players not in (4, 6))
        ):
            raise Wrong("an option's value")
        self.players = players
        self.club = laying == "club"
        self.sheet_of = [seat // 2 if partners else seat for seat in range(players)]
        self.sheets = [Sheet() for _ in range(max(self.sheet_of) + 1)]
        self.bag = Counter({1: 21, 2: 20, 3: 20, 4: 20, 5: 20, 6: 20})
        self.board: Board = {}
        self.held: list[list[int]] = [[] for _ in range(players)]
        self.phase = "lots"  # lots, draw, turn, blocked, over
        self.tied = set(range(players))
        self.seat = -1
        self.draw = 0  # tiles the next draw takes
        self.must_lay = False
        self.reason = ""
        self.temper: float | None = None  # of `pick`: how fond of keeping
        self.luck: int | None = None  # of `roll`
        self.known: list[str] | None = None  # the list of the turn that is on, once worked out

    # ---- what comes next

    def due(self) -> str:
        return {"lots": "chance", "draw": "chance", "blocked": "chance", "turn": "move", "over": "over"}[
            self.phase
        ]

    def actors(self) -> set[int]:
        return {self.seat} if self.phase == "turn" else set()

    def opening(self) -> bool:
        return not self.board

    # ---- chance

    def chance(self, text: str, player: int | None) -> None:
        if self.phase == "lots":
            self._lots(text, player)
            return
        if player != self.seat:
            raise Wrong("drawn by another seat")
        if not re.fullmatch("draw( [1-6])+", text, re.ASCII):
            raise Wrong("unreadable")
        tiles = [int(word) for word in text.split(" ")[1:]]
        if tiles != sorted(tiles) or len(tiles) != self.draw:
            raise Wrong(f"{self.draw} tiles are drawn, sorted")
        if Counter(tiles) - self.bag:
            raise Wrong("not in the bag")
        self.bag -= Counter(tiles)
        self.held[self.seat] += tiles
        if self.phase == "draw":
            self.phase = "turn"
        elif self.bag.total() == 0:
            self.phase = "over"
        else:
            self.seat = (self.seat + 1) % self.players

    def _lots(self, text: str, player: int | None) -> None:
        if player is not None:
            raise Wrong("lots are public")
        words = text.split(" ")
        if words[0] != "lots" or len(words) != self.players + 1:
            raise Wrong("one lot for each seat")
        if any(not re.fullmatch("[1-6]|-", word, re.ASCII) for word in words[1:]):
            raise Wrong("unreadable")
        lots = {seat: int(word) for seat, word in enumerate(words[1:]) if word != "-"}
        if set(lots) != self.tied:
            raise Wrong("exactly those who tie draw")
        if Counter(lots.values()) - self.bag:
            raise Wrong("not in the bag")
        self.tied = {seat for seat in lots if lots[seat] == max(lots.values())}
        if len(self.tied) > 1:
            return  # rule 1: all lots go back before a tie-break
        (self.seat,) = self.tied
        self.held[self.seat] = [lots[self.seat]]
        self.bag[lots[self.seat]] -= 1
        self.draw = 2
        self.phase = "draw"

    # ---- decisions

    def _held_fits(self, board: Board, tiles: Iterable[int]) -> bool:
        return any(fits_somewhere(board, value) for value in set(tiles))

    def _begin_turn(self) -> None:
        """Rule 5: what the seat draws and whether it must lay."""
        kept = self.held[self.seat]
        self.must_lay = False
        if not kept:
            self.draw = 2
        elif len(kept) == 1 or not self._held_fits(self.board, kept):
            self.draw = 1
        else:
            self.draw = 0
            self.must_lay = True
        self.draw = min(self.draw, self.bag.total())
        self.phase = "draw" if self.draw else "turn"

    def _left(self, laid: Board) -> list[int]:
        left = Counter(self.held[self.seat])
        left.subtract(laid.values())
        if min(left.values(), default=0) < 0:
            raise Wrong("a tile that is not held")
        return sorted(left.elements())

    def _more_could_be_laid(self, laid: Board) -> bool:
        """Option `club`: whether the turn plus one more held tile would be legal under `free`."""
        cells = open_cells({**self.board, **laid})
        return any(
            not why_not(self.board, {**laid, cell: value}, False)
            for value in set(self._left(laid))
            for cell in cells
        )

    def _check(self, laid: Board) -> None:
        left = self._left(laid)
        if self.opening() and left:
            raise Wrong("rule 1: all three")
        if self.must_lay and not laid:
            raise Wrong("rule 5: at least one")
        why = why_not(self.board, laid, self.opening())
        if why:
            raise Wrong(why)
        if self.club and not self.opening() and self._more_could_be_laid(laid):
            raise Wrong("club: another tile could be laid")

    def legal(self, seat: int) -> list[str] | None:
        held = self.held[seat]
        if len(held) > LISTED:
            return None
        if self.known is None:
            self.known = self._listed(held)
        return list(self.known)

    def _listed(self, held: list[int]) -> list[str]:
        turns = all_turns(self.board, held, self.opening())
        if self.club and not self.opening():
            # `turns` are all of `free`: one is not a club's when another is the same plus a tile.
            shorter = {frozenset(laid.items()) - {placement} for laid in turns for placement in laid.items()}
            turns = [laid for laid in turns if frozenset(laid.items()) not in shorter]
        if self.must_lay:
            turns = [laid for laid in turns if laid]
        return sorted(text_of(laid) for laid in turns)

    def move(self, seat: int, text: str) -> None:
        laid = read_turn(text)
        self._check(laid)
        opening = self.opening()
        self.known = None
        self.held[seat] = self._left(laid)
        self.board.update(laid)
        self.sheets[self.sheet_of[seat]].write(self.board, laid, opening)
        self.seat = (self.seat + 1) % self.players
        if self.bag.total() == 0:  # rule 10
            self.phase, self.reason = "over", "bag empty"
        elif not fits_somewhere(self.board, 1):
            self.phase, self.reason, self.draw = "blocked", "no tile fits", 1
        else:
            self._begin_turn()

    # ---- the end

    def outcome(self) -> dict[str, Any] | None:
        if self.phase != "over":
            return None
        totals = [sheet.total() for sheet in self.sheets]
        for seat, tiles in enumerate(self.held):
            totals[self.sheet_of[seat]] -= sum(tiles)
        scores = [totals[self.sheet_of[seat]] for seat in range(self.players)]
        best = max(scores)
        winners = [seat for seat in range(self.players) if scores[seat] == best]
        return {"scores": scores, "winners": winners, "reason": self.reason}

    # ---- playing alone

    def roll(self, chooser: random.Random) -> dict[str, Any]:
        """Even or uneven luck: what is possible need not be likely; heavy tiles left for the end pile up."""
        if self.luck is None:
            self.luck = chooser.choice((0, 1, 1, -1))
        tiles = drawn(sorted(self.bag.elements()), int, 0 if self.phase == "lots" else self.luck, chooser)
        if self.phase == "lots":
            lots = dict(zip(sorted(self.tied), tiles, strict=False))
            return {"chance": "lots " + " ".join(str(lots.get(seat, "-")) for seat in range(self.players))}
        some = sorted(tiles[: self.draw])
        return {"chance": "draw " + " ".join(str(tile) for tile in some), "player": self.seat}

    def guess(self, seat: int, chooser: random.Random) -> str:
        """A turn, legal or not: held tiles on open cells, light ones sooner, now and then too long a run."""
        laid: Board = {}
        left = list(self.held[seat])
        chooser.shuffle(left)
        for value in left[: chooser.choice((0, 1, 1, 2, 2, 3, 4, len(left)))]:
            now = {**self.board, **laid}
            cells = [
                cell for cell in sorted(open_cells(now)) if fits(now, cell, value) or chooser.random() < 0.005
            ]
            light = [cell for cell in cells if KINDS[cell] == "#"]
            if cells:
                laid[chooser.choice(light if light and chooser.random() < 0.4 else cells)] = value
        if laid and chooser.random() < 0.1:
            del laid[chooser.choice(sorted(laid))]
        return text_of(laid)

    def handy(self, seat: int) -> bool:
        """Whether the list is short enough for a game of a test: four light tiles have it explode."""
        held = self.held[seat]
        open_to = [sum(fits(self.board, cell, value) for cell in open_cells(self.board)) for value in held]
        return self.opening() or len(held) <= 2 or (len(held) <= LISTED and sum(open_to) <= 45)

    def pick(self, seat: int, chooser: random.Random) -> str:
        """Any legal turn, `keep` or a long one or one that scores more often than their number would give."""
        if self.temper is None:
            self.temper = chooser.choice((0.0, 0.2, 0.5))
        moves = self.legal(seat) if self.handy(seat) else None
        if moves is None:
            return self._pick_unlisted(chooser)
        if "keep" in moves and chooser.random() < self.temper:
            return "keep"
        some = chooser.sample(moves, min(len(moves), 12))
        return max(some, key=self._worth) if chooser.random() < 0.7 else some[0]

    def _worth(self, text: str) -> int:
        laid = read_turn(text)
        after = {**self.board, **laid}
        return len(laid) + 3 * sum(total >= 10 for cell in laid for total in sums(after, cell))

    def _pick_unlisted(self, chooser: random.Random) -> str:
        """More tiles than are listed: laid one by one, each such that the turn is legal so far."""
        laid: Board = {}
        while True:
            more = [
                {**laid, cell: value}
                for value in sorted(set(self._left(laid)))
                for cell in sorted(open_cells({**self.board, **laid}))
                if not why_not(self.board, {**laid, cell: value}, False)
            ]
            needed = self.club or (self.must_lay and not laid)
            if not more or (not needed and chooser.random() < 0.3):
                return text_of(laid)
            laid = chooser.choice(more)


def make(players: int, options: Mapping[str, Any]) -> Zatre:
    return Zatre(players, options)


def _all(seeds: Iterable[str], plays: Iterable[str] = ("random",)) -> list[Case]:
    """All seat counts with all options that they allow."""
    cases = []
    for players in range(2, 7):
        for laying in ("free", "club"):
            for partners in (False, True) if players in (4, 6) else (False,):
                options: list[tuple[str, Any]] = [("laying", laying)] if laying != "free" else []
                options += [("partners", True)] if partners else []
                cases += [Case(GAME, players, seed, tuple(options), play) for seed in seeds for play in plays]
    return cases


# The plain run has each seat count, and each option alone and with the other, in one list or the next.
PLAYED = [_all(["b"])[at] for at in (0, 3, 5, 8, 13)]
PLAYED += [Case(GAME, 2, "a")]  # of seed a: four sixes block the game at once
PLAYED_LONG = _all(["c", "d"])
OUTSIDE = [_all(["o"])[at] for at in (1, 2, 6, 9, 11)]
OUTSIDE_LONG = _all(["p", "q"])
GUESSED = _all(["g"])[1::4]
GUESSED_LONG = _all(["h"])
DAMAGED = _all(["x"])[2::5]
DAMAGED_LONG = _all(["y"])
