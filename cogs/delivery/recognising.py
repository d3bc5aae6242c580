"""Which table a message of ours in a channel's history is of, and what of it.

By the ids of its controls, which name the table; and where it has none, by what it begins with, word for
word: there no name stands, so nobody can be called so that a message passes for another table's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bot.discord_io import Found
from bot.locale import LANGUAGES, sayer
from bot.tables.model import Table
from cogs import custom_ids
from cogs.surfaces import hand, lobby, notices
from cogs.surfaces import table as board

IN_LOBBY = frozenset(
    {
        "join",
        "leave",
        "start",
        "cancel",
        "add_computer",
        "remove_computer",
        "partner",
        "invite",
        "invitations",
        "restrict",
        "hints",
    }
)
IN_INVITATION = frozenset({"accept", "decline"})
AT_THE_END = frozenset({"rematch", "record", "moments"})
_MENTION = re.compile(r"<@([0-9]{1,20})>")

OF_LETTERS = frozenset({"later", "stop"})
OF_NOTICES = frozenset({"move"})  # all that a notice has; the table message has more
PRIVATE = frozenset({"hand", "letter"})  # kinds of messages in somebody's direct messages

Kind = Callable[[Found], str | None]


def public_kind(table: Table) -> Kind:
    """What of the table a message in a channel is: "lobby", "invitation", "table", "notice" or "final"; None
    for what is none of it."""
    headings = [page.heading(table, sayer(one)) for page in (board, lobby) for one in LANGUAGES]

    def kind(found: Found) -> str | None:
        controls = _controls(found.controls)
        if any(control.table not in {None, table.id} for control in controls):
            return None
        if any(control.table for control in controls):
            return kind_pressed(controls, private=False)
        if _begins(found, headings):
            return "table"
        return "notice" if _is_notice(found, table) else None

    return kind


def private_kind(table: Table, wanted: str) -> Kind:
    """The same of direct messages, of which only those of the kind wanted are looked for: every letter, for
    it tells of several tables, or this table's hands."""
    says = [sayer(one) for one in LANGUAGES]
    headings = [hand.heading(table, say) for say in says]

    def kind(found: Found) -> str | None:
        controls = _controls(found.controls)
        of = kind_pressed(controls, private=True)
        if of == "hand":
            tables = {control.table for control in controls if control.table is not None}
            if tables - {table.id} or not (tables or _begins(found, headings)):
                return None
        return of if of == wanted else None

    return kind


def kind_pressed(controls: Sequence[custom_ids.Control], *, private: bool) -> str:
    """What a message of ours with these controls is. private: one in direct messages."""
    if private:
        ends = [control for control in controls if control.table is None and control.verb in OF_LETTERS]
        letter = any(not control.argument for control in ends)  # else it is a hand that is the notice
        return "letter" if letter else "hand"
    verbs = {control.verb for control in controls if control.table is not None}
    for kind, theirs in (("lobby", IN_LOBBY), ("invitation", IN_INVITATION), ("final", AT_THE_END)):
        if verbs & theirs:
            return kind
    return "notice" if verbs == OF_NOTICES else "table"


def _controls(texts: Sequence[str]) -> list[custom_ids.Control]:
    return [control for text in texts if (control := custom_ids.parse(text)) is not None]


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
