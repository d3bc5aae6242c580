"""What tells people that something is theirs to do, or has come to its end. What is owed to whom says
`Shown.owed_at`; `cogs.delivery` sends it: `notices` in the channel, `letters` by direct message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.locale import listing
from bot.rules.game import Say
from bot.tables.model import Owed, Table, TableId, UserId
from bot.text import units
from cogs import custom_ids

from . import wording
from .components import TEXT_LIMIT, Block, Button, Buttons, Link, Page, Text, note, page

WHYS = ("turn", "last", "reminder", "expired")  # see `Owed`
MOST_LISTED = 7  # tables in one letter: four components each, of the 40 that a message holds


def notice_line(table: Table, why: str, users: Sequence[UserId], language: str, say: Say) -> str:
    """What a notice in the channel begins with; nobody's name stands there."""
    return say(
        f"notice.{why}",
        n=len(users),
        names=listing(language, [f"<@{user}>" for user in users]),
        game=wording.game_name(table.game, say),
        table=table.id,
    )


def notice_page(
    table: Table,
    owed: Sequence[Owed],
    language: str,
    say: Say,
    *,
    lately: Sequence[str] = (),
    slower: Mapping[UserId, str] | None = None,
    back: bool = False,
) -> Page:
    """The notice in the channel, pinging exactly those who are owed it. lately: lines of what the others did,
    as a spectator may know it. slower: whose notices come in another rhythm from now on, since they left so
    many without an answer. back: whether it waited for the bot, and may stand for those of other tables."""
    users = [due.user for due in owed]
    [why, *others] = {due.why for due in owed}
    lines = [notice_line(table, "turn" if others else why, users, language, say)]
    lines += lately
    deadlines = [due.seat.deadline for due in owed if due.seat.deadline is not None]
    if deadlines:
        lines.append(say("table.deadline", when=wording.when(min(deadlines))))
    lines += wording.slower_lines(slower or {}, say)
    if back:
        lines.append(say("notice.back"))
    return page(Text("\n".join(lines)), _ways(table, say), mentions=users)


def _ways(table: Table, say: Say, user: UserId | None = None) -> Buttons | None:
    """The way to one's own move, and to where the table is. user: whose alone it is."""
    move = Button(say("table.button.move"), custom_ids.button(table.id, table.revision, "move"), "primary")
    url = wording.table_link(table, user)
    ways = ((move,) if table.is_open else ()) + ((Link(say("notice.go"), url),) if url else ())
    return Buttons(ways) if ways else None


def letter_page(
    waiting: Sequence[Owed], lately: Mapping[TableId, Sequence[str]], slower: str | None, say: Say
) -> Page:
    """A person's notice by direct message: every table of theirs that is to be told of, each with its way.
    lately: lines of what happened at each, as they may know it. slower: as `notice_page`."""
    blocks: list[Block | None] = []
    if len(waiting) > 1:
        blocks.append(Text(say("letter.several", n=len(waiting))))
    listed = waiting[:MOST_LISTED]
    for due in listed:
        blocks += [
            Text(_letter_lines(due, lately.get(due.table.id, ()), TEXT_LIMIT * 9 // 10 // len(listed), say)),
            _ways(due.table, say, due.user),
        ]
    if len(waiting) > MOST_LISTED:
        blocks.append(Text(say("letter.more", n=len(waiting) - MOST_LISTED)))
    return page(*(block for block in blocks if block is not None), letter_end(None, slower, say))


def _letter_lines(due: Owed, lately: Sequence[str], most: int, say: Say) -> str:
    """most: characters. Of what happened the newest is told that finds room."""
    table = due.table
    head = say(f"notice.dm.{due.why}", game=wording.game_name(table.game, say), table=table.id)
    end = [] if due.seat.deadline is None else [say("table.deadline", when=wording.when(due.seat.deadline))]
    while lately and units("\n".join((head, *lately, *end))) > most:
        lately = lately[1:]
    return "\n".join((head, *lately, *end))


def letter_end(hand: Table | None, slower: str | None, say: Say) -> list[Block]:
    """What every notice by direct message ends with. hand: the table whose private message it is; its id
    tells such a message from a letter (see `recognising`)."""
    of = "" if hand is None else hand.id
    said: list[Block] = [Text(say(f"letter.slower.{slower}"))] if slower else []
    return [
        *said,
        Buttons(
            (
                Button(say("letter.later"), custom_ids.button(None, 0, "later", of)),
                Button(say("letter.stop"), custom_ids.button(None, 0, "stop", of)),
            )
        ),
    ]


def put_off_page(text: str, say: Say) -> Page:
    """A letter whose reader wants to be told again later."""
    return note(text, Buttons((Button(say("letter.stop"), custom_ids.button(None, 0, "stop")),)))


def stopped_page(say: Say) -> Page:
    """A letter whose reader wants no more of them: how to have them again."""
    settings = Button(say("letter.settings"), custom_ids.button(None, 0, "profile"))
    return note(say("letter.stopped"), Buttons((settings,)))


def aside_page(table: Table, say: Say) -> Page:
    """To the server's owner: that a table cannot be loaded."""
    url = wording.table_link(table)
    return page(
        Text(say("table.aside_owner", table=table.id)),
        Buttons((Link(say("notice.go"), url),)) if url else None,
    )
