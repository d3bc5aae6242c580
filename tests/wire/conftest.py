"""These tests need the wire double of the shared folder."""

from __future__ import annotations

import pytest

from tests.wire.town import SHARED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not (SHARED / "wire" / "driver.py").exists():
        skip = pytest.mark.skip(reason="the shared folder with the wire double is not beside this checkout")
        for item in items:
            if "tests/wire/" in item.path.as_posix():
                item.add_marker(skip)
