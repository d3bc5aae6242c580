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

from .support import ADA, BEN, CLEO, DAN, EVE, FakeClock, House

MINUTE = ClockRule(60)
DAY = ClockRule(86_400)
HOUR = timedelta(hours=1)
PEOPLE = (ADA, BEN, CLEO, DAN, EVE)


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


async def on_turn(home: House, table: Table) -> tuple[Person, Seat]:
    """Who is to act alone."""
    [seat] = (await home.tables.table(table.id)).to_act
    return next(person for person in PEOPLE if person.id == seat.user), seat


async def topominos(home: House, *people: Person, clock: ClockRule = MINUTE) -> tuple[Table, Person, Seat]:
    table = await home.started(*people, game="topominos", clock=clock)
    return (table, *await on_turn(home, table))


async def lay(home: House, table: Table, person: Person) -> Table:
    """A piece of Topominos that draws none after it."""
    loaded = await home.tables.load(table.id)
    seat = loaded.table.seat_of(person.id)
    assert seat is not None
    assert loaded.state is not None
    move = next(move for move in loaded.state.legal(seat.index) if "@" in move)
    return (await home.tables.typed(table.id, person, move)).table


async def wait(home: House, time: float) -> list[str]:
    """What the clock did meanwhile."""
    home.clock.advance(seconds(time))
    return [change.kind for change in await home.scheduler.run_due()]


async def voted(home: House, table: Table, kind: VoteKind, *people: Person) -> Table:
    for person in people:
        change = await home.tables.vote(table.id, person, kind)
    assert change.kind == kind.value
    return change.table


async def a_turn_without_a_draw(home: House, *people: Person) -> tuple[Table, Person, Seat]:
    """5 vor 12, up to where a finished turn may be taken back: a tile lies in the middle."""
    table = await home.started(*people, clock=MINUTE)
    await home.set_up(table.id, *people)
    actor, _ = await on_turn(home, table)
    await home.tables.typed(table.id, actor, "draw")
    table = (await home.tables.typed(table.id, actor, "leave")).table
    return (table, *await on_turn(home, table))


async def take(home: House, table: Table, actor: Person) -> Table:
    loaded = await home.tables.load(table.id)
    seat = loaded.table.seat_of(actor.id)
    assert seat is not None
    assert loaded.state is not None
    move = next(move for move in loaded.state.legal(seat.index) if move.startswith("take"))
    return (await home.tables.typed(table.id, actor, move)).table


# ------------------------------------------------------------------------- one turn


async def test_laying_and_taking_back_forty_times_does_not_wind_the_clock_up(home: House) -> None:
    """At 60 seconds a turn this had held one turn for 4,000."""
    table, actor, _ = await topominos(home, ADA, BEN)
    for times in range(40):  # noqa: B007 - told below
        await lay(home, table, actor)
        if "timeout" in await wait(home, 25):
            break
        await home.tables.undo(table.id, actor)
        if "timeout" in await wait(home, 25):
            break
    assert times == 1, "25, 50, and up at 60 of the third wait"
    assert (await on_turn(home, table))[0] is not actor


async def test_all_parts_of_a_turn_share_its_time_and_the_next_one_has_its_own(home: House) -> None:
    table, actor, seat = await topominos(home, ADA, BEN)
    home.clock.advance(seconds(40))
    after = await lay(home, table, actor)
    part = after.seats[seat.index]
    assert part.deadline == after.deadline == seat.deadline
    assert part.opened == seat.opened
    assert part.since == after.revision, "a click on the part before is still stale"
    home.clock.advance(seconds(15))
    after = (await home.tables.typed(table.id, actor, "end")).table
    [following] = after.to_act
    assert following.deadline == home.clock.now() + seconds(60)
    assert after.seats[seat.index].deadline is None


async def test_an_extra_turn_has_a_time_of_its_own(home: House) -> None:
    """Option bruno of 5 vor 12; alone at the table every turn follows an own one."""
    table, actor, seat = await topominos(home, ADA)
    home.clock.advance(seconds(40))
    await lay(home, table, actor)
    after = (await home.tables.typed(table.id, actor, "end")).table
    assert after.seats[0].deadline == home.clock.now() + seconds(60)
    assert after.seats[0].deadline != seat.deadline


async def test_reminders_are_given_once_in_a_turn_and_not_for_each_part(home: House) -> None:
    table, actor, _ = await topominos(home, ADA, BEN, clock=DAY)
    home.clock.advance(12 * HOUR)
    assert [change.kind for change in await home.scheduler.run_due()] == ["remind"]
    await lay(home, table, actor)
    await home.tables.undo(table.id, actor)
    await lay(home, table, actor)
    assert await home.scheduler.run_due() == []
    home.clock.advance(9 * HOUR)
    assert await home.scheduler.run_due() == []
    home.clock.advance(HOUR)
    assert [change.kind for change in await home.scheduler.run_due()] == ["remind"]
    home.clock.advance(2 * HOUR)
    assert [change.kind for change in await home.scheduler.run_due()] == ["timeout"]


async def test_without_a_clock_patience_begins_anew_with_each_own_part(home: House) -> None:
    table, actor, seat = await topominos(home, ADA, BEN, clock=ClockRule())
    home.clock.advance(20 * HOUR)
    after = await lay(home, table, actor)
    assert after.seats[seat.index].opened == home.clock.now()
    assert after.deadline is None


async def test_when_time_is_up_in_the_middle_of_a_turn_a_stand_in_ends_it_and_no_more(home: House) -> None:
    table, actor, _ = await topominos(home, ADA)
    await lay(home, table, actor)
    before = (await home.tables.load(table.id)).state
    assert before is not None
    assert await wait(home, 60) == ["timeout"]
    after = await home.tables.load(table.id)
    assert after.state is not None
    assert after.state.turn() > before.turn()
    assert not after.state.view(0).laid
    assert after.table.seats[0].deadline == home.clock.now() + seconds(60)


async def test_who_is_overdue_stops_no_vote_with_a_part_of_their_turn(home: House) -> None:
    """Laying a piece and taking it back had dropped the question as often as it was asked."""
    table, actor, seat = await topominos(home, ADA, BEN, CLEO, clock=ClockRule(60, "vote"))
    first, second = (person for person in (ADA, BEN, CLEO) if person is not actor)
    assert await wait(home, 60) == ["overdue"]
    await home.tables.vote(table.id, first, VoteKind.KICK, seat.index)
    assert (await lay(home, table, actor)).votes
    assert (await home.tables.undo(table.id, actor)).table.votes
    out = await home.tables.vote(table.id, second, VoteKind.KICK, seat.index)
    assert out.table.seats[seat.index].kind is SeatKind.STAND_IN


async def test_who_is_overdue_and_ends_their_turn_is_kicked_no_more(home: House) -> None:
    table, actor, seat = await topominos(home, ADA, BEN, CLEO, clock=ClockRule(60, "vote"))
    first = next(person for person in (ADA, BEN, CLEO) if person is not actor)
    await wait(home, 60)
    await home.tables.vote(table.id, first, VoteKind.KICK, seat.index)
    assert (await home.tables.typed(table.id, actor, "pass")).table.votes == ()


# ------------------------------------------------------------------------- turns taken back


async def test_a_finished_turn_taken_back_has_what_was_left_of_it(home: House) -> None:
    table, actor, seat = await a_turn_without_a_draw(home, ADA, BEN)
    left = 60.0
    for spent in (10, 15, 5):
        home.clock.advance(seconds(spent))
        left -= spent
        await take(home, table, actor)
        home.clock.advance(seconds(7))
        after = await voted(home, table, VoteKind.UNDO, ADA, BEN)
        assert after.seats[seat.index].deadline == home.clock.now() + seconds(left)
    assert await wait(home, left) == ["timeout"]


async def test_a_turn_that_was_open_before_the_taking_back_goes_on_with_its_time(home: House) -> None:
    """Two had lengthened each other's turns so."""
    table, actor, _ = await a_turn_without_a_draw(home, ADA, BEN)
    after = await take(home, table, actor)
    [following] = after.to_act
    for times in (1, 2, 3):
        home.clock.advance(seconds(18))
        await voted(home, table, VoteKind.UNDO, ADA, BEN)
        after = await take(home, table, actor)
        assert after.seats[following.index].deadline == home.clock.now() + seconds(60 - 18 * times)
    assert await wait(home, 6) == ["timeout"]


async def test_alone_the_step_that_ended_a_turn_gives_no_time_when_taken_back(home: House) -> None:
    table, actor, _ = await topominos(home, ADA)
    home.clock.advance(seconds(45))
    opened = (await home.tables.typed(table.id, actor, "pass")).table  # draws nothing, so it may go back
    assert opened.deadline == home.clock.now() + seconds(60)
    home.clock.advance(seconds(50))
    back = (await home.tables.undo(table.id, actor)).table
    assert back.deadline == home.clock.now() + seconds(15)
    again = (await home.tables.typed(table.id, actor, "pass")).table
    assert again.deadline == home.clock.now() + seconds(10)


async def test_with_nothing_left_a_turn_taken_back_runs_out_at_once(home: House) -> None:
    table, actor, seat = await a_turn_without_a_draw(home, ADA, BEN)
    home.clock.advance(seconds(60))  # the clock has not looked yet
    await take(home, table, actor)
    after = await voted(home, table, VoteKind.UNDO, ADA, BEN)
    assert after.seats[seat.index].deadline == home.clock.now()
    assert [change.kind for change in await home.scheduler.run_due()] == ["timeout"]


async def test_a_reminder_that_lies_behind_is_not_given_again(home: House) -> None:
    table = await home.started(ADA, BEN, clock=DAY)
    await home.set_up(table.id, ADA, BEN)
    actor, _ = await on_turn(home, table)
    await home.tables.typed(table.id, actor, "draw")
    await home.tables.typed(table.id, actor, "leave")
    actor, _ = await on_turn(home, table)
    home.clock.advance(14 * HOUR)
    assert [change.kind for change in await home.scheduler.run_due()] == ["remind"]
    await take(home, table, actor)
    await voted(home, table, VoteKind.UNDO, ADA, BEN)
    assert await home.scheduler.run_due() == []
    assert {owed.why for owed in await home.tables.owed_at(table.id)} == {"turn"}
    home.clock.advance(8 * HOUR)
    assert [change.kind for change in await home.scheduler.run_due()] == ["remind"]


async def test_one_of_several_who_choose_at_once_gets_back_what_was_left_for_them(home: House) -> None:
    table = await home.started(ADA, BEN, CLEO, game="top12", clock=MINUTE)
    home.clock.advance(seconds(20))
    await home.tables.typed(table.id, BEN, "10@A1 20@B1 30@C1 40@D1 50@E1")
    home.clock.advance(seconds(5))
    after = await voted(home, table, VoteKind.UNDO, BEN, ADA, CLEO)
    times = [seat.deadline and seat.deadline - home.clock.now() for seat in after.seats]
    assert times == [seconds(35), seconds(40), seconds(35)]


async def test_what_was_stored_without_the_time_left_goes_on(home: House, monkeypatch: Any) -> None:
    """Tables of the version before: one full time, and from then on what is left."""
    from bot.tables import settle

    table, actor, seat = await a_turn_without_a_draw(home, ADA, BEN)
    with monkeypatch.context() as before:
        before.setattr(settle, "left_of", lambda seat, at: None)
        home.clock.advance(seconds(50))
        await take(home, table, actor)
    after = await voted(home, table, VoteKind.UNDO, ADA, BEN)
    assert after.seats[seat.index].deadline == home.clock.now() + seconds(60)
    home.clock.advance(seconds(50))
    await take(home, table, actor)
    after = await voted(home, table, VoteKind.UNDO, ADA, BEN)
    assert after.seats[seat.index].deadline == home.clock.now() + seconds(10)


# ------------------------------------------------------------------------- pauses and seats


async def test_a_pause_between_parts_neither_refunds_nor_loses(home: House) -> None:
    table, actor, seat = await topominos(home, ADA, BEN)
    home.clock.advance(seconds(20))
    await lay(home, table, actor)
    await voted(home, table, VoteKind.PAUSE, ADA, BEN)
    home.clock.advance(timedelta(days=3))
    await voted(home, table, VoteKind.RESUME, ADA, BEN)
    after = (await home.tables.undo(table.id, actor)).table
    assert after.seats[seat.index].deadline == home.clock.now() + seconds(40)


async def given_up(home: House, table: Table, person: Person, host: Person) -> Table:
    seat = (await home.tables.table(table.id)).seat_of(person.id)
    assert seat is not None
    await home.tables.resign(table.id, person)
    return (await home.tables.vote(table.id, host, VoteKind.OPEN_SEAT, seat.index)).table


@pytest.mark.parametrize("same", [True, False])
async def test_a_seat_given_up_and_taken_again_keeps_its_time(home: House, same: bool) -> None:
    table, actor, seat = await topominos(home, ADA, BEN, CLEO)
    host = next(person for person in (ADA, BEN, CLEO) if person is not actor)
    await home.tables.pass_host(table.id, ADA, host.id)
    home.clock.advance(seconds(25))
    opened = await given_up(home, table, actor, host)
    assert opened.deadline is None, "an open seat's time is nobody's to watch"
    home.clock.advance(seconds(5))
    taken = await home.tables.take_seat(table.id, actor if same else EVE, seat.index)
    assert taken.table.deadline == seat.deadline
    assert await wait(home, 30) == ["timeout"]


async def test_a_seat_taken_in_a_pause_has_no_time_added_by_it(home: House) -> None:
    table, actor, seat = await topominos(home, ADA, BEN, CLEO)
    others = [person for person in (ADA, BEN, CLEO) if person is not actor]
    await home.tables.pass_host(table.id, ADA, others[0].id)
    home.clock.advance(seconds(25))
    await voted(home, table, VoteKind.PAUSE, ADA, BEN, CLEO)
    home.clock.advance(seconds(100))
    await given_up(home, table, actor, others[0])
    home.clock.advance(seconds(100))
    await home.tables.take_seat(table.id, EVE, seat.index)
    home.clock.advance(seconds(100))
    after = await voted(home, table, VoteKind.RESUME, *others)
    assert after.deadline == home.clock.now() + seconds(35)


async def test_what_a_stand_in_played_with_time_left_is_taken_back_with_that_time(home: House) -> None:
    table = await home.started(ADA, BEN, CLEO, clock=MINUTE)
    await home.set_up(table.id, ADA, BEN, CLEO)
    actor, _ = await on_turn(home, table)
    await home.tables.typed(table.id, actor, "draw")
    await home.tables.typed(table.id, actor, "leave")
    actor, seat = await on_turn(home, table)
    host = next(person for person in (ADA, BEN, CLEO) if person is not actor)
    await home.tables.pass_host(table.id, ADA, host.id)
    home.clock.advance(seconds(50))
    open_table = await given_up(home, table, actor, host)
    loaded = await home.tables.load(table.id)
    assert loaded.state is not None
    move = next(move for move in loaded.state.legal(seat.index) if move.startswith("take"))
    await home.tables.automatic_move(table.id, seat.index, move, open_table.revision)
    await home.tables.take_seat(table.id, actor, seat.index)
    after = await voted(home, table, VoteKind.UNDO, actor, *(p for p in (ADA, BEN, CLEO) if p is not actor))
    assert after.seats[seat.index].deadline == home.clock.now() + seconds(10)


# ------------------------------------------------------------------------- any order


STEPS = (
    *("move", "move", "move", "wait", "wait", "wait", "undo", "undo", "vote undo"),
    *("pause", "resign", "seat", "seat", "machines"),
)
CASES = [("topominos", 1), ("topominos", 3), ("fivetotwelve", 2), ("top12", 3)]
KNOWN = 4 * [("move", 1), ("wait", 9), ("vote undo", 1), ("wait", 9)]
"""Holds turns of several choices in each case, whatever else is drawn."""


async def anything(home: House, case: tuple[str, int], steps: list[tuple[str, int]]) -> int:
    """Play these steps; how often the time of a turn had gone on over more than one choice."""
    game, people = case
    table = (await home.started(*PEOPLE[:people], game=game, clock=MINUTE)).id
    spent: defaultdict[tuple[int, int], timedelta] = defaultdict(timedelta)
    choices: defaultdict[tuple[int, int], set[int]] = defaultdict(set)

    async def look() -> Loaded:
        loaded = await home.tables.load(table)
        if loaded.state is not None and loaded.table.status is Status.PLAYING:
            for seat in loaded.table.humans:
                if seat.since:
                    choices[loaded.state.turn(), seat.index].add(seat.since)
        return loaded

    async def pass_time(until: datetime) -> None:
        while home.clock.now() < until:
            loaded = await look()
            deadline = loaded.table.deadline
            to = until if deadline is None else min(until, max(deadline, home.clock.now()))
            if loaded.table.status is Status.PLAYING and loaded.state is not None:
                for seat in loaded.table.humans:
                    if seat.since:
                        spent[loaded.state.turn(), seat.index] += to - home.clock.now()
            home.clock.advance(to - home.clock.now())
            await home.scheduler.run_due()

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
                    await home.tables.typed(
                        table, person, chance.choice(back) if number % 5 and back else move
                    )
                case "undo" if asked:
                    await home.tables.undo(table, asked[number % len(asked)])
                case "vote undo":
                    for one in humans[number % len(humans) :] + humans[: number % len(humans)]:
                        await home.tables.vote(table, one, VoteKind.UNDO)
                case "pause":
                    kind = VoteKind.RESUME if now.status is Status.PAUSED else VoteKind.PAUSE
                    for one in humans:
                        await home.tables.vote(table, one, kind)
                case "resign" if len(humans) > 1:
                    await home.tables.resign(table, person)
                case "seat":
                    free = [seat for seat in now.seats if seat.kind is not SeatKind.HUMAN]
                    seat = free[number % len(free)]
                    host = next(one for one in PEOPLE if one.id == now.host)
                    if seat.kind is SeatKind.STAND_IN:
                        await home.tables.vote(table, host, VoteKind.OPEN_SEAT, seat.index)
                    await home.tables.take_seat(table, person, seat.index)
                case "machines":
                    await home.machines.run_due()
                case "wait":
                    await pass_time(home.clock.now() + seconds(number))
        except (Refusal, RulesError, IndexError, ZeroDivisionError):
            pass  # not now
    await pass_time(home.clock.now() + seconds(61))
    if (await home.tables.table(table)).is_open:
        await home.tables.end_by_admin(table)
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
            home = House(store, FakeClock(), seed=f"{case} {steps}")
            goes_on[case] += runner.run(anything(home, case, steps))
            runner.run(home.tables.close())

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
