"""Figures are told where people read them, not only where nothing is captured."""

from __future__ import annotations

import pytest

from tests.sweeps import swept

pytest_plugins = ["pytester"]


@pytest.mark.parametrize("workers", swept(["0", "2"]))
def test_figures_stand_in_the_summary_whichever_process_measured_them(
    pytester: pytest.Pytester, workers: str
) -> None:
    """Those of the taps were printed with `-n 0 -s` alone, and our tests have a worker per core."""
    pytester.makepyfile(
        test_taps="def test_b(figures):\n    figures('b: 3 taps')\n\n"
        "def test_a(figures):\n    figures('a: 2 taps')\n    figures('a: 1 more')\n    assert False"
    )
    run = pytester.runpytest_inprocess("-p", "tests.figures", "-p", "no:asyncio", "-n", workers)
    run.stdout.fnmatch_lines(["*= figures =*", "test_taps.py", "  a: 2 taps", "  a: 1 more", "  b: 3 taps"])
