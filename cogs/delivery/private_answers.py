"""Two write a person's private message: its keepers, and the answers to clicks on it.

The keepers (`Hands`, `Posts`, `Painter`) edit and delete it by channel and id, one job a table, so one after
another. The answer to a click is Discord's quickest way to a new page, and goes to the same message beside
that job. Whatever arrives last stands; so an answer is never the last without its keeper knowing:

- An answer is told here before it is sent (`answer`). While it is under way, and where it is lost for as long
  as it may still arrive, the keeper leaves the message alone (`busy`), and what it owed it stays owed in the
  store. So the death of the process leaves nothing behind either: the next start finds the table as not yet
  painted, the leftover as not yet cleared.
- Then it is looked whether this is still the person's message of that table. Where it is not, or the table
  has ended since the page was made, the answer goes elsewhere. Whatever changes after that look has its
  keeper come by later, and wait.
- When it is over the keeper is rung wherever the answer may not be what is to stand: the table has changed,
  the message is no longer theirs, or nobody knows what arrived.
- An answer that begins while the keeper's own edit is under way is told by `answers`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from cachetools import LRUCache

from bot.background import Background
from bot.discord_io import Failed, Result, is_gone
from bot.tables.model import Table, TableId, UserId
from bot.tables.service import Tables
from bot.tables.shown import Shown

from .repaints import Repaints

UNSURE = 3.0  # seconds in which an answer that was lost may still arrive
KEPT = 8192  # messages whose answers are counted


@dataclass(frozen=True, slots=True)
class PrivateMessage:
    """A private message, as a click on it tells: whose it is, of which table, and where."""

    table: TableId
    user: UserId
    channel: int
    message: int


class PrivateAnswers:
    def __init__(self, tables: Tables, shown: Shown, background: Background, repaints: Repaints) -> None:
        self._tables = tables
        self._shown = shown
        self._background = background
        self._repaints = repaints
        self._under_way: Counter[int] = Counter()  # answers, by message
        self._mixed: set[int] = set()  # messages with several under way at a time
        self._answers: LRUCache[int, int] = LRUCache(KEPT)

    def busy(self, message: int) -> bool:
        """Whether its keeper is to leave it alone for now, and to come again: it is rung."""
        return self._under_way[message] > 0

    def answers(self, message: int) -> int:
        """How many answers were sent to it. Where that has changed nobody but Discord knows what it shows."""
        return self._answers.get(message, 0)

    async def answer(
        self, shown: PrivateMessage, revision: int | None, update: Callable[[], Awaitable[Result[Any]]]
    ) -> bool:
        """Let the answer to a click change the message. revision: the table's, as the page shows it; None for
        a page that shows no hand, which takes no hand's place. False: nothing is answered yet. The message is
        not to be changed so (alike for a table that is not theirs and for one that there is not), or has been
        deleted meanwhile."""
        self._under_way[shown.message] += 1
        sent, known, gone = False, True, False
        try:
            table = await self._tables.find(shown.table)
            if table is not None and _takes(table, shown, revision):
                self._answers[shown.message] = self.answers(shown.message) + 1
                sent, known = True, False
                result = await update()
                known = not (isinstance(result, Failed) and result.unclear)
                gone = is_gone(result)
        finally:
            over = partial(self._over, shown, revision if known else None, sent)
            if known:
                over()
            else:
                asyncio.get_running_loop().call_later(UNSURE, over)
        return sent and not gone

    def _over(self, shown: PrivateMessage, revision: int | None, sent: bool) -> None:
        """revision: that which the message shows for certain. sent: whether an answer was."""
        message = shown.message
        self._under_way[message] -= 1
        if self._under_way[message] > 0:  # the last one looks; which of them arrives last nobody knows
            self._mixed.add(message)
            return
        del self._under_way[message]
        if message in self._mixed:
            self._mixed.discard(message)
            revision, sent = None, True
        self._background.spawn(
            "answered", partial(self._look, shown, revision, sent), f"{message} {self.answers(message)}"
        )

    async def _look(self, shown: PrivateMessage, revision: int | None, sent: bool) -> None:
        table = await self._tables.find(shown.table)
        if table is None:
            return
        if not _is_theirs(table, shown):
            if sent:
                await self._shown.leave_over(
                    shown.table, "hand", shown.channel, shown.message, user=shown.user
                )
            self._repaints.mark(shown.table)
        elif table.revision != revision:
            self._repaints.look_at_hands(shown.table)


def _is_theirs(table: Table, shown: PrivateMessage) -> bool:
    seat = table.seat_of(shown.user)
    return seat is not None and seat.hand_message == shown.message


def _takes(table: Table, shown: PrivateMessage, revision: int | None) -> bool:
    """Whether a page that shows this revision may take the hand's place. An open table's may be older than
    what is stored by now: its keeper comes again."""
    if revision is None or not _is_theirs(table, shown):
        return False
    return table.is_open or table.revision == revision
