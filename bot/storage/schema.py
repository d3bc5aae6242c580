"""The tables of the database, as SQLAlchemy knows them. Migrations make them; a test holds the two together.

Times are whole microseconds since 1970 in UTC, structured values are JSON texts: both mean the same on SQLite
and PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    case,
    true,
)
from sqlalchemy.engine import Dialect

from bot.tables.model import SHARD_BITS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Time(TypeDecorator[datetime]):
    """An aware time, kept as microseconds since 1970."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else (value - EPOCH) // MICROSECOND

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """What is no time comes as it is: one bad row must not hide those read together with it."""
        return as_moment(value)


class Flag(TypeDecorator[bool]):
    """Yes or no; what is neither comes as it is."""

    impl = Boolean
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> None:
        return None


def as_moment(value: Any) -> Any:
    """A stored number as a time, anything else as it is."""
    try:
        return EPOCH + value * MICROSECOND if type(value) is int else value
    except OverflowError:
        return value


metadata = MetaData()

tables = Table(
    "tables",
    metadata,
    Column("id", Text, primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("ending", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("rules_version", Integer, nullable=False),
    Column("options", Text, nullable=False),
    Column("people", Integer, nullable=False),
    Column("host", BigInteger, nullable=False),
    Column("seed", Text, nullable=False),
    Column("clock_seconds", Integer),
    Column("clock_timeout", Text, nullable=False),
    Column("created", Time, nullable=False),
    Column("changed", Time, nullable=False),
    Column("deadline", Time),
    Column("paused", Time),
    Column("phase", Text, nullable=False),
    Column("outcome", Text),
    Column("events", Integer, nullable=False),
    Column("undoable", Integer),
    Column("rematch", Text),
    Column("state", Text),  # the cached position; its schema number is inside
    Column("wake", Time),  # when the scheduler must look
    Column("machine", Flag, nullable=False),  # a seat that no human plays is to act
    Column("hints", Flag),  # whether players may have them
    Column("by_invitation", Flag),
    Column("invited", Text),  # who may sit down and has not yet
    # marks
    Column("guild", BigInteger, nullable=False),
    Column("channel", BigInteger, nullable=False),
    Column("thread", BigInteger),
    Column("lobby_message", BigInteger),
    Column("table_message", BigInteger),
    Column("notice_message", BigInteger),
    Column("final_message", BigInteger),
    Column("invitation_message", BigInteger),
    Column("told", Integer),  # invitations up to this revision
    Column("code", Text),  # of a table in direct messages alone
    Column("painted", Integer, nullable=False),
    Column("parked", Time),  # no painting before
)
Index("tables_wake", tables.c.wake)
Index("tables_machine", tables.c.machine, tables.c.changed)
Index("tables_code", tables.c.code, unique=True)
Index("tables_guild", tables.c.guild, tables.c.status)
Index(
    "tables_unpainted",
    tables.c.changed,
    sqlite_where=tables.c.painted < tables.c.revision,
    postgresql_where=tables.c.painted < tables.c.revision,
)

seats = Table(
    "seats",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("user_id", BigInteger),
    Column("name", Text, nullable=False),
    Column("since", Integer, nullable=False),
    Column("due", Integer, nullable=False),
    Column("due_at", Time),
    Column("opened", Time),
    Column("deadline", Time),
    Column("reminded", Integer, nullable=False),
    # marks
    Column("notified", Integer, nullable=False),
    Column("held", Time),  # no notice before
    Column("snoozed", Integer, nullable=False),
    Column("hand_channel", BigInteger),
    Column("hand_message", BigInteger),
    Column("level", Text),  # of a computer player
    Column("agreed", Flag),  # to hints
    Column("hints", Integer),  # had
    Column("hinted", Text),  # on which choices, in which positions
)
Index("seats_user", seats.c.user_id)
Index(
    "seats_to_act",
    seats.c.table_id,
    sqlite_where=seats.c.since > 0,
    postgresql_where=seats.c.since > 0,
)
Index(
    "seats_owed",  # who has a notice to get
    seats.c.table_id,
    sqlite_where=seats.c.due > seats.c.notified,
    postgresql_where=seats.c.due > seats.c.notified,
)

events = Table(
    "events",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("at", Time, nullable=False),
    Column("user_id", BigInteger),
    Column("seat", Integer),
    Column("payload", Text, nullable=False),  # {"events": [...], "data": {...}}
    Column("void", Flag, nullable=False),
    UniqueConstraint("table_id", "revision", name="events_revision"),
)

drafts = Table(
    "drafts",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("since", Integer, nullable=False),
    Column("text", Text, nullable=False),
)

votes = Table(
    "votes",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),  # -1: about nobody
    Column("by_user", BigInteger, nullable=False),
    Column("opened", Integer, nullable=False),
    Column("until", Time, nullable=False),
    Column("needed", Integer, nullable=False),
    Column("yes", Text, nullable=False),
    Column("no", Text, nullable=False),
    Column("voters", Text, nullable=False),
)

declines = Table(  # of invitations: the host alone reads them, so they are no part of a table
    "declines",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("invited", Integer, nullable=False),  # the revision of the invitation
)

users = Table(
    "users",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("locale", Text),
    Column("language", Text),
    Column("notices", Text, nullable=False),
    Column("text_board", Flag, nullable=False),
    Column("quick", Flag, nullable=False),
    Column("dm_closed", Flag, nullable=False),
    Column("dm_channel", BigInteger),
    Column("theme", Text, nullable=False),
    Column("dismissed", Text, nullable=False),
    Column("rhythm", Text, nullable=False),
    Column("digest_hour", Integer, nullable=False),
    Column("quiet_from", Integer, nullable=False),
    Column("quiet_to", Integer, nullable=False),
    Column("timezone", Text, nullable=False),
)

letters = Table(  # the notice by direct message that each person has, and how they answer notices
    "letters",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("channel", BigInteger),
    Column("message", BigInteger),
    Column("tables", Text, nullable=False),
    Column("unanswered", Integer, nullable=False),
    Column("later", Time),
)

lessons = Table(  # where people stand in them
    "lessons",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", Text, primary_key=True),
    Column("place", Integer, nullable=False),  # of the step, from 0; as many as there are: through
    Column("draft", Text, nullable=False),  # of who is through: the table that was opened at the end
)

posts = Table(  # messages that are not settled: meant but not known yet, or known and to go
    "posts",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("purpose", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("user_id", BigInteger, nullable=False),  # 0: public, or a person no longer known
    Column("due", Integer, nullable=False),
    Column("channel", BigInteger, nullable=False),
    Column("message", BigInteger),  # none: not known yet; else it has to go
    Column("answered", Flag, nullable=False),
    Column("made", Time, nullable=False),
    Column("again", Time, nullable=False),  # to be looked at from then on
)
Index("posts_again", posts.c.again)

guilds = Table(
    "guilds",
    metadata,
    Column("guild", BigInteger, primary_key=True, autoincrement=False),
    Column("language", Text),
    Column("channels", Text, nullable=False),
    Column("openers", Text, nullable=False),
    Column("enders", Text, nullable=False),
    Column("most_tables", Integer, nullable=False),
    Column("clock_seconds", Integer),
    Column("clock_timeout", Text, nullable=False),
    Column("threads", Flag, nullable=False),
    Column("theme", Text, nullable=False),
)

keepers = Table(  # which process acts for a table (clock, computers, notices, painting), and until when
    "keepers",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("owner", Text, nullable=False),
    Column("until", Time, nullable=False),
)

alive = Table(  # until when each of Discord's shards was served for certain
    "alive",
    metadata,
    Column("shard", Integer, primary_key=True, autoincrement=False),
    Column("at", Time, nullable=False),
)

VOLATILE = frozenset(
    {"keepers", "alive"}
)  # of the processes that run, not of the tables: never moved or kept


def at_shards(shards: Sequence[int], count: int) -> ColumnElement[bool]:
    """Tables that are at home on one of these of Discord's shards, see `bot.tables.model.shard_of`."""
    if count == 1:
        return true()
    server = tables.c.guild
    return case((server > 0, server // 2**SHARD_BITS % count), else_=0).in_(shards)
