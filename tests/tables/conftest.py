"""Every test that has a store runs on SQLite, and as a long one on a real PostgreSQL; one that is marked
`both` runs there every day. One that is marked `sqlite` is about that kind of file alone."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from tests.postgresql import fresh_database
from tests.sweeps import swept

from . import support
from .support import Rig, open_rig

EVERY_DAY = ("sqlite", "postgresql")
KINDS = swept(EVERY_DAY)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    asked = {"rig", "tmp_path"} & set(metafunc.definition._fixtureinfo.argnames)
    if asked and metafunc.definition.get_closest_marker("sqlite") is None:
        both = metafunc.definition.get_closest_marker("both") is not None
        metafunc.parametrize("database", EVERY_DAY if both else KINDS, indirect=True)


@pytest.fixture(autouse=True)
def _on_the_spot(on_the_spot: None) -> None:
    """The store is not the matter here. (A process that is killed has one as ever.)"""


@pytest.fixture(autouse=True)
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The kind of database that rigs are opened on."""
    kind: str = getattr(request, "param", "sqlite")
    if kind == "postgresql":
        made: dict[Path, str] = {}
        monkeypatch.setattr(support, "address_of", partial(_on, request.getfixturevalue("postgresql"), made))
    return kind


async def _on(server: str, made: dict[Path, str], path: Path) -> str:
    """A database of its own for each file's name."""
    if path not in made:
        name = hashlib.sha256(str(path).encode()).hexdigest()[:16]
        made[path] = await fresh_database(server, name, migrated=True)
    return made[path]


@pytest.fixture
async def rig(tmp_path: Path, database: str) -> AsyncIterator[Rig]:
    async with open_rig(tmp_path / "parlour.db") as opened:
        yield opened
