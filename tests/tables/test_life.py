"""The whole life of a table, through restarts, damage and machines."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

import pytest

import bot.players
from bot.levels import Level
from bot.rules import record
from bot.rules.chance import Generator
from bot.rules.game import View
from bot.tables.computers import ComputerPlayers, in_threads
from bot.tables.model import Change, ClockRule, Loaded, Status, Table
from bot.tables.ports import Aside
from bot.tables.settle import automatic_seat

from .support import ADA, BEN, CLEO, PLACE, FakeClock, Rig, SeededEntropy, all_owed, damage, open_rig, typed


async def play_to_the_end(rig: Rig, table: str, *people: object) -> Table:
    for _ in range(2000):
        await rig.computers.run_due()
        now = await rig.tables.table(table)
        if not now.is_open:
            return now
        for person in (ADA, BEN, CLEO):
            seat = (await rig.tables.table(table)).seat_of(person.id)
            if seat is not None and seat.since:
                await rig.play(table, person)
                break
    raise AssertionError("no end")


async def test_from_the_lobby_to_the_record_with_a_restart_after_every_move(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    clock = FakeClock()
    async with open_rig(path, clock) as rig:
        table_id = (await rig.started(ADA, BEN)).id
        kept = await rig.tables.load(table_id)
    moves = 0
    while kept.table.is_open:
        async with open_rig(path, clock, seed=f"start {moves}") as rig:
            loaded = await rig.tables.load(table_id)
            assert loaded.table == kept.table
            assert loaded.events == kept.events
            [*acting] = loaded.table.to_act
            person = ADA if acting[0].user == ADA.id else BEN
            # a button drawn before the restart carries the revision of its choice
            await rig.tables.move(table_id, person, await rig.first_legal(table_id, person), acting[0].since)
            kept = await rig.tables.load(table_id)
        moves += 1
    async with open_rig(path, clock) as rig:
        assert record.verify(await rig.tables.record(table_id)).ok
        assert kept.table.ending == "finished"


async def test_computers_and_people_play_to_the_end(rig: Rig) -> None:
    table = await rig.started(ADA, computers=2)
    ended = await play_to_the_end(rig, table.id)
    assert ended.ending == "finished"
    assert record.verify(await rig.tables.record(table.id)).ok
    revisions = [change.table.revision for change in rig.told]
    assert revisions == list(range(1, ended.revision + 1)), (
        "one listener hears of every change, whoever did it"
    )


@pytest.mark.both
async def test_machines_follow_every_change_by_themselves_and_one_at_a_time(rig: Rig) -> None:
    at_once = 0
    most = 0

    def choose(game_id: str, view: View, chance: Generator, level: Level) -> str:
        nonlocal at_once, most
        from bot.rules.registry import game

        at_once += 1
        most = max(most, at_once)
        move = chance.choice(game(game_id).legal(view))
        at_once -= 1
        return move

    computers = ComputerPlayers(rig.tables, rig.clock, rig.background, think=in_threads(choose))
    computers.start()
    turn = asyncio.Event()
    rig.tables.listen(lambda change: turn.set())
    table = await rig.started(ADA, computers=1)
    for _ in range(60):
        now = await rig.tables.table(table.id)
        if not now.is_open:
            break
        seat = now.seat_of(ADA.id)
        assert seat is not None
        if seat.since:
            await rig.play(table.id, ADA)
        else:
            turn.clear()
            if not (await rig.tables.table(table.id)).seats[0].since:
                await asyncio.wait_for(turn.wait(), 10)
    assert most == 1
    await computers.stop()


async def test_a_change_while_a_run_is_ending_is_not_overlooked(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run looks at the table, sees nothing to do, and just then Ada moves."""
    rig.computers.start()
    table = await rig.started(ADA, computers=1)
    load = rig.tables.load
    looked, go_on = asyncio.Event(), asyncio.Event()

    async def slow(table_id: str) -> Loaded:
        loaded = await load(table_id)
        if automatic_seat(loaded.table) is None:
            looked.set()
            await go_on.wait()
        return loaded

    monkeypatch.setattr(rig.tables, "load", slow)
    await asyncio.wait_for(looked.wait(), 10)
    moved = asyncio.Event()
    rig.tables.listen(lambda change: moved.set() if change.actor is None else None)
    before = await rig.tables.table(table.id)
    loaded = await load(table.id)
    assert loaded.state is not None
    await rig.tables.move(table.id, ADA, loaded.state.legal(0)[0], before.revision)
    go_on.set()
    await asyncio.wait_for(moved.wait(), 10)


@pytest.mark.both
async def test_after_a_restart_machines_find_what_is_due(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        table = await rig.started(ADA, computers=1)
        assert await rig.tables.automatic_due() == [table.id]
    async with open_rig(path, seed="again") as rig:
        moved = asyncio.Event()
        rig.tables.listen(lambda change: moved.set())
        rig.computers.start()
        await asyncio.wait_for(moved.wait(), 10)
        assert rig.told[0].kind == "move"
        assert rig.told[0].actor is None


class Hasty:
    """A rig's clock, on which whoever sleeps is woken at once, at the time they wanted."""

    def __init__(self, rig: Rig) -> None:
        self._clock = rig.clock

    def now(self) -> datetime:
        return self._clock.now()

    async def sleep_until(self, when: datetime) -> None:
        self._clock.advance(max(when - self.now(), timedelta(0)))


async def test_computer_players_pause_before_they_answer_and_not_within_their_turn(rig: Rig) -> None:
    """However long they think: that would tell of their hands."""
    pause = timedelta(seconds=1)
    thought = timedelta(seconds=0.3)
    table = await rig.started(ADA, game="topominos", computers=2)
    waits: dict[bool, set[timedelta]] = {True: set(), False: set()}  # by whether the seat had acted before
    last: tuple[int | None, datetime] = (None, rig.clock.now())

    async def think(game_id: str, view: View, chance: Generator, level: Level) -> str:
        rig.clock.advance(thought)
        return bot.players.choose(game_id, view, chance, level)

    def changed(change: Change) -> None:
        nonlocal last
        [seat, *_] = [event.player for event in change.events if event.kind == "move"]
        if change.actor is None:
            waits[seat == last[0]].add(rig.clock.now() - last[1])
        last = (seat, rig.clock.now())

    computers = ComputerPlayers(rig.tables, Hasty(rig), rig.background, think=think, pace=pause)
    rig.tables.listen(changed)
    for _ in range(6):
        await computers.run_due()
        seat = (await rig.tables.table(table.id)).seat_of(ADA.id)
        assert seat is not None
        while (await rig.tables.table(table.id)).seats[seat.index].since:
            await rig.play(table.id, ADA)
    assert waits == {True: {thought}, False: {pause}}


async def test_each_computer_player_thinks_at_its_level_and_a_stand_in_at_the_middle_one(rig: Rig) -> None:
    asked: dict[int | None, set[Level]] = {}

    def choose(game_id: str, view: View, chance: Generator, level: Level) -> str:
        asked.setdefault(view.seat, set()).add(level)
        return bot.players.choose(game_id, view, chance)

    rig.computers = ComputerPlayers(rig.tables, rig.clock, rig.background, think=in_threads(choose))
    opened = await rig.tables.open(
        ADA, PLACE, "fivetotwelve", {"setup": "sorted"}, computers=1, level=Level.EASY
    )
    await rig.tables.join(opened.table.id, BEN)
    await rig.tables.add_computer(opened.table.id, ADA, Level.HARD)
    table = (await rig.tables.start(opened.table.id, ADA)).table
    await rig.tables.resign(table.id, BEN)
    await play_to_the_end(rig, table.id)
    assert asked == {1: {Level.EASY}, 2: {Level.MEDIUM}, 3: {Level.HARD}}


async def test_a_broken_computer_player_is_replaced_by_a_stand_in(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    calls = 0

    def broken(game_id: str, view: View, chance: Generator, level: Level) -> str:
        nonlocal calls
        calls += 1
        if calls % 2:
            raise RuntimeError("no idea")
        return "draw" if "draw" not in game_legal(view) else "take 20@D4"

    def game_legal(view: View) -> list[str]:
        from bot.rules.registry import game

        return game("fivetotwelve").legal(view)

    rig.computers = ComputerPlayers(rig.tables, rig.clock, rig.background, think=in_threads(broken))
    table = await rig.started(ADA, computers=1)
    ended = await play_to_the_end(rig, table.id)
    assert ended.ending == "finished"
    assert calls > 4
    assert "a stand-in moves" in caplog.text
    assert table.seed not in caplog.text


@pytest.mark.parametrize(
    "broken",
    [
        "UPDATE tables SET state = '{'",
        "UPDATE tables SET state = NULL",
        "UPDATE tables SET state = '{\"schema\": 999}'",
        "UPDATE tables SET state = '[1]'",
        "UPDATE tables SET state = replace(state, ':', ':[')",
    ],
)
async def test_a_damaged_cache_is_made_anew_from_the_events(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        table = await rig.set_up((await rig.started(ADA, BEN)).id, ADA, BEN)
        loaded = await rig.tables.load(table.id)
        await damage(rig, broken)
    async with open_rig(path) as rig:
        again = await rig.tables.load(table.id)
        assert again.table == loaded.table
        assert again.state is not None
        assert loaded.state is not None
        assert again.state.to_json() == loaded.state.to_json()
        actor, _ = await rig.whose_turn(table.id, ADA, BEN)
        await rig.play(table.id, actor)


@pytest.mark.parametrize(
    "broken",
    [
        "UPDATE events SET payload = '{' WHERE kind = 'start' AND table_id = :id",
        "UPDATE events SET payload = '{\"events\": 5}' WHERE kind = 'start' AND table_id = :id",
        "UPDATE events SET payload = replace(payload, 'first', 'deal') WHERE revision = 3 AND table_id = :id",
        "UPDATE tables SET rules_version = 99 WHERE id = :id",
        "UPDATE tables SET game = 'chess' WHERE id = :id",
        "UPDATE tables SET options = '[' WHERE id = :id",
        "UPDATE tables SET status = 'dancing' WHERE id = :id",
        "UPDATE seats SET kind = 'throne' WHERE table_id = :id",
    ],
)
async def test_a_table_that_cannot_be_loaded_is_set_aside_and_can_be_ended(
    tmp_path: Path, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        bad = await rig.started(ADA, BEN)
        good = await rig.started(ADA, CLEO)
        await damage(rig, broken, id=bad.id)
        await damage(rig, "UPDATE tables SET state = NULL WHERE id = :id", id=bad.id)
    async with open_rig(path) as rig:
        seen = await rig.tables.view(bad.id, ADA.id)
        assert (seen.table.status, seen.view) == (Status.ASIDE, None)
        assert bad.seed not in caplog.text
        with pytest.raises(Aside):
            await rig.tables.move(bad.id, ADA, "draw", bad.revision)
        assert {table.id for table in await rig.tables.tables_at(PLACE.guild)} == {bad.id, good.id}
        await rig.play(good.id, ADA)
        ended = await rig.tables.end_by_admin(bad.id)
        assert (ended.table.status, ended.table.ending) == (Status.ENDED, "admin")
        assert [table.id for table in await rig.tables.tables_of(ADA.id)] == [good.id]


async def test_a_table_set_aside_by_one_version_goes_on_with_one_that_can_load_it(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        table = await rig.set_up((await rig.started(ADA, BEN, clock=ClockRule(60))).id, ADA, BEN)
        await damage(rig, "UPDATE tables SET rules_version = 99")
    async with open_rig(path) as rig:
        for _ in range(2):
            assert (await rig.tables.view(table.id, ADA.id)).table.status is Status.ASIDE
        rig.clock.advance(timedelta(hours=1))
        assert await rig.scheduler.run_due() == [], "its time stands still"
        await damage(rig, "UPDATE tables SET rules_version = 1")
        assert (await rig.tables.view(table.id, ADA.id)).view is None, "one process tries once"
    async with open_rig(path) as rig:
        seen = await asyncio.gather(*(rig.tables.view(table.id, ADA.id) for _ in range(3)))
        assert [one.table.status for one in seen] == [Status.PLAYING] * 3
        assert [change.kind for change in rig.told] == ["resume"]
        again = await rig.tables.load(table.id)
        assert again.table.deadline == rig.clock.now() + timedelta(seconds=60)
        actor, _ = await rig.whose_turn(table.id, ADA, BEN)
        await rig.play(table.id, actor)


async def test_a_table_set_aside_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        bad = await rig.started(ADA, BEN)
        await damage(rig, "UPDATE tables SET rules_version = 99")
    async with open_rig(path) as rig:
        await asyncio.gather(*(rig.tables.view(bad.id, None) for _ in range(5)))
        assert [change.kind for change in rig.told] == ["aside"]


async def test_nobody_s_view_history_or_notice_needs_the_seed(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    for user in (ADA.id, BEN.id, None):
        seen = await rig.tables.view(table.id, user)
        lines = await rig.tables.history(table.id, user)
        assert table.seed not in repr(seen) + repr(lines)


# notices


async def owed(rig: Rig, table: str) -> list[tuple[int, str]]:
    return [(notice.seat.index, notice.why) for notice in await rig.shown.owed_at(table)]


async def send_all(rig: Rig, table: str) -> int:
    notices = await rig.shown.owed_at(table)
    for notice in notices:
        await rig.shown.notified(table, notice.user, notice.seat.due)
    return len(notices)


async def test_a_set_up_is_told_at_its_start_and_then_only_to_the_last_one_missing(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO)
    assert await owed(rig, table.id) == [(0, "turn"), (1, "turn"), (2, "turn")]
    await send_all(rig, table.id)
    await rig.play(table.id, ADA)
    assert await owed(rig, table.id) == []
    await rig.play(table.id, CLEO)
    assert await owed(rig, table.id) == [(1, "last")]
    await send_all(rig, table.id)
    await rig.play(table.id, BEN)
    assert await owed(rig, table.id) == [], "the next wave is the same phase"


async def test_several_decisions_of_a_turn_are_one_notice(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    await send_all(rig, table.id)
    table = await rig.set_up(table.id, ADA, BEN)
    await send_all(rig, table.id)
    actor, [other] = await rig.whose_turn(table.id, ADA, BEN)
    await rig.tables.move(table.id, actor, "draw", table.revision)
    assert await owed(rig, table.id) == []
    after = await typed(rig.tables, table.id, actor, "leave")
    seat = after.table.seat_of(other.id)
    assert seat is not None
    assert await owed(rig, table.id) == [(seat.index, "turn")]
    assert await all_owed(rig.shown) == await rig.shown.owed_at(table.id)


async def test_a_snoozed_turn_is_quiet_and_the_next_is_not(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, clock=ClockRule(86_400))
    table = await rig.set_up(table.id, ADA, BEN)
    actor, [other] = await rig.whose_turn(table.id, ADA, BEN)
    await rig.tables.snooze(table.id, actor)
    rig.clock.advance(timedelta(hours=13))
    await rig.scheduler.run_due()
    assert await owed(rig, table.id) == []
    for person in (actor, other):
        await typed(rig.tables, table.id, person, "draw")
        await typed(rig.tables, table.id, person, "leave")
    assert len(await owed(rig, table.id)) == 1


async def test_marks_are_no_changes_and_only_go_forward(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    assert await rig.shown.unpainted() == [table.id]
    await rig.shown.painted(table.id, table.revision)
    await rig.shown.painted(table.id, 1)
    await rig.shown.placed(table.id, thread=5, table_message=6)
    await rig.shown.hand_placed(table.id, ADA.id, 7, 8)
    assert await rig.shown.unpainted() == []
    after = (await rig.play(table.id, ADA)).table
    assert (after.revision, after.painted, after.place.thread, after.place.table_message) == (
        table.revision + 1,
        table.revision,
        5,
        6,
    )
    assert (after.seats[0].hand_channel, after.seats[0].hand_message) == (7, 8)
    assert (await rig.tables.table(table.id)) == after
    with pytest.raises(ValueError, match="place"):
        await rig.shown.placed(table.id, guild=1)
    assert [one.id for one in await rig.tables.tables_at(PLACE.guild, 5)] == [table.id]


async def test_a_parked_table_is_not_painted_before_its_time(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    await rig.shown.parked(table.id, rig.clock.now() + timedelta(minutes=5))
    assert await rig.shown.unpainted() == []
    rig.clock.advance(timedelta(minutes=5))
    assert await rig.shown.unpainted() == [table.id]


# messages


async def test_a_message_s_purpose_comes_of_its_own_chance_and_changes_no_game(tmp_path: Path) -> None:
    async with open_rig(tmp_path / "one.db") as one, open_rig(tmp_path / "two.db") as two:
        first = (await one.tables.open(ADA, PLACE, "zatre")).table
        await two.tables.open(ADA, PLACE, "zatre")
        posts = [(await one.shown.intend(first.id, kind, 20))[0] for kind in ("lobby", "notice", "table")]
        drawn = SeededEntropy("tables purposes")
        assert [post.purpose for post in posts] == [drawn()[:16] for _ in posts]
        again, new = await one.shown.intend(first.id, "notice", 20)
        assert (again, new) == (posts[1], False)
        second, same = [(await rig.tables.open(BEN, PLACE, "zatre")).table for rig in (one, two)]
        assert (second.id, second.seed) == (same.id, same.seed)


# in words


def test_every_refusal_and_ending_has_words() -> None:
    from bot.locale import keys
    from bot.tables.model import Ending
    from bot.tables.ports import Refusal

    def kinds(refusal: type[Refusal]) -> list[type[Refusal]]:
        return [refusal, *(kind for one in refusal.__subclasses__() for kind in kinds(one))]

    needed = {f"tables.refusal.{kind.code}" for kind in kinds(Refusal)[1:]}
    needed |= {f"tables.ending.{ending.value}" for ending in Ending}
    for language in ("en", "de"):
        assert needed <= keys(language)
