"""Pictures of Top Spot: the combinations on the table, and one's own hand with the one being built.

How cards and combinations look is told by `rendering/topspot_cards.py`.
"""

from __future__ import annotations

from typing import Final

from bot.rules.errors import RulesError
from bot.rules.topspot import (
    JOKER,
    Draft,
    Play,
    TopSpotView,
    card_numbers,
    colour_name,
    draft,
    stack_cards,
)

from . import fonts, parts
from .scene import Picture, Scene, alt_text, short_name, won_by
from .sprites import Box, Canvas, encode
from .theme import BODY, GAP, MARGIN, PLATE, SMALL, TIGHT, WIDTH, Colour
from .topspot_cards import (
    board,
    card_height,
    card_sprite,
    chip,
    drafted_card,
    name_sprite,
    stack_sprite,
    target_corner,
    tick,
    write,
)

_WIDE: Final = WIDTH - 2 * MARGIN
_COLUMN: Final = (_WIDE - GAP) // 2  # of a seat
_HEAD: Final = 60
_FOOT: Final = 48
_CHIP: Final = 44
_BRIEF: Final = 16  # letters of a name in a line with other words

EXAMPLE: Final = (0.0, 0.745, 1.0, 1.0)  # what shows a move: see `rendering/examples.py`


def table_pictures(view: TopSpotView, scene: Scene) -> tuple[Picture, ...]:
    """Everybody's stack of this round (hatched, before its lead, that of the round before), cards left,
    points, the colour in play. Seats stand in two columns; what goes on has strips of its own, or the place
    that an odd number of seats leaves."""
    rows = (view.players + 1) // 2
    cell = 58 if rows == 2 else 50
    high = PLATE + TIGHT + 3 * cell + 16 + 92
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
    high = card_height(wide)
    rows = max(1, -(-count // columns))
    hand = Box(MARGIN, MARGIN + PLATE + TIGHT + 152 + GAP, _WIDE, 24 + rows * (high + 12) - 12)
    canvas = Canvas(scene.theme, WIDTH, hand.bottom + MARGIN + (GAP + 236 if made else 0))
    _plate(canvas, Box(MARGIN, MARGIN, _WIDE, PLATE), view, scene, view.seat)
    _strip(canvas, Box(MARGIN, MARGIN + PLATE + TIGHT, _WIDE, 152), view, scene)
    board(canvas, hand)
    if not count:
        write(
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
    panel = Box(MARGIN, GAP, _WIDE, card_height(wide) + 24)
    canvas = Canvas(scene.theme, WIDTH, panel.bottom + GAP)
    board(canvas, panel)
    for place, card in enumerate(cards):
        canvas.paste(card_sprite(card, wide), panel.x + 12 + place * (wide + 12), panel.y + 12)
    return (Picture("topspot-cover.png", encode(canvas), scene.say("topspot.picture.alt.cover")),)


def _draft(view: TopSpotView, text: str) -> Draft | None:
    """The draft, if there is one that can be read by a seat that may act."""
    try:
        return draft(view, text) if text else None
    except RulesError:
        return None


# --------------------------------------------------------------------------- the table


def _head(canvas: Canvas, box: Box, view: TopSpotView, scene: Scene) -> None:
    """Which game and round, and the colour in play."""
    board(canvas, box)
    say = scene.say
    right = box.right - 16
    if view.phase == "play":
        if view.colour:
            right -= _CHIP
            canvas.paste(chip(view.colour, _CHIP, on=Colour.PANEL), right, box.cy - _CHIP // 2)
            right -= 10
            word = say("topspot.picture.in_play")
            right -= write(canvas, right, box.cy, word, BODY, Colour.TEXT, 200, "rm")
        else:
            word = say("topspot.picture.no_colour")
            right -= write(canvas, right, box.cy, word, BODY - 2, Colour.MUTED, 240, "rm")
    words = _stage(view, scene) if view.outcome is None else _winners(view, scene)
    write(canvas, box.x + 18, box.cy, words, BODY, Colour.TEXT, right - box.x - 36, bold=True)


def _beside(canvas: Canvas, box: Box, view: TopSpotView, scene: Scene) -> None:
    """What head and foot say, in a place of its own."""
    board(canvas, box)
    say = scene.say
    x, y, room = box.x + 20, box.y + 40, box.w - 40
    write(canvas, x, y, _stage(view, scene), BODY, Colour.TEXT, room, bold=True)
    if view.outcome is not None:
        write(canvas, x, y + 48, _winners(view, scene), BODY, Colour.TEXT, room, bold=True)
    elif view.phase == "play" and view.colour:
        used = write(canvas, x, y + 60, say("topspot.picture.in_play"), BODY, Colour.TEXT, room - _CHIP - 10)
        canvas.paste(chip(view.colour, _CHIP, on=Colour.PANEL), x + used + 10, y + 60 - _CHIP // 2)
    elif view.phase == "play":
        write(canvas, x, y + 60, say("topspot.picture.no_colour"), BODY - 2, Colour.MUTED, room)
    lines = parts.wrapped(_news(view, scene), 24, room, 3) if view.last is not None else []
    if view.dealer is not None and view.outcome is None:
        lines.append(_dealer(view, scene))
    for number, line in enumerate(reversed(lines)):
        write(canvas, x, box.bottom - 30 - number * 34, line, 24, Colour.SOFT, room)


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
    board(canvas, panel)
    side = 3 * cell + 16
    place = Box(panel.x + 10, panel.y + 10, side, side)
    play = _shown(view).get(seat)
    if play is None:
        parts.hollow(canvas, place, side // 8)
        if seat in view.order and view.actors:  # when this seat will play
            turn = f"{view.order.index(seat) + 1}."
            canvas.text(place.cx, place.cy, turn, 44, Colour.SOFT, "mm", fonts.BOLD)
    else:
        _played(canvas, place, panel, view, play, cell)
    points = view.previous if view.phase == "over" and view.previous else view.points
    low = panel.bottom - 22
    counts = scene.say("topspot.picture.cards", n=view.counts[seat])
    scored = scene.say("topspot.picture.points", n=points[seat])
    room = panel.w - 28
    write(canvas, panel.x + 12, low, counts, 24, Colour.SOFT, room * 2 // 5)
    write(canvas, panel.right - 12, low, scored, 24, Colour.SOFT, room * 3 // 5, "rm")


def _played(canvas: Canvas, place: Box, panel: Box, view: TopSpotView, play: Play, cell: int) -> None:
    """A stack, its value and notation; brackets round the newest, points for who won the round before."""
    past = not view.plays and view.phase != "over"
    mark = "past" if past else "last" if view.plays and play == view.plays[-1] else ""
    canvas.paste(stack_sprite(stack_cards(play.stack), cell, mark), place.x - 5, place.y - 5)
    x = (place.right + panel.right) // 2
    _value(canvas, x, panel.y + 58, play, 64, past)
    if not view.plays and view.last is not None and view.last.winner == play.seat:
        write(canvas, x, panel.y + 122, f"+{view.last.points}", 40, Colour.TEXT, 80, "mm", bold=True)
    ink = Colour.MUTED if past else Colour.SOFT
    write(canvas, place.x + 2, place.bottom + 24, play.stack, 24, ink, panel.w - 24)


def _value(canvas: Canvas, x: int, y: int, play: Play, size: int, past: bool) -> None:
    """The value of a play, struck out where it cannot win."""
    ink = Colour.TEXT if play.counts and not past else Colour.MUTED
    used = write(canvas, x, y, str(play.value), size, ink, 2 * size, "mm", bold=True)
    if not play.counts:
        reach = used // 2 + size // 8
        ends = (x - reach, y + size // 3), (x + reach, y - size // 3)
        canvas.line(ends, max(4, size // 10), Colour.WARN)


def _foot(canvas: Canvas, box: Box, view: TopSpotView, scene: Scene) -> None:
    """How the round before ended, and who deals."""
    board(canvas, box)
    used = write(canvas, box.right - 18, box.cy, _dealer(view, scene), SMALL, Colour.MUTED, 270, "rm")
    if view.last is not None:
        room = box.w - 36 - used - GAP
        write(canvas, box.x + 18, box.cy, _news(view, scene), SMALL, Colour.SOFT, room)


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
    board(canvas, box)
    shown = list(_shown(view).values())
    cell, gap = (28, 14) if len(shown) <= 3 else (22, 10)
    side = 3 * cell + 16
    x = box.right - 14
    past = not view.plays
    for play in reversed(shown):
        x -= side
        sprite = stack_sprite(stack_cards(play.stack), cell, "past" if past else "")
        canvas.paste(sprite, x - 5, box.y + 104 - side)
        canvas.paste(parts.seat_badge(play.seat, 30, on=Colour.PANEL), x + side // 2 - 32, box.y + 114)
        _value(canvas, x + side // 2 + 18, box.y + 129, play, 28, past)
        x -= gap
    left, room = box.x + 18, x - box.x - 18
    words = _asked(view, scene)
    write(canvas, left, box.y + 34, words[0], BODY, Colour.TEXT, room, bold=True)
    if view.colour:
        canvas.paste(chip(view.colour, _CHIP, on=Colour.PANEL), left, box.y + 58)
        write(canvas, left + _CHIP + 10, box.y + 80, words[1], BODY, Colour.TEXT, room - _CHIP - 10)
    elif past and shown:
        lines = parts.wrapped(words[1], SMALL, room, 2)
        for line, y in zip(lines, (80,) if len(lines) == 1 else (68, 96), strict=True):
            write(canvas, left, box.y + y, line, SMALL, Colour.MUTED, room)
    write(canvas, left, box.bottom - 26, _stage(view, scene), SMALL, Colour.MUTED, room)


def _asked(view: TopSpotView, scene: Scene) -> tuple[str, str]:
    """Two lines: what this seat has to do, and what is to be beaten."""
    say = scene.say
    if not view.actors and view.outcome is None:  # nothing is to be beaten any more
        return "", "" if view.colour else say("topspot.picture.before")
    best = max((play.value for play in view.plays if play.counts), default=None)
    second = say("topspot.picture.beat", n=best) if best is not None else say("topspot.picture.before")
    if view.outcome is not None:
        return _winners(view, scene), second
    if view.seat in (*view.out, *view.apart):
        return say("topspot.picture.aside"), second
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
        canvas.paste(card_sprite(card, first.w), box.x, box.y)
    numbers = {card: at + 1 for at, card in reversed(list(enumerate(made.cards)))} if made else {}
    for card, box in boxes:  # marks reach over the neighbours
        if number := numbers.pop(card, 0):
            canvas.paste(drafted_card(card, first.w, number), box.x - 3, box.y - 3)
        elif card in scene.targets:
            canvas.paste(target_corner(card, first.w), box.right - 28, box.y - 12)


def _trial(canvas: Canvas, box: Box, scene: Scene, made: Draft) -> None:
    """The stack being built as it would look, its value, and which card adds nothing."""
    board(canvas, box)
    cell = 66
    canvas.paste(stack_sprite(made.cards, cell, "draft"), box.x + 7, box.y + 6)
    x = box.x + 12 + 3 * cell + 16 + 28
    room = box.right - x - 18
    used = write(canvas, x, box.y + 56, str(made.value), 84, Colour.TEXT, 120, bold=True)
    write(
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
        canvas.paste(name_sprite(card, step - 10), x + at * step, box.y + 116)
        canvas.paste(tick(matters), x + at * step + (step - 10) // 2 - 22, box.y + 170)
    if made.named:
        canvas.paste(chip(made.named, _CHIP, on=Colour.PANEL), box.right - 18 - _CHIP, box.y + 119)


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
        idle = ", ".join(names[seat] for seat in sorted((*view.out, *view.apart)))
        found += [say("topspot.picture.alt.aside", names=idle)] if idle else []
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
