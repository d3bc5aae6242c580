"""A game's rules, section by section."""

from __future__ import annotations

from bot.locale import keys
from bot.rules.game import Say
from cogs import custom_ids

from .components import Button, Buttons, Page, Text, page


def sections(game: str, language: str) -> int:
    """How many sections the rules text has."""
    known = keys(language)
    count = 0
    while f"{game}.rules.{count + 1}" in known:
        count += 1
    return count


def rules_page(game: str, number: int, language: str, say: Say) -> Page:
    """One section of the rules, with the way to the others."""
    count = sections(game, language)
    number = min(max(number, 1), max(count, 1))
    key = f"{game}.rules.{number}"
    title = say("rules.title", game=say(f"{game}.name"), number=number, count=count)
    body = say(key) if key in keys("en") else say("rules.none")
    buttons = []
    if number > 1:
        buttons.append(
            Button(say("rules.previous"), custom_ids.button(None, 0, "section", f"{game}.{number - 1}"))
        )
    if number < count:
        buttons.append(
            Button(
                say("rules.next"), custom_ids.button(None, 0, "section", f"{game}.{number + 1}"), "primary"
            )
        )
    return page(Text(title), Text(body), Buttons(tuple(buttons)) if buttons else None)
