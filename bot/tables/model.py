"""What a table is, as values. Nothing here changes anything."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from bot.levels import Level
from bot.rules.chance import child_seed
from bot.rules.game import JSON, AnyState, Event, Fuller, OptionValue, Outcome, View

TableId = str  # six characters of Crockford base 32
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TABLE_ID = re.compile(f"[{CROCKFORD}]{{6}}")
UserId = int
SHARD_BITS = 22  # a server's shard comes from what is above these bits of its id


def crockford(chance: str, length: int) -> str:
    """So many characters of base 32 (12 at most) from the first of these hexadecimal digits."""
    number = int(chance[:16], 16)
    return "".join(CROCKFORD[number >> (5 * place) & 31] for place in range(length))


def shard_of(guild: int, count: int) -> int:
    """Direct messages arrive at shard 0, and what has no server that can be read is seen to there."""
    return (max(guild, 0) >> SHARD_BITS) % count


class Status(StrEnum):
    LOBBY = "lobby"
    PLAYING = "playing"
    PAUSED = "paused"
    ENDED = "ended"  # finished, cancelled, expired, or ended early: see Table.ending
    ASIDE = "aside"  # cannot be loaded; can be ended, and goes on when a later version loads it


class SeatKind(StrEnum):
    HUMAN = "human"
    COMPUTER = "computer"
    STAND_IN = "stand_in"  # its player left or was voted out; stand-in moves are played for it
    OPEN = "open"  # waits for somebody new; plays stand-in moves until then


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who acts. name: display name at this moment, raw. locale: Discord's tag or None.

    guild: the server they act from, None by direct message. roles and manages (may manage the server) are
    theirs on that server and count nowhere else, so they are asked with these functions alone.
    """

    id: UserId
    name: str
    locale: str | None = None
    guild: int | None = None
    roles: frozenset[int] = frozenset()
    manages: bool = False

    def manages_at(self, guild: int) -> bool:
        """Whether they may manage that server, as far as they act from there."""
        return self.guild == guild and self.manages

    def roles_at(self, guild: int) -> frozenset[int]:
        """Their roles on that server (everybody's own included); none where they act from elsewhere."""
        return self.roles if self.guild == guild else frozenset()

    def may_at(self, guild: int, roles: Sequence[int]) -> bool:
        """Whether they may do on that server what those who manage it and these roles may."""
        return self.manages_at(guild) or not self.roles_at(guild).isdisjoint(roles)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table lives. Ids of the chat's own; tables never interpret them.

    code: of a table that is played in direct messages alone, what others join it with: a secret of those who
        sit there. Such a table has no server (guild 0) and no public message; everybody has a copy of their
        own, the `Seat.hand_message`. channel: the opener's direct messages.
    """

    guild: int
    channel: int
    thread: int | None = None
    lobby_message: int | None = None
    table_message: int | None = None
    notice_message: int | None = None
    final_message: int | None = None
    invitation_message: int | None = None
    code: str | None = field(default=None, repr=False)

    @property
    def direct(self) -> bool:
        """Whether it is played in direct messages alone."""
        return self.code is not None

    def takes_in(self, channel: int | None) -> bool:
        """Whether this is its channel or thread; nowhere (None) is neither."""
        return channel is not None and channel in (self.channel, self.thread)


@dataclass(frozen=True, slots=True)
class Seat:
    """One chair.

    name: its player's, or who sat there last. Of a computer player "", or its number if it came to the seat
        during the game.
    level: how strong the computer player is that sits there; a stand-in plays the middle one.
    since: the revision at which its present choice opened, 0 when it has none; moves with every own
        decision.
    due: the revision of the newest notice for its player (the turn's start, a later wave, being the last one
        missing, a reminder, the end of an expired lobby); several decisions in a row are one notice.
    due_at: when `due` was raised.
    notified: the `due` for which its player was told last: a notice is owed while due > notified and, but for
        an expired lobby, since > 0.
    held: until when the notice that is owed is held back, where that is long (see `rhythm`).
    snoozed: the `since` for which the player wants no more notices.
    opened, deadline: when the present turn opened (without a clock its present part), and when its time is up
        (None without a clock). While the table is paused both stand still and are moved on by the length of
        the pause at its end.
    reminded: what of the present turn's time is done: 0 nothing, 1 half-time reminder, 2 reminder shortly
        before the end, 3 time was up and the others may vote.
    agreed: whether its player has agreed to hints, in the lobby.
    hints: how many were had on it in this game, whoever sat there then.
    hinted: for which choices and positions its player had them, the newest last (`play.was_hinted`): asked
        for again they count once.
    hand_channel, hand_message: where its player's private message of this table lies, if one was sent. It is
        the person's and goes with them.
    """

    index: int
    kind: SeatKind
    user: UserId | None
    name: str
    since: int = 0
    due: int = 0
    notified: int = 0
    snoozed: int = 0
    opened: datetime | None = None
    deadline: datetime | None = None
    reminded: int = 0
    hand_channel: int | None = None
    hand_message: int | None = None
    due_at: datetime | None = None
    held: datetime | None = None
    level: Level = Level.MEDIUM
    agreed: bool = False
    hints: int = 0
    hinted: str = ""

    @property
    def is_snoozed(self) -> bool:
        return self.since > 0 and self.snoozed == self.since

    @property
    def is_owed(self) -> bool:
        """Whether its player has a notice of an open choice to get (see `Table.owed`)."""
        return (
            self.kind is SeatKind.HUMAN
            and self.since > 0
            and self.due > self.notified
            and not self.is_snoozed
        )


@dataclass(frozen=True, slots=True)
class ClockRule:
    """seconds per turn (30 to 1,209,600) or None for no clock; when time is up: "stand_in" plays a
    stand-in move, "vote" lets the others vote the player out."""

    seconds: int | None = None
    on_timeout: str = "stand_in"


@dataclass(frozen=True, slots=True)
class Invitation:
    """Somebody may sit down in a lobby who has not yet. revision: at which they were invited."""

    user: UserId
    name: str
    revision: int


class VoteKind(StrEnum):
    """What may be voted on; who decides what is stated in `bot.tables.votes`."""

    END = "end"
    KICK = "kick"  # of a seat
    PAUSE = "pause"
    RESUME = "resume"
    UNDO = "undo"  # of the asking seat's finished turn
    OPEN_SEAT = "open_seat"  # of a seat: somebody new may take it
    COMPUTER_SEAT = "computer_seat"  # of a seat: a computer player takes it


@dataclass(frozen=True, slots=True)
class Vote:
    """An open question at a table. seat: whom it is about, None where it is about nobody."""

    kind: VoteKind
    seat: int | None
    by: UserId
    opened: int  # revision
    until: datetime
    yes: tuple[UserId, ...]
    no: tuple[UserId, ...] = ()
    needed: int = 0  # yes votes that decide it
    voters: tuple[UserId, ...] = ()  # who may vote


@dataclass(frozen=True, slots=True)
class Table:
    """A table as stored. `seed` is a secret until the end: never shown, logged or exported before. options:
    as given; once started, those that differ from the game's defaults (`Game.options_for` completes them)."""

    id: TableId
    revision: int
    status: Status
    game: str
    rules_version: int
    options: Mapping[str, OptionValue]
    host: UserId
    place: Place
    seats: tuple[Seat, ...]
    seed: str = field(repr=False)
    clock: ClockRule
    created: datetime
    changed: datetime
    deadline: datetime | None = None  # the earliest of the seats'; of a lobby, when it expires
    painted: int = 0  # the revision that the public message shows
    outcome: Outcome | None = None
    ending: str = ""  # when ENDED, a value of `Ending`
    people: int = 0  # seats wanted by the lobby (players of the game once started)
    events: int = 0  # events of the record so far
    votes: tuple[Vote, ...] = ()
    paused: datetime | None = None  # since when, while PAUSED
    rematch: TableId | None = None  # the table that was opened from this one last
    undoable: int | None = None  # the seat that may take its last step back without asking
    phase: str = ""  # the rules' phase, see State.phase
    hints: bool = False  # whether its players may have hints: fixed at the start
    by_invitation: bool = False  # whether only who is invited may sit down in the lobby
    invited: tuple[Invitation, ...] = ()  # of the lobby; it ends with it
    told: int = 0  # the revision up to which the invited were told, a mark as `painted` is
    damaged: bool = False  # its row could not be read: this is what is left of it

    def invitation_of(self, user: UserId) -> Invitation | None:
        return next((one for one in self.invited if one.user == user), None)

    def seat_of(self, user: UserId) -> Seat | None:
        """The seat `user` sits on, if any."""
        for seat in self.seats:
            if seat.kind is SeatKind.HUMAN and seat.user == user:
                return seat
        return None

    @property
    def humans(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seats if seat.kind is SeatKind.HUMAN)

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """Seats with an open choice."""
        return tuple(seat for seat in self.seats if seat.since)

    @property
    def owed(self) -> tuple[Seat, ...]:
        """Seats whose player has a notice to get: that it is their turn, or that the lobby has expired."""
        if self.status is Status.PLAYING:
            return tuple(seat for seat in self.seats if seat.is_owed)
        if self.ending == Ending.EXPIRED:
            return tuple(seat for seat in self.humans if seat.due > seat.notified)
        return ()

    @property
    def is_open(self) -> bool:
        return self.status is not Status.ENDED

    @property
    def advice_seed(self) -> str:
        """The child of `seed` for hints, and for looking back on the game later, which must find the same."""
        return child_seed(self.seed, "advice")


class Ending(StrEnum):
    """How a table came to its end; shown through `tables.ending.<value>`."""

    FINISHED = "finished"  # by the rules, Table.outcome says how
    CANCELLED = "cancelled"  # in the lobby
    EXPIRED = "expired"  # in the lobby, by time
    HOST = "host"  # ended by the host
    VOTED = "voted"
    ADMIN = "admin"
    TOO_FEW = "too_few"  # fewer players left than the game needs
    DESERTED = "deserted"  # no human player left


GIVEN_UP = frozenset({Ending.TOO_FEW, Ending.DESERTED})  # ended by its players' going


@dataclass(frozen=True, slots=True)
class Change:
    """What a stored change did: the table after it, the position after it (None before the start and
    for a table set aside), the events it added, and the seats whose choice it opened and closed.
    kind: the stored row's kind, see `Entry`. actor: the user who did it, None for the clock and
    automatic seats. freed: tables where a notice to the actor was held back and may be due now, since their
    rhythm is no longer slowed down."""

    table: Table
    state: AnyState | None
    events: tuple[Event, ...] = ()
    opened: tuple[int, ...] = ()
    closed: tuple[int, ...] = ()
    kind: str = ""
    actor: UserId | None = None
    freed: frozenset[TableId] = frozenset()


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored change: the row (table, revision). kind: open, join, leave, add_computer, remove_computer,
    pair, invite, withdraw, restrict, agree, start, cancel, expire, move, timeout, resign, vote, kick, pause,
    resume, end, undo, open_seat, computer_seat, take_seat, pass_host, remind, overdue, lapse, rematch, aside.
    events: the record events it added. void: undone."""

    revision: int
    kind: str
    at: datetime
    user: UserId | None = None
    seat: int | None = None
    events: tuple[Event, ...] = ()
    data: Mapping[str, JSON] = field(default_factory=dict)
    void: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """A table with its position and the events of its record (undone ones left out)."""

    table: Table
    state: AnyState | None
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Recap:
    """What happened at a table lately, as one person may know it: since their own last turn, for who has none
    in the last round.

    events: the record so far, what is hidden from them reading `?`. since: the place of the first event that
    is to be told; what the own decision before it has ended is still news (`Game.retell`). late: seats for
    which the clock played. stood_in: seats, no computer player's, for which a stand-in did. another: seats
    for which a person did who sat there before, and is not named there any more. took_back: seats of which a
    step was taken back. resigned, voted_out: seats whose player is gone, by how they went; nobody else has
    come. went: those of them that went in this while, unless the table ended by it.
    """

    events: tuple[Event, ...]
    since: int
    late: frozenset[int] = frozenset()
    stood_in: frozenset[int] = frozenset()
    another: frozenset[int] = frozenset()
    took_back: frozenset[int] = frozenset()
    resigned: frozenset[int] = frozenset()
    voted_out: frozenset[int] = frozenset()
    went: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Seen:
    """What one person may see of a table: `view` is of their seat, or a spectator's; None before the start
    and for a table set aside. draft: their turn in building, "" when none. recap: None where it was not asked
    for."""

    table: Table
    seat: Seat | None
    view: View | None
    draft: str = ""
    recap: Recap | None = None


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One stored change as one person may know it: hidden things in `events` read `?`. name: of `user` at
    that time, "" for the clock and automatic seats. vote, yes: what was voted on, and how. then: who sat
    there before the change, by seat, where a seat changed hands. By the place of one of `events`: forced, the
    seats for which the rules have decided after it (`Game.forced`); fuller, what more is told of it
    (`Game.fuller`)."""

    revision: int
    kind: str
    at: datetime
    seat: int | None
    user: UserId | None
    events: tuple[Event, ...]
    void: bool
    name: str = ""
    vote: str | None = None
    yes: bool = True
    then: Mapping[int, str] = field(default_factory=dict)
    forced: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    fuller: Mapping[int, Fuller] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Owed:
    """A notice that `user` is owed for seat `seat` of `table`; mark it with `Shown.notified`. why: "turn",
    "last" (all the others are done), "reminder", "expired" (a lobby)."""

    table: Table
    seat: Seat
    user: UserId
    why: str


@dataclass(frozen=True, slots=True)
class Letter:
    """The notice by direct message that a person has, one for all their tables, and how they answer notices.

    channel, message: where it lies; None where there is none, or where the private message of its one table
        is the notice.
    tables: those it tells of.
    unanswered: notices in a row, on any way, since they last changed something at a table.
    later: until when they want none, asked for `rhythm.LATER` before.
    """

    user: UserId
    channel: int | None = None
    message: int | None = None
    tables: tuple[TableId, ...] = ()
    unanswered: int = 0
    later: datetime | None = None


@dataclass(frozen=True, slots=True)
class Telling:
    """What is given with a message: notices, as (table, user, `Seat.due`). letter: where it is a notice by
    direct message, the tables it tells of."""

    notices: tuple[tuple[TableId, UserId, int], ...] = ()
    letter: tuple[TableId, ...] = ()


NOTHING_TOLD = Telling()


LOST = "lost "


@dataclass(frozen=True, slots=True)
class Post:
    """A message of a table that is not settled at the chat. message None: an intent, stored before it is sent
    and until it is known. Else a leftover: nothing points at it any more, and it has to go.

    purpose: names the intent, stays the same until the message is known, and never comes again. With `LOST`
    before it nobody carries it out any more, and it could not be looked whether its message is there.
    kind: "lobby", "invitation", "table", "notice", "final" (public), "hand" (a person's message of that
        table), "letter" (a notice by direct message; the table is one that it tells of).
    user: whose private message it is; 0 for a public one (and where it is no longer known).
    due: the newest notice that it stands for (see `Seat.due`), 0 where it tells nobody anything new; of a
        letter a mark of all of them.
    made: an intent's by the chat's time, by which its messages are numbered.
    answered: it was to go out as the answer to a click, which cannot be asked for again.
    again: to be looked at from then on.
    """

    table: TableId
    purpose: str
    kind: str
    user: UserId
    channel: int
    made: datetime
    again: datetime
    message: int | None = None
    due: int = 0
    answered: bool = False

    @property
    def lost(self) -> bool:
        return self.purpose.startswith(LOST)


NOTICES = ("channel", "dm", "none")  # on which way they come
RHYTHMS = ("at_once", "half_hour", "digest", "none")  # when they come, see `rhythm`
THEMES = ("dark", "light", "contrast")  # of pictures; the first is what nobody has chosen


@dataclass(frozen=True, slots=True)
class UserSettings:
    """notices: one of `NOTICES`. language: an override, None follows `locale`, the last one seen.
    quick: what they can take back is played at once, without a preview.
    dm_channel: where their direct messages go, once it was asked for. theme: of their private pictures, one
    of `THEMES`. dismissed: hints they want no more, such as "legend.zatre". rhythm: when notices come, one of
    `RHYTHMS`. digest_hour, quiet_from, quiet_to: hours (0 to 23) by their clock; no quiet hours where
    from and to are the same. timezone: an IANA name, "" while it is not chosen."""

    user: UserId
    locale: str | None = None
    language: str | None = None
    notices: str = "channel"
    text_board: bool = False
    quick: bool = False
    dm_closed: bool = False
    dm_channel: int | None = None
    theme: str = THEMES[0]
    dismissed: tuple[str, ...] = ()
    rhythm: str = "at_once"
    digest_hour: int = 18
    quiet_from: int = 0
    quiet_to: int = 0
    timezone: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a person stands in a game's lesson. place: of its step, from 0; as many as it has: they are
    through. draft: their turn in building, "" when none; of who is through the table that was opened for them
    at the end, or when it began to be opened (`begun`), "" when none was."""

    place: int = 0
    draft: str = ""

    @classmethod
    def opening(cls, place: int, now: datetime) -> Progress:
        """Of who is through, at the moment at which a table begins to be opened for them."""
        return cls(place, str(int(now.timestamp() * 1000)))

    @property
    def begun(self) -> datetime | None:
        """When that was, to a thousandth of a second, as long as the table is not known; else None."""
        if re.fullmatch("[0-9]{13}", self.draft) is None:
            return None
        return datetime.fromtimestamp(int(self.draft) / 1000, UTC)


@dataclass(frozen=True, slots=True)
class GuildSettings:
    """language None: English unless the guild's locale says otherwise. channels: where tables may be opened,
    empty = everywhere. openers, enders: role ids that may open and end tables; openers empty = everybody;
    enders are asked beside the host and those who manage the server. most_tables: open at once. theme: of the
    pictures everybody sees, one of `THEMES`."""

    guild: int
    language: str | None = None
    channels: tuple[int, ...] = ()
    openers: tuple[int, ...] = ()
    enders: tuple[int, ...] = ()
    most_tables: int = 50
    clock: ClockRule = ClockRule()
    threads: bool = True
    theme: str = THEMES[0]
