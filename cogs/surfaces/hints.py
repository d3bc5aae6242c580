"""What a private page explains until its reader wants it no more: the signs in its picture (a game's legend),
and at a first table of a game where its rules are in short.

A hint's key is its kind and the game it is about (`legend.zatre`, `rules.zatre`); what is dismissed is kept
with the person (`UserSettings.dismissed`). A game that has no such text gives no such hint. Beside the rules
stands the way to the game's lesson (`lesson.zatre`), for who has not begun it: it goes with them.
"""

from __future__ import annotations

from collections.abc import Collection

from bot.locale import DEFAULT, keys
from bot.rules.game import Say
from bot.tables.model import Table
from cogs import custom_ids

from . import wording
from .components import Button, Buttons, Page, Text, with_end
from .lesson import learn_button

KINDS = ("rules", "legend")


def hints_of(game: str, dismissed: Collection[str]) -> tuple[str, ...]:
    """The hints that there are for a game and that were not dismissed, the one about rules first."""
    known = keys(DEFAULT)
    there = {"rules": f"{game}.beginner" in known, "legend": f"{game}.legend" in known}
    return tuple(f"{kind}.{game}" for kind in KINDS if there[kind] and f"{kind}.{game}" not in dismissed)


def is_hint(key: str, games: Collection[str]) -> bool:
    """Whether there can be such a hint."""
    kind, _, game = key.partition(".")
    return kind in KINDS and game in games


def explained(shown: Page, table: Table, hints: Collection[str], say: Say) -> Page:
    """The page with what the hints say, below the buttons of the move, which must not leave the screen of a
    phone for them, and the buttons that follow or dismiss them; as it is where a message has no room for
    that."""
    if not hints:
        return shown
    lesson = f"lesson.{table.game}"
    lines: list[str] = []
    buttons: list[Button] = []
    for hint in hints:
        if hint == lesson:
            continue
        kind = hint.partition(".")[0]
        if kind == "rules":
            lines.append(say("hint.rules", game=wording.game_name(table.game, say)))
            opened = custom_ids.button(table.id, 0, "rules", f"{table.game}.0")
            buttons.append(Button(say("hint.rules.open"), opened))
            buttons += [learn_button(table.game, say)] if lesson in hints else []
        else:
            lines.append(say(f"{table.game}.legend"))
        # of no revision: what others do changes nothing on this page
        buttons.append(Button(say(f"hint.{kind}.dismiss"), custom_ids.button(table.id, 0, "dismiss", hint)))
    longer = with_end(shown, (Text("\n".join(lines)), Buttons(tuple(buttons))))
    if longer is None and lesson in hints:  # what there was before it is not to go for it
        return explained(shown, table, [hint for hint in hints if hint != lesson], say)
    return longer or shown
