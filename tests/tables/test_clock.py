"""Time: deadlines, reminders, time-outs, pauses, and the one loop that sleeps."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.tables.model import ClockRule, SeatKind, Status, VoteKind
from bot.tables.ports import Paused, TooEarly

from .support import ADA, BEN, CLEO, PLACE, START, FakeClock, House, house

HOUR = timedelta(hours=1)
DAY = ClockRule(86_400)


async def test_each_choice_has_the_time_from_its_opening(home: House) -> None:
    table = await home.started(ADA, BEN, clock=ClockRule(60))
    assert {seat.deadline for seat in table.seats} == {START + timedelta(seconds=60)}
    home.clock.advance(timedelta(seconds=20))
    after = (await home.play(table.id, ADA)).table
    assert [seat.deadline for seat in after.seats] == [None, START + timedelta(seconds=60)]
    assert after.deadline == START + timedelta(seconds=60)
    wave = (await home.play(table.id, BEN)).table
    assert wave.deadline == START + timedelta(seconds=80)


async def test_without_a_clock_nothing_is_ever_due(home: House) -> None:
    table = await home.started(ADA, BEN)
    assert table.deadline is None
    home.clock.advance(timedelta(days=400))
    assert await home.scheduler.run_due() == []


async def test_reminders_come_at_half_time_and_shortly_before_the_end_each_once(home: House) -> None:
    table = await home.set_up((await home.started(ADA, BEN, clock=DAY)).id, ADA, BEN)
    first, [actor] = await home.whose_turn(table.id, ADA, BEN)
    drawn = await home.tables.move(table.id, first, "draw", table.revision)
    await home.tables.move(table.id, first, "leave", drawn.table.revision)
    [owed] = await home.tables.owed_at(table.id)
    assert (owed.user, owed.why) == (actor.id, "turn")
    await home.tables.notified(table.id, owed.user, owed.seat.due)
    assert await home.tables.owed() == []
    expected = []
    for hours, why in ((11, ""), (1, "remind"), (9, ""), (1, "remind"), (1, "")):
        home.clock.advance(timedelta(hours=hours))
        expected += [change.kind for change in await home.scheduler.run_due()]
        notices = await home.tables.owed_at(table.id)
        # a tenth of the day before its end is 2.4 hours before: hour 21.6
        assert [notice.why for notice in notices] == (
            ["reminder"] if why and hours == 1 else []
        ) or hours == 1
        for notice in notices:
            await home.tables.notified(table.id, notice.user, notice.seat.due)
    assert expected == ["remind", "remind"]
    assert (await home.tables.table(table.id)).deadline == START + timedelta(days=1)


async def test_short_clocks_do_not_remind(home: House) -> None:
    await home.started(ADA, BEN, clock=ClockRule(3599, "vote"))
    home.clock.advance(timedelta(seconds=3598))
    assert await home.scheduler.run_due() == []


async def test_a_reminder_makes_no_menu_stale(home: House) -> None:
    table = await home.started(ADA, BEN, clock=DAY)
    move = await home.first_legal(table.id, ADA)
    home.clock.advance(12 * HOUR)
    assert [change.kind for change in await home.scheduler.run_due()] == ["remind"]
    await home.tables.move(table.id, ADA, move, table.revision)


async def test_when_time_is_up_a_stand_in_plays_the_whole_turn_and_no_more(home: House) -> None:
    table = await home.set_up((await home.started(ADA, BEN, clock=ClockRule(60))).id, ADA, BEN)
    actor, [other] = await home.whose_turn(table.id, ADA, BEN)
    home.clock.advance(timedelta(seconds=60))
    [change] = await home.scheduler.run_due()
    assert change.kind == "timeout"
    assert change.actor is None
    seat = table.seat_of(actor.id)
    assert seat is not None
    moved = {event.player for event in change.events if event.kind == "move"}
    assert moved == {seat.index}
    now, _ = await home.whose_turn(table.id, ADA, BEN)
    assert now is other
    assert change.table.seats[seat.index].kind is SeatKind.HUMAN, "nobody is punished by a bot alone"


async def test_everybody_late_in_the_set_up_is_one_change(home: House) -> None:
    table = await home.started(ADA, BEN, CLEO, clock=ClockRule(60))
    await home.play(table.id, BEN)
    home.clock.advance(timedelta(seconds=60))
    [change] = await home.scheduler.run_due()
    assert [event.player for event in change.events if event.kind == "move"] == [0, 2]
    assert change.table.deadline == START + timedelta(seconds=120)


async def test_a_game_that_everybody_has_left_alone_comes_to_its_end_by_the_clock(home: House) -> None:
    table = await home.started(ADA, BEN, clock=ClockRule(60))
    for _ in range(300):
        home.clock.advance(timedelta(seconds=60))
        await home.scheduler.run_due()
        after = await home.tables.table(table.id)
        if after.status is Status.ENDED:
            break
    assert after.ending == "finished"
    assert after.deadline is None


async def test_a_vote_clock_marks_the_late_one_and_lets_the_others_vote(home: House) -> None:
    table = await home.started(ADA, BEN, CLEO, clock=ClockRule(60, "vote"))
    table = await home.set_up(table.id, ADA, BEN, CLEO)
    late, [first, second] = await home.whose_turn(table.id, ADA, BEN, CLEO)
    seat = table.seat_of(late.id)
    assert seat is not None
    home.clock.advance(timedelta(seconds=60))
    [change] = await home.scheduler.run_due()
    assert change.kind == "overdue"
    assert await home.scheduler.run_due() == []
    asked = await home.tables.vote(table.id, first, VoteKind.KICK, seat.index)
    assert asked.table.votes[0].needed == 2
    out = await home.tables.vote(table.id, second, VoteKind.KICK, seat.index)
    assert out.kind == "kick"
    assert out.table.seats[seat.index].kind is SeatKind.STAND_IN
    await home.machines.run_due()
    now, _ = await home.whose_turn(table.id, ADA, BEN, CLEO)
    assert now in (first, second), "the game goes on"


async def test_a_late_player_may_still_move_under_a_vote_clock(home: House) -> None:
    table = await home.started(ADA, BEN, clock=ClockRule(60, "vote"))
    home.clock.advance(timedelta(seconds=90))
    await home.scheduler.run_due()
    await home.play(table.id, ADA)


async def test_with_a_stand_in_clock_nobody_is_voted_out_before_time(home: House) -> None:
    table = await home.set_up((await home.started(ADA, BEN, clock=DAY)).id, ADA, BEN)
    late, [other] = await home.whose_turn(table.id, ADA, BEN)
    seat = table.seat_of(late.id)
    assert seat is not None
    with pytest.raises(TooEarly):
        await home.tables.vote(table.id, other, VoteKind.KICK, seat.index)


async def test_a_pause_neither_refunds_nor_loses_time(home: House) -> None:
    table = await home.started(ADA, BEN, clock=DAY)
    home.clock.advance(5 * HOUR)
    await home.tables.vote(table.id, ADA, VoteKind.PAUSE)
    paused = (await home.tables.vote(table.id, BEN, VoteKind.PAUSE)).table
    assert (paused.status, paused.deadline) == (Status.PAUSED, None)
    with pytest.raises(Paused):
        await home.play(table.id, ADA)
    home.clock.advance(timedelta(days=90))
    assert await home.scheduler.run_due() == []
    await home.tables.vote(table.id, ADA, VoteKind.RESUME)
    going = (await home.tables.vote(table.id, BEN, VoteKind.RESUME)).table
    assert going.status is Status.PLAYING
    assert going.deadline == home.clock.now() + 19 * HOUR
    home.clock.advance(7 * HOUR)
    assert [change.kind for change in await home.scheduler.run_due()] == ["remind"]


async def test_what_fell_due_while_the_process_was_down_is_done_once(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    clock = FakeClock()
    async with house(path, clock) as before:
        table = await before.started(ADA, BEN, clock=ClockRule(86_400, "vote"))
        for notice in await before.tables.owed():
            await before.tables.notified(table.id, notice.user, notice.seat.due)
    clock.advance(timedelta(days=3))  # both reminders and the end of the time are past
    async with house(path, clock) as after:
        assert [change.kind for change in await after.scheduler.run_due()] == ["overdue"]
        notices = await after.tables.owed()
        assert [(notice.user, notice.why) for notice in notices] == [
            (ADA.id, "reminder"),
            (BEN.id, "reminder"),
        ]
        for notice in notices:
            await after.tables.notified(table.id, notice.user, notice.seat.due)
    async with house(path, clock) as again:
        assert await again.scheduler.run_due() == []
        assert await again.tables.owed() == []


MINUTES = timedelta(minutes=1)


async def notices(home: House, table: str) -> list[tuple[int, str]]:
    """Send what is owed: to whom, and why."""
    owed = await home.tables.owed_at(table)
    for notice in owed:
        await home.tables.notified(table, notice.user, notice.seat.due)
    return [(notice.user, notice.why) for notice in owed]


@pytest.mark.parametrize("clock", [ClockRule(), DAY])
async def test_who_misses_a_later_wave_is_told_after_two_minutes_once(home: House, clock: ClockRule) -> None:
    """Two who were not there had waited for each other for ever."""
    table = (await home.started(ADA, BEN, CLEO, clock=clock)).id
    everybody = [(person.id, "turn") for person in (ADA, BEN, CLEO)]
    assert await notices(home, table) == everybody
    for person in (ADA, BEN, CLEO):
        await home.play(table, person)
    await home.play(table, ADA)
    assert await notices(home, table) == []
    home.clock.advance(2 * MINUTES - timedelta(seconds=1))
    assert await home.scheduler.run_due() == []
    home.clock.advance(timedelta(seconds=1))
    [change] = await home.scheduler.run_due()
    assert change.kind == "remind"
    assert await notices(home, table) == [(BEN.id, "turn"), (CLEO.id, "turn")]
    home.clock.advance(timedelta(hours=11))
    assert await home.scheduler.run_due() == []
    await home.play(table, BEN)
    assert await notices(home, table) == [(CLEO.id, "last")], "the last one missing, as ever"
    await home.play(table, CLEO)
    assert await notices(home, table) == []
    home.clock.advance(2 * MINUTES)
    await home.scheduler.run_due()
    assert await notices(home, table) == everybody, "the third wave is another"


async def test_who_is_there_is_not_told_of_every_wave(home: House) -> None:
    table = (await home.started(ADA, BEN)).id
    await notices(home, table)
    told = []
    for _ in range(4):
        for person in (ADA, BEN):
            home.clock.advance(timedelta(seconds=50))
            assert await home.scheduler.run_due() == []
            await home.play(table, person)
            told += await notices(home, table)
    assert told[:4] == [(BEN.id, "last")] * 4, "of two, one is the last missing"
    assert [why for _, why in told[4:]] in ([], ["turn"]), "the first turn, unless it is Ben's, who is there"


async def test_who_was_the_last_missing_in_a_wave_is_not_told_of_it_again(home: House) -> None:
    table = (await home.started(ADA, BEN)).id
    for person in (ADA, BEN, ADA):
        await home.play(table, person)
    assert await notices(home, table) == [(BEN.id, "last")]
    home.clock.advance(timedelta(days=3))
    assert await home.scheduler.run_due() == []


async def test_who_acted_before_their_notice_went_out_is_not_told_of_the_next_wave_at_once(
    home: House,
) -> None:
    table = (await home.started(ADA, BEN)).id
    await home.play(table, ADA)
    await home.play(table, BEN)
    assert await notices(home, table) == []


async def test_a_wave_counts_its_two_minutes_without_pauses_and_leaves_alone_who_wants_none(
    home: House,
) -> None:
    table = (await home.started(ADA, BEN, CLEO)).id
    await notices(home, table)
    for person in (ADA, BEN, CLEO):
        await home.play(table, person)
    await home.tables.snooze(table, BEN)
    home.clock.advance(MINUTES)
    for person in (ADA, BEN, CLEO):
        await home.tables.vote(table, person, VoteKind.PAUSE)
    home.clock.advance(timedelta(days=1))
    assert await home.scheduler.run_due() == []
    for person in (ADA, BEN):
        await home.tables.vote(table, person, VoteKind.RESUME)
    assert await home.scheduler.run_due() == []
    home.clock.advance(MINUTES)
    assert [change.kind for change in await home.scheduler.run_due()] == ["remind"]
    assert await notices(home, table) == [(ADA.id, "turn"), (CLEO.id, "turn")]
    assert await home.scheduler.run_due() == []
    for person in (ADA, BEN, CLEO):
        await home.play(table, person)
    assert await notices(home, table) == []


async def test_those_of_an_expired_lobby_are_told_once_also_when_the_bot_was_down(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    clock = FakeClock()
    async with house(path, clock) as before:
        lobby = (await before.tables.open(ADA, PLACE, "fivetotwelve", computers=1)).table.id
        await before.tables.join(lobby, BEN)
        cancelled = (await before.tables.open(CLEO, PLACE, "fivetotwelve")).table.id
        await before.tables.cancel(cancelled, CLEO)
        assert await before.tables.owed() == []
    clock.advance(timedelta(days=3))
    async with house(path, clock) as after:
        assert [change.kind for change in await after.scheduler.run_due()] == ["expire"]
        owed = await after.tables.owed()
        assert {notice.table.id for notice in owed} == {lobby}
        assert [seat.user for seat in owed[0].table.owed] == [ADA.id, BEN.id]
        assert (await notices(after, lobby)) == [(ADA.id, "expired"), (BEN.id, "expired")]
    async with house(path, clock) as again:
        assert await again.tables.owed() == []
        assert await again.scheduler.run_due() == []


async def test_one_table_that_cannot_tick_does_not_keep_the_others_waiting(
    home: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first = await home.started(ADA, BEN, clock=ClockRule(30))
    second = await home.started(ADA, CLEO, clock=ClockRule(30))
    tick = home.tables.tick

    async def broken(table: str) -> object:
        if table == first.id:
            raise RuntimeError("broken table")
        return await tick(table)

    monkeypatch.setattr(home.tables, "tick", broken)
    home.clock.advance(timedelta(seconds=30))
    assert [change.table.id for change in await home.scheduler.run_due()] == [second.id]
    assert f"the clock failed on table {first.id}" in caplog.text
    monkeypatch.setattr(home.tables, "tick", tick)
    home.clock.advance(timedelta(minutes=1))
    assert first.id in [change.table.id for change in await home.scheduler.run_due()]


@pytest.mark.parametrize("weeks", [7, pytest.param(53, marks=pytest.mark.long)])
async def test_a_year_of_a_table(tmp_path: Path, weeks: int) -> None:
    """Pauses, absences, restarts over a year (or its first weeks): every notice once, nothing stuck."""
    path = tmp_path / "parlour.db"
    clock = FakeClock()
    sent: list[tuple[int, int, str]] = []

    async def half_a_day(home: House, table: str, day: int) -> None:
        await home.scheduler.run_due()
        await home.machines.run_due()
        for notice in await home.tables.owed():
            sent.append((notice.seat.index, notice.seat.due, notice.why))
            await home.tables.notified(table, notice.user, notice.seat.due)
        now = await home.tables.table(table)
        if now.status is Status.PAUSED and day in (16, 160):
            for person in (ADA, BEN):
                await home.tables.vote(table, person, VoteKind.RESUME)
        elif now.status is Status.PLAYING and day in (9, 140):
            for person in (ADA, BEN, CLEO):
                await home.tables.vote(table, person, VoteKind.PAUSE)
        elif now.status is Status.PLAYING:
            for person in (ADA, BEN):  # Cleo never comes again: her turns run out
                seat = (await home.tables.table(table)).seat_of(person.id)
                if seat is not None and seat.since:
                    await home.play(table, person)

    async with house(path, clock) as home:
        table = (await home.started(ADA, BEN, CLEO, clock=ClockRule(14 * 86_400))).id
    for week in range(weeks):
        async with house(path, clock, seed=f"week {week}") as home:  # a restart every week
            for half in range(14):
                await half_a_day(home, table, week * 7 + half // 2)
                clock.advance(timedelta(hours=12))
    async with house(path, clock, seed="last") as home:
        kinds = [entry.kind for entry in await home.store.entries(table)]
        ended = await home.tables.table(table)
    assert len(sent) == len(set(sent)), "each notice once"
    assert (2 if weeks < 20 else 15) <= kinds.count("timeout") <= weeks // 2, "fourteen days each"
    reminders = [seat for seat, _, why in sent if why == "reminder"]
    assert set(reminders) == {2}, "only Cleo lets time run"
    assert len(reminders) == kinds.count("remind")
    assert 0 <= len(reminders) - 2 * kinds.count("timeout") <= 2, "two before each time-out"
    pauses = 1 if weeks < 20 else 2
    assert (kinds.count("pause"), kinds.count("resume"), kinds.count("aside")) == (pauses, pauses, 0)
    assert ended.is_open if weeks < 20 else ended.ending == "finished"
