"""A position as it is stored: plain JSON, and the way back. Cards are texts, colours letters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..game import JSON
from ..loading import each, flag, need, numbers, optional, rows, whole, word
from .cards import COLOURS, POSITIONS, card_texts, colour_letters, masked
from .notation import parse
from .position import PHASES, Position
from .view import Play, RoundResult

_LETTERS = tuple(COLOURS)
_WAYS = ("won", "tie", "walkover", "nobody")  # of `RoundResult.how`

# --------------------------------------------------------------------------- to JSON


def written(position: Position) -> dict[str, JSON]:
    """Everything but the schema."""
    hands = zip(position.hands, position.jokers, strict=True)
    return {
        "players": position.players,
        "options": dict(position.options),
        "phase": position.stage,
        "game_number": position.game_number,
        "dealer": position.dealer,
        "dealt": position.dealt,
        "hands": [list(card_texts(hand, jokers)) for hand, jokers in hands],
        "gone": list(card_texts(position.gone, position.gone_jokers)),
        "points": list(position.points),
        "totals": list(position.totals),
        "previous": list(position.previous),
        "void": [colour_letters(void) for void in position.void],
        "round_number": position.round_number,
        "round_leader": position.round_leader,
        "last_winner": position.last_winner,
        "tiebreak": position.tiebreak,
        "order": list(position.order),
        "colour": COLOURS[position.colour] if position.colour >= 0 else "",
        "plays": [_play_written(play) for play in position.plays],
        "last": _result_written(position.last) if position.last else None,
    }


def _play_written(play: Play) -> JSON:
    return {"seat": play.seat, "stack": play.stack, "value": play.value, "counts": play.counts}


def _result_written(result: RoundResult) -> JSON:
    return {
        "game": result.game,
        "round": result.round,
        "tiebreak": result.tiebreak,
        "colour": result.colour,
        "plays": [_play_written(play) for play in result.plays],
        "how": result.how,
        "tied": list(result.tied),
        "winner": result.winner,
        "points": result.points,
        "ends_game": result.ends_game,
    }


# --------------------------------------------------------------------------- and back


def restore(position: Position, data: Mapping[str, Any]) -> None:
    """Bring a first position to the stored one; see `Game.restore`."""
    seats = position.players
    position.stage = word(data["phase"], PHASES)
    position.game_number = whole(data["game_number"], 1)
    position.dealer = whole(data["dealer"], -1, seats - 1)
    position.dealt = whole(data["dealt"], 0, seats)
    hands = each(data["hands"], _hand, seats)
    position.hands = [mask for mask, _ in hands]
    position.jokers = [jokers for _, jokers in hands]
    position.gone, position.gone_jokers = _hand(data["gone"])
    position.points = list(numbers(data["points"], 0, None, seats))
    position.totals = list(numbers(data["totals"], 0, None, seats))
    position.previous = numbers(data["previous"], 0, None, seats if data["previous"] else 0)
    position.void = each(data["void"], _colours, seats)
    position.round_number = whole(data["round_number"], 0)
    position.round_leader = whole(data["round_leader"], -1, seats - 1)
    position.last_winner = whole(data["last_winner"], -1, seats - 1)
    position.tiebreak = whole(data["tiebreak"], 0)
    position.order = numbers(data["order"], 0, seats - 1)
    position.colour = -1 if data["colour"] == "" else COLOURS.index(word(data["colour"], _LETTERS))
    position.plays = each(data["plays"], lambda play: _play(play, seats))
    position.last = optional(data["last"], lambda result: _result(result, seats))
    if position.stage == "play":
        need(len(position.plays) < len(position.order), "a round in play has somebody to play")


def _hand(cards: object) -> tuple[int, int]:
    """Mask and jokers of a list of cards."""
    mask, jokers = masked(rows(cards))
    need(mask.bit_count() + jokers == len(rows(cards)), "a card twice")
    return mask, jokers


def _colours(letters: str) -> int:
    """Bit mask of the colours of these letters."""
    return sum({1 << COLOURS.index(word(letter, _LETTERS)) for letter in letters})


def _play(data: Mapping[str, Any], seats: int) -> Play:
    return Play(
        seat=whole(data["seat"], 0, seats - 1),
        stack=parse(data["stack"]).canonical,
        value=whole(data["value"], 0, POSITIONS),
        counts=flag(data["counts"]),
    )


def _result(data: Mapping[str, Any], seats: int) -> RoundResult:
    return RoundResult(
        game=whole(data["game"], 1),
        round=whole(data["round"], 1),
        tiebreak=whole(data["tiebreak"], 0),
        colour=word(data["colour"], _LETTERS),
        plays=tuple(each(data["plays"], lambda play: _play(play, seats))),
        how=word(data["how"], _WAYS),
        tied=numbers(data["tied"], 0, seats - 1),
        winner=optional(data["winner"], lambda seat: whole(seat, 0, seats - 1)),
        points=whole(data["points"], 0),
        ends_game=flag(data["ends_game"]),
    )
