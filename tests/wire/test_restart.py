"""kill -9 in the middle of a game: what was acknowledged is there once, and the old buttons go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.town import town, verb


@pytest.mark.long
async def test_old_buttons_play_on_after_kill_9(tmp_path: Path) -> None:
    async with town(tmp_path / "data", people=2) as place:
        ann, bob = place.people
        await place.open("5vor12", 2)
        acknowledged = 0
        for person in (ann, bob, ann, bob):
            acknowledged += await place.play(person)
        assert acknowledged == 4
        before, old = place.moves(), place.board(ann)

        await place.restart()

        assert place.moves() == before
        assert await place.play(ann, old)
        assert place.moves()[: len(before)] == before
        assert len(place.moves()) == len(before) + 1
        place.eager = True
        while place.status() == "playing":
            moved = [await place.play(person) for person in (ann, bob)]
            assert any(moved)
        await place.world.until(lambda: place.board(ann) is None, 10.0, "the end without live controls")


async def test_one_confirmation_killed_at_any_point_is_stored_once_or_not_at_all(tmp_path: Path) -> None:
    """The same tap is sent, the process dies somewhere on the way, and the tap is sent again."""
    async with town(tmp_path / "data", people=2, answer_timeout=3.2) as place:
        ann, _ = place.people
        await place.open("5vor12", 2)
        board = place.board(ann)
        page = (await ann.click(board, custom_id=place.control(board, "move"))).message
        chosen = place.choose(page)
        assert chosen is not None and chosen[0] == "select"
        page = (await ann.select(page, chosen[2], chosen[1])).message
        confirm = next(b.custom_id for b in page.buttons if verb(b.custom_id) == "play")
        # The answer is lost on the way: committed, but never acknowledged.
        place.world.faults.drop("POST", "/callback$", times=1)
        await ann.click(page, custom_id=confirm)
        await place.restart()
        assert len(place.moves()) == 1
        again = await ann.click(page, custom_id=confirm, stale=True)
        assert again.acked
        assert again.text
        assert len(place.moves()) == 1


@pytest.mark.parametrize("times", [20])
async def test_twenty_taps_at_once_change_one_thing_and_all_are_answered(tmp_path: Path, times: int) -> None:
    from tests.wire.town import together

    async with town(tmp_path / "data", people=2) as place:
        ann, _ = place.people
        await place.open("5vor12", 2)
        board = place.board(ann)
        page = (await ann.click(board, custom_id=place.control(board, "move"))).message
        chosen = place.choose(page)
        assert chosen is not None
        page = (await ann.select(page, chosen[2], chosen[1])).message
        confirm = next(b.custom_id for b in page.buttons if verb(b.custom_id) == "play")
        answers = await together(*(ann.click(page, custom_id=confirm, stale=True) for _ in range(times)))
        assert all(answer.acked for answer in answers)
        assert len(place.moves()) == 1
