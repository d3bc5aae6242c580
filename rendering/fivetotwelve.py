"""Pictures of 5 vor 12: everybody's boards round the middle, and one's own board to play on.

Two boards stand side by side with the middle below them; three leave the fourth place to it; four have it
between
them. Nothing is hidden in this game but the order of the stock, so the public picture is everybody's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from bot.rules.fivetotwelve import CELLS, DIAGONAL, SIDE, SIZE, FiveView

from . import parts
from .parts import Grid
from .scene import Picture, Scene, alt_text, short_name, told, won_by
from .sprites import Box, Canvas, Sprite, cached, encode
from .theme import GAP, MARGIN, PLATE, SMALL, TIGHT, WIDTH, Colour, Theme

_COLUMN: Final = (WIDTH - 2 * MARGIN - GAP) // 2  # width of a board with its plate
_CELL: Final = 72
_EDGE: Final = 36  # room for the coordinates
_BOARD: Final = _EDGE + SIDE * _CELL + (SIDE - 1) * 6 + 14  # height of a board
_BLOCK: Final = PLATE + TIGHT + _BOARD
_STRIP: Final = 194  # height of the middle where it lies across
_HAND_STRIP: Final = 224  # and below one's own board
_WON: Final = 40  # height of the line that says at the end who has won
_BETWEEN: Final = (4, 8)  # px between the tiles in the middle: columns, rows
_LARGEST: Final = 84  # of these tiles, and
_SMALLEST: Final = 44
_WAVE: Final = 44  # size of the set-up tiles on a plate
_HAND_CELL: Final = 124

_TOLD: Final = ("fivetotwelve.event.placed", "tile")  # the text for a tile laid, and what it calls the tile
_PLACED: Final = re.compile(r"(\d+)@([A-D][1-4])")
_TAKEN: Final = re.compile(r"take (\d+)")

EXAMPLE: Final = (0.0, 0.0815, 1.0, 0.726)  # what shows a move: see `rendering/examples.py`


def table_pictures(view: FiveView, scene: Scene) -> tuple[Picture, ...]:
    """All boards, the middle, the stock, whose turn it is and the last move."""
    rows = 1 if view.players == 2 else 2
    across = view.players != 3
    top = _top(view)
    height = top + rows * _BLOCK + (rows - 1) * GAP + (_STRIP + GAP if across else 0) + MARGIN
    canvas = Canvas(scene.theme, WIDTH, height)
    _won(canvas, view, scene)
    lower = top + _BLOCK + GAP
    places = [(MARGIN, top), (MARGIN + _COLUMN + GAP, top)]
    if view.players == 4:  # clockwise round the middle
        places += [(MARGIN + _COLUMN + GAP, lower + _STRIP + GAP), (MARGIN, lower + _STRIP + GAP)]
    elif view.players == 3:
        places.append((MARGIN, lower))
    for seat in range(view.players):
        x, y = places[seat]
        _seat_plate(canvas, Box(x, y, _COLUMN, PLATE), view, scene, seat)
        _board(canvas, x, y + PLATE + TIGHT, view, seat)
    if across:
        _middle_across(canvas, Box(MARGIN, lower, WIDTH - 2 * MARGIN, _STRIP), view, scene)
    else:
        _middle_tall(canvas, Box(MARGIN + _COLUMN + GAP, lower, _COLUMN, _BLOCK), view, scene)
    return (Picture("fivetotwelve.png", encode(canvas), _table_alt(view, scene)),)


def hand_pictures(view: FiveView, scene: Scene) -> tuple[Picture, ...]:
    """The seat's own board, large, with what it may choose from. A spectator has none.

    scene.targets: cells, or numbers of tiles in the middle. scene.draft: the beginning of a move, such as
    `take 7`, `7@B1` or, where four tiles are laid at once, `3@A1 9@B2`. What is laid on trial lies on the
    board alone, and what it replaces in the middle.
    """
    if view.seat is None:
        return ()
    seat = view.seat
    top = _top(view)
    grid = Grid(MARGIN + 52, top + PLATE + TIGHT + 46, _HAND_CELL, SIDE, SIDE, 8)
    panel = Box(MARGIN, top + PLATE + TIGHT, 52 + grid.box.w + 20, 46 + grid.box.h + 20)
    canvas = Canvas(scene.theme, WIDTH, panel.bottom + GAP + _HAND_STRIP + MARGIN)
    _won(canvas, view, scene)
    _seat_plate(canvas, Box(MARGIN, top, WIDTH - 2 * MARGIN, PLATE), view, scene, seat, wave=False)
    canvas.paste(_empty_board(panel.w, panel.h, _HAND_CELL, 8, 52, 46), panel.x - 8, panel.y - 8)
    drafted = {name: text for text, name in _PLACED.findall(scene.draft)}
    _tiles(canvas, grid, view, seat, drafted)
    for name, text in drafted.items():
        box = grid.named(name)
        canvas.paste(parts.tile(text, _HAND_CELL, on=Colour.RECESS), box.x, box.y)
        parts.mark_preview(canvas, box)
    for target in scene.targets:
        if target in CELLS:
            covered = target in drafted or bool(view.boards[seat][CELLS.index(target)])
            parts.mark_target(canvas, grid.named(target), corner=covered)
    tried, marked = _tried(view, seat, scene.draft)
    _side(canvas, Box(panel.right + GAP, panel.y, WIDTH - MARGIN - GAP - panel.right, panel.h), tried, scene)
    strip = Box(MARGIN, panel.bottom + GAP, WIDTH - 2 * MARGIN, _HAND_STRIP)
    parts.board(canvas, strip)
    _open_tiles(canvas, strip.inset(16), tried, scene, marked)
    return (Picture("fivetotwelve-hand.png", encode(canvas), _hand_alt(view, scene, seat)),)


def _tried(view: FiveView, seat: int, draft: str) -> tuple[FiveView, list[int]]:
    """The view with the revealed tile and the middle as they are once a draft is played, and the numbers in
    the middle that the draft is about: a tile chosen there and not yet laid, or one that was exchanged."""
    taken = [int(text) for text in _TAKEN.findall(draft)]
    if not _PLACED.search(draft):
        return view, taken
    replaced = _replaced(view, seat, draft)
    middle = (Counter(view.middle) - Counter(taken) + Counter(replaced)).elements()
    return replace(view, hand=None, middle=tuple(sorted(middle))), replaced


def _replaced(view: FiveView, seat: int, draft: str) -> list[int]:
    """The numbers that a draft exchanges for others."""
    cells = (CELLS.index(name) for _, name in _PLACED.findall(draft))
    return [number for cell in cells if (number := view.boards[seat][cell])]


_COVER: Final = (
    (3, 5, 8, 11, 4, 7, 10, 14, 6, 9, 12, 17, 8, 13, 15, 20),
    (2, 4, 0, 0, 0, 5, 8, 0, 0, 0, 12, 16, 0, 0, 0, 19),
    (1, 0, 0, 0, 3, 6, 0, 0, 0, 7, 12, 0, 0, 0, 0, 18),
)


def cover(scene: Scene) -> tuple[Picture, ...]:
    """For the lobby: three boards, one of them full."""
    cell, gap, rim = 48, 4, 14
    side = SIDE * (cell + gap) - gap + 2 * rim
    canvas = Canvas(scene.theme, WIDTH, side + 2 * GAP)
    room = (WIDTH - 2 * MARGIN - 3 * side) // 2
    for number, board in enumerate(_COVER):
        panel = Box(MARGIN + number * (side + room), GAP, side, side)
        parts.board(canvas, panel)
        grid = Grid(panel.x + rim, panel.y + rim, cell, SIDE, SIDE, gap)
        for index, tile in enumerate(board):
            box = grid.at(*divmod(index, SIDE))
            sprite = _piece(tile, cell) if tile else parts.cell(cell, on=Colour.PANEL)
            canvas.paste(sprite, box.x, box.y)
    alt = scene.say("fivetotwelve.picture.alt.cover")
    return (Picture("fivetotwelve-cover.png", encode(canvas), alt),)


# --------------------------------------------------------------------------- boards


def _top(view: FiveView) -> int:
    """Where the plates begin."""
    return MARGIN + (_WON if view.outcome is not None else 0)


def _won(canvas: Canvas, view: FiveView, scene: Scene) -> None:
    """At the end, above everything, who has won."""
    if view.outcome is not None:
        winners = won_by((short_name(scene.names[seat], 16) for seat in view.outcome.winners), scene)
        parts.heading(canvas, MARGIN + 6, MARGIN + 12, winners, WIDTH - 2 * MARGIN - 12)


@cached
def _empty_board(theme: Theme, width: int, height: int, cell: int, gap: int, left: int, top: int) -> Canvas:
    """An empty board with its shadow, 8 px of felt round it."""
    canvas = Canvas(theme, width + 16, height + 16, Colour.FELT)
    parts.board(canvas, Box(8, 8, width, height))
    grid = Grid(8 + left, 8 + top, cell, SIDE, SIDE, gap)
    parts.coordinates(canvas, grid, max(SMALL, cell // 4), offset=min(left, top))
    hollow = parts.cell(cell, on=Colour.PANEL)
    for index in range(SIZE):
        box = grid.at(*divmod(index, SIDE))
        canvas.paste(hollow, box.x, box.y)
        if index in DIAGONAL:
            parts.mark_setup(canvas, box)
    return canvas


def _board(canvas: Canvas, x: int, y: int, view: FiveView, seat: int) -> None:
    left = (_COLUMN - SIDE * _CELL - (SIDE - 1) * 6) // 2 + 10
    canvas.paste(_empty_board(_COLUMN, _BOARD, _CELL, 6, left, _EDGE), x - 8, y - 8)
    _tiles(canvas, Grid(x + left, y + _EDGE, _CELL, SIDE, SIDE), view, seat)


def _tiles(canvas: Canvas, grid: Grid, view: FiveView, seat: int, drafted: Collection[str] = ()) -> None:
    """The tiles on a board; brackets on what was laid last of all. drafted: cells where a tile lies on trial
    and has a frame of its own."""
    for index, number in enumerate(view.boards[seat]):
        if number:
            box = grid.at(*divmod(index, SIDE))
            canvas.paste(_piece(number, grid.cell), box.x, box.y)
    last = view.last[seat]
    if last and seat == view.mover:
        for name in last.cells:
            if name not in drafted:
                parts.mark_last(canvas, grid.named(name))


def _piece(number: int, size: int) -> Sprite:
    return parts.tile(str(number), size, on=Colour.PANEL)


def _seat_plate(canvas: Canvas, box: Box, view: FiveView, scene: Scene, seat: int, wave: bool = True) -> None:
    """Name, whose turn, and cells filled (in a series: points), or the set-up tiles to be laid."""
    tiles = view.wave[seat] if wave else ()
    active = seat in view.actors
    score = str(view.points[seat]) if view.games > 1 else f"{sum(map(bool, view.boards[seat]))}/{SIZE}"
    parts.plate(
        canvas, box, scene.names[seat], seat, active=active, own=seat == view.seat,
        winner=view.outcome is not None and seat in view.outcome.winners,
        score="" if tiles else score, reserve=len(tiles) * (_WAVE + 4) + 8 if tiles else 0,
    )  # fmt: skip
    x = box.right - 14 - len(tiles) * (_WAVE + 4)
    for number in tiles:
        sprite = parts.tile(str(number), _WAVE, on=Colour.RAISED if active else Colour.PANEL)
        canvas.paste(sprite, x, box.cy - _WAVE // 2)
        x += _WAVE + 4


# --------------------------------------------------------------------------- the middle


def _stock(canvas: Canvas, x: int, y: int, size: int, view: FiveView, scene: Scene) -> None:
    """The face-down stock under its caption; (x, y) is the caption's left end and top."""
    parts.caption(canvas, x + size // 2, y + 12, scene.say("fivetotwelve.picture.stock"), size + 24, "mm")
    if view.stock:
        layers = 1 + (view.stock > 1) + (view.stock > 12) + (view.stock > 40)
        sprite = parts.pile(size, on=Colour.PANEL, layers=layers)
        canvas.paste(sprite, x, y + 34)
    else:
        canvas.paste(parts.cell(size, on=Colour.PANEL), x, y + 34)
    parts.count(canvas, x + size // 2, y + 34 + size // 2, str(view.stock), size=28)


def _revealed(canvas: Canvas, x: int, y: int, size: int, view: FiveView, scene: Scene, room: int = 0) -> None:
    """The revealed tile that is still to be laid, in brackets, or its empty place. room: of its caption."""
    words = scene.say("fivetotwelve.picture.revealed")
    parts.caption(canvas, x + size // 2, y + 12, words, room or size + 12, "mm")
    box = Box(x, y + 34, size, size)
    if view.hand is None:
        canvas.paste(parts.cell(size, on=Colour.PANEL), box.x, box.y)
    else:
        canvas.paste(_piece(view.hand, size), box.x, box.y)
        parts.mark_last(canvas, box)


def _middle_across(canvas: Canvas, box: Box, view: FiveView, scene: Scene) -> None:
    parts.board(canvas, box)
    _stock(canvas, box.x + 18, box.y + 14, 92, view, scene)
    _revealed(canvas, box.x + 130, box.y + 14, 96, view, scene)
    _open_tiles(canvas, Box(box.x + 244, box.y + 14, box.w - 244 - 12, box.h - 28), view, scene)


def _middle_tall(canvas: Canvas, box: Box, view: FiveView, scene: Scene) -> None:
    parts.board(canvas, box)
    _stock(canvas, box.x + 56, box.y + 14, 84, view, scene)
    _revealed(canvas, box.right - 56 - 88, box.y + 14, 88, view, scene, room=150)
    _open_tiles(canvas, Box(box.x + 16, box.y + 154, box.w - 32, box.h - 164), view, scene)


def _open_tiles(canvas: Canvas, box: Box, view: FiveView, scene: Scene, marked: Collection[int] = ()) -> None:
    """The face-up tiles, equal ones as one with a count, in the largest size that fits the box. marked: those
    that a draft is about."""
    say = scene.say
    words = say("fivetotwelve.picture.middle_closed" if view.closed else "fivetotwelve.picture.middle")
    used = parts.caption(canvas, box.x, box.y + 12, words, box.w)
    if view.games > 1:
        game = say("pictures.game", game=view.game_number, games=view.games)
        parts.caption(canvas, box.right, box.y + 12, game, box.w - used - GAP, "rm")
    tiles = Box(box.x, box.y + 34, box.w, box.h - 34)
    counted = sorted(Counter(view.middle).items())
    if not counted:
        parts.hollow(canvas, tiles, 12)
        return
    size, columns = _fit(len(counted), tiles)
    left = view.last[view.mover] if view.mover is not None else None
    across, down = size + _BETWEEN[0], size + _below(size) + _BETWEEN[1]
    places: list[Box] = []
    for index, (number, _) in enumerate(counted):
        row, column = divmod(index, columns)
        place = Box(tiles.x + column * across, tiles.y + row * down, size, size)
        places.append(place)
        canvas.paste(_piece(number, size), place.x, place.y)
    for (number, times), place in zip(counted, places, strict=True):  # marks reach over the neighbours
        if number in marked:
            parts.mark_preview(canvas, place)
        elif str(number) in scene.targets:
            parts.mark_target(canvas, place, corner=True, size=18)
        elif left and not left.cells and left.tile == number:
            parts.mark_last(canvas, place)
        if times > 1:
            y = place.bottom + _below(size) - parts.count_height() // 2 - 1
            parts.count(canvas, place.cx, y, f"×{times}")


def _below(size: int) -> int:
    """How far a count reaches out of a tile: its lower edge hides as much of it as the number leaves free."""
    return parts.count_height() - min(parts.count_height() // 2, round(size * 0.3) - 6)


def _fit(count: int, room: Box) -> tuple[int, int]:
    """Size of a tile and number of columns for `count` tiles in a room, each with a count below it."""
    between, under = _BETWEEN
    for size in range(_LARGEST, _SMALLEST, -1):
        columns = (room.w + between) // (size + between)
        if -(-count // columns) * (size + _below(size) + under) - under <= room.h:
            return size, columns
    return _SMALLEST, max(1, (room.w + between) // (_SMALLEST + between))


def _side(canvas: Canvas, box: Box, view: FiveView, scene: Scene) -> None:
    """Beside the own board: what is in hand or still to be laid, and the stock."""
    parts.board(canvas, box)
    assert view.seat is not None
    wave = view.wave[view.seat]
    size = 104 if len(wave) < 2 else 66
    x = box.cx - size // 2
    if wave:
        laid = [int(text) for text, _ in _PLACED.findall(scene.draft)]
        parts.caption(canvas, box.cx, box.y + 28, scene.say("fivetotwelve.picture.to_lay"), box.w - 8, "mm")
        for index, number in enumerate(wave):
            place = Box(x, box.y + 50 + index * (size + 10), size, size)
            if number in laid:
                laid.remove(number)
                canvas.paste(parts.cell(size, on=Colour.PANEL), place.x, place.y)
            else:
                canvas.paste(_piece(number, size), place.x, place.y)
    else:
        _revealed(canvas, x, box.y + 16, size, view, scene)
    _stock(canvas, box.cx - 46, box.bottom - 158, 92, view, scene)


# --------------------------------------------------------------------------- words


def _table_alt(view: FiveView, scene: Scene) -> str:
    names = [short_name(name) for name in scene.names]
    return alt_text(
        [
            scene.say("fivetotwelve.picture.alt.table", players=view.players),
            *_news(view, scene, names),
            *(_board_alt(view, scene, seat, names[seat]) for seat in range(view.players)),
            *_middle_alt(view, scene, names),
        ]
    )


def _hand_alt(view: FiveView, scene: Scene, seat: int) -> str:
    names = [short_name(name) for name in scene.names]
    sentences = [
        scene.say("fivetotwelve.picture.alt.hand"),
        *_news(view, scene, names),
        _board_alt(view, scene, seat, names[seat]),
        *_middle_alt(view, scene, names),
    ]
    if scene.draft:
        sentences.append(scene.say("pictures.alt.draft", draft=told(scene.draft, *_TOLD, scene)))
        sentences += [
            scene.say("fivetotwelve.picture.alt.exchanged", tile=number)
            for number in _replaced(view, seat, scene.draft)
        ]
    if scene.targets:
        sentences.append(scene.say("pictures.alt.targets", targets=", ".join(sorted(scene.targets))))
    return alt_text(sentences)


def _news(view: FiveView, scene: Scene, names: list[str]) -> list[str]:
    """Which game, whose turn or who won, what is revealed, what happened last."""
    say, found = scene.say, []
    if view.games > 1:
        found.append(say("pictures.alt.game", game=view.game_number, games=view.games))
    if view.outcome:
        found.append(say("pictures.alt.won", names=", ".join(names[seat] for seat in view.outcome.winners)))
    elif view.actors:
        found.append(say("pictures.alt.turn", names=", ".join(names[seat] for seat in view.actors)))
    if view.hand is not None:
        found.append(say("fivetotwelve.picture.alt.revealed", tile=view.hand))
    last = view.last[view.mover] if view.mover is not None else None
    if last and view.mover is not None:
        name = names[view.mover]
        if last.cells:
            board = view.boards[view.mover]
            laid = told(" ".join(f"{board[CELLS.index(cell)]}@{cell}" for cell in last.cells), *_TOLD, scene)
            found.append(say("fivetotwelve.picture.alt.last", laid=laid, name=name))
        else:
            found.append(say("fivetotwelve.picture.alt.left", tile=last.tile, name=name))
    return found


def _board_alt(view: FiveView, scene: Scene, seat: int, name: str) -> str:
    rows = [[view.boards[seat][column * SIDE + row] for column in range(SIDE)] for row in range(SIDE)]
    text = " / ".join(" ".join(str(number) if number else "–" for number in row) for row in rows)
    return scene.say("fivetotwelve.picture.alt.board", name=name, rows=text)


def _middle_alt(view: FiveView, scene: Scene, names: list[str]) -> list[str]:
    say = scene.say
    counted = sorted(Counter(view.middle).items())
    tiles = ", ".join(str(number) if times == 1 else f"{times}×{number}" for number, times in counted)
    found = [
        say("fivetotwelve.picture.alt.middle", tiles=tiles or say("fivetotwelve.picture.middle_empty")),
        say("fivetotwelve.picture.alt.stock", count=view.stock),
    ]
    for seat, wave in enumerate(view.wave):
        if wave:
            found.append(
                say("fivetotwelve.picture.alt.lay", name=names[seat], tiles=", ".join(map(str, wave)))
            )
    if view.games > 1:
        found += [
            say("pictures.alt.points", name=names[seat], n=view.points[seat]) for seat in range(view.players)
        ]
    return found
