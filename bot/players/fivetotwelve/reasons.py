"""Why a move of 5 vor 12 is worth something, in the evaluation's own terms."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Final

from bot.players.contract import Term
from bot.rules.fivetotwelve import CELLS, DIAGONAL, SIZE, TOP, Move, fitting
from bot.rules.fivetotwelve.lay_or_exchange import cells_of, fits, lucky

from .judge import DECISIVE, GIFT, WIN, Judge

ID: Final = "fivetotwelve"
MOST: Final = 3
LEAST: Final = 0.05  # points below which a reason is none worth telling


def reasons(judge: Judge, move: Move) -> tuple[Term, ...]:
    """At most three, the weightiest first; none where nothing is worth telling."""
    view = judge.view
    if view.phase == "place":
        found = _set_up(judge, move)
    elif move.kind == "draw":
        found = _draw(judge)
    elif move.kind == "leave":
        found = _leave(judge)
    else:
        found = _lay(judge, move)
    told = [term for term in found if term.worth >= LEAST]
    return tuple(sorted(told, key=lambda term: -term.worth)[:MOST])


def _set_up(judge: Judge, move: Move) -> list[Term]:
    """How much easier it is to fill the other cells than with the tile on any other of the diagonal."""
    tile, cell = move.tiles[0], move.cells[0]
    if len(move.tiles) > 1:
        return [Term(f"{ID}.why.rising", 1.0)]
    others = [judge.worth(judge.laid(tile, one)) for one in DIAGONAL if one != cell and not judge.board[one]]
    if not others:  # there is no choice
        return []
    values = (("tile", tile), ("cell", CELLS[cell]))
    return [Term(f"{ID}.why.set_up", judge.worth(judge.laid(tile, cell)) - max(others), values)]


def _draw(judge: Judge) -> list[Term]:
    """How many of the face-down tiles fit a free cell."""
    covered = sum(judge.unseen)
    good = sum(
        judge.unseen[tile]
        for tile in range(1, TOP + 1)
        if any(not judge.board[cell] for cell in fitting(judge.board, tile))
    )
    return [Term(f"{ID}.why.draw", good / covered, (("good", good), ("all", covered)))]


def _leave(judge: Judge) -> list[Term]:
    tile = judge.view.hand
    assert tile is not None
    found = []
    if all(judge.board[cell] for cell in fitting(judge.board, tile)):
        found.append(Term(f"{ID}.why.no_use", LEAST, (("tile", tile),)))
    if tile not in judge.wanted and _goes_on(judge):
        found.append(Term(f"{ID}.why.no_gift", GIFT, (("tile", tile),)))
    return found


def _lay(judge: Judge, move: Move) -> list[Term]:
    tile, cell = move.tiles[0], move.cells[0]
    old = judge.board[cell]
    after = judge.laid(tile, cell)
    if 0 not in after:
        return [Term(f"{ID}.why.full", WIN, (("tile", tile), ("cell", CELLS[cell])))]
    found = []
    if not old:
        found.append(Term(f"{ID}.why.fills", 1.0, (("tile", tile), ("cell", CELLS[cell]))))
    if not _goes_on(judge):
        return found
    before, then = judge.chances(judge.board), judge.chances(after)
    fitted, fit = _fitting(judge.board), _fitting(after)
    free = [one for one in range(SIZE) if not after[one]]
    wider = [(then[one] - before[one], -one) for one in free if fit[one] > fitted[one]]
    if wider:
        gain, number = max(wider)
        found.append(Term(f"{ID}.why.room", gain, (("cell", CELLS[-number]),)))
    lost = -fsum(min(0.0, then[one] - before[one]) for one in free)
    if not old and lost < LEAST and all(fit[one] == fitted[one] for one in free):
        found.append(Term(f"{ID}.why.keeps_room", LEAST))
    again = bool(judge.view.option("bruno")) and lucky(tuple(after), cell)
    source = judge.lying if move.kind == "take" else [judge.view.hand]
    taken = tile if move.kind == "take" else 0
    if tile in judge.fatal and tile in source and judge.gives(old, taken) < DECISIVE:
        following = judge.fills_next(tile) and not again
        key = f"{ID}.why.stops" if following else f"{ID}.why.stops_others"
        found.append(Term(key, DECISIVE, (("tile", tile),)))
    if old and old not in judge.wanted and not again:
        found.append(Term(f"{ID}.why.no_gift", GIFT, (("tile", old),)))
    if wider and all(term.worth < LEAST for term in found):  # a little everywhere, if anything
        gained = judge.worth(after) - judge.now
        found.append(Term(f"{ID}.why.sits", gained, (("tile", tile), ("cell", CELLS[cell]), ("old", old))))
    return found


def _goes_on(judge: Judge) -> bool:
    """Whether anybody has a turn after this one: with the last tile of the stock the game ends (rule 5)."""
    return judge.view.hand is None or judge.view.stock > 0


def _fitting(board: Sequence[int]) -> list[int]:
    """By cell, how many numbers fit there."""
    found = [0] * SIZE
    fit = fits(board)
    for tile in range(1, TOP + 1):
        for cell in cells_of(fit, tile):
            found[cell] += 1
    return found
