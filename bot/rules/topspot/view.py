"""What one seat, or a spectator, may know: the view and what is in it. Cards are texts, colours letters."""

from __future__ import annotations

from dataclasses import dataclass

from ..game import View


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a round. stack: canonical text; value: rule 2; counts: whether it is of the colour in
    play (or a joker stack) and so can win (rules 4 and 10)."""

    seat: int
    stack: str
    value: int
    counts: bool


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A round or tie-break round that is complete.

    game, round: counted from 1. tiebreak: 0 for the round itself, 1 for its first tie-break, ….
    colour: its letter. how: "won" (highest value), "tie" (a tie-break follows), "walkover" (of the tied only
    the winner had cards left; won without playing, rule 11), "nobody" (none of the tied had cards left).
    tied: the seats at the highest value where there are several. winner: None unless won. points: what the
    winner scored, the remaining cards of rule 7 included. ends_game: whether the game ended with it.
    """

    game: int
    round: int
    tiebreak: int
    colour: str
    plays: tuple[Play, ...]
    how: str
    tied: tuple[int, ...] = ()
    winner: int | None = None
    points: int = 0
    ends_game: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TopSpotView(View):
    """What one seat knows.

    phase: "dealer" or "deal" (chance is due), "play", "over". colours: letters of the deck.
    game_number, round_number: from 1 (round_number 0 before the deal is complete). tiebreak: 0 in a round,
    else the how-manyth tie-break of it. order: the seats of this round (the tied ones in a tie-break) in
    playing order, the leader first. colour: letter of the colour in play, "" before the lead.
    plays: of this round so far. counts: cards left by seat. points: of this game, totals: of the
    finished games, by seat. last: the round before, also of the game before. previous: points of the
    game before, () in the first. gone: cards played in this game. void: by seat, letters of the colours that
    seat has shown not to have. hand: own cards, jokers last; () for a spectator.
    """

    phase: str
    expert: bool
    colours: str
    games: int
    game_number: int
    dealer: int | None
    round_number: int
    tiebreak: int
    order: tuple[int, ...]
    colour: str
    plays: tuple[Play, ...]
    counts: tuple[int, ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]
    last: RoundResult | None
    previous: tuple[int, ...]
    gone: tuple[str, ...]
    void: tuple[str, ...]
    hand: tuple[str, ...]

    @property
    def out(self) -> tuple[int, ...]:
        """Seats that have no card left and are skipped until the next game (rules 4 and 7)."""
        playing = range(self.players) if self.phase == "play" else ()
        return tuple([seat for seat in playing if seat not in self.order and not self.counts[seat]])

    @property
    def apart(self) -> tuple[int, ...]:
        """Seats with cards that have no part in the tie-break that is on (rule 11)."""
        others = range(self.players) if self.tiebreak and self.phase == "play" else ()
        return tuple([seat for seat in others if seat not in self.order and self.counts[seat]])
