"""What can be wrong with a position, judged independently of how it came about (see `State.faults`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .board import EMPTY, LIGHT, NAMES, RED, SIZE, STEPS, WIDTH
from .layout import Layout
from .position import REASONS, Position
from .tiles import TILES, VALUES


def faults(position: Position) -> list[str]:
    """All that is wrong, in English, for developers and logs only; [] for every reachable position."""
    return [*_tiles(position), *_board(position), *_sheets(position), *_stage(position)]


def _tiles(position: Position) -> Iterator[str]:
    for value in VALUES:
        held = sum(hand.count(value) for hand in position.hands)
        there = position.board.count(value) + position.bag[value] + held
        if there != TILES[value]:
            yield f"{there} tiles of value {value} instead of {TILES[value]}"
    if any(list(hand) != sorted(hand) for hand in position.hands):
        yield "a hand is not sorted"
    if any(count < 0 for count in position.bag):
        yield "the bag holds fewer than none of a tile"


def _board(position: Position) -> Iterator[str]:
    tiles = [cell for cell in range(SIZE) if position.board[cell]]
    if not tiles:
        return
    if any(cell not in NAMES for cell in tiles):
        yield "a tile lies where there is no cell"
    if not position.board[RED]:
        yield "the red cell is empty"
    group, front = {tiles[0]}, [tiles[0]]
    while front:
        cell = front.pop()
        for step in STEPS:
            beside = (cell + step) % SIZE
            if position.board[beside] and beside not in group:
                group.add(beside)
                front.append(beside)
    if len(group) < len(tiles):
        yield "the tiles do not hang together"
    for names, width in (("row", 1), ("column", WIDTH)):
        for start in range(0, SIZE, WIDTH) if width == 1 else range(WIDTH):
            line = "".join(str(position.board[start + place * width]) for place in range(WIDTH))
            if any(sum(map(int, run)) >= 13 for run in line.split("0")):
                yield f"a run of 13 or more in {names} {start // WIDTH + 1 if width == 1 else start + 1}"


def _sheets(position: Position) -> Iterator[str]:
    if len(position.sheets) != (position.players // 2 if position.partners else position.players):
        yield "the number of sheets is wrong"
    for number, sheet in enumerate(position.sheets):
        for column, points in ((sheet.tens, 1), (sheet.elevens, 2), (sheet.twelves, 4)):
            if any(box < points or box % points for box in column):
                yield f"sheet {number} has a box that is no multiple of {points}"
    covered = sum(1 for cell in LIGHT if position.board[cell])
    if sum(sheet.crosses for sheet in position.sheets) > covered:
        yield "there are more crosses than light cells covered"


def _stage(position: Position) -> Iterator[str]:
    bag = sum(position.bag)
    if not 0 <= position.seat < position.players:
        yield "the seat on turn does not exist"
        return
    if (
        any(not 0 <= seat < position.players for seat, _ in position.last)
        or len(position.last) > position.players
    ):
        yield "the latest turns are not those of one round"
    hand = position.hands[position.seat]
    if position.stage == "lots":
        if position.board != EMPTY or any(position.hands) or position.due:
            yield "lots are drawn after the game has begun"
        if len(position.contenders) < 2:
            yield "fewer than two draw lots"
    elif len(position.contenders) != 1:
        yield "the first turn is nobody's"
    if (position.stage in ("draw", "blocked")) != bool(position.due) or position.due > bag:
        yield "the number of tiles to draw is wrong"
    if position.drawn and (position.stage != "turn" or Counter(position.drawn) - Counter(hand)):
        yield "the tiles drawn for this turn are not held"
    if position.stage == "turn" and not hand:
        yield "a turn without tiles"
    if position.stage == "turn" and position.board == EMPTY and len(hand) != 3:
        yield "an opening without three tiles"
    if position.stage == "over" and (bag or position.reason not in REASONS):
        yield "the game is over with tiles in the bag, or without a reason"
    if position.stage != "over" and position.reason:
        yield "a reason before the end"
    if position.stage not in ("over", "turn") and not bag:
        yield "the bag is empty and the game goes on"
    if position.stage == "blocked" and Layout.of(position.board).fits((1,)):
        yield "blocked, though a 1 fits"
