"""Games that could be, played on with quick turns by everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from random import Random

from bot.rules.zatre import VALUES, ZatreView

from ..mixing import GOLDEN, shuffle
from .grid import BARE, KIND, SIZE, Grid
from .judge import Judge
from .quick import HARM, Slots, expected, pair_odds, quick_turn
from .sheets import Counts, Wants, worth, written
from .turns import Laid

# Of what the board then gives to whoever is at turn, and to those who follow, if it were theirs; of two seats
# and of more (how these and the next were found: docs/players.md).
OF_TWO = (1.2, 0.5)
OF_MORE = (0.9, 0.4, 0.2, 0.2, 0.2, 0.2)
# For the one of two seats that is not at turn, in points, by tiles not yet laid, modulo four.
TEMPO = (2.75, 0.0, -2.75, 0.0)
SOON, FAR = 16, 56  # tiles not yet laid: with so few it counts in full, with so many not at all
ALIKE = 60  # tiles in the bag with which all other sheets count alike; with fewer the best one counts more
DEALS = 200  # of the hidden tiles, where a turn that is weighed at once ends the game (rule 10)
TO_THE_END = 5  # tiles in the bag for every seat from which on the game is played to its end
_SPOILT = 255  # in `HARM`: no dark cell that the tile fits


def to_the_end(view: ZatreView) -> bool:
    """Whether games that could be are played to their end."""
    return view.bag <= TO_THE_END * view.players


def tempo(left: int) -> float:
    """What it is worth to the one of two seats that is not at turn that so many tiles are not yet laid, in
    points. Nearly all turns lay two: so the number says, while nobody keeps any, who has the last one."""
    return TEMPO[left % 4] * min(1.0, max(0.0, (FAR - left) / (FAR - SOON)))


class Book:
    """What gains are worth to one sheet, by how many boxes and crosses it has: the points in them are those
    of the game that was there first. The bag is that of the view."""

    def __init__(self, bag: int, sheets: int) -> None:
        self._bag, self._sheets = bag, sheets
        self._known: dict[Counts, Wants] = {}

    def wants(self, rows: list[int], counts: Counts) -> Wants:
        found = self._known.get(counts)
        if found is None:
            found = self._known[counts] = Wants(rows[:], counts, self._bag, self._sheets)
        return found


def fits(grid: Grid, value: int) -> bool:
    """Rule 5's "can be laid"."""
    return grid.code.translate(KIND[value]).count(0) < SIZE


@dataclass(slots=True)
class World:
    """One game that could be. bag: in the order of drawing, the next one last. seat: whose turn begins."""

    grid: Grid
    hands: list[list[int]]
    bag: list[int]
    rows: list[list[int]]
    counts: list[Counts]
    seat: int
    sheet_of: Sequence[int]
    over: bool = False

    def turn(self, books: Sequence[Book]) -> None:
        """The seat at turn draws and lays (rule 5), and what follows from that (rule 10)."""
        hand, bag, grid = self.hands[self.seat], self.bag, self.grid
        kept = len(hand)
        must = False
        if kept < 2:
            due = 2 - kept
        else:
            must = any(fits(grid, value) for value in hand)
            due = 0 if must else 1
        for _ in range(min(due, len(bag))):
            hand.append(bag.pop())
        hand.sort()
        self.lay(books, hand, must)

    def lay(self, books: Sequence[Book], hand: list[int], must: bool) -> None:
        sheet = self.sheet_of[self.seat]
        rows, counts = self.rows[sheet], self.counts[sheet]
        had = len(hand)
        gain = quick_turn(self.grid, books[sheet].wants(rows, counts), hand)
        if gain:
            self.counts[sheet] = written(rows, counts, gain)
        if hand:
            self.drop(hand)
            if must and len(hand) == had:
                self.bare(hand)
        self.end_turn()

    def end_turn(self) -> None:
        """Rule 10."""
        if not self.bag:
            self.over = True
        elif not fits(self.grid, 1):
            seat = self.seat
            while self.bag:
                seat = (seat + 1) % len(self.hands)
                self.hands[seat].append(self.bag.pop())
            self.over = True
        self.seat = (self.seat + 1) % len(self.hands)

    def drop(self, hand: list[int]) -> None:
        """Lay what scores nothing where it harms least."""
        grid = self.grid
        for value in hand[:]:
            harms = grid.code.translate(HARM[value])
            least = min(harms)
            if least < _SPOILT:
                grid.lay(harms.find(least), value)
                hand.remove(value)

    def bare(self, hand: list[int]) -> None:
        """Rule 4's exception, where a tile must be laid and none fits a dark cell."""
        for value in hand:
            cell = self.grid.code.translate(KIND[value]).find(BARE)
            if cell >= 0:
                self.grid.lay(cell, value)
                hand.remove(value)
                return

    def standing(self) -> list[float]:
        """What each sheet is worth; its total where the game is over."""
        bag, sheets = 0 if self.over else len(self.bag), len(self.rows)
        found = [worth(*sheet, bag, sheets) for sheet in zip(self.rows, self.counts, strict=True)]
        if self.over:
            for seat, hand in enumerate(self.hands):
                found[self.sheet_of[seat]] -= sum(hand)
        return found


class ZatreTrial:
    """Turns tried out from one view, each with so many by anybody after it, or with all to the end where few
    tiles are left. won: points that winning counts in a game that comes to its end."""

    def __init__(
        self, judge: Judge, moves: Sequence[Laid], gains: Sequence[int], turns: int, won: float
    ) -> None:
        view = judge.view
        self._view = view
        self._bag = judge.unseen
        self._unseen = [value for value in VALUES for _ in range(judge.unseen[value])]
        self._sheet_of = [view.sheet_of(seat) for seat in range(view.players)]
        self._own = judge.own
        self.books = [Book(view.bag, judge.sheets) for _ in view.sheets]
        self._next = (judge.seat + 1) % view.players
        self._seen = bool(view.hands[self._next])
        self._odds = judge.odds
        self._place = -1.0
        self._two = view.players == 2
        self._won = won
        # Of the view, so that turns which end the game are measured as the others are.
        self._alike = 0.0 if to_the_end(view) else min(1.0, view.bag / ALIKE)
        # By move and tiles of the other player: what it came to.
        self._told = self._two and turns == 1 and not to_the_end(view)
        self._known: dict[tuple[int, tuple[tuple[int, ...], tuple[int, ...]]], float] = {}
        self._turns = view.bag + 1 if to_the_end(view) else turns
        self._starts: list[tuple[Grid, list[int], list[list[int]], list[Counts]]] = []
        for laid, gain in zip(moves, gains, strict=True):
            grid = judge.grid.after(laid)
            rows, counts = [list(one) for one in judge.rows], list(judge.counts)
            counts[self._own] = written(rows[self._own], counts[self._own], gain)
            self._starts.append((grid, list(judge.turn.rest(laid)), rows, counts))

    def deal(self, chance: Random) -> tuple[list[list[int]], list[int]]:
        """Hands and the bag as they could be."""
        view = self._view
        pool = self._unseen[:]
        first = self._pair(chance, pool)
        shuffle(pool, chance)
        hands: list[list[int]] = []
        for seat, (hand, count) in enumerate(zip(view.hands, view.counts, strict=True)):
            if hand is not None:
                hands.append(list(hand))
                continue
            dealt = [first.pop() for _ in range(min(count, len(first)))] if seat == self._next else []
            more = len(pool) - (count - len(dealt))
            hands.append(dealt + pool[more:])
            del pool[more:]
        return hands, pool + first

    def _pair(self, chance: Random, pool: list[int]) -> list[int]:
        """Two tiles for whoever is next, taken from `pool`: over the worlds each pair comes about as often as
        is likely. None where some of its tiles are seen."""
        if self._seen or len(pool) < 2:
            return []
        if self._place < 0:
            self._place = chance.random()
        self._place = (self._place + GOLDEN) % 1.0
        rest = self._place
        low, high, _ = self._odds[-1]
        for one, other, odds in self._odds:
            rest -= odds
            if rest < 0:
                low, high = one, other
                break
        pool.remove(low)
        pool.remove(high)
        return [low, high] if chance.random() < 0.5 else [high, low]

    def begin(self, move: int, hands: Sequence[Sequence[int]], bag: Sequence[int]) -> World:
        """The game that could be, after this move."""
        grid, kept, rows, counts = self._starts[move]
        seat = self._view.seat
        assert seat is not None
        dealt = [list(hand) for hand in hands]
        dealt[seat] = kept[:]
        written_on = [one[:] for one in rows]
        world = World(grid.copy(), dealt, list(bag), written_on, counts[:], seat, self._sheet_of)
        world.end_turn()
        return world

    def at_once(self) -> list[float]:
        """What each move comes to before anybody else has played, by what the board gives then."""
        hands = [list(hand or ()) for hand in self._view.hands]
        chance = Random(0)  # the same each time: what a move comes to is of the view alone
        deals: list[tuple[list[list[int]], list[int]]] = []
        found = []
        for move in range(len(self._starts)):
            # What is hidden in others' hands is as good as in the bag: nobody draws, unless it is over.
            world = self.begin(move, hands, self._unseen)
            if world.over:
                deals = deals or [self.deal(chance) for _ in range(DEALS)]
                found.append(fsum(self._lead(self.begin(move, *dealt)) for dealt in deals) / DEALS)
            else:
                found.append(self._lead(world))
        return found

    def world(self, kept: Sequence[int], chance: Random) -> Sequence[float]:
        hands, bag = self.deal(chance)
        if not self._told:
            return [self._lead(self._played(move, hands, bag)) for move in kept]
        # Nothing but the tiles of the one other player makes a difference, unless the bag is dealt round:
        # those held, and those that may be drawn. Who holds two draws only where none of them fits (rule 5).
        hand = hands[self._next]
        drawn = tuple(bag[-max(1, 2 - len(hand)) :])
        other = (tuple(sorted(hand)), drawn) if len(hand) >= 2 else (tuple(sorted((*hand, *drawn))), ())
        found = []
        for move in kept:
            lead = self._known.get((move, other))
            if lead is None:
                world = self._played(move, hands, bag)
                lead = self._lead(world)
                if not world.over:
                    self._known[move, other] = lead
            found.append(lead)
        return found

    def _played(self, move: int, hands: Sequence[Sequence[int]], bag: Sequence[int]) -> World:
        world = self.begin(move, hands, bag)
        turns = self._turns
        while turns and not world.over:
            world.turn(self.books)
            turns -= 1
        return world

    def _lead(self, world: World) -> float:
        """What the own sheet is worth beyond the others', as the world is: near the end beyond the best one,
        and beyond their mean as long as each may come to be that."""
        standing = world.standing()
        if not world.over:
            slots = Slots(world.grid)
            seats = len(world.hands)
            for place, share in enumerate(OF_TWO if self._two else OF_MORE[:seats]):
                seat = (world.seat + place) % seats
                sheet = self._sheet_of[seat]
                wants = self.books[sheet].wants(world.rows[sheet], world.counts[sheet])
                odds = pair_odds(self._bag, world.hands[seat])
                standing[sheet] += share * expected(world.grid, slots, wants, odds)
            if self._two:
                standing[self._sheet_of[world.seat]] -= tempo(len(world.bag) + sum(map(len, world.hands)))
        own = standing.pop(self._own)
        best, mean = max(standing), fsum(standing) / len(standing)
        lead = own - (1.0 - self._alike) * best - self._alike * mean
        if world.over:
            lead += self._won * ((own > best) - (own < best))
        return lead
