"""Time: deadlines, reminders, time-outs, pauses, and the one loop that sleeps."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.tables.model import ClockRule, SeatKind, Status, VoteKind
from bot.tables.ports import Paused, TooEarly
from tests.sweeps import swept

from .support import ADA, BEN, CLEO, PLACE, START, FakeClock, Rig, all_owed, open_rig

HOUR = timedelta(hours=1)
DAY = ClockRule(86_400)


async def test_each_choice_has_the_time_from_its_opening(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, clock=ClockRule(60))
    assert {seat.deadline for seat in table.seats} == {START + timedelta(seconds=60)}
    rig.clock.advance(timedelta(seconds=20))
    after = (await rig.play(table.id, ADA)).table
    assert [seat.deadline for seat in after.seats] == [None, START + timedelta(seconds=60)]
    assert after.deadline == START + timedelta(seconds=60)
    wave = (await rig.play(table.id, BEN)).table
    assert wave.deadline == START + timedelta(seconds=80)


async def test_without_a_clock_nothing_is_ever_due(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    assert table.deadline is None
    rig.clock.advance(timedelta(days=400))
    assert await rig.scheduler.run_due() == []


@pytest.mark.both
async def test_reminders_come_at_half_time_and_shortly_before_the_end_each_once(rig: Rig) -> None:
    table = await rig.set_up((await rig.started(ADA, BEN, clock=DAY)).id, ADA, BEN)
    first, [actor] = await rig.whose_turn(table.id, ADA, BEN)
    drawn = await rig.tables.move(table.id, first, "draw", table.revision)
    await rig.tables.move(table.id, first, "leave", drawn.table.revision)
    [owed] = await rig.shown.owed_at(table.id)
    assert (owed.user, owed.why) == (actor.id, "turn")
    await rig.shown.notified(table.id, owed.user, owed.seat.due)
    assert await all_owed(rig.shown) == []
    expected = []
    for hours, why in ((11, ""), (1, "remind"), (9, ""), (1, "remind"), (1, "")):
        rig.clock.advance(timedelta(hours=hours))
        expected += [change.kind for change in await rig.scheduler.run_due()]
        notices = await rig.shown.owed_at(table.id)
        # a tenth of the day before its end is 2.4 hours before: hour 21.6
        assert [notice.why for notice in notices] == (
            ["reminder"] if why and hours == 1 else []
        ) or hours == 1
        for notice in notices:
            await rig.shown.notified(table.id, notice.user, notice.seat.due)
    assert expected == ["remind", "remind"]
    assert (await rig.tables.table(table.id)).deadline == START + timedelta(days=1)


async def test_short_clocks_do_not_remind(rig: Rig) -> None:
    await rig.started(ADA, BEN, clock=ClockRule(3599, "vote"))
    rig.clock.advance(timedelta(seconds=3598))
    assert await rig.scheduler.run_due() == []


async def test_a_reminder_makes_no_menu_stale(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, clock=DAY)
    move = await rig.first_legal(table.id, ADA)
    rig.clock.advance(12 * HOUR)
    assert [change.kind for change in await rig.scheduler.run_due()] == ["remind"]
    await rig.tables.move(table.id, ADA, move, table.revision)


async def test_when_time_is_up_a_stand_in_plays_the_whole_turn_and_no_more(rig: Rig) -> None:
    table = await rig.set_up((await rig.started(ADA, BEN, clock=ClockRule(60))).id, ADA, BEN)
    actor, [other] = await rig.whose_turn(table.id, ADA, BEN)
    rig.clock.advance(timedelta(seconds=60))
    [change] = await rig.scheduler.run_due()
    assert change.kind == "timeout"
    assert change.actor is None
    seat = table.seat_of(actor.id)
    assert seat is not None
    moved = {event.player for event in change.events if event.kind == "move"}
    assert moved == {seat.index}
    now, _ = await rig.whose_turn(table.id, ADA, BEN)
    assert now is other
    assert change.table.seats[seat.index].kind is SeatKind.HUMAN, "nobody is punished by a bot alone"


async def test_everybody_late_in_the_set_up_is_one_change(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, clock=ClockRule(60))
    await rig.play(table.id, BEN)
    rig.clock.advance(timedelta(seconds=60))
    [change] = await rig.scheduler.run_due()
    assert [event.player for event in change.events if event.kind == "move"] == [0, 2]
    assert change.table.deadline == START + timedelta(seconds=120)


async def test_a_game_that_everybody_has_left_alone_comes_to_its_end_by_the_clock(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, clock=ClockRule(60))
    for _ in range(300):
        rig.clock.advance(timedelta(seconds=60))
        await rig.scheduler.run_due()
        after = await rig.tables.table(table.id)
        if after.status is Status.ENDED:
            break
    assert after.ending == "finished"
    assert after.deadline is None


async def test_a_vote_clock_marks_the_late_one_and_lets_the_others_vote(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, clock=ClockRule(60, "vote"))
    table = await rig.set_up(table.id, ADA, BEN, CLEO)
    late, [first, second] = await rig.whose_turn(table.id, ADA, BEN, CLEO)
    seat = table.seat_of(late.id)
    assert seat is not None
    rig.clock.advance(timedelta(seconds=60))
    [change] = await rig.scheduler.run_due()
    assert change.kind == "overdue"
    assert await rig.scheduler.run_due() == []
    asked = await rig.tables.vote(table.id, first, VoteKind.KICK, seat.index)
    assert asked.table.votes[0].needed == 2
    out = await rig.tables.vote(table.id, second, VoteKind.KICK, seat.index)
    assert out.kind == "kick"
    assert out.table.seats[seat.index].kind is SeatKind.STAND_IN
    await rig.computers.run_due()
    now, _ = await rig.whose_turn(table.id, ADA, BEN, CLEO)
    assert now in (first, second), "the game goes on"


async def test_a_late_player_may_still_move_under_a_vote_clock(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, clock=ClockRule(60, "vote"))
    rig.clock.advance(timedelta(seconds=90))
    await rig.scheduler.run_due()
    await rig.play(table.id, ADA)


async def test_with_a_stand_in_clock_nobody_is_voted_out_before_time(rig: Rig) -> None:
    table = await rig.set_up((await rig.started(ADA, BEN, clock=DAY)).id, ADA, BEN)
    late, [other] = await rig.whose_turn(table.id, ADA, BEN)
    seat = table.seat_of(late.id)
    assert seat is not None
    with pytest.raises(TooEarly):
        await rig.tables.vote(table.id, other, VoteKind.KICK, seat.index)


async def test_a_pause_neither_refunds_nor_loses_time(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, clock=DAY)
    rig.clock.advance(5 * HOUR)
    await rig.tables.vote(table.id, ADA, VoteKind.PAUSE)
    paused = (await rig.tables.vote(table.id, BEN, VoteKind.PAUSE)).table
    assert (paused.status, paused.deadline) == (Status.PAUSED, None)
    with pytest.raises(Paused):
        await rig.play(table.id, ADA)
    rig.clock.advance(timedelta(days=90))
    assert await rig.scheduler.run_due() == []
    await rig.tables.vote(table.id, ADA, VoteKind.RESUME)
    going = (await rig.tables.vote(table.id, BEN, VoteKind.RESUME)).table
    assert going.status is Status.PLAYING
    assert going.deadline == rig.clock.now() + 19 * HOUR
    rig.clock.advance(7 * HOUR)
    assert [change.kind for change in await rig.scheduler.run_due()] == ["remind"]


@pytest.mark.both
async def test_what_fell_due_while_the_process_was_down_is_done_once(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    clock = FakeClock()
    async with open_rig(path, clock) as before:
        table = await before.started(ADA, BEN, clock=ClockRule(86_400, "vote"))
        for notice in await all_owed(before.shown):
            await before.shown.notified(table.id, notice.user, notice.seat.due)
    clock.advance(timedelta(days=3))  # both reminders and the end of the time are past
    async with open_rig(path, clock) as after:
        assert [change.kind for change in await after.scheduler.run_due()] == ["overdue"]
        notices = await all_owed(after.shown)
        assert [(notice.user, notice.why) for notice in notices] == [
            (ADA.id, "reminder"),
            (BEN.id, "reminder"),
        ]
        for notice in notices:
            await after.shown.notified(table.id, notice.user, notice.seat.due)
    async with open_rig(path, clock) as again:
        assert await again.scheduler.run_due() == []
        assert await all_owed(again.shown) == []


MINUTES = timedelta(minutes=1)


async def notices(rig: Rig, table: str) -> list[tuple[int, str]]:
    """Send what is owed: to whom, and why."""
    owed = await rig.shown.owed_at(table)
    for notice in owed:
        await rig.shown.notified(table, notice.user, notice.seat.due)
    return [(notice.user, notice.why) for notice in owed]


@pytest.mark.parametrize("clock", [ClockRule(), DAY])
async def test_who_misses_a_later_wave_is_told_after_two_minutes_once(rig: Rig, clock: ClockRule) -> None:
    """Two who were not there had waited for each other for ever."""
    table = (await rig.started(ADA, BEN, CLEO, clock=clock)).id
    everybody = [(person.id, "turn") for person in (ADA, BEN, CLEO)]
    assert await notices(rig, table) == everybody
    for person in (ADA, BEN, CLEO):
        await rig.play(table, person)
    await rig.play(table, ADA)
    assert await notices(rig, table) == []
    rig.clock.advance(2 * MINUTES - timedelta(seconds=1))
    assert await rig.scheduler.run_due() == []
    rig.clock.advance(timedelta(seconds=1))
    [change] = await rig.scheduler.run_due()
    assert change.kind == "remind"
    assert await notices(rig, table) == [(BEN.id, "turn"), (CLEO.id, "turn")]
    rig.clock.advance(timedelta(hours=11))
    assert await rig.scheduler.run_due() == []
    await rig.play(table, BEN)
    assert await notices(rig, table) == [(CLEO.id, "last")], "the last one missing, as ever"
    await rig.play(table, CLEO)
    assert await notices(rig, table) == []
    rig.clock.advance(2 * MINUTES)
    await rig.scheduler.run_due()
    assert await notices(rig, table) == everybody, "the third wave is another"


async def test_who_is_there_is_not_told_of_every_wave(rig: Rig) -> None:
    table = (await rig.started(ADA, BEN)).id
    await notices(rig, table)
    told = []
    for _ in range(4):
        for person in (ADA, BEN):
            rig.clock.advance(timedelta(seconds=50))
            assert await rig.scheduler.run_due() == []
            await rig.play(table, person)
            told += await notices(rig, table)
    assert told[:4] == [(BEN.id, "last")] * 4, "of two, one is the last missing"
    assert [why for _, why in told[4:]] in ([], ["turn"]), "the first turn, unless it is Ben's, who is there"


async def test_who_was_the_last_missing_in_a_wave_is_not_told_of_it_again(rig: Rig) -> None:
    table = (await rig.started(ADA, BEN)).id
    for person in (ADA, BEN, ADA):
        await rig.play(table, person)
    assert await notices(rig, table) == [(BEN.id, "last")]
    rig.clock.advance(timedelta(days=3))
    assert await rig.scheduler.run_due() == []


async def test_who_acted_before_their_notice_went_out_is_not_told_of_the_next_wave_at_once(
    rig: Rig,
) -> None:
    table = (await rig.started(ADA, BEN)).id
    await rig.play(table, ADA)
    await rig.play(table, BEN)
    assert await notices(rig, table) == []


async def test_a_wave_counts_its_two_minutes_without_pauses_and_leaves_alone_who_wants_none(
    rig: Rig,
) -> None:
    table = (await rig.started(ADA, BEN, CLEO)).id
    await notices(rig, table)
    for person in (ADA, BEN, CLEO):
        await rig.play(table, person)
    await rig.tables.snooze(table, BEN)
    rig.clock.advance(MINUTES)
    for person in (ADA, BEN, CLEO):
        await rig.tables.vote(table, person, VoteKind.PAUSE)
    rig.clock.advance(timedelta(days=1))
    assert await rig.scheduler.run_due() == []
    for person in (ADA, BEN):
        await rig.tables.vote(table, person, VoteKind.RESUME)
    assert await rig.scheduler.run_due() == []
    rig.clock.advance(MINUTES)
    assert [change.kind for change in await rig.scheduler.run_due()] == ["remind"]
    assert await notices(rig, table) == [(ADA.id, "turn"), (CLEO.id, "turn")]
    assert await rig.scheduler.run_due() == []
    for person in (ADA, BEN, CLEO):
        await rig.play(table, person)
    assert await notices(rig, table) == []


async def test_those_of_an_expired_lobby_are_told_once_also_when_the_bot_was_down(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    clock = FakeClock()
    async with open_rig(path, clock) as before:
        lobby = (await before.tables.open(ADA, PLACE, "fivetotwelve", computers=1)).table.id
        await before.tables.join(lobby, BEN)
        cancelled = (await before.tables.open(CLEO, PLACE, "fivetotwelve")).table.id
        await before.tables.cancel(cancelled, CLEO)
        assert await all_owed(before.shown) == []
    clock.advance(timedelta(days=3))
    async with open_rig(path, clock) as after:
        assert [change.kind for change in await after.scheduler.run_due()] == ["expire"]
        owed = await all_owed(after.shown)
        assert {notice.table.id for notice in owed} == {lobby}
        assert [seat.user for seat in owed[0].table.owed] == [ADA.id, BEN.id]
        assert (await notices(after, lobby)) == [(ADA.id, "expired"), (BEN.id, "expired")]
    async with open_rig(path, clock) as again:
        assert await all_owed(again.shown) == []
        assert await again.scheduler.run_due() == []


async def test_one_table_that_cannot_tick_does_not_keep_the_others_waiting(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first = await rig.started(ADA, BEN, clock=ClockRule(30))
    second = await rig.started(ADA, CLEO, clock=ClockRule(30))
    tick = rig.tables.tick

    async def broken(table: str) -> object:
        if table == first.id:
            raise RuntimeError("broken table")
        return await tick(table)

    monkeypatch.setattr(rig.tables, "tick", broken)
    rig.clock.advance(timedelta(seconds=30))
    assert [change.table.id for change in await rig.scheduler.run_due()] == [second.id]
    assert f"the clock failed on table {first.id}" in caplog.text
    monkeypatch.setattr(rig.tables, "tick", tick)
    rig.clock.advance(timedelta(minutes=1))
    assert first.id in [change.table.id for change in await rig.scheduler.run_due()]


@pytest.mark.parametrize("weeks", swept([7, 53]))
async def test_a_year_of_a_table(tmp_path: Path, weeks: int) -> None:
    """Pauses, absences, restarts over a year (or its first weeks): every notice once, nothing stuck."""
    path = tmp_path / "parlour.db"
    clock = FakeClock()
    sent: list[tuple[int, int, str]] = []

    async def half_a_day(rig: Rig, table: str, day: int) -> None:
        await rig.scheduler.run_due()
        await rig.computers.run_due()
        for notice in await all_owed(rig.shown):
            sent.append((notice.seat.index, notice.seat.due, notice.why))
            await rig.shown.notified(table, notice.user, notice.seat.due)
        now = await rig.tables.table(table)
        if now.status is Status.PAUSED and day in (16, 160):
            for person in (ADA, BEN):
                await rig.tables.vote(table, person, VoteKind.RESUME)
        elif now.status is Status.PLAYING and day in (9, 140):
            for person in (ADA, BEN, CLEO):
                await rig.tables.vote(table, person, VoteKind.PAUSE)
        elif now.status is Status.PLAYING:
            for person in (ADA, BEN):  # Cleo never comes again: her turns run out
                seat = (await rig.tables.table(table)).seat_of(person.id)
                if seat is not None and seat.since:
                    await rig.play(table, person)

    async with open_rig(path, clock) as rig:
        table = (await rig.started(ADA, BEN, CLEO, clock=ClockRule(14 * 86_400))).id
    for week in range(weeks):
        async with open_rig(path, clock, seed=f"week {week}") as rig:  # a restart every week
            for half in range(14):
                await half_a_day(rig, table, week * 7 + half // 2)
                clock.advance(timedelta(hours=12))
    async with open_rig(path, clock, seed="last") as rig:
        kinds = [entry.kind for entry in await rig.store.entries(table)]
        ended = await rig.tables.table(table)
    assert len(sent) == len(set(sent)), "each notice once"
    assert (2 if weeks < 20 else 15) <= kinds.count("timeout") <= weeks // 2, "fourteen days each"
    reminders = [seat for seat, _, why in sent if why == "reminder"]
    assert set(reminders) == {2}, "only Cleo lets time run"
    assert len(reminders) == kinds.count("remind")
    assert 0 <= len(reminders) - 2 * kinds.count("timeout") <= 2, "two before each time-out"
    pauses = 1 if weeks < 20 else 2
    assert (kinds.count("pause"), kinds.count("resume"), kinds.count("aside")) == (pauses, pauses, 0)
    assert ended.is_open if weeks < 20 else ended.ending == "finished"
