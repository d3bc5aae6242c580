"""What the turns of one view are worth, by evaluation: the sheet as it will be, tiles kept, and what the
board gives to whoever is at turn next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from operator import ge
from typing import NamedTuple

from bot.rules.zatre import (
    TILES,
    VALUES,
    Placement,
    ZatreView,
    gain,
    greedy_turn,
    list_turns,
    parse_placements,
    with_tiles,
)

from .grid import CROSS, ELEVEN, KIND, NO_FIT, PLAIN, SIZE, TEN, TWELVE, Grid, grid_of, parts
from .quick import HARM, best_single, ends, pair_odds
from .sheets import Wants, counts_of, rows_of, worth, written
from .turns import Laid, turns

FINALISTS = 24  # turns whose consequences are looked at closely
MOST_GAINS = 16  # different gains of which the best turn is among them
MOST_LOOKED = 60  # turns of which it is asked whether they are legal
OPENINGS = 300  # of the turns of the opening
AHEAD = 6  # points on the sheet

# Estimates, not learned.
THREAT = 1.1  # of what one tile can score on the board for the next player, with two sheets
CROWD = 0.6  # the same with more
PARTNER = -0.6  # the same for the partner, who writes on the own sheet
NEAR = 0.05  # of a tile's harm at a glance
HELD = (0.0, 0.7, 2.0, 3.5, 5.0)  # what so many tiles kept cost, in points


class Weighed(NamedTuple):
    """A turn, what it gains, and what it is worth in points; `given` is what that is less for the board it
    leaves to the next. less: another that lays the same tiles gains as much of everything, and more of
    something."""

    worth: float
    laid: Laid
    gain: int
    given: float
    less: bool = False


class Judge:
    """Values of turns for one seat at one moment. unseen: how many tiles of each value it does not see."""

    def __init__(self, view: ZatreView) -> None:
        assert view.seat is not None
        self.view = view
        self.seat = view.seat
        self.turn = view.to_turn()
        self.sheets = len(view.sheets)
        self.own = view.sheet_of(view.seat)
        seen = [0] + [
            view.board.count(value) + sum((hand or ()).count(value) for hand in view.hands)
            for value in VALUES
        ]
        self.unseen = [count - gone for count, gone in zip(TILES, seen, strict=True)]
        self.grid: Grid = grid_of(view.board)
        self.rows = [rows_of(sheet) for sheet in view.sheets]
        self.counts = [counts_of(sheet) for sheet in view.sheets]
        self.last = view.bag == 0
        self.wants = self._wants(self.own)
        following = (view.seat + 1) % view.players
        self.next_sheet = view.sheet_of(following)
        self.next_wants = self._wants(self.next_sheet)
        self._now: dict[int, Wants] = {}
        # The chance that the bag is empty before this seat is at turn again, roughly.
        self.ending = 1.0 if self.last else max(0.0, min(1.0, 1.6 - view.bag / (2.0 * view.players)))
        self.odds = pair_odds(self.unseen, view.hands[following] or ())
        total = max(1, sum(self.unseen))
        self.chances = [count / total for count in self.unseen]  # of each value to be drawn next
        self.threat = PARTNER if self.partner_next else THREAT if self.sheets == 2 else CROWD

    def _wants(self, sheet: int) -> Wants:
        return Wants(self.rows[sheet], self.counts[sheet], self.view.bag, self.sheets)

    @property
    def partner_next(self) -> bool:
        """Whether who is next writes on the own sheet."""
        return self.next_sheet == self.own

    # candidates

    def found(self) -> dict[Laid, int]:
        """The turns, with what they gain, worth a look; none of them may be legal."""
        # In the last turn all there are: rule 4's exception saves a tile's number there.
        if self.turn.opening or (self.last and self.turn.listable):
            texts = list_turns(self.turn)
            step = -(-len(texts) // OPENINGS) if self.turn.opening else 1
            return {laid: self.gain_of(laid) for laid in map(parse_placements, texts[::step])}
        found = turns(self.grid, self.turn.held, self.at_hand)
        if not self.turn.must_lay:
            found[()] = 0
        if not found:  # rule 4's exception
            laid = parse_placements(greedy_turn(self.turn))
            found[laid] = self.gain_of(laid)
        return found

    def gain_of(self, laid: Laid) -> int:
        gained = gain(with_tiles(self.view.board, laid), [cell for cell, _ in laid])
        runs = TEN * gained.ten + ELEVEN * (gained.eleven // 2) + TWELVE * (gained.twelve // 4)
        return runs + CROSS * len(gained.crosses)

    def at_hand(self, laid: Laid, gain: int) -> float:
        """What a turn adds for its own seat, in points, and what its tiles open at a glance."""
        return self.scored(gain) - self.cost(laid) - (0.0 if self.last else self._opened(laid))

    def scored(self, gain: int) -> float:
        """What a gain adds to the own sheet."""
        return self.wants.of(gain)

    def evident(self, ranked: Sequence[Weighed]) -> frozenset[int]:
        """The gains that write the most on the own sheet, where that is `AHEAD` points more than any other
        writes and more than twice as much.

        The evaluation may prefer a cross for a row to come, and games played out say that it is right; but to
        everybody who looks on, whoever leaves such points lying has not seen them. In the last turn points
        and evaluation are one."""
        if self.last:
            return frozenset()
        before = self._noted(0)
        points = {one.gain: self._noted(one.gain) - before for one in ranked}
        most = max(points.values())
        other = max((found for found in points.values() if found != most), default=most)
        if most - other < AHEAD or most <= 2 * other:
            return frozenset()
        return frozenset(gained for gained, found in points.items() if found == most)

    def _noted(self, gain: int) -> float:
        """The own sheet's total with a gain, if it stays so."""
        rows = list(self.rows[self.own])
        counts = written(rows, self.counts[self.own], gain)
        return worth(rows, counts, 0, self.sheets)

    def cost(self, laid: Sequence[Placement]) -> float:
        """What the tiles cost that a turn keeps."""
        kept = self.turn.rest(laid)
        if self.last:
            return float(sum(kept))
        return HELD[min(len(kept), len(HELD) - 1)] + self.ending * sum(kept)

    def _opened(self, laid: Laid) -> float:
        code = self.grid.code
        harm = 0
        for cell, value in laid:
            harm += min(HARM[value][code[cell]], 60)
        return NEAR * harm

    def ranked(self) -> list[Weighed]:
        """Legal turns that no rule of thumb forbids, the best first, at least one."""
        found = self.found()
        rough = sorted(
            ((self.at_hand(laid, gained), laid, gained) for laid, gained in found.items()),
            key=lambda one: (-one[0], one[1]),
        )
        finals = self._finals(rough)
        if not finals:
            laid = parse_placements(greedy_turn(self.turn))
            return [Weighed(0.0, laid, self.gain_of(laid), 0.0)]
        sensible = self._last_ones(finals, found) if self.last else self._sensible(finals)
        best = self._best(found, finals)
        marked = [one._replace(less=one.laid not in best) for one in sensible]
        return sorted(marked, key=lambda one: (-one.worth, one.less, one.laid))

    def _best(self, found: Mapping[Laid, int], finals: Sequence[Weighed]) -> set[Laid]:
        """The turns that gain not less than others which lay the same tiles. With laying=club such a one of
        `found` may be illegal where tiles are kept: those are held against `finals` alone."""
        whole = len(self.turn.held)
        known = {laid: gain for laid, gain in found.items() if not self.turn.club or len(laid) == whole}
        return _best_of(known | {one.laid: one.gain for one in finals})

    def _finals(self, rough: Sequence[tuple[float, Laid, int]]) -> list[Weighed]:
        """The best legal ones at a glance, and the best of each gain, looked at closely."""
        finals: list[Weighed] = []
        gains: dict[int, int] = {}
        looked = 0
        for _, laid, gained in rough:
            known = gains.get(gained, 0)
            if known and len(finals) >= FINALISTS:
                continue
            if looked >= MOST_LOOKED or len(gains) >= MOST_GAINS:
                break
            looked += 1
            if self.turn.legal(laid):
                gains[gained] = known + 1
                given = 0.0 if self.last else self.given(laid)
                finals.append(Weighed(self.scored(gained) - self.cost(laid) - given, laid, gained, given))
        return finals

    def _sensible(self, finals: Sequence[Weighed]) -> Sequence[Weighed]:
        """Without those that hold back a tile which scores at once, and without those that score nothing,
        while there are others."""
        left = [one for one in finals if not self._holds_back(one)] or finals
        return [one for one in left if one.gain] or left

    def _last_ones(self, finals: Sequence[Weighed], found: Mapping[Laid, int]) -> Sequence[Weighed]:
        """Of the last turn, whose worth is exact: the best, and those that keep no tile which could be laid
        beside the others without a line or a cross being lost."""
        most = max([one.worth for one in finals])
        return [
            one
            for one in finals
            if one.worth == most or not (self._more(one, found) or self._holds_back(one))
        ]

    def _more(self, one: Weighed, found: Mapping[Laid, int]) -> bool:
        """Whether some turn of `found` lays a tile beside this one's and loses nothing by it."""
        code = self.grid.after(one.laid).code
        for value in dict.fromkeys(self.turn.rest(one.laid)):
            for cell in compress(range(SIZE), code.translate(KIND[value])):
                gained = found.get(tuple(sorted((*one.laid, (cell, value)))))
                if gained is not None and all(map(ge, parts(gained), parts(one.gain))):
                    return True
        return False

    def _holds_back(self, one: Weighed) -> bool:
        """Whether a tile kept scores at once beside the others, in the last turn also where it only fits."""
        kept = self.turn.rest(one.laid)
        if not kept or self.turn.opening:
            return False
        grid = self.grid.after(one.laid)
        taken = {end for cell, _ in one.laid for end in ends(grid.tiles, cell)} if one.gain else set()
        wants = self.wants.after(one.gain)
        for value in dict.fromkeys(kept):
            kinds = grid.code.translate(KIND[value])
            for end in taken:
                kinds[end] = NO_FIT
            if any(kinds.find(kind) >= 0 for kind in wants.best_last):
                return True
            if self.last and kinds.find(PLAIN) >= 0:
                return True
        return False

    def given(self, laid: Sequence[Placement]) -> float:
        """What the board after this turn gives to whoever is next, weighed: what one tile by chance can score
        there. What two can is tried out."""
        return self.threat * self._one_tile(laid, self.next_wants)

    def by_one(self, one: Weighed) -> float:
        """What one tile by chance writes at once on the sheet of whoever is next, on average: points, as
        anybody can count them."""
        return self._one_tile(one.laid, self._at_once(one.gain if self.partner_next else 0))

    def _one_tile(self, laid: Sequence[Placement], wants: Wants) -> float:
        """What one tile by chance is worth by `wants` on the board after this turn, on average."""
        grid = self.grid.after(laid)
        found = 0.0
        for value, chance in enumerate(self.chances):
            if chance:
                found += chance * best_single(grid, wants, value)[0]
        return found

    def _at_once(self, gain: int) -> Wants:
        """What gains add now to the next's sheet, on which this turn's gain is written already."""
        found = self._now.get(gain)
        if found is None:
            rows = list(self.rows[self.next_sheet])
            counts = written(rows, self.counts[self.next_sheet], gain)
            found = self._now[gain] = Wants(rows, counts, 0, self.sheets)
        return found


def _best_of(found: Mapping[Laid, int]) -> set[Laid]:
    """Without the turns that gain no more of anything and less of something than another that lays the same
    tiles."""
    tiles = {laid: tuple(sorted([value for _, value in laid])) for laid in found}
    gains: dict[tuple[int, ...], set[int]] = {}
    for laid, gained in found.items():
        gains.setdefault(tiles[laid], set()).add(gained)
    best = {held: _unmatched(each) for held, each in gains.items()}
    return {laid for laid, gained in found.items() if gained in best[tiles[laid]]}


def _unmatched(gains: Iterable[int]) -> set[int]:
    """Gains than which no other is as large in all its parts."""
    each = {gain: parts(gain) for gain in gains}
    return {
        gain
        for gain, own in each.items()
        if not any(other != gain and all(map(ge, theirs, own)) for other, theirs in each.items())
    }
