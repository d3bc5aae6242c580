"""The wire double of the tests, on which the bench plays where there is a checkout."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path


def missing_double(root: Path) -> str | None:
    """What the double needs and is not there, a file or a module; None where all is. root: of the checkout,
    which is put where modules are found."""
    driver = Path("tests") / "discord" / "driver.py"
    if not (root / driver).is_file():
        return driver.as_posix()
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        import_module("tests.discord.driver")
        import_module("tests.wire.wire_server")
    except ModuleNotFoundError as error:
        return error.name
    return None
