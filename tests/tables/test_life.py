"""The whole life of a table, through restarts, damage and machines."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.rules import record
from bot.rules.chance import Generator
from bot.rules.game import View
from bot.tables.computers import ComputerPlayers
from bot.tables.model import ClockRule, Loaded, Status, Table
from bot.tables.ports import Aside
from bot.tables.settle import automatic_seat

from .support import ADA, BEN, CLEO, PLACE, FakeClock, House, SeededEntropy, house


async def play_to_the_end(home: House, table: str, *people: object) -> Table:
    for _ in range(2000):
        await home.machines.run_due()
        now = await home.tables.table(table)
        if not now.is_open:
            return now
        for person in (ADA, BEN, CLEO):
            seat = (await home.tables.table(table)).seat_of(person.id)
            if seat is not None and seat.since:
                await home.play(table, person)
                break
    raise AssertionError("no end")


async def damage(home: House, statement: str, **values: object) -> None:
    """Change the stored bytes behind the service's back."""
    async with home.store._writer.begin() as connection:  # type: ignore[attr-defined]
        await connection.execute(text(statement), values)
    home.store.forget()  # type: ignore[attr-defined]


async def test_from_the_lobby_to_the_record_with_a_restart_after_every_move(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    clock = FakeClock()
    async with house(path, clock) as home:
        table_id = (await home.started(ADA, BEN)).id
        kept = await home.tables.load(table_id)
    moves = 0
    while kept.table.is_open:
        async with house(path, clock, seed=f"start {moves}") as home:
            loaded = await home.tables.load(table_id)
            assert loaded.table == kept.table
            assert loaded.events == kept.events
            [*acting] = loaded.table.to_act
            person = ADA if acting[0].user == ADA.id else BEN
            # a button drawn before the restart carries the revision of its choice
            await home.tables.move(
                table_id, person, await home.first_legal(table_id, person), acting[0].since
            )
            kept = await home.tables.load(table_id)
        moves += 1
    async with house(path, clock) as home:
        assert record.verify(await home.tables.record(table_id)).ok
        assert kept.table.ending == "finished"


async def test_computers_and_people_play_to_the_end(home: House) -> None:
    table = await home.started(ADA, computers=2)
    ended = await play_to_the_end(home, table.id)
    assert ended.ending == "finished"
    assert record.verify(await home.tables.record(table.id)).ok
    revisions = [change.table.revision for change in home.told]
    assert revisions == list(range(1, ended.revision + 1)), (
        "one listener hears of every change, whoever did it"
    )


async def test_machines_follow_every_change_by_themselves_and_one_at_a_time(home: House) -> None:
    at_once = 0
    most = 0

    def choose(game_id: str, view: View, chance: Generator) -> str:
        nonlocal at_once, most
        from bot.rules.registry import game

        at_once += 1
        most = max(most, at_once)
        move = chance.choice(game(game_id).legal(view))
        at_once -= 1
        return move

    machines = ComputerPlayers(home.tables, home.clock, home.background, choose=choose)
    await machines.start()
    turn = asyncio.Event()
    home.tables.listen(lambda change: turn.set())
    table = await home.started(ADA, computers=1)
    for _ in range(60):
        now = await home.tables.table(table.id)
        if not now.is_open:
            break
        seat = now.seat_of(ADA.id)
        assert seat is not None
        if seat.since:
            await home.play(table.id, ADA)
        else:
            turn.clear()
            if not (await home.tables.table(table.id)).seats[0].since:
                await asyncio.wait_for(turn.wait(), 10)
    assert most == 1
    await machines.stop()


async def test_a_change_while_a_run_is_ending_is_not_overlooked(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run looks at the table, sees nothing to do, and just then Ada moves."""
    await home.machines.start()
    table = await home.started(ADA, computers=1)
    load = home.tables.load
    looked, go_on = asyncio.Event(), asyncio.Event()

    async def slow(table_id: str) -> Loaded:
        loaded = await load(table_id)
        if automatic_seat(loaded.table) is None:
            looked.set()
            await go_on.wait()
        return loaded

    monkeypatch.setattr(home.tables, "load", slow)
    await asyncio.wait_for(looked.wait(), 10)
    moved = asyncio.Event()
    home.tables.listen(lambda change: moved.set() if change.actor is None else None)
    before = await home.tables.table(table.id)
    loaded = await load(table.id)
    assert loaded.state is not None
    await home.tables.move(table.id, ADA, loaded.state.legal(0)[0], before.revision)
    go_on.set()
    await asyncio.wait_for(moved.wait(), 10)


async def test_after_a_restart_machines_find_what_is_due(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    async with house(path) as home:
        table = await home.started(ADA, computers=1)
        assert await home.tables.automatic_due() == [table.id]
    async with house(path, seed="again") as home:
        moved = asyncio.Event()
        home.tables.listen(lambda change: moved.set())
        await home.machines.start()
        await asyncio.wait_for(moved.wait(), 10)
        assert home.told[0].kind == "move"
        assert home.told[0].actor is None


async def test_a_broken_computer_player_is_replaced_by_a_stand_in(
    home: House, caplog: pytest.LogCaptureFixture
) -> None:
    calls = 0

    def broken(game_id: str, view: View, chance: Generator) -> str:
        nonlocal calls
        calls += 1
        if calls % 2:
            raise RuntimeError("no idea")
        return "draw" if "draw" not in game_legal(view) else "take 20@D4"

    def game_legal(view: View) -> list[str]:
        from bot.rules.registry import game

        return game("fivetotwelve").legal(view)

    home.machines = ComputerPlayers(home.tables, home.clock, home.background, choose=broken)
    table = await home.started(ADA, computers=1)
    ended = await play_to_the_end(home, table.id)
    assert ended.ending == "finished"
    assert calls > 4
    assert "a stand-in moves" in caplog.text
    assert table.seed not in caplog.text


@pytest.mark.parametrize(
    "broken",
    [
        "UPDATE tables SET state = '{'",
        "UPDATE tables SET state = NULL",
        "UPDATE tables SET state = '{\"schema\": 999}'",
        "UPDATE tables SET state = '[1]'",
        "UPDATE tables SET state = replace(state, ':', ':[')",
    ],
)
async def test_a_damaged_cache_is_made_anew_from_the_events(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "parlour.db"
    async with house(path) as home:
        table = await home.set_up((await home.started(ADA, BEN)).id, ADA, BEN)
        loaded = await home.tables.load(table.id)
        await damage(home, broken)
    async with house(path) as home:
        again = await home.tables.load(table.id)
        assert again.table == loaded.table
        assert again.state is not None
        assert loaded.state is not None
        assert again.state.to_json() == loaded.state.to_json()
        actor, _ = await home.whose_turn(table.id, ADA, BEN)
        await home.play(table.id, actor)


@pytest.mark.parametrize(
    "broken",
    [
        "UPDATE events SET payload = '{' WHERE kind = 'start' AND table_id = :id",
        "UPDATE events SET payload = '{\"events\": 5}' WHERE kind = 'start' AND table_id = :id",
        "UPDATE events SET payload = replace(payload, 'first', 'deal') WHERE revision = 3 AND table_id = :id",
        "UPDATE tables SET rules_version = 99 WHERE id = :id",
        "UPDATE tables SET game = 'chess' WHERE id = :id",
        "UPDATE tables SET options = '[' WHERE id = :id",
        "UPDATE tables SET status = 'dancing' WHERE id = :id",
        "UPDATE seats SET kind = 'throne' WHERE table_id = :id",
    ],
)
async def test_a_table_that_cannot_be_loaded_is_set_aside_and_can_be_ended(
    tmp_path: Path, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "parlour.db"
    async with house(path) as home:
        bad = await home.started(ADA, BEN)
        good = await home.started(ADA, CLEO)
        await damage(home, broken, id=bad.id)
        await damage(home, "UPDATE tables SET state = NULL WHERE id = :id", id=bad.id)
    async with house(path) as home:
        seen = await home.tables.view(bad.id, ADA.id)
        assert (seen.table.status, seen.view) == (Status.ASIDE, None)
        assert bad.seed not in caplog.text
        with pytest.raises(Aside):
            await home.tables.move(bad.id, ADA, "draw", bad.revision)
        assert {table.id for table in await home.tables.tables_at(PLACE.guild)} == {bad.id, good.id}
        await home.play(good.id, ADA)
        ended = await home.tables.end_by_admin(bad.id)
        assert (ended.table.status, ended.table.ending) == (Status.ENDED, "admin")
        assert [table.id for table in await home.tables.tables_of(ADA.id)] == [good.id]


async def test_a_table_set_aside_by_one_version_goes_on_with_one_that_can_load_it(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    async with house(path) as home:
        table = await home.set_up((await home.started(ADA, BEN, clock=ClockRule(60))).id, ADA, BEN)
        await damage(home, "UPDATE tables SET rules_version = 99")
    async with house(path) as home:
        for _ in range(2):
            assert (await home.tables.view(table.id, ADA.id)).table.status is Status.ASIDE
        home.clock.advance(timedelta(hours=1))
        assert await home.scheduler.run_due() == [], "its time stands still"
        await damage(home, "UPDATE tables SET rules_version = 1")
        assert (await home.tables.view(table.id, ADA.id)).view is None, "one process tries once"
    async with house(path) as home:
        seen = await asyncio.gather(*(home.tables.view(table.id, ADA.id) for _ in range(3)))
        assert [one.table.status for one in seen] == [Status.PLAYING] * 3
        assert [change.kind for change in home.told] == ["resume"]
        again = await home.tables.load(table.id)
        assert again.table.deadline == home.clock.now() + timedelta(seconds=60)
        actor, _ = await home.whose_turn(table.id, ADA, BEN)
        await home.play(table.id, actor)


async def test_a_table_set_aside_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    async with house(path) as home:
        bad = await home.started(ADA, BEN)
        await damage(home, "UPDATE tables SET rules_version = 99")
    async with house(path) as home:
        await asyncio.gather(*(home.tables.view(bad.id, None) for _ in range(5)))
        assert [change.kind for change in home.told] == ["aside"]


async def test_nobody_s_view_history_or_notice_needs_the_seed(home: House) -> None:
    table = await home.started(ADA, BEN)
    for user in (ADA.id, BEN.id, None):
        seen = await home.tables.view(table.id, user)
        lines = await home.tables.history(table.id, user)
        assert table.seed not in repr(seen) + repr(lines)


# notices


async def owed(home: House, table: str) -> list[tuple[int, str]]:
    return [(notice.seat.index, notice.why) for notice in await home.tables.owed_at(table)]


async def send_all(home: House, table: str) -> int:
    notices = await home.tables.owed_at(table)
    for notice in notices:
        await home.tables.notified(table, notice.user, notice.seat.due)
    return len(notices)


async def test_a_set_up_is_told_at_its_start_and_then_only_to_the_last_one_missing(home: House) -> None:
    table = await home.started(ADA, BEN, CLEO)
    assert await owed(home, table.id) == [(0, "turn"), (1, "turn"), (2, "turn")]
    await send_all(home, table.id)
    await home.play(table.id, ADA)
    assert await owed(home, table.id) == []
    await home.play(table.id, CLEO)
    assert await owed(home, table.id) == [(1, "last")]
    await send_all(home, table.id)
    await home.play(table.id, BEN)
    assert await owed(home, table.id) == [], "the next wave is the same phase"


async def test_several_decisions_of_a_turn_are_one_notice(home: House) -> None:
    table = await home.started(ADA, BEN)
    await send_all(home, table.id)
    table = await home.set_up(table.id, ADA, BEN)
    await send_all(home, table.id)
    actor, [other] = await home.whose_turn(table.id, ADA, BEN)
    await home.tables.move(table.id, actor, "draw", table.revision)
    assert await owed(home, table.id) == []
    after = await home.tables.typed(table.id, actor, "leave")
    seat = after.table.seat_of(other.id)
    assert seat is not None
    assert await owed(home, table.id) == [(seat.index, "turn")]
    assert await home.tables.owed() == await home.tables.owed_at(table.id)


async def test_a_snoozed_turn_is_quiet_and_the_next_is_not(home: House) -> None:
    table = await home.started(ADA, BEN, clock=ClockRule(86_400))
    table = await home.set_up(table.id, ADA, BEN)
    actor, [other] = await home.whose_turn(table.id, ADA, BEN)
    await home.tables.snooze(table.id, actor)
    home.clock.advance(timedelta(hours=13))
    await home.scheduler.run_due()
    assert await owed(home, table.id) == []
    for person in (actor, other):
        await home.tables.typed(table.id, person, "draw")
        await home.tables.typed(table.id, person, "leave")
    assert len(await owed(home, table.id)) == 1


async def test_marks_are_no_changes_and_only_go_forward(home: House) -> None:
    table = await home.started(ADA, BEN)
    assert [one.id for one in await home.tables.unpainted()] == [table.id]
    await home.tables.painted(table.id, table.revision)
    await home.tables.painted(table.id, 1)
    await home.tables.placed(table.id, thread=5, table_message=6)
    await home.tables.hand_placed(table.id, ADA.id, 7, 8)
    assert await home.tables.unpainted() == []
    after = (await home.play(table.id, ADA)).table
    assert (after.revision, after.painted, after.place.thread, after.place.table_message) == (
        table.revision + 1,
        table.revision,
        5,
        6,
    )
    assert (after.seats[0].hand_channel, after.seats[0].hand_message) == (7, 8)
    assert (await home.tables.table(table.id)) == after
    with pytest.raises(ValueError, match="place"):
        await home.tables.placed(table.id, guild=1)
    assert [one.id for one in await home.tables.tables_at(PLACE.guild, 5)] == [table.id]


async def test_a_parked_table_is_not_painted_before_its_time(home: House) -> None:
    table = await home.started(ADA, BEN)
    await home.tables.parked(table.id, home.clock.now() + timedelta(minutes=5))
    assert await home.tables.unpainted() == []
    home.clock.advance(timedelta(minutes=5))
    assert [one.id for one in await home.tables.unpainted()] == [table.id]


# messages


async def test_a_message_s_purpose_comes_of_its_own_chance_and_changes_no_game(tmp_path: Path) -> None:
    async with house(tmp_path / "one.db") as one, house(tmp_path / "two.db") as two:
        first = (await one.tables.open(ADA, PLACE, "zatre")).table
        await two.tables.open(ADA, PLACE, "zatre")
        posts = [(await one.tables.intend(first.id, kind, 20))[0] for kind in ("lobby", "notice", "table")]
        drawn = SeededEntropy("tables purposes")
        assert [post.purpose for post in posts] == [drawn()[:16] for _ in posts]
        again, new = await one.tables.intend(first.id, "notice", 20)
        assert (again, new) == (posts[1], False)
        second, same = [(await home.tables.open(BEN, PLACE, "zatre")).table for home in (one, two)]
        assert (second.id, second.seed) == (same.id, same.seed)


# in words


def test_every_refusal_and_ending_has_words() -> None:
    from bot.locale import keys
    from bot.tables.model import Ending
    from bot.tables.ports import Refusal

    def kinds(refusal: type[Refusal]) -> list[type[Refusal]]:
        return [refusal, *(kind for one in refusal.__subclasses__() for kind in kinds(one))]

    needed = {f"tables.refusal.{kind.code}" for kind in kinds(Refusal)[1:]}
    needed |= {f"tables.ending.{ending.value}" for ending in Ending}
    for language in ("en", "de"):
        assert needed <= keys(language)
