"""Zatre's score sheets: one for each player, or for each pair."""

from __future__ import annotations

from typing import Final

from bot.rules.zatre import Row, Sheet, ZatreView, gain, parse_placements
from bot.text import figures

from . import fonts, parts
from .scene import Picture, Scene, alt_text, short_name
from .sprites import Box, Canvas, cached, encode
from .theme import GAP, MARGIN, PLATE, SMALL, TIGHT, WIDTH, Colour, Theme

_ROW: Final = 30  # height of a row
# Right ends of the columns in a sheet of `_SHEET` px: row, cross, 10, 11, 12, bonus, total.
_SHEET: Final = (WIDTH - 2 * MARGIN - GAP) // 2
_ENDS: Final = (36, 80, 128, 176, 224, 286, _SHEET - 14)
_HEAD: Final = 40
_LEAST_ROWS: Final = 4


def sheets_picture(view: ZatreView, scene: Scene) -> Picture:
    """Two sheets side by side, as many lines of them as it takes; equal heights within a line."""
    lines = [range(first, min(first + 2, len(view.sheets))) for first in range(0, len(view.sheets), 2)]
    counts = [max(_LEAST_ROWS, *(len(view.sheets[number].rows()) for number in line)) for line in lines]
    above = _plates_height(view)
    below = 14 + (_ROW if view.outcome else 0)
    heights = [above + _HEAD + count * _ROW + below for count in counts]
    canvas = Canvas(scene.theme, WIDTH, 2 * MARGIN + sum(heights) + GAP * (len(lines) - 1))
    top = MARGIN
    for line, count, height in zip(lines, counts, heights, strict=True):
        for number in line:
            x = MARGIN + (number % 2) * (_SHEET + GAP)
            _sheet_plates(canvas, x, top, view, scene, number)
            box = Box(x, top + above, _SHEET, height - above)
            _sheet(canvas, box, view, scene, number, count)
        top += height + GAP
    return Picture("zatre-sheets.png", encode(canvas), _sheets_alt(view, scene))


def _owners(view: ZatreView, number: int) -> list[int]:
    return [seat for seat in range(view.players) if view.sheet_of(seat) == number]


def _plates_height(view: ZatreView) -> int:
    """Of what lies above a sheet: a plate for each of its owners."""
    return (2 if view.partners else 1) * (PLATE + TIGHT)


def _sheet_plates(canvas: Canvas, x: int, top: int, view: ZatreView, scene: Scene, number: int) -> None:
    for place, seat in enumerate(_owners(view, number)):
        box = Box(x, top + place * (PLATE + TIGHT), _SHEET, PLATE)
        parts.plate(
            canvas, box, scene.names[seat], seat,
            score="" if first_of_pair(view, seat) else figures(view.scores[seat]),
            active=seat in view.actors, own=view.seat == seat,
            winner=view.outcome is not None and seat in view.outcome.winners,
        )  # fmt: skip
        if place:
            parts.count(canvas, box.cx, box.y - TIGHT // 2, "&", size=24)


@cached
def _paper(theme: Theme, rows: int, extra: int, bonus: str, total: str) -> Canvas:
    """A sheet without its rows: panel and headings, 8 px of felt round it."""
    height = _HEAD + rows * _ROW + 14 + extra
    canvas = Canvas(theme, _SHEET + 16, height + 16, Colour.FELT)
    parts.board(canvas, Box(8, 8, _SHEET, height), Colour.PARCHMENT)
    y = 8 + _HEAD // 2
    for end, words in zip(_ENDS[1:5], ("×2", "10", "11", "12"), strict=True):
        canvas.text(8 + end - 8, y, words, 24, Colour.INK, "rm", fonts.BOLD)
    room = _ENDS[5] - _ENDS[4] - 4
    canvas.text(8 + _ENDS[5] - 4, y, bonus, SMALL, Colour.INK, "rm", most=room, least=18)
    room = _ENDS[6] - _ENDS[5] - 1
    canvas.text(8 + _ENDS[6], y, total, SMALL, Colour.INK, "rm", most=room, least=18)
    canvas.rect(Box(8 + 10, 8 + _HEAD - 2, _SHEET - 20, 3), Colour.SLATE)
    return canvas


def _sheet(canvas: Canvas, box: Box, view: ZatreView, scene: Scene, number: int, count: int) -> None:
    say = scene.say
    extra = _ROW if view.outcome else 0
    paper = _paper(count, extra, say("zatre.picture.bonus"), say("zatre.picture.total"))
    canvas.paste(paper, box.x - 8, box.y - 8)
    fresh = _fresh(view, number)
    rows = {row.number: row for row in view.sheets[number].rows()}
    for place in range(1, count + 1):
        row = rows.get(place) or Row(place, None, None, None, False)
        new = frozenset(column for column, numbers in fresh.items() if place in numbers)
        sprite = _sheet_row(row, place not in rows, new, place == count)
        canvas.paste(sprite, box.x + 10, box.y + _HEAD + 1 + (place - 1) * _ROW)
    if view.outcome:
        y = box.bottom - 14 - _ROW // 2
        canvas.rect(Box(box.x + 10, y - _ROW // 2, _SHEET - 20, 3), Colour.SLATE)
        minus = sum(sum(view.hands[seat] or ()) for seat in _owners(view, number))
        canvas.text(box.x + 16, y + 4, say("zatre.picture.held"), SMALL, Colour.INK, "lm", most=_ENDS[4])
        canvas.text(box.x + _ENDS[6], y + 4, figures(-minus), 24, Colour.INK, "rm", fonts.BOLD)


@cached
def _sheet_row(theme: Theme, row: Row, free: bool, new: frozenset[str], bare: bool) -> Canvas:
    """One row of a sheet, from the sheet's left edge + 10 px. free: nothing is written in it as yet. new: the
    columns filled in the latest turn. bare: without the line below (thick where another bonus begins)."""
    canvas = Canvas(theme, _SHEET - 20, _ROW, Colour.PARCHMENT)
    left, y = -10, _ROW // 2
    if not bare:
        group = row.number % 4 == 0 and row.number <= 12
        thick = 3 if group else 1
        canvas.rect(Box(0, _ROW - thick, _SHEET - 20, thick), Colour.SLATE if group else Colour.SILVER)
    canvas.text(left + _ENDS[0], y, str(row.number), SMALL, Colour.SLATE, "rm")
    boxes = (("ten", row.ten), ("eleven", row.eleven), ("twelve", row.twelve))
    for start, end, (column, points) in zip(_ENDS[1:], _ENDS[2:5], boxes, strict=False):
        if points is None:
            continue
        if column in new:
            _fresh_box(canvas, Box(left + start + 2, 0, end - start - 2, _ROW - 1))
        canvas.text(left + end - 8, y, str(points), 24, Colour.INK, "rm", fonts.BOLD)
    if row.cross:
        x = left + _ENDS[1] - 24
        if "cross" in new:
            _fresh_box(canvas, Box(x - 17, 0, 34, _ROW - 1))
        for slope in (-1, 1):
            canvas.line(((x - 7, y - 7 * slope), (x + 7, y + 7 * slope)), 4, Colour.RED_DEEP)
    if row.bonus:
        canvas.text(left + _ENDS[5] - 4, y, f"+{row.bonus}", SMALL, Colour.SLATE, "rm")
    if not free:
        canvas.text(left + _ENDS[6], y, str(row.total), 24, Colour.INK, "rm", fonts.BOLD, most=70)
    return canvas


def _fresh_box(canvas: Canvas, box: Box) -> None:
    """A box of the latest turn: framed, as the latest tiles are on the board."""
    canvas.rounded(box, 6, Colour.AMBER_PALE, Colour.AMBER_DEEP, 3)


def _fresh(view: ZatreView, number: int) -> dict[str, frozenset[int]]:
    """By column, the rows that the latest turn filled on this sheet."""
    found: dict[str, frozenset[int]] = dict.fromkeys(("ten", "eleven", "twelve", "cross"), frozenset())
    if not view.last or view.sheet_of(view.last[-1][0]) != number:
        return found
    scored = gain(view.board, last_laid(view))
    sheet: Sheet = view.sheets[number]
    for name, column, points in (
        ("ten", sheet.tens, scored.ten),
        ("eleven", sheet.elevens, scored.eleven),
        ("twelve", sheet.twelves, scored.twelve),
    ):
        if points:
            found[name] = frozenset((len(column),))
    found["cross"] = frozenset(range(sheet.crosses - len(scored.crosses) + 1, sheet.crosses + 1))
    return found


def first_of_pair(view: ZatreView, seat: int) -> bool:
    return view.partners and seat % 2 == 0


def last_laid(view: ZatreView) -> tuple[int, ...]:
    """The cells laid in the latest turn."""
    return tuple(cell for cell, _ in parse_placements(view.last[-1][1])) if view.last else ()


def _sheets_alt(view: ZatreView, scene: Scene) -> str:
    sentences = [scene.say("zatre.picture.alt.sheets")]
    for number, sheet in enumerate(view.sheets):
        owners = _owners(view, number)
        rows = "; ".join(
            ("×" if row.cross else "")
            + "/".join("–" if box is None else str(box) for box in (row.ten, row.eleven, row.twelve))
            + f" = {row.total}"
            for row in sheet.rows()
        )
        sentences.append(
            scene.say(
                "zatre.picture.alt.sheet",
                name=", ".join(view.sides(owners, [short_name(name) for name in scene.names])),
                total=view.scores[owners[0]],
                rows=rows or scene.say("zatre.picture.alt.none"),
            )
        )
    return alt_text(sentences)
