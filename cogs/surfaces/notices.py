"""What tells people that something is theirs to do, or has come to its end. What is owed to whom says
`Shown.owed_at`; `cogs.delivery.notices` sends it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.locale import listing
from bot.rules.game import Say
from bot.tables.model import Owed, Table

from . import wording
from .components import Buttons, Link, Page, Text, page


def notice_page(table: Table, owed: Sequence[Owed], language: str, say: Say) -> Page:
    """The short message with a link, pinging exactly those who are owed it."""
    users = [due.user for due in owed]
    [why, *others] = {due.why for due in owed}
    text = say(
        "notice.turn" if others else f"notice.{why}",
        n=len(users),
        names=listing(language, [f"<@{user}>" for user in users]),
        game=wording.game_name(table.game, say),
        table=table.id,
    )
    deadlines = [due.seat.deadline for due in owed if due.seat.deadline is not None]
    if deadlines:
        text += "\n" + say("table.deadline", when=wording.when(min(deadlines)))
    url = wording.table_link(table)
    return page(Text(text), Buttons((Link(say("notice.go"), url),)) if url else None, mentions=users)


def dm_page(table: Table, due: Owed, say: Say) -> Page:
    """The same for one person, by direct message."""
    text = say(f"notice.dm.{due.why}", game=wording.game_name(table.game, say), table=table.id)
    if due.seat.deadline is not None:
        text += "\n" + say("table.deadline", when=wording.when(due.seat.deadline))
    url = wording.table_link(table)
    return page(Text(text), Buttons((Link(say("notice.go"), url),)) if url else None)


def aside_page(table: Table, say: Say) -> Page:
    """To the server's owner: that a table cannot be loaded."""
    url = wording.table_link(table)
    return page(
        Text(say("table.aside_owner", table=table.id)),
        Buttons((Link(say("notice.go"), url),)) if url else None,
    )
