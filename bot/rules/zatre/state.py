"""One position of Zatre, and how it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..chance import Generator
from ..errors import Impossible
from ..game import JSON, Event, Game, OptionValue, Outcome, State
from .board import SIZE, Placement, with_tiles
from .drawing import drawn
from .faults import faults
from .layout import layout_of
from .legality import Turn, greedy_turn
from .notation import ID, draw_text, hidden_draw, lots_text, placements_text, read_turn
from .position import Position
from .scoring import gain, sheet_total
from .stored import written
from .tiles import TOTAL, VALUES
from .view import ZatreView


class ZatreState(Position, State[ZatreView]):
    """One position of a game."""

    __slots__ = ("game",)

    def __init__(self, game: Game[ZatreView], players: int, options: dict[str, OptionValue]) -> None:
        super().__init__(players, options)
        self.game = game

    def __str__(self) -> str:
        return drawn(self.view(None))

    # who and what is due

    def actors(self) -> tuple[int, ...]:
        return (self.seat,) if self.stage == "turn" else ()

    def turn(self) -> int:
        """By the tiles that have left the bag, then by those laid: what a turn does not draw it must lay
        (rule 5). One that draws and keeps all may be followed by one that draws nothing."""
        laid = SIZE - self.board.count(0)
        return 2 * ((TOTAL - sum(self.bag)) * SIZE + laid) + (not self.drawn)

    def chance_due(self) -> bool:
        return self.stage in ("lots", "draw", "blocked")

    def draw(self, chance: Generator) -> Event:
        bag = [value for value in VALUES for _ in range(self.bag[value])]
        if self.stage == "lots":
            drawn = iter(chance.sample(bag, len(self.contenders)))
            lots = (next(drawn) if seat in self.contenders else None for seat in range(self.players))
            return Event("chance", lots_text(lots))
        if not self.chance_due():
            raise ValueError("no chance is due")
        return Event("chance", draw_text(chance.sample(bag, self.due)), self.seat)

    def outcome(self) -> Outcome | None:
        if self.stage != "over":
            return None
        minus = [0] * len(self.sheets)
        for seat, hand in enumerate(self.hands):
            minus[self.sheet_of(seat)] += sum(hand)
        totals = [sheet_total(sheet.rows(), held) for sheet, held in zip(self.sheets, minus, strict=True)]
        scores = tuple(totals[self.sheet_of(seat)] for seat in range(self.players))
        best = max(scores)
        winners = tuple(seat for seat, score in enumerate(scores) if score == best)
        return Outcome(scores, winners, self.reason)

    # moves

    def choice(self, seat: int) -> Turn:
        # Not through the view, for which sheets and scores are added up: 2,600 moves a second of random play
        # that way, 3,700 this way.
        return Turn(self.board, self.hands[seat], self.must_lay, self.options["laying"] == "club")

    def lists(self, seat: int) -> bool:
        return seat not in self.actors() or self.choice(seat).listable

    def read(self, seat: int, text: str) -> str:
        return read_turn(text)

    def random_move(self, seat: int, chance: Generator) -> str:
        """Uniform over the list where there is one; else tile by tile, each step, stopping among them, being
        equally likely."""
        if self.lists(seat):
            return chance.choice(self.legal(seat))
        turn = self.choice(seat)
        laid: tuple[Placement, ...] = ()
        while True:
            steps: list[Placement | None] = list(turn.next_placements(laid))
            if turn.legal(laid):
                steps.append(None)
            if not steps:  # with many tiles held, what follows may not be seen (see `Completion`)
                return greedy_turn(turn)
            step = chance.choice(steps)
            if step is None:
                return placements_text(laid)
            laid = tuple(sorted((*laid, step)))

    # forward

    def play(self, seat: int, move: tuple[Placement, ...]) -> None:
        self.hands[seat] = self.choice(seat).rest(move)
        if move:
            self.board = bytes(with_tiles(self.board, move))
            sheet = self.sheet_of(seat)
            self.sheets[sheet] = self.sheets[sheet].with_gain(gain(self.board, [cell for cell, _ in move]))
        self.last = (*self.last, (seat, placements_text(move)))[-self.players :]
        self.drawn = ()
        following = (seat + 1) % self.players
        if not any(self.bag):
            self._end("bag empty")
        elif not layout_of(self.board).fits((1,)):
            self.seat, self.stage, self.due = following, "blocked", 1  # rule 10
        else:
            self._begin(following)

    def _begin(self, seat: int) -> None:
        """Rule 5: what the next seat draws."""
        self.seat = seat
        kept = self.hands[seat]
        fits = len(kept) >= 2 and layout_of(self.board).fits(set(kept))
        wanted = 0 if fits else max(2 - len(kept), 1)
        self.due = min(wanted, sum(self.bag))
        self.stage = "draw" if self.due else "turn"

    def _end(self, reason: str) -> None:
        self.stage, self.reason, self.due = "over", reason, 0

    def next_chance(self) -> tuple[str, int | None]:
        return ("lots", None) if self.stage == "lots" else ("draw", self.seat)

    def play_chance(self, kind: str, result: tuple[Any, ...]) -> None:
        if kind == "lots":
            self._decide_lots(result)
        else:
            self._hand_out(result)

    def _decide_lots(self, tiles: tuple[int | None, ...]) -> None:
        """Rule 1. One lot for each seat never asks for more equal tiles than there are."""
        if len(tiles) != self.players:
            raise Impossible("lots_count", game=ID, rule="1", n=self.players)
        if tuple(seat for seat, tile in enumerate(tiles) if tile is not None) != self.contenders:
            raise Impossible("lots_seats", game=ID, rule="1")
        self.lots = (*self.lots, tiles)
        best = max(tile for tile in tiles if tile is not None)
        self.contenders = tuple(seat for seat, tile in enumerate(tiles) if tile == best)
        self.seat = self.contenders[0]
        if len(self.contenders) == 1:
            self.hands[self.seat] = (best,)
            self.bag[best] -= 1
            self.stage, self.due = "draw", 2

    def _hand_out(self, tiles: tuple[int, ...]) -> None:
        if len(tiles) != self.due:
            raise Impossible("draw_count", game=ID, rule="5", n=self.due)
        for value in set(tiles):
            if tiles.count(value) > self.bag[value]:
                raise Impossible("bag", game=ID, tile=value)
        for value in tiles:
            self.bag[value] -= 1
        self.hands[self.seat] = tuple(sorted((*self.hands[self.seat], *tiles)))
        if self.stage == "draw":
            self.stage, self.due, self.drawn = "turn", 0, tiles
        elif any(self.bag):
            self.seat = (self.seat + 1) % self.players
        else:
            self._end("no tile fits")

    # seeing

    def _sees(self, viewer: int | None, seat: int) -> bool:
        """Whether `viewer` may see the tiles `seat` holds."""
        if viewer is None:
            return False
        return viewer == seat or (self.partners and viewer // 2 == seat // 2)

    def view(self, seat: int | None) -> ZatreView:
        outcome = self.outcome()
        over = outcome is not None
        standing = [sheet.total for sheet in self.sheets]
        return ZatreView(
            seat=seat,
            players=self.players,
            options=tuple(self.options.items()),
            actors=self.actors(),
            outcome=outcome,
            scores=outcome.scores
            if outcome
            else tuple(standing[self.sheet_of(player)] for player in range(self.players)),
            board=self.board,
            held=self.hands[seat] if seat is not None else (),
            hands=tuple(
                hand if over or self._sees(seat, owner) else None for owner, hand in enumerate(self.hands)
            ),
            counts=tuple(map(len, self.hands)),
            bag=sum(self.bag),
            sheets=tuple(self.sheets),
            stage=self.stage,
            turn=None if self.stage in ("lots", "over") else self.seat,
            drawn=len(self.drawn),
            fresh=self.drawn if self._sees(seat, self.seat) else (),
            must_lay=self.must_lay,
            lots=self.lots,
            last=self.last,
        )

    def redact(self, events: Sequence[Event], seat: int | None) -> list[Event]:
        return [
            Event("chance", hidden_draw(len(event.text.split()) - 1), event.player)
            if event.kind == "chance" and event.player is not None and not self._sees(seat, event.player)
            else event
            for event in events
        ]

    # text and checks

    def to_json(self) -> dict[str, JSON]:
        return {"schema": self.game.schema, **written(self)}

    def clone(self) -> ZatreState:
        return self.copied((*Position.__slots__, "game"))

    def faults(self) -> list[str]:
        return faults(self)
