from __future__ import annotations

import pytest

from cogs.delivery.timing import COMING


@pytest.fixture(autouse=True)
def _on_the_spot(on_the_spot: None) -> None:
    """Also where a test opens servers of its own."""


@pytest.fixture
def they_come(came_long_ago: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """People come to their tables in the test, as they do."""
    monkeypatch.setattr("cogs.delivery.timing.COMING", COMING)
