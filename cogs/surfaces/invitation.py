"""What tells people of a lobby that they are invited, and its host who is."""

from __future__ import annotations

from collections.abc import Collection

from bot.locale import listing
from bot.rules.game import Say
from bot.tables.model import Invitation, Table, UserId
from cogs import custom_ids

from . import wording
from .components import Button, Buttons, Entry, Link, Page, Select, Text, page


def invitation_page(table: Table, pinged: Collection[UserId], language: str, say: Say) -> Page:
    """For all who are invited and have not sat down. It tells what the lobby beside it shows everybody, and
    not who has declined. pinged: those whom it notifies, when it is sent."""
    host = table.seat_of(table.host)
    names = [
        f"<@{one.user}>" if one.user in pinged or not pinged else wording.plain(one.name)
        for one in table.invited
    ]
    text = say(
        "invitation.text",
        names=listing(language, names),
        host=wording.shown_name(table, host, say) if host else say("tables.somebody"),
        game=wording.game_name(table.game, say),
    )
    buttons: list[Button | Link] = [
        Button(say("invitation.accept"), custom_ids.button(table.id, table.revision, "accept"), "success"),
        Button(say("invitation.decline"), custom_ids.button(table.id, table.revision, "decline")),
    ]
    if url := wording.table_link(table):
        buttons.append(Link(say("invitation.go"), url))
    return page(Text(text), Buttons(tuple(buttons)), mentions=tuple(pinged))


def invitations_page(table: Table, declined: Collection[Invitation], say: Say, *, remark: str = "") -> Page:
    """To the host alone: who is invited, who of them declined, and the way to take invitations back. remark:
    what was done just now."""
    if not table.invited:
        return page(Text(remark or say("invitations.none")))
    entries = tuple(
        Entry(
            wording.bare(one.name),
            str(one.user),
            say("invitations.declined" if one in declined else "invitations.open"),
        )
        for one in table.invited
    )
    select = custom_ids.select(table.id, table.revision, "withdraw")
    lines = [remark, *declined_lines(declined, say)] if declined else [remark, say("invitations.waiting")]
    return page(
        Text("\n".join(filter(None, lines))),
        Select(select, say("invitations.withdraw"), entries, most=len(entries)),
    )


def declined_lines(declined: Collection[Invitation], say: Say) -> list[str]:
    """To the host alone: who declined."""
    names = ", ".join(wording.plain(one.name) for one in declined)
    return [say("invitation.all_declined", names=names)] if names else []
