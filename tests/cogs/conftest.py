from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _on_the_spot(on_the_spot: None) -> None:
    """Also where a test opens servers of its own."""
