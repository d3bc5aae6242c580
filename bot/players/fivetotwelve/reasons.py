"""Why a move of 5 vor 12 is worth something, in the evaluation's own terms."""

from __future__ import annotations

from math import fsum
from typing import Final

from bot.players.contract import Term
from bot.rules.fivetotwelve import CELLS, DIAGONAL, SIZE, TOP, Move, fitting

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
    """How much more room a tile leaves on its cell than on any other of the diagonal."""
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
    view = judge.view
    assert view.hand is not None
    found = [Term(f"{ID}.why.no_use", LEAST, (("tile", view.hand),))]
    if view.hand not in judge.wanted:
        found.append(Term(f"{ID}.why.no_gift", GIFT, (("tile", view.hand),)))
    return found


def _lay(judge: Judge, move: Move) -> list[Term]:
    tile, cell = move.tiles[0], move.cells[0]
    old = judge.board[cell]
    after = judge.laid(tile, cell)
    found = []
    if 0 not in after:
        return [Term(f"{ID}.why.full", WIN, (("tile", tile), ("cell", CELLS[cell])))]
    if not old:
        found.append(Term(f"{ID}.why.fills", 1.0, (("tile", tile), ("cell", CELLS[cell]))))
    before, then = judge.chances(judge.board), judge.chances(after)
    gains = [(then[one] - before[one], -one) for one in range(SIZE) if not after[one]]
    if gains:
        gain, number = max(gains)
        found.append(Term(f"{ID}.why.room", gain, (("cell", CELLS[-number]),)))
        lost = -fsum(min(0.0, one) for one, _ in gains)
        if not old and lost < LEAST:
            found.append(Term(f"{ID}.why.keeps_room", LEAST))
    source = judge.lying if move.kind == "take" else [judge.view.hand]
    taken = tile if move.kind == "take" else 0
    if tile in judge.fatal and tile in source and judge.gives(old, taken) < DECISIVE:
        found.append(Term(f"{ID}.why.stops", DECISIVE, (("tile", tile),)))
    if old and old not in judge.wanted:
        found.append(Term(f"{ID}.why.no_gift", GIFT, (("tile", old),)))
    if all(term.worth < LEAST for term in found):  # a little everywhere, if anything
        gained = judge.worth(after) - judge.now
        found.append(Term(f"{ID}.why.sits", gained, (("tile", tile), ("cell", CELLS[cell]), ("old", old))))
    return found
