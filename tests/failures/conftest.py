from __future__ import annotations

import pytest

from bot import discord_io
from cogs.delivery import retries


@pytest.fixture
def late_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Next tries come later: simcord waits in real time for what comes within its `settle_timeout`."""
    monkeypatch.setattr(retries, "RETRIES", tuple(100 * seconds for seconds in retries.RETRIES))
    monkeypatch.setattr(discord_io, "SECONDS_PER_DM", 100 * discord_io.SECONDS_PER_DM)
