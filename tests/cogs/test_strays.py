"""An empty data folder while old messages live: whoever runs the bot hears of it at the first click."""

from __future__ import annotations

import logging

import pytest

from .sim import Sim, answer


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if "another database was used" in one.getMessage()]


async def test_the_first_click_on_a_table_of_another_database_is_told_once(
    sim: Sim, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    lobby = await sim.new(sim.ada)
    table = await sim.table(lobby)
    await sim.bot.close()
    for file in sim.settings.data_dir.iterdir():
        if not file.name.endswith(".lock"):
            file.unlink()
    await sim.env.restart_bot(sim._make_bot())
    await sim.env.settle()
    for person in (sim.ben, sim.cleo):
        assert "table" in answer(await person.click(sim.fresh(lobby), label="Join")).lower()
        await sim.env.settle()
        assert len(told(caplog)) == 1
    assert table.id in told(caplog)[0]


async def test_a_table_that_never_was_is_no_news(sim: Sim, caplog: pytest.LogCaptureFixture) -> None:
    """The database is older than the message."""
    caplog.set_level(logging.WARNING)
    lobby = await sim.new(sim.ada)
    other = await sim.new(sim.ben)
    await sim.env.settle()
    gone = await sim.table(other)
    with sim.behind_the_bot() as database:
        database.execute("PRAGMA foreign_keys = ON")
        database.execute("DELETE FROM tables WHERE id = ?", (gone.id,))
    await sim.cleo.click(sim.fresh(other), label="Join")
    await sim.cleo.click(sim.fresh(lobby), label="Join")
    await sim.env.settle()
    assert told(caplog) == []
