"""Pictures of Zatre: the board, the score sheets, and the board with one's own tiles.

The board's ground is one cached sprite; tiles are pasted on it, then the runs that the last turn (in the
hand: the draft) scored with are framed and their sums put into the empty cell at an end of the run, which a
whole run always has unless it reaches both edges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from bot.rules.zatre import (
    CELLS,
    COLUMNS,
    INDEX,
    KEEP,
    LIGHT,
    NAMES,
    RED,
    SIDE,
    Gain,
    Run,
    ZatreView,
    gain,
    lots_words,
)
from bot.rules.zatre import WIDTH as STRIDE
from bot.text import figures

from . import fonts, parts
from .parts import Grid
from .scene import Picture, Scene, alt_text, short_name, told, won_by
from .sprites import Box, Canvas, Sprite, cached, encode
from .theme import GAP, MARGIN, PLATE, SMALL, TEXT_MIN, TIGHT, WIDTH, Colour, Theme
from .zatre_sheets import first_of_pair, last_laid, sheets_picture

_EDGE: Final = 32  # room for the coordinates
_CELL: Final = 45
_LEFT: Final = 16  # of the board's panel
_PANEL: Final = WIDTH - 2 * _LEFT
_SPAN: Final = SIDE * (_CELL + 2) - 2
_TALL: Final = _SPAN + 2 * _EDGE
_STRIP: Final = 44  # height of the line with the bag and the news
_RACK: Final = 132  # height of the strip with the tiles held

_TOLD: Final = ("zatre.event.tile", "tile")  # the text for a tile laid, and what it calls the tile
_LAID: Final = re.compile(r"([1-6])@([A-O][1-9][0-5]?)(?: |$)")
_CHOSEN: Final = re.compile(r"(?:^| )([1-6])(?:@[0-9-]*)?$")

_STEP: Final = _CELL + 2
_HAND_TOP: Final = MARGIN + _STRIP + TIGHT  # of the board in a hand's picture
_HAND_HIGH: Final = _HAND_TOP + _TALL + GAP + _RACK + MARGIN

# What shows a move (see `rendering/examples.py`): the cells round the middle, whole, from E6 to L12.
EXAMPLE: Final = (
    (_LEFT + _EDGE + 4 * _STEP - 1) / WIDTH,
    (_HAND_TOP + _EDGE + 5 * _STEP - 1) / _HAND_HIGH,
    (_LEFT + _EDGE + 12 * _STEP - 1) / WIDTH,
    (_HAND_TOP + _EDGE + 12 * _STEP - 1) / _HAND_HIGH,
)


def table_pictures(view: ZatreView, scene: Scene) -> tuple[Picture, ...]:
    """The board with everybody's name plate, and the score sheets."""
    plates = -(-view.players // 2) * (PLATE + TIGHT)
    top = MARGIN + plates + _STRIP + TIGHT
    canvas = Canvas(scene.theme, WIDTH, top + _TALL + MARGIN)
    _plates(canvas, MARGIN, view, scene)
    last = last_laid(view)
    lots = view.opening and view.lots and view.outcome is None
    news = ("", scene.say("zatre.picture.lots")) if lots else _news(view, scene)
    _strip(canvas, MARGIN + plates, view, scene, news)
    _board(canvas, top, view.board, last, gain(view.board, last).runs)
    board = Picture("zatre.png", encode(canvas), _board_alt(view, scene), in_hand=True)
    return board, sheets_picture(view, scene)


def hand_pictures(view: ZatreView, scene: Scene) -> tuple[Picture, ...]:
    """The board with the draft laid on trial, and the tiles held (the partner's beside them). A spectator has
    none.

    scene.targets: cells, or values of held tiles. scene.draft: placements, and perhaps a tile chosen for the
    next, such as `4@G8 6@H8`, `4@G8 6` or, with its row, `4@G8 6@8`.
    """
    if view.seat is None:
        return ()
    drafted, chosen = _draft(view, scene.draft)
    board = bytearray(view.board)
    for cell, value in drafted.items():
        board[cell] = value
    found = gain(bytes(board), tuple(drafted))
    canvas = Canvas(scene.theme, WIDTH, _HAND_HIGH)
    news = _news(view, scene)
    if drafted:
        news = "", scene.say("zatre.picture.draft", gain=_gain_words(found, scene))
    _strip(canvas, MARGIN, view, scene, news)
    marked = () if drafted else last_laid(view)
    runs = found.runs if drafted else gain(view.board, marked).runs
    targets = tuple(INDEX[name] for name in scene.targets if name in INDEX)
    _board(canvas, _HAND_TOP, bytes(board), marked, runs, tuple(drafted), targets)
    _rack(canvas, _HAND_TOP + _TALL + GAP, view, scene, tuple(drafted.values()), chosen)
    return (Picture("zatre-hand.png", encode(canvas), _hand_alt(view, scene, found if drafted else None)),)


_COVER: Final = (
    "3@E6 4@F6 4@G6 3@I6 1@J6 4@K6 3@D7 1@E7 6@F7 5@H7 5@I7 2@J7 5@B8 "
    "2@C8 5@D8 2@F8 5@G8 4@H8 4@J8 6@K8 3@M8 6@G9 5@J9 2@K9 2@L9 1@M9 1@K10"
)


def cover(scene: Scene) -> tuple[Picture, ...]:
    """For the lobby: five rows of the board round its middle, with tiles."""
    tiles = {INDEX[name]: int(value) for value, name in _LAID.findall(_COVER)}
    rows = range(5, 10)
    canvas = Canvas(scene.theme, WIDTH, len(rows) * (_CELL + 2) + 24 + 2 * GAP)
    panel = Box(_LEFT, GAP, _PANEL, len(rows) * (_CELL + 2) + 24)
    parts.board(canvas, panel)
    grid = Grid(_LEFT + (_PANEL - _SPAN) // 2, GAP + 13 - rows[0] * (_CELL + 2), _CELL, SIDE, SIDE, 2)
    for cell in CELLS:
        if cell // STRIDE in rows:
            box = _place(grid, cell)
            canvas.paste(_tile(tiles[cell], _CELL) if cell in tiles else _free_cell(cell), box.x, box.y)
    return (Picture("zatre-cover.png", encode(canvas), scene.say("zatre.picture.alt.cover")),)


# --------------------------------------------------------------------------- the board


def _grid(top: int) -> Grid:
    return Grid(_LEFT + _EDGE, top + _EDGE, _CELL, SIDE, SIDE, 2)


def _place(grid: Grid, cell: int) -> Box:
    return grid.at(cell % STRIDE, cell // STRIDE)


@cached
def _light_cell(theme: Theme, *, on: Colour) -> Canvas:
    """A light cell: hatched, with a diamond, so that no colour is needed."""
    canvas = Canvas(theme, _CELL, _CELL, on)
    canvas.rounded(Box(0, 0, _CELL, _CELL), 5, Colour.LIT)
    canvas.hatch(Box(0, 0, _CELL, _CELL), 5, 11, 2, Colour.LINE)
    return canvas


@cached
def _start_cell(theme: Theme, *, on: Colour) -> Canvas:
    """The red cell, with a ring."""
    canvas = Canvas(theme, _CELL, _CELL, on)
    canvas.rounded(Box(0, 0, _CELL, _CELL), 5, Colour.RED)
    canvas.ellipse(Box(9, 9, _CELL - 18, _CELL - 18), None, Colour.CHALK, 4)
    return canvas


@cached
def _ground(theme: Theme) -> Canvas:
    """The empty board with its coordinates, 8 px of felt round it."""
    canvas = Canvas(theme, _PANEL + 16, _TALL + 16, Colour.FELT)
    parts.board(canvas, Box(8, 8, _PANEL, _TALL))
    grid = Grid(8 + _EDGE, 8 + _EDGE, _CELL, SIDE, SIDE, 2)
    parts.coordinates(canvas, grid, TEXT_MIN, offset=_EDGE, around=True)
    for cell in CELLS:
        box = _place(grid, cell)
        canvas.paste(_free_cell(cell), box.x, box.y)
    return canvas


def _free_cell(cell: int) -> Sprite:
    if cell == RED:
        return _start_cell(on=Colour.PANEL)
    return _light_cell(on=Colour.PANEL) if cell in LIGHT else parts.cell(_CELL, on=Colour.PANEL)


def _tile(value: int, size: int, on: Colour = Colour.PANEL) -> Sprite:
    return parts.tile(str(value), size, on=on, text=round(size * 0.72))


def _board(
    canvas: Canvas,
    top: int,
    board: bytes,
    last: Sequence[int],
    runs: Sequence[Run],
    drafted: Sequence[int] = (),
    targets: Sequence[int] = (),
) -> None:
    """The board with brackets on the tiles laid last, dashes round the draft's, diamonds on the targets, and
    the scoring runs framed."""
    canvas.paste(_ground(), _LEFT - 8, top - 8)
    grid = _grid(top)
    for cell in CELLS:
        if board[cell]:
            box = _place(grid, cell)
            canvas.paste(_tile(board[cell], _CELL), box.x, box.y)
    for run in runs:
        first, end = _place(grid, run.cells[0]), _place(grid, run.cells[-1])
        parts.mark_run(canvas, Box(first.x, first.y, end.right - first.x, end.bottom - first.y), width=4)
    for cell in last:
        parts.mark_last(canvas, _place(grid, cell))
    for cell in drafted:
        parts.mark_preview(canvas, _place(grid, cell))
    labels: set[int] = set()
    for run in runs:
        cell = _label_cell(board, run, labels.union(targets))
        labels.add(cell)
        box = _place(grid, cell)
        parts.count(canvas, box.cx, box.cy, str(run.total), size=24, fill=Colour.AMBER_DARK)
    for cell in targets:
        parts.mark_target(canvas, _place(grid, cell), corner=bool(board[cell]) or cell in labels)


def _label_cell(board: bytes, run: Run, taken: set[int]) -> int:
    """Where a run's sum goes: an empty place at one of its ends, best one that is on the panel and free."""
    step = run.cells[1] - run.cells[0]
    ends = [run.cells[-1] + step, run.cells[0] - step]
    inside = [
        cell
        for cell in ends
        if cell >= 0 and cell % STRIDE < SIDE and cell // STRIDE < SIDE and not board[cell]
    ]
    free = [cell for cell in inside if cell not in taken]
    return (free or inside or [run.cells[-1]])[0]


def _draft(view: ZatreView, text: str) -> tuple[dict[int, int], int]:
    """The draft's tiles by cell, as far as they can be shown, and the value chosen for the next (0: none)."""
    found = {
        INDEX[name]: int(value)
        for value, name in _LAID.findall(text)
        if name in INDEX and not view.board[INDEX[name]]
    }
    chosen = _CHOSEN.search(text)
    return found, int(chosen[1]) if chosen else 0


# --------------------------------------------------------------------------- plates, strip, rack


def _plates(canvas: Canvas, top: int, view: ZatreView, scene: Scene) -> None:
    """Name, total and number of tiles held of every seat; at the opening the lots instead. Pairs are joined,
    their total is on the second plate."""
    gap = 24 if view.partners else TIGHT
    width = (WIDTH - 2 * MARGIN - gap) // 2
    for seat in range(view.players):
        row, column = divmod(seat, 2)
        box = Box(MARGIN + column * (width + gap), top + row * (PLATE + TIGHT), width, PLATE)
        lots = [lot[seat] for lot in view.lots] if view.opening else []
        drawn = [lot for lot in lots if lot is not None]
        active = seat in view.actors
        over = view.outcome is not None
        winner = view.outcome is not None and seat in view.outcome.winners
        room = 0 if over else 64
        parts.plate(
            canvas, box, scene.names[seat], seat, active=active, own=seat == view.seat, winner=winner,
            score="" if view.opening or first_of_pair(view, seat) else figures(view.scores[seat]),
            reserve=room,
        )  # fmt: skip
        if view.partners and column:
            parts.count(canvas, box.x - gap // 2, box.cy, "&", size=24)
        if over:
            continue
        on = Colour.RAISED if active else Colour.PANEL
        x = box.right - room - 4
        if view.opening:
            if drawn:
                canvas.paste(_tile(drawn[-1], 40, on), x + 14, box.cy - 20)
            continue
        canvas.paste(_back(on=on), x + 4, box.cy - 14)
        canvas.text(x + 38, box.cy, str(view.counts[seat]), 26, Colour.TEXT, "lm", fonts.BOLD, most=28)


def _back(*, on: Colour) -> Sprite:
    """The back of a tile: how many somebody holds."""
    return parts.pile(28, on=on, layers=1)


def _strip(canvas: Canvas, top: int, view: ZatreView, scene: Scene, news: tuple[str, str]) -> None:
    """The bag, and what happened last or would: a name and words, apart so that a name written from right to
    left does not turn the words round."""
    x = MARGIN + 6
    middle = top + _STRIP // 2
    if view.outcome is not None:
        x += parts.heading(canvas, x, middle, _winners(view, scene), 480, size=26) + GAP
        right = WIDTH - MARGIN - 6
        parts.caption(canvas, right, middle, news[1], right - x, "rm", size=24)
        return
    canvas.paste(parts.pile(30, on=Colour.FELT, layers=2 if view.bag else 1), x, middle - 18)
    words = scene.say("zatre.picture.bag", n=view.bag)
    x += 44 + parts.caption(canvas, x + 44, middle, words, 220, size=24) + GAP
    right = WIDTH - MARGIN - 6
    name, words = news
    right -= parts.heading(canvas, right, middle, words, right - x - (160 if name else 0), "rm", 26) + 12
    if name:
        canvas.text(right, middle, name, 26, Colour.SOFT, "rm", most=right - x, least=SMALL, middle=True)


def _rack(
    canvas: Canvas, top: int, view: ZatreView, scene: Scene, drafted: Sequence[int], chosen: int
) -> None:
    """The tiles held, those of the draft left out, and the partner's where there is one."""
    assert view.seat is not None
    partner = view.seat ^ 1 if view.partners else None
    width = WIDTH - 2 * MARGIN
    own = Box(MARGIN, top, width if partner is None else round(width * 0.6), _RACK)
    targets = {int(name) for name in scene.targets if name in {"1", "2", "3", "4", "5", "6"}}
    _tiles_held(canvas, own, scene.say("zatre.picture.hand"), view.held, drafted, chosen, targets)
    if partner is not None:
        box = Box(own.right + GAP, top, width - own.w - GAP, _RACK)
        _tiles_held(canvas, box, scene.names[partner], view.hands[partner] or ())


def _tiles_held(
    canvas: Canvas,
    box: Box,
    words: str,
    held: Sequence[int],
    drafted: Sequence[int] = (),
    chosen: int = 0,
    targets: Iterable[int] = (),
) -> None:
    parts.board(canvas, box)
    parts.caption(canvas, box.x + 16, box.y + 21, words, box.w - 32, middle=True)
    gone, picked = list(drafted), chosen
    size = max(28, min(72, (box.w - 32 + 8) // max(1, len(held)) - 8))
    y = box.y + 46 + (76 - size) // 2
    for place, value in enumerate(held):
        spot = Box(box.x + 16 + place * (size + 8), y, size, size)
        if value in gone:
            gone.remove(value)
            canvas.paste(parts.cell(size, on=Colour.PANEL), spot.x, spot.y)
            continue
        canvas.paste(_tile(value, size), spot.x, spot.y)
        if value == picked:
            picked = 0
            parts.mark_preview(canvas, spot)
        elif value in targets:
            parts.mark_target(canvas, spot, corner=True)


# --------------------------------------------------------------------------- words


def _news(view: ZatreView, scene: Scene) -> tuple[str, str]:
    """What happened last, for the strip: whose name goes with it, and the words."""
    if view.outcome:
        return "", scene.say(f"zatre.reason.{view.outcome.reason.replace(' ', '_')}")
    if not view.last:
        return "", ""
    seat, text = view.last[-1]
    if text == KEEP:
        return scene.names[seat], scene.say("zatre.picture.kept")
    return scene.names[seat], _gain_words(gain(view.board, last_laid(view)), scene)


def _winners(view: ZatreView, scene: Scene) -> str:
    """Who has won; a pair has one name."""
    assert view.outcome is not None
    most = 12 if view.partners else 16
    return won_by(view.sides(view.outcome.winners, [short_name(name, most) for name in scene.names]), scene)


def _gain_words(found: Gain, scene: Scene) -> str:
    """`runs of 11 + 12, 1 cross`."""
    if not found.runs:
        return scene.say("zatre.picture.nothing")
    totals = " + ".join(str(run.total) for run in found.runs)
    runs = scene.say("zatre.picture.runs", n=len(found.runs), runs=totals)
    if not found.crosses:
        return runs
    crosses = scene.say("zatre.picture.crosses", n=len(found.crosses))
    return scene.say("zatre.picture.gain", runs=runs, crosses=crosses)


def _state_alt(view: ZatreView, scene: Scene) -> Iterator[str]:
    say = scene.say
    names = [short_name(name) for name in scene.names]
    if view.outcome:
        yield say("pictures.alt.won", names=", ".join(view.sides(view.outcome.winners, names)))
    elif view.actors:
        yield say("pictures.alt.turn", names=", ".join(names[seat] for seat in view.actors))
        if view.must_lay:
            yield say("zatre.text.must_lay")
    if view.last:
        seat, text = view.last[-1]
        if text == KEEP:
            yield say("zatre.event.keep", name=names[seat])
        else:
            yield say("zatre.picture.alt.last", laid=told(text, *_TOLD, scene), name=names[seat])


def _lots_alt(view: ZatreView, scene: Scene) -> Iterator[str]:
    names = [short_name(name) for name in scene.names]
    for lots in view.lots if view.opening else ():
        yield lots_words(lots, names, scene.say)


def _runs_alt(runs: Iterable[Run], scene: Scene) -> Iterator[str]:
    words = [f"{NAMES[run.cells[0]]}–{NAMES[run.cells[-1]]} {run.total}" for run in runs]
    if words:
        yield scene.say("zatre.picture.alt.runs", runs=", ".join(words))


def _tiles_alt(view: ZatreView, scene: Scene) -> str:
    """Rows in brief: `8 G461 K5` is 4, 6, 1 on G8, H8, I8 and a 5 on K8."""
    if view.opening:
        return scene.say("zatre.picture.alt.empty", cell=NAMES[RED])
    rows = []
    for row in range(SIDE):
        line = view.board[row * STRIDE : row * STRIDE + SIDE]
        groups = [
            COLUMNS[match.start()] + "".join(map(str, match[0])) for match in re.finditer(rb"[^\x00]+", line)
        ]
        if groups:
            rows.append(f"{row + 1} {' '.join(groups)}")
    return scene.say("zatre.picture.alt.tiles", rows="; ".join(rows))


def _board_alt(view: ZatreView, scene: Scene) -> str:
    say = scene.say
    return alt_text(
        [
            say("zatre.picture.alt.board"),
            *_state_alt(view, scene),
            *_lots_alt(view, scene),
            *_runs_alt(gain(view.board, last_laid(view)).runs, scene),
            say("zatre.text.bag", n=view.bag),
            _tiles_alt(view, scene),
        ]
    )


def _hand_alt(view: ZatreView, scene: Scene, drafted: Gain | None) -> str:
    say = scene.say
    assert view.seat is not None
    none = say("zatre.picture.alt.none")
    sentences = [say("zatre.picture.alt.hand", tiles=", ".join(map(str, view.held)) or none)]
    if view.partners:
        partner = view.seat ^ 1
        tiles = ", ".join(map(str, view.hands[partner] or ())) or none
        sentences.append(say("zatre.picture.alt.partner", name=short_name(scene.names[partner]), tiles=tiles))
    laid, chosen = _draft(view, scene.draft)
    trial = [f"{value}@{NAMES[cell]}" for cell, value in laid.items()] + [str(chosen)] * bool(chosen)
    if trial:
        sentences.append(say("pictures.alt.draft", draft=told(" ".join(trial), *_TOLD, scene)))
    if drafted:
        sentences.extend(_runs_alt(drafted.runs, scene))
    if scene.targets:
        sentences.append(say("pictures.alt.targets", targets=", ".join(scene.targets)))
    return alt_text([*sentences, *_state_alt(view, scene), _tiles_alt(view, scene)])
