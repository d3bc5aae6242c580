"""The board and each event in words, from the language's catalogue."""

from __future__ import annotations

from collections.abc import Sequence

from bot.rules.game import Event, Say

from .board import COLUMNS, ROWS, SIGNS
from .view import HIDDEN, CornersView


def board_text(view: CornersView, names: Sequence[str], say: Say) -> str:
    """See `Game.board_text`."""
    lines = [_block(name, corner, say) for name, corner in zip(names, view.blocks, strict=True)]
    for row in ROWS:
        cells = ", ".join([_cell(view, column + row, say) for column in COLUMNS])
        lines.append(say("corners.text.row", row=row, cells=cells))
    if view.last:
        lines.append(say("corners.text.last", cell=view.last))
    if view.outcome:
        lines.append(say("corners.text.over", names=_named(view.outcome.winners, names)))
    elif view.actors:
        lines.append(say("corners.text.turn", names=_named(view.actors, names)))
    return "\n".join(lines)


def describe(event: Event, names: Sequence[str], say: Say) -> str:
    """See `Game.describe`."""
    if event.player is None:
        return say("corners.event.first", name=names[int(event.text.removeprefix("first "))])
    name = names[event.player]
    if event.text.startswith("block "):
        return _block(name, event.text.removeprefix("block "), say)
    return say("corners.event.mark", name=name, cell=event.text)


def _block(name: str, corner: str, say: Say) -> str:
    if not corner:
        return say("corners.text.no_block", name=name)
    if corner == HIDDEN:
        return say("corners.text.hidden_block", name=name)
    return say("corners.text.block", name=name, cell=corner)


def _cell(view: CornersView, cell: str, say: Say) -> str:
    owner = view.owner(cell)
    if owner is not None:
        return SIGNS[owner]
    return say("corners.text.blocked") if cell in view.blocks else say("corners.text.free")


def _named(seats: Sequence[int], names: Sequence[str]) -> str:
    return ", ".join([names[seat] for seat in seats])
