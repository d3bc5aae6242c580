"""A position as it is stored: plain JSON, and the way back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast, get_args

from .. import loading
from ..game import JSON
from .board import EXISTS, LIGHT, SIDE, SIZE, WIDTH
from .notation import parse_placements
from .position import REASONS, Position, Stage
from .scoring import Sheet
from .tiles import TILES, TOTAL


def written(position: Position) -> dict[str, JSON]:
    """Everything but the schema; the board as 15 texts of 15 places, `.` where no tile lies."""
    return {
        "players": position.players,
        "options": dict(position.options),
        "board": [
            "".join(str(position.board[row * WIDTH + column] or ".") for column in range(SIDE))
            for row in range(SIDE)
        ],
        "bag": list(position.bag[1:]),
        "hands": [list(hand) for hand in position.hands],
        "sheets": [
            {
                "tens": list(sheet.tens),
                "elevens": list(sheet.elevens),
                "twelves": list(sheet.twelves),
                "crosses": sheet.crosses,
            }
            for sheet in position.sheets
        ],
        "stage": position.stage,
        "seat": position.seat,
        "contenders": list(position.contenders),
        "lots": [list(lots) for lots in position.lots],
        "due": position.due,
        "drawn": list(position.drawn),
        "last": [[seat, text] for seat, text in position.last],
        "reason": position.reason,
    }


def restore(position: Position, data: Mapping[str, Any]) -> None:
    """Bring a first position to the one `written` has told. What it raises becomes `Game.load`'s."""
    last_seat = position.players - 1
    position.board = _board(data["board"])
    position.bag = [0, *loading.numbers(data["bag"], 0, max(TILES), length=6)]
    position.hands = loading.each(data["hands"], _tiles, position.players)
    position.sheets = loading.each(data["sheets"], _sheet, len(position.sheets))
    position.stage = cast(Stage, loading.word(data["stage"], get_args(Stage)))
    position.seat = loading.whole(data["seat"], 0, last_seat)
    position.contenders = loading.numbers(data["contenders"], 0, last_seat)
    loading.need(bool(position.contenders), "nobody in the lots")
    position.lots = tuple(
        tuple(loading.each(lots, _lot, position.players)) for lots in loading.rows(data["lots"])
    )
    position.due = loading.whole(data["due"], 0, 2)
    position.drawn = _tiles(data["drawn"])
    position.last = tuple(
        (loading.whole(seat, 0, last_seat), _turn(text)) for seat, text in loading.rows(data["last"])
    )
    position.reason = loading.word(data["reason"], ("", *REASONS))


def _board(value: Any) -> bytes:
    tiles = bytearray(SIZE)
    for row, line in enumerate(loading.rows(value, SIDE)):
        loading.need(re.fullmatch("[.1-6]{15}", line) is not None, "a row of the board")
        for column, tile in enumerate(line):
            if tile != ".":
                cell = row * WIDTH + column
                loading.need(bool(EXISTS[cell]), "a tile where there is no cell")
                tiles[cell] = int(tile)
    return bytes(tiles)


def _tiles(value: Any) -> tuple[int, ...]:
    return loading.numbers(value, 1, 6)


def _lot(value: Any) -> int | None:
    return loading.optional(value, lambda tile: loading.whole(tile, 1, 6))


def _sheet(value: Any) -> Sheet:
    return Sheet(
        loading.numbers(value["tens"], 1, TOTAL),
        loading.numbers(value["elevens"], 1, 2 * TOTAL),
        loading.numbers(value["twelves"], 1, 4 * TOTAL),
        loading.whole(value["crosses"], 0, len(LIGHT)),
    )


def _turn(text: Any) -> str:
    parse_placements(text)
    return str(text)
