"""Figures that a test has measured are told in the summary, whichever process it ran in and whatever is
captured."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

FIGURES = "figures"  # the property of a report that goes from a worker to the process that sums up
Figures = Callable[[str], None]


@pytest.fixture
def figures(record_property: Callable[[str, object], None]) -> Figures:
    """Tells a line in the summary."""
    return partial(record_property, FIGURES)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """By file, in the order of the tests' names."""
    found: dict[str, list[tuple[str, str]]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport) and report.when == "call":
                file, _, name = report.nodeid.partition("::")
                told = [(name, str(line)) for key, line in report.user_properties if key == FIGURES]
                if told:
                    found.setdefault(file, []).extend(told)
    if found:
        terminalreporter.section("figures")
    for file, told in sorted(found.items()):
        terminalreporter.line(file)
        for _, line in sorted(told, key=lambda one: one[0]):
            terminalreporter.line(f"  {line}")
