"""`Tables`: the one door to everything that happens at a table.

Every entry function that changes something does the same: lock the table, load it, check, apply, store the
change and the new position in one transaction as revision + 1, release, tell the listeners, return the `Change`.
No chat call ever happens under the lock. Who loses the race for a revision (another process) loads and applies
again, five times at most. Refusals (`ports.Refusal`) and rules errors (`bot.rules.game.RulesError`) leave
everything as it was.

The parts are pure functions on a `work.Work` (one change in the making): `lobby`, `play`, `votes`, `undo`, `clock`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from weakref import WeakValueDictionary

from bot.rules import record as records
from bot.rules.game import Event, OptionValue, State
from bot.rules.registry import game as rules_of

from . import clock as clocks
from . import lobby, play, undo, votes
from .model import (
    Change,
    ClockRule,
    Entry,
    GuildSettings,
    HistoryLine,
    Loaded,
    Owed,
    Person,
    Place,
    Seat,
    Seen,
    Status,
    Table,
    TableId,
    UserId,
    UserSettings,
    VoteKind,
)
from .ports import (
    Busy,
    ChannelNotAllowed,
    Clock,
    Ended,
    Entropy,
    NotAllowed,
    NotFound,
    NotSeated,
    NotStarted,
    RevisionTaken,
    Running,
    Stale,
    Store,
    Stored,
    TooManyTables,
)
from .work import Work, record_events, restore

log = logging.getLogger(__name__)

TRIES = 5
Listener = Callable[[Change], None]
Step = Callable[[Work], None]


class Tables:
    """The service. `listen` before use: every stored change is reported to every listener once, after the lock is
    released and before the entry function returns; listeners are plain functions and only put things in queues.
    """

    def __init__(self, store: Store, clock: Clock, entropy: Entropy) -> None: ...

    def listen(self, listener: Listener) -> None: ...

    # lobby

    async def open(
        self,
        person: Person,
        place: Place,
        game: str,
        options: Mapping[str, object] | None = None,
        *,
        people: int | None = None,
        clock: ClockRule | None = None,
        computers: int = 0,
    ) -> Change:
        """A new table in its lobby, `person` being host and on its first seat, with `computers` computer players
        beside. people: most seats wanted (default the game's most). clock: None takes the server's default.
        Raises SetupError, BadClock, Full, TooManyTables, ChannelNotAllowed, NotAllowed."""
        ...

    async def join(self, table: TableId, person: Person) -> Change:
        """Sit down in the lobby. Raises NotFound, Ended, Started, AlreadySeated, Full."""
        ...

    async def leave(self, table: TableId, person: Person) -> Change:
        """Leave the lobby (the host passes on to the next human; without one the table is cancelled), or resign a
        running game. Raises NotFound, Ended, NotSeated."""
        ...

    async def add_computer(self, table: TableId, person: Person) -> Change:
        """Raises NotFound, Ended, Started, NotSeated (any seated person may), Full."""
        ...

    async def remove_computer(self, table: TableId, person: Person) -> Change:
        """The newest computer player goes. Raises NotFound, Ended, Started, NotSeated, NoComputer."""
        ...

    async def start(self, table: TableId, person: Person) -> Change:
        """The host starts. Raises NotFound, Ended, Started, NotHost, TooFew, SetupError."""
        ...

    async def cancel(self, table: TableId, person: Person) -> Change:
        """The host (or who manages the server) cancels the lobby. Raises NotFound, Ended, Started, NotHost."""
        ...

    async def pass_host(self, table: TableId, person: Person, to: UserId) -> Change:
        """The host hands over to another seated person, at any time. Raises NotHost, NotSeated."""
        ...

    async def rematch(self, table: TableId, person: Person) -> Change:
        """A new lobby with the ended table's game, options, clock, place and seats, opened by one who sat there; the
        second to ask gets the same table. The `Change` is the new table's. Raises Running, NotSeated."""
        ...

    # moves

    async def move(self, table: TableId, person: Person, move: str, revision: int) -> Change:
        """A click: the canonical text `move` for the person's seat. Current if `revision` is the seat's `since` or
        later. Raises NotFound, Ended, NotStarted, Paused, NotSeated, Stale, NotYourTurn, and Unreadable or Illegal
        from the rules."""
        ...

    async def typed(self, table: TableId, person: Person, text: str) -> Change:
        """A typed move, read forgivingly. As `move`, but for the position as it is."""
        ...

    async def resign(self, table: TableId, person: Person) -> Change:
        """The person's seat is played by stand-in moves from now on; below the game's fewest players the table ends
        (`too_few`), without a human player too (`deserted`). Raises NotFound, Ended, NotStarted, NotSeated."""
        ...

    async def undo(self, table: TableId, person: Person) -> Change:
        """Take the own last step back before the turn is final, never past something revealed. Raises NothingToUndo
        (for a finished turn use `vote` with VoteKind.UNDO)."""
        ...

    # drafts: a turn being built; secret; gone when the choice closes

    async def draft(self, table: TableId, person: Person) -> str:
        """"" when there is none. Raises NotFound, Ended, NotStarted, NotSeated."""
        ...

    async def set_draft(self, table: TableId, person: Person, text: str, revision: int) -> None:
        """Raises as `move`."""
        ...

    async def edit_draft(
        self, table: TableId, person: Person, edit: Callable[[str, State], str], revision: int
    ) -> str:
        """Under the table's lock: the draft becomes `edit(draft, state)`; returned. `edit` must not change the state
        nor give away more than its seat's view. Raises as `move`, and what `edit` raises."""
        ...

    async def clear_draft(self, table: TableId, person: Person) -> None: ...

    # people

    async def vote(
        self, table: TableId, person: Person, kind: VoteKind, seat: int | None = None, *, yes: bool = True
    ) -> Change:
        """Ask or answer a question; decided by the rules stated in `votes`, and then done in the same change. Raises
        CannotVote, TooEarly, NoSuchSeat, NothingToUndo, Paused, NotPaused, NotSeated, Ended, NotStarted."""
        ...

    async def end(self, table: TableId, person: Person) -> Change:
        """The host, one who manages the server, or one whose role may end tables, ends the table at once, whatever
        its status. Raises NotFound, Ended, NotAllowed."""
        ...

    async def end_by_admin(self, table: TableId) -> Change:
        """End without asking who (the operator; tables set aside). Raises NotFound, Ended."""
        ...

    async def take_seat(self, table: TableId, person: Person, seat: int) -> Change:
        """Somebody new takes an open seat of a running game. Raises NoSuchSeat, AlreadySeated, KnowsHands."""
        ...

    async def left_guild(self, guild: int, user: UserId) -> list[Change]:
        """A member left the server: treated as leaving every table there."""
        ...

    # the clock and machines (their runners call these)

    async def tick(self, table: TableId) -> Change | None:
        """Do what the clock asks of this table now: lobby expiry, reminders, time-outs, lapsed votes. None if
        nothing was due after all."""
        ...

    async def machine_move(self, table: TableId, seat: int, move: str, revision: int) -> Change:
        """A move decided for a seat that no human plays, for the position at `revision`. Raises Stale."""
        ...

    # reading

    async def table(self, table: TableId) -> Table:
        """Raises NotFound."""
        ...

    async def load(self, table: TableId) -> Loaded:
        """Table, position and record so far. Raises NotFound. A table that cannot be loaded has state None and is
        set aside."""
        ...

    async def view(self, table: TableId, user: UserId | None) -> Seen:
        """What `user` (None: a spectator) may see. Raises NotFound."""
        ...

    async def history(self, table: TableId, user: UserId | None) -> list[HistoryLine]:
        """Every change in order, events as `user` may know them. Raises NotFound."""
        ...

    async def record(self, table: TableId) -> str:
        """The `parlour/1` record. Raises NotFound, Running before the end, NotStarted for one that never began."""
        ...

    async def tables_of(self, user: UserId) -> list[Table]:
        """Where the user sits: their turn first, then by deadline (none last), then oldest change first."""
        ...

    async def tables_at(self, guild: int, channel: int | None = None) -> list[Table]:
        """Tables not ended of a guild, or of one channel or thread of it."""
        ...

    async def unpainted(self, limit: int = 100) -> list[Table]:
        """Tables whose public message is behind, ended ones included."""
        ...

    async def owed(self, limit: int = 100) -> list[Owed]:
        """Turn notices not yet sent."""
        ...

    async def owed_at(self, table: TableId) -> list[Owed]:
        """The same for one table."""
        ...

    async def machine_due(self, limit: int = 100) -> list[TableId]:
        """Tables where a seat that no human plays is to act."""
        ...

    # marks: no change of the table, no revision

    async def painted(self, table: TableId, revision: int) -> None:
        """The public message shows `revision` now."""
        ...

    async def placed(self, table: TableId, **fields: int | None) -> None:
        """Set fields of the table's `Place`: channel, thread, lobby_message, table_message, notice_message."""
        ...

    async def notified(self, table: TableId, seat: int, due: int) -> None:
        """The notice `due` (see `Seat.due`) of this seat was sent, or given up for good."""
        ...

    async def hand_placed(
        self, table: TableId, seat: int, channel: int | None, message: int | None
    ) -> None:
        """Where the seat's private hand message lies."""
        ...

    async def snooze(self, table: TableId, person: Person) -> None:
        """No more notices for this person's present turn. Raises NotSeated."""
        ...

    # settings

    async def user(self, user: UserId) -> UserSettings: ...

    async def set_user(self, user: UserId, **fields: object) -> UserSettings:
        """Change fields of `UserSettings`. Raises ValueError for an unknown field or value."""
        ...

    async def seen_locale(self, user: UserId, locale: str | None) -> None:
        """Remember the last locale seen; writes only when it differs."""
        ...

    async def guild(self, guild: int) -> GuildSettings: ...

    async def set_guild(self, guild: int, **fields: object) -> GuildSettings:
        """Change fields of `GuildSettings`. Raises ValueError, BadClock."""
        ...
