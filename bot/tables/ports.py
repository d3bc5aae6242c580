"""What tables need from outside (store, clock, chance of the system), and what they refuse."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Literal, Protocol

from .model import (
    NOTHING_TOLD,
    Ending,
    Entry,
    GuildSettings,
    Letter,
    Post,
    Progress,
    Seat,
    Table,
    TableId,
    Telling,
    UserId,
    UserSettings,
)

# ------------------------------------------------------------------------- refusals


class Refusal(Exception):
    """Something a table refuses; nothing was changed. The text is `tables.refusal.<code>` filled with `data`.
    table: the table as it is now, where one is known (paint the current board or menu from it)."""

    code: ClassVar[str] = "refused"

    def __init__(self, table: Table | None = None, **data: object) -> None:
        super().__init__(self.code, data)
        self.table = table
        self.data = data

    @property
    def key(self) -> str:
        return f"tables.refusal.{self.code}"


class NotFound(Refusal):
    """No table has this id. data: id."""

    code = "not_found"


class Ended(Refusal):
    """The table is over; or its lobby was closed, which no game was."""

    code = "ended"

    @property
    def key(self) -> str:
        closed = self.table is not None and self.table.ending in {Ending.CANCELLED, Ending.EXPIRED}
        return "tables.refusal.closed" if closed else super().key


class NoSuchCode(Refusal):
    """No table is joined with this code."""

    code = "no_such_code"


class NotStarted(Refusal):
    """The game has not begun yet."""

    code = "not_started"


class Started(Refusal):
    """A lobby's act at a table that is past its lobby."""

    code = "started"


class Paused(Refusal):
    """The table is paused."""

    code = "paused"


class NotPaused(Refusal):
    code = "not_paused"


class Aside(Refusal):
    """The table cannot be loaded; it can only be ended."""

    code = "aside"


class NotSeated(Refusal):
    """This person does not sit here."""

    code = "not_seated"


class NoRematch(NotSeated):
    """Only who sat there at the end opens a rematch."""

    code = "no_rematch"


class AlreadySeated(Refusal):
    code = "already_seated"


class Full(Refusal):
    """data: most."""

    code = "full"


class TooFew(Refusal):
    """data: least, seated."""

    code = "too_few"


class NotHost(Refusal):
    """Only the host may do this."""

    code = "not_host"


class NotAllowed(Refusal):
    """The server's settings do not let this person do that."""

    code = "not_allowed"


class ChannelNotAllowed(Refusal):
    """Tables may not be opened in this channel. data: channels, the ids of those where they may."""

    code = "channel_not_allowed"


class TooManyTables(Refusal):
    """data: most."""

    code = "too_many_tables"


class InvitedOnly(Refusal):
    """The lobby is by invitation, or it is about an invitation that this person has not (any more)."""

    code = "invited_only"


class TooManyInvited(Refusal):
    """data: most."""

    code = "too_many_invited"


class NobodyToInvite(Refusal):
    """All of them sit there or are invited already."""

    code = "nobody_to_invite"


class NoPairs(Refusal):
    """Here everybody plays alone, or the two are a pair already."""

    code = "no_pairs"


class NoComputer(Refusal):
    """There is no computer player to remove."""

    code = "no_computer"


class NoHints(Refusal):
    """Nobody has hints at this table: not all of its people had agreed to them."""

    code = "no_hints"


class NothingElse(Refusal):
    """There is no hint where there is no choice."""

    code = "nothing_else"


class HintLost(Refusal):
    """No hint was found, through no fault of whoever asked."""

    code = "hint_lost"


class BadClock(Refusal):
    """A time per turn outside 30 seconds to 14 days. data: least, most (seconds)."""

    code = "bad_clock"


class Stale(Refusal):
    """The click belongs to a choice that is no longer open. `table` holds what is current."""

    code = "stale"


class NotYourTurn(Stale):
    """A click by somebody who has no open choice now."""

    code = "not_your_turn"


class NothingToUndo(Refusal):
    """No own last step, the turn is final, or something was revealed since."""

    code = "nothing_to_undo"


class NoSuchSeat(Refusal):
    """The seat does not exist, or is not of the kind that this is for."""

    code = "no_such_seat"


class KnowsHands(Refusal):
    """Who has seen another hand at this table may not take this seat."""

    code = "knows_hands"


class InSecret(Refusal):
    """Who sat on another seat may not take this one until an open choice that is hidden has closed."""

    code = "in_secret"


class CannotVote(Refusal):
    """Not a voter of this question (the person it is about, say)."""

    code = "cannot_vote"


class TooEarly(Refusal):
    """A player may be voted out only when long overdue, or by all of at least two others."""

    code = "too_early"


class Running(Refusal):
    """The record is a secret until the table has ended."""

    code = "running"


class NotOver(Running):
    """What is done after the end, asked for before it."""

    code = "not_over"


class NeverSat(NotSeated):
    """Only who sat there has moves of their own to look back on."""

    code = "never_sat"


class NoMoments(Refusal):
    """There is nothing here that somebody who sat there could look back on."""

    code = "no_moments"


class Unfinished(NoMoments):
    """The game was not played to its end."""

    code = "unfinished"


class OlderRules(NoMoments):
    """The game went by rules of which nobody here thinks any more."""

    code = "older_rules"


class NothingDecided(NoMoments):
    """This person decided nothing themselves that stands."""

    code = "nothing_decided"


class Unreplayable(NoMoments):
    """The record is damaged."""

    code = "unreplayable"


class LooksElsewhere(Refusal):
    """For each person one game after another is looked back on. data: id, of the table whose turn it is."""

    code = "looks_elsewhere"


class Busy(Refusal):
    """The race for the revision was lost five times; or a table and its entries, read again and again, were
    not of one revision."""

    code = "busy"


class StoreUnusable(Exception):
    """The store cannot be used as things are. key: catalogue text. data: its values, none of them secret.
    end: of a move from one to another, which of both: `from` or `to`."""

    key = "tables.store_unopened"
    end: Literal["", "from", "to"] = ""

    def __init__(self, message: str, **data: object) -> None:
        super().__init__(message)
        self.data = data


class StoreBusy(StoreUnusable):
    """Another process holds this store. data: path, pid (0 where unknown)."""

    key = "tables.store_busy"

    def __init__(self, path: str, pid: int = 0) -> None:
        super().__init__(f"another process ({pid or 'unknown'}) holds {path}", path=path, pid=pid)


class ShardsHeld(StoreBusy):
    """Another process serves some of these shards. data: shards."""

    key = "tables.shards_held"

    def __init__(self, shards: Sequence[int]) -> None:
        told = ", ".join(map(str, shards))
        StoreUnusable.__init__(self, f"shards held by another process: {told}", shards=told)


class ShardsCounted(StoreBusy):
    """Another process on this database divides the servers into another number of shards. data: counts."""

    key = "tables.shards_counted"

    def __init__(self, counts: Sequence[int]) -> None:
        told = ", ".join(map(str, counts))
        StoreUnusable.__init__(self, f"another number of shards: {told}", counts=told)


class OneProcess(StoreUnusable):
    """This kind of store is used by one process, which serves all shards."""

    key = "tables.one_process"


class StoreUnopened(StoreUnusable):
    """The database cannot be opened: no such place, no right, damaged, not reached. data: why, the error's
    name alone, since a driver's words may hold the address and with it the password."""


class StoreDriver(StoreUnusable):
    """The driver for this kind of database is not installed, or there is none. data: kind, name."""

    key = "tables.store_driver"


class StoreTrouble(Exception):
    """The store cannot do what was asked, for a reason that lies outside of it; nothing of it was stored (but
    see StoreAway). Its log has told it. key: catalogue text for people. said: in the log."""

    key: ClassVar[str] = "error.store_failing"
    said: ClassVar[str] = "a fault of the disk"


class StoreFailing(StoreTrouble):
    """The file cannot be read or written."""


class StoreAway(StoreTrouble):
    """The server that keeps it does not answer. Whether what was on its way to it was stored is not known;
    it is looked at before anything else is."""

    key = "error.store_away"
    said = "a server that does not answer"


class StoreFull(StoreTrouble):
    """There is no room left."""

    key = "error.store_full"
    said = "a full disk"


class StoreReadOnly(StoreTrouble):
    """It may not be written."""

    key = "error.store_read_only"
    said = "a database that may only be read"


class StoreBroken(StoreTrouble):
    """The file is damaged."""

    key = "error.store_broken"
    said = "a damaged file"


class RevisionTaken(Exception):
    """Somebody else stored this revision first; load and apply again."""


# ---------------------------------------------------------------------------- ports


class Clock(Protocol):
    """Time, injected. All times are aware and in UTC."""

    def now(self) -> datetime: ...

    async def sleep_until(self, when: datetime) -> None:
        """Returns when `now() >= when`; may be cancelled."""


class Entropy(Protocol):
    """Fresh secret chance: 64 hexadecimal digits, `secrets.token_hex` in production."""

    def __call__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Stored:
    """A table and the cached position beside it: the state's JSON text, or None."""

    table: Table
    cache: str | None


@dataclass(frozen=True, slots=True)
class Write:
    """One change to store in one transaction.

    table: as it is after the change; its revision is 1 for a new one, else the old one plus 1. The columns
        that marks own (place, painted, seats' notified and hand messages) are not written for an old one,
        except that hand messages go with their users when these change seats, one who sits down new has
        none, and that of one who leaves becomes a leftover (`Post`).
    entry: the row to append; its revision is the table's.
    cache: the state's JSON text; None leaves what is there.
    void: revisions of entries to mark undone.
    wake: when the scheduler must look at this table, None for never.
    automatic: whether a seat that no human plays is to act.
    before: the table that was changed. Where its times have been moved on since (`Store.serve`) the change is
        refused as one of an old revision. None for a new one.
    """

    table: Table
    entry: Entry
    cache: str | None
    wake: datetime | None
    automatic: bool
    void: tuple[int, ...] = ()
    before: Table | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What another process has stored of a table, or wants to have done there.

    kept: whether this process is to act on it: the table is at home here, or its lease is held here.
    kind: of the change that was stored, see `Entry`; "copy" where somebody's copy of a table in direct
        messages was sent, which is no change; "orphan" where the table is taken over from a process that is
        dead; "" where only something is wanted.
    wake, automatic: as in `Write`.
    actor: the person who made the change there, None for nobody.
    wanted: "missed" (its public message, see `Repaints.refresh`), "hands" (to be looked at).
    """

    table: TableId
    kept: bool
    kind: str
    wake: datetime | None
    automatic: bool
    actor: UserId | None = None
    wanted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Backlog:
    """open: tables not ended. late: tables whose wake has passed. unpainted, owed, overdue: since when the
    oldest waits of those that are not painted, whose notice could be given, whose wake has passed; None
    where none does."""

    open: int = 0
    late: int = 0
    unpainted: datetime | None = None
    owed: datetime | None = None
    overdue: datetime | None = None


class Store(Protocol):
    """Where tables are kept. Every method is one transaction."""

    # the other processes on this store

    @property
    def shared(self) -> bool:
        """Whether other processes may act on its tables. Where it is False `claim` and the like are not
        called."""

    def is_home(self, guild: int) -> bool:
        """Whether tables of this server (0: in direct messages) are at home here."""

    def attend(self, heard: Callable[[Heard], None]) -> None:
        """heard: called with whatever another process tells."""

    async def claim(self, table: TableId, lease: timedelta) -> bool:
        """Take or prolong the lease of a table that is at home here; or prolong the own one of another whose
        home is dead. Whether it is held now, for so long. lease: how long from now on, by the clock that all
        processes share, which is the database's."""

    async def renew(self, tables: Sequence[TableId], lease: timedelta) -> frozenset[TableId]:
        """Prolong leases that are held, whether or not the tables' homes are dead; those that still are."""

    async def take_orphans(self, since: datetime, lease: timedelta, limit: int) -> list[TableId]:
        """Take the leases of tables whose home is dead, where a computer's turn, or something for a person's
        direct messages, has waited since then. Nothing else: while nobody is reached on a server nobody's
        time runs out there."""

    async def hold_person(self, user: UserId) -> bool:
        """Whether this process alone writes to that person from now on, until `let_go`."""

    async def let_go(self, user: UserId) -> None: ...

    async def ask_keeper(self, table: TableId, guild: int, wanted: Collection[str]) -> None:
        """Tell the table's keeper that something is to be done there, see `Heard`."""

    async def write(self, *writes: Write) -> frozenset[TableId]:
        """All or none. Answers at which tables a notice to whoever made the changes was held back and is not
        any more, since they have answered. Raises RevisionTaken when a (table, revision) is there already or
        the table's stored revision is not the one before."""

    async def write_over(self, write: Write) -> None:
        """As `write`, of a table that came damaged: all that is stored of it but its entries and its position
        gives way to what could be read. Raises RevisionTaken."""

    async def load(self, table: TableId) -> Stored | None: ...

    async def entries(self, table: TableId) -> list[Entry]:
        """Every stored change in order, undone ones included and marked."""

    async def exists(self, table: TableId) -> bool: ...

    async def joined_with(self, code: str) -> TableId | None:
        """The table not ended that is joined with this code (see `Place`)."""

    # questions over many tables. Of those that lead to work (`unpainted`, `owed`, `automatic_due`,
    # `unsettled`, `next_wake`, `due`) a process is told of the tables alone that are at home with it.
    # after: those in the order of their ids, from the one behind this on, so that a long queue is asked
    # page by page, and what stays in it keeps nobody out.

    async def has_finished(self, user: UserId, game: str) -> bool:
        """Whether `user` sits at an ended table of this game that was played to its end."""

    async def tables_of(self, user: UserId) -> list[Table]:
        """Tables not ended where `user` sits as a human player."""

    async def tables_at(self, guild: int, channel: int | None = None) -> list[Table]:
        """Tables not ended of a guild, or of one channel or thread of it; oldest first."""

    async def homeless(self, limit: int) -> list[Table]:
        """Tables not ended whose guild cannot be read; oldest first."""

    async def oldest(self) -> datetime | None:
        """When the first table that there is was opened."""

    async def ended_at(self, guild: int, channel: int, limit: int) -> list[Table]:
        """Ended tables of a channel or thread, the newest first."""

    async def tables_showing(self, guild: int, ids: Sequence[int]) -> list[Table]:
        """Tables not ended of a guild whose channel, thread, lobby or table message is among these ids;
        oldest first."""

    async def count_at(self, guild: int) -> int: ...

    async def unpainted(self, now: datetime, limit: int, after: TableId = "") -> list[TableId]:
        """Tables whose painted revision is behind and that are not parked, damaged ones too."""

    async def ended_behind(self, guild: int, limit: int) -> list[Table]:
        """Ended tables of a guild whose painted revision is behind, parked ones included."""

    async def owed(self, limit: int, until: datetime, after: TableId = "") -> list[TableId]:
        """Tables where somebody has a notice to get, see `Table.owed`, that is not held back beyond
        `until`."""

    async def waiting(self, user: UserId) -> list[Table]:
        """Tables that wait for this person, and lobbies of theirs that have expired without their being told;
        longest-waiting first."""

    async def automatic_due(self, limit: int, after: TableId = "") -> list[TableId]: ...

    async def next_wake(self, after: datetime) -> datetime | None:
        """The earliest wake later than `after`."""

    async def due(self, now: datetime, limit: int) -> list[TableId]:
        """Tables whose wake is not after `now`, earliest first."""

    async def backlog(self, now: datetime) -> Backlog:
        """What waits, as far as the health check asks; of tables that are not set aside or parked."""

    # marks: no revision

    async def mark_painted(self, table: TableId, revision: int) -> None: ...

    async def mark_placed(self, table: TableId, fields: Mapping[str, int | None], now: datetime) -> None:
        """A message that is pointed at no more becomes a leftover."""

    async def mark_unseen(self, table: TableId) -> None:
        """Its public message shows nothing any more: painted is 0."""

    async def mark_notified(self, table: TableId, user: UserId, due: int) -> None: ...

    async def mark_held(self, table: TableId, user: UserId, due: int, until: datetime) -> None:
        """Only while their notice is still `due`."""

    async def mark_hand(
        self, table: TableId, user: UserId, channel: int | None, message: int | None, now: datetime
    ) -> None:
        """As `mark_placed`. Where this person sits there no more, the message given is a leftover itself."""

    async def mark_snoozed(self, table: TableId, user: UserId, since: int) -> None:
        """Only while this person's choice is still the one of `since`."""

    async def mark_hinted(self, table: TableId, user: UserId, before: str, after: str) -> None:
        """This person has had one more hint, and `Seat.hinted` is `after`; only while it is still
        `before`."""

    async def mark_told(self, table: TableId, revision: int) -> None:
        """Who was invited up to that revision was told."""

    async def mark_parked(self, table: TableId, until: datetime | None) -> None: ...

    # declined invitations: no part of the table

    async def decline(self, table: TableId, user: UserId, invited: int) -> None:
        """invited: the revision of the invitation."""

    async def declined(self, table: TableId) -> dict[UserId, int]:
        """By user, the revision of the invitation they declined last."""

    # messages that are not settled

    async def posts(self, table: TableId) -> list[Post]:
        """Of one table, oldest first."""

    async def unsettled(self, now: datetime, limit: int, after: TableId = "") -> list[TableId]:
        """Tables with a post to be looked at."""

    async def intend(self, post: Post, instead: str | None) -> Post:
        """An intent not known yet and not lost of the same table, kind, user and channel, or else `post`,
        stored now. instead: the purpose of one that is given up for it."""

    async def settle_post(
        self, post: Post, message: int, now: datetime, telling: Telling = NOTHING_TOLD
    ) -> bool:
        """The intent's message is known: it is pointed at, the one before becomes a leftover, the intent is
        gone, and what it tells is told. False where it is not wanted any more (the person sits there no
        longer, the table is shown elsewhere, nobody is to be told, the intent was met by another message):
        then it is a leftover itself."""

    async def leave(self, post: Post) -> None:
        """A message that has to go, unless anything points at it by now. Twice is once."""

    async def pointed_at(self, messages: Sequence[int]) -> frozenset[int]:
        """Those of these messages that are any table's, any person's, or have to go already."""

    async def delay_post(self, post: Post, again: datetime) -> None: ...

    async def lose_post(self, post: Post, again: datetime) -> None:
        """The intent is lost from now on (see `Post`), and not to be looked at before `again`."""

    async def drop_post(self, post: Post) -> None:
        """Settled: the intent came to nothing, the leftover is gone."""

    # letters

    async def letter(self, user: UserId) -> Letter: ...

    async def letters_about(self, table: TableId) -> list[Letter]:
        """Those that tell of this table."""

    async def letter_meant(self, user: UserId) -> TableId | None:
        """The table of an intent for this person's letter that is not known yet and not lost."""

    async def cut_letter(self, user: UserId, tables: Sequence[TableId], now: datetime) -> None:
        """It tells of these tables alone from now on; where of none any more, it is a leftover."""

    async def letter_read(self, user: UserId) -> None:
        """It has its answer, and tells of nothing any more."""

    async def put_off(self, user: UserId, until: datetime) -> None:
        """What the person's letter told them is owed again, and held back until then."""

    # drafts

    async def draft(self, table: TableId, seat: Seat) -> str:
        """The draft of the seat's present choice (`since`), "" when none."""

    async def set_draft(self, table: TableId, seat: Seat, text: str) -> None:
        """ "" removes it."""

    # settings

    async def user(self, user: UserId) -> UserSettings: ...

    async def set_user(self, user: UserId, fields: Mapping[str, object]) -> UserSettings:
        """Change these fields of `UserSettings`; the settings afterwards."""

    async def lesson(self, user: UserId, game: str) -> Progress | None:
        """Where they stand in a game's lesson; None where they have not begun it."""

    async def set_lesson(self, user: UserId, game: str, before: Progress, after: Progress) -> bool:
        """False, and nothing is changed, where they do not stand at `before` any more. Who has not begun
        stands at the beginning."""

    async def guild(self, guild: int) -> GuildSettings: ...

    async def set_guild(self, guild: int, fields: Mapping[str, object]) -> GuildSettings:
        """Change these fields of `GuildSettings`; the settings afterwards."""

    # the process

    async def serve(
        self, shards: Sequence[int], of: int, now: datetime, grace: timedelta, most: timedelta
    ) -> Mapping[int, timedelta]:
        """Note that these of so many shards are served until now. Where one was not for `grace` or longer,
        all that ran on meanwhile at its tables (turns, questions, lobbies) is moved on by that time, `most`
        at most, without a new revision; tables that show it count as unpainted. By shard: how far."""

    async def close(self) -> None: ...
