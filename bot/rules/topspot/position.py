"""What makes up one position of a match, and simple questions about it; how it goes on is told in `state.py`.

Hands are masks of cards and numbers of jokers (see `cards.py`), colours are numbers, seats are numbers with
-1 for none.
"""

from __future__ import annotations

from typing import Final

from ..game import OptionValue
from .view import Play, RoundResult

PHASES: Final = ("dealer", "deal", "play", "over")


class Position:
    """The facts of one position.

    stage: one of `PHASES`; in the first two chance is due. game_number: from 1. dealer: of this game.
    previous: points of the game before, () in the first. totals: of the finished games, by seat. last: the
    round before, also of the game before.

    Of this game: dealt: how many seats have their hand; hands, jokers: by seat; gone, gone_jokers: cards
    played; points: by seat; void: by seat, bit mask of colours shown to be lacking; round_number: from 1,
    0 before the first; round_leader: of the round, not of its tie-breaks; last_winner: of a point.

    Of this round: tiebreak: 0, or the how-manyth tie-break it is; order: its seats, the leader first;
    colour: in play, -1 before the lead; plays: so far.
    """

    __slots__ = (
        "colour",
        "dealer",
        "dealt",
        "expert",
        "game_number",
        "games",
        "gone",
        "gone_jokers",
        "hands",
        "jokers",
        "last",
        "last_winner",
        "options",
        "order",
        "players",
        "plays",
        "points",
        "previous",
        "round_leader",
        "round_number",
        "stage",
        "tiebreak",
        "totals",
        "void",
    )

    def __init__(self, players: int, options: dict[str, OptionValue]) -> None:
        self.players = players
        self.options = options
        self.expert = options["level"] == "expert"
        self.games = int(options["games"] or 0)
        self.stage = "dealer"
        self.game_number = 1
        self.dealer = -1
        self.previous: tuple[int, ...] = ()
        self.totals = [0] * players
        self.last: RoundResult | None = None
        self.gather_cards()

    def gather_cards(self) -> None:
        """No cards out: before the deal of a game."""
        players = self.players
        self.dealt = 0
        self.hands = [0] * players
        self.jokers = [0] * players
        self.gone = 0
        self.gone_jokers = 0
        self.points = [0] * players
        self.void = [0] * players
        self.round_number = 0
        self.round_leader = -1
        self.last_winner = -1
        self.seat_round(0, ())

    def seat_round(self, tiebreak: int, order: tuple[int, ...]) -> None:
        """A round or tie-break round of these seats, nothing played yet; of none, no round."""
        self.tiebreak = tiebreak
        self.order = order
        self.colour = -1
        self.plays: list[Play] = []

    @property
    def hand_size(self) -> int:
        """Cards that each seat is dealt."""
        return 13 if self.expert else 12

    def undealt(self) -> int:
        """Mask of the coloured cards that no hand holds; while hands are dealt."""
        rest = (1 << 12 * self.players) - 1
        for hand in self.hands:
            rest &= ~hand
        return rest

    def undealt_jokers(self) -> int:
        """How many jokers no hand holds; while hands are dealt."""
        return (self.players if self.expert else 0) - sum(self.jokers)

    def has_cards(self, seat: int) -> bool:
        return bool(self.hands[seat] or self.jokers[seat])

    def cards_left(self, seat: int) -> int:
        return self.hands[seat].bit_count() + self.jokers[seat]

    def with_cards(self, first: int) -> tuple[int, ...]:
        """The seats that have cards, clockwise from `first`."""
        seats = [(first + step) % self.players for step in range(self.players)]
        return tuple([seat for seat in seats if self.has_cards(seat)])
