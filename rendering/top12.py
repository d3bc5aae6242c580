"""Pictures of Top 12: everybody's sheets with the round's number and die, and one's own sheet to write on.

Two sheets lie side by side; three leave a place that the round takes, else the round has a strip of its own
above them. A single one has the whole width. Sheets are open once the set-up is over; what a
seat has chosen in an open round is on its own hand picture alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

from bot.rules.top12 import (
    CELLS,
    COLUMNS,
    JOKER,
    LETTERS,
    ROWS,
    START_NUMBERS,
    SYMBOLS,
    Top12View,
    column_of,
    entries_told,
    is_dead,
    sitting_out,
    solo_title,
)

from . import parts
from .scene import Picture, Scene, alt_text, short_name, told, won_by
from .sprites import Box, Canvas, Sprite, cached, encode
from .theme import GAP, MARGIN, PLATE, TIGHT, WIDTH, Colour, Theme


@dataclass(frozen=True, slots=True)
class _Form:
    """Measures of a sheet in pixels: a cell, the gaps, room for row numbers and column heads, em sizes."""

    w: int
    h: int
    gap: int
    line: int
    left: int
    head: int
    rim: int
    digits: int
    label: int
    sign: int

    @property
    def width(self) -> int:
        return self.left + COLUMNS * (self.w + self.gap) - self.gap + self.rim

    @property
    def height(self) -> int:
        return self.head + ROWS * (self.h + self.line) - self.line + self.rim

    def cell(self, x: int, y: int, index: int) -> Box:
        """Box of a cell of the sheet whose panel begins at (x, y)."""
        column, row = divmod(index, ROWS)
        return Box(
            x + self.left + column * (self.w + self.gap), y + self.head + row * (self.h + self.line),
            self.w, self.h,
        )  # fmt: skip

    def column(self, x: int, y: int, column: int) -> Box:
        """Box of all twelve cells of a column."""
        first, last = self.cell(x, y, column * ROWS), self.cell(x, y, column * ROWS + ROWS - 1)
        return Box(first.x, first.y, self.w, last.bottom - first.y)


_TABLE: Final = _Form(w=60, h=34, gap=5, line=3, left=36, head=46, rim=12, digits=28, label=22, sign=30)
_HAND: Final = _Form(w=92, h=50, gap=6, line=5, left=48, head=62, rim=14, digits=38, label=30, sign=42)
_SOLO: Final = _Form(w=133, h=46, gap=6, line=4, left=48, head=60, rim=14, digits=36, label=30, sign=40)
_BLOCK: Final = PLATE + TIGHT + _TABLE.height
_COLUMN: Final = (WIDTH - 2 * MARGIN - GAP) // 2
_PAST: Final = Colour.MIST
_STRIP: Final = 112  # height of the round where it lies across

_TOLD: Final = ("top12.text.entry", "number")  # the text for an entry, and what it calls the number
_WRITTEN: Final = re.compile(r"(?<!\S)([1-9][0-9]{0,2})@([A-E](?:1[0-2]|[1-9]))(?!\S)")
_CALLED: Final = re.compile(r"call ([1-9][0-9]{0,2})")

EXAMPLE: Final = (0.0, 0.092, 1.0, 0.98)  # what shows a move: see `rendering/examples.py`


def table_pictures(view: Top12View, scene: Scene) -> tuple[Picture, ...]:
    """All sheets, the number called, the die, whose turn it is and who has chosen."""
    across = view.players != 3
    form, block, wide = (_TABLE, _BLOCK, _COLUMN)
    if view.players == 1:
        form, block, wide = _SOLO, PLATE + TIGHT + _SOLO.height, WIDTH - 2 * MARGIN
    rows = (view.players + 1) // 2
    height = 2 * MARGIN + rows * block + (rows - 1) * GAP + (_STRIP + GAP if across else 0)
    canvas = Canvas(scene.theme, WIDTH, height)
    top = MARGIN
    if across:
        _round_across(canvas, Box(MARGIN, top, WIDTH - 2 * MARGIN, _STRIP), view, scene)
        top += _STRIP + GAP
    places = [
        (MARGIN + column * (wide + GAP), top + row * (block + GAP))
        for row in range(rows)
        for column in range(2)
    ]
    for seat in range(view.players):
        x, y = places[seat]
        _seat_plate(canvas, Box(x, y, wide, PLATE), view, scene, seat)
        y += PLATE + TIGHT
        _sheet(canvas, x, y, form, view.sheets[seat])
        if view.last is not None and view.last.cells[seat] >= 0:
            parts.mark_last(canvas, form.cell(x, y, view.last.cells[seat]))
    if not across:
        x, y = places[view.players]
        _round_tall(canvas, Box(x, y, _COLUMN, _BLOCK), view, scene)
    own = view.players == 1  # sheet alone, and that is in the hand
    return (Picture("top12.png", encode(canvas), _table_alt(view, scene), in_hand=own),)


def hand_pictures(view: Top12View, scene: Scene) -> tuple[Picture, ...]:
    """The seat's own sheet, large, with its pending choice or the draft on trial. A spectator has none.

    scene.targets: cells, column letters, or start numbers still to be written. scene.draft: the beginning
    of a set-up such as `10@B2 30@C6`, an entry, or a call.
    """
    if view.seat is None:
        return ()
    seat = view.seat
    x, y = MARGIN, MARGIN + PLATE + TIGHT
    canvas = Canvas(scene.theme, WIDTH, y + _HAND.height + MARGIN)
    _seat_plate(canvas, Box(MARGIN, MARGIN, WIDTH - 2 * MARGIN, PLATE), view, scene, seat)
    _sheet(canvas, x, y, _HAND, view.sheets[seat])
    if view.last is not None and view.last.cells[seat] >= 0:
        parts.mark_last(canvas, _HAND.cell(x, y, view.last.cells[seat]))
    trial = _WRITTEN.findall(scene.draft or view.pending)
    for number, name in trial:
        box = _HAND.cell(x, y, CELLS.index(name))
        canvas.paste(_number(int(number), _HAND), box.x, box.y)
        parts.mark_preview(canvas, box, width=5)
    for target in scene.targets:
        if target in CELLS:
            parts.mark_target(canvas, _HAND.cell(x, y, CELLS.index(target)))
        elif target in LETTERS:
            box = _HAND.cell(x, y, LETTERS.index(target) * ROWS)
            parts.mark_target(canvas, Box(box.x, y + 10, box.w, box.h), corner=True)
    side = Box(x + _HAND.width + GAP, y, WIDTH - MARGIN - GAP - x - _HAND.width, _HAND.height)
    _side(canvas, side, view, scene, [int(number) for number, _ in trial])
    return (Picture("top12-hand.png", encode(canvas), _hand_alt(view, scene, seat)),)


def cover(scene: Scene) -> tuple[Picture, ...]:
    """For the lobby: the die's six faces, and a column of the sheet lying on its side."""
    size, w, h = 100, 56, 44
    canvas = Canvas(scene.theme, WIDTH, 2 * GAP + size + GAP + h + 24)
    step = (WIDTH - 2 * MARGIN - size) // 5
    for number, face in enumerate((*SYMBOLS, JOKER)):
        canvas.paste(die(face, size, on=Colour.FELT), MARGIN + number * step, GAP)
    panel = Box(MARGIN, 2 * GAP + size, WIDTH - 2 * MARGIN, h + 24)
    parts.board(canvas, panel)
    gap = (panel.w - 24 - ROWS * w) // (ROWS - 1)
    for place, number in enumerate((3, 0, 11, 17, 0, 26, 30, 0, 44, 0, 58, 60)):
        sprite = (
            parts.tile(str(number), w, on=Colour.PANEL, height=h, text=30) if number else _slot(w, h, False)
        )
        canvas.paste(sprite, panel.x + 12 + place * (w + gap), panel.y + 12)
    alt = scene.say("top12.picture.alt.cover")
    return (Picture("top12-cover.png", encode(canvas), alt),)


# --------------------------------------------------------------------------- symbols


def _around(x: float, y: float, radius: float, degrees: float) -> tuple[float, float]:
    return x + radius * cos(degrees * pi / 180), y + radius * sin(degrees * pi / 180)


@cached
def symbol(theme: Theme, name: str, size: int, *, on: Colour, ink: Colour) -> Canvas:
    """A die face or column head as a shape: hand, star, house, tree, moon, or the joker's lightning."""
    canvas = Canvas(theme, size, size, on)
    s = size / 24
    match name:
        case "hand":
            canvas.polygon([(6.5 * s, 11 * s), (17.5 * s, 11 * s), (16.5 * s, 20 * s), (14 * s, 23 * s),
                            (10 * s, 23 * s), (7 * s, 19 * s)], ink)  # fmt: skip
            for x, top in ((7.6, 5), (10.8, 2.6), (13.8, 3), (16.6, 5.6)):
                canvas.line(((x * s, 12 * s), (x * s, top * s)), 2.3 * s, ink)
            canvas.line(((8.2 * s, 18.5 * s), (3.4 * s, 12.8 * s)), 2.6 * s, ink)
        case "star":
            points = [
                _around(12 * s, 13 * s, (11.4 if n % 2 == 0 else 4.9) * s, 36 * n - 90) for n in range(10)
            ]
            canvas.polygon(points, ink)
        case "house":
            canvas.polygon([(12 * s, 2 * s), (23 * s, 12.5 * s), (1 * s, 12.5 * s)], ink)
            canvas.polygon(
                [(4.5 * s, 12 * s), (19.5 * s, 12 * s), (19.5 * s, 22 * s), (4.5 * s, 22 * s)], ink
            )
            canvas.polygon([(10 * s, 15 * s), (14.4 * s, 15 * s), (14.4 * s, 22 * s), (10 * s, 22 * s)], on)
        case "tree":
            for top, bottom, half in ((1.5, 9, 5), (5.5, 14, 7), (10, 19, 9)):
                canvas.polygon(
                    [(12 * s, top * s), ((12 + half) * s, bottom * s), ((12 - half) * s, bottom * s)], ink
                )
            canvas.polygon(
                [(10.3 * s, 18 * s), (13.7 * s, 18 * s), (13.7 * s, 23 * s), (10.3 * s, 23 * s)], ink
            )
        case "moon":
            canvas.ellipse(_square(11.5 * s, 12 * s, 10.3 * s), ink)
            canvas.ellipse(_square(16.4 * s, 9.6 * s, 8.6 * s), on)
        case "joker":
            canvas.polygon([(14.5 * s, 1 * s), (4.5 * s, 14 * s), (10.8 * s, 14 * s), (8 * s, 23 * s),
                            (19.5 * s, 9.4 * s), (13 * s, 9.4 * s)], ink)  # fmt: skip
        case _:
            raise ValueError(f"no such symbol: {name}")
    return canvas


def _square(x: float, y: float, radius: float) -> Box:
    return Box(round(x - radius), round(y - radius), round(2 * radius), round(2 * radius))


@cached
def die(theme: Theme, face: str, size: int, *, on: Colour, past: bool = False) -> Canvas:
    """The die showing a face (grey when its round is past), or an empty place for it ("")."""
    canvas = Canvas(theme, size, size, on)
    if not face:
        canvas.paste(parts.cell(size, on=on, radius=size // 5), 0, 0)
        return canvas
    ground, lip = (_PAST, Colour.SLATE) if past else (Colour.IVORY, Colour.SILVER)
    canvas.paste(parts.die(0, size, on=on, face=ground, lip=lip), 0, 0)
    inner = round(size * 0.66)
    sign = symbol(face, inner, on=ground, ink=Colour.RED if face == JOKER and not past else Colour.INK)
    canvas.paste(sign, (size - inner) // 2, (size - inner) // 2 - round(size * parts.LIP / 2))
    return canvas


# --------------------------------------------------------------------------- sheets


@cached
def _slot(theme: Theme, w: int, h: int, dead: bool) -> Canvas:
    """A free cell; one of a dead column is hatched."""
    canvas = Canvas(theme, w, h, Colour.PANEL)
    radius = max(4, h // 6)
    parts.hollow(canvas, Box(0, 0, w, h), radius)
    if dead:
        canvas.hatch(Box(3, 4, w - 6, h - 7), radius, 11, 2, Colour.LINE)
    return canvas


def _number(number: int, form: _Form) -> Sprite:
    return parts.tile(
        str(number), form.w, on=Colour.PANEL, height=form.h, text=form.digits, radius=max(4, form.h // 6)
    )


@cached
def _empty_sheet(theme: Theme, form: _Form) -> Canvas:
    """A sheet with nothing written, 8 px of felt round it."""
    canvas = Canvas(theme, form.width + 16, form.height + 16, Colour.FELT)
    parts.board(canvas, Box(8, 8, form.width, form.height))
    for column, (letter, name) in enumerate(zip(LETTERS, SYMBOLS, strict=True)):
        box = form.column(8, 8, column)
        middle = 8 + form.head // 2 + 2
        canvas.text(box.cx - form.sign // 2 - 2, middle, letter, form.label, Colour.MUTED, "mm")
        sign = symbol(name, form.sign, on=Colour.PANEL, ink=Colour.SOFT)
        canvas.paste(sign, box.cx - form.sign // 2 + form.label // 2, middle - form.sign // 2)
    for row in range(ROWS):
        box = form.cell(8, 8, row)
        canvas.text(8 + form.left // 2, box.cy, str(row + 1), form.label, Colour.MUTED, "mm")
    for index in range(len(CELLS)):
        box = form.cell(8, 8, index)
        canvas.paste(_slot(form.w, form.h, False), box.x, box.y)
    return canvas


def _sheet(canvas: Canvas, x: int, y: int, form: _Form, sheet: tuple[int, ...]) -> None:
    """A sheet at (x, y): its numbers, full columns framed, free cells of dead columns hatched."""
    canvas.paste(_empty_sheet(form), x - 8, y - 8)
    for column in range(COLUMNS):
        cells = column_of(sheet, column)
        dead = is_dead(cells)
        for row, number in enumerate(cells):
            if number or dead:
                box = form.cell(x, y, column * ROWS + row)
                canvas.paste(_number(number, form) if number else _slot(form.w, form.h, True), box.x, box.y)
        if all(cells):
            box = form.column(x, y, column)  # higher than it is: its first and last number fill their cells
            parts.mark_run(canvas, Box(box.x, box.y - 3, box.w, box.h + 6), width=4)


def _has_won(view: Top12View, seat: int) -> bool:
    """Alone there is nobody to win against, but a title to win."""
    if view.players == 1:
        return solo_title(view) is not None
    return view.outcome is not None and seat in view.outcome.winners


def _seat_plate(canvas: Canvas, box: Box, view: Top12View, scene: Scene, seat: int) -> None:
    """Name, whose turn, a tick for who has chosen, and the numbers in the fullest column."""
    chosen = seat in view.chosen and bool(view.actors)
    parts.plate(
        canvas, box, scene.names[seat], seat, active=seat in view.actors, own=seat == view.seat,
        winner=_has_won(view, seat),
        score="" if view.phase == "setup" else f"{view.scores[seat]}/{ROWS}", reserve=36 if chosen else 0,
    )  # fmt: skip
    if chosen:
        x, y = box.right - 40, box.cy
        canvas.line(((x, y + 1), (x + 8, y + 9), (x + 22, y - 10)), 5, Colour.TEXT)


# --------------------------------------------------------------------------- the round


def _shown(view: Top12View) -> tuple[int, str, bool]:
    """Number and die face to show, and whether they are past: the open round's, else those of the last. The
    last ones of a finished game are not past: they ended it."""
    if view.number or view.last is None:
        return view.number, view.face, False
    return view.last.number, view.last.face, view.outcome is None


def _news(view: Top12View, scene: Scene, names: list[str]) -> list[str]:
    """What goes on, in up to three short lines."""
    say = scene.say
    caller = names[view.caller] if view.caller >= 0 else ""
    lines: list[str] = []
    if view.outcome is not None:
        if view.players == 1:
            won = solo_title(view)
            lines.append(say(f"top12.title.{won}") if won else say("top12.picture.no_title"))
        else:
            lines.append(won_by((names[seat] for seat in view.outcome.winners), scene))
        lines.append(say(f"top12.reason.{view.outcome.reason.replace(' ', '_')}"))
    elif view.phase == "setup":
        lines += [say("top12.picture.setup"), say("top12.picture.setup_how")] if view.actors else []
    elif view.phase == "first":
        lines.append(say("top12.text.first"))
    elif view.phase == "call":
        lines += [say("top12.picture.call", name=caller)] if view.actors else []
        if view.last is not None:
            before = say("top12.picture.last", name=names[view.last.caller], number=view.last.number)
            lines.append(before)
    else:
        lines.append(say("top12.picture.called", name=caller, number=view.number))
        if view.seat in sitting_out(view):
            lines.append(say("top12.picture.unable"))
        elif view.face == JOKER and view.actors:
            lines.append(say("top12.picture.any_column"))
        elif view.face and view.actors:
            lines.append(say("top12.picture.column", column=LETTERS[SYMBOLS.index(view.face)]))
    if view.rolls:
        lines.append(say("top12.picture.rolls", n=view.rolls))
    return lines


def _briefly(scene: Scene) -> list[str]:
    """Names for one line with other words."""
    return [short_name(name, 16) for name in scene.names]


def _called(canvas: Canvas, x: int, y: int, w: int, h: int, number: int, past: bool = False) -> None:
    """The number called on a piece (a grey one when its round is past), or an empty place."""
    if number:
        face, lip = (_PAST, Colour.SLATE) if past else (Colour.IVORY, Colour.SILVER)
        sprite = parts.tile(
            str(number), w, on=Colour.PANEL, height=h, face=face, lip=lip, text=round(h * 0.62)
        )
        canvas.paste(sprite, x, y)
    else:
        canvas.paste(_slot(w, h, False), x, y)


def _round_across(canvas: Canvas, box: Box, view: Top12View, scene: Scene) -> None:
    parts.board(canvas, box)
    number, face, past = _shown(view)
    size = box.h - 32
    _called(canvas, box.x + 16, box.y + 16, 112, size, number, past)
    canvas.paste(die(face, size, on=Colour.PANEL, past=past), box.x + 16 + 112 + GAP, box.y + 16)
    x = box.x + 16 + 112 + GAP + size + 24
    _lines(canvas, x, box.cy, box.right - 16 - x, _news(view, scene, _briefly(scene)), "lm")


def _round_tall(canvas: Canvas, box: Box, view: Top12View, scene: Scene) -> None:
    parts.board(canvas, box)
    number, face, past = _shown(view)
    left, right = parts.spread(box.x, box.w, (152, 120), 24)
    top = box.y + box.h // 2 - 150
    _called(canvas, left, top, 152, 120, number, past)
    canvas.paste(die(face, 120, on=Colour.PANEL, past=past), right, top)
    _lines(canvas, box.cx, top + 120 + 84, box.w - 32, _news(view, scene, _briefly(scene)), "mm")


def _lines(canvas: Canvas, x: int, y: int, most: int, lines: list[str], anchor: str) -> None:
    """A heading and smaller lines under it, centred on y as one block."""
    step = 32
    at = y - (len(lines) - 1) * step // 2
    for index, words in enumerate(lines):
        if index:
            parts.caption(canvas, x, at, words, most, anchor)
        else:
            parts.heading(canvas, x, at - 2, words, most, anchor)
        at += step


def _side(canvas: Canvas, box: Box, view: Top12View, scene: Scene, trial: list[int]) -> None:
    """Beside the own sheet: the start numbers still to be written, or the number and the die."""
    parts.board(canvas, box)
    say = scene.say
    width = box.w - 48
    x, y = box.x + 24, box.y + 24
    if view.phase == "setup":
        parts.caption(canvas, box.cx, y + 8, say("top12.picture.to_write"), box.w - 16, "mm")
        for index, number in enumerate(START_NUMBERS):
            place = Box(x, y + 34 + index * 92, width, 80)
            _called(canvas, place.x, place.y, place.w, place.h, 0 if number in trial else number)
            if str(number) in scene.targets and number not in trial:
                parts.mark_target(canvas, place, corner=True)
        return
    number, face, past = _shown(view)
    draft = _CALLED.fullmatch(scene.draft)
    if draft:
        number, face, past = int(draft[1]), "", False
    what = "last_round" if past else "number" if view.actors else "last_number"
    what = "unfit" if view.seat in sitting_out(view) and view.actors else what
    size, words = 112, say(f"top12.picture.{what}")
    top = box.cy - 170
    parts.caption(canvas, box.cx, top, words, box.w - 16, "mm")
    place = Box(x, top + 28, width, size)
    _called(canvas, place.x, place.y, place.w, place.h, number, past)
    if draft:
        parts.mark_preview(canvas, place, width=5)
    canvas.paste(die(face, size, on=Colour.PANEL, past=past), box.cx - size // 2, place.bottom + 24)
    if view.rolls:
        words = say("top12.picture.rolls", n=view.rolls)
        parts.caption(canvas, box.cx, place.bottom + size + 56, words, box.w - 16, "mm")


# --------------------------------------------------------------------------- words


def _sheet_alt(view: Top12View, scene: Scene, seat: int, name: str) -> str:
    """A sheet column by column from the top, – for a free cell; free cells at the end are left out."""
    columns = []
    for column, letter in enumerate(LETTERS):
        cells = [str(number) if number else "–" for number in column_of(view.sheets[seat], column)]
        columns.append(f"{letter} {' '.join(cells).rstrip('– ')}".rstrip())
    return scene.say("top12.picture.alt.sheet", name=name, columns=", ".join(columns))


def _news_alt(view: Top12View, scene: Scene, names: list[str]) -> list[str]:
    """The round in words: who is at turn or has won, number and die, who has chosen, what was last."""
    say = scene.say
    news = _news(view, scene, names)
    found = [". ".join(line.rstrip(".") for line in news) + "."] if news else []
    if view.face:
        found.append(say("top12.event.roll", face=say(f"top12.face.{view.face}")))
    if view.outcome is None and view.actors and view.phase != "call":
        found.append(say("pictures.alt.turn", names=", ".join(names[seat] for seat in view.actors)))
    if view.chosen and view.actors:
        found.append(say("top12.text.chosen", names=", ".join(names[seat] for seat in view.chosen)))
    if (cannot := sitting_out(view)) and view.actors:
        found.append(say("top12.text.unable", names=", ".join(names[seat] for seat in cannot)))
    if view.last is not None:
        face = say(f"top12.face.{view.last.face}")
        found.append(say("top12.text.last", name=names[view.last.caller], number=view.last.number, face=face))
        found.append(entries_told(view.last, names, say))
    return found


def _table_alt(view: Top12View, scene: Scene) -> str:
    names = [short_name(name) for name in scene.names]
    sheets = (
        []
        if view.phase == "setup"
        else [_sheet_alt(view, scene, seat, names[seat]) for seat in range(view.players)]
    )
    opening = scene.say("top12.picture.alt.table", n=view.players)
    return alt_text([opening, *_news_alt(view, scene, names), *sheets])


def _hand_alt(view: Top12View, scene: Scene, seat: int) -> str:
    names = [short_name(name) for name in scene.names]
    sentences = [
        scene.say("top12.picture.alt.hand"),
        *_news_alt(view, scene, names),
    ]
    if view.phase != "setup":
        sentences.append(_sheet_alt(view, scene, seat, names[seat]))
    if view.pending:
        sentences.append(scene.say("top12.text.pending", move=told(view.pending, *_TOLD, scene)))
    if scene.draft:
        sentences.append(scene.say("pictures.alt.draft", draft=told(scene.draft, *_TOLD, scene)))
    if scene.targets:
        sentences.append(scene.say("pictures.alt.targets", targets=", ".join(scene.targets)))
    return alt_text(sentences)
