"""5 vor 12, slowly: every rule as the page says it, numbered as there. A board: tile by cell."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import permutations, product
from typing import Any

from tests.second_engines.common import Case, Wrong

GAME = "fivetotwelve"
CELLS = [column + row for column in "ABCD" for row in "1234"]
DIAGONAL = ["A1", "B2", "C3", "D4"]
TILES = range(1, 21)
BEFORE = {  # by cell: the cells left of it in its row and above it in its column
    cell: [other for other in CELLS if other < cell and (other[0] == cell[0] or other[1] == cell[1])]
    for cell in CELLS
}
AFTER = {cell: [other for other in CELLS if cell in BEFORE[other]] for cell in CELLS}
MOST_WITHOUT_REVEAL = 10  # turns in a row, per player

Board = dict[str, int]


def fits(board: Board, tile: int, cell: str) -> bool:
    """Rule 4: whether a tile may lie in a cell; one that lies there is exchanged and does not count."""
    return all(board[other] < tile for other in BEFORE[cell] if other in board) and all(
        board[other] > tile for other in AFTER[cell] if other in board
    )


def cells_for(board: Board, tile: int) -> list[str]:
    """Where a tile may be laid or exchanged."""
    return [cell for cell in CELLS if fits(board, tile, cell)]


def equal_neighbour(board: Board, cell: str) -> bool:
    """Option `bruno`: an equal number lower left or upper right of a cell."""
    column, row = ord(cell[0]), int(cell[1])
    neighbours = [f"{chr(column - 1)}{row + 1}", f"{chr(column + 1)}{row - 1}"]
    return any(board.get(neighbour) == board[cell] for neighbour in neighbours)


class FiveToTwelve:
    """One game or series, from its set-up on."""

    def __init__(self, players: int, options: Mapping[str, Any]) -> None:
        if set(options) - {"first", "series", "setup", "bruno"} or not 2 <= players <= 4:
            raise Wrong("option or seat count")
        self.host_first = options.get("first", "random") == "host"
        self.setup = options.get("setup", "one-by-one")
        self.series = options.get("series", False)
        self.bruno = options.get("bruno", False)
        if options.get("first", "random") not in ("random", "host"):
            raise Wrong("option first")
        if self.setup not in ("one-by-one", "free", "sorted"):
            raise Wrong("option setup")
        if type(self.series) is not bool or type(self.bruno) is not bool:
            raise Wrong("option series or bruno")
        self.players = players
        self.games = players if self.series else 1  # rule 6
        self.played = 0
        self.match = [0] * players  # points in the series
        self.starter: int | None = None
        self.reason = ""
        self.temper: dict[str, float] | None = None  # of `pick`
        self._lay_out()

    def _lay_out(self) -> None:
        """All sets mixed face down, all boards empty."""
        self.stock = Counter(dict.fromkeys(TILES, self.players))
        self.middle: Counter[int] = Counter()
        self.boards: list[Board] = [{} for _ in range(self.players)]
        self.dealt: dict[int, list[int]] = {}  # by seat: tiles of this wave that are not laid yet
        self.phase = "first"  # first, deal, lay (set-up), turn, reveal, revealed, over
        self.receiver = 0
        self.quiet = 0  # turns in a row without a reveal
        self.in_hand = 0  # the tile just revealed
        self.listed: dict[int, list[str]] = {}  # by seat: legal moves, once they were asked for

    # ---- what comes next

    def due(self) -> str:
        if self.phase == "over":
            return "over"
        return "chance" if self.phase in ("first", "deal", "reveal") else "move"

    def actors(self) -> set[int]:
        if self.phase == "lay":
            return set(self.dealt)
        return {self.seat} if self.phase in ("turn", "revealed") else set()

    # ---- chance

    def _starters(self) -> list[int]:
        if self.starter is not None:
            return [(self.starter + 1) % self.players]  # a later game of a series
        return [0] if self.host_first else list(range(self.players))

    def chance(self, text: str, player: int | None) -> None:
        if self.phase == "deal":
            self._deal(text, player)
        elif player is not None:
            raise Wrong("public")
        elif self.phase == "first":
            starters = [seat for seat in self._starters() if text == f"first {seat}"]
            if not starters:
                raise Wrong("not a seat that can begin")
            self.starter = self.seat = starters[0]
            self.phase = "deal"
        else:
            tiles = [tile for tile in TILES if text == f"reveal {tile}" and self.stock[tile] > 0]
            if not tiles:
                raise Wrong("unreadable or not in the stock")
            self.in_hand = tiles[0]
            self.listed = {}
            self.stock[self.in_hand] -= 1
            self.phase = "revealed"

    def _deal(self, text: str, player: int | None) -> None:
        words = text.split(" ")
        tiles = [tile for word in words[1:] for tile in TILES if word == str(tile)]
        count = 1 if self.setup == "one-by-one" else 4
        if player != self.receiver or words[0] != "deal" or len(words) != count + 1 or len(tiles) != count:
            raise Wrong("unreadable, or another seat draws")
        if tiles != sorted(tiles) or any(self.stock[tile] < tiles.count(tile) for tile in tiles):
            raise Wrong("not sorted, or not in the stock")
        if self.setup == "sorted" and len(set(tiles)) != 4:
            raise Wrong("`sorted`: different numbers")
        self.stock -= Counter(tiles)
        if self.setup == "sorted":
            self.boards[player] = dict(zip(DIAGONAL, tiles, strict=True))
        else:
            self.dealt[player] = tiles
        self.receiver += 1
        if self.receiver == self.players:
            self.phase = "lay" if self.dealt else "turn"

    # ---- decisions

    def _closed(self) -> bool:
        """Ruling: no taking from the middle after so many turns without a reveal."""
        return self.quiet >= MOST_WITHOUT_REVEAL * self.players

    def legal(self, seat: int) -> list[str]:
        if seat not in self.listed:
            self.listed[seat] = self._legal(seat)
        return self.listed[seat]

    def _legal(self, seat: int) -> list[str]:
        board = self.boards[seat]
        if self.phase == "lay" and self.setup == "free":
            moves = [
                " ".join(f"{tile}@{cell}" for tile, cell in zip(order, DIAGONAL, strict=True))
                for order in permutations(self.dealt[seat])
            ]
        elif self.phase == "lay":
            moves = [f"{self.dealt[seat][0]}@{cell}" for cell in DIAGONAL if cell not in board]
        elif self.phase == "revealed":
            moves = ["leave"] + [f"{self.in_hand}@{cell}" for cell in cells_for(board, self.in_hand)]
        else:
            moves = ["draw"]
            for tile in TILES:
                if self.middle[tile] and not self._closed():
                    moves += [f"take {tile}@{cell}" for cell in cells_for(board, tile)]
        return sorted(set(moves))

    def move(self, seat: int, text: str) -> None:
        if text not in self.legal(seat):
            raise Wrong(f"not legal: {text!r}")
        self.listed = {}
        if self.phase == "lay":
            for word in text.split(" "):
                tile, cell = word.split("@")
                self.boards[seat][cell] = int(tile)
            del self.dealt[seat]
            if not self.dealt:
                self.receiver = 0
                self.phase = "deal" if len(self.boards[0]) < 4 else "turn"
        elif text == "draw":
            self.phase = "reveal"
        elif text == "leave":
            self.middle[self.in_hand] += 1
            self._end_turn(again=False, revealed=True)
        else:
            tile, cell = text.removeprefix("take ").split("@")
            if text.startswith("take "):
                self.middle[int(tile)] -= 1
            self._lay(int(tile), cell, revealed=not text.startswith("take "))

    def _lay(self, tile: int, cell: str, revealed: bool) -> None:
        board = self.boards[self.seat]
        if cell in board:
            self.middle[board[cell]] += 1  # rule 3
        board[cell] = tile
        if len(board) == 16:
            self._end_game("board full", [self.seat])  # rule 5
        else:
            self._end_turn(again=self.bruno and equal_neighbour(board, cell), revealed=revealed)

    def _end_turn(self, again: bool, revealed: bool) -> None:
        self.quiet = 0 if revealed else self.quiet + 1
        if not +self.stock:  # rule 5
            most = max(len(board) for board in self.boards)
            self._end_game("stock empty", [s for s in range(self.players) if len(self.boards[s]) == most])
            return
        if not again:
            self.seat = (self.seat + 1) % self.players
        self.phase = "turn"

    # ---- the end

    def _end_game(self, reason: str, winners: list[int]) -> None:
        self.played += 1
        self.reason = "series over" if self.series else reason
        self.winners = winners
        for seat, board in enumerate(self.boards):
            self.match[seat] += 2 if seat in winners else len(board) - 16  # rule 6
        if self.played < self.games:
            self._lay_out()
        else:
            self.phase = "over"

    def outcome(self) -> dict[str, Any] | None:
        if self.phase != "over":
            return None
        if not self.series:
            scores = [len(board) for board in self.boards]
            return {"scores": scores, "winners": self.winners, "reason": self.reason}
        winners = [seat for seat in range(self.players) if self.match[seat] == max(self.match)]
        return {"scores": self.match, "winners": winners, "reason": self.reason}

    # ---- playing alone

    def roll(self, chooser: random.Random) -> dict[str, Any]:
        if self.phase == "first":
            return {"chance": f"first {chooser.choice(self._starters())}"}
        tiles = sorted(self.stock.elements())
        if self.phase == "reveal":
            return {"chance": f"reveal {chooser.choice(tiles)}"}
        if self.setup == "sorted":
            tiles = sorted(set(tiles))
        some = sorted(chooser.sample(tiles, 1 if self.setup == "one-by-one" else 4))
        return {"chance": "deal " + " ".join(str(tile) for tile in some), "player": self.receiver}

    def pick(self, seat: int, chooser: random.Random) -> str:
        """Any legal move; by the game's temper likes to draw, to leave, to exchange, or a second turn."""
        if self.temper is None:
            self.temper = {
                "draw": chooser.choice((0.0, 0.1, 0.5, 1.0)),
                "leave": chooser.choice((0.0, 0.2, 0.8)),
                "exchange": chooser.choice((0.1, 0.5, 1.0)),
            }
        moves = self.legal(seat)
        if self.phase == "lay":
            return chooser.choice(moves)
        away = "draw" if self.phase == "turn" else "leave"
        board = self.boards[seat]
        lays = [move for move in moves if "@" in move]
        again = [move for move in lays if self._would_repeat(board, move)]
        if self.bruno and again and chooser.random() < 0.5:
            return chooser.choice(again)
        if not lays or chooser.random() < self.temper[away]:
            return away
        exchanges = [move for move in lays if move[-2:] in board]
        free = [move for move in lays if move not in exchanges]
        return chooser.choice(exchanges if not free or (exchanges and self._fond(chooser)) else free)

    def _fond(self, chooser: random.Random) -> bool:
        assert self.temper is not None
        return chooser.random() < self.temper["exchange"]

    def _would_repeat(self, board: Board, text: str) -> bool:
        tile, cell = text.removeprefix("take ").split("@")
        return equal_neighbour({**board, cell: int(tile)}, cell)


def make(players: int, options: Mapping[str, Any]) -> FiveToTwelve:
    return FiveToTwelve(players, options)


def _all(seeds: Iterable[str], plays: Iterable[str] = ("random",)) -> list[Case]:
    """All seat counts with all combinations of options."""
    cases = []
    for players, setup, series, bruno, first in product(
        (2, 3, 4), ("one-by-one", "free", "sorted"), (False, True), (False, True), ("random", "host")
    ):
        given = {"setup": setup, "series": series, "bruno": bruno, "first": first}
        default = {"setup": "one-by-one", "series": False, "bruno": False, "first": "random"}
        options = tuple((name, value) for name, value in given.items() if value != default[name])
        cases += [Case(GAME, players, seed, options, play) for seed in seeds for play in plays]
    return cases


def _some(seeds: Iterable[str]) -> list[Case]:
    """All combinations of options, each with one seat count."""
    cases = _all(seeds)
    by_options: dict[tuple[tuple[str, Any], ...], list[Case]] = {}
    for case in cases:
        by_options.setdefault(case.options, []).append(case)
    return [some[number % len(some)] for number, some in enumerate(by_options.values())]


PLAYED = _some(["a"])
PLAYED_LONG = _all(["b"]) + _all(["e"], ["computer"])[::5]
OUTSIDE = _some(["o"])
OUTSIDE_LONG = _all(["p"])
DAMAGED = [case for case in _some(["x"]) if ("series", True) not in case.options][::2]
DAMAGED_LONG = _some(["y"])
