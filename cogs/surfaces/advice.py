"""A hint on the private page of who asked for it: first where, then why. (What such a page explains by itself
is in `hints`.)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.players.contract import Term
from bot.rules.game import Say, View
from bot.tables.adviser import Hint
from bot.tables.model import Seat, Table
from cogs import custom_ids

from . import wording
from .components import Button

SIGN = "💡"


@dataclass(frozen=True, slots=True)
class Told:
    """A hint, as far as its player has read it. why: whether the reasons too."""

    hint: Hint
    why: bool = False


def marked_by(moves: Sequence[str]) -> str:
    """What a picture shows of the moves of a turn, as it does of a draft: all that names a piece or a number.
    A word alone (draw, end) does not."""
    return " ".join(move for move in moves if not (move.isalpha() and move.islower()))


def told_moves(table: Table, view: View, moves: Sequence[str], say: Say) -> str:
    """The moves of a turn as what their reader, the view's seat, might do there."""
    return " ".join(wording.told_to_do(table.game, view, move, say) for move in moves)


def reason_lines(why: Sequence[Term], say: Say) -> list[str]:
    """A list: what follows it in the same text is read as part of its last line."""
    return [f"- {wording.literal(say(term.key, **dict(term.values)))}" for term in why]


def advice_lines(table: Table, view: View, told: Told, say: Say, *, astray: bool = False) -> list[str]:
    """What to do; and why, in the words of the player who found it. view: its reader's, without what they
    have begun. astray: whether that does not lead there, so that one has to go back."""
    advice = told.hint.advice
    lines = [say("advice.where", sign=SIGN, move=told_moves(table, view, advice.moves, say))]
    if astray:
        lines.append(say("advice.astray", back=say("table.button.back")))
    if not told.why:
        return lines
    return [*lines, *(reason_lines(advice.why, say) or [f"- {say('advice.best')}"])]


def advice_buttons(table: Table, seat: Seat, told: Told | None, mark: str, say: Say) -> list[Button]:
    """What leads on. mark: of the page's other controls."""
    if not table.hints or (told is not None and told.why):
        return []
    verb = "hint" if told is None else "why"
    made = custom_ids.button(table.id, seat.since, verb, mark)
    return [Button(say(f"table.button.{verb}"), made, emoji=SIGN)]
