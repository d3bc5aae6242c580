"""Which decisions of a finished game were a person's own, and what is kept of looking back on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.players import moments
from bot.players.moments import Past, decisions
from bot.rules.chance import Generator, child_seed
from bot.rules.game import Event
from bot.rules.registry import game
from bot.tables.model import ClockRule, Ending, Person, SeatKind, Status, Table, VoteKind
from bot.tables.moments import AT_ONCE, Looked, Moments, Stage, offers
from bot.tables.ports import (
    LooksElsewhere,
    NeverSat,
    NothingDecided,
    NotOver,
    OlderRules,
    Refusal,
    Unfinished,
    Unreplayable,
)
from bot.workers import Interrupted

from .support import ADA, BEN, CLEO, DAN, PLACE, Rig, damage


async def played(rig: Rig, table: str, *people: Person, most: int = 400) -> Table:
    """Whoever is to act plays by chance, computers as they do: so many times, or to the end."""
    for number in range(most):
        loaded = await rig.tables.load(table)
        if loaded.table.status is not Status.PLAYING or loaded.state is None:
            break
        seat = loaded.table.to_act[0]
        if seat.kind is not SeatKind.HUMAN:
            await rig.computers.run_due()
            continue
        person = next(person for person in people if person.id == seat.user)
        move = loaded.state.random_move(seat.index, Generator(table, str(number)))
        await rig.tables.move(table, person, move, loaded.table.revision)
    return await rig.tables.table(table)


async def record_of(rig: Rig, table: str) -> list[Event]:
    return list((await rig.tables.load(table)).events)


def thinking(found: Looked = (), asked: list[Any] | None = None) -> Callable[..., Any]:
    """In place of `look_back`."""

    async def look(past: Past, seed: str, run: Any, tell: Any) -> Looked:
        if asked is not None:
            asked.append((past, seed))
        return found

    return look


async def never(*_: Any) -> Any:
    raise AssertionError("nothing is to be thought about")


async def test_decisions_are_those_that_a_person_made_themselves(rig: Rig) -> None:
    """Not those of the clock, and not what was taken back."""
    table = await rig.started(ADA, BEN, game="topominos", clock=ClockRule(3600, "stand_in"))
    own: dict[int, list[str]] = {ADA.id: [], BEN.id: []}
    late = taken_back = 0
    for number in range(400):
        now = await rig.tables.table(table.id)
        if now.status is not Status.PLAYING:
            break
        [seat] = now.to_act
        actor = ADA if seat.user == ADA.id else BEN
        if number == 7:
            rig.clock.advance(timedelta(hours=2))
            change = await rig.tables.tick(table.id)
            assert change is not None
            late += sum(event.kind == "move" for event in change.events)
            continue
        move = await rig.first_legal(table.id, actor)
        change = await rig.play(table.id, actor)
        if change.table.undoable == seat.index and not taken_back:
            await rig.tables.undo(table.id, actor)
            taken_back += 1
            continue
        own[actor.id].append(move)
    assert late
    assert taken_back
    events = await record_of(rig, table.id)
    for person in (ADA, BEN):
        found, told, places = await rig.tables.decided_by(table.id, person.id)
        assert (found.status, told) == (Status.ENDED, events)
        assert [events[place].text for place in places] == own[person.id]
        assert {events[place].player for place in places} == {found.seat_of(person.id).index}  # type: ignore[union-attr]
    assert len(own[ADA.id]) + len(own[BEN.id]) + late == sum(event.kind == "move" for event in events)


async def test_who_left_keeps_what_they_decided_and_nothing_of_who_came(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, game="topominos")
    await played(rig, table.id, ADA, BEN, CLEO, most=24)
    before = len(await record_of(rig, table.id))
    seat = (await rig.tables.table(table.id)).seat_of(CLEO.id)
    assert seat is not None
    await rig.tables.resign(table.id, CLEO)
    await rig.tables.vote(table.id, ADA, VoteKind.OPEN_SEAT, seat.index)
    await rig.tables.take_seat(table.id, DAN, seat.index)
    await played(rig, table.id, ADA, BEN, DAN)

    events = await record_of(rig, table.id)
    _, _, left = await rig.tables.decided_by(table.id, CLEO.id)
    _, _, came = await rig.tables.decided_by(table.id, DAN.id)
    assert left
    assert came
    assert max(left) < before <= min(came)
    every = [
        place for place, event in enumerate(events) if event.kind == "move" and event.player == seat.index
    ]
    assert left + came == every


async def test_a_stand_in_and_computers_decide_for_nobody(rig: Rig) -> None:
    opened = await rig.tables.open(ADA, PLACE, "topominos", computers=1)
    await rig.tables.join(opened.table.id, BEN)
    table = (await rig.tables.start(opened.table.id, ADA)).table
    await played(rig, table.id, ADA, BEN, most=20)
    before = len(await record_of(rig, table.id))
    seats = [table.seat_of(person.id) for person in (ADA, BEN)]
    assert None not in seats
    ada, ben = (seat.index for seat in seats if seat is not None)
    await rig.tables.resign(table.id, BEN)
    await played(rig, table.id, ADA)
    events = await record_of(rig, table.id)
    moves = [(place, event.player) for place, event in enumerate(events) if event.kind == "move"]
    _, _, own = await rig.tables.decided_by(table.id, BEN.id)
    assert own == [place for place, player in moves if player == ben and place < before]
    assert any(player == ben for place, player in moves if place >= before)  # the stand-in
    _, _, own = await rig.tables.decided_by(table.id, ADA.id)
    assert own == [place for place, player in moves if player == ada]


async def test_only_after_the_end_and_only_who_sat_there(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    looking = Moments(rig.tables, never)
    with pytest.raises(NotOver):
        await looking.past(table.id, ADA.id)
    await played(rig, table.id, ADA, BEN)
    with pytest.raises(NeverSat):
        await looking.past(table.id, CLEO.id)
    past = await looking.past(table.id, ADA.id)
    assert (past.game, past.players, list(past.events)) == ("fivetotwelve", 2, await record_of(rig, table.id))
    found = decisions(past)
    assert found is not None
    assert {one.view.seat for one in found} == {0}


async def test_what_cannot_be_looked_back_on_says_why(rig: Rig) -> None:
    looking = Moments(rig.tables, never)

    async def why(table: str, person: Person = ADA) -> type[Refusal]:
        with pytest.raises(Refusal) as refused:
            await looking.past(table, person.id)
        return type(refused.value)

    stopped = await rig.started(ADA, BEN)
    await rig.play(stopped.id, ADA)
    ended = (await rig.tables.end(stopped.id, ADA)).table
    assert ended.ending == Ending.HOST
    assert not offers(ended)
    assert await why(stopped.id) is Unfinished

    table = await rig.started(ADA, BEN, game="topominos")
    assert game("topominos").version == 2
    over = await played(rig, table.id, ADA, BEN)
    assert offers(over)
    await damage(rig, "UPDATE tables SET rules_version = 1 WHERE id = :id", id=table.id)
    assert not offers(await rig.tables.table(table.id))
    assert await why(table.id) is OlderRules
    await damage(rig, "UPDATE tables SET rules_version = 2, options = '{' WHERE id = :id", id=table.id)
    assert not offers(await rig.tables.table(table.id))
    assert await why(table.id) is Unreplayable


async def test_who_only_let_the_clock_play_has_nothing_to_look_back_on(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, clock=ClockRule(3600, "stand_in"))
    for _ in range(200):
        now = await rig.tables.table(table.id)
        if now.status is not Status.PLAYING:
            break
        if any(seat.user == ADA.id for seat in now.to_act):
            await rig.play(table.id, ADA)
        else:
            rig.clock.advance(timedelta(hours=2))
            await rig.tables.tick(table.id)
    looking = Moments(rig.tables, never)
    assert (await looking.past(table.id, ADA.id)).own
    with pytest.raises(NothingDecided):
        await looking.past(table.id, BEN.id)


async def test_a_record_that_cannot_be_played_through_is_told_as_damaged(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    table = await rig.started(ADA, BEN)
    over = await played(rig, table.id, ADA, BEN)

    async def run(work: Callable[..., Any], /, *given: Any) -> Any:
        return work(*given)

    looking = Moments(rig.tables, run)
    past = await looking.past(table.id, ADA.id)
    broken = Past(past.game, past.players, past.options, past.events[1:], past.own[:-1])
    with pytest.raises(Unreplayable):
        await looking.look(over, ADA.id, broken)
    assert looking.kept(table.id, ADA.id) is None
    assert f"table {over.id}: its record" in caplog.text


async def test_what_was_found_is_kept_for_each_person_and_of_one_seed(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await rig.started(ADA, BEN)
    over = await played(rig, table.id, ADA, BEN)
    asked: list[Any] = []
    monkeypatch.setattr("bot.tables.moments.look_back", thinking((), asked))
    looking = Moments(rig.tables, never)
    past = await looking.past(table.id, ADA.id)
    assert looking.kept(table.id, ADA.id) is None
    assert await looking.look(over, ADA.id, past) == ()
    assert looking.kept(table.id, ADA.id) == ()  # that nothing was found is known, too
    assert looking.kept(table.id, BEN.id) is None
    await Moments(rig.tables, never).look(over, ADA.id, past)
    assert asked == [(past, child_seed(over.seed, "advice"))] * 2
    assert over.seed not in asked[0][1]
    assert moments.MOST == 3


async def test_a_few_look_back_at_a_time_and_the_others_wait_in_order(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    four = (ADA, BEN, CLEO, DAN)
    table = await rig.started(*four, game="topominos")
    over = await played(rig, table.id, *four)
    begun: list[Past] = []
    may = {person.id: asyncio.Event() for person in four}
    looking = Moments(rig.tables, never)
    pasts = {person.id: await looking.past(table.id, person.id) for person in four}

    async def look(past: Past, seed: str, run: Any, tell: Any) -> Looked:
        begun.append(past)
        tell(0.3)
        [user] = [user for user, own in pasts.items() if own is past]
        await may[user].wait()
        if user == ADA.id:
            raise Interrupted
        return ()

    async def quiet() -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    def ahead() -> list[int]:
        return [looking.stage(table.id, person.id).ahead for person in four]

    monkeypatch.setattr("bot.tables.moments.look_back", look)
    told: dict[int, list[Stage]] = {person.id: [] for person in four}
    tasks = []
    for number, person in enumerate(four):
        assert looking.stage(table.id, person.id).ahead == max(0, number + 1 - AT_ONCE)
        one = looking.look(over, person.id, pasts[person.id], told[person.id].append)
        tasks.append(asyncio.create_task(one))
        await quiet()
    assert begun == [pasts[ADA.id], pasts[BEN.id]]
    assert ahead() == [0, 0, 1, 2]

    again = asyncio.create_task(looking.look(over, DAN.id, pasts[DAN.id]))
    await quiet()
    assert ahead() == [0, 0, 1, 2]

    may[ADA.id].set()  # given up: it makes room all the same
    await quiet()
    assert begun[2:] == [pasts[CLEO.id]]
    assert told[CLEO.id] == [Stage(), Stage(quarters=1)]
    assert told[DAN.id] == [Stage(ahead=1)]
    for person in (BEN, CLEO, DAN):
        may[person.id].set()
    with pytest.raises(Interrupted):
        await tasks[0]
    assert await asyncio.gather(*tasks[1:], again) == [()] * 4
    assert len(begun) == 4
    assert looking.stage(table.id, ADA.id) == Stage()


async def test_for_each_person_one_game_after_another_is_looked_back_on(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else who asks for all their games would have everybody else wait for these."""
    games = [await played(rig, (await rig.started(ADA, BEN)).id, ADA, BEN) for _ in range(2)]
    looking = Moments(rig.tables, never)
    both, may = asyncio.Barrier(3), asyncio.Event()

    async def look(*_: Any) -> Looked:
        if not may.is_set():
            await both.wait()
        await may.wait()
        return ()

    monkeypatch.setattr("bot.tables.moments.look_back", look)

    async def ask(number: int, person: Person) -> Looked:
        past = await looking.past(games[number].id, person.id)
        return await looking.look(games[number], person.id, past)

    first = asyncio.create_task(ask(0, ADA))
    other = asyncio.create_task(ask(1, BEN))
    await both.wait()
    with pytest.raises(LooksElsewhere) as refused:
        await ask(1, ADA)
    assert refused.value.data == {"id": games[0].id}
    may.set()
    assert (await first, await other) == ((), ())
    assert await ask(1, ADA) == ()
