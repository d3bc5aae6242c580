"""A table in words: names of its seats, its history. Texts come from the catalogue through `say`; names stay
raw, so who shows them escapes what their surface needs escaped.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.rules.game import Say
from bot.rules.registry import game as rules_of

from .model import HistoryLine, SeatKind, Table


def seat_names(table: Table, say: Say) -> list[str]:
    """A name for each seat, in order. Computer players are numbered among themselves."""
    names: list[str] = []
    computers = 0
    for seat in table.seats:
        plain = seat.name or say("tables.seat.nobody", number=seat.index + 1)
        match seat.kind:
            case SeatKind.COMPUTER:
                computers += 1
                names.append(say("tables.seat.computer", number=computers))
            case SeatKind.STAND_IN:
                names.append(say("tables.seat.stand_in", name=plain))
            case SeatKind.OPEN:
                names.append(say("tables.seat.open", name=plain))
            case _:
                names.append(plain)
    return names


def question(table: Table, kind: str, seat: int | None, say: Say) -> str:
    """A vote's question, e.g. "End the table?"."""
    names = seat_names(table, say)
    target = names[seat] if seat is not None and seat < len(names) else say("tables.somebody")
    return say(f"tables.vote.{kind}", target=target)


def history_texts(table: Table, lines: Sequence[HistoryLine], say: Say) -> list[str]:
    """The history as sentences, one per line of the result; what was taken back says so."""
    game = rules_of(table.game)
    names = seat_names(table, say)
    texts: list[str] = []
    for line in lines:
        if line.kind != "move":
            texts.append(_sentence(table, line, names, say))
        if line.void and line.kind == "move":
            seat = names[line.seat] if line.seat is not None else say("tables.somebody")
            texts.append(f"{seat} {say('tables.history.undone')}")
        texts += [game.describe(event, names, say) for event in line.events]
    return texts


def _sentence(table: Table, line: HistoryLine, names: Sequence[str], say: Say) -> str:
    seated = line.seat is not None and line.seat < len(names)
    seat = names[line.seat] if line.seat is not None and seated else say("tables.somebody")
    kind = line.kind
    values: dict[str, object] = {
        "name": line.name or say("tables.somebody"),
        "seat": seat,
        "number": (line.seat or 0) + 1,
    }
    if line.vote is not None and kind in ("vote", "lapse"):
        values["question"] = question(table, line.vote, line.seat, say)
        if kind == "vote":
            kind = "vote_yes" if line.yes else "vote_no"
    return say(f"tables.history.{kind}", **values)
