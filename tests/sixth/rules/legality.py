"""What a seat may do now: asked of a `Choice`, which its view gives."""

from __future__ import annotations

from typing import NamedTuple

from bot.rules.errors import Illegal

from .board import CELLS, CORNERS, Move
from .view import CornersView


class Choice(NamedTuple):
    """blocking: whether a corner is to be blocked, or else a cell marked. cells: which may be."""

    blocking: bool
    cells: tuple[str, ...]


def choice_of(view: CornersView) -> Choice:
    """Of the view's seat, which may act."""
    if view.blocking:
        return Choice(True, CORNERS)
    free = [cell for cell in CELLS if view.owner(cell) is None and cell not in view.blocks]
    return Choice(False, tuple(free))


def listed(choice: Choice) -> list[str]:
    """Every legal move, sorted."""
    return [f"block {cell}" if choice.blocking else cell for cell in choice.cells]


def judge(choice: Choice, move: Move) -> None:
    """Nothing, if the move is legal. Raises Illegal with the rule."""
    if choice.blocking and not move.block:
        raise Illegal("block_first", game="corners", rule="1")
    if move.block and not choice.blocking:
        raise Illegal("blocks_over", game="corners", rule="1")
    if move.cell not in choice.cells:
        if move.block:
            raise Illegal("corner", game="corners", rule="1", cell=move.cell)
        raise Illegal("not_free", game="corners", rule="2", cell=move.cell)
