"""`Tables`: the one door to everything that happens at a table.

Every entry function that changes something does the same: lock the table, load it, check, apply, store the
change and the new position in one transaction as revision + 1, release, tell the listeners, return the
`Change`. No chat call ever happens under the lock. Who loses the race for a revision (another process) loads
and applies again, five times at most. Refusals (`ports.Refusal`) and rules errors
(`bot.rules.errors.RulesError`) leave everything as it was.

The parts are pure functions on a `Transaction` (one change in the making): `lobby`, `play`, `votes`, `undo`,
`time_up`.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias, TypeVar, cast

from cachetools import LRUCache

from bot.locks import Locks
from bot.rules import record as records
from bot.rules.errors import SetupError
from bot.rules.game import AnyState, Event, OptionValue
from bot.rules.registry import game as rules_of

from . import deadlines, lobby, play, time_up, undo, votes
from .entries import record_events, sat, was_played
from .model import (
    Change,
    ClockRule,
    Ending,
    Entry,
    GuildSettings,
    HistoryLine,
    Loaded,
    Owed,
    Person,
    Place,
    Post,
    Seat,
    SeatKind,
    Seen,
    Status,
    Table,
    TableId,
    UserId,
    UserSettings,
    VoteKind,
)
from .names import stored
from .ports import (
    Aside,
    Busy,
    ChannelNotAllowed,
    Clock,
    Entropy,
    Full,
    NotAllowed,
    NotFound,
    NotOver,
    NotSeated,
    NotStarted,
    Refusal,
    RevisionTaken,
    Running,
    Store,
    Stored,
    TooManyTables,
    Write,
)
from .positions import Unloadable, rebuild, restore
from .settings import checked_guild, checked_user
from .settle import settle
from .taps import Played, Resolve, Tapped
from .transaction import Transaction

log = logging.getLogger(__name__)

TRIES = 5
KEPT_STATES = 256  # positions kept in memory, each with its revision; the least used go first
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TABLE_ID = re.compile(f"[{CROCKFORD}]{{6}}")
PLACE_FIELDS = frozenset({"channel", "thread", "lobby_message", "table_message", "notice_message"})
Listener = Callable[[Change], None]
Step = Callable[[Transaction], None]
Position: TypeAlias = "tuple[Table, AnyState | None]"
T = TypeVar("T")


class Tables:
    """The service. `listen` before use: every stored change is reported to every listener once, after the
    lock is released and before the entry function returns; listeners are plain functions and only put things
    in queues.

    entropy: the tables' seeds and ids. purposes: those of messages, apart from it, so that the order in which
    they are sent changes no game.
    """

    def __init__(self, store: Store, clock: Clock, entropy: Entropy, purposes: Entropy) -> None:
        self._store = store
        self._clock = clock
        self._entropy = entropy
        self._purposes = purposes
        self._locks: Locks[TableId] = Locks()  # one change at a time per table
        self._states: LRUCache[TableId, tuple[int, AnyState]] = LRUCache(KEPT_STATES)
        self._listeners: list[Listener] = []
        self._unloadable: set[TableId] = set()  # tables that this process has failed to load
        self._running: set[asyncio.Task[Any]] = set()

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

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
        parent: int | None = None,
    ) -> Change:
        """A new table in its lobby, `person` being host and on its first seat, with `computers` computer
        players beside. people: most seats wanted (default the game's most). clock: None takes the server's
        default. parent: the channel that a thread as place belongs to. Raises
        SetupError, BadClock, Full, TooManyTables, ChannelNotAllowed, NotAllowed."""
        rules = rules_of(game)
        settings = await self._may_open(person, place, parent)
        most = rules.max_seats if people is None else people
        if not rules.min_seats <= most <= rules.max_seats:
            raise SetupError("seats", least=rules.min_seats, most=rules.max_seats, given=str(most))
        if 1 + computers > most:
            raise Full(most=most)
        rule = clock if clock is not None else settings.clock
        deadlines.check_clock(rule)
        now = self._clock.now()
        seats = [Seat(0, SeatKind.HUMAN, person.id, stored(person.name, person.id))]
        seats += [Seat(index, SeatKind.COMPUTER, None, "") for index in range(1, 1 + computers)]
        table = Table(
            id=await self._free_id(),
            revision=0,
            status=Status.LOBBY,
            game=game,
            rules_version=rules.version,
            options=_checked_options(game, dict(options or {}), most),
            host=person.id,
            place=place,
            seats=tuple(seats),
            seed=self._entropy(),
            clock=rule,
            created=now,
            changed=now,
            people=most,
        )
        write, change = settle(Transaction(table, None, now, "open", person=person, seat=0))
        return await self._whole(self._opening(write, change))

    async def _opening(self, write: Write, change: Change) -> Change:
        await self._store.write(write)
        self._tell(change)
        return change

    async def _may_open(self, person: Person, place: Place, parent: int | None) -> GuildSettings:
        """The server's settings, if they let this person open a table there."""
        settings = await self._store.guild(place.guild)
        if settings.openers and not _holds(person, place.guild, settings.openers):
            raise NotAllowed()
        if settings.channels and not {place.channel, parent} & set(settings.channels):
            raise ChannelNotAllowed(channels=settings.channels)
        if await self._store.count_at(place.guild) >= settings.most_tables:
            raise TooManyTables(most=settings.most_tables)
        return settings

    async def join(self, table: TableId, person: Person) -> Change:
        """Sit down in the lobby. Raises NotFound, Ended, Started, AlreadySeated, Full."""
        return await self._change(table, "join", person, lobby.join)

    async def leave(self, table: TableId, person: Person) -> Change:
        """Leave the lobby (the host passes on to the next human; without one the table is cancelled), or
        resign a running game. Raises NotFound, Ended, NotSeated."""

        def step(tx: Transaction) -> None:
            if tx.table.status is Status.LOBBY:
                lobby.leave(tx)
            else:
                tx.kind = "resign"
                play.resign(tx)

        return await self._change(table, "leave", person, step)

    async def add_computer(self, table: TableId, person: Person) -> Change:
        """Raises NotFound, Ended, Started, NotSeated (any seated person may), Full."""
        return await self._change(table, "add_computer", person, lobby.add_computer)

    async def remove_computer(self, table: TableId, person: Person) -> Change:
        """The newest computer player goes. Raises NotFound, Ended, Started, NotSeated, NoComputer."""
        return await self._change(table, "remove_computer", person, lobby.remove_computer)

    async def start(self, table: TableId, person: Person) -> Change:
        """The host starts. Raises NotFound, Ended, Started, NotHost, TooFew, SetupError."""
        return await self._change(table, "start", person, lobby.start)

    async def cancel(self, table: TableId, person: Person) -> Change:
        """The host (or who manages the table's server) cancels the lobby. Raises NotFound, Ended, Started,
        NotHost."""
        return await self._change(table, "cancel", person, lobby.cancel)

    async def pass_host(self, table: TableId, person: Person, to: UserId) -> Change:
        """The host hands over to another seated person, at any time. Raises NotHost, NotSeated."""
        return await self._change(table, "pass_host", person, lambda tx: lobby.pass_host(tx, to))

    async def rematch(self, table: TableId, person: Person, *, parent: int | None = None) -> Change:
        """A new lobby with the ended table's game, options, clock, place and seats, opened by one who sat
        there; the second to ask gets the same table. The `Change` is the new table's. parent: as for `open`.
        Raises NotOver, NotSeated, Aside, and as `open` what the server's settings forbid."""
        return await self._whole(self._rematching(table, person, parent))

    async def _rematching(self, table: TableId, person: Person, parent: int | None) -> Change:
        async with self._locks[table]:
            for _ in range(TRIES):
                tx = await self._begin(table, "rematch", person, entries=False)
                old = tx.table
                if old.status is not Status.ENDED:
                    raise NotOver(old)
                if old.damaged:
                    raise Aside(old)
                if person.id not in {seat.user for seat in old.seats}:
                    raise NotSeated(old)
                if old.rematch is not None:
                    return Change(await self.table(old.rematch), None)
                await self._may_open(person, old.place, parent)
                now = tx.now
                new = Table(
                    id=await self._free_id(),
                    revision=0,
                    status=Status.LOBBY,
                    game=old.game,
                    rules_version=rules_of(old.game).version,
                    options=old.options,
                    host=person.id,
                    place=Place(old.place.guild, old.place.channel),
                    seats=_same_seats(old),
                    seed=self._entropy(),
                    clock=old.clock,
                    created=now,
                    changed=now,
                    people=max(old.people, len(old.seats)),
                )
                opening, opened = settle(Transaction(new, None, now, "open", person=person))
                tx.set(rematch=new.id)
                closing, closed = settle(tx)
                try:
                    await self._store.write(opening, closing)
                except RevisionTaken:
                    continue
                break
            else:
                raise Busy(old)
        self._tell(closed)
        self._tell(opened)
        return opened

    # moves

    async def tap(
        self, table: TableId, person: Person, revision: int, resolve: Resolve, *, name: str = ""
    ) -> Tapped:
        """A tap on a control of the person's open choice, whole: what they see is looked up, what the tap
        comes to is asked of `resolve`, and that is done, all under the table's lock. Current if `revision` is
        the seat's `since` or later. name: of the button that plays, see `was_played`. Raises NotFound, Ended,
        NotStarted, Aside, Paused, NotSeated, Stale, NotYourTurn, and Unreadable or Illegal from the rules;
        and what `resolve` raises."""
        return await self._whole(self._tapping(table, person, revision, resolve, name))

    async def _tapping(
        self, table: TableId, person: Person, revision: int, resolve: Resolve, name: str
    ) -> Tapped:
        async with self._locks[table]:
            found, state = await self._position(await self._stored(table), locked=True)
            tx = Transaction(found, state, self._clock.now(), "", before=found, person=person)
            seat = play.open_choice_of(tx, revision)
            draft = await self._store.draft(table, seat)
            seen = Seen(found, seat, tx.position.view(seat.index), draft)
            # Beside the event loop: it may take long, and under the lock nothing else changes the state.
            wanted = await asyncio.to_thread(resolve, seen)
            if not isinstance(wanted, Played):
                if wanted is None or wanted.draft == draft:
                    return Tapped(None, seen)
                await self._store.set_draft(table, seat, wanted.draft)
                return Tapped(None, replace(seen, draft=wanted.draft))
            move = wanted

            def step(tx: Transaction) -> None:
                play.click(tx, move.move, revision, written=move.written, tap=name)

            change = await self._make(table, "move", person, step, loaded=(found, state))
        self._tell(change)
        return Tapped(change, self.seen_after(change, person.id))

    def seen_after(self, change: Change, user: UserId) -> Seen:
        """What `user` sees of a table as their own change has left it: nothing of a turn is built yet."""
        seat = change.table.seat_of(user)
        view = change.state.view(seat.index if seat is not None else None) if change.state else None
        return Seen(change.table, seat, view)

    async def move(self, table: TableId, person: Person, move: str, revision: int) -> Change:
        """The canonical text `move` for the person's seat. Current and raises as `tap`."""
        return await self._change(table, "move", person, lambda tx: play.click(tx, move, revision))

    async def was_played(self, table: TableId, person: Person, tap: str) -> bool:
        """Whether the button `tap`, pressed by this person before, played a move that stands: the second tap
        of two. Raises NotFound."""
        await self._stored(table)
        return was_played(await self._store.entries(table), person.id, tap)

    async def typed(self, table: TableId, person: Person, text: str) -> Change:
        """A typed move, read forgivingly. As `move`, but for the position as it is."""
        return await self._change(table, "move", person, lambda tx: play.typed(tx, text))

    async def resign(self, table: TableId, person: Person) -> Change:
        """The person's seat is played by stand-in moves from now on; below the game's fewest players the
        table ends (`too_few`), without a human player too (`deserted`). Raises NotFound, Ended, NotStarted,
        NotSeated."""
        return await self._change(table, "resign", person, play.resign)

    async def undo(self, table: TableId, person: Person, revision: int | None = None) -> Change:
        """Take the own last step back before the turn is final, never past something revealed. A click brings
        its revision, which must be current as for `move`. Raises NothingToUndo (for a finished turn use
        `vote` with VoteKind.UNDO), Stale."""

        def step(tx: Transaction) -> None:
            undo.own_step(tx, revision)

        return await self._change(table, "undo", person, step, entries=True)

    # people

    async def vote(
        self,
        table: TableId,
        person: Person,
        kind: VoteKind,
        seat: int | None = None,
        *,
        yes: bool = True,
        opened: int | None = None,
        as_of: int | None = None,
    ) -> Change:
        """Ask or answer a question; decided by the rules stated in `votes`, and then done in the same change.
        A click says what it means: opened, as_of: see `votes.vote`. Raises CannotVote, TooEarly, NoSuchSeat,
        NothingToUndo, Paused, NotPaused, NotSeated, Stale, Ended, NotStarted."""
        step: Step = lambda tx: votes.vote(tx, kind, seat, yes, opened=opened, as_of=as_of)  # noqa: E731
        past = kind is VoteKind.UNDO or (as_of is not None and kind in votes.OF_A_SEAT)
        return await self._change(table, "vote", person, step, entries=past)

    async def end(self, table: TableId, person: Person) -> Change:
        """The host, one who manages the table's server, or one whose role there may end tables, ends the
        table at once, whatever its status. Raises NotFound, Ended, NotAllowed."""
        found = await self.table(table)
        settings = await self._store.guild(found.place.guild)

        def step(tx: Transaction) -> None:
            tx.need_open()
            if person.id == tx.table.host:
                play.end(tx, Ending.HOST)
            elif _holds(person, tx.table.place.guild, settings.enders):
                play.end(tx, Ending.ADMIN)
            else:
                raise NotAllowed(tx.table)

        return await self._change(table, "end", person, step)

    async def end_by_admin(self, table: TableId) -> Change:
        """End without asking who (the operator; tables set aside). Raises NotFound, Ended."""
        return await self._change(table, "end", None, lambda tx: play.end(tx, Ending.ADMIN))

    async def take_seat(
        self, table: TableId, person: Person, seat: int, *, as_of: int | None = None
    ) -> Change:
        """Somebody new takes an open seat of a running game. as_of: the revision of the click, None for the
        seat as it is. Raises NoSuchSeat, AlreadySeated, KnowsHands, InSecret, Stale."""
        return await self._change(
            table, "take_seat", person, lambda tx: play.take_seat(tx, seat, as_of), entries=True
        )

    async def left_guild(self, guild: int, user: UserId) -> list[Change]:
        """A member left the server: treated as leaving every table there."""
        done: list[Change] = []
        for found in await self._store.tables_of(user):
            if found.place.guild != guild:
                continue
            seat = found.seat_of(user)
            try:
                done.append(await self.leave(found.id, Person(user, seat.name if seat else "")))
            except Refusal as refusal:
                log.info("nobody to leave at table %s: %s", found.id, refusal.code)
        return done

    # the clock and automatic seats (their runners call these)

    async def tick(self, table: TableId) -> Change | None:
        """Do what the clock asks of this table now: lobby expiry, reminders, time-outs, lapsed votes. None if
        nothing was due after all."""
        try:
            return await self._change(table, "tick", None, time_up.tick)
        except time_up.NothingDue:
            return None

    async def automatic_move(self, table: TableId, seat: int, move: str, revision: int) -> Change:
        """A move decided for a seat that no human plays, for the position at `revision`. Raises Stale."""
        return await self._change(table, "move", None, lambda tx: play.automatic(tx, seat, move, revision))

    # reading

    async def table(self, table: TableId) -> Table:
        """Raises NotFound."""
        return (await self._stored(table)).table

    async def find(self, table: TableId) -> Table | None:
        """The same, None where there is no such table."""
        try:
            return await self.table(table)
        except NotFound:
            return None

    async def load(self, table: TableId) -> Loaded:
        """Table, position and record so far. Raises NotFound. A table that cannot be loaded has state None
        and is set aside."""
        stored, entries = await self._snapshot(table)
        found, state = await self._position(stored)
        return Loaded(found, state.clone() if state else None, tuple(record_events(entries)))

    async def view(self, table: TableId, user: UserId | None, *, last: bool = False) -> Seen:
        """What `user` (None: a spectator) may see. last: with the newest move, which takes reading the whole
        record. Raises NotFound."""
        entries: Sequence[Entry] = ()
        if last:
            stored, entries = await self._snapshot(table)
        else:
            stored = await self._stored(table)
        found, state = await self._position(stored)
        seat = found.seat_of(user) if user is not None else None
        if state is None:
            return Seen(found, seat, None)
        draft = await self._store.draft(table, seat) if seat is not None and seat.since else ""
        index = seat.index if seat is not None else None
        newest = play.last_move(self._redacted(found, state, entries, index)) if entries else None
        return Seen(found, seat, state.view(index), draft, newest)

    async def history(self, table: TableId, user: UserId | None) -> list[HistoryLine]:
        """Every change in order, events as `user` may know them. Raises NotFound."""
        stored, entries = await self._snapshot(table)
        found, state = await self._position(stored)
        seat = found.seat_of(user) if user is not None else None
        shown = self._redacted(found, state, entries, seat.index if seat else None) if state else []
        lines: list[HistoryLine] = []
        place = 0
        then = _first_names(found, entries)
        for entry in entries:
            events: tuple[Event, ...] = ()
            if not entry.void:
                events = tuple(shown[place : place + len(entry.events)])
                place += len(entry.events)
            vote = entry.data.get("vote")
            lines.append(
                HistoryLine(
                    entry.revision,
                    entry.kind,
                    entry.at,
                    entry.seat,
                    entry.user,
                    events,
                    entry.void,
                    name=str(entry.data.get("name", "")),
                    vote=vote if isinstance(vote, str) else None,
                    yes=entry.data.get("yes") is not False,
                    then=dict(then),
                )
            )
            if entry.kind in ("take_seat", "computer_seat") and entry.seat is not None:
                then.pop(entry.seat, None)
                if entry.kind == "take_seat":
                    then[entry.seat] = str(entry.data.get("name", ""))
        return lines

    async def record(self, table: TableId) -> str:
        """The `parlour/1` record. Raises NotFound, Running before the end, NotStarted for one that never
        began."""
        stored = await self._stored(table)
        found = stored.table
        if found.status is not Status.ENDED:
            raise Running(found)
        if found.damaged:
            raise Aside(found)
        events = record_events(await self._store.entries(table))
        if not events:
            raise NotStarted(found)
        return write_record(found, events)

    async def sat_at(self, table: TableId, user: UserId) -> bool:
        """Whether this person sits or ever sat at the table, in its lobby or later. Raises NotFound."""
        found = await self.table(table)
        return found.seat_of(user) is not None or sat(await self._store.entries(table), user)

    async def tables_of(self, user: UserId) -> list[Table]:
        """Where the user sits: their turn first, then by deadline (none last), then oldest change first."""

        def order(table: Table) -> tuple[bool, bool, datetime]:
            seat = table.seat_of(user)
            mine = table.status is Status.PLAYING and seat is not None and seat.since > 0
            deadline = (seat.deadline if mine and seat else None) or table.deadline
            return not mine, deadline is None, deadline or table.changed

        return sorted(await self._store.tables_of(user), key=order)

    async def tables_at(self, guild: int, channel: int | None = None) -> list[Table]:
        """Tables not ended of a guild, or of one channel or thread of it."""
        return await self._store.tables_at(guild, channel)

    async def homeless(self, limit: int = 100) -> list[Table]:
        """Tables not ended whose rows do not tell their server any more."""
        return await self._store.homeless(limit)

    async def ended_at(self, guild: int, channel: int, limit: int = 25) -> list[Table]:
        """Ended tables of a channel or thread, the newest first."""
        return await self._store.ended_at(guild, channel, limit)

    async def tables_showing(self, guild: int, ids: Sequence[int]) -> list[Table]:
        """Tables not ended of a guild that lie in one of these channels or threads, or whose lobby or table
        message is one of these messages."""
        return await self._store.tables_showing(guild, ids)

    async def unpainted(self, limit: int = 100) -> list[Table]:
        """Tables whose public message is behind, ended ones included."""
        return await self._store.unpainted(self._clock.now(), limit)

    async def ended_behind(self, guild: int, limit: int = 100) -> list[Table]:
        """Ended tables of a guild whose public message does not show it yet, parked ones included."""
        return await self._store.ended_behind(guild, limit)

    async def owed(self, limit: int = 100) -> list[Owed]:
        """Notices not yet sent."""
        found: list[Owed] = []
        for table in await self._store.owed(limit):
            found += await self.owed_at(table)
        return found

    async def owed_at(self, table: TableId) -> list[Owed]:
        """The same for one table."""
        found = await self.table(table)
        return [Owed(found, seat, seat.user, _why(found, seat)) for seat in found.owed if seat.user]

    async def automatic_due(self, limit: int = 100) -> list[TableId]:
        """Tables where a seat that no human plays is to act."""
        return await self._store.automatic_due(limit)

    # marks: no change of the table, no revision

    async def painted(self, table: TableId, revision: int) -> None:
        """The public message shows `revision` now."""
        await self._store.mark_painted(table, revision)

    async def placed(self, table: TableId, /, **fields: int | None) -> None:
        """Set fields of the table's `Place`: channel, thread, lobby_message, table_message,
        notice_message."""
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

    async def hand_placed(
        self, table: TableId, user: UserId, channel: int | None, message: int | None
    ) -> None:
        """Where the person's private message of this table lies. The one before is a leftover, and so is this
        one where they sit there no more."""
        await self._store.mark_hand(table, user, channel, message, self._clock.now())

    async def snooze(self, table: TableId, person: Person) -> None:
        """No more notices for this person's present turn. Raises NotSeated."""
        found, state = await self._position(await self._stored(table))
        tx = Transaction(found, state, self._clock.now(), "", before=found, person=person)
        seat = play.open_choice_of(tx, None)
        await self._store.mark_snoozed(table, person.id, seat.since)

    async def parked(self, table: TableId, until: datetime | None) -> None:
        """Painting failed: `unpainted` leaves the table out until then (None: no longer). `painted` ends it
        too."""
        await self._store.mark_parked(table, until)

    # messages that are not settled: an intent is stored before a send, a leftover until it is gone

    async def posts(self, table: TableId) -> list[Post]:
        """Those of one table, oldest first."""
        return await self._store.posts(table)

    async def unsettled(self, limit: int = 100) -> list[TableId]:
        """Tables with something to look for or to clear."""
        return await self._store.unsettled(self._clock.now(), limit)

    async def intend(
        self,
        table: TableId,
        kind: str,
        channel: int,
        *,
        user: UserId = 0,
        due: int = 0,
        answered: bool = False,
        instead: str | None = None,
    ) -> tuple[Post, bool]:
        """A message is about to be sent: its intent, and whether that is a new one (an earlier one whose
        message is not known yet is given again, so that it keeps its purpose). instead: the purpose of an
        earlier one that is given up. kind, user, due, answered: see `Post`."""
        now = self._clock.now()
        purpose = self._purposes()[:16]
        fresh = Post(table, purpose, kind, user, channel, now, now, due=due, answered=answered)
        found = await self._store.intend(fresh, instead)
        return found, found.purpose == fresh.purpose

    async def posted(self, post: Post, message: int) -> bool:
        """The message that was meant is known. False where it is not wanted any more: then it is a
        leftover."""
        return await self._store.settle_post(post, message, self._clock.now())

    async def leave_over(
        self, table: TableId, kind: str, channel: int, message: int, *, user: UserId = 0
    ) -> None:
        """A message that nothing points at has to go."""
        now = self._clock.now()
        await self._store.leave(Post(table, "", kind, user, channel, now, now, message))

    async def post_again(self, post: Post, again: datetime) -> None:
        """Not to be looked at before `again`, unless the table changes."""
        await self._store.delay_post(post, again)

    async def post_settled(self, post: Post) -> None:
        """The intent came to nothing, or the leftover is gone."""
        await self._store.drop_post(post)

    # settings

    async def user(self, user: UserId) -> UserSettings:
        """What is stored of a user; defaults where nothing is."""
        return await self._store.user(user)

    async def set_user(self, user: UserId, /, **fields: object) -> UserSettings:
        """Change fields of `UserSettings`. Raises ValueError for an unknown field or value."""
        return await self._store.set_user(user, checked_user(fields))

    async def seen_locale(self, user: UserId, locale: str | None) -> None:
        """Remember the last locale seen; writes only when it differs."""
        if locale and (await self._store.user(user)).locale != locale:
            await self._store.set_user(user, {"locale": locale[:16]})

    async def guild(self, guild: int) -> GuildSettings:
        """What is stored of a guild; defaults where nothing is."""
        return await self._store.guild(guild)

    async def set_guild(self, guild: int, /, **fields: object) -> GuildSettings:
        """Change fields of `GuildSettings`. Raises ValueError, BadClock."""
        return await self._store.set_guild(guild, checked_guild(fields))

    # how a change is made

    async def close(self) -> None:
        """Wait until the changes under way are stored and told. The store is closed by who opened it."""
        while self._running:
            await asyncio.wait(self._running)  # who gives up waiting ends none of them

    async def _change(
        self, table: TableId, kind: str, person: Person | None, step: Step, *, entries: bool = False
    ) -> Change:
        return await self._whole(self._changing(table, kind, person, step, entries))

    async def _whole(self, making: Coroutine[Any, Any, T]) -> T:
        """A caller that is cancelled half-way leaves no half change: what was begun is stored and told, and
        the table is locked until then."""
        task = asyncio.create_task(making)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def _changing(
        self, table: TableId, kind: str, person: Person | None, step: Step, entries: bool
    ) -> Change:
        async with self._locks[table]:
            change = await self._make(table, kind, person, step, entries=entries)
        self._tell(change)
        return change

    async def _make(
        self,
        table: TableId,
        kind: str,
        person: Person | None,
        step: Step,
        *,
        entries: bool = False,
        loaded: Position | None = None,
    ) -> Change:
        """Under the table's lock. loaded: the table and its position, where they were just looked up."""
        for _ in range(TRIES):
            tx = await self._begin(table, kind, person, entries=entries, loaded=loaded)
            loaded = None
            step(tx)
            damaged = tx.before is not None and tx.before.damaged
            if damaged and tx.table.is_open:
                raise Aside(tx.before)  # what is left of its row is written back only to end it
            write, change = settle(tx)
            try:
                await (self._store.write_over(write) if damaged else self._store.write(write))
            except RevisionTaken:
                self._states.pop(table, None)
                continue
            self._keep(change.table, tx.state)
            return change
        raise Busy(tx.before)

    async def _begin(
        self,
        table: TableId,
        kind: str,
        person: Person | None,
        *,
        entries: bool,
        loaded: Position | None = None,
    ) -> Transaction:
        """Load for a change: the state is an own copy. loaded: as for `_make`."""
        found, state = loaded or await self._position(await self._stored(table), locked=True)
        timed = found.clock.seconds is not None and state is not None
        history = await self._store.entries(table) if entries or timed else []
        return Transaction(
            table=found,
            state=state.clone() if state is not None else None,
            now=self._clock.now(),
            kind=kind,
            before=found,
            person=person,
            entries=history,
            left=deadlines.time_left(history),
        )

    async def _stored(self, table: TableId) -> Stored:
        stored = await self._store.load(table) if TABLE_ID.fullmatch(table) else None
        if stored is None:
            raise NotFound(id=table[:20])
        return stored

    async def _snapshot(self, table: TableId) -> tuple[Stored, list[Entry]]:
        """A table and the entries up to that same revision."""
        while True:
            stored = await self._stored(table)
            entries = await self._store.entries(table)
            same = bool(entries) and entries[-1].revision == stored.table.revision
            if same or stored.table.damaged:  # of a damaged one they never agree
                return stored, entries
            await asyncio.sleep(0)  # a change is being stored; it must get its turn

    def _redacted(
        self, table: Table, state: AnyState, entries: Sequence[Entry], seat: int | None
    ) -> list[Event]:
        """The record's events as a seat may know them; none where some cannot be read, though the position
        kept beside them can."""
        try:
            return state.redact(record_events(entries), seat)
        except Exception as error:  # damaged data may raise anything
            log.error("table %s: its events cannot be read: %s", table.id, type(error).__name__)
            return []

    async def _position(self, stored: Stored, *, locked: bool = False) -> Position:
        """The table and its state, which is not to be changed. None before the start, and for a table that
        cannot be loaded: that is set aside. One set aside by an earlier process goes on if this one can load
        it."""
        table = stored.table
        over = table.status in (Status.ASIDE, Status.ENDED)
        if table.damaged and table.id not in self._unloadable:
            self._unloadable.add(table.id)
            if table.is_open:  # what is left of its row is not written back; those who can end it are told
                self._tell(Change(table, None, (), (), (), "aside", None))
        if table.status is Status.LOBBY or table.damaged or (over and table.id in self._unloadable):
            return table, None
        if table.events == 0 and stored.cache is None:
            return table, None
        kept = self._states.get(table.id)
        if kept is not None and kept[0] == table.revision:
            return table, kept[1]
        try:
            state = restore(table, stored.cache)
            if state is None:
                entries = await self._store.entries(table.id)
                state = await asyncio.to_thread(rebuild, table, entries)
                log.warning("table %s: position rebuilt from its events", table.id)
        except Unloadable as error:
            self._unloadable.add(table.id)
            if not over:
                log.error("table %s cannot be loaded and is set aside: %s", table.id, error)
                return await self._turn(table, "aside", None, locked=locked)
            return table, None
        if table.status is Status.ASIDE:
            log.warning("table %s can be loaded again and goes on", table.id)
            return await self._turn(table, "resume", state, locked=locked)
        self._keep(table, state)
        return table, state

    async def _turn(self, table: Table, kind: str, state: AnyState | None, *, locked: bool) -> Position:
        """Set a table aside (no state), or let it go on; what `_position` answers afterwards."""
        if not locked:
            return await self._whole(self._turn_in_line(table, kind, state))
        stored = await self._stored(table.id)
        now = stored.table
        if now.revision != table.revision:  # somebody else saw to it
            return await self._position(stored, locked=True)
        tx = Transaction(now, state, self._clock.now(), kind, before=now)
        running = Status.PAUSED if now.paused else Status.PLAYING
        tx.set(status=Status.ASIDE if state is None else running)
        write, change = settle(tx)
        try:
            await self._store.write(write)
        except RevisionTaken:
            return await self._position(await self._stored(table.id), locked=True)
        self._keep(change.table, state)
        self._tell(change)
        return change.table, state

    async def _turn_in_line(self, table: Table, kind: str, state: AnyState | None) -> Position:
        async with self._locks[table.id]:
            return await self._turn(table, kind, state, locked=True)

    def _keep(self, table: Table, state: AnyState | None) -> None:
        if state is None or table.status is Status.ENDED:
            self._states.pop(table.id, None)
            return
        self._states[table.id] = (table.revision, state)

    def _tell(self, change: Change) -> None:
        for listener in self._listeners:
            try:
                listener(change)
            except (
                Exception
            ):  # the change is stored: one listener's fault must not reach the player or the others
                log.exception("a listener failed on table %s", change.table.id)

    async def _free_id(self) -> TableId:
        while True:
            number = int(self._entropy()[:16], 16)
            found = "".join(CROCKFORD[number >> (5 * place) & 31] for place in range(6))
            if not await self._store.exists(found):
                return found


def _checked_options(game: str, given: dict[str, object], most: int) -> dict[str, OptionValue]:
    """The given options, if some seat count up to `most` can be played with them. Raises SetupError."""
    lobby.check_options(game, given, most)
    return cast("dict[str, OptionValue]", given)  # options_for has accepted every value


def _holds(person: Person, guild: int, roles: Sequence[int]) -> bool:
    """Whether somebody manages that server or has one of these roles there."""
    return person.manages_at(guild) or not person.roles_at(guild).isdisjoint(roles)


def _same_seats(old: Table) -> tuple[Seat, ...]:
    """The seats of a rematch: people and computer players as they sat; seats given up are left out."""
    kept = [seat for seat in old.seats if seat.kind in (SeatKind.HUMAN, SeatKind.COMPUTER)]
    return tuple(Seat(place, seat.kind, seat.user, seat.name) for place, seat in enumerate(kept))


def _first_names(table: Table, entries: Sequence[Entry]) -> dict[int, str]:
    """The names of those who sat at the start on seats that changed hands since."""
    said = {entry.user: str(entry.data["name"]) for entry in entries if entry.user and "name" in entry.data}
    changed = {entry.seat for entry in entries if entry.kind in ("take_seat", "computer_seat")}
    start = next((entry for entry in entries if entry.kind == "start"), None)
    held = start.data.get("seats") if start is not None else None
    if not isinstance(held, list):
        return {}
    users = [(seat, int(str(user))) for seat, user in enumerate(held) if str(user).isdecimal()]
    return {seat: said[user] for seat, user in users if seat in changed and user in said}


def _why(table: Table, seat: Seat) -> str:
    if not table.is_open:
        return "expired"
    if seat.due == seat.since:
        return "turn"
    if seat.reminded:
        return "reminder"
    return "last" if len(table.to_act) == 1 else "turn"


def write_record(table: Table, events: Sequence[Event]) -> str:
    """The `parlour/1` text of an ended table."""
    game = rules_of(table.game)
    players = len(table.seats)
    full = game.options_for(players, table.options)
    return records.dumps(
        records.Record(
            game=table.game,
            options=game.written_options(players, full),
            players=players,
            seed=table.seed,
            events=tuple(events),
            outcome=table.outcome,
            version=None if table.rules_version == game.version else table.rules_version,
        )
    )
