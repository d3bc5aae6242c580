"""Who decides what: the table in `bot.tables.votes`, row by row."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.tables.model import SeatKind, Status, VoteKind
from bot.tables.ports import (
    CannotVote,
    Ended,
    NoSuchSeat,
    NotPaused,
    NotSeated,
    NotStarted,
    TooEarly,
)

from .support import ADA, BEN, CLEO, DAN, EVE, PLACE, Rig


async def test_more_than_half_end_the_table(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, DAN)
    for person, ended in ((BEN, False), (CLEO, False), (DAN, True)):
        after = (await rig.tables.vote(table.id, person, VoteKind.END)).table
        assert (after.status is Status.ENDED) is ended
    assert after.ending == "voted"
    assert after.votes == ()
    with pytest.raises(Ended):
        await rig.tables.vote(table.id, ADA, VoteKind.END)


async def test_a_vote_counts_once_and_can_be_changed(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, DAN)
    for _ in range(5):
        asked = await rig.tables.vote(table.id, ADA, VoteKind.END)
    assert asked.table.votes[0].yes == (ADA.id,)
    await rig.tables.vote(table.id, BEN, VoteKind.END)
    after = await rig.tables.vote(table.id, BEN, VoteKind.END, yes=False)
    assert (after.table.votes[0].yes, after.table.votes[0].no) == ((ADA.id,), (BEN.id,))
    assert after.table.votes[0].needed == 3
    assert await rig.tables.table(table.id) == after.table


async def test_a_question_that_cannot_be_carried_any_more_is_dropped(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO)
    await rig.tables.vote(table.id, ADA, VoteKind.END)
    await rig.tables.vote(table.id, BEN, VoteKind.END, yes=False)
    assert (await rig.tables.vote(table.id, CLEO, VoteKind.END, yes=False)).table.votes == ()
    with pytest.raises(CannotVote):
        await rig.tables.vote(table.id, CLEO, VoteKind.END, yes=False)


async def test_absent_players_block_no_end(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, DAN)
    await rig.tables.vote(table.id, BEN, VoteKind.END)
    rig.clock.advance(timedelta(hours=48))
    [change] = await rig.scheduler.run_due()
    assert (change.kind, change.table.ending) == ("end", "voted")


async def test_but_they_do_block_a_pause(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    await rig.tables.vote(table.id, BEN, VoteKind.PAUSE)
    rig.clock.advance(timedelta(hours=48))
    [change] = await rig.scheduler.run_due()
    assert (change.kind, change.table.status, change.table.votes) == ("lapse", Status.PLAYING, ())
    with pytest.raises(NotPaused):
        await rig.tables.vote(table.id, BEN, VoteKind.RESUME)


async def test_strangers_and_the_one_concerned_have_no_vote(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO)
    with pytest.raises(NotSeated):
        await rig.tables.vote(table.id, EVE, VoteKind.END)
    with pytest.raises(CannotVote):
        await rig.tables.vote(table.id, CLEO, VoteKind.KICK, 2)
    for seat in (None, -1, 3):
        with pytest.raises(NoSuchSeat):
            await rig.tables.vote(table.id, ADA, VoteKind.KICK, seat)
    lobby = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table
    with pytest.raises(NotStarted):
        await rig.tables.vote(lobby.id, ADA, VoteKind.END)


async def test_all_of_at_least_two_others_may_vote_anybody_out(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO)
    await rig.tables.vote(table.id, ADA, VoteKind.KICK, 2)
    out = await rig.tables.vote(table.id, BEN, VoteKind.KICK, 2)
    assert (out.kind, out.table.seats[2].kind, out.table.seats[2].user) == ("kick", SeatKind.STAND_IN, None)
    assert await rig.tables.tables_of(CLEO.id) == []


async def test_of_two_one_may_be_voted_out_after_a_day_without_a_clock(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    with pytest.raises(TooEarly):
        await rig.tables.vote(table.id, ADA, VoteKind.KICK, 1)
    rig.clock.advance(timedelta(hours=24))
    out = (await rig.tables.vote(table.id, ADA, VoteKind.KICK, 1)).table
    assert (out.status, out.ending) == (Status.ENDED, "too_few")


async def test_who_is_to_be_kicked_saves_themselves_by_moving(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, DAN)
    rig.clock.advance(timedelta(hours=24))
    await rig.tables.vote(table.id, ADA, VoteKind.KICK, 1)
    after = (await rig.play(table.id, BEN)).table
    assert after.votes == ()


async def test_but_not_by_what_the_others_play(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, DAN)
    await rig.play(table.id, BEN)
    await rig.tables.vote(table.id, ADA, VoteKind.KICK, 1)
    await rig.play(table.id, CLEO)
    await rig.tables.vote(table.id, CLEO, VoteKind.KICK, 1)
    assert (await rig.tables.vote(table.id, DAN, VoteKind.KICK, 1)).kind == "kick"


async def test_several_questions_stand_side_by_side_in_the_order_they_were_asked(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, DAN)
    await rig.tables.vote(table.id, ADA, VoteKind.PAUSE)
    await rig.tables.vote(table.id, BEN, VoteKind.END)
    change = await rig.tables.vote(table.id, BEN, VoteKind.PAUSE)
    assert [one.kind for one in change.table.votes] == [VoteKind.PAUSE, VoteKind.END]
    assert await rig.tables.table(table.id) == change.table


async def test_a_kick_by_the_few_who_vote_when_its_time_runs_out(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, DAN)
    rig.clock.advance(timedelta(hours=24))
    await rig.tables.vote(table.id, ADA, VoteKind.KICK, 1)
    rig.clock.advance(timedelta(hours=48))
    [change] = await rig.scheduler.run_due()
    assert (change.kind, change.table.seats[1].kind) == ("kick", SeatKind.STAND_IN)


async def test_a_leaver_s_vote_goes_with_them(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, DAN)
    await rig.tables.vote(table.id, DAN, VoteKind.END)
    await rig.tables.vote(table.id, CLEO, VoteKind.END)
    after = (await rig.tables.resign(table.id, DAN)).table
    assert (after.votes[0].yes, after.votes[0].needed) == ((CLEO.id,), 2)
