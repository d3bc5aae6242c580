"""Which table a message of ours in a channel's history is of, and what of it.

By the ids of its controls, which name the table; and where it has none, by what it begins with, word for
word: there no name stands, so nobody can be called so that a message passes for another table's.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.discord_io import Found
from bot.locale import LANGUAGES, sayer
from bot.tables.model import Table
from cogs import custom_ids
from cogs.surfaces import hand, lobby, notices
from cogs.surfaces import table as board

IN_LOBBY = frozenset(
    {"join", "leave", "start", "cancel", "add_computer", "remove_computer", "partner", "invite", "restrict"}
)
IN_INVITATION = frozenset({"accept", "decline"})
AT_THE_END = frozenset({"rematch", "record"})
_MENTION = re.compile(r"<@([0-9]{1,20})>")

Kind = Callable[[Found], str | None]


def kind_by(verbs: frozenset[str]) -> str:
    """What a public message with such controls is."""
    for kind, theirs in (("lobby", IN_LOBBY), ("invitation", IN_INVITATION), ("final", AT_THE_END)):
        if verbs & theirs:
            return kind
    return "table"


def public_kind(table: Table) -> Kind:
    """What of the table a message in a channel is: "lobby", "invitation", "table", "notice" or "final"; None
    for what is none of it."""
    headings = [page.heading(table, sayer(one)) for page in (board, lobby) for one in LANGUAGES]

    def kind(found: Found) -> str | None:
        verbs = _verbs(found, table)
        if verbs is None:
            return None
        if verbs:
            return kind_by(verbs)
        if _begins(found, headings):
            return "table"
        return "notice" if _is_notice(found, table) else None

    return kind


def private_kind(table: Table) -> Kind:
    """The same of direct messages: "hand" for every one of them, notices too."""
    says = [sayer(one) for one in LANGUAGES]
    headings = [hand.heading(table, say) for say in says]
    headings += [notices.dm_line(table, why, say) for say in says for why in notices.WHYS]

    def kind(found: Found) -> str | None:
        verbs = _verbs(found, table)
        return "hand" if verbs or (verbs is not None and _begins(found, headings)) else None

    return kind


def _verbs(found: Found, table: Table) -> frozenset[str] | None:
    """Of its controls; None where one is another table's."""
    controls = [control for text in found.controls if (control := custom_ids.parse(text)) is not None]
    if {control.table for control in controls} - {None, table.id}:
        return None
    return frozenset(control.verb for control in controls if control.table is not None)


def _begins(found: Found, headings: list[str]) -> bool:
    first = found.texts[0] if found.texts else ""
    return any(f"{first}\n".startswith(f"{heading}\n") for heading in headings)


def _is_notice(found: Found, table: Table) -> bool:
    first = found.texts[0].partition("\n")[0] if len(found.texts) == 1 else ""
    if table.id not in first:
        return False
    users = [int(user) for user in _MENTION.findall(first)]
    return any(
        first == notices.notice_line(table, why, users, language, sayer(language))
        for language in LANGUAGES
        for why in notices.WHYS
    )
