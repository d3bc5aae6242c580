"""Moves: who may click what when, and that each click counts once."""

from __future__ import annotations

import asyncio

import pytest

from bot.rules.errors import Illegal, NotYours, RulesError, Unreadable
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
from bot.tables.taps import Chosen, Played, Resolve

from .support import ADA, BEN, CLEO, EVE, PLACE, House


async def test_a_simultaneous_move_makes_no_other_menu_stale(home: House) -> None:
    table = await home.started(ADA, BEN, CLEO)
    opened = table.revision
    moves = {person: await home.first_legal(table.id, person) for person in (ADA, BEN, CLEO)}
    for person in (CLEO, ADA):
        await home.tables.move(table.id, person, moves[person], opened)
    change = await home.tables.move(table.id, BEN, moves[BEN], opened)
    assert change.opened == (0, 1, 2), "the next wave opens for all"


async def test_the_same_click_twice_counts_once(home: House) -> None:
    table = await home.started(ADA, BEN)
    move = await home.first_legal(table.id, ADA)
    clicks = [home.tables.move(table.id, ADA, move, table.revision) for _ in range(20)]
    results = await asyncio.gather(*clicks, return_exceptions=True)
    assert sum(isinstance(one, Change) for one in results) == 1
    late = [one for one in results if isinstance(one, NotYourTurn)]
    assert len(late) == 19
    assert (await home.tables.table(table.id)).revision == table.revision + 1
    assert late[0].table == await home.tables.table(table.id), "the refusal carries what is current"


async def test_each_decision_of_a_turn_moves_since_so_that_old_buttons_are_stale(home: House) -> None:
    table = await home.started(ADA, BEN)
    table = await home.set_up(table.id, ADA, BEN)
    actor, _ = await home.whose_turn(table.id, ADA, BEN)
    drawn = await home.tables.move(table.id, actor, "draw", table.revision)
    seat = drawn.table.seat_of(actor.id)
    assert seat is not None
    assert seat.since == drawn.table.revision
    with pytest.raises(Stale) as refused:
        await home.tables.move(table.id, actor, "leave", table.revision)
    assert type(refused.value) is Stale
    after = await home.tables.move(table.id, actor, "leave", drawn.table.revision)
    assert after.closed == (seat.index,)
    assert len(after.opened) == 1


async def test_a_revision_that_never_was_is_stale(home: House) -> None:
    table = await home.started(ADA, BEN)
    move = await home.first_legal(table.id, ADA)
    for revision in (-1, 0, table.revision - 1, table.revision + 1):
        with pytest.raises(Stale):
            await home.tables.move(table.id, ADA, move, revision)


async def test_moves_are_refused_by_the_rules_and_change_nothing(home: House) -> None:
    table = await home.started(ADA, BEN)
    with pytest.raises(Unreadable):
        await home.tables.move(table.id, ADA, "hello", table.revision)
    tile = (await home.first_legal(table.id, ADA)).split("@")[0]
    with pytest.raises(Illegal):
        await home.tables.move(table.id, ADA, f"{tile}@A2", table.revision)
    with pytest.raises(Unreadable):
        await home.tables.typed(table.id, ADA, "what now?")
    with pytest.raises(NotSeated):
        await home.tables.move(table.id, EVE, f"{tile}@A1", table.revision)
    loaded = await home.tables.load(table.id)
    assert loaded.table == table
    assert loaded.state is not None
    assert loaded.state.actors() == (0, 1)


async def test_a_typed_move_is_forgiven_its_spelling(home: House) -> None:
    table = await home.started(ADA, BEN)
    move = await home.first_legal(table.id, ADA)
    change = await home.tables.typed(table.id, ADA, f"  {move.lower().replace('@', ' @ ')} ")
    assert change.events[0].text == move
    with pytest.raises(NotYours):
        await home.tables.typed(table.id, ADA, move)


async def test_no_move_before_the_start_or_after_the_end(home: House) -> None:
    table = (await home.tables.open(ADA, PLACE, "fivetotwelve", computers=1)).table
    with pytest.raises(NotStarted):
        await home.tables.move(table.id, ADA, "draw", 1)
    await home.tables.cancel(table.id, ADA)
    with pytest.raises(Ended):
        await home.tables.move(table.id, ADA, "draw", 1)


async def test_chance_comes_from_the_seed_alone(home: House) -> None:
    """The same seed and moves give the same events, whatever was loaded in between."""
    table = await home.started(ADA, BEN)
    await home.set_up(table.id, ADA, BEN)
    loaded = await home.tables.load(table.id)
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


async def test_who_loses_the_race_for_a_revision_applies_again(home: House) -> None:
    """Two processes on one store: the second service knows nothing of the first's locks."""
    other = House(home.store, home.clock)
    table = await home.started(ADA, BEN, CLEO)
    moves = {person: await home.first_legal(table.id, person) for person in (ADA, BEN, CLEO)}
    await asyncio.gather(
        home.tables.move(table.id, ADA, moves[ADA], table.revision),
        other.tables.move(table.id, BEN, moves[BEN], table.revision),
        home.tables.move(table.id, CLEO, moves[CLEO], table.revision),
    )
    loaded = await home.tables.load(table.id)
    assert loaded.table.revision == table.revision + 3
    laid = [event for event in loaded.events if event.kind == "move"]
    assert sorted(event.player for event in laid if event.player is not None) == [0, 1, 2]


async def test_a_race_lost_five_times_is_busy(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await home.started(ADA, BEN)
    tries = 0

    async def taken(*writes: Write) -> None:
        nonlocal tries
        tries += 1
        raise RevisionTaken

    monkeypatch.setattr(home.store, "write", taken)
    with pytest.raises(Busy):
        await home.tables.move(table.id, ADA, await home.first_legal(table.id, ADA), table.revision)
    assert tries == 5


async def test_a_click_on_an_own_move_won_by_the_other_process_is_stale(home: House) -> None:
    other = House(home.store, home.clock)
    table = await home.started(ADA, BEN)
    move = await home.first_legal(table.id, ADA)
    results = await asyncio.gather(
        home.tables.move(table.id, ADA, move, table.revision),
        other.tables.move(table.id, ADA, move, table.revision),
        return_exceptions=True,
    )
    assert sorted(type(one).__name__ for one in results) == ["Change", "NotYourTurn"]


async def test_a_caller_that_is_cancelled_leaves_a_whole_change(home: House) -> None:
    table = await home.started(ADA, BEN)
    move = await home.first_legal(table.id, ADA)
    click = asyncio.create_task(home.tables.move(table.id, ADA, move, table.revision))
    await asyncio.sleep(0)
    click.cancel()
    with pytest.raises(asyncio.CancelledError):
        await click
    await home.tables.close()
    loaded = await home.tables.load(table.id)
    assert loaded.table.revision == table.revision + 1
    assert home.told[-1].table == loaded.table


async def test_a_hundred_clicks_at_once_leave_a_legal_game(home: House) -> None:
    table = await home.started(ADA, BEN, CLEO)
    people = (ADA, BEN, CLEO, EVE)
    for _ in range(3):
        loaded = await home.tables.load(table.id)
        assert loaded.state is not None
        legal = [move for seat in range(3) for move in loaded.state.legal(seat)] or ["draw", "leave"]
        clicks = [
            home.tables.move(
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
    loaded = await home.tables.load(table.id)
    assert loaded.state is not None
    assert loaded.state.faults() == []
    revisions = [entry.revision for entry in await home.store.entries(table.id)]
    assert revisions == list(range(1, loaded.table.revision + 1))


# a turn being built


def chosen(draft: str) -> Resolve:
    return lambda _: Chosen(draft)


async def test_a_draft_is_kept_for_its_choice_and_gone_with_it(home: House) -> None:
    table = await home.started(ADA, BEN)
    tapped = await home.tables.tap(table.id, ADA, table.revision, chosen("A1"))
    assert tapped.change is None
    assert tapped.seen == await home.tables.view(table.id, ADA.id)
    assert tapped.seen.draft == "A1"
    assert (await home.tables.view(table.id, BEN.id)).draft == ""
    assert (await home.tables.view(table.id, None)).draft == ""
    assert (await home.tables.table(table.id)).revision == table.revision, "a draft is no change"
    await home.play(table.id, BEN)
    change = await home.play(table.id, ADA)
    assert change.table.seats[0].since == change.table.revision
    assert (await home.tables.view(table.id, ADA.id)).draft == ""
    with pytest.raises(Stale):
        await home.tables.tap(table.id, ADA, table.revision, chosen("B2"))


async def test_two_pieces_clicked_at_once_are_both_in_the_draft(home: House) -> None:
    table = await home.started(ADA, BEN)

    def add(piece: str) -> Resolve:
        def grow(seen: Seen) -> Chosen:
            assert seen.view is not None and seen.view.actors == (0, 1)
            return Chosen(f"{seen.draft} {piece}".strip())

        return grow

    taps = (home.tables.tap(table.id, ADA, table.revision, add(piece)) for piece in ("a", "b", "c", "d"))
    await asyncio.gather(*taps)
    assert sorted((await home.tables.view(table.id, ADA.id)).draft.split()) == ["a", "b", "c", "d"]
    assert (await home.tables.tap(table.id, ADA, table.revision, chosen(""))).seen.draft == ""
    assert (await home.tables.view(table.id, ADA.id)).draft == ""


async def test_a_tap_that_plays_gives_what_is_seen_after_it(home: House) -> None:
    table = await home.started(ADA, BEN)
    await home.tables.tap(table.id, ADA, table.revision, chosen("A1"))
    move = await home.first_legal(table.id, ADA)
    written = Played(f" {move.lower()} ", written=True)
    tapped = await home.tables.tap(table.id, ADA, table.revision, lambda _: written, name="the button")
    assert tapped.change is not None
    assert [event.text for event in tapped.change.events if event.kind == "move"] == [move]
    assert tapped.seen == await home.tables.view(table.id, ADA.id)
    assert await home.tables.was_played(table.id, ADA, "the button")
    assert not await home.tables.was_played(table.id, BEN, "the button")


async def test_a_tap_that_is_refused_or_only_asks_changes_nothing(home: House) -> None:
    table = await home.started(ADA, BEN)
    await home.tables.tap(table.id, ADA, table.revision, chosen("A1"))
    before = await home.tables.view(table.id, ADA.id)
    asked: list[Seen] = []
    tapped = await home.tables.tap(table.id, ADA, table.revision, asked.append)
    assert asked == [before] == [tapped.seen]

    def refuse(_: Seen) -> Chosen:
        raise LookupError

    with pytest.raises(LookupError):
        await home.tables.tap(table.id, ADA, table.revision, refuse)
    with pytest.raises(Unreadable):
        await home.tables.tap(table.id, ADA, table.revision, lambda _: Played("no move"))
    assert await home.tables.view(table.id, ADA.id) == before


async def test_nobody_is_asked_what_a_tap_comes_to_whose_choice_is_not_open(home: House) -> None:
    table = await home.started(ADA, BEN)

    def never(_: Seen) -> Chosen:
        raise AssertionError

    with pytest.raises(NotSeated):
        await home.tables.tap(table.id, CLEO, table.revision, never)
    with pytest.raises(Stale):
        await home.tables.tap(table.id, ADA, 0, never)
    await home.tables.end(table.id, ADA)
    with pytest.raises(Ended):
        await home.tables.tap(table.id, ADA, table.revision, never)


async def test_a_listener_s_fault_reaches_nobody(home: House, caplog: pytest.LogCaptureFixture) -> None:
    def broken(change: Change) -> None:
        raise RuntimeError("listener")

    home.tables.listen(broken)
    change = await home.tables.open(ADA, PLACE, "fivetotwelve")
    assert change.table.status is Status.LOBBY
    assert "a listener failed" in caplog.text
