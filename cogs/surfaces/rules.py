"""A game's rules: what a beginner needs, with examples as pictures, then all of it section by section.

Sections count from 1. The beginner's page stands before them as number 0; a game that has none begins with
its first section.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.lessons import lesson_of
from bot.locale import DEFAULT, keys
from bot.rules.game import Say
from cogs import custom_ids
from rendering.scene import Picture

from .components import Block, Button, Buttons, Gallery, Page, Style, Text, page
from .lesson import learn_button


def sections(game: str, language: str) -> int:
    """How many sections the rules text has, the beginner's page not counted."""
    known = keys(language)
    count = 0
    while f"{game}.rules.{count + 1}" in known:
        count += 1
    return count


def is_beginners(game: str, number: int) -> bool:
    """Whether a page of this number is the one for beginners, the one with examples."""
    return number < 1 and f"{game}.beginner" in keys(DEFAULT)


def rules_page(
    game: str, number: int, language: str, say: Say, examples: Sequence[tuple[str, Picture | None]] = ()
) -> Page:
    """One page of the rules, with the way to the others. examples: for the beginner's page, sentences with
    what shows them."""
    name = say(f"{game}.name")
    learn = [learn_button(game, say)] if lesson_of(game) is not None else []
    if is_beginners(game, number):
        shown: list[Block] = []
        for sentence, picture in examples:
            shown += [Text(sentence), *([Gallery((picture,))] if picture is not None else ())]
        ways = [_turn(game, 1, say("rules.all"), "primary")] if sections(game, language) else []
        ways += learn
        return page(
            Text(say("rules.beginner", game=name)),
            Text(say(f"{game}.beginner")),
            shown,
            Buttons(tuple(ways)) if ways else None,
        )
    count = sections(game, language)
    number = min(max(number, 1), max(count, 1))
    key = f"{game}.rules.{number}"
    title = say("rules.title", game=name, number=number, count=count)
    body = say(key) if key in keys(DEFAULT) else say("rules.none")
    buttons = []
    if number > 1 or is_beginners(game, 0):
        buttons.append(_turn(game, number - 1, say("rules.previous")))
    if number < count:
        buttons.append(_turn(game, number + 1, say("rules.next"), "primary"))
    buttons += learn
    return page(Text(title), Text(body), Buttons(tuple(buttons)) if buttons else None)


def _turn(game: str, number: int, label: str, style: Style = "secondary") -> Button:
    return Button(label, custom_ids.button(None, 0, "section", f"{game}.{number}"), style)
