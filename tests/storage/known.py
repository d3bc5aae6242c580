"""Holds what a store believes to know against its database."""

from __future__ import annotations

from typing import Any

from bot.storage import SqlStore


async def differences(store: SqlStore) -> list[str]:
    """What the store knows otherwise than it is stored, by kind and key. Nothing may be under way."""
    other = SqlStore(store._database, None)  # knows nothing yet
    found: list[str] = []

    def hold(kind: str, key: object, known: Any, stored: Any) -> None:
        if known != stored:
            found.append(f"{kind} {key}: known {known}, stored {stored}")

    for table, stored in list(store._known._values.items()):
        hold("table", table, stored, await other.load(table))
    for table, entries in list(store._entries._values.items()):
        hold("entries", table, list(entries), await other.entries(table))
    for table, posts in list(store._posts._values.items()):
        hold("posts", table, list(posts), await other.posts(table))
    for table, drafts in list(store._drafts._values.items()):
        hold("drafts", table, drafts, await other._all_drafts(table))
    for user, letter in list(store._letters._values.items()):
        hold("letter", user, letter, await other.letter(user))
    for user, settings in list(store._users._values.items()):
        hold("user", user, settings, await other.user(user))
    for guild, settings_there in list(store._guilds._values.items()):
        hold("guild", guild, settings_there, await other.guild(guild))
    return found
