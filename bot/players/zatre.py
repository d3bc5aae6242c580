"""A computer player for Zatre.

It weighs every legal turn. A turn is worth what it adds to the sheet at the end of the game: points,
a share of the bonus of the rows it helps to fill, twice as much where a row is or will be crossed. Of the
best turns it takes the one that leaves the next players least: for every tile they may draw, what one tile
alone could score on the board as it would lie. Tiles kept cost a little, and their face value when the bag
runs out.
"""

from __future__ import annotations

from bot.rules.chance import Generator
from bot.rules.zatre import (
    GAME,
    KEEP,
    LIGHT,
    TILES,
    VALUES,
    Gain,
    Layout,
    Placement,
    Row,
    Turn,
    ZatreView,
    gain,
    greedy_turn,
    parse_placements,
    placements_text,
)

MOST_WEIGHED = 3000  # turns of a list that are looked at; evenly spread where there are more
FINALISTS = 30  # turns whose consequences for others are looked at
BEAM = 6  # beginnings that are followed where too many tiles are held to list all turns
WIDE = 30  # ways to go on that are weighed for each of them
SEARCHES = 4  # beginnings for which what may come next is searched for, not only looked up
AHEAD = 0.3  # of a row's bonus, for a box that does not fill the row as yet
ROW_BONUS = 1.3  # a box's share of a row's bonus, on somebody's sheet
CROSS = 8.0  # a doubled row, beyond what is in it already
THREAT = 0.9  # of what the next player is given
TILE_KEPT = 0.6  # a tile kept is one tile less to draw


def choose(view: ZatreView, chance: Generator) -> str:
    """The turn that is worth most; chance decides among equals alone."""
    assert view.seat is not None
    judge = _Judge(view)
    turns = _turns(view, judge)
    weighed = sorted(((judge.worth(turn), turn) for turn in turns), key=lambda one: -one[0])
    finals = weighed[:FINALISTS]
    if () not in (turn for _, turn in finals) and () in turns:
        finals.append((judge.worth(()), ()))
    final = [(worth - judge.given(turn), turn) for worth, turn in finals]
    best = max(worth for worth, _ in final)
    return placements_text(chance.choice([turn for worth, turn in final if worth > best - 1e-9]))


def _turns(view: ZatreView, judge: _Judge) -> list[tuple[Placement, ...]]:
    if GAME.lists(view):
        texts = GAME.legal(view)
        step = -(-len(texts) // MOST_WEIGHED)
        chosen = texts[::step]
        if KEEP in texts and chosen[-1] != KEEP:
            chosen.append(KEEP)
        return [parse_placements(text) for text in chosen]
    return _grown(view.to_turn(), judge)


def _grown(turn: Turn, judge: _Judge) -> list[tuple[Placement, ...]]:
    """Legal turns grown tile by tile from the most promising beginnings, at least one. The work is bounded:
    at most `BEAM * WIDE` turns are weighed for each tile held, and `SEARCHES` searches made."""
    beam: list[tuple[Placement, ...]] = [()]
    found: list[tuple[Placement, ...]] = []
    searches = SEARCHES
    while beam:
        longer: set[tuple[Placement, ...]] = set()
        for laid in beam:
            plain = turn.plain(laid)
            steps = turn.plain_placements(laid) if plain else []
            if not (turn.club and steps) and turn.legal(laid):  # what more can be added to is no turn in club
                found.append(laid)
            if searches and (not laid or not plain):  # the first tile, and what needs another to be legal
                searches -= 1
                steps = turn.next_placements(laid)
            layout = turn.after(laid)
            steps = sorted(steps, key=lambda step: (-single(layout, *step), step))[:WIDE]
            longer |= {tuple(sorted((*laid, step))) for step in steps}
        beam = sorted(longer, key=lambda laid: (-judge.worth(laid), laid))[:BEAM]
    return found or [parse_placements(greedy_turn(turn))]


class _Judge:
    """Values of turns for one seat at one moment."""

    def __init__(self, view: ZatreView) -> None:
        assert view.seat is not None
        self.view = view
        self.turn = view.to_turn()
        self.sheet = view.sheets[view.sheet_of(view.seat)]
        seen = [
            view.board.count(value) + sum((hand or ()).count(value) for hand in view.hands)
            for value in VALUES
        ]
        left = [TILES[value] - count for value, count in zip(VALUES, seen, strict=True)]
        total = max(1, sum(left))
        self.odds = [count / total for count in left]  # of each value to be drawn next
        # The chance that the bag is empty before this seat is at turn again, roughly.
        self.ending = 1.0 if view.bag == 0 else max(0.0, min(1.0, 1.6 - view.bag / (2.0 * view.players)))

    def worth(self, turn: tuple[Placement, ...]) -> float:
        """What laying this adds for its own seat, in points."""
        tiles = bytearray(self.view.board)
        for cell, value in turn:
            tiles[cell] = value
        kept = self.turn.rest(turn)
        cost = len(kept) * TILE_KEPT + self.ending * sum(kept)
        if not turn:
            return -cost
        return self._scored(gain(tiles, [cell for cell, _ in turn])) - cost

    def _scored(self, found: Gain) -> float:
        sheet = self.sheet
        columns = [len(sheet.tens), len(sheet.elevens), len(sheet.twelves)]
        crossed = sheet.crosses + len(found.crosses)
        worth = 0.0
        for column, points in enumerate((found.ten, found.eleven, found.twelve)):
            if points:
                number = columns[column]
                columns[column] += 1
                row = Row(number + 1, 0, 0, 0, False)
                fills = sum(count > number for count in columns) == 3
                share = points + (row.bonus if fills else row.bonus * AHEAD)
                worth += share * (2 if number < crossed else 1.4)
        return worth + CROSS * len(found.crosses)

    def given(self, turn: tuple[Placement, ...]) -> float:
        """What the board after this turn gives to others, weighed."""
        if self.view.bag == 0:
            return 0.0
        layout = self.turn.after(turn)
        return THREAT * sum(
            odds * best_single(layout, value) for value, odds in zip(VALUES, self.odds, strict=True) if odds
        )


def best_single(layout: Layout, value: int) -> float:
    """The most one tile of this value can score by itself, in points; a cross counts `CROSS`."""
    best = 0.0
    for cell, code in enumerate(layout.reach):
        if code and 10 <= code % 32 + value <= 12:
            best = max(best, single(layout, cell, value))
    return best


def single(layout: Layout, cell: int, value: int) -> float:
    """What one tile of this value, which fits on `cell`, scores by itself there, in points."""
    worth = 0.0
    for beside in (layout.across[cell], layout.down[cell]):
        if beside and 10 <= beside + value <= 12:
            worth += (1, 2, 4)[beside + value - 10] + ROW_BONUS
    return worth + CROSS if worth and cell in LIGHT else worth
