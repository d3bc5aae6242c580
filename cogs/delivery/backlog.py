"""What waits to be told when the bot is back from an outage: one notice in the channels for each person, not
one a table.

From the moment an outage is noted (`bot.tables.outages`; a short one is none) until everything left behind
was looked at once, tables at which no person has done anything since are the backlog. Whoever is owed notices
at several of them is pinged at one; it leads to all their tables, and the others count as told. (By direct
message a letter tells of all tables.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bot.tables.model import Table, TableId, UserId

OnServer = Callable[[int], bool]


class Backlog:
    def __init__(self) -> None:
        self._away: list[OnServer] = []  # on which servers the bot was away
        self._live: set[TableId] = set()
        self._waiting: set[TableId] = set()
        self._called: dict[UserId, TableId] = {}
        self._said: dict[TableId, frozenset[UserId]] = {}  # whose table message says that it was

    def begin(self, away: OnServer) -> None:
        """The bot is back on servers that it was away from."""
        self._away.append(away)
        for some in (self._live, self._waiting, self._called):
            some.clear()

    def end(self) -> None:
        """All was looked at once. What waits for another notice goes on waiting."""
        self._away.clear()
        self._live.clear()

    def played_on(self, table: TableId) -> None:
        """A person has done something there: it is at its usual rhythm again."""
        self._waiting.discard(table)
        if self._away:
            self._live.add(table)

    def holds(self, table: Table) -> bool:
        """Whether it belongs to what was left behind."""
        left = any(away(table.place.guild) for away in self._away)
        return table.id in self._waiting or (left and table.id not in self._live)

    def says(self, table: TableId, users: Iterable[UserId]) -> None:
        """The table message says to these that the bot was away; to nobody, it says nothing of it."""
        self._said.pop(table, None)
        if told := frozenset(users):
            self._said[table] = told

    def is_read(self, table: TableId, user: UserId) -> bool:
        """Whether it says so to this person, who has now seen it."""
        return user in self._said.get(table, ())

    def called(self, user: UserId, table: TableId) -> TableId:
        """At which table this person is pinged: this one, if nowhere else yet."""
        return self._called.setdefault(user, table)

    def take_over(self, user: UserId, table: TableId) -> None:
        """They could not be told where they were to be, and are here instead."""
        self._called[user] = table

    def cannot(self, user: UserId, table: TableId) -> None:
        """They cannot be told there."""
        if self._called.get(user) == table:
            del self._called[user]

    def wait(self, table: TableId) -> None:
        """It is not known yet whether somebody was told elsewhere."""
        self._waiting.add(table)

    def told(self, table: TableId) -> None:
        """It is."""
        self._waiting.discard(table)
