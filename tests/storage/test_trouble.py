"""A disk that is full, a file that may not be written or is damaged while the bot runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.locale import text
from bot.tables.model import Status
from bot.tables.ports import StoreAway, StoreBroken, StoreFailing, StoreFull, StoreReadOnly, StoreTrouble
from bot.tables.taps import Chosen
from tests.cogs.sim import Sim, answer, buttons
from tests.tables.support import ADA, BEN, Rig, open_rig

MakeSim = Callable[..., Awaitable[Sim]]


async def pragma(store: Any, statement: str) -> Any:
    """On the writing connection."""
    with store._database.engines[0].connect() as connection:
        return connection.connection.driver_connection.execute(f"PRAGMA {statement}").fetchone()


async def fill(store: Any) -> None:
    """No page more than there are, and none of them free."""
    [pages] = await pragma(store, "page_count")
    await pragma(store, f"max_page_count = {pages}")


async def make_room(store: Any) -> None:
    await pragma(store, "max_page_count = 1000000")


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelname in {"WARNING", "ERROR"}]


async def refuses(rig: Rig, table: str, trouble: type[StoreTrouble]) -> None:
    """Play until it is refused: what room there is in the last pages is used up first."""
    for _ in range(500):
        loaded = await rig.tables.load(table)
        assert loaded.state is not None
        person = next(one for one in (ADA, BEN) if (loaded.table.seat_of(one.id) or _nobody()).since)
        before = len(rig.told)
        try:
            await rig.tables.tap(table, person, loaded.table.revision, lambda _: Chosen("x" * 5000))
            await rig.play(table, person)
        except trouble:
            again = await rig.tables.load(table)
            assert again.state is not None
            assert again.state.to_json() == loaded.state.to_json()
            assert again.table.revision == loaded.table.revision
            assert len(rig.told) == before
            return
        if not (await rig.tables.table(table)).is_open:
            raise AssertionError("never refused")


def _nobody() -> Any:
    return type("Nobody", (), {"since": 0})


async def test_a_full_disk_refuses_moves_and_lets_them_when_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_rig(tmp_path / "parlour.db") as rig:
        table = (await rig.started(ADA, BEN)).id
        await fill(rig.store)
        for _ in range(3):
            await refuses(rig, table, StoreFull)
        assert len(told(caplog)) == 1
        assert "a full disk" in told(caplog)[0]
        await make_room(rig.store)
        loaded = await rig.tables.load(table)
        person = ADA if loaded.table.seats[0].since else BEN
        await rig.play(table, person)
        await rig.tables.pass_host(table, ADA, BEN.id)
        assert len(told(caplog)) == 2
        assert "can be written again" in told(caplog)[1]
        await fill(rig.store)
        await refuses(rig, table, StoreFull)
        assert len(told(caplog)) == 3, "the next time is told anew"


async def test_what_had_nothing_to_write_tells_nothing_of_a_full_disk(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_rig(tmp_path / "parlour.db") as rig:
        table = (await rig.started(ADA, BEN)).id
        await fill(rig.store)
        await refuses(rig, table, StoreFull)
        store: Any = rig.store
        await store._write(lambda connection: None)
        assert len(told(caplog)) == 1


async def test_a_file_that_may_only_be_read_is_told_apart(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_rig(tmp_path / "parlour.db") as rig:
        table = (await rig.started(ADA, BEN)).id
        await pragma(rig.store, "query_only = 1")
        for _ in range(3):
            with pytest.raises(StoreReadOnly):
                await rig.tables.pass_host(table, ADA, BEN.id)
        await pragma(rig.store, "query_only = 0")
        await rig.tables.pass_host(table, ADA, BEN.id)
        assert len(told(caplog)) == 2


async def test_a_file_damaged_while_it_is_used_is_told_apart_and_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "parlour.db"
    async with open_rig(path) as rig:
        tables = [(await rig.started(ADA, BEN)).id for _ in range(30)]
    async with open_rig(path) as rig:
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xa5" * (path.stat().st_size - 4096))
        for _ in range(2):
            for table in tables[:5]:
                with pytest.raises(StoreBroken):
                    await rig.tables.load(table)
        assert len(told(caplog)) == 1
        assert "a damaged file" in told(caplog)[0]


async def test_a_faulty_disk_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sqlite3

    from sqlalchemy.exc import OperationalError

    from bot.storage.trouble import kind_of

    def error(code: int) -> OperationalError:
        cause = sqlite3.OperationalError("disk")
        cause.sqlite_errorcode = code
        return OperationalError("", {}, cause)

    assert kind_of(error(sqlite3.SQLITE_IOERR | 3 << 8)) is StoreFailing
    assert kind_of(error(sqlite3.SQLITE_CANTOPEN)) is StoreFailing
    assert kind_of(error(sqlite3.SQLITE_NOTADB)) is StoreBroken
    assert kind_of(error(sqlite3.SQLITE_BUSY)) is None


def test_every_trouble_has_words_of_its_own() -> None:
    kinds = (StoreAway, StoreFull, StoreReadOnly, StoreFailing, StoreBroken)
    for language in ("en", "de"):
        assert len({text(language, kind.key) for kind in kinds}) == len(kinds)


async def test_people_read_that_nothing_can_be_saved_and_play_on_when_it_can(
    make_sim: MakeSim, caplog: pytest.LogCaptureFixture
) -> None:
    sim = await make_sim()
    sim.faults_expected = True
    lobby = await sim.new(sim.ada)
    table = await sim.table(lobby)
    store = sim.bot._store
    await pragma(store, "query_only = 1")  # every write, the smallest too, is refused
    caplog.clear()
    for _ in range(3):
        said = answer(await sim.ben.click(sim.fresh(lobby), label="Join"))
        assert "may only read my database" in said
        assert "Nothing was lost" in said
    assert "not sitting" in answer(await sim.ben.slash(sim.channel, "games")), "who only looks sees"
    await sim.env.settle()
    assert len(told(caplog)) == 1
    assert "Traceback" not in caplog.text
    assert len((await sim.bot.tables.table(table.id)).seats) == 1
    await pragma(store, "query_only = 0")
    await sim.ben.click(sim.fresh(lobby), label="Join")
    await sim.env.settle()
    now = await sim.bot.tables.table(table.id)
    assert [seat.user for seat in now.seats] == [sim.ada.id, sim.ben.id]
    assert now.painted == now.revision
    assert now.status is Status.LOBBY
    assert "Join" in buttons(sim.fresh(lobby))


async def test_people_read_that_the_disk_is_full_and_play_on_when_it_is_not(
    make_sim: MakeSim, caplog: pytest.LogCaptureFixture
) -> None:
    sim = await make_sim()
    sim.faults_expected = True
    lobbies = [await sim.new(sim.ada)]
    store = sim.bot._store
    await fill(store)
    caplog.clear()
    refused = []
    for _ in range(80):  # what room there is in the last pages is used up first
        result = await sim.ada.slash(sim.channel, "5vor12 new")
        if "disk" in answer(result):
            refused.append(result)
            if len(refused) == 3:
                break
        else:
            assert result.response is not None
            lobbies.append(result.response.message)
    assert len(refused) == 3
    for result in refused:
        assert "is full" in answer(result)
        assert result.response is not None
        assert result.response.ephemeral
    await sim.env.settle()
    assert [line for line in told(caplog) if "trouble" in line] == told(caplog)
    assert len(told(caplog)) == 1
    assert len(await sim.bot.tables.tables_at(sim.guild.id)) == len(lobbies)
    await make_room(store)
    await sim.ben.click(sim.fresh(lobbies[0]), label="Join")
    await sim.env.settle()
    table = await sim.table(lobbies[0])
    assert [seat.user for seat in table.seats] == [sim.ada.id, sim.ben.id]


async def test_people_read_that_the_database_is_damaged(
    make_sim: MakeSim, caplog: pytest.LogCaptureFixture
) -> None:
    sim = await make_sim()
    sim.faults_expected = True
    lobby = await sim.new(sim.ada)
    await sim.restart()
    path = sim.settings.data_dir / "parlour.db"
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (path.stat().st_size - 4096))
    sim.compares = False  # nothing can be read any more
    caplog.clear()
    for _ in range(3):
        said = answer(await sim.ben.click(lobby, label="Join"))
        assert "database is damaged" in said
    assert len(told(caplog)) == 1
    assert "Traceback" not in caplog.text
