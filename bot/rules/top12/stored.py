"""A position as it is stored: plain JSON, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ..game import JSON
from ..loading import each, need, numbers, optional, rows, whole, word
from .faults import faults_of
from .notation import Call, Writing, entries_text, parse
from .position import Position
from .scoring import REASONS
from .sheet import CELLS, COLUMNS, FACES, MOST
from .view import PHASES, Phase, Round

# --------------------------------------------------------------------------- to JSON


def written(position: Position) -> dict[str, JSON]:
    """Everything but the schema."""
    return {
        "players": position.players,
        "options": dict(position.options),
        "phase": position.stage,
        "sheets": [list(sheet) for sheet in position.sheets],
        "chosen": [[seat, entries_text(move.entries)] for seat, move in position.chosen.items()],
        "caller": position.caller,
        "number": position.number,
        "face": position.face,
        "rolls": position.rolls,
        "idle": position.idle,
        "last": _round_written(position.last) if position.last else None,
        "reason": position.reason,
    }


def _round_written(last: Round) -> JSON:
    return {"caller": last.caller, "number": last.number, "face": last.face, "cells": list(last.cells)}


# --------------------------------------------------------------------------- and back


def restore(position: Position, data: Mapping[str, Any]) -> None:
    """Bring a first position to the stored one, which must be sound; see `Game.restore`."""
    seats = position.players
    position.stage = cast("Phase", word(data["phase"], PHASES))
    position.sheets = each(data["sheets"], lambda sheet: numbers(sheet, 0, MOST, len(CELLS)), seats)
    position.chosen = {whole(seat, 0, seats - 1): _choice(text) for seat, text in rows(data["chosen"])}
    position.caller = whole(data["caller"], -1, seats - 1)
    position.number = whole(data["number"], 0, MOST)
    position.face = word(data["face"], ("", *FACES))
    position.rolls = whole(data["rolls"], 0)
    position.idle = whole(data["idle"], 0)
    position.last = optional(data["last"], lambda last: _round(last, seats))
    position.reason = word(data["reason"], ("", *REASONS))
    need(bool(position.face) == (position.stage == "enter"), "a die face where there is none, or none")
    if position.stage != "setup":
        for seat in range(seats):
            for column in range(COLUMNS):
                position.note_column(seat, column)
    position.waiting = _waited_for(position)
    faults = faults_of(position)
    need(not faults, "; ".join(faults))


def _choice(text: object) -> Writing:
    move = parse(text)
    if isinstance(move, Call):
        raise ValueError(f"nothing to write: {text!r:.100}")
    return move


def _round(data: Mapping[str, Any], seats: int) -> Round:
    return Round(
        caller=whole(data["caller"], 0, seats - 1),
        number=whole(data["number"], 0, MOST),
        face=word(data["face"], FACES),
        cells=numbers(data["cells"], -1, len(CELLS) - 1, seats),
    )


def _waited_for(position: Position) -> tuple[int, ...]:
    """Seats that are still to choose or to call."""
    match position.stage:
        case "setup":
            asked = tuple(range(position.players))
        case "call":
            asked = (position.caller,)
        case "enter":
            asked = position.able()
        case _:
            asked = ()
    return tuple([seat for seat in asked if seat not in position.chosen])
