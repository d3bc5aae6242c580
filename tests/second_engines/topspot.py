"""Top Spot, slowly: every rule as the page says it, numbered as there. A stack: cards, top first."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tests.second_engines.common import Case, Wrong

GAME = "topspot"
COLOURS = "RYGBP"
JOKER = "*"
GRIDS = {
    "A": "O.O/OO@/OOO",
    "B": "OO./.OO/@OO",
    "C": "O@./OO@/OOO",
    "D": "..O/OOO/O@@",
    "E": "O.O/@../@OO",
    "F": ".O@/.O@/O@O",
    "G": "O.@/@.O/.@O",
    "H": "@../.@@/OOO",
    "I": "@O./.@O/O@@",
    "J": "@@./O@./O.@",
    "K": "O.@/@@./@O@",
    "L": ".@./@.@/.@@",
    JOKER: "O.O/O.O/O.O",
}
Stack = tuple[str, ...]


def value(stack: Stack) -> int:
    """Rule 2: spots of the top card, and of others through holes that are open in every card above."""
    return _value("".join(card[-1] for card in stack))  # no colour counts


@functools.cache
def _value(pictures: str) -> int:
    visible = 0
    for place in range(len(GRIDS["A"])):
        column = [GRIDS[picture][place] for picture in pictures]
        seen = [mark for mark in column if mark != "O"][:1]
        visible += seen == ["@"]
    return visible


def every_card_matters(stack: Stack) -> bool:
    """Rule 3, and rule 9: under a joker it holds for the cards below."""
    return all(
        value(stack[:place] + stack[place + 1 :]) < value(stack)
        for place, card in enumerate(stack)
        if card != JOKER
    )


def legal_stacks(cards: Sequence[str], start: Stack = ()) -> Iterator[Stack]:
    """All playable stacks of coloured cards below a start; ruling: every start of such a stack is one too."""
    for card in cards:
        longer = (*start, card)
        if card not in start and every_card_matters(longer):
            yield longer
            yield from legal_stacks(cards, longer)


@functools.lru_cache(4096)  # one position is looked at in many damaged records
def stack_texts(cards: Stack, start: Stack = ()) -> frozenset[str]:
    """Ruling: orders of the same cards with the same value are one move, the smallest text."""
    texts: dict[tuple[frozenset[str], int], list[str]] = {}
    for stack in legal_stacks(cards, start):
        texts.setdefault((frozenset(stack), value(stack)), []).append("+".join(stack))
    return frozenset(min(same) for same in texts.values())


class TopSpot:
    """One match, from its set-up on."""

    def __init__(self, players: int, options: Mapping[str, Any]) -> None:
        if set(options) - {"games", "level", "joker_each"} or not 3 <= players <= 5:
            raise Wrong("option or seat count")
        level, joker_each = options.get("level", "junior"), options.get("joker_each", False)
        games = options.get("games", players)
        if level not in ("junior", "expert") or type(joker_each) is not bool or type(games) is not int:
            raise Wrong("an option's value")
        if games < 1 or games % players or (joker_each and level == "junior"):
            raise Wrong("games is a multiple of the seats; joker_each is for experts")
        self.players, self.games, self.joker_each = players, games, joker_each
        self.expert = level == "expert"
        self.colours = COLOURS[:players]
        self.points = [0] * players  # of the match
        self.played = 0  # games that are over
        self.phase = "dealer"  # dealer, deal, turn, over
        self.dealer = -1
        self.hands: list[list[str]] = [[] for _ in range(players)]
        self.temper = ""  # of `pick`

    def _shuffle(self) -> None:
        """Everything undealt again."""
        self.deck = [colour + letter for colour in self.colours for letter in GRIDS if letter != JOKER]
        self.deck += [JOKER] * (self.players if self.expert else 0)
        self.hands = [[] for _ in range(self.players)]
        self.receiver = 0
        self.last_winner: int | None = None  # in this game
        self.phase = "deal"

    # ---- what comes next

    def due(self) -> str:
        return {"dealer": "chance", "deal": "chance", "turn": "move", "over": "over"}[self.phase]

    def actors(self) -> set[int]:
        return {self.waiting[0]} if self.phase == "turn" else set()

    def _clockwise(self, seat: int) -> list[int]:
        """The seats with cards, from this one on."""
        order = [(seat + step) % self.players for step in range(self.players)]
        return [each for each in order if self.hands[each]]

    # ---- chance

    def chance(self, text: str, player: int | None) -> None:
        if self.phase == "dealer":
            if player is not None or text not in [f"dealer {seat}" for seat in range(self.players)]:
                raise Wrong("not a dealer")
            self.dealer = int(text.split(" ")[1])
            self._shuffle()
            return
        words = text.split(" ")
        cards = words[1:]
        if words[0] != "deal" or player != self.receiver or len(cards) != (13 if self.expert else 12):
            raise Wrong("unreadable, another seat's deal or a wrong number of cards")
        jokers = cards.count(JOKER)
        if cards != sorted(card for card in cards if card != JOKER) + [JOKER] * jokers:
            raise Wrong("not sorted, jokers last")
        if any(cards.count(card) > self.deck.count(card) for card in cards):
            raise Wrong("a card that is not in the deck")
        if self.joker_each and jokers != 1:
            raise Wrong("rule 13: one joker each")
        for card in cards:
            self.deck.remove(card)
        self.hands[self.receiver] = cards
        self.receiver += 1
        if self.receiver == self.players:
            self._begin_round((self.dealer + 1) % self.players)  # rule 1

    # ---- rounds

    def _begin_round(self, leader: int) -> None:
        self.leader = leader
        self._begin_plays(self._clockwise(leader))

    def _begin_plays(self, order: list[int]) -> None:
        """A round or a tie-break among these seats, the first of them leading."""
        self.phase = "turn"
        self.waiting = order
        self.listed: list[str] = []  # legal moves of who is to play, once they were asked for
        self.colour = ""  # in play
        self.plays: list[tuple[int, int]] = []  # seat and value, of those who can win, in playing order

    def legal(self, seat: int) -> list[str]:
        if not self.listed:
            self.listed = self._legal(seat)
        return self.listed

    def _legal(self, seat: int) -> list[str]:
        hand = tuple(card for card in self.hands[seat] if card != JOKER)
        under_joker = {JOKER} | stack_texts(hand, (JOKER,)) if JOKER in self.hands[seat] else set()
        if not self.colour:  # rules 1 and 10
            moves = {f"{text}:{colour}" for text in under_joker for colour in self.colours}
            for colour in self.colours:
                moves |= stack_texts(tuple(card for card in hand if card[0] == colour))
            return sorted(moves)
        following = tuple(card for card in hand if card[0] == self.colour)
        if following:  # rule 4
            return sorted(under_joker | stack_texts(following))
        return sorted(under_joker | set(hand))

    def move(self, seat: int, text: str) -> None:
        if text not in self.legal(seat):
            raise Wrong(f"not legal: {text!r}")
        cards, _, named = text.partition(":")
        stack = tuple(cards.split("+"))
        for card in stack:
            self.hands[seat].remove(card)
        self.listed = []
        if not self.colour:
            self.colour = named or stack[0][0]
        if stack[0] == JOKER or stack[0][0] == self.colour:
            self.plays.append((seat, value(stack)))
        self.waiting = self.waiting[1:]
        if not self.waiting:
            self._end_plays()

    def _end_plays(self) -> None:
        best = max(worth for _, worth in self.plays)
        tied = [seat for seat, worth in self.plays if worth == best]
        if len(tied) == 1 or not self.expert:
            self._point(tied[0])  # rules 5 and 6
            return
        able = [seat for seat in tied if self.hands[seat]]  # rule 11 and its ruling
        if len(able) > 1:
            self._begin_plays(able)
        elif able:
            self._point(able[0])
        else:
            self._nobody_scores()

    def _point(self, winner: int) -> None:
        self.points[winner] += 1
        self.last_winner = winner
        if not self.hands[winner]:  # rules 7 and 12
            self._end_game()
        elif self._clockwise(winner) == [winner]:
            self.points[winner] += len(self.hands[winner])
            self._end_game()
        else:
            self._begin_round(winner)

    def _nobody_scores(self) -> None:
        before = self.leader if self.last_winner is None else self.last_winner
        if any(self.hands):
            self._begin_round(self._clockwise(before)[0])
        else:
            self._end_game()  # rule 12

    def _end_game(self) -> None:
        self.played += 1
        if self.played == self.games:
            self.phase = "over"
        else:
            self.dealer = (self.dealer + 1) % self.players  # rule 8
            self._shuffle()

    def outcome(self) -> dict[str, Any] | None:
        if self.phase != "over":
            return None
        winners = [seat for seat in range(self.players) if self.points[seat] == max(self.points)]
        return {"scores": list(self.points), "winners": winners, "reason": "match over"}

    # ---- playing alone

    def roll(self, chooser: random.Random) -> dict[str, Any]:
        if self.phase == "dealer":
            return {"chance": f"dealer {chooser.randrange(self.players)}"}
        coloured = [card for card in self.deck if card != JOKER]
        if self.joker_each:
            cards = [*chooser.sample(coloured, 12), JOKER]
        else:
            cards = chooser.sample(self.deck, 13 if self.expert else 12)
        cards.sort(key=lambda card: (card == JOKER, card))
        return {"chance": "deal " + " ".join(cards), "player": self.receiver}

    def pick(self, seat: int, chooser: random.Random) -> str:
        """Any legal move; by the game's temper ties where it can, plays many cards, or few."""
        if not self.temper or chooser.random() < 0.02:
            self.temper = chooser.choice(("tie", "tie many", "many", "few", "any"))
        moves = self.legal(seat)
        if "tie" in self.temper and self.plays and chooser.random() < 0.9:
            best = max(worth for _, worth in self.plays)
            moves = [move for move in moves if self._worth(move) == best] or moves
        if "many" in self.temper and chooser.random() < 0.8:
            moves = [move for move in moves if len(move) == max(len(other) for other in moves)]
        if self.temper == "few" and chooser.random() < 0.8:
            moves = [move for move in moves if "+" not in move]
        return chooser.choice(moves)

    def _worth(self, text: str) -> int | None:
        stack = tuple(text.split("+"))
        return value(stack) if stack[0] == JOKER or stack[0][0] == self.colour else None


def make(players: int, options: Mapping[str, Any]) -> TopSpot:
    return TopSpot(players, options)


OPTIONS: tuple[tuple[tuple[str, Any], ...], ...] = (
    (),
    (("level", "expert"),),
    (("level", "expert"), ("joker_each", True)),
)


def _all(seeds: Iterable[str], plays: Iterable[str] = ("random",), twice: bool = False) -> list[Case]:
    """All seat counts with all options; twice: also with two games per player."""
    return [
        Case(GAME, players, seed, options + more, play)
        for players in (3, 4, 5)
        for options in OPTIONS
        for more in (((), (("games", 2 * players),)) if twice else ((),))
        for seed in seeds
        for play in plays
    ]


PLAYED = _all(["a"])
PLAYED_LONG = _all(["b"], twice=True) + _all(["e"], ["computer"])
OUTSIDE = _all(["o"])
OUTSIDE_LONG = _all(["p", "q"], twice=True)
DAMAGED = _all(["x"])[::4]  # each option with another seat count
DAMAGED_LONG = _all(["y"])
