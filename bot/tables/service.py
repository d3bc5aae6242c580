"""`Tables`: the one door to everything that happens at a table.

Every entry function that changes something does the same: lock the table, load it, check, apply, store the
change and the new position in one transaction as revision + 1, release, tell the listeners, return the
`Change`. No chat call ever happens under the lock. Who loses the race for a revision (another process) loads
and applies again, five times at most. Refusals (`ports.Refusal`) and rules errors
(`bot.rules.errors.RulesError`) leave everything as it was.

How that is done is in `changing`, on what `loading` finds, in the order that `line` keeps. The parts are pure
functions on a `Transaction` (one change in the making): `lobby`, `play`, `votes`, `undo`, `time_up`. What the
chat shows of a table, which changes nothing of it, is apart: `shown`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from bot.levels import Level
from bot.rules.game import AnyState, Event
from bot.rules.registry import game as rules_of

from . import history, lobby, needs, opening, play, time_up, undo, votes
from .changing import TRIES, Changes, Step
from .entries import decided, record_events, sat, was_played
from .keepers import Keepers
from .line import Line, Listener
from .loading import Loading, stored_table, stored_whole
from .model import (
    Change,
    ClockRule,
    Ending,
    GuildSettings,
    HistoryLine,
    Invitation,
    Loaded,
    Person,
    Place,
    Progress,
    Recap,
    Seat,
    Seen,
    Status,
    Table,
    TableId,
    UserId,
    UserSettings,
    VoteKind,
    crockford,
)
from .ports import (
    Aside,
    Busy,
    ChannelNotAllowed,
    Clock,
    Entropy,
    InvitedOnly,
    NeverSat,
    NoRematch,
    NoSuchCode,
    NotAllowed,
    NotFound,
    NotOver,
    NotStarted,
    Refusal,
    RevisionTaken,
    Running,
    Store,
    TooManyTables,
    Write,
)
from .positions import view_of
from .recap import recap as recap_of
from .settings import checked_guild, checked_user
from .settle import settle
from .taps import TRIED, Chosen, Played, Resolve, Tapped, Tried
from .transaction import Transaction

log = logging.getLogger(__name__)

CODE = 8  # characters of a code: 40 bits, which nobody finds by trying
MOST_DIRECT = 20  # tables in direct messages that one person may have open as their host


class _Asked(Exception):
    """A move is not played before its player was asked. draft: which shows it to them."""

    def __init__(self, draft: str) -> None:
        super().__init__()
        self.draft = draft


class Tables:
    """The service. `listen` before use: every stored change is reported to every listener once, after the
    lock is released and before the entry function returns; listeners are plain functions and only put things
    in queues.

    entropy: the tables' seeds and ids.
    """

    def __init__(self, store: Store, clock: Clock, entropy: Entropy) -> None:
        self._store = store
        self._clock = clock
        self._entropy = entropy
        self._line = Line()
        self._loading = Loading(store, clock, self._line)
        self.keepers = Keepers(store, clock)
        self._changes = Changes(store, clock, self._line, self._loading)

    def listen(self, listener: Listener) -> None:
        self._line.listen(listener)

    async def close(self) -> None:
        """Wait until the changes under way are stored and told. The store is closed by who opened it."""
        await self._line.close()

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
        level: Level = Level.MEDIUM,
        parent: int | None = None,
        by_invitation: bool = False,
    ) -> Change:
        """A new table in its lobby, `person` being host and on its first seat, with `computers` computer
        players of that level beside. place: on a server, or (guild 0) in direct messages alone. people: most
        seats wanted (default the game's most). clock: None takes the server's default. parent: the channel
        that a thread as place belongs to. by_invitation: see `restrict`. Raises SetupError, BadClock, Full,
        TooManyTables, ChannelNotAllowed, NotAllowed."""
        rules_of(game)  # whether there is such a game
        settings = await self._may_open(person, place, parent)
        rule = clock if clock is not None else settings.clock
        wanted = opening.wanted(game, options or {}, people, rule, person, computers, level)
        wanted = replace(wanted, by_invitation=by_invitation)
        now = self._clock.now()
        table = opening.new_table(
            wanted, await self._free_id(), person, self._with_code(place), self._entropy(), now
        )
        write, change = settle(Transaction(table, None, now, "open", person=person, seat=0))
        return await self._line.whole(self._opening(write, change))

    async def _opening(self, write: Write, change: Change) -> Change:
        await self._store.write(write)
        self._line.tell(change)
        return change

    def _with_code(self, place: Place) -> Place:
        """A table in direct messages is joined with a code."""
        return replace(place, code=crockford(self._entropy(), CODE)) if place.guild == 0 else place

    async def _may_open(self, person: Person, place: Place, parent: int | None) -> GuildSettings:
        """The server's settings, if they let this person open a table there."""
        if place.guild == 0:
            own = [table for table in await self._store.tables_of(person.id) if table.place.direct]
            if sum(table.host == person.id for table in own) >= MOST_DIRECT:
                raise TooManyTables(most=MOST_DIRECT)
            return GuildSettings(0)
        settings = await self._store.guild(place.guild)
        if settings.openers and not person.may_at(place.guild, settings.openers):
            raise NotAllowed()
        if settings.channels and not {place.channel, parent} & set(settings.channels):
            raise ChannelNotAllowed(channels=settings.channels)
        if await self._store.count_at(place.guild) >= settings.most_tables:
            raise TooManyTables(most=settings.most_tables)
        return settings

    async def join(self, table: TableId, person: Person) -> Change:
        """Sit down in the lobby. Raises NotFound, Ended, Started, AlreadySeated, Full."""
        return await self._changes.make(table, "join", person, lobby.join)

    async def join_with(self, code: str, person: Person) -> Change:
        """Sit down in the lobby that is joined with this code. Raises NoSuchCode, and as `join`."""
        table = await self._store.joined_with(code)
        if table is None:
            raise NoSuchCode
        return await self.join(table, person)

    async def leave(self, table: TableId, person: Person) -> Change:
        """Leave the lobby; the host passes on to the next human, without one the table is cancelled. Raises
        NotFound, Ended, Started (a running game is resigned, not left), NotSeated."""
        return await self._changes.make(table, "leave", person, lobby.leave)

    async def add_computer(self, table: TableId, person: Person, level: Level = Level.MEDIUM) -> Change:
        """Raises NotFound, Ended, Started, NotSeated (any seated person may), Full."""
        sit = partial(lobby.add_computer, level=level)
        return await self._changes.make(table, "add_computer", person, sit)

    async def remove_computer(self, table: TableId, person: Person) -> Change:
        """The newest computer player goes. Raises NotFound, Ended, Started, NotSeated, NoComputer."""
        return await self._changes.make(table, "remove_computer", person, lobby.remove_computer)

    async def accept(self, table: TableId, person: Person) -> Change:
        """Sit down as one who is invited. Raises as `join`, and InvitedOnly."""
        return await self._changes.make(table, "join", person, lobby.accept)

    async def decline(self, table: TableId, person: Person) -> Invitation | None:
        """An invitation is declined, which only the host shall know: it changes nothing of the table, and
        they may still accept. The invitation, None where that was known already. Raises NotFound, Ended,
        Started, InvitedOnly."""
        found = await self.table(table)
        needs.need_lobby(found)
        invitation = found.invitation_of(person.id)
        if invitation is None:
            raise InvitedOnly(found)
        if (await self._store.declined(table)).get(person.id) == invitation.revision:
            return None
        await self._store.decline(table, person.id, invitation.revision)
        return invitation

    async def declined(self, table: Table) -> tuple[Invitation, ...]:
        """Those of the lobby's invitations that were declined. For its host alone."""
        declined = await self._store.declined(table.id) if table.invited else {}
        return tuple(one for one in table.invited if declined.get(one.user) == one.revision)

    async def invite(self, table: TableId, person: Person, people: Mapping[UserId, str]) -> Change:
        """The host invites. people: with their names; that they can view the table's channel was looked at.
        Raises NotFound, Ended, Started, NotHost, NotAllowed, NobodyToInvite, TooManyInvited."""
        declined = {one.user for one in await self.declined(await self.table(table))}
        return await self._changes.make(
            table, "invite", person, lambda tx: lobby.invite(tx, people, declined)
        )

    async def withdraw(self, table: TableId, person: Person, users: Collection[UserId]) -> Change:
        """The host takes invitations back. Raises NotFound, Ended, Started, NotHost, Stale."""
        return await self._changes.make(table, "withdraw", person, lambda tx: lobby.withdraw(tx, users))

    async def restrict(self, table: TableId, person: Person, by_invitation: bool) -> Change:
        """The host says whether only who is invited may sit down. Raises NotFound, Ended, Started, NotHost,
        NotAllowed."""
        return await self._changes.make(
            table, "restrict", person, lambda tx: lobby.restrict(tx, by_invitation)
        )

    async def agree(self, table: TableId, person: Person, agrees: bool) -> Change | None:
        """Agree to hints at this table, or not, for oneself; None where that was said before. Where all
        people have at the start, everybody may have them; who is alone with computer players always may.
        Raises NotFound, Ended, Started, NotSeated."""
        try:
            return await self._changes.make(table, "agree", person, lambda tx: lobby.agree(tx, agrees))
        except lobby.SaidAlready:
            return None

    async def pair(self, table: TableId, person: Person, chosen: Sequence[lobby.Sitting]) -> Change:
        """Two sit together, see `lobby.pair`. Raises NotFound, Ended, Started, NotSeated, NotHost, NoPairs,
        Stale."""
        return await self._changes.make(table, "pair", person, lambda tx: lobby.pair(tx, chosen))

    async def start(self, table: TableId, person: Person) -> Change:
        """The host starts. Raises NotFound, Ended, Started, NotHost, TooFew, SetupError."""
        return await self._changes.make(table, "start", person, lobby.start)

    async def cancel(self, table: TableId, person: Person) -> Change:
        """The host (or who manages the table's server) cancels the lobby. Raises NotFound, Ended, Started,
        NotHost."""
        return await self._changes.make(table, "cancel", person, lobby.cancel)

    async def pass_host(self, table: TableId, person: Person, to: UserId) -> Change:
        """The host hands over to another seated person, at any time. Raises NotHost, NotSeated."""
        return await self._changes.make(table, "pass_host", person, lambda tx: lobby.pass_host(tx, to))

    async def rematch(self, table: TableId, person: Person, *, parent: int | None = None) -> Change:
        """A new lobby with the ended table's game, options, clock, place and seats, opened by one who sat
        there; the second to ask gets the same table, as long as it is open. The `Change` is the new table's,
        one that changed nothing where it was there. parent: as for `open`.
        Raises NotOver, NoRematch, Aside, and as `open` what the server's settings forbid."""
        return await self._line.whole(self._rematching(table, person, parent))

    async def _rematching(self, table: TableId, person: Person, parent: int | None) -> Change:
        async with self._line.at(table):
            for _ in range(TRIES):
                tx = await self._changes.begin(table, "rematch", person, entries=False)
                old = tx.table
                if old.status is not Status.ENDED:
                    raise NotOver(old)
                if old.damaged:
                    raise Aside(old)
                if person.id not in {seat.user for seat in old.seats}:
                    raise NoRematch(old)
                if (there := await self.rematch_of(old)) is not None:
                    return Change(there, None)
                await self._may_open(person, old.place, parent)
                where = self._with_code(Place(old.place.guild, old.place.channel))
                again = opening.as_before(old)
                new = opening.new_table(again, await self._free_id(), person, where, self._entropy(), tx.now)
                first, opened = settle(Transaction(new, None, tx.now, "open", person=person))
                tx.set(rematch=new.id)
                last, closed = settle(tx)
                try:
                    await self._store.write(first, last)
                except RevisionTaken:
                    continue
                break
            else:
                raise Busy(old)
        self._line.tell(closed)
        self._line.tell(opened)
        return opened

    async def rematch_of(self, table: Table) -> Table | None:
        """The newest rematch, as long as it can be joined or is played, or rests."""
        found = await self.find(table.rematch) if table.rematch is not None else None
        over = found is None or found.damaged or found.status in {Status.ENDED, Status.ASIDE}
        return None if over else found

    async def _free_id(self) -> TableId:
        while True:
            found = crockford(self._entropy(), 6)
            if not await self._store.exists(found):
                return found

    # moves

    async def tap(
        self, table: TableId, person: Person, revision: int | None, resolve: Resolve, *, name: str = ""
    ) -> Tapped:
        """A tap on a control of the person's open choice, or a move they typed, whole: what they see is
        looked up, what it comes to is asked of `resolve`, and that is done, all under the table's lock.
        Current if `revision` is the seat's `since` or later; None for the choice as it is. name: of the
        button that plays, see `was_played`. Raises NotFound, Ended, NotStarted, Aside, Paused, NotSeated,
        Stale, NotYourTurn, and Unreadable or Illegal from the rules; and what `resolve` raises."""
        return await self._line.whole(self._tapping(table, person, revision, resolve, name))

    async def _tapping(
        self, table: TableId, person: Person, revision: int | None, resolve: Resolve, name: str
    ) -> Tapped:
        async with self._line.at(table):
            tx = await self._looking(table, person, locked=True)
            found, state = tx.table, tx.state
            seat = play.open_choice_of(tx, revision)
            draft = await self._store.draft(table, seat)
            seen = Seen(found, seat, tx.position.view(seat.index), draft)
            # Beside the event loop: it may take long, and under the lock nothing else changes the state.
            wanted = await asyncio.to_thread(resolve, seen)
            if wanted is None or isinstance(wanted, Chosen):
                return await self._drafted(seen, None if wanted is None else wanted.draft, state)
            move = wanted

            def step(tx: Transaction) -> None:
                then = move.then if isinstance(move, Played) else ()
                played = play.click(tx, move.move, revision, written=move.written, then=then, tap=name)
                if isinstance(move, Tried) and tx.table.undoable != tx.seat:
                    raise _Asked(TRIED + played if move.draft is None else move.draft)

            try:
                change = await self._changes.make_in_line(table, "move", person, step, loaded=(found, state))
            except _Asked as asked:
                return await self._drafted(seen, asked.draft, state)
        self._line.tell(change)
        return Tapped(change, await self.seen_after(change, person.id))

    async def _drafted(self, seen: Seen, draft: str | None, state: AnyState | None) -> Tapped:
        """The draft is this one from now on (None: as it was); under the table's lock."""
        assert seen.seat is not None
        if draft is not None and draft != seen.draft:
            await self._store.set_draft(seen.table.id, seen.seat, draft)
            seen = replace(seen, draft=draft)
        return Tapped(None, replace(seen, recap=await self._recap(seen.table, state, seen.seat)))

    async def _looking(self, table: TableId, person: Person, *, locked: bool = False) -> Transaction:
        """For asking what a step asks first. The state is not to be changed. locked: whether the caller is in
        the table's line. Raises NotFound."""
        found, state = await self._loading.position(await stored_table(self._store, table), locked=locked)
        return Transaction(found, state, self._clock.now(), "", before=found, person=person)

    async def seen_after(self, change: Change, user: UserId) -> Seen:
        """What `user` sees of a table as their own change has left it, but for a draft: a move, an undo and
        taking a seat leave none of theirs, and the menu, shown after the other changes, tells of none."""
        seat = change.table.seat_of(user)
        index = seat.index if seat is not None else None
        view = view_of(change.table, change.state, index) if change.state else None
        return Seen(change.table, seat, view, recap=await self._recap(change.table, change.state, seat))

    async def _recap(self, table: Table, state: AnyState | None, seat: Seat | None) -> Recap | None:
        """None where nothing is known of it: before the start, of a table that cannot be loaded, or that has
        changed in this moment (whoever changed it has it shown anew)."""
        entries = await self._loading.entries(table) if state is not None else None
        return recap_of(table, state, entries, seat) if state is not None and entries else None

    async def move(self, table: TableId, person: Person, move: str, revision: int) -> Change:
        """The canonical text `move` for the person's seat. Current and raises as `tap`."""
        return await self._changes.make(table, "move", person, lambda tx: play.click(tx, move, revision))

    async def was_played(self, table: TableId, person: Person, tap: str) -> bool:
        """Whether the button `tap`, pressed by this person before, played a move that stands: the second tap
        of two. Raises NotFound."""
        await stored_table(self._store, table)
        return was_played(await self._store.entries(table), person.id, tap)

    async def resign(self, table: TableId, person: Person) -> Change:
        """The person's seat is played by stand-in moves from now on; below the game's fewest players the
        table ends (`too_few`), without a human player too (`deserted`). Raises NotFound, Ended, NotStarted,
        NotSeated."""
        return await self._changes.make(table, "resign", person, play.resign)

    async def undo(self, table: TableId, person: Person, revision: int | None = None) -> Change:
        """Take the own last step back before the turn is final, never past something revealed. A click brings
        its revision, which must be current as for `move`. Raises NothingToUndo (for a finished turn use
        `vote` with VoteKind.UNDO), Stale."""

        def step(tx: Transaction) -> None:
            undo.own_step(tx, revision)

        return await self._changes.make(table, "undo", person, step, entries=True)

    async def snooze(self, table: TableId, person: Person) -> Seen:
        """No more notices for this person's present turn. What they see then. Raises NotSeated, and what else
        `tap` raises of a turn that is not theirs."""
        tx = await self._looking(table, person)
        seat = play.open_choice_of(tx, None)
        draft = await self._store.draft(table, seat)
        await self._store.mark_snoozed(table, person.id, seat.since)
        found = tx.table
        tx.set_seat(seat.index, snoozed=seat.since)
        seen = Seen(tx.table, tx.table.seats[seat.index], tx.position.view(seat.index), draft)
        return replace(seen, recap=await self._recap(found, tx.state, seat))

    async def hintable(self, table: TableId, person: Person, revision: int | None) -> Seen:
        """What somebody sees who asks for a hint on their open choice. Raises as `tap`, and NoHints."""
        tx = await self._looking(table, person)
        seat = play.hintable(tx, revision)
        return Seen(tx.table, seat, tx.position.view(seat.index))

    async def hinted(self, table: TableId, person: Person, since: int, position: str) -> None:
        """A hint is about to be told: it counts, unless it was told before. since: of the choice that it is
        about. position: see `play.was_hinted`. Raises Stale where another choice is open by now, and as
        `hintable`."""
        await self._line.whole(self._hinting(table, person, since, position))

    async def _hinting(self, table: TableId, person: Person, since: int, position: str) -> None:
        async with self._line.at(table):
            tx = await self._looking(table, person, locked=True)
            seat = play.hintable(tx, since)
            if not play.was_hinted(seat, position):
                after = play.hinted(seat, position)
                await self._store.mark_hinted(table, person.id, seat.hinted, after)

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
        return await self._changes.make(table, "vote", person, step, entries=past)

    async def end(self, table: TableId, person: Person) -> Change:
        """The host, one who manages the table's server, or one whose role there may end tables, ends the
        table at once, whatever its status. Raises NotFound, Ended, NotAllowed."""
        # Roles count where they are acted with alone (`Person.may_at`), so no other server's settings matter.
        enders = () if person.guild is None else (await self._store.guild(person.guild)).enders

        def step(tx: Transaction) -> None:
            tx.need_open()
            if person.id == tx.table.host:
                play.end(tx, Ending.HOST)
            elif person.may_at(tx.table.place.guild, enders):
                play.end(tx, Ending.ADMIN)
            else:
                raise NotAllowed(tx.table)

        return await self._changes.make(table, "end", person, step)

    async def end_by_admin(self, table: TableId) -> Change:
        """End without asking who (the operator; tables set aside). Raises NotFound, Ended."""
        return await self._changes.make(table, "end", None, lambda tx: play.end(tx, Ending.ADMIN))

    async def take_seat(
        self, table: TableId, person: Person, seat: int, *, as_of: int | None = None
    ) -> Change:
        """Somebody new takes an open seat of a running game. as_of: the revision of the click, None for the
        seat as it is. Raises NoSuchSeat, AlreadySeated, KnowsHands, InSecret, Stale."""
        return await self._changes.make(
            table, "take_seat", person, lambda tx: play.take_seat(tx, seat, as_of), entries=True
        )

    async def left_guild(self, guild: int, user: UserId) -> list[Change]:
        """A member left the server: they leave every lobby there, and resign every running game."""

        def step(tx: Transaction) -> None:
            if tx.table.status is Status.LOBBY:
                lobby.leave(tx)
            else:
                tx.kind = "resign"
                play.resign(tx)

        done: list[Change] = []
        for found in await self._store.tables_of(user):
            if found.place.guild != guild:
                continue
            seat = found.seat_of(user)
            try:
                gone = Person(user, seat.name if seat else "")
                done.append(await self._changes.make(found.id, "leave", gone, step))
            except Refusal as refusal:
                log.info("nobody to leave at table %s: %s", found.id, refusal.code)
        return done

    # the clock and automatic seats (their runners call these)

    async def tick(self, table: TableId) -> Change | None:
        """Do what the clock asks of this table now: lobby expiry, reminders, time-outs, lapsed votes. None if
        nothing was due after all."""
        try:
            return await self._changes.make(table, "tick", None, time_up.tick)
        except time_up.NothingDue:
            return None

    async def automatic_move(self, table: TableId, seat: int, move: str, revision: int) -> Change:
        """A move decided for a seat that no human plays, for the position at `revision`. Raises Stale."""
        return await self._changes.make(
            table, "move", None, lambda tx: play.automatic(tx, seat, move, revision)
        )

    # reading

    async def table(self, table: TableId) -> Table:
        """Raises NotFound."""
        return (await stored_table(self._store, table)).table

    async def find(self, table: TableId) -> Table | None:
        """The same, None where there is no such table."""
        try:
            return await self.table(table)
        except NotFound:
            return None

    async def load(self, table: TableId) -> Loaded:
        """Table, position and record so far. Raises NotFound, Busy. A table that cannot be loaded has state
        None and is set aside."""
        stored, entries = await stored_whole(self._store, table)
        found, state = await self._loading.position(stored)
        return Loaded(found, state.clone() if state else None, tuple(record_events(entries)))

    async def view(self, table: TableId, user: UserId | None, *, recap: bool = False) -> Seen:
        """What `user` (None: a spectator) may see. recap: with what happened lately, for which the entries
        are needed. Raises NotFound."""
        found, state = await self._loading.position(await stored_table(self._store, table))
        seat = found.seat_of(user) if user is not None else None
        if state is None:
            return Seen(found, seat, None)
        draft = await self._store.draft(table, seat) if seat is not None and seat.since else ""
        index = seat.index if seat is not None else None
        lately = await self._recap(found, state, seat) if recap else None
        return Seen(found, seat, view_of(found, state, index), draft, lately)

    async def history(self, table: TableId, user: UserId | None) -> list[HistoryLine]:
        """Every change in order, events as `user` may know them. Raises NotFound, Busy."""
        stored, entries = await stored_whole(self._store, table)
        found, state = await self._loading.position(stored)
        seat = found.seat_of(user) if user is not None else None
        if state is None:
            return history.lines(found, entries, (), {}, {})
        index = seat.index if seat is not None else None
        shown = history.known_events(found, state, entries, index)
        view = state.view(index)
        forced, fuller = history.forced_by(found, view, shown), history.fuller_by(found, view, shown)
        return history.lines(found, entries, shown, forced, fuller)

    async def record(self, table: TableId) -> str:
        """The `parlour/1` record. Raises NotFound, Running before the end, NotStarted for one that never
        began."""
        stored = await stored_table(self._store, table)
        found = stored.table
        if found.status is not Status.ENDED:
            raise Running(found)
        if found.damaged:
            raise Aside(found)
        events = record_events(await self._store.entries(table))
        if not events:
            raise NotStarted(found)
        return history.write_record(found, events)

    async def decided_by(self, table: TableId, user: UserId) -> tuple[Table, list[Event], list[int]]:
        """An ended table, the record's events, and the places of those that this person decided themselves.
        Raises NotFound, NotOver, NeverSat."""
        found = await self.table(table)
        if found.status is not Status.ENDED:
            raise NotOver(found)
        entries = await self._store.entries(table)
        if found.seat_of(user) is None and not sat(entries, user):
            raise NeverSat(found)
        return found, record_events(entries), decided(entries, user)

    async def sat_at(self, table: TableId, user: UserId) -> bool:
        """Whether this person sits or ever sat at the table, in its lobby or later. Raises NotFound."""
        found = await self.table(table)
        return found.seat_of(user) is not None or sat(await self._store.entries(table), user)

    async def came_back(self, table: TableId, user: UserId) -> bool:
        """Whether this person ever took a seat of the game after they had sat at the table before."""
        entries = await self._store.entries(table)
        return any(
            entry.kind == "take_seat" and entry.user == user and sat(entries[:place], user)
            for place, entry in enumerate(entries)
        )

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

    async def oldest(self) -> datetime | None:
        """When the first table that there is was opened."""
        return await self._store.oldest()

    async def ended_at(self, guild: int, channel: int, limit: int = 25) -> list[Table]:
        """Ended tables of a channel or thread, the newest first."""
        return await self._store.ended_at(guild, channel, limit)

    async def automatic_due(self, limit: int = 100, after: TableId = "") -> list[TableId]:
        """Tables where a seat that no human plays is to act; the page behind that one."""
        return await self._store.automatic_due(limit, after)

    # settings

    async def user(self, user: UserId) -> UserSettings:
        """What is stored of a user; defaults where nothing is."""
        return await self._store.user(user)

    async def has_finished(self, user: UserId, game: str) -> bool:
        """Whether this person has played a game of this kind to its end."""
        return await self._store.has_finished(user, game)

    async def set_user(self, user: UserId, /, **fields: object) -> UserSettings:
        """Change fields of `UserSettings`. Raises ValueError for an unknown field or value."""
        return await self._store.set_user(user, checked_user(fields))

    async def seen_locale(self, user: UserId, locale: str | None) -> None:
        """Remember the last locale seen; writes only when it differs."""
        if locale and (await self._store.user(user)).locale != locale:
            await self._store.set_user(user, {"locale": locale[:16]})

    async def lesson(self, user: UserId, game: str) -> Progress | None:
        """Where this person stands in a game's lesson; None where they have not begun it."""
        return await self._store.lesson(user, game)

    async def set_lesson(self, user: UserId, game: str, before: Progress, after: Progress) -> bool:
        """They go from one place of it to another. False where they do not stand there any more, and nothing
        is changed. Who has not begun stands at the beginning."""
        return await self._store.set_lesson(user, game, before, after)

    async def guild(self, guild: int) -> GuildSettings:
        """What is stored of a guild; defaults where nothing is."""
        return await self._store.guild(guild)

    async def set_guild(self, guild: int, /, **fields: object) -> GuildSettings:
        """Change fields of `GuildSettings`. Raises ValueError, BadClock."""
        return await self._store.set_guild(guild, checked_guild(fields))
