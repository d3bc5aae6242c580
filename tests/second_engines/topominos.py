"""Topominos, slowly: every rule as the page says it, numbered as there. A dot set is a set of letters a-i."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations
from typing import Any

from tests.second_engines.common import Case, Wrong, drawn

GAME = "topominos"
Dots = frozenset[str]
LETTERS = "abcdefghi"  # row by row on the 3x3 grid
COMPARTMENTS = [column + row for column in "ABC" for row in "123"]


def turned(dots: Dots) -> Dots:
    """A quarter turn: row r, column c goes to row c, column 2 - r."""
    return frozenset(LETTERS[3 * (LETTERS.index(dot) % 3) + 2 - LETTERS.index(dot) // 3] for dot in dots)


def flipped(dots: Dots) -> Dots:
    """The other face: row r, column c goes to row r, column 2 - c."""
    return frozenset(LETTERS[3 * (LETTERS.index(dot) // 3) + 2 - LETTERS.index(dot) % 3] for dot in dots)


@cache
def faces(piece: str) -> frozenset[Dots]:
    """All ways a piece may show."""
    dots = frozenset(piece)
    ways = set()
    for side in (dots, flipped(dots)):
        shown = side
        for _ in range(4):
            ways.add(shown)
            shown = turned(shown)
    return frozenset(ways)


def shown_text(dots: Iterable[str]) -> str:
    return "".join(sorted(dots))


def name_of(dots: Iterable[str]) -> str:
    """The alphabetically first of the up to eight dot sets."""
    return min(shown_text(way) for way in faces(shown_text(dots)))


# The page's reconstruction: each pattern of 2, 3 and 4 dots once, each of one dot three times.
PIECES: list[str] = sorted(
    name
    for dots, times in ((1, 3), (2, 1), (3, 1), (4, 1))
    for name in {name_of(some) for some in combinations(LETTERS, dots)}
    for _ in range(times)
)
if len(PIECES) != 56 or sum(len(name) for name in PIECES) != 165:
    raise AssertionError("the page counts 56 pieces and 165 dots")


class Topominos:
    """One match, from its set-up on."""

    def __init__(self, players: int, options: Mapping[str, Any]) -> None:
        if set(options) - {"rounds", "target"} or not 1 <= players <= 4 or len(options) > 1:
            raise Wrong("option or seat count")
        if any(type(value) is not int or value < 1 for value in options.values()):
            raise Wrong("an option's value")
        self.players = players
        self.target: int | None = options.get("target")
        self.games = 20 if self.target else options.get("rounds", 1)  # rule 11 and its ruling
        self.hand = 4 if players == 4 else 5  # rule 1
        self.played = 0
        self.match = [0] * players  # points of all games that are over
        self.phase = "lots"  # lots, draw, turn, over
        self.tied = set(range(players))
        self.reason = ""
        self.temper: float | None = None  # of `pick`: how fond of passing
        self.luck: int | None = None  # of `roll`
        self._lay_out()

    def _lay_out(self) -> None:
        """All pieces back in the bag, the board empty."""
        self.bag = Counter(PIECES)
        self.racks: list[Counter[str]] = [Counter() for _ in range(self.players)]
        self.stacks: dict[str, list[Dots]] = {place: [] for place in COMPARTMENTS}
        self.points = [0] * self.players
        self.turns = 0  # turns of this game that are over
        self.passed: list[bool] = []  # by turn of this game
        self.aside: list[str] = []  # an exchange's old pieces

    # ---- what comes next

    def due(self) -> str:
        return {"lots": "chance", "draw": "chance", "turn": "move", "over": "over"}[self.phase]

    def actors(self) -> set[int]:
        return {self.seat} if self.phase == "turn" else set()

    # ---- chance

    def chance(self, text: str, player: int | None) -> None:
        words = text.split(" ")
        if self.phase == "lots":
            self._lots(words, player)
            return
        pieces = words[1:]
        if words[0] != "draw" or any(piece not in PIECES for piece in pieces) or player != self.receiver:
            raise Wrong("unreadable, or another seat draws")
        if len(pieces) != self.draw or pieces != sorted(pieces):
            raise Wrong(f"{self.draw} pieces are drawn, sorted")
        if Counter(pieces) - self.bag:
            raise Wrong("not in the bag")
        self.bag -= Counter(pieces)
        self.racks[self.receiver] += Counter(pieces)
        self.after_draw()

    def _lots(self, words: list[str], player: int | None) -> None:
        if player is not None or words[0] != "lots" or len(words) != self.players + 1:
            raise Wrong("lots are public, one for each seat")
        lots = {seat: word for seat, word in enumerate(words[1:]) if word != "-"}
        if set(lots) != self.tied or any(piece not in PIECES for piece in lots.values()):
            raise Wrong("unreadable, or not exactly those who tie draw")
        if Counter(lots.values()) - self.bag:
            raise Wrong("not in the bag")
        self.bag -= Counter(lots.values())  # rule 2: stay out until it is decided
        most = max(len(piece) for piece in lots.values())
        self.tied = {seat for seat, piece in lots.items() if len(piece) == most}
        if len(self.tied) == 1:
            (self.starter,) = self.tied
            self._deal()

    def _ask(self, seat: int, count: int, then: Any) -> None:
        """A draw of so many pieces, as far as the bag goes; what comes then. None: nothing is drawn."""
        self.receiver, self.draw, self.after_draw = seat, min(count, self.bag.total()), then
        self.phase = "draw"
        if self.draw == 0:
            then()

    def _deal(self) -> None:
        self._lay_out()
        self._deal_to(0)

    def _deal_to(self, seat: int) -> None:
        """Rule 2: hands are drawn, seat 0 first."""
        if seat < self.players:
            self._ask(seat, self.hand, lambda: self._deal_to(seat + 1))
        else:
            self._begin_turn(self.starter)

    # ---- a turn

    def _begin_turn(self, seat: int) -> None:
        self.seat = seat
        self.phase = "turn"
        self.laid_any = False
        self.choice = ""  # "": A and B are both open; A: only self.own; B: only stacks that were there
        self.own = ""
        self.there = {place for place in COMPARTMENTS if self.stacks[place]}  # before the turn
        self.added: set[str] = set()

    def _covered(self, place: str) -> set[str]:
        return {dot for dots in self.stacks[place] for dot in dots}

    def _may_take(self, place: str) -> bool:
        """Rule 4: whether this turn may still lay in a compartment, whatever the piece."""
        if self.choice == "A":
            return place == self.own
        if self.stacks[place]:
            return place in self.there
        return self.choice == ""

    def _showings(self) -> Iterator[tuple[Dots, str]]:
        for place in COMPARTMENTS:
            if self._may_take(place):
                covered = self._covered(place)
                for piece in self.racks[self.seat]:
                    for dots in faces(piece):
                        if not dots & covered:  # rule 3
                            yield dots, place

    def legal(self, seat: int) -> list[str]:
        """All moves of the acting seat: each showing of each piece; `end`, or `pass` and all exchanges."""
        moves = {f"{shown_text(dots)}@{place}" for dots, place in self._showings()}
        if self.laid_any:
            moves.add("end")
        else:
            moves.add("pass")
            rack = sorted(self.racks[seat].elements())
            for count in range(1, min(len(rack), self.bag.total()) + 1):
                moves |= {"swap " + " ".join(some) for some in combinations(rack, count)}
        return sorted(moves)

    def move(self, seat: int, text: str) -> None:
        if text not in self.legal(seat):
            raise Wrong(f"not legal: {text!r}")
        if text == "pass":
            self._end_turn(True)
        elif text == "end":
            self._end_turn(False)
        elif text.startswith("swap "):
            self.aside = text.split(" ")[1:]
            self.racks[seat] -= Counter(self.aside)
            self._ask(seat, len(self.aside), lambda: self._end_turn(True))
        else:
            shown, place = text.split("@")
            self._lay(frozenset(shown), place)

    def _lay(self, dots: Dots, place: str) -> None:
        self.racks[self.seat] -= Counter([name_of(dots)])
        self.laid_any = True
        if not self.choice:
            self.choice = "B" if self.stacks[place] else "A"
            self.own = place
        self.stacks[place].append(dots)
        self.added.add(place)
        if len(self._covered(place)) == 9:  # rule 5
            self.points[self.seat] += 9
            self.stacks[place] = []
            self.added.remove(place)
            self.there.discard(place)
            self.choice = ""
        if not self.racks[self.seat]:  # rule 7
            self._ask(self.seat, 1, self._go_on)

    def _go_on(self) -> None:
        self.phase = "turn"

    def _end_turn(self, passed: bool) -> None:
        self.bag += Counter(self.aside)  # only now: the new pieces came from the others
        self.aside = []
        self.points[self.seat] += sum(len(self._covered(place)) for place in self.added)  # rule 6
        self.added = set()
        self.turns += 1
        self.passed.append(passed)
        self._ask(self.seat, self.hand - self.racks[self.seat].total(), self._after_refill)  # rule 8

    # ---- the end

    def _after_refill(self) -> None:
        last_rounds = self.passed[-3 * self.players :]
        round_over = self.turns % self.players == 0
        if round_over and not self.bag and not all(self.racks):
            self._end_game("rack empty")
        elif round_over and self.turns >= 3 * self.players and all(last_rounds):
            self._end_game("all passed")
        elif not self._anybody_could_lay() and (round_over or not self.bag):
            self._end_game("nobody can lay")
        else:
            self._begin_turn((self.seat + 1) % self.players)

    def _anybody_could_lay(self) -> bool:
        """Rule 9: some piece on a rack or in the bag fits some compartment."""
        pieces = set(self.bag)
        for rack in self.racks:
            pieces |= set(rack)
        return any(
            not dots & covered
            for covered in map(self._covered, COMPARTMENTS)
            for piece in pieces
            for dots in faces(piece)
        )

    def _end_game(self, reason: str) -> None:
        for seat, rack in enumerate(self.racks):
            self.points[seat] -= sum(len(piece) for piece in rack.elements())
            self.match[seat] += self.points[seat]
        self.played += 1
        self.reason = reason
        if self.played == self.games or (self.target and max(self.match) >= self.target):
            self.phase = "over"
            return
        # Rule 10: the last winner starts; of several the first in seat order from the last starter.
        order = [(self.starter + step) % self.players for step in range(self.players)]
        self.starter = next(seat for seat in order if self.points[seat] == max(self.points))
        self._deal()

    def outcome(self) -> dict[str, Any] | None:
        if self.phase != "over":
            return None
        winners = [seat for seat in range(self.players) if self.match[seat] == max(self.match)]
        return {"scores": list(self.match), "winners": winners, "reason": self.reason}

    # ---- playing alone

    def roll(self, chooser: random.Random) -> dict[str, Any]:
        """Even or uneven luck: what must be possible need not be likely."""
        if self.luck is None:
            self.luck = chooser.choice((0, 0, 1, -1))
        pieces = drawn(sorted(self.bag.elements()), len, 0 if self.phase == "lots" else self.luck, chooser)
        if self.phase == "lots":
            lots = dict(zip(sorted(self.tied), pieces, strict=False))
            return {"chance": "lots " + " ".join(lots.get(seat, "-") for seat in range(self.players))}
        some = sorted(pieces[: self.draw])
        return {"chance": "draw " + " ".join(some), "player": self.receiver}

    def pick(self, seat: int, chooser: random.Random) -> str:
        """Any legal move; by the game's temper passes mostly, lays mostly, or lays where it gets a nine."""
        if self.temper is None:
            self.temper = chooser.choice((0.0, 0.0, 0.02, 0.3, 0.9))
        moves = self.legal(seat)
        lays = [move for move in moves if "@" in move]
        if not lays or chooser.random() < self.temper:
            return chooser.choice([move for move in moves if "@" not in move])
        if self.temper > 0:
            return chooser.choice(lays)
        return max(chooser.sample(lays, len(lays)), key=self._worth)

    def _worth(self, text: str) -> int:
        """How full the stack is after the move; a new stack is the last choice, unless of many dots."""
        shown, place = text.split("@")
        return len(self._covered(place)) + len(shown)


def make(players: int, options: Mapping[str, Any]) -> Topominos:
    return Topominos(players, options)


OPTIONS: tuple[tuple[tuple[str, Any], ...], ...] = (
    (),
    (("rounds", 2),),
    (("rounds", 3),),
    (("target", 1),),
    (("target", 60),),
)


def _all(seeds: Iterable[str], plays: Iterable[str] = ("random",)) -> list[Case]:
    """All seat counts with all options."""
    return [
        Case(GAME, players, seed, options, play)
        for players in range(1, 5)
        for options in OPTIONS
        for seed in seeds
        for play in plays
    ]


PLAYED = _all(["a"])
PLAYED_LONG = _all(["b", "c", "d"])
OUTSIDE = _all(["o"])
OUTSIDE_LONG = _all(["p", "q", "r", "s"])
DAMAGED = _all(["x"])[::4]
DAMAGED_LONG = _all(["y"])
