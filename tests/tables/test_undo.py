"""Taking back: one's own step freely, a finished turn by consent, never past something revealed."""

from __future__ import annotations

import pytest

from bot.rules.game import Event
from bot.tables.model import Person, Table, VoteKind
from bot.tables.ports import NothingToUndo, Stale

from .support import ADA, BEN, CLEO, Rig


async def leave_a_tile_in_the_middle(rig: Rig, *people: Person) -> Table:
    """Turns until a tile lies face up in the middle, so that a turn without a draw is possible."""
    table = await rig.set_up((await rig.started(*people)).id, *people)
    actor, _ = await rig.whose_turn(table.id, *people)
    drawn = await rig.tables.move(table.id, actor, "draw", table.revision)
    return (await rig.tables.move(table.id, actor, "leave", drawn.table.revision)).table


async def take_a_tile(rig: Rig, table: Table, *people: Person) -> tuple[Person, list[Person], Table]:
    """A turn that reveals nothing."""
    actor, others = await rig.whose_turn(table.id, *people)
    loaded = await rig.tables.load(table.id)
    assert loaded.state is not None
    seat = table.seat_of(actor.id)
    assert seat is not None
    taken = next(move for move in loaded.state.legal(seat.index) if move.startswith("take"))
    return actor, others, (await rig.tables.move(table.id, actor, taken, table.revision)).table


async def test_a_finished_turn_goes_back_when_all_consent(rig: Rig) -> None:
    before = await leave_a_tile_in_the_middle(rig, ADA, BEN)
    loaded = await rig.tables.load(before.id)
    actor, [other], after = await take_a_tile(rig, before, ADA, BEN)
    with pytest.raises(NothingToUndo):
        await rig.tables.undo(before.id, actor)  # the turn is final
    asked = await rig.tables.vote(before.id, actor, VoteKind.UNDO)
    assert (asked.kind, asked.table.votes[0].needed) == ("vote", 2)
    undone = await rig.tables.vote(before.id, other, VoteKind.UNDO)
    assert undone.kind == "undo"
    again = await rig.tables.load(before.id)
    assert again.events == loaded.events
    assert again.state is not None
    assert loaded.state is not None
    assert again.state.to_json() == loaded.state.to_json()
    assert again.table.events == loaded.table.events
    [entry] = [entry for entry in await rig.store.entries(before.id) if entry.void]
    assert entry.revision == after.revision
    with pytest.raises(Stale):
        await rig.tables.move(before.id, actor, "draw", before.revision)
    await rig.tables.move(before.id, actor, "draw", undone.table.revision)
    await rig.tables.end(before.id, ADA)
    from bot.rules import record

    assert record.verify(await rig.tables.record(before.id)).ok


async def test_one_no_is_enough_to_keep_a_turn(rig: Rig) -> None:
    before = await leave_a_tile_in_the_middle(rig, ADA, BEN, CLEO)
    actor, [first, second], after = await take_a_tile(rig, before, ADA, BEN, CLEO)
    await rig.tables.vote(after.id, actor, VoteKind.UNDO)
    await rig.tables.vote(after.id, first, VoteKind.UNDO)
    kept = await rig.tables.vote(after.id, second, VoteKind.UNDO, yes=False)
    assert kept.table.votes == ()
    assert not [entry for entry in await rig.store.entries(after.id) if entry.void]


async def test_the_question_is_gone_when_somebody_plays_on(rig: Rig) -> None:
    before = await leave_a_tile_in_the_middle(rig, ADA, BEN)
    actor, [other], after = await take_a_tile(rig, before, ADA, BEN)
    asked = await rig.tables.vote(after.id, actor, VoteKind.UNDO)
    moved = await rig.tables.move(after.id, other, "draw", asked.table.revision)
    assert moved.table.votes == ()
    with pytest.raises(NothingToUndo):
        await rig.tables.vote(after.id, actor, VoteKind.UNDO)


async def test_nothing_goes_back_past_a_revealed_tile(rig: Rig) -> None:
    table = await rig.set_up((await rig.started(ADA, BEN)).id, ADA, BEN)
    actor, [other] = await rig.whose_turn(table.id, ADA, BEN)
    drawn = await rig.tables.move(table.id, actor, "draw", table.revision)
    for act in (
        rig.tables.undo(table.id, actor),
        rig.tables.undo(table.id, other),
        rig.tables.vote(table.id, actor, VoteKind.UNDO),
    ):
        with pytest.raises(NothingToUndo):
            await act
    assert (await rig.tables.table(table.id)).revision == drawn.table.revision


async def test_the_own_last_step_before_the_turn_is_final(rig: Rig) -> None:
    """Topominos: a turn is pieces laid one at a time, then `end`; a piece laid may be taken up again."""
    table = await rig.started(ADA, BEN, game="topominos")
    loaded = await rig.tables.load(table.id)
    for _ in range(40):
        [seat] = loaded.table.to_act
        actor = ADA if seat.user == ADA.id else BEN
        assert loaded.state is not None
        legal = loaded.state.legal(seat.index)
        change = await rig.tables.move(table.id, actor, legal[0], loaded.table.revision)
        only_a_step = all(event.kind == "move" for event in change.events)
        if only_a_step and change.table.seats[seat.index].since and change.table.undoable == seat.index:
            break
        loaded = await rig.tables.load(table.id)
    else:
        pytest.fail("no turn of several steps in forty moves")
    other = BEN if actor is ADA else ADA
    with pytest.raises(NothingToUndo):
        await rig.tables.undo(table.id, other)
    await rig.tables.undo(table.id, actor)
    again = await rig.tables.load(table.id)
    assert again.events == loaded.events
    assert again.state is not None
    assert again.state.to_json() == loaded.state.to_json()
    assert again.table.undoable is None
    assert await rig.shown.owed_at(table.id) == await rig.shown.owed_at(table.id)


async def test_what_a_step_made_known_stays_played(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game where the last step shows an earlier hidden event: no consent brings that back."""
    before = await leave_a_tile_in_the_middle(rig, ADA, BEN)
    actor, [_], after = await take_a_tile(rig, before, ADA, BEN)
    loaded = await rig.tables.load(after.id)
    state_type = type(loaded.state)

    def redact(self: object, events: list[Event], seat: int | None) -> list[Event]:
        shown = len(events) == len(loaded.events)
        return [Event(e.kind, e.text if shown or place else "?", e.player) for place, e in enumerate(events)]

    monkeypatch.setattr(state_type, "redact", redact)
    with pytest.raises(NothingToUndo):
        await rig.tables.vote(after.id, actor, VoteKind.UNDO)


async def test_a_double_click_takes_one_step_back_and_the_step_before_is_still_offered(rig: Rig) -> None:
    """A second click of the same button had taken back another step."""
    table = await rig.started(ADA, BEN, game="topominos")
    loaded = await rig.tables.load(table.id)
    [seat] = loaded.table.to_act
    actor = ADA if seat.user == ADA.id else BEN
    steps: list[str] = []
    for _ in range(2):  # two pieces on one compartment, or started there and gone on with
        loaded = await rig.tables.load(table.id)
        assert loaded.state is not None
        laid = next(move for move in loaded.state.legal(seat.index) if "@" in move)
        change = await rig.tables.move(table.id, actor, laid, loaded.table.revision)
        assert [event.kind for event in change.events] == ["move"]
        steps.append(laid)
    clicked = change.table.revision
    once = await rig.tables.undo(table.id, actor, clicked)
    assert once.table.undoable == seat.index
    with pytest.raises(Stale):
        await rig.tables.undo(table.id, actor, clicked)
    twice = await rig.tables.undo(table.id, actor, once.table.revision)
    assert twice.table.undoable is None
    assert twice.state is not None
    assert steps[0] in twice.state.legal(seat.index)
