"""Pictures of Topominos: the nine compartments with their see-through stacks, one's own rack, and the
directions in which a piece fits.

In a stack the dots of each piece have a shape (and colour) of their own, lowest piece first: circle, square,
triangle, diamond, cross, star, ring, frame. Free places show their letter, so that a move can be typed
from the picture. The large number counts the stack's dots.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import cos, pi, sin
from typing import Final

from bot.rules.errors import RulesError
from bot.rules.topominos import (
    CELL_INDEX,
    CELLS,
    COPIES,
    FULL,
    LETTERS,
    NAMES,
    Draft,
    TopominosView,
    draft,
    fill,
)
from bot.text import figures

from . import fonts, parts
from .scene import Picture, Scene, alt_text, short_name, told, won_by
from .sprites import Box, Canvas, Point, cached, encode
from .theme import BODY, GAP, MARGIN, PLATE, RADIUS, SMALL, TIGHT, WIDTH, Colour, Theme

_ROOM: Final = WIDTH - 2 * MARGIN
_EDGE: Final = 36  # room for the coordinates
_RIM: Final = 12
_SPACE: Final = 10  # between compartments
_WIDE: Final = (_ROOM - _EDGE - _RIM - 2 * _SPACE) // 3  # of a compartment
_PITCH: Final = 53  # of the places of a stack, on the table
_HAND_PITCH: Final = 50
_SMALL_PITCH: Final = 38  # where many ways to lay a piece are shown
_STRIP: Final = 84
_PIECE: Final = 126  # of a piece on the rack

Laid = tuple[tuple[str, str], ...]  # dots and compartment
_LAID: Final = ("topominos.told.lay", "dots")  # the text for a lay, and what it calls the piece
_LAY: Final = re.compile(r"[a-i]{1,4}@[A-C][1-3]")

EXAMPLE: Final = (0.0, 0.312, 1.0, 0.984)  # what shows a move: see `rendering/examples.py`


def table_pictures(view: TopominosView, scene: Scene) -> tuple[Picture, ...]:
    """The board, scores, whose turn it is, the bag and the last turn."""
    rows = (view.players + 1) // 2
    top = MARGIN + rows * (PLATE + TIGHT) + TIGHT
    high = _board_height(_PITCH)
    canvas = Canvas(scene.theme, WIDTH, top + high + GAP + _STRIP + MARGIN)
    for seat in range(view.players):
        _seat_plate(canvas, _plate_box(view.players, seat), view, scene, seat)
    _board(canvas, MARGIN, top, _PITCH, view, ())
    _strip(canvas, Box(MARGIN, top + high + GAP, _ROOM, _STRIP), view, scene)
    return (Picture("topominos.png", encode(canvas), _table_alt(view, scene), in_hand=True),)


def hand_pictures(view: TopominosView, scene: Scene) -> tuple[Picture, ...]:
    """The seat's rack, each piece with its name, and the board. A spectator has none. Of a turn on trial that
    goes on in a compartment where it has made a nine there are more, since the nine is not on the last: one
    with all that was laid until then goes before.

    scene.targets: names of pieces on the rack. scene.draft: `cf@B2 e@B2` (laid on trial), `cf@B2 abd A` (a
    piece chosen, and perhaps its column or compartment: the picture of its places takes the place of all
    else), or `swap abd e`.
    """
    if view.seat is None:
        return ()
    made = _draft(view, scene.draft)
    if made and made.moves:
        return (places_picture(made, scene),)
    # An example shows what is not allowed, too.
    lays = made.lays if made else tuple(_LAY.findall(scene.draft))
    shown = [
        *((replace(scene, targets=(), draft=" ".join(part)), part) for part in _covered(view, lays)),
        (scene, lays),
    ]
    return tuple(_hand(view, view.seat, *each, number) for number, each in enumerate(shown, 1))


def _hand(view: TopominosView, seat: int, scene: Scene, lays: Sequence[str], number: int) -> Picture:
    """With these lays on trial. number: of the picture, from 1."""
    rack = Box(MARGIN, MARGIN + PLATE + TIGHT, _ROOM, _PIECE + 92)
    top = rack.bottom + GAP
    canvas = Canvas(scene.theme, WIDTH, top + _board_height(_HAND_PITCH) + MARGIN)
    _seat_plate(canvas, Box(MARGIN, MARGIN, _ROOM, PLATE), view, scene, seat)
    drafted: Laid = tuple((dots, cell) for dots, _, cell in (lay.partition("@") for lay in lays))
    _rack(canvas, rack, view, scene, drafted)
    _board(canvas, MARGIN, top, _HAND_PITCH, view, drafted)
    name = "topominos-hand.png" if number == 1 else f"topominos-hand-{number}.png"
    return Picture(name, encode(canvas), _hand_alt(view, scene))


_COVER: Final = (("adh", "bef"), ("ac", "bfg", "dhi"), ("aei",))


def cover(scene: Scene) -> tuple[Picture, ...]:
    """For the lobby: a row of the board, with pieces on each other."""
    pitch = 44
    high = _high(pitch)
    canvas = Canvas(scene.theme, WIDTH, high + 2 * (GAP + 14))
    panel = Box(MARGIN, GAP, WIDTH - 2 * MARGIN, high + 28)
    parts.board(canvas, panel)
    room = (panel.w - 28 - 3 * _WIDE) // 2
    for place, stack in enumerate(_COVER):
        sprite = _compartment(stack, 0, False, pitch, on=Colour.PANEL)
        canvas.paste(sprite, panel.x + 14 + place * (_WIDE + room), panel.y + 14)
    alt = scene.say("topominos.picture.alt.cover")
    return (Picture("topominos-cover.png", encode(canvas), alt),)


def _draft(view: TopominosView, text: str) -> Draft | None:
    """The draft, if there are lays or a piece chosen for one."""
    try:
        return draft(view, text) if text else None
    except RulesError:  # what is passed or exchanged
        return None


def places_picture(made: Draft, scene: Scene) -> Picture:
    """Where and which way the piece chosen can be laid, numbered from 1 in the order of `made.moves`, each
    with its move and the dots that the stack will show."""
    moves = made.moves
    columns = made.across
    pitch = _HAND_PITCH if len(moves) <= 12 and columns < 5 else _SMALL_PITCH
    gap = GAP if pitch == _HAND_PITCH else TIGHT
    wide = (_ROOM - (max(columns, 4) - 1) * gap) // max(columns, 4)
    high = 3 * pitch + 108
    rows = -(-len(moves) // columns)
    canvas = Canvas(scene.theme, WIDTH, 2 * MARGIN + rows * (high + gap) - gap)
    for index, move in enumerate(moves):
        row, column = divmod(index, columns)
        left = parts.spread(MARGIN, _ROOM, [wide] * columns, gap)[column]
        box = Box(left, MARGIN + row * (high + gap), wide, high)
        _way(canvas, box, made.view, move, index + 1, pitch, scene)
    return Picture("topominos-places.png", encode(canvas), _places_alt(scene, made))


def _way(
    canvas: Canvas, box: Box, view: TopominosView, move: str, number: int, pitch: int, scene: Scene
) -> None:
    """One way to lay a piece: its number, the stack with it, and its move in words."""
    parts.board(canvas, box)
    dots, _, cell = move.partition("@")
    stack = (*view.board[CELL_INDEX[cell]], dots)
    sprite = _stack(stack, 1, True, pitch, on=Colour.PANEL)
    canvas.paste(sprite, box.cx - _stack_width(pitch) // 2, box.y + 46)
    parts.count(canvas, box.x + 26, box.y + 24, str(number), size=30)
    full = str(fill(stack).bit_count())
    canvas.text(box.right - 16, box.y + 25, full, 34, Colour.TEXT, "rm", fonts.BOLD)
    canvas.text(
        box.cx,
        box.bottom - 24,
        told(move, *_LAID, scene),
        BODY,
        Colour.TEXT,
        "mm",
        fonts.BOLD,
        most=box.w - 12,
    )


# --------------------------------------------------------------------------- people and the strip


def _plate_box(players: int, seat: int) -> Box:
    """Two plates in a row; the last of an odd number has a row to itself."""
    half = (_ROOM - GAP) // 2
    row, column = divmod(seat, 2)
    wide = _ROOM if seat == players - 1 and not column else half
    return Box(MARGIN + column * (half + GAP), MARGIN + row * (PLATE + TIGHT), wide, PLATE)


def _seat_plate(canvas: Canvas, box: Box, view: TopominosView, scene: Scene, seat: int) -> None:
    """Name, whose turn, points of the match, and how many pieces are on the rack."""
    active = seat in view.actors
    winner = view.outcome is not None and view.players > 1 and seat in view.outcome.winners
    parts.plate(
        canvas, box, scene.names[seat], seat, active=active, winner=winner, own=seat == view.seat,
        score=figures(view.scores[seat]), reserve=0 if view.outcome is not None else 88,
    )  # fmt: skip
    if view.outcome is not None:
        return
    ground = parts.plate_ground(active, winner)
    canvas.paste(parts.pile(28, on=ground, layers=1), box.right - 88, box.cy - 14)
    canvas.text(box.right - 52, box.cy, str(view.racks[seat]), BODY, Colour.SOFT, "lm")


def _strip(canvas: Canvas, box: Box, view: TopominosView, scene: Scene) -> None:
    """The bag, and in two lines what happened last and which game this is."""
    parts.board(canvas, box)
    if view.bag:
        bag = parts.pile(48, on=Colour.PANEL, layers=1 + (view.bag > 1) + (view.bag > 12))
        canvas.paste(bag, box.x + 18, box.cy - bag(canvas.theme).height // 2)
    else:
        canvas.paste(parts.cell(48, on=Colour.PANEL), box.x + 18, box.cy - 24)
    x = box.x + 82
    wide = canvas.text(x, box.cy - 15, str(view.bag), 34, Colour.TEXT, "lm", fonts.BOLD)
    caption = parts.caption(canvas, x, box.cy + 20, scene.say("topominos.picture.bag"), 120)
    x += max(wide, caption) + 32
    room = box.right - 18 - x
    names = [short_name(name, 16) for name in scene.names]
    lines = [line for line in (_news(view, scene, names), _game_line(view, scene)) if line]
    if view.outcome is not None and view.players > 1:
        lines.insert(0, won_by((names[winner] for winner in view.outcome.winners), scene))
    places = (box.cy,) if len(lines) == 1 else (box.cy - 17, box.cy + 19)
    for line, y in zip(lines, places, strict=False):  # the first turn of a single game has neither line
        if line is lines[0]:
            parts.heading(canvas, x, y, line, room)
        else:
            parts.caption(canvas, x, y, line, room)


def _news(view: TopominosView, scene: Scene, names: list[str]) -> str:
    """What happened last, in one line."""
    say = scene.say
    if view.outcome is not None:
        return say(f"topominos.reason.{view.outcome.reason.replace(' ', '_')}")
    if view.laid and view.turn is not None:
        points = view.turn_points + view.pending
        return say("topominos.picture.this_turn", n=points)
    if view.last is None:
        return say(f"topominos.text.phase_{view.phase}") if view.phase in ("lots", "deal") else ""
    name = names[view.last.seat]
    if "@" in view.last.moves[0]:
        return say("topominos.picture.last", name=name, n=view.last.points)
    count = view.last.moves[0].count("?")
    return say("topominos.picture.last_swap" if count else "topominos.picture.last_pass", name=name, n=count)


def _game_line(view: TopominosView, scene: Scene) -> str:
    options, found = dict(view.options), []
    if options["target"] is not None:
        found.append(
            scene.say("topominos.picture.game_of_target", game=view.game_number, n=options["target"])
        )
    elif options["rounds"] != 1:
        found.append(scene.say("pictures.game", game=view.game_number, games=options["rounds"]))
    if view.last_round:
        found.append(scene.say("topominos.picture.last_round"))
    return " · ".join(found)


# --------------------------------------------------------------------------- the board


def _board_height(pitch: int) -> int:
    return _EDGE + 3 * _high(pitch) + 2 * _SPACE + _RIM


def _high(pitch: int) -> int:
    """Height of a compartment whose stack has places so far apart."""
    return 3 * pitch + 44


def _board(canvas: Canvas, x: int, y: int, pitch: int, view: TopominosView, drafted: Laid) -> None:
    """The compartments: what was laid in this turn, or else in the last, in brackets; a nine that was
    completed as a 9 in its empty compartment; what is laid on trial in a dashed frame."""
    canvas.paste(_empty_board(pitch), x - 8, y - 8)
    high = _high(pitch)
    recent = view.laid or (view.last.moves if view.last else ())
    marked = {move.partition("@")[2] for move in recent if "@" in move}
    for index, cell in enumerate(CELLS):
        column, row = divmod(index, 3)
        box = Box(x + _EDGE + column * (_WIDE + _SPACE), y + _EDGE + row * (high + _SPACE), _WIDE, high)
        stack, trial = _tried(view.board[index], drafted, cell)
        newest = _newest(view.board[index], recent, cell)
        if stack:
            sprite = _compartment(stack, trial or newest, bool(trial), pitch, on=Colour.PANEL)
            canvas.paste(sprite, box.x, box.y)
        elif cell in marked:
            canvas.text(box.cx, box.cy, "9", 64, Colour.TEXT, "mm", fonts.BOLD)
        if trial:
            parts.mark_preview(canvas, box.inset(4), width=6)
        elif cell in marked:
            parts.mark_last(canvas, box.inset(2))


def _covered(view: TopominosView, lays: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Of the lays on trial the first ones, so far as the next is laid where a nine lies."""
    board = dict(zip(CELLS, view.board, strict=True))
    found = []
    for count, lay in enumerate(lays):
        dots, _, cell = lay.partition("@")
        if fill(board[cell]) == FULL:
            found.append(lays[:count])
            board[cell] = ()
        board[cell] = (*board[cell], dots)
    return found


def _tried(stack: tuple[str, ...], drafted: Laid, cell: str) -> tuple[tuple[str, ...], int]:
    """The stack with what is laid there on trial, and how many pieces that is; a nine lies until another
    piece is laid on trial in its compartment."""
    trial = 0
    for dots in (dots for dots, where in drafted if where == cell):
        if fill(stack) == FULL:
            stack, trial = (), 0
        stack, trial = (*stack, dots), trial + 1
    return stack, trial


def _newest(stack: tuple[str, ...], recent: tuple[str, ...], cell: str) -> int:
    """How many of the stack's upper pieces are of the recent moves (those of a completed nine are gone)."""
    laid = [dots for dots, _, where in (move.partition("@") for move in recent) if where == cell]
    return next((n for n in range(min(len(laid), len(stack)), 0, -1) if stack[-n:] == tuple(laid[-n:])), 0)


@cached
def _empty_board(theme: Theme, pitch: int) -> Canvas:
    """The board with its coordinates and nine free compartments, 8 px of felt round it."""
    high = _high(pitch)
    canvas = Canvas(theme, _ROOM + 16, _board_height(pitch) + 16, Colour.FELT)
    parts.board(canvas, Box(8, 8, _ROOM, _board_height(pitch)))
    for index in range(3):
        left, top = 8 + _EDGE + index * (_WIDE + _SPACE), 8 + _EDGE + index * (high + _SPACE)
        canvas.text(left + _WIDE // 2, 8 + _EDGE // 2, "ABC"[index], 26, Colour.MUTED, "mm")
        canvas.text(8 + _EDGE // 2, top + high // 2, "123"[index], 26, Colour.MUTED, "mm")
        for row in range(3):
            box = Box(left, 8 + _EDGE + row * (high + _SPACE), _WIDE, high)
            parts.hollow(canvas, box, RADIUS)
    return canvas


@cached
def _compartment(
    theme: Theme, stack: tuple[str, ...], newest: int, trial: bool, pitch: int, *, on: Colour
) -> Canvas:
    """A compartment with its stack at the left and the number of its dots at the right."""
    high = _high(pitch)
    canvas = Canvas(theme, _WIDE, high, on)
    parts.hollow(canvas, Box(0, 0, _WIDE, high), RADIUS)
    side = _stack_width(pitch)
    sprite = _stack(stack, newest, trial, pitch, on=Colour.RECESS)
    canvas.paste(sprite, 10, (high - side - 3 * min(5, len(stack))) // 2 + 1)
    left = 10 + side
    number = str(fill(stack).bit_count())
    canvas.text((left + _WIDE) // 2 - 3, high // 2, number, 46, Colour.TEXT, "mm", fonts.BOLD)
    return canvas


# --------------------------------------------------------------------------- pieces


def _stack_width(pitch: int) -> int:
    return 3 * pitch + 12


@cached
def _stack(
    theme: Theme, stack: tuple[str, ...], newest: int, trial: bool, pitch: int, *, on: Colour
) -> Canvas:
    """See-through pieces on each other: every piece's dots in a shape of their own, the `newest` upper
    pieces' dots ringed, letters in the free places."""
    pad, side = 8, _stack_width(pitch)
    layers = min(5, len(stack))
    canvas = Canvas(theme, side, side + 3 * layers, on)
    for layer in range(layers, 0, -1):
        lip = Colour.SILVER if layer % 2 else Colour.MIST
        canvas.rounded(Box(0, 3 * layer, side, side), 12, lip)
    canvas.rounded(Box(0, 0, side, side), 12, Colour.IVORY)
    taken = {letter: order for order, dots in enumerate(stack) for letter in dots}
    for place, letter in enumerate(LETTERS):
        row, column = divmod(place, 3)
        x, y = pad - 2 + column * pitch, pad - 2 + row * pitch
        order = taken.get(letter)
        if order is None:
            canvas.text(x + pitch // 2, y + pitch // 2, letter, SMALL, Colour.SLATE, "mm")
        else:
            canvas.paste(_dot(order, pitch, order >= len(stack) - newest, trial, on=Colour.IVORY), x, y)
    return canvas


_DOT_COLOURS: Final = (
    Colour.BLUE_DEEP, Colour.RED_DEEP, Colour.GREEN_DEEP, Colour.PURPLE, Colour.WOOD_DEEP, Colour.INK,
    Colour.BLUE_DEEP, Colour.RED_DEEP,
)  # fmt: skip


@cached
def _dot(theme: Theme, order: int, size: int, ringed: bool, trial: bool, *, on: Colour) -> Canvas:
    """A dot of the piece laid as number `order` (from 0) of its stack; `ringed` where it has just been laid,
    or is laid on `trial`."""
    canvas = Canvas(theme, size, size, on)
    colour, c = _DOT_COLOURS[order % 8], size / 2
    if ringed:
        fill, edge = (
            (Colour.MINT_LIGHT, Colour.MINT_DEEP) if trial else (Colour.AMBER_LIGHT, Colour.AMBER_DEEP)
        )
        canvas.ellipse(Box(1, 1, size - 2, size - 2), fill, edge, 3)
    r = size * (0.31 if ringed else 0.37)
    whole = Box(round(c - r), round(c - r), round(2 * r), round(2 * r))
    square = whole.inset(round(r * 0.14))
    match order % 8:
        case 0:
            canvas.ellipse(whole, colour)
        case 1:
            canvas.rounded(square, 3, colour)
        case 2:
            canvas.polygon(_corners(3, c, c + r * 0.22, r * 1.2), colour)
        case 3:
            canvas.polygon(_corners(4, c, c, r * 1.18), colour)
        case 4:
            arm, half = r * 1.02, r * 0.36
            canvas.rect(Box(round(c - arm), round(c - half), round(2 * arm), round(2 * half)), colour)
            canvas.rect(Box(round(c - half), round(c - arm), round(2 * half), round(2 * arm)), colour)
        case 5:
            outer, inner = _corners(5, c, c, r * 1.2), _corners(5, c, c, r * 0.52, pi / 5)
            canvas.polygon([point for pair in zip(outer, inner, strict=True) for point in pair], colour)
        case 6:
            canvas.ellipse(whole, None, colour, round(r * 0.42))
        case _:
            canvas.rounded(square, 3, None, colour, round(r * 0.4))
    return canvas


def _corners(count: int, x: float, y: float, radius: float, turn: float = 0.0) -> list[Point]:
    angles = [turn - pi / 2 + 2 * pi * n / count for n in range(count)]
    return [(x + radius * cos(angle), y + radius * sin(angle)) for angle in angles]


@cached
def _piece(theme: Theme, name: str, size: int, *, on: Colour) -> Canvas:
    """A piece by itself, lying as its name says."""
    canvas = Canvas(theme, size, size, on)
    canvas.paste(parts.tile("", size, on=on), 0, 0)
    pitch = (size - 14) // 3
    for place, letter in enumerate(LETTERS):
        row, column = divmod(place, 3)
        x, y = 7 + column * pitch, 4 + row * pitch
        if letter in name:
            side = pitch - 8
            canvas.ellipse(Box(x + 4, y + 4, side, side), Colour.INK)
        else:
            canvas.ellipse(Box(x + pitch // 2 - 4, y + pitch // 2 - 4, 8, 8), Colour.SILVER)
    return canvas


def _rack(canvas: Canvas, box: Box, view: TopominosView, scene: Scene, drafted: Laid) -> None:
    """Own pieces with their names; what is laid on trial leaves its place free, a chosen one has a frame."""
    parts.board(canvas, box)
    parts.caption(canvas, box.x + 18, box.y + 20, scene.say("topominos.picture.rack"), box.w - 200)
    bag = scene.say("topominos.picture.bag")
    parts.caption(canvas, box.right - 18, box.y + 20, f"{bag}: {view.bag}", 160, "rm")
    laid = [NAMES[dots] for dots, _ in drafted]
    chosen = [word for word in scene.draft.split() if word in COPIES]
    xs = parts.spread(box.x, box.w, [_PIECE] * len(view.rack), GAP)
    for x, name in zip(xs, view.rack, strict=True):
        place = Box(x, box.y + 50, _PIECE, _PIECE)
        gone = name in laid
        if gone:
            laid.remove(name)
            canvas.paste(parts.cell(_PIECE, on=Colour.PANEL), place.x, place.y)
        else:
            canvas.paste(_piece(name, _PIECE, on=Colour.PANEL), place.x, place.y)
        canvas.text(
            place.cx, place.bottom + 21, name, 30, Colour.MUTED if gone else Colour.TEXT, "mm", fonts.BOLD
        )
        if name in chosen and not gone:
            chosen.remove(name)
            parts.mark_preview(canvas, place)
        elif name in scene.targets and not gone:
            parts.mark_target(canvas, place, corner=True, size=30)


# --------------------------------------------------------------------------- words


def _table_alt(view: TopominosView, scene: Scene) -> str:
    names = [short_name(name) for name in scene.names]
    return alt_text([scene.say("topominos.picture.alt.table"), *_state_alt(view, scene, names)])


def _hand_alt(view: TopominosView, scene: Scene) -> str:
    names = [short_name(name) for name in scene.names]
    say = scene.say
    sentences = [say("topominos.text.rack", pieces=" ".join(view.rack) or say("topominos.text.none"))]
    if scene.draft:
        sentences.append(say("pictures.alt.draft", draft=told(scene.draft, *_LAID, scene)))
    if scene.targets:
        sentences.append(say("pictures.alt.targets", targets=", ".join(sorted(scene.targets))))
    return alt_text([*sentences, *_state_alt(view, scene, names)])


def _state_alt(view: TopominosView, scene: Scene, names: list[str]) -> list[str]:
    """Whose turn or who won, the stacks, what happened last, points, the bag."""
    say, found, news = scene.say, [], _news(view, scene, names)
    if view.outcome is not None and view.players == 1:
        found.append(say("topominos.text.outcome_alone", reason=news))
        news = ""  # said already
    elif view.outcome is not None:
        found.append(say("pictures.alt.won", names=", ".join(names[seat] for seat in view.outcome.winners)))
    elif view.actors:
        found.append(say("pictures.alt.turn", names=", ".join(names[seat] for seat in view.actors)))
    stacks = [
        say("topominos.picture.alt.stack", cell=cell, n=fill(stack).bit_count(), pieces="+".join(stack))
        for cell, stack in zip(CELLS, view.board, strict=True)
        if stack
    ]
    empty = " ".join(cell for cell, stack in zip(CELLS, view.board, strict=True) if not stack)
    if stacks:
        found.append(say("topominos.picture.alt.stacks", stacks=", ".join(stacks)))
    if empty:
        found.append(say("topominos.picture.alt.empty", cells=empty))
    recent = view.laid or (view.last.moves if view.last else ())
    laid = told(" ".join(move for move in recent if "@" in move), *_LAID, scene)
    if laid:
        found.append(say("topominos.picture.alt.laid", laid=laid))
    if view.redrawn:
        found.append(say("topominos.text.redrawn", n=view.redrawn))
    found += [f"{line.rstrip('.')}." for line in (news, _game_line(view, scene)) if line]
    found += [
        say(
            "topominos.picture.alt.seat",
            name=names[seat],
            score=say("topominos.text.points", n=view.scores[seat]),
            n=view.racks[seat],
        )
        for seat in range(view.players)
    ]
    found.append(say("topominos.text.bag", n=view.bag))
    return found


def _places_alt(scene: Scene, made: Draft) -> str:
    listed = ", ".join(f"{number}: {told(move, *_LAID, scene)}" for number, move in enumerate(made.moves, 1))
    return alt_text([scene.say("topominos.picture.places", piece=made.piece), f"{listed}."])
