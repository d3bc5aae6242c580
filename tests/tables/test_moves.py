"""Moves: who may click what when, and that each click counts once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.rules.errors import Illegal, RulesError, Unreadable
from bot.tables.model import Change, Seen, Status
from bot.tables.ports import (
    Busy,
    Ended,
    NotSeated,
    NotStarted,
    NotYourTurn,
    Refusal,
    RevisionTaken,
    Stale,
    Write,
)
from bot.tables.taps import TRIED, Chosen, Played, Resolve, Tried

from .support import ADA, BEN, CLEO, EVE, PLACE, Rig, typed


async def test_a_simultaneous_move_makes_no_other_menu_stale(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO)
    opened = table.revision
    moves = {person: await rig.first_legal(table.id, person) for person in (ADA, BEN, CLEO)}
    for person in (CLEO, ADA):
        await rig.tables.move(table.id, person, moves[person], opened)
    change = await rig.tables.move(table.id, BEN, moves[BEN], opened)
    assert change.opened == (0, 1, 2), "the next wave opens for all"


@pytest.mark.both
async def test_the_same_click_twice_counts_once(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    move = await rig.first_legal(table.id, ADA)
    clicks = [rig.tables.move(table.id, ADA, move, table.revision) for _ in range(20)]
    results = await asyncio.gather(*clicks, return_exceptions=True)
    assert sum(isinstance(one, Change) for one in results) == 1
    late = [one for one in results if isinstance(one, NotYourTurn)]
    assert len(late) == 19
    assert (await rig.tables.table(table.id)).revision == table.revision + 1
    assert late[0].table == await rig.tables.table(table.id), "the refusal carries what is current"


async def test_each_decision_of_a_turn_moves_since_so_that_old_buttons_are_stale(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    table = await rig.set_up(table.id, ADA, BEN)
    actor, _ = await rig.whose_turn(table.id, ADA, BEN)
    drawn = await rig.tables.move(table.id, actor, "draw", table.revision)
    seat = drawn.table.seat_of(actor.id)
    assert seat is not None
    assert seat.since == drawn.table.revision
    with pytest.raises(Stale) as refused:
        await rig.tables.move(table.id, actor, "leave", table.revision)
    assert type(refused.value) is Stale
    after = await rig.tables.move(table.id, actor, "leave", drawn.table.revision)
    assert after.closed == (seat.index,)
    assert len(after.opened) == 1


async def test_a_revision_that_never_was_is_stale(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    move = await rig.first_legal(table.id, ADA)
    for revision in (-1, 0, table.revision - 1, table.revision + 1):
        with pytest.raises(Stale):
            await rig.tables.move(table.id, ADA, move, revision)


async def test_moves_are_refused_by_the_rules_and_change_nothing(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    with pytest.raises(Unreadable):
        await rig.tables.move(table.id, ADA, "hello", table.revision)
    tile = (await rig.first_legal(table.id, ADA)).split("@")[0]
    with pytest.raises(Illegal):
        await rig.tables.move(table.id, ADA, f"{tile}@A2", table.revision)
    with pytest.raises(Unreadable):
        await typed(rig.tables, table.id, ADA, "what now?")
    with pytest.raises(NotSeated):
        await rig.tables.move(table.id, EVE, f"{tile}@A1", table.revision)
    loaded = await rig.tables.load(table.id)
    assert loaded.table == table
    assert loaded.state is not None
    assert loaded.state.actors() == (0, 1)


async def test_a_typed_move_is_forgiven_its_spelling(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    move = await rig.first_legal(table.id, ADA)
    change = await typed(rig.tables, table.id, ADA, f"  {move.lower().replace('@', ' @ ')} ")
    assert change.events[0].text == move
    with pytest.raises(NotYourTurn):
        await typed(rig.tables, table.id, ADA, move)


async def test_a_move_that_cannot_be_taken_back_is_asked_first_and_the_others_are_played(rig: Rig) -> None:
    def tried(move: str) -> Callable[[Seen], Tried]:
        return lambda seen: Tried(move, written=True)

    for game, moves in (("fivetotwelve", ["DRAW"]), ("topominos", ["pass", ""])):
        options = {"setup": "sorted"} if game == "fivetotwelve" else {}
        table = await rig.started(ADA, BEN, game=game, options=options)
        loaded = await rig.tables.load(table.id)
        [seat] = loaded.table.to_act
        actor = ADA if seat.user == ADA.id else BEN
        assert loaded.state is not None
        for move in moves:
            lay = move or next(one for one in loaded.state.legal(seat.index) if "@" in one)
            tapped = await rig.tables.tap(table.id, actor, None, tried(lay))
            after = await rig.tables.table(table.id)
            if move:
                assert (tapped.change, tapped.seen.draft) == (None, f"{TRIED}{move.lower()}")
                assert (await rig.tables.view(table.id, actor.id)).draft == tapped.seen.draft
                assert after.revision == loaded.table.revision
            else:
                assert tapped.change is not None
                assert after.undoable == seat.index
                await rig.tables.undo(table.id, actor)


async def test_no_move_before_the_start_or_after_the_end(rig: Rig) -> None:
    table = (await rig.tables.open(ADA, PLACE, "fivetotwelve", computers=1)).table
    with pytest.raises(NotStarted):
        await rig.tables.move(table.id, ADA, "draw", 1)
    await rig.tables.cancel(table.id, ADA)
    with pytest.raises(Ended):
        await rig.tables.move(table.id, ADA, "draw", 1)


async def test_chance_comes_from_the_seed_alone(rig: Rig) -> None:
    """The same seed and moves give the same events, whatever was loaded in between."""
    table = await rig.started(ADA, BEN)
    await rig.set_up(table.id, ADA, BEN)
    loaded = await rig.tables.load(table.id)
    from bot.rules.game import advance, play
    from bot.rules.registry import game

    state = game("fivetotwelve").start(2, {})
    events = advance(state, loaded.table.seed, 0)
    for event in loaded.events:
        if event.kind == "move":
            assert event.player is not None
            events += play(state, loaded.table.seed, len(events), event.player, event.text)
    assert tuple(events) == loaded.events
    assert loaded.state is not None
    assert state.to_json() == loaded.state.to_json()


@pytest.mark.both
async def test_who_loses_the_race_for_a_revision_applies_again(rig: Rig) -> None:
    """Two processes on one store: the second service knows nothing of the first's locks."""
    other = Rig(rig.store, rig.clock)
    table = await rig.started(ADA, BEN, CLEO)
    moves = {person: await rig.first_legal(table.id, person) for person in (ADA, BEN, CLEO)}
    await asyncio.gather(
        rig.tables.move(table.id, ADA, moves[ADA], table.revision),
        other.tables.move(table.id, BEN, moves[BEN], table.revision),
        rig.tables.move(table.id, CLEO, moves[CLEO], table.revision),
    )
    loaded = await rig.tables.load(table.id)
    assert loaded.table.revision == table.revision + 3
    laid = [event for event in loaded.events if event.kind == "move"]
    assert sorted(event.player for event in laid if event.player is not None) == [0, 1, 2]


async def test_a_race_lost_five_times_is_busy(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await rig.started(ADA, BEN)
    tries = 0

    async def taken(*writes: Write) -> None:
        nonlocal tries
        tries += 1
        raise RevisionTaken

    monkeypatch.setattr(rig.store, "write", taken)
    with pytest.raises(Busy):
        await rig.tables.move(table.id, ADA, await rig.first_legal(table.id, ADA), table.revision)
    assert tries == 5


@pytest.mark.both
async def test_a_click_on_an_own_move_won_by_the_other_process_is_stale(rig: Rig) -> None:
    other = Rig(rig.store, rig.clock)
    table = await rig.started(ADA, BEN)
    move = await rig.first_legal(table.id, ADA)
    results = await asyncio.gather(
        rig.tables.move(table.id, ADA, move, table.revision),
        other.tables.move(table.id, ADA, move, table.revision),
        return_exceptions=True,
    )
    assert sorted(type(one).__name__ for one in results) == ["Change", "NotYourTurn"]


@pytest.mark.both
async def test_a_caller_that_is_cancelled_leaves_a_whole_change(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    move = await rig.first_legal(table.id, ADA)
    click = asyncio.create_task(rig.tables.move(table.id, ADA, move, table.revision))
    await asyncio.sleep(0)
    click.cancel()
    with pytest.raises(asyncio.CancelledError):
        await click
    await rig.tables.close()
    loaded = await rig.tables.load(table.id)
    assert loaded.table.revision == table.revision + 1
    assert rig.told[-1].table == loaded.table


async def test_a_hundred_clicks_at_once_leave_a_legal_game(rig: Rig) -> None:
    table = await rig.started(ADA, BEN, CLEO)
    people = (ADA, BEN, CLEO, EVE)
    for _ in range(3):
        loaded = await rig.tables.load(table.id)
        assert loaded.state is not None
        legal = [move for seat in range(3) for move in loaded.state.legal(seat)] or ["draw", "leave"]
        clicks = [
            rig.tables.move(
                table.id,
                people[number % 4],
                legal[number % len(legal)],
                loaded.table.revision - number % 3,
            )
            for number in range(100)
        ]
        results = await asyncio.gather(*clicks, return_exceptions=True)
        expected = (Change, Refusal, RulesError)
        assert not [one for one in results if not isinstance(one, expected)]
        assert any(isinstance(one, Change) for one in results)
    loaded = await rig.tables.load(table.id)
    assert loaded.state is not None
    assert loaded.state.faults() == []
    revisions = [entry.revision for entry in await rig.store.entries(table.id)]
    assert revisions == list(range(1, loaded.table.revision + 1))


# a turn being built


def chosen(draft: str) -> Resolve:
    return lambda _: Chosen(draft)


async def test_a_draft_is_kept_for_its_choice_and_gone_with_it(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    tapped = await rig.tables.tap(table.id, ADA, table.revision, chosen("A1"))
    assert tapped.change is None
    assert tapped.seen == await rig.tables.view(table.id, ADA.id, recap=True)
    assert tapped.seen.draft == "A1"
    assert (await rig.tables.view(table.id, BEN.id)).draft == ""
    assert (await rig.tables.view(table.id, None)).draft == ""
    assert (await rig.tables.table(table.id)).revision == table.revision, "a draft is no change"
    await rig.play(table.id, BEN)
    change = await rig.play(table.id, ADA)
    assert change.table.seats[0].since == change.table.revision
    assert (await rig.tables.view(table.id, ADA.id)).draft == ""
    with pytest.raises(Stale):
        await rig.tables.tap(table.id, ADA, table.revision, chosen("B2"))


@pytest.mark.both
async def test_two_pieces_clicked_at_once_are_both_in_the_draft(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)

    def add(piece: str) -> Resolve:
        def grow(seen: Seen) -> Chosen:
            assert seen.view is not None and seen.view.actors == (0, 1)
            return Chosen(f"{seen.draft} {piece}".strip())

        return grow

    taps = (rig.tables.tap(table.id, ADA, table.revision, add(piece)) for piece in ("a", "b", "c", "d"))
    await asyncio.gather(*taps)
    assert sorted((await rig.tables.view(table.id, ADA.id)).draft.split()) == ["a", "b", "c", "d"]
    assert (await rig.tables.tap(table.id, ADA, table.revision, chosen(""))).seen.draft == ""
    assert (await rig.tables.view(table.id, ADA.id)).draft == ""


async def test_a_tap_that_plays_gives_what_is_seen_after_it(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    await rig.tables.tap(table.id, ADA, table.revision, chosen("A1"))
    move = await rig.first_legal(table.id, ADA)
    written = Played(f" {move.lower()} ", written=True)
    tapped = await rig.tables.tap(table.id, ADA, table.revision, lambda _: written, name="the button")
    assert tapped.change is not None
    assert [event.text for event in tapped.change.events if event.kind == "move"] == [move]
    assert tapped.seen == await rig.tables.view(table.id, ADA.id, recap=True)
    assert await rig.tables.was_played(table.id, ADA, "the button")
    assert not await rig.tables.was_played(table.id, BEN, "the button")


async def test_moves_that_are_played_together_are_one_change_or_none(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    table = await rig.set_up(table.id, ADA, BEN)
    actor, _ = await rig.whose_turn(table.id, ADA, BEN)
    before = await rig.tables.view(table.id, actor.id)
    with pytest.raises(RulesError):
        await rig.tables.tap(table.id, actor, table.revision, lambda _: Played("draw", then=("draw",)))
    assert await rig.tables.view(table.id, actor.id) == before
    together = Played("draw", then=("leave",))
    tapped = await rig.tables.tap(table.id, actor, table.revision, lambda _: together)
    assert tapped.change is not None
    assert tapped.change.table.revision == table.revision + 1
    played = [event.text for event in tapped.change.events if event.kind == "move"]
    assert played == ["draw", "leave"]


async def test_a_tap_that_is_refused_or_only_asks_changes_nothing(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)
    await rig.tables.tap(table.id, ADA, table.revision, chosen("A1"))
    before = await rig.tables.view(table.id, ADA.id)
    asked: list[Seen] = []
    tapped = await rig.tables.tap(table.id, ADA, table.revision, asked.append)
    assert asked == [before] == [replace(tapped.seen, recap=None)]

    def refuse(_: Seen) -> Chosen:
        raise LookupError

    with pytest.raises(LookupError):
        await rig.tables.tap(table.id, ADA, table.revision, refuse)
    with pytest.raises(Unreadable):
        await rig.tables.tap(table.id, ADA, table.revision, lambda _: Played("no move"))
    assert await rig.tables.view(table.id, ADA.id) == before


async def test_nobody_is_asked_what_a_tap_comes_to_whose_choice_is_not_open(rig: Rig) -> None:
    table = await rig.started(ADA, BEN)

    def never(_: Seen) -> Chosen:
        raise AssertionError

    with pytest.raises(NotSeated):
        await rig.tables.tap(table.id, CLEO, table.revision, never)
    with pytest.raises(Stale):
        await rig.tables.tap(table.id, ADA, 0, never)
    await rig.tables.end(table.id, ADA)
    with pytest.raises(Ended):
        await rig.tables.tap(table.id, ADA, table.revision, never)


async def test_a_listener_s_fault_reaches_nobody(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    def broken(change: Change) -> None:
        raise RuntimeError("listener")

    rig.tables.listen(broken)
    change = await rig.tables.open(ADA, PLACE, "fivetotwelve")
    assert change.table.status is Status.LOBBY
    assert "a listener failed" in caplog.text
