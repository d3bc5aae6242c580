"""People come and go, and the game goes on or ends; nobody is left in a table that is over."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.rules import record
from bot.tables.model import Person, SeatKind, Status, VoteKind
from bot.tables.ports import (
    AlreadySeated,
    Ended,
    InSecret,
    KnowsHands,
    NoSuchSeat,
    NotAllowed,
    NotSeated,
    NotStarted,
    Running,
)
from bot.tables.taps import Chosen

from .support import ADA, BEN, CLEO, DAN, EVE, PLACE, Rig, all_owed, typed


async def test_who_resigns_is_replaced_by_a_stand_in_and_the_game_goes_on(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO)
    table = await rig.set_up(table.id, ADA, BEN, CLEO)
    actor, [first, second] = await rig.whose_turn(table.id, ADA, BEN, CLEO)
    seat = table.seat_of(actor.id)
    assert seat is not None
    after = (await rig.tables.resign(table.id, actor)).table
    assert after.seats[seat.index].kind is SeatKind.STAND_IN
    assert after.host != actor.id
    assert await rig.tables.automatic_due() == [table.id]
    await rig.computers.run_due()
    now, _ = await rig.whose_turn(table.id, ADA, BEN, CLEO)
    assert now in (first, second)
    with pytest.raises(NotSeated):
        await rig.tables.resign(table.id, actor)


async def test_below_the_game_s_fewest_players_the_table_ends(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    ended = (await rig.tables.resign(table.id, BEN)).table
    assert (ended.status, ended.ending, ended.outcome) == (Status.ENDED, "too_few", None)
    assert all(seat.since == 0 for seat in ended.seats)


async def test_with_computers_enough_one_human_plays_on_and_none_is_the_end(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, computers=2)
    assert (await rig.tables.resign(table.id, BEN)).table.status is Status.PLAYING
    assert (await rig.tables.resign(table.id, ADA)).table.ending == "deserted"
    assert await rig.tables.automatic_due() == []


@pytest.mark.parametrize("phase", ["lobby", "set-up", "turn"])
async def test_leaving_the_server_is_leaving_every_table_there(rig: Rig, phase: str) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table
    for person in (BEN, CLEO):
        await rig.tables.join(table.id, person)
    elsewhere = (await rig.tables.open(BEN, replace(PLACE, guild=5), "fivetotwelve")).table
    if phase != "lobby":
        await rig.tables.start(table.id, ADA)
    if phase == "turn":
        await rig.set_up(table.id, ADA, BEN, CLEO)
    [change] = await rig.tables.left_guild(PLACE.guild, BEN.id)
    assert change.table.id == table.id
    assert change.table.seat_of(BEN.id) is None
    assert [one.id for one in await rig.tables.tables_of(BEN.id)] == [elsewhere.id]
    assert await rig.tables.left_guild(PLACE.guild, BEN.id) == []


@pytest.mark.parametrize("how", ["cancel", "voted", "host", "admin", "too_few", "expire", "finished"])
async def test_after_any_end_nobody_is_still_in_a_game(rig: Rig, how: str) -> None:
    if how in ("cancel", "expire"):
        table = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table
        await rig.tables.join(table.id, BEN)
    else:
        table = await rig.started(ADA, BEN)
    match how:
        case "cancel":
            await rig.tables.cancel(table.id, ADA)
        case "voted":
            await rig.tables.vote(table.id, ADA, VoteKind.END)
            await rig.tables.vote(table.id, BEN, VoteKind.END)
        case "host":
            await rig.tables.end(table.id, ADA)
        case "admin":
            await rig.tables.end_by_admin(table.id)
        case "too_few":
            await rig.tables.resign(table.id, ADA)
        case "expire":
            rig.clock.advance(timedelta(days=1))
            await rig.scheduler.run_due()
        case _:
            while (await rig.tables.table(table.id)).is_open:
                for person in (ADA, BEN):
                    seat = (await rig.tables.table(table.id)).seat_of(person.id)
                    if seat is not None and seat.since:
                        await rig.play(table.id, person)
    ended = await rig.tables.table(table.id)
    assert ended.status is Status.ENDED
    for person in (ADA, BEN):
        assert await rig.tables.tables_of(person.id) == []
    assert await rig.tables.tables_at(PLACE.guild) == []
    told = {(ADA.id, "expired"), (BEN.id, "expired")} if how == "expire" else set()
    assert {(owed.user, owed.why) for owed in await all_owed(rig.shown)} == told
    assert await rig.tables.automatic_due() == []
    assert (await rig.shown.unpainted())[0] == table.id, "the last picture is still owed"
    with pytest.raises(Ended):
        await rig.tables.leave(table.id, ADA)
    with pytest.raises(Ended):
        await rig.tables.end_by_admin(table.id)


async def test_who_may_end_a_table_at_once(rig: Rig) -> None:
    await rig.tables.set_guild(PLACE.guild, enders=(9,))
    for person in (
        ADA,
        Person(EVE.id, "Eve", guild=PLACE.guild, manages=True),
        Person(EVE.id, "Eve", guild=PLACE.guild, roles=frozenset({9})),
    ):
        table = await rig.started(ADA, BEN)
        for nobody in (BEN, EVE):
            with pytest.raises(NotAllowed):
                await rig.tables.end(table.id, nobody)
        assert (await rig.tables.end(table.id, person)).table.ending in ("host", "admin")


async def test_an_empty_seat_is_opened_by_the_host_and_taken_by_somebody_new(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO)
    await rig.tables.resign(table.id, CLEO)
    with pytest.raises(NoSuchSeat):
        await rig.tables.take_seat(table.id, EVE, 2)
    with pytest.raises(NoSuchSeat):
        await rig.tables.vote(table.id, ADA, VoteKind.OPEN_SEAT, 1)
    opened = await rig.tables.vote(table.id, ADA, VoteKind.OPEN_SEAT, 2)
    assert (opened.kind, opened.table.seats[2].kind) == ("open_seat", SeatKind.OPEN)
    with pytest.raises(AlreadySeated):
        await rig.tables.take_seat(table.id, BEN, 2)
    taken = (await rig.tables.take_seat(table.id, EVE, 2)).table
    assert (taken.seats[2].kind, taken.seats[2].user, taken.seats[2].name) == (SeatKind.HUMAN, EVE.id, "Eve")
    assert [notice.user for notice in await rig.shown.owed_at(table.id)] == [ADA.id, BEN.id, EVE.id]
    await rig.play(table.id, EVE)


async def test_the_others_open_a_seat_by_majority_or_give_it_to_a_computer(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, DAN)
    await rig.tables.resign(table.id, DAN)
    await rig.tables.vote(table.id, BEN, VoteKind.COMPUTER_SEAT, 3)
    given = await rig.tables.vote(table.id, CLEO, VoteKind.COMPUTER_SEAT, 3)
    assert given.table.seats[3].kind is SeatKind.COMPUTER
    assert await rig.tables.automatic_due() == [table.id]


async def test_who_saw_another_hand_takes_no_seat_but_their_own_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.rules.registry import game

    monkeypatch.setattr(type(game("fivetotwelve")), "hidden_hands", True)
    table = await rig.started(ADA, BEN, CLEO, DAN)
    for person, seat in ((CLEO, 2), (DAN, 3)):
        await rig.tables.resign(table.id, person)
        await rig.tables.vote(table.id, ADA, VoteKind.OPEN_SEAT, seat)
    with pytest.raises(KnowsHands):
        await rig.tables.take_seat(table.id, CLEO, 3)
    await rig.tables.take_seat(table.id, CLEO, 2)
    await rig.tables.take_seat(table.id, EVE, 3)
    await rig.tables.resign(table.id, CLEO)
    await rig.tables.vote(table.id, ADA, VoteKind.OPEN_SEAT, 2)
    await rig.tables.resign(table.id, EVE)
    with pytest.raises(KnowsHands):
        await rig.tables.take_seat(table.id, EVE, 2)


WRITTEN = "10@A1 20@B1 30@C1 40@D1 50@E1"


async def two_seats_given_up(rig: Rig, table: str) -> None:
    for person, seat in ((BEN, 1), (CLEO, 2)):
        await rig.tables.resign(table, person)
        await rig.tables.vote(table, ADA, VoteKind.OPEN_SEAT, seat)


async def test_nobody_changes_seats_with_a_secret_in_mind(rig: Rig) -> None:
    """Top 12's set-up: Ben knows what is written for seat 1 and nobody else does. Afterwards he may."""
    table = (await rig.started(ADA, BEN, CLEO, DAN, game="top12")).id
    await typed(rig.tables, table, BEN, WRITTEN)
    await two_seats_given_up(rig, table)
    with pytest.raises(InSecret):
        await rig.tables.take_seat(table, BEN, 2)
    with pytest.raises(InSecret):
        await rig.tables.take_seat(table, CLEO, 1)
    await rig.tables.take_seat(table, EVE, 2)
    await rig.tables.take_seat(table, BEN, 1)
    await rig.tables.resign(table, BEN)
    await rig.tables.vote(table, ADA, VoteKind.OPEN_SEAT, 1)
    for person in (ADA, DAN, EVE):
        await typed(rig.tables, table, person, WRITTEN)
    loaded = await rig.tables.load(table)
    assert loaded.state is not None
    assert not loaded.state.in_secret()
    await rig.tables.take_seat(table, CLEO, 1)


async def test_entries_are_secret_until_the_round_closes(rig: Rig) -> None:
    table = (await rig.started(ADA, BEN, CLEO, DAN, game="top12")).id
    for person in (ADA, BEN, CLEO, DAN):
        await typed(rig.tables, table, person, WRITTEN)
    called = await rig.tables.table(table)
    caller = next(person for person in (ADA, BEN, CLEO, DAN) if person.id == called.to_act[0].user)
    await typed(rig.tables, table, caller, "60")
    loaded = await rig.tables.load(table)
    assert loaded.state is not None
    assert loaded.state.in_secret()
    await two_seats_given_up(rig, table)
    with pytest.raises(InSecret):
        await rig.tables.take_seat(table, BEN, 2)
    await rig.computers.run_due()
    for person in (ADA, DAN):
        await rig.play(table, person)
    await rig.tables.take_seat(table, BEN, 2)


async def test_who_changed_seats_sees_as_the_seat_they_sit_on(rig: Rig) -> None:
    """What a former seat knew is neither in the view nor in the history of who left it."""
    table = (await rig.started(ADA, BEN, CLEO, game="top12")).id
    for person in (ADA, BEN, CLEO):
        await typed(rig.tables, table, person, WRITTEN)
    await two_seats_given_up(rig, table)
    await rig.tables.take_seat(table, BEN, 2)
    await rig.tables.take_seat(table, EVE, 1)
    caller = (await rig.tables.table(table)).to_act[0].user
    await typed(rig.tables, table, next(one for one in (ADA, BEN, EVE) if one.id == caller), "60")
    await rig.play(table, EVE)
    for person, shown in ((EVE, True), (BEN, False), (CLEO, False)):
        last = (await rig.tables.history(table, person.id))[-1]
        assert [event.text != "?" for event in last.events] == [shown]
        seen = await rig.tables.view(table, person.id, recap=True)
        assert seen.recap is not None
        assert (seen.recap.events[-1].text != "?") is shown


async def test_a_draft_is_never_seen_by_who_takes_the_seat(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO)
    await rig.tables.tap(table.id, CLEO, table.revision, lambda _: Chosen("secret"))
    await rig.tables.resign(table.id, CLEO)
    await rig.tables.vote(table.id, ADA, VoteKind.OPEN_SEAT, 2)
    await rig.tables.take_seat(table.id, EVE, 2)
    assert (await rig.tables.view(table.id, EVE.id)).draft == ""


async def test_a_rematch_is_one_new_lobby_with_the_same_seats(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO, computers=1)
    with pytest.raises(Running):
        await rig.tables.rematch(table.id, ADA)
    await rig.tables.resign(table.id, CLEO)
    await rig.tables.end(table.id, ADA)
    with pytest.raises(NotSeated):
        await rig.tables.rematch(table.id, EVE)
    first = await rig.tables.rematch(table.id, BEN)
    second = await rig.tables.rematch(table.id, ADA)
    assert first.table.id == second.table.id != table.id
    assert first.table.status is Status.LOBBY
    assert first.table.host == BEN.id
    assert [(seat.index, seat.kind, seat.user) for seat in first.table.seats] == [
        (0, SeatKind.HUMAN, ADA.id),
        (1, SeatKind.COMPUTER, None),
        (2, SeatKind.HUMAN, BEN.id),
    ]
    assert first.table.seed != table.seed
    assert (await rig.tables.table(table.id)).rematch == first.table.id


@pytest.mark.parametrize("how", ["cancelled", "expired", "played"])
async def test_once_a_rematch_has_ended_the_next_one_is_opened(rig: Rig, how: str) -> None:
    """Whatever had become of it, the old table led there for ever, and no other could be opened."""
    table = await rig.started(ADA, BEN)
    await rig.tables.end(table.id, ADA)
    first = (await rig.tables.rematch(table.id, BEN)).table
    match how:
        case "cancelled":
            await rig.tables.cancel(first.id, BEN)
        case "expired":
            rig.clock.advance(timedelta(days=1))
            await rig.scheduler.run_due()
        case _:
            await rig.tables.start(first.id, BEN)
            there = await rig.tables.rematch(table.id, ADA)
            assert (there.kind, there.table.id, there.table.status) == ("", first.id, Status.PLAYING)
            for person in (ADA, BEN):
                await rig.tables.vote(first.id, person, VoteKind.PAUSE)
            there = await rig.tables.rematch(table.id, ADA)
            assert (there.kind, there.table.id, there.table.status) == ("", first.id, Status.PAUSED)
            await rig.tables.end(first.id, BEN)
    assert await rig.tables.rematch_of(await rig.tables.table(table.id)) is None
    both = await asyncio.gather(*(rig.tables.rematch(table.id, person) for person in (ADA, BEN)))
    assert sorted(change.kind for change in both) == ["", "open"]
    assert both[0].table.id == both[1].table.id not in {first.id, table.id}
    now = await rig.tables.rematch_of(await rig.tables.table(table.id))
    assert now is not None
    assert (now.id, now.status) == (both[0].table.id, Status.LOBBY)


async def test_a_rematch_of_pairs_keeps_who_sat_together(rig: Rig) -> None:
    """Ben goes: Cleo and Dan stay a pair, and Ada has the free seat beside her."""
    table = await rig.started(ADA, BEN, CLEO, DAN, game="zatre", options={"partners": True})
    await rig.tables.resign(table.id, BEN)
    await rig.tables.end(table.id, ADA)
    again = (await rig.tables.rematch(table.id, ADA)).table
    assert [seat.user for seat in again.seats] == [CLEO.id, DAN.id, ADA.id]
    assert [seat.index for seat in again.seats] == [0, 1, 2]
    joined = (await rig.tables.join(again.id, EVE)).table
    assert [seat.user for seat in joined.seats] == [CLEO.id, DAN.id, ADA.id, EVE.id]


async def test_the_record_is_secret_until_the_end_and_right_then(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    with pytest.raises(Running):
        await rig.tables.record(table.id)
    while (await rig.tables.table(table.id)).is_open:
        for person in (ADA, BEN):
            seat = (await rig.tables.table(table.id)).seat_of(person.id)
            if seat is not None and seat.since:
                await rig.play(table.id, person)
    text = await rig.tables.record(table.id)
    assert record.verify(text).ok
    written = json.loads(text)
    ended = await rig.tables.table(table.id)
    assert ended.outcome is not None
    assert written["outcome"] == ended.outcome.to_json()
    assert written["seed"] == ended.seed


async def test_a_table_ended_early_has_a_record_without_outcome(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    await rig.play(table.id, ADA)
    await rig.tables.end(table.id, ADA)
    text = await rig.tables.record(table.id)
    assert record.verify(text).ok
    assert json.loads(text)["outcome"] is None
    lobby = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table
    await rig.tables.cancel(lobby.id, ADA)
    with pytest.raises(NotStarted):
        await rig.tables.record(lobby.id)


async def test_my_tables_my_turn_first_then_by_deadline(rig: Rig) -> None:
    from datetime import timedelta

    from bot.tables.model import ClockRule

    lobby = (await rig.tables.open(ADA, PLACE, "fivetotwelve")).table
    waiting = await rig.started(ADA, BEN, clock=ClockRule(600))
    await rig.play(waiting.id, ADA)
    endless = await rig.started(ADA, BEN)
    later = await rig.started(ADA, BEN, clock=ClockRule(7200))
    sooner = await rig.started(ADA, BEN, clock=ClockRule(3600))
    rig.clock.advance(timedelta(seconds=1))
    found = [table.id for table in await rig.tables.tables_of(ADA.id)]
    assert found == [sooner.id, later.id, endless.id, waiting.id, lobby.id]
    assert await rig.tables.tables_of(EVE.id) == []


async def test_settings_are_kept_and_checked(rig: Rig) -> None:
    assert (await rig.tables.user(ADA.id)).notices == "channel"
    await rig.tables.set_user(ADA.id, notices="dm", language="de")
    await rig.tables.seen_locale(ADA.id, "en-GB")
    settings = await rig.tables.user(ADA.id)
    assert (settings.notices, settings.language, settings.locale) == ("dm", "de", "en-GB")
    odd: tuple[dict[str, object], ...] = (
        {"notices": "pigeon"},
        {"user": 1},
        {"text_board": "yes"},
        {"language": ""},
    )
    for wrong in odd:
        with pytest.raises(ValueError, match="user setting"):
            await rig.tables.set_user(ADA.id, **wrong)
    bad: tuple[dict[str, object], ...] = (
        {"channels": [1]},
        {"most_tables": 0},
        {"guild": 1},
        {"threads": None},
    )
    for wrong in bad:
        with pytest.raises(ValueError, match="guild setting"):
            await rig.tables.set_guild(PLACE.guild, **wrong)
    await rig.tables.set_guild(PLACE.guild, threads=False, language="de")
    kept = await rig.tables.guild(PLACE.guild)
    assert (kept.threads, kept.language, kept.most_tables) == (False, "de", 50)


@pytest.mark.parametrize("blank", ["", " ", "\u200b", "\u3164\u3164", "\u2800", "\u00a0\u200d", "\0\ud800"])
async def test_a_name_in_which_nothing_shows_is_replaced(rig: Rig, blank: str) -> None:
    """Such names left holes in sentences and pictures."""
    change = await rig.tables.open(Person(123_456_789, blank), PLACE, "fivetotwelve")
    assert change.table.seats[0].name == "#6789"


@pytest.mark.parametrize("name", ["Ada", "محمد", "👩‍🚀", "李", "~", "7"])
async def test_any_name_that_shows_is_kept(rig: Rig, name: str) -> None:
    change = await rig.tables.open(Person(1, name), PLACE, "fivetotwelve")
    assert change.table.seats[0].name == name
