from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from .support import Rig, open_rig


@pytest.fixture(autouse=True)
def _on_the_spot(on_the_spot: None) -> None:
    """The store is not the matter here. (A process that is killed has one as ever.)"""


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with open_rig(tmp_path / "parlour.db") as opened:
        yield opened
