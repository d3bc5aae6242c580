"""A position as JSON: written (`written`) and read again (`restore`). The keys are those of stored tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..game import JSON
from ..loading import each, need, numbers, optional, outcome, whole, words
from .notation import LAYS
from .pieces import CELL_INDEX, CELLS, COPIES, MASKS, fill
from .position import Position
from .view import MODES, PHASES, LastTurn

_DRAWN = {*COPIES, "-"}  # in a start draw
_TURNS = {
    *LAYS,
    "pass",
    *("swap" + " ?" * count for count in range(1, 6)),
}  # what a finished turn consists of
_LEAST = -(10**9)  # points


def written(position: Position) -> dict[str, JSON]:
    """Everything there is to a position, but for what follows from the rest."""
    last = position.last
    return {
        "schema": position.game.schema,
        "players": position.players,
        "options": {**position.game.written_options(position.players, position.options)},
        "phase": position.stage,
        "first": position.first,
        "seat": position.seat,
        "tied": list(position.tied),
        "lots": [list(names) for names in position.lots],
        "bag": list(position.bag),
        "racks": [list(rack) for rack in position.racks],
        "board": [list(stack) for stack in position.stacks],
        "gone": list(position.gone),
        "aside": list(position.aside),
        "points": list(position.points),
        "passes": position.passes,
        "last": None
        if last is None
        else {
            "seat": last.seat,
            "moves": list(last.moves),
            "nines": last.nines,
            "points": last.points,
        },
        "turn": {
            "mode": position.mode,
            "start": position.start_cell,
            "touched": list(position.touched_cells),
            "laid": list(position.laid),
            "nines": position.nines,
        },
        "games": [list(result) for result in position.games],
        "left": [list(rack) for rack in position.left],
        "count": position.count,
        "outcome": None if position.result is None else position.result.to_json(),
    }


def restore(position: Position, data: Mapping[str, Any]) -> None:
    """Bring a first position to the stored one; see `Game.restore`."""
    players = position.players
    turn = data["turn"]
    need(data["phase"] in PHASES and turn["mode"] in MODES, "phase or kind of turn")
    position.stage = data["phase"]
    nobody = -1 if position.stage == "lots" else 0
    position.first = whole(data["first"], nobody, players - 1)
    position.seat = whole(data["seat"], nobody, players - 1)
    position.tied = numbers(data["tied"], 0, players - 1)
    need(bool(position.tied), "nobody in the start draw")
    position.lots = each(data["lots"], lambda names: tuple(words(names, _DRAWN, players)))
    position.bag = words(data["bag"], COPIES)
    position.racks = each(data["racks"], lambda rack: words(rack, COPIES), players)
    position.stacks = each(data["board"], lambda stack: tuple(words(stack, MASKS)), len(CELLS))
    position.fills = [fill(stack) for stack in position.stacks]
    position.gone = words(data["gone"], COPIES)
    position.aside = words(data["aside"], COPIES)
    position.points = list(numbers(data["points"], _LEAST, None, players))
    position.passes = whole(data["passes"], 0)
    position.last = optional(data["last"], lambda last: _last_turn(last, players))
    position.mode = turn["mode"]
    position.start = -1 if turn["start"] is None else CELL_INDEX[turn["start"]]
    position.touched = sum({1 << CELL_INDEX[cell] for cell in words(turn["touched"], CELLS)})
    position.laid = tuple(words(turn["laid"], LAYS))
    position.nines = whole(turn["nines"], 0)
    position.games = each(data["games"], lambda result: numbers(result, _LEAST, None, players))
    left = each(data["left"], lambda rack: tuple(words(rack, COPIES)), players if position.games else 0)
    position.left = tuple(left)
    position.count = whole(data["count"], 0)
    position.result = outcome(data["outcome"], position.game, players)
    need(
        (position.result is None) == (position.stage != "over"), "an outcome before the end, or none after it"
    )


def _last_turn(last: Mapping[str, Any], players: int) -> LastTurn:
    moves = tuple(words(last["moves"], _TURNS))
    need(bool(moves), "a last turn without moves")
    return LastTurn(
        whole(last["seat"], 0, players - 1), moves, whole(last["nines"], 0), whole(last["points"], 0)
    )
