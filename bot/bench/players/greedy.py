"""Plain opponents: each takes what its turn scores or gains at once, and thinks of nothing else.

They are the yardstick of the computer players, so they are small, use the rules core alone, and are left as
they are: a figure of today is compared with one of last year. Chance decides among equals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeVar

from bot.rules import fivetotwelve, top12, topominos, topspot, zatre
from bot.rules.chance import Generator

T = TypeVar("T")


def _most(items: list[T], merit: Callable[[T], Any], chance: Generator) -> T:
    """One of those with the most merit."""
    merits = [merit(item) for item in items]
    best = max(merits)
    return chance.choice([item for item, found in zip(items, merits, strict=True) if found == best])


# --------------------------------------------------------------------------- Top 12


def _top12(view: top12.Top12View, chance: Generator) -> str:
    """The number, and the cell, that adds to the fullest column possible; in it about where the number
    belongs between its neighbours."""
    rules = top12.GAME
    if view.phase == "setup":
        return rules.stand_in(rules.choice(view))
    assert view.seat is not None
    sheet = view.sheets[view.seat]
    columns = [top12.column_of(sheet, column) for column in range(top12.COLUMNS)]
    filled = [0 if top12.is_dead(cells) else top12.ROWS - cells.count(0) for cells in columns]
    if view.phase == "call":

        def taken_by(number: int) -> list[int]:
            takes = [bool(top12.open_rows(cells, number)) for cells in columns]
            return sorted((full for full, open_ in zip(filled, takes, strict=True) if open_), reverse=True)

        return f"call {_most(list(range(top12.LEAST, top12.MOST + 1)), taken_by, chance)}"

    def gain(name: str) -> tuple[int, float]:
        column, row = top12.LETTERS.index(name[0]), int(name[1:]) - 1
        cells = columns[column]
        rows = top12.open_rows(cells, view.number)
        low = cells[rows.start - 1] if rows.start else top12.LEAST - 1
        high = cells[rows.stop] if rows.stop < top12.ROWS else top12.MOST + 1
        place = (view.number - low) / (high - low) * len(rows) - 0.5  # the nearest kills no column
        return filled[column], -abs(row - rows.start - place)

    return f"{view.number}@{_most(list(top12.entry_cells(view)), gain, chance)}"


# --------------------------------------------------------------------------- 5 vor 12


def _fivetotwelve(view: fivetotwelve.FiveView, chance: Generator) -> str:
    """Fills a cell where it can, the one nearest to where the tile belongs on an even board; else draws.
    What was drawn and fills none is exchanged for a tile that lies further from its place, or left."""
    rules = fivetotwelve.GAME
    if view.phase == "place":
        return rules.stand_in(rules.choice(view))
    assert view.seat is not None
    board, legal = view.boards[view.seat], rules.legal(view)
    laying = [move for move in legal if move not in ("draw", "leave")]

    def gain(move: str) -> float:
        """How much nearer to its place a tile lies than the one there before; a free cell has none."""
        (tile,), (cell,) = rules.parse(move).tiles, rules.parse(move).cells
        return (_astray(board[cell], cell) if board[cell] else 0.0) - _astray(tile, cell)

    filling = [move for move in laying if not board[rules.parse(move).cells[0]]]
    if filling:
        return _most(filling, gain, chance)
    if "draw" in legal:
        return "draw"
    better = [move for move in laying if gain(move) > 0]
    return _most(better, gain, chance) if better else "leave"


def _astray(tile: int, cell: int) -> float:
    """How far a tile is from its cell's even share: A1 stands for about 2, D4 for about 19."""
    return abs(tile - 2 - 17 / 6 * (cell // fivetotwelve.SIDE + cell % fivetotwelve.SIDE))


# --------------------------------------------------------------------------- Zatre


def _zatre(view: zatre.ZatreView, chance: Generator) -> str:
    """The turn that adds most to the sheet."""
    rules = zatre.GAME
    if not rules.lists(view):  # too many tiles are held to look at all turns
        return rules.stand_in(rules.choice(view))
    assert view.seat is not None
    sheet = view.sheets[view.sheet_of(view.seat)]

    def points(move: str) -> int:
        laid = zatre.parse_placements(move)
        found = zatre.gain(zatre.with_tiles(view.board, laid), [cell for cell, _ in laid])
        return sheet.worth(found).total if found.runs else 0

    return _most(rules.legal(view), points, chance)


# --------------------------------------------------------------------------- Topominos


def _topominos(view: topominos.TopominosView, chance: Generator) -> str:
    """The first lay of the turn that scores most, as far as the rack and the stacks show it."""
    turn = _TopominosTurn(view)
    points, lays = _most(list(turn.plans()), lambda plan: plan[0], chance)
    if lays and points > turn.scored:
        return lays[0]
    others = [move for move in topominos.GAME.legal(view) if "@" not in move]
    return "end" if view.laid else chance.choice(others)


Lays = tuple[str, ...]
Subset = int  # of the rack, as bits


class _TopominosTurn:
    """What a turn can come to. A stack scores all its dots once something was laid on it, whatever it was; so
    of each subset of the rack it matters alone whether it fits there."""

    def __init__(self, view: topominos.TopominosView) -> None:
        self.view = view
        self.scored = view.pending
        self.everything = (1 << len(view.rack)) - 1

    def plans(self) -> Iterator[tuple[int, Lays]]:
        """Points that a turn comes to, and its lays; without lays as it is."""
        view, fills = self.view, self.view.fills
        yield self.scored, ()
        empty = next((cell for cell in topominos.CELLS if not fills[topominos.CELL_INDEX[cell]]), None)
        if view.mode == "start":
            assert view.start is not None
            yield from self.on(view.start).values()
            return
        if view.mode == "open" and empty is not None:
            yield from self.on(empty).values()
        best: dict[Subset, tuple[int, Lays]] = {0: (self.scored, ())}
        for cell in topominos.CELLS:
            if fills[topominos.CELL_INDEX[cell]]:
                more = dict(best)
                for used, (points, lays) in self.on(cell).items():
                    for before, (others, first) in best.items():
                        joined = points - self.scored + others
                        if not used & before and joined > more.get(used | before, (0, ()))[0]:
                            more[used | before] = joined, first + lays
                best = more
        yield from best.values()

    def on(self, cell: str) -> dict[Subset, tuple[int, Lays]]:
        """Points of the turn if these pieces, and no others, are laid in a compartment, and how."""
        view, full = self.view, self.view.fills[topominos.CELL_INDEX[cell]]
        base = self.scored + (0 if cell in view.touched else full.bit_count())
        reached: dict[Subset, dict[int, Lays]] = {0: {full: ()}}
        for used in range(1, self.everything + 1):
            masks: dict[int, Lays] = {}
            for number, name in enumerate(view.rack):
                if used >> number & 1:
                    for mask, lays in reached[used & ~(1 << number)].items():
                        for dots in topominos.FITTING[name][mask]:
                            masks.setdefault(mask | topominos.MASKS[dots], (*lays, f"{dots}@{cell}"))
            reached[used] = masks
        return {
            used: (base + (mask ^ full).bit_count(), lays)
            for used, masks in reached.items()
            if used
            for mask, lays in list(masks.items())[:1]
        }


# --------------------------------------------------------------------------- Top Spot


def _topspot(view: topspot.TopSpotView, chance: Generator) -> str:
    """The cheapest stack that is the highest of the round as it stands; else the least card."""
    rules = topspot.GAME
    best = max((play.value for play in view.plays if play.counts), default=-1)
    winning = [move for move in rules.legal(view) if _counts(view, move) and topspot.stack_value(move) > best]
    if not winning:
        return rules.stand_in(rules.choice(view))
    return _most(winning, lambda move: (-len(topspot.stack_cards(move)), -topspot.stack_value(move)), chance)


def _counts(view: topspot.TopSpotView, move: str) -> bool:
    return not view.colour or move[0] in (view.colour, topspot.JOKER)


GREEDY: Final[Mapping[str, Callable[[Any, Generator], str]]] = {
    "top12": _top12,
    "fivetotwelve": _fivetotwelve,
    "zatre": _zatre,
    "topominos": _topominos,
    "topspot": _topspot,
}
"""By game: a move for the view's seat, which must be one that may act."""
