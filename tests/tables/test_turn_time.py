"""A turn's time is one: over its parts, over what is taken back, and whoever sits there."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from bot.rules.chance import Generator
from bot.rules.errors import RulesError
from bot.storage import SqlStore
from bot.tables.model import ClockRule, Loaded, Person, Seat, SeatKind, Status, Table, VoteKind
from bot.tables.ports import Refusal

from .support import ADA, BEN, CLEO, DAN, EVE, FakeClock, Rig, typed

MINUTE = ClockRule(60)
DAY = ClockRule(86_400)
HOUR = timedelta(hours=1)
PEOPLE = (ADA, BEN, CLEO, DAN, EVE)


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


async def on_turn(rig: Rig, table: Table) -> tuple[Person, Seat]:
    """Who is to act alone."""
    [seat] = (await rig.tables.table(table.id)).to_act
    return next(person for person in PEOPLE if person.id == seat.user), seat


async def topominos(rig: Rig, *people: Person, clock: ClockRule = MINUTE) -> tuple[Table, Person, Seat]:
    table = await rig.started(*people, game="topominos", clock=clock)
    return (table, *await on_turn(rig, table))


async def lay(rig: Rig, table: Table, person: Person) -> Table:
    """A piece of Topominos that draws none after it."""
    loaded = await rig.tables.load(table.id)
    seat = loaded.table.seat_of(person.id)
    assert seat is not None
    assert loaded.state is not None
    move = next(move for move in loaded.state.legal(seat.index) if "@" in move)
    return (await typed(rig.tables, table.id, person, move)).table


async def wait(rig: Rig, time: float) -> list[str]:
    """What the clock did meanwhile."""
    rig.clock.advance(seconds(time))
    return [change.kind for change in await rig.scheduler.run_due()]


async def voted(rig: Rig, table: Table, kind: VoteKind, *people: Person) -> Table:
    for person in people:
        change = await rig.tables.vote(table.id, person, kind)
    assert change.kind == kind.value
    return change.table


async def a_turn_without_a_draw(rig: Rig, *people: Person) -> tuple[Table, Person, Seat]:
    """5 vor 12, up to where a finished turn may be taken back: a tile lies in the middle."""
    table = await rig.started(*people, clock=MINUTE)
    await rig.set_up(table.id, *people)
    actor, _ = await on_turn(rig, table)
    await typed(rig.tables, table.id, actor, "draw")
    table = (await typed(rig.tables, table.id, actor, "leave")).table
    return (table, *await on_turn(rig, table))


async def take(rig: Rig, table: Table, actor: Person) -> Table:
    loaded = await rig.tables.load(table.id)
    seat = loaded.table.seat_of(actor.id)
    assert seat is not None
    assert loaded.state is not None
    move = next(move for move in loaded.state.legal(seat.index) if move.startswith("take"))
    return (await typed(rig.tables, table.id, actor, move)).table


# ------------------------------------------------------------------------- one turn


async def test_laying_and_taking_back_forty_times_does_not_wind_the_clock_up(rig: Rig) -> None:
    """At 60 seconds a turn this had held one turn for 4,000."""
    table, actor, _ = await topominos(rig, ADA, BEN)
    for times in range(40):  # noqa: B007 - told below
        await lay(rig, table, actor)
        if "timeout" in await wait(rig, 25):
            break
        await rig.tables.undo(table.id, actor)
        if "timeout" in await wait(rig, 25):
            break
    assert times == 1, "25, 50, and up at 60 of the third wait"
    assert (await on_turn(rig, table))[0] is not actor


async def test_all_parts_of_a_turn_share_its_time_and_the_next_one_has_its_own(rig: Rig) -> None:
    table, actor, seat = await topominos(rig, ADA, BEN)
    rig.clock.advance(seconds(40))
    after = await lay(rig, table, actor)
    part = after.seats[seat.index]
    assert part.deadline == after.deadline == seat.deadline
    assert part.opened == seat.opened
    assert part.since == after.revision, "a click on the part before is still stale"
    rig.clock.advance(seconds(15))
    after = (await typed(rig.tables, table.id, actor, "end")).table
    [following] = after.to_act
    assert following.deadline == rig.clock.now() + seconds(60)
    assert after.seats[seat.index].deadline is None


async def test_an_extra_turn_has_a_time_of_its_own(rig: Rig) -> None:
    """Option bruno of 5 vor 12; alone at the table every turn follows an own one."""
    table, actor, seat = await topominos(rig, ADA)
    rig.clock.advance(seconds(40))
    await lay(rig, table, actor)
    after = (await typed(rig.tables, table.id, actor, "end")).table
    assert after.seats[0].deadline == rig.clock.now() + seconds(60)
    assert after.seats[0].deadline != seat.deadline


async def test_reminders_are_given_once_in_a_turn_and_not_for_each_part(rig: Rig) -> None:
    table, actor, _ = await topominos(rig, ADA, BEN, clock=DAY)
    rig.clock.advance(12 * HOUR)
    assert [change.kind for change in await rig.scheduler.run_due()] == ["remind"]
    await lay(rig, table, actor)
    await rig.tables.undo(table.id, actor)
    await lay(rig, table, actor)
    assert await rig.scheduler.run_due() == []
    rig.clock.advance(9 * HOUR)
    assert await rig.scheduler.run_due() == []
    rig.clock.advance(HOUR)
    assert [change.kind for change in await rig.scheduler.run_due()] == ["remind"]
    rig.clock.advance(2 * HOUR)
    assert [change.kind for change in await rig.scheduler.run_due()] == ["timeout"]


async def test_without_a_clock_patience_begins_anew_with_each_own_part(rig: Rig) -> None:
    table, actor, seat = await topominos(rig, ADA, BEN, clock=ClockRule())
    rig.clock.advance(20 * HOUR)
    after = await lay(rig, table, actor)
    assert after.seats[seat.index].opened == rig.clock.now()
    assert after.deadline is None


async def test_when_time_is_up_in_the_middle_of_a_turn_a_stand_in_ends_it_and_no_more(rig: Rig) -> None:
    table, actor, _ = await topominos(rig, ADA)
    await lay(rig, table, actor)
    before = (await rig.tables.load(table.id)).state
    assert before is not None
    assert await wait(rig, 60) == ["timeout"]
    after = await rig.tables.load(table.id)
    assert after.state is not None
    assert after.state.turn() > before.turn()
    assert not after.state.view(0).laid
    assert after.table.seats[0].deadline == rig.clock.now() + seconds(60)


async def test_who_is_overdue_stops_no_vote_with_a_part_of_their_turn(rig: Rig) -> None:
    """Laying a piece and taking it back had dropped the question as often as it was asked."""
    table, actor, seat = await topominos(rig, ADA, BEN, CLEO, clock=ClockRule(60, "vote"))
    first, second = (person for person in (ADA, BEN, CLEO) if person is not actor)
    assert await wait(rig, 60) == ["overdue"]
    await rig.tables.vote(table.id, first, VoteKind.KICK, seat.index)
    assert (await lay(rig, table, actor)).votes
    assert (await rig.tables.undo(table.id, actor)).table.votes
    out = await rig.tables.vote(table.id, second, VoteKind.KICK, seat.index)
    assert out.table.seats[seat.index].kind is SeatKind.STAND_IN


async def test_who_is_overdue_and_ends_their_turn_is_kicked_no_more(rig: Rig) -> None:
    table, actor, seat = await topominos(rig, ADA, BEN, CLEO, clock=ClockRule(60, "vote"))
    first = next(person for person in (ADA, BEN, CLEO) if person is not actor)
    await wait(rig, 60)
    await rig.tables.vote(table.id, first, VoteKind.KICK, seat.index)
    assert (await typed(rig.tables, table.id, actor, "pass")).table.votes == ()


# ------------------------------------------------------------------------- turns taken back


async def test_a_finished_turn_taken_back_has_what_was_left_of_it(rig: Rig) -> None:
    table, actor, seat = await a_turn_without_a_draw(rig, ADA, BEN)
    left = 60.0
    for spent in (10, 15, 5):
        rig.clock.advance(seconds(spent))
        left -= spent
        await take(rig, table, actor)
        rig.clock.advance(seconds(7))
        after = await voted(rig, table, VoteKind.UNDO, ADA, BEN)
        assert after.seats[seat.index].deadline == rig.clock.now() + seconds(left)
    assert await wait(rig, left) == ["timeout"]


async def test_a_turn_that_was_open_before_the_taking_back_goes_on_with_its_time(rig: Rig) -> None:
    """Two had lengthened each other's turns so."""
    table, actor, _ = await a_turn_without_a_draw(rig, ADA, BEN)
    after = await take(rig, table, actor)
    [following] = after.to_act
    for times in (1, 2, 3):
        rig.clock.advance(seconds(18))
        await voted(rig, table, VoteKind.UNDO, ADA, BEN)
        after = await take(rig, table, actor)
        assert after.seats[following.index].deadline == rig.clock.now() + seconds(60 - 18 * times)
    assert await wait(rig, 6) == ["timeout"]


async def test_alone_the_step_that_ended_a_turn_gives_no_time_when_taken_back(rig: Rig) -> None:
    table, actor, _ = await topominos(rig, ADA)
    rig.clock.advance(seconds(45))
    opened = (await typed(rig.tables, table.id, actor, "pass")).table  # draws nothing, so it may go back
    assert opened.deadline == rig.clock.now() + seconds(60)
    rig.clock.advance(seconds(50))
    back = (await rig.tables.undo(table.id, actor)).table
    assert back.deadline == rig.clock.now() + seconds(15)
    again = (await typed(rig.tables, table.id, actor, "pass")).table
    assert again.deadline == rig.clock.now() + seconds(10)


async def test_with_nothing_left_a_turn_taken_back_runs_out_at_once(rig: Rig) -> None:
    table, actor, seat = await a_turn_without_a_draw(rig, ADA, BEN)
    rig.clock.advance(seconds(60))  # the clock has not looked yet
    await take(rig, table, actor)
    after = await voted(rig, table, VoteKind.UNDO, ADA, BEN)
    assert after.seats[seat.index].deadline == rig.clock.now()
    assert [change.kind for change in await rig.scheduler.run_due()] == ["timeout"]


async def test_a_reminder_that_lies_behind_is_not_given_again(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, clock=DAY)
    await rig.set_up(table.id, ADA, BEN)
    actor, _ = await on_turn(rig, table)
    await typed(rig.tables, table.id, actor, "draw")
    await typed(rig.tables, table.id, actor, "leave")
    actor, _ = await on_turn(rig, table)
    rig.clock.advance(14 * HOUR)
    assert [change.kind for change in await rig.scheduler.run_due()] == ["remind"]
    await take(rig, table, actor)
    await voted(rig, table, VoteKind.UNDO, ADA, BEN)
    assert await rig.scheduler.run_due() == []
    assert {owed.why for owed in await rig.shown.owed_at(table.id)} == {"turn"}
    rig.clock.advance(8 * HOUR)
    assert [change.kind for change in await rig.scheduler.run_due()] == ["remind"]


async def test_one_of_several_who_choose_at_once_gets_back_what_was_left_for_them(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, game="top12", clock=MINUTE)
    rig.clock.advance(seconds(20))
    await typed(rig.tables, table.id, BEN, "10@A1 20@B1 30@C1 40@D1 50@E1")
    rig.clock.advance(seconds(5))
    after = await voted(rig, table, VoteKind.UNDO, BEN, ADA, CLEO)
    times = [seat.deadline and seat.deadline - rig.clock.now() for seat in after.seats]
    assert times == [seconds(35), seconds(40), seconds(35)]


async def test_what_was_stored_without_the_time_left_goes_on(rig: Rig, monkeypatch: Any) -> None:
    """Tables of the version before: one full time, and from then on what is left."""
    from bot.tables import settle

    table, actor, seat = await a_turn_without_a_draw(rig, ADA, BEN)
    with monkeypatch.context() as before:
        before.setattr(settle, "left_of", lambda seat, at: None)
        rig.clock.advance(seconds(50))
        await take(rig, table, actor)
    after = await voted(rig, table, VoteKind.UNDO, ADA, BEN)
    assert after.seats[seat.index].deadline == rig.clock.now() + seconds(60)
    rig.clock.advance(seconds(50))
    await take(rig, table, actor)
    after = await voted(rig, table, VoteKind.UNDO, ADA, BEN)
    assert after.seats[seat.index].deadline == rig.clock.now() + seconds(10)


# ------------------------------------------------------------------------- pauses and seats


async def test_a_pause_between_parts_neither_refunds_nor_loses(rig: Rig) -> None:
    table, actor, seat = await topominos(rig, ADA, BEN)
    rig.clock.advance(seconds(20))
    await lay(rig, table, actor)
    await voted(rig, table, VoteKind.PAUSE, ADA, BEN)
    rig.clock.advance(timedelta(days=3))
    await voted(rig, table, VoteKind.RESUME, ADA, BEN)
    after = (await rig.tables.undo(table.id, actor)).table
    assert after.seats[seat.index].deadline == rig.clock.now() + seconds(40)


async def given_up(rig: Rig, table: Table, person: Person, host: Person) -> Table:
    seat = (await rig.tables.table(table.id)).seat_of(person.id)
    assert seat is not None
    await rig.tables.resign(table.id, person)
    return (await rig.tables.vote(table.id, host, VoteKind.OPEN_SEAT, seat.index)).table


@pytest.mark.parametrize("same", [True, False])
async def test_a_seat_given_up_and_taken_again_keeps_its_time(rig: Rig, same: bool) -> None:
    table, actor, seat = await topominos(rig, ADA, BEN, CLEO)
    host = next(person for person in (ADA, BEN, CLEO) if person is not actor)
    await rig.tables.pass_host(table.id, ADA, host.id)
    rig.clock.advance(seconds(25))
    opened = await given_up(rig, table, actor, host)
    assert opened.deadline is None, "an open seat's time is nobody's to watch"
    rig.clock.advance(seconds(5))
    taken = await rig.tables.take_seat(table.id, actor if same else EVE, seat.index)
    assert taken.table.deadline == seat.deadline
    assert await wait(rig, 30) == ["timeout"]


async def test_a_seat_taken_in_a_pause_has_no_time_added_by_it(rig: Rig) -> None:
    table, actor, seat = await topominos(rig, ADA, BEN, CLEO)
    others = [person for person in (ADA, BEN, CLEO) if person is not actor]
    await rig.tables.pass_host(table.id, ADA, others[0].id)
    rig.clock.advance(seconds(25))
    await voted(rig, table, VoteKind.PAUSE, ADA, BEN, CLEO)
    rig.clock.advance(seconds(100))
    await given_up(rig, table, actor, others[0])
    rig.clock.advance(seconds(100))
    await rig.tables.take_seat(table.id, EVE, seat.index)
    rig.clock.advance(seconds(100))
    after = await voted(rig, table, VoteKind.RESUME, *others)
    assert after.deadline == rig.clock.now() + seconds(35)


async def test_what_a_stand_in_played_with_time_left_is_taken_back_with_that_time(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, clock=MINUTE)
    await rig.set_up(table.id, ADA, BEN, CLEO)
    actor, _ = await on_turn(rig, table)
    await typed(rig.tables, table.id, actor, "draw")
    await typed(rig.tables, table.id, actor, "leave")
    actor, seat = await on_turn(rig, table)
    host = next(person for person in (ADA, BEN, CLEO) if person is not actor)
    await rig.tables.pass_host(table.id, ADA, host.id)
    rig.clock.advance(seconds(50))
    open_table = await given_up(rig, table, actor, host)
    loaded = await rig.tables.load(table.id)
    assert loaded.state is not None
    move = next(move for move in loaded.state.legal(seat.index) if move.startswith("take"))
    await rig.tables.automatic_move(table.id, seat.index, move, open_table.revision)
    await rig.tables.take_seat(table.id, actor, seat.index)
    after = await voted(rig, table, VoteKind.UNDO, actor, *(p for p in (ADA, BEN, CLEO) if p is not actor))
    assert after.seats[seat.index].deadline == rig.clock.now() + seconds(10)


# ------------------------------------------------------------------------- any order


STEPS = (
    *("move", "move", "move", "wait", "wait", "wait", "undo", "undo", "vote undo"),
    *("pause", "resign", "seat", "seat", "machines"),
)
CASES = [("topominos", 1), ("topominos", 3), ("fivetotwelve", 2), ("top12", 3)]
KNOWN = 4 * [("move", 1), ("wait", 9), ("vote undo", 1), ("wait", 9)]
"""Holds turns of several choices in each case, whatever else is drawn."""


async def anything(rig: Rig, case: tuple[str, int], steps: list[tuple[str, int]]) -> int:
    """Play these steps; how often the time of a turn had gone on over more than one choice."""
    game, people = case
    table = (await rig.started(*PEOPLE[:people], game=game, clock=MINUTE)).id
    spent: defaultdict[tuple[int, int], timedelta] = defaultdict(timedelta)
    choices: defaultdict[tuple[int, int], set[int]] = defaultdict(set)

    async def look() -> Loaded:
        loaded = await rig.tables.load(table)
        if loaded.state is not None and loaded.table.status is Status.PLAYING:
            for seat in loaded.table.humans:
                if seat.since:
                    choices[loaded.state.turn(), seat.index].add(seat.since)
        return loaded

    async def pass_time(until: datetime) -> None:
        while rig.clock.now() < until:
            loaded = await look()
            deadline = loaded.table.deadline
            to = until if deadline is None else min(until, max(deadline, rig.clock.now()))
            if loaded.table.status is Status.PLAYING and loaded.state is not None:
                for seat in loaded.table.humans:
                    if seat.since:
                        spent[loaded.state.turn(), seat.index] += to - rig.clock.now()
            rig.clock.advance(to - rig.clock.now())
            await rig.scheduler.run_due()

    for place, (step, number) in enumerate(steps):
        loaded = await look()
        now = loaded.table
        if now.status is Status.ENDED:
            break
        person = PEOPLE[number % len(PEOPLE)]
        humans = [one for one in PEOPLE if now.seat_of(one.id)]
        asked = [one for one in humans if (seat := now.seat_of(one.id)) and seat.since]
        try:
            match step:
                case "move" if asked and loaded.state is not None:
                    person = asked[number % len(asked)]
                    seat = now.seat_of(person.id)
                    assert seat is not None
                    chance = Generator(str(number), str(place))
                    move = loaded.state.random_move(seat.index, chance)
                    legal = loaded.state.legal(seat.index) if loaded.state.lists(seat.index) else [move]
                    back = [one for one in legal if "@" in one]  # most of these may be taken back
                    await typed(
                        rig.tables, table, person, chance.choice(back) if number % 5 and back else move
                    )
                case "undo" if asked:
                    await rig.tables.undo(table, asked[number % len(asked)])
                case "vote undo":
                    for one in humans[number % len(humans) :] + humans[: number % len(humans)]:
                        await rig.tables.vote(table, one, VoteKind.UNDO)
                case "pause":
                    kind = VoteKind.RESUME if now.status is Status.PAUSED else VoteKind.PAUSE
                    for one in humans:
                        await rig.tables.vote(table, one, kind)
                case "resign" if len(humans) > 1:
                    await rig.tables.resign(table, person)
                case "seat":
                    free = [seat for seat in now.seats if seat.kind is not SeatKind.HUMAN]
                    seat = free[number % len(free)]
                    host = next(one for one in PEOPLE if one.id == now.host)
                    if seat.kind is SeatKind.STAND_IN:
                        await rig.tables.vote(table, host, VoteKind.OPEN_SEAT, seat.index)
                    await rig.tables.take_seat(table, person, seat.index)
                case "machines":
                    await rig.computers.run_due()
                case "wait":
                    await pass_time(rig.clock.now() + seconds(number))
        except (Refusal, RulesError, IndexError, ZeroDivisionError):
            pass  # not now
    await pass_time(rig.clock.now() + seconds(61))
    if (await rig.tables.table(table)).is_open:
        await rig.tables.end_by_admin(table)
    assert all(time <= seconds(60) for time in spent.values()), max(spent.values())
    return sum(len(since) > 1 for since in choices.values())


def any_order(examples: int) -> None:
    goes_on: Counter[tuple[str, int]] = Counter()  # turns that went on over more than one choice
    with asyncio.Runner() as runner:
        store = runner.run(SqlStore.open("sqlite+aiosqlite://"))

        @settings(
            max_examples=examples,
            deadline=None,
            derandomize=True,
            database=None,
            phases=(Phase.explicit, Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        @given(
            st.sampled_from(CASES),
            st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 59)), min_size=15, max_size=40),
        )
        def play(case: tuple[str, int], steps: list[tuple[str, int]]) -> None:
            rig = Rig(store, FakeClock(), seed=f"{case} {steps}")
            goes_on[case] += runner.run(anything(rig, case, steps))
            runner.run(rig.tables.close())

        for case in CASES:
            play = example(case, KNOWN)(play)
        try:
            play()
        finally:
            runner.run(store.close())
    assert all(goes_on[case] for case in CASES), goes_on


def test_in_any_order_nobody_holds_a_turn_longer_than_its_time() -> None:
    any_order(6)


@pytest.mark.long
def test_in_many_orders_nobody_holds_a_turn_longer_than_its_time() -> None:
    any_order(80)
