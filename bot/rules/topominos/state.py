"""How a game of Topominos goes on: what is due, what a lay, an end and a pass do, and when a game and the
match are over. Rule numbers are those of the game's page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..chance import Generator
from ..errors import Impossible
from ..game import JSON, Event, Outcome, State
from .drawing import drawn
from .faults import faults
from .legality import Choice
from .notation import LAY_TEXTS, End, Lay, Move, Pass, read, redacted
from .pieces import FULL, ID, MASKS, NAMES, SET, dots_on, rack_size
from .position import Position, leaders
from .stored import written
from .view import LastTurn, TopominosView

PASSED_ROUNDS: Final = 3  # ruling: so many full rounds of passes end the game


class TopominosState(Position, State[TopominosView]):
    """One position, with what leads on from it."""

    __slots__ = ()

    def __str__(self) -> str:
        return drawn(self.view(None))

    # who and what is due

    def actors(self) -> tuple[int, ...]:
        return (self.seat,) if self.stage == "turn" else ()

    def turn(self) -> int:
        """The events before it. A rack that was drawn to in a turn was full at its start, since the bag held
        pieces then."""
        added = max(0, len(self.racks[self.seat]) + len(self.laid) - rack_size(self.players))
        return self.count - len(self.laid) - added

    def chance_due(self) -> bool:
        return self.stage not in ("turn", "over")

    def next_chance(self) -> tuple[str, int | None]:
        return ("lots", None) if self.stage == "lots" else ("draw", self.seat)

    def outcome(self) -> Outcome | None:
        return self.result

    def _due(self) -> int:
        """How many pieces the draw that is due brings."""
        match self.stage:
            case "rack":
                return 1
            case "swap":
                return len(self.aside)
            case _:
                return self.missing()

    def draw(self, chance: Generator) -> Event:
        if not self.chance_due():
            raise ValueError("no chance is due")
        if self.stage == "lots":
            pieces = iter(chance.sample(self.bag, len(self.tied)))
            names = [next(pieces) if seat in self.tied else "-" for seat in range(self.players)]
            return Event("chance", "lots " + " ".join(names))
        names = sorted(chance.sample(self.bag, self._due()))
        return Event("chance", "draw " + " ".join(names), self.seat)

    # chance

    def play_chance(self, kind: str, result: tuple[str, ...]) -> None:
        if kind == "lots":
            self._lots(result)
        else:
            self._draw(result)
        self.count += 1

    def _take(self, names: Sequence[str]) -> list[str]:
        """The bag without these pieces. Raises Impossible where they are not in it."""
        rest = self.bag.copy()
        for name in names:
            if name not in rest:
                raise Impossible("not_in_bag", game=ID, rule="1", piece=name)
            rest.remove(name)
        return rest

    def _lots(self, names: tuple[str, ...]) -> None:
        """Rule 2: everyone (or everyone tied) draws one piece."""
        if (
            tuple(seat for seat, name in enumerate(names) if name != "-") != self.tied
            or len(names) != self.players
        ):
            raise Impossible("lots_seats", game=ID, rule="2")
        self.bag = self._take([names[seat] for seat in self.tied])
        self.lots.append(names)
        most = max(len(names[seat]) for seat in self.tied)
        self.tied = tuple(seat for seat in self.tied if len(names[seat]) == most)
        if len(self.tied) == 1:
            self.first = self.tied[0]
            self._deal()
        elif len(self.bag) < len(self.tied):
            self.bag = list(SET)  # the ties have emptied the bag: it is filled again for the next draw

    def _deal(self) -> None:
        self.lay_out()
        self.stage, self.seat = "deal", 0

    def _draw(self, names: tuple[str, ...]) -> None:
        if len(names) != self._due():
            raise Impossible("draw_count", game=ID, rule="8", count=self._due())
        self.bag = self._take(names)
        self.racks[self.seat] = sorted([*self.racks[self.seat], *names])
        match self.stage:
            case "deal":
                if self.seat + 1 < self.players:
                    self.seat += 1
                else:
                    self.stage, self.seat = "turn", self.first
            case "rack":
                self.stage = "turn"
            case "swap":
                self.bag = sorted(self.bag + self.aside)
                self.aside = []
                self._refill()
            case _:
                self._next_seat()

    # moves

    def choice(self, seat: int) -> Choice:
        """Made from the position itself: by way of a view, random games take twice as long."""
        return Choice(
            tuple(self.racks[seat]),
            len(self.bag),
            tuple(self.fills),
            self.mode,
            self.start,
            bool(self.laid),
        )

    def read(self, seat: int, text: str) -> str:
        return read(text)

    def play(self, seat: int, move: Move) -> None:
        match move:
            case Lay(dots, cell):
                self._lay(dots, cell)
            case End():
                self._end_turn()
            case Pass(swapped):
                self._pass(swapped)
        self.count += 1

    def _lay(self, dots: str, cell: int) -> None:
        rack = self.racks[self.seat]
        rack.remove(NAMES[dots])
        if self.mode == "open":
            self.mode = "add" if self.fills[cell] else "start"
            self.start = -1 if self.fills[cell] else cell
        self.laid += (LAY_TEXTS[cell][dots],)
        self.stacks[cell] += (dots,)
        self.fills[cell] |= MASKS[dots]
        self.touched |= 1 << cell
        if self.fills[cell] == FULL:  # rule 5
            self.points[self.seat] += 9
            self.nines += 1
            self.gone = sorted(self.gone + [NAMES[laid] for laid in self.stacks[cell]])
            self.stacks[cell], self.fills[cell] = (), 0
            self.touched &= ~(1 << cell)
            self.mode, self.start = "open", -1
        if not rack and self.bag:  # rule 7
            self.stage = "rack"

    def _end_turn(self) -> None:
        scored = sum(self.fills[cell].bit_count() for cell in range(9) if self.touched >> cell & 1)
        self.points[self.seat] += scored  # rule 6
        self.last = LastTurn(self.seat, self.laid, self.nines, 9 * self.nines + scored)
        self.passes = 0
        self.clear_turn()
        self._refill()

    def _pass(self, swapped: tuple[str, ...]) -> None:
        self.passes += 1
        text = " ".join(["swap", *("?" for _ in swapped)]) if swapped else "pass"
        self.last = LastTurn(self.seat, (text,), 0, 0)
        if not swapped:
            self._refill()
            return
        for name in swapped:
            self.racks[self.seat].remove(name)
        self.aside = list(swapped)
        self.stage = "swap"

    # ends of a turn, a game and the match

    def _refill(self) -> None:
        """Rule 8."""
        self.stage = "refill"
        if not self.missing():
            self._next_seat()

    def _next_seat(self) -> None:
        """The end checks after a turn (rule 9 and rulings), then the next turn."""
        following = (self.seat + 1) % self.players
        complete = following == self.first
        if complete and not self.bag and not all(self.racks):
            self._end_game("rack empty")
        elif complete and self.passes >= PASSED_ROUNDS * self.players:
            self._end_game("all passed")
        elif (complete or not self.finishes_rounds()) and not self.can_lay():
            self._end_game("nobody can lay")
        else:
            self.stage, self.seat = "turn", following

    def _end_game(self, reason: str) -> None:
        self.left = tuple(map(tuple, self.racks))
        result = tuple(won - dots_on(rack) for won, rack in zip(self.points, self.racks, strict=True))
        self.points = list(result)
        self.games.append(result)
        totals = tuple(map(sum, zip(*self.games, strict=True)))
        target = self.options["target"]
        if len(self.games) >= self.most_games() or (isinstance(target, int) and max(totals) >= target):
            self.stage = "over"
            self.result = Outcome(totals, leaders(totals), reason)
            self.clear_turn()
            return
        winners = leaders(result)  # rule 10
        self.first = next(
            seat for step in range(self.players) if (seat := (self.first + step) % self.players) in winners
        )
        self._deal()

    # seeing

    def view(self, seat: int | None) -> TopominosView:
        dealt = self.stage not in ("lots", "deal")
        return TopominosView(
            seat=seat,
            players=self.players,
            options=tuple(sorted(self.options.items())),
            actors=self.actors(),
            outcome=self.result,
            scores=self.totals(),
            phase=self.stage,
            game_number=len(self.games) + (self.stage != "over"),
            starter=None if self.first < 0 else self.first,
            turn=self.seat if dealt and self.stage != "over" else None,
            board=tuple(self.stacks),
            rack=() if seat is None else tuple(self.racks[seat]),
            racks=tuple(map(len, self.racks)),
            bag=len(self.bag),
            gone=tuple(self.gone),
            mode=self.mode,
            start=self.start_cell,
            laid=self.laid,
            touched=self.touched_cells,
            nines=self.nines,
            turn_points=9 * self.nines,
            last=self.last,
            passes=self.passes,
            lots=tuple(self.lots),
            points=tuple(self.points),
            games=tuple(self.games),
            left=self.left,
            stuck=dealt and self.stage != "over" and self.finishes_rounds() and not self.can_lay(),
        )

    def redact(self, events: Sequence[Event], seat: int | None) -> list[Event]:
        # what the last racks of a game were is in the view: they are laid open and counted. How they came
        # about stays hidden until the match is over
        return list(events) if self.result is not None else [redacted(event, seat) for event in events]

    # stored, copied and judged

    def to_json(self) -> dict[str, JSON]:
        return written(self)

    def clone(self) -> TopominosState:
        twin = self.copied(Position.__slots__)
        twin.racks = [list(rack) for rack in self.racks]
        return twin

    def faults(self) -> list[str]:
        return faults(self)
