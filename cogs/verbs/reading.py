"""Reading: the board as text, the rules, what happened so far, the record."""

from __future__ import annotations

from itertools import zip_longest

from bot.locale import keys
from bot.rules.registry import game as rules_of
from bot.tables.model import HistoryLine, Table
from bot.text import cut
from cogs.input.errors import Outdated
from cogs.input.press import Press
from cogs.surfaces import wording
from cogs.surfaces.components import TEXT_LIMIT, Document, Page, Text, note, page
from cogs.surfaces.rules import is_beginners, rules_page
from cogs.surfaces.table import text_board
from rendering.examples import example_sentence

from .private import seen_by, show_reading

# Changes of which the history names the seat's player, not who clicked last; and those told beside what was
# played.
ABOUT_A_SEAT = frozenset({"kick", "open_seat", "computer_seat", "undo", "timeout", "remind", "overdue"})
TOLD_BESIDE = frozenset({"start", "timeout"})


async def text(press: Press) -> None:
    """The board as text, as the person may see it."""
    seen = await seen_by(press)
    if seen.view is None:
        raise Outdated
    await show_reading(press, note(cut(text_board(seen.table, seen.view, press.say), TEXT_LIMIT)), seen)


async def rules(press: Press) -> None:
    """A game's rules; argument `<game>.<number>`. Of a table's control on its panel, else a new message."""
    if press.reached is None:
        await press.show(await _section(press))
    else:
        await show_reading(press, await _section(press), await seen_by(press))


async def section(press: Press) -> None:
    """Another section, in place of the one shown."""
    panel = press.services.panels.pressed(press.interaction)
    if panel is None:
        await press.part(await _section(press))
    else:
        await show_reading(press, await _section(press), panel.seen)


async def _section(press: Press) -> Page:
    game, _, number = press.argument.partition(".")
    if not press.services.private.knows(game) or not number.isdecimal():
        raise Outdated
    return await section_page(press, game, int(number[:4]))


async def section_page(press: Press, game: str, number: int) -> Page:
    """A page of a game's rules; with pictures, where they can be drawn, if it is the beginner's."""
    if not is_beginners(game, number):
        return rules_page(game, number, press.language, press.say)
    rules = rules_of(game)
    pictures = await press.services.pictures.of_examples(game, press.say, theme=press.settings.theme)
    told = [example_sentence(rules, example, press.say) for example in rules.examples()]
    return rules_page(game, number, press.language, press.say, tuple(zip_longest(told, pictures)))


async def history(press: Press) -> None:
    await show_reading(press, await history_page(press, press.table), await seen_by(press))


async def history_page(press: Press, table_id: str) -> Page:
    """The newest events in words, as this person may know them."""
    say = press.say
    table = await press.tables.table(table_id)
    lines = await press.tables.history(table_id, press.person.id)
    told: list[str] = []
    for line in lines:
        told.extend(history_lines(table, line, press))
    room = TEXT_LIMIT - 300
    shown: list[str] = []
    for entry in reversed(told):
        if room < len(entry) + 1:
            shown.append(say("history.earlier"))
            break
        room -= len(entry) + 1
        shown.append(entry)
    body = "\n".join(reversed(shown)) or say("history.empty")
    return page(
        Text(say("history.title", game=wording.game_name(table.game, say), table=table.id)), Text(body)
    )


def history_lines(table: Table, line: HistoryLine, press: Press) -> list[str]:
    """A stored change in words: its events, or what happened beside the game."""
    say = press.say
    names = tuple(
        wording.plain(line.then[seat]) if line.then.get(seat) else name
        for seat, name in enumerate(wording.names(table, say))
    )
    told: list[str] = []
    if (not line.events or line.kind in TOLD_BESIDE) and f"history.{line.kind}" in keys("en"):
        name = wording.plain(line.name) if line.name and line.kind not in ABOUT_A_SEAT else ""
        if not name and line.seat is not None and line.seat < len(names):
            name = names[line.seat]
        if not name and line.user is not None:
            name = f"<@{line.user}>"
        question = ""
        if line.vote is not None and f"history.question.{line.vote}" in keys("en"):
            question = say(f"history.question.{line.vote}")
        told.append(
            say(
                f"history.{line.kind}",
                name=name or say("tables.somebody"),
                seat=0 if line.seat is None else line.seat + 1,
                question=question,
                answer=say("common.yes") if line.yes else say("common.no"),
            )
        )
    for place, event in enumerate(line.events):
        told.append(wording.event_line(table, event, names, say, line.fuller.get(place)))
        told += [say(f"{table.game}.event.forced", name=names[seat]) for seat in line.forced.get(place, ())]
    return [say("history.void", event=one) for one in told] if line.void else told


async def record(press: Press) -> None:
    """The record of an ended table, as a file."""
    written = await press.tables.record(press.table)
    told = Text(press.say("table.record", table=press.table))
    await press.show(page(told, Document(f"{press.table}.json", written.encode())))
