"""What computers tell as reasons for a move is so: each sentence is held against the rules and plain
counting, not against the evaluation that it comes from.

`CLAIMS` has a predicate for every reason there is, told a candidate and the view that it is for. Where a
sentence holds a judgement that nobody can count, the predicate says so, and checks what can be: its numbers,
its direction, that it is not certain to be wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import fsum
from typing import Any, Final

import pytest

from bot.locale import DEFAULT, LANGUAGES, keys, text
from bot.players import player_of
from bot.players.contract import Candidate
from bot.players.topspot import FORLORN
from bot.rules import fivetotwelve, top12, topominos, topspot, zatre
from bot.rules.chance import Generator
from bot.rules.fivetotwelve.lay_or_exchange import lucky
from bot.rules.game import AnyState, Event, View, advance, play, played
from bot.rules.registry import GAMES, game
from tests.rules.test_topominos import FOURS, crowded

from .test_sense import ALL

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """A reason as it is told. view: of who is to decide. all: the candidates there, the best first. one: the
    one whose reason it is."""

    view: Any
    all: Sequence[Candidate]
    one: Candidate
    values: Values

    def is_best(self) -> bool:
        return self.one.moves == self.all[0].moves


Claim = Callable[[Told], bool]
CLAIMS: Final[dict[str, Claim]] = {}


def claim(key: str) -> Callable[[Claim], Claim]:
    def kept(predicate: Claim) -> Claim:
        assert key not in CLAIMS
        CLAIMS[key] = predicate
        return predicate

    return kept


# --------------------------------------------------------------------------- 5 vor 12


@cache
def numbers(board: tuple[int, ...]) -> tuple[frozenset[int], ...]:
    """By cell, the numbers that rule 4 allows there."""
    fitting = {tile: fivetotwelve.fitting(board, tile) for tile in range(1, fivetotwelve.TOP + 1)}
    return tuple(
        frozenset(tile for tile, cells in fitting.items() if cell in cells)
        for cell in range(fivetotwelve.SIZE)
    )


def fits_free(board: tuple[int, ...], tile: int) -> bool:
    return any(not board[cell] and tile in found for cell, found in enumerate(numbers(board)))


class Five:
    """A move of 5 vor 12. after: the own board. old: the tile exchanged away. gone: the tile that it puts in
    the middle, 0 for none."""

    def __init__(self, told: Told) -> None:
        view: fivetotwelve.FiveView = told.view
        assert view.seat is not None
        self.view = view
        self.seat = view.seat
        self.board = view.boards[view.seat]
        self.move = fivetotwelve.parse(told.one.move)
        after = list(self.board)
        for tile, cell in zip(self.move.tiles, self.move.cells, strict=True):
            after[cell] = tile
        self.after = tuple(after)
        self.tile = self.move.tiles[0] if self.move.tiles else view.hand or 0
        self.cell = self.move.cells[0] if self.move.cells else -1
        self.old = self.board[self.cell] if self.move.cells else 0
        self.gone = self.tile if self.move.kind == "leave" else self.old
        self.free = [cell for cell in range(fivetotwelve.SIZE) if not self.after[cell]]

    def names(self, values: Values) -> bool:
        """Whether what is told of tile and cell is that of the move."""
        named: dict[str, int | str] = {"tile": self.tile, "old": self.old}
        if self.cell >= 0:
            named["cell"] = fivetotwelve.CELLS[self.cell]
        return all(named[name] == value for name, value in values.items())

    def next(self) -> int | None:
        """Whose turn is next; None where the game ends with this move (rule 5)."""
        if not self.free or (self.view.hand is not None and not self.view.stock):
            return None
        if self.view.option("bruno") and self.cell >= 0 and lucky(self.after, self.cell):
            return self.seat
        return (self.seat + 1) % self.view.players

    def middle(self) -> Counter[int]:
        """After the move."""
        found = Counter(self.view.middle)
        if self.move.kind == "take":
            found[self.tile] -= 1
        found[self.gone] += 1
        return found

    def keeps_away(self, values: Values) -> bool:
        """Whether the tile is one that others could have had, and now cannot."""
        return self.names(values) and self.next() is not None and not self.middle()[self.tile]

    def filled_by(self, seat: int | None, tile: int) -> bool:
        if seat is None:
            return False
        board = self.view.boards[seat]
        return board.count(0) == 1 and fits_free(board, tile)


@claim("fivetotwelve.why.full")
def _(told: Told) -> bool:
    five = Five(told)
    return five.names(told.values) and not five.old and not five.free and five.board.count(0) == 1


@claim("fivetotwelve.why.fills")
def _(told: Told) -> bool:
    five = Five(told)
    return five.names(told.values) and not five.old


@claim("fivetotwelve.why.room")
def _(told: Told) -> bool:
    five = Five(told)
    cell = fivetotwelve.CELLS.index(told.values["cell"])
    more = numbers(five.after)[cell] > numbers(five.board)[cell]
    return cell in five.free and more and five.next() is not None


@claim("fivetotwelve.why.keeps_room")
def _(told: Told) -> bool:
    five = Five(told)
    before, after = numbers(five.board), numbers(five.after)
    return bool(five.free) and all(after[cell] >= before[cell] for cell in five.free)


@claim("fivetotwelve.why.stops")
def _(told: Told) -> bool:
    five = Five(told)
    following = five.next()
    return five.keeps_away(told.values) and following != five.seat and five.filled_by(following, five.tile)


@claim("fivetotwelve.why.stops_others")
def _(told: Told) -> bool:
    five = Five(told)
    others = [seat for seat in range(five.view.players) if seat != five.seat]
    return five.keeps_away(told.values) and any(five.filled_by(seat, five.tile) for seat in others)


@claim("fivetotwelve.why.no_gift")
def _(told: Told) -> bool:
    five = Five(told)
    following = five.next()
    return (
        told.values["tile"] == five.gone
        and following is not None
        and following != five.seat
        and not fits_free(five.view.boards[following], five.gone)
    )


@claim("fivetotwelve.why.no_use")
def _(told: Told) -> bool:
    five = Five(told)
    return five.names(told.values) and not fits_free(five.board, five.tile)


@claim("fivetotwelve.why.sits")
def _(told: Told) -> bool:
    """How much better is judged; some free cell takes a number that it did not."""
    five = Five(told)
    before, after = numbers(five.board), numbers(five.after)
    return (
        five.names(told.values)
        and five.old not in (0, five.tile)
        and any(after[cell] - before[cell] for cell in five.free)
        and five.next() is not None
    )


@claim("fivetotwelve.why.draw")
def _(told: Told) -> bool:
    view = told.view
    covered = Counter(dict.fromkeys(range(1, fivetotwelve.TOP + 1), view.players))
    covered.subtract(tile for tiles in (*view.boards, view.middle, *view.wave) for tile in tiles if tile)
    good = sum(count for tile, count in covered.items() if fits_free(view.boards[view.seat], tile))
    return dict(told.values) == {"good": good, "all": view.stock} and covered.total() == view.stock


@claim("fivetotwelve.why.set_up")
def _(told: Told) -> bool:
    """How easy is judged: at least no other cell of the diagonal is as good for all the others and better for
    some, by the tiles that go on them, the hardest compared with the hardest."""
    five = Five(told)

    def left(cell: int) -> list[int]:
        board = tuple(five.tile if at == cell else old for at, old in enumerate(five.board))
        return sorted(filling(board, five.view.unseen()))

    own = left(five.cell)
    others = [left(cell) for cell in fivetotwelve.DIAGONAL if not five.board[cell] and cell != five.cell]
    better = [
        other != own and all(more >= less for more, less in zip(other, own, strict=True)) for other in others
    ]
    return five.names(told.values) and bool(others) and not any(better)


def filling(board: tuple[int, ...], tiles: Sequence[int]) -> list[int]:
    """How many of these tiles, by number, go on each free cell if all are filled without an exchange: on the
    way to a cell every free one takes a number."""

    def least(cell: int) -> int:
        column, row = divmod(cell, fivetotwelve.SIDE)
        before = [cell - fivetotwelve.SIDE] * (column > 0) + [cell - 1] * (row > 0)
        return board[cell] or 1 + max(map(least, before), default=0)

    def most(cell: int) -> int:
        column, row = divmod(cell, fivetotwelve.SIDE)
        last = fivetotwelve.SIDE - 1
        beyond = [cell + fivetotwelve.SIDE] * (column < last) + [cell + 1] * (row < last)
        return board[cell] or min(map(most, beyond), default=fivetotwelve.TOP + 1) - 1

    return [
        sum(tiles[least(cell) : max(0, most(cell) + 1)])
        for cell in range(fivetotwelve.SIZE)
        if not board[cell]
    ]


@claim("fivetotwelve.why.rising")
def _(told: Told) -> bool:
    """Equal numbers are in order too."""
    tiles = Five(told).move.tiles
    return len(tiles) == len(fivetotwelve.DIAGONAL) and list(tiles) == sorted(tiles)


# --------------------------------------------------------------------------- Top 12


class Twelve:
    """A move of Top 12. columns: of the own sheet, from the top."""

    def __init__(self, told: Told) -> None:
        view: top12.Top12View = told.view
        assert view.seat is not None
        self.view = view
        self.seat = view.seat
        self.move = told.one.move
        self.columns = self.of(view.seat) if view.sheets else []
        self.others = [self.of(seat) for seat in range(len(view.sheets)) if seat != view.seat]

    def of(self, seat: int) -> list[tuple[int, ...]]:
        sheet = self.view.sheets[seat]
        return [tuple(top12.column_of(sheet, at)) for at in range(top12.COLUMNS)]

    @property
    def called(self) -> int:
        return int(self.move.removeprefix("call "))

    def entry(self) -> tuple[int, int, tuple[int, ...]]:
        """Column, row, and the column's numbers when it is entered."""
        number, _, cell = self.move.partition("@")
        at, row = divmod(top12.CELLS.index(cell), top12.ROWS)
        column = self.columns[at]
        return at, row, (*column[:row], int(number), *column[row + 1 :])

    def sides(self) -> dict[int, tuple[int, int]]:
        """Of the free cells next to the entry, above (-1) or below (1): how many numbers there are for them,
        and how many they are."""
        _, row, after = self.entry()
        found = {}
        for step in (-1, 1):
            end = row + step
            while 0 <= end < top12.ROWS and not after[end]:
                end += step
            beyond = after[end] if 0 <= end < top12.ROWS else 0 if end < 0 else top12.MOST + 1
            if cells := abs(end - row) - 1:
                found[step] = (abs(after[row] - beyond) - 1, cells)
        return found

    def written(self) -> list[list[tuple[int, int]]]:
        """By column of a set-up: numbers and cells above its number and below."""
        found = []
        for word in self.move.split():
            number, _, cell = word.partition("@")
            row = top12.CELLS.index(cell) % top12.ROWS
            found.append([(int(number) - 1, row), (top12.MOST - int(number), top12.ROWS - 1 - row)])
        return found


def takes(columns: Sequence[tuple[int, ...]], number: int) -> int:
    """In how many columns it can be entered."""
    return sum(bool(top12.open_rows(one, number)) for one in columns)


def living(columns: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    return [one for one in columns if not top12.is_dead(one)]


@claim("top12.why.spread")
def _(told: Told) -> bool:
    """Room: cells, and more numbers for them than cells."""
    return all(0 < cells < numbers for column in Twelve(told).written() for numbers, cells in column)


@claim("top12.why.first_row")
def _(told: Told) -> bool:
    return all(above[1] == 0 for above, _ in Twelve(told).written())


@claim("top12.why.can_finish")
def _(told: Told) -> bool:
    twelve = Twelve(told)
    column = twelve.columns[top12.LETTERS.index(told.values["column"])]
    return column.count(0) == 1 and takes([column], twelve.called) == 1


@claim("top12.why.largest")
def _(told: Told) -> bool:
    twelve = Twelve(told)
    rest = top12.MOST - twelve.called
    return (
        twelve.called > max(map(max, twelve.columns))
        and takes(twelve.columns, twelve.called) == top12.COLUMNS
        and rest > 0
        and all(rest >= column.count(0) - 1 for column in twelve.columns)
    )


@claim("top12.why.fits")
def _(told: Told) -> bool:
    """To use a number is to enter it where a column can still be filled."""
    twelve = Twelve(told)
    return 0 < told.values["n"] == takes(living(twelve.columns), twelve.called)


@claim("top12.why.others_none")
def _(told: Told) -> bool:
    twelve = Twelve(told)
    return bool(twelve.others) and not any(takes(living(one), twelve.called) for one in twelve.others)


@claim("top12.why.others_fewer")
def _(told: Told) -> bool:
    twelve = Twelve(told)
    most = max(takes(living(one), twelve.called) for one in twelve.others)
    return 0 < told.values["n"] == most < takes(living(twelve.columns), twelve.called)


@claim("top12.why.full")
def _(told: Told) -> bool:
    at, _, after = Twelve(told).entry()
    return told.values["column"] == top12.LETTERS[at] and 0 not in after


@claim("top12.why.nearer")
def _(told: Told) -> bool:
    at, _, after = Twelve(told).entry()
    return dict(told.values) == {"column": top12.LETTERS[at], "n": top12.ROWS - after.count(0)}


def narrower(told: Told, side: int) -> bool:
    """Of two sides that is told which has fewer numbers, or as many for no fewer cells."""
    sides = Twelve(told).sides()
    numbers, cells = told.values["numbers"], told.values["n"]
    least = min((numbers, -cells) for numbers, cells in sides.values())
    return sides.get(side) == (numbers, cells) and (numbers, -cells) == least


@claim("top12.why.room_above")
def _(told: Told) -> bool:
    return narrower(told, -1)


@claim("top12.why.room_below")
def _(told: Told) -> bool:
    return narrower(told, 1)


@claim("top12.why.between")
def _(told: Told) -> bool:
    return not Twelve(told).sides()


# --------------------------------------------------------------------------- Topominos


class Lays:
    """The lays of a turn of Topominos, and what comes of them. after: the view then, before anything is
    drawn. nines: where stacks were completed. begun: where one was, that stays; added: the stacks that were
    added to and stay."""

    def __init__(self, told: Told) -> None:
        view: topominos.TopominosView = told.view
        self.view = view
        self.lays = [move for move in told.one.moves if "@" in move]
        self.after = topominos.draft(view, " ".join(self.lays)).view
        self.nines: list[str] = []
        self.begun: list[str] = []
        self.added: list[str] = []
        fills = dict(zip(topominos.CELLS, view.fills, strict=True))
        for lay in self.lays:
            dots, _, cell = lay.partition("@")
            if cell not in self.begun and cell not in self.added:
                (self.added if fills[cell] else self.begun).append(cell)
            fills[cell] |= topominos.MASKS[dots]
            if fills[cell] == topominos.FULL:
                fills[cell] = 0
                self.nines.append(cell)
                self.begun = [one for one in self.begun if one != cell]
                self.added = [one for one in self.added if one != cell]
        self.dots = {cell: fill.bit_count() for cell, fill in fills.items()}

    def count(self, cell: str) -> bool:
        """Whether all its dots score when the turn ends."""
        return cell in self.after.touched


def best_lay(view: topominos.TopominosView, fills: Sequence[int]) -> float:
    """The most that one piece which the view does not show can score there, on average over them."""
    hidden = topominos.unseen(view)
    whole = sum(hidden.values())
    return fsum(
        count
        * max(
            [
                (full | topominos.MASKS[dots]).bit_count()
                for full in set(fills)
                for dots in topominos.FITTING[piece][full]
            ],
            default=0,
        )
        for piece, count in hidden.items()
    ) / (whole or 1)


@claim("topominos.why.nine")
def _(told: Told) -> bool:
    return Lays(told).nines == [told.values["cell"]]


@claim("topominos.why.nines")
def _(told: Told) -> bool:
    return 1 < told.values["count"] == len(Lays(told).nines)


@claim("topominos.why.begun")
def _(told: Told) -> bool:
    lays = Lays(told)
    return len(lays.begun) == 1 and told.values["n"] == lays.dots[lays.begun[0]]


@claim("topominos.why.added")
def _(told: Told) -> bool:
    lays, cell = Lays(told), told.values["cell"]
    return lays.added == [cell] and lays.count(cell) and told.values["dots"] == lays.dots[cell]


@claim("topominos.why.several")
def _(told: Told) -> bool:
    lays = Lays(told)
    return (
        1 < told.values["count"] == len(lays.added)
        and all(map(lays.count, lays.added))
        and told.values["points"] == sum(lays.dots[cell] for cell in lays.added)
    )


@claim("topominos.why.emptied")
def _(told: Told) -> bool:
    return not Lays(told).after.rack and told.view.bag > 0


@claim("topominos.why.spared")
def _(told: Told) -> bool:
    """Somebody comes next, and one piece scores less there than it would now."""
    lays = Lays(told)
    view, after = lays.view, lays.after
    assert view.seat is not None
    last = (view.seat + 1) % view.players == view.starter
    ends = last and (view.last_round or not (view.bag or after.rack))
    return view.players > 1 and not ends and best_lay(view, after.fills) < best_lay(view, view.fills)


@claim("topominos.why.kept")
def _(told: Told) -> bool:
    """Almost anywhere: in all compartments but two."""
    after, piece = Lays(told).after, told.values["piece"]
    fitting = sum(bool(topominos.FITTING[piece][full]) for full in after.fills)
    return len(piece) == 1 and piece in after.rack and fitting >= len(after.fills) - 2


@claim("topominos.why.end")
def _(told: Told) -> bool:
    """What is worth it is judged: at least there is no other move that is thought better."""
    together = told.view.players > 1
    return told.one.move == "end" and bool(told.view.laid) and told.is_best() and together


@claim("topominos.why.end_alone")
def _(told: Told) -> bool:
    return told.one.move == "end" and bool(told.view.laid) and told.view.players == 1


def layable(view: topominos.TopominosView) -> bool:
    return any("@" in move for move in topominos.GAME.legal(view))


def exchanges(told: Told) -> bool:
    view = told.view
    swapped = len(told.one.move.split()) - 1
    return told.values["n"] == swapped <= view.bag and (view.players == 1 or not layable(view))


@claim("topominos.why.swap")
def _(told: Told) -> bool:
    """That the pieces bring little is judged; with others at the table none of them can be laid."""
    return exchanges(told) and not told.view.last_round


@claim("topominos.why.swap_last")
def _(told: Told) -> bool:
    """Among the pieces that nobody has seen is one that is smaller than one of those."""
    view = told.view
    largest = max(map(len, told.one.move.split()[1:]))
    return exchanges(told) and view.last_round and min(map(len, topominos.unseen(view))) < largest


@claim("topominos.why.stuck")
def _(told: Told) -> bool:
    view = told.view
    return told.one.move == "pass" and not layable(view) and not view.bag


@claim("topominos.why.pass")
def _(told: Told) -> bool:
    """How good is judged: at least it could be exchanged, and that is not thought better."""
    view = told.view
    return told.one.move == "pass" and not layable(view) and view.bag > 0 and told.is_best()


# --------------------------------------------------------------------------- Top Spot


class Spot:
    """A play of Top Spot. cards: of the stack. left: cards that the seat then has. best: the highest value
    that lies so far, -1 for none. later: how many play after it in this round."""

    def __init__(self, told: Told) -> None:
        view: topspot.TopSpotView = told.view
        assert view.seat is not None
        self.view = view
        self.seat = view.seat
        self.move = told.one.move
        self.cards = topspot.stack_cards(self.move)
        self.value = topspot.stack_value(self.move)
        self.left = len(view.hand) - len(self.cards)
        self.best = max([laid.value for laid in view.plays if laid.counts], default=-1)
        self.later = list(view.order[len(view.plays) + 1 :])
        named = self.move.partition(":")[2]
        self.colour = view.colour or named or self.cards[0][0]
        self.counts = self.cards[0] == topspot.JOKER or self.cards[0][0] == self.colour

    @property
    def lies_first(self) -> bool:
        """Whether it is the highest now, or as high where that is a tie."""
        least = self.best if self.view.expert else self.best + 1
        return self.counts and self.value >= least

    def tied(self) -> list[int]:
        """Seats that are level with it and have cards for a tie-break, its own among them (rule 11)."""
        level = [laid.seat for laid in self.view.plays if laid.counts and laid.value == self.value]
        found = [seat for seat in level if self.view.counts[seat]]
        return [*found, self.seat] if self.left else found

    def draws_level(self, values: Values) -> bool:
        """Whether it and another that lies have the highest value, both with cards for a tie-break."""
        level = values["value"] == self.value == self.best
        return self.view.expert and self.counts and level and self.left > 0 and len(self.tied()) > 1

    def can_win(self) -> bool:
        """Whether it wins unless somebody later beats it or draws level."""
        return self.lies_first and (self.value > self.best or self.tied() == [self.seat])

    def reach(self) -> int:
        """The highest value that anybody else could still lay in this colour, by the cards that nobody has
        seen."""
        view = self.view
        gone = {*view.gone, *view.hand}
        rest = {
            colour: {face for face in topspot.FACES if colour + face not in gone} for colour in view.colours
        }
        values = [
            value for faces, value in topspot.stacks_of_faces(False) if rest[self.colour].issuperset(faces)
        ]
        jokers = view.players if view.expert else 0
        if jokers > [*view.gone, *view.hand].count(topspot.JOKER):
            every = set().union(*rest.values())
            values += [0]
            values += [value for faces, value in topspot.stacks_of_faces(True) if every.issuperset(faces)]
        return max(values, default=-1)


@claim("topspot.why.beaten")
def _(told: Told) -> bool:
    """What is missed is judged: at least it is one card, no joker and not the last, and no other such card is
    thought to be missed less."""
    spot = Spot(told)
    others = [Spot(Told(told.view, told.all, one, {})) for one in told.all]
    given = [one.move for one in others if not one.lies_first]
    return (
        not spot.lies_first
        and len(spot.cards) == 1
        and spot.cards[0] != topspot.JOKER
        and spot.left > 0
        and given[0] == spot.move
    )


@claim("topspot.why.rest")
def _(told: Told) -> bool:
    """Who plays later lays a card at least: nobody is left with one."""
    spot = Spot(told)
    left = [
        spot.view.counts[seat] - (seat in spot.later)
        for seat in range(spot.view.players)
        if seat != spot.seat
    ]
    return spot.lies_first and not any(left) and 1 < told.values["n"] == 1 + spot.left


@claim("topspot.why.ends")
def _(told: Told) -> bool:
    spot = Spot(told)
    return not spot.left and spot.can_win()


@claim("topspot.why.tie")
def _(told: Told) -> bool:
    spot = Spot(told)
    return spot.draws_level(told.values) and not spot.later


@claim("topspot.why.level")
def _(told: Told) -> bool:
    spot = Spot(told)
    return spot.draws_level(told.values) and bool(spot.later)


@claim("topspot.why.last")
def _(told: Told) -> bool:
    spot = Spot(told)
    return not spot.later and told.values["value"] == spot.value and spot.can_win()


@claim("topspot.why.sure")
def _(told: Told) -> bool:
    spot = Spot(told)
    return (
        bool(spot.later)
        and spot.lies_first
        and spot.value > spot.best
        and told.values["value"] == spot.value >= spot.reach()
    )


@claim("topspot.why.high")
def _(told: Told) -> bool:
    """How probable it is has been learned; it is the highest now, and others follow."""
    spot = Spot(told)
    return (
        bool(spot.later) and spot.lies_first and spot.best < spot.value and told.values["value"] == spot.value
    )


@claim("topspot.why.gives_up")
def _(told: Told) -> bool:
    """How probable it is has been learned; there is something that beats it, and somebody to play it."""
    spot = Spot(told)
    return bool(spot.later) and spot.left > 0 and spot.value < spot.reach()


@claim("topspot.why.saves")
def _(told: Told) -> bool:
    spot = Spot(told)
    more = any("+" in one.move for one in told.all)
    return more and len(spot.cards) == 1 and 0 < told.values["n"] == spot.left


# --------------------------------------------------------------------------- Zatre


class Turn:
    """A turn of Zatre. gain: what it scores. kept: tiles that stay in the hand."""

    def __init__(self, told: Told) -> None:
        view: zatre.ZatreView = told.view
        assert view.seat is not None
        self.view = view
        self.seat = view.seat
        self.laid = () if told.one.move == zatre.KEEP else zatre.parse_placements(told.one.move)
        self.board = bytes(zatre.with_tiles(view.board, self.laid))
        self.gain = zatre.gain(self.board, [cell for cell, _ in self.laid])
        self.kept = sorted((Counter(view.held) - Counter(value for _, value in self.laid)).elements())
        self.sheet = view.sheets[view.sheet_of(view.seat)]

    def comes_again(self) -> bool:
        """Whether the seat may have another turn: the others do not empty the bag for certain (rule 5)."""
        others = [count for seat, count in enumerate(self.view.counts) if seat != self.seat]
        return sum(max(0, 2 - count) for count in others) < self.view.bag

    def next(self) -> int:
        return (self.seat + 1) % self.view.players


@cache
def scored_by_one(board: bytes, sheet: zatre.Sheet) -> tuple[int, ...]:
    """By value, the most that one tile adds to a sheet there."""
    best = [0] * (max(zatre.VALUES) + 1)
    for cell in zatre.INDEX.values():
        joined = [line(board, cell, step) for step in (1, zatre.WIDTH)]
        if board[cell] or not any(joined):
            continue
        for value in zatre.VALUES:
            runs = [value + other for other in joined if other]
            if 10 <= max(runs) <= 12:
                found = zatre.gain(zatre.with_tiles(board, [(cell, value)]), [cell])
                best[value] = max(best[value], sheet.worth(found).total)
    return tuple(best)


def line(board: bytes, cell: int, step: int) -> int:
    """What lies on both sides of a cell, in one direction."""
    found = 0
    for way in (-step, step):
        at = cell + way
        while board[at]:
            found += board[at]
            at += way
    return found


def leaves(told: Told, one: Candidate) -> float:
    """What one tile, drawn from those that the view does not show, scores for whoever is next."""
    turn = Turn(Told(told.view, told.all, one, {}))
    view = turn.view
    shown = Counter(view.board)
    for hand in view.hands:
        shown.update(hand or ())
    hidden = [0] + [count - shown[value] for value, count in zip(zatre.VALUES, zatre.TILES[1:], strict=True)]
    sheet = view.sheet_of(turn.next())
    after = turn.sheet.with_gain(turn.gain) if sheet == view.sheet_of(turn.seat) else view.sheets[sheet]
    scores = scored_by_one(turn.board, after)
    return fsum(count * score for count, score in zip(hidden, scores, strict=True)) / max(1, sum(hidden))


def usual(told: Told) -> float:
    return fsum(leaves(told, one) for one in told.all) / len(told.all)


@claim("zatre.why.runs")
def _(told: Told) -> bool:
    runs = sorted((run.total for run in Turn(told).gain.runs), reverse=True)
    return bool(runs) and told.values["runs"] == ", ".join(map(str, runs))


@claim("zatre.why.crosses")
def _(told: Told) -> bool:
    return 0 < told.values["n"] == len(Turn(told).gain.crosses)


@claim("zatre.why.row")
def _(told: Told) -> bool:
    turn = Turn(told)
    before = {row.number for row in turn.sheet.rows() if row.bonus}
    found = {row.number: row.bonus for row in turn.sheet.with_gain(turn.gain).rows() if row.bonus}
    return [(row, bonus) for row, bonus in found.items() if row not in before] == [
        (told.values["row"], told.values["n"])
    ]


@claim("zatre.why.all_laid")
def _(told: Told) -> bool:
    turn = Turn(told)
    return not turn.kept and not turn.view.bag


@claim("zatre.why.keeps")
def _(told: Told) -> bool:
    turn = Turn(told)
    return bool(turn.kept) and told.values["tiles"] == ", ".join(map(str, turn.kept)) and turn.comes_again()


@claim("zatre.why.leaves_little")
def _(told: Told) -> bool:
    """Little: less than other turns on average."""
    turn = Turn(told)
    theirs = turn.view.sheet_of(turn.next()) != turn.view.sheet_of(turn.seat)
    return theirs and leaves(told, told.one) < usual(told)


@claim("zatre.why.leaves_partner")
def _(told: Told) -> bool:
    turn = Turn(told)
    own = turn.view.sheet_of(turn.next()) == turn.view.sheet_of(turn.seat)
    return own and leaves(told, told.one) > usual(told)


# --------------------------------------------------------------------------- where they are met

Table = tuple[int, dict[str, object]]
TABLES: Final[dict[str, tuple[Table, ...]]] = {
    "top12": ((1, {}), (2, {}), (3, {}), (4, {})),
    "fivetotwelve": (
        (2, {}),
        (3, {}),
        (4, {}),
        (2, {"setup": "free"}),
        (3, {"bruno": True}),
        (4, {"bruno": True, "setup": "free"}),
    ),
    "zatre": (
        (2, {}),
        (3, {}),
        (4, {}),
        (2, {"laying": "club"}),
        (4, {"partners": True}),
        (6, {"partners": True}),
    ),
    "topominos": ((1, {}), (2, {}), (3, {}), (4, {})),
    "topspot": (
        (3, {}),
        (4, {}),
        (5, {}),
        (3, {"level": "expert"}),
        (4, {"level": "expert"}),
        (5, {"level": "expert", "joker_each": True}),
    ),
}
DAILY: Final = {
    "top12": (2, 3),
    "fivetotwelve": (4, 2),
    "zatre": (12, 1),
    "topominos": (2, 4),
    "topspot": (1, 2),
}
"""Every day only every so manyth position is looked at, of so many games of each table; what lies between is
played at random, or as for whoever has run out of time."""
MOST: Final = 400  # decisions of a game


def whole(name: str, view: View, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """With the whole turns of Topominos, of which several may begin alike and hints are taken."""
    more = player_of(name).to_try(view, candidates) if name == "topominos" else ()
    return [*candidates, *more]


def walk(name: str, table: Table, seed: str, step: int) -> Iterator[tuple[View, Sequence[Candidate]]]:
    """What seats see on the way through a game, and the moves that their player weighs. One in five is played
    at random, one in five is any of those weighed, and the others are the best of these."""
    players, options = table
    state: AnyState = game(name).start(players, options)
    chance = Generator(seed, f"{name} {players} {sorted(options)}")
    count = len(advance(state, seed, 0))
    for number in range(MOST):
        if not state.actors():
            return
        seat = state.actors()[0]
        if (number + 1) % step:
            move = state.stand_in(seat) if step > 1 and chance.below(2) else state.random_move(seat, chance)
        else:
            view = state.view(seat)
            candidates = player_of(name).candidates(view)
            yield view, whole(name, view, candidates)
            kind = chance.below(5)
            weighed = candidates[0] if kind > 1 else chance.choice(candidates)
            move = weighed.move if kind else state.random_move(seat, chance)
        count += len(play(state, seed, count, seat, move))


def nothing_fits() -> AnyState:
    """Topominos: all nine stacks have eight dots, and seat 1, whose turn it is, has pieces of two."""
    stacks = (
        "abcd eghi", "abcg efhi", "abch degi", "abdf cegh", "abdi cefh",
        "abeh dfgi", "abfg cdei", "abfh cdgi", "abfi cdeh",
    )  # fmt: skip
    drawn = [[topominos.NAMES[dots] for dots in stack.split()] for stack in stacks]
    drawn += [["ab", "ac"], ["abc", "abd"]]  # of seat 1, of seat 0
    hands = [[*drawn[0], "abe", "abg", "abh"], [*drawn[1], "ae", "af", "ai"]]
    events = ["lots abcd a", *[f"draw {' '.join(sorted(hand))}" for hand in hands]]
    for cell, stack, more in zip(topominos.CELLS, stacks, drawn[2:], strict=True):
        first, second = stack.split()
        events += [f"{first}@{cell}", f"{second}@{cell}", "end", f"draw {' '.join(sorted(more))}"]
    return played(game("topominos").start(2, {}), *events)


def added_to_already() -> AnyState:
    """Topominos: there are two stacks, of which seat 0 has added to one in this turn, and may to both."""
    return played(
        game("topominos").start(2, {}),
        *("lots abcd a", "draw a a abc ae bd", "draw abd abe abf abg e"),
        *("a@A1", "end", "draw abh"),
        *("e@A2", "end", "draw ace"),
        "i@A1",
    )


def an_eight_is_out() -> AnyState:
    """Top Spot: somebody has led yellow, of which seat 2 can make a seven and who follows an eight."""
    yellow = ["", "D", "BCEFIL", "AGHJK"]
    rest = [colour + face for colour in "RGB" for face in topspot.FACES] + [topspot.JOKER] * 4
    hands = []
    for faces in yellow:
        size = 13 - len(faces)
        hands.append([*("Y" + face for face in faces), *rest[:size]])
        rest = rest[size:]
    deals = [f"deal {' '.join(sorted(hand, key=lambda card: (card == '*', card)))}" for hand in hands]
    return played(game("topspot").start(4, {"level": "expert"}), "dealer 0", *deals, "YD")


def a_weak_last_card() -> AnyState:
    """Top Spot: one leads with the last card, which others will probably beat."""
    state, seed = game("topspot").start(3, {}), "last 24"
    count, chance = len(advance(state, seed, 0)), Generator(seed, "random")
    while len((view := state.view(seat := state.actors()[0])).hand) > 1 or view.plays:
        count += len(play(state, seed, count, seat, state.random_move(seat, chance)))
    return state


def nobody_can_lay(bag: str) -> AnyState:
    """Topominos: nothing fits any more, and seat 1 may exchange pieces of four dots in the last round."""
    state = crowded(FOURS[:3], bag=bag)
    state.apply(Event("move", "pass", 0))
    view = state.view(1)
    assert view.stuck and view.last_round and state.actors() == (1,)
    return state


FIRST: Final = "10@A1 20@B1 30@C1 40@D1 50@E1"
DEAD: Final = "10@A12 20@B1 30@C1 40@D1 50@E1"  # column A of it cannot be filled
BUILT: Final[dict[str, Callable[[], list[AnyState]]]] = {
    "top12": lambda: [
        # alone as it is played best, where at random nobody comes; and with columns that are dead
        played(game("top12").start(1, {}), FIRST, "first 0"),
        played(game("top12").start(1, {}), FIRST, "first 0", "call 98", "roll house", "98@C6"),
        played(game("top12").start(1, {}), DEAD, "first 0"),
        played(game("top12").start(2, {}), "10@A5 20@B5 30@C5 40@D5 50@E5", DEAD, "first 0"),
    ],
    "topominos": lambda: [nothing_fits(), added_to_already(), nobody_can_lay("abcd abc")],
    "topspot": lambda: [an_eight_is_out(), a_weak_last_card()],
}


def test_the_last_card_is_led_weakly() -> None:
    """So there the claim of `gives_up` is tried: nothing else that is said of its value stands in its way."""
    state = a_weak_last_card()
    [only] = player_of("topspot").candidates(state.view(state.actors()[0]))
    assert [term.key for term in only.why] == ["topspot.why.ends"]
    assert only.why[0].worth < FORLORN


def test_of_an_exchange_that_brings_nothing_smaller_nothing_is_told() -> None:
    for bag, reasons in (("abcd abc", {(("n", 1),), (("n", 2),)}), ("abcd", set())):
        view = nobody_can_lay(bag).view(1)
        swaps = [one for one in player_of("topominos").candidates(view) if one.move.startswith("swap")]
        assert swaps
        told = [term for one in swaps for term in one.why]
        assert {term.values for term in told} == reasons
        assert {term.key for term in told} <= {"topominos.why.swap_last"}


def seen(name: str) -> Iterator[tuple[View, Sequence[Candidate]]]:
    """Where a child sees the right move, and where games seldom come."""
    states = [sense.state() for sense in ALL if sense.game == name]
    if name in BUILT:
        states += BUILT[name]()
    for state in states:
        view = state.view(state.actors()[0])
        yield view, whole(name, view, player_of(name).candidates(view))


class Weighed:
    """What is told in some positions. met: the reasons, and with which values. false: where one is not so."""

    def __init__(self) -> None:
        self.met: dict[str, set[tuple[tuple[str, str | int], ...]]] = {}
        self.false: list[str] = []

    def add(self, positions: Iterator[tuple[View, Sequence[Candidate]]], where: str) -> None:
        for view, candidates in positions:
            for one in candidates:
                for term in one.why:
                    self.met.setdefault(term.key, set()).add(term.values)
                    if not CLAIMS[term.key](Told(view, candidates, one, dict(term.values))):
                        found = f"{where}, seat {view.seat}: {one.moves} {term.key} {term.values}"
                        self.false.append(found)


def test_every_reason_there_is_can_be_checked() -> None:
    told = {key for key in keys(DEFAULT) for name in GAMES if key.startswith(f"{name}.why.")}
    assert CLAIMS.keys() == told


@pytest.mark.parametrize("name", GAMES)
def test_every_reason_is_met_and_true_and_brings_what_its_text_tells(name: str) -> None:
    weighed = Weighed()
    weighed.add(seen(name), "sense")
    step, games = DAILY[name]
    for number, table in product(range(games), TABLES[name]):
        weighed.add(walk(name, table, f"daily {number}", step), f"{number}, {table}")
    assert not weighed.false
    assert weighed.met.keys() == {key for key in CLAIMS if key.startswith(f"{name}.")}
    for key, found in weighed.met.items():
        for values, language in product(found, LANGUAGES):
            assert text(language, key, **dict(values))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", GAMES)
def test_every_reason_is_true_in_whole_games(name: str, seed: int) -> None:
    weighed = Weighed()
    for table in TABLES[name]:
        weighed.add(walk(name, table, f"long {seed}", 1), str(table))
    assert not weighed.false
