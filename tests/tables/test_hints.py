"""Hints: who may have them, that they are the same each time, and what counts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.players import player_of
from bot.players.contract import Advice, Term
from bot.rules.chance import Generator
from bot.rules.game import View
from bot.rules.registry import game as rules_of
from bot.tables.adviser import Adviser, Hint
from bot.tables.model import Person, Seat, Table, VoteKind
from bot.tables.ports import (
    HintLost,
    NoHints,
    NothingElse,
    NotSeated,
    NotYourTurn,
    Paused,
    Stale,
    Started,
    StoreFull,
)
from bot.workers import Interrupted
from tests.on_the_spot import in_a_thread
from tests.players.test_secrets import leaks

from .support import ADA, BEN, CLEO, PLACE, Rig, open_rig

NOTHING = Term("fivetotwelve.why.rising", 1.0)
SORTED = {"setup": "sorted"}


async def first(game: str, view: View, chance: Generator) -> Advice:
    """The first legal move, for no reason."""
    return Advice((rules_of(game).legal(view)[0],), (NOTHING,))


def adviser(rig: Rig, advise: Callable[[str, View, Generator], Awaitable[Advice]] = first) -> Adviser:
    return Adviser(rig.tables, advise)


async def seat_of(rig: Rig, table: str, person: Person = ADA) -> Seat:
    seat = (await rig.tables.table(table)).seat_of(person.id)
    assert seat is not None
    return seat


async def turn_of_ada(rig: Rig, **settings: Any) -> Table:
    """Ada alone with a computer player, at her first turn after the set-up."""
    opened = await rig.tables.open(ADA, PLACE, "fivetotwelve", SORTED, computers=1, **settings)
    await rig.tables.start(opened.table.id, ADA)
    await rig.computers.run_due()
    return await rig.tables.table(opened.table.id)


async def lobby(rig: Rig, *people: Person) -> str:
    table = (await rig.tables.open(people[0], PLACE, "fivetotwelve", SORTED)).table.id
    for person in people[1:]:
        await rig.tables.join(table, person)
    return table


# ------------------------------------------------------------------- where there are hints


async def test_who_is_alone_may_have_hints(rig: Rig) -> None:
    assert (await turn_of_ada(rig)).hints
    alone = (await rig.tables.open(ADA, PLACE, "top12")).table.id
    assert (await rig.tables.start(alone, ADA)).table.hints


async def test_several_may_where_all_have_agreed_for_themselves(rig: Rig) -> None:
    table = await lobby(rig, ADA, BEN)
    for person in (ADA, BEN):
        await rig.tables.agree(table, person, True)
    agreed = await rig.tables.table(table)
    assert not agreed.hints
    assert [seat.agreed for seat in agreed.seats] == [True, True]
    assert (await rig.tables.start(table, ADA)).table.hints


@pytest.mark.parametrize("agrees", [True, False])
async def test_who_says_the_same_again_changes_nothing(rig: Rig, agrees: bool) -> None:
    table = await lobby(rig, ADA, BEN)
    await rig.tables.agree(table, ADA, True)
    if not agrees:
        await rig.tables.agree(table, ADA, False)
    before, stored = await rig.tables.table(table), len(await rig.store.entries(table))
    assert await rig.tables.agree(table, ADA, agrees) is None
    assert await rig.tables.table(table) == before
    assert len(await rig.store.entries(table)) == stored
    assert await rig.tables.agree(table, ADA, not agrees) is not None


async def test_one_who_has_not_agreed_keeps_them_from_all(rig: Rig) -> None:
    table = await lobby(rig, ADA, BEN)
    await rig.tables.agree(table, ADA, True)
    started = (await rig.tables.start(table, ADA)).table
    assert not started.hints
    [seat] = started.to_act
    person = ADA if seat.user == ADA.id else BEN
    with pytest.raises(NoHints):
        await adviser(rig).hint(table, person, seat.since)


async def test_who_takes_it_back_or_sits_down_later_has_not_agreed(rig: Rig) -> None:
    table = await lobby(rig, ADA, BEN)
    for person in (ADA, BEN):
        await rig.tables.agree(table, person, True)
    await rig.tables.agree(table, BEN, False)
    assert [seat.agreed for seat in (await rig.tables.table(table)).seats] == [True, False]
    await rig.tables.agree(table, BEN, True)
    await rig.tables.leave(table, BEN)
    await rig.tables.join(table, CLEO)
    await rig.tables.join(table, BEN)
    assert [seat.agreed for seat in (await rig.tables.table(table)).seats] == [True, False, False]
    assert not (await rig.tables.start(table, ADA)).table.hints


async def test_it_is_settled_by_the_start(rig: Rig) -> None:
    table = await lobby(rig, ADA, BEN, CLEO)
    assert not (await rig.tables.start(table, ADA)).table.hints
    with pytest.raises(Started):
        await rig.tables.agree(table, ADA, True)
    await rig.tables.resign(table, BEN)
    alone = (await rig.tables.resign(table, CLEO)).table
    assert len(alone.humans) == 1
    assert not alone.hints


async def test_only_who_sits_there_agrees(rig: Rig) -> None:
    table = await lobby(rig, ADA)
    with pytest.raises(NotSeated):
        await rig.tables.agree(table, BEN, True)


async def test_a_rematch_asks_anew(rig: Rig) -> None:
    table = (await rig.started(ADA, BEN, agreed=True, options=SORTED)).id
    await rig.tables.end(table, ADA)
    again = (await rig.tables.rematch(table, ADA)).table
    assert [seat.agreed for seat in again.seats] == [False, False]


# ------------------------------------------------------------------- who asks, and when


async def test_only_who_has_an_open_choice_gets_one(rig: Rig) -> None:
    table = (await rig.started(ADA, BEN, agreed=True, options=SORTED)).id
    actor, [other] = await rig.whose_turn(table, ADA, BEN)
    with pytest.raises(NotYourTurn):
        await adviser(rig).hint(table, other, None)
    with pytest.raises(NotSeated):
        await adviser(rig).hint(table, CLEO, None)
    assert (await adviser(rig).hint(table, actor, None)).advice.why == (NOTHING,)
    for person in (ADA, BEN):
        await rig.tables.vote(table, person, VoteKind.PAUSE)
    with pytest.raises(Paused):
        await adviser(rig).hint(table, actor, None)


async def test_where_only_one_move_can_be_played_there_is_none_and_none_counts(rig: Rig) -> None:
    table = await turn_of_ada(rig)
    view = (await rig.tables.view(table.id, ADA.id)).view
    assert view is not None
    assert rules_of(table.game).legal(view) == ["draw"]
    with pytest.raises(NothingElse):
        await adviser(rig, in_a_thread).hint(table.id, ADA, None)
    assert (await seat_of(rig, table.id)).hints == 0
    await rig.tables.move(table.id, ADA, "draw", table.revision)
    assert (await adviser(rig, in_a_thread).hint(table.id, ADA, None)).advice.moves
    assert (await seat_of(rig, table.id)).hints == 1


async def test_it_is_found_from_the_seats_view_alone(rig: Rig) -> None:
    table = await turn_of_ada(rig)
    asked: list[View] = []
    found: list[list[str]] = []

    async def looking(game: str, view: View, chance: Generator) -> Advice:
        asked.append(view)
        found.append(leaks(table.seed, view, chance))
        return await first(game, view, chance)

    await adviser(rig, looking).hint(table.id, ADA, None)
    assert asked == [(await rig.tables.view(table.id, ADA.id)).view]
    assert found == [[]]


# ------------------------------------------------------------------- the same each time


async def test_the_same_position_gives_the_same_hint_after_an_undo_and_a_restart_too(tmp_path: Path) -> None:
    drawn: list[int] = []

    async def by_chance(game: str, view: View, chance: Generator) -> Advice:
        drawn.append(chance.below(1000))
        return await first(game, view, chance)

    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        table = await turn_of_ada_in_topominos(rig)
        advice = adviser(rig, by_chance)
        before = await advice.hint(table, ADA, None)
        await play_first(rig, table)
        await advice.hint(table, ADA, None)
        await rig.tables.undo(table, ADA)
        again = await advice.hint(table, ADA, None)
        assert again.advice == before.advice
        assert again.since > before.since
        assert (await seat_of(rig, table)).hints == 2
    async with open_rig(path) as rig:
        assert (await adviser(rig, by_chance).hint(table, ADA, None)).advice == before.advice
        assert (await seat_of(rig, table)).hints == 2
    first_time, second_position, after_restart = drawn
    assert first_time == after_restart != second_position


async def turn_of_ada_in_topominos(rig: Rig) -> str:
    """Alone; a turn has several moves, and the last can be taken back."""
    table = (await rig.tables.open(ADA, PLACE, "topominos")).table.id
    await rig.tables.start(table, ADA)
    return table


async def play_first(rig: Rig, table: str) -> None:
    """The first lay there is."""
    loaded = await rig.tables.load(table)
    assert loaded.state is not None
    move = next(move for move in loaded.state.legal(0) if "@" in move)
    await rig.tables.move(table, ADA, move, loaded.table.revision)


# ------------------------------------------------------------------- what counts


async def test_asked_twice_in_one_position_it_counts_once(rig: Rig) -> None:
    table = await turn_of_ada_in_topominos(rig)
    advice = adviser(rig)
    hints = [await advice.hint(table, ADA, None) for _ in range(3)]
    assert len(set(hints)) == 1
    assert (await seat_of(rig, table)).hints == 1
    await play_first(rig, table)
    await advice.hint(table, ADA, None)
    assert (await seat_of(rig, table)).hints == 2


async def test_two_taps_at_once_are_one_thought_and_one_hint(rig: Rig) -> None:
    table = await turn_of_ada(rig)
    go, thoughts = asyncio.Event(), 0

    async def slow(game: str, view: View, chance: Generator) -> Advice:
        nonlocal thoughts
        thoughts += 1
        await go.wait()
        return await first(game, view, chance)

    advice = adviser(rig, slow)
    asked = [asyncio.create_task(advice.hint(table.id, ADA, None)) for _ in range(2)]
    for _ in range(20):
        await asyncio.sleep(0)
    go.set()
    one, other = await asyncio.gather(*asked)
    assert one == other
    assert thoughts == 1
    assert (await seat_of(rig, table.id)).hints == 1


async def test_one_that_comes_when_the_choice_is_closed_is_not_told_and_does_not_count(
    rig: Rig,
) -> None:
    table = await turn_of_ada_in_topominos(rig)

    async def overtaken(game: str, view: View, chance: Generator) -> Advice:
        await play_first(rig, table)
        return await first(game, view, chance)

    with pytest.raises(Stale):
        await adviser(rig, overtaken).hint(table, ADA, None)
    assert (await seat_of(rig, table)).hints == 0


async def test_one_that_was_lost_does_not_count_and_can_be_asked_for_again(rig: Rig) -> None:
    table = await turn_of_ada(rig)
    thoughts = 0

    async def fragile(game: str, view: View, chance: Generator) -> Advice:
        nonlocal thoughts
        thoughts += 1
        if thoughts == 1:
            raise Interrupted
        return await first(game, view, chance)

    advice = adviser(rig, fragile)
    with pytest.raises(HintLost):
        await advice.hint(table.id, ADA, None)
    assert (await seat_of(rig, table.id)).hints == 0
    assert isinstance(await advice.hint(table.id, ADA, None), Hint)
    assert (await seat_of(rig, table.id)).hints == 1


async def test_a_fault_in_a_player_is_logged_and_costs_nobody_anything(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    table = await turn_of_ada(rig)

    async def broken(game: str, view: View, chance: Generator) -> Advice:
        raise ZeroDivisionError

    with pytest.raises(HintLost):
        await adviser(rig, broken).hint(table.id, ADA, None)
    assert "no hint was found" in caplog.text
    assert (await seat_of(rig, table.id)).hints == 0


async def test_who_stops_waiting_leaves_the_other_the_hint(rig: Rig) -> None:
    table = await turn_of_ada(rig)
    go = asyncio.Event()

    async def slow(game: str, view: View, chance: Generator) -> Advice:
        await go.wait()
        return await first(game, view, chance)

    advice = adviser(rig, slow)
    gone, waits = (asyncio.create_task(advice.hint(table.id, ADA, None)) for _ in range(2))
    for _ in range(20):
        await asyncio.sleep(0)
    gone.cancel()
    await asyncio.sleep(0)
    go.set()
    assert isinstance(await waits, Hint)
    assert gone.cancelled()


async def test_thinking_that_ends_with_the_bot_is_a_hint_lost(rig: Rig) -> None:
    table = await turn_of_ada(rig)

    async def ended(game: str, view: View, chance: Generator) -> Advice:
        raise asyncio.CancelledError

    with pytest.raises(HintLost):
        await adviser(rig, ended).hint(table.id, ADA, None)


async def test_what_cannot_be_noted_is_not_told(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await turn_of_ada(rig)

    async def full(*_: object) -> None:
        raise StoreFull

    with monkeypatch.context() as patch:
        patch.setattr(rig.store, "mark_hinted", full)
        with pytest.raises(StoreFull):
            await adviser(rig).hint(table.id, ADA, None)
    assert (await seat_of(rig, table.id)).hints == 0


# ------------------------------------------------------------------- whose they are


@pytest.mark.parametrize("returns", [False, True])
async def test_hints_stay_with_the_seat_whoever_takes_it(rig: Rig, returns: bool) -> None:
    """Who leaves and comes back has not had them any less."""
    table = (await rig.started(ADA, BEN, CLEO, agreed=True, options=SORTED)).id
    actor, others = await rig.whose_turn(table, ADA, BEN, CLEO)
    index = (await seat_of(rig, table, actor)).index
    await adviser(rig).hint(table, actor, None)
    await rig.tables.resign(table, actor)
    now = await rig.tables.table(table)
    assert now.seats[index].hints == 1
    assert now.seats[index].hinted, "under the name of who had it as long as nobody else sits there"
    host = next(person for person in others if person.id == now.host)
    await rig.tables.vote(table, host, VoteKind.OPEN_SEAT, index)
    newcomer = actor if returns else Person(77, "Fay")
    await rig.tables.take_seat(table, newcomer, index)
    seat = (await rig.tables.table(table)).seats[index]
    assert (seat.hints, seat.hinted) == (1, ""), "for no choice of theirs"
    assert (await rig.tables.table(table)).hints


async def test_it_is_the_games_own_player_who_advises(rig: Rig) -> None:
    table = await turn_of_ada_in_topominos(rig)
    view = (await rig.tables.view(table, ADA.id)).view
    assert view is not None
    found = await adviser(rig, in_a_thread).hint(table, ADA, None)
    assert found.advice.moves[0] in {one.move for one in player_of("topominos").candidates(view)}
