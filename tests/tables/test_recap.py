"""What happened lately: since one's own last turn, or in the last round, as each may know it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.locale import LANGUAGES, sayer
from bot.rules.chance import Generator
from bot.rules.game import Event, State, Told
from bot.rules.registry import GAME_IDS
from bot.rules.topspot import TopSpotView
from bot.tables.model import ClockRule, Entry, Person, Seat, SeatKind, Seen, Status, Table, VoteKind
from bot.tables.recap import recap
from bot.tables.taps import Played
from cogs.surfaces import wording
from cogs.surfaces.recap import _newest, recap_lines
from tests.rules.conformance import Case, walk
from tests.rules.worlds import other_world
from tests.sweeps import swept
from tests.tables.support import ADA, BEN, CLEO, DAN, EVE, PLACE, START, Rig

from .test_undo import leave_a_tile_in_the_middle, take_a_tile

SAY = sayer("en")


async def lines(rig: Rig, table: str, person: Person | None) -> list[str]:
    seen: Seen = await rig.tables.view(table, person.id if person else None, recap=True)
    return recap_lines(seen, SAY)


async def test_each_reads_what_the_others_did_since_their_own_last_turn(rig: Rig) -> None:
    table = (await rig.started(ADA, BEN, CLEO, game="zatre")).id
    assert await lines(rig, table, None) == []
    people = {person.id: person for person in (ADA, BEN, CLEO)}
    order: list[Person] = []
    for _ in range(5):
        [seat] = (await rig.tables.table(table)).to_act
        order.append(people[seat.user or 0])
        await rig.play(table, order[-1])
    third, first, second = order[2:]
    assert order[:2] == [first, second]

    def told(found: list[str]) -> list[str]:
        return [line.removeprefix("-# **").partition(":")[0] for line in found]

    assert told(await lines(rig, table, None)) == [third.name, first.name, second.name]  # a round, in order
    assert told(await lines(rig, table, third)) == [first.name, second.name]
    assert told(await lines(rig, table, first)) == [second.name]
    assert told(await lines(rig, table, second)) == []
    public = await rig.tables.view(table, None, recap=True)
    calls = [seat.index for seat in public.table.seats if seat.user == third.id]
    assert told(recap_lines(public, SAY, brief=True, called=calls)) == [first.name, second.name]
    assert " → " in "".join(await lines(rig, table, None)) or "no points" in "".join(
        await lines(rig, table, None)
    )


async def test_of_a_turn_that_is_on_the_own_steps_are_not_news_and_the_others_stay(rig: Rig) -> None:
    table = await rig.set_up((await rig.started(ADA, BEN)).id, ADA, BEN)
    actor, [other] = await rig.whose_turn(table.id, ADA, BEN)
    drawn = await rig.tables.move(table.id, actor, "draw", table.revision)
    left = await rig.tables.move(table.id, actor, "leave", drawn.table.revision)
    before = await lines(rig, table.id, other)
    assert len(before) == 1
    assert re.search(r"left the \d+ in the middle$", before[0]), "one tile, not so many"
    drew = await rig.tables.move(table.id, other, "draw", left.table.revision)
    assert await lines(rig, table.id, other) == before
    await rig.tables.tap(table.id, other, drew.table.revision, lambda _: None)
    [mine, theirs] = await lines(rig, table.id, None)
    assert mine == before[0]
    assert re.search(r"revealed the \d+$", theirs)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_who_completes_a_round_reads_who_won_it(rig: Rig, language: str) -> None:
    say = sayer(language)
    table = (await rig.started(ADA, BEN, CLEO, game="topspot")).id
    people = {person.id: person for person in (ADA, BEN, CLEO)}
    own = others = 0
    for _ in range(40):
        [seat] = (await rig.tables.table(table)).to_act
        await rig.play(table, people[seat.user or 0])
        seen = await rig.tables.view(table, seat.user, recap=True)
        view = seen.view
        assert isinstance(view, TopSpotView)
        if view.plays or view.last is None or view.last.winner is None:
            continue
        key = "topspot.told.won_game" if view.last.ends_game else "topspot.told.won"
        won = say(key, n=view.last.points, game=view.last.game)
        if view.last.winner == seat.index:
            own += 1
            assert say("recap.own", told=won) in recap_lines(seen, say)
            public = await rig.tables.view(table, None, recap=True)
            [called] = recap_lines(public, say, called=range(3))
            assert called == say("recap.line", name=seat.name, told=won)
        else:
            others += 1
            name = seen.table.seats[view.last.winner].name
            assert say("recap.line", name=name, told=won) in recap_lines(seen, say)
    assert own > 1
    assert others > 1


async def test_a_round_stays_told_until_entries_of_the_next_are_known(rig: Rig) -> None:
    """Who has entered in secret in the new one has not had a turn that could be told."""
    table = (await rig.started(ADA, BEN, CLEO, game="top12", options={"first": "host"})).id
    for person in (ADA, BEN, CLEO):
        move = "10@A2 20@B2 30@C2 40@D2 50@E2"
        await rig.tables.move(table, person, move, (await rig.tables.table(table)).revision)

    async def round_of(number: int, caller: Person, *people: Person) -> None:
        now = await rig.tables.table(table)
        await rig.tables.move(table, caller, f"call {number}", now.revision)
        for person in people:
            now = await rig.tables.table(table)
            await rig.play(table, person)

    await round_of(5, ADA, ADA, BEN, CLEO)
    whole = await lines(rig, table, None)
    assert len(whole) == 3
    assert "called 5, entered in " in whole[0]
    await round_of(6, BEN, CLEO)
    after = await lines(rig, table, None)
    assert [line for line in whole if line in after] == [whole[0], whole[2]]
    assert [line for line in after if "called 6" in line] == [f"{whole[1]}; called 6"]
    assert len(after) == 3


def test_what_a_turn_brought_stands_with_it_and_counts_as_none() -> None:
    played = [Told(1, f"R{letter}, worth 1") for letter in "ABCD"]
    won = Told(1, "won the round, 1 point", "won the round, 1 point")
    assert _newest([won, played[0]], SAY) == "won the round, 1 point; RA, worth 1"
    assert _newest([won, *played[:3]], SAY) == "RB, worth 1; RC, worth 1 (and 1 turn before)"
    assert _newest([*played[:3], won], SAY) == (
        "RB, worth 1; RC, worth 1; won the round, 1 point (and 1 turn before)"
    )


async def test_time_ups_stand_ins_and_steps_taken_back_are_said(rig: Rig) -> None:
    before = await leave_a_tile_in_the_middle(rig, ADA, BEN, CLEO)
    actor, others, after = await take_a_tile(rig, before, ADA, BEN, CLEO)
    await rig.tables.vote(after.id, actor, VoteKind.UNDO)
    for other in others:
        await rig.tables.vote(after.id, other, VoteKind.UNDO)
    [line] = [line for line in await lines(rig, after.id, None) if actor.name in line]
    assert line.endswith(", took a step back")
    await rig.tables.resign(after.id, actor)
    await rig.computers.run_due()
    [line] = [line for line in await lines(rig, after.id, others[0]) if actor.name in line]
    assert line.endswith(", a stand-in played, took a step back")


@pytest.mark.parametrize("game", swept(GAME_IDS, daily=2))
async def test_who_went_is_said_while_the_game_goes_on(rig: Rig, game: str) -> None:
    """Also before anybody has played. How a table ended by that is told with its end."""
    table = (await rig.started(ADA, BEN, CLEO, DAN, game=game)).id
    for other in (ADA, CLEO, DAN):
        await rig.tables.vote(table, other, VoteKind.KICK, 1)
    gone = {1: "recap.voted_out"}
    for _ in range(2):
        for language in LANGUAGES:
            say = sayer(language)
            for reader in (None, ADA.id, BEN.id):
                seen = await rig.tables.view(table, reader, recap=True)
                names = wording.names(seen.table, say)
                expected = [say("recap.line", name=names[seat], told=say(key)) for seat, key in gone.items()]
                assert recap_lines(seen, say) == (expected if seen.table.is_open else [])
        if 3 not in gone:
            await rig.tables.resign(table, DAN)
            gone[3] = "recap.resigned"


async def test_who_resigned_is_said_until_one_s_own_next_turn_or_somebody_takes_the_seat(rig: Rig) -> None:
    table = await rig.set_up((await rig.started(ADA, BEN, CLEO, DAN)).id, ADA, BEN, CLEO, DAN)
    actor, [gone, other, third] = await rig.whose_turn(table.id, ADA, BEN, CLEO, DAN)
    seat = table.seat_of(gone.id)
    assert seat is not None
    await rig.tables.resign(table.id, gone)

    async def told(person: Person | None) -> bool:
        return any(gone.name in line and "resigned" in line for line in await lines(rig, table.id, person))

    assert [await told(person) for person in (actor, other, None)] == [True] * 3
    drew = await rig.tables.move(table.id, actor, "draw", (await rig.tables.table(table.id)).revision)
    await rig.tables.move(table.id, actor, "leave", drew.table.revision)
    assert [await told(person) for person in (actor, other, None)] == [False, True, True]
    host = (await rig.tables.table(table.id)).host
    [opener] = [person for person in (actor, other, third) if person.id == host]
    await rig.tables.vote(table.id, opener, VoteKind.OPEN_SEAT, seat.index)
    assert await told(other)
    await rig.tables.take_seat(table.id, EVE, seat.index)
    assert [await told(person) for person in (actor, other, None)] == [False] * 3


def confirmed(lay: str) -> Callable[[Seen], Played]:
    """What the button does that lays it and ends the turn."""
    return lambda _: Played(lay, then=("end",))


async def test_a_turn_of_several_lays_in_one_go_is_the_own_last_turn(rig: Rig) -> None:
    """As it is confirmed in Topominos: what came before it is not news any more."""
    table = (await rig.started(ADA, BEN, CLEO, game="topominos")).id
    people = {person.id: person for person in (ADA, BEN, CLEO)}
    for _ in range(4):
        [seat] = (await rig.tables.table(table)).to_act
        person = people[seat.user or 0]
        lay = await rig.first_legal(table, person)
        assert "@" in lay
        await rig.tables.tap(table, person, None, confirmed(lay))
        assert await lines(rig, table, person) == []


async def test_what_a_person_played_is_not_told_as_by_the_computer_that_has_their_seat(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO)
    await rig.play(table.id, CLEO)
    await rig.tables.resign(table.id, CLEO)
    await rig.tables.vote(table.id, ADA, VoteKind.COMPUTER_SEAT, 2)
    [line] = await lines(rig, table.id, None)
    assert "computer" in line
    assert line.endswith(", played by whoever sat there before")


@pytest.mark.parametrize("stood_in", [True, False])
async def test_what_somebody_else_played_is_not_told_as_by_who_has_taken_the_seat_since(
    rig: Rig, stood_in: bool
) -> None:
    table = await rig.started(ADA, BEN, CLEO)
    if not stood_in:
        await rig.play(table.id, CLEO)
    await rig.tables.resign(table.id, CLEO)
    await rig.computers.run_due()
    remark = "a stand-in played" if stood_in else "played by whoever sat there before"
    [line] = await lines(rig, table.id, None)
    assert ("a stand-in played" in line) is stood_in, "what she played is hers while she is named"
    await rig.tables.vote(table.id, ADA, VoteKind.OPEN_SEAT, 2)
    await rig.tables.take_seat(table.id, EVE, 2)
    [line] = await lines(rig, table.id, None)
    assert line.startswith("-# **Eve:**")
    assert line.endswith(f", {remark}")
    assert await lines(rig, table.id, BEN) == [line]


async def test_who_ran_out_of_time_reads_what_was_played_for_them(rig: Rig) -> None:
    table = (await rig.started(ADA, BEN, clock=ClockRule(60))).id
    rig.clock.advance(timedelta(seconds=61))
    await rig.scheduler.run_due()
    found = await lines(rig, table, ADA)
    assert [line for line in found if "Ada" in line and "time was up, the bot played" in line]


WORLDS = (
    Case("fivetotwelve", 3),
    Case("top12", 3),
    Case("topominos", 3),
    Case("topspot", 4),
    Case("zatre", 4, {"partners": True}),
)


def told_to(case: Case, state: State, events: Sequence[Event], reader: int | None) -> list[str]:
    """Every decision is a change with the chance that follows it."""
    seats = tuple(
        Seat(at, SeatKind.HUMAN, 1 + at, f"P{at}", since=int(at in state.actors()))
        for at in range(case.players)
    )
    entries: list[Entry] = []
    for event in events:
        if event.kind == "move" and event.player is not None:
            user = 1 + event.player
            entries.append(Entry(len(entries) + 1, "move", START, user, event.player, (event,)))
        elif entries:
            entries[-1] = replace(entries[-1], events=(*entries[-1].events, event))
        else:
            entries.append(Entry(1, "start", START, events=(event,)))
    rules = case.rules
    table = Table(
        "ZZZZZZ", len(entries), Status.PLAYING, rules.id, rules.version, dict(case.options), 1, PLACE, seats,
        "", ClockRule(), START, START,
    )  # fmt: skip
    seat = None if reader is None else seats[reader]
    return recap_lines(Seen(table, seat, state.view(reader), recap=recap(table, state, entries, seat)), SAY)


@pytest.mark.parametrize(
    "case", swept(WORLDS, daily=[case for case in WORLDS if case.game in ("topspot", "topominos")]), ids=str
)
def test_what_is_told_does_not_depend_on_what_is_hidden(case: Case) -> None:
    """In 5 vor 12 nothing that happened is."""
    chance = Generator(str(case), "told")
    found = told = 0
    for position in walk(case, "told"):
        state, events = position.state, position.events
        if state.outcome() is not None or len(events) > 200 or found > 20:
            break
        reader = chance.choice([None, *range(case.players)])
        lines = told_to(case, state, events, reader)
        told += len(lines)
        assert all(len(line) < 300 and "?" not in line for line in lines)
        other = other_world(case, state, events, reader, chance)
        if other is not None and other[0].redact(other[1], reader) == state.redact(events, reader):
            found += 1
            assert told_to(case, other[0], other[1], reader) == lines
    assert told > 20
    assert found > 2 or case.game == "fivetotwelve"
