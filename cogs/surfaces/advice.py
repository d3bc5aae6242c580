"""A hint on the private page of who asked for it: first where, then why. (What such a page explains by itself
is in `hints`.)"""

from __future__ import annotations

from dataclasses import dataclass

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


def marked_by(told: Told) -> str:
    """What a picture shows of it, as it does of a draft: all that names a piece or a number. A word alone
    (draw, end) does not."""
    return " ".join(move for move in told.hint.advice.moves if not (move.isalpha() and move.islower()))


def advice_lines(table: Table, view: View, told: Told, say: Say) -> list[str]:
    """What to do; and why, in the words of the player who found it. view: its reader's."""
    advice = told.hint.advice
    moves = [wording.told_to_do(table.game, view, move, say) for move in advice.moves]
    lines = [say("advice.where", sign=SIGN, move=" ".join(moves))]
    if not told.why:
        return lines
    reasons = [say(term.key, **dict(term.values)) for term in advice.why]
    return [*lines, *(f"- {wording.literal(reason)}" for reason in reasons or [say("advice.best")])]


def advice_buttons(table: Table, seat: Seat, told: Told | None, mark: str, say: Say) -> list[Button]:
    """What leads on. mark: of the page's other controls."""
    if not table.hints or (told is not None and told.why):
        return []
    verb = "hint" if told is None else "why"
    made = custom_ids.button(table.id, seat.since, verb, mark)
    return [Button(say(f"table.button.{verb}"), made, emoji=SIGN)]
