"""What tells people that something is theirs to do, or has come to its end. What is owed to whom says
`Shown.owed_at`; `cogs.delivery.notices` sends it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.locale import listing
from bot.rules.game import Say
from bot.tables.model import Owed, Table, UserId

from . import wording
from .components import Buttons, Link, Page, Text, page

WHYS = ("turn", "last", "reminder", "expired")  # see `Owed`


def notice_line(table: Table, why: str, users: Sequence[UserId], language: str, say: Say) -> str:
    """What a notice in the channel begins with; nobody's name stands there."""
    return say(
        f"notice.{why}",
        n=len(users),
        names=listing(language, [f"<@{user}>" for user in users]),
        game=wording.game_name(table.game, say),
        table=table.id,
    )


def dm_line(table: Table, why: str, say: Say) -> str:
    """The same of one by direct message."""
    return say(f"notice.dm.{why}", game=wording.game_name(table.game, say), table=table.id)


def notice_page(table: Table, owed: Sequence[Owed], language: str, say: Say) -> Page:
    """The short message with a link, pinging exactly those who are owed it."""
    users = [due.user for due in owed]
    [why, *others] = {due.why for due in owed}
    text = notice_line(table, "turn" if others else why, users, language, say)
    deadlines = [due.seat.deadline for due in owed if due.seat.deadline is not None]
    if deadlines:
        text += "\n" + say("table.deadline", when=wording.when(min(deadlines)))
    url = wording.table_link(table)
    return page(Text(text), Buttons((Link(say("notice.go"), url),)) if url else None, mentions=users)


def dm_page(table: Table, due: Owed, say: Say) -> Page:
    """The same for one person, by direct message."""
    text = dm_line(table, due.why, say)
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
