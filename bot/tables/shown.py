"""What the chat shows of tables, as far as it is known: what was painted and told, where messages lie, and
which of them are not settled. None of it is a change of a table: it has no revision, and no listener hears of
it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from .loading import stored_table
from .model import NOTHING_TOLD, Letter, Owed, Post, Seat, Table, TableId, Telling, UserId
from .ports import Clock, Entropy, Store

PLACE_FIELDS = frozenset(
    {"channel", "thread", "lobby_message", "invitation_message", "table_message", "notice_message"}
    | {"final_message"}
)


class Shown:
    """The book of it, kept in the store.

    purposes: those of messages, apart from the tables' chance, so that the order in which they are sent
    changes no game.
    """

    def __init__(self, store: Store, clock: Clock, purposes: Entropy) -> None:
        self._store = store
        self._clock = clock
        self._purposes = purposes

    # which tables are shown where, and what is behind

    async def tables_showing(self, guild: int, ids: Sequence[int]) -> list[Table]:
        """Tables not ended of a guild that lie in one of these channels or threads, or whose lobby or table
        message is one of these messages."""
        return await self._store.tables_showing(guild, ids)

    async def unpainted(self, limit: int = 100, after: TableId = "") -> list[TableId]:
        """Tables whose public message is behind, ended ones included; the page behind that one."""
        return await self._store.unpainted(self._clock.now(), limit, after)

    async def ended_behind(self, guild: int, limit: int = 100) -> list[Table]:
        """Ended tables of a guild whose public message does not show it yet, parked ones included."""
        return await self._store.ended_behind(guild, limit)

    async def owed_tables(self, within: timedelta, limit: int, after: TableId = "") -> list[TableId]:
        """Where a notice is not sent yet that is not held back for longer than that; the page behind that
        one."""
        return await self._store.owed(limit, self._clock.now() + within, after)

    async def owed_at(self, table: TableId) -> list[Owed]:
        """The notices of a table that are not sent yet."""
        found = (await stored_table(self._store, table)).table
        return [Owed(found, seat, seat.user, _why(found, seat)) for seat in found.owed if seat.user]

    async def waiting(self, user: UserId) -> list[Owed]:
        """Where this person has a choice to make, whether or not they were told of it; and expired lobbies of
        which they were not."""
        found: list[Owed] = []
        for table in await self._store.waiting(user):
            seat = table.seat_of(user)
            if seat is not None and not table.damaged and not seat.is_snoozed:
                found.append(Owed(table, seat, user, _why(table, seat)))
        return found

    # marks

    async def painted(self, table: TableId, revision: int) -> None:
        """The public message shows `revision` now."""
        await self._store.mark_painted(table, revision)

    async def placed(self, table: TableId, /, **fields: int | None) -> None:
        """Set fields of the table's `Place`: channel, thread, and the messages."""
        wrong = fields.keys() - PLACE_FIELDS
        if wrong or fields.get("channel", 0) is None:
            raise ValueError(f"not a field of a place: {sorted(wrong) or 'channel without an id'}")
        await self._store.mark_placed(table, fields, self._clock.now())

    async def unseen(self, table: TableId) -> None:
        """Its public message is gone: whatever was painted counts no more."""
        await self._store.mark_unseen(table)

    async def notified(self, table: TableId, user: UserId, due: int) -> None:
        """The notice `due` (see `Seat.due`) to this person was sent, or given up for good."""
        await self._store.mark_notified(table, user, due)

    async def told(self, table: TableId, revision: int) -> None:
        """Who was invited up to that revision was told, or cannot be."""
        await self._store.mark_told(table, revision)

    async def held(self, table: TableId, user: UserId, due: int, until: datetime) -> None:
        """The notice `due` to this person is held back until then."""
        await self._store.mark_held(table, user, due, until)

    async def hand_placed(
        self, table: TableId, user: UserId, channel: int | None, message: int | None
    ) -> None:
        """Where the person's private message of this table lies. The one before is a leftover, and so is this
        one where they sit there no more."""
        await self._store.mark_hand(table, user, channel, message, self._clock.now())

    async def parked(self, table: TableId, until: datetime | None) -> None:
        """Painting failed: `unpainted` leaves the table out until then (None: no longer). `painted` ends it
        too."""
        await self._store.mark_parked(table, until)

    # messages that are not settled: an intent is stored before a send, a leftover until it is gone

    async def posts(self, table: TableId) -> list[Post]:
        """Those of one table, oldest first."""
        return await self._store.posts(table)

    async def unsettled(self, limit: int = 100, after: TableId = "") -> list[TableId]:
        """Tables with something to look for or to clear; the page behind that one."""
        return await self._store.unsettled(self._clock.now(), limit, after)

    async def intend(
        self,
        table: TableId,
        kind: str,
        channel: int,
        *,
        user: UserId = 0,
        due: int = 0,
        answered: bool = False,
        made: datetime | None = None,
        instead: str | None = None,
    ) -> tuple[Post, bool]:
        """A message is about to be sent: its intent, and whether that is a new one (an earlier one whose
        message is not known yet is given again, so that it keeps its purpose; one that is lost is not).
        instead: the purpose of an earlier one that is given up. kind, user, due, answered, made: see `Post`;
        made is by our clock where it is not given."""
        now = self._clock.now()
        purpose = self._purposes()[:16]
        fresh = Post(table, purpose, kind, user, channel, made or now, now, due=due, answered=answered)
        found = await self._store.intend(fresh, instead)
        return found, found.purpose == fresh.purpose

    async def posted(self, post: Post, message: int, telling: Telling = NOTHING_TOLD) -> bool:
        """The message that was meant is known, and what it tells is told. False where it is not wanted any
        more: then it is a leftover."""
        return await self._store.settle_post(post, message, self._clock.now(), telling)

    async def leave_over(
        self, table: TableId, kind: str, channel: int, message: int, *, user: UserId = 0
    ) -> None:
        """A message has to go, unless anything points at it."""
        now = self._clock.now()
        await self._store.leave(Post(table, "", kind, user, channel, now, now, message))

    async def post_again(self, post: Post, again: datetime) -> None:
        """Not to be looked at before `again`, unless the table changes."""
        await self._store.delay_post(post, again)

    async def post_lost(self, post: Post, again: datetime) -> None:
        """The intent is carried out no more, and its message is looked for later, from `again` on."""
        await self._store.lose_post(post, again)

    async def pointed_at(self, messages: Sequence[int]) -> frozenset[int]:
        """Those of these messages that are any table's, any person's hand, or a leftover."""
        return await self._store.pointed_at(messages)

    async def post_settled(self, post: Post) -> None:
        """The intent came to nothing, or the leftover is gone."""
        await self._store.drop_post(post)

    # letters: each person's notice by direct message

    async def letter(self, user: UserId) -> Letter:
        return await self._store.letter(user)

    async def letters_about(self, table: TableId) -> list[Letter]:
        """Those that tell of this table."""
        return await self._store.letters_about(table)

    async def letter_meant(self, user: UserId) -> TableId | None:
        """The table of an intent for this person's letter whose message is not known."""
        return await self._store.letter_meant(user)

    async def letter_cut(self, user: UserId, tables: Sequence[TableId]) -> None:
        """It tells of these tables alone; one that tells of none has to go."""
        await self._store.cut_letter(user, tables, self._clock.now())

    async def letter_read(self, user: UserId) -> None:
        """It has its answer, and tells of nothing any more; the message stays until the next."""
        await self._store.letter_read(user)

    async def put_off(self, user: UserId, until: datetime) -> None:
        """What the person's letter told them is to be told again then."""
        await self._store.put_off(user, until)


def _why(table: Table, seat: Seat) -> str:
    if not table.is_open:
        return "expired"
    if seat.due == seat.since:
        return "turn"
    if seat.reminded:
        return "reminder"
    return "last" if len(table.to_act) == 1 else "turn"
