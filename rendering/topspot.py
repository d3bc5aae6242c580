"""Pictures of Top Spot: the stacks on the table, and one's own hand with the stack being built.

A spot is a light disc, a hole a dark one with a ring round it, a plain position is bare: told apart without
colour. A card has the face of its colour and says so by its letter. A stack is drawn as it looks from above:
in a hole's ring there is whatever lies below, in the colour of the card it belongs to.
"""

from __future__ import annotations

from typing import Final

from bot.rules.errors import RulesError
from bot.rules.topspot import (
    JOKER,
    Draft,
    Play,
    TopSpotView,
    card_grid,
    card_numbers,
    colour_name,
    composite,
    draft,
    stack_cards,
)

from . import fonts, parts
from .scene import Picture, Scene, alt_text, short_name, won_by
from .sprites import Box, Canvas, cached, encode
from .theme import BODY, GAP, MARGIN, PLATE, SMALL, TIGHT, WIDTH, Colour, Theme

_WIDE: Final = WIDTH - 2 * MARGIN
_COLUMN: Final = (_WIDE - GAP) // 2  # of a seat
_HEAD: Final = 60
_FOOT: Final = 48
_CHIP: Final = 44
_BRIEF: Final = 16  # letters of a name in a line with other words

# by letter: face and the ring round a hole
INKS: Final[dict[str, tuple[Colour, Colour]]] = {
    "R": (Colour.RED_DEEP, Colour.RED_LIGHT),
    "Y": (Colour.YELLOW_DEEP, Colour.YELLOW_PALE),
    "G": (Colour.GREEN_DEEP, Colour.GREEN_LIGHT),
    "B": (Colour.BLUE_DEEP, Colour.BLUE_LIGHT),
    "P": (Colour.PURPLE_DEEP, Colour.PURPLE_LIGHT),
    JOKER: (Colour.STEEL, Colour.SILVER),
}

EXAMPLE: Final = (0.0, 0.745, 1.0, 1.0)  # what shows a move: see `rendering/examples.py`


def table_pictures(view: TopSpotView, scene: Scene) -> tuple[Picture, ...]:
    """Everybody's stack of this round (hatched, before its lead, that of the round before), cards left,
    points, the colour in play. Seats stand in two columns; what goes on has strips of its own, or the place
    that an odd number of seats leaves."""
    rows = (view.players + 1) // 2
    cell = 58 if rows == 2 else 50
    high = PLATE + TIGHT + 3 * cell + 16 + 82
    across = view.players % 2 == 0
    foot = _FOOT + GAP if across and view.dealer is not None else 0
    top = MARGIN + (_HEAD + GAP if across else 0)
    canvas = Canvas(scene.theme, WIDTH, top + rows * (high + GAP) - GAP + foot + MARGIN)
    places = [
        Box(MARGIN + column * (_COLUMN + GAP), top + row * (high + GAP), _COLUMN, high)
        for row in range(rows)
        for column in range(2)
    ]
    for seat in range(view.players):
        _seat(canvas, places[seat], view, scene, seat, cell)
    if across:
        _head(canvas, Box(MARGIN, MARGIN, _WIDE, _HEAD), view, scene)
    else:
        _beside(canvas, places[-1], view, scene)
    if foot:
        _foot(canvas, Box(MARGIN, canvas.height - MARGIN - _FOOT, _WIDE, _FOOT), view, scene)
    return (Picture("topspot.png", encode(canvas), _table_alt(view, scene)),)


def hand_pictures(view: TopSpotView, scene: Scene) -> tuple[Picture, ...]:
    """The seat's own cards, what lies on the table, and the stack being built. A spectator has none.

    scene.targets: cards such as `RA` or `*`. scene.draft: a stack in notation, top card first, with or
    without the colour of a leading joker.
    """
    if view.seat is None:
        return ()
    made = _draft(view, scene.draft)
    count = len(view.hand)
    columns = 4 if count <= 8 else 5
    wide = (_WIDE - 24 - (columns - 1) * 12) // columns
    high = _card_height(wide)
    rows = max(1, -(-count // columns))
    hand = Box(MARGIN, MARGIN + PLATE + TIGHT + 152 + GAP, _WIDE, 24 + rows * (high + 12) - 12)
    canvas = Canvas(scene.theme, WIDTH, hand.bottom + MARGIN + (GAP + 236 if made else 0))
    _plate(canvas, Box(MARGIN, MARGIN, _WIDE, PLATE), view, scene, view.seat)
    _strip(canvas, Box(MARGIN, MARGIN + PLATE + TIGHT, _WIDE, 152), view, scene)
    _board(canvas, hand)
    if not count:
        _write(
            canvas,
            hand.cx,
            hand.cy,
            scene.say("topspot.picture.empty"),
            SMALL,
            Colour.MUTED,
            hand.w - 40,
            "mm",
        )
    _cards(canvas, Box(hand.x + 12, hand.y + 12, wide, high), columns, view, scene, made)
    if made:
        _trial(canvas, Box(MARGIN, hand.bottom + GAP, _WIDE, 236), scene, made)
    return (Picture("topspot-hand.png", encode(canvas), _hand_alt(view, scene, made)),)


def cover(scene: Scene) -> tuple[Picture, ...]:
    """For the lobby: a card of each colour."""
    cards = ("RA", "YB", "GC", "BD", "PE")
    wide = (_WIDE - 24 - (len(cards) - 1) * 12) // len(cards)
    panel = Box(MARGIN, GAP, _WIDE, _card_height(wide) + 24)
    canvas = Canvas(scene.theme, WIDTH, panel.bottom + GAP)
    _board(canvas, panel)
    for place, card in enumerate(cards):
        canvas.paste(_card(card, wide), panel.x + 12 + place * (wide + 12), panel.y + 12)
    return (Picture("topspot-cover.png", encode(canvas), scene.say("topspot.picture.alt.cover")),)


def _draft(view: TopSpotView, text: str) -> Draft | None:
    """The draft, if there is one that can be read by a seat that may act."""
    try:
        return draft(view, text) if text else None
    except RulesError:
        return None


# --------------------------------------------------------------------------- cards


def _disc(canvas: Canvas, box: Box, share: float, fill: Colour) -> None:
    side = round(box.w * share / 2) * 2
    canvas.ellipse(Box(box.cx - side // 2, box.cy - side // 2, side, side), fill)


def _face(canvas: Canvas, x: int, y: int, cell: int, cards: tuple[str, ...]) -> None:
    """The nine positions of a stack as they look from above; (x, y) is their top left corner."""
    seen = composite(cards)
    top = card_grid(cards[0])
    ring = INKS[cards[0][0]][1]
    for at, sign in enumerate(seen.grid):
        row, column = divmod(at, 3)
        box = Box(x + column * cell, y + row * cell, cell, cell)
        if top[at] == "O":
            _disc(canvas, box, 0.92, ring)
            below = INKS[cards[seen.depth[at]][0]][0]
            _disc(canvas, box, 0.92 - 8 / cell, Colour.INK if sign == "O" else below)
            if sign == "@":
                _disc(canvas, box, 0.6, Colour.CHALK)
        elif sign == "@":
            _disc(canvas, box, 0.74, Colour.CHALK)


def _card_height(width: int) -> int:
    return 40 + (width - 16) // 3 * 3 + 8


@cached
def _card(theme: Theme, card: str, width: int) -> Canvas:
    """One card with its name and corner numbers, to lie on a panel."""
    height = _card_height(width)
    canvas = Canvas(theme, width, height, Colour.PANEL)
    face, ring = INKS[card[0]]
    canvas.rounded(Box(0, 0, width, height), width // 8, face, ring, 3)
    if card == JOKER:
        canvas.paste(_star(30, on=face), 9, 8)
    else:
        canvas.text(12, 23, card, 32, Colour.CHALK, "lm", fonts.BOLD)
    a, b = card_numbers(card)
    canvas.text(width - 22, 23, f"{a}/{b}", 28, Colour.CHALK, "rm")
    cell = (width - 16) // 3
    _face(canvas, (width - 3 * cell) // 2, 40, cell, (card,))
    return canvas


@cached
def _drafted(theme: Theme, card: str, width: int, number: int) -> Canvas:
    """A card in the draft: dashed frame, and its place in the stack; 3 px larger, 12 px at the lower edge."""
    height = _card_height(width)
    canvas = Canvas(theme, width + 6, height + 15, Colour.PANEL)
    canvas.paste(_card(card, width), 3, 3)
    parts.mark_preview(canvas, Box(3, 3, width, height))
    parts.count(canvas, 3 + width // 2, height + 2, str(number), size=22)
    return canvas


@cached
def _target(theme: Theme, card: str, width: int) -> Canvas:
    """The upper right corner of a card that may be chosen: 28 px of it, and 10 px beyond it."""
    canvas = Canvas(theme, 38, 38, Colour.PANEL)
    canvas.paste(_card(card, width), 28 - width, 10)
    parts.mark_target(canvas, Box(28 - width, 10, width, _card_height(width)), corner=True, size=26)
    return canvas


@cached
def _star(theme: Theme, size: int, *, on: Colour) -> Canvas:
    """The joker's sign: what the notation writes as `*`."""
    canvas = Canvas(theme, size, size, on)
    half = size / 2
    for dx, dy in ((0.0, 0.92), (0.8, 0.46), (0.8, -0.46)):
        ends = (half - dx * half, half - dy * half), (half + dx * half, half + dy * half)
        canvas.line(ends, max(3.0, size / 6), Colour.CHALK)
    return canvas


@cached
def _stack(theme: Theme, cards: tuple[str, ...], cell: int, mark: str = "") -> Canvas:
    """A stack from above, to lie on a panel, with 5 px round it. mark: "last", "past" or "draft"."""
    side = 3 * cell + 16
    canvas = Canvas(theme, side + 10, side + 10, Colour.PANEL)
    box = Box(5, 5, side, side)
    face, ring = INKS[cards[0][0]]
    canvas.rounded(box, side // 8, face, ring, 3)
    _face(canvas, 13, 13, cell, cards)
    if mark == "past":
        canvas.hatch(box, side // 8, 9, 3, Colour.PANEL)
    elif mark == "last":
        parts.mark_last(canvas, box)
    elif mark == "draft":
        parts.mark_preview(canvas, box)
    return canvas


@cached
def _name(theme: Theme, card: str, width: int) -> Canvas:
    """A card by its name alone, 50 px high."""
    canvas = Canvas(theme, width, 50, Colour.PANEL)
    face, ring = INKS[card[0]]
    canvas.rounded(Box(0, 0, width, 50), 10, face, ring, 3)
    if card == JOKER:
        canvas.paste(_star(30, on=face), width // 2 - 15, 10)
    else:
        canvas.text(width // 2, 25, card, 30, Colour.CHALK, "mm", fonts.BOLD)
    return canvas


@cached
def _tick(theme: Theme, good: bool) -> Canvas:
    """Whether a card matters."""
    canvas = Canvas(theme, 44, 40, Colour.PANEL)
    if good:
        canvas.line(((7, 20), (17, 31), (36, 8)), 6, Colour.MINT)
    else:
        canvas.line(((10, 8), (34, 32)), 6, Colour.WARN)
        canvas.line(((10, 32), (34, 8)), 6, Colour.WARN)
    return canvas


@cached
def _panel(theme: Theme, width: int, height: int) -> Canvas:
    """A panel with its shadow and 8 px of felt round it."""
    canvas = Canvas(theme, width + 16, height + 16, Colour.FELT)
    parts.board(canvas, Box(8, 8, width, height))
    return canvas


def _board(canvas: Canvas, box: Box) -> None:
    canvas.paste(_panel(box.w, box.h), box.x - 8, box.y - 8)


@cached
def _words(theme: Theme, text: str, size: int, ink: Colour, bold: bool, most: int) -> Canvas:
    """A line on a panel, fitted to a width, 2 px of it free at either end."""
    weight = fonts.BOLD if bold else fonts.REGULAR
    least = max(SMALL - 4, round(size * 0.7))
    found = fonts.fitted(text, size, most, least, weight)
    canvas = Canvas(theme, found.width + 4, round(size * (1.5 if size < 40 else 1.2)), Colour.PANEL)
    canvas.write(found, 2, canvas.height // 2, ink)
    return canvas


def _write(
    canvas: Canvas,
    x: int,
    y: int,
    text: str,
    size: int,
    ink: Colour,
    most: int,
    anchor: str = "lm",
    bold: bool = False,
) -> int:
    """Write on a panel, fitted to `most` px; the width used."""
    sprite = _words(text, size, ink, bold, max(most, 1))
    width, height = sprite(canvas.theme).image.size
    canvas.paste(sprite, x - {"l": 2, "m": width // 2, "r": width - 2}[anchor[0]], y - height // 2)
    return width - 4


@cached
def _chip(theme: Theme, letter: str, size: int, *, on: Colour) -> Canvas:
    """A colour with its letter in it."""
    canvas = Canvas(theme, size, size, on)
    face, ring = INKS[letter]
    canvas.rounded(Box(0, 0, size, size), 10, face, ring, 3)
    canvas.text(size // 2, size // 2, letter, round(size * 0.66), Colour.CHALK, "mm", fonts.BOLD)
    return canvas


# --------------------------------------------------------------------------- the table


def _head(canvas: Canvas, box: Box, view: TopSpotView, scene: Scene) -> None:
    """Which game and round, and the colour in play."""
    _board(canvas, box)
    say = scene.say
    right = box.right - 16
    if view.phase == "play":
        if view.colour:
            right -= _CHIP
            canvas.paste(_chip(view.colour, _CHIP, on=Colour.PANEL), right, box.cy - _CHIP // 2)
            right -= 10
            word = say("topspot.picture.in_play")
            right -= _write(canvas, right, box.cy, word, BODY, Colour.TEXT, 200, "rm")
        else:
            word = say("topspot.picture.no_colour")
            right -= _write(canvas, right, box.cy, word, BODY - 2, Colour.MUTED, 240, "rm")
    words = _stage(view, scene) if view.outcome is None else _winners(view, scene)
    _write(canvas, box.x + 18, box.cy, words, BODY, Colour.TEXT, right - box.x - 36, bold=True)


def _beside(canvas: Canvas, box: Box, view: TopSpotView, scene: Scene) -> None:
    """What head and foot say, in a place of its own."""
    _board(canvas, box)
    say = scene.say
    x, y, room = box.x + 20, box.y + 40, box.w - 40
    _write(canvas, x, y, _stage(view, scene), BODY, Colour.TEXT, room, bold=True)
    if view.outcome is not None:
        _write(canvas, x, y + 48, _winners(view, scene), BODY, Colour.TEXT, room, bold=True)
    elif view.phase == "play" and view.colour:
        used = _write(canvas, x, y + 60, say("topspot.picture.in_play"), BODY, Colour.TEXT, room - _CHIP - 10)
        canvas.paste(_chip(view.colour, _CHIP, on=Colour.PANEL), x + used + 10, y + 60 - _CHIP // 2)
    elif view.phase == "play":
        _write(canvas, x, y + 60, say("topspot.picture.no_colour"), BODY - 2, Colour.MUTED, room)
    lines = parts.wrapped(_news(view, scene), 24, room, 3) if view.last is not None else []
    if view.dealer is not None and view.outcome is None:
        lines.append(_dealer(view, scene))
    for number, line in enumerate(reversed(lines)):
        _write(canvas, x, box.bottom - 30 - number * 34, line, 24, Colour.SOFT, room)


def _stage(view: TopSpotView, scene: Scene) -> str:
    say = scene.say
    if view.phase == "over":
        return say("topspot.picture.over")
    if view.phase != "play":
        return say("topspot.picture.dealing", game=view.game_number, games=view.games)
    key = "topspot.picture.tiebreak" if view.tiebreak else "topspot.picture.game"
    return say(key, game=view.game_number, games=view.games, round=view.round_number, n=view.tiebreak)


def _winners(view: TopSpotView, scene: Scene) -> str:
    assert view.outcome is not None
    return won_by((short_name(scene.names[seat], _BRIEF) for seat in view.outcome.winners), scene)


def _shown(view: TopSpotView) -> dict[int, Play]:
    """The plays that lie on the table, by seat: of this round, or before its lead of the one before."""
    plays = view.plays or (view.last.plays if view.last is not None else ())
    return {play.seat: play for play in plays}


def _plate(canvas: Canvas, box: Box, view: TopSpotView, scene: Scene, seat: int) -> None:
    parts.plate(
        canvas, box, scene.names[seat], seat, score=str(view.scores[seat]), active=seat in view.actors,
        winner=view.outcome is not None and seat in view.outcome.winners, own=seat == view.seat,
    )  # fmt: skip


def _seat(canvas: Canvas, box: Box, view: TopSpotView, scene: Scene, seat: int, cell: int) -> None:
    """One seat: plate (points of the match), the stack it played, value, cards left, points of this game."""
    _plate(canvas, Box(box.x, box.y, box.w, PLATE), view, scene, seat)
    panel = Box(box.x, box.y + PLATE + TIGHT, box.w, box.h - PLATE - TIGHT)
    _board(canvas, panel)
    side = 3 * cell + 16
    place = Box(panel.x + 10, panel.y + 10, side, side)
    play = _shown(view).get(seat)
    if play is None:
        parts.hollow(canvas, place, side // 8)
        if seat in view.order:  # when this seat will play
            turn = f"{view.order.index(seat) + 1}."
            canvas.text(place.cx, place.cy, turn, 44, Colour.SOFT, "mm", fonts.BOLD)
    else:
        _played(canvas, place, panel, view, play, cell)
    points = view.previous if view.phase == "over" and view.previous else view.points
    low = panel.bottom - 22
    counts = scene.say("topspot.picture.cards", n=view.counts[seat])
    scored = scene.say("topspot.picture.points", n=points[seat])
    half = (panel.w - 28) // 2
    _write(canvas, panel.x + 12, low, counts, 24, Colour.SOFT, half)
    _write(canvas, panel.right - 12, low, scored, 24, Colour.SOFT, half, "rm")


def _played(canvas: Canvas, place: Box, panel: Box, view: TopSpotView, play: Play, cell: int) -> None:
    """A stack, its value and notation; brackets round the newest, points for who won the round before."""
    past = not view.plays and view.phase != "over"
    mark = "past" if past else "last" if view.plays and play == view.plays[-1] else ""
    canvas.paste(_stack(stack_cards(play.stack), cell, mark), place.x - 5, place.y - 5)
    x = (place.right + panel.right) // 2
    _value(canvas, x, panel.y + 58, play, 64, past)
    if not view.plays and view.last is not None and view.last.winner == play.seat:
        _write(canvas, x, panel.y + 122, f"+{view.last.points}", 40, Colour.TEXT, 80, "mm", bold=True)
    ink = Colour.MUTED if past else Colour.SOFT
    _write(canvas, place.x + 2, place.bottom + 20, play.stack, 24, ink, panel.w - 24)


def _value(canvas: Canvas, x: int, y: int, play: Play, size: int, past: bool) -> None:
    """The value of a play, struck out where it cannot win."""
    ink = Colour.TEXT if play.counts and not past else Colour.MUTED
    used = _write(canvas, x, y, str(play.value), size, ink, 2 * size, "mm", bold=True)
    if not play.counts:
        reach = used // 2 + size // 8
        ends = (x - reach, y + size // 3), (x + reach, y - size // 3)
        canvas.line(ends, max(4, size // 10), Colour.WARN)


def _foot(canvas: Canvas, box: Box, view: TopSpotView, scene: Scene) -> None:
    """How the round before ended, and who deals."""
    _board(canvas, box)
    used = _write(canvas, box.right - 18, box.cy, _dealer(view, scene), SMALL, Colour.MUTED, 270, "rm")
    if view.last is not None:
        room = box.w - 36 - used - GAP
        _write(canvas, box.x + 18, box.cy, _news(view, scene), SMALL, Colour.SOFT, room)


def _dealer(view: TopSpotView, scene: Scene) -> str:
    assert view.dealer is not None
    return scene.say("topspot.picture.dealer", name=short_name(scene.names[view.dealer], _BRIEF))


def _news(view: TopSpotView, scene: Scene) -> str:
    last = view.last
    assert last is not None
    names = [short_name(name, _BRIEF) for name in scene.names]
    winner = names[last.winner] if last.winner is not None else ""
    return scene.say(
        f"topspot.picture.{last.how}",
        name=winner,
        n=last.points,
        names=", ".join(names[s] for s in last.tied),
    )


# --------------------------------------------------------------------------- the hand


def _strip(canvas: Canvas, box: Box, view: TopSpotView, scene: Scene) -> None:
    """What lies on the table, small, and what is asked of this seat."""
    _board(canvas, box)
    shown = list(_shown(view).values())
    cell, gap = (28, 14) if len(shown) <= 3 else (22, 10)
    side = 3 * cell + 16
    x = box.right - 14
    past = not view.plays
    for play in reversed(shown):
        x -= side
        sprite = _stack(stack_cards(play.stack), cell, "past" if past else "")
        canvas.paste(sprite, x - 5, box.y + 104 - side)
        canvas.paste(parts.seat_badge(play.seat, 30, on=Colour.PANEL), x + side // 2 - 32, box.y + 114)
        _value(canvas, x + side // 2 + 18, box.y + 129, play, 28, past)
        x -= gap
    left, room = box.x + 18, x - box.x - 18
    words = _asked(view, scene)
    _write(canvas, left, box.y + 34, words[0], BODY, Colour.TEXT, room, bold=True)
    if view.colour:
        canvas.paste(_chip(view.colour, _CHIP, on=Colour.PANEL), left, box.y + 58)
        _write(canvas, left + _CHIP + 10, box.y + 80, words[1], BODY, Colour.TEXT, room - _CHIP - 10)
    elif past and shown:
        lines = parts.wrapped(words[1], SMALL, room, 2)
        for line, y in zip(lines, (80,) if len(lines) == 1 else (68, 96), strict=True):
            _write(canvas, left, box.y + y, line, SMALL, Colour.MUTED, room)
    _write(canvas, left, box.bottom - 26, _stage(view, scene), SMALL, Colour.MUTED, room)


def _asked(view: TopSpotView, scene: Scene) -> tuple[str, str]:
    """Two lines: what this seat has to do, and what is to be beaten."""
    say = scene.say
    best = max((play.value for play in view.plays if play.counts), default=None)
    second = say("topspot.picture.beat", n=best) if best is not None else say("topspot.picture.before")
    if view.outcome is not None:
        return _winners(view, scene), second
    if not view.actors:
        return "", second
    if view.seat not in view.actors:
        return say("topspot.picture.wait", name=short_name(scene.names[view.actors[0]], _BRIEF)), second
    if not view.colour:
        return say("topspot.picture.lead"), second
    if any(card[0] == view.colour for card in view.hand):
        return say("topspot.picture.follow"), second
    if all(card == JOKER for card in view.hand):
        return say("topspot.picture.only_jokers"), second
    return say("topspot.picture.free"), second


def _cards(
    canvas: Canvas, first: Box, columns: int, view: TopSpotView, scene: Scene, made: Draft | None
) -> None:
    """All cards of the hand. In the draft: a dashed frame and the place in the stack, 1 on top."""
    boxes = []
    for at, card in enumerate(view.hand):
        row, column = divmod(at, columns)
        box = first.moved(column * (first.w + 12), row * (first.h + 12))
        boxes.append((card, box))
        canvas.paste(_card(card, first.w), box.x, box.y)
    numbers = {card: at + 1 for at, card in reversed(list(enumerate(made.cards)))} if made else {}
    for card, box in boxes:  # marks reach over the neighbours
        if number := numbers.pop(card, 0):
            canvas.paste(_drafted(card, first.w, number), box.x - 3, box.y - 3)
        elif card in scene.targets:
            canvas.paste(_target(card, first.w), box.right - 28, box.y - 10)


def _trial(canvas: Canvas, box: Box, scene: Scene, made: Draft) -> None:
    """The stack being built as it would look, its value, and which card adds nothing."""
    _board(canvas, box)
    cell = 66
    canvas.paste(_stack(made.cards, cell, "draft"), box.x + 7, box.y + 6)
    x = box.x + 12 + 3 * cell + 16 + 28
    room = box.right - x - 18
    used = _write(canvas, x, box.y + 56, str(made.value), 84, Colour.TEXT, 120, bold=True)
    _write(
        canvas,
        x + used + 18,
        box.y + 56,
        _verdict(made, scene),
        BODY + 2,
        Colour.TEXT,
        room - used - 18,
        bold=True,
    )
    step = min(88, room // max(1, len(made.cards)))
    for at, (card, matters) in enumerate(zip(made.cards, made.matters, strict=True)):
        canvas.paste(_name(card, step - 10), x + at * step, box.y + 116)
        canvas.paste(_tick(matters), x + at * step + (step - 10) // 2 - 22, box.y + 170)
    if made.named:
        canvas.paste(_chip(made.named, _CHIP, on=Colour.PANEL), box.right - 18 - _CHIP, box.y + 119)


def _verdict(made: Draft, scene: Scene) -> str:
    if made.legal:
        key = "draft_ok"
    elif made.name:
        key = "draft_name"
    else:
        key = "draft_no" if all(made.matters) else "draft_matter"
    return scene.say(f"topspot.picture.{key}")


# --------------------------------------------------------------------------- words


def _common_alt(view: TopSpotView, scene: Scene, names: list[str]) -> list[str]:
    """Stage, colour, turn or winners, and what was played."""
    say = scene.say
    found = []
    if view.outcome is None:
        found.append(_stage(view, scene) + ".")
    else:
        winners = ", ".join(names[seat] for seat in view.outcome.winners)
        found.append(say("topspot.text.over", n=len(view.outcome.winners), names=winners))
    if view.colour:
        found.append(say("topspot.text.colour_in_play", colour=colour_name(view.colour, say)))
    if view.actors:
        found.append(say("topspot.text.turn", name=names[view.actors[0]]))
    if not view.plays and view.last is not None:
        found.append(_news(view, scene) + ".")
    for play in _shown(view).values():
        key = "topspot.picture.alt.play" if play.counts else "topspot.picture.alt.play_off"
        found.append(say(key, name=names[play.seat], stack=play.stack, n=play.value))
    return found


def _table_alt(view: TopSpotView, scene: Scene) -> str:
    names = [short_name(name) for name in scene.names]
    points = view.points if view.phase != "over" else view.previous or view.points
    return alt_text(
        [
            scene.say("topspot.picture.alt.table"),
            *_common_alt(view, scene, names),
            *(
                scene.say(
                    "topspot.text.seat", name=names[seat], n=view.counts[seat], points=points[seat],
                    total=view.scores[seat],
                )
                for seat in range(view.players)
            ),
        ]
    )  # fmt: skip


def _hand_alt(view: TopSpotView, scene: Scene, made: Draft | None) -> str:
    say = scene.say
    names = [short_name(name) for name in scene.names]
    cards = ", ".join("{} {}/{}".format(card, *card_numbers(card)) for card in view.hand)
    found = [say("topspot.picture.alt.hand")]
    found.append(
        say("topspot.picture.alt.cards", cards=cards) if cards else say("topspot.picture.empty") + "."
    )
    if made:
        text = "+".join(made.cards) + (f":{made.named}" if made.named else "")
        found.append(say("topspot.picture.alt.draft", draft=text, n=made.value, state=_verdict(made, scene)))
    if scene.targets:
        found.append(say("topspot.picture.alt.targets", targets=", ".join(scene.targets)))
    return alt_text([*found, *_common_alt(view, scene, names)])
