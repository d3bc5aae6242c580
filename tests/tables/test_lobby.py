"""Before the game: opening, sitting down, getting up, starting."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import pytest

from bot.levels import Level
from bot.locale import LANGUAGES, sayer
from bot.rules.errors import SetupError
from bot.tables.model import Change, ClockRule, Person, SeatKind, Status
from bot.tables.ports import (
    AlreadySeated,
    BadClock,
    ChannelNotAllowed,
    Ended,
    Full,
    InvitedOnly,
    NobodyToInvite,
    NoComputer,
    NoPairs,
    NotAllowed,
    NotFound,
    NotHost,
    NotSeated,
    Stale,
    Started,
    TooFew,
    TooManyInvited,
    TooManyTables,
)

from .support import ADA, BEN, CLEO, DAN, EVE, PLACE, Rig, open_rig


async def test_ada_opens_a_table_and_sits_on_its_first_seat(rig: Rig) -> None:
    change = await rig.tables.open(ADA, PLACE, "fivetotwelve", {"bruno": True}, computers=1)
    table = change.table
    assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{6}", table.id)
    assert (table.revision, table.status, table.host, table.people) == (1, Status.LOBBY, ADA.id, 4)
    assert [(seat.kind, seat.user) for seat in table.seats] == [
        (SeatKind.HUMAN, ADA.id),
        (SeatKind.COMPUTER, None),
    ]
    assert await rig.tables.table(table.id) == table
    assert rig.told == [change]


async def test_every_table_has_its_own_id_and_seed(rig: Rig) -> None:
    opened = [(await rig.tables.open(ADA, PLACE, "fivetotwelve")).table for _ in range(20)]
    assert len({table.id for table in opened}) == 20
    assert len({table.seed for table in opened}) == 20


async def test_the_seed_is_not_in_a_table_s_repr(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table
    assert table.seed not in repr(table)


@pytest.mark.parametrize("people", [3, 5, None])
async def test_a_number_of_games_that_nobody_could_play_says_which_goes_with_how_many(
    rig: Rig, people: int | None
) -> None:
    with pytest.raises(SetupError) as refused:
        await rig.tables.open(ADA, PLACE, "topspot", {"games": 1}, people=people)
    for language in LANGUAGES:
        said = sayer(language)(refused.value.key, **refused.value.data)
        assert all(few in said for few in ("3, 6, 9", "4, 8, 12", "5, 10, 15"))


async def test_what_cannot_be_played_is_refused_when_opening(rig: Rig) -> None:
    with pytest.raises(SetupError):
        await rig.tables.open(ADA, PLACE, "chess")
    with pytest.raises(SetupError):
        await rig.tables.open(ADA, PLACE, "fivetotwelve", {"bruno": "yes"})
    with pytest.raises(SetupError):
        await rig.tables.open(ADA, PLACE, "fivetotwelve", people=5)
    with pytest.raises(Full):
        await rig.tables.open(ADA, PLACE, "fivetotwelve", computers=4)
    for seconds in (0, 29, 1_209_601):
        with pytest.raises(BadClock):
            await rig.tables.open(ADA, PLACE, "fivetotwelve", clock=ClockRule(seconds))
    assert await rig.tables.tables_at(PLACE.guild) == []


async def test_seats_fill_and_nobody_sits_twice(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve", people=3)).table.id
    with pytest.raises(AlreadySeated):
        await rig.tables.join(table, ADA)
    await rig.tables.join(table, BEN)
    await rig.tables.add_computer(table, BEN)
    with pytest.raises(Full) as refused:
        await rig.tables.join(table, CLEO)
    assert refused.value.data == {"most": 3}
    assert refused.value.table is not None
    await rig.tables.remove_computer(table, ADA)
    with pytest.raises(NoComputer):
        await rig.tables.remove_computer(table, ADA)
    assert [seat.user for seat in (await rig.tables.join(table, CLEO)).table.seats] == [
        ADA.id,
        BEN.id,
        CLEO.id,
    ]


async def test_computer_players_keep_the_strength_they_were_added_with(rig: Rig) -> None:
    opened = await rig.tables.open(ADA, PLACE, "fivetotwelve", people=4, computers=1, level=Level.EASY)
    table = opened.table.id
    for level in (Level.HARD, Level.MEDIUM):
        await rig.tables.add_computer(table, ADA, level)
    await rig.tables.start(table, ADA)
    stored = await rig.store.load(table)
    assert stored is not None
    assert [seat.level for seat in stored.table.seats[1:]] == [Level.EASY, Level.HARD, Level.MEDIUM]
    await rig.tables.end(table, ADA)
    again = (await rig.tables.rematch(table, ADA)).table
    assert [seat.level for seat in again.seats[1:]] == [Level.EASY, Level.HARD, Level.MEDIUM]


async def test_who_does_not_sit_here_changes_no_seat(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table.id
    for act in (rig.tables.add_computer, rig.tables.remove_computer, rig.tables.leave):
        with pytest.raises(NotSeated):
            await act(table, EVE)
    for act in (rig.tables.start, rig.tables.cancel):
        with pytest.raises(NotHost):
            await act(table, EVE)
    assert (await rig.tables.table(table)).revision == 1


async def test_the_host_passes_on_and_the_last_one_closes_the_table(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve", computers=1)).table.id
    await rig.tables.join(table, BEN)
    after = (await rig.tables.leave(table, ADA)).table
    assert after.host == BEN.id
    assert [seat.index for seat in after.seats] == [0, 1]
    ended = (await rig.tables.leave(table, BEN)).table
    assert (ended.status, ended.ending) == (Status.ENDED, "cancelled")
    with pytest.raises(Ended):
        await rig.tables.join(table, CLEO)


async def test_the_host_may_hand_over(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table.id
    await rig.tables.join(table, BEN)
    with pytest.raises(NotHost):
        await rig.tables.pass_host(table, BEN, BEN.id)
    with pytest.raises(NotSeated):
        await rig.tables.pass_host(table, ADA, EVE.id)
    assert (await rig.tables.pass_host(table, ADA, BEN.id)).table.host == BEN.id


async def test_start_needs_enough_players_and_happens_once(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table.id
    with pytest.raises(TooFew) as refused:
        await rig.tables.start(table, ADA)
    assert refused.value.data == {"least": 2, "seated": 1}
    await rig.tables.join(table, BEN)
    started = await rig.tables.start(table, ADA)
    assert started.state is not None
    assert started.table.status is Status.PLAYING
    assert started.opened == (0, 1)
    assert all(seat.since == started.table.revision for seat in started.table.seats)
    for act in (rig.tables.start, rig.tables.cancel):
        with pytest.raises(Started):
            await act(table, ADA)
    with pytest.raises(Started):
        await rig.tables.join(table, CLEO)


async def test_pairs_are_chosen_by_the_people_themselves_and_by_the_host(rig: Rig) -> None:
    """The chosen one changes places with whoever sat there; nobody else moves."""
    table = (await rig.tables.open(ADA, PLACE, "zatre", {"partners": True}, computers=3)).table.id
    for person in (BEN, CLEO):
        await rig.tables.join(table, person)

    def order(change: Change) -> list[int | None]:
        assert [seat.index for seat in change.table.seats] == list(range(6))
        return [seat.user for seat in change.table.seats]

    change = await rig.tables.pair(table, BEN, [(2, None)])
    assert order(change) == [ADA.id, None, None, BEN.id, None, CLEO.id]
    change = await rig.tables.pair(table, ADA, [(5, CLEO.id), (3, BEN.id)])
    assert order(change) == [ADA.id, None, None, None, BEN.id, CLEO.id]
    with pytest.raises(NoPairs):
        await rig.tables.pair(table, BEN, [(5, CLEO.id)])
    with pytest.raises(Stale):
        await rig.tables.pair(table, BEN, [(1, ADA.id)])
    with pytest.raises(NotHost):
        await rig.tables.pair(table, CLEO, [(0, ADA.id), (2, None)])
    with pytest.raises(NotSeated):
        await rig.tables.pair(table, EVE, [(0, ADA.id)])
    alone = (await rig.tables.open(ADA, PLACE, "zatre", computers=3)).table.id
    with pytest.raises(NoPairs):
        await rig.tables.pair(alone, ADA, [(3, None)])


async def test_the_last_one_alone_is_joined_by_whom_they_choose(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "zatre", {"partners": True})).table.id
    for person in (BEN, CLEO):
        await rig.tables.join(table, person)
    change = await rig.tables.pair(table, CLEO, [(0, ADA.id)])
    assert [seat.user for seat in change.table.seats] == [ADA.id, CLEO.id, BEN.id]
    change = await rig.tables.pair(table, ADA, [(2, BEN.id)])
    assert [seat.user for seat in change.table.seats] == [ADA.id, BEN.id, CLEO.id]


async def test_who_leaves_a_lobby_of_pairs_parts_no_other_pair(rig: Rig) -> None:
    """Whoever sat behind them moved up one seat, and every pair after that was another one."""
    table = (await rig.tables.open(ADA, PLACE, "zatre", {"partners": True}, computers=1)).table.id
    for person in (BEN, CLEO, DAN, EVE):
        await rig.tables.join(table, person)
    change = await rig.tables.remove_computer(table, ADA)
    assert [seat.user for seat in change.table.seats] == [BEN.id, CLEO.id, DAN.id, EVE.id, ADA.id]
    change = await rig.tables.leave(table, DAN)
    assert [seat.user for seat in change.table.seats] == [BEN.id, CLEO.id, EVE.id, ADA.id]
    change = await rig.tables.leave(table, BEN)
    assert [seat.user for seat in change.table.seats] == [EVE.id, ADA.id, CLEO.id]
    assert [seat.index for seat in change.table.seats] == [0, 1, 2]
    assert change.table.host == ADA.id


async def test_the_host_or_the_staff_cancels(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table.id
    assert (await rig.tables.cancel(table, ADA)).table.ending == "cancelled"
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table.id
    staff = Person(EVE.id, "Eve", guild=PLACE.guild, manages=True)
    assert (await rig.tables.cancel(table, staff)).table.ending == "cancelled"
    for unknown in ("000000", "", "abcdef", "\0", "0" * 4000, "'; DROP"):
        with pytest.raises(NotFound):
            await rig.tables.join(unknown, ADA)


async def test_names_are_kept_as_they_are_but_for_what_no_database_keeps(rig: Rig) -> None:
    name = "**Ada** @everyone 💧 عدا"
    table = (await rig.tables.open(Person(1, name + "\0\ud800" + "x" * 200), PLACE, "fivetotwelve")).table
    assert table.seats[0].name == (name + "x" * 200)[:60] + "…" + "x" * 39
    assert await rig.tables.table(table.id) == table


async def test_an_untouched_lobby_expires_after_a_day(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table.id
    rig.clock.advance(timedelta(hours=23))
    await rig.tables.join(table, BEN)  # touched: the day begins anew
    rig.clock.advance(timedelta(hours=23))
    assert await rig.scheduler.run_due() == []
    rig.clock.advance(timedelta(hours=1))
    [change] = await rig.scheduler.run_due()
    assert (change.table.status, change.table.ending, change.kind) == (Status.ENDED, "expired", "expire")
    assert await rig.scheduler.run_due() == []


async def test_the_server_says_where_and_by_whom_and_how_many(rig: Rig) -> None:
    await rig.tables.set_guild(
        PLACE.guild,
        channels=(PLACE.channel + 1,),
        openers=(77,),
        most_tables=1,
        clock=ClockRule(3600, "vote"),
    )
    with pytest.raises(NotAllowed):
        await rig.tables.open(ADA, PLACE, "fivetotwelve")
    member = Person(ADA.id, "Ada", guild=PLACE.guild, roles=frozenset({77}))
    with pytest.raises(ChannelNotAllowed) as refused:
        await rig.tables.open(member, PLACE, "fivetotwelve")
    assert refused.value.data == {"channels": (PLACE.channel + 1,)}
    thread = await rig.tables.open(member, PLACE, "fivetotwelve", parent=PLACE.channel + 1)
    await rig.tables.cancel(thread.table.id, member)
    await rig.tables.set_guild(PLACE.guild, channels=())
    table = (await rig.tables.open(member, PLACE, "fivetotwelve")).table
    assert table.clock == ClockRule(3600, "vote")
    with pytest.raises(TooManyTables):
        await rig.tables.open(member, PLACE, "fivetotwelve")
    await rig.tables.cancel(table.id, member)
    await rig.tables.open(member, PLACE, "fivetotwelve")  # an ended one does not count
    with pytest.raises(TooManyTables):
        await rig.tables.rematch(table.id, member)  # a rematch is opened like any table
    with pytest.raises(NotAllowed):
        await rig.tables.rematch(table.id, ADA)


async def test_fifty_people_click_at_once_and_the_last_lobby_told_is_the_stored_one(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table.id
    acts = [
        act(table, person)
        for person in (BEN, CLEO, DAN, EVE, BEN)
        for act in (
            rig.tables.join,
            rig.tables.leave,
            rig.tables.add_computer,
            rig.tables.remove_computer,
            rig.tables.join,
            rig.tables.leave,
            rig.tables.join,
            rig.tables.start,
            rig.tables.leave,
            rig.tables.join,
        )
    ]
    results = await asyncio.gather(*acts, return_exceptions=True)
    refused = (AlreadySeated, NotSeated, Full, NoComputer, NotHost, Ended, Started)
    assert not [one for one in results if isinstance(one, BaseException) and not isinstance(one, refused)]
    stored = await rig.tables.table(table)
    assert rig.told[-1].table == stored
    assert [change.table.revision for change in rig.told] == list(range(1, stored.revision + 1))
    people = [seat.user for seat in stored.seats if seat.user]
    assert len(people) == len(set(people))
    assert len(stored.seats) <= 4


async def test_who_declined_keeps_no_place_and_invitations_can_be_taken_back(rig: Rig) -> None:
    """The ten places were full of people who had declined, for ever."""
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table.id
    others = [2 * 10**17 + at for at in range(9)]
    await rig.tables.invite(table, ADA, {BEN.id: "Ben"} | dict.fromkeys(others, "x"))
    with pytest.raises(TooManyInvited):
        await rig.tables.invite(table, ADA, {CLEO.id: "Cleo"})
    await rig.tables.decline(table, BEN)
    invited = (await rig.tables.invite(table, ADA, {CLEO.id: "Cleo"})).table
    assert [one.user for one in invited.invited] == [BEN.id, *others, CLEO.id], "nobody sees who declined"
    with pytest.raises(TooManyInvited):
        await rig.tables.invite(table, ADA, {DAN.id: "Dan"})

    with pytest.raises(NotHost):
        await rig.tables.withdraw(table, CLEO, [BEN.id])
    with pytest.raises(Stale):
        await rig.tables.withdraw(table, ADA, [DAN.id])
    await rig.tables.withdraw(table, ADA, [BEN.id, others[0], DAN.id])
    with pytest.raises(InvitedOnly):
        await rig.tables.accept(table, BEN)
    found = (await rig.tables.invite(table, ADA, {BEN.id: "Ben"})).table
    assert [one.user for one in found.invited] == [*others[1:], CLEO.id, BEN.id]
    assert await rig.tables.declined(found) == (), "they are asked anew"
    with pytest.raises(TooManyInvited):
        await rig.tables.invite(table, ADA, {DAN.id: "Dan"})


async def test_a_lobby_has_twenty_five_invitations_at_most(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table.id
    for at in range(25):
        guest = Person(2 * 10**17 + at, "x", guild=PLACE.guild)
        await rig.tables.invite(table, ADA, {guest.id: "x"})
        await rig.tables.decline(table, guest)
    with pytest.raises(TooManyInvited):
        await rig.tables.invite(table, ADA, {BEN.id: "Ben"})


async def test_invitations_outlast_a_restart_and_end_with_the_lobby(tmp_path: Path) -> None:
    """Whoever declined is no part of the table, and is told of apart."""
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        table = (await rig.tables.open(ADA, PLACE, "fivetotwelve", by_invitation=True)).table.id
        with pytest.raises(NotHost):
            await rig.tables.invite(table, BEN, {CLEO.id: "Cleo"})
        invited = await rig.tables.invite(table, ADA, {BEN.id: "Ben", CLEO.id: "Cleo", ADA.id: "Ada"})
        assert [one.user for one in invited.table.invited] == [BEN.id, CLEO.id]
        with pytest.raises(NobodyToInvite):
            await rig.tables.invite(table, ADA, {BEN.id: "Ben"})
        with pytest.raises(TooManyInvited):
            await rig.tables.invite(table, ADA, dict.fromkeys(range(2 * 10**17, 2 * 10**17 + 9), "x"))
        with pytest.raises(InvitedOnly):
            await rig.tables.join(table, DAN)
        with pytest.raises(InvitedOnly):
            await rig.tables.decline(table, DAN)
        assert await rig.tables.decline(table, CLEO) is not None
        assert await rig.tables.decline(table, CLEO) is None
    async with open_rig(path) as rig:
        found = await rig.tables.table(table)
        assert found == invited.table
        assert [one.user for one in await rig.tables.declined(found)] == [CLEO.id]
        await rig.tables.accept(table, BEN)
        with pytest.raises(NotHost):
            await rig.tables.restrict(table, BEN, False)
        started = (await rig.tables.start(table, ADA)).table
        assert (started.invited, started.by_invitation) == ((), True)
        assert await rig.tables.declined(started) == ()
        with pytest.raises(Started):
            await rig.tables.accept(table, CLEO)
