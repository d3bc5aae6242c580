"""The repository, the same on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from bot.rules import record
from bot.rules.game import Event, Outcome
from bot.storage import SqlStore
from bot.tables.model import (
    ClockRule,
    Entry,
    Invitation,
    Letter,
    Person,
    Post,
    Progress,
    Seat,
    SeatKind,
    Status,
    Table,
    Telling,
    Vote,
    VoteKind,
)
from bot.tables.ports import NotYourTurn, RevisionTaken, Write
from tests.sweeps import swept
from tests.tables.support import ADA, BEN, PLACE, START, FakeClock, Rig

Opener = Callable[..., Awaitable[SqlStore]]

FULL = Table(
    id="0ABCDE",
    revision=1,
    status=Status.PLAYING,
    game="fivetotwelve",
    rules_version=1,
    options={"series": True, "first": "host"},
    host=2**63 - 1,
    place=replace(PLACE, thread=2**62, lobby_message=3, table_message=4, notice_message=5, final_message=8),
    seats=(
        Seat(0, SeatKind.HUMAN, 2**63 - 1, "Ada 💧 عدا", 1, 1, 0, 0, START, START + timedelta(seconds=30), 1),
        Seat(1, SeatKind.COMPUTER, None, ""),
        Seat(2, SeatKind.STAND_IN, None, "x" * 100),
        Seat(3, SeatKind.HUMAN, 7, "Ben"),
    ),
    seed="ab" * 32,
    clock=ClockRule(30, "vote"),
    created=START,
    changed=START + timedelta(microseconds=1),
    deadline=START + timedelta(seconds=30),
    ending="",
    people=4,
    events=7,
    votes=(
        Vote(VoteKind.OPEN_SEAT, 2, 2**63 - 1, 1, START, (2**63 - 1,), (7,), 2, (7, 2**63 - 1)),
        Vote(VoteKind.END, None, 5, 1, START, (7,), (), 2, (2**63 - 1, 7)),
    ),
    rematch="0ABCDF",
    undoable=0,
    phase="set-up",
)
PAUSED = replace(FULL, status=Status.PAUSED, paused=START, undoable=None)
OVER = replace(
    FULL,
    status=Status.ENDED,
    ending="finished",
    seats=(replace(FULL.seats[0], since=0), *FULL.seats[1:]),
    outcome=Outcome((-3, 4, 0, 1), (1,), "series over"),
    votes=(),
    undoable=None,
)


def written(table: Table, **fields: object) -> Write:
    entry = Entry(table.revision, "move", table.changed, 5, 0, (Event("move", "7@B1", 0),), {"a": [1, None]})
    return Write(table, entry, '{"schema":1}', START, False, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("table", swept([FULL, PAUSED, OVER]))
async def test_a_table_comes_back_as_it_was_stored(open_store: Opener, table: Table) -> None:
    store = await open_store()
    write = written(table)
    await store.write(write)
    store.forget()
    stored = await store.load(FULL.id)
    assert stored is not None
    assert set(stored.table.votes) == set(table.votes)
    assert replace(stored.table, votes=table.votes) == table
    assert stored.cache == write.cache
    assert await store.entries(FULL.id) == [write.entry]
    assert await store.exists(FULL.id)
    assert await store.load("000000") is None
    assert not await store.exists("000000")
    assert await store.entries("000000") == []


CHANGES: dict[str, object] = {
    "changed": START + timedelta(hours=1),
    "deadline": START + timedelta(hours=2),
    "phase": "play",
    "events": 8,
    "undoable": None,
    "rematch": None,
    "people": 3,
    "host": 7,
    "game": "zatre",
    "rules_version": 2,
    "options": {"series": False},
    "seed": "cd" * 32,
    "clock": ClockRule(60, "vote"),
    "created": START - timedelta(hours=1),
    "hints": True,
    "by_invitation": True,
    "invited": (Invitation(9, "Cleo", 1),),
    "votes": (),
    "seats": (
        replace(FULL.seats[0], name="Ada", since=0, agreed=True),
        replace(FULL.seats[1], user=9),
        *FULL.seats[2:],
    ),
    "paused": START,
    "status": Status.ENDED,
    "ending": "finished",
    "outcome": Outcome((-3, 4, 0, 1), (1,), "series over"),
}


async def test_whatever_a_change_changes_is_stored(open_store: Opener) -> None:
    """Each field alone. The others are the marks'."""
    store = await open_store()
    for number, (name, value) in enumerate(CHANGES.items()):
        before = replace(FULL, id=f"0ABC{number:02d}")
        await store.write(written(before))
        assert getattr(before, name) != value
        await store.write(written(replace(before, revision=2, **{name: value})))  # type: ignore[arg-type]
        store.forget()
        stored = await store.load(before.id)
        assert stored is not None
        assert getattr(stored.table, name) == value
    marks = {"id", "revision", "place", "painted", "told", "damaged"}
    assert CHANGES.keys() | marks == {field.name for field in fields(Table)}


async def test_a_revision_is_stored_once(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(FULL))
    second = replace(FULL, revision=2)
    await store.write(written(second))
    for wrong in (FULL, second, replace(FULL, revision=4)):
        with pytest.raises(RevisionTaken):
            await store.write(written(wrong))
    assert [entry.revision for entry in await store.entries(FULL.id)] == [1, 2]


async def test_of_two_writes_both_or_none_are_stored(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(FULL))
    other = replace(FULL, id="0ABCDF")
    with pytest.raises(RevisionTaken):
        await store.write(written(other), written(replace(FULL, revision=5)))
    assert not await store.exists(other.id)
    await store.write(written(other), written(replace(FULL, revision=2)))
    assert await store.exists(other.id)


async def test_a_transaction_that_breaks_half_way_leaves_nothing(
    open_store: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.storage import writes

    store = await open_store()
    await store.write(written(FULL))

    def broken(*_: object) -> None:
        raise RuntimeError("the disk is gone")

    with monkeypatch.context() as patched, pytest.raises(RuntimeError):
        patched.setattr(writes, "entry_values", broken)
        await store.write(written(replace(FULL, revision=2, host=9, seats=FULL.seats[:1])))
    stored = await store.load(FULL.id)
    assert stored is not None
    assert (stored.table.revision, stored.table.host, len(stored.table.seats)) == (1, FULL.host, 4)
    assert len(await store.entries(FULL.id)) == 1


@pytest.mark.sqlite
async def test_what_cannot_be_committed_is_taken_back(tmp_path: Path) -> None:
    """As it may be on a disk that is full or broken: the next write finds no transaction that is still on."""
    store = await SqlStore.open(f"sqlite+aiosqlite:///{tmp_path / 'parlour.db'}")

    def refused_at_the_end(connection: Connection) -> None:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        connection.exec_driver_sql("INSERT INTO drafts VALUES ('NONE42', 0, 1, '')")

    with pytest.raises(IntegrityError):
        await store._write(refused_at_the_end)
    await store.write(written(FULL))
    assert (await store._rows(text("SELECT count(*) AS n FROM drafts")))[0]["n"] == 0
    await store.close()


async def test_a_write_that_is_begun_is_finished_whoever_is_gone(open_store: Opener) -> None:
    store = await open_store()
    tables = [replace(FULL, id=f"0ABC{ticks:02d}") for ticks in range(1, 30)]
    gone = 0
    for ticks, table in enumerate(tables, 1):
        asking = asyncio.create_task(store.write(written(table)))
        for _ in range(ticks):
            await asyncio.sleep(0)
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        gone += asking.cancelled()
    assert gone > 5
    await store.close()
    again = await open_store()
    assert [table.id for table in tables if not await again.exists(table.id)] == []


async def test_seats_keep_their_marks_while_the_same_person_sits_there(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(FULL))
    user = FULL.host
    await store.mark_notified(FULL.id, user, 1)
    await store.mark_hand(FULL.id, user, 11, 12, START)
    await store.mark_snoozed(FULL.id, user, 1)
    await store.write(written(replace(FULL, revision=2)))
    stored = await store.load(FULL.id)
    assert stored is not None
    seat = stored.table.seats[0]
    assert (seat.notified, seat.snoozed, seat.hand_channel, seat.hand_message) == (1, 1, 11, 12)
    new = replace(FULL.seats[0], user=77)
    await store.write(written(replace(FULL, revision=3, seats=(new, *FULL.seats[1:]))))
    stored = await store.load(FULL.id)
    assert stored is not None
    seat = stored.table.seats[0]
    assert (seat.notified, seat.snoozed, seat.hand_channel, seat.hand_message) == (0, 0, None, None)


async def test_a_hint_counts_once_however_often_it_is_noted(open_store: Opener) -> None:
    """The second of two taps that were under way at once, in two processes perhaps, finds it noted."""
    store = await open_store()
    await store.write(written(FULL))
    for before, after in (("", "1.a"), ("", "1.a"), ("1.a", "1.a 2.b"), ("1.a", "1.a 3.c")):
        await store.mark_hinted(FULL.id, FULL.host, before, after)
    await store.mark_hinted(FULL.id, 77, "", "1.a")  # of nobody who sits there
    await store.write(written(replace(FULL, revision=2)))
    for _ in range(2):
        stored = await store.load(FULL.id)
        assert stored is not None
        assert [(seat.hints, seat.hinted) for seat in stored.table.seats[:2]] == [(2, "1.a 2.b"), (0, "")]
        store.forget()


async def test_a_hand_goes_with_its_person_when_seats_move_up(open_store: Opener) -> None:
    store = await open_store()
    ada, ben = Seat(0, SeatKind.HUMAN, 5, "Ada"), Seat(1, SeatKind.HUMAN, 6, "Ben")
    await store.write(written(replace(FULL, seats=(ada, ben), votes=())))
    await store.mark_hand(FULL.id, 5, 51, 52, START)
    await store.mark_hand(FULL.id, 6, 61, 62, START)
    await store.write(written(replace(FULL, revision=2, seats=(replace(ben, index=0),), votes=())))
    stored = await store.load(FULL.id)
    assert stored is not None
    (seat,) = stored.table.seats
    assert (seat.user, seat.hand_channel, seat.hand_message) == (6, 61, 62)
    assert left(await store.posts(FULL.id)) == [("hand", 5, 51, 52)]


def left(posts: Sequence[Post]) -> list[tuple[str, int, int, int | None]]:
    return [(post.kind, post.user, post.channel, post.message) for post in posts]


@pytest.mark.parametrize("at_once", [False, True])
async def test_the_hand_of_who_left_has_to_go_however_soon_somebody_sits_there(
    open_store: Opener, at_once: bool
) -> None:
    store = await open_store()
    await store.write(written(FULL))
    await store.mark_hand(FULL.id, FULL.host, 11, 12, START)
    gone = replace(FULL.seats[0], kind=SeatKind.OPEN, user=None)
    new = replace(FULL.seats[0], user=77)
    for revision, seat in ((2, new),) if at_once else ((2, gone), (3, new)):
        await store.write(written(replace(FULL, revision=revision, seats=(seat, *FULL.seats[1:]))))
        stored = await store.load(FULL.id)
        assert stored is not None
        assert (stored.table.seats[0].hand_channel, stored.table.seats[0].hand_message) == (None, None)
        assert left(await store.posts(FULL.id)) == [("hand", FULL.host, 11, 12)]


async def test_marks_of_somebody_who_has_left_mark_nobody_else(open_store: Opener) -> None:
    """What is stored after a slow call names the person: the seat may be somebody else's by then."""
    store = await open_store()
    await store.write(written(FULL))
    new = replace(FULL.seats[0], user=77, since=5, due=5)
    await store.write(written(replace(FULL, revision=2, seats=(new, *FULL.seats[1:]))))
    await store.mark_hand(FULL.id, FULL.host, 11, 12, START)
    await store.mark_notified(FULL.id, FULL.host, 9)
    await store.mark_snoozed(FULL.id, FULL.host, 5)
    await store.mark_snoozed(FULL.id, 77, 4)  # a choice that is over
    stored = await store.load(FULL.id)
    assert stored is not None
    seat = stored.table.seats[0]
    assert (seat.notified, seat.snoozed, seat.hand_channel, seat.hand_message) == (0, 0, None, None)
    assert left(await store.posts(FULL.id)) == [("hand", FULL.host, 11, 12)]


def meant(kind: str, channel: int, purpose: str, *, user: int = 0, seconds: int = 0) -> Post:
    made = START + timedelta(seconds=seconds)
    return Post(FULL.id, purpose, kind, user, channel, made, made)


PLACED = replace(FULL, place=replace(PLACE, channel=10, thread=20, table_message=4, notice_message=5))


async def test_an_intent_keeps_its_purpose_until_its_message_is_known(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(PLACED))
    first = await store.intend(meant("table", 20, "a"), None)
    assert first.purpose == "a"
    assert await store.intend(meant("table", 20, "b", seconds=9), None) == first
    for other in (meant("notice", 20, "c"), meant("table", 10, "d"), meant("hand", 20, "e", user=5)):
        assert await store.intend(other, None) == other
    assert await store.intend(meant("table", 20, "f"), "a") == meant("table", 20, "f")
    assert [post.purpose for post in await store.posts(FULL.id)] == ["c", "d", "e", "f"]
    assert await store.unsettled(START, 9) == [FULL.id]
    for post in await store.posts(FULL.id):
        await store.delay_post(post, START + timedelta(seconds=1))
    assert await store.unsettled(START, 9) == []
    for post in await store.posts(FULL.id):
        await store.drop_post(post)
    assert await store.unsettled(START + timedelta(seconds=1), 9) == []


async def test_a_lost_intent_stays_beside_the_next(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(PLACED))
    first = await store.intend(meant("table", 20, "a"), None)
    await store.lose_post(first, START + timedelta(days=1))
    [lost] = await store.posts(FULL.id)
    assert (lost.lost, first.lost, lost.again) == (True, False, START + timedelta(days=1))
    second = meant("table", 20, "b", seconds=9)
    assert await store.intend(second, None) == second
    assert await store.settle_post(second, 40, START)
    assert lost in await store.posts(FULL.id)
    await store.lose_post(lost, START + timedelta(days=2))  # twice is once
    assert [post.purpose for post in await store.posts(FULL.id) if post.lost] == [lost.purpose]


async def test_of_messages_it_is_known_which_are_anybody_s(
    open_store: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.storage.store.MOST_BOUND", 2)
    store = await open_store()
    await store.write(written(PLACED))
    await store.mark_hand(FULL.id, FULL.host, 11, 12, START)
    await store.leave(replace(meant("notice", 20, ""), message=13))
    await store.intend(meant("table", 20, "a"), None)
    assert await store.pointed_at([4, 5, 6, 12, 13, 20, 14]) == {4, 5, 12, 13}
    assert await store.pointed_at([]) == frozenset()


async def test_a_message_that_is_known_takes_the_place_of_the_one_before(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(PLACED))
    intent = await store.intend(meant("table", 20, "a"), None)
    assert await store.settle_post(intent, 40, START)
    assert await store.settle_post(intent, 40, START)  # told twice is told once
    assert (await store.load(FULL.id)).table.place.table_message == 40  # type: ignore[union-attr]
    assert left(await store.posts(FULL.id)) == [("table", 0, 20, 4)]
    notice = await store.intend(meant("notice", 20, "b"), None)
    assert await store.settle_post(notice, 50, START)
    assert left(await store.posts(FULL.id)) == [("table", 0, 20, 4), ("notice", 0, 20, 5)]


async def test_an_intent_that_is_met_is_met_by_no_other_message(open_store: Opener) -> None:
    """A click on the board before, looked into while the new one became known, took it for the new one: the
    new one was cleared then, and the old one too."""
    store = await open_store()
    await store.write(written(PLACED))
    intent = await store.intend(meant("table", 20, "a"), None)
    assert await store.settle_post(intent, 40, START)
    assert not await store.settle_post(intent, 4, START)
    assert (await store.load(FULL.id)).table.place.table_message == 40  # type: ignore[union-attr]
    assert left(await store.posts(FULL.id)) == [("table", 0, 20, 4)]
    user = FULL.seats[0].user or 0
    hand = await store.intend(meant("hand", 70, "b", user=user), None)
    assert await store.settle_post(hand, 60, START)
    assert not await store.settle_post(hand, 61, START)
    seat = (await store.load(FULL.id)).table.seats[0]  # type: ignore[union-attr]
    assert (seat.hand_channel, seat.hand_message) == (70, 60)
    assert left(await store.posts(FULL.id)) == [("table", 0, 20, 4), ("hand", user, 70, 61)]


async def test_who_was_told_is_stored_with_the_message_that_told_it(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(PLACED))
    user = FULL.host
    assert await store.letter(user) == Letter(user)
    telling = Telling(((FULL.id, user, 1),))
    notice = await store.intend(meant("notice", 20, "a"), None)
    assert await store.settle_post(notice, 50, START, telling)
    assert (await store.load(FULL.id)).table.seats[0].notified == 1  # type: ignore[union-attr]
    assert await store.letter(user) == Letter(user, unanswered=1)

    letter = await store.intend(meant("letter", 70, "b", user=user), None)
    assert await store.letter_meant(user) == FULL.id
    assert await store.settle_post(letter, 71, START, replace(telling, letter=(FULL.id, "ZZZZZZ")))
    assert await store.letter_meant(user) is None
    told = Letter(user, 70, 71, (FULL.id, "ZZZZZZ"), unanswered=2)
    assert [told, await store.letter(user)] == [told, *await store.letters_about("ZZZZZZ")]
    assert 71 in await store.pointed_at([71])
    later = START + timedelta(hours=1)
    await store.put_off(user, later)
    seat = (await store.load(FULL.id)).table.seats[0]  # type: ignore[union-attr]
    assert (seat.notified, seat.held) == (0, later)
    assert FULL.id not in await store.owed(9, START)
    assert FULL.id in await store.owed(9, later)
    assert [table.id for table in await store.waiting(user)] == [FULL.id]
    assert await store.letter(user) == Letter(user, 70, 71, later=later)

    hand = await store.intend(meant("hand", 70, "c", user=user), None)  # its one table's hand is the next one
    assert await store.settle_post(hand, 72, START, replace(telling, letter=(FULL.id,)))
    assert left(await store.posts(FULL.id)) == [("notice", 0, 20, 5), ("letter", user, 70, 71)]
    assert (await store.letter(user)).message is None
    entry = Entry(2, "move", START, user=user, seat=0)
    await store.write(replace(written(replace(PLACED, revision=2)), entry=entry))
    assert await store.letter(user) == Letter(user, tables=(FULL.id,), later=later)
    await store.cut_letter(user, (), START)
    assert (await store.letter(user)).tables == ()
    await store.mark_held(FULL.id, user, 9, later)
    assert (await store.load(FULL.id)).table.seats[0].held is None  # type: ignore[union-attr]


async def test_a_table_message_out_of_the_thread_takes_the_table_with_it(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(PLACED))
    assert await store.settle_post(await store.intend(meant("table", 10, "a"), None), 40, START)
    place = (await store.load(FULL.id)).table.place  # type: ignore[union-attr]
    assert (place.thread, place.table_message, place.notice_message) == (None, 40, None)
    assert left(await store.posts(FULL.id)) == [("table", 0, 20, 4), ("notice", 0, 20, 5)]


async def test_a_message_that_nobody_wants_any_more_has_to_go(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(PLACED))
    paused = replace(PLACED, revision=2, status=Status.PAUSED)
    await store.write(written(paused))
    assert not await store.settle_post(meant("lobby", 11, "a"), 30, START)  # it is shown elsewhere by now
    assert not await store.settle_post(meant("notice", 20, "b"), 50, START)  # nobody's turn
    assert not await store.settle_post(meant("hand", 61, "c", user=6), 62, START)  # sits there no more
    place = (await store.load(FULL.id)).table.place  # type: ignore[union-attr]
    assert place == PLACED.place
    assert sorted(left(await store.posts(FULL.id))) == [
        ("hand", 6, 61, 62),
        ("lobby", 0, 11, 30),
        ("notice", 0, 20, 50),
    ]


async def test_a_message_that_is_pointed_at_does_not_have_to_go(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(PLACED))
    await store.mark_hand(FULL.id, FULL.host, 11, 12, START)
    for message in (4, 5, 12, 6):
        await store.leave(replace(meant("table", 20, ""), message=message))
    assert left(await store.posts(FULL.id)) == [("table", 0, 20, 6)]


async def test_a_message_that_is_pointed_at_no_more_has_to_go(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(PLACED))
    await store.mark_placed(FULL.id, {"channel": 99, "thread": None, "table_message": None}, START)
    assert left(await store.posts(FULL.id)) == [("table", 0, 20, 4)]


async def test_tables_are_found_by_what_shows_them(open_store: Opener) -> None:
    store = await open_store()
    place = replace(FULL.place, guild=1, channel=10, thread=20, lobby_message=30, table_message=40)
    await store.write(written(replace(FULL, place=place)))
    other = replace(place, channel=11, thread=21, lobby_message=31, table_message=41)
    await store.write(written(replace(FULL, id="0ABCDF", place=other)))
    over = replace(FULL, id="0ABCDG", status=Status.ENDED, ending="host", place=place, seats=(), votes=())
    await store.write(written(over))
    for shown in (10, 20, 30, 40):
        assert [table.id for table in await store.tables_showing(1, [shown, 99])] == [FULL.id]
    assert await store.tables_showing(2, [10, 20]) == []
    assert await store.tables_showing(1, []) == []
    assert [table.id for table in await store.tables_showing(1, [41, 30])] == [FULL.id, "0ABCDF"]
    assert [table.id for table in await store.ended_at(1, 20, 5)] == ["0ABCDG"]
    assert await store.ended_at(1, 21, 5) == []
    assert await store.ended_at(2, 20, 5) == []


async def test_a_table_of_a_server_there_cannot_be_has_no_home(open_store: Opener) -> None:
    store = await open_store()
    for number, guild in enumerate((FULL.place.guild, 0, -7)):
        place = replace(FULL.place, guild=guild)
        await store.write(written(replace(FULL, id=f"00000{number}", place=place)))
    store.forget()
    lost = await store.homeless(10)
    assert [(table.id, table.damaged, table.place.guild) for table in lost] == [
        ("000001", True, 0),
        ("000002", True, 0),
    ]
    assert [table.id for table in await store.homeless(1)] == ["000001"]


async def test_undone_entries_stay_and_are_marked(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(FULL))
    await store.write(written(replace(FULL, revision=2)))
    await store.write(written(replace(FULL, revision=3), void=(2,)))
    assert [entry.void for entry in await store.entries(FULL.id)] == [False, True, False]


async def test_the_scheduler_s_questions(open_store: Opener) -> None:
    store = await open_store()
    for number, seconds in enumerate((30, 10, 20, None)):
        table = replace(FULL, id=f"00000{number}")
        wake = None if seconds is None else START + timedelta(seconds=seconds)
        await store.write(replace(written(table), wake=wake))
    assert await store.next_wake(START) == START + timedelta(seconds=10)
    assert await store.next_wake(START + timedelta(seconds=10)) == START + timedelta(seconds=20)
    assert await store.next_wake(START + timedelta(seconds=30)) is None
    assert await store.due(START + timedelta(seconds=20), 10) == ["000001", "000002"]
    assert await store.due(START + timedelta(seconds=20), 1) == ["000001"]
    assert await store.due(START, 10) == []


async def test_settings_come_back(open_store: Opener) -> None:
    store = await open_store()
    assert (await store.user(5)).notices == "channel"
    await store.set_user(5, {"notices": "none", "locale": "de"})
    await store.set_user(5, {"dismissed": ("rules.zatre", "legend.zatre")})
    changed = await store.set_user(5, {"text_board": True})
    assert changed == await store.user(5)
    assert (changed.notices, changed.locale, changed.text_board) == ("none", "de", True)
    assert changed.dismissed == ("rules.zatre", "legend.zatre")
    await store.set_guild(6, {"channels": (2**62,), "clock": ClockRule(60, "vote")})
    guild = await store.set_guild(6, {"threads": False})
    assert guild == await store.guild(6)
    assert (guild.channels, guild.clock, guild.threads) == ((2**62,), ClockRule(60, "vote"), False)


async def test_what_is_set_for_the_first_time_by_several_at_once_is_kept(open_store: Opener) -> None:
    """On PostgreSQL they do it at the same time: no row is added twice, and none undoes what another sets."""
    store = await open_store()
    fields: list[dict[str, object]] = [{"locale": "de"}, {"theme": "light"}, {"quick": True}]
    await asyncio.gather(*(store.set_user(user, one) for one in fields for user in range(10)))
    asked: list[dict[str, object]] = [{"most_tables": 3}, {"threads": False}, {"theme": "light"}]
    await asyncio.gather(*(store.set_guild(guild, one) for one in asked for guild in range(10)))
    await asyncio.gather(*(store.put_off(user, START) for user in range(10) for _ in range(3)))
    store.forget()
    for number in range(10):
        user, guild = await store.user(number), await store.guild(number)
        assert (user.locale, user.theme, user.quick) == ("de", "light", True)
        assert (guild.most_tables, guild.threads, guild.theme) == (3, False, "light")
        assert (await store.letter(number)).later == START


async def test_where_people_stand_in_lessons_comes_back(open_store: Opener) -> None:
    store = await open_store()
    assert await store.lesson(5, "top12") is None
    assert await store.set_lesson(5, "top12", Progress(), Progress())
    assert await store.lesson(5, "top12") == Progress(), "begun"
    assert await store.set_lesson(5, "top12", Progress(), Progress(3, "10@A1 20@B"))
    assert await store.set_lesson(5, "zatre", Progress(), Progress(1))
    assert await store.set_lesson(2**62, "top12", Progress(), Progress(2))
    store.forget()
    assert await store.lesson(5, "top12") == Progress(3, "10@A1 20@B")
    assert await store.lesson(5, "zatre") == Progress(1)
    assert await store.lesson(2**62, "top12") == Progress(2)


async def test_of_several_who_go_on_in_a_lesson_from_one_place_one_does(open_store: Opener) -> None:
    """Two taps on the button that opens a table at its end."""
    store = await open_store()
    steps = [store.set_lesson(5, "top12", Progress(), Progress(1, str(number))) for number in range(5)]
    assert sorted(await asyncio.gather(*steps)) == [False, False, False, False, True]
    assert not await store.set_lesson(5, "top12", Progress(1), Progress(2))
    there = await store.lesson(5, "top12")
    assert there is not None
    assert there.place == 1


def _carried_out(statement: str, connection: Connection) -> None:
    connection.execute(text(statement))


async def test_a_lesson_that_cannot_be_read_begins_anew(open_store: Opener) -> None:
    store = await open_store()
    await store.set_lesson(5, "top12", Progress(), Progress(3))
    if not store.file_based:
        return  # it keeps no text in a column for numbers
    for place in ("'three'", "-1", "x'00'"):
        damage = partial(_carried_out, f"UPDATE lessons SET place = {place}")
        await store._database.write(damage)
        assert await store.lesson(5, "top12") == Progress()
        assert await store.set_lesson(5, "top12", Progress(), Progress(3)), "and goes on"


async def test_a_game_between_two_processes(open_store: Opener) -> None:
    """Two services on one database race for every revision; on PostgreSQL each has its own connections."""
    first = await open_store()
    second = first if first.file_based else await open_store(shards=(1,))
    one, two = Rig(first, FakeClock()), Rig(second, FakeClock(), seed="two")
    table = await one.started(ADA, BEN)
    clicks = 0
    while (now := await one.tables.table(table.id)).is_open:
        [acting, *_] = now.to_act
        person: Person = ADA if acting.user == ADA.id else BEN
        move = await one.first_legal(table.id, person)
        results = await asyncio.gather(
            one.tables.move(table.id, person, move, now.revision),
            two.tables.move(table.id, person, move, now.revision),
            return_exceptions=True,
        )
        kinds = sorted(type(result).__name__ for result in results)
        assert kinds in (["Change", "NotYourTurn"], ["Change", "Stale"], ["Change", "Ended"])
        clicks += 1
    assert record.verify(await two.tables.record(table.id)).ok
    entries = await first.entries(table.id)
    assert sum(entry.kind == "move" for entry in entries) == clicks
    assert NotYourTurn.code == "not_your_turn"


async def test_errors_never_show_what_was_bound(open_store: Opener) -> None:
    store = await open_store()
    await store.write(written(FULL))
    with pytest.raises(RevisionTaken) as refused:
        await store.write(written(FULL))
    seen = ""
    error: BaseException | None = refused.value
    while error is not None:
        seen += str(error)
        error = error.__cause__
    assert FULL.seed not in seen
