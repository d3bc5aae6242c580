"""Pictures of Blocked Corners: the players, and the board below them."""

from __future__ import annotations

from typing import Final

from rendering import parts
from rendering.parts import Grid
from rendering.scene import Picture, Scene, alt_text, short_name
from rendering.sprites import Box, Canvas, encode
from rendering.theme import GAP, MARGIN, MARK_WIDTH, PLATE, RADIUS, WIDTH, Colour

from .rules import CELLS, COLUMNS, GAME, ROWS, SIGNS, CornersView

_EDGE: Final = 48  # room for the coordinates
_CELL: Final = 150
_PLATE: Final = (WIDTH - 2 * MARGIN - GAP) // 2


def table_pictures(view: CornersView, scene: Scene) -> tuple[Picture, ...]:
    """What everybody sees."""
    return (_picture("corners.png", view, scene),)


def hand_pictures(view: CornersView, scene: Scene) -> tuple[Picture, ...]:
    """The same for the seat, with its own block, what it may choose and what it has chosen."""
    return () if view.seat is None else (_picture("corners-hand.png", view, scene),)


def cover(scene: Scene) -> tuple[Picture, ...]:
    """For the lobby: the signs of both."""
    canvas = Canvas(scene.theme, WIDTH, _CELL + 2 * GAP)
    for seat, sign in enumerate(SIGNS):
        left = WIDTH // 2 + (2 * seat - 1) * _CELL - _CELL // 2
        canvas.paste(parts.tile(sign, _CELL, on=Colour.FELT), left, GAP)
    return (Picture("corners-cover.png", encode(canvas), scene.say("corners.picture.cover")),)


def _picture(name: str, view: CornersView, scene: Scene) -> Picture:
    top = MARGIN + PLATE + GAP
    left = (WIDTH - _EDGE - 3 * _CELL) // 2
    grid = Grid(left + _EDGE, top + _EDGE, _CELL, len(COLUMNS), len(ROWS))
    panel = Box(left, top, _EDGE + grid.box.w + GAP, _EDGE + grid.box.h + GAP)
    canvas = Canvas(scene.theme, WIDTH, panel.bottom + MARGIN)
    for seat in range(view.players):
        parts.plate(
            canvas,
            Box(MARGIN + seat * (_PLATE + GAP), MARGIN, _PLATE, PLATE),
            scene.names[seat],
            seat,
            score=SIGNS[seat],
            active=seat in view.actors,
            winner=view.outcome is not None and seat in view.outcome.winners,
            own=seat == view.seat,
        )
    parts.board(canvas, panel)
    parts.coordinates(canvas, grid, offset=_EDGE)
    for cell in CELLS:
        _draw_cell(canvas, grid.named(cell), view, cell)
    if view.last:
        parts.mark_last(canvas, grid.named(view.last))
    for target in scene.targets:
        parts.mark_target(canvas, grid.named(target))
    if scene.draft:
        parts.mark_preview(canvas, grid.named(scene.draft.removeprefix("block ")))
    names = [short_name(each) for each in scene.names]
    return Picture(name, encode(canvas), alt_text(GAME.board_text(view, names, scene.say).splitlines()))


def _draw_cell(canvas: Canvas, box: Box, view: CornersView, cell: str) -> None:
    owner = view.owner(cell)
    if owner is not None:
        canvas.paste(parts.tile(SIGNS[owner], _CELL, on=Colour.PANEL), box.x, box.y)
        return
    canvas.paste(parts.cell(_CELL, on=Colour.PANEL), box.x, box.y)
    if cell in view.blocks:
        canvas.hatch(box, RADIUS, 24, MARK_WIDTH, Colour.LINE)
