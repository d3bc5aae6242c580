"""A quick game of Top Spot, on small integers: from any position to its end, all seats by the same policy.

Who plays weighs each stack by the chance that it stays the highest, from what the others hold of the colour
together (which that seat could count: all cards but its own and those that are gone), and by what is worth
then to have so many cards left. Nobody looks at a single other's hand.
"""

from __future__ import annotations

from typing import NamedTuple

from bot.rules.topspot.cards import SUIT

from .judge import SINGLE, TIE, TOP, Judge, crowd, gathered, union

LOW = -99.0


class Move(NamedTuple):
    """A play. used: cards as a mask, without the joker. value: -1 where it does not matter. colour: in play,
    where this one leads. worth: what the policy gives it, in points."""

    used: int
    joker: bool
    value: int
    colour: int
    worth: float


class Playout:
    """One game under way. hands are masks, a play is (seat, value), the value being -1 of one that cannot
    win."""

    __slots__ = (
        "alive", "best", "colour", "counts", "expert", "hands", "jokers", "judge", "left", "loose", "order",
        "players", "plays", "points", "rivals", "won",
    )  # fmt: skip

    def __init__(self, judge: Judge, expert: bool, hands: list[int], jokers: list[int], leader: int) -> None:
        self.judge = judge
        self.players = judge.players
        self.expert = expert
        self.hands = hands
        self.jokers = jokers
        self.points = [0] * self.players
        self.won = leader
        self.colour = self.best = -1
        self.plays: list[tuple[int, int]] = []
        self.order: list[int] = []
        self.count()
        self.open(leader)

    def count(self) -> None:
        """What is kept beside the hands: numbers of cards, all cards there are in hands, jokers there."""
        self.counts = [hand.bit_count() + more for hand, more in zip(self.hands, self.jokers, strict=True)]
        self.left = sum(self.counts)
        self.loose = sum(self.jokers)
        self.alive = 0
        for hand in self.hands:
            self.alive |= hand
        self.rivals = max(1, sum([count > 0 for count in self.counts]) - 1)

    def copy(self) -> Playout:
        twin = Playout.__new__(Playout)
        twin.judge, twin.players, twin.expert = self.judge, self.players, self.expert
        twin.hands, twin.jokers, twin.points = self.hands.copy(), self.jokers.copy(), self.points.copy()
        twin.counts, twin.left, twin.loose, twin.alive = self.counts.copy(), self.left, self.loose, self.alive
        twin.rivals, twin.won, twin.colour, twin.best = self.rivals, self.won, self.colour, self.best
        twin.order, twin.plays = self.order, self.plays.copy()
        return twin

    # how a game goes on (rules 4 to 7, 11 and 12)

    def play(self, move: Move) -> bool:
        """One play of whoever is to play; whether the game goes on."""
        self.lay(move)
        return len(self.plays) < len(self.order) or self.settle()

    def lay(self, move: Move) -> None:
        """One play, with nothing yet of what comes of a round."""
        seat = self.order[len(self.plays)]
        used, joker, value, colour, _ = move
        if not self.plays:
            self.colour = colour
        if not joker and not used >> 12 * self.colour & SUIT:
            value = -1
        spent = used.bit_count() + joker
        self.hands[seat] ^= used
        self.alive ^= used
        self.jokers[seat] -= joker
        self.loose -= joker
        self.counts[seat] -= spent
        self.left -= spent
        self.plays.append((seat, value))
        self.best = max(self.best, value)

    def settle(self) -> bool:
        tied = [seat for seat, value in self.plays if value == self.best]
        if self.expert and len(tied) > 1:
            tied = [seat for seat in tied if self.counts[seat]]
            if len(tied) > 1:
                self.order = tied
                self.plays = []
                self.best = -1
                return True
        if not tied:
            return self.open(self.won)
        winner = tied[0]
        self.points[winner] += 1
        self.won = winner
        mine = self.counts[winner]
        if not mine:
            return False
        if mine == self.left:
            self.points[winner] += mine
            return False
        return self.open(winner)

    def open(self, leader: int) -> bool:
        counts = self.counts
        self.order = [seat for seat in (*range(leader, self.players), *range(leader)) if counts[seat]]
        self.plays = []
        self.best = -1
        self.rivals = max(1, len(self.order) - 1)
        return bool(self.order)

    def run(self) -> list[int]:
        """To the end; the points."""
        while self.play(self.given() or self.policy()):
            pass
        return self.points

    # the policy

    def standing(self, seat: int, later: int) -> int:
        """How many cards the others will have after this round, in which so many follow the seat: the most of
        one of them and their mean, rounded up, together."""
        after = self.counts.copy()
        for other in self.order[len(self.order) - later :]:
            after[other] -= 1
        after[seat] = 0
        return max(after) + (sum(after) + self.players - 2) // (self.players - 1)

    def chances(self, hand: int, colour: int, later: int) -> tuple[list[float], int]:
        """How likely each value in a colour stays the highest against so many to follow; and from which value
        on it does so surely."""
        rest = (self.alive & ~hand) >> 12 * colour & SUIT
        row = self.judge.hold[later][crowd(rest.bit_count(), self.rivals)]
        # who is tied with one before loses where there are no tie-breaks
        return row, TOP[rest] + self.expert

    def policy(self) -> Move:
        """What is played by whoever is to play."""
        at = len(self.plays)
        seat = self.order[at]
        hand = self.hands[seat]
        later = len(self.order) - at - 1
        judge = self.judge
        number = self.counts[seat]
        beside = self.standing(seat, later)
        behind = judge.behind[beside]
        ahead = judge.ahead[beside]
        if not at:
            return self._lead(seat, hand, later, behind, ahead)
        best = self.best
        colour = self.colour
        suit = hand >> 12 * colour & SUIT
        if suit:
            cost, used = judge.dump(suit)
            worth = behind[number - 1] - cost
            found = -1
            row, sure = self.chances(hand, colour, later)
            if self.loose > self.jokers[seat]:
                sure = 9
            for value, faces, cards, cost in judge.stacks(suit):
                if value <= best:
                    if value < best or not self.expert:
                        break
                    chance = TIE * (1.0 if value >= sure else row[value])
                else:
                    chance = 1.0 if value >= sure or not later else row[value]
                lost = behind[number - cards]
                gain = lost + chance * (1.0 + ahead[number - cards] - lost) - cost
                if gain > worth:
                    worth, used, found = gain, faces, value
            used <<= 12 * colour
        elif hand:
            cost, used = self._discard(hand)
            worth, found = behind[number - 1] - cost, -1
        else:
            worth, used, found = LOW, 0, -1
        if self.jokers[seat]:
            under = self._under(hand, later, number, behind, ahead)
            if under.worth > worth:
                return under
        if found < 0 and hand >> 12 * colour & SUIT:
            found = SINGLE[used >> 12 * colour]
        return Move(used, False, found, colour, worth)

    def given(self) -> Move | None:
        """What the policy plays where there is nothing to weigh, as nothing can win or one play is all there
        is: that is most of all plays. The worth is not told."""
        at = len(self.plays)
        seat = self.order[at]
        if not at or self.jokers[seat]:
            return None
        hand = self.hands[seat]
        colour = self.colour
        suit = hand >> 12 * colour & SUIT
        if not suit:
            return Move(self._discard(hand)[1], False, -1, colour, LOW)
        if TOP[suit] < self.best + (not self.expert) or not suit & suit - 1:
            _, used = self.judge.dump(suit)
            return Move(used << 12 * colour, False, SINGLE[used], colour, LOW)
        return None

    def _discard(self, hand: int) -> tuple[float, int]:
        """Cost and card (as a mask) of the one of all colours that is missed least."""
        found, card = -LOW, 0
        for colour in range(self.players):
            if suit := hand >> 12 * colour & SUIT:
                cost, face = self.judge.dump(suit)
                if cost < found:
                    found, card = cost, face << 12 * colour
        return found, card

    def weigh(self, used: int, joker: bool, value: int, colour: int) -> tuple[float, float]:
        """What the policy gives any play of whoever is to play, and the chance that it stays the highest.
        colour: in play, where this one leads."""
        at = len(self.plays)
        seat = self.order[at]
        hand = self.hands[seat]
        later = len(self.order) - at - 1
        judge = self.judge
        colour = self.colour if at else colour
        chance = 0.0
        if value >= self.best and (joker or used >> 12 * colour & SUIT):
            row, sure = self.chances(hand, colour, later)
            if joker or self.loose > self.jokers[seat]:
                sure = 9
            chance = 1.0 if value >= sure or not later else row[value]
            if value == self.best:
                chance *= TIE * self.expert
        cost = judge.joker * joker
        for each in range(self.players):
            if gone := used >> 12 * each & SUIT:
                suit = hand >> 12 * each & SUIT
                cost += judge.quality(suit) - judge.quality(suit ^ gone)
        beside = self.standing(seat, later)
        number = self.counts[seat] - used.bit_count() - joker
        lost = judge.behind[beside][number]
        return lost + chance * (1.0 + judge.ahead[beside][number] - lost) - cost, chance

    def _under(self, hand: int, later: int, number: int, behind: list[float], ahead: list[float]) -> Move:
        """The best play with a joker, where somebody has led."""
        row, _ = self.chances(hand, self.colour, later)
        best = self.best
        worth, used, found = LOW, 0, 0
        for value, faces, cards, cost in self.judge.below(union(hand)):
            chance = 1.0 if not later else row[value]
            if value <= best:
                chance *= TIE if value == best else 0.0
            lost = behind[number - cards]
            gain = lost + chance * (1.0 + ahead[number - cards] - lost) - cost
            if gain > worth:
                worth, used, found = gain, faces, value
        return Move(gathered(hand, used), True, found, self.colour, worth)

    def _lead(self, seat: int, hand: int, later: int, behind: list[float], ahead: list[float]) -> Move:
        judge = self.judge
        number = self.counts[seat]
        wild = self.loose > self.jokers[seat]
        worth, used, joker, found, named = LOW, 0, False, 0, 0
        for colour in range(self.players):
            suit = hand >> 12 * colour & SUIT
            if not suit:
                continue
            row, sure = self.chances(hand, colour, later)
            if wild:
                sure = 9
            for value, faces, cards, cost in judge.stacks(suit):
                chance = 1.0 if value >= sure else row[value]
                lost = behind[number - cards]
                gain = lost + chance * (1.0 + ahead[number - cards] - lost) - cost
                if gain > worth:
                    worth, used, found, named = gain, faces << 12 * colour, value, colour
        if self.jokers[seat]:
            colour = self._rarest(hand)
            row, _ = self.chances(hand, colour, later)
            for value, faces, cards, cost in judge.below(union(hand)):
                lost = behind[number - cards]
                gain = lost + row[value] * (1.0 + ahead[number - cards] - lost) - cost
                if gain > worth:
                    worth, used, joker, found, named = gain, faces, True, value, colour
            if joker:
                used = gathered(hand, used)
        return Move(used, joker, found, named, worth)

    def _rarest(self, hand: int) -> int:
        """The colour of which the others hold fewest."""
        rest = self.alive & ~hand
        return min(range(self.players), key=lambda colour: (rest >> 12 * colour & SUIT).bit_count())
