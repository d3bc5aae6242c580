"""From rows to values. Every row is read by itself, and every value in it is looked at before it is believed:
SQLite keeps a text in a column for numbers, if it is told to.

A table of which something cannot be read, or does not fit the rest (`misfits`), comes back damaged, with what
could be read: it stands aside, can be ended, and blocks nobody. Of settings that cannot be read the defaults
are taken, and until when a notice is held back is forgotten.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from math import isfinite
from typing import Any, TypeVar

from bot.levels import Level
from bot.rules.game import Event, Outcome
from bot.rules.registry import GAME_IDS
from bot.tables.deadlines import LEAST_CLOCK, MOST_CLOCK
from bot.tables.fitting import misfits
from bot.tables.model import (
    NOTICES,
    RHYTHMS,
    THEMES,
    ClockRule,
    Ending,
    Entry,
    GuildSettings,
    Invitation,
    Letter,
    Place,
    Post,
    Progress,
    Seat,
    SeatKind,
    Status,
    Table,
    UserSettings,
    Vote,
    VoteKind,
)
from bot.tables.names import NAME_LENGTH

from .schema import EPOCH, as_moment

log = logging.getLogger(__name__)

Row = Mapping[Any, Any]
Kind = TypeVar("Kind", bound=StrEnum)
Value = TypeVar("Value")
MOST = 2**31 - 1  # what a counter may be
MOST_TEXT = 1000  # characters of a name, a word or a seed
MOST_LISTED = 100_000  # characters of a list of tables
LATEST = datetime(2200, 1, 1, tzinfo=UTC)  # beyond it, and before 1970, no time of a table lies
TIMEOUTS = ("stand_in", "vote")
OPTIONAL_PLACE = (
    "thread",
    "lobby_message",
    "invitation_message",
    "table_message",
    "notice_message",
    "final_message",
)
POST_KINDS = ("lobby", "invitation", "table", "notice", "final", "hand", "letter")
BROKEN = (ValueError, TypeError, KeyError, IndexError, AttributeError, StopIteration, RecursionError)


class Cells:
    """A row's values, each with what is taken instead where it is not what its column holds. faults: the
    columns of which that is so."""

    def __init__(self, row: Row) -> None:
        self._row = row
        self.faults: list[str] = []

    def _fault(self, column: str, instead: Value) -> Value:
        self.faults.append(column)
        return instead

    def number(self, column: str, instead: int = 0, least: int = -(2**63), most: int = 2**63) -> int:
        value = self._row[column]
        if type(value) is int and least <= value <= most:
            return value
        return self._fault(column, instead)

    def _or_none(self, column: str, read: Callable[[str], Value]) -> Value | None:
        """What `read` finds there; None for what is empty or cannot be read."""
        if self._row[column] is None:
            return None
        known = len(self.faults)
        found = read(column)
        return found if len(self.faults) == known else None

    def number_or_none(self, column: str, least: int = -(2**63), most: int = 2**63) -> int | None:
        return self._or_none(column, lambda name: self.number(name, least=least, most=most))

    def flag(self, column: str, instead: bool = False) -> bool:
        value = self._row[column]
        if value in (0, 1) and isinstance(value, int):
            return bool(value)
        return self._fault(column, instead)

    def flag_or_none(self, column: str) -> bool | None:
        return self._or_none(column, self.flag)

    def text(
        self, column: str, instead: str = "", among: Sequence[str] | None = None, most: int = MOST_TEXT
    ) -> str:
        value = self._row[column]
        if isinstance(value, str) and len(value) <= most and (among is None or value in among):
            return value
        return self._fault(column, instead)

    def text_or_none(self, column: str) -> str | None:
        return self._or_none(column, self.text)

    def kind(self, column: str, kinds: type[Kind], instead: Kind) -> Kind:
        return kinds(self.text(column, instead.value, [one.value for one in kinds]))

    def kind_or_none(self, column: str, kinds: type[Kind]) -> Kind | None:
        return self._or_none(column, lambda name: self.kind(name, kinds, next(iter(kinds))))

    def moment(self, column: str) -> datetime:
        value = as_moment(self._row[column])
        return (
            value if isinstance(value, datetime) and EPOCH <= value < LATEST else self._fault(column, EPOCH)
        )

    def moment_or_none(self, column: str) -> datetime | None:
        return self._or_none(column, self.moment)

    def passing_moment(self, column: str) -> datetime | None:
        """One that may be forgotten: where it cannot be read there is none, and that is no fault."""
        known = len(self.faults)
        found = self.moment_or_none(column)
        if len(self.faults) > known:
            del self.faults[known:]
            log.warning("table %s: %s cannot be read and counts as none", self._row["table_id"], column)
        return found

    def object(self, column: str) -> dict[str, Any]:
        """A JSON object."""
        try:
            data = json.loads(self._row[column])
        except BROKEN:
            data = None
        return data if isinstance(data, dict) else self._fault(column, {})

    def numbers(self, column: str) -> tuple[int, ...]:
        """A JSON list of numbers."""
        try:
            data = json.loads(self._row[column])
        except BROKEN:
            data = None
        if isinstance(data, list) and all(type(one) is int for one in data):
            return tuple(data)
        return self._fault(column, ())


def table(row: Row, seat_rows: Sequence[Row], vote_rows: Sequence[Row]) -> tuple[Table, list[str]]:
    """A table from its rows, and the columns that could not be read: none, or it is marked as damaged."""
    cells = Cells(row)
    status = cells.kind("status", Status, Status.ASIDE)
    over = status is Status.ENDED
    seats = _seats(cells, seat_rows)
    votes = [_vote(cells, vote) for vote in vote_rows]
    for column in ("wake", "parked"):
        cells.moment_or_none(column)
    cells.flag("machine")
    revision = _revision(cells, row)
    game = cells.text("game")
    if game not in GAME_IDS:
        cells.faults.append("game")
    code = cells.text_or_none("code")
    found = Table(
        id=row["id"],
        revision=revision,
        status=status,
        game=game,
        rules_version=cells.number("rules_version"),
        options=cells.object("options"),
        host=cells.number("host"),
        place=Place(
            guild=cells.number("guild", most=0, least=0) if code else cells.number("guild", least=1),
            channel=cells.number("channel", least=1),
            **{name: cells.number_or_none(name, least=1) for name in OPTIONAL_PLACE},
            code=code,
        ),
        seats=seats,
        seed=cells.text("seed"),
        clock=_clock(cells),
        created=cells.moment("created"),
        changed=cells.moment("changed"),
        deadline=cells.moment_or_none("deadline"),
        painted=cells.number("painted", least=0, most=revision),
        outcome=_outcome(cells, row["outcome"], len(seats)),
        ending=cells.text("ending", Ending.ADMIN.value if over else "", [*Ending] if over else ["", *Ending]),
        people=cells.number("people", len(seats), least=0),
        events=cells.number("events", least=0, most=MOST),
        votes=tuple(vote for vote in votes if vote is not None),
        paused=cells.moment_or_none("paused"),
        rematch=cells.text_or_none("rematch"),
        undoable=cells.number_or_none("undoable", least=0),
        phase=cells.text("phase"),
        hints=bool(cells.flag_or_none("hints")),
        by_invitation=bool(cells.flag_or_none("by_invitation")),
        invited=_invited(cells, row["invited"], revision),
        told=cells.number_or_none("told", least=0, most=revision) or 0,
    )
    faults = cells.faults or misfits(found)
    if not faults:
        return found, []
    host = found.host
    if "host" in faults:  # somebody who sits there can end it
        host = next((seat.user for seat in found.humans if seat.user is not None), 0)
    left = Status.ENDED if over else Status.ASIDE
    return replace(found, status=left, host=host, votes=(), damaged=True), faults


def _revision(cells: Cells, row: Row) -> int:
    """The table's, or where it cannot be, that of its newest entry."""
    found = cells.number("revision", least=1, most=MOST)
    if "newest" not in row or row["newest"] == found:
        return found
    newest = Cells(row).number("newest", least=1, most=MOST)
    if "revision" not in cells.faults:
        cells.faults.append("revision")
    return max(found, newest)


def _clock(cells: Cells) -> ClockRule:
    return ClockRule(
        cells.number_or_none("clock_seconds", LEAST_CLOCK, MOST_CLOCK),
        cells.text("clock_timeout", "stand_in", TIMEOUTS),
    )


def _seats(whole: Cells, rows: Sequence[Row]) -> tuple[Seat, ...]:
    """The chairs in order. One without a number of its own gets a free one: a hand may lie there that has to
    be taken back."""
    seats: list[Seat] = []
    for row in rows:
        cells = Cells(row)
        user = cells.number_or_none("user_id", least=1)
        kind = cells.kind("kind", SeatKind, SeatKind.OPEN)
        if kind is SeatKind.HUMAN and user is None:
            kind = SeatKind.OPEN
            cells.faults.append("user_id")
        seats.append(
            Seat(
                index=cells.number("seat", -1, least=0),
                kind=kind,
                user=user,
                name=cells.text("name", most=NAME_LENGTH),
                since=cells.number("since", least=0),
                due=cells.number("due", least=0),
                due_at=cells.moment_or_none("due_at"),
                notified=cells.number("notified", least=0),
                held=cells.passing_moment("held"),
                snoozed=cells.number("snoozed", least=0),
                opened=cells.moment_or_none("opened"),
                deadline=cells.moment_or_none("deadline"),
                reminded=cells.number("reminded", least=0),
                hand_channel=cells.number_or_none("hand_channel", least=1),
                hand_message=cells.number_or_none("hand_message", least=1),
                level=cells.kind_or_none("level", Level) or Level.MEDIUM,
                agreed=bool(cells.flag_or_none("agreed")),
                hints=cells.number_or_none("hints", least=0, most=MOST) or 0,
                hinted=cells.text_or_none("hinted") or "",
            )
        )
        whole.faults += [f"seats.{column}" for column in cells.faults]
    if [seat.index for seat in seats] != list(range(len(seats))):
        whole.faults.append("seats.seat")
        seats = [replace(seat, index=place) for place, seat in enumerate(seats)]
    return tuple(seats)


def _vote(whole: Cells, row: Row) -> Vote | None:
    cells = Cells(row)
    seat = cells.number("seat", least=-1, most=MOST)
    found = Vote(
        kind=cells.kind("kind", VoteKind, VoteKind.END),
        seat=None if seat < 0 else seat,
        by=cells.number("by_user"),
        opened=cells.number("opened"),
        until=cells.moment("until"),
        yes=cells.numbers("yes"),
        no=cells.numbers("no"),
        needed=cells.number("needed"),
        voters=cells.numbers("voters"),
    )
    whole.faults += [f"votes.{column}" for column in cells.faults]
    return None if cells.faults else found


def _invited(cells: Cells, written: Any, newest: int) -> tuple[Invitation, ...]:
    """newest: the table's revision."""
    if written is None:
        return ()
    try:
        found = tuple(Invitation(user, name, revision) for user, name, revision in json.loads(written))
        if all(
            type(one.user) is int
            and one.user > 0
            and type(one.revision) is int
            and 0 < one.revision <= newest
            and isinstance(one.name, str)
            and len(one.name) <= NAME_LENGTH
            for one in found
        ) and len({one.user for one in found}) == len(found):
            return found
    except BROKEN:
        pass  # told with the other faults
    cells.faults.append("invited")
    return ()


def _outcome(cells: Cells, written: Any, seats: int) -> Outcome | None:
    if written is None:
        return None
    try:
        data = json.loads(written)
        scores, winners, reason = data["scores"], data["winners"], data["reason"]
        numbers = all(type(one) in (int, float) and isfinite(one) for one in scores)
        seated = all(type(winner) is int and winner in range(seats) for winner in winners)
        if numbers and isinstance(reason, str) and seated:
            return Outcome(tuple(scores), tuple(winners), reason)
    except BROKEN:
        pass  # told with the other faults
    cells.faults.append("outcome")
    return None


def entry(row: Row) -> Entry:
    """One that cannot be read holds one event that no game accepts, so that no position is made from it."""
    cells = Cells(row)
    try:
        payload = cells.object("payload")
        events = tuple(_event(one) for one in payload.get("events", []))
        data = payload.get("data", {})
        if not isinstance(data, dict):
            raise TypeError("data")
    except BROKEN:
        cells.faults.append("payload")
        events, data = (), {}
    found = Entry(
        revision=cells.number("revision", least=1, most=MOST),
        kind=cells.text("kind"),
        at=cells.moment("at"),
        user=cells.number_or_none("user_id"),
        seat=cells.number_or_none("seat", least=0),
        events=events,
        data=data,
        void=cells.flag("void"),
    )
    if cells.faults:
        log.error("table %s: entry %s is damaged: %s", row["table_id"], found.revision, cells.faults)
        return replace(found, events=(Event("chance", "damaged"),), void=False)
    return found


def _event(data: Row) -> Event:
    kind = next(name for name in ("move", "chance") if name in data)
    text, player = data[kind], data.get("player")
    if not isinstance(text, str) or not (player is None or type(player) is int):
        raise TypeError("event")
    return Event("move" if kind == "move" else "chance", text, player)


def post(row: Row) -> Post | None:
    """None for one that cannot be read."""
    cells = Cells(row)
    found = Post(
        table=row["table_id"],
        purpose=cells.text("purpose"),
        kind=cells.text("kind", among=POST_KINDS),
        user=cells.number("user_id"),
        channel=cells.number("channel"),
        made=cells.moment("made"),
        again=cells.moment("again"),
        message=cells.number_or_none("message"),
        due=cells.number("due"),
        answered=cells.flag("answered"),
    )
    if cells.faults:
        log.error("table %s: an unsettled message cannot be read: %s", found.table, cells.faults)
        return None
    return found


def user(row: Row) -> UserSettings:
    cells = Cells(row)
    found = UserSettings(
        user=row["user_id"],
        locale=cells.text_or_none("locale"),
        language=cells.text_or_none("language"),
        notices=cells.text("notices", "channel", NOTICES),
        text_board=cells.flag("text_board"),
        quick=cells.flag("quick"),
        dm_closed=cells.flag("dm_closed"),
        dm_channel=cells.number_or_none("dm_channel"),
        theme=cells.text("theme", THEMES[0], THEMES),
        dismissed=tuple(cells.text("dismissed").split()),
        rhythm=cells.text("rhythm", "at_once", RHYTHMS),
        digest_hour=cells.number("digest_hour", 18, least=0, most=23),
        quiet_from=cells.number("quiet_from", least=0, most=23),
        quiet_to=cells.number("quiet_to", least=0, most=23),
        timezone=cells.text("timezone"),
    )
    if cells.faults:
        log.warning("settings of user %s cannot be read and are as at first: %s", found.user, cells.faults)
    return found


def letter(row: Row) -> Letter:
    cells = Cells(row)
    found = Letter(
        user=row["user_id"],
        channel=cells.number_or_none("channel", least=1),
        message=cells.number_or_none("message", least=1),
        tables=tuple(cells.text("tables", most=MOST_LISTED).split()),
        unanswered=cells.number("unanswered", least=0, most=MOST),
        later=cells.moment_or_none("later"),
    )
    if cells.faults:
        log.warning("the letter of user %s cannot be read in whole: %s", found.user, cells.faults)
    return found


def progress(row: Row) -> Progress:
    cells = Cells(row)
    found = Progress(cells.number("place", least=0, most=MOST), cells.text("draft"))
    if cells.faults:
        log.warning("a lesson of user %s cannot be read in whole: %s", row["user_id"], cells.faults)
    return found


def guild(row: Row) -> GuildSettings:
    cells = Cells(row)
    usual = GuildSettings(row["guild"])
    found = GuildSettings(
        guild=row["guild"],
        language=cells.text_or_none("language"),
        channels=cells.numbers("channels"),
        openers=cells.numbers("openers"),
        enders=cells.numbers("enders"),
        most_tables=cells.number("most_tables", usual.most_tables, least=1),
        clock=_clock(cells),
        threads=cells.flag("threads", usual.threads),
        theme=cells.text("theme", usual.theme, THEMES),
    )
    if cells.faults:
        log.warning("settings of server %s cannot be read and are as at first: %s", found.guild, cells.faults)
    return found
