"""Rows that are not what they should be: every column of every table, with everything that SQLite lets into
it. The others never notice; the bad one stands aside or goes on, and can always be ended."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import fields
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.rules.errors import RulesError
from bot.storage import reading, schema
from bot.tables import scheduler
from bot.tables.deadlines import time_left
from bot.tables.model import ClockRule, Place, Status, VoteKind
from bot.tables.ports import Refusal
from bot.tables.taps import Chosen
from tests.sweeps import swept
from tests.tables.support import ADA, BEN, CLEO, DAN, PLACE, Rig, all_owed, behind_its_back, open_rig, typed

pytestmark = pytest.mark.sqlite  # PostgreSQL lets none of it in

EVERYDAY = 2  # of many kinds; the others are long


KINDS = {
    "a text": "'soon'",
    "bytes": "x'00ff'",
    "the largest number": "9223372036854775807",
    "a negative number": "-7",
    "a fraction": "1.5",
    "nothing": "''",
    "half an object": "'{'",
    "a list": "'[1, \"two\"]'",
    "no text": "CAST(x'ff61' AS TEXT)",
}
KEYS = {"id", "table_id"}
COLUMNS = [
    (table.name, column.name)
    for table in schema.metadata.sorted_tables
    for column in table.columns
    if table.name in {"tables", "seats", "events", "votes", "drafts"} and column.name not in KEYS
]
SETTINGS = [
    (table.name, column.name)
    for table in (schema.users, schema.guilds)
    for column in table.columns
    if not column.primary_key
]
FORGOTTEN = ("seats", "held")  # where it cannot be read it counts as none
NUMBERS = {
    (table.name, column.name)
    for table in (schema.tables, schema.seats, schema.votes)
    for column in table.columns
    if not isinstance(column.type, schema.Text) and column.name not in KEYS  # type: ignore[attr-defined]
} - {FORGOTTEN}
PLACES = [field.name for field in fields(Place)]
MANY = [(where, kind) for where in COLUMNS for kind in ("a text", "bytes", "the largest number", "nothing")]
SOME = [
    (("tables", "changed"), "a text"),
    (("tables", "wake"), "the largest number"),
    (("tables", "status"), "bytes"),
    (("tables", "revision"), "a text"),
    (("seats", "user_id"), "a text"),
    (("seats", "hand_message"), "bytes"),
    (("votes", "until"), "a text"),
    (("events", "payload"), "half an object"),
]


def tables_with(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    wanted = {"table_id", "id"}
    found = []
    for name in names:
        columns = {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}
        found += [(name, key) for key in columns & wanted]
    return found


@contextmanager
def kept(path: Path, table: str) -> Iterator[sqlite3.Connection]:
    """What happens to the rows of this table in between is undone."""
    with closing(sqlite3.connect(path)) as connection:
        rows = {
            (name, key): connection.execute(f"SELECT * FROM {name} WHERE {key} = ?", [table]).fetchall()
            for name, key in tables_with(connection)
        }
        yield connection
        for (name, key), before in rows.items():
            connection.execute(f"DELETE FROM {name} WHERE {key} = ?", [table])
            for row in before:
                connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
        connection.commit()


async def filled(rig: Rig) -> tuple[str, str, str]:
    """Two tables of Ada's that may go bad, one running and one a lobby, and one with Cleo that stays good."""
    bad = await rig.started(ADA, BEN, DAN, clock=ClockRule(7200), computers=1)
    await rig.tables.vote(bad.id, ADA, VoteKind.PAUSE)
    good = await rig.started(ADA, CLEO, clock=ClockRule(60, "vote"))
    waiting = await rig.tables.open(ADA, PLACE, "fivetotwelve", computers=1)
    revision = (await rig.tables.table(bad.id)).revision
    await rig.tables.tap(bad.id, BEN, revision, lambda _: Chosen("a draft"))
    return bad.id, good.id, waiting.table.id


async def the_others_notice_nothing(rig: Rig, bad: str, good: str) -> None:
    assert good in {table.id for table in await rig.tables.tables_at(PLACE.guild)}
    for person in (ADA, CLEO):
        assert good in {table.id for table in await rig.tables.tables_of(person.id)}
    assert (await rig.tables.view(good, ADA.id, recap=True)).view is not None
    host = (await rig.tables.table(good)).host
    await rig.tables.pass_host(good, ADA if host == ADA.id else CLEO, CLEO.id if host == ADA.id else ADA.id)
    await rig.scheduler.run_due()
    assert isinstance(await rig.store.next_wake(rig.clock.now()), datetime | None)
    assert good in await rig.shown.unpainted()
    assert good in {owed.table.id for owed in await all_owed(rig.shown)}
    await rig.computers.run_due()
    assert isinstance(await rig.shown.ended_behind(PLACE.guild), list)
    await rig.shown.tables_showing(PLACE.guild, [PLACE.channel])
    assert await rig.tables.left_guild(PLACE.guild, 5) == []


async def the_bad_one_can_be_ended(rig: Rig, bad: str) -> bool:
    found = await rig.tables.table(bad)
    for user in (ADA.id, BEN.id, None):
        seen = await rig.tables.view(bad, user, recap=True)
        assert seen.view is None or not found.damaged
        assert isinstance(await rig.tables.history(bad, user), list)
    if found.damaged:
        assert found.status is Status.ASIDE
        for act in (
            rig.tables.join(bad, CLEO),
            rig.tables.start(bad, ADA),
            rig.tables.resign(bad, BEN),
            typed(rig.tables, bad, ADA, "draw"),
            rig.tables.vote(bad, BEN, VoteKind.END),
            rig.tables.pass_host(bad, ADA, BEN.id),
            rig.tables.tap(bad, BEN, 1, lambda _: Chosen("x")),
        ):
            with pytest.raises(Refusal):
                await act
    if found.host == ADA.id:
        ended = await rig.tables.end(bad, ADA)
    else:
        ended = await rig.tables.end_by_admin(bad)
    assert ended.table.status is Status.ENDED
    again = await rig.tables.table(bad)
    assert (again.status, again.revision) == (Status.ENDED, ended.table.revision)
    assert again.painted < again.revision
    assert bad not in {table.id for table in await rig.tables.tables_of(ADA.id)}
    assert bad not in {table.id for table in await rig.tables.tables_at(PLACE.guild)}
    for user in (ADA.id, None):
        await rig.tables.view(bad, user, recap=True)
    for after in (rig.tables.record, lambda table: rig.tables.rematch(table, ADA)):
        with contextlib.suppress(Refusal, RulesError):
            await after(bad)
    return found.damaged


async def every_row(path: Path, cases: list[tuple[tuple[str, str], str]]) -> set[tuple[str, str]]:
    """The columns of which damage was seen."""
    seen: set[tuple[str, str]] = set()
    async with open_rig(path) as first:
        bad, good, waiting = await filled(first)
        with first.store._database.engines[0].connect() as writer:  # type: ignore[attr-defined]
            driver = writer.connection.driver_connection
            driver.execute("PRAGMA synchronous = OFF")  # so many writes need not last
        for (table, column), kind in cases:
            for one in (bad, waiting)[: 2 if table == "tables" else 1]:
                rig = Rig(first.store, first.clock, seed=f"{table} {column} {kind} {one}")
                with kept(path, one) as connection:
                    key = "id" if table == "tables" else "table_id"
                    last = ""
                    if table in {"seats", "events"}:
                        last = f" AND rowid = (SELECT max(rowid) FROM {table} WHERE {key} = '{one}')"
                    try:
                        connection.execute(
                            f"UPDATE {table} SET {column} = {KINDS[kind]} WHERE {key} = ?{last}", [one]
                        )
                    except sqlite3.IntegrityError:
                        continue
                    connection.commit()
                    first.store.forget()  # type: ignore[attr-defined]
                    try:
                        await the_others_notice_nothing(rig, one, good)
                        if await the_bad_one_can_be_ended(rig, one):
                            seen.add((table, column))
                    except Exception as error:
                        error.add_note(f"{table}.{column} is {kind}, {'lobby' if one == waiting else 'game'}")
                        raise
                first.store.forget()  # type: ignore[attr-defined]
    return seen


async def test_a_bad_value_poisons_nobody_and_its_table_can_be_ended(tmp_path: Path) -> None:
    seen = await every_row(tmp_path / "parlour.db", SOME)
    assert seen == {where for where, _ in SOME} - {("events", "payload")}


@pytest.mark.long
async def test_a_bad_value_in_any_column_poisons_nobody_and_its_table_can_be_ended(tmp_path: Path) -> None:
    seen = await every_row(tmp_path / "parlour.db", MANY)
    assert NUMBERS - seen == set()


async def test_of_a_notice_held_back_until_nobody_knows_when_nothing_is_held(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        bad, _, _ = await filled(rig)
        with behind_its_back(rig.store, path) as connection:
            connection.execute("UPDATE seats SET held = 'soon' WHERE table_id = ? AND seat = 0", [bad])
        table = await rig.tables.table(bad)
        assert (table.damaged, table.status, table.seats[0].held) == (False, Status.PLAYING, None)
        assert f"table {bad}: held cannot be read" in caplog.text


async def test_every_bad_value_is_seen_and_what_can_be_read_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        bad, _, _ = await filled(rig)
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        rows = {
            table: [
                dict(row)
                for row in connection.execute(
                    f"SELECT * FROM {table} WHERE {'id' if table == 'tables' else 'table_id'} = ?", [bad]
                )
            ]
            for table in ("tables", "seats", "votes")
        }
        values = [connection.execute(f"SELECT {kind}").fetchone()[0] for kind in list(KINDS.values())[:-1]]
    assert reading.table(rows["tables"][0], rows["seats"], rows["votes"])[1] == []
    for table, column in COLUMNS:
        if table not in rows:
            continue
        for value in values:
            changed = {name: [dict(row) for row in found] for name, found in rows.items()}
            changed[table][-1][column] = value
            found, faults = reading.table(changed["tables"][0], changed["seats"], changed["votes"])
            assert found.damaged == bool(faults)
            assert found.id == bad
            assert len(found.seats) == 4
            assert [seat.user for seat in found.seats[:3]] == [ADA.id, None, BEN.id]
            if isinstance(value, bytes) or (isinstance(value, str) and (table, column) in NUMBERS):
                lost = column != "state" and (table, column) != FORGOTTEN
                if lost:
                    assert set(faults) == {column if table == "tables" else f"{table}.{column}"}, value
                assert found.place.guild == (0 if column == "guild" else PLACE.guild)
                assert found.status is (Status.ASIDE if lost else Status.PLAYING)
    for column in PLACES:
        for value in (0, -7):
            found, faults = reading.table({**rows["tables"][0], column: value}, rows["seats"], rows["votes"])
            assert faults == [column]
            assert (found.damaged, found.status) == (True, Status.ASIDE)
            assert not getattr(found.place, column)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tables SET game = 'chess' WHERE id = :id",
        "DELETE FROM seats WHERE table_id = :id",
        "DELETE FROM seats WHERE table_id = :id AND seat = 1",
        "DELETE FROM seats WHERE table_id = :id AND seat = 3",
        "UPDATE seats SET seat = seat + 1 WHERE table_id = :id AND seat = 3",
        "DELETE FROM events WHERE table_id = :id",
        "DELETE FROM events WHERE table_id = :id AND revision = (SELECT revision FROM tables WHERE id = :id)",
        "UPDATE tables SET revision = 2 WHERE id = :id",
        "UPDATE tables SET revision = 'two', wake = 'soon', seed = x'00', host = 'Ada' WHERE id = :id",
        "UPDATE tables SET status = 'playing', state = NULL WHERE id = :id",
        "UPDATE votes SET voters = '[\"Ada\"]', until = 'soon' WHERE table_id = :id",
    ],
)
async def test_what_is_missing_or_of_another_time_poisons_nobody_and_can_be_ended(
    tmp_path: Path, statement: str
) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        bad, good, waiting = await filled(rig)
        for one in (bad, waiting):
            with behind_its_back(rig.store, path) as connection:
                connection.execute(statement, {"id": one})
            fresh = Rig(rig.store, rig.clock, seed=one)
            await the_others_notice_nothing(fresh, one, good)
            await the_bad_one_can_be_ended(fresh, one)


async def test_a_table_that_has_lost_its_seats_stands_aside_before_anybody_comes(tmp_path: Path) -> None:
    """A lobby too, which is shown with the buttons of its seats."""
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        bad, _, waiting = await filled(rig)
        for one in (bad, waiting):
            with behind_its_back(rig.store, path) as connection:
                connection.execute("DELETE FROM seats WHERE table_id = ?", [one])
            table = await rig.tables.table(one)
            assert (table.damaged, table.status) == (True, Status.ASIDE)


async def test_the_clock_of_the_others_goes_on_beside_a_bad_time(tmp_path: Path) -> None:
    """SQLite sorts texts above all numbers: the earliest of nothing but a text is that text."""
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        bad, good, _ = await filled(rig)
        for value in ("'soon'", "x'00'", "-1", "9223372036854775807"):
            with behind_its_back(rig.store, path) as connection:
                connection.execute(
                    f"UPDATE tables SET wake = {value}, deadline = {value} WHERE id = ?", [bad]
                )
            assert await rig.store.next_wake(rig.clock.now()) == rig.clock.now() + timedelta(seconds=60)
        rig.clock.advance(timedelta(days=2))
        assert await rig.store.next_wake(rig.clock.now()) is None
        assert [change.table.id for change in await rig.scheduler.run_due() if change.kind == "overdue"] == [
            good
        ]


@pytest.mark.parametrize("kind", swept(KINDS, daily=EVERYDAY))
async def test_settings_that_cannot_be_read_are_as_at_first_and_can_be_set(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        for table, column in SETTINGS:
            await rig.tables.set_user(ADA.id, locale="de")
            await rig.tables.set_guild(PLACE.guild, threads=True)
            with behind_its_back(rig.store, path) as connection:
                connection.execute(f"UPDATE {table} SET {column} = {KINDS[kind]}")
            user = await rig.tables.user(ADA.id)
            assert isinstance(user.text_board, bool), column
            assert user.notices in {"channel", "dm", "none"}
            guild = await rig.tables.guild(PLACE.guild)
            assert all(isinstance(one, int) for one in (*guild.channels, *guild.openers, *guild.enders))
            assert guild.most_tables > 0
            await rig.tables.seen_locale(ADA.id, "en")
            assert (await rig.tables.set_user(ADA.id, notices="dm")).notices == "dm"
            wanted = await rig.tables.set_guild(PLACE.guild, channels=(), openers=(), most_tables=9)
            assert await rig.tables.guild(PLACE.guild) == wanted
            await rig.tables.open(BEN, PLACE, "zatre")
            with behind_its_back(rig.store, path) as connection:
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("DELETE FROM tables")
                connection.execute("DELETE FROM users")
                connection.execute("DELETE FROM guilds")


ODD = {
    "a fraction that lies in the past": "1.5",
    "a fraction that lies in the future": "1900000000000000.5",
    "a text": "'soon'",
    "bytes": "x'00ff'",
    "the largest number": "9223372036854775807",
    "the smallest number": "-9223372036854775808",
    "a negative number": "-7",
}
QUEUED = [  # what the queries over many tables compare or sort by
    *(("tables", column) for column in ("wake", "changed", "created", "painted", "revision", "machine")),
    *(("tables", column) for column in ("parked", "guild", "channel")),
    *(("seats", column) for column in ("since", "due", "notified", "snoozed")),
    *(("posts", column) for column in ("again", "made", "user_id", "due", "channel", "message")),
    *(("drafts", column) for column in ("since", "text")),
    ("votes", "opened"),
]


async def test_a_damaged_table_is_still_to_be_shown_as_such(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        bad, good, _ = await filled(rig)
        store = rig.store
        with behind_its_back(store, path) as connection:
            connection.execute("UPDATE tables SET painted = 0")
            connection.execute("UPDATE tables SET options = '[' WHERE id = ?", [bad])
        assert {bad, good} <= set(await rig.shown.unpainted())
        assert (await rig.tables.table(bad)).damaged


@pytest.mark.parametrize("kind", swept(ODD, daily=EVERYDAY))
async def test_no_queue_hands_on_what_cannot_be_read_or_is_filled_by_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        bad, good, _ = await filled(rig)
        store, clock = rig.store, rig.clock
        for message, table in enumerate((bad, good), 7):
            await rig.shown.leave_over(table, "notice", PLACE.channel, message)
        await rig.shown.intend(bad, "notice", PLACE.channel)
        await rig.play(good, CLEO)
        with behind_its_back(store, path) as connection:
            for statement in (
                "UPDATE tables SET machine = 1 WHERE id = ?",
                "UPDATE seats SET notified = 0 WHERE table_id = ?",
            ):
                connection.execute(statement, [good])
        later = clock.now() + timedelta(days=1)
        own = await store.next_wake(clock.now())
        for table, column in QUEUED:
            with kept(path, bad) as connection:
                key = "id" if table == "tables" else "table_id"
                connection.execute(f"UPDATE {table} SET {column} = {ODD[kind]} WHERE {key} = ?", [bad])
                connection.commit()
                store.forget()  # type: ignore[attr-defined]
                met = await rig.tables.table(bad)
                where = f"{table}.{column}"
                coming = await store.next_wake(clock.now())
                assert isinstance(coming, datetime), where
                assert coming == own, where
                alone = 1 if met.damaged else 200
                assert good in await store.due(later, alone), where
                assert good in await store.owed(alone, later), where
                assert good in await store.automatic_due(alone), where
                assert good in await store.unsettled(later, 200), where
                if table == "posts" and "number" not in kind:  # not one that can be read is left
                    assert bad not in await store.unsettled(later, 200), where
                assert good in await store.unpainted(clock.now(), 200), where
                for found in (
                    await store.tables_at(PLACE.guild),
                    await store.tables_of(ADA.id),
                    await store.homeless(200),
                    await store.ended_at(PLACE.guild, PLACE.channel, 25),
                ):
                    assert all(isinstance(one.changed, datetime) for one in found), where
                again = await rig.shown.intend(bad, "notice", PLACE.channel)
                assert (await rig.shown.intend(bad, "notice", PLACE.channel))[0] == again[0], where
            store.forget()  # type: ignore[attr-defined]


async def test_tables_at_which_nothing_is_due_keep_the_clock_from_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "AT_ONCE", 1)
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        bad, good, _ = await filled(rig)
        with behind_its_back(rig.store, path) as connection:
            connection.execute("UPDATE tables SET wake = 1 WHERE id = ?", [bad])
        rig.clock.advance(timedelta(seconds=61))
        assert [change.table.id for change in await rig.scheduler.run_due()] == [good]


async def test_a_draft_that_cannot_be_read_gives_way_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        table, _, _ = await filled(rig)
        with behind_its_back(rig.store, path) as connection:
            connection.execute("UPDATE drafts SET text = x'00ff' WHERE table_id = ?", [table])
        assert (await rig.tables.view(table, BEN.id)).draft == ""
        revision = (await rig.tables.table(table)).revision
        await rig.tables.tap(table, BEN, revision, lambda _: Chosen("another"))
        rig.store.forget()  # type: ignore[attr-defined]
        assert (await rig.tables.view(table, BEN.id)).draft == "another"


# Rows whose every value is of its column's kind, but not of this table. What is said to be damaged, and how.
ASKED = """INSERT INTO votes VALUES
    (:id, '{kind}', {seat}, {by}, {opened}, {until}, {needed}, '{yes}', '{no}', '{may}')"""
USUAL = {"kind": "end", "seat": -1, "by": ADA.id, "opened": 3, "until": 1900000000000000, "needed": 2}
ALL = f"[{ADA.id}, {BEN.id}, {DAN.id}]"


def asked(**fields: object) -> str:
    """Another question at the running table."""
    return ASKED.format(**USUAL | {"yes": f"[{ADA.id}]", "no": "[]", "may": ALL} | fields)


OF_A_TABLE = {  # of the running one and the lobby alike
    "options": [
        """UPDATE tables SET options = '{"nonsense": 1}' WHERE id = :id""",
        """UPDATE tables SET options = '{"first": "last"}' WHERE id = :id""",
        """UPDATE tables SET options = '{"series": 7}' WHERE id = :id""",
        """UPDATE tables SET options = '{"bruno": {"b": [1]}}' WHERE id = :id""",
        """UPDATE tables SET game = 'zatre', options = '{"bruno": true}' WHERE id = :id""",
    ],
    "people": [f"UPDATE tables SET people = {many} WHERE id = :id" for many in (0, 1, 5, 10**9)],
    "host": [f"UPDATE tables SET host = {who} WHERE id = :id" for who in (5, CLEO.id)],
    "paused": ["UPDATE tables SET paused = changed WHERE id = :id"],
    "undoable": [f"UPDATE tables SET undoable = {seat} WHERE id = :id" for seat in (4, 99)],
    "outcome": [
        """UPDATE tables SET outcome = '{"scores": [1, 2], "winners": [1], "reason": "x"}' WHERE id = :id""",
        """UPDATE tables SET outcome = '{"scores": [NaN], "winners": [0], "reason": "x"}' WHERE id = :id""",
        """UPDATE tables SET outcome = '{"scores": [], "winners": [0.0], "reason": "x"}' WHERE id = :id""",
    ],
    "created": ["UPDATE tables SET created = 253402300799999999 WHERE id = :id"],
    "invited": [
        f"UPDATE tables SET invited = '{written}' WHERE id = :id"
        for written in ('[[1, ["x"], 1]]', '[[1, "x", 99999]]', '[[0, "x", 1]]', '[[1, "x", 1], [1, "y", 1]]')
    ],
    "deadline": ["UPDATE tables SET deadline = -60000000000000000 WHERE id = :id"],
    "seats": [
        "DELETE FROM seats WHERE table_id = :id",
        "INSERT OR IGNORE INTO seats SELECT :id, value, 'computer', NULL, '', 0, 0, NULL, NULL, 0, 0, 0, "
        "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM json_each('[0, 1, 2, 3, 4]')",
    ],
    "seats.since": [
        "UPDATE seats SET since = 99 WHERE table_id = :id",
        "UPDATE tables SET status = 'aside' WHERE id = :id; UPDATE seats SET since = 1 WHERE table_id = :id",
    ],
    "seats.user_id": [
        f"UPDATE seats SET user_id = {ADA.id}, kind = 'human', name = 'Ada' WHERE table_id = :id",
        "UPDATE seats SET user_id = 5 WHERE table_id = :id AND kind = 'computer'",
        "UPDATE seats SET user_id = 0 WHERE table_id = :id AND kind = 'human'",
    ],
    "seats.name": [
        "UPDATE seats SET name = '' WHERE table_id = :id",
        "UPDATE seats SET name = printf('%.*c', 1000000, 'x') WHERE table_id = :id",
    ],
    **{
        f"seats.{column}": [f"UPDATE seats SET {column} = 99 WHERE table_id = :id"]
        for column in ("due", "notified", "snoozed", "reminded")
    },
}
OF_A_GAME = {
    "seats": ["DELETE FROM seats WHERE table_id = :id AND seat > 0"],
    "people": ["UPDATE tables SET people = 3 WHERE id = :id"],
    "seats.since": ["UPDATE seats SET since = 0 WHERE table_id = :id"],
    "events": ["UPDATE tables SET status = 'lobby' WHERE id = :id"],
    "paused": ["UPDATE tables SET status = 'paused' WHERE id = :id"],
    "votes": [
        asked(seat=99, kind="kick"),
        asked(seat=-1, kind="kick"),
        asked(seat=1, kind="kick"),  # a computer player's
        asked(seat=2, kind="open_seat"),  # somebody's
        asked(seat=2, kind="computer_seat"),
        asked(seat=7, kind="undo", by=ADA.id),
        asked(seat=0, kind="undo", by=5),
        asked(seat=2),
        asked(kind="resume"),
        asked(yes="[5]", may="[5]"),
        asked(yes="[5]"),
        asked(yes="[]"),
        asked(no=f"[{ADA.id}]"),
        asked(yes=f"[{ADA.id}, {ADA.id}]"),
        asked(may="[]"),
        asked(needed=0),
        asked(needed=4),
        asked(opened=0),
        asked(opened=99),
    ],
}
OF_A_LOBBY = {
    "seats.kind": ["UPDATE seats SET kind = 'stand_in' WHERE table_id = :id AND seat = 1"],
    "seats.since": [
        "UPDATE seats SET since = 1 WHERE table_id = :id",
        "UPDATE tables SET status = 'playing' WHERE id = :id",
    ],
    "events": ["UPDATE tables SET events = 3 WHERE id = :id"],
    "votes": [asked(opened=1, needed=1, may=f"[{ADA.id}]")],
}


@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("step", swept([4, 1]))
async def test_a_row_that_does_not_fit_is_damaged_and_poisons_nobody(
    tmp_path: Path, running: bool, step: int
) -> None:
    """step: of all the ways not to fit each so many-th is tried."""
    ways = [
        (column, statement)
        for table in (OF_A_TABLE, OF_A_GAME if running else OF_A_LOBBY)
        for column, statements in table.items()
        for statement in statements
    ]
    path = tmp_path / "parlour.db"
    async with open_rig(path) as first:
        bad, good, waiting = await filled(first)
        one = bad if running else waiting
        for column, statement in ways[::step]:
            rig = Rig(first.store, first.clock, seed=f"{column} {statement}")
            with kept(path, one) as connection:
                for part in statement.split("; "):
                    connection.execute(part, {"id": one})
                connection.commit()
                first.store.forget()  # type: ignore[attr-defined]
                row = await damage_of(path, one)
                assert column in row, (statement, row)
                await the_others_notice_nothing(rig, one, good)
                assert await the_bad_one_can_be_ended(rig, one), statement
            first.store.forget()  # type: ignore[attr-defined]
        assert not (await first.tables.table(one)).damaged


async def damage_of(path: Path, table: str) -> list[str]:
    """What is found damaged of a table's rows."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        [row] = connection.execute("SELECT * FROM tables WHERE id = ?", [table])
        parts = [
            [
                dict(part)
                for part in connection.execute(
                    f"SELECT * FROM {name} WHERE table_id = ? ORDER BY seat", [table]
                )
            ]
            for name in ("seats", "votes")
        ]
    return reading.table(dict(row), *parts)[1]


@pytest.mark.parametrize("cached", [True, False])
async def test_a_position_in_which_others_are_to_act_is_not_the_tables(tmp_path: Path, cached: bool) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        table = await rig.started(ADA, BEN, game="zatre")
        good = await rig.started(ADA, CLEO, clock=ClockRule(60, "vote"))
        [seat] = table.to_act
        with behind_its_back(rig.store, path) as connection:
            connection.execute(
                "UPDATE seats SET since = CASE WHEN seat = ? THEN 0 ELSE 2 END WHERE table_id = ?",
                [seat.index, table.id],
            )
            if not cached:
                connection.execute("UPDATE tables SET state = NULL WHERE id = ?", [table.id])
        fresh = Rig(rig.store, rig.clock, seed="fresh")
        assert (await fresh.tables.view(table.id, ADA.id)).view is None
        assert (await fresh.tables.table(table.id)).status is Status.ASIDE
        await the_others_notice_nothing(fresh, table.id, good.id)
        assert (await fresh.tables.end(table.id, ADA)).table.status is Status.ENDED


@pytest.mark.parametrize(
    "left",
    ['{"x": [0, 5]}', '{"0": [0, NaN]}', '{"0": [0, -1e300]}', '{"0": [0, 1e300]}', '{"0": 5}', "[0]", "7"],
)
async def test_a_time_that_cannot_be_left_counts_as_none(tmp_path: Path, left: str) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        table = await rig.started(ADA, BEN, clock=ClockRule(60))
        with behind_its_back(rig.store, path) as connection:
            connection.execute(
                "UPDATE events SET payload = json_set(payload, '$.data', json_object()) WHERE table_id = ?",
                [table.id],
            )
            connection.execute(
                f"""UPDATE events SET payload = '{{"data": {{"left": {left}}}}}'
                WHERE table_id = ? AND revision = 1""",
                [table.id],
            )
        assert time_left(await rig.store.entries(table.id)) == {}
        change = await rig.play(table.id, ADA)
        assert change.table.revision == table.revision + 1
        await rig.tables.end(table.id, ADA)
