"""All words of Zatre, out of the catalogues: the board for screen readers, and events as sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import groupby
from typing import TypeVar

from ..errors import Unreadable
from ..game import Event, Say, Told, Voice
from ..telling import all_of, moves_of, several
from .board import EMPTY, NAMES, RED, SIDE, WIDTH, Placement, laying_order, with_tiles
from .notation import hidden_count, parse_chance, parse_placements
from .scoring import Gain, Row, Sheet, gain
from .view import ZatreView

Words = TypeVar("Words")


def board_text(view: ZatreView, names: Sequence[str], say: Say) -> str:
    """Who is to do what, tiles held, the board's rows, the latest turns and the sheets, a line each."""
    lines = [*_standing_text(view, names, say)]
    if view.opening:
        lines.append(say("zatre.text.board_empty", cell=NAMES[RED]))
    else:
        lines.append(say("zatre.text.board"))
        for row in range(SIDE):
            cells = [cell for cell in range(row * WIDTH, row * WIDTH + SIDE) if view.board[cell]]
            if cells:
                runs = "; ".join(_run_words(run, view.board, say) for run in _neighbours(cells))
                lines.append(say("zatre.text.row", row=row + 1, tiles=runs))
    for seat, turn in view.last:
        lines.append(say("zatre.text.last", turn=_turn_words(seat, turn, names, say)))
    lines.extend(_sheet_text(view, names, say))
    return "\n".join(lines)


def _neighbours(cells: Sequence[int]) -> Iterator[list[int]]:
    """The cells of a row, rising, in groups that lie side by side."""
    group: list[int] = []
    for cell in cells:
        if group and cell != group[-1] + 1:
            yield group
            group = []
        group.append(cell)
    if group:
        yield group


def _run_words(cells: Sequence[int], board: bytes, say: Say) -> str:
    """Tiles side by side, with the columns from which to which they lie."""
    first, last = NAMES[cells[0]][0], NAMES[cells[-1]][0]
    tiles = ", ".join(str(board[cell]) for cell in cells)
    key = "zatre.text.run" if len(cells) > 1 else "zatre.text.single"
    return say(key, first=first, last=last, tiles=tiles)


def _standing_text(view: ZatreView, names: Sequence[str], say: Say) -> Iterator[str]:
    if view.outcome:
        winners = ", ".join(view.sides(view.outcome.winners, names))
        reason = say(f"zatre.reason.{view.outcome.reason.replace(' ', '_')}")
        yield say("zatre.text.over", winners=winners, reason=reason)
    elif view.stage == "lots":
        yield say("zatre.text.lots_due")
    elif view.turn is not None and (view.actors or view.stage != "turn"):
        yield say(f"zatre.text.{view.stage}", name=names[view.turn])
        if view.stage == "turn" and view.opening:
            yield say("zatre.text.opening", cell=NAMES[RED])
        elif view.must_lay:
            yield say("zatre.text.must_lay")
    if view.opening:
        for lots in view.lots:
            yield lots_words(lots, names, say)
    yield say("zatre.text.bag", n=view.bag)
    for seat in range(view.players):
        hand = view.hands[seat]
        if hand is None:
            yield say("zatre.text.holds_count", name=names[seat], n=view.counts[seat])
        elif hand:
            tiles = ", ".join(map(str, hand))
            yield say("zatre.text.holds", name=names[seat], tiles=tiles)
        else:
            yield say("zatre.text.holds_count", name=names[seat], n=0)
    if view.fresh and view.turn is not None:
        tiles = ", ".join(map(str, view.fresh))
        yield say("zatre.text.fresh", name=names[view.turn], tiles=tiles)
    elif view.drawn and view.turn is not None:
        yield say("zatre.text.drawn", name=names[view.turn], n=view.drawn)


def _sheet_text(view: ZatreView, names: Sequence[str], say: Say) -> Iterator[str]:
    for number, sheet in enumerate(view.sheets):
        owners = [seat for seat in range(view.players) if view.sheet_of(seat) == number]
        [name] = view.sides(owners, names)
        yield say("zatre.text.sheet", name=name, n=view.scores[owners[0]])
        rows = sheet.rows()
        if not rows:
            yield say("zatre.text.empty")
        for made, alike in groupby(rows, lambda row: (_row_words(row, say), row.total)):
            first, *more = [row.number for row in alike]
            words, points = made
            key = "zatre.text.sheet_rows" if more else "zatre.text.sheet_row"
            yield say(key, row=first, last=(first, *more)[-1], made=words, n=points)
        minus = sum(sum(view.hands[seat] or ()) for seat in owners)
        if view.outcome and minus:
            yield say("zatre.text.minus", n=minus)


def _row_words(row: Row, say: Say) -> str:
    """What stands in a row of a sheet."""
    boxes = (("tens", row.ten), ("elevens", row.eleven), ("twelves", row.twelve))
    made = [say(f"zatre.text.{kind}", points=box) for kind, box in boxes if box is not None]
    made = made or [say("zatre.text.no_box")]
    made += [say("zatre.text.bonus", bonus=row.bonus)] if row.bonus else []
    made += [say("zatre.text.doubled")] if row.cross else []
    return ", ".join(made)


def lots_words(lots: Sequence[int | None], names: Sequence[str], say: Say) -> str:
    """Who drew what for the first turn (rule 1)."""
    words = [
        say("zatre.event.lot", name=names[seat], tile=tile)
        for seat, tile in enumerate(lots)
        if tile is not None
    ]
    return say("zatre.event.lots", lots=", ".join(words))


def _turn_words(seat: int, text: str, names: Sequence[str], say: Say) -> str:
    placements = parse_placements(text)
    if not placements:
        return say("zatre.event.keep", name=names[seat])
    tiles = ", ".join(say("zatre.event.tile", tile=value, cell=NAMES[cell]) for cell, value in placements)
    return say("zatre.event.turn", name=names[seat], tiles=tiles)


def describe(event: Event, names: Sequence[str], say: Say) -> str:
    """One sentence for an event, redacted or not. Raises Unreadable for text of no event of this game."""
    if event.kind == "move":
        if event.player is None:
            raise Unreadable("move")
        return _turn_words(event.player, event.text, names, say)
    if event.player is not None and (hidden := hidden_count(event.text)):
        return say("zatre.event.draw_hidden", name=names[event.player], n=hidden)
    kind, tiles = parse_chance(event.text)
    if kind == "lots":
        return lots_words(tiles, names, say)
    if event.player is None:
        raise Unreadable("chance")
    return say("zatre.event.draw", name=names[event.player], tiles=", ".join(map(str, tiles)))


def address_turn(view: ZatreView, move: str, voice: Voice, say: Say) -> str:
    """See `Game.address`: all tiles, in an order in which they can be laid; "" for none."""
    laid = laying_order(view.board, parse_placements(move))
    tiles = [say("zatre.event.tile", tile=value, cell=NAMES[cell]) for cell, value in laid]
    return say(f"zatre.{voice}.turn", tiles=all_of(tiles, say)) if tiles else ""


def retell(view: ZatreView, events: Sequence[Event], since: int, say: Say) -> list[Told]:
    """See `Game.retell`. Replayed from the record: what a turn is worth depends on the sheet before it."""
    board = EMPTY
    sheets = [Sheet()] * len(view.sheets)
    undrawn = {after + 1 for after in undrawn_after(view, events)}
    told = []
    for place, seat, text in moves_of(events):
        laid, sheet = parse_placements(text), view.sheet_of(seat)
        board = bytes(with_tiles(board, laid))
        found = gain(board, [cell for cell, _ in laid])
        if place >= since:
            turn = _turn_told(laid, found, sheets[sheet], say)
            told.append(Told(seat, say("zatre.told.undrawn", turn=turn) if place in undrawn else turn))
        sheets[sheet] = sheets[sheet].with_gain(found)
    if view.must_lay and view.turn is not None:
        told.append(Told(view.turn, say("zatre.told.must_lay")))
    return told


def undrawn_after(view: ZatreView, events: Sequence[Event]) -> dict[int, tuple[int, ...]]:
    """See `Game.forced`: who drew no tile, for one that was kept could be laid, by the place of what happened
    before that turn (rule 5)."""
    found: dict[int, tuple[int, ...]] = {
        place - 1: (seat,)
        for place, seat, _ in moves_of(events)
        if place and events[place - 1].kind == "move"
    }
    if view.must_lay and view.turn is not None:
        found[len(events) - 1] = (view.turn,)
    return found


def epilogue(view: ZatreView, names: Sequence[str], say: Say) -> str:
    """See `Game.epilogue`: what tiles held have cost, and that the last had to be drawn (rule 10)."""
    if view.outcome is None:
        return ""
    told = [say("zatre.text.drawn_out")] if view.outcome.reason == "no tile fits" else []
    held = [(name, sum(hand or ())) for name, hand in zip(names, view.hands, strict=False)]
    lost = ", ".join([say("zatre.text.lost", name=name, n=points) for name, points in held if points])
    told += [say("zatre.text.lost_all", lost=lost)] if lost else []
    return " ".join(told)


def _turn_told(laid: Sequence[Placement], found: Gain, sheet: Sheet, say: Say) -> str:
    if not laid:
        return say("zatre.told.keep")
    tiles = several([say("zatre.event.tile", tile=value, cell=NAMES[cell]) for cell, value in laid], say)
    return say("zatre.told.turn", tiles=tiles, scored=worth_words(found, sheet, say))


def worth_words(found: Gain, sheet: Sheet, say: Callable[..., Words]) -> Words:
    """What a turn adds to a sheet, so that it adds up: "12 → 4 points", or, where more than one thing does,
    "2 for the 11 + 4 for the 12 + 6 by doubling = 12 points"; and the crosses it gave. say: or what makes a
    text still to be said."""
    worth = sheet.worth(found)
    boxes = [
        (points, total, sum(run.total == total for run in found.runs))
        for total, points in ((10, found.ten), (11, found.eleven), (12, found.twelve))
        if points
    ]
    if not boxes:
        return say("zatre.told.nothing")
    parts = [say("zatre.told.part", points=points, total=total, n=runs) for points, total, runs in boxes]
    added = [(worth.bonus, "bonus"), (worth.doubled, "doubled")]
    parts += [say(f"zatre.told.{what}", points=points) for points, what in added if points]
    if len(parts) == 1:
        [(_, total, runs)] = boxes
        scored = say("zatre.told.box", run=" + ".join([str(total)] * runs), n=worth.total)
    else:
        whole = reduce(lambda before, part: say("zatre.told.plus", before=before, part=part), parts)
        scored = say("zatre.told.sum", parts=whole, n=worth.total)
    if not found.crosses:
        return scored
    crosses = say("zatre.told.cross", n=len(found.crosses))
    return say("zatre.told.and_crosses", scored=scored, crosses=crosses)
