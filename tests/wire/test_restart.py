"""kill -9 in the middle of games: what was acknowledged is there once, the board is painted again, owed
notices go out once, and the old buttons go on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from tests.wire.wire_server import (
    Killer,
    control,
    kept_twice,
    pings,
    running_server,
    together,
    verb,
)

KILLS = 30
BATCH = 10  # kills in one world


async def killed_again_and_again(folder: Path, seed: int, kills: int) -> None:
    async with running_server(folder, people=4, seed=seed, answer_timeout=3.2) as place:
        ann, bob, cem, dot = place.people
        chance = Random(seed)
        sittings = [
            await place.open("5vor12", ann, bob, setup="sorted"),
            await place.open("topominos", cem, dot),
        ]
        for wire_table in sittings:
            await wire_table.shown()
        for _ in range(kills):
            for index, wire_table in enumerate(sittings):
                if wire_table.status() != "playing":
                    command = "5vor12" if index == 0 else "topominos"
                    sittings[index] = await place.open(command, *wire_table.people)
            killer = Killer(place, chance)
            acknowledged = await together(*(wire_table.play_until(killer.dead) for wire_table in sittings))
            await asyncio.wait_for(killer.dead.wait(), 30)
            killer.stop()
            await place.bot.kill()
            before = [wire_table.moves() for wire_table in sittings]
            await place.start_bot()
            for wire_table, known, then in zip(sittings, acknowledged, before, strict=True):
                assert then[: len(known)] == known
                await wire_table.shown()
                assert wire_table.moves() == then
                board = wire_table.board(wire_table.people[0])
                if wire_table.status() == "playing":
                    assert int(control(board, "move").split(":")[2]) == wire_table.revision()
                else:
                    assert board is None


@pytest.mark.long
@pytest.mark.parametrize("seed", range(KILLS // BATCH))
async def test_killed_at_any_instant_of_running_games(tmp_path: Path, seed: int) -> None:
    await killed_again_and_again(tmp_path / "data", seed, BATCH)


@pytest.mark.long
async def test_killed_before_the_answer_and_after_the_commit(tmp_path: Path) -> None:
    """The same tap is sent, the process dies while its answer is on the way, and the tap is sent again."""
    async with running_server(tmp_path / "data", people=2, answer_timeout=3.2) as place:
        ann, bob = place.people
        wire_table = await place.open("5vor12", ann, bob)
        await wire_table.shown()
        page, confirm = await wire_table.ready(ann)
        held = place.world.faults.slow(60.0, "POST", "/callback$")
        tap = asyncio.create_task(ann.click(page, custom_id=confirm, stale=True))
        await place.until(lambda: held.hits, "the answer under way")
        assert len(wire_table.moves()) == 1  # stored before it is told
        await place.kill_bot()
        assert not (await tap).acked
        await place.start_bot()
        await wire_table.shown()
        assert int(control(wire_table.board(bob), "move").split(":")[2]) == wire_table.revision()
        again = await ann.click(page, custom_id=confirm, stale=True)
        assert again.acked
        assert again.text
        assert len(wire_table.moves()) == 1


@pytest.mark.long
async def test_killed_between_answer_and_repaint(tmp_path: Path) -> None:
    """The move was acknowledged; the board that shows it, and the notice of the next turn, come once after
    the restart."""
    async with running_server(tmp_path / "data", people=2, answer_timeout=3.2) as place:
        ann, bob = place.people
        wire_table = await place.open("5vor12", ann, bob, setup="sorted")
        await wire_table.shown()
        first = next(seat for (seat,) in place.stored("select seat from seats where since > 0"))
        mover, waiter = (ann, bob) if first == 0 else (bob, ann)
        assert await wire_table.play(mover)
        held = place.world.faults.slow(60.0, "PATCH", r"/channels/\d+/messages/", times=None)
        while wire_table.owed() == []:
            assert await wire_table.play(mover)
        await place.until(lambda: held.hits, "the repaint under way")
        moves, sent = wire_table.moves(), pings(place)
        await place.kill_bot()
        place.world.faults.clear()
        assert not wire_table.painted()
        await place.start_bot()
        await wire_table.shown()
        assert wire_table.moves() == moves
        assert int(control(wire_table.board(ann), "move").split(":")[2]) == wire_table.revision()
        new = pings(place) - sent
        assert [user for user, _ in new.elements()] == [str(waiter.id)]
        await place.restart()
        assert await wire_table.play(waiter)
        await wire_table.shown()
        late = pings(place) - sent - new
        assert str(waiter.id) not in [user for user, _ in late.elements()]


@pytest.mark.long
@pytest.mark.parametrize("stored", [False, True])
async def test_killed_while_a_copy_is_sent_as_the_notice(tmp_path: Path, stored: bool) -> None:
    """In direct messages, where it takes another's place: Discord has it, and it is not known to be there, or
    the one before has not gone yet. One is left, and nobody was told twice."""
    async with running_server(tmp_path / "data", people=2, answer_timeout=3.2) as place:
        table = await place.open_direct("topominos", *place.people)
        owed = await table.owed_when_back()
        await place.kill_bot()
        calls = len(place.world.calls)
        before, sent = table.hand(owed), f"/channels/{owed.dm.id}/messages"
        if stored:
            held = place.world.faults.slow(60.0, "DELETE", f"{sent}/{before.id}$", times=None)
        else:
            held = place.world.faults.drop("POST", f"{sent}$", commit=True, times=None)
        await place.start_bot()
        await place.until(lambda: held.hits and kept_twice(place), "both")
        assert (table.hand(owed).id != before.id) is stored
        if stored:  # whoever looks now finds everything told, and one copy too many
            await table.shown()
            assert kept_twice(place)
        await place.kill_bot()
        place.world.faults.clear()
        await place.start_bot()
        await place.until(lambda: place.stored("select * from posts") == [], "nothing unsettled")
        await table.shown()
        assert kept_twice(place) == []
        new = [call for call in list(place.world.calls)[calls:] if (call.method, call.path) == ("POST", sent)]
        assert len({call.body["nonce"] for call in new}) == 1


@pytest.mark.long
async def test_old_pages_and_boards_go_on_after_a_restart(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", people=2) as place:
        ann, bob = place.people
        wire_table = await place.open("5vor12", ann, bob, setup="sorted")
        await wire_table.shown()
        board = wire_table.board(ann)
        pages = {p: (await p.click(board, custom_id=control(board, "move"))).message for p in (ann, bob)}
        actor = next(p for p in (ann, bob) if wire_table.choose(pages[p]) is not None)
        waiter = next(p for p in (ann, bob) if p is not actor)
        act = next(b.custom_id for b in pages[actor].buttons if verb(b.custom_id) == "act")
        assert (await actor.click(pages[actor], custom_id=act)).acked
        count = len(wire_table.moves())

        await place.restart()

        double = await actor.click(pages[actor], custom_id=act, stale=True)
        assert "Played" in double.text
        assert actor.name in (await waiter.click(board, custom_id=control(board, "move"), stale=True)).text
        assert len(wire_table.moves()) == count
        assert await wire_table.play(actor, board)
        history = (await actor.slash(wire_table.places()[-1], "table history")).text
        assert history.count(f"{actor.name} reveals a face-down tile.") == 1


@pytest.mark.long
async def test_a_whole_game_to_its_end_on_the_wire(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", people=2) as place:
        ann, bob = place.people
        wire_table = await place.open("5vor12", ann, bob)
        wire_table.eager = True
        while wire_table.status() == "playing":
            assert any([await wire_table.play(person) for person in (ann, bob)])
        await place.until(lambda: wire_table.board(ann) is None, "the end without live controls")


@pytest.mark.long
@pytest.mark.parametrize("times", [20])
async def test_twenty_taps_at_once_change_one_thing_and_all_are_answered(tmp_path: Path, times: int) -> None:
    async with running_server(tmp_path / "data", people=2) as place:
        ann, bob = place.people
        wire_table = await place.open("5vor12", ann, bob)
        page, confirm = await wire_table.ready(ann)
        answers = await together(*(ann.click(page, custom_id=confirm, stale=True) for _ in range(times)))
        assert all(answer.acked for answer in answers)
        assert len(wire_table.moves()) == 1
