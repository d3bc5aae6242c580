"""What people did at the tables since a moment, held against what is stored of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from bot.bench.clicks.figures import Unmeasured
from bot.bench.clicks.session import Turn

LOG = 3000  # characters shown of what a bot had to say


@dataclass(slots=True)
class Tally:
    """since: microseconds; what is stored from then on counts. kinds: taps, by kind. refused: those that
    should have moved and were answered with a reason why not. moves: those that were acknowledged, by table
    and person, stored: those in the database. gaps: tables whose changes are not without one. troubles: what
    went wrong beside that, in words."""

    since: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    unanswered: int = 0
    refused: int = 0
    moves: Counter[tuple[str, int]] = field(default_factory=Counter)
    stored: Counter[tuple[str, int]] = field(default_factory=Counter)
    computers: int = 0
    gaps: int = 0
    troubles: list[str] = field(default_factory=list)

    @property
    def lost(self) -> int:
        """Moves that were acknowledged and are not stored."""
        return (self.moves - self.stored).total()

    @property
    def doubled(self) -> int:
        """Moves that are stored more often than they were made. One whose answer got lost counts here too."""
        return (self.stored - self.moves).total()

    def begin(self) -> None:
        self.since = int(time.time() * 1_000_000)

    async def play(self, turn: Turn, until: float, tapped: Callable[[Any], Awaitable[None]]) -> None:
        """A whole turn, or what of it is begun by then, on the monotonic clock. tapped: gets each tap's
        result."""
        table, person = turn.wire_table, turn.person
        before = self._stored_by(table, person)
        while turn.left and time.monotonic() < until:
            kind = turn.kind
            result = await turn.tap()
            stored = self._stored_by(table, person) - before
            if stored and result.acked:
                self.moves[table.id, person.id] += stored
            elif kind == "confirm" and result.acked and result.kind == "message":
                self.refused += 1
            elif kind == "confirm":
                kind = "choose"  # a button that leads on
            self.tap(kind, result)
            await tapped(result)
            if stored or not result.acked:
                return

    @contextmanager
    def noting(self, table: Any) -> Iterator[None]:
        """What cannot be done at a table is a trouble, and play goes on at the others."""
        try:
            yield
        except (Unmeasured, import_module("tests.discord.driver").CannotDo) as error:
            self.troubles.append(f"{table.id}: {type(error).__name__} {error}")

    async def stop(self, bots: Sequence[Any], patience: float) -> None:
        """The bot's processes; what they had to say belongs to the troubles."""
        for bot in bots:
            if not bot.running:
                self.troubles.append(f"a process of the bot ended with {bot.process.returncode}")
            await bot.stop(patience)
            if "Traceback" in bot.log:
                self.troubles.append(bot.log[-LOG:])

    def tap(self, kind: str, result: Any) -> None:
        self.kinds[kind] += 1
        self.unanswered += not result.acked

    def _stored_by(self, table: Any, person: Any) -> int:
        """Moves of this person at the table since then."""
        [(count,)] = table.server.stored(
            "select count(*) from events where table_id = ? and user_id = ? and kind = 'move' and at >= ?",
            table.id,
            person.id,
            self.since,
        )
        return int(count)

    def read(self, wires: Any) -> None:
        """What is stored in the end."""
        rows = wires.stored(
            "select table_id, user_id, count(*) from events where kind = 'move' and at >= ? "
            "group by table_id, user_id",
            self.since,
        )
        for table, user, count in rows:
            if user is None:
                self.computers += count
            else:
                self.stored[table, user] = count
        self.gaps = len(with_gaps(wires))


def with_gaps(wires: Any) -> frozenset[str]:
    """Tables of which there are more or fewer changes than their revision tells."""
    rows = wires.stored(
        "select id from tables t where revision <> (select count(*) from events e where e.table_id = t.id) "
        "or revision <> (select max(e.revision) from events e where e.table_id = t.id)"
    )
    return frozenset(table for (table,) in rows)


def to_act(wires: Any, table: Any) -> Any:
    """Somebody who may act at the table now, None where nobody may."""
    rows = wires.stored(
        "select user_id from seats where table_id = ? and kind = 'human' and since > 0 order by seat",
        table.id,
    )
    users = {user for (user,) in rows}
    return next((person for person in table.people if person.id in users), None)
