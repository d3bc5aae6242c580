"""When a notice comes: rhythms, quiet hours, clocks, and what slows them down."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.tables.model import ClockRule, Letter, Owed, Seat, SeatKind, Status, Table, UserSettings
from bot.tables.rhythm import LATER, TAKEN_OVER, after_quiet, next_hour, paced, ring_at, slowed
from tests.tables.support import ADA, PLACE

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
BERLIN = UserSettings(ADA.id, timezone="Europe/Berlin")  # 14:00 there
HOURS = timedelta(hours=1)


def due(why: str = "turn", *, at: datetime = NOON, clock: timedelta | None = None) -> Owed:
    """A notice that fell due then, of a turn that began at noon."""
    seconds = None if clock is None else int(clock.total_seconds())
    deadline = None if clock is None else NOON + clock
    seat = Seat(0, SeatKind.HUMAN, ADA.id, "Ada", since=1, due=1, opened=NOON, deadline=deadline, due_at=at)
    rule = ClockRule(seconds)
    table = Table(
        "ABCDEF", 1, Status.PLAYING, "zatre", 1, {}, ADA.id, PLACE, (seat,), "", rule, NOON, NOON
    )  # fmt: skip
    return Owed(table, seat, ADA.id, why)


@pytest.mark.parametrize(
    ("rhythm", "hours"), [("at_once", 0), ("half_hour", 0.5), ("digest", 4), ("none", None)]
)
def test_each_rhythm_has_its_time(rhythm: str, hours: float | None) -> None:
    settings = replace(BERLIN, rhythm=rhythm, digest_hour=18)
    expected = None if hours is None else NOON + hours * HOURS
    assert ring_at(due(), settings, Letter(ADA.id)) == expected


def test_nothing_holds_a_notice_back_beyond_half_of_the_clock() -> None:
    night = replace(BERLIN, rhythm="digest", digest_hour=9, quiet_from=13, quiet_to=12)
    free = ring_at(due(), night, Letter(ADA.id))
    assert free == datetime(2026, 6, 2, 10, 0, tzinfo=UTC)  # the digest at nine is in the quiet hours
    clock = 2 * HOURS
    half = NOON + HOURS
    reminded = half + TAKEN_OVER  # the reminder has come by then, in place of it
    assert ring_at(due(clock=clock), night, Letter(ADA.id, later=NOON + LATER)) == reminded
    assert ring_at(due(clock=clock), night, Letter(ADA.id), busy=NOON + 9 * HOURS) == reminded
    short = 10 * timedelta(minutes=1)  # without reminders
    assert ring_at(due(clock=short), night, Letter(ADA.id)) == NOON + short / 2
    for stage in (half, half + timedelta(minutes=48)):  # reminders, whatever rhythm was chosen
        for rhythm in ("digest", "none"):
            settings = replace(night, rhythm=rhythm)
            assert ring_at(due("reminder", at=stage, clock=clock), settings, Letter(ADA.id)) == stage
    assert ring_at(due("last", at=half + HOURS / 2, clock=clock), night, Letter(ADA.id)) == half + HOURS / 2


@pytest.mark.parametrize("quiet", [(0, 0), (13, 12)])
def test_who_wants_none_is_told_at_half_of_a_clock_too_short_for_reminders(quiet: tuple[int, int]) -> None:
    settings = replace(BERLIN, rhythm="none", quiet_from=quiet[0], quiet_to=quiet[1])
    minute = HOURS / 60
    for clock in (minute, 59 * minute):
        assert ring_at(due(clock=clock), settings, Letter(ADA.id)) == NOON + clock / 2
        busy = NOON + 9 * HOURS
        assert ring_at(due(clock=clock), settings, Letter(ADA.id), busy=busy) == NOON + clock / 2
        late = NOON + clock * 0.75
        assert ring_at(due("last", at=late, clock=clock), settings, Letter(ADA.id)) == late
    assert ring_at(due(clock=HOURS), settings, Letter(ADA.id)) is None, "the reminder comes"


def test_later_after_half_time_is_kept_until_the_last_reminder() -> None:
    clock = 4 * HOURS
    pressed = NOON + 2.25 * HOURS
    put_off = Letter(ADA.id, later=pressed + LATER)
    assert ring_at(due(clock=clock), BERLIN, put_off) == pressed + LATER
    assert ring_at(due("reminder", at=NOON + 2 * HOURS, clock=clock), BERLIN, put_off) == pressed + LATER
    last = NOON + 3 * HOURS
    assert ring_at(due("reminder", at=last, clock=clock), BERLIN, put_off) == last
    assert ring_at(due(), BERLIN, put_off) == pressed + LATER  # without a clock as well


@pytest.mark.parametrize(
    ("local", "ends"),
    [
        ("2026-06-01 21:59", "2026-06-01 21:59"),
        ("2026-06-01 22:00", "2026-06-02 07:00"),  # across midnight
        ("2026-06-02 06:59", "2026-06-02 07:00"),
        ("2026-06-02 07:00", "2026-06-02 07:00"),
        ("2026-03-28 23:30", "2026-03-29 07:00"),  # an hour less that night
        ("2026-10-24 23:30", "2026-10-25 07:00"),  # an hour more
    ],
)
def test_quiet_hours_are_by_the_person_s_clock(local: str, ends: str) -> None:
    settings = replace(BERLIN, quiet_from=22, quiet_to=7)

    def utc(text: str) -> datetime:
        return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Berlin")).astimezone(UTC)

    assert after_quiet(utc(local), settings) == utc(ends)


def test_an_hour_that_the_clocks_leave_out_is_the_next_and_one_that_comes_twice_the_first() -> None:
    spring = datetime(2026, 3, 28, 22, 0, tzinfo=UTC)
    assert next_hour(spring, 2, BERLIN) == datetime(2026, 3, 29, 1, 0, tzinfo=UTC)  # 03:00 there
    autumn = datetime(2026, 10, 24, 22, 0, tzinfo=UTC)
    assert next_hour(autumn, 2, BERLIN) == datetime(2026, 10, 25, 0, 0, tzinfo=UTC)
    assert next_hour(autumn, 0, BERLIN) == autumn
    assert next_hour(NOON, 12, UserSettings(ADA.id)) == NOON, "UTC where none was chosen"
    assert next_hour(NOON, 12, UserSettings(ADA.id, timezone="Mars/Base")) == NOON


def test_every_three_without_an_answer_slow_it_down_a_step() -> None:
    assert [paced("at_once", many) for many in (0, 2, 3, 5, 6, 99)] == [
        "at_once", "at_once", "half_hour", "half_hour", "digest", "digest",
    ]  # fmt: skip
    assert [paced(rhythm, 3) for rhythm in ("half_hour", "digest", "none")] == ["digest", "digest", "none"]
    assert [slowed("at_once", many) for many in range(8)] == [
        None, None, None, "half_hour", None, None, "digest", None,
    ]  # fmt: skip
    assert [slowed("digest", many) for many in range(8)] == [None] * 8
