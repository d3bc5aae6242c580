"""What waits to be told when the bot is back: one notice in the channels for each person, not one a table.

From the moment the bot is connected again until everything left behind was looked at once, tables at which no
person has done anything since are the backlog. Whoever is owed notices at several of them is pinged at one;
it leads to all their tables, and the others count as told. (By direct message a letter tells of all tables.)
"""

from __future__ import annotations

from bot.tables.model import TableId, UserId


class Backlog:
    def __init__(self) -> None:
        self._on = True
        self._live: set[TableId] = set()
        self._waiting: set[TableId] = set()
        self._called: dict[UserId, TableId] = {}

    def begin(self) -> None:
        """The bot is back."""
        self._on = True
        for some in (self._live, self._waiting, self._called):
            some.clear()

    def end(self) -> None:
        """All was looked at once. What waits for another notice goes on waiting."""
        self._on = False
        self._live.clear()

    def played_on(self, table: TableId) -> None:
        """A person has done something there: it is at its usual rhythm again."""
        self._waiting.discard(table)
        if self._on:
            self._live.add(table)

    def holds(self, table: TableId) -> bool:
        """Whether it belongs to what was left behind."""
        return table in self._waiting or (self._on and table not in self._live)

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
