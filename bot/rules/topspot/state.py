"""How a match goes on: who is due, deals, rounds, ties and the ends of games (rules 1, 4 to 8, 11 to 13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..chance import Generator
from ..errors import Impossible
from ..game import JSON, Event, Game, OptionValue, Outcome, State
from . import notation, stored
from .cards import CARD_TEXTS, COLOURS, JOKER, bits, card_texts, colour_letters, masked
from .drawing import drawn
from .faults import faults_of
from .legality import Choice
from .notation import Stack
from .position import Position
from .view import Play, RoundResult, TopSpotView


class TopSpotState(Position, State[TopSpotView]):
    """One position of a match."""

    __slots__ = ("game",)

    def __init__(self, game: Game[TopSpotView], players: int, options: dict[str, OptionValue]) -> None:
        super().__init__(players, options)
        self.game = game

    # who and what is due

    def actors(self) -> tuple[int, ...]:
        return (self.order[len(self.plays)],) if self.stage == "play" else ()

    def turn(self) -> int:
        """By game, then by the cards played in it."""
        cards = 13 * self.players
        return self.game_number * (cards + 1) + self.gone.bit_count() + self.gone_jokers

    def chance_due(self) -> bool:
        return self.stage in ("dealer", "deal")

    def next_chance(self) -> tuple[str, int | None]:
        return ("dealer", None) if self.stage == "dealer" else ("deal", self.dealt)

    def draw(self, chance: Generator) -> Event:
        if self.stage == "dealer":
            return Event("chance", notation.dealer_text(chance.below(self.players)))
        if self.stage != "deal":
            raise ValueError("no chance is due")
        pool = [CARD_TEXTS[card] for card in bits(self.undealt())]
        if self.options["joker_each"]:
            cards = [*chance.sample(pool, 12), JOKER]
        else:
            pool += [JOKER] * self.undealt_jokers()
            cards = chance.sample(pool, self.hand_size)
        return Event("chance", notation.deal_text(cards), self.dealt)

    def outcome(self) -> Outcome | None:
        if self.stage != "over":
            return None
        best = max(self.totals)
        winners = tuple([seat for seat, total in enumerate(self.totals) if total == best])
        return Outcome(tuple(self.totals), winners, "match over")

    # moves

    def choice(self, seat: int) -> Choice:
        # twice in every move: a view takes 17 µs, and a whole move with its list 10
        colour = self.colour if self.plays else None
        return Choice(self.hands[seat], self.jokers[seat], self.players, colour, self.expert)

    def read(self, seat: int, text: str) -> str:
        return notation.read(text)

    # the deal

    def play_chance(self, kind: str, result: Any) -> None:
        if kind == "dealer":
            self._name_dealer(result)
        else:
            self._deal(result)

    def _name_dealer(self, seat: int) -> None:
        if seat >= self.players:
            raise Impossible("dealer", game="topspot")
        self.dealer = seat
        self.stage = "deal"

    def _deal(self, cards: tuple[str, ...]) -> None:
        """The next seat's hand; the last one opens the game."""
        mask, jokers = masked(cards)
        if mask.bit_count() + jokers != len(cards):
            raise Impossible("deal_card", game="topspot")
        if len(cards) != self.hand_size:
            raise Impossible("deal_count", game="topspot", n=self.hand_size)
        if mask & ~self.undealt():
            raise Impossible("deal_card", game="topspot")
        if jokers > self.undealt_jokers() or (self.options["joker_each"] and jokers != 1):
            raise Impossible("deal_joker", game="topspot")
        self.hands[self.dealt] = mask
        self.jokers[self.dealt] = jokers
        self.dealt += 1
        if self.dealt == self.players:
            self.stage = "play"
            self._open_round((self.dealer + 1) % self.players)

    # rounds

    def _open_round(self, leader: int) -> None:
        """Rule 1: everyone with cards, from the leader clockwise."""
        self.round_number += 1
        self.round_leader = leader
        self.seat_round(0, self.with_cards(leader))

    def play(self, seat: int, move: Stack) -> None:
        if not self.plays:
            top = move.cards[0]
            self.colour = top // 12 if move.named is None else move.named
        counts = bool(move.jokers or move.suits >> self.colour & 1)
        if not counts:
            self.void[seat] |= 1 << self.colour
        self.hands[seat] &= ~move.mask
        self.jokers[seat] -= move.jokers
        self.gone |= move.mask
        self.gone_jokers += move.jokers
        self.plays.append(Play(seat, move.canonical, move.value, counts))
        if len(self.plays) == len(self.order):
            self._settle()

    def _settle(self) -> None:
        """Rules 5, 6 and 11: who wins the round that is now complete."""
        best = max([play.value for play in self.plays if play.counts])
        tied = tuple([play.seat for play in self.plays if play.counts and play.value == best])
        if len(tied) == 1:
            self._win(tied[0], "won", ())
        elif not self.expert:
            self._win(tied[0], "won", tied)
        else:
            able = tuple([seat for seat in tied if self.has_cards(seat)])
            if len(able) > 1:
                self._note("tie", tied)
                self.seat_round(self.tiebreak + 1, able)
            elif able:
                self._win(able[0], "walkover", tied)
            else:
                self._nobody(tied)

    def _note(
        self, how: str, tied: tuple[int, ...], winner: int | None = None, points: int = 0, ends: bool = False
    ) -> None:
        self.last = RoundResult(
            game=self.game_number,
            round=self.round_number,
            tiebreak=self.tiebreak,
            colour=COLOURS[self.colour],
            plays=tuple(self.plays),
            how=how,
            tied=tied,
            winner=winner,
            points=points,
            ends_game=ends,
        )

    def _win(self, seat: int, how: str, tied: tuple[int, ...]) -> None:
        """Rules 5, 7 and 12."""
        left = self.cards_left(seat)
        alone = not any(self.has_cards(other) for other in range(self.players) if other != seat)
        ends = not left or alone
        points = 1 + (left if alone else 0)
        self.points[seat] += points
        self.last_winner = seat
        self._note(how, tied, seat, points, ends)
        if ends:
            self._end_game()
        else:
            self._open_round(seat)

    def _nobody(self, tied: tuple[int, ...]) -> None:
        """Rules 11 and 12: a tie that none of the tied can go on with."""
        able = self.with_cards(self.last_winner if self.last_winner >= 0 else self.round_leader)
        self._note("nobody", tied, ends=not able)
        if able:
            self._open_round(able[0])
        else:
            self._end_game()

    def _end_game(self) -> None:
        """Rule 8. The cards of the last game stay where they are."""
        self.previous = tuple(self.points)
        for seat, points in enumerate(self.points):
            self.totals[seat] += points
        if self.game_number == self.games:
            self.stage = "over"
            self.points = [0] * self.players
            self.seat_round(0, ())
        else:
            self.stage = "deal"
            self.game_number += 1
            self.dealer = (self.dealer + 1) % self.players
            self.gather_cards()

    # seeing

    def view(self, seat: int | None) -> TopSpotView:
        players = range(self.players)
        return TopSpotView(
            seat=seat,
            players=self.players,
            options=tuple(sorted(self.options.items())),
            actors=self.actors(),
            outcome=self.outcome(),
            scores=tuple([self.totals[each] + self.points[each] for each in players]),
            phase=self.stage,
            expert=self.expert,
            colours=COLOURS[: self.players],
            games=self.games,
            game_number=self.game_number,
            dealer=self.dealer if self.dealer >= 0 else None,
            round_number=self.round_number,
            tiebreak=self.tiebreak,
            order=self.order,
            colour=COLOURS[self.colour] if self.plays else "",
            plays=tuple(self.plays),
            counts=tuple([self.cards_left(each) for each in players]),
            points=tuple(self.points),
            totals=tuple(self.totals),
            last=self.last,
            previous=self.previous,
            gone=card_texts(self.gone, self.gone_jokers),
            void=tuple([colour_letters(void) for void in self.void]),
            hand=() if seat is None else card_texts(self.hands[seat], self.jokers[seat]),
        )

    def redact(self, events: Sequence[Event], seat: int | None) -> list[Event]:
        return [notation.redacted(event, seat) for event in events]

    # text and checks

    def __str__(self) -> str:
        return drawn(self.view(None))

    def to_json(self) -> dict[str, JSON]:
        return {"schema": self.game.schema, **stored.written(self)}

    def clone(self) -> TopSpotState:
        return self.copied((*Position.__slots__, "game"))

    def faults(self) -> list[str]:
        return faults_of(self)
