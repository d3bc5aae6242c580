"""Positions of 5 vor 12 as they are stored: written as JSON and read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..game import JSON
from ..loading import each, flag, need, numbers, optional, outcome, rows, whole, word, words
from .board import ID, INDEX, SIDE, SIZE, TOP
from .position import Position
from .view import ONE_SEAT, PHASES, SOURCES, GameResult, Placement


def written(position: Position) -> dict[str, JSON]:
    """Everything, as `restore` takes it."""
    return {
        "schema": position.game.schema,
        "game": ID,
        "players": position.players,
        "options": dict(position.options),
        "phase": position.stage,
        "boards": [list(board) for board in position.boards],
        "stock": list(position.stock),
        "middle": list(position.middle),
        "hand": position.hand,
        "wave": [list(tiles) for tiles in position.wave],
        "wave_number": position.wave_number,
        "receiver": position.receiver,
        "turn": position.on_turn,
        "again": position.again,
        "first": position.first,
        "idle": position.idle,
        "last": [
            None if last is None else [last.source, last.tile, list(last.cells), last.replaced]
            for last in position.last
        ],
        "mover": position.mover,
        "points": list(position.points),
        "results": [
            [list(one.filled), list(one.winners), one.reason, list(one.points)] for one in position.results
        ],
        "outcome": position.ending.to_json() if position.ending else None,
    }


def restore(position: Position, data: Mapping[str, Any]) -> None:
    """Bring a first position to the stored one. Raises ValueError and what comes of data of other shapes;
    `faults` finds what is of the right shape and cannot be."""
    players = position.players
    most_points = SIZE * players

    def seat(value: object) -> int:
        return whole(value, 0, players - 1)

    def board(value: object) -> tuple[int, ...]:
        return numbers(value, 0, TOP, SIZE)

    def wave(value: object) -> tuple[int, ...]:
        tiles = numbers(value, 1, TOP)
        need(len(tiles) in {0, position.dealt}, "wave")
        return tiles

    def result(value: object) -> GameResult:
        return _result(position, value, most_points)

    need(data["game"] == ID, "game")
    need(data["options"] == position.options, "options that are not all there")
    position.stage = PHASES[PHASES.index(data["phase"])]
    position.boards = each(data["boards"], board, players)
    position.stock = list(numbers(data["stock"], 0, players, TOP + 1))
    position.middle = list(numbers(data["middle"], 0, players, TOP + 1))
    position.hand = whole(data["hand"], 0, TOP)
    position.wave = each(data["wave"], wave, players)
    position.wave_number = whole(data["wave_number"], 0, SIDE)
    position.receiver = seat(data["receiver"])
    position.on_turn = optional(data["turn"], seat)
    position.again = flag(data["again"])
    position.first = optional(data["first"], seat)
    position.idle = whole(data["idle"], 0, position.idle_limit)
    position.last = each(data["last"], lambda value: optional(value, _placement), players)
    position.mover = optional(data["mover"], seat)
    position.points = list(numbers(data["points"], -most_points, most_points, players))
    position.results = each(data["results"], result)
    position.ending = outcome(data["outcome"], position.game, players, -most_points)
    _need_answers(position)


def _need_answers(position: Position) -> None:
    """Without these no question about the position has an answer."""
    stage = position.stage
    need((position.on_turn is not None) == (stage in ONE_SEAT), "turn")
    need((position.hand > 0) == (stage == "hand"), "hand")
    need((position.ending is not None) == (stage == "over"), "outcome")
    need((position.first is not None) == (stage != "first" or bool(position.results)), "first")
    need(any(position.wave) or stage != "place", "wave")
    need(any(position.stock) or stage not in {"deal", "reveal"}, "stock")


def _placement(value: object) -> Placement:
    source, tile, cells, replaced = rows(value, 4)
    names = words(cells, INDEX)
    need(len(names) <= SIZE, "cells")
    return Placement(
        SOURCES[SOURCES.index(source)], whole(tile, 1, TOP), tuple(names), whole(replaced, 0, TOP)
    )


def _result(position: Position, value: object, most_points: int) -> GameResult:
    filled, winners, reason, points = rows(value, 4)
    need(bool(winners), "a game without winners")
    players = position.players
    return GameResult(
        numbers(filled, 0, SIZE, players),
        numbers(winners, 0, players - 1),
        word(reason, position.game.reasons),
        numbers(points, -most_points, most_points, players),
    )
